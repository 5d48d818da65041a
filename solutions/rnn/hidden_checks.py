"""Hidden checks of the recurrent networks: they ask whether the idea is right, not only the example.

Chance. A right solution fails a statistical check with a probability below 1e-6 over the whole assignment:
- the language model (public, one published and one secret training): too good, at most 2 × 9.2e-8 by Markov's inequality; too
  bad, about 2 × 3e-12 by the tail of many trainings, both beside that check;
- sampled texts: 2 trials × 15 kinds of text × 2 tails × 1e-9 = 6e-8, by exact binomial tails;
- dropout masks: 2 trials × (1 + 40 + 60) counts × 2 tails × 1e-9 = 4.1e-7, by exact binomial tails;
- two texts, of which a training learns one too little: more than 50 standard deviations away, beside `unlearnt`;
- an untrained model whose scores hardly depend on what it reads, about 5e-10, beside `reading`.
Together at most 6.6e-7.
"""

import math

import numpy as np

from redink.checks import Fail, check, close, concept

TOL = 1e-5
SIZES = [(1, 3, 2, 2), (2, 5, 3, 4), (3, 7, 4, 5)]  # N, T, D, H


def elman(rng, trial, sizes=SIZES):
    """Draw sequences and the weights of an Elman network."""
    N, T, D, H = sizes[trial]
    return dict(
        x=rng.normal(size=(N, T, D)),
        h0=rng.normal(size=(N, H)),
        V=rng.normal(size=(H, D)),
        U=0.7 * rng.normal(size=(H, H)),
        c=rng.normal(size=H),
    )


def states(x, h0, V, U, c):
    """Run an Elman network."""
    found, h = np.zeros((*x.shape[:2], len(U))), h0
    for t in range(x.shape[1]):
        h = found[:, t] = np.tanh(x[:, t] @ V.T + h @ U.T + c)
    return found


def tensors(*arrays, grad=False):
    """Make float64 tensors."""
    import torch

    return [torch.tensor(one, dtype=torch.float64, requires_grad=grad) for one in arrays]


def elman_gradients(dh, x, h0, V, U, c, k=None):
    """Let torch differentiate an Elman network, cutting the gradient after every k steps."""
    x, h0, V, U, c = leaves = tensors(x, h0, V, U, c, grad=True)
    (dh,) = tensors(dh)
    h, total = h0, 0.0
    for t in range(x.shape[1]):
        if k is not None and t and t % k == 0:
            h = h.detach()
        h = (x[:, t] @ V.T + h @ U.T + c).tanh()
        total = total + (dh[:, t] * h).sum()
    total.backward()
    return [leaf.grad.numpy() for leaf in leaves]  # dx, dh0, dV, dU, dc


def torch_layer(kind, x, h0, V, U, b, b_state=None, c0=None, bidirectional=False):
    """Run one of torch's own recurrent layers with given weights."""
    import torch

    layer = getattr(torch.nn, kind)(
        x.shape[2], h0.shape[1], batch_first=True, dtype=torch.float64
    )
    x, h0, V, U, b, b_state = tensors(
        x, h0, V, U, b, np.zeros(len(b)) if b_state is None else b_state
    )
    with torch.no_grad():
        for name, value in dict(
            weight_ih_l0=V, weight_hh_l0=U, bias_ih_l0=b, bias_hh_l0=b_state
        ).items():
            getattr(layer, name).copy_(value)
        start = h0[None] if c0 is None else (h0[None], tensors(c0)[0][None])
        return layer(x, start)


def at_most(n, p):
    """Give P(X ≤ k) for X binomial(n, p) and k = 0 … n, exactly but for rounding."""
    k = np.arange(n + 1)
    logs = np.array([math.lgamma(j + 1) for j in range(n + 1)])
    terms = logs[n] - logs[k] - logs[n - k] + k * math.log(p) + (n - k) * math.log1p(-p)
    return np.cumsum(np.exp(terms)), np.cumsum(np.exp(terms)[::-1])[::-1]


def improbable(count, n, p, level=1e-9):
    """Tell whether a count is in a tail of probability at most `level`."""
    below, above = at_most(n, p)
    return bool(below[count] <= level or above[count] <= level)


# -- cell --------------------------------------------------------------------------------------------------------------


@check("cell", covers="R172")
def the_states_are_those_of_torch(rng, trial):
    """rnn_forward gives the states of torch's own Elman layer with the same weights."""
    made = elman(rng, trial)
    truth = torch_layer("RNN", made["x"], made["h0"], made["V"], made["U"], made["c"])[0]
    return dict(made, truth=truth.numpy())


@the_states_are_those_of_torch.when
def _(student, x, h0, V, U, c):
    return student.rnn_forward(x, h0, V, U, c)


@the_states_are_those_of_torch.then
def _(seen, truth):
    close(seen, truth, tol=TOL)


@check("cell", tol=TOL, covers="R171")
def a_sequence_can_be_read_in_two_parts(rng, trial):
    """Reading a part, and the rest from the state reached, gives what reading the whole gives."""
    return dict(elman(rng, trial), cut=1 + trial)


@a_sequence_can_be_read_in_two_parts.when
def _(student, x, h0, V, U, c, cut):
    first = student.rnn_forward(x[:, :cut], h0, V, U, c)
    rest = student.rnn_forward(x[:, cut:], np.asarray(first)[:, -1], V, U, c)
    return np.concatenate([first, rest], axis=1), student.rnn_forward(x, h0, V, U, c)


@a_sequence_can_be_read_in_two_parts.then
def _(seen, expected):
    close(seen[0], seen[1], tol=TOL, what="the two parts, compared with the whole")
    close(seen[0], expected[0], tol=TOL)


@check("cell", tol=TOL, covers="R201")
def a_batch_is_its_sequences_one_by_one(rng, trial):
    """A batch gives what each of its sequences gives alone."""
    return elman(rng, trial, [(2, 3, 2, 3), (3, 4, 2, 5), (5, 6, 3, 4)])


@a_batch_is_its_sequences_one_by_one.when
def _(student, x, h0, V, U, c):
    alone = [
        student.rnn_forward(x[n : n + 1], h0[n : n + 1], V, U, c) for n in range(len(x))
    ]
    return student.rnn_forward(x, h0, V, U, c), np.concatenate(alone)


@a_batch_is_its_sequences_one_by_one.then
def _(seen, expected):
    close(seen[0], seen[1], tol=TOL, what="the batch, compared with its sequences alone")
    close(seen[0], expected[0], tol=TOL)


@check("cell", tol=TOL, covers="R173 R174")
def scores_may_have_any_size(rng, trial):
    """Probabilities and labels are right for scores in the thousands, and the probabilities of a step sum to 1."""
    N, T, H, K = [(1, 2, 2, 3), (2, 3, 4, 6), (3, 5, 2, 7)][trial]
    size = [300, 3000, 30000][trial]
    while True:
        h, W = rng.normal(size=(N, T, H)), size * rng.normal(size=(K, H))
        if lead(h @ W.T) > 0.02 * size and (h @ W.T).argmax(-1).std() > 0:
            return dict(h=h, W=W, b=rng.normal(size=K))


