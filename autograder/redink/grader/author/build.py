"""Generating what a student gets from the master, and finding out when it has drifted."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from redink.assignment.published import Published
from redink.checks.comparing import difference
from redink.checks.language import Check
from redink.grader.answer_key.key import AnswerKey
from redink.grader.answer_key.make import make_answer_key
from redink.grader.answer_key.open_key import OpenKey
from redink.grader.assignment.assignment import Assignment, read_assignment
from redink.grader.assignment.master import EXPLORE, without_solutions
from redink.grader.assignment.telling import explained, extras_worth, hidden_counts, with_count
from redink.grader.author import derived
from redink.grader.course import Course
from redink.grader.workers.workers import Workers
from redink.judging.answers import read_answer
from redink.judging.verdicts import same
from redink.records import Misconception, Observation
from redink.wire import decode


def build(course: Course, slug: str, workers: Workers) -> list[Path]:
    """Write the notebook, the README and the published values of an assignment; return the files that changed."""
    assignment = read_assignment(course, slug)
    values = published(published_key(assignment, workers), assignment)
    written = {**_texts(assignment), "published.json": _dump(values)}
    changed = []
    for name, text in written.items():
        path = assignment.folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            changed.append(path)
    return changed


def drift(course: Course, slug: str, workers: Workers) -> list[str]:
    """Say which generated files are not what `build` would write: texts exactly, values within tolerance.

    The reference must return the published values on any machine. What misconceptions return may depend on the last
    digit, so there the sources are compared, and none of them is run.
    """
    assignment = read_assignment(course, slug)
    found = stale_texts(assignment)
    try:
        stored = msgspec.json.decode((assignment.folder / "published.json").read_bytes(), type=Published)
    except (OSError, msgspec.MsgspecError):
        return [*found, "published.json is missing or damaged"]
    key = published_key(msgspec.structs.replace(assignment, misconceptions=()), workers)
    fresh = published(key, assignment)
    found += _value_drift(OpenKey(key, assignment.checks), stored, fresh)
    found += _key_told(assignment, stored)
    if stored.hidden != fresh.hidden:
        found.append("published.json: the number of hidden checks of a question has changed")
    if not found and stored.made_from != fresh.made_from:
        found.append("published.json: the solutions, the checks, the misconceptions or their hints have changed")
    return found


def stale_texts(assignment: Assignment) -> list[str]:
    """Say which generated texts differ from what the master makes now."""
    return [
        f"{name} is not what the master gives now"
        for name, text in _texts(assignment).items()
        if not (assignment.folder / name).is_file() or (assignment.folder / name).read_text(encoding="utf-8") != text
    ]


def solve(course: Course, slug: str, target: Path) -> Path:
    """Write the solved notebook, for instructors."""
    assignment = read_assignment(course, slug)
    target.mkdir(parents=True, exist_ok=True)
    path = target / f"{slug}.ipynb"
    path.write_text(solved_notebook(assignment), encoding="utf-8")
    return path


def solved_notebook(assignment: Assignment) -> str:
    """Return the notebook with the reference in it."""
    sources = {cell.index: cell.source for cell in assignment.master.solved()}
    return notebook(assignment, lambda index, _: sources[index])


def student_notebook(assignment: Assignment) -> str:
    """Return the notebook with the solutions cut out."""
    return notebook(assignment, lambda index, source: without_solutions(source, f"cell {index}"))


def notebook(assignment: Assignment, code: Callable[[int, str], str]) -> str:
    """Write the cells of a master as a notebook, with what is told of its checks; the same cells give the same bytes."""
    return write_document(
        written_cell(
            cell.kind,
            f"{assignment.slug}-{index:03d}",
            with_count(assignment, code(index, cell.source)) if cell.kind == "code" else cell.source,
            {"tags": [EXPLORE]} if cell.explore else {},
        )
        for index, cell in enumerate(explained(assignment), start=1)
    )


def written_cell(kind: str, id: str, source: str, metadata: Mapping[str, object]) -> dict[str, object]:
    """Return one cell as a notebook's file has it."""
    run: dict[str, object] = {"execution_count": None, "outputs": []} if kind == "code" else {}
    return {"cell_type": kind, "id": id, "metadata": metadata, **run, "source": source.splitlines(keepends=True)}


