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
from redink.grader.similar.pairs import AlikeQuestion
from redink.texts import clean, clean_lines

_MOST = 100_000  # characters of one code that is shown
_MARK = '<meta name="generator" content="redink similar">'
_STYLE = """
:root {
  color-scheme: light dark;
  --paper: #ffffff; --panel: #f4f5f7; --ink: #1c2127; --quiet: #535c68; --line: #d5d9df; --link: #0a5aa6;
  --both: #fff0d6; --both-line: #b56a00;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14181d; --panel: #1d232a; --ink: #e7eaee; --quiet: #a8b1bc; --line: #39424d; --link: #8cc2f5;
    --both: #3a2d14; --both-line: #d99a3c;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; max-width: 84rem; padding: 2.2rem 1.25rem 3rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; overflow-wrap: anywhere;
}
p, table { max-width: 60rem; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: .1rem 0 .6rem; }
h2 { font-size: 1.25rem; margin: 2.2rem 0 .3rem; padding-top: 1.2rem; border-top: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 0 0 .4rem; }
a { color: var(--link); }
a:focus-visible, pre:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.quiet { color: var(--quiet); }
table { border-collapse: collapse; width: 100%; margin-top: 1.2rem; }
th, td { padding: .45rem 1rem .45rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
thead th { color: var(--quiet); font-size: .88rem; }
tbody th { font-weight: 500; }
.sides { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 1rem; margin-top: .8rem; }
pre {
  overflow-x: auto; margin: 0; padding: .5rem 0; background: var(--panel); border-radius: 5px; direction: ltr;
  font: .87rem/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; overflow-wrap: normal;
}
pre span {
  display: block; width: max-content; min-width: 100%; min-height: 1.5em; padding: 0 .7rem;
  border-left: 4px solid transparent;
}
pre .both, b.both { background: var(--both); border-left: 4px solid var(--both-line); }
b.both { padding: 0 .4rem; font-weight: 500; }
@media (max-width: 44rem) { body { padding: 1.3rem 1rem 2rem; } .sides { grid-template-columns: minmax(0, 1fr); } }
@media print { .sides { gap: .5rem; } pre { white-space: pre-wrap; } pre span { width: auto; } }
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
    for place in range(1, len(alike.pairs) + 1):
        (folder / _file(place)).write_text(_pair_page(alike, place), encoding="utf-8")
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
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{_shown(title)}</title>\n'
        f"<style>{_STYLE}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def _index_page(alike: AlikeClass) -> str:
    rows = "\n".join(
        f'<tr><th scope="row"><a href="{_file(place)}"><bdi>{_shown(pair.first)}</bdi> and '
        f"<bdi>{_shown(_second(pair.second, pair.second_is_earlier))}</bdi></a></th>"
        f"<td>{', '.join(f'{_shown(one.question)} {one.alike:.0%}' for one in pair.questions)}</td></tr>"
        for place, pair in enumerate(alike.pairs, start=1)
    )
    head = '<thead><tr><th scope="col">pair</th><th scope="col">common, of what is their own, by question</th></tr></thead>'
    table = f"<table>{head}\n<tbody>{rows}</tbody></table>"
    return _page(
        f"{alike.title}: alike",
        f"<main><h1>{_shown(alike.title)}: {len(alike.pairs)} pairs more alike than the questions explain</h1>\n"
        f"<p>{alike.compared} submissions were compared"
        f"{f', with {alike.earlier} of another year' if alike.earlier else ''}. {_SAID}</p>\n"
        f"{table if alike.pairs else ''}</main>",
    )


def _pair_page(alike: AlikeClass, place: int) -> str:
    pair = alike.pairs[place - 1]
    first, second = pair.first, _second(pair.second, pair.second_is_earlier)
    parts = "\n".join(_side_by_side(one, first, second) for one in pair.questions)
    links = ['<a href="index.html">all pairs</a>']
    links += [f'<a href="{_file(place - 1)}">previous pair</a>'] if place > 1 else []
    links += [f'<a href="{_file(place + 1)}">next pair</a>'] if place < len(alike.pairs) else []
    return _page(
        f"{first} and {second}",
        f"<nav><p>{' · '.join(links)}</p></nav>\n"
        f"<main><h1><bdi>{_shown(first)}</bdi> and <bdi>{_shown(second)}</bdi></h1>\n<p>{_SAID}</p>\n"
        '<p><b class="both">Marked</b> are the lines with something in common that neither the hand-out nor the reference '
        f"nor many others have.</p>\n{parts}</main>",
    )


def _side_by_side(one: AlikeQuestion, first: str, second: str) -> str:
    sides = "\n".join(
        f"<section><h3><bdi>{_shown(who)}</bdi></h3>\n{_code(code, lines)}</section>"
        for who, code, lines in zip((first, second), one.code, one.lines, strict=True)
    )
    told = f"{one.alike:.0%} of their own code is common; between two others {one.usual:.0%} is usual here"
    return f'<h2>{_shown(one.question)}</h2>\n<p class="quiet">{told}.</p>\n<div class="sides">\n{sides}\n</div>'


def _code(code: str, lines: tuple[int, ...]) -> str:
    shown = clean_lines(code, _MOST).split("\n")
    marked = "".join(
        f"<span{_BOTH if place in lines else ''}>{escape(line)}</span>" for place, line in enumerate(shown, start=1)
    )
    return f'<pre tabindex="0">{marked}</pre>'


def _second(name: str, earlier: bool) -> str:
    return f"{name} (another year)" if earlier else name


def _shown(text: str) -> str:
    return escape(clean(text))
