"""What this machine can promise about the box, found out by trying forbidden acts inside it.

Bait is put where a submission must not reach (a file, listening sockets, the grader's own process), and a box is
given all the addresses. An act that succeeds makes the box weak, whatever walls it claims. What is limited, and by what,
follows from the walls that stand.
"""

from __future__ import annotations

import os
import socket
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from redink import wire
from redink.assignment.packages import missing
from redink.errors import BoxError, WireError
from redink.grader.sandbox.client import Zygote
from redink.grader.sandbox.levels import level
from redink.records import Cell, JudgingLimits, Limits, Observation, Record, Request

_ACTS = {
    "read a file of the grader": "student.call(lambda: open(file).read())",
    "write beside a file of the grader": "student.call(lambda: open(file + '2', 'w').write('x'))",
    "read the grader's memory": "student.call(lambda: open(f'/proc/{pid}/mem', 'rb').read(0))",
    "read the grader's environment": "student.call(lambda: open(f'/proc/{pid}/environ').read())",
    "signal the grader": "student.call(lambda: student.os.kill(pid, 0) if pid != student.os.getpid() else 1 / 0)",
    "connect to a port": "student.call(lambda: student.socket.create_connection(('127.0.0.1', port)))",
    "open a port": "student.call(lambda: student.socket.create_server(('127.0.0.1', 0)))",
    "connect to a socket file": "student.call(lambda: student.unix(file + '.socket'))",
    "connect to an abstract socket": "student.call(lambda: student.unix(name))",
    "trace a process": "student.libc('ptrace', 0, 0, 0, 0)",
    "mount a file system": "student.libc('mount', b'none', b'/', b'tmpfs', 0, 0)",
    "make a namespace": "student.libc('unshare', 0x10000000)",
    "share memory past its end": "student.libc('shmget', 7, 4096, 0o1600)",
    "lock a shared file": "student.call(lambda: student.lock(student.os.__file__))",
    "watch a shared file": "student.libc('inotify_init1', 0)",
    "mark a shared file": "student.call(lambda: student.fcntl.fcntl(open(student.os.__file__), 1036, bytes(8)))",
    "see what others have read": "student.call(lambda: student.read_at_once(student.os.__file__))",
}
_CELL = """
import ctypes, fcntl, os, socket
def call(act):
    try:
        act()
    except Exception as error:
        return f'{type(error).__name__}: {error}'
    return 'done'
def libc(name, *arguments):
    done = getattr(ctypes.CDLL(None, use_errno=True), name)(*arguments)
    return os.strerror(ctypes.get_errno()) if done == -1 else 'done'
def unix(address):
    with socket.socket(socket.AF_UNIX) as made:
        made.connect(address)
def lock(path):
    with open(path) as one, open(path) as other:
        fcntl.flock(one, fcntl.LOCK_EX | fcntl.LOCK_NB)
        try:
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return
    raise OSError('a lock has no effect')
def read_at_once(path):
    with open(path, 'rb') as file:
        file.read()
        os.preadv(file.fileno(), [bytearray(1)], 0, os.RWF_NOWAIT)
"""
_MEANING = {
    "pid_ns": "a submission could see other processes by name; what it leaves running is found and killed instead",
    "mount_ns": "files are hidden by Landlock alone, names of files can be guessed, and the disk can be filled",
    "net_ns": "the network is closed by seccomp alone",
    "ipc_ns": "shared memory is closed by seccomp alone",
    "uts_ns": "the machine's name is visible",
    "user_ns": "code runs under the grader's uid, without its capabilities, and shares its limit on processes",
    "own_uid": "code runs under the grader's uid, without its capabilities, and shares its limit on processes",
    "landlock": "one wall less around files; where mount_ns is missing too, all files are readable",
    "seccomp": "one wall less around the kernel; where net_ns is missing too, the network is open",
    "turnstile": "a fork bomb is counted by the grader a few times a second, and may slow its neighbours until then",
    "cgroup": "memory is counted by a watchdog a few times a second instead of by the kernel",
}
_WATCHED = "all together by the grader, a few times a second"
_NAMESPACES = ("pid_ns", "mount_ns", "net_ns", "ipc_ns", "uts_ns", "user_ns")


class Finding(Record, frozen=True):
    """One wall, forbidden act or limit: whether it holds, what it means, and how to fix it if not."""

    name: str
    kind: Literal["wall", "act", "limit", "package"]
    holds: bool
    detail: str = ""
    remedy: str = ""


class Examined(Record, frozen=True):
    """What `redink doctor` found."""

    level: Literal["full", "good", "weak", "none"]
    findings: tuple[Finding, ...] = ()
    reason: str = ""  # why there is no box at all


def doctor(*, hidden: Sequence[str] = (), without: Sequence[str] = (), packages: Sequence[str] = ()) -> Examined:
    """Try the box of this machine, from which the `hidden` folders must stay invisible, and look for packages."""
    try:
        with Zygote(torch=False, hidden=hidden, without=without, allow_weak=True) as zygote, _bait() as inputs:
            seen = zygote.observe([Cell(index=1, source=_CELL)], _requests(inputs), Limits())
    except BoxError as error:
        return Examined(level="none", reason=str(error))
    acts = [_act(name, one) for name, one in seen.observations.items()]
    walls = [Finding(name=name, kind="wall", holds=True) for name in seen.box.walls]
    walls += [
        Finding(name=name, kind="wall", holds=False, detail=_MEANING.get(name, ""), remedy=_remedy(name))
        for name in seen.box.missing
    ]
    worth = level(seen.box) if all(act.holds for act in acts) else "weak"
    return Examined(level=worth, findings=(*walls, *acts, *_limits(set(seen.box.walls)), *_packages(packages)))


