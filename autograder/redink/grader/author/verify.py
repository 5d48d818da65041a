"""The grader is graded: every promise about an assignment, tried on specimens through the one pipeline.

The reference gets full marks. The untouched notebook and trivial answers earn nothing and draw no hint. A misconception
loses its own question, no other, and draws its own hint; the views of its checks can read what it gives. An alternative
gets full marks and no hint. Every check is failed by some misconception.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from redink.checks.judging import is_readable
from redink.checks.specimens import Specimen
from redink.errors import AuthorError, BoxError
from redink.grader.answer_key.make import Paper, affected_requests, set_paper
from redink.grader.assignment.assignment import Assignment, read_assignment
from redink.grader.assignment.master import edited
from redink.grader.assignment.validate import questions_without_a_cell
from redink.grader.author.trivial import ANSWERS, constant_observations, trivial_cells
from redink.grader.course import Course
from redink.grader.pipeline.diagnose import diagnose
from redink.grader.pipeline.grade import grade_one
from redink.grader.pipeline.judge import judge
from redink.grader.pipeline.load import Submission, from_cells
from redink.grader.pipeline.observe import Observer, Seen
from redink.grader.pipeline.score import score
from redink.grader.store.gradebook import Gradebook
from redink.records import Record, Result

Step = Callable[[int, int], None]  # done, of how many


class Verified(Record, frozen=True):
    """What verify found: broken promises, what an author has still to write, and the kill matrix."""

    assignment: str
    broken: tuple[str, ...]
    missing: tuple[str, ...]
    checks: tuple[str, ...]
    kills: dict[str, tuple[str, ...]]  # misconception to the checks that fail it
    specimens: int


def verify(course: Course, slug: str, *, jobs: int = 1, progress: Step = lambda done, total: None) -> Verified:
    """Try every promise about one assignment."""
    assignment = read_assignment(course, slug)
    with Gradebook(None, course.secret_name()) as book, Observer(book, assignment, jobs) as observer:
        try:
            specimens = _specimens(assignment)
            paper = set_paper(assignment, course.secret(), observer)
        except AuthorError as error:
            return _nothing_but(assignment, str(error))
        results: dict[str, Result] = {}
        for result in _graded(paper, specimens, observer, book):
            results[result.submission.id] = result
            progress(len(results), len(specimens))
        constants = list(_constants(paper, observer, book))
    kills = {
        one.id: _failed_checks(results[f"misconception {one.id}"], one.question) for one in assignment.misconceptions
    }
    broken = [
        *_full(results["reference"], "the reference"),
        *_empty(results["untouched"], "the untouched notebook"),
        *(line for name in ANSWERS for line in _empty(results[f"trivial {name}"], f"the trivial answer {name!r}")),
        *constants,
        *_unreadable(paper),
    ]
    for one in assignment.misconceptions:
        broken += _caught(results[f"misconception {one.id}"], one.id, one.question)
    for one in assignment.alternatives:
        broken += _full(results[f"alternative {one.id}"], f"the alternative {one.id}")
    return Verified(
        assignment=slug,
        broken=tuple(broken),
        missing=tuple(_missing(assignment, kills)),
        checks=tuple(check.id for check in assignment.checks),
        kills=kills,
        specimens=len(specimens),
    )


def _specimens(assignment: Assignment) -> list[tuple[Submission, Specimen | None]]:
    """Make every submission whose result is known beforehand."""
    solved, skip = assignment.master.solved(), assignment.master.explorations()
    asks = [name for question in assignment.spec.questions for name in question.asks]
    plain = [("reference", solved), ("untouched", assignment.master.untouched())]
    plain += [(f"trivial {name}", trivial_cells(assignment.master, asks, answer)) for name, answer in ANSWERS.items()]
    made: list[tuple[Submission, Specimen | None]] = [(from_cells(name, cells), None) for name, cells in plain]
    for one in assignment.misconceptions + assignment.alternatives:
        made.append((from_cells(f"{one.kind} {one.id}", edited(solved, one, skip)), one))
    return made


def _graded(
    paper: Paper, specimens: Sequence[tuple[Submission, Specimen | None]], observer: Observer, book: Gradebook
) -> Iterator[Result]:
    """Grade specimens; an edit runs what it may change, and answers everything else as the reference does."""
    reference = _reference(paper, observer)
    asked = {
        submission.name.id: (
            submission,
            affected_requests(paper.assignment, submission.cells, paper.requests) if edit else paper.requests,
        )
        for submission, edit in specimens
    }
    for id, seen in observer.each((id, one.cells, requests) for id, (one, requests) in asked.items()):
        if isinstance(seen, BoxError):
            raise seen
        whole = Seen(
            run=seen.run,
            observations={**reference.observations, **seen.observations},
            keys={**reference.keys, **seen.keys},
            reused=seen.reused,
        )
        yield grade_one(paper, asked[id][0], whole, book)


def _reference(paper: Paper, observer: Observer) -> Seen:
    seen = observer.known(paper.assignment.master.solved(), paper.requests)
    assert seen is not None, "the reference was observed when the paper was set"
    return seen


def _constants(paper: Paper, observer: Observer, book: Gradebook) -> Iterator[str]:
    """Judge constants in the right form; they need no box, for nothing is run."""
    seen = _reference(paper, observer)
    for number in (0.0, 1.0):
        answers = constant_observations(paper.expected, number)
        keys = {id: f"constant {number} {key}" for id, key in seen.keys.items()}
        constant = Seen(run=seen.run, observations=answers, keys=keys, reused=True)
        diagnosis = diagnose(paper, constant, judge(paper, (), constant, book))
        result = score(paper, from_cells(f"constant {number:g}", ()), constant, diagnosis)
        yield from _earned(result, f"a constant {number:g} of the right form")


def _full(result: Result, who: str) -> Iterator[str]:
    for question in result.questions:
        if question.score < question.max_score:
            failing = [check for check in question.checks if check.verdict != "passed"]
            told = "; ".join(
                f"{check.id} {check.verdict}: {' '.join(check.message.split())[:300]}" for check in failing
            )
            yield f"{who} gets {question.score:g} of {question.max_score:g} in {question.id} ({told})"
        if question.hint is not None:
            yield f"{who} draws the hint {question.hint.misconception} in {question.id}"


def _empty(result: Result, who: str) -> Iterator[str]:
    yield from _earned(result, who)
    for question in result.questions:
        if question.hint is not None:
            yield f"{who} draws the hint {question.hint.misconception} in {question.id}"


def _earned(result: Result, who: str) -> Iterator[str]:
    for question in result.questions:
        for check in question.checks:
            if check.verdict == "passed" and check.max_score > 0:
                yield f"{who} passes {check.id} ({question.id})"


def _caught(result: Result, id: str, own: str) -> Iterator[str]:
    """A misconception loses its own question and no other, and draws its own hint."""
    for question in result.questions:
        if question.id != own:
            if question.score < question.max_score:
                failing = ", ".join(check.id for check in question.checks if check.verdict != "passed")
                yield f"the misconception {id} of {own} also loses {question.id} ({failing})"
        elif all(check.verdict == "passed" for check in question.checks):
            yield f"the misconception {id} is not caught by {own}"
        elif question.hint is None:
            yield f"the misconception {id} draws no hint"
        elif question.hint.misconception != id:
            yield f"the misconception {id} draws the hint {question.hint.misconception}"


def _unreadable(paper: Paper) -> Iterator[str]:
    """A view that stumbles over a wrong answer would draw its hint only from the very same bytes."""
    for one in paper.bank:
        for check in paper.assignment.checks:
            trials = (paper.asked[trial.id] for trial in paper.of_check(check) if trial.id in one.gives)
            if not all(is_readable(check, one.gives[trial.id], trial.inputs) for trial in trials):
                yield f"the view of {check.id} cannot read what the misconception {one.id} gives"


def _failed_checks(result: Result, own: str) -> tuple[str, ...]:
    return tuple(
        check.id
        for question in result.questions
        if question.id == own
        for check in question.checks
        if check.verdict != "passed"
    )


def _missing(assignment: Assignment, kills: dict[str, tuple[str, ...]]) -> Iterator[str]:
    """Say what an author has still to write."""
    killed = {check for failed in kills.values() for check in failed}
    for check in assignment.checks:
        if check.id not in killed:
            yield f"no misconception fails the check {check.id} ({check.question})"
    for id in questions_without_a_cell(assignment):
        yield f"the notebook has no check({id!r}) cell"
    for question in assignment.spec.questions:
        if question.tier == "core" and not _has(assignment.alternatives, question.id):
            yield f"the core question {question.id} has no alternative"


def _has(specimens: Sequence[object], question: str) -> bool:
    return any(getattr(one, "question", None) == question for one in specimens)


def _nothing_but(assignment: Assignment, complaint: str) -> Verified:
    return Verified(assignment=assignment.slug, broken=(complaint,), missing=(), checks=(), kills={}, specimens=0)
