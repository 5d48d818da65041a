"""`redink similar`: everybody's code from the gradebook, last year's too, and the pairs that stand out among it.

Nobody's code is run, and nothing is decided: two people who think alike write alike. Names are replaced by pseudonyms, the
same each time, unless they are asked for.
"""

from __future__ import annotations

import hashlib
import hmac
import zlib
from collections.abc import Collection, Mapping
from pathlib import Path

import msgspec

from redink.assignment.spec import Spec, read_spec
from redink.errors import CourseError
from redink.grader.assignment.master import Master, read_master
from redink.grader.course import Course
from redink.grader.evidence.packing import decode_sources
from redink.grader.similar.extracting import code_by_question, defined_names
from redink.grader.similar.pairs import AlikePair, Author, find_pairs
from redink.grader.store.gradebook import Gradebook
from redink.grader.store.other_years import read_sources
from redink.records import Record
from redink.source import forget, is_too_long

_SHORTEST = 4  # letters of a pseudonym


class AlikeClass(Record, frozen=True):
    """The pairs of a class that are more alike than its questions explain, and among how many they were looked for."""

    assignment: str
    title: str
    compared: int
    earlier: int
    named: bool
    pairs: tuple[AlikePair, ...]
    unreadable: tuple[str, ...] = ()  # whose stored cells cannot be read any more
    too_long: tuple[str, ...] = ()  # whose code is not compared
    unseen: tuple[tuple[str, str], ...] = ()  # who has points in which question, and no code there that can be seen


def find_alike(
    course: Course, book: Gradebook, slug: str, *, other: Path | None = None, names: bool = False
) -> AlikeClass:
    """Compare everybody's newest graded submission with everybody's, and with those of another gradebook."""
    spec = read_spec(course.find_assignment(slug))
    master = read_master(course.solutions / slug / f"{slug}.py")
    packed = {Author(name): sources for name, sources in _sources(book, slug).items()}
    if not packed:
        if book.all_graded(slug):
            raise CourseError(f"the notebooks of {slug} were purged: there is nothing left to compare")
        raise CourseError(f"nothing handed in to {slug} was graded into {book.path}: grade it first")
    before = read_sources(other, slug) if other else {}
    packed |= {Author(name, earlier=True): sources for name, sources in before.items()}
    codes, unreadable, too_long = _codes(packed, spec, master)
    handed_out = [cell.source for cell in (*master.untouched(), *master.solved())]
    together = book.collected.together(slug)
    pairs = [one for one in find_pairs(codes, handed_out) if one.second not in together.get(one.first, ())]
    shown = {} if names else _pseudonyms(course, packed)
    unseen = _unseen(book, slug, codes, code_by_question(master.solved(), spec, defined_names(master.untouched())))
    return AlikeClass(
        assignment=slug,
        title=spec.title,
        compared=sum(not one.earlier for one in packed),
        earlier=len(before),
        named=names,
        pairs=tuple(_renamed(pair, shown) for pair in pairs),
        unreadable=tuple(shown.get(one, one.id) for one in unreadable),
        too_long=tuple(shown.get(one, one.id) for one in too_long),
        unseen=tuple((shown.get(one, one.id), question) for one, question in unseen),
    )


def _sources(book: Gradebook, slug: str) -> dict[str, bytes]:
    found = {}
    for one in book.all_graded(slug):
        if one.result.state == "graded":
            try:
                run = book.last_run(one.submission)
            except zlib.error:  # reported as unreadable, with its author
                found[one.result.submission.id] = b""
            else:
                found |= {one.result.submission.id: run.sources} if run else {}
    return found


def _codes(
    packed: Mapping[Author, bytes], spec: Spec, master: Master
) -> tuple[dict[Author, dict[str, str]], list[Author], list[Author]]:
    """Take everybody's code apart; return with it whose cannot be read, and whose is too long."""
    given = defined_names(master.untouched())
    codes, unreadable, too_long = {}, [], []
    for author, sources in packed.items():
        try:
            cells = decode_sources(sources)
        except msgspec.MsgspecError:
            unreadable.append(author)
            continue
        if is_too_long([cell.source for cell in cells]):
            too_long.append(author)
        else:
            codes[author] = code_by_question(cells, spec, given)
        forget()
    return codes, unreadable, too_long


def _unseen(
    book: Gradebook, slug: str, codes: Mapping[Author, Mapping[str, str]], coded: Collection[str]
) -> list[tuple[Author, str]]:
    """List who has points in a question that is answered by functions, and none there: code can be run from a text."""
    return [
        (author, question.id)
        for author, result in ((Author(one.result.submission.id), one.result) for one in book.all_graded(slug))
        for question in result.questions
        if question.score > 0 and question.id in coded and question.id not in codes.get(author, coded)
    ]


def _pseudonyms(course: Course, authors: Mapping[Author, bytes]) -> dict[Author, str]:
    """Call everybody by a few letters that only the course secret leads to, as many as keep people apart."""
    whole = {
        one: hmac.new(course.secret(), f"{one.earlier} {one.id}".encode("utf-8", "replace"), hashlib.sha256).hexdigest()
        for one in authors
    }
    for size in range(_SHORTEST, 64):
        if len({text[:size] for text in whole.values()}) == len(whole):
            return {one: f"student {text[:size]}" for one, text in whole.items()}
    return whole


def _renamed(pair: AlikePair, shown: Mapping[Author, str]) -> AlikePair:
    first, second = Author(pair.first), Author(pair.second, pair.second_is_earlier)
    return msgspec.structs.replace(pair, first=shown.get(first, pair.first), second=shown.get(second, pair.second))
