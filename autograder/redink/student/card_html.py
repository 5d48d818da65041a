"""A card as HTML: with colours of its own for light and dark themes, readable without any where styles are removed."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from redink.judging.feedback import Feedback
    from redink.student.card import CardRow

# JupyterLab, VS Code and Colab each say in their own way that they are dark. All pairs have a contrast of 4.5:1 or more.
_DARK = ("[data-jp-theme-light='false']", ".vscode-dark", "html[theme='dark']")
_STYLE = """
.redink{--good:#176f30;--bad:#b42318;--quiet:#57606a;--hint:#8a4a04;--back:#fff;--ink:#1f2328;--soft:#f3f4f6;--mark:#ffe3a3;
background:var(--back);color:var(--ink);border:1px solid var(--quiet);border-left:4px solid var(--quiet);border-radius:4px;
padding:.7em 1em;margin:.4em 0;max-width:60em;line-height:1.5;overflow-wrap:break-word;box-sizing:border-box}
DARK{--good:#5fd07f;--bad:#ff8f85;--quiet:#a9b1ba;--hint:#f0b35e;--back:#1b1f24;--ink:#e6e8eb;--soft:#2a2f36;--mark:#6b4e00}
.redink.good{border-left-color:var(--good)}.redink.bad{border-left-color:var(--bad)}.redink.warn{border-left-color:var(--hint)}
.redink p,.redink div{margin:.25em 0;color:inherit}.redink.quiet p{color:var(--quiet)}
.redink .mark{font-weight:bold}.redink .passed{color:var(--good)}.redink .failed{color:var(--bad)}
.redink .quietly{color:var(--quiet)}.redink .inside{margin-left:1.4em}
.redink .values{overflow-x:auto;background:var(--soft);padding:.4em .6em}
.redink .values table{border-collapse:collapse;margin:0;font-size:inherit;color:inherit;background:none}
.redink .values tbody tr{background:none}
.redink .values td,.redink .values th{text-align:left;vertical-align:top;padding:.1em 1.2em .1em 0;
color:inherit;background:none;border:0;white-space:nowrap}
.redink.redink pre,.redink.redink code{margin:0;padding:0;color:inherit;background:none;font-family:monospace;
font-size:.95em;white-space:pre}
.redink .both{display:flex;flex-wrap:wrap;column-gap:2em}
.redink.redink .replay code{white-space:normal;overflow-wrap:anywhere}
.redink mark{background:var(--mark);color:inherit;font-weight:bold}
.redink .hint{border-left:3px solid var(--hint);padding:.4em .8em;background:var(--soft)}
""".replace("DARK", ",".join(f"{theme} .redink" for theme in _DARK)).replace("\n", "")
_WORDS = re.compile(r"[^\s\[\](){},]+")
_PIECES = re.compile(rf"[\[\](){{}}]|{_WORDS.pattern}")
_KEYS = re.compile(r"\], (?=[^\[\](){},]+: )")  # between one value of a dict and the next key


def card(
    headline: str, kind: str, rows: Sequence[CardRow], advice: Sequence[str], progress: str, warning: str = ""
) -> str:
    """Write a card."""
    title, _, rest = headline.partition(":")
    parts = [f"<p><b>{escape(title)}:</b>{escape(rest)}</p>"]
    parts += [f"<p class='hint'>{escape(warning)}</p>"] if warning else []
    parts += [_row(row) for row in rows]
    parts += [f"<p class='hint'>{escape(line)}</p>" for line in advice]
    parts += [f"<p class='quietly'>{escape(progress)}</p>"] if progress else []
    return _frame(kind, "".join(parts))


def notice(sentence: str) -> str:
    """Write one sentence."""
    return _frame("warn", f"<p>{escape(sentence)}</p>")


def total(line: str) -> str:
    """Write the line below all cards."""
    return _frame("quiet", f"<p><b>{escape(line)}</b></p>")


def _frame(kind: str, body: str) -> str:
    return f"<style>{_STYLE}</style><div class='redink {kind}' lang='en'>{body}</div>"


def _row(row: CardRow) -> str:
    feedback = row.feedback
    colour = {"passed": "passed", "not_run": "quietly"}.get(feedback.outcome, "failed")
    parts = [f"<div><span class='mark {colour}'>{row.mark}</span> {escape(feedback.sentence)}"]
    parts += [f"<div class='inside'>{escape(row.fault)}</div>"] if row.fault else []
    if feedback.inputs or feedback.expected or feedback.got:
        scrolls = "role='region' aria-label='values' tabindex='0'"  # sideways where it does not fit, by keyboard too
        parts.append(f"<div class='inside values' {scrolls}>{_values(feedback)}</div>")
    if feedback.replay:
        parts.append(f"<div class='inside quietly replay'>replay: <code>{escape(feedback.replay)}</code></div>")
    parts += [f"<div class='inside quietly'>note: {escape(note)}</div>" for note in row.notes]
    return "".join(parts) + "</div>"


def _values(feedback: Feedback) -> str:
    """Write the inputs, a line each, and what was expected beside what came; below it, where that does not fit."""
    given = "".join(
        f"<tr><th scope='row'><code>{escape(name)}</code></th><td><pre>{_lines(value)}</pre></td></tr>"
        for name, value in feedback.inputs
    )
    expected, got = feedback.expected, feedback.got
    marked = differences(expected, got) if expected and got else (frozenset(), frozenset())
    compared = "".join(
        f"<div><b>{name}</b><pre>{_lines(value, places)}</pre></div>"
        for name, value, places in zip(("expected", "got"), (expected, got), marked, strict=True)
        if value
    )
    return (f"<table>{given}</table>" if given else "") + (f"<div class='both'>{compared}</div>" if compared else "")


def differences(expected: str, got: str) -> tuple[frozenset[int], frozenset[int]]:
    """Find the words and numbers, counted from 0, in which two written values differ: in the one and in the other.

    Of unlike lengths, parts are compared by their places in the brackets, and what has no partner differs.
    """
    left, right = _WORDS.findall(expected), _WORDS.findall(got)
    if len(left) == len(right):
        same = frozenset(place for place in range(len(left)) if not _same(left[place], right[place]))
        return same, same
    pairs = list(_paired(_nested(expected), _nested(got)))
    odd = [(one, other) for one, other in pairs if one is None or other is None or not _same(left[one], right[other])]
    return frozenset(one for one, _ in odd if one is not None), frozenset(
        other for _, other in odd if other is not None
    )


def _nested(text: str) -> list[Any]:
    """Return the numbers of the words of a text, nested as its brackets are."""
    outer: list[Any] = []
    open_lists, word = [outer], itertools.count()
    for piece in _PIECES.findall(text):
        if piece in "[({":
            open_lists[-1].append([])
            open_lists.append(open_lists[-1][-1])
        elif piece not in "])}":
            open_lists[-1].append(next(word))
        elif len(open_lists) > 1:
            open_lists.pop()
    return outer


def _paired(left: list[Any], right: list[Any]) -> Iterator[tuple[int | None, int | None]]:
    """Pair the words that stand in the same place, in their order where the brackets are others; None is no partner."""
    places = list(itertools.zip_longest(left, right))
    if any(isinstance(one, list) != isinstance(other, list) and None not in (one, other) for one, other in places):
        places = list(itertools.zip_longest(_flat(left), _flat(right)))
    for one, other in places:
        if isinstance(one, list) or isinstance(other, list):
            yield from _paired(one or [], other or [])
        else:
            yield one, other


def _flat(nested: list[Any]) -> Iterator[int]:
    """List the words of a part in their order, without its brackets."""
    for item in nested:
        if isinstance(item, list):
            yield from _flat(item)
        else:
            yield item


def _same(one: str, other: str) -> bool:
    """Compare two words; 1 and 1. are one number."""
    try:
        return one == other or float(one) == float(other)
    except ValueError:
        return False


def _lines(value: str, marked: frozenset[int] = frozenset()) -> str:
    """Write a value with a line for each row and for each key, and some words of it marked."""
    pieces, end = [], 0
    for place, word in enumerate(_WORDS.finditer(value)):
        text = escape(word[0])
        pieces += [escape(value[end : word.start()]), f"<mark>{text}</mark>" if place in marked else text]
        end = word.end()
    text = "".join([*pieces, escape(value[end:])]).replace("], [", "],\n [")
    return _KEYS.sub("],\n ", text) if value.startswith("{") else text
