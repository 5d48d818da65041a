"""An assignment in a student's folder, and its public checks run on the names of a notebook."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from redink.assignment.hidden import HiddenTests
from redink.assignment.load import load_checks, read_source
from redink.assignment.published import Published
from redink.assignment.spec import Question, Spec, read_spec
from redink.assignment.trials import as_asked, make_requests
from redink.calling import decode_inputs
from redink.checks.language import Check
from redink.errors import CourseError
from redink.judging.answers import Answer, read_answer
from redink.judging.diagnosing import Asked, read_belief
from redink.judging.explaining import find_hint
from redink.judging.feedback import Feedback, forbidden_feedback, give_feedback
from redink.judging.forbidding import Source, breaches
from redink.judging.in_place import Changes, Looked, find_changes, first_changed, settle
from redink.judging.relying import relies_on
from redink.judging.verdicts import judge
from redink.records import NOT_WRITTEN, Hint, Observation, Record, Trial, Verdict, Visibility
from redink.student.calling import call, observe
from redink.suggesting import did_you_mean, unknown_name

NOT_RUN = "not run yet"
_UNDEFINED = re.compile(r"NameError: name '(\w+)' is not defined.*")
SLOWER = 5  # a laptop gets this many times the grader's CPU limit, in seconds


class QuestionReport(Record, frozen=True):
    """The checks of one question, as a student reads them: the public ones and, in another tool's tests, the hidden ones."""

    question: Question
    feedback: tuple[Feedback, ...]
    checks: tuple[str, ...]
    hint: Hint | None
    informing: tuple[str, ...] = ()  # checks that carry no points, beside others that do
    fix_first: tuple[str, ...] = ()  # earlier questions that this one uses and that do not pass their own checks
    in_place: str | None = None  # the check that is charged for an input that was changed in place
    hidden: int | None = None  # how many checks more it has when it is graded, where that is known
    weights: dict[str, float] = msgspec.field(default_factory=dict)  # by check

    @property
    def counted(self) -> tuple[Feedback, ...]:
        """The checks that carry points."""
        return tuple(one for id, one in zip(self.checks, self.feedback, strict=True) if id not in self.informing)

    @property
    def done(self) -> int:
        """How many of the checks that carry points passed."""
        return sum(one.passed for one in self.counted)

    @property
    def passed(self) -> bool:
        """Whether every check that carries points passed."""
        return self.done == len(self.counted)

    @property
    def graded_later(self) -> bool:
        """Whether no public check tells anything of its points."""
        return not any(self.weights.values())

    @property
    def waits(self) -> str:
        """What nobody did yet where there is nothing to tell of its checks: it is not written, or its cells did not run."""
        if not self.feedback or any(one.outcome != "not_run" for one in self.feedback):
            return ""
        written = any(one.fault.lower() != f"{NOT_WRITTEN}." for one in self.feedback)
        return NOT_RUN if written else NOT_WRITTEN


class Replay(NamedTuple):
    """One published trial, run again: what was given, what is expected, and what the student's code returned."""

    inputs: dict[str, Any]
    expected: Any  # None where the check accepts many answers
    got: Any
    changed: dict[str, Any]  # inputs that the call changed in place, as they are after it


class Work(NamedTuple):
    """What a student has: the names that the notebook defines, and the sources of its cells as they ran."""

    names: Mapping[str, Any]
    sources: Sequence[str] = ()


class Tried(NamedTuple):
    """One published trial, run in the student's own process."""

    trial: Trial
    asked: Asked
    seen: Answer
    verdict: Verdict

    @property
    def row(self) -> tuple[Trial, Answer, Any, Verdict]:
        """What `give_feedback` sums up."""
        return self.trial, self.seen, self.asked.expected, self.verdict


