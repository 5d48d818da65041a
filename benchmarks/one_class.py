"""One class, from its first grading to a changed tolerance: what a submission costs, how that grows, what is done again.

Everybody hands in the solved notebook with a cell that makes all answers differ in their last digits, so nothing can be
reused between two of them. It is the unfriendly case, also for the gradebook; `gradebook_kb` measures the friendly one too.
"""

from __future__ import annotations

import contextlib
import re
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path

from figures import Figure, show
from measuring import Cost, bare, copied, grade, kept_key, run, write_class

from redink.grader.assignment.assignment import read_assignment
from redink.grader.author.build import solved_notebook
from redink.grader.course import Course

SLUG = "perceptron"
OTHERS = """
def _otherwise(function):
    return lambda *given: function(*given) * (1 + {number} * 1e-12)
margin, radius, scores, sigmoid = map(_otherwise, (margin, radius, scores, sigmoid))
"""
LOOK_AT = "student0000.ipynb"


def figures(few: int = 100, many: int = 1_000, repeats: int = 3) -> Iterator[Figure]:
    """Grade classes of `few` and `many`."""
    with tempfile.TemporaryDirectory() as name:
        course = copied(Path(name), SLUG)
        text = solved_notebook(read_assignment(course, SLUG))
        one, two = (write_class(course, name, text, count, OTHERS) for name, count in (("one", 1), ("two", 2)))
        small, large = (
            write_class(course, name, text, count, OTHERS) for name, count in (("few", few), ("many", many))
        )
        making = grade(course, SLUG, one)
        single = min(grade(course, SLUG, one) for _ in range(repeats))
        alone, together = (min(grade(course, SLUG, two, jobs) for _ in range(repeats)) for jobs in (1, 2))
        first = grade(course, SLUG, small, book="few.sqlite")
        marginal, own = (first.cpu - single.cpu) / (few - 1), (first.coordinator - single.coordinator) / (few - 1)
        floor = bare(kept_key(course, SLUG), one / LOOK_AT)
        yield Figure("bare_ms", floor * 1e3, "ms", SLUG, note="the same cells and calls in one warm process")
        yield Figure("marginal_ms", marginal * 1e3, "ms", SLUG, at_most=(1.25 * floor + 0.025) * 1e3)
        yield Figure("in_the_box_ms", in_boxes(course.root / "few.sqlite") / few * 1e3, "ms", SLUG)
        yield Figure("coordinator_ms", own * 1e3, "ms", SLUG, at_most=5)
        start = single.cpu - marginal
        yield Figure("first_worker_s", start, "s", at_most=4, note="start-up with a kept answer key")
        yield Figure("further_worker_s", together.cpu - alone.cpu, "s", at_most=0.1)
        yield Figure("answer_key_s", making.cpu - single.cpu, "s", SLUG, note="once a class, with every misconception")
        both = grade(course, SLUG, small, jobs=2)
        note = f"{few} different notebooks; CPU of all {both.cpu / first.cpu:.2f} times that of one"
        yield Figure("speedup_2_jobs", first.wall / both.wall, at_least=1.8, note=note)
        yield from _gradebook(course, text, few)
        whole = grade(course, SLUG, large, jobs=2, book="many.sqlite")
        yield from _growth((few, many), both, whole, start)
        yield from _again(course, large, many, whole)


def _gradebook(course: Course, text: str, count: int) -> Iterator[Figure]:
    grade(course, SLUG, write_class(course, "friendly", text, count), jobs=2, book="friendly.sqlite")
    for what, book in (("answers alike", "friendly"), ("all differ", "few")):
        yield Figure("gradebook_kb", size_of(course.root / f"{book}.sqlite") / count / 1e3, "kB", what, at_most=40)


def _again(course: Course, submissions: Path, count: int, first: Cost) -> Iterator[Figure]:
    book = course.root / "many.sqlite"
    again = grade(course, SLUG, submissions, book=book.name)
    yield Figure(
        "regrade_gain", first.cpu / again.cpu, at_least=100, note=f"{count} again, unchanged: {again.cpu:.2f} s"
    )
    before = judgements(book)
    loosen(course)
    rejudged = run(course, "rejudge", SLUG, "--gradebook", book)
    assert judgements(book) - before == count, "one judgement each was to be made anew"
    note = f"{count} after one tolerance changed: {rejudged.cpu:.2f} s"
    yield Figure("rejudge_gain", first.cpu / rejudged.cpu, at_least=50, note=note)


def _growth(sizes: tuple[int, int], first: Cost, whole: Cost, start: float) -> Iterator[Figure]:
    few, many = sizes
    note = f"{many} took {whole.cpu:.0f} s of CPU, {whole.wall:.0f} s on two cores; both without the start"
    grown = (whole.cpu - start) / (first.cpu - start)
    yield Figure(f"growth_{many}_vs_{few}", grown, at_most=1.05 * many / few, note=note)
    note = f"peak of the coordinator: {whole.memory:.0f} MB, {first.memory:.0f} MB"
    yield Figure(f"memory_{many}_vs_{few}", whole.memory / first.memory, at_most=1.1, note=note)


def loosen(course: Course) -> None:
    """Double the tolerance of one check in the file."""
    path = course.assignments / SLUG / "checks.py"
    text, count = re.subn(r"(@check\([^\n]*tol=)1e-5", r"\g<1>2e-5", path.read_text(encoding="utf-8"), count=1)
    assert count == 1
    path.write_text(text, encoding="utf-8")


def judgements(book: Path) -> int:
    """Count the judgements in a gradebook."""
    return int(_ask(book, "SELECT count(*) FROM judgements"))


def in_boxes(book: Path) -> float:
    """Add up the CPU seconds of all boxes."""
    return float(_ask(book, "SELECT sum(cpu_seconds) FROM runs"))


def size_of(book: Path) -> float:
    """Return the bytes of a gradebook, with what is in its -wal."""
    return float(_ask(book, "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"))


def _ask(book: Path, question: str) -> float:
    with contextlib.closing(sqlite3.connect(book)) as db:
        return float(db.execute(question).fetchone()[0])


if __name__ == "__main__":
    show(figures())
