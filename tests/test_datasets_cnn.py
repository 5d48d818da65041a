"""Wandering digits are real digits, at the places that are told, and nothing else is in the picture."""

import numpy as np
import pytest

from redink_datasets import digits, wandering


def test_each_picture_holds_its_digit_at_its_place_and_nothing_else():
    pictures, labels, places = wandering(np.random.default_rng(1), 300, side=13)
    images, written = digits()
    assert pictures.shape == (300, 13, 13)
    for picture, label, (row, column) in zip(pictures, labels, places, strict=True):
        patch = picture[row : row + 8, column : column + 8]
        same = (images == patch).all(axis=(1, 2))
        assert label in written[same]
        assert picture.sum() == pytest.approx(patch.sum())


def test_no_digit_comes_twice_and_every_place_is_used():
    _, labels, places = wandering(np.random.default_rng(2), 1797, side=10)
    assert sorted(labels.tolist()) == sorted(digits()[1].tolist())
    counts = np.bincount(3 * places[:, 0] + places[:, 1], minlength=9)
    assert counts.shape == (9,)
    assert abs(counts - 1797 / 9).max() < 6 * np.sqrt(1797 / 9)


def test_the_same_generator_gives_the_same_pictures():
    one, other = (wandering(np.random.default_rng(3), 20) for _ in range(2))
    assert all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize(("n", "side"), [(1798, 12), (5, 7)])
def test_too_much_is_refused(n, side):
    with pytest.raises(ValueError, match="too much"):
        wandering(np.random.default_rng(0), n, side)
