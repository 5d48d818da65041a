"""Assessing is pure: the same key and evidence give the same assessment, and unknown mistakes have names that stay."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from redink.checks import check
from redink.grader.answer_key.key import AnswerKey, WrongAnswers, decode_key
from redink.grader.answer_key.open_key import OpenKey
from redink.grader.digests import digest
from redink.grader.evidence.evidence import Evidence
from redink.grader.evidence.packing import pack_observations, unpack_observations
from redink.grader.pipeline import judge as judging
from redink.grader.pipeline.assess import assess
from redink.grader.pipeline.judge import Memory
from redink.judging.answers import Answer, read_answer
from redink.judging.diagnosing import Asked
from redink.judging.mistakes import fingerprint
from redink.notebook import read_cells
from redink.records import Assessment, CellRun, Observation, QuestionResult
from redink.wire import Opaque, decode, encode
from tests.in_the_gradebook import contents_of

RUN_OF = """
SELECT runs.id, cells FROM runs JOIN submissions ON submissions.id = submission JOIN students ON students.id = student
WHERE students.name = ?
"""


class Seen:
    """What the gradebook holds of one submission."""

    def __init__(self, course: Path, student: str) -> None:
        self.sources = read_cells((course / "class" / student / "little.ipynb").read_bytes())
        with sqlite3.connect(course / ".redink" / "gradebook.sqlite") as db:
            ((run, cells),) = db.execute(RUN_OF, (student,)).fetchall()
            self.contents = contents_of(db, run)
        self.cells: Sequence[CellRun] = msgspec.msgpack.decode(zlib.decompress(cells), type=tuple[CellRun, ...])

    def evidence(self, contents: Mapping[str, bytes] | None = None) -> Evidence:
        seen = self.contents if contents is None else contents
        return Evidence(
            sources=lambda: self.sources,
            cells=self.cells,
            digests={check: digest(content) for check, content in seen.items()},
            observations=lambda check: unpack_observations(seen[check]),
        )

    def unread(self) -> Evidence:
        """The same evidence, of which nothing may be read."""
        return Evidence(
            sources=lambda: self.sources,
            cells=self.cells,
            digests={check: digest(content) for check, content in self.contents.items()},
            observations=_refuse,
        )


def _refuse(check: str) -> NoReturn:
    raise AssertionError(f"{check} was judged again")


@pytest.fixture(scope="module")
def kept(graded_course: Path) -> AnswerKey:
    (path,) = (graded_course / ".redink" / "keys").iterdir()
    return decode_key(path.read_bytes(), str(path))


@pytest.fixture
def key(kept: AnswerKey) -> OpenKey:
    return OpenKey(kept)


def question(assessment: Assessment, id: str) -> QuestionResult:
    return next(one for one in assessment.questions if one.id == id)


# -- the same again --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("student", ["ada_right", "believes_in_rows", "unknown_mistake_1", "syntax_error", "ben_blank"])
def test_the_same_key_and_evidence_give_the_same_assessment(graded_course, kept, student, results):
    seen = Seen(graded_course, student)
    once, again = (assess(OpenKey(kept), seen.evidence(), Memory()) for _ in range(2))
    assert once == again
    assert msgspec.json.encode(once.questions) == msgspec.json.encode(results[student]["questions"])


@pytest.mark.parametrize("student", ["ada_right", "believes_in_rows", "unknown_mistake_1", "syntax_error", "ben_blank"])
def test_what_answers_as_the_reference_does_is_judged_once_for_all_and_gets_the_same(
    graded_course, kept, student, monkeypatch
):
    seen = Seen(graded_course, student)
    once = assess(OpenKey(kept), seen.evidence(), Memory())
    monkeypatch.setattr(judging, "_is_expected", lambda answer, wanted: False)
    assert assess(OpenKey(kept), seen.evidence(), Memory()) == once


def test_only_the_very_same_bytes_returned_without_a_change_in_place_are_the_references_answer():
    asked = Asked(id="adds/p0", check=None, inputs={}, expected=1.5, data=encode(1.5))
    same = read_answer(Observation(status="returned", value=encode(1.5)))
    assert judging._is_expected(same, asked)
    assert not judging._is_expected(same._replace(modified=("x",)), asked)
    assert not judging._is_expected(
        read_answer(Observation(status="returned", value=encode(np.nextafter(1.5, 2)))), asked
    )
    assert not judging._is_expected(Answer(status="raised", data=encode(1.5)), asked)


def test_what_is_remembered_changes_nothing(graded_course, kept):
    seen = Seen(graded_course, "believes_in_rows")
    memory = Memory()
    first = assess(OpenKey(kept), seen.evidence(), memory)
    second = Memory(memory.new)
    assert assess(OpenKey(kept), seen.evidence(), second) == first
    assert memory.new
    assert second.new == {}


def test_a_question_on_the_same_basis_keeps_its_outcome_and_is_not_judged(graded_course, key):
    seen = Seen(graded_course, "unknown_mistake_1")
    before = assess(key, seen.evidence(), Memory())
    memory = Memory()
    assert assess(key, seen.unread(), memory, before) == before
    assert memory.new == {}
    with pytest.raises(AssertionError, match="judged again"):
        assess(key, seen.unread(), Memory())


def test_only_the_question_whose_basis_changed_is_judged_again(graded_course, kept, key):
    seen = Seen(graded_course, "ada_right")
    before = assess(key, seen.evidence(), Memory())
    part = msgspec.structs.replace(kept.of_check["has_unit_spread"], judged_by="another rule")
    parts = tuple(part if one.check == part.check else one for one in kept.parts)
    memory = Memory()
    after = assess(OpenKey(msgspec.structs.replace(kept, parts=parts)), seen.evidence(), memory, before)
    assert after.questions == before.questions
    assert {id for id in after.bases if after.bases[id] != before.bases[id]} == {"scale"}
    assert len(memory.new) == 2  # both checks of that question


def test_another_answer_is_another_basis(graded_course, key):
    right, wrong = Seen(graded_course, "ada_right"), Seen(graded_course, "unknown_mistake_1")
    before = assess(key, right.evidence(), Memory())
    after = assess(key, wrong.evidence(), Memory(), before)
    assert question(after, "scale").score == 0.0
    assert after == assess(key, wrong.evidence(), Memory())


def test_a_question_that_was_not_seen_keeps_its_earlier_outcome(graded_course, key):
    seen = Seen(graded_course, "believes_in_variance")
    before = assess(key, seen.evidence(), Memory())
    rest = {check: content for check, content in seen.contents.items() if check != "has_unit_spread"}
    assert assess(key, seen.evidence(rest), Memory(), before) == before


# -- one bug is charged once -----------------------------------------------------------------------------------------


def test_an_error_is_carried_forward(graded_course, key):
    assessment = assess(key, Seen(graded_course, "believes_in_rows").evidence(), Memory())
    assert question(assessment, "centre").hint is not None
    assert [question(assessment, id).score for id in ("centre", "scale", "ideas")] == [0.0, 40.0, 20.0]


def test_an_error_that_is_no_longer_known_is_no_longer_carried(graded_course, kept, key):
    seen = Seen(graded_course, "believes_in_rows")
    before = assess(key, seen.evidence(), Memory())
    others = tuple(one for one in kept.misconceptions if one.id != "takes_the_mean_over_rows")
    fewer = OpenKey(msgspec.structs.replace(kept, misconceptions=others))
    after = assess(fewer, seen.evidence(), Memory(), before)
    assert question(after, "centre").hint is None
    assert question(after, "scale").score == 0.0
    assert after == assess(fewer, seen.evidence(), Memory())


# -- mistakes that nobody has named ----------------------------------------------------------------------------------


def test_equal_unknown_mistakes_have_one_name_and_others_another(graded_course, key):
    names = {
        student: assess(key, Seen(graded_course, student).evidence(), Memory()).mistakes.get("scale", "")
        for student in ("unknown_mistake_1", "unknown_mistake_2", "tells_tales", "ada_right", "ben_blank")
    }
    assert names["unknown_mistake_1"] == names["unknown_mistake_2"] != ""
    assert names["tells_tales"] not in ("", names["unknown_mistake_1"])
    assert names["ada_right"] == names["ben_blank"] == ""


def test_what_could_not_be_tried_is_no_unknown_mistake(graded_course, key):
    seen = Seen(graded_course, "ada_right")
    untried = Observation(status="raised", error="NotImplementedError: Cannot copy out of meta tensor; no data!")
    wrong = Observation(status="raised", error="ValueError: no")
    for one, mistaken in ((untried, False), (wrong, True)):
        trials = unpack_observations(seen.contents["ignores_the_unit_of_measure"])
        changed = seen.contents | {"ignores_the_unit_of_measure": pack_observations([one for _ in trials])}
        assessment = assess(key, seen.evidence(changed), Memory())
        assert question(assessment, "scale").score < question(assessment, "scale").max_score
        assert ("scale" in assessment.mistakes) == mistaken


def test_rounding_noise_changes_no_name(graded_course, key):
    seen = Seen(graded_course, "unknown_mistake_1")
    noisy = dict(seen.contents)
    for id in ("has_unit_spread", "ignores_the_unit_of_measure"):
        noisy[id] = pack_observations([_noisy(one) for one in unpack_observations(seen.contents[id])])
        assert noisy[id] != seen.contents[id]
    name = assess(key, seen.evidence(), Memory()).mistakes["scale"]
    assert assess(key, seen.evidence(noisy), Memory()).mistakes["scale"] == name


def _noisy(seen: Observation) -> Observation:
    value = decode(seen.value)
    shaken = [one * (1 + 1e-12) for one in value] if isinstance(value, list) else value * (1 + 1e-12)
    return msgspec.structs.replace(seen, value=encode(shaken))


@check("q")
def anything():
    """A sentence."""


def name_of(value: object) -> str:
    answer = read_answer(Observation(status="returned", value=encode(value)))
    return fingerprint([(anything, answer, None, {})])


@pytest.mark.parametrize(
    "value",
    [
        float("nan"), float("inf"), -float("inf"), np.array([np.nan, np.inf, -np.inf, 1.0]), np.zeros((0, 3)), np.array([]),
        10**400, -(10**400), [10**400, 1.0], 2**63, True, None, "", "Grüße \ud800", 1j, complex(np.nan, np.inf),
        np.array([1 + 1j, np.nan]), {}, {1: 2}, {None: 1, (1, 2): [3], "": {}}, {float("nan"): 1}, object(), Opaque("Thing"),
        [[], [[]], {}], np.array(["a", "b"]), np.array([True, False]), np.float16(1e4), np.array(5e-324),
        np.array([1.7e308, -1.7e308]), np.array(2**63, dtype=np.uint64), np.array(3), np.arange(3, dtype=np.int8),
    ],
    ids=lambda value: str(value).partition(" at 0x")[0],
)  # fmt: skip
def test_every_answer_has_a_name(value):
    assert len(name_of(value)) == 16
    assert name_of(value) == name_of(value)


def test_answers_that_differ_have_names_that_differ():
    values: list[Any] = [
        None, 0.0, 1.0, -1.0, 2.0, 1.5, float("nan"), float("inf"), -float("inf"), "1", "", True, 10**400, -(10**400),
        10**401, [], [1.0], [1.0, 2.0], [2.0, 1.0], {}, {"a": 1.0}, {"b": 1.0}, np.zeros((0, 3)), np.zeros((3, 0)),
        np.ones((1, 2)), np.ones((2, 1)), np.array([np.nan, 1.0]), np.array([1.0, np.nan]), np.array([np.inf, 1.0]),
        np.array([-np.inf, 1.0]), 1j, -1j, Opaque("A"), Opaque("B"),
    ]  # fmt: skip
    names = [name_of(value) for value in values]
    same = [(a, b) for n, a in enumerate(values) for m, b in enumerate(values) if n < m and names[n] == names[m]]
    assert same == []


def test_the_order_of_a_dict_makes_no_other_name():
    assert name_of({"a": 1.0, "b": 2.0}) == name_of({"b": 2.0, "a": 1.0})


@settings(max_examples=200, deadline=None)
@given(
    hnp.arrays(np.float64, hnp.array_shapes(max_dims=2, max_side=4), elements=st.sampled_from([0, 1, 2, 3, 0.5, 7, -1]))
)
def test_noise_of_the_last_digits_makes_no_other_name_for_simple_numbers(array):
    assert name_of(array) == name_of(array * (1 + 1e-12)) == name_of(array * (1 - 1e-12))


_ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.complex_numbers(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3) | st.integers(), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=200, deadline=None)
@given(_ODD)
def test_no_answer_is_too_odd_for_a_name(value):
    assert len(name_of(value)) == 16


@pytest.mark.parametrize("status", ["raised", "timeout", "died", "missing", "too_large", "unreachable"])
def test_an_answer_that_never_came_has_a_name_of_its_kind(status):
    def name(error: str) -> str:
        return fingerprint([(anything, Answer(status, None, error), None, {})])

    assert name("ValueError: 3") == name("ValueError: 4") != name("KeyError: 3")


def test_an_answer_as_long_as_a_known_wrong_one_is_read(kept: AnswerKey) -> None:
    part = kept.parts[0]
    long = Observation(status="returned", value=encode([0.5] * 30_000))
    known = WrongAnswers(made_from="", answers={part.trials[0].id: long})
    longer = msgspec.structs.replace(part, wrong={"believes_in_long_lists": known})
    knowing = OpenKey(msgspec.structs.replace(kept, parts=(longer, *kept.parts[1:])))
    for key, status in ((OpenKey(kept), "too_large"), (knowing, "returned")):
        evidence = Evidence(sources=tuple, cells=(), digests={}, observations=lambda check: [long])
        assert [one.status for one in evidence.answers(part.check, key.most_parts(part.check))] == [status]
