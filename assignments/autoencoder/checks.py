"""Public checks of auto-encoders: they find the usual slips, on examples small enough to read."""

import itertools
from types import SimpleNamespace
from typing import TYPE_CHECKING

import numpy as np

from redink.checks import Fail, answers_have_form, check, close
from redink_datasets import ellipsoid

if TYPE_CHECKING:
    import torch  # the box has it; the judge need not


def numbers(rng, trial, *shape):
    """Draw numbers that are easy to read in trial 0, integers in trial 3, and otherwise ordinary ones; none is 0."""
    if trial == 3:
        return whole(rng, *shape)
    return rng.choice([-1.5, -1.0, -0.5, 0.5, 1.0, 1.5, 2.0], size=shape) if trial == 0 else rng.normal(size=shape)


def whole(rng, *shape):
    """Draw integers, none of them 0."""
    return rng.permuted(np.resize([-3, 2, -1, 1, -2, 3, 4], shape))


def sigmoid(z):
    """Give the logistic sigmoid."""
    return (1 + np.tanh(z / 2)) / 2


# -- tied --------------------------------------------------------------------------------------------------------------


def tied_network(rng, trial):
    """Draw a tied auto-encoder and examples for it: n, d and k all differ; in trial 3 all are integers."""
    n, d, k = [(1, 3, 2), (5, 4, 3), (9, 7, 5), (4, 3, 2)][trial]
    W, b, c = (numbers(rng, trial, *shape) for shape in ((k, d), (k,), (d,)))
    return dict(W=np.sign(W) if trial == 3 else W, b=b, c=c, X=numbers(rng, trial, n, d))


def by_hand(rng):
    """Draw a network like the one in the notebook's table: its code is exactly ½."""
    x, sign = rng.permutation([1.0, 2.0]), float(rng.choice([1.0, -1.0]))
    W = sign * np.array([[2 * x[1], -2 * x[0]]])
    return dict(W=W, b=np.array([0.0]), c=rng.permutation([0.0, 1.5]), X=x[None])


@check("tied", calls="encode", trials=4, covers="R285")
def a_code_is_a_squashed_score(rng, trial):
    """encode gives σ(W x + b) for every example; W, b and X may hold integers."""
    made = tied_network(rng, trial)
    return dict(W=made["W"], b=made["b"], X=made["X"])


@check("tied", calls="decode", trials=4, covers="R285")
def the_decoder_is_the_transpose(rng, trial):
    """decode gives Wᵀ h + c for every code, and does not squash it; W and c may hold integers."""
    made = tied_network(rng, trial)
    return dict(W=made["W"], c=made["c"], H=sigmoid(numbers(rng, trial, len(made["X"]), len(made["b"]))).round(2))


@check("tied", calls="tied_loss", trials=4, tol=1e-5, covers="R286")
def the_loss_is_a_mean_of_half_squares(rng, trial):
    """tied_loss is half the squared error, summed over the numbers of an example and averaged over the examples."""
    return tied_network(rng, trial) if trial else by_hand(rng)


@check("tied", calls="tied_gradient", trials=4, tol=1e-6, returns="dW db dc", covers="R285 R286")
def the_gradient_in_all_three(rng, trial):
    """tied_gradient gives the gradient of the loss in W, b and c; what it is given may hold integers."""
    return tied_network(rng, trial) if trial else by_hand(rng)


# -- linear ------------------------------------------------------------------------------------------------------------


def varied(rng, variances):
    """Change variances a little, so that the size of the data does not tell them; their order stays."""
    return np.array(variances) * rng.uniform(0.85, 1.15, size=len(variances))


def cross(rng):
    """Draw four points on two axes at right angles, (0.6, 0.8) and (−0.8, 0.6), and the mean: to be worked out by hand."""
    axes, mean = np.array([[0.6, -0.8], [0.8, 0.6]]), rng.permutation([1.0, 2.0])
    lengths = np.diag([[5.0, 2.5], [10.0, 1.25]][rng.integers(2)])
    return SimpleNamespace(X=rng.permutation(mean + np.concatenate([lengths, -lengths]) @ axes.T), axes=axes, mean=mean)


