"""The course root: the nearest folder upwards with assignments/ and solutions/, and its private `.redink/`."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from redink.errors import CourseError
from redink.grader.digests import fingerprint
from redink.suggesting import unknown_name

SECRET_VARIABLE = "REDINK_SECRET"  # noqa: S105 - the variable's name, not a secret


class Course:
    """One course: its folders, its secret, its gradebook."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.assignments = root / "assignments"
        self.solutions = root / "solutions"
        self.private = root / ".redink"

    @classmethod
    def find(cls, start: Path | None = None) -> Course:
        """Look for the course root upwards from `start` (the current folder)."""
        start = (start or Path.cwd()).resolve()
        for folder in (start, *start.parents):
            if (folder / "assignments").is_dir() and (folder / "solutions").is_dir():
                return cls(folder)
        raise CourseError(
            f"{start} is not in a course: no folder upwards has assignments/ and solutions/ "
            "(`mkdir assignments solutions` makes one)"
        )

    def slugs(self) -> list[str]:
        """List the assignments that have both folders."""
        found = sorted(path.parent.name for path in self.assignments.glob("*/assignment.toml"))
        return [slug for slug in found if (self.solutions / slug).is_dir()]

    def find_assignment(self, slug: str) -> Path:
        """Return the public folder of an assignment."""
        folder = self.assignments / slug
        if folder.name != slug or not folder.is_dir():  # "perceptron/" would be another name in the gradebook
            raise unknown_name("assignment", slug, self.slugs(), f"in {self.root}")
        return folder

    def secret(self) -> bytes:
        """Read the course secret from the environment or `.redink/secret`; make one at the first use."""
        if told := os.environ.get(SECRET_VARIABLE):
            return told.encode()
        path = self.private_folder() / "secret"
        if not path.exists():
            _write_private(path, secrets.token_hex(32).encode())
        return path.read_bytes().strip()

    def secret_name(self) -> str:
        """Return a name for the secret that does not reveal it."""
        return fingerprint(self.secret())

    def gradebook_path(self) -> Path:
        """Return where the gradebook is kept by default."""
        return self.private_folder() / "gradebook.sqlite"

    def private_folder(self) -> Path:
        """Make `.redink/`, readable by its owner alone."""
        self.private.mkdir(mode=0o700, exist_ok=True)
        self.private.chmod(0o700)
        return self.private


def _write_private(path: Path, content: bytes) -> None:
    """Create a file for its owner alone; of two graders that start at once, both use the first one's secret."""
    temporary = path.with_name(f"{path.name}.{os.getpid()}")
    temporary.touch(mode=0o600)
    temporary.write_bytes(content)
    try:
        os.link(temporary, path)
    except FileExistsError:
        pass
    finally:
        temporary.unlink()
