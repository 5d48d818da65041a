"""Grading the notebooks of a repository: by an answer key of the course, or by the public checks alone."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor, Future
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from redink.assignment.handout import installed_shelf, list_assignments
from redink.assignment.spec import Question, Spec
from redink.errors import CourseError, SubmissionError
from redink.grader.answer_key.key import AnswerKey
from redink.grader.ci.at_home import blank_result, check_at_home
from redink.grader.ci.locating import Located, locate
from redink.grader.ci.outcome import CiOutcome
from redink.grader.ci.places import cell_lines
from redink.grader.ci.public_key import handout_key, published_part
from redink.grader.evidence.packing import unpack_sources
from redink.grader.pages.own_cells import own_cells
from redink.grader.pipeline.job import BoxSettings, Done, Job
from redink.grader.pipeline.load import Submission, as_notebook
from redink.grader.pipeline.record import make_result
from redink.grader.pipeline.score import total
from redink.grader.sandbox.levels import level
from redink.grader.sealing.sealed import Unsealed
from redink.grader.workers.workers import Workers
from redink.records import Cell, Result, SubmissionId

NO_KEY = "there is no answer key here"


class GradedBy(msgspec.Struct, frozen=True):
    """What grades an assignment, and why hidden checks do not run, if so."""

    spec: Spec
    key: Callable[[], AnswerKey]
    only_public: str = ""
    told: tuple[str, ...] = ()
    shown_from: datetime | None = None  # when everybody's time is over, by the course


class Here(Executor):
    """An executor that does an order at once, in this process: one submission is not worth another one."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Do it."""
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


def by_key(unsealed: Sequence[Unsealed], slugs: Sequence[str], *, show_hidden: bool) -> list[GradedBy]:
    """Grade by keys of the course; until everybody's time is over only by what students have too, unless told otherwise."""
    known = {one.key.slug: one for one in unsealed}
    if unknown := [slug for slug in slugs if slug not in known]:
        raise CourseError(f"the sealed key has no assignment {unknown[0]!r}; it has: {', '.join(known)}")
    return [_by_key(known[slug], show_hidden) for slug in slugs or known]


def _by_key(one: Unsealed, show_hidden: bool) -> GradedBy:
    grader = GradedBy(spec=one.key.spec, key=lambda: one.key, told=one.told, shown_from=one.shown_from)
    if show_hidden or one.shown_from is None or one.shown_from <= datetime.now(UTC):
        return grader
    return published_only(
        grader, f"hidden checks run when everybody's time is over, from {one.shown_from:%Y-%m-%d %H:%M} UTC"
    )


def published_only(grader: GradedBy, why: str) -> GradedBy:
    """Grade by what students have too: public checks on published inputs."""
    return msgspec.structs.replace(grader, key=lambda: published_part(grader.key()), only_public=why)


def by_public_checks(slugs: Sequence[str]) -> list[GradedBy]:
    """Grade by the public checks that came with Redink, whatever else lies in a repository."""
    shelf = installed_shelf()
    specs = {spec.slug: spec for spec in list_assignments(shelf)}
    if unknown := [slug for slug in slugs if slug not in specs]:
        raise CourseError(f"this Redink has no assignment {unknown[0]!r}; it has: {', '.join(specs)}")
    return [
        GradedBy(spec=specs[slug], key=lambda slug=slug: handout_key(shelf / slug), only_public=NO_KEY)  # type: ignore[misc]
        for slug in slugs or specs
    ]


def grade_repository(
    path: Path, graders: Sequence[GradedBy], *, of_the_course: bool, allow_weak: bool = False
) -> list[CiOutcome]:
    """Grade the notebooks of a repository, or one notebook; `of_the_course` where that says which assignments it wants."""
    known = {one.spec.slug: one for one in graders}
    try:
        located = locate(path, [one.spec for one in graders], of_the_course=of_the_course)
    except SubmissionError as error:
        return [_nothing(graders, str(error))]
    hidden = (str(path.resolve()), str(Path.cwd()))
    return [_grade(known[one.slug], one, hidden, allow_weak) for one in located]


