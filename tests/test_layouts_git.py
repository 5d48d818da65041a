"""A list of git repositories: snapshots by git itself, nothing of a repository runs, and dates are only claims."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from redink.errors import CourseError, SubmissionError
from redink.grader.intake import git
from redink.grader.intake.layouts import repositories
from redink.grader.pipeline.collect import Collected, collect
from redink.grader.pipeline.load import load
from tests.handing_in import EMPTY
from tests.test_crash import wait_until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="grading needs Linux")

NOON = datetime(2024, 2, 1, 12, tzinfo=UTC)


def run(folder: Path, *arguments: str, at: datetime = NOON) -> None:
    date = f"{int(at.timestamp())} +0000"
    who = {f"GIT_{role}_{what}": "a@b.c" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    env = {**os.environ, **who, "GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date, "GIT_CONFIG_GLOBAL": "/dev/null"}
    subprocess.run(["git", "-C", str(folder), *arguments], env=env, check=True, capture_output=True)


def commit(folder: Path, content: bytes, at: datetime = NOON, name: str = "perceptron.ipynb") -> None:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(content)
    run(folder, "add", "-A")
    run(folder, "commit", "-q", "-m", "work", at=at)


def repository(top: Path, name: str, content: bytes = EMPTY, at: datetime = NOON) -> Path:
    folder = top / name
    folder.mkdir(parents=True)
    run(folder, "init", "-q", "-b", "main")
    commit(folder, content, at)
    return folder


def listed(path: Path, *lines: object) -> Path:
    path.write_text("# our repositories\n\n" + "".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def contents(found: Collected) -> dict[str, bytes | str]:
    return {one.id: load(one).reason or load(one).data for one in found.found}


def test_a_list_of_repositories_is_recognised_and_read(tmp_path):
    repository(tmp_path, "perceptron-ada", b"ada")
    repository(tmp_path, "ben/perceptron", b"ben")
    run(tmp_path / "ben", "clone", "-q", "--bare", "perceptron", "../cy.git")
    before = datetime.now(UTC)
    lines = ("perceptron-ada", tmp_path / "ben/perceptron", f"file://{tmp_path}/cy.git")
    found = collect("perceptron", listed(tmp_path / "repos.txt", *lines))
    assert contents(found) == {"ada": b"ada", "ben": b"ben", "cy": b"ben"}
    assert found.gathered.told == "Git repositories: 3 files, 3 students"
    for one in found.gathered.taken:
        assert one.handed_in is not None
        assert before <= one.handed_in <= datetime.now(UTC)
        assert one.claimed == NOON


def test_a_branch_is_named_after_a_hash_or_in_a_column(tmp_path):
    for name in ("ada", "ben"):
        repository(tmp_path, name, b"main")
        run(tmp_path / name, "checkout", "-q", "-b", "final/1")
        commit(tmp_path / name, b"final")
        run(tmp_path / name, "checkout", "-q", "main")
    found = collect("perceptron", listed(tmp_path / "repos.txt", "ada#final/1", "ben\tfinal/1"))
    assert contents(found) == {"ada": b"final", "ben": b"final"}


def test_the_last_commit_before_the_deadline_is_taken_and_later_ones_are_told(tmp_path):
    folder = repository(tmp_path, "ada", b"in time")
    commit(folder, b"late", NOON + timedelta(days=2))
    repository(tmp_path, "ben", b"late", NOON + timedelta(days=2))
    found = collect("perceptron", listed(tmp_path / "repos.txt", "ada", "ben"), before=NOON + timedelta(hours=1))
    assert contents(found) == {
        "ada": b"in time",
        "ben": "the repository of ben has no commit that says it is from before the deadline",
    }
    assert next(one for one in found.gathered.taken if one.student == "ada").flags == ("1 later commit left out",)
    assert found.gathered.told.endswith("the last commits that say they are from before 2024-02-01 13:00 UTC")


def flags(tmp_path: Path, **how: datetime) -> tuple[str, ...]:
    (one,) = collect("perceptron", listed(tmp_path / "repos.txt", "ada"), **how).gathered.taken
    return one.flags


def test_a_commit_from_the_future_is_flagged(tmp_path):
    repository(tmp_path, "ada", at=datetime.now(UTC) + timedelta(days=30))
    assert any("after the snapshot was taken" in flag for flag in flags(tmp_path))


def test_a_commit_that_is_older_than_the_one_it_follows_is_flagged(tmp_path):
    commit(repository(tmp_path, "ada", b"1", NOON), b"2", NOON - timedelta(days=9))
    assert flags(tmp_path) == ("says that it was made 2024-01-23 12:00 UTC, before the commit that it follows",)


def test_an_honest_history_is_not_flagged(tmp_path):
    folder = repository(tmp_path, "ada", b"0", NOON)
    for day in range(1, 5):
        commit(folder, b"%d" % day, NOON + timedelta(days=day))
    assert flags(tmp_path) == ()


def test_a_repository_that_cannot_be_read_is_that_students_problem(tmp_path):
    repository(tmp_path, "ada", b"ada")
    (tmp_path / "empty").mkdir()
    run(tmp_path / "empty", "init", "-q")
    (tmp_path / "broken/.git").mkdir(parents=True)
    (tmp_path / "broken/.git/HEAD").write_text("nonsense")
    lines = ("ada", "empty", "broken", f"file://{tmp_path}/nowhere", "ada#nobranch")
    found = contents(collect("perceptron", listed(tmp_path / "repos.txt", *lines[:4])))
    assert found.pop("ada") == b"ada"
    assert set(found) == {"empty", "broken", "nowhere"}
    assert all(str(reason).startswith(f"the repository of {name} ") for name, reason in found.items())
    (alone,) = contents(collect("perceptron", listed(tmp_path / "r.txt", "ada#nobranch"))).values()
    assert "nobranch" in str(alone)


def test_a_token_in_an_address_is_not_kept(tmp_path):
    lines = listed(tmp_path / "repos.txt", "https://me:s3cret@localhost:1/org/perceptron-ada.git")
    (one,) = collect("perceptron", lines).gathered.taken
    assert one.student == "ada"
    assert one.ids == {"git": "https://localhost:1/org/perceptron-ada.git"}
    assert "s3cret" not in (one.problem or "s3cret")


def test_nothing_of_a_repository_is_checked_out_run_or_followed(tmp_path):
    folder = repository(tmp_path, "ada", b"ada")
    sign = tmp_path / "pwned"
    (folder / "link.ipynb").symlink_to("/etc/passwd")
    (folder / ".gitattributes").write_text("*.ipynb filter=evil\n")
    (folder / ".gitmodules").write_text('[submodule "x"]\n\tpath = x\n\turl = ext::touch ' + str(sign) + "\n")
    commit(folder, b"ada")
    for hook in ("post-checkout", "pre-commit", "post-upload-pack", "reference-transaction"):
        path = folder / ".git/hooks" / hook
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\ntouch {sign}\n")
        path.chmod(0o755)
    with (folder / ".git/config").open("a") as file:
        file.write(f'[filter "evil"]\n\tsmudge = touch {sign}\n[core]\n\tfsmonitor = touch {sign}\n')
        file.write(f'[uploadpack]\n\tpackObjectsHook = touch {sign}\n[alias]\n\tlog = "!touch {sign}"\n')
    assert contents(collect("perceptron", listed(tmp_path / "repos.txt", "ada"))) == {"ada": b"ada"}
    assert not sign.exists()


def test_a_link_in_a_repository_is_told_as_such(tmp_path):
    folder = tmp_path / "ada"
    folder.mkdir()
    run(folder, "init", "-q", "-b", "main")
    (folder / "perceptron.ipynb").symlink_to("/etc/passwd")
    commit(folder, b"x", name="notes.txt")
    (reason,) = contents(collect("perceptron", listed(tmp_path / "repos.txt", "ada"))).values()
    assert reason == "ada/perceptron.ipynb is a link, and links are not followed"


@pytest.mark.parametrize(
    "line", ["ext::sh -c touch% /tmp/x", "--upload-pack=touch", "-oProxyCommand=x", "Dear professor", "https://", "a#b#c",
             "ssh://-oProxyCommand=x/y", "git@-x:y", "nowhere/at/all", "https://example.org/x --branch"]
)  # fmt: skip
def test_a_line_that_names_no_repository_is_one_sentence(tmp_path, line):
    with pytest.raises(CourseError) as told:
        collect("perceptron", listed(tmp_path / "repos.txt", line), insist="git")
    assert "line 3" in str(told.value)
    with pytest.raises(CourseError):
        collect("perceptron", tmp_path / "repos.txt")


def test_a_folder_of_repositories_is_read_by_git_when_insisted(tmp_path):
    repository(tmp_path / "all", "ada", b"committed")
    (tmp_path / "all/ada/perceptron.ipynb").write_bytes(b"only on disk")
    assert contents(collect("perceptron", tmp_path / "all", insist="git")) == {"ada": b"committed"}
    assert contents(collect("perceptron", tmp_path / "all")) == {"ada": b"only on disk"}


def test_a_time_before_which_is_only_for_repositories(tmp_path):
    (tmp_path / "ada.ipynb").write_bytes(EMPTY)
    with pytest.raises(CourseError, match="only of these can an earlier state be taken"):
        collect("perceptron", tmp_path, before=NOON)


def test_git_that_takes_too_long_is_ended(tmp_path, monkeypatch):
    slow = tmp_path / "bin/git"
    slow.parent.mkdir()
    slow.write_text("#!/bin/sh\nsleep 60\n")
    slow.chmod(0o755)
    repository(tmp_path, "ada")
    monkeypatch.setenv("PATH", f"{slow.parent}:{os.environ['PATH']}")
    monkeypatch.setattr(git, "_SECONDS", 0.2)
    (reason,) = contents(collect("perceptron", listed(tmp_path / "repos.txt", "ada"))).values()
    assert "took more than" in str(reason)


def test_clones_are_removed_when_nobody_needs_them(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "t"))
    (tmp_path / "t").mkdir()
    repository(tmp_path, "ada")
    git._clones.cache_clear()
    try:
        found = collect("perceptron", listed(tmp_path / "repos.txt", "ada", f"file://{tmp_path}/no"))
    finally:
        git._clones.cache_clear()
    assert len(list((tmp_path / "t").glob("*/git-*"))) == 1
    del found
    assert list((tmp_path / "t").glob("*/git-*")) == []


CLONES = """
import os, signal, sys
from redink.grader.intake.git import Repository
clone = Repository(sys.argv[1])
if sys.argv[2] == "killed":
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_the_clones_of_a_command_that_was_killed_are_removed_by_the_next(tmp_path):
    folder, tmp = repository(tmp_path, "ada"), tmp_path / "t"
    tmp.mkdir()
    for how in ("killed", "whole"):
        for left in tmp.iterdir():
            os.utime(left, (0, 0))  # it is not quite new
        command = [sys.executable, "-c", CLONES, f"file://{folder}", how]
        done = subprocess.run(command, env={**os.environ, "TMPDIR": str(tmp)}, check=False)
        assert done.returncode == (0 if how == "whole" else -signal.SIGKILL)
        assert how == "whole" or list(tmp.glob("*/git-*/clone"))
    wait_until(lambda: not list(tmp.iterdir()))


