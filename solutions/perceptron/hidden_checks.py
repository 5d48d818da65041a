"""Hidden checks of the perceptron: they ask whether the idea is right, not only the example."""

from fractions import Fraction

import numpy as np

from redink.checks import Fail, check, close, concept
from redink_datasets import lattice, separable, tight, xor

# -- score -------------------------------------------------------------------------------------------------------------


@check("score", calls="predict", covers="R056")
def a_score_of_zero_is_predicted_positive(rng, trial):
    """predict gives +1 where the score is exactly 0."""
    n, d = [(3, 1), (8, 3), (17, 4)][trial]
    w, X = (
        np.append(rng.integers(1, 5, size=d), 1.0),
        rng.integers(-4, 5, size=(n, d)).astype(float),
    )
    wanted = rng.permutation(np.resize([0.0, 2.0, -3.0], n))
    X[:, -1] += (
        wanted - w[0] - X @ w[1:]
    )  # the last weight is 1: so each score is the wanted one, exactly
    return dict(X=X, w=w)


@check("score", calls="predict", covers="R057")
def features_bend_the_boundary(rng, trial):
    """With the feature x₁² + x₂² the same predict draws a circle."""
    centre, r = rng.integers(-2, 3, size=2), int(rng.integers(2, 4))
    points = rng.normal(size=([4, 15, 50][trial], 2)) * r + centre
    points[0], points[1] = centre, centre + 2 * r  # one inside, one outside
    features = np.column_stack([points, (points**2).sum(axis=1)])
    return dict(
        X=features,
        w=np.array([centre @ centre - r * r, *(-2 * centre), 1.0]),
        points=points,
        centre=centre,
        r=r,
    )


@features_bend_the_boundary.when
def _(student, X, w):
    return student.predict(X, w)


@features_bend_the_boundary.then
def _(seen, points, centre, r):
    outside = np.linalg.norm(points - centre, axis=1) > r
    close(seen, np.where(outside, 1, -1))


# -- step --------------------------------------------------------------------------------------------------------------


@check("step", covers="R060")
def an_example_and_its_negative_are_one(rng, trial):
    """(x, y) and (−x, −y) say the same thing: they lead to the same w and the same verdict."""
    many = [3, 20, 60][trial]
    xs = np.column_stack([np.ones(many), rng.integers(-5, 6, size=(many, 2 + trial))])
    return dict(w=np.zeros(3 + trial), xs=xs, ys=rng.choice([-1, 1], size=many))


@an_example_and_its_negative_are_one.when
def _(student, w, xs, ys):
    walks = []
    for sign in (1, -1):
        at, flags = np.array(w), []
        for x, y in zip(xs, ys, strict=True):
            at, mistake = student.perceptron_step(at, sign * x, int(sign * y))
            flags.append(mistake)
        walks.append(dict(w=at, flags=flags))
    return walks


@an_example_and_its_negative_are_one.then
def _(seen, expected):
    plain, negated = seen
    close(negated, plain, what="after negating x and y")
    close(plain, expected[0])


# -- train -------------------------------------------------------------------------------------------------------------


@check("train", covers="R059 R064")
def separable_data_are_separated_within_the_bound(rng, trial):
    """On separable data training ends with every example right, after at most (R/γ)² mistakes."""
    n, d, gamma = [(4, 2, 0.5), (30, 3, 0.3), (60, 7, 0.2)][trial]
    data = separable(rng, n, d, gamma=gamma)
    bound = (1 + (data.X**2).sum(axis=1)).max() / gamma**2
    return dict(X=data.X, y=data.y, max_epochs=int(bound) + 1, bound=bound)


@separable_data_are_separated_within_the_bound.when
def _(student, X, y, max_epochs):
    return student.perceptron(X, y, max_epochs)


