"""Public checks of the transformer: they find the usual slips, on examples small enough to read."""

from typing import TYPE_CHECKING

import numpy as np

from redink.checks import Fail, answers_have_form, check
from redink.checks.stand_ins import (
    attention,
    block,
    gpt_weights,
    head_weights,
    layer_weights,
    loaded,
    ranked,
    stack_weights,
)

if TYPE_CHECKING:
    import torch  # the box has it; the grader need not

# -- attention ---------------------------------------------------------------------------------------------------------


@check("attention", calls="project", returns="Q K V", covers="R266")
def every_word_makes_a_query_a_key_and_a_value(rng, trial):
    """project gives the queries, keys and values of every word, in this order; X may hold integers."""
    lead, n, d, d_k, d_v = [((), 1, 2, 3, 1), ((), 4, 3, 2, 5), ((2, 3), 5, 4, 6, 3)][trial]
    X = rng.normal(size=(*lead, n, d)) if trial == 2 else rng.integers(1, 5, size=(n, d)).astype([float, int][trial])
    W_q, W_k, W_v = (rng.integers(-4, 5, size=(size, d)) + 0.5 for size in (d_k, d_k, d_v))
    return dict(X=X, W_q=W_q, W_k=W_k, W_v=W_v)


def queries_keys_values(rng, trial):
    """Draw queries, keys and values; the first trial is the example of the notebook, and the fourth has integers."""
    lead, n, m, d_k, d_v = [((), 1, 2, 4, 2), ((), 3, 5, 2, 4), ((2, 3), 4, 6, 5, 3), ((1,), 2, 3, 3, 2)][trial]
    if trial == 3:
        Q, K = rng.integers(-2, 3, size=(1, n, d_k)), rng.integers(-2, 3, size=(1, m, d_k))
        return dict(Q=Q, K=K, V=rng.permuted(np.resize([-7, 2, 5, 8, -4, 3], (1, m, d_v))))
    Q, K, V = (rng.normal(size=(*lead, *shape)) for shape in ((n, d_k), (m, d_k), (m, d_v)))
    if trial == 0:
        Q, K = np.array([[2.0, 0, 0, 0]]), np.array([[np.log(3), 0, 1, 0], [0, 5, 0, 0]])
        V = 4.0 * rng.permutation([[2, 0], [0, 1]])
    return dict(Q=1.5 * Q if trial else Q, K=K, V=V)


@check("attention", calls="attention", returns="Z P", trials=4, tol=1e-5, covers="R242 R243 R254 R262 R265 R267")
def attention_averages_the_values(rng, trial):
    """attention gives the mean of the values for each query, and the weights of it; all three may hold integers."""
    return queries_keys_values(rng, trial)


@check("attention", calls="attention", returns="Z P", trials=4, tol=1e-5, covers="R270")
def a_masked_score_is_minus_infinity(rng, trial):
    """Where the mask is False the weight is 0, and the other weights of the row still sum to 1, however large the scores."""
    if trial == 3:  # scores of ±1e12, the largest of them hidden; all of it is exact, and so are ties
        Q, K = 2.0**38 * rng.integers(1, 5, size=(2, 4)), -1.0 * rng.integers(1, 5, size=(4, 4))
        K[0] = 1.0
        return dict(Q=Q, K=K, V=rng.normal(size=(4, 3)), mask=np.array([[0, 1, 1, 1], [0, 1, 0, 1]], dtype=bool))
    inputs = queries_keys_values(rng, trial)
    n, m = inputs["Q"].shape[-2], inputs["K"].shape[-2]
    mask = rng.random((*inputs["Q"].shape[:-2], n, m)) < 0.5
    mask[..., np.arange(n), np.arange(n) % m] = True  # every row sees something …
    mask[..., np.arange(n), (np.arange(n) + 1) % m] = False  # … and something is hidden
    return dict(inputs, mask=mask)


@check("attention", calls="causal_mask", trials=4, covers="R271")
def position_t_sees_itself_and_the_past(rng, trial):
    """causal_mask is True where the key is not later than the query."""
    return dict(n=[2, 3, int(rng.integers(5, 9)), 1][trial])


@check("attention", calls="padding_mask", trials=4, covers="R270")
def blanks_are_not_seen(rng, trial):
    """padding_mask is True at the first lengths[b] keys of sentence b, in the shape B×1×m."""
    lengths, m = [([1, 2], 3), ([4, 0, 2], 4), (rng.integers(1, 7, size=5), 8), ([3], 5)][trial]
    return dict(lengths=np.array(lengths), m=m)


# -- backward ----------------------------------------------------------------------------------------------------------


