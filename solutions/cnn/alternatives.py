"""Right answers about convolutional networks, written another way: all of them get full marks."""

from types import SimpleNamespace

from redink.checks import alternative

nn = SimpleNamespace(
    Module=object
)  # only the text of a class is taken: torch need not be loaded here

# -- shapes ------------------------------------------------------------------------------------------------------------


@alternative("counts_places_one_by_one", "shapes")
def out_size(n, kernel, stride=1, padding=0, dilation=1):
    places = [
        t
        for t in range(0, n + 2 * padding, stride)
        if t + dilation * (kernel - 1) < n + 2 * padding
    ]
    if not places:
        raise ValueError("no place")
    return np.int64(len(places))


@alternative("divides_and_floors", "shapes")
def out_size(n, kernel, stride=1, padding=0, dilation=1):
    size = np.floor((n + 2 * padding - dilation * (kernel - 1) - 1) / stride + 1)
    if size < 1:
        raise ValueError("impossible")
    return size


@alternative("traces_into_lists", "shapes")
def trace_shapes(shape, layers):
    now, rows = list(shape), [[list(shape), np.prod(shape), 0, 0]]
    for layer in layers:
        w = b = 0
        if layer["kind"] == "Linear":
            if np.prod(now) != layer["in_features"]:
                raise ValueError("features")
            w, b = layer["in_features"] * layer["out_features"], layer["out_features"]
            now = [layer["out_features"]]
        else:
            kh, kw = pair(layer["kernel_size"])
            if layer["kind"] == "Conv2d":
                if now[0] != layer["in_channels"]:
                    raise ValueError("channels")
                w, b = (
                    layer["out_channels"] * layer["in_channels"] * kh * kw,
                    layer["out_channels"],
                )
                (sh, sw), (ph, pw) = (
                    pair(layer.get("stride", 1)),
                    pair(layer.get("padding", 0)),
                )
                now[0] = layer["out_channels"]
            else:
                (sh, sw), (ph, pw) = pair(layer.get("stride", (kh, kw))), (0, 0)
            now = [now[0], out_size(now[1], kh, sh, ph), out_size(now[2], kw, sw, pw)]
        rows.append([np.array(now), float(np.prod(now)), w, b])
    return rows


# -- conv --------------------------------------------------------------------------------------------------------------


@alternative("convolves_pair_by_pair", "conv")
def convolve1d(x, w):
    found = [0.0] * (len(x) + len(w) - 1)
    for t, value in enumerate(x):
        for a, weight in enumerate(w):
            found[t + a] += value * weight
    return found


@alternative("convolves_with_the_kernel_turned_on_a_frame", "conv")
def convolve2d(x, w):
    kh, kw = w.shape
    framed = np.pad(x, ((kh - 1, kh - 1), (kw - 1, kw - 1)))
    views = np.lib.stride_tricks.sliding_window_view(framed, w.shape)
    return np.tensordot(views, w[::-1, ::-1], axes=2)


@alternative("correlates_window_by_window", "conv")
def correlate2d(x, w):
    kh, kw = w.shape
    return np.array(
        [
            [np.sum(x[i : i + kh, j : j + kw] * w) for j in range(x.shape[1] - kw + 1)]
            for i in range(x.shape[0] - kh + 1)
        ]
    )


@alternative("a_layer_in_loops", "conv")
def conv2d(x, w, b, stride=(1, 1), padding=(0, 0)):
    N, C, H, W = x.shape
    F, _, kh, kw = w.shape
    big = np.zeros((N, C, H + 2 * padding[0], W + 2 * padding[1]))
    big[:, :, padding[0] : padding[0] + H, padding[1] : padding[1] + W] = x
    rows = (big.shape[2] - kh) // stride[0] + 1
    cols = (big.shape[3] - kw) // stride[1] + 1
    out = np.empty((N, F, rows, cols))
    for n in range(N):
        for f in range(F):
            for i in range(rows):
                for j in range(cols):
                    top, left = i * stride[0], j * stride[1]
                    window = big[n, :, top : top + kh, left : left + kw]
                    out[n, f, i, j] = np.sum(window * w[f]) + b[f]
    return out


