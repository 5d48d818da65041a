"""The shape of the code: three worlds kept apart, folders that are no packages, files and functions of a readable size."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import redink

SOURCE_ROOTS = ("autograder", "cli", "datasets")
LONGEST_FILE, LONGEST_FUNCTION = 600, 60
STAGES = ("collect", "load", "observe", "judge", "diagnose", "score", "record", "report")


def sources(root: Path) -> list[Path]:
    return sorted(path for folder in SOURCE_ROOTS for path in (root / folder).rglob("*.py"))


def functions(path: Path) -> Iterator[tuple[str, int]]:
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, (node.end_lineno or node.lineno) - node.lineno + 1


def test_the_three_worlds_are_kept_apart(root):
    linter = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([linter, "--no-cache"], cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    "folder", ["assignments", "solutions", "datasets", "tests", "autograder", "cli", "docs", "benchmarks"]
)
def test_no_fixed_folder_is_itself_a_package(root, folder):
    assert not (root / folder / "__init__.py").exists()


def test_no_assignment_is_a_package(root):
    assert not [*(root / "assignments").rglob("__init__.py"), *(root / "solutions").rglob("__init__.py")]


def test_the_public_surface_is_one_function():
    assert redink.__all__ == ["check"]
    assert callable(redink.check)
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        _ = redink.nonsense


def test_importing_redink_is_light():
    code = "import redink, sys; assert not {'numpy', 'torch', 'IPython', 'redink.student'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_no_file_is_too_long(root):
    assert {
        path.name: n for path in sources(root) if (n := len(path.read_text("utf-8").splitlines())) > LONGEST_FILE
    } == {}


def test_no_function_is_too_long(root):
    assert [(path.name, *one) for path in sources(root) for one in functions(path) if one[1] > LONGEST_FUNCTION] == []


def test_most_files_and_functions_are_short(root):
    files = sorted(len(path.read_text("utf-8").splitlines()) for path in sources(root))
    lengths = sorted(length for path in sources(root) for _, length in functions(path))
    assert files[len(files) * 9 // 10] < 350
    assert lengths[len(lengths) * 9 // 10] < 25


def test_nothing_is_called_utils(root):
    assert not [path for path in sources(root) if path.stem in ("utils", "util", "helpers", "misc", "common")]


def test_nobody_imports_pickle(root):
    for path in sources(root):
        for node in ast.walk(ast.parse(path.read_bytes())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not {"pickle", "dill", "cloudpickle", "marshal"} & set(names), path


@pytest.mark.parametrize("stage", STAGES)
def test_each_stage_is_a_file_with_a_function_of_its_name(root, stage):
    path = root / "autograder/redink/grader/pipeline" / f"{stage}.py"
    place = STAGES.index(stage) + 1
    assert (ast.get_docstring(ast.parse(path.read_bytes())) or "").startswith(f"Stage {place}:")
    assert stage in {name for name, _ in functions(path)}


def test_the_pipeline_fits_one_screen(root):
    lines = (root / "autograder/redink/grader/grade.py").read_text("utf-8").splitlines()
    assert len(lines) <= 80