class Homework:
    """One assignment as it was handed out."""

    def __init__(self, folder: Path) -> None:
        self.spec: Spec = read_spec(folder)
        self.checks: tuple[Check, ...] = load_checks(
            self.spec, read_source(folder / "checks.py"), str(folder / "checks.py")
        )
        self.published = _read_published(folder / "published.json")
        self.hidden: HiddenTests | None = None
        self._hidden_checks: tuple[Check, ...] = ()

    def with_hidden(self, hidden: HiddenTests) -> Homework:
        """Return the same assignment with what is hidden of one question."""
        known = copy.copy(self)
        known.hidden = hidden
        every = load_checks(self.spec, hidden.checks, "hidden_checks.py")
        known._hidden_checks = tuple(check for check in every if check.question == hidden.question)
        return known

    @classmethod
    def find(cls, start: Path | None = None) -> Homework:
        """Find the assignment of the current folder."""
        start = (start or Path.cwd()).resolve()
        for folder in (start, *start.parents[:2]):
            if (folder / "assignment.toml").is_file() and (folder / "checks.py").is_file():
                return cls(folder)
        raise CourseError(
            f"no assignment.toml in {start}: open the notebook from the folder it came in, with checks.py beside it "
            "(in Colab: upload the zip and run its first cell), or begin again with `redink start SLUG` "
            "(`redink list` says which there are)"
        )

    def question(self, id: str) -> Question:
        """Find the question that a student names; a typo gets a suggestion."""
        for question in self.spec.questions:
            if question.id == id:
                return question
        for question in self.spec.questions:
            if id in question.asks:
                raise CourseError(f"{id} is a function; the question that asks for it is {question.id}")
        raise unknown_name("question", id, (question.id for question in self.spec.questions))

    def checks_of(self, id: str) -> list[Check]:
        """List the checks of a question: the public ones, and the hidden ones if they are known."""
        return [check for check in (*self.checks, *self._hidden_checks) if check.question == id]

    def report(self, id: str, work: Work) -> QuestionReport:
        """Run the checks of one question: the public ones, and what is hidden if that is known."""
        question = self.question(id)
        checks = self.checks_of(id)
        forbidden = breaches([*map(Source, work.sources)], question.asks, question.forbids)
        tried = {check.id: self._try(check, question, work.names) for check in checks}
        looked = [_look(check, self._visibility(check), tried[check.id], forbidden) for check in checks]
        charged = first_changed(looked)
        earlier = self._charged_earlier(question, work) if charged else None
        mine = work.names.keys() - self.spec.all_asked()
        feedback = {id: _suggesting(one, mine) for id, one in settle(looked, charged, earlier).items()}
        rows = [one for check in checks for one in tried[check.id] if one.trial.published]  # what hints are known for
        failing = {one.asked.id for one in rows if one.verdict.verdict != "passed"}
        seen = {one.asked.id: one.seen for one in rows}
        bank = [read_belief(one) for one in self.published.misconceptions if one.question == id]
        unfinished = self._unfinished(question, work) if failing else ()
        asked = [one.asked for one in rows]
        hint = find_hint(asked, seen, failing, bank, sound=not unfinished) if failing or charged else None
        return QuestionReport(
            question=question,
            feedback=tuple(feedback.values()),
            checks=tuple(tried),
            hint=hint,
            informing=tuple(check.id for check in checks if check.weight == 0 and any(one.weight for one in checks)),
            fix_first=unfinished,
            in_place=None if earlier else charged,
            hidden=self.published.hidden.get(id) if self.hidden is None else None,
            weights={check.id: check.weight for check in checks},
        )

    def _unfinished(self, question: Question, work: Work) -> tuple[str, ...]:
        """Return the questions that this one uses and that do not pass yet: an error there shows here too."""
        reports = [self.report(used, work) for used in question.uses]
        return tuple(report.question.id for report in reports if not report.passed)

    def _charged_earlier(self, question: Question, work: Work) -> str | None:
        """Find the question that pays for a change in place already: one that the notebook's code relies on here."""
        for used in self.spec.all_used(question):
            if relies_on(work.sources, question.asks, self.question(used).asks) and self.report(used, work).in_place:
                return used
        return None

    def replay(self, id: str, number: int, names: Mapping[str, Any]) -> Replay:
        """Run one published trial again: its inputs, what is expected and what it returns; or raise what it raises."""
        check = next((check for check in self.checks if check.id == id), None)
        if check is None:
            raise unknown_name("public check", id, (one.id for one in self.checks))
        if not 0 <= number < check.trials:
            raise CourseError(f"check {id} has published trials 0 to {check.trials - 1}")
        trial = self._trials(check)[number]
        (request,) = make_requests(check, [trial], self.spec.question(check.question).asks)
        answer = self.published.expected.get(trial.id)
        one_right_answer = answer and not (check.then_function or check.view_function)
        got, changed = call(request, names)
        return Replay(
            inputs=decode_inputs(trial.inputs),
            expected=decode_inputs(answer.value) if answer and one_right_answer else None,
            got=got,
            changed={name: value for name, value in changed.items() if name not in check.mutates},
        )

    def _try(self, check: Check, question: Question, names: Mapping[str, Any]) -> list[Tried]:
        """Run the trials of a check, until one runs out of time."""
        trials = self._trials(check) if check in self.checks else []
        if lacking := [trial.id for trial in trials if trial.id not in self.published.expected]:
            raise CourseError(f"published.json has no value for {lacking[0]}: it is older than checks.py; get it again")
        expected: dict[str, Observation] = self.published.expected
        if self.hidden is not None:
            trials += [trial for trial in self.hidden.trials if trial.check == check.id]
            expected = expected | self.hidden.expected
        tried: list[Tried] = []
        asked = as_asked(check, trials, [expected[trial.id] for trial in trials])
        seconds = SLOWER * self.spec.limits.check_cpu
        for trial, one, request in zip(trials, asked, make_requests(check, trials, question.asks), strict=True):
            seen = self._without_undefined(read_answer(observe(request, names, seconds)), names)
            tried.append(Tried(trial, one, seen, judge(check, seen, one.expected, one.inputs)))
            if seen.status == "timeout":
                break  # the next inputs would take as long
        return tried

    def _without_undefined(self, seen: Answer, names: Mapping[str, Any]) -> Answer:
        """Read an error about a function of the notebook that is not defined as what it is: its cell did not run."""
        found = _UNDEFINED.fullmatch(seen.error) if seen.status == "raised" else None
        if found is None or found[1] in names or found[1] not in self.spec.all_asked():
            return seen
        return read_answer(Observation(status="missing", error=found[1]))

    def _visibility(self, check: Check) -> Visibility:
        return "public" if check in self.checks else "hidden"

    def _trials(self, check: Check) -> list[Trial]:
        found = [trial for trial in self.published.trials if trial.check == check.id]
        if len(found) != check.trials:  # no trial would fail, and everything would seem right
            raise CourseError(f"published.json lacks inputs of {check.id}: it is older than checks.py; get it again")
        return found


