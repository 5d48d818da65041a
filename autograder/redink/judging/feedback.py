"""What a student reads: of published inputs everything, of secret ones the check's sentence and the kind of failure.

What the code of a student says about a secret input (an answer, an error, a note) may hold that input, so it is never
shown, in public checks as in hidden ones; a sentence of ours stands in its place.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from redink.checks.describing import key_name
from redink.checks.language import Check
from redink.judging.answers import Answer
from redink.records import Record, Trial, Verdict, Visibility, Word
from redink.texts import clean, number
from redink.wire import Opaque, Table, TupleList, decode

ELSEWHERE = "Right on the published inputs, wrong on others of the same kind."
_LONGEST = 1500
_MOST_ITEMS = 12
_LONG = 24  # numbers of an array that are all written
_TINY = 1e-3
_AROUND = 4  # items before and after the first that differs
_COMPARED = 1000  # items among which it is sought
_KINDS = {
    "failed": "",
    "error": "Your code raised an error here.",
    "timeout": "Your code took too long here.",
    "not_run": "",
}


class Feedback(Record, frozen=True):
    """A check's outcome as a student may read it; the last fields are empty unless a published trial failed."""

    outcome: Word
    sentence: str
    notes: tuple[str, ...] = ()
    fault: str = ""
    inputs: tuple[tuple[str, str], ...] = ()
    expected: str = ""
    got: str = ""
    replay: str = ""

    @property
    def passed(self) -> bool:
        """Whether the check passed."""
        return self.outcome == "passed"

    @property
    def text(self) -> str:
        """The same as plain lines; empty if the check passed."""
        if self.passed:
            return ""
        return "\n".join(line for line in (self.sentence, self.fault, *self.details) if line)

    @property
    def details(self) -> list[str]:
        """The values, as plain lines."""
        lines = [f"  {name} = {value}" for name, value in self.inputs]
        lines += [f"  expected: {self.expected}"] if self.expected else []
        lines += [f"  got:      {self.got}"] if self.got else []
        lines += [f"  replay:   {self.replay}"] if self.replay else []
        return lines


def give_feedback(
    check: Check,
    visibility: Visibility,
    trials: Sequence[tuple[Trial, Answer, Any, Verdict]],
) -> Feedback:
    """Sum up all trials of a check; each row is a trial, the answer, the expected value, and the verdict."""
    shown = [row for row in trials if visibility == "public" and row[0].published]
    notes = tuple(dict.fromkeys(note for *_, verdict in shown for note in verdict.notes))
    failing = next((row for row in trials if row[3].verdict != "passed"), None)
    if failing is None:
        return Feedback(outcome="passed", sentence=check.sentence, notes=notes)
    trial, answer, expected, verdict = failing
    outcome = verdict.verdict
    if outcome == "not_run":  # a sentence of ours; which name it says is missing was known before any secret input
        return Feedback(outcome=outcome, sentence=check.sentence, notes=notes, fault=_capital(verdict.message))
    if visibility == "hidden":
        return Feedback(outcome=outcome, sentence=check.sentence, fault=_KINDS[outcome])
    if not trial.published:
        return Feedback(outcome=outcome, sentence=check.sentence, notes=notes, fault=ELSEWHERE)
    return Feedback(
        outcome=outcome,
        sentence=check.sentence,
        notes=notes,
        fault=_capital(check.told(verdict.message)),
        inputs=_shown(decode(trial.inputs)),
        expected="" if check.then_function or check.view_function else show(expected, answer.value),  # one of many
        got=show(answer.value, expected) if answer.status == "returned" else "",
        replay=f'check.replay("{check.id}", {trial.number})',
    )


def forbidden_feedback(check: Check, breach: str) -> Feedback:
    """Return the feedback for a forbidden name; it is no secret, so a hidden check shows it too."""
    return Feedback(outcome="failed", sentence=check.sentence, fault=f"{breach}.")


def unjudged_feedback(check: Check, error: BaseException) -> Feedback:
    """Return the feedback for answers that cost more time or memory to judge than they may."""
    what = "memory" if isinstance(error, MemoryError) else "time"
    fault = f"What your code returned here takes too much {what} to judge: far more than a right answer."
    return Feedback(outcome="failed", sentence=check.sentence, fault=fault)


def show(value: Any, beside: Any = None) -> str:
    """Write a value for a person: in full if it is short, otherwise shortened, whatever it holds.

    Of a long list the beginning is kept, and what is around the first place where it differs from the one `beside` it.
    """
    text, waiting = "", [_Piece(value, beside=beside)]
    while waiting and len(text) <= _LONGEST:
        piece = waiting.pop()
        if isinstance(piece.value, list | dict | set | frozenset):
            waiting += reversed(_opened(piece.value, piece.beside))
        elif _is_long_row(piece.value) and _is_long_row(piece.beside):
            most = _COMPARED + 2 * _AROUND
            waiting += reversed(_opened(piece.value[:most].tolist(), piece.beside[:most].tolist()))
        else:
            text += _single(piece.value) if piece.text is None else piece.text
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} …"


