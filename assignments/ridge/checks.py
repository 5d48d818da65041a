"""Public checks of ridge regression: they find the usual slips, on examples small enough to read."""

import numpy as np

from redink.checks import Fail, answers_have_form, check, close
from redink_datasets import regression, spectral


def hand(rng):
    """Draw the example of the notebook, moved and turned: one feature, three examples, whole numbers."""
    places, x, y = rng.permutation(3), int(rng.integers(2, 6)), int(rng.integers(2, 6))
    return dict(X=np.array([[x - 1.0], [x], [x + 1.0]])[places], y=np.array([y - 2.0, y + 1, y + 1])[places])


def whole(rng, n, d):
    """Draw data that are integers, also by their type; no column is constant."""
    X = rng.integers(-4, 5, size=(n, d))
    X[:2] = [[-3] * d, [4] * d]
    return dict(X=X, y=2 * X.sum(axis=1) + rng.permutation(np.arange(n)))


def small_or_large(rng, trial, *sizes):
    """Draw the example by hand for trial 0, and noisy linear data of the given sizes (n, d) for the others.

    The third of these sizes is for integers.
    """
    if trial == 0:
        return hand(rng)
    if trial == 3:
        return whole(rng, *sizes[2])
    data = regression(rng, *sizes[trial - 1])
    return dict(X=data.X, y=data.y)


# -- design ------------------------------------------------------------------------------------------------------------


@check("design", calls="design_matrix", covers="R030")
def the_constant_comes_first(rng, trial):
    """design_matrix puts a column of ones before the features."""
    n, d = [(2, 1), (5, 3), (7, 4)][trial]
    X = rng.integers(2, 10, size=(n, d))
    return dict(X=[X.astype(float), X, X + rng.random((n, d))][trial])


@check("design", trials=4, calls="polynomial", covers="R051 R029")
def powers_from_zero_up(rng, trial):
    """polynomial gives 1, x, x², … up to and with x to the given degree, a row for each number."""
    if trial == 3:  # integers whose powers are larger than any int64
        return dict(x=rng.permutation([10, -7, 2]), degree=int(rng.integers(24, 29)))
    x = rng.permutation([-2.0, 0.0, 0.5, 3.0, -1.5, 4.0])[: [2, 5, 6][trial]]
    return dict(x=x, degree=[2, 3, 7][trial])


@check("design", calls="sum_of_squares", covers="R029 R031", tol=1e-5)
def the_whole_error_is_squared(rng, trial):
    """sum_of_squares gives Σ (y − (w·x + b))²."""
    n, d = [(2, 1), (6, 2), (15, 4)][trial]
    whole = [rng.integers(1, 6, size=size).astype(float) for size in [(n, d), n, d]]
    return dict(X=whole[0], y=whole[1] + 0.5, w=whole[2] - 3.5, b=float(rng.integers(2, 5)))


@check("design", trials=4, calls="least_squares", covers="R031 R032", tol=1e-6)
def least_squares_with_one_answer(rng, trial):
    """Where the columns are independent, least_squares gives the c with Aᵀ(Ac − y) = 0."""
    if trial == 3:  # two columns that are nearly the same: the smallest singular value is 4e-9 to 8e-8 of the largest
        column = rng.permutation([-2.0, -1.0, 0.0, 1.0, 3.0, 4.0])
        A = np.column_stack([np.ones(6), column, column + 2e-7 * rng.choice([-1.0, 1.0], size=6)])
        A[:, 2] += 1e-7 * np.arange(6)
        return dict(A=A, y=A @ rng.permutation([2.0, -1.0, 3.0]))
    data = small_or_large(rng, trial, (8, 3), (30, 6))
    return dict(A=np.column_stack([np.ones(len(data["y"])), data["X"]]), y=data["y"])


