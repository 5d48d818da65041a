"""Code as runs of tokens that renaming, comments and layout do not change.

Names that a student can choose are all the same here; keywords, builtins, modules that notebooks import, and what is taken
from them (`np.outer`) keep their names, and numbers their values. Docstrings, comments and layout are left out.
"""

from __future__ import annotations

import builtins
import io
import itertools
import keyword
import tokenize
from collections.abc import Iterator
from typing import NamedTuple

LENGTH = 6  # tokens of a run
MOST = 10_000  # tokens of a question's code that are looked at: some thousand lines
_KEPT = frozenset({*keyword.kwlist, *dir(builtins), "np", "numpy", "torch", "math", "itertools"})
_PASSED_OVER = frozenset({tokenize.COMMENT, tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING})
_UNREADABLE = (tokenize.TokenError, SyntaxError, ValueError, RecursionError)

Run = tuple[str, ...]


class Runs(NamedTuple):
    """The runs of a piece of code, each with the lines on which it stands."""

    lines: dict[Run, frozenset[int]]

    def among(self, runs: frozenset[Run]) -> frozenset[int]:
        """Return the lines on which these runs stand."""
        return frozenset(line for run in runs if run in self.lines for line in self.lines[run])


def read_runs(source: str) -> Runs:
    """Return the runs of a source; of one that cannot be read, or is too long, those up to there."""
    tokens = list(itertools.islice(_words(source), MOST))
    found: dict[Run, set[int]] = {}
    for start in range(len(tokens) - LENGTH + 1):
        part = tokens[start : start + LENGTH]
        found.setdefault(tuple(word for word, _ in part), set()).update(line for _, line in part)
    return Runs({run: frozenset(lines) for run, lines in found.items()})


def _words(source: str) -> Iterator[tuple[str, int]]:
    """List the tokens of a source as they count, with their lines."""
    before = after_dot = ""
    statement = True  # the next token begins one
    waiting: tuple[str, int] | None = None  # a string that may be a docstring
    for token in _tokens(source):
        if token.type in _PASSED_OVER:
            continue
        if waiting is not None and token.type != tokenize.NEWLINE:
            yield waiting
        alone, waiting = waiting is not None and token.type == tokenize.NEWLINE, None
        if token.type == tokenize.STRING and statement:
            waiting = ("'text'", token.start[0])
        elif token.type == tokenize.NEWLINE:
            if not alone:
                yield ";", token.start[0]
        elif token.type != tokenize.ENDMARKER:
            yield _word(token, before, after_dot), token.start[0]
        statement = token.type == tokenize.NEWLINE
        before, after_dot = token.string, before if token.string == "." else ""


def _word(token: tokenize.TokenInfo, before: str, owner: str) -> str:
    """Write one token as it counts: `owner` is what stands before a dot."""
    if token.type == tokenize.STRING:
        return "'text'"
    if token.type != tokenize.NAME:
        return token.string
    if before == ".":
        return "name" if owner == "self" else token.string
    return token.string if token.string in _KEPT else "name"


def _tokens(source: str) -> Iterator[tokenize.TokenInfo]:
    try:
        yield from tokenize.generate_tokens(io.StringIO(source).readline)
    except _UNREADABLE:
        return
