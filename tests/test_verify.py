"""The grader is graded: verify is clean where it should be, and names every promise that is broken on purpose."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

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
    assert "20 specimens as they should be; 2 checks, 1 misconceptions" in said


def test_questions_that_use_each_other_and_concepts_are_clean(little):
    said = verify(little, code=0)
    assert "confuses_rows_and_columns  mean_runs_over, spread_is_a" in said


def test_a_wrong_reference_is_told(tiny):
    tiny.edit(tiny.solution / MASTER, "return X - X.mean(axis=0)", "return X - X.mean(axis=0) + 1")
    tiny.edit(tiny.solution / WRONG, 'old="X.mean(axis=0)"', 'old="X.mean(axis=0) + 1"')
    assert "✗ tiny: the reference fails its own check ignores_a_shift (secret trial 0): " in verify(tiny)


def test_a_reference_that_raises_is_told_with_its_cell_and_is_wrong_in_a_draft_too(tiny):
    tiny.edit(tiny.solution / MASTER, "import numpy as np", "import numpy as np\n1 / 0")
    assert "the reference fails in cell 2: ZeroDivisionError" in verify(tiny, "--draft")


def test_a_given_that_is_not_a_function_of_its_seed_is_told(tiny):
    checks = tiny.assignment / "checks.py"
    tiny.edit(checks, "rng.integers(-9, 10", "__import__('numpy').random.randint(-9, 10")
    assert "its given makes other inputs each time; draw from rng alone" in verify(tiny)


def test_a_sample_tries_some_misconceptions_and_says_so(little):
    said = verify(little, "--sample", "--json", "found.json", code=0)
    (found,) = json.loads((little.root / "found.json").read_bytes())
    assert found["sampled"] is True
    assert len(found["kills"]) == 1
    assert "a sample of the misconceptions" in said
    assert not list((little.root / ".redink").glob("keys/*"))  # half a bank is no answer key


@pytest.fixture(scope="session")
def broken(shared, tiny_course) -> str:
    """What verify says of an assignment in which several promises are broken at once."""

    def fill(root: Path) -> None:
        shutil.copytree(tiny_course, root, dirs_exist_ok=True)
        add(root / "assignments/tiny/checks.py", ANYTHING + STUMBLING)
        add(root / "solutions/tiny" / WRONG, WRONGER)
        add(root / "solutions/tiny" / RIGHT, NOT_RIGHT)
        command = [sys.executable, "-m", "redink_cli", "verify", "tiny"]
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
        assert done.returncode == 1, done.stderr
        (root / "said.txt").write_text(done.stdout, encoding="utf-8")

    return (shared("broken", fill) / "said.txt").read_text(encoding="utf-8")


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

STUMBLING = '''

@check("centre")
def has_three_rows(rng):
    """The answer has a row for each example."""
    return dict(X=rng.normal(size=(3, 2)))


@has_three_rows.view
def _(seen):
    return seen.reshape(3, 2)
'''

WRONGER = """
misconception("forgets_the_examples", "centre", hint="?", old="X - X.mean(axis=0)", new="X.mean(axis=0)")
misconception("is_right", "centre", hint="?", old="X - X.mean(axis=0)", new="-(X.mean(axis=0) - X)")
misconception("says_it_otherwise", "centre", hint="?", old="X.mean(axis=0)", new="X.mean(axis=-1, keepdims=True)")
"""

NOT_RIGHT = """
alternative("forgets_half", "centre", old="X.mean(axis=0)", new="X.mean(axis=0) / 2")
"""


def test_a_check_that_nothing_fails_is_told(broken):
    assert "✗ no misconception fails the check may_be_anything (centre)" in broken


def test_a_misconception_that_is_not_caught_is_told(broken):
    assert "✗ the misconception is_right is not caught by centre" in broken
    assert "is_right                  nothing" in broken


def test_a_misconception_that_draws_the_hint_of_another_is_told(broken):
    assert "✗ the misconception says_it_otherwise draws the hint takes_the_mean_over_rows" in broken


def test_an_alternative_that_fails_is_told(broken):
    assert "✗ the alternative forgets_half gets 25 of 100 in centre (subtracts_the_mean_of_each_column failed" in broken


def test_a_check_that_trivial_answers_pass_is_told(broken):
    assert "✗ the trivial answer 'none' passes may_be_anything (centre)" in broken
    assert "✗ a constant 0 of the right form passes may_be_anything (centre)" in broken


def test_a_view_that_stumbles_over_a_wrong_answer_is_told(broken):
    assert "✗ the view of has_three_rows cannot read what the misconception forgets_the_examples gives" in broken


def test_what_is_broken_and_missing_is_counted(broken):
    assert broken.splitlines()[-1].endswith("broken, 1 missing")


@pytest.mark.parametrize(
    ("more", "new", "told"),
    [
        ("", "X * (lambda: [0 for _ in iter(int, 1)])()", "it never ends, or is ended, and so are many other mistakes"),
        ("""

