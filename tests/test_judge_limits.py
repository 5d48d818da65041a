"""The judge under limits: answers that are dear to judge cost their own check, and neither the grader's time nor memory.

The authors' functions here do what an answer tells them, which real ones must not: each stands for a kind of cost.
"""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from redink.box import scratch
from redink.errors import BoxError
from redink.grader.answer_key.key import AnswerKey, decode_key, encode_key
from redink.grader.answer_key.open_key import OpenKey
from redink.grader.digests import digest
from redink.grader.evidence.packing import pack_observations, pack_sources
from redink.grader.sandbox import pidfds
from redink.grader.workers import judge_process
from redink.grader.workers.judge_process import MOST_KEPT, Assess, Assessed, JudgeProcess
from redink.grader.workers.judge_template import JudgeTemplate
from redink.records import Cell, Observation, QuestionResult
from redink.wire import encode
from tests.conftest import Desk, _built, _keep_secret

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the grader needs Linux")

MOST_MEMORY = 500 << 20
QUESTIONS = {  # a question, and what its `then` does with the answer
    "counts": "np.bincount([seen])",
    "fills": "[0] * seen",
    "spins": "[None for _ in range(seen)] if seen < 10 else sum(1 for _ in range(seen))",
    "nests": "_down(seen)",
    "convolves": "np.convolve(np.ones(seen), np.ones(seen))",
}
CHECK = '''
@check("{id}", trials=2)
def {id}_well():
    """It does what it should."""
    return {{}}


@{id}_well.when
def _(student):
    return student.{id}()


@{id}_well.then
def _(seen):
    assert seen == 3 or ({act}) is None
'''
HEAD = """
import numpy as np

from redink.checks import check


def _down(depth):
    return _down(depth - 1) if depth else None
"""
TOML = """
title = "Dear"
slug = "dear"
minutes = 1
"""
QUESTION = """
[[questions]]
id = "{id}"
title = "{id}"
points = 20
asks = ["{id}"]
"""


@pytest.fixture(scope="session")
def dear_course(shared: Any) -> Path:
    """A course whose checks cost what the answer says."""

    def fill(root: Path) -> None:
        master = "# %% [markdown]\n# # Dear\n\n# %%\nfrom redink import check\n"
        for id in QUESTIONS:
            master += f"\n# %%\ndef {id}():\n    ### BEGIN SOLUTION\n    return 3\n    ### END SOLUTION\n"
            master += f"\n# %%\ncheck('{id}')\n"
        files = {
            "assignments/dear/assignment.toml": TOML + "".join(QUESTION.format(id=id) for id in QUESTIONS),
            "assignments/dear/checks.py": HEAD + "".join(CHECK.format(id=i, act=act) for i, act in QUESTIONS.items()),
            "solutions/dear/dear.py": master,
            "solutions/dear/hidden_checks.py": "",
            "solutions/dear/misconceptions.py": "",
            "solutions/dear/alternatives.py": "",
        }
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text.lstrip("\n"), encoding="utf-8")
        _built(root, "dear")
        _keep_secret(root)
        Desk(root, "dear").hand_in("honest")
        assert Desk(root, "dear").grade("class")["honest"]["score"] == 100

    return shared("dear", fill)


@pytest.fixture(scope="module")
def key(dear_course: Path) -> AnswerKey:
    (path,) = (dear_course / ".redink" / "keys").iterdir()
    return decode_key(path.read_bytes(), str(path))


@pytest.fixture
def judge(key: AnswerKey) -> Iterator[JudgeProcess]:
    made = JudgeProcess(encode_key(key))
    yield made
    made.close()


def assess(
    judge: JudgeProcess, key: AnswerKey, cells: Sequence[Cell] = (), **answers: Any
) -> dict[str, QuestionResult]:
    """Have answers judged that are all 3 but for these."""
    contents = {}
    for part in key.parts:
        value = encode(answers.get(part.question, 3))
        contents[part.check] = pack_observations([Observation(status="returned", value=value)] * len(part.trials))
    digests = {check: digest(content) for check, content in contents.items()}
    order = Assess(sources=pack_sources(cells), cells=(), digests=digests, contents=contents)
    return {one.id: one for one in judge.assess(order).assessment.questions}


def peak_memory(judge: JudgeProcess) -> int:
    status = Path(f"/proc/{judge.pid}/status").read_text()
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    assert found is not None
    return int(found[1]) * 1024


def lost(found: dict[str, QuestionResult]) -> dict[str, str]:
    return {id: one.checks[0].message for id, one in found.items() if one.score < one.max_score}


@pytest.mark.parametrize(
    ("question", "answer", "says"),
    [
        ("counts", 10**12, "Expected 3, got|too much memory"),
        ("counts", 2 * 10**8, "Expected 3, got|too much memory"),
        ("fills", 10**10, "Expected 3, got|too much memory"),
        ("nests", 10**6, "Expected 3, got 1000000"),
        ("spins", 10**13, "too much time"),
        ("counts", [[3] * 1000] * 1000, "Expected"),
    ],
)
def test_a_dear_answer_costs_its_own_check(judge, key, question, answer, says):
    found = assess(judge, key, **{question: answer})
    assert list(lost(found)) == [question]
    assert re.search(says, lost(found)[question]), lost(found)
    assert found[question].score == 0
    assert peak_memory(judge) < MOST_MEMORY
    assert lost(assess(judge, key)) == {}  # the same judge goes on


def test_many_dear_answers_end_when_the_time_of_all_is_over(judge, key):
    found = assess(judge, key, spins=10**13, fills=10**10, nests=10**9, counts=10**12)
    assert {"spins", "fills", "nests", "counts"} <= set(lost(found))
    assert lost(assess(judge, key)) == {}


