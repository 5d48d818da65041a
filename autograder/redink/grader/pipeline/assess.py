"""Judge → diagnose → score, for one submission: the one way from what was seen to points.

Grading, re-judging and verifying all use it. It is a pure function of the answer key and the evidence. A question whose
basis (rules, expected values, observations, earlier misconceptions and changes in place) is the one of an earlier
assessment keeps its outcome, and so does one of which something has not been seen.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from redink.assignment.spec import Question
from redink.grader.answer_key.open_key import OpenKey
from redink.grader.budget import OVERRUN, UNLIMITED, Budget
from redink.grader.digests import digest
from redink.grader.evidence.evidence import Evidence
from redink.grader.evidence.keys import borrowed_name
from redink.grader.pipeline.carry import Earlier
from redink.grader.pipeline.diagnose import Diagnosis, diagnose
from redink.grader.pipeline.judge import Judged, Memory, judge
from redink.grader.pipeline.score import score, total
from redink.records import Assessment, CheckResult, QuestionResult


def assess(
    key: OpenKey,
    evidence: Evidence,
    memory: Memory,
    before: Assessment | None = None,
    budget: Budget = UNLIMITED,
) -> Assessment:
    """Judge, diagnose and score all questions, in order, so that an error found early can be carried forward."""
    earlier = {} if before is None else {one.id: one for one in before.questions}
    results: dict[str, QuestionResult] = {}
    bases: dict[str, str] = {}
    mistakes: dict[str, str] = {}
    untried: dict[str, tuple[str, ...]] = {}
    charged: set[str] = set()  # without those of which something is untried: that may turn out to be no error of theirs
    for question in key.spec.questions:
        found = _errors(key, question, results, charged)
        unseen = before is not None and _is_unseen(key, question, evidence)
        if before is not None and unseen:
            basis = before.bases.get(question.id, "")
        else:
            basis = _basis(key, question, evidence, found)
        kept = earlier.get(question.id)
        same = before is not None and before.bases.get(question.id, "") == basis
        waits = False
        if before is not None and kept is not None and same and (unseen or not _may_be_tried(key, kept, found)):
            results[question.id] = kept
            mistake = before.mistakes.get(question.id, "")
        else:
            judged = judge(key, question, evidence, memory, budget, found.in_place)
            diagnosis = _diagnose(key, question, evidence, judged.checks, found, budget)
            results[question.id] = score(key, question, diagnosis, judged.in_place)
            mistake = diagnosis.mistake
            untried |= diagnosis.untried
            waits = bool(diagnosis.untried)
        bases[question.id] = basis
        if mistake:
            mistakes[question.id] = mistake
        if not waits and (mistake or results[question.id].hint is not None or results[question.id].in_place):
            charged.add(question.id)
    questions = tuple(results.values())
    return Assessment(
        score=total(key.spec, questions), questions=questions, bases=bases, mistakes=mistakes, untried=untried
    )


def _diagnose(
    key: OpenKey,
    question: Question,
    evidence: Evidence,
    judged: Mapping[str, Judged],
    found: Earlier,
    budget: Budget,
) -> Diagnosis:
    """Diagnose a question; answers that cost more to compare than they may have no hint."""
    try:
        with budget.step():
            return diagnose(key, question, evidence, judged, found)
    except OVERRUN:
        return Diagnosis(feedback={id: one.feedback for id, one in judged.items()})


def _errors(
    key: OpenKey, question: Question, results: Mapping[str, QuestionResult], charged: Collection[str]
) -> Earlier:
    """Name what went wrong in the questions that this one uses, nearest first."""
    used = key.spec.all_used(question)
    hints = (results[one].hint for one in used)
    return Earlier(
        misconceptions=tuple(hint.misconception for hint in hints if hint is not None and hint.misconception),
        charged=tuple(one for one in used if one in charged),
        in_place=tuple(one for one in used if results[one].in_place),
        sound=all(results[one].score == results[one].max_score for one in used),
        blank=tuple(one for one in used if one not in charged and any(map(_answered_wrong, results[one].checks))),
        others=tuple(one for one in results if one in charged and one not in used),
    )


def _answered_wrong(check: CheckResult) -> bool:
    return check.verdict == "failed" and check.max_score > 0


def _may_be_tried(key: OpenKey, kept: QuestionResult, found: Earlier) -> bool:
    """Tell whether an earlier outcome may lack something that can be tried now."""
    return bool(found.charged and key.key.reference) and kept.score < kept.max_score


def _is_unseen(key: OpenKey, question: Question, evidence: Evidence) -> bool:
    """Tell whether some check of a question has seen nothing; its outcome is then the earlier one."""
    return any(part.check not in evidence.digests for part in key.parts(question.id))


def _basis(key: OpenKey, question: Question, evidence: Evidence, found: Earlier) -> str:
    seen = (evidence.digests[part.check] for part in key.parts(question.id))
    uses_others = found.charged or found.in_place or found.others or found.blank
    reads_source = bool(question.forbids or uses_others)  # for forbidden names, and for what uses an earlier function
    searched = digest(evidence.sources_digest, *sorted(key.spec.all_asked())) if reads_source else ""
    earlier = "sound" if found.sound else "unsound"
    facts = [key.question_digest(question), searched, evidence.failures, earlier, *seen, *found.misconceptions]
    facts += ["changed in place", *found.in_place, "charged besides", *found.others]
    facts += ["blank", *found.blank] if found.blank else []
    return digest(*facts, *_tried(key, question, evidence, found)) if found.charged or found.blank else digest(*facts)


def _tried(key: OpenKey, question: Question, evidence: Evidence, found: Earlier) -> Iterator[str]:
    """List what the outcome of a question depends on besides, where an earlier one was charged."""
    yield from ("charged", *found.charged, str(bool(key.key.reference)))
    earlier = (*found.charged, *found.blank)
    yield from (key.question_digest(key.spec.question(one)) for one in earlier)
    for part in (part for one in earlier for part in key.parts(one)):
        yield evidence.digests.get(part.check, "")
    for part in key.parts(question.id):
        for name in sorted(evidence.digests):
            if name.startswith(borrowed_name(part.check, ())):
                yield from (name, evidence.digests[name])
