"""What an answer key leads to expect of a submission: the reference's cells and answers, and full marks.

The gradebook writes what came as what differs from it, and keeps it (store/shorthand.py): so nothing of a student may
ever be in it, and no result depends on it.
"""

from __future__ import annotations

import msgspec

from redink.assignment.sharing import rounded_points, share_points
from redink.assignment.spec import Question
from redink.grader.answer_key.key import AnswerKey
from redink.grader.evidence.packing import pack_observations
from redink.grader.store.shorthand import Expected
from redink.records import Cell, CellRun, CheckResult, QuestionResult, Result, SubmissionId, Walls


def expected_of(key: AnswerKey) -> Expected:
    """Return what is expected; zlib looks back 32 kB, so what is likeliest stands last."""
    hints = "\n".join(one.hint for one in key.misconceptions)
    explorations = [Cell(index=0, source=source) for source in sorted(key.explorations)]
    return Expected(
        result=hints.encode() + msgspec.msgpack.encode(_full_marks(key)),
        sources=msgspec.msgpack.encode([*explorations, *key.reference]),
        observations={part.check: pack_observations(part.expected) for part in key.parts},
    )


def _full_marks(key: AnswerKey) -> Result:
    return Result(
        assignment=key.slug,
        version=key.version,
        secret=key.secret,
        submission=SubmissionId(id="", file="", sha256=""),
        state="graded",
        reason=None,
        score=key.spec.full_marks,
        max_score=key.spec.full_marks,
        questions=tuple(_passed(key, question) for question in key.spec.questions),
        cells=tuple(CellRun(index=cell.index, status="ok") for cell in key.reference),
        box=Walls(),
        cpu_seconds=0.0,
        wall_seconds=0.0,
    )


def _passed(key: AnswerKey, question: Question) -> QuestionResult:
    parts = [part for part in key.parts if part.question == question.id]
    shares = map(rounded_points, share_points(question.points, [part.weight for part in parts]))
    checks = tuple(
        CheckResult(
            id=part.check, visibility=part.visibility, verdict="passed", score=share, max_score=share, message=""
        )
        for part, share in zip(parts, shares, strict=True)
    )
    points = float(question.points)
    return QuestionResult(
        id=question.id,
        title=question.title,
        tier=question.tier,
        score=points,
        max_score=points,
        hint=None,
        checks=checks,
    )
