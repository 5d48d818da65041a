"""Wrong answers to auto-encoders, each with the hint a teacher would give."""

from redink.checks import misconception

# -- tied --------------------------------------------------------------------------------------------------------------

misconception(
    "encodes_without_squashing", "tied",
    hint="Between which two numbers must a code of this encoder lie?",
    old="return sigmoid(X @ W.T + b)\n",
    new="return X @ W.T + b\n",
)

misconception(
    "encodes_with_tanh", "tied",
    hint="Your codes are between −1 and 1. What does the text squash with?",
    old="return sigmoid(X @ W.T + b)\n",
    new="return np.tanh(X @ W.T + b)\n",
)

misconception(
    "clips_the_scores", "tied",
    hint="How near to 1 can a code of yours come, and how near can σ(40)? The sigmoid that is given does not overflow.",
    old="return sigmoid(X @ W.T + b)\n",
    new="return sigmoid(np.clip(X @ W.T + b, -6, 6))\n",
)

misconception(
    "encodes_without_the_bias", "tied",
    hint="At x = 0 every unit of yours says ½. Is that what W x + b says?",
    old="return sigmoid(X @ W.T + b)\n",
    new="return sigmoid(X @ W.T)\n",
)

misconception(
    "squashes_the_output", "tied",
    hint="Can your reconstruction be larger than 1? The data can.",
    old="return H @ W + c",
    new="return sigmoid(H @ W + c)",
)

misconception(
    "decodes_without_the_offset", "tied",
    hint="What should come out when the code is all zeros?",
    old="return H @ W + c",
    new="return H @ W",
)


@misconception(
    "decodes_into_integers",
    "tied",
    hint="Try a W of whole numbers, written without points. Which kind of numbers fits into the array that you fill?",
)
def decode(W, c, H):
    out = np.zeros((len(H), W.shape[1]), dtype=W.dtype)
    out[:] = H @ W
    out[:] = out + c
    return out


misconception(
    "undoes_the_encoder_by_the_pseudo_inverse", "tied",
    hint="Tied means transposed. It does not mean inverted.",
    old="return H @ W + c",
    new="return H @ np.linalg.pinv(W).T + c",
)

misconception(
    "sums_the_loss_over_the_examples", "tied",
    hint="Write every example down twice. Should the loss change?",
    old="return float(np.sum(errors**2) / (2 * len(X)))",
    new="return float(np.sum(errors**2) / 2)",
)

misconception(
    "averages_the_loss_over_the_pixels", "tied",
    hint="Per example or per pixel? The conventions say over what the loss sums and over what it averages.",
    old="return float(np.sum(errors**2) / (2 * len(X)))",
    new="return float(np.mean(errors**2) / 2)",
)

misconception(
    "forgets_the_half", "tied",
    hint="Compare your loss on one example with the table that was done by hand.",
    old="return float(np.sum(errors**2) / (2 * len(X)))",
    new="return float(np.sum(errors**2) / len(X))",
)

misconception(
    "takes_the_length_of_the_error_unsquared", "tied",
    hint="Is the loss a distance, or half of its square?",
    old="return float(np.sum(errors**2) / (2 * len(X)))",
    new="return float(np.mean(np.linalg.norm(errors, axis=1)) / 2)",
)

misconception(
    "counts_the_encoders_use_of_w_alone", "tied",
    hint="In how many places does W stand in the formula of x̂?",
    old="return delta.T @ X + H.T @ e, delta",
    new="return delta.T @ X, delta",
)

misconception(
    "counts_the_decoders_use_of_w_alone", "tied",
    hint="Change W a little: does only the decoder notice?",
    old="return delta.T @ X + H.T @ e, delta",
    new="return H.T @ e, delta",
)

misconception(
    "averages_the_two_uses_of_w", "tied",
    hint="When a number is used twice, are its two effects averaged?",
    old="return delta.T @ X + H.T @ e, delta",
    new="return (delta.T @ X + H.T @ e) / 2, delta",
)

misconception(
    "forgets_the_slope_of_the_sigmoid", "tied",
    hint="On the way back you pass the sigmoid too. What is its slope where h is nearly 1?",
    old="delta = (e @ W.T) * H * (1 - H)",
    new="delta = e @ W.T",
)

misconception(
    "takes_the_slope_at_the_code", "tied",
    hint="σ'(a) written with h is h(1 − h). Did you squash something that was squashed already?",
    old="delta = (e @ W.T) * H * (1 - H)",
    new="delta = (e @ W.T) * sigmoid(H) * (1 - sigmoid(H))",
)

misconception(
    "sums_the_gradient_over_the_examples", "tied",
    hint="The loss is a mean. Is your gradient the gradient of a mean?",
    old="e = (decode(W, c, H) - X) / len(X)",
    new="e = decode(W, c, H) - X",
)

misconception(
    "takes_the_error_the_wrong_way_round", "tied",
    hint="Move a weight along your gradient: should the loss grow or shrink?",
    old="e = (decode(W, c, H) - X) / len(X)",
    new="e = (X - decode(W, c, H)) / len(X)",
)

misconception(
    "the_offset_collects_a_sum", "tied",
    hint="Three gradients of one mean. Write every example down twice: which of yours changes?",
    old="return delta.T @ X + H.T @ e, delta.sum(axis=0), e.sum(axis=0)",
    new="return delta.T @ X + H.T @ e, delta.sum(axis=0), len(X) * e.sum(axis=0)",
)

misconception(
    "both_biases_collect_sums", "tied",
    hint="Your gradient in W is that of a mean. Write every example down twice: do those in b and c stay as they are?",
    old="return delta.T @ X + H.T @ e, delta.sum(axis=0), e.sum(axis=0)",
    new="return delta.T @ X + H.T @ e, len(X) * delta.sum(axis=0), len(X) * e.sum(axis=0)",
)

misconception(
    "only_the_weights_collect_a_sum", "tied",
    hint="Your gradients in b and c are those of a mean. Write every example down twice: does that in W stay as it is?",
    old="return delta.T @ X + H.T @ e, delta.sum(axis=0), e.sum(axis=0)",
    new="return len(X) * (delta.T @ X + H.T @ e), delta.sum(axis=0), e.sum(axis=0)",
)

misconception(
    "averages_the_bias_gradients_twice", "tied",
    hint="Follow the 1/n from the loss to db and dc. How often does it come by?",
    old="return delta.T @ X + H.T @ e, delta.sum(axis=0), e.sum(axis=0)",
    new="return delta.T @ X + H.T @ e, delta.mean(axis=0), e.mean(axis=0)",
)

misconception(
    "subtracts_the_two_uses_of_w", "tied",
    hint="When a number is used twice, its two effects are added. Which sign did the second one get?",
    old="return delta.T @ X + H.T @ e, delta",
    new="return delta.T @ X - H.T @ e, delta",
)

misconception(
    "takes_half_of_the_slope", "tied",
    hint="The slope of the sigmoid has two factors. Where h is nearly 1, what is yours?",
    old="delta = (e @ W.T) * H * (1 - H)",
    new="delta = (e @ W.T) * H",
)

@misconception(
    "lets_the_shape_decide_about_transposing",
    "tied",
    hint="Try a square W. Does its shape still tell which way round your array stands?",
)
def tied_gradient(W, b, c, X):
    H = encode(W, b, X)
    e = (decode(W, c, H) - X) / len(X)
    delta = (e @ W.T) * H * (1 - H)
    as_decoder = e.T @ H
    if as_decoder.shape != W.shape:
        as_decoder = as_decoder.T
    return delta.T @ X + as_decoder, delta.sum(axis=0), e.sum(axis=0)


@misconception(
    "lets_the_shape_choose_the_matrix",
    "tied",
    hint="Try a square W. Do the shapes still tell whether W or its transpose belongs there?",
)
def decode(W, c, H):
    return (H @ W.T if H.shape[1] == W.shape[1] else H @ W) + c


_WHOLE = "Give it whole numbers, written without points. Which kind of numbers fits into the array that you fill?"


@misconception("keeps_the_copies_in_an_array_like_the_data", "tied", hint=_WHOLE)
def tied_loss(W, b, c, X):
    copies = np.empty_like(X)
    copies[:] = decode(W, c, encode(W, b, X))
    return float(np.sum((copies - X) ** 2) / (2 * len(X)))


@misconception("keeps_the_codes_in_an_array_like_the_weights", "tied", hint=_WHOLE)
def encode(W, b, X):
    H = np.zeros((len(X), len(W)), dtype=np.asarray(W).dtype)
    for i, x in enumerate(X):
        H[i] = sigmoid(W @ x + b)
    return H


