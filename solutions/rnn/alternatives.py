"""Right answers about recurrent networks, written another way: all of them get full marks."""

from redink.checks import alternative

# -- cell --------------------------------------------------------------------------------------------------------------


@alternative("one_product_of_joined_inputs", "cell")
def rnn_cell(x, h, V, U, c):
    joined = np.concatenate([x, h, np.ones((len(x), 1))], axis=1)
    return np.tanh(joined @ np.concatenate([V, U, c[:, None]], axis=1).T)


@alternative("unit_by_unit", "cell")
def rnn_cell(x, h, V, U, c):
    new = np.zeros(h.shape)
    for n in range(len(h)):
        for k in range(len(c)):
            new[n, k] = np.tanh(sum(V[k] * x[n]) + sum(U[k] * h[n]) + c[k])
    return new


@alternative("runs_in_float32", "cell")
def rnn_forward(x, h0, V, U, c):
    x, h, V, U, c = (one.astype(np.float32) for one in (x, h0, V, U, c))
    found = np.zeros((*x.shape[:2], len(c)), dtype=np.float32)
    for t in range(x.shape[1]):
        h = np.tanh(x[:, t] @ V.T + h @ U.T + c)
        found[:, t] = h
    return found


@alternative("inputs_of_all_steps_at_once", "cell")
def rnn_forward(x, h0, V, U, c):
    driven = np.einsum("ntd,hd->nth", x, V) + c
    found = np.empty(driven.shape)
    for t in range(x.shape[1]):
        found[:, t] = np.tanh(driven[:, t] + (h0 if t == 0 else found[:, t - 1]) @ U.T)
    return found


@alternative("softmax_through_logaddexp", "cell")
def token_probabilities(h, W, b):
    z = np.einsum("nth,kh->ntk", h, W) + b
    return np.exp(z - np.logaddexp.reduce(z, axis=2, keepdims=True))


@alternative("labels_from_probabilities_as_lists", "cell")
def greedy_labels(h, W, b):
    return [[int(np.argmax(W @ state + b)) for state in row] for row in h]


# -- loss --------------------------------------------------------------------------------------------------------------


@alternative("token_by_token", "loss")
def sequence_loss(logits, targets, mask):
    total, count, slope = 0.0, int(mask.sum()), np.zeros(logits.shape)
    for n, t in zip(*np.nonzero(mask)):
        z = logits[n, t] - logits[n, t].max()
        p = np.exp(z) / np.exp(z).sum()
        total += np.log(np.exp(z).sum()) - z[targets[n, t]]
        slope[n, t] = (p - np.eye(len(z))[targets[n, t]]) / count
    return np.float64(total / count), slope


@alternative("one_hot_targets_and_a_weighted_mean", "loss")
def sequence_loss(logits, targets, mask):
    weights = mask / mask.sum()
    logits = np.where(mask[:, :, None], logits, 0)
    log_p = logits - np.logaddexp.reduce(logits, axis=2, keepdims=True)
    hot = np.eye(logits.shape[2])[np.where(mask, targets, 0)]
    loss = -np.sum(weights * np.sum(hot * log_p, axis=2))
    return loss, weights[:, :, None] * (np.exp(log_p) - hot)


@alternative("perplexity_as_a_geometric_mean", "loss")
def perplexity(logits, targets, mask):
    z = logits[mask]
    log_p = z - np.logaddexp.reduce(z, axis=1, keepdims=True)
    return np.prod(np.exp(-log_p[np.arange(len(z)), targets[mask]]) ** (1 / len(z)))


@alternative("loss_in_float32", "loss")
def sequence_loss(logits, targets, mask):
    z = np.where(mask[:, :, None], logits, 0).astype(np.float32)
    z = z - z.max(axis=2, keepdims=True)
    log_p = z - np.log(np.exp(z).sum(axis=2, keepdims=True))
    hot = np.eye(z.shape[2], dtype=np.float32)[np.where(mask, targets, 0)]
    weights = (mask / mask.sum()).astype(np.float32)
    loss = -(weights * (hot * log_p).sum(axis=2)).sum()
    return loss, weights[:, :, None] * (np.exp(log_p) - hot)


