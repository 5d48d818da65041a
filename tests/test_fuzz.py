"""Strangers' bytes: whatever is thrown at the wire decoder and the notebook loader ends in a value or in a sentence."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from redink import wire
from redink.box import protocol
from redink.checks import close
from redink.checks.comparing import notes
from redink.checks.language import Check
from redink.errors import SubmissionError, WireError
from redink.grader.sandbox.sanitise import sane_observation, sane_run
from redink.judging.answers import Answer, read_answer
from redink.judging.feedback import show
from redink.judging.mistakes import fingerprint
from redink.judging.verdicts import judge, same
from redink.notebook import read_cells
from redink.records import Cell, CellRun, Limits, Observation, Request

FEW, MANY = 150, 10_000
REQUEST = Request(id="r", when="", inputs=wire.encode({"X": 1}))


def fuzzed(strategy: st.SearchStrategy[Any]) -> Any:
    """Run a test few times in `make test`, and many times at night."""

    def decorate(test: Any) -> Any:
        def make(count: int) -> Any:
            quick = settings(max_examples=count, deadline=None, suppress_health_check=list(HealthCheck), database=None)
            return quick(given(strategy)(test))

        def both(fuzz: Any) -> None:
            fuzz()

        sizes = [pytest.param(make(FEW), id="few"), pytest.param(make(MANY), id="many", marks=pytest.mark.slow)]
        return pytest.mark.parametrize("fuzz", sizes)(both)

    return decorate


leaves = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats()
    | st.text(max_size=20)
    | st.binary(max_size=30)
)
extensions = st.builds(msgspec.msgpack.Ext, st.integers(-128, 127) | st.integers(1, 12), st.binary(max_size=60))
written = st.builds(
    lambda tag, text: msgspec.msgpack.Ext(tag, text.encode()),
    st.integers(10, 12),
    st.from_regex(r"-?[0-9]{1,9}(\.[0-9]{1,5})?(E[+-][0-9]{1,6})?", fullmatch=True)
    | st.from_regex(r"-?[0-9]{1,30}/[0-9]{1,30}", fullmatch=True)
    | st.from_regex(r"[dtcs]-?[0-9]{1,9}[,-][0-9]{1,5}[,-][0-9]{1,6}", fullmatch=True)
    | st.datetimes().map(lambda moment: f"t{moment.isoformat()}"),
)
arrays = st.builds(
    lambda tag, dtype, shape, raw: msgspec.msgpack.Ext(tag, msgspec.msgpack.encode((dtype, shape, raw))),
    st.sampled_from([1, 2]),
    st.sampled_from(["float64", "bool", "object", "int8", "complex128", "<U4", "float16", "datetime64[s]", ""]),
    st.lists(st.integers(-2, 2**40), max_size=40),
    st.binary(max_size=64),
)
keys = st.text(max_size=8) | st.integers(-(2**63), 2**63) | st.booleans()


def nested(tag: int, content: Any) -> msgspec.msgpack.Ext:
    return msgspec.msgpack.Ext(tag, msgspec.msgpack.encode(content))


def collected(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Make sets and tuples, and what only says that it is one."""
    return st.builds(nested, st.integers(6, 9), st.lists(inner, max_size=5) | inner)