@check("design", trials=5, calls="least_squares", covers="R032", tol=1e-7)
def a_column_twice(rng, trial):
    """Where a column stands there twice, many c are equally good, and least_squares gives the shortest."""
    n, d = [(3, 1), (7, 2), (12, 4), (6, 3), (8, 2)][trial]
    X = rng.integers(-4, 5, size=(n, d))
    X[:3, 0] = rng.permutation([1, 2, 4])  # so that no column is constant
    A, y = np.column_stack([np.ones(n, dtype=int), X, X[:, 0]]), rng.integers(-5, 6, size=n) + 0.5
    if trial == 1:
        return dict(A=A, y=y)
    scale = [1.0, 1.0, 1.0, 1e-12, 1e9][trial]  # what is small among small numbers, and among large ones?
    return dict(A=scale * A, y=scale * y)


@a_column_twice.view
def _(seen):
    """Numbers divided by 1e-16 are other ones on every machine; that they have no bound is the same on all."""
    return seen if np.all(np.abs(seen) < 1e6) else "without bound"


@a_column_twice.then
def _(seen, expected):
    close(seen, expected, tol=1e-7)


# -- ridge -------------------------------------------------------------------------------------------------------------


@check("ridge", trials=4, calls="ridge_objective", returns="J dw db", covers="R043", tol=1e-6)
def the_objective_and_its_gradient(rng, trial):
    """ridge_objective gives J = ‖Xw + b − y‖² + λ‖w‖² with its derivatives in w and in b."""
    data = small_or_large(rng, trial, (7, 3), (20, 5), (6, 2))
    d = data["X"].shape[1]
    if trial == 3:
        return dict(data, w=rng.integers(2, 5, size=d), b=1.5, lam=0.3)
    return dict(data, w=rng.integers(2, 5, size=d) - 0.5, b=[2.0, -1.5, 0.7][trial], lam=[3.0, 0.5, 12.0][trial])


@check("ridge", trials=4, calls="ridge_fit", returns="w b", covers="R043", tol=1e-7)
def the_weights_and_the_constant(rng, trial):
    """ridge_fit gives the w and the b that minimise J."""
    return dict(small_or_large(rng, trial, (9, 2), (25, 6), (7, 3)), lam=[4.0, 0.5, 7.0, 2][trial])


@check("ridge", covers="R043", tol=1e-6)
def a_shift_of_the_targets_moves_only_b(rng, trial):
    """Adding a constant to every target adds it to b, and leaves w as it was."""
    return dict(small_or_large(rng, trial, (8, 3), (21, 5)), lam=[2.0, 0.7, 9.0][trial], shift=100.0)


@a_shift_of_the_targets_moves_only_b.when
def _(student, X, y, lam, shift):
    return [*student.ridge_fit(X, y, lam), *student.ridge_fit(X, y + shift, lam)]


@a_shift_of_the_targets_moves_only_b.then
def _(seen, expected, shift):
    w, b, w_shifted, b_shifted = seen
    close(w_shifted, w, tol=1e-6, what="w after the shift, compared with w before it")
    close(b_shifted, b + shift, tol=1e-6, what="b after the shift, compared with b + 100")
    close(seen, expected, tol=1e-6)


# -- path --------------------------------------------------------------------------------------------------------------


@check("path", trials=5, calls="ridge_path", returns="W B", covers="R043", tol=1e-7)
def one_row_for_each_lambda(rng, trial):
    """ridge_path gives the w and the b of every λ, in the order of lams."""
    lams = rng.permutation([[1.0, 4.0], [0.1, 3.0, 50.0], [0.01, 1.0, 7.0, 300.0], [2, 30, 7], [0.5, 6.0]][trial])
    if trial == 4:  # a column that says nothing
        data = regression(rng, 8, 3)
        return dict(X=np.column_stack([data.X[:, :2], np.full(8, 3.0), data.X[:, 2]]), y=data.y, lams=lams)
    return dict(small_or_large(rng, trial, (9, 3), (28, 6), (8, 2)), lams=lams)


