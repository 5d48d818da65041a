"""A list of git repositories, one a line: a path or an address, and a branch after `#` or in a second column.

A commit's dates are the student's to choose. So the time handed in is when the snapshot was taken, the commit's own is only
claimed, and a commit that cannot be as old or as new as it says is flagged.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from pathlib import Path

import msgspec

from redink.errors import CourseError, in_one_sentence
from redink.files import read_file
from redink.grader.intake.folder import Folder
from redink.grader.intake.git import MOST_MEMORY, Commit, Repository
from redink.grader.intake.layouts.choosing import choose_in_folder, ignored_of, take
from redink.grader.intake.layouts.classroom import user_of
from redink.grader.intake.layouts.gathered import Gathered, Ignored, Sought, Taken, gathered
from redink.grader.intake.tree import Tree
from redink.records import Record
from redink.texts import clean, file_name

NAME, TITLE = "git", "Git repositories"
_ADDRESS = re.compile(r"(https?|ssh|git|file)://[^\s-]\S*|\w[\w.-]*@\w[\w.-]*:[^\s-]\S*", re.IGNORECASE)
_PASSWORD = re.compile(r"(?<=://)[^/@\s]*@")
_BRANCH = re.compile(r"[\w][\w./+-]*")
_LARGEST, _MOST = 1 << 20, 5_000  # bytes of a list, and repositories in it
MEMORY = Path("/proc/meminfo")
_AT_ONCE = 8  # where there is memory for it
_SLACK = timedelta(minutes=10)  # between the clocks of two machines
_OLD = timedelta(days=1)  # that a commit may be older than the one it follows


class Line(Record, frozen=True):
    """One repository of a list."""

    source: str
    branch: str = ""
    folder: str = ""  # the name of the folder around it
    name: str = ""  # its own name


def is_list(path: Path) -> bool:
    """Tell whether a file is a list of repositories: every line of it names one."""
    try:
        lines = read_list(path)
    except CourseError:
        return False
    return bool(lines)


def read_list(path: Path) -> list[Line]:
    """Read a list of repositories, or find them in a folder; `CourseError` says which line is none."""
    if path.is_dir():
        found = sorted(one for one in path.iterdir() if _may_be_one(one))
        return [
            Line(source=str(one.absolute()), folder=path.resolve().name, name=one.name.removesuffix(".git"))
            for one in found
        ]
    try:
        data = read_file(path)
        text = data[: _LARGEST + 1].decode("utf-8-sig")
    except Exception as error:  # whatever it is, it is no list
        raise CourseError(f"{path} is no list of repositories: {clean(in_one_sentence(error))}") from error
    lines = [line.strip() for line in text.splitlines()]
    wanted = [(number, line) for number, line in enumerate(lines, start=1) if line and not line.startswith("#")]
    if len(data) > _LARGEST or len(wanted) > _MOST:
        raise CourseError(f"{path} is too long for a list of repositories")
    return [_checked(line, number, path) for number, line in wanted]


def read_repositories(lines: Sequence[Line], sought: Sought, before: datetime | None, around: Path) -> Gathered:
    """Take a snapshot of each repository; one that cannot be read is that student's problem."""
    keys = _keys(lines, sought.slug)
    folder = Folder(around if around.is_dir() else around.parent)  # nobody's tree, for those without a file
    with ThreadPoolExecutor(_at_once()) as pool:
        found = list(pool.map(lambda line, student: _snapshot(sought, line, student, before, folder), lines, keys))
    done = gathered(NAME, TITLE, [one for one, _ in found], [passed for _, some in found for passed in some])
    if before is None:
        return done
    note = f"; the last commits that say they are from before {before:%Y-%m-%d %H:%M %Z}"
    return msgspec.structs.replace(done, told=f"{done.told}{note}")


