"""Clouds whose mean, axes and variances are exactly the ones that are asked for."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


class Ellipsoid(NamedTuple):
    """Examples in rows, and the truth about them: mean, axes in columns, and the variance along each axis."""

    X: Floats
    mean: Floats
    axes: Floats
    variances: Floats


def ellipsoid(rng: Generator, n: int, variances: ArrayLike, reach: float = 1.0) -> Ellipsoid:
    """Draw n examples that have exactly these variances (with 1/n) along random axes, around a random mean.

    The truth is that of the examples themselves, not only of the source they come from. `reach` is how far the mean
    is from 0. There must be more examples than dimensions.
    """
    spread = np.asarray(variances, dtype=np.float64)
    d = len(spread)
    if n <= d:
        raise ValueError(
            f"{n} examples cannot have {d} variances of their own: more examples than dimensions are needed"
        )
    cloud = rng.normal(size=(n, d))
    white = np.linalg.qr(cloud - cloud.mean(axis=0))[0] * np.sqrt(n)
    axes = np.linalg.qr(rng.normal(size=(d, d)))[0]
    mean = rng.normal(size=d)
    mean *= reach / np.linalg.norm(mean)
    return Ellipsoid(mean + (white * np.sqrt(spread)) @ axes.T, mean, axes, spread)
