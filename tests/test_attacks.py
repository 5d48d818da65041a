"""The corpus of attacks, in the manner of DOMjudge: one file each, declaring what it must get; run against the real box.

Every attack starts from a notebook that answers the first question of `little` rightly, as long as it has stolen nothing:
40 points show that the attack failed and that the box went on working. What else must hold is checked once for a run.
"""

from __future__ import annotations

import fnmatch
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent / "attacks"
_spec = importlib.util.spec_from_file_location("attack_runner", HERE / "runner.py")
assert _spec is not None and _spec.loader is not None
runner = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(runner)

pytestmark = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="the box needs Linux")
ATTACKS = runner.attacks()
SITUATIONS = ["root", "user", "user without namespaces"]
_UID = 60_123
MOST_MEMORY = 500_000  # kilobytes
MOST_STORED = 4 << 20
SLOWLY = 5  # times that a busy machine may take for our own work


@pytest.fixture(scope="session", params=SITUATIONS)
def outcome(request: pytest.FixtureRequest, shared: Callable[..., Path], little_course: Path) -> dict[str, Any]:
    """Grade the corpus once in each situation."""
    return _graded(request.param, shared, little_course)


def _graded(situation: str, shared: Callable[..., Path], little_course: Path) -> dict[str, Any]:
    if situation == "root" and os.getuid():
        pytest.skip("this test run is not root's")

    def fill(folder: Path) -> None:
        with tempfile.TemporaryDirectory(prefix="redink-attacks-") as name:
            place = Path(name)
            shutil.copytree(little_course, place / "course")
            _run(place, situation)
            shutil.copy(place / "out.json", folder / "out.json")

    folder = shared(f"attacks {situation}", fill)
    found: dict[str, Any] = json.loads((folder / "out.json").read_text(encoding="utf-8"))
    found["by_name"] = {one["submission"]["id"]: one for one in found["results"]}
    found["situation"] = situation
    return found


