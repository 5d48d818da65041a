"""The box, with real processes: what a submission can do, and what the grader sees of it."""

from __future__ import annotations

import importlib.util
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from redink import wire
from redink.box import processes
from redink.errors import BoxError, WireError
from redink.grader.sandbox import pidfds, session
from redink.grader.sandbox.client import Zygote
from redink.records import Cell, Limits, Observation, Observed, Request
from redink.student.calling import observe as observe_at_home

pytestmark = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="the box needs Linux")

LIMITS = Limits(cell_cpu=0.3, check_cpu=0.3, total_cpu=20.0, wall_factor=8.0, output_bytes=4000, value_bytes=100_000)
PATIENT = msgspec.structs.replace(LIMITS, wall_factor=60.0)  # where CPU time must decide on a loaded machine too
CALL_F = "def when(student):\n    return student.f()\n"
FIND_SOCKET = """
import os, socket, stat
def grader_socket():
    for fd in range(3, 64):
        try:
            if stat.S_ISSOCK(os.fstat(fd).st_mode):
                return socket.socket(fileno=os.dup(fd))
        except OSError:
            pass
"""


@pytest.fixture(
    scope="module",
    params=[pytest.param((), id="walled"), pytest.param(("namespaces",), id="without_namespaces")],
)
def zygote(request: pytest.FixtureRequest) -> Iterator[Zygote]:
    with Zygote(torch=False, without=request.param) as made:
        yield made


@pytest.fixture(scope="module")
def torch_zygote() -> Iterator[Zygote]:
    if importlib.util.find_spec("torch") is None:
        pytest.skip("torch is not installed")
    with Zygote(torch=True) as made:
        yield made


def cells(*sources: str) -> list[Cell]:
    return [Cell(index=number, source=source) for number, source in enumerate(sources, 1)]


def request(name: str, when: str = CALL_F, **inputs: Any) -> Request:
    return Request(id=name, when=when, inputs=wire.encode(inputs))


def calls(*functions: str) -> list[Request]:
    return [request(name, f"def when(student):\n    return student.{name}()\n") for name in functions]


def value(observation: Observation) -> Any:
    assert observation.status == "returned", observation
    return wire.decode(observation.value)


def statuses(seen: Observed) -> list[str]:
    return [run.status for run in seen.cells]


def outcomes(seen: Observed) -> list[str]:
    return [observation.status for observation in seen.observations.values()]


# -- cells -------------------------------------------------------------------------------------------------------------


def test_cells_share_one_namespace_and_whens_see_it(zygote: Zygote) -> None:
    seen = zygote.observe(cells("a = 2", "def f():\n    return a * 21"), [request("f")], LIMITS)
    assert statuses(seen) == ["ok", "ok"]
    assert value(seen.observations["f"]) == 42
    assert seen.cpu_seconds > 0
    assert "rlimits" in seen.box.walls
    assert "seccomp" in seen.box.walls
    assert "cgroup" in (*seen.box.walls, *seen.box.missing)


def test_a_cell_that_raises_costs_itself_and_tells_its_line(zygote: Zygote) -> None:
    seen = zygote.observe(cells("x = 1", "y = 2\n\nraise ValueError('no\\nluck')", "z = x"), [], LIMITS)
    assert statuses(seen) == ["ok", "error", "ok"]
    assert seen.cells[1].error == "ValueError: no luck (cell 2, line 3)"


def test_a_syntax_error_tells_its_cell_and_line(zygote: Zygote) -> None:
    seen = zygote.observe(cells("\n\nx = 1\ndef (", "x = 1\n  y = 2"), [], LIMITS)
    assert seen.cells[0].error == "SyntaxError: invalid syntax (cell 1, line 4)"
    assert seen.cells[1].error == "IndentationError: unexpected indent (cell 2, line 2)"


def test_an_error_in_an_earlier_cells_function_names_that_cell(zygote: Zygote) -> None:
    seen = zygote.observe(cells("def f():\n    return 1 / 0", "f()"), [request("f")], LIMITS)
    assert seen.cells[1].error == "ZeroDivisionError: division by zero (cell 1, line 2)"
    assert seen.observations["f"] == Observation(
        status="raised", error="ZeroDivisionError: division by zero", where="cell 1, line 2"
    )


def test_an_endless_cell_times_out_and_the_next_ones_run(zygote: Zygote) -> None:
    seen = zygote.observe(cells("a = 1\nwhile True: pass", "b = a"), [], PATIENT)
    assert statuses(seen) == ["timeout", "ok"]
    assert seen.cells[0].error == "took more than 0.3 s of CPU time"


@pytest.mark.parametrize(
    "source",
    ["while True:\n    try:\n        while True: pass\n    except: pass", "import itertools\nsum(itertools.repeat(0))"],
    ids=["swallows every exception", "loops in C"],
)  # fmt: skip
def test_a_cell_that_cannot_be_interrupted_is_killed_and_skipped(zygote: Zygote, source: str) -> None:
    seen = zygote.observe(cells("a = 1", source, "b = a", "def f():\n    return b"), [request("f")], PATIENT)
    assert statuses(seen) == ["ok", "timeout", "ok", "ok"]
    assert seen.cells[1].error == "took more than 0.3 s of CPU time"
    assert value(seen.observations["f"]) == 1


