"""Tolerances follow from the question: no answer passes for the coarseness of its own numbers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from redink.assignment.load import load_checks
from redink.assignment.spec import read_spec
from redink.checks import check, close
from redink.checks.precision import kinds, refined, remark
from redink.errors import AuthorError
from redink.grader.answer_key.make import judged_by
from redink.judging.answers import read_answer
from redink.judging.verdicts import judge, same
from redink.records import Observation
from redink.wire import BFloat16Array, TensorArray, decode, encode

TRUTH = np.array([0.3, -1.7, 2.9, 0.05])
F16, F32 = np.float16, np.float32


def asked(precision="single", **options):
    @check("q", **options)
    def a_check():
        """A sentence."""

    a_check.precision = precision
    return a_check


def answer(value):
    return read_answer(Observation(status="returned", value=encode(value)))


def verdict(value, precision="single", made=None, expected=TRUTH):
    made = made or asked(precision)
    made.precision = precision
    return judge(made, answer(value), expected, {})


def bfloat16(values):
    bits = np.asarray(values, F32).view(np.uint32) + np.uint32(0x8000)  # rounds, as torch does
    return (bits & np.uint32(0xFFFF0000)).view(F32).view(BFloat16Array)


COARSE = {
    "float16": lambda x: x.astype(F16),
    "float16 in a list": lambda x: list(x.astype(F16)),
    "float16 as objects": lambda x: np.array(list(x.astype(F16)), dtype=object),
    "one float16 among floats": lambda x: [F16(x[0]), *x[1:].tolist()],
    "a tensor of float16": lambda x: x.astype(F16).view(TensorArray),
    "bfloat16": bfloat16,
}


@pytest.mark.parametrize("how", COARSE)
def test_an_answer_that_is_wrong_by_a_hundredth_does_not_pass_as_half(how):
    told = verdict(COARSE[how](0.992 * TRUTH))
    assert told.verdict == "failed"
    assert verdict(COARSE[how](0.992 * TRUTH), "double").verdict == "failed"


@pytest.mark.parametrize("how", COARSE)
def test_half_is_accepted_only_where_the_question_says_half(how):
    assert verdict(COARSE[how](TRUTH), "half").verdict == "passed"
    if how != "one float16 among floats":  # of which the others are exact
        told = verdict(COARSE[how](TRUTH))
        assert told.verdict == "failed"
        assert told.message.endswith("which is too coarse here: return float32 or float64")


def test_the_sentence_names_the_type_and_what_to_return_instead():
    assert "returned float16, which is too coarse here" in verdict(TRUTH.astype(F16)).message
    assert "returned bfloat16, which is too coarse here" in verdict(bfloat16(TRUTH)).message
    told = verdict(TRUTH.astype(F32), "double")
    assert told.message.endswith("returned float32, which is too coarse here: return float64")


def test_an_answer_that_is_wrong_for_another_reason_is_not_called_coarse():
    assert "coarse" not in verdict(3 * TRUTH.astype(F16)).message
    assert verdict(TRUTH.astype(F16)[:2]).message.startswith("expected 4 entries, got 2; ")


def test_half_that_happens_to_be_exact_passes_with_a_note():
    told = verdict(np.array([0.5, 2.0], F16), expected=np.array([0.5, 2.0]))
    assert (told.verdict, told.notes) == ("passed", ("returned float16",))
    assert verdict(np.array([1, 2], F16), "double", expected=np.array([1, 2])).verdict == "passed"


def test_float32_passes_where_single_is_allowed_and_fails_where_it_is_not():
    assert verdict(TRUTH.astype(F32)).verdict == "passed"
    assert verdict(1.001 * TRUTH.astype(F32)).verdict == "failed"
    assert verdict(TRUTH.astype(F32), "double").verdict == "failed"
    assert verdict(TRUTH.astype(np.complex64)).notes == ("returned complex64", "returned complex numbers")


def test_a_tolerance_of_the_check_that_is_larger_holds():
    assert verdict(TRUTH.astype(F16), made=asked(tol=2e-3)).verdict == "passed"
    assert verdict(TRUTH.astype(F32), "double", made=asked(tol=1e-6)).verdict == "passed"


def test_the_type_of_the_expected_value_is_the_authors_choice():
    assert verdict(1.00005 * TRUTH, "double", expected=TRUTH.astype(F32)).verdict == "passed"
    assert verdict(1.005 * TRUTH, expected=TRUTH.astype(F16)).verdict == "passed"


@pytest.mark.parametrize("kind", ["then", "view"])
def test_a_then_or_view_gets_no_number_that_is_coarser_than_allowed(kind):
    got = []

    def look(seen):
        got.append(seen)
        return seen

    made = asked().view(look) if kind == "view" else asked().then(lambda seen, expected: close(look(seen), expected))
    told = judge(made, answer(0.992 * TRUTH.astype(F16)), TRUTH, {})
    assert got[0].dtype == F32
    assert told.verdict == "failed"
    assert judge(made, answer(0.992 * TRUTH.astype(F16)), TRUTH, {}).message.endswith("float64")


def test_nothing_that_is_fine_enough_is_changed():
    value = {"a": [TRUTH, 1.0, "x"], "b": TRUTH.astype(F32)}
    assert refined(value, "single") is value
    assert refined(TRUTH.astype(F16), "half").dtype == F16
    assert refined({"a": [TRUTH.astype(F16), 1, None]}, "double")["a"][0].dtype == np.float64
    assert type(refined(bfloat16(TRUTH), "single")) is TensorArray
    assert kinds({"a": [TRUTH, 1, True, "x"], "b": [[2.5], bfloat16(TRUTH)]}) == {
        "dict", "float64", "int", "bool", "str", "float", "bfloat16",
    }  # fmt: skip
    assert remark([TRUTH.astype(F16), bfloat16(TRUTH)], "single").startswith("returned bfloat16, float16, which")


def test_a_hint_needs_numbers_as_exact_as_the_question_asks():
    made = asked()
    assert same(made, answer(TRUTH.astype(F32)), answer(TRUTH), {})
    assert not same(made, answer(1.005 * TRUTH.astype(F16)), answer(TRUTH), {})


def test_what_is_accepted_with_a_remark_and_what_is_not():
    assert verdict(TRUTH.astype(complex)).notes == ("returned complex numbers",)
    assert verdict(np.array([1 + 0j]), expected=np.array([1])).message == "expected integers, got complex numbers"
    assert verdict(np.longdouble(TRUTH)).verdict == "passed"
    assert verdict(0.992 * np.longdouble(TRUTH)).verdict == "failed"
    masked = verdict(np.ma.masked_array(TRUTH, mask=[1, 0, 0, 0]))
    assert "a masked array, which is not accepted" in masked.message


def test_a_bfloat16_tensor_is_known_as_one_on_both_sides_of_the_wire():
    torch = pytest.importorskip("torch")
    tensor = torch.tensor([[0.3, -1.7], [2.9, 1e30]], dtype=torch.bfloat16)
    data = encode(tensor)
    there = decode(data)
    assert type(there) is BFloat16Array
    assert there.tolist() == tensor.float().tolist()
    assert encode(there) == data
    assert decode(data, torch).dtype == torch.bfloat16
    assert verdict(torch.tensor(0.992 * TRUTH).bfloat16()).verdict == "failed"


# -- where it comes from -----------------------------------------------------------------------------------------------

TOML = """
title = "One"
slug = "one"
[[questions]]
id = "q"
title = "Q"
points = 100
asks = ["f"]
{}
"""
CHECKS = '''
from redink.checks import check
@check("q")
def a_check():
    """A sentence."""
    return {}
'''


def loaded(folder: Path, line: str):
    (folder / "assignment.toml").write_text(TOML.format(line))
    return load_checks(read_spec(folder), CHECKS, f"one{len(line)}/checks.py")[0]


def test_the_question_says_what_is_allowed_and_single_unless_it_does(tmp_path):
    assert loaded(tmp_path, "").precision == "single"
    assert loaded(tmp_path, 'precision = "double"').precision == "double"
    with pytest.raises(AuthorError, match="precision"):
        loaded(tmp_path, 'precision = "quarter"')


def test_another_precision_is_judged_again(tmp_path):
    one, other = loaded(tmp_path, ""), loaded(tmp_path, 'precision = "half"')
    assert judged_by(one) != judged_by(other)
