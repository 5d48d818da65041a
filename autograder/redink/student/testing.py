"""Our checks as the tests of nbgrader and otter-grader: in the student's kernel, with what is hidden handed to them.

nbgrader reads what a test cell shows: an error is no points, a result that is a number so many, anything on stderr none at
all, and everything else full points. So what student code writes is dropped, and the result is a Python float or nothing.
"""

from __future__ import annotations

import functools
import io
import re
import sys
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from redink.assignment.hidden import unpack
from redink.assignment.sharing import rounded_points, share_points
from redink.checks.stand_ins import Diverted
from redink.judging.feedback import Feedback
from redink.student.card import Card
from redink.student.checker import sources_of
from redink.student.homework import Homework, QuestionReport, Work

_PACKED = re.compile(r'hidden="""[A-Za-z0-9+/=\s]*"""')


class ChecksFailed(AssertionError):  # noqa: N818 - a verdict, not an error of ours
    """Checks that failed, in the sentences that a student reads; a notebook shows these alone, and no source."""

    def _render_traceback_(self) -> list[str]:
        return str(self).splitlines()


class QuestionTests:
    """The tests of one question; what is `hidden` of it makes them whole."""

    def __init__(self, question: str, hidden: str = "") -> None:
        self.question = question
        self._hidden = hidden
        self._found: dict[str, Feedback] = {}

    @functools.cached_property
    def homework(self) -> Homework:
        """The assignment of the current folder, read when it is first needed."""
        known = _homework(Path.cwd())
        return known.with_hidden(unpack(self._hidden)) if self._hidden else known

    def report(self, names: Mapping[str, Any]) -> QuestionReport:
        """Run all checks on the notebook's names; whatever student code writes meanwhile is dropped."""
        drop = io.StringIO()
        with Diverted(sys.stdout, drop), Diverted(sys.stderr, drop):  # also for those who took hold of them before
            return self.homework.report(self.question, Work(names, _sources(names)))

    def points(self, report: QuestionReport) -> float:
        """Return the points that the checks which passed are worth."""
        shares = share_points(
            report.question.points, [check.weight for check in self.homework.checks_of(self.question)]
        )
        passed = (share for share, one in zip(shares, report.feedback, strict=True) if one.passed)
        return rounded_points(sum(passed, Fraction(0)))

    def require(self, check: str, names: Mapping[str, Any]) -> None:
        """Raise `ChecksFailed` unless a check passes; the checks of a question run once for all of them."""
        if not self._found:
            report = self.report(names)
            self._found = dict(zip(report.checks, report.feedback, strict=True))
        if not self._found[check].passed:
            raise ChecksFailed(self._found[check].text)


def run_tests(question: str, hidden: str = "", *, scored: bool = True) -> float | None:
    """Run the tests of a question on what this notebook defines, and show them; return the points if all of it is known.

    `ChecksFailed` is raised where nothing is earned and, without what is `hidden` or if they are not `scored`, where any
    check that carries points fails.
    """
    from IPython.display import display

    tests = QuestionTests(question, hidden)
    report = tests.report(sys._getframe(1).f_globals)
    card = Card(report, kind="checks" if hidden else "public checks")
    points = tests.points(report) if scored and hidden else None
    if not report.passed and not points:
        raise ChecksFailed(repr(card))
    display(card)
    return points


def _sources(names: Mapping[str, Any]) -> list[str]:
    """Return the cells that ran, without what our own tests have in theirs: nobody reads a notebook of a megabyte."""
    return [_PACKED.sub('hidden=""', source) for source in sources_of(names)]


@functools.cache
def _homework(folder: Path) -> Homework:
    """Read the handout once for all questions."""
    return Homework.find(folder)
