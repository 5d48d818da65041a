"""Right answers to the multi-layer perceptron, written another way: all of them get full marks."""

from redink.checks import alternative

# -- activations -------------------------------------------------------------------------------------------------------


@alternative("sigmoid_by_tanh", "activations")
def sigmoid(Z):
    half = np.tanh(0.5 * Z)
    return 0.5 * (1 + half), 0.25 * (1 - half**2)


@alternative("sigmoid_of_one_line", "activations")
def sigmoid(Z):
    with np.errstate(over="ignore"):
        s = 1 / (1 + np.exp(-Z))
    return s, s - s**2


@alternative("tanh_in_float32", "activations")
def tanh(Z):
    t = np.tanh(Z.astype(np.float32))
    return t, 1 - t * t


@alternative("relu_in_a_loop", "activations")
def relu(Z):
    out, slope = np.empty(Z.shape), np.empty(Z.shape)
    for place in np.ndindex(Z.shape):
        out[place] = Z[place] if Z[place] > 0 else 0.0
        slope[place] = 1.0 if Z[place] > 0 else 0.0
    return out, slope


@alternative("leaky_by_maximum", "activations")
def leaky_relu(Z, alpha=0.01):
    return np.maximum(Z, alpha * Z), alpha + (1 - alpha) * (Z > 0)


@alternative("hard_tanh_by_minimum", "activations")
def hard_tanh(Z):
    return np.minimum(np.maximum(Z, -1), 1), ((Z > -1) * (Z < 1)).astype(np.int64)


# -- losses ------------------------------------------------------------------------------------------------------------


@alternative("one_hot_from_the_identity", "losses")
def one_hot(labels, K):
    return np.eye(K, dtype=int)[labels]


@alternative("one_hot_by_comparing", "losses")
def one_hot(labels, K):
    return [[float(k == label) for k in range(K)] for label in labels]


@alternative("softmax_from_log_sum_exp", "losses")
def softmax(O):
    return np.exp(O - log_sum_exp(O)[:, None])


@alternative("log_sum_exp_by_reduction", "losses")
def log_sum_exp(O):
    return np.logaddexp.reduce(O, axis=1)


@alternative("cross_entropy_one_example_at_a_time", "losses")
def cross_entropy(O, T):
    loss, dO = 0.0, np.zeros(O.shape)
    for i, (o, t) in enumerate(zip(O, T)):
        top = max(o)
        powers = [np.exp(v - top) for v in o]
        for k in range(len(o)):
            loss += t[k] * (top + np.log(sum(powers)) - o[k]) / len(O)
            dO[i, k] = (sum(t) * powers[k] / sum(powers) - t[k]) / len(O)
    return loss, dO


@alternative("cross_entropy_in_float32", "losses")
def cross_entropy(O, T):
    O, T = O.astype(np.float32), T.astype(np.float32)
    shifted = O - O.max(axis=1, keepdims=True)
    logs = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    total = T.sum(axis=1, keepdims=True)
    return np.float32(-(T * logs).sum() / len(O)), (total * np.exp(logs) - T) / np.float32(
        len(O)
    )


@alternative("binary_by_cases", "losses")
def binary_cross_entropy(p, y):
    return -np.mean(y * np.log(p) + (1 - y) * np.log1p(-p)), (p - y) / (
        p * (1 - p) * len(p)
    )


@alternative("logits_by_absolute_values", "losses")
def bce_with_logits(z, y):
    small = np.exp(-np.abs(z))
    p = np.where(z >= 0, 1 / (1 + small), small / (1 + small))
    return np.mean(np.maximum(z, 0) - y * z + np.log1p(small)), (p - y) / y.size


@alternative("squared_error_by_einsum", "losses")
def squared_error(O, T):
    n = O.shape[0]
    return 0.5 * np.einsum("nk,nk->", O - T, O - T) / n, (O - T) / n


# -- forward -----------------------------------------------------------------------------------------------------------