@alternative("a_layer_in_float32", "conv")
def conv2d(x, w, b, stride=(1, 1), padding=(0, 0)):
    framed = np.pad(
        x.astype(np.float32), ((0, 0), (0, 0), (padding[0],) * 2, (padding[1],) * 2)
    )
    views = np.lib.stride_tricks.sliding_window_view(framed, w.shape[2:], axis=(2, 3))
    views = views[:, :, :: stride[0], :: stride[1]]
    h = np.einsum("ncijab,fcab->nfij", views, w.astype(np.float32))
    return h + b.astype(np.float32)[:, None, None]


# -- backward ----------------------------------------------------------------------------------------------------------


@alternative("goes_back_window_by_window", "backward")
def conv2d_backward(G, x, w, stride=(1, 1), padding=(0, 0)):
    (sh, sw), (ph, pw), (kh, kw) = stride, padding, w.shape[2:]
    big = np.pad(x, ((0, 0), (0, 0), (ph, ph), (pw, pw)))
    dbig, dw, db = np.zeros(big.shape), np.zeros(w.shape), np.zeros(len(w))
    for n, f, i, j in np.ndindex(G.shape):
        g, rows, cols = (
            G[n, f, i, j],
            slice(i * sh, i * sh + kh),
            slice(j * sw, j * sw + kw),
        )
        db[f] += g
        dw[f] += g * big[n, :, rows, cols]
        dbig[n, :, rows, cols] += g * w[f]
    return dbig[:, :, ph : ph + x.shape[2], pw : pw + x.shape[3]], dw, db


@alternative("goes_back_by_full_convolution", "backward")
def conv2d_backward(G, x, w, stride=(1, 1), padding=(0, 0)):
    (sh, sw), (ph, pw), (kh, kw) = stride, padding, w.shape[2:]
    N, C, H, W = x.shape
    big = np.pad(x, ((0, 0), (0, 0), (ph, ph), (pw, pw)))
    views = np.lib.stride_tricks.sliding_window_view(big, (kh, kw), axis=(2, 3))[
        :, :, ::sh, ::sw
    ]
    dw = np.tensordot(G, views, axes=([0, 2, 3], [0, 2, 3]))
    apart = np.zeros((N, len(w), H + 2 * ph - kh + 1, W + 2 * pw - kw + 1))
    apart[:, :, ::sh, ::sw] = G
    framed = np.pad(apart, ((0, 0), (0, 0), (kh - 1, kh - 1), (kw - 1, kw - 1)))
    turned = np.lib.stride_tricks.sliding_window_view(framed, (kh, kw), axis=(2, 3))
    dbig = np.einsum("nfuvab,fcab->ncuv", turned, w[:, :, ::-1, ::-1])
    return dbig[:, :, ph : ph + H, pw : pw + W], dw, np.einsum("nfij->f", G)


@alternative("goes_back_in_float32", "backward")
def conv2d_backward(G, x, w, stride=(1, 1), padding=(0, 0)):
    G, x, w = G.astype(np.float32), x.astype(np.float32), w.astype(np.float32)
    (sh, sw), (ph, pw), (rows, cols) = stride, padding, G.shape[2:]
    big = np.pad(x, ((0, 0), (0, 0), (ph, ph), (pw, pw)))
    dbig, dw = np.zeros_like(big), np.zeros_like(w)
    for a in range(w.shape[2]):
        for b in range(w.shape[3]):
            part = np.s_[:, :, a : a + sh * rows : sh, b : b + sw * cols : sw]
            dbig[part] += np.einsum("nfij,fc->ncij", G, w[:, :, a, b])
            dw[:, :, a, b] = np.einsum("nfij,ncij->fc", G, big[part])
    return dbig[:, :, ph : big.shape[2] - ph, pw : big.shape[3] - pw], dw, G.sum((0, 2, 3))


# -- pooling -----------------------------------------------------------------------------------------------------------


