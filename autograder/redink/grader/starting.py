"""Starting Python processes of ours: they find modules where packages are installed, and in no other folder.

Python looks first in the folder that one stands in, for `-c` and `-m`. Whoever grades may stand in a student's, and a file
called pickle.py must stay a file there. So no interpreter is started anywhere else in the grader, and each is told `-P`.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import Any

_SAFE_PATH = "PYTHONSAFEPATH"  # the same as -P, for interpreters whose options others write


def python(*arguments: str) -> list[str]:
    """Return the command of an interpreter like this one."""
    return [sys.executable, "-P", *arguments]


def start_pool(processes: int, begin: Callable[..., object] | None = None, *arguments: Any) -> ProcessPoolExecutor:
    """Start processes for calls, each of which begins with one call of its own."""
    os.environ[_SAFE_PATH] = "1"  # multiprocessing starts them, and a helper of its own, by `python -c`
    context = multiprocessing.get_context("spawn")  # a fork would copy locks that a progress bar's thread holds
    return ProcessPoolExecutor(processes, context, initializer=_begin, initargs=(os.getpid(), begin, arguments))


def end_pool(pool: ProcessPoolExecutor, *, at_once: bool) -> None:
    """End a pool: after its current calls, or at once."""
    processes = list((pool._processes or {}).values())  # there is no public way before Python 3.14
    if at_once:
        for process in processes:
            process.kill()
    pool.shutdown(cancel_futures=True)


def _begin(coordinator: int, begin: Callable[..., object] | None, arguments: tuple[Any, ...]) -> None:
    """Prepare a process: it shows nobody the answer key, leaves Ctrl-C to the coordinator, and ends with it."""
    from redink.box.walls.raising import die_with  # here, because a judge, which starts nothing, has no use for walls
    from redink.grader.private import keep_private

    keep_private()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    die_with(coordinator)
    os.chdir("/")
    if begin is not None:
        begin(*arguments)