def test_a_sleeping_cell_is_ended_by_the_wall_clock(zygote: Zygote) -> None:
    seen = zygote.observe(cells("import time\ntime.sleep(3600)", "b = 1"), [], LIMITS)
    assert statuses(seen) == ["timeout", "ok"]
    assert "waiting" in seen.cells[0].error


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("import os; os._exit(0)", "ended the process (exit code 0)"),
        ("import ctypes; ctypes.string_at(0)", "ended the process (segmentation fault)"),
        ("import os; os.abort()", "ended the process (aborted)"),
    ],
)
def test_a_cell_that_ends_the_process_costs_itself(zygote: Zygote, source: str, sentence: str) -> None:
    seen = zygote.observe(cells("a = 1", source, "def f():\n    return a"), [request("f")], LIMITS)
    assert statuses(seen) == ["ok", "error", "ok"]
    assert seen.cells[1].error == sentence
    assert value(seen.observations["f"]) == 1


@pytest.mark.parametrize("source", ["import sys; sys.exit()", "exit()", "quit()", "raise KeyboardInterrupt"])
def test_leaving_a_cell_is_not_leaving_the_notebook(zygote: Zygote, source: str) -> None:
    seen = zygote.observe(cells("a = 1", source, "b = a"), [], LIMITS)
    assert statuses(seen) == ["ok", "error", "ok"]


def test_a_notebook_that_keeps_ending_its_process_is_given_up(zygote: Zygote) -> None:
    seen = zygote.observe(cells(*["import os; os._exit(1)"] * 8), [request("f")], LIMITS)
    assert statuses(seen) == ["error"] * (1 + session.MOST_RESPAWNS) + ["skipped"] * (7 - session.MOST_RESPAWNS)
    assert outcomes(seen) == ["unreachable"]


def test_the_whole_submission_has_a_limit_too(zygote: Zygote) -> None:
    limits = Limits(cell_cpu=5, check_cpu=5, total_cpu=0.6, wall_factor=4)
    seen = zygote.observe(cells("a = 1", "while True: pass", "b = 1"), [request("f"), request("g")], limits)
    assert statuses(seen) == ["ok", "timeout", "skipped"]
    assert outcomes(seen) == ["unreachable", "unreachable"]
    assert seen.observations["g"].error == "the submission used up its 0.6 s of CPU time"


def test_an_output_flood_is_cut_and_blocks_nothing(zygote: Zygote) -> None:
    flood = "for _ in range(30000): print('x' * 100)"
    seen = zygote.observe(cells(flood, "!head -c 3000000 /dev/zero | tr '\\0' y", "a = 1"), [], LIMITS)
    assert statuses(seen) == ["ok", "ok", "ok"]
    assert 0 < sum(len(run.output) for run in seen.cells) <= LIMITS.output_bytes
    assert [run.output.count("[cut: ") for run in seen.cells] == [1, 0, 0]


def test_output_keeps_its_order_and_loses_its_control_characters(zygote: Zygote) -> None:
    seen = zygote.observe(cells("print('one')\n!echo two\nprint('\\x1b[31mthree')", "print('four')"), [], LIMITS)
    assert [run.output for run in seen.cells] == ["one\ntwo\n[31mthree\n", "four\n"]


def test_notebook_habits_work(zygote: Zygote) -> None:
    seen = zygote.observe(
        cells(
            "%matplotlib inline\nimport matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()",
            "display('shown')\n7",
            "import asyncio\nawait asyncio.sleep(0)\nx = 1",
            "listing = !echo hello\nassert listing == ['hello']",
            "%%time\ny = x",
            "%%writefile helper.py\nz = 5",
            "import helper\nassert helper.z == 5",
            "%pip install torch",
            "!pip install torch",
            "from redink import check\ncheck('train')\nimport redink\nredink.check('x', y=1).z",
            "assert get_ipython() is not None\nbreakpoint()",
            "def f():\n    import inspect\n    return inspect.getsource(f)",
        ),
        [request("f")],
        LIMITS,
    )
    assert statuses(seen) == ["ok"] * 12, seen.cells
    assert seen.cells[1].output == "'shown'\n7\n"
    assert "Nothing can be installed" in seen.cells[7].output
    assert "Nothing can be installed" in seen.cells[8].output
    assert value(seen.observations["f"]).startswith("def f():")


