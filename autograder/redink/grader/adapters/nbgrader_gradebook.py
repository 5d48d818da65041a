"""nbgrader's gradebook.db: a copy of it, with the scores of one assignment filled in through nbgrader's own API.

A question is a grade cell of its name, as in the notebooks that `distribute --format nbgrader` writes. Its score is what the
question counts; what lateness took is nbgrader's penalty; what is left between their sum and the grade (a person's
override of the whole, extra questions that count) is extra credit of the last cell. So nbgrader's total is the grade.
"""

from __future__ import annotations

import contextlib
import sqlite3
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from datetime import UTC
from pathlib import Path
from typing import Any

from redink.assignment.spec import Question, read_spec
from redink.errors import CourseError, in_one_sentence
from redink.grader.export.filling import refuse_unmatched
from redink.grader.export.formats import Export, ExportAccount, FilledCell, LeftCell, Order
from redink.grader.export.matching import Matches, SheetRow, match_rows
from redink.grader.export.scores import OutgoingScore, outgoing, remarks
from redink.grader.rules.standing import Standing
from redink.records import Record

_HALF_A_CENT = 0.005


class NbgraderGradebook:
    """Fills a gradebook of nbgrader."""

    name = "nbgrader"

    def export(self, order: Order) -> Export:
        """Fill the scores of the assignment into a copy."""
        if order.into is None:
            raise CourseError("name the file that is to be filled with --into: gradebook.db of the nbgrader course")
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder, "gradebook.db")
            _copy(order.into, copy)
            with _opened(order, copy) as book:
                account = _fill(order, book)
            data = copy.read_bytes()
        path = order.into
        return Export(data=data, name=str(path.with_name(f"{path.stem}.filled{path.suffix}")), account=account)


class _Outcome(Record, frozen=True):
    """What became of one student: the totals before and after, or why nothing was written."""

    student: str
    old: str = ""
    new: str = ""
    why: str = ""