@misconception("keeps_the_gradient_in_an_array_like_the_weights", "tied", hint=_WHOLE)
def tied_gradient(W, b, c, X):
    H = encode(W, b, X)
    e = (decode(W, c, H) - X) / len(X)
    delta = (e @ W.T) * H * (1 - H)
    dW = np.zeros_like(W)
    dW[:] = delta.T @ X + H.T @ e
    return dW, delta.sum(axis=0), e.sum(axis=0)


# -- linear ------------------------------------------------------------------------------------------------------------

misconception(
    "does_not_centre", "linear",
    hint="Move all the data far away from 0. Where does your first direction point then?",
    old="np.linalg.svd(X - mean, full_matrices=False)[2][:k].T",
    new="np.linalg.svd(X, full_matrices=False)[2][:k].T",
)

misconception(
    "gives_directions_as_rows", "linear",
    hint="Is your V d×k or k×d?",
    old="np.linalg.svd(X - mean, full_matrices=False)[2][:k].T",
    new="np.linalg.svd(X - mean, full_matrices=False)[2][:k]",
)

misconception(
    "takes_the_smallest_directions", "linear",
    hint="np.linalg.eigh sorts its eigenvalues upwards. Which end did you take?",
    old="np.linalg.svd(X - mean, full_matrices=False)[2][:k].T",
    new="np.linalg.eigh(np.cov(X.T, bias=True))[1][:, :k]",
)

misconception(
    "gives_the_largest_direction_last", "linear",
    hint="You have the right plane. In which order do its directions come?",
    old="np.linalg.svd(X - mean, full_matrices=False)[2][:k].T",
    new="np.linalg.svd(X - mean, full_matrices=False)[2][:k][::-1].T",
)

misconception(
    "standardises_the_features_first", "linear",
    hint="You divided by the standard deviations. Does the text?",
    old="np.linalg.svd(X - mean, full_matrices=False)[2][:k].T",
    new="np.linalg.svd((X - mean) / X.std(axis=0), full_matrices=False)[2][:k].T",
)

misconception(
    "counts_what_is_kept", "linear",
    hint="With a longer code, should the floor rise or fall?",
    old="np.sum(lengths[k:] ** 2)",
    new="np.sum(lengths[:k] ** 2)",
)

misconception(
    "adds_singular_values_unsquared", "linear",
    hint="How do you get an eigenvalue of the covariance from a singular value?",
    old="np.sum(lengths[k:] ** 2)",
    new="np.sum(lengths[k:])",
)

misconception(
    "floor_without_the_half", "linear",
    hint="The floor is in the units of the loss. What stands before the squares there?",
    old="return float(np.sum(lengths[k:] ** 2) / (2 * len(X)))",
    new="return float(np.sum(lengths[k:] ** 2) / len(X))",
)

misconception(
    "floor_divides_by_n_minus_one", "linear",
    hint="Variances here divide by n, because the loss is a mean over n examples.",
    old="return float(np.sum(lengths[k:] ** 2) / (2 * len(X)))",
    new="return float(np.sum(lengths[k:] ** 2) / (2 * (len(X) - 1)))",
)

misconception(
    "floor_of_data_that_are_not_centred", "linear",
    hint="Move all the data by the same vector. Does your floor move?",
    old="lengths = np.linalg.svd(X - X.mean(axis=0), compute_uv=False)",
    new="lengths = np.linalg.svd(X, compute_uv=False)",
)

misconception(
    "takes_every_basis_for_orthonormal", "linear",
    hint="Apply your projector twice. Does the second time change anything?",
    old="return B @ np.linalg.solve(B.T @ B, B.T)",
    new="return B @ B.T",
)

misconception(
    "scales_the_columns_but_leaves_them_oblique", "linear",
    hint="Columns of length 1 are not yet at right angles. What does BᵀB look like?",
    old="return B @ np.linalg.solve(B.T @ B, B.T)",
    new="return (B / np.linalg.norm(B, axis=0)) @ (B / np.linalg.norm(B, axis=0)).T",
)

misconception(
    "projects_on_what_is_lost", "linear",
    hint="Apply your projector to a column of B. What should come out?",
    old="return B @ np.linalg.solve(B.T @ B, B.T)",
    new="return np.eye(len(B)) - B @ np.linalg.solve(B.T @ B, B.T)",
)

misconception(
    "a_little_on_the_diagonal_for_safety", "linear",
    hint="Make B very much smaller: the plane is the same. Is your projector?",
    old="return B @ np.linalg.solve(B.T @ B, B.T)",
    new="return B @ np.linalg.solve(B.T @ B + 1e-10 * np.eye(B.shape[1]), B.T)",
)

misconception(
    "linear_gradient_centres_again", "linear",
    hint="Give it a single example. What is left of that after your first line, and who has centred X already?",
    old="    Z = X @ E.T\n",
    new="    X = X - X.mean(axis=0)\n    Z = X @ E.T\n",
)

misconception(
    "linear_gradient_is_a_sum", "linear",
    hint="The loss is divided by n. Are its gradients?",
    old="return loss, (R @ D).T @ X / len(X), R.T @ Z / len(X)",
    new="return loss, (R @ D).T @ X, R.T @ Z",
)

misconception(
    "linear_gradient_with_a_factor_two", "linear",
    hint="What does the ½ in the loss cancel when you differentiate?",
    old="return loss, (R @ D).T @ X / len(X), R.T @ Z / len(X)",
    new="return loss, 2 * (R @ D).T @ X / len(X), 2 * R.T @ Z / len(X)",
)

misconception(
    "takes_the_encoder_for_the_decoders_transpose", "linear",
    hint="Tied weights are another question. Which matrix does the error pass on its way back to E?",
    old="return loss, (R @ D).T @ X / len(X), R.T @ Z / len(X)",
    new="return loss, (R @ E.T).T @ X / len(X), R.T @ Z / len(X)",
)

misconception(
    "exchanges_the_linear_gradients", "linear",
    hint="Which of your two gradients contains D, and so belongs to E? A transpose makes any shape fit.",
    old="return loss, (R @ D).T @ X / len(X), R.T @ Z / len(X)",
    new="return loss, Z.T @ R / len(X), X.T @ (R @ D) / len(X)",
)

misconception(
    "squashes_the_linear_code", "linear",
    hint="Which layer of a linear auto-encoder may bend?",
    old="Z = X @ E.T\n",
    new="Z = np.maximum(X @ E.T, 0)\n",
)

_RAW = "Move all the data by one and the same vector. Should the directions, or the floor, notice?"
misconception(
    "takes_the_covariance_of_raw_data", "linear", hint=_RAW,
    old="np.linalg.svd(X - mean, full_matrices=False)[2][:k].T", new="np.linalg.svd(X, full_matrices=False)[2][:k].T",
)
misconception(
    "takes_the_covariance_of_raw_data", "linear", hint=_RAW,
    old="lengths = np.linalg.svd(X - X.mean(axis=0), compute_uv=False)",
    new="lengths = np.linalg.svd(X, compute_uv=False)",
)

misconception(
    "sorts_the_rows_of_the_eigenvectors", "linear",
    hint="np.linalg.eigh gives its eigenvectors as columns. What did your sorting exchange?",
    old="np.linalg.svd(X - mean, full_matrices=False)[2][:k].T",
    new="np.linalg.eigh(np.atleast_2d(np.cov(X.T, bias=True)))[1][::-1, :k]",
)

misconception(
    "takes_rows_of_the_eigenvectors", "linear",
    hint="np.linalg.eigh gives its eigenvectors as columns. Is a row of that matrix an eigenvector?",
    old="np.linalg.svd(X - mean, full_matrices=False)[2][:k].T",
    new="np.linalg.eigh(np.atleast_2d(np.cov(X.T, bias=True)))[1][::-1][:k].T",
)

misconception(
    "floor_is_not_divided_by_n", "linear",
    hint="Write every example down twice. Should the floor change?",
    old="return float(np.sum(lengths[k:] ** 2) / (2 * len(X)))",
    new="return float(np.sum(lengths[k:] ** 2) / 2)",
)

misconception(
    "floor_of_one_axis_more", "linear",
    hint="With k = 1 one axis is kept. How many do you leave out of the sum?",
    old="np.sum(lengths[k:] ** 2)",
    new="np.sum(lengths[k + 1 :] ** 2)",
)

misconception(
    "the_linear_loss_lacks_its_half", "linear",
    hint="Your gradients are those of ½‖DEx − x‖². Which loss do you give with them?",
    old="loss = float(np.sum(R**2) / (2 * len(X)))\n    return loss, (R @ D)",
    new="loss = float(np.sum(R**2) / len(X))\n    return loss, (R @ D)",
)