@separable_data_are_separated_within_the_bound.then
def _(seen, X, y, bound):
    w, mistakes, converged = seen
    if not (y * (w[0] + X @ w[1:]) > 0).all():
        raise Fail("some examples are not right in the end, although they are separable")
    close(converged, True, what="converged")
    if not 0 < len(mistakes) <= bound:
        raise Fail(f"{len(mistakes)} mistakes, where the theorem allows {bound:.1f}")
    close(
        w[:1],
        y[np.asarray(mistakes, dtype=int)].sum(keepdims=True),
        what="the constant's weight",
    )


@check("train", returns="w mistakes converged", covers="R064")
def the_worst_case_costs_exactly_the_bound(rng, trial):
    """Where the augmented examples are at right angles, each is a mistake exactly once: as many as the bound allows."""
    n = [2, 4, 16][trial]
    data = tight(rng, n)
    return dict(
        X=data.X,
        y=data.y,
        max_epochs=5,
        order=np.array([rng.permutation(n) for _ in range(5)]),
    )


@check("train", returns="w mistakes converged", covers="R061 R065")
def xor_gives_no_peace(rng, trial):
    """On XOR training never converges, and stops after max_epochs."""
    X, y = xor()
    places, max_epochs = rng.permutation(4), [2, 7, 30][trial]
    return dict(X=X[places], y=y[places] * rng.choice([-1, 1]), max_epochs=max_epochs)


@check("train", trials=5, returns="w mistakes converged", covers="R059")
def converged_is_about_the_final_weights(rng, trial):
    """converged says whether y·score > 0 for all examples under the final w, however the last epoch went."""
    if trial == 0:  # the first example ends with a score of exactly 0
        return dict(
            X=np.array([[1.0, 0.0], [1.0, float(rng.integers(2, 6))]]),
            y=np.array([1, -1]),
            max_epochs=1,
        )
    if trial == 1:  # each example is a mistake in the only epoch, and then all are right
        data = tight(rng, 4)
        return dict(X=data.X, y=data.y, max_epochs=1)
    if trial == 4:  # all are right in the end, by very little
        return dict(
            X=rng.permutation([-1.0, 1.0])[:, None] * 2.0**-20,
            y=np.array([1, -1]),
            max_epochs=9,
        )
    data = lattice(rng, 12 + trial, 3)
    return dict(X=data.X, y=data.y, max_epochs=[1, 300][trial - 2])


@check("train", covers="R060")
def turning_the_data_turns_the_weights(rng, trial):
    """Turning all examples about the origin turns w with them, and changes neither its constant nor the mistakes."""
    n, d = [(3, 2), (14, 3), (33, 5)][trial]
    data = lattice(rng, n, d)
    turn = np.eye(d)[rng.permutation(d)] * rng.choice([-1.0, 1.0], size=d)
    turn[0] *= -1.0 if np.array_equal(turn, np.eye(d)) else 1.0
    return dict(X=data.X, y=data.y, turned=data.X @ turn, turn=turn)


@turning_the_data_turns_the_weights.when
def _(student, X, y, turned):
    return [student.perceptron(data, y, 4) for data in (X, turned)]


@turning_the_data_turns_the_weights.then
def _(seen, expected, turn):
    (w, mistakes, _), (other, others, _) = seen
    close(others, mistakes, what="the mistakes on the turned data")
    close(other, np.append(w[0], w[1:] @ turn), what="the weights on the turned data")
    close(mistakes, expected[0][1], what="the mistakes")


# -- bound -------------------------------------------------------------------------------------------------------------


def run(X, y, max_epochs):
    """Train a perceptron and list its mistakes."""
    vectors, w, mistakes = (
        np.column_stack([np.ones(len(X)), X]),
        np.zeros(X.shape[1] + 1),
        [],
    )
    for _ in range(max_epochs):
        for i, x in enumerate(vectors):
            if y[i] * (w @ x) <= 0:
                w, mistakes = w + y[i] * x, [*mistakes, i]
    return mistakes