def _copy(source: Path, target: Path) -> None:
    """Copy a database as it is now, also while nbgrader has it open."""
    try:
        with (
            contextlib.closing(sqlite3.connect(f"{source.resolve().as_uri()}?mode=ro", uri=True)) as old,
            contextlib.closing(sqlite3.connect(target)) as new,
        ):
            old.backup(new)
            tables = {row[0] for row in new.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    except sqlite3.Error as error:
        raise CourseError(f"{source} cannot be read as a gradebook of nbgrader: {error}") from error
    if not {"alembic_version", "assignment", "grade", "submitted_assignment"} <= tables:
        raise CourseError(f"{source} is no gradebook of nbgrader: it lacks nbgrader's tables")


@contextlib.contextmanager
def _opened(order: Order, path: Path) -> Iterator[Any]:
    """Open a gradebook through nbgrader, in the course that has the assignment, or the only one."""
    try:
        from nbgrader.api import Gradebook
    except ImportError:
        raise CourseError("this needs nbgrader: pip install 'redink[nbgrader]'") from None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # nbgrader's own, from its database library
        try:
            with Gradebook(f"sqlite:///{path}", _course_of(order, path)) as book:
                yield book
        except CourseError:
            raise
        except Exception as error:
            raise CourseError(f"nbgrader cannot use {order.into}: {in_one_sentence(error)}") from error


def _course_of(order: Order, path: Path) -> str:
    with contextlib.closing(sqlite3.connect(path)) as base:
        having = base.execute("SELECT course_id FROM assignment WHERE name = ?", [_assignment(order)]).fetchall()
        every = base.execute("SELECT id FROM course").fetchall()
    found = having or every
    if len(found) > 1:
        raise CourseError(f"{order.into} has several courses; keep one in a gradebook")
    return str(found[0][0]) if found else "redink"


def _assignment(order: Order) -> str:
    return order.column or order.known.assignment


def _fill(order: Order, book: Any) -> ExportAccount:
    told = _prepare(order, book)
    scores = outgoing(order)
    rows = [_row(at, student) for at, student in enumerate(book.students)]
    matches = match_rows(rows, order.known.people)
    assert order.into is not None
    refuse_unmatched(order.into, scores, matches, order.known.enrolled)
    standings = order.known.by_student()
    done = [
        _place(order, book, standings[student], scores[student], row)
        for student, row in matches.rows.items()
        if student in scores
    ]
    book.db.commit()
    return _account(order, scores, matches, done, told)


def _row(at: int, student: Any) -> SheetRow:
    name = f"{student.first_name or ''} {student.last_name or ''}".strip()
    ids = {"nbgrader": student.id, "email": student.email or "", "lms": student.lms_user_id or ""}
    return SheetRow(at=at, name=name or student.id, ids={kind: id for kind, id in ids.items() if id})


def _prepare(order: Order, book: Any) -> list[str]:
    """Make sure that the assignment is there with a cell for each question; return what had to be added."""
    name, slug = _assignment(order), order.known.assignment
    core = _core(order)
    if name not in {one.name for one in book.assignments}:
        book.add_assignment(name)
        book.add_notebook(slug, name, kernelspec='{"name": "python3"}')
        for question in core:
            book.add_grade_cell(question.id, slug, name, max_score=float(question.points), cell_type="code")
        return [f"{name} was not in the gradebook, and was added"]
    cells = {cell.name: cell.max_score for one in book.find_assignment(name).notebooks for cell in one.grade_cells}
    if lacking := [question.id for question in core if question.id not in cells]:
        raise CourseError(
            f"{name} in {order.into} has no grade cell {lacking[0]}: its notebook is not the one that "
            f"`redink distribute {slug} --format nbgrader` writes; name another assignment with --column"
        )
    if other := [question for question in core if cells[question.id] != question.points]:
        had, has = cells[other[0].id], other[0].points
        raise CourseError(
            f"{name} in {order.into} has {had:g} points for {other[0].id}, and Redink {has:g}; distribute it again"
        )
    return []


def _core(order: Order) -> list[Question]:
    spec = read_spec(order.course.find_assignment(order.known.assignment))
    return [question for question in spec.questions if question.tier == "core"]


def _place(order: Order, book: Any, standing: Standing, score: OutgoingScore, row: SheetRow) -> _Outcome:
    """Write one student's scores, unless there are none, or a person graded in nbgrader."""
    name, id = _assignment(order), row.ids["nbgrader"]
    known = {one.student.id: one for one in book.assignment_submissions(name)}.get(id)
    grades = [] if known is None else [grade for one in known.notebooks for grade in one.grades]
    had = any(grade.auto_score is not None or grade.manual_score is not None for grade in grades)
    old = "" if known is None or not had else _total(known)
    if score.points is None:
        return _Outcome(student=score.student, old=old, why=f"{score.why}; {old} stays" if old else score.why)
    if any(grade.manual_score is not None for grade in grades):
        return _Outcome(student=score.student, old=old, why=f"graded by hand in nbgrader; {old} stays")
    handed_in = standing.attempt.handed_in if standing.attempt else None
    if known is None:
        when = {"timestamp": handed_in.astimezone(UTC).replace(tzinfo=None)} if handed_in else {}
        known = book.add_submission(name, id, **when)
    _write(order, known, standing, score.points)
    book.db.commit()
    return _Outcome(student=score.student, old=old, new=_total(book.find_submission(name, id)))


def _write(order: Order, submission: Any, standing: Standing, points: float) -> None:
    of = {one.id: one.score for one in standing.questions}
    core = [question.id for question in _core(order)]
    grades = {grade.name: grade for one in submission.notebooks for grade in one.grades}
    for id in core:
        grades[id].auto_score, grades[id].extra_credit = of.get(id, 0.0), None
        grades[id].needs_manual_grade = False
    taken = 0.0 if standing.override else standing.taken
    grades[core[0]].notebook.late_submission_penalty = taken
    rest = points - (sum(of.get(id, 0.0) for id in core) - taken)
    if abs(rest) > _HALF_A_CENT:
        grades[core[-1]].extra_credit = round(rest, 2)


def _total(submission: Any) -> str:
    return f"{max(0.0, submission.score - submission.late_submission_penalty):.2f}".rstrip("0").rstrip(".")


def _account(
    order: Order, scores: dict[str, OutgoingScore], matches: Matches, done: Sequence[_Outcome], told: Sequence[str]
) -> ExportAccount:
    left = [one for one in done if not one.new]
    without = [one for one in left if scores[one.student].points is None and not one.old]
    return ExportAccount(
        assignment=order.known.assignment,
        format=NbgraderGradebook.name,
        lateness="before" if order.known.rules.lateness == "platform" else "after",
        column=_assignment(order),
        filled=tuple(FilledCell(student=one.student, old=one.old, new=one.new) for one in done if one.new),
        blank=tuple(LeftCell(student=one.student, why=one.why) for one in without),
        kept=tuple(LeftCell(student=one.student, why=one.why) for one in left if one not in without),
        overridden=tuple(one.student for one in done if one.new and scores[one.student].overridden),
        nobodys=tuple(one.shown for one in matches.nobodys),
        absent=tuple(student for student in scores if student not in matches.rows),
        told=(*told, *remarks(order), *(sentence for sentence, _ in matches.trouble)),
        names={student: one.shown for student, one in scores.items()},
    )
