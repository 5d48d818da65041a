"""Hidden checks of ridge regression: they ask whether the idea is right, not only the example.

Luck. Two checks judge random numbers, `the_noise_is_gaussian` and `the_measured_risk_is_the_expected_one`. Each of their
one-sided bounds is crossed by a right answer with probability at most e^-24 < 4e-11. There are 3 trials with 8 of them, and
trials with 2·2, 2·3 and 2·4, together 42: a right solution fails with probability below 2e-9. Two more checks want two random
deals to differ; equal ones have probability below 2e-10 in each of 3 trials (40 choose 12 is 5.6e9; folds are far rarer). And
what is held out may be no block: of 29 blocks in 5.6e9 choices, below 6e-9, and less in the other trials.
"""

import math

import numpy as np

from redink.checks import Fail, check, close, concept
from redink_datasets import low_rank, regression, spectral

RARE = 24.0  # a bound may be crossed with probability e^-24


def solved(X, y, lam):
    """Give the w and b of ridge, from the stacked least-squares problem: not the way of the reference."""
    centred, d = X - X.mean(axis=0), X.shape[1]
    rows = np.concatenate([centred, np.sqrt(lam) * np.eye(d)])
    w = np.linalg.lstsq(rows, np.append(y - y.mean(), np.zeros(d)), rcond=None)[0]
    return w, float(y.mean() - X.mean(axis=0) @ w)


def left_out(X, y, lam):
    """Give the leave-one-out residuals, by really leaving out."""
    found = []
    for i in range(len(y)):
        w, b = solved(np.delete(X, i, axis=0), np.delete(y, i), lam)
        found.append(y[i] - X[i] @ w - b)
    return np.array(found)


# -- design ------------------------------------------------------------------------------------------------------------


@check("design", calls="least_squares", covers="R032", tol=1e-6)
def more_columns_than_examples(rng, trial):
    """With more columns than examples least_squares fits every target, with the shortest c that does."""
    n, k = [(2, 3), (4, 7), (6, 15)][trial]
    A = rng.integers(-4, 5, size=(n, k)) / 3 + np.eye(n, k)
    return dict(A=A, y=rng.integers(1, 6, size=n) + 0.5)


@check("design", trials=6, calls="least_squares", covers="R032", tol=1e-6)
def any_rank_at_all(rng, trial):
    """Where singular values are 0 up to rounding, least_squares leaves those directions alone, in any unit."""
    if trial == 5:  # they are all 0
        return dict(A=np.zeros((5, 3)), y=rng.normal(size=5) + 1)
    n, k, rank = [(5, 3, 2), (9, 6, 3), (8, 14, 4), (7, 5, 3), (6, 9, 2)][trial]
    unit = [1.0, 1.0, 1.0, 1e-12, 1e9][trial]
    return dict(
        A=unit * low_rank(rng, n, k, rank) / 3, y=unit * (3 * rng.normal(size=n) + 1)
    )


@any_rank_at_all.view
def _(seen):
    return seen if np.all(np.abs(seen) < 1e6) else "without bound"


@any_rank_at_all.then
def _(seen, expected):
    close(seen, expected, tol=1e-6)


@check("design", covers="R029 R051", tol=1e-6)
def a_polynomial_is_found_again(rng, trial):
    """Points on a polynomial give its coefficients back, the constant first."""
    n, degree = [(3, 1), (7, 3), (12, 5)][trial]
    v = rng.permutation(np.arange(1.0, degree + 2)) * rng.choice([-1, 1], size=degree + 1)
    x = np.linspace(-1.2, 1.5, n)
    return dict(x=x, y=sum(c * x**power for power, c in enumerate(v)), degree=degree)


@a_polynomial_is_found_again.when
def _(student, x, y, degree):
    return student.least_squares(student.polynomial(x, degree), y)


@check("design", covers="R030 R031 R032", tol=1e-6)
def no_other_line_has_a_smaller_sum_of_squares(rng, trial):
    """The c of least_squares on the design matrix has the smallest sum_of_squares, and every other c a larger one."""
    data = regression(rng, *[(5, 1), (9, 3), (20, 5)][trial], sigma=1.0)
    return dict(X=data.X, y=data.y, moves=rng.normal(size=(6, data.X.shape[1] + 1)) / 10)


@no_other_line_has_a_smaller_sum_of_squares.when
def _(student, X, y, moves):
    v = np.asarray(student.least_squares(student.design_matrix(X), y))
    others = [v + move for move in moves]
    return [student.sum_of_squares(X, y, u[1:], u[0]) for u in [v, *others]]


@no_other_line_has_a_smaller_sum_of_squares.then
def _(seen, expected):
    best, *others = seen
    if min(others) <= best:
        raise Fail(f"another c has the sum {min(others):.6g}, and yours {best:.6g}")
    close(seen, expected, tol=1e-6)


# -- ridge -------------------------------------------------------------------------------------------------------------


@check("ridge", covers="R043", tol=1e-6)
def no_slope_at_the_optimum(rng, trial):
    """At the w and b of ridge_fit the gradient of J is 0, and every step away makes J larger."""
    data = regression(rng, *[(4, 1), (10, 3), (7, 12)][trial], sigma=1.0)
    d = data.X.shape[1]
    return dict(
        X=data.X,
        y=data.y,
        lam=[2.0, 0.4, 6.0][trial],
        moves=rng.normal(size=(5, d + 1)) / 5,
    )


@no_slope_at_the_optimum.when
def _(student, X, y, lam, moves):
    w, b = student.ridge_fit(X, y, lam)
    w = np.asarray(w)
    heights = [
        student.ridge_objective(X, y, w + move[1:], b + move[0], lam)[0] for move in moves
    ]
    return dict(w=w, b=b, bottom=student.ridge_objective(X, y, w, b, lam), heights=heights)


@no_slope_at_the_optimum.then
def _(seen, expected, X, y, lam):
    w, b = np.asarray(seen["w"], dtype=float), seen["b"]
    J, dw, db = seen["bottom"]
    r, size = X @ w + b - y, np.abs(X.T @ y).max()
    if max(np.abs(X.T @ r + lam * w).max(), abs(r.sum())) > 1e-5 * size:
        raise Fail("the gradient of J at the w and b of ridge_fit is not 0")
    if max(np.abs(dw).max(), abs(db)) > 1e-5 * size:
        raise Fail(
            "ridge_objective does not give the gradient 0 at the w and b of ridge_fit"
        )
    if min(seen["heights"]) <= J:
        raise Fail("a step away from the w and b of ridge_fit makes J smaller")
    close(
        [w, b, J, seen["heights"]],
        [expected["w"], expected["b"], expected["bottom"][0], expected["heights"]],
        tol=1e-6,
    )


@no_slope_at_the_optimum.view
def _(seen, X, y):
    J, dw, db = seen["bottom"]
    small = 1e-5 * np.abs(X.T @ y).max()  # a slope of 0 up to rounding is 0
    rounded = [
        0.0 if abs(one) < small else float(one)
        for one in [*np.asarray(dw, dtype=float), db]
    ]
    return [seen["w"], seen["b"], J, seen["heights"], np.array(rounded)]


