"""A real judge under fire: whatever a box may have said, there is an assessment, no undeserved point, and no growth."""

from __future__ import annotations

import itertools
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from redink.errors import WireError
from redink.grader.answer_key.key import AnswerKey, Part, decode_key, encode_key
from redink.grader.digests import digest
from redink.grader.evidence.packing import pack_observations, pack_sources
from redink.grader.workers.judge_process import Assess, JudgeProcess
from redink.records import Cell, CellRun, Observation
from redink.wire import Opaque, Table, TupleList, decode, encode
from tests.test_fuzz import frames, fuzzed

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the grader needs Linux")

MOST_MEMORY = 500_000  # kilobytes
texts = st.text(max_size=30) | st.sampled_from(["\x1b[2J", "a\nb", "\u202e", "| 100 |", "<b>", "\ud800", " " * 5000])
shapes = hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4)
dtypes = st.sampled_from(["float64", "float32", "float16", "int64", "uint8", "bool", "complex128", "complex64"])
arrays = dtypes.flatmap(lambda dtype: hnp.arrays(dtype, shapes))
keys = texts | st.integers() | st.booleans() | st.none() | st.tuples(st.integers(), st.integers())
things = (
    st.decimals(allow_nan=False, allow_infinity=False)
    | st.fractions()
    | st.dates()
    | st.datetimes()
    | st.timedeltas()
    | st.sets(keys, max_size=4)
    | st.frozensets(st.decimals(allow_nan=False) | st.floats() | st.dates(), max_size=4)
    | hnp.arrays("datetime64[us]", shapes)
)
columns = st.lists(texts | st.floats() | st.none(), max_size=4) | hnp.arrays("float64", st.integers(0, 4))
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**50), 10**50)
    | st.floats()
    | texts
    | arrays
    | st.builds(Opaque, texts)
    | things,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(keys, inner, max_size=4)
        | st.lists(inner, max_size=4).map(TupleList)
        | st.builds(
            lambda name, column, series: Table([(name, column)], column, (None,), series), keys, columns, st.booleans()
        )
    ),
    max_leaves=8,
)
WARPS = {  # ways to return something close to the right answer
    "scaled": lambda x, f: np.multiply(x, f),
    "shifted": lambda x, f: np.add(x, f),
    "half": lambda x, f: np.multiply(x, f).astype(np.float16),
    "single": lambda x, f: np.multiply(x, f).astype(np.float32),
    "transposed": lambda x, f: np.asarray(x).T * f,
    "longer": lambda x, f: np.concatenate([np.ravel(x), [f]]),
    "stretched": lambda x, f: np.tile(np.asarray(x) * f, (3, 1)),
    "listed": lambda x, f: (np.asarray(x) * f).tolist(),
    "objects": lambda x, f: (np.asarray(x) * f).astype(object),
    "complex": lambda x, f: np.asarray(x) * complex(f, 1e-3),
    "with nan": lambda x, f: np.where(np.arange(np.size(x)).reshape(np.shape(x)) == 0, np.nan, x),
    "truncated": lambda x, f: np.trunc(np.asarray(x) * 10).astype(np.int8),
    "nested": lambda x, f: [[x]],
    "empty": lambda x, f: np.asarray(x)[:0],
}
warped = st.tuples(st.sampled_from(sorted(WARPS)), st.floats(0.99, 1.01).filter(lambda f: abs(f - 1) > 2e-3))
answers = warped | values.map(encode) | frames | st.sampled_from(["raised", "timeout", "died", "missing", "too_large"])
several = warped.map(lambda one: [one]) | st.lists(answers, min_size=1, max_size=6)
cases = st.tuples(several, st.lists(texts, max_size=3))


@pytest.fixture(scope="module")
def key(graded_course: Path) -> AnswerKey:
    (path,) = (graded_course / ".redink" / "keys").iterdir()
    return decode_key(path.read_bytes(), str(path))


@pytest.fixture(scope="module", autouse=True)
def judge(key: AnswerKey) -> Iterator[JudgeProcess]:
    global _judge, _key
    _key, _judge = key, JudgeProcess(encode_key(key))
    yield _judge
    _judge.close()


_key: AnswerKey
_judge: JudgeProcess


def observation(answer: Any, expected: Observation) -> Observation:
    if isinstance(answer, bytes):
        return Observation(status="returned", value=answer, modified=("X",))
    if isinstance(answer, str):
        return Observation(status=answer, error=f"ValueError: {answer}")  # type: ignore[arg-type]
    return Observation(status="returned", value=encode(_warp(answer, decode(expected.value))))


def _warp(how: tuple[str, float], right: Any) -> Any:
    name, factor = how
    if isinstance(right, list):
        return [_warp(how, part) for part in right]
    return WARPS[name](right, factor) if isinstance(right, np.ndarray | float) else name


def is_right(seen: Observation, expected: Observation) -> bool:
    """Tell by simple means whether an answer deserves anything."""
    try:
        got, wanted = decode(seen.value), decode(expected.value)
    except WireError:
        return False
    return seen.status == "returned" and _alike(got, wanted)


def _alike(got: Any, wanted: Any) -> bool:
    if isinstance(wanted, list):
        return isinstance(got, list | np.ndarray) and len(got) == len(wanted) and all(map(_alike, got, wanted))
    if isinstance(wanted, str):
        return isinstance(got, str) and got.strip().casefold() == wanted
    try:
        array = np.asarray(got, dtype=complex)
    except (TypeError, ValueError, OverflowError):
        return False
    return array.shape == np.shape(wanted) and bool(np.all(np.abs(array - wanted) <= 5e-4 * np.abs(wanted).max()))


@fuzzed(cases)
def test_any_answers_are_assessed_and_none_is_paid_for_nothing(case: Any) -> None:
    given, words = case
    turn = itertools.cycle(given)
    seen: dict[str, list[Observation]] = {}
    for part in _key.parts:
        seen[part.check] = [observation(next(turn), expected) for expected in part.expected]
    contents = {check: pack_observations(each) for check, each in seen.items()}
    cells = tuple(
        CellRun(index=place, status="error", error=word.encode("utf-8", "replace").decode())
        for place, word in enumerate(words)
    )
    order = Assess(
        sources=pack_sources([Cell(index=1, source="def centre(X): pass")]),
        cells=cells,
        digests={check: digest(content) for check, content in contents.items()},
        contents=contents,
    )
    assessment = _judge.assess(order).assessment
    passed = {one.id for question in assessment.questions for one in question.checks if one.verdict == "passed"}
    parts: dict[str, Part] = _key.of_check
    for check in passed:
        assert all(is_right(got, wanted) for got, wanted in zip(seen[check], parts[check].expected, strict=True)), check
    assert all(len(one.message) < 20_000 for question in assessment.questions for one in question.checks)
    msgspec.json.encode(assessment)


def test_the_judge_that_was_under_fire_has_not_grown_nor_died(judge: JudgeProcess) -> None:
    peak = re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{judge.pid}/status").read_text())
    assert peak is not None
    assert int(peak[1]) < MOST_MEMORY
