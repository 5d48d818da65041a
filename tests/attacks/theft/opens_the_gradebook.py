"""Reads the gradebook with SQLite.

score: 40
"""

import sqlite3
steal(lambda: sqlite3.connect(f'file:{COURSE}/.redink/gradebook.sqlite?mode=ro', uri=True).execute('select * from sqlite_master').fetchall())
