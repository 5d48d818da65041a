"""An answer key in use: its checks loaded, its values decoded, each when it is first needed and then for everybody."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import msgspec

from redink.assignment.load import load_checks
from redink.assignment.spec import Question
from redink.assignment.trials import as_asked
from redink.checks.language import Check
from redink.checks.sizes import measure
from redink.grader.answer_key.key import AnswerKey, Part
from redink.grader.digests import digest, judging_stamp
from redink.judging.answers import read_answer
from redink.judging.diagnosing import Asked, Belief


class OpenKey:
    """What the judge asks of an answer key."""

    def __init__(self, key: AnswerKey, checks: Sequence[Check] | None = None) -> None:
        """Open a key; `checks` where they are loaded already."""
        self.key = key
        self.spec = key.spec
        self._given = checks
        self._asked: dict[str, tuple[Asked, ...]] = {}
        self._most_parts: dict[str, int] = {}
        self._beliefs: dict[str, Belief] = {}
        self._digests: dict[str, str] = {}

    @functools.cached_property
    def checks(self) -> dict[str, Check]:
        """The checks by id, loaded from the source text in the key."""
        loaded = self._given or (
            *load_checks(self.spec, self.key.checks, f"{self.spec.slug}/checks.py"),
            *load_checks(self.spec, self.key.hidden_checks, f"{self.spec.slug}/hidden_checks.py"),
        )
        return {check.id: check for check in loaded}

    def load(self) -> None:
        """Run the source of the checks now, which may import much, and not when the first answer is judged."""
        assert self.checks

    def parts(self, question: str) -> list[Part]:
        """List the parts of a question, public checks first."""
        return [part for part in self.key.parts if part.question == question]

    def asked(self, check: str) -> tuple[Asked, ...]:
        """Return the trials of a check with their inputs and expected values decoded."""
        if check not in self._asked:
            part = self.key.of_check[check]
            self._asked[check] = as_asked(self.checks[check], part.trials, part.expected)
        return self._asked[check]

    def most_parts(self, check: str) -> int:
        """Return how many parts an answer to a check may have to be read at all: more than any that is like a known one."""
        if check not in self._most_parts:
            right = max(measure(one.expected)[0] for one in self.asked(check))
            known = self.key.of_check[check].wrong.values()
            wrong = (len(seen.value) for one in known for seen in one.answers.values())  # a part has a byte at least
            self._most_parts[check] = max([8 * right + 20_000, *wrong])
        return self._most_parts[check]

    def bank(self, question: str) -> list[Belief]:
        """List the misconceptions of a question, with their answers to every trial of the assignment that they change."""
        return [self.belief(one.id) for one in self.key.misconceptions if one.question == question]

    def belief(self, misconception: str) -> Belief:
        """Return one misconception, decoded."""
        if misconception not in self._beliefs:
            hinted = next(one for one in self.key.misconceptions if one.id == misconception)
            gives = {
                trial: read_answer(wrong.answers[trial])
                for part in self.key.parts
                if (wrong := part.wrong.get(misconception)) is not None
                for trial in wrong.differs
            }
            self._beliefs[misconception] = Belief(hinted.id, hinted.question, hinted.hint, gives)
        return self._beliefs[misconception]

    def question_digest(self, question: Question) -> str:
        """Return a digest of what a question's outcome depends on besides the submission: rules, points, values, bank."""
        if question.id not in self._digests:
            parts = [
                (part.check, part.visibility, part.weight, part.judged_by, self.key.expected_digests[part.check])
                for part in self.parts(question.id)
            ]
            near = {question.id, *self.spec.all_used(question)}
            bank = [one for one in self.key.misconceptions if one.question in near]
            wrong = [
                (one.id, part.wrong[one.id].answers, part.wrong[one.id].differs)
                for part in self.parts(question.id)
                for one in bank
                if one.id in part.wrong
            ]
            facts = (question, parts, bank, wrong)
            whole = msgspec.msgpack.encode(facts, order="deterministic")
            self._digests[question.id] = digest(judging_stamp(), whole)
        return self._digests[question.id]
