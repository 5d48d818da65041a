"""Public checks of the perceptron: they find the usual slips, on examples small enough to read."""

import numpy as np

from redink.checks import Fail, answers_have_form, check, close
from redink_datasets import blobs, lattice, separable, tight, xor

# -- score -------------------------------------------------------------------------------------------------------------


@check("score", trials=4, calls="augment", covers="R058")
def the_constant_comes_first(rng, trial):
    """augment puts a column of ones before the features."""
    n, d = [(2, 1), (5, 3), (7, 4), (1, 2)][trial]
    X = rng.integers(2, 10, size=(n, d))
    return dict(X=X if trial == 1 else X.astype(float) if trial == 0 else X + rng.random((n, d)))


@check("score", covers="R058")
def what_augment_gave_stays(rng, trial):
    """A second call of augment leaves what the first one gave as it was."""
    n, d = [(2, 1), (4, 3), (6, 2)][trial]
    return dict(X=rng.integers(2, 10, size=(n, d)) + 0.5, later=rng.integers(11, 20, size=(n, d)) + 0.25)


@what_augment_gave_stays.when
def _(student, X, later):
    first = student.augment(X)
    return dict(second=student.augment(later), first=first)


@check("score", trials=5, calls="scores", covers="R078")
def a_score_is_a_weighted_sum_plus_a_constant(rng, trial):
    """scores gives w[0] + w[1]·x₁ + … + w[d]·x_d for every example, also for one alone."""
    n, d = [(2, 1), (5, 3), (9, 4), (1, 2), (4, 3)][trial]  # in the last, X̃ is a square
    X, w = rng.integers(2, 10, size=(n, d)), rng.permutation(np.arange(2, d + 3))
    if trial == 0:
        return dict(X=X.astype(float), w=w.astype(float))
    return dict(X=X if trial == 1 else X + rng.random((n, d)), w=w - 2.5)


@check("score", trials=5, calls="predict", covers="R056")
def a_prediction_is_the_sign_of_the_score(rng, trial):
    """predict gives +1 on one side of the boundary and −1 on the other, however small the score."""
    data = lattice(rng, *[(3, 1), (6, 2), (20, 5), (1, 2), (7, 3)][trial])
    return dict(X=data.X.astype(int) if trial == 1 else data.X, w=[2, 2, 2, 2, 2.0**-40][trial] * whole_plane(data))


def whole_plane(data):
    """Give the plane of lattice data in whole numbers: sums have no rounding, and wrong scores that tie do so for all."""
    return np.rint(data.u / abs(data.u[0]))


# -- step --------------------------------------------------------------------------------------------------------------


def one_example(rng, trial, right):
    """Draw weights, an augmented example and a label that the weights get right or wrong, and not by a score of 0.

    Three have scores of ±½, ±0.02 and ±1e-9: to be right by little is to be right. One has integer weights, and an
    example that is none.
    """
    d = [1, 3, 6, 2, 4][trial]
    w, x = rng.integers(1, 5, size=d + 1).astype(float), np.append(1.0, rng.integers(1, 5, size=d))
    w[-1] = -w[-1] - x[:-1] @ w[:-1]  # so that the terms have both signs, and the score is negative
    y = 1 if trial in (1, 4) else -1
    w = -y * w if right else y * w
    if trial == 3:
        return dict(w=w.astype(int), x=x + np.append(0, np.full(d, 1 / 64)), y=y)
    return dict(w=w * [1, 0.5, 0.02, 1, 1e-9][trial] / (abs(w @ x) if trial else 1), x=x, y=y)


@check("step", trials=5, returns="w mistake", covers="R060")
def a_mistake_moves_w(rng, trial):
    """An example on the wrong side moves w by y·x, and is reported as a mistake."""
    return one_example(rng, trial, right=False)


@check("step", trials=5, returns="w mistake", covers="R060")
def a_right_example_moves_nothing(rng, trial):
    """An example on the right side leaves w as it is, and is not a mistake."""
    return one_example(rng, trial, right=True)


@check("step", trials=4, returns="w mistake", covers="R060")
def a_score_of_zero_is_a_mistake(rng, trial):
    """A score of exactly 0 is a mistake, for either label: at w = 0, and where w is at right angles to x."""
    x, rest = np.append(1.0, rng.integers(1, 6, size=3)), rng.integers(1, 6, size=3)
    w = np.zeros(4) if trial < 2 else np.append(-rest @ x[1:], rest)
    return dict(w=w, x=x, y=1 if trial % 2 else -1)


