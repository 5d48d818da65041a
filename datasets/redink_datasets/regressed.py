"""Linear regression with a known truth: the weights, the noise, the spectrum or the rank are what was asked for."""

from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Regression(NamedTuple):
    """Examples X (n×d) and targets y = Xw + b + σε with ε standard normal, and the truth behind them."""

    X: Floats
    y: Floats
    w: Floats
    b: float
    sigma: float


def regression(rng: Generator, n: int, d: int, sigma: float = 0.5) -> Regression:
    """Draw noisy linear data whose columns have different means and scales, so that nothing is centred by chance."""
    X = rng.normal(size=(n, d)) * rng.uniform(0.8, 1.6, size=d) + rng.uniform(1, 3, size=d) * rng.choice(
        [-1, 1], size=d
    )
    w = rng.uniform(0.5, 2, size=d) * rng.choice([-1, 1], size=d)
    b = float(rng.uniform(2, 5) * rng.choice([-1, 1]))
    return Regression(X, X @ w + b + sigma * rng.normal(size=n), w, b, sigma)


def spectral(rng: Generator, n: int, s: Floats) -> tuple[Floats, Floats]:
    """Make X (n×d, n > d) whose *centred* form has exactly the singular values s; return X and the directions V (d×d).

    X = 1·mᵀ + U diag(s) Vᵀ with the columns of U orthonormal and at right angles to 1. Column j of V belongs to s[j].
    """
    d = len(s)
    if n <= d:
        raise ValueError(f"n must be larger than the number of singular values; got n = {n} for {d}")
    U = np.linalg.qr(np.column_stack([np.ones(n), rng.normal(size=(n, d))]))[0][:, 1:]
    V = np.linalg.qr(rng.normal(size=(d, d)))[0]
    return rng.uniform(-2, 2, size=d) + (U * s) @ V.T, np.asarray(V)


def low_rank(rng: Generator, n: int, d: int, rank: int) -> Floats:
    """Draw an n×d matrix of whole numbers that has exactly this rank, and keeps it when its columns are centred.

    It is a product of an n×rank and a rank×d matrix; both are redrawn until they are well away from losing rank.
    """
    if not 0 < rank <= min(n - 1, d):
        raise ValueError(f"the rank must be at least 1 and at most {min(n - 1, d)}; got {rank}")
    while True:
        left, right = rng.integers(-3, 4, size=(n, rank)), rng.integers(-3, 4, size=(rank, d))
        centred = left - left.mean(axis=0)
        if min(np.linalg.svd(part, compute_uv=False).min() for part in (centred, right)) > 0.5:
            return (left @ right).astype(float)
