"""Right answers to ridge regression, written another way: all of them get full marks."""

from redink.checks import alternative

# -- design ------------------------------------------------------------------------------------------------------------


@alternative("fills_the_columns_one_by_one", "design")
def design_matrix(X):
    made = np.ones((X.shape[0], X.shape[1] + 1))
    for j in range(X.shape[1]):
        made[:, j + 1] = X[:, j]
    return made


@alternative("a_list_of_rows", "design")
def design_matrix(X):
    return [[1.0, *row] for row in X]


@alternative("vandermonde", "design")
def polynomial(x, degree):
    return np.vander(x.astype(float), degree + 1, increasing=True)


@alternative("powers_by_multiplication", "design")
def polynomial(x, degree):
    columns = [np.ones(len(x))]
    for _ in range(degree):
        columns.append(columns[-1] * x)
    return np.stack(columns, axis=1)


@alternative("sums_in_a_loop", "design")
def sum_of_squares(X, y, w, b):
    total = 0
    for row, target in zip(X, y):
        total += (
            sum(weight * feature for weight, feature in zip(w, row)) + b - target
        ) ** 2
    return total


@alternative("sums_in_float32", "design")
def sum_of_squares(X, y, w, b):
    return np.sum((X @ w + b - y).astype(np.float32) ** 2)


@alternative("least_squares_from_the_transposed_matrix", "design")
def least_squares(A, y):
    V, s, Ut = np.linalg.svd(A.T)
    rank = int(np.sum(s > 1e-10 * np.linalg.norm(A, 2)))
    return V[:, :rank] @ np.diag(1 / s[:rank]) @ Ut[:rank] @ y


@alternative("least_squares_term_by_term", "design")
def least_squares(A, y):
    U, s, Vt = np.linalg.svd(A)
    v = np.zeros(A.shape[1])
    for j, size in enumerate(s):
        if size > 1e-10 * s[0]:
            v += U[:, j] @ y / size * Vt[j]
    return v.tolist()


# -- ridge -------------------------------------------------------------------------------------------------------------


@alternative("objective_one_example_at_a_time", "ridge")
def ridge_objective(X, y, w, b, lam):
    J, dw, db = lam * np.dot(w, w), 2 * lam * np.asarray(w), 0.0
    for x, target in zip(X, y):
        r = w @ x + b - target
        J, dw, db = J + r**2, dw + 2 * r * x, db + 2 * r
    return J, dw, db


@alternative("objective_with_target_minus_prediction", "ridge")
def ridge_objective(X, y, w, b, lam):
    e = y - X @ w - b
    return (
        np.linalg.norm(e) ** 2 + lam * np.linalg.norm(w) ** 2,
        [-2 * (e @ X[:, j]) + 2 * lam * w[j] for j in range(len(w))],
        np.array(-2 * e.sum()),
    )


@alternative("objective_in_float32", "ridge")
def ridge_objective(X, y, w, b, lam):
    r = X @ w + b - y
    gradient = 2 * X.T @ r + 2 * lam * w
    return (
        np.float32(r @ r + lam * w @ w),
        gradient.astype(np.float32),
        np.float32(2 * r.sum()),
    )


@alternative("an_augmented_system_with_a_free_constant", "ridge")
def ridge_fit(X, y, lam):
    A = design_matrix(X)
    penalty = lam * np.eye(A.shape[1])
    penalty[0, 0] = 0
    v = np.linalg.solve(A.T @ A + penalty, A.T @ y)
    return v[1:], v[0]


@alternative("inverts_and_centres_the_inputs_alone", "ridge")
def ridge_fit(X, y, lam):
    centred = X - X.mean(axis=0)
    w = np.linalg.inv(centred.T @ centred + lam * np.identity(X.shape[1])) @ centred.T @ y
    return w, np.mean(y - X @ w)


@alternative("ridge_by_qr_of_stacked_rows", "ridge")
def ridge_fit(X, y, lam):
    mean, d = X.mean(axis=0), X.shape[1]
    Q, R = np.linalg.qr(np.vstack([X - mean, np.sqrt(lam) * np.eye(d)]))
    w = np.linalg.solve(R, Q.T @ np.concatenate([y - y.mean(), np.zeros(d)]))
    return w.tolist(), (y.mean() - mean @ w).item()


# -- path --------------------------------------------------------------------------------------------------------------


