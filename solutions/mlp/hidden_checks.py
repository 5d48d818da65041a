"""Hidden checks of the multi-layer perceptron: they ask whether the idea is right, not only the example.

Chance. Three checks judge draws of the student's code: dropout_drops_and_scales (public), dropout_keeps_the_expected_share
and the_weights_have_the_variance_that_is_asked. The probability that a right solution fails is computed beside each of
them; together, over all their trials, it is below 1e-9. Everything else is deterministic.
"""

import math

import numpy as np

from redink.checks import Fail, check, close, concept
from redink.checks.stand_ins import curve, curved, slope_of
from redink_datasets import digits as written_digits

# -- activations -------------------------------------------------------------------------------------------------------


@check("activations", covers="R082 R083")
def nothing_overflows_far_from_zero(rng, trial):
    """sigmoid and tanh give numbers, and slopes near 0, for pre-activations of any size."""
    sizes = [[800.0], [40.0, 1e3, 2e3], [1e4, 30.0, 750.0, 1e6]][trial]
    return dict(Z=rng.permuted(np.append(sizes, -np.array(sizes)[::-1] - 1)))


@nothing_overflows_far_from_zero.when
def _(student, Z):
    return student.sigmoid(Z), student.tanh(Z)


@check("activations", covers="R084 R085 R086")
def a_kink_has_the_slope_of_its_flatter_side(rng, trial):
    """At a kink the slope is that of the flatter side: 0 for relu and hard_tanh, α for leaky_relu."""
    near = [[0.0, 1.0, -1.0], [0.0, 0.0, 1.0, -1.0, 0.5, -2.0], [1, -1, 0, 3]][trial]
    return dict(Z=rng.permuted(near), alpha=[0.5, 0.1, 0.2][trial])


@a_kink_has_the_slope_of_its_flatter_side.when
def _(student, Z, alpha):
    leaky = [student.leaky_relu(Z, alpha), student.leaky_relu(Z)]
    return student.relu(Z), student.hard_tanh(Z), leaky


@check("activations", covers="R082 R083 R087")
def tanh_is_a_stretched_sigmoid(rng, trial):
    """tanh(z) = 2σ(2z) − 1, and the slopes agree: tanh′(z) = 4σ′(2z); no slope of the sigmoid exceeds 1/4."""
    Z = rng.normal(size=[(2,), (3, 4), (2, 3, 5)][trial])
    return dict(Z=Z, twice=2 * Z)


@tanh_is_a_stretched_sigmoid.when
def _(student, Z, twice):
    return dict(tanh=student.tanh(Z), sigmoid=student.sigmoid(twice))


@tanh_is_a_stretched_sigmoid.then
def _(seen, expected):
    (t, t_slope), (s, s_slope) = (
        [np.asarray(part, dtype=float) for part in seen[name]]
        for name in ("tanh", "sigmoid")
    )
    close(t, 2 * s - 1, tol=1e-4, what="tanh(z), against 2σ(2z) − 1")
    close(t_slope, 4 * s_slope, tol=1e-4, what="the slope of tanh, against 4σ′(2z)")
    if s_slope.max() > 0.25 + 1e-6:
        raise Fail("a slope of the sigmoid exceeds 1/4")
    close(seen, expected)


# -- losses ------------------------------------------------------------------------------------------------------------


def logits_on_a_grid(rng, n, K, size):
    """Draw logits up to `size`, all different in a row, that float32 holds exactly."""
    steps = np.array([rng.permutation(4 * K)[:K] for _ in range(n)])
    return (steps - 2 * K) * size / (2 * K)


@check("losses", tol=1e-5, covers="R089 R091 R094")
def no_logit_is_too_large(rng, trial):
    """With logits of ±10,000 there is no overflow, and a loss of 10,000 is 10,000 and not infinite."""
    n, K = [(1, 4), (5, 2), (3, 8)][trial]
    O = logits_on_a_grid(rng, n, K, [800.0, 2000.0, 10000.0][trial])
    z = rng.permutation(np.append([10000.0, -10000.0], 500.0 * (1 + np.arange(trial))))
    y = rng.permutation(np.resize([0.0, 1.0, 1.0], len(z)))
    y[np.argmax(z)], y[np.argmin(z)] = 0.0, 1.0  # sure, and wrong
    return dict(O=O, T=np.eye(K)[O.argmin(axis=1)], z=z, y=y)


@no_logit_is_too_large.when
def _(student, O, T, z, y):
    return dict(
        lse=student.log_sum_exp(O),
        softmax=student.softmax(O),
        entropy=student.cross_entropy(O, T),
        binary=student.bce_with_logits(z, y),
    )


@no_logit_is_too_large.view
def _(seen):
    # every loss here is above 100; who adds or clips to a small number of his own stays below it, whatever that number is
    return seen | {name: capped(*seen[name]) for name in ("entropy", "binary")}


def capped(loss, gradient):
    """Name a loss that does not follow the logits, and leave any other one as it is."""
    return ["capped" if 0 < np.max(loss) < 100 else loss, gradient]


@check("losses", tol=1e-5, covers="R089 R091")
def moving_all_logits_changes_nothing(rng, trial):
    """A constant added to a row of logits moves log_sum_exp by as much, and neither softmax nor cross_entropy."""
    n, K = [(1, 3), (4, 5), (7, 2)][trial]
    O = rng.normal(size=(n, K))
    shift = rng.integers(1, 9, size=(n, 1)) * rng.choice([-1.0, 1.0], size=(n, 1))
    T = rng.random((n, K))
    return dict(O=O, moved=O + shift, T=T / T.sum(axis=1, keepdims=True), shift=shift)


@moving_all_logits_changes_nothing.when
def _(student, O, moved, T):
    return [
        [
            student.log_sum_exp(one),
            student.softmax(one),
            student.cross_entropy(one, T),
        ]
        for one in (O, moved)
    ]


@moving_all_logits_changes_nothing.then
def _(seen, expected, shift):
    (lse, p, entropy), (lse_moved, p_moved, entropy_moved) = seen
    close(
        np.asarray(lse_moved),
        np.asarray(lse) + shift[:, 0],
        tol=1e-5,
        what="log_sum_exp",
    )
    close(p_moved, p, tol=1e-5, what="softmax of the moved logits")
    close(entropy_moved, entropy, tol=1e-5, what="the cross-entropy of the moved logits")
    close(seen[0], expected[0], tol=1e-5)