@check("path", trials=4, calls="effective_dof", covers="R043", tol=1e-5)
def the_degrees_of_freedom_count_b(rng, trial):
    """effective_dof counts the share that ridge keeps of each direction of the centred data, and 1 for b."""
    return dict(X=small_or_large(rng, trial, (8, 3), (30, 5), (7, 4))["X"], lam=[1.0, 2.5, 40.0, 3][trial])


@check("path", calls="effective_dof", covers="R043", tol=1e-5)
def a_direction_is_half_kept_where_its_square_is_lambda(rng, trial):
    """A direction with s² = λ counts one half; much stronger ones count 1, much weaker ones 0."""
    n, s = [(4, [2.0]), (9, [5.0, 80.0]), (12, [3.0, 40.0, 90.0, 0.1])][trial]
    s = np.array(s) * rng.uniform(0.6, 1.6, size=len(s))  # so that the answer is in no table
    return dict(X=spectral(rng, n, s)[0], lam=float(s[0] ** 2))


# -- sgd ---------------------------------------------------------------------------------------------------------------


@check("sgd", trials=4, calls="sgd_step", returns="w b", covers="R023 R024 R054", tol=1e-5)
def one_step_on_one_batch(rng, trial):
    """sgd_step moves w and b against the gradient of L at the old w and b."""
    data = small_or_large(rng, trial, (4, 2), (9, 5), (7, 3))
    if trial == 3:
        return dict(data, w=rng.integers(2, 6, size=3), b=2, rate=0.1, decay=0.5)
    w = rng.integers(2, 6, size=data["X"].shape[1]) - 0.5
    return dict(data, w=w, b=[1.5, -2.0, 0.5][trial], rate=[0.1, 0.05, 0.2][trial], decay=[2.0, 0.4, 1.5][trial])


@check("sgd", trials=4, calls="sgd", returns="w b", covers="R023 R024", tol=1e-5)
def as_many_steps_as_batches(rng, trial):
    """sgd starts at 0 and steps once for each batch, in order; an index that stands there twice counts twice."""
    steps = dict(rate=[0.5, 0.05, 0.08, 0.1][trial], decay=[0.5, 1.0, 0.2, 0.4][trial])
    if trial == 0:
        return dict(hand(rng), batches=[np.array([2, 0]), np.array([1])], **steps)
    n, d, sizes = [(9, 2, [3, 5, 1]), (20, 4, [6, 1, 8, 5, 3]), (7, 2, [4, 3, 1])][trial - 1]
    data = whole(rng, n, d) if trial == 3 else regression(rng, n, d)._asdict()
    batches = [rng.choice(n, size=size, replace=False) for size in sizes]
    if trial > 1:
        batches[0][-1] = batches[0][0]
    return dict(X=data["X"], y=data["y"], batches=batches, **steps)


# -- choose ------------------------------------------------------------------------------------------------------------


def deal(folds):
    """Give the sorted sizes of the folds, by name."""
    names, sizes = np.unique(np.asarray(folds), return_counts=True)
    return [names.tolist(), sorted(sizes.tolist())]


@check("choose", covers="R052 R053")
def every_example_is_in_one_fold(rng, trial):
    """make_folds gives each example one of the folds 0 … k−1, and the folds differ in size by at most one."""
    n, k = [(5, 2), (23, 4), (60, 7)][trial]
    return dict(n=n, k=k, seed=int(rng.integers(10**6)))


@every_example_is_in_one_fold.when
def _(student, n, k, seed):
    return student.make_folds(n, k, np.random.default_rng(seed))


@every_example_is_in_one_fold.view
def _(seen):
    return deal(seen)