@alternative("the_path_one_lambda_at_a_time", "path")
def ridge_path(X, y, lams):
    mean = np.mean(X, axis=0)
    U, s, Vt = np.linalg.svd(X - mean, full_matrices=False)
    W, B = [], []
    for lam in lams:
        w = Vt.T @ np.diag(s / (s**2 + lam)) @ U.T @ y
        W.append(w)
        B.append(y.mean() - w @ mean)
    return np.array(W), np.array(B)


@alternative("the_path_from_eigenvectors", "path")
def ridge_path(X, y, lams):
    centred = X - X.mean(axis=0)
    values, V = np.linalg.eigh(centred.T @ centred)
    W = np.einsum(
        "dk,lk,k->ld", V, 1 / (values + np.reshape(lams, (-1, 1))), V.T @ centred.T @ y
    )
    return W, np.mean(y) - W @ X.mean(axis=0)


@alternative("the_path_by_many_solves", "path")
def ridge_path(X, y, lams):
    fits = [ridge_fit(X, y, lam) for lam in lams]
    return np.array([w for w, _ in fits]), np.array([b for _, b in fits])


@alternative("freedom_as_a_trace", "path")
def effective_dof(X, lam):
    centred = X - X.mean(axis=0)
    gram = centred.T @ centred
    return 1 + np.trace(np.linalg.solve(gram + lam * np.eye(len(gram)), gram))


@alternative("freedom_from_the_gram_matrix", "path")
def effective_dof(X, lam):
    centred = X - X.mean(axis=0)
    values = np.linalg.eigvalsh(centred @ centred.T)
    return np.float32(1 + sum(value / (value + lam) for value in values))


# -- dual --------------------------------------------------------------------------------------------------------------


@alternative("distances_by_broadcasting", "dual")
def gaussian_kernel(X, Z, width):
    return np.exp(-(((X[:, None, :] - Z[None, :, :]) / width) ** 2).sum(axis=-1) / 2)


@alternative("a_kernel_in_loops_and_float32", "dual")
def gaussian_kernel(X, Z, width):
    made = np.zeros((len(X), len(Z)), dtype=np.float32)
    for i in range(len(X)):
        for j in range(len(Z)):
            made[i, j] = np.exp(-0.5 * np.linalg.norm(X[i] - Z[j]) ** 2 / width**2)
    return made


@alternative("centres_by_matrices", "dual")
def centre_kernel(K):
    C = np.eye(len(K)) - np.ones(K.shape) / len(K)
    return C @ K @ C


@alternative("centres_rows_then_columns", "dual")
def centre_kernel(K):
    K = K - K.mean(axis=1, keepdims=True)
    return K - K.mean(axis=0)


@alternative("a_bordered_system", "dual")
def kernel_ridge(K, y, lam):
    n = len(y)
    system = np.zeros((n + 1, n + 1))
    system[:n, :n] = K + lam * np.eye(n)
    system[n, :n] = system[:n, n] = 1
    found = np.linalg.solve(system, np.append(y, 0))
    return found[:n], found[n]


@alternative("inverts_the_centred_kernel", "dual")
def kernel_ridge(K, y, lam):
    alpha = np.linalg.inv(centre_kernel(K) + lam * np.eye(len(y))) @ (y - np.mean(y))
    return list(alpha), y.mean() - K.mean(axis=0) @ alpha


# -- choose ------------------------------------------------------------------------------------------------------------


@alternative("deals_shuffled_cards", "choose")
def make_folds(n, k, rng):
    folds = np.zeros(n)
    for fold, hand in enumerate(np.array_split(rng.permutation(n), k)):
        folds[hand] = fold
    return folds


@alternative("shuffles_a_list", "choose")
def make_folds(n, k, rng):
    folds = [i % k for i in range(n)]
    rng.shuffle(folds)
    return folds


@alternative("adds_up_fold_by_fold", "choose")
def kfold_errors(X, y, lams, folds):
    errors = []
    for lam in lams:
        total = 0
        for fold in set(np.asarray(folds).tolist()):
            w, b = ridge_fit(X[folds != fold], y[folds != fold], lam)
            total += sum((y[i] - X[i] @ w - b) ** 2 for i in np.flatnonzero(folds == fold))
        errors.append(total / len(y))
    return errors


@alternative("goes_through_all_numbers_of_folds", "choose")
def kfold_errors(X, y, lams, folds):
    errors = np.zeros(len(lams))
    for fold in range(max(folds) + 1):
        held = np.flatnonzero(np.asarray(folds) == fold)
        if len(held):
            others = np.setdiff1d(np.arange(len(y)), held)
            for k, lam in enumerate(lams):
                w, b = ridge_fit(X[others], y[others], lam)
                errors[k] += np.sum((X[held] @ w + b - y[held]) ** 2)
    return errors / len(y)


