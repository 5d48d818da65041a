"""The source of the transformer assignment: what it promises about pairs, exactly and on draws."""

from __future__ import annotations

import numpy as np
import pytest

from redink_datasets import latin

SEEDS = range(8)


@pytest.mark.parametrize("seed", SEEDS)
def test_one_token_alone_says_nothing(seed):
    table = latin(np.random.default_rng(seed)).table.reshape(4, 4, 4)
    assert np.allclose(table.mean(axis=0), 0.25)
    assert np.allclose(table.mean(axis=1), 0.25)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_pairs_are_uniform_and_the_entropy_is_that_of_a_row(seed):
    p = np.array([0.5, 0.3, 0.2])
    chain = latin(np.random.default_rng(seed), p)
    assert np.allclose(chain.stationary, 1 / 9)
    assert np.isclose(chain.entropy_rate(), -(p @ np.log(p)))


def test_sources_differ_and_the_same_seed_gives_the_same():
    one, same, other = (latin(np.random.default_rng(seed)).table for seed in (1, 1, 2))
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)


def test_a_long_draw_costs_what_the_entropy_says():
    rng = np.random.default_rng(0)
    chain = latin(rng)
    costs = -chain.log_likelihood(chain.sample(rng, 4000, 12))[:, 2:]
    error = costs.std() / np.sqrt(costs.size)
    assert abs(costs.mean() - chain.entropy_rate()) < 6 * error