@check("bound", tol=1e-5, covers="R062 R064")
def the_length_of_u_does_not_matter(rng, trial):
    """u and 10·u are the same plane: the same margin, the same bound, the same progress."""
    data = separable(rng, *[(3, 1), (8, 2), (40, 6)][trial], gamma=0.3)
    return dict(
        X=data.X,
        y=data.y,
        u=data.u,
        longer=10 * data.u,
        mistakes=rng.integers(3, size=6).tolist(),
    )


@the_length_of_u_does_not_matter.when
def _(student, X, y, u, longer, mistakes):
    return [
        [
            student.margin(X, y, v),
            student.mistake_bound(X, y, v),
            student.proof_trace(X, y, v, mistakes)[1],
        ]
        for v in (u, longer)
    ]


@the_length_of_u_does_not_matter.then
def _(seen, expected):
    for name, short, long, wanted in zip(
        ("margin", "bound", "progress"), *seen, expected[0], strict=True
    ):
        close(long, short, tol=1e-5, what=f"the {name} for 10·u")
        close(short, wanted, tol=1e-5, what=f"the {name}")


@check("bound", trials=5, tol=1e-5, covers="R059 R064")
def no_separator_no_promise(rng, trial):
    """Where u does not separate the examples the margin is not positive, and the bound is infinite."""
    if (
        trial == 3
    ):  # an example on the plane: u has the length 4, so that no division rounds, and the margin is 0
        u, X = 2 * rng.choice([-1.0, 1.0], size=4), rng.integers(1, 6, size=(7, 3)) * 2.0
        X[:, 2] = rng.choice([-1, 1], size=7) * u[3] / 2 * (X[:, 2] + 20)
        right = np.where(u[0] + X @ u[1:] > 0, 1, -1)
        place = rng.integers(7)
        X[place, 2] = -(u[0] + X[place, :2] @ u[1:3]) / u[3]
        return dict(X=X, y=right, right=right, u=u)
    if trial == 4:
        u, X, y = on_the_plane_and_rounded(rng)
        return dict(X=X, y=y, right=y, u=u)
    data = lattice(rng, *[(3, 1), (9, 2), (20, 4)][trial])
    y = data.y.copy()
    y[rng.integers(len(y))] *= -1
    return dict(X=data.X, y=y, right=data.y, u=2 * whole_plane(data))


def whole_plane(data):
    """Give the plane of lattice data in whole numbers: sums have no rounding, and wrong scores that tie do so for all."""
    return np.rint(data.u / abs(data.u[0]))


def on_the_plane_and_rounded(rng):
    """Draw whole numbers, one example on the plane of u: only by u/‖u‖, which is rounded, it seems to be on the right side."""
    while True:
        X, u = (
            rng.integers(1, 6, size=(3, 2)) * rng.choice([-1.0, 1.0], size=2),
            np.append(0.0, rng.integers(1, 6, size=2)),
        )
        u[0] = -X[0] @ u[1:]
        scores = u[0] + X @ u[1:]
        terms = u / np.linalg.norm(u) * np.append(1, X[0])
        exact = float(
            sum(
                Fraction(unit) * Fraction(x)
                for unit, x in zip(u / np.linalg.norm(u), [1, *X[0]], strict=True)
            )
        )
        seeming = np.sign(
            [exact, terms[0] + terms[1] + terms[2], terms[0] + (terms[1] + terms[2])]
        )
        if scores[1:].all() and abs(seeming.sum()) == 3:
            return u, X, np.append(seeming[0], np.sign(scores[1:])).astype(int)


@no_separator_no_promise.when
def _(student, X, y, right, u):
    return dict(
        margin=student.margin(X, y, u),
        bound=student.mistake_bound(X, y, u),
        mended=student.mistake_bound(X, right, u),
    )


@no_separator_no_promise.view
def _(seen):
    bounds = [
        seen["bound"],
        seen["mended"],
    ]  # what rounding made of 1/0 differs from machine to machine
    return [
        seen["margin"],
        *("a number for infinity" if 1e25 < bound < np.inf else bound for bound in bounds),
    ]