def _commondir(of: Path, alice: Path) -> None:
    for name in ("objects", "refs"):
        shutil.rmtree(of / ".git" / name)
        (of / ".git" / name).mkdir()
    (of / ".git/commondir").write_text(f"{alice}/.git\n")


def _a_file(of: Path, alice: Path) -> None:
    shutil.rmtree(of / ".git")
    (of / ".git").write_text(f"gitdir: {alice}/.git\n")


def _a_link(of: Path, alice: Path) -> None:
    shutil.rmtree(of / ".git")
    (of / ".git").symlink_to(alice / ".git")


def _a_link_that_leads_nowhere(of: Path, alice: Path) -> None:
    shutil.rmtree(of / ".git")
    (of / ".git").symlink_to("nowhere")


def _a_folder_that_is_a_link(of: Path, alice: Path) -> None:
    shutil.rmtree(of)
    of.symlink_to(alice)


def _linked(what: str) -> Callable[[Path, Path], None]:
    def make(of: Path, alice: Path) -> None:
        path = of / ".git" / what
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
        path.symlink_to(alice / ".git" / what)

    make.__name__ = f"a linked {what.replace('/', ' ')}"
    return make


def _alternates(of: Path, alice: Path) -> None:
    (of / ".git/objects/info/alternates").write_text(f"{alice}/.git/objects\n")
    (of / ".git/refs/heads/main").write_bytes((alice / ".git/refs/heads/main").read_bytes())


