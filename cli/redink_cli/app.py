"""`redink`: every command calls the library function of its name, imported only when the command runs."""

from __future__ import annotations

import os
import sys
import traceback
from importlib import import_module
from importlib.metadata import version

import click

from redink.errors import DEBUG_VARIABLE, in_one_sentence

_COMMANDS = {
    "list": "student", "start": "student", "check": "student",
    "new": "author", "build": "author", "verify": "author",
    "distribute": "instructor", "run": "instructor", "grade": "instructor", "rejudge": "instructor", "demo": "instructor",
    "collect": "desk", "extend": "desk", "override": "desk", "void": "desk", "history": "desk", "report": "desk",
    "mistakes": "desk", "similar": "desk", "export": "export",
    "doctor": "machine",
}  # fmt: skip


class _Commands(click.Group):
    """Finds a command's module by name, so that `redink --help` imports none of them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module = import_module(f"redink_cli.{_COMMANDS[cmd_name]}")
        found = getattr(module, f"{cmd_name}_command")
        assert isinstance(found, click.Command)
        return found


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(version("redink"), prog_name="redink")
@click.option("--debug", is_flag=True, envvar=DEBUG_VARIABLE, show_envvar=True, help="Show the traceback of an error.")
def redink(debug: bool) -> None:
    """A deep-learning course that marks itself.

    \b
    Students:     redink start perceptron     then: redink check perceptron.ipynb
    Instructors:  redink grade perceptron submissions/
    Authors:      redink new my_topic         then: redink verify my_topic
    """
    os.environ.pop(DEBUG_VARIABLE, None)
    if debug:
        os.environ[DEBUG_VARIABLE] = "1"  # the process that checks a notebook inherits it


def main() -> None:
    """Run a command; an error is one sentence and exit code 1, with its traceback only under --debug."""
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
        click.echo(f"redink: {in_one_sentence(error)}", err=True)
        sys.exit(1)