@check("bound", tol=1e-5, covers="R064")
def both_halves_of_the_proof_hold(rng, trial):
    """In a real run, after every mistake k, ‖w‖² ≤ k·R² and w·u/‖u‖ ≥ k·γ."""
    n, d, gamma = [(3, 2, 0.5), (20, 3, 0.2), (50, 6, 0.1)][trial]
    data = separable(rng, n, d, gamma=gamma)
    square = (1 + (data.X**2).sum(axis=1)).max()
    return dict(
        X=data.X,
        y=data.y,
        u=0.4 * data.u,
        mistakes=run(data.X, data.y, 25),
        gamma=gamma,
        square=square,
    )


@both_halves_of_the_proof_hold.when
def _(student, X, y, u, mistakes):
    return student.proof_trace(X, y, u, mistakes)


@both_halves_of_the_proof_hold.then
def _(seen, expected, mistakes, gamma, square):
    lengths, progress = (np.asarray(part, dtype=float) for part in seen)
    k = np.arange(1, len(mistakes) + 1)
    if lengths.shape != k.shape or progress.shape != k.shape:
        raise Fail(f"expected {len(k)} numbers of each kind, one per mistake")
    if (lengths > k * square * (1 + 1e-4)).any():
        raise Fail("‖w‖² grows by more than R² in a mistake")
    if (progress < k * gamma * (1 - 1e-4)).any():
        raise Fail("w·u/‖u‖ grows by less than γ in a mistake")
    close(seen, expected, tol=1e-5)


# -- xor ---------------------------------------------------------------------------------------------------------------


@check("xor", calls="certificate", covers="R059 R061")
def larger_sets_have_certificates_too(rng, trial):
    """certificate proves that no hyperplane separates these, by a λ of which some are 0 and others are not 1."""
    n, d = [(5, 1), (8, 2), (14, 3)][trial]
    X, y = rng.integers(-3, 4, size=(n, d)), rng.choice([-1, 1], size=n)
    X[0] = rng.integers(1, 4, size=d)
    X[1], X[2] = (
        0,
        -2 * X[0],
    )  # the origin lies between two examples of the other class, nearer to one of them
    y[:3] = [1, -1, 1]
    places = rng.permutation(n)
    return dict(X=X[places], y=y[places], max_epochs=400)


@larger_sets_have_certificates_too.view
def _(seen, X, y):
    return "a proof" if imbalance(seen, X, y) <= 1e-5 else np.asarray(seen).tolist()


@larger_sets_have_certificates_too.then
def _(seen, X, y):
    if np.shape(seen) != (len(X),):
        raise Fail(f"expected {len(X)} numbers, one for each example")
    if not imbalance(seen, X, y) <= 1e-5:
        raise Fail(
            "these λ do not prove it: some are negative, or all are 0, or Σ λ y x̃ is not 0"
        )


def imbalance(seen, X, y):
    """Return how far Σ λ y x̃ is from 0, next to the size of its terms; infinity for what cannot prove anything."""
    found = np.asarray(seen, dtype=float)
    if found.shape != (len(X),) or (found < 0).any() or not found.any():
        return np.inf
    total = (found * y) @ np.column_stack([np.ones(len(X)), X])
    return np.abs(total).max() / (found.sum() * (1 + np.abs(X).max()))


@check("xor", covers="R057 R066")
def features_look_at_one_example_at_a_time(rng, trial):
    """xor_features gives an example the same features alone as in company, and they are more than a linear map."""
    X, _ = xor()
    return dict(
        X=X[
            rng.permutation(
                np.append(np.arange(4), rng.integers(4, size=[1, 5, 13][trial]))
            )
        ]
    )


@features_look_at_one_example_at_a_time.when
def _(student, X):
    alone = [student.xor_features(X[i : i + 1]) for i in range(len(X))]
    return dict(together=student.xor_features(X), alone=np.concatenate(alone))


