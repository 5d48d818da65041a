"""Public checks of the multi-layer perceptron: they find the usual slips, on examples small enough to read."""

from itertools import pairwise

import numpy as np

from redink.checks import Fail, answers_have_form, check, close
from redink.checks.stand_ins import bend, curve, curved, slope_of

# -- activations -------------------------------------------------------------------------------------------------------

SHAPES = [(3,), (2, 5), (4, 3, 2), (6,)]


def whole(rng, shape):
    """Draw whole numbers as integers, positive and negative ones and none of them 0."""
    return rng.permuted(np.resize([-3, 2, -1, 1, -2, 3], shape))


@check("activations", calls="sigmoid", trials=4, returns="values slopes", covers="R082")
def sigmoid_and_its_slope(rng, trial):
    """sigmoid gives 1/(1 + e^−z) and the slope σ(1 − σ), in the shape of Z; Z may hold integers."""
    if trial == 3:
        return dict(Z=whole(rng, SHAPES[trial]))
    return dict(Z=(1.5 * rng.normal(size=SHAPES[trial])).round(1) + 0.05)


@check("activations", calls="tanh", trials=4, returns="values slopes", covers="R083")
def tanh_and_its_slope(rng, trial):
    """tanh gives the hyperbolic tangent and the slope 1 − tanh², in the shape of Z; Z may hold integers."""
    if trial == 3:
        return dict(Z=whole(rng, SHAPES[trial]))
    return dict(Z=(1.5 * rng.normal(size=SHAPES[trial])).round(1) + 0.05)


def on_both_sides(rng, trial):
    """Draw numbers on every side of 0 and of ±1, and none of these three."""
    places = np.resize([-1.75, -0.5, 0.5, 1.75] if trial else [-0.5, 0.5, 1.75], SHAPES[trial])
    return rng.permuted(places) + (0.4 * rng.random(SHAPES[trial])).round(1 if trial == 0 else 6)


@check("activations", trials=4, covers="R085 R086")
def relu_and_leaky_relu(rng, trial):
    """relu and leaky_relu keep what is positive, and shut off or shrink the rest (integers too); so do their slopes."""
    Z = whole(rng, SHAPES[trial]) if trial == 3 else on_both_sides(rng, trial)
    return dict(Z=Z, alpha=[0.25, 0.01, 0.3, 0.4][trial])


@relu_and_leaky_relu.when
def _(student, Z, alpha):
    return student.relu(Z), student.leaky_relu(Z, alpha)


@check("activations", covers="R081 R084")
def linear_and_hard_tanh(rng, trial):
    """linear passes everything on, hard_tanh what lies between −1 and 1; the rest it clips, with slope 0."""
    Z = on_both_sides(rng, trial)
    if trial == 0:
        Z[-1] = -1.5 - Z[-1] ** 2
    return dict(Z=Z)


@linear_and_hard_tanh.when
def _(student, Z):
    return student.linear(Z), student.hard_tanh(Z)


# -- losses ------------------------------------------------------------------------------------------------------------

BATCHES = [(2, 3), (5, 4), (7, 3), (3, 4), (4, 3)]  # examples, classes


@check("losses", calls="one_hot", covers="R075")
def a_label_becomes_a_row_with_one_1(rng, trial):
    """one_hot gives a row for each label, with a 1 in its place; classes are counted from 0."""
    n, K = BATCHES[trial]
    labels = rng.integers(K - 1, size=n)  # the last class has no example, and a column all the same
    labels[:2] = rng.permutation([0, K - 2])
    return dict(labels=labels, K=K)


@check("losses", trials=5, covers="R089 R091")
def softmax_and_log_sum_exp_work_by_rows(rng, trial):
    """Each row of softmax(O) is e^o divided by its sum; log_sum_exp(O) has the logarithm of that sum for each row."""
    n, K = BATCHES[trial]
    if trial == 3:
        return dict(O=rng.permuted(np.resize([-2, 0, 1, 3], (n, K)), axis=1))  # integers
    if trial == 4:  # no number is too large here, but the rows are far apart
        return dict(O=2 * rng.normal(size=(n, K)) + rng.permutation([400.0, -400.0, 390.0, -390.0])[:, None])
    return dict(O=rng.integers(-2, 3, size=(n, K)) + np.arange(K) * 0.5 if trial == 0 else 2 * rng.normal(size=(n, K)))


