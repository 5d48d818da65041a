"""Compiling cells under the names and line numbers that people see, below a cell magic such as `%%time` too."""

from __future__ import annotations

import ast
import functools
import linecache
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from IPython.core.compilerop import CachingCompiler

from redink.box.shell.tracebacks import blank_lines, cell_file

_OF_MAGICS = ("<timed exec>", "<timed eval>", "<magic-timeit>", "<magic-timeit-stmt>")


class CellCompiler(CachingCompiler):  # type: ignore[misc] # IPython has no types
    """Compiles cells under the name that messages show."""

    cell = 0
    _above = 0  # lines of the cell over what is compiled now: the magic's own

    def get_code_name(self, raw_code: str, transformed_code: str, number: int) -> str:
        """Name a cell by its place in the notebook."""
        return cell_file(self.cell)

    def cache(self, transformed_code: str, number: int = 0, raw_code: str | None = None) -> str:
        """Keep a cell's lines for tracebacks; of one below a magic they are kept already."""
        raw = (raw_code or "").lstrip()
        if self._above:
            return cell_file(self.cell)
        name: str = super().cache(transformed_code, number, raw_code)
        if raw.startswith("%%"):  # the transformed code is one line: a call of the magic
            linecache.cache[name] = (len(raw), None, [f"{line}\n" for line in raw.splitlines()], name)
        return name

    def ast_parse(self, source: str, filename: str = "<unknown>", symbol: str = "exec") -> ast.AST:
        """Parse, and count lines from the top of the cell."""
        if not self._above:
            tree: ast.AST = super().ast_parse(source, filename, symbol)
            return tree
        try:
            below: ast.AST = super().ast_parse(source, cell_file(self.cell), symbol)
        except SyntaxError as error:
            error.lineno = (error.lineno or 1) + self._above
            raise
        return ast.increment_lineno(below, self._above)

    def __call__(self, source: Any, filename: str, symbol: str, **flags: Any) -> Any:  # noqa: D102 - as in IPython
        name = cell_file(self.cell) if self._above and filename in _OF_MAGICS else filename
        return super().__call__(source, name, symbol, **flags)

    @contextmanager
    def below(self, lines: int) -> Iterator[None]:
        """Compile what stands so many lines below the top of the cell; 0 stands for a place that is not known."""
        before, self._above = self._above, lines
        try:
            yield
        finally:
            self._above = before


def keep_line_numbers(shell: Any) -> None:
    """Make errors below the magics that run Python name their own lines instead of the magic's."""
    names = [(kind, name) for kind in ("cell", "line") for name in ("time", "timeit", "capture")]
    found = {(kind, name): shell.find_magic(name, kind) for kind, name in names}
    for (kind, name), magic in found.items():  # all were found first, since that may load others
        if magic is not None:
            shell.magics_manager.magics[kind][name] = _below(magic, shell.compile)


def _below(magic: Callable[..., Any], compiler: CellCompiler) -> Callable[..., Any]:
    @functools.wraps(magic)
    def run(line: str, cell: str | None = None, **more: Any) -> Any:
        if cell is None:
            with compiler.below(0):
                return magic(line, **more)
        with compiler.below(1 + blank_lines(cell)):
            return magic(line, cell, **more)

    return run