@features_look_at_one_example_at_a_time.view
def _(seen, X):
    together, alone = (
        np.asarray(seen[name], dtype=float) for name in ("together", "alone")
    )
    size = 1e-6 * np.abs(together).max()
    first = [
        together[np.flatnonzero((X == corner).all(axis=1))[0]]
        for corner in ((0, 0), (1, 1), (0, 1), (1, 0))
    ]
    bent = np.abs(first[0] + first[1] - first[2] - first[3]).max() > size
    rows = len(together) == len(X) and together.shape == alone.shape
    fits = rows and np.abs(together - alone).max() <= size
    if rows and not fits:
        return "others alone than in company"  # whatever it is that a map takes from the company
    return "by row" if bent and fits else [together, alone]


# -- experiment --------------------------------------------------------------------------------------------------------


@check("experiment", tol=1e-5, covers="R064")
def reality_stays_below_the_bound(rng, trial):
    """The bound of every layer is (R/γ)² of the examples in it, and the mistakes stay below it."""
    n, d, parts = [(6, 1, 2), (40, 3, 3), (80, 5, 4)][trial]
    data = separable(rng, n, d, gamma=0.05)
    distances, squares = (
        signed_distances(data.X, data.y, data.u),
        1 + (data.X**2).sum(axis=1),
    )
    gammas = between(distances, parts)
    truth = [
        squares[distances >= gamma].max() / distances[distances >= gamma].min() ** 2
        for gamma in gammas
    ]
    return dict(
        X=data.X, y=data.y, u=7 * data.u, gammas=gammas, max_epochs=200, truth=truth
    )


def signed_distances(X, y, u):
    """Give the signed distances from the plane of a unit u."""
    return y * (u[0] + X @ u[1:])


def between(distances, parts):
    """Choose thresholds between the positive distances, not halfway, so that no rounding decides who is kept."""
    values = np.append(0, np.unique(distances[distances > 0].round(6)))
    middles = 0.62 * values[:-1] + 0.38 * values[1:]
    return middles[(np.linspace(0.8, 0, parts) * len(middles)).astype(int)]


@reality_stays_below_the_bound.when
def _(student, X, y, u, gammas, max_epochs):
    return student.bound_versus_reality(X, y, u, gammas, max_epochs)


@reality_stays_below_the_bound.then
def _(seen, truth):
    counts, bounds = (np.asarray(part, dtype=float) for part in seen)
    close(bounds, np.array(truth), tol=1e-5, what="the bounds")
    if (counts > bounds).any() or (counts < 1).any():
        raise Fail("a count of mistakes is above its bound, or below 1")


@check("experiment", tol=1e-5, returns="mistakes bounds", covers="R062")
def an_example_exactly_at_gamma_is_kept(rng, trial):
    """An example whose distance is exactly γ is kept."""
    n, d = [(5, 1), (20, 2), (40, 3)][trial]
    X = rng.integers(-3, 4, size=(n, d)).astype(float)
    X[:, 0] = rng.permutation(np.resize([-1.0, 2.0, 1.0, -2.0, 3.0], n))
    u = np.zeros(d + 1)
    u[1] = [2, 4, 1][
        trial
    ]  # along an axis: the distances are whole numbers, in whatever order they are computed
    return dict(
        X=X,
        y=np.sign(X[:, 0]).astype(int),
        u=u,
        gammas=np.array([3.0, 2.0, 1.0]),
        max_epochs=100,
    )


@check("experiment", tol=1e-5, returns="mistakes bounds", covers="R061 R062")
def wrongly_labelled_examples_are_peeled_away(rng, trial):
    """Examples on the wrong side of u, however far from it, are thrown away: what is left is separable."""
    n, d, parts = [(6, 1, 2), (30, 2, 3), (50, 3, 4)][trial]
    data = lattice(rng, n, d)
    y = np.where(np.arange(n) % 5 == 0, -data.y, data.y)
    gammas = between(signed_distances(data.X, y, data.u), parts)
    return dict(X=data.X, y=y, u=4 * whole_plane(data), gammas=gammas, max_epochs=60)


