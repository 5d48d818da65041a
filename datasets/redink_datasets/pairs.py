"""A Markov source of order 2 in which either of the last two tokens alone says nothing about the next."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.random import Generator

from redink_datasets.chains import Chain


def latin(rng: Generator, probabilities: Sequence[float] = (0.7, 0.2, 0.07, 0.03)) -> Chain:
    """Draw a source of order 2 in which only the pair of the last two tokens says anything about the next.

    Every row of its table holds the same `probabilities`, turned round by an entry of a random Latin square. So the
    entropy rate is the entropy of `probabilities`, and whoever knows only one of the two tokens, or none, is left with
    log V: both marginal tables are uniform.
    """
    V = len(probabilities)
    first, second, turns = (rng.permutation(V) for _ in range(3))
    square = turns[(first[:, None] + second[None, :]) % V]
    return Chain(2, np.array([np.roll(probabilities, turn) for turn in square.ravel()], dtype=np.float64))
