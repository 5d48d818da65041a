"""Wrong answers to the perceptron, each with the hint a teacher would give."""

from redink.checks import misconception

# -- score -------------------------------------------------------------------------------------------------------------

misconception(
    "puts_the_constant_last", "score",
    hint="Count the weights from the left: which of them belongs to the constant here?",
    old="return np.hstack([np.ones((len(X), 1)), X])",
    new="return np.hstack([X, np.ones((len(X), 1))])",
)

misconception(
    "scores_without_the_constant", "score",
    hint="Can your line miss the origin?",
    old="return augment(X) @ w\n",
    new="return X @ w[1:]\n",
)

misconception(
    "predicts_the_sign", "score",
    hint="What does np.sign say about 0? There is no third class.",
    old="return np.where(scores(X, w) >= 0, 1, -1)",
    new="return np.sign(scores(X, w))",
)

misconception(
    "predicts_zero_or_one", "score",
    hint="What are the two labels called in this notebook?",
    old="return np.where(scores(X, w) >= 0, 1, -1)",
    new="return np.where(scores(X, w) >= 0, 1, 0)",
)

misconception(
    "predicts_minus_one_on_the_boundary", "score",
    hint="Somebody has to decide about a score of exactly 0; the conventions say how.",
    old="return np.where(scores(X, w) >= 0, 1, -1)",
    new="return np.where(scores(X, w) > 0, 1, -1)",
)

misconception(
    "scores_take_the_constant_from_the_end", "score",
    hint="Take an example of zeros: its score is one of the weights. Which one do the conventions say?",
    old="return augment(X) @ w\n",
    new="return X @ w[:-1] + w[-1]\n",
)

# The scores are written out, with the constant where it belongs; whatever goes by augment has it last.
LAST = "Your scores take the first weight for the constant's. In which column does augment put the ones?"

misconception(
    "augments_behind_and_scores_in_front", "score",
    hint=LAST,
    old="return np.hstack([np.ones((len(X), 1)), X])",
    new="return np.hstack([X, np.ones((len(X), 1))])",
)
misconception(
    "augments_behind_and_scores_in_front", "score",
    hint=LAST,
    old="return augment(X) @ w\n",
    new="return w[0] + X @ w[1:]\n",
)
misconception(
    "augments_behind_and_scores_in_front", "score",
    hint=LAST,
    old="return float(np.min(y * scores(X, u)) / np.linalg.norm(u))",
    new="return float(np.min(y * (augment(X) @ u)) / np.linalg.norm(u))",
)
misconception(
    "augments_behind_and_scores_in_front", "score",
    hint=LAST,
    old="distances = y * scores(X, u) / np.linalg.norm(u)",
    new="distances = y * (augment(X) @ u) / np.linalg.norm(u)",
)


@misconception(
    "augments_into_one_array",
    "score",
    hint="Call augment twice, for two data sets of one size. What does the first result look like now?",
)
def augment(X, kept={}):
    made = kept.setdefault(X.shape, np.ones((len(X), X.shape[1] + 1)))
    made[:, 1:] = X
    return made


misconception(
    "augments_in_whole_numbers", "score",
    hint="Augment an example with 0.5 in it. What has become of the half?",
    old="return np.hstack([np.ones((len(X), 1)), X])",
    new="return np.hstack([np.ones((len(X), 1)), X.astype(int)])",
)

misconception(
    "compares_whole_scores", "score",
    hint="An example has a score of −0.5. Which number do you compare with 0 there?",
    old="return np.where(scores(X, w) >= 0, 1, -1)",
    new="return np.where(scores(X, w).astype(int) >= 0, 1, -1)",
)

misconception(
    "a_score_of_almost_zero_is_zero", "score",
    hint="Where does the positive side begin: at 0, or a little before it?",
    old="return np.where(scores(X, w) >= 0, 1, -1)",
    new="return np.where(scores(X, w) > -1e-9, 1, -1)",
)

misconception(
    "squeezes_a_single_example", "score",
    hint="Score a single example. What shape has the answer, and which axis did you want to lose?",
    old="return augment(X) @ w\n",
    new="return np.squeeze(augment(X) @ np.reshape(w, (-1, 1)))\n",
)

# -- step --------------------------------------------------------------------------------------------------------------

misconception(
    "ignores_ties", "step",
    hint="What does your rule do with the very first example, when w is still 0?",
    old="if y * (w @ x) <= 0:",
    new="if y * (w @ x) < 0:",
)

misconception(
    "asks_for_a_margin", "step",
    hint="An example lies on the right side, but close to the boundary. Is that a mistake?",
    old="if y * (w @ x) <= 0:",
    new="if y * (w @ x) < 1:",
)

misconception(
    "a_score_of_zero_is_a_guess", "step",
    hint="While w is 0 your rule guesses +1 everywhere. Has it earned the positive examples?",
    old="if y * (w @ x) <= 0:",
    new="if y != (1 if w @ x >= 0 else -1):",
)

misconception(
    "updates_on_every_example", "step",
    hint="The perceptron is lazy: what should an example that is already right change?",
    old="if y * (w @ x) <= 0:",
    new="if True:",
)

misconception(
    "adds_x_without_its_label", "step",
    hint="Which way should a negative example push w?",
    old="return w + y * x, True",
    new="return w + x, True",
)

misconception(
    "steps_away_from_the_example", "step",
    hint="Work out y·(w·x) after your step: is the example less wrong than before?",
    old="return w + y * x, True",
    new="return w - y * x, True",
)

misconception(
    "takes_the_labels_for_zero_and_one", "step",
    hint="How far do your negative examples move w? They are −1, not 0.",
    old="return w + y * x, True",
    new="return w + max(y, 0) * x, True",
)


@misconception(
    "changes_w_in_place", "step", hint="After the call, look at the w that you passed in."
)
def perceptron_step(w, x, y):
    if y * (w @ x) <= 0:
        w += y * x
        return w, True
    return w, False


@misconception(
    "steps_by_the_difference_of_labels",
    "step",
    hint="If labels are ±1, how large is label minus prediction?",
)
def perceptron_step(w, x, y):
    guess = 1 if w @ x >= 0 else -1
    return w + (y - guess) * x, guess != y


misconception(
    "forgets_to_move_the_constant", "step",
    hint="The constant is a feature like the others: it is always 1, and its weight is learnt too.",
    old="return w + y * x, True",
    new="return w + y * x * (np.arange(len(x)) > 0), True",
)



