"""What the gradebook holds of a submission, for judging it again without running it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from redink.grader.answer_key.key import AnswerKey
from redink.grader.digests import digest
from redink.grader.evidence.keys import borrowed_key, observation_keys
from redink.grader.evidence.old_observations import old_contents
from redink.grader.evidence.packing import decode_sources
from redink.grader.store.gradebook import Gradebook, Stored, StoredRun
from redink.notebook import cells_to_run


class StoredEvidence(NamedTuple):
    """What the gradebook holds of a submission, as a judge needs it."""

    run: StoredRun
    digests: dict[str, str]  # of what each check saw
    content: Callable[[str], bytes]  # reads what one check saw
    older: bool  # some of it was observed under older code or libraries
    unseen: tuple[str, ...]  # questions of which something has not been seen under the present inputs and calls


def find_evidence(book: Gradebook, key: AnswerKey, submission: int) -> StoredEvidence | None:
    """Find what was seen of a submission under the present inputs and calls; None if it never ran."""
    run = book.last_run(submission)
    if run is None:
        return None
    keys = observation_keys(key, cells_to_run(decode_sources(run.sources), key.explorations))
    stored: dict[str, Stored] = {}
    for one in book.stored(submission):
        if (keys.get(one.check) or borrowed_key(key, keys, one.check)) == one.key:
            stored.setdefault(one.check, one)
    old = {} if keys.keys() <= stored.keys() else old_contents(book, key, submission, keys.keys() - stored.keys())
    digests = {check: one.digest for check, one in stored.items()} | {check: digest(old[check]) for check in old}

    def content(check: str) -> bytes:
        return book.content(stored[check].run, check) if check in stored else old[check]

    older = bool(old) or any(one.stamp != key.stamp for one in stored.values())
    unseen = dict.fromkeys(part.question for part in key.parts if part.check not in digests)
    return StoredEvidence(run, digests, content, older, tuple(unseen))
