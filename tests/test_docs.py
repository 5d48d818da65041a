"""The docs are held to the commands: every command is in them, and every command line that they show can be typed."""

from __future__ import annotations

import re
import runpy
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest

from redink_cli.app import COMMANDS, redink

ROOT = Path(__file__).parents[1]
PAGES = sorted([ROOT / "README.md", *ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
_INLINE = re.compile(r"`(redink [^`\n]+)`")
_BLOCK = re.compile(r"^(?: {4}|\$ | {4}\$ )?(redink [a-z-].*)$")


def shown(page: Path) -> list[str]:
    """List the command lines that a page shows: in code blocks, indented blocks and inline code."""
    text = page.read_text(encoding="utf-8")
    found = _INLINE.findall(text)
    fenced = False
    for line in text.splitlines():
        fenced ^= line.startswith("```")
        match = _BLOCK.match(line)
        if match and (fenced or line.startswith("    ")):
            found.append(match[1])
    return [command for command in found if "…" not in command]


def parts(line: str) -> list[list[str]]:
    """Split a line at && and |, drop comments; return those parts that call redink."""
    words = shlex.split(line, comments=True)
    split: list[list[str]] = [[]]
    for word in words:
        if word in ("&&", "|", ";", ">"):
            split.append([])
        else:
            split[-1].append(word)
    return [part[1:] for part in split if part[:1] == ["redink"]]


LINES = sorted({(page.name, line) for page in dict.fromkeys(PAGES) for line in shown(page)})


def test_some_command_lines_are_shown():
    assert len(LINES) >= 10


@pytest.mark.parametrize(("page", "line"), LINES)
def test_a_command_line_that_is_shown_can_be_typed(page, line):
    for words in parts(line):
        words = words[1:] if words[0] == "--debug" else words
        if words[0].startswith("-"):
            assert words[0] in ("-h", "--help", "--version")
            continue
        context = click.Context(redink)
        command = redink.get_command(context, words[0])
        assert command is not None, f"{page}: there is no command {words[0]}"
        options = {name for option in command.params for name in (*option.opts, *option.secondary_opts)} | {
            "--help",
            "-h",
        }
        used = [
            word.partition("=")[0].strip("[]") for word in words[1:] if word.strip("[").startswith("-") and word != "-"
        ]
        assert set(used) <= options, f"{page}: {line}"


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_every_command_is_in_the_docs(command):
    assert any(re.search(rf"redink {command}\b", page.read_text(encoding="utf-8")) for page in PAGES)


def test_links_between_pages_lead_somewhere():
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_pictures_are_small():
    pictures = list((ROOT / "docs/pictures").iterdir())
    assert {one.suffix for one in pictures} == {".png"}
    assert max(one.stat().st_size for one in pictures) <= 150_000


def test_the_results_page_names_every_key():
    from redink.records import CellRun, CheckResult, QuestionResult, Result, SubmissionId, Walls

    text = (ROOT / "docs/results.md").read_text(encoding="utf-8")
    for record in (Result, SubmissionId, QuestionResult, CheckResult, CellRun, Walls):
        for name in record.__struct_fields__:
            assert f"`{name}`" in text or f"`{name}[]`" in text, f"{record.__name__}.{name}"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Build the site as `make docs` does."""
    place = tmp_path_factory.mktemp("site")
    build = [sys.executable, "-m", "sphinx", "--fail-on-warning", "--nitpicky", "--builder", "html", "docs", place]
    done = subprocess.run(build, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return place


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_the_site_explains_every_command(site, command):
    assert f'id="redink-{command}"' in (site / "commands.html").read_text(encoding="utf-8")


def test_no_page_of_the_site_asks_another_machine_for_anything(site):
    pages = list(site.rglob("*.html"))
    assert len(pages) >= 30
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert not re.findall(r'(?:src|<link[^>]+href)="(?:https?:)?//[^"]*"', text), page.name


def test_the_schema_of_results_is_as_the_records_say():
    made = runpy.run_path(str(ROOT / "docs" / "schema.py"))
    assert made["FILE"].read_text(encoding="utf-8") == made["schema"](), "run `python docs/schema.py`"


def test_a_check_that_the_docs_void_is_one_of_the_assignment(root):
    named = {
        found
        for path in [*(root / "docs").rglob("*.md"), *(root / "cli").rglob("*.py")]
        for found in re.findall(r"redink void (\w+) (\w+) ", path.read_text(encoding="utf-8"))
    }
    assert named
    for slug, check in named:
        assert f"def {check}(" in (root / "assignments" / slug / "checks.py").read_text(encoding="utf-8")
