"""Public checks of the recurrent networks: they find the usual slips, on examples small enough to read."""

from itertools import pairwise

import numpy as np

from redink.checks import Fail, answers_have_form, check
from redink_datasets import markov

SIZES = [(2, 2, 1, 2), (2, 4, 3, 5), (3, 7, 2, 4), (2, 3, 4, 3)]  # N, T, D, H; the last for integers, see `integral`
GATED = [(1, 2, 1, 1), *SIZES[1:]]  # with gates a step of one unit is enough to do by hand


def simple(rng, *shape):
    """Draw numbers that can be read: of one decimal, and none of them 0."""
    return rng.choice([-1.0, 1.0], size=shape) * rng.integers(1, 10, size=shape) / 10


def drawn(rng, trial, *shape):
    """Draw numbers: readable ones in trial 0."""
    return simple(rng, *shape) if trial == 0 else rng.normal(size=shape)


def whole(rng, *shape):
    """Draw integers, by their type too: 1 and −1."""
    return rng.choice([-1, 1], size=shape)


def integral(rng, N, T, D, H, rows):
    """Draw one-hot sequences, and states and weights that are integers, so few and small that no unit saturates."""
    return dict(
        x=np.eye(D, dtype=int)[rng.integers(D, size=(N, T))],
        h0=whole(rng, N, H),
        c0=whole(rng, N, H),
        V=whole(rng, rows, D),
        U=np.eye(H, dtype=int)[rng.integers(H, size=rows)] * whole(rng, rows, 1),
        b=whole(rng, rows),
    )


def elman(rng, trial, sizes=SIZES):
    """Draw sequences and the weights of an Elman network; those of trial 3 are integers."""
    N, T, D, H = sizes[trial]
    if trial == 3:
        made = integral(rng, N, T, D, H, rows=H)
        return dict(x=made["x"], h0=made["h0"], V=made["V"], U=made["U"], c=made["b"])
    return dict(
        x=drawn(rng, trial, N, T, D),
        h0=drawn(rng, trial, N, H),
        V=drawn(rng, trial, H, D),
        U=drawn(rng, trial, H, H) * (1 if trial == 0 else 0.6),
        c=drawn(rng, trial, H),
    )


def lstm(rng, trial, sizes=GATED, blocks=4):
    """Draw sequences and the weights of an LSTM; those of trial 3 are integers."""
    N, T, D, H = sizes[trial]
    if trial == 3:
        return integral(rng, N, T, D, H, rows=blocks * H)
    return dict(
        x=drawn(rng, trial, N, T, D),
        h0=drawn(rng, trial, N, H),
        c0=drawn(rng, trial, N, H),
        V=drawn(rng, trial, blocks * H, D),
        U=drawn(rng, trial, blocks * H, H) * (1 if trial == 0 else 0.6),
        b=drawn(rng, trial, blocks * H),
    )


def prefix_mask(rng, N, T):
    """Draw a mask with sequences of different lengths, the first of them shorter than T, one of length T."""
    lengths = np.array([T - 1, T, *rng.integers(1, T + 1, size=max(0, N - 2))])[:N]
    return np.arange(T) < lengths[:, None]


# -- cell --------------------------------------------------------------------------------------------------------------


@check("cell", trials=4, calls="rnn_cell", tol=1e-5, covers="R172")
def one_step_of_a_batch(rng, trial):
    """rnn_cell gives tanh(V x + U h + c) for every row of the batch."""
    made = elman(rng, trial)
    return dict(x=made["x"][:, 0], h=made["h0"], V=made["V"], U=made["U"], c=made["c"])


@check("cell", trials=4, calls="rnn_forward", tol=1e-5, covers="R171 R172")
def the_state_goes_from_step_to_step(rng, trial):
    """rnn_forward gives the states h₁ … h_T, starting from h0, which is not zero."""
    return elman(rng, trial)


@check("cell", trials=4, calls="token_probabilities", tol=1e-5, covers="R173")
def probabilities_come_from_the_output_scores(rng, trial):
    """token_probabilities gives softmax(W h + b) at every step, over the classes."""
    N, T, H, K = [(1, 2, 2, 2), (2, 3, 4, 5), (3, 5, 2, 4), (3, 2, 3, 3)][trial]
    if trial == 3:
        return dict(h=whole(rng, N, T, H), W=whole(rng, K, H), b=np.arange(K))
    return dict(h=drawn(rng, trial, N, T, H), W=2 * drawn(rng, trial, K, H), b=drawn(rng, trial, K))


def undecided(scores):
    """Tell whether two classes are too close for any rounding, or one class wins everywhere."""
    top = np.sort(scores, axis=-1)
    return (top[..., -1] - top[..., -2]).min() < 1e-3 or len(set(scores.argmax(axis=-1).ravel())) < 2


@check("cell", trials=4, calls="greedy_labels", covers="R174")
def the_largest_score_wins(rng, trial):
    """greedy_labels gives the class with the largest score at every step, the first of them where there are several."""
    N, T, H, K = [(1, 3, 2, 3), (2, 4, 3, 5), (4, 6, 5, 7), (3, 5, 2, 6)][trial]
    if trial == 3:  # of these integers the largest score is always shared, by two classes or more
        W = whole(rng, 3, H)
        return dict(h=whole(rng, N, T, H), W=np.concatenate([W, W]), b=np.zeros(K, dtype=int))
    while True:
        h, W, b = drawn(rng, trial, N, T, H), drawn(rng, trial, K, H), drawn(rng, trial, K)
        if not undecided(h @ W.T + b):
            return dict(h=h, W=W, b=b)