def cloud(rng, trial):
    """Draw examples whose principal axes are known, away from 0, and the size of a code for them; in trial 3 integers."""
    n, variances, k = [
        (4, [], 1),
        (9, [5.0, 3.0, 1.0, 0.5, 0.2], 2),
        (24, [6.0, 4.0, 2.5, 0.9, 0.6, 0.4, 0.1], 3),
        (7, [5.0, 3.0, 0.5, 0.2], 2),
    ][trial]
    if trial == 0:
        return cross(rng), k
    data = ellipsoid(rng, n, varied(rng, variances), reach=3.0)
    if trial == 3:  # rounded, the second variance and the third stay far apart
        data = SimpleNamespace(X=np.rint(8 * data.X).astype(int), axes=data.axes, mean=data.mean)
    return data, k


@check("linear", calls="pca", trials=4, returns="mean V", covers="R288")
def pca_finds_the_mean_and_the_plane(rng, trial):
    """pca gives the mean and orthonormal directions of largest variance, the largest first (their signs are free)."""
    data, k = cloud(rng, trial)
    return dict(X=data.X, k=k)


def plane(seen, X):
    """Give what does not depend on signs: the mean, the projector, the variance of each coordinate in turn."""
    mean, V = (np.asarray(part, dtype=float) for part in seen)
    return [mean, V @ V.T, np.mean(((X - X.mean(axis=0)) @ V) ** 2, axis=0)]


@pca_finds_the_mean_and_the_plane.view
def _(seen, X):
    mean, V = seen
    columns = np.shape(V)[0] == X.shape[1]
    return plane(seen, X) if columns else ["as rows", plane([mean, np.transpose(V)], X)]


@pca_finds_the_mean_and_the_plane.then
def _(seen, expected, X, k):
    mean, V = seen
    close(mean, expected[0], tol=1e-6, what="the mean")
    if np.shape(V) != np.shape(expected[1]):
        raise Fail(f"expected the directions as columns, an array of shape {np.shape(expected[1])}, got {np.shape(V)}")
    close(V.T @ V, np.eye(k), tol=1e-4, what="VᵀV")
    close(V @ V.T, expected[1] @ expected[1].T, tol=1e-4, what="VVᵀ, the projector on the plane")
    close(plane(seen, X)[2], plane(expected, X)[2], tol=1e-4, what="the variances along the columns of V")


@check("linear", calls="eckart_young", trials=4, tol=1e-5, covers="R288")
def the_floor_is_half_of_what_is_left_over(rng, trial):
    """eckart_young gives half the sum of the variances along the directions that are dropped."""
    data, k = cloud(rng, trial)
    return dict(X=data.X, k=k)


@check("linear", calls="projector", covers="R288")
def the_projector_of_any_basis(rng, trial):
    """projector gives B(BᵀB)⁻¹Bᵀ, also where the columns of B are neither orthogonal nor of length 1."""
    d, k = [(3, 1), (4, 2), (7, 3)][trial]
    return dict(B=numbers(rng, trial, d, k) + 3 * np.eye(d, k))


@check("linear", calls="linear_gradient", trials=4, tol=1e-5, returns="loss dE dD", covers="R288")
def the_linear_loss_and_its_slopes(rng, trial):
    """linear_gradient gives the mean of ½‖DEx − x‖² and its gradient in E and in D."""
    n, d, k = [(2, 3, 1), (6, 5, 2), (11, 7, 4), (3, 3, 3)][trial]  # where all are the same, no shape helps
    return dict(E=numbers(rng, trial, k, d), D=numbers(rng, trial, d, k), X=numbers(rng, trial, n, d))


