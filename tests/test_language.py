"""The language of checks: what an author writes, and what Redink takes it for."""

import numpy as np
import pytest

from redink.assignment.load import load_checks, read_source
from redink.assignment.spec import read_spec
from redink.assignment.trials import make_requests, make_trials
from redink.checks import Check, Fail, check, close, concept, printed
from redink.checks.seeds import PUBLISHED, generator, seed
from redink.errors import AuthorError
from redink.grader.digests import fingerprint
from redink.judging.answers import read_answer
from redink.judging.verdicts import judge
from redink.records import Observation
from redink.wire import decode, encode

TOML = """
title = "T"
slug = "t"
[[questions]]
id = "one"
title = "One"
points = 60
asks = ["f"]
[[questions]]
id = "two"
title = "Two"
points = 40
asks = ["g", "h"]
"""


def answer(**how):
    return read_answer(Observation(**how))


def returned(value):
    return answer(status="returned", value=encode(value))


def write_checks(folder, text):
    (folder / "assignment.toml").write_text(TOML, encoding="utf-8")
    (folder / "checks.py").write_text("from redink.checks import check, concept\n" + text, encoding="utf-8")
    return load_checks(read_spec(folder), read_source(folder / "checks.py"), str(folder / "checks.py"))


def doubles():
    @check("one", tol=1e-6, weight=2, covers="R001 R002")
    def doubles_it(rng, trial):
        """Twice   the
        number."""
        return dict(x=float(trial + 1), secret_label=7)

    return doubles_it


def test_a_check_is_named_by_its_given_and_reads_as_one_line():
    made = doubles()
    assert isinstance(made, Check)
    assert (made.id, made.question, made.sentence) == ("doubles_it", "one", "Twice the number.")
    assert (made.tol, made.weight, made.trials, made.covers) == (1e-6, 2, 3, ("R001", "R002"))


def test_given_may_name_rng_and_trial_or_neither():
    @check("one")
    def neither():
        """Nothing."""
        return dict()

    @check("one")
    def both(trial, rng):
        """Both."""
        return dict(trial=trial, draw=rng.random())

    assert neither.inputs(np.random.default_rng(0), 0) == {}
    assert both.inputs(np.random.default_rng(0), 2) == {"trial": 2, "draw": np.random.default_rng(0).random()}


def test_a_given_that_names_something_else_is_refused_with_the_name():
    @check("one")
    def asks_for_more(rng, seed):
        """More."""

    with pytest.raises(AuthorError, match="names seed; it may name rng, trial"):
        asks_for_more.inputs(np.random.default_rng(0), 0)


def test_a_given_that_returns_nothing_is_refused():
    @check("one")
    def forgets_to_return():
        """Nothing."""

    with pytest.raises(AuthorError, match="returned nothing; dict"):
        forgets_to_return.inputs(None, 0)


@pytest.mark.parametrize("made", [3, [1, 2], (1,), "x"])
def test_a_given_that_makes_no_dict_is_refused(made):
    @check("one")
    def makes_something_else():
        """Else."""
        return made

    with pytest.raises(AuthorError, match=f"must return a dict of inputs, and returned a {type(made).__name__}"):
        makes_something_else.inputs(None, 0)


def test_when_left_out_calls_the_asked_function_with_the_inputs_in_their_order():
    shipped = doubles().shipped(("f",), {"b": 1, "a": 2})
    assert shipped.source == "def when(student, b, a):\n    return student.f(b, a)\n"
    assert shipped.names == ("b", "a")


def test_when_left_out_with_several_asked_functions_needs_calls():
    with pytest.raises(AuthorError, match="asks for g, h: say which one with calls="):
        doubles().shipped(("g", "h"), {})

    @check("two", calls="h")
    def calls_h():
        """H."""
        return dict(x=1)

    assert "student.h(x)" in calls_h.shipped(("g", "h"), {"x": 1}).source


def test_only_the_inputs_that_when_names_cross():
    made = doubles()

    @made.when
    def _(student, x):
        return student.f(x)

    (request, *_) = make_requests(made, make_trials("t", made, PUBLISHED), ("f",))
    assert decode(request.inputs) == {"x": 1.0}


