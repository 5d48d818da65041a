"""The form of concept answers: told at once, whatever was answered."""

import numpy as np
import pytest

from redink.checks import answers_have_form
from redink.checks.language import Check
from redink.judging.answers import Answer, read_answer
from redink.judging.verdicts import judge, same
from redink.records import Observation
from redink.wire import encode

RIGHT = {"remedy": "gates", "belt": 3.0}


class Thing:
    pass


def form() -> Check:
    return answers_have_form("concepts", remedy=("gates", "skips"), belt=float)


def seen(answers) -> Answer:
    return read_answer(Observation(status="returned", value=encode(answers)))


def told(answers) -> str:
    return judge(form(), seen(answers), RIGHT, {}).message


@pytest.mark.parametrize("word", ["gates", " Skips ", "GATES"])
@pytest.mark.parametrize("number", [3, -0.5, np.float64(2), np.float32(2), np.array(7)])
def test_an_offered_word_and_a_number_have_the_form_right_or_wrong(word, number):
    assert told({"remedy": word, "belt": number}) == ""


@pytest.mark.parametrize(
    "odd",
    [
        np.array(["gates", "skips"]), np.arange(3.0), ["gates"], ("gates",), {"gates": 1}, {"gates"}, None, 3, True,
        "clipping", Thing(), Thing, b"gates",
    ],
)  # fmt: skip
def test_whatever_is_not_an_offered_word_is_named_and_never_raises(odd):
    sentence = "look again at remedy: an offered word in quotes, or a number without them"
    assert told({"remedy": odd, "belt": 3}) == sentence
    assert not same(form(), seen({"remedy": odd, "belt": 3}), seen(RIGHT), {})


@pytest.mark.parametrize("odd", ["3", "three", None, True, [3.0], {"belt": 3}, Thing()])
def test_whatever_is_not_a_number_is_named_where_one_is_asked_for(odd):
    assert told({"remedy": "gates", "belt": odd}).startswith("look again at belt: ")


@pytest.mark.parametrize(("answer", "fits"), [
    (1, True), (5.0, True), (np.float64(3), True), (0, False), (7, False), (2.5, False), (np.nan, False),
    (np.arange(3.0), False), (True, False), ("3", False), (None, False), (10**400, False),
])  # fmt: skip
def test_a_number_outside_its_range_is_told(answer, fits):
    made = answers_have_form("concepts", trace=range(1, 6), belt=float)
    sentence = judge(made, seen({"trace": answer, "belt": 3}), {"trace": 4, "belt": 3.0}, {}).message
    assert (sentence == "") == fits
    assert not np.array_equal(answer, 7) or sentence.startswith("look again at trace (a number from 1 to 5): ")


def test_all_odd_items_are_named_and_those_that_are_missing():
    assert told({"remedy": "clipping"}).startswith("look again at remedy, belt: ")


def test_answers_that_nobody_has_begun_are_not_written_yet():
    assert told({"remedy": None, "belt": None}) == "not written yet"
    assert told({"remedy": None, "belt": 3}).startswith("look again at remedy: ")


def test_a_nan_is_told_as_such():
    assert told({"remedy": float("nan"), "belt": 3}) == 'in result["remedy"]: expected a string, got a number'
    assert "NaN" in told({"remedy": "gates", "belt": np.nan})


def test_what_is_no_dict_is_told_as_such():
    assert told(3).startswith("expected ")


def test_it_informs_once_under_the_name_it_is_assigned_to():
    made = form()
    assert (made.id, made.weight, made.trials) == ("the_answers_have_the_form_that_is_asked", 0, 1)
    source = made.shipped(("concept_answers",), {}).source
    assert source == "def when(student):\n    return dict(student.concept_answers)\n"


def test_an_item_may_be_called_question():
    made = answers_have_form("concepts", question=("yes", "no"))
    assert judge(made, seen({"question": "yes"}), {"question": "no"}, {}).message == ""
