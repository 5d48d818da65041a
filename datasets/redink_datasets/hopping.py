"""Sentences whose truth is known from both sides: words on a circle, each a short hop after the one before."""

import numpy as np
from numpy.random import Generator

from redink_datasets.chains import Chain


def hopping(rng: Generator, words: int, one: float = 0.55, two: float = 0.3) -> Chain:
    """Put `words` words (at least 4) on a circle in random order; table[a, b] of the chain is the chance of b after a.

    The next word is one step on with probability `one`, two steps on with probability `two`, and otherwise any of the
    rest, the word itself among them, with equal chances. A hop's chance depends on its width alone, so in the long run
    every word is equally frequent.
    """
    hops = np.full(words, (1 - one - two) / (words - 2))
    hops[1], hops[2] = one, two
    place = rng.permutation(words)
    return Chain(1, hops[(place[None, :] - place[:, None]) % words])
