"""The student's side: `check` in a notebook and `redink check` in a terminal, on what `redink new` and `build` make."""

import json
import os
import random
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import numpy as np
import pytest

from redink.calling import one_line
from redink.errors import CourseError
from redink.judging.feedback import Feedback
from redink.records import Request
from redink.student import card_html
from redink.student.calling import observe
from redink.student.card import Card, CardRow, Notice
from redink.student.card_html import differences
from redink.student.checker import Checker
from redink.student.homework import Homework, Work
from redink.student.terminal import check_notebook
from redink.wire import decode, encode

RIGHT = "def centre(X):\n    return X - X.mean(axis=0)"
ROWS = "def centre(X):\n    return X - X.mean(axis=1, keepdims=True)"


@pytest.fixture
def folder(tiny_course, tmp_path):
    """The handed-out folder, away from the course."""
    target = tmp_path / "tiny"
    shutil.copytree(tiny_course / "assignments" / "tiny", target)
    assert not (tmp_path / "solutions").exists()
    return target


@pytest.fixture
def homework(folder):
    return Homework(folder)


def card(homework, function):
    return Card(homework.report("centre", Work({} if function is None else {"centre": function})))


def right(X):
    return X - X.mean(axis=0)


def over_rows(X):
    return X - X.mean(axis=1, keepdims=True)


# -- in a notebook -----------------------------------------------------------------------------------------------------


def test_a_right_function_passes_without_a_word(homework):
    made = card(homework, right)
    assert made.passed
    assert repr(made).splitlines() == [
        "Centre the data: 1 of 1 public checks pass; 100 of 100 points",
        "  ✓ Each column of the result has mean 0; the distances within a column stay.",
    ]
    assert made.report.hint is None


@pytest.mark.parametrize(
    ("function", "note"),
    [
        (lambda X: right(X.astype(np.float32)), "returned float32"),
        (lambda X: right(X).tolist(), None),
    ],
)
def test_a_right_function_in_another_form_passes_with_a_note(homework, function, note):
    made = card(homework, function)
    assert made.passed
    assert ("note: " in repr(made)) == (note is not None)
    assert note is None or f"note: {note}" in repr(made)
    assert note is None or f"note: {note}" in made._repr_html_()


def test_a_misconception_shows_the_smallest_trial_and_the_hint(homework):
    text = repr(card(homework, over_rows))
    assert "0 of 1 public checks pass" in text
    for part in (
        "✗ Each column",
        "numbers differ; at [",
        "X = [[",
        "expected: [[",
        "got:      [[",
        "axis runs over the examples",
    ):
        assert part in text
    assert 'check.replay("subtracts_the_mean_of_each_column", 0)' in text


def test_an_unknown_mistake_draws_no_hint(homework):
    made = card(homework, lambda X: 2 * X)
    assert not made.passed
    assert made.report.hint is None
    assert "Hint" not in repr(made) + made._repr_html_()


@pytest.mark.parametrize("trivial", [None, 0, 0.0, [], {}, "", True, np.zeros((2, 3)), float("nan"), object(), 10**400])
def test_trivial_answers_fail_and_draw_no_hint(homework, trivial):
    made = card(homework, lambda X: trivial)
    assert not made.passed
    assert made.report.hint is None


def test_a_missing_function_is_named(homework):
    made = card(homework, None)
    assert repr(made).splitlines() == [
        "Centre the data: not run yet; 100 points",
        "  centre is not defined: its cell did not run, or stopped with an error.",
    ]
    assert "redink quiet" in made._repr_html_()


def test_a_misspelt_function_gets_a_suggestion(homework):
    made = Card(homework.report("centre", Work({"center": right})))
    assert "centre is not defined; did you mean center?" in repr(made)


def test_a_function_that_another_question_asks_for_is_no_suggestion(homework):
    (question,) = homework.spec.questions
    asks = msgspec.structs.replace(question, asks=("centre", "centred"))
    homework.spec = msgspec.structs.replace(homework.spec, questions=(asks,))
    assert "did you mean" not in repr(Card(homework.report("centre", Work({"centred": right}))))


def test_a_function_that_needs_one_that_did_not_run_is_not_red(little_course):
    names = {}
    exec("def scale(X):\n    return centre(X) / 2", names)
    made = Card(Homework(little_course / "assignments" / "little").report("scale", Work(names)))
    assert made.colour == "quiet"
    assert "Raised" not in repr(made)
    assert "centre is not defined: its cell did not run" in repr(made)