@check("choose", trials=6, calls="kfold_errors", covers="R052 R053", tol=1e-5)
def each_fold_is_predicted_by_the_others(rng, trial):
    """kfold_errors gives, for each λ, the mean of the n squared errors of examples that were left out."""
    if trial == 3:
        data = regression(rng, 8, 2)
        return dict(X=data.X, y=data.y, lams=np.array([2, 9]), folds=rng.permutation([0, 0, 0, 0, 1, 1, 1, 2]))
    if trial >= 4:  # integers; a fold in the middle is empty
        folds = [[0, 0, 2, 2, 3, 3, 3], [4, 1, 4, 1, 1, 7, 4, 7]][trial - 4]
        return dict(whole(rng, len(folds), 2), lams=np.array([1, 6, 30]), folds=rng.permutation(folds))
    lams = [[1.0, 3.0], [0.5, 8.0], [0.2, 2.0, 30.0]][trial]
    if trial == 0:
        X = rng.permutation([1.0, 2.0, 4.0, 7.0, 8.0])[:, None]
        return dict(
            X=X,
            y=X[:, 0] + rng.permutation([1.0, 2.0, 5.0, 3.0, 2.0]),
            lams=np.array(lams),
            folds=np.array([0, 1, 1, 0, 1]),
        )
    n, d, k = [(11, 2, 3), (30, 4, 5)][trial - 1]
    data = regression(rng, n, d, sigma=1.0)
    folds = np.concatenate([np.arange(k), rng.integers(k, size=n - k - 3), [0, 0, 0]])  # of different sizes
    return dict(X=data.X, y=data.y, lams=np.array(lams), folds=rng.permutation(folds))


@check("choose", calls="loo_residuals", covers="R053", tol=1e-5)
def what_an_example_gets_when_it_is_left_out(rng, trial):
    """loo_residuals gives y − ŷ of every example under the fit to all the others."""
    return dict(small_or_large(rng, trial, (8, 3), (20, 5)), lam=[1.0, 0.5, 5.0][trial])


@check("choose", calls="choose_lambda", about="loo_residuals", covers="R052", tol=1e-5)
def the_smallest_left_out_error_wins(rng, trial):
    """choose_lambda gives the λ whose squared leave-one-out residuals have the smallest mean."""
    if trial == 0:  # the mean squares of the table: 3.94, 3.75 and 4.08
        return dict(hand(rng), lams=rng.permutation([0.5, 1.0, 4.0]))
    n, d = [(9, 2), (16, 4)][trial - 1]
    X = spectral(rng, n, 1.0 + np.arange(d))[0]
    y = X @ rng.choice([-1.0, 1.0], size=d) + [0.5, 0.9][trial - 1] * rng.normal(size=n) + 3
    lams = [[1e-3, 0.2, 4.0, 500.0], [1e-3, 0.3, 3.0, 30.0, 4000.0]][trial - 1]
    return dict(X=X, y=y, lams=rng.permutation(lams))


# -- experiment --------------------------------------------------------------------------------------------------------


@check("experiment", covers="R039", tol=1e-6)
def without_noise_there_is_only_the_line(rng, trial):
    """With σ = 0 simulate gives Xw + b; with the same seed a doubled σ doubles the noise."""
    n, d = [(2, 1), (6, 3), (15, 4)][trial]
    X, w, seed = rng.integers(1, 6, size=(n, d)), rng.integers(2, 6, size=d), int(rng.integers(10**6))
    return dict(X=X, w=w, b=4, seed=seed) if trial == 1 else dict(X=X + 0.0, w=w - 0.5, b=4.0, seed=seed)


@without_noise_there_is_only_the_line.when
def _(student, X, w, b, seed):
    return [student.simulate(X, w, b, sigma, np.random.default_rng(seed)) for sigma in (0.0, 0.5, 1.0)]


def scales(line, half, whole):
    """Tell whether there is noise, and whether that of σ = 1 is twice that of σ = ½."""
    line, half, whole = (np.asarray(part, dtype=float) for part in (line, half, whole))
    size = np.abs(line).max() + 10  # the noise of σ = 1 is hardly ever larger
    return bool(np.abs(whole - line).min() > 0 and np.abs(2 * half - line - whole).max() <= 1e-5 * size)


