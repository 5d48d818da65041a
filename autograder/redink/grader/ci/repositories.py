"""The course's own job: everybody's repository is collected and graded, and each gets one result file, ready to push.

What has not changed is not graded again: the same notebook, by the same key, has its file already. When everybody's time
is over the key is another one, hidden checks included, and so every file is written anew.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import msgspec

from redink.errors import CourseError
from redink.grader.ci.github import summary
from redink.grader.ci.grading import GradedBy, Here, finished, settings, shown
from redink.grader.ci.outcome import CiOutcome
from redink.grader.pages.packing import page_name
from redink.grader.pipeline.collect import collect
from redink.grader.pipeline.job import Done, Job
from redink.grader.pipeline.load import Submission, load
from redink.grader.workers.workers import Workers
from redink.records import Record, Result, Results


class StudentResult(Record, frozen=True):
    """What became of one student's repository; `reused` if its file was there."""

    student: str
    outcome: CiOutcome
    reused: bool = False


def grade_repositories(
    source: Path, grader: GradedBy, target: Path, *, allow_weak: bool = False
) -> Iterator[StudentResult]:
    """Grade a list of repositories, or a folder of clones; where we fail, an older file stays as it is."""
    spec, key = grader.spec, grader.key()
    collected = collect(spec.slug, source, names_asked=spec.all_names())
    box = settings(grader, (str(source.resolve()), str(target.resolve())), allow_weak=allow_weak)
    folder = target / spec.slug
    folder.mkdir(parents=True, exist_ok=True)
    settled: list[StudentResult] = []

    def jobs() -> Iterator[tuple[Submission, Job]]:
        for found in collected.found:
            submission = load(found)
            before = _before(folder / f"{page_name(submission.name.id)}.json")
            if before is not None and _is_same(before, submission, (key.version, key.secret)):
                settled.append(_told(grader, before, reused=True))
            elif submission.reason is not None:
                done = Done(state="ungradable", reason=submission.reason)
                settled.append(_told(grader, finished(grader, key, submission, done)))
            else:
                yield msgspec.structs.replace(submission, data=b""), Job(notebook=submission.data, key="", box=box)

    with Workers(1, box, executor=Here()) as workers:
        for submission, done in workers.grade(key, jobs()):
            settled.append(_told(grader, finished(grader, key, submission, done)))
    for one in sorted(settled, key=lambda one: one.student):
        if not one.reused and one.outcome.result.state != "internal_error":
            _write(folder / f"{page_name(one.student)}", one.outcome)
        yield one


def _told(grader: GradedBy, result: Result, *, reused: bool = False) -> StudentResult:
    return StudentResult(student=result.submission.id, outcome=shown(grader, result), reused=reused)


def _before(path: Path) -> Result | None:
    """Read the result that was written before; one that cannot be read is as good as none."""
    with contextlib.suppress(OSError, msgspec.MsgspecError, ValueError):
        (result,) = msgspec.json.decode(path.read_bytes(), type=Results).results
        return result
    return None


def _is_same(before: Result, submission: Submission, key: tuple[str, str]) -> bool:
    handed = submission.name
    same_file = (before.submission.sha256, before.submission.file) == (handed.sha256, handed.file)
    return same_file and (before.version, before.secret) == key and submission.reason in (None, before.reason)


def _write(path: Path, outcome: CiOutcome) -> None:
    """Write a result for programs and for its reader."""
    data = msgspec.json.format(msgspec.json.encode(Results(results=(outcome.result,))), indent=1) + b"\n"
    try:
        path.with_name(f"{path.name}.json").write_bytes(data)
        path.with_name(f"{path.name}.md").write_text(summary([outcome]), encoding="utf-8")
    except OSError as error:
        raise CourseError(f"{path}.json cannot be written: {error.strerror}") from error