def lead(scores):
    """Give the smallest lead of a best score over the second: so large that float32 rounds no winner away."""
    top = np.sort(scores, axis=-1)
    return (top[..., -1] - top[..., -2]).min()


@scores_may_have_any_size.when
def _(student, h, W, b):
    return student.token_probabilities(h, W, b), student.greedy_labels(h, W, b)


# -- loss --------------------------------------------------------------------------------------------------------------


def predictions(rng, trial, size=2.0):
    """Draw scores, targets and a mask whose sequences have different lengths."""
    N, T, K = [(2, 3, 4), (3, 5, 2), (5, 8, 6)][trial]
    lengths = np.array([1, T, *rng.integers(2, T, size=N - 2)])
    mask = np.arange(T) < lengths[:, None]
    logits = size * rng.normal(size=(N, T, K))
    return dict(logits=logits, targets=rng.integers(K, size=(N, T)), mask=mask)


@check("loss", covers="R175")
def the_loss_and_its_slope_are_those_of_torch(rng, trial):
    """sequence_loss gives torch's cross-entropy over the real tokens, and the gradient that autograd finds."""
    import torch

    made = predictions(rng, trial)
    (scores,) = tensors(made["logits"], grad=True)
    real = torch.tensor(made["mask"])
    loss = torch.nn.functional.cross_entropy(
        scores[real], torch.tensor(made["targets"])[real]
    )
    loss.backward()
    return dict(made, truth=[loss.item(), scores.grad.numpy()])


@the_loss_and_its_slope_are_those_of_torch.when
def _(student, logits, targets, mask):
    return student.sequence_loss(logits, targets, mask)


@the_loss_and_its_slope_are_those_of_torch.then
def _(seen, truth):
    close(seen, truth, tol=TOL)


@check("loss", tol=TOL, covers="R175 R200")
def blanks_do_not_count(rng, trial):
    """Whatever stands in padded places, the loss is the same, and its gradient there is 0; a row may be all padding."""
    made = predictions(rng, trial)
    K = made["logits"].shape[2]
    if trial == 2:
        made["mask"][0] = False
    blank = [9 * rng.normal(size=made["logits"].shape), np.inf, np.nan][trial]
    other = np.where(made["mask"][:, :, None], made["logits"], blank)
    targets = np.where(made["mask"], made["targets"], [0, -1, K][trial])
    return dict(made, other=other, others=targets)


@blanks_do_not_count.when
def _(student, logits, targets, mask, other, others):
    return [
        student.sequence_loss(logits, targets, mask),
        student.sequence_loss(other, others, mask),
        student.perplexity(logits, targets, mask),
        student.perplexity(other, others, mask),
    ]


@check("loss", calls="sequence_loss", tol=TOL, covers="R175")
def surprise_has_no_largest_value(rng, trial):
    """Where the right class has a score thousands below the best, the loss is thousands, and neither inf nor NaN."""
    size = [400.0, 3000.0, 50000.0][trial]
    while True:
        made = predictions(rng, trial, size)
        if lead(made["logits"]) > 1e-3 * size:
            return made


@check("loss", calls="perplexity", covers="R176")
def a_uniform_model_chooses_among_all(rng, trial):
    """Where all classes have the same score the perplexity is their number, whatever that score is."""
    made = predictions(rng, trial)
    made["logits"] = np.broadcast_to(made["logits"][:, :, :1], made["logits"].shape).copy()
    return made


@a_uniform_model_chooses_among_all.then
def _(seen, logits):
    close(seen, float(logits.shape[2]), tol=TOL)


# -- bptt --------------------------------------------------------------------------------------------------------------


@check("bptt", trials=5, weight=2, covers="R177 R178")
def the_gradients_are_those_of_autograd(rng, trial):
    """All five gradients are those that torch finds, with an upstream gradient at every step and a h0 that is not zero."""
    made = elman(rng, trial, [*SIZES, (4, 12, 3, 2), (2, 4, 2, 3)])
    dh, h = rng.normal(size=(*made["x"].shape[:2], len(made["U"]))), states(**made)
    dh *= [1, 1, 1, 1, 1e6][trial]  # a gradient may have any size
    return dict(made, dh=dh, h=h, truth=elman_gradients(dh, **made))


@the_gradients_are_those_of_autograd.when
def _(student, dh, x, h, h0, V, U):
    return student.rnn_backward(dh, x, h, h0, V, U)


@the_gradients_are_those_of_autograd.then
def _(seen, truth):
    for name, got, wanted in zip(("dx", "dh0", "dV", "dU", "dc"), seen, truth, strict=True):
        close(got, wanted, tol=TOL, what=name)


@check("bptt", covers="R177 R179")
def at_rest_the_gradient_is_a_power_of_U(rng, trial):
    """Where all states are 0 the slopes are 1: an upstream gradient at the end alone reaches h0 multiplied T times by U."""
    N, T, D, H = [(1, 2, 1, 2), (2, 4, 3, 5), (3, 6, 2, 4)][trial]
    U, dh = rng.normal(size=(H, H)), np.zeros((N, T, H))
    dh[:, -1] = rng.normal(size=(N, H))
    return dict(
        dh=dh,
        x=rng.normal(size=(N, T, D)),
        h=np.zeros((N, T, H)),
        h0=np.zeros((N, H)),
        V=rng.normal(size=(H, D)),
        U=U,
        truth=dh[:, -1] @ np.linalg.matrix_power(U, T),
    )


@at_rest_the_gradient_is_a_power_of_U.when
def _(student, dh, x, h, h0, V, U):
    return student.rnn_backward(dh, x, h, h0, V, U)[1]


@at_rest_the_gradient_is_a_power_of_U.then
def _(seen, truth):
    close(seen, truth, tol=TOL, what="dh0")


@check("bptt", tol=TOL, covers="R178")
def a_gradient_can_be_handed_over(rng, trial):
    """Two parts of a sequence, with dh0 of the second added to the last dh of the first, give the gradients of the whole."""
    made = elman(rng, trial)
    h = states(**made)
    return dict(dh=rng.normal(size=h.shape), **made, h=h, cut=1 + trial)


@a_gradient_can_be_handed_over.when
def _(student, dh, x, h, h0, V, U, cut):
    dx2, back, dV2, dU2, dc2 = student.rnn_backward(
        dh[:, cut:].copy(), x[:, cut:], h[:, cut:], h[:, cut - 1], V, U
    )
    first = dh[:, :cut].copy()
    first[:, -1] += back
    dx1, dh0, dV1, dU1, dc1 = student.rnn_backward(first, x[:, :cut], h[:, :cut], h0, V, U)
    sums = [np.add(one, two) for one, two in ((dV1, dV2), (dU1, dU2), (dc1, dc2))]
    parts = [np.concatenate([dx1, dx2], axis=1), dh0, *sums]
    return parts, list(student.rnn_backward(dh, x, h, h0, V, U))


@a_gradient_can_be_handed_over.then
def _(seen, expected):
    close(seen[0], seen[1], tol=TOL, what="the two parts, compared with the whole")
    close(seen[0], expected[0], tol=TOL)


# -- clipping ----------------------------------------------------------------------------------------------------------


