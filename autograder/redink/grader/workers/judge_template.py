"""The handle on a template of judges: one process for a machine and a run, from which all its judges are forked.

Loading an answer key and what judges by it takes a quarter of a second and 50 MB; a fork takes milliseconds, and what it
changes. The coordinator starts a template for all workers of its machine, and a worker that was told of none its own.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess

from redink.box import scratch
from redink.grader.sockets import listen
from redink.grader.starting import python

LEAVING = 1.0  # seconds in which a template or a judge ends whose other side has gone, unless it is stuck
_THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")
_MAIN = "from redink.grader.workers.forking_judges import main; main"


class JudgeTemplate:
    """The handle on a template of judges; whoever connects to its address, and is of the same user, has a judge."""

    def __init__(self, key: bytes) -> None:
        """Start it; this does not wait until the key is loaded."""
        scratch.sweep()
        self._folder, log = scratch.make()
        self.address = str(self._folder / "socket")
        environment = {**os.environ, **dict.fromkeys(_THREADS, "1")}
        environment.pop("PYTHONHASHSEED", None)  # else a student could choose keys that collide
        environment["MALLOC_MMAP_THRESHOLD_"] = "1000000"  # what one submission took is free for the next one
        self._end, theirs = socket.socketpair()
        told = _in_memory(key)
        try:
            with log, theirs, listen(self.address, socket.SOCK_STREAM) as listener:
                passed = [theirs.fileno(), listener.fileno(), told]
                self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
                    python("-c", f"{_MAIN}{tuple(passed)}"),
                    pass_fds=passed, cwd=self._folder, env=environment, start_new_session=True,
                    stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                )  # fmt: skip
        finally:
            os.close(told)

    def close(self) -> None:
        """End it and remove its folder; judges that are driven go on."""
        self._end.close()
        try:
            self._process.wait(LEAVING)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)


def _in_memory(key: bytes) -> int:
    """Put a key where only a process that is given the descriptor can read it."""
    told = os.memfd_create("key")
    with open(told, "wb", closefd=False) as file:
        file.write(key)
    os.lseek(told, 0, os.SEEK_SET)
    return told