def write_document(cells: Iterable[Mapping[str, object]]) -> str:
    """Write a notebook; the same cells give the same bytes."""
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    document = {"cells": list(cells), "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(document, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def published_key(assignment: Assignment, workers: Workers) -> AnswerKey:
    """Make the answer key of published seeds alone."""
    return make_answer_key(assignment, None, workers.observe)


def published(key: AnswerKey, assignment: Assignment) -> Published:
    """Gather what students may have: expected values of public trials, and what misconceptions return on them.

    A misconception about one short answer has the key of all others, so nothing is told of what it returns.
    """
    public = [part for part in key.parts if part.visibility == "public"]
    by_id = {check.id: check for check in assignment.checks}
    expected = {
        trial.id: seen
        for part in public
        for trial, seen in zip(part.trials, _needed(by_id[part.check], part.expected), strict=True)
    }
    told = [part for part in public if not assignment.sees_short_answers(by_id[part.check])]
    bank = []
    for one in key.misconceptions:
        wrong = [part.wrong[one.id] for part in told if part.question == one.question and one.id in part.wrong]
        if gives := {trial: part.answers[trial] for part in wrong for trial in part.differs}:
            bank.append(Misconception(id=one.id, question=one.question, hint=one.hint, gives=gives))
    trials = tuple(trial for part in public for trial in part.trials)
    return Published(
        made_from=assignment.published_from(),
        hidden=hidden_counts(assignment),
        trials=trials,
        expected=expected,
        misconceptions=tuple(bank),
    )


def _needed(check: Check, expected: Sequence[Observation]) -> Sequence[Observation]:
    """Keep of expected values what judging needs: only their form, where the check's `then` never looks at them."""
    if check.then_function is None or "expected" in inspect.signature(check.then_function).parameters:
        return expected
    return derived.constant(expected, 0.0)


def _texts(assignment: Assignment) -> dict[str, str]:
    return {f"{assignment.slug}.ipynb": student_notebook(assignment), "README.md": _readme(assignment)}


_TORCH = (
    " torch is a download of some gigabytes on Linux, unless you install the build without CUDA first, as PyTorch's own "
    "installation page says; nothing here needs a GPU."
)


def _readme(assignment: Assignment) -> str:
    spec, hidden = assignment.spec, hidden_counts(assignment)
    needed = " ".join(['"redink[torch]"' if spec.torch else "redink", "jupyterlab", *spec.packages])
    graded = ", ".join(["numpy", *(["torch"] if spec.torch else []), *spec.packages])
    rows = [
        f"| {question.title} | `{question.id}` | {question.points:g}{' (extra)' if question.tier == 'extra' else ''} "
        f"| {hidden[question.id]} | {question.minutes or '–'} |"
        for question in spec.questions
    ]
    return "\n".join(
        [
            f"# {spec.title}",
            "",
            f"Open `{spec.slug}.ipynb` in JupyterLab, VS Code or Colab, with this folder as its working folder, and work "
            "from top to bottom. Where a function says `NotImplementedError`, it is yours to write; run the cell below it, "
            'for instance `check("' + spec.questions[0].id + '")`, to see how far you are.',
            "",
            f"    pip install --find-links . {needed}",
            f"    jupyter lab {spec.slug}.ipynb",
            f"    redink check {spec.slug}.ipynb          # the same checks from a terminal",
            "",
            "The first line is typed once, in the folder of the wheel `redink-….whl` that your course gave you; an "
            f"environment that has these packages already serves here too.{_TORCH if spec.torch else ''}",
            "",
            "| question | id | points | hidden checks | minutes |",
            "|---|---|---|---|---|",
            *rows,
            "",
            f"It is graded with {graded} and matplotlib; other packages are not there.",
            "",
            "The checks here are the public ones, on published inputs. Grades also come from hidden checks and from other "
            "inputs of the same kind, so an answer that only fits the published numbers earns nothing.",
            "",
            *([worth, ""] if (worth := extras_worth(assignment)) else []),
        ]
    )


def _dump(values: Published) -> str:
    return msgspec.json.format(msgspec.json.encode(values, order="sorted"), indent=1).decode() + "\n"


def _key_told(assignment: Assignment, stored: Published) -> list[str]:
    """Say that a file of an earlier version tells the key of short answers, in what misconceptions return."""
    asked = {check.id for check in assignment.public if assignment.sees_short_answers(check)}
    telling = {trial.id for trial in stored.trials if trial.check in asked}
    told = any(not telling.isdisjoint(one.gives) for one in stored.misconceptions)
    return ["published.json holds right answers of concept questions"] if told else []


def _value_drift(key: OpenKey, stored: Published, fresh: Published) -> list[str]:
    if [trial.id for trial in stored.trials] != [trial.id for trial in fresh.trials]:
        return ["published.json: the public checks or their trials have changed"]
    for old, new in zip(stored.trials, fresh.trials, strict=True):
        if difference(decode(old.inputs), decode(new.inputs)):
            return [f"published.json: the inputs of {old.told} have changed"]
    if found := _differing(key, stored.expected, fresh.expected):
        names = {trial.id: trial.told for trial in fresh.trials}
        return [f"published.json: the expected value of {names.get(found, found)} has changed"]
    return []


def _differing(key: OpenKey, old: Mapping[str, Observation], new: Mapping[str, Observation]) -> str | None:
    if old.keys() != new.keys():
        return sorted(old.keys() ^ new.keys())[0]
    asked = {one.id: one for part in key.key.parts if part.visibility == "public" for one in key.asked(part.check)}
    for id in old:
        if not same(asked[id].check, read_answer(old[id]), read_answer(new[id]), asked[id].inputs):
            return id
    return None