# -- train -------------------------------------------------------------------------------------------------------------


@check("train", trials=6, returns="w mistakes converged", covers="R060")
def a_run_you_can_follow_by_hand(rng, trial):
    """Training from w = 0 in the natural order gives these weights, these mistakes and this verdict."""
    if trial == 0:  # the table in the notebook, its points permuted
        places = rng.permutation(3)
        return dict(X=np.array([[0.0], [3.0], [1.0]])[places], y=np.array([-1, 1, -1])[places], max_epochs=9)
    if trial in (3, 4):  # the first example ends with a score of exactly 0, for either label
        X = np.array([[1.0, 0.0], [1.0, float(rng.integers(2, 6))]])
        return dict(X=X, y=np.array([[1, -1], [-1, 1]][trial - 3]), max_epochs=1)
    n, d, max_epochs = {1: (7, 2, 3), 2: (24, 4, 60), 5: (1, 2, 3)}[trial]
    data = lattice(rng, n, d)
    return dict(X=data.X.astype(int) if trial == 1 else data.X, y=data.y, max_epochs=max_epochs)


@check("train", trials=5, returns="w mistakes converged", covers="R060")
def the_order_is_followed(rng, trial, reference):
    """Epoch e visits the examples in the order of row e, and mistakes names the examples, not the visits."""
    n, d, max_epochs = [(3, 1, 2), (8, 3, 4), (19, 5, 7), (5, 2, 5), (4, 1, 6)][trial]
    while True:
        data = lattice(rng, n, d)
        order = np.array([rng.permutation(n) for _ in range(max_epochs)])
        order[0] = np.roll(np.arange(n), 1)  # so that no trial happens to use the natural order
        if trial < 4 or longest_quiet(reference, data, order) >= n:
            return dict(X=data.X, y=data.y, max_epochs=max_epochs, order=order)


def longest_quiet(reference, data, order):
    """Count the visits of the longest stretch without a mistake that a mistake follows; it may lie in two epochs."""
    wrong, known = [], 0
    for epoch, visits in enumerate(order):
        mistakes = reference.perceptron(data.X, data.y, epoch + 1, order)[1]
        wrong += np.isin(visits, mistakes[known:]).tolist()
        known = len(mistakes)
    places = np.append(-1, np.flatnonzero(wrong))
    return int(np.diff(places).max()) - 1


@check("train", covers="R060")
def the_weights_are_the_sum_of_the_mistakes(rng, trial):
    """The final w is the sum of y·[1, x] over the mistakes, each counted as often as it was made."""
    n, d = [(4, 2), (15, 3), (40, 6)][trial]
    data = separable(rng, n, d, gamma=0.1)
    return dict(X=data.X, y=data.y, max_epochs=30)


@the_weights_are_the_sum_of_the_mistakes.then
def _(seen, X, y):
    w, mistakes, _ = seen
    if len(mistakes) == 0:
        raise Fail("there is no mistake; but w starts at 0, where every score is 0")
    made = np.asarray(mistakes, dtype=int)
    close(w, np.append(y[made].sum(), y[made] @ X[made]), tol=1e-5, what="w, compared with that sum")


# -- bound -------------------------------------------------------------------------------------------------------------


def separated(rng, trial):
    """Draw separable data and a separator that is not of length 1."""
    data = lattice(rng, *[(3, 1), (6, 3), (30, 5), (1, 2)][trial])
    return dict(
        X=data.X.astype(int) if trial == 1 else data.X, y=data.y, u=[4.0, 0.5, 8.0, 2.0][trial] * whole_plane(data)
    )


@check("bound", trials=4, calls="margin", tol=1e-5, covers="R062")
def the_margin_is_the_smallest_distance(rng, trial):
    """margin gives the signed distance of the nearest example, whatever the length of u."""
    return separated(rng, trial)


@check("bound", trials=4, calls="radius", tol=1e-5, covers="R063")
def the_radius_reaches_the_farthest_example(rng, trial):
    """radius gives the length of the longest augmented example."""
    return dict(X=separated(rng, trial)["X"])


