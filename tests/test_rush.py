"""The simulation of a deadline's rush gives what can be worked out by hand."""

from __future__ import annotations

import random
import runpy
from typing import Any

import pytest

from tests.conftest import ROOT


@pytest.fixture(scope="module")
def rush() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "benchmarks/rush.py"))


def test_nobody_waits_for_a_core_that_is_free(rush):
    assert rush["waits"]([0.0, 1.0, 2.0], 1, 0.5) == [0.5, 0.5, 0.5]


def test_a_class_at_once_takes_its_work_divided_by_the_cores(rush):
    found = rush["waits"]([0.0] * 100, 4, 0.5)
    assert found[-1] == pytest.approx(100 * 0.5 / 4)
    assert rush["summed_up"](found).median == pytest.approx(6.5)


def test_half_of_what_comes_late_comes_in_the_last_four_hours(rush):
    times = rush["arrivals"](5_000, random.Random(1))
    assert len(times) == 3 * 5_000
    late = sum(one > rush["WEEK"] - rush["HALF_LIFE"] for one in times)
    assert late / len(times) == pytest.approx(0.8 / 2 + 0.2 * rush["HALF_LIFE"] / rush["WEEK"], abs=0.02)


def test_the_cores_that_are_needed_are_enough_and_one_less_is_not(rush):
    times = rush["arrivals"](20_000, random.Random(1))
    cores = rush["cores_needed"](times, 2.0)
    assert cores > 1
    assert rush["summed_up"](rush["waits"](times, cores, 2.0)).nearly_all <= rush["SOON"]
    assert rush["summed_up"](rush["waits"](times, cores - 1, 2.0)).nearly_all > rush["SOON"]
