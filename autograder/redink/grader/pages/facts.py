"""What the class page says, as records: worked out once, from standings or from one run's results, then only written."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from statistics import fmean, median
from typing import Literal

import msgspec

from redink.grader.pages.figures import FEWEST, Bin, difficulty, discrimination, distribution, share
from redink.grader.pages.groups import UnknownMistake, unknown_mistakes
from redink.grader.pages.messages import read_message
from redink.grader.pipeline.report import MistakeGroup
from redink.records import NOT_WRITTEN, RUN_AGAIN, CheckResult, QuestionResult, Record, Result
from redink.texts import look_alikes

HARDEST = 10
MOST_NAMED = 3  # checks in a line
NOTHING_YET = "nothing is written yet"
FOR_A_PERSON = re.compile("a person should look|not tried")  # notes that are the staff's to read
_MEMORY = re.compile("MemoryError|memory|killed", re.IGNORECASE)


class StudentFacts(Record, frozen=True):
    """One student as the class page shows them."""

    student: str
    name: str
    kind: Literal["graded", "ungradable", "not_graded", "missing", "internal_error"]
    grade: float | None
    result: Result | None = None
    submission: int = 0  # equal for those who handed in together; 0: alone
    late: str = ""
    decided: tuple[str, ...] = ()  # scores that a person set, in sentences
    doubts: tuple[str, ...] = ()  # what a person should look at, beside what the result says
    blank: frozenset[str] = frozenset()  # questions that were left as they were handed out
    scores: dict[str, float] = msgspec.field(
        default_factory=dict
    )  # of questions, where they are not what the checks gave
    page: str = ""  # the address of the feedback page

    @property
    def called(self) -> str:
        """The name with the id, where they differ."""
        return f"{self.name} ({self.student})" if self.name and self.name != self.student else self.student


class QuestionFigures(Record, frozen=True):
    """A question in numbers."""

    id: str
    title: str
    tier: str
    mean: float
    max_score: float
    difficulty: float
    discrimination: float | None
    blank: int


class HardCheck(Record, frozen=True):
    """A check, and how many of those whose code it reached passed it."""

    id: str
    question: str
    sentence: str
    visibility: str
    reached: int
    passed: int

    @property
    def share(self) -> float:
        """The share of those reached who passed."""
        return self.passed / self.reached


class Believed(Record, frozen=True):
    """A misconception that was seen, or a relation where none is known, and how often."""

    question: str
    name: str
    hint: str
    count: int
    of: int  # so many who were graded, a group counted once

    @property
    def share(self) -> float:
        """The share of the class that shows it."""
        return self.count / self.of


class StudentLine(Record, frozen=True):
    """One student, and something to know."""

    student: StudentFacts
    lines: tuple[str, ...]


class ClassFacts(Record, frozen=True):
    """All that the class page says."""

    title: str
    course: str
    students: tuple[StudentFacts, ...]
    counts: dict[str, int]
    scores: tuple[float, ...]  # of those who were graded, ascending
    bins: tuple[Bin, ...]
    questions: tuple[QuestionFigures, ...]
    hardest: tuple[HardCheck, ...]
    beliefs: tuple[Believed, ...]
    unknown: tuple[UnknownMistake, ...]
    alone: int  # students whose unknown mistakes nobody shares
    limits: tuple[StudentLine, ...]
    doubts: tuple[StudentLine, ...]
    missing: tuple[StudentFacts, ...]
    ungradable: tuple[StudentFacts, ...]
    waiting: tuple[StudentFacts, ...]
    overridden: tuple[StudentLine, ...]
    late: tuple[StudentLine, ...]
    roster: bool = False  # whether it is known who should have handed in
    notices: tuple[str, ...] = ()

    @property
    def median(self) -> float:
        """The middle one of the scores."""
        return median(self.scores)

    @property
    def mean(self) -> float:
        """The mean of the scores."""
        return fmean(self.scores)

    def by_id(self) -> dict[str, StudentFacts]:
        """Return the students by id."""
        return {one.student: one for one in self.students}


def class_facts(
    title: str,
    students: Sequence[StudentFacts],
    groups: Sequence[MistakeGroup],
    *,
    course: str = "",
    roster: bool = False,
    notices: Sequence[str] = (),
) -> ClassFacts:
    """Work out all that a class page says."""
    graded = {one.student: one for one in students if one.kind == "graded" and one.result is not None}
    results = {id: one.result for id, one in graded.items() if one.result is not None}
    scores = tuple(sorted(one.grade for one in graded.values() if one.grade is not None))
    blank = {id: one.blank for id, one in graded.items()}
    once = _handed_in_once(graded)
    unknown = unknown_mistakes(_among(groups, once), results, blank)
    return ClassFacts(
        title=title,
        course=course,
        students=tuple(students),
        counts=dict(Counter(one.kind for one in students)),
        scores=scores,
        bins=distribution(scores, max(one.max_score for one in results.values())) if scores else (),
        questions=_questions(list(results.values()), blank, list(results)),
        hardest=_hardest(results, blank),
        beliefs=_beliefs([results[id] for id in once]),
        unknown=unknown,
        alone=_alone(groups, once, blank, {id for one in unknown for id in one.students}),
        limits=_lines(students, _limits),
        doubts=_rare_first(_lines(students, _doubts)),
        missing=tuple(one for one in students if one.kind == "missing"),
        ungradable=tuple(one for one in students if one.kind == "ungradable"),
        waiting=tuple(one for one in students if one.kind in ("not_graded", "internal_error")),
        overridden=_lines(students, lambda one: one.decided),
        late=_lines(students, lambda one: (one.late,) if one.late else ()),
        roster=roster,
        notices=(*notices, *look_alikes(one.student for one in students)),
    )


def remark(student: StudentFacts) -> str:
    """Say in a line what became of a submission."""
    result = student.result
    if student.kind != "graded" or result is None:
        reason = f": {result.reason}" if result and result.reason else ""
        return {"missing": "nothing handed in", "not_graded": "not graded yet"}.get(student.kind, student.kind + reason)
    core = [one for one in result.questions if one.tier == "core"]
    if is_untouched(result) or (core and not result.score and all(one.id in student.blank for one in core)):
        return NOTHING_YET
    scores = [(one, student.scores.get(one.id, one.score)) for one in core]
    return ", ".join(f"{one.id} {score:g}/{one.max_score:g}" for one, score in scores if score < one.max_score)


def is_untouched(result: Result) -> bool:
    """Tell whether no core question was begun and no extra one solved; of short answers only the public check says so."""
    core = [one for one in result.questions if one.tier == "core"]
    return bool(core) and all(map(_is_unwritten, core)) and not any(one.score for one in result.questions)


def _is_unwritten(question: QuestionResult) -> bool:
    told = [check for check in question.checks if check.visibility == "public"] or question.checks
    return question.score == 0 and all(
        check.verdict == "not_run" or f"\n{NOT_WRITTEN}." in check.message.lower() for check in told
    )


def check_sentences(results: Sequence[Result]) -> dict[str, str]:
    """Return what each check holds, in words; the sentence of one that everybody passed is not stored, and missing here."""
    return {
        check.id: read_message(check.message).sentence
        for result in results
        for question in result.questions
        for check in question.checks
        if check.message
    }


def _handed_in_once(graded: Mapping[str, StudentFacts]) -> list[str]:
    """List the students, but of those who handed in together only the first."""
    first: dict[int, str] = {}
    return [id for id, one in graded.items() if not one.submission or first.setdefault(one.submission, id) == id]


def _among(groups: Sequence[MistakeGroup], students: Sequence[str]) -> list[MistakeGroup]:
    known = set(students)
    return [
        MistakeGroup(question=one.question, submissions=tuple(id for id in one.submissions if id in known))
        for one in groups
    ]


def _alone(
    groups: Sequence[MistakeGroup], students: Sequence[str], blank: Mapping[str, frozenset[str]], shared: set[str]
) -> int:
    """Count the students with unknown mistakes, none of which anybody shares."""
    known = set(students) - shared
    return len({id for one in groups for id in one.submissions if id in known and one.question not in blank[id]})


def _questions(
    results: Sequence[Result], blank: Mapping[str, frozenset[str]], ids: Sequence[str]
) -> tuple[QuestionFigures, ...]:
    """Work out each question's figures, from what the checks gave: a score that a person set says nothing about an item."""
    points: dict[str, list[float]] = defaultdict(list)
    rest: dict[str, list[float]] = defaultdict(list)
    about = {}
    for result in results:
        core = sum(one.score for one in result.questions if one.tier == "core")
        for one in result.questions:
            about[one.id] = one
            points[one.id].append(one.score)
            rest[one.id].append(core - one.score if one.tier == "core" else core)
    found = []
    for id, one in about.items():
        shares = [share(score, one.max_score) for score in points[id]]
        left_blank = sum(id in blank.get(student, frozenset()) for student in ids)
        tells = one.tier == "core" or len(results) - left_blank >= FEWEST  # an extra question that hardly anybody tried
        found.append(
            QuestionFigures(
                id=id,
                title=one.title,
                tier=one.tier,
                mean=fmean(points[id]),
                max_score=one.max_score,
                difficulty=difficulty(shares) or 0.0,
                discrimination=discrimination(shares, rest[id]) if tells else None,
                blank=left_blank,
            )
        )
    return tuple(found)


