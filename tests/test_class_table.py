"""What a teacher sees of a class in a terminal: a screen, at 80 columns too, and in it whoever needs a person."""

from __future__ import annotations

import msgspec
import pytest
from rich.console import Console

from redink.grader.desk.collecting import CollectedClass, Receipt
from redink.grader.pipeline.report import GradeChange, MistakeGroup, Report
from redink.records import Result, SubmissionId
from redink_cli import class_table
from tests.making_pages import RIGHT, WRONG, check, question, result

DOUBTFUL = result(question("a", "Doubling", check("a_0", 100.0, notes=("odd: a person should look",))))


@pytest.fixture(params=[80, 100])
def screen(request, monkeypatch, capsys):
    """A terminal of that many columns; what is shown on it, line by line."""
    monkeypatch.setattr(class_table, "console", lambda: Console(width=request.param, highlight=False))

    def lines() -> list[str]:
        shown = capsys.readouterr().out.splitlines()
        assert all(len(line.rstrip()) <= request.param for line in shown)
        return shown

    return lines


def a_class(*kinds: tuple[int, Result]) -> tuple[Result, ...]:
    every = [one for count, one in kinds for _ in range(count)]
    return tuple(
        msgspec.structs.replace(one, submission=SubmissionId(id=f"student_{at:03}", file="x.ipynb", sha256="x"))
        for at, one in enumerate(every)
    )


FAILED = msgspec.structs.replace(result(state="internal_error"), reason="the box could not be started")
LARGE = a_class((200, RIGHT), (80, WRONG), (12, result(state="ungradable")), (2, FAILED), (6, DOUBTFUL))


def test_300_submissions_are_one_screen_with_counts_a_distribution_and_those_who_need_a_person_first(screen):
    groups = (MistakeGroup(question="b", submissions=tuple(f"student_{n:03}" for n in range(200, 230))),)
    class_table.show_class(Report(results=LARGE, groups=groups, reused=100), [("gradebook", "book.sqlite")])
    lines = screen()
    text = "\n".join(lines)
    assert len(lines) <= 50
    assert lines[0] == "2 without a grade, which is not their fault:"
    assert (
        text.index("2 without a grade") < text.index("12 ungradable, the first 5:") < text.index("286 scores: median")
    )
    assert "6 to look at, the first 5:" in text
    assert "90–100  206  ████" in text
    assert "80  a: adds_one" in text
    assert "30 submissions share an unknown mistake in b: student_200," in text
    told = " ".join(text.split())
    assert "286 graded (206 full, 80 partial), 2 internal_error, 12 ungradable; 200 new, 100 reused" in told
    assert "gradebook: book.sqlite" in text
    steps = [line.partition("#")[0].strip() for line in lines if line.startswith("next: ")]
    assert steps == [
        "next: redink grade little …", "next: redink mistakes little", "next: redink report little --to report/",
        "next: redink export little --as csv",
    ]  # fmt: skip


def test_a_notebook_that_nobody_began_is_said_to_be_so_also_where_it_has_short_answers(screen):
    unwritten = check("a_0", 60.0, "Doubles.\nNot written yet.", verdict="not_run")
    form = check("b_form", 0.0, "Every item has an answer.\nNot written yet.\n  got: {x: None}")
    key = check("b_key", 40.0, "What x is.", visibility="hidden")
    wrong = check("b_form", 0.0, "Every item has an answer.\nx is none of the words.")
    blank = result(question("a", "Doubling", unwritten), question("b", "Short", form, key))
    begun = result(question("a", "Doubling", unwritten), question("b", "Short", wrong, key))
    extra = result(question("a", "Doubling", unwritten), question("c", "More", check("c_0", 5.0), tier="extra"))
    class_table.show_class(Report(results=a_class((1, blank), (1, begun), (1, extra)), groups=()))
    first, second, third = screen()[1:4]
    assert first.rstrip().endswith("nothing is written yet")
    assert second.rstrip().endswith("lost points in a, b")
    assert third.rstrip().endswith("lost points in a")  # an extra question was solved


def test_a_small_class_is_listed_one_by_one(screen):
    class_table.show_class(Report(results=a_class((2, RIGHT), (1, WRONG)), groups=()))
    lines = screen()
    assert [line.split()[:2] for line in lines[1:4]] == [
        ["student_000", "100"], ["student_001", "100"], ["student_002", "30"],
    ]  # fmt: skip


def test_what_a_person_should_look_at_stands_in_the_line_of_a_small_class_too(screen):
    class_table.show_class(Report(results=a_class((1, RIGHT), (1, DOUBTFUL)), groups=()))
    assert "a: odd: a person should look (a_0)" in " ".join(" ".join(screen()).split())


def test_names_of_the_roster_stand_beside_the_ids_where_they_fit(screen):
    names = {"student_000": "Ada Lovelace", "student_001": "Maximiliana " * 4, "student_002": "student_002"}
    class_table.show_class(Report(results=a_class((2, RIGHT), (1, WRONG)), groups=(), names=names))
    shown = [line.partition("  ")[0] for line in screen()[1:4]]
    assert shown == ["Ada Lovelace (student_000)", "student_001", "student_002"]
    class_table.show_class(Report(results=LARGE, groups=(), names={"student_292": "Ada Lovelace"}))
    assert any("Ada Lovelace (student_292)" in line for line in screen())


def test_who_was_run_again_is_told(screen):
    again = msgspec.structs.replace(RIGHT, run_again=True)
    sentence = "it was run again: a process of it was killed, from outside or by itself"
    for results in (a_class((1, again), (1, RIGHT)), a_class((1, again), (100, RIGHT))):
        class_table.show_class(Report(results=results, groups=()))
        assert " ".join(" ".join(screen()).split()).count(sentence) == 1


def test_whoever_has_another_grade_is_named_however_many_they_are(screen):
    changes = tuple(GradeChange(submission=f"student_{n:03}", old=1.0, new=2.0) for n in range(300))
    class_table.show_class(Report(results=LARGE, groups=(), changes=changes))
    text = "\n".join(screen())
    assert all(f"changed: student_{n:03}: 1 → 2" in text for n in range(300))


def test_of_a_large_collection_the_first_problems_are_named_and_ignored_files_by_their_reason(screen):
    receipts = tuple(
        Receipt(student=f"s{n}", name="", file="", sha256="", handed_in=None, attempt=1, new=True, problem="is a PDF")
        for n in range(40)
    )
    ignored = tuple((f"{n}.html", "a text entry, not a file") for n in range(30))
    class_table.show_collected(
        CollectedClass(
            assignment="little", told=("Canvas download: 70 files",), receipts=receipts, ignored=ignored,
            unmatched=("sam",), missing=tuple(f"m{n}" for n in range(20)),
        )
    )  # fmt: skip
    lines = screen()
    assert len(lines) <= 15
    text = " ".join("\n".join(lines).split())
    assert "40 without a usable notebook, the first 5:" in text
    assert "30 ignored: a text entry, not a file (0.html and 29 more)" in text
    assert "1 not in the roster, and taken all the same: sam" in text
    assert "20 missing: m0, m1, m2, m3, m4, m5, m6, m7 and 12 more" in text
    assert lines[-1] == "next: redink grade little"