@check("ridge", covers="R043", tol=1e-6)
def everything_twice_and_a_doubled_lambda(rng, trial):
    """Writing every example down twice and doubling λ changes nothing."""
    data = regression(rng, *[(4, 1), (9, 3), (16, 5)][trial])
    return dict(X=data.X, y=data.y, lam=[3.0, 0.6, 10.0][trial])


@everything_twice_and_a_doubled_lambda.when
def _(student, X, y, lam):
    twice = student.ridge_fit(np.concatenate([X, X]), np.concatenate([y, y]), 2 * lam)
    return [*student.ridge_fit(X, y, lam), *twice]


@everything_twice_and_a_doubled_lambda.then
def _(seen, expected):
    w, b, w_twice, b_twice = seen
    close(w_twice, w, tol=1e-6, what="w, with everything written down twice")
    close(b_twice, b, tol=1e-6, what="b, with everything written down twice")
    close(seen, expected, tol=1e-6)


@check("ridge", calls="ridge_fit", covers="R043 R032", tol=1e-4)
def a_vanishing_lambda_gives_the_shortest_weights(rng, trial):
    """As λ goes to 0, w becomes the shortest of the weights that fit best (b does not count)."""
    n, d, rank = [(4, 3, 1), (9, 5, 3), (7, 11, 4)][trial]
    X = 3 * low_rank(rng, n, d, rank) + rng.integers(1, 4, size=d)
    return dict(X=X, y=2 * rng.normal(size=n) + 3, lam=0.01)  # s² ≥ 0.56, so 2 % away


@a_vanishing_lambda_gives_the_shortest_weights.then
def _(seen, expected, X, y):
    w = np.linalg.pinv(X - X.mean(axis=0), rcond=1e-10) @ (y - y.mean())
    limit = np.append(w, y.mean() - X.mean(axis=0) @ w)
    both = np.append(seen[0], seen[1])
    close(both, limit, tol=0.05, what="w, and then b, compared with the limit")
    close(both, np.append(expected[0], expected[1]), tol=1e-4, what="w, and then b")


@check("ridge", calls="ridge_fit", covers="R043", tol=1e-5)
def an_enormous_lambda_leaves_the_mean(rng, trial):
    """As λ grows, w goes to 0 like 1/λ, and b to the mean of the targets."""
    data = regression(rng, *[(3, 1), (8, 2), (15, 4)][trial])
    return dict(X=data.X, y=data.y + 20, lam=1e8)


@check("ridge", calls="ridge_fit", covers="R043", tol=1e-6)
def twins_share_their_weight(rng, trial):
    """Two columns that are the same get the same weight, and nothing breaks."""
    data = regression(rng, *[(4, 1), (8, 3), (5, 6)][trial])
    return dict(
        X=np.column_stack([data.X, data.X[:, 0]]), y=data.y, lam=[2.0, 0.5, 4.0][trial]
    )


@check("ridge", covers="R043", tol=1e-6)
def moving_the_inputs_moves_only_b(rng, trial):
    """Adding a constant to a column of X changes b, and neither w nor any prediction."""
    data = regression(rng, *[(4, 1), (9, 3), (16, 5)][trial])
    return dict(
        X=data.X,
        y=data.y,
        lam=[3.0, 0.6, 10.0][trial],
        shift=rng.uniform(5, 9, size=data.X.shape[1]),
    )


@moving_the_inputs_moves_only_b.when
def _(student, X, y, lam, shift):
    return [*student.ridge_fit(X, y, lam), *student.ridge_fit(X + shift, y, lam)]


@moving_the_inputs_moves_only_b.then
def _(seen, expected):
    w, b, w_moved, b_moved = seen
    close(w_moved, w, tol=1e-6, what="w, with the inputs moved")
    close(seen, expected, tol=1e-6)


# -- path --------------------------------------------------------------------------------------------------------------


@check("path", calls="ridge_path", covers="R043", tol=1e-6)
def the_path_is_made_of_ridge_solutions(rng, trial):
    """Every row of the path minimises J for its λ, whatever the rank of X."""
    n, d, rank = [(4, 3, 1), (12, 5, 3), (6, 11, 4)][trial]
    X = low_rank(rng, n, d, rank) / 3 + rng.integers(1, 4, size=d)
    return dict(X=X, y=2 * rng.normal(size=n) + 3, lams=np.array([50.0, 0.5, 3.0]))


@the_path_is_made_of_ridge_solutions.then
def _(seen, X, y, lams):
    fits = [solved(X, y, lam) for lam in lams]
    close(seen, [np.array([w for w, _ in fits]), np.array([b for _, b in fits])], tol=1e-6)


@check("path", covers="R043", tol=1e-6)
def calm_is_paid_for_with_training_error(rng, trial):
    """With a growing λ the weights get shorter and the training error larger, every time."""
    data = regression(rng, *[(5, 1), (12, 4), (25, 7)][trial], sigma=1.0)
    return dict(X=data.X, y=data.y, lams=np.geomspace(0.1, 300, [3, 5, 8][trial]))


@calm_is_paid_for_with_training_error.when
def _(student, X, y, lams):
    return student.ridge_path(X, y, lams)


@calm_is_paid_for_with_training_error.then
def _(seen, expected, X, y):
    W, B = (np.asarray(part, dtype=float) for part in seen)
    close(W.shape, np.shape(expected[0]), what="the shape of W")
    if (np.diff(np.linalg.norm(W, axis=1)) >= 0).any():
        raise Fail("‖w‖ grows somewhere, although λ grows")
    if (np.diff(((W @ X.T + B[:, None] - y) ** 2).sum(axis=1)) <= 0).any():
        raise Fail("the training error falls somewhere, although λ grows")
    close(seen, expected, tol=1e-6)


@check("path", covers="R043", tol=1e-5)
def freedom_between_the_rank_and_nothing(rng, trial):
    """effective_dof goes from 1 + the rank of the centred X (a tiny λ) to 1 (an enormous one)."""
    n, d, rank = [(4, 3, 1), (12, 5, 3), (6, 11, 4)][trial]
    return dict(
        X=low_rank(rng, n, d, rank) + rng.integers(1, 4, size=d), lams=[1e-5, 2.0, 1e12]
    )


@freedom_between_the_rank_and_nothing.when
def _(student, X, lams):
    return [student.effective_dof(X, lam) for lam in lams]


@check("path", covers="R043", tol=1e-5)
def freedom_is_how_predictions_follow_targets(rng, trial):
    """The effective degrees of freedom are the sum of what each prediction moves when its own target moves by 1."""
    data = regression(rng, *[(4, 1), (7, 3), (9, 12)][trial])
    return dict(X=data.X, y=data.y, lam=[1.5, 4.0, 9.0][trial])