@check("clipping", covers="R179")
def the_norms_are_those_of_the_true_derivative(rng, trial):
    """jacobian_norms gives the norms of the derivative of the last state in each earlier one."""
    import torch

    made = elman(rng, trial, [(1, 2, 2, 3), (1, 5, 3, 4), (1, 9, 2, 6)])
    h, H = states(**made)[0], len(made["U"])
    x, h0, V, U, c = tensors(*(made[name] for name in ("x", "h0", "V", "U", "c")))
    path = [h0[0], *tensors(*h)]

    def last(state, t):
        for step in x[0, t:]:
            state = (V @ step + U @ state + c).tanh()
        return state

    found = [
        torch.autograd.functional.jacobian(lambda state, t=t: last(state, t), path[t])
        for t in range(len(path))
    ]
    truth = [np.linalg.norm(one.reshape(H, H).numpy(), 2) for one in found]
    return dict(h=h, U=made["U"], truth=np.array(truth))


@the_norms_are_those_of_the_true_derivative.when
def _(student, h, U):
    return student.jacobian_norms(h, U)


@the_norms_are_those_of_the_true_derivative.then
def _(seen, truth):
    close(seen, truth, tol=TOL)


@check("clipping", tol=TOL, covers="R179")
def the_radius_rules_only_in_the_long_run(rng, trial):
    """For a non-normal U with a radius below 1 the norms at rest first rise, and only then fall."""
    H, T = [(2, 5), (3, 20), (3, 60)][
        trial
    ]  # of a few units, or rounding would move the eigenvalues
    U = np.diag(np.linspace(0.4, 0.8, H)) + np.diag(rng.uniform(2, 4, size=H - 1), 1)
    turn = np.linalg.qr(rng.normal(size=(H, H)))[0]
    return dict(h=np.zeros((T, H)), U=turn @ U @ turn.T)


@the_radius_rules_only_in_the_long_run.when
def _(student, h, U):
    return student.spectral_radius(U), student.jacobian_norms(h, U)


@the_radius_rules_only_in_the_long_run.then
def _(seen, h, U):
    powers = [np.linalg.norm(np.linalg.matrix_power(U, k), 2) for k in range(len(h) + 1)]
    close(seen[1], np.array(powers[::-1]), tol=TOL, what="the norms at rest")
    radius = np.abs(np.linalg.eigvals(U)).max()
    if not abs(float(seen[0]) - radius) < 1e-3:
        raise Fail(f"the spectral radius is {radius:.3f}, got {float(seen[0]):.3f}")


@check("clipping", covers="R180")
def the_arrow_is_shortened_not_bent(rng, trial):
    """After clipping all arrays have been multiplied by one factor, the common norm is the limit, and zeros stay zeros."""
    gradients = [
        rng.normal(size=(3, 2)),
        10 * rng.normal(size=4),
        rng.normal(size=(2, 2, 5)),
    ][: 2 + trial % 2]
    return dict(
        gradients=gradients,
        nothing=[np.zeros(3), np.zeros((2, 2))],
        limit=[0.1, 0.001, 0.5][trial] * common_norm(gradients),
    )


def common_norm(gradients):
    """Give the norm of all arrays as one long vector."""
    return float(np.sqrt(sum((one**2).sum() for one in gradients)))


@the_arrow_is_shortened_not_bent.when
def _(student, gradients, nothing, limit):
    clipped, norm = student.clip_by_global_norm(gradients, limit)
    still, zero = student.clip_by_global_norm(nothing, limit)
    return dict(clipped=list(clipped), norm=norm, still=list(still), zero=zero)


@the_arrow_is_shortened_not_bent.then
def _(seen, gradients, nothing, limit):
    norm = common_norm(gradients)
    close(seen["norm"], norm, tol=TOL, what="the norm before clipping")
    shortened = [one * limit / norm for one in gradients]
    close(seen["clipped"], shortened, tol=TOL, what="the clipped gradients")
    close(seen["still"], nothing, what="gradients that are 0")
    close(seen["zero"], 0.0, what="the norm of gradients that are 0")


@check("clipping", trials=5, covers="R177")
def the_value_is_carried_and_the_gradient_is_cut(rng, trial):
    """truncated_backward gives what torch gives when the state is detached after every k steps; with k ≥ T nothing is cut."""
    made = elman(
        rng, trial, [(1, 3, 2, 2), (2, 6, 3, 4), (3, 7, 4, 5), (2, 5, 3, 2), (2, 3, 4, 2)]
    )
    dh, k = rng.normal(size=(*made["x"].shape[:2], len(made["U"]))), [1, 4, 3, 5, 7][trial]
    return dict(made, dh=dh, h=states(**made), k=k, truth=elman_gradients(dh, **made, k=k))


@the_value_is_carried_and_the_gradient_is_cut.when
def _(student, dh, x, h, h0, V, U, k):
    return student.truncated_backward(dh, x, h, h0, V, U, k)


@the_value_is_carried_and_the_gradient_is_cut.then
def _(seen, truth):
    for name, got, wanted in zip(("dx", "dh0", "dV", "dU", "dc"), seen, truth, strict=True):
        close(got, wanted, tol=TOL, what=name)


# -- lstm --------------------------------------------------------------------------------------------------------------


def lstm(rng, trial, sizes=SIZES, blocks=4):
    """Draw sequences and the weights of an LSTM."""
    N, T, D, H = sizes[trial]
    return dict(
        x=rng.normal(size=(N, T, D)),
        h0=rng.normal(size=(N, H)),
        c0=rng.normal(size=(N, H)),
        V=rng.normal(size=(blocks * H, D)),
        U=0.7 * rng.normal(size=(blocks * H, H)),
        b=rng.normal(size=blocks * H),
    )


def sigma(z):
    """Give the sigmoid."""
    return 0.5 * (1 + np.tanh(0.5 * z))


def lstm_states(x, h0, c0, V, U, b):
    """Run an LSTM."""
    h, c, found = h0, c0, []
    for t in range(x.shape[1]):
        i, f, g, o = np.split(x[:, t] @ V.T + h @ U.T + b, 4, axis=1)
        i, f, g, o = sigma(i), sigma(f), np.tanh(g), sigma(o)
        c = f * c + i * g
        h = o * np.tanh(c)
        found.append((h, c, np.hstack([i, f, g, o])))
    return [np.stack(part, axis=1) for part in zip(*found, strict=True)]


@check("lstm", covers="R183")
def the_lstm_is_that_of_torch(rng, trial):
    """lstm_forward gives the states and the last cell of torch's own LSTM with the same weights."""
    made = lstm(rng, trial)
    h, (_, c) = torch_layer("LSTM", **made)
    return dict(made, truth=[h.numpy(), c[0].numpy()])


@the_lstm_is_that_of_torch.when
def _(student, x, h0, c0, V, U, b):
    h, c, _ = student.lstm_forward(x, h0, c0, V, U, b)
    return h, np.asarray(c)[:, -1]


@the_lstm_is_that_of_torch.then
def _(seen, truth):
    close(seen[0], truth[0], tol=TOL, what="h")
    close(seen[1], truth[1], tol=TOL, what="the last c")


@check("lstm", tol=TOL, covers="R183")
def both_states_are_carried_over_a_cut(rng, trial):
    """Reading a part, and the rest from the h and c reached, gives what reading the whole gives."""
    return dict(lstm(rng, trial), cut=1 + trial)


