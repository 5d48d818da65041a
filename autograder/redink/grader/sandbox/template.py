"""The grader's handle on a template: one warm process for a machine and a run, from which all its zygotes are forked."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

import redink.box
from redink.assignment.packages import modules_of
from redink.box import scratch
from redink.errors import BoxError
from redink.grader.sandbox.environment import clean_environment
from redink.grader.sockets import listen
from redink.grader.starting import python


class Template:
    """A process that has warmed up, or is about to; `Zygote(template=template.address)` forks from it.

    Any process of the same user may use the address. The template ends with the process that made it, or when it is
    closed; zygotes that were forked from it go on.
    """

    def __init__(self, *, torch: bool = True, packages: Sequence[str] = ()) -> None:
        """Start it; this does not wait until it is warm. Packages are named as pip knows them."""
        if sys.platform != "linux":
            raise BoxError("the box needs Linux: grade in a container or on a server; students need no box")
        modules = modules_of(packages) if packages else ()
        scratch.sweep()
        self.folder, log = scratch.make()
        self.address = str(self.folder / "socket")
        entry = Path(redink.box.__path__[0]) / "__main__.py"
        owner = os.pidfd_open(os.getpid())
        with log, listen(self.address, socket.SOCK_SEQPACKET) as listener:
            passed = [listener.fileno(), owner]
            arguments = [*map(str, passed), str(self.folder), "torch" if torch else "plain", *modules]
            try:
                self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and file
                    python(str(entry), *arguments),
                    env=clean_environment(self.folder), cwd=self.folder, pass_fds=passed,
                    stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
                )  # fmt: skip
            finally:
                os.close(owner)

    @property
    def pid(self) -> int:
        """The template's pid."""
        return self._process.pid

    def close(self) -> None:
        """End it and remove its folder; its zygotes go on."""
        self._process.kill()
        self._process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self) -> Template:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()