# -- loss --------------------------------------------------------------------------------------------------------------


def predictions(rng, trial, sizes=((2, 2, 2), (3, 4, 5), (4, 7, 3)), scattered=False):
    """Draw scores, targets and a mask; trial 3 has integer scores, trial 4 a padding of no numbers and no classes."""
    N, T, K = [*sizes, (2, 5, 4), (3, 3, 3)][trial]
    logits, mask, targets = 2 * drawn(rng, trial, N, T, K), prefix_mask(rng, N, T), rng.integers(K, size=(N, T))
    if scattered and trial > 2:
        mask[0, 0] = False  # the real tokens need not stand at the front
    if trial == 3:
        logits = rng.integers(-3, 4, size=(N, T, K))
    if trial == 4:
        logits[~mask], targets[~mask] = np.nan, -100
    return dict(logits=logits, targets=targets, mask=mask)


@check("loss", trials=5, calls="sequence_loss", tol=1e-5, returns="L dL/dlogits", covers="R175")
def the_mean_surprise_of_the_real_tokens(rng, trial):
    """sequence_loss gives the mean of −log p over the real tokens, and its gradient; a blank may hold anything."""
    return predictions(rng, trial, scattered=True)


@check("loss", trials=5, calls="perplexity", tol=1e-5, covers="R176")
def perplexity_is_e_to_the_loss(rng, trial):
    """perplexity gives e to the mean loss of the real tokens, whatever the blanks hold."""
    return predictions(rng, trial, scattered=True)


# -- bptt --------------------------------------------------------------------------------------------------------------


def to_differentiate(reference, made, rng, trial):
    """Add the states and a random upstream gradient at every one of them, in the order of rnn_backward."""
    h = reference.rnn_forward(**made)
    dh = whole(rng, *h.shape) if trial == 3 else drawn(rng, trial, *h.shape)
    return dict(dh=dh, x=made["x"], h=h, h0=made["h0"], V=made["V"], U=made["U"])


@check("bptt", tol=1e-5, returns="dx dh0 dV dU dc", covers="R177")
def one_step_is_a_dense_layer(rng, trial, reference):
    """With a single step, rnn_backward gives the five gradients of one layer, for a h0 that is not zero."""
    return to_differentiate(reference, elman(rng, trial, [(1, 1, 1, 2), (2, 1, 3, 4), (5, 1, 2, 3)]), rng, trial)


@check("bptt", trials=4, tol=1e-5, returns="dx dh0 dV dU dc", covers="R177 R178")
def gradients_add_up_over_the_steps(rng, trial, reference):
    """Over several steps, with an upstream gradient at each, rnn_backward gives all five gradients."""
    if trial == 0:  # the table in the notebook, with another upstream gradient at the first state
        made = dict(x=np.array([[[-0.5], [0.3]]]), h0=np.array([[0.5]]), V=np.eye(1), U=2 * np.eye(1), c=np.zeros(1))
        given = to_differentiate(reference, made, rng, trial)
        return dict(given, dh=np.array([[[float(rng.integers(1, 5))], [1.0]]]))
    return to_differentiate(reference, elman(rng, trial), rng, trial)


# -- clipping ----------------------------------------------------------------------------------------------------------


@check("clipping", trials=5, calls="spectral_radius", tol=1e-4, covers="R179")
def the_eigenvalue_farthest_from_zero(rng, trial):
    """spectral_radius gives the largest absolute value of an eigenvalue, also where eigenvalues are negative or complex."""
    a = rng.integers(2, 6)
    if trial == 0:
        return dict(U=np.array([[1.0, -a], [a, 1.0]]))  # 1 ± a·i
    if trial == 1:
        return dict(U=np.array([[-3.0 - a, 1.0, 0.5], [0.0, 2.0, 1.5], [0.0, 0.0, 0.5]]))
    if trial == 3:
        return dict(U=np.array([[-a]]))
    return dict(U=rng.normal(size=(6, 6)) * [1, 1, 1, 1, 1e-8][trial])


@check("clipping", trials=4, calls="jacobian_norms", tol=1e-5, covers="R179")
def the_product_of_the_steps(rng, trial):
    """jacobian_norms gives ‖∂h_T/∂h_t‖ for t = 0 … T, from the states and U."""
    T, H = [(2, 2), (5, 3), (8, 4), (1, 3)][trial]
    if trial == 0:  # one entry in each row and column, and so in every product: the larger one is the norm
        return dict(h=simple(rng, T, H), U=np.array([[0.0, -2.0], [1.0, 0.0]]))
    U = rng.integers(-2, 4, size=(H, H)) if trial == 3 else rng.normal(size=(H, H))
    return dict(h=np.tanh(rng.normal(size=(T, H))), U=U)


