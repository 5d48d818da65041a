"""The language of checks: given, when, then.

::

    @check("step")
    def updates_on_a_mistake(rng, trial):                      # given: in the grader, from a seed
        '''A wrongly classified example moves w by y·x.'''      # the sentence a student reads
        return dict(w=rng.normal(size=3), x=rng.normal(size=3), y=-1)

    @updates_on_a_mistake.when
    def _(student, w, x, y):                                   # when: in the box; gets only the inputs it names
        return student.perceptron_step(w, x, y)

    @updates_on_a_mistake.then
    def _(seen, expected, x):                                  # then: in the grader, from data alone
        close(seen, expected)

Without a `when`, the asked function is called with the inputs. Without a `then`, the answer must be what the reference
returns. A `view` brings answers into a canonical form first, wherever two of them are compared.
"""

from __future__ import annotations

import ast
import functools
import inspect
import re
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

from redink.checks.describing import IN_RESULT
from redink.checks.shipping import Shipped, ship_call, ship_item, ship_when
from redink.errors import AuthorError
from redink.records import Precision

Function = Callable[..., Any]

_LINES = re.compile(r"^expected (\d+) value(s?), got (\d+)(?=;|$)|^in result\[(\d+)\]: ")


class Fail(Exception):  # noqa: N818 - it is a verdict, not an error
    """Raised by a `then` with the sentence that tells the student what is wrong."""


class Check:
    """One check: how inputs are made, what is called, and how the result is judged."""

    def __init__(
        self, question: str, given: Function, *, kind: Literal["call", "item"], calls: str | None,
        trials: int, weight: float, tol: float, covers: str, about: str = "", returns: str = "", tuples: bool = False,
    ) -> None:  # fmt: skip
        self.id = given.__name__
        self.question = question
        self.sentence = " ".join((inspect.getdoc(given) or "").split())
        self.kind = kind
        self.calls = calls
        self.trials = trials
        self.weight = weight
        self.tol = tol
        self.tuples = tuples
        self.covers = tuple(covers.split())
        self.precision: Precision = "single"  # what its question allows, once that is known
        self.mutates: frozenset[str] = frozenset()  # inputs that are meant to be changed in place, likewise
        self.also_about = frozenset(about.split())
        self.returns = tuple(returns.split())
        self.given_function = given
        self.when_function: Function | None = None
        self.then_function: Function | None = None
        self.view_function: Function | None = None
        self.settings = ""  # what else its judging rests on, where that is not in the source of `then` and `view`

    def when(self, function: Function) -> Check:
        """Say what is called beside the student's code."""
        _refuse_second(self.id, "when", self.when_function)
        self.when_function = function
        return self

    def then(self, function: Function) -> Check:
        """Say how what was seen is judged."""
        _refuse_second(self.id, "then", self.then_function)
        self.then_function = function
        return self

    def view(self, function: Function) -> Check:
        """Say in which canonical form two answers are compared."""
        _refuse_second(self.id, "view", self.view_function)
        self.view_function = function
        return self

    @property
    def about(self) -> frozenset[str]:
        """Name what the check is about: what its `when` uses of the student's, or the item of a concept question."""
        if self.kind == "item":
            return frozenset({self.id})
        if self.when_function is None:
            return self.also_about | {self.calls or self.question}
        return self.also_about | _used_by(self.id, self.when_function)

    def first_of(self, told: Mapping[str, str]) -> str:
        """Return what `told` says about the first function that this check is about; an empty string if nothing."""
        return next((told[name] for name in sorted(self.about) if name in told), "")

    def told(self, message: str) -> str:
        """Write a message with the declared name of the value that it is about: `w` instead of `result[0]`."""
        if self._returns_lines():
            message = _LINES.sub(_told_of_lines, message)
        for place, name in enumerate(self.returns):
            message = message.replace(f"{IN_RESULT}[{place}]", f"in {name}", 1)
        return message

    def _returns_lines(self) -> bool:
        """Tell whether its `when` returns what a call printed, and nothing else."""
        if self.when_function is None:
            return False
        tree = ast.parse(ship_when(self.id, self.when_function).source).body[-1]
        ends = [node.value for node in ast.walk(tree) if isinstance(node, ast.Return)]
        calls = [one.func for one in ends if isinstance(one, ast.Call)]
        return len(calls) == len(ends) and all(isinstance(one, ast.Name) and one.id == "printed" for one in calls)

    def inputs(self, rng: Any, trial: int, reference: Any = None) -> dict[str, Any]:
        """Make the inputs of one trial; `reference` has the functions of the solved master."""
        try:
            made = call_by_name(self.given_function, {"rng": rng, "trial": trial, "reference": reference})
        except AuthorError as error:
            raise AuthorError(f"check {self.id}: its given {error}") from error
        except Exception as error:
            raise AuthorError(f"check {self.id}: its given raised {blamed(error)}, in trial {trial}") from error
        if made is None and self.kind == "item":
            return {}
        if not isinstance(made, dict):
            found = "nothing; dict() says that there are none" if made is None else f"a {type(made).__name__}"
            raise AuthorError(f"check {self.id}: its given must return a dict of inputs, and returned {found}")
        return made

    def shipped(self, asks: tuple[str, ...], inputs: Mapping[str, Any]) -> Shipped:
        """Return the source that runs in the box, and the names of the inputs that are sent with it."""
        if self.when_function is not None:
            return ship_when(self.id, self.when_function)
        target = self.calls or (asks[0] if len(asks) == 1 else None)
        if target is None:
            raise AuthorError(
                f"check {self.id}: question {self.question} asks for {', '.join(asks)}: "
                "say which one with calls=…, or write a when"
            )
        return ship_item(target, self.id) if self.kind == "item" else ship_call(target, tuple(inputs))