@softmax_and_log_sum_exp_work_by_rows.when
def _(student, O):  # noqa: E741 - what the notebook calls outputs
    return student.softmax(O), student.log_sum_exp(O)


@check("losses", calls="cross_entropy", tol=1e-5, returns="loss gradient", covers="R090 R092")
def cross_entropy_and_its_gradient(rng, trial):
    """cross_entropy gives the mean of −log p(label), and its gradient in the logits."""
    n, K = BATCHES[trial]
    if trial == 1:  # integers
        return dict(
            O=rng.permuted(np.resize([-2, 0, 1, 3], (n, K)), axis=1), T=np.eye(K, dtype=int)[rng.integers(K, size=n)]
        )
    logits = rng.integers(-2, 3, size=(n, K)) + 0.5 * np.arange(K) if trial == 0 else 2 * rng.normal(size=(n, K))
    return dict(O=logits, T=np.eye(K)[rng.integers(K, size=n)])


def coin_flips(rng, n):
    """Draw n labels 0 or 1, both of them."""
    return rng.permutation(np.resize([0.0, 1.0], n))


@check("losses", calls="binary_cross_entropy", tol=1e-5, returns="loss gradient", covers="R019 R093")
def binary_cross_entropy_of_probabilities(rng, trial):
    """binary_cross_entropy gives the mean of −[y log p + (1−y) log(1−p)], and its gradient in p."""
    n = [2, 5, 9][trial]
    return dict(p=(0.1 + 0.8 * rng.random(n)).round([1, 3, 9][trial]), y=coin_flips(rng, n))


@check("losses", calls="binary_cross_entropy", trials=2, tol=1e-5, returns="loss gradient", covers="R093")
def the_smallest_probabilities_count(rng, trial):
    """binary_cross_entropy and its gradient follow p however near to 0 or 1 it is."""
    # sure, and wrong; these probabilities and their distances from 1 are exact
    order = rng.permutation([2, 4][trial])
    p, y = np.array([2.0**-70, 1 - 2.0**-40, 0.25, 2.0**-60]), np.array([1, 0, 0, 0])
    return dict(p=p[order], y=y[order])


@the_smallest_probabilities_count.view
def _(seen, p):
    # who adds or clips to a small number of his own stays below these sizes, whatever that number is
    loss, gradient = seen
    small = np.max(np.abs(gradient)) * len(p) < 1e18
    return ["bounded" if 0 < loss * len(p) < 70 else loss, "bounded" if small else gradient]


@the_smallest_probabilities_count.then
def _(seen, expected):
    close(seen[0], expected[0], tol=1e-5, what="the loss")
    close(seen[1], expected[1], tol=1e-5, what="the gradient")


@check("losses", calls="bce_with_logits", tol=1e-5, returns="loss gradient", covers="R094")
def binary_cross_entropy_of_logits(rng, trial):
    """bce_with_logits gives the mean of log(1 + e^z) − y·z, and its gradient in z."""
    n = [2, 5, 9][trial]
    if trial == 1:  # integers
        return dict(z=whole(rng, (n,)), y=coin_flips(rng, n).astype(int))
    return dict(z=(1.5 * rng.normal(size=n)).round([1, 3, 9][trial]) + 0.05, y=coin_flips(rng, n))


@check("losses", calls="squared_error", tol=1e-5, returns="loss gradient", covers="R095")
def half_the_squared_error(rng, trial):
    """squared_error gives half the squared error, summed over outputs and averaged over examples, and its gradient."""
    n, K = BATCHES[trial]
    if trial == 0:
        return dict(O=rng.integers(1, 5, size=(n, K)) + 0.5, T=rng.integers(-3, 1, size=(n, K)) + 0.0)
    if trial == 1:  # integers, and one output alone
        return dict(O=rng.integers(1, 5, size=(n, 1)), T=rng.integers(-3, 1, size=(n, 1)))
    return dict(O=rng.normal(size=(n, K)), T=rng.normal(size=(n, K)))


# -- forward -----------------------------------------------------------------------------------------------------------


