"""Pairs that are more alike than their questions explain: renamed copies are found, right answers that are alike are not."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

from redink.checks.specimens import Specimen
from redink.grader.assignment.assignment import Assignment, read_assignment
from redink.grader.assignment.master import edited
from redink.grader.course import Course
from redink.grader.similar.extracting import code_by_question, defined_names
from redink.grader.similar.finding import AlikeClass
from redink.grader.similar.pages import write_pages
from redink.grader.similar.pairs import AlikePair, AlikeQuestion, Author, find_pairs
from redink.grader.similar.tokens import LENGTH, MOST, read_runs
from redink.records import Cell
from tests.conftest import ROOT, SCALE, Desk, _copy

# -- runs of tokens ----------------------------------------------------------------------------------------------------

LOOP = "def total(values):\n    found = 0\n    for one in values:\n        found = found + one * 2\n    return found\n"


def runs(source: str) -> set[tuple[str, ...]]:
    return set(read_runs(source).lines)


def test_of_very_long_code_only_the_beginning_is_looked_at():
    numbers = "def f():\n    return [" + ",".join(map(str, range(100_000))) + "]"
    assert len(read_runs(numbers).lines) == MOST - LENGTH + 1


@pytest.mark.parametrize(
    "other",
    [
        LOOP.replace("found", "s").replace("one", "v").replace("values", "xs").replace("total", "add"),
        LOOP.replace("    found = 0\n", '    """Add up."""\n    found = 0  # at first\n\n'),
        LOOP.replace("found + one * 2", "(\n            found + one * 2\n        )")
        .replace("(\n            ", "")
        .replace("\n        )", ""),
    ],
    ids=["renamed", "commented", "laid out"],
)
def test_names_comments_docstrings_and_layout_do_not_count(other):
    assert runs(other) == runs(LOOP)


def test_what_is_taken_from_a_library_and_numbers_do_count():
    assert runs("y = np.sum(x, axis=0) + 1") != runs("y = np.max(x, axis=0) + 1")
    assert runs("y = a[0] + b[1] * 2") != runs("y = a[0] + b[1] * 3")


@pytest.mark.parametrize("source", ["", "def f(:", "'''", "\x00", "(" * 500, "%time x\n!ls", "é = 'ü'\n" * 3])
def test_any_source_can_be_read(source):
    read_runs(source)


# -- perceptron: alternatives as students --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def perceptron() -> Assignment:
    return read_assignment(Course(ROOT), "perceptron")


def codes(assignment: Assignment, cells: Sequence[Cell]) -> dict[str, str]:
    return code_by_question(cells, assignment.spec, defined_names(assignment.master.untouched()))


def handed_out(assignment: Assignment) -> list[str]:
    return [cell.source for cell in (*assignment.master.untouched(), *assignment.solved)]


def with_all(assignment: Assignment, chosen: Iterable[Specimen]) -> tuple[Cell, ...]:
    """Write a notebook with several alternatives in it."""
    cells = assignment.solved
    for one in chosen:
        cells = edited(cells, one, assignment.master.explorations())
    return cells


def as_students(assignment: Assignment) -> dict[Author, dict[str, str]]:
    return {Author(one.id): codes(assignment, with_all(assignment, [one])) for one in assignment.alternatives}


def one_for_each_question(assignment: Assignment, which: int) -> list[Specimen]:
    """Choose an alternative for each question that has so many."""
    chosen: dict[str, list[Specimen]] = {}
    for one in assignment.alternatives:
        chosen.setdefault(one.question, []).append(one)
    return [of_question[which] for of_question in chosen.values() if len(of_question) > which]


def disguised(cells: Sequence[Cell]) -> tuple[Cell, ...]:
    """Rename what can be renamed, turn the cells round, and put a comment everywhere."""
    names = {"vectors": "data", "mistakes": "log", "w": "theta", "b": "bias", "new": "res", "found": "outs", "total": "acc",
             "table": "rows", "gamma": "g", "made": "mat", "corners": "pts", "lengths": "sizes"}  # fmt: skip
    texts = []
    for cell in cells:
        text = re.sub(r"\b[a-z]+\b", lambda word: names.get(word[0], word[0]), cell.source)
        texts.append(
            "\n".join(f"{line}  # here" if line.strip() and '"' not in line else line for line in text.splitlines())
        )
    return tuple(Cell(index=place, source=text) for place, text in enumerate(reversed(texts), start=1))


def test_right_answers_that_resemble_each_other_are_not_listed(perceptron):
    assert find_pairs(as_students(perceptron), handed_out(perceptron)) == ()


def test_a_renamed_and_reordered_copy_is_listed_and_nobody_else(perceptron):
    chosen = one_for_each_question(perceptron, 1)
    students = as_students(perceptron)
    for one in chosen:
        del students[Author(one.id)]  # olga wrote these
    original = with_all(perceptron, chosen)
    students[Author("olga")] = codes(perceptron, original)
    students[Author("pete")] = codes(perceptron, disguised(original))
    (pair,) = find_pairs(students, handed_out(perceptron))
    assert (pair.first, pair.second) == ("olga", "pete")
    assert {"train", "bound", "experiment"} <= {one.question for one in pair.questions}
    for one in pair.questions:
        assert one.alike >= 0.5 > one.usual
        assert all(one.lines)


def test_two_who_hand_in_the_reference_itself_are_not_listed(perceptron):
    own = codes(perceptron, perceptron.solved)
    assert find_pairs({Author("a"): own, Author("b"): own}, handed_out(perceptron)) == ()


# -- the rule ------------------------------------------------------------------------------------------------------------

LONG = "def f(a):\n" + "\n".join(f"    a = np.roll(a, {n}) + a.sum() ** {n + 2}" for n in range(6)) + "\n    return a"


def class_of(**sources: str) -> dict[Author, dict[str, str]]:
    return {Author(name): {"q": source} for name, source in sources.items()}


def test_a_short_function_is_never_compared():
    same = "def f(a):\n    return np.sqrt(a) + 17"
    assert find_pairs(class_of(a=same, b=same), []) == ()


def test_what_many_of_the_class_wrote_says_nothing():
    assert [len(pair.questions) for pair in find_pairs(class_of(a=LONG, b=LONG), [])] == [1]
    assert find_pairs(class_of(**{f"s{n}": LONG for n in range(5)}), []) == ()


def test_in_a_question_in_which_all_are_alike_nobody_stands_out():
    assert find_pairs(class_of(a=LONG, b=LONG, c=LONG), []) == ()
    others = {f"s{n}": LONG.replace("roll", f"way_{n}").replace("sum", f"so_{n}") for n in range(6)}
    assert len(find_pairs(class_of(a=LONG, b=LONG, c=LONG, **others), [])) == 3


def test_what_was_handed_out_says_nothing():
    assert find_pairs(class_of(a=LONG, b=LONG), [LONG]) == ()


def test_somebody_is_compared_with_another_year_but_not_with_oneself_and_years_not_among_themselves():
    people = {Author("a"): {"q": LONG}, Author("a", True): {"q": LONG}, Author("b", True): {"q": LONG}}
    (pair,) = find_pairs(people, [])
    assert (pair.first, pair.second, pair.second_is_earlier) == ("a", "b", True)


# -- the command ---------------------------------------------------------------------------------------------------------

OWN = """def spread(column):
    total, mean = 0.0, sum(column) / len(column)
    for value in column:
        total += (value - mean) ** 2
    return (total / len(column)) ** 0.5