@check("losses", calls="cross_entropy", tol=1e-5, covers="R090 R092")
def targets_need_not_be_one_hot(rng, trial):
    """cross_entropy takes soft targets, and rows that do not sum to 1: then the gradient is (Σt)·p − t."""
    n, K = [(2, 3), (5, 4), (3, 6)][trial]
    T = (
        rng.random((n, K))
        * np.array([0.5, 2.0, 3.0, 1.0, 0.25])[rng.permutation(5)[:n], None]
    )
    return dict(O=2 * rng.normal(size=(n, K)), T=T.round(1 if trial == 0 else 9) + 0.05)


@check("losses", tol=1e-5, covers="R090 R093 R094 R095")
def examples_written_twice_change_no_loss(rng, trial):
    """With every example written twice no loss changes, and each copy carries half of the gradient."""
    n, K = [(2, 3), (5, 4), (3, 7)][trial]
    O, T = rng.normal(size=(n, K)), rng.random((n, K))
    z, y = rng.normal(size=n), rng.random(n)
    p = 0.1 + 0.8 * rng.random(n)
    once = [O, T, p, z, y]
    return dict(once=once, twice=[np.concatenate([part, part]) for part in once], n=n)


@examples_written_twice_change_no_loss.when
def _(student, once, twice):
    seen = []
    for O, T, p, z, y in (once, twice):
        losses = dict(
            cross_entropy=student.cross_entropy(O, T),
            squared_error=student.squared_error(O, T),
            binary_cross_entropy=student.binary_cross_entropy(p, y),
            bce_with_logits=student.bce_with_logits(z, y),
        )
        seen.append(losses)
    return seen


@examples_written_twice_change_no_loss.then
def _(seen, expected, n):
    once, twice = seen
    for name, (loss, gradient) in once.items():
        again, halves = twice[name]
        close(again, loss, tol=1e-5, what=f"{name} of the doubled examples")
        wanted = np.concatenate([np.asarray(gradient), np.asarray(gradient)]) / 2
        close(halves, wanted, tol=1e-5, what=f"the gradient of {name}, doubled")
    close(once, expected[0], tol=1e-5)


@check("losses", tol=1e-5, covers="R019 R093 R094 R100")
def the_chain_rule_joins_the_two_forms(rng, trial):
    """At p = σ(z), the gradient in p times the slope of the sigmoid is the gradient in z, and gives w its gradient."""
    n, d = [(3, 2), (6, 4), (11, 5)][trial]
    X, w = rng.normal(size=(n, d)), rng.normal(size=d)
    p = 1 / (1 + np.exp(-X @ w))
    y = rng.permutation(np.resize([0.0, 1.0, 0.0, 0.3], n))
    return dict(X=X, z=X @ w, p=p, y=y)


@the_chain_rule_joins_the_two_forms.when
def _(student, X, z, p, y):
    return dict(
        outer=student.binary_cross_entropy(p, y), joined=student.bce_with_logits(z, y)
    )


@the_chain_rule_joins_the_two_forms.then
def _(seen, X, p, y):
    (loss, dp), (joined, dz) = seen["outer"], seen["joined"]
    close(joined, loss, tol=1e-5, what="the loss of the logits, against that of p = σ(z)")
    close(
        np.asarray(dp) * p * (1 - p),
        np.asarray(dz, dtype=float),
        tol=1e-4,
        what="dp·σ′(z), against dz",
    )
    close(
        np.asarray(dz) @ X,
        (p - y) @ X / len(y),
        tol=1e-4,
        what="the gradient in w, Σ x (σ − y) / n",
    )


# -- forward -----------------------------------------------------------------------------------------------------------


def network(rng, widths):
    """Draw a network whose signals neither fade nor explode, with biases that are not 0."""
    pairs = zip(widths, widths[1:], strict=False)
    return [
        (rng.normal(size=(o, i)) / np.sqrt(i), 0.5 * rng.normal(size=o)) for i, o in pairs
    ]


BENDS = {
    "linear": lambda Z: (Z, np.ones_like(Z)),
    "relu": lambda Z: (np.maximum(0, Z), np.heaviside(Z, 0.0)),
    "tanh": lambda Z: (np.tanh(Z), 1 - np.tanh(Z) ** 2),
    "sigmoid": lambda Z: (
        1 / (1 + np.exp(-Z)),
        1 / (2 + np.exp(Z) + np.exp(-Z)),
    ),
}


def run(layers, bends, X):
    """Run a network forward, and keep what the way back needs."""
    H, cache = X, []
    for (W, b), name in zip(layers, bends, strict=True):
        out, slope = BENDS[name](H @ W.T + b)
        cache.append((H, slope))
        H = out
    return H, cache


@check("forward", covers="R097")
def the_books_with_columns_say_the_same(rng, trial):
    """With examples in columns, H ← g(WH + b) from layer to layer ends in the transpose of the output."""
    n, widths, bends = [
        (2, [3, 2], ["sigmoid"]),
        (5, [2, 4, 3], ["tanh", "sigmoid"]),
        (4, [3, 5, 2, 6, 7], ["sigmoid", "linear", "tanh", "sigmoid"]),
    ][trial]
    return dict(layers=network(rng, widths), bends=bends, X=rng.normal(size=(n, widths[0])))


@the_books_with_columns_say_the_same.when
def _(student, layers, bends, X):
    known = {
        "linear": lambda Z: (Z, np.ones_like(Z)),
        "tanh": lambda Z: (np.tanh(Z), 1 - np.tanh(Z) ** 2),
        "sigmoid": lambda Z: (
            1 / (1 + np.exp(-Z)),
            1 / (2 + np.exp(Z) + np.exp(-Z)),
        ),
    }
    return student.forward([(W, b) for W, b in layers], [known[name] for name in bends], X)[
        0
    ]


@the_books_with_columns_say_the_same.then
def _(seen, layers, bends, X):
    H = X.T
    for (W, b), name in zip(layers, bends, strict=True):
        H = BENDS[name](W @ H + b[:, None])[0]
    close(seen, H.T)


@check("forward", covers="R104 R105")
def the_last_layer_is_linear_in_its_own_features(rng, trial):
    """The last entry of the cache has the network's features, and the last layer is a linear model on them."""
    n, widths = [(2, [2, 3, 1]), (6, [4, 3, 5, 2]), (3, [5, 7, 2, 4])][trial]
    return dict(layers=network(rng, widths), X=rng.normal(size=(n, widths[0])))