# -- experiment --------------------------------------------------------------------------------------------------------


@check("experiment", calls="train_linear", trials=5, tol=1e-5, returns="E D losses", covers="R288")
def every_step_moves_both_matrices(rng, trial):
    """train_linear moves E and D against their gradients, both taken at the same place, and notes every loss."""
    n, d, k, steps = [(2, 3, 1, 1), (6, 5, 2, 3), (11, 6, 4, 12), (4, 3, 2, 2), (5, 4, 2, 0)][trial]
    E, D = numbers(rng, trial, k, d), numbers(rng, trial, d, k)
    if trial != 3:  # there they are integers
        E, D = E / 2, D / 2
    return dict(X=numbers(rng, trial, n, d), E=E, D=D, rate=[0.1, 0.04, 0.02, 0.001, 0.1][trial], steps=steps)


@check("experiment", calls="digits_report", tol=1e-5, returns="trained tested floor", covers="R288")
def the_report_has_three_numbers(rng, trial):
    """digits_report gives the loss on the training data, the loss on the test data, and the floor of the training data."""
    data, k = cloud(rng, trial)
    d, m = data.X.shape[1], [2, 4, 13][trial]
    test = data.mean + numbers(rng, trial, m, d)
    E, D = numbers(rng, trial, k, d) / 2, numbers(rng, trial, d, k) / 2
    return dict(train=data.X, test=test, E=E, D=D, rate=[0.01, 0.03, 0.03][trial], steps=[1, 4, 15][trial])


# -- denoise -----------------------------------------------------------------------------------------------------------


@check("denoise", trials=4, tol=1e-5, covers="R292")
def noise_goes_in_and_the_clean_example_is_wanted(rng, trial):
    """denoising_loss feeds x + noise to the network and compares with the clean x, which may hold integers."""
    n, d = [(1, 2), (4, 3), (9, 6), (5, 3)][trial]
    X, noise, A = numbers(rng, trial, n, d), numbers(rng, trial, n, d), numbers(rng, trial, d, d)
    if trial == 3:
        noise = noise / 8
    return dict(X=X, noise=noise, A=A, b=numbers(rng, trial, d))


@noise_goes_in_and_the_clean_example_is_wanted.when
def _(student, X, noise, A, b):
    return student.denoising_loss(lambda Z: Z @ A.T + b, X, noise)


@check("denoise", calls="noise_averaged_loss", trials=4, tol=1e-5, covers="R292")
def the_average_over_all_noise(rng, trial):
    """noise_averaged_loss is what the map loses without noise, and what noise with this σ adds on average."""
    n, d = [(1, 2), (4, 3), (9, 5), (5, 4)][trial]
    A, b, X = numbers(rng, trial, d, d), numbers(rng, trial, d), numbers(rng, trial, n, d)
    return dict(A=A, b=b, X=X, sigma=[2.0, 0.7, 1.6, 0.3][trial])


@check("denoise", calls="linear_denoiser", trials=4, tol=1e-6, returns="A b", covers="R292")
def every_axis_has_its_knob(rng, trial):
    """linear_denoiser turns an axis of variance λ down to λ/(λ + σ²), and keeps the mean in place."""
    if trial == 0:  # signal and noise are equally strong: half
        return dict(X=np.array([[1], [3]]) + rng.integers(1, 4), sigma=1.0)
    if trial == 3:
        return dict(X=whole(rng, 6, 4), sigma=1.25)
    n, variances = [(7, [3.0, 1.0, 0.2]), (19, [5.0, 2.0, 1.0, 0.4, 0.1])][trial - 1]
    return dict(X=ellipsoid(rng, n, variances, reach=2.0).X, sigma=[0.6, 1.5][trial - 1])


# -- penalties ---------------------------------------------------------------------------------------------------------


