"""The grader is graded: every promise about an assignment, tried on specimens through the one pipeline.

The reference gets full marks, also with rounding noise and in float32. The untouched notebook and trivial answers earn
nothing and get no hint; constants, empty and stretched answers earn nothing. A misconception loses its own question, no
other, and gets its own hint; the views of its checks can read what it returns. An alternative gets full marks and no hint.
No check stumbles over any of them. Every check is failed by some misconception. Every `given` makes the same inputs twice.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence

import msgspec

from redink.assignment.published import stale
from redink.assignment.trials import make_trials
from redink.checks.seeds import PUBLISHED
from redink.checks.specimens import Specimen
from redink.errors import AuthorError, BoxError
from redink.grader.answer_key.keep import answer_key
from redink.grader.answer_key.key import AnswerKey
from redink.grader.answer_key.make import make_answer_key
from redink.grader.answer_key.open_key import OpenKey
from redink.grader.assignment.assignment import Assignment, read_assignment
from redink.grader.assignment.reference import Reference
from redink.grader.assignment.validate import questions_without_a_cell
from redink.grader.author.build import stale_texts
from redink.grader.author.cases import Case, cases
from redink.grader.course import Course
from redink.grader.pipeline.job import OURS
from redink.grader.workers.workers import Workers
from redink.judging.answers import read_answer
from redink.judging.verdicts import is_readable
from redink.records import QuestionResult, Record

SAMPLE = 3  # a sample has every third misconception
_NO_HINT = "draws no hint"
Step = Callable[[int, int], None]  # done, of how many
Tried = tuple[Case, tuple[QuestionResult, ...]]


class Verified(Record, frozen=True):
    """What verify found: broken promises, what an author still has to write, and the kill matrix."""

    assignment: str
    broken: tuple[str, ...]
    missing: tuple[str, ...]
    checks: tuple[str, ...]
    kills: dict[str, tuple[str, ...]]  # misconception to the checks that fail it
    specimens: int
    sampled: bool = False  # only some of the misconceptions were tried
    stale: tuple[str, ...] = ()  # generated files that are older than what they are made from


def verify(
    course: Course,
    slug: str,
    *,
    workers: Workers,
    sample: bool = False,
    progress: Step = lambda done, total: None,
) -> Verified:
    """Try every promise about one assignment; of its misconceptions all, or a sample."""
    assignment = read_assignment(course, slug)
    old = stale(assignment.folder, assignment.published_from())
    out_of_date = (*([old] if old else []), *(f"{line}; run `redink build {slug}`" for line in stale_texts(assignment)))
    try:
        if sample:
            assignment = _sampled(assignment)
            key = make_answer_key(assignment, course.secret(), workers.observe)
        else:
            key = answer_key(course, slug, workers.observe)
        tried = cases(assignment, key)
        _refuse_unsteady_givens(assignment, course.secret())
    except AuthorError as error:
        return Verified(assignment=slug, broken=(str(error),), missing=(), checks=(), kills={}, specimens=0)
    results, stumbled = graded(key, tried, workers, progress)
    kills = {case.id: _failed_checks(case, found) for case, found in results if case.kind == "misconception"}
    silent = {case.who: _why_no_hint(key, case, found) for case, found in results if case.kind == "misconception"}
    broken = [
        f"{line}{silent[case.who]}" if line.endswith(_NO_HINT) else line
        for case, found in results
        for line in _BROKEN[case.kind](case, found)
    ]
    return Verified(
        assignment=slug,
        broken=(*stumbled, *broken, *_unreadable(OpenKey(key, assignment.checks))),
        missing=tuple(_missing(assignment, None if sample else kills)),
        checks=tuple(part.check for part in key.parts),
        kills=kills,
        specimens=len(tried),
        sampled=sample,
        stale=out_of_date,
    )


def _sampled(assignment: Assignment) -> Assignment:
    """Keep a third of the misconceptions, always the same ones."""
    order = list(assignment.misconceptions)
    random.Random(assignment.slug).shuffle(order)  # noqa: S311 - no secret
    chosen = set(order[::SAMPLE])
    kept = tuple(one for one in assignment.misconceptions if one in chosen)
    return msgspec.structs.replace(assignment, misconceptions=kept)


def graded(
    key: AnswerKey, tried: Sequence[Case], workers: Workers, progress: Step = lambda done, total: None
) -> tuple[list[Tried], tuple[str, ...]]:
    """Grade every specimen; return the results in their order, and why some have none: a check stumbled over them."""
    found: dict[int, tuple[QuestionResult, ...]] = {}
    stumbled: dict[str, str] = {}
    for place, done in workers.grade(key, ((place, case.job) for place, case in enumerate(tried))):
        if done.assessment is None and done.state != "internal_error":
            raise BoxError(done.reason or f"{tried[place].who} could not be graded")
        if done.assessment is None:
            stumbled.setdefault((done.reason or "").removeprefix(f"{OURS}: "), tried[place].who)
        found[place] = () if done.assessment is None else done.assessment.questions
        progress(len(found), len(tried))
    results = [(case, found[place]) for place, case in enumerate(tried)]
    return results, tuple(f"{reason} (met by {who})" for reason, who in stumbled.items())


def _refuse_unsteady_givens(assignment: Assignment, secret: bytes) -> None:
    reference = Reference(assignment.master, assignment.folder)
    for check in assignment.checks:
        for key in [PUBLISHED, secret] if check in assignment.public else [secret]:
            first = make_trials(assignment.slug, check, key, reference)
            if first != make_trials(assignment.slug, check, key, reference):
                raise AuthorError(f"check {check.id}: its given makes other inputs each time; draw from rng alone")


def _full(case: Case, result: Sequence[QuestionResult]) -> Iterator[str]:
    for question in result:
        if question.score < question.max_score:
            failing = [check for check in question.checks if check.verdict != "passed"]
            told = "; ".join(
                f"{check.id} {check.verdict}: {' '.join(check.message.split())[:300]}" for check in failing
            )
            yield f"{case.who} gets {question.score:g} of {question.max_score:g} in {question.id} ({told}){_cure(case)}"
        if question.hint is not None:
            yield f"{case.who} draws the hint {question.hint.name} in {question.id}"


def _cure(case: Case) -> str:
    """Say what to do where float32 fails: it keeps its own tolerance only as long as the numbers are of that type."""
    return ': give the check tol=1e-5, or the question precision = "double"' if "float32" in case.who else ""


def _empty(case: Case, result: Sequence[QuestionResult]) -> Iterator[str]:
    yield from _earned(case, result)
    for question in result:
        if question.hint is not None:
            yield f"{case.who} draws the hint {question.hint.name} in {question.id}"


def _earned(case: Case, result: Sequence[QuestionResult]) -> Iterator[str]:
    for question in result:
        for check in question.checks:
            if check.verdict == "passed" and check.max_score > 0:
                yield f"{case.who} passes {check.id} ({question.id})"


def _caught(case: Case, result: Sequence[QuestionResult]) -> Iterator[str]:
    """Say where a misconception does not lose its own question, loses another, or does not get its own hint."""
    for question in result:
        if question.id != case.question:
            if question.score < question.max_score:
                failing = ", ".join(check.id for check in question.checks if check.verdict != "passed")
                yield f"{case.who} of {case.question} also loses {question.id} ({failing})"
        elif all(check.verdict == "passed" for check in question.checks):
            yield f"{case.who} is not caught by {case.question}"
        elif question.hint is None or not question.hint.misconception:
            yield f"{case.who} {_NO_HINT}"
        elif question.hint.misconception != case.id:
            yield f"{case.who} draws the hint {question.hint.name}"


def _why_no_hint(key: AnswerKey, case: Case, result: Sequence[QuestionResult]) -> str:
    """Say why a misconception may have got no hint: nothing that it returns shows it."""
    wrong = {part.check: part.wrong[case.id] for part in key.parts if case.id in part.wrong}
    endings = {one.answers[trial].status for one in wrong.values() for trial in one.differs}
    if endings and endings.isdisjoint(("returned", "raised")):
        return ": it never ends, or is ended, and so are many other mistakes; let it return something"
    alike = [check for check in _failed_checks(case, result) if check not in wrong or not wrong[check].differs]
    if alike:
        told = "its view must tell apart what its then tells apart"
        return f": it fails {alike[0]}, and yet what it returns there is the same as the reference's ({told})"
    return ""


_BROKEN = {
    "reference": _full,
    "alternative": _full,
    "rounded": _full,
    "untouched": _empty,
    "trivial": _empty,
    "formal": _earned,
    "misconception": _caught,
}


def _unreadable(key: OpenKey) -> Iterator[str]:
    """Say which views cannot read a misconception's answer: only the very same bytes would get its hint."""
    for part in key.key.parts:
        inputs = {one.id: one.inputs for one in key.asked(part.check)}
        for id, wrong in part.wrong.items():
            answers = [(read_answer(wrong.answers[trial]), inputs[trial]) for trial in wrong.differs]
            if not all(is_readable(key.checks[part.check], answer, given) for answer, given in answers):
                yield f"the view of {part.check} cannot read what the misconception {id} gives"


def _failed_checks(case: Case, result: Sequence[QuestionResult]) -> tuple[str, ...]:
    own = [question for question in result if question.id == case.question]
    return tuple(check.id for question in own for check in question.checks if check.verdict != "passed")


def _missing(assignment: Assignment, kills: dict[str, tuple[str, ...]] | None) -> Iterator[str]:
    """Say what an author still has to write; a sample of kills says nothing about the checks."""
    killed = {check for failed in (kills or {}).values() for check in failed}
    for check in assignment.checks if kills is not None else ():
        if check.id not in killed:
            yield f"no misconception fails the check {check.id} ({check.question})"
    for id in questions_without_a_cell(assignment):
        yield f"the notebook has no check({id!r}) cell"
    for question in assignment.spec.questions:
        if question.tier == "core" and not _has(assignment.alternatives, question.id):
            yield f"the core question {question.id} has no alternative"


def _has(specimens: Sequence[Specimen], question: str) -> bool:
    return any(one.question == question for one in specimens)
