"""What a box can see of the machine: Python, its libraries, and the system's programs; no home, no course.

`visible` names it, for both walls against files. With a mount namespace `build` makes a new root of it, read-only, beside
a few made-up files; without one, Landlock lets a child read these paths and nothing else.
"""

from __future__ import annotations

import importlib.util
import os
import site
import sys
from collections.abc import Iterable
from pathlib import Path

from redink.box.walls import kernel

OURS = ("redink", "redink_cli")  # packages that no notebook may import
BOX = "/box"  # in a new root: the one place that can be written to
_SYSTEM = (
    "/usr/bin", "/usr/sbin", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/libexec", "/usr/share", "/usr/local/lib",
    "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix/store", "/gnu/store",
    "/etc/alternatives", "/etc/fonts", "/etc/ld.so.cache", "/etc/localtime", "/sys/devices/system/cpu",
)  # fmt: skip
_OF_PYTHON = ("bin", "lib", "lib32", "lib64", "libexec", "share", "ssl", "pyvenv.cfg")
_DEVICES = ("null", "zero", "full", "random", "urandom")
_OF_PROC = ("cpuinfo", "meminfo", "stat", "loadavg", "version", "filesystems", "sys/vm", "self")
_COUNTS_OF_NAMES = ("dentry-state", "inode-state", "inode-nr")  # of the whole kernel, below /proc/sys/fs
_LINKS = {"fd": "/proc/self/fd", "stdin": "/proc/self/fd/0", "stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2"}


def visible() -> list[str]:
    """Return every path that student code may read, outer ones first."""
    prefixes = {sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix}
    wanted = {*_SYSTEM, *(f"{prefix}/{part}" for prefix in prefixes for part in _OF_PYTHON)}
    wanted |= {entry for entry in sys.path if Path(entry).name in ("site-packages", "dist-packages")}
    wanted |= {site.getusersitepackages()} & set(sys.path)
    wanted |= set(filter(None, os.environ.get("LD_LIBRARY_PATH", "").split(":")))
    found = importlib.util.find_spec("redink_datasets")  # of an editable install, only this one package
    wanted |= set(found.submodule_search_locations or ()) if found else set()
    wanted |= {os.path.realpath(path) for path in wanted}
    there = sorted((path for path in wanted if Path(path).is_absolute() and Path(path).exists()), key=_depth)
    return [path for path in there if not any(_beneath(path, other) for other in there if not Path(other).is_symlink())]


def _ourselves() -> list[str]:
    """Return the folders of our own packages: all that the zygote needs of them is loaded."""
    found = [importlib.util.find_spec(name) for name in OURS]
    return [os.path.realpath(place) for one in found if one for place in one.submodule_search_locations or ()]


def readable_without_namespaces() -> list[str]:
    """Return what Landlock lets a child read where it still sees the whole machine."""
    return [*visible(), *(f"/proc/{name}" for name in _OF_PROC), *(f"/dev/{name}" for name in _DEVICES)]


def covers(paths: Iterable[str], hidden: str) -> bool:
    """Tell whether a folder that must stay hidden is one of these paths or below one."""
    return any(path == hidden or _beneath(hidden, path) for path in paths)


def build(tree: str, hidden: Iterable[str], uid: int) -> None:
    """Make a root of what is visible; `hidden` folders in it are covered, and then what is visible in them is put back."""
    kernel.mount("tmpfs", tree, "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, "size=4m,nr_inodes=20k,mode=755")
    paths = visible()
    masks = {path for path in (*hidden, *_ourselves()) if covers(paths, path)}
    if masks:
        paths += [path for path in (sys.prefix, sys.base_prefix) if any(_beneath(path, mask) for mask in masks)]
    for path in sorted({*paths, *masks}, key=_depth):
        if path in masks:
            kernel.mount("tmpfs", tree + path, "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, "size=1m,mode=755")
        else:
            _show(path, tree + path)
    _add_devices(tree, uid)


def _show(path: str, target: str) -> None:
    """Put one path of the machine into the new root."""
    Path(target).parent.mkdir(parents=True, exist_ok=True)
    if Path(path).is_symlink():
        Path(target).symlink_to(Path(path).readlink())
        return
    if Path(path).is_dir():
        Path(target).mkdir(exist_ok=True)
    else:
        Path(target).touch()
    kernel.mount(path, target, None, kernel.MS_BIND | kernel.MS_REC)


def _add_devices(tree: str, uid: int) -> None:
    """Add devices, a private /proc, a made-up account, and the places where each child mounts something."""
    for name in ("dev/shm", "etc", "proc", "tmp", BOX[1:]):
        Path(tree, name).mkdir(parents=True, exist_ok=True)
    for name in _DEVICES:
        Path(tree, "dev", name).touch()
        kernel.mount(f"/dev/{name}", f"{tree}/dev/{name}", None, kernel.MS_BIND)
    for name, target in _LINKS.items():
        Path(tree, "dev", name).symlink_to(target)
    Path(tree, "etc/passwd").write_text(f"student:x:{uid}:{uid}::{BOX}/home:/bin/sh\n", encoding="utf-8")
    mount_proc(f"{tree}/proc")


def mount_proc(target: str) -> None:
    """Show the processes of this pid namespace alone."""
    flags = kernel.MS_RDONLY | kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC
    kernel.mount("proc", target, "proc", flags)


def hide_counts_of_names(proc: str) -> None:
    """Cover what counts the names that the kernel remembers: it would tell of each whether somebody has asked for it."""
    for name in _COUNTS_OF_NAMES:
        kernel.mount("/dev/null", f"{proc}/sys/fs/{name}", None, kernel.MS_BIND)


def _depth(path: str) -> tuple[int, str]:
    return path.count("/"), path


def _beneath(path: str, other: str) -> bool:
    return path.startswith(other.rstrip("/") + "/")