@alternative("pools_in_loops", "pooling")
def max_pool(x, size, stride):
    N, C, H, W = x.shape
    rows, cols = (H - size[0]) // stride[0] + 1, (W - size[1]) // stride[1] + 1
    out = np.full((N, C, rows, cols), -np.inf)
    where = np.zeros((N, C, rows, cols), dtype=int)
    for n, c, i, j in np.ndindex(N, C, rows, cols):
        for a in range(size[0]):
            for b in range(size[1]):
                u, v = i * stride[0] + a, j * stride[1] + b
                if x[n, c, u, v] > out[n, c, i, j]:
                    out[n, c, i, j], where[n, c, i, j] = x[n, c, u, v], u * W + v
    return out, where


@alternative("delivers_one_by_one", "pooling")
def max_pool_backward(G, where, shape):
    N, C, H, W = shape
    back = np.zeros(shape)
    for n, c, i, j in np.ndindex(G.shape):
        u, v = divmod(int(where[n, c, i, j]), W)
        back[n, c, u, v] += G[n, c, i, j]
    return back


@alternative("delivers_by_counting", "pooling")
def max_pool_backward(G, where, shape):
    N, C, H, W = shape
    flat = np.reshape(where, (N * C, -1)).astype(int)
    rows = [
        np.bincount(at, weights=g, minlength=H * W)
        for at, g in zip(flat, G.reshape(N * C, -1))
    ]
    return np.array(rows).reshape(shape)


@alternative("averages_by_adding_slices", "pooling")
def avg_pool(x, size, stride):
    rows = (x.shape[2] - size[0]) // stride[0] + 1
    cols = (x.shape[3] - size[1]) // stride[1] + 1
    total = 0.0
    for a in range(size[0]):
        for b in range(size[1]):
            total = (
                total
                + x[:, :, a:, b:][:, :, :: stride[0], :: stride[1]][:, :, :rows, :cols]
            )
    return (total / size[0] / size[1]).astype(np.float32)


@alternative("spreads_window_by_window", "pooling")
def avg_pool_backward(G, shape, size, stride):
    back = np.zeros(shape)
    for i in range(G.shape[2]):
        for j in range(G.shape[3]):
            top, left = i * stride[0], j * stride[1]
            share = G[:, :, i, j, None, None] / (size[0] * size[1])
            back[:, :, top : top + size[0], left : left + size[1]] += share
    return back


# -- batchnorm ---------------------------------------------------------------------------------------------------------


@alternative("normalises_channel_by_channel", "batchnorm")
def batch_norm_train(x, gamma, beta, running_mean, running_var, momentum=0.1, eps=1e-5):
    y, means, variances = np.empty(x.shape), [], []
    for c in range(x.shape[1]):
        mean = np.mean(x[:, c])
        y[:, c] = (
            gamma[c] * (x[:, c] - mean) / np.sqrt(np.mean((x[:, c] - mean) ** 2) + eps)
            + beta[c]
        )
        means.append(running_mean[c] + momentum * (mean - running_mean[c]))
        variances.append(
            running_var[c] + momentum * (np.var(x[:, c], ddof=1) - running_var[c])
        )
    return y, means, variances


@alternative("evaluates_in_float32", "batchnorm")
def batch_norm_eval(x, gamma, beta, running_mean, running_var, eps=1e-5):
    wide = [
        v.reshape(1, -1, 1, 1).astype(np.float32)
        for v in (gamma, beta, running_mean, running_var)
    ]
    return (x.astype(np.float32) - wide[2]) / np.sqrt(wide[3] + np.float32(eps)) * wide[
        0
    ] + wide[1]