@freedom_is_how_predictions_follow_targets.when
def _(student, X, y, lam):
    lams = np.array([lam, 2 * lam])
    moved = 0.0
    for i in range(len(y)):
        up = np.array(y)
        up[i] += 1
        (W, B), (W_up, B_up) = (
            student.ridge_path(X, y, lams),
            student.ridge_path(X, up, lams),
        )
        moved += (np.asarray(W_up)[0] - np.asarray(W)[0]) @ X[i] + B_up[0] - B[0]
    return dict(moved=moved, dof=student.effective_dof(X, lam))


@check("path", covers="R043", tol=1e-5)
def three_times_as_wide(rng, trial):
    """Where X is tripled, nine times the λ has the same degrees of freedom and a third of the weights."""
    data = regression(rng, *[(4, 1), (9, 3), (6, 8)][trial])
    return dict(X=data.X, y=data.y, lams=np.array([0.5, 4.0]))


@three_times_as_wide.when
def _(student, X, y, lams):
    X = np.array(
        X
    )  # the same array before and after: nothing may be kept of what was in it
    before = [student.effective_dof(X, lams[1]), *student.ridge_path(X, y, lams)]
    X *= 3
    return [
        *before,
        student.effective_dof(X, 9 * lams[1]),
        *student.ridge_path(X, y, 9 * lams),
    ]


# -- sgd ---------------------------------------------------------------------------------------------------------------


@check("sgd", calls="sgd_step", covers="R054", tol=1e-6)
def ridge_is_at_rest(rng, trial):
    """A step on all the data with decay δ leaves the ridge solution with λ = nδ where it is."""
    data = regression(rng, *[(5, 1), (9, 3), (20, 5)][trial], sigma=1.0)
    decay = [0.5, 2.0, 0.3][trial]
    w, b = solved(data.X, data.y, len(data.y) * decay)
    return dict(X=data.X, y=data.y, w=w, b=b, rate=0.7, decay=decay)


@ridge_is_at_rest.then
def _(seen, w, b):
    close(seen, [w, b], tol=1e-5, what="w and b after the step, compared with before")


@check("sgd", calls="sgd_step", covers="R054", tol=1e-6)
def with_no_errors_there_is_only_decay(rng, trial):
    """Where every example is met exactly, the step multiplies w by 1 − ηδ, and leaves b alone."""
    n, d = [(2, 1), (5, 2), (7, 4)][trial]
    X, w = rng.integers(1, 5, size=(n, d)) + 0.0, rng.integers(1, 6, size=d) + 0.0
    return dict(
        X=X,
        y=X @ w + 3.0,
        w=w,
        b=3.0,
        rate=[0.5, 0.1, 0.25][trial],
        decay=[0.5, 2.0, 1.0][trial],
    )


@check("sgd", covers="R023 R024", tol=1e-6)
def a_batch_written_twice_makes_the_same_step(rng, trial):
    """A step is about the mean of the batch: every example twice changes nothing."""
    data = regression(rng, *[(3, 1), (5, 2), (8, 4)][trial])
    return dict(
        X=data.X,
        y=data.y,
        w=rng.normal(size=data.X.shape[1]) + 2,
        b=1.5,
        rate=0.1,
        decay=0.8,
    )


@a_batch_written_twice_makes_the_same_step.when
def _(student, X, y, w, b, rate, decay):
    one = student.sgd_step(X, y, np.array(w), b, rate, decay)
    two = student.sgd_step(
        np.concatenate([X, X]), np.concatenate([y, y]), np.array(w), b, rate, decay
    )
    return [*one, *two]


@check("sgd", covers="R023 R024 R054", tol=1e-5)
def descent_arrives_at_ridge(rng, trial):
    """Many steps on all the data with decay δ end at the ridge solution with λ = nδ."""
    n, d = [(6, 1), (15, 2), (30, 4)][trial]
    X = spectral(rng, n, np.sqrt(n) * np.linspace(1, 1.5, d))[0]
    X -= X.mean(axis=0) - 0.3
    y = X @ rng.choice([-2.0, 2.0], size=d) + rng.normal(size=n) + 1
    return dict(X=X, y=y, rate=0.3, decay=[0.5, 1.0, 0.25][trial], steps=200)


@descent_arrives_at_ridge.when
def _(student, X, y, rate, decay, steps):
    return student.sgd(X, y, [np.arange(len(y))] * steps, rate, decay)


@descent_arrives_at_ridge.then
def _(seen, X, y, decay):
    w, b = solved(X, y, len(y) * decay)
    close(seen, [w, b], tol=1e-4, what="w and b, compared with ridge")


# -- choose ------------------------------------------------------------------------------------------------------------


@check("choose", covers="R053")
def the_deal_is_random(rng, trial):
    """Two generators deal differently, equal ones alike, and no deal follows the order of the examples."""
    return dict(
        n=[40, 61, 100][trial],
        k=[3, 5, 8][trial],
        seeds=rng.integers(10**6, size=2) + [0, 10**6],
    )


@the_deal_is_random.when
def _(student, n, k, seeds):
    one, other = seeds
    return [
        student.make_folds(n, k, np.random.default_rng(seed)) for seed in (one, other, one)
    ]


@the_deal_is_random.view
def _(seen, n, k):
    one, other, again = (np.asarray(part) for part in seen)
    # the largest number sizes the count
    folds = (part.astype(int).clip(-1, n) for part in (one, other))
    sizes = [np.bincount(part, minlength=k).tolist() for part in folds]
    steps = {int(step) for step in np.diff(one)}
    # 0 0 1 1 2 2 and 0 1 2 0 1 2 are both in order
    if (one != again).any():
        chance = "not from rng"
    elif len(steps) <= 2 and steps <= {0, 1, 1 - k}:
        chance = "in order"
    else:
        chance = "random" if (one != other).any() else "always the same"
    return [[sorted(part) for part in sizes], chance]


@check("choose", calls="loo_residuals", covers="R053", tol=1e-5)
def really_leaving_out_gives_the_same(rng, trial):
    """loo_residuals equal the residuals of n fits, each without one example."""
    data = regression(rng, *[(4, 1), (14, 5), (11, 7)][trial], sigma=1.0)
    lam = [0.5, 2.0, 6.0][trial]
    return dict(X=data.X, y=data.y, lam=lam, truth=left_out(data.X, data.y, lam))


@really_leaving_out_gives_the_same.when
def _(student, X, y, lam):
    return student.loo_residuals(X, y, lam)


@really_leaving_out_gives_the_same.then
def _(seen, truth):
    close(seen, truth, tol=1e-5)


@check("choose", covers="R053", tol=1e-5)
def as_many_folds_as_examples(rng, trial):
    """With every example a fold of its own, kfold_errors is the mean square of loo_residuals."""
    data = regression(rng, *[(4, 1), (9, 3), (12, 5)][trial], sigma=1.0)
    return dict(
        X=data.X, y=data.y, lam=[1.0, 3.0, 0.5][trial], folds=rng.permutation(len(data.y))
    )


