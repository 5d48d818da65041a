"""What a gradebook holds, read past every lock, as a person could who knows how it is written."""

from __future__ import annotations

import sqlite3

import msgspec

from redink.grader.store.shorthand import Shorthand
from redink.records import Result

OBSERVED = "SELECT name, dictionary, content FROM observed JOIN checks ON checks.id = check_number WHERE run = ?"


def contents_of(db: sqlite3.Connection, run: int) -> dict[str, bytes]:
    """What each check saw in one run."""
    shorthand = Shorthand(db)
    return {name: shorthand.unpack(*stored) for name, *stored in db.execute(OBSERVED, (run,)).fetchall()}


def results_of(db: sqlite3.Connection) -> list[Result]:
    """All results that were ever kept."""
    shorthand = Shorthand(db)
    stored = db.execute("SELECT dictionary, record FROM results").fetchall()
    return [msgspec.msgpack.decode(shorthand.unpack(*one), type=Result) for one in stored]