@without_noise_there_is_only_the_line.view
def _(seen):
    return [seen[0], "noise" if scales(*seen) else seen[1:]]


@without_noise_there_is_only_the_line.then
def _(seen, expected):
    close(seen[0], expected[0], tol=1e-6, what="with σ = 0")
    if not scales(*seen):
        raise Fail("with the same seed, the noise for σ = 1 should be twice the noise for σ = ½, and not 0")


@check("experiment", covers="R043", tol=1e-5)
def without_noise_the_risk_is_the_bias(rng, trial):
    """With σ = 0 every data set is the same, and measured_risk is what ridge loses by shrinking."""
    n, s, lams = [(3, [2.0], [2.0]), (8, [4.0, 1.0], [0.5, 6.0]), (15, [9.0, 4.0, 2.0], [0.1, 3.0, 80.0])][trial]
    X = hand(rng)["X"] if trial == 0 else spectral(rng, n, np.array(s))[0].round(3)
    w = rng.permutation(np.arange(1.0, len(s) + 1)) + 0.5
    return dict(X=X, w=w, b=3.0, lams=np.array(lams), repeats=2 + trial)


@without_noise_the_risk_is_the_bias.when
def _(student, X, w, b, lams, repeats):
    return student.measured_risk(X, w, b, 0.0, lams, np.random.default_rng(1), repeats)


@check("experiment")
def every_data_set_has_its_own_noise(rng, trial):
    """measured_risk draws new noise for every data set, and fits all λ to it: a λ given twice has one risk."""
    n, d = [(4, 1), (9, 2), (15, 3)][trial]
    data = regression(rng, n, d)
    lams = np.array([[0.5, 4.0, 0.5], [1, 4, 1], [0.2, 9.0, 0.2]][trial])
    return dict(X=data.X, w=data.w, b=data.b, sigma=1.5, lams=lams, seed=int(rng.integers(10**6)))


@every_data_set_has_its_own_noise.when
def _(student, X, w, b, sigma, lams, seed):
    return [student.measured_risk(X, w, b, sigma, lams, np.random.default_rng(seed), repeats) for repeats in (1, 4)]


@every_data_set_has_its_own_noise.view
def _(seen):
    one, four = (np.asarray(part, dtype=float) for part in seen)
    same = one.shape != four.shape or np.allclose(one, four, rtol=1e-7, atol=0)  # by chance, for both λ: below 1e-12
    risks = one.shape == four.shape == (3,) and min(one.min(), four.min()) > 0 and max(one.max(), four.max()) < 1e6
    twice = risks and np.allclose([one[0], four[0]], [one[2], four[2]], rtol=1e-5, atol=0)  # by chance: 1e-5 for each
    return [risks, "the same" if same else "another", "one risk" if twice else "two risks"]


@check("experiment", trials=4, covers="R043", calls="expected_risk", returns="bias2 variance", tol=1e-5)
def bias_and_variance(rng, trial):
    """expected_risk gives the squared bias and the variance, one of each for every λ."""
    if trial == 3:
        return dict(X=whole(rng, 7, 2)["X"], w=rng.permutation([3, -2]), sigma=2, lams=np.array([3, 20, 1]))
    n, s, lams = [(4, [2.0], [4.0]), (9, [6.0, 1.0], [0.5, 6.0]), (20, [9.0, 4.0, 2.0, 0.5], [0.1, 3.0, 80.0])][trial]
    X = hand(rng)["X"] if trial == 0 else spectral(rng, n, np.array(s))[0]
    w = rng.permutation(np.arange(1.0, X.shape[1] + 1)) + 0.5
    return dict(X=X, w=w, sigma=[2.0, 0.5, 1.5][trial], lams=np.array(lams))