@check("clipping", trials=5, calls="clip_by_global_norm", tol=1e-5, returns="gradients norm", covers="R180")
def long_gradients_are_shortened_together(rng, trial):
    """clip_by_global_norm shortens all arrays by one factor, so that their common norm is the limit, in any unit."""
    if trial == 0:
        return dict(gradients=[np.array([3.0, 0.0]), np.array([[4.0]])], limit=float(rng.integers(1, 5)))
    if trial == 3:
        return dict(gradients=[3 * whole(rng, 2, 2), rng.integers(1, 6, size=3)], limit=2)
    unit = 1e-7 if trial == 4 else 1.0
    gradients = [rng.normal(size=(2, 3)), 4 * rng.normal(size=5), 0.1 * rng.normal(size=(trial, 2, 4))]
    return dict(gradients=[unit * one for one in gradients], limit=unit * (0.7 if trial == 1 else 2.0))


@check("clipping", calls="clip_by_global_norm", tol=1e-5, returns="gradients norm", covers="R180")
def short_gradients_stay_as_they_are(rng, trial):
    """Where the common norm is below the limit nothing changes, and the norm is told."""
    if trial == 0:
        return dict(gradients=[np.array([3.0, 0.0]), np.array([[4.0]])], limit=6.0)
    gradients = [rng.normal(size=(2, 3)), 0.3 * rng.normal(size=5)]
    norm = np.sqrt(sum((one**2).sum() for one in gradients))
    return dict(gradients=gradients, limit=float([1.1, 8.0][trial - 1] * norm))


@check("clipping", trials=4, calls="truncated_backward", tol=1e-5, returns="dx dh0 dV dU dc", covers="R177")
def gradients_stop_at_the_windows(rng, trial, reference):
    """truncated_backward keeps the states of the whole sequence, and lets no gradient out of a window of k steps."""
    made = elman(rng, trial, [(1, 3, 2, 1), (2, 7, 3, 4), (3, 8, 2, 5), (2, 5, 4, 3)])
    return dict(to_differentiate(reference, made, rng, trial), k=[2, 3, 3, 2][trial])


# -- lstm --------------------------------------------------------------------------------------------------------------


@check("lstm", calls="lstm_forward", tol=1e-5, returns="h c gates", covers="R183 R185")
def one_lstm_step(rng, trial):
    """With a single step, lstm_forward gives h, c and the gates, in the order i, f, g, o."""
    return lstm(rng, trial, [(1, 1, 1, 1), (2, 1, 3, 4), (4, 1, 5, 3)])


@check("lstm", trials=4, calls="lstm_forward", tol=1e-5, returns="h c gates", covers="R183")
def two_states_travel(rng, trial):
    """Over several steps, h and c are both carried on."""
    return lstm(rng, trial)


def lstm_to_differentiate(reference, made, rng, trial):
    """Add what the forward pass found and random upstream gradients, in the order of lstm_backward."""
    h, c, gates = reference.lstm_forward(**made)
    return dict(
        dh=drawn(rng, trial, *h.shape),
        dc_last=whole(rng, *h[:, 0].shape) if trial == 3 else drawn(rng, trial, *h[:, 0].shape),
        x=made["x"],
        h=h,
        c=c,
        gates=gates,
        h0=made["h0"],
        c0=made["c0"],
        V=made["V"],
        U=made["U"],
    )


@check("lstm", calls="lstm_backward", tol=1e-5, returns="dx dh0 dc0 dV dU db", covers="R183")
def one_lstm_step_backwards(rng, trial, reference):
    """With a single step, lstm_backward gives all six gradients."""
    return lstm_to_differentiate(reference, lstm(rng, trial, [(1, 1, 1, 1), (2, 1, 3, 4), (4, 1, 5, 3)]), rng, trial)


@check("lstm", trials=4, calls="lstm_backward", tol=1e-5, returns="dx dh0 dc0 dV dU db", covers="R183 R184")
def both_states_send_gradients_back(rng, trial, reference):
    """Over several steps, gradients come back through h and along the cell."""
    return lstm_to_differentiate(reference, lstm(rng, trial), rng, trial)


# -- experiment --------------------------------------------------------------------------------------------------------


@check("experiment", trials=4, covers="R197")
def the_inputs_are_the_targets_one_place_later(rng, trial):
    """teacher_inputs gives the start symbol and then each token but the last."""
    N, T, K = [(1, 3, 3), (3, 5, 4), (4, 7, 6), (2, 1, 5)][trial]
    return dict(tokens=rng.integers(K, size=(N, T)), start=K)


@the_inputs_are_the_targets_one_place_later.when
def _(student, tokens, start):
    import torch

    return student.teacher_inputs(torch.from_numpy(tokens), start)


@check("experiment", trials=4, tol=1e-5, covers="R195 R205")
def each_token_is_predicted_from_those_before_it(rng, trial):
    """token_log_probabilities gives log P(y_t | y_1 … y_{t−1}) under a model that we know."""
    N, T, K = [(1, 2, 2), (2, 4, 3), (3, 6, 5), (3, 1, 4)][trial]
    tokens, scores = rng.integers(K, size=(N, T)), 2 * drawn(rng, trial, K + 1, K)
    if trial == 3:  # the first text begins with a symbol that nobody expected
        scores[K] = 2000.0 * rng.permutation(K) + rng.normal(size=K)
        tokens[0, 0] = scores[K].argmin()
    return dict(tokens=tokens, scores=scores, start=K)