def _hardest(by_student: Mapping[str, Result], blank: Mapping[str, frozenset[str]]) -> tuple[HardCheck, ...]:
    """Find the checks that fewest pass, of those whose code they reached; one that hardly anybody reached is left out.

    Who left an extra question blank was not reached, and one that fewer than five tried is left out: nobody need try it.
    """
    results = list(by_student.values())
    sentences = check_sentences(results)
    seen: dict[tuple[str, str], list[CheckResult]] = defaultdict(list)
    extra: set[str] = set()
    for student, result in by_student.items():
        for question in result.questions:
            if question.tier == "extra":
                extra.add(question.id)
                if question.id in blank[student]:
                    continue
            for check in question.checks:
                if check.verdict != "not_run" and check.max_score > 0:
                    seen[question.id, check.id].append(check)
    fewest = min(len(results), max(1, round(len(results) / 10)))
    found = [
        HardCheck(
            id=id,
            question=question,
            sentence=sentences.get(id, ""),
            visibility=checks[0].visibility,
            reached=len(checks),
            passed=sum(check.verdict == "passed" for check in checks),
        )
        for (question, id), checks in seen.items()
        if len(checks) >= max(fewest, FEWEST if question in extra else 0)
    ]
    hard = [one for one in found if one.passed < one.reached]
    return tuple(sorted(hard, key=lambda one: (one.share, -one.reached, one.id))[:HARDEST])