def _run(place: Path, situation: str) -> None:
    command = [sys.executable, str(HERE / "runner.py"), str(place / "course"), str(place / "out.json")]
    if "without" in situation:
        command.append("namespaces")
    if situation != "root" and os.getuid() == 0:
        command = [sys.executable, str(HERE / "ordinary.py"), str(_UID), *command]
        for path in (place, *place.rglob("*")):
            os.chown(path, _UID, _UID)
    elsewhere = {**os.environ, "HOME": str(place), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, cwd=place, env=elsewhere, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr[-3000:]


def _told(result: dict[str, Any]) -> str:
    """Put together everything a person could read of a result."""
    cells = [cell["error"] for cell in result["cells"]]
    messages = [check["message"] for question in result["questions"] for check in question["checks"]]
    return "\n".join([*cells, *messages, result["reason"] or ""])


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_gets_what_it_declares(outcome: dict[str, Any], name: str) -> None:
    wanted = runner.declared(ATTACKS[name])
    result = outcome["by_name"][wanted.get("id", name)]
    assert result["state"] == wanted.get("state", "graded"), result["reason"]
    if "most" in wanted:
        assert result["score"] <= float(wanted["most"]), _told(result)
    else:
        assert result["score"] == float(wanted.get("score", 0)), _told(result)
    assert re.search(wanted.get("says", ""), _told(result), re.I), _told(result)
    checks = [check for question in result["questions"] for check in question["checks"]]
    assert wanted.get("never", runner.MARKER) not in json.dumps(
        [one for one in checks if one["visibility"] == "hidden"]
    )
    assert wanted.get("nowhere", runner.MARKER) not in json.dumps(result)
    assert runner.MARKER not in json.dumps(result)


def texts(value: Any) -> Iterator[str]:
    """List every text in a result."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from (text for pair in value.items() for part in pair for text in texts(part))
    elif isinstance(value, list):
        yield from (text for item in value for text in texts(item))


def test_no_text_holds_what_a_terminal_obeys_or_a_reader_drowns_in(outcome: dict[str, Any]) -> None:
    for name, result in outcome["by_name"].items():
        for text in texts(result):
            assert text.replace("\n", "").isprintable(), (name, text[:300])
            assert len(text) <= runner.OUTPUT + 100 and text.count("\n") <= 1002, (name, text[:300])


def test_neither_grader_nor_worker_nor_judge_grows(outcome: dict[str, Any]) -> None:
    memory = outcome["after"]["memory"]
    assert set(memory) == {"grader", "worker", "judge"}
    assert max(memory.values()) < MOST_MEMORY, memory


def test_nobody_stores_more_than_a_few_megabytes(outcome: dict[str, Any]) -> None:
    stored = outcome["after"]["stored"]
    assert len(stored) >= len(ATTACKS)
    assert {name: size for name, size in stored.items() if size > MOST_STORED} == {}


def test_no_attack_holds_a_worker_past_its_limits(outcome: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    times = {name: result["wall_seconds"] for name, result in outcome["by_name"].items()}
    with capsys.disabled():
        os.write(1, f"\n{_figures(outcome, times)}\n".encode())
    assert {name: seconds for name, seconds in times.items() if seconds > SLOWLY * runner.LONGEST} == {}


def _figures(outcome: dict[str, Any], times: dict[str, float]) -> str:
    """Say in a line how many attacks there are of each kind, and the most that any of them took."""
    after = outcome["after"]
    kinds = ", ".join(f"{n} {kind}" for kind, n in Counter(path.parent.name for path in ATTACKS.values()).items())
    longest, largest = (max(all, key=lambda name: all[name]) for all in (times, after["stored"]))
    return (
        f"{outcome['situation']}: {len(ATTACKS)} attacks ({kinds}); kilobytes at most: {after['memory']}; longest: "
        f"{longest}, {times[longest]:.1f} s; most stored: {largest}, {after['stored'][largest]} bytes"
    )


def test_no_secret_input_stands_anywhere_in_the_results(outcome: dict[str, Any]) -> None:
    secret = outcome["secret_inputs"]
    assert len(secret) > 100
    found = [name for name, result in outcome["by_name"].items() if _any_of(secret, _without_times(result))]
    assert found == []


def _without_times(result: dict[str, Any]) -> str:
    """Write all of a result but its times, which are numbers like any other."""
    cells = [{**cell, "cpu_seconds": 0} for cell in result["cells"]]
    return json.dumps({**result, "cells": cells, "cpu_seconds": 0, "wall_seconds": 0})


def _any_of(numbers: list[str], text: str) -> bool:
    """Tell whether one of these numbers begins anywhere in a text."""
    there = set(re.findall(r"(?<!\d)\d+\.\d{4}", text))
    return not there.isdisjoint(numbers)


def _honest(outcome: dict[str, Any]) -> list[dict[str, Any]]:
    """List the results of those who hand in honest work beside each group of attacks."""
    groups = sorted({path.parent.name for path in ATTACKS.values()})
    return [outcome["by_name"][f"{group}-{runner.HONEST}"] for group in groups]


def test_nobody_else_is_affected(outcome: dict[str, Any]) -> None:
    honest = _honest(outcome)
    assert {one["score"] for one in honest} == {100.0}
    assert len({json.dumps(one["questions"]) for one in honest}) == 1


def test_nothing_is_left_behind_and_nothing_was_touched(outcome: dict[str, Any]) -> None:
    after = outcome["after"]
    assert after["unchanged"]
    assert (after["signals"], after["connections"], after["processes"], after["daemons"]) == (0, 0, 0, 0)
    assert after["notes"] == []


def test_the_walls_are_those_of_the_situation(outcome: dict[str, Any]) -> None:
    missing = outcome["after"]["walls"]
    assert ("mount_ns" in missing) == ("without" in outcome["situation"])
    assert "landlock" not in missing and "seccomp" not in missing


def test_honest_work_gets_the_same_result_in_every_situation(shared: Callable[..., Path], little_course: Path) -> None:
    situations = [one for one in SITUATIONS if one != "root" or os.getuid() == 0]
    seen = set()
    for found in (_graded(one, shared, little_course) for one in situations):
        for result in _honest(found):
            cells = [{**cell, "cpu_seconds": 0} for cell in result["cells"]]
            kept = {key: result[key] for key in ("version", "secret", "state", "score", "questions")}
            seen.add(json.dumps([kept, cells]))
    assert len(seen) == 1


# The kinds of attack that once succeeded, and the files of the corpus that try them again.
KINDS = {
    "hidden inputs leak": "theft-leaks_* theft-returns_what_* theft-keeps_* theft-tells_* theft-leaves_a_process_*",
    "undeserved points by precision": "forging-*_hides_a_wrong_factor forging-half_* forging-one_half_*",
    "undeserved points by links": "links-*",
    "the batch dies": "sources-chains_* sources-nests_* names-* flooding-*_digits flooding-*_giants documents-nested_*",
    "one submission holds the grader": "flooding-*_blanks flooding-*_lists flooding-*_colliding_* sources-hides_* "
    "denial-sleeps_* denial-stops_* denial-trickles_*",
    "one submission fills memory or disk": "flooding-*_arrays flooding-*_empty_giants forging-*rows_of_nothing "
    "forging-*_outer_product forging-*_a_gigabyte documents-wide_* documents-many_* documents-too_*",
    "texts": "flooding-writes_* flooding-prints_* flooding-raises_* forging-*_the_screen sources-fails_* "
    "sources-forges_* names-that_*",
    "collusion": "persistence-[ab]_* persistence-locks_a_* persistence-watches_* persistence-counts_*",
    "forbidden names": "policy-*",
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_of_every_kind_that_once_succeeded_there_are_five_attacks_at_least(kind: str) -> None:
    found = [{name for name in ATTACKS if fnmatch.fnmatch(name, pattern)} for pattern in KINDS[kind].split()]
    assert all(found)
    assert len(set().union(*found)) >= 5
