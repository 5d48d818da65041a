"""The template: warms up once, and forks a zygote for every connection.

Warming up costs seconds of CPU time, forking a warm process milliseconds. The template stands outside all walls, holds no
secret, since every child inherits its memory, and never runs student code. It has one thread, because a fork copies only
one, and because a process with several may not enter a user namespace. It ends with its owner; the zygotes that it has
forked do not end with it (box/zygote.py).
"""

from __future__ import annotations

import os
import select
import shutil
import signal
import socket
from pathlib import Path
from typing import Any, NoReturn

from redink.box import zygote
from redink.box.shell.cells import CellShell
from redink.box.shell.warming import warm_up
from redink.box.walls import kernel


def main(arguments: list[str]) -> NoReturn:
    """Warm up and serve: a listening socket's descriptor, a pidfd of the owner, a folder, "torch" or "plain", modules."""
    listener, owner, folder = socket.socket(fileno=int(arguments[0])), int(arguments[1]), Path(arguments[2])
    listener.set_inheritable(False)
    os.set_inheritable(owner, False)
    home = zygote.settle(folder / "home")
    shell = warm_up(str(home), with_torch=arguments[3] == "torch", modules=arguments[4:])
    kernel.prctl(kernel.PR_SET_DUMPABLE, 0)  # nobody may read or write what every later zygote starts from
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # a zygote that ends leaves no trace
    _serve(listener, owner, shell)
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(0)


def _serve(listener: socket.socket, owner: int, shell: CellShell) -> None:
    """Fork a zygote for every connection until the owner has ended."""
    waiting: list[Any] = [listener, owner]
    while owner not in select.select(waiting, [], [])[0]:
        connection, _ = listener.accept()
        try:
            if not os.fork():
                _become_zygote(connection, listener, owner, shell)
        except OSError:
            pass  # there is no room for another process: whoever connected finds the connection closed
        finally:
            connection.close()


def _become_zygote(connection: socket.socket, listener: socket.socket, owner: int, shell: CellShell) -> NoReturn:
    """Leave behind what is the template's own, in a fork."""
    try:
        listener.close()
        os.close(owner)
        os.setsid()
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        kernel.prctl(kernel.PR_SET_DUMPABLE, 1)  # without this, nobody could map its user ids
        zygote.live(connection, shell)
    finally:
        os._exit(70)