@each_token_is_predicted_from_those_before_it.when
def _(student, tokens, scores, start):
    import torch

    table = torch.tensor(scores)

    def model(inputs, state=None):
        return table[inputs] * (1 + torch.arange(inputs.shape[1])[:, None] / 4), state

    return student.token_log_probabilities(model, torch.from_numpy(tokens), start)


@check("experiment", covers="R174 R196 R237 R263")
def greedy_text_ends_at_the_end_symbol(rng, trial):
    """Without an rng, generate takes the most probable symbol each time, feeds it back, and stops before the end symbol."""
    K = [3, 5, 8][trial]
    order = rng.permutation(K - 1)  # the path through the symbols: from the start K, and at last to the end K − 1
    scores = rng.normal(size=(K + 1, K))
    for here, there in zip([K, *order], [*order, K - 1], strict=True):
        scores[here, there] = 4.0
    return dict(scores=scores, start=K, end=K - 1, max_length=3 * K)


@greedy_text_ends_at_the_end_symbol.when
def _(student, scores, start, end, max_length):
    return student.generate(lambda symbol, state: (scores[symbol], state), None, start, end, max_length)


def bigram_entropy(chain):
    """Give the entropy of a symbol of an order-2 chain given only the symbol before it."""
    V = chain.vocabulary
    joint = (chain.stationary[:, None] * chain.table).reshape(V, V, V).sum(axis=0)
    return float(-(joint * np.log(joint / joint.sum(axis=1, keepdims=True))).sum())


def demanding(rng, vocabulary):
    """Draw a source of order 2 on which seeing only the last symbol costs at least 0.25 nats a symbol."""
    while True:
        chain = markov(rng, order=2, vocabulary=vocabulary, concentration=0.4)
        if bigram_entropy(chain) - chain.entropy_rate() > 0.25:
            return chain


MARGIN = 0.06  # nats a symbol; who sees only the last symbol is more than 0.25 above the source


@check("experiment", trials=1, weight=3, covers="R175 R196 R197")
def the_model_reaches_its_source_and_does_not_beat_it(rng):
    """On fresh sequences the trained model comes within 0.06 nats a symbol of the source, and is not better than it."""
    chain = demanding(rng, 4)
    tokens, fresh = (chain.sample(rng, n, 18).astype(np.int8) for n in (1500, 250))
    return dict(tokens=tokens, vocabulary=4, fresh=fresh, truth=chain.log_likelihood(fresh).sum(axis=1))


@the_model_reaches_its_source_and_does_not_beat_it.when
def _(student, tokens, vocabulary, fresh):
    import torch

    model = student.train_char_lm(torch.from_numpy(tokens).long(), vocabulary).eval()
    with torch.no_grad():
        found = student.token_log_probabilities(model, torch.from_numpy(fresh).long(), vocabulary)
    return found.double().sum(1)


def excess(seen, truth):
    """Say how many nats less the sequences get than from their source: a symbol, and in all."""
    loss = truth - np.asarray(seen, dtype=float)
    return dict(mean=loss.mean() / 18, total=loss.sum())


def against_the_source(seen, truth):
    """Compare log-probabilities of sequences with the source's: above by a leak, below by too much, or close.

    A model that does not look ahead has a total of log q − log p over 16.2 with probability at most e^−16.2 = 9.2e-8,
    whatever it is (Markov's inequality for q/p, whose mean is at most 1). That is exact and needs no standard error.
    The other side is about learning, and measured: `benchmarks/luck.py rnn --trainings 300` trains as the solution
    does, each time on a source and from a start of its own, and ends 0.0053 nats above it on average, standard
    deviation 0.0016, at most 0.0103. Who follows the notebook's advice to the letter (Adam at a constant 0.02, 230
    trainings of each kind of cell) ends 0.011 above with a GRU, 0.0095 with an Elman cell, 0.0087 with an LSTM, and
    0.0224 at most. The longest tail is that of the Elman cell, a tenth beyond 0.0137 by 0.0019 on average:
    0.1·e^(−(0.06−0.0137)/0.0019) = 2.6e-12. A late start is no danger either: at rates of 0.01 and 0.02 all of 2100
    trainings were within 0.06 nats after 70 of the 300 steps.
    """
    if np.shape(seen) != truth.shape or not np.isfinite(np.asarray(seen, dtype=float)).all():
        return "odd"
    found = excess(seen, truth)
    if found["total"] < -16.2:
        return "leak"
    return "far" if found["mean"] > MARGIN else "close"


def where_it_ended(seen, fresh, truth):
    """Name where a training ended, so that two runs of one mistake agree though their numbers never do."""
    found = against_the_source(seen, truth)
    if found != "far":
        return found
    counts = np.zeros((4, 4))
    np.add.at(counts, (fresh[:, :-1].ravel(), fresh[:, 1:].ravel()), 1)
    shares = counts / np.maximum(1, counts.sum(axis=1, keepdims=True))
    levels = {
        "as one that sees the last symbol alone": -np.sum(counts * np.log(np.maximum(shares, 1e-9))) / counts.sum(),
        "as one that knows nothing": np.log(4),
    }
    level = -np.asarray(seen, dtype=float).mean() / 18
    name, nearest = min(levels.items(), key=lambda one: abs(one[1] - level))
    if abs(nearest - level) < 0.08:
        return name
    if level > nearest:
        return "worse than one that knows nothing" if level < 5 else "running away"
    return "on its way"


