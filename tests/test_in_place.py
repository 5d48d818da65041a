"""Changes in place: they cost one check of a question, the first in which they are seen, at home as in grading."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from redink.checks import check
from redink.judging.answers import Answer
from redink.judging.feedback import Feedback
from redink.judging.in_place import Changes, Looked, changed_inputs, find_changes, first_changed, settle
from redink.records import Trial
from redink.student.card import Card
from redink.student.homework import Homework, Work
from redink.wire import encode
from tests.conftest import CENTRE, SCALE, Desk

CENTRES = "def centre(X):\n    X -= X.mean(axis=0)\n    return X"
SCALES = "def scale(X):\n    X -= X.mean(axis=0)\n    X /= X.std(axis=0)\n    return X"
CLASS: dict[str, dict[int, str]] = {
    "centres_in_place": {CENTRE: CENTRES},
    "scales_in_place": {SCALE: SCALES},
    "each_by_itself": {CENTRE: CENTRES, SCALE: SCALES},
    "one_by_the_other": {CENTRE: CENTRES, SCALE: "def scale(X):\n    X[:] = centre(X)\n    return X / X.std(axis=0)"},
    "only_where_it_is_hidden": {CENTRE: (
        "def centre(X):\n    right = X - X.mean(axis=0)\n    if X.shape == (5, 4):\n        X += 7\n    return right")},
    "wrong_as_well": {CENTRE: "def centre(X):\n    X -= X.mean(axis=1, keepdims=True)\n    return X"},
    "restores_it": {CENTRE: (
        "def centre(X):\n    kept = X.copy()\n    X -= X.mean(axis=0)\n    right, X[:] = X.copy(), kept\n    return right")},
}  # fmt: skip
COSTS = "in place: work on a copy. This costs this check; others are judged by what they return."
BELIEF = """
misconception("centres_the_callers_array", "centre", hint="After the call, look at the X that you passed in.",
              old="return X - X.mean(axis=0)", new="X -= X.mean(axis=0)\\n    return X")
