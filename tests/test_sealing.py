"""Sealed answer keys: they grade without solutions/, open for one identity and one file alone, and leave no trace."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from importlib import metadata
from pathlib import Path
from typing import Any

import msgspec
import pytest

from redink.errors import CourseError
from redink.grader.answer_key.key import decode_key, encode_key
from redink.grader.ci.grading import by_key, grade_repository
from redink.grader.ci.outcome import CiOutcome
from redink.grader.sealing import sealed as sealing
from redink.grader.sealing.age import decrypt, encrypt, new_pair
from redink.grader.sealing.identity import new_identity
from redink.grader.sealing.sealed import SealedKeys, Unsealed, file_hash, unseal
from tests.conftest import CENTRE, FAULTS, SCALE, Desk, environment, write_notebook
from tests.sealed_key import Pair

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the box needs Linux")

HIDDEN = b"ignores_a_common_shift"


def ci(where: Path, pair: Pair, *options: object, env: dict[str, str | None] | None = None) -> Any:
    command = [sys.executable, "-m", "redink_cli", "ci", ".", "--key", pair.file, "--key-sha256", pair.sha256, *options]
    told = {"REDINK_IDENTITY": pair.identity.read_text(), "GITHUB_STEP_SUMMARY": None, **(env or {})}
    return subprocess.run(
        [str(word) for word in command], cwd=where, env=environment(told), capture_output=True, text=True, check=False
    )


def grade(pair: Pair, path: Path, **how: Any) -> CiOutcome:
    (outcome,) = grade_repository(
        path, by_key(pair.open(), [], show_hidden=how.get("hidden", True)), of_the_course=True
    )
    return outcome


def resealed(pair: Pair, folder: Path, **changes: Any) -> Pair:
    """Seal the same keys again with something changed."""
    keys = msgspec.msgpack.decode(decrypt(pair.file.read_bytes(), [pair.secret], ""), type=SealedKeys)
    changed = msgspec.structs.replace(keys, **changes)
    recipient = re.search(r"age1\w+", pair.identity.read_text())
    assert recipient
    data = encrypt(msgspec.msgpack.encode(changed), [recipient[0]])
    file = folder / "resealed.age"
    file.write_bytes(data)
    return Pair(file, pair.identity, file_hash(data))


def patient(pair: Pair, folder: Path) -> Pair:
    """Seal the same key with more time for a cell: a thorough search takes some."""
    keys = msgspec.msgpack.decode(decrypt(pair.file.read_bytes(), [pair.secret], ""), type=SealedKeys)
    (one,) = keys.assignments
    key = decode_key(one.key, "")
    limits = msgspec.structs.replace(key.spec.limits, cell_cpu=60.0)
    longer = msgspec.structs.replace(key, spec=msgspec.structs.replace(key.spec, limits=limits))
    return resealed(pair, folder, assignments=(msgspec.structs.replace(one, key=encode_key(longer)),))


# -- making ----------------------------------------------------------------------------------------------------------


def test_an_identity_is_for_its_owner_alone_and_never_written_over_another(tmp_path):
    file = tmp_path / "identity"
    recipient = new_identity(file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert f"# public key: {recipient}" in file.read_text()
    with pytest.raises(CourseError, match="never written over"):
        new_identity(file)


def test_a_sealed_file_is_age_and_says_nothing(sealed):
    data = sealed.file.read_bytes()
    assert data.startswith(b"age-encryption.org/v1\n")
    assert HIDDEN not in data
    assert file_hash(data) == sealed.sha256
    plain = decrypt(data, [sealed.secret], "")
    assert HIDDEN in plain


def test_who_seals_for_nobody_or_for_nonsense_is_told(little):
    assert "--for" in little.redink("seal", "little", "--to", "k.age").stderr
    done = little.redink("seal", "little", "--to", "k.age", "--for", "age1nonsense")
    assert done.returncode == 1
    assert "is no recipient" in done.stderr
    assert not (little.root / "k.age").exists()


def test_a_course_whose_students_have_old_values_is_not_sealed(little):
    little.edit(little.assignment / "checks.py", "tol=1e-8", "tol=1e-7")
    done = little.redink("seal", "little", "--to", "k.age", "--for", new_pair()[1])
    assert done.returncode == 1
    assert "older than its master" in done.stderr


# -- the same grades -------------------------------------------------------------------------------------------------


def test_a_class_has_the_same_results_by_the_file_alone(sealed, graded_course, results, tmp_path):
    for name in FAULTS:
        repository = tmp_path / name
        shutil.copytree(graded_course / "class" / name, repository)
        found = json.loads(msgspec.json.encode(grade(sealed, repository).result))
        for time_or_name in ("cpu_seconds", "wall_seconds", "submission", "cells"):
            found.pop(time_or_name)
        wanted = {key: value for key, value in results[name].items() if key in found}
        assert found == wanted, name


def test_the_command_grades_in_a_folder_without_solutions(sealed, graded_course, tmp_path):
    shutil.copytree(graded_course / "class/believes_in_rows", tmp_path / "repository")
    done = ci(tmp_path / "repository", sealed, "--json", "out.json", "--min-score", 90)
    assert done.returncode == 1, done.stderr
    (result,) = json.loads((tmp_path / "repository/out.json").read_text())["results"]
    assert result["secret"] != "published"
    assert {check["visibility"] for one in result["questions"] for check in one["checks"]} == {"public", "hidden"}
    assert "Which axis runs over the examples?" in done.stdout
    assert [path.name for path in (tmp_path / "repository").iterdir() if path.suffix == ".key"] == []


def test_without_the_reference_unknown_errors_are_not_carried_and_the_result_says_so(sealed, tmp_path):
    (one,) = sealed.open()
    bare = msgspec.structs.replace(one.key, reference=())
    repository = write_notebook(tmp_path / "little.ipynb", [
        "import numpy as np\ndef centre(X):\n    return X - 3 * X.mean(axis=0) + X[0]\n"
        "def scale(X):\n    c = centre(X)\n    return c / np.sqrt((c * c).mean(axis=0))"]).parent  # fmt: skip
    (whole,) = grade_repository(repository, by_key([one], [], show_hidden=True), of_the_course=True)
    (less,) = grade_repository(repository, by_key([Unsealed(key=bare)], [], show_hidden=True), of_the_course=True)
    notes = [note for question in less.result.questions for check in question.checks for note in check.notes]
    assert any("this answer key has no reference" in note for note in notes)
    assert less.result.score < whole.result.score


def test_seal_can_leave_the_reference_out(graded, tmp_path):
    recipient = new_identity(tmp_path / "identity")
    done = graded.redink("seal", "little", "--to", "k.age", "--for", recipient, "--without-reference")
    assert done.returncode == 0, done.stderr
    pair = Pair(graded.root / "k.age", tmp_path / "identity", done.stdout.split()[-1])
    (one,) = pair.open()
    assert one.key.reference == ()
    assert any("not tried" in line for line in one.told)


# -- what is refused -------------------------------------------------------------------------------------------------


def test_another_file_than_the_pinned_one_is_not_opened(sealed, tmp_path):
    for change in (lambda data: data[:-1], lambda data: data[:-1] + bytes([data[-1] ^ 1]), lambda data: b""):
        file = tmp_path / "keys.age"
        file.write_bytes(change(sealed.file.read_bytes()))
        with pytest.raises(CourseError, match="is not the file that was pinned"):
            unseal(file, sealed.sha256, [sealed.secret])


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda data: data[:-20], "cut off or changed"),
        (lambda data: data[:300], "cut off or changed"),
        (lambda data: data[:-1] + bytes([data[-1] ^ 1]), "cut off or changed"),
        (lambda data: b"PK\x03\x04 a zip", "is no sealed answer key"),
    ],
)
def test_a_damaged_file_that_somebody_pinned_is_one_sentence(sealed, tmp_path, change, told):
    file = tmp_path / "keys.age"
    file.write_bytes(change(sealed.file.read_bytes()))
    with pytest.raises(CourseError, match=told):
        unseal(file, file_hash(file.read_bytes()), [sealed.secret])


def test_another_identity_is_one_sentence(sealed, tmp_path):
    other = new_pair()[0]
    with pytest.raises(CourseError, match="sealed for another key pair"):
        unseal(sealed.file, sealed.sha256, [other])
    with pytest.raises(CourseError, match="identity is damaged"):
        unseal(sealed.file, sealed.sha256, [other[:-3]])


def test_a_file_of_another_redink_is_outdated(sealed, tmp_path):
    with pytest.raises(CourseError, match=r"Redink 9\.9\.9 sealed it"):
        resealed(sealed, tmp_path, redink="9.9.9").open()
    with pytest.raises(CourseError, match="with other code"):
        resealed(sealed, tmp_path, code="else").open()
    assert metadata.version("redink") in _refusal(resealed(sealed, tmp_path, redink="9.9.9"))


def _refusal(pair: Pair) -> str:
    with pytest.raises(CourseError) as caught:
        pair.open()
    return str(caught.value)


def test_a_file_for_other_public_files_is_outdated(sealed, little, monkeypatch):
    monkeypatch.setattr(sealing, "installed_shelf", lambda: little.root / "assignments")
    sealed.open()
    readme = little.assignment / "README.md"
    readme.write_text(readme.read_text(encoding="utf-8") + "\nMore.\n", encoding="utf-8")
    with pytest.raises(CourseError, match="other public files of little"):
        sealed.open()


def test_something_else_that_was_encrypted_is_no_key(tmp_path):
    identity, recipient = new_pair()
    file = tmp_path / "keys.age"
    file.write_bytes(encrypt(b"Dear professor", [recipient]))
    with pytest.raises(CourseError, match="something else was encrypted"):
        unseal(file, file_hash(file.read_bytes()), [identity])


@pytest.mark.parametrize(
    ("options", "env", "told"),
    [
        ((), {"REDINK_IDENTITY": None}, "an identity is needed"),
        ((), {"REDINK_IDENTITY": "hello"}, "holds no line that begins with"),
        (("--assignment", "other"), {}, "the sealed key has no assignment 'other'"),
        (("--key-sha256", "00"), {}, "is not the file that was pinned"),
        (("--no-such-option",), {}, "No such option"),
    ],
)
def test_what_is_wrong_with_the_job_is_our_fault(sealed, tmp_path, options, env, told):
    done = ci(tmp_path, sealed, *options, env=env)
    assert done.returncode == 3
    assert told in done.stderr
    assert "Traceback" not in done.stderr


def test_a_key_without_a_pin_is_not_opened(sealed, tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "redink_cli", "ci", ".", "--key", str(sealed.file), "--identity", str(sealed.identity)],
        cwd=tmp_path, env=environment({"REDINK_KEY_SHA256": None}), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 3
    assert "--key needs --key-sha256" in done.stderr


# -- before the deadline -----------------------------------------------------------------------------------------------


def test_before_the_deadline_only_published_inputs_are_used(sealed, graded_course, tmp_path):
    (one,) = sealed.open()
    assert one.shown_from is None
    later = msgspec.structs.replace(one, shown_from=datetime.now(UTC) + timedelta(hours=1))
    over = msgspec.structs.replace(one, shown_from=datetime.now(UTC) - timedelta(hours=1))
    repository = graded_course / "class/ada_right"
    (early,) = grade_repository(repository, by_key([later], [], show_hidden=False), of_the_course=True)
    assert {check.visibility for question in early.result.questions for check in question.checks} == {"public"}
    assert early.result.secret == "published"
    assert "everybody's time is over" in early.only_public
    assert (early.result.score, early.result.max_score) == (80.0, 80.0)  # the concept question has hidden checks alone
    for told in (by_key([over], [], show_hidden=False), by_key([later], [], show_hidden=True)):
        (whole,) = grade_repository(repository, told, of_the_course=True)
        assert whole.result.score == whole.result.max_score == 100.0
        assert not whole.only_public


def test_the_deadline_is_the_last_extension(graded, tmp_path):
    (graded.root / "course.toml").write_text("[assignments.little]\ndue = 2020-01-02T12:00:00\n", encoding="utf-8")
    done = graded.redink("extend", "little", "ada_right", "--until", "2099-01-01", "--why", "ill")
    assert done.returncode == 0, done.stderr
    recipient = new_identity(tmp_path / "identity")
    done = graded.redink("seal", "little", "--to", "k.age", "--for", recipient)
    assert done.returncode == 0, done.stderr
    (one,) = Pair(graded.root / "k.age", tmp_path / "identity", done.stdout.split()[-1]).open()
    assert one.shown_from is not None
    assert one.shown_from.year in (2098, 2099)


# -- nothing is left to find -------------------------------------------------------------------------------------------

EVERYWHERE = ("/tmp", "/dev/shm", "/run", "/home", "/root", ".")
LOOK = """
import glob, os, re
wanted = [b"AGE-SECRET" + b"-KEY-1", b"ignores_a_common" + b"_shift"]
found = []
def look(where, data):
    if any(word in data for word in wanted):
        found.append(where)