@both_states_are_carried_over_a_cut.when
def _(student, x, h0, c0, V, U, b, cut):
    h, c, _ = student.lstm_forward(x[:, :cut], h0, c0, V, U, b)
    rest = student.lstm_forward(
        x[:, cut:], np.asarray(h)[:, -1], np.asarray(c)[:, -1], V, U, b
    )
    whole = student.lstm_forward(x, h0, c0, V, U, b)
    return [
        np.concatenate([h, rest[0]], axis=1),
        np.concatenate([c, rest[1]], axis=1),
    ], list(whole[:2])


@both_states_are_carried_over_a_cut.then
def _(seen, expected):
    close(seen[0], seen[1], tol=TOL, what="the two parts, compared with the whole")
    close(seen[0], expected[0], tol=TOL)


@check("lstm", calls="lstm_forward", tol=TOL, covers="R185")
def each_gate_does_its_own_work(rng, trial):
    """With the input, the forget or the output gate shut, nothing is written, nothing is kept, or nothing is shown."""
    made = lstm(rng, trial)
    H = made["h0"].shape[1]
    gate = [0, 1, 3][trial]
    made["b"][gate * H : (gate + 1) * H] = -1000.0
    return made


@check("lstm", tol=TOL, covers="R186")
def one_product_for_four_gates(rng, trial):
    """The gates of the stacked weights are those of four separate products, in the order i, f, g, o."""
    made = lstm(rng, trial, [(1, 1, 2, 3), (2, 1, 3, 5), (3, 1, 5, 4)])
    H = made["h0"].shape[1]
    parts = [
        made["x"][:, 0] @ made["V"][k * H : (k + 1) * H].T
        + made["h0"] @ made["U"][k * H : (k + 1) * H].T
        + made["b"][k * H : (k + 1) * H]
        for k in range(4)
    ]
    i, f, g, o = sigma(parts[0]), sigma(parts[1]), np.tanh(parts[2]), sigma(parts[3])
    return dict(made, truth=[i, f, g, o])


@one_product_for_four_gates.when
def _(student, x, h0, c0, V, U, b):
    gates = np.asarray(student.lstm_forward(x, h0, c0, V, U, b)[2])
    return np.split(gates[:, 0], 4, axis=1)


@one_product_for_four_gates.then
def _(seen, truth):
    for name, got, wanted in zip("ifgo", seen, truth, strict=True):
        close(got, wanted, tol=TOL, what=f"gate {name}")


@check("lstm", trials=5, weight=2, covers="R183 R184")
def the_six_gradients_are_those_of_autograd(rng, trial):
    """All six gradients are those that torch finds, with upstream gradients at every h and at the last c."""
    made = lstm(rng, trial, [*SIZES, (2, 9, 2, 3), (2, 4, 3, 2)])
    h, c, gates = lstm_states(**made)
    unit = [1, 1, 1, 1, 1e6][trial]  # a gradient may have any size
    dh, dc_last = unit * rng.normal(size=h.shape), unit * rng.normal(size=h[:, 0].shape)
    return dict(
        made,
        dh=dh,
        dc_last=dc_last,
        h=h,
        c=c,
        gates=gates,
        truth=lstm_gradients(dh, dc_last, **made),
    )


def lstm_gradients(dh, dc_last, x, h0, c0, V, U, b):
    """Let torch differentiate an LSTM."""
    x, h0, c0, V, U, b = leaves = tensors(x, h0, c0, V, U, b, grad=True)
    dh, dc_last = tensors(dh, dc_last)
    h, c, total = h0, c0, 0.0
    for t in range(x.shape[1]):
        i, f, g, o = (x[:, t] @ V.T + h @ U.T + b).chunk(4, dim=1)
        c = f.sigmoid() * c + i.sigmoid() * g.tanh()
        h = o.sigmoid() * c.tanh()
        total = total + (dh[:, t] * h).sum()
    (total + (dc_last * c).sum()).backward()
    return [leaf.grad.numpy() for leaf in leaves]  # dx, dh0, dc0, dV, dU, db


@the_six_gradients_are_those_of_autograd.when
def _(student, dh, dc_last, x, h, c, gates, h0, c0, V, U):
    return student.lstm_backward(dh, dc_last, x, h, c, gates, h0, c0, V, U)


@the_six_gradients_are_those_of_autograd.then
def _(seen, truth):
    names = ("dx", "dh0", "dc0", "dV", "dU", "db")
    for name, got, wanted in zip(names, seen, truth, strict=True):
        close(got, wanted, tol=TOL, what=name)


@check("lstm", covers="R184")
def the_carousel_keeps_the_cell_and_its_gradient(rng, trial):
    """With f = 1 and i = 0 the cell never changes, and what arrives at c_T reaches c_0 undiminished."""
    made = lstm(rng, trial, [(1, 4, 2, 3), (2, 9, 3, 5), (3, 30, 2, 4)])
    H = made["h0"].shape[1]
    made["b"][:H], made["b"][H : 2 * H] = -1000.0, 1000.0
    h, c, gates = lstm_states(**made)
    return dict(
        made,
        h=h,
        c=c,
        gates=gates,
        dh=np.zeros(h.shape),
        dc_last=rng.normal(size=h[:, 0].shape),
    )


@the_carousel_keeps_the_cell_and_its_gradient.when
def _(student, dh, dc_last, x, h, c, gates, h0, c0, V, U, b):
    cells = np.asarray(student.lstm_forward(x, h0, c0, V, U, b)[1])
    return cells[:, -1], student.lstm_backward(dh, dc_last, x, h, c, gates, h0, c0, V, U)[2]


@the_carousel_keeps_the_cell_and_its_gradient.then
def _(seen, c0, dc_last):
    close(seen[0], c0, tol=TOL, what="the last cell, compared with c0")
    close(
        seen[1], dc_last, tol=TOL, what="dc0, compared with what arrived at the last cell"
    )


# -- experiment --------------------------------------------------------------------------------------------------------


@check("experiment", covers="R195 R205 R207")
def all_texts_of_a_length_share_one(rng, trial):
    """The probabilities of all texts of a length sum to 1, under a model that remembers."""
    K, T = [(2, 2), (3, 4), (4, 3)][trial]
    tokens = np.stack(np.meshgrid(*[np.arange(K)] * T, indexing="ij"), axis=-1).reshape(
        -1, T
    )
    return dict(tokens=tokens, scores=rng.normal(size=(K + 1, K)), start=K)


@all_texts_of_a_length_share_one.when
def _(student, tokens, scores, start):
    import torch

    table = torch.tensor(scores)

    def model(inputs, state=None):
        return 1.5 * torch.sin(table[inputs].cumsum(dim=1)) + table[inputs], state

    return student.token_log_probabilities(model, torch.tensor(tokens), start)


@all_texts_of_a_length_share_one.then
def _(seen, expected):
    total = np.exp(np.asarray(seen, dtype=float).sum(axis=1)).sum()
    if not abs(total - 1) < 1e-4:
        raise Fail(f"the probabilities of all texts of this length sum to {total:.4f}")
    close(seen, expected, tol=TOL)


