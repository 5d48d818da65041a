"""How lucky a right answer must be: the reference and all alternatives, judged under many course secrets.

    python benchmarks/luck.py ridge --secrets 200        every check but trainings; tells each right answer that failed
    python benchmarks/luck.py rnn --trainings 300        trains again and again; tells how far the results stray

Everything runs in this process, without boxes. Where a training ends obeys no law that could be written down, so its tail
is measured: an exponential one through the extreme tenth of the runs. The comments beside those checks quote the figures.
"""

from __future__ import annotations

import argparse
import functools
import multiprocessing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch

from redink.assignment.trials import as_asked, make_requests, make_trials
from redink.checks.language import Check, call_by_name
from redink.grader.assignment.assignment import Assignment, read_assignment
from redink.grader.assignment.master import edited
from redink.grader.assignment.reference import Reference, defined
from redink.grader.course import Course
from redink.judging.answers import read_answer
from redink.judging.verdicts import judge
from redink.student import calling
from redink.wire import decode

ROOT = Path(__file__).resolve().parents[1]
SECONDS = 600.0
TRAININGS = {  # a check that trains, and the function beside it that says where a training ended
    "the_model_reaches_its_source_and_does_not_beat_it": "excess",
    "training_comes_down_to_the_floor_and_not_below": "excess",
    "the_model_comes_down_to_the_floor_and_not_below": "excess",
    "what_the_network_believes": "results",
}


@functools.cache
def read(slug: str) -> tuple[Assignment, Reference]:
    """Read an assignment and run its reference, once for a process."""
    assignment = read_assignment(Course.find(ROOT), slug)
    return assignment, Reference(assignment.master)


@functools.cache
def ways(slug: str) -> dict[tuple[str, str], dict[str, Any]]:
    """Return what each alternative defines, under its question and its name."""
    assignment, _ = read(slug)
    master = assignment.master
    return {
        (one.question, one.id): defined(master, edited(master.solved(), one, master.explorations()))
        for one in assignment.alternatives
    }


def failures(slug: str, number: int) -> list[str]:
    """Judge every right answer under one secret; tell what did not pass."""
    assignment, _ = read(slug)
    right = defined(assignment.master, assignment.master.solved())
    checks = [check for check in assignment.checks if check.id not in TRAININGS]
    return [f"secret {number}: {told}" for check in checks for told in _failures(slug, check, right, number)]


def _failures(slug: str, check: Check, right: dict[str, Any], number: int) -> Iterator[str]:
    """Judge every right answer to one check."""
    assignment, reference = read(slug)
    trials = make_trials(slug, check, b"luck %d" % number, reference)
    requests = make_requests(check, trials, assignment.spec.question(check.question).asks)
    expected = [calling.observe(request, right, SECONDS) for request in requests]
    for one, request, answer in zip(as_asked(check, trials, expected), requests, expected, strict=True):
        seen = {"the reference": answer}
        for (question, name), names in ways(slug).items():
            if question == check.question:
                seen[name] = calling.observe(request, names, SECONDS)
        for name, given in seen.items():
            verdict = judge(check, read_answer(given), one.expected, one.inputs)
            if verdict.verdict != "passed":
                yield f"{name} fails {one.id}: {verdict.message}"


def ended(slug: str, number: int) -> dict[str, float]:
    """Train once as the reference does, with inputs and a start of its own; say where it ended."""
    assignment, reference = read(slug)
    (check,) = (check for check in assignment.checks if check.id in TRAININGS)
    (trial,) = make_trials(slug, check, b"luck %d" % number, reference)
    calling.SEED = number  # where the global generators start
    (request,) = make_requests(check, [trial], assignment.spec.question(check.question).asks)
    seen = calling.observe(request, defined(assignment.master, assignment.master.solved()), SECONDS)
    function = check.given_function.__globals__[TRAININGS[check.id]]
    found: dict[str, float] = call_by_name(function, {"seen": decode(seen.value), **decode(trial.inputs)})
    return found


def tail(values: np.ndarray, sign: int) -> str:
    """Describe one tail of the values by an exponential one through their extreme tenth."""
    start = float(np.quantile(sign * values, 0.9))
    mean = float((sign * values[sign * values > start] - start).mean())
    far = start + mean * np.log(0.1 / 1e-8)
    return f"a tenth beyond {sign * start:.4f}, by {mean:.4f} on average, so 1e-8 beyond {sign * far:.4f}"


def main() -> None:
    """Print what failed, or where trainings ended."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("slug", choices=Course.find(ROOT).slugs())
    parser.add_argument("--secrets", type=int, default=0, metavar="N")
    parser.add_argument("--trainings", type=int, default=0, metavar="N")
    told = parser.parse_args()
    with multiprocessing.Pool(initializer=torch.set_num_threads, initargs=[1]) as pool:
        count = 0
        for found in pool.imap(functools.partial(failures, told.slug), range(told.secrets)):
            count += len(found)
            print(*found, sep="\n", end="\n" if found else "", flush=True)
        if told.secrets:
            print(f"{told.slug}: {count} failures of right answers under {told.secrets} secrets")
        runs = list(pool.imap(functools.partial(ended, told.slug), range(told.trainings)))
    for name in runs[0] if runs else ():
        values = np.array([run[name] for run in runs])
        figures = [values.mean(), values.std(), values.min(), values.max()]
        print(
            f"{name}: mean, standard deviation, least, most of {len(runs)} trainings:",
            *(f"{one:.4f}" for one in figures),
        )
        print(f"    above: {tail(values, 1)}\n    below: {tail(values, -1)}")


if __name__ == "__main__":
    main()
