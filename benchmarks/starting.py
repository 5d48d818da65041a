"""What somebody waits for who does one thing: a CI job from a cold start, a command, a check in a notebook."""

from __future__ import annotations

import json
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import nbformat
from figures import Figure, show
from measuring import copied, grade, run, waited_for, without_bank, write_class

from redink.grader.assignment.assignment import read_assignment
from redink.grader.author.build import solved_notebook
from redink.grader.course import Course

SLUG, TORCH_SLUG = "perceptron", "cnn"
REDINK = Path(sys.executable).with_name("redink")
# In a process of its own: runs a notebook's cells, then each question's check twice, and what these call, alone.
CHECKING = """
import contextlib, io, json, sys, time
from pathlib import Path
from redink import check
from redink.calling import Call, Student
from redink.grader.answer_key.key import decode_key
from redink.notebook import cells_to_run, read_cells
notebook, path = map(Path, sys.argv[1:])
key = decode_key(path.read_bytes(), "the key")
cells = [one for one in cells_to_run(read_cells(notebook.read_bytes()), key.explorations) if "check(" not in one.source[:6]]
names = {"__name__": "__main__", "_ih": [one.source for one in cells], "check": check}
def timed(work):
    begun = time.perf_counter()
    with contextlib.suppress(Exception):
        work()
    return (time.perf_counter() - begun) * 1e3
def called(question):
    for part in key.parts:
        if part.question == question and part.visibility == "public":
            for request in part.requests:
                if request.published:
                    with contextlib.suppress(Exception):
                        Call(request)(Student(names))
told = {}
with contextlib.redirect_stdout(io.StringIO()):
    for cell in cells:
        exec(cell.source, names)
    for one in key.spec.questions:
        check_it = lambda: repr(eval(f"check({one.id!r})", names))
        first, again = timed(check_it), min(timed(check_it) for _ in range(3))
        called(one.id)
        told[one.id] = first, again, min(timed(lambda: called(one.id)) for _ in range(3))
print(json.dumps(told))
"""


def figures(slug: str = TORCH_SLUG, repeats: int = 3) -> Iterator[Figure]:
    """Measure; `slug` is the assignment with torch that a CI job grades."""
    yield from _in_ci(slug, repeats)
    wall = min(_wall([REDINK, "--help"]) for _ in range(2 + repeats))
    yield Figure("cli_start_ms", wall * 1e3, "ms", "--help", at_most=300)
    with tempfile.TemporaryDirectory() as name:
        course = copied(Path(name), SLUG)
        without_bank(course, SLUG)  # the key is asked for the calls of a check alone
        text = solved_notebook(read_assignment(course, SLUG))
        grade(course, SLUG, write_class(course, "one", text, 1))
        yield from _in_a_notebook(course, text)
        yield Figure("cold_kernel_s", _cold_kernel(text), "s", SLUG, note="a fresh Jupyter kernel runs the same cells")


def _in_ci(slug: str, repeats: int) -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as name:
        course, handed_in = copied(Path(name) / "course", slug), Path(name) / "repository"
        handed_in.mkdir()
        (handed_in / f"{slug}.ipynb").write_text(solved_notebook(read_assignment(course, slug)), encoding="utf-8")
        identity, key = course.root / "identity", course.root / "keys.age"
        recipient = told_by(course, r"age1\w+", "seal", "--new-identity", identity)
        pinned = told_by(course, r"\b[0-9a-f]{64}\b", "seal", slug, "--to", key, "--for", recipient)
        told = {"REDINK_IDENTITY": identity.read_text(encoding="utf-8")}
        words = ("ci", ".", "--key", key, "--key-sha256", pinned, "--show-hidden", "--min-score", 100)
        cold = min(run(course, *words, folder=handed_in, told=told) for _ in range(repeats))
        note = f"{cold.wall:.1f} s wall, with torch and the notebook's own work"
        yield Figure("ci_cold_s", cold.cpu, "s", slug, at_most=4, note=note)


def told_by(course: Course, pattern: str, *words: object) -> str:
    """Run a command, and return what it printed that matches."""
    done = subprocess.run([REDINK, *map(str, words)], cwd=course.root, capture_output=True, text=True, check=True)
    found = re.search(pattern, done.stdout + done.stderr)
    assert found, done.stdout
    return found[0]


def _in_a_notebook(course: Course, text: str) -> Iterator[Figure]:
    """Time `check(…)` of each question in a student's folder, beyond the calls of the student's own functions."""
    folder = course.root / "homework"
    shutil.copytree(course.assignments / SLUG, folder)
    (notebook := folder / f"{SLUG}.ipynb").write_text(text, encoding="utf-8")
    (key,) = (course.private / "keys").glob(f"{SLUG}-*.key")
    command = [sys.executable, "-c", CHECKING, notebook, key]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    times = json.loads(done.stdout)
    again = {question: second - own for question, (_, second, own) in times.items()}
    slowest = max(again, key=again.__getitem__)
    note = f"check({slowest!r}), the slowest; the median question {statistics.median(again.values()):.0f} ms"
    yield Figure("notebook_check_ms", again[slowest], "ms", SLUG, at_most=100, note=note)
    question, (first, _, own) = next(iter(times.items()))
    yield Figure("first_check_ms", first - own, "ms", SLUG, note=f"check({question!r}), the first of a session")


def _wall(command: list[Path | str]) -> float:
    began = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


def _cold_kernel(text: str) -> float:
    """CPU seconds of a fresh Jupyter kernel for one notebook of these cells."""
    from nbclient import NotebookClient

    notebook = nbformat.reads(text, as_version=4)
    notebook.cells = [
        cell
        for cell in notebook.cells
        if not cell.source.startswith("check(") and "explore" not in cell.metadata.get("tags", [])
    ]
    before = waited_for()
    NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    return waited_for() - before


if __name__ == "__main__":
    show(figures())