misconception(
    "the_linear_loss_is_averaged_over_the_pixels", "linear",
    hint="Per example or per pixel? Your gradients know, your loss does not.",
    old="loss = float(np.sum(R**2) / (2 * len(X)))\n    return loss, (R @ D)",
    new="loss = float(np.mean(R**2) / 2)\n    return loss, (R @ D)",
)

misconception(
    "the_whole_linear_loss_lacks_its_half", "linear",
    hint="Loss and gradients agree with each other. What stands before the squares in the text?",
    old="loss = float(np.sum(R**2) / (2 * len(X)))\n    return loss, (R @ D).T @ X / len(X), R.T @ Z / len(X)",
    new="loss = float(np.sum(R**2) / len(X))\n    return loss, 2 * (R @ D).T @ X / len(X), 2 * R.T @ Z / len(X)",
)

_WHOSE = "Print X before and after your function. Whose array did you take the mean from?"


@misconception("centres_the_callers_data", "linear", hint=_WHOSE)
def pca(X, k):
    mean = X.mean(axis=0)
    X -= mean
    return mean, np.linalg.svd(X, full_matrices=False)[2][:k].T


@misconception("takes_asarray_for_a_copy", "linear", hint=_WHOSE)
def pca(X, k):
    X = np.asarray(X, dtype=float)
    mean = X.mean(axis=0)
    X -= mean
    return mean, np.linalg.svd(X, full_matrices=False)[2][:k].T


misconception(
    "centres_the_callers_data_for_the_floor", "linear", hint=_WHOSE,
    old="lengths = np.linalg.svd(X - X.mean(axis=0), compute_uv=False)",
    new="X -= X.mean(axis=0)\n    lengths = np.linalg.svd(X, compute_uv=False)",
)


@misconception(
    "counts_from_the_end", "linear", hint="With k = d nothing is left over. Which entries does your slice take then?"
)
def eckart_young(X, k):
    variances = np.sort(np.linalg.eigvalsh(np.atleast_2d(np.cov(X.T, bias=True))))[::-1]
    return float(variances[-(len(variances) - k) :].sum() / 2)


# -- experiment --------------------------------------------------------------------------------------------------------

misconception(
    "moves_the_callers_matrices", "experiment",
    hint="Train twice from the same start. Does the second run begin where the first one began?",
    old="E, D = E - rate * dE, D - rate * dD",
    new="E -= rate * dE\n        D -= rate * dD",
)

misconception(
    "centres_both_sets_in_place", "experiment",
    hint="Print the training set before and after your report. Is it still the caller's own?",
    old="    E, D, losses = train_linear(train - centre, E, D, rate, steps)\n    tested = linear_gradient(E, D, test - centre)[0]",
    new=(
        "    train -= centre\n    test -= centre\n    E, D, losses = train_linear(train, E, D, rate, steps)\n"
        "    tested = linear_gradient(E, D, test)[0]"
    ),
)


@misconception(
    "writes_all_runs_into_one_list",
    "experiment",
    hint="Train twice and count your losses. When is a default value made: at each call, or once?",
)
def train_linear(X, E, D, rate, steps, losses=[]):
    for _ in range(steps):
        loss, dE, dD = linear_gradient(E, D, X)
        losses.append(loss)
        E, D = E - rate * dE, D - rate * dD
    losses.append(linear_gradient(E, D, X)[0])
    return E, D, losses


misconception(
    "stops_when_the_loss_hardly_falls", "experiment",
    hint="How many losses do you give when 1000 steps are asked for and the descent comes to rest after 300?",
    old="        losses.append(loss)\n",
    new="        losses.append(loss)\n        if len(losses) > 1 and abs(losses[-2] - loss) < 1e-6:\n            break\n",
)

misconception(
    "climbs", "experiment",
    hint="Do your losses fall?",
    old="E, D = E - rate * dE, D - rate * dD",
    new="E, D = E + rate * dE, D + rate * dD",
)

misconception(
    "moves_the_decoder_with_the_new_encoder", "experiment",
    hint="Where are the two gradients taken: at the same place, or one after the other's step?",
    old="E, D = E - rate * dE, D - rate * dD",
    new="E = E - rate * dE\n        D = D - rate * linear_gradient(E, D, X)[2]",
)

misconception(
    "trains_the_decoder_alone", "experiment",
    hint="After training, compare E with the E you started from.",
    old="E, D = E - rate * dE, D - rate * dD",
    new="D = D - rate * dD",
)

misconception(
    "keeps_the_two_tied", "experiment",
    hint="Is D the transpose of E here? It did not start like that.",
    old="E, D = E - rate * dE, D - rate * dD",
    new="E = E - rate * (dE + dD.T)\n        D = E.T",
)

misconception(
    "forgets_the_last_loss", "experiment",
    hint="How many losses are there when t goes from 0 to steps?",
    old="    losses.append(linear_gradient(E, D, X)[0])\n    return E, D, losses",
    new="    return E, D, losses",
)

misconception(
    "forgets_the_loss_at_the_start", "experiment",
    hint="losses[0] is the loss after how many steps?",
    old="    return E, D, losses",
    new="    return E, D, [*losses[1:], linear_gradient(E, D, X)[0]]",
)

misconception(
    "centres_the_test_data_by_their_own_mean", "experiment",
    hint="Suppose the test set were a single digit. What would be left of it after your centring?",
    old="tested = linear_gradient(E, D, test - centre)[0]",
    new="tested = linear_gradient(E, D, test - test.mean(axis=0))[0]",
)

misconception(
    "does_not_centre_the_test_data", "experiment",
    hint="The encoder has only ever seen centred examples. What do you show it?",
    old="tested = linear_gradient(E, D, test - centre)[0]",
    new="tested = linear_gradient(E, D, test)[0]",
)

misconception(
    "trains_on_raw_data", "experiment",
    hint="What did PCA do to the data before it looked for directions?",
    old="E, D, losses = train_linear(train - centre, E, D, rate, steps)",
    new="E, D, losses = train_linear(train, E, D, rate, steps)",
)

misconception(
    "takes_the_floor_of_the_test_data", "experiment",
    hint="Which data does the floor bind: those that were fitted, or those that were not?",
    old="return losses[-1], tested, eckart_young(train, len(E))",
    new="return losses[-1], tested, eckart_young(test, len(E))",
)

misconception(
    "centres_by_all_the_data", "experiment",
    hint="The mean is learnt from data as well. From which?",
    old="centre = train.mean(axis=0)",
    new="centre = np.concatenate([train, test]).mean(axis=0)",
)

misconception(
    "reports_the_loss_at_the_start", "experiment",
    hint="Which E and D does the training loss of the report belong to?",
    old="return losses[-1], tested, eckart_young(train, len(E))",
    new="return losses[0], tested, eckart_young(train, len(E))",
)

# -- denoise -----------------------------------------------------------------------------------------------------------

misconception(
    "wants_the_noisy_input_back", "denoise",
    hint="What should come out: the picture, or the picture with its noise?",
    old="return float(np.sum((reconstruct(X + noise) - X) ** 2) / (2 * len(X)))",
    new="return float(np.sum((reconstruct(X + noise) - X - noise) ** 2) / (2 * len(X)))",
)


@misconception(
    "takes_a_second_name_for_a_copy",
    "denoise",
    hint="After noisy = X, how many arrays are there? Look at X once the noise is in.",
)
def denoising_loss(reconstruct, X, noise):
    noisy = X
    noisy += noise
    return float(np.sum((reconstruct(noisy) - X) ** 2) / (2 * len(X)))


misconception(
    "feeds_the_clean_input", "denoise",
    hint="Where does the noise enter in your code?",
    old="return float(np.sum((reconstruct(X + noise) - X) ** 2) / (2 * len(X)))",
    new="return float(np.sum((reconstruct(X) - X) ** 2) / (2 * len(X)))",
)

misconception(
    "adds_the_noise_to_the_target", "denoise",
    hint="You have the noise on the wrong side: who is spoilt, and who stays clean?",
    old="return float(np.sum((reconstruct(X + noise) - X) ** 2) / (2 * len(X)))",
    new="return float(np.sum((reconstruct(X) - X - noise) ** 2) / (2 * len(X)))",
)

misconception(
    "multiplies_by_the_noise", "denoise",
    hint="Noise of 0 should leave the picture as it is. Does yours?",
    old="return float(np.sum((reconstruct(X + noise) - X) ** 2) / (2 * len(X)))",
    new="return float(np.sum((reconstruct(X * noise) - X) ** 2) / (2 * len(X)))",
)