@the_last_layer_is_linear_in_its_own_features.when
def _(student, layers, X):
    bends = [lambda Z: (np.tanh(Z), 1 - np.tanh(Z) ** 2)] * (len(layers) - 1)
    bends = [*bends, lambda Z: (Z, np.ones_like(Z))]
    out, cache = student.forward([(W, b) for W, b in layers], bends, X)
    features, slopes = cache[-1]
    return dict(out=out, features=features, slopes=slopes)


@the_last_layer_is_linear_in_its_own_features.then
def _(seen, expected, layers):
    W, b = layers[-1]
    features = np.asarray(seen["features"], dtype=float)
    close(
        seen["out"],
        features @ W.T + b,
        tol=1e-4,
        what="the output, against a linear model on the features",
    )
    close(seen, expected)


@check("forward", covers="R097 R104")
def an_example_is_alone_in_a_batch(rng, trial):
    """An example gives the same alone as in company: its output and its row of every array in the cache."""
    n, widths = [(3, [2, 3]), (4, [3, 5, 2]), (6, [2, 4, 5, 3])][trial]
    return dict(layers=network(rng, widths), X=rng.normal(size=(n, widths[0])))


@an_example_is_alone_in_a_batch.when
def _(student, layers, X):
    bends = [lambda Z: (np.tanh(Z), 1 - np.tanh(Z) ** 2)] * len(layers)
    pairs = [(W, b) for W, b in layers]
    together = student.forward(pairs, bends, X)
    alone = [student.forward(pairs, bends, X[i : i + 1]) for i in range(len(X))]
    return dict(
        together=together,
        out=np.concatenate([out for out, _ in alone]),
        cache=[
            [
                np.concatenate([cache[layer][part] for _, cache in alone])
                for part in range(2)
            ]
            for layer in range(len(layers))
        ],
    )


@an_example_is_alone_in_a_batch.then
def _(seen, expected):
    out, cache = seen["together"]
    close(seen["out"], out, what="the output of each example alone")
    close(seen["cache"], cache, what="the cache of each example alone")
    close(seen["together"], expected["together"])


# -- backward ----------------------------------------------------------------------------------------------------------


@check("backward", covers="R101 R102")
def relu_layers_obey_the_conservation_law(rng, trial):
    """For each ReLU layer and the layer after it, ⟨W, ∂W⟩ + ⟨b, ∂b⟩ of the one equals ⟨W, ∂W⟩ of the other."""
    n, widths = [(3, [2, 4, 1]), (6, [3, 7, 5, 2]), (5, [4, 6, 8, 7, 3])][trial]
    layers = network(rng, widths)
    bends = ["relu"] * (len(layers) - 1) + ["linear"]
    _, cache = run(layers, bends, rng.normal(size=(n, widths[0])))
    return dict(layers=layers, cache=cache, dO=rng.normal(size=(n, widths[-1])))


@relu_layers_obey_the_conservation_law.then
def _(seen, expected, layers):
    gradients = [[np.asarray(part, dtype=float) for part in pair] for pair in seen[0]]
    scale = max(np.abs(W * dW).sum() for (W, _), (dW, _) in zip(layers, gradients))
    for l in range(len(layers) - 1):
        (W, b), (dW, db) = layers[l], gradients[l]
        left = np.sum(W * dW) + np.sum(b * db)
        right = np.sum(layers[l + 1][0] * gradients[l + 1][0])
        if not abs(left - right) <= 1e-4 * scale:
            raise Fail(
                f"between layers {l + 1} and {l + 2} the left side is {left:.6g}, the right side {right:.6g}"
            )
    close(seen, expected)


@check("backward", covers="R101")
def the_gradient_of_a_batch_is_the_sum_over_its_examples(rng, trial):
    """The gradients of W and b are the sums of those of the examples, one at a time; ∂X has their rows."""
    n, widths, bends = [
        (2, [2, 3], ["tanh"]),
        (5, [3, 4, 2], ["relu", "tanh"]),
        (7, [2, 6, 3, 5], ["tanh", "sigmoid", "tanh"]),
    ][trial]
    layers = network(rng, widths)
    _, cache = run(layers, bends, rng.normal(size=(n, widths[0])))
    return dict(layers=layers, cache=cache, dO=rng.normal(size=(n, widths[-1])))


@the_gradient_of_a_batch_is_the_sum_over_its_examples.when
def _(student, layers, cache, dO):
    pairs, kept = [(W, b) for W, b in layers], [(H, slope) for H, slope in cache]
    alone = []
    for i in range(len(dO)):  # copies: who works in place is judged by what comes back
        rows = [(np.array(H[i : i + 1]), np.array(slope[i : i + 1])) for H, slope in kept]
        alone.append(student.backward(pairs, rows, np.array(dO[i : i + 1])))
    total = [
        [
            sum(np.asarray(gradients[layer][part]) for gradients, _ in alone)
            for part in range(2)
        ]
        for layer in range(len(pairs))
    ]
    rows = np.concatenate([np.asarray(dX) for _, dX in alone])
    return dict(batch=student.backward(pairs, kept, dO), total=total, rows=rows)


@the_gradient_of_a_batch_is_the_sum_over_its_examples.then
def _(seen, expected):
    gradients, dX = seen["batch"]
    close(
        seen["total"],
        gradients,
        what="the sum over single examples, against the batch",
    )
    close(seen["rows"], dX, what="∂X of single examples, against the batch")
    close(seen["batch"], expected["batch"])


@check("backward", covers="R109 R110")
def equal_units_receive_equal_gradients(rng, trial):
    """With equal weights all units of a hidden layer get one gradient; with zeros only the output's bias gets any."""
    n, widths = [(2, [2, 3, 2]), (5, [3, 4, 6, 2]), (4, [2, 5, 3])][trial]
    size = [0.0, 0.3, -0.4][trial]
    layers = [
        (np.full((o, i), size), np.full(o, size / 2)) for i, o in zip(widths, widths[1:])
    ]
    bends = ["tanh"] * (len(layers) - 1) + ["linear"]
    _, cache = run(layers, bends, rng.normal(size=(n, widths[0])))
    return dict(layers=layers, cache=cache, dO=rng.normal(size=(n, widths[-1])))


