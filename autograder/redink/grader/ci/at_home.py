"""Public checks without a box, as students run them: where there is none, and nothing hidden is at stake."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

import msgspec

from redink.assignment.handout import read_handout, unpack
from redink.assignment.spec import read_spec
from redink.grader.ci.public_key import PUBLISHED_NAME
from redink.grader.pipeline.load import Submission
from redink.notebook import read_cells
from redink.records import Cell, Result, SubmissionId, Walls
from redink.student.points import score_report
from redink.student.terminal import run_checks
from redink.texts import clean

_VARIABLES = ("PATH", "HOME", "SYSTEMROOT", "LANG", "TMPDIR", "TEMP", "VIRTUAL_ENV", "LD_LIBRARY_PATH")


def check_at_home(folder: Path, submission: Submission) -> tuple[Result, Sequence[Cell]]:
    """Check a notebook beside the files of a handout of ours; its own folder is not looked at."""
    spec = read_spec(folder)
    blank = blank_result(spec.slug, submission.name, spec.full_marks)
    with tempfile.TemporaryDirectory() as work:
        unpack({**read_handout(folder), f"{spec.slug}.ipynb": submission.data}, Path(work, spec.slug))
        bare = {name: os.environ[name] for name in _VARIABLES if name in os.environ}
        checked = run_checks(Path(work, spec.slug, f"{spec.slug}.ipynb"), environment=bare)
    if isinstance(checked, str):
        reason = clean(checked.replace(work, submission.name.file), 500)
        return msgspec.structs.replace(blank, state="ungradable", reason=reason), ()
    questions = tuple(score_report(one) for one in checked.questions if one.checks)
    return msgspec.structs.replace(blank, questions=questions, cells=checked.cells), read_cells(submission.data)


def blank_result(slug: str, name: SubmissionId, full: float) -> Result:
    """Return a result of which nothing is known yet."""
    return Result(
        assignment=slug,
        version="",
        secret=PUBLISHED_NAME,
        submission=name,
        state="graded",
        reason=None,
        score=0.0,
        max_score=full,
        questions=(),
        cells=(),
        box=Walls(),
        cpu_seconds=0.0,
        wall_seconds=0.0,
    )