@as_many_folds_as_examples.when
def _(student, X, y, lam, folds):
    alone = np.asarray(student.loo_residuals(X, y, lam))
    return dict(
        folds=student.kfold_errors(X, y, np.array([lam]), folds),
        alone=np.array([np.mean(alone**2)]),
    )


@as_many_folds_as_examples.then
def _(seen, expected):
    close(
        seen["folds"],
        seen["alone"],
        tol=1e-5,
        what="the error of n folds, compared with leaving one out",
    )
    close(seen, expected, tol=1e-5)


@check("choose", calls="kfold_errors", covers="R052", tol=1e-5)
def what_is_held_out_teaches_nothing(rng, trial):
    """A fold that lies far from the others is predicted from the others alone: not even its mean is known."""
    n, d, k = [(6, 1, 2), (14, 2, 3), (25, 4, 4)][trial]
    data = regression(rng, n, d, sigma=1.0)
    folds = rng.permutation(
        np.concatenate([np.arange(k), np.arange(k), rng.integers(k, size=n - 2 * k)])
    )
    far = folds == 0
    X, y = data.X + 8 * far[:, None], data.y - 15 * far
    return dict(X=X, y=y, lams=np.array([6.0, 0.5]), folds=folds + 3)


@check("choose", calls="choose_lambda", about="loo_residuals", covers="R052", tol=1e-5)
def neither_end_of_the_grid(rng, trial):
    """Where noise is strong and features are many, the λ that is chosen is not the smallest, and not the largest."""
    n, d = [(8, 4), (12, 6), (20, 12)][trial]
    lams = np.array([1e-3, 0.5, 8.0, 60.0, 1e5])
    while True:  # until the choice is clear
        X = rng.normal(size=(n, d)) + 2
        y = X @ rng.choice([-0.7, 0.7], size=d) + 1.5 * rng.normal(size=n)
        errors = np.array([np.mean(left_out(X, y, lam) ** 2) for lam in lams])
        training = np.array(
            [np.mean((X @ w + b - y) ** 2) for w, b in (solved(X, y, lam) for lam in lams)]
        )
        if (
            np.argmin(errors) in (1, 2, 3)
            and np.sort(errors)[1] > 1.03 * errors.min()
            and np.argmin(training) == 0
            and (
                trial < 2 or np.argmax(errors) == 0
            )  # once, the worst is not the largest, where residuals cancel
        ):
            return dict(X=X, y=y, lams=rng.permutation(lams))


# -- experiment --------------------------------------------------------------------------------------------------------


def of_noise(seen, X, w, b, sigma):
    """Name the first thing that is wrong with the noise of 4000 targets drawn in two halves; None if nothing is.

    The bounds: |Σz|/√n beyond √(2·RARE), the tail of a normal variable; for Σz², the bounds of Laurent and Massart (2000); for
    the share of |z| < 1, that of Hoeffding, √(RARE/2n); for Σzz' of independent halves, √(2n·RARE) + RARE, from the moment
    generating function (1 − t²)^(−n/2). Each side is crossed with probability at most e^-RARE.
    """
    parts = [(np.asarray(y, dtype=float) - X @ w - b) / sigma for y in seen]
    z = np.concatenate(parts)
    n, square = len(z), float(z @ z)
    if abs(z.sum()) / np.sqrt(n) > np.sqrt(2 * RARE):
        return f"the mean of the noise is {sigma * z.mean():.3g}, far from 0"
    if square > n + 2 * np.sqrt(n * RARE) + 2 * RARE or square < n - 2 * np.sqrt(n * RARE):
        return f"the standard deviation of the noise is {sigma * z.std():.3g}, far from {sigma:g}"
    if abs(np.mean(np.abs(z) < 1) - math.erf(math.sqrt(0.5))) > np.sqrt(RARE / (2 * n)):
        return f"{np.mean(np.abs(z) < 1):.1%} of the noise are within σ: a normal variable has 68.3%"
    if abs(parts[0] @ parts[1]) > np.sqrt(2 * len(parts[0]) * RARE) + RARE:
        return "two calls with one generator give noise that is not independent"
    return None


@check("experiment", covers="R039")
def the_noise_is_gaussian(rng, trial):
    """The noise of simulate is normal with mean 0 and standard deviation σ, independent, and new at every call."""
    d = [1, 2, 4][trial]
    X, w = rng.normal(size=(2000, d)), rng.integers(1, 4, size=d) + 0.0
    return dict(
        X=X, w=w, b=3.0, sigma=[2.0, 0.5, 5.0][trial], seed=int(rng.integers(10**6))
    )


@the_noise_is_gaussian.when
def _(student, X, w, b, sigma, seed):
    rng = np.random.default_rng(seed)
    return [student.simulate(X, w, b, sigma, rng) for _ in range(2)]


@the_noise_is_gaussian.view
def _(seen, X, w, b, sigma):
    return "right" if of_noise(seen, X, w, b, sigma) is None else seen


@the_noise_is_gaussian.then
def _(seen, X, w, b, sigma):
    if wrong := of_noise(seen, X, w, b, sigma):
        raise Fail(wrong)


def bounds_of_risk(X, w, b, sigma, lams, repeats):
    """Give, for each λ, two numbers that the measured risk of a right answer leaves with probability at most e^-RARE each.

    In the eigenvectors of the hat matrix H one measured risk is (1/n) Σ_j (c_j + σ κ_j ε_j)² with c = (H − I)(Xw + b1), so
    with a_j = σ²κ_j²/n its log moment generating function about the mean is at most t²v/(1 − 2t·max a) with
    v = Σ_j (a_j² + 2 a_j c_j²/n). Averages over repeats divide v and max a by their number, and Chernoff's bound gives
    mean + 2√(v·x) + 2·max a·x above and mean − 2√(v·x) below, each with probability at most e^-x.
    """
    n, centred = len(X), X - X.mean(axis=0)
    found = []
    for lam in lams:
        H = 1 / n + centred @ np.linalg.solve(
            centred.T @ centred + lam * np.eye(X.shape[1]), centred.T
        )
        kappa, vectors = np.linalg.eigh(H)
        c = vectors.T @ (H @ (X @ w + b) - (X @ w + b))
        a = (sigma * kappa) ** 2 / n
        v = np.sum(a**2 + 2 * a * c**2 / n) / repeats
        mean, reach = a.sum() + (c @ c) / n, 2 * np.sqrt(v * RARE)
        found.append((mean - reach, mean + reach + 2 * a.max() * RARE / repeats))
    return np.array(found)


