"""Hidden checks of the transformer: they ask whether the idea is right, not only the example.

Chance. A right solution fails with a probability below 1.3e-7 over the whole assignment:
- the tiny GPT, too good: at most e^−16.2 = 9.2e-8, by Markov's inequality for q/p, whose mean is 1 for a model q that does not
  look ahead; p is the source, and the total of log q − log p over 200 fresh sequences may be 16.2;
- the tiny GPT, too bad: `benchmarks/luck.py transformer --trainings 300` trains as the reference does, each time on a source,
  from a start and with batches of its own, and ends 0.0108 nats above it on average, standard deviation 0.0041, at most 0.0262;
  0.2 are allowed. Of 308 others one ended at 0.046, after a late start. So in 800 more the steps were counted until it was
  within 0.2: 74 on average, standard deviation 10, at most 140, where 350 are given. A tenth needs more than 85, by 9.9 on
  average: 0.1·e^(−(350−85)/9.9) = 2.4e-13;
- `batches_are_drawn_at_random`: all 12 rows must be met in 600 draws; one is missed with less than 12·(11/12)^600 < 3e-22,
  and two seeds draw the same 150 batches with less than 495^−150 (there are 495 ways to draw four of 12 rows). Of the 66 pairs
  16 or more never meet with less than 6e-10: then one of the rows misses three others, and one batch of four draws with
  replacement has it beside one of these three with 1 − (11/12)⁴ − (9/12)⁴ + (8/12)⁴ = 0.175: 12·165·0.825^150;
- four checks of reach: what is changed must move what sees it by more than 1e-6, or 1e-9. How far the least of them moves was
  measured in 3,000 draws of each trial; exponential tails of its logarithm give 3.2e-8 for all twelve.
What a student's whole stack says, and writes by taking the likeliest token, is compared with the reference's; it is asked to reach
only where the reference's does, so no draw fails a right one (two tokens within rounding of each other are of no account).
Everything else is exact: the variance of the scores, too, is compared with that of the very numbers that were drawn.
"""

from typing import TYPE_CHECKING

import numpy as np

from redink.checks import Fail, check, close, concept
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
from redink_datasets import latin

if TYPE_CHECKING:
    import torch  # the box has it

MARGIN = 0.2  # nats above the floor; who does not combine two tokens stays 0.48 above it
RARE = 16.2  # nats below it in all: a model that does not look ahead has them with probability e^-16.2 at most


def softmax(S):
    """Give the softmax of rows, −∞ allowed, and zeros for a row of nothing else."""
    top = S.max(axis=-1, keepdims=True)
    powers = np.exp(S - np.where(np.isfinite(top), top, 0))
    return powers / np.maximum(powers.sum(axis=-1, keepdims=True), 1e-300)


# -- attention ---------------------------------------------------------------------------------------------------------


@check("attention", calls="attention", returns="Z P", tol=1e-5, covers="R270")
def nothing_to_attend_to_gives_zeros(rng, trial):
    """A row of the mask without any True gives zeros, as weights and as output; the other rows are as ever."""
    lead, n, m, d_k, d_v = [((), 2, 3, 1, 2), ((), 4, 3, 5, 2), ((3,), 4, 5, 2, 6)][trial]
    Q, K, V = (rng.normal(size=(*lead, *shape)) for shape in ((n, d_k), (m, d_k), (m, d_v)))
    mask = rng.random((*lead, n, m)) < 0.6
    mask[..., 0, :], mask[..., 1, :2] = False, True
    return dict(Q=Q, K=K, V=V + 1, mask=mask)


@check("attention", covers="R243 R261")
def the_scores_have_variance_one_whatever_the_width(rng, trial):
    """For entries of variance 1 the scores have variance 1: the logarithms of the weights tell it, at every d_k."""
    widths = [[4], [16, 64], [9, 100, 225]][trial]
    n, m = [(6, 7), (20, 30), (25, 40)][trial]
    return dict(
        Qs=[rng.normal(size=(n, d)) for d in widths],
        Ks=[rng.normal(size=(m, d)) for d in widths],
        V=rng.normal(size=(m, 3)),
    )


@the_scores_have_variance_one_whatever_the_width.when
def _(student, Qs, Ks, V):
    return [student.attention(Q, K, V)[1] for Q, K in zip(Qs, Ks, strict=True)]


@the_scores_have_variance_one_whatever_the_width.then
def _(seen, expected, Qs, Ks):
    for P, Q, K in zip(seen, Qs, Ks, strict=True):
        n, m, d = len(Q), len(K), Q.shape[1]
        P = np.asarray(P, dtype=float)
        if P.shape != (n, m):
            raise Fail(f"expected weights of shape ({n}, {m}), got {P.shape}")
        if not (P > 0).all():
            raise Fail(
                f"for d_k = {d} some weights are 0: the scores are spread much too far"
            )
        logs, raw = np.log(P), Q @ K.T
        found = np.var(logs - logs.mean(axis=1, keepdims=True))
        truth = np.var(raw - raw.mean(axis=1, keepdims=True)) / d
        if not abs(found / truth - 1) < 1e-3:
            raise Fail(
                f"for d_k = {d} the scores have variance {found:.3g}, and should have {truth:.3g}"
            )
    close(seen, expected)


@check("attention", calls="attention", returns="Z P", covers="R267")
def large_scores_do_not_overflow(rng, trial):
    """Scores of a thousand are legal: the weights are still a distribution."""
    n, m, d_k, d_v = [(1, 2, 1, 1), (3, 4, 2, 5), (4, 6, 3, 2)][trial]
    Q, K = (
        40.0 * rng.integers(-9, 10, size=(n, d_k)),
        rng.integers(-9, 10, size=(m, d_k)) + 0.5,
    )
    Q[0], K[0] = 400.0, 9.5
    mask = np.ones((n, m), dtype=bool)
    mask[-1, -1] = False
    return dict(Q=Q, K=K, V=rng.normal(size=(m, d_v)), mask=mask)


@check("attention", tol=1e-5, covers="R270")
def what_stands_in_the_blanks_does_not_matter(rng, trial):
    """With a padding mask of B×1×m, other keys and values behind the end change nothing, and blanks get an answer, too."""
    B, n, m, d_k, d_v = [(2, 1, 3, 2, 1), (3, 5, 5, 4, 3), (4, 5, 7, 3, 2)][trial]
    Q, K, V = (rng.normal(size=(B, *shape)) for shape in ((n, d_k), (m, d_k), (m, d_v)))
    lengths = rng.permutation(np.resize(np.arange(1, m), B))
    blank = (np.arange(m) >= lengths[:, None])[..., None]
    return dict(
        Q=Q,
        K=K,
        V=V,
        K2=np.where(blank, [7, 7, 1e20][trial] * rng.normal(size=K.shape), K),
        V2=np.where(blank, [1e3, 1e3, 1e20][trial], V),
        mask=~blank.swapaxes(-1, -2),
    )