@check("bound", trials=7, calls="mistake_bound", tol=1e-5, covers="R064")
def the_bound_is_the_square_of_radius_over_margin(rng, trial):
    """mistake_bound gives (R/γ)², however small γ is, and infinity where u gets an example wrong."""
    if trial == 4:
        data = separated(rng, 1)
        return dict(data, y=np.where(np.arange(6) == rng.integers(6), -data["y"], data["y"]))
    if trial == 5:  # examples very near to a plane through the origin
        X = rng.choice([-3, -2, -1, 1, 2, 3], size=(5, 1)) * 2.0**-45
        return dict(X=X, y=np.sign(X[:, 0]).astype(int), u=np.array([0.0, 4.0]))
    if trial == 6:  # an example on the plane, which is off it when u is divided first
        return dict(X=np.array([[3.0, 2.0]]), y=np.array([1]), u=np.array([-4.0, 2.0, -1.0]))
    return separated(rng, trial)


@the_bound_is_the_square_of_radius_over_margin.view
def _(seen):
    return (
        "a number for infinity" if 1e25 < seen < np.inf else seen
    )  # what rounding made of 1/0 differs between machines


@check("bound", trials=6, calls="proof_trace", tol=1e-5, returns="squares progress", covers="R064")
def the_trace_has_both_quantities_after_every_update(rng, trial):
    """proof_trace gives ‖w‖² and w·u/‖u‖ after each update, for any list of updates, also for none."""
    if trial == 3:
        return dict(separated(rng, 1), mistakes=[])
    data = separated(rng, [0, 1, 2, 3, 3, 1][trial])
    updates = rng.integers(len(data["y"]), size=[3, 8, 50, 0, 1, 4][trial])  # in the last, as many as examples
    return dict(data, mistakes=[0, *updates.tolist(), 0])  # at least one example comes twice


# -- xor ---------------------------------------------------------------------------------------------------------------


def gap(a, b, c, d):
    """Give the distance between the segments a–b and c–d, relative to the size of the figure."""
    size = max(np.linalg.norm(p - a) for p in (b, c, d))
    if not 0 < size < np.inf:
        return 0.0
    found = [np.linalg.norm(p - nearest(p, q, r)) for p, q, r in ((a, c, d), (b, c, d), (c, a, b), (d, a, b))]
    sides = np.column_stack([b - a, c - d])
    (s, t), *_ = np.linalg.lstsq(sides, c - a, rcond=None)
    if 0 <= s <= 1 and 0 <= t <= 1:
        found.append(np.linalg.norm(sides @ (s, t) - (c - a)))
    return min(found) / size


def nearest(p, q, r):
    """Give the point of the segment q–r that is nearest to p."""
    length = (r - q) @ (r - q)
    return q if length == 0 else q + np.clip((p - q) @ (r - q) / length, 0, 1) * (r - q)


def separates(features, X):
    """Tell whether a hyperplane separates XOR in these features: whether its two classes' segments stay apart."""
    features = np.asarray(features, dtype=float)
    if np.abs(features).max() > 1e6:
        return False
    corner = [features[np.flatnonzero((place == X).all(axis=1))[0]] for place in ((0, 0), (1, 1), (0, 1), (1, 0))]
    return gap(*(np.atleast_1d(one) for one in corner)) > 1e-6


@check("xor", calls="xor_features", covers="R059 R066")
def a_plane_separates_xor_in_the_features(rng, trial):
    """In the features of xor_features, some hyperplane separates the corners where XOR is 1 from those where it is 0."""
    X, _ = xor()
    return dict(X=X if trial == 0 else X[rng.permutation(4)].astype([float, int, float][trial]))


@a_plane_separates_xor_in_the_features.view
def _(seen, X):
    return "separable" if seen.ndim == 2 and len(seen) == len(X) and separates(seen, X) else seen.tolist()


@a_plane_separates_xor_in_the_features.then
def _(seen, X):
    if seen.ndim != 2 or len(seen) != len(X):
        raise Fail(f"expected an array of shape ({len(X)}, k), one row for each example, got shape {seen.shape}")
    if np.abs(seen).max() > 1e6:
        raise Fail("features of 0 and 1 need no numbers in the millions")
    if not separates(seen, X):
        raise Fail("the corners (0,0), (1,1) and the corners (0,1), (1,0) cannot be separated in these features")


