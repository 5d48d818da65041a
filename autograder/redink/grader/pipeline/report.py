"""Stage 8: what an instructor looks at: the class, the grades that changed, and the mistakes that nobody has named yet."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from redink.assignment.spec import Spec
from redink.errors import in_one_sentence
from redink.grader.answer_key.key import AnswerKey
from redink.records import Record, Result, Results, SubmissionId
from redink.texts import clean, file_name, look_alikes


class Outcome(Record, frozen=True):
    """What became of one submission: its result, whether nothing had to be done, and the grade it had before."""

    result: Result
    reused: bool
    before: Result | None
    mistakes: dict[str, str]  # by question: names of mistakes that no misconception explains


class MistakeGroup(Record, frozen=True):
    """Students whose wrong answers to one question are equal and match no misconception."""

    question: str
    submissions: tuple[str, ...]
    mistake: str = ""  # the name of the answers, equal for all who share them
    also: tuple[str, ...] = ()  # later questions that use this one, in which the same students are alike too


class GradeChange(Record, frozen=True):
    """A grade that a student had, and the one in its place; None stands for no grade."""

    submission: str
    old: float | None
    new: float | None


class Report(Record, frozen=True):
    """The results of a grading run, which grades it changed, and the groups of unknown mistakes."""

    results: tuple[Result, ...]
    groups: tuple[MistakeGroup, ...]
    changes: tuple[GradeChange, ...] = ()
    reused: int = 0
    told: tuple[str, ...] = ()  # what else an instructor should know
    names: dict[str, str] = msgspec.field(default_factory=dict)  # by the ids of the roster
    doubts: dict[str, str] = msgspec.field(
        default_factory=dict
    )  # what a person should look at, beside what results say

    def file(self) -> Results:
        """Return the content of results.json."""
        return Results(results=self.results)


def report(
    outcomes: Iterable[Outcome],
    told: Sequence[str] = (),
    spec: Spec | None = None,
    names: Mapping[str, str] | None = None,
    doubts: Mapping[str, str] | None = None,
) -> Report:
    """Gather outcomes in the order of their ids, those without a grade among them; one that cannot be shown says so."""
    ordered = sorted(map(_showable, outcomes), key=lambda one: one.result.submission.id)
    return Report(
        results=tuple(one.result for one in ordered),
        groups=mistake_groups({one.result.submission.id: one.mistakes for one in ordered}, spec),
        changes=tuple(change for one in ordered if (change := _change(one)) is not None),
        reused=sum(one.reused for one in ordered),
        told=tuple(told),
        names={one: name for one, name in (names or {}).items() if name},
        doubts=dict(doubts or {}),
    )


def remarks(key: AnswerKey, old: str | None, everybody: Iterable[str]) -> Iterator[str]:
    """Say what the grades rest on where an assignment is old or not written to its end, and whose names look alike."""
    if old:
        yield old
    if not any(part.visibility == "hidden" for part in key.parts):
        yield f"{key.slug} has no hidden checks: students have everything that is checked"
    if not key.misconceptions:
        yield f"{key.slug} has no misconceptions: hints name no mistake that a teacher foresaw"
    yield from look_alikes(everybody)


def _showable(outcome: Outcome) -> Outcome:
    """Return the outcome, or in place of one that cannot be written as JSON, that it cannot: everybody else is shown."""
    try:
        msgspec.json.encode(outcome)
    except Exception as error:  # noqa: BLE001 - whatever it is, it costs this submission alone
        old = outcome.result
        name = SubmissionId(id=file_name(old.submission.id), file=file_name(old.submission.file), sha256="")
        reason = f"its result cannot be shown: {clean(in_one_sentence(error))}"
        blank = msgspec.structs.replace(
            old, submission=name, state="internal_error", reason=reason, questions=(), cells=()
        )
        return Outcome(result=blank, reused=False, before=None, mistakes={})
    return outcome


def _change(outcome: Outcome) -> GradeChange | None:
    old, new = outcome.before, outcome.result
    if outcome.reused or old is None or new.state == "internal_error" or old.score == new.score:
        return None
    return GradeChange(submission=new.submission.id, old=old.score, new=new.score)


def mistake_groups(mistakes: Mapping[str, Mapping[str, str]], spec: Spec | None = None) -> tuple[MistakeGroup, ...]:
    """Gather students by the mistakes that they share, the largest groups first; `mistakes` is by student and question.

    A group is listed once, under the question where it begins: where all its students share a mistake in a question that
    this one uses, by the spec, it says nothing new.
    """
    members: dict[tuple[str, str], list[str]] = defaultdict(list)
    for student, of_student in mistakes.items():
        for question, mistake in of_student.items():
            members[question, mistake].append(student)
    order = [question.id for question in spec.questions] if spec else []
    uses = {question.id: spec.all_used(question) for question in spec.questions} if spec else {}
    begun: list[MistakeGroup] = []
    for question, mistake in sorted(members, key=lambda one: order.index(one[0]) if one[0] in order else len(order)):
        who = members[question, mistake]
        for place, group in enumerate(begun):
            if group.question in uses.get(question, ()) and set(who) <= set(group.submissions):
                begun[place] = msgspec.structs.replace(group, also=tuple(dict.fromkeys((*group.also, question))))
                break
        else:
            begun.append(MistakeGroup(question=question, submissions=tuple(who), mistake=mistake))
    return tuple(sorted(begun, key=lambda group: -len(group.submissions)))
