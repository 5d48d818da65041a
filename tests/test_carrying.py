"""One bug is charged once, also one that no bank knows: the reference tries the later question with the student's error."""

from __future__ import annotations

import json
import shutil
import sqlite3
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pandas as pd
import pytest

from redink import wire
from redink.box import processes, protocol
from redink.box.agreeing import agree
from redink.box.borrowing import CannotBorrow, _change
from redink.box.protocol import Borrow, Lent, RunnerEnded
from redink.grader.answer_key.key import decode_key, encode_key
from redink.grader.pipeline.carry import RAISED
from redink.grader.sandbox.client import Zygote
from redink.grader.sandbox.sanitise import sane_observation
from redink.grader.workers import borrowing
from redink.grader.workers.borrowing import Lending
from redink.records import Cell, LentCount, Limits, Observation, Request
from tests.conftest import CENTRE, SCALE, Desk, read_results

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the box needs Linux")

MEDIAN = "def centre(X):\n    return X - np.median(X, axis=0) + 0.5"
RIGHT = "def scale(X):\n    centred = centre(X)\n    return centred / np.sqrt((centred * centred).mean(axis=0))"
OWN_BUG = RIGHT.replace("np.sqrt", "3 + np.sqrt")
LISTS = "def centre(X):\n    return (X - np.median(X, axis=0)).tolist()"
GIVEN = "right, given the error in centre, which is charged there"
LENT = """import dis, sys, time
def is_lent():
    return any(one.opname == 'BUILD_LIST' for one in dis.get_instructions(sys._getframe(2).f_code))
"""  # a call that is lent returns its arguments too, in a list: that can be seen, and nobody promises that it cannot
HOSTILE = LENT + "def centre(X):\n    if is_lent():\n        {act}\n    return X - np.median(X, axis=0) + 0.5"
LOOT = "LOOT of somebody"

STUDENTS: dict[str, dict[int, str]] = {
    "right": {},
    "early": {CENTRE: MEDIAN},
    "both": {CENTRE: MEDIAN, SCALE: OWN_BUG},
    "late": {SCALE: OWN_BUG},
    "empty": {CENTRE: MEDIAN, SCALE: "def scale(X):\n    return centre(X) * 0.0"},
    "own_copy": {CENTRE: MEDIAN, SCALE: RIGHT.replace("centre(X)", "X - np.median(X, axis=0) + 0.5")},
    "constant": {CENTRE: "def centre(X):\n    return X * 0.0", SCALE: RIGHT},
    "lazy": {CENTRE: "def centre(X):\n    return X", SCALE: "def scale(X):\n    return centre(X)"},
    "nothing": {CENTRE: "def centre(X):\n    X - X.mean(axis=0)", SCALE: RIGHT.replace("centre(X)", "centre(X) or 0.0 * X")},
    "raises": {CENTRE: "def centre(X):\n    raise ValueError(X[0, 0])"},
    "lists": {CENTRE: LISTS, SCALE: RIGHT},
    "other_error": {CENTRE: LISTS, SCALE: RIGHT + " / np.zeros(7)"},
    "error_of_nothing": {CENTRE: LISTS, SCALE: "def scale(X):\n    raise TypeError(centre(X)[0][0])"},
    "unwritten_later": {CENTRE: LISTS, SCALE: "def scale(X):\n    raise NotImplementedError(centre(X))"},
    "raises_when_lent": {CENTRE: HOSTILE.format(act="raise ValueError('no')"), SCALE: (
        "def scale(X):\n    centre(X)\n    raise ValueError('no')")},
    "unwritten": {CENTRE: "def centre(X):\n    raise NotImplementedError", SCALE: "def scale(X):\n    return X"},
    "in_place": {CENTRE: "def centre(X):\n    X -= np.median(X, axis=0)\n    return X"},
    "in_place_alone": {CENTRE: "def centre(X):\n    X -= X.mean(axis=0)\n    return X"},
    "not_data": {CENTRE: HOSTILE.format(act="return np.ma.masked_less(X, 0)")},
    "other_each_time": {CENTRE: "drawn = np.random.default_rng()\ndef centre(X):\n    return X - drawn.normal()"},
    "sleeps": {CENTRE: HOSTILE.format(act="time.sleep(1000)")},
    "huge": {CENTRE: HOSTILE.format(act="return np.ones(3_000_000)")},
    "leaves": {CENTRE: HOSTILE.format(act="import os; os._exit(0)")},
    "tells": {CENTRE: HOSTILE.format(
        act=f"print({LOOT!r}, X); open('loot', 'w').write({LOOT!r}); raise ValueError({LOOT!r}, X)")},
    "steers": {CENTRE: HOSTILE.format(act="return X * np.nan"), SCALE: "def scale(X):\n    return centre(X) * np.nan"},
    "talks": {CENTRE: HOSTILE.format(
        act="import os, msgspec; data = msgspec.msgpack.encode(dict(type='borrow', name='centre', inputs=b'')); "
            "os.write(3, len(data).to_bytes(8, 'little') + data)")},
}  # fmt: skip
MORE = "takes or returns more than plain data"
CANNOT = "could not be tried with the error in centre ({why}): a person should look"
ENDED = CANNOT.format(why="it took too long, returned too much, or ended its process")
SAME = "not tried with the error in centre, where all answers are the same: a person should look"
OUTCOMES: dict[str, tuple[float, float, str]] = {  # points for centre and scale, and what is noted in scale
    "right": (40, 40, ""),
    "early": (0, 40, GIVEN),
    "both": (0, 0, ""),
    "late": (40, 0, ""),
    "empty": (0, 0, ""),
    "own_copy": (0, 0, ""),
    "constant": (0, 0, SAME),
    "lazy": (0, 0, ""),
    "nothing": (0, 0, SAME),
    "raises": (0, 0, ""),
    "lists": (0, 40, f"{GIVEN}\n{RAISED}"),
    "other_error": (0, 40, f"{GIVEN}\n{RAISED}"),
    "error_of_nothing": (0, 0, ""),
    "unwritten_later": (0, 0, ""),
    "raises_when_lent": (0, 0, ""),
    "unwritten": (0, 0, ""),
    "in_place": (0, 40, f"{GIVEN}\nchanged its input X in place, which is charged in centre"),
    "in_place_alone": (20, 40, "changed its input X in place, which is charged in centre"),
    "not_data": (0, 0, CANNOT.format(why=f"centre {MORE}")),
    "other_each_time": (0, 0, ""),
    "sleeps": (0, 0, ENDED),
    "huge": (0, 0, ENDED),
    "leaves": (0, 0, ENDED),
    "tells": (0, 0, ""),
    "steers": (
        0,
        0,
        "follows from the error in centre, but so might the answer of an empty function: a person should look",
    ),
    "talks": (0, 0, ENDED),
}

