"""Assignments handed to nbgrader and otter-grader: some notebooks, and what Redink says of each of their questions.

It is what Redink says before errors are carried forward, which these tools cannot do, and under the tool's own secret: the
same inputs must get the same verdicts. (Under another secret an error may reach a later question by other inputs.)
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import json
import random
import re
import struct
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest

from redink.assignment.handout import read_handout
from redink.assignment.hidden import unpack
from redink.grader.adapters.handing_over import hand_over
from redink.grader.adapters.hiding import own_secret
from redink.grader.answer_key.make import make_answer_key
from redink.grader.answer_key.open_key import OpenKey
from redink.grader.assignment.assignment import Assignment, read_assignment
from redink.grader.assignment.master import edited
from redink.grader.budget import UNLIMITED
from redink.grader.course import Course
from redink.grader.evidence.evidence import Evidence
from redink.grader.pipeline.diagnose import Diagnosis
from redink.grader.pipeline.judge import Memory, judge
from redink.grader.pipeline.score import score
from redink.grader.workers.workers import Workers, workers_for
from redink.records import Cell, Observed, QuestionResult
from redink.wire import decode

ROOT = Path(__file__).parents[1]
SECRET = "a secret for other tools"
SLUGS = tuple(sorted(path.name for path in (ROOT / "solutions").iterdir() if path.is_dir()))
IN_EVERY_RUN = ("perceptron", "ridge")  # the cheapest two; the others at night
NAMED = {  # of perceptron: one that only a hidden check fails, one that changes an input in place, one that spreads
    "perceptron": ("predicts_the_sign", "changes_w_in_place", "ignores_ties")
}
SLUG_OF_A_RUN = [slug if slug in IN_EVERY_RUN else pytest.param(slug, marks=pytest.mark.slow) for slug in SLUGS]

Scores = dict[str, float]  # by question
Choose = Callable[[Assignment], dict[str, tuple[Cell, ...]]]


class HandedOver(NamedTuple):
    """One assignment in another tool's folder, and what Redink says of some notebooks, by their names."""

    folder: Path
    assignment: Assignment
    specimens: dict[str, tuple[Cell, ...]]
    judged: dict[str, dict[str, QuestionResult]]


def handed_over(slug: str, format: str, folder: Path, choose: Choose | None = None, root: Path = ROOT) -> HandedOver:
    """Write an assignment for a tool, and grade notebooks in Redink: solved, untouched and some wrong ones, or others."""
    course = Course(root)
    with known_secret(), workers_for(course, slug) as workers:
        hand_over(course, slug, folder, workers, format)
        assignment = read_assignment(course, slug)
        specimens = (choose or _specimens)(assignment)
        return HandedOver(folder, assignment, specimens, _judged(course, assignment, format, specimens, workers))


@contextlib.contextmanager
def known_secret() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("REDINK_SECRET", SECRET)
        yield


def _specimens(assignment: Assignment) -> dict[str, tuple[Cell, ...]]:
    """Return the notebooks: solved, untouched, and three misconceptions, of different core questions if none is named."""
    skip = assignment.master.explorations()
    bank = [one for one in assignment.misconceptions if one.id in NAMED.get(assignment.slug, ())]
    if not bank:
        order = [one for one in assignment.misconceptions if assignment.spec.question(one.question).tier == "core"]
        random.Random(assignment.slug).shuffle(order)
        bank = list({one.question: one for one in order}.values())[:3]
    return {
        "solved": assignment.solved,
        "untouched": assignment.master.untouched(),
        **{one.id: edited(assignment.solved, one, skip) for one in bank},
    }


def _judged(
    course: Course, assignment: Assignment, tool: str, specimens: Mapping[str, tuple[Cell, ...]], workers: Workers
) -> dict[str, dict[str, QuestionResult]]:
    alone = msgspec.structs.replace(assignment, misconceptions=())
    key = OpenKey(make_answer_key(alone, own_secret(course, tool), workers.observe), assignment.checks)
    orders = [(assignment.to_run(cells), key.key.requests) for cells in specimens.values()]
    seen = workers.observe(orders, assignment.spec.limits, assignment.data())
    return {name: _questions(key, specimens[name], one) for name, one in zip(specimens, seen, strict=True)}