def test_an_error_below_a_cell_magic_tells_its_own_line(zygote: Zygote) -> None:
    seen = zygote.observe(
        cells(
            "%%time\nx = 1\nx / 0",
            "\n\n%%time\n\ndef f():\n    return x / 0",
            "f()",
            "%%time\nx = 1\ny = (",
            "%%timeit -n1 -r1\nx\nx / 0",
            "x = 1\n%time x / 0",
            "%%capture\ndef g():\n    return x / 0",
            "import inspect\nassert inspect.getsource(g) == 'def g():\\n    return x / 0\\n'\ng()",
        ),
        [],
        LIMITS,
    )
    places = [run.error.partition("(")[2].rstrip(")") for run in seen.cells]
    assert places == [
        "cell 1, line 3", "", "cell 2, line 6", "cell 4, line 3",
        "cell 5, line 3", "cell 6, line 2", "", "cell 7, line 3",
    ]  # fmt: skip
    assert "cell 1, line 3, in <module>\n    x / 0\n" in seen.cells[0].output


def test_magics_that_remember_something_work(zygote: Zygote) -> None:
    seen = zygote.observe(cells("import os\nos.mkdir('data')\n%cd data\n%cd -q ..", "%pwd"), [], LIMITS)
    assert statuses(seen) == ["ok", "ok"], seen.cells


def test_input_has_nobody_to_answer(zygote: Zygote) -> None:
    seen = zygote.observe(cells("name = input('Your name? ')"), [], LIMITS)
    assert seen.cells[0].error.startswith("RuntimeError: input() has nobody to answer")


@pytest.mark.parametrize("name", ["redink.grader", "redink.box", "redink.wire", "redink.student"])
def test_nothing_else_of_redink_can_be_imported(zygote: Zygote, name: str) -> None:
    seen = zygote.observe(cells(f"try:\n    import {name}\nexcept ImportError:\n    ok = 1", "ok"), [], LIMITS)
    assert statuses(seen) == ["ok", "ok"]


def test_a_file_of_the_assignment_lies_in_the_working_folder(zygote: Zygote) -> None:
    source = "import os\ndef f():\n    return open('data/x.csv').read(), os.listdir()"
    seen = zygote.observe(cells(source), [request("f")], LIMITS, {"data/x.csv": b"1,2\n"})
    assert value(seen.observations["f"]) == ["1,2\n", ["data"]]


def test_the_box_has_no_foreign_environment_or_descriptors(zygote: Zygote, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REDINK_SECRET", "hush")
    source = """
import os
def f():
    found = []
    for fd in range(1000):
        try:
            os.fstat(fd)
            found.append(fd)
        except OSError:
            pass
    return found, dict(os.environ)
"""
    with Zygote(torch=False) as fresh:
        seen = fresh.observe(cells(source), [request("f")], LIMITS)
    descriptors, environment = value(seen.observations["f"])
    assert descriptors == [0, 1, 2, 3, 4]
    assert "REDINK_SECRET" not in environment
    assert not Path(environment["PWD"]).exists()


def test_memory_has_a_limit(zygote: Zygote) -> None:
    limits = Limits(memory_mb=200)
    seen = zygote.observe(cells("import numpy as np\nx = np.ones(100_000_000)", "y = np.ones(1000)"), [], limits)
    assert statuses(seen) == ["error", "ok"]
    assert "MemoryError" in seen.cells[0].error


FAMILY = """
import os, time
for _ in range(4):
    if os.fork() == 0:
        ours = bytearray(60_000_000)
        for at in range(0, len(ours), 4096): ours[at] = 1
        time.sleep(60)
time.sleep(60)
"""


def test_memory_is_limited_for_a_whole_family(zygote: Zygote) -> None:
    limits = Limits(memory_mb=150, cell_cpu=5)
    seen = zygote.observe(cells("a = 1", FAMILY, "b = a", "def f():\n    return b"), [request("f")], limits)
    assert statuses(seen) == ["ok", "error", "ok", "ok"]
    assert seen.cells[1].error == "used more than 150 MB of memory"
    assert value(seen.observations["f"]) == 1


def test_a_process_that_shares_its_memory_pays_for_it_once(zygote: Zygote) -> None:
    share = "import os, time\nbig = b'x' * 100_000_000\nfor _ in range(4):\n    if os.fork() == 0: time.sleep(60)\n"
    seen = zygote.observe(cells(share, "time.sleep(1)"), [], Limits(memory_mb=200))
    assert statuses(seen) == ["ok", "ok"]


# -- whens -------------------------------------------------------------------------------------------------------------


def test_inputs_come_fresh_and_modified_ones_are_named(zygote: Zygote) -> None:
    source = "def f(a, b):\n    a[0] += 1\n    return a + b"
    when = "def when(student, a, b):\n    return student.f(a, b)\n"
    two = [request(name, when, a=np.zeros(2), b=np.ones(2)) for name in ("one", "two")]
    seen = zygote.observe(cells(source), two, LIMITS)
    for observation in seen.observations.values():
        assert value(observation).tolist() == [2.0, 1.0]
        assert observation.modified == ("a",)


def test_a_missing_name_is_told_apart_from_a_students_own_errors(zygote: Zygote) -> None:
    source = "def f():\n    return nowhere\ndef g():\n    return (1).nothing"
    seen = zygote.observe(cells(source), calls("absent", "f", "g", "exit"), LIMITS)
    assert outcomes(seen) == ["missing", "raised", "raised", "missing"]
    assert seen.observations["absent"].error == "absent"
    assert seen.observations["f"].error == "NameError: name 'nowhere' is not defined"


ERRORS = """
import numpy as np
class Unspeakable(Exception):
    def __str__(self): raise RuntimeError("no")
class Silent(BaseException): pass
def several_lines(): raise RuntimeError("shapes differ\\n  expected (2, 3)\\n\\tgot (3, 2)")
def no_syntax(): eval("1 +")
def no_key(): {}["gamma"]
def unspeakable(): raise Unspeakable
def long(): raise ValueError("x" * 5000)
def no_text(): raise Silent
def leaves(): raise SystemExit(3)
def asks(): return np.linalg.inv(np.zeros((2, 2)))
"""


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("several_lines", "RuntimeError: shapes differ expected (2, 3) got (3, 2)"),
        ("no_syntax", "SyntaxError: invalid syntax (<string>, line 1)"),
        ("no_key", "KeyError: 'gamma'"),
        ("unspeakable", "Unspeakable"),
        ("long", f"ValueError: {'x' * 288}"),
        ("no_text", "Silent"),
        ("leaves", "SystemExit: 3"),
        ("asks", "LinAlgError: Singular matrix"),
        ("absent", "absent"),
    ],
)
def test_an_error_reads_the_same_at_home_and_in_the_box(zygote: Zygote, name: str, error: str) -> None:
    (asked,) = calls(name)
    names: dict[str, Any] = {}
    exec(ERRORS, names)
    at_home = observe_at_home(asked, names, 60.0)
    in_the_box = zygote.observe(cells(ERRORS), [asked], LIMITS).observations[name]
    assert (at_home.status, at_home.error) == (in_the_box.status, in_the_box.error)
    assert at_home.error == error