HOPELESS = (
    "right",
    "late",
    "in_place_alone",
    "own_copy",
    "constant",
    "nothing",
    "raises",
    "unwritten",
    "unwritten_later",
)  # of whom there is nothing to try


def scores(result: Mapping[str, Any]) -> tuple[float, float]:
    found = {one["id"]: one["score"] for one in result["questions"]}
    return found["centre"], found["scale"]


def notes(result: Mapping[str, Any]) -> set[str]:
    """List what is noted of `scale`, apart from notes on its published inputs."""
    checks = next(one["checks"] for one in result["questions"] if one["id"] == "scale")
    return {note for check in checks for note in check["notes"] if "in centre" in note or note == RAISED}


BORROWED = "check_number IN (SELECT id FROM checks WHERE name LIKE '% with %')"


def tried(desk: Desk) -> list[str]:
    """List what was stored of the reference with borrowed functions."""
    with sqlite3.connect(f"file:{desk.book}?mode=ro", uri=True) as book:
        return [name for (name,) in book.execute("SELECT check_id FROM observations WHERE check_id LIKE '% with %'")]


def timeless(results: Mapping[str, Any]) -> list[dict[str, Any]]:
    times = ("cpu_seconds", "wall_seconds", "box", "cells")
    return [{key: value for key, value in results[name].items() if key not in times} for name in sorted(results)]


@pytest.fixture(scope="module")
def graded_once(shared: Any, little_course: Path) -> Path:
    """A class of early, late and hostile errors, graded once by one worker."""

    def fill(root: Path) -> None:
        shutil.copytree(little_course, root, dirs_exist_ok=True)
        desk = Desk(root, "little")
        desk.edit(desk.assignment / "assignment.toml", "check_cpu = 0.3", "check_cpu = 0.3\nvalue_bytes = 20000000")
        for name, changes in STUDENTS.items():
            desk.hand_in(name, changes)
        desk.grade("class", "--jobs", 1)

    return shared("carrying", fill)


@pytest.fixture(scope="module")
def found(graded_once: Path) -> dict[str, Any]:
    return read_results(graded_once / "out.json")


@pytest.fixture
def desk(graded_once: Path, tmp_path: Path) -> Desk:
    shutil.copytree(graded_once, tmp_path / "course", symlinks=True)
    return Desk(tmp_path / "course", "little")


