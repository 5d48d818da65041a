"""A git repository as a tree: cloned bare into a private folder, and its files read from its objects, never checked out.

What a repository holds is a stranger's. So no hook, filter, submodule or template of it has a part in this, nothing asks
for a password, no other transport is used than those listed, one on this machine is copied first, so that it is nobody
else's (`own_copy.py`), and the time, memory and files of every process of git are bounded. The instructor's own settings
count, for they hold the keys to private repositories; the machine's do not.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import os
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.parse
import weakref
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from redink.box import scratch
from redink.errors import SubmissionError
from redink.files import Kind
from redink.grader.intake.archive import Archive, Packed
from redink.grader.intake.own_copy import copy_repository
from redink.grader.intake.tree import MOST_ENTRIES
from redink.grader.rules.course_rules import believable
from redink.notebook import MAX_BYTES
from redink.records import Record
from redink.texts import clean

MOST_MEMORY = 512 << 20  # bytes of one process of git
_SECONDS = 120  # for all commands on one repository together
_LARGEST = 1 << 30  # bytes of a repository's pack, and of all that is copied of one on this machine
_LARGEST_LIST = 16 << 20  # bytes of a list of files or commits
_MOST_COMMITS = 5_000  # that are looked at, from the tip backwards
_PROTOCOLS = "https:http:ssh:git:file"
_SETTINGS = (
    "core.hooksPath=/dev/null", "core.fsmonitor=false", "core.symlinks=false", "core.askPass=true",
    "protocol.ext.allow=never", "submodule.recurse=false", "fetch.recurseSubmodules=false", "gc.auto=0",
    "maintenance.auto=false", "fetch.unpackLimit=1", "pack.threads=1", "core.bigFileThreshold=16m",
    "core.packedGitLimit=64m", "core.deltaBaseCacheLimit=32m", "filter.lfs.smudge=",
    "filter.lfs.process=", "filter.lfs.required=false",
)  # fmt: skip
_LIMITED = 'ulimit -d "$1"; ulimit -f "$2"; shift 2; exec "$@"'  # kilobytes, and blocks of 512 bytes
_LOCAL = "file://"
_KINDS: dict[str, Kind] = {"040000": "folder", "100644": "file", "100755": "file", "100664": "file", "120000": "link"}


@functools.cache
def _clones() -> Path:
    """Make the folder for all clones of this process; of those that were killed, the next one removes theirs."""
    scratch.sweep()
    folder, log = scratch.make()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    atexit.register(log.close)
    return folder


class Commit(Record, frozen=True):
    """One commit of a branch; the times are what it says of itself."""

    name: str
    committed: datetime | None
    written: datetime | None


class Repository:
    """A bare clone in a private folder, which is removed when nobody uses it any more."""

    def __init__(self, source: str, branch: str = "") -> None:
        self._folder = Path(tempfile.mkdtemp(dir=_clones(), prefix="git-"))
        weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        self._left = float(_SECONDS)
        copied = self._folder / "copy"
        if (local := _on_this_machine(source)) is not None:
            copy_repository(local, copied, _LARGEST)
        at = ["--branch", branch] if branch else []
        where = ["--", source if local is None else str(copied), str(self._folder / "clone")]
        options = ["--bare", "--quiet", "--no-local", "--no-tags", "--single-branch", "--template=", *at]
        self._git(["clone", *options, *where], _LARGEST)
        shutil.rmtree(copied, ignore_errors=True)
        self.taken_at = datetime.now(UTC)

    def commits(self) -> list[Commit]:
        """List the commits of the branch along first parents, newest first."""
        listed = self._ask(
            ["log", "--first-parent", f"--max-count={_MOST_COMMITS}", "--format=%H %ct %at", "HEAD", "--"]
        )
        return [
            Commit(name=name, committed=_time(committed), written=_time(written))
            for name, committed, written in (line.split(" ") for line in listed.decode("ascii", "replace").splitlines())
        ]

    def tree(self, commit: Commit) -> Archive:
        """Show the files of a commit; they are read when they are asked for."""
        listed = self._ask(["ls-tree", "-r", "-t", "-z", "-l", "--full-tree", commit.name])
        objects: list[str] = []
        members = list(_members(listed, objects))
        return Archive(members, lambda member: self._read(objects[member.at], member.size))

    def _read(self, name: str, size: int) -> bytes:
        data = self._ask(["cat-file", "blob", name], MAX_BYTES)
        if len(data) != size:
            raise SubmissionError("is not as large as the repository says")
        return data

    def _ask(self, arguments: Sequence[str], most: int = _LARGEST_LIST) -> bytes:
        return self._git(["--git-dir", str(self._folder / "clone"), *arguments], most)

    def _git(self, arguments: Sequence[str], most: int) -> bytes:
        """Run git in the time that is left for this repository."""
        began = time.monotonic()
        try:
            return _git(arguments, self._folder, most, self._left)
        finally:
            self._left -= time.monotonic() - began


def _on_this_machine(source: str) -> Path | None:
    """Return the folder of a repository that no other machine is asked for."""
    if source.startswith(_LOCAL):
        return Path("/", urllib.parse.unquote(source.removeprefix(_LOCAL))).resolve()
    return Path(source) if Path(source).is_absolute() else None


def _members(listed: bytes, objects: list[str]) -> Iterator[Packed]:
    lines = listed.split(b"\0")[:-1]
    if len(lines) > MOST_ENTRIES:
        raise SubmissionError(f"holds more than {MOST_ENTRIES} files")
    for at, line in enumerate(lines):
        about, _, path = line.partition(b"\t")
        mode, _, name, size = about.decode("ascii").split()
        objects.append(name)
        problem = "is a submodule, and those are not followed" if mode == "160000" else ""
        yield Packed(
            path=path.decode("utf-8", "surrogateescape"),
            kind=_KINDS.get(mode, "refused"),
            size=int(size) if size.isdigit() else 0,
            at=at,
            problem=problem,
        )


def _time(seconds: str) -> datetime | None:
    try:
        return believable(datetime.fromtimestamp(int(seconds), UTC))
    except (ValueError, OverflowError, OSError):
        return None


def _git(arguments: Sequence[str], folder: Path, most: int, seconds: float) -> bytes:
    """Run git and return what it prints, at most so many bytes; `SubmissionError` says in git's last words why it failed."""
    program = shutil.which("git")
    if program is None:
        raise SubmissionError("cannot be read: git is not installed")
    if seconds <= 0:
        raise _over_time()
    settings = [part for setting in _SETTINGS for part in ("-c", setting)]
    limits = [str(MOST_MEMORY >> 10), str((most >> 9) + 1)]
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(  # noqa: S603 - a source that looks like an option stands behind `--`
            ["/bin/sh", "-c", _LIMITED, "sh", *limits, program, *settings, *arguments],
            cwd=folder, env=_environment(), stdin=subprocess.DEVNULL, stdout=output, stderr=errors,
            start_new_session=True,
        )  # fmt: skip
        try:
            code = process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise _over_time() from None
        finally:
            _end(process)
        if code == -signal.SIGXFSZ or os.fstat(output.fileno()).st_size > most:
            raise SubmissionError("cannot be read: git says too much of it")
        if code:
            raise SubmissionError(f"cannot be read: {_reason(errors.fileno()) or f'git ended with {code}'}")
        output.seek(0)
        return output.read()