@misconception(
    "steps_in_the_type_of_w",
    "step",
    hint="w holds integers and x does not. What do your new weights hold, and where has the rest gone?",
)
def perceptron_step(w, x, y):
    if y * (w @ x) > 0:
        return w, False
    new = w.copy()
    for k in range(len(w)):
        new[k] = w[k] + y * x[k]
    return new, True


misconception(
    "calls_a_small_score_a_mistake", "step",
    hint="How small may a score be and still be right? The rule names one number, and no other.",
    old="if y * (w @ x) <= 0:",
    new="if y * (w @ x) <= 1e-6:",
)

@misconception(
    "takes_asarray_for_a_copy",
    "step",
    hint="np.asarray copies nothing that is an array of floats already. Whose w does your += change?",
)
def perceptron_step(w, x, y):
    new = np.asarray(w, dtype=float)
    mistake = bool(y * (new @ x) <= 0)
    if mistake:
        new += y * x
    return new, mistake


@misconception(
    "judges_after_the_step",
    "step",
    hint="Was it a mistake before you moved, or is it still one after? Which of the two do you report?",
)
def perceptron_step(w, x, y):
    new = w + y * x if y * (w @ x) <= 0 else w
    return new, bool(y * (new @ x) <= 0)


@misconception(
    "a_tie_moves_w_and_is_no_mistake",
    "step",
    hint="At a score of exactly 0 your w moves. What do you report of that visit?",
)
def perceptron_step(w, x, y):
    return (w + y * x if y * (w @ x) <= 0 else w), bool(y * (w @ x) < 0)


misconception(
    "steps_by_the_size_of_the_error", "step",
    hint="Does the step get longer where the score is worse? The rule adds the example, once.",
    old="return w + y * x, True",
    new="return w + (y - w @ x) * x, True",
)

misconception(
    "steps_at_a_learning_rate", "step",
    hint="Which number stands before y·x in the rule?",
    old="return w + y * x, True",
    new="return w + 0.1 * y * x, True",
)

# -- train -------------------------------------------------------------------------------------------------------------

misconception(
    "starts_from_ones", "train",
    hint="Before the first mistake, how much has been learnt?",
    old="w = np.zeros(vectors.shape[1])",
    new="w = np.ones(vectors.shape[1])",
)

misconception(
    "ignores_the_order", "train",
    hint="Give it two different orders. Do the mistakes come in the same order?",
    old="for i in range(len(X)) if order is None else order[epoch]:\n            w, mistake",
    new="for i in range(len(X)):\n            w, mistake",
)

misconception(
    "uses_the_first_order_in_every_epoch", "train",
    hint="How many rows has order, and how many of them do you read?",
    old="else order[epoch]:\n            w, mistake",
    new="else order[0]:\n            w, mistake",
)

misconception(
    "notes_the_visit_not_the_example", "train",
    hint="Which row of X does each entry of your mistakes point to when an order is given?",
    old="mistakes.append(int(i))",
    new="mistakes.append(list(range(len(X)) if order is None else order[epoch]).index(i))",
)

misconception(
    "notes_every_example_once", "train",
    hint="An example can be got wrong more than once. How often is it in the diary?",
    old="    return w, mistakes, converged",
    new="    return w, list(dict.fromkeys(mistakes)), converged",
)

misconception(
    "counts_the_epochs", "train",
    hint="The theorem counts updates, not passes over the data.",
    old="    return w, mistakes, converged",
    new="    return w, list(range(epoch + 1)), converged",
)

misconception(
    "stops_the_epoch_at_the_first_mistake", "train",
    hint="After a mistake, which example comes next?",
    old="mistakes.append(int(i))",
    new="mistakes.append(int(i))\n                break",
)


@misconception(
    "updates_after_the_whole_pass",
    "train",
    hint="Which w judges the second example: the old one, or the one just learnt?",
)
def perceptron(X, y, max_epochs, order=None):
    vectors = augment(X)
    w, mistakes = np.zeros(vectors.shape[1]), []
    for epoch in range(max_epochs):
        visits = range(len(X)) if order is None else order[epoch]
        wrong = [int(i) for i in visits if perceptron_step(w, vectors[i], y[i])[1]]
        for i in wrong:
            w = w + perceptron_step(np.zeros(len(w)), vectors[i], y[i])[0]
        mistakes += wrong
        if not wrong:
            break
    return w, mistakes, bool(np.all(y * scores(X, w) > 0))


misconception(
    "converged_means_a_clean_last_epoch", "train",
    hint="Could the very last update be the one that makes everything right? What does converged say then?",
    old="converged = bool(np.all(y * scores(X, w) > 0))",
    new="converged = len(mistakes) == before",
)

misconception(
    "converged_means_predicted_right", "train",
    hint="Is an example with a score of exactly 0 settled? The step would still move on it.",
    old="converged = bool(np.all(y * scores(X, w) > 0))",
    new="converged = bool(np.all(predict(X, w) == y))",
)

misconception(
    "converged_accepts_a_score_of_zero", "train",
    hint="Some example ends with a score of exactly 0. What would your step do with it?",
    old="converged = bool(np.all(y * scores(X, w) > 0))",
    new="converged = bool(np.all(y * scores(X, w) >= 0))",
)

misconception(
    "always_says_converged", "train",
    hint="Try it on the four points of XOR. Does your answer agree with your weights?",
    old="converged = bool(np.all(y * scores(X, w) > 0))",
    new="converged = True",
)

misconception(
    "the_last_example_speaks_for_the_epoch", "train",
    hint="When do you stop: after an epoch without a mistake, or as soon as its last example was right?",
    old="if len(mistakes) == before:",
    new="if not mistake:",
)


@misconception(
    "takes_the_labels_in_the_natural_order",
    "train",
    hint="In epoch e you visit example order[e][0] first. Whose label do you hold beside it?",
)
def perceptron(X, y, max_epochs, order=None):
    vectors = augment(X)
    w, mistakes = np.zeros(vectors.shape[1]), []
    for epoch in range(max_epochs):
        before = len(mistakes)
        for i, label in zip(range(len(X)) if order is None else order[epoch], y, strict=True):
            w, mistake = perceptron_step(w, vectors[i], label)
            if mistake:
                mistakes.append(int(i))
        if len(mistakes) == before:
            break
    return w, mistakes, bool(np.all(y * scores(X, w) > 0))


