# %% [markdown]
# # Convolutional networks
#
# A photograph of 192 by 256 pixels goes into a layer that gives five pictures of the same size back. Built like the
# layers you know, with a weight from every input to every output, that layer has twelve billion parameters ($1.2\cdot10^{10}$).
# Built as in this notebook it has **fifty**, and it works better.
#
# Two thoughts do this. *What belongs together in a picture lies close together*, so a unit need only look at a small
# window. And *what is worth finding here is worth finding there*, so every window can be looked at with the same
# weights. Everything else follows from the two: the sums, the shapes, the gradients, and even the way in which such a
# network fails when you take away what it believes in.
#
# You will count, slide, differentiate, pool and normalise, all in numpy and by hand. Then you put the pieces together
# in torch, train them on handwriting, and run the experiment that shows what the two thoughts are worth.
#
# **How to work here.** Read a section, write the functions below it, run the `check` cell after them. A check that
# fails shows the smallest example it failed on. Cells with plots are there to look at and to play with; they are not
# graded. When you hand in, more checks run than the ones you have here: they ask whether the idea is right, not only
# the example. Seven questions make the hundred points, in about nine hours. What comes after them is extra.

# %%
import matplotlib.pyplot as plt
import numpy as np
import torch
from torch import nn

from redink import check
from redink_datasets import digits, wandering

# %% [markdown]
# ## The idea
#
# Take a picture $x$ and a small array of weights $w$, the *kernel*. Lay the kernel on the picture, multiply each weight
# with the pixel under it, add everything up, and write the sum down. Move the kernel one pixel to the right and do it
# again. The sums make a new picture:
#
# $$h_{ij} = u + \sum_{a}\sum_{b} w_{ab}\,x_{i+a,\,j+b} .$$
#
# (Multiply *and add*: the products themselves are not the output, their sum is. A whole window becomes one number.)
#
# Where does this come from? Start from a layer with all its weights. Every output $(i,j)$ has a weight for every pixel
# $(k,l)$, and writing the pixel as seen from the output, $k=i+a$ and $l=j+b$, is only a change of names:
#
# $$h_{ij} = u_{ij} + \sum_{k,l} W_{ijkl}\,x_{kl} = u_{ij} + \sum_{a,b} V_{ijab}\,x_{i+a,\,j+b} .$$
#
# Now ask for two things.
#
# 1. **Sharing.** If the picture moves, the answer should move along and not change otherwise. Then $V_{ijab}$ and
#    $u_{ij}$ cannot depend on $(i,j)$: what remains is $V_{ab}$ and $u$.
# 2. **Locality.** To see what is at $(i,j)$, look near $(i,j)$: $V_{ab}=0$ for offsets outside a small window.
#
# That is the formula at the top. Nothing was added to the ordinary layer; almost everything was taken away. What is
# left learns a *feature detector*, and the output is a map that says where in the picture the feature is.
#
# Run the next cell: one kernel of six numbers finds the left edges of the strokes, another the upper ones. Blue is a
# positive answer (the picture looks like the kernel), red a negative one (it looks like its opposite), white is 0.

# %% tags=["explore"]
picture = digits()[0][5]
kernels = {
    "left edges": [[-1, 1], [-1, 1], [-1, 1]],
    "upper edges": [[-1, -1, -1], [1, 1, 1]],
}

figure, panels = plt.subplots(1, 3, figsize=(10, 3.4))
panels[0].imshow(picture, cmap="gray_r")
panels[0].set_title("the picture")
for panel, (name, kernel) in zip(panels[1:], kernels.items(), strict=True):
    kernel = np.array(kernel)
    windows = np.lib.stride_tricks.sliding_window_view(picture, kernel.shape)
    answer = np.sum(windows * kernel, axis=(2, 3))  # multiply, and add up each window
    panel.imshow(answer, cmap="RdBu", vmin=-3, vmax=3)
    panel.set_title(f"{name}: {answer.shape[0]}×{answer.shape[1]}")
for panel in panels:
    panel.set_xticks([])
    panel.set_yticks([])
plt.show()

# %% [markdown]
# ## Conventions
#
# They hold in the whole notebook, and the checks hold you to them.
#
# - A batch of images is an array $N\times C\times H\times W$: examples, channels, rows, columns. A kernel bank is
#   $F\times C\times k_h\times k_w$. One **filter** is a stack of $C$ kernels, one per input channel, and makes *one*
#   output channel; so there are as many output channels as filters. There is one bias per filter.
# - **Height comes before width**, everywhere: `stride=(2, 3)` goes down by 2 and across by 3.
# - **Convolution** means what layers compute, the formula above, without turning the kernel round. Strictly that is
#   called *cross-correlation*. Where we mean the mathematician's convolution, we say so.
# - **Padding** $p$ is per side: the picture gets $p$ zeros on *each* end of the axis, so it grows by $2p$.
# - Pictures are float64 numpy arrays; in the question about LeNet they are float32 torch tensors. Everything before and
#   after it is written by hand: numpy, and neither torch nor scipy.
# - Arrays may also hold integers. What you compute from them must not be cut to integers.
# - The first question asks what to do where a kernel does not fit. In all others every kernel and every window fits at
#   least once. No array or list that comes in is empty, and none holds a NaN.
# - Functions never change what they are given: arrays, tensors, lists, dicts. (`fit` changes the model, as it should.)
#   Changing it costs one check of the question (the first that sees it); the other checks look only at what is returned.
#
# ## Once by hand
#
# A picture of 3×4 and a kernel of 2×2:
#
# $$x=\begin{pmatrix}1&2&0&1\\0&1&3&1\\2&0&1&0\end{pmatrix},\qquad w=\begin{pmatrix}1&2\\0&-1\end{pmatrix}.$$
#
# The kernel fits at 2×3 places. At the upper left, $1\cdot1+2\cdot2+0\cdot0-1\cdot1=4$. One to the right,
# $1\cdot2+2\cdot0+0\cdot1-1\cdot3=-1$. All together:
#
# $$h=\begin{pmatrix}4&-1&1\\2&6&5\end{pmatrix}.$$
#
# Cover it up and work out the other four; it takes two minutes. Now turn the kernel by 180°, to
# $\begin{pmatrix}-1&0\\2&1\end{pmatrix}$, and slide again. The result is
# $\begin{pmatrix}0&3&7\\4&0&-1\end{pmatrix}$: another picture altogether. Which way round the kernel lies is not a
# detail.

# %% [markdown]
# ## Question: shapes and parameters
#
# Most bugs in a convolutional network are shapes, so we begin by counting. A kernel of size $k$ with *dilation* $d$ has
# gaps of $d-1$ pixels between its weights: it spans $d(k-1)+1$ pixels. (With $d=1$ that is $k$.) Lay it on a padded
# axis of $n+2p$ pixels, with its left end at 0, and step to the right by the *stride* $s$ as long as it fits. The last
# possible left end is $n+2p-d(k-1)-1$, so there are
#
# $$\left\lfloor\frac{n+2p-d(k-1)-1}{s}\right\rfloor+1$$
#
# places. The first place costs no step: that is the $+1$. A step that would lead over the edge is not made: that is the
# floor. Notes that print $\lceil\cdot\rceil$ there are wrong, and are seldom caught, because textbook examples divide
# evenly. Try $n=32,\ k=5,\ s=2$: the left ends are 0, 2, …, 26, which is 14 places, although 27 pixels of room divided
# by 2 is not a whole number. A kernel that does not fit even once is an error, not a size.
#
# **Counting.** A convolution from $C$ to $F$ channels has $F\cdot C\cdot k_hk_w$ weights and $F$ biases, whatever the
# size of the picture. Pooling has none. The *units* of a layer are the numbers it puts out, $F\cdot H'\cdot W'$. A
# dense layer between the same two shapes has a weight for each pair and a bias per output: from 3×32×32 to 6×28×28 that is
# 14 455 392 parameters, where six filters of 5×5 take 456.
#
# Layers are written as dicts, with the names and the defaults of torch:
#
# | `kind` | entries | defaults |
# |:--|:--|:--|
# | `"Conv2d"` | `in_channels`, `out_channels`, `kernel_size`, `stride`, `padding` | `stride` 1, `padding` 0 |
# | `"MaxPool2d"` | `kernel_size`, `stride` | `stride`: **the kernel size** |
# | `"Linear"` | `in_features`, `out_features` | none |
#
# `kernel_size`, `stride` and `padding` are numbers, or pairs (vertical, horizontal); `pair` below makes a pair of
# either. A `Linear` takes whatever comes, flattened to one long vector; after it come only `Linear`s.


# %%
def pair(value: int | tuple[int, int]) -> tuple[int, int]:
    """Give (v, v) for a number v; a pair stays as it is. This one is given."""
    return (value, value) if isinstance(value, int) else tuple(value)


