"""Naming the misconception behind a wrong answer."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from redink.checks import check
from redink.judging.answers import Answer, read_answer
from redink.judging.diagnosing import Asked, Belief, diagnose, hint_of, is_silent
from redink.judging.verdicts import same
from redink.records import Observation
from redink.wire import encode


@check("q")
def adds():
    """Adds."""


@check("q")
def sorts():
    """Sorts."""


@sorts.view
def _(seen):
    return sorted(seen)


ASKED = [Asked(id=f"adds/p{n}", check=adds, inputs={}, expected=float(n)) for n in range(3)]


def answer(**how):
    return read_answer(Observation(**how))


def returned(value):
    return answer(status="returned", value=encode(value))


def raised(error):
    return answer(status="raised", error=error)


def answers(*values):
    return {f"adds/p{n}": value if isinstance(value, Answer) else returned(value) for n, value in enumerate(values)}


def belief(id, **gives):
    values = {
        f"adds/{trial}": value if isinstance(value, Answer) else returned(value) for trial, value in gives.items()
    }
    return Belief(id, "q", f"Think of {id}.", values)


DOUBLES = belief("doubles", p1=2.0, p2=4.0)
LAST = belief("only_the_last_is_off", p2=4.0)


def named(seen, *bank, asked=ASKED):
    right = {trial.id: returned(trial.expected) for trial in asked}
    failing = [
        trial.id for trial in asked if trial.id in seen and not same(trial.check, seen[trial.id], right[trial.id], {})
    ]
    found = diagnose(asked, seen, failing, bank)
    return found.id if found else None


def test_what_a_misconception_gives_is_named():
    assert named(answers(0.0, 2.0, 4.0), DOUBLES) == "doubles"
    assert named(answers(0.0, np.float32(2.0), [4.0][0] + 1e-9), DOUBLES) == "doubles"


def test_a_trial_that_shows_something_else_contradicts():
    assert named(answers(0.0, 2.0, 5.0), DOUBLES) is None
    assert named(answers(0.0, 1.0, 4.0), DOUBLES) is None


def test_a_failure_that_it_does_not_explain_contradicts():
    assert named(answers(17.0, 2.0, 4.0), DOUBLES) is None


@check("q", calls="other")
def subtracts():
    """Subtracts."""


def test_a_failure_of_another_function_says_nothing():
    asked = [*ASKED, Asked(id="subtracts/p0", check=subtracts, inputs={}, expected=1.0)]
    seen = answers(0.0, 2.0, 4.0) | {"subtracts/p0": returned(17.0)}
    assert named(seen, DOUBLES, asked=asked) == "doubles"


def test_of_several_matches_the_one_that_explains_most_is_told():
    assert named(answers(0.0, 2.0, 4.0), LAST, DOUBLES) == "doubles"
    assert named(answers(0.0, 2.0, 4.0), DOUBLES, LAST) == "doubles"


def test_of_two_that_explain_as_much_the_first_is_told():
    assert named(answers(0.0, 1.0, 4.0), belief("a", p2=4.0), belief("b", p2=4.0)) == "a"


def test_a_right_answer_draws_none():
    assert named(answers(0.0, 1.0, 2.0), DOUBLES, LAST) is None


def test_right_numbers_do_not_show_a_misconception_that_returns_booleans():
    booleans = belief("returns_booleans", p0=False, p1=True)
    assert named(answers(False, True, 2.0), booleans) == "returns_booleans"
    seen = {f"adds/p{n}": returned(float(n)) for n in range(2)}
    assert diagnose(ASKED[:2], seen, [], [booleans]) is None
    yes_or_no = [Asked(id="adds/p0", check=adds, inputs={}, expected=True)]
    assert named(answers(0), belief("turned_round", p0=False), asked=yes_or_no) == "turned_round"


def test_an_unknown_mistake_draws_none():
    assert named(answers(9.0, 9.0, 9.0), DOUBLES, LAST) is None
    assert named(answers(9.0, 9.0, 9.0)) is None


SILENT = [
    raised("NotImplementedError: yours"), answer(status="missing", error="f"), answer(status="unreachable"),
]  # fmt: skip


@pytest.mark.parametrize("silent", SILENT)
def test_silent_answers_neither_match_nor_contradict(silent):
    assert is_silent(silent)
    assert named(answers(silent, silent, silent), DOUBLES, belief("unwritten", p0=silent, p1=silent)) is None
    assert named(answers(0.0, silent, 4.0), DOUBLES) == "doubles"


@pytest.mark.parametrize("loud", [returned(None), raised("ValueError: x"), answer(status="timeout")])
def test_other_endings_speak(loud):
    assert not is_silent(loud)
    assert named(answers(0.0, loud, 4.0), DOUBLES) is None


def test_an_error_is_recognised_by_its_kind():
    divides = belief("divides_by_zero", p0=raised("ZeroDivisionError: division by zero"))
    assert named(answers(raised("ZeroDivisionError: float division"), 1.0, 2.0), divides) == "divides_by_zero"
    assert named(answers(raised("ValueError: x"), 1.0, 2.0), divides) is None


def test_that_a_call_did_not_end_shows_no_misconception_by_itself():
    endless = answer(status="timeout")
    assert named(answers(endless, endless, endless), belief("never_ends", p0=endless, p1=endless, p2=endless)) is None
    assert named(answers(endless, 1.0, 2.0), belief("never_ends", p0=endless)) is None
    mostly = belief("ends_once", p0=endless, p1=7.0)
    assert named(answers(endless, 7.0, 2.0), mostly) == "ends_once"
    assert named(answers(0.0, 7.0, 2.0), mostly) is None


def test_an_exact_number_is_not_told_that_floats_are_inexact():
    asked = [Asked(id="adds/p0", check=ASKED[0].check, inputs={}, expected=Decimal("1.10"))]
    floats = belief("pays_in_floats", p0=0.5)
    assert named(answers(0.5), floats, asked=asked) == "pays_in_floats"
    assert named(answers(Fraction(1, 2)), floats, asked=asked) is None
    assert named(answers(Decimal("0.5")), belief("halves", p0=Decimal("0.5")), asked=asked) == "halves"
    numbers = [Asked(id="adds/p0", check=ASKED[0].check, inputs={}, expected=1.1)]
    assert named(answers(Fraction(1, 2)), floats, asked=numbers) == "pays_in_floats"


def test_trials_that_were_not_seen_are_left_out():
    assert named({"adds/p1": returned(2.0)}, DOUBLES) == "doubles"
    assert named({}, DOUBLES) is None


def test_a_misconception_is_compared_under_the_view():
    asked = [Asked(id="sorts/p0", check=sorts, inputs={}, expected=[1, 2])]
    drops = Belief("drops", "q", "H.", {"sorts/p0": returned([2, 2, 1])})
    found = diagnose(asked, {"sorts/p0": returned([1, 2, 2])}, ["sorts/p0"], [drops])
    assert found is drops


def test_a_student_is_told_name_and_hint_and_nothing_of_the_values():
    hint = hint_of(DOUBLES)
    assert (hint.misconception, hint.text) == ("doubles", "Think of doubles.")
    assert hint_of(None) is None
