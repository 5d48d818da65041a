"""What of a notebook answers a question: the asked functions as they were last defined, and the helpers that they use."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from redink.assignment.spec import Spec
from redink.grader.assignment.depending import reached, uses_of
from redink.records import Cell
from redink.source import definitions, lines_of


def code_by_question(cells: Sequence[Cell], spec: Spec, given: Collection[str]) -> dict[str, str]:
    """Return the code of each question that has some; `given` are names that were handed out, which nobody wrote."""
    uses = uses_of(cells)
    texts = _texts(cells)
    asked = spec.all_asked()
    found = {}
    for question in spec.questions:
        others = (asked - set(question.asks)) | (set(given) - asked)
        own = {name: used - others for name, used in uses.items() if name not in others}
        meant = reached(own, question.asks)
        if code := "\n\n\n".join(texts[name] for name in texts if name in meant and name not in others):
            found[question.id] = code
    return found


def defined_names(cells: Sequence[Cell]) -> frozenset[str]:
    """Return the functions and classes that cells define."""
    return frozenset(_texts(cells))


def _texts(cells: Sequence[Cell]) -> dict[str, str]:
    """Return the text of each function and class, by name, in an order that is the same wherever they stand."""
    found = {}
    for cell in cells:
        lines = lines_of(cell.source)
        for one in definitions(cell.source):
            if one.kind != "value":
                found[one.name] = "\n".join(lines[one.first - 1 : one.last])
    return dict(sorted(found.items()))
