"""What a judgement is keyed by: the same text in every process, and another one as soon as anything it rests on changes."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from redink.assignment.load import load_module
from redink.grader.assignment.sources import source_of

FILE = """
import math
from math import tau as turn
import numpy as np

BENDS = {"tanh": lambda Z: np.tanh(Z), "none": lambda Z: Z}
BENDS["half"] = lambda Z: Z / 2
LIMITS = [1.0]
LIMITS.append(2.0)
TABLE = np.arange(3)
UNUSED = 7


class Shape:
    sides = 4


def helper(x):
    return math.floor(x) + TABLE[0]


def judged(seen):
    for _ in range(3):
        seen = BENDS["half"](seen) + LIMITS[0] + Shape.sides + turn
    return helper(seen)


def _(other):
    return "nobody asked"
"""

CHANGES = {
    "a function in a table": ("np.tanh(Z)", "np.sinh(Z)"),
    "an entry made later": ("Z / 2", "Z / 3"),
    "an item added later": ("append(2.0)", "append(2.5)"),
    "an array that a helper reads": ("np.arange(3)", "np.arange(4)"),
    "a class": ("sides = 4", "sides = 5"),
    "what a name is imported from": ("tau as turn", "pi as turn"),
    "the helper": ("math.floor", "math.ceil"),
    "the function itself": ("in range(3)", "in range(2)"),
}
NO_CHANGES = {
    "a constant it does not read": ("UNUSED = 7", "UNUSED = 8"),
    "a function whose name it only binds": ("nobody asked", "still nobody asked"),
}


def said(folder: Path, source: str) -> str:
    path = folder / f"checks{len(list(folder.iterdir()))}.py"
    path.write_text(source)
    return source_of(load_module(path.stem, source, str(path)).judged)


@pytest.mark.parametrize("old, new", CHANGES.values(), ids=CHANGES)
def test_a_change_in_what_a_function_rests_on_is_seen(tmp_path, old, new):
    assert FILE.count(old) == 1
    assert said(tmp_path, FILE) != said(tmp_path, FILE.replace(old, new))


@pytest.mark.parametrize("old, new", NO_CHANGES.values(), ids=NO_CHANGES)
def test_a_change_elsewhere_is_not(tmp_path, old, new):
    assert FILE.count(old) == 1
    assert said(tmp_path, FILE) == said(tmp_path, FILE.replace(old, new))


def test_a_table_of_functions_reads_the_same_twice(tmp_path):
    assert said(tmp_path, FILE) == said(tmp_path, FILE)


def test_a_function_torn_out_of_a_longer_statement_is_seen_too(tmp_path):
    torn = "judged = (lambda f: f)(\n    *[1][1:]\n    , f=lambda seen: seen + 1\n)\n"
    with pytest.raises(SyntaxError):
        ast.parse(torn.splitlines()[2].strip())
    assert said(tmp_path, torn) != said(tmp_path, torn.replace("+ 1", "+ 2"))


ALL_KEYS = """
import sys
from redink.assignment.trials import make_trials
from redink.checks.seeds import PUBLISHED
from redink.grader.assignment.assignment import read_assignment
from redink.grader.course import Course
from redink.grader.answer_key.make import judged_by
from redink.grader.digests import digest
from redink.grader.assignment.reference import Reference
course = Course.find()
for slug in course.slugs():
    assignment = read_assignment(course, slug)
    reference = Reference(assignment.master)
    for check in assignment.checks:
        inputs = [trial.inputs for trial in make_trials(slug, check, PUBLISHED, reference)]
        print(slug, check.id, judged_by(check), digest(*inputs))
"""


def test_two_processes_agree_on_every_key_of_every_assignment():
    """Else nothing would ever be reused, and everybody's code would run again."""
    first, second = (
        subprocess.run(
            [sys.executable, "-c", ALL_KEYS],
            cwd=Path(__file__).parent,
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
            text=True,
        ).stdout.splitlines()
        for seed in "12"
    )
    assert {line.split()[0] for line in first} >= {"perceptron", "mlp", "bert"}
    assert first == second


def test_what_an_author_imports_is_named_by_the_stamps_and_not_followed(tmp_path):
    path = tmp_path / "checks.py"
    path.write_text(
        "from typing import NamedTuple\nfrom redink_datasets import separable\n"
        "Pair = NamedTuple('Pair', [('a', int)])\n"
        "def given(rng):\n    return dict(pair=Pair(1), data=separable(rng, 4, 2))\n",
        encoding="utf-8",
    )
    followed = source_of(load_module("imports", path.read_text(encoding="utf-8"), str(path)).given)
    assert "Pair = NamedTuple('Pair', [('a', int)])" in followed
    assert "def " not in followed.replace("def given", "")