# -- dual (extra) ------------------------------------------------------------------------------------------------------


@check("dual", trials=5, calls="gaussian_kernel", tol=1e-5)
def likeness_falls_with_the_squared_distance(rng, trial):
    """gaussian_kernel gives exp(−‖x − z‖²/(2 width²)), a row for each x and a column for each z."""
    if trial == 3:
        return dict(X=rng.integers(-2, 3, size=(4, 2)), Z=rng.integers(-2, 3, size=(3, 2)), width=2)
    n, m, d = [(2, 1, 1), (4, 3, 2), (6, 9, 5), (), (3, 3, 2)][trial]  # the last: as many, and others
    whole = rng.integers(-2, 3, size=(n + m, d)) / 2
    return dict(X=whole[:n] + 0.25, Z=whole[n:], width=[2.0, 0.75, 1.5, 2.0, 1.25][trial])


@check("dual", calls="centre_kernel", tol=1e-6)
def rows_and_columns_of_a_centred_kernel_sum_to_zero(rng, trial):
    """centre_kernel takes away the means of the columns and of the rows, and puts the overall mean back."""
    X = rng.integers(1, 5, size=[(2, 1), (5, 2), (9, 4)][trial]).astype(int if trial == 1 else float)
    X[0] += 2  # so that not all examples are the same
    return dict(K=X @ X.T + np.diag(np.arange(len(X))))


@check("dual", trials=4, calls="kernel_ridge", returns="α b", covers="R043", tol=1e-4)
def alpha_and_the_constant(rng, trial):
    """kernel_ridge gives the α with (CKC + λI)α = y − ȳ, and the b that makes the residuals sum to 0."""
    data = small_or_large(rng, trial, (6, 3), (15, 4), (7, 2))
    gaps = ((data["X"][:, None] - data["X"]) ** 2).sum(axis=2)
    K = data["X"] @ data["X"].T if trial in (0, 3) else np.exp(-gaps / 20)
    return dict(K=K, y=data["y"], lam=[4.0, 0.3, 1.5, 2][trial])


# -- losses (extra) ----------------------------------------------------------------------------------------------------


@check("losses", trials=4, calls="squared_loss", returns="loss dw db", covers="R033 R035 R037", tol=1e-5)
def half_the_mean_square(rng, trial):
    """squared_loss gives the mean of ½e² with its derivatives in w and in b."""
    data = small_or_large(rng, trial, (7, 2), (18, 5), (7, 3))
    if trial == 3:
        return dict(data, w=rng.integers(1, 5, size=3), b=2)
    return dict(data, w=rng.integers(1, 5, size=data["X"].shape[1]) + 0.5, b=[1.0, -2.0, 0.5][trial])


@check("losses", trials=4, calls="absolute_loss", returns="loss dw db", covers="R034", tol=1e-5)
def the_mean_absolute_error(rng, trial):
    """absolute_loss gives the mean of |e| with its derivatives in w and in b."""
    data = small_or_large(rng, trial, (7, 2), (18, 5), (6, 3))
    if trial == 3:
        return dict(data, w=rng.integers(1, 5, size=3), b=1)
    w = data["X"].shape[1] * [0.75] if trial == 0 else rng.normal(size=data["X"].shape[1])
    return dict(data, w=np.array(w), b=[0.5, -2.0, 0.5][trial])


@check("losses", calls="best_constant", covers="R038", tol=1e-5)
def the_nearest_number(rng, trial):
    """best_constant gives the number with the smallest mean loss, for either loss."""
    n = [3, 7, 15][trial]
    return dict(y=rng.permutation(np.arange(1.0, n + 1) ** 2) + 1, loss=["squared", "absolute", "squared"][trial])


# -- bayes (extra) -----------------------------------------------------------------------------------------------------


