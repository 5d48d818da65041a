"""What can go wrong, by whose fault it is.

::

    RedinkError
    ├── AuthorError       the assignment is wrong: nobody is graded until it is fixed
    ├── CourseError       the command cannot be carried out here: wrong folder, other secret, no such assignment
    ├── SubmissionError   the student's file cannot be read: `ungradable`, 0 points, with the reason
    └── BoxError          ours: no grade, retried, never a zero
        ├── TooLateError  it failed when a secret input was in it: not retried at once
        └── WireError     what came out of the box is not plain data

Each carries one sentence: what, where, what to do.
"""

from __future__ import annotations

DEBUG_VARIABLE = "REDINK_DEBUG"  # when set, a command shows the traceback of an error too


class RedinkError(Exception):
    """Any failure that Redink foresees; its message is one sentence for a person."""


class AuthorError(RedinkError):
    """The assignment itself is wrong."""


class CourseError(RedinkError):
    """The command cannot be carried out in this folder or with these arguments."""


class SubmissionError(RedinkError):
    """A submission cannot be read; the message says why, for the student."""


class BoxError(RedinkError):
    """The box failed, not the student."""


class TooLateError(BoxError):
    """The box failed when a secret input had been in it: run again at once, a submission could tell of that input."""


class WireError(BoxError):
    """Bytes from the box are not a frame of plain data."""


def in_one_sentence(error: Exception) -> str:
    """Return any error as one sentence; for one that Redink did not foresee, also how to see the traceback."""
    if isinstance(error, RedinkError):
        return str(error)
    if isinstance(error, OSError):
        return f"{error.strerror or error}" + (f" ({error.filename})" if error.filename else "")
    what = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
    return f"an error that Redink did not foresee ({what}); `redink --debug COMMAND …` shows where it happened"


class OverTime(BaseException):
    """The time is up; not an `Exception`, so that ordinary handlers let it through."""
