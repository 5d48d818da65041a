"""Finding columns in a teacher's file: by what the platform calls them, or as the instructor types it."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from redink.errors import CourseError
from redink.grader.rules.tables import CsvRow, plain
from redink.texts import clean

_NUMBERED = re.compile(r"(.*\S)\s*\((\d+)\)\s*", re.DOTALL)  # Perceptron (12345)


def place_of(header: Sequence[str], *names: str) -> int | None:
    """Find the first of these columns that a header has, whatever its case."""
    words = [plain(text) for text in header]
    return next((words.index(plain(name)) for name in names if plain(name) in words), None)


def cell_text(row: CsvRow, column: int | None) -> str:
    """Return what a cell says, without blanks around it; nothing where there is none."""
    return row.cells[column].text.strip() if column is not None and column < len(row.cells) else ""


def title_and_number(name: str) -> tuple[str, str]:
    """Split `Perceptron (12345)` into the title and the number; without one that is empty."""
    match = _NUMBERED.fullmatch(name)
    return (match[1].strip(), match[2]) if match else (name.strip(), "")


def listing(header: Sequence[str]) -> str:
    """Write the columns of a file for a sentence."""
    return ", ".join(repr(clean(text, 60)) for text in header if text.strip()) or "none"


def choose_column(path: Path, candidates: Mapping[int, str], told: str, likely: Sequence[str]) -> int:
    """Find the column that the instructor names: as it is written, by its title, or by its number."""
    if not candidates:
        raise CourseError(f"{path} has no column of an assignment that can be filled")
    if not told:
        raise CourseError(_suggestion(path, candidates, likely))
    for same in (
        lambda name: name.strip() == told.strip(),
        lambda name: plain(name) == plain(told),
        lambda name: plain(title_and_number(name)[0]) == plain(told),
        lambda name: title_and_number(name)[1] == told.strip(),
    ):
        found = [at for at, name in candidates.items() if same(name)]
        if len(found) == 1:
            return found[0]
        if found:
            names = listing([candidates[at] for at in found])
            raise CourseError(
                f"{path} has {len(found)} columns that {told!r} could mean: {names}; write the whole name"
            )
    raise CourseError(f"{path} has no column {told!r} that can be filled; it has: {listing(list(candidates.values()))}")


def refuse_column_of_another(path: Path, name: str, own: Sequence[str], others: Mapping[str, Sequence[str]]) -> None:
    """Refuse a column that has the name of another assignment and not of this one; both are called by slug and title."""
    title = f" {plain(title_and_number(name)[0])} "
    if any(f" {plain(one)} " in title for one in own):
        return
    for slug, called in others.items():
        if any(f" {plain(one)} " in title for one in called):
            raise CourseError(
                f"{path}: by its name {clean(name, 60)!r} is the column of {slug}, not of {own[0]}; nothing was written "
                f"(`redink export {slug}` fills it; if it is meant for {own[0]}, rename it on the platform)"
            )


def _suggestion(path: Path, candidates: Mapping[int, str], likely: Sequence[str]) -> str:
    titles = {plain(title_and_number(name)[0]): name for name in candidates.values()}
    wanted = [plain(one) for one in likely]
    within = [name for title, name in titles.items() if any(one in title for one in wanted)]
    close = [titles[one] for word in wanted for one in difflib.get_close_matches(word, titles, n=1)]
    if best := next(iter([*within, *close]), None):
        others = [name for name in candidates.values() if name != best]
        more = f"; the others are {listing(others)}" if others else ""
        return f'say which column of {path} to fill: --column "{clean(best)}"{more}'
    return f"say which column of {path} to fill, with --column; it has: {listing(list(candidates.values()))}"