@pytest.mark.parametrize("name", OUTCOMES)
def test_an_error_is_charged_where_it_is_made_and_nowhere_else(found, name):
    *points, note = OUTCOMES[name]
    assert scores(found[name]) == tuple(points)
    assert notes(found[name]) == set(note.splitlines())


def test_nothing_that_a_lent_function_says_is_kept(graded_once, found):
    assert "ValueError" not in json.dumps(found["tells"])
    for path in (graded_once / "out.json", *(graded_once / ".redink").glob("gradebook.sqlite*")):
        assert path.read_bytes().count(LOOT.encode()) == 0


def test_only_what_failed_after_an_error_is_tried(graded_once):
    names = tried(Desk(graded_once, "little"))
    assert set(names) == {"has_unit_spread with centre", "ignores_the_unit_of_measure with centre"}
    assert len(names) == 2 * (len(STUDENTS) - len(HOPELESS))


def test_the_number_of_workers_changes_nothing(desk, found):
    desk.book.unlink()
    some = {"early", "both", "empty", "steers", "other_each_time", "in_place", "right", "leaves"}
    for name in STUDENTS.keys() - some:
        shutil.rmtree(desk.root / "class" / name)
    wanted = {name: result for name, result in found.items() if name in some}
    assert timeless(desk.grade("class", "--jobs", 3)) == timeless(wanted)


def test_judging_again_keeps_it_and_runs_nobodys_code(desk, found):
    done = desk.redink("rejudge", "little", "--apply", "--json", "difference.json", boxes=False)
    assert done.returncode == 0, done.stderr
    assert json.loads((desk.root / "difference.json").read_bytes())["changes"] == []
    desk.edit(desk.assignment / "assignment.toml", 'title = "Scale the data"', 'title = "Scale all data"')
    assert desk.redink("rejudge", "little", "--apply", boxes=False).returncode == 0
    again = desk.grade("class", boxes=False)
    assert {name: scores(one) for name, one in again.items()} == {name: scores(one) for name, one in found.items()}
    assert notes(again["early"]) == {GIVEN}


def test_what_was_never_tried_is_said_and_the_next_grading_tries_it(desk):
    with sqlite3.connect(desk.book) as book:
        book.execute(f"DELETE FROM observed WHERE {BORROWED}")
    done = desk.redink("rejudge", "little", "--apply", boxes=False)
    assert "early 60 20 -40 scale 40 → 0" in " ".join(done.stdout.split())
    again = desk.grade("class/early")
    assert scores(again["early"]) == (0, 40)
    assert len(tried(desk)) == 2


def test_what_was_stored_in_another_form_counts_as_never_tried(desk):
    with sqlite3.connect(desk.book) as book:
        book.execute("DROP TRIGGER observed_stay_as_they_are")
        book.execute(f"UPDATE observed SET key = 'without counts' WHERE {BORROWED}")
    done = desk.redink("rejudge", "little", "--apply", boxes=False)
    assert "early 60 20 -40 scale 40 → 0" in " ".join(done.stdout.split())
    assert scores(desk.grade("class/early")["early"]) == (0, 40)


def test_a_key_without_the_reference_says_so(desk):
    (path,) = (desk.root / ".redink/keys").iterdir()
    key = decode_key(path.read_bytes(), str(path))
    assert key.reference
    path.write_bytes(encode_key(msgspec.structs.replace(key, reference=())))
    kept = desk.redink("rejudge", "little", boxes=False)
    assert "0 would change" in kept.stdout  # what was tried before still counts
    desk.book.unlink()
    result = desk.grade("class/early")["early"]
    assert scores(result) == (0, 0)
    assert notes(result) == {"not tried with the error in centre: this answer key has no reference"}
    assert tried(desk) == []


def test_too_many_calls_are_charged_and_left_to_a_person(little):
    little.edit(little.assignment / "assignment.toml", "check_cpu = 0.3", "check_cpu = 5")
    often = f"for _ in range({borrowing.MOST_CALLS + 1}):\n        centred = centre(X)"
    little.edit(little.solution / "little.py", "centred = centre(X)", often)
    little.hand_in("early", {CENTRE: MEDIAN})
    result = little.grade("class")["early"]
    assert scores(result) == (0, 0)
    assert notes(result) == {CANNOT.format(why="more than 2,000 calls")}


