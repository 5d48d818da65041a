"""Run a command as an ordinary user, from root: `python ordinary.py UID COMMAND…`.

An interpreter in a private home (/root/.pyenv) is closed to others. In a mount namespace of its own this process covers
that home by an empty folder that anybody may enter, and puts the interpreter back in its place.
"""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from pathlib import Path

from redink.box import kernel


def open_the_interpreter() -> None:
    """Make the folders of this interpreter reachable for everybody, in this process's view alone."""
    kernel.unshare(kernel.CLONE_NEWNS)
    kernel.mount(None, "/", None, kernel.MS_REC | kernel.MS_PRIVATE)
    for prefix in {sys.prefix, sys.base_prefix}:
        place = Path(prefix).resolve()
        closed = [folder for folder in place.parents if not folder.stat().st_mode & stat.S_IXOTH]
        if not closed:
            continue
        aside = tempfile.mkdtemp()
        kernel.mount(str(place), aside, None, kernel.MS_BIND | kernel.MS_REC)
        kernel.mount("tmpfs", str(closed[-1]), "tmpfs", 0, "mode=755")
        place.mkdir(parents=True)
        kernel.mount(aside, str(place), None, kernel.MS_BIND | kernel.MS_REC)


if __name__ == "__main__":
    uid = int(sys.argv[1])
    open_the_interpreter()
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    os.execv(sys.argv[2], sys.argv[2:])