def test_what_is_not_written_beside_what_is_right_is_said_on_its_line_and_is_not_red(homework):
    made = card(homework, right)
    (passed,) = made.report.feedback
    waiting = msgspec.structs.replace(passed, outcome="not_run", fault="Not written yet.")
    half = Card(msgspec.structs.replace(
        made.report, feedback=(passed, waiting, waiting), checks=("a", "b", "c"), weights=dict.fromkeys("abc", 1.0)
    ))  # fmt: skip
    assert half.colour == "quiet"
    assert "redink quiet" in half._repr_html_()
    assert repr(half).count("Not written yet.") == 2
    wrong = msgspec.structs.replace(passed, outcome="failed")
    assert Card(msgspec.structs.replace(half.report, feedback=(passed, waiting, wrong))).colour == "bad"


def test_an_unwritten_function_is_not_an_error(homework):
    def centre(X):
        raise NotImplementedError("centre is yours to write")

    made = card(homework, centre)
    assert repr(made) == "Centre the data: not written yet; 100 points"
    assert made.report.feedback[0].outcome == "not_run"


def test_a_function_that_raises_shows_what_it_raised_and_the_inputs(homework):
    def centre(X):
        raise ValueError("first line\nsecond line")

    text = repr(card(homework, centre))
    assert "Raised ValueError: first line second line." in text
    assert "X = [[" in text


class Unspeakable(Exception):
    def __str__(self):
        raise RuntimeError


@pytest.mark.parametrize(
    "error", [SystemExit(3), RecursionError(), MemoryError(), Unspeakable(), ZeroDivisionError("")]
)
def test_whatever_a_function_raises_is_only_an_answer(homework, error):
    def centre(X):
        raise error

    made = card(homework, centre)
    assert made.report.feedback[0].outcome == "error"
    assert f"Raised {type(error).__name__}" in repr(made)


def test_an_endless_function_is_stopped_and_told_once(folder):
    toml = folder / "assignment.toml"
    toml.write_text(toml.read_text().replace("[[questions]]", "[limits]\ncheck_cpu = 0.1\n\n[[questions]]", 1))
    calls = []

    def endless(X):
        calls.append(1)
        while True:
            pass

    made = card(Homework(folder), endless)
    assert "Took too long: it had not ended after 0.5 s." in repr(made)
    assert len(calls) == 1


def test_what_is_no_function_is_an_error_of_the_students(homework):
    made = Card(homework.report("centre", Work({"centre": 3})))
    assert "Raised TypeError: 'int' object is not callable" in repr(made)


def test_the_card_in_a_notebook_is_escaped(homework):
    def centre(X):
        raise ValueError("<script>alert(1)</script>&'\"")

    html = card(homework, centre)._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;&amp;" in html
    assert html.count("<div") == html.count("</div>")


def test_the_card_in_a_notebook_shows_the_same_as_the_text(homework):
    html = card(homework, over_rows)._repr_html_()
    for part in ("0 of 1 public checks pass", "axis runs over the examples", "check.replay(&quot;", "<b>expected</b>"):
        assert part in html


@pytest.mark.parametrize(
    ("expected", "got", "left", "right"),
    [
        ("[1., 2., 3.]", "[1., 5., 6.]", {1, 2}, {1, 2}),  # as the sentence counts them
        ("[ 1, -1, -1]", "[ 1., -1., 1.]", {2}, {2}),  # 1 and 1. are one number
        ("[[1., 2.], True]", "[[1., 2.], False]", {2}, {2}),
        ("[1., 2., 3.]", "[5., 2.]", {0, 2}, {0}),  # of another length: what has no partner differs too
        ("[[9., 1., 14.], [0, 3], True]", "[[5., 1., 1.], [0], False]", {0, 2, 4, 5}, {0, 2, 4}),
        ("[[1, 2], [3]]", "[[1, 2, 4], 3]", {2}, {2, 3}),
        ("[[-3., 1.], True]", "[-3., 1.]", {2}, set()),
        ("[1, 2", "]1, 2, 3)", set(), {2}),  # a string may hold any bracket
        ("[nan, 1.]", "[nan, 2.]", {1}, {1}),
        ("[1., 2.]", "[[1.], [2.]]", set(), set()),
    ],
)
def test_a_card_marks_every_number_that_differs(expected, got, left, right):
    assert differences(expected, got) == (left, right)


def test_a_value_with_keys_has_a_line_for_each_row_and_key():
    feedback = Feedback(
        outcome="failed", sentence="It.", expected="{a: [[1], [2]], b: [3]}", got="{a: [[1], [4]], b: [3]}"
    )
    text = card_html.card("It: fails", "bad", [CardRow("✗", feedback, "", ())], [], "")
    assert "<pre>{a: [[1],\n [<mark>2</mark>]],\n b: [3]}</pre>" in text


def test_a_card_is_as_wide_as_the_terminal(homework):
    def centre(X):
        raise ValueError("a long complaint " * 12)

    made = card(homework, centre)
    assert max(map(len, made.text(70).splitlines())) <= 70
    assert 80 < max(map(len, made.text(120).splitlines())) <= 120


