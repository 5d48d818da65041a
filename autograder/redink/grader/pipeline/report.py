"""Stage 8: what an instructor looks at: the class, and the mistakes that nobody has named yet."""

from __future__ import annotations

from collections.abc import Sequence

from redink.checks.diagnosing import is_silent
from redink.checks.judging import same
from redink.grader.answer_key.make import Paper
from redink.grader.pipeline.observe import Observer
from redink.grader.pipeline.record import recorded_submission
from redink.grader.store.gradebook import Gradebook
from redink.records import Observation, Record, Result, Results


class Group(Record, frozen=True):
    """Students whose wrong answers to one question are equal and match no misconception."""

    question: str
    submissions: tuple[str, ...]


class Report(Record, frozen=True):
    """The results of a grading run and the groups of unknown mistakes."""

    results: tuple[Result, ...]
    groups: tuple[Group, ...]

    def file(self) -> Results:
        """Give the content of results.json."""
        return Results(results=self.results)


def report(paper: Paper, results: Sequence[Result], book: Gradebook, observer: Observer) -> Report:
    """Gather results in the order of their ids, those without a grade among them."""
    ordered = tuple(sorted(results, key=lambda result: result.submission.id))
    return Report(results=ordered, groups=_groups(paper, ordered, book, observer))


def _groups(paper: Paper, results: Sequence[Result], book: Gradebook, observer: Observer) -> tuple[Group, ...]:
    groups: list[tuple[str, dict[str, Observation], list[str]]] = []
    for result in results:
        for question in result.questions:
            if question.score == question.max_score or question.hint is not None:
                continue
            answers = _answers(paper, result, question.id, book, observer)
            if all(is_silent(answer) for answer in answers.values()) or _is_right(paper, answers):
                continue
            for known, example, members in groups:
                if known == question.id and _equal(paper, example, answers):
                    members.append(result.submission.id)
                    break
            else:
                groups.append((question.id, answers, [result.submission.id]))
    ordered = sorted(groups, key=lambda group: -len(group[2]))
    return tuple(Group(question=question, submissions=tuple(members)) for question, _, members in ordered)


def _answers(
    paper: Paper, result: Result, question: str, book: Gradebook, observer: Observer
) -> dict[str, Observation]:
    submission = recorded_submission(paper, result.submission.id, book)
    seen = submission and observer.known(submission.cells, paper.requests)
    if not seen:
        return {}
    return {trial.id: seen.observations[trial.id] for trial in paper.of_question(question)}


def _is_right(paper: Paper, answers: dict[str, Observation]) -> bool:
    """Tell whether only the way was wrong: the question forbids what was used, and said so."""
    return _equal(paper, {id: paper.expected[id] for id in answers}, answers)


def _equal(paper: Paper, one: dict[str, Observation], other: dict[str, Observation]) -> bool:
    return one.keys() == other.keys() and all(
        same(paper.asked[id].check, other[id], one[id], paper.asked[id].inputs) for id in one
    )
