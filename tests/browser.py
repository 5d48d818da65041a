"""A real JupyterLab in a real browser: what a student sees when a notebook is opened and run."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
_FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--window-size=1280,1400"]
_SETTINGS = {
    "notebook-extension/tracker": '{"windowingMode": "none"}',  # so that every cell is on the page
    "apputils-extension/notification": '{"fetchNews": "false"}',
}
_WIDE = """
return [...document.querySelectorAll('.jp-RenderedMarkdown, .jp-RenderedHTML, .jp-OutputArea-output')]
  .filter(e => e.scrollWidth > e.clientWidth + 1)
  .map(e => e.innerText.slice(0, 120))
"""
_MATHS = """
const wrong = 'mjx-merror, [data-mjx-error], mjx-mtext[style*="red"]'  // red: a command that MathJax does not know
return [...document.querySelectorAll(wrong)].map(e => e.closest('.jp-RenderedMarkdown').innerText.slice(0, 200))
"""
_RAW = """
return [...document.querySelectorAll('.jp-RenderedMarkdown')]
  .map(e => {
    const copy = e.cloneNode(true)
    copy.querySelectorAll('mjx-container, code').forEach(m => m.remove())
    return copy.innerText
  })
  .filter(text => /\\$|\\\\(frac|sum|begin|lVert|top)/.test(text)).map(text => text.slice(0, 200))
