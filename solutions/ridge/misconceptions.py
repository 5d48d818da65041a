"""Wrong answers to ridge regression, each with the hint a teacher would give."""

from redink.checks import misconception

# -- design ------------------------------------------------------------------------------------------------------------

misconception(
    "puts_the_constant_last", "design",
    hint="In (b, w), which number comes first? Its column should too.",
    old="return np.column_stack([np.ones(len(X)), X])",
    new="return np.column_stack([X, np.ones(len(X))])",
)

misconception(
    "powers_start_at_one", "design",
    hint="Can your polynomial have a value other than 0 at x = 0?",
    old="return np.asarray(x, dtype=float)[:, None] ** np.arange(degree + 1)",
    new="return np.asarray(x, dtype=float)[:, None] ** np.arange(1, degree + 1)",
)

misconception(
    "stops_one_power_early", "design",
    hint="How many coefficients has a parabola?",
    old="return np.asarray(x, dtype=float)[:, None] ** np.arange(degree + 1)",
    new="return np.asarray(x, dtype=float)[:, None] ** np.arange(degree)",
)

misconception(
    "highest_power_first", "design",
    hint="Read the features in the docstring from left to right: which one is the constant?",
    old="return np.asarray(x, dtype=float)[:, None] ** np.arange(degree + 1)",
    new="return np.asarray(x, dtype=float)[:, None] ** np.arange(degree, -1, -1)",
)

misconception(
    "squares_the_prediction_alone", "design",
    hint="Where does the bracket close: is the prediction squared, or the error?",
    old="errors = y - (X @ w + b)\n    return float(errors @ errors)",
    new="errors = y - (X @ w + b) ** 2\n    return float(errors.sum())",
)

misconception(
    "sums_the_errors_before_squaring", "design",
    hint="May an error of +3 cancel an error of −3?",
    old="return float(errors @ errors)",
    new="return float(errors.sum() ** 2)",
)

misconception(
    "averages_the_squares", "design",
    hint="The conventions say whether it is a sum or a mean. Which?",
    old="return float(errors @ errors)",
    new="return float(np.mean(errors**2))",
)

misconception(
    "solves_the_normal_equations_at_any_rank", "design",
    hint="What is the inverse of A'A when a column stands there twice?",
    old="U, s, Vt = np.linalg.svd(A, full_matrices=False)\n    kept = s > 1e-10 * s.max()\n"
    "    return Vt[kept].T @ ((U.T @ y)[kept] / s[kept])",
    new="return np.linalg.solve(A.T @ A, A.T @ y)",
)

misconception(
    "divides_by_every_singular_value", "design",
    hint="Print the singular values. Is 1e-16 a number to divide by?",
    old="kept = s > 1e-10 * s.max()",
    new="kept = s > 0",
)

misconception(
    "multiplies_by_the_singular_values", "design",
    hint="Take A = 2·I. Should c be twice y, or half of it?",
    old="return Vt[kept].T @ ((U.T @ y)[kept] / s[kept])",
    new="return Vt[kept].T @ ((U.T @ y)[kept] * s[kept])",
)

misconception(
    "drops_the_columns_it_does_not_need", "design",
    hint="Yours fits as well as it can. Is there a shorter c with the same predictions?",
    old="U, s, Vt = np.linalg.svd(A, full_matrices=False)\n    kept = s > 1e-10 * s.max()\n"
    "    return Vt[kept].T @ ((U.T @ y)[kept] / s[kept])",
    new="""chosen = []
    for j in range(A.shape[1]):
        if np.linalg.matrix_rank(A[:, [*chosen, j]]) > len(chosen):
            chosen.append(j)
    Q, R = np.linalg.qr(A[:, chosen])
    v = np.zeros(A.shape[1])
    v[chosen] = np.linalg.solve(R, Q.T @ y)
    return v""",
)

misconception(
    "powers_in_the_type_of_x", "design",
    hint="What is 10 to the power 25 in an int64? Print it.",
    old="return np.asarray(x, dtype=float)[:, None] ** np.arange(degree + 1)",
    new="return x[:, None] ** np.arange(degree + 1)",
)

misconception(
    "a_cut_off_of_a_fixed_size", "design",
    hint="Write A in millimetres, then in light years. Does the same number of singular values count as 0?",
    old="kept = s > 1e-10 * s.max()",
    new="kept = s > 1e-10",
)

misconception(
    "takes_the_third_factor_for_v", "design",
    hint="np.linalg.svd returns a matrix whose rows, or whose columns, are the v_j. Which?",
    old="return Vt[kept].T @ ((U.T @ y)[kept] / s[kept])",
    new="return sum((U[:, j] @ y / s[j] * Vt[:, j] for j in np.flatnonzero(kept)), np.zeros(A.shape[1]))",
)

misconception(
    "takes_the_whole_third_factor_for_v", "design",
    hint="np.linalg.svd returns a matrix whose rows, or whose columns, are the v_j. Which?",
    old="return Vt[kept].T @ ((U.T @ y)[kept] / s[kept])",
    new="V = np.linalg.svd(A)[2]\n    return V[:, : len(s)][:, kept] @ ((U.T @ y)[kept] / s[kept])",
)

misconception(
    "divides_by_the_squares", "design",
    hint="Take A = 2·I. Is c half of y, or a quarter of it?",
    old="return Vt[kept].T @ ((U.T @ y)[kept] / s[kept])",
    new="return Vt[kept].T @ ((U.T @ y)[kept] / s[kept] ** 2)",
)

misconception(
    "a_little_ridge_for_every_rank", "design",
    hint="Write A in nanometres, then in light years. Is what you add to the diagonal small beside both?",
    old="U, s, Vt = np.linalg.svd(A, full_matrices=False)\n    kept = s > 1e-10 * s.max()\n"
    "    return Vt[kept].T @ ((U.T @ y)[kept] / s[kept])",
    new="return np.linalg.solve(A.T @ A + 1e-8 * np.eye(A.shape[1]), A.T @ y)",
)

misconception(
    "the_errors_are_not_squared", "design",
    hint="Double every error. Should the sum double, or become four times as large?",
    old="return float(errors @ errors)",
    new="return float(np.abs(errors).sum())",
)

misconception(
    "takes_the_root_of_the_sum", "design",
    hint="Is the length of the error asked for, or the square of that length?",
    old="return float(errors @ errors)",
    new="return float(np.linalg.norm(errors))",
)

misconception(
    "a_cut_off_that_is_too_high", "design",
    hint="How small may a singular value be, beside the largest, and still count? (An eigenvalue of A'A is the square of one.)",
    old="kept = s > 1e-10 * s.max()",
    new="kept = s > 1e-6 * s.max()",
)

misconception(
    "a_matrix_of_zeros_divides", "design",
    hint="Let A be all zeros. By which of its singular values do you divide?",
    old="kept = s > 1e-10 * s.max()",
    new="kept = s >= 1e-10 * s.max()",
)

# -- ridge -------------------------------------------------------------------------------------------------------------

misconception(
    "a_mean_in_the_objective", "ridge",
    hint="Read the second convention again: what stands in front of the first square?",
    old="J = r @ r + lam * (w @ w)",
    new="J = r @ r / len(y) + lam * (w @ w)",
)

misconception(
    "half_the_objective", "ridge",
    hint="Read the second convention again: is there a ½ in this notebook's J?",
    old="J = r @ r + lam * (w @ w)",
    new="J = (r @ r + lam * (w @ w)) / 2",
)

misconception(
    "the_length_is_not_squared", "ridge",
    hint="Double w: does the penalty double, or become four times as large?",
    old="J = r @ r + lam * (w @ w)",
    new="J = r @ r + lam * np.linalg.norm(w)",
)

misconception(
    "forgets_the_two_of_the_penalty", "ridge",
    hint="There are two squares in J. How many factors 2 are in your gradient?",
    old="2 * X.T @ r + 2 * lam * w,",
    new="2 * X.T @ r + lam * w,",
)

misconception(
    "forgets_both_twos", "ridge",
    hint="J has no ½ in it. What is the derivative of z²?",
    old="return float(J), 2 * X.T @ r + 2 * lam * w, float(2 * r.sum())",
    new="return float(J), X.T @ r + lam * w, float(r.sum())",
)

misconception(
    "residual_the_wrong_way_round", "ridge",
    hint="Raise b a little where the predictions are already too high: should J rise or fall?",
    old="return float(J), 2 * X.T @ r + 2 * lam * w, float(2 * r.sum())",
    new="return float(J), -2 * X.T @ r + 2 * lam * w, float(-2 * r.sum())",
)

misconception(
    "the_slope_of_b_decays_too", "ridge",
    hint="Is b in the penalty? Then what does the penalty add to its derivative?",
    old="float(2 * r.sum())",
    new="float(2 * r.sum() + 2 * lam * b)",
)


@misconception(
    "penalises_the_constant", "ridge",
    hint="Add 100 to every target. Should that bend the weights?",
)
def ridge_fit(X, y, lam):
    A = np.column_stack([np.ones(len(X)), X])
    v = np.linalg.solve(A.T @ A + lam * np.eye(A.shape[1]), A.T @ y)
    return v[1:], float(v[0])


misconception(
    "lambda_grows_with_the_data", "ridge",
    hint="Is your J a sum or a mean? λ must be meant for the same one.",
    old="w = np.linalg.solve(Xc.T @ Xc + lam * np.eye(X.shape[1]), Xc.T @ yc)",
    new="w = np.linalg.solve(Xc.T @ Xc + len(X) * lam * np.eye(X.shape[1]), Xc.T @ yc)",
)

misconception(
    "squares_lambda", "ridge",
    hint="Differentiate λ‖w‖² by w. Is λ squared in it?",
    old="w = np.linalg.solve(Xc.T @ Xc + lam * np.eye(X.shape[1]), Xc.T @ yc)",
    new="w = np.linalg.solve(Xc.T @ Xc + lam**2 * np.eye(X.shape[1]), Xc.T @ yc)",
)

misconception(
    "half_the_lambda", "ridge",
    hint="Both terms of the gradient carry a 2. Did you cancel it in one of them only?",
    old="w = np.linalg.solve(Xc.T @ Xc + lam * np.eye(X.shape[1]), Xc.T @ yc)",
    new="w = np.linalg.solve(Xc.T @ Xc + lam / 2 * np.eye(X.shape[1]), Xc.T @ yc)",
)

