"""Wrong answers about convolutional networks, each with the hint a teacher would give."""

from redink.checks import misconception

# -- shapes ------------------------------------------------------------------------------------------------------------

misconception(
    "rounds_the_size_up", "shapes",
    hint="Put the last window down with your finger: does it still lie on the picture?",
    old="return room // stride + 1",
    new="return -(-room // stride) + 1",
)

misconception(
    "counts_the_steps_and_not_the_places", "shapes",
    hint="A kernel as long as the axis makes no step. In how many places does it fit?",
    old="return room // stride + 1",
    new="return room // stride",
)

misconception(
    "pads_one_end_only", "shapes",
    hint="Padding is told per side. How many sides has an axis?",
    old="room = n + 2 * padding - dilation * (kernel - 1) - 1",
    new="room = n + padding - dilation * (kernel - 1) - 1",
)

misconception(
    "puts_a_gap_after_the_last_weight", "shapes",
    hint="Draw a kernel of 3 with dilation 2. How many gaps are there between three weights?",
    old="room = n + 2 * padding - dilation * (kernel - 1) - 1",
    new="room = n + 2 * padding - dilation * kernel",
)

misconception(
    "does_not_hear_of_dilation", "shapes",
    hint="Does your answer change when the dilation does?",
    old="room = n + 2 * padding - dilation * (kernel - 1) - 1",
    new="room = n + 2 * padding - kernel",
)

misconception(
    "calls_an_impossible_size_zero", "shapes",
    hint="A picture with 0 rows goes on quietly until something else breaks. What does the docstring ask for?",
    old='raise ValueError(f"a kernel of {kernel} does not fit")',
    new="return 0",
)

misconception(
    "a_kernel_fits_by_its_number_of_weights", "shapes",
    hint="Three weights with dilation 4: how many pixels from the first to the last? Which length has to fit on the axis?",
    old="if room < 0:",
    new="if kernel > n + 2 * padding:",
)

misconception(
    "refuses_a_kernel_that_just_fits", "shapes",
    hint="When the kernel covers the whole axis there is no room to move. Is there a place?",
    old="if room < 0:",
    new="if room <= 0:",
)

misconception(
    "pooling_steps_by_one", "shapes",
    hint="Look at the default stride of a pooling once more: it is not that of a convolution.",
    old='default = 1 if layer["kind"] == "Conv2d" else kernel',
    new="default = 1",
)

misconception(
    "a_window_steps_across_by_its_height", "shapes",
    hint="A window of 2×3, and no stride is given: how far does it step down, and how far across?",
    old='default = 1 if layer["kind"] == "Conv2d" else kernel',
    new='default = 1 if layer["kind"] == "Conv2d" else kernel[0]',
)

misconception(
    "width_comes_before_height", "shapes",
    hint="Trace a picture that is wider than high. Does it stay so?",
    old="sides = zip(before[1:], kernel, stride, padding, strict=True)",
    new="sides = zip(before[:0:-1], kernel, stride, padding, strict=True)",
)

misconception(
    "counts_the_bias_among_the_weights", "shapes",
    hint="Weights and biases have a column each. In which of them is the bias?",
    old="weights, biases = channels * before[0] * kernel[0] * kernel[1], channels",
    new="weights, biases = channels * (before[0] * kernel[0] * kernel[1] + 1), channels",
)

misconception(
    "one_kernel_for_all_input_channels", "shapes",
    hint="A filter is a stack of kernels. How high is the stack?",
    old="weights, biases = channels * before[0] * kernel[0] * kernel[1], channels",
    new="weights, biases = channels * kernel[0] * kernel[1], channels",
)

misconception(
    "a_bias_for_every_kernel", "shapes",
    hint="How many numbers are added to one output, after all its products are summed?",
    old="weights, biases = channels * before[0] * kernel[0] * kernel[1], channels",
    new="weights, biases = channels * before[0] * kernel[0] * kernel[1], channels * before[0]",
)

misconception(
    "lets_any_number_of_features_in", "shapes",
    hint="A Linear layer has a fixed number of columns. What if another number of features arrives?",
    old='if layer["in_features"] != units:',
    new="if False:",
)

_COLUMNS = "A Linear layer has a fixed number of columns. What if another number of features arrives: fewer, or more?"
misconception(
    "takes_fewer_features_than_it_names", "shapes", hint=_COLUMNS,
    old='if layer["in_features"] != units:', new='if layer["in_features"] < units:',
)
misconception(
    "takes_fewer_features_than_it_names", "shapes", hint=_COLUMNS,
    old="weights, biases = units * after[0], after[0]",
    new='weights, biases = layer["in_features"] * after[0], after[0]',
)

misconception(
    "lets_any_number_of_channels_in", "shapes",
    hint="Each filter has one kernel per channel. What if there are more channels than kernels?",
    old='if layer["in_channels"] != channels:',
    new="if False:",
)

misconception(
    "a_dense_layer_without_biases", "shapes",
    hint="Count the parameters of one output alone: a weight for each input, and what else?",
    old="return int(np.prod(out_shape)) * (int(np.prod(shape)) + 1)",
    new="return int(np.prod(out_shape)) * int(np.prod(shape))",
)

misconception(
    "every_window_is_a_square", "shapes",
    hint="Trace a kernel that is wider than high. Which of its two numbers did you take?",
    old='kernel, channels = pair(layer["kernel_size"]), before[0]',
    new='kernel, channels = (pair(layer["kernel_size"])[0],) * 2, before[0]',
)

misconception(
    "writes_the_defaults_into_the_callers_layers", "shapes",
    hint="After the call, look at the dicts that you were given. Who wrote a stride into them?",
    old='stride = pair(layer.get("stride", default))',
    new='stride = pair(layer.setdefault("stride", default))',
)

misconception(
    "a_bias_for_every_input", "shapes",
    hint="To what is a bias added: to what goes in, or to what comes out?",
    old="return int(np.prod(out_shape)) * (int(np.prod(shape)) + 1)",
    new="return (int(np.prod(out_shape)) + 1) * int(np.prod(shape))",
)

misconception(
    "a_layer_steps_across_before_down", "shapes",
    hint="Trace a stride of (2, 3). Which of the two numbers belongs to the rows?",
    old="sides = zip(before[1:], kernel, stride, padding, strict=True)",
    new="sides = zip(before[1:], kernel, stride[::-1], padding, strict=True)",
)

misconception(
    "frames_the_rows_by_the_number_for_the_columns", "shapes",
    hint="Trace a padding of (2, 0). Which side of the picture grows?",
    old="sides = zip(before[1:], kernel, stride, padding, strict=True)",
    new="sides = zip(before[1:], kernel, stride, padding[::-1], strict=True)",
)

# -- conv --------------------------------------------------------------------------------------------------------------

_FORWARDS = "Try two polynomials: is (1+2z)(3+4z) what comes out for (1,2) and (3,4)? Mind the minus in the index."
misconception(
    "convolves_without_turning_the_kernel", "conv", hint=_FORWARDS,
    old="for a, weight in enumerate(w):", new="for a, weight in enumerate(w[::-1]):",
)
misconception(
    "convolves_without_turning_the_kernel", "conv", hint=_FORWARDS,
    old="for (a, b), weight in np.ndenumerate(w):\n        plane",
    new="for (a, b), weight in np.ndenumerate(w[::-1, ::-1]):\n        plane",
)

misconception(
    "mirrors_instead_of_turning", "conv",
    hint="The minus stands before both indices. A mirror changes one of them, and half a turn?",
    old="for (a, b), weight in np.ndenumerate(w):\n        plane",
    new="for (a, b), weight in np.ndenumerate(w[:, ::-1]):\n        plane",
)

misconception(
    "turns_the_kernel_upside_down", "conv",
    hint="The minus stands before both indices. Which of the two do you run through forwards?",
    old="for (a, b), weight in np.ndenumerate(w):\n        plane",
    new="for (a, b), weight in np.ndenumerate(w[::-1]):\n        plane",
)

misconception(
    "keeps_only_the_whole_overlaps", "conv",
    hint="A product of polynomials of degree 2 and 1 has how many coefficients?",
    old="return whole\n",
    new="return whole[len(w) - 1 : len(x)]\n",
)

misconception(
    "correlates_with_the_kernel_turned", "conv",
    hint="Take a kernel with a single 1 in its upper right corner. Which pixel of the window should come out?",
    old="for (a, b), weight in np.ndenumerate(w):\n        slid",
    new="for (a, b), weight in np.ndenumerate(w[::-1, ::-1]):\n        slid",
)

misconception(
    "a_layer_turns_its_kernels", "conv",
    hint="Slide a delta that is not in the middle: does the picture go the right way? Layers do not turn the kernel.",
    old='h += np.einsum("nchw,fc->nfhw", met, w[:, :, i, j])',
    new='h += np.einsum("nchw,fc->nfhw", met, w[:, :, kh - 1 - i, kw - 1 - j])',
)

misconception(
    "every_window_starts_one_further", "conv",
    hint="With a stride of 3, at which pixel does the second window start?",
    old="met = framed[:, :, i : i + down * rows : down, j : j + across * cols : across]",
    new="met = framed[:, :, i : i + rows, j : j + cols]",
)

misconception(
    "strides_across_before_down", "conv",
    hint="Which axis does the first number of the stride belong to? Test with a stride of (1, 3).",
    old="(down, across), (top, side) = stride, padding\n    framed",
    new="(across, down), (top, side) = stride, padding\n    framed",
)

misconception(
    "pads_the_sides_by_the_number_for_the_top", "conv",
    hint="Padding (1, 2): how many columns of zeros, and how many rows?",
    old="(down, across), (top, side) = stride, padding\n    framed",
    new="(down, across), (side, top) = stride, padding\n    framed",
)