@check("experiment", covers="R039 R043")
def the_measured_risk_is_the_expected_one(rng, trial):
    """measured_risk agrees with bias² + variance, for every λ, as closely as chance allows."""
    n, s, repeats = [
        (10, [3.0, 1.0], 250),
        (25, [9.0, 4.0, 2.0, 0.5], 300),
        (14, [20.0, 8.0, 3.0, 1.0, 0.5, 0.2], 300),
    ][trial]
    X = spectral(rng, n, np.array(s))[0]
    w, sigma = (
        rng.uniform(0.5, 1.5, size=len(s)) * rng.choice([-1, 1], size=len(s)),
        [2.0, 0.6, 1.4][trial],
    )
    lams = np.array([[0.5, 20.0], [0.1, 2.0, 60.0], [0.1, 1.0, 10.0, 500.0]][trial])
    bounds = bounds_of_risk(X, w, 6.0, sigma, lams, repeats)
    return dict(
        X=X,
        w=w,
        b=6.0,
        sigma=sigma,
        lams=lams,
        seed=int(rng.integers(10**6)),
        repeats=repeats,
        bounds=bounds,
    )


@the_measured_risk_is_the_expected_one.when
def _(student, X, w, b, sigma, lams, seed, repeats):
    return student.measured_risk(X, w, b, sigma, lams, np.random.default_rng(seed), repeats)


@the_measured_risk_is_the_expected_one.view
def _(seen, bounds):
    seen = np.asarray(seen, dtype=float)
    inside = (
        seen.shape == (len(bounds),)
        and (seen > bounds[:, 0]).all()
        and (seen < bounds[:, 1]).all()
    )
    return "right" if inside else seen


@the_measured_risk_is_the_expected_one.then
def _(seen, lams, bounds):
    seen = np.asarray(seen, dtype=float)
    if seen.shape != (len(lams),):
        raise Fail(f"expected {len(lams)} numbers, one for each λ, got shape {seen.shape}")
    for lam, risk, (low, high) in zip(lams, seen, bounds, strict=True):
        if not low < risk < high:
            raise Fail(
                f"for λ = {lam:g} the measured risk is {risk:.4g}; it should be between {low:.4g} and {high:.4g}"
            )


@check("experiment", covers="R043", tol=1e-5)
def noise_over_signal_is_the_best_lambda(rng, trial):
    """Where every direction has signal τ, bias² + variance is smallest at λ = σ²/τ², whatever the spectrum."""
    s = np.array(
        [[4.0, 0.5], [9.0, 3.0, 1.0, 0.3], [30.0, 10.0, 3.0, 1.0, 0.3, 0.1]][trial]
    )
    X, V = spectral(rng, [5, 11, 30][trial], s)
    sigma, tau = rng.uniform(0.5, 2), rng.uniform(0.3, 1.5)
    w = V @ (tau * rng.choice([-1.0, 1.0], size=len(s)))
    return dict(
        X=X,
        w=w,
        sigma=sigma,
        lams=(sigma / tau) ** 2 * np.array([0.3, 0.6, 0.9, 1.0, 1.1, 2.0, 4.0]),
    )


@noise_over_signal_is_the_best_lambda.when
def _(student, X, w, sigma, lams):
    return student.expected_risk(X, w, sigma, lams)


@noise_over_signal_is_the_best_lambda.then
def _(seen, expected, lams):
    risk = np.asarray(seen[0], dtype=float) + np.asarray(seen[1], dtype=float)
    if (best := int(np.argmin(risk))) != 3:
        raise Fail(
            f"bias² + variance is smallest at {lams[best] / lams[3]:.3g} times σ²/τ²"
        )
    close(seen, expected, tol=1e-5)


@check("experiment", calls="expected_risk", covers="R043", tol=1e-5)
def all_bias_or_all_variance(rng, trial):
    """A tiny λ has no bias and the variance σ²(1 + rank)/n; an enormous one has all the bias and the variance σ²/n."""
    n, d, rank = [(4, 2, 1), (12, 5, 3), (7, 9, 4)][trial]
    w = rng.integers(1, 5, size=d) - 2.5
    return dict(
        X=low_rank(rng, n, d, rank) + 1,
        w=w,
        sigma=[2.0, 0.5, 3.0][trial],
        lams=np.array([1e-5, 5.0, 1e9]),
    )


# -- concepts ----------------------------------------------------------------------------------------------------------


@concept("concepts", covers="R055")
def units():
    """What a change of units does to a ridge fit."""


@concept("concepts", covers="R043")
def doubled():
    """How λ must follow when every example is written down twice."""


@concept("concepts", covers="R036 R043")
def library():
    """Which penalty a library with another convention must be given."""


@concept("concepts", covers="R043")
def freedom():
    """How many effective degrees of freedom there are."""


@concept("concepts", covers="R048 R052")
def floor():
    """How many errors are too far below the noise to be luck."""


@concept("concepts", covers="R052 R053")
def grid():
    """What to do when the best λ is at the end of the grid."""


@concept("concepts", covers="R046 R050")
def overfit():
    """By how much one model overfits more than another."""


@concept("concepts", covers="R049")
def patients():
    """How many ways to hold out keep a person on one side."""


@concept("concepts", covers="R042")
def noise():
    """For which noise least squares is maximum likelihood."""


@concept("concepts", covers="R044")
def prior():
    """Which prior gives a penalty of absolute values."""


# -- dual (extra) ------------------------------------------------------------------------------------------------------


@check("dual", covers="R043", tol=1e-4)
def the_dual_is_the_primal(rng, trial):
    """With K = XXᵀ, X'α is the w of ridge, and b its b; with more features than examples as well."""
    data = regression(rng, *[(3, 1), (12, 4), (6, 15)][trial])
    w, b = solved(data.X, data.y, [2.0, 0.5, 7.0][trial])
    return dict(X=data.X, y=data.y, lam=[2.0, 0.5, 7.0][trial], w=w, b=b)


@the_dual_is_the_primal.when
def _(student, X, y, lam):
    alpha, b = student.kernel_ridge(X @ X.T, y, lam)
    return [X.T @ np.asarray(alpha), b]


@the_dual_is_the_primal.then
def _(seen, w, b):
    close(seen, [w, b], tol=1e-4, what="X'α and b, compared with the w and b of ridge")


@check("dual", calls="kernel_ridge", covers="R043", tol=1e-4)
def the_forces_balance(rng, trial):
    """The α sum to 0, and each is 1/λ of its example's residual."""
    n = [3, 8, 17][trial]
    x = rng.permutation(np.linspace(-2, 2, n))
    y = np.sin(2 * x) + 0.3 * rng.normal(size=n) + 4
    size = 0.5 + np.arange(n) / n  # so that no symmetry makes b the mean
    K = np.outer(size, size) * np.exp(-np.abs(x[:, None] - x))
    return dict(K=K, y=y + 3 * size, lam=[0.5, 0.2, 2.0][trial])


@the_forces_balance.then
def _(seen, expected, K, y, lam):
    alpha, b = np.asarray(seen[0], dtype=float), seen[1]
    if abs(alpha.sum()) > 1e-4 * np.abs(alpha).max():
        raise Fail(f"the sum of the α is {alpha.sum():.4g}, not 0")
    close(lam * alpha + b, y - K @ alpha, tol=1e-4, what="λα + b, compared with y − Kα")
    close(seen, expected, tol=1e-4)