def read(path, most=1 << 22):
    try:
        with open(path, "rb") as file:
            return file.read(most)
    except Exception:
        return b""
look("os.environ", repr(dict(os.environb)).encode())
everybody = {*(one for one in os.listdir("/proc") if one.isdigit()), "self", str(os.getppid()), *map(str, range(1, 400))}
for pid in PIDS or everybody:
    for name in ("environ", "cmdline", "comm", "maps"):
        look(f"{pid}/{name}", read(f"/proc/{pid}/{name}"))
    for link in glob.glob(f"/proc/{pid}/fd/*"):
        if pid != "self":
            look(link, read(link))
    if pid in ("self", str(os.getpid())):
        continue
    try:
        with open(f"/proc/{pid}/mem", "rb", 0) as memory:
            for line in read(f"/proc/{pid}/maps").decode().splitlines():
                begin, end = (int(one, 16) for one in line.split()[0].split("-"))
                if "r" in line.split()[1] and end - begin < 1 << 26:
                    memory.seek(begin)
                    look(f"{pid}/mem", memory.read(end - begin))
    except Exception:
        pass
for fd in range(3, 64):
    try:
        look(f"fd {fd}", os.pread(fd, 1 << 20, 0))
    except OSError:
        pass
for top in TOPS:
    for folder, _, names in os.walk(top):
        for name in names[:200]:
            path = os.path.join(folder, name)
            if os.path.isfile(path):
                look(path, read(path))