misconception(
    "pads_before_and_not_behind", "conv",
    hint="What is the shape of your picture after padding? It should have grown at both ends.",
    old="framed = np.pad(x, ((0, 0), (0, 0), (top, top), (side, side)))",
    new="framed = np.pad(x, ((0, 0), (0, 0), (top, 0), (side, 0)))",
)

misconception(
    "pads_with_the_nearest_pixel", "conv",
    hint="What does a pixel of the frame contribute to a sum?",
    old="framed = np.pad(x, ((0, 0), (0, 0), (top, top), (side, side)))",
    new='framed = np.pad(x, ((0, 0), (0, 0), (top, top), (side, side)), mode="edge")',
)

misconception(
    "adds_the_bias_with_every_weight", "conv",
    hint="Set all weights to 0. Which number should be left, and how often is it added?",
    old='h += np.einsum("nchw,fc->nfhw", met, w[:, :, i, j])',
    new='h += np.einsum("nchw,fc->nfhw", met, w[:, :, i, j]) + b[:, None, None]',
)

misconception(
    "adds_the_bias_with_every_channel", "conv",
    hint="Set all weights to 0 and take a picture with three channels. Which number should be left? How often do you add it?",
    old="h = np.zeros((len(x), len(w), rows, cols)) + b[:, None, None]",
    new="h = np.zeros((len(x), len(w), rows, cols)) + x.shape[1] * b[:, None, None]",
)

misconception(
    "forgets_the_bias", "conv",
    hint="Set all weights to 0. What should the layer give?",
    old="h = np.zeros((len(x), len(w), rows, cols)) + b[:, None, None]",
    new="h = np.zeros((len(x), len(w), rows, cols))",
)

misconception(
    "looks_at_the_first_channel_only", "conv",
    hint="Change a pixel of the last channel. Does anything change in the output?",
    old='h += np.einsum("nchw,fc->nfhw", met, w[:, :, i, j])',
    new='h += np.einsum("nchw,fc->nfhw", met[:, :1], w[:, :1, i, j])',
)

misconception(
    "averages_over_the_channels", "conv",
    hint="Give the second channel zeros. Should the contribution of the first change?",
    old='h += np.einsum("nchw,fc->nfhw", met, w[:, :, i, j])',
    new='h += np.einsum("nchw,fc->nfhw", met, w[:, :, i, j]) / x.shape[1]',
)

@misconception(
    "convolves_into_integers",
    "conv",
    hint="Try a signal of whole numbers, written without points. Which kind of numbers fits into the array that you fill?",
)
def convolve1d(x, w):
    found = np.zeros(len(x) + len(w) - 1, dtype=x.dtype)
    for t, value in enumerate(x):
        for a, weight in enumerate(w):
            found[t + a] += value * weight
    return found


_INTEGER_PICTURE = "Try a picture of whole numbers, written without points. Which kind of numbers fits into the array that you fill?"
_INTEGER_PLANE = dict(
    old="""plane = np.zeros((height + w.shape[0] - 1, width + w.shape[1] - 1))
    for (a, b), weight in np.ndenumerate(w):
        plane[a : a + height, b : b + width] += weight * x""",
    new="""plane = np.zeros((height + w.shape[0] - 1, width + w.shape[1] - 1), dtype=x.dtype)
    for (a, b), weight in np.ndenumerate(w):
        part = plane[a : a + height, b : b + width]
        part[...] = part + weight * x""",
)
misconception("convolves_a_picture_into_integers", "conv", hint=_INTEGER_PICTURE, **_INTEGER_PLANE)


misconception("convolves_everything_into_integers", "conv", hint=_INTEGER_PICTURE, **_INTEGER_PLANE)
misconception(
    "convolves_everything_into_integers", "conv", hint=_INTEGER_PICTURE,
    old="""whole = np.zeros(len(x) + len(w) - 1)
    for a, weight in enumerate(w):
        whole[a : a + len(x)] += weight * x""",
    new="""whole = np.zeros(len(x) + len(w) - 1, dtype=x.dtype)
    for a, weight in enumerate(w):
        part = whole[a : a + len(x)]
        part[...] = part + weight * x""",
)


@misconception("correlates_into_integers", "conv", hint=_INTEGER_PICTURE)
def correlate2d(x, w):
    (kh, kw), (height, width) = w.shape, x.shape
    slid = np.zeros((height - kh + 1, width - kw + 1), dtype=x.dtype)
    for i, j in np.ndindex(*slid.shape):
        slid[i, j] = np.sum(x[i : i + kh, j : j + kw] * w)
    return slid


misconception(
    "squeezes_a_single_row_out", "conv",
    hint="A kernel as wide as the picture: how many columns has the answer, and how many axes has yours?",
    old="slid += weight * x[a : a + tall, b : b + wide]\n    return slid",
    new="slid += weight * x[a : a + tall, b : b + wide]\n    return slid.squeeze()",
)


@misconception(
    "a_layer_filled_with_integers",
    "conv",
    hint="Try a picture of whole numbers, written without points. Which kind of numbers fits into the array that you fill?",
)
def conv2d(x, w, b, stride=(1, 1), padding=(0, 0)):
    (down, across), (top, side), (kh, kw) = stride, padding, w.shape[2:]
    framed = np.pad(x, ((0, 0), (0, 0), (top, top), (side, side)))
    rows, cols = (framed.shape[2] - kh) // down + 1, (framed.shape[3] - kw) // across + 1
    h = np.zeros((len(x), len(w), rows, cols), dtype=x.dtype)
    for i in range(rows):
        for j in range(cols):
            window = framed[:, :, i * down : i * down + kh, j * across : j * across + kw]
            h[:, :, i, j] = np.einsum("ncab,fcab->nf", window, w) + b
    return h


misconception(
    "drops_the_axes_of_length_one", "conv",
    hint="A batch of one picture is a batch. How many axes has your answer?",
    old='h += np.einsum("nchw,fc->nfhw", met, w[:, :, i, j])\n    return h',
    new='h += np.einsum("nchw,fc->nfhw", met, w[:, :, i, j])\n    return h.squeeze()',
)

_WRAPPED = "What is x[-1] in numpy? And which number stands before the first of a signal?"


@misconception("a_negative_index_is_the_far_end", "conv", hint=_WRAPPED)
def convolve1d(x, w):
    places = range(len(x) + len(w) - 1)
    return np.array([sum(x[t - a] * w[a] for a in range(len(w)) if t - a < len(x)) for t in places])


@misconception("signal_and_picture_come_round_from_the_far_end", "conv", hint=_WRAPPED)
def convolve1d(x, w):
    places = range(len(x) + len(w) - 1)
    return np.array([sum(x[t - a] * w[a] for a in range(len(w)) if t - a < len(x)) for t in places])


@misconception("signal_and_picture_come_round_from_the_far_end", "conv", hint=_WRAPPED)
def convolve2d(x, w):
    (height, width), (kh, kw) = x.shape, w.shape
    plane = np.zeros((height + kh - 1, width + kw - 1))
    for i, j in np.ndindex(*plane.shape):
        for a, b in np.ndindex(kh, kw):
            if i - a < height and j - b < width:
                plane[i, j] += x[i - a, j - b] * w[a, b]
    return plane


misconception(
    "keeps_as_many_as_the_signal_has", "conv",
    hint="(1+2z)(3+4z) has three coefficients. How many do you give for (1,2) and (3,4)?",
    old="return whole\n",
    new="return whole[: len(x)]\n",
)

misconception(
    "correlation_leaves_out_the_last_place", "conv",
    hint="A kernel as large as the picture: in how many places does it lie?",
    old="tall, wide = x.shape[0] - w.shape[0] + 1, x.shape[1] - w.shape[1] + 1",
    new="tall, wide = x.shape[0] - w.shape[0], x.shape[1] - w.shape[1]",
)

_LAST_WINDOW = "A kernel as large as the padded picture makes no step. How many windows has your layer then?"
misconception(
    "a_layer_leaves_out_the_last_window", "conv", hint=_LAST_WINDOW,
    old="rows = (framed.shape[2] - kh) // down + 1", new="rows = (framed.shape[2] - kh) // down",
)
misconception(
    "a_layer_leaves_out_the_last_window", "conv", hint=_LAST_WINDOW,
    old="cols = (framed.shape[3] - kw) // across + 1", new="cols = (framed.shape[3] - kw) // across",
)

misconception(
    "takes_down_and_across_for_before_and_behind", "conv",
    hint="What do the two numbers mean that np.pad takes for one axis? And the two of `padding`?",
    old="framed = np.pad(x, ((0, 0), (0, 0), (top, top), (side, side)))",
    new="framed = np.pad(x, ((0, 0), (0, 0), (top, side), (top, side)))",
)

misconception(
    "leaves_the_filters_last", "conv",
    hint="Which place do the channels have in a batch of images? Yours come out elsewhere.",
    old='h += np.einsum("nchw,fc->nfhw", met, w[:, :, i, j])\n    return h',
    new='h += np.einsum("nchw,fc->nfhw", met, w[:, :, i, j])\n    return np.moveaxis(h, 1, -1)',
)

# -- backward ----------------------------------------------------------------------------------------------------------

misconception(
    "keeps_the_frame", "backward",
    hint="Compare the shapes of dx and x. What did the forward pass put round the picture?",
    old="dx = dframe[:, :, top : top + x.shape[2], side : side + x.shape[3]]",
    new="dx = dframe",
)

misconception(
    "a_frame_has_all_four_sides", "backward",
    hint="Pad the rows and not the columns. Which shape has your dx then, and which has x?",
    old="dx = dframe[:, :, top : top + x.shape[2], side : side + x.shape[3]]",
    new="dx = dframe[:, :, top:-top, side:-side] if top and side else dframe",
)

