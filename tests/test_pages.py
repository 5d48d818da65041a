"""The pages of a report: what they say, what they keep to themselves, and that no text of a student gets a say."""

from __future__ import annotations

import itertools
import re
import subprocess
import sys
import zipfile
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from redink import source
from redink.assignment.spec import Question
from redink.grader.pages import report as reporting
from redink.grader.pages.charts import histogram
from redink.grader.pages.facts import StudentFacts, class_facts, remark
from redink.grader.pages.figures import difficulty, discrimination, distribution, share
from redink.grader.pages.messages import read_message
from redink.grader.pages.own_cells import own_cells
from redink.grader.pages.packing import canvas_name, moodle_name, page_name
from redink.grader.pages.rendering import class_html, class_markdown, fenced, number
from redink.grader.pages.report import WrittenReport, report
from redink.grader.pipeline.report import MistakeGroup
from redink.records import Cell, CellRun
from tests.making_pages import FAILS, RIGHT, SENTENCE, WRONG, Class, check, question, result

EVIL = '<script>alert("x")</script>'
STYLE = (Path(reporting.__file__).parent / "templates/style.css").read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def _secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REDINK_SECRET", "test")


@pytest.fixture
def room(tmp_path: Path) -> Class:
    """A class of five: ada right, ben wrong and late, cy unreadable, dan not graded, eve missing."""
    made = Class(tmp_path, people="ada,Ada Lovelace\nben,Ben Ali\ncy,Cy Young\ndan,Dan Brown\neve,Eve Ng\n")
    made.hand_in("ada", RIGHT)
    made.hand_in("ben", WRONG, days=1.5)
    made.hand_in("cy", result(state="ungradable"))
    made.hand_in("dan", None)
    return made


def write(made: Class, *, now: bool = False) -> WrittenReport:
    with made.book() as book:
        return report(made.course, book, "little", made.root / "out", now=now)


def read(made: Class, name: str) -> str:
    return (made.root / "out" / name).read_text(encoding="utf-8")


