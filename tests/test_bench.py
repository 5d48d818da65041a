"""What the benchmarks say is said once: the table, the file and the picture are of the same figures."""

from __future__ import annotations

import json
import re
import runpy
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.conftest import ROOT

DOCUMENTED = {
    "cpu_vs_nbgrader", "cpu_vs_otter", "overhead_ms", "cpu_vs_bare", "speedup_2_jobs", "memory_per_box_mb", "rejudge_gain",
    "regrade_gain", "ci_cold_s", "cli_start_ms", "notebook_check_ms", "dask_vs_pool", "shards_vs_one_run", "gradebook_kb",
}  # fmt: skip


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The modules of the folder, by their names, as its entry finds them."""
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    before = set(sys.modules)
    yield lambda name: runpy.run_path(str(ROOT / f"benchmarks/{name}.py"))
    for name in set(sys.modules) - before:
        if str(ROOT / "benchmarks") in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


def some(figure: Any) -> list[Any]:
    return [
        figure("redink_s", 0.0312, "s", "perceptron", note="CPU < 1 & all processes"),
        figure("nbgrader_s", 2.5, "s", "perceptron"),
        figure("otter_s", 9.7, "s", "perceptron"),
        figure("cpu_vs_nbgrader", 80.1, at_least=100),
        figure("cpu_vs_bare", 1.4, "×", "perceptron", at_most=1.6),
        figure("cpu_vs_bare", 1.1, "×", "cnn", at_most=1.3),
    ]


def test_a_row_says_the_figure_its_goal_and_whether_it_is_met(bench, capsys):
    module = bench("figures")
    assert module["show"](some(module["Figure"])) == some(module["Figure"])
    rows = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert rows[1] == "redink_s perceptron 0.03 s CPU < 1 & all processes"
    assert rows[4] == "cpu_vs_nbgrader 80.1 × ≥ 100 ✗"
    assert rows[5] == "cpu_vs_bare perceptron 1.40 × ≤ 1.60 ✓"


def test_what_is_written_is_read_again_and_says_what_is_met(bench, tmp_path):
    module = bench("figures")
    module["write"](tmp_path / "results.json", some(module["Figure"]), {"machine": "a quiet one"})
    told = json.loads((tmp_path / "results.json").read_text("utf-8"))
    assert (told["schema"], told["machine"]) == ("redink/bench/1", "a quiet one")
    assert [one["met"] for one in told["figures"]] == [None, None, None, False, True, True]
    assert module["read"](tmp_path / "results.json") == some(module["Figure"])


def test_the_picture_is_whole_and_light_and_has_every_tool_and_assignment(bench, tmp_path):
    module = bench("figures")
    module["write"](tmp_path / "results.json", some(module["Figure"]), {})
    picture = bench("plot")["draw"](tmp_path / "results.json", tmp_path / "bench.svg")
    assert picture.stat().st_size < 10_000
    texts = {one.text for one in ElementTree.parse(picture).iter("{http://www.w3.org/2000/svg}text")}
    assert {"Redink", "0.031 s", "nbgrader", "2.5 s", "otter run", "9.7 s", "perceptron", "1.40×", "cnn"} <= texts


def test_every_figure_that_is_promised_is_measured():
    sources = "".join(path.read_text("utf-8") for path in Path(ROOT / "benchmarks").glob("*.py"))
    assert set(re.findall(r'Figure\(\s*"(\w+)"', sources)) >= DOCUMENTED
    assert 'f"growth_{many}_vs_{few}"' in sources


def test_results_that_are_kept_are_of_a_whole_run(bench):
    path = ROOT / "benchmarks/results.json"
    if not path.exists():
        pytest.skip("nobody has measured on a quiet machine yet")
    assert json.loads(path.read_text("utf-8"))["small"] is False
    assert {one.name for one in bench("figures")["read"](path)} >= {*DOCUMENTED, "growth_1000_vs_100"}
