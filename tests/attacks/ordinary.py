"""Run a command as an ordinary user, from root: `python ordinary.py UID COMMAND…`.

An interpreter in a private home (/root/.pyenv) is closed to others. In a mount namespace of its own this process covers
that home by an empty folder that anybody may enter, and puts the interpreter (and this project) back in its place.
"""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from pathlib import Path

from redink.box.walls import kernel


def open_the_interpreter() -> None:
    """Make the folders of this interpreter and of this project reachable for everybody, in this process's view alone."""
    kernel.unshare(kernel.CLONE_NEWNS)
    kernel.mount(None, "/", None, kernel.MS_REC | kernel.MS_PRIVATE)
    places = {Path(place).resolve() for place in (sys.prefix, sys.base_prefix, Path(__file__).parents[2])}
    closed = {place: [one for one in place.parents if not one.stat().st_mode & stat.S_IXOTH] for place in places}
    aside = {place: tempfile.mkdtemp() for place, folders in closed.items() if folders}
    for place, beside in aside.items():
        kernel.mount(str(place), beside, None, kernel.MS_BIND | kernel.MS_REC)
    for home in {closed[place][-1] for place in aside}:
        kernel.mount("tmpfs", str(home), "tmpfs", 0, "mode=755")
    for place, beside in sorted(aside.items()):
        place.mkdir(parents=True, exist_ok=True)
        kernel.mount(beside, str(place), None, kernel.MS_BIND | kernel.MS_REC)


if __name__ == "__main__":
    uid = int(sys.argv[1])
    open_the_interpreter()
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    os.execv(sys.argv[2], sys.argv[2:])
