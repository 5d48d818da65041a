"""Small classic point sets, most of them in the plane."""

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Labels = NDArray[np.int64]


def xor() -> tuple[Floats, Labels]:
    """Return the four corners of the unit square; a corner is +1 where exactly one coordinate is 1."""
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    return X, np.array([-1, 1, 1, -1])


def blobs(rng: Generator, n: int, centres: ArrayLike, spread: float = 1.0) -> tuple[Floats, Labels]:
    """Draw n examples around the given centres (k×d), label = the centre's number, classes as equal as n allows."""
    places = np.asarray(centres, dtype=np.float64)
    labels = rng.permutation(np.resize(np.arange(len(places)), n))
    return places[labels] + spread * rng.normal(size=(n, places.shape[1])), labels


def circle(rng: Generator, n: int, radius: float = 1.0, gap: float = 0.1) -> tuple[Floats, Labels]:
    """Draw n points of the plane around 0: −1 inside the circle, +1 outside, none closer than `gap` to it."""
    y = rng.permutation(np.resize(np.array([1, -1]), n))
    inside = (radius - gap) * np.sqrt(rng.random(n))
    outside = radius + gap + radius * rng.random(n)
    angle = 2 * np.pi * rng.random(n)
    distance = np.where(y > 0, outside, inside)
    return distance[:, None] * np.column_stack([np.cos(angle), np.sin(angle)]), y
