"""Public checks of convolutional networks: they find the usual slips, on examples small enough to read."""

from typing import TYPE_CHECKING

import numpy as np

from redink.checks import Fail, answers_have_form, check, close
from redink.checks.stand_ins import batch_of, layer, numbers

if TYPE_CHECKING:
    import torch  # the box has it; the grader need not


def whole(rng, *shape):
    """Draw whole numbers that are integers by their type too, none of them 0."""
    return rng.integers(1, 8, size=shape) * rng.choice([-1, 1], size=shape)


# -- shapes ------------------------------------------------------------------------------------------------------------

TABLE = [
    dict(kind="Conv2d", in_channels=1, out_channels=5, kernel_size=3, stride=1, padding=1),
    dict(kind="MaxPool2d", kernel_size=2, stride=2),
    dict(kind="Conv2d", in_channels=5, out_channels=10, kernel_size=5),
    dict(kind="MaxPool2d", kernel_size=2, stride=2),
    dict(kind="Conv2d", in_channels=10, out_channels=20, kernel_size=2, stride=2),
    dict(kind="MaxPool2d", kernel_size=5, stride=2),
    dict(kind="Linear", in_features=2800, out_features=6),
]


@check("shapes", calls="out_size", covers="R144 R145")
def a_step_over_the_edge_is_not_made(rng, trial):
    """out_size counts the places where the kernel fits when it starts at 0 and steps by the stride."""
    if trial == 0:
        return dict(n=32, kernel=5, stride=2)
    stride, kernel, steps = int(rng.integers(3, 6)), int(rng.integers(2, 7)), int(rng.integers(3, 9))
    return dict(n=kernel + steps * stride + int(rng.integers(1, stride)), kernel=kernel, stride=stride)


@check("shapes", calls="out_size", covers="R145 R169")
def padding_is_on_both_ends_and_dilation_stretches(rng, trial):
    """out_size counts the padding twice, and a kernel of k with dilation d spans d(k−1)+1 pixels."""
    if trial == 0:
        return dict(n=7, kernel=3, stride=1, padding=1, dilation=2)
    kernel, padding, dilation = int(rng.integers(2, 5)), int(rng.integers(1, 4)), int(rng.integers(2, 5))
    return dict(n=int(rng.integers(20, 40)), kernel=kernel, stride=trial, padding=padding, dilation=dilation)


@check("shapes", trials=2, covers="R148 R149 R151 R152")
def the_network_on_192_by_256(rng, trial):
    """trace_shapes gives shape, units, weights and biases of a network with three convolutions on a 192×256 picture."""
    layers = [dict(layer) for layer in TABLE]
    if trial == 1:  # as many channels as may be
        channels = [1, *rng.integers(3, 40, size=3).tolist()]
        for layer, taken, given in zip(layers[:5:2], channels, channels[1:], strict=False):
            layer.update(in_channels=taken, out_channels=given)
        layers[-1]["in_features"] = TABLE[-1]["in_features"] // TABLE[4]["out_channels"] * channels[-1]
    return dict(shape=(1, 192, 256), layers=layers)


@the_network_on_192_by_256.when
def _(student, shape, layers):
    try:
        return dict(rows=student.trace_shapes(tuple(shape), layers), refused="")
    except ValueError as error:  # a wrong size is refused somewhere, by each student in other words
        return dict(rows=[], refused=f"ValueError: {error}")


def columns(rows):
    """Give the columns of a traced network by their names."""
    return [
        dict(shape=np.asarray(shape), units=units, weights=weights, biases=biases)
        for shape, units, weights, biases in rows
    ]


@the_network_on_192_by_256.view
def _(seen):
    return "refused" if seen["refused"] else columns(seen["rows"])


@the_network_on_192_by_256.then
def _(seen, expected):
    if seen["refused"]:
        raise Fail(f"raised {seen['refused']}; but every layer of this network fits")
    close(columns(seen["rows"]), columns(expected["rows"]))


