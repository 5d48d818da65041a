"""What a student reads: of a public check everything, of a hidden one its sentence alone."""

import numpy as np
import pytest

from redink.checks import check
from redink.judging.answers import read_answer
from redink.judging.feedback import give_feedback, show
from redink.judging.verdicts import judge
from redink.records import Observation, Trial
from redink.wire import Opaque, Table, encode

TALE = "X[0, 0] = 0.7312345 'Fisher' </pre><script>"


@check("q")
def adds_one(rng):
    """Adds one to every number."""


@check("q")
def has_a_then(rng):
    """Keeps the length."""


@has_a_then.then
def _(seen, X):
    raise AssertionError(f"{TALE} {X[0]}")


INPUTS = {"X": np.array([1.5, 2.25]), "k": 3}
EXPECTED = np.array([2.5, 3.25])


def answer(**how):
    return read_answer(Observation(**how))


def returned(value, modified=()):
    return answer(status="returned", value=encode(value), modified=modified)


def row(made, seen, number=0, published=True):
    trial = Trial(check=made.id, number=number, published=published, inputs=encode(INPUTS))
    return trial, seen, EXPECTED, judge(made, seen, EXPECTED, INPUTS)


RIGHT, WRONG = returned(EXPECTED), returned(np.array([2.5, 9.0]))
RAISES = answer(status="raised", error=f"ValueError: {TALE}", where="cell 4, line 2")


def test_a_public_failure_shows_fault_inputs_expected_got_and_replay():
    feedback = give_feedback(adds_one, "public", [row(adds_one, RIGHT), row(adds_one, WRONG, number=1)])
    assert feedback.text.splitlines() == [
        "Adds one to every number.",
        "1 of 2 numbers differ; at [1] expected 3.25, got 9.",
        "  X = [1.5 , 2.25]",
        "  k = 3",
        "  expected: [2.5 , 3.25]",
        "  got:      [2.5, 9. ]",
        '  replay:   check.replay("adds_one", 1)',
    ]
    assert feedback.outcome == "failed"


@check("q", returns="w mistake")
def has_names(rng):
    """Moves w."""


def test_a_part_of_an_answer_is_told_by_its_declared_name_or_its_place():
    seen, expected = returned([np.ones(2), False]), [np.ones(2), True]
    for made, fault in [
        (has_names, "In mistake: expected True, got False."),
        (adds_one, "In result[1]: expected True, got False."),
    ]:
        trial = Trial(check=made.id, number=0, published=True, inputs=encode(INPUTS))
        told = give_feedback(made, "public", [(trial, seen, expected, judge(made, seen, expected, INPUTS))])
        assert told.fault == fault


def test_the_smallest_failing_trial_is_told():
    feedback = give_feedback(adds_one, "public", [row(adds_one, WRONG, number=n) for n in range(3)])
    assert feedback.replay == 'check.replay("adds_one", 0)'


def test_a_public_error_shows_what_was_raised_and_where():
    feedback = give_feedback(adds_one, "public", [row(adds_one, RAISES)])
    assert feedback.outcome == "error"
    assert feedback.fault.startswith(f"Raised ValueError: {TALE} (cell 4, line 2)")
    assert (feedback.got, feedback.expected) == ("", "[2.5 , 3.25]")


def test_a_check_with_a_then_of_its_own_shows_no_expected_value():
    feedback = give_feedback(has_a_then, "public", [row(has_a_then, WRONG)])
    assert feedback.expected == ""
    assert feedback.got == "[2.5, 9. ]"
    assert TALE in feedback.fault


def test_what_passes_says_nothing_but_its_notes_once_each():
    rows = [row(adds_one, returned(EXPECTED.astype(np.float32), modified=("X",)), number=n) for n in range(2)]
    feedback = give_feedback(adds_one, "public", rows)
    assert (feedback.text, feedback.outcome) == ("", "passed")
    assert feedback.notes == ("returned float32",)


@pytest.mark.parametrize("made", [adds_one, has_a_then])
@pytest.mark.parametrize(
    ("seen", "word", "fault"),
    [
        (returned([TALE]), "failed", ""),
        (returned({TALE: 1}), "failed", ""),
        (returned(np.full(2, 0.7312345, np.float32), modified=("X",)), "failed", ""),
        (RAISES, "error", "Your code raised an error here."),
        (answer(status="died", error=TALE), "error", "Your code raised an error here."),
        (answer(status="timeout", error=TALE), "timeout", "Your code took too long here."),
        (answer(status="too_large", error=TALE), "failed", ""),
        (answer(status="raised", error=f"NotImplementedError: {TALE}"), "not_run", "Not written yet."),
        (answer(status="missing", error="add"), "not_run", "add is not defined."),
    ],
)
def test_a_hidden_failure_tells_its_sentence_and_its_kind_alone(made, seen, word, fault):
    feedback = give_feedback(made, "hidden", [row(made, seen)])
    assert (feedback.outcome, feedback.notes) == (word, ())
    assert feedback.text == "\n".join(line for line in (made.sentence, fault) if line)
    assert (feedback.inputs, feedback.expected, feedback.got, feedback.replay) == ((), "", "", "")


def test_a_hidden_check_that_passes_names_none_of_its_inputs():
    feedback = give_feedback(adds_one, "hidden", [row(adds_one, returned(EXPECTED, modified=("X",)))])
    assert (feedback.outcome, feedback.notes) == ("passed", ())
    assert feedback.text == ""