misconception(
    "runs_one_epoch_too_few", "train",
    hint="Train for one epoch. How many examples have you visited?",
    old="for epoch in range(max_epochs):\n        before = len(mistakes)",
    new="for epoch in range(max_epochs - 1):\n        before = len(mistakes)",
)

misconception(
    "every_epoch_starts_from_zero", "train",
    hint="What does the second epoch know of the first? Look at w where it begins.",
    old="        before = len(mistakes)\n",
    new="        before, w = len(mistakes), np.zeros(vectors.shape[1])\n",
)

@misconception(
    "a_quiet_stretch_is_an_epoch",
    "train",
    hint="You stop after n visits in a row without a mistake. Were they n different examples, if the order changes?",
)
def perceptron(X, y, max_epochs, order=None):
    vectors = augment(X)
    w, mistakes, quiet = np.zeros(vectors.shape[1]), [], 0
    for epoch in range(max_epochs):
        for i in range(len(X)) if order is None else order[epoch]:
            w, mistake = perceptron_step(w, vectors[i], y[i])
            quiet = 0 if mistake else quiet + 1
            if mistake:
                mistakes.append(int(i))
            if quiet == len(X):
                break
        if quiet == len(X):
            break
    return w, mistakes, bool(np.all(y * scores(X, w) > 0))


# What such a diary holds depends on all calls before, so the bank has it twice: also with a certificate of its own list.
WRITES_ON = "Train twice on the same data. Is the second diary as long as the first? Ask when Python makes the default of an argument."

for name in ("writes_on_in_the_diary_of_the_last_call", "writes_on_unless_it_certifies"):
    misconception(
        name, "train",
        hint=WRITES_ON,
        old="order: np.ndarray | None = None\n) -> tuple[np.ndarray, list[int], bool]:",
        new="order=None, mistakes=[]\n):",
    )
    misconception(name, "train", hint=WRITES_ON, old="    mistakes: list[int] = []\n", new="")
misconception(
    "writes_on_unless_it_certifies", "train",
    hint=WRITES_ON,
    old="_, mistakes, _ = perceptron(X, y, max_epochs)\n    w = ",
    new="_, mistakes, _ = perceptron(X, y, max_epochs, None, [])\n    w = ",
)

misconception(
    "converged_asks_for_a_little_more_than_0", "train",
    hint="By how much must an example be right? The definition names one number, and no other.",
    old="converged = bool(np.all(y * scores(X, w) > 0))",
    new="converged = bool(np.all(y * scores(X, w) > 1e-9))",
)

# -- bound -------------------------------------------------------------------------------------------------------------

misconception(
    "margin_without_the_length_of_u", "bound",
    hint="u and 2u are the same plane. Should the distance to it double?",
    old="return float(np.min(y * scores(X, u)) / np.linalg.norm(u))",
    new="return float(np.min(y * scores(X, u)))",
)

misconception(
    "margin_of_the_farthest_example", "bound",
    hint="Which example decides whether the plane is a tight fit: the nearest or the farthest?",
    old="return float(np.min(y * scores(X, u)) / np.linalg.norm(u))",
    new="return float(np.max(y * scores(X, u)) / np.linalg.norm(u))",
)

misconception(
    "margin_without_the_labels", "bound",
    hint="What is the margin of a u that gets an example wrong? A distance without a sign cannot say it.",
    old="return float(np.min(y * scores(X, u)) / np.linalg.norm(u))",
    new="return float(np.min(np.abs(scores(X, u))) / np.linalg.norm(u))",
)

misconception(
    "length_of_u_without_its_constant", "bound",
    hint="R and γ must be measured in the same space. How many components has u there?",
    old="return float(np.min(y * scores(X, u)) / np.linalg.norm(u))",
    new="return float(np.min(y * scores(X, u)) / np.linalg.norm(u[1:]))",
)

misconception(
    "radius_is_the_mean_length", "bound",
    hint="R must cover the farthest example. Does yours?",
    old="return float(np.linalg.norm(augment(X), axis=1).max())",
    new="return float(np.linalg.norm(augment(X), axis=1).mean())",
)

misconception(
    "radius_is_the_largest_coordinate", "bound",
    hint="How long is the vector (3, 4)?",
    old="return float(np.linalg.norm(augment(X), axis=1).max())",
    new="return float(np.abs(augment(X)).max())",
)

misconception(
    "radius_without_the_constant", "bound",
    hint="The perceptron adds augmented vectors. How long are those?",
    old="return float(np.linalg.norm(augment(X), axis=1).max())",
    new="return float(np.linalg.norm(X, axis=1).max())",
)

misconception(
    "bound_without_the_square", "bound",
    hint="The last line of the proof bounds √k. What bounds k?",
    old="return (radius(X) / gamma) ** 2 if gamma > 0 else np.inf",
    new="return radius(X) / gamma if gamma > 0 else np.inf",
)

misconception(
    "promises_without_a_separator", "bound",
    hint="A square hides a sign. What does the theorem say when γ is not positive?",
    old="return (radius(X) / gamma) ** 2 if gamma > 0 else np.inf",
    new="return (radius(X) / gamma) ** 2",
)

misconception(
    "refuses_a_margin_of_zero_alone", "bound",
    hint="u gets an example wrong. Which sign has γ then, and who can see it after the square?",
    old="return (radius(X) / gamma) ** 2 if gamma > 0 else np.inf",
    new="return (radius(X) / gamma) ** 2 if gamma != 0 else np.inf",
)

misconception(
    "traces_the_length_not_its_square", "bound",
    hint="Which of the two grows by at most R² in a mistake: the length, or its square?",
    old="return np.sum(path**2, axis=1), path @ u / np.linalg.norm(u)",
    new="return np.sqrt(np.sum(path**2, axis=1)), path @ u / np.linalg.norm(u)",
)

misconception(
    "traces_progress_without_the_length_of_u", "bound",
    hint="In the proof u has length 1. In your trace too?",
    old="return np.sum(path**2, axis=1), path @ u / np.linalg.norm(u)",
    new="return np.sum(path**2, axis=1), path @ u",
)

misconception(
    "traces_single_updates", "bound",
    hint="The quantities belong to w after k mistakes, not to the k-th example alone.",
    old="path = np.cumsum(moves, axis=0)",
    new="path = moves",
)

