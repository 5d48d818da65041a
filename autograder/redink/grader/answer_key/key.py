"""The answer key of one assignment under one secret: what is asked, what is expected, and what wrong beliefs answer.

It is data and source text, no pickle: written to a file, it can grade without solutions/. Each check has its own part,
with digests of what that part was made from, so that a changed check remakes its own part and nothing else.
"""

from __future__ import annotations

import functools
import hashlib

import msgspec

from redink.assignment.spec import Spec
from redink.errors import CourseError
from redink.grader.digests import box_stamp, digest
from redink.records import Cell, Observation, Record, Request, Trial, Visibility

SCHEMA = "redink/answer-key/1"
_TIMES, _SPARE = 8, 1 << 14  # a list takes more bytes than an array, an answer of a wrong shape has more numbers
_CHECKSUM = hashlib.sha256().digest_size


class WrongAnswers(Record, frozen=True):
    """What one misconception answers to one check, where that is not what the reference answers."""

    made_from: str
    answers: dict[str, Observation]  # by trial id; only those that are not the same bytes as the reference's
    differs: tuple[str, ...] = ()  # the trials that differ under the check's view too


class Part(Record, frozen=True):
    """One check: its trials, what the reference answers, what each misconception answers."""

    check: str
    question: str
    visibility: Visibility
    weight: float
    inputs_from: str  # digests: what the trials were made from,
    answers_from: str  # what the answers were made from,
    judged_by: str  # and how the check judges and compares
    stamp: str  # the code and libraries under which the answers were observed
    trials: tuple[Trial, ...]
    requests: tuple[Request, ...]
    expected: tuple[Observation, ...]
    wrong: dict[str, WrongAnswers]  # by misconception


class Hinted(Record, frozen=True):
    """A misconception's name, the question it fails, and the teacher's hint."""

    id: str
    question: str
    hint: str


class AnswerKey(Record, frozen=True, dict=True):
    """Everything that grades one assignment."""

    version: str  # a hash of assignment.toml, checks and reference
    secret: str  # its fingerprint
    made_from: str  # a digest of all files that this key was made from, and of our own code
    published_from: str  # what published.json must be made from to fit this key
    spec: Spec
    checks: str  # source text
    hidden_checks: str
    explorations: frozenset[str]  # sources of cells that the grader need not run
    data: dict[str, bytes]  # files that cells may open
    misconceptions: tuple[Hinted, ...]
    parts: tuple[Part, ...]  # in the order of the checks, public ones first
    reference_from: str  # a digest of the reference's cells
    reference: tuple[Cell, ...] = ()  # those cells. Optional; never shipped, and in no student's box
    schema: str = SCHEMA

    @property
    def slug(self) -> str:
        """The assignment's name in commands and files."""
        return self.spec.slug

    @functools.cached_property
    def stamp(self) -> str:
        """Names what submissions are observed under: the code and libraries of the box, and the names it looks for."""
        forbids = [name for one in self.spec.questions if one.forbids for name in (one.id, *one.forbids)]
        stamp = box_stamp(self.spec.packages)
        return digest(stamp, *forbids) if forbids else stamp

    @functools.cached_property
    def of_check(self) -> dict[str, Part]:
        """The parts by their check's id."""
        return {part.check: part for part in self.parts}

    @functools.cached_property
    def requests(self) -> tuple[Request, ...]:
        """Everything that the box must run, in order."""
        return tuple(request for part in self.parts for request in part.requests)

    @functools.cached_property
    def expected_digests(self) -> dict[str, str]:
        """Digests of the inputs and expected answers of each check."""
        return {
            part.check: digest(*(one for trial, seen in zip(part.trials, part.expected, strict=True)
                                 for one in (trial.id, trial.inputs, seen.value)))
            for part in self.parts
        }  # fmt: skip

    @functools.cached_property
    def request_digests(self) -> dict[str, str]:
        """Digests of what the box runs for each check."""
        return {
            part.check: digest(*(text for one in part.requests for text in (one.id, one.when, one.inputs)))
            for part in self.parts
        }

    @functools.cached_property
    def most_bytes(self) -> dict[str, int]:
        """How many bytes the answer to each request may have: a multiple of the largest that is known, and some more."""
        return {
            trial.id: _SPARE
            + _TIMES * max(len(seen.value), *(_size(wrong, trial.id) for wrong in part.wrong.values()), 0)
            for part in self.parts
            for trial, seen in zip(part.trials, part.expected, strict=True)
        }


def _size(wrong: WrongAnswers, trial: str) -> int:
    answer = wrong.answers.get(trial)
    return 0 if answer is None else len(answer.value)


def encode_key(key: AnswerKey) -> bytes:
    """Write an answer key as bytes with a checksum behind them; the same key gives the same bytes."""
    content = msgspec.msgpack.encode(key, order="deterministic")
    return content + hashlib.sha256(content).digest()


def decode_key(data: bytes, where: str) -> AnswerKey:
    """Read an answer key from bytes; one flipped bit could change everybody's grade, and is refused."""
    content, checksum = data[:-_CHECKSUM], data[-_CHECKSUM:]
    if hashlib.sha256(content).digest() != checksum:
        raise CourseError(f"{where} is no answer key, or it is damaged")
    try:
        key = msgspec.msgpack.decode(content, type=AnswerKey)
    except msgspec.MsgspecError as error:
        raise CourseError(f"{where} is not an answer key of this version of Redink: {error}") from error
    if key.schema != SCHEMA:
        raise CourseError(f"{where} is an answer key of another version of Redink: {key.schema}")
    return key