# -- bptt --------------------------------------------------------------------------------------------------------------


@alternative("adds_up_step_by_step", "bptt")
def rnn_backward(dh, x, h, h0, V, U):
    dx, dV, dU, dc = (
        np.zeros(x.shape),
        np.zeros(V.shape),
        np.zeros(U.shape),
        np.zeros(len(U)),
    )
    back = 0.0
    for t in range(x.shape[1] - 1, -1, -1):
        da = (dh[:, t] + back) * (1 - h[:, t]) * (1 + h[:, t])
        dV += da.T @ x[:, t]
        dU += da.T @ (h[:, t - 1] if t > 0 else h0)
        dc += da.sum(axis=0)
        dx[:, t] = da @ V
        back = da @ U
    return dx, back, dV, dU, dc


@alternative("sequence_by_sequence_with_jacobians", "bptt")
def rnn_backward(dh, x, h, h0, V, U):
    N, T, D = x.shape
    dx, dh0 = np.zeros((N, T, D)), np.zeros(h0.shape)
    dV, dU, dc = np.zeros(V.shape), np.zeros(U.shape), np.zeros(len(U))
    for n in range(N):
        g = np.zeros(len(U))
        for t in reversed(range(T)):
            a = np.diag(1 - h[n, t] ** 2).T @ (g + dh[n, t])
            before = h0[n] if t == 0 else h[n, t - 1]
            dV, dU, dc = dV + np.outer(a, x[n, t]), dU + np.outer(a, before), dc + a
            dx[n, t], g = V.T @ a, U.T @ a
        dh0[n] = g
    return dx, dh0, dV, dU, dc


@alternative("backwards_in_float32", "bptt")
def rnn_backward(dh, x, h, h0, V, U):
    dh, x, h, h0, V, U = (one.astype(np.float32) for one in (dh, x, h, h0, V, U))
    past = np.concatenate([h0[:, None], h], axis=1)[:, :-1]
    da, back = np.zeros_like(h), np.zeros_like(h0)
    for t in range(h.shape[1])[::-1]:
        da[:, t] = (dh[:, t] + back) * (1 - h[:, t] ** 2)
        back = da[:, t] @ U
    flat = da.reshape(-1, len(U))
    dV, dU = flat.T @ x.reshape(-1, x.shape[2]), flat.T @ past.reshape(-1, len(U))
    return [da @ V, back, dV, dU, flat.sum(axis=0)]


# -- clipping ----------------------------------------------------------------------------------------------------------


@alternative("radius_from_eig", "clipping")
def spectral_radius(U):
    values, _ = np.linalg.eig(U)
    return max(abs(value) for value in values)


@alternative("norms_from_singular_values", "clipping")
def jacobian_norms(h, U):
    product, norms = np.eye(len(U)), []
    for t in range(len(h), -1, -1):
        norms.insert(0, np.linalg.svd(product, compute_uv=False)[0])
        if t:
            product = product @ np.diag(1 - h[t - 1] ** 2) @ U
    return norms


@alternative("clips_one_long_vector", "clipping")
def clip_by_global_norm(gradients, limit):
    norm = np.linalg.norm(np.concatenate([np.ravel(g) for g in gradients]))
    return tuple(g / max(1.0, norm / limit) for g in gradients), norm


@alternative("truncates_in_one_sweep", "clipping")
def truncated_backward(dh, x, h, h0, V, U, k):
    past = np.concatenate([h0[:, None], h[:, :-1]], axis=1)
    da, back = np.zeros_like(h), np.zeros_like(h0)
    for t in reversed(range(h.shape[1])):
        if (t + 1) % k == 0:
            back = np.zeros_like(h0)
        da[:, t] = (dh[:, t] + back) * (1 - h[:, t] ** 2)
        back = da[:, t] @ U
    dV, dU = np.tensordot(da, x, ([0, 1], [0, 1])), np.tensordot(da, past, ([0, 1], [0, 1]))
    return da @ V, back, dV, dU, da.sum((0, 1))