def _over_time() -> SubmissionError:
    return SubmissionError(f"cannot be read: git took more than {_SECONDS} s")


def _environment() -> dict[str, str]:
    kept = (
        "PATH",
        "HOME",
        "USER",
        "LANG",
        "SSH_AUTH_SOCK",
        "XDG_CONFIG_HOME",
        "HTTPS_PROXY",
        "https_proxy",
        "NO_PROXY",
    )
    ours = {
        "GIT_TERMINAL_PROMPT": "0", "GIT_ASKPASS": "true", "SSH_ASKPASS": "true", "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_ALLOW_PROTOCOL": _PROTOCOLS, "GIT_LFS_SKIP_SMUDGE": "1", "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_SSH_COMMAND": "ssh -oBatchMode=yes", "LC_ALL": "C",
    }  # fmt: skip
    return {name: os.environ[name] for name in kept if name in os.environ} | ours


def _end(process: subprocess.Popen[bytes]) -> None:
    """End git, and whatever it has started."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _reason(descriptor: int) -> str:
    """Say why git failed: in its last words, unless one of its processes wanted too much memory before."""
    size = os.fstat(descriptor).st_size
    said = os.pread(descriptor, 2000, max(0, size - 2000)).decode("utf-8", "replace")
    if "ut of memory" in said:
        return f"git needs more than {MOST_MEMORY >> 20} MB for it"
    lines = [line for line in said.splitlines() if line.strip()]
    fatal = [line for line in lines if line.startswith(("fatal:", "error:"))]
    return clean((fatal or lines or [""])[-1].removeprefix("fatal: "), 200)