@subtracts_the_mean_of_each_column.then
def _(seen, expected):
    assert abs(seen - expected).max() < 1e-3


@subtracts_the_mean_of_each_column.view
def _(seen):
    return "a table"
""", "X - X.mean(axis=0) + 1",
         "it fails subtracts_the_mean_of_each_column, and yet what it returns there is the same as the reference's"),
    ],
    ids=["it never ends", "a view that is too coarse"],
)  # fmt: skip
def test_why_a_misconception_draws_no_hint_is_told(tiny, more, new, told):
    toml = tiny.assignment / "assignment.toml"
    toml.write_text(toml.read_text().replace("[[questions]]", "[limits]\ncheck_cpu = 0.1\n\n[[questions]]", 1))
    add(tiny.assignment / "checks.py", more)
    hint = 'hint="Think again.", old="X - X.mean(axis=0)"'
    add(tiny.solution / WRONG, f'\nmisconception("says_nothing", "centre", {hint}, new="{new}")\n')
    assert f"✗ the misconception says_nothing draws no hint: {told}" in verify(tiny)


HELPER = "def without_mean(X):\n    return X - X.mean(axis=0)"


def test_a_misconception_that_also_loses_another_question_is_told(little):
    master = little.solution / "little.py"
    little.edit(little.assignment / "assignment.toml", 'uses = ["centre"]', "uses = []")
    little.edit(master, "return X - X.mean(axis=0)\n", "return without_mean(X)\n")
    little.edit(master, "from redink import check\n", f"from redink import check\n\n{HELPER}\n")
    little.edit(master, "centred = centre(X)", "centred = without_mean(X)")
    little.edit(little.solution / RIGHT, 'old="return X - X.mean"', 'old="return X - X.mean(axis=0)"')
    little.edit(little.solution / RIGHT, 'return X - X.mean"', 'return X - X.mean(axis=0)"')
    said = verify(little)
    assert "✗ the misconception takes_the_mean_over_rows of centre also loses scale (has_unit_spread" in said


def test_a_use_that_is_not_said_is_told(little):
    little.edit(little.assignment / "assignment.toml", 'uses = ["centre"]', "uses = []")
    assert 'scale calls centre, which centre asks for; add "centre" to the uses of scale' in verify(little)


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


def test_two_specimens_of_one_name_are_told(little):
    add(
        little.solution / WRONG,
        '\nmisconception("divides_by_the_variance", "ideas", hint="?", old="length", new="width")\n',
    )
    assert "two specimens called misconception divides_by_the_variance" in verify(little)


SHARES = '''

@check("centre")
def the_rows_sum_to_the_right_number(rng):
    """The shifted rows are right."""
    return dict(X=rng.normal(size=(4, 3)))


@the_rows_sum_to_the_right_number.then
def _(seen, expected):
    {}
'''


@pytest.fixture
def judging(tiny) -> Any:
    """Add a check with a `then` of its own to the tiny course and give what verify says of it."""

    def say(then: str, code: int = 1) -> str:
        add(tiny.assignment / "checks.py", "\nimport numpy as np\n" + SHARES.format(then))
        return verify(tiny, code=code)

    return say


def test_an_exact_comparison_is_told(judging):
    said = judging("assert np.array_equal(seen, expected)")
    lost = r"gets [\d.]+ of 100 in centre \(the_rows_sum_to_the_right_number failed"
    assert re.search(f"✗ the reference with rounding noise {lost}", said)
    assert re.search(f"✗ the reference in float32 {lost}", said)


def test_a_comparison_that_is_too_fine_for_float32_is_told_unless_the_question_asks_for_doubles(judging, tiny):
    said = judging("assert np.abs(seen - expected).max() < 1e-9")
    assert "✗ the reference in float32 gets" in said
    assert "rounding noise" not in said
    tiny.edit(tiny.assignment / "assignment.toml", 'asks = ["centre"]', 'asks = ["centre"]\nprecision = "double"')
    assert "the reference in float32" not in verify(tiny, code=0)


def test_a_check_that_empty_answers_pass_is_told(judging):
    said = judging("assert np.allclose(seen.sum(axis=1), expected.sum(axis=1)[: len(seen)], atol=1e-5)")
    assert "✗ an empty answer of the right rank passes the_rows_sum_to_the_right_number (centre)" in said
    assert "everything in it twice" not in said


def test_a_check_that_stretched_answers_pass_is_told(judging):
    said = judging("assert np.allclose(seen.std(axis=0), expected.std(axis=0), atol=1e-5)")
    assert "✗ an answer with everything in it twice passes the_rows_sum_to_the_right_number (centre)" in said


def test_a_tolerance_that_is_taken_from_the_answer_is_told(judging):
    said = judging("assert abs(seen.sum() - expected.sum()) <= 1e-4 * seen.max() ** 2")
    assert "✗ a constant 1e16 of the right form passes the_rows_sum_to_the_right_number (centre)" in said


STUMBLES = """for row in seen:
        last = row
    assert len(seen) == 4 and np.allclose(seen, expected, atol=1e-5), str(last)"""


def test_a_then_that_stumbles_over_a_wrong_answer_by_its_own_mistake_is_told(judging):
    said = " ".join(judging(STUMBLES).split())
    told = (
        "check the_rows_sum_to_the_right_number: its then raised UnboundLocalError: cannot access local variable 'last'"
    )
    assert said.count(told) == 1
    assert re.search(r"checks\.py, line \d+\); the check must be mended \(met by ", said)


def test_a_then_that_stumbles_by_its_own_mistake_costs_no_student_a_point(tiny):
    add(tiny.assignment / "checks.py", "\nimport numpy as np\n" + SHARES.format(STUMBLES))
    tiny.hand_in("ada")
    tiny.hand_in("ben", {4: "def centre(X):\n    return X[:0]"})
    done = tiny.redink("grade", "tiny", "class", "--json", "out.json")
    assert done.returncode == 1
    results = {one["submission"]["id"]: one for one in json.loads((tiny.root / "out.json").read_bytes())["results"]}
    assert (results["ada"]["state"], results["ada"]["score"]) == ("graded", 100)
    assert results["ben"]["state"] == "internal_error"  # no grade until the check is mended
    assert results["ben"]["reason"].startswith("Redink failed, not the student: check the_rows_sum_to_the_right_number")


def test_an_old_handout_is_told_by_verify_and_by_grade(tiny):
    tiny.hand_in("ada")
    assert "published.json" not in verify(tiny, code=0) + tiny.redink("grade", "tiny", "class").stdout
    tiny.edit(tiny.solution / WRONG, "and which over the features?", "and which over features?")
    told = "published.json of tiny is older than its master, checks"
    assert f"· {told}" in verify(tiny, code=0)
    graded = tiny.redink("grade", "tiny", "class")
    assert graded.returncode == 0
    assert told in graded.stdout
    assert "run `redink build tiny` and hand it out again" in " ".join(graded.stdout.split())
    assert tiny.redink("build", "tiny").returncode == 0
    assert "published.json" not in verify(tiny, code=0) + tiny.redink("grade", "tiny", "class").stdout