@check("penalties", calls="l2_penalty", trials=4, tol=1e-5, returns="penalty gradient", covers="R289")
def the_size_of_the_code(rng, trial):
    """l2_penalty is the mean over the examples of ‖h‖², with its gradient in H; H may hold integers."""
    shape = [(2, 3), (5, 4), (11, 7), (3, 5)][trial]
    return dict(H=numbers(rng, trial, *shape))


@check("penalties", calls="l1_penalty", trials=4, tol=1e-5, returns="penalty gradient", covers="R291")
def the_price_of_every_bit_of_code(rng, trial):
    """l1_penalty is the mean over the examples of Σ|h|, with its gradient in H; H may hold integers."""
    shape = [(2, 3), (5, 4), (11, 7), (3, 5)][trial]
    return dict(H=numbers(rng, trial, *shape))


@check("penalties", calls="sparse_code", trials=4, covers="R291")
def the_soft_threshold(rng, trial):
    """sparse_code moves every number towards 0 by λ, and no farther than 0; A may hold integers."""
    if trial == 3:
        return dict(A=whole(rng, 2, 5), lam=1.25)
    A = [np.array([3.0, -3.0, 0.5, -0.5]), rng.normal(size=(3, 4)), 2 * rng.normal(size=(3, 2, 5))][trial]
    return dict(A=rng.permutation(A), lam=[1.0, 0.4, 1.3][trial])


@check("penalties", calls="contractive_penalty", trials=4, tol=1e-5, returns="penalty dW db", covers="R290")
def the_price_of_trembling(rng, trial):
    """contractive_penalty is the mean over the examples of Σ (h(1−h))²‖w‖², with its gradient in W and b."""
    if trial == 0:  # one unit and one number, as in the notebook; the bias is what makes h
        W, X = rng.choice([-3.0, -2.0, 2.0, 3.0], size=(1, 1)), rng.choice([-2.0, -1.0, 1.0, 2.0], size=(1, 1))
        return dict(W=W, H=rng.choice([0.2, 0.8, 0.9], size=(1, 1)), X=X)
    made = tied_network(rng, trial)
    return dict(W=made["W"], H=sigmoid(made["X"] @ made["W"].T + made["b"]), X=made["X"])


# -- vae ---------------------------------------------------------------------------------------------------------------


def tensors(**arrays):
    """Make tensors of arrays."""
    import torch

    return {name: torch.from_numpy(np.ascontiguousarray(array)) for name, array in arrays.items()}


@check("vae", calls="reparametrise", tol=1e-5, covers="R294")
def a_draw_is_the_mean_plus_sigma_times_eps(rng, trial):
    """reparametrise gives μ + e^(ℓ/2)·ε, for one draw of each example or for many."""
    n, k, shape = [(1, 2, (1, 2)), (3, 2, (3, 2)), (4, 3, (5, 4, 3))][trial]
    return tensors(mu=numbers(rng, trial, n, k), logvar=numbers(rng, trial, n, k), eps=numbers(rng, trial, *shape))


@check("vae", tol=1e-5, covers="R294")
def gradients_reach_the_encoder(rng, trial):
    """Gradients pass through reparametrise: ∂z/∂μ = 1 and ∂z/∂ℓ = ½σε."""
    n, k = [(1, 2), (4, 3), (7, 2)][trial]
    mu, logvar, eps, slope = (numbers(rng, trial, n, k) for _ in range(4))
    return tensors(mu=mu, logvar=logvar, eps=eps, slope=slope)


@gradients_reach_the_encoder.when
def _(student, mu, logvar, eps, slope):
    mu, logvar = mu.clone().requires_grad_(), logvar.clone().requires_grad_()
    z = student.reparametrise(mu, logvar, eps)
    total = (slope * z).sum() + 0 * mu.sum() + 0 * logvar.sum()
    return torch.autograd.grad(total, [mu, logvar])