# -- logistic ---------------------------------------------------------------------------------------------------------


@check("logistic", covers="R072")
def two_classes_need_only_the_difference(rng, trial):
    """A softmax over two classes is the sigmoid of the difference of their scores."""
    return dict(S=rng.normal(size=([2, 6, 30][trial], 2)) * [2, 5, 300][trial])


@two_classes_need_only_the_difference.when
def _(student, S):
    return np.asarray(student.softmax(S))[:, 0], student.sigmoid(S[:, 0] - S[:, 1])


@two_classes_need_only_the_difference.then
def _(seen, expected, S):
    close(seen, expected)
    first, sigmoids = seen
    close(first, sigmoids, what="softmax and the sigmoid of the difference")
    if not ((np.asarray(first) > 0.5) == (S[:, 0] > S[:, 1])).all():
        raise Fail("the class with the larger score must be the more probable one")


@check("logistic", covers="R073")
def the_loss_is_convex(rng, trial):
    """Halfway between two weight vectors the loss is at most the mean of the losses at the two."""
    data = lattice(rng, *[(3, 1), (9, 2), (30, 4)][trial])
    start, end = -9 * data.u / data.gamma, 0.5 * rng.normal(size=data.u.shape)
    return dict(X=data.X, y=data.y, ws=np.array([start, (start + end) / 2, end]))


@the_loss_is_convex.when
def _(student, X, y, ws):
    return [student.logistic_loss(X, y, w)[0] for w in ws]


@the_loss_is_convex.then
def _(seen, expected):
    close(seen, expected, tol=1e-5)
    start, middle, end = (float(value) for value in seen)
    if not middle < (start + end) / 2:
        raise Fail("halfway the loss is above the mean of its ends")
    if not start > middle > 0:
        raise Fail("the loss must be large where every example is far on the wrong side")


@check("logistic", covers="R067")
def descent_separates_where_least_squares_does_not(rng, trial):
    """Descent on the logistic loss separates examples of which one is so far away that least squares gives up another."""
    X, y = np.array([[0.0], [1.0], [2.0], [12.0]]), np.array([-1, -1, 1, 1])
    places, mirror = rng.permutation(4), -1 if trial == 1 else 1
    shift, size = rng.uniform(-0.5, 0.5), rng.uniform(0.8, 1.0)
    return dict(
        X=mirror * (size * X[places] + shift), y=mirror * y[places], rate=0.04, steps=130
    )


@descent_separates_where_least_squares_does_not.when
def _(student, X, y, rate, steps):
    return student.logistic_descent(X, y, rate, steps)


@descent_separates_where_least_squares_does_not.then
def _(seen, expected, X, y):
    if not (y * (seen[0] + X @ seen[1:]) > 0).all():
        raise Fail("some examples are on the wrong side after the descent")
    close(seen, expected, tol=1e-5)


# -- concepts ----------------------------------------------------------------------------------------------------------


@concept("concepts", covers="R062 R063 R064")
def scaling():
    """What happens to the bound when all augmented vectors grow."""


@concept("concepts", covers="R061 R064")
def restless():
    """What is wrong with a run whose mistakes never end."""


@concept("concepts", covers="R060 R064")
def trace():
    """Which update of the trace was not on a mistake."""


@concept("concepts", covers="R066")
def parity_units():
    """How many hidden units the parity of three bits needs, if they see how many are on."""


@concept("concepts", covers="R074")
def multinomials():
    """How many of the targets call for one multinomial model."""


@concept("concepts", covers="R077")
def raw_scores():
    """How many of the answers cannot be probabilities."""


@concept("concepts", covers="R067")
def still_wrong():
    """How many examples can be wrong while the logistic loss is so small."""


@concept("concepts", covers="R068")
def no_gradient():
    """How many gradients of the zero-one loss, the hinge and the logistic loss are 0."""


# -- losses (extra) ----------------------------------------------------------------------------------------------------