misconception(
    "traces_before_each_update", "bound",
    hint="What are the two quantities after the first mistake? Not 0.",
    old="path = np.cumsum(moves, axis=0)",
    new="path = np.cumsum(moves, axis=0) - moves",
)

misconception(
    "an_example_on_the_plane_is_separated", "bound",
    hint="An example lies exactly on the plane of u. What is γ then, and what can be divided by it?",
    old="return (radius(X) / gamma) ** 2 if gamma > 0 else np.inf",
    new="return (radius(X) / gamma) ** 2 if gamma >= 0 else np.inf",
)

misconception(
    "traces_at_least_one_update", "bound",
    hint="Follow a run of no epochs: how many updates are in its diary, and what does yours make of an empty list?",
    old="moves = y[mistakes, None] * augment(X)[mistakes]",
    new="mistakes = np.array(mistakes)\n    moves = y[mistakes, None] * augment(X)[mistakes]",
)

misconception(
    "margin_as_an_angle", "bound",
    hint="A distance grows with the example. Does yours, if you divide by its length too?",
    old="return float(np.min(y * scores(X, u)) / np.linalg.norm(u))",
    new="return float(np.min(y * scores(X, u) / np.linalg.norm(augment(X), axis=1)) / np.linalg.norm(u))",
)

misconception(
    "radius_of_the_whole_table", "bound",
    hint="Write every example down twice. Should the radius grow?",
    old="return float(np.linalg.norm(augment(X), axis=1).max())",
    new="return float(np.linalg.norm(augment(X)))",
)

misconception(
    "radius_along_the_columns", "bound",
    hint="How many lengths do you take the largest of: one for each example, or one for each feature?",
    old="return float(np.linalg.norm(augment(X), axis=1).max())",
    new="return float(np.linalg.norm(augment(X), axis=0).max())",
)

misconception(
    "radius_without_the_root", "bound",
    hint="Is that a length, or the square of one?",
    old="return float(np.linalg.norm(augment(X), axis=1).max())",
    new="return float((augment(X) ** 2).sum(axis=1).max())",
)

misconception(
    "squares_the_margin_alone", "bound",
    hint="√k ≤ R/γ. What becomes of each of the two when you square it?",
    old="return (radius(X) / gamma) ** 2 if gamma > 0 else np.inf",
    new="return radius(X) / gamma**2 if gamma > 0 else np.inf",
)

misconception(
    "traces_without_the_labels", "bound",
    hint="Which way did a mistake on a negative example move w?",
    old="moves = y[mistakes, None] * augment(X)[mistakes]",
    new="moves = augment(X)[mistakes]",
)

misconception(
    "traces_from_before_the_first_update", "bound",
    hint="How many mistakes are in the list, and how many numbers do you return?",
    old="path = np.cumsum(moves, axis=0)",
    new="path = np.vstack([np.zeros(len(u)), np.cumsum(moves, axis=0)])",
)

misconception(
    "progress_as_an_angle", "bound",
    hint="Does the progress grow with every mistake? Yours cannot pass 1.",
    old="path @ u / np.linalg.norm(u)",
    new="path @ u / np.linalg.norm(u) / np.linalg.norm(path, axis=1)",
)

misconception(
    "divides_before_it_multiplies", "bound",
    hint="All numbers are whole, and an example lies on the plane of u. Is its distance 0 to the last digit? What is rounded first?",
    old="return float(np.min(y * scores(X, u)) / np.linalg.norm(u))",
    new="return float(np.min(y * scores(X, u / np.linalg.norm(u))))",
)

misconception(
    "takes_a_small_margin_for_none", "bound",
    hint="How small may a margin be and still be one? The theorem names one number, and no other.",
    old="return (radius(X) / gamma) ** 2 if gamma > 0 else np.inf",
    new="return (radius(X) / gamma) ** 2 if gamma > 0 and not np.isclose(gamma, 0) else np.inf",
)

# -- xor ---------------------------------------------------------------------------------------------------------------

misconception(
    "squares_are_enough_for_xor", "xor",
    hint="What are 0² and 1²? Your features must see both inputs at once.",
    old="return np.column_stack([X, X[:, 0] * X[:, 1]])",
    new="return np.column_stack([X, X**2])",
)

misconception(
    "a_sum_is_enough_for_xor", "xor",
    hint="On the axis of your feature, in which order do the four corners stand?",
    old="return np.column_stack([X, X[:, 0] * X[:, 1]])",
    new="return X.sum(axis=1, keepdims=True)",
)

misconception(
    "features_know_the_whole_batch", "xor",
    hint="Give your map a single example. A feature map has no company to compare with.",
    old="return np.column_stack([X, X[:, 0] * X[:, 1]])",
    new="return np.prod(X - X.mean(axis=0), axis=1, keepdims=True)",
)

misconception(
    "computes_or", "xor",
    hint="What does your network say at (1, 1)? One of the two units must pull harder there.",
    old="return W1, b1, np.array([1.0, -2.0]), 0.0",
    new="return W1, b1, np.array([1.0, -1.0]), 0.0",
)

misconception(
    "no_unit_ever_fires", "xor",
    hint="Your network says 0 at every corner. At (1, 0), which unit fires, and what does w2 make of it?",
    old="return W1, b1, np.array([1.0, -2.0]), 0.0",
    new="return np.array([[1.0, -1.0], [-1.0, 1.0]]), np.array([-1.0, -1.0]), np.array([1.0, 1.0]), 0.0",
)

misconception(
    "computes_the_labels", "xor",
    hint="Which two numbers stand in the XOR column: those of the labels?",
    old="return W1, b1, np.array([1.0, -2.0]), 0.0",
    new="return W1, b1, np.array([2.0, -4.0]), -1.0",
)

misconception(
    "computes_the_opposite", "xor",
    hint="What should come out at (0, 0), where no input is on?",
    old="return W1, b1, np.array([1.0, -2.0]), 0.0",
    new="return W1, b1, np.array([-1.0, 2.0]), 1.0",
)

misconception(
    "both_units_count", "xor",
    hint="At which corners does your second unit fire? It should at one only.",
    old="return W1, b1, np.array([1.0, -2.0]), 0.0",
    new="return W1, np.zeros(2), np.array([1.0, -2.0]), 0.0",
)

misconception(
    "the_whole_diary_is_the_proof", "xor",
    hint="The mistakes of the whole run add up to its last w. Which of them add up to nothing?",
    old="return np.bincount(mistakes[first[tuple(w)] : k], minlength=len(X))",
    new="return np.bincount(mistakes, minlength=len(X))",
)