@alternative("really_leaves_out", "choose")
def loo_residuals(X, y, lam):
    found = []
    for i in range(len(y)):
        others = np.arange(len(y)) != i
        w, b = ridge_fit(X[others], y[others], lam)
        found.append(y[i] - X[i] @ w - b)
    return np.array(found)


@alternative("leverage_from_the_hat_matrix", "choose")
def loo_residuals(X, y, lam):
    n, A = len(y), np.column_stack([np.ones(len(y)), X])
    penalty = lam * np.diag([0.0] + [1.0] * X.shape[1])
    hat = A @ np.linalg.inv(A.T @ A + penalty) @ A.T
    return (np.eye(n) - hat) @ y / (1 - np.diag(hat))


@alternative("leverage_from_the_spectrum_in_float32", "choose")
def loo_residuals(X, y, lam):
    w, b = ridge_fit(X, y, lam)
    U, s, _ = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    leverage = 1 / len(y) + (U**2) @ (s**2 / (s**2 + lam))
    return ((y - X @ w - b) / (1 - leverage)).astype(np.float32)


@alternative("keeps_the_best_so_far", "choose")
def choose_lambda(X, y, lams):
    best, least = None, np.inf
    for lam in lams:
        residuals = np.asarray(loo_residuals(X, y, lam))
        if residuals @ residuals < least:
            best, least = lam, residuals @ residuals
    return best


# -- experiment --------------------------------------------------------------------------------------------------------


@alternative("draws_around_the_line", "experiment")
def simulate(X, w, b, sigma, rng):
    return rng.normal(X @ w + b, sigma)


@alternative("draws_one_target_at_a_time", "experiment")
def simulate(X, w, b, sigma, rng):
    return np.array([x @ w + b + sigma * rng.standard_normal() for x in X])


@alternative("measures_with_ridge_fit_and_reversed_noise", "experiment")
def measured_risk(X, w, b, sigma, lams, rng, repeats):
    risks = np.zeros((repeats, len(lams)))
    for r in range(repeats):
        y = X @ w + b + sigma * rng.normal(size=len(X))[::-1]
        for k, lam in enumerate(lams):
            v, c = ridge_fit(X, y, lam)
            risks[r, k] = np.mean((X @ (v - w) + c - b) ** 2)
    return risks.mean(axis=0)


@alternative("expects_from_matrices", "experiment")
def expected_risk(X, w, sigma, lams):
    n, centred = len(X), X - X.mean(axis=0)
    bias2, variance = [], []
    for lam in lams:
        hat = centred @ np.linalg.solve(
            centred.T @ centred + lam * np.eye(X.shape[1]), centred.T
        )
        bias2.append(np.sum((hat @ centred @ w - centred @ w) ** 2) / n)
        variance.append(sigma**2 * (1 + np.trace(hat @ hat)) / n)
    return bias2, variance


# -- concepts ----------------------------------------------------------------------------------------------------------

alternative("answers_in_capitals", "concepts", old='units="muted"', new='units=" Muted "')
alternative(
    "answers_as_floats", "concepts", old="doubled=10,", new="doubled=np.float64(10.0),"
)
alternative(
    "answers_by_computing",
    "concepts",
    old="freedom=2.3,",
    new="freedom=1 + 8 / 10 + 2 / 4,",
)

# -- extra -------------------------------------------------------------------------------------------------------------


@alternative("the_loss_in_a_loop", "losses")
def squared_loss(X, y, w, b):
    loss, dw, db = 0.0, np.zeros(len(w)), 0.0
    for x, target in zip(X, y):
        e = x @ w + b - target
        loss, dw, db = loss + e * e / 2, dw + e * x, db + e
    return loss / len(y), dw / len(y), db / len(y)


@alternative("signs_by_comparison", "losses")
def absolute_loss(X, y, w, b):
    e = X @ w + b - y
    signs = 1.0 * (e > 0) - 1.0 * (e < 0)
    return np.abs(e).mean(), np.einsum("nd,n->d", X, signs) / len(y), signs.mean()


