"""What public and hidden checks share: it travels with a `when`, and no verdict rests on it."""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np
import pytest

from redink.checks import check, printed, raised
from redink.checks.shipping import STAND_INS, ship_when
from redink.checks.stand_ins import attention, bend, block, curve, curved, slope_of
from redink.grader.assignment.assignment import read_assignment
from redink.grader.course import Course
from redink.records import Request
from redink.student.calling import observe
from redink.wire import decode, encode

COURSE = Course.find(Path(__file__).parents[1])


def modules_of(function: Any, seen: set[Any]) -> Iterator[str]:
    """Name the modules of a function and of all functions that its names lead to."""
    if isinstance(function, FunctionType) and function not in seen:
        seen.add(function)
        yield function.__module__
        for name in function.__code__.co_names:
            yield from modules_of(function.__globals__.get(name), seen)


@pytest.mark.parametrize("slug", COURSE.slugs())
def test_no_verdict_rests_on_a_stand_in(slug):
    for one in read_assignment(COURSE, slug).checks:
        for function in (one.then_function, one.view_function):
            assert STAND_INS not in modules_of(function, set()), one.id


def run(when, *inputs):
    torch = pytest.importorskip("torch")
    scope = {"np": np, "torch": torch}
    exec(ship_when("c", when).source, scope)
    return scope["when"](None, *(torch.tensor(one) for one in inputs))


def test_a_block_adds_what_attention_finds():
    def both(student, x, mask):
        return block(0.1)(x, mask), x + attention(scale=0.1)(x, x, mask)

    mask = np.tril(np.ones((3, 3), dtype=bool))
    found, wanted = run(both, np.random.default_rng(0).normal(size=(2, 3, 4)), mask)
    assert np.array_equal(found, wanted)


def test_attention_hides_what_is_masked_and_has_a_size():
    def sizes(student, x, memory, mask):
        return attention()(x, memory, mask), attention(size=-0.5)(x, memory, mask)

    rng = np.random.default_rng(1)
    memory = rng.normal(size=(3, 4))
    whole, half = run(sizes, rng.normal(size=(2, 4)), memory, np.array([[True, False, False]]))
    assert np.allclose(whole, 0.8 * np.roll(memory[:1], 1, axis=-1))
    assert np.array_equal(half, -0.5 * whole)


def test_the_slope_is_that_of_the_curve():
    made = curved(np.random.default_rng(2), (2, 3))
    x = made.pop("x")
    step = 1e-6 * np.eye(x.size).reshape(-1, *x.shape)
    f = curve(**made)
    slopes = [(f(x + one) - f(x - one)) / 2e-6 for one in step]
    assert np.allclose(np.reshape(slopes, x.shape), slope_of(**made, x=x), atol=1e-7)


@pytest.mark.parametrize("name", ["double", "square", "wave", "arctan"])
def test_the_slope_of_a_bend_is_its_own(name):
    Z, h = np.array([[-1.2, 0.3, 2.0]]), 1e-6
    values, slopes = bend(name)(Z)
    assert np.allclose(slopes, (bend(name)(Z + h)[0] - bend(name)(Z - h)[0]) / (2 * h), atol=1e-6)
    assert values.shape == slopes.shape == Z.shape


def test_what_ships_with_the_mlp_shows_no_activation_that_is_asked_for():
    for one in read_assignment(COURSE, "mlp").public:
        shipped = ship_when(one.id, one.when_function).source if one.when_function else ""
        assert not re.search(r"np\.(tanh|heaviside|maximum|clip|ones_like)", shipped), one.id


# -- what was printed, what was raised ---------------------------------------------------------------------------------


class TooSmall(ValueError):
    pass


def fails_with(error: BaseException) -> None:
    raise error


@pytest.mark.parametrize(
    ("text", "lines"),
    [("", []), ("\n", []), ("a", ["a"]), ("a \nb\n\n", ["a", "b"]), ("\n  a\n\nb", ["", "  a", "", "b"])],
)
def test_what_is_printed_comes_in_lines(text, lines):
    assert printed(print, text, end="") == lines


def test_what_a_function_prints_before_it_fails_is_not_an_answer(capsys):
    with pytest.raises(ZeroDivisionError):
        printed(lambda: sys.stdout.write("before") / 0)
    assert capsys.readouterr().out == ""


def test_what_is_printed_to_a_stream_that_was_bound_before_counts_too(capsys):
    say = functools.partial(print, file=sys.stdout)

    def speak(out=sys.stdout):
        say("a")
        print("b", file=out, flush=True)
        return printed(print, "within")

    assert printed(speak) == ["a", "b"]
    assert printed(lambda: say(speak())) == ["a", "b", "['within']"]
    assert capsys.readouterr().out == ""
    say("after")
    assert capsys.readouterr().out == "after\n"


def test_only_an_exception_of_the_kind_counts_as_raised():
    assert raised(ValueError, fails_with, ValueError("x")) == {"raises": "ValueError"}
    assert raised(ValueError, fails_with, TooSmall()) == {"raises": "ValueError"}
    assert raised(ValueError, float, "1.5") == {"returns": 1.5}
    assert raised(ValueError, lambda: {"raises": "ValueError"}) == {"returns": {"raises": "ValueError"}}
    own = type("ValueError", (Exception,), {})
    for error in (TypeError(), own(), NotImplementedError(), KeyboardInterrupt()):
        with pytest.raises(type(error)):
            raised(ValueError, fails_with, error)
    with pytest.raises(NotImplementedError):  # what is not written yet raises no RuntimeError that was asked for
        raised(RuntimeError, fails_with, NotImplementedError())


def test_both_travel_with_a_when():
    @check("q")
    def given():
        """Something."""
        return {}

    @given.when
    def _(student):
        return printed(student.speak), raised(ValueError, student.fail)

    source = given.shipped(("speak",), {}).source
    request = Request(id="q/p0", when=source, inputs=encode({}))
    seen = observe(request, {"speak": lambda: sys.stdout.write("hello \n"), "fail": lambda: fails_with(TooSmall())}, 10)
    assert (seen.status, decode(seen.value)) == ("returned", [["hello"], {"raises": "ValueError"}])
    assert observe(request, {"speak": lambda: None}, 10).status == "missing"