def a_forward_pass(reference, rng, trial):
    """Draw the inputs of attention, run it with a mask, and draw a gradient for its output."""
    lead, n, m, d_k, d_v = [((), 1, 2, 4, 2), ((), 3, 4, 2, 5), ((2, 3), 4, 6, 5, 3), ((1,), 2, 3, 3, 2)][trial]
    shapes = [(*lead, n, d_k), (*lead, m, d_k), (*lead, m, d_v), (*lead, n, d_v)]
    Q, K, V, dZ = (rng.integers(-2, 3, size=shape) if trial == 3 else rng.normal(size=shape) for shape in shapes)
    if trial == 0:
        Q, K = np.array([[2.0, 0, 0, 0]]), np.array([[np.log(3), 0, 1, 0], [0, 5, 0, 0]])
        V, dZ = np.array([[8.0, 0], [0, 4]]), np.array([[1.0, 0]]) * rng.integers(1, 4)
    mask = rng.random((*lead, n, m)) < (0.7 if trial in (1, 2) else 2)
    mask[..., np.arange(n), np.arange(n) % m] = True
    return dict(dZ=dZ, Q=Q, K=K, V=V, P=reference.attention(Q, K, V, mask)[1])


@check("backward", calls="softmax_backward", covers="R267")
def back_through_the_softmax(rng, trial):
    """softmax_backward sends dP back to the scores, row by row; for two keys, ds₁ = p₁p₂(dp₁ − dp₂). Integers may come."""
    n, m = [(1, 2), (3, 4), (5, 7)][trial]
    lead = (2,) if trial == 2 else ()
    dP = [
        rng.integers(3, 9, size=(1, 2)).astype(float),
        rng.permuted(np.resize([-5, 2, 7, 3], (3, 4)), axis=1),  # integers
        rng.normal(size=(*lead, n, m)),
    ][trial]
    return dict(dP=dP, P=np.array([[0.75, 0.25]]) if trial == 0 else rng.dirichlet(np.ones(m), size=(*lead, n)))


@check("backward", calls="attention_backward", returns="dQ dK dV", trials=4, covers="R267")
def back_through_attention(rng, trial, reference):
    """attention_backward gives the gradients in the queries, the keys and the values; all may hold integers."""
    return a_forward_pass(reference, rng, trial)


@check("backward", calls="projection_backward", returns="dX dW_q dW_k dW_v", covers="R266")
def back_through_the_projections(rng, trial):
    """projection_backward gives the gradients in X, which may hold integers, and in the three weight matrices."""
    B, n, d, d_k, d_v = [(1, 1, 2, 1, 1), (2, 3, 4, 2, 5), (3, 5, 4, 6, 2)][trial]
    draw = rng.normal if trial else lambda size: rng.integers(1, 5, size=size).astype(float)
    dQ, dK, dV = (draw(size=(B, n, size)) for size in (d_k, d_k, d_v))
    W_q, W_k, W_v = (draw(size=(size, d)) for size in (d_k, d_k, d_v))
    X = rng.integers(-4, 5, size=(B, n, d)) if trial == 1 else draw(size=(B, n, d))
    return dict(dQ=dQ, dK=dK, dV=dV, X=X, W_q=W_q, W_k=W_k, W_v=W_v)


def whole(rng, weights):
    """Draw small whole numbers in place of some weights, none of them 0, so that one can reckon by hand."""
    return {name: rng.choice([-2.0, -1.0, 1.0, 2.0], size=one.shape) for name, one in weights.items()}


# -- heads -------------------------------------------------------------------------------------------------------------


@check("heads", covers="R269")
def a_head_is_a_block_of_columns(rng, trial):
    """split_heads gives head j the columns j·d/h … (j+1)·d/h − 1 of every word, in the shape B×h×n×d/h."""
    B, n, heads, each = [(1, 2, 2, 2), (2, 5, 3, 4), (3, 4, 2, 5)][trial]
    X = np.arange(B * n * heads * each) + 1.0 if trial == 0 else rng.normal(size=B * n * heads * each)
    return dict(X=X.reshape(B, n, heads * each), heads=heads)


@a_head_is_a_block_of_columns.when
def _(student, X, heads):
    return student.split_heads(torch.from_numpy(X), heads)


@check("heads", covers="R269")
def heads_are_put_side_by_side(rng, trial):
    """merge_heads puts the heads of each word side by side, in the shape B×n×(h·e)."""
    B, n, heads, each = [(1, 2, 2, 2), (2, 5, 3, 4), (3, 4, 2, 5)][trial]
    X = np.arange(B * n * heads * each) + 1.0 if trial == 0 else rng.normal(size=B * n * heads * each)
    return dict(X=X.reshape(B, heads, n, each))


@heads_are_put_side_by_side.when
def _(student, X):
    return student.merge_heads(torch.from_numpy(X))


