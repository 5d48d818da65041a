"""The grader is graded: verify is clean where it should be, and names every promise that is broken on purpose."""

from __future__ import annotations

import json
from typing import Any

MASTER, HIDDEN, WRONG, RIGHT = "tiny.py", "hidden_checks.py", "misconceptions.py", "alternatives.py"


def verify(desk: Any, *options: str, code: int = 1) -> str:
    """Verify; give the lines that were printed, in one column however long they are."""
    done = desk.redink("verify", desk.slug, *options)
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout + done.stderr


def add(path: Any, text: str) -> None:
    path.write_text(path.read_text(encoding="utf-8") + text, encoding="utf-8")


def test_a_scaffolded_assignment_is_clean_at_once(tiny):
    said = verify(tiny, "--json", "found.json", code=0)
    (found,) = json.loads((tiny.root / "found.json").read_bytes())
    assert found["broken"] == found["missing"] == []
    assert found["kills"] == {
        "takes_the_mean_over_rows": ["subtracts_the_mean_of_each_column", "ignores_a_shift"],
    }
    assert "kill matrix" in said
    assert "11 specimens as they should be; 2 checks, 1 misconceptions" in said


def test_questions_that_use_each_other_and_concepts_are_clean(little):
    said = verify(little, code=0)
    assert "confuses_rows_and_columns  mean_runs_over, spread_is_a" in said


def test_a_wrong_reference_is_told(tiny):
    tiny.edit(tiny.solution / MASTER, "return X - X.mean(axis=0)", "return X - X.mean(axis=0) + 1")
    tiny.edit(tiny.solution / WRONG, 'old="X.mean(axis=0)"', 'old="X.mean(axis=0) + 1"')
    assert "✗ tiny: the reference fails its own check ignores_a_shift/s0" in verify(tiny)


def test_a_reference_that_raises_is_told_with_its_cell(tiny):
    tiny.edit(tiny.solution / MASTER, "import numpy as np", "import numpy as np\n1 / 0")
    assert "the reference fails in cell 2: ZeroDivisionError" in verify(tiny)


def test_a_check_that_nothing_fails_is_told_and_a_draft_may_have_it(tiny):
    add(tiny.assignment / "checks.py", ONE_ROW)
    assert "✗ no misconception fails the check keeps_the_number_of_rows (centre)" in verify(tiny)
    assert "· no misconception fails the check keeps_the_number_of_rows" in verify(tiny, "--draft", code=0)


ONE_ROW = '''

@check("centre")
def keeps_the_number_of_rows(rng, trial):
    """There are as many rows as before."""
    return dict(X=rng.normal(size=(4 + trial, 3)))


@keeps_the_number_of_rows.when
def _(student, X):
    return len(student.centre(X) @ np.ones(3)) + 0.5
'''


def test_a_misconception_that_is_not_caught_is_told(tiny):
    add(tiny.solution / WRONG, '\nmisconception("is_right", "centre", hint="?", old="X - X.mean(axis=0)", '
        'new="-(X.mean(axis=0) - X)")\n')  # fmt: skip
    assert "✗ the misconception is_right is not caught by centre" in verify(tiny)


def test_a_misconception_that_draws_the_hint_of_another_is_told(tiny):
    add(tiny.solution / WRONG, '\nmisconception("says_it_otherwise", "centre", hint="?", old="X.mean(axis=0)", '
        'new="X.mean(axis=-1, keepdims=True)")\n')  # fmt: skip
    assert "✗ the misconception says_it_otherwise draws the hint takes_the_mean_over_rows" in verify(tiny)


def test_a_misconception_that_also_loses_another_question_is_told(little):
    little.edit(little.assignment / "assignment.toml", 'uses = ["centre"]', "uses = []")
    said = verify(little)
    assert "✗ the misconception takes_the_mean_over_rows of centre also loses scale (has_unit_spread" in said


def test_an_alternative_that_fails_is_told(tiny):
    add(tiny.solution / RIGHT, '\nalternative("forgets_half", "centre", old="X.mean(axis=0)", new="X.mean(axis=0) / 2")\n')
    said = verify(tiny)
    assert "✗ the alternative forgets_half gets 0 of 100 in centre (subtracts_the_mean_of_each_column failed" in said


def test_a_check_that_trivial_answers_pass_is_told(tiny):
    add(tiny.assignment / "checks.py", ANYTHING)
    said = verify(tiny)
    assert "✗ the trivial answer 'none' passes may_be_anything (centre)" in said
    assert "✗ a constant 0 of the right form passes may_be_anything (centre)" in said


ANYTHING = '''

@check("centre")
def may_be_anything(rng):
    """The answer may be anything."""
    return dict(X=rng.normal(size=(3, 2)))


@may_be_anything.when
def _(student, X):
    return str(type(student.centre(X)))


@may_be_anything.then
def _(seen):
    assert seen is not None
'''


def test_an_edit_that_matches_nowhere_is_told(tiny):
    tiny.edit(tiny.solution / WRONG, 'old="X.mean(axis=0)"', 'old="X.median(axis=0)"')
    assert "misconception takes_the_mean_over_rows: 'X.median(axis=0)' matches 0 times in the master" in verify(tiny)


def test_an_edit_that_matches_twice_is_told(tiny):
    tiny.edit(tiny.solution / WRONG, 'old="X.mean(axis=0)"', 'old="centre"')
    assert "'centre' matches 2 times in the master, not once" in verify(tiny)


def test_a_definition_that_stands_nowhere_is_told(tiny):
    tiny.edit(tiny.solution / RIGHT, "def centre(X):", "def center(X):")
    assert "alternative loops_over_columns: a definition of center matches 0 times" in verify(tiny)


def test_a_core_question_without_alternative_is_missing_and_a_draft_may_lack_it(tiny):
    (tiny.solution / RIGHT).write_text("", encoding="utf-8")
    assert "✗ the core question centre has no alternative" in verify(tiny)
    said = verify(tiny, "--draft", code=0)
    assert "· the core question centre has no alternative" in said
    assert "1 things still missing" in said


def test_a_draft_that_is_wrong_still_fails(tiny):
    tiny.edit(tiny.solution / MASTER, "import numpy as np", "import numpy as np\n1 / 0")
    verify(tiny, "--draft")


def test_two_specimens_of_one_name_are_told(little):
    add(little.solution / WRONG, '\nmisconception("divides_by_the_variance", "ideas", hint="?", old="length", new="width")\n')
    assert "two specimens misconception divides_by_the_variance" in verify(little)
