"""What is known of one submission when it is judged: how its cells ended, and what each check saw, read when needed."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence

from redink.grader.digests import digest
from redink.judging.answers import Answer, read_answer
from redink.judging.forbidding import Source
from redink.records import Cell, CellRun, ForbiddenCall, LentCount, Observation


class Evidence:
    """One submission as the judge sees it; nothing is decoded before a check asks for it."""

    def __init__(
        self,
        *,
        sources: Callable[[], Sequence[Cell]],
        cells: Sequence[CellRun],
        digests: Mapping[str, str],
        observations: Callable[[str], Sequence[Observation]],
    ) -> None:
        """Take how cells ended, a digest of what each check saw, and where to read cells and observations."""
        self._read_sources = sources
        self._read_observations = observations
        self.failed = tuple(cell for cell in cells if cell.status in ("error", "timeout"))
        self.digests = digests
        self._seen: dict[str, Sequence[Observation]] = {}
        self._answers: dict[str, tuple[Answer, ...]] = {}

    @functools.cached_property
    def sources(self) -> Sequence[Cell]:
        """The cells as they were handed in."""
        return self._read_sources()

    @functools.cached_property
    def readable_sources(self) -> tuple[Source, ...]:
        """The cells as the search for forbidden names reads them: parsed once for all questions."""
        return tuple(Source(cell.source) for cell in self.sources)

    @functools.cached_property
    def failures(self) -> str:
        """A digest of the cells that failed: a message may name them."""
        return digest(*(f"{cell.index} {cell.error}" for cell in self.failed))

    @functools.cached_property
    def sources_digest(self) -> str:
        """A digest of the cells, for questions that forbid names."""
        return digest(*(cell.source for cell in self.sources))

    def answers(self, check: str, most: int) -> tuple[Answer, ...]:
        """Return what one check saw, decoded once, in the order of its trials; more than `most` parts are not read."""
        if check not in self._answers:
            self._answers[check] = tuple(read_answer(seen, most) for seen in self._observations(check))
        return self._answers[check]

    def forbidden_calls(self, check: str) -> tuple[tuple[ForbiddenCall, ...], ...]:
        """Return which forbidden names were called, in the order of a check's trials."""
        return tuple(seen.calls for seen in self._observations(check))

    def lent_counts(self, name: str) -> tuple[tuple[LentCount, ...], ...]:
        """Return how borrowed functions compared with the reference's own, in the order of a check's trials."""
        return tuple(seen.lent for seen in self._observations(name))

    def _observations(self, check: str) -> Sequence[Observation]:
        if check not in self._seen:
            self._seen[check] = self._read_observations(check)
        return self._seen[check]
