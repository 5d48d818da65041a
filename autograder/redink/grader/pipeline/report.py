"""Stage 8: what an instructor looks at: the class, the grades that changed, and the mistakes that nobody has named yet."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from redink.errors import in_one_sentence
from redink.records import Record, Result, Results, SubmissionId
from redink.texts import clean, file_name


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

    def file(self) -> Results:
        """Return the content of results.json."""
        return Results(results=self.results)


def report(outcomes: Iterable[Outcome], told: Sequence[str] = ()) -> Report:
    """Gather outcomes in the order of their ids, those without a grade among them; one that cannot be shown says so."""
    ordered = sorted(map(_showable, outcomes), key=lambda one: one.result.submission.id)
    return Report(
        results=tuple(one.result for one in ordered),
        groups=mistake_groups({one.result.submission.id: one.mistakes for one in ordered}),
        changes=tuple(change for one in ordered if (change := _change(one)) is not None),
        reused=sum(one.reused for one in ordered),
        told=tuple(told),
    )


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


def mistake_groups(mistakes: Mapping[str, Mapping[str, str]]) -> tuple[MistakeGroup, ...]:
    """Gather students by the mistakes that they share, the largest groups first; `mistakes` is by student and question."""
    members: dict[tuple[str, str], list[str]] = defaultdict(list)
    for student, of_student in mistakes.items():
        for question, mistake in of_student.items():
            members[question, mistake].append(student)
    found = [MistakeGroup(question=question, submissions=tuple(who)) for (question, _), who in members.items()]
    return tuple(sorted(found, key=lambda group: -len(group.submissions)))