@check("shapes", covers="R140 R150")
def a_dense_layer_has_a_weight_for_every_pair(rng, trial):
    """dense_parameters counts a weight from every input to every output, and a bias for every output."""
    if trial == 0:
        return dict(shape=(3, 32, 32), out_shape=(6, 28, 28))
    sizes = [int(size) for size in rng.permutation(np.arange(2, 14))]
    return dict(shape=tuple(sizes[:3]), out_shape=tuple(sizes[3:6]) if trial == 1 else (sizes[3],))


@a_dense_layer_has_a_weight_for_every_pair.when
def _(student, shape, out_shape):
    return student.dense_parameters(tuple(shape), tuple(out_shape))


# -- conv --------------------------------------------------------------------------------------------------------------


# N, C, H, W, F, (kh, kw), stride, padding: one image with all of it, small enough to do by hand; several images, channels
# and filters, as small; large, with all sizes different and a last step that misses the edge; then one of everything
SETTINGS = [
    (1, 1, 4, 3, 1, (2, 2), (2, 1), (1, 0)),
    (2, 2, 2, 3, 2, (1, 2), (1, 1), (0, 0)),
    (3, 2, 11, 9, 5, (4, 3), (2, 4), (2, 0)),
    (1, 1, 5, 5, 1, (1, 1), (2, 2), (1, 1)),
]


def setting(rng, trial):
    """Draw the inputs of the layer of a trial; in the last one the picture holds integers."""
    made = layer(rng, max(0, trial - 1), SETTINGS[trial])
    return dict(made, x=whole(rng, *made["x"].shape)) if trial == 3 else made


@check("conv", trials=4, tol=1e-5, covers="R137 R138", returns="convolve1d convolve2d")
def convolution_runs_backwards(rng, trial):
    """convolve1d and convolve2d give the full convolution, with x[t−a]·w[a]; x may hold integers."""
    n, k, (H, W), (kh, kw) = [
        (3, 2, (2, 3), (2, 2)),
        (8, 3, (5, 7), (3, 2)),
        (13, 6, (9, 6), (2, 4)),
        (4, 1, (3, 3), (1, 2)),
    ][trial]
    return dict(
        x=whole(rng, n) if trial == 3 else numbers(rng, trial, n),
        w=numbers(rng, trial, k),
        image=whole(rng, H, W) if trial == 3 else numbers(rng, trial, H, W),
        kernel=numbers(rng, trial, kh, kw),
    )


@convolution_runs_backwards.when
def _(student, x, w, image, kernel):
    return student.convolve1d(x, w), student.convolve2d(image, kernel)


@check("conv", calls="correlate2d", trials=4, tol=1e-5, covers="R139")
def correlation_compares_with_the_kernel_as_it_is(rng, trial):
    """correlate2d multiplies each window with the kernel, not turned, and adds up; x may hold integers."""
    (H, W), (kh, kw) = [((3, 4), (2, 2)), ((6, 8), (3, 2)), ((9, 7), (2, 5)), ((4, 4), (1, 4))][trial]
    return dict(x=whole(rng, H, W) if trial == 3 else numbers(rng, trial, H, W), w=numbers(rng, trial, kh, kw))


@check("conv", tol=1e-5, covers="R139 R153")
def a_shifted_delta_shifts(rng, trial):
    """A kernel of zeros with a single 1, not in its middle, makes conv2d shift the picture."""
    (H, W), (kh, kw) = [((4, 5), (2, 3)), ((6, 8), (3, 4)), ((9, 7), (4, 2))][trial]
    delta = np.zeros((1, 1, kh, kw))
    delta[0, 0, 0, kw - 1] = 1
    return dict(x=numbers(rng, trial, 2, 1, H, W), w=delta, b=np.zeros(1))


@a_shifted_delta_shifts.when
def _(student, x, w, b):
    return student.conv2d(x, w, b, (1, 1), (0, 0))


@check("conv", trials=4, tol=1e-5, covers="R143 R153")
def a_layer_with_channels_stride_and_padding(rng, trial):
    """conv2d gives the output of a layer: each filter sums over all channels of its window and adds its bias once."""
    return setting(rng, trial)


@a_layer_with_channels_stride_and_padding.when
def _(student, x, w, b, stride, padding):
    return student.conv2d(x, w, b, tuple(stride), tuple(padding))


# -- backward ----------------------------------------------------------------------------------------------------------


