"""Fixed seeds: every random source gives the same numbers in every run.

Seeded generators are left as they are. Unseeded ones (`default_rng()`, `random.Random()`, `os.urandom`,
`torch.seed()`) draw their seeds here from a counter, so two of them differ and two runs agree.
"""

from __future__ import annotations

import hashlib
import os
import random
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from redink.calling import SEED

_drawn = 0
_seed_numpy: Callable[[int], None] = np.random.seed
_seed_python: Callable[..., None] = random.Random.seed


def fix() -> None:
    """Replace the operating system's randomness; done once, in the template."""
    from numpy.random import bit_generator

    bit_generator.randbits = lambda bits: int.from_bytes(_bytes((bits + 7) // 8), "little") >> (-bits % 8)  # type: ignore[attr-defined]
    os.urandom = _bytes
    random._urandom = _bytes  # type: ignore[attr-defined]
    random.Random.seed = _seed  # type: ignore[method-assign]


def fix_torch(torch: Any) -> None:
    """Make `torch.seed()` draw from the counter."""
    torch.seed = torch.random.seed = lambda: torch.manual_seed(_number()).initial_seed()


def reseed() -> None:
    """Start all global generators, and the counter, from the fixed number."""
    global _drawn
    _drawn = 0
    _seed_python(random._inst, SEED)
    _seed_numpy(SEED)
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.default_generator.manual_seed(SEED)  # torch.manual_seed asks every kind of device, for a millisecond


@contextmanager
def aside() -> Iterator[None]:
    """Start from the fixed number in a block, and go on behind it as if nothing had been drawn there."""
    global _drawn
    torch = sys.modules.get("torch")
    drawn, python, numpys = _drawn, random.getstate(), np.random.get_state()
    torchs = None if torch is None else torch.default_generator.get_state()
    reseed()
    try:
        yield
    finally:
        _drawn = drawn
        random.setstate(python)
        np.random.set_state(numpys)
        if torch is not None and torchs is not None:
            torch.default_generator.set_state(torchs)


def _seed(self: random.Random, a: Any = None, version: int = 2) -> None:
    _seed_python(self, _number() if a is None else a, version)


def _number() -> int:
    return int.from_bytes(_bytes(6), "little")


def _bytes(count: int, /) -> bytes:
    global _drawn
    _drawn += 1
    return hashlib.shake_128(b"%d %d" % (SEED, _drawn)).digest(count)