misconception(
    "forgets_the_penalty", "ridge",
    hint="Does your w change at all when λ does?",
    old="w = np.linalg.solve(Xc.T @ Xc + lam * np.eye(X.shape[1]), Xc.T @ yc)",
    new="w = np.linalg.solve(Xc.T @ Xc + 1e-9 * np.eye(X.shape[1]), Xc.T @ yc)",
)

misconception(
    "adds_lambda_to_every_entry", "ridge",
    hint="Print lam * np.eye(3) and compare it with what you add.",
    old="w = np.linalg.solve(Xc.T @ Xc + lam * np.eye(X.shape[1]), Xc.T @ yc)",
    new="w = np.linalg.solve(Xc.T @ Xc + lam, Xc.T @ yc)",
)

misconception(
    "shrinks_the_least_squares_answer", "ridge",
    hint="In the second example by hand, do both weights shrink by one factor? Where does λ stand in your system?",
    old="w = np.linalg.solve(Xc.T @ Xc + lam * np.eye(X.shape[1]), Xc.T @ yc)",
    new="w = np.linalg.solve(Xc.T @ Xc + 1e-9 * np.eye(X.shape[1]), Xc.T @ yc) / (1 + lam)",
)

misconception(
    "does_not_move_back", "ridge",
    hint="Predict at the mean point: do you get the mean target?",
    old="return w, float(y_mean - x_mean @ w)",
    new="return w, float(y_mean)",
)

misconception(
    "leaves_the_inputs_where_they_are", "ridge",
    hint="Is the matrix of your system made of X, or of the centred X?",
    old="Xc, yc = X - x_mean, y - y_mean",
    new="Xc, yc = X, y - y_mean",
)

misconception(
    "takes_no_mean_out", "ridge",
    hint="You put the means back into b at the end. Where did you take them out?",
    old="Xc, yc = X - x_mean, y - y_mean",
    new="Xc, yc = X, y",
)

misconception(
    "centres_one_side_of_the_system", "ridge",
    hint="The left side of your system is centred. Is the right side?",
    old="w = np.linalg.solve(Xc.T @ Xc + lam * np.eye(X.shape[1]), Xc.T @ yc)",
    new="w = np.linalg.solve(Xc.T @ Xc + lam * np.eye(X.shape[1]), X.T @ y)",
)

misconception(
    "one_mean_for_all_columns", "ridge",
    hint="A mean over what: over a column of X, or over all of X?",
    old="x_mean, y_mean = X.mean(axis=0), y.mean()\n    Xc, yc",
    new="x_mean, y_mean = np.full(X.shape[1], X.mean()), y.mean()\n    Xc, yc",
)

misconception(
    "centres_the_callers_inputs", "ridge",
    hint="After the call, look at the X that you passed in. Whose array did you centre?",
    old="Xc, yc = X - x_mean, y - y_mean\n",
    new="X -= x_mean\n    Xc, yc = X, y - y_mean\n",
)

misconception(
    "b_is_in_the_penalty_of_the_objective", "ridge",
    hint="The constant is free: what does the penalty charge for b = 100?",
    old="J = r @ r + lam * (w @ w)\n    return float(J), 2 * X.T @ r + 2 * lam * w, float(2 * r.sum())",
    new="J = r @ r + lam * (w @ w + b**2)\n    return float(J), 2 * X.T @ r + 2 * lam * w, float(2 * r.sum() + 2 * lam * b)",
)

misconception(
    "the_objective_forgets_the_penalty", "ridge",
    hint="Compare J for λ = 0 and for λ = 100. Does it cost anything to have large weights?",
    old="J = r @ r + lam * (w @ w)",
    new="J = r @ r",
)

misconception(
    "the_gradient_forgets_the_penalty", "ridge",
    hint="Where all residuals are 0, does J still fall when w shrinks? What does your gradient say?",
    old="2 * X.T @ r + 2 * lam * w,",
    new="2 * X.T @ r,",
)

misconception(
    "the_slope_of_b_is_a_mean", "ridge",
    hint="Raise b by a little: how many residuals grow, and are their effects on J added or averaged?",
    old="float(2 * r.sum())",
    new="float(2 * r.mean())",
)

misconception(
    "forgets_the_two_of_b", "ridge",
    hint="Differentiate Σr² by b. Is a factor left?",
    old="float(2 * r.sum())",
    new="float(r.sum())",
)

misconception(
    "the_gradient_is_a_mean", "ridge",
    hint="J is a sum. By what do you divide its gradient, and why?",
    old="return float(J), 2 * X.T @ r + 2 * lam * w, float(2 * r.sum())",
    new="return float(J), 2 * X.T @ r / len(y) + 2 * lam * w, float(2 * r.mean())",
)

misconception(
    "the_first_weight_is_free", "ridge",
    hint="You freed the first entry of the diagonal. Is there a column of ones that it belongs to?",
    old="w = np.linalg.solve(Xc.T @ Xc + lam * np.eye(X.shape[1]), Xc.T @ yc)",
    new="w = np.linalg.solve(Xc.T @ Xc + lam * np.diag(np.arange(X.shape[1]) > 0) + 1e-12 * np.eye(X.shape[1]), Xc.T @ yc)",
)

misconception(
    "twice_the_lambda", "ridge",
    hint="The derivative of λ‖w‖² has a 2. Has that of the other square none?",
    old="w = np.linalg.solve(Xc.T @ Xc + lam * np.eye(X.shape[1]), Xc.T @ yc)",
    new="w = np.linalg.solve(Xc.T @ Xc + 2 * lam * np.eye(X.shape[1]), Xc.T @ yc)",
)

misconception(
    "a_covariance_in_the_system", "ridge",
    hint="X'X is a sum over the examples. Did you divide it by their number, and λ not?",
    old="w = np.linalg.solve(Xc.T @ Xc + lam * np.eye(X.shape[1]), Xc.T @ yc)",
    new="w = np.linalg.solve(Xc.T @ Xc / len(X) + lam * np.eye(X.shape[1]), Xc.T @ yc)",
)

misconception(
    "moves_back_the_wrong_way", "ridge",
    hint="b = ȳ − x̄·w, or ȳ + x̄·w? Predict at the mean point and see.",
    old="return w, float(y_mean - x_mean @ w)",
    new="return w, float(y_mean + x_mean @ w)",
)

misconception(
    "forgets_the_mean_target", "ridge",
    hint="With an enormous λ, w is 0. What should then be predicted for everybody, and what is your b?",
    old="return w, float(y_mean - x_mean @ w)",
    new="return w, float(-x_mean @ w)",
)

misconception(
    "centres_the_callers_targets", "ridge",
    hint="After the call, look at the y that you passed in. Whose array did you centre?",
    old="Xc, yc = X - x_mean, y - y_mean\n",
    new="Xc, yc = X - x_mean, np.asarray(y, dtype=float)\n    yc -= y_mean\n",
)

# -- path --------------------------------------------------------------------------------------------------------------

misconception(
    "the_path_is_not_centred", "path",
    hint="Of which matrix is the decomposition: of X, or of the centred X?",
    old="U, s, Vt = np.linalg.svd(X - x_mean, full_matrices=False)\n    along",
    new="U, s, Vt = np.linalg.svd(X, full_matrices=False)\n    along",
)

misconception(
    "adds_lambda_to_the_singular_value", "path",
    hint="The data enter the system as X'X. Is that s or s²?",
    old="along = s * (U.T @ (y - y_mean)) / (s**2 + np.asarray(lams)[:, None])",
    new="along = (U.T @ (y - y_mean)) / (s + np.asarray(lams)[:, None])",
)

misconception(
    "shrinks_twice", "path",
    hint="Along one direction, least squares finds (u·y)/s. By which one factor does ridge multiply it?",
    old="along = s * (U.T @ (y - y_mean)) / (s**2 + np.asarray(lams)[:, None])",
    new="along = s**3 * (U.T @ (y - y_mean)) / (s**2 + np.asarray(lams)[:, None]) ** 2",
)

misconception(
    "predictions_for_weights", "path",
    hint="s²/(s² + λ) multiplies what is found among the predictions. What is it for the weights?",
    old="along = s * (U.T @ (y - y_mean)) / (s**2 + np.asarray(lams)[:, None])",
    new="along = s**2 * (U.T @ (y - y_mean)) / (s**2 + np.asarray(lams)[:, None])",
)

misconception(
    "the_path_sorts_lambda", "path",
    hint="Which row belongs to lams[0]?",
    old="along = s * (U.T @ (y - y_mean)) / (s**2 + np.asarray(lams)[:, None])",
    new="along = s * (U.T @ (y - y_mean)) / (s**2 + np.sort(lams)[:, None])",
)

misconception(
    "the_path_scales_lambda_by_n", "path",
    hint="J is a sum over the examples, not a mean: which λ stands beside s²?",
    old="along = s * (U.T @ (y - y_mean)) / (s**2 + np.asarray(lams)[:, None])",
    new="along = s * (U.T @ (y - y_mean)) / (s**2 + len(y) * np.asarray(lams)[:, None])",
)

misconception(
    "the_path_forgets_the_mean_point", "path",
    hint="Every fit passes through the mean point. Does yours?",
    old="return W, y_mean - W @ x_mean",
    new="return W, np.full(len(W), y_mean)",
)

misconception(
    "freedom_without_b", "path",
    hint="An enormous λ leaves the mean of the targets. Is that no freedom at all?",
    old="return float(1 + np.sum(s**2 / (s**2 + lam)))",
    new="return float(np.sum(s**2 / (s**2 + lam)))",
)

misconception(
    "freedom_of_the_singular_values", "path",
    hint="Which number does a direction have in X'X: its s, or its s²?",
    old="return float(1 + np.sum(s**2 / (s**2 + lam)))",
    new="return float(1 + np.sum(s / (s + lam)))",
)

misconception(
    "freedom_is_the_number_of_weights", "path",
    hint="What is left of your degrees of freedom as λ grows?",
    old="return float(1 + np.sum(s**2 / (s**2 + lam)))",
    new="return float(1 + X.shape[1])",
)

misconception(
    "freedom_of_data_that_are_not_centred", "path",
    hint="Add 1000 to a column of X. Should the degrees of freedom change?",
    old="s = np.linalg.svd(X - X.mean(axis=0), compute_uv=False)",
    new="s = np.linalg.svd(X, compute_uv=False)",
)