def _grade(grader: GradedBy, located: Located, hidden: tuple[str, ...], allow_weak: bool) -> CiOutcome:
    submission = _load(located)
    if submission.reason is None and grader.only_public == NO_KEY and sys.platform != "linux":
        result, cells = check_at_home(installed_shelf() / located.slug, submission)
        result = _without_unchecked(result, grader.spec)
    else:
        result, cells = _graded(grader, submission, hidden, allow_weak)
    lines = cell_lines(located.data) if result.state == "graded" else {}
    return msgspec.structs.replace(
        shown(grader, result),
        told=(*grader.told, *located.told, *weakness(grader, result)),
        lines=_lines(grader.spec.questions, cells, lines),
        cell_lines=lines,
    )


def weakness(grader: GradedBy, result: Result) -> list[str]:
    """Say so where a key was used though student code may have reached it."""
    if grader.only_public == NO_KEY or result.state != "graded" or level(result.box) != "weak":
        return []
    return [f"the box is weak here: it lacks {', '.join(result.box.missing)}; `redink doctor` says what that means"]


def shown(grader: GradedBy, result: Result) -> CiOutcome:
    """Return a result as it is told."""
    return CiOutcome(
        title=grader.spec.title,
        file=result.submission.file,
        result=result,
        only_public=grader.only_public,
        told=grader.told,
    )


def _nothing(graders: Sequence[GradedBy], reason: str) -> CiOutcome:
    """Return the outcome of a repository that has no submission: ungradable, and told why."""
    slug, title = (graders[0].spec.slug, graders[0].spec.title) if len(graders) == 1 else ("repository", "Repository")
    full = graders[0].spec.full_marks if len(graders) == 1 else 0.0
    blank = blank_result(slug, SubmissionId(id=slug, file="", sha256=""), full)
    result = msgspec.structs.replace(blank, state="ungradable", reason=reason)
    return CiOutcome(title=title, file=".", result=result, only_public=graders[0].only_public if graders else "")


def _load(located: Located) -> Submission:
    name = SubmissionId(id=located.slug, file=located.file, sha256=hashlib.sha256(located.data).hexdigest())
    if located.problem:
        return Submission(name=name, reason=located.problem)
    try:
        return Submission(name=name, data=as_notebook(located.file, located.data))
    except SubmissionError as error:
        return Submission(name=name, reason=f"{located.file} {error}")


def _graded(
    grader: GradedBy, submission: Submission, hidden: tuple[str, ...], allow_weak: bool
) -> tuple[Result, Sequence[Cell]]:
    key = grader.key()
    if submission.reason is not None:
        return finished(grader, key, submission, Done(state="ungradable", reason=submission.reason)), ()
    box = settings(grader, hidden, allow_weak=allow_weak)
    with Workers(1, box, executor=Here()) as workers:
        ((_, done),) = workers.grade(key, [("", Job(notebook=submission.data, key="", box=box))])
    return finished(grader, key, submission, done), unpack_sources(done.sources) if done.sources else ()


def settings(grader: GradedBy, hidden: tuple[str, ...], *, allow_weak: bool) -> BoxSettings:
    """Say how boxes are made; where nothing is secret, weak walls do."""
    weak = allow_weak or grader.only_public == NO_KEY
    return BoxSettings.of(grader.spec, hidden=hidden, allow_weak=weak)


def finished(grader: GradedBy, key: AnswerKey, submission: Submission, done: Done) -> Result:
    """Make the result of what a worker did, which knows no names."""
    if done.state == "ungradable" and done.reason != submission.reason:
        done = msgspec.structs.replace(done, reason=f"{submission.name.file} {done.reason}")
    result = make_result(key, submission, done)
    return _without_unchecked(result, grader.spec) if grader.only_public else result


def _without_unchecked(result: Result, spec: Spec) -> Result:
    """Leave out the questions that only hidden checks could tell of, and count what is left; some checks only inform."""
    if result.state != "graded":
        return result
    questions = tuple(
        one if any(check.max_score for check in one.checks) else msgspec.structs.replace(one, max_score=0.0)
        for one in result.questions
        if one.checks
    )
    full = sum(one.max_score for one in questions if one.tier == "core")
    return msgspec.structs.replace(result, questions=questions, score=total(spec, questions), max_score=round(full, 2))


def _lines(questions: Iterable[Question], cells: Sequence[Cell], lines: dict[int, int]) -> dict[str, int]:
    """Return at which line of the file the last cell stands that answers each question."""
    found = {}
    for question in questions:
        own = own_cells(cells, question) if lines else ()
        if own and own[-1].index in lines:
            found[question.id] = lines[own[-1].index]
    return found
