"""Generating the student's side from the master, and telling drift."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

GENERATED = ("tiny.ipynb", "README.md", "published.json")
SOURCES = "the solutions, the checks, the misconceptions or their hints"


def check(desk: Any, code: int) -> str:
    done = desk.redink("build", "--check")
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout


def refused(desk: Any) -> str:
    """Build what cannot be built; give the one sentence."""
    done = desk.redink("build", desk.slug)
    assert done.returncode == 1, done.stdout
    assert len(done.stderr.splitlines()) == 1, done.stderr
    return done.stderr


def test_a_fresh_build_has_not_drifted_and_a_second_one_gives_the_same_bytes(tiny):
    first = {name: (tiny.assignment / name).read_bytes() for name in GENERATED}
    assert check(tiny, 0) == "tiny: up to date\n"
    for name in GENERATED:
        (tiny.assignment / name).unlink()
    done = tiny.redink("build")
    assert [Path(line).name for line in done.stdout.splitlines()] == list(GENERATED)
    assert {name: (tiny.assignment / name).read_bytes() for name in GENERATED} == first


def test_the_students_notebook_has_prose_and_stubs_and_no_solution(tiny):
    document = json.loads((tiny.assignment / "tiny.ipynb").read_bytes())
    sources = ["".join(cell["source"]) for cell in document["cells"]]
    assert "## Centre the data" in sources[2]
    assert sources[3].endswith('    raise NotImplementedError("centre is yours to write")')
    assert "SOLUTION" not in "".join(sources)
    assert "X.mean" not in "".join(sources)
    assert all(cell.get("outputs", []) == [] for cell in document["cells"])


def test_a_concept_question_is_handed_out_with_none_and_explorations_with_their_tag(little):
    document = json.loads((little.assignment / "little.ipynb").read_bytes())
    asked = next("".join(cell["source"]) for cell in document["cells"] if "answers = {" in "".join(cell["source"]))
    assert asked == 'answers = {\n    "mean_runs_over": None,\n    "spread_is_a": None,\n}'
    assert document["cells"][-1]["metadata"] == {"tags": ["explore"]}


def test_the_notebook_is_valid(little):
    import nbformat

    nbformat.validate(nbformat.read(little.assignment / "little.ipynb", as_version=4))


def test_a_changed_master_and_a_hand_edited_file_are_drift_and_checking_writes_nothing(tiny):
    tiny.edit(tiny.solution / "tiny.py", "why it matters.", "why it matters to you.")
    tiny.edit(tiny.assignment / "README.md", "# Tiny", "# Very tiny")
    before = {path: path.read_bytes() for path in tiny.assignment.iterdir()}
    assert check(tiny, 1).splitlines() == [
        "tiny: tiny.ipynb is not what the master gives now",
        "tiny: README.md is not what the master gives now",
    ]
    assert {path: path.read_bytes() for path in tiny.assignment.iterdir()} == before


def test_a_hand_edited_notebook_is_drift(tiny):
    tiny.edit(tiny.assignment / "tiny.ipynb", "Centre the data", "Center the data")
    assert check(tiny, 1) == "tiny: tiny.ipynb is not what the master gives now\n"


def test_a_changed_value_is_drift(tiny):
    path = tiny.assignment / "published.json"
    published = json.loads(path.read_bytes())
    one, two, *_ = published["expected"]
    published["expected"][one] = published["expected"][two]
    path.write_text(json.dumps(published), encoding="utf-8")
    named = "subtracts_the_mean_of_each_column (published trial 0)"
    assert check(tiny, 1) == f"tiny: published.json: the expected value of {named} has changed\n"


def test_a_changed_hint_is_drift(tiny):
    tiny.edit(tiny.solution / "misconceptions.py", "Which axis runs", "Which axis, then, runs")
    assert check(tiny, 1) == f"tiny: published.json: {SOURCES} have changed\n"


def test_a_changed_misconception_is_drift_though_none_is_run(tiny):
    tiny.edit(tiny.solution / "misconceptions.py", "mean(axis=1", "sum(axis=1")
    assert check(tiny, 1) == f"tiny: published.json: {SOURCES} have changed\n"


def test_what_a_misconception_gives_may_hang_on_the_machine(tiny):
    path = tiny.assignment / "published.json"
    published = json.loads(path.read_bytes())
    gives = published["misconceptions"][0]["gives"]
    one, two, *_ = gives
    gives[one] = gives[two]
    path.write_text(json.dumps(published), encoding="utf-8")
    assert check(tiny, 0) == "tiny: up to date\n"


def test_a_new_check_is_drift(tiny):
    tiny.edit(tiny.assignment / "checks.py", '@check("centre")', '@check("centre", trials=4)')
    assert check(tiny, 1) == "tiny: published.json: the public checks or their trials have changed\n"


@pytest.mark.parametrize("content", [None, "{", '{"expected": 3}'])
def test_missing_or_damaged_values_are_drift(tiny, content):
    path = tiny.assignment / "published.json"
    path.unlink() if content is None else path.write_text(content, encoding="utf-8")
    assert check(tiny, 1) == "tiny: published.json is missing or damaged\n"


def test_the_solved_notebook_is_written_elsewhere_and_gets_full_marks(little):
    done = little.redink("build", "--solved", "solved", boxes=False)
    assert done.returncode == 0, done.stderr
    assert little.grade("solved/little.ipynb")["solved"]["score"] == 100.0
    assert "BEGIN SOLUTION" not in (little.root / "solved/little.ipynb").read_text(encoding="utf-8")


def test_no_bytecode_is_left_beside_the_checks(tiny):
    done = tiny.redink("build", env={"PYTHONDONTWRITEBYTECODE": None}, boxes=False)
    assert done.returncode == 1  # it got as far as the boxes
    assert not list(tiny.root.rglob("*.pyc"))


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("    ### END SOLUTION\n", "", "cell 4: ### BEGIN SOLUTION without ### END SOLUTION"),
        ("    ### BEGIN SOLUTION\n", "", "cell 4: ### END SOLUTION without ### BEGIN SOLUTION"),
        ("    ### END SOLUTION\n", "    ### BEGIN SOLUTION\n", "cell 4: ### BEGIN SOLUTION inside a solution"),
    ],
)
def test_solution_marks_out_of_balance_are_told_with_their_cell(tiny, old, new, told):
    tiny.edit(tiny.solution / "tiny.py", old, new)
    assert told in refused(tiny)


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("return helper(student.centre(X))", "its when uses helper, which the box does not have"),
        ("return [math.pi for _ in X]", "its when uses math"),
        ("return student.centre(X) == 0", "its when compares (student.centre(X) == 0)"),
        ("return np.allclose(student.centre(X), 0)", "its when compares"),
        ("assert student.centre(X) is None", "its when asserts"),
    ],
)
def test_a_when_that_judges_or_uses_a_free_name_is_refused_with_its_check(tiny, body, told):
    tiny.edit(tiny.solution / "hidden_checks.py", "return student.centre(X), student.centre(X + shift)", body)
    said = refused(tiny)
    assert "check ignores_a_shift: " in said
    assert told in said


@pytest.mark.parametrize(
    ("file", "old", "new", "told"),
    [
        ("assignments/tiny/assignment.toml", "points = 100", "points = 0", "the core questions have no points"),
        ("assignments/tiny/assignment.toml", "title =", "titel =", "assignment.toml: "),
        ("assignments/tiny/assignment.toml", 'slug = "tiny"', 'slug = "other"', "the slug is 'other', but the folder"),
        ("assignments/tiny/checks.py", '@check("centre")', '@check("center")', "tiny has no question 'center'"),
        ("assignments/tiny/checks.py", '    """Each column', '    f"""Each column', "has no sentence"),
        ("assignments/tiny/checks.py", "from redink", "from rednik", "ModuleNotFoundError"),
        (
            "solutions/tiny/hidden_checks.py",
            "ignores_a_shift",
            "subtracts_the_mean_of_each_column",
            "there are two checks called",
        ),
        ("solutions/tiny/misconceptions.py", 'hint="Which', 'hint="" and "Which', "a misconception needs a hint"),
    ],
)
def test_a_mistake_of_the_author_is_one_sentence_that_says_where(tiny, file, old, new, told):
    path = tiny.root / file
    tiny.edit(path, old, new, count=path.read_text(encoding="utf-8").count(old))
    assert told in refused(tiny)
