"""How much CPU time judging one submission may take: so much for each step, and so much for all of them."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Iterator

from redink.box.time_limit import TimeLimit
from redink.errors import OverTime

OVERRUN = (OverTime, MemoryError, RecursionError)  # raised by answers that cost more to judge than they may


class Budget:
    """CPU seconds for one submission; without limits by default."""

    def __init__(self, step: float = math.inf, total: float = math.inf) -> None:
        self._step = step
        self._ends = time.process_time() + total

    @contextlib.contextmanager
    def step(self) -> Iterator[None]:
        """Do one step; `OverTime` is raised in it when its time is over, or at once when there is none left."""
        seconds = min(self._step, self._ends - time.process_time())
        if seconds == math.inf:
            yield
        elif seconds <= 0:
            raise OverTime("took too long in all")
        else:
            with TimeLimit(seconds):
                yield


UNLIMITED = Budget()
