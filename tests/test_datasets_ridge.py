"""The data of ridge keep their promises: rank, spectrum, truth and noise are what was asked for."""

import numpy as np
import pytest

from redink_datasets import low_rank, regression, spectral


@pytest.mark.parametrize("seed", range(20))
def test_the_centred_matrix_has_the_asked_spectrum(seed):
    s = np.array([7.0, 2.0, 0.5])
    X, V = spectral(np.random.default_rng(seed), 9, s)
    centred = X - X.mean(axis=0)
    assert np.linalg.svd(centred, compute_uv=False) == pytest.approx(s, abs=1e-10)
    assert np.linalg.norm(centred @ V, axis=0) == pytest.approx(s, abs=1e-10)
    assert np.abs(X.mean(axis=0)).max() > 0


def test_a_spectrum_needs_more_examples_than_values():
    with pytest.raises(ValueError, match="larger than the number of singular values"):
        spectral(np.random.default_rng(0), 3, np.ones(3))


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize(("n", "d", "rank"), [(4, 3, 2), (5, 9, 4), (12, 5, 3)])
def test_the_rank_is_exactly_what_is_asked_centred_or_not(seed, n, d, rank):
    X = low_rank(np.random.default_rng(seed), n, d, rank)
    assert X.shape == (n, d)
    assert (X % 1 == 0).all()
    assert np.linalg.matrix_rank(X) == rank
    assert np.linalg.matrix_rank(X - X.mean(axis=0)) == rank


def test_an_impossible_rank_is_refused():
    with pytest.raises(ValueError, match="at most 3"):
        low_rank(np.random.default_rng(0), 4, 5, 4)


def test_the_targets_are_the_truth_plus_noise_of_the_asked_size():
    data = regression(np.random.default_rng(1), 20_000, 3, sigma=0.7)
    noise = data.y - data.X @ data.w - data.b
    assert noise.std() == pytest.approx(0.7, rel=0.05)
    assert np.abs(data.X.mean(axis=0)).min() > 0.5
