"""Stage 5, first half: charge one bug once.

A check that fails may only show an error of an earlier question, which is charged there. If that error is a known
misconception, the answer key says what follows from it. For any other error it is tried: the reference borrows the
student's functions of the earlier questions (workers/borrowing.py), and what it then answers is evidence like any other.
Where that was not tried yet, it is said what should be; where it cannot be, a person is asked to look. An error that a
student's code raised is carried too, if the reference raises the very same one, which says in which sizes it stumbled.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from redink.assignment.spec import Question
from redink.checks.language import Check
from redink.grader.answer_key.open_key import OpenKey
from redink.grader.digests import digest
from redink.grader.evidence.evidence import Evidence
from redink.grader.evidence.keys import borrowed_name
from redink.grader.pipeline.judge import Judged
from redink.judging.answers import Answer
from redink.judging.diagnosing import Asked, Belief, is_silent
from redink.judging.feedback import Feedback
from redink.judging.in_place import changed_inputs
from redink.judging.relying import directly_used, fits_its_checks, is_guessable, is_trivial, relies_on, shares_code
from redink.judging.verdicts import judge, same
from redink.records import LentCount
from redink.source import definitions

LENT_ERROR = "LentRaised"  # how the reference's box says that a borrowed function raised an error (box/borrowing.py)
RAISED = "the reference raises the same error with it, and so might an empty function: a person should look"


class Earlier(NamedTuple):
    """What went wrong in the questions that this one uses, nearest first: misconceptions, and all questions charged."""

    misconceptions: tuple[str, ...] = ()
    charged: tuple[str, ...] = ()
    in_place: tuple[str, ...] = ()  # questions charged for a change in place
    sound: bool = True  # they are all right, so that what is wrong here is wrong by itself
    blank: tuple[str, ...] = ()  # they failed and show no mistake: None was returned, or only a name was forbidden
    others: tuple[str, ...] = ()  # questions charged before that this one need not use; a notebook's own code may


class Carried(NamedTuple):
    """A question's checks as they count in the end, and what a worker should still try."""

    feedback: dict[str, Feedback]  # by check id
    untried: dict[str, tuple[str, ...]]  # checks, and what they should borrow
    tangled: bool = False  # the notebook mixes this question with one that is charged: no hint would be safe


def carry(
    key: OpenKey, question: Question, evidence: Evidence, judged: Mapping[str, Judged], earlier: Earlier
) -> Carried:
    """Excuse the checks of a question that only show errors of earlier ones; note where that cannot be told."""
    feedback = {id: one.feedback for id, one in judged.items()}
    for id in _open_checks(judged, feedback):
        beliefs = map(key.belief, earlier.misconceptions)
        belief = next((one for one in beliefs if _follows(key, id, evidence, judged[id], one)), None)
        if belief is not None:
            feedback[id] = _if_it_proves_something(key, question, evidence, judged[id], belief)
    untried = _try_the_rest(key, question, evidence, judged, feedback, earlier)
    if all(one.passed for one in feedback.values()):
        return Carried(feedback, untried)
    tangled = _relied_on_besides(key, question, evidence, earlier.others)
    helped = _helped_besides(key, question, evidence, earlier.others)
    shared = (*tangled, *helped, *_shared_with(key, question, evidence, earlier.charged))
    for id in _open_checks(judged, feedback):
        raised = _raising(key, question, evidence, earlier.charged) if _raised(key, id, evidence, judged[id]) else ()
        if blamed := list(dict.fromkeys((*shared, *raised))):
            code = f"uses code of {' and '.join(blamed)}, whose error may be all that is wrong here"
            feedback[id] = _noted(feedback[id], f"{code}: a person should look")
    return Carried(feedback, untried, bool(tangled))


def _open_checks(judged: Mapping[str, Judged], feedback: Mapping[str, Feedback]) -> list[str]:
    """Return the checks that have failed so far and may still be excused."""
    return [id for id, one in feedback.items() if not (one.passed or judged[id].final)]


def _follows(key: OpenKey, check: str, evidence: Evidence, judged: Judged, belief: Belief) -> bool:
    """Tell whether every failed trial ended as the reference's does with that misconception put in place."""
    for asked, answer in _failed(key, check, evidence, judged):
        wrong = belief.gives.get(asked.id)
        if wrong is None or not _ends_alike(asked, answer, wrong):
            return False
    return True


def _failed(key: OpenKey, check: str, evidence: Evidence, judged: Judged) -> list[tuple[Asked, Answer]]:
    """Return the failed trials of a check, each with its answer."""
    answers = zip(key.asked(check), evidence.answers(check, key.most_parts(check)), strict=True)
    return [(asked, answer) for asked, answer in answers if not judged.passed[asked.id]]


def _ends_alike(asked: Asked, answer: Answer, other: Answer) -> bool:
    """Tell whether the reference, with an earlier error, returned the same as a student, or raised the very same error.

    Of an error that a borrowed function raised, only a digest is known.
    """
    if answer.status != "raised":
        return answer.status == "returned" and same(asked.check, answer, other, asked.inputs)
    if other.status != "raised" or is_silent(answer):
        return False
    return other.error in (answer.error, f"{LENT_ERROR}: {digest(answer.error)}")