misconception(
    "every_example_counts_once", "xor",
    hint="At x = 0, 1 and 3, with the one in the middle negative: which is it nearer to, and who must weigh more then?",
    old="return np.bincount(mistakes[first[tuple(w)] : k], minlength=len(X))",
    new="return np.ones(len(X), dtype=int)",
)

misconception(
    "the_labels_are_in_the_proof", "xor",
    hint="The labels stand in the sum already. What sign may a λ have?",
    old="return np.bincount(mistakes[first[tuple(w)] : k], minlength=len(X))",
    new="return y * np.bincount(mistakes[first[tuple(w)] : k], minlength=len(X))",
)

misconception(
    "a_diary_always_proves_something", "xor",
    hint="Try separable examples. If your numbers were a proof there, whom would they refute?",
    old="return np.zeros(len(X), dtype=int)\n",
    new="return np.bincount(mistakes, minlength=len(X))\n",
)

misconception(
    "the_proof_begins_with_the_run", "xor",
    hint="Between which two moments do you add up? At the first of them, w may be something else than 0.",
    old="return np.bincount(mistakes[first[tuple(w)] : k], minlength=len(X))",
    new="return np.bincount(mistakes[:k], minlength=len(X))",
)

# -- experiment --------------------------------------------------------------------------------------------------------

misconception(
    "bounds_the_whole_set", "experiment",
    hint="Which examples did the perceptron see, and which did your bound see?",
    old="bounds.append(mistake_bound(X[kept], y[kept], u))",
    new="bounds.append(mistake_bound(X, y, u))",
)

misconception(
    "bounds_by_the_threshold", "experiment",
    hint="The kept examples have a margin of at least γ. What is it exactly?",
    old="bounds.append(mistake_bound(X[kept], y[kept], u))",
    new="bounds.append((radius(X[kept]) / gamma) ** 2)",
)

misconception(
    "peels_by_the_raw_score", "experiment",
    hint="γ is a distance. Is what you compare it with a distance as well, for a u of length 7?",
    old="distances = y * scores(X, u) / np.linalg.norm(u)",
    new="distances = y * scores(X, u)",
)

misconception(
    "keeps_the_wrong_side_too", "experiment",
    hint="An example can be far from the plane and on the wrong side of it.",
    old="distances = y * scores(X, u) / np.linalg.norm(u)",
    new="distances = np.abs(scores(X, u)) / np.linalg.norm(u)",
)

misconception(
    "counts_examples_not_mistakes", "experiment",
    hint="An example that was got wrong three times is three mistakes.",
    old="counts.append(len(mistakes))",
    new="counts.append(len(set(mistakes)))",
)

misconception(
    "trains_on_everything", "experiment",
    hint="Which examples did your bound see, and which did the perceptron see?",
    old="_, mistakes, _ = perceptron(X[kept], y[kept], max_epochs)",
    new="_, mistakes, _ = perceptron(X, y, max_epochs)",
)

misconception(
    "keeps_only_what_is_beyond_gamma", "experiment",
    hint="An example lies exactly γ away from the plane. Do the instructions keep it?",
    old="kept = distances >= gamma",
    new="kept = distances > gamma",
)

misconception(
    "keeps_the_near_ones", "experiment",
    hint="γ grows. Should more examples be left, or fewer?",
    old="kept = distances >= gamma",
    new="kept = distances <= gamma",
)


@misconception(
    "peels_what_is_peeled_already",
    "experiment",
    hint="With which examples does the second γ begin: with all of them, or with what the first has left?",
)
def bound_versus_reality(X, y, u, gammas, max_epochs):
    counts, bounds = [], []
    for gamma in gammas:
        kept = y * scores(X, u) / np.linalg.norm(u) >= gamma
        X, y = X[kept], y[kept]
        counts.append(len(perceptron(X, y, max_epochs)[1]) if len(X) else 0)
        bounds.append(mistake_bound(X, y, u) if len(X) else 0.0)
    return counts, bounds


misconception(
    "promises_nothing_where_nothing_is_left", "experiment",
    hint="No example is left. How many mistakes can be made on none?",
    old="bounds.append(0.0)",
    new="bounds.append(np.inf)",
)

misconception(
    "peels_without_the_constant_of_u", "experiment",
    hint="In which space is γ a distance: in that of x, or of the augmented x? How many components has u there?",
    old="distances = y * scores(X, u) / np.linalg.norm(u)",
    new="distances = y * scores(X, u) / np.linalg.norm(u[1:])",
)

WHOSE = "The bound has two lengths in it. Which examples is each of them measured on?"

misconception(
    "takes_the_radius_of_the_whole_set", "experiment",
    hint=WHOSE,
    old="bounds.append(mistake_bound(X[kept], y[kept], u))",
    new="bounds.append((radius(X) / margin(X[kept], y[kept], u)) ** 2)",
)

misconception(
    "takes_the_margin_of_the_whole_set", "experiment",
    hint=WHOSE,
    old="bounds.append(mistake_bound(X[kept], y[kept], u))",
    new="bounds.append((radius(X[kept]) / margin(X, y, u)) ** 2)",
)

# -- logistic ---------------------------------------------------------------------------------------------------------

misconception(
    "sigmoid_overflows", "logistic",
    hint="What is e^1000 on your computer?",
    old="small = np.exp(-np.abs(z))\n    return np.where(np.asarray(z) >= 0, 1, small) / (1 + small)",
    new="return np.exp(z) / (1 + np.exp(z))",
)

misconception(
    "softmax_over_the_examples", "logistic",
    hint="Which sums are 1: those of the rows or those of the columns?",
    old="powers = np.exp(S - S.max(axis=1, keepdims=True))\n    return powers / powers.sum(axis=1, keepdims=True)",
    new="powers = np.exp(S - S.max(axis=0, keepdims=True))\n    return powers / powers.sum(axis=0, keepdims=True)",
)

misconception(
    "sigmoid_of_each_class", "logistic",
    hint="Do your class probabilities sum to 1?",
    old="return softmax(augment(X) @ W.T)",
    new="return sigmoid(augment(X) @ W.T)",
)

misconception(
    "gradient_of_the_likelihood", "logistic",
    hint="Do you want to climb the likelihood or to descend the loss? The two have opposite signs.",
    old="slope = -y * sigmoid(-m) / len(X)",
    new="slope = y * sigmoid(-m) / len(X)",
)