BAD_ENDS = """
import os, sys, ctypes, time, itertools
state = []
def good():
    state.append(1)
    return len(state)
def endless():
    while True: pass
def deaf():
    while True:
        try:
            while True: pass
        except: pass
def deep():
    sum(itertools.repeat(0))
def sleepy(): time.sleep(3600)
def leaves(): os._exit(0)
def crashes(): ctypes.string_at(0)
def exits(): sys.exit(3)
def kills(): os.kill(os.getppid(), 9); time.sleep(60)
"""


@pytest.mark.parametrize(
    ("bad", "status", "error"),
    [
        ("endless", "timeout", "took more than 0.3 s of CPU time"),
        ("deaf", "timeout", "took more than 0.3 s of CPU time"),
        ("deep", "timeout", "took more than 0.3 s of CPU time"),
        ("sleepy", "timeout", "had not ended after 2.4 s of waiting"),
        ("leaves", "died", "ended the process (exit code 0)"),
        ("crashes", "died", "ended the process (segmentation fault)"),
        ("kills", "died", "ended the process (killed; perhaps it used too much memory)"),
    ],
)
def test_a_when_that_ends_badly_costs_itself_and_the_rest_starts_from_the_snapshot(
    zygote: Zygote, bad: str, status: str, error: str
) -> None:
    good = "def when(student):\n    return student.good()\n"
    requests = [request("a", good), *calls(bad), request("b", good), request("c", good)]
    seen = zygote.observe(cells(BAD_ENDS), requests, LIMITS if bad == "sleepy" else PATIENT)
    assert seen.observations[bad] == Observation(status=status, error=error)  # type: ignore[arg-type]
    assert [value(seen.observations[name]) for name in "abc"] == [1, 1, 2]


def test_sys_exit_in_a_when_is_just_raised(zygote: Zygote) -> None:
    seen = zygote.observe(cells(BAD_ENDS), calls("exits", "good"), LIMITS)
    assert seen.observations["exits"].error == "SystemExit: 3"
    assert value(seen.observations["good"]) == 1


def test_many_bad_ends_do_not_use_up_the_respawns(zygote: Zygote) -> None:
    leave = "def when(student):\n    return student.leaves()\n"
    requests = [*(request(f"r{number}", leave) for number in range(12)), *calls("good")]
    seen = zygote.observe(cells(BAD_ENDS), requests, LIMITS)
    assert outcomes(seen) == ["died"] * 12 + ["returned"]


def test_a_value_over_the_limit_is_too_large(zygote: Zygote) -> None:
    source = "import numpy as np\ndef f():\n    return np.zeros(1_000_000)\ndef g():\n    return iter([])"
    seen = zygote.observe(cells(source), calls("f", "g"), LIMITS)
    assert seen.observations["f"].status == "too_large"
    assert value(seen.observations["g"]) == wire.Opaque("list_iterator")


