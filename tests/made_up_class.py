"""A made-up class, written to disk as the platforms write theirs, with what ought to come out of it.

Names are those that break things: umlauts, apostrophes, one word, four words, right to left, the same twice. What is handed
in is what happens at a deadline: right, wrong, blank, late, twice, in a zip, as a script, as a PDF, or not at all.
"""

from __future__ import annotations

import io
import json
import random
import re
import shutil
import subprocess
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal

Kind = Literal["right", "wrong", "blank", "late", "again", "zipped", "script", "pdf", "missing"]

DUE = datetime(2026, 11, 20, 22, 59, tzinfo=UTC)
KINDS: tuple[Kind, ...] = (
    "right",
    "right",
    "wrong",
    "right",
    "late",
    "blank",
    "again",
    "zipped",
    "script",
    "pdf",
    "missing",
)
GIVEN = ("Ada", "Zoë", "Jean-Luc", "María José", "Иван", "محمد", "小明", "O'Neil", "Kim", "Ōe", "Søren", "Ann")
FAMILY = (
    "Lovelace",
    "Müller",
    "d'Arc",
    "García Márquez",
    "Петров",
    "الحسن",
    "王",
    "de la Cruz",
    "Lee",
    "Kenzaburō",
    "Ærø",
    "X",
)
NO_NOTEBOOK = b"%PDF-1.7 my homework"


@dataclass(frozen=True)
class Student:
    """One made-up student, and what the platforms call this person."""

    login: str
    given: str
    family: str
    number: int
    kind: Kind

    @property
    def name(self) -> str:
        return f"{self.given} {self.family}"

    @property
    def email(self) -> str:
        return f"{self.login}@uni.example"

    @property
    def canvas(self) -> str:
        return str(40_000 + self.number)

    @property
    def moodle(self) -> str:
        return str(7_000_000 + self.number)

    @property
    def handed_in(self) -> datetime:
        late = timedelta(hours=30) if self.kind == "late" else timedelta(minutes=-self.number - 1)
        return DUE + late


@dataclass(frozen=True)
class MadeUp:
    """A class, and the notebooks that are handed in, by what they are (right, wrong, blank)."""

    slug: str
    students: tuple[Student, ...]
    notebooks: Mapping[str, bytes]

    def handed_in(self) -> tuple[Student, ...]:
        return tuple(one for one in self.students if one.kind != "missing")

    def content(self, student: Student) -> tuple[str, bytes]:
        """Return the file of a student's last attempt: its name, and what is in it; everybody's bytes are different."""
        if student.kind == "pdf":
            return "homework.pdf", NO_NOTEBOOK
        data = self.notebook(
            student, "wrong" if student.kind == "wrong" else "blank" if student.kind == "blank" else "right"
        )
        if student.kind == "zipped":
            return "my work.zip", zipped({f"work/{self.slug}.ipynb": data})
        if student.kind == "script":
            return f"{self.slug}.py", as_script(data)
        return f"{self.slug}.ipynb", data

    def notebook(self, student: Student, what: str) -> bytes:
        document = json.loads(self.notebooks[what])
        document["metadata"]["made_up_for"] = student.login
        return json.dumps(document).encode()

    def first_attempt(self, student: Student) -> bytes:
        return self.notebook(student, "blank")

    def expected(self) -> dict[str, str]:
        """Say what ought to come out, by login: a grade like that of a notebook, `ungradable`, or `missing`."""
        like = {"wrong": "wrong", "blank": "blank", "pdf": "ungradable", "missing": "missing"}
        return {one.login: like.get(one.kind, "right") for one in self.students}

    def write_roster(self, path: Path) -> Path:
        rows = ["id,name,email,canvas,moodle,sis,github"]
        rows += [
            f'{one.login},"{one.name}",{one.email},{one.canvas},Participant {one.moodle},s{one.number},gh-{one.login}'
            for one in self.students
        ]
        path.write_text("\n".join(rows) + "\n", encoding="utf-8")
        return path


