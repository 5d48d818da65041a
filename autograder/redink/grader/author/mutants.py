"""Mutants: the reference with one edit by a rule. Which ones there are, what they are called, and which are drawn.

Only solutions are edited, in functions and classes that a question asks for or that those use, and the defaults of their
parameters. The name of a mutant is made of the rule, the function and the text that changes, so it stays the same when
other lines of the master change; so does the order in which mutants are drawn.
"""

from __future__ import annotations

import ast
import hashlib
import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from types import CodeType
from typing import NamedTuple

import msgspec

from redink.grader.assignment.assignment import Assignment
from redink.grader.assignment.depending import reached, uses_of
from redink.grader.assignment.master import BEGIN, END, MasterCell
from redink.grader.author.mutation_rules import RULES
from redink.records import Cell, Record

_CONTEXT, _LONGEST = 12, 100  # characters of a name: around what changes, and of each side in all

Put = Callable[[Sequence[ast.AST]], None]


class Mutant(Record, frozen=True):
    """One edit: its name, the lines that it changes, and the cell with the edit."""

    id: str
    rule: str
    before: str
    after: str
    cell: Cell

    def cells(self, solved: Sequence[Cell]) -> tuple[Cell, ...]:
        """Return the solved notebook with this edit."""
        return tuple(self.cell if one.index == self.cell.index else one for one in solved)


class _Place(NamedTuple):
    """A node of a definition, the function it belongs to, and how to put something else there."""

    node: ast.AST
    function: str
    put: Put


def find_mutants(assignment: Assignment) -> tuple[Mutant, ...]:
    """List every mutant that the rules can make of an assignment; those that compile to the same code are left out."""
    asked = reached(uses_of(assignment.solved), assignment.spec.all_asked())
    skip = assignment.master.explorations()
    masters = [cell for cell in assignment.master.cells if cell.kind == "code"]
    found: list[Mutant] = []
    for cell, master in zip(assignment.solved, masters, strict=True):
        if master.marked and cell.source.strip() not in skip:
            found += _mutants_of_cell(cell, _solution_lines(master), asked)
    return tuple(_distinct(found))


def draw(mutants: Sequence[Mutant], slug: str, seed: int, count: int) -> tuple[Mutant, ...]:
    """Draw mutants, from each rule in turn, in an order that depends on the seed and on their own names alone."""
    by_rule: dict[str, list[Mutant]] = defaultdict(list)
    for one in sorted(mutants, key=lambda one: hashlib.sha256(f"{slug}/{seed}/{one.id}".encode()).digest()):
        by_rule[one.rule].append(one)
    rounds = itertools.zip_longest(*(by_rule[rule] for rule in RULES))
    return tuple(one for some in rounds for one in some if one is not None)[:count]


def _solution_lines(cell: MasterCell) -> frozenset[int]:
    """Return which lines of a solved cell, counted from 1, are a solution."""
    found: set[int] = set()
    number, inside = 0, False
    for line in cell.source.splitlines():
        if line.strip() in (BEGIN, END):
            inside = line.strip() == BEGIN
            continue
        number += 1
        if inside:
            found.add(number)
    return frozenset(found)


def _mutants_of_cell(cell: Cell, lines: Collection[int], asked: Collection[str]) -> Iterator[Mutant]:
    source = cell.source.splitlines()
    for node in ast.parse(cell.source).body:
        if not isinstance(node, ast.FunctionDef | ast.ClassDef) or node.name not in asked:
            continue
        first, last = min([node, *node.decorator_list], key=lambda one: one.lineno).lineno, node.end_lineno or 0
        if not any(first <= line <= last for line in lines):
            continue
        before = ast.unparse(node)
        for rule, function, after in _edits(node, lines):
            if _is_another_program(before, after):
                new = "\n".join([*source[: first - 1], after, *source[last:]])
                yield _named(rule, function, before, after, Cell(index=cell.index, source=new))


def _edits(definition: ast.FunctionDef | ast.ClassDef, lines: Collection[int]) -> Iterator[tuple[str, str, str]]:
    """Yield each edit of a definition: the rule, the function, and the definition with the edit."""
    for node, function, put in list(_places(definition, definition.name)):
        if (line := _line(node)) is None or line in lines:
            for rule, replacements in RULES.items():
                for new in replacements(node):
                    put(new)
                    text = ast.unparse(definition)
                    put([node])
                    yield rule, function, text