UNSEEDED = """
import numpy as np, random, os, uuid
first = np.random.default_rng().random()
def f():
    one, two = np.random.default_rng().random(), np.random.default_rng().random()
    assert one != two
    return [first, one, two, np.random.rand(), np.random.RandomState().rand(), random.random(), random.Random().random(),
            str(uuid.uuid4()), os.urandom(4).hex(), list({'a', 'b', 'c', 'd'}), hash('x')]
"""


def test_unseeded_chance_is_the_same_in_every_run_and_in_every_place(zygote: Zygote) -> None:
    order = [request("one"), request("two")]
    seen = zygote.observe(cells(UNSEEDED), order, LIMITS)
    zygote.observe(cells("import random, numpy as np\nrandom.random(); np.random.rand()\nx = {}"), [], LIMITS)
    again = zygote.observe(cells(UNSEEDED), order[::-1], LIMITS)
    with Zygote(torch=False) as other:
        elsewhere = other.observe(cells(UNSEEDED), order, LIMITS)
    assert value(seen.observations["one"]) == value(seen.observations["two"])
    assert seen.observations == again.observations == elsewhere.observations


def test_a_fork_in_student_code_speaks_only_once(zygote: Zygote) -> None:
    source = "import os\npid = os.fork()"
    seen = zygote.observe(
        cells(source, "def f():\n    os.fork()\n    return 1"), calls("f", "f2") + calls("f3"), LIMITS
    )
    assert statuses(seen) == ["ok", "ok"]
    assert outcomes(seen) == ["returned", "missing", "missing"]


# -- hostile submissions -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "bytes_sent",
    ["b'garbage!' * 4", "(1 << 40).to_bytes(8, 'little')", "(3).to_bytes(8, 'little') + b'abc'",
     "(5000).to_bytes(8, 'little') + b'\\x91' * 5000", "(0).to_bytes(8, 'little')"],
    ids=["garbage", "a terabyte", "no message", "deep nesting", "empty"],
)  # fmt: skip
def test_what_is_written_to_the_graders_socket_costs_only_its_writer(zygote: Zygote, bytes_sent: str) -> None:
    disturb = (
        f"{FIND_SOCKET}\ndef f():\n    grader_socket().sendall({bytes_sent})\n    return 1\ndef good():\n    return 2"
    )
    seen = zygote.observe(cells(disturb), calls("f", "good"), LIMITS)
    assert seen.observations["f"].status == "died"
    assert value(seen.observations["good"]) == 2
    seen = zygote.observe(cells(disturb, "f()", "a = 1"), calls("good"), LIMITS)
    assert statuses(seen)[0] == "ok"
    assert statuses(seen)[2] == "ok"
    assert seen.cells[1].error == "disturbed its connection to the grader"
    assert value(seen.observations["good"]) == 2


def forged(message: str) -> str:
    return f"""{FIND_SOCKET}
import msgspec
def frame(**message):
    data = msgspec.msgpack.encode(message)
    return len(data).to_bytes(8, 'little') + data
def f():
    grader_socket().sendall({message})
    os._exit(0)
"""


@pytest.mark.parametrize(
    "message",
    [
        "frame(type='reply', id='other', status='returned', value=b'')",
        "frame(type='reply', id='f', status='passed')",
        "frame(type='reply', id='f', status='returned', value=b'\\x01', score=100)",
        "frame(type='cell', run=dict(index=1, status='ok'))",
        "frame(type='walls_raised', walls={})",
        "frame(type='runner_ended', code=10**12)",
        "frame(type='runner_ended', code=0) * 3",
    ],
)
def test_a_forged_message_out_of_turn_is_not_believed(zygote: Zygote, message: str) -> None:
    seen = zygote.observe(cells(forged(message), "def good():\n    return 2"), calls("f", "good"), LIMITS)
    assert seen.observations["f"].status == "died"
    assert seen.observations["good"].status in {"returned", "died"}  # it may pay for what lies in its way


def test_a_forged_reply_is_cleaned_of_what_makes_no_sense(zygote: Zygote) -> None:
    message = "frame(type='reply', id='f', status='returned', value=b'\\x01', modified='a,zzz')"
    seen = zygote.observe(cells(forged(message)), [request("f")], LIMITS)
    assert seen.observations["f"] == Observation(status="returned", value=b"\x01")
    message = "frame(type='reply', id='f', status='raised', error='a\\x1b]0;\\n' + 'b' * 9999, where='rm -rf')"
    seen = zygote.observe(cells(forged(message)), [request("f")], LIMITS)
    assert seen.observations["f"].error.startswith("a ]0; bbb")
    assert len(seen.observations["f"].error) <= 300
    assert seen.observations["f"].where == ""


def test_bytes_that_are_no_data_are_left_to_whoever_decodes_them(zygote: Zygote) -> None:
    message = "frame(type='reply', id='f', status='returned', value=b'\\xc1')"
    seen = zygote.observe(cells(forged(message)), [request("f")], LIMITS)
    assert seen.observations["f"] == Observation(status="returned", value=b"\xc1")
    with pytest.raises(WireError):
        wire.decode(seen.observations["f"].value)


