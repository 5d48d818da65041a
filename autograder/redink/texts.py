"""Texts that a student can choose and a person will read, made harmless once, where they come in.

Names of files, keys, types, errors and what a notebook prints may hold anything: escape sequences that rewrite a
terminal, letters that run backwards, a megabyte of one line. After `clean`, `clean_lines` or `file_name` a text is
printable, valid Unicode and of bounded length, so it can go into a terminal, JSON, HTML (escaped, as all text there) or a
log. Markdown gives a meaning to ordinary characters, so `markdown` must be called where Markdown is written.
"""

from __future__ import annotations

import re

LONGEST = 300  # characters of one line
MOST_LINES = 1000
_MARKS = re.compile(r"([\\`*\[\]<>#!|~$&@]|(?<![^\W_])_|_(?![^\W_])|^[-+]|:(?=//)|(?<=www)\.)", re.IGNORECASE)
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")  # letters and marks that show nothing
_DIGITS = 4000  # Python itself writes no integer of more than 4300


def clean(text: str, most: int = LONGEST) -> str:
    """Return one printable line of at most `most` characters."""
    return _shortened(_printable(text[: most + 1], " ").strip(), most)


def clean_lines(text: str, most: int, lines: int = MOST_LINES) -> str:
    """Return printable lines, so many characters and lines of them; what is left out is said at the end."""
    kept = text[:most].split("\n", lines)
    more = len(text) > most or len(kept) > lines
    whole = "\n".join(_printable(line.replace("\t", "    "), "") for line in kept[:lines])
    return f"{whole}\n[cut: more than {lines} lines or {most} characters]" if more else whole


def file_name(name: str) -> str:
    """Write a file's name so that it can be shown; different names stay different.

    Bytes that are not UTF-8 are written as `\\xff`, characters that cannot be seen as `\\x1b` or `\\u202e`, so a
    backslash is written twice.
    """
    plain = name.isprintable() and "\\" not in name and _BLANK.isdisjoint(name)
    return name if plain else "".join(map(_visible, name))


def markdown(text: str) -> str:
    """Write a text so that Markdown shows it as it is: no table, link, heading, mention or HTML comes of it."""
    return _MARKS.sub(r"\\\1", " ".join(text.split()))


def number(value: int) -> str:
    """Write an integer of any size; a long one is named by its length."""
    digits = value.bit_length() * 30_103 // 100_000
    if digits > _DIGITS:
        return f"an integer of about {digits} digits"
    text = str(value)
    return text if len(text) <= 48 else f"{text[:20]}…{text[-20:]} ({len(text)} digits)"


def _visible(letter: str) -> str:
    code = ord(letter)
    if 0xDC80 <= code <= 0xDCFF:  # a byte, as Python reads names
        return f"\\x{code - 0xDC00:02x}"
    if letter.isprintable() and letter != "\\" and letter not in _BLANK:
        return letter
    return letter.encode("unicode_escape").decode() if code < 0x80 or code > 0xFF else f"\\u{code:04x}"


def _printable(text: str, instead: str) -> str:
    return text if text.isprintable() else "".join(one if one.isprintable() else instead for one in text)


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