misconception(
    "freedom_squares_the_shares", "path",
    hint="The trace of H, or of H²? Only one of them counts how predictions follow targets.",
    old="return float(1 + np.sum(s**2 / (s**2 + lam)))",
    new="return float(1 + np.sum((s**2 / (s**2 + lam)) ** 2))",
)

misconception(
    "divides_by_a_spread_of_zero", "path",
    hint="A column is constant, so one s is 0. What is your factor for that direction?",
    old="along = s * (U.T @ (y - y_mean)) / (s**2 + np.asarray(lams)[:, None])",
    new="along = s**2 / (s**2 + np.asarray(lams)[:, None]) / s * (U.T @ (y - y_mean))",
)

misconception(
    "the_constants_have_the_type_of_lambda", "path",
    hint="Give it whole numbers for λ. Are your constants whole numbers too, and must they be?",
    old="return W, y_mean - W @ x_mean",
    new="B = np.zeros_like(lams)\n    B[:] = y_mean - W @ x_mean\n    return W, B",
)

misconception(
    "the_path_forgets_the_spread", "path",
    hint="For λ = 0 your weights should be those of least squares, (u·y)/s. Are they?",
    old="along = s * (U.T @ (y - y_mean)) / (s**2 + np.asarray(lams)[:, None])",
    new="along = (U.T @ (y - y_mean)) / (s**2 + np.asarray(lams)[:, None])",
)

misconception(
    "the_path_squares_lambda", "path",
    hint="Look at the system that ridge solves: is it λ or λ² that stands beside s²?",
    old="along = s * (U.T @ (y - y_mean)) / (s**2 + np.asarray(lams)[:, None])",
    new="along = s * (U.T @ (y - y_mean)) / (s**2 + np.asarray(lams)[:, None] ** 2)",
)

misconception(
    "the_path_turns_the_other_way", "path",
    hint="np.linalg.svd returns a matrix whose rows, or whose columns, are the v_j. Which?",
    old="W = along @ Vt\n",
    new="W = along @ Vt.T\n",
)

misconception(
    "the_path_moves_back_the_wrong_way", "path",
    hint="Every fit passes through the mean point. With which sign does x̄·w go into b?",
    old="return W, y_mean - W @ x_mean",
    new="return W, y_mean + W @ x_mean",
)

misconception(
    "freedom_is_what_is_lost", "path",
    hint="As λ goes to 0 nothing is shrunk. Should the freedom then be large, or 1?",
    old="return float(1 + np.sum(s**2 / (s**2 + lam)))",
    new="return float(1 + np.sum(lam / (s**2 + lam)))",
)

misconception(
    "freedom_scales_lambda_by_n", "path",
    hint="J is a sum over the examples, not a mean: which λ stands beside s² here?",
    old="return float(1 + np.sum(s**2 / (s**2 + lam)))",
    new="return float(1 + np.sum(s**2 / (s**2 + len(X) * lam)))",
)

misconception(
    "turns_the_path_round_by_its_shape", "path",
    hint="Try it with as many λ as features. How do you know then which axis of W is which?",
    old="W = along @ Vt\n",
    new="W = (along @ Vt).T\n    W = W if len(W) == len(lams) else W.T\n",
)

misconception(
    "keeps_the_spectrum_by_address", "path",
    hint="Call it, change the numbers in the array, and call it again. Which spectrum does the second call use?",
    old="s = np.linalg.svd(X - X.mean(axis=0), compute_uv=False)",
    new="kept = effective_dof.__dict__.setdefault(\"kept\", {})\n"
    "    if id(X) not in kept:\n        kept[id(X)] = X, np.linalg.svd(X - X.mean(axis=0), compute_uv=False)\n"
    "    s = kept[id(X)][1]",
)

# -- sgd ---------------------------------------------------------------------------------------------------------------

misconception(
    "the_old_weights_do_not_decay", "sgd",
    hint="Where all errors are 0, does your w shrink?",
    old="return (1 - rate * decay) * w - rate * X.T @ e / len(y), float(b - rate * e.mean())",
    new="return w - rate * X.T @ e / len(y), float(b - rate * e.mean())",
)

misconception(
    "decay_without_the_rate", "sgd",
    hint="The penalty is part of the gradient. By what is a gradient multiplied in a step?",
    old="return (1 - rate * decay) * w - rate * X.T @ e / len(y), float(b - rate * e.mean())",
    new="return (1 - decay) * w - rate * X.T @ e / len(y), float(b - rate * e.mean())",
)

misconception(
    "decay_is_shared_by_the_batch", "sgd",
    hint="The mean is over the errors. Does a larger batch make the penalty smaller?",
    old="return (1 - rate * decay) * w - rate * X.T @ e / len(y), float(b - rate * e.mean())",
    new="return (1 - rate * decay / len(y)) * w - rate * X.T @ e / len(y), float(b - rate * e.mean())",
)

misconception(
    "the_decay_has_a_two", "sgd",
    hint="Differentiate (δ/2)‖w‖². Is a 2 left?",
    old="return (1 - rate * decay) * w - rate * X.T @ e / len(y), float(b - rate * e.mean())",
    new="return (1 - 2 * rate * decay) * w - rate * X.T @ e / len(y), float(b - rate * e.mean())",
)

misconception(
    "the_constant_decays_too", "sgd",
    hint="Where all errors are 0, should b move?",
    old="float(b - rate * e.mean())",
    new="float((1 - rate * decay) * b - rate * e.mean())",
)

misconception(
    "the_constant_starts_from_w", "sgd",
    hint="What stands on the right side of the step for b: w, or b?",
    old="float(b - rate * e.mean())",
    new="float(w[0] - rate * e.mean())",
)

misconception(
    "the_step_sums_over_the_batch", "sgd",
    hint="Write the batch down twice. Should the step be twice as long?",
    old="return (1 - rate * decay) * w - rate * X.T @ e / len(y), float(b - rate * e.mean())",
    new="return (1 - rate * decay) * w - rate * X.T @ e, float(b - rate * e.sum())",
)

misconception(
    "climbs", "sgd",
    hint="Against the gradient, or along it? Work out the error after your step.",
    old="return (1 - rate * decay) * w - rate * X.T @ e / len(y), float(b - rate * e.mean())",
    new="return (1 - rate * decay) * w + rate * X.T @ e / len(y), float(b + rate * e.mean())",
)


@misconception(
    "the_constant_sees_the_new_weights", "sgd",
    hint="Both right sides use the old w and b. Which w made the error for b?",
)
def sgd_step(X, y, w, b, rate, decay):
    w = (1 - rate * decay) * w - rate * X.T @ (X @ w + b - y) / len(y)
    return w, float(b - rate * np.mean(X @ w + b - y))


@misconception(
    "changes_the_weights_in_place", "sgd",
    hint="After the call, look at the w that you passed in.",
)
def sgd_step(X, y, w, b, rate, decay):
    e = X @ w + b - y
    w *= 1 - rate * decay
    w -= rate * X.T @ e / len(y)
    return w, float(b - rate * e.mean())


misconception(
    "every_step_uses_all_the_data", "sgd",
    hint="Which examples does the third step look at?",
    old="w, b = sgd_step(X[batch], y[batch], w, b, rate, decay)",
    new="w, b = sgd_step(X, y, w, b, rate, decay)",
)

misconception(
    "starts_at_one", "sgd",
    hint="Where does the docstring say that the descent begins?",
    old="w, b = np.zeros(X.shape[1]), 0.0\n    for batch in batches:",
    new="w, b = np.ones(X.shape[1]), 0.0\n    for batch in batches:",
)

misconception(
    "the_weights_have_the_type_of_x", "sgd",
    hint="Print w after each step when X holds whole numbers. Where do its fractions go?",
    old="w, b = np.zeros(X.shape[1]), 0.0\n    for batch in batches:\n        w, b = sgd_step(",
    new="w, b = np.zeros_like(X[0]), 0.0\n    for batch in batches:\n        w[:], b = sgd_step(",
)

misconception(
    "a_batch_is_a_set", "sgd",
    hint="An index stands in a batch twice. How often does its example count?",
    old="w, b = sgd_step(X[batch], y[batch], w, b, rate, decay)",
    new="w, b = sgd_step(X[np.unique(batch)], y[np.unique(batch)], w, b, rate, decay)",
)

# -- choose ------------------------------------------------------------------------------------------------------------

misconception(
    "deals_in_order", "choose",
    hint="Who shuffles the examples before they are dealt?",
    old="return rng.permutation(np.arange(n) % k)",
    new="return np.arange(n) % k",
)

misconception(
    "every_example_draws_its_fold", "choose",
    hint="How large is your smallest fold, and how large is your largest?",
    old="return rng.permutation(np.arange(n) % k)",
    new="return rng.integers(k, size=n)",
)

misconception(
    "deals_with_a_generator_of_its_own", "choose",
    hint="Deal twice with generators of one seed. Are your folds the same? Whose chance do you use?",
    old="return rng.permutation(np.arange(n) % k)",
    new="return np.random.default_rng().permutation(np.arange(n) % k)",
)

misconception(
    "deals_the_same_every_time", "choose",
    hint="Deal with two generators of different seeds. Should the folds differ? Whose chance do you use?",
    old="return rng.permutation(np.arange(n) % k)",
    new="return np.random.default_rng(0).permutation(np.arange(n) % k)",
)

misconception(
    "trains_on_the_held_out_fold_too", "choose",
    hint="Which examples may the fit for a fold have seen?",
    old="w, b = ridge_fit(X[~held], y[~held], lam)",
    new="w, b = ridge_fit(X, y, lam)",
)

misconception(
    "trains_on_the_fold_and_predicts_the_rest", "choose",
    hint="With ten folds, does each fit use nine tenths of the data, or one tenth?",
    old="held = folds == fold",
    new="held = folds != fold",
)

misconception(
    "averages_the_folds", "choose",
    hint="A fold of two and a fold of ten: does every example count alike?",
    old="return squares.mean(axis=1)",
    new="return np.mean([squares[:, folds == f].mean(axis=1) for f in np.unique(folds)], axis=0)",
)