@check("bayes", calls="gaussian_density", covers="R018", tol=1e-5)
def the_bell_curve(rng, trial):
    """gaussian_density gives (2πσ²)^(−½) exp(−(x − μ)²/(2σ²))."""
    x = rng.integers(-4, 5, size=[2, 5, 9][trial]) / 2
    return dict(x=x, mu=[0.5, -1.0, 2.0][trial], sigma=[2.0, 0.5, 1.5][trial])


@check("bayes", calls="gaussian_nll", covers="R040 R041", tol=1e-5)
def the_negative_log_likelihood(rng, trial):
    """gaussian_nll is a sum over the examples, with its constants."""
    data = small_or_large(rng, trial, (6, 2), (17, 4))
    w = rng.integers(1, 4, size=data["X"].shape[1]) - 0.5
    return dict(data, w=w, b=[1.0, -2.0, 0.5][trial], sigma=[2.0, 0.7, 3.0][trial])


@check("bayes", calls="negative_log_prior", trials=4, covers="R044", tol=1e-5)
def the_two_priors(rng, trial):
    """negative_log_prior is a sum over the weights, with its constants, for either kind of prior."""
    w = rng.integers(-4, 5, size=[2, 3, 5, 8][trial]) + 0.5
    return dict(w=w, tau=[2.0, 3.0, 0.5, 0.7][trial], kind=["gaussian", "laplace"][trial % 2])


@check("bayes", calls="penalty_weight", covers="R044", tol=1e-5)
def the_lambda_of_a_gaussian_prior(rng, trial):
    """For the kind "gaussian", penalty_weight gives the λ with which ridge finds the most probable weights."""
    sigma, tau = rng.permutation([0.5, 2.0, 3.0])[:2]
    return dict(sigma=float(sigma), tau=float(tau), kind="gaussian")


# -- growing (extra) ---------------------------------------------------------------------------------------------------


@check("growing", trials=4, covers="R052")
def a_split_has_every_index_once(rng, trial):
    """split gives n − held and held indices, and every index exactly once, also where nothing is held out."""
    n, held = [(4, 1), (11, 4), (40, 9), (6, 0)][trial]
    return dict(n=n, held=held, seed=int(rng.integers(10**6)))


@a_split_has_every_index_once.when
def _(student, n, held, seed):
    return [np.asarray(part) for part in student.split(n, held, np.random.default_rng(seed))]


@a_split_has_every_index_once.view
def _(seen):
    kept, held = seen
    return [len(kept), len(held), sorted([*kept.tolist(), *held.tolist()])]


@check("growing", covers="R048", tol=1e-5)
def the_risk_is_an_expectation(rng, trial):
    """discrete_risk weighs the squared errors with the probabilities."""
    m, degree = [(2, 1), (5, 2), (8, 3)][trial]
    p = rng.permutation(np.arange(1.0, m + 1))
    x, y = rng.permutation(np.arange(m) - 1.0), rng.integers(-3, 4, size=m) + 0.5
    return dict(x=x, y=y, p=p / p.sum(), v=rng.integers(1, 4, size=degree + 1) - 0.5)


@the_risk_is_an_expectation.when
def _(student, x, y, p, v):
    return student.discrete_risk(lambda z: np.polyval(v, z), x, y, p)


@check("growing", calls="degree_curve", returns="training validation", covers="R046 R047 R051", tol=1e-5)
def training_and_validation_errors(rng, trial):
    """degree_curve gives the two mean squared errors of the least-squares polynomial of every degree."""
    if trial == 0:
        y = rng.permutation([0, 1, 4])
        return dict(x=np.array([-1, 0, 1]), y=y, x_held=np.array([2, -2]), y_held=y[:2] + 1, degrees=[2, 1])
    n, m, degrees = [(9, 5, [2, 1, 3]), (15, 7, [1, 4, 2, 3])][trial - 1]
    x, x_held = rng.permutation(np.linspace(-1, 1, n)), rng.uniform(-1, 1, size=m)
    y, y_held = (np.round(np.sin(3 * z) + 0.4 * rng.normal(size=len(z)), 2) for z in (x, x_held))
    return dict(x=x, y=y, x_held=x_held, y_held=y_held, degrees=degrees)


