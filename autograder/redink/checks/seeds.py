"""Where the numbers come from: published seeds for students, secret ones for grades.

A secret seed is derived from the course secret and never leaves the grader: with it, a public `given` would make the
hidden inputs again.
"""

from __future__ import annotations

import hashlib
import hmac

import numpy as np

PUBLISHED = b"redink: published seeds"


def seed(key: bytes, assignment: str, check: str, trial: int) -> int:
    """Derive the seed of one trial of one check."""
    text = f"{assignment}\0{check}\0{trial}".encode()
    return int.from_bytes(hmac.digest(key, text, hashlib.sha256)[:8], "little")


def generator(key: bytes, assignment: str, check: str, trial: int) -> np.random.Generator:
    """Make the random generator that a `given` draws from."""
    return np.random.default_rng(seed(key, assignment, check, trial))
