"""What a student's feedback page says, as records: points, sentences, hints, own cells, how the grade came about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from redink.assignment.spec import Spec
from redink.grader.desk.history import explain
from redink.grader.desk.standings import ClassStandings, local
from redink.grader.pages.facts import FOR_A_PERSON
from redink.grader.pages.messages import ToldCheck, read_message
from redink.grader.pages.own_cells import own_cells
from redink.grader.rules.standing import Attempt, QuestionStanding, Standing
from redink.records import Cell, CheckResult, QuestionResult, Record, Result
from redink.texts import clean, clean_lines

_MARKS = {
    "passed": ("✓", "passed"), "failed": ("✗", "not yet"), "error": ("✗", "raised an error"),
    "timeout": ("✗", "took too long"), "not_run": ("·", "not run"),
}  # fmt: skip
_CONCEPTS = "concept_answers"  # what questions with keys ask for
_CELL_CHARACTERS, _CELL_LINES = 20_000, 400


class ShownCheck(Record, frozen=True):
    """One check on a feedback page."""

    sentence: str
    mark: str
    word: str
    passed: bool
    hidden: bool
    score: float
    max_score: float
    told: ToldCheck | None
    notes: tuple[str, ...]
    voided: bool


class ShownQuestion(Record, frozen=True):
    """One question on a feedback page."""

    id: str
    title: str
    extra: bool
    score: float
    max_score: float
    said: tuple[str, ...]  # what a person decided
    hint: str
    checks: tuple[ShownCheck, ...]
    cells: tuple[Cell, ...]
    withheld: bool  # which of its checks passed would tell the key

    @property
    def full(self) -> bool:
        """Whether all points were earned."""
        return self.score >= self.max_score


class Movement(Record, frozen=True):
    """What a question had in the previous attempt, and has now."""

    title: str
    old: float
    new: float


class PreviousAttempt(Record, frozen=True):
    """The attempt before the one that counts."""

    number: int
    handed_in: str
    score: float | None
    moves: tuple[Movement, ...]


class StudentPage(Record, frozen=True):
    """All that a feedback page says."""

    title: str
    course: str
    student: str
    name: str
    grade: float | None
    max_score: float
    state: str
    explanation: tuple[str, ...]
    questions: tuple[ShownQuestion, ...]
    failed_cells: tuple[str, ...]
    together: tuple[str, ...]
    previous: PreviousAttempt | None
    withheld: bool  # expected values are left out


class Release(NamedTuple):
    """What all feedback pages of a report have in common."""

    known: ClassStandings
    spec: Spec
    sentences: Mapping[str, str]  # of checks
    withheld: bool  # somebody still has time: nobody is told expected values; until when is nobody else's business


def student_page(
    release: Release, standing: Standing, attempts: Sequence[Attempt], cells: Sequence[Cell]
) -> StudentPage:
    """Work out what one student's page says."""
    known, attempt = release.known, standing.attempt
    result = attempt.result if attempt else None
    people = known.people
    return StudentPage(
        title=release.spec.title,
        course=known.rules.name,
        student=standing.student,
        name=clean(people[standing.student].name or standing.student),
        grade=standing.grade,
        max_score=standing.max_score,
        state=_state(standing),
        explanation=tuple(clean(line, 1000) for line in explain(known, standing)),
        questions=tuple(_questions(release, standing, result, cells)) if result else (),
        failed_cells=tuple(
            f"Cell {cell.index}: {clean(cell.error or 'took too long')}"
            for cell in (result.cells if result else ())
            if cell.status in ("error", "timeout")
        ),
        together=tuple(
            clean(people[one].name or one) if one in people else one
            for one in (attempt.group if attempt else ())
            if one != standing.student
        ),
        previous=_previous(release, attempt, attempts),
        withheld=release.withheld,
    )


def _state(standing: Standing) -> str:
    if standing.kind == "ungradable":
        return f"This submission could not be graded: {clean(standing.reason or '', 1000)}."
    return {"missing": "Nothing was handed in.", "not_graded": "This submission is not graded yet."}.get(
        standing.kind, ""
    )


def _questions(release: Release, standing: Standing, result: Result, cells: Sequence[Cell]) -> list[ShownQuestion]:
    counts = {one.id: one for one in standing.questions}
    return [_question(release, one, counts[one.id], cells) for one in result.questions]


def _question(
    release: Release, result: QuestionResult, counts: QuestionStanding, cells: Sequence[Cell]
) -> ShownQuestion:
    asked = next((one for one in release.spec.questions if one.id == result.id), None)
    keyed = release.withheld and asked is not None and _CONCEPTS in asked.asks
    said = [f"The check “{_sentence(release, id)}” does not count: everybody has its points." for id in counts.voided]
    if counts.override:
        one = counts.override
        said.append(f"The checks gave {counts.checked:g}; set to {one.score:g} by {one.who}: {one.reason}.")
    return ShownQuestion(
        id=result.id,
        title=result.title,
        extra=result.tier == "extra",
        score=counts.score,
        max_score=result.max_score,
        said=tuple(clean(line, 1000) for line in said),
        hint=result.hint.text if result.hint and not keyed else "",
        checks=() if keyed else tuple(_check(release, one, counts) for one in result.checks),
        cells=tuple(
            Cell(index=cell.index, source=clean_lines(cell.source.strip("\n"), _CELL_CHARACTERS, _CELL_LINES))
            for cell in (own_cells(cells, asked) if asked else ())
        ),
        withheld=keyed,
    )


def _check(release: Release, check: CheckResult, counts: QuestionStanding) -> ShownCheck:
    mark, word = _MARKS[check.verdict]
    told = read_message(check.message) if check.message else None
    if told is not None and release.withheld:
        told = told.without_values(check.verdict)
    return ShownCheck(
        sentence=told.sentence if told else _sentence(release, check.id),
        mark=mark,
        word=word,
        passed=check.verdict == "passed",
        hidden=check.visibility == "hidden",
        score=check.score,
        max_score=check.max_score,
        told=told,
        notes=tuple(note for note in check.notes if not FOR_A_PERSON.search(note)),
        voided=check.id in counts.voided,
    )


def _sentence(release: Release, check: str) -> str:
    """Return the sentence of a check; one that everybody passes is known by its name alone."""
    words = check.replace("_", " ")
    return release.sentences.get(check) or f"{words[:1].upper()}{words[1:]}."


def _previous(release: Release, attempt: Attempt | None, attempts: Sequence[Attempt]) -> PreviousAttempt | None:
    numbers = [one.submission for one in attempts]
    earlier = attempts[: numbers.index(attempt.submission)] if attempt else ()
    if attempt is None or not earlier:
        return None
    before = next((one for one in reversed(earlier) if one.result), earlier[-1])
    old = {one.id: one for one in before.result.questions} if before.result else {}
    new = attempt.result.questions if attempt.result else ()
    return PreviousAttempt(
        number=before.number,
        handed_in=local(before.handed_in, release.known.rules),
        score=before.result.score if before.result else None,
        moves=tuple(
            Movement(title=one.title, old=old[one.id].score, new=one.score)
            for one in new
            if one.id in old and old[one.id].score != one.score
        ),
    )