print("FOUND", found)
"""


def _looking(*tops: object, pids: tuple[str, ...] = ()) -> str:
    return LOOK.replace("TOPS", repr(tuple(map(str, tops)))).replace("PIDS", repr(pids))


def test_the_search_finds_an_identity_where_there_is_one(sealed, tmp_path):
    (tmp_path / "plain").write_bytes(HIDDEN)
    done = subprocess.run([sys.executable, "-c", _looking(tmp_path, pids=("self",))], env=environment({"IT": sealed.secret}),
                          capture_output=True, text=True, check=False)  # fmt: skip
    assert "os.environ" in done.stdout
    assert "self/environ" in done.stdout
    assert "plain" in done.stdout


@pytest.mark.parametrize("how", ["environment", "file"])
def test_a_submission_finds_neither_identity_nor_plaintext(sealed, graded_course, tmp_path, how):
    desk = Desk(graded_course, "little")
    (tmp_path / "key").mkdir()
    sealed = patient(sealed, tmp_path / "key")
    sources = desk.sources() | {SCALE: _looking(*EVERYWHERE, sealed.file.parent) + desk.sources()[SCALE]}
    repository = write_notebook(tmp_path / "repository/little.ipynb", sources.values()).parent
    options = ("--identity", sealed.identity) if how == "file" else ()
    env = {"REDINK_IDENTITY": None} if how == "file" else {}
    done = ci(repository, sealed, "--json", "out.json", *options, env=env)
    assert done.returncode == 0, done.stderr
    (result,) = json.loads((repository / "out.json").read_text())["results"]
    said = [cell["output"] for cell in result["cells"] if "FOUND" in cell["output"]]
    assert [line.strip() for line in said] == ["FOUND []"], result["cells"]


def test_no_process_of_a_grading_has_the_identity_in_its_environment_or_arguments(sealed, graded_course, tmp_path):
    desk = Desk(graded_course, "little")
    sources = desk.sources() | {CENTRE: "import time\ntime.sleep(3)\n" + desk.sources()[CENTRE]}
    repository = write_notebook(tmp_path / "little.ipynb", sources.values()).parent
    command = [sys.executable, "-m", "redink_cli", "ci", ".", "--key", sealed.file, "--key-sha256", sealed.sha256]
    told = environment({"REDINK_IDENTITY": sealed.identity.read_text(), "GITHUB_STEP_SUMMARY": None})
    with subprocess.Popen(list(map(str, command)), cwd=repository, env=told, stdout=subprocess.DEVNULL) as job:
        watched = set()
        while job.poll() is None:
            family = list(_family(job.pid))
            if len(family) > 2:  # the judge, and what boxes are forked from
                watched |= {one for one in family for text in _seen(one) if sealed.secret.encode() not in text}
                assert [one for one in family for text in _seen(one) if sealed.secret.encode() in text] == []
            time.sleep(0.1)
        assert job.returncode == 0
    assert len(watched) > 2


def _family(pid: int) -> Iterator[int]:
    yield pid
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return
    for child in children:
        yield from _family(int(child))


def _seen(pid: int) -> Iterator[bytes]:
    for name in ("environ", "cmdline"):
        try:
            yield Path(f"/proc/{pid}/{name}").read_bytes()
        except OSError:
            continue


def test_a_process_that_holds_a_key_leaves_no_core_dump_and_lets_nobody_look():
    code = "from redink.grader.private import keep_private; keep_private()\n"
    code += "import ctypes, os, resource; print(ctypes.CDLL(None).prctl(3), resource.getrlimit(resource.RLIMIT_CORE))\n"
    code += "import sys; sys.stdout.flush(); os.abort()"
    limit = f"ulimit -c unlimited; exec {sys.executable} -c '{code}'"
    done = subprocess.run(["sh", "-c", limit], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "0 (0, 0)"
    assert done.returncode in (-signal.SIGABRT, 128 + signal.SIGABRT)


LOOKS = """
import ctypes, os, sys
pid = int(sys.argv[1])
for name in ("environ", "mem", "maps"):
    try:
        with open(f"/proc/{pid}/{name}", "rb", 0) as file:
            if name == "mem":
                file.seek(int(open(f"/proc/{pid}/maps").read().split("-")[0], 16))
            print(name, "read" if file.read(1) else "empty")
    except PermissionError:
        print(name, "refused")
