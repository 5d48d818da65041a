"""What is published was computed on one machine, and students have others: it must not hang on the last digit.

Another machine is played by switches of the libraries, which make them compute with the instructions of an older processor.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from redink.assignment.published import Published
from redink.grader.answer_key.open_key import OpenKey
from redink.grader.assignment.assignment import read_assignment
from redink.grader.author.build import published, published_key
from redink.grader.course import Course
from redink.grader.sandbox import environment, template
from redink.grader.workers.workers import workers_for
from redink.judging.answers import read_answer
from redink.judging.verdicts import same

COURSE = Course.find(Path(__file__).parent)
OLDER = {
    "OPENBLAS_CORETYPE": "Nehalem",
    "NPY_DISABLE_CPU_FEATURES": "X86_V3",
    "ATEN_CPU_CAPABILITY": "default",
    "MKL_CBWR": "COMPATIBLE",
    "ONEDNN_MAX_CPU_ISA": "SSE41",
}


@pytest.mark.slow
@pytest.mark.parametrize("slug", COURSE.slugs())
def test_an_older_processor_gives_what_is_published(slug, monkeypatch):
    monkeypatch.setattr(template, "clean_environment", lambda folder: environment.clean_environment(folder) | OLDER)
    assignment = read_assignment(COURSE, slug)
    stored = msgspec.json.decode((assignment.folder / "published.json").read_bytes(), type=Published)
    with workers_for(COURSE, slug, jobs=2) as workers:
        key = published_key(assignment, workers)
    found = published(key, assignment)
    opened = OpenKey(key, assignment.checks)
    asked = {one.id: one for part in key.parts for one in opened.asked(part.check)}

    def differing(one, other):
        assert one.keys() == other.keys()
        answers = {id: (read_answer(one[id]), read_answer(other[id])) for id in one}
        return [id for id, pair in answers.items() if not same(asked[id].check, *pair, asked[id].inputs)]

    assert differing(stored.expected, found.expected) == []
    there = {one.id: one.gives for one in found.misconceptions}
    assert there.keys() == {one.id for one in stored.misconceptions}
    assert {one.id: odd for one in stored.misconceptions if (odd := differing(one.gives, there[one.id]))} == {}