@alternative("forward_by_einsum", "forward")
def forward(layers, activations, X):
    inputs, slopes, H = [], [], X
    for l in range(len(layers)):
        W, b = layers[l]
        inputs.append(H)
        H, slope = activations[l](np.einsum("ni,oi->no", H, W) + b[None, :])
        slopes.append(slope)
    return H, list(zip(inputs, slopes))


@alternative("forward_in_columns", "forward")
def forward(layers, activations, X):
    H, cache = X.T, []
    for (W, b), g in zip(layers, activations):
        bent, slope = g(W @ H + b[:, None])
        cache.append([H.T, slope.T])
        H = bent
    return H.T, cache


@alternative("forward_by_recursion", "forward")
def forward(layers, activations, X):
    if len(layers) == 0:
        return X, []
    (W, b), g = layers[0], activations[0]
    out, slope = g(np.dot(X, W.transpose()) + b)
    result, rest = forward(layers[1:], activations[1:], out)
    return result, [(X, slope)] + rest


@alternative("forward_with_an_augmented_matrix", "forward")
def forward(layers, activations, X):
    H, cache = X, ()
    for (W, b), g in zip(layers, activations):
        extended = np.hstack([np.ones((len(H), 1)), H]) @ np.column_stack([b, W]).T
        bent, slope = g(extended)
        cache, H = (*cache, (H, slope)), bent
    return H, cache


# -- backward ----------------------------------------------------------------------------------------------------------


@alternative("backward_one_example_at_a_time", "backward")
def backward(layers, cache, dO):
    gradients = [[np.zeros_like(W), np.zeros_like(b)] for W, b in layers]
    dX = np.zeros_like(cache[0][0])
    for i in range(len(dO)):
        g = dO[i]
        for l in range(len(layers) - 1, -1, -1):
            delta = g * cache[l][1][i]
            gradients[l][0] += np.outer(delta, cache[l][0][i])
            gradients[l][1] += delta
            g = layers[l][0].T @ delta
        dX[i] = g
    return gradients, dX


@alternative("backward_by_einsum", "backward")
def backward(layers, cache, dO):
    found, G = {}, dO
    for l in reversed(range(len(layers))):
        H, slope = cache[l]
        D = np.multiply(G, slope)
        found[l] = (np.einsum("no,ni->oi", D, H), np.ones(len(D)) @ D)
        G = np.einsum("no,oi->ni", D, layers[l][0])
    return [found[l] for l in range(len(layers))], G


@alternative("backward_in_float32", "backward")
def backward(layers, cache, dO):
    G, gradients = dO.astype(np.float32), []
    for (W, _), (H, slope) in zip(reversed(layers), reversed(cache)):
        delta = G * slope.astype(np.float32)
        gradients.insert(0, (delta.T @ H.astype(np.float32), delta.sum(axis=0)))
        G = delta @ W.astype(np.float32)
    return gradients, G


@alternative("backward_by_recursion", "backward")
def backward(layers, cache, dO):
    if not layers:
        return [], dO
    (W, _), (H, slope) = layers[-1], cache[-1]
    delta = dO * slope
    below, dX = backward(layers[:-1], cache[:-1], np.dot(delta, W))
    return below + [(np.dot(delta.T, H), np.sum(delta, 0))], dX


# -- gradcheck ---------------------------------------------------------------------------------------------------------


@alternative("differences_along_the_identity", "gradcheck")
def numerical_gradient(f, x, h=1e-5):
    flat = np.asarray(x, dtype=float).ravel()
    steps = h * np.eye(flat.size)
    slopes = [
        (f((flat + e).reshape(np.shape(x))) - f((flat - e).reshape(np.shape(x)))) / (2 * h)
        for e in steps
    ]
    return np.reshape(slopes, np.shape(x))


@alternative("differences_in_place_and_restored", "gradcheck")
def numerical_gradient(f, x, h=1e-5):
    if x.dtype.kind != "f":
        x = x.astype(float)
    found = np.empty(x.shape)
    for place in np.ndindex(x.shape):
        before = x[place]
        x[place] = before + h
        above = f(x)
        x[place] = before - h
        found[place] = (above - f(x)) / h / 2
        x[place] = before
    return found