class _Reader(HTMLParser):
    """What a browser would make of a page: its elements, and its text without the style."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self._in_style = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._in_style = tag == "style"
        self.text += " " if tag in ("td", "th", "br") else ""

    def handle_endtag(self, tag: str) -> None:
        self._in_style = False

    def handle_data(self, data: str) -> None:
        self.text += "" if self._in_style else data


# -- what they say -----------------------------------------------------------------------------------------------------


def test_the_class_page_says_who_was_graded_late_missing_and_not_readable(room):
    assert write(room).students == 4
    page = _Reader(read(room, "index.html"))
    text = " ".join(page.text.split())
    assert "the 2 who were graded have 55 points or more; the mean is 55, the best 100, the lowest 10." in text
    for told in (
        "Eve Ng (eve) nothing handed in",
        "Cy Young (cy) ungradable: x.ipynb is not a notebook",
        "Dan Brown (dan) handed in and not graded: grade again",
        "It is 2 days late: 20 % are 20 points.",
    ):
        assert told in text
    links = [
        attributes["href"]
        for tag, attributes in page.elements
        if tag == "a" and "students/" in (attributes["href"] or "")
    ]
    assert {"students/ada.html", "students/ben.html", "students/cy.html", "students/dan.html"} == set(links)
    assert all((room.root / "out" / str(link)).exists() for link in links)


def test_the_class_page_has_questions_hardest_checks_and_misconceptions(room):
    write(room)
    page = read(room, "index.html")
    assert 'role="img"' in page and "<desc" in page
    text = " ".join(_Reader(page).text.split())
    assert "Doubling a 45.0 of 60 0.75" in text
    assert f"{SENTENCE} a · a_0 · public 1 of 2" in text
    assert "adds_one a Twice, or plus one? 1 of 2" in text
    assert '<rect class="bar" width="50.0" height="10"/>' in page.partition("adds_one")[2].partition("</tr>")[0]
    markdown = read(room, "index.md")
    assert "| a | core | 45.0 | 60 | 0.75 | — | 0 |" in markdown
    assert "| a | adds_one | 1 | Twice, or plus one? |" in markdown


def test_a_feedback_page_says_points_sentences_hint_values_the_cell_and_lateness(room):
    write(room)
    for page in (_Reader(read(room, "students/ben.html")).text, read(room, "students/ben.md")):
        text = " ".join(page.split())
        for told in (
            "10 of 100 points",
            SENTENCE,
            "Twice, or plus one?",
            "return x + 1",
            "[3.]",
            "[4.]",
            "2 days late: 20 %",
        ):
            assert told in text.replace("\\", ""), told


def test_overrides_and_voided_checks_are_explained(room):
    with room.book() as book:
        book.decisions.override("little", "ben", "b", 25.0, reason="a good idea", who="kim")
        book.decisions.void("little", "a_0", True, reason="unfair", who="kim")
    write(room)
    text = " ".join(_Reader(read(room, "students/ben.html")).text.split())
    assert "The checks gave 0; set to 25 by kim: a good idea." in text
    assert f"The check “{SENTENCE}” does not count: everybody has its points." in text
    assert "b: 0 → 25 by kim: a good idea" in " ".join(_Reader(read(room, "index.html")).text.split())


def test_the_previous_attempt_is_told_with_what_changed(room):
    room.hand_in("ben", RIGHT, days=1.6)
    write(room)
    text = " ".join(_Reader(read(room, "students/ben.html")).text.split())
    assert "Your previous attempt Attempt 1, handed in 2026-03-03 00:00: the checks gave 30 points." in text
    assert "Doubling 30 60 ▲ more" in text
    assert "Ideas 0 40 ▲ more" in text
    assert "previous attempt" not in read(room, "students/ada.html")


def test_somebody_with_a_grade_and_no_submission_has_a_page_and_nobody_else_without_one(room):
    write(room)
    assert not (room.root / "out/students/eve.html").exists()
    with room.book() as book:
        book.collected.student("eve")
        book.decisions.override("little", "eve", "", 88.0, reason="oral exam", who="kim")
    write(room)
    assert "88 of 100 points" in " ".join(_Reader(read(room, "students/eve.html")).text.split())


def test_strangers_flags_notes_and_unknown_lateness_need_a_person(room):
    note = "could not be tried with the error in a (more than 2,000 calls): a person should look"
    doubtful = result(question("a", "Doubling", check("a_0", 60.0, FAILS, notes=(note,))))
    room.hand_in("zoe", doubtful, flags=("two notebooks were handed in",))
    write(room)
    text = " ".join(_Reader(read(room, "index.html")).text.split())
    assert f"zoe two notebooks were handed in is not in the roster a: {note} (a_0)" in text


def test_limits_that_were_hit_are_listed(room):
    slow = result(
        question("a", "Doubling", check("a_0", 30.0, f"{SENTENCE}\nTook too long.", verdict="timeout"), check("a_1", 30.0)),
        cells=(CellRun(index=7, status="timeout", error="took more than 10 s of CPU time"),
               CellRun(index=8, status="error", error="MemoryError: no more")),
    )  # fmt: skip
    room.hand_in("ada", slow, days=-0.5)
    write(room)
    text = " ".join(_Reader(read(room, "index.html")).text.split())
    assert "cell 7: took more than 10 s of CPU time cell 8: MemoryError: no more a: 1 check took too long" in text


# -- what they keep to themselves --------------------------------------------------------------------------------------


def pages_of(made: Class, student: str) -> str:
    return read(made, f"students/{student}.html") + read(made, f"students/{student}.md")


@pytest.fixture
def early(tmp_path: Path) -> Class:
    """A class whose time is over, but for one student's extension."""
    made = Class(tmp_path)
    made.hand_in("ada", RIGHT)
    made.hand_in("ben", WRONG)
    with made.book() as book:
        book.decisions.extend("little", "ada", datetime.now(UTC) + timedelta(days=2), reason="ill", who="kim")
    return made


def test_before_the_last_extension_ends_no_page_tells_an_expected_value(early):
    told = write(early).told
    assert any("expected values are left out until everybody's time is over" in line for line in told)
    for text in (pages_of(early, "ben"), pages_of(early, "ada")):
        assert "expected values are left out" in text
    text = pages_of(early, "ben")
    assert (
        f"{datetime.now(UTC) + timedelta(days=2):%Y-%m-%d}" not in text
    )  # until when somebody has time is theirs alone
    assert SENTENCE in text and "Twice, or plus one?" in text
    for secret in ("[4.]", "[3.]", "expected 4", "replay"):
        assert secret not in text


