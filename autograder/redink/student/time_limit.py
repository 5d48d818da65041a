"""A time limit that works on every system: a timer in a second thread interrupts the first.

In a browser (Pyodide) there are no threads: there is no limit either, and whoever waits too long restarts the kernel.
"""

from __future__ import annotations

import _thread
import contextlib
import threading
import time
from collections.abc import Iterator

from redink.errors import OverTime


@contextlib.contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise `OverTime` when the block has not ended after so many seconds; a real Ctrl-C stays a KeyboardInterrupt."""
    rung = threading.Event()

    def ring() -> None:
        rung.set()
        _thread.interrupt_main()

    watch = threading.Timer(seconds, ring)
    watch.daemon = True
    try:
        watch.start()
    except RuntimeError:  # this Python cannot start threads
        yield
        return
    try:
        yield
    except KeyboardInterrupt:
        if not rung.is_set():
            raise
        raise OverTime(f"took too long: it had not ended after {seconds:g} s") from None
    finally:
        watch.cancel()
    if rung.is_set():  # the timer fired just as the block ended: the interrupt is still on its way
        with contextlib.suppress(KeyboardInterrupt):
            time.sleep(0.1)