@the_model_reaches_its_source_and_does_not_beat_it.view
def _(seen, fresh, truth):
    return where_it_ended(seen, fresh, truth)


@the_model_reaches_its_source_and_does_not_beat_it.then
def _(seen, truth):
    found = against_the_source(seen, truth)
    if found == "odd":
        raise Fail("some log-probabilities are not finite")
    if (np.asarray(seen) > 0).any():
        raise Fail("some log-probabilities are positive: no probability is above 1")
    mean = excess(seen, truth)["mean"]
    if found == "leak":
        raise Fail(
            f"the model is better than the source itself, by {-mean:.3f} nats a symbol: it must be reading the answer"
        )
    if found == "far":
        raise Fail(f"the model is {mean:.3f} nats a symbol above its source; {MARGIN} are allowed")


@check("experiment", trials=1, covers="R197")
def every_sequence_is_learnt_from(rng):
    """After a training on two texts the model finds both of them more probable than one that knows nothing does."""
    return dict(tokens=np.repeat(rng.permutation(3)[:2, None], 4, axis=1), vocabulary=3, seed=int(rng.integers(1000)))


@every_sequence_is_learnt_from.when
def _(student, tokens, vocabulary, seed):
    import torch

    torch.manual_seed(seed)
    texts = torch.from_numpy(tokens)
    model = student.train_char_lm(texts, vocabulary, hidden=8, steps=150).eval()
    with torch.no_grad():
        return student.token_log_probabilities(model, texts, vocabulary).double().mean(1)


def unlearnt(seen, tokens, vocabulary):
    """Say which texts the model does not find more probable than chance; nothing, if it learnt from both.

    In nats a symbol, log 3 = 1.10 is chance. Of 300 trainings with an LSTM, a GRU or an Elman cell, at rates of 0.01 and
    0.02, the worse text ended at 0.29 at most; the mean was 0.19 and the standard deviation at most 0.018. Of 36 that left
    a text out none ended below 2.9 on it.
    """
    found = np.asarray(seen, dtype=float)
    if found.shape != (2,) or np.exp(tokens.shape[1] * np.minimum(found, 1)).sum() > 1.001:
        return "these are no log-probabilities: the probabilities of the two texts sum to more than 1"
    missed = [name for name, one in zip(("first", "last"), found, strict=True) if not one > -np.log(vocabulary)]
    return f"the model has learnt nothing from the {' and the '.join(missed)} of its two texts" if missed else ""


@every_sequence_is_learnt_from.view
def _(seen, tokens, vocabulary):
    return unlearnt(seen, tokens, vocabulary)


@every_sequence_is_learnt_from.then
def _(seen, tokens, vocabulary):
    if wrong := unlearnt(seen, tokens, vocabulary):
        raise Fail(wrong)


@check("experiment", trials=1, covers="R197")
def every_step_has_a_gradient_of_its_own(rng):
    """Each training has a new model and takes as many steps as it is told, each by the gradient of its own batch alone."""
    tokens = np.repeat(rng.integers(3, size=(1, 5)), 80, axis=0)  # all batches are the same
    return dict(tokens=tokens, vocabulary=3, hidden=4, steps=8, seed=int(rng.integers(1000)))


def gradients_used(train, loss):
    """Run a training; give its model, its number of steps, and how alike its gradients and the loss's own ones are."""
    import torch
    from torch.optim.optimizer import register_optimizer_step_pre_hook

    seen = []

    def look(optimiser, args, kwargs):
        weights = [one for group in optimiser.param_groups for one in group["params"]]
        used = [one for one in weights if isinstance(one.grad, torch.Tensor)]
        seen.append({id(one): (one.detach().clone(), one.grad.clone()) for one in used})

    watch = register_optimizer_step_pre_hook(look)
    try:
        trained = train()
    finally:
        watch.remove()
    trained.train()  # as in the training: of a model with dropout, say, chance then has a part in both gradients
    weights, alike = list(trained.parameters()), []
    for step in seen:
        if {id(one) for one in weights}.issubset(step):  # or else what is returned was copied, and says nothing
            for one in weights:
                one.data.copy_(step[id(one)][0])
            own, again = (torch.autograd.grad(loss(trained), weights, materialize_grads=True) for _ in range(2))
            parts = (own, again, [step[id(one)][1] for one in weights])
            own, again, taken = (torch.cat([g.double().ravel() for g in part]) for part in parts)
            alike.append([float(torch.cosine_similarity(own, other, dim=0)) for other in (taken, again)])
    return trained, len(seen), alike


