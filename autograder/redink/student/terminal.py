"""The public checks from a terminal: run a notebook's cells in a process of its own, then the checks; write JSON.

`run_checks` starts this as `python -m redink.student.terminal NOTEBOOK QUESTION…`, so that nothing a
notebook does to its process affects the command. It works wherever Python does.
"""

from __future__ import annotations

import ast
import asyncio
import contextlib
import inspect
import linecache
import os
import re
import signal
import subprocess
import sys
import traceback
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from redink.calling import one_line
from redink.errors import DEBUG_VARIABLE, OverTime, SubmissionError, in_one_sentence
from redink.files import read_file
from redink.notebook import read_cells, read_parts
from redink.records import Cell, CellRun, Record
from redink.student.homework import SLOWER, Homework, QuestionReport, Work
from redink.student.time_limit import time_limit

_IDLE = re.compile(
    r"""\s*(check\(\s*["'][^"']*["']\s*\)\s*(#.*)?)?"""
)  # nothing, or a check, which we are about to run


class CheckedNotebook(Record, frozen=True):
    """What `redink check` shows: the cells that failed, and the questions."""

    notebook: str
    cells: tuple[CellRun, ...]
    questions: tuple[QuestionReport, ...]


def run_checks(
    path: Path, questions: Sequence[str] = (), environment: Mapping[str, str] | None = None
) -> CheckedNotebook | str:
    """Check a notebook in a process of its own; where that is not possible, return a sentence that says why."""
    given = os.environ if environment is None else environment
    one_thread = {"OMP_NUM_THREADS": "1"}  # as in grading; small networks are far slower on several
    around = {**one_thread, **given, "MPLBACKEND": "Agg", "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, "-P", "-m", "redink.student.terminal", str(path), *questions]
    done = subprocess.run(command, stdout=subprocess.PIPE, env=around, check=False)  # noqa: S603 - our own module
    with contextlib.suppress(msgspec.MsgspecError):
        return msgspec.json.decode(done.stdout, type=CheckedNotebook)
    with contextlib.suppress(msgspec.MsgspecError, KeyError):
        return str(msgspec.json.decode(done.stdout, type=dict[str, str])["error"])
    return f"{path} ended the process that ran it (exit code {done.returncode}); does a cell call exit or crash?"


def check_notebook(path: Path, questions: list[str], names: dict[str, Any] | None = None) -> CheckedNotebook:
    """Run a notebook, in `names`, and the public checks of these questions (all of them, if none is named)."""
    homework = Homework.find(path.resolve().parent)
    wanted = [homework.question(id).id for id in questions] or [one.id for one in homework.spec.questions]
    cells = to_run(read_file(path))
    names = {"__name__": "__main__"} if names is None else names
    seconds = SLOWER * homework.spec.limits.cell_cpu
    sources = [cell.source for cell in cells]
    with _dropped_output():  # one for all: what a cell has bound is the stream that a check looks at
        runs = [_run(cell, names, seconds) for cell in cells]
        reports = tuple(homework.report(id, Work(names, sources)) for id in wanted)
    return CheckedNotebook(
        notebook=path.name, cells=tuple(run for run in runs if run.status != "ok"), questions=reports
    )


@contextlib.contextmanager
def _dropped_output() -> Iterator[None]:
    with Path(os.devnull).open("w", encoding="utf-8") as drop, contextlib.ExitStack() as stack:
        stack.enter_context(contextlib.redirect_stdout(drop))
        stack.enter_context(contextlib.redirect_stderr(drop))
        yield


def to_run(data: bytes) -> list[Cell]:
    """Return the code cells of a notebook without those that no check needs: explorations, empty ones and checks."""
    skip = {index for index, cell in enumerate(read_parts(data)[1], start=1) if "explore" in cell.tags()}
    return [cell for cell in read_cells(data) if cell.index not in skip and not _IDLE.fullmatch(cell.source)]


def _run(cell: Cell, names: dict[str, Any], seconds: float) -> CellRun:
    """Run one cell as IPython would; its output is not shown."""
    from IPython.core.inputtransformer2 import TransformerManager

    name = f"<cell {cell.index}>"
    linecache.cache[name] = (len(cell.source), None, cell.source.splitlines(keepends=True), name)
    try:
        source = TransformerManager().transform_cell(cell.source)
        code = compile(source, name, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        with time_limit(seconds):
            if inspect.CO_COROUTINE & code.co_flags:
                asyncio.run(eval(code, names))  # noqa: S307 - the student's own cell, on the student's machine
            else:
                exec(code, names)  # noqa: S102 - as above
    except OverTime as late:
        return CellRun(index=cell.index, status="timeout", error=str(late))
    except (Exception, SystemExit) as error:  # noqa: BLE001 - a cell that fails costs itself
        return CellRun(index=cell.index, status="error", error=one_line(error))
    return CellRun(index=cell.index, status="ok")


def main() -> int:
    """Check a notebook and write the outcome as JSON to standard output."""
    path, *questions = sys.argv[1:]
    signal.signal(signal.SIGINT, signal.default_int_handler)  # in the background it is ignored, and no limit works
    answer = _quiet()
    os.chdir(Path(path).resolve().parent)
    try:
        names = _notebook_names()
        sys.path.insert(0, "")  # where Jupyter has what lies beside a notebook; but ours was found elsewhere
        outcome = check_notebook(Path(Path(path).name), questions, names)
    except Exception as error:  # noqa: BLE001 - the command shows it to the student
        if os.environ.get(DEBUG_VARIABLE):
            traceback.print_exc()
        named = f"{path} " if isinstance(error, SubmissionError) else ""
        return _say(answer, {"error": named + in_one_sentence(error)}, 1)
    return _say(answer, outcome, 0)


def _notebook_names() -> dict[str, Any]:
    """Return the names that a notebook has in IPython, so that display, get_ipython and magics work."""
    from IPython.core.interactiveshell import InteractiveShell
    from IPython.display import display

    class Shell(InteractiveShell):  # type: ignore[misc] # IPython has no types
        """A shell without a screen."""

        def enable_gui(self, gui: object = None) -> None:
            """Do nothing."""

        def enable_matplotlib(self, gui: object = None) -> tuple[str, str]:
            """Keep the backend that draws without a screen."""
            return "inline", "agg"

    names: dict[str, Any] = Shell.instance().user_ns
    names["display"] = display
    return names


def _quiet() -> int:
    """Keep standard output for the answer alone: what student code prints is dropped, and its input is empty."""
    answer = os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    return answer


def _say(answer: int, outcome: object, code: int) -> int:
    with os.fdopen(answer, "wb") as stream:
        stream.write(msgspec.json.encode(outcome))
    return code


if __name__ == "__main__":
    sys.exit(main())