def network(rng, widths):
    """Draw a network whose signals neither fade nor explode, with biases that are not 0."""
    pairs = pairwise(widths)
    return [(rng.normal(size=(o, i)) / np.sqrt(i), 0.5 * rng.normal(size=o)) for i, o in pairs]


@check("forward", returns="output cache", covers="R076 R080 R097")
def one_layer(rng, trial):
    """One layer gives g(X Wᵀ + b), and keeps what went in and the slopes."""
    n, i, o = [(1, 2, 3), (4, 3, 2), (3, 6, 4)][trial]
    if trial == 0:
        W, b, X = (
            rng.integers(1, 4, size=(o, i)) / 2,
            np.array([1.0, -2.0, 3.0]),
            rng.integers(-2, 3, size=(n, i)),  # integers
        )
    else:
        (W, b), X = network(rng, [i, o])[0], rng.normal(size=(n, i))
    return dict(W=W, b=b, X=X, name=["double", "arctan", "wave"][trial])


@one_layer.when
def _(student, W, b, X, name):
    return student.forward([(W, b)], [bend(name)], X)


@check("forward", returns="output cache", covers="R097 R104")
def several_layers(rng, trial):
    """Each layer takes what the layer before gave, with its own activation; the cache has a pair for every layer."""
    n, *widths = [(1, 2, 2, 1), (2, 1, 3, 2), (3, 2, 6, 4, 5)][trial]
    bends = [["square", "double"], ["arctan", "double"], ["wave", "arctan", "double"]][trial]
    if trial == 0:  # the table in the notebook, with another example and other activations
        layers = [
            (np.array([[1.0, -1.0], [1.0, 1.0]]), np.array([0.0, -1.0])),
            (np.array([[3.0, 0.5]]), np.array([1.0])),
        ]
        return dict(layers=layers, bends=bends, X=np.array([[1.0, rng.integers(2, 6) + 0.5]]))
    return dict(layers=network(rng, widths), bends=bends, X=rng.normal(size=(n, widths[0])))


@several_layers.when
def _(student, layers, bends, X):
    return student.forward([(W, b) for W, b in layers], [bend(name) for name in bends], X)


@check("forward", covers="R097")
def every_activation_is_called_once(rng, trial):
    """forward asks each activation once, for the values and the slopes together."""
    n, *widths = [(1, 2, 1), (4, 2, 5, 3), (3, 4, 2, 6, 5)][trial]
    if trial == 0:
        layers = [(np.array([[2.0, -1.0]]), np.array([0.5]))]
        return dict(layers=layers, X=rng.integers(1, 6, size=(1, 2)) + 0.0, name="double")
    return dict(layers=network(rng, widths), X=rng.normal(size=(n, widths[0])), name="arctan")


@every_activation_is_called_once.when
def _(student, layers, X, name):
    calls = [0] * len(layers)

    def counted(place):
        def watched(Z):
            calls[place] += 1
            return bend(name)(Z)

        return watched

    out, _ = student.forward([(W, b) for W, b in layers], [counted(place) for place in range(len(layers))], X)
    return dict(out=out, calls=calls)


@every_activation_is_called_once.view
def _(seen):
    return dict(out=seen["out"], again=[count > 1 for count in seen["calls"]])


@every_activation_is_called_once.then
def _(seen, expected):
    for place, count in enumerate(seen["calls"], 1):
        if count > 1:
            raise Fail(f"the activation of layer {place} was called {count} times")
    close(seen["out"], expected["out"], what="the output")


# -- backward ----------------------------------------------------------------------------------------------------------


def run(reference, layers, bends, X):
    """Run a network: what comes out, and what the way back needs."""
    return reference.forward(layers, [getattr(reference, bend) for bend in bends], X)


def on_the_way_back(reference, rng, n, widths, bends):
    """Draw a network, run it, and draw the gradient of a loss in its output."""
    layers = network(rng, widths)
    _, cache = run(reference, layers, bends, rng.normal(size=(n, widths[0])))
    return dict(layers=layers, cache=cache, dO=rng.normal(size=(n, widths[-1])))


