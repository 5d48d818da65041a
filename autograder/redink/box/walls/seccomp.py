"""The wall against system calls: a filter for the kernel, assembled here, that refuses what no notebook needs.

It is a list of refusals, since Python and torch use too many calls to list those that are allowed. A few are told apart by
their arguments. Where a mount namespace is missing the filter also keeps the child away from sockets outside
and from the permissions of files that Landlock lets it read; where a pid namespace is, from other processes: from their
signals, clocks, groups and scheduling.

All boxes read the same files: Python's libraries. A lock, a watch, a lease, a hint or a flag on one of them, or its place in
the kernel's cache, would be a note from one submission to another. Locks succeed without any effect, since many a library
takes one and none has to wait for a stranger; of `fcntl` and `ioctl` only what concerns a descriptor itself is left. The
kernel remembers each name that was asked for, also of what does not exist: no call is left that answers from memory alone.
"""

from __future__ import annotations

import ctypes
import errno
import platform
import struct
from collections.abc import Sequence

from redink.box.walls import kernel

# Each call with its number on x86_64 and on aarch64; "-" where it does not exist.
_REFUSED = """
ptrace 101 117, process_vm_readv 310 270, process_vm_writev 311 271, kcmp 312 272, pidfd_getfd 438 438,
process_madvise 440 440, process_mrelease 448 448, perf_event_open 298 241,
mount 165 40, umount2 166 39, pivot_root 155 41, chroot 161 51, move_mount 429 429, open_tree 428 428, fsopen 430 430,
fsconfig 431 431, fsmount 432 432, fspick 433 433, mount_setattr 442 442, open_tree_attr 467 467,
unshare 272 97, setns 308 268, keyctl 250 219, add_key 248 217, request_key 249 218, bpf 321 280, userfaultfd 323 282,
io_uring_setup 425 425, io_uring_enter 426 426, io_uring_register 427 427,
kexec_load 246 104, kexec_file_load 320 294, init_module 175 105, finit_module 313 273, delete_module 176 106,
reboot 169 142, swapon 167 224, swapoff 168 225, quotactl 179 60, quotactl_fd 443 443, acct 163 89,
name_to_handle_at 303 264, open_by_handle_at 304 265, fanotify_init 300 262, fanotify_mark 301 263,
lookup_dcookie 212 18, personality 135 92, iopl 172 -, ioperm 173 -, modify_ldt 154 -,
clock_settime 227 112, settimeofday 164 170, adjtimex 159 171, clock_adjtime 305 266,
sethostname 170 161, setdomainname 171 162, vhangup 153 58, syslog 103 116,
migrate_pages 256 238, move_pages 279 239, mbind 237 235, set_mempolicy 238 237, set_mempolicy_home_node 450 450,
setpriority 141 140, ioprio_set 251 30,
shmget 29 194, semget 64 190, msgget 68 186, mq_open 240 180, memfd_create 319 279, memfd_secret 447 447,
inotify_init 253 -, inotify_init1 294 26, inotify_add_watch 254 27, mincore 27 232, cachestat 451 451, io_setup 206 0
"""
_ON_OTHERS = """
prlimit64 302 261, sched_setaffinity 203 122, sched_setscheduler 144 119, sched_setparam 142 118, sched_setattr 314 274
"""
_ABOUT_OTHERS = """
sched_getscheduler 145 120, sched_getparam 143 121, sched_getattr 315 275, sched_rr_get_interval 148 127,
getpgid 121 155, getsid 124 156
"""
_BY_KIND = "getpriority 140 141, ioprio_get 252 31"  # their second argument says whose
_CLOCKS = "clock_gettime 228 113, clock_getres 229 114, clock_nanosleep 230 115, timer_create 222 107"
_SIGNALS = """
kill 62 129, tkill 200 130, tgkill 234 131, rt_sigqueueinfo 129 138, rt_tgsigqueueinfo 297 240,
pidfd_send_signal 424 424
"""
_CONNECTIONS = "connect 42 203, bind 49 200"
_PERMISSIONS = """
chmod 90 -, fchmod 91 52, fchmodat 268 53, fchmodat2 452 452, chown 92 -, fchown 93 55, lchown 94 -, fchownat 260 54,
utime 132 -, utimes 235 -, futimesat 261 -, utimensat 280 88, setxattr 188 5, lsetxattr 189 6, fsetxattr 190 7,
removexattr 197 14, lremovexattr 198 15, fremovexattr 199 16, setxattrat 463 463, removexattrat 466 466, file_setattr 469 469
"""
_ITSELF = "seccomp 317 277"
_FORKS = "fork 57 -, vfork 58 -"
_BY_ARGUMENT = """
clone 56 220, clone3 435 435, socket 41 198, socketpair 53 199, ioctl 16 29, truncate 76 45,
flock 73 32, fcntl 72 25, fadvise64 221 223, madvise 28 233, preadv2 327 286,
openat2 437 437, statx 332 291, newfstatat 262 79
"""
_PASSING = "sendmsg 46 211, sendmmsg 307 269"  # the calls that can pass a descriptor on

_MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
_KILL, _ERRNO, _ASK, _ALLOW = 0x80000000, 0x00050000, 0x7FC00000, 0x7FFF0000
_LOAD, _AND, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x45, 0x06
_NAMESPACES = 0x7E020080  # every CLONE_NEW…
_X32 = 0x40000000
_SET_FILTER, _NEW_LISTENER = 1, 8
_UNIX, _STREAM, _SEQPACKET = 1, 1, 5
_TIOCSTI, _TIOCLINUX, _FICLONE = 0x5412, 0x541C, 0x40049409
_KIND_OF_REQUEST, _OF_DESCRIPTORS = 0xFF00, 0x5400  # terminals, and what every descriptor knows (FIONREAD, FIOCLEX, …)
_SETS_A_LOCK = (6, 7, 37, 38)
_ON_DESCRIPTORS = (0, 1, 2, 3, 4, 1030, 1031, 1032)  # duplicates, flags, and the size of a pipe
_ASKS_FOR_LOCKS = (5, 36)  # nobody can have set any
_FADV_DONTNEED = 4
_MERGES_OR_EVICTS = (12, 20, 21)  # MADV_MERGEABLE, MADV_COLD, MADV_PAGEOUT
_AT_STATX_DONT_SYNC = 0x4000
_SIGN = 1 << 31
_OWN_CLOCKS = (2**32 - 2, 2**32 - 6)  # of this thread, of this process; other negative ones belong to others


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("steps", ctypes.c_char_p)]


def available() -> bool:
    """Tell whether the filter can be written for this kind of machine."""
    return platform.machine() in _MACHINES


def assemble(
    *, own_mounts: bool, own_pids: bool, signals_scoped: bool, truncation_handled: bool, counted: bool
) -> bytes:
    """Write the filter, for the other walls that stand; `counted` has every fork ask at the turnstile."""
    column, architecture = _MACHINES[platform.machine()]
    special = _numbers(_BY_ARGUMENT, column)
    refuse = _answer(errno.EPERM)
    code = [_step(_LOAD, 4), _step(_EQUAL, architecture, 1, 0), _step(_RETURN, _KILL), _step(_LOAD, 0)]
    if column == 0:
        code += [_step(_AT_LEAST, _X32, 0, 1), _step(_RETURN, _KILL)]
    refused = _REFUSED
    refused += "" if own_mounts else f", {_CONNECTIONS}"
    refused += "" if own_pids or signals_scoped else f", {_SIGNALS}"
    for number in _numbers(refused, column).values():
        code += _on(number, [refuse])
    for name in ("clone3", "openat2"):  # their flags are in memory, out of a filter's sight; programs fall back
        code += _on(special[name], [_answer(errno.ENOSYS)])
    asks = [_step(_RETURN, _ASK)] if counted else []
    code += _on(special["clone"], [*_argument(0), _step(_ANY_BIT, _NAMESPACES, 0, 1), refuse, *asks])
    for number in _numbers(_FORKS, column).values():
        code += _on(number, asks)
    code += _without_notes(special)
    code += _apart_from_others(column, own_pids)
    if own_mounts:
        code += _on(special["socket"], [*_argument(0), _step(_EQUAL, _UNIX, 1, 0), refuse])
    else:
        code += _without_mounts(column, special, truncation_handled)
    return b"".join([*code, _allow()])


def _apart_from_others(column: int, own_pids: bool) -> list[bytes]:
    """Refuse what asks of other processes, or changes them, by their numbers.

    Without a pid namespace a box can count through the numbers of all others. So there it learns nothing of one by its
    number, and what one could change of itself for another to see has no effect.
    """
    whose = [_step(_EQUAL, 0, 1, 0), _answer(errno.EPERM)]
    code: list[bytes] = []
    for name, number in _numbers(_ON_OTHERS, column).items():
        inert = name.startswith("sched") and not own_pids
        code += _on(number, [_answer(0)] if inert else [*_argument(0), *whose])
    if own_pids:
        return code
    for number in _numbers(_ABOUT_OTHERS, column).values():
        code += _on(number, [*_argument(0), *whose])
    for number in _numbers(_BY_KIND, column).values():
        code += _on(number, [*_argument(1), *whose])
    clocks = [*_if_among(_OWN_CLOCKS, _allow()), _step(_AT_LEAST, _SIGN, 0, 1), _answer(errno.EINVAL)]
    for number in _numbers(_CLOCKS, column).values():
        code += _on(number, [*_argument(0), *clocks])
    return code


