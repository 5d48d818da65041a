"""What students are handed, and that nothing of solutions/ is in it: not in a bundle, the wheel or the sdist."""

from __future__ import annotations

import ast
import base64
import binascii
import functools
import json
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from redink import wire
from redink.assignment.handout import read_handout
from redink.checks.language import Check
from redink.grader.assignment.assignment import Assignment, read_assignment
from redink.grader.assignment.master import BEGIN, END
from redink.grader.course import Course
from tests.concept_keys import concept_key, told

FILES = {"README.md", "assignment.toml", "checks.py", "published.json"}
SHORTEST = 12  # shorter lines, such as `return w`, tell nothing
PLAIN = {  # nor do these, which many programs have
    "super().__init__()",
    "with torch.enable_grad():",
    "for t in range(x.shape[1]):",
    "for _ in range(steps):",
    "loss = torch.nn.functional.cross_entropy(",
    "Runs on whatever device it is given.",
}

_SAYS_NOTHING = re.compile(r"#|return \w+$")


# -- the bundle ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def bundles(shared: Any, little_course: Path) -> Path:
    """The bundle of the little course, distributed twice into one folder."""

    def fill(root: Path) -> None:
        for _ in range(2):
            command = [sys.executable, "-m", "redink_cli", "distribute", "little", "--to", str(root)]
            subprocess.run(command, cwd=little_course, check=True)

    return shared("bundles", fill)


def test_folder_and_zip_hold_exactly_the_listed_files(bundles):
    names = FILES | {"little.ipynb"}
    assert {path.name for path in (bundles / "little").iterdir()} == names
    with zipfile.ZipFile(bundles / "little.zip") as archive:
        assert set(archive.namelist()) == {f"little/{name}" for name in names}
        assert all(archive.read(f"little/{name}") == (bundles / "little" / name).read_bytes() for name in names)


def test_files_from_the_zip_can_be_read_by_their_owner(bundles):
    with zipfile.ZipFile(bundles / "little.zip") as archive:
        assert {entry.external_attr >> 16 for entry in archive.infolist()} == {0o644}


def test_the_same_content_makes_the_same_zip(bundles, little):
    little.redink("distribute", "little", "--to", "again")
    assert (little.root / "again/little.zip").read_bytes() == (bundles / "little.zip").read_bytes()