def test_no_line_of_text_is_wider_than_a_terminal_and_what_is_longer_is_indented(homework):
    def centre(X):
        raise ValueError("a long complaint " * 12)

    lines = repr(card(homework, centre)).splitlines()
    assert max(map(len, lines)) <= 80
    (first,) = [place for place, line in enumerate(lines) if "Raised" in line]
    assert lines[first + 1].startswith(" " * 8)
    assert lines[first + 1][8] != " "


def test_a_python_without_threads_checks_without_a_time_limit(homework, monkeypatch):
    def refuse(self):
        raise RuntimeError("can't start new thread")  # as Pyodide says

    monkeypatch.setattr("threading.Thread.start", refuse)
    assert card(homework, right).passed


@pytest.mark.parametrize(
    ("unfinished", "advice"),
    [
        (("step",), "Fix step first: this question calls it."),
        (("step", "train"), "Fix step and train first: this question calls them."),
        (("score", "step", "train"), "Fix score, step and train first: this question calls them."),
    ],
)
def test_the_card_names_the_earlier_questions_to_fix_first(homework, unfinished, advice):
    made = Card(msgspec.structs.replace(card(homework, over_rows).report, fix_first=unfinished))
    assert repr(made).splitlines()[-2].strip() == advice
    assert advice in made._repr_html_()


def test_a_question_without_public_checks_says_when_it_is_graded(folder):
    (folder / "checks.py").write_text("", encoding="utf-8")
    made = Card(Homework(folder).report("centre", Work({})))
    assert repr(made) == "Centre the data: nothing to check here; it is graded after you hand in"
    assert made.passed


def test_replay_returns_what_the_function_returns(homework):
    id = "subtracts_the_mean_of_each_column"
    assert homework.replay(id, 0, {"centre": lambda X: X.shape}).got == (2, 3)
    assert homework.replay(id, 2, {"centre": lambda X: X.shape}).got == (7, 4)


def test_replay_gives_inputs_expected_and_got(homework):
    again = homework.replay("subtracts_the_mean_of_each_column", 0, {"centre": over_rows})
    assert np.allclose(again.expected, right(again.inputs["X"]))
    assert np.allclose(again.got, over_rows(again.inputs["X"]))


def test_replay_shows_an_input_before_and_after_a_change_in_place(homework):
    def centre(X):
        X -= X.mean(axis=0)
        return X

    again = homework.replay("subtracts_the_mean_of_each_column", 0, {"centre": centre})
    assert np.allclose(again.changed["X"], right(again.inputs["X"]))
    assert not np.allclose(again.changed["X"], again.inputs["X"])
    assert homework.replay("subtracts_the_mean_of_each_column", 0, {"centre": right}).changed == {}
    assert 'replay:   check.replay("subtracts_the_mean_of_each_column", 0)' in repr(card(homework, centre))


def test_replay_raises_what_the_function_raises(homework):
    def centre(X):
        raise ZeroDivisionError("here")

    with pytest.raises(ZeroDivisionError, match="here"):
        homework.replay("subtracts_the_mean_of_each_column", 0, {"centre": centre})


@pytest.mark.parametrize(("id", "number", "complaint"), [
    ("no_such", 0, "there is no public check 'no_such' here; the public checks are subtracts_the_mean_of_each_column"),
    ("subtract_the_mean", 0, "did you mean subtracts_the_mean_of_each_column[?] The public checks are subtracts_"),
    ("subtracts_the_mean_of_each_column", 3, "has published trials 0 to 2"),
    ("subtracts_the_mean_of_each_column", -1, "has published trials 0 to 2"),
])  # fmt: skip
def test_replay_of_what_is_not_there_is_told(homework, id, number, complaint):
    with pytest.raises(CourseError, match=complaint):
        homework.replay(id, number, {})


def test_an_unknown_question_is_told_with_the_known_ones(homework):
    with pytest.raises(CourseError, match="there is no question 'what' here; the questions are centre"):
        homework.report("what", Work({}))


@pytest.mark.parametrize("typed", ["center", "CENTRE", "Centr"])
def test_a_slip_in_a_question_gets_a_suggestion_whatever_its_case(homework, typed):
    with pytest.raises(
        CourseError, match=f"no question '{typed}' here; did you mean centre[?] The questions are centre"
    ):
        homework.report(typed, Work({}))


def test_chance_is_the_same_every_time_and_left_as_it_was(homework):
    drawn = []

    def centre(X):
        drawn.append((np.random.random(), random.random()))
        return X

    np.random.seed(5)
    random.seed(5)
    card(homework, centre)
    after = np.random.random(), random.random()
    np.random.seed(5)
    random.seed(5)
    assert after == (np.random.random(), random.random())
    assert len(drawn) == 3
    assert len(set(drawn)) == 1


IN_IPYTHON = """
import sys
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.colors = "nocolor"
for cell in sys.argv[1:]:
    done = shell.run_cell(cell, store_history=True)
print("RESULT", done.result)
"""


