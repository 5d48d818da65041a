"""What ties a packed class and its shards to a course, and to nobody's name: pseudonyms, and the seal of a shard.

Both come from the course secret. A pseudonym stands for a student and what was handed in. A seal can be set only by
whoever could open the packed class: a result that anybody else wrote is not merged.
"""

from __future__ import annotations

import hashlib
import hmac

from redink.errors import CourseError
from redink.grader.digests import digest, versions
from redink.records import SubmissionId

SEAL_BYTES = hashlib.sha256().digest_size


def pseudonym(secret: bytes, slug: str, name: SubmissionId) -> str:
    """Return what a submission is called outside the course."""
    return hmac.digest(secret, b"redink: pseudonym" + digest(slug, name.id, name.sha256).encode(), "sha256").hex()[:32]


def sealing_secret(secret: bytes, job: str) -> bytes:
    """Return the secret with which the shards of a packed class are sealed."""
    return hmac.digest(secret, b"redink: shards of" + job.encode(), "sha256")


def seal(by: bytes, head: bytes, content: bytes) -> bytes:
    """Seal a part of a shard, under the head that it stands below."""
    return hmac.digest(by, digest(head, content).encode(), "sha256")


def is_sealed(by: bytes, head: bytes, content: bytes, found: bytes) -> bool:
    """Tell whether a part of a shard was sealed with this secret."""
    return hmac.compare_digest(seal(by, head, content), found)


def refuse_other_versions(where: str, made_under: str) -> None:
    """Raise unless a file was made by what grades here: results under other libraries would pass for ours."""
    if made_under != versions():
        raise CourseError(
            f"{where} was made by {made_under}, and here is {versions()}: install the same on all machines"
        )
