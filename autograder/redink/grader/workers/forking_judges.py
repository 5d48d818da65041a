"""The template of judges, in its own process: loads an answer key once, and forks a judge for every connection.

It has one thread, since a fork copies only one. The kernel tells how a process ended to its parent alone, so the template
tells whoever drives a judge when that one has had more CPU time than it may. It ends with its owner; its judges end with
their drivers.
"""

from __future__ import annotations

import contextlib
import gc
import os
import select
import signal
import socket
import time
from typing import NamedTuple, NoReturn

import msgspec

from redink import frames
from redink.errors import in_one_sentence
from redink.grader.answer_key.key import decode_key
from redink.grader.answer_key.open_key import OpenKey
from redink.grader.private import keep_private
from redink.grader.workers.judge_process import Failed, OverCpu
from redink.grader.workers.judging import live
from redink.texts import clean

PAUSE = 0.1  # seconds until a connection is tried again for which there was no room


class _Driven(NamedTuple):
    """A judge, and the connection to whoever drives it."""

    pid: int
    connection: socket.socket


def main(owner: int, listener: int, told: int) -> NoReturn:
    """Load the key and serve until the owner has gone."""
    keep_private()
    with open(told, "rb") as file:
        data = file.read()
    _Template(socket.socket(fileno=owner), socket.socket(fileno=listener), _opened(data)).serve()
    os._exit(0)


def _opened(data: bytes) -> OpenKey | Failed:
    """Load a key, or say why that does not work."""
    try:
        key = OpenKey(decode_key(data, "what the worker sent"))
        key.load()  # while there is no limit: a check may import torch
    except Exception as error:  # noqa: BLE001 - whatever it is, it would happen again
        return Failed(reason=clean(in_one_sentence(error)))
    gc.collect()
    gc.freeze()  # what stays is not looked at again: collecting takes no time from here on, and changes no shared page
    return key


class _Template:
    """Forks judges and waits for them."""

    def __init__(self, owner: socket.socket, listener: socket.socket, key: OpenKey | Failed) -> None:
        self._owner = owner
        self._listener = listener
        self._key = key
        self._judges: dict[int, _Driven] = {}  # by pidfd

    def serve(self) -> None:
        """Fork a judge for every connection until the owner has gone and all that have ended are told of."""
        events = select.poll()
        for one in (self._owner.fileno(), self._listener.fileno()):
            events.register(one, select.POLLIN)
        while True:
            ready = [descriptor for descriptor, _ in events.poll()]
            for pidfd in [one for one in ready if one in self._judges]:
                events.unregister(pidfd)
                self._bury(pidfd)
            if self._owner.fileno() in ready:
                return
            if self._listener.fileno() in ready:
                with contextlib.suppress(OSError):  # there is no room: whoever connected finds the connection closed
                    events.register(self._fork(), select.POLLIN)

    def _fork(self) -> int:
        try:
            connection, _ = self._listener.accept()
        except OSError:
            time.sleep(PAUSE)  # nothing has become of whoever waits: it would be tried again at once
            raise
        pid = -1
        try:
            if not (pid := os.fork()):
                self._become_judge(connection)
            pidfd = os.pidfd_open(pid)
        except OSError:
            connection.close()
            if pid > 0:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
            raise
        self._judges[pidfd] = _Driven(pid, connection)
        return pidfd

    def _become_judge(self, connection: socket.socket) -> NoReturn:
        """Leave behind what is the template's own, also its ends of others' connections: their drivers wait for them."""
        try:
            for one in (self._owner, self._listener, *(driven.connection for driven in self._judges.values())):
                one.close()
            for pidfd in self._judges:
                os.close(pidfd)
            live(connection, self._key)
        finally:
            os._exit(70)

    def _bury(self, pidfd: int) -> None:
        """Wait for a judge that has ended, and tell its driver if it was over time."""
        pid, connection = self._judges.pop(pidfd)
        _, status = os.waitpid(pid, 0)
        os.close(pidfd)
        with connection, contextlib.suppress(OSError):
            if os.waitstatus_to_exitcode(status) == -signal.SIGXCPU:
                frames.send(connection, msgspec.msgpack.encode(OverCpu()))