@check("vae", calls="kl_to_prior", tol=1e-5, covers="R294")
def the_price_of_a_code(rng, trial):
    """kl_to_prior gives the price of every example, added up over the numbers of its code."""
    if trial == 0:
        return tensors(mu=rng.choice([0.7, -0.7], size=(1, 1)), logvar=np.full((1, 1), 2 * np.log(0.5)))
    n, k = [(3, 2), (5, 4)][trial - 1]
    return tensors(mu=rng.normal(size=(n, k)), logvar=rng.normal(size=(n, k)))


@check("vae", tol=1e-5, covers="R294")
def the_elbo_is_likelihood_minus_price(rng, trial):
    """elbo gives the mean over the draws of log N(x; decoder(z), s²I), minus the KL, for every example."""
    S, n, d, k = [(1, 1, 2, 1), (2, 3, 4, 2), (5, 4, 6, 3)][trial]
    x, V, m = numbers(rng, trial, n, d), numbers(rng, trial, d, k), numbers(rng, trial, d)
    made = dict(mu=numbers(rng, trial, n, k), logvar=numbers(rng, trial, n, k), eps=numbers(rng, trial, S, n, k))
    return dict(tensors(x=x, V=V, m=m, **made), s=[2.0, 0.8, 0.5][trial])


@the_elbo_is_likelihood_minus_price.when
def _(student, x, V, m, mu, logvar, eps, s):
    return student.elbo(x, mu, logvar, eps, lambda z: z @ V.T + m, s)


@check("vae", tol=1e-5, returns="losses weights", covers="R294")
def a_step_lowers_the_negative_elbo(rng, trial):
    """vae_step takes the optimiser's step along the gradient of the mean of minus the ELBO alone, and gives that mean."""
    n, d, k, S, steps = [(1, 2, 1, 1, 1), (4, 3, 2, 2, 2), (5, 6, 3, 4, 3)][trial]
    return dict(
        x=numbers(rng, trial, n, d),
        E=numbers(rng, trial, 2 * k, d) / 2,
        V=numbers(rng, trial, d, k) / 2,
        eps=numbers(rng, trial, steps, S, n, k),
        s=2.0,
        rate=[0.1, 0.1, 0.05][trial],
    )


@a_step_lowers_the_negative_elbo.when
def _(student, x, E, V, eps, s, rate):
    encoder = torch.nn.Linear(E.shape[1], E.shape[0], bias=False, dtype=torch.float64)
    decoder = torch.nn.Linear(V.shape[1], V.shape[0], bias=False, dtype=torch.float64)
    weights = [encoder.weight, decoder.weight]
    with torch.no_grad():
        for weight, start in zip(weights, (E, V), strict=True):
            weight.copy_(torch.from_numpy(start))
            weight.grad = torch.ones_like(weight)  # left over from before
    optimiser = torch.optim.SGD(weights, lr=rate, momentum=0.5)
    losses = [
        float(student.vae_step(torch.from_numpy(x), encoder, decoder, optimiser, torch.from_numpy(one), s))
        for one in eps
    ]
    return losses, [weight.detach().clone() for weight in weights]


@check("vae", trials=1, weight=0)
def it_runs_on_any_device():
    """Runs on whatever device it is given."""
    return dict(sizes=[2, 3, 5, 4])


@it_runs_on_any_device.when
def _(student, sizes):
    S, n, d, k = sizes
    device = "cuda" if torch.cuda.is_available() else "meta"
    x, mu, logvar = (torch.ones(n, width, device=device) for width in (d, k, k))
    eps, V = torch.ones(S, n, k, device=device), torch.ones(d, k, device=device)
    found = [student.reparametrise(mu, logvar, eps), student.kl_to_prior(mu, logvar)]
    found.append(student.elbo(x, mu, logvar, eps, lambda z: z @ V.T, 0.5))
    return [device, *(one.device.type for one in found)]


@it_runs_on_any_device.then
def _(seen):
    for name, device in zip(("reparametrise", "kl_to_prior", "elbo"), seen[1:], strict=True):
        if device != seen[0]:
            raise Fail(f"{name} was given tensors on {seen[0]} and answered on {device}")