misconception(
    "averages_the_denoising_loss_over_pixels", "denoise",
    hint="Per example or per pixel? A wider picture should cost more.",
    old="return float(np.sum((reconstruct(X + noise) - X) ** 2) / (2 * len(X)))",
    new="return float(np.mean((reconstruct(X + noise) - X) ** 2) / 2)",
)

misconception(
    "forgets_the_noise_in_the_average", "denoise",
    hint="Averages of noise are 0; are averages of squared noise?",
    old="return float(np.sum(misses**2) / (2 * len(X)) + sigma**2 * np.sum(A**2) / 2)",
    new="return float(np.sum(misses**2) / (2 * len(X)))",
)

misconception(
    "charges_sigma_instead_of_its_square", "denoise",
    hint="σ is a standard deviation. In which unit is a squared error?",
    old="+ sigma**2 * np.sum(A**2) / 2)",
    new="+ sigma * np.sum(A**2) / 2)",
)

misconception(
    "the_noise_does_not_pass_the_network", "denoise",
    hint="What does the map do to the noise before it reaches the output?",
    old="+ sigma**2 * np.sum(A**2) / 2)",
    new="+ sigma**2 * len(A) / 2)",
)

misconception(
    "the_noise_passes_one_axis_alone", "denoise",
    hint="Noise comes from every direction. Do you charge for the largest stretch of A alone, or for all of its entries?",
    old="+ sigma**2 * np.sum(A**2) / 2)",
    new="+ sigma**2 * np.linalg.norm(A, 2) ** 2 / 2)",
)

misconception(
    "the_noise_term_lacks_its_half", "denoise",
    hint="The ½ of the loss stands before all of the squared error.",
    old="+ sigma**2 * np.sum(A**2) / 2)",
    new="+ sigma**2 * np.sum(A**2))",
)

misconception(
    "the_best_denoiser_is_the_identity", "denoise",
    hint="That is the best map for the noisy target. What does a wire cost against the clean one?",
    old="A = covariance @ np.linalg.inv(covariance + sigma**2 * unit)",
    new="A = unit + 0 * covariance",
)

misconception(
    "denoiser_without_centring", "denoise",
    hint="Move all the data far away. Should the knobs of the axes turn?",
    old="covariance = (X - centre).T @ (X - centre) / len(X)",
    new="covariance = X.T @ X / len(X)",
)

misconception(
    "denoiser_divides_by_n_minus_one", "denoise",
    hint="Covariances here divide by n.",
    old="covariance = (X - centre).T @ (X - centre) / len(X)",
    new="covariance = (X - centre).T @ (X - centre) / (len(X) - 1)",
)

misconception(
    "takes_the_standard_deviation_for_the_variance", "denoise",
    hint="Σ is made of squares. What must be added to it has to be a square too.",
    old="np.linalg.inv(covariance + sigma**2 * unit)",
    new="np.linalg.inv(covariance + sigma * unit)",
)

misconception(
    "noise_in_every_entry_of_the_covariance", "denoise",
    hint="Are the noises of two pixels related? Then what is their covariance?",
    old="np.linalg.inv(covariance + sigma**2 * unit)",
    new="np.linalg.inv(covariance + sigma**2)",
)

misconception(
    "whitens_instead_of_denoising", "denoise",
    hint="With hardly any noise the best denoiser changes hardly anything. What does yours become?",
    old="A = covariance @ np.linalg.inv(covariance + sigma**2 * unit)",
    new="A = np.linalg.inv(covariance + sigma**2 * unit)",
)

misconception(
    "keeps_the_noise_and_drops_the_signal", "denoise",
    hint="An axis with much variance and little noise: should it be kept or turned down?",
    old="A = covariance @ np.linalg.inv(covariance + sigma**2 * unit)",
    new="A = sigma**2 * np.linalg.inv(covariance + sigma**2 * unit)",
)

misconception(
    "denoiser_moves_the_mean", "denoise",
    hint="Feed the mean of the data to your denoiser. Does it come out unchanged?",
    old="return A, (unit - A) @ centre",
    new="return A, 0 * centre",
)

misconception(
    "adds_the_mean_without_taking_it_away", "denoise",
    hint="Feed the mean of the data to your denoiser. It has been added; was it subtracted before?",
    old="return A, (unit - A) @ centre",
    new="return A, centre",
)


@misconception(
    "lets_axes_without_data_pass",
    "denoise",
    hint="With fewer examples than numbers, there are directions in which the data do not vary. What does your A do to them?",
)
def linear_denoiser(X, sigma):
    centre = X.mean(axis=0)
    lengths, axes = np.linalg.svd(X - centre, full_matrices=False)[1:]
    lost = sigma**2 / (lengths**2 / len(X) + sigma**2)
    A = np.eye(X.shape[1]) - axes.T * lost @ axes
    return A, centre - A @ centre


# -- penalties ---------------------------------------------------------------------------------------------------------

misconception(
    "l2_slope_without_the_two", "penalties",
    hint="Nudge one number of a code a little. By how much does its square change, and what does your gradient say?",
    old="return float(np.sum(H**2) / len(H)), 2 * H / len(H)",
    new="return float(np.sum(H**2) / len(H)), H / len(H)",
)

misconception(
    "l2_averages_over_the_units", "penalties",
    hint="Double the number of units. Should the price of a code stay the same?",
    old="return float(np.sum(H**2) / len(H)), 2 * H / len(H)",
    new="return float(np.mean(H**2)), 2 * H / H.size",
)

misconception(
    "l2_is_a_length", "penalties",
    hint="Is it the length of the code that is charged, or its square?",
    old="return float(np.sum(H**2) / len(H)), 2 * H / len(H)",
    new="L = np.linalg.norm(H, axis=1, keepdims=True)\n    return float(L.mean()), H / L / len(H)",
)

misconception(
    "l1_forgets_the_sign", "penalties",
    hint="A code of −3: what does it cost, and which way should it move?",
    old="return float(np.sum(np.abs(H)) / len(H)), np.sign(H) / len(H)",
    new="return float(np.sum(H) / len(H)), np.ones_like(H) / len(H)",
)

misconception(
    "l1_pulls_at_zero", "penalties",
    hint="At h = 0 there is a kink. Which derivative do the conventions choose there?",
    old="return float(np.sum(np.abs(H)) / len(H)), np.sign(H) / len(H)",
    new="return float(np.sum(np.abs(H)) / len(H)), np.where(H >= 0, 1.0, -1.0) / len(H)",
)

misconception(
    "l1_slope_is_not_averaged", "penalties",
    hint="The penalty is a mean over the examples. Is its gradient?",
    old="return float(np.sum(np.abs(H)) / len(H)), np.sign(H) / len(H)",
    new="return float(np.sum(np.abs(H)) / len(H)), np.sign(H)",
)

misconception(
    "a_hard_threshold", "penalties",
    hint="You leave the large numbers as they are. Does the price stop at λ?",
    old="return np.sign(A) * np.maximum(np.abs(A) - lam, 0)",
    new="return np.where(np.abs(A) > lam, A, 0.0)",
)

misconception(
    "shrinks_as_the_square_does", "penalties",
    hint="Which of your codes are exactly 0?",
    old="return np.sign(A) * np.maximum(np.abs(A) - lam, 0)",
    new="return A / (1 + 2 * lam)",
)

misconception(
    "pushes_past_zero", "penalties",
    hint="Take a = 0.1 and λ = 1. Your code has changed its sign; is that cheaper than 0?",
    old="return np.sign(A) * np.maximum(np.abs(A) - lam, 0)",
    new="return A - lam * np.sign(A)",
)

misconception(
    "keeps_positive_codes_only", "penalties",
    hint="What becomes of a = −3? Its copy with the other sign survives.",
    old="return np.sign(A) * np.maximum(np.abs(A) - lam, 0)",
    new="return np.maximum(A - lam, 0)",
)


@misconception(
    "sparse_code_cut_to_integers",
    "penalties",
    hint="Try A = np.array([3, -3]) and λ = ½. Which kind of numbers fits into the array that you fill?",
)
def sparse_code(A, lam):
    code = np.zeros_like(A)
    code[A > lam] = A[A > lam] - lam
    code[A < -lam] = A[A < -lam] + lam
    return code


misconception(
    "divides_by_the_number_itself", "penalties",
    hint="A may contain zeros, and λ may be 0. What do you divide by what then?",
    old="return np.sign(A) * np.maximum(np.abs(A) - lam, 0)",
    new="return A * np.maximum(1 - lam / np.abs(A), 0)",
)