def test_before_that_nobody_is_told_which_concept_answers_are_right(early):
    write(early)
    right, wrong = pages_of(early, "ada"), pages_of(early, "ben")
    assert "Which of these answers are right is told" in right
    assert "Which of them it is." not in right + wrong


def test_now_tells_them_all_the_same(early):
    assert write(early, now=True).told == ()
    assert "[4.]" in pages_of(early, "ben")
    assert "left out" not in pages_of(early, "ben")


def test_after_the_last_extension_they_are_told(room):
    assert write(room).told == ()
    assert "[4.]" in pages_of(room, "ben")


def test_an_error_is_told_without_values():
    told = read_message("It adds.\nRaised ValueError: no.\n  x = 3\n  expected: 4")
    assert told.without_values("error") == msgspec.structs.replace(told, inputs=(), expected="")
    assert told.without_values("failed").fault == ""


# -- student text is inert ---------------------------------------------------------------------------------------------


@pytest.fixture
def hostile(tmp_path: Path) -> Class:
    """A class whose names, cells, errors, hints, notes and files all want to be HTML or Markdown."""
    made = Class(tmp_path, people=f'mallory,"{EVIL.replace(chr(34), chr(34) * 2)}"\nnur,نور الحداد\n')
    bad = f"{SENTENCE}\nRaised ValueError: {EVIL} | a | b | [x](http://evil.example)\n  got:      '</code>{EVIL}'"
    graded = result(
        question("a", f"Doubling {EVIL}", check("a_0", 60.0, bad, notes=(f"note {EVIL}",)), hint=f"Twice? {EVIL}"),
        cells=(CellRun(index=3, status="error", error=f"NameError: {EVIL}"),),
    )
    made.hand_in(
        "mallory", graded, source=f"def f(x):\n    '''</pre>{EVIL}\n````\n# heading\n'''\n", file=f"{EVIL}.ipynb"
    )
    made.hand_in("nur", WRONG, flags=(EVIL,))
    made.hand_in(EVIL, WRONG, days=-2)
    made.hand_in("\u202eadA\x1b[31m", WRONG, days=-3)
    return made


def test_no_text_becomes_an_element(hostile):
    assert write(hostile).failed == {}
    pages = sorted((hostile.root / "out").rglob("*.html"))
    assert len(pages) == 5
    for path in pages:
        page = _Reader(path.read_text(encoding="utf-8"))
        assert {tag for tag, _ in page.elements} & {"script", "img", "iframe", "object", "form", "input"} == set()
        assert not [name for _, attributes in page.elements for name in attributes if name.startswith("on")]
        assert page.text.replace("\n", "").isprintable()
    assert EVIL in _Reader(pages_of(hostile, "mallory")).text


def test_no_text_becomes_markdown(hostile):
    write(hostile)
    for path in (hostile.root / "out").rglob("*.md"):
        fence = ""
        for line in path.read_text(encoding="utf-8").splitlines():
            mark = re.match(r"`{3,}", line)
            if mark and (not fence or line == fence):
                fence = "" if fence else mark[0]
            elif not fence:
                assert "<script" not in line.replace("\\<", "")
                assert not re.search(r"(?<!\\)\]\(", line)
                assert line != "# heading"
        assert fence == ""


def test_a_fence_is_longer_than_any_in_the_text():
    assert fenced("a\n`````\nb", "python").startswith("``````python\n")
    assert fenced("a").splitlines() == ["```", "a", "```"]


def test_pages_ask_no_network_and_allow_no_script(hostile):
    write(hostile)
    for path in (hostile.root / "out").rglob("*.html"):
        page = _Reader(path.read_text(encoding="utf-8"))
        policy = next(one["content"] for tag, one in page.elements if tag == "meta" and one.get("http-equiv"))
        assert str(policy).startswith("default-src 'none'; style-src 'unsafe-inline'; img-src data:")
        for _, attributes in page.elements:
            for name in ("href", "src"):
                assert re.match(r"#[\w-]+$|data:,$|students/[\w.-]+\.html$|$", attributes.get(name) or "")
    assert "url(" not in STYLE and "@import" not in STYLE


def test_names_that_run_from_right_to_left_stand_by_themselves(hostile):
    write(hostile)
    assert "<bdi>نور الحداد</bdi>" in read(hostile, "students/nur.html")
    assert "<bdi>نور الحداد (nur)</bdi>" in read(hostile, "index.html")