misconception(
    "logistic_loss_sums", "logistic",
    hint="Write every example down twice. Should the loss change?",
    old="return float(np.mean(np.logaddexp(0, -m))), slope @ augment(X)",
    new="return float(np.sum(np.logaddexp(0, -m))), slope @ augment(X) * len(X)",
)

misconception(
    "squares_the_error_of_the_probability", "logistic",
    hint="What does it cost to be sure and wrong: 1, or without limit?",
    old="return float(np.mean(np.logaddexp(0, -m))), slope @ augment(X)",
    new="return float(np.mean(sigmoid(-m) ** 2)), 2 * slope * sigmoid(-m) * sigmoid(m) @ augment(X)",
)

misconception(
    "descends_the_squared_loss", "logistic",
    hint="Does your descent punish an example for being too right?",
    old="w = w - rate * logistic_loss(X, y, w)[1]",
    new="w = w - rate * (scores(X, w) - y) @ augment(X) / len(X)",
)

misconception(
    "subtracts_the_largest_score_of_all", "logistic",
    hint="One row has scores about 0, another about 3000. What is left of the first after your subtraction?",
    old="powers = np.exp(S - S.max(axis=1, keepdims=True))",
    new="powers = np.exp(S - S.max())",
)

misconception(
    "turns_the_table_where_the_sizes_differ", "logistic",
    hint="How do you tell rows from columns? Try as many examples as there are classes.",
    old="return softmax(augment(X) @ W.T)",
    new="S = W @ augment(X).T\n    return softmax(S if len(S) == len(X) else S.T)",
)

misconception(
    "logistic_slope_forgets_the_mean", "logistic",
    hint="Write every example down twice. Should the gradient double?",
    old="slope = -y * sigmoid(-m) / len(X)",
    new="slope = -y * sigmoid(-m)",
)

misconception(
    "logistic_slope_weighs_by_the_right_label", "logistic",
    hint="An example is right, and far from the boundary. How much has it still to say about w, and how much in your gradient?",
    old="slope = -y * sigmoid(-m) / len(X)",
    new="slope = -y * sigmoid(m) / len(X)",
)

# -- concepts ----------------------------------------------------------------------------------------------------------

misconception(
    "a_larger_radius_is_harder", "concepts",
    hint="scaling: R grows. What happens to the distances from the plane?",
    old='scaling="unchanged"',
    new='scaling="hundredfold"',
)

misconception(
    "only_the_distances_grow", "concepts",
    hint="scaling: the bound has two lengths in it. What happens to R?",
    old='scaling="unchanged"',
    new='scaling="hundredth"',
)

misconception(
    "more_epochs_always_help", "concepts",
    hint="restless: add up the mistakes of the first five epochs, and compare with what the claim allows in all.",
    old='restless="claim"',
    new='restless="patience"',
)

misconception(
    "any_growth_of_the_length_is_suspect", "concepts",
    hint="trace: by how much may ‖w‖² grow in one mistake? Take the differences.",
    old="trace=4",
    new="trace=5",
)

misconception(
    "names_the_update_before_the_jump", "concepts",
    hint="trace: each number stands after its update. Where do they grow by more than they may, and which update is that?",
    old="trace=4",
    new="trace=3",
)

misconception(
    "parity_needs_a_unit_for_each_case", "concepts",
    hint="parity_units: draw the output over the counts 0, 1, 2, 3. How many straight pieces, and what does one more unit add?",
    old="parity_units=3",
    new="parity_units=4",
)

misconception(
    "every_target_of_classes_is_multinomial", "concepts",
    hint="multinomials: may two of the answers be true at the same time? What do the probabilities of one softmax sum to?",
    old="multinomials=2",
    new="multinomials=3",
)

misconception(
    "what_sums_to_one_is_a_probability", "concepts",
    hint="raw_scores: what does a probability of −0.5 mean?",
    old="raw_scores=3",
    new="raw_scores=2",
)

misconception(
    "rounds_up_what_fits_into_the_total", "concepts",
    hint="still_wrong: what would five of them cost together, at the very least?",
    old="still_wrong=4",
    new="still_wrong=5",
)

misconception(
    "a_wrong_example_has_a_zero_one_slope", "concepts",
    hint="no_gradient: move w by a millionth. Which of the four zero-one losses change?",
    old="no_gradient=5",
    new="no_gradient=3",
)

misconception(
    "the_bound_grows_with_the_radius", "concepts",
    hint="scaling: the bound has two lengths in it. Which of them have grown?",
    old='scaling="unchanged"',
    new='scaling="tenfold"',
)

misconception(
    "shuffling_brings_peace", "concepts",
    hint="restless: in which order must the examples come for the theorem to hold?",
    old='restless="claim"',
    new='restless="order"',
)

misconception(
    "smaller_steps_bring_peace", "concepts",
    hint="restless: what does a step size change in a run that starts at w = 0? The proof has a remark about it.",
    old='restless="claim"',
    new='restless="rate"',
)

misconception(
    "parity_is_as_easy_as_xor", "concepts",
    hint="parity_units: the output goes up, down and up again. Who gives it the first slope, and who the two corners?",
    old="parity_units=3",
    new="parity_units=2",
)

misconception(
    "two_classes_are_many", "concepts",
    hint="multinomials: for which targets are there two classes, and which model was made for those?",
    old="multinomials=2",
    new="multinomials=4",
)

misconception(
    "a_probability_is_neither_0_nor_1", "concepts",
    hint="raw_scores: may something be impossible, and something else certain?",
    old="raw_scores=3",
    new="raw_scores=4",
)

misconception(
    "a_mistake_costs_at_least_1", "concepts",
    hint="still_wrong: what does an example with a score of exactly 0 cost? How often does that fit into the total?",
    old="still_wrong=4",
    new="still_wrong=3",
)

misconception(
    "only_the_zero_one_loss_is_flat", "concepts",
    hint="no_gradient: which of the losses are content with y·s = 3, so that a small step changes nothing there?",
    old="no_gradient=5",
    new="no_gradient=4",
)

misconception(
    "a_right_example_has_no_slope", "concepts",
    hint="no_gradient: what do the hinge at y·s = 0.5 and the logistic loss at y·s = 3 still cost?",
    old="no_gradient=5",
    new="no_gradient=6",
)