def in_ipython(folder, *cells):
    """Run cells in IPython, and return what the last one shows."""
    command = [sys.executable, "-c", IN_IPYTHON, "from redink import check\nimport numpy as np", *cells]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, encoding="utf-8", check=True)
    return " ".join(done.stdout.split())


def test_an_error_in_a_running_notebook_names_its_cell_and_the_line(folder):
    shown = in_ipython(folder, "x = 1", "def centre(X):\n    return X.men()", 'check("centre")')
    assert "(in centre, line 2 of cell [3]: return X.men())" in shown


def test_a_cell_with_a_syntax_error_is_told_beside_the_older_one_that_is_checked(folder):
    broken = "def centre(X)\n    return X"
    warned = "Your newest cell with centre has a syntax error (expected ':') and did not run"
    assert warned in in_ipython(folder, RIGHT, broken, 'check("centre")')
    assert warned in in_ipython(folder, RIGHT, broken, "check()")
    assert warned not in in_ipython(folder, broken, RIGHT, "%time a = 3", 'check("centre")')


def test_a_misspelt_replay_is_one_sentence_without_our_source(folder):
    shown = in_ipython(folder, RIGHT, 'check.replay("subtract_the_mean", 0)')
    assert "did you mean subtracts_the_mean_of_each_column?" in shown
    assert "Traceback" not in shown
    assert ".py" not in shown


# -- check -------------------------------------------------------------------------------------------------------------


def in_a_cell(checker, text, **names):
    scope = {"check": checker, "np": np, **names}
    exec(f"result = {text}", scope)
    return scope["result"]


def test_check_finds_the_names_of_the_notebook_and_the_folder_it_is_in(folder, monkeypatch):
    (folder / "deeper").mkdir()
    monkeypatch.chdir(folder / "deeper")
    assert in_a_cell(Checker(), 'check("centre")', centre=right).passed
    assert not in_a_cell(Checker(), 'check("centre")', centre=over_rows).passed
    assert in_a_cell(Checker(), 'check.replay("subtracts_the_mean_of_each_column")', centre=lambda X: 7).got == 7


def test_check_of_nothing_runs_all_and_ends_in_the_total(folder, monkeypatch):
    monkeypatch.chdir(folder)
    made = in_a_cell(Checker(), "check()", centre=over_rows)
    assert repr(made).splitlines()[-1] == "0 of 100 public points; 1 hidden check follows"
    assert not made.passed
    made = in_a_cell(Checker(), "check()", centre=right)
    assert repr(made).splitlines()[-1] == "100 of 100 public points; 1 hidden check follows"
    assert made.passed
    assert "100 of 100 public points" in made._repr_html_()


def test_check_outside_an_assignment_is_a_notice(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = in_a_cell(Checker(), 'check("centre")')
    assert isinstance(made, Notice)
    assert repr(made).startswith(
        f"no assignment.toml in {tmp_path.resolve()}: open the notebook from the folder it came in"
    )
    assert "no assignment.toml" in made._repr_html_()


@pytest.mark.parametrize(
    ("file", "content", "complaint"),
    [
        ("published.json", None, "published.json is missing: this folder is not as it was handed out; get it again"),
        ("published.json", "{", "published.json is damaged"),
        ("published.json", '{"schema": "redink/published/1", "expected": {}}', "published.json lacks "),
        ("checks.py", "1/0", "checks.py: ZeroDivisionError"),
        ("assignment.toml", "title = 3", "assignment.toml: "),
    ],
)
def test_a_damaged_folder_is_a_notice_and_no_traceback(folder, monkeypatch, file, content, complaint):
    monkeypatch.chdir(folder)
    if content is None:
        (folder / file).unlink()
    else:
        (folder / file).write_text(content, encoding="utf-8")
    made = in_a_cell(Checker(), 'check("centre")', centre=right)
    assert isinstance(made, Notice)
    assert complaint in repr(made)


@pytest.mark.parametrize("question", ['"<b>"', "3", '["centre"]'])
def test_check_of_a_question_that_is_none_is_a_notice(folder, monkeypatch, question):
    monkeypatch.chdir(folder)
    made = in_a_cell(Checker(), f"check({question})")
    assert "there is no question" in repr(made)
    assert "<b>" not in made._repr_html_()


def test_a_notice_is_escaped():
    assert "&lt;b&gt;" in Notice("<b>")._repr_html_()


# -- observing ---------------------------------------------------------------------------------------------------------


def request(when, **inputs):
    return Request(id="c/p0", when=when, inputs=encode(inputs))


def test_an_observation_is_what_the_box_would_note():
    seen = observe(
        request("def when(student, X):\n    return student.f(X), np.sum(X)\n", X=np.ones(2)),
        {"f": lambda X: X * 2},
        5.0,
    )
    assert seen.status == "returned"
    assert decode(seen.value)[0].tolist() == [2.0, 2.0]
    assert decode(seen.value)[1] == 2.0


def test_a_missing_name_is_found_wherever_the_when_asks_for_it():
    seen = observe(request("def when(student):\n    return [student.g() for _ in range(2)]\n"), {"f": 1}, 5.0)
    assert (seen.status, seen.error) == ("missing", "g")


def test_inputs_changed_in_place_are_named():
    def f(X, y, z):
        X[0] = 9
        y.append(1)

    seen = observe(
        request("def when(student, X, y, z):\n    return student.f(X, y, z)\n", X=np.ones(2), y=[], z={}), {"f": f}, 5.0
    )
    assert seen.modified == ("X", "y")


def test_an_error_is_one_line_whatever_it_says():
    assert one_line(ValueError("a\nb")) == "ValueError: a b"
    assert one_line(ValueError()) == "ValueError"
    assert one_line(ValueError("\n")) == "ValueError"
    assert one_line(Unspeakable()) == "Unspeakable"
    assert len(one_line(ValueError("x" * 9999))) < 320


# -- in a terminal -----------------------------------------------------------------------------------------------------


def write_notebook(path, *sources, tags=()):
    cells = [{"cell_type": "markdown", "metadata": {}, "source": "# Title"}]
    cells += [
        {"cell_type": "code", "metadata": {"tags": ["explore"]} if n in tags else {}, "outputs": [], "source": source}
        for n, source in enumerate(("import numpy as np\nfrom redink import check", *sources))
    ]
    path.write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}), encoding="utf-8")