misconception(
    "cuts_the_frame_at_minus_zero", "backward",
    hint="Without padding, what is x[0:-0]? Say where the picture ends without a minus.",
    old="dx = dframe[:, :, top : top + x.shape[2], side : side + x.shape[3]]",
    new="dx = dframe[:, :, top:-top, side:-side]",
)

misconception(
    "cuts_the_frame_on_one_side", "backward",
    hint="Where in the framed picture does the picture itself begin?",
    old="dx = dframe[:, :, top : top + x.shape[2], side : side + x.shape[3]]",
    new="dx = dframe[:, :, : x.shape[2], : x.shape[3]]",
)

misconception(
    "the_last_window_wins", "backward",
    hint="One pixel feeds many windows. What becomes of the gradient of the first when the second arrives?",
    old='dframe[:, :, tall, wide] += np.einsum("nfhw,fc->nchw", G, w[:, :, i, j])',
    new='dframe[:, :, tall, wide] = np.einsum("nfhw,fc->nchw", G, w[:, :, i, j])',
)



@misconception(
    "a_repeated_address_is_paid_once",
    "backward",
    hint="A pixel in two windows collects from both. What is left of the first in yours? (With index arrays, += counts a repeated index once.)",
)
def conv2d_backward(G, x, w, stride=(1, 1), padding=(0, 0)):
    (down, across), (top, side), (kh, kw) = stride, padding, w.shape[2:]
    frame = np.pad(x, ((0, 0), (0, 0), (top, top), (side, side)))
    dframe, dw = np.zeros(frame.shape), np.zeros(w.shape)
    for i, j in np.ndindex(*G.shape[2:]):
        tall, wide = slice(i * down, i * down + kh), slice(j * across, j * across + kw)
        dw += np.einsum("nf,ncab->fcab", G[:, :, i, j], frame[:, :, tall, wide])
        dframe[:, :, tall, wide] = np.einsum("nf,fcab->ncab", G[:, :, i, j], w)
    dx = dframe[:, :, top : top + x.shape[2], side : side + x.shape[3]]
    return dx, dw, G.sum(axis=(0, 2, 3))


misconception(
    "turns_the_kernel_on_the_way_back", "backward",
    hint="Take one pixel. Which weight did it meet in each of its windows, on the way forward?",
    old='np.einsum("nfhw,fc->nchw", G, w[:, :, i, j])',
    new='np.einsum("nfhw,fc->nchw", G, w[:, :, kh - 1 - i, kw - 1 - j])',
)

_STEPS = "With a stride of 3, which pixels did the weight w[0, 0] meet?"
misconception(
    "goes_back_without_the_stride", "backward", hint=_STEPS,
    old="tall = slice(i, i + down * rows, down)", new="tall = slice(i, i + rows)",
)
misconception(
    "goes_back_without_the_stride", "backward", hint=_STEPS,
    old="wide = slice(j, j + across * cols, across)", new="wide = slice(j, j + cols)",
)

misconception(
    "averages_the_weight_gradient_over_the_batch", "backward",
    hint="If the loss is a mean, that is already in G. Give the layer the same example twice: what happens to dw?",
    old='dw[:, :, i, j] = np.einsum("nfhw,nchw->fc", G, frame[:, :, tall, wide])',
    new='dw[:, :, i, j] = np.einsum("nfhw,nchw->fc", G, frame[:, :, tall, wide]) / len(x)',
)

misconception(
    "only_the_first_example_teaches_the_weights", "backward",
    hint="The same weight was used for every example. From how many does it collect?",
    old='dw[:, :, i, j] = np.einsum("nfhw,nchw->fc", G, frame[:, :, tall, wide])',
    new='dw[:, :, i, j] = np.einsum("nfhw,nchw->fc", G[:1], frame[:1, :, tall, wide])',
)

misconception(
    "a_bias_gradient_for_each_example", "backward",
    hint="How many biases are there? As many numbers has db.",
    old="return dx, dw, G.sum(axis=(0, 2, 3))",
    new="return dx, dw, G.sum(axis=(2, 3))",
)

misconception(
    "averages_the_bias_gradient", "backward",
    hint="Raise the bias by 1: by how much does each output rise, and how many outputs are there?",
    old="return dx, dw, G.sum(axis=(0, 2, 3))",
    new="return dx, dw, G.mean(axis=(0, 2, 3))",
)

misconception(
    "weight_gradients_cut_to_integers", "backward",
    hint="Try weights that are whole numbers, written without points. Which kind of numbers fits into your dw?",
    old="dframe, dw = np.zeros(frame.shape), np.zeros(w.shape)",
    new="dframe, dw = np.zeros(frame.shape), np.zeros_like(w)",
)

misconception(
    "averages_the_bias_gradient_over_the_batch", "backward",
    hint="Two examples that both want b higher: do they pull twice as hard, or as hard as one? If the loss is a mean, that is already in G.",
    old="return dx, dw, G.sum(axis=(0, 2, 3))",
    new="return dx, dw, G.sum(axis=(2, 3)).mean(axis=0)",
)

misconception(
    "averages_the_bias_gradient_over_the_places", "backward",
    hint="Raise the bias by 1: in how many places does one picture change? Each of them sends something back.",
    old="return dx, dw, G.sum(axis=(0, 2, 3))",
    new="return dx, dw, G.mean(axis=(2, 3)).sum(axis=0)",
)

misconception(
    "averages_the_weight_gradient_over_the_windows", "backward",
    hint="A weight is used in every window. Does it get the mean of what comes back, or the sum?",
    old='dw[:, :, i, j] = np.einsum("nfhw,nchw->fc", G, frame[:, :, tall, wide])',
    new='dw[:, :, i, j] = np.einsum("nfhw,nchw->fc", G, frame[:, :, tall, wide]) / (rows * cols)',
)

misconception(
    "averages_the_pixel_gradient_over_the_batch", "backward",
    hint="A pixel belongs to one example alone. What has the number of the others to do with its gradient?",
    old="return dx, dw, G.sum(axis=(0, 2, 3))",
    new="return dx / len(x), dw, G.sum(axis=(0, 2, 3))",
)

misconception(
    "averages_all_gradients_over_the_batch", "backward",
    hint="If the loss is a mean over the batch, that is already in G. Does the layer know of a loss?",
    old="return dx, dw, G.sum(axis=(0, 2, 3))",
    new="return dx / len(x), dw / len(x), G.sum(axis=(0, 2, 3)) / len(x)",
)

misconception(
    "averages_both_parameter_gradients_over_the_batch", "backward",
    hint="Is the loss a mean over the batch? Then that is already in G. Give the layer the same example twice: what happens to dw and db?",
    old="return dx, dw, G.sum(axis=(0, 2, 3))",
    new="return dx, dw / len(x), G.sum(axis=(0, 2, 3)) / len(x)",
)

misconception(
    "hands_the_weight_gradient_over_first", "backward",
    hint="In which order does the docstring name the three gradients?",
    old="return dx, dw, G.sum(axis=(0, 2, 3))",
    new="return dw, dx, G.sum(axis=(0, 2, 3))",
)

# -- pooling -----------------------------------------------------------------------------------------------------------

misconception(
    "starts_the_maximum_at_zero", "pooling",
    hint="What is the largest of −3, −1 and −2?",
    old="return flat.max(axis=-1), i * x.shape[3] + j",
    new="return flat.max(axis=-1, initial=0), i * x.shape[3] + j",
)

misconception(
    "gives_the_place_inside_the_window", "pooling",
    hint="The backward pass gets `where` and nothing else about the windows. Can it find the pixel?",
    old="return flat.max(axis=-1), i * x.shape[3] + j",
    new="return flat.max(axis=-1), best",
)

misconception(
    "multiplies_the_row_by_the_height", "pooling",
    hint="To get to the next row of a flattened picture, how many pixels do you pass?",
    old="return flat.max(axis=-1), i * x.shape[3] + j",
    new="return flat.max(axis=-1), i * x.shape[2] + j",
)

misconception(
    "ties_go_to_the_last", "pooling",
    hint="When a later pixel is only as large as the best so far, who keeps the prize?",
    old="best = flat.argmax(axis=-1)",
    new="best = flat.shape[-1] - 1 - flat[..., ::-1].argmax(axis=-1)",
)

misconception(
    "reads_a_window_column_by_column", "pooling",
    hint="Two equal maxima, one at the upper right and one at the lower left. Which of them does your search meet first?",
    old="best = flat.argmax(axis=-1)",
    new="best = windows.swapaxes(4, 5).reshape(flat.shape).argmax(axis=-1)\n"
    "    best = best % size[0] * size[1] + best // size[0]",
)

misconception(
    "pays_a_pixel_once", "pooling",
    hint="A pixel is the largest of two windows, which owe it 10 and 20. What does it get in yours?",
    old="np.add.at(dx, (maps, where.reshape(N * C, -1)), paid)",
    new="dx[maps, where.reshape(N * C, -1)] += paid",
)

misconception(
    "delivers_to_the_first_channel", "pooling",
    hint="Each channel of each example has a picture and addresses of its own.",
    old="maps, paid = np.arange(N * C)[:, None], G.reshape(N * C, -1)",
    new="maps, paid = 0 * np.arange(N * C)[:, None], G.reshape(N * C, -1)",
)

misconception(
    "windows_never_overlap", "pooling",
    hint="The step from one window to the next is given. It need not be the size of the window.",
    old="windows = windows[:, :, :: stride[0], :: stride[1]]",
    new="windows = windows[:, :, :: size[0], :: size[1]]",
)

misconception(
    "sums_the_window", "pooling",
    hint="What is the mean of a window of ones?",
    old="return seen[:, :, :: stride[0], :: stride[1]].mean(axis=(-2, -1))",
    new="return seen[:, :, :: stride[0], :: stride[1]].sum(axis=(-2, -1))",
)

misconception(
    "pays_the_whole_gradient_to_everyone", "pooling",
    hint="Add up what you pay out for one window. Is it what came in?",
    old="spread[:, :, down, right] += G / (size[0] * size[1])",
    new="spread[:, :, down, right] += G",
)

