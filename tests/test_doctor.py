"""What a machine can promise, said truly: levels, redink doctor, the refusal of a weak box, and redink run --save."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from redink.box.walls import seccomp
from redink.errors import CourseError
from redink.grader.sandbox.client import Zygote
from redink.grader.sandbox.doctor import doctor
from redink.grader.sandbox.levels import level
from redink.records import Cell, Limits, Walls

pytestmark = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="the box needs Linux")
ALL = ("pid_ns", "mount_ns", "net_ns", "ipc_ns", "uts_ns", "user_ns", "landlock", "seccomp")


@pytest.mark.parametrize(
    ("missing", "worth"),
    [
        ((), "full"),
        (("uts_ns", "user_ns"), "full"),
        (("landlock",), "good"),
        (("seccomp",), "good"),
        (("pid_ns", "mount_ns", "net_ns", "ipc_ns"), "good"),
        (("pid_ns", "mount_ns", "net_ns", "landlock"), "weak"),
        (("pid_ns", "mount_ns", "net_ns", "seccomp"), "weak"),
        (ALL, "weak"),
    ],
)
def test_a_level_is_decided_by_what_stands(missing: tuple[str, ...], worth: str) -> None:
    assert level(Walls(walls=tuple(name for name in ALL if name not in missing), missing=missing)) == worth


def test_the_doctor_tries_forbidden_acts_and_they_fail() -> None:
    found = doctor()
    assert found.level in ("full", "good")
    acts = [one for one in found.findings if one.kind == "act"]
    assert len(acts) >= 10
    assert all(one.holds for one in acts)


def test_the_doctor_says_what_is_limited_and_by_what() -> None:
    limits = {one.name: one for one in doctor(without=("namespaces",)).findings if one.kind == "limit"}
    assert {"CPU time", "wall time", "memory", "processes", "open files", "disk", "output"} <= set(limits)
    assert not limits["disk"].holds
    assert all(one.detail for one in limits.values())


def test_a_box_without_a_filter_can_pass_notes_and_the_doctor_finds_out() -> None:
    acts = {one.name: one for one in doctor(without=("seccomp",)).findings if one.kind == "act"}
    assert not acts["lock a shared file"].holds
    assert not acts["watch a shared file"].holds
    assert not acts["see what others have read"].holds


def test_without_namespaces_the_level_is_good_and_the_doctor_says_what_is_missing() -> None:
    found = doctor(without=("namespaces",))
    assert found.level == "good"
    missing = {one.name: one for one in found.findings if one.kind == "wall" and not one.holds}
    assert {"pid_ns", "mount_ns", "net_ns"} <= set(missing)
    assert missing["mount_ns"].detail and missing["mount_ns"].remedy


def test_a_weak_box_is_found_out_and_refused_unless_it_was_allowed() -> None:
    found = doctor(without=("namespaces", "landlock"))
    assert found.level == "weak"
    assert not {one.name: one for one in found.findings}["read a file of the grader"].holds
    cells = [Cell(index=1, source="a = 1")]
    with (
        Zygote(torch=False, without=("namespaces", "landlock")) as zygote,
        pytest.raises(CourseError, match="too weak"),
    ):
        zygote.observe(cells, [], Limits())
    with Zygote(torch=False, without=("namespaces", "landlock"), allow_weak=True) as zygote:
        assert "landlock" in zygote.observe(cells, [], Limits()).box.missing


def test_a_folder_that_must_stay_hidden_is_invisible_below_pythons_own() -> None:
    hidden = Path(os.__file__).parent / "json"
    cells = [Cell(index=1, source=f"import os\nprint(os.listdir({str(hidden)!r}))")]
    with Zygote(torch=False, hidden=[str(hidden)]) as zygote:
        seen = zygote.observe(cells, [], Limits())
    if "mount_ns" in seen.box.walls:
        assert seen.cells[0].output == "[]\n"


def test_the_environment_variable_allows_a_weak_box_on_the_command_line(tmp_path: Path) -> None:
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1")]), tmp_path / "in.ipynb")
    weak = "import sys, functools\nfrom redink.grader.sandbox import run\n"
    weak += "run.Zygote = functools.partial(run.Zygote, without=('namespaces', 'landlock'))\n"
    command = [
        sys.executable,
        "-c",
        f"{weak}from redink_cli.app import main\nmain()",
        "run",
        str(tmp_path / "in.ipynb"),
    ]
    codes = {
        allowed: subprocess.run(
            command, env={**os.environ, "REDINK_ALLOW_WEAK_BOX": allowed}, capture_output=True, check=False
        ).returncode
        for allowed in ("", "1")
    }
    assert codes["1"] == 0 != codes[""]


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
@pytest.mark.parametrize("inside", [True, False])
def test_the_filter_is_written_for_both_kinds_of_machine(
    monkeypatch: pytest.MonkeyPatch, machine: str, inside: bool
) -> None:
    monkeypatch.setattr("platform.machine", lambda: machine)
    code = seccomp.assemble(
        own_mounts=inside, own_pids=inside, signals_scoped=False, truncation_handled=False, counted=not inside
    )
    assert len(code) % 8 == 0
    assert 100 < len(code) // 8 < 4096


def test_run_saves_the_executed_notebook(tiny, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    made = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell("print('hello')"), nbformat.v4.new_code_cell("1 / 0")]
    )
    nbformat.write(made, tmp_path / "in.ipynb")
    done = tiny.redink("run", tmp_path / "in.ipynb", "--save", tmp_path / "out.ipynb")
    assert done.returncode == 0, done.stderr
    saved = nbformat.read(tmp_path / "out.ipynb", as_version=4)
    nbformat.validate(saved)
    assert saved.cells[0].outputs[0].text == "hello\n"
    assert saved.cells[1].outputs[-1].ename == "ZeroDivisionError"


def test_run_saves_a_document_of_deep_nests_without_blanks(tiny, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    """Indented, so deep a nest would take gigabytes."""
    nest = "[" * 900 + "]" * 900
    cells = '[{"cell_type": "code", "source": "print(1)", "metadata": {}, "outputs": []}]'
    text = (
        f'{{"cells": {cells}, "metadata": {{"deep": [{", ".join([nest] * 50)}]}}, "nbformat": 4, "nbformat_minor": 4}}'
    )
    (tmp_path / "in.ipynb").write_text(text, encoding="utf-8")
    done = tiny.redink("run", tmp_path / "in.ipynb", "--save", tmp_path / "out.ipynb")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out.ipynb").stat().st_size < 2 * len(text)


def test_run_shows_the_end_of_a_long_output(tiny, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    source = "print(*range(1000, 1200), sep='\\n'); print('x' * 5000)"
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source)]), tmp_path / "in.ipynb")
    shown = tiny.redink("run", tmp_path / "in.ipynb").stdout
    assert "(181 lines before these; --save keeps them)" in shown
    assert "| 1199\n" in shown
    assert "1180" not in shown
    assert "(5000 characters)" in shown
    assert shown.count("x") < 400


def test_doctor_on_the_command_line_writes_json(tiny, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    done = tiny.redink("doctor", "--json", tmp_path / "doctor.json")
    assert done.returncode == 0, done.stdout
    assert json.loads((tmp_path / "doctor.json").read_text())["level"] in ("full", "good")
    assert done.stdout.rstrip().splitlines()[-1].startswith(("full: ", "good: "))
