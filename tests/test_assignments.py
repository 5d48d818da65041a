"""Every assignment is as the course promises: its questions, its bank of answers, and a solution that runs in Jupyter."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from redink.grader.assignment.assignment import Assignment, read_assignment
from redink.grader.course import Course

ROOT = Path(__file__).parents[1]
COURSE = Course.find(ROOT)
SLUGS = COURSE.slugs()
WITHOUT_TORCH = {"perceptron", "ridge"}


@pytest.fixture(scope="module", params=SLUGS)
def assignment(request) -> Assignment:
    return read_assignment(COURSE, request.param)


def concept_question(assignment: Assignment) -> Any:
    (question,) = [one for one in assignment.spec.questions if one.id == "concepts"]
    return question


def test_a_week_of_work_in_five_to_eight_core_questions(assignment):
    core = [question for question in assignment.spec.questions if question.tier == "core"]
    assert 5 <= len(core) <= 8
    assert 300 <= sum(question.minutes for question in core) <= 600
    assert all(question.minutes > 0 and question.points > 0 for question in assignment.spec.questions)


def test_there_are_extra_questions(assignment):
    assert any(question.tier == "extra" for question in assignment.spec.questions)


def test_a_core_question_of_six_to_ten_concepts_whose_key_stays_here(assignment):
    question = concept_question(assignment)
    items = [check for check in assignment.hidden if check.question == question.id and check.kind == "item"]
    assert question.tier == "core"
    assert 6 <= len(items) <= 10
    assert not [check for check in assignment.public if check.kind == "item"]


def test_no_word_is_the_key_of_two_concepts(assignment):
    names: dict[str, Any] = {}
    for cell in assignment.master.solved():
        if "concept_answers" in cell.source and "check(" not in cell.source:
            exec(cell.source, names)
    words = [str(answer).casefold() for answer in names["concept_answers"].values() if isinstance(answer, str)]
    assert None not in names["concept_answers"].values()
    assert len(set(words)) == len(words)


def test_the_bank_is_large_enough(assignment):
    assert len(assignment.misconceptions) >= 12
    assert len(assignment.alternatives) >= 10
    assert all(len(one.hint) <= 220 and "\n" not in one.hint for one in assignment.misconceptions)


def test_every_question_has_a_public_and_a_hidden_check(assignment):
    for question in assignment.spec.questions:
        assert [check for check in assignment.hidden if check.question == question.id], question.id
        if question.tier == "core":
            assert [check for check in assignment.public if check.question == question.id], question.id


def test_the_notebook_makes_at_least_two_plots(assignment):
    explored = [cell.source for cell in assignment.master.cells if cell.explore]
    assert sum("plt.show()" in source for source in explored) >= 2


def test_what_is_forbidden_is_said_in_the_notebook(assignment):
    prose = "\n".join(cell.source for cell in assignment.master.cells if cell.kind == "markdown")
    for question in assignment.spec.questions:
        for name in question.forbids:
            assert name.strip(".").rpartition(".")[2] in prose, f"{question.id} forbids {name}"


def test_only_torch_assignments_load_torch(assignment):
    sources = "\n".join(cell.source for cell in assignment.master.solved())
    imports = bool(re.search(r"^\s*(import|from) torch\b", sources, re.MULTILINE))
    assert imports <= assignment.spec.torch
    assert not (assignment.spec.torch and assignment.slug in WITHOUT_TORCH)


@pytest.mark.slow
@pytest.mark.parametrize("slug", SLUGS)
def test_the_solved_notebook_runs_in_a_real_kernel_with_its_plots(slug, tmp_path):
    redink = [sys.executable, "-m", "redink_cli"]
    subprocess.run([*redink, "distribute", slug, "--to", tmp_path], cwd=ROOT, check=True, capture_output=True)
    subprocess.run([*redink, "build", slug, "--solved", tmp_path / "s"], cwd=ROOT, check=True, capture_output=True)
    notebook = nbformat.read(tmp_path / "s" / f"{slug}.ipynb", as_version=4)
    NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(tmp_path / slug)}}).execute()
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    data = [output.data for output in outputs if "data" in output]
    cards = [one["text/plain"] for one in data if "public checks pass" in one.get("text/plain", "")]
    assert sum("image/png" in one for one in data) >= 2
    assert cards
    assert not [card for card in cards if "✗" in card]
    assert not [output.text for output in outputs if output.get("name") == "stderr"]
