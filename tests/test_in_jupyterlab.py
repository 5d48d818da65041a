"""Every assignment, opened and run in JupyterLab in a browser, as a student has it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from redink.assignment.handout import list_assignments
from tests.browser import CHROMIUM, DRIVER, Page, axe_core, browser, lab, serious, show_as, violations

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (CHROMIUM and DRIVER), reason="needs chromium and chromedriver (Debian: chromium-driver)"),
]
ROOT = Path(__file__).parents[1]
SPECS = {spec.slug: spec for spec in list_assignments(ROOT / "assignments")}
SCREENS = os.environ.get("REDINK_SCREENS")  # a folder for photographs of all that is seen
_TOO_WIDE = """
return [...document.querySelectorAll('.redink')].filter(one => one.scrollWidth > one.clientWidth + 1).length
"""
STEP = "def perceptron_step(w, x, y):\n    if y * (w @ x) {} 0:\n        return w + y * x, True\n    return w, False\n"


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


def test_a_question_is_answered_wrongly_then_rightly_and_the_total_is_told(tmp_path):
    folder = tmp_path / "perceptron"
    shutil.copytree(ROOT / "assignments/perceptron", folder)
    with lab(folder, tmp_path / "settings") as address, browser() as driver:
        page, axe = Page(driver, address, "perceptron.ipynb"), axe_core(tmp_path)
        page.write("import matplotlib.pyplot", "import numpy as np\nfrom redink import check")
        page.write("def perceptron_step", STEP.format("<"))
        page.run_selected()
        wrong = page.card("One step: 2 of 3 public checks pass")
        assert "Hint: What does your rule do with the very first example" in wrong.text
        assert "expected" in wrong.text
        for theme in ("JupyterLab Dark", "JupyterLab Light"):
            page.theme(theme)
            wrong = page.card("One step")
            assert serious(violations(driver, axe, ".redink")) == []
            photograph(driver, wrong, f"card {theme.split()[1].lower()}")
        page.write("def perceptron_step", STEP.format("<="))
        page.run_selected()
        right = page.card("One step: 3 of 3 public checks pass")
        assert "✗" not in right.text
        assert "15 of 85 points" in right.text
        photograph(driver, right, "card right")
        page.write('check("score")', "check()")
        total = next(one for one in page.all(".redink") if "hidden checks" in one.text)
        assert total.text.startswith(
            "15 of 85 public points; 0 of 30 extra points; concepts (15 points) after the deadline"
        )


def photograph(driver, element, name):
    """Keep a picture of a part of the page, if a folder for pictures was named."""
    if SCREENS:
        driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
        time.sleep(0.5)
        element.screenshot(str(Path(SCREENS) / f"{name.replace(' ', '-')}.png"))


def answered(tmp_path, name="answered.ipynb"):
    """A folder with a notebook that answers one question wrongly, one rightly and the others not."""
    folder = tmp_path / "perceptron"
    shutil.copytree(ROOT / "assignments/perceptron", folder)
    cells = [
        "import numpy as np\nfrom redink import check",
        STEP.format("<"),
        'check("step")',
        'check("score")',
        "check()",
    ]
    python = {"name": "python3", "display_name": "Python 3"}
    document = new_notebook(cells=[new_code_cell(one) for one in cells], metadata={"kernelspec": python})
    nbformat.write(document, folder / name)
    return folder / name


def test_cards_are_in_a_notebook_that_nbclient_ran(tmp_path):
    notebook = answered(tmp_path)
    document = nbformat.read(notebook, 4)
    NotebookClient(document, resources={"metadata": {"path": str(notebook.parent)}}, timeout=300).execute()
    (card,) = document.cells[2].outputs
    assert "Hint: What does your rule do" in card.data["text/html"]
    assert card.data["text/plain"].startswith("One step: 2 of 3 public checks pass")
    assert max(map(len, card.data["text/plain"].splitlines())) <= 80


def test_cards_are_in_exported_html_and_fit_a_phone_in_light_and_dark(tmp_path):
    notebook = answered(tmp_path)
    export = [sys.executable, "-m", "jupyter", "nbconvert", "--execute", "--to", "html", notebook.name]
    done = subprocess.run(export, cwd=notebook.parent, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    axe = axe_core(tmp_path)
    with browser() as driver:
        for width in (1280, 390):
            for scheme, theme in (("light", "true"), ("dark", "false")):
                show_as(driver, width, scheme)
                driver.get(notebook.with_suffix(".html").as_uri())
                driver.execute_script("document.body.dataset.jpThemeLight = arguments[0]", theme)
                cards = driver.find_elements("css selector", ".redink")
                assert len(cards) >= 9
                assert driver.execute_script(_TOO_WIDE) == 0
                assert serious(violations(driver, axe, ".redink")) == []
                wrong = next(one for one in cards if one.text.startswith("One step"))
                photograph(driver, wrong, f"card {width} {scheme}")
