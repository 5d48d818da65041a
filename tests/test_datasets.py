"""The data keep their promises: what a generator says about its data is true of them."""

import itertools

import numpy as np
import pytest

import redink_datasets
from redink_datasets import Separated, blobs, circle, lattice, separable, tight, xor


def distances(data: Separated) -> np.ndarray:
    return data.y * (np.column_stack([np.ones(len(data.X)), data.X]) @ data.u)


def radius(data: Separated) -> float:
    return float(np.sqrt(1 + (data.X**2).sum(axis=1)).max())


@pytest.mark.parametrize(
    "make", [lambda r: separable(r, 31, 4, gamma=0.07), lambda r: lattice(r, 31, 4), lambda r: tight(r, 8)]
)
@pytest.mark.parametrize("seed", range(20))
def test_the_margin_is_exactly_what_is_promised(make, seed):
    data = make(np.random.default_rng(seed))
    assert np.linalg.norm(data.u) == pytest.approx(1, abs=1e-12)
    assert distances(data).min() == pytest.approx(data.gamma, abs=1e-12)
    assert data.gamma > 0


@pytest.mark.parametrize("make", [lambda r, n: separable(r, n, 3), lambda r, n: lattice(r, n, 3)])
@pytest.mark.parametrize("n", [2, 3, 40])
def test_separated_examples_have_the_asked_size_and_both_labels(make, n):
    data = make(np.random.default_rng(n), n)
    assert data.X.shape == (n, 3)
    assert sorted(set(data.y)) == [-1, 1]


def test_separable_examples_reach_no_farther_than_asked():
    data = separable(np.random.default_rng(1), 200, 3, gamma=0.2, reach=0.5)
    assert distances(data).max() <= 0.7 + 1e-12


def test_lattice_examples_are_whole_numbers_within_reach():
    data = lattice(np.random.default_rng(2), 50, 3, reach=4)
    assert (data.X % 1 == 0).all()
    assert np.abs(data.X).max() <= 4


@pytest.mark.parametrize("n", [2, 4, 16])
def test_tight_examples_attain_the_mistake_bound_in_every_order(n):
    data = tight(np.random.default_rng(n), n)
    rows = np.column_stack([np.ones(n), data.X])
    assert (rows @ rows.T == n * np.eye(n)).all()
    assert (radius(data) / data.gamma) ** 2 == pytest.approx(n)
    for order in itertools.islice(itertools.permutations(range(n)), 24):
        w = np.zeros(n)
        for i in order:
            assert w @ rows[i] == 0
            w += data.y[i] * rows[i]
        assert (data.y * (rows @ w) > 0).all()


@pytest.mark.parametrize("n", [0, 1, 3, 12])
def test_tight_refuses_what_is_not_a_power_of_two(n):
    with pytest.raises(ValueError, match="power of two"):
        tight(np.random.default_rng(0), n)


def test_xor_has_no_separator():
    X, y = xor()
    assert [(int(a) ^ int(b)) * 2 - 1 for a, b in X] == y.tolist()
    assert (y @ np.column_stack([np.ones(4), X]) == 0).all()  # a positive combination of y·x̃ vanishes: Gordan's witness


def test_blobs_lie_around_their_centres():
    centres = np.array([[0.0, 0.0, 9.0], [5.0, 5.0, 0.0]])
    X, labels = blobs(np.random.default_rng(3), 400, centres, spread=0.5)
    assert X.shape == (400, 3)
    assert np.bincount(labels).tolist() == [200, 200]
    for k in range(2):
        assert np.abs(X[labels == k].mean(axis=0) - centres[k]).max() < 0.2


def test_circle_points_keep_their_distance_from_the_circle():
    X, y = circle(np.random.default_rng(4), 300, radius=2.0, gap=0.3)
    r = np.linalg.norm(X, axis=1)
    assert r[y < 0].max() <= 1.7
    assert r[y > 0].min() >= 2.3


def test_digits_are_the_known_ones():
    images, labels = redink_datasets.digits()
    assert images.shape == (1797, 8, 8)
    assert (images.min(), images.max()) == (0.0, 1.0)
    assert np.bincount(labels).tolist() == [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]
    means = np.array([images[labels == k].mean(axis=0) for k in range(10)])
    nearest = ((images[:, None] - means) ** 2).sum(axis=(2, 3)).argmin(axis=1)
    assert (nearest == labels).mean() > 0.9  # so the labels belong to these images


def test_the_same_seed_gives_the_same_data():
    one, two = (separable(np.random.default_rng(5), 9, 2) for _ in range(2))
    assert (one.X == two.X).all()
    assert (one.y == two.y).all()


def test_the_public_names_are_sorted_and_there():
    assert redink_datasets.__all__ == sorted(redink_datasets.__all__)
    assert all(hasattr(redink_datasets, name) for name in redink_datasets.__all__)
