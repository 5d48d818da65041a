"""An export in words: what was filled and what was not, on which scale, before or after lateness, and where it is."""

from __future__ import annotations

from collections.abc import Iterator

from redink.grader.export.formats import ExportAccount
from redink.grader.export.scores import listed


def account_lines(done: ExportAccount) -> Iterator[str]:
    """Write what an export did, for an instructor."""
    where = f" in {done.column!r}" if done.column else ""
    same = sum(one.old == one.new for one in done.filled)
    already = f" ({same} of them stood there already)" if same else ""
    yield f"{len(done.filled)} grades{where}{already}"
    if done.maximum is not None:
        yield f"of {done.maximum:g}: scores × {done.factor:g}"
    yield (
        'before lateness: the platform deducts for it (course.toml, lateness = "platform")'
        if done.lateness == "before"
        else "after lateness"
    )
    who = done.names
    for why in dict.fromkeys(one.why for one in done.blank):
        those = [who[one.student] for one in done.blank if one.why == why]
        yield f"{len(those)} blank, {why}: {listed(those)}"
    if done.kept:
        yield f"{len(done.kept)} left as they are: {listed(f'{who[one.student]}: {one.why}' for one in done.kept)}"
    if changed := [one for one in done.filled if one.old and one.old != one.new]:
        moves = (f"{who[one.student]}: {one.old} → {one.new}" for one in changed)
        yield f"{len(changed)} changed: {listed(moves)}"
    if done.capped:
        scores = listed(f"{who[one.student]}: {one.score:g}" for one in done.capped)
        yield f"{len(done.capped)} above the maximum, written as {done.maximum:g} (--above-maximum keeps them): {scores}"
    if done.overridden:
        yield f"{len(done.overridden)} set by a person: {listed(who[one] for one in done.overridden)}"
    if done.nobodys:
        yield f"{len(done.nobodys)} rows of nobody in the gradebook, left as they are: {listed(done.nobodys)}"
    if done.absent:
        yield f"{len(done.absent)} without a grade who are not in the file: {listed(who[one] for one in done.absent)}"
    if done.left:
        who_left = listed(who[one] for one in done.left)
        yield f"{len(done.left)} with a grade who are neither in the file nor in the roster, and left out: {who_left}"
    yield from done.told
    yield f"written to {done.to}"