@what_stands_in_the_blanks_does_not_matter.when
def _(student, Q, K, V, K2, V2, mask):
    return [student.attention(Q, K, V, mask)[0], student.attention(Q, K2, V2, mask)[0]]


@what_stands_in_the_blanks_does_not_matter.then
def _(seen, expected):
    close(seen[1], seen[0], tol=1e-5, what="the output with other blanks")
    close(seen, expected, tol=1e-5)


@check("attention", tol=1e-5, covers="R271")
def the_future_cannot_matter_and_the_past_does(rng, trial):
    """Under your causal mask the output at t ignores what comes after t, and every position up to t can change it."""
    n, d = [(3, 2), (5, 3), (7, 4)][trial]
    X, Y = (
        rng.normal(size=(2, n, d)) / 2
    )  # small, so that nobody's own score drowns the others
    changed = np.repeat(X[None], n, axis=0)
    changed[np.arange(n), np.arange(n)] = Y
    return dict(X=X, changed=changed, n=n)


@the_future_cannot_matter_and_the_past_does.when
def _(student, X, changed, n):
    mask = student.causal_mask(n)
    return dict(
        plain=student.attention(X, X, X, mask)[0],
        after=[student.attention(one, one, one, mask)[0] for one in changed],
    )


@the_future_cannot_matter_and_the_past_does.then
def _(seen, expected, n):
    plain, after = np.asarray(seen["plain"], dtype=float), np.asarray(seen["after"])
    moved = np.abs(after - plain).max(axis=-1)  # of s changed, at t
    judge_reach(moved)
    close(seen, expected, tol=1e-5)


def judge_reach(moved):
    """Judge how far the outputs at t (columns) moved when position s (rows) was changed."""
    n = len(moved)
    for s in range(n):
        for t in range(n):
            if t < s and not moved[s, t] < 1e-6:
                raise Fail(
                    f"position {t} changes when position {s} does: it sees the future"
                )
            if t >= s and not moved[s, t] > 1e-6:
                raise Fail(
                    f"position {t} does not change when position {s} does: it is blind there"
                )


@check("attention", tol=1e-5, covers="R265 R273")
def shuffled_words_give_shuffled_outputs(rng, trial):
    """Without positions attention is permutation-equivariant: outputs move with their words, and do not change."""
    n, d = [(3, 2), (5, 4), (8, 3)][trial]
    return dict(X=rng.normal(size=(n, d)), order=np.roll(rng.permutation(n), 1))


@shuffled_words_give_shuffled_outputs.when
def _(student, X, order):
    moved = X[order]
    return [student.attention(X, X, X)[0], student.attention(moved, moved, moved)[0]]


@shuffled_words_give_shuffled_outputs.then
def _(seen, expected, order):
    close(
        seen[1],
        np.asarray(seen[0])[order],
        tol=1e-5,
        what="the output of the shuffled words",
    )
    close(seen, expected, tol=1e-5)


# -- backward ----------------------------------------------------------------------------------------------------------


def differentiated(Q, K, V, dZ, mask):
    """Let autograd give the gradients of Σ dZ ⊙ attention(Q, K, V), an oracle that shares nothing with the formulas."""
    import torch

    q, k, v = (torch.tensor(one, requires_grad=True) for one in (Q, K, V))
    scores = torch.where(
        torch.tensor(mask), q @ k.transpose(-1, -2) / Q.shape[-1] ** 0.5, -1e30
    )
    weights = torch.softmax(scores, -1) * torch.tensor(mask)
    ((weights @ v) * torch.tensor(dZ)).sum().backward()
    return [one.grad.numpy() for one in (q, k, v)]


@check("backward", covers="R267")
def autograd_agrees(rng, trial):
    """The gradients are those that automatic differentiation finds, with masks and any number of leading axes."""
    lead, n, m, d_k, d_v = [((), 2, 3, 4, 1), ((4,), 3, 5, 2, 6), ((2, 3), 5, 4, 3, 7)][
        trial
    ]
    Q, K, V, dZ = (
        rng.normal(size=(*lead, *shape))
        for shape in ((n, d_k), (m, d_k), (m, d_v), (n, d_v))
    )
    mask = rng.random((*lead, n, m)) < 0.7
    mask[..., 0, :2] = True
    P = softmax(np.where(mask, Q @ np.swapaxes(K, -1, -2) / np.sqrt(d_k), -np.inf))
    return dict(dZ=dZ, Q=Q, K=K, V=V, P=P, truth=differentiated(Q, K, V, dZ, mask))


@autograd_agrees.when
def _(student, dZ, Q, K, V, P):
    return student.attention_backward(dZ, Q, K, V, P)


@autograd_agrees.then
def _(seen, truth):
    for name, got, wanted in zip(("dQ", "dK", "dV"), seen, truth, strict=True):
        close(got, wanted, tol=1e-7, what=name)


@check("backward", returns="dQ dK dV", covers="R270")
def rows_that_see_nothing_pass_nothing(rng, trial):
    """A query that attends to nothing gets no gradient and gives none, and hidden keys get none either."""
    B, n, m, d_k, d_v = [(1, 2, 3, 1, 2), (2, 3, 4, 5, 1), (3, 5, 6, 4, 2)][trial]
    Q, K, V, dZ = (
        rng.normal(size=(B, *shape)) for shape in ((n, d_k), (m, d_k), (m, d_v), (n, d_v))
    )
    mask = np.ones((B, n, m), dtype=bool)
    mask[:, 0, :], mask[:, :, -1] = False, False
    P = softmax(np.where(mask, Q @ np.swapaxes(K, -1, -2) / np.sqrt(d_k), -np.inf))
    return dict(dZ=dZ, Q=Q, K=K, V=V, P=P)


@rows_that_see_nothing_pass_nothing.when
def _(student, dZ, Q, K, V, P):
    return student.attention_backward(dZ, Q, K, V, P)


@rows_that_see_nothing_pass_nothing.then
def _(seen, expected):
    dQ, dK, dV = (np.asarray(one, dtype=float) for one in seen)
    if np.abs(dQ[:, 0]).max() > 1e-9:
        raise Fail("the query that attends to nothing has a gradient")
    if max(np.abs(dK[:, -1]).max(), np.abs(dV[:, -1]).max()) > 1e-9:
        raise Fail("the key that nobody may see has a gradient")
    close(seen, expected)


@check("backward", covers="R268")
def a_budget_is_shared_and_a_saturated_one_is_stuck(rng, trial):
    """Each row of dS sums to 0, and shrinks to almost nothing when the scores are far apart."""
    n, m = [(1, 3), (4, 5), (6, 9)][trial]
    S, dP = np.stack([rng.permutation(m) for _ in range(n)]), rng.normal(size=(n, m))
    return dict(dP=dP, soft=softmax(0.5 * S), hard=softmax(20.0 * S))