@equal_units_receive_equal_gradients.then
def _(seen, expected, layers):
    for l, (dW, db) in enumerate(seen[0][:-1]):
        if np.ptp(np.asarray(dW), axis=0).max() > 1e-6 or np.ptp(db) > 1e-6:
            raise Fail(f"the units of layer {l + 1} are equal, and their gradients are not")
    close(seen, expected)


# -- gradcheck ---------------------------------------------------------------------------------------------------------


@check("gradcheck", tol=1e-7, covers="R101")
def the_place_may_be_integers(rng, trial):
    """numerical_gradient works where x is an array of integers."""
    made = curved(rng, [(2,), (3, 2), (2, 1, 3)][trial])
    shape = made["x"].shape
    made["x"] = rng.integers(1, 3, size=shape) * rng.choice([-1, 1], size=shape)
    return dict(made, floats=made["x"] / 2)


@the_place_may_be_integers.when
def _(student, A, c, q, x, floats):
    f = curve(A, c, q)
    return [student.numerical_gradient(f, x), student.numerical_gradient(f, floats)]


@check("gradcheck", covers="R101 R102")
def the_checker_takes_integers_too(rng, trial):
    """gradient_check works where x is an array of integers, and finds the one claim that is wrong."""
    made = curved(rng, [(3,), (2, 4), (3, 1, 2)][trial])
    shape = made["x"].shape
    made["x"] = rng.integers(1, 3, size=shape) * rng.choice([-1, 1], size=shape)
    claim = slope_of(**made)
    claim.flat[rng.integers(claim.size)] += 0.5
    return dict(made, claim=claim)


@the_checker_takes_integers_too.when
def _(student, A, c, q, x, claim):
    return student.gradient_check(curve(A, c, q), x, claim)


@check("gradcheck", tol=1e-7, covers="R101")
def the_place_may_be_a_transpose(rng, trial):
    """numerical_gradient works where x is a transpose, whose numbers lie in memory by columns."""
    return curved(rng, [(2, 3), (4, 2), (2, 5)][trial])


@the_place_may_be_a_transpose.when
def _(student, A, c, q, x):
    return student.numerical_gradient(curve(A, c, q), np.ascontiguousarray(x.T).T)


@check("gradcheck", covers="R101 R102")
def the_checker_takes_a_transpose_too(rng, trial):
    """gradient_check works where x is a transpose, and finds the one claim that is wrong."""
    made = curved(rng, [(2, 4), (3, 2), (5, 3)][trial])
    claim = slope_of(**made)
    claim.flat[rng.integers(claim.size)] += 0.5
    return dict(made, claim=claim)


@the_checker_takes_a_transpose_too.when
def _(student, A, c, q, x, claim):
    return student.gradient_check(curve(A, c, q), np.ascontiguousarray(x.T).T, claim)


@check("gradcheck", tol=1e-7, calls="numerical_gradient", covers="R101")
def the_step_is_the_one_that_is_given(rng, trial):
    """With a large h the central difference of a cube is 3x² + h², and yours shows exactly that."""
    return dict(
        x=rng.permutation([1.0, -2.0, 3.0, -4.0, 5.0])[: 2 + trial],
        h=[0.5, 0.1, 0.25][trial],
    )


@the_step_is_the_one_that_is_given.when
def _(student, x, h):
    return student.numerical_gradient(lambda v: float(np.sum(v**3)), x, h)


@the_step_is_the_one_that_is_given.then
def _(seen, x, h):
    close(seen, 3 * x**2 + h**2, tol=1e-7)


@check("gradcheck", covers="R092 R102")
def no_kind_of_wrong_claim_passes(rng, trial):
    """Claims with a wrong sign, a wrong factor or two numbers exchanged are found in exactly their coordinates."""
    made = curved(rng, [(4,), (2, 3), (5, 2)][trial])
    made["c"] *= 4
    right = slope_of(**made)
    claims = {}
    for name in ("sign", "factor", "small", "exchanged"):
        claim = right.copy()
        far = np.argsort(-np.abs(right.ravel()))  # the largest first: far from 0
        if name == "sign":
            claim.flat[far[0]] *= -1
        elif name == "factor":
            claim.flat[far[:2]] *= 1.001
        elif name == "small":
            claim.flat[far[-1]] += 1e-4 * rng.choice([-1, 1])
        else:
            claim.flat[far[[0, -1]]] = right.flat[far[[-1, 0]]]
        claims[name] = claim
    return dict(made, claims=claims)


@no_kind_of_wrong_claim_passes.when
def _(student, A, c, q, x, claims):
    f = curve(A, c, q)
    return {name: student.gradient_check(f, x, claim) for name, claim in claims.items()}


@check("gradcheck", covers="R101 R102")
def both_limits_are_where_the_text_draws_them(rng, trial):
    """gradient_check draws its two lines where the text does, for slopes of any size and for the h that it is given."""
    h = [0.01, 0.02, 0.005][trial]
    kinds = [
        (size, bend, miss)
        for size in (0.3, 40.0)
        for bend in (0.5, 1.6)
        for miss in (0.5, 2.0)
    ]
    # 1.0 at a slope of 40: no kink against the larger of r and s, as the text has it, but one against the smaller
    kinds += [(40.0, 1.0, 0.5), (40.0, 1.0, 2.0)]
    size, bend, miss = rng.permutation(kinds).T
    # f(x) = a x + ½ b x² + k x³: c is `slope`, of which k h² is twenty times what is allowed, and r − s is bend × 0.01 size
    slope, x = size * rng.choice([-1, 1], size=10), rng.normal(size=10)
    size = np.maximum(1, size)
    k = 2e-5 * size / h**2 * rng.choice([-1, 1], size=10)
    b = bend * 0.01 * size / h - 6 * k * x
    claim = slope + miss * 1e-6 * size * rng.choice([-1, 1], size=10)
    return dict(a=slope - b * x - 3 * k * x**2 - k * h**2, b=b, k=k, x=x, claim=claim, h=h)


@both_limits_are_where_the_text_draws_them.when
def _(student, a, b, k, x, claim, h):
    return student.gradient_check(
        lambda v: float(a @ v + 0.5 * b @ v**2 + k @ v**3), x, claim, h
    )