# -- stacked (extra) ---------------------------------------------------------------------------------------------------


def layers_for(rng, trial, widths):
    """Draw the layers of a stack; widths[0] is the number of inputs."""
    steps = itertools.pairwise(widths)
    return [[numbers(rng, trial, k, d), numbers(rng, trial, k), numbers(rng, trial, d)] for d, k in steps]


@check("stacked", calls="layer_sizes", covers="R287")
def latent_and_output(rng, trial):
    """layer_sizes gives the width of the narrowest hidden layer and the number of outputs."""
    side, channels = int(rng.integers(5, 30)), [1, 1, 3][trial]
    hidden = [[20, 4, 20], [90, 30, 7, 31, 90], [60, 25, 12, 26, 61]][trial]
    return dict(side=side, channels=channels, hidden=hidden)


@check("stacked", calls="stacked_encode", trials=4, covers="R293")
def encoders_in_a_row(rng, trial):
    """stacked_encode gives the codes of the codes."""
    n, widths = [(1, [3, 2, 1]), (4, [5, 3, 2]), (6, [7, 5, 4, 2]), (4, [3, 4, 2])][trial]
    return dict(layers=layers_for(rng, trial, widths), X=numbers(rng, trial, n, widths[0]))


@check("stacked", calls="stacked_decode", trials=4, covers="R293")
def decoders_in_the_opposite_order(rng, trial):
    """stacked_decode undoes the last layer first."""
    n, widths = [(1, [3, 2, 1]), (4, [5, 3, 2]), (6, [7, 5, 4, 2]), (4, [3, 4, 2])][trial]
    return dict(layers=layers_for(rng, trial, widths), H=sigmoid(numbers(rng, trial, n, widths[-1])))


@check("stacked", covers="R293")
def the_second_learns_from_the_codes_of_the_first(rng, trial):
    """stack gives fit the data and a width, then the codes and the next width; it returns what fit gave, in this order."""
    n, widths = [(1, [2, 2, 1]), (4, [5, 3, 2]), (6, [7, 5, 4, 2])][trial]
    return dict(X=numbers(rng, trial, n, widths[0]), prepared=layers_for(rng, trial, widths))


@the_second_learns_from_the_codes_of_the_first.when
def _(student, X, prepared):
    asked, ready = [], iter(prepared)

    def fit(data, width):  # no training: it notes what it is given, and has its answer ready
        asked.append([np.array(data), width])
        return tuple(next(ready))

    layers = student.stack(X, [len(b) for _, b, _ in prepared], fit)
    return asked, [[np.array(part) for part in layer] for layer in layers]


# -- jensen (extra) ----------------------------------------------------------------------------------------------------


def mixture(rng, trial):
    """Draw the log-probabilities of a mixture: a prior over K values and likelihoods of n examples."""
    n, K = [(1, 2), (4, 3), (9, 5), (5, 4)][trial]
    log_lik = whole(rng, n, K) - 5 if trial == 3 else -3 * rng.random((n, K)) - 0.1
    return dict(log_prior=np.log(rng.dirichlet(np.full(K, 2.0))), log_lik=log_lik)


@check("jensen", calls="log_evidence", trials=4, covers="R009")
def the_evidence_sums_over_the_values(rng, trial):
    """log_evidence gives log Σ p(z) p(x|z)."""
    return mixture(rng, trial)


@check("jensen", calls="posterior", trials=4, covers="R009")
def the_posterior_weighs_prior_and_likelihood(rng, trial):
    """posterior gives p(z)p(x|z), divided by its sum over z."""
    return mixture(rng, trial)