_WHOSE = "Look at G before and after the call. Whose array did you divide?"
misconception(
    "divides_the_callers_gradient", "pooling", hint=_WHOSE,
    old="spread = np.zeros(shape)",
    new="spread, G = np.zeros(shape), np.asarray(G, dtype=float)\n    G /= size[0] * size[1]",
)
misconception(
    "divides_the_callers_gradient", "pooling", hint=_WHOSE,
    old="spread[:, :, down, right] += G / (size[0] * size[1])", new="spread[:, :, down, right] += G",
)

misconception(
    "pays_for_the_last_window_only", "pooling",
    hint="A pixel that lies in two windows is paid by both.",
    old="spread[:, :, down, right] += G / (size[0] * size[1])",
    new="spread[:, :, down, right] = G / (size[0] * size[1])",
)

misconception(
    "shares_by_the_stride", "pooling",
    hint="Into how many equal parts is a gradient divided: the pixels of a window, or those of a step?",
    old="spread[:, :, down, right] += G / (size[0] * size[1])",
    new="spread[:, :, down, right] += G / (stride[0] * stride[1])",
)

misconception(
    "starts_the_maximum_at_minus_a_million", "pooling",
    hint="With which number does your search begin? Can a whole window lie below it?",
    old="return flat.max(axis=-1), i * x.shape[3] + j",
    new="return flat.max(axis=-1, initial=-1e6), i * x.shape[3] + j",
)

misconception(
    "takes_what_is_close_for_equal", "pooling",
    hint="Measure the pixels in a unit a billion times larger. Which of them are still different to you?",
    old="best = flat.argmax(axis=-1)",
    new="best = np.isclose(flat, flat.max(axis=-1, keepdims=True)).argmax(axis=-1)",
)

misconception(
    "counts_a_window_by_its_height", "pooling",
    hint="Number the pixels of a window of 2×3, row by row. In which row is pixel 2?",
    old="""i = np.arange(rows)[:, None] * stride[0] + best // size[1]
    j = np.arange(cols) * stride[1] + best % size[1]""",
    new="""i = np.arange(rows)[:, None] * stride[0] + best // size[0]
    j = np.arange(cols) * stride[1] + best % size[0]""",
)


@misconception(
    "averages_cut_to_integers",
    "pooling",
    hint="What is the mean of the integers 1 and 2? And what is left of it in the array that you fill?",
)
def avg_pool(x, size, stride):
    rows, cols = (x.shape[2] - size[0]) // stride[0] + 1, (x.shape[3] - size[1]) // stride[1] + 1
    out = np.zeros((*x.shape[:2], rows, cols), dtype=x.dtype)
    for i in range(rows):
        for j in range(cols):
            top, left = i * stride[0], j * stride[1]
            out[:, :, i, j] = x[:, :, top : top + size[0], left : left + size[1]].mean(axis=(2, 3))
    return out


_AXES_OF_POOLING = "Which axis does the first number of the stride belong to? Pool with a stride of (1, 3)."
misconception(
    "pools_across_before_down", "pooling", hint=_AXES_OF_POOLING,
    old="windows = windows[:, :, :: stride[0], :: stride[1]]", new="windows = windows[:, :, :: stride[1], :: stride[0]]",
)
misconception(
    "pools_across_before_down", "pooling", hint=_AXES_OF_POOLING,
    old="i = np.arange(rows)[:, None] * stride[0] + best // size[1]",
    new="i = np.arange(rows)[:, None] * stride[1] + best // size[1]",
)
misconception(
    "pools_across_before_down", "pooling", hint=_AXES_OF_POOLING,
    old="j = np.arange(cols) * stride[1] + best % size[1]", new="j = np.arange(cols) * stride[0] + best % size[1]",
)

misconception(
    "averages_across_before_down", "pooling", hint=_AXES_OF_POOLING,
    old="return seen[:, :, :: stride[0], :: stride[1]].mean(axis=(-2, -1))",
    new="return seen[:, :, :: stride[1], :: stride[0]].mean(axis=(-2, -1))",
)

misconception(
    "an_average_has_a_square_window", "pooling",
    hint="A window of 2×3 has six pixels. Into how many parts do you divide?",
    old="spread[:, :, down, right] += G / (size[0] * size[1])",
    new="spread[:, :, down, right] += G / size[0] ** 2",
)

# -- batchnorm ---------------------------------------------------------------------------------------------------------

_EVAL_OLD = (
    "fixed = gamma / np.sqrt(running_var + eps)\n"
    "    return fixed[:, None, None] * (x - running_mean[:, None, None]) + beta[:, None, None]"
)

misconception(
    "normalises_each_image_by_itself", "batchnorm",
    hint="Over which axes is the mean taken? A batch has one mean per channel.",
    old="normal = (x - mean[:, None, None]) / np.sqrt(var + eps)[:, None, None]",
    new="normal = (x - x.mean(axis=(2, 3), keepdims=True)) / np.sqrt(x.var(axis=(2, 3), keepdims=True) + eps)",
)

misconception(
    "one_mean_for_all_channels", "batchnorm",
    hint="Two channels, one around 0 and one around 100. What should their means be afterwards?",
    old="normal = (x - mean[:, None, None]) / np.sqrt(var + eps)[:, None, None]",
    new="normal = (x - x.mean()) / np.sqrt(x.var() + eps)",
)

misconception(
    "adds_epsilon_to_the_root", "batchnorm",
    hint="Where does ε stand: under the root or beside it?",
    old="normal = (x - mean[:, None, None]) / np.sqrt(var + eps)[:, None, None]",
    new="normal = (x - mean[:, None, None]) / (np.sqrt(var) + eps)[:, None, None]",
)

misconception(
    "normalises_by_the_unbiased_variance", "batchnorm",
    hint="Two variances are in the text. Which of them makes this very batch have variance (almost) 1?",
    old="normal = (x - mean[:, None, None]) / np.sqrt(var + eps)[:, None, None]",
    new="normal = (x - mean[:, None, None]) / np.sqrt(var * m / (m - 1) + eps)[:, None, None]",
)

misconception(
    "divides_by_the_variance", "batchnorm",
    hint="If x is in metres, in which unit is the variance?",
    old="normal = (x - mean[:, None, None]) / np.sqrt(var + eps)[:, None, None]",
    new="normal = (x - mean[:, None, None]) / (var + eps)[:, None, None]",
)

misconception(
    "the_running_variance_is_biased", "batchnorm",
    hint="What is the running variance for: this batch, or data that it has not seen?",
    old="new_var = (1 - momentum) * running_var + momentum * var * m / (m - 1)",
    new="new_var = (1 - momentum) * running_var + momentum * var",
)

_MEMORY = "With a momentum of 0.1, how much of the old estimate is kept?"
misconception(
    "momentum_is_what_is_kept", "batchnorm", hint=_MEMORY,
    old="new_mean = (1 - momentum) * running_mean + momentum * mean",
    new="new_mean = momentum * running_mean + (1 - momentum) * mean",
)
misconception(
    "momentum_is_what_is_kept", "batchnorm", hint=_MEMORY,
    old="new_var = (1 - momentum) * running_var + momentum * var * m / (m - 1)",
    new="new_var = momentum * running_var + (1 - momentum) * var * m / (m - 1)",
)

misconception(
    "forgets_the_past", "batchnorm",
    hint="One odd batch comes along. Should it wipe out what all the others said?",
    old="new_mean = (1 - momentum) * running_mean + momentum * mean",
    new="new_mean = mean",
)


@misconception(
    "updates_the_running_arrays_in_place",
    "batchnorm",
    hint="After the call, look at the running arrays that you passed in.",
)
def batch_norm_train(x, gamma, beta, running_mean, running_var, momentum=0.1, eps=1e-5):
    m = x.size / x.shape[1]
    mean, var = x.mean(axis=(0, 2, 3)), x.var(axis=(0, 2, 3))
    normal = (x - mean[:, None, None]) / np.sqrt(var + eps)[:, None, None]
    running_mean *= 1 - momentum
    running_mean += momentum * mean
    running_var *= 1 - momentum
    running_var += momentum * var * m / (m - 1)
    return gamma[:, None, None] * normal + beta[:, None, None], running_mean, running_var


@misconception(
    "updates_the_running_mean_in_place",
    "batchnorm",
    hint="After the call, look at the running mean that you passed in. Whose array do *= and += change?",
)
def batch_norm_train(x, gamma, beta, running_mean, running_var, momentum=0.1, eps=1e-5):
    m = x.size / x.shape[1]
    mean, var = x.mean(axis=(0, 2, 3)), x.var(axis=(0, 2, 3))
    normal = (x - mean[:, None, None]) / np.sqrt(var + eps)[:, None, None]
    running_mean *= 1 - momentum
    running_mean += momentum * mean
    new_var = (1 - momentum) * running_var + momentum * var * m / (m - 1)
    return gamma[:, None, None] * normal + beta[:, None, None], running_mean, new_var


@misconception(
    "centres_the_callers_picture",
    "batchnorm",
    hint="After the call, look at the x that you passed in. What is its mean now?",
)
def batch_norm_train(x, gamma, beta, running_mean, running_var, momentum=0.1, eps=1e-5):
    m = x.size / x.shape[1]
    mean, var = x.mean(axis=(0, 2, 3)), x.var(axis=(0, 2, 3))
    x -= mean[:, None, None]
    y = gamma[:, None, None] * x / np.sqrt(var + eps)[:, None, None] + beta[:, None, None]
    new_mean = (1 - momentum) * running_mean + momentum * mean
    return y, new_mean, (1 - momentum) * running_var + momentum * var * m / (m - 1)


