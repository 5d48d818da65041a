"""What a student can choose, a person can read: no text rewrites a terminal, a table or a page."""

from __future__ import annotations

import os

import pytest

from redink.texts import clean, clean_lines, file_name, markdown, number

HOSTILE = {
    "escape": "\x1b[2J\x1b[31mred",
    "c1 escape": "\x9b31mred",
    "title": "\x1b]0;owned\x07",
    "carriage return": "0 points\r100 points",
    "backspace": "0\x08" + "100",
    "right to left": "\u202e001 \u202c",
    "isolates": "\u2066x\u2069",
    "zero width": "a\u200bd\u200da\ufeff",
    "line separators": "a\u2028b\u2029c\x85d\x0be\x0cf",
    "half a character": "\ud800",
    "private": "\ue000",
    "nul": "a\0b",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_one_line_is_printable_and_valid(text):
    assert clean(text).isprintable()
    clean(text).encode()
    assert clean_lines(text, 100).replace("\n", "").isprintable()
    assert file_name(text).isprintable() and file_name(text).encode()


def test_a_long_text_is_cut_and_says_so():
    assert clean("x" * 300) == "x" * 300
    assert clean("x" * 301) == "x" * 299 + "…"
    assert clean(" " * 10_000_000) == ""
    assert len(clean("é" * 1000, 10)) == 10


def test_lines_and_tabs_of_an_output_stay_but_not_too_many():
    assert clean_lines("a\tb\nc\n", 100) == "a    b\nc\n"
    assert clean_lines("x\n" * 3, 100, lines=2) == "x\nx\n[cut: more than 2 lines or 100 characters]"
    assert clean_lines("x" * 11, 10) == "x" * 10 + "\n[cut: more than 1000 lines or 10 characters]"


def test_different_file_names_stay_different():
    names = [
        b"M\xfcller",
        b"M\\xfcller",
        b"M\\\\xfcller",
        "Müller".encode(),
        b"M\x1bller",
        b"M\\x1bller",
        b"a\nb",
        b"a b",
        b"\x85",
        "\x85".encode(),
    ]
    shown = [file_name(os.fsdecode(name)) for name in names]
    assert len(set(shown)) == len(names)
    assert shown[0] == "M\\xfcller" and shown[3] == "Müller" and shown[6] == "a\\nb"


@pytest.mark.parametrize("blank", ["\u3164", "\u2800", "\u115f", "\u034f", "\uffa0"])
def test_a_name_with_a_letter_that_shows_nothing_is_not_taken_for_another(blank):
    assert file_name(f"ada{blank}") == f"ada\\u{ord(blank):04x}"


@pytest.mark.parametrize(
    "text", ["| ada | 100 |", "# A", "[a](b)", "![a](b)", "<b>", "a\n\n| 1 |", "`x`", "@all", "&lt;", "$x$", "**b**"]
)
def test_markdown_shows_every_mark_as_itself(text):
    shown = markdown(text)
    assert "\n" not in shown
    bare = shown.replace("\\\\", "")
    assert all(bare[place - 1] == "\\" for place, mark in enumerate(bare) if mark in "|#[]!<>`@&$*")


def test_markdown_leaves_ordinary_names_readable():
    assert markdown("unknown_mistake_1 (cell 3), 7.5/10 - a+b") == "unknown_mistake_1 (cell 3), 7.5/10 - a+b"
    assert markdown("_a_ https://b www.c") == "\\_a\\_ https\\://b www\\.c"
    assert markdown("__a__ b__c") == "\\_\\_a\\_\\_ b\\_\\_c"
    assert markdown("- a") == "\\- a"


def test_integers_of_any_size_can_be_written():
    assert number(-12) == "-12"
    assert number(10**60) == "1" + "0" * 19 + "…" + "0" * 20 + " (61 digits)"
    assert number(10**10_000) == "an integer of about 10000 digits"