@check("gradcheck", covers="R085")
def at_a_kink_the_checker_abstains(rng, trial):
    """At a kink, or nearer to one than h, gradient_check says kink and accuses nobody; elsewhere it does its duty."""
    made = curved(rng, [(4,), (3, 2), (2, 5)][trial])
    size = made["x"].size
    places = rng.permutation(size)
    jumps = np.zeros(size)
    jumps[places[:2]] = rng.choice([-1, 1], size=2) * (1 + rng.random(2))
    corners = made["x"].ravel() + np.where(
        np.arange(size) % 2, 0.0, 4e-6
    )  # on the kink, or within h of it
    jumps[places[2]], corners[places[2]] = 1.5, made["x"].flat[places[2]] - 0.3
    claim = slope_of(**made)
    claim.flat[places[2]] += 1.5  # |x − corner| has slope +1 there, and this claim is right
    claim.flat[places[3]] += 0.25  # this one is wrong
    return dict(made, jumps=jumps, corners=corners, claim=claim)


@at_a_kink_the_checker_abstains.when
def _(student, A, c, q, x, jumps, corners, claim):
    def f(v):
        flat = np.ravel(v)
        smooth = c @ np.sin(A @ flat) + 0.5 * q @ flat**2
        return float(smooth + jumps @ np.abs(flat - corners))

    return student.gradient_check(f, x, claim)


@check("gradcheck", covers="R101")
def a_claim_that_is_no_number_is_wrong(rng, trial):
    """gradient_check accuses a claim of nan, and only that one: no comparison with nan is true."""
    made = curved(rng, [(2,), (2, 3), (3, 1, 2)][trial])
    claim = slope_of(**made)
    claim.flat[rng.integers(claim.size)] = np.nan
    return dict(made, claim=claim)


@a_claim_that_is_no_number_is_wrong.when
def _(student, A, c, q, x, claim):
    return student.gradient_check(curve(A, c, q), x, claim)


# -- experiment --------------------------------------------------------------------------------------------------------


@check("experiment", tol=1e-4, covers="R096")
def the_mean_is_taken_once(rng, trial):
    """With every example written twice, neither the loss nor any gradient of classifier_loss changes."""
    n, widths = [(2, [2, 3, 2]), (5, [3, 4, 6, 2]), (4, [2, 7, 3])][trial]
    T = 0.3 * rng.random((n, widths[-1]))
    T[:, 0] += (
        1  # one class is favoured, so that no gradient is near 0, where float32 would show
    )
    T /= T.sum(axis=1, keepdims=True)
    X = rng.normal(size=(n, widths[0]))
    return dict(
        layers=network(rng, widths),
        sets=[(X, T), (np.tile(X, (2, 1)), np.tile(T, (2, 1)))],
    )


@the_mean_is_taken_once.when
def _(student, layers, sets):
    bends = [lambda Z: (np.tanh(Z), 1 - np.tanh(Z) ** 2)] * (len(layers) - 1)
    bends = [*bends, lambda Z: (Z, np.ones_like(Z))]
    pairs = [(W, b) for W, b in layers]
    return [student.classifier_loss(pairs, bends, X, T) for X, T in sets]


@the_mean_is_taken_once.then
def _(seen, expected):
    once, twice = seen
    close(twice, once, tol=1e-4, what="with every example written twice")
    close(once, expected[0], tol=1e-4)


@check("experiment", tol=1e-5, covers="R088 R113")
def the_gradient_fades_through_sigmoids(rng, trial):
    """gradient_norms shows how the gradient fades through sigmoids, and how it passes through ReLUs."""
    n, depth, width = [(3, 3, 4), (5, 6, 8), (6, 9, 11)][trial]
    # no layer has as many units as inputs: a `forward` that is wrong there alone is charged in its own question
    widths = [width + l % 2 for l in range(depth)] + [3]
    layers = [
        (rng.normal(size=(o, i)) * np.sqrt(2 / i), np.zeros(o))
        for i, o in zip(widths, widths[1:])
    ]
    T = np.eye(3)[rng.integers(3, size=n)]
    return dict(layers=layers, X=rng.normal(size=(n, widths[0])), T=T)


@the_gradient_fades_through_sigmoids.when
def _(student, layers, X, T):
    pairs, last = [(W, b) for W, b in layers], [lambda Z: (Z, np.ones_like(Z))]
    ways = dict(
        sigmoid=lambda Z: (
            1 / (1 + np.exp(-Z)),
            1 / (2 + np.exp(Z) + np.exp(-Z)),
        ),
        relu=lambda Z: (np.maximum(0, Z), np.heaviside(Z, 0.0)),
    )
    return {
        name: student.gradient_norms(pairs, [g] * (len(pairs) - 1) + last, X, T)
        for name, g in ways.items()
    }


@the_gradient_fades_through_sigmoids.then
def _(seen, expected):
    for name, norms in expected.items():
        # each norm at its own scale: the first may be a millionth of the last
        for l, (got, wanted) in enumerate(zip(seen[name], norms, strict=True), 1):
            close(float(got), float(wanted), tol=1e-3, what=f"{name}, layer {l}")


@check("experiment", trials=1, weight=2, tol=1e-3, covers="R096 R103 R105 R115")
def your_network_reads_unseen_digits(rng):
    """Trained by your own functions on 600 digits, a network reads most of 400 others."""
    images, labels = written_digits()
    order = rng.permutation(len(images))[:1000]
    X, labels = images.reshape(-1, 64)[order], labels[order]
    layers = [
        (rng.normal(size=(24, 64)) * np.sqrt(2 / 64), np.zeros(24)),
        (rng.normal(size=(10, 24)) * np.sqrt(2 / 24), np.zeros(10)),
    ]
    epochs = [rng.permutation(600).reshape(20, 30) for _ in range(8)]
    return dict(
        layers=layers,
        X=X[:600],
        T=np.eye(10)[labels[:600]],
        batches=list(np.concatenate(epochs)),
        unseen=X[600:],
        truth=labels[600:],
    )


@your_network_reads_unseen_digits.when
def _(student, layers, X, T, batches, unseen):
    bends = [
        lambda Z: (np.maximum(0, Z), np.heaviside(Z, 0.0)),
        lambda Z: (Z, np.ones_like(Z)),
    ]

    def loss_and_gradients(at, batch):
        return student.classifier_loss(at, bends, X[batch], T[batch])

    start = [(W, b) for W, b in layers]
    try:
        trained, losses = student.train(loss_and_gradients, start, batches, 0.3)
        logits, _ = student.forward(trained, bends, unseen)
    except (
        ValueError,
        IndexError,
    ) as error:  # told as data: an earlier error may be the cause, and is charged there
        return dict(stopped=type(error).__name__)
    return dict(guesses=np.argmax(logits, axis=1), losses=losses)