def _if_it_proves_something(
    key: OpenKey, question: Question, evidence: Evidence, judged: Judged, belief: Belief
) -> Feedback:
    """Carry a check whose answers follow from an earlier error, unless an empty function may have given them."""
    carried = _carried(judged.feedback, [belief.question])
    failed = [belief.gives[trial].value for trial, passed in judged.passed.items() if not passed]
    if not all(map(is_trivial, failed)):
        return carried
    sources = (cell.source for cell in evidence.sources)
    if not relies_on(sources, question.asks, key.spec.question(belief.question).asks):
        return judged.feedback
    return _noted(carried, "an empty function might have answered so too: a person should look")


def _carried(feedback: Feedback, questions: Sequence[str]) -> Feedback:
    note = f"right, given {_errors(questions)}, which {'are' if questions[1:] else 'is'} charged there"
    return Feedback(outcome="passed", sentence=feedback.sentence, notes=(*feedback.notes, note))


def _errors(questions: Sequence[str]) -> str:
    return f"the error{'s' if questions[1:] else ''} in {' and '.join(questions)}"


# -- errors that no misconception explains -----------------------------------------------------------------------------


def _try_the_rest(
    key: OpenKey,
    question: Question,
    evidence: Evidence,
    judged: Mapping[str, Judged],
    feedback: dict[str, Feedback],
    earlier: Earlier,
) -> dict[str, tuple[str, ...]]:
    """Carry the checks that fail only by errors of earlier questions; return those of which that is not known yet."""
    open_checks = [id for id in _open_checks(judged, feedback) if _may_follow(key, id, evidence, judged[id])]
    if not open_checks:
        return {}
    used = _relied_on(key, question, evidence, (*earlier.charged, *earlier.blank))
    if constant := [one for one in used if _is_constant(key, evidence, one)]:
        for id in open_checks if not _raising(key, question, evidence, constant) else ():
            note = f"not tried with {_errors(constant)}, where all answers are the same: a person should look"
            feedback[id] = _noted(feedback[id], note)
        return {}
    if not (used := tuple(one for one in used if one in earlier.charged)):
        return {}
    untried = {}
    for id in open_checks:
        name = borrowed_name(id, used)
        if name in evidence.digests:
            feedback[id] = _as_tried(key, id, evidence, judged[id], feedback[id], used)
        elif key.key.reference:
            untried[id] = used
            feedback[id] = _noted(
                feedback[id], f"not tried yet with {_errors(used)}: it will be when it is graded again"
            )
        else:
            feedback[id] = _noted(feedback[id], f"not tried with {_errors(used)}: this answer key has no reference")
    return untried


def _may_follow(key: OpenKey, check: str, evidence: Evidence, judged: Judged) -> bool:
    """Tell whether every failed trial returned something or raised an error: anything else follows from nothing."""
    failed = (answer for _, answer in _failed(key, check, evidence, judged))
    return all(answer.status in ("returned", "raised") and not is_silent(answer) for answer in failed)


def _raised(key: OpenKey, check: str, evidence: Evidence, judged: Judged) -> bool:
    """Tell whether a failed trial ended otherwise than by returning something."""
    return any(answer.status != "returned" for _, answer in _failed(key, check, evidence, judged))


def _relied_on(key: OpenKey, question: Question, evidence: Evidence, charged: Sequence[str]) -> tuple[str, ...]:
    """Return the charged questions that this one uses, by its source."""
    sources = [cell.source for cell in evidence.sources] if charged else []
    return tuple(one for one in charged if relies_on(sources, question.asks, key.spec.question(one).asks))


def _is_constant(key: OpenKey, evidence: Evidence, question: str) -> bool:
    """Tell whether a question, or a function of it that failed, always answers one number: as good as unwritten."""
    checks = [key.checks[part.check] for part in key.parts(question)]
    by_function = [
        [one for one in checks if one.about == {name}]
        for name in key.spec.question(question).asks
        if not all(_passed_alone(key, evidence, question, name))
    ]
    return any(some and is_trivial(_returned_values(key, evidence, some)) for some in (checks, *by_function))


def _returned_values(key: OpenKey, evidence: Evidence, checks: Sequence[Check]) -> list[Any]:
    return [
        answer.value
        for check in checks
        for answer in evidence.answers(check.id, key.most_parts(check.id))
        if answer.status == "returned"
    ]