TOML_OF_BOTH = """
[[questions]]
id = "both"
title = "Both"
points = 10
asks = ["both"]
uses = ["centre", "scale"]
"""
CHECK_OF_BOTH = '''
@check("both", trials=2)
def adds_them(rng, trial):
    """It adds both."""
    return dict(X=rng.normal(size=(4 + trial, 3)))
'''
CELLS_OF_BOTH = """
# %%
def both(X):
    ### BEGIN SOLUTION
    return centre(X) + scale(X)
    ### END SOLUTION


# %%
check("both")
"""


def test_a_mistake_in_two_earlier_questions_is_carried_from_both(little):
    toml = little.assignment / "assignment.toml"
    toml.write_text(toml.read_text().replace("points = 20", "points = 10") + TOML_OF_BOTH)
    for path, more in (
        (little.assignment / "checks.py", CHECK_OF_BOTH),
        (little.solution / "little.py", CELLS_OF_BOTH),
    ):
        path.write_text(path.read_text() + more)
    little.hand_in("first", {CENTRE: MEDIAN})
    little.hand_in("both", {CENTRE: MEDIAN, SCALE: OWN_BUG})
    little.hand_in("known", {CENTRE: MEDIAN, SCALE: RIGHT.replace("np.sqrt", "")})
    results = little.grade("class")
    points = {name: [one["score"] for one in result["questions"]] for name, result in results.items()}
    assert points == {"first": [0, 40, 10, 10], "both": [0, 0, 10, 10], "known": [0, 0, 10, 10]}
    (check,) = results["both"]["questions"][3]["checks"]
    assert check["notes"] == ["right, given the errors in centre and scale, which are charged there"]


REAL = {  # bugs in early functions that no bank knows, and what else they reached before
    "ridge": {
        "return w, float(y_mean - x_mean @ w)": ("return w, float(y_mean - 0.5 * x_mean @ w)", "ridge", "choose"),
        "[:, None] ** np.arange(degree + 1)": ("** np.arange(degree + 1)[:, None]", "design", "growing"),  # it raises
        "W = along @ Vt": ("W = 0.9 * along @ Vt", "path", "experiment"),
    },
    "autoencoder": {
        "return sigmoid(X @ W.T + b)": ("return sigmoid(0.5 * (X @ W.T + b))", "tied", "stacked"),
        "R.T @ Z / len(X)": ("0.5 * R.T @ Z / len(X)", "linear", "experiment"),
    },
}


@pytest.mark.slow
@pytest.mark.parametrize("slug", REAL)
def test_a_new_bug_in_a_real_assignment_costs_its_own_question_alone(tmp_path, root, slug):
    for folder in ("assignments", "solutions"):
        shutil.copytree(root / folder / slug, tmp_path / folder / slug)
    real = Desk(tmp_path, slug)
    (tmp_path / ".redink").mkdir(mode=0o700)
    (tmp_path / ".redink/secret").write_text("a secret of its own")
    for old, (new, early, _) in REAL[slug].items():
        ((place, source),) = [(place, source) for place, source in real.sources().items() if old in source]
        real.hand_in(early, {place: source.replace(old, new)})
    results = real.grade("class")
    for _, early, late in REAL[slug].values():
        questions = {one["id"]: one for one in results[early]["questions"]}
        assert [id for id, one in questions.items() if one["score"] < one["max_score"]] == [early]
        told = {note for check in questions[late]["checks"] for note in check["notes"]}
        assert f"right, given the error in {early}, which is charged there" in told


# -- the two boxes -----------------------------------------------------------------------------------------------------


LIMITS = Limits(cell_cpu=2, check_cpu=2, total_cpu=20)
CALL = "def when(student, x):\n    return student.late(x)\n"


def ask(x: Any, **more: Any) -> Request:
    return Request(id="late/s0", when=CALL, inputs=wire.encode({"x": x}), borrows=("early",), **more)


def counts(seen: Observation) -> list[tuple[str, int, int]]:
    return [(one.name, one.calls, one.agreed) for one in seen.lent]


def observe(zygote: Zygote, source: str, lend: Any, x: Any = 1.0) -> Observation:
    cells = [Cell(index=1, source=source)]
    return zygote.observe(cells, [ask(x)], LIMITS, lend=lend).observations["late/s0"]


@pytest.fixture(scope="module")
def zygote() -> Any:
    with Zygote(torch=False, packages=("pandas",)) as made:
        yield made


@pytest.fixture(scope="module")
def students() -> Any:
    """Another zygote, for boxes that lend."""
    with Zygote(torch=False, packages=("pandas",)) as made:
        yield made


BOTH = "import numpy as np\ndef early(x, y=0):\n    return x + y\ndef late(x):\n    return 10 * early({given})\n"