@your_network_reads_unseen_digits.then
def _(seen, expected, truth):
    if "stopped" in seen:
        raise Fail(f"training stopped with a {seen['stopped']}")
    # Batches and start are given, so there is one right run. In float32 it drifts: a few guesses may differ.
    right, wanted = (
        float(np.mean(np.asarray(one["guesses"]) == truth)) for one in (seen, expected)
    )
    if right < wanted - 0.02:
        raise Fail(
            f"{right:.0%} of the unseen digits are read; these batches lead to {wanted:.0%}"
        )
    close(
        np.asarray(seen["losses"], dtype=float),
        np.asarray(expected["losses"]),
        tol=5e-3,
        what="the losses on the way",
    )


# -- concepts ----------------------------------------------------------------------------------------------------------


@concept("concepts", covers="R109 R110")
def stuck_run():
    """What is wrong with a run that never starts."""


@concept("concepts", covers="R088 R113")
def fading_run():
    """What goes to the root of gradients that fade."""


@concept("concepts", covers="R113")
def chain():
    """How little of a gradient passes five sigmoids."""


@concept("concepts", covers="R079")
def fever():
    """How many ReLUs it takes where harmless and dangerous take turns."""


@concept("concepts", covers="R087")
def dead_unit():
    """How many parameters get no gradient because one ReLU is never awake."""


@concept("concepts", covers="R096")
def risk():
    """Which weights empirical risk minimisation prefers."""


@concept("concepts", covers="R106")
def first_layer():
    """In which order the layers of units come, by what excites them."""


@concept("concepts", covers="R107")
def codes():
    """How many concepts a distributed code tells apart."""


@concept("concepts", tol=0.01, covers="R115")
def last_layer():
    """How sure a classifier can be that squashes its logits."""


@concept("concepts", covers="R117")
def riddle():
    """Which explanation of doing well on new examples a run on random labels refutes."""


# -- affine (extra) ----------------------------------------------------------------------------------------------------


@check("affine", covers="R098 R099")
def the_foreign_network_collapses_to_the_same(rng, trial):
    """Turned round and collapsed, a foreign linear network computes x V₁V₂… as it did before."""
    widths = [[2, 3, 4], [4, 2, 5, 3], [3, 6, 2, 7]][trial]
    pairs = zip(widths, widths[1:], strict=False)
    foreign = [(rng.normal(size=(i, o)), rng.normal(size=o)) for i, o in pairs]
    return dict(foreign=foreign, X=rng.normal(size=(5, widths[0])))


@the_foreign_network_collapses_to_the_same.when
def _(student, foreign):
    ours = student.from_in_out([(V, b) for V, b in foreign])
    return student.collapse([(np.asarray(W), np.asarray(b)) for W, b in ours])


@the_foreign_network_collapses_to_the_same.then
def _(seen, expected, foreign, X):
    W, b = (np.asarray(part, dtype=float) for part in seen)
    H = X
    for V, bias in foreign:
        H = H @ V + bias
    if W.shape != (H.shape[1], X.shape[1]):
        raise Fail(f"expected a W of shape {(H.shape[1], X.shape[1])}, got {W.shape}")
    close(X @ W.T + b, H, tol=1e-4, what="what the collapsed layer computes")
    close(seen, expected)


# -- init (extra) ------------------------------------------------------------------------------------------------------

# The chance that a right solution fails the next check. Write a layer's N = out·in weights as w = σ·u with u of variance 1.
# (1) |mean of u| > 8/√N. Normal: 2·(1 − Φ(8)) < 2e-15. Uniform on ±√3, which is sub-Gaussian with its own variance:
#     at most 2·exp(−8²/2) < 3e-14.
# (2) |mean of u² − 1| > 0.15, with N ≥ 8000. Normal: N·mean(u²) is χ² with N degrees of freedom, and Laurent and Massart's
#     bound P(|χ² − N| > 2√(Nx) + 2x) ≤ 2·e^−x with x = 39 allows 2√(39/8000) + 78/8000 = 0.1494: at most 2·e^−39 < 3e-17.
#     Uniform: u² has variance 0.8 and |u² − 1| ≤ 2, so Bernstein gives 2·exp(−8000·0.15²/(2·(0.8 + 0.15·2/3))) = 2·e^−100.
# Six layers in all: below 2e-13.


@check("init", calls="init_layers", covers="R112")
def a_random_start_makes_every_unit_different(rng, trial):
    """In a network of init_layers no two units of a layer have the same incoming weights, not even one layer in two."""
    return dict(
        widths=[[3, 4, 2], [2, 9, 5, 3], [4, 7, 12, 6]][trial],
        seed=int(rng.integers(10**6)),
    )


@a_random_start_makes_every_unit_different.when
def _(student, widths, seed):
    layers = student.init_layers(widths, np.random.default_rng(seed))
    return [np.asarray(W, dtype=float) for W, _ in layers]


@a_random_start_makes_every_unit_different.view
def _(seen):
    return [different_rows(W) for W in seen]


@a_random_start_makes_every_unit_different.then
def _(seen, expected, widths):
    if [W.shape for W in seen] != [W.shape for W in expected]:
        raise Fail("expected a W of out×in for each layer")
    for l, (W, units) in enumerate(zip(seen, widths[1:], strict=True), 1):
        if not np.abs(W).max() < 100:
            raise Fail(f"the weights of layer {l} are as large as {np.abs(W).max():.3g}")
        if (
            different_rows(W) < units
        ):  # by chance below 1e-9: two rows of 2 numbers, to 6 digits
            raise Fail(
                f"of the {units} units of layer {l} only {different_rows(W)} differ in what they listen to"
            )


def different_rows(W):
    """Count the rows of a table that differ by more than rounding."""
    return len(np.unique(np.round(W, 6), axis=0))


@check("init", calls="init_layers", covers="R111")
def the_weights_have_the_variance_that_is_asked(rng, trial):
    """Every layer's weights have mean 0 and variance gain / (number of inputs)."""
    widths = [[40, 200], [250, 40, 300], [90, 300, 60, 400]][trial]
    return dict(
        widths=widths,
        seed=int(rng.integers(10**6)),
        gain=[2.0, 1.0, 0.7][trial],
        said=[[], [1.0], [0.7]][trial],  # a gain of 2 need not be said
    )