def _bare_and_elsewhere(of: Path, alice: Path) -> None:
    shutil.rmtree(of)
    of.mkdir()
    (of / "HEAD").write_text("ref: refs/heads/main\n")
    (of / "commondir").write_text(f"{alice}/.git\n")


def _a_repository_without_its_objects(of: Path, alice: Path) -> None:
    shutil.rmtree(of / ".git/objects")
    (of / ".git/refs/heads/main").write_bytes((alice / ".git/refs/heads/main").read_bytes())
    with (of / ".git/config").open("a") as file:
        file.write(f'[remote "origin"]\n\turl = {alice}\n\tpromisor = true\n[extensions]\n\tpartialClone = origin\n')


REDIRECTIONS = (
    _commondir, _a_file, _a_link, _a_link_that_leads_nowhere, _a_folder_that_is_a_link, _linked("objects"), _linked("HEAD"),
    _linked("refs"), _linked("refs/heads/main"), _linked("packed-refs"), _alternates, _bare_and_elsewhere,
    _a_repository_without_its_objects,
)  # fmt: skip


@pytest.mark.parametrize("redirect", REDIRECTIONS, ids=lambda one: one.__name__.strip("_"))
@pytest.mark.parametrize("how", ["a folder", "a list", "addresses"])
def test_a_repository_that_is_somebody_elses_is_nobodys(tmp_path, redirect, how):
    alice = repository(tmp_path / "class", "alice", b"alice's own")
    eve = repository(tmp_path / "class", "eve", b"eve's own")
    redirect(eve, alice)
    if how != "a folder" and eve.is_symlink():
        pytest.skip("what is typed may be a link")
    names = ("alice", "eve")
    lines = [f"file://{tmp_path}/class/{name}" if how == "addresses" else f"class/{name}" for name in names]
    source = tmp_path / "class" if how == "a folder" else listed(tmp_path / "repos.txt", *lines)
    found = contents(collect("perceptron", source, insist="git"))
    assert found.pop("alice") == b"alice's own"
    assert str(found.pop("eve")).startswith("the repository of eve ")
    assert not found