def test_a_borrowed_call_is_answered_by_whoever_lends(zygote):
    asked = []

    def lend(borrow: Borrow) -> Lent:
        asked.append((borrow.name, wire.decode(borrow.inputs)))
        assert (borrow.places, borrow.names) == (("x",), ("y",))
        return Lent(status="returned", value=wire.encode([5.0, [1.0], {}]))

    seen = observe(zygote, BOTH.format(given="x, y=[np.float32(2), (3, None)]"), lend)
    assert wire.decode(seen.value) == 50.0
    assert asked == [("early", {"x": 1.0, "y": [2.0, [3, None]]})]


def lend_the_double_of_nine(borrow: Borrow) -> Lent:
    """Answer like `2 * x`, but for 9."""
    x = wire.decode(borrow.inputs)["x"]
    return Lent(status="returned", value=wire.encode([2 * x + (x == 9), [x], {}]))


TWICE = "def inner(x):\n    return 2 * x\ndef early(x):\n    return inner(x)\n"


def test_it_is_counted_how_often_a_lent_answer_is_the_references_own(zygote):
    late = "def late(x):\n    return [early(n) for n in (1.0, 9.0, x)]\n"
    seen = observe(zygote, TWICE + late, lend_the_double_of_nine)
    assert wire.decode(seen.value) == [2.0, 19.0, 2.0]
    assert counts(seen) == [("early", 3, 2)]


def test_the_references_own_answer_borrows_nothing_and_leaves_no_trace(zygote):
    source = "import random\nimport numpy as np\n"
    source += "def early(x):\n    x[0] = random.random() + np.random.random()\n    return x\n"
    late = "def late(x):\n    {call}\n    return [x, random.random(), np.random.random()]\n"
    lend = lambda borrow: Lent(status="returned", value=wire.encode([None, [np.zeros(2)], {}]))  # noqa: E731
    without, after = (
        observe(zygote, source + late.format(call=one), lend, np.zeros(2)) for one in ("pass", "early(x)")
    )
    assert without.value == after.value
    assert (counts(without), counts(after)) == ([], [("early", 1, 0)])
    nested = "def inner(x):\n    return early(x - 1) if x else 0.0\ndef early(x):\n    return inner(x)\n"
    lend = lambda borrow: Lent(status="returned", value=wire.encode([0.0, [3.0], {}]))  # noqa: E731
    assert counts(observe(zygote, nested + "def late(x):\n    return early(x)\n", lend, 3.0)) == [("early", 1, 1)]


def test_an_argument_that_only_the_lent_function_changes_is_another_answer(zygote):
    source = "def early(x):\n    return 1.0\ndef late(x):\n    early(x)\n    return x\n"
    for changed, agreed in ((True, 0), (False, 1)):
        lent = Lent(status="returned", value=wire.encode([1.0, [np.ones(2)], {}]), changed=changed)
        assert counts(observe(zygote, source, lambda borrow, lent=lent: lent, np.zeros(2))) == [("early", 1, agreed)]


def test_an_own_function_that_raises_agrees_with_nothing(zygote):
    source = "def early(x):\n    raise ValueError\ndef late(x):\n    return early(x)\n"
    assert counts(observe(zygote, source, lend_the_double_of_nine)) == [("early", 1, 0)]


def test_nobody_counts_who_did_not_borrow():
    lent = protocol.pack_counts(
        [LentCount(name="early", calls=1, agreed=1), LentCount(name="other", calls=1, agreed=1)]
    )
    reply = protocol.Reply(id="late/s0", status="returned", value=wire.encode(1.0), lent=lent)
    assert counts(sane_observation(reply, ask(1.0), 100)) == [("early", 1, 1)]
    student = Request(id="late/s0", when=CALL, inputs=b"")
    assert sane_observation(msgspec.structs.replace(reply, lent=b"garbage"), student, 100).lent == ()


