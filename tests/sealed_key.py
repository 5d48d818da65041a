"""A sealed answer key of the little course, for the tests that open one."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from redink.grader.sealing.sealed import Unsealed, unseal


class Pair(NamedTuple):
    """A sealed file, the identity that opens it, and what the course pinned."""

    file: Path
    identity: Path
    sha256: str

    @property
    def secret(self) -> str:
        return next(line for line in self.identity.read_text().splitlines() if line.startswith("AGE"))

    def open(self) -> tuple[Unsealed, ...]:
        return unseal(self.file, self.sha256, [self.secret])
