"""The tutorial for authors and the reference pages, held to what there is."""

from __future__ import annotations

import re
import shutil
import textwrap
from pathlib import Path
from typing import Any

import click
import pytest

from redink.grader.desk.collecting import RECEIPT
from redink.grader.rules.course_rules import AssignmentRules, CourseRules
from redink.judging.feedback import Feedback
from redink.records import CellRun
from redink.student.homework import QuestionReport
from redink.student.submitting import HandInFile
from redink.student.terminal import CheckedNotebook
from redink_cli.app import COMMANDS, redink
from tests.conftest import Desk, write_notebook
from tests.page_commands import ROOT

AFTERNOON = (ROOT / "docs/author/an-afternoon.md").read_text(encoding="utf-8")
STEPS = re.compile(
    r"^ {4}((?:redink|mkdir) [^\n]*)$|^```python\n# (\S+), at the end\n(.*?)^```$", re.MULTILINE | re.DOTALL
)


@pytest.mark.slow
def test_an_assignment_can_be_written_in_an_afternoon_as_the_page_says(tmp_path: Path):
    desk = Desk(tmp_path, "averages")
    said: dict[str, str] = {}
    steps = 0
    for command, file, text in STEPS.findall(AFTERNOON):
        steps += 1
        if file:
            path = tmp_path / file
            path.write_text(f"{path.read_text(encoding='utf-8')}\n\n{text}", encoding="utf-8")
        elif command.startswith("mkdir "):
            for name in command.split()[1:]:
                (tmp_path / name).mkdir()
        else:
            done = desk.redink(*command.split()[1:])
            assert done.returncode == (1 if command.startswith("redink check") else 0), f"{command}: {done.stderr}"
            said[command] = done.stdout
    assert steps == 12
    proved = said["redink verify averages"]
    assert re.search(r"takes_one_mean_of_everything +subtracts_the_mean_of_each_column", proved)
    assert "3 checks, 2 misconceptions" in proved
    assert "not written yet" in said["redink check handouts/averages/averages.ipynb"]


def test_the_readme_shows_what_a_student_sees(tmp_path: Path):
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = re.search(r"^ {4}\$ redink (check .*)\n((?: {4}.*\n)+)", text, re.MULTILINE)
    assert shown is not None
    folder = tmp_path / "perceptron"
    shutil.copytree(ROOT / "assignments/perceptron", folder)
    step = "def perceptron_step(w, x, y):\n    return (w + y * x, True) if y * (w @ x) < 0 else (w, False)"
    write_notebook(folder / "perceptron.ipynb", ["import numpy as np", step])
    done = Desk(folder, "perceptron").redink(*shown[1].split())
    assert done.stdout == textwrap.dedent(shown[2])


@pytest.mark.parametrize(
    ("page", "records"),
    [
        ("docs/instructor/course-toml.md", (CourseRules, AssignmentRules)),
        ("docs/formats.md", (CheckedNotebook, QuestionReport, Feedback, CellRun, HandInFile)),
    ],
)
def test_a_page_names_every_key(page: str, records: tuple[Any, ...]):
    text = (ROOT / page).read_text(encoding="utf-8")
    for record in records:
        for name in record.__struct_fields__:
            assert re.search(rf"`\[?{name}(?:\[\]|\]|\.SLUG\])?`", text), f"{record.__name__}.{name}"


def test_the_page_of_formats_names_every_column_of_a_receipt():
    text = (ROOT / "docs/formats.md").read_text(encoding="utf-8").partition("## Receipts")[2]
    assert re.findall(r"`(\w+)`", text) == list(RECEIPT)


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_option_says_what_it_does(name: str):
    command = redink.get_command(click.Context(redink), name)
    assert command is not None
    options = [one for one in command.params if isinstance(one, click.Option)]
    assert [one.opts for one in options if not one.help] == []
    assert "Example: redink" in (command.help or "")