@check("backward", returns="gradients dX", covers="R100 R101")
def back_through_one_layer(rng, trial, reference):
    """Through one layer: the gradients of W, b and X, for any gradient dO of the output."""
    if trial == 0:
        W, X = np.array([[1.0, -1.0, 2.0], [0.5, 3.0, 1.0]]), rng.integers(1, 4, size=(2, 3)) + 0.0
        layers = [(W, np.array([1.0, -1.0]))]
        return dict(
            layers=layers, cache=run(reference, layers, ["linear"], X)[1], dO=np.array([[1.0, 2.0], [-3.0, 0.5]])
        )
    n, widths, name = [(3, [2, 1], "tanh"), (4, [2, 3], "sigmoid")][trial - 1]
    return on_the_way_back(reference, rng, n, widths, [name])


@check("backward", returns="gradients dX", covers="R101 R102")
def back_through_two_layers(rng, trial, reference):
    """Through two layers: the gradient passes the second layer's weights and the first layer's slopes."""
    if trial == 0:  # the table in the notebook, with another example
        layers = [
            (np.array([[1.0, -1.0], [1.0, 1.0]]), np.array([0.0, -1.0])),
            (np.array([[3.0, 0.5]]), np.array([1.0])),
        ]
        X = np.array([[1.0, rng.integers(2, 6) + 0.0]])
        return dict(layers=layers, cache=run(reference, layers, ["relu", "linear"], X)[1], dO=np.array([[2.0]]))
    n, widths, bends = [(2, [1, 3, 2], ["tanh", "sigmoid"]), (4, [2, 5, 3], ["relu", "linear"])][trial - 1]
    return on_the_way_back(reference, rng, n, widths, bends)


@check("backward", returns="gradients dX", covers="R102 R104")
def back_through_many_layers(rng, trial, reference):
    """Through any number of layers, with pairs of gradients in the order of the layers."""
    if trial == 0:  # in whole numbers and halves
        layers = [
            (np.array([[1.0], [2.0]]), np.array([0.0, -1.0])),
            (np.array([[1.0, -1.0], [2.0, 1.0]]), np.array([1.5, -2.0])),
            (np.array([[1.0, -3.0]]), np.array([0.5])),
        ]
        X = rng.permutation([1.0, 2.0, 3.0])[:2, None]
        cache = run(reference, layers, ["relu", "relu", "linear"], X)[1]
        return dict(layers=layers, cache=cache, dO=np.array([[1.0], [-2.0]]))
    n, widths, bends = [
        (4, [3, 5, 2, 6], ["relu", "tanh", "tanh"]),
        (3, [2, 6, 4, 5, 7], ["tanh", "sigmoid", "tanh", "linear"]),
    ][trial - 1]
    return on_the_way_back(reference, rng, n, widths, bends)


# -- gradcheck ---------------------------------------------------------------------------------------------------------


def smooth(rng, shape, trial):
    """Draw a smooth function f(x) = c·sin(Ax) + ½ q·x² and a place; in the first trial c = 0, and its gradient is q x."""
    if trial > 0:
        return curved(rng, shape)
    size = int(np.prod(shape))
    x = rng.permutation([0.5, -1.0, 1.5, -2.0])[:size].reshape(shape)
    return dict(A=np.ones((1, size)), c=np.zeros(1), q=1.0 + np.arange(size), x=x)


@check("gradcheck", tol=1e-7, calls="numerical_gradient", covers="R101")
def central_differences(rng, trial):
    """numerical_gradient gives the central difference in every coordinate, for an x of any shape."""
    return smooth(rng, [(2,), (2, 3), (3, 1, 2)][trial], trial)


@central_differences.when
def _(student, A, c, q, x):
    return student.numerical_gradient(curve(A, c, q), x)


@check("gradcheck", covers="R101 R102")
def one_wrong_number_is_found(rng, trial):
    """gradient_check finds the one coordinate where a claim is wrong, and nothing where none is."""
    made = smooth(rng, [(3,), (2, 4), (5, 2)][trial], trial)
    right = slope_of(**made)
    wrong = right.copy()
    wrong.flat[rng.integers(wrong.size)] += [0.5, 0.01, -0.002][trial]
    return dict(made, right=right, claim=wrong)