@check("dual", covers="R043", tol=1e-4)
def features_that_are_never_written_down(rng, trial):
    """The kernel (1 + xz)² does what ridge does with the features √2·x and x²."""
    n = [4, 9, 20][trial]
    x, lam = rng.permutation(np.linspace(-1.5, 2, n)), [1.0, 0.1, 3.0][trial]
    y = x**2 - x + 0.2 * rng.normal(size=n) + 5
    features = np.column_stack([np.sqrt(2) * x, x**2])
    w, b = solved(features, y, lam)
    return dict(K=(1 + np.outer(x, x)) ** 2, y=y, lam=lam, truth=features @ w + b)


@features_that_are_never_written_down.when
def _(student, K, y, lam):
    alpha, b = student.kernel_ridge(K, y, lam)
    return K @ np.asarray(alpha) + b


@features_that_are_never_written_down.then
def _(seen, truth):
    close(
        seen,
        truth,
        tol=1e-4,
        what="the predictions, compared with those of ridge on the features",
    )


@check("dual", calls="centre_kernel", tol=1e-6)
def the_gram_matrix_of_centred_features(rng, trial):
    """centre_kernel makes of XXᵀ the same as if X had been centred first."""
    n, d = [(3, 1), (6, 4), (11, 3)][trial]
    return dict(K=(lambda X: X @ X.T)(rng.integers(0, 6, size=(n, d)) + np.eye(n, d)))


@check("dual", calls="gaussian_kernel", tol=1e-5)
def an_example_is_entirely_like_itself(rng, trial):
    """The likeness of an example to itself is 1, to a far one 0, and doubling all lengths with the width changes nothing."""
    n, d, scale = [(3, 1, 1), (5, 3, 10), (8, 6, 0.1)][trial]
    X = scale * (rng.integers(-3, 4, size=(n, d)) + np.eye(n, d) / 2)
    return dict(X=X, Z=np.concatenate([X, X[:1] + 100 * scale]), width=1.7 * scale)


# -- losses (extra) ----------------------------------------------------------------------------------------------------


@check("losses", covers="R033 R034 R037", tol=1e-3)
def the_gradient_is_the_slope(rng, trial):
    """Along every direction, both losses change as their gradients say."""
    n, d = [(3, 1), (8, 3), (20, 6)][trial]
    X, w, b = rng.normal(size=(n, d)) + 1, rng.normal(size=d), float(rng.normal())
    e = rng.uniform(0.3, 2, size=n) * rng.choice([-1, 1], size=n)  # well away from the kink
    along = rng.normal(size=d + 1)
    return dict(X=X, y=X @ w + b - e, w=w, b=b, along=along / np.linalg.norm(along))


@the_gradient_is_the_slope.when
def _(student, X, y, w, b, along):
    h, found = 0.02, []  # one is quadratic, the other linear here, so it may be large
    for loss in (student.squared_loss, student.absolute_loss):
        _, dw, db = loss(X, y, w, b)
        up = loss(X, y, w + h * along[1:], b + h * along[0])[0]
        down = loss(X, y, w - h * along[1:], b - h * along[0])[0]
        gradient = np.append(db, dw)
        found.append([(up - down) / (2 * h), gradient @ along, np.linalg.norm(gradient)])
    return found


@the_gradient_is_the_slope.then
def _(seen, expected):
    for name, found in zip(("squared_loss", "absolute_loss"), seen, strict=True):
        slope, told, size = map(
            float, found
        )  # judged by the whole: float32 gives rough slopes
        if not abs(told - slope) <= 1e-3 * size:
            raise Fail(
                f"the gradient of {name} tells a slope of {told:.4g}; it is {slope:.4g}"
            )
    close(seen, expected, tol=1e-3)


@check("losses", calls="absolute_loss", covers="R034", tol=1e-5)
def an_error_of_zero_pulls_nothing(rng, trial):
    """An example that is met exactly adds 0 to the subgradient, as the slope at the kink is 0."""
    n, d = [(3, 1), (7, 2), (15, 4)][trial]
    X, w = rng.integers(1, 5, size=(n, d)) + 0.0, rng.integers(1, 4, size=d) + 0.0
    e = rng.permutation(np.resize([0.0, 2.0, -1.0, 3.0, 0.0], n))
    return dict(X=X, y=X @ w + 2.0 - e, w=w, b=2.0)


@check("losses", covers="R038", tol=1e-5)
def one_bad_example(rng, trial):
    """Moving the largest number far away moves the best constant of the squares, and not that of the absolute values."""
    n = [3, 9, 21][trial]
    y = rng.permutation(np.arange(n) ** 2 / 4.0 + 1)
    bad = y.copy()
    bad[np.argmax(y)] += 1000
    return dict(y=y, bad=bad)


@one_bad_example.when
def _(student, y, bad):
    return [
        student.best_constant(numbers, loss)
        for loss in ("squared", "absolute")
        for numbers in (y, bad)
    ]


@check("losses", covers="R035 R036", tol=1e-5)
def a_half_moves_no_minimum(rng, trial):
    """At the least-squares solution the gradient of squared_loss is 0, and the loss is ½ of the mean squared error."""
    data = regression(rng, *[(4, 1), (9, 3), (25, 5)][trial], sigma=1.0)
    w, b = solved(data.X, data.y, 1e-13)
    return dict(X=data.X, y=data.y, w=w, b=b)


@a_half_moves_no_minimum.when
def _(student, X, y, w, b):
    there, beside = student.squared_loss(X, y, w, b), student.squared_loss(X, y, w + 1, b)
    return [there[0], there[1], there[2], beside[0], beside[1], beside[2]]


@a_half_moves_no_minimum.then
def _(seen, expected, X, y):
    loss, dw, db, *beside = seen
    if max(np.abs(dw).max(), abs(db)) > 1e-5 * np.abs(X.T @ y).max() / len(y):
        raise Fail("the gradient is not 0 at the least-squares solution")
    close([loss, *beside], [expected[0], *expected[3:]], tol=1e-5)


@a_half_moves_no_minimum.view
def _(seen, X, y):
    loss, dw, db, *beside = seen
    small = 1e-5 * np.abs(X.T @ y).max() / len(y)
    flat = max(np.abs(dw).max(), abs(db)) < small
    return [loss, "flat" if flat else [dw, db], *beside]


# -- bayes (extra) -----------------------------------------------------------------------------------------------------


@check("bayes", covers="R018", tol=1e-5)
def a_density_integrates_to_one(rng, trial):
    """The area under the curve is 1, its centre is μ, and σ is its width, for small σ and for large."""
    mu, sigma = float(rng.integers(-3, 4)) + 0.5, [1.5, 0.2, 6.0][trial]
    return dict(x=mu + sigma * np.linspace(-9, 9, 181), mu=mu, sigma=sigma)


@a_density_integrates_to_one.when
def _(student, x, mu, sigma):
    return student.gaussian_density(x, mu, sigma)