def _look(check: Check, visibility: Visibility, tried: Sequence[Tried], forbidden: Mapping[str, str]) -> Looked:
    """Judge one check by its answers, and see which inputs it changed; a forbidden name has cost it already."""
    if breach := check.first_of(forbidden):
        return Looked(check.id, visibility, check.weight, forbidden_feedback(check, breach), Changes())
    changes = find_changes(check, visibility, ((one.trial, one.seen) for one in tried))
    feedback = give_feedback(check, visibility, [one.row for one in tried])
    return Looked(check.id, visibility, check.weight, feedback, changes)


def _suggesting(feedback: Feedback, names: Iterable[str]) -> Feedback:
    """Say beside a name that is not defined what may have happened: another spelling, or a cell that did not run."""
    name = feedback.fault.removesuffix(" is not defined.")
    if feedback.outcome != "not_run" or name == feedback.fault:
        return feedback
    near = did_you_mean(name, (one for one in names if not one.startswith("_")))
    why = f"; {near}" if near else ": its cell did not run, or stopped with an error."
    return msgspec.structs.replace(feedback, fault=f"{name} is not defined{why}")


def _read_published(path: Path) -> Published:
    try:
        return msgspec.json.decode(path.read_bytes(), type=Published)
    except FileNotFoundError:
        raise CourseError(f"{path} is missing: this folder is not as it was handed out; get it again") from None
    except msgspec.MsgspecError as error:
        raise CourseError(f"{path} is damaged ({error}); get the folder again") from error