def _questions(key: OpenKey, cells: tuple[Cell, ...], seen: Observed) -> dict[str, QuestionResult]:
    """Judge all questions as Redink does, and carry no error forward."""
    evidence = Evidence(
        sources=lambda: cells,
        cells=seen.cells,
        digests={part.check: part.check for part in key.key.parts},
        observations=lambda check: [seen.observations[trial.id] for trial in key.key.of_check[check].trials],
    )
    found: dict[str, QuestionResult] = {}
    for question in key.spec.questions:
        charged = [used for used in key.spec.all_used(question) if found[used].in_place]
        judged = judge(key, question, evidence, Memory(), UNLIMITED, charged)
        feedback = {id: one.feedback for id, one in judged.checks.items()}
        found[question.id] = score(key, question, Diagnosis(feedback=feedback), judged.in_place)
    return found


def write_submission(handed_out: Path, cells: Iterable[Cell], to: Path) -> Path:
    """Write what a student hands in: the notebook as it was handed out, with these sources in its cells."""
    notebook = json.loads(handed_out.read_text(encoding="utf-8"))
    by_id = {f"{handed_out.stem}-{cell.index:03d}": cell.source for cell in cells}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code" and cell["id"] in by_id:
            cell["source"] = by_id[cell["id"]]
    to.mkdir(parents=True, exist_ok=True)
    path = to / handed_out.name
    path.write_text(json.dumps(notebook), encoding="utf-8")
    return path


def compare(handed: HandedOver, tool: str, found: Mapping[str, Scores]) -> None:
    """Hold a tool's scores to Redink's, question by question, and print them; extra questions have no points there."""
    core = {question.id for question in handed.assignment.spec.questions if question.tier == "core"}
    wrong = []
    for name, scores in found.items():
        ours = {id: one.score for id, one in handed.judged[name].items() if id in core}
        theirs = {id: round(points, 2) for id, points in scores.items() if id in core}
        most = {id: handed.judged[name][id].max_score for id in ours}
        lost = ", ".join(f"{id} {ours[id]:g}/{most[id]:g}" for id in ours if ours[id] < most[id])
        lost = "everything" if not any(ours.values()) else lost or "nothing"
        sums = f"{sum(ours.values()):.2f} | {sum(theirs.values()):.2f}"
        line = f"| {tool} | {handed.assignment.slug} | {name} | {lost} | {sums} |"
        sys.stdout.write(f"{line}\n")
        if any(abs(ours[id] - theirs[id]) > 0.011 for id in ours):
            wrong.append(f"{line} {theirs}")
    assert wrong == []


# -- what no student may find ----------------------------------------------------------------------------------------


def hidden_values(texts: Iterable[str], assignment: Assignment) -> set[bytes]:
    """List what only a tool's hidden tests hold: numbers of their inputs and answers, as text and as bytes."""
    packed = [one for text in texts for one in re.findall(r'hidden="""([A-Za-z0-9+/=\s]*)"""', text)]
    secret = set()
    for hidden in map(unpack, packed):
        values = [*(trial.inputs for trial in hidden.trials), *(seen.value for seen in hidden.expected.values())]
        secret |= {number for value in values for number in _numbers(decode(value))}
    public = b"".join(data for content in read_handout(assignment.folder).values() for data in _readings(content))
    some = random.Random(0).sample(sorted(secret), min(200, len(secret)))
    return {value for value in some if value not in public}  # constants are in both


def _numbers(value: Any) -> Iterator[bytes]:
    """Yield the floats of a value as text and as bytes, without those that many values have."""
    if isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _numbers(one)
    elif hasattr(value, "dtype"):
        if value.dtype.kind == "f" and value.size:
            yield from _numbers([float(one) for one in value.ravel()[:20]])
    elif isinstance(value, float) and len(repr(value)) > 14:
        yield repr(value).encode()
        yield struct.pack("<d", value)


def stray_values(folder: Path, values: Iterable[bytes]) -> list[tuple[str, bytes]]:
    """Find hidden values in the files of a folder: as they are, and in what their strings hold in base64, unpacked too."""
    found = []
    for path in (path for path in folder.rglob("*") if path.is_file()):
        for data in _readings(path.read_bytes()):
            found += [(path.name, value) for value in values if value in data]
    return found


def _readings(content: bytes) -> Iterator[bytes]:
    yield content
    joined = re.sub(rb'\\n",\s*"', b"", content)  # a notebook has a string for each line
    for text in re.findall(rb"[A-Za-z0-9+/]{24,}={0,2}", joined.replace(b"\n", b"")):
        with contextlib.suppress(binascii.Error):
            data = base64.b64decode(text + b"=" * (-len(text) % 4))
            yield data
            with contextlib.suppress(zlib.error):
                yield zlib.decompress(data)