@alternative("checks_with_lists", "gradcheck")
def gradient_check(f, x, claim, h=1e-5):
    c = numerical_gradient(f, x, h)
    wrong, kink = np.zeros(x.shape, dtype=int), np.zeros(x.shape, dtype=int)
    middle = f(x + 0.0)
    for i in np.ndindex(x.shape):
        there = np.array(x, dtype=float)
        there[i] += h
        r = (f(there) - middle) / h
        s = 2 * c[i] - r
        kink[i] = abs(r - s) > 0.01 * max(1, abs(r), abs(s))
        wrong[i] = not (kink[i] or abs(claim[i] - c[i]) <= 1e-6 * max(1, abs(c[i])))
    return wrong, kink


# -- experiment --------------------------------------------------------------------------------------------------------


@alternative("classifier_written_out", "experiment")
def classifier_loss(layers, activations, X, T):
    H, kept = X, []
    for (W, b), g in zip(layers, activations):
        bent, slope = g(H @ W.T + b)
        kept.append((H, slope, W))
        H = bent
    P = np.exp(H - H.max(axis=1, keepdims=True))
    P /= P.sum(axis=1, keepdims=True)
    D, gradients = (P * T.sum(axis=1, keepdims=True) - T) / len(X), []
    for below, slope, W in kept[::-1]:
        D = D * slope
        gradients = [(D.T @ below, D.sum(axis=0))] + gradients
        D = D @ W
    return -np.sum(T * np.log(P)) / len(X), gradients


@alternative("trains_copies", "experiment")
def train(loss_and_gradients, layers, batches, rate):
    own = [[np.array(W, dtype=float), np.array(b, dtype=float)] for W, b in layers]
    losses = np.zeros(len(batches))
    for k in range(len(batches)):
        losses[k], gradients = loss_and_gradients(own, batches[k])
        for pair, steps in zip(own, gradients):
            pair[0] -= rate * steps[0]
            pair[1] -= rate * steps[1]
    return own, losses


@alternative("trains_in_float32", "experiment")
def train(loss_and_gradients, layers, batches, rate):
    layers, losses = [(np.float32(W), np.float32(b)) for W, b in layers], []
    for batch in batches:
        loss, gradients = loss_and_gradients(layers, batch)
        losses.append(np.float32(loss))
        layers = [
            (np.float32(W - rate * dW), np.float32(b - rate * db))
            for (W, b), (dW, db) in zip(layers, gradients)
        ]
    return layers, losses


@alternative("accuracy_by_counting", "experiment")
def accuracy(layers, activations, X, labels):
    logits, _ = forward(layers, activations, X)
    right = 0
    for row, label in zip(softmax(logits), labels):
        right += int(np.argmax(row) == label)
    return right / len(labels)


@alternative("norms_by_hand", "experiment")
def gradient_norms(layers, activations, X, T):
    O, cache = forward(layers, activations, X)
    gradients, _ = backward(layers, cache, cross_entropy(O, T)[1])
    return np.array([np.sqrt(np.einsum("ij,ij->", dW, dW)) for dW, _ in gradients])


# -- concepts ----------------------------------------------------------------------------------------------------------

alternative(
    "answers_in_capitals", "concepts", old='stuck_run="zeros"', new='stuck_run=" Zeros "'
)
alternative("answers_with_powers", "concepts", old="chain=1024", new="chain=4.0**5")
alternative(
    "answers_as_numpy_numbers", "concepts", old="codes=64", new="codes=np.int64(64)"
)

# -- extra -------------------------------------------------------------------------------------------------------------


@alternative("collapses_from_the_top", "affine")
def collapse(layers):
    W_all, b_all = np.eye(len(layers[-1][1])), 0
    for W, b in reversed(layers):
        b_all = b_all + W_all @ b
        W_all = W_all @ W
    return W_all, b_all


