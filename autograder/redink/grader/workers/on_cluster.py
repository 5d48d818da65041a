"""What runs in a worker of a Dask cluster: the same `run_job`, with the answer key that the coordinator left there."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from redink.errors import CourseError
from redink.grader.digests import digest, versions
from redink.grader.pipeline.job import Done, Job, pack
from redink.grader.private import keep_private

_NEEDS_KEY = pack(Done(needs_key=True))
_kept: dict[str, bytes] = {}


def keep_key(data: bytes) -> None:
    """Keep an answer key for all threads of this process, and this process's memory to itself."""
    keep_private()
    _kept.clear()
    _kept[digest(data)] = data


def do_order(made_under: str, function: Callable[[bytes], bytes], order: bytes) -> bytes:
    """Do an order of a coordinator that has the same versions as this worker."""
    if made_under != versions():
        raise CourseError(f"a worker has {versions()}, and the coordinator {made_under}: install the same on both")
    answer = function(order)
    if answer != _NEEDS_KEY:
        return answer
    job = msgspec.msgpack.decode(order, type=Job)
    return function(pack(msgspec.structs.replace(job, key_data=_kept[job.key]))) if job.key in _kept else answer
