"""CONTRIBUTING.md draws the house; these tests hold the drawing to the code, and the code to the rules of the house."""

from __future__ import annotations

import ast
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from redink.grader.answer_key.keep import _path
from redink.grader.course import Course
from redink.grader.store.lock import Lock

ROOT = Path(__file__).parents[1]
LIBRARY = ROOT / "autograder/redink"
TOPS = (LIBRARY, ROOT / "cli/redink_cli", ROOT / "datasets/redink_datasets")
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
STAGES = ("collect", "load", "observe", "judge", "diagnose", "score", "record", "report")
MOST_LINES = 100
MOST_MODULES = 12
_PATH = re.compile(r"(?<![\w./-])(?:[\w.-]+/)+(?:[\w.-]*\w)?|(?<![\w./-])\w+\.(?:py|md|toml|txt)\b")


def packages() -> list[Path]:
    return sorted(path.parent for top in TOPS for path in top.rglob("__init__.py"))


def modules() -> list[Path]:
    return sorted(path for top in TOPS for path in top.rglob("*.py"))


def documented(path: Path) -> Iterator[tuple[str, str]]:
    """List the names in a module and their docstrings."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield getattr(node, "name", path.stem), ast.get_docstring(node) or ""


def rows(header: str) -> list[list[str]]:
    """Return the cells of the table that begins with this header."""
    lines = PAGE[PAGE.index(header) :].partition("\n\n")[0].splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in [lines[0], *lines[2:]]]


def contracts() -> dict[str, list[list[str]]]:
    """Return the layers of every import contract by the package they are in, highest first."""
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    return {
        one.get("containers", ["everything"])[0]: [layer.split(" | ") for layer in one["layers"]]
        for one in config["contracts"]
        if one["type"] == "layers"
    }


def test_the_house_is_drawn_on_about_one_page():
    assert len(PAGE.splitlines()) <= MOST_LINES


@pytest.mark.parametrize("folder", [str(folder.relative_to(ROOT)) for folder in packages()])
def test_every_folder_of_code_has_a_line(folder):
    named = {row[0].strip("`/") for row in rows("| folder |")}
    assert folder in named or folder.removeprefix("autograder/redink/") in named


def test_every_path_that_is_named_exists():
    named = {path for path in _PATH.findall(PAGE) if not path.startswith((".redink/", ".venv/"))}
    assert len(named) > 40
    assert {path for path in named if not (ROOT / path).exists() and not (LIBRARY / path).exists()} == set()


def test_the_layers_are_those_of_the_import_contracts():
    table = rows("| everything |")
    drawn = {
        name.strip("`"): [layer for row in table[1:] if (layer := re.findall(r"`(\w+)`", row[column]))]
        for column, name in enumerate(table[0])
    }
    assert drawn == contracts()


def test_each_stage_is_named_with_its_file_in_the_order_of_the_way():
    table = rows("| stage |")[1:]
    assert [row[0] for row in table] == list(STAGES)
    assert [row[1] for row in table] == [f"`grader/pipeline/{stage}.py`" for stage in STAGES]
    assert {word for row in table for word in row[2].split(", ")} == {"coordinator", "worker", "judge", "box"}


@pytest.mark.parametrize("wall", sorted(path.name for path in (LIBRARY / "box/walls").glob("[a-z]*.py")))
def test_each_wall_is_named(wall):
    assert f"`box/walls/{wall}`" in PAGE


def test_each_store_is_named_where_it_is(tmp_path, monkeypatch):
    monkeypatch.delenv("REDINK_SECRET", raising=False)
    course = Course(tmp_path)
    course.secret()
    book = course.gradebook_path()
    lock = Lock(book, "a test")
    lock.release()
    places = [*(tmp_path / ".redink").iterdir(), book, lock.file]
    named = {str(place.relative_to(tmp_path)) for place in places} | {
        f"{_path(course, 'any').parent.relative_to(tmp_path)}/"
    }
    assert len(named) == 4
    assert {place for place in named if f"`{place}`" not in PAGE} == set()


@pytest.mark.parametrize("folder", packages(), ids=lambda folder: str(folder.relative_to(ROOT)))
def test_no_folder_has_more_than_a_dozen_modules(folder):
    assert len([path for path in folder.glob("*.py") if not path.name.startswith("__")]) <= MOST_MODULES


def test_no_two_classes_have_one_name():
    found = Counter(
        node.name
        for path in modules()
        for node in ast.walk(ast.parse(path.read_bytes()))
        if isinstance(node, ast.ClassDef)
    )
    assert {name for name, count in found.items() if count > 1} == set()


def test_no_docstring_begins_with_give():
    assert [
        f"{path.stem}.{name}" for path in modules() for name, text in documented(path) if text.startswith("Give")
    ] == []