def _places(parent: ast.AST, function: str) -> Iterator[_Place]:
    """List all nodes below one, each with a way to replace it, and to put it back."""
    for field, value in ast.iter_fields(parent):
        children = [(value, _put_field(parent, field))] if isinstance(value, ast.AST) else []
        if isinstance(value, list):
            children = [(one, _put_item(value, at)) for at, one in enumerate(value) if isinstance(one, ast.AST)]
        for child, put in children:
            inner = f"{function}.{child.name}" if isinstance(child, ast.FunctionDef | ast.ClassDef) else function
            yield _Place(child, inner, put)
            yield from _places(child, inner)


def _put_field(parent: ast.AST, field: str) -> Put:
    return lambda new: setattr(parent, field, new[0])


def _put_item(items: list[ast.AST], at: int) -> Put:
    whole = tuple(items)

    def put(new: Sequence[ast.AST]) -> None:
        items[:] = [*whole[:at], *new, *whole[at + 1 :]]

    return put


def _line(node: ast.AST) -> int | None:
    """Return the line of a node; None for the parameters, which stand before the solution and have defaults."""
    if isinstance(node, ast.comprehension):
        return node.target.lineno
    return None if isinstance(node, ast.arguments) else getattr(node, "lineno", 0)


def _is_another_program(before: str, after: str) -> bool:
    """Tell whether an edit compiles, and to other code than before."""
    try:
        return _code(compile(after, "", "exec")) != _code(compile(before, "", "exec"))
    except SyntaxError:
        return False


def _code(code: CodeType) -> tuple[object, ...]:
    """Return what a code object does, without its lines; 1 and True are different constants."""
    inner = tuple(_code(one) if isinstance(one, CodeType) else (type(one), repr(one)) for one in code.co_consts)
    return code.co_name, code.co_code, code.co_names, code.co_varnames, code.co_exceptiontable, inner


# -- names -------------------------------------------------------------------------------------------------------------


def _named(rule: str, function: str, before: str, after: str, cell: Cell) -> Mutant:
    old, new = _changed_lines(before, after)
    short, shorter = _changed_part(old, new)
    return Mutant(id=f"{rule}:{function}:{short} → {shorter}", rule=rule, before=old, after=new, cell=cell)


def _changed_lines(before: str, after: str) -> tuple[str, str]:
    """Return the lines of two texts that are not the same in both."""
    old, new = before.splitlines(), after.splitlines()
    while old and new and old[0] == new[0]:
        del old[0], new[0]
    while old and new and old[-1] == new[-1]:
        del old[-1], new[-1]
    first, second = (" ⏎ ".join(line.strip() for line in lines) for lines in (old, new))
    return first, second


def _changed_part(old: str, new: str) -> tuple[str, str]:
    """Return the part of two texts in which they differ, with whole words around it."""
    start = _same_at_the_start(old, new)
    end = _same_at_the_start(old[start:][::-1], new[start:][::-1])
    left, right = max(0, start - _CONTEXT), max(0, end - _CONTEXT)
    while left and _in_a_word(old[left - 1]):
        left -= 1
    while right and _in_a_word(old[len(old) - right]):
        right -= 1
    first, second = (text[left : len(text) - right].strip() for text in (old, new))
    return _shortened(first), _shortened(second)


def _same_at_the_start(first: str, second: str) -> int:
    """Count the characters with which both texts begin."""
    return sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False)))


def _in_a_word(character: str) -> bool:
    return character.isalnum() or character in "_."


def _shortened(text: str) -> str:
    half = _LONGEST // 2
    return text if len(text) <= _LONGEST else f"{text[:half]} … {text[-half:]}"


def _distinct(mutants: Sequence[Mutant]) -> Iterator[Mutant]:
    """Leave out edits that were made before, and number those that would have the same name."""
    made: set[Cell] = set()
    names: Counter[str] = Counter()
    for one in mutants:
        if one.cell not in made:
            made.add(one.cell)
            names[one.id] += 1
            number = names[one.id]
            yield one if number == 1 else msgspec.structs.replace(one, id=f"{one.id} #{number}")
