"""Mistakes that several students share and no misconception explains: each group once, with one example."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from redink.grader.pages.messages import ToldCheck, read_message
from redink.grader.pipeline.report import MistakeGroup
from redink.records import CheckResult, QuestionResult, Record, Result


class UnknownMistake(Record, frozen=True):
    """Students who share wrong answers, the question in which that begins, and what the first failing check says."""

    question: str
    title: str
    students: tuple[str, ...]
    check: str
    told: ToldCheck
    also: tuple[str, ...] = ()  # later questions in which the same students are wrong alike


def unknown_mistakes(
    groups: Sequence[MistakeGroup], results: Mapping[str, Result], blank: Mapping[str, frozenset[str]]
) -> tuple[UnknownMistake, ...]:
    """List the mistakes of two or more, the most frequent first; who left a question blank made no mistake in it."""
    found: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for group in groups:
        members = tuple(
            sorted(
                one for one in group.submissions if one in results and group.question not in blank.get(one, frozenset())
            )
        )
        if len(members) > 1:
            found[members] += [group.question, *group.also]
    made = [_described(members, questions, results[members[0]]) for members, questions in found.items()]
    return tuple(sorted(made, key=lambda one: (-len(one.students), one.question, one.students)))


def _described(members: tuple[str, ...], questions: Sequence[str], example: Result) -> UnknownMistake:
    in_order = [one for one in example.questions if one.id in questions]
    first = in_order[0]
    check = _telling(first)
    return UnknownMistake(
        question=first.id,
        title=first.title,
        students=members,
        check=check.id if check else "",
        told=read_message(check.message) if check else ToldCheck(sentence=""),
        also=tuple(one.id for one in in_order[1:]),
    )


def _telling(question: QuestionResult) -> CheckResult | None:
    """Choose the first failing check, rather one that shows what was returned."""
    failing = [one for one in question.checks if one.verdict != "passed"]
    return next((one for one in failing if "\n  got:      " in one.message), failing[0] if failing else None)
