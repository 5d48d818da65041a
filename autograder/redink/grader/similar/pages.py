"""Alike pairs as pages: an index, and both codes side by side with what they have in common marked. No script, no network.

Everything that a student wrote is cleaned and escaped; the pages forbid the browser all but the one style sheet in them.
"""

from __future__ import annotations

import base64
import hashlib
from html import escape
from pathlib import Path

from redink.errors import CourseError
from redink.grader.similar.finding import AlikeClass
from redink.grader.similar.pairs import AlikePair, AlikeQuestion
from redink.texts import clean, clean_lines

_MOST = 100_000  # characters of one code that is shown
_MARK = '<meta name="generator" content="redink similar">'
_STYLE = """
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 2rem auto; max-width: 84rem; padding: 0 1rem; }
table { border-collapse: collapse; }
th, td { padding: .2rem 1rem .2rem 0; text-align: left; vertical-align: top; }
.sides { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem; }
pre { overflow-x: auto; font-size: .85rem; margin: 0; }
pre span { display: block; border-left: 4px solid transparent; padding-left: .5rem; min-height: 1.5em; }
pre .both { border-left-color: currentColor; background: color-mix(in srgb, currentColor 12%, transparent); }
@media print { .sides { gap: .5rem; } pre { white-space: pre-wrap; } }
"""
_HASH = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
_POLICY = f"default-src 'none'; style-src 'sha256-{_HASH}'; base-uri 'none'; form-action 'none'"
_BOTH = ' class="both"'
_SAID = (
    "Alike does not mean copied: people who learn together, or from one source, write alike. "
    "Read both sides, and ask before you conclude anything."
)


def write_pages(alike: AlikeClass, folder: Path) -> Path:
    """Write an index and a page for each pair; return the index. Pages of an earlier time are replaced, nothing else is."""
    index = folder / "index.html"
    _make_room(folder, index)
    for place, pair in enumerate(alike.pairs, start=1):
        (folder / _file(place)).write_text(_pair_page(alike, pair), encoding="utf-8")
    index.write_text(_index_page(alike), encoding="utf-8")
    return index


def _make_room(folder: Path, index: Path) -> None:
    """Make a folder for its owner alone, or clear one of pages that were written by this command."""
    if not folder.exists():
        folder.mkdir(parents=True, mode=0o700)
        return
    if not folder.is_dir():
        raise CourseError(f"{folder} is not a folder; choose another with --to")
    if any(folder.iterdir()):
        if not (index.is_file() and _MARK in index.read_text(encoding="utf-8", errors="replace")):
            raise CourseError(f"{folder} holds other files; choose an empty folder, or a new one, with --to")
        for page in folder.glob("pair-*.html"):
            page.unlink()


def _file(place: int) -> str:
    return f"pair-{place:03}.html"


def _page(title: str, body: str) -> str:
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        f'<meta name="referrer" content="no-referrer">\n<meta name="robots" content="noindex">\n{_MARK}\n'
        f'<meta name="viewport" content="width=device-width">\n<title>{_shown(title)}</title>\n'
        f"<style>{_STYLE}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def _index_page(alike: AlikeClass) -> str:
    rows = "\n".join(
        f'<tr><td><a href="{_file(place)}">{_shown(_second(pair.first, False))} and '
        f"{_shown(_second(pair.second, pair.second_is_earlier))}</a></td>"
        f"<td>{', '.join(f'{_shown(one.question)} {one.alike:.0%}' for one in pair.questions)}</td></tr>"
        for place, pair in enumerate(alike.pairs, start=1)
    )
    table = f'<table><thead><tr><th scope="col">pair</th><th scope="col">alike in</th></tr></thead>\n{rows}</table>'
    return _page(
        f"{alike.title}: alike",
        f"<h1>{_shown(alike.title)}: {len(alike.pairs)} pairs more alike than the questions explain</h1>\n"
        f"<p>{alike.compared} submissions were compared"
        f"{f', with {alike.earlier} of another year' if alike.earlier else ''}. {_SAID}</p>\n"
        f"{table if alike.pairs else ''}",
    )


def _pair_page(alike: AlikeClass, pair: AlikePair) -> str:
    first, second = pair.first, _second(pair.second, pair.second_is_earlier)
    parts = "\n".join(_side_by_side(one, first, second) for one in pair.questions)
    return _page(
        f"{first} and {second}",
        f'<p><a href="index.html">all pairs</a></p>\n<h1>{_shown(first)} and {_shown(second)}</h1>\n<p>{_SAID} '
        f"Marked are the lines with something in common that neither the hand-out nor the reference nor many others have."
        f"</p>\n{parts}",
    )


def _side_by_side(one: AlikeQuestion, first: str, second: str) -> str:
    sides = "\n".join(
        f"<section><h3>{_shown(who)}</h3>\n{_code(code, lines)}</section>"
        for who, code, lines in zip((first, second), one.code, one.lines, strict=True)
    )
    told = f"{one.alike:.0%} of their own code is common; between two others {one.usual:.0%} is usual here"
    return f'<h2>{_shown(one.question)}</h2>\n<p>{told}.</p>\n<div class="sides">\n{sides}\n</div>'


def _code(code: str, lines: tuple[int, ...]) -> str:
    shown = clean_lines(code, _MOST).split("\n")
    marked = "".join(
        f"<span{_BOTH if place in lines else ''}>{escape(line)}</span>" for place, line in enumerate(shown, start=1)
    )
    return f"<pre>{marked}</pre>"


def _second(name: str, earlier: bool) -> str:
    return f"{name} (another year)" if earlier else name


def _shown(text: str) -> str:
    return escape(clean(text))