@check("heads", trials=4, covers="R269")
def every_head_attends_and_all_are_mixed(rng, trial):
    """MultiHeadAttention projects, lets every head attend with its own scale, and mixes the heads by `out`."""
    B, n, heads, each = [(1, 2, 2, 1), (2, 3, 2, 4), (2, 5, 3, 2), (1, 3, 1, 3)][trial]
    x, weights = rng.normal(size=(B, n, heads * each)), head_weights(rng, heads * each)
    if trial == 0:  # by hand: whole numbers, and none of them 0
        x, weights = np.sign(x), whole(rng, weights)
    return dict(x=x, heads=heads, weights=weights)


@every_head_attends_and_all_are_mixed.when
def _(student, x, heads, weights):
    module = student.MultiHeadAttention(x.shape[-1], heads).double()
    module.load_state_dict({name: torch.tensor(one) for name, one in weights.items()}, strict=False)
    return module(torch.from_numpy(x), torch.from_numpy(x))


@check("heads", trials=4, covers="R270 R271")
def all_heads_share_the_mask(rng, trial):
    """A mask of n×m or of B×n×m holds for every head; True may attend. (The fourth trial is in float32, with n = B.)"""
    B, n, m, heads, each = [(1, 2, 3, 2, 1), (2, 3, 4, 3, 2), (3, 4, 5, 2, 4), (3, 3, 4, 2, 3)][trial]
    mask = rng.random((n, m) if trial in (0, 3) else (B, n, m)) < 0.5
    mask[..., np.arange(n), np.arange(n)] = True
    mask[..., np.arange(n), np.arange(n) + 1] = False
    kind = np.float32 if trial == 3 else float
    x, memory = (rng.normal(size=(B, size, heads * each)).astype(kind) for size in (n, m))
    weights = head_weights(rng, heads * each)
    if trial == 0:  # by hand
        x, memory, weights = np.sign(x), rng.permutation([[1.0, 2], [2, -1], [-1, 1]])[None], whole(rng, weights)
    return dict(x=x, memory=memory, mask=mask, heads=heads, weights=weights)


@all_heads_share_the_mask.when
def _(student, x, memory, mask, heads, weights):
    x, memory = torch.from_numpy(x), torch.from_numpy(memory)
    module = student.MultiHeadAttention(x.shape[-1], heads).to(x.dtype)
    module.load_state_dict({name: torch.tensor(one) for name, one in weights.items()}, strict=False)
    return module(x, memory, torch.from_numpy(mask))


@check("heads", covers="R270")
def hidden_is_hidden_however_large_the_scores(rng, trial):
    """Scores of ±1e12 are legal: a word that may not be seen is not seen, and one that may be is."""
    B, n, m, heads, each = [(1, 1, 2, 1, 1), (2, 2, 4, 2, 4), (1, 3, 5, 3, 4)][trial]
    width = heads * each
    weights = head_weights(rng, width) if trial else whole(rng, head_weights(rng, width))
    # queries and keys of whole numbers: all scores are exact, and so are ties
    weights |= {f"{name}.weight": 1.0 * rng.integers(1, 3, size=(width, width)) for name in ("query", "key")}
    memory = -1.0 * rng.integers(1, 5, size=(B, m, width))
    memory[:, 0] *= -1  # fits all words, and is hidden from all
    mask = rng.random((B, n, m)) < 0.7
    mask[..., 0], mask[..., 1] = False, True
    return dict(
        x=2.0**40 * rng.integers(1, 5, size=(B, n, width)), memory=memory, mask=mask, heads=heads, weights=weights
    )


@hidden_is_hidden_however_large_the_scores.when
def _(student, x, memory, mask, heads, weights):
    module = student.MultiHeadAttention(x.shape[-1], heads).double()
    module.load_state_dict({name: torch.tensor(one) for name, one in weights.items()}, strict=False)
    return module(torch.from_numpy(x), torch.from_numpy(memory), torch.from_numpy(mask))


def same_device(seen):
    """Hold the devices of the answers to the one that was asked for."""
    asked, *found = seen
    if any(one != asked for one in found):
        raise Fail(f"everything was on the device {asked!r}, and the answer came back on {found[-1]!r}")


@check("heads", trials=1, weight=0)
def heads_run_on_whatever_device_they_are_given():
    """MultiHeadAttention runs on whatever device its inputs are on (this informs only)."""
    return dict()


@heads_run_on_whatever_device_they_are_given.when
def _(student):
    device = "cuda" if torch.cuda.is_available() else "meta"
    module = student.MultiHeadAttention(6, 2).to(device)
    x = torch.ones(2, 3, 6, device=device)
    mask = torch.ones(3, 3, dtype=torch.bool, device=device)
    return [device, module(x, x).device.type, module(x, x, mask).device.type]