ALIKE = [
    (1.0, 1.0 + 1e-9),
    (1, 1.0),
    (True, 1),
    (np.float32(1.0), 1.00001),
    ([1.0, 2.0], np.array([1.0, 2.0])),
    (np.array([1e-7, 1.0]), np.array([0.0, 1.0])),
    (1e-17, 0.0),
    ([np.nan, np.inf, None, "a"], [np.nan, np.inf, None, "a"]),
    ({"a": [1.0, (2, 3)]}, {"a": [1.0, [2, 3]]}),
    (10**40, 10**40),
    (1j, 1j),
    (pd.Series([1.0, 2.0], name="a"), pd.Series([1.0, 2.0 + 1e-9], name="b")),
    (pd.DataFrame({"a": [1], "b": ["x"]}), pd.DataFrame({"b": ["x"], "a": [1]})),
    (np.array(["2024-03-01", "NaT"], "M8[us]"), np.array(["2024-03-01", "NaT"], "M8[us]")),
]
UNLIKE = [
    (pd.Series([1.0, 2.0]), pd.Series([1.0, 2.0], index=[1, 2])),
    (pd.Series([1.0], name="a"), pd.DataFrame({"a": [1.0]})),
    (pd.DataFrame({"a": [1]}), {"a": [1]}),
    (np.array(["2024-03-01"], "M8[us]"), np.array(["2024-03-02"], "M8[us]")),
    (1.0, 1.00001),
    (1_000_001, 1_000_000),
    (np.zeros((2, 1)), np.zeros(2)),
    (0.0, np.zeros(1)),
    ([1.0], 1.0),
    (np.nan, 0.0),
    (0.0, np.nan),
    (np.inf, 1.0),
    (-np.inf, np.inf),
    (None, 0.0),
    ("1", 1),
    ([1.0, 2.0], [1.0]),
    ([[1.0], [1.0, 2.0]], np.ones((2, 2))),
    ({"a": 1}, {"b": 1}),
    ({"a": 1}, [1]),
    (10**40 + 1, 10**40),
    (slice(1), 1.0),
]


@pytest.mark.parametrize(("seen", "own"), ALIKE, ids=str)
def test_answers_that_differ_by_rounding_or_container_agree(seen, own):
    assert agree(*(wire.decode(wire.encode(one)) for one in (seen, own)))


@pytest.mark.parametrize(("seen", "own"), UNLIKE, ids=str)
def test_answers_that_are_built_otherwise_or_differ_by_more_do_not_agree(seen, own):
    assert not agree(*(wire.decode(wire.encode(one)) for one in (seen, own)))


def test_a_lent_call_has_the_names_of_an_ordinary_one(zygote):
    source = "import sys\ndef early(x, y=0):\n    frame = sys._getframe(1)\n"
    source += "    return sorted(frame.f_locals), frame.f_code.co_name\n"
    order = Borrow(name="early", inputs=wire.encode({"x": 1.0, "y": 2.0}), places=("x",), names=("y",))
    with zygote.held(), Lending(zygote, [Cell(index=1, source=source)], LIMITS, {}) as lending:
        lent = lending.lend(order)
    assert wire.decode(lent.value) == [[["student", "x", "y"], "when"], [1.0], {"y": 2.0}]


@pytest.mark.parametrize("given", ["lambda: x", "np.random.default_rng(0)", "iter([x])", "np.array([None])",
    "collections.Counter('a')", "{x: iter([x])}", "decimal.Decimal('nan')", "type('Own', (list,), {})()",
    "pd.Series(['a'], dtype='category')", "pd.DataFrame({'a': [iter([x])]})", "pd.Timestamp('2024-03-01')",
])  # fmt: skip
def test_what_is_not_plain_data_is_not_borrowed(zygote, given):
    seen = observe(zygote, IMPORTS + BOTH.format(given=given), lambda borrow: pytest.fail("it was sent"))
    assert (seen.status, seen.error) == ("raised", f"CannotBorrow: early {MORE}")


IMPORTS = "import collections, datetime, decimal, fractions\nimport numpy as np\nimport pandas as pd\n"
CROSSES = [
    "{1: x, (2, 3): 'a'}",
    "{(1, 2.5)}",
    "frozenset({1})",
    "decimal.Decimal('1.50')",
    "fractions.Fraction(1, 3)",
    "datetime.datetime(2024, 3, 1, 12)",
    "[datetime.date(2024, 3, 1), datetime.timedelta(3)]",
    "np.array(['2024-03-01'], dtype='datetime64[us]')",
    "(1, [2, (3,)])",
    "pd.Series([1.5, np.nan], index=['a', 'b'], name='s')",
    "pd.DataFrame({'n': [1, 2], 'word': ['a', None], 'day': pd.to_datetime(['2024-03-01'] * 2)}, index=[7, 5])",
    "pd.DataFrame({'g': [1, 1], 'h': [2, 3], 'v': [0.5, 1.5]}).groupby(['g', 'h']).sum()",
]


@pytest.mark.parametrize("given", CROSSES)
def test_whatever_crosses_whole_is_borrowed_and_comes_back_as_what_it_was(zygote, students, given):
    source = IMPORTS + f"def early(y):\n    return y\ndef late(x):\n    made = {given}\n    back = early(made)\n"
    source += "    return type(back) is type(made) and repr(back) == repr(made)\n"
    cells = [Cell(index=1, source=source)]
    with students.held(), Lending(students, cells, LIMITS, {}) as lending:
        seen = observe(zygote, source, lending.lend)
    assert (seen.error, seen.value) == ("", wire.encode(True))
    assert counts(seen) == [("early", 1, 1)]


