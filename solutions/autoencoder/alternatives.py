"""Right answers to auto-encoders, written another way: all of them get full marks."""

from redink.checks import alternative

# -- tied --------------------------------------------------------------------------------------------------------------


@alternative("encodes_one_example_at_a_time", "tied")
def encode(W, b, X):
    return np.array([[1 / (1 + np.exp(-(w @ x + t))) for w, t in zip(W, b)] for x in X])


@alternative("decodes_by_einsum", "tied")
def decode(W, c, H):
    return np.einsum("nk,kd->nd", H, W) + c[None]


@alternative("loss_as_a_numpy_number", "tied")
def tied_loss(W, b, c, X):
    return np.mean([0.5 * np.dot(e, e) for e in decode(W, c, encode(W, b, X)) - X])


@alternative("gradient_example_by_example", "tied")
def tied_gradient(W, b, c, X):
    dW, db, dc = np.zeros(W.shape), np.zeros(len(b)), np.zeros(len(c))
    for x in X:
        h = 1 / (1 + np.exp(-(W @ x + b)))
        e = W.T @ h + c - x
        delta = (W @ e) * h * (1 - h)
        dW += np.outer(delta, x) + np.outer(h, e)
        db += delta
        dc += e
    return dW / len(X), db / len(X), dc / len(X)


@alternative("gradient_in_float32", "tied")
def tied_gradient(W, b, c, X):
    W, b, c, X = (part.astype(np.float32) for part in (W, b, c, X))
    H = 1 / (1 + np.exp(-(X @ W.T + b)))
    e = H @ W + c - X
    delta = (e @ W.T) * H * (1 - H)
    return [(delta.T @ X + H.T @ e) / len(X), delta.mean(axis=0), e.mean(axis=0)]


# -- linear ------------------------------------------------------------------------------------------------------------


@alternative("pca_by_eigenvectors", "linear")
def pca(X, k):
    centred = X - X.mean(axis=0)
    values, vectors = np.linalg.eigh(centred.T @ centred)
    return X.mean(axis=0), vectors[:, np.argsort(values)[::-1][:k]]


@alternative("pca_with_other_signs", "linear")
def pca(X, k):
    return np.mean(X, axis=0).tolist(), -np.linalg.svd(np.cov(X.T))[0][:, :k]


@alternative("floor_as_total_minus_kept", "linear")
def eckart_young(X, k):
    spectrum = np.linalg.eigvalsh(np.cov(X.T, bias=True))
    return 0.5 * (np.var(X, axis=0).sum() - spectrum[len(spectrum) - k :].sum())


@alternative("projector_by_qr", "linear")
def projector(B):
    Q = np.linalg.qr(B)[0]
    return Q @ Q.T


@alternative("projector_by_the_pseudo_inverse", "linear")
def projector(B):
    return (B @ np.linalg.pinv(B)).astype(np.float32)


@alternative("gradient_through_the_covariance", "linear")
def linear_gradient(E, D, X):
    S = X.T @ X / len(X)
    G = (D @ E - np.eye(X.shape[1])) @ S
    return np.trace(G @ (D @ E - np.eye(X.shape[1])).T) / 2, D.T @ G, G @ E.T


# -- experiment --------------------------------------------------------------------------------------------------------


@alternative("trains_without_calling_anything", "experiment")
def train_linear(X, E, D, rate, steps):
    S, E, D, losses = X.T @ X / len(X), E.astype(float), D.astype(float), []
    for t in range(steps + 1):
        miss = D @ E - np.eye(len(S))
        losses.append(0.5 * np.sum((miss @ S) * miss))
        if t < steps:
            up, down = D.T @ miss @ S, miss @ S @ E.T
            E -= rate * up
            D -= rate * down
    return E, D, np.array(losses)


@alternative("trains_in_float32", "experiment")
def train_linear(X, E, D, rate, steps):
    X, E, D = (part.astype(np.float32) for part in (X, E, D))
    losses = np.zeros(steps + 1, dtype=np.float32)
    for t in range(steps):
        R = X @ E.T @ D.T - X
        losses[t] = 0.5 * np.mean(np.sum(R**2, axis=1))
        E, D = (
            E - np.float32(rate) * (R @ D).T @ X / len(X),
            D - np.float32(rate) * R.T @ (X @ E.T) / len(X),
        )
    losses[steps] = 0.5 * np.mean(np.sum((X @ E.T @ D.T - X) ** 2, axis=1))
    return E, D, losses


