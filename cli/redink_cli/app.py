"""`redink`: every command is a thin skin over the library function of its name, imported only when it is called."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.metadata import version

import click

_COMMANDS = {
    "list": "student", "start": "student", "check": "student",
    "new": "author", "build": "author", "verify": "author",
    "distribute": "instructor", "run": "instructor", "grade": "instructor", "rejudge": "instructor", "demo": "instructor",
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
def redink() -> None:
    """A deep-learning course that marks itself.

    \b
    Students:     redink start perceptron     then: redink check perceptron.ipynb
    Instructors:  redink grade perceptron submissions/
    Authors:      redink new my_topic         then: redink verify my_topic
    """


def main() -> None:
    """Run a command; what Redink foresees is one sentence and exit code 1, never a traceback."""
    from redink.errors import RedinkError

    try:
        sys.exit(redink.main(standalone_mode=False))
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        kept = "; what was finished is kept, the same command goes on from there" if "grade" in sys.argv[1:2] else ""
        click.echo(f"stopped{kept}", err=True)
        sys.exit(130)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
    except RedinkError as error:
        click.echo(f"redink: {error}", err=True)
        sys.exit(1)
    except OSError as error:
        where = f" ({error.filename})" if error.filename else ""
        click.echo(f"redink: {error.strerror or error}{where}", err=True)
        sys.exit(1)
