"""What Redink costs, as ratios of one run on this machine: `make bench`, or `bench.py [PART…] [--small] [--to FILE]`.

Parts: class, assignments, others, box, starting, machines; all of them without a name. It prints one table. A whole run
writes benchmarks/results.json, from which plot.py draws docs/pictures/bench.svg; some parts, or `--small`, which has small
counts and only shows that all of it works, write where `--to` says, or nothing.

Every command runs in a process of its own, on a copy of the course. Its CPU time is that of the process and of everything
it waited for, and of the zygotes with all their boxes. Nothing about time is asserted; that something was done at all is.
Wall times and speed-ups want two cores that do nothing else: `load` in the file says how busy the machine was before.
"""

from __future__ import annotations

import argparse
import os
import platform
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

import box
import many_machines
import one_class
import others
import plot
import starting
from figures import Figure, show, write

import assignments

RESULTS = Path(__file__).with_name("results.json")
PARTS: dict[str, tuple[Callable[..., Iterator[Figure]], dict[str, Any]]] = {
    "others": (others.figures, {"ours": 3, "nbgraders": 1, "otters": 1}),
    "class": (one_class.figures, {"few": 6, "many": 12, "repeats": 1}),
    "assignments": (assignments.figures, {"slugs": ["perceptron", "mlp"], "more": 1, "repeats": 1}),
    "box": (box.figures, {"count": 10}),
    "starting": (starting.figures, {"slug": "perceptron", "repeats": 1}),
    "machines": (many_machines.figures, {"count": 4}),
}


def main() -> None:
    """Measure, print, write, draw."""
    asking = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    asking.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    asking.add_argument("--small", action="store_true", help="small counts, to see that it works")
    asking.add_argument("--to", type=Path, help="the JSON file to write")
    asked = asking.parse_args()
    if unknown := set(asked.parts) - set(PARTS):
        asking.error(f"there is no part {', '.join(sorted(unknown))}: {', '.join(PARTS)}")
    about, began = _about(asked.small), time.monotonic()
    found = show(_measured(asked.parts or list(PARTS), small=asked.small))
    about["seconds"] = round(time.monotonic() - began)
    print(f"{sum(one.met is True for one in found)} of {sum(one.met is not None for one in found)} goals are met; "
          f"{about['seconds']} s")  # fmt: skip
    target = asked.to or (None if asked.parts or asked.small else RESULTS)
    if target:
        write(target, found, about)
        print(f"written: {target}")
    if target == RESULTS:
        print(f"drawn: {plot.draw(RESULTS)}")


def _measured(parts: list[str], *, small: bool) -> Iterator[Figure]:
    for name in parts:
        measure, counts = PARTS[name]
        yield from measure(**(counts if small else {}))


def _about(small: bool) -> dict[str, Any]:
    """Say on what it is measured."""
    cpu = next((line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")), "")
    versions = {name: metadata.version(name) for name in ("redink", "numpy", "torch", "nbgrader", "otter-grader")}
    return {
        "small": small,
        "made_at": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "machine": f"{cpu.partition(': ')[2]}, {os.cpu_count()} cores, Linux {platform.release().split('-')[0]}",
        "load": round(os.getloadavg()[0], 2),
        "versions": {"python": platform.python_version(), **versions},
    }


if __name__ == "__main__":
    main()