@alternative("counts_arrays", "affine")
def count_parameters(widths):
    shapes = [np.zeros((widths[l + 1], widths[l])) for l in range(len(widths) - 1)]
    return [sum(W.size for W in shapes), sum(len(W) for W in shapes)]


@alternative("draws_uniformly", "init")
def init_layers(widths, rng, gain=2.0):
    layers = []
    for l in range(1, len(widths)):
        edge = np.sqrt(3 * gain / widths[l - 1])
        W = rng.uniform(-edge, edge, size=(widths[l], widths[l - 1]))
        layers.append([W.astype(np.float32), np.zeros(widths[l], dtype=np.float32)])
    return layers


@alternative("draws_one_by_one", "init")
def init_layers(widths, rng, gain=2.0):
    return [
        (rng.standard_normal((i, o)).T * (gain / i) ** 0.5, np.zeros(o))
        for i, o in zip(widths[:-1], widths[1:])
    ]


@alternative("distinct_by_marking_twins", "init")
def distinct_units(layers, tol=1e-9):
    counts = np.zeros(len(layers) - 1, dtype=int)
    for l in range(len(layers) - 1):
        units = np.hstack([layers[l][0], layers[l][1][:, None], layers[l + 1][0].T])
        apart = np.abs(units[:, None] - units[None]).max(axis=2)
        counted = np.zeros(len(units), dtype=bool)
        for k in range(len(units)):
            counted[k] = not (apart[k, counted] <= tol).any()
        counts[l] = counted.sum()
    return counts


SEARCH = """        uses: dict[Value, int] = {self: 0}
        found = [self]
        for node in found:  # the list grows while we walk it: everything below the result
            node.grad = 0.0
            for parent, _ in node.parents:
                if parent not in uses:
                    found.append(parent)
                uses[parent] = uses.get(parent, 0) + 1
        self.grad = 1.0
        complete = [self]
        while complete:
            node = complete.pop()
            for parent, slope in node.parents:
                parent.grad += node.grad * slope
                uses[parent] -= 1
                if uses[parent] == 0:
                    complete.append(parent)"""

alternative(
    "sorts_with_a_stack",
    "autodiff",
    old=SEARCH,
    new="""        order, state, stack = [], {}, [self]
        while stack:
            node = stack[-1]
            if id(node) not in state:
                state[id(node)] = "open"
                stack.extend(p for p, _ in node.parents if id(p) not in state)
            else:
                stack.pop()
                if state[id(node)] == "open":
                    state[id(node)] = "done"
                    order.append(node)
        for node in order:
            node.grad = 0.0
        self.grad = 1.0
        for node in reversed(order):
            for parent, slope in node.parents:
                parent.grad = parent.grad + slope * node.grad""",
)


@alternative("layer_norm_by_the_jacobian", "blocks")
def layer_norm(X, gamma, beta, eps=1e-5):
    mean, variance = X.mean(axis=1), X.var(axis=1)
    hat = (X - mean[:, None]) / np.sqrt(variance + eps)[:, None]

    def back(dY):
        d, dX = X.shape[1], np.zeros(X.shape)
        for i in range(len(X)):
            jacobian = np.eye(d) - 1 / d - np.outer(hat[i], hat[i]) / d
            dX[i] = jacobian @ (gamma * dY[i]) / np.sqrt(variance[i] + eps)
        return dX, np.einsum("nd,nd->d", dY, hat), np.sum(dY, axis=0)

    return hat * gamma + beta, back


@alternative("dropout_by_binomials", "blocks")
def dropout(X, p, rng, training):
    if not training:
        return X.copy(), lambda dY: dY.copy()
    keep = rng.binomial(1, 1 - p, size=X.shape)
    return np.where(keep, X / (1 - p), 0.0), lambda dY: np.where(keep, dY / (1 - p), 0.0)


@alternative("dropout_in_float32", "blocks")
def dropout(X, p, rng, training):
    keep = (
        np.float32(1)
        if not training
        else (rng.random(X.shape, dtype=np.float32) > p) / np.float32(1 - p)
    )
    return X.astype(np.float32) * keep, lambda dY: dY.astype(np.float32) * keep