def _is_long_row(value: Any) -> bool:
    """Tell whether numpy would leave out the middle of a vector."""
    return isinstance(value, np.ndarray) and value.ndim == 1 and value.size > _LONG and value.dtype.kind in "biuf"


class _Piece(NamedTuple):
    """What is still to be written: a value, or a text as it is."""

    value: Any
    text: str | None = None
    beside: Any = None  # what the value is compared with


def _opened(value: Any, beside: Any) -> list[_Piece]:
    """Take apart a list, dict or set, as far as it is shown; of a table the index and the columns."""
    if isinstance(value, dict):
        nameless = isinstance(value, Table) and value.is_series
        others = beside if isinstance(beside, dict) else {}
        named = [
            (
                f"{'values' if key is None and nameless else key_name(key)}: ",
                _Piece(value[key], beside=others.get(key)),
            )
            for key in itertools.islice(value, _MOST_ITEMS)
        ]
        named = [("index: ", _Piece(value.index)), *named] if isinstance(value, Table) else named
        left, right = f"{value.kind} {{" if isinstance(value, Table) else "{", "}"
    else:
        items = sorted(value, key=_order) if isinstance(value, set | frozenset) else value
        named = [("", piece) for piece in _shown_items(items, beside if isinstance(value, list) else None)]
        left, right = _brackets(value)
    pieces = [_Piece(None, left)]
    for place, (name, piece) in enumerate(named):
        pieces += [_Piece(None, f"{', ' if place else ''}{name}"), piece]
    return [*pieces, _Piece(None, right)]


def _shown_items(items: list[Any], beside: Any) -> list[_Piece]:
    """Choose the items of a list that are shown, with a mark for those that are left out."""
    others = beside if isinstance(beside, list) else []
    left_out, odd = _Piece(None, "…"), _first_odd(items, others) if len(items) > _MOST_ITEMS else 0

    def part(first: int, last: int) -> list[_Piece]:
        return [
            _Piece(one, beside=other)
            for one, other in itertools.zip_longest(items[first:last], others[first : min(last, len(items))])
        ]

    if odd < _MOST_ITEMS:
        return [*part(0, _MOST_ITEMS), *([left_out] if len(items) > _MOST_ITEMS else [])]
    around = part(odd - _AROUND, odd + _AROUND)
    return [*part(0, _AROUND), left_out, *around, *([left_out] if odd + _AROUND < len(items) else [])]


def _first_odd(items: list[Any], others: list[Any]) -> int:
    """Return the first place where two lists are written differently, or where one of them ends; 0 if there is none."""
    both = min(len(items), len(others), _COMPARED)
    written = (place for place in range(both) if show(items[place]) != show(others[place]))
    return next(written, both if len(items) != len(others) else 0)


def _brackets(value: Any) -> tuple[str, str]:
    if isinstance(value, list):
        return ("(", ",)" if len(value) == 1 else ")") if isinstance(value, TupleList) else ("[", "]")
    return ("{", "}") if value else ("set(", ")")


def _order(item: Any) -> tuple[str, Any]:
    """Sort the items of a set: numbers by their size, others by how they are written."""
    return ("", item) if isinstance(item, int | float) and item == item else (type(item).__name__, repr(item))


def _single(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return _array(value) if value.shape else _single(value.item())
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, Opaque):
        return f"<{value.type_name}>"
    if isinstance(value, str):
        return repr(value[:200])[:200]
    return number(value) if type(value) is int else clean(repr(value), 200)


def _array(value: np.ndarray[Any, Any]) -> str:
    flat = value.ndim > 3 and value.size > 64  # numpy would write 6 numbers along every axis
    few = value.ravel()[:12] if flat else value
    text = np.array2string(few, precision=4, threshold=_LONG, suppress_small=not _is_tiny(few), separator=", ")
    return f"shape {value.shape}, beginning with {' '.join(text.split())}" if flat else " ".join(text.split())


def _is_tiny(value: np.ndarray[Any, Any]) -> bool:
    """Tell whether all numbers are so small that four decimals would show none of them."""
    return value.size <= _LONG and value.dtype.kind in "fc" and 0 < np.max(np.abs(value), initial=0) < _TINY


def _shown(inputs: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    return tuple((name, show(value)) for name, value in inputs.items())


def _capital(sentence: str) -> str:
    """Turn a message into a sentence; a name at its beginning keeps its case."""
    word = sentence.partition(" ")[0].rstrip(",:")
    if len(word) > 1 and " is not defined" not in sentence.partition(";")[0].replace("raised", ""):
        sentence = sentence[:1].upper() + sentence[1:]
    return sentence if not sentence or sentence.endswith((".", "?", "!")) else sentence + "."
