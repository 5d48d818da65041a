"""What the box costs with every wall up: CPU and memory of an almost empty submission, and growth over many.

`python benchmarks/box.py` prints, for a zygote with torch: the start, the marginal CPU of a submission of two cells
and one call (with all walls, without namespaces, and cold for comparison), the memory that a box has for itself, and how
the zygote has grown after many submissions.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from figures import Figure, show

from redink import wire
from redink.box import processes
from redink.grader.sandbox.client import Zygote
from redink.grader.sandbox.template import Template
from redink.records import Cell, Limits, Request

TORCH = find_spec("torch") is not None
CELLS = [
    Cell(index=1, source="import numpy as np" + ("\nimport torch" if TORCH else "")),
    Cell(index=2, source="def f(x):\n    return 2 * x"),
]
CALL = Request(id="f", when="def when(student, x):\n    return student.f(x)\n", inputs=wire.encode({"x": [1.0, 2.0]}))


def rollup(pid: int, field: str) -> float:
    """Megabytes of one field of a process's memory."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith(field)) / 1024


def family(zygote: Zygote) -> list[int]:
    return [member.pid for member in processes.family(zygote.pid)]


def one(zygote: Zygote) -> float:
    return zygote.observe(CELLS, [CALL], Limits()).cpu_seconds


def grader_and_box(zygote: Zygote, count: int) -> tuple[float, float]:
    """Median CPU inside the box, and CPU of grader, zygote and box together, a submission."""
    before = processes.cpu_of_family(zygote.pid) + time.process_time()
    inside = [one(zygote) for _ in range(count)]
    whole = processes.cpu_of_family(zygote.pid) + time.process_time() - before
    return statistics.median(inside), whole / count


def further_zygote(template: Template, without: tuple[str, ...], count: int = 10) -> tuple[float, float]:
    """CPU and wall seconds until a further zygote is ready, on average."""
    before, begun = processes.cpu_of_family(template.pid), time.monotonic()
    made = [Zygote(template=template.address, without=without) for _ in range(count)]
    for zygote in made:
        zygote._ready()
    spent = processes.cpu_of_family(template.pid) - before, time.monotonic() - begun
    for zygote in made:
        zygote.close()
    return spent[0] / count, spent[1] / count


def own_memory(zygote: Zygote) -> float:
    """Megabytes that a box has for itself while it waits."""
    found: list[float] = []

    def look() -> None:
        child = [pid for pid in family(zygote) if b"sleep" not in Path(f"/proc/{pid}/cmdline").read_bytes()][-1]
        found.append(rollup(child, "Private_"))

    timer = threading.Timer(0.5, look)
    timer.start()
    zygote.observe([*CELLS, Cell(index=3, source="import time\ntime.sleep(1)")], [], Limits())
    timer.join()
    return found[0]


def cold() -> float:
    """CPU seconds of a fresh interpreter that imports the same."""
    import resource

    before = sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
    subprocess.run([sys.executable, "-c", CELLS[0].source], check=True)
    return sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2]) - before


def figures(count: int = 300) -> Iterator[Figure]:
    """Measure with all walls and without namespaces; `count` submissions show what a zygote gains."""
    start_cold = min(cold() for _ in range(2))
    yield Figure("cold_import_ms", start_cold * 1e3, "ms", note="a fresh interpreter that imports the same")
    for of, without in (("all walls", ()), ("no namespaces", ("namespaces",))):
        with Template(torch=TORCH) as template, Zygote(template=template.address, without=without) as zygote:
            missing = ", ".join(zygote.observe([], [], Limits()).box.missing)
            start = processes.cpu_of_family(template.pid)
            further = further_zygote(template, without)
            grader_and_box(zygote, min(count, 20))
            inside, whole = grader_and_box(zygote, min(count, 100))
            yield Figure(
                "zygote_s", start, "s", of, note=f"a template and a first zygote; missing: {missing or 'nothing'}"
            )
            yield Figure("further_zygote_ms", further[0] * 1e3, "ms", of, note=f"{further[1] * 1e3:.0f} ms wall")
            yield Figure("in_an_empty_box_ms", inside * 1e3, "ms", of)
            yield Figure("empty_box_ms", whole * 1e3, "ms", of, at_most=40, note="with zygote and grader")
            if not without:
                note = "that a box has for itself (USS), before the student's data"
                yield Figure("memory_per_box_mb", own_memory(zygote), "MB", at_most=50, note=note)
                yield growth(zygote, count)


def growth(zygote: Zygote, count: int) -> Figure:
    """Measure what the zygote has gained after many submissions."""
    pid = family(zygote)[-1]
    before = rollup(pid, "Rss"), _descriptors(pid)
    for _ in range(count):
        one(zygote)
    note = f"over {count} submissions, and {_descriptors(pid) - before[1]:+d} descriptors"
    return Figure("zygote_growth_mb", rollup(pid, "Rss") - before[0], "MB", note=note)


def _descriptors(pid: int) -> int:
    return len(list(Path(f"/proc/{pid}/fd").iterdir()))


if __name__ == "__main__":
    show(figures())