@check("xor", trials=1, covers="R065 R066")
def two_relus_compute_xor():
    """The network with the weights of xor_network gives 0, 1, 1, 0 on the four corners."""
    return dict(X=xor()[0])


@two_relus_compute_xor.when
def _(student):
    return student.xor_network()


def xor_outputs(seen, X):
    """Give the outputs of the network on the corners."""
    W1, b1, w2, b2 = (np.asarray(part, dtype=float) for part in seen)
    if W1.shape != (2, 2) or b1.size != 2 or w2.size != 2 or b2.size != 1:
        raise Fail("expected W1 of 2×2, b1 and w2 of 2 numbers each, b2 a number")
    return np.maximum(0, X @ W1.T + b1.ravel()) @ w2.ravel() + b2.ravel()


@two_relus_compute_xor.view
def _(seen, X):
    return xor_outputs(seen, X)


@two_relus_compute_xor.then
def _(seen, X):
    close(xor_outputs(seen, X), (X[:, 0] != X[:, 1]).astype(float), tol=1e-5, what="the outputs on the corners")


@check("xor", trials=5, calls="certificate", covers="R059 R061")
def no_line_separates_what_has_a_certificate(rng, trial):
    """certificate gives λ ≥ 0, not all 0, with Σ λ y x̃ = 0; and all 0 where some line separates the examples."""
    if trial == 0:  # the three points of the text, mirrored or not
        return dict(X=rng.choice([-1, 1]) * np.array([[0], [1], [3]]), y=np.array([1, -1, 1]), max_epochs=50)
    if trial == 1:
        X, y = xor()
        places = rng.permutation(4)
        return dict(X=X[places].astype(int), y=y[places], max_epochs=50)
    if trial == 3:  # a point with both labels, after one that is a mistake just once
        return dict(X=np.array([[-1], [2], [2]]), y=rng.choice([-1, 1]) * np.array([-1, 1, -1]), max_epochs=50)
    if trial == 4:
        data = lattice(rng, 5, 2, reach=3)
        return dict(X=data.X.astype(int), y=data.y, max_epochs=400)
    places = rng.permutation(3)
    return dict(X=np.array([[0, 1], [1, 2], [3, 1]])[places], y=np.array([1, 1, -1])[places], max_epochs=50)


@no_line_separates_what_has_a_certificate.view
def _(seen, X, y):
    return "a proof" if proves(seen, X, y) else np.asarray(seen).tolist()


@no_line_separates_what_has_a_certificate.then
def _(seen, expected, X, y):
    found = np.asarray(seen, dtype=float)
    if found.shape != (len(X),):
        raise Fail(f"expected {len(X)} numbers, one for each example")
    if not np.any(expected):
        close(found, expected, what="λ, where a line separates the examples,")
    elif (found < 0).any():
        raise Fail("one of the λ is negative")
    elif not found.any():
        raise Fail("all λ are 0: that proves nothing")
    elif not proves(found, X, y):
        raise Fail("Σ λ y x̃ is not 0")


def proves(seen, X, y):
    """Tell whether numbers prove that no hyperplane separates these examples."""
    found = np.asarray(seen, dtype=float)
    if found.shape != (len(X),) or (found < 0).any() or not found.any():
        return False
    total = (found * y) @ np.column_stack([np.ones(len(X)), X])
    return bool(np.abs(total).max() <= 1e-5 * found.sum() * (1 + np.abs(X).max()))


# -- experiment --------------------------------------------------------------------------------------------------------


@check("experiment", tol=1e-5, covers="R064")
def with_everything_kept_it_is_one_run(rng, trial):
    """For a γ below the margin every example is kept: the count and the bound are those of your own functions."""
    data = tight(rng, 2) if trial == 0 else lattice(rng, *[(9, 2), (25, 4)][trial - 1])
    u = data.u if trial == 0 else whole_plane(data)
    return dict(X=data.X, y=data.y, u=2 * u, gammas=np.array([0.38 * data.gamma]), max_epochs=200)


@with_everything_kept_it_is_one_run.when
def _(student, X, y, u, gammas, max_epochs):
    return dict(
        experiment=student.bound_versus_reality(X, y, u, gammas, max_epochs),
        mistakes=student.perceptron(X, y, max_epochs)[1],
        bound=student.mistake_bound(X, y, u),
    )