@one_wrong_number_is_found.when
def _(student, A, c, q, x, right, claim):
    f = curve(A, c, q)
    return student.gradient_check(f, x, right), student.gradient_check(f, x, claim)


# -- experiment --------------------------------------------------------------------------------------------------------


def bends_of(layers):
    """Return an activation for each layer: a curved one, and at the end a straight one."""
    return [bend("arctan")] * (len(layers) - 1) + [bend("double")]


def classified(rng, n, widths, trial):
    """Draw a network, examples, and soft targets that sum to 1 and favour one class, so that no gradient is near 0."""
    if trial == 0:  # one layer, two examples of one feature
        layers = [(np.array([[0.5], [-0.5]]), np.array([0.5, 0.0]))]
        return dict(layers=layers, X=rng.permutation([[0.5], [1.0]]), T=np.array([[0.25, 0.75], [0.0, 1.0]]))
    T = 0.3 * rng.random((n, widths[-1]))
    T[:, rng.integers(widths[-1])] += 1
    return dict(layers=network(rng, widths), X=rng.normal(size=(n, widths[0])), T=T / T.sum(axis=1, keepdims=True))


@check("experiment", tol=1e-4, returns="loss gradients", covers="R096 R101")
def the_loss_of_a_network_with_all_its_gradients(rng, trial):
    """classifier_loss gives the mean cross-entropy of the network's logits, and a pair of gradients for each layer."""
    n, widths = [(2, [1, 2]), (5, [3, 4, 6, 2]), (4, [5, 3, 7])][trial]
    return classified(rng, n, widths, trial)


@the_loss_of_a_network_with_all_its_gradients.when
def _(student, layers, X, T):
    return student.classifier_loss([(W, b) for W, b in layers], bends_of(layers), X, T)


@check("experiment", tol=1e-5, covers="R022 R103")
def one_step_for_each_batch(rng, trial):
    """train goes once against the gradients for each batch and notes each loss before its step."""
    n, i, o, steps = [(2, 1, 2, 1), (7, 3, 2, 4), (12, 2, 5, 9)][trial]
    return dict(
        layers=[(rng.normal(size=(o, i)).round(1), rng.normal(size=o).round(1)) for _ in range(1 + trial)],
        X=rng.normal(size=(n, i)).round(1),
        batches=[rng.permutation(n)[: 1 + (k + trial) % 3] for k in range(steps)],
        rate=[0.5, 0.2, 0.1][trial],
    )


@one_step_for_each_batch.when
def _(student, layers, X, batches, rate):
    def loss_and_gradients(at, batch):  # no network: enough to step on
        size = 2 + float(np.sum(X[batch]))
        loss = sum(size * float(np.sum(np.sin(W))) + float(np.sum(np.exp(b))) for W, b in at)
        return loss, [(size * np.cos(W), np.exp(b)) for W, b in at]

    start = [(W, b) for W, b in layers]
    trained, losses = student.train(loss_and_gradients, start, batches, rate)
    return dict(trained=trained, losses=losses)


@check("experiment", tol=1e-5, covers="R115")
def accuracy_counts_the_largest_logit(rng, trial, reference):
    """accuracy is the fraction of examples whose largest logit stands in the label's place."""
    n, widths = [(5, [2, 3]), (9, [3, 4, 5, 6]), (25, [5, 7, 3])][trial]
    layers, X = network(rng, widths), rng.normal(size=(3 * n, widths[0]))
    if trial == 0:  # the largest is 1 ahead at least
        layers = [(np.array([[2.0, 0.0], [0.0, 3.0], [-1.0, -1.0]]), np.array([0.0, 0.0, 0.5]))]
        X = rng.permutation([[3.0, 1.0], [-1.0, 2.0], [-2.0, -3.0], [2.0, -1.0], [1.0, 3.0]])
    logits = reference.forward(layers, bends_of(layers), X)[0]
    clear = np.argsort(np.diff(np.sort(logits)[:, -2:])[:, 0])[-n:]  # no rounding decides which logit is the largest
    X, best = X[clear], logits[clear].argmax(axis=1)
    missed = np.arange(n) < rng.integers(1, n)  # n is odd: never one half
    return dict(layers=layers, X=X, labels=np.where(rng.permutation(missed), (best + 1) % widths[-1], best))


