"""A small course with a graded class, made by hand: for the pages that are written of it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec

from redink.grader.course import Course
from redink.grader.store.collected import HandIn
from redink.grader.store.gradebook import Gradebook, StoredRun
from redink.records import Cell, CellRun, CheckResult, Hint, QuestionResult, Result, SubmissionId, Walls

DUE = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
SENTENCE = "f doubles its input."
FAILS = (
    f"{SENTENCE}\nAt [0] expected 4, got 3.\n  x = [2.]\n"
    '  expected: [4.]\n  got:      [3.]\n  replay:   check.replay("a_0", 0)'
)
_TOML = """
title = "Little"
slug = "little"
[[questions]]
id = "a"
title = "Doubling"
points = 60
asks = ["f"]
[[questions]]
id = "b"
title = "Ideas"
points = 40
asks = ["concept_answers"]
"""


def check(id: str, most: float, message: str = "", **more: Any) -> CheckResult:
    verdict = more.pop("verdict", "failed" if message else "passed")
    score = most if verdict == "passed" else 0.0
    return CheckResult(
        id=id, visibility=more.pop("visibility", "public"), verdict=verdict, score=score, max_score=most,
        message=message, **more,
    )  # fmt: skip


def question(id: str, title: str, *checks: CheckResult, hint: str = "", **more: Any) -> QuestionResult:
    return QuestionResult(
        id=id, title=title, tier=more.pop("tier", "core"), score=sum(one.score for one in checks),
        max_score=sum(one.max_score for one in checks),
        hint=Hint(text=hint, misconception="adds_one") if hint else None, checks=checks, **more,
    )  # fmt: skip


def result(*questions: QuestionResult, state: str = "graded", cells: tuple[CellRun, ...] = ()) -> Result:
    return Result(
        assignment="little", version="", secret="", submission=SubmissionId(id="x", file="x", sha256="x"), state=state,
        reason=None if state == "graded" else "x.ipynb is not a notebook", score=sum(one.score for one in questions),
        max_score=100.0, questions=questions, cells=cells, box=Walls(), cpu_seconds=0.0, wall_seconds=0.0,
    )  # fmt: skip


RIGHT = result(
    question("a", "Doubling", check("a_0", 30.0), check("a_1", 30.0, visibility="hidden")),
    question("b", "Ideas", check("which_one", 40.0, visibility="hidden")),
)
WRONG = result(
    question(
        "a", "Doubling", check("a_0", 30.0, FAILS), check("a_1", 30.0, visibility="hidden"), hint="Twice, or plus one?"
    ),
    question("b", "Ideas", check("which_one", 40.0, "Which of them it is.", visibility="hidden")),
)


class Class:
    """A course folder, and what was handed in there."""

    def __init__(self, root: Path, *, people: str = "", rules: str = "", due: datetime = DUE) -> None:
        self.root = root
        folder = root / "assignments" / "little"
        folder.mkdir(parents=True)
        (root / "solutions" / "little").mkdir(parents=True)
        (folder / "assignment.toml").write_text(_TOML, encoding="utf-8")
        roster = ""
        if people:
            (root / "people.csv").write_text(f"id,name\n{people}", encoding="utf-8")
            roster = 'roster = "people.csv"\n'
        when = due.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        (root / "course.toml").write_text(
            f'name = "Deep learning"\n{roster}[assignments.little]\ndue = {when}\npenalty_per_day = 10\n{rules}',
            encoding="utf-8",
        )
        self.course = Course(root)
        self.due = due

    def book(self) -> Gradebook:
        return Gradebook(self.course.gradebook_path(), self.course.secret_name())

    def hand_in(self, student: str, graded: Result | None, *, days: float = -1.0, **more: Any) -> None:
        """Hand in, and have it graded; `source` is the one cell of the notebook, `came_from` the platform."""
        source, file = more.pop("source", "def f(x):\n    return x + 1\n"), more.pop("file", f"{student}/little.ipynb")
        mistakes, sha256 = more.pop("mistakes", {}), more.pop("sha256", f"{student} {days}")
        came_from = more.pop("came_from", "canvas")
        with self.book() as book:
            handed = HandIn(
                student=student, file=file, sha256=sha256, source=came_from,
                handed_in=self.due + timedelta(days=days), **more,
            )  # fmt: skip
            kept = book.collected.keep("little", handed)
            if graded is not None:
                run = StoredRun(cells=graded.cells, sources=msgspec.msgpack.encode([Cell(index=3, source=source)]))
                book.keep_run(kept.submission, run, [])
                own = msgspec.structs.replace(graded, submission=SubmissionId(id=student, file=file, sha256=sha256))
                book.keep_result(kept.submission, own, answer_key="k", graded_under="u", mistakes=mistakes)