@with_everything_kept_it_is_one_run.view
def _(seen):
    return [seen["experiment"], len(seen["mistakes"]), seen["bound"]]  # all that it is compared with


@with_everything_kept_it_is_one_run.then
def _(seen, expected):
    counts, bounds = seen["experiment"]
    close(counts, [len(seen["mistakes"])], what="the count of mistakes")
    close(bounds, [seen["bound"]], tol=1e-5, what="the bound")
    close(seen["experiment"], expected["experiment"], tol=1e-5)  # two functions that do nothing agree as well


@check("experiment", tol=1e-5, returns="mistakes bounds", covers="R062 R064")
def the_data_are_peeled_layer_by_layer(rng, trial):
    """For each γ only the examples at a signed distance of at least γ are used, for the count and for the bound."""
    n, d, parts = [(5, 1, 2), (30, 2, 3), (60, 3, 5)][trial]
    data = lattice(rng, n, d)
    gammas = between(np.abs(data.X @ data.u[1:] + data.u[0]), parts)
    gammas[0] *= 1 if trial < 2 else 100  # once, nothing is left
    X = data.X.astype(int) if trial == 1 else data.X
    return dict(X=X, y=data.y, u=[4.0, 0.5, 2.0][trial] * whole_plane(data), gammas=gammas, max_epochs=200)


def between(distances, parts):
    """Choose thresholds between distances, so that no rounding decides who is kept; the largest keeps a few.

    They are not halfway: there a wrong distance might lie, which is a whole number of steps as well.
    """
    values = np.append(0, np.unique(distances.round(6)))
    middles = 0.62 * values[:-1] + 0.38 * values[1:]
    return middles[(np.linspace(0.8, 0, parts) * len(middles)).astype(int)]


# -- logistic ----------------------------------------------------------------------------------------------------------


@check("logistic", trials=6, returns="sigmoid softmax", covers="R071 R072")
def probabilities_never_overflow(rng, trial):
    """sigmoid and softmax give probabilities for scores of any size."""
    if trial == 3:
        return dict(z=rng.integers(-3, 4, size=5), S=rng.integers(-3, 4, size=(6, 4)))
    if trial > 3:  # a single row, and a square
        return dict(z=rng.normal(size=1), S=rng.normal(size=[(1, 3), (4, 4)][trial - 4]))
    size = [1, 30, 3000][trial]
    return dict(z=size * rng.normal(size=3 + trial), S=size * rng.normal(size=(2 + trial, 4 + trial)))


@probabilities_never_overflow.when
def _(student, z, S):
    return student.sigmoid(z), student.softmax(S)


@check("logistic", trials=5, calls="class_probabilities", tol=1e-5, covers="R071")
def a_softmax_of_linear_scores(rng, trial):
    """class_probabilities gives softmax(W x̃), a row for each example, whatever n and K are."""
    n, d, classes = [(2, 1, 3), (5, 2, 4), (9, 4, 7), (4, 3, 4), (1, 2, 3)][trial]
    return dict(X=rng.normal(size=(n, d)), W=rng.normal(size=(classes, d + 1)))


@check("logistic", trials=5, calls="logistic_loss", tol=1e-5, returns="loss gradient", covers="R073")
def logistic_loss_and_its_slope(rng, trial):
    """logistic_loss is the mean of log(1 + e^(−y·s)), with its gradient in w."""
    data = lattice(rng, *[(3, 1), (11, 2), (30, 5), (7, 3), (1, 2)][trial])
    if trial == 3:
        return dict(X=data.X.astype(int), y=data.y, w=rng.choice([-1, 1], size=4))
    return dict(X=data.X, y=data.y, w=rng.normal(size=data.u.shape))


@check("logistic", calls="logistic_descent", tol=1e-5, covers="R073")
def descent_takes_its_steps(rng, trial):
    """logistic_descent takes the given number of steps from w = 0."""
    data = separable(rng, *[(3, 1), (8, 2), (30, 5)][trial])
    return dict(X=data.X, y=data.y, rate=[1.0, 0.5, 0.3][trial], steps=[1, 3, 40][trial])


# -- losses (extra) ----------------------------------------------------------------------------------------------------


