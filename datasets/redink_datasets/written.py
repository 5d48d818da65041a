"""Real handwriting: 1,797 digits of 8×8 pixels, kept in this package."""

from __future__ import annotations

from importlib.resources import files

import numpy as np


def digits() -> tuple[np.ndarray, np.ndarray]:
    """Return the images, 1797×8×8 with ink from 0 to 1, and what was written, 0 to 9.

    They come in the order in which they were collected, writer after writer: shuffle before you split.

    Source: E. Alpaydin and C. Kaynak, Optical Recognition of Handwritten Digits, UCI Machine Learning Repository (1998),
    licensed CC BY 4.0; the test set, as distributed with scikit-learn.
    """
    with files("redink_datasets").joinpath("digits.npz").open("rb") as file, np.load(file) as stored:
        return stored["images"] / 16.0, stored["labels"].astype(np.int64)