@heads_run_on_whatever_device_they_are_given.then
def _(seen):
    same_device(seen)


# -- positions ---------------------------------------------------------------------------------------------------------


@check("positions", calls="sinusoids", trials=4, covers="R272")
def sines_and_cosines_stand_side_by_side(rng, trial):
    """sinusoids has sin(p ω_i) in column 2i and cos(p ω_i) in column 2i+1."""
    return dict(n=[3, 5, int(rng.integers(20, 40)), 1][trial], d=[2, 6, 2 * int(rng.integers(4, 9)), 4][trial])


@check("positions", calls="rotation", covers="R272")
def going_on_turns_every_hand(rng, trial):
    """rotation gives the matrix that turns the encoding of p into that of p + k."""
    return dict(k=[1, int(rng.integers(2, 60)), -int(rng.integers(2, 60))][trial], d=[2, 4, 10][trial])


@check("positions", trials=4, tol=1e-5, covers="R273")
def the_instrument_measures_equivariance(rng, trial):
    """equivariance_gap is 0 for functions of single rows, and the largest deviation for others, to either side."""
    n, d = [(3, 2), (5, 3), (8, 4), (4, 2)][trial]
    X = rng.normal(size=(n, d)) if trial in (1, 2) else rng.integers(-9, 10, size=(n, d))
    by_place, mix = rng.normal(size=(n, d)), rng.normal(size=(d, d + 1))
    if trial == 0:  # by hand
        by_place, mix = ((4 * one).round() for one in (by_place, mix))
    return dict(
        X=(X.astype(float) if trial == 0 else X) + np.arange(n)[:, None],  # integers in the last one
        order=np.roll(np.arange(n), 1),
        by_place=by_place,
        mix=mix,
    )


@the_instrument_measures_equivariance.when
def _(student, X, order, by_place, mix):
    def rising(rows):  # by place, and wider than X; where the last row comes first, it falls farther than others rise
        return np.arange(len(rows))[:, None] * (1.5 + 0.5 * np.tanh(rows @ mix))

    return dict(
        alone=float(student.equivariance_gap(lambda rows: rows**2, X, order)),
        placed=float(student.equivariance_gap(lambda rows: rows + by_place, X, order)),
        running=float(student.equivariance_gap(lambda rows: np.cumsum(rows, axis=0), X, order)),
        rising=float(student.equivariance_gap(rising, X, order)),
    )


# -- layers ------------------------------------------------------------------------------------------------------------


def encoder_inputs(rng, trial):
    """Draw the input, a mask and the weights of an encoder layer; in the first trial one word, two features."""
    if trial == 0:
        weights = whole(rng, layer_weights(rng, 2, 1, 2))
        return dict(x=np.array([[[1.0, 5.0]]]), mask=np.ones((1, 1), dtype=bool), hidden=1, weights=weights)
    B, n, width, hidden = [(2, 3, 4, 5), (3, 5, 4, 7)][trial - 1]
    mask = np.tril(rng.random((n, n)) < 0.7) | np.eye(n, dtype=bool)
    mask[0, -1], mask[-1, 0] = True, False
    return dict(
        x=2 * rng.normal(size=(B, n, width)), mask=mask, hidden=hidden, weights=layer_weights(rng, width, hidden, 2)
    )


@check("layers", covers="R274 R277")
def an_encoder_layer_with_the_norm_before(rng, trial):
    """EncoderLayer, pre-norm unless told otherwise: y = x + A(LN₁(x)), then y + F(LN₂(y)); with a mask, and without one."""
    return encoder_inputs(rng, trial)


@an_encoder_layer_with_the_norm_before.when
def _(student, x, mask, hidden, weights):
    layer = student.EncoderLayer(x.shape[-1], hidden, attention()).double()
    layer.load_state_dict({name: torch.tensor(one) for name, one in weights.items()}, strict=False)
    return [layer(torch.from_numpy(x), torch.from_numpy(mask)), layer(torch.from_numpy(x))]


@check("layers", covers="R274 R277")
def an_encoder_layer_with_the_norm_behind(rng, trial):
    """EncoderLayer, post-norm: y = LN₁(x + A(x)), then LN₂(y + F(y)); with a mask, and without one."""
    return encoder_inputs(rng, trial)


@an_encoder_layer_with_the_norm_behind.when
def _(student, x, mask, hidden, weights):
    layer = student.EncoderLayer(x.shape[-1], hidden, attention(), False).double()
    layer.load_state_dict({name: torch.tensor(one) for name, one in weights.items()}, strict=False)
    return [layer(torch.from_numpy(x), torch.from_numpy(mask)), layer(torch.from_numpy(x))]


