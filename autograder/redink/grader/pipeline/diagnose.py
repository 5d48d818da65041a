"""Stage 5: name the misconception behind each wrong answer, and charge one bug once."""

from __future__ import annotations

from redink.assignment.spec import Question
from redink.checks import diagnosing
from redink.checks.diagnosing import Misconception, hint_of
from redink.checks.feedback import Feedback
from redink.checks.judging import same
from redink.grader.answer_key.make import Paper
from redink.grader.pipeline.judge import Judged
from redink.grader.pipeline.observe import Seen
from redink.records import Hint, Record


class Diagnosis(Record, frozen=True):
    """All checks as they count in the end, and a hint for each question that has one."""

    told: dict[str, Feedback]  # by check id
    hints: dict[str, Hint]  # by question id


def diagnose(paper: Paper, seen: Seen, judged: dict[str, Judged]) -> Diagnosis:
    """Go through the questions in order, so that an error found early can be carried forward."""
    told = {id: one.told for id, one in judged.items()}
    found: dict[str, Misconception] = {}
    for question in paper.assignment.spec.questions:
        earlier = [found[used] for used in _all_used(paper, question) if used in found]
        failing = [id for id in paper.checks_of(question.id) if not told[id].passed]
        for id in failing:
            for misconception in earlier:
                if _follows(paper, seen, judged[id], misconception):
                    told[id] = _carried(told[id], misconception.question)
                    break
        if any(not told[id].passed for id in failing):
            bank = [one for one in paper.bank if one.question == question.id]
            wrong = {trial for id in failing for trial, passed in judged[id].passed.items() if not passed}
            match = diagnosing.diagnose(paper.of_question(question.id), seen.observations, wrong, bank)
            if match is not None:
                found[question.id] = match
    hints = {id: hint for id, match in found.items() if (hint := hint_of(match)) is not None}
    return Diagnosis(told=told, hints=hints)


def _all_used(paper: Paper, question: Question) -> list[str]:
    """List the questions whose functions this one may call, directly or not, nearest first."""
    used = list(question.uses)
    for id in used:
        used += [further for further in paper.assignment.spec.question(id).uses if further not in used]
    return used


def _follows(paper: Paper, seen: Seen, judged: Judged, misconception: Misconception) -> bool:
    """Tell whether every failed trial gives what the reference gives with that misconception put in place."""
    for id, passed in judged.passed.items():
        if passed:
            continue
        wrong, answer, asked = misconception.gives.get(id), seen.observations[id], paper.asked[id]
        if wrong is None or answer.status != "returned" or not same(asked.check, answer, wrong, asked.inputs):
            return False
    return True


def _carried(told: Feedback, question: str) -> Feedback:
    note = f"right, given the error in {question}, which is charged there"
    return Feedback(outcome="passed", sentence=told.sentence, notes=(*told.notes, note))