@misconception(
    "normalises_into_integers",
    "batchnorm",
    hint="Try a batch of whole numbers, written without points. Which kind of numbers fits into the array that you fill?",
)
def batch_norm_train(x, gamma, beta, running_mean, running_var, momentum=0.1, eps=1e-5):
    m, y = x.size / x.shape[1], np.zeros_like(x)
    mean, var = x.mean(axis=(0, 2, 3)), x.var(axis=(0, 2, 3))
    for c in range(x.shape[1]):
        y[:, c] = gamma[c] * (x[:, c] - mean[c]) / np.sqrt(var[c] + eps) + beta[c]
    new_mean = (1 - momentum) * running_mean + momentum * mean
    return y, new_mean, (1 - momentum) * running_var + momentum * var * m / (m - 1)


misconception(
    "counts_images_and_not_numbers", "batchnorm",
    hint="How many numbers has a batch in one channel: one for each image, or one for each pixel of each image?",
    old="momentum * var * m / (m - 1)",
    new="momentum * var * len(x) / max(len(x) - 1, 1)",
)

misconception(
    "squares_before_the_mean_is_out", "batchnorm",
    hint="Add 10⁹ to a channel. How many digits of x² does float64 keep? How many of them are left after you subtract?",
    old="mean, var = x.mean(axis=(0, 2, 3)), x.var(axis=(0, 2, 3))",
    new="mean = x.mean(axis=(0, 2, 3))\n    var = np.maximum(np.mean(x**2, axis=(0, 2, 3)) - mean**2, 0)",
)

_UNIT = "With ε = 0, measure the pixels in a unit 10⁸ times as large. What should become of {}, and what becomes of yours?"
misconception(
    "trains_as_if_a_small_spread_were_none", "batchnorm", hint=_UNIT.format("y"),
    old="normal = (x - mean[:, None, None]) / np.sqrt(var + eps)[:, None, None]",
    new="s = np.where(np.sqrt(var + eps) < 1e-6, 1, np.sqrt(var + eps))\n"
    "    normal = (x - mean[:, None, None]) / s[:, None, None]",
)
misconception(
    "evaluates_as_if_a_small_spread_were_none", "batchnorm", hint=_UNIT.format("the answer"),
    old="fixed = gamma / np.sqrt(running_var + eps)",
    new="s = np.sqrt(running_var + eps)\n    fixed = gamma / np.where(s < 1e-6, 1, s)",
)
misconception(
    "goes_back_as_if_a_small_spread_were_none", "batchnorm", hint=_UNIT.format("dx"),
    old="s = np.sqrt(x.var(axis=axes, keepdims=True) + eps)",
    new="s = np.sqrt(x.var(axis=axes, keepdims=True) + eps)\n    s = np.where(s < 1e-6, 1, s)",
)

misconception(
    "finds_the_channels_by_their_number", "batchnorm",
    hint="Evaluate a batch with as many images as channels. Along which axis does your γ lie?",
    old=_EVAL_OLD,
    new="""
    line = [1, 1, 1, 1]
    line[x.shape.index(len(gamma))] = len(gamma)
    gamma, beta, mean, var = (one.reshape(line) for one in (gamma, beta, running_mean, running_var))
    return gamma * (x - mean) / np.sqrt(var + eps) + beta""",
)

misconception(
    "an_epsilon_of_its_own", "batchnorm",
    hint="Call it with ε = 0.5. Does your answer change?",
    old="normal = (x - mean[:, None, None]) / np.sqrt(var + eps)[:, None, None]",
    new="normal = (x - mean[:, None, None]) / np.sqrt(var + 1e-5)[:, None, None]",
)

misconception(
    "goes_back_with_an_epsilon_of_its_own", "batchnorm",
    hint="Call the backward pass with ε = 0.5. Does it belong to the forward pass with ε = 0.5?",
    old="s = np.sqrt(x.var(axis=axes, keepdims=True) + eps)",
    new="s = np.sqrt(x.var(axis=axes, keepdims=True) + 1e-5)",
)

misconception(
    "evaluates_with_an_epsilon_of_its_own", "batchnorm",
    hint="Evaluate with ε = 0.5. Does your answer change?",
    old="fixed = gamma / np.sqrt(running_var + eps)",
    new="fixed = gamma / np.sqrt(running_var + 1e-5)",
)

misconception(
    "multiplies_gamma_into_the_callers_gradient", "batchnorm",
    hint="After your first lines, what has become of G? It is needed once more, as it came.",
    old="g = G * gamma[:, None, None]",
    new="g = G\n    g *= gamma[:, None, None]",
)

misconception(
    "evaluates_with_the_batch", "batchnorm",
    hint="One image alone: should its answer depend on who else is in the batch?",
    old=_EVAL_OLD,
    new="""
    fixed = gamma / np.sqrt(x.var(axis=(0, 2, 3)) + eps)
    shift = x.mean(axis=(0, 2, 3))
    return fixed[:, None, None] * (x - shift[:, None, None]) + beta[:, None, None]""",
)

misconception(
    "evaluates_by_the_running_variance_without_a_root", "batchnorm",
    hint="In training you divide by a standard deviation. And here?",
    old="fixed = gamma / np.sqrt(running_var + eps)",
    new="fixed = gamma / (running_var + eps)",
)

misconception(
    "the_mean_and_the_variance_are_constants", "batchnorm",
    hint="Move one x: the mean moves too, and so does the variance. Where is that in your dx?",
    old="return (g - through_mean - through_var) / s, (G * hat)",
    new="return g / s, (G * hat)",
)

misconception(
    "the_variance_is_a_constant", "batchnorm",
    hint="You have the way through the mean. There is one more statistic that x moves.",
    old="return (g - through_mean - through_var) / s, (G * hat)",
    new="return (g - through_mean) / s, (G * hat)",
)

misconception(
    "the_mean_is_a_constant", "batchnorm",
    hint="Moving a whole channel changes nothing. Does your dx sum to 0?",
    old="return (g - through_mean - through_var) / s, (G * hat)",
    new="return (g - through_var) / s, (G * hat)",
)

misconception(
    "goes_back_without_gamma", "batchnorm",
    hint="On the way forward x̂ was multiplied by something. On the way back?",
    old="g = G * gamma[:, None, None]",
    new="g = G",
)

misconception(
    "gamma_meets_the_raw_input", "batchnorm",
    hint="With what was γ multiplied in the forward pass?",
    old="through_var) / s, (G * hat).sum(axis=axes)",
    new="through_var) / s, (G * x).sum(axis=axes)",
)

misconception(
    "averages_what_gamma_and_beta_collect", "batchnorm",
    hint="One γ was used for all numbers of its channel. Does it get the mean of what comes back, or the sum?",
    old="through_var) / s, (G * hat).sum(axis=axes), G.sum(axis=axes)",
    new="through_var) / s, (G * hat).mean(axis=axes), G.mean(axis=axes)",
)

misconception(
    "hands_beta_over_before_gamma", "batchnorm",
    hint="In which order does the docstring name the gradients? The two have the same shape, so nothing crashes.",
    old="through_var) / s, (G * hat).sum(axis=axes), G.sum(axis=axes)",
    new="through_var) / s, G.sum(axis=axes), (G * hat).sum(axis=axes)",
)

_BARS = "What do the bars in the formula stand for? Add a constant to a whole channel: does your dx sum to 0?"
misconception(
    "takes_the_bar_for_a_sum", "batchnorm", hint=_BARS,
    old="through_mean = g.mean(axis=axes, keepdims=True)", new="through_mean = g.sum(axis=axes, keepdims=True)",
)
misconception(
    "takes_the_bar_for_a_sum", "batchnorm", hint=_BARS,
    old="through_var = hat * (g * hat).mean(axis=axes, keepdims=True)",
    new="through_var = hat * (g * hat).sum(axis=axes, keepdims=True)",
)

misconception(
    "evaluates_without_beta", "batchnorm",
    hint="Give it the running mean as a picture. What should come out?",
    old="return fixed[:, None, None] * (x - running_mean[:, None, None]) + beta[:, None, None]",
    new="return fixed[:, None, None] * (x - running_mean[:, None, None])",
)

# -- lenet -------------------------------------------------------------------------------------------------------------

misconception(
    "ends_in_a_softmax", "lenet",
    hint="The loss takes scores and does the softmax itself. What happens if it is done twice?",
    old="return self.fc2(torch.relu(self.fc1(maps.flatten(1))))",
    new="return torch.softmax(self.fc2(torch.relu(self.fc1(maps.flatten(1)))), dim=1)",
)

misconception(
    "ends_in_a_relu", "lenet",
    hint="May a score be negative?",
    old="return self.fc2(torch.relu(self.fc1(maps.flatten(1))))",
    new="return torch.relu(self.fc2(torch.relu(self.fc1(maps.flatten(1)))))",
)

misconception(
    "pools_without_a_relu", "lenet",
    hint="Read the row of conv2 in the table again: what stands between convolution and pooling?",
    old="maps = torch.max_pool2d(torch.relu(self.conv2(maps)), 2)",
    new="maps = torch.max_pool2d(self.conv2(maps), 2)",
)

misconception(
    "pools_by_averaging", "lenet",
    hint="Which kind of pooling does the table ask for?",
    old="maps = torch.max_pool2d(torch.relu(self.conv1(images)), 2)",
    new="maps = nn.functional.avg_pool2d(torch.relu(self.conv1(images)), 2)",
)

misconception(
    "makes_layers_without_biases", "lenet",
    hint="Count the parameters of conv1: 8 filters of 3×3, and what else?",
    old="self.conv1 = nn.Conv2d(1, 8, kernel_size=3, padding=1, device=device)",
    new="self.conv1 = nn.Conv2d(1, 8, kernel_size=3, padding=1, bias=False, device=device)",
)