misconception(
    "centres_each_fold_on_itself", "choose",
    hint="What did you know about the fold when you fitted? Its mean is not among it.",
    old="squares[row, held] = (y[held] - X[held] @ w - b) ** 2",
    new="squares[row, held] = (y[held] - y[held].mean() - (X[held] - X[held].mean(axis=0)) @ w) ** 2",
)

misconception(
    "centres_once_for_all_folds", "choose",
    hint="The means are learnt from data too. From which examples did you learn them?",
    old="squares[row, held] = (y[held] - X[held] @ w - b) ** 2",
    new="squares[row, held] = (y[held] - y.mean() - (X[held] - X.mean(axis=0)) @ w) ** 2",
)

misconception(
    "forgets_to_square_the_fold_errors", "choose",
    hint="The mean of what: of the errors' sizes, or of their squares?",
    old="squares[row, held] = (y[held] - X[held] @ w - b) ** 2",
    new="squares[row, held] = np.abs(y[held] - X[held] @ w - b)",
)

misconception(
    "an_example_does_not_help_itself", "choose",
    hint="These are the training residuals. An example has helped to predict itself: by how much?",
    old="return (y - X @ w - b) / (1 - leverage)",
    new="return y - X @ w - b",
)

misconception(
    "leverage_without_the_constant", "choose",
    hint="Example i also helped to find the mean. What is its share of that?",
    old="leverage = 1 / len(X) + np.sum(",
    new="leverage = np.sum(",
)

misconception(
    "leverage_of_data_that_are_not_centred", "choose",
    hint="The 1/n already stands for the constant. Which vectors stand in the other part of the leverage?",
    old="centred = X - X.mean(axis=0)\n    system",
    new="centred = X\n    system",
)

misconception(
    "leverage_without_lambda", "choose",
    hint="With an enormous λ, how much does an example help itself? Try your leverage there.",
    old="system = centred.T @ centred + lam * np.eye(X.shape[1])",
    new="system = centred.T @ centred + 1e-9 * np.eye(X.shape[1])",
)

misconception(
    "multiplies_by_one_minus_the_leverage", "choose",
    hint="Left out, should an example be missed by more or by less than before?",
    old="return (y - X @ w - b) / (1 - leverage)",
    new="return (y - X @ w - b) * (1 - leverage)",
)

misconception(
    "residual_from_the_side_of_the_prediction", "choose",
    hint="Target minus prediction, or prediction minus target? The docstring says.",
    old="return (y - X @ w - b) / (1 - leverage)",
    new="return (X @ w + b - y) / (1 - leverage)",
)

misconception(
    "chooses_by_the_training_error", "choose",
    hint="Which λ would the training error always choose?",
    old="errors = [np.mean(loo_residuals(X, y, lam) ** 2) for lam in lams]",
    new="fits = [(lam, *ridge_fit(X, y, lam)) for lam in lams]\n"
    "    errors = [np.mean((y - X @ w - b) ** 2) for _, w, b in fits]",
)

misconception(
    "sorts_the_callers_lambdas", "choose",
    hint="After the call, look at the lams that you passed in. In which order are they, and need they be?",
    old="errors = [np.mean(loo_residuals(X, y, lam) ** 2) for lam in lams]",
    new="lams.sort()\n    errors = [np.mean(loo_residuals(X, y, lam) ** 2) for lam in lams]",
)

misconception(
    "gives_the_place_of_lambda", "choose",
    hint="Is the number you return one of lams?",
    old="return float(lams[int(np.argmin(errors))])",
    new="return int(np.argmin(errors))",
)

misconception(
    "chooses_the_worst", "choose",
    hint="Do you want the smallest error or the largest?",
    old="return float(lams[int(np.argmin(errors))])",
    new="return float(lams[int(np.argmax(errors))])",
)

misconception(
    "errors_cancel_in_the_choice", "choose",
    hint="Residuals of +5 and −5: do they make a good λ?",
    old="errors = [np.mean(loo_residuals(X, y, lam) ** 2) for lam in lams]",
    new="errors = [abs(np.mean(loo_residuals(X, y, lam))) for lam in lams]",
)

misconception(
    "the_rest_goes_to_the_last_fold", "choose",
    hint="Eleven examples, four folds: how large is your last fold? How could three left over be shared?",
    old="return rng.permutation(np.arange(n) % k)",
    new="return rng.permutation(np.minimum(np.arange(n) // (n // k), k - 1))",
)

misconception(
    "every_fold_is_filled_up_first", "choose",
    hint="61 examples, five folds: you fill folds of 13. How many are left for the last one?",
    old="return rng.permutation(np.arange(n) % k)",
    new="return rng.permutation(np.arange(n) // -(-n // k))",
)

misconception(
    "the_rest_is_in_no_fold", "choose",
    hint="Eleven examples, four folds: how many examples have got a fold from you?",
    old="return rng.permutation(np.arange(n) % k)",
    new="return rng.permutation(np.repeat(np.arange(k), n // k))",
)

misconception(
    "folds_are_counted_from_one", "choose",
    hint="Which numbers do the folds have in the docstring: 0 … k−1, or 1 … k?",
    old="return rng.permutation(np.arange(n) % k)",
    new="return rng.permutation(np.arange(n) % k) + 1",
)

misconception(
    "sums_the_fold_errors", "choose",
    hint="Twice as many examples: should the error be twice as large?",
    old="return squares.mean(axis=1)",
    new="return squares.sum(axis=1)",
)

misconception(
    "takes_the_root_of_the_fold_errors", "choose",
    hint="Is the mean squared error asked for, or its root?",
    old="return squares.mean(axis=1)",
    new="return np.sqrt(squares.mean(axis=1))",
)

misconception(
    "divides_the_errors_by_the_folds", "choose",
    hint="The mean is over all n examples. By how many do you divide?",
    old="return squares.mean(axis=1)",
    new="return squares.sum(axis=1) / len(np.unique(folds))",
)

misconception(
    "everybody_has_the_mean_leverage", "choose",
    hint="Does an example at the edge of the data help itself as much as one in the middle?",
    old="return (y - X @ w - b) / (1 - leverage)",
    new="return (y - X @ w - b) / (1 - leverage.mean())",
)

misconception(
    "divides_by_one_plus_the_leverage", "choose",
    hint="Left out, an example is missed by more than before. Do your residuals grow?",
    old="return (y - X @ w - b) / (1 - leverage)",
    new="return (y - X @ w - b) / (1 + leverage)",
)

misconception(
    "squares_what_is_left_of_the_leverage", "choose",
    hint="In the example by hand, a residual of −1 with the leverage ⅔ becomes −3. Does yours?",
    old="return (y - X @ w - b) / (1 - leverage)",
    new="return (y - X @ w - b) / (1 - leverage) ** 2",
)

misconception(
    "counts_the_folds_instead_of_reading_them", "choose",
    hint="Folds 0, 0, 2, 2: how many rounds does your loop make, and which examples are never held out?",
    old="for fold in np.unique(folds):",
    new="for fold in range(len(np.unique(folds))):",
)

misconception(
    "the_fold_errors_have_the_type_of_lambda", "choose",
    hint="Give it whole numbers for λ. What is left of an error of 0.7 in your array?",
    old="squares = np.zeros((len(lams), len(y)))",
    new="squares = np.zeros((len(lams), len(y)), dtype=np.asarray(lams).dtype)",
)

# -- experiment --------------------------------------------------------------------------------------------------------

misconception(
    "sigma_is_taken_for_the_variance", "experiment",
    hint="If σ doubles, by how much should the noise grow?",
    old="return X @ w + b + sigma * rng.normal(size=len(X))",
    new="return X @ w + b + sigma**2 * rng.normal(size=len(X))",
)

misconception(
    "simulates_without_the_constant", "experiment",
    hint="With σ = 0, what should come out for x = 0?",
    old="return X @ w + b + sigma * rng.normal(size=len(X))",
    new="return X @ w + sigma * rng.normal(size=len(X))",
)

misconception(
    "one_noise_for_all", "experiment",
    hint="Look at y − (Xw + b) of two examples. Are they the same number?",
    old="return X @ w + b + sigma * rng.normal(size=len(X))",
    new="return X @ w + b + sigma * rng.normal()",
)

misconception(
    "uniform_noise", "experiment",
    hint="Draw a histogram of your noise. Is it a bell?",
    old="return X @ w + b + sigma * rng.normal(size=len(X))",
    new="return X @ w + b + sigma * np.sqrt(3) * rng.uniform(-1, 1, size=len(X))",
)

misconception(
    "the_same_noise_every_time", "experiment",
    hint="Call simulate twice with one generator. What should be new?",
    old="return X @ w + b + sigma * rng.normal(size=len(X))",
    new="return X @ w + b + sigma * np.random.default_rng(0).normal(size=len(X))",
)

misconception(
    "one_data_set_for_all_repeats", "experiment",
    hint="How many data sets do you draw for four repeats, and what does an average over equal numbers tell?",
    old="for _ in range(repeats):\n        W, B = ridge_path(X, simulate(X, w, b, sigma, rng), lams)",
    new="drawn = simulate(X, w, b, sigma, rng)\n    for _ in range(repeats):\n        W, B = ridge_path(X, drawn, lams)",
)

misconception(
    "measures_against_the_noisy_targets", "experiment",
    hint="You know the truth here. Is it y, or what y would be without noise?",
    old="W, B = ridge_path(X, simulate(X, w, b, sigma, rng), lams)\n"
    "        total += np.mean((W @ X.T + B[:, None] - noiseless) ** 2, axis=1)",
    new="drawn = simulate(X, w, b, sigma, rng)\n        W, B = ridge_path(X, drawn, lams)\n"
    "        total += np.mean((W @ X.T + B[:, None] - drawn) ** 2, axis=1)",
)

misconception(
    "measures_the_weights", "experiment",
    hint="The excess risk is about predictions. What does it compare?",
    old="total += np.mean((W @ X.T + B[:, None] - noiseless) ** 2, axis=1)",
    new="total += np.sum((W - w) ** 2, axis=1)",
)

misconception(
    "measures_without_the_constant", "experiment",
    hint="Does your prediction contain b, and does your truth?",
    old="total += np.mean((W @ X.T + B[:, None] - noiseless) ** 2, axis=1)",
    new="total += np.mean((W @ X.T - noiseless) ** 2, axis=1)",
)

misconception(
    "sums_the_risk", "experiment",
    hint="Twice as many data sets: should the risk be twice as large?",
    old="return total / repeats",
    new="return total",
)