misconception(
    "multiplies_two_means", "penalties",
    hint="With one example you are right. With two: do you multiply first and then average, or the other way round?",
    old="dW = 2 * squared.mean(axis=0)[:, None] * W + bend.T @ X",
    new="dW = 2 * squared.mean(axis=0)[:, None] * W + np.outer(bend.sum(axis=0), X.mean(axis=0))",
)

misconception(
    "takes_contraction_for_weight_decay", "penalties",
    hint="A saturated unit does not tremble, however large its weights. What does it pay with you?",
    old="squared = (H * (1 - H)) ** 2",
    new="squared = np.ones_like(H)",
)

misconception(
    "forgets_to_square_the_slope", "penalties",
    hint="An entry of the Jacobian is s·w, and the penalty adds up the squares of all entries.",
    old="squared = (H * (1 - H)) ** 2",
    new="squared = H * (1 - H)",
)

misconception(
    "holds_the_slope_fixed", "penalties",
    hint="W also moves h, and h moves the slope. Where is that path in your gradient?",
    old="bend = 2 * (1 - 2 * H) * squared * r / len(X)",
    new="bend = 0 * squared / len(X)",
)

misconception(
    "only_b_moves_the_slope", "penalties",
    hint="The bias moves h, and your gradient in b knows it. Does W not move h as well?",
    old="dW = 2 * squared.mean(axis=0)[:, None] * W + bend.T @ X",
    new="dW = 2 * squared.mean(axis=0)[:, None] * W",
)

misconception(
    "holds_the_length_of_the_rows_fixed", "penalties",
    hint="W also stands in ‖w‖². Where is that path in your gradient?",
    old="dW = 2 * squared.mean(axis=0)[:, None] * W + bend.T @ X",
    new="dW = bend.T @ X",
)

misconception(
    "differentiates_s_instead_of_its_square", "penalties",
    hint="It is s² that is charged. What does the chain rule put before the derivative of s?",
    old="bend = 2 * (1 - 2 * H) * squared * r / len(X)",
    new="bend = (1 - 2 * H) * squared * r / len(X)",
)

misconception(
    "measures_columns_of_w", "penalties",
    hint="Unit j owns a row of W. Over which axis did you sum the squares?",
    old="r = np.sum(W**2, axis=1)",
    new="r = np.sum(W**2)",
)

misconception(
    "sums_the_contraction_over_the_examples", "penalties",
    hint="Write every example down twice. Should the penalty change?",
    old="return float(np.sum(squared * r) / len(X)), dW, bend.sum(axis=0)",
    new="return float(np.sum(squared * r)), len(X) * dW, len(X) * bend.sum(axis=0)",
)

misconception(
    "l2_slope_is_not_averaged", "penalties",
    hint="The price is a mean over the examples, and yours is. Is its slope?",
    old="return float(np.sum(H**2) / len(H)), 2 * H / len(H)",
    new="return float(np.sum(H**2) / len(H)), 2 * H",
)

misconception(
    "l2_sums_over_the_examples", "penalties",
    hint="Write every example down twice. Should the price of a code change?",
    old="return float(np.sum(H**2) / len(H)), 2 * H / len(H)",
    new="return float(np.sum(H**2)), 2 * H",
)

misconception(
    "l2_with_a_half", "penalties",
    hint="The reconstruction loss has a ½. Has this penalty?",
    old="return float(np.sum(H**2) / len(H)), 2 * H / len(H)",
    new="return float(np.sum(H**2) / (2 * len(H))), H / len(H)",
)

misconception(
    "l1_sums_over_the_examples", "penalties",
    hint="Write every example down twice. Should the price of a code change?",
    old="return float(np.sum(np.abs(H)) / len(H)), np.sign(H) / len(H)",
    new="return float(np.sum(np.abs(H))), np.sign(H)",
)

misconception(
    "l1_averages_over_the_units", "penalties",
    hint="Double the number of units. Should the price of a code stay the same?",
    old="return float(np.sum(np.abs(H)) / len(H)), np.sign(H) / len(H)",
    new="return float(np.mean(np.abs(H))), np.sign(H) / H.size",
)

misconception(
    "the_length_of_a_row_has_no_two", "penalties",
    hint="Differentiate ‖w‖² by w. What comes down?",
    old="dW = 2 * squared.mean(axis=0)[:, None] * W + bend.T @ X",
    new="dW = squared.mean(axis=0)[:, None] * W + bend.T @ X",
)

misconception(
    "the_slope_always_grows", "penalties",
    hint="Where h passes ½, the slope h(1 − h) is largest. What is its derivative there, and what is yours?",
    old="bend = 2 * (1 - 2 * H) * squared * r / len(X)",
    new="bend = 2 * squared * r / len(X)",
)

misconception(
    "one_slope_too_few_in_the_chain", "penalties",
    hint="d(s²) = 2s·ds, and ds/da has an s of its own. How many is that?",
    old="bend = 2 * (1 - 2 * H) * squared * r / len(X)",
    new="bend = 2 * (1 - 2 * H) * (H * (1 - H)) * r / len(X)",
)

# -- vae ---------------------------------------------------------------------------------------------------------------

misconception(
    "takes_the_variance_for_the_deviation", "vae",
    hint="ℓ is the logarithm of the variance. What is the standard deviation?",
    old="return mu + torch.exp(logvar / 2) * eps",
    new="return mu + torch.exp(logvar) * eps",
)

misconception(
    "takes_logvar_for_the_deviation", "vae",
    hint="Can a standard deviation be negative? ℓ can.",
    old="return mu + torch.exp(logvar / 2) * eps",
    new="return mu + logvar * eps",
)

misconception(
    "cuts_the_draw_off", "vae",
    hint="How do μ and ℓ reach the decoder? Follow the gradient back through z.",
    old="return mu + torch.exp(logvar / 2) * eps",
    new="return (mu + torch.exp(logvar / 2) * eps).detach()",
)

misconception(
    "cuts_off_the_deviation", "vae",
    hint="The gradient reaches μ. Does it reach ℓ?",
    old="return mu + torch.exp(logvar / 2) * eps",
    new="return mu + torch.exp(logvar / 2).detach() * eps",
)

misconception(
    "draws_without_noise", "vae",
    hint="Two different ε, the same z: what did you do with ε?",
    old="return mu + torch.exp(logvar / 2) * eps",
    new="return mu + 0 * eps",
)

misconception(
    "kl_with_the_sign_turned", "vae",
    hint="A KL divergence is never negative. Is yours?",
    old="return (torch.exp(logvar) + mu**2 - 1 - logvar).sum(dim=1) / 2",
    new="return (1 + logvar - mu**2 - torch.exp(logvar)).sum(dim=1) / 2",
)

misconception(
    "kl_without_the_half", "vae",
    hint="Try μ = 0.7, σ = 0.5: the text has the value.",
    old="return (torch.exp(logvar) + mu**2 - 1 - logvar).sum(dim=1) / 2",
    new="return (torch.exp(logvar) + mu**2 - 1 - logvar).sum(dim=1)",
)

misconception(
    "kl_averages_over_the_code", "vae",
    hint="Prices of independent numbers add up. Did you add or average?",
    old="return (torch.exp(logvar) + mu**2 - 1 - logvar).sum(dim=1) / 2",
    new="return (torch.exp(logvar) + mu**2 - 1 - logvar).mean(dim=1) / 2",
)

misconception(
    "kl_the_other_way_round", "vae",
    hint="KL is not symmetric. Which of the two distributions do you average over?",
    old="return (torch.exp(logvar) + mu**2 - 1 - logvar).sum(dim=1) / 2",
    new="return ((1 + mu**2) / torch.exp(logvar) - 1 + logvar).sum(dim=1) / 2",
)

misconception(
    "kl_reads_logvar_as_log_sigma", "vae",
    hint="Is e^ℓ the deviation or its square?",
    old="return (torch.exp(logvar) + mu**2 - 1 - logvar).sum(dim=1) / 2",
    new="return (torch.exp(2 * logvar) + mu**2 - 1 - 2 * logvar).sum(dim=1) / 2",
)

misconception(
    "adds_the_price", "vae",
    hint="What should happen to a lower bound when the code becomes dearer?",
    old="return likelihood.mean(dim=0) - kl_to_prior(mu, logvar)",
    new="return likelihood.mean(dim=0) + kl_to_prior(mu, logvar)",
)

misconception(
    "gives_the_negative_elbo", "vae",
    hint="This function gives the bound, which is to be maximised; the loss is its negative.",
    old="return likelihood.mean(dim=0) - kl_to_prior(mu, logvar)",
    new="return kl_to_prior(mu, logvar) - likelihood.mean(dim=0)",
)