@a_budget_is_shared_and_a_saturated_one_is_stuck.when
def _(student, dP, soft, hard):
    return [student.softmax_backward(dP, soft), student.softmax_backward(dP, hard)]


@a_budget_is_shared_and_a_saturated_one_is_stuck.then
def _(seen, expected):
    soft, hard = (np.asarray(one, dtype=float) for one in seen)
    if np.abs(soft.sum(axis=-1)).max() > 1e-5 * np.abs(soft).max():
        raise Fail(
            "a row of dS does not sum to 0: more for one score must be less for others"
        )
    if not np.abs(hard).max() < 1e-6:
        raise Fail("a saturated softmax still passes a gradient")
    close(seen, expected)


@check("backward", calls="projection_backward", returns="dX dW_q dW_k dW_v", covers="R266")
def what_arrives_by_three_ways_is_added(rng, trial):
    """dX is the sum of what comes through queries, keys and values, and each weight sums over the whole batch."""
    B, n, d, d_k, d_v = [(2, 1, 3, 2, 1), (4, 2, 3, 5, 6), (5, 3, 7, 2, 4)][trial]
    dQ, dK, dV = (
        10.0**scale * rng.normal(size=(B, n, size))
        for scale, size in ((0, d_k), (1, d_k), (2, d_v))
    )
    W_q, W_k, W_v = (
        rng.normal(size=(size, d)) / 10.0**scale
        for scale, size in ((0, d_k), (1, d_k), (2, d_v))
    )
    return dict(
        dQ=dQ, dK=dK, dV=dV, X=rng.normal(size=(B, n, d)), W_q=W_q, W_k=W_k, W_v=W_v
    )


# -- heads -------------------------------------------------------------------------------------------------------------


@check("heads", covers="R269")
def merging_undoes_splitting(rng, trial):
    """merge_heads(split_heads(X)) is X, and a word's heads depend on that word alone."""
    B, n, heads, each = [(1, 3, 2, 1), (2, 4, 5, 3), (3, 5, 4, 2)][trial]
    X = rng.normal(size=(B, n, heads * each))
    other = X.copy()
    other[:, 1] = rng.normal(size=(B, heads * each))
    return dict(X=X, other=other, heads=heads)


@merging_undoes_splitting.when
def _(student, X, other, heads):
    split = student.split_heads(torch.tensor(X), heads)
    moved = student.split_heads(torch.tensor(other), heads)
    return dict(back=student.merge_heads(split), split=split, moved=moved)


@merging_undoes_splitting.then
def _(seen, expected, X):
    close(seen["back"], X, what="merge_heads(split_heads(X))")
    before, after = (np.asarray(seen[name], dtype=float) for name in ("split", "moved"))
    if before.ndim != 4 or before.shape[2] != X.shape[1]:
        raise Fail(f"expected the shape B×h×n×d/h, got {before.shape}")
    touched = np.abs(after - before).max(axis=(0, 3))  # heads × words
    if not (np.delete(touched, 1, axis=1) == 0).all() or not (touched[:, 1] > 0).all():
        raise Fail("changing word 1 must change word 1 in every head, and no other word")
    close(seen, expected)


@check("heads", covers="R269 R275")
def the_memory_may_be_longer(rng, trial):
    """Queries come from x, keys and values from memory, of another length, with blanks (a mask of B×1×m); then weights change.

    The memory also asks itself, where a blank gets an answer like any word; and some sentences are nothing but blanks.
    """
    B, n, m, heads, each = [(2, 1, 3, 2, 1), (2, 5, 3, 4, 2), (3, 4, 7, 2, 5)][trial]
    x, memory = (
        rng.normal(size=(B, n, heads * each)),
        rng.normal(size=(B, m, heads * each)),
    )
    lengths = rng.permutation(np.resize(np.arange(0 if trial else 1, m), B))
    mask = (np.arange(m) < lengths[:, None])[:, None, :]
    return dict(
        x=x,
        memory=memory,
        mask=mask,
        heads=heads,
        weights=head_weights(rng, heads * each),
        later=head_weights(rng, heads * each),
    )


@the_memory_may_be_longer.when
def _(student, x, memory, mask, heads, weights, later):
    module = loaded(student.MultiHeadAttention(x.shape[-1], heads), weights)
    x, memory, mask = torch.tensor(x), torch.tensor(memory), torch.tensor(mask)
    found = [
        module(x, memory, mask),
        module(x, memory),
        module(x[:, :1], memory[:, :2]),
        module(memory, memory, mask),
    ]
    with torch.no_grad():
        for changed in (weights, later):
            found.append(loaded(module, changed)(x, memory, mask))
    return found


@check("heads", covers="R270")
def a_blind_word_passes_no_gradient(rng, trial):
    """A word that may attend to nothing gets zeros, and the gradients in x and memory are finite and right."""
    B, n, m, heads, each = [(1, 2, 2, 2, 1), (2, 4, 4, 2, 3), (3, 5, 4, 3, 2)][trial]
    mask = rng.random((B, n, m)) < 0.6
    mask[:, 0], mask[:, 1:, 0] = False, True
    mask[:, :, -1] = False  # and nobody sees the last one
    x, memory = (
        rng.normal(size=(B, n, heads * each)),
        rng.normal(size=(B, m, heads * each)),
    )
    return dict(
        x=x,
        memory=memory,
        mask=mask,
        heads=heads,
        weights=head_weights(rng, heads * each),
        cotangent=rng.normal(size=x.shape),
    )


@a_blind_word_passes_no_gradient.when
def _(student, x, memory, mask, heads, weights, cotangent):
    module = student.MultiHeadAttention(x.shape[-1], heads).double()
    module.load_state_dict(
        {name: torch.tensor(one) for name, one in weights.items()}, strict=False
    )
    x = torch.tensor(x, requires_grad=True)
    memory = torch.tensor(memory, requires_grad=True)
    out = module(x, memory, torch.tensor(mask))
    found = torch.autograd.grad((out * torch.tensor(cotangent)).sum(), [x, memory])
    return [out, *found]


@check("heads", covers="R271")
def every_head_reaches_every_word(rng, trial):
    """Under a causal mask each word depends on all words up to itself and on no later one."""
    n, heads, each = [(3, 2, 2), (5, 3, 2), (6, 2, 4)][trial]
    X = rng.normal(size=(n, heads * each))
    changed = np.repeat(X[None], n, axis=0)
    changed[np.arange(n), np.arange(n)] = rng.normal(size=X.shape)
    return dict(
        X=np.concatenate([X[None], changed]),
        heads=heads,
        mask=np.tril(np.ones((n, n), dtype=bool)),
        weights={name: 0.6 * one for name, one in head_weights(rng, heads * each).items()},
    )


