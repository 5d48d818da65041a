"""What student code prints: kept in memory, capped, and never blocking.

Descriptors 1 and 2 are an anonymous file in memory: no reader is needed, so nothing can block. Python's own streams
stop writing when the submission's share is used up; what subprocesses write is cut when it is read.
"""

from __future__ import annotations

import contextlib
import fcntl
import io
import os
import sys

_CUT = b"\n[cut: the output of a notebook is kept only up to here]\n"


class Output:
    """The captured output of one box."""

    def __init__(self, private_fd: int) -> None:
        """Point descriptors 1 and 2 at a new file, and keep `private_fd` for reading it."""
        made = os.memfd_create("output")
        fcntl.fcntl(made, fcntl.F_SETFL, os.O_APPEND)
        for target in (1, 2):
            os.dup2(made, target)
        if made != private_fd:
            os.dup2(made, private_fd, inheritable=False)
            os.close(made)
        self._fd = private_fd
        self._left = 0
        self._told = True
        self.room = 0
        self.cut = False  # something was not even written
        sys.stdout = _Stream(self, 1)
        sys.stderr = _Stream(self, 2)

    def allow(self, count: int) -> None:
        """Set how many bytes may still be written and read; the last ones are for saying that there were more."""
        self._left = self.room = max(0, count - len(_CUT))
        self._told = not count

    def take(self) -> str:
        """Return what was written since the last time, as far as there is room."""
        taken, more = b"", self.cut
        with contextlib.suppress(OSError):  # student code may have closed the descriptor: then there is no output
            if size := os.fstat(self._fd).st_size:
                more |= size > self._left
                taken = os.pread(self._fd, self._left, 0)
                os.ftruncate(self._fd, 0)
        self._left -= len(taken)
        self.room = self._left
        self.cut = False
        if more and not self._told:
            self._told = True
            taken += _CUT
        return taken.decode("utf-8", "replace")


class _Stream(io.TextIOBase):
    """A text stream to a descriptor, unbuffered, so that its order with subprocesses' output is right."""

    encoding = "utf-8"
    errors = "replace"

    def __init__(self, output: Output, fd: int) -> None:
        self._output = output
        self._fd = fd

    def write(self, text: str, /) -> int:
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        room = self._output.room
        if room > 0 and text:
            data = text.encode("utf-8", "replace")
            self._output.cut |= len(data) > room
            data = data[:room]
            self._output.room = room - len(data)
            with contextlib.suppress(OSError):  # a full file loses output, not the cell
                os.write(self._fd, data)
        elif text:
            self._output.cut = True
        return len(text)

    def fileno(self) -> int:
        return self._fd

    def writable(self) -> bool:
        return True

    @property
    def buffer(self) -> io.BufferedIOBase:
        return io.BufferedWriter(io.FileIO(self._fd, "w", closefd=False), 1)
