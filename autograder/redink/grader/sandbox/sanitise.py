"""What the grader keeps of untrusted messages: known names, texts and values of bounded size."""

from __future__ import annotations

import math
import re

from redink.box.protocol import Reply
from redink.records import CellRun, Limits, Observation, Request
from redink.texts import clean, clean_lines

_SIGNATURE = re.compile(r"^def when\(student,? ?([^)]*)\)", re.MULTILINE)
_PARAMETER = re.compile(r"[^\W\d]\w*")
_PLACE = re.compile(r"cell \d{1,9}, line \d{1,9}")


def sane_run(run: CellRun, limits: Limits) -> CellRun:
    """Keep of an untrusted account of a cell what may be shown."""
    seconds = run.cpu_seconds if math.isfinite(run.cpu_seconds) else 0.0
    return CellRun(
        index=run.index,
        status="error" if run.status == "skipped" else run.status,
        error=clean(run.error),
        output=clean_lines(run.output, limits.output_bytes),
        cpu_seconds=min(max(seconds, 0.0), limits.total_cpu),
    )


def sane_observation(reply: Reply, request: Request, most: int) -> Observation:
    """Keep of an untrusted reply what makes sense; a value of `most` bytes is kept as it is, and decoded by the judge."""
    if reply.status != "returned":
        where = reply.where if _PLACE.fullmatch(reply.where) else ""
        return Observation(status=reply.status, error=clean(reply.error), where=where)
    if len(reply.value) > most:
        error = f"returned {len(reply.value):,} bytes, far more than a right answer has: {most:,} are allowed"
        return Observation(status="too_large", error=error)
    known = _parameters(request.when) if reply.modified else []
    modified = tuple(name for name in known if name in reply.modified)
    return Observation(status="returned", value=reply.value, modified=modified)


def _parameters(when: str) -> list[str]:
    """List the inputs that a `when` names."""
    found = _SIGNATURE.search(when)
    return _PARAMETER.findall(found[1]) if found else []
