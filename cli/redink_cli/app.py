"""`redink`: every command calls the library function of its name, imported only when the command runs."""

from __future__ import annotations

import codecs
import io
import os
import sys
import traceback
from importlib import import_module
from importlib.metadata import version

import click

from redink.errors import DEBUG_VARIABLE, in_one_sentence
from redink.suggesting import did_you_mean

_GROUPS = {
    "Students": {
        "list": "student", "start": "student", "check": "student", "submit": "student", "update": "student",
    },
    "Instructors (submissions)": {
        "distribute": "distributing", "collect": "collecting", "grade": "grading", "run": "grading",
        "pack": "sharding", "merge": "sharding",
    },
    "Instructors (grades)": {
        "rejudge": "grading", "extend": "deciding", "override": "deciding", "void": "deciding", "history": "deciding",
        "export": "exporting",
    },
    "Instructors (the class)": {
        "report": "showing", "mistakes": "showing", "similar": "showing", "new-year": "keeping", "purge": "keeping",
    },
    "Authors": {"new": "author", "import": "author", "build": "author", "verify": "author"},
    "CI": {"ci": "ci", "seal": "ci"},
    "Everybody": {"demo": "grading", "doctor": "machine"},
}  # fmt: skip
COMMANDS = {name: module for group in _GROUPS.values() for name, module in group.items()}

_LONGEST = 20_000  # characters of an error: an export lists the rows that fit nobody
_PLAINER = {"✓": "+", "✗": "x", "→": "->", "≤": "<=", "≥": ">=", "≠": "!=", "−": "-"}


class _Commands(click.Group):
    """Finds a command's module by name, so that no command pays for another; groups them by who needs them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"redink_cli.commands.{COMMANDS[cmd_name]}")
        found = getattr(module, f"{cmd_name.replace('-', '_')}_command")
        assert isinstance(found, click.Command)
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            told = did_you_mean(args[0], COMMANDS) or "`redink --help` lists them all"
            raise click.UsageError(f"there is no command {args[0]!r}; {told}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(map(len, COMMANDS))
        for title, group in _GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(width), self._what(ctx, name)) for name in group])

    def _what(self, ctx: click.Context, name: str) -> str:
        command = self.get_command(ctx, name)
        assert command is not None
        return command.get_short_help_str(limit=200)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(version("redink"), prog_name="redink")
@click.option("--debug", is_flag=True, envvar=DEBUG_VARIABLE, show_envvar=True, help="Show the traceback of an error.")
def redink(debug: bool) -> None:
    """A deep-learning course that marks itself.

    \b
    Begin with    redink start perceptron     then  redink check perceptron.ipynb
    or            redink collect perceptron submissions.zip
                                              then  redink grade perceptron
    or            redink new my_topic         then  redink verify my_topic
    """
    os.environ.pop(DEBUG_VARIABLE, None)
    if debug:
        os.environ[DEBUG_VARIABLE] = "1"  # the process that checks a notebook inherits it


def main() -> None:
    """Run a command; an error is one sentence and exit code 1, with its traceback only under --debug."""
    codecs.register_error("redink", _plainer)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a pipe of Windows speaks cp1252, which has no ✓
            stream.reconfigure(errors="redink")
    try:
        sys.exit(redink.main(standalone_mode=False))
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt) as stopped:
        click.echo(str(stopped) or "stopped", err=True)
        sys.exit(130)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
    except Exception as error:  # noqa: BLE001 - nobody is left to catch it
        if os.environ.get(DEBUG_VARIABLE):
            traceback.print_exc()
        click.echo(f"redink: {_harmless(in_one_sentence(error))}", err=True)
        sys.exit(1)


def _harmless(sentence: str) -> str:
    """Take out of a sentence what a terminal obeys: it may quote a file that anybody wrote, or its name."""
    from redink.texts import clean_lines

    return clean_lines(sentence, _LONGEST)


def _plainer(error: UnicodeError) -> tuple[str, int]:
    """Replace what the screen cannot show by something that it can."""
    assert isinstance(error, UnicodeEncodeError)
    text = error.object[error.start : error.end]
    return "".join(_PLAINER.get(letter, "?") for letter in text), error.end