def test_a_closed_socket_and_a_silent_box_are_outcomes_too(zygote: Zygote) -> None:
    seen = zygote.observe(cells("import os\nos.close(3)", "a = 1"), [], LIMITS)
    assert statuses(seen) == ["error", "ok"]
    muted = "import os, socket\na, b = socket.socketpair()\nos.dup2(a.fileno(), 3)"
    seen = zygote.observe(cells(muted, "a = 1"), [], LIMITS)
    assert statuses(seen) == ["error", "ok"]


def test_an_exception_that_attacks_its_reader_is_still_told(zygote: Zygote) -> None:
    source = """
class Meta(type):
    @property
    def __name__(cls): raise SystemExit
class Nasty(Exception, metaclass=Meta):
    def __str__(self): raise KeyboardInterrupt
def f(): raise Nasty
def g(): raise ValueError('\\ud800' * 10)
"""
    seen = zygote.observe(cells(source, "raise Nasty"), calls("f", "g"), LIMITS)
    assert seen.cells[1].error == "Nasty (cell 2, line 1)"
    assert outcomes(seen) == ["raised", "raised"]


DAEMONS = """
import os, signal, time, threading
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            open('pids', 'a').write(f'{os.getpid()} ')
            time.sleep(600)
        os._exit(0)
threading.Thread(target=time.sleep, args=(600,)).start()
!sleep 600 &
while len(open('pids').read().split()) < 3: time.sleep(0.01)
def f():
    return [int(pid) for pid in open('pids').read().split()]
"""


def test_what_a_submission_leaves_running_is_gone_with_it(zygote: Zygote) -> None:
    limits = Limits(cell_cpu=5, check_cpu=5)
    seen = zygote.observe(cells("open('pids', 'w').close()", DAEMONS), [request("f")], limits)
    assert len(value(seen.observations["f"])) == 3
    assert [processes.children_of(pid) for pid in processes.children_of(zygote.pid)] in ([[]], [])


def test_a_folder_that_resists_is_removed_all_the_same(zygote: Zygote) -> None:
    source = "import os\nhere = os.getcwd()\nfor _ in range(1500):\n    os.mkdir('d'); os.chdir('d')\nos.chmod('.', 0)"
    seen = zygote.observe(cells(source, "def f():\n    return here"), [request("f")], Limits())
    assert not Path(value(seen.observations["f"])).exists()


# -- our own trouble ---------------------------------------------------------------------------------------------------


def test_a_dead_zygote_is_our_fault_and_the_next_call_has_another() -> None:
    with Zygote(torch=False) as zygote:
        zygote.observe([], [], LIMITS)
        os.kill(zygote.pid, 9)
        with pytest.raises(BoxError, match="zygote failed"):
            zygote.observe([], [], LIMITS)
        assert zygote.observe(cells("a = 1"), [], LIMITS).cells[0].status == "ok"


def test_a_zygote_without_its_grader_ends_and_leaves_nothing() -> None:
    zygote = Zygote(torch=False)
    zygote.observe([], [], LIMITS)
    folder, control, ended = zygote._folder, zygote._control, os.pidfd_open(zygote.pid)
    assert folder is not None and control is not None
    control.close()
    assert pidfds.has_ended(ended, 60)
    assert not folder.exists()
    os.close(ended)
    zygote.close()


def test_closing_a_zygote_at_work_ends_the_submission_as_our_fault() -> None:
    with Zygote(torch=False) as zygote:
        zygote.observe([], [], LIMITS)
        closer = threading.Timer(0.2, zygote.close)
        closer.start()
        with pytest.raises(BoxError):
            zygote.observe(cells("import time\ntime.sleep(600)"), [], Limits())
        closer.join()


# -- torch -------------------------------------------------------------------------------------------------------------


def test_tensors_cross_as_tensors_and_chance_in_torch_is_fixed(torch_zygote: Zygote) -> None:
    source = """
import torch
def double(x):
    assert isinstance(x, torch.Tensor)
    x += 0
    return 2 * x
def f():
    torch.seed()
    return torch.rand(2), torch.get_num_threads()
def train():
    model = torch.nn.Linear(2, 1)
    optimizer = torch.optim.Adam(model.parameters())
    model(torch.ones(3, 2)).sum().backward()
    optimizer.step()
    return model.weight
"""
    when = "def when(student, x):\n    return student.double(torch.abs(x))\n"
    tensor = np.array([1.0, -2.0], dtype=np.float32).view(wire.TensorArray)
    requests = [request("double", when, x=tensor), *calls("f", "train")]
    limits = Limits(cell_cpu=5, check_cpu=5)
    seen = torch_zygote.observe(cells(source), requests, limits)
    assert isinstance(value(seen.observations["double"]), wire.TensorArray)
    assert value(seen.observations["double"]).tolist() == [2.0, 4.0]
    assert value(seen.observations["f"])[1] == 1
    assert value(seen.observations["train"]).shape == (1, 2)
    assert torch_zygote.observe(cells(source), requests, limits).observations == seen.observations