@alternative("sorts_for_the_median", "losses")
def best_constant(y, loss):
    return sorted(y)[len(y) // 2] if loss == "absolute" else sum(y) / len(y)


@alternative("adds_the_penalty_to_the_gradient", "sgd")
def sgd_step(X, y, w, b, rate, decay):
    e = X @ w + b - y
    return w - rate * (
        np.mean(e[:, None] * X, axis=0) + decay * w
    ), b - rate * e.sum() / len(e)


@alternative("descends_in_float32", "sgd")
def sgd_step(X, y, w, b, rate, decay):
    e = X @ w + b - y
    w = w - rate * (X.T @ e / len(y) + decay * w)
    return w.astype(np.float32), np.float32(b - rate * e.mean())


@alternative("descends_on_one_vector", "sgd")
def sgd(X, y, batches, rate, decay):
    v, A = np.zeros(X.shape[1] + 1), np.column_stack([np.ones(len(X)), X])
    decays = np.append(0, np.full(X.shape[1], decay))
    for batch in batches:
        v = v - rate * (A[batch].T @ (A[batch] @ v - y[batch]) / len(batch) + decays * v)
    return v[1:], v[0]


@alternative("the_log_of_each_density", "bayes")
def gaussian_nll(X, y, w, b, sigma):
    return -sum(
        -0.5 * np.log(2 * np.pi) - np.log(sigma) - 0.5 * ((y - X @ w - b) / sigma) ** 2
    )


@alternative("the_prior_by_densities", "bayes")
def negative_log_prior(w, tau, kind):
    if kind == "laplace":
        return -np.sum(np.log(np.exp(-np.abs(w) / tau) / (2 * tau)))
    return -np.sum(np.log(gaussian_density(w, 0, tau)))


@alternative("chooses_without_a_permutation", "growing")
def split(n, held, rng):
    chosen = rng.choice(n, size=held, replace=False)
    return np.setdiff1d(np.arange(n), chosen), chosen


@alternative("the_risk_pair_by_pair", "growing")
def discrete_risk(f, x, y, p):
    return sum(p[j] * (y[j] - f(x[j : j + 1])[0]) ** 2 for j in range(len(x)))


@alternative("curves_from_raw_powers", "growing")
def degree_curve(x, y, x_held, y_held, degrees):
    errors = []
    for degree in degrees:
        v = np.linalg.lstsq(np.vander(x, degree + 1), y, rcond=None)[0]
        errors.append(
            [np.mean((np.polyval(v, z) - t) ** 2) for z, t in ((x, y), (x_held, y_held))]
        )
    return np.array(errors).T


@alternative("standardises_column_by_column", "standardise")
def standardise(train, test):
    columns = []
    for one, other in zip(train.T, test.T):
        size = one.std() if len(set(one)) > 1 else 1.0
        columns.append(((one - one.mean()) / size, (other - one.mean()) / size))
    return np.array([a for a, _ in columns]).T, np.array([b for _, b in columns]).T


@alternative("numpy_has_norms", "norms")
def p_norm(x, p):
    return np.linalg.norm(x, ord=p)


@alternative("axioms_in_loops", "norms")
def norm_axioms(f, vectors, numbers):
    homogeneous = triangle = definite = True
    small = 1e-9 * np.max([abs(f(x)) for x in vectors])
    for x in vectors:
        definite = definite and f(x) > small
        for a in numbers:
            homogeneous = homogeneous and abs(f(a * x) - np.abs(a) * f(x)) <= small
        for z in vectors:
            triangle = triangle and f(x + z) <= f(x) + f(z) + small
    definite = definite and abs(f(0 * vectors[0])) <= small
    return dict(homogeneous=homogeneous, triangle=triangle, definite=definite)


@alternative("rounding_as_a_factor", "norms")
def norm_axioms(f, vectors, numbers):
    sizes = np.array([f(x) for x in vectors])
    scaled = np.array([[f(a * x) for x in vectors] for a in numbers])
    sums = np.array([[f(x + z) for x in vectors] for z in vectors])
    return {
        "homogeneous": np.allclose(
            scaled, np.abs(numbers)[:, None] * sizes, rtol=1e-9, atol=0
        ),
        "triangle": np.all(sums <= (sizes[:, None] + sizes) * (1 + 1e-9)),
        "definite": np.all(sizes > 0) & (f(np.zeros(vectors.shape[1])) == 0),
    }


alternative(
    "measures_the_distance_first",
    "proof",
    old='return ["E", "B", "H", "A", "I", "D", "G"]',
    new='return list("EBIDHAG")',
)
alternative(
    "letters_in_lower_case",
    "proof",
    old='return ["E", "B", "H", "A", "I", "D", "G"]',
    new='return tuple("ebihdag")',
)