@the_weights_have_the_variance_that_is_asked.when
def _(student, widths, seed, said):
    layers = student.init_layers(widths, np.random.default_rng(seed), *said)
    return [
        [
            float(np.mean(np.asarray(W, dtype=float))),
            float(np.mean(np.asarray(W, dtype=float) ** 2)),
            np.size(W),
        ]
        for W, _ in layers
    ]


@the_weights_have_the_variance_that_is_asked.view
def _(seen, widths, gain):
    return [
        [
            "mean 0" if abs(mean) * np.sqrt(n) <= 8 * np.sqrt(gain / i) else mean,
            "as asked" if abs(square * i / gain - 1) <= 0.15 else square,
        ]
        for (mean, square, n), i in zip(seen, widths, strict=False)
    ]


@the_weights_have_the_variance_that_is_asked.then
def _(seen, expected, widths, gain):
    if [row[2] for row in seen] != [row[2] for row in expected]:
        raise Fail("a layer has another number of weights than out × in")
    for l, ((mean, square, n), i) in enumerate(zip(seen, widths, strict=False), 1):
        if not abs(mean) * np.sqrt(n) <= 8 * np.sqrt(gain / i):
            raise Fail(f"the mean of layer {l} is {mean:.3g}, too far from 0 for chance")
        if not abs(square * i / gain - 1) <= 0.15:
            raise Fail(
                f"the weights of layer {l} have a mean square of {square:.3g}, where {gain / i:.3g} is asked"
            )


@check("init", calls="distinct_units", covers="R110")
def twins_stay_twins_through_training(rng, trial):
    """After training, units that began equal are still one; equal incoming weights alone do not make twins."""
    d, width, K = [(2, 3, 2), (3, 5, 2), (4, 7, 3)][trial]
    X, T = rng.normal(size=(12, d)), np.eye(K)[rng.integers(K, size=12)]
    W1, W2 = 0.7 * rng.normal(size=(width, d)), 0.7 * rng.normal(size=(K, width))
    W1[:] = W1[0]  # all units begin with equal incoming weights
    W2[:, 1] = W2[:, 0]  # but only the first two of them agree in outgoing ones
    W1, W2, b1, b2 = W1.round(2), W2.round(2), np.zeros(width), np.zeros(K)
    for _ in range([0, 30, 60][trial]):
        H = np.tanh(X @ W1.T + b1)
        P = np.exp(H @ W2.T + b2)
        D = (P / P.sum(axis=1, keepdims=True) - T) / len(X)
        E = (D @ W2) * (1 - H**2)
        W2, b2 = W2 - 0.5 * D.T @ H, b2 - 0.5 * D.sum(axis=0)
        W1, b1 = W1 - 0.5 * E.T @ X, b1 - 0.5 * E.sum(axis=0)
    W1[1], b1[1], W2[:, 1] = W1[0] + 1e-12, b1[0], W2[:, 0]  # what rounding leaves
    return dict(layers=[(W1, b1), (W2, b2)])


@check("init", calls="distinct_units", covers="R110")
def a_bias_tells_units_apart(rng, trial):
    """Units with equal incoming and outgoing weights, but different biases, are different."""
    width = [3, 6, 9][trial]
    W, onward = (
        np.tile(rng.normal(size=(1, 4)), (width, 1)),
        np.tile(rng.normal(size=(2, 1)), width),
    )
    apart = [0.25, 2.5e-8, 0.25][trial]  # more than tol, which is 1e-9 unless it is said
    b = apart * np.resize(np.arange(width - 1), width)  # the last equals the first
    return dict(layers=[(W, rng.permutation(b)), (onward, np.zeros(2))])


# -- autodiff (extra) --------------------------------------------------------------------------------------------------


@check("autodiff", tol=1e-5, covers="R014 R016")
def shared_nodes_add_up(rng, trial):
    """A node that is used several times, at different distances from the result, gets the sum over all uses."""
    return dict(a=float(0.5 + rng.random()), b=float(0.5 + rng.random()))


@shared_nodes_add_up.when
def _(student, a, b):
    seen = []

    def note(out, *nodes):
        out.backward()
        seen.append([out.data, *(node.grad for node in nodes)])

    x = student.Value(a)
    note(x * x + x, x)
    x = student.Value(a)
    note(x + x, x)
    x, y = student.Value(a), student.Value(b)
    u = x * y
    note(u * u.tanh() + u, u, x, y)  # u is one step from the result, and three
    x, y = student.Value(a), student.Value(b)
    u = (x + y).log()
    v = u.exp() * x
    note((u + v) * (u * v) - u / v, u, v, x, y)
    x, y = student.Value(a), student.Value(b)
    deep = x
    for _ in range(5):
        deep = (deep * y).tanh()
    note(x * deep + (x**3) * y, deep, x, y)
    return seen


@check("autodiff", trials=1, covers="R016")
def long_chains_and_many_paths(rng):
    """A chain of 5,000 steps does not end in recursion, and 60 doublings do not take 2⁶⁰ steps."""
    return dict(
        a=float(rng.random()),
        factor=float(1 + rng.choice([-1, 1]) * (1e-4 + 1e-4 * rng.random())),
    )


@long_chains_and_many_paths.when
def _(student, a, factor):
    x = student.Value(a)
    out = x
    for _ in range(5000):
        out = out * factor + 0.01
    out.backward()
    y = student.Value(a)
    many = y
    for _ in range(60):
        many = many * 0.5 + many * 0.55
    many.backward()
    return np.array([out.data, x.grad]), np.array([many.data, y.grad])


@long_chains_and_many_paths.then
def _(seen, expected, a, factor):
    chain, many = seen
    close(float(chain[1]), factor**5000, tol=1e-6, what="the slope of the chain")
    close(many, 1.05**60 * np.array([a, 1.0]), tol=1e-6, what="the doublings")
    close(seen, expected, tol=1e-6)


@check("autodiff", covers="R016")
def a_second_call_counts_nothing_twice(rng, trial):
    """Calling backward again, or on another result with the same nodes, starts from nothing."""
    return dict(a=float(1 + rng.random()), b=float(1 + rng.random()))


@a_second_call_counts_nothing_twice.when
def _(student, a, b):
    x, y = student.Value(a), student.Value(b)
    first, second = x * y, x.exp() * x
    seen = []
    for out in (first, first, second):
        out.backward()
        seen.append([out.grad, x.grad])
    return np.array(seen)


# -- blocks (extra) ----------------------------------------------------------------------------------------------------