@accuracy_counts_the_largest_logit.when
def _(student, layers, X, labels):
    return student.accuracy([(W, b) for W, b in layers], bends_of(layers), X, labels)


@check("experiment", tol=1e-4, covers="R113")
def the_size_of_the_gradient_in_each_layer(rng, trial):
    """gradient_norms gives the size of the gradient of each W, first layer first."""
    n, widths = [(2, [1, 2]), (5, [3, 4, 6, 2]), (4, [5, 3, 7, 4, 6])][trial]
    return classified(rng, n, widths, trial)


@the_size_of_the_gradient_in_each_layer.when
def _(student, layers, X, T):
    return student.gradient_norms([(W, b) for W, b in layers], bends_of(layers), X, T)


# -- concepts ----------------------------------------------------------------------------------------------------------

the_answers_have_the_form_that_is_asked = answers_have_form(
    "concepts",
    stuck_run=("zeros", "rate", "fading", "converged"),
    fading_run=("epochs", "relu", "clip", "batch"),
    chain=float,
    fever=float,
    dead_unit=float,
    risk=("first", "second", "both", "unknown"),
    first_layer=("abdc", "badc", "bdac", "dbac"),
    codes=float,
    last_layer=float,
    riddle=("capacity", "likeness", "descent", "start"),
)


# -- affine (extra) ----------------------------------------------------------------------------------------------------


@check("affine", calls="count_parameters", returns="weights biases", covers="R076 R116")
def weights_and_biases_are_counted(rng, trial):
    """count_parameters gives the number of weights and the number of biases."""
    return dict(widths=[[4, 3], [5, 7, 2], rng.integers(2, 40, size=6).tolist()][trial])


@check("affine", calls="from_in_out", covers="R098")
def a_foreign_network_is_turned_round(rng, trial):
    """from_in_out turns every V of in×out into a W of out×in, and keeps the biases."""
    widths = [[2, 3], [4, 2, 5], [3, 6, 2, 7]][trial]
    pairs = pairwise(widths)
    return dict(foreign=[(rng.integers(1, 9, size=(i, o)) + 0.5, rng.integers(1, 9, size=o) + 0.0) for i, o in pairs])


@check("affine", calls="collapse", trials=4, returns="W b", covers="R099")
def linear_layers_are_one_layer(rng, trial):
    """collapse gives the single W and b that do what the whole stack of linear layers does."""
    widths = [[1, 2, 1], [3, 5, 2], [4, 2, 6, 3, 5], [3, 3, 3, 3]][trial]  # with equal widths any order goes
    pairs = pairwise(widths)
    if trial == 0:
        return dict(
            layers=[(rng.integers(1, 6, size=(o, i)) + 0.0, rng.integers(1, 6, size=o) + 0.0) for i, o in pairs]
        )
    return dict(layers=network(rng, widths))


# -- init (extra) ------------------------------------------------------------------------------------------------------


@check("init", covers="R108 R111")
def random_weights_and_zero_biases(rng, trial):
    """init_layers draws a W of out×in for each layer from the given rng, and sets every bias to 0."""
    widths = [[6, 5], [5, 8, 6], [7, 6, 8, 5]][trial]  # 30 weights or more: equal signs alone are chance below 1e-8
    return dict(widths=widths, seed=int(rng.integers(10**6)), gain=[2.0, 1.0, 0.5][trial])


@random_weights_and_zero_biases.when
def _(student, widths, seed, gain):
    drawn = [student.init_layers(widths, np.random.default_rng(number), gain) for number in (seed, seed, seed + 1)]
    return dict(first=drawn[0], again=drawn[1], other=drawn[2])


@random_weights_and_zero_biases.view
def _(seen, widths):
    return fault_in(seen, widths) or "random weights, zero biases"


@random_weights_and_zero_biases.then
def _(seen, widths):
    if fault := fault_in(seen, widths):
        raise Fail(fault)