@alternative("reports_from_the_matrices", "experiment")
def digits_report(train, test, E, D, rate, steps):
    mean = train.mean(axis=0)
    E, D, _ = train_linear(train - mean, E, D, rate, steps)
    ends = [
        np.mean(np.sum(((p - mean) @ E.T @ D.T - p + mean) ** 2, axis=1)) / 2
        for p in (train, test)
    ]
    spectrum = np.sort(np.linalg.eigvalsh(np.cov(train.T, bias=True)))
    return [*ends, spectrum[: len(spectrum) - E.shape[0]].sum() / 2]


# -- denoise -----------------------------------------------------------------------------------------------------------


@alternative("denoises_in_two_lines", "denoise")
def denoising_loss(reconstruct, X, noise):
    error = reconstruct(np.add(X, noise)) - X
    return np.einsum("ij,ij->", error, error) / len(X) * 0.5


@alternative("averages_by_the_trace", "denoise")
def noise_averaged_loss(A, b, X, sigma):
    each = [0.5 * np.sum((A @ x + b - x) ** 2) for x in X]
    return sum(each) / len(each) + 0.5 * sigma**2 * np.trace(A @ A.T)


@alternative("denoiser_by_eigenvectors", "denoise")
def linear_denoiser(X, sigma):
    mean = X.mean(axis=0)
    values, axes = np.linalg.eigh((X - mean).T @ (X - mean) / len(X))
    A = (axes * (values / (values + sigma**2))) @ axes.T
    return A, mean - A @ mean


@alternative("denoiser_by_ridge_regression", "denoise")
def linear_denoiser(X, sigma):
    n, d = X.shape
    wide = np.column_stack([X, np.ones(n)])
    penalty = n * sigma**2 * np.eye(d + 1)
    penalty[d, d] = 0
    B = np.linalg.solve(wide.T @ wide + penalty, wide.T @ X)
    return B[:d].T, B[d]


@alternative("denoiser_in_float32", "denoise")
def linear_denoiser(X, sigma):
    mean = X.mean(axis=0)
    S = np.cov(X.T, bias=True).reshape(X.shape[1], X.shape[1])
    A = np.linalg.solve(S + sigma**2 * np.eye(len(S)), S)
    return A.astype(np.float32), (mean - A @ mean).astype(np.float32)


# -- penalties ---------------------------------------------------------------------------------------------------------


@alternative("l2_by_einsum", "penalties")
def l2_penalty(H):
    return np.einsum("ij,ij->i", H, H).mean(), H * (2 / H.shape[0])


@alternative("l1_by_cases", "penalties")
def l1_penalty(H):
    slope = np.zeros(H.shape)
    slope[H > 0], slope[H < 0] = 1 / len(H), -1 / len(H)
    return np.linalg.norm(H.ravel(), 1) / len(H), slope


@alternative("thresholds_by_two_cases", "penalties")
def sparse_code(A, lam):
    return np.where(A > lam, A - lam, np.where(A < -lam, A + lam, 0.0))


@alternative("thresholds_by_clipping", "penalties")
def sparse_code(A, lam):
    return A - np.clip(A, -lam, lam)


@alternative("contracts_through_the_jacobian", "penalties")
def contractive_penalty(W, H, X):
    value, dW, db = 0.0, np.zeros(W.shape), np.zeros(len(W))
    for h, x in zip(H, X):
        J = (h * (1 - h))[:, None] * W
        value += np.linalg.norm(J) ** 2
        dW += 2 * (h * (1 - h))[:, None] * J
        along = 2 * np.sum(J * W, axis=1) * h * (1 - h) * (1 - 2 * h)
        dW += np.outer(along, x)
        db += along
    return value / len(X), dW / len(X), db / len(X)


# -- vae ---------------------------------------------------------------------------------------------------------------


@alternative("draws_by_a_root", "vae")
def reparametrise(mu, logvar, eps):
    return torch.addcmul(mu, logvar.exp().sqrt(), eps)


@alternative("draws_in_float32", "vae")
def reparametrise(mu, logvar, eps):
    return mu.float() + (0.5 * logvar.float()).exp() * eps.float()


alternative(
    "draws_in_float32",
    "vae",
    old="likelihood = constant - ((x - means) ** 2)",
    new="likelihood = constant - ((x - means.double()) ** 2)",
)
alternative(
    "draws_in_float32",
    "vae",
    old="means = decoder(reparametrise(mu, logvar, eps))",
    new="means = decoder(mu + torch.exp(logvar / 2) * eps)",
)


@alternative("price_from_the_deviation", "vae")
def kl_to_prior(mu, logvar):
    sigma = torch.exp(0.5 * logvar)
    return torch.stack(
        [(0.5 * (s * s + m * m) - 0.5 - s.log()).sum() for m, s in zip(mu, sigma)]
    )