def tables(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Make tables, most of them nearly right."""
    columns = st.lists(st.lists(leaves, min_size=2, max_size=2) | inner, min_size=0, max_size=3)
    names = st.lists(st.text(max_size=3) | st.none(), min_size=0, max_size=2)
    pairs = st.lists(st.tuples(keys, st.lists(leaves, min_size=2, max_size=2) | inner), max_size=3)
    index = st.lists(leaves, min_size=2, max_size=2) | inner
    return st.builds(nested, st.just(9), st.tuples(st.booleans(), names, index, pairs | columns))


trees = st.recursive(
    leaves | extensions | arrays | written,
    lambda inner: (
        st.lists(inner, max_size=5) | st.dictionaries(keys, inner, max_size=4) | collected(inner) | tables(inner)
    ),
    max_leaves=30,
)
packed = trees.map(msgspec.msgpack.encode)
cut = st.builds(lambda data, at: data[: at % (len(data) + 1)], packed, st.integers(0, 10_000))
frames = st.binary(max_size=300) | packed | cut


@fuzzed(frames)
def test_any_bytes_decode_to_plain_data_or_are_refused(data: bytes) -> None:
    try:
        value = wire.decode(data)
    except WireError as error:
        assert str(error)
        return
    wire.decode(wire.encode(value))


@fuzzed(frames)
def test_any_value_in_a_reply_is_an_observation(data: bytes) -> None:
    reply = protocol.Reply(id="r", status="returned", value=data, modified="X,zzz", calls=data)
    seen = sane_observation(reply, REQUEST, 200)
    assert seen.status == ("returned" if len(data) <= 200 else "too_large")
    assert set(seen.modified) <= {"X"}


messages = st.fixed_dictionaries(
    {"type": st.sampled_from(["reply", "cell", "runner_ended", "walls_raised", "x"])},
    optional={
        "id": st.text(max_size=5) | leaves,
        "status": st.sampled_from(["returned", "raised", "ok", "passed"]) | leaves,
        "value": trees,
        "run": st.dictionaries(st.sampled_from(["index", "status", "error", "output", "cpu_seconds"]), leaves),
        "code": leaves,
        "modified": st.lists(leaves, max_size=3),
        "score": leaves,
    },
).map(msgspec.msgpack.encode)


@fuzzed(messages | frames)
def test_any_message_is_understood_or_refused_as_one_kind_of_error(data: bytes) -> None:
    try:
        message = protocol.from_box(data)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return
    if isinstance(message, protocol.CellDone):
        assert isinstance(sane_run(message.run, Limits(), 10), CellRun)


json_leaves = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
json_trees = st.recursive(
    json_leaves, lambda x: st.lists(x, max_size=4) | st.dictionaries(st.text(max_size=6), x, max_size=4)
)
some_cells = st.lists(
    st.fixed_dictionaries(
        {"cell_type": st.sampled_from(["code", "markdown", "raw"]) | json_leaves},
        optional={
            "source": st.text(max_size=40) | st.lists(st.text(max_size=9), max_size=4) | json_trees,
            "metadata": json_trees,
        },
    )
    | json_trees,
    max_size=6,
)
notebooks = st.fixed_dictionaries(
    {"cells": some_cells | json_trees}, optional={"nbformat": json_leaves, "worksheets": json_trees}
)
texts = (notebooks | json_trees).map(lambda tree: json.dumps(tree).encode("utf-8", "surrogatepass"))
documents = (
    texts
    | st.binary(max_size=200)
    | st.builds(lambda data, at: data[: at % (len(data) + 1)], texts, st.integers(0, 999))
)


@fuzzed(documents)
def test_any_document_gives_cells_or_a_sentence(data: bytes) -> None:
    try:
        cells = read_cells(data)
    except SubmissionError as error:
        assert str(error) and "\n" not in str(error)
        return
    assert all(isinstance(cell, Cell) and isinstance(cell.source, str) for cell in cells)
    msgspec.msgpack.encode(cells)


answers = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats()
    | st.complex_numbers()
    | st.text(max_size=5)
    | hnp.arrays(
        st.sampled_from([np.float64, np.float32, np.int64, np.uint8, np.bool_, np.complex128]),
        hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3),
    ),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@fuzzed(st.tuples(answers, answers, st.booleans()))
def test_any_answer_against_any_expected_one_ends_in_a_verdict(case):
    seen, expected, judged = (wire.encode(case[0]), wire.decode(wire.encode(case[1])), case[2])
    plain = Check("q", lambda: None, kind="call", calls="f", trials=1, weight=1, tol=1e-8, covers="")
    if judged:
        plain.then(lambda seen, expected: close(seen, expected))
    verdict = judge(plain, read_answer(Observation(status="returned", value=seen)), expected, {})
    assert verdict.verdict in ("passed", "failed")
    assert bool(verdict.message) == (verdict.verdict == "failed")


def deeper(value, times):
    for _ in range(times):
        value = [value]
    return value


right = st.builds(
    lambda seed, shape: np.random.default_rng(seed).uniform(1, 2, size=shape),
    st.integers(0, 99),
    hnp.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=4),
)
WHOLE = {  # the same answer in another form
    "itself": lambda x, n: x,
    "lists": lambda x, n: x.tolist(),
    "rows": lambda x, n: list(x),
    "single": lambda x, n: x.astype("f4"),
    "objects": lambda x, n: x.astype(object),
    "complex": lambda x, n: x + 0j,
    "long": lambda x, n: x.astype(np.longdouble),
}
BROKEN = {  # another answer, however alike
    "half of a wrong one": lambda x, n: (0.99 * x).astype("f2"),
    "single of a wrong one": lambda x, n: (0.999 * x).astype("f4"),
    "half in lists": lambda x, n: [list(np.ravel(0.99 * x).astype("f2"))],
    "halves": lambda x, n: (0.992 * x).astype("f2").tolist(),
    "longer": lambda x, n: np.concatenate([x] * (2 + n)),
    "much longer": lambda x, n: np.concatenate([x] * 5000),
    "deeper": lambda x, n: deeper(x, 1 + n % 50),
    "wider": lambda x, n: [x.tolist()] * (2 + 100 * n),
    "empty": lambda x, n: x[:0],
    "rows of nothing": lambda x, n: np.zeros((10**n, 0)),
    "a text": lambda x, n: "1.5" * 10**n,
    "a key": lambda x, n: {"x": x},
    "keys": lambda x, n: {(k, "k" * k): x for k in range(2 + 100 * n)},
    "ragged": lambda x, n: [*x.tolist(), [1.0] * n, [[2.0]]],
    "digits": lambda x, n: [10**4200] * (2 + n),
    "booleans": lambda x, n: x > 0,
    "masked": lambda x, n: np.ma.masked_array(x, x > 0),
    "nan": lambda x, n: np.full(x.shape, np.nan),
    "an object": lambda x, n: [len, x],
    "one wrong": lambda x, n: x + 1e-3 * (x == x.max()),
}
around = {
    "alone": lambda value: value,
    "in a list": lambda value: [value, 5],
    "in a dict": lambda value: {"w": value, "b": "x"},
}


@fuzzed(
    st.tuples(
        right, st.sampled_from([*WHOLE, *BROKEN]), st.integers(0, 6), st.sampled_from([*around]), st.integers(0, 2)
    )
)
def test_an_answer_passes_only_if_it_is_the_expected_one(case):
    truth, how, size, place, kind = case
    seen = wire.decode(wire.encode(around[place]((WHOLE | BROKEN)[how](truth, size))))
    expected = wire.decode(wire.encode(around[place](truth)))
    made = Check("q", lambda: None, kind="call", calls="f", trials=1, weight=1, tol=1e-8, covers="")
    if kind == 1:
        made.then(lambda seen, expected: close(seen, expected))
    if kind == 2:
        made.view(lambda seen: seen)
    one, other = Answer("returned", seen), Answer("returned", expected)
    verdict = judge(made, one, expected, {})
    assert verdict.verdict == ("passed" if how in WHOLE else "failed"), verdict.message
    assert same(made, one, other, {}) == (how in WHOLE)
    assert all(text.isprintable() for text in (verdict.message, *notes(seen, expected), show(seen)))
    assert len(verdict.message) < 400
    assert len(fingerprint([(made, one, expected, {})])) == 16