# -- standardise (extra) -----------------------------------------------------------------------------------------------


@check("standardise", returns="train test", covers="R055", tol=1e-5)
def both_sets_by_the_training_set(rng, trial):
    """standardise moves and scales both sets by the means and standard deviations of the training set."""
    n, m, d = [(3, 2, 1), (8, 5, 3), (20, 7, 4)][trial]
    scale = rng.integers(2, 6, size=d)
    train, test = (rng.integers(0, 9, size=(size, d)) * scale + 0.0 for size in (n, m))
    train[:2] = [[0.0] * d, [3.0] * d]  # so that no column is constant
    if trial == 1:
        return dict(train=train.astype(int), test=test.astype(int) + 4)
    units = np.where(np.arange(d) == 2, 1e-12, 1.0)  # small numbers are no constant
    return dict(train=train * units, test=(test + 4) * units)


# -- norms (extra) -----------------------------------------------------------------------------------------------------


@check("norms", calls="p_norm", trials=5, covers="R010 R011 R012", tol=1e-5)
def the_p_norm(rng, trial):
    """p_norm gives (Σ|x|^p)^(1/p), also for odd p and negative entries, and max |x| for p = ∞."""
    if trial == 4:  # integers whose powers are larger than any int64
        return dict(x=rng.permutation([-7, 4, 9]), p=int(rng.integers(25, 30)))
    x = rng.permutation([-5.0, 3.0, -1.5, 4.0, 2.0, -6.0])[: [3, 4, 5, 6][trial]]
    return dict(x=x - np.where(x == x.max(), x + 7, 0), p=[2.0, 1.0, 3.0, np.inf][trial])


@check("norms", trials=4, covers="R013")
def norms_are_told_from_others(rng, trial):
    """norm_axioms finds all three axioms in two norms, and not in the squared length and in Σ√|x| squared."""
    if trial == 3:  # at right angles: only a vector with itself shows that a square breaks the triangle inequality
        return dict(
            vectors=np.diag(rng.permutation([2, -3, 1])), numbers=np.array([-2.0, 0.5, 3.0]), order=rng.permutation(4)
        )
    m, d = [(3, 2), (5, 3), (8, 4)][trial]
    vectors = np.concatenate(
        [np.eye(d)[:2], rng.integers(1, 5, size=(m - 2, d)) * rng.choice([-1.0, 1.0], size=(m - 2, d))]
    )
    return dict(vectors=vectors, numbers=np.array([-2.0, 0.5, 3.0]), order=rng.permutation(4))


@norms_are_told_from_others.when
def _(student, vectors, numbers, order):
    tried = [
        ("the norm of x and of twice the rest", lambda x: np.hypot.reduce(x) + np.hypot.reduce(2 * x[1:])),
        ("the sum of norms of pairs", lambda x: np.hypot(x[0], x[1:]).sum()),
        ("the squared length", lambda x: np.sum(x * x)),
        ("(Σ√|x|)²", lambda x: np.sum(np.sqrt(np.abs(x))) ** 2),
    ]
    return {tried[k][0]: student.norm_axioms(tried[k][1], vectors, numbers) for k in order}


# -- concepts ----------------------------------------------------------------------------------------------------------

the_answers_have_the_form_that_is_asked = answers_have_form(
    "concepts",
    units=("same", "muted", "amplified", "reversed"),
    doubled=float,
    library=float,
    freedom=float,
    floor=range(7),
    grid=("accept", "refine", "widen", "back"),
    overfit=float,
    patients=range(6),
    noise=("laplace", "gaussian", "uniform", "any"),
    prior=("gaussian", "laplace", "uniform", "cauchy"),
)