def layer_and_gradient(rng, trial):
    """Draw the inputs of a layer and a gradient that comes from above; in the last trial the weights are integers too."""
    made = setting(rng, trial)
    if trial == 3:
        made["w"] = whole(rng, *made["w"].shape)
    (N, _, H, W), (F, _, kh, kw) = made["x"].shape, made["w"].shape
    rows = (H + 2 * made["padding"][0] - kh) // made["stride"][0] + 1
    cols = (W + 2 * made["padding"][1] - kw) // made["stride"][1] + 1
    return dict(
        G=numbers(rng, max(0, trial - 1), N, F, rows, cols),
        x=made["x"],
        w=made["w"],
        stride=made["stride"],
        padding=made["padding"],
    )


@check("backward", covers="R154")
def the_bias_collects_from_every_place(rng, trial):
    """db, the third of what conv2d_backward returns, sums what comes from above: over the examples and all places."""
    return layer_and_gradient(rng, trial)


@the_bias_collects_from_every_place.when
def _(student, G, x, w, stride, padding):
    return student.conv2d_backward(G, x, w, tuple(stride), tuple(padding))[2]


@check("backward", trials=4, tol=1e-5, covers="R154")
def a_weight_collects_from_every_window(rng, trial):
    """dw, the second, sums what comes from above times the pixel that the weight met there."""
    return layer_and_gradient(rng, trial)


@a_weight_collects_from_every_window.when
def _(student, G, x, w, stride, padding):
    return student.conv2d_backward(G, x, w, tuple(stride), tuple(padding))[1]


@check("backward", trials=4, tol=1e-5, covers="R154")
def a_pixel_collects_from_all_its_windows(rng, trial):
    """dx, the first, sums over all the windows that a pixel lies in, and has the shape of x."""
    return layer_and_gradient(rng, trial)


@a_pixel_collects_from_all_its_windows.when
def _(student, G, x, w, stride, padding):
    return student.conv2d_backward(G, x, w, tuple(stride), tuple(padding))[0]


# -- pooling -----------------------------------------------------------------------------------------------------------

# N, C, H, W, size, stride; the first three overlap, and the first is small enough to do by hand; the second and third leave
# a rest at the edge; the fourth leaves gaps
POOLS = [
    (1, 1, 3, 4, (2, 2), (1, 2)),
    (2, 3, 6, 10, (3, 2), (2, 1)),
    (3, 2, 9, 8, (2, 4), (1, 3)),
    (1, 1, 6, 6, (1, 2), (2, 3)),
]


def pooled(rng, trial):
    """Draw a batch without ties, all below 0, and windows; the batch of the fourth trial holds integers."""
    N, C, H, W, size, stride = POOLS[trial]
    x = -rng.permutation(np.arange(1, N * C * H * W + 1)).reshape(N, C, H, W)
    return dict(x=x if trial == 3 else x / (7 if trial else 1), size=size, stride=stride)


@check("pooling", trials=6, tol=1e-5, covers="R158 R160 R162", returns="out where")
def the_maximum_and_where_it_was(rng, trial):
    """max_pool gives the largest number of each window, also where all are negative, and its address i·W + j."""
    if trial < 4:
        return pooled(rng, trial)
    made = pooled(rng, trial - 3)
    return dict(made, x=[1e-13, 1e13][trial - 4] * made["x"])  # tiny units, and huge ones


@the_maximum_and_where_it_was.when
def _(student, x, size, stride):
    return student.max_pool(x, tuple(size), tuple(stride))


@check("pooling", trials=4, tol=1e-5, covers="R158")
def the_winner_takes_the_gradient(rng, trial, reference):
    """max_pool_backward delivers each gradient to the given address, and adds up where an address comes twice."""
    made = pooled(rng, trial)
    where = reference.max_pool(**made)[1]
    return dict(G=numbers(rng, trial, *where.shape), where=where, shape=made["x"].shape)


@the_winner_takes_the_gradient.when
def _(student, G, where, shape):
    return student.max_pool_backward(G, where, tuple(shape))


@check("pooling", trials=4, tol=1e-5, covers="R159 R162")
def the_mean_of_each_window(rng, trial):
    """avg_pool gives the mean of each window of each channel; x may hold integers."""
    return pooled(rng, trial)