@every_step_has_a_gradient_of_its_own.when
def _(student, tokens, vocabulary, hidden, steps, seed):
    import torch

    torch.manual_seed(seed)
    found, weights, batch = [], [], torch.from_numpy(tokens)[:64]
    for more in (0, 1, 0):
        answers = []

        def train(K=vocabulary + more, answers=answers):
            trained = student.train_char_lm(torch.from_numpy(tokens), K, hidden=hidden, steps=steps)
            answers += [trained(batch)[0].detach() for _ in range(2)]
            return trained

        model, count, alike = gradients_used(
            train, lambda model, K=vocabulary + more: -student.token_log_probabilities(model, batch, K).mean()
        )
        same = float((answers[0] - answers[1]).abs().max())
        weights.append(list(model.parameters()))
        found.append(dict(scores=list(answers[0].shape), steps=count, alike=alike, apart=same))
    shared = {id(one) for one in weights[0]} & {id(one) for one in weights[2]}
    return dict(trainings=found, shared=len(shared))


def training_fault(seen, tokens, vocabulary, steps):
    """Say what is wrong with a training; nothing, if nothing is, or if it has no optimiser of torch's that could be watched.

    Right gradients agree with those of the loss but for rounding: of 60 trainings none had a cosine below 1 − 1e-10, and
    clipping only shortens. Where earlier gradients are added, the least of a training was at most 0.9979.
    """
    for more, one in zip((0, 1, 0), seen["trainings"], strict=True):
        if list(one["scores"]) != [64, tokens.shape[1], vocabulary + more]:
            return "a model for K symbols must give K scores, also after a training for another K"
        if not one["apart"] < 1e-4:
            return "the model that is returned gives other scores when it is asked the same question again"
        if one["steps"] % steps:
            return f"{steps} steps were asked for, and {one['steps']} were taken"
        if any(
            not abs(taken) > 0.9999 for taken, again in one["alike"] if again > 0.99999
        ):  # else chance has a part in it
            return "some steps go along another gradient than that of the loss of their own batch"
    return "two trainings return the same model" if seen["shared"] else ""


@every_step_has_a_gradient_of_its_own.view
def _(seen, tokens, vocabulary, steps):
    return training_fault(seen, tokens, vocabulary, steps)


@every_step_has_a_gradient_of_its_own.then
def _(seen, tokens, vocabulary, steps):
    if wrong := training_fault(seen, tokens, vocabulary, steps):
        raise Fail(wrong)


@check("experiment", trials=1, weight=0)
def it_runs_on_whatever_device_it_is_given(rng):
    """teacher_inputs, CharLM and token_log_probabilities run on whatever device they are given."""
    return dict(tokens=rng.integers(3, size=(2, 5)), vocabulary=3, hidden=4)


@it_runs_on_whatever_device_it_is_given.when
def _(student, tokens, vocabulary, hidden):
    import torch

    device = "cuda" if torch.cuda.is_available() else "meta"
    placed = torch.tensor(tokens).to(device)
    model = student.CharLM(vocabulary, hidden).to(device)
    found = student.token_log_probabilities(model, placed, vocabulary)
    return [device, found.device.type, student.teacher_inputs(placed, vocabulary).device.type]


@it_runs_on_whatever_device_it_is_given.then
def _(seen):
    device, *found = seen
    if not isinstance(device, str) or device not in ("cuda", "meta") or found != [device, device]:
        raise Fail(
            f"the data were on {device}, and something that you made was elsewhere: say device=… when you make it"
        )


# -- concepts ----------------------------------------------------------------------------------------------------------

the_answers_have_the_form_that_is_asked = answers_have_form(
    "concepts",
    size=float,
    skips=float,
    balance=float,
    run=("exploded", "vanished", "overfitted", "converged"),
    below=("better", "overfitting", "leak", "nothing"),
    bias=float,
    drift=("forgets", "overfitted", "draws", "mistakes"),
    letters=float,
    counter=float,
    shown=float,
)


# -- gru (extra) -------------------------------------------------------------------------------------------------------


def gru(rng, trial, blocks=3):
    """Draw sequences and the weights of a GRU with one bias."""
    made = lstm(rng, trial, blocks=blocks)
    return {name: made[name] for name in ("x", "h0", "V", "U", "b")}


@check("gru", trials=4, calls="gru_forward", tol=1e-5, covers="R182")
def the_reset_comes_before_the_product(rng, trial):
    """gru_forward gives the states of the classic GRU."""
    return gru(rng, trial)


@check("gru", trials=4, calls="gru_forward_torch", tol=1e-5, covers="R182")
def the_reset_comes_after_the_product(rng, trial):
    """gru_forward_torch gives the states of torch's GRU, with two biases."""
    made = gru(rng, trial)
    return dict(made, b_state=drawn(rng, trial, len(made["b"])))


# -- variants (extra) --------------------------------------------------------------------------------------------------


@check("variants", trials=4, calls="peephole_lstm_forward", tol=1e-5, returns="h c", covers="R187")
def the_gates_see_the_cell(rng, trial):
    """peephole_lstm_forward gives h and c where i and f see the old cell and o sees the new one."""
    made = lstm(rng, trial)
    return dict(made, P=drawn(rng, trial, 3, made["h0"].shape[1]))


@check("variants", trials=4, calls="coupled_lstm_forward", tol=1e-5, returns="h c", covers="R187")
def what_is_forgotten_is_replaced(rng, trial):
    """coupled_lstm_forward gives h and c where i = 1 − f."""
    return lstm(rng, trial, blocks=3)


