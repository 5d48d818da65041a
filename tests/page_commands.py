"""The commands that a page shows, to be typed by a test as they stand."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parents[1]


def command_lines(page: str) -> list[str]:
    """Return the lines of all indented blocks of a page that begin with a program, in their order."""
    text = (ROOT / page).read_text(encoding="utf-8")
    blocks = re.findall(r"(?:^(?:\n|\A)(?: {4}\S.*\n)+)", text, re.MULTILINE)
    lines = [line.strip() for block in blocks for line in block.strip("\n").splitlines()]
    return [line for line in lines if re.match(r"(?:redink|pip|cd|jupyter|make|git|\.venv/bin/\S+) ", line)]


def type_in(line: str, folder: Path, environment: Mapping[str, str]) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """Type a line into a shell that stands in a folder; return where it stands afterwards, and what was said."""
    if line.startswith("cd "):
        return folder / line.split()[1], subprocess.CompletedProcess(line, 0, "", "")
    done = subprocess.run(
        line, shell=True, cwd=folder, env=dict(environment), capture_output=True, text=True, check=False, timeout=300
    )
    return folder, done