misconception(
    "forgets_the_price", "vae",
    hint="Without the price, which σ would the encoder choose?",
    old="return likelihood.mean(dim=0) - kl_to_prior(mu, logvar)",
    new="return likelihood.mean(dim=0) - 0 * kl_to_prior(mu, logvar)",
)

misconception(
    "averages_the_likelihood_over_the_pixels", "vae",
    hint="Both terms must be in the same units: log-probabilities of a whole example.",
    old="likelihood = constant - ((x - means) ** 2).sum(dim=2) / (2 * s**2)",
    new="likelihood = (constant - ((x - means) ** 2).sum(dim=2) / (2 * s**2)) / x.shape[1]",
)

misconception(
    "averages_the_squared_error_over_the_pixels", "vae",
    hint="The KL adds over the code. What does your squared error do over the pixels, add or average?",
    old="((x - means) ** 2).sum(dim=2) / (2 * s**2)",
    new="((x - means) ** 2).mean(dim=2) / (2 * s**2)",
)

misconception(
    "forgets_the_gaussians_constant", "vae",
    hint="For a bound on log p(x) the Gaussian needs all of its logarithm. What stands before the exponential?",
    old="constant = -0.5 * x.shape[1] * float(np.log(2 * np.pi * s**2))",
    new="constant = 0.0",
)

misconception(
    "the_constant_of_a_single_pixel", "vae",
    hint="The density of an example is a product over its pixels. How often does the constant occur?",
    old="constant = -0.5 * x.shape[1] * float(np.log(2 * np.pi * s**2))",
    new="constant = -0.5 * float(np.log(2 * np.pi * s**2))",
)

misconception(
    "divides_by_s_unsquared", "vae",
    hint="s is a standard deviation. What divides a squared error in a Gaussian?",
    old="((x - means) ** 2).sum(dim=2) / (2 * s**2)",
    new="((x - means) ** 2).sum(dim=2) / (2 * s)",
)

misconception(
    "sums_over_the_draws", "vae",
    hint="Ten draws instead of one: should the bound be ten times as large?",
    old="return likelihood.mean(dim=0) - kl_to_prior(mu, logvar)",
    new="return likelihood.sum(dim=0) - kl_to_prior(mu, logvar)",
)

misconception(
    "takes_the_logarithm_of_the_mean", "vae",
    hint="Which comes first in the bound, the mean over the draws or the logarithm? Jensen cares.",
    old="return likelihood.mean(dim=0) - kl_to_prior(mu, logvar)",
    new="return likelihood.exp().mean(dim=0).log() - kl_to_prior(mu, logvar)",
)

misconception(
    "averages_the_pictures_of_the_draws", "vae",
    hint="Two draws miss x on opposite sides. What does their average picture cost, and what do the two cost on average?",
    old="means = decoder(reparametrise(mu, logvar, eps))",
    new="means = decoder(reparametrise(mu, logvar, eps)).mean(dim=0, keepdim=True)",
)

misconception(
    "decodes_the_mean_alone", "vae",
    hint="The bound averages over draws of z. What do you decode?",
    old="means = decoder(reparametrise(mu, logvar, eps))",
    new="means = decoder(reparametrise(mu, logvar, 0 * eps))",
)

misconception(
    "starts_a_sum_on_the_cpu", "vae",
    hint="Where does a tensor live that you make with torch.zeros and nothing more?",
    old="return (torch.exp(logvar) + mu**2 - 1 - logvar).sum(dim=1) / 2",
    new="return torch.zeros(len(mu)) + (torch.exp(logvar) + mu**2 - 1 - logvar).sum(dim=1) / 2",
)

misconception(
    "never_forgets_old_gradients", "vae",
    hint="backward adds to the gradients that are there. What was there before your step?",
    old="    optimiser.zero_grad()\n    loss.backward()",
    new="    loss.backward()",
)

misconception(
    "forgets_what_it_has_just_learnt", "vae",
    hint="Compare the weights before and after your step. Which gradients does the optimiser see?",
    old="    optimiser.zero_grad()\n    loss.backward()\n    optimiser.step()",
    new="    loss.backward()\n    optimiser.zero_grad()\n    optimiser.step()",
)

misconception(
    "descends_on_the_bound_itself", "vae",
    hint="An optimiser makes its loss smaller. Is a small ELBO what one wants of a lower bound?",
    old="loss = -elbo(x, mu, logvar, eps, decoder, s).mean()",
    new="loss = elbo(x, mu, logvar, eps, decoder, s).mean()",
)

misconception(
    "sums_the_loss_over_the_batch", "vae",
    hint="Copy the batch twice. Should the step become twice as long?",
    old="loss = -elbo(x, mu, logvar, eps, decoder, s).mean()",
    new="loss = -elbo(x, mu, logvar, eps, decoder, s).sum()",
)

misconception(
    "takes_the_logarithm_for_the_mean", "vae",
    hint="The encoder gives 2k numbers. Which half comes first?",
    old="mu, logvar = encoder(x).chunk(2, dim=1)",
    new="logvar, mu = encoder(x).chunk(2, dim=1)",
)

misconception(
    "deals_the_numbers_out_in_turn", "vae",
    hint="Do μ and ℓ alternate in what the encoder gives, or do all of one come first?",
    old="mu, logvar = encoder(x).chunk(2, dim=1)",
    new="mu, logvar = encoder(x)[:, ::2], encoder(x)[:, 1::2]",
)

misconception(
    "cuts_the_encoder_off", "vae",
    hint="Look at the encoder's weights after ten steps. How does the loss reach them?",
    old="mu, logvar = encoder(x).chunk(2, dim=1)",
    new="mu, logvar = encoder(x).detach().chunk(2, dim=1)",
)

misconception(
    "tells_the_loss_after_the_step", "vae",
    hint="Which loss is asked for: the one before the step, or the one after it?",
    old="    optimiser.step()\n    return loss.item()",
    new=(
        "    optimiser.step()\n"
        "    mu, logvar = encoder(x).chunk(2, dim=1)\n"
        "    return -elbo(x, mu, logvar, eps, decoder, s).mean().item()"
    ),
)

misconception(
    "tells_the_elbo_for_the_loss", "vae",
    hint="The loss is what the optimiser makes smaller. Which sign has it, beside the ELBO?",
    old="    return loss.item()",
    new="    return -loss.item()",
)

misconception(
    "the_price_alone_moves_the_deviation", "vae",
    hint="Your bound is right. Compare its slope in ℓ with that of small steps: by which ways does ℓ act on it?",
    old="means = decoder(reparametrise(mu, logvar, eps))",
    new="means = decoder(reparametrise(mu, logvar.detach(), eps))",
)

misconception(
    "the_price_alone_moves_the_mean", "vae",
    hint="Your bound is right. Compare its slope in μ with that of small steps: by which ways does μ act on it?",
    old="means = decoder(reparametrise(mu, logvar, eps))",
    new="means = decoder(reparametrise(mu.detach(), logvar, eps))",
)

misconception(
    "the_price_alone_teaches_the_encoder", "vae",
    hint="Your bound is right. Compare its slopes in μ and ℓ with those of small steps: does z hand anything back to them?",
    old="means = decoder(reparametrise(mu, logvar, eps))",
    new="means = decoder(reparametrise(mu, logvar, eps).detach())",
)

misconception(
    "clears_the_encoder_alone", "vae",
    hint="Two networks may have gradients from before. Whose are gone when your backward begins?",
    old="    optimiser.zero_grad()\n    loss.backward()",
    new="    encoder.zero_grad()\n    loss.backward()",
)

misconception(
    "clears_the_decoder_alone", "vae",
    hint="Two networks may have gradients from before. Whose are gone when your backward begins?",
    old="    optimiser.zero_grad()\n    loss.backward()",
    new="    decoder.zero_grad()\n    loss.backward()",
)

# -- concepts ----------------------------------------------------------------------------------------------------------

misconception(
    "forgets_the_half_of_the_loss", "concepts",
    hint="Item wire: the loss is half the squared error, summed over the pixels. Have you taken the half?",
    old="    wire=2,\n", new="    wire=4,\n",
)

misconception(
    "pays_the_deviation", "concepts",
    hint="Item wire: squared errors are averaged. What is the mean of the square of noise with a standard deviation of 0.25?",
    old="    wire=2,\n", new="    wire=8,\n",
)

misconception(
    "ties_what_is_not_tied", "concepts",
    hint="Item encoder: at the optimum DE projects, so a point that the decoder can reach is its own copy. Send (3, 4) through your E and D.",
    old='    encoder=0.12,\n', new="    encoder=3.0,\n",
)