def test_lines_of_a_megabyte_hold(tmp_path):
    made = Class(tmp_path)
    long = "x" * 1_000_000
    graded = result(question("a", "Doubling", check("a_0", 100.0, f"{SENTENCE}\n{long}", notes=(long,)), hint=long))
    made.hand_in("ada", graded, source=f"def f(x):\n    return '{long}'\n" * 2, flags=(long,))
    made.hand_in("ben", graded, source="def f(x): pass\n" + "#\n" * 200_000)
    assert write(made).failed == {}
    for path in (made.root / "out").rglob("*.*"):
        assert path.stat().st_size < 400_000, path.name
    assert "[cut: more than" in read(made, "students/ada.html")


# -- files -------------------------------------------------------------------------------------------------------------


@given(st.sets(st.text(min_size=1, max_size=80), max_size=20))
def test_no_two_students_share_a_file_name_and_each_is_safe_everywhere(ids):
    names = [page_name(id) for id in ids]
    assert len({name.casefold() for name in names}) == len(ids)
    assert all(re.fullmatch(r"[a-z0-9_][a-z0-9_-]{0,59}(\.[0-9a-f]{16})?", name) for name in names)


@pytest.mark.parametrize("id", ["CON", "nul", "lpt1", "..", ".", "a/b", "a\\b", "Ada", "-rf", "ß" * 300, "\udce9", ""])
def test_odd_ids_have_a_digest_in_their_name(id):
    assert re.fullmatch(r"[a-z0-9_][a-z0-9_-]*\.[0-9a-f]{16}", page_name(id))


def test_ids_that_differ_in_case_alone_have_two_pages(tmp_path):
    made = Class(tmp_path)
    for name in ("ada", "Ada", "ADA", "../ada", "con"):
        made.hand_in(name, RIGHT)
    assert write(made).students == 5
    assert len({path.name.casefold() for path in (tmp_path / "out/students").glob("*.html")}) == 5
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"index.html", "index.md", "students"}


def test_a_page_that_cannot_be_made_is_told_and_the_others_are_made(room, monkeypatch):
    write(room)

    def stumbling(release, standing, *rest):
        if standing.student == "ben":
            raise RecursionError("too deep")
        return made_before(release, standing, *rest)

    made_before = reporting.student_page
    monkeypatch.setattr(reporting, "student_page", stumbling)
    written = write(room)
    assert list(written.failed) == ["ben"] and "RecursionError" in written.failed["ben"]
    assert written.students == 3
    assert not (room.root / "out/students/ben.html").exists()  # it would tell an older grade
    assert (room.root / "out/students/ada.html").exists()


def test_cells_that_cannot_be_read_cost_only_the_cells(room):
    with room.book() as book:
        book._db.execute("DROP TRIGGER runs_stay_as_they_are")
        book._db.execute("UPDATE runs SET sources = x'00' WHERE id = (SELECT max(id) FROM runs)")
    written = write(room)
    assert written.students == 4 and "the cells cannot be read" in " ".join(written.told)


def test_a_folder_with_other_files_keeps_them(room):
    (room.root / "out/students").mkdir(parents=True)
    (room.root / "out/notes.txt").write_text("mine")
    (room.root / "out/students/old.html").write_text("an older page")
    told = write(room).told
    assert "holds 1 other file, not of this report" in " ".join(told)
    assert (room.root / "out/notes.txt").read_text() == "mine"
    assert (room.root / "out/students/old.html").exists()
    assert not list((room.root / "out").rglob("*.part"))