@every_head_reaches_every_word.when
def _(student, X, heads, mask, weights):
    module = student.MultiHeadAttention(X.shape[-1], heads).double()
    module.load_state_dict(
        {name: torch.tensor(one) for name, one in weights.items()}, strict=False
    )
    X = torch.tensor(X)
    return module(X, X, torch.tensor(mask))


@every_head_reaches_every_word.then
def _(seen, expected):
    judge_reach(np.abs(seen[1:] - seen[0]).max(axis=-1))
    close(seen, expected)


# -- positions ---------------------------------------------------------------------------------------------------------


@check("positions", covers="R272")
def only_the_distance_counts(rng, trial):
    """Each hand has length 1, and the inner product of two positions depends on their distance alone."""
    return dict(n=[4, 12, 50][trial], d=[2, 8, 2 * int(rng.integers(5, 12))][trial])


@only_the_distance_counts.when
def _(student, n, d):
    return student.sinusoids(n, d)


@only_the_distance_counts.then
def _(seen, expected, n, d):
    if seen.shape != (n, d):
        raise Fail(f"expected shape ({n}, {d}), got {seen.shape}")
    hands = seen[:, 0::2] ** 2 + seen[:, 1::2] ** 2
    if not np.abs(hands - 1).max() < 1e-4:
        raise Fail(
            "sin² + cos² of the columns 2i and 2i+1 is not 1: they are not of one hand"
        )
    products = seen @ seen.T
    for k in range(1, n):
        along = np.diagonal(products, k)
        if not np.ptp(along) < 1e-3:
            raise Fail(f"positions at distance {k} have different inner products")
    close(seen, expected)


@check("positions", covers="R272")
def one_matrix_for_every_place(rng, trial):
    """rotation(k) turns every position p into p + k; it keeps lengths, and going j and then k is going j + k."""
    j, k = [(1, 2), (3, -5), (int(rng.integers(4, 20)), int(rng.integers(-9, -1)))][trial]
    d = [2, 6, 12][trial]
    places = np.arange(20)[:, None] * 10000.0 ** (-np.arange(0, d, 2) / d)
    PE = np.stack([np.sin(places), np.cos(places)], axis=-1).reshape(20, d)
    return dict(j=j, k=k, d=d, PE=PE)


@one_matrix_for_every_place.when
def _(student, j, k, d):
    return [student.rotation(one, d) for one in (j, k, j + k)]


@one_matrix_for_every_place.then
def _(seen, expected, j, k, d, PE):
    first, second, both = (np.asarray(one, dtype=float) for one in seen)
    close(first, expected[0], tol=1e-5, what="rotation(j)")
    close(first @ first.T, np.eye(d), tol=1e-4, what="R Rᵀ")
    close(second @ first, both, tol=1e-4, what="going j and then k")
    close(PE[:-j] @ first.T, PE[j:], tol=1e-4, what="the positions j further on")


@check("positions", covers="R273")
def attention_forgets_the_order_until_positions_are_added(rng, trial):
    """The gap of self-attention is 0; with positions added, or with a causal mask, it is not."""
    n, d = [(4, 2), (6, 3), (9, 5)][trial]
    return dict(
        X=rng.normal(size=(n, d)),
        places=rng.normal(size=(n, d)),
        order=np.roll(np.arange(n), 2 if trial else 1),
        allowed=np.tril(np.ones((n, n))),
    )


@attention_forgets_the_order_until_positions_are_added.when
def _(student, X, places, order, allowed):
    def attend(rows, seen=1.0):
        powers = np.exp(rows @ rows.T / np.sqrt(rows.shape[1])) * seen
        return powers / powers.sum(axis=1, keepdims=True) @ rows

    return [
        float(student.equivariance_gap(attend, X, order)),
        float(student.equivariance_gap(lambda rows: attend(rows + places), X, order)),
        float(student.equivariance_gap(lambda rows: attend(rows, allowed), X, order)),
    ]


@attention_forgets_the_order_until_positions_are_added.then
def _(seen, expected):
    if not abs(seen[0]) < 1e-6:
        raise Fail(f"self-attention is equivariant, and the gap is {seen[0]:.3g}")
    close(seen[1:], expected[1:], tol=1e-5)


# -- layers ------------------------------------------------------------------------------------------------------------


def silent():
    """Make an attention that says nothing."""

    class Silent(torch.nn.Module):
        def forward(self, x, memory, mask=None):
            return torch.zeros_like(x)

    return Silent()


def obedient(scale=1.0, size=1.0):
    """Make an attention without weights that keeps to the conventions: a row that sees nothing gets zeros."""

    class Obedient(torch.nn.Module):
        def forward(self, x, memory, mask=None):
            scores = scale * x @ memory.transpose(-1, -2)
            seen = (
                mask
                if isinstance(mask, torch.Tensor)
                else torch.ones_like(scores, dtype=torch.bool)
            )
            weights = scores.masked_fill(~seen, -1e9).softmax(dim=-1) * seen
            return size * weights @ (0.8 * memory.roll(1, -1))

    return Obedient()


@check("layers", covers="R274")
def a_silent_layer_changes_nothing(rng, trial):
    """With attention and feed-forward silent a pre-norm layer is the identity; when it is told to be post-norm, it normalises."""
    B, n, width, hidden = [(1, 2, 3, 2), (2, 3, 5, 4), (3, 4, 6, 5)][trial]
    weights = layer_weights(rng, width, hidden, 3)
    weights["fall.weight"] *= 0
    weights["fall.bias"] *= 0
    return dict(
        x=3 * rng.normal(size=(B, n, width)) + 1,
        memory=rng.normal(size=(B, n + 1, width)),
        hidden=hidden,
        weights=weights,
    )


@a_silent_layer_changes_nothing.when
def _(student, x, memory, hidden, weights):
    found = {}
    x, memory = torch.tensor(x), torch.tensor(memory)
    encoder = student.EncoderLayer(x.shape[-1], hidden, silent(), True)
    decoder = student.DecoderLayer(x.shape[-1], hidden, silent(), silent(), True)
    encoder, decoder = loaded(encoder, weights), loaded(decoder, weights)
    for name, pre in (("pre", True), ("post", False)):
        encoder.pre_norm = decoder.pre_norm = pre
        found[name] = [encoder(x), decoder(x, memory)]
    return found


@a_silent_layer_changes_nothing.then
def _(seen, expected, x):
    for name, got in zip(("encoder", "decoder"), seen["pre"], strict=True):
        close(got, x, what=f"the silent pre-norm {name} layer")
    close(seen, expected)


@check("layers", covers="R277")
def each_position_thinks_alone(rng, trial):
    """With attention silent, a position's output depends on that position alone, and equal positions think alike."""
    n, width, hidden = [(3, 4, 2), (5, 4, 3), (6, 5, 7)][trial]
    x = rng.normal(size=(1, n, width))
    x[:, -1] = x[:, 0]  # the same word twice
    other = x.copy()
    other[:, 1] = rng.normal(size=width)
    return dict(
        x=np.concatenate([x, other]),
        hidden=hidden,
        weights=layer_weights(rng, width, hidden, 2),
    )