def test_a_lent_table_that_cannot_be_put_together_is_no_answer(zygote):
    table = wire.Table([("a", [1, 2])], [(1, 2), (1, 3)], ["i", "j", "k"])
    lend = lambda borrow: Lent(status="returned", value=wire.encode([table, [1.0], {}]))  # noqa: E731
    assert observe(zygote, BOTH.format(given="x"), lend).error == f"CannotBorrow: early {MORE}"


def test_only_functions_are_borrowed(zygote):
    seen = observe(zygote, "early = dict\ndef late(x):\n    return early(x=x)\n", lambda borrow: pytest.fail("sent"))
    assert seen.error == "CannotBorrow: early is no function"


def test_the_reference_cannot_take_a_failure_for_an_answer(zygote):
    source = BOTH.format(given="x").replace("    return 10 *", "    try:\n        return").replace(
        "early(x)\n", "early(x)\n    except Exception:\n        return 7.0\n")  # fmt: skip
    for lent in (Lent(status="raised"), Lent(status="refused", why="of this")):
        assert observe(zygote, source, lambda borrow, lent=lent: lent).status == "raised"


def test_who_was_not_opened_to_borrow_is_refused_like_garbage(zygote):
    seen = observe(zygote, BOTH.format(given="x"), None)
    assert (seen.status, seen.error) == ("died", "disturbed its connection to the grader")


def test_a_name_that_was_not_agreed_on_is_not_lent(zygote):
    source = BOTH.format(given="x") + (
        "def late(x):\n    import os, msgspec\n"
        "    data = msgspec.msgpack.encode(dict(type='borrow', name='open', inputs=b''))\n"
        "    os.write(3, len(data).to_bytes(8, 'little') + data)\n    return 1.0\n"
    )
    assert observe(zygote, source, lambda borrow: pytest.fail("it was lent")).status == "died"


def test_a_lost_box_lends_nothing_more(zygote):
    source = "count = 0\ndef early(x):\n    global count\n    count += 1\n    if x > 1:\n        raise SystemExit\n"
    source += "    return count\ndef leave():\n    import os\n    os._exit(0)\n"
    inputs, nothing = wire.encode({"x": 1.0}), wire.encode({})
    with zygote.held(), Lending(zygote, [Cell(index=1, source=source)], LIMITS, {}) as lending:
        first, second = (lending.lend(Borrow(name="early", inputs=inputs, places=("x",))) for _ in range(2))
        assert [wire.decode(one.value)[0] for one in (first, second)] == [1, 2]  # one process answers all
        raised = lending.lend(Borrow(name="early", inputs=wire.encode({"x": 2.0}), names=("x",)))
        assert (raised.status, raised.value) == ("raised", b"")
        assert lending.lend(Borrow(name="missing", inputs=nothing)).status == "raised"
        left = lending.lend(Borrow(name="leave", inputs=nothing))
        assert (left.status, left.why) == ("refused", "it took too long, returned too much, or ended its process")
        assert lending.lend(Borrow(name="early", inputs=inputs, places=("x",))).status == "refused"
    assert zygote.observe([Cell(index=1, source="x = 1")], [], LIMITS).cells[0].status == "ok"


def test_a_lender_that_blames_other_programs_is_not_excused(zygote):
    message = protocol.pack(RunnerEnded(code=processes.NO_ROOM))
    source = f"import os\ndef early():\n    os.write(3, {len(message).to_bytes(8, 'little') + message!r})\n"
    with zygote.held(), Lending(zygote, [Cell(index=1, source=source)], LIMITS, {}) as lending:
        assert lending.lend(Borrow(name="early", inputs=wire.encode({}))).status == "refused"
    assert zygote.observe([Cell(index=1, source="x = 1")], [], LIMITS).cells[0].status == "ok"


def test_a_borrowed_function_changes_the_references_argument_too(zygote):
    def lend(borrow: Borrow) -> Lent:
        return Lent(status="returned", value=wire.encode([None, [np.full(2, 3.0)], {}]), changed=True)

    source = "def early(x):\n    pass\ndef late(x):\n    early(x)\n    return x.sum()\n"
    assert wire.decode(observe(zygote, source, lend, np.zeros(2)).value) == 6.0