def test_the_same_class_gives_the_same_bytes(room):
    room.hand_in("zoe", RIGHT, file="zoe_40527_700961_little.ipynb")
    write(room)
    first = {path: path.read_bytes() for path in (room.root / "out").rglob("*.*")}
    write(room)
    assert {path: path.read_bytes() for path in (room.root / "out").rglob("*.*")} == first


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("doeann_40527_700961_little.ipynb", "doeann_40527_700961_feedback.html"),
        ("doeann_LATE_40527_700961_little-2.ipynb", "doeann_LATE_40527_700961_feedback.html"),
        ("doeann_40527_700961_doeben_40528_700962_little.ipynb", "doeann_40527_700961_feedback.html"),
        ("doeann_40527_700961_work.zip/doeben_40528_700962_little.ipynb", "doeann_40527_700961_feedback.html"),
        ("ann/doeben_40528_700962_little.ipynb", None),
        ("ada/little.ipynb", None),
        ("little_1.ipynb", None),
    ],
)
def test_feedback_for_canvas_has_the_prefix_of_what_was_handed_in(file, name):
    assert canvas_name(file) == name


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("Ada Lovelace_123_assignsubmission_file/little.ipynb", "Ada Lovelace_123_assignsubmission_file/feedback.html"),
        ("Ada_123_assignsubmission_file_/a/little.ipynb", "Ada_123_assignsubmission_file/feedback.html"),
        (
            "Ada_123_assignsubmission_file_/Ben_124_assignsubmission_file/x.ipynb",
            "Ada_123_assignsubmission_file/feedback.html",
        ),
        ("ada/Ben_124_assignsubmission_file/little.ipynb", None),
        ("Ada_123_assignsubmission_file_little.ipynb", "Ada_123_assignsubmission_file/feedback.html"),
        ("Ada_123_assignsubmission_onlinetext/little.ipynb", "Ada_123_assignsubmission_file/feedback.html"),
        ("A.._123_assignsubmission_file/little.ipynb", None),
        ("ada/little.ipynb", None),
    ],
)
def test_feedback_for_moodle_has_the_folder_of_what_was_handed_in(file, name):
    assert moodle_name(file) == name


def test_feedback_is_packed_for_the_platforms_that_it_came_from(room):
    room.hand_in("zoe", WRONG, file="doezoe_40527_700961_little.ipynb", members=("zed",))
    room.hand_in("pam", WRONG, file="Pam_9_assignsubmission_file/little.ipynb", came_from="moodle")
    room.hand_in("eve", WRONG, file="doezoe_40527_700961_little.ipynb", came_from="path")  # by a name of her own
    written = write(room)
    assert written.packed == {"feedback-canvas.zip": 1, "feedback-moodle.zip": 1}
    with zipfile.ZipFile(room.root / "out/feedback-canvas.zip") as archive:
        assert archive.namelist() == ["doezoe_40527_700961_feedback.html"]
        assert archive.read(archive.namelist()[0]).decode() == read(room, "students/zoe.html")
    room.hand_in("pam", WRONG, file="pam.ipynb", days=-0.1, came_from="path")
    write(room)
    assert not (room.root / "out/feedback-moodle.zip").exists()


# -- figures -----------------------------------------------------------------------------------------------------------


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 100)), min_size=5, max_size=40))
def test_discrimination_is_the_correlation_where_there_is_one(pairs):
    shares, rest = [one for one, _ in pairs], [one for _, one in pairs]
    found = discrimination(shares, rest)
    if found is None:
        assert np.std(shares) * np.std(rest) < 1e-6
    elif np.std(shares) > 1e-6 and np.std(rest) > 1e-6:
        assert found == pytest.approx(np.corrcoef(shares, rest)[0, 1], abs=1e-6)


def test_tiny_classes_and_equal_scores_have_no_discrimination():
    assert discrimination([0.0, 1.0, 1.0, 0.0], [1.0, 2.0, 3.0, 4.0]) is None
    assert discrimination([1.0] * 9, list(map(float, range(9)))) is None
    assert discrimination(list(map(float, range(9))), [3.3] * 9) is None
    assert discrimination([0.0, 0.0, 0.0, 1.0, 1.0], [1.0, 2.0, 3.0, 9.0, 8.0]) > 0.8
    assert (difficulty([]), difficulty([0.5, 1.0]), share(3, 0), share(5, 4)) == (None, 0.75, 0.0, 1.0)


@given(st.lists(st.floats(0, 130), max_size=50))
def test_every_score_is_in_one_bar(scores):
    bins = distribution(scores, 100.0)
    assert sum(one.count for one in bins) == len(scores)
    assert bins[0].low == 0 and bins[-1].high >= max([100.0, *scores]) - 1e-9


def test_full_marks_are_in_the_last_bar_and_extras_above_have_their_own():
    assert [one.count for one in distribution([100.0, 90.0, 89.99], 100.0)][-2:] == [1, 2]
    assert [one.told for one in distribution([104.0], 100.0)][-1] == "100–110"


def test_points_are_written_without_noise():
    assert [number(one) for one in (None, 0.0, 10.0, 98.125, 33.3)] == ["—", "0", "10", "98.12", "33.3"]


