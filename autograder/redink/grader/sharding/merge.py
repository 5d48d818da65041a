"""`redink merge`: what shards found, written into the gradebook the way every result is, in whatever order they come.

A result of a shard takes the place of a worker's answer; everything before and after that is `grade`. So merging twice is
grading twice: nothing is new the second time.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

from redink.errors import CourseError
from redink.grader.answer_key.keep import answer_key
from redink.grader.answer_key.key import AnswerKey, encode_key
from redink.grader.course import Course
from redink.grader.digests import digest
from redink.grader.grade import grade_all
from redink.grader.grading import Groups, Handed
from redink.grader.pipeline.collect import Found, collected_before
from redink.grader.pipeline.job import Done, Job
from redink.grader.pipeline.load import load
from redink.grader.pipeline.report import Outcome, Report, report
from redink.grader.rules.reading import read_course
from redink.grader.sharding.bonds import pseudonym, sealing_secret
from redink.grader.sharding.shard_file import ResultPlace, Shard, ShardHead, read_result, read_shard, saying
from redink.grader.store.gradebook import Gradebook
from redink.grader.workers.workers import workers_for
from redink.records import Result, SubmissionId
from redink.texts import clean

_NAMED = 5
_RANK = {"graded": 0, "ungradable": 0, "internal_error": 1}


def merge(course: Course, files: Sequence[Path], *, gradebook: Path | None = None) -> Report:
    """Write what shards of one assignment found into the gradebook; they may come from several packed classes."""
    shards = [_read(course, path) for path in files]
    slug = _one_assignment(shards)
    rules, roster = read_course(course, slug)
    with (
        Gradebook(gradebook or course.gradebook_path(), course.secret_name(), holder=f"redink merge {slug}") as book,
        workers_for(course, slug) as workers,
    ):
        key = answer_key(course, slug, workers.observe)
        _refuse_other_keys(shards, key)
        answers = _Answers(course.secret(), slug, shards)
        found = _to_merge(book, slug, rules.of(slug).counts == "best", answers)
        groups = Groups(book, slug, rules.of(slug).counts)
        outcomes = list(grade_all(key, found, book, answers))
        called = {one.id: one.name for one in (roster.people if roster else ())}
        told = [*answers.told(outcomes), *book.told]
        return groups.told_in(report(outcomes, told, key.spec, names=called))


class _Answers:
    """What shards say, in the place of workers."""

    def __init__(self, secret: bytes, slug: str, shards: Sequence[Shard]) -> None:
        self._secret, self._slug = secret, slug
        self._places: dict[str, list[ResultPlace]] = defaultdict(list)
        for place in (place for shard in shards for place in shard.results.values()):
            self._places[place.pseudonym].append(place)
        self._used: set[str] = set()
        self._missing: list[str] = []

    def grade(self, key: AnswerKey, jobs: Iterable[tuple[Handed, Job]]) -> Iterator[tuple[Handed, Done]]:
        """Answer each job by what a shard says of it; where shards disagree, nobody is believed."""
        for handed, _ in jobs:
            name = handed.submission.name
            who = pseudonym(self._secret, self._slug, name)
            self._used.add(who)
            if who in self._places:
                yield handed, _agreed(self._places[who])
            else:
                self._missing.append(name.id)

    def have(self, name: SubmissionId) -> bool:
        """Tell whether they say anything of a submission."""
        return pseudonym(self._secret, self._slug, name) in self._places

    def told(self, outcomes: Iterable[Outcome]) -> Iterator[str]:
        """Say what could not be merged: results of nobody, those whom no shard has, and other grades than are known."""
        for outcome in outcomes:
            if outcome.reused:
                yield from self._other_than_known(outcome.result)
        if foreign := len(set(self._places) - self._used):
            yield f"{foreign} results belong to nobody who handed in, by this gradebook: nothing was written for them"
        if self._missing:
            more = len(self._missing) - _NAMED
            names = ", ".join(clean(one) for one in self._missing[:_NAMED]) + (f" and {more} more" if more > 0 else "")
            yield f"without a result in these files: {names}; merge the other shards too, or grade them here"

    def _other_than_known(self, known: Result) -> Iterator[str]:
        who = pseudonym(self._secret, self._slug, known.submission)
        self._used.add(who)
        ours = saying(known.state, known.score, msgspec.msgpack.encode(known.questions))
        for place in self._places.get(who, ()):
            if place.score is not None and place.says != ours:
                yield (
                    f"{clean(known.submission.id)} has {known.score:g} points, which stay, and {place.path} says "
                    f"{place.score:g} under the same answer key"
                )


def _agreed(places: Sequence[ResultPlace]) -> Done:
    """Return what all results of a submission say: those without a grade count only where there is no other."""
    best = min(_RANK[one.state] for one in places)
    counting = sorted((one for one in places if _RANK[one.state] == best), key=lambda one: one.digest)
    if best == 0 and len({one.says for one in counting}) > 1:
        told = " and ".join(sorted(f"{one.score:g} points by {one.path.name}" for one in counting))
        return Done(state="internal_error", reason=f"shards disagree ({told}): grade it here, and look at both")
    return read_result(counting[0])


def _to_merge(book: Gradebook, slug: str, every: bool, answers: _Answers) -> list[Found]:
    """List what would be graded now, and earlier attempts that the shards have: somebody handed in again meanwhile."""
    counting = {one.submission for one in collected_before(book, slug, every)}
    attempts = collected_before(book, slug, True)
    return [one for one in attempts if one.submission in counting or answers.have(load(one).name)]


def _read(course: Course, path: Path) -> Shard:
    """Read a shard of this course that is whole."""

    def secret_of(head: ShardHead) -> bytes:
        ours = course.secret_name()
        if head.secret != ours:
            raise CourseError(
                f"{path} was graded under another course secret ({clean(head.secret)}) than this course's ({ours})"
            )
        return sealing_secret(course.secret(), head.job)

    shard = read_shard(path, secret_of)
    if shard.torn or len(shard.results) < shard.head.submissions:
        raise CourseError(
            f"{path} is {'cut off' if shard.torn else 'unfinished'}, with {len(shard.results)} of "
            f"{shard.head.submissions} submissions: copy it again, or grade this share again, which goes on from there"
        )
    return shard


def _one_assignment(shards: Sequence[Shard]) -> str:
    slugs = sorted({shard.head.assignment for shard in shards})
    if len(slugs) != 1:
        raise CourseError(f"these are shards of {clean(', '.join(slugs))}: merge one assignment at a time")
    return slugs[0]


def _refuse_other_keys(shards: Sequence[Shard], key: AnswerKey) -> None:
    ours = digest(encode_key(key))
    for shard in shards:
        if shard.head.answer_key != ours:
            raise CourseError(
                f"{shard.path} was graded by another version of {key.slug} than this course has now: pack and grade it again"
            )