def _told_of_lines(found: re.Match[str]) -> str:
    """Say of printed lines what is said of a list."""
    if found[1] is None:
        return f"in line {int(found[4]) + 1}: "
    lines = f"{found[1]} line{found[2] or ''}"
    return f"expected {lines}, got {found[3] if found[3] != '0' else 'none: nothing was printed'}"


def _refuse_second(check: str, part: str, first: Function | None) -> None:
    if first is not None:
        where = f"{Path(first.__code__.co_filename).name}, line {first.__code__.co_firstlineno}"
        raise AuthorError(f"check {check} has a {part} already ({where}); is the second one meant for another check?")


@functools.cache
def _used_by(check: str, when: Function) -> frozenset[str]:
    """Name what a `when` and its helpers use of the student's."""
    return frozenset(
        node.attr
        for node in ast.walk(ast.parse(ship_when(check, when).source))
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "student"
    )


def check(
    question: str, *, trials: int = 3, weight: float = 1.0, tol: float = 1e-8,
    calls: str | None = None, about: str = "", covers: str = "", returns: str = "", tuples: bool = False,
) -> Callable[[Function], Check]:  # fmt: skip
    """Make a check of `question` from the function that makes its inputs.

    It runs on `trials` seeds and passes only if all pass; trial 0 should be tiny, so that a student can read it. `tol` is
    relative to the largest number in the expected array. `covers` names rows of the course inventory. `about` names what the
    check is about besides the functions that it calls: no hint is given while another failure about it is unexplained.
    `returns` names the values of the answer, as in "w mistake", for sentences about one of them. With `tuples`, a tuple is
    no list, in inputs and in answers.
    """
    if callable(question):
        raise AuthorError(f'{getattr(question, "__name__", "a check")}: write @check("question"), not @check alone')

    def make(given: Function) -> Check:
        if given.__name__ == "_":
            raise AuthorError(f"a check of {question} is called _: a check is known by its function's name")
        return Check(
            question, given, kind="call", calls=calls, trials=trials, weight=weight, tol=tol, covers=covers, about=about,
            returns=returns, tuples=tuples,
        )  # fmt: skip

    return make


def concept(question: str, *, weight: float = 1.0, tol: float = 1e-6, covers: str = "") -> Callable[[Function], Check]:
    """Make a check of one concept item: the answer under this function's name, compared with the master's.

    Words are compared without regard to case and surrounding blanks, numbers within `tol`.
    """

    def make(given: Function) -> Check:
        made = Check(question, given, kind="item", calls=None, trials=1, weight=weight, tol=tol, covers=covers)
        return made.view(_plain_answer)

    return make


def _plain_answer(seen: Any) -> Any:
    return seen.strip().casefold() if isinstance(seen, str) else seen


def call_by_name(function: Function, offered: Mapping[str, Any]) -> Any:
    """Call `function` with those of the offered values that its parameters name."""
    names = _parameters(function)
    unknown = [name for name in names if name not in offered]
    if unknown:
        raise AuthorError(f"names {', '.join(unknown)}; it may name {', '.join(offered) or 'nothing'}")
    return function(**{name: offered[name] for name in names})


@functools.cache
def _parameters(function: Function) -> tuple[str, ...]:
    return tuple(inspect.signature(function).parameters)


def blamed(error: BaseException) -> str:
    """Write an author's own exception with the line it came from."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}: {error} ({Path(last.filename).name}, line {last.lineno})"