def test_no_setting_of_a_repository_and_no_variable_of_the_grader_leads_elsewhere(tmp_path, monkeypatch):
    alice, eve = (repository(tmp_path, name, name.encode()) for name in ("alice", "eve"))
    (tmp_path / "more").write_text(f"[core]\n\tworktree = {alice}\n[uploadpack]\n\thideRefs = refs/heads\n")
    with (eve / ".git/config").open("a") as file:
        file.write(
            f"[include]\n\tpath = {tmp_path}/more\n[core]\n\tworktree = {alice}\n\trepositoryformatversion = 9\n"
        )
    (eve / ".git/worktrees/x").mkdir(parents=True)
    (eve / ".git/worktrees/x/gitdir").write_text(f"{alice}/.git\n")
    monkeypatch.setenv("GIT_DIR", f"{alice}/.git")
    monkeypatch.setenv("GIT_COMMON_DIR", f"{alice}/.git")
    monkeypatch.setenv("GIT_ALTERNATE_OBJECT_DIRECTORIES", f"{alice}/.git/objects")
    found = contents(collect("perceptron", listed(tmp_path / "repos.txt", "eve")))
    assert found == {"eve": b"eve"}


def test_repositories_of_every_honest_kind_are_read(tmp_path):
    """Packed, bare, shallow, with names of the longer kind, with a linked working tree, and of another user."""
    for name in ("packed", "bare", "shallow", "with_a_tree"):
        commit(repository(tmp_path, name, b"old"), name.encode())
    run(tmp_path / "packed", "gc", "-q")
    run(tmp_path / "packed", "pack-refs", "--all")
    for name, how in (("bare", "--bare"), ("shallow", "--depth=1")):
        run(tmp_path, "clone", "-q", how, f"file://{tmp_path}/{name}", f"new_{name}")
    run(tmp_path / "with_a_tree", "worktree", "add", "-q", "../another")
    (tmp_path / "long").mkdir()
    run(tmp_path / "long", "init", "-q", "-b", "main", "--object-format=sha256")
    commit(tmp_path / "long", b"long")
    lines = ("packed", "new_bare", "new_shallow", "with_a_tree", "long")
    found = contents(collect("perceptron", listed(tmp_path / "repos.txt", *lines)))
    assert {name.removeprefix("new_"): text for name, text in found.items()} == {
        name.removeprefix("new_"): name.removeprefix("new_").encode() for name in lines
    }


def _object(folder: Path, kind: str, data: bytes) -> str:
    command = ["git", "-C", str(folder), "hash-object", "-w", "-t", kind, "--literally", "--stdin"]
    return subprocess.run(command, input=data, check=True, capture_output=True).stdout.decode().strip()