@check("layers", covers="R275")
def a_decoder_layer_reads_its_past_and_the_memory(rng, trial):
    """DecoderLayer, pre-norm unless told otherwise: causal self-attention, cross-attention, feed-forward, each one added."""
    if trial == 0:  # one word, one place of the memory, two features: by hand
        x, memory = np.array([[[3.0, 1.0]]]), rng.permutation([[[2.0, -1.0]]])
        return dict(x=x, memory=memory, hidden=1, weights=whole(rng, layer_weights(rng, 2, 1, 3)))
    B, n, m, width, hidden = [(2, 4, 3, 5, 6), (2, 3, 5, 4, 7)][trial - 1]
    x, memory = 2 * rng.normal(size=(B, n, width)), rng.normal(size=(B, m, width)) + 0.5
    return dict(x=x, memory=memory, hidden=hidden, weights=layer_weights(rng, width, hidden, 3))


@a_decoder_layer_reads_its_past_and_the_memory.when
def _(student, x, memory, hidden, weights):
    layer = student.DecoderLayer(x.shape[-1], hidden, attention(), attention(size=-0.7)).double()
    layer.load_state_dict({name: torch.tensor(one) for name, one in weights.items()}, strict=False)
    return layer(torch.from_numpy(x), torch.from_numpy(memory))


@check("layers", returns="pre_norm post_norm", covers="R271 R275")
def a_decoder_layer_serves_targets_of_any_length(rng, trial):
    """One DecoderLayer is called for a target of one length, then for a longer one, then for a single word."""
    if trial == 0:  # two features, of which a norm makes ±1, and one place of the memory: by hand
        words = rng.permutation([[3.0, 1.0], [-1.0, 2.0], [4.0, -2.0]])[None]
        weights = whole(rng, layer_weights(rng, 2, 1, 3))
        return dict(x=words[:, :1], longer=words[:, 1:], memory=np.array([[[2.0, -1.0]]]), hidden=1, weights=weights)
    B, n, m, width, hidden = [(2, 3, 4, 5, 6), (3, 4, 6, 4, 5)][trial - 1]
    x, longer = 2 * rng.normal(size=(B, n, width)), 2 * rng.normal(size=(B, n + 2, width))
    memory = rng.normal(size=(B, m, width)) + 0.5
    return dict(x=x, longer=longer, memory=memory, hidden=hidden, weights=layer_weights(rng, width, hidden, 3))


@a_decoder_layer_serves_targets_of_any_length.when
def _(student, x, longer, memory, hidden, weights):
    found = []
    for pre in (True, False):
        layer = student.DecoderLayer(x.shape[-1], hidden, attention(), attention(size=-0.7), pre).double()
        layer.load_state_dict({name: torch.tensor(one) for name, one in weights.items()}, strict=False)
        targets = [torch.from_numpy(x), torch.from_numpy(longer), torch.from_numpy(longer[:, :1])]
        found.append([layer(one, torch.from_numpy(memory)) for one in targets])
    return found


def slopes(layer, inputs, cotangent):
    """Give the gradients of Σ cotangent ⊙ layer(inputs) in the inputs, and in the weights of the feed-forward net."""
    inputs = [torch.tensor(one, requires_grad=True) for one in inputs]
    total = (layer(*inputs) * torch.tensor(cotangent)).sum()
    return torch.autograd.grad(total, [*inputs, layer.rise.weight, layer.fall.weight])


def slopes_by_hand(rng, norms):
    """Draw whole numbers for one word of two features: a norm makes ±1 of them, whatever they are, and the relu is open."""
    weights = whole(rng, layer_weights(rng, 2, 1, norms))
    weights |= {"rise.bias": np.array([20.5]), "fall.weight": np.array([[2.0], [-1.0]])}
    cotangent = rng.choice([-2.0, -1.0, 1.0, 2.0], size=(1, 1, 2))
    return dict(x=np.array([[[1.0, 4.5]]]), cotangent=cotangent, hidden=1, weights=weights)


@check("layers", returns="pre_norm post_norm", covers="R274")
def gradients_pass_through_an_encoder_layer(rng, trial):
    """An EncoderLayer can be trained: the gradients in x and in its weights are right, in both forms."""
    if trial == 0:
        return slopes_by_hand(rng, 2)
    B, n, width, hidden = [(2, 3, 4, 5), (3, 5, 4, 7)][trial - 1]
    x, cotangent = 2 * rng.normal(size=(2, B, n, width))
    return dict(x=x, cotangent=cotangent, hidden=hidden, weights=layer_weights(rng, width, hidden, 2))


@gradients_pass_through_an_encoder_layer.when
def _(student, x, cotangent, hidden, weights):
    found = []
    for pre in (True, False):
        layer = student.EncoderLayer(x.shape[-1], hidden, attention(), pre).double()
        layer.load_state_dict({name: torch.tensor(one) for name, one in weights.items()}, strict=False)
        found.append(slopes(layer, [x], cotangent))
    return found