@each_position_thinks_alone.when
def _(student, x, hidden, weights):
    found = []
    for pre in (True, False):
        layer = student.EncoderLayer(x.shape[-1], hidden, silent(), pre).double()
        layer.load_state_dict(
            {key: torch.tensor(one) for key, one in weights.items()}, strict=False
        )
        found.append(layer(torch.tensor(x)))
    return found


@each_position_thinks_alone.then
def _(seen, expected):
    for both in seen:
        plain, other = np.asarray(both, dtype=float)
        close(
            np.delete(other, 1, axis=0),
            np.delete(plain, 1, axis=0),
            what="the positions that did not change",
        )
        close(plain[-1], plain[0], what="the same word at two places")
    close(seen, expected)


@check("layers", covers="R274")
def six_layers_on_padded_sentences(rng, trial):
    """A stack of six layers under a padding mask of B×1×n: blanks change no word; a sentence may be nothing but blanks."""
    B, n, width, hidden = [(1, 3, 4, 2), (2, 5, 4, 3), (3, 6, 5, 4)][trial]
    lengths = rng.permutation(np.resize(np.arange(0 if trial else 1, n), B))
    mask = (np.arange(n) < lengths[:, None])[:, None, :]
    x = rng.normal(size=(B, n, width))
    return dict(
        x=x,
        other=np.where(mask.swapaxes(-1, -2), x, 5 * rng.normal(size=x.shape)),
        mask=mask,
        hidden=hidden,
        layers=[layer_weights(rng, width, hidden, 2) for _ in range(6)],
    )


@six_layers_on_padded_sentences.when
def _(student, x, other, mask, hidden, layers):
    found = []
    for one in (x, other):
        for pre in (True, False):
            at = torch.tensor(one)
            for weights in layers:
                layer = student.EncoderLayer(
                    x.shape[-1], hidden, obedient(scale=0.1), pre
                ).double()
                layer.load_state_dict(
                    {key: torch.tensor(w) for key, w in weights.items()}, strict=False
                )
                at = layer(at, torch.tensor(mask))
            found.append(at)
    return found


@six_layers_on_padded_sentences.then
def _(seen, expected, mask):
    words = np.broadcast_to(mask.swapaxes(-1, -2), np.shape(seen[0]))
    for plain, other in ((seen[0], seen[2]), (seen[1], seen[3])):
        close(
            np.asarray(other)[words],
            np.asarray(plain)[words],
            what="the words, after the blanks changed",
        )
    close(seen, expected, tol=1e-7)


@check("layers", returns="post_norm pre_norm", trials=4, covers="R275")
def the_decoder_with_a_masked_memory(rng, trial):
    """DecoderLayer, post-norm and pre-norm, with a mask on the memory: of B×1×m, n×m or B×n×m, also where n = m."""
    B, n, m, width, hidden = [
        (1, 2, 4, 3, 5),
        (2, 4, 4, 3, 6),
        (3, 3, 3, 4, 7),
        (3, 5, 4, 6, 3),
    ][trial]
    if trial in (1, 2):  # square, and one word may see nothing of the memory
        mask = rng.random((n, m) if trial == 1 else (B, n, m)) < 0.6
        mask[..., 0, 1:], mask[..., 1, :], mask[..., 2, :2] = True, False, True
    else:
        lengths = rng.permutation(np.resize(np.arange(1, m), B))
        lengths[-1] *= trial == 0  # in the last trial a memory of nothing but blanks
        mask = (np.arange(m) < lengths[:, None])[:, None, :]
    return dict(
        x=2 * rng.normal(size=(B, n, width)),
        memory=rng.normal(size=(B, m, width)) + 0.5,
        memory_mask=mask,
        hidden=hidden,
        weights=layer_weights(rng, width, hidden, 3),
    )


@the_decoder_with_a_masked_memory.when
def _(student, x, memory, memory_mask, hidden, weights):
    found = []
    for pre_norm in (False, True):
        layer = student.DecoderLayer(
            x.shape[-1], hidden, obedient(), obedient(size=-0.7), pre_norm
        ).double()
        layer.load_state_dict(
            {key: torch.tensor(one) for key, one in weights.items()}, strict=False
        )
        found.append(
            layer(torch.tensor(x), torch.tensor(memory), torch.tensor(memory_mask))
        )
    return found


@check("layers", covers="R271 R275")
def the_decoder_sees_its_past_and_all_of_the_memory(rng, trial):
    """Position t depends on every target position up to t and on no later one, and on every position of the memory."""
    n, m, width, hidden = [(3, 2, 5, 4), (4, 6, 5, 7), (6, 5, 7, 8)][trial]
    x, memory = rng.normal(size=(n, width)), rng.normal(size=(m, width))
    targets = np.repeat(x[None], n + 1 + m, axis=0)
    memories = np.repeat(memory[None], n + 1 + m, axis=0)
    targets[1 + np.arange(n), np.arange(n)] = rng.normal(size=x.shape)
    memories[1 + n + np.arange(m), np.arange(m)] = rng.normal(size=memory.shape)
    return dict(
        x=targets,
        memory=memories,
        hidden=hidden,
        weights=layer_weights(rng, width, hidden, 3),
        n=n,
    )


@the_decoder_sees_its_past_and_all_of_the_memory.when
def _(student, x, memory, hidden, weights):
    found = []
    for pre in (True, False):
        layer = student.DecoderLayer(
            x.shape[-1], hidden, attention(scale=0.1), attention(scale=0.1), pre
        ).double()
        layer.load_state_dict(
            {key: torch.tensor(one) for key, one in weights.items()}, strict=False
        )
        found.append(layer(torch.tensor(x), torch.tensor(memory)))
    return found


@the_decoder_sees_its_past_and_all_of_the_memory.then
def _(seen, expected, n):
    for one in seen:
        moved = np.abs(np.asarray(one)[1:] - np.asarray(one)[0]).max(axis=-1)
        judge_reach(moved[:n])
        if not (moved[n:] > 1e-9).all():
            raise Fail(
                "a position of the memory changes nothing: the decoder does not read it"
            )
    close(seen, expected)


# -- gpt ---------------------------------------------------------------------------------------------------------------


@check("gpt", covers="R271 R272")
def the_model_sees_the_past_its_order_and_no_future(rng, trial):
    """The logits at t depend on every token up to t, on the order of the tokens, and on no later token."""
    n, vocab, width = [(3, 4, 5), (5, 6, 4), (7, 5, 6)][trial]
    row = rng.integers(vocab, size=n)
    row[0], row[1] = rng.permutation(vocab)[:2]
    tokens = np.repeat(row[None], n + 2, axis=0)
    tokens[1 + np.arange(n), np.arange(n)] = (row + rng.integers(1, vocab, size=n)) % vocab
    tokens[-1, :2] = row[1], row[0]
    return dict(
        tokens=tokens,
        vocab=vocab,
        width=width,
        length=n + 2,
        weights=gpt_weights(rng, vocab, width, n + 2),
    )


