"""What the grader keeps of untrusted messages: known names, texts and values of bounded size."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from redink.box.protocol import Reply, read_calls, read_counts
from redink.records import CellRun, ForbiddenCall, LentCount, Limits, Observation, Request
from redink.texts import clean, clean_lines

_SIGNATURE = re.compile(r"^def when\(student,? ?([^)]*)\)", re.MULTILINE)
_PARAMETER = re.compile(r"[^\W\d]\w*")
_MOST_CALLS, _MOST_NAMES, _LONGEST_NAME = 8, 20, 60
_LONGEST_LIST = 1 << 14  # bytes of a list of names or calls
_PLACE = re.compile(r"cell \d{1,9}, line \d{1,9}")


def sane_run(run: CellRun, limits: Limits, room: int) -> CellRun:
    """Keep of an untrusted account of a cell what may be shown, and of its output no more than there is room for."""
    seconds = run.cpu_seconds if math.isfinite(run.cpu_seconds) else 0.0
    return CellRun(
        index=run.index,
        status="error" if run.status == "skipped" else run.status,
        error=clean(run.error),
        output=clean_lines(run.output, room) if room > 0 else "",
        cpu_seconds=min(max(seconds, 0.0), limits.total_cpu),
    )


def sane_observation(reply: Reply, request: Request, most: int) -> Observation:
    """Keep of an untrusted reply what makes sense; a value of `most` bytes is kept as it is, and decoded by the judge."""
    calls = _sane_calls(reply.calls, request.forbids) if reply.calls else ()
    lent = _sane_counts(reply.lent, request.borrows) if request.borrows else ()
    if reply.status != "returned":
        where = reply.where if _PLACE.fullmatch(reply.where) else ""
        return Observation(status=reply.status, error=clean(reply.error), where=where, calls=calls, lent=lent)
    if len(reply.value) > most:
        error = f"returned {len(reply.value):,} bytes, far more than a right answer has: {most:,} are allowed"
        return Observation(status="too_large", error=error, calls=calls)
    known = _parameters(request.when) if reply.modified else []
    modified = tuple(name for name in known if name in reply.modified[:_LONGEST_LIST].split(","))
    return Observation(status="returned", value=reply.value, modified=modified, calls=calls, lent=lent)


def _sane_calls(packed: bytes, forbids: Sequence[str]) -> tuple[ForbiddenCall, ...]:
    """Keep calls of names that are forbidden here, each with a few names that could be a notebook's functions."""
    try:
        calls = read_calls(packed) if len(packed) <= _LONGEST_LIST else ()
    except Exception:  # noqa: BLE001 - msgspec, the recursion limit and memory may all complain about a stranger's bytes
        return ()
    return tuple(
        ForbiddenCall(name=call.name, within=tuple(name for name in call.within[:_MOST_NAMES] if _is_name(name)))
        for call in [one for one in calls if one.name in forbids][:_MOST_CALLS]
    )


def _sane_counts(packed: bytes, borrows: Sequence[str]) -> tuple[LentCount, ...]:
    """Keep what the reference's own box counted of functions that it was to borrow; nobody else's is looked at."""
    counts = read_counts(packed) if 0 < len(packed) <= _LONGEST_LIST else ()
    return tuple(one for one in counts if one.name in borrows)


def _is_name(text: str) -> bool:
    return len(text) <= _LONGEST_NAME and text.isidentifier()


def _parameters(when: str) -> list[str]:
    """List the inputs that a `when` names."""
    found = _SIGNATURE.search(when)
    return _PARAMETER.findall(found[1]) if found else []