def _at_once() -> int:
    """Return how many repositories are read at a time: for each, git may take its most memory to send and to receive."""
    found = re.search(r"MemAvailable: +(\d+) kB", MEMORY.read_text(encoding="ascii"))
    free = int(found[1]) << 10 if found else 0
    return max(1, min(_AT_ONCE, free // (2 * MOST_MEMORY)))


def _checked(line: str, number: int, path: Path) -> Line:
    if _is_repository(line, path):
        return _line(line, path)
    source, branch = line, ""
    parts = [part.strip() for part in re.split(r"[\t,;]|\s+", line) if part.strip()]
    if len(parts) == 2:
        source, branch = parts
    if "#" in source and not branch:
        source, _, branch = source.rpartition("#")
    if not _is_repository(source, path) or (branch and not _BRANCH.fullmatch(branch)):
        shown = clean(line, 100)
        raise CourseError(
            f"{path}, line {number}: {shown!r} is neither the address of a repository nor a folder of one"
        )
    return msgspec.structs.replace(_line(source, path), branch=branch)


def _is_repository(source: str, path: Path) -> bool:
    if "#" in source:
        return False
    if _ADDRESS.fullmatch(source):
        return True
    try:
        local = path.parent / source
        return not source.startswith("-") and _may_be_one(local)
    except (OSError, ValueError):
        return False


def _may_be_one(folder: Path) -> bool:
    """Tell whether a folder says that it is a repository, though perhaps a link's or another one's."""
    return any(os.path.lexists(folder / name) for name in (".git", "HEAD"))


def _line(source: str, path: Path) -> Line:
    address = _ADDRESS.fullmatch(source) is not None
    parts = [part for part in re.split(r"[/:]", source if address else str((path.parent / source).resolve())) if part]
    name = parts[-1].removesuffix(".git")
    folder = parts[-2] if len(parts) > 1 else ""
    return Line(source=source if address else str((path.parent / source).resolve()), folder=folder, name=name)


def _keys(lines: Sequence[Line], slug: str) -> list[str]:
    """Name the student of each repository: the user in its name, else its name, else whose it is."""
    users = [user_of(line.name, slug) for line in lines]
    shared = Counter(line.name for line in lines)
    return [
        file_name(user or (line.folder if line.folder and (line.name == slug or shared[line.name] > 1) else line.name))
        for line, user in zip(lines, users, strict=True)
    ]


def _snapshot(
    sought: Sought, line: Line, student: str, before: datetime | None, nowhere: Tree
) -> tuple[Taken, list[Ignored]]:
    person = Taken(student=student, ids={"git": _without_password(line.source)}, file=student, tree=nowhere, place=())
    try:
        repository = Repository(line.source, line.branch)
        person = msgspec.structs.replace(person, handed_in=repository.taken_at)
        commits = repository.commits()
        at = _last(commits, before)
        if at is None:
            problem = f"the repository of {student} has no commit that says it is from before the deadline"
            return msgspec.structs.replace(person, problem=problem), []
        flags = tuple(_suspicions(commits, at, repository.taken_at))
        person = msgspec.structs.replace(person, claimed=commits[at].committed, flags=flags)
        choice = choose_in_folder(sought, repository.tree(commits[at]), (), student)
    except Exception as error:  # noqa: BLE001 - whatever one repository does, it does to itself
        problem = f"the repository of {student} {_without_password(in_one_sentence(error))}"
        return msgspec.structs.replace(person, problem=problem), []
    return take(choice, person), ignored_of(choice, student)


def _without_password(text: str) -> str:
    """Leave out of addresses what may be a password or a token."""
    return clean(_PASSWORD.sub("", text))


def _last(commits: Sequence[Commit], before: datetime | None) -> int | None:
    """Find the newest commit, or the newest that says it is not from after the deadline."""
    if before is None:
        return 0 if commits else None
    return next((at for at, one in enumerate(commits) if one.committed and one.committed <= before), None)


def _suspicions(commits: Sequence[Commit], at: int, taken_at: datetime) -> list[str]:
    """Say what cannot be true of a commit's dates, and what was left out after it."""
    commit, parent = commits[at], commits[at + 1] if at + 1 < len(commits) else None
    found = []
    if at:
        found.append(f"{at} later commit{'s' if at > 1 else ''} left out")
    for what, time in (("was made", commit.committed), ("was written", commit.written)):
        if time is None or time > taken_at + _SLACK:
            found.append(f"says that it {what} {_shown(time)}, after the snapshot was taken")
    if parent and commit.committed and parent.committed and commit.committed < parent.committed - _OLD:
        found.append(f"says that it was made {_shown(commit.committed)}, before the commit that it follows")
    if at and any(one.committed and commit.committed and one.committed < commit.committed for one in commits[:at]):
        found.append("later commits say that they are older than it")
    return found


def _shown(time: datetime | None) -> str:
    return f"{time:%Y-%m-%d %H:%M %Z}" if time else "at no time"
