"""The ellipsoid keeps its promise: the truth it tells is that of its own examples."""

import numpy as np
import pytest

from redink_datasets import ellipsoid


@pytest.mark.parametrize("seed", range(10))
def test_the_examples_have_exactly_the_promised_mean_axes_and_variances(seed):
    variances = [4.0, 0.0, 1.5, 0.3]
    data = ellipsoid(np.random.default_rng(seed), 9, variances, reach=3.0)
    centred = data.X - data.X.mean(axis=0)
    assert data.X.shape == (9, 4)
    assert np.linalg.norm(data.mean) == pytest.approx(3.0)
    np.testing.assert_allclose(data.X.mean(axis=0), data.mean, atol=1e-12)
    np.testing.assert_allclose(data.axes.T @ data.axes, np.eye(4), atol=1e-12)
    np.testing.assert_allclose(data.axes.T @ (centred.T @ centred / 9) @ data.axes, np.diag(variances), atol=1e-12)


def test_it_refuses_fewer_examples_than_dimensions():
    with pytest.raises(ValueError, match="more examples than dimensions"):
        ellipsoid(np.random.default_rng(0), 3, [1.0, 2.0, 3.0])