@check("layers", returns="pre_norm post_norm", covers="R275")
def gradients_pass_through_a_decoder_layer(rng, trial):
    """A DecoderLayer can be trained: the gradients in x, in the memory and in its weights are right, in both forms."""
    if trial == 0:
        return slopes_by_hand(rng, 3) | dict(memory=np.array([[[1.0, -2.5]]]))
    B, n, m, width, hidden = [(2, 4, 3, 5, 6), (2, 3, 5, 4, 7)][trial - 1]
    x, cotangent = 2 * rng.normal(size=(2, B, n, width))
    memory = rng.normal(size=(B, m, width)) + 0.5
    return dict(x=x, memory=memory, cotangent=cotangent, hidden=hidden, weights=layer_weights(rng, width, hidden, 3))


@gradients_pass_through_a_decoder_layer.when
def _(student, x, memory, cotangent, hidden, weights):
    found = []
    for pre in (True, False):
        layer = student.DecoderLayer(x.shape[-1], hidden, attention(), attention(size=-0.7), pre).double()
        layer.load_state_dict({name: torch.tensor(one) for name, one in weights.items()}, strict=False)
        found.append(slopes(layer, [x, memory], cotangent))
    return found


@check("layers", trials=1, weight=0)
def layers_run_on_whatever_device_they_are_given():
    """EncoderLayer and DecoderLayer run on whatever device their inputs are on (this informs only)."""
    return dict()


@layers_run_on_whatever_device_they_are_given.when
def _(student):
    class Attend(torch.nn.Module):
        def forward(self, x, memory, mask=None):
            scores = x @ memory.transpose(-1, -2)
            scores = torch.where(mask, scores, -1e9) if isinstance(mask, torch.Tensor) else scores
            return scores.softmax(dim=-1) @ memory

    device = "cuda" if torch.cuda.is_available() else "meta"
    encoder = student.EncoderLayer(4, 5, Attend(), True).to(device)
    decoder = student.DecoderLayer(4, 5, Attend(), Attend(), True).to(device)
    x, memory = torch.ones(2, 3, 4, device=device), torch.ones(2, 5, 4, device=device)
    return [device, encoder(x).device.type, decoder(x, memory).device.type]


@layers_run_on_whatever_device_they_are_given.then
def _(seen):
    same_device(seen)


# -- gpt ---------------------------------------------------------------------------------------------------------------


@check("gpt", covers="R271 R272 R276")
def logits_of_the_next_token(rng, trial):
    """GPT adds token and position, runs the blocks in order under a causal mask, normalises, and maps to V logits."""
    B, n, vocab, width, length, depth = [(1, 2, 2, 2, 2, 1), (2, 4, 5, 3, 6, 1), (3, 5, 7, 4, 5, 3)][trial]
    tokens = rng.integers(vocab, size=(B, n))
    weights = gpt_weights(rng, vocab, width, length)
    if trial == 0:
        weights = whole(rng, weights)
    return dict(tokens=tokens, vocab=vocab, width=width, length=length, depth=depth, weights=weights)


@logits_of_the_next_token.when
def _(student, tokens, vocab, width, length, depth, weights):
    model = student.GPT(vocab, width, length, [block(1 - 0.4 * i) for i in range(depth)]).double()
    model.load_state_dict({name: torch.tensor(one) for name, one in weights.items()}, strict=False)
    return model(torch.from_numpy(tokens))


@check("gpt", covers="R271 R276")
def one_model_reads_sequences_of_any_length(rng, trial):
    """One GPT reads two tokens or more, then longer sequences, then a single token, whose follower it also predicts."""
    B, n, more, vocab, width = [(1, 2, 1, 2, 2), (2, 3, 2, 5, 4), (3, 4, 2, 6, 5)][trial]
    short, long = rng.integers(vocab, size=(B, n)), rng.integers(vocab, size=(B, n + more))
    weights = gpt_weights(rng, vocab, width, n + 3)
    if trial == 0:
        weights = whole(rng, weights)
    return dict(short=short, long=long, vocab=vocab, width=width, weights=weights)


@one_model_reads_sequences_of_any_length.when
def _(student, short, long, vocab, width, weights):
    model = student.GPT(vocab, width, len(weights["position.weight"]), [block()]).double()
    model.load_state_dict({name: torch.tensor(one) for name, one in weights.items()}, strict=False)
    found = [model(torch.from_numpy(one)) for one in (short, long, long[:, :1])]
    return [*found, model.next_token(torch.from_numpy(long[:, :1]))]