@the_mean_of_each_window.when
def _(student, x, size, stride):
    return student.avg_pool(x, tuple(size), tuple(stride))


@check("pooling", trials=4, tol=1e-5, covers="R159")
def a_mean_pays_all_alike(rng, trial, reference):
    """avg_pool_backward spreads each gradient in equal parts over its window, and adds up where windows overlap."""
    made = pooled(rng, trial)
    places = reference.avg_pool(**made).shape
    G = whole(rng, *places) if trial == 3 else numbers(rng, trial, *places)
    return dict(G=G, shape=made["x"].shape, size=made["size"], stride=made["stride"])


@a_mean_pays_all_alike.when
def _(student, G, shape, size, stride):
    return student.avg_pool_backward(G, tuple(shape), tuple(size), tuple(stride))


# -- batchnorm ---------------------------------------------------------------------------------------------------------

BATCHES = [(2, 3, 1, 2), (4, 2, 3, 5), (3, 5, 4, 2), (1, 3, 3, 3)]  # N, C, H, W; the last one holds a single image


def batch(rng, trial):
    """Draw a batch with parameters and running estimates; in the last trial all of them are integers."""
    made = batch_of(rng, trial, BATCHES[trial])
    if trial < 3:
        return made
    return {name: whole(rng, *value.shape) for name, value in made.items()} | dict(
        running_var=rng.integers(2, 9, size=3)
    )


@check("batchnorm", trials=4, tol=1e-5, covers="R133")
def each_channel_is_normalised_by_the_batch(rng, trial):
    """In training, each channel loses its own mean and is divided by its own √(v + ε); then come γ and β."""
    return dict(batch(rng, trial), momentum=0.1, eps=[0.5, 1e-5, 0.2, 0.1][trial])


@each_channel_is_normalised_by_the_batch.when
def _(student, x, gamma, beta, running_mean, running_var, momentum, eps):
    return student.batch_norm_train(x, gamma, beta, running_mean, running_var, momentum, eps)[0]


@check("batchnorm", trials=4, tol=1e-5, covers="R133")
def the_running_mean_moves_towards_the_batch(rng, trial):
    """The new running mean is (1 − momentum) times the old one plus momentum times the batch's."""
    return dict(batch(rng, trial), momentum=[0.1, 0.3, 0.8, 0.2][trial], eps=1e-5)


@the_running_mean_moves_towards_the_batch.when
def _(student, x, gamma, beta, running_mean, running_var, momentum, eps):
    return student.batch_norm_train(x, gamma, beta, running_mean, running_var, momentum, eps)[1]


@check("batchnorm", calls="batch_norm_eval", trials=4, tol=1e-5, covers="R133")
def evaluation_uses_the_running_statistics(rng, trial):
    """batch_norm_eval normalises by the running mean and variance."""
    return dict(batch(rng, trial), eps=[0.5, 1e-5, 0.2, 0.1][trial])


@check("batchnorm", trials=4, tol=1e-5, covers="R133", returns="dgamma dbeta")
def gamma_and_beta_collect(rng, trial):
    """dgamma and dbeta of batch_norm_backward sum over the batch and over all places, channel by channel."""
    made, eps = batch(rng, trial), [0.5, 1e-5, 0.2, 0.1][trial]
    return dict(G=numbers(rng, trial, *made["x"].shape), x=made["x"], gamma=made["gamma"], eps=eps)


@gamma_and_beta_collect.when
def _(student, G, x, gamma, eps):
    _, dgamma, dbeta = student.batch_norm_backward(G, x, gamma, eps)
    return dgamma, dbeta


# -- lenet -------------------------------------------------------------------------------------------------------------

PARAMETERS = {
    "conv1.weight": (8, 1, 3, 3),
    "conv1.bias": (8,),
    "conv2.weight": (16, 8, 3, 3),
    "conv2.bias": (16,),
    "fc1.weight": (64, 144),
    "fc1.bias": (64,),
    "fc2.weight": (10, 64),
    "fc2.bias": (10,),
}


