"""Commands for students: list, start, check, submit, update."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from redink.errors import CourseError, RedinkError
from redink.suggesting import did_you_mean, unknown_name
from redink_cli.options import json_option

if TYPE_CHECKING:
    from redink.assignment.spec import Spec

_OTHERS = frozenset({".md", ".py", ".toml", ".json", ".zip", ".whl", ".txt"})  # what lies beside a notebook


@click.command("list")
@json_option("the list")
def list_command(json_file: str | None) -> None:
    """Show what assignments there are.

    \b
    Example: redink list
    """
    from redink.assignment.handout import list_assignments, shelf
    from redink_cli import screen

    folder = shelf()
    specs = list_assignments(folder)
    if json_file:
        screen.write_json(specs, json_file)
        return
    if not specs:
        click.echo(f"there are no assignments in {folder} yet; `redink new SLUG` writes one")
    for spec in specs:
        core = sum(question.tier == "core" for question in spec.questions)
        needs = "".join(f"; needs {name}" for name in spec.needed)
        click.echo(f"{spec.order:>2}  {spec.slug:<14} {spec.title}: {core} questions, {_duration(spec.minutes)}{needs}")


def _duration(minutes: int) -> str:
    return f"about {minutes} minutes" if minutes < 120 else f"about {minutes / 60:.0f} hours"


@click.command("start")
@click.argument("slug")
@click.option(
    "--to", "target", type=click.Path(path_type=Path), help="The folder to make; by default the assignment's name."
)
def start_command(slug: str, target: Path | None) -> None:
    """Unpack an assignment and say how to begin.

    \b
    Example: redink start perceptron
    """
    from redink.assignment.handout import list_assignments, read_handout, shelf, unpack
    from redink.assignment.spec import read_spec

    folder = shelf() / slug
    if not folder.is_dir():
        raise unknown_name("assignment", slug, (spec.slug for spec in list_assignments(shelf())))
    target = target or Path(slug)
    unpack(read_handout(folder), target)
    click.echo(f"{target}/{slug}.ipynb is ready. Open it with: jupyter lab {target / (slug + '.ipynb')}")
    _tell_missing(read_spec(target))


def _tell_missing(spec: Spec) -> None:
    """Say which packages an assignment needs that are not installed here, and how they are."""
    from redink.assignment.packages import missing

    for todo in missing(spec.needed).values():
        click.echo(f"It needs more than this Python has: {todo}")


@click.command("check", context_settings={"allow_extra_args": True})
@click.argument("notebook", required=False, type=click.Path(path_type=Path))
@click.option("-q", "questions", multiple=True, metavar="QUESTION", help="Check only this question; may be repeated.")
@click.option("--watch", is_flag=True, help="Check again whenever the notebook is saved.")
@json_option("the outcome")
@click.pass_context
def check_command(
    ctx: click.Context, notebook: Path | None, questions: tuple[str, ...], watch: bool, json_file: str | None
) -> None:
    """Run the public checks on a notebook, with hints.

    Exit code 0 when every public check of a core question passes, 1 otherwise.

    \b
    Example: redink check perceptron.ipynb -q step
    """
    if ctx.args:
        raise CourseError(
            f"one notebook at a time; a question has -q before it: redink check {notebook} -q {ctx.args[0]}"
        )
    notebook = notebook or _only_notebook("check")
    if watch:
        _refuse_unknown(notebook, questions)
    passed = False if watch else _check_once(notebook, questions, json_file)
    while watch:
        seen = _saved_at(notebook)
        click.echo(f"checking {notebook} …")
        try:
            _check_once(notebook, questions, json_file)
        except CourseError as error:  # half saved, renamed, or gone for a moment
            click.echo(f"redink: {error}", err=True)
        click.echo(f"watching {notebook}; last checked at {time.strftime('%H:%M:%S')}; Ctrl-C ends")
        while _saved_at(notebook) == seen:
            time.sleep(0.5)
        click.clear()
    ctx.exit(0 if passed else 1)


def _saved_at(notebook: Path) -> float:
    """Return when a notebook was last saved; 0 while there is none."""
    try:
        return notebook.stat().st_mtime
    except OSError:
        return 0.0


def _refuse_unknown(notebook: Path, questions: tuple[str, ...]) -> None:
    """Refuse a question that does not exist: no save of the notebook would mend it."""
    from redink.student.homework import Homework

    homework = Homework.find(notebook.resolve().parent)
    for question in questions:
        homework.question(question)


def _only_notebook(command: str) -> Path:
    """Find the notebook of this folder; what to type is said where there is none, or more than one."""
    found = sorted(Path().glob("*.ipynb"))
    if len(found) == 1:
        return found[0]
    if found:
        what = f"there are {len(found)} notebooks here ({', '.join(map(str, found))}); name the one to {command}"
        raise CourseError(f"{what}: redink {command} {_likeliest(found)}")
    below = sorted(Path().glob("*/*.ipynb"))
    told = (
        f"try `redink {command} {_likeliest(below)}`"
        if below
        else "go to the folder of your assignment, or `redink start SLUG`"
    )
    raise CourseError(f"there is no notebook in {Path.cwd()}; {told}")


def _likeliest(found: list[Path]) -> str:
    """Return the notebook that was handed out, by its name, or that which was saved last; as it is typed."""
    best = next((path for path in found if _is_handed_out(path)), max(found, key=_saved_at))
    return f'"{best}"' if " " in str(best) else str(best)


def _is_handed_out(path: Path) -> bool:
    from redink.assignment.spec import read_spec

    with contextlib.suppress(RedinkError):
        return path.stem == read_spec(path.parent).slug
    return False


def _check_once(notebook: Path, questions: tuple[str, ...], json_file: str | None) -> bool:
    from redink.student.card import AllCards, wrapped
    from redink.student.homework import Homework
    from redink.student.terminal import run_checks
    from redink_cli import screen

    _refuse_other_files(notebook)
    outcome = run_checks(notebook, questions)
    if isinstance(outcome, str):
        raise CourseError(outcome)
    sheet, width = AllCards(outcome.questions), screen.width()
    if json_file:
        screen.write_json(outcome, json_file)
    if json_file != "-":
        for cell in outcome.cells:
            click.echo(wrapped(f"cell {cell.index} failed: {cell.error}", "", "  ", width))
        if any("ModuleNotFoundError" in cell.error for cell in outcome.cells):
            _tell_missing(Homework.find(notebook.resolve().parent).spec)
        click.echo(sheet.text(width))
    return sheet.passed


def _refuse_other_files(path: Path) -> None:
    """Raise the sentence for what is no notebook by its name, with what could have been meant."""
    if path.is_file() and path.suffix not in _OTHERS:
        return
    if path.suffix == ".zip" and path.is_file():
        raise CourseError(f"{path} is a zip: unpack it, and name the notebook in it")
    inside = sorted(path.glob("*.ipynb")) if path.is_dir() else []
    beside = sorted(path.parent.glob("*.ipynb")) if path.is_file() else []
    others = (one.stem for one in path.parent.glob("*.ipynb") if one.is_file())
    near = did_you_mean(path.stem, others).replace("?", ".ipynb?")
    meant = f"did you mean {[*inside, *beside][0]}?" if inside or beside else near
    what = "a folder" if path.is_dir() else "not a notebook" if path.is_file() else "not a file"
    raise CourseError(
        f"{path} is {what}" + (f"; {meant}" if meant else ": name a notebook, as in `redink check perceptron.ipynb`")
    )


@click.command("submit")
@click.argument("notebook", required=False, type=click.Path(path_type=Path))
@click.option("--to", "target", default="hand-in", type=click.Path(path_type=Path),
              help="The folder for it; without this, hand-in.")  # fmt: skip
@json_option("the receipt")
def submit_command(notebook: Path | None, target: Path, json_file: str | None) -> None:
    """Write the file to hand in, with a receipt.

    The notebook runs from top to bottom in a fresh process; what is missing is
    listed, and the file is written even so. Save the notebook first.

    \b
    Example: redink submit perceptron.ipynb
    """
    from redink.student.card import wrapped
    from redink.student.submitting import submit
    from redink_cli import screen

    notebook = notebook or _only_notebook("submit")
    _refuse_other_files(notebook)
    receipt = submit(notebook, target)
    if json_file:
        screen.write_json(receipt, json_file)
    if json_file != "-":
        for line in receipt.text.splitlines():
            click.echo(wrapped(line, "", "    ", screen.width()))


@click.command("update")
@click.argument("folder", default=".", type=click.Path(path_type=Path, file_okay=False, exists=True))
@click.option("--from", "newer", type=click.Path(path_type=Path, exists=True),
              help="The newer handout, a folder or a zip; by default what came with Redink.")  # fmt: skip
def update_command(folder: Path, newer: Path | None) -> None:
    """Bring new public checks into a folder; the notebook stays as it is.

    \b
    Example: redink update --from ../new/perceptron
    """
    from redink.assignment.handout import shelf
    from redink.assignment.spec import read_spec
    from redink.student.submitting import opened, update

    slug = read_spec(folder).slug
    newer = newer or shelf(folder) / slug
    with opened(newer) as handout:
        if (other := read_spec(handout).slug) != slug:
            raise CourseError(f"{newer} is the assignment {other}, and {folder} is {slug}")
        changed = update(folder, handout)
    if not changed:
        click.echo("everything is up to date")
        return
    click.echo(f"new: {', '.join(changed)}; your notebook is as it was. Where it is open, restart its kernel.")