def test_what_one_submission_wrote_takes_no_memory_from_the_next(judge, key):
    for number in range(2):  # each leaves 40 MB to a judge that remembers what it has read
        cells = [Cell(index=i, source=f"# {number}, {i}\n" + "a=a\n" * 1000) for i in range(1, 61)]
        assert set(lost(assess(judge, key, cells, counts=4, fills=4))) == {"counts", "fills"}
    assess(judge, key)
    assert judge._data() < judge._size + MOST_KEPT // 2


def test_a_judge_that_keeps_much_memory_is_replaced(judge, key, monkeypatch):
    assess(judge, key)
    first, held = judge.pid, os.pidfd_open(judge.pid)
    assess(judge, key)
    assert judge.pid == first
    monkeypatch.setattr(judge_process, "MOST_KEPT", -1)
    assess(judge, key)
    assert judge._socket is None
    assert pidfds.has_ended(held, 0)
    os.close(held)
    assert lost(assess(judge, key)) == {}


@pytest.mark.slow
def test_what_cannot_be_interrupted_is_ended_and_no_grade(judge, key):
    assess(judge, key)
    with pytest.raises(BoxError, match="took far too long to judge"):
        assess(judge, key, convolves=3_000_000)  # hours, without a look at any signal
    assert lost(assess(judge, key)) == {}


def test_a_judge_that_is_killed_answers_all_the_same(judge, key):
    assess(judge, key)
    os.kill(judge.pid, signal.SIGKILL)
    assert lost(assess(judge, key, counts=10**12)) != {}


def test_a_template_that_is_killed_costs_nothing(judge, key):
    assess(judge, key)
    kill_template_of(judge)
    assert lost(assess(judge, key)) == {}  # the judge goes on
    os.kill(judge.pid, signal.SIGKILL)
    assert lost(assess(judge, key)) == {}  # and another template is made for the next one


def test_a_template_whose_owner_has_gone_ends_and_its_judges_go_on(key):
    template = JudgeTemplate(encode_key(key))
    judge, other = (JudgeProcess(encode_key(key), template.address) for _ in range(2))
    assert lost(assess(judge, key)) == {}
    assert lost(assess(other, key)) == {}
    assert judge.pid != other.pid
    template.close()
    assert template._process.returncode == 0
    assert lost(assess(judge, key)) == {}
    judge.close()
    assert lost(assess(other, key)) == {}
    other.close()
    assert not Path(template.address).parent.exists()


def test_the_folder_of_a_template_is_held_while_it_lives(judge, key):
    assess(judge, key)
    assert judge._own is not None
    folder = Path(judge._own.address).parent
    assert scratch._is_held(folder)  # or another grader, which may not look at this process, would remove it
    kill_template_of(judge)
    judge.close()
    assert not folder.exists()


def test_an_assessment_that_is_given_up_in_the_middle_leaves_nothing_to_the_next_one(judge, key):
    def find(wanted: Any) -> bytes | None:
        raise KeyError(wanted.name)

    order = Assess(sources=pack_sources(()), cells=(), digests={part.check: "x" for part in key.parts})
    with pytest.raises(KeyError):
        judge.assess(order, find)
    assert lost(assess(judge, key)) == {}


def test_a_key_that_cannot_be_loaded_is_told_by_every_judge(key):
    judge = JudgeProcess(encode_key(key)[:-5])
    for _ in range(2):
        with pytest.raises(BoxError, match="is no answer key, or it is damaged"):
            judge.read(b"{}")
    judge.close()


def kill_template_of(judge: JudgeProcess) -> None:
    assert judge._own is not None
    os.kill(judge._own._process.pid, signal.SIGKILL)
    judge._own._process.wait()


def test_a_judge_whose_driver_has_gone_ends(key):
    judge = JudgeProcess(encode_key(key))
    assess(judge, key)
    held = os.pidfd_open(judge.pid)
    judge._socket.close()  # type: ignore[union-attr]
    assert pidfds.has_ended(held, 30)
    os.close(held)
    judge.close()


def test_what_is_stored_is_asked_for_only_when_it_is_needed(judge, key):
    content = pack_observations([Observation(status="returned", value=encode(3))] * len(key.parts[0].trials))
    digests = {part.check: digest(content) for part in key.parts}
    wanted = []

    def find(one: Any) -> bytes | None:
        wanted.append((one.what, one.name))
        return content if one.what == "content" else None

    order = Assess(sources=pack_sources(()), cells=(), digests=digests, remembers=True)
    first = judge.assess(order, find)
    assert isinstance(first, Assessed)
    assert first.assessment.score == 100
    assert {name for what, name in wanted if what == "content"} == set(digests)
    wanted.clear()
    again = Assess(sources=order.sources, cells=(), digests=digests, before=first.assessment, remembers=True)
    assert judge.assess(again, find).assessment == first.assessment
    assert wanted == []


def test_a_content_that_is_nowhere_is_our_failure_and_the_judge_goes_on(judge, key):
    order = Assess(sources=pack_sources(()), cells=(), digests={part.check: "x" for part in key.parts})
    with pytest.raises(BoxError, match="did not foresee"):
        judge.assess(order)
    assert lost(assess(judge, key)) == {}


def test_the_checks_are_loaded_with_the_key_and_not_on_the_time_of_the_first_submission(key):
    opened = OpenKey(key)
    opened.load()
    assert set(opened.__dict__["checks"]) == {part.check for part in key.parts}