@the_model_sees_the_past_its_order_and_no_future.when
def _(student, tokens, vocab, width, length, weights):
    model = student.GPT(vocab, width, length, [block(scale=0.1)]).double()
    model.load_state_dict(
        {key: torch.tensor(one) for key, one in weights.items()}, strict=False
    )
    return model(torch.tensor(tokens))


@the_model_sees_the_past_its_order_and_no_future.then
def _(seen, expected):
    moved = np.abs(seen[1:] - seen[0]).max(axis=-1)
    judge_reach(moved[:-1])
    if not moved[-1, -1] > 1e-6:
        raise Fail(
            "the first two tokens changed places, and the last position did not notice"
        )
    close(seen, expected)


@check("gpt", covers="R276")
def the_next_token_has_a_distribution(rng, trial):
    """next_token gives the probabilities of the last position and leaves the mode as it is; blocks get a mask of n×n."""
    B, n, vocab, width = [(1, 2, 4, 3), (2, 3, 6, 4), (4, 5, 7, 3)][trial]
    return dict(
        tokens=rng.integers(vocab, size=(B, n)),
        vocab=vocab,
        width=width,
        weights=gpt_weights(rng, vocab, width, n + 1),
        length=n + 1,
        training=trial != 1,
    )


@the_next_token_has_a_distribution.when
def _(student, tokens, vocab, width, length, weights, training):
    class Block(torch.nn.Module):
        def forward(self, x, mask=None):  # adds up what may be seen; one mask for all rows
            seen = (
                mask
                if isinstance(mask, torch.Tensor)
                else torch.ones(x.shape[1], x.shape[1])
            )
            return x + torch.einsum("ts,bsd->btd", seen.to(x.dtype), x)

    block = Block()
    model = loaded(student.GPT(vocab, width, length, [block]), weights).train(training)
    found = model.next_token(torch.tensor(tokens))
    return dict(probabilities=found, training=[model.training, block.training])


@check("gpt", returns="pre_norm post_norm", weight=2, covers="R269 R271 R274 R276")
def your_whole_stack_sees_the_past_and_no_future(rng, trial):
    """Your heads, layers and GPT together: the logits at t move with every token up to t, and with none after it; then it writes."""
    n, vocab, width, heads, hidden, depth = [
        (3, 4, 4, 2, 5, 1),
        (5, 6, 6, 3, 4, 2),
        (6, 5, 8, 2, 7, 3),
    ][trial]
    row = rng.integers(vocab, size=n)
    tokens = np.repeat(row[None], n + 1, axis=0)
    tokens[1 + np.arange(n), np.arange(n)] = (row + rng.integers(1, vocab, size=n)) % vocab
    weights = gpt_weights(rng, vocab, width, n) | stack_weights(rng, width, hidden, depth)
    return dict(tokens=tokens, weights=weights, heads=heads, hidden=hidden, depth=depth)


@your_whole_stack_sees_the_past_and_no_future.when
def _(student, tokens, weights, heads, hidden, depth):
    vocab, width = weights["token.weight"].shape
    n, found = tokens.shape[1], []
    for pre in (True, False):
        blocks = [
            student.EncoderLayer(
                width, hidden, student.MultiHeadAttention(width, heads), pre
            )
            for _ in range(depth)
        ]
        model = loaded(student.GPT(vocab, width, n, blocks), weights)
        rows = torch.tensor(tokens)
        found.append(
            dict(
                logits=model(rows),
                written=student.generate(model.next_token, rows[:2], 3, n, ranked(0)),
            )
        )
    return found


@your_whole_stack_sees_the_past_and_no_future.then
def _(seen, expected):
    for one, wanted in zip(seen, expected, strict=True):
        moved, should = (
            np.abs(np.asarray(logits)[1:] - np.asarray(logits)[0]).max(axis=-1)
            for logits in (one["logits"], wanted["logits"])
        )
        for s, t in np.ndindex(*should.shape):
            if t < s and not moved[s, t] < 1e-6:
                raise Fail(
                    f"position {t} changes when position {s} does: your stack sees the future"
                )
            if should[s, t] > 1e-3 and not moved[s, t] > 1e-6:
                raise Fail(
                    f"position {t} does not change when position {s} does: your stack is blind there"
                )
    close(seen, expected)


@check("gpt", returns="pre_norm post_norm", weight=2, covers="R269 R274 R275 R276")
def a_translator_of_your_own_parts(rng, trial):
    """An encoder and a decoder layer of yours, with heads of yours: what they say of padded sentences, and what they write."""
    # both sides have m places, and the target is filled up: so whoever mixes them up gets numbers, which can be carried, no error
    B, m, n, vocab, width, heads, hidden = [
        (2, 3, 1, 4, 4, 2, 3),
        (3, 4, 2, 6, 6, 3, 5),
        (2, 6, 3, 5, 4, 2, 7),
    ][trial]
    lengths = rng.permutation(np.resize(np.arange(1, m), B))
    parts = {
        "attention": head_weights(rng, width),
        "": layer_weights(rng, width, hidden, 2),
    }
    reads = {
        f"{part}.{name}".lstrip("."): one
        for part, weights in parts.items()
        for name, one in weights.items()
    }
    parts = {f"{of}_attention": head_weights(rng, width) for of in ("self", "cross")} | {
        "": layer_weights(rng, width, hidden, 3)
    }
    writes = {
        f"{part}.{name}".lstrip("."): one
        for part, weights in parts.items()
        for name, one in weights.items()
    }
    return dict(
        source=rng.integers(vocab, size=(B, m)),
        target=rng.integers(vocab, size=(B, n)),
        real=(np.arange(m) < lengths[:, None])[:, None, :],
        words=2 * rng.normal(size=(vocab, width)),
        places=rng.normal(size=(m, width)),
        reads=reads,
        writes=writes,
        heads=heads,
        hidden=hidden,
    )


@a_translator_of_your_own_parts.when
def _(student, source, target, real, words, places, reads, writes, heads, hidden):
    width, found = words.shape[1], []
    words, places, real = torch.tensor(words), torch.tensor(places), torch.tensor(real)
    source, target = torch.tensor(source), torch.tensor(target)
    for pre in (True, False):
        heads_of = [student.MultiHeadAttention(width, heads) for _ in range(3)]
        encoder = loaded(student.EncoderLayer(width, hidden, heads_of[0], pre), reads)
        decoder = loaded(
            student.DecoderLayer(width, hidden, heads_of[1], heads_of[2], pre), writes
        )
        memory = encoder(words[source] + places, real)

        def logits(tokens, memory=memory, decoder=decoder):
            empty = source.shape[1] - tokens.shape[1]
            filled = torch.nn.functional.pad(tokens, (0, empty))
            read = decoder(words[filled] + places, memory, real)
            return read[:, : tokens.shape[1]] @ words.T

        def next_token(tokens, logits=logits):
            return logits(tokens)[:, -1].softmax(dim=-1)

        count = source.shape[1] - target.shape[1]
        written = student.generate(next_token, target, count, source.shape[1], ranked(0))
        found.append(dict(logits=logits(target), written=written))
    return found


