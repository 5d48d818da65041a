"""Real digits at random places of a larger, empty picture: the place is known, and says nothing about the digit."""

from __future__ import annotations

import numpy as np

from redink_datasets.written import digits


def wandering(rng: np.random.Generator, n: int, side: int = 12) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw n different digits, each somewhere in its own picture of side×side pixels.

    Returns the pictures, n×side×side with ink from 0 to 1; what was written, 0 to 9; and the row and column of the
    upper left corner of each digit's 8×8 square, n×2. All places are equally likely, whatever the digit.
    """
    images, labels = digits()
    room = side - images.shape[1]
    if n > len(images) or room < 0:
        raise ValueError(f"there are {len(images)} digits of {images.shape[1]} pixels: n={n}, side={side} is too much")
    chosen = rng.permutation(len(images))[:n]
    places = rng.integers(0, room + 1, size=(n, 2))
    pictures = np.zeros((n, side, side))
    for picture, image, (row, column) in zip(pictures, images[chosen], places, strict=True):
        picture[row : row + len(image), column : column + len(image)] = image
    return pictures, labels[chosen], places
