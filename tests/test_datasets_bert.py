"""The hopping chain is what it says: its hops have the chances that were asked for, and every word is as frequent."""

from __future__ import annotations

import math

import numpy as np
import pytest

from redink_datasets import hopping


@pytest.mark.parametrize("words", [4, 7, 12])
def test_every_word_is_followed_by_one_near_and_one_far_word(words):
    chain = hopping(np.random.default_rng(words), words, one=0.5, two=0.3)
    rest = 0.2 / (words - 2)
    for row in chain.table:
        np.testing.assert_allclose(np.sort(row), np.sort([0.5, 0.3] + (words - 2) * [rest]), atol=1e-12)


def test_two_near_hops_lead_where_one_far_hop_does():
    table = hopping(np.random.default_rng(0), 9).table
    near, far = table.argmax(axis=1), (table == 0.3).argmax(axis=1)
    assert (near[near] == far).all()
    assert sorted(near) == list(range(9))  # one circle, and each word once on it


def test_every_word_is_equally_frequent():
    chain = hopping(np.random.default_rng(1), 7)
    np.testing.assert_allclose(chain.stationary, np.full(7, 1 / 7), atol=1e-9)
    ids = chain.sample(np.random.default_rng(2), 20_000, 5)
    assert np.abs(np.bincount(ids.ravel(), minlength=7) / ids.size - 1 / 7).max() < 0.01


def test_the_order_on_the_circle_is_drawn():
    assert not np.array_equal(hopping(np.random.default_rng(3), 8).table, hopping(np.random.default_rng(4), 8).table)


def test_both_neighbours_say_more_than_one():
    chain = hopping(np.random.default_rng(5), 7)
    twice = chain.table @ chain.table
    two_steps = -float((twice[0] * np.log(twice[0])).sum())
    one_sided = chain.entropy_rate()
    assert 2 * one_sided - two_steps < 0.7 * one_sided < 0.7 * math.log(7)