def facts(id: str, graded=WRONG, **more) -> StudentFacts:
    return StudentFacts(student=id, name="", kind="graded", grade=graded.score, result=graded, **more)


def test_an_equal_group_is_listed_once_under_the_question_where_it_begins():
    groups = [MistakeGroup(question=id, submissions=("x", "y")) for id in ("b", "a")]
    found = class_facts(
        "Little", [facts("x"), facts("y"), facts("z")], [*groups, MistakeGroup(question="a", submissions=("z",))]
    )
    (one,) = found.unknown
    assert (one.question, one.also, one.students, one.check, one.told.got) == ("a", ("b",), ("x", "y"), "a_0", "[3.]")
    assert found.alone == 1
    for page in (_Reader(class_html(found)).text, class_markdown(found)):
        assert "[4.]" in page.replace("\\", "") and "1 further student has unknown mistakes" in page


def test_blank_answers_and_those_who_handed_in_together_share_no_mistake():
    group = [MistakeGroup(question="b", submissions=("x", "y"))]
    blank = frozenset({"b"})
    assert class_facts("Little", [facts("x", blank=blank), facts("y", blank=blank)], group).unknown == ()
    assert class_facts("Little", [facts("x", submission=4), facts("y", submission=4)], group).unknown == ()
    assert len(class_facts("Little", [facts("x"), facts("y")], group).unknown) == 1


def test_without_a_roster_nobody_is_known_to_be_missing():
    assert "as far as is known without a roster" in class_html(class_facts("Little", [facts("x")], []))


def test_a_notebook_left_as_it_was_handed_out_is_blank(room):
    cell = "def f(x):\n    ..."
    notebook = {"cells": [{"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": cell}],
                "metadata": {}, "nbformat": 4, "nbformat_minor": 5}  # fmt: skip
    (room.root / "assignments/little/little.ipynb").write_bytes(msgspec.json.encode(notebook))
    for name in ("pat", "sam"):
        room.hand_in(name, WRONG, source=f"{cell}\n", mistakes={"a": "same"})
    for name in ("una", "val"):
        room.hand_in(name, WRONG, source="def f(x):\n    return x", mistakes={"a": "same"})
    write(room)
    text = " ".join(_Reader(read(room, "index.html")).text.split())
    assert "2 students in Doubling a · a_0" in text
    assert "una, val" in text


def test_a_class_in_which_nobody_was_graded_has_a_page(tmp_path):
    made = Class(tmp_path, people="ada,Ada\n")
    with made.book():
        pass
    assert write(made).students == 0
    assert "Nobody was graded yet." in read(made, "index.html")
    assert "without a roster" not in read(made, "index.html")
    assert remark(StudentFacts(student="ada", name="", kind="missing", grade=None)) == "nothing handed in"


# -- looks -------------------------------------------------------------------------------------------------------------


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_every_text_colour_can_be_read_on_every_ground_in_light_dark_and_print():
    schemes = [
        dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", block))
        for block in re.findall(r":root \{(.*?)\}", STYLE, re.DOTALL)
    ]
    assert len(schemes) == 3
    for colours in schemes:
        for text in ("ink", "quiet", "good", "bad", "link"):
            for ground in ("paper", "panel", "hint"):
                assert contrast(colours[text], colours[ground]) >= 4.5, (text, ground)
        assert contrast(colours["bar"], colours["paper"]) >= 3
        assert contrast(colours["bar"], colours["rail"]) >= 3


# -- the command -------------------------------------------------------------------------------------------------------


def redink(made: Class, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "redink_cli", *words]
    return subprocess.run(command, cwd=made.root, capture_output=True, text=True, check=False, timeout=60)


def test_the_command_says_what_to_open(room):
    done = redink(room, "report", "little", "--to", "pages/here")
    assert (done.returncode, done.stdout) == (0, "4 feedback pages; open pages/here/index.html\n")
    assert (room.root / "pages/here/students/ada.md").exists()


def test_the_command_says_what_is_left_out(early):
    assert "expected values are left out" in redink(early, "report", "little", "--to", "out").stdout
    assert "left out" not in redink(early, "report", "little", "--to", "out", "--now").stdout


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("litle", "--to", "out"), "there is no assignment 'litle'"),
        (("little", "--to", "course.toml"), "course.toml"),
        (("little", "--to", "out", "--gradebook", "none.sqlite"), "there is no gradebook none.sqlite"),
    ],
)
def test_a_mistake_is_one_sentence(room, words, complaint):
    done = redink(room, "report", *words)
    assert done.returncode == 1
    assert complaint in done.stderr and len(done.stderr.splitlines()) == 1