@check("gpt", trials=4)
def writing_goes_on_from_a_long_prompt_or_not_at_all(rng, trial):
    """generate goes on from a prompt longer than `length`, picks anew for each token, and writes nothing if count is 0."""
    B, n, vocab, count, length = [
        (1, 4, 3, 2, 2),
        (2, 5, 7, 6, 3),
        (3, 2, 6, 0, 4),
        (4, 3, 5, 7, 1),
    ][trial]
    return dict(
        tokens=rng.integers(vocab, size=(B, n)),
        table=rng.dirichlet(np.ones(vocab), size=(length + 1, vocab)),
        count=count,
        length=length,
    )


@writing_goes_on_from_a_long_prompt_or_not_at_all.when
def _(student, tokens, table, count, length):
    calls = []

    def next_token(shown):
        return torch.tensor(table)[
            shown.shape[1], (shown[:, 0] + 2 * shown[:, -1]) % table.shape[1]
        ]

    def pick(probabilities):
        calls.append(probabilities.shape[0])
        return probabilities.argsort(dim=-1)[:, len(calls) % table.shape[1]]

    written = student.generate(next_token, torch.tensor(tokens), count, length, pick)
    return dict(written=written, calls=len(calls))


@check("gpt", trials=1)
def batches_are_drawn_at_random(rng):
    """Every step draws `batch` rows at random: in the long run all rows are seen, and meet. All chance comes from rng."""
    return dict(number=int(rng.integers(2**31)))


@batches_are_drawn_at_random.when
def _(student, number):
    class Spy(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.scores, self.seen = torch.nn.Parameter(torch.zeros(12)), []

        def forward(self, tokens):
            self.seen.append(tokens[:, 0].tolist())
            return self.scores.expand(*tokens.shape, 12)

    tokens = torch.arange(12)[:, None].repeat(1, 3)
    found = []
    for seed in (number, number, number + 1):
        spy = Spy()
        losses = student.train(spy, tokens, 150, 4, 0.01, np.random.default_rng(seed))
        found.append(dict(seen=spy.seen, losses=[float(one) for one in losses]))
    return found


def drawn(seen):
    """Count the draws of the right size, the rows and pairs in them, and the losses; say whether rng decides the draws."""
    first, again, other = (one["seen"] for one in seen)
    batches = [tuple(batch) for batch in first if len(batch) == 4]
    rows = {row for batch in batches for row in batch}
    pairs = {(a, b) for batch in batches for a in batch for b in batch if a < b}
    counts = [len(batches) >= 150, len(rows) == 12, len(pairs) > 50]
    return [*counts, first == again, first != other, len(seen[0]["losses"])]


@batches_are_drawn_at_random.view
def _(seen):
    return drawn(seen)


@batches_are_drawn_at_random.then
def _(seen):
    steps, rows, mixed, repeated, moved, losses = drawn(seen)
    if not steps:
        raise Fail(
            "train(…, steps=150, batch=4, …) must show the model 150 batches of 4 rows"
        )
    if not rows:
        raise Fail("some rows are never drawn, in 150 batches of 4 from 12 rows")
    if not mixed:
        raise Fail("many rows are never in one batch, in 150 batches of 4 from 12 rows")
    if not repeated:
        raise Fail("two trainings with an rng of the same seed draw different rows")
    if not moved:
        raise Fail("trainings with an rng of another seed draw the same rows")
    close(losses, 150, what="the number of losses")


@check("gpt", trials=1, weight=2, covers="R271 R276")
def training_comes_down_to_the_floor_and_not_below(rng):
    """Trained by your functions, the model's NLL on fresh sequences is at the source's own: not far above it, never below."""
    source = latin(rng)
    fresh = source.sample(rng, 200, 12)
    return dict(
        text=source.sample(rng, 4000, 12),
        fresh=fresh,
        number=int(rng.integers(2**31)),
        truth=source.log_likelihood(fresh)[:, 1:],
    )


@training_comes_down_to_the_floor_and_not_below.when
def _(student, text, fresh, number):
    class Block(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.norm1, self.norm2 = torch.nn.LayerNorm(32), torch.nn.LayerNorm(32)
            self.qkv, self.out = torch.nn.Linear(32, 96), torch.nn.Linear(32, 32)
            self.rise, self.fall = torch.nn.Linear(32, 64), torch.nn.Linear(64, 32)

        def forward(self, x, mask=None):
            q, k, v = (
                one.unflatten(-1, (2, 16)).transpose(1, 2)
                for one in self.qkv(self.norm1(x)).chunk(3, dim=-1)
            )
            scores = q @ k.transpose(-1, -2) / 4
            scores = (
                scores.masked_fill(~mask, -1e9)
                if isinstance(mask, torch.Tensor)
                else scores
            )
            x = x + self.out((scores.softmax(dim=-1) @ v).transpose(1, 2).flatten(-2))
            return x + self.fall(self.rise(self.norm2(x)).relu())

    torch.manual_seed(number)
    model = student.GPT(4, 32, 12, [Block(), Block()])
    rng = np.random.default_rng(number)
    student.train(model, torch.tensor(text), 350, 64, 5e-3, rng)
    with torch.no_grad():
        return model.eval()(torch.tensor(fresh))


def excess(seen, fresh, truth):
    """Say how many nats the model's NLL of fresh sequences is above the source's: a token, and in all."""
    logits = np.asarray(seen, dtype=float)[:, :-1]
    logits = logits - logits.max(axis=-1, keepdims=True)
    logs = logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))
    own = np.take_along_axis(logs, fresh[:, 1:, None], axis=-1)[..., 0]
    return dict(mean=(truth - own).mean(), total=(truth - own).sum())


def where_it_ended(seen, fresh, truth):
    """Say in a word where a training ended: what a view can compare."""
    found = excess(seen, fresh, truth)
    if not np.isfinite(found["total"]):
        return "nowhere"
    if found["total"] < -RARE:
        return "below"
    return "above" if found["mean"] > MARGIN else "at the floor"


@training_comes_down_to_the_floor_and_not_below.view
def _(seen, fresh, truth):
    return where_it_ended(seen, fresh, truth)


@training_comes_down_to_the_floor_and_not_below.then
def _(seen, expected, fresh, truth):
    if seen.shape != expected.shape:
        raise Fail(f"expected logits of shape {expected.shape}, got {seen.shape}")
    mean, ended = excess(seen, fresh, truth)["mean"], where_it_ended(seen, fresh, truth)
    if ended == "below":
        raise Fail(
            f"the NLL is {-mean:.3f} nats BELOW that of the source: the model reads the answer"
        )
    if ended != "at the floor":
        raise Fail(
            f"the NLL is {mean:.3f} nats above that of the source; {MARGIN} are allowed, and who does not combine two tokens "
            "is 0.48 above"
        )


