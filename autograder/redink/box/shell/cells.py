"""The shell that runs a notebook's cells: IPython's, made once in the zygote, without terminal, history or kernel."""

from __future__ import annotations

import builtins
import getpass
import re
import sys
import time
from typing import Any, NoReturn

import matplotlib.pyplot as plt
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from redink.box.shell.compiling import CellCompiler, keep_line_numbers
from redink.box.shell.output import Output
from redink.box.shell.tracebacks import note_blank_lines, place, student_traceback, syntax_text
from redink.box.time_limit import TimeLimit
from redink.calling import one_line
from redink.errors import OverTime
from redink.records import Cell, CellRun, Limits

_INSTALLS = re.compile(r"\s*(sudo\s+)?(\S*python\S*\s+-m\s+)?\S*\b(pip3?|conda|mamba|micromamba|uv|apt|apt-get)\s")
_REFUSAL = "Nothing can be installed in the box: the course's own packages are already here."


class CellShell(InteractiveShell):  # type: ignore[misc] # IPython has no types
    """An IPython shell without a user."""

    time_limit: TimeLimit | None = None

    def enable_gui(self, gui: object = None) -> None:
        """There is no screen."""

    def enable_matplotlib(self, gui: object = None) -> tuple[str, str]:
        """Keep Agg: figures are made, but never drawn for anybody."""
        return "inline", "agg"

    def ask_exit(self) -> NoReturn:
        """End the cell that calls exit() or quit()."""
        raise SystemExit("exit() ends a cell here, not the notebook")

    def system(self, cmd: str) -> None:
        """Run `!cmd`, unless it would install something."""
        if _INSTALLS.match(f"{cmd[:300]} "):  # it takes quadratic time
            sys.stdout.write(f"{_REFUSAL}\n")
        else:
            self.system_raw(cmd)

    def showtraceback(self, exc_tuple: Any = None, *args: object, **kwargs: object) -> None:
        """Write a plain traceback of the student's own lines; IPython's coloured one costs 100 times as much."""
        if self.time_limit is not None:
            self.time_limit.disarm()
        error = exc_tuple[1] if exc_tuple else sys.exc_info()[1]
        if error is not None:
            sys.stderr.write(student_traceback(error))

    def showsyntaxerror(self, *args: object, **kwargs: object) -> None:
        """Write a syntax error like any other."""
        self.showtraceback()

    def showindentationerror(self) -> None:
        """Write an indentation error like any other."""
        self.showtraceback()


def make_shell(ipython_dir: str) -> CellShell:
    """Make the one shell; whatever in it would ask a person something is answered in advance."""
    config = Config()
    config.HistoryManager.enabled = False
    config.InteractiveShell.colors = "nocolor"
    config.InteractiveShell.compiler_class = CellCompiler
    shell: CellShell = CellShell.instance(config=config, ipython_dir=ipython_dir)
    shell.compiler_class = CellCompiler
    shell.compile = CellCompiler()
    shell.db = {}  # of %cd and its like: a box remembers nothing
    keep_line_numbers(shell)
    shell.displayhook.write_output_prompt = _do_nothing
    shell.display_formatter.active_types = ["text/plain"]
    for name in ("pip", "conda", "mamba", "micromamba", "uv"):
        shell.register_magic_function(_refuse_to_install, "line", name)
    shell.builtin_trap.__enter__()  # not left again: functions called by a `when` may use get_ipython too
    builtins.input = getpass.getpass = _nobody_answers
    sys.breakpointhook = _do_nothing
    plt.show = _close_figures
    return shell


def run_cell(shell: CellShell, cell: Cell, limits: Limits, output: Output) -> CellRun:
    """Run one cell, and return how it ended."""
    note_blank_lines(cell.index, cell.source)
    shell.compile.cell = cell.index
    limit = shell.time_limit = TimeLimit(limits.cell_cpu, limits.cell_cpu * limits.wall_factor)
    started = time.process_time()
    error: BaseException | None
    try:
        with limit:
            result = shell.run_cell(cell.source, store_history=False)
            error = result.error_before_exec or result.error_in_exec
            plt.close("all")
    except BaseException as escaped:  # noqa: BLE001 - the time limit may ring anywhere, student code may raise anything
        error = escaped
    used = time.process_time() - started
    status, text = _ending(error, limit)
    return CellRun(index=cell.index, status=status, error=text, output=output.take(), cpu_seconds=round(used, 4))


def _ending(error: BaseException | None, limit: TimeLimit) -> tuple[Any, str]:
    if isinstance(error, OverTime):
        return "timeout", limit.sentence
    if error is None:
        return "ok", ""
    text = syntax_text(error) if isinstance(error, SyntaxError) else one_line(error)
    where = place(error)
    return "error", f"{text} ({where})" if where else text


def _refuse_to_install(line: str) -> None:
    sys.stdout.write(f"{_REFUSAL}\n")


def _nobody_answers(*args: object, **kwargs: object) -> NoReturn:
    raise RuntimeError("input() has nobody to answer it here: give the value in the code")


def _do_nothing(*args: object, **kwargs: object) -> None:
    return None


def _close_figures(*args: object, **kwargs: object) -> None:
    plt.close("all")