# -- losses (extra) ----------------------------------------------------------------------------------------------------

misconception(
    "a_zero_score_is_always_an_error", "losses",
    hint="What does predict say about a score of 0, and for which label is that wrong?",
    old="return float(np.mean(predict(X, w) != y))",
    new="return float(np.mean(y * scores(X, w) <= 0))",
)

misconception(
    "zero_one_sums", "losses",
    hint="Losses here are means over the examples.",
    old="return float(np.mean(predict(X, w) != y))",
    new="return float(np.sum(predict(X, w) != y))",
)

misconception(
    "hinge_is_zero_when_right", "losses",
    hint="The hinge asks for more than being right. What does y·s = 0.4 cost?",
    old="slack = 1 - y * scores(X, w)",
    new="slack = np.where(y * scores(X, w) > 0, 0, 1 - y * scores(X, w))",
)

misconception(
    "hinge_slope_looks_at_the_bare_score", "losses",
    hint="Take y = −1 and s = −2: is that example content?",
    old="active = slack > 0",
    new="active = scores(X, w) < 1",
)

misconception(
    "hinge_slope_without_the_labels", "losses",
    hint="Differentiate y·s by w. Where has the y gone?",
    old="-(y * active) @ augment(X) / len(X)",
    new="-(1 * active) @ augment(X) / len(X)",
)

misconception(
    "hinge_slope_is_on_at_the_kink", "losses",
    hint="At y·s = 1 exactly, which of the two slopes does the text choose?",
    old="active = slack > 0",
    new="active = slack >= 0",
)

misconception(
    "the_true_class_rivals_itself", "losses",
    hint="Who is the best of the *others* when the true class is in the lead?",
    old="others[rows, t] = -np.inf",
    new="others[rows, t] = S[rows, t]",
)

misconception(
    "multiclass_hinge_is_zero_when_right", "losses",
    hint="Scores of 2.0 and 1.5: the first class is right. Is its lead large enough?",
    old="slack = 1 - (S[rows, t] - S[rows, rival])",
    new="slack = np.where(S[rows, t] > S[rows, rival], 0, 1 - (S[rows, t] - S[rows, rival]))",
)


@misconception(
    "every_rival_counts",
    "losses",
    hint="How many rivals are in the formula: all of them, or the best?",
)
def multiclass_hinge(X, t, W):
    rows, vectors = np.arange(len(X)), augment(X)
    S = vectors @ W.T
    slack = np.maximum(0, 1 - (S[rows, t][:, None] - S))
    slack[rows, t] = 0
    push = (slack > 0).astype(float)
    push[rows, t] = -push.sum(axis=1)
    return float(slack.sum() / len(X)), push.T @ vectors / len(X)

misconception(
    "the_last_of_equal_rivals_counts", "losses",
    hint="Two rivals tie for best. Which of them does the text count, and which one does your search end with?",
    old="rival = others.argmax(axis=1)",
    new="rival = others.shape[1] - 1 - others[:, ::-1].argmax(axis=1)",
)

misconception(
    "all_equal_rivals_count", "losses",
    hint="Two rivals tie for best. How many rows of W does your example push up then, and how many in the text?",
    old="push[rows, rival] = slack > 0",
    new="push = (others == others.max(axis=1, keepdims=True)) * (slack > 0)[:, None] * 1.0",
)


@misconception(
    "a_score_of_zero_takes_the_true_class_out",
    "losses",
    hint="All rivals have negative scores. Who is the best of them, in your code?",
)
def multiclass_hinge(X, t, W):
    rows, vectors = np.arange(len(X)), augment(X)
    S = vectors @ W.T
    others = S.copy()
    others[rows, t] = 0
    rival = others.argmax(axis=1)
    slack = 1 - (S[rows, t] - others[rows, rival])
    push = np.zeros_like(S)
    push[rows, rival] += slack > 0
    push[rows, t] -= slack > 0
    return float(np.mean(np.maximum(0, slack))), push.T @ vectors / len(X)


@misconception(
    "multiclass_slope_is_on_at_the_kink",
    "losses",
    hint="An example leads by exactly 1. Which of the two slopes does the text choose there?",
)
def multiclass_hinge(X, t, W):
    rows, vectors = np.arange(len(X)), augment(X)
    S = vectors @ W.T
    others = S.copy()
    others[rows, t] = -np.inf
    rival = others.argmax(axis=1)
    slack = 1 - (S[rows, t] - S[rows, rival])
    push = np.zeros_like(S)
    push[rows, rival] = slack >= 0
    push[rows, t] = -1.0 * (slack >= 0)
    return float(np.mean(np.maximum(0, slack))), push.T @ vectors / len(X)


@misconception(
    "a_repeated_class_is_counted_once",
    "losses",
    hint="Two examples of one class both cost. How often does your sum reach the row of that class?",
)
def multiclass_hinge(X, t, W):
    rows, vectors = np.arange(len(X)), augment(X)
    S = vectors @ W.T
    others = S.copy()
    others[rows, t] = -np.inf
    rival = others.argmax(axis=1)
    slack = 1 - (S[rows, t] - S[rows, rival])
    on, slope = slack > 0, np.zeros(W.shape)
    slope[t[on]] -= vectors[on]
    slope[rival[on]] += vectors[on]
    return float(np.mean(np.maximum(0, slack))), slope / len(X)


@misconception(
    "the_slope_has_the_type_of_the_weights",
    "losses",
    hint="W holds integers. Is its subgradient made of whole numbers as well?",
)
def multiclass_hinge(X, t, W):
    vectors, loss, slope = augment(X), 0.0, np.zeros_like(W)
    for x, own in zip(vectors, t, strict=True):
        s = W @ x
        rival = np.where(np.arange(len(W)) == own, -np.inf, s).argmax()
        if s[own] - s[rival] < 1:
            loss += 1 - (s[own] - s[rival])
            slope[own] = slope[own] - x / len(X)
            slope[rival] = slope[rival] + x / len(X)
    return loss / len(X), slope


@misconception(
    "the_true_class_counts_as_a_score_of_zero",
    "losses",
    hint="All rivals have negative scores. Who is the best of them, in your code?",
)
def multiclass_hinge(X, t, W):
    rows, vectors = np.arange(len(X)), augment(X)
    S = vectors @ W.T
    others = S.copy()
    others[rows, t] = 0
    rival = others.argmax(axis=1)
    slack = 1 - (S[rows, t] - others[rows, rival])
    push = np.zeros_like(S)
    push[rows, t] = -1.0 * (slack > 0)
    push[rows, rival] = slack > 0
    return float(np.mean(np.maximum(0, slack))), push.T @ vectors / len(X)


