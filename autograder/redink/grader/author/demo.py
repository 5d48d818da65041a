"""A made-up class: right, blank, wrong in known ways, right in other ways, and the accidents of a real deadline.

The whole class has every misconception and every alternative; a small one has the first of each for every core question.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from redink.assignment.handout import list_assignments
from redink.assignment.spec import Spec
from redink.checks.specimens import Specimen
from redink.grader.assignment.assignment import Assignment
from redink.grader.assignment.master import edited
from redink.grader.author.build import notebook, student_notebook
from redink.grader.course import Course
from redink.records import Cell

Size = Literal["whole", "small"]

_QUICK = ("eve_syntax_error", "fay_not_a_notebook")  # accidents that cost no time


def choose(course: Course, everything: bool) -> Sequence[tuple[str, Size]]:
    """Choose assignments, and the size of their class: the first and one that needs torch, or all of them."""
    complete = set(course.slugs())
    specs = [spec for spec in list_assignments(course.assignments) if spec.slug in complete]
    light = sorted((spec for spec in specs[1:] if spec.torch), key=lambda spec: spec.limits.check_cpu)
    others: list[Spec] = specs[1:] if everything else light[:1]
    return [*((spec.slug, "whole") for spec in specs[:1]), *((spec.slug, "small") for spec in others)]


def make_class(assignment: Assignment, target: Path, size: Size) -> int:
    """Write one folder for each made-up student; return how many there are."""
    whole = size == "whole"
    solved, skip = assignment.master.solved(), assignment.master.explorations()
    handed_in = {"ada_right": _written(assignment, solved), "ben_blank": student_notebook(assignment)}
    for kind, specimens in (("wrong", assignment.misconceptions), ("other", assignment.alternatives)):
        for specimen in specimens if whole else _first_of_each_question(assignment, specimens):
            handed_in[f"{kind}_{specimen.id}"] = _written(assignment, edited(solved, specimen, skip))
    accidents = _accidents(assignment, solved)
    handed_in |= accidents if whole else {name: accidents[name] for name in _QUICK}
    for name, text in handed_in.items():
        path = target / name / f"{assignment.slug}.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return len(handed_in)


def _first_of_each_question(assignment: Assignment, specimens: tuple[Specimen, ...]) -> list[Specimen]:
    core = [question.id for question in assignment.spec.questions if question.tier == "core"]
    first = {specimen.question: specimen for specimen in reversed(specimens)}
    return [first[question] for question in core if question in first]


def _accidents(assignment: Assignment, solved: tuple[Cell, ...]) -> dict[str, str]:
    right = json.loads(_written(assignment, solved))
    used = {id for question in assignment.spec.questions for id in question.uses}
    alone = next(question.asks[0] for question in assignment.spec.questions if question.id not in used)
    return {
        "cyd_endless_cell": _with(right, "while True:\n    pass"),
        "dee_endless_function": _with(right, f"def {alone}(*args):\n    while True:\n        pass"),
        "eve_syntax_error": _with(right, "def broken(:\n    pass"),
        "fay_not_a_notebook": "Dear professor, my notebook is attached.\n",
        "gus_truncated": json.dumps(right)[:5000],
        "hal_leaves_early": _with(right, "import os\nos._exit(0)"),
    }


def _with(document: dict[str, list[object]], source: str) -> str:
    cell: dict[str, object] = {
        "cell_type": "code",
        "id": "last",
        "metadata": {},
        "execution_count": None,
        "outputs": [],
        "source": source,
    }
    return json.dumps({**document, "cells": [*document["cells"], cell]}, indent=1)


def _written(assignment: Assignment, cells: tuple[Cell, ...]) -> str:
    sources = {cell.index: cell.source for cell in cells}
    return notebook(assignment, lambda index, _: sources[index])
