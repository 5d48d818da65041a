"""Try to pass notes between boxes in one situation: `python runner.py FOLDER OUT [WALL TAKEN AWAY]…`.

For each channel one box leaves a note and another looks for it: before there is any, while the first box is still there, and
in the next box of the same zygote. Boxes that cannot talk see the same all three times. `FOLDER` is one that every box can
read, as it can Python's libraries, and that belongs to the user: in it, each channel has a file of its own.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Collection
from pathlib import Path

from redink.box import processes
from redink.errors import BoxError
from redink.grader.sandbox.client import Zygote
from redink.grader.sandbox.template import Template
from redink.records import Cell, Limits

NOTES = {path.stem: path for path in sorted((Path(__file__).parent / "notes").glob("*.py"))}
_SIZE = 1 << 20
_READY = "left a note"
_PREAMBLE = f"""
import ctypes, fcntl, os, signal, socket, struct, sys, time
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1, signal.SIGIO, signal.SIGRTMIN])
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
SIZE = {_SIZE}
file = open(SHARED, "rb")
def call(name, *words):
    done = getattr(libc, name)(*words)
    if done == -1:
        raise OSError(ctypes.get_errno(), "refused")
    return done
def attempt(act):
    try:
        return act()
    except Exception as error:
        return f"{{type(error).__name__}} {{getattr(error, 'errno', error)}}"
def mapped():
    return ctypes.c_void_p(call("mmap", None, ctypes.c_size_t(SIZE), 1, 1, file.fileno(), ctypes.c_long(0)))
def again():
    pass
"""
_LEAVE = f"""
print(attempt(leave))
libc.prctl(15, b{_READY!r}, 0, 0, 0)
while signal.sigtimedwait([signal.SIGUSR1], 0.01) is None:
    attempt(again)
"""
_LOOK = """
print(attempt(look))
"""


def declared(name: str) -> dict[str, str]:
    """Read what a channel says of itself: which wall closes it, and in which situations none does."""
    head = NOTES[name].read_text(encoding="utf-8").split('"""')[1]
    return dict(line.split(": ", 1) for line in head.splitlines()[1:] if ": " in line)


def tried(without: Collection[str]) -> list[str]:
    """Name the channels to try: all; or those that the filter closes, to see them carry a note where it is taken away."""
    return [name for name in NOTES if "seccomp" not in without or declared(name).get("wall") == "seccomp"]


def main(folder: Path, out: Path, *without: str) -> None:
    """Try every channel and write down what was seen."""
    with (
        Template(torch=False) as template,
        Zygote(template=template.address, without=without, allow_weak=True) as first,
        Zygote(template=template.address, without=without, allow_weak=True) as second,
    ):
        seen = {name: _try(name, folder / name, first, second) for name in tried(without)}
    out.write_text(json.dumps(seen), encoding="utf-8")


def _try(name: str, shared: Path, first: Zygote, second: Zygote) -> dict[str, str]:
    _make(shared)
    source = NOTES[name].read_text(encoding="utf-8")
    seen = {"alone": _run(second, shared, source + _LOOK)}
    left: list[str] = []
    leaving = threading.Thread(target=lambda: left.append(_run(first, shared, source + _LEAVE)))
    leaving.start()
    box = _await_the_note(first, leaving)
    seen["beside"] = _run(second, shared, source + _LOOK)
    if box:
        os.kill(box, signal.SIGUSR1)
    leaving.join()
    return {**seen, "after": _run(first, shared, source + _LOOK), "left": left[0]}


def _make(shared: Path) -> None:
    """Write a file that was last read long ago, and that the kernel may drop from its cache."""
    with shared.open("wb") as file:
        file.write(os.urandom(_SIZE))
        file.flush()
        os.fsync(file.fileno())
    os.utime(shared, (0, 1))


def _run(zygote: Zygote, shared: Path, source: str) -> str:
    """Run a source in a fresh box; return what it says."""
    cell = Cell(index=1, source=f"SHARED = {str(shared)!r}\n{_PREAMBLE}\n{source}")
    try:
        run = zygote.observe([cell], [], Limits()).cells[0]
    except BoxError as error:  # a box that another one keeps from starting has been told something too
        return f"no box: {error}"
    if run.status != "ok":
        raise RuntimeError(f"{cell.source}\n{run.error}")
    return run.output.strip()


def _await_the_note(zygote: Zygote, leaving: threading.Thread) -> int:
    """Wait until the note is left; return the process that stays with it, or 0 if it has ended."""
    while leaving.is_alive():
        for member in processes.family(zygote.pid):
            try:
                if Path(f"/proc/{member.pid}/comm").read_text().strip() == _READY:
                    return member.pid
            except OSError:
                continue
        time.sleep(0.01)
    return 0


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), *sys.argv[3:])
