"""What can go wrong, by whose fault it is.

::

    RedinkError
    ├── AuthorError       the assignment is wrong: nobody is graded until it is mended
    ├── CourseError       the command cannot be carried out here: wrong folder, other secret, no such assignment
    ├── SubmissionError   the student's file cannot be read: `ungradable`, 0 points, and told why
    └── BoxError          ours: no grade, retried, never a zero
        └── WireError     what came out of the box is not plain data

Each carries one sentence: what, where, what to do.
"""


class RedinkError(Exception):
    """Any failure that Redink foresees; its text is one sentence for a person."""


class AuthorError(RedinkError):
    """The assignment itself is wrong."""


class CourseError(RedinkError):
    """The command cannot be carried out in this folder or with these arguments."""


class SubmissionError(RedinkError):
    """A submission cannot be read; the student is told why."""


class BoxError(RedinkError):
    """The box failed, not the student."""


class WireError(BoxError):
    """Bytes from the box are not a frame of plain data."""