@check("blocks", tol=1e-7, covers="R114")
def a_tower_of_residual_blocks(rng, trial):
    """Blocks stack: what comes back through several is the product of the I + F′, whatever shape F has."""
    n, d, depth = [(1, 3, 2), (4, 2, 3), (2, 5, 7)][trial]
    return dict(
        X=rng.normal(size=(n, d)),
        As=0.5 * rng.normal(size=(depth, d, d)),
        dY=rng.normal(size=(n, d)),
    )


@a_tower_of_residual_blocks.when
def _(student, X, As, dY):
    backs = []
    for A in As:
        X, back = student.residual(X, lambda H, A=A: (H @ A, lambda d: d @ A.T))
        backs.append(back)
    for back in backs[::-1]:
        dY = back(dY)
    return X, dY


@a_tower_of_residual_blocks.then
def _(seen, X, As, dY):
    product = np.eye(X.shape[1])
    for A in As:
        product = product @ (np.eye(len(A)) + A)
    close(seen[0], X @ product, tol=1e-7, what="the output")
    close(seen[1], dY @ product.T, tol=1e-7, what="what comes back")


@check("blocks", tol=1e-6, covers="R136")
def layer_norm_forgets_where_and_how_wide(rng, trial):
    """Each row alone decides its norm: moved or stretched it gives the same, and no gradient points that way."""
    n, d = [(2, 3), (5, 4), (3, 8)][trial]
    X = 3 * rng.normal(size=(n, d)) + np.arange(d)
    a, c = 1 + rng.random((n, 1)), rng.normal(size=(n, 1))
    return dict(
        X=X,
        moved=a * X + c,
        gamma=0.5 + rng.random(d),
        beta=rng.normal(size=d),
        dY=rng.normal(size=(n, d)),
    )


@layer_norm_forgets_where_and_how_wide.when
def _(student, X, moved, gamma, beta, dY):
    Y, back = student.layer_norm(X, gamma, beta, 1e-12)
    other, _ = student.layer_norm(moved, gamma, beta, 1e-12)
    alone = [student.layer_norm(X[i : i + 1], gamma, beta, 1e-12)[0] for i in range(len(X))]
    return dict(Y=Y, other=other, alone=np.concatenate(alone), back=back(dY))


@layer_norm_forgets_where_and_how_wide.then
def _(seen, expected, X):
    close(seen["other"], seen["Y"], tol=1e-4, what="the rows moved and stretched")
    close(seen["alone"], seen["Y"], tol=1e-4, what="each row alone")
    dX = np.asarray(seen["back"][0], dtype=float)
    scale = np.abs(dX).max() * np.abs(X).max()
    if np.abs(dX.sum(axis=1)).max() > 1e-3 * scale:
        raise Fail("a gradient points along the ones: moving a row cannot change the loss")
    if np.abs((dX * (X - X.mean(axis=1, keepdims=True))).sum(axis=1)).max() > 1e-3 * scale:
        raise Fail("a gradient points along x − μ: stretching a row cannot change the loss")
    close(seen, expected, tol=1e-6)


def tail(n, p, k):
    """Give P(X ≤ k) and P(X ≥ k) for a binomial X of n draws with probability p, exactly."""
    logs = [
        math.lgamma(n + 1) - math.lgamma(i + 1) - math.lgamma(n - i + 1)
        + i * math.log(p) + (n - i) * math.log1p(-p)
        for i in range(n + 1)
    ]  # fmt: skip
    mass = np.exp(logs)
    return float(mass[: k + 1].sum()), float(mass[k:].sum())


# The chance that a right solution fails the next check. The number that is kept is binomial; a tail of at most 1e-11 on
# either side fails: at most 2e-11. All rows of the mask alike: two rows of d ≥ 40 agree with probability at most
# (p² + (1−p)²)^40 ≤ 0.68^40 < 3e-7, and all n ≥ 31 of them with (that)^30 < 1e-190; for columns and for the masks of two
# generators likewise. Three trials: below 1e-10.
# Its public sister fails when nothing or all is dropped: at most 2·0.5^36 < 3e-11, 0.7^120 and 0.6^210, twice over the
# published and secret trials: below 1e-10.


@check("blocks", covers="R123")
def dropout_keeps_the_expected_share(rng, trial):
    """The share that is dropped is p, each example has a mask of its own, and all chance comes from rng."""
    n, d = [(31, 40), (50, 61), (80, 45)][trial]
    return dict(
        X=1 + rng.random((n, d)), p=[0.2, 0.35, 0.8][trial], seed=int(rng.integers(10**6))
    )


@dropout_keeps_the_expected_share.when
def _(student, X, p, seed):
    generators = [np.random.default_rng(one) for one in (seed, seed, seed + 1)]
    return [student.dropout(X, p, rng, True)[0] for rng in generators]


def whose_chance(seen):
    """Tell from the outputs of two equal generators and another whether the chance is theirs."""
    kept, again, other = (np.abs(np.asarray(one)) > 1e-6 for one in seen)
    if (kept != again).any():
        return "some of it is not that of rng"
    return "rng's" if (kept != other).any() else "there is none: every mask is the same"


@dropout_keeps_the_expected_share.view
def _(seen, X, p):
    kept = np.abs(np.asarray(seen[0]) / X) > 1e-6
    low, high = tail(kept.size, 1 - p, int(kept.sum()))
    return dict(
        share="as asked" if min(low, high) > 1e-11 else "not as asked",
        own=bool((kept != kept[0]).any()),
        other=bool((kept.T != kept[:, 0]).any()),
        size=np.unique(np.round(np.asarray(seen[0]) / X, 3)),
        chance=whose_chance(seen),
    )


@dropout_keeps_the_expected_share.then
def _(seen, X, p):
    Y = np.asarray(seen[0])
    kept = np.abs(Y / X) > 1e-6
    low, high = tail(kept.size, 1 - p, int(kept.sum()))
    if min(low, high) <= 1e-11:
        raise Fail(
            f"{kept.sum()} of {kept.size} numbers were kept with p = {p}: that is no chance"
        )
    if not (kept != kept[0]).any():
        raise Fail("all examples have the same mask")
    if not (kept.T != kept[:, 0]).any():
        raise Fail("all features of an example share one fate")
    if (chance := whose_chance(seen)) != "rng's":
        raise Fail(f"chance: {chance}")
    close(Y[kept], X[kept] / (1 - p), tol=1e-4, what="the numbers that were kept")
