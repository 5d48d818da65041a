"""What the zygote sets up once for the walls of all its children."""

from __future__ import annotations

import contextlib
import os
import re
import stat
import sys
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from redink.box import scratch
from redink.box.walls import kernel, landlock, namespaces, seccomp, turnstile, visible

_FIRST_UID = 0x70000000  # far from any account, and from the ranges that containers and user namespaces are given


class Setup(NamedTuple):
    """What the machine offers, found out once."""

    place: str  # where a child's home and working folder are
    own_pids: int | None  # the zygote's own pid namespace; None without namespaces
    uid: int  # of a child
    gid: int
    crowd: int  # processes that share this uid, and count against a limit on them
    filter: bytes | None  # seccomp's
    counted: bool  # each new process asks at the turnstile
    readable: tuple[str, ...] | None  # Landlock's; None without it
    writable: tuple[str, ...]
    standing: tuple[str, ...]
    missing: tuple[str, ...]
    signals_stay_inside: bool  # a child's signals reach its own family alone

    @property
    def uses_namespaces(self) -> bool:
        """Whether children live in namespaces."""
        return self.own_pids is not None


def prepare(folder: Path, hidden: Collection[str], without: Collection[str]) -> Setup:
    """Enter the namespaces if the machine lets us, and prepare the other walls; `without` takes some away, for tests."""
    root = os.getuid() == 0
    own = _FIRST_UID + os.getpid() if root else os.getuid()
    inside = "namespaces" not in without and not namespaces.refusal(folder, hidden, own)
    readable = visible.readable_without_namespaces()
    uid = own if inside or _open_to_all() else os.getuid()
    crowd = 0 if uid != os.getuid() or (inside and _counts_by_namespace()) else _crowd()
    place = visible.BOX if inside else str(scratch.place_of_child(folder))
    own_pids = namespaces.enter(folder, hidden, uid) if inside else None
    if inside:
        kernel.bound_capabilities()
    abi = 0 if "landlock" in without else landlock.version()
    if not inside and any(visible.covers(readable, place) for place in hidden):
        abi = 0  # it would let a child read what must stay hidden
    filtered = "seccomp" not in without and seccomp.available()
    counted = filtered and not inside and "turnstile" not in without and turnstile.available()
    standing = {
        **dict.fromkeys(namespaces.NAMES, inside),
        "user_ns": inside and not root,
        "own_uid": uid != os.getuid(),
        "landlock": abi > 0,
        "seccomp": filtered,
        "turnstile": counted,
    }
    if inside:  # the kernel counts a box's processes by themselves
        del standing["turnstile"]
    if standing["user_ns"] or standing["own_uid"]:  # either will do
        standing = {name: there for name, there in standing.items() if there or name not in ("user_ns", "own_uid")}
    return Setup(
        place=place,
        own_pids=own_pids,
        uid=uid,
        gid=uid if uid != os.getuid() else os.getgid(),
        crowd=crowd,
        filter=_filter(inside, abi, counted) if filtered else None,
        counted=counted,
        readable=(("/",) if inside else tuple(readable)) if abi else None,
        writable=(place, "/tmp", "/dev/shm", "/dev/null") if inside else (place, "/dev/null"),  # noqa: S108
        standing=tuple(name for name, there in standing.items() if there),
        missing=tuple(name for name, there in standing.items() if not there),
        signals_stay_inside=inside or abi >= 6,
    )


def _filter(inside: bool, abi: int, counted: bool) -> bytes:
    return seccomp.assemble(
        own_mounts=inside, own_pids=inside, signals_scoped=abi >= 6, truncation_handled=abi >= 3, counted=counted
    )


def _counts_by_namespace() -> bool:
    """Tell whether the kernel counts a user's processes in each user namespace by itself."""
    release = [int(part) for part in re.findall(r"\d+", os.uname().release)[:2]]
    return release >= [5, 14]


def _crowd() -> int:
    """Count the threads of this user, with so much room that no box can take it from another before it is stopped."""
    count = 1000
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            count += len(list((process / "task").iterdir())) if process.stat().st_uid == os.getuid() else 0
    return count


def _open_to_all() -> bool:
    """Tell whether another uid could still import Python's modules; it could not from an interpreter in a private home."""
    places = [Path(place).resolve() for place in (sys.prefix, sys.base_prefix)]
    return all(folder.stat().st_mode & stat.S_IXOTH for place in places for folder in (place, *place.parents))
