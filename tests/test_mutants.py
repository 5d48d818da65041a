"""Mutants: each rule makes its edits, only solutions are edited, and names and draws stay what they are."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

from redink.grader.assignment.assignment import Assignment, read_assignment
from redink.grader.author.mutants import Mutant, draw, find_mutants
from redink.grader.author.mutation_rules import RULES
from redink.grader.course import Course


def edits(rule: str, source: str) -> list[str]:
    """List what a rule puts in the place of the nodes of a source."""
    made = (new for node in ast.walk(ast.parse(source)) for new in RULES[rule](node))
    return ["; ".join(" ".join(ast.unparse(one).split()) for one in new) for new in made]


@pytest.mark.parametrize(
    ("rule", "source", "made"),
    [
        ("operator", "a + b", ["a - b"]),
        ("operator", "a / b", ["a * b"]),
        ("operator", "a @ b", ["b @ a"]),
        ("operator", "a <= b", ["a < b"]),
        ("operator", "a and b", ["a or b"]),
        ("operator", "a & b", ["a | b"]),
        ("operator", "w -= g", ["w += g"]),
        ("operator", "not a", ["a"]),
        ("operator", "-a", ["a"]),
        ("operator", "a // b", []),
        ("constant", "0", ["1"]),
        ("constant", "1", ["0", "2"]),
        ("constant", "7", ["6", "8"]),
        ("constant", "0.5", ["0.25"]),
        ("constant", "0.0", ["1.0"]),
        ("constant", "1e-08", ["0.0", "1e-05"]),
        ("constant", "True", ["False"]),
        ("constant", "'mean'", []),
        ("axis", "x.sum(axis=0)", ["x.sum()", "axis=1"]),
        ("axis", "x.sum(dim=-1, keepdim=True)", ["x.sum(keepdim=True)", "x.sum(dim=-1)", "dim=0"]),
        ("axis", "x.sum(axis=(0, 2))", ["x.sum()", "axis=(0,)"]),
        ("axis", "x.sum(axis=k)", ["x.sum()"]),
        ("reduction", "x.mean(axis=0)", ["x.sum(axis=0)", "x"]),
        ("reduction", "np.max(x)", ["np.min(x)", "x"]),
        ("reduction", "max(x)", ["min(x)", "x"]),
        ("reduction", "sum(x)", ["x"]),
        ("reduction", "np.maximum(x, 0)", ["np.minimum(x, 0)"]),
        ("arguments", "f(a, b, c=1)", ["f(b, a, c=1)"]),
        ("arguments", "f(a, b, c)", ["f(b, a, c)", "f(a, c, b)"]),
        ("arguments", "np.maximum(a, b)", []),
        ("arguments", "f(*a, b)", []),
        ("copy", "x.copy()", ["x"]),
        ("copy", "x.detach()", ["x"]),
        ("copy", "copy.deepcopy(x)", ["x"]),
        ("copy", "np.array(x)", ["x"]),
        ("copy", "np.array([1, 2])", []),
        ("copy", "w = w - g", ["w -= g"]),
        ("copy", "w = v - g", []),
        ("stale", "w = np.zeros(3)", ["w = globals().setdefault('kept w', np.zeros(3))"]),
        ("stale", "def f(x):\n    return 2 * x", ["return globals().setdefault('kept result', 2 * x)"]),
        ("stale", "w = v", []),
        ("off-by-one", "range(n)", ["range(n - 1)", "range(n + 1)"]),
        ("off-by-one", "range(1, 5)", ["range(1, 4)", "range(1, 6)", "range(2, 5)"]),
        ("off-by-one", "x[1:]", ["2:", ":"]),
        ("off-by-one", "x[:-1]", [":", ":-2"]),
        ("off-by-one", "len(x)", ["len(x) - 1"]),
        ("default", "def f(x, n=3, of=None): pass", ["x, n=6, of=None"]),
        ("default", "def f(x, *, on=True): pass", ["x, *, on=False"]),
        ("statement", "n += 1", ["pass"]),
        ("statement", "a[0] = b", ["pass"]),
        ("statement", "x = f(x)", ["pass"]),
        ("statement", "x = f(y)", []),
        ("statement", "'words'", []),
        ("branch", "if a:\n    b()", ["b()", "pass"]),
        ("branch", "if a:\n    b()\nelse:\n    c()", ["b()", "c()"]),
        ("branch", "a if b else c", ["a", "c"]),
        ("branch", "with a:\n    b()\n    c()", ["b(); c()"]),
        ("branch", "[a for a in b if a > 0]", ["for a in b"]),
    ],
)  # fmt: skip
def test_a_rule_makes_its_edits_and_no_others(rule, source, made):
    assert edits(rule, source) == made


MASTER = '''
# %%
import numpy as np

from redink import check


# %%
def given(X):
    """Not a solution."""
    return X + 1


# %%
def unasked(X):
    """A solution that no question asks for."""
    ### BEGIN SOLUTION
    return X - 7
    ### END SOLUTION


# %%
def helper(X):
    """A solution that an asked function uses."""
    ### BEGIN SOLUTION
    return X * 3
    ### END SOLUTION


def centre(X, scale=2.0):
    """Not a solution either: the first line."""
    X = X / 5
    ### BEGIN SOLUTION
    if X.ndim == 1:
        return X
    return helper(given(X)) - X.mean(axis=0)
    ### END SOLUTION


# %% tags=["explore"]
def explore(X):
    ### BEGIN SOLUTION
    return centre(X) + 9
    ### END SOLUTION


# %%
check("centre")
'''


def assignment_of(desk: Any, master: str) -> Assignment:
    (desk.solution / "tiny.py").write_text(master, encoding="utf-8")
    return read_assignment(Course(desk.root), "tiny")


def mutants_of(desk: Any, master: str) -> tuple[Mutant, ...]:
    return find_mutants(assignment_of(desk, master))


def test_only_solutions_that_questions_need_are_edited_and_defaults(tiny):
    found = mutants_of(tiny, MASTER)
    assert {one.id.split(":")[1] for one in found} == {"helper", "centre"}
    assert all("/ 5" not in one.before for one in found)
    assert [one.id for one in found if one.rule == "default"] == [
        "default:centre:centre(X, scale=2.0): → centre(X, scale=1.0):"
    ]
    assert "operator:centre:if X.ndim == 1: → if X.ndim != 1:" in {one.id for one in found}


def test_a_mutant_is_the_solved_notebook_with_one_definition_changed(tiny):
    assignment = assignment_of(tiny, MASTER)
    (one,) = [one for one in find_mutants(assignment) if one.id == "operator:helper:return X * 3 → return X / 3"]
    assert (one.before, one.after) == ("return X * 3", "return X / 3")
    before = [cell.source for cell in assignment.solved]
    after = [cell.source for cell in one.cells(assignment.solved)]
    changed = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
    assert changed == [(before[3], before[3].replace("X * 3", "X / 3"))]


def test_methods_are_named_with_their_class(tiny):
    master = MASTER.replace("def helper(X):", "class helper:\n    def __call__(self, X):").replace(
        '    """A solution that an asked function uses."""\n    ### BEGIN SOLUTION\n    return X * 3\n    ### END SOLUTION',
        "        ### BEGIN SOLUTION\n        return X * 3\n        ### END SOLUTION",
    )
    ids = {one.id for one in mutants_of(tiny, master)}
    assert "operator:helper.__call__:return X * 3 → return X / 3" in ids


def test_what_compiles_to_the_same_code_is_no_mutant(tiny):
    found = mutants_of(tiny, MASTER.replace("return X * 3", "return np.hypot(X, X)[-0:]"))
    assert not [one.id for one in found if one.rule == "arguments" and ":helper:" in one.id]  # X, X is X, X
    assert not [one.id for one in found if one.rule == "operator" and ":helper:" in one.id]  # -0 is 0
    assert [one.id for one in found if one.rule == "stale" and ":helper:" in one.id]


def test_the_same_edit_in_two_places_has_two_names(tiny):
    found = mutants_of(tiny, MASTER.replace("return X * 3", "X = X * 3\n    X = X * 3\n    return X"))
    doubled = sorted(one.id for one in found if one.id.startswith("operator:helper:X = X * 3"))
    assert doubled == ["operator:helper:X = X * 3 → X = X / 3", "operator:helper:X = X * 3 → X = X / 3 #2"]


def test_names_and_draws_outlast_other_changes_of_the_master(tiny):
    first = mutants_of(tiny, MASTER)
    other = MASTER.replace("import numpy as np", "import numpy as np\n\nSIZE = 3")
    other = other.replace("    if X.ndim == 1:", "    # a vector\n    if X.ndim == 1:").replace(
        "return X - 7", "return X - 8"
    )
    second = mutants_of(tiny, other)
    assert [one.id for one in first] == [one.id for one in second]
    assert [one.id for one in draw(first, "tiny", 4, 9)] == [one.id for one in draw(second, "tiny", 4, 9)]
    more = {one.id for one in mutants_of(tiny, other.replace("return X * 3", "return 4 + X * 3"))}
    kept = {one.id for one in first if ":helper:" not in one.id}
    assert kept < more


def test_a_draw_takes_each_rule_in_turn_and_a_longer_one_begins_with_a_shorter(tiny):
    found = mutants_of(tiny, MASTER)
    rules = {one.rule for one in found}
    assert {one.rule for one in draw(found, "tiny", 0, len(rules))} == rules
    assert draw(found, "tiny", 0, 20)[:5] == draw(found, "tiny", 0, 5)
    assert draw(found, "tiny", 0, 8) != draw(found, "tiny", 1, 8)
    assert set(draw(found, "tiny", 0, 10_000)) == set(found)


@pytest.mark.parametrize("slug", ["perceptron", "transformer"])
def test_every_mutant_of_the_course_has_a_name_of_its_own(slug, root: Path):
    found = find_mutants(read_assignment(Course(root), slug))
    assert len({one.id for one in found}) == len(found) > 200