def test_a_when_that_names_an_unknown_input_is_refused():
    made = doubles()

    @made.when
    def _(student, x, y):
        return student.f(x, y)

    with pytest.raises(AuthorError, match="its when names y, which given does not make"):
        make_requests(made, make_trials("t", made, PUBLISHED), ("f",))


def test_then_gets_what_it_names_and_nothing_else():
    made, got = doubles(), {}

    @made.then
    def _(seen, expected, secret_label, modified):
        got.update(seen=seen, expected=expected, secret_label=secret_label, modified=modified)

    seen = answer(status="returned", value=encode(2.0), modified=("x",))
    assert judge(made, seen, 2.0, {"x": 1.0, "secret_label": 7}).verdict == "passed"
    assert got == {"seen": 2.0, "expected": 2.0, "secret_label": 7, "modified": ("x",)}


@pytest.mark.parametrize("part", ["then", "view"])
def test_a_then_or_view_that_names_an_unknown_thing_is_the_authors_fault(part):
    made = doubles()

    def names_too_much(seen, wanted):
        return seen

    getattr(made, part)(names_too_much)
    with pytest.raises(AuthorError, match="names wanted; it may name"):
        judge(made, returned(2.0), 2.0, {"x": 1.0})


def test_view_may_name_inputs_and_is_used_on_both_sides():
    made = doubles()

    @made.view
    def _(seen, x):
        return abs(seen) * x

    assert judge(made, returned(-2.0), 2.0, {"x": 3.0}).verdict == "passed"
    assert judge(made, returned(-2.5), 2.0, {"x": 3.0}).message == "expected 6, got 7.5"


def test_the_parts_return_the_check_so_that_an_underscore_names_no_other():
    made = doubles()
    assert made.when(lambda student: 1) is made
    assert made.then(lambda seen: None) is made
    assert made.view(lambda seen: seen) is made


def test_close_raises_the_sentence_that_tells_the_difference():
    assert close([1.0, 2.0], np.array([1.0, 2.0])) is None
    with pytest.raises(Fail, match=r"^w: expected 2 entries, got 3; "):
        close(np.zeros(3), np.zeros(2), what="w")
    with pytest.raises(Fail, match=r"^expected 1, got 2$"):
        close(2.0, 1.0)


def test_close_takes_what_numpy_makes_of_a_students_float32():
    seen = np.array([0.1, 0.2], dtype=np.float32)
    assert close(seen.mean(), 0.15) is None
    assert close(seen[0], 0.1) is None
    assert close((seen.argmax(), 0.1), [1, 0.1]) is None


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        ("Update", "passed"),
        ("  update\n", "passed"),
        ("skip", "failed"),
        (None, "failed"),
        (True, "failed"),
        (1, "failed"),
    ],
)
def test_a_concept_item_compares_words_without_case_and_outer_blanks(answer, verdict):
    @concept("two")
    def zero_score():
        """What happens at 0."""

    assert judge(zero_score, returned(answer), "update", {}).verdict == verdict


@pytest.mark.parametrize(
    ("answer", "verdict"), [(0.5, "passed"), (0.5000001, "passed"), ("0.5", "failed"), (0.51, "failed")]
)
def test_a_concept_item_compares_numbers_within_its_tolerance(answer, verdict):
    @concept("two")
    def how_much():
        """How much."""

    assert judge(how_much, returned(answer), 0.5, {}).verdict == verdict


def test_a_concept_item_reads_the_answer_filed_under_its_name():
    @concept("two", weight=3)
    def zero_score():
        """What happens at 0."""

    shipped = zero_score.shipped(("answers",), {})
    assert shipped.source == "def when(student):\n    return student.answers.get('zero_score')\n"
    assert (zero_score.trials, zero_score.weight) == (1, 3)


