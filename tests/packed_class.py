"""A class of the little course that is collected and packed, for the tests of shards."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any, NamedTuple

from tests.conftest import Desk

STUDENTS = (
    "ada_right",
    "believes_in_rows",
    "believes_in_variance",
    "unknown_mistake_1",
    "missing_function",
    "not_json",
)


class PackedDesk(NamedTuple):
    """A course whose class is collected and packed, not graded; and what opens the packed class."""

    desk: Desk
    job: Path
    identity: Path
    sha256: str

    def share(self, shard: str, folder: Path, *options: object, **how: Any) -> Any:
        """Grade a share where there is no course: in an empty folder that has this file and the identity alone."""
        folder.mkdir(exist_ok=True)
        job = self.job if self.job.parent == folder else Path(shutil.copy(self.job, folder / "class.job"))
        return self.desk.redink(
            "grade", "--from", job, "--shard", shard, "--job-sha256", self.sha256, "--identity", self.identity,
            "--jobs", 1, *options, cwd=folder, **how,
        )  # fmt: skip

    def merge(self, *files: Path, **how: Any) -> Any:
        return self.desk.redink("merge", *files, "--json", self.desk.root / "merged.json", **how)


def pack(desk: Desk, identity: Path, folder: Path) -> PackedDesk:
    """Pack what was collected."""
    recipient = re.search(r"age1\w+", identity.read_text())
    assert recipient
    folder.mkdir(exist_ok=True)
    done = desk.redink("pack", desk.slug, "--to", folder / "class.job", "--for", recipient[0])
    assert done.returncode == 0, done.stderr
    return PackedDesk(desk, folder / "class.job", identity, done.stdout.split()[-1])


def exported(desk: Desk) -> str:
    done = desk.redink("export", "little", "--as", "csv", "--to", "grades.csv")
    assert done.returncode == 0, done.stderr
    return (desk.root / "grades.csv").read_text()


def fill(root: Path, course: Path, graded: Path) -> None:
    """Collect a class, pack it, grade three shares of it, each in a folder of its own, and all of it at once."""
    from redink.grader.sealing.identity import new_identity  # on Linux alone

    desk = Desk(root / "course", "little")
    shutil.copytree(course, desk.root, symlinks=True)
    shutil.copytree(graded / ".redink/keys", desk.root / ".redink/keys")
    for name in STUDENTS:
        shutil.copytree(graded / "class" / name, desk.root / "hand_ins" / name)
    assert desk.redink("collect", "little", "hand_ins").returncode == 0
    new_identity(root / "identity")
    packed = pack(desk, root / "identity", root / "packed")
    (root / "sha256").write_text(packed.sha256)
    for number in (1, 2, 3):
        done = packed.share(f"{number}/3", root / str(number))
        assert done.returncode == 0, done.stderr
        assert f"share {number}/3 of little: 2 submissions, 0 reused; " in done.stdout
    at_once = Desk(root / "at_once", "little")
    shutil.copytree(desk.root, at_once.root, symlinks=True)
    assert at_once.redink("grade", "little", "--json", "out.json").returncode == 0
    (root / "grades.csv").write_text(exported(at_once))


def copied(shards: Path, folder: Path) -> PackedDesk:
    """Copy the course whose class is packed, and the packed class."""
    shutil.copytree(shards / "course", folder / "course", symlinks=True)
    shutil.copytree(shards / "packed", folder / "packed")
    desk = Desk(folder / "course", "little")
    return PackedDesk(desk, folder / "packed/class.job", shards / "identity", (shards / "sha256").read_text())
