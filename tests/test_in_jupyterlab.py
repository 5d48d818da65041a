"""Every assignment, opened and run in JupyterLab in a browser, as a student has it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from redink.assignment.handout import list_assignments
from tests.browser import CHROMIUM, DRIVER, Page, browser, lab

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (CHROMIUM and DRIVER), reason="needs chromium and chromedriver (Debian: chromium-driver)"),
]
ROOT = Path(__file__).parents[1]
SPECS = {spec.slug: spec for spec in list_assignments(ROOT / "assignments")}
SCREENS = os.environ.get("REDINK_SCREENS")  # a folder for photographs of all that is seen


def handed_out(slug: str, tmp_path: Path) -> Path:
    """The folder a student has, and beside the untouched notebook the solved one."""
    redink = [sys.executable, "-m", "redink_cli"]
    subprocess.run([*redink, "distribute", slug, "--to", tmp_path], cwd=ROOT, check=True, capture_output=True)
    subprocess.run([*redink, "build", slug, "--solved", tmp_path / "s"], cwd=ROOT, check=True, capture_output=True)
    shutil.copy(tmp_path / "s" / f"{slug}.ipynb", tmp_path / slug / "solved.ipynb")
    return tmp_path / slug


@pytest.mark.parametrize("slug", SPECS)
def test_the_notebook_reads_well_and_its_solution_runs_green(slug, tmp_path):
    folder = handed_out(slug, tmp_path)
    with lab(folder, tmp_path / "settings") as address, browser() as driver:
        page = Page(driver, address, "solved.ipynb")
        page.run_all()
        if SCREENS:
            page.screenshots(Path(SCREENS) / slug)
        assert page.errors() == []
        assert page.broken_maths() == []
        assert page.wide() == []
        assert len(page.all(".jp-RenderedImage img")) >= 2  # plots
        cards = page.cards()
        assert len(cards) == len(SPECS[slug].questions)
        assert not [card for card in cards if "✗" in card]


def test_what_does_not_read_well_is_noticed(tmp_path):
    ugly = ["# Ugly\n$x$ $\\nothing$", "half: $\\left( x$", "left open: $$ x", "|a|b|\n|-|-|\n|" + "x" * 400 + "|y|"]
    cells = [new_markdown_cell(text) for text in ugly] + [new_code_cell("1 / 0")]
    python = {"name": "python3", "display_name": "Python 3"}
    nbformat.write(new_notebook(cells=cells, metadata={"kernelspec": python}), tmp_path / "ugly.ipynb")
    with lab(tmp_path, tmp_path / "settings") as address, browser() as driver:
        page = Page(driver, address, "ugly.ipynb")
        page.run_all()
        assert len(page.broken_maths()) == 3
        assert len(page.wide()) == 1
        assert "ZeroDivisionError" in page.errors()[0]
        assert page.cards() == []


def test_the_untouched_notebook_says_what_is_to_be_done(tmp_path):
    folder = handed_out("perceptron", tmp_path)
    with lab(folder, tmp_path / "settings") as address, browser() as driver:
        page = Page(driver, address, "perceptron.ipynb")
        page.run_all()
        assert page.broken_maths() == []
        cards = page.cards()
        assert cards
        assert cards[0].startswith("Scores and predictions: not written yet; 10 points")


def test_a_mistake_shows_a_card_with_its_hint(tmp_path):
    folder = handed_out("perceptron", tmp_path)
    solved = (folder / "solved.ipynb").read_text(encoding="utf-8")
    assert solved.count("<= 0:") >= 1
    (folder / "mine.ipynb").write_text(solved.replace("y * (w @ x) <= 0", "y * (w @ x) < 0"), encoding="utf-8")
    with lab(folder, tmp_path / "settings") as address, browser() as driver:
        page = Page(driver, address, "mine.ipynb")
        page.run_all()
        (card,) = [card for card in page.cards() if card.startswith("One step")]
        if SCREENS:
            page.screenshots(Path(SCREENS) / "mistake")
        assert "✗" in card
        assert "expected" in card
        assert "Hint: " in card
        assert page.wide() == []