misconception(
    "takes_pca_s_own_axis", "concepts",
    hint="Item encoder: E need not have length 1. Send (3, 4) through your E and D: does it come back?",
    old="    encoder=0.12,\n", new="    encoder=0.6,\n",
)

misconception(
    "the_floor_binds_everything", "concepts",
    hint="Item below: read the theorem again: which maps does it speak of?",
    old='    below="overfits",\n', new='    below="bug",\n',
)

misconception(
    "below_the_floor_means_a_leak", "concepts",
    hint="Item below: who has seen the test digits is good on them. Is it?",
    old='    below="overfits",\n', new='    below="leak",\n',
)

misconception(
    "lower_is_better", "concepts",
    hint="Item below: which of the two columns says how it does on digits that it has not seen?",
    old='    below="overfits",\n', new='    below="better",\n',
)

misconception(
    "counts_both_copies", "concepts",
    hint="Item parameters: the decoder uses the encoder's matrices, turned round. How many matrices are there?",
    old="    parameters=13590,\n", new="    parameters=26830,\n",
)

misconception(
    "counts_no_biases", "concepts",
    hint="Item parameters: every layer has biases, the output too. How many is that?",
    old="    parameters=13590,\n", new="    parameters=13240,\n",
)

misconception(
    "rounds_a_count", "concepts",
    hint="Item parameters: you have it to three digits. A count can be told to the last one.",
    old="    parameters=13590,\n", new="    parameters=13600,\n",
)

misconception(
    "blames_the_noise_of_the_denoiser", "concepts",
    hint="Item spotless: ½·64·0.25 = 8: all of the noise comes out again. What was the network rewarded for?",
    old='    spotless="target",\n', new='    spotless="variance",\n',
)

misconception(
    "blames_the_rate_of_the_denoiser", "concepts",
    hint="Item spotless: the loss falls as smoothly as one could wish. To what has it fallen, and what does that reward?",
    old='    spotless="target",\n', new='    spotless="rate",\n',
)

misconception(
    "blames_the_size_of_the_code", "concepts",
    hint="Item spotless: a large code only makes it possible to copy noise. What made it worth while?",
    old='    spotless="target",\n', new='    spotless="code",\n',
)

misconception(
    "charges_by_the_weights_alone", "concepts",
    hint="Item trembling: which of the two penalties contains h(1 − h)?",
    old='    trembling=0.157,\n', new="    trembling=100.0,\n",
)

misconception(
    "does_not_square_the_slopes", "concepts",
    hint="Item trembling: the penalty adds up squared derivatives. Are your slopes squared as well as your lengths?",
    old="    trembling=0.157,\n", new="    trembling=3.96,\n",
)

misconception(
    "blames_the_decoder_for_the_silence", "concepts",
    hint="Item silent: the KL went to 0: using the code did not pay. Compare what each term costs.",
    old='    silent="scale",\n', new='    silent="width",\n',
)

misconception(
    "blames_the_seed_for_the_silence", "concepts",
    hint="Item silent: another seed would pay the same prices. By which factor is one of the two too cheap?",
    old='    silent="scale",\n', new='    silent="seed",\n',
)

misconception(
    "blames_the_rate_for_the_silence", "concepts",
    hint="Item silent: training has come to rest where it should, for these prices. By which factor is one of the two too cheap?",
    old='    silent="scale",\n', new='    silent="rate",\n',
)

misconception(
    "forgets_the_two_s_squared", "concepts",
    hint="Item worth: by which number is the squared error divided in log p(x|z)?",
    old="    worth=-0.095,\n", new="    worth=0.53,\n",
)

misconception(
    "forgets_the_half_of_the_price", "concepts",
    hint="Item worth: what does the KL charge for a μ of 1.2? There is a ½ in it.",
    old="    worth=-0.095,\n", new="    worth=-0.815,\n",
)

misconception(
    "sees_the_gain_alone", "concepts",
    hint="Item worth: the reconstruction gains. What does the code cost?",
    old="    worth=-0.095,\n", new="    worth=0.625,\n",
)

misconception(
    "compares_two_bounds", "concepts",
    hint="Item likelihood: B's log-density is at least −41. May it be −30?",
    old='    likelihood="bound",\n', new='    likelihood="order",\n',
)

misconception(
    "a_gan_knows_probabilities", "concepts",
    hint="Item likelihood: what does a critic in a game say: a probability of the picture, or real against made?",
    old='    likelihood="bound",\n', new='    likelihood="gan",\n',
)

misconception(
    "no_model_offers_a_bound", "concepts",
    hint="Item likelihood: what do the letters LB in ELBO stand for?",
    old='    likelihood="bound",\n', new='    likelihood="none",\n',
)

misconception(
    "a_low_loss_means_a_good_vector", "concepts",
    hint="Item sentence: what would the loss do without the vectors, if they were needed?",
    old='    sentence="ignored",\n', new='    sentence="good",\n',
)

misconception(
    "calls_ignoring_overfitting", "concepts",
    hint="Item sentence: were these sentences, on which the two losses are so near, not fresh?",
    old='    sentence="ignored",\n', new='    sentence="overfitted",\n',
)

misconception(
    "blames_the_sentences", "concepts",
    hint="Item sentence: from what else than the vector can the second network guess the next word?",
    old='    sentence="ignored",\n', new='    sentence="short",\n',
)

misconception(
    "writes_a_number_in_quotes", "concepts",
    hint="A number is asked for, and a number needs no quotes.",
    old="    wire=2,\n", new='    wire="2",\n',
)

# -- stacked (extra) ---------------------------------------------------------------------------------------------------

misconception(
    "the_latent_is_in_the_middle", "stacked",
    hint="The latent layer need not stand in the middle. What makes it the latent one?",
    old="return min(hidden), channels * side**2",
    new="return hidden[len(hidden) // 2], channels * side**2",
)

misconception(
    "the_latent_is_the_last_layer", "stacked",
    hint="You took the last hidden layer. Which one is the narrowest?",
    old="return min(hidden), channels * side**2",
    new="return hidden[-1], channels * side**2",
)

misconception(
    "the_output_forgets_the_channels", "stacked",
    hint="How many numbers has one pixel of a colour picture?",
    old="return min(hidden), channels * side**2",
    new="return min(hidden), side**2",
)

misconception(
    "the_output_is_one_row", "stacked",
    hint="An N×N picture: how many pixels are that?",
    old="return min(hidden), channels * side**2",
    new="return min(hidden), channels * side",
)

misconception(
    "stacks_without_squashing", "stacked",
    hint="Linear layers in a row are one linear layer. What stands between them here?",
    old="codes = encode(W, b, codes)",
    new="codes = codes @ W.T + b",
)

misconception(
    "squashes_only_the_deepest_code", "stacked",
    hint="Each layer is an encoder of its own. Where does each of them squash?",
    old="codes = encode(W, b, codes)\n    return codes",
    new="codes = codes @ W.T + b\n    return sigmoid(codes)",
)

misconception(
    "decodes_in_the_order_of_encoding", "stacked",
    hint="The last encoder worked on the codes of the one before it. Which decoder has to undo its work first?",
    old="for W, _, c in reversed(layers):",
    new="for W, _, c in layers:",
)

misconception(
    "turns_the_callers_list_round", "stacked",
    hint="Decode twice with the same list. In which order are its layers the second time?",
    old="for W, _, c in reversed(layers):",
    new="layers.reverse()\n    for W, _, c in layers:",
)

misconception(
    "squashes_on_the_way_back", "stacked",
    hint="The decoder of a tied auto-encoder here is linear, at every level.",
    old="values = decode(W, c, values)",
    new="values = sigmoid(decode(W, c, values))",
)

misconception(
    "trains_every_layer_on_the_data", "stacked",
    hint="What does the second auto-encoder reconstruct: the data, or the codes of the first?",
    old="inputs = encode(W, b, inputs)",
    new="inputs = X",
)


@misconception(
    "puts_all_stacks_into_one_list",
    "stacked",
    hint="Make two stacks and count the layers of the second. When is a default value made: at each call, or once?",
)
def stack(X, widths, fit, trained=[]):
    inputs = X
    for width in widths:
        W, b, c = fit(inputs, width)
        trained.append((W, b, c))
        inputs = encode(W, b, inputs)
    return trained


misconception(
    "trains_on_unsquashed_codes", "stacked",
    hint="You hand on W x + b. Is that the code?",
    old="inputs = encode(W, b, inputs)",
    new="inputs = inputs @ W.T + b",
)

# -- jensen (extra) ----------------------------------------------------------------------------------------------------