@check("lenet", trials=1, covers="R149 R152")
def the_layers_have_these_names_and_shapes():
    """LeNet owns conv1, conv2, fc1 and fc2, each with a weight and a bias of the right shape."""
    return dict()


@the_layers_have_these_names_and_shapes.when
def _(student):
    return {name: list(parameter.shape) for name, parameter in student.LeNet().named_parameters()}


@check("lenet", trials=1)
def every_network_starts_anew(rng):
    """Two LeNets in a row have parameters of their own, which start as torch starts them: at random, and small."""
    return dict(number=int(rng.integers(10**6)))


@every_network_starts_anew.when
def _(student, number):
    torch.manual_seed(number)
    one, two = (dict(student.LeNet().named_parameters()) for _ in range(2))
    return dict(
        largest={name: float(value.detach().abs().max()) for name, value in one.items()},
        apart={name: float((value - two[name]).detach().abs().max()) for name, value in one.items()},
    )


def start_of(seen):
    """Say what is odd about the parameters of two new networks; nothing is odd where this is empty."""
    for name, inputs in {"conv1": 9, "conv2": 72, "fc1": 144, "fc2": 64}.items():
        weight, bound = f"{name}.weight", inputs**-0.5  # torch draws from −bound to bound, as often everywhere
        if weight not in seen["largest"]:
            return f"there is no {weight}"
        if not seen["apart"][weight] > 0:
            return f"the second network has the {weight} of the first"
        # the largest of the 72 numbers of conv1 is below 0.7 times the bound with probability 0.7^72 < 1e-11
        if not 0.7 * bound < seen["largest"][weight] < 1.0001 * bound:
            return f"{weight} does not start as torch starts it"
    return ""


@every_network_starts_anew.view
def _(seen):
    return start_of(seen)


@every_network_starts_anew.then
def _(seen):
    if odd := start_of(seen):
        raise Fail(odd)


@check("lenet", trials=2, covers="R158 R165")
def the_scores_for_given_weights(rng, trial):
    """With given weights, LeNet gives these scores: convolution, ReLU, pooling, twice; then linear, ReLU, linear."""
    weights = {
        name: (rng.normal(size=shape) / np.sqrt(np.prod(shape[1:]))).astype(np.float32)
        for name, shape in PARAMETERS.items()
    }
    return dict(images=rng.normal(size=(1 + 2 * trial, 1, 12, 12)).astype(np.float32), weights=weights)


@the_scores_for_given_weights.when
def _(student, images, weights):
    model = student.LeNet(device="cpu")
    model.load_state_dict({name: torch.as_tensor(value) for name, value in weights.items()}, strict=False)
    return model(torch.as_tensor(images)).detach()


@check("lenet", tol=1e-4, returns="losses weight bias")
def fit_takes_steps_of_adam(rng, trial):
    """With all examples in one batch, each epoch is one step of Adam on the mean cross-entropy; fit returns its loss.

    The model may have old gradients, or have been trained before: each call forgets them, and has an optimiser of its own.
    """
    n, side, classes, epochs = [(3, 2, 3, 1), (7, 3, 4, 4), (11, 2, 5, 9)][trial]
    return dict(
        images=rng.normal(size=(n, 1, side, side)).astype(np.float32),
        labels=rng.permutation(np.arange(n) % classes),
        W=rng.normal(size=(classes, side * side)).astype(np.float32),
        b=rng.normal(size=classes).astype(np.float32),
        epochs=epochs,
        rate=[0.1, 0.05, 0.02][trial],
        number=int(rng.integers(1000)),
        old_gradients=trial == 1,
        calls=[1, 1, 2][trial],
    )


@fit_takes_steps_of_adam.when
def _(student, images, labels, W, b, epochs, rate, number, old_gradients, calls):
    linear = torch.nn.Linear(W.shape[1], W.shape[0])
    linear.load_state_dict({"weight": torch.as_tensor(W), "bias": torch.as_tensor(b)})
    model = torch.nn.Sequential(torch.nn.Flatten(), linear)
    images, labels = torch.as_tensor(images), torch.as_tensor(labels)
    if old_gradients:
        model(images)[:, 0].sum().backward()
    rng = np.random.default_rng(number)
    losses = [student.fit(model, images, labels, epochs, len(images), rate, rng) for _ in range(calls)]
    return losses, linear.weight.detach().numpy(), linear.bias.detach().numpy()