@check("experiment", covers="R171 R196")
def the_model_reads_from_left_to_right(rng, trial):
    """The scores of a CharLM do not depend on later inputs, and it can go on from a state."""
    N, T, K, H = [(2, 4, 3, 5), (3, 6, 5, 8), (4, 9, 4, 6)][trial]
    one = (rng.integers(K + 1, size=T) + np.arange(N)[:, None]) % (K + 1)
    other, cut = one.copy(), T // 2
    other[:, cut:] = (one[:, cut:] + 1 + rng.integers(K, size=(N, T - cut))) % (K + 1)
    return dict(
        one=one, other=other, cut=cut, vocabulary=K, hidden=H, seed=int(rng.integers(1000))
    )


@the_model_reads_from_left_to_right.when
def _(student, one, other, cut, vocabulary, hidden, seed):
    import torch

    torch.manual_seed(seed)
    model = student.CharLM(vocabulary, hidden).eval()
    inputs = torch.tensor(one)
    with torch.no_grad():
        whole, _ = model(inputs)
        changed, _ = model(torch.tensor(other))
        first, state = model(inputs[:, :cut])
        rest, _ = model(inputs[:, cut:], state)
        alone, _ = model(inputs[:1])
    return dict(
        whole=whole, changed=changed, parts=torch.cat([first, rest], dim=1), alone=alone
    )


def reading(seen, one, cut, vocabulary):
    """Say what is wrong with the way a model reads; nothing, if nothing is.

    The weights are as torch draws them, so the scores may depend on the inputs by chance as little as you like. The logarithm
    of how much they do (the least over the symbols, relative to the largest score) has an exponential tail; fitted to 20,000
    models of the smallest size, of which the least had 0.0034, it gives 4.5e-10 below 1e-5 for an LSTM, and less for a GRU or
    an Elman cell. For the other two sizes it is below 1e-17. What must be the same is nearer than that, within the rounding
    of float32, or scores that are almost one number would pass.
    """
    whole, changed, parts, alone = (
        np.asarray(seen[name], dtype=float)
        for name in ("whole", "changed", "parts", "alone")
    )
    if whole.shape != (*one.shape, vocabulary):
        return f"expected scores of shape {(*one.shape, vocabulary)}, got {whole.shape}"
    size = np.abs(whole).max()
    if not np.ptp(whole[:, cut:], axis=(0, 1)).min() > 1e-5 * size > 0:
        return "the scores do not depend on what was read"
    if not np.abs(whole[:, :cut] - changed[:, :cut]).max() < 5e-6 * size:
        return "the scores change when a later input changes: the model looks ahead"
    if not np.abs(whole - changed)[:, cut:].max() > 1e-5 * size:
        return "the scores do not depend on what was read"
    if not np.abs(whole[:1] - alone).max() < 5e-6 * size:
        return "a sequence gets other scores alone than in a batch"
    if not np.abs(whole - parts).max() < 5e-6 * size:
        return "going on from the state gives other scores than reading all at once"
    return ""


@the_model_reads_from_left_to_right.view
def _(seen, one, cut, vocabulary):
    return reading(seen, one, cut, vocabulary)


@the_model_reads_from_left_to_right.then
def _(seen, one, cut, vocabulary):
    if wrong := reading(seen, one, cut, vocabulary):
        raise Fail(wrong)


@check("experiment", trials=5, covers="R196 R263")
def the_state_is_fed_back_and_the_length_is_kept(rng, trial):
    """generate hands each new state to the next step, gives at most max_length symbols, and none where the end comes first."""
    K = [3, 5, 7, 4, 6][trial]
    table = (
        np.array([rng.permutation(K) for _ in range(40)]) * 2.0
    )  # one row of scores per step
    best = rng.integers(K - 1, size=40)
    best[0], best[1] = 1, 0  # the symbols change
    table[np.arange(40), best] = 3.0 * K
    if trial != 2:
        table[0 if trial == 3 else 2 + trial, K - 1] = 4.0 * K  # the end
    start = 1 if trial == 4 else K  # in trial 4 the start symbol is chosen, too
    return dict(table=table, start=start, end=K - 1, lengths=[30, 2, 1, 0])


@the_state_is_fed_back_and_the_length_is_kept.when
def _(student, table, start, end, lengths):
    heard = []

    def step(symbol, state):
        heard.append(int(symbol))
        return table[state], state + 1

    made = [student.generate(step, 0, start, end, length) for length in lengths]
    return dict(
        made=[[int(one) for one in text] for text in made], first=heard[0], heard=heard[:2]
    )


@the_state_is_fed_back_and_the_length_is_kept.then
def _(seen, expected):
    for name in ("made", "first"):
        close(
            seen[name],
            expected[name],
            what="the texts" if name == "made" else "the first input",
        )


MANY = 2000


@check("experiment", trials=2, covers="R196 R263")
def sampled_texts_have_the_model_s_probabilities(rng, trial):
    """With an rng, texts come as often as the model says: each symbol from the softmax of its scores, until the end."""
    scores = 1.2 * rng.normal(size=(4, 3)) + [0, 900][trial]  # a softmax does not mind
    if trial == 1:
        scores[1, 1] = -900.0  # two of these symbols never follow each other
    return dict(scores=scores, seed=int(rng.integers(2**31)), many=MANY)


@sampled_texts_have_the_model_s_probabilities.when
def _(student, scores, seed, many):
    rng = np.random.default_rng(seed)
    counts = {}
    for _ in range(many):
        text = student.generate(
            lambda symbol, state: (scores[symbol], state), None, 3, 2, 3, rng
        )
        name = "".join(str(int(symbol)) for symbol in text)
        counts[name] = counts.get(name, 0) + 1
    return counts


