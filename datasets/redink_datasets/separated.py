"""Two classes with a hyperplane between them, and its margin.

Everything here is about the augmented vectors x̃ = [1, x] and a unit vector u: the margin is the smallest of the
signed distances y·(u·x̃), and the radius is the largest ‖x̃‖.
"""

from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Labels = NDArray[np.int64]


class Separated(NamedTuple):
    """Examples X (n×d), labels y in {−1, +1}, a unit separator u (d+1, constant first) and its margin."""

    X: Floats
    y: Labels
    u: Floats
    gamma: float


def separable(rng: Generator, n: int, d: int, gamma: float = 0.1, reach: float = 1.0) -> Separated:
    """Draw examples on both sides of a random plane: the nearest at distance `gamma`, the others up to `reach` beyond.

    A Gaussian cloud is drawn first; then each example is moved along the normal until its distance is the wanted one.
    """
    u = _unit(np.append(rng.uniform(-0.5, 0.5), _unit(rng.normal(size=d))))
    y = _both_labels(rng, n)
    distances = gamma + reach * rng.random(n)
    distances[rng.integers(n)] = gamma
    X = rng.normal(size=(n, d))
    X += np.outer(y * distances - _augmented(X) @ u, u[1:]) / (u[1:] @ u[1:])
    return Separated(X, y, u, gamma)


def lattice(rng: Generator, n: int, d: int, reach: int = 5) -> Separated:
    """Draw examples with whole coordinates in −reach…reach, labelled by a random plane that touches none of them.

    Sums of whole numbers have no rounding, so two right programs agree on them to the last bit.
    """
    normal = rng.choice([-1, 1], size=d + 1) * np.append(1, rng.integers(1, 4, size=d))
    drawn = rng.integers(-reach, reach + 1, size=(60 * n, d)).astype(float)
    scores = _augmented(drawn) @ normal
    chosen = np.concatenate([np.flatnonzero(scores > 0)[: n // 2], np.flatnonzero(scores < 0)[: n - n // 2]])
    chosen = rng.permutation(chosen)
    y = np.sign(scores[chosen]).astype(np.int64)
    length = float(np.linalg.norm(normal))
    return Separated(drawn[chosen], y, normal / length, float(np.abs(scores[chosen]).min() / length))


def tight(rng: Generator, n: int) -> Separated:
    """Make n examples (a power of two) in n−1 dimensions that cost a perceptron exactly n = (R/γ)² mistakes.

    The augmented vectors are the rows of a Hadamard matrix: mutually orthogonal, all of length √n. What is learnt from
    one of them says nothing about another, so each must be got wrong once. Any labels will do; the margin is 1.
    """
    if n < 2 or n & (n - 1):
        raise ValueError(f"n must be a power of two, at least 2; got {n}")
    rows = np.ones((1, 1))
    while len(rows) < n:
        rows = np.block([[rows, rows], [rows, -rows]])
    rows = rng.permutation(rows)
    y = _both_labels(rng, n)
    return Separated(rows[:, 1:].copy(), y, y @ rows / n, 1.0)


def _augmented(X: Floats) -> Floats:
    return np.insert(X, 0, 1.0, axis=1)


def _unit(vector: Floats) -> Floats:
    return np.asarray(vector / np.linalg.norm(vector))


def _both_labels(rng: Generator, n: int) -> Labels:
    """Return as many −1 as +1, or one more +1, in random order."""
    return rng.permutation(np.resize(np.array([1, -1], dtype=np.int64), n))