@check("losses", trials=4, calls="zero_one_loss", tol=1e-5, covers="R068")
def zero_one_counts_wrong_predictions(rng, trial):
    """zero_one_loss is the fraction of wrong predictions."""
    data = lattice(rng, *[(4, 1), (9, 2), (35, 4), (1, 2)][trial])
    flipped = np.where(np.arange(len(data.y)) % 3 == 0, -data.y, data.y)
    return dict(X=data.X, y=flipped, w=whole_plane(data))


@check("losses", trials=5, calls="hinge_loss", tol=1e-5, returns="loss gradient", covers="R069")
def hinge_and_its_slope(rng, trial):
    """hinge_loss is the mean of max(0, 1 − y·s), with its subgradient in w."""
    data = lattice(rng, *[(3, 1), (11, 2), (30, 5), (7, 3), (1, 2)][trial])
    if trial == 3:
        return dict(X=data.X.astype(int), y=data.y, w=rng.choice([-2, -1, 1, 2], size=4))
    return dict(X=data.X, y=data.y, w=0.6 * data.u + 0.1 * rng.normal(size=data.u.shape))


@check("losses", trials=6, calls="multiclass_hinge", tol=1e-5, returns="loss gradient", covers="R070")
def multiclass_hinge_and_its_slope(rng, trial):
    """multiclass_hinge is the mean of max(0, 1 − (s_t − best other)), with its subgradient in W."""
    n, d, classes = [(2, 1, 3), (9, 2, 4), (25, 4, 5), (8, 2, 3), (1, 2, 4), (4, 3, 4)][trial]
    if trial == 3:
        W = np.column_stack([rng.permutation(classes), rng.integers(-3, 4, size=(classes, d))])
        X, t = rng.integers(-4, 5, size=(n, d)), rng.integers(classes, size=n)
        one, other, t[0] = rng.permutation(classes)
        W[one] = W[other]  # two rivals tie for best, and beat the first example's own class by 1
        W[t[0], 0] = W[one, 0] + (W[one, 1:] - W[t[0], 1:]) @ X[0] - 1
        return dict(X=X, t=t, W=W)
    X, t = blobs(rng, n, 2 * rng.normal(size=(classes, d)))
    return dict(X=X, t=t, W=rng.normal(size=(classes, d + 1)))


# -- averaged (extra) --------------------------------------------------------------------------------------------------


@check("averaged", trials=5, covers="R060")
def every_visit_counts_once(rng, trial):
    """The average is over the weights after every visit, mistake or not."""
    n, d, max_epochs = [(3, 1, 2), (7, 2, 5), (16, 4, 9), (1, 2, 3), (5, 3, 5)][trial]
    data = lattice(rng, n, d)
    return dict(X=data.X.astype(int) if trial == 1 else data.X, y=data.y, max_epochs=max_epochs)


# -- kernel (extra) ----------------------------------------------------------------------------------------------------


@check("kernel", trials=6, covers="R060")
def the_linear_kernel_makes_the_same_mistakes(rng, trial):
    """With K = X̃X̃ᵀ, α counts the mistakes that the ordinary perceptron makes on each example."""
    if trial == 3:  # data that give no peace, so that every epoch counts
        (X, y), places = xor(), rng.permutation(4)
        return dict(K=1 + X[places] @ X[places].T, y=y[places], max_epochs=3)
    if trial == 4:  # one example with both labels: each is a mistake in every epoch
        epochs = int(rng.integers(260, 400))
        return dict(K=np.full((2, 2), rng.integers(1, 6)), y=rng.permutation([-1, 1]), max_epochs=epochs)
    data = lattice(rng, *{0: (3, 1), 1: (8, 2), 2: (25, 4), 5: (6, 3)}[trial])
    size = 1 if trial < 3 else 2.0**-40  # to be right by little is to be right
    return dict(K=size * (1 + data.X @ data.X.T), y=data.y, max_epochs=40)


# -- concepts ----------------------------------------------------------------------------------------------------------

the_answers_have_the_form_that_is_asked = answers_have_form(
    "concepts",
    scaling=("unchanged", "tenfold", "hundredfold", "hundredth"),
    restless=("patience", "claim", "order", "rate"),
    trace=range(1, 6),
    parity_units=float,
    multinomials=range(6),
    raw_scores=range(6),
    still_wrong=range(51),
    no_gradient=range(13),
)
