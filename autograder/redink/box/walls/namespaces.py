"""Namespaces: a machine of its own for a zygote and its children, entered once, by an ordinary user too.

The process that the template forked stays outside as the keeper: it waits, and clears up. Its child is the first
process of a pid namespace, and becomes the zygote. For each submission the zygote makes one more pid namespace, whose
first process is a sleeping shell (so that the child is an ordinary process, to which signals mean what they mean
elsewhere). It waits for orphans that end, so that they make room and their CPU time is counted; killing it kills everything
the submission ever started.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
from collections.abc import Callable, Iterable
from pathlib import Path

from redink.box.walls import kernel, visible

NAMES = ("pid_ns", "mount_ns", "net_ns", "ipc_ns", "uts_ns")
_INNER = kernel.CLONE_NEWNS | kernel.CLONE_NEWNET | kernel.CLONE_NEWIPC | kernel.CLONE_NEWUTS
_SLEEPER = ["/bin/sh", "-c", "while :; do /bin/sleep 2147483647 & wait; done"]


def refusal(folder: Path, hidden: Iterable[str], uid: int) -> str:
    """Try to enter all namespaces in a throw-away process; return the machine's reason against it, or an empty string."""

    def attempt() -> None:
        _leave_the_machine()
        _in_a_fork(lambda: _move_in(folder, hidden, uid))

    try:
        _in_a_fork(attempt)
    except OSError as error:
        return str(error)
    return ""


def enter(folder: Path, hidden: Iterable[str], uid: int) -> int:
    """Enter all namespaces; only the child that becomes the zygote returns, with a descriptor of its pid namespace."""
    _leave_the_machine()
    zygote = os.fork()
    if zygote:
        _wait_outside(zygote, folder)
    kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
    _move_in(folder, hidden, uid)
    return os.open("/proc/self/ns/pid", os.O_RDONLY | os.O_CLOEXEC)


def make_family(own: int) -> int:
    """Open a pid namespace for the next child; return the pid of its first process."""
    kernel.unshare(kernel.CLONE_NEWPID)
    null = [(os.POSIX_SPAWN_OPEN, fd, "/dev/null", os.O_RDWR, 0) for fd in (0, 1, 2)]
    try:
        return os.posix_spawn(_SLEEPER[0], _SLEEPER, {}, file_actions=null)
    except BaseException:
        leave_family(own)
        raise


def leave_family(own: int) -> None:
    """Fork into the zygote's own pid namespace again from here on."""
    kernel.setns(own, kernel.CLONE_NEWPID)


def make_folders(uid: int, gid: int, megabytes: int) -> None:
    """Mount a scratch folder of limited size, and a /proc that shows this family alone, in a mount namespace of its own."""
    kernel.unshare(kernel.CLONE_NEWNS)
    flags = kernel.MS_NOSUID | kernel.MS_NODEV
    options = f"size={megabytes}m,nr_inodes={64 * megabytes + 1000},mode=755"
    kernel.mount("tmpfs", visible.BOX, "tmpfs", flags, options)
    for name in ("home", "work", "tmp", "shm"):
        os.mkdir(f"{visible.BOX}/{name}", 0o700)  # noqa: PTH102 - pathlib costs a child page faults
        os.chown(f"{visible.BOX}/{name}", uid, gid)
    kernel.mount(f"{visible.BOX}/shm", "/dev/shm", None, kernel.MS_BIND)  # noqa: S108 - of the new root
    if not os.listdir("/tmp"):  # noqa: PTH208, S108 - something visible, such as a virtual environment, may be there
        kernel.mount(f"{visible.BOX}/tmp", "/tmp", None, kernel.MS_BIND)  # noqa: S108
    visible.mount_proc("/proc")
    visible.hide_counts_of_names("/proc")


def _leave_the_machine() -> None:
    """Become able to make namespaces: an ordinary user is, in a user namespace."""
    uid, gid = os.getuid(), os.getgid()
    kernel.unshare(kernel.CLONE_NEWPID | (kernel.CLONE_NEWUSER if uid else 0))
    if uid:
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{uid} {uid} 1")
        Path("/proc/self/gid_map").write_text(f"{gid} {gid} 1")


def _move_in(folder: Path, hidden: Iterable[str], uid: int) -> None:
    """Change to a root in which only what is visible exists."""
    kernel.unshare(_INNER)
    kernel.mount(None, "/", None, kernel.MS_REC | kernel.MS_PRIVATE)
    tree = folder / "root"
    tree.mkdir(exist_ok=True)
    visible.build(str(tree), hidden, uid)
    kernel.read_only(str(tree))
    kernel.mount("tmpfs", f"{tree}{visible.BOX}", "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, "size=64m,mode=755")
    kernel.change_root(str(tree))
    socket.sethostname("box")
    for program in ("/bin/sh", "/bin/sleep"):
        if not Path(program).exists():
            raise OSError(2, f"there is no {program} on this machine")


def _in_a_fork(work: Callable[[], None]) -> None:
    """Do something in a child, and raise here what it raised there."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            work()
        except OSError as error:
            os.write(writing, str(error).encode()[:500])
        finally:
            os._exit(0)
    os.close(writing)
    with open(reading, "rb") as answer:  # noqa: PTH123 - a descriptor
        said = answer.read().decode(errors="replace")
    os.waitpid(child, 0)
    if said:
        raise OSError(said)


def _wait_outside(zygote: int, folder: Path) -> None:
    """Wait for the zygote, remove what it could not see any more, and end as it did."""
    os.closerange(3, 1024)
    _, status = os.waitpid(zygote, 0)
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(max(0, os.waitstatus_to_exitcode(status)))
