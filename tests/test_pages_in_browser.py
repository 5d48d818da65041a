"""The pages of a report in a real browser: nothing fails, nothing is fetched, nothing overflows, axe finds nothing bad."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from redink.grader.pages.report import report
from redink.grader.similar.finding import AlikeClass
from redink.grader.similar.pages import write_pages
from redink.grader.similar.pairs import AlikePair, AlikeQuestion
from tests.browser import CHROMIUM, DRIVER, axe_core, browser, serious, show_as, violations
from tests.making_pages import RIGHT, WRONG, Class, check, question, result

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (CHROMIUM and DRIVER), reason="needs chromium and chromedriver (Debian: chromium-driver)"),
]
SCREENS = os.environ.get("REDINK_SCREENS")  # a folder for pictures
SCHEMES = ("light", "dark")
PAGES = ("index.html", "students/ben.html", "students/long.html", "alike/index.html", "alike/pair-001.html")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a class with every part that a page can have."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("REDINK_SECRET", "test")
        made = Class(tmp_path_factory.mktemp("class"), people="ada,Ada Lovelace\nben,نور الحداد\neve,Eve Ng\n")
        made.hand_in("ada", RIGHT)
        made.hand_in("ben", WRONG, days=-2, mistakes={"a": "same"})
        made.hand_in("ben", RIGHT, days=1.5, mistakes={"a": "same"})
        wide = "w" * 5000
        bad = result(
            question(
                "a", wide, check("a_0", 60.0, f"It is {wide}.\n{wide}\n  x = {wide}\n  expected: 1\n  got:      2")
            ),
            question("b", "Ideas", check("which_one", 40.0, "Which it is.", notes=(f"{wide}: a person should look",))),
        )
        made.hand_in("long", bad, source=f"def f(x):\n    return '{wide}'\n", mistakes={"a": "same"})
        made.hand_in("more", bad, mistakes={"a": "same"})
        made.hand_in("cy", result(state="ungradable"))
        with made.book() as book:
            book.decisions.override("little", "ben", "b", 5.0, reason=wide, who="kim")
            report(made.course, book, "little", made.root / "out")
        write_pages(_alike(wide), made.root / "out" / "alike")
    return made.root / "out"


def _alike(wide: str) -> AlikeClass:
    """Two pairs, one of them of another year, with names and lines that are too long or run from right to left."""
    code = "def f(x):\n    # <script>alert(1)</script>\n    return x\n" + f"y = '{wide}'\n"
    both = AlikeQuestion(question="a", alike=0.9, usual=0.1, code=(code, code), lines=((1, 2), (1, 2)))
    pairs = [
        AlikePair(first=first, second="نور الحداد", second_is_earlier=earlier, questions=(both,))
        for first, earlier in (("ada", False), (wide[:300], True))
    ]
    return AlikeClass(assignment="little", title="Little", compared=40, earlier=12, named=True, pairs=tuple(pairs))


@pytest.fixture(scope="module")
def driver() -> Iterator[Any]:
    with browser() as one:
        yield one


@pytest.fixture(scope="module")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    return axe_core(tmp_path_factory.mktemp("axe"))


def show(driver: Any, path: Path, width: int, scheme: str) -> None:
    show_as(driver, width, scheme)
    driver.get(path.as_uri())


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("page", PAGES)
def test_a_page_fits_and_neither_complains_nor_fetches(folder, driver, page, width, scheme):
    driver.get_log("browser")
    show(driver, folder / page, width, scheme)
    assert driver.get_log("browser") == []
    assert driver.execute_script("return performance.getEntriesByType('resource').map(one => one.name)") in (
        [],
        ["data:,"],
    )
    assert driver.execute_script("return document.documentElement.scrollWidth") <= width
    assert driver.execute_script("return getComputedStyle(document.body).backgroundColor") == (
        "rgb(255, 255, 255)" if scheme == "light" else "rgb(20, 24, 29)"
    )
    rows = driver.execute_script("return document.querySelectorAll('table tbody tr, pre span').length")
    assert rows >= 2


def test_the_chart_has_bars_and_a_table(folder, driver):
    show(driver, folder / "index.html", 1280, "light")
    assert driver.execute_script("return document.querySelectorAll('svg[role=img] rect.bar').length") >= 2
    assert driver.execute_script("return document.querySelectorAll('details table tbody tr').length") >= 10
    assert driver.execute_script("return document.querySelector('svg[role=img] title').textContent")


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("page", PAGES)
def test_axe_finds_nothing_serious(folder, driver, axe, page, scheme):
    for width in (1280, 390):
        show(driver, folder / page, width, scheme)
        assert serious(violations(driver, axe)) == []


def test_axe_would_find_something(driver, axe, tmp_path):
    bad = "<html><body style='background:#fff'><p style='color:#ccc'>faint</p><img src='data:,'></body></html>"
    (tmp_path / "bad.html").write_text(bad, encoding="utf-8")
    show(driver, tmp_path / "bad.html", 1280, "light")
    assert {"color-contrast", "image-alt"} <= {one[0] for one in violations(driver, axe)}


def test_the_class_page_of_forty_draws_who_has_what(driver, tmp_path, monkeypatch):
    monkeypatch.setenv("REDINK_SECRET", "test")
    people = [f"s{number:02},Student {number:02}" for number in range(40)]
    made = Class(tmp_path / "class", people="\n".join([*people, "s40,Student 40"]) + "\n")
    for number in range(40):
        half = (
            result(WRONG.questions[0], RIGHT.questions[1])
            if number % 4
            else result(RIGHT.questions[0], WRONG.questions[1])
        )
        kind = (RIGHT, half, half, WRONG)[number * 7 % 4]
        made.hand_in(
            f"s{number:02}",
            kind,
            days=1.5 if number % 9 == 0 else -1,
            mistakes={"b": "same"} if number % 5 == 0 else {},
        )
    with made.book() as book:
        report(made.course, book, "little", tmp_path / "out")
    show(driver, tmp_path / "out/index.html", 1000, "light")
    assert driver.execute_script("return document.querySelectorAll('svg[role=img] rect.bar').length") >= 3
    assert "Student 40" in driver.find_element("tag name", "main").text
    if SCREENS:
        driver.save_screenshot(str(Path(SCREENS) / "class-page.png"))