"""


@pytest.fixture(scope="module")
def desk(little_course: Path, tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """The little course, graded once with students who change their inputs."""
    root = tmp_path_factory.mktemp("in_place") / "course"
    shutil.copytree(little_course, root)
    desk = Desk(root, "little")
    for name, changes in CLASS.items():
        desk.hand_in(name, changes)
    return desk


@pytest.fixture(scope="module")
def results(desk: Desk) -> dict[str, dict[str, Any]]:
    return desk.grade("class")


def question(result: dict[str, Any], id: str) -> dict[str, Any]:
    return next(one for one in result["questions"] if one["id"] == id)


def checks(result: dict[str, Any], id: str) -> dict[str, dict[str, Any]]:
    return {one["id"]: one for one in question(result, id)["checks"]}


# -- in grading --------------------------------------------------------------------------------------------------------


def test_a_change_in_place_costs_the_first_check_whatever_it_returned(results):
    found = checks(results["centres_in_place"], "centre")
    first, second = found["subtracts_the_mean"], found["ignores_a_common_shift"]
    assert (first["verdict"], first["score"]) == ("failed", 0)
    assert first["message"].splitlines()[1:] == [
        f"Changed its input X {COSTS}",
        '  replay:   check.replay("subtracts_the_mean", 0)',
    ]
    assert (second["verdict"], second["score"], second["message"]) == ("passed", 20, "")
    assert question(results["centres_in_place"], "centre")["in_place"] == "subtracts_the_mean"


def test_an_earlier_function_that_changes_its_argument_is_charged_once(results):
    assert results["centres_in_place"]["score"] == 80
    assert checks(results["centres_in_place"], "scale")["has_unit_spread"]["notes"] == [
        "changed its input X in place, which is charged in centre"
    ]
    assert results["one_by_the_other"]["score"] == 80  # its own change may as well be the earlier one's: not charged


def test_two_functions_that_have_nothing_to_do_with_each_other_are_charged_each(results):
    assert results["scales_in_place"]["score"] == 80
    assert results["each_by_itself"]["score"] == 60


def test_what_a_secret_trial_shows_names_no_argument(results):
    result = results["only_where_it_is_hidden"]
    found = checks(result, "centre")
    assert found["subtracts_the_mean"]["verdict"] == "passed"
    assert found["ignores_a_common_shift"]["message"].splitlines() == [
        "Adding the same row to every example changes nothing.",
        f"Your code changed an input {COSTS.replace('in place', 'in place here')}",
    ]
    assert result["score"] == 80


def test_what_is_wrong_besides_is_said_and_hinted_at(results):
    result = results["wrong_as_well"]
    first = checks(result, "centre")["subtracts_the_mean"]["message"]
    assert first.splitlines()[1].startswith(f"Changed its input X {COSTS} Besides: "), "the cause comes first"
    assert "numbers differ" in first
    assert question(result, "centre")["hint"]["misconception"] == "takes_the_mean_over_rows"
    assert question(result, "scale")["score"] == 40, "carried forward as ever"


def test_right_numbers_draw_no_hint_and_are_no_unknown_mistake(desk, results):
    assert question(results["centres_in_place"], "centre")["hint"] is None
    listed = desk.redink("grade", "little", "class").stdout
    assert "centres_in_place" in listed
    assert "mistake" not in listed


def test_an_input_that_is_put_back_was_not_changed(results):
    assert results["restores_it"]["score"] == 100


def test_a_question_may_declare_what_it_changes_and_rejudging_follows(desk, results, tmp_path):
    shutil.copytree(desk.root, tmp_path / "course")
    other = Desk(tmp_path / "course", "little")
    toml = other.assignment / "assignment.toml"
    for name in ("centre", "scale"):
        other.edit(toml, f'asks = ["{name}"]', f'asks = ["{name}"]\nmutates = ["X"]')
    done = other.redink("rejudge", "little", "--apply", boxes=False)
    assert done.returncode == 0, done.stderr
    after = other.grade("class", boxes=False)
    assert {name: after[name]["score"] for name in CLASS} == {
        **dict.fromkeys(CLASS, 100.0), "wrong_as_well": results["wrong_as_well"]["score"],
    }  # fmt: skip
    assert all(one["notes"] == [] for one in checks(after["centres_in_place"], "centre").values())
    assert question(after["centres_in_place"], "centre")["in_place"] is None


# -- what verify proves ------------------------------------------------------------------------------------------------


def test_a_misconception_that_changes_its_input_loses_its_own_question_and_has_its_own_hint(little):
    path = little.solution / "misconceptions.py"
    path.write_text(path.read_text(encoding="utf-8") + BELIEF, encoding="utf-8")
    done = little.redink("verify", "little")
    assert done.returncode == 0, done.stdout
    little.hand_in("ada", {CENTRE: CENTRES})
    little.hand_in("ben", {CENTRE: CLASS["wrong_as_well"][CENTRE]})
    found = little.grade("class")
    assert question(found["ada"], "centre")["hint"]["misconception"] == "centres_the_callers_array"
    assert question(found["ben"], "centre")["hint"]["misconception"] == "takes_the_mean_over_rows"
    assert little.redink("build", "little").returncode == 0
    report = Homework(little.assignment).report("centre", work(CENTRES))
    assert report.hint is not None
    assert report.hint.misconception == "centres_the_callers_array"


def test_an_alternative_that_changes_its_input_is_no_right_answer(little):
    path = little.solution / "alternatives.py"
    text = BELIEF.replace("misconception(", "alternative(").replace(
        'hint="After the call, look at the X that you passed in.",', ""
    )
    path.write_text(path.read_text(encoding="utf-8") + text, encoding="utf-8")
    done = little.redink("verify", "little")
    assert done.returncode == 1
    assert "the alternative centres_the_callers_array gets 20 of 40 in centre" in " ".join(done.stdout.split())


@pytest.mark.parametrize("command", ["build", "verify"])
def test_a_reference_that_changes_an_input_is_refused_unless_that_is_declared(little, command):
    little.edit(little.solution / "little.py", "return X - X.mean(axis=0)", "X -= X.mean(axis=0)\n    return X")
    little.edit(little.solution / "misconceptions.py", 'old="X.mean(axis=0)"', 'old="X -= X.mean(axis=0)"')
    little.edit(little.solution / "misconceptions.py", 'new="X.mean(axis=1', 'new="X -= X.mean(axis=1')
    little.edit(little.solution / "alternatives.py", 'old="return X - X.mean"', 'old="X -= X.mean"')
    little.edit(little.solution / "alternatives.py", "return X - X.mean", "X = X - X.mean")
    done = little.redink(command, "little")
    assert done.returncode == 1
    told = " ".join((done.stdout + done.stderr).split())
    assert (
        "the reference changes the input X of subtracts_the_mean (published trial 0) in place: let it work on a copy"
        in told
    )
    assert 'mutates = ["X"] in question centre of assignment.toml' in told
    for name in ("centre", "scale"):
        little.edit(little.assignment / "assignment.toml", f'asks = ["{name}"]', f'asks = ["{name}"]\nmutates = ["X"]')
    done = little.redink(command, "little")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("command", ["build", "verify"])
def test_a_declared_name_that_no_check_has_is_refused(little, command):
    little.edit(little.assignment / "assignment.toml", 'asks = ["centre"]', 'asks = ["centre"]\nmutates = ["Y"]')
    done = little.redink(command, "little")
    assert done.returncode == 1
    told = " ".join((done.stdout + done.stderr).split())
    assert "question centre mutates Y, which no `when` of its checks is given; there are X, shift" in told


# -- at home -----------------------------------------------------------------------------------------------------------


def work(*cells: str) -> Work:
    """A notebook of these cells."""
    names: dict[str, Any] = {}
    for cell in cells:
        exec("import numpy as np\n" + cell, names)
    return Work(names, cells)


@pytest.fixture
def homework(little_course: Path) -> Homework:
    return Homework(little_course / "assignments" / "little")


def test_the_card_tells_it_with_its_cost(homework):
    made = Card(homework.report("centre", work(CENTRES)))
    assert not made.passed
    assert f"Changed its input X {COSTS}" in " ".join(repr(made).split())
    assert f"Changed its input X {COSTS}" in made._repr_html_()
    assert "note:" not in repr(made)


def test_at_home_too_an_earlier_change_is_charged_once(homework, desk):
    relying = work(CENTRES, desk.sources()[SCALE])
    report = homework.report("scale", relying)
    assert report.passed
    assert report.feedback[0].notes == ("changed its input X in place, which is charged in centre",)
    assert not homework.report("scale", work(CENTRES, SCALES)).passed


# -- the rule itself ---------------------------------------------------------------------------------------------------


@check("q")
def looks(rng):
    """Looks at X."""
    return dict(X=rng.normal(size=2))


def trial(*, published: bool, modified: tuple[str, ...] = ("X",)) -> tuple[Trial, Answer]:
    made = Trial(check="looks", number=0, published=published, inputs=encode({}))
    return made, Answer("returned", 1.0, modified=modified)


def looked(
    id: str, *trials: tuple[Trial, Answer], weight: float = 1.0, outcome: Any = "passed", hidden: bool = False
) -> Looked:
    visibility = "hidden" if hidden else "public"
    feedback = Feedback(outcome=outcome, sentence="Looks at X.", fault="" if outcome == "passed" else "Wrong.")
    return Looked(id, visibility, weight, feedback, find_changes(looks, visibility, trials))


def test_a_check_without_points_charges_nobody():
    seen = [looked("informs", trial(published=True), weight=0), looked("counts", trial(published=True))]
    told = settle(seen, first_changed(seen), None)
    assert (told["informs"].outcome, told["informs"].notes) == ("passed", ("changed its input X in place",))
    assert told["counts"].outcome == "failed"
    assert first_changed(seen[:1]) is None


def test_later_checks_are_judged_by_what_they_returned_and_say_where_it_is_charged():
    seen = [
        looked("a", trial(published=True)),
        looked("b", trial(published=True)),
        looked("c", trial(published=True, modified=())),
    ]
    told = settle(seen, first_changed(seen), None)
    assert [one.outcome for one in told.values()] == ["failed", "passed", "passed"]
    assert [one.notes for one in told.values()] == [(), ("changed its input X in place, which is charged above",), ()]


def test_a_public_check_that_shows_it_on_secret_inputs_alone_says_what_it_says_of_any_failure():
    seen = [looked("a", trial(published=True, modified=()), trial(published=False))]
    told = settle(seen, first_changed(seen), None)["a"]
    assert (told.outcome, told.fault) == ("failed", "Right on the published inputs, wrong on others of the same kind.")


def test_a_hidden_check_that_fails_anyway_says_no_more_than_before():
    seen = [looked("a", trial(published=False), outcome="failed", hidden=True)]
    assert settle(seen, first_changed(seen), None)["a"] == seen[0].feedback


def test_where_other_inputs_fail_for_another_reason_the_change_is_shown_first():
    seen = [looked("a", trial(published=True), outcome="error")]
    told = settle(seen, "a", None)["a"]
    assert told.fault.startswith("Changed its input X in place")
    assert '`check.replay("looks", 0)` shows it. Besides: Wrong.' in told.fault


def test_several_inputs_are_named_together():
    seen = [looked("a", trial(published=True, modified=("X", "y", "w")))]
    assert settle(seen, "a", None)["a"].fault.startswith("Changed its inputs X, y and w in place")


def test_what_is_declared_is_no_change():
    looks.mutates = frozenset({"X"})
    try:
        assert changed_inputs(looks, Answer("returned", modified=("X", "y"))) == ("y",)
        assert find_changes(looks, "public", [trial(published=True)]) == Changes()
    finally:
        looks.mutates = frozenset()