COMPILER = """
import sys, torch
sympy_was_there = "sympy" in sys.modules
def kind():
    return type(sys.modules["torch._dynamo"]).__name__
def train():
    model = torch.nn.Linear(2, 2)
    for make in (torch.optim.SGD, torch.optim.Adam):
        optimizer = make(model.parameters(), lr=0.1)
        optimizer.zero_grad()
        model(torch.ones(3, 2)).sum().backward()
        optimizer.step()
    torch.func.vmap(torch.func.grad(lambda x: (x * x).sum()))(torch.ones(3, 2))
    model.to("meta")(torch.ones(3, 2, device="meta")).sum().backward()
    return kind(), sympy_was_there, "sympy" in sys.modules
def look_inside():
    import torch._dynamo.utils
    return kind(), torch._dynamo.utils is sys.modules["torch._dynamo.utils"], torch._dynamo is sys.modules["torch._dynamo"]
def compile_it():
    return torch.compile(lambda x: 2 * x, backend="eager")(torch.ones(2)).tolist(), kind()
"""


def test_torchs_compiler_is_loaded_by_what_compiles_and_by_nothing_else(torch_zygote: Zygote) -> None:
    seen = torch_zygote.observe(cells(COMPILER), calls("train"), Limits()).observations["train"]
    assert value(seen) == ["_Later", True, True]  # nothing was left for a child to load
    answers = {"look_inside": ["module", True, True], "compile_it": [[2.0, 2.0], "module"]}
    for name, answer in answers.items():
        seen = torch_zygote.observe(cells(COMPILER), calls("train", name), Limits()).observations[name]
        assert value(seen) == answer, seen


LOADER = """
import random, torch
from torch.utils.data import DataLoader, Dataset
class Noisy(Dataset):
    def __len__(self): return 6
    def __getitem__(self, at): return at + random.random() + torch.rand(2)
def f(**options):
    return [batch.sum() for batch in DataLoader(Noisy(), 2, shuffle=True, **options)]
def alone(): return f()
def helped(): return f(num_workers=2, persistent_workers=True, prefetch_factor=4, multiprocessing_context="fork")
"""


@pytest.mark.parametrize("without", [(), ("namespaces",)], ids=["walled", "without_namespaces"])
def test_a_loader_with_workers_gives_the_same_as_one_without(without: tuple[str, ...]) -> None:
    pytest.importorskip("torch")
    with Zygote(torch=True, without=without) as zygote:
        seen = zygote.observe(cells(LOADER, "f(num_workers=1)", "f(num_workers=1)"), calls("alone", "helped"), Limits())
    assert statuses(seen) == ["ok", "ok", "ok"], seen.cells
    assert [run.output.count("num_workers is taken as 0") for run in seen.cells] == [0, 1, 0]
    assert value(seen.observations["alone"]) == value(seen.observations["helped"])


def test_processes_that_cannot_work_together_say_so(zygote: Zygote) -> None:
    pool = "from multiprocessing import Pool\nwith Pool(2) as pool:\n    assert pool.map(abs, [-1, -2]) == [1, 2]"
    seen = zygote.observe(cells(pool), [], Limits())
    told = "RuntimeError: no processes can work together in the box of this machine: do it without multiprocessing"
    assert seen.cells[0].error in ("", f"{told} (cell 1, line 2)")
    assert bool(seen.cells[0].error) == ("mount_ns" in seen.box.missing)


def test_a_submission_costs_far_less_than_a_start(torch_zygote: Zygote) -> None:
    torch_zygote.observe([], [], LIMITS)
    assert torch_zygote._own is not None
    start = processes.cpu_of_family(torch_zygote._own.pid)
    seen = torch_zygote.observe(cells("import torch\ndef f():\n    return 1"), [request("f")], LIMITS)
    assert seen.cpu_seconds < start / 10


def test_the_clock_of_a_submission_starts_when_the_zygote_is_warm() -> None:
    begun = time.monotonic()
    with Zygote(torch=False) as zygote:
        seen = zygote.observe([], [], LIMITS)
    assert seen.wall_seconds < time.monotonic() - begun


def test_an_endless_function_is_tried_once_for_each_check_not_for_each_input(zygote: Zygote) -> None:
    endless = "def f():\n    while True: pass\ndef g(): return 1"
    asked = [
        Request(
            id=f"{name}/{trial}",
            when=f"def when(student):\n    return student.{name}()\n",
            inputs=wire.encode({}),
            group=name,
        )
        for name in ("f", "g")
        for trial in range(3)
    ]
    seen = zygote.observe(cells(endless), asked, LIMITS)
    assert [seen.observations[one.id].status for one in asked] == ["timeout"] * 3 + ["returned"] * 3
    assert seen.cpu_seconds < 2.5 * LIMITS.check_cpu