def redink(*words, cwd, columns=80):
    environment = {**os.environ, "PYTHONUTF8": "1", "COLUMNS": str(columns)}
    command = [sys.executable, "-m", "redink_cli", *map(str, words)]
    return subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, check=False, timeout=60, input="typed\n",
    )  # fmt: skip


def test_the_untouched_notebook_exits_1_and_says_what_is_unwritten(folder):
    done = redink("check", "tiny.ipynb", cwd=folder)
    assert done.returncode == 1
    assert "Centre the data: not written yet; 100 points\n" in done.stdout
    assert " failed: " not in done.stdout


def test_a_solved_notebook_exits_0_and_its_exploration_is_not_run(folder):
    write_notebook(folder / "tiny.ipynb", RIGHT, 'check("centre")', "while True: pass", tags=(3,))
    done = redink("check", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Centre the data: 1 of 1 public checks pass; 100 of 100 points\n")


def test_a_program_reads_the_outcome_and_nothing_else_on_standard_output(folder):
    write_notebook(folder / "tiny.ipynb", ROWS)
    done = redink("check", folder / "tiny.ipynb", "-q", "centre", "--json", "-", cwd=folder.parent)
    outcome = json.loads(done.stdout)
    assert done.returncode == 1
    assert outcome["notebook"] == "tiny.ipynb"
    (question,) = outcome["questions"]
    assert question["hint"]["misconception"] == "takes_the_mean_over_rows"
    assert question["feedback"][0]["outcome"] == "failed"


def test_what_student_code_prints_or_reads_does_not_disturb_the_outcome(folder):
    noisy = (
        "import os, sys\nprint('cell')\nos.system('echo from a shell')\nos.write(1, b'raw')\n"
        "def centre(X):\n    print('in centre', X)\n    os.write(1, b'raw')\n    sys.__stdout__.write('deep')\n"
        "    return X - X.mean(axis=0)\n"
    )
    write_notebook(folder / "tiny.ipynb", noisy, "name = input('Your name? ')")
    done = redink("check", "tiny.ipynb", cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 of 1 public checks pass" in done.stdout
    assert "cell 4 failed: EOFError" in done.stdout
    assert not any(word in done.stdout for word in ("raw", "deep", "in centre", "shell"))


def test_a_notebook_of_another_folder_imports_the_files_beside_it(folder):
    (folder / "own_helper.py").write_text("import numpy as np\nmean = np.mean\n")
    body = "def centre(X):\n    return X - mean(X, axis=0)\n"
    write_notebook(folder / "tiny.ipynb", "from own_helper import mean", body)
    done = redink("check", f"{folder.name}/tiny.ipynb", cwd=folder.parent)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_cell_that_binds_the_output_prints_to_what_a_check_looks_at(folder):
    printing = (
        "import sys\ndef centre(X, out=sys.stdout):\n    print('seen', file=out)\n    return X - X.mean(axis=0)\n"
    )
    write_notebook(folder / "tiny.ipynb", printing)
    source = (folder / "checks.py").read_text().replace("import check", "import check, printed")
    asks = "\n\n@subtracts_the_mean_of_each_column.when\ndef _(student, X):\n"
    asks += "    return X - X.mean(axis=0) if printed(student.centre, X) else None\n"
    (folder / "checks.py").write_text(source + asks)
    done = redink("check", "tiny.ipynb", cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="only POSIX shells start commands that ignore Ctrl-C")
def test_a_command_in_the_background_stops_endless_functions_too(folder):
    toml = folder / "assignment.toml"
    toml.write_text(toml.read_text().replace("[[questions]]", "[limits]\ncheck_cpu = 0.1\n\n[[questions]]", 1))
    write_notebook(folder / "tiny.ipynb", "def centre(X):\n    while True:\n        pass")
    command = f"trap '' INT; {shlex.quote(sys.executable)} -m redink_cli check tiny.ipynb"
    done = subprocess.run(["sh", "-c", command], cwd=folder, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 1
    assert "Took too long: it had not ended after 0.5 s." in done.stdout


def test_cells_that_fail_cost_only_themselves(folder):
    write_notebook(
        folder / "tiny.ipynb", "def broken(:\n    pass", "1 / 0", "raise SystemExit(3)", "%matplotlib inline\n%time a = 3",
        "import asyncio\nawait asyncio.sleep(0)\nassert a == 3\ndisplay(a)", RIGHT,
    )  # fmt: skip
    done = redink("check", "tiny.ipynb", cwd=folder)
    assert done.returncode == 0, done.stdout
    lines = done.stdout.splitlines()
    assert lines[0].startswith("cell 3 failed: SyntaxError")
    assert lines[1] == "cell 4 failed: ZeroDivisionError: division by zero"
    assert lines[2] == "cell 5 failed: SystemExit: 3"
    assert "1 of 1 public checks pass" in lines[3]


def test_a_syntax_error_in_the_answer_is_told_beside_the_missing_function(folder):
    write_notebook(folder / "tiny.ipynb", "def centre(X)\n    return X")
    outcome = check_notebook(folder / "tiny.ipynb", ["centre"])
    assert [(cell.index, cell.error.split(":")[0]) for cell in outcome.cells] == [(3, "SyntaxError")]
    assert "centre is not defined" in repr(Card(outcome.questions[0]))


def test_torch_gets_one_thread_as_in_grading_unless_a_student_says_otherwise(folder, monkeypatch):
    write_notebook(folder / "tiny.ipynb", "import os\nraise ValueError(os.environ['OMP_NUM_THREADS'])")
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    assert "ValueError: 1" in redink("check", "tiny.ipynb", cwd=folder).stdout
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    assert "ValueError: 3" in redink("check", "tiny.ipynb", cwd=folder).stdout


def test_an_error_is_placed_in_its_cell(folder):
    write_notebook(folder / "tiny.ipynb", "def centre(X):\n    return X.men()")
    text = repr(Card(check_notebook(folder / "tiny.ipynb", []).questions[0]))
    assert "has no attribute 'men'" in text
    assert "(in centre, line 2 of cell 3: return X.men())" in " ".join(text.split())


@pytest.mark.parametrize("metadata", [None, [], "x", {"tags": None}, {"tags": 3}, {"tags": "explored"}])
def test_strange_metadata_is_ignored_as_in_the_grader(folder, metadata):
    write_notebook(folder / "tiny.ipynb", RIGHT)
    document = json.loads((folder / "tiny.ipynb").read_text(encoding="utf-8"))
    document["cells"] = [{**cell, "metadata": metadata} for cell in document["cells"]] + [None, 3]
    (folder / "tiny.ipynb").write_text(json.dumps(document), encoding="utf-8")
    outcome = check_notebook(folder / "tiny.ipynb", [])
    assert [report.passed for report in outcome.questions] == [1]


def test_a_broken_notebook_is_one_sentence_and_exit_code_1(folder):
    (folder / "tiny.ipynb").write_bytes(b"Dear professor")
    done = redink("check", "tiny.ipynb", cwd=folder)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("redink: tiny.ipynb is not a notebook: ")
    assert done.stderr.count("\n") == 1


def test_a_notebook_that_kills_its_process_is_told(folder):
    write_notebook(folder / "tiny.ipynb", "import os\nos._exit(7)")
    done = redink("check", "tiny.ipynb", cwd=folder)
    assert done.returncode == 1
    assert "ended the process that ran it (exit code 7)" in done.stderr


def test_wrong_arguments_are_one_sentence(folder):
    (folder / "tiny.zip").write_bytes(b"PK")
    for words, complaint in [
        (("xyzzy",), "xyzzy is not a file: name a notebook, as in `redink check perceptron.ipynb`"),
        (("tiny",), "tiny is not a file; did you mean tiny.ipynb?"),
        (("../tiny",), "../tiny is a folder; did you mean ../tiny/tiny.ipynb?"),
        (("..",), ".. is a folder: name a notebook, as in `redink check perceptron.ipynb`"),
        (("README.md",), "README.md is not a notebook; did you mean tiny.ipynb?"),
        (("tiny.zip",), "tiny.zip is a zip: unpack it, and name the notebook in it"),
        (
            ("tiny.ipynb", "centre"),
            "one notebook at a time; a question has -q before it: redink check tiny.ipynb -q centre",
        ),
        (
            ("tiny.ipynb", "-q", "CENTRE"),
            "there is no question 'CENTRE' here; did you mean centre? The questions are centre",
        ),
        (
            ("tiny.ipynb", "-q", "center"),
            "there is no question 'center' here; did you mean centre? The questions are centre",
        ),
    ]:
        done = redink("check", *words, cwd=folder)
        assert done.returncode == 1
        assert done.stderr == f"redink: {complaint}\n"


def test_untouched_extra_questions_do_not_make_it_fail(folder):
    toml = folder / "assignment.toml"
    extra = '\n[[questions]]\nid = "more"\ntitle = "More"\ntier = "extra"\npoints = 5\nasks = ["more"]\n'
    toml.write_text(toml.read_text(encoding="utf-8") + extra, encoding="utf-8")
    write_notebook(folder / "tiny.ipynb", RIGHT)
    done = redink("check", cwd=folder)
    assert done.returncode == 0, done.stdout
    assert "More (extra): nothing to check here" in done.stdout
    last = "100 of 100 public points; more (5 points) after the deadline; 1 hidden check\n  follows\n"
    assert done.stdout.endswith(last)


def test_watching_survives_half_a_save_a_rename_and_a_notebook_that_is_gone(folder):
    path = folder / "tiny.ipynb"
    write_notebook(path, RIGHT)
    whole, shown = path.read_bytes(), folder / "shown.txt"
    command = [sys.executable, "-u", "-m", "redink_cli", "check", "tiny.ipynb", "--watch"]
    environment = {**os.environ, "PYTHONUTF8": "1"}

    def wait_for(count):
        end = time.monotonic() + 60
        while shown.read_text(encoding="utf-8").count("watching tiny.ipynb; last checked at ") < count:
            assert watcher.poll() is None, shown.read_text(encoding="utf-8")
            assert time.monotonic() < end, shown.read_text(encoding="utf-8")
            time.sleep(0.1)

    with (
        shown.open("wb") as out,
        subprocess.Popen(command, cwd=folder, env=environment, stdout=out, stderr=subprocess.STDOUT) as watcher,
    ):
        try:
            wait_for(1)
            path.write_bytes(whole[: len(whole) // 2])
            wait_for(2)
            path.rename(folder / "other.ipynb")
            wait_for(3)
            path.write_bytes(whole)
            wait_for(4)
        finally:
            watcher.kill()
    told = shown.read_text(encoding="utf-8")
    assert "tiny.ipynb is not a notebook" in told
    assert "tiny.ipynb is not a file" in told
    assert "it ends in the middle" in told
    assert told.count("1 of 1 public checks pass") == 2
    assert told.count("checking tiny.ipynb …") >= 4  # also before a check that takes long


def test_watching_for_a_question_that_does_not_exist_is_refused_at_once(folder):
    done = redink("check", "tiny.ipynb", "--watch", "-q", "nope", cwd=folder)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "redink: there is no question 'nope' here; the questions are centre\n"


@pytest.mark.parametrize("command", ["check", "submit"])
def test_of_several_notebooks_the_handed_out_one_is_proposed_with_the_command_that_was_typed(folder, command):
    for name in ("Copy of it.ipynb", "tiny-Copy1.ipynb", "Untitled.ipynb"):
        write_notebook(folder / name, RIGHT)
    assert redink(command, cwd=folder).stderr.endswith(f": redink {command} tiny.ipynb\n")
    (folder / "tiny.ipynb").unlink()
    os.utime(folder / "Copy of it.ipynb", (2e9, 2e9))
    assert redink(command, cwd=folder).stderr.endswith(f': redink {command} "Copy of it.ipynb"\n')


def test_a_terminal_of_another_width_gets_lines_of_its_width(folder):
    for command in ("check", "submit"):
        for width in (60, 120):
            done = redink(command, "tiny.ipynb", cwd=folder, columns=width)
            words = [line for line in done.stdout.splitlines() if " " in line.strip()]
            assert max(map(len, words)) <= width


def test_outside_an_assignment_the_terminal_says_so(tmp_path):
    elsewhere = tmp_path / "a" / "b" / "c"
    elsewhere.mkdir(parents=True)
    write_notebook(elsewhere / "mine.ipynb", RIGHT)
    with pytest.raises(CourseError, match=r"no assignment\.toml in"):
        check_notebook(elsewhere / "mine.ipynb", [])
    write_notebook(elsewhere / "other.ipynb", RIGHT)
    assert "2 notebooks here (mine.ipynb, other.ipynb); name the one to check" in redink("check", cwd=elsewhere).stderr
    nothing = redink("check", cwd=tmp_path).stderr
    assert nothing == (
        f"redink: there is no notebook in {tmp_path}; go to the folder of your assignment, or `redink start SLUG`\n"
    )
    assert "; try `redink check c/other.ipynb`" in redink("check", cwd=elsewhere.parent).stderr


BLOCKED = """
import sys
for name in ("torch", "redink.grader", "redink_cli", "click", "rich", "jupytext", "fcntl", "resource"):
    sys.modules[name] = None
import numpy as np
from redink import check
def centre(X):
    return X - X.mean(axis=0)
made = check("centre")
assert made.passed, made
assert check.replay("subtracts_the_mean_of_each_column", 1).got.shape == (6, 4)
def centre(X):
    return X - X.mean(axis=1, keepdims=True)
assert check("centre").report.hint
from redink.student.terminal import check_notebook
from pathlib import Path
print(check_notebook(Path("tiny.ipynb"), []).questions[0].passed)
"""


def test_the_students_side_needs_neither_torch_nor_the_grader_nor_posix(folder):
    write_notebook(folder / "tiny.ipynb", RIGHT)
    done = subprocess.run(
        [sys.executable, "-c", BLOCKED], cwd=folder, capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stdout) == (0, "True\n"), done.stderr


ELSEWHERE = """
import sys
for name in ("fcntl", "resource", "termios", "tty", "pty", "pwd", "grp", "syslog"):  # what Windows has not
    sys.modules[name] = None
import os, signal
for name in ("fork", "register_at_fork", "sched_getaffinity", "getuid", "O_NONBLOCK", "O_NOFOLLOW"):
    delattr(os, name)
for name in ("SIGKILL", "SIGALRM", "SIGXCPU", "setitimer"):
    delattr(signal, name)
sys.argv[0] = "redink"
from redink_cli.app import main
main()
"""


@pytest.mark.parametrize("words", [("check", "my notebook.ipynb"), ("submit", "my notebook.ipynb", "--to", "hand in")])
def test_the_commands_of_students_need_no_posix_no_utf_8_and_no_path_without_blanks(tiny, tmp_path, words):
    folder = tmp_path / "Meine Übungen" / "tiny one"
    shutil.copytree(tiny.assignment, folder)
    (folder / "tiny.ipynb").unlink()
    write_notebook(folder / "my notebook.ipynb", f"{RIGHT} - 1  # ✓ żółw")
    variables = {**os.environ, "PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0", "LC_ALL": "C.UTF-8"}
    done = subprocess.run(
        [sys.executable, "-c", ELSEWHERE, *words],
        cwd=folder,
        env=variables,
        capture_output=True,
        check=False,
        timeout=60,
    )
    said = done.stdout.decode("cp1252")
    assert b"Traceback" not in done.stderr, done.stderr
    assert done.returncode == (1 if words[0] == "check" else 0), done.stderr
    assert ("x Each column" in said and "got:" in said) if words[0] == "check" else ("upload tiny-hand-in.zip" in said)


def test_the_handed_out_files_hold_no_solution(folder):
    everything = "".join(Path(path).read_text(encoding="utf-8") for path in folder.iterdir() if path.is_file())
    assert "X.mean(axis=0)" not in everything
    assert "ignores_a_shift" not in everything


def test_several_questions_can_be_named_and_a_function_is_told_its_question(folder, monkeypatch):
    monkeypatch.chdir(folder)
    twice = repr(in_a_cell(Checker(), 'check("centre", "centre")', centre=right))
    assert twice.count("1 of 1 public checks pass") == 2
    toml = folder / "assignment.toml"
    toml.write_text(toml.read_text(encoding="utf-8").replace('id = "centre"', 'id = "middle"'), encoding="utf-8")
    checks = folder / "checks.py"
    checks.write_text(checks.read_text(encoding="utf-8").replace('"centre"', '"middle"'), encoding="utf-8")
    told = "centre is a function; the question that asks for it is middle"
    assert repr(in_a_cell(Checker(), 'check("centre")')) == told
    assert repr(in_a_cell(Checker(), "check(centre)", centre=type("centre", (), {}))) == told


def test_a_card_ends_in_the_number_of_hidden_checks_that_follow(folder, monkeypatch):
    monkeypatch.chdir(folder)
    assert repr(in_a_cell(Checker(), 'check("centre")', centre=right)).endswith(
        "1 hidden check follows when it is graded; they share its points."
    )
    path = folder / "published.json"
    path.write_text(path.read_text(encoding="utf-8").replace('"centre": 1', '"centre": 0'), encoding="utf-8")
    assert repr(in_a_cell(Checker(), 'check("centre")', centre=right)).endswith(
        "No hidden checks follow when it is graded."
    )
