"""Solutions between Redink's marks, from the marks of other tools."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from redink.errors import CourseError
from redink.grader.assignment.master import BEGIN, END
from redink.source import definitions

_ASSIGNED = re.compile(r"\s*[\w.]+(\[[^\]]*\])*(\s*,\s*[\w.]+)*\s*=(?!=)")
_SOLUTION = re.compile(r"\s*#\s*SOLUTION(?P<quiet> NO PROMPT)?\s*$")
_PROMPT = re.compile(r'\s*(?:\w+\s*=\s*)?"""\s*;?\s*#\s*(?P<what>BEGIN|END) PROMPT\s*$')


def mark_regions(source: str, where: str) -> str:
    """Write the marks of a cell as Redink has them; a cell without any is a solution from end to end."""
    lines = source.splitlines()
    kept, inside, found = [], False, False
    for line in lines:
        mark = next((mark for mark in (BEGIN, END) if mark.lstrip("# ") in line and line.lstrip().startswith("#")), "")
        if mark:
            if inside == (mark == BEGIN):
                raise CourseError(f"{where}: {mark.lstrip('# ')} does not match; mend the marks there and import again")
            inside, found = mark == BEGIN, True
            line = line[: len(line) - len(line.lstrip())] + mark
        kept.append(line)
    if inside:
        raise CourseError(f"{where}: BEGIN SOLUTION without END SOLUTION; mend the marks there and import again")
    return "\n".join(kept) if found else wrap(source)


def wrap(source: str, prompt: str = "") -> str:
    """Mark all of a cell as a solution; above it stands what students get instead."""
    names = ", ".join(dict.fromkeys(one.name for one in definitions(source)))
    shown = prompt or (f"# {names}: yours to write" if names else "# yours to write")
    return "\n".join([shown, BEGIN, source.strip("\n"), END])


def mark_otter(source: str, where: str) -> str:
    """Write otter's marks within a cell as Redink has them: blocks, single lines, prompts and lines to be ignored."""
    text = "\n".join(_with_prompts_first(_without_ignored(source.splitlines())))
    if re.search(r"^\s*# (BEGIN|END) SOLUTION", text, re.MULTILINE):
        text = mark_regions(re.sub(r"(# BEGIN SOLUTION) NO PROMPT", r"\1", text), where)
    lines = list(_marked_lines(text.splitlines()))
    return "\n".join(lines) if any(line.strip() == BEGIN for line in lines) else wrap("\n".join(lines))


def _without_ignored(lines: Sequence[str]) -> Iterator[str]:
    inside = False
    for line in lines:
        mark = line.strip().upper()
        if mark.startswith("# BEGIN IGNORE"):
            inside = True
        elif mark.startswith("# END IGNORE"):
            inside = False
        elif not inside and not mark.endswith("# IGNORE"):
            yield line


def _with_prompts_first(lines: Iterable[str]) -> list[str]:
    """Let what a prompt says stand before the first solution, as code that students see."""
    kept: list[str] = []
    prompts: list[str] = []
    inside = False
    for line in lines:
        if mark := _PROMPT.match(line):
            inside = mark["what"] == "BEGIN"
        else:
            (prompts if inside else kept).append(re.sub(r"\s*#\s*SEED\s*$", "", line))
    first = next((place for place, line in enumerate(kept) if "SOLUTION" in line), 0)
    return [*kept[:first], *prompts, *kept[first:]]


def _marked_lines(lines: Sequence[str]) -> Iterator[str]:
    """Put marks around neighbouring lines that end in `# SOLUTION`; an assignment outside of functions keeps its prompt."""
    open_at: str | None = None  # the indent of the lines in a region that we opened
    for line in lines:
        found = _SOLUTION.search(line)
        indent = line[: len(line) - len(line.lstrip())]
        if open_at is not None and (found is None or not open_at or not indent.startswith(open_at)):
            yield open_at + END
            open_at = None
        if found is None:
            yield line
            continue
        code = line[: found.start()]
        if open_at is None:
            if not indent and not found["quiet"] and (assigned := _ASSIGNED.match(code)):
                yield assigned[0] + " ..."
            yield indent + BEGIN
            open_at = indent
        yield code
    if open_at is not None:
        yield open_at + END