def _as_tried(
    key: OpenKey, check: str, evidence: Evidence, judged: Judged, feedback: Feedback, used: tuple[str, ...]
) -> Feedback:
    """Carry a check on which the reference, having borrowed, answers like the student; say so where it could not answer."""
    lent_answers = evidence.answers(borrowed_name(check, used), key.most_parts(check))
    lent_by_trial = {asked.id: lent for asked, lent in zip(key.asked(check), lent_answers, strict=True)}
    failed = [(asked, answer, lent_by_trial[asked.id]) for asked, answer in _failed(key, check, evidence, judged)]
    if hindered := next((lent for _, _, lent in failed if lent.status == "unreachable"), None):
        return _noted(feedback, f"could not be tried with {_errors(used)} ({hindered.error}): a person should look")
    follows = all(_ends_alike(*one) for one in failed)
    values = [lent.value for _, _, lent in failed if lent.status == "returned"]
    if follows and values and is_guessable(values):
        note = f"follows from {_errors(used)}, but so might the answer of an empty function: a person should look"
        return _noted(feedback, note)
    counts = zip(key.asked(check), evidence.lent_counts(borrowed_name(check, used)), strict=True)
    lent_calls = [one for asked, each in counts if not judged.passed[asked.id] for one in each]
    if follows and (odd := _behaved_otherwise(key, evidence, used, lent_calls)):
        they = "they behaved when they were" if odd[1:] else "it behaved when it was"
        return _noted(feedback, f"follows from {_errors(odd)} only as {they} borrowed: a person should look")
    if not follows:
        return feedback
    carried = _carried(feedback, used)
    return carried if len(values) == len(failed) else _noted(carried, RAISED)


def _behaved_otherwise(key: OpenKey, evidence: Evidence, used: Sequence[str], counts: Iterable[LentCount]) -> list[str]:
    """Return the questions of which a function was right in its own checks and wrong when it was borrowed."""
    calls, agreed = Counter[str](), Counter[str]()
    for one in counts:
        calls[one.name] += one.calls
        agreed[one.name] += one.agreed
    return [
        id
        for id in used
        for asks in [key.spec.question(id).asks]
        if not all(
            fits_its_checks(_passed_alone(key, evidence, id, name), calls[name], agreed[name])
            for name in asks
            if calls[name]
        )
    ]


def _passed_alone(key: OpenKey, evidence: Evidence, question: str, function: str) -> list[bool]:
    """Tell of each check of one function whether it passed by its answers alone, without being excused."""
    checks = [key.checks[part.check] for part in key.parts(question)]
    about = [one for one in checks if function in one.about] if key.spec.question(question).asks[1:] else checks
    return [
        all(
            judge(check, answer, asked.expected, asked.inputs).verdict == "passed" and not changed_inputs(check, answer)
            for asked, answer in zip(
                key.asked(check.id), evidence.answers(check.id, key.most_parts(check.id)), strict=True
            )
        )
        for check in about or checks
    ]


# -- what borrowing cannot try -----------------------------------------------------------------------------------------


def _relied_on_besides(key: OpenKey, question: Question, evidence: Evidence, others: Sequence[str]) -> tuple[str, ...]:
    """Return the charged questions whose functions this notebook uses here though nobody had to: no hint would be safe."""
    sources = [cell.source for cell in evidence.sources] if others else []
    return tuple(one for one in others if relies_on(sources, question.asks, key.spec.question(one).asks))


def _helped_besides(key: OpenKey, question: Question, evidence: Evidence, others: Sequence[str]) -> list[str]:
    """Return the charged questions with which this one shares a helper of the student's own: its error shows twice.

    What the notebook was handed out with is nobody's error, and functions that are asked for have questions of their own.
    """
    if not (others and key.key.reference):
        return []
    sources = [cell.source for cell in evidence.sources]
    known = {one.name for cell in key.key.reference for one in definitions(cell.source)} | set(key.spec.all_asked())
    return [one for one in others if shares_code(sources, question.asks, key.spec.question(one).asks, known)]


def _shared_with(key: OpenKey, question: Question, evidence: Evidence, charged: Sequence[str]) -> list[str]:
    """Return the charged questions with which this notebook shares code in a way that borrowing cannot try.

    What is borrowed stands behind the functions that the *reference* uses here. A notebook that goes another way, by
    another function of the same question or by a helper of both, has its error here too, and nothing shows that.
    """
    if not (charged and key.key.reference):
        return []
    sources = [cell.source for cell in evidence.sources]
    reference = [cell.source for cell in key.key.reference]
    found = []
    for one in charged:
        asks = key.spec.question(one).asks
        if any(shares_code(sources, [name], asks, directly_used(reference, [name], asks)) for name in question.asks):
            found.append(one)
    return found


def _raising(key: OpenKey, question: Question, evidence: Evidence, charged: Sequence[str]) -> list[str]:
    """Return the charged questions that this one relies on and that raised errors themselves: these cannot be borrowed."""
    sources = [cell.source for cell in evidence.sources] if charged else []
    return [
        one
        for one in charged
        if relies_on(sources, question.asks, key.spec.question(one).asks)
        and any(
            answer.status == "raised"
            for part in key.parts(one)
            for answer in evidence.answers(part.check, key.most_parts(part.check))
        )
    ]


def _noted(feedback: Feedback, note: str) -> Feedback:
    return msgspec.structs.replace(feedback, notes=(*feedback.notes, note))