def fault_in(seen, widths):
    """Say what is wrong with three drawn networks, the first two from the same seed."""
    shapes = [((o, i), (o,)) for i, o in pairwise(widths)]
    drawn = [seen[name] for name in ("first", "again", "other")]
    for layers in drawn:
        found = [(np.shape(W), np.shape(b)) for W, b in layers]
        if found != shapes:
            return f"expected the shapes {shapes}, got {found}"
    for (W, b), (again, _), (other, _) in zip(*drawn, strict=True):
        if np.any(np.asarray(b) != 0):
            return "a bias is not 0"
        if np.ptp(W) == 0:
            return "all weights of a layer are equal"
        if np.any(np.asarray(W) != np.asarray(again)):
            return "the same rng, started from the same seed, gave other weights: draw from the rng that is given"
        if not np.any(np.asarray(W) != np.asarray(other)):
            return "another rng gave the same weights: draw from the rng that is given"
    return None


@check("init", calls="distinct_units", trials=4, covers="R110")
def twins_are_counted_once(rng, trial):
    """distinct_units counts units that agree in incoming weights, bias and outgoing weights, within tol, once."""
    if trial == 3:  # each is a twin of its neighbours, and of nobody else
        W = 0.07 * np.arange(rng.integers(5, 8))[:: rng.choice([-1, 1]), None]
        return dict(layers=[(W, np.zeros(len(W))), (np.ones((2, len(W))), np.zeros(2))], tol=0.1)
    widths = [[2, 3, 1], [3, 5, 4, 2], [4, 6, 7, 5, 3]][trial]
    layers = [(rng.normal(size=(o, i)).round(1), rng.normal(size=o).round(1)) for i, o in pairwise(widths)]
    for (W, b), (onward, _) in zip(layers[:-1:2], layers[1::2], strict=False):  # every other hidden layer has twins
        W[-1], b[-1], onward[:, -1] = W[0], b[0], onward[:, 0]
    tol = [0.0, 0.05, 1e-4][trial]  # exact twins do not differ by more than 0
    if trial > 0:  # the twins differ a little, and another unit would be their twin if it were not for one number
        W, b = layers[0]
        layers[1][0][:, 1], W[1], b[1] = layers[1][0][:, 0], W[0], b[0]
        W[-1] += 0.5 * tol
        b[1] += 2 * tol
    return dict(layers=layers, tol=tol)


# -- autodiff (extra) --------------------------------------------------------------------------------------------------


@check("autodiff", covers="R016")
def every_brick_knows_its_slope(rng, trial):
    """+, *, **, exp, log, tanh and relu give the right number, and backward the right slope."""
    return dict(a=float(rng.integers(2, 5)) / 2, b=float(rng.integers(-5, -1)) / 4, k=[2.0, 3.0, -1.5][trial])


@every_brick_knows_its_slope.when
def _(student, a, b, k):
    bricks = [
        lambda x, y: x + y,
        lambda x, y: x * y,
        lambda x, y: x**k,
        lambda x, y: y.exp(),
        lambda x, y: x.log(),
        lambda x, y: y.tanh(),
        lambda x, y: x.relu(),
        lambda x, y: y.relu(),
        lambda x, y: (x - a).relu(),  # at 0
        lambda x, y: x - 2 * y,
        lambda x, y: y / x,
    ]
    seen = []
    for brick in bricks:
        x, y = student.Value(a), student.Value(b)
        out = brick(x, y)
        out.backward()
        seen.append([out.data, x.grad, y.grad])
    return np.array(seen)


@check("autodiff", covers="R014 R015")
def two_ways_from_t_to_r(rng, trial):
    """For r = uv with u = t² and v = 3t + 1 the derivative dr/dt is 9t² + 2t."""
    return dict(t=[2.0, float(rng.integers(3, 9)), float(rng.normal())][trial])


@two_ways_from_t_to_r.when
def _(student, t):
    at = student.Value(t)
    u, v = at**2, 3 * at + 1
    r = u * v
    r.backward()
    return dict(r=r.data, dt=at.grad, du=u.grad, dv=v.grad)


@two_ways_from_t_to_r.then
def _(seen, t):
    close(seen["r"], t**2 * (3 * t + 1), tol=1e-5, what="r")
    close([seen["du"], seen["dv"]], [3 * t + 1, t**2], tol=1e-5, what="dr/du and dr/dv")
    close(seen["dt"], 9 * t**2 + 2 * t, tol=1e-5, what="dr/dt")