@a_density_integrates_to_one.then
def _(seen, expected, x, mu, sigma):
    seen, step = np.asarray(seen, dtype=float), x[1] - x[0]
    close(seen.shape, x.shape, what="the shape")
    close(float(seen.sum() * step), 1.0, tol=1e-4, what="the area")
    close(float(seen @ (x - mu) ** 2 * step), sigma**2, tol=1e-4, what="the variance")
    close(seen, expected, tol=1e-5)


@check("bayes", calls="gaussian_nll", covers="R040 R041", tol=1e-5)
def the_product_would_be_zero(rng, trial):
    """With thousands of examples the likelihood is 0 in a computer, and its logarithm is not."""
    data = regression(rng, [1500, 3000, 5000][trial], [1, 2, 4][trial], sigma=1.0)
    return dict(X=data.X, y=data.y, w=data.w + 0.5, b=data.b, sigma=[2.0, 0.5, 1.3][trial])


@check("bayes", covers="R042", tol=1e-5)
def likelihood_prefers_what_squares_prefer(rng, trial):
    """Between two w, the negative log-likelihoods differ by the difference of the squared errors over 2σ²."""
    data = regression(rng, *[(3, 1), (9, 2), (20, 5)][trial])
    d = data.X.shape[1]
    return dict(
        X=data.X,
        y=data.y,
        w=rng.normal(size=d),
        other=rng.normal(size=d),
        b=1.0,
        sigma=[3.0, 0.5, 1.5][trial],
    )


@likelihood_prefers_what_squares_prefer.when
def _(student, X, y, w, other, b, sigma):
    return [student.gaussian_nll(X, y, u, b, sigma) for u in (w, other)]


def judge_difference(seen, expected, wanted, what):
    """Judge the difference of two numbers, by the larger of those expected: float32 has no more digits."""
    one, other = map(float, seen)
    if not abs(one - other - wanted) <= 1e-4 * max(map(abs, expected)):
        raise Fail(f"{what} differ by {one - other:.6g}, and should by {wanted:.6g}")


@likelihood_prefers_what_squares_prefer.then
def _(seen, expected, X, y, w, other, b, sigma):
    squares = [np.sum((X @ u + b - y) ** 2) for u in (w, other)]
    wanted = (squares[0] - squares[1]) / (2 * sigma**2)
    judge_difference(seen, expected, wanted, "the negative log-likelihoods")


@check("bayes", trials=4, covers="R044", tol=1e-5)
def the_posterior_is_a_penalised_sum_of_squares(rng, trial):
    """Between two w, NLL minus log-prior differs by 1/(2σ²) of squared errors and penalty, weighed as penalty_weight says."""
    data = regression(rng, *[(3, 1), (5, 2), (9, 3), (20, 5)][trial])
    d, kind = data.X.shape[1], ["gaussian", "laplace"][trial % 2]
    w, other = rng.normal(size=d) + 1, 3 * rng.normal(size=d) - 2
    sigma, tau = [3.0, 0.5, 1.5, 2.0][trial], [0.5, 2.0, 1.2, 3.0][trial]
    return dict(
        X=data.X, y=data.y, w=w, other=other, b=1.0, sigma=sigma, tau=tau, kind=kind
    )


@the_posterior_is_a_penalised_sum_of_squares.when
def _(student, X, y, w, other, b, sigma, tau, kind):
    sizes = [
        student.gaussian_nll(X, y, u, b, sigma) + student.negative_log_prior(u, tau, kind)
        for u in (w, other)
    ]
    return dict(sizes=sizes, weight=student.penalty_weight(sigma, tau, kind))


@the_posterior_is_a_penalised_sum_of_squares.then
def _(seen, expected, X, y, w, other, b, sigma, kind):
    totals = []
    for u in (w, other):
        size = np.sum(u**2) if kind == "gaussian" else np.sum(np.abs(u))
        totals.append(np.sum((X @ u + b - y) ** 2) + seen["weight"] * size)
    wanted = (totals[0] - totals[1]) / (2 * sigma**2)
    judge_difference(seen["sizes"], expected["sizes"], wanted, "NLL minus log-prior")
    close(seen["weight"], expected["weight"], tol=1e-5)


# -- growing (extra) ---------------------------------------------------------------------------------------------------


@check("growing", covers="R052")
def the_split_is_random(rng, trial):
    """Two generators split differently, equal ones alike, and what is held out is no block of neighbours."""
    return dict(
        n=40 + trial, held=12 + trial, seeds=rng.integers(10**6, size=2) + [0, 10**6]
    )


@the_split_is_random.when
def _(student, n, held, seeds):
    one, other = seeds
    return [
        [np.asarray(part) for part in student.split(n, held, np.random.default_rng(seed))]
        for seed in (one, other, one)
    ]


@the_split_is_random.view
def _(seen, n):
    held = [sorted(np.asarray(part[1]).astype(int).tolist()) for part in seen]
    whole = [sorted(np.concatenate(part).astype(int).tolist()) for part in seen]
    if held[0] != held[2]:
        chance = "not from rng"
    elif set(np.diff(held[0])) <= {1}:
        chance = "in order"
    else:
        chance = "random" if held[0] != held[1] else "always the same"
    return [len(held[0]), whole, chance]


@check("growing", calls="degree_curve", covers="R046 R050 R051", tol=1e-5)
def training_errors_never_rise(rng, trial):
    """The training error never rises with the degree, and is 0 as soon as there is a coefficient for each point."""
    n = [3, 5, 6][trial]
    x, x_held = np.linspace(-1, 1, n), rng.uniform(-1.4, 1.4, size=4)
    y, y_held = (np.cos(4 * z) + rng.normal(size=len(z)) for z in (x, x_held))
    return dict(x=x, y=y, x_held=x_held, y_held=y_held, degrees=list(range(1, n)))


@training_errors_never_rise.then
def _(seen, expected, degrees):
    training, _ = (np.asarray(part, dtype=float) for part in seen)
    close(len(training), len(degrees), what="the number of training errors")
    if (np.diff(training) > 1e-6 * training[0]).any():
        raise Fail("the training error rises with the degree somewhere")
    if training[-1] > 1e-6 * training[0]:
        raise Fail("a polynomial with as many coefficients as points should meet them all")
    close(seen, expected, tol=1e-5)


@check("growing", covers="R047 R048", tol=1e-5)
def the_training_error_is_a_risk_too(rng, trial):
    """The training error is the risk under the distribution that draws one of the training points, all alike."""
    n, degree = [(4, 1), (9, 2), (14, 4)][trial]
    x = rng.permutation(np.linspace(-1, 1.5, n))
    y = x**3 + 0.5 * rng.normal(size=n)
    v = np.linalg.lstsq(x[:, None] ** np.arange(degree + 1), y, rcond=None)[0]
    return dict(x=x, y=y, p=np.full(n, 1 / n), v=v, degree=degree)


