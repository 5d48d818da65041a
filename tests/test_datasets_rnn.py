"""A Markov source keeps its promises: what it says about its sequences is true of them."""

import itertools

import numpy as np
import pytest

from redink_datasets import Chain, markov

SHAPES = [(0, 4), (1, 3), (2, 3), (3, 2)]


@pytest.fixture(params=SHAPES, ids=lambda shape: f"order {shape[0]}, {shape[1]} tokens")
def chain(request) -> Chain:
    order, vocabulary = request.param
    return markov(np.random.default_rng(order), order, vocabulary)


def every_sequence(chain: Chain, length: int) -> np.ndarray:
    return np.array(list(itertools.product(range(chain.vocabulary), repeat=length)))


@pytest.mark.parametrize("length", [1, 2, 3, 5])
def test_the_probabilities_of_all_sequences_sum_to_one(chain, length):
    likelihood = chain.log_likelihood(every_sequence(chain, length))
    assert np.exp(likelihood.sum(axis=1)).sum() == pytest.approx(1, abs=1e-12)


def test_after_a_whole_context_the_truth_is_the_table(chain):
    tokens = chain.sample(np.random.default_rng(1), 20, 9)
    found = chain.log_likelihood(tokens)
    for row, place in itertools.product(range(20), range(chain.order, 9)):
        number = 0
        for token in tokens[row, place - chain.order : place]:
            number = number * chain.vocabulary + token
        assert found[row, place] == pytest.approx(np.log(chain.table[number, tokens[row, place]]), abs=1e-12)


def test_the_stationary_distribution_stays(chain):
    joint = chain.stationary[:, None] * chain.table  # contexts × next tokens
    after = joint.reshape(-1, len(chain.table)).sum(axis=0) if chain.order else np.ones(1)
    assert after == pytest.approx(chain.stationary, abs=1e-12)
    assert chain.stationary.sum() == pytest.approx(1, abs=1e-12)


def test_the_entropy_rate_is_the_expected_loss_of_the_truth(chain):
    length = chain.order + 2
    likelihood = chain.log_likelihood(every_sequence(chain, length))
    assert -(np.exp(likelihood.sum(axis=1)) @ likelihood[:, -1]) == pytest.approx(chain.entropy_rate(), abs=1e-12)


def test_samples_are_drawn_from_the_source(chain):
    n, length = 40_000, chain.order + 1
    tokens = chain.sample(np.random.default_rng(2), n, length)
    cells = every_sequence(chain, length)
    truth = np.exp(chain.log_likelihood(cells).sum(axis=1))
    counts = (tokens[:, None] == cells).all(axis=2).sum(axis=0)
    assert tokens.shape == (n, length)
    assert np.abs(counts - n * truth).max() < 6 * np.sqrt(n / 4)
    assert ((counts - n * truth) ** 2 / (n * truth)).sum() < 3 * len(cells) + 40


def test_a_uniform_table_has_the_entropy_of_a_die():
    assert Chain(1, np.full((6, 6), 1 / 6)).entropy_rate() == pytest.approx(np.log(6))


def test_a_source_that_repeats_itself_has_no_entropy():
    turn = Chain(1, np.roll(np.eye(4), 1, axis=1))
    tokens = turn.sample(np.random.default_rng(3), 5, 7)
    assert turn.entropy_rate() == 0
    assert (np.diff(tokens, axis=1) % 4 == 1).all()
    assert turn.log_likelihood(tokens)[:, 1:] == pytest.approx(0)


@pytest.mark.parametrize("table", [np.full((2, 3), 1 / 3), np.full((3, 3), 0.5), np.array([[1.5, -0.5], [0.5, 0.5]])])
def test_what_is_no_table_of_probabilities_is_refused(table):
    with pytest.raises(ValueError, match=r"rows|probabilities"):
        Chain(1, table)


def test_a_concentration_makes_a_source_peaked_or_flat():
    peaked, flat = (markov(np.random.default_rng(4), 1, 5, concentration=c).entropy_rate() for c in (0.1, 50.0))
    assert peaked < 1 < flat < np.log(5)
