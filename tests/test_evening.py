"""docs/instructor/a-course.md, typed line by line: from a handout to the grades in Canvas's own file."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

from tests import made_up_class
from tests.conftest import Desk
from tests.page_commands import command_lines
from tests.whole_way import gradebook_of_canvas, made_up


def test_what_the_page_shows_can_be_typed_as_it_stands(little: Desk, distributions: dict[str, Path]):
    (little.root / "dist").mkdir()
    shutil.copy(distributions["wheel"], little.root / "dist")
    made = made_up(little, 12)
    made_up_class.canvas(made, little.root)
    sheet = gradebook_of_canvas(made).replace("Little (1)", "Little (12345)")
    (little.root / "gradebook.csv").write_text(sheet, encoding="utf-8")
    late, other = (next(one.login for one in made.students if one.kind == kind) for kind in ("late", "right"))
    names = {
        "perceptron": "little",
        "Perceptron": "Little",
        "step": "scale",
        " ada ": f" {late} ",
        " ben ": f" {other} ",
    }
    said = {}
    for line in command_lines("docs/instructor/a-course.md"):
        line = line.removeprefix("redink ")
        for old, new in names.items():
            line = line.replace(old, new)
        done = little.redink(*shlex.split(line, comments=True))
        assert done.returncode == 0, f"{line}: {done.stderr}"
        said[line.split()[0]] = done.stdout
    assert list(said) == [
        "doctor", "distribute", "collect", "grade", "mistakes", "rejudge", "extend", "override", "report", "export",
        "history",
    ]  # fmt: skip
    assert "1 late by an unknown time, which costs nothing unless --times says when: " in said["collect"]
    assert said["collect"].splitlines()[-1] == "next: redink grade little"
    assert (little.root / "handouts/little" / distributions["wheel"].name).is_file()
    assert "next: redink report little --to report/" in said["grade"]
    assert f"{late}: time until 2026-11-22 23:59; 100" in said["extend"]
    assert f"{other}: 75 (was 100)" in said["override"]
    assert "feedback-canvas.zip: feedback for 11 of 11" in said["report"]
    assert "11 grades in 'Little (12345)'" in said["export"]
    assert "extended until 2026-11-22 23:59 by " in said["history"]
    filled = (little.root / "gradebook.filled.csv").read_text(encoding="utf-8")
    assert sum(line.split(",")[-2] == "" for line in filled.splitlines()[2:]) == 1