"""
_HEADLINE = r"[^\n]*: (\d+ of \d+ public checks pass|not written yet|not run yet)"
_OUTPUTS = "return [...document.querySelectorAll('.jp-OutputArea-output')].map(e => e.innerText.trim())"
_TRACEBACKS = """
const kinds = ['stderr', 'error'].map(kind => `.jp-OutputArea-output[data-mime-type="application/vnd.jupyter.${kind}"]`)
return [...document.querySelectorAll(kinds)].map(e => e.innerText)
"""
_AXE = """
const done = arguments[arguments.length - 1], within = arguments[0]
axe.run(within || document).then(found => done(found.violations.map(one => [one.id, one.impact, one.nodes[0].html])))
"""
_SCROLL = """
const e = document.querySelector('.jp-WindowedPanel-outer'); e.scrollTop = arguments[0]; return [e.scrollTop, e.clientHeight]
"""


@contextmanager
def lab(folder: Path, settings: Path) -> Iterator[str]:
    """Serve a folder with JupyterLab on a free port; give its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    for place, setting in _SETTINGS.items():
        path = settings / "lab" / "@jupyterlab" / f"{place}.jupyterlab-settings"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(setting, encoding="utf-8")
    homes = {"JUPYTERLAB_SETTINGS_DIR": settings / "lab", "JUPYTERLAB_WORKSPACES_DIR": settings / "work"}
    homes |= {name: settings / name.lower() for name in ("JUPYTER_CONFIG_DIR", "IPYTHONDIR")}
    command = [sys.executable, "-m", "jupyter", "lab", "--no-browser", "--allow-root", f"--port={port}"]
    command += ["--IdentityProvider.token=", "--ServerApp.password=", f"--ServerApp.root_dir={folder}"]
    with subprocess.Popen(
        command,
        cwd=folder,
        env={**os.environ, **{name: str(path) for name, path in homes.items()}},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as server:
        try:
            address = f"http://127.0.0.1:{port}"
            until(lambda: _answers(address), 300)
            yield address
        finally:
            server.terminate()


def _answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(f"{address}/api", timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def until(true: Callable[[], Any], seconds: float) -> Any:
    """Wait until something is so, and give it."""
    end = time.monotonic() + seconds
    while not (found := true()):
        if time.monotonic() > end:
            raise TimeoutError(f"not so within {seconds} seconds: {true}")
        time.sleep(0.5)
    return found


def axe_core(place: Path) -> str:
    """Return the source of axe-core, taken from npm; without npm or a network its tests are not run."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("needs npm, to fetch axe-core")
    fetch = [npm, "pack", "axe-core@4", "--silent"]
    done = subprocess.run(fetch, cwd=place, capture_output=True, check=False, timeout=120)
    if done.returncode:
        pytest.skip("npm cannot fetch axe-core here")
    shutil.unpack_archive(next(place.glob("*.tgz")), place)
    return (place / "package/axe.min.js").read_text(encoding="utf-8")


def violations(driver: webdriver.Chrome, axe: str, within: str = "") -> list[list[str]]:
    """Return what axe finds on the page or in a part of it: rule, impact, element."""
    driver.execute_script(axe)
    return list(driver.execute_async_script(_AXE, within))


def serious(found: list[list[str]]) -> list[list[str]]:
    """Return what of it must not be."""
    return [one for one in found if one[1] in ("serious", "critical")]


def show_as(driver: webdriver.Chrome, width: int, scheme: str, height: int = 900) -> None:
    """Show pages as on a screen of this width, light or dark."""
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    feature = {"name": "prefers-color-scheme", "value": scheme}
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})


class Page:
    """One notebook, open in the browser."""

    def __init__(self, driver: webdriver.Chrome, address: str, notebook: str) -> None:
        self.driver = driver
        driver.get(f"{address}/lab/tree/{notebook}?reset")
        until(lambda: self.all(".jp-Cell") and self.all("mjx-container"), 300)
        until(lambda: self.status() == "Idle", 300)

    def all(self, css: str) -> list[Any]:
        """Find elements."""
        return self.driver.find_elements(By.CSS_SELECTOR, css)

    def status(self) -> str:
        """Say what the kernel does."""
        found = self.all(".jp-Notebook-ExecutionIndicator")
        return (found[0].get_attribute("data-status") or "").capitalize() if found else ""

    def run_all(self, seconds: float = 600) -> None:
        """Run all cells and wait for the last."""
        self._menu("Run", "Run All Cells")
        until(lambda: not [one for one in self.all(".jp-InputPrompt") if one.text == "[*]:"], seconds)
        until(lambda: self.status() == "Idle", seconds)
        time.sleep(1)

    def write(self, holding: str, source: str) -> None:
        """Replace the cell that holds a text, and run it."""
        cell = next(one for one in self.all(".jp-CodeCell") if holding in one.text)
        self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", cell)
        cell.find_element(By.CSS_SELECTOR, ".cm-content").click()
        ActionChains(self.driver).key_down(Keys.CONTROL).send_keys("a").key_up(Keys.CONTROL).perform()
        self.driver.execute_cdp_cmd("Input.insertText", {"text": source})
        self.run_selected()

    def run_selected(self, seconds: float = 120) -> None:
        """Run the selected cell, and go to the next."""
        ActionChains(self.driver).key_down(Keys.SHIFT).send_keys(Keys.ENTER).key_up(Keys.SHIFT).perform()
        time.sleep(0.5)
        until(lambda: not [one for one in self.all(".jp-InputPrompt") if one.text == "[*]:"], seconds)
        time.sleep(0.5)

    def card(self, title: str) -> Any:
        """Find the card of a question."""
        return next(one for one in self.all(".redink") if one.text.startswith(title))

    def theme(self, name: str) -> None:
        """Choose a theme of JupyterLab."""
        self._menu("Settings", "Theme")
        next(one for one in self.all(".lm-Menu-itemLabel") if one.text == name).click()
        light = str("Light" in name).lower()
        until(lambda: self.all(f"body[data-jp-theme-light='{light}']"), 60)
        time.sleep(1)

    def _menu(self, menu: str, item: str) -> None:
        next(one for one in self.all(".lm-MenuBar-itemLabel") if one.text == menu).click()
        time.sleep(0.5)
        next(one for one in self.all(".lm-Menu-itemLabel") if one.text == item).click()

    def wide(self) -> list[str]:
        """Name what does not fit the page."""
        return list(self.driver.execute_script(_WIDE))

    def broken_maths(self) -> list[str]:
        """Name formulas that MathJax could not set, and text in which a formula stayed as it was typed."""
        return sorted({*self.driver.execute_script(_MATHS), *self.driver.execute_script(_RAW)})

    def errors(self) -> list[str]:
        """Give the tracebacks and warnings on the page."""
        return list(self.driver.execute_script(_TRACEBACKS))

    def cards(self) -> list[str]:
        """Give the texts of all cards."""
        texts = self.driver.execute_script(_OUTPUTS)
        return [text for text in texts if re.match(_HEADLINE, text) or "nothing to check here" in text]

    def screenshots(self, folder: Path) -> None:
        """Photograph the notebook from top to bottom."""
        folder.mkdir(parents=True, exist_ok=True)
        place, number = 0, 0
        while True:
            reached, height = self.driver.execute_script(_SCROLL, place)
            if number and reached < place:
                break
            time.sleep(0.4)
            self.driver.save_screenshot(str(folder / f"{number:02}.png"))
            place, number = reached + height - 60, number + 1


@contextmanager
def browser() -> Iterator[webdriver.Chrome]:
    """Start the browser."""
    options = webdriver.ChromeOptions()
    options.binary_location = str(CHROMIUM)
    for flag in _FLAGS:
        options.add_argument(flag)
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(str(DRIVER)))
    try:
        yield driver
    finally:
        driver.quit()
