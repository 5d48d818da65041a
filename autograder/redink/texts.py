"""Texts that a student can choose and a person will read, made harmless once, where they come in.

Names of files, keys, types, errors and what a notebook prints may hold anything: escape sequences that rewrite a
terminal, letters that run backwards, a megabyte of one line. After `clean`, `clean_lines` or `file_name` a text is
printable, valid Unicode and of bounded length, so it can go into a terminal, JSON, HTML (escaped, as all text there) or a
log. Markdown gives a meaning to ordinary characters, so `markdown` must be called where Markdown is written. Two names may
be printable and different and still look the same on a screen: `look_alikes` finds them, and `same_letters` compares names
without taking one alphabet for another.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable

LONGEST = 300  # characters of one line
MOST_LINES = 1000
_MARKS = re.compile(r"([\\`*\[\]<>#!|~$&@]|(?<![^\W_])_|_(?![^\W_])|^[-+]|:(?=//)|(?<=www)\.)", re.IGNORECASE)
_NUMBERED = re.compile(r"^(\d{1,9})(?=[.)](?:\s|$))")  # at the beginning of a line it begins a list
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")  # letters and marks that show nothing
_DIGITS = 4000  # Python itself writes no integer of more than 4300
_MOST_ALIKE = 12  # groups of names that are listed

# What most fonts draw like a letter: letters of Greek, Cyrillic and Armenian, some of Latin's own, and digits.
_LIKE = {
    "A": "ΑА", "B": "ΒВ", "C": "СϹ", "E": "ΕЕ", "G": "Ԍ", "H": "ΗНн", "J": "Ј", "K": "ΚК", "L": "Լ", "M": "ΜМ", "N": "Ν",
    "O": "ΟО0Օ", "P": "ΡР", "Q": "Ԛ", "S": "ЅՏ", "T": "ΤТ", "U": "Ս", "W": "Ԝ", "X": "ΧХ", "Y": "ΥУ", "Z": "Ζ", "3": "З",
    "a": "αаɑ", "b": "в", "c": "сϲ", "d": "ԁ", "e": "е", "g": "ɡց", "h": "һհ", "i": "іıɩι", "j": "јȷϳյ", "k": "κк",
    "l": "I1|ΙІӏǀ", "m": "м", "n": "пո", "o": "οоօ", "p": "ρр", "q": "ԛզ", "r": "г", "s": "ѕ", "t": "τт", "u": "υս",
    "v": "ν", "w": "ωԝ", "x": "χх", "y": "γу",
}  # fmt: skip
_DRAWN_AS = {other: letter for letter, others in _LIKE.items() for other in others}


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


def look_alikes(names: Iterable[str]) -> tuple[str, ...]:
    """Say which of these names look the same on a screen and are not; what differs is written as in `file_name`."""
    groups: dict[str, set[str]] = defaultdict(set)
    for name in names:
        groups[_drawn(name)].add(name)
    alike = [" and ".join(sorted(map(_spelt, group))) for _, group in sorted(groups.items()) if len(group) > 1]
    more = [f"{len(alike) - _MOST_ALIKE} more groups of names look alike"] if len(alike) > _MOST_ALIKE else []
    return (*(clean(f"names that look alike and are different: {one}") for one in alike[:_MOST_ALIKE]), *more)


def same_letters(text: str) -> str:
    """Return a name as it is compared: in small letters, each of its own alphabet (`K`, the sign for kelvin, is no k)."""
    return "".join(one if small.isascii() and not one.isascii() else small for one in text for small in (one.lower(),))


def markdown(text: str) -> str:
    """Write a text so that Markdown shows it as it is: no table, link, heading, mention or HTML comes of it."""
    return _NUMBERED.sub(r"\1\\", _MARKS.sub(r"\\\1", " ".join(text.split())))


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


def _drawn(name: str) -> str:
    """Return what a reader sees of a name: one blank for many, one letter for all that are drawn like it."""
    letters = unicodedata.normalize("NFKD", name)
    seen = "".join(
        " " if one in _BLANK else "-" if unicodedata.category(one) == "Pd" else _DRAWN_AS.get(one, one)
        for one in letters
    )
    return " ".join(seen.split())


def _spelt(name: str) -> str:
    """Write a name with the numbers of letters that are not ASCII, and of blanks that nobody sees."""
    ascii = name.encode("ascii", "backslashreplace").decode()
    return re.sub(r"^ | (?= )| $", r"\\x20", ascii)


def _printable(text: str, instead: str) -> str:
    return text if text.isprintable() else "".join(one if one.isprintable() else instead for one in text)


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