misconception(
    "forgets_a_device", "lenet",
    hint="One of your layers was not told where to live.",
    old="self.fc2 = nn.Linear(64, 10, device=device)",
    new="self.fc2 = nn.Linear(64, 10)",
)

misconception(
    "never_forgets_a_gradient", "lenet",
    hint="torch adds every new gradient to the old one. Who empties the bucket?",
    old="optimiser.zero_grad()",
    new="pass",
)

misconception(
    "shuffles_the_images_and_not_the_labels", "lenet",
    hint="After shuffling, does each picture still have its own label?",
    old="loss = nn.functional.cross_entropy(model(images[batch]), labels[batch])",
    new="loss = nn.functional.cross_entropy(model(images[batch]), labels[: len(batch)])",
)

misconception(
    "sums_the_loss_of_a_batch", "lenet",
    hint="Should the loss be twice as large for a batch twice as large?",
    old="loss = nn.functional.cross_entropy(model(images[batch]), labels[batch])",
    new='loss = nn.functional.cross_entropy(model(images[batch]), labels[batch], reduction="sum")',
)

misconception(
    "never_shuffles", "lenet",
    hint="Look at the order in which your epochs visit the examples.",
    old="shuffled = torch.as_tensor(rng.permutation(len(images)), device=images.device)",
    new="shuffled = torch.arange(len(images), device=images.device)",
)

misconception(
    "draws_with_replacement", "lenet",
    hint="An epoch visits everyone once. Can your draw give the same example twice?",
    old="shuffled = torch.as_tensor(rng.permutation(len(images)), device=images.device)",
    new="shuffled = torch.as_tensor(rng.integers(len(images), size=len(images)), device=images.device)",
)

misconception(
    "drops_the_last_batch", "lenet",
    hint="23 examples in batches of 5: what becomes of the last three?",
    old="for batch in shuffled.split(batch_size):",
    new="for batch in shuffled[: len(images) // batch_size * batch_size].split(batch_size):",
)

misconception(
    "skips_a_batch_of_one", "lenet",
    hint="21 examples in batches of 5: how many losses has an epoch?",
    old="for batch in shuffled.split(batch_size):\n",
    new="for batch in shuffled.split(batch_size):\n            if len(batch) == 1:\n                continue\n",
)

misconception(
    "trains_in_whatever_mode_it_finds", "lenet",
    hint="Somebody evaluated the model just before. In which mode do you train it?",
    old="model.train()\n",
    new="pass\n",
)

misconception(
    "steps_without_adam", "lenet",
    hint="Which optimiser does the docstring name?",
    old="optimiser = torch.optim.Adam(model.parameters(), lr=rate)",
    new="optimiser = torch.optim.SGD(model.parameters(), lr=rate)",
)

misconception(
    "every_network_starts_the_same", "lenet",
    hint="Make two networks and compare their weights. Who set the dice back?",
    old="super().__init__()\n",
    new="super().__init__()\n        torch.manual_seed(0)\n",
)

misconception(
    "all_networks_share_a_layer", "lenet",
    hint="Train one network, then make a second one. Is it really new?",
    old="self.fc2 = nn.Linear(64, 10, device=device)",
    new="self.fc2 = LeNet.__dict__.get('last') or nn.Linear(64, 10, device=device)\n        LeNet.last = self.fc2",
)

misconception(
    "starts_at_zero", "lenet",
    hint="If all weights of a layer start equal, what can make its units different later?",
    old="self.fc2 = nn.Linear(64, 10, device=device)",
    new="self.fc2 = nn.Linear(64, 10, device=device)\n        nn.init.zeros_(self.fc2.weight)",
)

misconception(
    "takes_the_first_step_with_old_gradients", "lenet",
    hint="Somebody has gone backward through the model before you. When do you empty the bucket for the first time?",
    old="""optimiser.zero_grad()
            loss = nn.functional.cross_entropy(model(images[batch]), labels[batch])
            loss.backward()
            optimiser.step()
""",
    new="""loss = nn.functional.cross_entropy(model(images[batch]), labels[batch])
            loss.backward()
            optimiser.step()
            optimiser.zero_grad()
""",
)

misconception(
    "goes_on_with_the_old_optimiser", "lenet",
    hint="Train a model twice. What does the second optimiser know of the first training?",
    old="optimiser = torch.optim.Adam(model.parameters(), lr=rate)",
    new="optimiser = model.__dict__.setdefault('optimiser', torch.optim.Adam(model.parameters(), lr=rate))",
)

misconception(
    "drops_the_axis_of_a_single_image", "lenet",
    hint="Ask it about a single image. How many classes do you get, in a tensor of how many axes?",
    old="return model(images).argmax(dim=1)",
    new="return model(images).squeeze().argmax(dim=-1)",
)

misconception(
    "predicts_in_training_mode", "lenet",
    hint="Put a batch normalisation into the model. What does it do with the test images?",
    old="model.eval()\n",
    new="pass\n",
)

misconception(
    "records_gradients_while_predicting", "lenet",
    hint="Nobody will go backward from a prediction. Need torch write everything down?",
    old="with torch.no_grad():",
    new="if True:",
)

misconception(
    "gives_the_score_and_not_the_class", "lenet",
    hint="Is the answer how high the highest score is, or whose it is?",
    old="return model(images).argmax(dim=1)",
    new="return model(images).max(dim=1).values",
)

misconception(
    "permutes_the_other_way", "lenet",
    hint="Does new pixel j come from order[j], or does old pixel j go there? Try an order that is not its own inverse.",
    old="return images.flatten(1)[:, index].reshape(images.shape)",
    new="return images.flatten(1)[:, torch.argsort(index)].reshape(images.shape)",
)

misconception(
    "a_new_order_for_every_image", "lenet",
    hint="If each picture is mixed in its own way, what is left to learn?",
    old="return images.flatten(1)[:, index].reshape(images.shape)",
    new="""
    rows = [one.flatten()[torch.roll(index, 7 * n)] for n, one in enumerate(images)]
    return torch.stack(rows).reshape(images.shape)""",
)

misconception(
    "tests_on_pictures_in_another_order", "lenet",
    hint="The model learnt on permuted pictures. On which is it tested?",
    old="seen, asked = permute_pixels(seen, order), permute_pixels(asked, order)",
    new="seen, asked = permute_pixels(seen, order), asked",
)

misconception(
    "never_permutes_at_all", "lenet",
    hint="Look at the pictures that the second training really saw. Are the pixels out of order?",
    old="if suffix:",
    new="if False:",
)

misconception(
    "goes_on_with_the_trained_model", "lenet",
    hint="Which pictures had your second model seen before its training began?",
    old="""            model = make(device=images.device)
            fit(model, seen""",
    new="""            model = model if suffix else make(device=images.device)
            fit(model, seen""",
)

misconception(
    "keeps_the_permuted_pictures", "lenet",
    hint="Call it twice, with two orders. Do the second networks see the second order?",
    old="seen, asked = permute_pixels(seen, order), permute_pixels(asked, order)",
    new="seen, asked = LeNet.__dict__.get('kept') or (permute_pixels(seen, order), permute_pixels(asked, order))\n"
    "                LeNet.kept = (seen, asked)",
)

misconception(
    "plain_answers_under_both_names", "lenet",
    hint="Compare the answers under your two keys for the perceptron. Do they come from two models?",
    old="found[name + suffix] = predict(model, asked)",
    new="found[name + suffix] = predict(model, asked)\n        if name == 'mlp':\n            found['mlp_permuted'] = found['mlp']",
)

misconception(
    "one_order_for_all_epochs", "lenet",
    hint="You shuffle, but how often? Compare the second epoch with the first.",
    old="""for _ in range(epochs):
        shuffled = torch.as_tensor(rng.permutation(len(images)), device=images.device)
""",
    new="""shuffled = torch.as_tensor(rng.permutation(len(images)), device=images.device)
    for _ in range(epochs):
""",
)

misconception(
    "one_loss_for_each_epoch", "lenet",
    hint="How many steps has an epoch? The docstring asks for the loss of every one of them.",
    old="optimiser.step()\n            losses.append(loss.item())",
    new="optimiser.step()\n        losses.append(loss.item())",
)

misconception(
    "takes_adams_usual_rate", "lenet",
    hint="Train with another rate. Does your training notice?",
    old="optimiser = torch.optim.Adam(model.parameters(), lr=rate)",
    new="optimiser = torch.optim.Adam(model.parameters())",
)

misconception(
    "two_linear_layers_in_a_row", "lenet",
    hint="Two linear layers with nothing between them are one. Read the row of fc1 in the table again.",
    old="return self.fc2(torch.relu(self.fc1(maps.flatten(1))))",
    new="return self.fc2(self.fc1(maps.flatten(1)))",
)

_BENT_MAPS = "Read the rows of conv1 and conv2 in the table again: what stands between convolution and pooling?"
misconception(
    "the_maps_stay_straight", "lenet", hint=_BENT_MAPS,
    old="maps = torch.max_pool2d(torch.relu(self.conv1(images)), 2)", new="maps = torch.max_pool2d(self.conv1(images), 2)",
)
misconception(
    "the_maps_stay_straight", "lenet", hint=_BENT_MAPS,
    old="maps = torch.max_pool2d(torch.relu(self.conv2(maps)), 2)", new="maps = torch.max_pool2d(self.conv2(maps), 2)",
)

misconception(
    "finds_the_best_image_for_each_class", "lenet",
    hint="Ask about three images. How many answers do you get?",
    old="return model(images).argmax(dim=1)",
    new="return model(images).argmax(dim=0)",
)

# -- concepts ----------------------------------------------------------------------------------------------------------

misconception(
    "shares_all_the_same", "concepts",
    hint="Item unshared: that is the convolution, whose windows all use the same weights. How many windows are there here?",
    old="unshared=4000,", new="unshared=40,",
)

misconception(
    "gives_up_locality_too", "concepts",
    hint="Item unshared: does an output here look at all 144 pixels?",
    old="unshared=4000,", new="unshared=58000,",
)

