"""What `build` publishes beside the notebook, so that students can check their work at home."""

from __future__ import annotations

from pathlib import Path

import msgspec

from redink.records import Misconception, Observation, Record, Trial


class Published(Record, frozen=True):
    """What `build` publishes for students: inputs, expected values, and what misconceptions return.

    The inputs are here too, so that a student's card does not depend on which numpy drew them. `made_from` names the sources
    of it all, so that `build --check` can see whether they have changed since.
    """

    schema: str = "redink/published/1"
    made_from: str = ""
    hidden: dict[str, int] = msgspec.field(
        default_factory=dict
    )  # how many checks more a question has, when it is graded
    trials: tuple[Trial, ...] = ()
    expected: dict[str, Observation] = msgspec.field(default_factory=dict)
    misconceptions: tuple[Misconception, ...] = ()


class _MadeFrom(Record, frozen=True, forbid_unknown_fields=False):
    """All of published.json that must be read to see how old it is."""

    made_from: str = ""


def stale(folder: Path, made_from: str) -> str:
    """Say that the published values of a folder are missing, or older than what they are made from; else nothing."""
    try:
        stored = msgspec.json.decode((folder / "published.json").read_bytes(), type=_MadeFrom).made_from
    except FileNotFoundError:
        return f"published.json of {folder.name} is missing; run `redink build {folder.name}`"
    except (OSError, msgspec.MsgspecError):
        return f"published.json of {folder.name} is damaged; run `redink build {folder.name}`"
    if stored == made_from:
        return ""
    return (
        f"published.json of {folder.name} is older than its master, checks or misconceptions, so students check against "
        f"old values; run `redink build {folder.name}` and hand it out again"
    )
