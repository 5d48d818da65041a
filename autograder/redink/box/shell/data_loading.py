"""Worker processes of a notebook: data is loaded without them, and where they cannot be had, they say so.

With workers a DataLoader draws its random numbers elsewhere, and on a machine without namespaces it cannot have any, since
nothing is shared there. A mark must not depend on the machine: data is loaded in the notebook's own process, everywhere.
"""

from __future__ import annotations

import functools
import inspect
import sys
from typing import Any

_NOTICE = "In the box a DataLoader loads its data itself: num_workers is taken as 0.\n"
_NO_SEMAPHORES = "no processes can work together in the box of this machine: do it without multiprocessing"
_OF_WORKERS = ("prefetch_factor", "persistent_workers", "multiprocessing_context", "timeout", "worker_init_fn")


def load_without_workers(loader: Any) -> None:
    """Change torch's DataLoader so that it has no workers, whatever number is asked for, and says so once."""
    original = loader.__init__
    shape = inspect.signature(original)
    told = False

    @functools.wraps(original)
    def __init__(*args: Any, **kwargs: Any) -> None:  # noqa: N807 - it becomes one
        nonlocal told
        given = shape.bind(*args, **kwargs)
        if given.arguments.get("num_workers"):
            given.arguments["num_workers"] = 0
            for name in _OF_WORKERS:
                given.arguments.pop(name, None)
            if not told:
                told = True
                sys.stderr.write(_NOTICE)
        original(*given.args, **given.kwargs)

    loader.__init__ = __init__


def explain_missing_semaphores() -> None:
    """Make multiprocessing fail with a sentence where it would say "Permission denied"."""
    from multiprocessing import synchronize

    original = synchronize.SemLock.__init__

    @functools.wraps(original)
    def __init__(*args: Any, **kwargs: Any) -> None:  # noqa: N807 - it becomes one
        try:
            original(*args, **kwargs)
        except PermissionError:
            raise RuntimeError(_NO_SEMAPHORES) from None

    synchronize.SemLock.__init__ = __init__  # type: ignore[method-assign]