@alternative("elbo_draw_by_draw", "vae")
def elbo(x, mu, logvar, eps, decoder, s):
    total = 0
    for noise in eps:
        mean = decoder(mu[None] + (logvar / 2).exp() * noise[None])[0]
        density = -0.5 * ((x - mean) / s).square() - np.log(s) - 0.5 * np.log(2 * np.pi)
        total = total + density.sum(dim=1)
    return total / len(eps) - 0.5 * (logvar.exp() + mu.square() - 1 - logvar).sum(1)


@alternative("a_step_by_autograd_s_own_gradients", "vae")
def vae_step(x, encoder, decoder, optimiser, eps, s):
    found = encoder(x)
    k = found.shape[1] // 2
    bound = elbo(x, found[:, :k], found[:, k:], eps, decoder, s).sum() / len(x)
    weights = [one for group in optimiser.param_groups for one in group["params"]]
    for weight, slope in zip(weights, torch.autograd.grad(bound, weights)):
        weight.grad = -slope
    optimiser.step()
    return -float(bound)


# -- concepts ----------------------------------------------------------------------------------------------------------

alternative(
    "answers_in_capitals", "concepts", old='spotless="target"', new='spotless=" Target "'
)
alternative("answers_as_floats", "concepts", old="wire=2,", new="wire=np.float64(2.0),")

# -- extra -------------------------------------------------------------------------------------------------------------


@alternative("sizes_by_sorting", "stacked")
def layer_sizes(side, channels, hidden):
    return sorted(hidden)[0], np.prod([channels, side, side])


@alternative("encodes_recursively", "stacked")
def stacked_encode(layers, X):
    if not layers:
        return X
    W, b, _ = layers[0]
    return stacked_encode(layers[1:], 1 / (1 + np.exp(-(X @ W.T + b))))


@alternative("decodes_by_index", "stacked")
def stacked_decode(layers, H):
    for level in range(len(layers) - 1, -1, -1):
        H = H @ layers[level][0] + layers[level][2]
    return H


@alternative("stacks_by_encoding_afresh", "stacked")
def stack(X, widths, fit):
    layers = []
    for width in widths:
        layers.append(fit(stacked_encode(layers, X), width))
    return layers


@alternative("evidence_by_the_largest", "jensen")
def log_evidence(log_prior, log_lik):
    found = []
    for row in log_lik:
        joint = row + log_prior
        found.append(joint.max() + np.log(np.sum(np.exp(joint - joint.max()))))
    return found


@alternative("posterior_from_the_evidence", "jensen")
def posterior(log_prior, log_lik):
    return np.exp(log_prior + log_lik - log_evidence(log_prior, log_lik)[:, None])


@alternative("bound_over_the_support", "jensen")
def discrete_elbo(q, log_prior, log_lik):
    found = []
    for weights, row in zip(q, log_lik):
        on = weights > 0
        found.append(np.sum(weights[on] * (log_prior[on] + row[on] - np.log(weights[on]))))
    return np.array(found)


@alternative("ppca_turned", "ppca")
def fit_ppca(X, k):
    values, vectors = np.linalg.eigh(np.cov(X.T, bias=True))
    s2 = values[:-k].mean()
    turn = np.linalg.qr(np.cos(np.arange(k * k).reshape(k, k)) + np.eye(k))[0]
    return X.mean(axis=0), vectors[:, -k:] * np.sqrt(values[-k:] - s2) @ turn, s2


@alternative("likelihood_by_cholesky", "ppca")
def ppca_log_likelihood(m, V, s2, X):
    L = np.linalg.cholesky(V @ V.T + s2 * np.eye(len(m)))
    white = np.linalg.solve(L, (X - m).T)
    return (
        -0.5 * np.sum(white**2, axis=0)
        - np.log(np.diag(L)).sum()
        - 0.5 * len(m) * np.log(2 * np.pi)
    )


@alternative("posterior_by_the_other_identity", "ppca")
def ppca_posterior(m, V, s2, X):
    gain = V.T @ np.linalg.inv(V @ V.T + s2 * np.eye(len(m)))
    return (X - m) @ gain.T, np.eye(V.shape[1]) - gain @ V


@alternative("scores_by_pythagoras", "applied")
def outlier_scores(mean, V, X):
    return np.sum((X - mean) ** 2, axis=1) - np.sum(((X - mean) @ V) ** 2, axis=1)


@alternative("bits_as_floats", "applied")
def hash_codes(H):
    return np.floor(np.asarray(H) + 0.5)


@alternative("hamming_by_products", "applied")
def hamming(P, Q):
    return P @ (1 - Q).T + (1 - P) @ Q.T
