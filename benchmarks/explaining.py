"""How many misconceptions are explained by their answers alone: each with its own entry taken out of the bank.

    python benchmarks/explaining.py                  all assignments
    python benchmarks/explaining.py ridge rnn        these

Prints every misconception that gets a sentence, with its own hint (what a teacher who knows it would say) and that
sentence (what is said without knowing it), for a person to read whether it is right; what is said at home is marked where
it is something else. Then a table: how many misconceptions, how many get a sentence in grading and at home, how many the
hint of another misconception, which would be a wrong one; then the relations by name, and the time that looking takes.
"""

from __future__ import annotations

import collections
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from redink.grader.answer_key.keep import answer_key
from redink.grader.answer_key.open_key import OpenKey
from redink.grader.course import Course
from redink.grader.workers.workers import workers_for
from redink.judging.answers import Answer, read_answer
from redink.judging.diagnosing import Asked, diagnose
from redink.judging.explaining import explain
from redink.judging.verdicts import judge
from redink.records import Hint

ROOT = Path(__file__).resolve().parents[1]


class Tried(NamedTuple):
    """What was said about one misconception without its own entry in the bank."""

    question: str
    id: str
    hint: str
    other: str  # the misconception whose hint it gets instead
    graded: Hint | None
    at_home: Hint | None
    seconds: float


def tried(key: OpenKey) -> Iterator[Tried]:
    """Answer as each misconception does, and ask what the others and the explainer say."""
    for one in key.key.misconceptions:
        rows = list(_answers(key, one.question, one.id))
        graded, other, seconds = _told(key, one.question, one.id, [row[:2] for row in rows])
        at_home, _, _ = _told(key, one.question, one.id, [row[:2] for row in rows if row[2]])
        yield Tried(one.question, one.id, one.hint, other, graded, at_home, seconds)


def _answers(key: OpenKey, question: str, misconception: str) -> Iterator[tuple[Asked, Answer, bool]]:
    """Yield every trial of a question with what a misconception answers, and whether it is public and published."""
    for part in key.parts(question):
        wrong = part.wrong.get(misconception)
        for trial, asked, right in zip(part.trials, key.asked(part.check), part.expected, strict=True):
            seen = right if wrong is None else wrong.answers.get(trial.id, right)
            yield asked, read_answer(seen), trial.published and part.visibility == "public"


def _told(
    key: OpenKey, question: str, misconception: str, rows: Sequence[tuple[Asked, Answer]]
) -> tuple[Hint | None, str, float]:
    asked, seen = [one for one, _ in rows], {one.id: answer for one, answer in rows}
    verdicts = {one.id: judge(one.check, answer, one.expected, one.inputs).verdict for one, answer in rows}
    failing = [id for id, verdict in verdicts.items() if verdict != "passed"]
    others = [belief for belief in key.bank(question) if belief.id != misconception]
    match = diagnose(asked, seen, failing, others)
    start = time.process_time()
    hint = explain(asked, seen, failing)
    return (None, match.id, 0.0) if match else (hint, "", time.process_time() - start)


def main() -> None:
    """Print what is said, then the figures."""
    course = Course.find(ROOT)
    table, relations, seconds = [], collections.Counter[str](), []
    for slug in sys.argv[1:] or course.slugs():
        with workers_for(course, slug, jobs=2) as workers:
            key = OpenKey(answer_key(course, slug, workers.observe, accept_older=True))
        found = list(tried(key))
        for one in found:
            if one.graded or one.at_home:
                print(f"{slug}/{one.question}: {one.id}\n    bank: {one.hint}")
                print(f"    said: {one.graded.text if one.graded else '–'}")
            if one.other:
                print(f"{slug}/{one.question}: {one.id} gets the hint of {one.other}")
            if one.graded != one.at_home and one.at_home:
                print(f"    home: {one.at_home.text}")
        relations.update(one.graded.relation.partition(" of `")[0] for one in found if one.graded)
        seconds += [one.seconds for one in found]
        explained, home = sum(bool(one.graded) for one in found), sum(bool(one.at_home) for one in found)
        others = sum(bool(one.other) for one in found)
        table.append(f"{slug:<12} {len(found):>14} {explained:>10} {home:>8} {others:>16}")
    print(f"\n{'assignment':<12} {'misconceptions':>14} {'explained':>10} {'at home':>8} {'hint of another':>16}")
    print(*table, sep="\n")
    print("\nby relation:", *(f"    {count:>3}  {name}" for name, count in relations.most_common()), sep="\n")
    print(f"\nlooking takes {1e3 * sum(seconds) / len(seconds):.1f} ms on average, {1e3 * max(seconds):.0f} ms at most")


if __name__ == "__main__":
    main()