misconception(
    "keeps_what_it_loses", "experiment",
    hint="With an enormous λ everything is lost. Is your bias then large or 0?",
    old="bias2 = np.sum(((1 - kappa) * s * (Vt @ w)) ** 2, axis=1) / len(X)",
    new="bias2 = np.sum((kappa * s * (Vt @ w)) ** 2, axis=1) / len(X)",
)

misconception(
    "bias_of_the_weights", "experiment",
    hint="What is lost along a direction counts more where the data spread far. By which factor?",
    old="bias2 = np.sum(((1 - kappa) * s * (Vt @ w)) ** 2, axis=1) / len(X)",
    new="bias2 = np.sum(((1 - kappa) * (Vt @ w)) ** 2, axis=1) / len(X)",
)

misconception(
    "does_not_turn_the_truth", "experiment",
    hint="κ belongs to directions. Is w[0] the part of the truth along the first direction?",
    old="bias2 = np.sum(((1 - kappa) * s * (Vt @ w)) ** 2, axis=1) / len(X)",
    new="bias2 = np.sum(((1 - kappa) * s * w[: len(s)]) ** 2, axis=1) / len(X)",
)

misconception(
    "turns_the_truth_the_other_way", "experiment",
    hint="np.linalg.svd returns a matrix whose rows, or whose columns, are the directions. Which?",
    old="bias2 = np.sum(((1 - kappa) * s * (Vt @ w)) ** 2, axis=1) / len(X)",
    new="bias2 = np.sum(((1 - kappa) * s * (Vt.T @ w)) ** 2, axis=1) / len(X)",
)

misconception(
    "variance_without_the_constant", "experiment",
    hint="b is estimated too. What is the variance of a mean of n noisy targets?",
    old="variance = sigma**2 * (1 + np.sum(kappa**2, axis=1)) / len(X)",
    new="variance = sigma**2 * np.sum(kappa**2, axis=1) / len(X)",
)

misconception(
    "variance_of_the_share", "experiment",
    hint="Noise multiplied by κ: what happens to its variance?",
    old="variance = sigma**2 * (1 + np.sum(kappa**2, axis=1)) / len(X)",
    new="variance = sigma**2 * (1 + np.sum(kappa, axis=1)) / len(X)",
)

misconception(
    "deviation_for_variance", "experiment",
    hint="Is σ the variance of the noise, or its root?",
    old="variance = sigma**2 * (1 + np.sum(kappa**2, axis=1)) / len(X)",
    new="variance = sigma * (1 + np.sum(kappa**2, axis=1)) / len(X)",
)

misconception(
    "averages_the_predictions_first", "experiment",
    hint="If one fit is too high and the next too low, were both good? Which comes first, the square or the average?",
    old="total += np.mean((W @ X.T + B[:, None] - noiseless) ** 2, axis=1)\n    return total / repeats",
    new="total = total[..., None] if total.ndim == 1 else total\n"
    "        total = total + W @ X.T + B[:, None]\n"
    "    return np.mean((total / repeats - noiseless) ** 2, axis=1)",
)

misconception(
    "sums_the_risk_over_the_examples", "experiment",
    hint="In ρ, what stands before the sum over the examples?",
    old="total += np.mean((W @ X.T + B[:, None] - noiseless) ** 2, axis=1)",
    new="total += np.sum((W @ X.T + B[:, None] - noiseless) ** 2, axis=1)",
)

misconception(
    "the_error_is_not_squared", "experiment",
    hint="Is ρ a mean of distances, or of their squares?",
    old="total += np.mean((W @ X.T + B[:, None] - noiseless) ** 2, axis=1)",
    new="total += np.mean(np.abs(W @ X.T + B[:, None] - noiseless), axis=1)",
)

misconception(
    "the_risk_of_data_that_are_not_centred", "experiment",
    hint="Add 1000 to a column of X. Should bias or variance change? Of which matrix is your decomposition?",
    old="_, s, Vt = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)\n    kappa",
    new="_, s, Vt = np.linalg.svd(X, full_matrices=False)\n    kappa",
)

misconception(
    "the_expected_risk_is_a_sum", "experiment",
    hint="ρ is a mean over the n examples. Where is the 1/n in your two parts?",
    old="bias2 = np.sum(((1 - kappa) * s * (Vt @ w)) ** 2, axis=1) / len(X)\n"
    "    variance = sigma**2 * (1 + np.sum(kappa**2, axis=1)) / len(X)",
    new="bias2 = np.sum(((1 - kappa) * s * (Vt @ w)) ** 2, axis=1)\n"
    "    variance = sigma**2 * (1 + np.sum(kappa**2, axis=1))",
)

misconception(
    "variance_first_then_bias", "experiment",
    hint="With σ = 0 one of your two parts is 0. Which one should it be: the first, or the second?",
    old="return bias2, variance",
    new="return variance, bias2",
)

misconception(
    "the_loss_is_not_squared", "experiment",
    hint="What is lost along a direction is (1 − κ) of it. It is a *squared* bias: is that factor squared too?",
    old="bias2 = np.sum(((1 - kappa) * s * (Vt @ w)) ** 2, axis=1) / len(X)",
    new="bias2 = np.sum((1 - kappa) * (s * (Vt @ w)) ** 2, axis=1) / len(X)",
)

misconception(
    "the_share_of_the_singular_values", "experiment",
    hint="κ = s²/(s² + λ). Are your s squared?",
    old="kappa = s**2 / (s**2 + np.asarray(lams)[:, None])",
    new="kappa = s / (s + np.asarray(lams)[:, None])",
)

misconception(
    "new_noise_for_every_lambda", "experiment",
    hint="Give it the same λ twice: should the two averages differ?",
    old="W, B = ridge_path(X, simulate(X, w, b, sigma, rng), lams)\n"
    "        total += np.mean((W @ X.T + B[:, None] - noiseless) ** 2, axis=1)",
    new="fits = [ridge_path(X, simulate(X, w, b, sigma, rng), lams[k : k + 1]) for k in range(len(lams))]\n"
    "        total += [np.mean((X @ W[0] + B[0] - noiseless) ** 2) for W, B in fits]",
)

misconception(
    "the_risks_have_the_type_of_lambda", "experiment",
    hint="Give it whole numbers for λ. Of which type is the array in which you add up?",
    old="noiseless, total = X @ w + b, np.zeros(len(lams))",
    new="noiseless, total = X @ w + b, np.zeros_like(lams)",
)

misconception(
    "adds_noise_to_whole_numbers", "experiment",
    hint="Let X, w and b be whole numbers. Of which type is Xw + b, and what can be added to it in place?",
    old="return X @ w + b + sigma * rng.normal(size=len(X))",
    new="y = X @ w + b\n    y += sigma * rng.normal(size=len(X))\n    return y",
)

# -- concepts ----------------------------------------------------------------------------------------------------------

misconception(
    "ridge_does_not_see_units", "concepts",
    hint="In kilometres the numbers are a thousand times smaller. What must the weight do, and what does the penalty say to that?",
    old='units="muted",', new='units="same",',
)

misconception(
    "smaller_numbers_are_easier", "concepts",
    hint="In kilometres the numbers are a thousand times smaller. Is the weight that is needed cheaper now, or dearer?",
    old='units="muted",', new='units="amplified",',
)

misconception(
    "lambda_does_not_follow_the_data", "concepts",
    hint="Write J for the doubled data. Which of its two terms has grown?",
    old="doubled=10,", new="doubled=5,",
)

misconception(
    "more_data_need_half_the_penalty", "concepts",
    hint="doubled: the sum of squares grows. To keep the balance, must the penalty grow or shrink?",
    old="doubled=10,", new="doubled=2.5,",
)

misconception(
    "the_data_are_doubled_in_the_square", "concepts",
    hint="Two copies of an example: is the sum of squares twice as large, or four times?",
    old="doubled=10,", new="doubled=20,",
)

misconception(
    "the_library_is_like_us", "concepts",
    hint="Multiply the library's objective until its first term is ours. What has become of the second?",
    old="library=0.12,", new="library=6,",
)

misconception(
    "divides_by_two_n", "concepts",
    hint="There is a ½ in front of both of the library's terms.",
    old="library=0.12,", new="library=0.06,",
)

misconception(
    "forgets_the_halves", "concepts",
    hint="Multiply the library's objective by 2n: what stands before ‖w‖² then?",
    old="library=0.12,", new="library=0.24,",
)

misconception(
    "multiplies_by_n", "concepts",
    hint="The library's first term is smaller than ours. Must its penalty be smaller too, or larger?",
    old="library=0.12,", new="library=300,",
)

misconception(
    "counts_no_b", "concepts",
    hint="You counted the directions. Is anything else fitted?",
    old="freedom=2.3,", new="freedom=1.3,",
)

misconception(
    "counts_all_the_weights", "concepts",
    hint="Two weights and a constant: but does λ leave all of their freedom?",
    old="freedom=2.3,", new="freedom=3,",
)

misconception(
    "no_error_falls_below_the_noise", "concepts",
    hint="floor: the test noise has a mean square of its own, on these 2000 examples. By how much does it usually differ from σ²?",
    old="floor=2,", new="floor=3,",
)

misconception(
    "compares_with_sigma_itself", "concepts",
    hint="floor: the errors are squared. What must they be compared with?",
    old="floor=2,", new="floor=5,",
)

misconception(
    "other_units_turn_a_weight_round", "concepts",
    hint="Can a penalty of squares make a weight change its sign, if the data with one feature want it positive?",
    old='units="muted",', new='units="reversed",',
)

misconception(
    "trusts_the_training_error", "concepts",
    hint="By which of the two rows would you know how the fit does on examples that it has not seen?",
    old='grid="widen",', new='grid="back",',
)

misconception(
    "a_validation_error_alone_shows_overfitting", "concepts",
    hint="overfit: the validation error says how good a fit is. What do you need beside it to say what it owes to its own examples?",
    old="overfit=0.15,", new="overfit=-0.01,",
)

misconception(
    "what_comes_later_is_new", "concepts",
    hint="patients: somebody's last two measurements are held out. Is that a new patient?",
    old="patients=3,", new="patients=4,",
)

misconception(
    "bounded_noise_is_squared", "concepts",
    hint="Between its bounds that density is constant. Which of the lines that stay within them would it prefer?",
    old='noise="gaussian",', new='noise="uniform",',
)