def _without_notes(special: dict[str, int]) -> list[bytes]:
    """Leave no mark on a file that another box can read, and see none."""
    descriptors = [_step(_AND, _KIND_OF_REQUEST), _step(_EQUAL, _OF_DESCRIPTORS, 1, 0), _answer(errno.ENOTTY)]
    requests = [
        *_if_among((_TIOCSTI, _TIOCLINUX), _answer(errno.EPERM)),
        *_if_among((_FICLONE,), _allow()),
        *descriptors,
    ]
    commands = [
        *_if_among(_SETS_A_LOCK, _answer(0)),
        *_if_among((*_ON_DESCRIPTORS, *_ASKS_FOR_LOCKS), _allow()),
        _answer(errno.EINVAL),
    ]
    from_memory = [_step(_ANY_BIT, _AT_STATX_DONT_SYNC, 0, 1), _answer(errno.EINVAL)]
    return [
        *_on(special["flock"], [_answer(0)]),
        *_on(special["fcntl"], [*_argument(1), *commands]),
        *_on(special["ioctl"], [*_argument(1), *requests]),
        *_on(special["fadvise64"], [*_argument(3), *_if_among((_FADV_DONTNEED,), _answer(0))]),
        *_on(special["madvise"], [*_argument(2), *_if_among(_MERGES_OR_EVICTS, _answer(errno.EINVAL))]),
        *_on(special["preadv2"], [*_argument(5), _step(_EQUAL, 0, 1, 0), _answer(errno.EOPNOTSUPP)]),
        *_on(special["statx"], [*_argument(2), *from_memory]),
        *_on(special["newfstatat"], [*_argument(3), *from_memory]),
    ]


def refusing_to_pass_descriptors() -> bytes:
    """Write the small filter that a box without namespaces puts up last, when it has passed on its listener.

    The kernel counts the descriptors that are under way for a user, not for a box: one box could fill the count, and
    another would see it, and not even start.
    """
    code = [_step(_LOAD, 0)]
    for number in _numbers(_PASSING, _MACHINES[platform.machine()][0]).values():
        code += _on(number, [_answer(errno.EPERM)])
    return b"".join([*code, _allow()])


def install(code: bytes) -> None:
    """Put the filter up, for good."""
    program = _Program(len(code) // 8, code)
    kernel.prctl(kernel.PR_SET_SECCOMP, 2, ctypes.byref(program))


def listen(code: bytes) -> int:
    """Put the filter up, for good; return the descriptor at which the calls that must ask are heard."""
    program = _Program(len(code) // 8, code)
    number = _numbers(_ITSELF, _MACHINES[platform.machine()][0])["seccomp"]
    words = [ctypes.c_uint(_SET_FILTER), ctypes.c_uint(_NEW_LISTENER), ctypes.byref(program)]
    return kernel.call("syscall", ctypes.c_long(number), *words)


def _without_mounts(column: int, special: dict[str, int], truncation_handled: bool) -> list[bytes]:
    """Allow no socket but a connected pair, and let changes of permissions and times have no effect, without an error."""
    pair = [*_argument(1), _step(_AND, 15), _step(_EQUAL, _STREAM, 2, 0), _step(_EQUAL, _SEQPACKET, 1, 0)]
    code = _on(special["socket"], [_answer(errno.EPERM)])
    code += _on(special["socketpair"], [*pair, _answer(errno.EPERM)])
    for number in _numbers(_PERMISSIONS, column).values():
        code += _on(number, [_answer(0)])
    if not truncation_handled:
        code += _on(special["truncate"], [_answer(errno.EPERM)])
    return code


def _on(number: int, steps: list[bytes]) -> list[bytes]:
    """Do these steps for one call, and allow it if none of them has answered."""
    return [_step(_EQUAL, number, 0, len(steps) + 1), *steps, _allow()]


def _if_among(values: Sequence[int], answer: bytes) -> list[bytes]:
    """Answer if what is loaded is one of these values."""
    last = len(values) - 1
    return [*(_step(_EQUAL, value, last - at, at == last) for at, value in enumerate(values)), answer]


def _argument(place: int) -> list[bytes]:
    """Load the low half of an argument."""
    return [_step(_LOAD, 16 + 8 * place)]


def _allow() -> bytes:
    return _step(_RETURN, _ALLOW)


def _answer(error: int) -> bytes:
    return _step(_RETURN, _ERRNO | error)


def _step(code: int, value: int, yes: int = 0, no: int = 0) -> bytes:
    return struct.pack("<HBBI", code, yes, no, value)


def _numbers(table: str, column: int) -> dict[str, int]:
    found = {}
    for entry in table.split(","):
        name, *numbers = entry.split()
        if numbers[column] != "-":
            found[name] = int(numbers[column])
    return found


NOTHING_REFUSED = _allow()  # a filter to try things with
