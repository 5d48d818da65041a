"""One writer at a time: a lock beside the gradebook that names who holds it.

`<book>.lock` is locked by `flock`, which the kernel frees when its holder ends, however it ends. It contains who
holds it. On closing the file is emptied and removed *while it is still locked*. Somebody who had opened it just before may
then lock a file that has no name any more; so whoever gets the lock checks whether the file is still the one of that
name, and otherwise starts again. A forked child closes its copy of the descriptor, or it would hold the lock when the
holder is gone.
"""

from __future__ import annotations

import errno
import fcntl
import os
import platform
import stat
import time
import weakref
from datetime import datetime
from pathlib import Path

import msgspec

from redink.errors import CourseError
from redink.records import Record

_WAITING = 1.0  # seconds for a holder to write its name, or to finish closing
_PAUSE = 0.02


class InUseError(CourseError):
    """Another command is writing the gradebook."""


class Holder(Record, frozen=True):
    """Who holds the lock, as the file says it."""

    pid: int
    host: str
    command: str
    since: str  # local time, ISO 8601


class Lock:
    """The right to write one gradebook, from the moment it is made until it is released."""

    def __init__(self, book: Path, command: str) -> None:
        self.file = book.with_name(book.name + ".lock")
        self._book = book
        self._descriptor: int | None = None
        try:
            self._descriptor = self._take()
            _held.add(self)
            self._sign(self._descriptor, command)
        except OSError as error:
            self.release()
            raise CourseError(
                f"{book} cannot be used as a gradebook: its lock {self.file.name} cannot be written: {error.strerror}"
            ) from error

    def release(self) -> None:
        """Let the next one write; does nothing the second time, or in a forked child."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            os.ftruncate(descriptor, 0)
            self.file.unlink(missing_ok=True)
            os.close(descriptor)

    def forget(self) -> None:
        """Close a forked child's copy of the descriptor; the parent keeps the lock."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            os.close(descriptor)

    def _take(self) -> int:
        deadline = time.monotonic() + _WAITING
        while True:
            descriptor = os.open(self.file, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
            try:
                holder = self._read(descriptor)
                taken = self._is_taken(descriptor)
            except BaseException:
                os.close(descriptor)
                raise
            if taken:
                return descriptor
            os.close(descriptor)
            if (holder and _runs(holder)) or time.monotonic() > deadline:
                raise InUseError(
                    f"the gradebook {self._book} is in use by {_described(holder)}: wait for it, or stop it"
                )
            time.sleep(_PAUSE)

    def _is_taken(self, descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return os.path.samestat(os.fstat(descriptor), self.file.stat())
        except (BlockingIOError, FileNotFoundError):
            return False

    def _read(self, descriptor: int) -> Holder | None:
        """Read who holds the lock; None if nobody has written a name yet. A file that is not ours is refused."""
        regular = stat.S_ISREG(os.fstat(descriptor).st_mode)
        text = os.pread(descriptor, 65536, 0) if regular else b"?"
        try:
            return msgspec.json.decode(text, type=Holder) if text else None
        except msgspec.DecodeError as error:
            raise CourseError(
                f"{self._book} cannot be used as a gradebook: {self.file} is in the place of its lock and is not one; "
                "remove it, or use another --gradebook"
            ) from error

    def _sign(self, descriptor: int, command: str) -> None:
        since = datetime.now().astimezone().isoformat(timespec="seconds")
        holder = Holder(pid=os.getpid(), host=platform.node(), command=command, since=since)
        os.ftruncate(descriptor, 0)
        text = msgspec.json.encode(holder)
        if os.pwrite(descriptor, text, 0) < len(text):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


_held: weakref.WeakSet[Lock] = weakref.WeakSet()


def _forget_all() -> None:
    for lock in _held:
        lock.forget()


os.register_at_fork(after_in_child=_forget_all)


def _runs(holder: Holder) -> bool:
    """Tell whether the holder may be running: a name left by one that was killed is about to be overwritten."""
    if holder.host != platform.node():
        return True
    try:
        os.kill(holder.pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _described(holder: Holder | None) -> str:
    if holder is None:
        return "another process"
    since, today = datetime.fromisoformat(holder.since), datetime.now().astimezone().date()
    when = f"{since:%H:%M:%S}" if since.date() == today else f"{since:%Y-%m-%d %H:%M:%S}"
    return f"`{holder.command}` (process {holder.pid} on {holder.host}, since {when})"