BY_HOW_MANY = "An example that costs nothing is an example too. By how many do you divide?"

misconception(
    "hinge_slope_is_the_mean_of_those_that_cost", "losses",
    hint=BY_HOW_MANY,
    old="-(y * active) @ augment(X) / len(X)",
    new="-(y * active) @ augment(X) / max(active.sum(), 1)",
)

misconception(
    "hinge_is_the_mean_of_those_that_cost", "losses",
    hint=BY_HOW_MANY,
    old="return float(np.mean(np.maximum(0, slack))), -(y * active) @ augment(X) / len(X)",
    new="return float(np.maximum(0, slack).sum() / max(active.sum(), 1)), -(y * active) @ augment(X) / max(active.sum(), 1)",
)

misconception(
    "multiclass_slope_is_the_mean_of_those_that_cost", "losses",
    hint=BY_HOW_MANY,
    old="push.T @ vectors / len(X)",
    new="push.T @ vectors / max((slack > 0).sum(), 1)",
)

# -- averaged (extra) --------------------------------------------------------------------------------------------------

misconception(
    "averages_the_ends_of_epochs", "averaged",
    hint="How long did each w survive? Count it that often.",
    old="total = total + current\n    return total / (max_epochs * len(X))",
    new="pass\n        total = total + current\n    return total / max_epochs",
)

misconception(
    "averages_before_the_step", "averaged",
    hint="Is a w counted after the visit or before it?",
    old="current, _ = perceptron_step(current, visited[i], y[i])\n            total = total + current",
    new="total = total + current\n            current, _ = perceptron_step(current, visited[i], y[i])",
)


@misconception(
    "averages_the_mistakes_only",
    "averaged",
    hint="A w that is right for long should count for more, not less.",
)
def averaged_perceptron(X, y, max_epochs, order=None):
    visited = augment(X)
    current, total, moves = np.zeros(visited.shape[1]), np.zeros(visited.shape[1]), 0
    for epoch in range(max_epochs):
        for i in range(len(X)) if order is None else order[epoch]:
            current, mistake = perceptron_step(current, visited[i], y[i])
            total, moves = total + mistake * current, moves + mistake
    return total / max(moves, 1)


@misconception(
    "a_visit_without_a_mistake_is_not_counted",
    "averaged",
    hint="A visit that was right leaves w as it is. Is that w added for this visit all the same?",
)
def averaged_perceptron(X, y, max_epochs, order=None):
    visited = augment(X)
    current, total = np.zeros(visited.shape[1]), np.zeros(visited.shape[1])
    for epoch in range(max_epochs):
        for i in range(len(X)) if order is None else order[epoch]:
            current, mistake = perceptron_step(current, visited[i], y[i])
            total = total + mistake * current
    return total / (max_epochs * len(X))


misconception(
    "adds_up_and_does_not_divide", "averaged",
    hint="Run it for twice as many epochs, long after it has come to rest. Should the average double?",
    old="return total / (max_epochs * len(X))",
    new="return total",
)

misconception(
    "divides_by_the_epochs", "averaged",
    hint="How many visits did you add up, and by how many do you divide?",
    old="return total / (max_epochs * len(X))",
    new="return total / max_epochs",
)

misconception(
    "averages_in_the_natural_order", "averaged",
    hint="Does your average change when the order does?",
    old="for i in range(len(X)) if order is None else order[epoch]:\n            current, _",
    new="for i in range(len(X)):\n            current, _",
)



@misconception(
    "a_quiet_epoch_ends_the_average",
    "averaged",
    hint="A w that makes no mistake any more: how often is it counted until max_epochs is reached?",
)
def averaged_perceptron(X, y, max_epochs, order=None):
    visited = augment(X)
    current, total = np.zeros(visited.shape[1]), np.zeros(visited.shape[1])
    for epoch in range(max_epochs):
        moved = False
        for i in range(len(X)) if order is None else order[epoch]:
            current, mistake = perceptron_step(current, visited[i], y[i])
            total, moved = total + current, moved or mistake
        if not moved:
            break
    return total / (max_epochs * len(X))


# -- kernel (extra) ----------------------------------------------------------------------------------------------------

misconception(
    "scores_without_the_labels", "kernel",
    hint="Which way does a negative example that was got wrong pull the score?",
    old="if y[i] * ((alpha * y) @ K[:, i]) <= 0:",
    new="if y[i] * (alpha @ K[:, i]) <= 0:",
)

misconception(
    "alpha_carries_the_label", "kernel",
    hint="Is your α a count? The label is already in the score.",
    old="alpha[i] += 1",
    new="alpha[i] += y[i]",
)

misconception(
    "kernel_ignores_ties", "kernel",
    hint="While α is 0 every score is 0. Who makes the first mistake?",
    old="if y[i] * ((alpha * y) @ K[:, i]) <= 0:",
    new="if y[i] * ((alpha * y) @ K[:, i]) < 0:",
)

misconception(
    "alpha_marks_the_mistake", "kernel",
    hint="An example is got wrong a second time. What is its α now?",
    old="alpha[i] += 1",
    new="alpha[i] = 1",
)

misconception(
    "the_kernel_runs_one_epoch_too_few", "kernel",
    hint="Train for one epoch. How often have you visited each example?",
    old="for _ in range(max_epochs):\n        clean = True",
    new="for _ in range(max_epochs - 1):\n        clean = True",
)

misconception(
    "counts_in_eight_bits", "kernel",
    hint="How far can your α count? Try one example with both labels, and a few hundred epochs.",
    old="alpha = np.zeros(len(y))",
    new="alpha = np.zeros(len(y), dtype=np.int8)",
)

misconception(
    "the_kernel_calls_a_small_score_a_mistake", "kernel",
    hint="How small may a score be and still be right? The rule names one number, and no other.",
    old="if y[i] * ((alpha * y) @ K[:, i]) <= 0:",
    new="if y[i] * ((alpha * y) @ K[:, i]) <= 1e-9:",
)

misconception(
    "writes_a_number_in_quotes", "concepts",
    hint="A number is asked for, and a number needs no quotes.",
    old="trace=4,",
    new='trace="4",',
)