@check("gpt", trials=5, covers="R276")
def each_logit_is_held_against_the_token_after_it(rng, trial):
    """next_token_loss is the mean of −log p over the tokens 1 … n−1, each predicted one position earlier."""
    B, n, vocab = [(1, 2, 3), (2, 4, 3), (5, 3, 6), (2, 3, 4), (3, 4, 5)][trial]
    logits, tokens = 2 * rng.normal(size=(B, n, vocab)), rng.integers(vocab, size=(B, n))
    if trial == 0:  # by hand
        logits = logits.round()
    if trial == 3:  # sure, and once quite wrong
        logits *= 1000
        tokens[0, 1] = logits[0, 0].argmin()
    if trial == 4:
        logits[:, -1] = np.nan  # predicts nothing that is there
    return dict(logits=logits, tokens=tokens)


@each_logit_is_held_against_the_token_after_it.when
def _(student, logits, tokens):
    return student.next_token_loss(torch.from_numpy(logits), torch.from_numpy(tokens))


@check("gpt", tol=1e-6)
def steps_of_adam(rng, trial):
    """train takes its steps with Adam and returns the loss before each: for one model, another one, and the first again.

    Every row is the same here, so any draw will do. Before the first step each model has a gradient that somebody left.
    """
    vocab, n, steps = [(2, 3, 1), (4, 6, 4), (5, 7, 9)][trial]  # one step of Adam is as long as its rate: by hand
    row = rng.permutation(np.resize(np.arange(vocab), n))
    table = rng.normal(size=(vocab, vocab)).round(9 if trial else 1)
    return dict(
        tokens=np.tile(row, (7, 1)),
        table=table,
        steps=steps,
        rate=[0.5, 0.1, 0.03][trial],
        number=int(rng.integers(99)),
    )


@steps_of_adam.when
def _(student, tokens, table, steps, rate, number):
    found, models = [], []
    for start in (table, table[::-1].copy()):
        model = torch.nn.Embedding(*table.shape).double()
        model.load_state_dict({"weight": torch.tensor(start)})
        model.weight.grad = torch.ones_like(model.weight)
        models.append(model)
    for model in (*models, models[0]):
        losses = student.train(model, torch.from_numpy(tokens), steps, 3, rate, np.random.default_rng(number))
        found.append(dict(losses=[float(one) for one in losses], weights=model.weight.detach().clone()))
    return found


@check("gpt")
def one_token_after_the_other(rng, trial):
    """generate asks after every new token again, shows at most the last `length` tokens, and picks as it is told."""
    B, n, vocab, count, length, rank = [(1, 1, 3, 3, 2, 0), (2, 3, 5, 6, 4, 1), (3, 7, 6, 5, 4, 2)][trial]
    table = np.array([rng.permutation(vocab) + 1.0 for _ in range(vocab)])
    table /= table.sum(axis=1, keepdims=True)
    return dict(tokens=rng.integers(vocab, size=(B, n)), table=table, count=count, length=length, rank=rank)


def table_of_sums(table):
    """Make a stand-in of a model: it looks up the sum of all tokens that it is shown, and of their number."""

    def next_token(tokens):
        return torch.from_numpy(table)[(tokens.sum(dim=1) + tokens.shape[1]) % len(table)]

    return next_token


@one_token_after_the_other.when
def _(student, tokens, table, count, length, rank):
    return student.generate(table_of_sums(table), torch.from_numpy(tokens), count, length, ranked(rank))


@check("gpt", covers="R269 R274 R276")
def your_own_parts_make_a_model_that_writes(rng, trial):
    """Your heads in your layers in your GPT: its logits, and what generate writes. (A part's mistake costs once.)"""
    B, n, vocab, width, heads, hidden, depth = [(1, 1, 2, 2, 1, 1, 1), (2, 4, 5, 6, 3, 5, 1), (2, 3, 7, 4, 2, 9, 2)][
        trial
    ]
    weights = gpt_weights(rng, vocab, width, n + 1) | stack_weights(rng, width, hidden, depth)
    if trial == 0:
        weights = whole(rng, weights)
    return dict(
        tokens=rng.integers(vocab, size=(B, n)), weights=weights, heads=heads, hidden=hidden, depth=depth, length=n + 1
    )


@your_own_parts_make_a_model_that_writes.when
def _(student, tokens, weights, heads, hidden, depth, length):
    vocab, width = weights["token.weight"].shape
    blocks = [student.EncoderLayer(width, hidden, student.MultiHeadAttention(width, heads)) for _ in range(depth)]
    model = loaded(student.GPT(vocab, width, length, blocks), weights)
    tokens = torch.from_numpy(tokens)
    return dict(logits=model(tokens), written=student.generate(model.next_token, tokens, 4, length, ranked(0)))


@check("gpt", trials=1, weight=0)
def the_model_runs_on_whatever_device_it_is_given():
    """GPT and next_token_loss run on whatever device the tokens are on (this informs only)."""
    return dict()