@pytest.mark.parametrize("seen", [WRONG, RAISES, answer(status="timeout", error=TALE)])
def test_a_public_check_that_fails_on_secret_inputs_alone_says_so_and_shows_none(seen):
    rows = [row(adds_one, RIGHT), row(adds_one, seen, published=False)]
    feedback = give_feedback(adds_one, "public", rows)
    assert (
        feedback.text == "Adds one to every number.\nRight on the published inputs, wrong on others of the same kind."
    )
    assert feedback.outcome != "passed"
    assert (feedback.inputs, feedback.expected, feedback.got, feedback.replay) == ((), "", "", "")


@pytest.mark.parametrize("seen", [RIGHT, WRONG])
def test_a_note_on_secret_inputs_is_never_shown(seen):
    odd = returned(seen.value.astype(np.float32), modified=("X",))
    feedback = give_feedback(adds_one, "public", [row(adds_one, RIGHT), row(adds_one, odd, published=False)])
    assert feedback.notes == ()


@pytest.mark.parametrize(
    ("seen", "fault"),
    [
        (answer(status="raised", error=f"NotImplementedError: {TALE}"), "Not written yet."),
        (answer(status="missing", error="add"), "add is not defined."),
        (answer(status="unreachable", error="the submission waited too long"), "The submission waited too long."),
    ],
)
def test_what_was_not_run_on_secret_inputs_is_told_in_our_own_words(seen, fault):
    feedback = give_feedback(adds_one, "public", [row(adds_one, RIGHT), row(adds_one, seen, published=False)])
    assert (feedback.outcome, feedback.fault) == ("not_run", fault)


def test_a_published_failure_is_told_before_a_secret_one():
    feedback = give_feedback(adds_one, "public", [row(adds_one, WRONG), row(adds_one, WRONG, published=False)])
    assert feedback.replay


def test_an_unwritten_function_gets_one_line_and_no_numbers():
    seen = answer(status="raised", error="NotImplementedError: yours")
    feedback = give_feedback(adds_one, "public", [row(adds_one, seen)])
    assert feedback.text == "Adds one to every number.\nNot written yet."


def test_bytes_that_are_no_data_show_nothing():
    feedback = give_feedback(adds_one, "public", [row(adds_one, answer(status="returned", value=b"\xc1"))])
    assert feedback.got == ""
    assert feedback.fault


def test_a_trial_is_named_by_its_check_its_kind_and_its_number():
    assert Trial(check="c", number=2, published=True, inputs=b"").id == "c/p2"
    assert Trial(check="c", number=0, published=False, inputs=b"").id == "c/s0"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.0, "1"),
        (1 / 3, "0.333333"),
        (np.array(2.5), "2.5"),
        (np.array([1, 2]), "[1, 2]"),
        (np.array([[1.0], [2.0]]), "[[1.], [2.]]"),
        ([1, [2.5, "x"]], "[1, [2.5, 'x']]"),
        (list(range(20)), "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, …]"),
        ({"a": 1, 2: None}, "{a: 1, 2: None}"),
        (Opaque("Model"), "<Model>"),
        (Table([(None, [1.5, 2.0])], [0, 1], is_series=True), "Series {index: [0, 1], values: [1.5, 2]}"),
        (Table([("size", [1.5])], [0], is_series=True), "Series {index: [0], size: [1.5]}"),
        (Table([(None, [1.5])], [0]), "DataFrame {index: [0], None: [1.5]}"),
        ("a\nb", "'a\\nb'"),
        (True, "True"),
        (np.array([[-1e-13], [2e-12]]), "[[-1.e-13], [ 2.e-12]]"),
        (np.array([1.0, 1e-13, np.nan]), "[ 1., 0., nan]"),
        (np.zeros(2), "[0., 0.]"),
    ],
)
def test_values_are_written_for_a_person(value, text):
    assert show(value) == text


@pytest.mark.parametrize("form", [list, lambda numbers: np.array([*numbers])])
@pytest.mark.parametrize(
    ("one", "other", "shown", "beside"),
    [
        (range(40), [*range(30), -1, *range(31, 40)], "29, 30, 31, 32, 33, …]", "29, -1, 31, 32, 33, …]"),
        (range(30), range(28), "24, 25, 26, 27, 28, 29]", "24, 25, 26, 27]"),
        (range(40), [0, -1, *range(2, 40)], "[0, 1, 2, 3, 4, 5, 6, 7,", "[0, -1, 2, 3, 4, 5, 6, 7,"),
    ],
)  # fmt: skip
def test_of_two_long_lists_the_first_place_that_differs_is_shown(form, one, other, shown, beside):
    for pair in ((form(one), form(other)), ([form(one), True], [form(other), True])):
        assert shown in show(*pair)
        assert beside in show(*reversed(pair))


@pytest.mark.parametrize(
    "value",
    [
        np.ones((2,) * 16), np.ones((20, 20, 20)), np.arange(10**5), "x" * 10**6, {"k" * 10**6: 1}, [["y" * 200] * 12] * 12,
        10**4000, [[[[[list(range(12))] * 12] * 12] * 3] * 3], np.ones((8, 3, 32, 32)),
    ],
)  # fmt: skip
def test_no_value_is_written_at_length(value):
    assert len(show(value)) <= 1510
    assert "\n" not in show(value)


def test_an_array_of_many_axes_is_told_by_its_shape():
    assert show(np.ones((8, 3, 4, 4))).startswith("shape (8, 3, 4, 4), beginning with [1., 1.")
    assert show(np.ones((1, 1, 2, 2))) == "[[[[1., 1.], [1., 1.]]]]"
