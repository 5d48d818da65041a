"""What the grader keeps of untrusted messages: known names, texts and values of bounded size."""

from __future__ import annotations

import math
import re

from redink.box.protocol import Reply
from redink.records import LONGEST, CellRun, Limits, Observation, Request

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_SIGNATURE = re.compile(r"^def when\(student,? ?([^)]*)\)", re.MULTILINE)
_PARAMETER = re.compile(r"[^\W\d]\w*")
_PLACE = re.compile(r"cell \d{1,9}, line \d{1,9}")


def sane_run(run: CellRun, limits: Limits) -> CellRun:
    """Keep of an untrusted account of a cell what may be shown."""
    seconds = run.cpu_seconds if math.isfinite(run.cpu_seconds) else 0.0
    return CellRun(
        index=run.index,
        status="error" if run.status == "skipped" else run.status,
        error=one_clean_line(run.error),
        output=_CONTROL.sub("", run.output[: limits.output_bytes]),
        cpu_seconds=min(max(seconds, 0.0), limits.total_cpu),
    )


def sane_observation(reply: Reply, request: Request, limits: Limits) -> Observation:
    """Keep of an untrusted reply what makes sense; whether its value is plain data is found by whoever decodes it."""
    if reply.status != "returned":
        where = reply.where if _PLACE.fullmatch(reply.where) else ""
        return Observation(status=reply.status, error=one_clean_line(reply.error), where=where)
    if len(reply.value) > limits.value_bytes:
        return Observation(status="too_large", error=f"returned more than {limits.value_bytes} bytes")
    known = _parameters(request.when) if reply.modified else []
    modified = tuple(name for name in known if name in reply.modified)
    return Observation(status="returned", value=reply.value, modified=modified)


def _parameters(when: str) -> list[str]:
    """List the inputs that a `when` names."""
    found = _SIGNATURE.search(when)
    return _PARAMETER.findall(found[1]) if found else []


def one_clean_line(text: str) -> str:
    """Make one line of bounded length that a terminal can show."""
    return "".join(letter if letter.isprintable() else " " for letter in text[:LONGEST]).strip()