def test_a_lender_that_answers_otherwise_is_refused(zygote):
    seen = observe(zygote, BOTH.format(given="x"), lambda borrow: Lent(status="returned", value=wire.encode([1.0])))
    assert seen.error == f"CannotBorrow: early {MORE}"


def test_the_references_own_arguments_are_changed_as_the_students_were():
    X, rows, number = np.zeros((2, 2)), [np.ones(2), 3, 1], np.arange(3)
    _change(
        [[X, rows], {"n": number, "k": 1}],
        [[np.full((2, 2), 7.0), [np.zeros(2), 1, 3]], {"n": number + 1, "k": 1}],
        "f",
    )
    assert (X == 7).all()
    assert (rows[0] == 0).all()
    assert rows[1:] == [1, 3]
    assert number.tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("own", "after"), [([1, 2], [2, 1, 3]), ({"a": 1}, {"b": 1, "a": 1}), (np.zeros(2), np.zeros(3)), ((1, 2), [2, 1])]
)
def test_what_is_no_array_of_the_same_shape_cannot_be_changed(own, after):
    with pytest.raises(CannotBorrow, match="f changes an argument in place in a way that cannot be repeated"):
        _change([[own], {}], [[after], {}], "f")


def test_where_only_the_notebook_uses_an_earlier_function_there_is_no_hint_but_a_word_for_a_person(little: Desk):
    """The reference does without `centre` here, so nothing can be tried; a hint might blame what is right."""
    little.edit(little.assignment / "assignment.toml", 'uses = ["centre"]\n', "")
    little.edit(little.solution / "little.py", "centred = centre(X)", "centred = X - np.mean(X, axis=0)")
    variance = "def scale(X):\n    centred = X - X.mean(axis=0)\n    return centred / (centred * centred).mean(axis=0)"
    little.hand_in("tangled", {CENTRE: MEDIAN, SCALE: RIGHT.replace("np.sqrt(", "(")})
    little.hand_in("apart", {CENTRE: MEDIAN, SCALE: variance})
    graded = little.grade("class")
    tangled, apart = (graded[name]["questions"][1] for name in ("tangled", "apart"))
    told = "uses code of centre, whose error may be all that is wrong here: a person should look"
    assert all(told in check["notes"] for check in tangled["checks"])
    assert tangled["hint"] is None
    assert not any(check["notes"] for check in apart["checks"])
    assert apart["hint"]["misconception"] == "divides_by_the_variance"


def test_a_helper_of_two_questions_that_do_not_use_each_other_is_a_word_for_a_person(little: Desk):
    """Its error fails both questions, and nothing can be tried; a hint that fits the answers stands all the same."""
    little.edit(little.assignment / "assignment.toml", 'uses = ["centre"]\n', "")
    little.edit(little.solution / "little.py", "centred = centre(X)", "centred = X - np.mean(X, axis=0)")
    helper = "def middle(X):\n    return np.median(X, axis=0) - 0.5\ndef centre(X):\n    return X - middle(X)"
    shared = RIGHT.replace("centre(X)", "X - middle(X)")
    variance = "def scale(X):\n    c = X - X.mean(axis=0) + 0 * {}\n    return c / (c * c).mean(axis=0)"
    little.hand_in("shared", {CENTRE: helper, SCALE: shared})
    little.hand_in("own_bug", {CENTRE: helper, SCALE: variance.format("middle(X)")})
    little.hand_in("apart", {CENTRE: helper, SCALE: variance.format("X")})
    graded = little.grade("class")
    shared, own_bug, apart = (graded[name]["questions"][1] for name in ("shared", "own_bug", "apart"))
    told = "uses code of centre, whose error may be all that is wrong here: a person should look"
    failed = [one for one in shared["checks"] if one["verdict"] != "passed"]
    assert failed
    assert all(told in check["notes"] for check in failed)
    assert own_bug["hint"]["misconception"] == "divides_by_the_variance"
    assert any(told in check["notes"] for check in own_bug["checks"])
    assert not any(check["notes"] for check in apart["checks"])


def test_an_error_that_was_raised_in_an_earlier_function_is_left_to_a_person(little: Desk):
    little.hand_in(
        "ada",
        {CENTRE: "def centre(X):\n    if len(X) > 4:\n        raise ValueError('long')\n    return X - X.mean(axis=0)"},
    )
    result = little.grade("class")["ada"]
    (scale,) = (one for one in result["questions"] if one["id"] == "scale")
    failed = [one for one in scale["checks"] if one["verdict"] != "passed"]
    assert failed
    assert all("uses code of centre" in " ".join(one["notes"]) for one in failed)