# -- blocks (extra) ----------------------------------------------------------------------------------------------------


@check("blocks", covers="R114")
def a_residual_block_adds_its_input(rng, trial):
    """residual gives X + F(X), and the way back dY + (the way back through F)."""
    n, d = [(1, 2), (3, 4), (5, 2)][trial]
    return dict(X=rng.normal(size=(n, d)).round(1), a=rng.normal(size=d).round(1), dY=rng.normal(size=(n, d)).round(1))


@a_residual_block_adds_its_input.when
def _(student, X, a, dY):
    def F(H):
        return np.sin(a * H), lambda d: d * a * np.cos(a * H)

    Y, back = student.residual(X, F)
    return Y, back(dY)


@check("blocks", tol=1e-5, covers="R136")
def layer_norm_forward_and_back(rng, trial):
    """layer_norm standardises each row over its features, scales and moves; back gives the gradients of X, γ and β."""
    n, d = [(1, 4), (4, 5), (7, 2)][trial]
    if trial == 0:  # the variance is 1, and the root of 1 + eps is 2
        gamma, beta, dY = (
            rng.integers(1, 5, size=d) / 2,
            rng.integers(-3, 4, size=d) / 2,
            rng.integers(-4, 5, size=(n, d)),
        )
        return dict(X=rng.permuted([[1, 1, 3, 3]], axis=1), gamma=gamma, beta=beta, eps=3.0, dY=dY + 0.5)
    X = (2 * rng.normal(size=(n, d)) + np.arange(d)).round(2)
    if trial == 1:
        X[0] /= 100  # next to this row's variance, eps is not small
    return dict(
        X=X,
        gamma=0.5 + rng.random(d),
        beta=rng.normal(size=d),
        eps=[1e-5, 0.3][trial - 1],
        dY=rng.normal(size=(n, d)),
    )


@layer_norm_forward_and_back.when
def _(student, X, gamma, beta, eps, dY):
    Y, back = student.layer_norm(X, gamma, beta, eps)
    return Y, back(dY), student.layer_norm(X, gamma, beta)[0]


@check("blocks", covers="R123 R124")
def dropout_drops_and_scales(rng, trial):
    """In training each number is either 0 or divided by 1 − p, and back uses the same mask; otherwise nothing happens."""
    n, d = [(4, 9), (12, 10), (30, 7)][trial]
    return dict(
        X=rng.integers(1, 9, size=(n, d)) if trial == 0 else 1 + rng.random((n, d)),
        p=[0.5, 0.3, 0.6][trial],
        seed=int(rng.integers(10**6)),
        dY=1 + rng.random((n, d)),
    )


@dropout_drops_and_scales.when
def _(student, X, p, seed, dY):
    rng = np.random.default_rng(seed)
    (Y, back), (still, back_still) = student.dropout(X, p, rng, True), student.dropout(X, p, rng, False)
    return dict(Y=Y, dX=back(dY), still=still, d_still=back_still(dY))


@dropout_drops_and_scales.view
def _(seen, X, p, dY):
    factor, returned = seen["Y"] / X, seen["dX"] / dY
    some = 0 < np.count_nonzero(factor) < X.size
    return dict(
        levels=np.unique(np.append(factor.round(4), 0)),
        back=np.unique(np.append(returned.round(4), 0)),
        same=bool(some and np.allclose(factor, returned, atol=1e-4)),
        still=seen["still"],
        d_still=seen["d_still"],
    )


@dropout_drops_and_scales.then
def _(seen, X, p, dY):
    factor, returned = seen["Y"] / X, seen["dX"] / dY
    kept = np.abs(factor) > 1e-6
    if kept.all() or not kept.any():
        raise Fail(f"in training, {kept.sum()} of {kept.size} numbers were kept, with p = {p}")
    close(factor[kept], np.full(kept.sum(), 1 / (1 - p)), tol=1e-4, what="what a kept number is multiplied by")
    close(returned, factor, tol=1e-4, what="what the way back multiplies by")
    close(seen["still"], X, tol=1e-4, what="without training, the output")
    close(seen["d_still"], dY, tol=1e-4, what="without training, the way back")
