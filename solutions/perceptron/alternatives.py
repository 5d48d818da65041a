"""Right answers to the perceptron, written another way: all of them get full marks."""

from redink.checks import alternative

# -- score -------------------------------------------------------------------------------------------------------------


@alternative("augments_an_empty_array", "score")
def augment(X):
    made = np.ones((X.shape[0], X.shape[1] + 1))
    made[:, 1:] = X
    return made


@alternative("loops_over_examples_and_features", "score")
def scores(X, w):
    found = []
    for row in X:
        total = w[0]
        for k in range(len(row)):
            total += w[k + 1] * row[k]
        found.append(total)
    return found and np.array(found)


@alternative("scores_in_float32", "score")
def scores(X, w):
    return (X.astype(np.float32) @ w[1:].astype(np.float32)) + np.float32(w[0])


@alternative("predicts_a_list", "score")
def predict(X, w):
    return [1 if s >= 0 else -1 for s in scores(X, w)]


@alternative("predicts_by_arithmetic", "score")
def predict(X, w):
    return 2.0 * (scores(X, w) >= 0) - 1.0


# -- step --------------------------------------------------------------------------------------------------------------


@alternative("steps_without_a_branch", "step")
def perceptron_step(w, x, y):
    mistake = y * np.dot(w, x) <= 0
    return w + mistake * y * x, mistake


@alternative("steps_on_a_copy", "step")
def perceptron_step(w, x, y):
    new = np.array(w, dtype=float)
    score = sum(a * b for a, b in zip(w, x))
    wrong = not ((score > 0 and y > 0) or (score < 0 and y < 0))
    if wrong:
        for k in range(len(new)):
            new[k] += y * x[k]
    return new, wrong


@alternative("steps_in_lists", "step")
def perceptron_step(w, x, y):
    if y * sum(a * b for a, b in zip(w, x)) > 0:
        return list(w), False
    return np.array([a + y * b for a, b in zip(w, x)]), True


# -- train -------------------------------------------------------------------------------------------------------------


@alternative("trains_in_the_dual", "train")
def perceptron(X, y, max_epochs, order=None):
    vectors = np.column_stack([np.ones(len(X)), X])
    gram, counts, mistakes = vectors @ vectors.T, np.zeros(len(X)), []
    for epoch in range(max_epochs):
        for i in np.arange(len(X)) if order is None else order[epoch]:
            if y[i] * np.sum(counts * y * gram[i]) <= 0:
                counts[i] += 1
                mistakes.append(i)
    w = (counts * y) @ vectors
    return w, mistakes, min(y * (vectors @ w)) > 0


@alternative("trains_with_a_separate_constant", "train")
def perceptron(X, y, max_epochs, order=None):
    b, w, mistakes = 0.0, np.zeros(X.shape[1]), []
    if order is None:
        order = np.tile(np.arange(len(X)), (max_epochs, 1))
    for visits in order[:max_epochs]:
        clean = True
        for i in visits:
            if y[i] * (b + X[i] @ w) <= 0:
                b, w, clean = b + y[i], w + y[i] * X[i], False
                mistakes.append(i)
        if clean:
            return np.append(b, w), np.array(mistakes), True
    return np.append(b, w), np.array(mistakes), np.all(y * (b + X @ w) > 0)


@alternative("trains_in_float32", "train")
def perceptron(X, y, max_epochs, order=None):
    vectors = augment(X).astype(np.float32)
    w, mistakes = np.zeros(vectors.shape[1], dtype=np.float32), []
    for epoch in range(max_epochs):
        for i in range(len(X)) if order is None else order[epoch]:
            w, mistake = perceptron_step(w, vectors[i], np.float32(y[i]))
            mistakes += [i] if mistake else []
    return w, mistakes, bool((y * (vectors @ w) > 0).all())


# -- bound -------------------------------------------------------------------------------------------------------------


@alternative("margin_one_example_at_a_time", "bound")
def margin(X, y, u):
    return min(y[i] * (u[0] + u[1:] @ X[i]) / np.sqrt(u @ u) for i in range(len(X)))


@alternative("radius_from_squares", "bound")
def radius(X):
    return np.sqrt(1 + np.max(np.einsum("ij,ij->i", X, X)))


@alternative("bound_as_a_numpy_number", "bound")
def mistake_bound(X, y, u):
    gamma = margin(X, y, u)
    if gamma <= 0:
        return float("inf")
    return np.float64(radius(X) ** 2 / gamma**2)


@alternative("traces_in_a_loop", "bound")
def proof_trace(X, y, u, mistakes):
    w, lengths, progress = np.zeros(X.shape[1] + 1), [], []
    for i in mistakes:
        w = w + y[i] * np.append(1, X[i])
        lengths.append(w @ w)
        progress.append(w @ u / np.linalg.norm(u))
    return lengths, progress