def _packages(names: Sequence[str]) -> list[Finding]:
    """Say which packages of a course are installed here."""
    lacking = missing(names)
    return [Finding(name=one, kind="package", holds=one not in lacking, remedy=lacking.get(one, "")) for one in names]


def _limits(walls: set[str]) -> list[Finding]:
    """Say what is limited on this machine, and by what; an assignment may say otherwise how much."""
    most, judging = Limits(), JudgingLimits()
    memory = "all together too" if "cgroup" in walls else _WATCHED
    counted = "by the kernel" if "pid_ns" in walls else "at the turnstile" if "turnstile" in walls else _WATCHED
    disk = "all files together, in memory" if "mount_ns" in walls else "each file; all together the disk is the limit"
    told = {
        "CPU time": f"{most.total_cpu:g} s a submission, {most.cell_cpu:g} s a cell, {most.check_cpu:g} s a call; "
        f"by a timer, by the kernel for each process, and {_WATCHED}",
        "wall time": f"{most.waiting:g} s, and {most.wall_factor:g} times the CPU time that was used; by the grader's clock",
        "memory": f"{most.memory_mb} MB; each process by the kernel, {memory}",
        "processes": f"{most.processes}, {counted}",
        "open files": f"{most.open_files} a process, by the kernel",
        "disk": f"{most.disk_mb} MB: {disk}",
        "output": f"{most.output_bytes // 1024} kB of text, {most.value_bytes >> 20} MB an answer, by the grader; "
        "what is kept of an answer, by what the right one has",
        "judging": f"{judging.step_cpu:g} s of CPU time a check, {judging.total_cpu:g} s a submission, "
        f"{judging.memory_mb} MB; by a timer and by the kernel, in a process of its own",
    }
    weaker = {"processes": counted == _WATCHED, "disk": "mount_ns" not in walls}
    return [
        Finding(name=name, kind="limit", holds=not weaker.get(name, False), detail=detail)
        for name, detail in told.items()
    ]


def _act(name: str, seen: Observation) -> Finding:
    """Tell whether an act was refused: only an answer that says so counts."""
    try:
        said = wire.decode(seen.value) if seen.value else "done"
    except WireError:
        said = "done"
    held = said != "done"
    return Finding(name=name, kind="act", holds=held, detail=str(said) if held else "a submission can do this")


def _requests(inputs: dict[str, object]) -> list[Request]:
    names = ", ".join(inputs)
    return [
        Request(id=act, when=f"def when(student, {names}):\n    return {body}\n", inputs=wire.encode(inputs))
        for act, body in _ACTS.items()
    ]


@contextmanager
def _bait() -> Iterator[dict[str, object]]:
    """Put up what a submission must not reach."""
    with tempfile.TemporaryDirectory() as folder, socket.create_server(("127.0.0.1", 0)) as port:
        file = Path(folder, "bait")
        file.write_text("bait")
        name = f"\0redink-{os.getpid()}"
        with socket.socket(socket.AF_UNIX) as pathname, socket.socket(socket.AF_UNIX) as abstract:
            for made, address in ((pathname, f"{file}.socket"), (abstract, name)):
                made.bind(address)
                made.listen()
            yield {"file": str(file), "pid": os.getpid(), "port": port.getsockname()[1], "name": name}


def _remedy(wall: str) -> str:
    if wall in _NAMESPACES:
        return _namespaces_remedy()
    return {
        "own_uid": "grade as an ordinary user, or with a Python that every user may read",
        "landlock": "use Linux 5.13 or newer, with landlock among the kernel's lsm= modules",
        "seccomp": "grade on an x86_64 or aarch64 machine",
        "cgroup": "as an ordinary user: systemd-run --user --scope redink …; in a container, delegate a control group (v2)",
        "turnstile": "allow user namespaces, or a container without a seccomp listener of its own (Linux 5.5 or newer)",
    }.get(wall, "")


def _namespaces_remedy() -> str:
    """Return what would let this machine allow namespaces."""
    switches = {
        "/proc/sys/kernel/apparmor_restrict_unprivileged_userns": (
            "1",
            "kernel.apparmor_restrict_unprivileged_userns=0",
        ),
        "/proc/sys/kernel/unprivileged_userns_clone": ("0", "kernel.unprivileged_userns_clone=1"),
        "/proc/sys/user/max_user_namespaces": ("0", "user.max_user_namespaces=10000"),
    }
    for file, (bad, good) in switches.items():
        if Path(file).exists() and Path(file).read_text().strip() == bad:
            profile = " (or give python an AppArmor profile with `userns,`)" if "apparmor" in file else ""
            return f"sudo sysctl -w {good}{profile}"
    if any(Path(sign).exists() for sign in ("/.dockerenv", "/run/.containerenv")):
        return "start the container with --security-opt seccomp=unconfined --security-opt systempaths=unconfined"
    return "allow unprivileged user namespaces, or grade as root" if sys.platform == "linux" else "grade on Linux"
