"""What a gradebook holds, read past every lock, as a person could who knows how it is written."""

from __future__ import annotations

import sqlite3

from redink.grader.store.shorthand import Shorthand

OBSERVED = "SELECT name, dictionary, content FROM observed JOIN checks ON checks.id = check_number WHERE run = ?"


def contents_of(db: sqlite3.Connection, run: int) -> dict[str, bytes]:
    """What each check saw in one run."""
    shorthand = Shorthand(db)
    return {name: shorthand.unpack(*stored) for name, *stored in db.execute(OBSERVED, (run,)).fetchall()}
