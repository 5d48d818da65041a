"""The formats of CI: whatever a submission prints, returns, raises or calls things, none of it acts in any of them."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
import xml.etree.ElementTree as ET
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
import xmlschema
from junitparser.xunit2 import JUnitXml
from markdown_it import MarkdownIt

from redink.assignment.spec import read_spec
from redink.grader.ci.classroom import classroom_result
from redink.grader.ci.github import MOST_ANNOTATIONS, MOST_SUMMARY, remarks, summary
from redink.grader.ci.gradescope import gradescope_results
from redink.grader.ci.grading import NO_KEY, GradedBy, weakness
from redink.grader.ci.junit import junit
from redink.grader.ci.log import inert, log
from redink.grader.ci.outcome import CiOutcome
from redink.grader.ci.public_key import handout_key
from redink.records import CellRun, CheckResult, Hint, QuestionResult, Result, SubmissionId, Walls
from tests.ci_schemas import check_classroom, check_gradescope, check_junit
from tests.conftest import CENTRE, ROOT, SCALE, Desk, environment, write_notebook

GITHUB, GITLAB = {"GITHUB_ACTIONS": "true"}, {"GITLAB_CI": "true"}
EVIL = (
    "x\n::error file=a::forged\n  ::set-output name=score::100\n::add-mask::points\n::stop-commands::t\n##[error]forged\n"
    "##[set-env name=PATH;]x\r::warning::x\x1b[2J\x1b]0;title\x07\x00\x08\u202e]]><failure/><!--&lt; | a | b |\n# Heading\n"
    "<script>alert(1)</script> [link](https://evil.example) ![i](https://evil.example/i.png) `code` @teacher #1 **bold**\n"
    "\x1b[0Ksection_start:1:x[collapsed=true]\r\x1b[0Khidden \ud800 \ufffe"
)
OWN = re.compile(r"::(group|endgroup|stop-commands|[0-9a-f]{32})::|::(error|warning) file=")


def check(id: str, verdict: str, message: str = "", visibility: str = "public", points: float = 5.0) -> CheckResult:
    score = points if verdict == "passed" else 0.0
    return CheckResult(id=id, visibility=visibility, verdict=verdict, score=score, max_score=points, message=message,
                       notes=(EVIL,) if message else ())  # type: ignore[arg-type]  # fmt: skip


def question(id: str, *checks: CheckResult, tier: str = "core", hint: str = "") -> QuestionResult:
    return QuestionResult(
        id=id, title=f"Title of {id}", tier=tier, score=sum(one.score for one in checks),  # type: ignore[arg-type]
        max_score=sum(one.max_score for one in checks), hint=Hint(text=hint) if hint else None, checks=checks,
    )  # fmt: skip


def outcome(*questions: QuestionResult, **changes: Any) -> CiOutcome:
    counted = [one for one in questions if one.tier == "core"]
    result = Result(
        assignment="little", version="v", secret="s", submission=SubmissionId(id="a", file="a.ipynb", sha256=""),
        state="graded", reason=None, score=sum(one.score for one in counted),
        max_score=sum(one.max_score for one in counted), questions=questions, cells=(), box=Walls(),
        cpu_seconds=0.1, wall_seconds=0.2,
    )  # fmt: skip
    made = CiOutcome(title="Little", file="a.ipynb", result=result)
    of_result = {name: value for name, value in changes.items() if name in Result.__struct_fields__}
    rest = {name: value for name, value in changes.items() if name not in of_result}
    return msgspec.structs.replace(made, result=msgspec.structs.replace(result, **of_result), **rest)


@pytest.fixture
def mixed() -> CiOutcome:
    """One of everything."""
    return outcome(
        question("centre", check("right", "passed"), check("wrong", "failed", "It is 0.\nGot 1.", "hidden"), hint="Look."),
        question("scale", check("raises", "error", "It scales.\nYour code raised an error here.")),
        question("left", check("unwritten", "not_run", "It is written.\nNot written yet.")),
        question("more", check("untouched", "not_run", "Extra.\nNot written yet."), tier="extra"),
        question("further", check("tried", "failed", "Extra too."), tier="extra"),
        cells=(CellRun(index=3, status="error", error="NameError: x"), CellRun(index=4, status="ok")),
        lines={"centre": 40, "scale": 60}, cell_lines={3: 33},
    )  # fmt: skip


@pytest.fixture
def hostile() -> CiOutcome:
    """Somebody who tries it everywhere."""
    return outcome(
        question("centre", check("wrong", "failed", EVIL), check("skipped", "not_run", EVIL), hint=EVIL),
        cells=(CellRun(index=1, status="error", error=EVIL, output=EVIL),),
        file=EVIL.replace("/", "_"), only_public=EVIL, told=(EVIL,), reason=EVIL,
    )  # fmt: skip


# -- JUnit -----------------------------------------------------------------------------------------------------------


def test_junit_tells_whose_fault_it_is(mixed):
    ours = outcome(state="internal_error", reason="Redink failed, not the student: no box")
    theirs = outcome(state="ungradable", reason="a.ipynb is not a notebook")
    read = JUnitXml.fromstring(junit([mixed, ours, theirs]))
    assert (read.tests, read.failures, read.errors) == (8, 4, 1)
    suite = next(iter(read))
    assert suite.skipped == 2
    cases = {case.name: case for case in suite}
    kinds = {name: [type(one).__name__ for one in case.result] for name, case in cases.items()}
    assert kinds == {
        "right": [], "wrong": ["Failure"], "raises": ["Failure"], "unwritten": ["Skipped"], "untouched": ["Skipped"],
        "tried": ["Failure"],
    }  # fmt: skip
    properties = {one.name: one.value for one in cases["wrong"].properties()}
    assert (properties["score"], properties["max_score"], properties["visibility"]) == ("0", "5", "hidden")
    assert {one.name: one.value for one in suite.properties()}["score"] == "5"


def test_every_file_has_the_shape_that_its_readers_agree_on(mixed, hostile):
    ours = outcome(state="internal_error", reason="no box", cpu_seconds=1.23e-5)
    theirs = outcome(state="ungradable", reason="a.ipynb is not a notebook", cpu_seconds=1234.56789)
    for outcomes in ([mixed], [hostile], [ours], [theirs], [mixed, ours, theirs]):
        check_junit(junit(outcomes))
        check_classroom(classroom_result(outcomes, {}, datetime.now(UTC)))
        for one in outcomes:
            check_gradescope(gradescope_results(one.result))


def test_the_rules_of_junit_are_not_empty(mixed):
    right = junit([mixed]).decode()
    once = re.search(r"<testcase .*?</testcase>", right, re.DOTALL)
    assert once
    for old, new in (
        (once[0], once[0] * 2), ('time="0.100"', 'time="1e-05"'), ('failures="', 'failures="-'), (' name="redink"', ""),
        ("<skipped ", "<skipped/><skipped "), ("<failure ", "<crash/><failure "),
    ):  # fmt: skip
        assert old in right
        with pytest.raises(xmlschema.XMLSchemaValidationError):
            check_junit(right.replace(old, new, 1).encode())


def test_nothing_a_student_writes_is_xml(hostile):
    data = junit([hostile])
    top = ET.fromstring(data)
    assert {one.tag for one in top.iter()} == {"testsuites", "testsuite", "properties", "property", "testcase", "failure",
                                               "skipped"}  # fmt: skip
    assert len(top.findall(".//failure")) == 1
    assert not set(data) & {0, 7, 8, 27}
    JUnitXml.fromstring(data)
    check_junit(data)


# -- logs and annotations ----------------------------------------------------------------------------------------------


def commands(lines: list[str]) -> list[str]:
    """Return what GitHub would obey, as its runner reads a log: also behind spaces, and the old form anywhere."""
    said = [part for line in lines for part in re.split(r"[\r\n]", line)]
    return [one for one in said if one.strip().startswith("::") or "##[" in one]


def test_a_log_on_github_obeys_us_alone(hostile):
    lines = [*log([hostile], GITHUB), *remarks([hostile])]
    assert all(OWN.match(one) for one in commands(lines)), commands(lines)
    kinds = [one.split("::")[1].split(" ")[0] for one in commands(lines)]
    assert kinds.count("group") == kinds.count("endgroup") == kinds.count("stop-commands") == 1
    assert all(line.isprintable() for line in lines)


def test_what_stands_in_a_group_is_not_obeyed_whatever_it_says(hostile):
    lines = list(log([hostile], GITHUB))
    begin = next(at for at, line in enumerate(lines) if line.startswith("::stop-commands::"))
    word = lines[begin].rpartition("::")[2]
    end = lines.index(f"::{word}::")
    assert not any(word in line for line in lines[begin + 1 : end])
    assert next(iter(log([hostile], GITHUB))) == lines[0]
    assert f"::stop-commands::{word}" not in list(log([hostile], GITHUB))  # another one each time


def test_a_log_on_gitlab_and_in_a_terminal_has_no_escape_of_a_student(hostile):
    for environ in (GITLAB, {}):
        for line in log([hostile], environ):
            own = re.sub(
                r"\x1b\[0Ksection_(start:\d+:redink_\d+\[collapsed=true\]|end:\d+:redink_\d+)\r\x1b\[0K", "", line
            )
            assert own.isprintable(), repr(line)
            assert "section_start:1:x" not in own or "\x1b" not in own


def test_a_log_is_readable_and_names_points(mixed):
    text = "\n".join(log([mixed], {}))
    assert text.startswith("little: 5 of 20 points\n  cell 3 failed: NameError: x\n")
    assert "✗ Title of centre: 5 of 10" in text
    assert "hint: Look." in text
    assert "· Title of more (extra): 0 of 5" in text


def test_inert_text_stays_readable():
    assert inert("a::b") == "a: :b"
    assert inert("numpy.linalg: fine [1]") == "numpy.linalg: fine [1]"
    for text in ("::error::x", ":::x", "::::", "##[error]x", "###[x", " ::x"):
        assert not commands([inert(text)])


def test_annotations_point_at_cells_and_the_most_useful_come_first(mixed):
    said = remarks([mixed])
    assert said[0] == "::error file=a.ipynb,line=33,title=cell 3::NameError: x"
    assert (
        said[1]
        == "::error file=a.ipynb,line=40,title=Title of centre%3A 5 of 10 points::It is 0.%0AGot 1.%0AHint: Look."
    )
    assert said[2].startswith("::error file=a.ipynb,line=60,")
    assert said[3].startswith("::warning file=a.ipynb,line=1,title=Title of further")
    assert len(said) == 4  # what is not written or not begun is no mistake


def test_no_more_annotations_than_github_shows():
    many = outcome(*(question(f"q{n}", check(f"c{n}", "failed", "Wrong.")) for n in range(30)))
    assert len(remarks([many, many])) == MOST_ANNOTATIONS


# -- Markdown ----------------------------------------------------------------------------------------------------------


def tokens(text: str) -> list[Any]:
    parsed = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text)
    return [inner for token in parsed for inner in (token, *(token.children or ()))]


def test_nothing_a_student_writes_is_markdown(hostile):
    text = summary([hostile])
    found = tokens(text)
    assert not [
        one.type for one in found if one.type in ("html_inline", "html_block", "link_open", "image", "code_inline")
    ]
    headings = [found[at + 1].content for at, one in enumerate(found) if one.type == "heading_open"]
    assert len(headings) == 2
    assert not re.search(r"(?<!\\)@teacher", text)
    assert "\x1b" not in text


@pytest.mark.parametrize(
    "text",
    ["1. item", "1) item", "- item", "+ item", "* item", "> quote", "# heading", "---", "===", "a | b", "    code", "```",
     "~~~",
     "[a]: https://evil.example", "[^1]: note", "- [ ] task", "<!-- ", "<details>", "&lt;b&gt;", "$x$", "\\", "\\|", "_x_",
     "https://evil.example", "WWW.evil.example", "<https://evil.example>", ":\x00:error::x", "#\u200b#[error]x",
     "\u2028::error::x",
     "\x85::error::x", "\ufeff::error::x", "%0A::error::x", "\x9b31m", "section_start:1:x\r", "\u2066x\u2069"],
)  # fmt: skip
def test_a_line_begins_nothing_whatever_it_begins_with(text):
    """The same answer with an ordinary word has the same shape as Markdown, and a log obeys neither."""

    def made(said: str) -> CiOutcome:
        wrong = check("wrong", "failed", f"{said}\nGot {said}\n{said}")
        cells = (CellRun(index=1, status="error", error=said, output=said),)
        return outcome(
            question("q", wrong, hint=said), cells=cells, file=said, only_public=said, told=(said,), reason=said
        )

    def shape(said: str) -> list[str]:
        return [one.type for one in tokens(summary([made(said)])) if not one.type.startswith("text")]

    assert shape(text) == shape("word")
    lines = [*log([made(text)], GITHUB), *remarks([made(text)])]
    assert all(OWN.match(one) for one in commands(lines)), commands(lines)
    assert all(line.isprintable() for line in lines)
    check_junit(junit([made(text)]))


def test_a_summary_below_the_size_that_github_takes_is_cut_with_a_note():
    long = outcome(*(question(f"q{n}", check(f"c{n}", "failed", "Wörter. " * 100)) for n in range(3000)))
    text = summary([long])
    assert len(text.encode()) <= MOST_SUMMARY
    assert text.rstrip().endswith("JUnit file.*")
    short = summary([outcome(question("q", check("c", "passed")))])
    assert "cut" not in short


def test_a_summary_shows_each_question_once(mixed):
    text = summary([mixed])
    assert "| ❌ | Title of centre | 5 / 10 | Look. |" in text
    assert "| ➖ | Title of more (extra) | 0 / 5 |  |" in text
    assert "### Title of more" not in text


# -- JSON --------------------------------------------------------------------------------------------------------------


def test_classroom_scores_are_whole_numbers_and_exact(mixed):
    third = outcome(question("a", check("x", "passed", points=33.33), check("y", "failed", "No.", points=66.67)))
    when = datetime(2026, 11, 20, 23, 59, tzinfo=UTC)
    told = classroom_result([third], {"CLASSROOM": "dl", "SUBMISSION_TAG": "submit/x"}, when)
    assert (told["schema"], told["classroom"], told["submission"]) == ("classroom50/result/v1", "dl", "submit/x")
    assert (told["score"], told["max-score"], told["datetime"]) == (3333, 10000, "2026-11-20T23:59:00Z")
    for made in (told, classroom_result([mixed, outcome(state="ungradable", reason="")], {}, when)):
        for one in (made, *made["tests"]):
            assert type(one["score"]) is int
            assert type(one["max-score"]) is int
            assert 0 <= one["score"] <= one["max-score"]
        assert all(test["test-name"] and type(test["passed"]) is bool for test in made["tests"])


def test_gradescope_has_no_score_where_we_failed(mixed, hostile):
    told = gradescope_results(mixed.result)
    assert told["score"] == 5.0
    assert {test["visibility"] for test in told["tests"]} == {"visible", "after_published"}
    assert {test.get("status") for test in told["tests"]} == {"passed", "failed", None}
    assert [test["number"] for test in told["tests"]][:3] == ["1.1", "1.2", "2.1"]
    assert "score" not in gradescope_results(outcome(state="internal_error", reason="no box").result)
    said = json.dumps(gradescope_results(hostile.result), ensure_ascii=False)
    assert "\x1b" not in said
    assert "\\u001b" not in said


def test_a_weak_box_is_told_where_a_key_was_used():
    spec = read_spec(ROOT / "assignments/perceptron")
    result = outcome(question("q", check("c", "passed"))).result
    weak = msgspec.structs.replace(result, box=Walls(walls=("seccomp",), missing=("landlock", "mount_ns")))
    good = msgspec.structs.replace(result, box=Walls(walls=("landlock", "seccomp"), missing=("mount_ns",)))
    by_key = GradedBy(spec=spec, key=lambda: handout_key(ROOT / "assignments/perceptron"))
    assert "it lacks landlock, mount_ns" in weakness(by_key, weak)[0]
    assert weakness(by_key, good) == []
    assert weakness(msgspec.structs.replace(by_key, only_public=NO_KEY), weak) == []


# -- a real submission -------------------------------------------------------------------------------------------------


@pytest.mark.skipif(sys.platform != "linux", reason="the box needs Linux")
def test_a_hostile_notebook_does_nothing_in_any_format(sealed, graded_course, tmp_path):
    desk = Desk(graded_course, "little")
    evil = repr(EVIL.replace("\ud800", "").replace("\ufffe", ""))
    changes = {
        CENTRE: f"print({evil})\ndef centre(X):\n    return type({evil}, (), {{}})()",
        SCALE: f"def scale(X):\n    raise type({evil}[:50].replace(chr(0), ''), (Exception,), {{}})({evil})",
    }
    sources = [*(desk.sources() | changes).values(), f"raise ValueError({evil})"]
    repository = tmp_path / "::error::x"
    name = "little\x1b[31m::warning::`<b>.ipynb"
    write_notebook(repository / name, sources)
    files = {
        "--junit": "r.xml",
        "--summary": "s.md",
        "--classroom": "c.json",
        "--gradescope": "g.json",
        "--json": "j.json",
    }
    words = [sys.executable, "-m", "redink_cli", "ci", repository, "--key", sealed.file, "--key-sha256", sealed.sha256]
    words += ["--identity", sealed.identity, *(word for pair in files.items() for word in pair)]
    told = environment({**GITHUB, "GITHUB_STEP_SUMMARY": None})
    done = subprocess.run(
        [str(word) for word in words], cwd=tmp_path, env=told, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr + shlex.join(map(str, words))
    lines = done.stdout.splitlines()
    assert any("raise" in line or "error" in line for line in lines)
    assert all(OWN.match(one) for one in commands(lines)), commands(lines)
    assert all(line.isprintable() for line in lines)
    check_junit((tmp_path / "r.xml").read_bytes())
    check_classroom(json.loads((tmp_path / "c.json").read_text()))
    check_gradescope(json.loads((tmp_path / "g.json").read_text()))
    text = (tmp_path / "s.md").read_text(encoding="utf-8")
    assert not [one for one in tokens(text) if one.type in ("html_inline", "html_block", "link_open", "image")]
    for file in files.values():
        assert "\x1b" not in (tmp_path / file).read_text(encoding="utf-8")
    assert json.loads((tmp_path / "j.json").read_text())["results"][0]["state"] == "graded"
