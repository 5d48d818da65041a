"""A git repository as a tree: cloned bare into a private folder, and its files read from its objects, never checked out.

What a repository holds is a stranger's. So no hook, filter, submodule or template of it has a part in this, nothing asks
for a password, no other transport is used than those listed, and time and size are bounded. The instructor's own settings
count, for they hold the keys to private repositories; the machine's do not.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import os
import resource
import shutil
import signal
import subprocess
import tempfile
import weakref
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from redink.box import scratch
from redink.errors import SubmissionError
from redink.files import Kind
from redink.grader.intake.archive import Archive, Packed
from redink.grader.intake.tree import MOST_ENTRIES
from redink.grader.rules.course_rules import believable
from redink.notebook import MAX_BYTES
from redink.records import Record
from redink.texts import clean

_SECONDS = 120  # for one command
_LARGEST = 1 << 30  # bytes of a repository's pack
_LARGEST_LIST = 16 << 20  # bytes of a list of files or commits
_MOST_COMMITS = 5_000  # that are looked at, from the tip backwards
_PROTOCOLS = "https:http:ssh:git:file"
_SETTINGS = (
    "core.hooksPath=/dev/null", "core.fsmonitor=false", "core.symlinks=false", "core.askPass=true",
    "protocol.ext.allow=never", "submodule.recurse=false", "fetch.recurseSubmodules=false", "gc.auto=0",
    "maintenance.auto=false", "filter.lfs.smudge=", "filter.lfs.process=", "filter.lfs.required=false",
)  # fmt: skip
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
        at = ["--branch", branch] if branch else []
        where = ["--", source, str(self._folder / "clone")]
        options = ["--bare", "--quiet", "--no-local", "--no-tags", "--single-branch", "--template=", *at]
        _git(["clone", *options, *where], self._folder)
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
        return _git(["--git-dir", str(self._folder / "clone"), *arguments], self._folder, most)


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


def _git(arguments: Sequence[str], folder: Path, most: int = _LARGEST_LIST) -> bytes:
    """Run git and return what it prints; `SubmissionError` says in git's last words why it failed."""
    program = shutil.which("git")
    if program is None:
        raise SubmissionError("cannot be read: git is not installed")
    settings = [part for setting in _SETTINGS for part in ("-c", setting)]
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(  # noqa: S603 - no shell; a source that looks like an option stands behind `--`
            [program, *settings, *arguments],
            cwd=folder, env=_environment(), stdin=subprocess.DEVNULL, stdout=output, stderr=errors,
            start_new_session=True,
        )  # fmt: skip
        with contextlib.suppress(ProcessLookupError):
            resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (_LARGEST, _LARGEST))
        try:
            code = process.wait(_SECONDS)
        except subprocess.TimeoutExpired:
            raise SubmissionError(f"cannot be read: git took more than {_SECONDS} s") from None
        finally:
            _end(process)
        if code:
            raise SubmissionError(f"cannot be read: {_last_words(errors.fileno()) or f'git ended with {code}'}")
        if os.fstat(output.fileno()).st_size > most:
            raise SubmissionError("cannot be read: git says too much of it")
        output.seek(0)
        return output.read()


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


def _last_words(descriptor: int) -> str:
    size = os.fstat(descriptor).st_size
    said = os.pread(descriptor, 2000, max(0, size - 2000)).decode("utf-8", "replace")
    lines = [line for line in said.splitlines() if line.strip()]
    fatal = [line for line in lines if line.startswith(("fatal:", "error:"))]
    return clean((fatal or lines or [""])[-1].removeprefix("fatal: "), 200)