def out_size(
    n: int, kernel: int, stride: int = 1, padding: int = 0, dilation: int = 1
) -> int:
    """Count the places where the kernel fits: ⌊(n + 2p − d(k−1) − 1) / s⌋ + 1.

    Raises ValueError where the kernel does not fit even once.
    """
    ### BEGIN SOLUTION
    room = n + 2 * padding - dilation * (kernel - 1) - 1
    if room < 0:
        raise ValueError(f"a kernel of {kernel} does not fit")
    return room // stride + 1
    ### END SOLUTION


def trace_shapes(shape: tuple[int, int, int], layers: list[dict]) -> list[tuple]:
    """Follow a shape through a network, and count.

    shape: (C, H, W) of one image.  layers: dicts as in the table above.
    Returns a row (shape, units, weights, biases) for the input and one after each layer:
        shape: (C, H, W), or (out_features,) after a Linear;
        units: how many numbers that is;
        weights, biases: how many of each this layer has (0 and 0 for the input).
    Raises ValueError where a kernel does not fit, or where in_channels or in_features is
    not what arrives.
    """
    ### BEGIN SOLUTION
    rows = [(tuple(shape), int(np.prod(shape)), 0, 0)]
    for layer in layers:
        before, units = rows[-1][0], rows[-1][1]
        weights, biases = 0, 0
        if layer["kind"] == "Linear":
            if layer["in_features"] != units:
                raise ValueError(f"{units} features arrive")
            after = (layer["out_features"],)
            weights, biases = units * after[0], after[0]
        else:
            kernel, channels = pair(layer["kernel_size"]), before[0]
            default = 1 if layer["kind"] == "Conv2d" else kernel
            stride = pair(layer.get("stride", default))
            padding = pair(layer.get("padding", 0))
            if layer["kind"] == "Conv2d":
                if layer["in_channels"] != channels:
                    raise ValueError(f"{channels} channels arrive")
                channels = layer["out_channels"]
                weights, biases = channels * before[0] * kernel[0] * kernel[1], channels
            sides = zip(before[1:], kernel, stride, padding, strict=True)
            after = (channels, *(out_size(*side) for side in sides))
        rows.append((after, int(np.prod(after)), weights, biases))
    return rows
    ### END SOLUTION


def dense_parameters(shape: tuple[int, ...], out_shape: tuple[int, ...]) -> int:
    """Count weights and biases of a dense layer from one shape to another.

    There is a weight from every input to every output, and a bias for every output.
    """
    ### BEGIN SOLUTION
    return int(np.prod(out_shape)) * (int(np.prod(shape)) + 1)
    ### END SOLUTION


# %%
check("shapes")

# %% [markdown]
# Here is a whole network on a picture of 192×256, traced by you. Read the columns from top to bottom: the maps get
# smaller and the channels more. That is the usual design. Each place of a deeper map stands for a larger piece of the
# picture, and there are more kinds of larger things to tell apart, so it needs more numbers to describe it.
#
# Look also at where the parameters are: nearly nine in ten of them in the last row. And only that row minds the size of the
# picture. The layers before it take any size that their kernels fit on.

# %% tags=["explore"]
network = [
    dict(kind="Conv2d", in_channels=1, out_channels=5, kernel_size=3, padding=1),
    dict(kind="MaxPool2d", kernel_size=2, stride=2),
    dict(kind="Conv2d", in_channels=5, out_channels=10, kernel_size=5),
    dict(kind="MaxPool2d", kernel_size=2, stride=2),
    dict(kind="Conv2d", in_channels=10, out_channels=20, kernel_size=2, stride=2),
    dict(kind="MaxPool2d", kernel_size=5, stride=2),
    dict(kind="Linear", in_features=2800, out_features=6),
]
rows = trace_shapes((1, 192, 256), network)
names = ["input", *(layer["kind"] for layer in network)]
print(f"{'layer':10} {'shape':>15} {'units':>8} {'weights':>8} {'biases':>7}")
for name, (shape, units, weights, biases) in zip(names, rows, strict=True):
    print(f"{name:10} {'×'.join(map(str, shape)):>15} {units:8} {weights:8} {biases:7}")
print("parameters:", sum(row[2] + row[3] for row in rows))
print("the first layer, if it were dense:", dense_parameters(rows[0][0], rows[1][0]))

# %% [markdown]
# ## Question: sliding
#
# First the clean mathematics, then the layer.
#
# **Convolution**, as mathematicians have it, is what happens when you multiply two polynomials, or add two dice. All
# pairs with the same sum of indices go into one pot:
#
# $$(x*w)[t]=\sum_a x[t-a]\,w[a],\qquad (x*w)[i,j]=\sum_{a,b}x[i-a,\,j-b]\,w[a,b].$$
#
# (For functions it is $\int f(z)\,g(x-z)\,dz$.) We keep every $t$ for which there is at least one term: $n+k-1$ of
# them, the *full* convolution. Multiply $(1+2z)(3+4z)=3+10z+8z^2$: convolving $(1,2)$ with $(3,4)$ gives $(3,10,8)$.
# Note the minus sign in the index. The kernel runs backwards over the signal, and this is what makes convolution
# commutative: $x*w=w*x$.
#
# **Cross-correlation** has a plus there, $\sum_{a,b} x[i+a,\,j+b]\,w[a,b]$, and so is the convolution with the kernel
# turned by 180°. It compares: it is large where the picture looks like the kernel. It is not commutative. Since a
# network learns its kernels it could learn them either way round, and everybody chose the way without the minus. We
# take only the places where the whole kernel lies on the picture: the *valid* ones.
#
# **The layer** does the second with $C$ channels in and $F$ filters. Filter $f$ looks at *all* channels at once and
# adds them up. (So even a kernel of 1×1 makes sense: it sees no neighbours, but it mixes the channels.) With stride
# $(s_h,s_w)$, and with $\tilde x$ for the picture after padding,
#
# $$h_{nfij}=b_f+\sum_{c=0}^{C-1}\ \sum_{a=0}^{k_h-1}\ \sum_{a'=0}^{k_w-1} w_{fcaa'}\;\tilde x_{n,\,c,\,s_h i+a,\,s_w j+a'}.$$
#
# Seven nested loops would do it and take for ever. A good plan is two loops over the *kernel*, $(a,a')$, which is small:
# for a fixed $(a,a')$, all the pixels that meet this weight form one regular slice of $\tilde x$, of the shape of the
# output. `np.einsum` or `@` does the rest. (`numpy.lib.stride_tricks` is allowed. Ready-made convolutions are not:
# no `np.convolve`, no `np.correlate`, no `np.polymul`, no `np.fft`.)


