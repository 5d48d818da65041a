"""Which results the last applied re-judging of an assignment wrote: what can be taken back. A row of `meta` for each."""

from __future__ import annotations

import sqlite3


class Rejudgings:
    """The part of a gradebook that remembers the last applied re-judging; its results stay, whatever becomes of it."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def next_result(self) -> int:
        """Return the number that the next result will have."""
        (newest,) = self._db.execute("SELECT coalesce(max(id), 0) FROM results").fetchone()
        return int(newest) + 1

    def note(self, assignment: str, first: int) -> None:
        """Note that all results from this one on were written by one re-judging; none is no re-judging."""
        last = self.next_result() - 1
        if last >= first:
            self._db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_name(assignment), f"{first} {last}"))

    def last(self, assignment: str) -> tuple[int, int] | None:
        """Return the numbers of the first and the last result that it wrote; None if there is nothing to take back."""
        row = self._db.execute("SELECT value FROM meta WHERE name = ?", (_name(assignment),)).fetchone()
        if row is None:
            return None
        first, last = map(int, str(row[0]).split())
        return first, last

    def forget(self, assignment: str) -> None:
        """Note that it was taken back."""
        self._db.execute("DELETE FROM meta WHERE name = ?", (_name(assignment),))


def _name(assignment: str) -> str:
    return f"rejudged {assignment}"