misconception(
    "counts_no_biases_of_its_own", "concepts",
    hint="Item unshared: how many numbers does one output own, besides its nine weights?",
    old="unshared=4000,", new="unshared=3600,",
)

misconception(
    "keeps_the_number_of_units", "concepts",
    hint="Item budget: the maps have a quarter of the places. With how many products does a place come, if both the channels in and the channels out grow?",
    old="budget=32,", new="budget=64,",
)

misconception(
    "counts_as_before", "concepts",
    hint="Item budget: how many places has the smaller map, against the larger one?",
    old="budget=32,", new="budget=16,",
)

misconception(
    "forgets_the_poolings", "concepts",
    hint="Item sees: how far apart in the picture are two neighbouring units after a pooling?",
    old="sees=18,", new="sees=17,",
)

misconception(
    "a_pooling_only_spreads", "concepts",
    hint="Item sees: a window of 2×2 itself sees one unit more than a single one does. Have you counted it at both poolings?",
    old="sees=18,", new="sees=31,",
)

misconception(
    "the_first_layer_finds_whole_things", "concepts",
    hint="Item sees: 3 is what a unit of the first convolution sees. How wide is the piece for the one that you were to find? (A width, not its number.)",
    old="sees=18,", new="sees=3,",
)

misconception(
    "halves_are_halves", "concepts",
    hint="Item nudge: list the five columns. From how many of them does a step to the right lead into another window?",
    old="nudge=0.4,", new="nudge=0.5,",
)

misconception(
    "forgets_the_way_down", "concepts",
    hint="Item bottleneck: two convolutions stand in the place of the one. Have you counted the weights of both?",
    old="bottleneck=0.278,", new="bottleneck=0.25,",
)

misconception(
    "counts_a_one_by_one_like_the_rest", "concepts",
    hint="Item bottleneck: how many weights has one kernel of 1×1, for one channel?",
    old="bottleneck=0.278,", new="bottleneck=0.5,",
)

misconception(
    "pools_only_the_images", "concepts",
    hint="Item noise: over which numbers is the mean of a channel taken: one of each image, or all its places?",
    old="noise=16,", new="noise=256,",
)

misconception(
    "writes_a_number_in_quotes", "concepts",
    hint="A number is asked for, and a number needs no quotes.",
    old="noise=16,", new='noise="16",',
)

misconception(
    "a_gap_means_overfitting", "concepts",
    hint="Item company: the same weights, the same images: only the company differs from one column to the next.",
    old='company="mode",', new='company="overfitting",',
)

misconception(
    "the_steps_were_too_large", "concepts",
    hint="Item company: all columns are one trained network. How large its steps were is the same in each of them.",
    old='company="mode",', new='company="rate",',
)

misconception(
    "the_test_leaked", "concepts",
    hint="Item company: with a leak the results would be too good. What has the number of images at a time to do with it?",
    old='company="mode",', new='company="leak",',
)

misconception(
    "blames_the_labels", "concepts",
    hint="Item monday: if the labels were mixed up, what would happen to the perceptron?",
    old='monday="order",', new='monday="labels",',
)

misconception(
    "somebody_dims_the_pictures", "concepts",
    hint="Item monday: what would the perceptron reach on pictures that are all black?",
    old='monday="order",', new='monday="dims",',
)

misconception(
    "somebody_mirrors_the_pictures", "concepts",
    hint="Item monday: both networks were trained anew, on mirrored pictures. Are neighbours still neighbours in a mirror?",
    old='monday="order",', new='monday="mirrors",',
)

misconception(
    "minds_the_old_size", "concepts",
    hint="Item features: trace 208×256 with your own function. How many units arrive at the last layer?",
    old="features=3080,", new="features=2800.0,",
)

misconception(
    "scales_with_the_picture", "concepts",
    hint="Item features: the number of units must be whole, and each layer rounds down. Trace 208×256 with your own function.",
    old="features=3080,", new="features=3033,",
)

misconception(
    "walks_at_an_even_pace", "concepts",
    hint="Item running: a tenth of the way that is left, not of the whole way. How much is left after k batches?",
    old="running=22,", new="running=10,",
)

misconception(
    "stops_one_batch_early", "concepts",
    hint="Item running: is the mean already above 4.5 after that many batches? Try one more and one less.",
    old="running=22,", new="running=21,",
)

# -- matrix (extra) ----------------------------------------------------------------------------------------------------

misconception(
    "channels_vary_fastest_in_a_column", "matrix",
    hint="Does w.reshape(F, -1) walk through its numbers in the same order as your columns?",
    old="views.transpose(0, 1, 4, 5, 2, 3)",
    new="views.transpose(0, 4, 5, 1, 2, 3)",
)

misconception(
    "windows_in_the_rows", "matrix",
    hint="Which of your two axes is as long as one window?",
    old="return views.transpose(0, 1, 4, 5, 2, 3).reshape(len(x), depth, -1)",
    new="return views.transpose(0, 1, 4, 5, 2, 3).reshape(len(x), depth, -1).transpose(0, 2, 1)",
)

misconception(
    "walks_off_one_edge_and_in_at_the_other", "matrix",
    hint="What does a negative index mean in numpy? And what lies beyond the edge of a padded picture?",
    old="if 0 <= u < H and 0 <= v < W:",
    new="if u < H and v < W:",
)

misconception(
    "beyond_the_right_edge_is_the_next_row", "matrix",
    hint="Which pixel stands before the first of a row: in the picture, and in the flattened picture?",
    old="""if 0 <= u < H and 0 <= v < W:
            T[:, i, j, :, u, v] = w[:, :, a, b]""",
    new="""if 0 <= u * W + v < H * W:
            T.reshape(F, rows, cols, C, H * W)[:, i, j, :, u * W + v] = w[:, :, a, b]""",
)


@misconception(
    "keeps_the_addresses_of_another_stride",
    "matrix",
    hint="Call it twice with the same sizes and another stride. What does the second call know of the first?",
)
def im2col(x, size, stride=(1, 1), padding=(0, 0)):
    edged = np.pad(x, ((0, 0), (0, 0), (padding[0],) * 2, (padding[1],) * 2))
    (C, H, W), (kh, kw) = edged.shape[1:], size
    known = im2col.__dict__.setdefault("known", {})
    if (C, H, W, kh, kw) not in known:
        c, a, b = np.indices((C, kh, kw)).reshape(3, -1, 1)
        i, j = np.arange(0, H - kh + 1, stride[0]), np.arange(0, W - kw + 1, stride[1])
        i, j = np.repeat(i, len(j)), np.tile(j, len(i))
        known[C, H, W, kh, kw] = (c * H + i + a) * W + j + b
    return edged.reshape(len(x), -1)[:, known[C, H, W, kh, kw]]


misconception(
    "the_matrix_turns_the_kernel", "matrix",
    hint="Write row (0, 0, 0) by hand: which weight meets the first pixel of the window?",
    old="T[:, i, j, :, u, v] = w[:, :, a, b]",
    new="T[:, i, j, :, u, v] = w[:, :, kh - 1 - a, kw - 1 - b]",
)

misconception(
    "the_matrix_lies_on_its_side", "matrix",
    hint="T takes a picture and gives an output. How many columns has it?",
    old="return T.reshape(F * rows * cols, C * H * W)",
    new="return T.reshape(F * rows * cols, C * H * W).T",
)

misconception(
    "a_pointwise_layer_bends", "matrix",
    hint="What does it do to the mean of two pictures? The activation is another layer.",
    old='return np.einsum("fc,nchw->nfhw", w, x) + b[:, None, None]',
    new='return np.maximum(0, np.einsum("fc,nchw->nfhw", w, x) + b[:, None, None])',
)

misconception(
    "a_pointwise_layer_without_bias", "matrix",
    hint="What should it give for a black picture?",
    old='return np.einsum("fc,nchw->nfhw", w, x) + b[:, None, None]',
    new='return np.einsum("fc,nchw->nfhw", w, x)',
)

# -- text (extra) ------------------------------------------------------------------------------------------------------


@misconception(
    "takes_stride_for_dilation",
    "text",
    hint="Which of the two is the step between windows, and which the step inside one?",
)
def text_conv(X, W, b, stride=1, dilation=1):
    stride, dilation = dilation, stride
    k = W.shape[1]
    places = (len(X) - dilation * (k - 1) - 1) // stride + 1
    start = stride * np.arange(places)
    return b + sum(X[start + dilation * a] @ W[:, a].T for a in range(k))


misconception(
    "reads_the_phrase_backwards", "text",
    hint="Which word of the window does W[:, 0] belong to?",
    old="return b + sum(X[start + dilation * a] @ W[:, a].T for a in range(k))",
    new="return b + sum(X[start + dilation * a] @ W[:, k - 1 - a].T for a in range(k))",
)

misconception(
    "dilation_is_stride_and_nothing_else", "text",
    hint="With dilation 3 and stride 1, how far apart are the words in one window? And two windows?",
    old="places = (len(X) - dilation * (k - 1) - 1) // stride + 1\n    start = stride * np.arange(places)",
    new="places = (len(X) - k) // (stride * dilation) + 1\n"
    "    start, dilation = stride * dilation * np.arange(places), 1",
)

misconception(
    "pools_over_the_features", "text",
    hint="After pooling, sentences of different lengths must give vectors of one length. Which length?",
    old="return h.max(axis=0)",
    new="return h.max(axis=1)",
)

misconception(
    "averages_over_time", "text",
    hint="Was the phrase anywhere? Should ten words about something else make it less so?",
    old="return h.max(axis=0)",
    new="return h.mean(axis=0)",
)

misconception(
    "depth_forgets_the_strides", "text",
    hint="After a layer with stride 2, how far apart in the input are two neighbouring units?",
    old="field += dilation * (kernel - 1) * jump",
    new="field += dilation * (kernel - 1)",
)

