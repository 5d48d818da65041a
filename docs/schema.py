"""Write docs/results.schema.json: the JSON Schema of a file of results, made from the records themselves.

Run `python docs/schema.py`.
"""

from __future__ import annotations

import json
from pathlib import Path

import msgspec

from redink.records import Results

FILE = Path(__file__).with_name("results.schema.json")


def schema() -> str:
    """Return the schema of what `redink grade … --json FILE` writes."""
    return json.dumps(msgspec.json.schema(Results), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    FILE.write_text(schema(), encoding="utf-8")