@check("jensen", calls="discrete_elbo", trials=4, covers="R009 R294")
def the_bound_of_any_guess(rng, trial):
    """discrete_elbo gives Σ q (log p(z) + log p(x|z) − log q)."""
    made = mixture(rng, trial)
    n, K = made["log_lik"].shape
    return dict(q=rng.dirichlet(np.full(K, 2.0), size=n), **made)


# -- ppca (extra) ------------------------------------------------------------------------------------------------------


@check("ppca", calls="fit_ppca", trials=4, tol=1e-6, returns="m V s2", covers="R294")
def noise_is_the_mean_of_what_is_dropped(rng, trial):
    """fit_ppca gives the mean, V (judged by VVᵀ) and s², the mean variance of the dropped axes."""
    data, k = cloud(rng, trial)
    return dict(X=data.X, k=k)


@noise_is_the_mean_of_what_is_dropped.view
def _(seen):
    m, V, s2 = seen
    return [np.asarray(m, dtype=float), np.asarray(V, dtype=float) @ np.asarray(V, dtype=float).T, float(s2)]


def linear_model(rng, trial):
    """Draw a linear decoder and examples."""
    n, d, k = [(1, 2, 1), (4, 3, 2), (7, 5, 3), (5, 4, 2)][trial]
    m, V, X = numbers(rng, trial, d), numbers(rng, trial, d, k), numbers(rng, trial, n, d)
    return dict(m=m, V=V, s2=[0.5, 0.3, 1.7, 0.5][trial], X=X)


@check("ppca", calls="ppca_log_likelihood", trials=4, tol=1e-7, covers="R294")
def the_likelihood_of_a_gaussian(rng, trial):
    """ppca_log_likelihood gives log N(x; m, VVᵀ + s²I) of every example."""
    return linear_model(rng, trial)


@check("ppca", calls="ppca_posterior", trials=4, tol=1e-7, returns="means covariance", covers="R294")
def where_the_code_must_have_been(rng, trial):
    """ppca_posterior gives the means M⁻¹Vᵀ(x − m) and the covariance s²M⁻¹."""
    return linear_model(rng, trial)


# -- applied (extra) ---------------------------------------------------------------------------------------------------


@check("applied", calls="outlier_scores", trials=4, covers="R284")
def strangeness_is_distance_from_the_plane(rng, trial):
    """outlier_scores gives the squared distance of every example from the plane of PCA; X may hold integers."""
    data, k = cloud(rng, trial)
    away = numbers(rng, trial, [1, 4, 11, 6][trial], len(data.mean))
    return dict(mean=data.mean, V=data.axes[:, :k], X=away if trial == 3 else data.mean + away)


@check("applied", calls="hash_codes", covers="R284")
def a_code_becomes_bits(rng, trial):
    """hash_codes gives 1 where h ≥ ½, exactly ½ included, and 0 elsewhere."""
    H = rng.random([(1, 4), (3, 5), (6, 8)][trial]).round(2)
    H[0, :3] = rng.permutation([0.5, 0.2, 0.9])
    return dict(H=H)


@check("applied", calls="hamming", covers="R284")
def different_bits_are_counted(rng, trial):
    """hamming counts, for each row of P and each row of Q, the bits that differ."""
    n, m, k = [(1, 2, 3), (4, 3, 6), (5, 7, 16)][trial]
    P, Q = rng.integers(2, size=(n, k)), rng.integers(2, size=(m, k))
    Q[0] = 1 - P[0]
    Q[0, 0] = P[0, 0]
    return dict(P=P, Q=Q)


# -- concepts ----------------------------------------------------------------------------------------------------------

the_answers_have_the_form_that_is_asked = answers_have_form(
    "concepts",
    wire=float,
    encoder=float,
    below=("bug", "leak", "better", "overfits"),
    parameters=float,
    spotless=("target", "rate", "variance", "code"),
    trembling=float,
    silent=("seed", "scale", "width", "rate"),
    worth=float,
    likelihood=("order", "bound", "gan", "none"),
    sentence=("good", "ignored", "overfitted", "short"),
)