misconception(
    "takes_the_mean_of_the_logarithms", "jensen",
    hint="Which comes first, the sum or the logarithm? Jensen's inequality lies between the two.",
    old="return np.logaddexp.reduce(log_prior + log_lik, axis=1)",
    new="return log_lik @ np.exp(log_prior)",
)

misconception(
    "lets_the_evidence_underflow", "jensen",
    hint="What is e^−2000 on your computer, and what is its logarithm?",
    old="return np.logaddexp.reduce(log_prior + log_lik, axis=1)",
    new="return np.log(np.exp(log_prior + log_lik).sum(axis=1))",
)

misconception(
    "one_maximum_for_all_evidences", "jensen",
    hint="One example has e^−800, another e^−9000. Whose largest number did you take out of the second?",
    old="return np.logaddexp.reduce(log_prior + log_lik, axis=1)",
    new="a = log_prior + log_lik\n    return a.max() + np.log(np.exp(a - a.max()).sum(axis=1))",
)

misconception(
    "one_maximum_for_all_posteriors", "jensen",
    hint="One example has e^−800, another e^−9000. What is left of the second after your shift?",
    old="weights = np.exp(joint - joint.max(axis=1, keepdims=True))",
    new="weights = np.exp(joint - joint.max())",
)

misconception(
    "forgets_the_prior_in_the_evidence", "jensen",
    hint="Are all values of z equally likely beforehand?",
    old="return np.logaddexp.reduce(log_prior + log_lik, axis=1)",
    new="return np.logaddexp.reduce(0 * log_prior + log_lik, axis=1)",
)

misconception(
    "forgets_the_prior_in_the_posterior", "jensen",
    hint="If the likelihoods are all equal, what should the posterior be?",
    old="joint = log_prior + log_lik\n",
    new="joint = 0 * log_prior + log_lik\n",
)

misconception(
    "normalises_over_the_examples", "jensen",
    hint="Which sums of your posterior are 1: those of the rows or those of the columns?",
    old="return weights / weights.sum(axis=1, keepdims=True)",
    new="return weights / weights.sum(axis=0, keepdims=True)",
)

misconception(
    "lets_the_posterior_underflow", "jensen",
    hint="0 divided by 0: which number was too small for your computer?",
    old="weights = np.exp(joint - joint.max(axis=1, keepdims=True))",
    new="weights = np.exp(joint)",
)

misconception(
    "forgets_the_entropy_of_the_guess", "jensen",
    hint="Insert the posterior: does your bound become log p(x)?",
    old="return np.sum(q * (log_prior + log_lik - np.log(safe)), axis=1)",
    new="return np.sum(q * (log_prior + log_lik), axis=1)",
)

misconception(
    "adds_log_q", "jensen",
    hint="Is q in the numerator or in the denominator?",
    old="return np.sum(q * (log_prior + log_lik - np.log(safe)), axis=1)",
    new="return np.sum(q * (log_prior + log_lik + np.log(safe)), axis=1)",
)

misconception(
    "takes_the_logarithm_of_zero", "jensen",
    hint="What is 0·log 0 on your computer, and what is it in the limit?",
    old="safe = np.where(q > 0, q, 1)",
    new="safe = q",
)

# -- ppca (extra) ------------------------------------------------------------------------------------------------------

misconception(
    "noise_is_the_sum_of_what_is_dropped", "ppca",
    hint="The noise is the same along every dropped axis. Is s² their sum?",
    old="s2 = float(spectrum[k:].mean())",
    new="s2 = float(spectrum[k:].sum())",
)

misconception(
    "spreads_the_noise_over_all_axes", "ppca",
    hint="Over how many axes is the left-over variance averaged?",
    old="s2 = float(spectrum[k:].mean())",
    new="s2 = float(spectrum[k:].sum() / len(spectrum))",
)

misconception(
    "forgets_to_shorten_the_axes", "ppca",
    hint="Along a kept axis the model has ‖v‖² + s² of variance. Does that equal λ?",
    old="return m, axes[:k].T * np.sqrt(spectrum[:k] - s2), s2",
    new="return m, axes[:k].T * np.sqrt(spectrum[:k]), s2",
)

misconception(
    "gives_axes_of_length_one", "ppca",
    hint="z has variance 1. How far must V stretch it?",
    old="return m, axes[:k].T * np.sqrt(spectrum[:k] - s2), s2",
    new="return m, axes[:k].T, s2",
)

misconception(
    "likelihood_without_the_determinant", "ppca",
    hint="A wider Gaussian is lower. Where does your formula know its width?",
    old="return -0.5 * (len(m) * np.log(2 * np.pi) + np.linalg.slogdet(C)[1] + squares)",
    new="return -0.5 * (len(m) * np.log(2 * np.pi) + squares)",
)

misconception(
    "likelihood_with_the_variance_squared", "ppca",
    hint="s2 is a variance already. What does the noise add to the diagonal of the covariance?",
    old="C = V @ V.T + s2 * np.eye(len(m))",
    new="C = V @ V.T + s2**2 * np.eye(len(m))",
)

misconception(
    "posterior_by_the_plain_projection", "ppca",
    hint="With very much noise, how far from 0 should the posterior mean dare to go?",
    old="inverse = np.linalg.inv(V.T @ V + s2 * np.eye(V.shape[1]))",
    new="inverse = np.linalg.inv(V.T @ V)",
)

misconception(
    "posterior_covariance_without_s2", "ppca",
    hint="Without noise, x would tell z exactly. Does your covariance shrink to 0 then?",
    old="return (X - m) @ V @ inverse, s2 * inverse",
    new="return (X - m) @ V @ inverse, inverse",
)

misconception(
    "posterior_of_data_that_are_not_centred", "ppca",
    hint="What is the posterior mean for x = m?",
    old="return (X - m) @ V @ inverse, s2 * inverse",
    new="return X @ V @ inverse, s2 * inverse",
)

misconception(
    "takes_every_v_for_orthogonal", "ppca",
    hint="The columns of a fitted V are at right angles. Are those of every V?",
    old="inverse = np.linalg.inv(V.T @ V + s2 * np.eye(V.shape[1]))",
    new="inverse = np.diag(1 / (np.sum(V**2, axis=0) + s2))",
)

# -- applied (extra) ---------------------------------------------------------------------------------------------------


@misconception(
    "drops_a_last_piece_of_one",
    "applied",
    hint="Score a single example. How many pieces does your loop make of it?",
)
def outlier_scores(mean, V, X):
    scores = np.zeros(len(X))
    for start in range(0, len(X) - 1, 64):
        piece = X[start : start + 64] - mean
        scores[start : start + 64] = np.sum((piece - piece @ V @ V.T) ** 2, axis=1)
    return scores


misconception(
    "scores_without_centring", "applied",
    hint="What is the score of the mean itself?",
    old="lost = (X - mean) - (X - mean) @ V @ V.T",
    new="lost = X - X @ V @ V.T",
)

misconception(
    "scores_the_distance_from_the_mean", "applied",
    hint="An example far out, but in the plane: is it strange?",
    old="lost = (X - mean) - (X - mean) @ V @ V.T",
    new="lost = X - mean",
)

misconception(
    "scores_what_is_kept", "applied",
    hint="You measure the shadow on the plane. How far is the example from it?",
    old="lost = (X - mean) - (X - mean) @ V @ V.T",
    new="lost = (X - mean) @ V @ V.T",
)

misconception(
    "scores_a_distance_unsquared", "applied",
    hint="Is the score a distance, or its square?",
    old="return np.sum(lost**2, axis=1)",
    new="return np.sqrt(np.sum(lost**2, axis=1))",
)

misconception(
    "counts_equal_bits", "applied",
    hint="How far is a row of bits from itself?",
    old="return np.sum(P[:, None, :] != Q[None, :, :], axis=2)",
    new="return np.sum(P[:, None, :] == Q[None, :, :], axis=2)",
)

misconception(
    "counts_common_ones", "applied",
    hint="Two rows of zeros are equal too. What is their distance?",
    old="return np.sum(P[:, None, :] != Q[None, :, :], axis=2)",
    new="return P @ Q.T",
)

misconception(
    "counts_in_one_byte", "applied",
    hint="Codes may have hundreds of bits. What is the largest number that fits into your counts?",
    old="return np.sum(P[:, None, :] != Q[None, :, :], axis=2)",
    new="return np.sum(P[:, None, :] != Q[None, :, :], axis=2).astype(np.uint8)",
)

misconception(
    "exactly_a_half_is_zero", "applied",
    hint="Somebody has to decide about exactly ½; the docstring does.",
    old="return (H >= 0.5).astype(int)",
    new="return (H > 0.5).astype(int)",
)