# -- birnn (extra) -----------------------------------------------------------------------------------------------------


def two_networks(rng, trial):
    """Draw padded sequences and two Elman networks: of integers in trial 3, with NaN in the padding in trial 2."""
    there = elman(rng, trial, [(2, 3, 1, 1), (3, 5, 2, 4), (4, 6, 3, 2), (3, 3, 2, 3)])
    N, T, _ = there["x"].shape
    back = {name: drawn(rng, trial, *there[name].shape) for name in ("h0", "V", "U", "c")}
    lengths = np.array([T - 1, T, *rng.integers(1, T, size=N - 2)])
    if trial == 2:
        there["x"][np.arange(T) >= lengths[:, None]] = np.nan
    nets = [tuple(net[name] for name in ("h0", "V", "U", "c")) for net in (there, back)]
    return dict(x=there["x"], lengths=lengths, forward=nets[0], backward=nets[1])


@check("birnn", trials=4, calls="birnn_forward", tol=1e-5, covers="R190")
def one_network_from_each_end(rng, trial):
    """birnn_forward joins at each place the states of a network from the left and of one from the right."""
    return two_networks(rng, trial)


@check("birnn", trials=4, calls="stacked_forward", tol=1e-5, covers="R191")
def states_are_the_inputs_of_the_next_layer(rng, trial):
    """stacked_forward feeds the states of each layer to the next."""
    if trial == 3:
        made = elman(rng, trial)
        return dict(x=made["x"], layers=[tuple(made[name] for name in ("h0", "V", "U", "c"))])
    N, T, *widths = [(1, 2, 1, 2, 1), (2, 4, 3, 5, 2), (3, 5, 2, 4, 3, 6)][trial]
    layers = [
        (drawn(rng, trial, N, H), drawn(rng, trial, H, D), drawn(rng, trial, H, H), drawn(rng, trial, H))
        for D, H in pairwise(widths)
    ]
    return dict(x=drawn(rng, trial, N, T, widths[0]), layers=layers)


@check("birnn", trials=7, calls="pool", tol=1e-5, covers="R193")
def one_vector_for_a_sequence(rng, trial):
    """pool gives the last, mean, largest or end states of the real steps, whatever stands at the others."""
    N, T, H = [(2, 3, 2), (3, 5, 4), (4, 7, 6), (3, 4, 8), (2, 4, 3), (3, 4, 4), (4, 4, 2)][trial]
    lengths = np.array([T - 1, T, *rng.integers(1, T, size=N - 2)])
    h, how = drawn(rng, trial, N, T, H), ["last", "mean", "max", "ends", "mean", "mean", "max"][trial]
    if trial == 4:
        h = 2 * whole(rng, N, T, H) + rng.integers(2, size=(N, T, H))
    elif trial > 4:
        h = np.where((np.arange(T) < lengths[:, None])[:, :, None], h - 3 * (trial == 6), np.nan)
    return dict(h=h, lengths=lengths, how=how)


@check("birnn", trials=5, calls="tagging_loss_sum", tol=1e-5, covers="R192")
def the_loss_of_a_sentence_is_a_sum(rng, trial):
    """tagging_loss_sum adds −log p of the tags over the real steps."""
    made = predictions(rng, trial, ((2, 2, 3), (3, 4, 5), (4, 7, 3)))
    return dict(logits=made["logits"], tags=np.maximum(made["targets"], 0), lengths=made["mask"].sum(axis=1))


# -- batches (extra) ---------------------------------------------------------------------------------------------------


def texts(rng, trial):
    """Draw sequences of different lengths, the first of them not the longest."""
    lengths = [[2, 4], [3, 1, 6, 2], [4, 9, 1, 5, 2, 7], [3]][trial]
    return [rng.integers(1, 9, size=length).tolist() for length in lengths]


@check("batches", trials=4, calls="pad", returns="tokens mask", covers="R200")
def short_sequences_are_filled_up(rng, trial):
    """pad gives a rectangle, filled up at the ends, and tells which places are real."""
    return dict(sequences=texts(rng, trial), filler=[0, -1, 9, 0][trial])


@check("batches", trials=4, calls="batches_by_length", covers="R200")
def neighbours_in_length_share_a_batch(rng, trial):
    """batches_by_length sorts by length, shortest first, and cuts into batches."""
    n, size = [(4, 2), (7, 3), (30, 8), (3, 5)][trial]
    lengths = rng.integers(1, 40, size=n)
    lengths[:2] = 40, 1  # so that they never come sorted
    return dict(lengths=lengths.tolist(), size=size)


@check("batches", calls="padding_waste", covers="R200")
def every_padded_place_is_counted(rng, trial):
    """padding_waste counts the padded places, each batch padded to its own longest sequence."""
    n, size = [(4, 2), (7, 3), (30, 8)][trial]
    lengths, order = rng.integers(1, 40, size=n), rng.permutation(n).tolist()
    lengths[order[:2]] = 3, 41
    return dict(lengths=lengths.tolist(), batches=[order[at : at + size] for at in range(0, n, size)])