# -- lstm --------------------------------------------------------------------------------------------------------------


@alternative("four_products_and_an_exponential", "lstm")
def lstm_forward(x, h0, c0, V, U, b):
    N, T, _ = x.shape
    H = h0.shape[1]
    h, c = np.zeros((N, T, H)), np.zeros((N, T, H))
    gates = np.zeros((N, T, 4 * H))
    for t in range(T):
        h_before, c_before = (h0, c0) if t == 0 else (h[:, t - 1], c[:, t - 1])
        values = []
        for k in range(4):
            rows = slice(k * H, (k + 1) * H)
            a = x[:, t] @ V[rows].T + h_before @ U[rows].T + b[rows]
            with np.errstate(over="ignore"):
                values.append(np.tanh(a) if k == 2 else 1 / (1 + np.exp(-a)))
        i, f, g, o = values
        c[:, t] = f * c_before + i * g
        h[:, t] = o * np.tanh(c[:, t])
        gates[:, t] = np.concatenate(values, axis=1)
    return h, c, gates


@alternative("lstm_in_float32", "lstm")
def lstm_forward(x, h0, c0, V, U, b):
    x, h, c, V, U, b = (one.astype(np.float32) for one in (x, h0, c0, V, U, b))
    found = []
    for t in range(x.shape[1]):
        a = (x[:, t] @ V.T + h @ U.T + b).reshape(len(x), 4, -1)
        i, f, o = (np.float32(0.5) * (1 + np.tanh(a[:, k] / 2)) for k in (0, 1, 3))
        g = np.tanh(a[:, 2])
        c = f * c + i * g
        h = o * np.tanh(c)
        found.append([h, c, np.concatenate([i, f, g, o], axis=1)])
    return [np.stack(part, axis=1) for part in zip(*found)]


@alternative("lstm_backwards_step_by_step", "lstm")
def lstm_backward(dh, dc_last, x, h, c, gates, h0, c0, V, U):
    N, T, D = x.shape
    H = h0.shape[1]
    dx, dV, dU, db = (
        np.zeros(x.shape),
        np.zeros(V.shape),
        np.zeros(U.shape),
        np.zeros(4 * H),
    )
    from_h, from_c = np.zeros((N, H)), np.array(dc_last)
    for t in range(T - 1, -1, -1):
        i, f, g, o = (gates[:, t, k * H : (k + 1) * H] for k in range(4))
        old_h, old_c = (h[:, t - 1], c[:, t - 1]) if t else (h0, c0)
        at_h = dh[:, t] + from_h
        at_c = from_c + at_h * (o - h[:, t] * np.tanh(c[:, t]))
        a = np.zeros((N, 4 * H))
        a[:, :H] = at_c * g * (i - i * i)
        a[:, H : 2 * H] = at_c * old_c * (f - f * f)
        a[:, 2 * H : 3 * H] = at_c * i * (1 - g) * (1 + g)
        a[:, 3 * H :] = at_h * h[:, t] * (1 - o)
        dx[:, t], from_h, from_c = a @ V, a @ U, at_c * f
        dV, dU, db = dV + a.T @ x[:, t], dU + a.T @ old_h, db + a.sum(axis=0)
    return dx, from_h, from_c, dV, dU, db


# -- experiment --------------------------------------------------------------------------------------------------------


@alternative("inputs_filled_in_place", "experiment")
def teacher_inputs(tokens, start):
    inputs = torch.empty_like(tokens)
    inputs[:, 0], inputs[:, 1:] = start, tokens[:, :-1]
    return inputs


alternative(
    "a_gru_does_as_well",
    "experiment",
    old="self.recurrent = torch.nn.LSTM(hidden, hidden, batch_first=True)",
    new="self.recurrent = torch.nn.GRU(hidden, hidden, batch_first=True)",
)

alternative(
    "an_elman_network_does_as_well",
    "experiment",
    old="self.recurrent = torch.nn.LSTM(hidden, hidden, batch_first=True)",
    new="self.recurrent = torch.nn.RNN(hidden, 2 * hidden, batch_first=True)\n        hidden = 2 * hidden",
)