def text_probabilities(scores):
    """Give the probability of every text of at most 3 symbols, where 2 is the end and 3 the start."""
    p = np.exp(scores - scores.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    found, open_texts = {}, {"": 1.0}
    for length in range(4):
        grown = {}
        for text, mass in open_texts.items():
            row = p[int(text[-1]) if text else 3]
            if length == 3:
                found[text] = mass
                continue
            found[text] = mass * row[2]
            grown |= {text + str(symbol): mass * row[symbol] for symbol in (0, 1)}
        open_texts = grown
    return found


def unlike_the_model(seen, scores):
    """Name the texts that come too often or too rarely; counts of texts that cannot be are too many."""
    truth = text_probabilities(scores)
    odd = [text for text in seen if text not in truth]
    for text, p in truth.items():
        count = int(seen.get(text, 0))
        if improbable(count, MANY, p) if p > 0 else count:
            odd.append(text)
    return odd if sum(seen.values()) == MANY else [*odd, "all of them"]


@sampled_texts_have_the_model_s_probabilities.view
def _(seen, scores):
    beliefs = {
        "as the model says": scores,
        "all symbols alike": 0 * scores,
        "in proportion to the scores": np.log(
            scores - scores.min(axis=1, keepdims=True) + 1e-9
        ),
    }
    return dict(
        how=next(
            (how for how, by in beliefs.items() if not unlike_the_model(seen, by)), ""
        ),
        varied=len(seen) > 1,
        end=any("2" in text for text in seen),
        start=any("3" in text for text in seen),
        long=any(len(text) > 3 for text in seen),
    )


@sampled_texts_have_the_model_s_probabilities.then
def _(seen, scores):
    if odd := unlike_the_model(seen, scores):
        raise Fail(f"{len(odd)} kinds of text come too often or too rarely among {MANY}")


@check("experiment", trials=2, covers="R196")
def chance_comes_from_the_generator(rng, trial):
    """With rngs of one seed generate gives the same texts, and one rng gives another text each time."""
    K = [5, 7][trial]
    return dict(
        scores=rng.normal(size=(K + 1, K)), seed=int(rng.integers(2**31)), length=60
    )


@chance_comes_from_the_generator.when
def _(student, scores, seed, length):
    K, texts = scores.shape[1], []
    for rng in (np.random.default_rng(seed), np.random.default_rng(seed)):
        for _ in range(2):
            text = student.generate(
                lambda symbol, state: (scores[symbol].copy(), state),
                None,
                K,
                K + 1,
                length,
                rng,
            )
            texts.append(text)
    return texts


def fault_of_chance(seen, length):
    """Say what is wrong with two texts and two more from an rng of the same seed; nothing, if nothing is."""
    texts = [np.asarray(text).tolist() for text in seen]
    if any(len(text) != length for text in texts):
        return f"{length} symbols were asked for, and there are {[len(text) for text in texts]}"
    if texts[:2] != texts[2:]:
        return "rngs of one seed lead to different texts: all chance must come from the rng"
    return "one rng leads to the same text twice" if texts[0] == texts[1] else ""


@chance_comes_from_the_generator.view
def _(seen, length):
    return fault_of_chance(seen, length)


@chance_comes_from_the_generator.then
def _(seen, length):
    if wrong := fault_of_chance(seen, length):
        raise Fail(wrong)


# -- concepts ----------------------------------------------------------------------------------------------------------


@concept("concepts", covers="R186")
def size():
    """How many units of an Elman network an LSTM is worth, in parameters."""


@concept("concepts", tol=0.01, covers="R181")
def skips():
    """What is left of a gradient that takes a short way."""


@concept("concepts", tol=0.01, covers="R179")
def balance():
    """How far the states may be from 0 for a gradient to keep its length."""


@concept("concepts", covers="R179 R180")
def run():
    """What happened in a run whose loss jumped."""


@concept("concepts", covers="R195")
def below():
    """What a loss below the entropy rate proves on a short text."""


@concept("concepts", tol=0.01, covers="R184 R189")
def bias():
    """Which bias of the forget gate keeps half of a gradient over 20 steps."""


@concept("concepts", covers="R198")
def drift():
    """Why texts of a model's own lead it astray."""


@concept("concepts", tol=0.01, covers="R176 R199")
def letters():
    """What a perplexity per character is per word."""


@concept("concepts", covers="R188")
def counter():
    """When the cell of an LSTM is where no GRU can follow."""


@concept("concepts", tol=0.01, covers="R185")
def shown():
    """How far the output gate is open."""


# -- gru (extra) -------------------------------------------------------------------------------------------------------


def gru(rng, trial):
    """Draw sequences and the weights of a GRU with one bias."""
    made = lstm(rng, trial, blocks=3)
    return {name: made[name] for name in ("x", "h0", "V", "U", "b")}


@check("gru", covers="R182")
def the_second_gru_is_that_of_torch(rng, trial):
    """gru_forward_torch gives the states of torch's own GRU with the same weights and both biases."""
    made = gru(rng, trial)
    made["b_state"] = 2 * rng.normal(size=len(made["b"]))
    return dict(made, truth=torch_layer("GRU", **made)[0].numpy())


@the_second_gru_is_that_of_torch.when
def _(student, x, h0, V, U, b, b_state):
    return student.gru_forward_torch(x, h0, V, U, b, b_state)


@the_second_gru_is_that_of_torch.then
def _(seen, truth):
    close(seen, truth, tol=TOL)


@check("gru", tol=TOL, covers="R182 R188")
def a_gru_can_hold_its_state_in_either_form(rng, trial):
    """With its update gate at the right end a GRU keeps h0 for ever: u = 0 in the classic form, z = 1 in torch's."""
    made = gru(rng, trial)
    H = made["h0"].shape[1]
    other = made["b"].copy()
    made["b"][H : 2 * H], other[H : 2 * H] = -1000.0, 1000.0
    return dict(made, other=other, b_state=rng.normal(size=3 * H))


@a_gru_can_hold_its_state_in_either_form.when
def _(student, x, h0, V, U, b, other, b_state):
    return [
        student.gru_forward(x, h0, V, U, b),
        student.gru_forward_torch(x, h0, V, U, other, b_state),
    ]


@a_gru_can_hold_its_state_in_either_form.then
def _(seen, x, h0):
    kept = np.repeat(h0[:, None], x.shape[1], axis=1)
    close(seen[0], kept, tol=TOL, what="the classic form, with u = 0")
    close(seen[1], kept, tol=TOL, what="torch's form, with z = 1")


@check("gru", calls="gru_forward", tol=TOL, covers="R182")
def a_shut_reset_hides_the_past_from_the_candidate(rng, trial):
    """With r = 0 and u = 1 each state of the classic GRU is tanh(V x + b), whatever came before."""
    made = gru(rng, trial)
    H = made["h0"].shape[1]
    made["b"][:H], made["b"][H : 2 * H] = -1000.0, 1000.0
    return made


# -- variants (extra) --------------------------------------------------------------------------------------------------


@check("variants", tol=TOL, covers="R187")
def without_its_peepholes_it_is_an_lstm(rng, trial):
    """With P = 0 the peephole LSTM is torch's LSTM; with one row of P it sees the cell through that gate alone."""
    made = lstm(rng, trial)
    h, (_, c) = torch_layer("LSTM", **made)
    P = np.zeros((3, 3, made["h0"].shape[1]))
    for gate in range(3):
        P[gate, gate] = 2 * rng.normal(size=P.shape[2])
    return dict(made, P=P, truth=[h.numpy(), c[0].numpy()])


@without_its_peepholes_it_is_an_lstm.when
def _(student, x, h0, c0, V, U, b, P):
    blind = student.peephole_lstm_forward(x, h0, c0, V, U, b, 0 * P[0])
    seeing = [student.peephole_lstm_forward(x, h0, c0, V, U, b, one)[0] for one in P]
    return [blind[0], np.asarray(blind[1])[:, -1], *seeing]


@without_its_peepholes_it_is_an_lstm.then
def _(seen, expected, truth):
    close(seen[:2], truth, tol=TOL, what="without peepholes")
    for gate, got, wanted in zip("ifo", seen[2:], expected[2:], strict=True):
        close(got, wanted, tol=TOL, what=f"h with a peephole at {gate} alone")


@check("variants", calls="coupled_lstm_forward", tol=TOL, covers="R187")
def a_coupled_cell_is_a_weighted_mean(rng, trial):
    """With the forget gate of one half of the units open and of the others shut, those keep c0 and these take the candidate."""
    made = lstm(rng, trial, blocks=3)
    H = made["h0"].shape[1]
    made["b"][: H // 2], made["b"][H // 2 : H] = 1000.0, -1000.0
    return made


# -- birnn (extra) -----------------------------------------------------------------------------------------------------


def two_networks(rng, trial):
    """Draw padded sequences and two Elman networks."""
    there = elman(rng, trial, [(2, 3, 2, 1), (3, 5, 2, 4), (4, 7, 3, 2)])
    N, T, _ = there["x"].shape
    back = {name: rng.normal(size=there[name].shape) for name in ("h0", "V", "U", "c")}
    lengths = np.array([T - 1, T, *rng.integers(1, T, size=N - 2)])
    nets = [tuple(net[name] for name in ("h0", "V", "U", "c")) for net in (there, back)]
    return dict(x=there["x"], lengths=lengths, forward=nets[0], backward=nets[1])


@check("birnn", calls="birnn_forward", tol=TOL, covers="R190 R200")
def the_backward_network_begins_at_the_last_real_step(rng, trial):
    """What stands in the padding changes no state of a bidirectional network."""
    made = two_networks(rng, trial)
    noise = [5 * rng.normal(size=made["x"].shape), np.nan, np.inf][trial]
    padded = np.arange(made["x"].shape[1]) >= made["lengths"][:, None]
    return dict(made, noisy=np.where(padded[:, :, None], noise, made["x"]))


@the_backward_network_begins_at_the_last_real_step.when
def _(student, x, lengths, forward, backward, noisy):
    return [student.birnn_forward(one, lengths, forward, backward) for one in (x, noisy)]


@check("birnn", tol=TOL, covers="R190")
def reading_backwards_swaps_the_two_networks(rng, trial):
    """Turned-round sequences, read by the two networks with their roles swapped, give the same states turned round."""
    made = two_networks(rng, trial)
    made["lengths"] = np.full(len(made["x"]), made["x"].shape[1])
    return dict(made, turned=made["x"][:, ::-1].copy())


@reading_backwards_swaps_the_two_networks.when
def _(student, x, turned, lengths, forward, backward):
    return [
        student.birnn_forward(x, lengths, forward, backward),
        student.birnn_forward(turned, lengths, backward, forward),
    ]


@reading_backwards_swaps_the_two_networks.then
def _(seen, expected):
    there, back = np.split(np.asarray(seen[0], dtype=float), 2, axis=2)
    swapped = np.concatenate([back, there], axis=2)[:, ::-1]
    close(seen[1], swapped, tol=TOL, what="the states of the turned-round sequences")
    close(seen[0], expected[0], tol=TOL)


@check("birnn", covers="R191")
def two_layers_are_those_of_torch(rng, trial):
    """stacked_forward gives the top states of torch's Elman network of two layers."""
    first = elman(rng, trial)
    lower = torch_layer("RNN", *(first[name] for name in ("x", "h0", "V", "U", "c")))[0]
    H = len(first["U"])
    second = [rng.normal(size=shape) for shape in (first["h0"].shape, (H, H), (H, H), (H,))]
    truth = torch_layer("RNN", lower.numpy(), *second)[0]
    layers = [tuple(first[name] for name in ("h0", "V", "U", "c")), tuple(second)]
    return dict(x=first["x"], layers=layers, truth=truth.numpy())


@two_layers_are_those_of_torch.when
def _(student, x, layers):
    return student.stacked_forward(x, layers)


@two_layers_are_those_of_torch.then
def _(seen, truth):
    close(seen, truth, tol=TOL)


@check("birnn", trials=6, calls="pool", tol=TOL, covers="R193 R200")
def padding_has_no_say_in_the_pool(rng, trial):
    """However large or small the padded states are, or no numbers, pool looks at the real ones alone."""
    N, T, H = [(2, 3, 4), (3, 6, 2), (4, 5, 8), (5, 7, 6), (3, 5, 3), (4, 6, 5)][trial]
    lengths = np.array([1, T, *rng.integers(1, T, size=N - 2)])
    h = rng.normal(size=(N, T, H)) - 4 * (trial == 1)
    h[np.arange(T) >= lengths[:, None]] = [1e3, -7.0, 1e3, 1e3, np.nan, np.inf][trial]
    how = ["ends", "max", "mean", "last", "mean", "max"][trial]
    return dict(h=h, lengths=lengths, how=how)


@check("birnn", calls="tagging_loss_sum", covers="R192")
def every_real_tag_of_a_uniform_tagger_costs_log_K(rng, trial):
    """A tagger that cannot choose among K tags pays log K for every real step, however long or padded the sentences."""
    N, T, K = [(2, 3, 4), (3, 6, 2), (5, 8, 7)][trial]
    lengths = np.array([1, T, *rng.integers(1, T, size=N - 2)])
    logits = np.broadcast_to(800 * rng.normal(size=(N, T, 1)), (N, T, K)).copy()
    logits[np.arange(T) >= lengths[:, None], 0] += [50.0, np.inf, np.nan][trial]
    return dict(logits=logits, tags=rng.integers(1, K, size=(N, T)), lengths=lengths)


@every_real_tag_of_a_uniform_tagger_costs_log_K.then
def _(seen, logits, lengths):
    close(
        seen, float(lengths.sum() * np.log(logits.shape[2])), tol=2e-4
    )  # float32 of scores near 1000


# -- batches (extra) ---------------------------------------------------------------------------------------------------


@check("batches", calls="batches_by_length", covers="R200")
def equal_lengths_keep_their_order(rng, trial):
    """Sequences of the same length stay in the order in which they came."""
    n, size = [(5, 2), (11, 4), (40, 7)][trial]
    lengths = np.resize([3, 1, 2], n)
    return dict(lengths=rng.permutation(lengths).tolist(), size=size)


@check("batches", tol=TOL, covers="R200 R201")
def a_padded_batch_is_its_sequences_one_by_one(rng, trial):
    """The last column of masked states holds what each sequence gives alone, whatever stands in the padding."""
    made = elman(rng, trial, [(2, 3, 2, 1), (3, 5, 2, 4), (5, 8, 3, 2)])
    N, T, _ = made["x"].shape
    lengths = np.array([1, T, *rng.integers(1, T, size=N - 2)])
    mask = np.arange(T) < lengths[:, None]
    alone = [
        states(
            made["x"][n : n + 1, : lengths[n]],
            made["h0"][n : n + 1],
            made["V"],
            made["U"],
            made["c"],
        )
        for n in range(N)
    ]
    made["x"][~mask] = [1e3, np.nan, np.inf][trial]
    return dict(made, mask=mask, truth=np.array([one[0, -1] for one in alone]))


@a_padded_batch_is_its_sequences_one_by_one.when
def _(student, x, mask, h0, V, U, c):
    return np.asarray(student.masked_rnn_forward(x, mask, h0, V, U, c))[:, -1]


@a_padded_batch_is_its_sequences_one_by_one.then
def _(seen, truth):
    close(seen, truth, tol=TOL)


@check("batches", covers="R200")
def padding_may_look_like_a_token(rng, trial):
    """The mask tells the length of a sequence, also where its tokens equal the filler."""
    filler = int(rng.integers(1, 5))
    lengths = [[1, 3], [2, 5, 1], [4, 1, 7, 3]][trial]
    texts = [[*rng.integers(1, 5, size=n - 1).tolist(), filler] for n in lengths]
    return dict(sequences=texts, filler=filler)


@padding_may_look_like_a_token.when
def _(student, sequences, filler):
    tokens, mask = student.pad(sequences, filler)
    return tokens, np.asarray(mask)


# -- dropout (extra) ---------------------------------------------------------------------------------------------------


@check("dropout", trials=2, covers="R202")
def masks_are_drawn_for_every_unit_of_every_sequence(rng, trial):
    """state_mask drops each unit on its own with probability p, by the chance of rng; the others count 1/(1−p)."""
    p = [0.25, 0.6][trial]
    return dict(seed=int(rng.integers(2**31)), n=60, hidden=40, p=p)


@masks_are_drawn_for_every_unit_of_every_sequence.when
def _(student, seed, n, hidden, p):
    generators = [np.random.default_rng(one) for one in (seed, seed, seed + 1)]
    return [student.state_mask(rng, n, hidden, p) for rng in generators]


def mask_fault(seen, n, hidden, p):
    """Say what is wrong with masks of two equal generators and another; nothing, if nothing is."""
    mask, again, other = (np.asarray(one, dtype=float) for one in seen)
    if mask.shape != (n, hidden):
        return f"expected shape {(n, hidden)}, got {mask.shape}"
    dropped = mask == 0
    if not (dropped | (np.abs(mask - 1 / (1 - p)) < 1e-5)).all():
        return f"every entry must be 0 or {1 / (1 - p):.4g}"
    if (dropped == dropped[:1]).all():
        return "all sequences lose the same units"
    if (dropped == dropped[:, :1]).all():
        return "each sequence loses all of its units or none"
    if improbable(int(dropped.sum()), n * hidden, p):
        return f"too {'many' if dropped.mean() > p else 'few'} units are dropped"
    if any(improbable(int(k), n, p) for k in dropped.sum(axis=0)):
        return "some units are dropped in far too many or too few of the sequences"
    if any(improbable(int(k), hidden, p) for k in dropped.sum(axis=1)):
        return "some sequences lose far too many or too few of their units"
    if not np.array_equal(mask, again):
        return (
            "equal generators give different masks: some of the chance is not that of rng"
        )
    if np.array_equal(mask, other):
        return "all generators give the same mask: rng is not used"
    return ""


@masks_are_drawn_for_every_unit_of_every_sequence.view
def _(seen, n, hidden, p):
    return mask_fault(seen, n, hidden, p)


@masks_are_drawn_for_every_unit_of_every_sequence.then
def _(seen, n, hidden, p):
    if wrong := mask_fault(seen, n, hidden, p):
        raise Fail(wrong)


@check("dropout", calls="dropout_forward", tol=TOL, covers="R202")
def dropped_outputs_are_remembered_all_the_same(rng, trial):
    """Masks on the outputs hide states, but the recurrence goes on as if there were none; a dropped unit of it stays out."""
    made = elman(rng, trial)
    N, T, _ = made["x"].shape
    H = len(made["U"])
    on_state = np.where(np.arange(H) % 2 == 0, 0.0, 2.0) * np.ones((N, 1))
    on_outputs = np.zeros((N, T, H))
    on_outputs[:, -1] = 1.0
    return dict(made, on_state=on_state, on_outputs=on_outputs)


# -- likelihood (extra) ------------------------------------------------------------------------------------------------


def language(rng, K, D, H):
    """Draw a language model."""
    return dict(
        E=rng.normal(size=(K + 1, D)),
        V=rng.normal(size=(H, D)),
        U=rng.normal(size=(H, H)),
        c=rng.normal(size=H),
        W=1.5 * rng.normal(size=(K, H)),
        b=rng.normal(size=K),
    )


@check("likelihood", calls="log_probability", covers="R195")
def the_probabilities_of_all_sequences_sum_to_one(rng, trial):
    """Over all sequences of a length, the probabilities sum to 1."""
    K, T = [(2, 2), (3, 4), (2, 7)][trial]
    tokens = np.stack(np.meshgrid(*[np.arange(K)] * T, indexing="ij"), axis=-1).reshape(
        -1, T
    )
    return dict(tokens=tokens, model=language(rng, K, 3, 5))


@the_probabilities_of_all_sequences_sum_to_one.then
def _(seen, expected):
    total = np.exp(np.asarray(seen, dtype=float)).sum()
    if not abs(total - 1) < 1e-4:
        raise Fail(f"the probabilities of all sequences of this length sum to {total:.4f}")
    close(seen, expected, tol=TOL)


@check("likelihood", calls="classify", covers="R194")
def the_least_surprised_model_wins(rng, trial):
    """classify gives the class whose model, weighed by its prior, finds the sequence most probable."""
    N, T, K, classes = [(4, 2, 2, 2), (12, 5, 3, 4), (30, 4, 4, 3)][trial]
    while True:
        models = [language(rng, K, 2, 3) for _ in range(classes)]
        tokens, priors = rng.integers(K, size=(N, T)), rng.dirichlet(np.ones(classes))
        bare = np.array([likelihoods(tokens, model) for model in models])
        weighed = np.sort(bare + np.log(priors)[:, None], axis=0)
        chosen = (bare + np.log(priors)[:, None]).argmax(axis=0)
        clear = (weighed[-1] - weighed[-2]).min() > 1e-3  # no rounding decides
        plain = bare.argmax(axis=0)
        added = (bare + priors[:, None]).argmax(
            axis=0
        )  # a prior that was not made a logarithm
        differ = (
            (chosen != plain).any() and (chosen != added).any() and (plain != added).any()
        )
        if clear and chosen.std() > 0 and (differ or trial == 0):
            return dict(tokens=tokens, models=models, priors=priors)


def likelihoods(tokens, model):
    """Give the log-probabilities of sequences under a model."""
    before = np.column_stack([np.full(len(tokens), len(model["b"])), tokens[:, :-1]])
    zeros = np.zeros((len(tokens), len(model["c"])))
    h = states(model["E"][before], zeros, model["V"], model["U"], model["c"])
    scores = h @ model["W"].T + model["b"]
    log_p = scores - np.log(np.exp(scores).sum(axis=2, keepdims=True))
    return np.take_along_axis(log_p, tokens[:, :, None], axis=2).sum(axis=(1, 2))


@check("likelihood", trials=2, tol=TOL, covers="R194 R195")
def long_texts_have_a_probability_too(rng, trial):
    """Where a text is so long that its probability is below e^−745, it still has a logarithm, and a class.

    Model k prefers symbol k. Two of three symbols of a text are its favourite one, so its class wins by hundreds of nats.
    """
    N, T, K = [(4, 1200, 4), (5, 1500, 6)][trial]
    models = [language(rng, K, 2, 3) for _ in range(K - 1)]
    for k, model in enumerate(
        models
    ):  # a short memory, or rounding errors would grow with T
        model.update(U=0.2 * model["U"], W=0.2 * model["W"], b=2.0 * (np.arange(K) == k))
    favourite = rng.permutation(np.resize(np.arange(K - 1), N))
    tokens = np.where(
        rng.random((N, T)) < 0.6, favourite[:, None], rng.integers(K, size=(N, T))
    )
    return dict(tokens=tokens, models=models, priors=rng.dirichlet(np.full(K - 1, 5.0)))


@long_texts_have_a_probability_too.when
def _(student, tokens, models, priors):
    return [
        student.log_probability(tokens, models[0]),
        student.classify(tokens, models, priors),
    ]