@check("lenet")
def an_epoch_visits_everyone_once(rng, trial):
    """In each epoch fit trains on every example exactly once, in a new random order, and the last batch may be smaller."""
    n, batch_size = [(23, 5), (21, 5), (19, 30)][trial]  # at the end are three, or one; or all are one batch
    images = np.broadcast_to(np.arange(float(n))[:, None, None, None], (n, 1, 4, 3)).astype(np.float32)
    return dict(
        images=images, labels=rng.integers(10, size=n), epochs=3, batch_size=batch_size, number=int(rng.integers(1000))
    )


@an_epoch_visits_everyone_once.when
def _(student, images, labels, epochs, batch_size, number):
    class Diary(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.scale = torch.nn.Parameter(torch.ones(10))
            self.seen = []

        def forward(self, x):
            if self.training and torch.is_grad_enabled():
                self.seen.append([int(number) for number in x[:, 0, 0, 0].tolist()])
            return x.flatten(1)[:, :10] * self.scale

    diary = Diary()
    diary.eval()  # fit has to see to the mode itself
    rng = np.random.default_rng(number)
    losses = student.fit(diary, torch.as_tensor(images), torch.as_tensor(labels), epochs, batch_size, 0.01, rng)
    return dict(batches=diary.seen, steps=len(losses))


def epochs_of(seen, n, epochs, batch_size):
    """Say what is odd about the diary of a training; nothing is odd where this is empty."""
    batches = [[int(one) for one in batch] for batch in seen["batches"]]
    visits = [one for batch in batches for one in batch]
    per_epoch = -(-n // batch_size)
    if not batches:
        return "the model was never called in training mode with gradients"
    if max(len(batch) for batch in batches) > batch_size:
        return f"a batch is larger than {batch_size}"
    if len(visits) != epochs * n:
        return f"{len(visits)} visits in {epochs} epochs of {n} examples"
    walks = [visits[k * n : (k + 1) * n] for k in range(epochs)]
    if any(sorted(walk) != list(range(n)) for walk in walks):
        return "an epoch leaves out examples, or visits some of them twice"
    if list(range(n)) in walks:  # a right solution draws this order with probability 3/19! < 1e-16
        return "an epoch visits the examples in their own order"
    if any(walks[k] == walks[k + 1] for k in range(epochs - 1)):
        return "two epochs have the same order"
    if len(batches) != epochs * per_epoch or seen["steps"] != len(batches):
        return f"{len(batches)} batches and {seen['steps']} losses, where {epochs * per_epoch} steps are due"
    return ""


@an_epoch_visits_everyone_once.view
def _(seen, images, epochs, batch_size):
    return epochs_of(seen, len(images), epochs, batch_size)


@an_epoch_visits_everyone_once.then
def _(seen, images, epochs, batch_size):
    if odd := epochs_of(seen, len(images), epochs, batch_size):
        raise Fail(odd)


def cycle(rng, D):
    """Draw a permutation that is not its own inverse: one long cycle."""
    walk, order = rng.permutation(D), np.zeros(D, dtype=int)
    order[walk] = np.roll(walk, 1)
    return order


@check("lenet", calls="permute_pixels", covers="R164")
def new_pixel_j_is_old_pixel_order_j(rng, trial):
    """permute_pixels moves the pixels of every image in the same way: new pixel j is old pixel order[j]."""
    N, H, W = [(1, 2, 3), (4, 3, 5), (3, 6, 4)][trial]
    images = (rng.permutation(N * H * W) + 1.0).reshape(N, 1, H, W)
    return dict(images=images, order=cycle(rng, H * W))


@new_pixel_j_is_old_pixel_order_j.when
def _(student, images, order):
    return student.permute_pixels(torch.as_tensor(images), order)


@check("lenet", trials=1, weight=0)
def runs_on_whatever_device_it_is_given(rng):
    """LeNet, predict and permute_pixels work on the device they are given, and keep to it."""
    return dict(order=rng.permutation(144))


@runs_on_whatever_device_it_is_given.when
def _(student, order):
    device = "cuda" if torch.cuda.is_available() else "meta"
    model, images = student.LeNet(device=device), torch.zeros(2, 1, 12, 12, device=device)
    scores = model(student.permute_pixels(images, order))
    guesses = student.predict(model, images)
    return [device, scores.device.type, guesses.device.type, *(p.device.type for p in model.parameters())]


@runs_on_whatever_device_it_is_given.then
def _(seen):
    strays = sorted({str(place) for place in seen[1:]} - {str(seen[0])})
    if strays:
        raise Fail(f"asked to run on {seen[0]}, and something is on {', '.join(strays)}; hand the device on")


# -- concepts ----------------------------------------------------------------------------------------------------------

the_answers_have_the_form_that_is_asked = answers_have_form(
    "concepts",
    unshared=float,
    budget=float,
    sees=float,
    nudge=float,
    bottleneck=float,
    noise=float,
    company=("overfitting", "mode", "rate", "leak"),
    monday=("labels", "order", "dims", "mirrors"),
    features=float,
    running=float,
)


# -- matrix (extra) ----------------------------------------------------------------------------------------------------


@check("matrix", tol=1e-5, covers="R143")
def every_window_becomes_a_column(rng, trial):
    """im2col copies each window, channel by channel and row by row, into a column of its own."""
    made = layer(rng, trial, SETTINGS[trial])
    return dict(x=made["x"], size=made["w"].shape[2:], stride=made["stride"], padding=made["padding"])


@every_window_becomes_a_column.when
def _(student, x, size, stride, padding):
    return student.im2col(x, tuple(size), tuple(stride), tuple(padding))


@check("matrix", tol=1e-5, covers="R140")
def the_matrix_of_a_convolution(rng, trial):
    """conv_matrix puts the kernel of filter f into row (f, i, j), where the window (i, j) lies."""
    F, shape, size, stride, padding = [
        (1, (1, 3, 4), (2, 2), (1, 1), (0, 0)),
        (2, (3, 4, 5), (2, 3), (1, 2), (1, 0)),
        (3, (2, 5, 4), (3, 2), (2, 3), (2, 1)),
    ][trial]
    return dict(w=numbers(rng, trial, F, shape[0], *size), shape=shape, stride=stride, padding=padding)


@the_matrix_of_a_convolution.when
def _(student, w, shape, stride, padding):
    return student.conv_matrix(w, tuple(shape), tuple(stride), tuple(padding))


@check("matrix", calls="pointwise", tol=1e-5, covers="R155")
def one_map_for_every_pixel(rng, trial):
    """pointwise applies the same affine map to the channels of every pixel."""
    N, C, H, W, F = [(1, 2, 1, 2, 3), (2, 3, 4, 5, 6), (4, 5, 3, 2, 2)][trial]
    return dict(x=numbers(rng, trial, N, C, H, W), w=numbers(rng, trial, F, C), b=numbers(rng, trial, F))


# -- text (extra) ------------------------------------------------------------------------------------------------------


def sentence(rng, trial):
    """Draw a sentence of embeddings and filters; in the last trial one window fits, and the embeddings are integers."""
    T, D, F, k, stride, dilation = [
        (5, 2, 1, 2, 1, 1),
        (14, 3, 4, 3, 2, 3),
        (21, 5, 2, 4, 3, 2),
        (7, 1, 1, 3, 2, 3),
    ][trial]
    return dict(
        X=whole(rng, T, D) if trial == 3 else numbers(rng, trial, T, D),
        W=numbers(rng, trial, F, k, D),
        b=numbers(rng, trial, F),
        stride=stride,
        dilation=dilation,
    )


@check("text", calls="text_conv", trials=4, tol=1e-5, covers="R166 R167 R169")
def filters_slide_along_the_words(rng, trial):
    """text_conv steps from window to window by the stride, and inside a window from word to word by the dilation."""
    return sentence(rng, trial)


@check("text", calls="max_over_time", trials=4, covers="R166")
def the_maximum_over_all_positions(rng, trial):
    """max_over_time gives one number for each feature, however long the sentence."""
    places, features = [(3, 2), (7, 4), (5, 11), (1, 3)][trial]
    return dict(h=-1 - rng.permutation(places * features).reshape(places, features) / 2)


@check("text", covers="R168 R169", returns="r j")
def how_far_a_unit_sees(rng, trial):
    """receptive_field follows field and jump from layer to layer, with strides and dilations."""
    if trial == 0:
        return dict(layers=[(3, 1, 1), (3, 1, 2), (3, 1, 4), (3, 1, 8)])
    depth = 2 + trial
    return dict(layers=[tuple(int(rng.integers(low, 5)) for low in (2, 2, 1)) for _ in range(depth)])


@how_far_a_unit_sees.when
def _(student, layers):
    return student.receptive_field([tuple(layer) for layer in layers])


# -- symmetry (extra) --------------------------------------------------------------------------------------------------


@check("symmetry", tol=1e-5, covers="R156")
def the_gap_of_a_layer_that_knows_where_it_is(rng, trial):
    """equivariance_gap compares shift-then-layer with layer-then-shift; here the layer multiplies each place differently."""
    H, W = [(2, 3), (5, 7), (8, 6)][trial]
    return dict(x=numbers(rng, trial, H, W), weights=numbers(rng, trial, H, W), down=1 + trial, right=[2, -3, 0][trial])


@the_gap_of_a_layer_that_knows_where_it_is.when
def _(student, x, weights, down, right):
    return student.equivariance_gap(lambda z: weights * np.roll(z, 1, axis=1), x, down, right)


@check("symmetry", covers="R142")
def the_pixels_that_an_output_depends_on(rng, trial):
    """reach marks exactly the pixels whose change changes the output at the given place."""
    H, W = [(3, 4), (6, 5), (7, 9)][trial]
    offsets = [(0, 0), (-1, 1), (1, 0)] if trial == 0 else [(0, 2), (-1, -1), (1, 0), (2, -2)]
    place = (int(rng.integers(H)), int(rng.integers(W)))
    return dict(x=numbers(rng, trial, H, W), offsets=offsets, place=place)


@the_pixels_that_an_output_depends_on.when
def _(student, x, offsets, place):
    def layer(z):
        return sum((2 + k) * np.roll(z, tuple(offset), axis=(0, 1)) for k, offset in enumerate(offsets))

    return student.reach(layer, x, tuple(place))


@check("symmetry", calls="permute_columns", covers="R164")
def the_columns_follow_the_pixels(rng, trial):
    """permute_columns orders the columns as the pixels were ordered."""
    K, D = [(2, 3), (3, 7), (5, 12)][trial]
    return dict(W=numbers(rng, trial, K, D), order=cycle(rng, D))


# -- groupnorm (extra) -------------------------------------------------------------------------------------------------


def grouped(rng, trial):
    """Draw a batch, parameters and groups; in the last trial all are integers, and there are as many images as channels."""
    *shape, groups = [(1, 4, 1, 2, 2), (3, 6, 2, 5, 3), (2, 6, 4, 3, 2), (4, 4, 2, 1, 1)][trial]
    made = batch_of(rng, trial, tuple(shape))
    made = {name: whole(rng, *value.shape) for name, value in made.items()} if trial == 3 else made
    return dict(x=made["x"], groups=groups, gamma=made["gamma"], beta=made["beta"], eps=[0.5, 1e-5, 0.2, 0.1][trial])


@check("groupnorm", calls="group_norm", trials=4, tol=1e-5, covers="R136")
def each_group_is_normalised_by_itself(rng, trial):
    """group_norm takes mean and variance over neighbouring channels of one example; γ and β belong to channels."""
    return grouped(rng, trial)


@check("groupnorm", trials=4, tol=1e-5, covers="R136", returns="dx dgamma dbeta")
def the_gradients_of_group_norm(rng, trial):
    """group_norm_backward gives dx, with the ways through mean and variance, and dgamma and dbeta."""
    made = grouped(rng, trial)
    return dict(made, G=numbers(rng, trial, *made["x"].shape))


@the_gradients_of_group_norm.when
def _(student, G, x, groups, gamma, eps):
    return student.group_norm_backward(G, x, groups, gamma, eps)
