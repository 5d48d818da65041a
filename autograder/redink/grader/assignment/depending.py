"""What depends on what in a notebook: which checks a change of one function can reach.

Read from the source: a function depends on the global names it uses, and on what those use. So a specimen runs only the
checks that its edit reaches, and a call of another question's function that `uses` does not list is found.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from redink.assignment.spec import Question, Spec
from redink.checks.language import Check
from redink.errors import AuthorError
from redink.records import Cell
from redink.source import is_python, statements

Uses = Mapping[str, frozenset[str]]  # a name of the notebook, and the names that its definition uses


def uses_of(cells: Iterable[Cell]) -> dict[str, frozenset[str]]:
    """Find for each name that the cells define which names its definition uses."""
    found: dict[str, set[str]] = defaultdict(set)
    for statement in (statement for cell in cells for statement in statements(cell.source)):
        for name in statement.names:
            found[name] |= statement.uses
    return {name: frozenset(used) for name, used in found.items()}


def reached(uses: Uses, names: Iterable[str]) -> set[str]:
    """Return these names and all that their definitions use, directly or not."""
    known: set[str] = set()
    waiting = list(names)
    while waiting:
        if (name := waiting.pop()) not in known:
            known.add(name)
            waiting += uses.get(name, ())
    return known


def changed_names(before: Sequence[Cell], after: Sequence[Cell]) -> set[str]:
    """Return the names that two versions of a notebook define differently; none if a changed cell cannot be read."""
    found: set[str] = set()
    for old, new in zip(before, after, strict=True):
        if old.source != new.source:
            if not (is_python(old.source) and is_python(new.source)):
                return set()
            first, second = {*statements(old.source)}, {*statements(new.source)}
            found |= {name for statement in first ^ second for name in statement.names}
    return found


def affected(spec: Spec, checks: Iterable[Check], changed: set[str], versions: Iterable[Sequence[Cell]]) -> set[str]:
    """Return the ids of the checks that changed names can reach: those that call them, or what uses them."""
    graphs = [uses_of(cells) for cells in versions]
    return {
        check.id
        for check in checks
        if any(reached(uses, _calls(check, spec.question(check.question))) & changed for uses in graphs)
    }


def _calls(check: Check, question: Question) -> Iterable[str]:
    """Return the notebook's functions that a check calls; one that does not say may call all of its question's."""
    if check.when_function is not None:
        return check.about or question.asks
    return (check.calls,) if check.calls else question.asks


def check_uses(spec: Spec, cells: Sequence[Cell], path: str) -> None:
    """Refuse a question whose functions call another question's that `uses` does not list."""
    uses = uses_of(cells)
    for question in spec.questions:
        calls = reached(uses, question.asks)
        allowed = {question.id, *spec.all_used(question)}
        for other in spec.questions:
            if other.id not in allowed and (called := sorted(calls.intersection(other.asks))):
                raise AuthorError(
                    f"{path}: {question.id} calls {called[0]}, which {other.id} asks for; "
                    f'add "{other.id}" to the uses of {question.id} in assignment.toml'
                )
