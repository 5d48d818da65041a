"""The command line: help, sentences instead of tracebacks, plain text in pipes, JSON for programs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from statistics import mean, median

import pytest
from click.testing import CliRunner

from redink_cli.app import COMMANDS
from redink_cli.commands.student import check_command
from tests.conftest import write_notebook


@pytest.fixture
def here(tiny_course, tmp_path):
    """Run a command in a course where nothing is changed."""

    def run(*arguments: str, cwd=None, env=None) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "redink_cli", *arguments]
        return subprocess.run(command, cwd=cwd or tiny_course, env=env, capture_output=True, text=True, check=False)

    return run


def test_the_help_names_every_command(here):
    done = here("--help")
    assert done.returncode == 0
    assert all(f"\n  {command} " in done.stdout for command in COMMANDS)
    assert here("-h").stdout == done.stdout


def test_the_help_groups_commands_by_who_needs_them_and_cuts_no_sentence(here):
    text = here("--help").stdout
    assert text.index("Students:") < text.index("\n  check ") < text.index("Instructors (submissions):")
    assert text.index("Authors:") < text.index("\n  verify ") < text.index("Everybody:")
    assert "..." not in text.partition("Students:")[2]
    assert all(len(line) <= 80 for line in text.splitlines())


@pytest.mark.parametrize(
    ("typed", "told"), [("exprt", "did you mean export?"), ("Grade", "did you mean grade?"), ("xyzzy", "--help")]
)
def test_a_misspelt_command_gets_a_suggestion(here, typed, told):
    done = here(typed, "perceptron")
    assert done.returncode == 2
    assert f"there is no command {typed!r}" in done.stderr
    assert told in done.stderr


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_the_help_of_a_command_has_an_example_that_calls_it(here, command):
    done = here(command, "--help")
    assert done.returncode == 0, done.stderr
    text = done.stdout.partition("Options:")[0].rstrip()
    example = text.partition("Example: ")[2]
    assert f"redink {command}" in example
    assert all(line.strip().startswith("redink ") for line in example.splitlines())
    assert all(len(line) <= 80 for line in text.splitlines())


def test_the_version_is_told(here):
    assert here("--version").stdout.startswith("redink, version ")


def test_help_imports_nothing_heavy():
    heavy = "('torch', 'numpy', 'rich', 'IPython', 'matplotlib', 'jupytext', 'nbformat')"
    code = f"import redink_cli.app, sys; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_reading_the_script_of_the_command_as_each_worker_does_loads_no_command():
    script = Path(sys.executable).with_name("redink")
    code = f"import runpy, sys; runpy.run_path({str(script)!r}, run_name='__mp_main__'); print('click' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_the_help_of_a_command_imports_nothing_heavy_either(command):
    code = (
        "import sys\nfrom redink_cli.app import redink\n"
        f"redink.main(['{command}', '--help'], standalone_mode=False)\n"
        "assert not {'torch', 'numpy', 'rich', 'IPython', 'matplotlib', 'jupytext'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)


@pytest.mark.parametrize(
    "arguments",
    [
        ["grade", "nowhere", "."],
        ["rejudge", "nowhere"],
        ["verify", "nowhere"],
        ["build", "nowhere"],
        ["build", "--check", "nowhere"],
        ["distribute", "nowhere", "--to", "out"],
        ["start", "nowhere"],
    ],
)
def test_an_unknown_assignment_is_one_sentence_that_names_the_known_ones(here, arguments):
    done = here(*arguments)
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert done.stderr.startswith("redink: there is no assignment 'nowhere'")
    assert done.stderr.endswith("; the assignments are tiny\n")


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("nope", "there is no question 'nope' here; the questions are centre"),
        ("CENTER", "there is no question 'CENTER' here; did you mean centre? The questions are centre"),
    ],
)
def test_an_unknown_question_is_one_sentence_that_names_the_known_ones(here, tiny, typed, told):
    done = here("check", "tiny.ipynb", "-q", typed, cwd=tiny.assignment)
    assert done.returncode == 1
    assert done.stderr == f"redink: {told}\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["check", "nowhere.ipynb"],
        ["check"],
        ["run", "assignment.toml"],
        ["grade", "tiny", "/nowhere"],
        ["new", "Bad Slug"],
    ],
)
def test_what_is_not_there_is_one_sentence(here, tiny, arguments):
    done = here(*arguments, cwd=tiny.root)
    assert done.returncode in (1, 2)
    assert "Traceback" not in done.stderr
    assert done.stderr.strip()


NAMING = (
    "start SLUG", "grade SLUG class", "collect SLUG class", "rejudge SLUG", "rejudge SLUG --undo", "mistakes SLUG",
    "extend SLUG ada_right --until +2 --why ill", "override SLUG ada_right 1 --why so", "void SLUG x --why so",
    "history ada_right SLUG", "report SLUG --to out", "export SLUG --as csv", "similar SLUG --to out", "build SLUG",
    "verify SLUG", "distribute SLUG --to out",
)  # fmt: skip


@pytest.mark.parametrize(
    ("command", "typed"), [*((one, "litle") for one in NAMING), (NAMING[1], "little/"), (NAMING[1], "Little")]
)
def test_a_misspelt_assignment_gets_a_suggestion_in_every_command(graded_course, here, command, typed):
    done = here(*command.replace("SLUG", typed).split(), cwd=graded_course)
    assert done.returncode == 1
    assert f"there is no assignment '{typed}'" in done.stderr
    assert "did you mean little? The assignments are little" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["grade", "nowhere", "."], "redink: there is no assignment 'nowhere'"),
        (
            ["list", "--json", "assignments/tiny/assignment.toml/out.json"],
            "redink: File exists (assignments/tiny/assignment.toml)",
        ),
    ],
)
@pytest.mark.parametrize("how", ["--debug", "REDINK_DEBUG"])
def test_debug_shows_the_traceback_of_what_is_otherwise_one_sentence(tiny, arguments, told, how):
    plain = tiny.redink(*arguments, env={"REDINK_DEBUG": "0"})
    assert plain.stderr.startswith(told)
    assert len(plain.stderr.splitlines()) == 1
    done = tiny.redink("--debug", *arguments) if how == "--debug" else tiny.redink(*arguments, env={how: "1"})
    assert done.returncode == plain.returncode == 1
    assert done.stderr.startswith("Traceback (most recent call last)")
    assert done.stderr.endswith(plain.stderr)


def test_debug_reaches_the_process_that_checks_a_notebook(tiny):
    (tiny.assignment / "published.json").write_text("{", encoding="utf-8")
    done = tiny.redink("--debug", "check", tiny.assignment / "tiny.ipynb")
    assert done.returncode == 1
    assert "_read_published" in done.stderr
    assert done.stderr.splitlines()[-1].startswith("redink: ")


def test_what_redink_does_not_foresee_is_one_sentence_that_says_how_to_see_more(tiny):
    """A command that raises something of its own; there is none that we know of, so one is broken on purpose."""
    broken = (
        "import sys\nfrom redink_cli import app\nfrom redink_cli.commands import student\n"
        "def fail(json_file):\n    raise KeyError('what\\nnobody foresaw')\n"
        "student.list_command.callback = fail\napp.main()"
    )
    done = subprocess.run([sys.executable, "-c", broken, "list"], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == (
        "redink: an error that Redink did not foresee (KeyError: 'what\\nnobody foresaw'); "
        "`redink --debug COMMAND …` shows where it happened\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", broken, "--debug", "list"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "in fail\n" in done.stderr


def test_a_broken_notebook_cannot_be_run_or_checked_and_says_why(tiny):
    path = tiny.assignment / "tiny.ipynb"
    path.write_text("{", encoding="utf-8")
    for command in ("run", "check"):
        done = tiny.redink(command, path)
        assert done.returncode == 1
        assert len(done.stderr.splitlines()) == 1, done.stderr
        assert "is not a notebook" in done.stderr


@pytest.mark.parametrize(
    "arguments", [["grade"], ["nonsense"], ["list", "--nonsense"], ["grade", "tiny", ".", "--jobs", "0"]]
)
def test_wrong_usage_is_told_with_exit_code_2(here, arguments):
    done = here(*arguments)
    assert done.returncode == 2
    assert "Error: " in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("terminal", [{}, {"NO_COLOR": "1", "TERM": "xterm-256color"}])
def test_there_are_no_escape_codes_in_a_pipe(graded, terminal):
    for arguments in (["grade", "little", "class"], ["rejudge", "little"]):
        done = graded.redink(*arguments, env=terminal, boxes=False)
        assert done.returncode == 0, done.stderr
        assert "\x1b" not in done.stdout + done.stderr


def test_json_on_standard_output_is_json_alone(graded):
    for arguments in (["grade", "little", "class"], ["rejudge", "little"], ["list"]):
        done = graded.redink(*arguments, "--json", "-", boxes=False)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)
        assert done.stderr == ""


def test_a_closed_pipe_is_no_traceback(graded):
    command = graded.command("grade", "little", "class", boxes=False)
    with subprocess.Popen(
        command, cwd=graded.root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        process.stdout.close()
        assert "Traceback" not in process.stderr.read()


def test_list_tells_minutes_and_hours(tiny):
    assert tiny.redink("list").stdout == " 1  tiny           Tiny: 1 questions, about 20 minutes\n"
    tiny.edit(tiny.assignment / "assignment.toml", "minutes = 20", "minutes = 360", count=2)
    assert "about 6 hours" in tiny.redink("list").stdout


def test_a_package_that_is_needed_is_told_in_the_list_and_at_the_start(tiny):
    toml = tiny.assignment / "assignment.toml"
    tiny.edit(toml, 'slug = "tiny"', 'slug = "tiny"\npackages = ["no-such-package"]')
    assert tiny.redink("list").stdout.endswith("; needs no-such-package\n")
    todo = "It needs more than this Python has: pip install no-such-package"
    assert todo in tiny.redink("start", "tiny", "--to", "mine").stdout
    tiny.edit(toml, 'packages = ["no-such-package"]', "torch = true")
    assert tiny.redink("list").stdout.endswith("; needs torch\n")


@pytest.mark.parametrize(("source", "told"), [("import torch_is_not_here", True), ("1 / 0", False)])
def test_a_failed_import_is_told_with_what_to_install(tiny, monkeypatch, source, told):
    tiny.edit(tiny.assignment / "assignment.toml", 'slug = "tiny"', 'slug = "tiny"\ntorch = true')
    monkeypatch.setattr("importlib.metadata.packages_distributions", dict)
    notebook = write_notebook(tiny.assignment / "tiny.ipynb", [source])
    done = CliRunner().invoke(check_command, [str(notebook)])
    assert ("It needs more than this Python has: pip install torch" in done.output) == told


def test_start_unpacks_once_and_never_overwrites_work(tiny, tmp_path):
    assert tiny.redink("start", "tiny", "--to", "mine").returncode == 0
    (tiny.root / "mine/tiny.ipynb").write_text("my work", encoding="utf-8")
    again = tiny.redink("start", "tiny", "--to", "mine")
    assert again.returncode == 1
    assert "exists and is not empty" in again.stderr
    assert (tiny.root / "mine/tiny.ipynb").read_text(encoding="utf-8") == "my work"


def test_check_tells_with_its_exit_code_whether_everything_passes(tiny):
    tiny.redink("start", "tiny", "--to", "mine")
    assert tiny.redink("check", cwd=tiny.root / "mine").returncode == 1
    tiny.redink("build", "--solved", "mine", boxes=False)
    done = tiny.redink("check", "--json", "-", cwd=tiny.root / "mine")
    assert done.returncode == 0, done.stdout
    assert json.loads(done.stdout)["notebook"] == "tiny.ipynb"


def test_run_shows_what_each_cell_did(graded):
    done = graded.redink("run", "class/syntax_error/little.ipynb", "--json", "seen.json")
    assert done.returncode == 0, done.stderr
    assert "cell   4  error" in done.stdout
    seen = json.loads((graded.root / "seen.json").read_bytes())
    assert [cell["status"] for cell in seen["cells"]][:5] == ["ok", "ok", "ok", "error", "ok"]


def test_the_demo_grades_a_made_up_class_twice_and_reuses_it(little):
    first = little.redink("demo", "--to", "show")
    assert first.returncode == 0, first.stderr
    assert "little: a made-up class of 14 in show/little/submissions" in first.stdout
    second = little.redink("demo", "--to", "show", boxes=False)
    assert second.returncode == 0, second.stderr
    assert "0 new, 14 reused" in second.stdout
    results = json.loads((little.root / "show/little/results.json").read_bytes())["results"]
    assert {one["state"] for one in results} == {"graded", "ungradable"}
    (endless,) = (one for one in results if one["submission"]["id"] == "dee_endless_function")
    assert len([one for one in endless["questions"] if one["score"] < one["max_score"]]) == 1
    assert "show/little/report/index.html" in second.stdout
    assert (little.root / "show/little/report/students/ada_right.html").exists()
    summary = (little.root / "show/little/summary.md").read_text(encoding="utf-8")
    assert summary.startswith("# little: 14 submissions")
    scores = [one["score"] for one in results if one["state"] == "graded"]
    assert f"Median {median(scores):g}, mean {mean(scores):.1f}, best 100, lowest {min(scores):g}." in summary