def scale(X):
    columns = []
    for j in range(X.shape[1]):
        mine = X[:, j]
        columns.append((mine - sum(mine) / len(mine)) / spread(mine))
    return np.array(columns).T"""
COPY = """def scale(A):
    out = []
    for k in range(A.shape[1]):
        col = A[:, k]  # <script>alert(1)</script>
        out.append((col - sum(col) / len(col)) / deviation(col))
    return np.array(out).T

def deviation(c):
    acc, m = 0.0, sum(c) / len(c)
    for v in c:
        acc += (v - m) ** 2
    return (acc / len(c)) ** 0.5"""


@pytest.fixture(scope="session")
def alike_course(shared: Any, little_course: Any) -> Any:
    """The little course with a class in which two are alike, graded once."""

    def fill(root: Path) -> None:
        shutil.copytree(little_course, root, dirs_exist_ok=True)
        desk = Desk(root, "little")
        for name, source in {"anna": OWN, "bert": COPY, "cleo": "def scale(X):\n    return X / 0", "dora": ""}.items():
            desk.hand_in(name, {SCALE: source} if source else {})
        done = desk.redink("grade", "little", "class", "--jobs", 2)
        assert done.returncode == 0, done.stderr

    return shared("alike", fill)


@pytest.fixture
def alike(alike_course: Any, tmp_path: Path) -> Desk:
    return _copy(alike_course, tmp_path, "little")


def similar(desk: Desk, *options: object) -> str:
    done = desk.redink("similar", "little", "--to", "alike", *options, boxes=False)
    assert done.returncode == 0, done.stderr
    return str(done.stdout)


def test_a_pair_is_shown_by_pseudonyms_until_names_are_asked_for(alike):
    said = similar(alike)
    assert "1 pairs among 4 submissions; alike does not mean copied" in said
    pages = "".join(page.read_text(encoding="utf-8") for page in (alike.root / "alike").glob("*.html"))
    assert "anna" not in said + pages and "bert" not in said + pages
    assert re.search(r"student \w{4} and student \w{4}: scale \d+%", said)
    assert similar(alike) == said  # the same pseudonyms each time
    assert "anna and bert: scale" in similar(alike, "--names")


MANY = ", ".join(f"a{i}" for i in range(9000))
HELD = {
    "much": f"{OWN}\n\ndef helper():\n    {MANY} = range(9000)\n    return [{'lambda: 0, ' * 9000}]",
    "far": f"{OWN}\n\nimport a{'.a' * 3000}",
}


def test_code_that_takes_python_minutes_to_read_is_told_and_holds_nobody(alike):
    for name, source in HELD.items():
        alike.hand_in(name, {SCALE: source})
    assert alike.redink("grade", "little", "class", "--jobs", 1).returncode == 0
    said = similar(alike, "--names")
    for name in HELD:
        assert f"{name}: too much code to be read, so it is not compared" in said
    assert "anna and bert: scale" in said


ODD = "\n\ndef _(): return f\"{'\N{NO-BREAK SPACE}'}\""
HIDDEN = f"exec({COPY!r})"


def test_code_that_python_runs_is_compared_and_code_that_nobody_sees_is_told(alike):
    for name, source in {"eve": OWN + ODD, "finn": COPY + ODD, "gus": HIDDEN}.items():
        alike.hand_in(name, {SCALE: source})
    assert alike.redink("grade", "little", "class", "--jobs", 1).returncode == 0
    said = similar(alike, "--names")
    assert "eve and finn: scale" in said
    assert "gus: has points in scale, and no function there that can be compared; read the cells" in said
    assert said.count("no function there") == 1


def test_the_words_are_neutral(alike):
    said = similar(alike)
    pages = "".join(page.read_text(encoding="utf-8") for page in (alike.root / "alike").glob("*.html"))
    assert not re.search("plagiar|cheat|fraud|suspect|offend|guilt", said + pages, re.IGNORECASE)


def test_a_page_is_inert_whatever_a_student_wrote(alike):
    similar(alike, "--names")
    page = (alike.root / "alike" / "pair-001.html").read_text(encoding="utf-8")
    assert "<script" not in page and "&lt;script&gt;" in page
    assert "default-src 'none'; style-src 'sha256-" in page
    assert not re.search(r"https?://|src=|url\(|@import", page.partition("<body>")[2])
    assert page.count('class="both"') >= 10
    assert oct((alike.root / "alike").stat().st_mode & 0o777) == "0o700"


def test_names_that_are_markup_are_escaped(tmp_path):
    code = AlikeQuestion(question="q", alike=1, usual=0, code=("\u202ex = 1\n</pre><b>", "y"), lines=((1,), (1,)))
    pair = AlikePair(first="<b>x</b>", second='"><img src=x>', second_is_earlier=True, questions=(code,))
    found = AlikeClass(assignment="a", title="<i>t", compared=2, earlier=1, named=True, pairs=(pair,))
    write_pages(found, tmp_path / "new")
    for page in (tmp_path / "new").iterdir():
        text = page.read_text(encoding="utf-8")
        assert "<b>" not in text and "<img" not in text and "<i>" not in text and "\u202e" not in text


def test_another_gradebook_is_compared_too_and_not_changed(alike):
    old = alike.root / "2025.sqlite"
    shutil.copy(alike.book, old)
    with sqlite3.connect(old) as db:
        db.execute("UPDATE meta SET value = 'another' WHERE name = 'secret'")
        db.execute("UPDATE students SET name = name || ' of 2025'")
    db.close()
    before = old.read_bytes()
    said = similar(alike, "--names", "--with", old, "--json", "alike.json")
    assert "anna and bert of 2025 (another year): scale" in said
    assert "4 submissions, with 4 of another year" in said
    assert old.read_bytes() == before
    pairs = json.loads((alike.root / "alike.json").read_bytes())["pairs"]
    assert {(one["first"], one["second"]) for one in pairs} >= {("anna", "bert"), ("bert", "anna of 2025")}


@pytest.mark.parametrize(
    ("name", "told"), [("missing.sqlite", "there is no gradebook"), ("notes.txt", "cannot be read as")]
)
def test_a_file_that_is_no_gradebook_is_told(alike, name, told):
    (alike.root / "notes.txt").write_text("not a gradebook at all, but long enough to have a header of its own\n" * 9)
    done = alike.redink("similar", "little", "--to", "alike", "--with", name, boxes=False)
    assert done.returncode == 1 and told in done.stderr
    assert not (alike.root / "alike").exists()


def test_a_folder_with_other_files_is_refused_and_one_of_ours_is_written_anew(alike):
    (alike.root / "full").mkdir()
    (alike.root / "full" / "thesis.txt").write_text("mine")
    done = alike.redink("similar", "little", "--to", "full", boxes=False)
    assert done.returncode == 1 and "holds other files" in done.stderr
    similar(alike)
    (alike.root / "alike" / "pair-777.html").write_text("of an earlier time")
    similar(alike)
    assert sorted(page.name for page in (alike.root / "alike").iterdir()) == ["index.html", "pair-001.html"]


def test_helpers_belong_to_the_question_and_what_was_handed_out_does_not(alike):
    spec = read_assignment(Course(alike.root), "little").spec
    cells = [Cell(index=1, source=f"def given(x):\n    return x\n\n{OWN}\n\ndef centre(X):\n    return given(X)")]
    found = code_by_question(cells, spec, {"given"})
    assert "def spread" in found["scale"] and "def spread" not in found["centre"]
    assert "def given" not in found["centre"]


@pytest.mark.parametrize("ends_no_line", ["\x0c", "\x1c", "\x85", "\u2028"])
def test_no_sign_in_a_comment_moves_the_code_that_is_compared(alike, ends_no_line):
    spec = read_assignment(Course(alike.root), "little").spec
    function = "def centre(X):\n    return X - X.mean(axis=0)"
    cells = [Cell(index=1, source=f"# {ends_no_line * 9}\n{function}\n")]
    assert code_by_question(cells, spec, ())["centre"] == function