# -- CPU time told truly -----------------------------------------------------------------------------------------------

BURN = """
import os, time
def burn(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end: pass
def forked(work):
    pid = os.fork()
    if not pid:
        work()
        os._exit(0)
    return pid
def daemon(work):
    os.waitpid(forked(lambda: forked(work)), 0)
def told(pipe):
    os.read(pipe[0], 1)
"""
FAMILY_AT_WORK = """
burn(0.5)
os.waitpid(forked(lambda: burn(0.3)), 0)
ready = os.pipe()
def stays():
    burn(0.3)
    os.write(ready[1], b'!')
    time.sleep(600)
def ends():
    burn(0.3)
    os.write(ready[1], b'!')
forked(stays); told(ready)
daemon(stays); told(ready)
daemon(ends); told(ready)
"""
ROOM = 0.25  # CPU seconds of the box itself, on a busy machine too; less than anything that may not be counted twice


def test_cpu_time_counts_every_process_once_also_the_killed_and_the_abandoned(zygote: Zygote) -> None:
    seen = zygote.observe(cells(BURN, FAMILY_AT_WORK), [], Limits())
    assert statuses(seen) == ["ok", "ok"], seen.cells
    assert 1.7 <= seen.cpu_seconds < 1.7 + ROOM


def test_cpu_time_of_a_runner_that_is_about_to_end_counts_once(zygote: Zygote) -> None:
    burning = "def when(student):\n    return student.burn(0.3)\n"
    seen = [zygote.observe(cells(BURN), [request("r", burning)], Limits()).cpu_seconds for _ in range(5)]
    assert all(0.3 <= used < 0.3 + ROOM for used in seen), seen


def test_orphans_that_end_make_room_for_others_in_a_pid_namespace(zygote: Zygote) -> None:
    seen = zygote.observe(cells(BURN, "for _ in range(60): daemon(lambda: None)"), [], Limits(cell_cpu=5, processes=8))
    if "pid_ns" in seen.box.walls:
        assert statuses(seen) == ["ok", "ok"], seen.cells


def test_killing_everything_in_sight_does_not_end_the_box(zygote: Zygote) -> None:
    if "pid_ns" not in zygote.observe([], [], LIMITS).box.walls:
        pytest.skip("this is no thing to try among other people's processes")
    source = "import os, signal\nos.kill(-1, signal.SIGKILL)"
    seen = zygote.observe(cells(source, "def f():\n    return 1"), [request("f")], LIMITS)
    assert statuses(seen) == ["ok", "ok"]
    assert value(seen.observations["f"]) == 1


# -- the turnstile -----------------------------------------------------------------------------------------------------

BOMB = "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass"


def test_a_fork_bomb_never_has_more_processes_than_it_may(zygote: Zygote) -> None:
    limits = Limits(cell_cpu=0.5, total_cpu=10, wall_factor=5, processes=10)
    most, over = 0, threading.Event()

    def count() -> None:
        nonlocal most
        while not over.wait(0.02):
            most = max(most, processes.threads_of_family(zygote.pid))

    watcher = threading.Thread(target=count)
    watcher.start()
    seen = zygote.observe(cells("a = 1", BOMB, "def f():\n    return a"), [request("f")], limits)
    over.set()
    watcher.join()
    assert statuses(seen) == ["ok", "timeout", "ok"]
    assert value(seen.observations["f"]) == 1
    assert 10 <= most <= limits.processes + 16


def test_processes_that_have_ended_make_room_for_others(zygote: Zygote) -> None:
    loop = "import subprocess\nfor _ in range(60): subprocess.run(['true'], check=True)"
    seen = zygote.observe(cells(loop), [], Limits(cell_cpu=5, processes=4))
    assert statuses(seen) == ["ok"], seen.cells


def test_a_notebook_full_of_threads_is_told_once_that_it_left_no_room(zygote: Zygote) -> None:
    threads = (
        "import threading, time\nwhile True: threading.Thread(target=time.sleep, args=(600,), daemon=True).start()"
    )
    begun = time.monotonic()
    seen = zygote.observe(cells(threads, "def f():\n    return 1"), calls(*"fghijklm"), Limits(processes=10))
    assert statuses(seen) == ["error", "ok"]
    assert {one.error for one in seen.observations.values()} == {"left no room for another process"}
    assert time.monotonic() - begun < 10


def test_without_a_turnstile_the_grader_counts() -> None:
    crowd = "import os, time\nfor _ in range(100):\n    if os.fork() == 0: time.sleep(60)\ntime.sleep(60)"
    with Zygote(torch=False, without=("namespaces", "turnstile")) as zygote:
        seen = zygote.observe(cells(crowd, "b = 1"), [], Limits(processes=10))
    assert "turnstile" in seen.box.missing
    assert statuses(seen) == ["error", "ok"]
    assert seen.cells[0].error == "ran more than 10 processes at a time"