@the_training_error_is_a_risk_too.when
def _(student, x, y, p, v, degree):
    training, _ = student.degree_curve(x, y, x[:3], y[:3] + 1, [degree])
    return [student.discrete_risk(lambda z: np.polyval(v[::-1], z), x, y, p), training[0]]


@the_training_error_is_a_risk_too.then
def _(seen, expected):
    risk, training = seen
    close(
        float(training),
        float(risk),
        tol=1e-5,
        what="the training error, compared with the risk",
    )
    close(seen, expected, tol=1e-5)


# -- standardise (extra) -----------------------------------------------------------------------------------------------


@check("standardise", covers="R055", tol=1e-5)
def one_new_example_alone(rng, trial):
    """A test example gets the same values alone as in company."""
    n, m, d = [(4, 2, 1), (9, 5, 3), (15, 8, 4)][trial]
    data = regression(rng, n + m, d)
    return dict(train=data.X[:n], test=data.X[n:] + 1)


@one_new_example_alone.when
def _(student, train, test):
    alone = [student.standardise(train, test[i : i + 1])[1] for i in range(len(test))]
    return dict(together=student.standardise(train, test)[1], alone=np.concatenate(alone))


@one_new_example_alone.then
def _(seen, expected):
    close(seen["alone"], seen["together"], tol=1e-5, what="the test examples one at a time")
    close(seen, expected, tol=1e-5)


@check("standardise", covers="R055", tol=1e-5)
def a_constant_column_is_only_moved(rng, trial):
    """A column that is constant in the training set becomes 0 there, and in the test set its distance from the constant."""
    n, d = [(3, 2), (7, 3), (11, 5)][trial]
    train, test = (
        rng.integers(0, 9, size=(n, d)) + 0.0,
        rng.integers(0, 9, size=(n - 1, d)) + 0.5,
    )
    train[:2] = [[0.0] * d, [3.0] * d]
    train[:, 1] = [4.0, 0.7, 0.7][
        trial
    ]  # rounding gives the second a standard deviation of 1e-16
    return dict(train=train, test=test)


@a_constant_column_is_only_moved.view
def _(seen):
    return [part if np.all(np.abs(part) < 1e6) else "without bound" for part in seen]


@a_constant_column_is_only_moved.then
def _(seen, expected):
    close(seen, expected, tol=1e-5)


@check("standardise", covers="R055", tol=1e-5)
def zeros_do_not_stay_zeros(rng, trial):
    """In a sparse table the zeros become −mean/std of their column: as many numbers to store as there are entries."""
    n, d = [(4, 1), (10, 3), (30, 6)][trial]
    train, test = (
        (rng.random((size, d)) < 0.3) * rng.integers(1, 9, size=(size, d)) + 0.0
        for size in (n, n + 1)
    )
    train[0], train[1] = 5.0, 0.0
    return dict(train=train, test=test)


# -- norms (extra) -----------------------------------------------------------------------------------------------------


@check("norms", covers="R012", tol=1e-5)
def larger_p_smaller_norm(rng, trial):
    """The p-norm falls as p grows, towards the largest |x|, and the sign of an entry does not matter."""
    x = rng.uniform(0.5, 3, size=[3, 5, 9][trial]) * rng.choice(
        [-1, 1], size=[3, 5, 9][trial]
    )
    x[np.argmax(x)] *= -1
    return dict(x=x, powers=[1.0, 1.5, 2.0, 3.0, 7.0, 60.0, np.inf])


@larger_p_smaller_norm.when
def _(student, x, powers):
    return [student.p_norm(x, p) for p in powers]


@larger_p_smaller_norm.then
def _(seen, expected, x):
    if (np.diff(np.asarray(seen, dtype=float)) > 1e-6).any():
        raise Fail("the norm grows with p somewhere")
    close(seen, expected, tol=1e-5)


@check("norms", covers="R013")
def almost_norms(rng, trial):
    """norm_axioms says which axiom fails, in any unit: where a direction or a sign counts less, where f(0) is not 0, and so on."""
    m, d = [(3, 2), (5, 3), (7, 4)][trial]
    vectors = np.concatenate(
        [
            -np.eye(d)[1:2],
            rng.integers(1, 5, size=(m - 1, d)) * rng.choice([-1.0, 1.0], size=(m - 1, d)),
        ]
    )
    vectors[1], vectors[2] = 2.0, np.where(np.arange(d) == 0, 3.0, -2.0)
    weights = 1.0 + np.arange(d)  # a vector of another length cannot be weighed with them
    return dict(
        vectors=vectors, numbers=np.array([2.0, -1.0, -0.7, 0.1, 1.1]), weights=weights
    )


@almost_norms.when
def _(student, vectors, numbers, weights):
    tried = [
        lambda x: 1e7 * np.sqrt(np.sum(x * x)),
        lambda x: 1e-12 * np.sum(weights * np.abs(x)),
        lambda x: abs(x[0]) / 3,
        lambda x: np.sum(np.maximum(x, 0)),
        lambda x: np.sqrt(np.sum(x * x)) + 1,
        lambda x: -np.sqrt(np.sum(x * x)),
        lambda x: np.sum(np.abs(x)) + np.sum(x) / 2,
        lambda x: np.sum(np.abs(x)) + 1e-6 * max(x[0], 0),
        lambda x: 0.0 * x[0],
    ]
    return [student.norm_axioms(f, vectors, numbers) for f in tried]


# -- proof (extra) -----------------------------------------------------------------------------------------------------

# Which lines each line of the proof rests on; C, F and K are in no proof. There are ten letters, of which seven are to be
# put in one of few orders: of all sequences of seven different letters, fewer than one in 20,000 is a proof.
RESTS_ON = {"E": "", "B": "E", "H": "B", "A": "EH", "I": "B", "D": "I", "G": "AD"}


@check("proof", trials=1, calls="convex_proof", covers="R006")
def every_line_follows_from_those_before_it():
    """The lines prove that a local minimum of a convex function is global: all that are needed, none else, each in its place."""
    return dict()


@every_line_follows_from_those_before_it.view
def _(seen):
    return flaw(seen)[1] or "a proof"


@every_line_follows_from_those_before_it.then
def _(seen):
    if fault := flaw(seen)[0]:
        raise Fail(fault)


def flaw(lines):
    """Say what keeps lines from being the proof, and by which letters; nothing, if they are."""
    if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
        return "expected a list of letters", "no letters"
    letters = [line.strip().upper() for line in lines]
    for place, letter in enumerate(letters):
        before, line = set(letters[:place]), f"line {place + 1}"
        if letter not in RESTS_ON:
            return f"{line} is false, or does not follow, or is not needed", letter
        if letter in before:
            return f"{line} stands there a second time", f"{letter} again"
        if missing := sorted(set(RESTS_ON[letter]) - before):
            return (
                f"{line} does not follow from those before it",
                f"{letter} without {missing[0]}",
            )
    if len(letters) < len(RESTS_ON):
        return "the proof does not reach its end", "no end"
    return "", ""