def test_an_authors_file_gives_its_checks_once_each_in_their_order(tmp_path):
    text = (
        "@check('one')\ndef b():\n    '''B.'''\n\n@b.when\ndef _(student):\n    return student.f()\n\n"
        "@check('two', calls='g')\ndef a():\n    '''A.'''\n"
    )
    assert [made.id for made in write_checks(tmp_path, text)] == ["b", "a"]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("@check('one')\ndef silent():\n    return {}\n", "check silent has no sentence; write its docstring"),
        ("@check('three')\ndef lost():\n    '''L.'''\n", "t has no question 'three'; its questions are one, two"),
        ("@check('one', calls='g')\ndef c():\n    '''C.'''\n", "check c calls g, which one does not ask for"),
        ("@check('one', trials=0)\ndef never():\n    '''N.'''\n", "check never has trials=0; it needs a whole number"),
        ("1 / 0\n", "ZeroDivisionError: division by zero"),
        ("def broken(:\n", "SyntaxError"),
    ],
)
def test_an_authors_mistake_is_told_in_a_sentence(tmp_path, text, complaint):
    with pytest.raises(AuthorError) as told:
        write_checks(tmp_path, text)
    assert complaint in str(told.value)
    assert "\n" not in str(told.value)


def test_trials_are_numbered_from_0_and_named_by_their_kind():
    published, secret = make_trials("t", doubles(), PUBLISHED), make_trials("t", doubles(), b"s")
    assert [trial.id for trial in published] == ["doubles_it/p0", "doubles_it/p1", "doubles_it/p2"]
    assert [trial.id for trial in secret] == ["doubles_it/s0", "doubles_it/s1", "doubles_it/s2"]
    assert [decode(trial.inputs)["x"] for trial in published] == [1.0, 2.0, 3.0]


def test_the_same_key_gives_the_same_inputs_and_another_key_others():
    @check("one")
    def draws(rng):
        """D."""
        return dict(x=rng.random(3))

    one, again, other = (make_trials("t", draws, key) for key in (b"k", b"k", b"l"))
    assert one == again
    assert len({trial.inputs for trial in (*one, *other)}) == 6


def test_seeds_depend_on_every_part_and_a_fingerprint_does_not_tell_the_secret():
    seeds = {
        seed(*parts) for parts in [(b"k", "a", "c", 0), (b"l", "a", "c", 0), (b"k", "ac", "", 0), (b"k", "a", "c", 1)]
    }
    assert len(seeds) == 4
    assert generator(b"k", "a", "c", 0).random() == generator(b"k", "a", "c", 0).random()
    assert fingerprint(b"secret") == fingerprint(b"secret") != fingerprint(b"secres")
    assert "secret" not in fingerprint(b"secret")


def test_checks_keep_the_order_in_which_they_are_written(tmp_path):
    written = "".join(
        f'@check("one")\ndef {name}(rng):\n    """Says so."""\n    return dict(x=1)\n\n'
        f"@{name}.when\ndef _(student, x):\n    return student.f(x)\n\n"
        for name in ("first", "second", "third")
    )
    assert [one.id for one in write_checks(tmp_path, written)] == ["first", "second", "third"]


def handed_on(student, x):
    return student.g(x)


def test_a_check_is_about_what_its_when_and_the_helpers_use_of_the_students():
    made = doubles()

    @made.when
    def _(student, x):
        # student.h stands in a remark
        return student.f(x), handed_on(student, x), "student.i"

    assert made.about == {"f", "g"}


def test_a_check_may_be_about_more_than_it_calls():
    @check("one", calls="f", about="g h")
    def calls_one():
        """F, which rests on g and h."""
        return dict(x=1)

    assert calls_one.about == {"f", "g", "h"}

    @calls_one.when
    def _(student, x):
        return student.k(x)

    assert calls_one.about == {"g", "h", "k"}


def test_what_is_said_of_a_list_is_said_of_lines_where_they_were_printed():
    @check("star")
    def prints():
        """Prints."""
        return {}

    @prints.when
    def _(student):
        return printed(student.star)

    assert prints.told("expected 4 values, got 5") == "expected 4 lines, got 5"
    assert prints.told("expected 1 value, got 0") == "expected 1 line, got none: nothing was printed"
    assert prints.told("in result[1]: expected 'a', got 'b'") == "in line 2: expected 'a', got 'b'"
    other = check("star")(prints.given_function)

    @other.when
    def _(student):
        return printed(student.star), student.star()

    assert other.told("expected 2 values, got 5") == "expected 2 values, got 5"
