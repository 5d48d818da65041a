"""A process of its own for what comes from a stranger's file, with limits of time and memory.

What an imported test computes can do no harm (harmless.py), but it may compute for ever, in one call that nothing
interrupts. So reading, trying and building happen in another process; the kernel ends it when it has used up its CPU
time, and on the way out it writes down where it was.
"""

from __future__ import annotations

import faulthandler
import resource
import signal
import tempfile
from collections.abc import Callable
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import ParamSpec, TypeVar

from redink.grader.starting import end_pool, start_pool

SECONDS = 30.0  # of CPU time of this process alone: workers and boxes have limits of their own
_MEMORY = 4 << 30  # bytes, which they inherit

Taken = ParamSpec("Taken")
Result = TypeVar("Result")


class OutOfLimits(Exception):  # noqa: N818 - it is an outcome, not an error
    """The process was ended; the message is the traceback of where it was."""


def in_limits(call: Callable[Taken, Result], *arguments: Taken.args, **options: Taken.kwargs) -> Result:
    """Return what a call returns, or raise what it raises, in a limited process."""
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "trace"
        pool = start_pool(1, _limit, trace, SECONDS)
        try:
            return pool.submit(call, *arguments, **options).result()
        except BrokenProcessPool:
            raise OutOfLimits(trace.read_text(errors="replace") if trace.exists() else "") from None
        finally:
            end_pool(pool, at_once=True)


def _limit(trace: Path, seconds: float) -> None:
    file = trace.open("w")  # it stays open: in the middle of a long call nothing else works
    faulthandler.register(signal.SIGPROF, file, chain=True)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY, resource.getrlimit(resource.RLIMIT_DATA)[1]))