@check("losses", calls="zero_one_loss", tol=1e-5, covers="R068")
def zero_one_uses_the_prediction_at_a_score_of_zero(rng, trial):
    """At a score of 0 the prediction is +1: right for a positive example, wrong for a negative one."""
    n = [3, 7, 20][trial]
    X = rng.permutation(np.append([1.0, 1.0, 1.0], rng.integers(2, 9, size=n)))[:, None]
    return dict(X=X, y=np.where(np.arange(n + 3) % 4 == 1, -1, 1), w=np.array([-1.0, 1.0]))


@check("losses", calls="hinge_loss", tol=1e-5, returns="loss gradient", covers="R069")
def right_but_close_still_costs(rng, trial):
    """An example that is right with y·s below 1 costs 1 − y·s; at y·s = 1 the cost and the slope are 0."""
    margins = [
        [0.5, 1.0, 2.0],
        [0.25, 0.75, 1.0, 1.5, 3.0],
        [0.125, 0.5, 0.5, 0.875, 1.0, 1.0, 4.0],
    ][trial]
    y = rng.permutation(np.resize([1, -1], len(margins)))
    others = rng.integers(-4, 5, size=len(margins)).astype(float)
    return dict(
        X=np.column_stack([y * margins - others - 0.5, others]),
        y=y,
        w=np.array([0.5, 1.0, 1.0]),
    )


@check("losses", calls="multiclass_hinge", tol=1e-5, returns="loss gradient", covers="R070")
def the_best_rival_counts_alone(rng, trial):
    """Only the best of the others counts: a lead below 1 costs 1 minus the lead, at 1 cost and slope are 0."""
    leads = [[0.5, 1.0], [0.25, 1.0, 1.5, -1.0], [0.5, 0.125, 3.0, -2.0, 1.0, -0.5]][trial]
    n, classes = len(leads), [2, 3, 4][trial]
    t = rng.permutation(np.resize(np.arange(classes), n))
    X = np.tile(rng.integers(-3, 4, size=(n, 1)) - 0.25, classes) + 0.0
    X[np.arange(n), t] += (
        leads  # the score of class k is feature k: every rival has the same, so the first one counts
    )
    return dict(X=X, t=t, W=np.column_stack([np.zeros(classes), np.eye(classes)]))


# -- averaged (extra) --------------------------------------------------------------------------------------------------


@check("averaged", covers="R060")
def the_average_follows_the_order(rng, trial):
    """The examples are visited in the given order, and every epoch is run to its end, also after convergence."""
    n, d, max_epochs = [(4, 1, 3), (6, 2, 12), (15, 4, 30)][trial]
    data = lattice(rng, n, d)
    order = np.array([rng.permutation(n) for _ in range(max_epochs)])
    order[0] = np.roll(np.arange(n), 1)
    return dict(X=data.X, y=data.y, max_epochs=max_epochs, order=order)


# -- kernel (extra) ----------------------------------------------------------------------------------------------------


@check("kernel", covers="R061 R066")
def a_quadratic_kernel_solves_xor(rng, trial):
    """With K = (1 + x·x')² the kernel perceptron separates XOR."""
    X, y = xor()
    places = rng.permutation(4)
    X = np.vstack([X[places], rng.integers(0, 2, size=([1, 3, 6][trial], 2))])
    y = np.where(X[:, 0] == X[:, 1], -1, 1)
    return dict(K=(1 + X @ X.T) ** 2, y=y, max_epochs=500)


@a_quadratic_kernel_solves_xor.then
def _(seen, expected, K, y):
    alpha = np.asarray(seen, dtype=float)
    if (alpha < 0).any() or (alpha % 1 != 0).any() or not alpha.any():
        raise Fail(
            "α counts mistakes: whole numbers, none of them negative, not all of them 0"
        )
    if not (y * ((alpha * y) @ K) > 0).all():
        raise Fail("some corners are on the wrong side")
    close(alpha, expected)
