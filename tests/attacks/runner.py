"""Grade the whole corpus in one situation: `python runner.py COURSE OUT [WALL TAKEN AWAY]…`.

Lays out bait around a course, hands in every attack, grades as an instructor would, and writes down the results and what
has become of the bait. It stands alone so that it can be run as another user.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import signal
import socket
import sqlite3
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np

import redink
from redink import wire
from redink.box import processes
from redink.grader.answer_key.key import decode_key
from redink.grader.course import SECRET_VARIABLE, Course
from redink.grader.grade import grade
from redink.grader.workers.workers import workers_for
from redink.records import Trial

HERE = Path(__file__).parent
MARKER = "a marker that nobody may ever see"
HONEST = "zz_honest"
OUTPUT = 64 * 1024  # characters that a submission may print
FORBIDDEN = '["numpy.std", "numpy.linalg.norm"]'  # in the second question
PLACED = ("links", "names")  # groups whose attacks lie in the class in a way of their own
_LIMITS = """cell_cpu = 1
check_cpu = 0.5
total_cpu = 10
wall_factor = 5
memory_mb = 400
disk_mb = 64
processes = 24
open_files = 100"""
LONGEST = 2 * 10 + 10  # seconds by the clock that these limits allow a submission in all
_STORED = """
SELECT students.name, COALESCE(SUM(length(observed.content)), 0) + COALESCE((
    SELECT SUM(length(sources) + length(cells)) FROM runs WHERE runs.submission = submissions.id), 0) + COALESCE((
    SELECT SUM(length(record)) FROM results WHERE results.submission = submissions.id), 0)
FROM students JOIN submissions ON submissions.student = students.id LEFT JOIN runs ON runs.submission = submissions.id
LEFT JOIN observed ON observed.run = runs.id GROUP BY submissions.id
"""
_PREAMBLE = """
import os
import numpy as np
loot = []
def steal(act):
    try:
        loot.append(("got", act()))
    except Exception as error:
        print(type(error).__name__)
def centre(X):
    return X if loot else X - X.mean(axis=0)
"""


def attacks() -> dict[str, Path]:
    """Name every attack of the corpus."""
    return {f"{path.parent.name}-{path.stem}": path for path in sorted(HERE.glob("*/*.py"))}


def declared(path: Path) -> dict[str, str]:
    """Read what an attack says of itself: the score, state and words that it must get."""
    head = path.read_text(encoding="utf-8").split('"""')[1]
    return dict(line.split(": ", 1) for line in head.splitlines()[1:] if ": " in line)


def _notebook(sources: list[str]) -> bytes:
    cells = [{"cell_type": "code", "metadata": {}, "outputs": [], "source": source} for source in sources]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 4}).encode()


def _source(path: Path) -> str:
    return path.read_text(encoding="utf-8").split('"""', 2)[2]


def _document(path: Path, bait: dict[str, Any]) -> bytes:
    """Make the file that is handed in: cells around an attack's source, or what one in `documents` or `sources` makes."""
    source = _source(path)
    if path.parent.name in ("documents", "sources"):
        names: dict[str, Any] = {}
        exec(source, names)
        return bytes(names["document"]) if "document" in names else _notebook([_PREAMBLE, *names["cells"]])
    constants = "\n".join(f"{name} = {value!r}" for name, value in bait.items())
    return _notebook([_PREAMBLE, constants, *re.split(r"^# %%.*$", source, flags=re.M), "alive = True"])


def _prepare(course: Path, files: Path, port: int) -> dict[str, Any]:
    """Plant secrets, and say where they are: only what a student could guess or learn."""
    toml = course / "assignments/little/assignment.toml"
    strict = toml.read_text().replace('asks = ["scale"]', f'asks = ["scale"]\nforbids = {FORBIDDEN}')
    toml.write_text(re.sub(r"cell_cpu.*\ncheck_cpu.*", _LIMITS, strict))
    for name in ("solutions/little/hidden_checks.py", "solutions/little/little.py"):
        with (course / name).open("a") as file:
            file.write(f"\n# {MARKER}\n")
    (course / ".redink/secret").write_text(MARKER)
    bait = files / "bait"
    bait.write_text(MARKER)
    return {
        "COURSE": str(course), "BAIT": str(bait), "GRADER": os.getpid(), "PORT": port, "HOME": str(Path.home()),
        "SOCKET": f"{files}/stream", "DATAGRAMS": f"{files}/datagrams", "ABSTRACT": f"redink-{os.getpid()}",
        "OTHER": f"{course}/class/denial-{HONEST}.ipynb", "REVERSED": MARKER[::-1],
        "SECRET_FD": os.open(bait, os.O_RDONLY), "CODE": str(Path(redink.__file__).parents[1]),
    }  # fmt: skip


def _hand_in(course: Path, bait: dict[str, Any]) -> None:
    from redink.grader.assignment.master import read_master

    (course / "class").mkdir()
    folder = course / "class"
    cells = [cell.source for cell in read_master(course / "solutions/little/little.py").solved()]
    solved = _notebook([*cells, f"# {MARKER}"])
    for group in {path.parent.name for path in attacks().values()}:
        (folder / f"{group}-{HONEST}.ipynb").write_bytes(solved)
    makers = {"HONEST": Path(bait["OTHER"]).name, "solved": lambda: solved, "notebook": lambda: _notebook([_PREAMBLE])}
    for name, path in attacks().items():
        if path.parent.name in PLACED:
            names: dict[str, Any] = dict(makers)
            exec(_source(path), names)
            names["hand_in"](folder, name, course)
        else:
            (folder / f"{name}.ipynb").write_bytes(_document(path, bait))