try:
    os.listdir(f"/proc/{pid}/fd")
    print("fd read")
except PermissionError:
    print("fd refused")
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
PTRACE_SEIZE = 0x4206
print("ptrace", "allowed" if libc.ptrace(PTRACE_SEIZE, pid, None, None) == 0 else os.strerror(ctypes.get_errno()))
local = ctypes.create_string_buffer(8)
class iovec(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("len", ctypes.c_size_t)]
mine, theirs = iovec(ctypes.addressof(local), 8), iovec(ctypes.addressof(local), 8)
done = libc.process_vm_readv(pid, ctypes.byref(mine), 1, ctypes.byref(theirs), 1, 0)
print("process_vm_readv", "refused" if done < 0 and ctypes.get_errno() == 1 else done)
"""
REFUSED = {"environ refused", "mem refused", "maps refused", "fd refused", "ptrace Operation not permitted",
           "process_vm_readv refused"}  # fmt: skip
SOMEBODY = (
    64_321  # an account that has no rights at all; a reader under the same account as the grader is the hardest case
)


def _as_somebody(*words: object) -> list[str]:
    """Return a command that runs without the rights of root."""
    changed = [
        "setpriv",
        f"--reuid={SOMEBODY}",
        f"--regid={SOMEBODY}",
        "--clear-groups",
        "--no-new-privs",
        "--inh-caps=-all",
    ]
    return [*(changed if os.getuid() == 0 else []), *map(str, words)]


@pytest.mark.parametrize("private", [True, False])
def test_nobody_of_the_same_account_looks_into_a_process_that_holds_a_key(private):
    """Root may look into everything; so reader and holder both are an ordinary account here, which is the same."""
    call = "from redink.grader.private import keep_private; keep_private()\n" if private else ""
    let = "import ctypes; ctypes.CDLL(None).prctl(0x59616d61, ctypes.c_ulong(-1), 0, 0, 0)\n"  # Yama keeps nobody out
    code = f"{let}{call}import sys; print('ready', flush=True); sys.stdin.read()"
    command = _as_somebody(sys.executable, "-c", code)
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd="/") as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "ready\n"
        reader = _as_somebody(sys.executable, "-c", LOOKS, holder.pid)
        seen = subprocess.run(reader, capture_output=True, text=True, check=False, cwd="/")
        holder.communicate()
    said = set(seen.stdout.splitlines())
    assert len(said) == 6, seen.stderr
    if private:
        assert said == REFUSED
    else:  # the same looks into a process that hides nothing: they do find what there is
        assert {"environ read", "maps read", "mem read", "fd read"} <= said


@pytest.mark.parametrize("private", [True, False])
def test_an_ordinary_account_gets_no_core_dump_of_a_process_that_holds_a_key(private):
    """The kernel says whether it dumped; where it dumps nobody's core, only the refusal can be seen."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o777)
        code = f"import os, resource\nos.chdir({folder!r})\nresource.setrlimit(4, (resource.getrlimit(4)[1],) * 2)\n"
        code += "from redink.grader.private import keep_private; keep_private()\n" if private else ""
        command = _as_somebody(sys.executable, "-c", f"{code}os.abort()")
        status = os.waitpid(os.spawnvp(os.P_NOWAIT, command[0], command), 0)[1]
        assert os.WTERMSIG(status) == signal.SIGABRT
        if private:
            assert not os.WCOREDUMP(status)
            assert list(Path(folder).iterdir()) == []
        elif not os.WCOREDUMP(status):
            pytest.skip("this machine dumps no core of anybody")


def test_the_judge_lets_nobody_look_either(sealed):
    from redink.grader.workers.judge_process import JudgeProcess

    (one,) = msgspec.msgpack.decode(decrypt(sealed.file.read_bytes(), [sealed.secret], ""), type=SealedKeys).assignments
    decode_key(one.key, "")
    judge = JudgeProcess(one.key)
    try:
        judge.read(b"{}")
        assert judge._own is not None
        for pid in (judge.pid, judge._own._process.pid):  # the template holds the key too
            limits = Path(f"/proc/{pid}/limits").read_text()
            assert re.search(r"Max core file size\s+0\s+0", limits)
            if os.getuid():
                with pytest.raises(PermissionError):
                    Path(f"/proc/{pid}/environ").read_bytes()
    finally:
        judge.close()
