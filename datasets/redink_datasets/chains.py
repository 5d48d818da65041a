"""Sequences from a Markov source whose truth is known: its entropy rate, and the probability of every token it produces.

A source of order k draws each token given the k before it. It is stationary: the first tokens of a sequence
come from the stationary distribution, so every place of a sequence is distributed like every other.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Tokens = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Chain:
    """A Markov source of the given order over the tokens 0 … V−1.

    table: V^order × V, one row of probabilities for each context. The row of a context is its number in base V, the
    oldest token first: of order 2, the tokens a, b are followed by c with probability table[a·V + b, c].
    """

    order: int
    table: Floats

    def __post_init__(self) -> None:
        if self.table.ndim != 2 or len(self.table) != self.vocabulary**self.order:
            raise ValueError(f"a chain of order {self.order} over {self.vocabulary} tokens has V^order rows")
        if (self.table < 0).any() or not np.allclose(self.table.sum(axis=1), 1.0, rtol=0, atol=1e-9):
            raise ValueError("each row of the table must hold probabilities that sum to 1")

    @property
    def vocabulary(self) -> int:
        """Return V, the number of different tokens."""
        return int(self.table.shape[1])

    @cached_property
    def stationary(self) -> Floats:
        """Return the long-run probability of every context, in the order of the table's rows."""
        contexts, V = self.table.shape
        moves = np.zeros((contexts, contexts))
        following = (np.arange(contexts)[:, None] * V + np.arange(V)) % contexts
        np.add.at(moves, (np.repeat(np.arange(contexts), V), following.ravel()), self.table.ravel())
        system = np.vstack([moves.T - np.eye(contexts), np.ones(contexts)])
        found = np.linalg.lstsq(system, np.append(np.zeros(contexts), 1.0), rcond=None)[0]
        found = np.clip(found, 0.0, None)
        return np.asarray(found / found.sum())

    def entropy_rate(self) -> float:
        """Return the mean of −log p of the next token, in nats: no predictor does better on average."""
        safe = np.where(self.table > 0, self.table, 1.0)
        return float(-self.stationary @ (self.table * np.log(safe)).sum(axis=1))

    def sample(self, rng: Generator, n: int, length: int) -> Tokens:
        """Draw n independent sequences, n×length tokens."""
        V, contexts = self.vocabulary, len(self.table)
        context = rng.choice(contexts, size=n, p=self.stationary)
        drawn = np.empty((n, self.order + length), dtype=np.int64)
        for place in range(self.order):
            drawn[:, place] = context // V ** (self.order - 1 - place) % V
        steps = np.cumsum(self.table, axis=1)
        steps[:, -1] = 1.0
        for place in range(self.order, self.order + length):
            drawn[:, place] = (rng.random(n)[:, None] >= steps[context]).sum(axis=1)
            context = (context * V + drawn[:, place]) % contexts
        return drawn[:, :length]

    def log_likelihood(self, tokens: ArrayLike) -> Floats:
        """Return log p of each token given all tokens before it in its row: n×length for n×length tokens.

        The first tokens have less than a whole context before them; there, the stationary source is the truth.
        """
        rows = np.asarray(tokens, dtype=np.int64)
        V, contexts = self.vocabulary, len(self.table)
        found = np.empty(rows.shape)
        context = np.zeros(len(rows), dtype=np.int64)
        before = np.ones(len(rows))
        with np.errstate(divide="ignore", invalid="ignore"):
            for place in range(rows.shape[1]):
                token = rows[:, place]
                if place < self.order:
                    context = context * V + token
                    so_far = self.stationary.reshape(V ** (place + 1), -1).sum(axis=1)[context]
                    found[:, place], before = np.log(so_far / before), so_far
                else:
                    found[:, place] = np.log(self.table[context, token])
                    context = (context * V + token) % contexts
        return found


def markov(rng: Generator, order: int, vocabulary: int, concentration: float = 0.5) -> Chain:
    """Draw a Markov source: each row of its table from a symmetric Dirichlet distribution.

    A small concentration makes rows peaked and the source easy to predict; a large one makes it nearly uniform.
    """
    rows = rng.dirichlet(np.full(vocabulary, concentration), size=vocabulary**order)
    rows = np.maximum(rows, 1e-3)  # every token stays possible, so every log-likelihood is finite
    return Chain(order, rows / rows.sum(axis=1, keepdims=True))
