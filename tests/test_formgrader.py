"""nbgrader's formgrader opens on the course that we write, in a real browser, and its feedback page shows our sentences."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver.common.by import By

from tests.browser import CHROMIUM, DRIVER, browser, lab, until
from tests.other_tools import handed_over, stray_values
from tests.test_nbgrader import HIDDEN_ONLY, NbgraderCourse

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore"),  # nbgrader's own libraries warn
    pytest.mark.skipif(not (CHROMIUM and DRIVER), reason="needs chromium and chromedriver (Debian: chromium-driver)"),
]
SCREENS = os.environ.get("REDINK_SCREENS")  # a folder for photographs of all that is seen


def text_of(driver: Any, address: str, awaited: str) -> str:
    """Open a page, wait for what its scripts must fetch, and give what it says."""
    driver.get(address)
    body = until(lambda: awaited in driver.find_element(By.TAG_NAME, "body").text and _body(driver), 120)
    if SCREENS:
        Path(SCREENS).mkdir(parents=True, exist_ok=True)
        name = "".join(letter if letter.isalnum() else "_" for letter in address.partition("//")[2])[-60:]
        driver.save_screenshot(str(Path(SCREENS) / f"{name}.png"))
    return str(body)


def _body(driver: Any) -> str:
    return str(driver.find_element(By.TAG_NAME, "body").text)


def test_the_formgrader_opens_on_the_course_and_feedback_shows_our_sentences_and_nothing_hidden(tmp_path, monkeypatch):
    monkeypatch.setenv(
        "PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    )  # nbgrader runs alembic
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    course = NbgraderCourse(handed_over("perceptron", "nbgrader", tmp_path / "course"))
    score = sum(course.graded(HIDDEN_ONLY).values())
    course.feedback(HIDDEN_ONLY)
    checks = course.handed.judged[HIDDEN_ONLY]["score"].checks
    (failed,) = (one for one in checks if one.verdict != "passed")
    sentence = failed.message.splitlines()[0]
    with course.api.gradebook as book:
        (submission,) = book.find_submission("perceptron", HIDDEN_ONLY).notebooks
        notebook = submission.id
    with lab(course.root, tmp_path / "settings") as server, browser() as driver:
        manage = text_of(driver, f"{server}/formgrader/manage_assignments", "perceptron")
        submissions = text_of(driver, f"{server}/formgrader/manage_submissions/perceptron", HIDDEN_ONLY)
        grades = text_of(driver, f"{server}/formgrader/gradebook/perceptron/perceptron", "Submission #1")
        graded = text_of(driver, f"{server}/formgrader/submissions/{notebook}", "Scores and predictions")
        page = course.root / f"feedback/{HIDDEN_ONLY}/perceptron/perceptron.html"
        feedback = text_of(driver, page.as_uri(), "Scores and predictions")
    assert "Manage Assignments" in manage
    assert f"{score:.2f} / 100" in submissions
    assert f"{score:.2f} / 100" in grades
    for text in (graded, feedback):
        assert f"Scores and predictions: {len(checks) - 1} of {len(checks)} checks pass" in text
        assert sentence in text
    assert "HIDDEN TESTS" not in feedback
    assert stray_values(page.parent, course.hidden_values()) == []
