"""What the box costs with every wall up: CPU and memory of an almost empty submission, and growth over many.

`python benchmarks/box.py [COUNT]` prints, for a zygote with torch: the start, the marginal CPU of a submission of two cells
and one call (with all walls, without namespaces, and cold for comparison), the memory that a box has for itself, and how
the zygote has grown after COUNT submissions.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import threading
import time
from importlib.util import find_spec
from pathlib import Path

from redink import wire
from redink.box import processes
from redink.grader.sandbox.client import Zygote
from redink.grader.sandbox.template import Template
from redink.records import Cell, Limits, Request

COUNT = int(sys.argv[1]) if len(sys.argv) > 1 else 500
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


def row(name: str, value: str, beside: str = "") -> None:
    print(f"{name:<62} {value:>12}  {beside}")


def main() -> None:
    """Measure and print."""
    start_cold = min(cold() for _ in range(2))
    for without in ((), ("namespaces",)):
        with Template(torch=TORCH) as template, Zygote(template=template.address, without=without) as zygote:
            walls = zygote.observe([], [], Limits()).box
            start = processes.cpu_of_family(template.pid)
            further = further_zygote(template, without)
            grader_and_box(zygote, 20)
            inside, whole = grader_and_box(zygote, 100)
            row(f"-- missing: {', '.join(walls.missing)}", "")
            row("start of a template and a first zygote, CPU", f"{start:.2f} s")
            row(
                "a further zygote of the same template, CPU",
                f"{further[0] * 1e3:.0f} ms",
                f"{further[1] * 1e3:.0f} ms wall",
            )
            row("marginal CPU of a submission, inside the box", f"{inside * 1e3:.1f} ms")
            row(
                "  with zygote and grader",
                f"{whole * 1e3:.1f} ms",
                f"goal ≤ 40 ms; cold {start_cold * 1e3:.0f} ms, {start_cold / whole:.0f}×",
            )
            if not without:
                row("memory that a box has for itself (USS)", f"{own_memory(zygote):.1f} MB", "goal ≤ 50 MB")
                growth(zygote)


def growth(zygote: Zygote) -> None:
    """Print what the zygote has gained after many submissions."""
    zygote_pid = family(zygote)[-1]
    before = rollup(zygote_pid, "Rss"), len(list(Path(f"/proc/{zygote_pid}/fd").iterdir()))
    for _ in range(COUNT):
        one(zygote)
    after = rollup(zygote_pid, "Rss"), len(list(Path(f"/proc/{zygote_pid}/fd").iterdir()))
    row(
        f"growth of the zygote over {COUNT} submissions",
        f"{after[0] - before[0]:+.1f} MB",
        f"{after[1] - before[1]:+d} descriptors",
    )


if __name__ == "__main__":
    main()