@alternative("goes_back_through_every_step", "batchnorm")
def batch_norm_backward(G, x, gamma, eps=1e-5):
    axes, m = (0, 2, 3), x.size // x.shape[1]
    centred = x - x.mean(axes, keepdims=True)
    var = (centred**2).mean(axes, keepdims=True)
    std = np.sqrt(var + eps)
    dhat = G * gamma.reshape(1, -1, 1, 1)
    dvar = (dhat * centred * -0.5 * (var + eps) ** -1.5).sum(axes, keepdims=True)
    dmean = (-dhat / std).sum(axes, keepdims=True) + dvar * (-2 * centred).mean(
        axes, keepdims=True
    )
    dx = dhat / std + dvar * 2 * centred / m + dmean / m
    return dx, np.einsum("nchw,nchw->c", G, centred / std), np.einsum("nchw->c", G)


# -- lenet -------------------------------------------------------------------------------------------------------------


@alternative("a_lenet_of_modules", "lenet")
class LeNet(nn.Module):
    def __init__(self, device=None):
        super().__init__()
        self.pool, self.relu = nn.MaxPool2d(2), nn.ReLU()
        self.fc2 = nn.Linear(64, 10).to(device)
        self.fc1 = nn.Linear(144, 64).to(device)
        self.conv2 = nn.Conv2d(8, 16, (3, 3), padding="same").to(device)
        self.conv1 = nn.Conv2d(1, 8, (3, 3), padding="same").to(device)

    def forward(self, images):
        maps = self.relu(self.pool(self.conv1(images)))  # the two may change places
        maps = self.relu(self.pool(self.conv2(maps)))
        return self.fc2(self.relu(self.fc1(torch.flatten(maps, 1))))


@alternative("fits_with_a_data_loader", "lenet")
def fit(model, images, labels, epochs, batch_size, rate, rng):
    data = torch.utils.data.TensorDataset(images, labels)
    chance = torch.Generator().manual_seed(int(rng.integers(2**31)))
    loader = torch.utils.data.DataLoader(data, batch_size, shuffle=True, generator=chance)
    optimiser, criterion, losses = (
        torch.optim.Adam(model.parameters(), rate),
        nn.CrossEntropyLoss(),
        [],
    )
    model.train()
    for _ in range(epochs):
        for some, truth in loader:
            loss = criterion(model(some), truth)
            model.zero_grad(set_to_none=True)
            loss.backward()
            optimiser.step()
            losses.append(float(loss))
    return losses


@alternative("writes_the_loss_out", "lenet")
def fit(model, images, labels, epochs, batch_size, rate, rng):
    optimiser, losses = torch.optim.Adam(list(model.parameters()), lr=rate), np.zeros(0)
    for _ in range(epochs):
        order = rng.permutation(len(images))
        for start in range(0, len(images), batch_size):
            some = order[start : start + batch_size]
            scores = model.train()(images[some])
            picked = torch.log_softmax(scores, dim=1)[torch.arange(len(some)), labels[some]]
            optimiser.zero_grad()
            (-picked.mean()).backward()
            optimiser.step()
            losses = np.append(losses, -picked.mean().item())
    return losses


@alternative("predicts_in_pieces", "lenet")
def predict(model, images):
    model.train(False)
    with torch.inference_mode():
        return torch.cat(
            [torch.max(model(some), dim=1).indices for some in images.split(4)]
        )


@alternative("permutes_in_numpy", "lenet")
def permute_pixels(images, order):
    moved = [image.reshape(-1)[list(order)].reshape(image.shape) for image in images]
    return torch.stack(moved)


@alternative("controls_one_by_one", "lenet")
def pixel_control(images, labels, test_images, order, epochs, rng):
    mixed, mixed_tests = permute_pixels(images, order), permute_pixels(test_images, order)
    models = [
        make_mlp(images.device),
        make_mlp(images.device),
        LeNet(images.device),
        LeNet(images.device),
    ]
    for model, seen in zip(models, (mixed, images, mixed, images)):
        fit(model, seen, labels, epochs, 20, 0.004, np.random.default_rng(5))
    return dict(
        mlp_permuted=predict(models[0], mixed_tests).numpy(),
        mlp=predict(models[1], test_images).numpy(),
        lenet_permuted=predict(models[2], mixed_tests).tolist(),
        lenet=predict(models[3], test_images).double(),
    )