# %%
def convolve1d(x: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Give the full convolution Σ_a x[t−a] w[a], the kernel running backwards.

    x: n numbers.  w: k numbers.  Returns n+k−1 numbers.
    """
    ### BEGIN SOLUTION
    whole = np.zeros(len(x) + len(w) - 1)
    for a, weight in enumerate(w):
        whole[a : a + len(x)] += weight * x
    return whole
    ### END SOLUTION


def convolve2d(x: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Give the full convolution Σ_ab x[i−a, j−b] w[a, b] of one picture and one kernel.

    x: H×W.  w: kh×kw.  Returns (H+kh−1)×(W+kw−1).
    """
    ### BEGIN SOLUTION
    height, width = x.shape
    plane = np.zeros((height + w.shape[0] - 1, width + w.shape[1] - 1))
    for (a, b), weight in np.ndenumerate(w):
        plane[a : a + height, b : b + width] += weight * x
    return plane
    ### END SOLUTION


def correlate2d(x: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Give Σ_ab x[i+a, j+b] w[a, b] wherever the whole kernel lies on the picture.

    x: H×W.  w: kh×kw.  Returns (H−kh+1)×(W−kw+1).
    """
    ### BEGIN SOLUTION
    tall, wide = x.shape[0] - w.shape[0] + 1, x.shape[1] - w.shape[1] + 1
    slid = np.zeros((tall, wide))
    for (a, b), weight in np.ndenumerate(w):
        slid += weight * x[a : a + tall, b : b + wide]
    return slid
    ### END SOLUTION


def conv2d(
    x: np.ndarray,
    w: np.ndarray,
    b: np.ndarray,
    stride: tuple[int, int] = (1, 1),
    padding: tuple[int, int] = (0, 0),
) -> np.ndarray:
    """Apply a convolutional layer.

    x: N×C×H×W.  w: F×C×kh×kw.  b: F numbers.
    stride, padding: (vertical, horizontal); padding puts zeros on both ends of each axis.
    Returns h: N×F×H'×W', with the formula above.
    """
    ### BEGIN SOLUTION
    (down, across), (top, side) = stride, padding
    framed = np.pad(x, ((0, 0), (0, 0), (top, top), (side, side)))
    kh, kw = w.shape[2:]
    rows = (framed.shape[2] - kh) // down + 1
    cols = (framed.shape[3] - kw) // across + 1
    h = np.zeros((len(x), len(w), rows, cols)) + b[:, None, None]
    for i in range(kh):
        for j in range(kw):
            met = framed[:, :, i : i + down * rows : down, j : j + across * cols : across]
            h += np.einsum("nchw,fc->nfhw", met, w[:, :, i, j])
    return h
    ### END SOLUTION


# %%
check("conv")

# %% [markdown]
# Your layer at work. The upper row slides four kernels over a digit. The lower row slides them over the *moved* digit:
# each answer has moved along and is otherwise the same. (Put the digit on a grey ground, and the zero padding makes an
# exception at the edges.) This is **translation equivariance**, the property we asked for at the beginning. Replace the
# movement by `np.rot90`: only the answer of the blur turns with the picture, because its kernel turned by 90° is the same
# kernel. For the other three nothing of the kind holds.

# %% tags=["explore"]
bank = {
    "blur": np.ones((3, 3)) / 9,
    "left edges": np.array([[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]]) / 4,
    "upper edges": np.array([[-1, -2, -1], [0, 0, 0], [1, 2, 1]]) / 4,
    "corners": np.array([[-1, -1, 0], [-1, 2, 1], [0, 1, 0]]) / 2,
}
filters = np.stack(list(bank.values()))[:, None]  # F×C×kh×kw
still = np.pad(digits()[0][3], 4)
moved = np.roll(still, (2, -3), axis=(0, 1))

figure, panels = plt.subplots(2, 5, figsize=(11, 4.8))
for line, one in zip(panels, (still, moved), strict=True):
    answers = conv2d(one[None, None], filters, np.zeros(4), padding=(1, 1))[0]
    line[0].imshow(one, cmap="gray_r")
    for panel, name, answer in zip(line[1:], bank, answers, strict=True):
        panel.imshow(answer, cmap="RdBu", vmin=-2, vmax=2)
        panel.set_title(name)
for panel in panels.flat:
    panel.set_xticks([])
    panel.set_yticks([])
plt.show()

# %% [markdown]
# ## Question: the backward pass
#
# Training needs the gradient of the loss $L$ in the bias, in the weights and in the input, given
# $G=\partial L/\partial h$, the gradient that comes from above. Do not be afraid of the indices: there is one question
# to ask, three times. **Where did this number go in the forward pass?** For each place it went, it gets back what came
# from above, times what it was multiplied with. And it gets back the *sum* over all places.
#
# - A bias went to every output of its channel, times 1.
# - A weight went to every output of its channel, in every example, times the pixel that it met there.
# - A pixel went to every window that it lies in, and in each it met another weight.
#
# The three sums that say this are yours to write. Here they are in numbers, for a picture with a single row
# $x=(1,2,3)$, a single kernel $w=(4,5)$ and $G=(10,1)$:
#
# | stride, padding | windows | $\partial L/\partial b$ | $\partial L/\partial w$ | $\partial L/\partial x$ |
# |:--|:--|:-:|:-:|:-:|
# | 1, 0 | $(1,2)$ and $(2,3)$ | $11$ | $(12,\,23)$ | $(40,\,54,\,5)$ |
# | 2, 1 | $(0,1)$ and $(2,3)$ | $11$ | $(2,\,13)$ | $(50,\,4,\,5)$ |
#
# Find out where each number comes from, before you think of channels and of a second axis. In the second row the
# frame has two pixels of padding, and the stride leaves places out: what comes back to those?
#
# In the example by hand, the pixel in the middle, $x_{11}=1$, lies in four windows: it is the lower right of the
# first, where it met $-1$, and so on. So $\partial L/\partial x_{11}=-1\,G_{00}+0\,G_{01}+2\,G_{10}+1\,G_{11}$. One
# pixel feeds many windows, so contributions must be *added*; and with a stride, some pixels at the far edge feed none.
#
# The last of the three looks hard to program, because one has to find the windows of a pixel. Turn it round: run the very
# loops of the forward pass, and where the forward pass *read* a slice of $\tilde x$ and multiplied, now *add* to that
# same slice. In the end take the frame of zeros off again: nobody asked for the gradient of the padding.
#
# **How to know that it is right.** For fixed weights and no bias, $h$ is a linear function of $x$: there is some matrix
# $T$ with $h=Tx$. So $L$ changes by $G\cdot T\,\delta x=(T^{\mathsf T}G)\cdot\delta x$: the backward pass is
# multiplication by the *transpose*. And a transpose is known by one identity, for any $x$ and any $G$,
#
# $$\langle Tx,\,G\rangle=\langle x,\,T^{\mathsf T}G\rangle ,\qquad\text{that is}\qquad \sum h\odot G=\sum x\odot\frac{\partial L}{\partial x}.$$
#
# Two sums, two numbers: they agree up to the last few digits, or the code is wrong. (With whole numbers they agree
# exactly.) There is no small step $\epsilon$ to choose. The same holds for $w$, in which $h$ is linear too. Try it on
# your function before you run the checks; it is the best test of a backward pass there is. (No torch here: the point is to do without automatic derivatives, once.)


# %%
def conv2d_backward(
    G: np.ndarray,
    x: np.ndarray,
    w: np.ndarray,
    stride: tuple[int, int] = (1, 1),
    padding: tuple[int, int] = (0, 0),
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Give the gradients of a convolutional layer.

    G: N×F×H'×W', the gradient of the loss in the output.  x: N×C×H×W and w: F×C×kh×kw
    are what the forward pass was given, with the same stride and padding.
    Returns (dx, dw, db), each of the shape of what it is the gradient in; db: F numbers.
    """
    ### BEGIN SOLUTION
    (down, across), (top, side) = stride, padding
    frame = np.pad(x, ((0, 0), (0, 0), (top, top), (side, side)))
    (rows, cols), (kh, kw) = G.shape[2:], w.shape[2:]
    dframe, dw = np.zeros(frame.shape), np.zeros(w.shape)
    for i in range(kh):
        for j in range(kw):
            tall = slice(i, i + down * rows, down)
            wide = slice(j, j + across * cols, across)
            dw[:, :, i, j] = np.einsum("nfhw,nchw->fc", G, frame[:, :, tall, wide])
            dframe[:, :, tall, wide] += np.einsum("nfhw,fc->nchw", G, w[:, :, i, j])
    dx = dframe[:, :, top : top + x.shape[2], side : side + x.shape[3]]
    return dx, dw, G.sum(axis=(0, 2, 3))
    ### END SOLUTION


# %%
check("backward")

# %% [markdown]
# To compare with, now that yours passes:
#
# $$\frac{\partial L}{\partial b_f}=\sum_{n,i,j}G_{nfij},\qquad
# \frac{\partial L}{\partial w_{fcaa'}}=\sum_{n,i,j}G_{nfij}\;\tilde x_{n,\,c,\,s_hi+a,\,s_wj+a'},\qquad
# \frac{\partial L}{\partial\tilde x_{ncuv}}=\sum_{f}\ \sum_{\substack{i,a:\ s_hi+a=u\\ j,a':\ s_wj+a'=v}}G_{nfij}\;w_{fcaa'}.$$
#
# ## Question: pooling
#
# A map of responses says where the feature is, to the pixel. Often that is more than one wants to know. *Pooling* puts
# a window on each channel, by itself, and keeps one number: the largest (max pooling) or the mean (average pooling). It
# has no parameters. With a stride of 2, it also leaves a quarter of the numbers, and every later kernel sees twice as
# far.
#
# What does it buy? If the strongest response moves by a pixel *and stays in its window*, the maximum does not change.
# If it crosses into the next window, the output changes. So pooling makes the network indifferent to **some small
# shifts**, some of the time, and to nothing else. (One reads that it makes it invariant to rotation and scale. Turn a
# picture of 4×4 by 90° and pool it by 2×2: you get the turned result, not the same one.)
#
# **Backward.** The maximum of a window *is* one of its pixels. That pixel gets the whole gradient of that output and
# the others get nothing: had they been a little larger, nothing would have changed. So the forward pass writes down
# *where* each maximum came from, and the backward pass is delivery by address. When windows overlap, one pixel can win
# several, and is paid by each. When pixels tie, exactly one of them wins: the **first**, reading the window row by row.
# The mean, in contrast, went to all pixels of its window in equal parts; so does its gradient.
#
# By hand, windows of 2×2 with stride 1 on $\begin{pmatrix}1&5&2\\0&3&4\end{pmatrix}$: the maxima are $(5,5)$, both from
# the pixel in row 0, column 1. As an address in the flattened $H\times W$ picture that is $0\cdot3+1=1$, twice. If
# $G=(10,20)$, this pixel gets 30.


# %%
def max_pool(
    x: np.ndarray, size: tuple[int, int], stride: tuple[int, int]
) -> tuple[np.ndarray, np.ndarray]:
    """Take the maximum of every window of every channel, and remember where it was.

    x: N×C×H×W.  size, stride: (vertical, horizontal). Windows that do not fit are left out.
    Returns (out, where), both N×C×H'×W'. where holds integers: the maximum came from row i,
    column j of its H×W picture, and where = i·W + j. Ties go to the first, row by row.
    """
    ### BEGIN SOLUTION
    windows = np.lib.stride_tricks.sliding_window_view(x, size, axis=(2, 3))
    windows = windows[:, :, :: stride[0], :: stride[1]]
    rows, cols = windows.shape[2:4]
    flat = windows.reshape(*windows.shape[:4], -1)
    best = flat.argmax(axis=-1)
    i = np.arange(rows)[:, None] * stride[0] + best // size[1]
    j = np.arange(cols) * stride[1] + best % size[1]
    return flat.max(axis=-1), i * x.shape[3] + j
    ### END SOLUTION


def max_pool_backward(
    G: np.ndarray, where: np.ndarray, shape: tuple[int, int, int, int]
) -> np.ndarray:
    """Send each output's gradient to the pixel that its maximum came from.

    G and where: N×C×H'×W', where as max_pool gives it.  shape: (N, C, H, W) of the input.
    Returns dx: N×C×H×W.
    """
    ### BEGIN SOLUTION
    N, C, H, W = shape
    dx = np.zeros((N * C, H * W))
    maps, paid = np.arange(N * C)[:, None], G.reshape(N * C, -1)
    np.add.at(dx, (maps, where.reshape(N * C, -1)), paid)
    return dx.reshape(shape)
    ### END SOLUTION


def avg_pool(x: np.ndarray, size: tuple[int, int], stride: tuple[int, int]) -> np.ndarray:
    """Take the mean of every window of every channel.

    x: N×C×H×W.  size, stride: (vertical, horizontal). Windows that do not fit are left out.
    Returns N×C×H'×W'.
    """
    ### BEGIN SOLUTION
    seen = np.lib.stride_tricks.sliding_window_view(x, size, axis=(2, 3))
    return seen[:, :, :: stride[0], :: stride[1]].mean(axis=(-2, -1))
    ### END SOLUTION


def avg_pool_backward(
    G: np.ndarray,
    shape: tuple[int, int, int, int],
    size: tuple[int, int],
    stride: tuple[int, int],
) -> np.ndarray:
    """Spread each output's gradient in equal parts over its window.

    G: N×C×H'×W'.  shape: (N, C, H, W) of the input.  size, stride: as in the forward pass.
    Returns dx: N×C×H×W.
    """
    ### BEGIN SOLUTION
    spread = np.zeros(shape)
    rows, cols = G.shape[2:]
    for i in range(size[0]):
        for j in range(size[1]):
            down = slice(i, i + stride[0] * rows, stride[0])
            right = slice(j, j + stride[1] * cols, stride[1])
            spread[:, :, down, right] += G / (size[0] * size[1])
    return spread
    ### END SOLUTION


# %%
check("pooling")

# %% [markdown]
# How much indifference does pooling really buy? Move a digit by $0, 1, 2, \dots$ pixels and see how much its edge map
# changes, relative to its own size: plain, after pooling by 2, and after pooling by 4. A value of 1 would mean
# that the change is as large as the map itself. Pooling lowers the curve for small shifts. It does not make it flat.

# %% tags=["explore"]
wide = np.pad(digits()[0][:200], ((0, 0), (4, 4), (4, 4)))[:, None]
edge = np.array([[-1.0, 0, 1], [-2, 0, 2], [-1, 0, 1]])[None, None] / 4


def edges(images: np.ndarray) -> np.ndarray:
    """Give the edge maps of a batch, after a ReLU."""
    return np.maximum(0, conv2d(images, edge, np.zeros(1), padding=(1, 1)))


plt.figure(figsize=(6.5, 4))
for pool in (1, 2, 4):
    base = max_pool(edges(wide), (pool, pool), (pool, pool))[0]
    change = []
    for shift in range(5):
        other = max_pool(edges(np.roll(wide, shift, axis=3)), (pool, pool), (pool, pool))[0]
        change.append(np.linalg.norm(other - base) / np.linalg.norm(base))
    plt.plot(range(5), change, "o-", label=f"pooling {pool}×{pool}" if pool > 1 else "none")
plt.xticks(range(5))
plt.xlabel("shift in pixels")
plt.ylabel("relative change of the map")
plt.legend()
plt.show()

# %% [markdown]
# ## Question: batch normalisation
#
# Stack ten layers, and the size of the numbers in the last is the product of what the first nine did to it. *Batch
# normalisation* takes the size in hand. For each channel, it takes all $m=N\cdot H\cdot W$ numbers that the batch has
# in this channel, and computes
#
# $$\mu=\frac1m\sum x,\qquad v=\frac1m\sum(x-\mu)^2,\qquad \hat x=\frac{x-\mu}{\sqrt{v+\varepsilon}},\qquad y=\gamma\,\hat x+\beta .$$
#
# $\gamma$ and $\beta$ are learnt, one of each per channel: the network may choose any mean and any scale, but it
# chooses them in two numbers instead of through all its weights. The $\varepsilon$ stands *inside* the root and keeps
# it from 0. So the variance of $\hat x$ is $v/(v+\varepsilon)$: a little below 1, and well below it for a channel that
# hardly varies.
#
# A consequence: add a constant to the whole channel, be it $10^9$, and $\mu$ takes it out again, up to the rounding of
# float64. A bias just before a batch normalisation does nothing at all, so it is left out; $\beta$ does its work. Another:
# with $\varepsilon=0$ the unit of the numbers is lost as well, and $10^{-8}x$ gives the same $y$ as $x$.
#
# **Two modes.** In training, $\mu$ and $v$ come from the batch, so the output for one image depends on the company it
# is in. That is a random disturbance, and acts as a regulariser. How much of it there is depends on $m$, the numbers that
# are pooled: two images of $32\times32$ pixels give 2048 and good estimates; two images of one pixel, as behind a last
# pooling, give 2, and the estimates are hardly better than guesses. The full batch has none. But when the network is
# *used*, an answer must not depend on who else is asking. So training also keeps running estimates, with a *momentum*
# $\rho$ like $0.1$ (torch's name for it; it has nothing to do with the momentum of an optimiser),
#
# $$\text{running}\leftarrow(1-\rho)\,\text{running}+\rho\,\text{batch},$$
#
# and evaluation uses these in place of $\mu$ and $v$. The running variance is an estimate for *other* data, so it takes
# the unbiased one, $\frac{1}{m-1}\sum(x-\mu)^2$, while the forward pass divides by $m$. A model that is left in the
# wrong mode is among the most common bugs there are.
#
# **Backward.** Fix a channel, write $s=\sqrt{v+\varepsilon}$ and $g=\gamma\,\partial L/\partial y$ for the gradient in
# $\hat x$. Moving one $x$ moves $\hat x$ directly, and also through $\mu$ and through $v$, which belong to all $m$
# numbers. A small change $\delta$ of the $x$'s gives $\delta\mu=\overline{\delta}$ and
# $\delta v=\frac2m\sum(x-\mu)\,\delta=2s\,\overline{\hat x\delta}$, with a bar for the mean over the $m$ numbers. So
#
# $$\delta\hat x=\frac{\delta-\delta\mu}{s}-\frac{(x-\mu)\,\delta v}{2s^3}=\frac1s\Bigl(\delta-\overline{\delta}-\hat x\;\overline{\hat x\delta}\Bigr).$$
#
# The change of the loss is $\sum g\,\delta\hat x$, and the gradient in $x$ is whatever stands beside $\delta$ once you have
# written this as $\sum(\dots)\,\delta$. Do it: both sums with a bar can be turned round, for
# $\sum g\,\overline\delta=\sum\overline g\,\delta$. You will get three terms. A case to hold them to: four numbers
# $x=(0,0,2,2)$ and $\varepsilon=0$ have $\mu=1$, $s=1$ and $\hat x=(-1,-1,1,1)$; for $g=(1,0,0,0)$ the gradient in $x$ is
# $(\tfrac12,-\tfrac12,0,0)$. The gradients in $\gamma$ and $\beta$ are sums of what you know already.
#
# Of the three terms, the first is what everybody writes. The other two are what everybody forgets.


# %%
def batch_norm_train(
    x: np.ndarray,
    gamma: np.ndarray,
    beta: np.ndarray,
    running_mean: np.ndarray,
    running_var: np.ndarray,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Normalise each channel by the batch's own statistics, and update the running ones.

    x: N×C×H×W, with m = N·H·W at least 2: one number has no variance to learn from.
    gamma, beta, running_mean, running_var: C numbers each.
    Returns (y: N×C×H×W, the new running mean: C numbers, the new running variance: C).
    The arrays that were passed in stay as they were.
    """
    ### BEGIN SOLUTION
    m = x.size / x.shape[1]
    mean, var = x.mean(axis=(0, 2, 3)), x.var(axis=(0, 2, 3))
    normal = (x - mean[:, None, None]) / np.sqrt(var + eps)[:, None, None]
    y = gamma[:, None, None] * normal + beta[:, None, None]
    new_mean = (1 - momentum) * running_mean + momentum * mean
    new_var = (1 - momentum) * running_var + momentum * var * m / (m - 1)
    return y, new_mean, new_var
    ### END SOLUTION


def batch_norm_eval(
    x: np.ndarray,
    gamma: np.ndarray,
    beta: np.ndarray,
    running_mean: np.ndarray,
    running_var: np.ndarray,
    eps: float = 1e-5,
) -> np.ndarray:
    """Normalise each channel by the running statistics.

    x: N×C×H×W; the others C numbers each.  Returns N×C×H×W.
    """
    ### BEGIN SOLUTION
    fixed = gamma / np.sqrt(running_var + eps)
    return fixed[:, None, None] * (x - running_mean[:, None, None]) + beta[:, None, None]
    ### END SOLUTION


def batch_norm_backward(
    G: np.ndarray, x: np.ndarray, gamma: np.ndarray, eps: float = 1e-5
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Give the gradients of batch_norm_train's y.

    G: N×C×H×W, the gradient of the loss in y.  x, gamma, eps: as in the forward pass.
    Returns (dx: N×C×H×W, dgamma: C numbers, dbeta: C numbers).
    """
    ### BEGIN SOLUTION
    axes = (0, 2, 3)
    s = np.sqrt(x.var(axis=axes, keepdims=True) + eps)
    hat = (x - x.mean(axis=axes, keepdims=True)) / s
    g = G * gamma[:, None, None]
    through_mean = g.mean(axis=axes, keepdims=True)
    through_var = hat * (g * hat).mean(axis=axes, keepdims=True)
    return (g - through_mean - through_var) / s, (G * hat).sum(axis=axes), G.sum(axis=axes)
    ### END SOLUTION


# %%
check("batchnorm")

# %% [markdown]
# To compare with, now that yours passes. The map from $\delta$ to $\delta\hat x$ is its own transpose, so the gradient is
# the same map, applied to $g$:
#
# $$\frac{\partial L}{\partial x}=\frac1s\Bigl(g-\overline{g}-\hat x\;\overline{\hat xg}\Bigr),\qquad
# \frac{\partial L}{\partial\gamma}=\sum\frac{\partial L}{\partial y}\,\hat x,\qquad
# \frac{\partial L}{\partial\beta}=\sum\frac{\partial L}{\partial y}.$$
#
# The noise that a batch brings, made visible. One and the same image goes through `batch_norm_train` in the company of
# 200 different random batches; the histograms show what becomes of one of its pixels. The red line is the answer of
# `batch_norm_eval`, which does not know the company. Small batches scatter most: here is the regulariser, and here
# is why an image that is *evaluated* alone in training mode gets nonsense.

# %% tags=["explore"]
crowd, rng = digits()[0][:, None], np.random.default_rng(0)
one, scale, zero = crowd[7:8], np.ones(1), np.zeros(1)
fixed = batch_norm_eval(one, scale, zero, scale * crowd.mean(), scale * crowd.var())

figure, panels = plt.subplots(1, 3, figsize=(11, 3), sharex=True)
for panel, company in zip(panels, (2, 16, 64), strict=True):
    values = []
    for _ in range(200):
        others = crowd[rng.choice(len(crowd), company - 1, replace=False)]
        batch = np.concatenate([one, others])
        values.append(batch_norm_train(batch, scale, zero, zero, scale)[0][0, 0, 3, 3])
    panel.hist(values, bins=20, color="tab:blue")
    panel.axvline(fixed[0, 0, 3, 3], color="tab:red")
    panel.set_title(f"batches of {company}")
plt.show()

# %% [markdown]
# ## Question: a LeNet, and what it believes
#
# Time to let it learn. The data are real handwritten digits of 8×8 pixels, each put at a random place of an empty
# picture of 12×12. Where the digit lies says nothing about which digit it is: we know that, because we put it there.

# %% tags=["explore"]
pictures, written, places = wandering(np.random.default_rng(0), 16)
figure, panels = plt.subplots(2, 8, figsize=(11, 3))
for panel, picture, digit in zip(panels.flat, pictures, written, strict=True):
    panel.imshow(picture, cmap="gray_r")
    panel.set_title(int(digit))
    panel.set_xticks([])
    panel.set_yticks([])
plt.show()

# %% [markdown]
# **The network** is a small relative of LeNet, which read postal codes in 1989 and cheques soon after. In torch, layers
# are objects that own their parameters. Yours has four, under these names:
#
# | | layer | gives |
# |:--|:--|:-:|
# | `conv1` | convolution to 8 channels, 3×3, padding 1; then ReLU, then max pooling 2×2 | 8×6×6 |
# | `conv2` | convolution to 16 channels, 3×3, padding 1; then ReLU, then max pooling 2×2 | 16×3×3 |
# | `fc1` | linear, to 64; then ReLU | 64 |
# | `fc2` | linear, to 10 scores (no softmax: the loss does that) | 10 |
#
# Nobody engineers the kernels. They start as random numbers and are learnt, like all weights. What comes out is much
# the same in all networks for pictures: the first layer finds edges and blobs, the next ones simple shapes made of
# edges, the deep ones parts and objects made of shapes.
#
# **Training.** An epoch visits every example once, in a new random order, in batches; the last batch may be smaller.
# For each batch: forget the old gradients, compute the mean cross-entropy, go backward, step. The optimiser is
# `torch.optim.Adam`, gradient descent with a step size of its own for every weight.
#
# **Device.** A model lives where its parameters live, `"cpu"` or `"cuda"`. Hand the `device` on to every layer you
# make, and create no tensor without saying where; then the same code runs on a GPU.
#
# **The experiment.** Now take away what the network believes. Draw one permutation of the 144 pixels and apply it to
# *all* pictures, those for training and those for testing: new pixel $j$ is old pixel `order[j]`. No information is
# lost; the permutation could be undone. To a multi-layer perceptron it makes no difference whatsoever. Permute the
# columns of its first weight matrix likewise and you have the same function, so what it can learn from one it can learn
# from the other, and it has no idea which pixels were neighbours to begin with. A convolutional network has. Train
# both kinds of network on both kinds of pictures: four trainings, four test results. Write down your guess first.
#
# Do it fairly. The permuted test needs a model trained on permuted pictures, a *new* one; and both sets must be
# permuted by the same `order`.


# %%
def make_mlp(device: torch.device | str | None = None) -> nn.Module:
    """Make the perceptron to compare with: 144 pixels, 64 hidden units, 10 scores."""
    return nn.Sequential(
        nn.Flatten(),
        nn.Linear(144, 64, device=device),
        nn.ReLU(),
        nn.Linear(64, 10, device=device),
    )


class LeNet(nn.Module):
    """The network of the table: conv1, conv2, fc1, fc2."""

    def __init__(self, device: torch.device | str | None = None) -> None:
        """Make the four layers on the device. The parameters start as torch starts them:
        at random, and every LeNet has its own.
        """
        super().__init__()
        ### BEGIN SOLUTION
        self.conv1 = nn.Conv2d(1, 8, kernel_size=3, padding=1, device=device)
        self.conv2 = nn.Conv2d(8, 16, kernel_size=3, padding=1, device=device)
        self.fc1 = nn.Linear(16 * 3 * 3, 64, device=device)
        self.fc2 = nn.Linear(64, 10, device=device)
        ### END SOLUTION

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        """Give 10 scores for each image.  images: N×1×12×12.  Returns N×10."""
        ### BEGIN SOLUTION
        maps = torch.max_pool2d(torch.relu(self.conv1(images)), 2)
        maps = torch.max_pool2d(torch.relu(self.conv2(maps)), 2)
        return self.fc2(torch.relu(self.fc1(maps.flatten(1))))
        ### END SOLUTION


def fit(
    model: nn.Module,
    images: torch.Tensor,
    labels: torch.Tensor,
    epochs: int,
    batch_size: int,
    rate: float,
    rng: np.random.Generator,
) -> list[float]:
    """Train a model with torch.optim.Adam(…, lr=rate) on the mean cross-entropy of batches.

    images: N×1×H×W and labels: N integers (int64), on the model's device.
    Each epoch visits every example once, in a new order drawn from rng, by whichever of its
    methods. Meanwhile the model is in training mode, whichever it was in; in which one it
    is left is up to you. The training begins with the model as it is, its weights and its
    running statistics. But gradients that it still has are forgotten, and each call has an
    optimiser of its own.
    Returns the loss of every step, in order, as floats.
    """
    ### BEGIN SOLUTION
    optimiser = torch.optim.Adam(model.parameters(), lr=rate)
    losses = []
    model.train()
    for _ in range(epochs):
        shuffled = torch.as_tensor(rng.permutation(len(images)), device=images.device)
        for batch in shuffled.split(batch_size):
            optimiser.zero_grad()
            loss = nn.functional.cross_entropy(model(images[batch]), labels[batch])
            loss.backward()
            optimiser.step()
            losses.append(loss.item())
    return losses
    ### END SOLUTION


def predict(model: nn.Module, images: torch.Tensor) -> torch.Tensor:
    """Give the class with the highest score for each image, in evaluation mode.

    Whichever mode the model was in; in which one it is left is up to you. No gradients are
    recorded.  images: N×1×H×W.  Returns N integers, on the same device.
    """
    ### BEGIN SOLUTION
    model.eval()
    with torch.no_grad():
        return model(images).argmax(dim=1)
    ### END SOLUTION


def permute_pixels(images: torch.Tensor, order: np.ndarray) -> torch.Tensor:
    """Apply one permutation of the pixels to all images: new pixel j is old pixel order[j].

    images: N×1×H×W.  order: a permutation of 0 … H·W−1, counting row by row.
    Returns N×1×H×W.
    """
    ### BEGIN SOLUTION
    index = torch.as_tensor(order, device=images.device)
    return images.flatten(1)[:, index].reshape(images.shape)
    ### END SOLUTION


def pixel_control(
    images: torch.Tensor,
    labels: torch.Tensor,
    test_images: torch.Tensor,
    order: np.ndarray,
    epochs: int,
    rng: np.random.Generator,
) -> dict[str, torch.Tensor]:
    """Train both kinds of network on plain and on permuted pictures, and predict.

    images: N×1×12×12 and labels: N integers, to train on.  test_images: M×1×12×12, plain.
    Every training uses a new model on the device of images, batches of 20, rate 0.004. In
    which order the four are done is up to you.
    Returns M predicted digits under each of the keys
        "lenet", "lenet_permuted", "mlp", "mlp_permuted".
    """
    ### BEGIN SOLUTION
    found = {}
    for name, make in (("lenet", LeNet), ("mlp", make_mlp)):
        for suffix in ("", "_permuted"):
            seen, asked = images, test_images
            if suffix:
                seen, asked = permute_pixels(seen, order), permute_pixels(asked, order)
            model = make(device=images.device)
            fit(model, seen, labels, epochs, 20, 0.004, rng)
            found[name + suffix] = predict(model, asked)
    return found
    ### END SOLUTION


# %%
check("lenet")

# %% [markdown]
# Run it, with your guess in mind. It takes about five seconds; with `quick = True`, two. (The pictures are shifted and
# scaled to mean 0 and standard deviation 1 beforehand; without that, the first epoch is mostly spent on finding the
# right size of the weights.)

# %% tags=["explore"]
quick = False
torch.manual_seed(1)
rng = np.random.default_rng(1)
pictures, written, places = wandering(rng, 1797)
inputs = torch.as_tensor(pictures, dtype=torch.float32)[:, None]
inputs = (inputs - inputs.mean()) / inputs.std()
truth = torch.as_tensor(written)
order = rng.permutation(144)
epochs = 4 if quick else 12
guesses = pixel_control(inputs[:1300], truth[:1300], inputs[1300:], order, epochs, rng)

rights = {name: (guess == truth[1300:]).double().mean() for name, guess in guesses.items()}
figure, panels = plt.subplots(
    1, 2, figsize=(10, 3.4), width_ratios=[1, 2], layout="constrained"
)
panels[0].imshow(permute_pixels(inputs[:1], order)[0, 0], cmap="gray_r")
panels[0].set_title(f"a permuted {written[0]}")
colours = ["tab:blue", "tab:blue", "0.6", "0.6"]
bars = panels[1].barh(list(rights), list(rights.values()), color=colours)
panels[1].bar_label(bars, fmt="%.2f")
panels[1].axvline(0.1, color="black", linestyle=":")
panels[1].set(xlim=(0, 1), title="right on the test (dotted: by chance)")
panels[1].invert_yaxis()
plt.show()

# %% [markdown]
# The perceptron does not care. The convolutional network loses its lead and more: on pictures without neighbourhoods,
# its two beliefs are false, and a false belief is worse than none. Nothing about convolution is good in
# itself. It is good *for pictures*, because pictures are made that way. This is what is meant by an **inductive
# bias**, and choosing one that fits the data is most of the art.
#
# Now look inside a trained network: its eight kernels, and what they respond to in one digit. What do you recognise?

# %% tags=["explore"]
torch.manual_seed(2)
trained = LeNet()
history = fit(trained, inputs[:1300], truth[:1300], 3 if quick else 10, 20, 0.004, rng)
kernels = trained.conv1.weight.detach()[:, 0]
maps = torch.relu(trained.conv1(inputs[:1])).detach()[0]

figure, panels = plt.subplots(2, 8, figsize=(11, 3))
for place in range(8):
    panels[0, place].imshow(kernels[place], cmap="RdBu", vmin=-1, vmax=1)
    panels[1, place].imshow(maps[place], cmap="gray_r")
for panel in panels.flat:
    panel.set_xticks([])
    panel.set_yticks([])
panels[0, 0].set_ylabel("kernel")
panels[1, 0].set_ylabel("response")
plt.show()
plt.figure(figsize=(6, 3))
plt.semilogy(history, linewidth=0.6)
plt.xlabel("step")
plt.ylabel("loss of the batch")
plt.show()

# %% [markdown]
# **And batch normalisation, in a network that learns?** Four convolutions in a row, with and without it, each trained at
# three rates. A rate is something one *chooses*, and whoever chooses by the test set has no test set left. So 300 of the
# 1300 pictures are put aside as a **validation** set: they choose the rate, and the test set is asked once, at the end.
# Note where the normalisation stands (before the activation), and that the convolution before it has no bias. You know
# why. What does it buy: a better network at the best rate, or more rates at which it works at all?


# %% tags=["explore"]
def make_deep(normalised: bool) -> nn.Module:
    """Make four convolutions and a linear layer, with batch normalisation or without."""
    parts = []
    for place in range(4):
        parts.append(nn.Conv2d(8 if place else 1, 8, 3, padding=1, bias=not normalised))
        parts += [nn.BatchNorm2d(8)] if normalised else []
        parts += [nn.ReLU(), nn.MaxPool2d(2)] if place % 2 else [nn.ReLU()]
    return nn.Sequential(*parts, nn.Flatten(), nn.Linear(72, 10))


rates, curves, best = (0.002, 0.01, 0.05), {}, {}
for name, normalised in (("plain", False), ("batch norm", True)):
    for rate in rates:
        torch.manual_seed(3)
        model = make_deep(normalised)
        fit(model, inputs[:1000], truth[:1000], 2 if quick else 4, 20, rate, rng)
        known = (predict(model, inputs[1000:1300]) == truth[1000:1300]).double().mean()
        curves.setdefault(name, []).append(known.item())
        if known >= best.get(name, (0.0,))[0]:
            best[name] = known.item(), rate, model

plt.figure(figsize=(6, 3))
for name, known in curves.items():
    plt.semilogx(rates, known, "o-", label=name)
    rate, model = best[name][1:]
    right = (predict(model, inputs[1300:]) == truth[1300:]).double().mean()
    print(f"{name}: validation chose the rate {rate}; right on the test: {right:.2f}")
plt.xticks(rates, rates)
plt.minorticks_off()
plt.xlabel("rate")
plt.ylabel("right on the validation set")
plt.ylim(0, 1)
plt.legend()
plt.show()

# %% [markdown]
# ## Question: ten short questions
#
# Answer each with one of the words in quotation marks, or with a number. Most are short calculations; your own functions
# may help.
#
# 1. `unshared`. A layer looks at a picture of 1×12×12 through windows of 3×3 and gives 4 maps of 10×10. It keeps locality
#    but gives up sharing: every output has weights and a bias of its own. How many parameters has it?
# 2. `budget`. A convolution takes 16 channels to 16 channels, on maps of 32×32. After a pooling the maps are 16×16. How
#    many channels may a convolution there take in and give out (equally many), for the same number of multiplications?
#    Both have kernels of 3×3 and a padding of 1.
# 3. `sees`. Convolutions of 3×3, with a max pooling of 2×2 (stride 2) between each and the next. A unit after the first sees
#    three pixels: an edge, and no more. Find the first convolution whose units see a whole eye, 16 pixels wide. How many
#    pixels wide is the piece of the picture that such a unit sees? (The width, not the number of the convolution.)
# 4. `nudge`. A feature map has 6 columns. One pixel is 1 and all others are 0; it lies in a column drawn from the first
#    five, each with the same probability. Then it moves by one pixel to the right. With which probability does the output
#    of max pooling (2×2, stride 2) change?
# 5. `bottleneck`. Instead of a convolution 3×3 from 64 to 64 channels, a network has one of 1×1 from 64 to 16, and one of
#    3×3 from 16 to 64. Which fraction of the weights is left? (Biases do not count. Three decimals are enough.)
# 6. `noise`. A batch normalisation stands where the maps are 4×4. Suppose that all its numbers were independent, with
#    variance $\sigma^2$. How many images must a batch have for the standard deviation of its mean to be $\sigma/16$?
# 7. `company`. A network with batch normalisation reaches 0.98 on its training set. The very same trained network is
#    tested on the very same test images, several times:
#
#    | images tested at a time | 500 | 50 | 5 | 1 |
#    |:--|:-:|:-:|:-:|:-:|
#    | right | 0.97 | 0.96 | 0.81 | 0.10 |
#
#    What is wrong? `"overfitting"`: it learnt the training set by heart. `"mode"`: it is still training. `"rate"`: the
#    steps were too large. `"leak"`: test images were in the training set.
# 8. `monday`. On Monday somebody changed the program that reads the pictures from disk. Validation accuracy,
#    before and after, each trained anew:
#
#    | | Friday | Monday |
#    |:--|:-:|:-:|
#    | convolutional network | 0.89 | 0.47 |
#    | multi-layer perceptron | 0.71 | 0.71 |
#
#    What did the change do? It mixed up the `"labels"`, it brings the pixels in another `"order"`, it `"dims"`
#    all pictures to black, or it `"mirrors"` all of them.
# 9. `features`. The network of the 192×256 table is to read pictures of 208×256. All layers but the last take them as
#    they are. Which `in_features` must the last have?
# 10. `running`. A running mean begins at 0, with $\rho=0.1$. Every batch has the mean 5 in this channel. After how many
#     batches is the running mean above 4.5 for the first time?

# %%
concept_answers = {
    "unshared": None,  # a number
    "budget": None,  # a number
    "sees": None,  # a number
    "nudge": None,  # a number
    "bottleneck": None,  # a number
    "noise": None,  # a number
    "company": None,  # "overfitting", "mode", "rate" or "leak"
    "monday": None,  # "labels", "order", "dims" or "mirrors"
    "features": None,  # a number
    "running": None,  # a number
}
### BEGIN SOLUTION
concept_answers.update(
    unshared=4000,
    budget=32,
    sees=18,
    nudge=0.4,
    bottleneck=0.278,
    noise=16,
    company="mode",
    monday="order",
    features=3080,
    running=22,
)
### END SOLUTION

# %%
check("concepts")

# %% [markdown]
# That was the core. What follows is extra: each part stands alone, in any order.
#
# ## Extra: convolution is a matrix
#
# A convolution is linear, so it *is* a matrix; one may write it down. Flatten the picture to a column (channel by
# channel, row by row, as `x.ravel()` does) and the output likewise. Then $h = Tx$, where row $(f,i,j)$ of $T$ holds the
# kernel of filter $f$, put where the window $(i,j)$ lies, and zeros elsewhere (no bias here). For a signal in one
# dimension each row is the one above, moved by one: a *Toeplitz* matrix.
#
# Look at $T$ as a dense layer, and the two thoughts of the beginning are there to be seen: *locality* is its zeros,
# *sharing* is that the same few numbers stand in every row. And its transpose is the backward pass.
#
# In practice one goes the other way. **im2col** copies every window of the picture into a column, so that the
# convolution becomes one product of ordinary matrices, which computers are very fast at:
# $h_n = w_{\text{flat}}\cdot\operatorname{cols}_n$ with $w_{\text{flat}}$ of shape $F\times(C\,k_hk_w)$. Pixels are
# copied many times; that is the price.
#
# A special case looks odd at first: a kernel of **1×1**. It sees a single pixel, but all its channels. It is a small
# dense layer, the same for all pixels, and the cheap way to change the number of channels. By itself it is affine; only
# the activation after it makes it more than that.
#
# (As before: write it yourself, without torch.)


# %%
def im2col(
    x: np.ndarray,
    size: tuple[int, int],
    stride: tuple[int, int] = (1, 1),
    padding: tuple[int, int] = (0, 0),
) -> np.ndarray:
    """Copy every window into a column.

    x: N×C×H×W.  size, stride, padding: (vertical, horizontal).
    Returns N×(C·kh·kw)×(H'·W'). Down a column: channel by channel, and row by row in each.
    The columns are the windows, row by row.
    """
    ### BEGIN SOLUTION
    edged = np.pad(x, ((0, 0), (0, 0), (padding[0],) * 2, (padding[1],) * 2))
    views = np.lib.stride_tricks.sliding_window_view(edged, size, axis=(2, 3))
    views = views[:, :, :: stride[0], :: stride[1]]
    depth = x.shape[1] * size[0] * size[1]
    return views.transpose(0, 1, 4, 5, 2, 3).reshape(len(x), depth, -1)
    ### END SOLUTION


def conv_matrix(
    w: np.ndarray,
    shape: tuple[int, int, int],
    stride: tuple[int, int] = (1, 1),
    padding: tuple[int, int] = (0, 0),
) -> np.ndarray:
    """Write a convolution without bias as a matrix T: h.ravel() = T @ x.ravel().

    w: F×C×kh×kw.  shape: (C, H, W) of one image x.  Returns (F·H'·W')×(C·H·W).
    """
    ### BEGIN SOLUTION
    C, H, W = shape
    F, _, kh, kw = w.shape
    rows = (H + 2 * padding[0] - kh) // stride[0] + 1
    cols = (W + 2 * padding[1] - kw) // stride[1] + 1
    T = np.zeros((F, rows, cols, C, H, W))
    for i, j, a, b in np.ndindex(rows, cols, kh, kw):
        u, v = stride[0] * i + a - padding[0], stride[1] * j + b - padding[1]
        if 0 <= u < H and 0 <= v < W:
            T[:, i, j, :, u, v] = w[:, :, a, b]
    return T.reshape(F * rows * cols, C * H * W)
    ### END SOLUTION


def pointwise(x: np.ndarray, w: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Apply a 1×1 convolution: the same affine map of the channels at every pixel.

    x: N×C×H×W.  w: F×C.  b: F numbers.  Returns N×F×H×W.
    """
    ### BEGIN SOLUTION
    return np.einsum("fc,nchw->nfhw", w, x) + b[:, None, None]
    ### END SOLUTION


# %%
check("matrix")

# %% [markdown]
# The matrix of a 3×3 kernel on a picture of 6×7, as a dense layer would have to learn it. Count the colours.

# %% tags=["explore"]
drawn = conv_matrix(np.arange(1.0, 10).reshape(1, 1, 3, 3), (1, 6, 7))
plt.figure(figsize=(7, 4))
plt.imshow(np.where(drawn == 0, np.nan, drawn), cmap="viridis")
different = np.unique(drawn[drawn > 0]).size
plt.title(f"{drawn.shape[0]}×{drawn.shape[1]} weights, {different} different ones")
plt.colorbar()
plt.show()

# %% [markdown]
# ## Extra: text, dilation and the receptive field
#
# A sentence is a picture with one axis: $T$ words, each a vector of $D$ numbers (its *embedding*) where a pixel had
# channels. A kernel of width $k$ looks at $k$ words in a row, all $D$ numbers of each. It responds to a phrase,
# wherever it stands. With stride $s$ and dilation $d$,
#
# $$h_{tf}=b_f+\sum_{a=0}^{k-1}\ \sum_{c=1}^{D}W_{fac}\;X_{st+da,\,c}.$$
#
# Mind the difference. The *stride* is the step from one window to the next. The *dilation* is the step from one word to the
# next inside a window; the windows themselves may still step by one. Sentences have different lengths, and a classifier wants
# one vector: take for each feature its maximum over all positions, *max over time*. "Was this phrase anywhere?"
#
# **How far does a unit see?** One kernel spans $d(k-1)+1$ positions. Stack a second one on top: it sees $d_2(k_2-1)+1$
# units of the first layer, and these are $s_1$ inputs apart. In general the *receptive field* of layer $\ell$ and the
# *jump*, the distance in the input between neighbouring units, are
#
# $$r_\ell=r_{\ell-1}+d_\ell\,(k_\ell-1)\,j_{\ell-1},\qquad j_\ell=j_{\ell-1}\,s_\ell,\qquad r_0=j_0=1 .$$
#
# Three kernels of 3, one after the other, see 7 positions: depth buys width, slowly. Four kernels of 3 with dilations
# 1, 2, 4, 8 see 31, where without dilation it would be 9. Doubling the dilation makes the view grow exponentially.


# %%
def text_conv(
    X: np.ndarray, W: np.ndarray, b: np.ndarray, stride: int = 1, dilation: int = 1
) -> np.ndarray:
    """Slide filters along a sequence, with the formula above.

    X: T×D.  W: F×k×D.  b: F numbers.  Returns T'×F, a row per window.
    """
    ### BEGIN SOLUTION
    k = W.shape[1]
    places = (len(X) - dilation * (k - 1) - 1) // stride + 1
    start = stride * np.arange(places)
    return b + sum(X[start + dilation * a] @ W[:, a].T for a in range(k))
    ### END SOLUTION


def max_over_time(h: np.ndarray) -> np.ndarray:
    """Give for each feature its largest value at any position.

    h: T'×F.  Returns F numbers.
    """
    ### BEGIN SOLUTION
    return h.max(axis=0)
    ### END SOLUTION


def receptive_field(layers: list[tuple[int, int, int]]) -> tuple[int, int]:
    """Give the receptive field and the jump of the last layer.

    layers: (kernel, stride, dilation) of each layer, the one nearest to the input first.
    Returns (r, j): how many inputs a unit of the last layer sees from end to end, and how
    far apart in the input neighbouring units are.
    """
    ### BEGIN SOLUTION
    field, jump = 1, 1
    for kernel, stride, dilation in layers:
        field += dilation * (kernel - 1) * jump
        jump *= stride
    return field, jump
    ### END SOLUTION


# %%
check("text")

# %% [markdown]
# ## Extra: put a layer to the test
#
# "This layer is equivariant." "That unit sees nine pixels." Claims like these need no proof and no source code to be
# checked: call the layer and look. Here `layer` is any function from an H×W picture to an H×W picture. It changes no
# picture and remembers none.
#
# - *Equivariance.* Moving first and then applying the layer must be the same as applying it first and moving the
#   result. To have no trouble at the edges, what leaves on one side comes back on the other: `np.roll`.
# - *Reach.* Which pixels does one output depend on? Change one pixel at a time, and see.
# - *Order of pixels.* A dense layer does not know who is next to whom. If every example is permuted,
#   $x'=x[\text{order}]$, then the weights $W'$ that give the same output on $x'$ as $W$ on $x$ are easily found.


# %%
def equivariance_gap(layer, x: np.ndarray, down: int, right: int) -> float:
    """Give the largest entry of |layer(shift(x)) − shift(layer(x))|.

    layer: a function from an H×W array to an H×W array.  x: H×W.
    The shift moves everything `down` rows down and `right` columns to the right; what
    leaves on one side comes back on the other.
    """
    ### BEGIN SOLUTION
    first = layer(np.roll(x, (down, right), axis=(0, 1)))
    last = np.roll(layer(x), (down, right), axis=(0, 1))
    return float(np.abs(first - last).max())
    ### END SOLUTION


def reach(layer, x: np.ndarray, place: tuple[int, int]) -> np.ndarray:
    """Find the pixels on which the output at `place` depends.

    layer: a function from an H×W array to an H×W array.  x: H×W, where to try it.
    Adds 1 to one pixel of x at a time.  Returns H×W truth values: True where that changes
    layer(x)[place] (by more than 1e-9).
    """
    ### BEGIN SOLUTION
    found, usual = np.zeros(x.shape, dtype=bool), layer(x)[place]
    for pixel in np.ndindex(x.shape):
        tried = x.copy()
        tried[pixel] += 1
        found[pixel] = abs(layer(tried)[place] - usual) > 1e-9
    return found
    ### END SOLUTION


def permute_columns(W: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Give the weights W' with W' x' = W x for every x, where x' = x[order].

    W: K×D.  order: a permutation of 0 … D−1.  Returns K×D.
    """
    ### BEGIN SOLUTION
    return W[:, order]
    ### END SOLUTION


# %%
check("symmetry")

# %% [markdown]
# Your instruments, pointed at four layers. Which of them are equivariant, and to what?


# %% tags=["explore"]
def blur(z: np.ndarray) -> np.ndarray:
    """Average each pixel with its eight neighbours, around the edges."""
    return sum(np.roll(z, (a, b), axis=(0, 1)) for a in (-1, 0, 1) for b in (-1, 0, 1)) / 9


layers = {
    "blur": blur,
    "blur, twice": lambda z: blur(blur(z)),
    "brighter to the right": lambda z: z * np.linspace(0, 1, z.shape[1]),
    "maximum of each row": lambda z: z.max(axis=1, keepdims=True) + 0 * z,
}
tried = np.random.default_rng(0).random((9, 11))
figure, panels = plt.subplots(1, 4, figsize=(12, 2.8))
for panel, (name, layer) in zip(panels, layers.items(), strict=True):
    panel.imshow(reach(layer, tried, (4, 5)), cmap="gray_r")
    panel.set_title(f"{name}\ngap {equivariance_gap(layer, tried, 2, 3):.2f}", fontsize=10)
plt.show()

# %% [markdown]
# ## Extra: group normalisation
#
# Batch normalisation needs a batch, and behaves differently in training and in use. *Group normalisation* takes its
# statistics from **one example**, each example by itself. Its $C$ channels are divided into $K$ groups of neighbours, $C/K$
# channels each: with $C=6$ and $K=2$ the first three and the last three. Mean $\mu$ and variance $v$ are taken over all
# channels and all places of a group. Then each *channel* has its $\gamma$ and $\beta$, as before. There is no company to
# depend on, nothing to run along, and only one mode: it is used where pictures are so large that few fit into a batch.
#
# The two ends have names of their own. With $K=1$ an example is one group: *layer normalisation*, which transformers use
# (for vectors, which are pictures of one pixel). With $K=C$ every channel is a group: *instance normalisation*.
#
# **Forward, in numbers.** One example of four channels with one pixel each, $x=(1,3,10,14)$, with $\varepsilon=0$, $\gamma=1$
# and $\beta=0$: two groups give $(-1,1,-1,1)$. One group has $\mu=7$ and $v=27.5$, and gives about
# $(-1.14,-0.76,0.57,1.33)$.
#
# **Backward.** As in batch normalisation, with one difference: $\gamma$ may vary *inside* a group. Two channels of two
# pixels in one group, $x=((0,2),(0,2))$ with $\varepsilon=0$, have $\hat x=((-1,1),(-1,1))$. For $\gamma=(1,2)$ and
# $\partial L/\partial y=((1,0),(0,0))$ the gradient in $x$ is $((\tfrac12,0),(-\tfrac12,0))$.


# %%
def group_norm(
    x: np.ndarray, groups: int, gamma: np.ndarray, beta: np.ndarray, eps: float = 1e-5
) -> np.ndarray:
    """Normalise each group of neighbouring channels of each example by itself.

    x: N×C×H×W.  groups: how many there are; C is a multiple of it.
    gamma, beta: C numbers each.  Returns N×C×H×W.
    """
    ### BEGIN SOLUTION
    parts = x.reshape(len(x), groups, -1)
    centred = parts - parts.mean(axis=2, keepdims=True)
    scaled = centred / np.sqrt(parts.var(axis=2, keepdims=True) + eps)
    return gamma[:, None, None] * scaled.reshape(x.shape) + beta[:, None, None]
    ### END SOLUTION


def group_norm_backward(
    G: np.ndarray, x: np.ndarray, groups: int, gamma: np.ndarray, eps: float = 1e-5
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Give the gradients of group_norm.

    G: N×C×H×W, the gradient of the loss in the output.  x, groups, gamma, eps: as in the
    forward pass.  Returns (dx: N×C×H×W, dgamma: C numbers, dbeta: C numbers).
    """
    ### BEGIN SOLUTION
    parts = x.reshape(len(x), groups, -1)
    width = np.sqrt(parts.var(axis=2, keepdims=True) + eps)
    unit = (parts - parts.mean(axis=2, keepdims=True)) / width
    pull = (gamma[:, None, None] * G).reshape(parts.shape)
    pull_mean = pull.mean(axis=2, keepdims=True)
    pull_var = unit * (pull * unit).mean(axis=2, keepdims=True)
    dx = ((pull - pull_mean - pull_var) / width).reshape(x.shape)
    return dx, (G * unit.reshape(x.shape)).sum(axis=(0, 2, 3)), G.sum(axis=(0, 2, 3))
    ### END SOLUTION


# %%
check("groupnorm")

# %% [markdown]
# To compare with, now that yours passes. For a group with $m=(C/K)\cdot H\cdot W$ numbers, with bars for means over them,
# with $\hat x=(x-\mu)/s$, $s=\sqrt{v+\varepsilon}$ and $g=\gamma\,\partial L/\partial y$ with the $\gamma$ of each number's channel:
#
# $$\mu=\overline{x},\qquad v=\overline{(x-\mu)^2},\qquad y=\gamma\hat x+\beta,\qquad
# \frac{\partial L}{\partial x}=\frac1s\Bigl(g-\overline{g}-\hat x\;\overline{\hat xg}\Bigr).$$
#
# $\gamma$ and $\beta$ belong to a channel and are shared by all examples: their gradients are the sums of
# $(\partial L/\partial y)\,\hat x$ and of $\partial L/\partial y$ over examples and places.

# %% [markdown]
# ## What you have now
#
# A layer that is an ordinary one with almost everything taken away, and a precise account of what was taken: weights
# between far-apart pixels, and the freedom to treat different places differently. You can count it, run it forward and
# backward by hand, and prove the backward pass with two sums. You know what pooling buys and what it does not, and why
# a normalised network has two modes. And you have seen the network fail where its beliefs are false.
#
# Next comes the other great kind of sharing. A *recurrent network* uses the same weights not at every place but at
# every moment, and so can read a sequence of any length. Its backward pass is the same thought once more: one weight,
# used many times, gets the sum of what comes back.