def make(slug: str, notebooks: Mapping[str, bytes], size: int, seed: int = 0) -> MadeUp:
    """Make up a class of so many."""
    chance = random.Random(seed)
    students = []
    for number in range(size):
        given, family = GIVEN[number % len(GIVEN)], FAMILY[(number // len(GIVEN) + number) % len(FAMILY)]
        students.append(
            Student(login=f"u{number:03}x{chance.randrange(10)}", given=given, family=family, number=number,
                    kind=KINDS[number % len(KINDS)])
        )  # fmt: skip
    return MadeUp(slug=slug, students=tuple(students), notebooks=notebooks)


def zipped(files: Mapping[str, bytes]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return data.getvalue()


def as_script(notebook: bytes) -> bytes:
    """Write a notebook as a percent script, as jupytext and VS Code do."""
    document = json.loads(notebook)
    parts = [f"# for {document['metadata'].get('made_up_for', '')}\n"]
    for cell in document["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "code":
            magic = re.sub(r"^([%!])", r"# \1", source, flags=re.MULTILINE)
            parts.append(f"# %%\n{magic}\n")
        else:
            commented = "\n".join(f"# {line}" for line in source.splitlines())
            parts.append(f"# %% [markdown]\n{commented}\n")
    return "\n".join(parts).encode()


# -- the layouts -------------------------------------------------------------------------------------------------------


def folder(of: MadeUp, target: Path) -> Path:
    """A folder of folders, one a student, as somebody sorts them by hand."""
    for one in of.handed_in():
        name, data = of.content(one)
        _write(target / "class" / one.login / name, data)
    _write(target / "class" / ".DS_Store", b"")
    return target / "class"


def archive(of: MadeUp, target: Path) -> Path:
    """The same as one zip."""
    files = {f"class/{one.login}/{of.content(one)[0]}": of.content(one)[1] for one in of.handed_in()}
    return _archive(target / "class.zip", {**files, "__MACOSX/._class": b""})


def canvas(of: MadeUp, target: Path) -> Path:
    """Canvas's "Download Submissions": one flat zip; of a resubmission only the last file, with a number in its name."""
    files = {}
    for one in of.handed_in():
        sortable = "".join(filter(str.isalnum, f"{one.family}{one.given}".casefold()))
        late = "_LATE" if one.kind == "late" else ""
        name, data = of.content(one)
        stem, dot, suffix = name.replace(" ", "_").rpartition(".")
        again = "-1" if one.kind == "again" else ""
        files[f"{sortable}{late}_{one.canvas}_{900_000 + one.number}_{stem}{again}{dot}{suffix}"] = data
        if one.kind == "wrong":
            files[f"{sortable}_{one.canvas}_text.html"] = b"<p>I wrote something too</p>"
    return _archive(target / "submissions.zip", files)


def moodle_folders(of: MadeUp, target: Path) -> Path:
    """Moodle's download with a folder for each; some wrote an online text as well."""
    files = {}
    for one in of.handed_in():
        name, data = of.content(one)
        files[f"{one.name}_{one.moodle}_assignsubmission_file/{name}"] = data
        if one.kind == "right":
            files[f"{one.name}_{one.moodle}_assignsubmission_onlinetext/onlinetext.html"] = b"<p>Thanks!</p>"
    return _archive(target / f"DL-{of.slug}-4711.zip", files)


def moodle_flat(of: MadeUp, target: Path) -> Path:
    """Moodle's download without folders."""
    files = {}
    for one in of.handed_in():
        name, data = of.content(one)
        files[f"{one.name}_{one.moodle}_assignsubmission_file_{name}"] = data
        if one.kind == "right":
            files[f"{one.name}_{one.moodle}_assignsubmission_onlinetext_onlinetext.html"] = b"<p>Thanks!</p>"
    return _archive(target / f"DL-{of.slug}-flat.zip", files)


def gradescope(of: MadeUp, target: Path) -> Path:
    """Gradescope's export: a folder a submission, and a YAML file with Ruby's symbols as keys."""
    files, lines = {}, ["---"]
    for one in of.handed_in():
        number = 300_000 + one.number
        name, data = of.content(one)
        files[f"assignment_55_export/submission_{number}/{name}"] = data
        stamp = one.handed_in.strftime("%Y-%m-%d %H:%M:%S.000000000 Z")
        lines += [
            f"submission_{number}:", "  :submitters:", f"  - :name: {json.dumps(one.name, ensure_ascii=False)}",
            f"    :sid: s{one.number}", f"    :email: {one.email}", f"  :created_at: {stamp}", "  :score: 0.0",
            "  :status: processed",
        ]  # fmt: skip
    files["assignment_55_export/submission_metadata.yml"] = ("\n".join(lines) + "\n").encode()
    return _archive(target / "submissions_gradescope.zip", files)


def nbgrader(of: MadeUp, target: Path) -> Path:
    """A course of nbgrader after `nbgrader collect`."""
    top = target / "nbcourse" / "submitted"
    for one in of.handed_in():
        name, data = of.content(one)
        _write(top / one.login / of.slug / name, data)
        stamp = one.handed_in.strftime("%Y-%m-%d %H:%M:%S.%f UTC")
        _write(top / one.login / of.slug / "timestamp.txt", stamp.encode())
    return top


def classroom(of: MadeUp, target: Path) -> Path:
    """Clones of GitHub Classroom's repositories, side by side."""
    for one in of.handed_in():
        name, data = of.content(one)
        clone = target / "clones" / f"{of.slug}-gh-{one.login}"
        _write(clone / name, data)
        _write(clone / "README.md", b"# My repository\n")
        _write(clone / ".git" / "HEAD", b"ref: refs/heads/main\n")
    return target / "clones"


def repositories(of: MadeUp, target: Path) -> Path:
    """A list of git repositories on disk; a resubmission is a second commit."""
    lines = []
    for one in of.handed_in():
        clone = target / "repositories" / f"gh-{one.login}"
        clone.mkdir(parents=True)
        _git(clone, "init", "-q", "-b", "main")
        if one.kind == "again":
            _write(clone / f"{of.slug}.ipynb", of.first_attempt(one))
            _commit(clone, one.handed_in - timedelta(hours=5))
        name, data = of.content(one)
        _write(clone / name, data)
        _commit(clone, one.handed_in)
        lines.append(str(clone))
    _write(target / "repositories.txt", ("\n".join(lines) + "\n").encode())
    return target / "repositories.txt"


LAYOUTS: dict[str, Callable[[MadeUp, Path], Path]] = {
    "folder": folder, "zip": archive, "canvas": canvas, "moodle": moodle_folders, "moodle flat": moodle_flat,
    "gradescope": gradescope, "nbgrader": nbgrader, "classroom": classroom, "git": repositories,
}  # fmt: skip


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def _archive(path: Path, files: Mapping[str, bytes]) -> Path:
    _write(path, zipped(files))
    return path


def _git(clone: Path, *words: str, **more: str) -> None:
    git = shutil.which("git")
    assert git is not None
    who = {"GIT_AUTHOR_NAME": "s", "GIT_AUTHOR_EMAIL": "s@x", "GIT_COMMITTER_NAME": "s", "GIT_COMMITTER_EMAIL": "s@x"}
    subprocess.run(
        [git, *words], cwd=clone, check=True, env={"HOME": str(clone), "PATH": "/usr/bin:/bin", **who, **more}
    )


def _commit(clone: Path, when: datetime) -> None:
    stamp = when.isoformat()
    _git(clone, "add", "-A")
    _git(clone, "commit", "-q", "--allow-empty", "-m", "hand in", GIT_AUTHOR_DATE=stamp, GIT_COMMITTER_DATE=stamp)