# -- concepts ----------------------------------------------------------------------------------------------------------

alternative("answers_in_capitals", "concepts", old='company="mode"', new='company=" Mode"')
alternative(
    "answers_with_a_float", "concepts", old="noise=16,", new="noise=np.float64(16.0),"
)

# -- extra -------------------------------------------------------------------------------------------------------------


@alternative("columns_window_by_window", "matrix")
def im2col(x, size, stride=(1, 1), padding=(0, 0)):
    big = np.pad(x, ((0, 0), (0, 0), (padding[0], padding[0]), (padding[1], padding[1])))
    columns = []
    for i in range(0, big.shape[2] - size[0] + 1, stride[0]):
        for j in range(0, big.shape[3] - size[1] + 1, stride[1]):
            columns.append(big[:, :, i : i + size[0], j : j + size[1]].reshape(len(x), -1))
    return np.stack(columns, axis=2)


@alternative("the_matrix_from_unit_pictures", "matrix")
def conv_matrix(w, shape, stride=(1, 1), padding=(0, 0)):
    units = np.eye(int(np.prod(shape))).reshape(-1, *shape)
    columns = im2col(units, w.shape[2:], stride, padding)
    return (w.reshape(len(w), -1) @ columns).reshape(len(units), -1).T


@alternative("pointwise_as_a_product", "matrix")
def pointwise(x, w, b):
    N, C, H, W = x.shape
    return (w @ x.reshape(N, C, H * W) + b[:, None]).reshape(N, len(w), H, W)


@alternative("slides_word_by_word", "text")
def text_conv(X, W, b, stride=1, dilation=1):
    span, out = dilation * (W.shape[1] - 1), []
    for t in range(0, len(X) - span, stride):
        window = X[t : t + span + 1 : dilation]
        out.append([np.sum(window * kernel) + bias for kernel, bias in zip(W, b)])
    return np.array(out)


@alternative("field_from_the_top_down", "text")
def receptive_field(layers):
    field, jump = 1, 1
    for kernel, stride, dilation in reversed(layers):
        field, jump = (field - 1) * stride + dilation * (kernel - 1) + 1, jump * stride
    return np.array([field, jump])


@alternative("gap_without_roll", "symmetry")
def equivariance_gap(layer, x, down, right):
    rows = (np.arange(x.shape[0]) - down) % x.shape[0]
    cols = (np.arange(x.shape[1]) - right) % x.shape[1]
    return np.max(np.abs(layer(x[rows][:, cols]) - layer(x)[rows][:, cols]))


@alternative("columns_by_a_matrix", "symmetry")
def permute_columns(W, order):
    return W @ np.eye(len(order))[order].T


@alternative("group_norm_group_by_group", "groupnorm")
def group_norm(x, groups, gamma, beta, eps=1e-5):
    examples = []
    for example in x:
        parts = [
            (part - part.mean()) / np.sqrt(part.var() + eps)
            for part in np.split(example, groups)
        ]
        examples.append(np.concatenate(parts) * gamma[:, None, None] + beta[:, None, None])
    return examples


@alternative("groups_have_an_axis_of_their_own", "groupnorm")
def group_norm_backward(G, x, groups, gamma, eps=1e-5):
    N, C, H, W = x.shape
    shape, axes = (N, groups, C // groups, H, W), (2, 3, 4)
    five = x.reshape(shape)
    away = five - five.mean(axis=axes, keepdims=True)
    std = np.sqrt((away**2).mean(axis=axes, keepdims=True) + eps)
    dhat = (G * gamma.reshape(1, C, 1, 1)).reshape(shape)
    dvar = (dhat * away).sum(axis=axes, keepdims=True) * -0.5 / std**3
    direct = dhat / std + dvar * 2 * away / (five[0, 0].size)
    dx = direct - direct.mean(axis=axes, keepdims=True)
    return (
        dx.reshape(x.shape),
        np.einsum("nchw,nchw->c", G, (away / std).reshape(x.shape)),
        G.sum((0, 2, 3)),
    )