misconception(
    "heavy_tails_make_absolute_values", "concepts",
    hint="Take minus the logarithm of 1/(1 + w²). Is it |w|?",
    old='prior="laplace",', new='prior="cauchy",',
)

misconception(
    "accepts_the_end_of_the_grid", "concepts",
    hint="Where would the next number of the last row be, if there were a next column?",
    old='grid="widen",', new='grid="accept",',
)

misconception(
    "refines_where_it_still_falls", "concepts",
    hint="The error falls all the way to the end of the table. On which side of 100 is its lowest point?",
    old='grid="widen",', new='grid="refine",',
)

misconception(
    "a_low_training_error_is_overfitting", "concepts",
    hint="overfit: a perfect model of noiseless data has a training error of 0. Does it overfit?",
    old="overfit=0.15,", new="overfit=0.16,",
)

misconception(
    "the_overfitting_of_one_model", "concepts",
    hint="overfit: that is said of the polynomial of degree 9 alone. Does the one of degree 3 not overfit at all?",
    old="overfit=0.15,", new="overfit=0.22,",
)

misconception(
    "what_is_held_out_is_new", "concepts",
    hint="patients: a measurement is held out, and most of the same patient's others are not. Is it like one of a new patient?",
    old="patients=3,", new="patients=5,",
)

misconception(
    "only_folds_can_be_believed", "concepts",
    hint="patients: eight whole patients held out once, and forty folds of one patient: has the fit seen the patient that it predicts?",
    old="patients=3,", new="patients=2,",
)

misconception(
    "least_squares_is_always_likely", "concepts",
    hint="Which density has a square in its logarithm?",
    old='noise="gaussian",', new='noise="any",',
)

misconception(
    "laplace_noise_is_squared", "concepts",
    hint="Take minus the logarithm of that density. Is it a square?",
    old='noise="gaussian",', new='noise="laplace",',
)

misconception(
    "every_penalty_is_gaussian", "concepts",
    hint="Take minus the logarithm of the density you chose: is it |w|?",
    old='prior="laplace",', new='prior="gaussian",',
)

misconception(
    "no_prior_at_all", "concepts",
    hint="What is minus the logarithm of a constant, and does it prefer any w?",
    old='prior="laplace",', new='prior="uniform",',
)

misconception(
    "writes_a_number_in_quotes", "concepts",
    hint="A number is asked for, and a number needs no quotes.",
    old="doubled=10,", new='doubled="10",',
)

misconception(
    "freedom_from_the_roots", "concepts",
    hint="freedom: the question gives s², not s. Which of the two stands in the formula?",
    old="freedom=2.3,", new="freedom=2,",
)

misconception(
    "counts_what_is_lost", "concepts",
    hint="freedom: what λ takes away is λ/(s² + λ). And what is left?",
    old="freedom=2.3,", new="freedom=1.7,",
)

# -- dual (extra) ------------------------------------------------------------------------------------------------------

misconception(
    "the_kernel_forgets_the_square", "dual",
    hint="Is it the distance that stands in the exponent, or its square?",
    old="return np.exp(-np.maximum(squares, 0) / (2 * width**2))",
    new="return np.exp(-np.sqrt(np.maximum(squares, 0)) / (2 * width**2))",
)

misconception(
    "the_width_is_not_squared", "dual",
    hint="Measure everything in centimetres instead of metres, the width too. Should the likeness change?",
    old="return np.exp(-np.maximum(squares, 0) / (2 * width**2))",
    new="return np.exp(-np.maximum(squares, 0) / (2 * width))",
)

misconception(
    "the_kernel_forgets_the_two", "dual",
    hint="Look at the denominator of the exponent once more.",
    old="return np.exp(-np.maximum(squares, 0) / (2 * width**2))",
    new="return np.exp(-np.maximum(squares, 0) / width**2)",
)

misconception(
    "centres_the_columns_only", "dual",
    hint="Do the rows of your centred kernel sum to 0 as well as the columns?",
    old="return K - K.mean(axis=0) - K.mean(axis=1)[:, None] + K.mean()",
    new="return K - K.mean(axis=0)",
)

misconception(
    "takes_the_overall_mean_twice", "dual",
    hint="Rows and columns each took the overall mean away. How often has it gone?",
    old="return K - K.mean(axis=0) - K.mean(axis=1)[:, None] + K.mean()",
    new="return K - K.mean(axis=0) - K.mean(axis=1)[:, None]",
)

misconception(
    "the_kernel_stays_where_it_is", "dual",
    hint="b is free only if the features are centred. Where does your system centre K?",
    old="alpha = np.linalg.solve(centre_kernel(K) + lam * np.eye(len(K)), y - y.mean())",
    new="alpha = np.linalg.solve(K + lam * np.eye(len(K)), y - y.mean())",
)

misconception(
    "the_targets_stay_where_they_are", "dual",
    hint="Do your α sum to 0? Multiply the system by a row of ones and see what the right side says.",
    old="alpha = np.linalg.solve(centre_kernel(K) + lam * np.eye(len(K)), y - y.mean())",
    new="alpha = np.linalg.solve(centre_kernel(K) + lam * np.eye(len(K)), y)",
)

misconception(
    "the_dual_scales_lambda_by_n", "dual",
    hint="Compare with the primal on the same data: whose λ is larger, and by which factor?",
    old="alpha = np.linalg.solve(centre_kernel(K) + lam * np.eye(len(K)), y - y.mean())",
    new="alpha = np.linalg.solve(centre_kernel(K) + len(K) * lam * np.eye(len(K)), y - y.mean())",
)

misconception(
    "the_dual_adds_lambda_everywhere", "dual",
    hint="A number added to a matrix goes to every entry. Where should λ go?",
    old="alpha = np.linalg.solve(centre_kernel(K) + lam * np.eye(len(K)), y - y.mean())",
    new="alpha = np.linalg.solve(centre_kernel(K) + 1e-6 * np.eye(len(K)) + lam, y - y.mean())",
)

misconception(
    "the_constant_is_the_mean_target", "dual",
    hint="f uses the kernel as it is, not centred. Do the residuals of your f sum to 0?",
    old="return alpha, float(np.mean(y - K @ alpha))",
    new="return alpha, float(np.mean(y))",
)

misconception(
    "centres_the_callers_kernel", "dual",
    hint="After centring, look at the K that you passed in. Which K finds b?",
    old="return K - K.mean(axis=0) - K.mean(axis=1)[:, None] + K.mean()",
    new="K -= K.mean(axis=0)\n    K -= K.mean(axis=1)[:, None]\n    return K",
)

misconception(
    "the_lengths_of_x_for_both", "dual",
    hint="Give it two X rows and three Z rows. Whose squared lengths belong to the columns?",
    old="squares = (X**2).sum(axis=1)[:, None] + (Z**2).sum(axis=1) - 2 * X @ Z.T",
    new="squares = (X**2).sum(axis=1)[:, None] + (X**2).sum(axis=1) - 2 * X @ Z.T",
)

misconception(
    "the_width_multiplies", "dual",
    hint="What does a / 2 * b mean to Python: is b above the line, or below it?",
    old="return np.exp(-np.maximum(squares, 0) / (2 * width**2))",
    new="return np.exp(-np.maximum(squares, 0) / 2 * width**2)",
)

misconception(
    "likeness_grows_with_the_distance", "dual",
    hint="What is the likeness of an example to itself, and to one that is far away?",
    old="return np.exp(-np.maximum(squares, 0) / (2 * width**2))",
    new="return np.exp(np.maximum(squares, 0) / (2 * width**2))",
)

misconception(
    "one_product_for_two", "dual",
    hint="Multiply out (x − z)². How often does x·z appear?",
    old="squares = (X**2).sum(axis=1)[:, None] + (Z**2).sum(axis=1) - 2 * X @ Z.T",
    new="squares = (X**2).sum(axis=1)[:, None] + (Z**2).sum(axis=1) - X @ Z.T",
)

misconception(
    "a_row_for_each_z", "dual",
    hint="Whose examples stand in the rows of the answer: those of X, or those of Z?",
    old="return np.exp(-np.maximum(squares, 0) / (2 * width**2))",
    new="return np.exp(-np.maximum(squares, 0) / (2 * width**2)).T",
)

misconception(
    "both_means_go_along_the_rows", "dual",
    hint="A vector of n numbers is laid along the rows of K, always. How do you lay it along the columns?",
    old="return K - K.mean(axis=0) - K.mean(axis=1)[:, None] + K.mean()",
    new="return K - K.mean(axis=0) - K.mean(axis=1) + K.mean()",
)

misconception(
    "centres_the_rows_only", "dual",
    hint="Do the columns of your centred kernel sum to 0 as well as the rows?",
    old="return K - K.mean(axis=0) - K.mean(axis=1)[:, None] + K.mean()",
    new="return K - K.mean(axis=1)[:, None]",
)

misconception(
    "takes_one_mean_from_everything", "dual",
    hint="Which mean belongs to row 3? The mean of all of K?",
    old="return K - K.mean(axis=0) - K.mean(axis=1)[:, None] + K.mean()",
    new="return K - K.mean()",
)

misconception(
    "takes_sums_for_means", "dual",
    hint="C = I − (1/n) 11ᵀ. Where is your 1/n?",
    old="return K - K.mean(axis=0) - K.mean(axis=1)[:, None] + K.mean()",
    new="return K - K.sum(axis=0) - K.sum(axis=1)[:, None] + K.sum()",
)

misconception(
    "the_constant_forgets_the_mean_target", "dual",
    hint="Add 100 to every target. Does your b grow by 100?",
    old="return alpha, float(np.mean(y - K @ alpha))",
    new="return alpha, float(np.mean(y - y.mean() - K @ alpha))",
)

misconception(
    "the_residuals_are_summed_into_b", "dual",
    hint="One b is shared by all examples. Is it the sum of what is left over, or the mean?",
    old="return alpha, float(np.mean(y - K @ alpha))",
    new="return alpha, float(np.sum(y - K @ alpha))",
)

misconception(
    "the_same_row_is_the_same_example", "dual",
    hint="Three examples and three new ones: why should the first of each be the same point?",
    old="return np.exp(-np.maximum(squares, 0) / (2 * width**2))",
    new="if X.shape == Z.shape:\n        np.fill_diagonal(squares, 0)\n    return np.exp(-np.maximum(squares, 0) / (2 * width**2))",
)