def test_a_student_can_work_in_the_bundle(bundles, tmp_path):
    shutil.copytree(bundles / "little", tmp_path / "homework")
    command = [sys.executable, "-m", "redink_cli", "check", "little.ipynb", "-q", "centre"]
    done = subprocess.run(command, cwd=tmp_path / "homework", capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    assert "ot written yet" in done.stdout


def test_values_that_are_older_than_the_checks_are_never_taken_for_right(bundles, tmp_path):
    shutil.copytree(bundles / "little", tmp_path / "homework")
    path = tmp_path / "homework/published.json"
    published = json.loads(path.read_bytes())
    path.write_text(json.dumps(published | {"trials": []}), encoding="utf-8")
    command = [sys.executable, "-m", "redink_cli", "check", "little.ipynb"]
    done = subprocess.run(command, cwd=tmp_path / "homework", capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "older than checks.py" in done.stderr


@pytest.mark.parametrize(
    ("file", "old", "new", "told"),
    [
        ("solutions/tiny/tiny.py", "why it matters.", "why.", "tiny.ipynb is not what the master gives now"),
        ("assignments/tiny/checks.py", '@check("centre")', '@check("centre", trials=4)', "published.json: the public"),
    ],
)
def test_a_stale_build_is_not_handed_out(tiny, file, old, new, told):
    tiny.edit(tiny.root / file, old, new)
    done = tiny.redink("distribute", "tiny", "--to", "out")
    assert done.returncode == 1
    assert told in done.stderr
    assert "run `redink build tiny` first" in done.stderr
    assert not (tiny.root / "out").exists()


def test_a_folder_with_other_files_is_never_written_over(tiny):
    master = (tiny.solution / "tiny.py").read_bytes()
    done = tiny.redink("distribute", "tiny", "--to", "solutions")
    assert done.returncode == 1
    assert "is not part of a bundle and would be lost" in done.stderr
    assert (tiny.solution / "tiny.py").read_bytes() == master


# -- hidden means hidden ---------------------------------------------------------------------------------------------


def secrets_of(assignment: Assignment) -> set[str]:
    """List what no student may find: solution lines, hidden checks with their sentences, code of misconceptions."""
    master = Path(assignment.master.path).read_text(encoding="utf-8")
    solution, given = set(), set()
    inside = False
    for line in map(str.strip, master.splitlines()):
        if line in (BEGIN, END):
            inside = line == BEGIN
        else:
            (solution if inside else given).add(line)
    wrong = {line.strip() for one in assignment.misconceptions for edit in one.edits for line in edit.new.splitlines()}
    wrong = {line for line in wrong if not line.startswith(("def ", "class "))}  # a header says nothing of the belief
    hidden = {check.id for check in assignment.hidden if check.kind == "call"} | {
        sentence for check in assignment.hidden for sentence in _sentences(check)
    }
    code = {line for line in solution | wrong if len(line) >= SHORTEST and not _SAYS_NOTHING.match(line)}
    return ((code - given - _lines(assignment.folder / "checks.py")) | hidden) - PLAIN


def _sentences(check: Check) -> list[str]:
    return [
        check.sentence,
        *(line.strip() for line in (check.given_function.__doc__ or "").splitlines() if line.strip()),
    ]


def _lines(path: Path) -> set[str]:
    return {line.strip() for line in path.read_text(encoding="utf-8").splitlines()}


def texts_of(name: str, content: bytes) -> Iterator[str]:
    """Give every reading of a file: as it is, as JSON's strings, as what those strings hold in base64."""
    yield content.decode("utf-8", "replace")
    if name.endswith((".ipynb", ".json")):
        strings = list(_strings(json.loads(content)))
        yield "".join(strings)
        for text in strings:
            try:
                yield base64.b64decode(text, validate=True).decode("utf-8", "replace")
            except (binascii.Error, ValueError):
                continue


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)


def leaks(files: dict[str, bytes], secrets: set[str]) -> list[tuple[str, str]]:
    spaced = {secret: " ".join(secret.split()) for secret in secrets}
    found = []
    for name, content in files.items():
        for text in texts_of(name, content):
            flat = " ".join(text.split())
            found += [(name, secret) for secret, words in spaced.items() if _stands(words, flat)]
    return found


def _stands(words: str, text: str) -> bool:
    """Look for a line, or for an identifier that is not a part of a longer one."""
    return words in text and (not words.isidentifier() or re.search(rf"\b{words}\b", text) is not None)


def read_folder(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def read_archive(path: Path) -> dict[str, bytes]:
    if path.suffix in (".zip", ".whl"):
        with zipfile.ZipFile(path) as archive:
            return {name: archive.read(name) for name in archive.namelist()}
    with tarfile.open(path) as archive:
        members = [member for member in archive.getmembers() if member.isfile()]
        return {member.name: archive.extractfile(member).read() for member in members}  # type: ignore[union-attr]


ROOT = Path(__file__).parents[1]
SLUGS = Course(ROOT).slugs()


@functools.cache
def assignment(slug: str) -> Assignment:
    return read_assignment(Course(ROOT), slug)


def given_somewhere() -> set[str]:
    """List the lines that some notebook gives its students: what one of them hands out, no other can hide."""
    return {
        line.strip()
        for slug in SLUGS
        for cell in assignment(slug).master.untouched()
        for line in cell.source.splitlines()
    }


def test_the_search_finds_what_it_looks_for(little):
    secrets = secrets_of(read_assignment(Course(little.root), "little"))
    assert {
        "return X - X.mean(axis=0)",
        'answers.update(mean_runs_over="examples", spread_is_a="length")',
        "X.mean(axis=1, keepdims=True)",
        "ignores_a_common_shift",
        "Adding the same row to every example changes nothing.",
        "Over what the mean of a feature is taken.",
    } <= secrets
    solved = little.redink("build", "--solved", "solved", boxes=False)
    assert solved.returncode == 0
    found = {secret for _, secret in leaks(read_folder(little.root / "solved"), secrets)}
    assert 'answers.update(mean_runs_over="examples", spread_is_a="length")' in found
    assert leaks(read_folder(little.solution), secrets)
    hidden = {"x.json": json.dumps({"v": base64.b64encode(b"..ignores_a_common_shift..").decode()}).encode()}
    assert leaks(hidden, secrets) == [("x.json", "ignores_a_common_shift")]


def test_nothing_of_the_solution_is_in_the_little_bundle(bundles, little_course):
    secrets = secrets_of(read_assignment(Course(little_course), "little"))
    assert leaks(read_folder(bundles / "little"), secrets) == []
    assert leaks(read_archive(bundles / "little.zip"), secrets) == []


def test_nothing_of_the_solution_is_in_the_perceptron_bundle(tmp_path):
    command = [sys.executable, "-m", "redink_cli", "distribute", "perceptron", "--to", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert leaks(read_folder(tmp_path / "perceptron"), secrets_of(assignment("perceptron"))) == []


@pytest.mark.parametrize("slug", SLUGS)
def test_nothing_of_the_solution_is_in_what_ships_of_an_assignment(slug):
    assert leaks(read_handout(assignment(slug).folder), secrets_of(assignment(slug))) == []


@pytest.mark.parametrize("slug", SLUGS)
def test_no_right_answer_of_a_concept_question_is_in_any_value_that_ships(slug):
    key = concept_key(assignment(slug))
    assert key
    assert told(read_handout(assignment(slug).folder), key) == set()


def test_the_search_for_right_answers_reads_what_crosses_the_wire():
    value = base64.b64encode(wire.encode([{"units": "muted", "grid": "widen"}])).decode()
    files = {"published.json": json.dumps({"gives": {"form/p0": {"value": value}}}).encode()}
    assert told(files, {"units": "muted", "grid": "shift"}) == {("published.json", "units")}


def test_values_of_an_earlier_version_that_tell_a_right_answer_are_not_handed_out(little):
    tell_the_key(little)
    path = little.assignment / "published.json"
    published = json.loads(path.read_bytes())
    assert [one["id"] for one in published["misconceptions"] if one["question"] == "ideas"] == []
    value = base64.b64encode(wire.encode({"mean_runs_over": "features", "spread_is_a": "length"})).decode()
    gives = {"answers_are_words/p0": {"status": "returned", "value": value}}
    published["misconceptions"].append({"id": "old", "question": "ideas", "hint": "?", "gives": gives})
    path.write_text(json.dumps(published), encoding="utf-8")
    done = little.redink("distribute", "little", "--to", "out")
    assert done.returncode == 1
    assert "holds right answers of concept questions" in done.stderr


def tell_the_key(little: Any, then: str = "(seen)") -> None:
    """Add a public check that is given short answers, and build."""
    path = little.assignment / "checks.py"
    added = f"""

@check("ideas", weight=0, trials=1)
def answers_are_words():
    '''Each answer is a word.'''
    return {{}}


@answers_are_words.when
def _(student):
    return dict(student.answers)


@answers_are_words.then
def _{then}:
    assert all(isinstance(word, str) for word in seen.values())
"""
    path.write_text(path.read_text(encoding="utf-8") + added, encoding="utf-8")
    done = little.redink("build", "little")
    assert done.returncode == (0 if then == "(seen)" else 1), done.stderr
    assert then == "(seen)" or "compares short answers with the right ones, which would be published" in done.stderr


def test_a_public_check_that_needs_the_key_of_short_answers_is_refused(little):
    tell_the_key(little, "(seen, expected)")


@pytest.mark.parametrize("kind", ["wheel", "sdist"])
def test_nothing_of_the_solutions_is_in_what_is_published(distributions, kind):
    files = read_archive(distributions[kind])
    assert not [name for name in files if "solutions" in Path(name).parts or name.endswith(".pyc")]
    everything = {secret for slug in SLUGS for secret in secrets_of(assignment(slug))}
    assert leaks(files, everything - given_somewhere()) == []


@pytest.mark.parametrize("slug", SLUGS)
def test_public_checks_repeat_no_line_of_a_solution(slug):
    master = Path(assignment(slug).master.path).read_text(encoding="utf-8")
    parts = re.findall(rf"{BEGIN}\n(.*?)\n\s*{END}", master, flags=re.DOTALL)
    solution = {line.strip() for part in parts for line in part.splitlines() if len(line.strip()) >= SHORTEST}
    assert parts
    ast.parse((assignment(slug).folder / "checks.py").read_bytes())
    assert (solution - PLAIN) & _lines(assignment(slug).folder / "checks.py") == set()


# -- a bundle that carries the wheel ---------------------------------------------------------------------------------


def test_a_bundle_carries_the_wheel_and_its_first_cell_does_nothing_where_redink_is(little, distributions):
    done = little.redink("distribute", "little", "--to", "out", "--wheel", distributions["wheel"])
    assert done.returncode == 0, done.stderr
    folder = little.root / "out/little"
    assert {path.name for path in folder.iterdir()} == FILES | {"little.ipynb", distributions["wheel"].name}
    with zipfile.ZipFile(little.root / "out/little.zip") as archive:
        assert archive.read(f"little/{distributions['wheel'].name}") == distributions["wheel"].read_bytes()
    first = next(
        cell for cell in json.loads((folder / "little.ipynb").read_bytes())["cells"] if cell["cell_type"] == "code"
    )
    assert "".join(first["source"]).startswith("# Run this first.")
    result = little.grade("out/little/little.ipynb")["little"]
    assert result["cells"][0]["status"] == "ok"


@pytest.mark.parametrize("torch", [False, True])
def test_the_first_cell_takes_the_zip_under_the_name_that_a_browser_gave_it(
    little, distributions, tmp_path, monkeypatch, torch
):
    if torch:
        little.edit(little.assignment / "assignment.toml", 'slug = "little"', 'slug = "little"\ntorch = true')
        assert little.redink("build", "little").returncode == 0
    done = little.redink("distribute", "little", "--to", "out", "--wheel", distributions["wheel"])
    assert done.returncode == 0, done.stderr
    cells = json.loads((little.root / "out/little/little.ipynb").read_bytes())["cells"]
    first = "".join(next(cell for cell in cells if cell["cell_type"] == "code")["source"])
    installed = []
    monkeypatch.setattr("subprocess.run", lambda command, check: installed.append(command))
    monkeypatch.setitem(sys.modules, "redink", None)
    monkeypatch.chdir(tmp_path)
    for name in ("little-hand-in.zip", "littles.zip"):
        with zipfile.ZipFile(tmp_path / name, "w") as other:
            other.writestr("little.ipynb", "{}")
    (tmp_path / "little.zip").write_bytes(b"half of it")
    with pytest.raises(SystemExit, match=r"little\.zip is missing"):
        exec(first, {})
    shutil.copy(little.root / "out/little.zip", tmp_path / "little (1).zip")
    monkeypatch.setitem(sys.modules, "torch", sys)
    exec(first, {})
    assert (tmp_path / "checks.py").read_bytes() == (little.assignment / "checks.py").read_bytes()
    assert [command[-1] for command in installed] == ["redink[torch]" if torch else "redink"]
    monkeypatch.setitem(sys.modules, "redink", sys)
    monkeypatch.setitem(sys.modules, "torch", None)
    if torch:
        with pytest.raises(SystemExit, match="needs torch: `pip install torch`"):
            exec(first, {})


def test_what_is_no_wheel_of_ours_is_not_carried(little, tmp_path):
    other = tmp_path / "other.whl"
    with zipfile.ZipFile(other, "w") as archive:
        archive.writestr("other/__init__.py", "")
    assert "is of another version" in little.redink("distribute", "little", "--to", "out", "--wheel", other).stderr
    refused = little.redink("distribute", "little", "--to", "out", "--format", "otter", "--wheel", other)
    assert "--wheel to bundles of Redink's own, --ci and Gradescope" in refused.stderr