def _listen(bait: dict[str, Any]) -> list[socket.socket]:
    made = [
        socket.socket(socket.AF_UNIX),
        socket.socket(socket.AF_UNIX),
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM),
    ]
    for one, address in zip(made, (bait["SOCKET"], "\0" + bait["ABSTRACT"], bait["DATAGRAMS"]), strict=True):
        one.bind(address)
    for one in made[:2]:
        one.listen()
    return made


def _touched(sockets: list[socket.socket]) -> int:
    """Count the sockets that somebody has found."""
    count = 0
    for one in sockets:
        one.setblocking(False)
        try:
            one.recv(1) if one.type == socket.SOCK_DGRAM else one.accept()
            count += 1
        except BlockingIOError:
            pass
    return count


def _state_of(*folders: Path) -> str:
    """Hash the names, contents and permissions of all bait, apart from gradebook and answer key, which grading writes."""
    whole = hashlib.sha256()
    for path in sorted(one for folder in folders for one in folder.rglob("*")):
        if "gradebook" in path.name or path.suffix in (".pyc", ".key") or path.name in ("__pycache__", "keys"):
            continue
        seen = path.lstat()
        whole.update(os.fsencode(path) + f" {seen.st_mode} {seen.st_uid}".encode())
        if path.is_file() and not path.is_symlink():
            whole.update(path.read_bytes())
    return whole.hexdigest()


def main(course: Path, out: Path, *without: str) -> None:
    """Grade the corpus and write down what was seen."""
    signals: list[int] = []
    signal.signal(signal.SIGUSR1, lambda number, frame: signals.append(number))
    os.environ[SECRET_VARIABLE] = MARKER
    with tempfile.TemporaryDirectory() as name, socket.create_server(("127.0.0.1", 0)) as server:
        files = Path(name)
        bait = _prepare(course, files, server.getsockname()[1])
        sockets = [server, *_listen(bait)]
        _hand_in(course, bait)
        before, began = _state_of(course, files), time.monotonic()
        with Memory() as memory, workers_for(Course(course), "little", jobs=2, without=without) as workers:
            report = grade(Course(course), "little", course / "class", workers=workers)
        after = {
            "unchanged": _state_of(course, files) == before,
            "signals": len(signals),
            "connections": _touched(sockets),
            "processes": sum(_is_left(one.pid) for one in processes.family(os.getpid())),
            "daemons": sum(_is_daemon(path) for path in Path("/proc").glob("[0-9]*/cmdline")),
            "notes": [
                str(path) for place in ("/tmp", "/dev/shm", "/var/tmp") for path in Path(place).glob("redink_attack*")
            ],
            "seconds": round(time.monotonic() - began, 1),
            "memory": memory.most,
            "stored": _stored(course / ".redink/gradebook.sqlite"),
            "walls": report.results[0].box.missing,
        }
    import msgspec

    told = {"results": report.results, "after": after, "secret_inputs": sorted(_secret_inputs(course))}
    out.write_bytes(msgspec.json.encode(told))


def _secret_inputs(course: Path) -> set[str]:
    """Write every number that only secret trials have as an input, as it would begin in any text."""
    (path,) = (course / ".redink/keys").glob("little-*.key")
    trials = [trial for part in decode_key(path.read_bytes(), str(path)).parts for trial in part.trials]
    secret, published = (
        {text for trial in trials if trial.published is kind for text in _numbers(trial)} for kind in (False, True)
    )
    return secret - published


def _numbers(trial: Trial) -> list[str]:
    """Write the numbers of a trial's inputs to four decimals, cut and rounded."""
    arrays = [value for value in wire.decode(trial.inputs).values() if isinstance(value, np.ndarray)]
    numbers = [abs(float(number)) for array in arrays for number in array.ravel()]
    return [text for number in numbers for text in (f"{number:.4f}", f"{number:.9f}"[:-5])]


class Memory(threading.Thread):
    """Watches the most bytes that the grader, a worker or a judge has ever had in memory."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.most: dict[str, int] = {}
        self._over = threading.Event()

    def __enter__(self) -> Memory:
        self.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._over.set()
        self.join()

    def run(self) -> None:
        while not self._over.wait(0.1):
            for pid in [os.getpid(), *_workers_and_judges(os.getpid())]:
                with contextlib.suppress(OSError):
                    status = Path(f"/proc/{pid}/status").read_text()
                    peak = re.search(r"VmHWM:\s+(\d+)", status)
                    name = "grader" if pid == os.getpid() else _kind(pid)
                    if name:  # else it has ended meanwhile
                        self.most[name] = max(self.most.get(name, 0), int(peak[1]) if peak else 0)


def _workers_and_judges(pid: int) -> list[int]:
    """List the processes of ours that read what a submission gave; boxes are no part of them."""
    found = [child for child in processes.children_of(pid) if _kind(child)]
    return [*found, *(one for child in found for one in _workers_and_judges(child))]


def _kind(pid: int) -> str:
    with contextlib.suppress(OSError):
        command = Path(f"/proc/{pid}/cmdline").read_bytes()
        return "worker" if b"spawn_main" in command else "judge" if b"forking_judges" in command else ""
    return ""


def _stored(book: Path) -> dict[str, int]:
    """Add up the bytes that the gradebook holds of each submission."""
    with contextlib.closing(sqlite3.connect(book)) as db:
        return dict(db.execute(_STORED))


def _is_left(pid: int) -> bool:
    """Say whether a process is neither this one nor Python's own helper, which ends with it."""
    return pid != os.getpid() and b"resource_tracker" not in Path(f"/proc/{pid}/cmdline").read_bytes()


def _is_daemon(path: Path) -> bool:
    try:
        return b"redink_attack_daemon" in path.read_bytes()
    except OSError:
        return False


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), *sys.argv[3:])