# -- losses (extra) ----------------------------------------------------------------------------------------------------

misconception(
    "the_half_is_forgotten", "losses",
    hint="Differentiate your loss: is the gradient the one that you return?",
    old="return float(np.mean(e**2) / 2), X.T @ e / len(y), float(np.mean(e))",
    new="return float(np.mean(e**2)), X.T @ e / len(y), float(np.mean(e))",
)

misconception(
    "the_loss_is_a_sum", "losses",
    hint="Write every example down twice. Should the loss change?",
    old="return float(np.mean(e**2) / 2), X.T @ e / len(y), float(np.mean(e))",
    new="return float(np.sum(e**2) / 2), X.T @ e, float(np.sum(e))",
)

misconception(
    "target_minus_prediction_in_the_gradient", "losses",
    hint="The prediction is too high, and b grows a little. Does the loss rise or fall?",
    old="return float(np.mean(e**2) / 2), X.T @ e / len(y), float(np.mean(e))",
    new="return float(np.mean(e**2) / 2), -X.T @ e / len(y), -float(np.mean(e))",
)

misconception(
    "absolute_errors_pull_in_proportion", "losses",
    hint="How steep is |e| at e = 7, compared with e = 1?",
    old="pull = np.sign(e)",
    new="pull = e",
)

misconception(
    "the_kink_has_a_slope", "losses",
    hint="At e = 0 exactly, which slope does the text choose?",
    old="pull = np.sign(e)",
    new="pull = np.where(e >= 0, 1.0, -1.0)",
)

misconception(
    "the_kink_slopes_down", "losses",
    hint="An example is met exactly. Does it pull at all, in the text and in your code?",
    old="pull = np.sign(e)",
    new="pull = np.where(e > 0, 1.0, -1.0)",
)

misconception(
    "absolute_losses_cancel", "losses",
    hint="Errors of +2 and −2: is their mean absolute error 0?",
    old="return float(np.mean(np.abs(e))), X.T @ pull / len(y), float(np.mean(pull))",
    new="return float(np.abs(np.mean(e))), X.T @ pull / len(y), float(np.mean(pull))",
)

misconception(
    "always_the_mean", "losses",
    hint="Absolute values pull with force 1 each. Where is the number with as many above as below?",
    old='return float(np.mean(y) if loss == "squared" else np.median(y))',
    new="return float(np.mean(y))",
)

misconception(
    "mean_and_median_swapped", "losses",
    hint="For which of the two losses must the errors sum to 0?",
    old='return float(np.mean(y) if loss == "squared" else np.median(y))',
    new='return float(np.median(y) if loss == "squared" else np.mean(y))',
)

# -- bayes (extra) -----------------------------------------------------------------------------------------------------

misconception(
    "the_density_is_not_normalised", "bayes",
    hint="What is the area under your curve?",
    old="return np.exp(-((x - mu) ** 2) / (2 * sigma**2)) / np.sqrt(2 * np.pi * sigma**2)",
    new="return np.exp(-((x - mu) ** 2) / (2 * sigma**2))",
)

misconception(
    "sigma_stays_under_no_root", "bayes",
    hint="Double σ: the curve becomes twice as wide. How high may it be then?",
    old="return np.exp(-((x - mu) ** 2) / (2 * sigma**2)) / np.sqrt(2 * np.pi * sigma**2)",
    new="return np.exp(-((x - mu) ** 2) / (2 * sigma**2)) / (np.sqrt(2 * np.pi) * sigma**2)",
)

misconception(
    "sigma_means_the_variance", "bayes",
    hint="Is σ the variance or the standard deviation here?",
    old="return np.exp(-((x - mu) ** 2) / (2 * sigma**2)) / np.sqrt(2 * np.pi * sigma**2)",
    new="return np.exp(-((x - mu) ** 2) / (2 * sigma)) / np.sqrt(2 * np.pi * sigma)",
)

misconception(
    "logs_the_product_of_densities", "bayes",
    hint="What is 0.1 to the power 5000 on your computer, and its logarithm?",
    old="e = y - X @ w - b\n    return float(len(y) * np.log(2 * np.pi * sigma**2) / 2 + e @ e / (2 * sigma**2))",
    new="return float(-np.log(np.prod(gaussian_density(y, X @ w + b, sigma))))",
)

misconception(
    "averages_the_log_likelihood", "bayes",
    hint="A product of n densities: is its logarithm a sum or a mean?",
    old="return float(len(y) * np.log(2 * np.pi * sigma**2) / 2 + e @ e / (2 * sigma**2))",
    new="return float(np.log(2 * np.pi * sigma**2) / 2 + e @ e / (2 * sigma**2 * len(y)))",
)

misconception(
    "one_constant_for_all_examples", "bayes",
    hint="Each density has its own factor in front. How many densities are there?",
    old="return float(len(y) * np.log(2 * np.pi * sigma**2) / 2 + e @ e / (2 * sigma**2))",
    new="return float(np.log(2 * np.pi * sigma**2) / 2 + e @ e / (2 * sigma**2))",
)

misconception(
    "forgets_the_noise_in_the_likelihood", "bayes",
    hint="Twice as much noise: is an error of 1 just as surprising?",
    old="return float(len(y) * np.log(2 * np.pi * sigma**2) / 2 + e @ e / (2 * sigma**2))",
    new="return float(len(y) * np.log(2 * np.pi * sigma**2) / 2 + e @ e / 2)",
)

misconception(
    "the_log_likelihood_itself", "bayes",
    hint="Should a better fit make the number smaller or larger? It is the negative one.",
    old="return float(len(y) * np.log(2 * np.pi * sigma**2) / 2 + e @ e / (2 * sigma**2))",
    new="return -float(len(y) * np.log(2 * np.pi * sigma**2) / 2 + e @ e / (2 * sigma**2))",
)

misconception(
    "both_priors_square", "bayes",
    hint="Take minus the logarithm of e^(−|w|/τ). Where would a square come from?",
    old="return float(len(w) * np.log(2 * tau) + np.abs(w).sum() / tau)",
    new="return float(len(w) * np.log(2 * tau) + w @ w / tau)",
)

misconception(
    "one_constant_for_all_weights", "bayes",
    hint="How many weights have a prior, and how many constants did you count?",
    old="return float(len(w) * np.log(2 * np.pi * tau**2) / 2 + w @ w / (2 * tau**2))",
    new="return float(np.log(2 * np.pi * tau**2) / 2 + w @ w / (2 * tau**2))",
)

misconception(
    "signal_over_noise", "bayes",
    hint="The noisier the data, the more you should trust the prior. Does your λ grow with σ?",
    old='return sigma**2 / tau**2 if kind == "gaussian" else 2 * sigma**2 / tau',
    new='return tau**2 / sigma**2 if kind == "gaussian" else 2 * sigma**2 / tau',
)

misconception(
    "deviations_are_not_squared", "bayes",
    hint="Multiply minus the log of the posterior by 2σ². What stands before ‖w‖²?",
    old='return sigma**2 / tau**2 if kind == "gaussian" else 2 * sigma**2 / tau',
    new='return sigma / tau if kind == "gaussian" else 2 * sigma**2 / tau',
)

misconception(
    "laplace_like_gauss", "bayes",
    hint="Multiply minus the log of the Laplace prior by 2σ². Does a ½ cancel there too?",
    old='return sigma**2 / tau**2 if kind == "gaussian" else 2 * sigma**2 / tau',
    new='return sigma**2 / tau**2 if kind == "gaussian" else sigma**2 / tau',
)

# -- growing (extra) ---------------------------------------------------------------------------------------------------

misconception(
    "holds_out_the_first", "growing",
    hint="If the points are sorted by x, what does your validation set look like?",
    old="order = rng.permutation(n)",
    new="order = np.arange(n)",
)

misconception(
    "draws_with_replacement", "growing",
    hint="Can an index be in both of your sets, or in neither?",
    old="order = rng.permutation(n)",
    new="order = rng.choice(n, size=n)",
)

misconception(
    "splits_with_a_generator_of_its_own", "growing",
    hint="Split twice with generators of one seed. Do you get the same parts? Whose chance do you use?",
    old="order = rng.permutation(n)",
    new="order = np.random.permutation(n)",
)

misconception(
    "swaps_the_parts", "growing",
    hint="How many examples should be in the first of the two?",
    old="return order[held:], order[:held]",
    new="return order[:held], order[held:]",
)

misconception(
    "counts_the_held_out_from_the_end", "growing",
    hint="Hold out nothing. What is order[:-0]?",
    old="return order[held:], order[:held]",
    new="return order[:-held], order[-held:]",
)

misconception(
    "all_points_are_equally_likely", "growing",
    hint="A pair that never occurs: may it add to the risk?",
    old="return float(p @ (y - f(x)) ** 2)",
    new="return float(np.mean((y - f(x)) ** 2))",
)

misconception(
    "squares_the_expected_error", "growing",
    hint="Is it the expectation of a square, or the square of an expectation?",
    old="return float(p @ (y - f(x)) ** 2)",
    new="return float((p @ (y - f(x))) ** 2)",
)

misconception(
    "fits_the_validation_set_too", "growing",
    hint="Whose points chose the coefficients that you measure on the held-out set?",
    old="validation.append(np.mean((polynomial(x_held, degree) @ v - y_held) ** 2))",
    new="again = least_squares(polynomial(x_held, degree), y_held)\n"
    "        validation.append(np.mean((polynomial(x_held, degree) @ again - y_held) ** 2))",
)

misconception(
    "training_errors_are_summed", "growing",
    hint="Ten points or a thousand: can you compare the two errors if they are sums?",
    old="training.append(np.mean((polynomial(x, degree) @ v - y) ** 2))",
    new="training.append(np.sum((polynomial(x, degree) @ v - y) ** 2))",
)

misconception(
    "the_degrees_are_sorted", "growing",
    hint="Which entry of the answer belongs to degrees[0]?",
    old="for degree in degrees:",
    new="for degree in sorted(degrees):",
)

misconception(
    "one_degree_for_all", "growing",
    hint="With as many coefficients as points, how large can a training error be?",
    old="for degree in degrees:",
    new="for degree in [min(degree, 1) for degree in degrees]:",
)

# -- standardise (extra) -----------------------------------------------------------------------------------------------