# -- xor ---------------------------------------------------------------------------------------------------------------


@alternative("one_feature_for_xor", "xor")
def xor_features(X):
    return np.abs(X[:, :1] - X[:, 1:])


@alternative("distances_from_the_corners", "xor")
def xor_features(X):
    corners = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    return np.exp(-((X[:, None, :] - corners) ** 2).sum(axis=2)).tolist()


@alternative("distance_from_the_middle_line", "xor")
def xor_features(X):
    return (1000 * (X.sum(axis=1, keepdims=True) - 1) ** 2).astype(np.float32)


@alternative("one_unit_for_each_case", "xor")
def xor_network():
    return [[1, -1], [-1, 1]], [0, 0], [1, 1], 0


@alternative("counts_down_from_one", "xor")
def xor_network():
    return (
        np.array([[1, 1], [-1, -1]]),
        np.array([-1, 1]),
        np.array([[-1, -1]]),
        np.array([1.0]),
    )


@alternative("proves_by_shares", "xor")
def certificate(X, y, max_epochs):
    w, seen, diary = np.zeros(X.shape[1] + 1), [np.zeros(X.shape[1] + 1)], []
    for _ in range(max_epochs):
        for i in range(len(X)):
            w, mistake = perceptron_step(w, augment(X)[i], y[i])
            if not mistake:
                continue
            diary.append(i)
            for start, old in enumerate(seen):
                if np.array_equal(old, w):
                    return np.array([diary[start:].count(k) for k in range(len(X))]) / len(
                        diary[start:]
                    )
            seen.append(w)
    return np.zeros(len(X))


# -- experiment --------------------------------------------------------------------------------------------------------


@alternative("peels_with_lists", "experiment")
def bound_versus_reality(X, y, u, gammas, max_epochs):
    counts, bounds = np.zeros(len(gammas), dtype=int), np.zeros(len(gammas))
    for k, gamma in enumerate(gammas):
        kept = [i for i in range(len(X)) if margin(X[i : i + 1], y[i : i + 1], u) >= gamma]
        if not kept:
            continue
        counts[k] = len(perceptron(X[kept], y[kept], max_epochs)[1])
        bounds[k] = (radius(X[kept]) / margin(X[kept], y[kept], u)) ** 2
    return counts, bounds


@alternative("gives_a_table", "experiment")
def bound_versus_reality(X, y, u, gammas, max_epochs):
    table = []
    for gamma in gammas:
        keep = y * (augment(X) @ u) >= gamma * np.sqrt(np.sum(u**2))
        table.append(
            [
                len(perceptron(X[keep], y[keep], max_epochs)[1]),
                mistake_bound(X[keep], y[keep], u),
            ]
            if any(keep)
            else [0, 0]
        )
    return np.array(table).T


# -- concepts ----------------------------------------------------------------------------------------------------------

alternative(
    "answers_in_capitals",
    "concepts",
    old='scaling="unchanged"',
    new='scaling=" Unchanged "',
)
alternative("answers_as_floats", "concepts", old="trace=4", new="trace=np.float64(4.0)")

# -- extra -------------------------------------------------------------------------------------------------------------


@alternative("hinge_one_example_at_a_time", "losses")
def hinge_loss(X, y, w):
    loss, slope = 0.0, np.zeros(len(w))
    for x, label in zip(augment(X), y):
        m = label * (x @ w)
        if m < 1:
            loss, slope = loss + 1 - m, slope - label * x
    return loss / len(X), slope / len(X)


@alternative("sigmoid_by_tanh", "logistic")
def sigmoid(z):
    return (1 + np.tanh(np.asarray(z) / 2)) / 2


@alternative("averages_by_survival", "averaged")
def averaged_perceptron(X, y, max_epochs, order=None):
    vectors, visits, left = augment(X), [], max_epochs * len(X)
    for epoch in range(max_epochs):
        visits += list(range(len(X)) if order is None else order[epoch])
    w, total = np.zeros(vectors.shape[1]), np.zeros(vectors.shape[1])
    for i in visits:
        new, mistake = perceptron_step(w, vectors[i], y[i])
        total, w, left = total + left * (new - w), new, left - 1
    return total / len(visits)


@alternative("keeps_kernel_scores", "kernel")
def kernel_perceptron(K, y, max_epochs):
    alpha, s = [0] * len(y), np.zeros(len(y))
    for _ in range(max_epochs):
        for i in range(len(y)):
            if y[i] * s[i] <= 0:
                alpha[i] += 1
                s = s + y[i] * K[i]
    return alpha