alternative(
    "a_constant_rate_of_a_hundredth",
    "experiment",
    old=(
        "    optimiser = torch.optim.Adam(model.parameters(), lr=0.02)\n"
        "    calm = torch.optim.lr_scheduler.LinearLR(optimiser, 1.0, 0.05, total_iters=steps)"
    ),
    new=(
        "    optimiser = torch.optim.Adam(model.parameters(), lr=0.01)\n"
        "    calm = torch.optim.lr_scheduler.ConstantLR(optimiser, 1.0)"
    ),
)

alternative(
    "dropout_that_ends_with_the_training",
    "experiment",
    old="self.output = torch.nn.Linear(hidden, vocabulary)",
    new=(
        "self.output = torch.nn.Sequential(\n"
        "            torch.nn.Dropout(0.1), torch.nn.Linear(hidden, vocabulary)\n"
        "        )"
    ),
)
alternative(
    "dropout_that_ends_with_the_training",
    "experiment",
    old="        calm.step()\n    return model",
    new="        calm.step()\n    return model.eval()",
)

alternative(
    "without_clipping",
    "experiment",
    old="        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)\n",
    new="",
)


@alternative("log_probabilities_from_cross_entropy", "experiment")
def token_log_probabilities(model, tokens, start):
    scores, _ = model(teacher_inputs(tokens, start))
    costs = torch.nn.functional.cross_entropy(
        scores.reshape(-1, scores.shape[-1]), tokens.reshape(-1), reduction="none"
    )
    return -costs.reshape(tokens.shape)


@alternative("samples_by_the_cumulative_sum", "experiment")
def generate(step, state, start, end, max_length, rng=None):
    made, last = [], start
    for _ in range(max_length):
        scores, state = step(last, state)
        if rng is None:
            last = max(range(len(scores)), key=lambda k: scores[k])
        else:
            powers = np.cumsum(np.exp(np.asarray(scores) - max(scores)))
            last = int(np.searchsorted(powers, rng.random() * powers[-1], side="right"))
        if last == end:
            return made
        made.append(last)
    return made


@alternative("samples_by_gumbel_noise", "experiment")
def generate(step, state, start, end, max_length, rng=None):
    text = [start]
    while len(text) <= max_length:
        scores, state = step(text[-1], state)
        noise = 0 if rng is None else rng.gumbel(size=len(scores))
        text.append(np.argmax(scores + noise))
        if text[-1] == end:
            text.pop()
            break
    return text[1:]


# -- concepts ----------------------------------------------------------------------------------------------------------

alternative(
    "answers_with_capitals_and_more_digits",
    "concepts",
    old='    skips=0.262,\n    balance=0.447,\n    run="exploded",',
    new='    skips=0.8**6,\n    balance=0.2**0.5,\n    run=" Exploded ",',
)

# -- gru (extra) -------------------------------------------------------------------------------------------------------


@alternative("the_classic_gru_as_a_step_towards_the_candidate", "gru")
def gru_forward(x, h0, V, U, b):
    (Vr, Vu, Vh), (Ur, Uu, Uh), (br, bu, bh) = (np.split(one, 3) for one in (V, U, b))
    states = [h0]
    for t in range(x.shape[1]):
        now, h = x[:, t], states[-1]
        r = 1 / (1 + np.exp(-np.clip(now @ Vr.T + h @ Ur.T + br, -700, 700)))
        u = 1 / (1 + np.exp(-np.clip(now @ Vu.T + h @ Uu.T + bu, -700, 700)))
        states.append(h + u * (np.tanh(now @ Vh.T + (r * h) @ Uh.T + bh) - h))
    return np.stack(states[1:], axis=1)


# -- variants (extra) --------------------------------------------------------------------------------------------------