misconception(
    "the_test_set_by_its_own_numbers", "standardise",
    hint="One single new example arrives. What is its standard deviation?",
    old="return (train - mean) / std, (test - mean) / std",
    new="return (train - mean) / std, (test - test.mean(axis=0)) / np.where(test.std(axis=0) == 0, 1, test.std(axis=0))",
)

misconception(
    "the_test_set_around_its_own_mean", "standardise",
    hint="One single new example arrives. What is left of it when its own mean is taken away?",
    old="return (train - mean) / std, (test - mean) / std",
    new="return (train - mean) / std, (test - test.mean(axis=0)) / std",
)

misconception(
    "the_test_set_in_its_own_units", "standardise",
    hint="A test set that spreads twice as far as the training set: can one still see that in your numbers?",
    old="return (train - mean) / std, (test - mean) / std",
    new="return (train - mean) / std, (test - mean) / np.where(np.ptp(test, axis=0) == 0, 1, test.std(axis=0))",
)

misconception(
    "both_sets_together", "standardise",
    hint="Did your training numbers change because of the test set? Then it has leaked.",
    old="mean, std = train.mean(axis=0), train.std(axis=0)",
    new="both = np.concatenate([train, test])\n    mean, std = both.mean(axis=0), both.std(axis=0)",
)

misconception(
    "divides_by_the_variance", "standardise",
    hint="What is the standard deviation of your standardised columns?",
    old="return (train - mean) / std, (test - mean) / std",
    new="return (train - mean) / std**2, (test - mean) / std**2",
)

misconception(
    "one_mean_for_the_whole_table", "standardise",
    hint="A mean of each column, or one of everything?",
    old="mean, std = train.mean(axis=0), train.std(axis=0)",
    new="mean, std = train.mean(), train.std(axis=0)",
)

misconception(
    "divides_by_n_minus_one", "standardise",
    hint="The text says what the standard deviation is here: the root of a mean over how many?",
    old="mean, std = train.mean(axis=0), train.std(axis=0)",
    new="mean, std = train.mean(axis=0), train.std(axis=0, ddof=1)",
)

misconception(
    "divides_by_zero", "standardise",
    hint="What is the standard deviation of a column that is always 4?",
    old="std = np.where(np.ptp(train, axis=0) == 0, 1.0, std)",
    new="std = std + 0.0",
)

misconception(
    "a_constant_has_no_deviation_at_all", "standardise",
    hint="Print the standard deviation of 0.7, 0.7, 0.7 with all its digits.",
    old="std = np.where(np.ptp(train, axis=0) == 0, 1.0, std)",
    new="std = np.where(std == 0, 1.0, std)",
)

misconception(
    "small_deviations_are_taken_for_zero", "standardise",
    hint="A column of atoms, measured in metres: is it constant?",
    old="std = np.where(np.ptp(train, axis=0) == 0, 1.0, std)",
    new="std = np.where(std < 1e-8, 1.0, std)",
)

misconception(
    "zeros_are_kept", "standardise",
    hint="Is a 0 in the table different from any other number, as far as its column's mean is concerned?",
    old="return (train - mean) / std, (test - mean) / std",
    new="return (train - mean) / std * (train != 0), (test - mean) / std * (test != 0)",
)

# -- norms (extra) -----------------------------------------------------------------------------------------------------

misconception(
    "a_norm_without_bars", "norms",
    hint="For p = 3, may a negative entry cancel a positive one?",
    old="sizes = np.abs(np.asarray(x, dtype=float))",
    new="sizes = np.asarray(x)",
)

misconception(
    "forgets_the_root", "norms",
    hint="Double x. Does your norm double?",
    old="return float(sizes.max() if p == np.inf else (sizes**p).sum() ** (1 / p))",
    new="return float(sizes.max() if p == np.inf else (sizes**p).sum())",
)

misconception(
    "always_the_square_root", "norms",
    hint="For p = 3, which root?",
    old="return float(sizes.max() if p == np.inf else (sizes**p).sum() ** (1 / p))",
    new="return float(sizes.max() if p == np.inf else np.sqrt((sizes**p).sum()))",
)

misconception(
    "the_smallest_entry_at_infinity", "norms",
    hint="As p grows, which entry wins: the smallest or the largest?",
    old="return float(sizes.max() if p == np.inf else (sizes**p).sum() ** (1 / p))",
    new="return float(sizes.min() if p == np.inf else (sizes**p).sum() ** (1 / p))",
)

misconception(
    "homogeneous_without_bars", "norms",
    hint="How long is −2·x, compared with x?",
    old="scaled = [abs(f(a * x) - abs(a) * f(x)) for a in numbers for x in vectors]",
    new="scaled = [abs(f(a * x) - a * f(x)) for a in numbers for x in vectors]",
)

misconception(
    "the_triangle_is_an_equality", "norms",
    hint="Walk round two sides of a square, then across it. Are the two ways equally long?",
    old='"triangle": bool(max(longer) <= rounding),',
    new='"triangle": bool(max(np.abs(longer)) <= rounding),',
)

misconception(
    "the_triangle_the_wrong_way_round", "norms",
    hint="Is the way through a third place shorter than the straight one, or longer?",
    old='"triangle": bool(max(longer) <= rounding),',
    new='"triangle": bool(min(longer) >= -rounding),',
)

misconception(
    "a_vector_is_not_tried_with_itself", "norms",
    hint="For the squared length, compare f(x + x) with f(x) + f(x). Did you try that pair?",
    old="longer = [f(x + z) - f(x) - f(z) for x in vectors for z in vectors]",
    new="longer = [f(x + z) - f(x) - f(z) for i, x in enumerate(vectors) for z in vectors[:i]]",
)

misconception(
    "zero_is_not_tried", "norms",
    hint="How long is the vector 0 under ‖x‖ + 1?",
    old='"definite": bool(min(f(x) for x in vectors) > rounding and at_zero <= rounding),',
    new='"definite": bool(min(f(x) for x in vectors) > rounding),',
)

misconception(
    "no_vector_may_be_negative_but_all_may_be_zero", "norms",
    hint="A length of 0 for a vector that is not 0: is that allowed?",
    old='"definite": bool(min(f(x) for x in vectors) > rounding and at_zero <= rounding),',
    new='"definite": bool(min(f(x) for x in vectors) >= -rounding and at_zero <= rounding),',
)

misconception(
    "a_tolerance_of_a_fixed_size", "norms",
    hint="Measure a length in light years, then in nanometres. Is your tolerance small beside both?",
    old="rounding = 1e-9 * max(abs(f(x)) for x in vectors)",
    new="rounding = 1e-9",
)

misconception(
    "no_room_for_rounding", "norms",
    hint="Is 0.1 + 0.2 equal to 0.3 in your computer? What does the docstring say about such differences?",
    old="rounding = 1e-9 * max(abs(f(x)) for x in vectors)",
    new="rounding = 0.0",
)

misconception(
    "too_much_is_taken_for_rounding", "norms",
    hint="How large may a difference be, by the docstring, and still be rounding?",
    old="rounding = 1e-9 * max(abs(f(x)) for x in vectors)",
    new="rounding = 1e-5 * max(abs(f(x)) for x in vectors)",
)

misconception(
    "zero_of_another_length", "norms",
    hint="How many numbers has the vector 0 that you try, and how many have the others?",
    old="at_zero = abs(f(np.zeros(vectors.shape[1])))",
    new="at_zero = abs(f(np.zeros(len(vectors))))",
)

misconception(
    "powers_in_the_type_of_the_vector", "norms",
    hint="x holds whole numbers, and p is 30. What is 9 to the power 30 in an int64?",
    old="sizes = np.abs(np.asarray(x, dtype=float))",
    new="sizes = np.abs(x)",
)

# -- proof (extra) -----------------------------------------------------------------------------------------------------

misconception(
    "the_gradient_is_zero_at_a_minimum", "proof",
    hint="Which line speaks of a derivative? Did anybody say that J has one?",
    old='return ["E", "B", "H", "A", "I", "D", "G"]',
    new='return ["E", "B", "C", "H", "A", "I", "D", "G"]',
)

misconception(
    "convexity_the_wrong_way_round", "proof",
    hint="Draw a convex function and a chord of it. Which of the two is above?",
    old='return ["E", "B", "H", "A", "I", "D", "G"]',
    new='return ["E", "B", "F", "A", "I", "D", "G"]',
)

misconception(
    "a_better_place_far_away_is_enough", "proof",
    hint="A better v far away contradicts nothing yet. How near does the local minimum see?",
    old='return ["E", "B", "H", "A", "I", "D", "G"]',
    new='return ["E", "B", "H", "A", "G"]',
)

misconception(
    "concludes_before_it_computes", "proof",
    hint="Which line says what J(w_t) is compared with? Can you use it before it stands there?",
    old='return ["E", "B", "H", "A", "I", "D", "G"]',
    new='return ["E", "B", "A", "H", "I", "D", "G"]',
)

misconception(
    "stops_before_the_contradiction", "proof",
    hint="What does your last line contradict? Say it.",
    old='return ["E", "B", "H", "A", "I", "D", "G"]',
    new='return ["E", "B", "H", "A", "I", "D"]',
)

misconception(
    "measures_after_it_steps_near", "proof",
    hint="Which line tells how far w_t is from u? Did you have it when you said that this is less than r?",
    old='return ["E", "B", "H", "A", "I", "D", "G"]',
    new='return ["E", "B", "H", "A", "D", "I", "G"]',
)

misconception(
    "uses_w_before_it_says_what_it_is", "proof",
    hint="A line speaks of w_t. Has a line before it said what that is?",
    old='return ["E", "B", "H", "A", "I", "D", "G"]',
    new='return ["E", "H", "B", "A", "I", "D", "G"]',
)

misconception(
    "nothing_is_lower_nearby", "proof",
    hint="Your last line contradicts something. Which line says that J is lower at w_t?",
    old='return ["E", "B", "H", "A", "I", "D", "G"]',
    new='return ["E", "B", "I", "D", "G"]',
)

misconception(
    "lower_at_the_far_end_alone", "proof",
    hint="Put J(v) < J(u) into the right side of the inequality. For which t is it below J(u)?",
    old='return ["E", "B", "H", "A", "I", "D", "G"]',
    new='return ["E", "B", "H", "K", "I", "D", "G"]',
)
