"""What each assignment costs to grade, beside the bare cost: `assignments.py [SLUG…]`; with `--verify` also to verify.

Marginal is what one more submission costs, all processes counted; bare are the same cells and calls in one warm process;
`cpu_vs_bare` is their ratio, `overhead_ms` their difference. The bank of misconceptions is emptied in the copied course:
only wrong answers are compared with it, and these are right, so the figures are the same, and the key is made in seconds.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from figures import Figure, show
from measuring import ROOT, bare, copied, grade, kept_key, without_bank, write_class

from redink.grader.assignment.assignment import read_assignment
from redink.grader.author.build import solved_notebook
from redink.grader.course import Course

REDINK = [sys.executable, "-m", "redink_cli"]
RUN = """
import sys, nbformat
from nbclient import NotebookClient
NotebookClient(nbformat.read(sys.argv[1], 4), timeout=600).execute()
"""
ONE_CORE = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


def figures(slugs: Sequence[str] = (), more: int = 4, repeats: int = 2) -> Iterator[Figure]:
    """Measure by how much `more` submissions add; all assignments, if none is named."""
    for slug in slugs or Course.find(ROOT).slugs():
        marginal, floor = marginal_and_bare(slug, more, repeats)
        note = f"{marginal * 1e3:.0f} ms, bare {floor * 1e3:.0f} ms"
        yield Figure("cpu_vs_bare", marginal / floor, "×", slug, at_most=1.25 + 0.025 / floor, note=note)
        yield Figure("overhead_ms", (marginal - floor) * 1e3, "ms", slug, at_most=(0.25 * floor + 0.025) * 1e3)


def marginal_and_bare(slug: str, more: int, repeats: int) -> tuple[float, float]:
    """CPU seconds that one more right submission costs, and of the same cells and calls by themselves."""
    with tempfile.TemporaryDirectory() as name:
        course = copied(Path(name), slug)
        without_bank(course, slug)
        text = solved_notebook(read_assignment(course, slug))
        one, many = (write_class(course, f"class{count}", text, count) for count in (1, 1 + more))
        grade(course, slug, one)  # makes the answer key
        least, most = (min(grade(course, slug, path).cpu for _ in range(repeats)) for path in (one, many))
        return (most - least) / more, bare(kept_key(course, slug), one / "student0000.ipynb")


def kernel_and_verifying(slugs: Sequence[str]) -> Iterator[Figure]:
    """CPU seconds of the solved notebook in a Jupyter kernel, and wall seconds of `redink verify`, on one core."""
    for slug in slugs or Course.find(ROOT).slugs():
        with tempfile.TemporaryDirectory() as name:
            place = Path(name)
            _cost([*REDINK, "build", slug, "--solved", place / "class"], ROOT)
            _cost([*REDINK, "distribute", slug, "--to", place], ROOT)
            notebook = place / "class" / f"{slug}.ipynb"
            yield Figure("kernel_s", _cost([sys.executable, "-c", RUN, notebook], place / slug)[0], "s", slug)
            yield Figure("verify_s", _cost([*REDINK, "verify", slug], ROOT)[1], "s", slug)


def _cost(command: list[str | Path], folder: Path) -> tuple[float, float]:
    """CPU and wall seconds of a command that must succeed."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(command, cwd=folder, env=ONE_CORE, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, time.monotonic() - start


if __name__ == "__main__":
    named = [name for name in sys.argv[1:] if name != "--verify"]
    show(figures(named))
    if "--verify" in sys.argv:
        show(kernel_and_verifying(named))
