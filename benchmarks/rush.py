"""The rush before a deadline, simulated: who hands in when, how long feedback takes, how many cores that needs.

`rush.py [SECONDS]`: so many CPU seconds a submission, as large_class.py measures them. Assumed, and easily changed: each
student hands in three times, a fifth of that at any time of the last week, the rest ever more often towards the deadline,
half of it in the last four hours. Submissions wait in one queue, first come, first served; a core grades one at a time.
"""

from __future__ import annotations

import heapq
import math
import random
import sys
from collections.abc import Iterable, Sequence
from typing import NamedTuple

SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 and __name__ == "__main__" else 0.25
CLASSES = (300, 5_000, 100_000)
TIMES_EACH = 3
WEEK, HALF_LIFE = 7 * 24 * 3600.0, 4 * 3600.0
EARLY = 0.2
SOON = 60.0  # seconds in which nearly everybody should have feedback
NEARLY = 0.95


class Wait(NamedTuple):
    """How long feedback takes, from handing in: in the middle, for nearly everybody, at most; in seconds."""

    median: float
    nearly_all: float
    longest: float


def arrivals(students: int, chance: random.Random) -> list[float]:
    """Draw when a class hands in, as seconds before the deadline turned into seconds from a week before it."""
    times = []
    for _ in range(students * TIMES_EACH):
        if chance.random() < EARLY:
            before = chance.uniform(0, WEEK)
        else:
            before = min(chance.expovariate(math.log(2) / HALF_LIFE), WEEK)
        times.append(WEEK - before)
    return sorted(times)


def waits(handed_in: Iterable[float], cores: int, seconds: float) -> list[float]:
    """Return the seconds from each handing in to its feedback, sorted."""
    free = [0.0] * cores
    found = []
    for moment in handed_in:
        done = max(moment, free[0]) + seconds
        heapq.heapreplace(free, done)
        found.append(done - moment)
    return sorted(found)


def summed_up(found: Sequence[float]) -> Wait:
    return Wait(found[len(found) // 2], found[int(NEARLY * len(found))], found[-1])


def cores_needed(handed_in: Sequence[float], seconds: float) -> int:
    """Return the smallest number of cores with which nearly everybody has feedback soon."""
    enough = 1
    while summed_up(waits(handed_in, enough, seconds)).nearly_all > SOON:
        enough *= 2
    low = enough // 2
    while enough - low > 1:
        middle = (low + enough) // 2
        if summed_up(waits(handed_in, middle, seconds)).nearly_all > SOON:
            low = middle
        else:
            enough = middle
    return enough


def main() -> None:
    print(f"{SECONDS:g} CPU seconds a submission: a core grades {3600 / SECONDS:,.0f} an hour")
    print(
        "students   CPU hours   cores   median s   95 % s   longest s   last hand-ins at once, hours on 1 and 16 cores"
    )
    for students in CLASSES:
        handed_in = arrivals(students, random.Random(students))
        cores = cores_needed(handed_in, SECONDS)
        wait = summed_up(waits(handed_in, cores, SECONDS))
        at_once = [waits([0.0] * students, many, SECONDS)[-1] / 3600 for many in (1, 16)]
        print(f"{students:8,} {len(handed_in) * SECONDS / 3600:11.2f} {cores:7} {wait.median:10.2f} {wait.nearly_all:8.1f} "
              f"{wait.longest:11.1f}   {at_once[0]:.2f}, {at_once[1]:.2f}")  # fmt: skip


if __name__ == "__main__":
    main()