@check("batches", trials=5, calls="masked_rnn_forward", tol=1e-5, covers="R200 R201")
def a_padded_step_hands_the_state_on(rng, trial):
    """masked_rnn_forward takes a step where the mask is True, and keeps the state where it is not."""
    made = elman(rng, trial, [(2, 3, 1, 1), (3, 5, 2, 4), (4, 6, 3, 2), (3, 4, 2, 4), (3, 5, 2, 3)])
    N, T, _ = made["x"].shape
    x, mask = made.pop("x"), prefix_mask(rng, N, T)
    if trial == 4:  # blanks at the beginning and in the middle, and no numbers in them
        mask[0, 0] = mask[1, 2] = False
        x[~mask] = np.nan
    return dict(x=x, mask=mask, **made)


# -- dropout (extra) ---------------------------------------------------------------------------------------------------


@check("dropout", trials=4, calls="dropout_forward", tol=1e-5, covers="R202")
def the_recurrence_has_one_mask_and_the_outputs_their_own(rng, trial):
    """dropout_forward uses the state's mask inside every step, and the outputs' masks only on the way out."""
    made = elman(rng, trial, [(1, 3, 1, 3), (2, 5, 3, 4), (3, 6, 2, 7), (3, 4, 2, 3)])
    N, T, _ = made["x"].shape
    H = made["h0"].shape[1]
    on_state, on_outputs = (rng.random((N, H)) < 0.5) * 2.0, (rng.random((N, T, H)) < 0.75) / 0.75
    on_state[0, :2], on_outputs[0, 0, :3] = (2.0, 0.0), (0.0, 1 / 0.75, 0.0)
    if trial == 3:
        on_state, on_outputs = on_state.astype(int), 2 * (on_outputs > 0)
    return dict(made, on_state=on_state, on_outputs=on_outputs)


@check("dropout", trials=4, covers="R202")
def a_mask_holds_two_numbers(rng, trial):
    """state_mask gives a row for each sequence, with some zeros in it (none for p = 0) and 1/(1−p) elsewhere."""
    n, hidden, p = [(3, 40, 0.5), (20, 30, 0.75), (50, 20, 0.25), (1, 5, 0.0)][trial]
    return dict(seed=int(rng.integers(2**31)), n=n, hidden=hidden, p=p)


@a_mask_holds_two_numbers.when
def _(student, seed, n, hidden, p):
    return student.state_mask(np.random.default_rng(seed), n, hidden, p)


def not_a_mask(seen, n, hidden, p):
    """Say why this cannot be a mask; nothing, if it can. (No zero, or zeros only: 1e-36 at most.)"""
    mask = np.asarray(seen, dtype=float)
    if mask.shape != (n, hidden):
        return f"expected shape {(n, hidden)}, got {mask.shape}"
    if not ((mask == 0) | (np.abs(mask - 1 / (1 - p)) < 1e-5)).all():
        return f"every entry must be 0 or {1 / (1 - p):.4g}"
    if p == 0:
        return "with p = 0 no unit is dropped" if (mask == 0).any() else ""
    return "" if 0 < (mask == 0).mean() < 1 else "some units are dropped and some are kept; here all are alike"


@a_mask_holds_two_numbers.view
def _(seen, n, hidden, p):
    return not_a_mask(seen, n, hidden, p)


@a_mask_holds_two_numbers.then
def _(seen, n, hidden, p):
    if wrong := not_a_mask(seen, n, hidden, p):
        raise Fail(wrong)


# -- likelihood (extra) ------------------------------------------------------------------------------------------------


def language(rng, trial, K, D, H):
    """Draw a language model."""
    return dict(
        E=drawn(rng, trial, K + 1, D),
        V=drawn(rng, trial, H, D),
        U=drawn(rng, trial, H, H),
        c=drawn(rng, trial, H),
        W=2 * drawn(rng, trial, K, H),
        b=drawn(rng, trial, K),
    )


@check("likelihood", trials=4, calls="log_probability", tol=1e-5, covers="R195")
def a_sequence_is_predicted_symbol_by_symbol(rng, trial):
    """log_probability adds up log P of each symbol given those before it."""
    N, T, K, D, H = [(1, 2, 2, 1, 1), (3, 4, 3, 2, 5), (4, 6, 5, 3, 2), (2, 1, 4, 3, 3)][trial]
    model = language(rng, trial, K, D, H)
    if trial == 3:
        model = {name: whole(rng, *array.shape) for name, array in model.items()}
    return dict(tokens=rng.integers(K, size=(N, T)), model=model)


@check("likelihood", calls="classify", covers="R194")
def a_text_belongs_to_the_model_that_expects_it(rng, trial, reference):
    """classify gives, for classes that are equally frequent, the model that finds the sequence most probable."""
    N, T, K, classes = [(2, 2, 2, 2), (7, 4, 3, 3), (12, 5, 4, 5)][trial]
    while True:
        models = [language(rng, trial, K, 2, 3) for _ in range(classes)]
        tokens = rng.integers(K, size=(N, T))
        found = np.array([reference.log_probability(tokens, model) for model in models])
        ranked = np.sort(found, axis=0)
        if (ranked[-1] - ranked[-2]).min() > 1e-3 and found.argmax(axis=0).std() > 0:  # no rounding decides
            return dict(tokens=tokens, models=models, priors=np.full(classes, 1 / classes))
