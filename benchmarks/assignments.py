"""What each assignment costs: grading its solution, running it in a Jupyter kernel on one core, and verifying it.

CPU seconds of this process and of all it started; nothing here is asserted. Name assignments to measure only those.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from redink.grader.course import Course

ROOT = Path(__file__).resolve().parents[1]
REDINK = [sys.executable, "-m", "redink_cli"]
RUN = """
import sys, nbformat
from nbclient import NotebookClient
NotebookClient(nbformat.read(sys.argv[1], 4), timeout=600).execute()
"""
ONE_CORE = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


def cost(command: list[str | Path], folder: Path) -> tuple[float, float]:
    """CPU and wall seconds of a command that must succeed."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(command, cwd=folder, env=ONE_CORE, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, time.monotonic() - start


def main() -> None:
    """Print one line for each assignment."""
    print(f"{'assignment':<12} {'grading, CPU s':>15} {'kernel, CPU s':>14} {'verify, wall s':>15}")
    for slug in sys.argv[1:] or Course.find(ROOT).slugs():
        with tempfile.TemporaryDirectory() as name:
            place = Path(name)
            cost([*REDINK, "build", slug, "--solved", place / "class"], ROOT)
            cost([*REDINK, "distribute", slug, "--to", place], ROOT)
            book = ["--gradebook", place / "book.sqlite", "--json", place / "out.json"]
            cost([*REDINK, "grade", slug, place / "class", *book], ROOT)
            (result,) = json.loads((place / "out.json").read_bytes())["results"]
            kernel, _ = cost([sys.executable, "-c", RUN, place / "class" / f"{slug}.ipynb"], place / slug)
            _, verifying = cost([*REDINK, "verify", slug], ROOT)
        print(f"{slug:<12} {result['cpu_seconds']:>15.1f} {kernel:>14.1f} {verifying:>15.1f}", flush=True)


if __name__ == "__main__":
    main()
