"""The reference's torch functions give the same on every device: the checks' own calls, moved there and back."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from redink.assignment.spec import read_spec
from redink.assignment.trials import as_asked, make_requests, make_trials
from redink.calling import SEED, Call, Student, one_line
from redink.checks.language import Check
from redink.checks.seeds import PUBLISHED
from redink.grader.assignment.assignment import Assignment, read_assignment
from redink.grader.assignment.reference import Reference, defined
from redink.grader.course import Course
from redink.judging.verdicts import find_fault
from redink.records import Observation, Request, Trial
from redink.wire import decode, encode
from tests.conftest import ROOT
from tests.on_device import OnDevice

ASSIGNMENTS = sorted(
    path.parent.name for path in ROOT.glob("assignments/*/assignment.toml") if read_spec(path.parent).torch
)
TOLERANCE = {  # relative to the largest number; what a check itself allows holds where it is larger
    ("cpu", "float64"): 1e-12, ("cpu", "float32"): 1e-6,
    ("cuda", "float64"): 1e-9, ("cuda", "float32"): 1e-4,
}  # fmt: skip
LOOSEST = 1e-3  # of devices and types that are not listed
ELSEWHERE = re.compile("same device|not on the expected device")


def calls(assignment: Assignment, reference: Reference) -> Iterator[tuple[Check, Trial, Request]]:
    """Make the smallest trial of each check that hands tensors over; a check with a single trial trains for long."""
    for check in assignment.checks:
        asks = assignment.spec.question(check.question).asks
        if check.kind == "item" or not check.weight or check.trials == 1:
            continue
        if re.search(r"\btorch\b", check.shipped(asks, {}).source):
            trials = make_trials(assignment.slug, check, PUBLISHED, reference)[:1]
            yield check, trials[0], make_requests(check, trials, asks)[0]


def answered(request: Request, student: Student) -> bytes:
    torch.manual_seed(SEED)
    np.random.seed(SEED)
    call = Call(request)
    return encode(student.answer(call) if isinstance(student, OnDevice) else call(student))


def shapes(value: Any) -> Any:
    """Return the form of a value without its numbers."""
    if isinstance(value, list | dict):
        return [*map(shapes, value.values() if isinstance(value, dict) else value)]
    return np.shape(value)


def coarsest(value: Any) -> str:
    """Name the coarsest type of numbers in a value."""
    if isinstance(value, list | dict):
        return min(map(coarsest, value.values() if isinstance(value, dict) else value), default="float64")
    return str(getattr(value, "dtype", "float64")) if getattr(value, "dtype", np.int64) == np.float32 else "float64"


@pytest.mark.filterwarnings("ignore:.*no-op:UserWarning")  # weights that are loaded into the meta device
@pytest.mark.parametrize("slug", ASSIGNMENTS)
def test_the_reference_gives_on_every_device_what_it_gives_on_the_cpu(slug: str, device: str) -> None:
    assignment = read_assignment(Course(ROOT), slug)
    names, reference = defined(assignment.master, assignment.master.solved()), Reference(assignment.master)
    tried, wrong = 0, []
    for check, trial, request in calls(assignment, reference):
        on_cpu = answered(request, Student(names))
        try:
            seen = decode(answered(request, OnDevice(names, device)))
        except (RuntimeError, TypeError) as error:
            if device != "meta" or ELSEWHERE.search(str(error)):
                wrong.append(f"{check.id}: {one_line(error)}")
            continue  # the meta device has no numbers to read
        tried += 1
        (asked,) = as_asked(check, [trial], [Observation(status="returned", value=on_cpu)])
        if device == "meta":
            fault = None if shapes(seen) == shapes(asked.expected) else "another shape"
        else:
            check.tol = max(check.tol, TOLERANCE.get((device, coarsest(asked.expected)), LOOSEST))
            fault = find_fault(check, seen, asked.expected, asked.inputs)
        wrong += [f"{check.id}: {fault}"] if fault else []
    assert wrong == []
    assert tried > 0


def run_these(*, required: bool) -> subprocess.CompletedProcess[str]:
    test = f"{Path(__file__).relative_to(ROOT)}::test_a_tensor_arrives_on_the_device"
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
        "-o",
        "addopts=-rs",
        test,
    ]
    environment = os.environ | {"REDINK_REQUIRE_GPU": "1" if required else ""}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def test_a_tensor_arrives_on_the_device(device: str) -> None:
    seen = []
    student = OnDevice({"f": lambda x: seen.append(x.device.type) or x}, device)
    assert student.f(torch.ones(2)).device.type == "cpu"
    assert seen == [device]


def test_a_function_that_is_tied_to_the_cpu_is_found() -> None:
    student = OnDevice({"f": lambda x: x + torch.ones(2)}, "meta")
    with pytest.raises(RuntimeError, match=ELSEWHERE):
        student.f(torch.ones(2))


@pytest.mark.skipif(torch.accelerator.is_available(), reason="here is a GPU, so its absence cannot be tried")
def test_without_a_gpu_its_tests_are_not_run_and_say_why_or_fail_where_one_is_required() -> None:
    without, required = run_these(required=False), run_these(required=True)
    assert without.returncode == 0, without.stdout
    assert "2 passed, 1 skipped" in without.stdout
    assert "finds no accelerator on this machine" in " ".join(without.stdout.split())
    assert required.returncode == 1
    assert "REDINK_REQUIRE_GPU=1 demands one" in " ".join(required.stdout.split())
