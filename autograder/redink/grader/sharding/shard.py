"""`redink grade --from`: one share of a packed class, on a machine that has nothing else of the course."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from redink.grader.digests import digest
from redink.grader.pipeline.job import BoxSettings
from redink.grader.sharding.job_file import PackedClass
from redink.grader.sharding.shard_file import ShardHead, ShardWriter
from redink.grader.sharding.share import Share
from redink.grader.workers.workers import Workers
from redink.records import Record


class GradedShard(Record, frozen=True):
    """What is in a shard now."""

    path: str
    assignment: str
    submissions: int
    reused: int  # that were in it before
    states: dict[str, int]
    failed: dict[str, int]  # why some have no grade, and how many


def grade_shard(packed: PackedClass, share: Share, folder: Path, *, jobs: int, allow_weak: bool = False) -> GradedShard:
    """Grade one share and write it as a file; what is in that file already is not graded again."""
    key, contents = packed.key, packed.contents
    mine = share.take(contents.submissions)
    head = ShardHead(
        versions=contents.versions,
        job=contents.job,
        assignment=key.slug,
        secret=key.secret,
        answer_key=digest(contents.key),
        number=share.number,
        of=share.of,
        submissions=len(mine),
    )
    hidden = tuple({str(place.resolve()) for place in (packed.path.parent, folder, Path.cwd())})
    box = BoxSettings.of(key.spec, hidden=hidden, allow_weak=allow_weak)
    path = folder / f"{packed.path.stem}.{share.number}-of-{share.of}.shard"
    folder.mkdir(parents=True, exist_ok=True)
    failed: Counter[str] = Counter()
    with ShardWriter(path, head, contents.sealing) as shard, Workers(jobs, box) as workers:
        states = {who: place.state for who, place in shard.results.items() if place.state != "internal_error"}
        reused = len(states)
        open_ones = (one for one in mine if one.pseudonym not in states)
        for who, done in workers.grade(key, packed.jobs(open_ones)):
            shard.add(who, done)
            states[who] = done.state
            if done.state == "internal_error":
                failed[done.reason or ""] += 1
    return GradedShard(
        path=str(path),
        assignment=key.slug,
        submissions=len(mine),
        reused=reused,
        states=dict(Counter(states.values())),
        failed=dict(failed),
    )