@alternative("coupled_in_blocks", "variants")
def coupled_lstm_forward(x, h0, c0, V, U, b):
    H, h, c = h0.shape[1], h0, c0
    hs, cs = [], []
    for t in range(x.shape[1]):
        a = np.einsum("nd,ad->na", x[:, t], V) + np.einsum("nh,ah->na", h, U) + b
        f, o = sigmoid(a[:, :H]), sigmoid(a[:, 2 * H :])
        g = np.tanh(a[:, H : 2 * H])
        c = g + f * (c - g)
        h = o * np.tanh(c)
        hs.append(h)
        cs.append(c)
    return np.array(hs).transpose(1, 0, 2), np.array(cs).transpose(1, 0, 2)


# -- birnn (extra) -----------------------------------------------------------------------------------------------------


@alternative("both_ways_with_masks", "birnn")
def birnn_forward(x, lengths, forward, backward):
    N, T, _ = x.shape
    real = np.arange(T) < np.asarray(lengths)[:, None]
    halves = []
    for (h, V, U, c), steps in ((forward, range(T)), (backward, range(T)[::-1])):
        found = np.zeros((N, T, len(U)))
        for t in steps:
            h = np.where(real[:, t, None], np.tanh(x[:, t] @ V.T + h @ U.T + c), h)
            found[:, t] = real[:, t, None] * h
        halves.append(found)
    return np.concatenate(halves, axis=2)


@alternative("pools_with_a_mask", "birnn")
def pool(h, lengths, how):
    lengths = np.asarray(lengths)
    real = (np.arange(h.shape[1]) < lengths[:, None])[:, :, None]
    last = h[np.arange(len(h)), lengths - 1]
    if how == "mean":
        return np.where(real, h, 0).sum(axis=1) / lengths[:, None]
    if how == "max":
        return np.where(real, h, -np.inf).max(axis=1)
    half = h.shape[2] // 2
    return last if how == "last" else np.hstack([last[:, :half], h[:, 0, half:]])


# -- batches (extra) ---------------------------------------------------------------------------------------------------


@alternative("pads_row_by_row", "batches")
def pad(sequences, filler):
    T = max(len(one) for one in sequences)
    tokens = [list(one) + [filler] * (T - len(one)) for one in sequences]
    return tokens, [[t < len(one) for t in range(T)] for one in sequences]


@alternative("sorts_pairs", "batches")
def batches_by_length(lengths, size):
    order = [i for _, i in sorted((length, i) for i, length in enumerate(lengths))]
    batches = []
    while order:
        batches.append(order[:size])
        order = order[size:]
    return batches


@alternative("steps_sequence_by_sequence", "batches")
def masked_rnn_forward(x, mask, h0, V, U, c):
    found = np.zeros((*x.shape[:2], len(c)))
    for n in range(len(x)):
        h = h0[n]
        for t in range(x.shape[1]):
            if mask[n, t]:
                h = np.tanh(V @ x[n, t] + U @ h + c)
            found[n, t] = h
    return found


# -- dropout (extra) ---------------------------------------------------------------------------------------------------


@alternative("masks_by_binomial_draws", "dropout")
def state_mask(rng, n, hidden, p):
    return rng.binomial(1, 1 - p, size=(n, hidden)) / (1 - p)


@alternative("masks_U_instead_of_the_state", "dropout")
def dropout_forward(x, h0, V, U, c, on_state, on_outputs):
    found = np.zeros(on_outputs.shape)
    for n in range(len(x)):
        h, masked = h0[n], U * on_state[n]
        for t in range(x.shape[1]):
            h = np.tanh(V @ x[n, t] + masked @ h + c)
            found[n, t] = h
    return found * on_outputs


# -- likelihood (extra) ------------------------------------------------------------------------------------------------


@alternative("symbol_by_symbol", "likelihood")
def log_probability(tokens, model):
    totals = []
    for row in tokens:
        h, last, total = np.zeros(len(model["c"])), len(model["W"]), 0.0
        for symbol in row:
            h = np.tanh(model["V"] @ model["E"][last] + model["U"] @ h + model["c"])
            z = model["W"] @ h + model["b"]
            total += z[symbol] - np.logaddexp.reduce(z)
            last = symbol
        totals.append(total)
    return totals