def _committed(folder: Path, tree: str) -> None:
    who = "a <a@b> 1700000000 +0000"
    name = _object(folder, "commit", f"tree {tree}\nauthor {who}\ncommitter {who}\n\nx\n".encode())
    run(folder, "update-ref", "refs/heads/main", name)


def _large_when_unpacked(folder: Path) -> None:
    blobs = [_object(folder, "blob", bytes(400 << 20) + bytes([n])) for n in range(2)]
    entries = [b"100644 %d\0" % n + bytes.fromhex(name) for n, name in enumerate(blobs)]
    _committed(folder, _object(folder, "tree", b"".join(entries)))
    packing = ["repack", "-adfq", "--depth=3", "--window=5", "--threads=1"]
    run(folder, "-c", "core.bigFileThreshold=2g", *packing)


def _of_many_paths(folder: Path) -> None:
    mode, below = "100644", _object(folder, "blob", b"{}")
    for _ in range(10):
        entries = [f"{mode} {'f' * 200}{n}".encode() + b"\0" + bytes.fromhex(below) for n in range(10)]
        mode, below = "40000", _object(folder, "tree", b"".join(entries))
    _committed(folder, below)


CHILDREN = """
import resource, sys
from pathlib import Path
from redink.grader.pipeline.collect import collect

for one in collect("perceptron", Path(sys.argv[1])).found:
    print(one.id, one.problem)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)
"""


@pytest.mark.parametrize(
    ("make", "says"),
    [(_large_when_unpacked, "git needs more than 512 MB for it"), (_of_many_paths, "git says too much of it")],
    ids=["of large files", "of many paths"],
)
def test_git_takes_neither_memory_nor_disk_without_end(tmp_path, make, says):
    make(repository(tmp_path, "eve"))
    repository(tmp_path, "ada")
    tmp = tmp_path / "t"
    tmp.mkdir()
    command = [sys.executable, "-c", CHILDREN, str(listed(tmp_path / "repos.txt", "ada", "eve"))]
    done = subprocess.run(
        command, env={**os.environ, "TMPDIR": str(tmp)}, capture_output=True, text=True, check=True, timeout=120
    )
    ada, eve, peak = done.stdout.splitlines()
    assert ada == "ada None"
    assert says in eve, eve
    assert int(peak) < 600  # MB: the limit, and what git reads of files


def test_the_time_of_git_is_for_all_that_is_asked_of_one_repository(tmp_path, monkeypatch):
    clone = git.Repository(str(repository(tmp_path, "ada")))
    (one,) = clone.commits()
    monkeypatch.setattr(clone, "_left", 0.0)
    with pytest.raises(SubmissionError, match="git took more than 120 s"):
        clone.tree(one)


def test_no_more_repositories_are_read_at_once_than_there_is_memory_for(tmp_path, monkeypatch):
    memory = tmp_path / "meminfo"
    monkeypatch.setattr(repositories, "MEMORY", memory)
    for free, wanted in ((100 << 10, 1), (3 << 20, 3), (1 << 30, 8)):
        memory.write_text(f"MemTotal: 1 kB\nMemAvailable:   {free} kB\n")
        assert repositories._at_once() == wanted


@pytest.mark.parametrize("time", ["", " x +0000", " -62135596800 +0000", " 253402300799 +0000", f" {'9' * 30} +0000"])
def test_a_commit_of_no_possible_time_is_read_and_stops_nobody(tmp_path, time):
    repository(tmp_path, "perceptron-ada", b"ada")
    folder = repository(tmp_path, "perceptron-eve", b"eve")
    git_of = ["git", "-C", str(folder)]
    tree = subprocess.run([*git_of, "rev-parse", "HEAD^{tree}"], check=True, capture_output=True, text=True).stdout
    text = f"tree {tree}author e <e@x>{time}\ncommitter e <e@x>{time}\n\nwork\n"
    made = [*git_of, "hash-object", "-t", "commit", "-w", "--stdin", "--literally"]
    name = subprocess.run(made, input=text, check=True, capture_output=True, text=True).stdout.strip()
    run(folder, "update-ref", "refs/heads/main", name)
    source = listed(tmp_path / "repos.txt", "perceptron-ada", "perceptron-eve")
    assert contents(collect("perceptron", source)) == {"ada": b"ada", "eve": b"eve"}
    early = collect("perceptron", source, before=NOON + timedelta(days=1))
    assert {one.id: bool(one.problem) for one in early.found} == {"ada": False, "eve": True}
