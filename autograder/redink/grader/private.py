"""Keeping a process's memory to itself: it holds an answer key, and whoever runs under the same account may not read it."""

from __future__ import annotations

import resource

from redink.box.walls import kernel


def keep_private() -> None:
    """Have the kernel refuse to trace this process, to show its memory and environment, and to write a core dump of it.

    Starting another program undoes the first part, so every process that holds a key must call this by itself.
    """
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    kernel.prctl(kernel.PR_SET_DUMPABLE, 0)