misconception(
    "a_layer_is_stretched_by_its_own_stride", "text",
    hint="The stride of a layer decides how far apart its outputs are. Does it change what one output sees?",
    old="field += dilation * (kernel - 1) * jump\n        jump *= stride",
    new="jump *= stride\n        field += dilation * (kernel - 1) * jump",
)

misconception(
    "dilation_reaches_no_farther", "text",
    hint="A kernel of 3 with gaps: how far is its last tap from its first?",
    old="field += dilation * (kernel - 1) * jump",
    new="field += (kernel - 1) * jump",
)

@misconception(
    "phrases_cut_to_integers",
    "text",
    hint="Try words that are whole numbers, written without points. Which kind of numbers fits into the array that you fill?",
)
def text_conv(X, W, b, stride=1, dilation=1):
    k = W.shape[1]
    places = (len(X) - dilation * (k - 1) - 1) // stride + 1
    h = np.zeros((places, len(W)), dtype=X.dtype)
    for t in range(places):
        h[t] = b + sum(W[:, a] @ X[stride * t + dilation * a] for a in range(k))
    return h


misconception(
    "leaves_out_the_last_window", "text",
    hint="A sentence just as long as the window: in how many places does it fit?",
    old="places = (len(X) - dilation * (k - 1) - 1) // stride + 1",
    new="places = (len(X) - dilation * (k - 1) - 1) // stride",
)

_LAST_GAP = "Draw a window of two words with dilation 2. Where does it end?"
misconception(
    "a_gap_after_the_last_word", "text", hint=_LAST_GAP,
    old="places = (len(X) - dilation * (k - 1) - 1) // stride + 1",
    new="places = (len(X) - dilation * k) // stride + 1",
)
misconception(
    "refuses_for_the_gap_after_the_last_word", "text", hint=_LAST_GAP,
    old="places = (len(X) - dilation * (k - 1) - 1) // stride + 1",
    new="""if len(X) < dilation * k:
        raise ValueError("the window is longer than the sentence")
    places = (len(X) - dilation * k) // stride + 1""",
)

# -- symmetry (extra) --------------------------------------------------------------------------------------------------

misconception(
    "asks_for_invariance", "symmetry",
    hint="Should the answer stay where it is when the picture moves, or move along?",
    old="last = np.roll(layer(x), (down, right), axis=(0, 1))",
    new="last = layer(x)",
)

misconception(
    "swaps_down_and_right", "symmetry",
    hint="Rows go down, columns go to the right. Which axis is which?",
    old="first = layer(np.roll(x, (down, right), axis=(0, 1)))",
    new="first = layer(np.roll(x, (right, down), axis=(0, 1)))",
)

misconception(
    "averages_the_gap", "symmetry",
    hint="One wrong pixel among a thousand: should it disappear in a mean?",
    old="return float(np.abs(first - last).max())",
    new="return float(np.abs(first - last).mean())",
)

misconception(
    "looks_at_all_outputs", "symmetry",
    hint="Which pixels can change this one output? Not: which can change anything.",
    old="found[pixel] = abs(layer(tried)[place] - usual) > 1e-9",
    new="found[pixel] = np.abs(layer(tried) - layer(x)).max() > 1e-9",
)

misconception(
    "never_puts_a_pixel_back", "symmetry",
    hint="When you try the second pixel, is the first one back to what it was?",
    old="tried = x.copy()",
    new="tried = x",
)

misconception(
    "a_gap_has_one_side", "symmetry",
    hint="If the one is 5 smaller than the other everywhere, how large is the gap?",
    old="return float(np.abs(first - last).max())",
    new="return float((first - last).max())",
)

misconception(
    "only_what_grows_has_changed", "symmetry",
    hint="A brighter pixel can make an output darker. Is that no change?",
    old="found[pixel] = abs(layer(tried)[place] - usual) > 1e-9",
    new="found[pixel] = layer(tried)[place] - usual > 1e-9",
)

misconception(
    "small_beside_the_output_is_nothing", "symmetry",
    hint="An output of 1000 changes by 0.0001. The docstring has a limit; whose limit do you use?",
    old="found[pixel] = abs(layer(tried)[place] - usual) > 1e-9",
    new="found[pixel] = not np.isclose(layer(tried)[place], usual)",
)

misconception(
    "nudges_a_pixel_a_little", "symmetry",
    hint="By how much does the docstring change a pixel? Think of a layer with a threshold, and of pixels that are integers.",
    old="tried[pixel] += 1\n",
    new="tried[pixel] = tried[pixel] + 1e-3\n",
)

misconception(
    "undoes_the_order_in_the_columns", "symmetry",
    hint="Column j must meet the pixel that is now at place j. Which one is that?",
    old="return W[:, order]",
    new="return W[:, np.argsort(order)]",
)

# -- groupnorm (extra) -------------------------------------------------------------------------------------------------

_PARTS = "parts = x.reshape(len(x), groups, -1)\n    centred"
misconception(
    "groups_collect_over_the_batch", "groupnorm",
    hint="Over which examples? Each one should get along without the others.",
    old="""centred = parts - parts.mean(axis=2, keepdims=True)
    scaled = centred / np.sqrt(parts.var(axis=2, keepdims=True) + eps)""",
    new="""centred = parts - parts.mean(axis=(0, 2), keepdims=True)
    scaled = centred / np.sqrt(parts.var(axis=(0, 2), keepdims=True) + eps)""",
)

misconception(
    "every_channel_is_a_group", "groupnorm",
    hint="Six channels in two groups: how many means has one example?",
    old=_PARTS, new="parts = x.reshape(len(x), x.shape[1], -1)\n    centred",
)

misconception(
    "an_example_is_one_group", "groupnorm",
    hint="Does your answer change when the number of groups does?",
    old=_PARTS, new="parts = x.reshape(len(x), 1, -1)\n    centred",
)

misconception(
    "takes_the_number_of_groups_for_their_size", "groupnorm",
    hint="Six channels and groups=2: how many groups do you make, and how many channels has each?",
    old=_PARTS, new="parts = x.reshape(len(x), x.shape[1] // groups, -1)\n    centred",
)


@misconception(
    "the_channels_take_turns",
    "groupnorm",
    hint="Six channels in two groups. Which three of them are in your first group? Are they neighbours?",
)
def group_norm(x, groups, gamma, beta, eps=1e-5):
    y = np.zeros(x.shape)
    for k in range(groups):
        part = x[:, k::groups]
        mean, var = part.mean(axis=(1, 2, 3), keepdims=True), part.var(axis=(1, 2, 3), keepdims=True)
        y[:, k::groups] = (part - mean) / np.sqrt(var + eps)
    return gamma[:, None, None] * y + beta[:, None, None]


misconception(
    "puts_epsilon_beside_the_root", "groupnorm",
    hint="Where does ε stand: under the root or beside it?",
    old="scaled = centred / np.sqrt(parts.var(axis=2, keepdims=True) + eps)",
    new="scaled = centred / (parts.std(axis=2, keepdims=True) + eps)",
)

misconception(
    "divides_by_one_less", "groupnorm",
    hint="Try it on the four numbers of the text. By how much do you divide the sum of the squares?",
    old="scaled = centred / np.sqrt(parts.var(axis=2, keepdims=True) + eps)",
    new="scaled = centred / np.sqrt(parts.var(axis=2, ddof=1, keepdims=True) + eps)",
)

misconception(
    "multiplies_gamma_in_at_the_end", "groupnorm",
    hint="γ varies inside a group. Before or after taking the means?",
    old="""pull = (gamma[:, None, None] * G).reshape(parts.shape)
    pull_mean = pull.mean(axis=2, keepdims=True)
    pull_var = unit * (pull * unit).mean(axis=2, keepdims=True)
    dx = ((pull - pull_mean - pull_var) / width).reshape(x.shape)""",
    new="""pull = G.reshape(parts.shape)
    pull_mean = pull.mean(axis=2, keepdims=True)
    pull_var = unit * (pull * unit).mean(axis=2, keepdims=True)
    dx = gamma[:, None, None] * ((pull - pull_mean - pull_var) / width).reshape(x.shape)""",
)

misconception(
    "an_example_cannot_move_its_own_variance", "groupnorm",
    hint="x moves its mean and its variance. How many terms does that make?",
    old="dx = ((pull - pull_mean - pull_var) / width).reshape(x.shape)",
    new="dx = ((pull - pull_mean) / width).reshape(x.shape)",
)

misconception(
    "a_gamma_for_each_example", "groupnorm",
    hint="How many γ are there, and in how many examples is each of them used?",
    old="(G * unit.reshape(x.shape)).sum(axis=(0, 2, 3)), G.sum(axis=(0, 2, 3))",
    new="(G * unit.reshape(x.shape)).sum(axis=(2, 3)), G.sum(axis=(2, 3))",
)


@misconception(
    "group_norm_cut_to_integers",
    "groupnorm",
    hint="Try an example of whole numbers, written without points. Which kind of numbers fits into the array that you fill?",
)
def group_norm(x, groups, gamma, beta, eps=1e-5):
    y, size = np.zeros_like(x), x.shape[1] // groups
    for n, k in np.ndindex(len(x), groups):
        own = slice(k * size, (k + 1) * size)
        part = x[n, own]
        normal = (part - part.mean()) / np.sqrt(part.var() + eps)
        y[n, own] = gamma[own, None, None] * normal + beta[own, None, None]
    return y


misconception(
    "gamma_goes_into_the_gradient_that_came", "groupnorm",
    hint="After your first lines, what has become of G? It is needed once more, as it came.",
    old="pull = (gamma[:, None, None] * G).reshape(parts.shape)",
    new="G *= gamma[:, None, None]\n    pull = G.reshape(parts.shape)",
)