def _beliefs(results: Sequence[Result]) -> tuple[Believed, ...]:
    found = Counter(
        (question.id, question.hint.name, question.hint.text)
        for result in results
        for question in result.questions
        if question.hint
    )
    ordered = sorted(found.items(), key=lambda item: (-item[1], item[0]))
    return tuple(
        Believed(question=id, name=name, hint=text, count=count, of=len(results)) for (id, name, text), count in ordered
    )


def _limits(student: StudentFacts) -> tuple[str, ...]:
    """List where a submission ran out of time or memory."""
    if student.result is None:
        return ()
    cells = [
        f"cell {cell.index}: {cell.error or 'took too long'}"
        for cell in student.result.cells
        if cell.status == "timeout" or (cell.status == "error" and _MEMORY.search(cell.error))
    ]
    checks = Counter(
        (question.id, "took too long" if check.verdict == "timeout" else "ran out of memory")
        for question in student.result.questions
        for check in question.checks
        if check.verdict == "timeout" or (check.verdict == "error" and "MemoryError" in check.message)
    )
    return (*cells, *(f"{id}: {count} check{'s' * (count > 1)} {what}" for (id, what), count in checks.items()))


def asked_of_a_person(result: Result) -> list[str]:
    """List the notes on checks that a person should look at, each once."""
    notes: dict[str, list[str]] = defaultdict(list)
    for question in result.questions:
        for check in question.checks:
            for note in check.notes:
                if FOR_A_PERSON.search(note):
                    notes[f"{question.id}: {note}"].append(check.id)
    return [f"{note} ({_first(checks)})" for note, checks in notes.items()]


def _doubts(student: StudentFacts) -> tuple[str, ...]:
    """List what a person should look at."""
    found = asked_of_a_person(student.result) if student.result else []
    if student.result and student.result.run_again:
        found.append(RUN_AGAIN)
    if student.kind == "graded" and remark(student) == NOTHING_YET:
        found.append(f"{NOTHING_YET}: is it the right file?")
    if student.kind == "internal_error":
        found.append(f"Redink failed: {student.result.reason if student.result else ''}; grade again")
    return (*student.doubts, *found)


def _first(checks: Sequence[str]) -> str:
    rest = len(checks) - MOST_NAMED
    return ", ".join(checks[:MOST_NAMED]) + (f" and {rest} more check{'s' if rest > 1 else ''}" if rest > 0 else "")


def _lines(
    students: Sequence[StudentFacts], tell: Callable[[StudentFacts], tuple[str, ...]]
) -> tuple[StudentLine, ...]:
    found = ((one, tell(one)) for one in students)
    return tuple(StudentLine(student=one, lines=lines) for one, lines in found if lines)


def _rare_first(rows: Sequence[StudentLine]) -> tuple[StudentLine, ...]:
    """Order rows so that what is said of many alike hides nothing that is said of one."""
    counts = Counter(one.lines for one in rows)
    return tuple(sorted(rows, key=lambda one: counts[one.lines]))
