"""What `build` publishes beside the notebook, so that students can check their work at home."""

from __future__ import annotations

import msgspec

from redink.records import Misconception, Observation, Record, Trial


class Published(Record, frozen=True):
    """What `build` publishes for students: inputs, expected values, and what misconceptions return.

    The inputs are here too, so that a student's card does not depend on which numpy drew them. `made_from` names the sources
    of it all, so that `build --check` can see whether they have changed since.
    """

    schema: str = "redink/published/1"
    made_from: str = ""
    trials: tuple[Trial, ...] = ()
    expected: dict[str, Observation] = msgspec.field(default_factory=dict)
    misconceptions: tuple[Misconception, ...] = ()