# -- concepts ----------------------------------------------------------------------------------------------------------


@concept("concepts", covers="R243 R261 R269")
def divisor():
    """By what the scores of a head are divided when the queries are spread wider."""


@concept("concepts", covers="R269")
def parameters():
    """How many parameters a multi-head attention has."""


@concept("concepts", covers="R271")
def leak():
    """Which mask a run had, by the loss that it comes down to."""


@concept("concepts", covers="R268")
def saturated():
    """By how much a softmax of undivided scores passes less."""


@concept("concepts", covers="R271 R273")
def swapped():
    """What two words that change places do to causal layers without positions."""


@concept("concepts", covers="R269 R275")
def cross():
    """How many scores cross-attention computes."""


@concept("concepts", covers="R279")
def wasted():
    """How many predictions are made in vain when nothing is kept."""


@concept("concepts", covers="R278")
def crossover():
    """When scores and weighted mean cost as much as the projections."""


@concept("concepts", covers="R281")
def unchanged():
    """How many weights stay when one word is another one."""


@concept("concepts", covers="R282 R279")
def ticks():
    """How long a translation takes when the reader is convolutional and the writer attends."""


# -- image (extra) -----------------------------------------------------------------------------------------------------


@check("image", calls="image_attention", returns="p logits", covers="R264")
def a_caption_that_repeats_itself_asks_the_same(rng, trial):
    """The query is the mean of the words: said twice, a caption asks the same; and regions of one look share the weight."""
    L, d, m, classes = [(2, 4, 3, 2), (3, 5, 4, 6), (7, 3, 6, 2)][trial]
    Z, F = 3 * rng.normal(size=(L, d)) + 1, rng.normal(size=(m, d))
    return dict(
        Z=np.vstack([Z, Z]),
        F=np.vstack([F, F[:1]]),
        A=rng.normal(size=(classes, 2 * d)),
        b=rng.normal(size=classes),
    )


@a_caption_that_repeats_itself_asks_the_same.then
def _(seen, expected, Z, F):
    p = np.asarray(seen[0], dtype=float)
    half = Z[: len(Z) // 2].mean(axis=0)
    close(
        p,
        softmax(F @ half / np.sqrt(len(half))),
        tol=1e-5,
        what="the weights, from the caption said once",
    )
    close(p[-1], p[0], tol=1e-5, what="the weight of a region that is there twice")
    close(seen, expected, tol=1e-5)


@check(
    "image", calls="image_attention", returns="p logits", trials=4, tol=1e-3, covers="R264"
)
def fits_in_the_thousands_are_legal(rng, trial):
    """Where every region fits by 1500 more, or less, or some do, the weights are as they should be, and nothing overflows."""
    L, d, m, classes = [(1, 2, 2, 1), (3, 5, 4, 6), (7, 3, 6, 2), (2, 4, 3, 5)][trial]
    Z, F = rng.normal(size=(L, d)) + 1.5, rng.normal(size=(m, d))
    q = Z.mean(axis=0)
    far_apart = rng.permutation([1500, 0, -1500])[:, None]
    more = [1500, -1500, 1500, far_apart][trial]
    return dict(
        Z=Z,
        F=F + more * np.sqrt(d) * q / (q @ q),
        A=rng.normal(size=(classes, 2 * d)),
        b=rng.normal(size=classes),
    )


# -- costs (extra) -----------------------------------------------------------------------------------------------------


def layers_to_reach(n, w, dilated):
    """Walk a signal through layers, place by place, until it has come from position 0 to n − 1."""
    here, layers = {0}, 0
    while n - 1 not in here:
        step = w**layers if dilated else 1
        here = {at + step * k for at in here for k in range(w) if at + step * k < n}
        layers += 1
    return layers


@check("costs", calls="longest_path", trials=5, covers="R278")
def the_signal_is_walked(rng, trial):
    """Walking a signal place by place through windows and dilated windows takes as many layers as longest_path says."""
    n, w = [(4, 2), (28, 4), (126, 6), (125, 5), (216, 6)][trial]
    return dict(kind="convolution" if trial in (1, 2) else "dilated", n=n, w=w)


@the_signal_is_walked.then
def _(seen, kind, n, w):
    close(
        seen,
        layers_to_reach(n, w, kind == "dilated"),
        what=f"the path ({kind}, n = {n}, w = {w})",
    )


@check("costs", calls="schedule", covers="R204 R283")
def the_wave_front_is_simulated(rng, trial):
    """Ticking through the grid of a recurrent stack, cell by cell, takes as long as schedule says."""
    return dict(kind="recurrent", n=[2, 5, 11][trial], layers=[3, 4, 7][trial])


@the_wave_front_is_simulated.then
def _(seen, n, layers):
    done = np.zeros((layers, n), dtype=int)
    for r in range(layers):
        for t in range(n):
            waits = [done[r - 1, t] if r else 0, done[r, t - 1] if t else 0]
            done[r, t] = 1 + max(waits)
    close(seen, [n * layers, int(done.max())], what="the cells and the ticks")


@check("costs", covers="R251 R278")
def who_is_cheaper_and_when(rng, trial):
    """Attention is cheaper than recurrence exactly when n < d, and translating costs between 1 and 3 times max(M, N)²."""
    small, large = [(3, 4), (50, 512), (20, 70)][trial]
    return dict(small=small, large=large)


@who_is_cheaper_and_when.when
def _(student, small, large):
    return dict(
        short=[
            student.layer_cost(kind, small, large, 3)[0]
            for kind in ("attention", "recurrent")
        ],
        long=[
            student.layer_cost(kind, large, small, 3)[0]
            for kind in ("attention", "recurrent")
        ],
        scores=student.seq2seq_scores(small, large),
    )


@who_is_cheaper_and_when.then
def _(seen, expected, small, large):
    if not seen["short"][0] < seen["short"][1]:
        raise Fail(
            f"for n = {small} words of width {large} attention should be the cheaper one"
        )
    if not seen["long"][0] > seen["long"][1]:
        raise Fail(
            f"for n = {large} words of width {small} recurrence should be the cheaper one"
        )
    if not large**2 < seen["scores"] < 3 * large**2:
        raise Fail(f"{seen['scores']} scores are not between max² and 3·max²")
    close(seen, expected)


@check("costs", calls="generation_scores", trials=4, covers="R279")
def a_cache_saves_an_order(rng, trial):
    """Without a cache generating n tokens costs about n³/3 scores in each layer, with one about n²/2."""
    return dict(n=[3, 10, 47, 400_003][trial], cached=trial == 1)  # the last is no float