@the_model_runs_on_whatever_device_it_is_given.when
def _(student):
    class Block(torch.nn.Module):
        def forward(self, x, mask=None):
            scores = x @ x.transpose(-1, -2)
            scores = torch.where(mask, scores, -1e9) if isinstance(mask, torch.Tensor) else scores
            return x + scores.softmax(dim=-1) @ x

    device = "cuda" if torch.cuda.is_available() else "meta"
    model = student.GPT(5, 4, 6, [Block()]).to(device)
    tokens = torch.ones(2, 3, dtype=torch.long, device=device)
    logits = model(tokens)
    return [device, logits.device.type, student.next_token_loss(logits, tokens).device.type]


@the_model_runs_on_whatever_device_it_is_given.then
def _(seen):
    same_device(seen)


# -- concepts ----------------------------------------------------------------------------------------------------------

the_answers_have_the_form_that_is_asked = answers_have_form(
    "concepts",
    divisor=float,
    parameters=float,
    leak=("s <= t", "s <= t + 1", "s <= 2t", "2s <= t"),
    saturated=float,
    swapped=("2 and 1", "1 and 1", "1 and 0", "0 and 0"),
    cross=float,
    wasted=float,
    crossover=float,
    unchanged=float,
    ticks=float,
)


# -- image (extra) -----------------------------------------------------------------------------------------------------


@check("image", returns="p logits", trials=4, tol=1e-5, covers="R264")
def the_caption_asks_and_the_regions_answer(rng, trial):
    """image_attention gives the weights of the regions and the logits; all arrays may hold integers."""
    if trial == 3:
        Z, F, A, b = (rng.integers(-2, 3, size=size) for size in ((3, 4), (5, 4), (2, 8), 2))
        Z[:, 0], F[:, 0] = [1, 2, 2], rng.permutation([-2, -1, 0, 1, 2])  # a mean that is not whole, and different fits
        return dict(Z=Z, F=F, A=A + 1, b=b)
    L, d, m, classes = [(2, 1, 3, 2), (3, 4, 5, 2), (5, 3, 4, 7)][trial]
    Z, F = 2 * rng.normal(size=(L, d)), 2 * rng.normal(size=(m, d))
    A, b = rng.normal(size=(classes, 2 * d)), rng.normal(size=classes)
    if trial == 0:  # by hand
        Z, F = rng.permutation([[1.0], [2.0]]), rng.permutation([[-1.0], [0.0], [2.0]])
        A, b = rng.integers(1, 5, size=A.shape), b.round()
    return dict(Z=Z, F=F, A=A, b=b)


# -- costs (extra) -----------------------------------------------------------------------------------------------------

KINDS = ["attention", "restricted", "recurrent", "convolution", "dilated"]


@check("costs", covers="R278")
def the_table_of_costs(rng, trial):
    """layer_cost gives the multiplications and the steps one after the other of each kind of layer."""
    n, d, w = [(3, 5, 2), (50, 512, 3), tuple(int(one) for one in rng.permutation([7, 11, 4]))][trial]
    return dict(n=n, d=d, w=w, kinds=KINDS)


@the_table_of_costs.when
def _(student, n, d, w, kinds):
    return {kind: student.layer_cost(kind, n, d, w) for kind in kinds}


@check("costs", covers="R278 R280")
def how_far_a_signal_walks(rng, trial):
    """longest_path counts the layers or steps between the first position and the last."""
    n, w = [(5, 2), (26, 5), (int(rng.integers(30, 60)), 4)][trial]
    return dict(n=n, w=w, kinds=KINDS)


@how_far_a_signal_walks.when
def _(student, n, w, kinds):
    return {kind: student.longest_path(kind, n, w) for kind in kinds}


@check("costs", covers="R204 R283")
def the_ticks_of_a_stack(rng, trial):
    """schedule counts the cells, and the ticks with unlimited processors."""
    n, layers = [(3, 2), (7, 4), (int(rng.integers(9, 20)), 6)][trial]
    return dict(n=n, layers=layers)


@the_ticks_of_a_stack.when
def _(student, n, layers):
    return [student.schedule(kind, n, layers) for kind in ("attention", "recurrent")]


@check("costs", covers="R251 R279")
def the_scores_of_translating_and_of_generating(rng, trial):
    """seq2seq_scores counts three attentions; generation_scores counts call by call, with and without a cache."""
    M, N = (3, 2) if trial == 0 else rng.choice(np.arange(5, 60), size=2, replace=False).tolist()
    return dict(M=M, N=N)


@the_scores_of_translating_and_of_generating.when
def _(student, M, N):
    return dict(
        both=student.seq2seq_scores(M, N),
        kept=student.generation_scores(N, True),
        anew=student.generation_scores(N, False),
    )