def test_what_one_student_needs_stands_before_what_many_have_in_common(tmp_path):
    room = Class(tmp_path)
    for name in ("ada", "ben", "cy"):
        room.hand_in(name, RIGHT, flags=("late, and nobody knows by how much",))
    odd = result(question("a", "Doubling", check("a_0", 100.0, notes=("odd: a person should look",))))
    room.hand_in("zoe", odd)
    write(room)
    text = (room.root / "out/index.md").read_text()
    look = text[text.index("Needs a person") :]
    assert look.index("zoe") < look.index("ada")


def test_of_a_notebook_that_is_too_long_to_be_read_cells_are_told_by_their_text(monkeypatch):
    def refuse(text: str) -> None:
        raise AssertionError(f"{len(text)} characters were read as Python")

    monkeypatch.setattr(source, "_read", refuse)
    asked = Question(id="fit", title="Fit", points=1, asks=("fit",))
    far = f"import a{'.a' * 3000}"
    twice = [Cell(index=place, source=f"def fit(X):\n    return {place}\n{far}") for place in (1, 2)]
    assert [cell.index for cell in own_cells(twice, asked)] == [2]
    assert own_cells([Cell(index=1, source=f"fit += 1\n{far}")], asked) == ()


def test_full_marks_are_in_the_bar_below_them_also_where_somebody_has_more():
    bins = distribution([100.0, 100.0, 95.0, 105.0, 110.0, 120.0], 100.0)
    assert [(one.low, one.count) for one in bins if one.count] == [(90.0, 3), (100.0, 1), (110.0, 2)]


@pytest.mark.parametrize("most", [100.0, 120.0, 200.0, 400.0])
def test_no_two_numbers_below_the_chart_touch(most):
    drawn = histogram(distribution([0.0, most], 100.0), "points")
    below = re.findall(r'<text x="([-\d.]+)" y="196.0" text-anchor="(\w+)">(\d+)</text>', drawn)
    assert {anchor for _, anchor, _ in below} == {"middle"}
    places = [(float(x), 8.0 * len(text)) for x, _, text in below]
    assert len(places) > 5
    assert all(right - left > width for (left, width), (right, _) in itertools.pairwise(places))


def test_an_extra_question_that_hardly_anybody_tried_is_not_among_the_hardest_and_tells_nothing():
    few = question("more", "More", check("more_0", 10.0, FAILS), check("more_1", 10.0), tier="extra")
    none = question("more", "More", check("more_0", 10.0, FAILS), check("more_1", 10.0, FAILS), tier="extra")
    ok = question("a", "A", check("a_0", 30.0))
    class_of = [
        msgspec.structs.replace(
            facts(f"s{at}", blank=frozenset({"more"}) if at else frozenset()),
            result=result(ok if at % 2 else question("a", "A", check("a_0", 30.0, FAILS)), none if at else few),
        )
        for at in range(12)
    ]
    found = class_facts("Little", class_of, [])
    assert [(one.id, one.reached) for one in found.hardest] == [("a_0", 12)]
    assert {one.id: one.discrimination for one in found.questions}["more"] is None


def test_what_a_person_should_look_at_is_not_on_the_students_page(tmp_path):
    made = Class(tmp_path)
    notes = ("an empty function might have answered so too: a person should look", "an input was changed in place")
    names = [f"check_{at}" for at in range(6)]
    made.hand_in("ada", result(question("a", "Doubling", *(check(one, 10.0, notes=notes) for one in names))))
    write(made)
    page = read(made, "students/ada.html")
    assert "a person should look" not in page and "changed in place" in page
    told = "might have answered so too: a person should look (check_0, check_1, check_2 and 3 more checks)"
    assert told in read(made, "index.html")


def test_points_lost_are_those_that_count(room):
    with room.book() as book:
        book.decisions.override("little", "ben", "a", 60.0, reason="renamed", who="t")
    write(room)
    everybody = read(room, "index.html").partition('id="everybody"')[2]
    assert "<bdi>b 0/40</bdi>" in everybody
    assert "a 30/60" not in everybody
