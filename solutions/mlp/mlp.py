# %% [markdown]
# # The multi-layer perceptron
#
# A perceptron draws one straight line. Put a few of them side by side, bend what each of them says, and let another one
# look at the bent answers: now the line can curve, close up, fall into pieces. That is a multi-layer perceptron. With
# enough units it can come as close as you like to any continuous function on a closed, bounded region.
#
# So what a network *could* do was never the problem. The problem was to find the weights. A network for the digits
# below has some thousands of them, and each must learn whether it should be a little larger or a little smaller.
# Trying them one by one would cost thousands of runs of the network for a single step. **Back-propagation finds all of
# these answers at once, for about the price of two more runs.** It is the chain rule, done in the right order. You will
# write it in six lines, prove to yourself that it is right with a checker that you write too, train a network that reads
# handwriting, and then see what stops a deep network from learning: the same chain rule, multiplied too often.
#
# **How to work here.** Read a section, write the functions below it, run the `check` cell after them. A check that
# fails shows the smallest example it failed on. Cells with plots are there to look at and to play with; they are not
# graded. When you hand in, more checks run than the ones you have here: they ask whether the idea is right, not only
# the example. Seven questions make the hundred points, in about six hours. What comes after them is extra.

# %%
from collections.abc import Callable

import matplotlib.pyplot as plt
import numpy as np

from redink import check
from redink_datasets import digits, xor

Layers = list[tuple[np.ndarray, np.ndarray]]  # a pair (W, b) for each layer
Activation = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]  # Z ↦ (g(Z), g′(Z))

# %% [markdown]
# ## The idea
#
# One *layer* takes a weighted sum and bends it with a fixed function, the *activation function*:
#
# $$z = Wx+b, \qquad h = g(z),$$
#
# where $g$ acts on each number by itself. A row of $W$ and a number of $b$ belong to one *unit*. Stack layers, the
# output of one being the input of the next, and you have the network.
#
# Why bend? Because without $g$ nothing is gained: $W_2(W_1x+b_1)+b_2 = (W_2W_1)\,x + (W_2b_1+b_2)$ is one layer again,
# however many you stack. With the simplest bend there is, $\operatorname{relu}(z)=\max(0,z)$, a unit is flat up to some
# point and then a straight slope. The next cell adds up three such units. One goes up, one turns it round, one levels it
# out: a bump. Sums of bumps make anything.

# %% tags=["explore"]
x = np.linspace(-1, 4, 400)
slopes, corners, sizes = (
    np.array([1.0, 1.0, 1.0]),
    np.array([0.0, 1.0, 2.0]),
    [2.0, -4.0, 2.0],
)
units = np.maximum(0, np.outer(x, slopes) - corners)  # one column for each unit

figure, panels = plt.subplots(1, 2, figsize=(10, 3.6), sharex=True)
for unit, size in zip(units.T, sizes, strict=True):
    panels[0].plot(x, size * unit, label=f"{size:+.0f} · unit")
panels[0].set(title="three bent lines", ylim=(-6, 6))
panels[0].legend()
panels[1].plot(x, units @ sizes, color="black")
panels[1].set_title("their sum")
plt.show()

# %% [markdown]
# ## Conventions
#
# They hold in the whole notebook, and the checks hold you to them.
#
# - Examples stand in rows. `X` is $n\times K_0$: $n$ examples of $K_0$ features.
# - A network is a list of pairs `(W, b)`, first layer first. Layer $l$ has $W_l$ of shape $K_l\times K_{l-1}$, *out by
#   in*, and $b_l$ of $K_l$ numbers. With $H_0=X$,
#
# $$Z_l = H_{l-1}W_l^\top + b_l, \qquad H_l = g_l(Z_l), \qquad l=1,\dots,L .$$
#
# - Every layer has an activation, the last one too. It is often *linear*, $g(z)=z$; then the output $O=H_L$ is called
#   the *logits* if a softmax follows.
# - An activation is a Python function that returns **two** arrays of numbers: $g(Z)$ and the slope $g'(Z)$, both at the same
#   $Z$. (Numbers: a slope is 1 or 0, not `True` or `False`.)
# - **At a kink we take the slope of the flatter side.** So $\operatorname{relu}'(0)=0$.
# - A loss is a **mean over examples**, and $\log$ is the natural logarithm. A function that computes a loss also returns
#   the gradient, of the shape of the thing it is a gradient of.
# - Arrays may hold integers (numpy's usual ones, `int64`). What you compute from them are numbers all the same, not cut to
#   integers.
# - There is at least one example, and what comes in is finite. Only a claim for `gradient_check` may be `nan`.
# - Functions never change the arrays that they are given. Changing one costs one check of the question (the first that sees
#   it); the other checks look only at what is returned.
# - The point is to write it by hand, in numpy. The functions that you write may not use `torch`, `jax`, `autograd` or
#   `scipy.special`, which would do the work for you.
#
# ## Once by hand
#
# One example, two features, two hidden ReLUs, one linear output, and half the squared error as the loss:
#
# $$x=(1,2),\quad W_1=\begin{pmatrix}1&-1\\1&1\end{pmatrix},\quad b_1=(0,-1),\quad W_2=\begin{pmatrix}3&\tfrac12\end{pmatrix},\quad b_2=1,\quad t=1 .$$
#
# Forward, from left to right, keeping what you compute:
#
# | what | value |
# |:--|:--|
# | $z_1=W_1x+b_1$ | $(1-2+0,\ \ 1+2-1) = (-1,\ 2)$ |
# | $h_1=\operatorname{relu}(z_1)$, slopes | $(0,\ 2)$, slopes $(0,\ 1)$ |
# | $o=W_2h_1+b_2$ | $3\cdot0+\tfrac12\cdot2+1 = 2$ |
# | loss $\tfrac12(o-t)^2$ | $\tfrac12$ |
#
# Backward, from right to left. Each line asks: *if this number grew a little, how fast would the loss grow?*
#
# | what | value | because |
# |:--|:--|:--|
# | $\partial/\partial o$ | $o-t=1$ | derivative of $\tfrac12(o-t)^2$ |
# | $\partial/\partial W_2$ | $(0,\ 2)$ | the weight of $h_j$ matters as much as $h_j$ is large |
# | $\partial/\partial b_2$ | $1$ | |
# | $\partial/\partial h_1$ | $(3,\ \tfrac12)$ | $h_j$ reaches the output through its weight |
# | $\partial/\partial z_1$ | $(3\cdot0,\ \tfrac12\cdot1)=(0,\ \tfrac12)$ | times the slope: the first gate is shut |
# | $\partial/\partial W_1$ | rows $(0,\ 0)$ and $(\tfrac12,\ 1)$ | row $k$: $\partial/\partial z_k$ times $x$ |
# | $\partial/\partial b_1$ | $(0,\ \tfrac12)$ | |
# | $\partial/\partial x$ | $0\cdot(1,-1)+\tfrac12\cdot(1,1)=(\tfrac12,\ \tfrac12)$ | $x$ reaches both units: add |
#
# That was back-propagation, all of it. What is left is to do it for many examples, many layers and every activation at
# once. Keep the table: when your code disagrees with itself at two in the morning, run it on these numbers.

# %% [markdown]
# ## Question: activations and their slopes
#
# Six functions, each of which returns the pair $\bigl(g(Z),\ g'(Z)\bigr)$.
#
# | name | $g(z)$ | $g'(z)$ | range |
# |:--|:--|:--|:--|
# | linear | $z$ | $1$ | all numbers |
# | sigmoid $\sigma$ | $1/(1+e^{-z})$ | $\sigma(z)\,(1-\sigma(z))$, at most $\tfrac14$ | $(0,1)$ |
# | tanh | $(e^z-e^{-z})/(e^z+e^{-z})$ | $1-\tanh^2(z)$, at most $1$ | $(-1,1)$ |
# | hard tanh | $z$, clipped to $[-1,1]$ | $1$ inside, $0$ outside | $[-1,1]$ |
# | relu | $\max(0,z)$ | $1$ if $z>0$, else $0$ | $[0,\infty)$ |
# | leaky relu | $z$ if $z>0$, else $\alpha z$ | $1$ if $z>0$, else $\alpha$ | all numbers |
#
# Hard tanh is continuous, in spite of its name; it only has two kinks. Tanh is a sigmoid that was stretched and moved:
# $\tanh z = 2\,\sigma(2z)-1$. Put in $e^{\pm z}$ and see.
#
# **One trap.** $e^{800}$ is not a number that your computer has: it says `inf`, and `inf / inf` is `nan`. The sigmoid of
# 800 is a perfectly good number, it is 1. So write the sigmoid with exponents that are never positive:
# $\sigma(z)=1/(1+e^{-z})$ when $z\ge0$, and $\sigma(z)=e^{z}/(1+e^{z})$ when $z<0$. These are the same function. (numpy's
# own `np.tanh` is safe. A warning on the way costs nothing, here and below, as long as what comes out is right.)
#
# Arrays of any shape come in, and the two results have the same shape.


# %%
def linear(Z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Give (Z, 1): the values z and the slopes 1, of any shape."""
    ### BEGIN SOLUTION
    return Z, np.ones_like(Z)
    ### END SOLUTION


def sigmoid(Z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Give σ(Z) = 1 / (1 + e^−Z) and its slope σ (1 − σ), without overflow for any Z."""
    ### BEGIN SOLUTION
    small = np.exp(-np.abs(Z))
    S = np.where(Z >= 0, 1, small) / (1 + small)
    return S, S * (1 - S)
    ### END SOLUTION


def tanh(Z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Give tanh(Z) and its slope 1 − tanh², without overflow for any Z."""
    ### BEGIN SOLUTION
    bent = np.tanh(Z)
    return bent, 1 - bent**2
    ### END SOLUTION


def hard_tanh(Z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Give Z clipped to [−1, 1] and its slope: 1 where −1 < z < 1, otherwise 0."""
    ### BEGIN SOLUTION
    return np.clip(Z, -1, 1), np.where(np.abs(Z) < 1, 1.0, 0.0)
    ### END SOLUTION


def relu(Z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Give max(0, Z) and its slope: 1 where z > 0, otherwise 0 (at z = 0 too)."""
    ### BEGIN SOLUTION
    return np.maximum(0, Z), np.where(Z > 0, 1.0, 0.0)
    ### END SOLUTION


def leaky_relu(Z: np.ndarray, alpha: float = 0.01) -> tuple[np.ndarray, np.ndarray]:
    """Give z where z > 0, otherwise α z, and the slopes 1 and α (α at z = 0); 0 < α < 1."""
    ### BEGIN SOLUTION
    return np.where(Z > 0, Z, alpha * Z), np.where(Z > 0, 1.0, alpha)
    ### END SOLUTION


# %%
check("activations")

# %% [markdown]
# Look at them, and at their slopes. The slopes are what learning lives on: where a slope is 0, nothing gets through to
# the layers below. Sigmoid and tanh go flat on *both* sides (they *saturate*). ReLU goes flat on the negative side only;
# a unit that is negative for every example is *dead*: as long as that lasts, no gradient reaches its weights. And see how
# low the sigmoid's slope is even at its best.

# %% tags=["explore"]
z = np.linspace(-4, 4, 801)
both = {g.__name__: g(z) for g in (sigmoid, tanh, hard_tanh, relu)}
both["leaky relu, α = 0.1"] = leaky_relu(z, 0.1)
figure, panels = plt.subplots(1, 2, figsize=(11, 4))
for name, (values, slopes) in both.items():
    panels[0].plot(z, values, label=name)
    panels[1].plot(z, slopes, label=name)
panels[0].set(title="g(z)", ylim=(-1.5, 2.5))
panels[1].set(title="g′(z)", ylim=(-0.1, 1.2))
panels[1].axhline(0.25, color="0.7", linewidth=0.8)
panels[0].legend()
plt.show()

# %% [markdown]
# ## Question: losses and their gradients
#
# The loss turns a network's output into one number, and its gradient is where back-propagation starts.
#
# **Softmax and cross-entropy.** For $K$ classes the network gives $K$ logits $o_1,\dots,o_K$ per example, and
#
# $$p_k = \frac{e^{o_k}}{\sum_j e^{o_j}}$$
#
# are its probabilities. A label $c$ becomes a *one-hot* row $t$: a 1 in place $c$ and 0 elsewhere (classes are counted
# from 0; with cat, chicken and dog, the chicken is $(0,1,0)$). The *cross-entropy* is $-\sum_k t_k\log p_k$; for a
# one-hot row it is $-\log p_c$, the surprise at what happened. Put the softmax in, and the logarithm of a quotient falls
# apart:
#
# $$\ell(o,t) = \sum_k t_k\,\bigl(\operatorname{lse}(o)-o_k\bigr), \qquad \operatorname{lse}(o)=\log\sum_j e^{o_j} .$$
#
# This *log-sum-exp* form is the one to compute. In two steps, first $p$ and then $\log p$, a class with probability
# $10^{-400}$ would have become 0 on the way, and $\log 0$ is no use to anybody.
#
# *Stable.* Adding the same number to all logits of an example adds it to $\operatorname{lse}$ and changes neither $p$ nor
# $\ell$. So subtract the row's largest logit before you exponentiate; the largest exponent is then 0. For
# $\operatorname{lse}$, add it back.
#
# *Gradient.* It is yours to derive; $(\log f)'=f'/f$ is all it takes. Differentiate $\operatorname{lse}$ in $o_k$ first: you know
# the quantity that comes out. Then ask how often $o_k$ occurs in $\ell$. Not every $t$ sums to 1 (rows may be weighted by how
# much an example should count), so keep the general form. A small case to hold your result against: $o=(0,\log 3)$ has
# $p=(\tfrac14,\tfrac34)$; with $t=(1,0)$ the gradient is $(-\tfrac34,\tfrac34)$, and with $t=(1,1)$ it is $(-\tfrac12,\tfrac12)$.
#
# **Two classes.** With one probability $p$ of the label 1, the loss is $\ell=-[\,y\log p+(1-y)\log(1-p)\,]$. Differentiate it in
# $p$, and mind the second term: the minus of the loss meets the minus inside $\log(1-p)$, and a good many notes lose one of
# them. At $p=\tfrac14$ the slope is $-4$ for $y=1$ and $\tfrac43$ for $y=0$. With $p=\sigma(z)$ the slope of the sigmoid
# multiplies this; put it in and cancel until no quotient is left, for at $z=800$ a quotient would be $0/0$. At $z=-\log 3$,
# where $p=\tfrac14$, the slope in $z$ is $-\tfrac34$ for $y=1$ and $\tfrac14$ for $y=0$. The loss itself becomes
#
# $$\ell = \log(1+e^{z})-y\,z ,$$
#
# which is the form to compute (`np.logaddexp(0, z)` is $\log(e^0+e^z)$, done safely).
#
# **Numbers for targets.** Squared error: for an example, $\tfrac12\sum_k(o_k-t_k)^2$, with gradient $o-t$. The half is
# there to make the gradient clean; the sum over outputs is a sum.
#
# **Once, and only once, comes the mean.** Every loss here is $\frac1n\sum_i\ell_i$, so every gradient carries the factor
# $\frac1n$. It never appears again: not in the layers, not in the biases. A test that needs no reference: write every
# example down twice. The loss must not change.


# %%
def one_hot(labels: np.ndarray, K: int) -> np.ndarray:
    """Turn n labels from 0 … K−1 into n×K rows with a single 1, in the label's place."""
    ### BEGIN SOLUTION
    T = np.zeros((len(labels), K))
    T[np.arange(len(labels)), labels] = 1.0
    return T
    ### END SOLUTION


def log_sum_exp(O: np.ndarray) -> np.ndarray:
    """Give log Σ_k e^o_ik for every row of the n×K logits O: n numbers. Never overflows."""
    ### BEGIN SOLUTION
    peak = O.max(axis=1)
    return peak + np.log(np.exp(O - peak[:, None]).sum(axis=1))
    ### END SOLUTION


def softmax(O: np.ndarray) -> np.ndarray:
    """Give p_ik = e^o_ik / Σ_j e^o_ij for the n×K logits O: n×K. Never overflows."""
    ### BEGIN SOLUTION
    powers = np.exp(O - O.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)
    ### END SOLUTION


def cross_entropy(O: np.ndarray, T: np.ndarray) -> tuple[float, np.ndarray]:
    """Give the cross-entropy (1/n) Σ_i Σ_k t_ik (lse(o_i) − o_ik) and its gradient in O.

    O: n×K logits.  T: n×K targets, t_ik ≥ 0; the rows need not be one-hot, nor sum to 1.
    Returns (a number, n×K numbers). Never overflows.
    """
    ### BEGIN SOLUTION
    costs = T * (log_sum_exp(O)[:, None] - O)
    dO = (T.sum(axis=1, keepdims=True) * softmax(O) - T) / len(O)
    return float(costs.sum() / len(O)), dO
    ### END SOLUTION


def binary_cross_entropy(p: np.ndarray, y: np.ndarray) -> tuple[float, np.ndarray]:
    """Give the mean of −[y log p + (1−y) log(1−p)] and its gradient in the probabilities p.

    p: n probabilities, 0 < p < 1.  y: n targets from 0 to 1.
    Returns (a number, n numbers).
    """
    ### BEGIN SOLUTION
    costs = -(y * np.log(p) + (1 - y) * np.log(1 - p))
    dp = (-y / p + (1 - y) / (1 - p)) / len(p)
    return float(costs.mean()), dp
    ### END SOLUTION


def bce_with_logits(z: np.ndarray, y: np.ndarray) -> tuple[float, np.ndarray]:
    """Give the mean of log(1 + e^z) − y z, which is the loss above at p = σ(z), and dz.

    z: n logits.  y: n targets from 0 to 1.  Returns (a number, n numbers). Never overflows.
    """
    ### BEGIN SOLUTION
    chance, _ = sigmoid(z)
    return float(np.mean(np.logaddexp(0, z) - y * z)), (chance - y) / len(z)
    ### END SOLUTION


def squared_error(O: np.ndarray, T: np.ndarray) -> tuple[float, np.ndarray]:
    """Give (1/n) Σ_i ½ Σ_k (o_ik − t_ik)² and its gradient in O.  O, T: n×K."""
    ### BEGIN SOLUTION
    gap = O - T
    return float(0.5 * np.sum(gap**2) / len(O)), gap / len(O)
    ### END SOLUTION


# %%
check("losses")

# %% [markdown]
# What you derived: for a target row that sums to 1 the gradient of the cross-entropy in the logits is $p-t$, *what you said
# minus what was true*, and in general $(\sum_jt_j)\,p-t$. In $z$ it is $\sigma(z)-y$: the same thing for two classes.
#
# Why cross-entropy for classes, and not the squared error of the probability? Plot both for one example with $y=1$, as a
# function of the logit. Far on the left the network is sure, and wrong. There the squared error is flat: its gradient
# contains the sigmoid's slope, and the network that is most wrong learns least. The cross-entropy falls with slope
# $p-y\approx-1$, as steeply as ever.

# %% tags=["explore"]
z = np.linspace(-8, 8, 161)
p, slope = sigmoid(z)
entropy = [bce_with_logits(np.array([one]), np.array([1.0])) for one in z]

figure, panels = plt.subplots(1, 2, figsize=(10, 3.8))
panels[0].plot(z, [loss for loss, _ in entropy], label="cross-entropy")
panels[0].plot(z, 0.5 * (p - 1) ** 2, label="squared error of σ(z)")
panels[0].set(title="loss for y = 1", xlabel="logit z")
panels[1].plot(z, [gradient[0] for _, gradient in entropy])
panels[1].plot(z, (p - 1) * slope)
panels[1].set(title="its derivative in z", xlabel="logit z")
panels[0].legend()
plt.show()

# %% [markdown]
# ## Question: forward, any depth
#
# Run the network from left to right, and **keep what the way back will need**. Look at the table that you did by hand:
# to get from one line to the next, the way back used, besides the weights, only two things of each layer: what went *into*
# it and the slopes of its bends. So the forward pass returns the output and a `cache`, with the pair
#
# $$\bigl(H_{l-1},\ g_l'(Z_l)\bigr)$$
#
# for each layer, first layer first. Each activation is a function like the ones you wrote: it takes $Z$ and returns
# $g(Z)$ and $g'(Z)$. Call it once.
#
# A remark on what you are building. $H_{L-1}$, what goes into the last layer, is the network's own *representation* of
# the example, and the last layer is a plain linear model on it. The layers before it are there to find features for which
# a linear model is enough. And a remark on books: many put examples in *columns* and write $Z=WH+b$. That is the same
# network, transposed.


# %%
def forward(
    layers: Layers, activations: list[Activation], X: np.ndarray
) -> tuple[np.ndarray, list[tuple[np.ndarray, np.ndarray]]]:
    """Run the network: H_0 = X, then Z_l = H_{l−1} W_lᵀ + b_l and H_l = g_l(Z_l).

    layers: L pairs (W_l: K_l×K_{l−1}, b_l: K_l numbers).  X: n×K_0.
    activations: L functions, the l-th for the l-th layer; each gives (g(Z), g′(Z)).

    Returns (H_L: n×K_L, cache), where cache is a list of L pairs
    (H_{l−1}: n×K_{l−1}, g_l′(Z_l): n×K_l), first layer first.
    """
    ### BEGIN SOLUTION
    H, cache = X, []
    for (W, b), g in zip(layers, activations, strict=True):
        bent, slope = g(H @ W.T + b)
        cache.append((H, slope))
        H = bent
    return H, cache
    ### END SOLUTION


# %%
check("forward")

# %% [markdown]
# ## Back-propagation
#
# Write $G_l=\partial\mathcal L/\partial H_l$ and $\Delta_l=\partial\mathcal L/\partial Z_l$ for the gradients of the loss
# $\mathcal L$; each has the shape of the thing it belongs to, one row per example. Suppose we have $G_l$. Two steps lead
# to $G_{l-1}$.
#
# **Through the bend.** $h_{ik}=g(z_{ik})$: each number goes through alone, so each is multiplied by its own slope,
#
# $$\Delta_l = G_l\odot g_l'(Z_l) .$$
#
# This holds for the last layer as well. If its activation is not linear, its slope belongs in $\Delta_L$.
#
# **Through the sum.** $z_{ik}=\sum_j h_{ij}\,w_{kj}+b_k$. Ask in which $z$ a thing occurs, and add up over all of those:
#
# - $w_{kj}$ occurs in $z_{ik}$ for every example $i$, multiplied by $h_{ij}$;
# - $b_k$ occurs in $z_{ik}$ for every example $i$, multiplied by 1;
# - $h_{ij}$ occurs in $z_{ik}$ for every unit $k$, multiplied by $w_{kj}$.
#
# A small case in numbers: one unit, two inputs, **two** examples, and $\Delta$ known.
#
# $$H=\begin{pmatrix}1&2\\3&5\end{pmatrix},\qquad W=\begin{pmatrix}2&-1\end{pmatrix},\qquad \Delta=\begin{pmatrix}10\\100\end{pmatrix}.$$
#
# The first weight met a 1 in the first example and a 3 in the second: its gradient is $10\cdot1+100\cdot3=310$, that of the
# second weight $10\cdot2+100\cdot5=520$, that of the bias $10+100=110$. The inputs of the first example reach one unit alone:
# $(10\cdot2,\ 10\cdot(-1))=(20,-10)$; those of the second get $(200,-100)$.
#
# Now write down the three sums for any number of units, inputs and examples, and turn each into one product of matrices (or
# one sum along an axis). That is the exercise; the answer stands below the check. The shapes help: $\Delta_l$ is
# $n\times K_l$, $H_{l-1}$ is $n\times K_{l-1}$, and the gradient of $W_l$ must be $K_l\times K_{l-1}$.
#
# Start with $G_L=\partial\mathcal L/\partial O$, which the loss function gave you, and go down to layer 1. Nothing is
# guessed and nothing is approximated.
#
# ## Question: backward, any depth
#
# Also return $\partial\mathcal L/\partial X=G_0$. It costs nothing more, and it is what makes networks composable: to
# whatever stands before $X$, it is the $G_L$.


# %%
def backward(
    layers: Layers, cache: list[tuple[np.ndarray, np.ndarray]], dO: np.ndarray
) -> tuple[list[tuple[np.ndarray, np.ndarray]], np.ndarray]:
    """Back-propagate the gradient dO = ∂loss/∂H_L through the network.

    layers: L pairs (W_l, b_l).  cache: as `forward` returns it.  dO: n×K_L.

    Returns (gradients, ∂loss/∂X): a list of L pairs (∂loss/∂W_l, ∂loss/∂b_l), first layer
    first, of the shapes of W_l and b_l; and an array of the shape of X.
    """
    ### BEGIN SOLUTION
    G, gradients = dO, []
    for (W, _), (H, slope) in zip(reversed(layers), reversed(cache), strict=True):
        delta = G * slope
        gradients.append((delta.T @ H, delta.sum(axis=0)))
        G = delta @ W
    return gradients[::-1], G
    ### END SOLUTION


# %%
check("backward")

# %% [markdown]
# To compare with your paper, when the check is green:
#
# $$\frac{\partial\mathcal L}{\partial W_l}=\Delta_l^\top H_{l-1}, \qquad \frac{\partial\mathcal L}{\partial b_l}=\text{the column sums of }\Delta_l, \qquad G_{l-1}=\Delta_l W_l .$$
#
# A law to test it with, which needs no second implementation. Take a layer of ReLUs, followed by another layer. Multiply
# its weights *and biases* by $c>0$, and divide the weights of the layer after it by $c$. Since
# $\operatorname{relu}(cz)=c\operatorname{relu}(z)$, the output stays exactly the same, and so does the loss. Differentiate
# "the loss does not change" in $c$ at $c=1$:
#
# $$\langle W_1,\tfrac{\partial\mathcal L}{\partial W_1}\rangle + \langle b_1,\tfrac{\partial\mathcal L}{\partial b_1}\rangle = \langle W_2,\tfrac{\partial\mathcal L}{\partial W_2}\rangle ,$$
#
# where $\langle A,B\rangle=\sum_{kj}a_{kj}b_{kj}$. It holds for every ReLU layer and the layer after it, whatever the loss
# and the data. In the example done by hand both sides are 1: $\tfrac12+1-\tfrac12$ on the left, $\tfrac12\cdot2$ on the
# right. In the next cell the law goes wrong if you put the `tanh` that you wrote in the place of `relu`. Why?

# %% tags=["explore"]
rng = np.random.default_rng(0)
widths = [5, 8, 6, 3]
layers = [(rng.normal(size=(o, i)), rng.normal(size=o)) for i, o in zip(widths, widths[1:])]
X, T = rng.normal(size=(20, 5)), one_hot(rng.integers(3, size=20), 3)

O, cache = forward(layers, [relu, relu, linear], X)
gradients, _ = backward(layers, cache, cross_entropy(O, T)[1])
for l in (0, 1):
    left = sum(np.sum(part * d) for part, d in zip(layers[l], gradients[l]))
    right = np.sum(layers[l + 1][0] * gradients[l + 1][0])
    print(f"layers {l + 1} and {l + 2}:  left {left:+.12f}   right {right:+.12f}")

# %% [markdown]
# ## Question: a gradient checker
#
# A wrong gradient is the quietest of bugs. Leave the ReLU's slope out of `backward`, and a network still learns to read
# digits almost as well. The loss goes down, the accuracy is fine, and the code is wrong. So do not trust the loss curve;
# compare with the definition of a derivative.
#
# For a function $f$ of an array $x$ and a small step $h$ in one coordinate at a time ($e_i$ is 1 there and 0 elsewhere),
#
# $$r_i=\frac{f(x+he_i)-f(x)}{h}, \qquad s_i=\frac{f(x)-f(x-he_i)}{h}, \qquad c_i=\frac{r_i+s_i}2=\frac{f(x+he_i)-f(x-he_i)}{2h} .$$
#
# The slopes to the right and to the left, $r_i$ and $s_i$, are wrong by about $\tfrac h2|f''|$. In the *central* difference
# $c_i$ these errors cancel, and about $\tfrac{h^2}6|f'''|$ is left. Smaller $h$ is not always better: $f$ is computed with
# sixteen digits, and dividing by $h$ magnifies what is lost after the sixteenth. The plot below shows the two errors meet.
#
# A kink is a place where the checker has nothing to say. At $x_i=0$ the function $|x_i|$ has slope $+1$ on the right and
# $-1$ on the left; any claim between them may be meant. A good checker *notices* this and abstains, coordinate by
# coordinate. So `gradient_check` answers two questions for each coordinate:
#
# - is there a **kink** within reach of $h$? Yes if $|r_i-s_i| > 0.01\cdot\max(1,|r_i|,|s_i|)$;
# - is the claim **wrong**? Yes if there is no kink, unless $|\text{claim}_i-c_i| \le 10^{-6}\cdot\max(1,|c_i|)$. Said this way
#   round, a claim of `nan` is wrong wherever there is no kink: no comparison with it is ever true.
#
# Coordinate by coordinate: one wrong number among a thousand right ones is a bug, and an average would hide it.
# (`scipy.optimize` and `scipy.differentiate` have functions of this kind; here you write them.)


# %%
def numerical_gradient(
    f: Callable[[np.ndarray], float], x: np.ndarray, h: float = 1e-5
) -> np.ndarray:
    """Give the central difference (f(x + h e_i) − f(x − h e_i)) / 2h for each coordinate i.

    f: takes an array of the shape of x and returns a number.
    x: any shape, floats or integers, a transpose too; afterwards it is what it was before.
    Returns an array of the shape of x.
    """
    ### BEGIN SOLUTION
    centre = np.array(x, dtype=float)
    found = np.zeros_like(centre)
    for place in np.ndindex(centre.shape):
        step = np.zeros_like(centre)
        step[place] = h
        found[place] = (f(centre + step) - f(centre - step)) / (2 * h)
    return found
    ### END SOLUTION


def gradient_check(
    f: Callable[[np.ndarray], float], x: np.ndarray, claim: np.ndarray, h: float = 1e-5
) -> tuple[np.ndarray, np.ndarray]:
    """Hold a claimed gradient of f at x against differences, coordinate by coordinate.

    With the slopes r_i (right), s_i (left) and c_i (central) of the text above:
        kink_i:  |r_i − s_i| > 0.01 · max(1, |r_i|, |s_i|)
        wrong_i: not kink_i, and not |claim_i − c_i| ≤ 1e−6 · max(1, |c_i|)

    f, x, h: as in numerical_gradient.  claim: an array of the shape of x.
    Returns (wrong, kink): two arrays of truth values, of the shape of x.
    """
    ### BEGIN SOLUTION
    base = np.array(x, dtype=float)
    r, s = np.zeros_like(base), np.zeros_like(base)
    for place in np.ndindex(base.shape):
        nudge = np.zeros_like(base)
        nudge[place] = h
        r[place] = (f(base + nudge) - f(base)) / h
        s[place] = (f(base) - f(base - nudge)) / h
    c = (r + s) / 2
    kink = np.abs(r - s) > 0.01 * np.maximum(1, np.maximum(np.abs(r), np.abs(s)))
    wrong = ~kink & ~(np.abs(claim - c) <= 1e-6 * np.maximum(1, np.abs(c)))
    return wrong, kink
    ### END SOLUTION


# %%
check("gradcheck")

# %% [markdown]
# First picture: the error of the difference against $h$, for a function whose derivative we know. As $h$ shrinks, from left
# to right, the error falls like $h$ (one-sided) and like $h^2$ (central), as the formulas say. Then rounding takes over.
# Where is the best $h$ for each, and how many digits do you get?
#
# Second: your checker, turned on your own `backward`. All the weights of a network with tanh units in one long vector,
# and no claim is wrong. Put a mistake into `backward` (leave out the slope, say) and run it again: which layers does the
# checker accuse, and why not the last?

# %% tags=["explore"]
steps = np.geomspace(1e-1, 1e-13, 49)
place, truth = np.array([1.3]), np.cos(1.3)
one_sided = [abs((np.sin(1.3 + h) - np.sin(1.3)) / h - truth) for h in steps]
central = [
    abs(numerical_gradient(lambda x: np.sin(x[0]), place, h)[0] - truth) for h in steps
]
plt.figure(figsize=(7, 4))
plt.loglog(steps, one_sided, ".-", label="one-sided")
plt.loglog(steps, central, ".-", label="central")
plt.gca().invert_xaxis()
plt.xlabel("h: coarse on the left, fine on the right")
plt.ylabel("error of the slope of sin")
plt.legend()
plt.show()

rng = np.random.default_rng(1)
widths = [4, 5, 3]
layers = [(rng.normal(size=(o, i)), rng.normal(size=o)) for i, o in zip(widths, widths[1:])]
X, T = rng.normal(size=(7, 4)), one_hot(rng.integers(3, size=7), 3)


def unpack(vector):
    parts, at = [], 0
    for W, b in layers:
        parts.append(
            (vector[at : at + W.size].reshape(W.shape), vector[at + W.size :][: b.size])
        )
        at += W.size + b.size
    return parts


def loss_of(vector):
    return cross_entropy(forward(unpack(vector), [tanh, linear], X)[0], T)[0]


O, cache = forward(layers, [tanh, linear], X)
gradients, _ = backward(layers, cache, cross_entropy(O, T)[1])
flat = [
    np.concatenate([part.ravel() for pair in pairs for part in pair])
    for pairs in (layers, gradients)
]
wrong, kink = gradient_check(loss_of, *flat)
print(f"{wrong.sum()} of {wrong.size} coordinates are wrong, {kink.sum()} are at a kink")

# %% [markdown]
# ## Question: digits, and how gradients travel
#
# Now put it to work. What one minimises is the *empirical risk*: the average loss over the examples at hand, in the hope
# that it stands for the loss on examples to come. One step of gradient descent goes against the gradient,
#
# $$W_l \leftarrow W_l-\eta\,\frac{\partial\mathcal L}{\partial W_l}, \qquad b_l \leftarrow b_l-\eta\,\frac{\partial\mathcal L}{\partial b_l},$$
#
# for **all** layers at once, with gradients that were all taken at the old weights. Each step looks at one *batch* of
# examples. Somebody else chooses the batches (so that two runs can be compared): a list of arrays of row numbers.
#
# `train` does not need to know what it trains. It gets a function that says, for given layers and a batch, what the loss
# and its gradients are. It must work for anybody's function, and it must leave the layers that it was given as they
# were: you will want to start from them again.
#
# The last function, `gradient_norms`, is for the second experiment below: it measures how much of the gradient arrives at
# each layer.


# %%
def classifier_loss(
    layers: Layers, activations: list[Activation], X: np.ndarray, T: np.ndarray
) -> tuple[float, list[tuple[np.ndarray, np.ndarray]]]:
    """Give the mean cross-entropy of the network's logits, and its gradients in all layers.

    X: n×K_0.  T: n×K_L targets, rows as in cross_entropy.
    Returns (a number, L pairs (∂loss/∂W_l, ∂loss/∂b_l), first layer first).
    """
    ### BEGIN SOLUTION
    logits, cache = forward(layers, activations, X)
    loss, dO = cross_entropy(logits, T)
    return loss, backward(layers, cache, dO)[0]
    ### END SOLUTION


def train(
    loss_and_gradients: Callable[[Layers, np.ndarray], tuple[float, Layers]],
    layers: Layers,
    batches: list[np.ndarray],
    rate: float,
) -> tuple[Layers, list[float]]:
    """Take one step of gradient descent for each batch, in order.

    loss_and_gradients(layers, batch) gives (the loss, L pairs of gradients) on a batch.
    layers: where to start; these arrays stay as they are.  rate: η.
    Returns (the layers after the last step, the loss on each batch *before* its step).
    """
    ### BEGIN SOLUTION
    losses = []
    for batch in batches:
        loss, gradients = loss_and_gradients(layers, batch)
        losses.append(loss)
        layers = [
            (W - rate * dW, b - rate * db)
            for (W, b), (dW, db) in zip(layers, gradients, strict=True)
        ]
    return layers, losses
    ### END SOLUTION


def accuracy(
    layers: Layers, activations: list[Activation], X: np.ndarray, labels: np.ndarray
) -> float:
    """Give the fraction of examples whose largest output stands in the label's place.

    X: n×K_0.  labels: n integers from 0 … K_L−1.  Of equal largest outputs, take any.
    """
    ### BEGIN SOLUTION
    outputs, _ = forward(layers, activations, X)
    return float(np.mean(outputs.argmax(axis=1) == labels))
    ### END SOLUTION


def gradient_norms(
    layers: Layers, activations: list[Activation], X: np.ndarray, T: np.ndarray
) -> list[float]:
    """Give ‖∂loss/∂W_l‖ = sqrt(Σ_kj (∂loss/∂w_kj)²) of the classifier loss for every layer.

    Arguments as in classifier_loss.
    Returns L numbers, first layer first; the biases are left out.
    """
    ### BEGIN SOLUTION
    _, gradients = classifier_loss(layers, activations, X, T)
    return [float(np.linalg.norm(dW)) for dW, _ in gradients]
    ### END SOLUTION


# %%
check("experiment")

# %% [markdown]
# The digits: 1,797 little pictures that people wrote by hand. Train on 1,200 of them and look at 300 others, the
# *validation* set. It takes a second or two. Then look at what it gets wrong; would you have known?
#
# Try a learning rate ten times larger, and ten times smaller. Try one hidden layer of 4 units. Every choice that you make
# by looking at the 300 is a little fitted to them, so the best of their accuracies flatters you. That is why 297 pictures
# are still in the drawer: when you have chosen, set `finished = True`, once. That number is the one to tell others.

# %% tags=["explore"]
rng = np.random.default_rng(0)
images, labels = digits()
order = rng.permutation(len(images))
X, labels = images.reshape(-1, 64)[order], labels[order]
T, seen, tuned = one_hot(labels, 10), 1200, 1500
finished = False

widths, activations = [64, 48, 10], [relu, linear]
start = [
    (rng.normal(size=(o, i)) * np.sqrt(2 / i), np.zeros(o))
    for i, o in zip(widths, widths[1:])
]
epochs = [np.array_split(rng.permutation(seen), 38) for _ in range(25)]


def loss_and_gradients(layers, batch):
    return classifier_loss(layers, activations, X[batch], T[batch])


layers, curve, shares = start, [], []
for batches in epochs:
    layers, losses = train(loss_and_gradients, layers, batches, rate=0.3)
    curve.append(np.mean(losses))
    shares.append(
        [
            accuracy(layers, activations, X[p], labels[p])
            for p in (slice(seen), slice(seen, tuned))
        ]
    )

guess = forward(layers, activations, X)[0].argmax(axis=1)
missed = [i for i in range(seen, tuned) if guess[i] != labels[i]]
figure, panels = plt.subplots(1, 2, figsize=(10, 3.6))
panels[0].semilogy(curve)
panels[0].set(title="mean loss in each epoch", xlabel="epoch")
panels[1].plot(shares, label=["training", "validation"])
panels[1].set(
    title=f"accuracy: {shares[-1][1]:.3f} on the validation set",
    xlabel="epoch",
    ylim=(0.8, 1.01),
)
panels[1].legend()
figure, panels = plt.subplots(1, 8, figsize=(11, 1.8))
for panel in panels:
    panel.axis("off")
for panel, i in zip(panels, missed):
    panel.imshow(X[i].reshape(8, 8), cmap="gray_r")
    panel.set_title(f"{labels[i]}, said {guess[i]}")
plt.show()
if finished:
    print(f"{accuracy(layers, activations, X[tuned:], labels[tuned:]):.3f} on the last 297")

# %% [markdown]
# ### How gradients travel
#
# Back-propagation multiplies: from $G_l$ to $G_{l-1}$ there is one factor $g'$ and one factor $W$. Through $L$ layers the
# gradient is a *product of $L$ such factors*, and products of many factors do one of two things. If the factors are
# below 1, it fades away; if they are above, it explodes. The bends are not to blame as such: in a linear network the
# weights alone do the same.
#
# For the sigmoid the case is clear. Its slope is at most $\tfrac14$. With weights of size 1, a chain of $L$ sigmoid units
# passes on at most $4^{-L}$ of the gradient. For ReLU the slope is 1 on every unit that is awake, and half of the units
# are. Let us do the sum. Say the weights of a layer are independent with mean 0 and variance $v$, and its inputs are
# $h_j$. Then $z=\sum_j w_jh_j$ has mean 0 and variance $\text{in}\cdot v\cdot\overline{h^2}$, where
# $\overline{h^2}$ is the mean square of the inputs. If those inputs came out of ReLUs, which let half of a symmetric $z$
# pass, then $\overline{h^2}$ is half the variance of the $z$ before. So the variance goes from layer to layer by the factor
# $\tfrac12\cdot\text{in}\cdot v$, and it neither grows nor shrinks when
#
# $$v=\frac{2}{\text{in}} .$$
#
# (For tanh, which is nearly linear around 0, take $v=1/\text{in}$.) The mean must be 0. Some notes advise a small positive
# mean for ReLU; with a mean of 0.05 in ten layers of 256 units the outputs come near $10^{10}$.
#
# Twelve layers, one batch of digits, five ways to begin; the first layer is on the left. The left panel shows the
# gradients of the weights. Through sigmoids the gradient loses most of its size at every layer, and the first layers
# learn next to nothing. The right panel shows the signal on its way forward. Through ReLUs a wrong variance makes it die
# away or explode, by the factor $\sqrt{\tfrac12\cdot\text{in}\cdot v}$ in each layer. On the left their lines are nearly
# level all the same, and only their *height* is wrong. For the gradient of a weight is what comes in times what comes
# back: each layer below multiplies the first by that factor, each layer above the second, so that every layer gets the
# same number of factors. Change the depth to 4: how much of the trouble is left?

# %% tags=["explore"]
rng = np.random.default_rng(2)
depth, width = 12, 64
ways = {
    "sigmoid, variance 1/in": (sigmoid, 1.0),
    "tanh, variance 1/in": (tanh, 1.0),
    "relu, variance 1/in": (relu, 1.0),
    "relu, variance 2/in": (relu, 2.0),
    "relu, variance 4/in": (relu, 4.0),
}
images, labels = digits()
X, T = images.reshape(-1, 64)[:100], one_hot(labels[:100], 10)

figure, panels = plt.subplots(1, 2, figsize=(12, 4.5))
for name, (g, gain) in ways.items():
    widths = [64] + [width] * (depth - 1) + [10]
    layers = [
        (rng.normal(size=(o, i)) * np.sqrt(gain / i), np.zeros(o))
        for i, o in zip(widths, widths[1:])
    ]
    bends = [g] * (depth - 1) + [linear]
    signal = [np.sqrt(np.mean(H**2)) for H, _ in forward(layers, bends, X)[1]]
    panels[0].semilogy(
        range(1, depth + 1), gradient_norms(layers, bends, X, T), ".-", label=name
    )
    panels[1].semilogy(range(1, depth + 1), signal, ".-")
panels[0].set(title="size of the gradient of W", xlabel="layer")
panels[1].set(title="size of the signal that enters", xlabel="layer")
panels[0].legend()
plt.show()

# %% [markdown]
# One more picture: XOR, which no line can separate, learnt rather than built. On the left the four corners as they are;
# on the right as the hidden layer sees them (two of them now lie on top of each other). The hidden layer moved the corners
# until a line was enough, and the last layer is that line.

# %% tags=["explore"]
corners, sides = xor()
T = one_hot((sides > 0).astype(int), 2)
rng = np.random.default_rng(4)
start = [(rng.normal(size=(2, 2)), np.zeros(2)), (rng.normal(size=(2, 2)), np.zeros(2))]
everything = [np.arange(4)] * 3000
layers, losses = train(
    lambda at, batch: classifier_loss(at, [tanh, linear], corners[batch], T[batch]),
    start,
    everything,
    rate=0.5,
)
hidden = forward(layers, [tanh, linear], corners)[1][1][0]
(W, b), reach = layers[1], np.linspace(-1.2, 1.2, 2)
normal, offset = W[1] - W[0], b[1] - b[0]

figure, panels = plt.subplots(1, 2, figsize=(9, 4))
for panel, points, title in zip(
    panels, (corners, hidden), ("the corners", "as the hidden layer sees them")
):
    panel.scatter(*points.T, c=np.where(sides > 0, "tab:blue", "tab:red"), s=120)
    panel.set_title(title)
panels[1].plot(reach, -(offset + normal[0] * reach) / normal[1], color="black")
panels[1].set(xlim=(-1.2, 1.2), ylim=(-1.2, 1.2))
plt.show()
print(f"loss at the beginning {losses[0]:.3f}, at the end {losses[-1]:.4f}")

# %% [markdown]
# ## What networks are for
#
# Some facts to think with, before ten short questions.
#
# **A linear score is monotone in every feature.** With the other features fixed, raising one can only help, always, or
# only harm, always. Many things are not like that. (A cunning feature may mend it; a hidden layer finds the feature
# itself.)
#
# **Layers build on layers.** In networks for images the first layer responds to small and local things, and later ones to
# what can be put together from them: edges, then motifs, then parts, then objects. Fine to coarse, not the other way.
#
# **A representation is shared out over units.** One could give each concept a unit of its own. A network rather describes
# each thing by *many* units, each of which takes part in describing many things. That is compact, and what is learnt about
# one thing carries over to others which share units with it. Units become different only because they *begin* different:
# two units with the same weights, in and out, get the same gradient and stay twins for ever.
#
# **What we do not understand.** That gradient descent brings the training loss of a large network down is, by now, the
# lesser riddle; in practice it mostly just does. Networks with far more weights than examples can fit the examples even
# when their labels are drawn by lot. Why, of all the weights that fit, it finds some that also do well on new examples, is
# the greater one.
#
# ## Question: ten short questions
#
# Answer each with one of the words in quotation marks, or with a number.
#
# 1. `stuck_run`. A classifier for ten classes, about equally frequent, with two hidden tanh layers. Loss by epoch: 2.3026,
#    2.3019, 2.3018, 2.3018, 2.3018, … Sizes of the gradients, on any batch: $W_1$ 0.0, $b_1$ 0.0, $W_2$ 0.0, $b_2$ 0.0,
#    $W_3$ 0.0, $b_3$ about 0.05. What is wrong? `"zeros"`: all weights began at zero. `"rate"`: the learning rate is too
#    large. `"fading"`: the gradient fades on its way through the layers. `"converged"`: nothing, no weights would do better.
# 2. `fading_run`. Sizes of the gradients of $W_1,\dots,W_6$ in a network with five hidden sigmoid layers: 0.0000021,
#    0.000014, 0.00011, 0.0008, 0.006, 0.05. The loss falls very slowly. Which change goes to the root of it? `"epochs"`:
#    train ten times longer. `"relu"`: another activation, begun with variance 2/in. `"clip"`: limit the size of each
#    gradient. `"batch"`: use larger batches.
# 3. `chain`. Five sigmoid units in a row, each the only input of the next, all weights 1. By the bound on the sigmoid's
#    slope, the derivative of the last output in the first input is at most $1/m$. Which $m$? (A number.)
# 4. `fever`. For a marmot a body temperature of 37 is harmless, and 5 is too (it hibernates); 20 and 41 are dangerous. The
#    temperature is the only input of a network with one hidden layer of ReLUs and a linear output, which is to be positive
#    exactly for the dangerous ones of these four. How many ReLUs does it need at least? (A number.)
# 5. `dead_unit`. A network with 3 inputs, one hidden layer of 4 ReLUs and 2 linear outputs has $4\cdot3+4+2\cdot4+2=26$ weights
#    and biases. The pre-activation of one of the ReLUs is negative for every training example. For how many of the 26 is the
#    gradient of the loss 0 for certain, whatever the targets and the rest of the network? (A number.)
# 6. `risk`. Four training examples. With some weights, the `"first"` setting, the losses are 0, 0, 0 and 4. With others,
#    the `"second"`, they are 0.9, 0.8, 0.7 and 0.8. Which does empirical risk minimisation prefer? Are both equally good to
#    it, `"both"`? Or does it also need the losses of other examples to decide, `"unknown"`?
# 7. `first_layer`. In a network that recognises cars, four units of four different layers. Each was given the picture that
#    excites it most. A: a round disc with spokes. B: a dark half beside a bright half. C: a car from the left. D: two dark
#    stripes that meet in a corner. In which order do their layers come, from the input to the output? `"ABDC"`, `"BADC"`,
#    `"BDAC"` or `"DBAC"`.
# 8. `codes`. Six units, each either on or off. If every concept has a unit of its own, which is on for it alone, six
#    concepts can be told apart. How many at most, if a concept may be any pattern over the six units? (A number.)
# 9. `last_layer`. In a classifier for ten classes somebody put a sigmoid on the last layer, before the softmax. However well
#    it is trained: how large can the probability of a class become at most? (A number, in per cent.)
# 10. `riddle`. A network with a million weights learns 1,000 labelled pictures: 100 % right on them, 95 % on new ones. The same
#     network learns the same pictures with labels drawn by lot: again 100 %, and 10 % on new ones. Which explanation of the
#     95 % does the second run refute? `"capacity"`: the network is too small to fit anything but the true rule. `"likeness"`:
#     new pictures are like the old ones. `"descent"`: of all weights that fit, descent finds rather simple ones.
#     `"start"`: small weights at the beginning keep the function smooth.

# %%
concept_answers = {
    "stuck_run": None,  # "zeros", "rate", "fading" or "converged"
    "fading_run": None,  # "epochs", "relu", "clip" or "batch"
    "chain": None,  # a number
    "fever": None,  # a number
    "dead_unit": None,  # a number
    "risk": None,  # "first", "second", "both" or "unknown"
    "first_layer": None,  # "ABDC", "BADC", "BDAC" or "DBAC"
    "codes": None,  # a number
    "last_layer": None,  # a number, in per cent
    "riddle": None,  # "capacity", "likeness", "descent" or "start"
}
### BEGIN SOLUTION
concept_answers.update(
    stuck_run="zeros",
    fading_run="relu",
    chain=1024,
    fever=3,
    dead_unit=6,
    risk="second",
    first_layer="BDAC",
    codes=64,
    last_layer=23.2,
    riddle="capacity",
)
### END SOLUTION

# %%
check("concepts")

# %% [markdown]
# That was the core. What follows is extra: each part stands alone, in any order.
#
# ## Extra: counting, converting, collapsing
#
# Three bits of bookkeeping that everybody needs and nobody enjoys. A layer from 4 features to 3 logits has 12 weights and 3
# biases. Half of the world stores a layer as $V$ of shape *in by out* and computes $xV+b$; to read its networks you need
# to turn them round. And a stack of linear layers is one affine map, whose matrix you can work out (its rank is at most the
# narrowest width on the way).


# %%
def count_parameters(widths: list[int]) -> tuple[int, int]:
    """Count the weights and the biases of a network with these widths K_0, K_1, …, K_L.

    Returns (number of weights, number of biases).
    """
    ### BEGIN SOLUTION
    return sum(i * o for i, o in zip(widths, widths[1:], strict=False)), sum(widths[1:])
    ### END SOLUTION


def from_in_out(foreign: Layers) -> Layers:
    """Bring layers (V: in×out, b), that is h ↦ g(hV + b), into our form (W: out×in, b)."""
    ### BEGIN SOLUTION
    return [(V.T, b) for V, b in foreign]
    ### END SOLUTION


def collapse(layers: Layers) -> tuple[np.ndarray, np.ndarray]:
    """Find the one layer (W: K_L×K_0, b: K_L) that equals this stack of *linear* layers."""
    ### BEGIN SOLUTION
    W_all, b_all = layers[0]
    for W, b in layers[1:]:
        W_all, b_all = W @ W_all, W @ b_all + b
    return W_all, b_all
    ### END SOLUTION


# %%
check("affine")

# %% [markdown]
# ## Extra: how to begin
#
# Where to start is not a detail.
#
# *All zeros, with tanh.* Every $H_l$ is 0, so every $\partial\mathcal L/\partial W=\Delta^\top H$ above the first layer is
# 0; every $G=\Delta W$ is 0, so nothing reaches the layers below. The one thing that moves is the bias of the output. It
# is a saddle, and gradient descent sits on it for ever.
#
# *All equal.* Now gradients are not zero, but all units of a layer compute the same and receive the same. Two hidden units
# are **twins** if their incoming weights, their biases *and* their outgoing weights agree. By the formulas of
# back-propagation twins get the same gradient in all three, so after any number of steps they are twins still. A layer
# of a hundred twins is a layer of one. (Equal incoming weights alone do not make twins: different outgoing weights bring
# different gradients back.)
#
# *At random.* Zero mean, so that no direction is preferred, and a variance of gain/in, with the gain 2 for ReLU as worked
# out above. Biases may start at 0: the weights already tell the units apart.


# %%
def init_layers(
    widths: list[int], rng: np.random.Generator, gain: float = 2.0
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Draw a network with the widths K_0, …, K_L.

    Every weight of layer l is drawn from rng, independently, with mean 0 and variance
    gain / K_{l−1}, from a normal distribution or from a uniform one. Biases are 0.
    Returns L pairs (W_l: K_l×K_{l−1}, b_l: K_l numbers).
    """
    ### BEGIN SOLUTION
    drawn = []
    for i, o in zip(widths, widths[1:], strict=False):
        drawn.append((rng.normal(scale=np.sqrt(gain / i), size=(o, i)), np.zeros(o)))
    return drawn
    ### END SOLUTION


def distinct_units(layers: Layers, tol: float = 1e-9) -> list[int]:
    """Count, in each hidden layer, the units that are different.

    Unit k of layer l < L is described by row k of W_l, entry k of b_l and column k of
    W_{l+1}. Two units are twins if no number of these descriptions differs by more than
    tol. Go through the units in order; a unit counts if it is no twin of one that counted.
    Returns L−1 counts, first layer first.
    """
    ### BEGIN SOLUTION
    counts = []
    for (W, b), (onward, _) in zip(layers, layers[1:], strict=False):
        units, known = np.column_stack([W, b, onward.T]), []
        for unit in units:
            if not any(np.abs(unit - other).max() <= tol for other in known):
                known.append(unit)
        counts.append(len(known))
    return counts
    ### END SOLUTION


# %%
check("init")

# %% [markdown]
# Watch the twins. The same network, begun in four ways, trained on digits; the legend counts the different units among the
# thirty. Why does the third way escape, though all its hidden units begin equal?

# %% tags=["explore"]
images, labels = digits()
X, T = images.reshape(-1, 64)[:800], one_hot(labels[:800], 10)
rng = np.random.default_rng(0)
(W1, _), (W2, _) = init_layers([64, 30, 10], rng, gain=1.0)
zero1, zero2 = np.zeros(30), np.zeros(10)
ways = {
    "zeros": [(0 * W1, zero1), (0 * W2, zero2)],
    "all 0.05": [(0 * W1 + 0.05, zero1), (0 * W2 + 0.05, zero2)],
    "equal in, random out": [(0 * W1 + 0.05, zero1), (W2, zero2)],
    "random": [(W1, zero1), (W2, zero2)],
}
batches = [rng.integers(800, size=50) for _ in range(400)]

plt.figure(figsize=(7.5, 4))
for name, start in ways.items():
    layers, losses = train(
        lambda at, batch: classifier_loss(at, [tanh, linear], X[batch], T[batch]),
        start,
        batches,
        rate=0.3,
    )
    smooth = np.convolve(losses, np.ones(20) / 20, mode="valid")
    plt.plot(smooth, label=f"{name}: {distinct_units(layers)[0]} of 30 are different")
plt.xlabel("step")
plt.ylabel("loss")
plt.legend()
plt.show()

# %% [markdown]
# ## Extra: a tiny automatic differentiator
#
# For the network you worked out each backward step yourself. There is no need to. Let every number remember **where it
# came from**: the numbers it was made of, and its derivative in each of them. Then the chain rule,
#
# $$\frac{\partial y}{\partial x}=\sum_m\frac{\partial y}{\partial u_m}\,\frac{\partial u_m}{\partial x},$$
#
# runs by itself, for anything that can be written down. Blocks like toy bricks: each knows its own slopes, and they can
# be put together in any way.
#
# The sum over $m$ is the whole difficulty. If $x$ is used in several places, its gradient is the sum over **all** of them,
# and it may be passed further back only when it is **complete**. So the nodes have to be visited in an order in which every
# node comes after everything that was made of it: a *topological* order, from the result backwards. And each node once: in
# the chain $x_1=x_0+x_0,\ x_2=x_1+x_1,\ \dots$ there are $2^{60}$ paths from $x_{60}$ to $x_0$, and 61 nodes.
#
# An example to try by hand: $r=uv$ with $u=t^2$ and $v=3t+1$. Two ways lead from $t$ to $r$:
# $\frac{dr}{dt}=v\cdot2t+u\cdot3=9t^2+2t$, which is 40 at $t=2$.
#
# *How to find the order without recursion* (Python gives up at a depth of about 1,000): count, for every node, how many
# uses of it are still open. Walk back from the result; a node whose count has come down to zero is complete.


# %%
class Value:
    """A number that remembers what it was made of.

    data: the number.  grad: the derivative of the result in it, after `backward` was called
    on the result.  parents: pairs (parent, slope), slope = ∂(this) / ∂(parent).
    """

    def __init__(
        self, data: float, parents: list[tuple["Value", float]] | None = None
    ) -> None:
        self.data = float(data)
        self.grad = 0.0
        self.parents = parents or []

    def __add__(self, other: "Value | float") -> "Value":
        other = other if isinstance(other, Value) else Value(other)
        ### BEGIN SOLUTION
        return Value(self.data + other.data, [(self, 1.0), (other, 1.0)])
        ### END SOLUTION

    def __mul__(self, other: "Value | float") -> "Value":
        other = other if isinstance(other, Value) else Value(other)
        ### BEGIN SOLUTION
        return Value(self.data * other.data, [(self, other.data), (other, self.data)])
        ### END SOLUTION

    def __pow__(self, k: float) -> "Value":
        """x to the power k, a plain number, where both this and its slope are finite."""
        ### BEGIN SOLUTION
        return Value(self.data**k, [(self, k * self.data ** (k - 1))])
        ### END SOLUTION

    def exp(self) -> "Value":
        """e to the power x."""
        ### BEGIN SOLUTION
        power = float(np.exp(self.data))
        return Value(power, [(self, power)])
        ### END SOLUTION

    def log(self) -> "Value":
        """The natural logarithm of x > 0."""
        ### BEGIN SOLUTION
        return Value(np.log(self.data), [(self, 1.0 / self.data)])
        ### END SOLUTION

    def tanh(self) -> "Value":
        """The hyperbolic tangent of x."""
        ### BEGIN SOLUTION
        bend = float(np.tanh(self.data))
        return Value(bend, [(self, 1.0 - bend**2)])
        ### END SOLUTION

    def relu(self) -> "Value":
        """max(0, x), with slope 0 at x = 0."""
        ### BEGIN SOLUTION
        return Value(max(0.0, self.data), [(self, 1.0 if self.data > 0 else 0.0)])
        ### END SOLUTION

    def backward(self) -> None:
        """Set grad = ∂(this) / ∂(node) in this node and in everything it was made of.

        A second call gives the same again: what was in grad before does not count.
        Works for graphs of any depth.
        """
        ### BEGIN SOLUTION
        uses: dict[Value, int] = {self: 0}
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
                    complete.append(parent)
        ### END SOLUTION

    # The rest is made of these.
    def __neg__(self) -> "Value":
        return self * -1.0

    def __sub__(self, other: "Value | float") -> "Value":
        return self + other * -1.0

    def __truediv__(self, other: "Value | float") -> "Value":
        return self * other**-1.0

    def __rtruediv__(self, other: float) -> "Value":
        return self**-1.0 * other

    def __radd__(self, other: float) -> "Value":
        return self + other

    def __rmul__(self, other: float) -> "Value":
        return self * other

    def __rsub__(self, other: float) -> "Value":
        return self * -1.0 + other


# %%
check("autodiff")

# %% [markdown]
# The network that we did by hand, said to the differentiator in six lines. Compare with the table.

# %% tags=["explore"]
x1, x2 = Value(1), Value(2)
W1 = [[Value(1), Value(-1)], [Value(1), Value(1)]]
b1, W2, b2 = [Value(0), Value(-1)], [Value(3), Value(0.5)], Value(1)
units = [(row[0] * x1 + row[1] * x2 + b).relu() for row, b in zip(W1, b1)]
out = W2[0] * units[0] + W2[1] * units[1] + b2
loss = 0.5 * (out - 1) ** 2
loss.backward()
print("W1:", [[w.grad for w in row] for row in W1], "  b1:", [b.grad for b in b1])
print("W2:", [w.grad for w in W2], "  b2:", b2.grad, "  x:", [x1.grad, x2.grad])

# %% [markdown]
# ## Extra: residual block, layer norm, dropout
#
# Three bricks that you will meet in every large network. Here each of them returns **its output and a function**, the way
# back: it takes the gradient of the loss in the output and returns the gradients in the inputs.
#
# **A residual block** computes $Y=X+F(X)$ for some $F$. Its derivative is $I+F'$: whatever $F$ does to the gradient, a copy
# of it passes untouched. A hundred such blocks in a row still have a direct line from the loss to the first of them.
#
# **Layer norm** standardises each example by itself, over its $d$ features, and then scales and moves:
#
# $$\hat x=\frac{x-\mu}{\sqrt{v+\varepsilon}}, \qquad y=\gamma\odot\hat x+\beta, \qquad \mu=\frac1d\sum_jx_j, \quad v=\frac1d\sum_j(x_j-\mu)^2 .$$
#
# The way back is yours to derive. $x_j$ acts in three ways: directly, through the mean and through the variance. With a bar
# for the mean over the features of one example, $d\mu=\overline{dx}$ and $dv=2\,\overline{(x-\mu)\,dx}$; put both into $d\hat x$,
# and collect what multiplies $dx$. A small case to hold your result against: for $x=(1,1,3,3)$, $\gamma=(1,1,1,1)$ and
# $\varepsilon=0$ we have $\mu=2$, $v=1$ and $\hat x=(-1,-1,1,1)$, and $\partial\mathcal L/\partial y=(4,0,0,0)$ leads to
# $\partial\mathcal L/\partial x=(2,-2,0,0)$. It sums to 0, since moving a row does not change $y$.
#
# **Dropout** sets each number to 0 with probability $p$, independently, anew at each call, and divides the survivors by
# $1-p$. So the expected output is the input, and at test time there is nothing to do: the output *is* the input. Units
# cannot rely on particular partners. On the way back the same mask applies.


# %%
Back = Callable[[np.ndarray], np.ndarray]


def residual(
    X: np.ndarray, F: Callable[[np.ndarray], tuple[np.ndarray, Back]]
) -> tuple[np.ndarray, Back]:
    """Give Y = X + F(X) and the way back.

    X: any shape.  F(X) returns (an array of the shape of X, its own way back).
    Returns (Y, back), where back(dY) gives ∂loss/∂X.
    """
    ### BEGIN SOLUTION
    change, back_through = F(X)
    return X + change, lambda dY: dY + back_through(dY)
    ### END SOLUTION


def layer_norm(
    X: np.ndarray, gamma: np.ndarray, beta: np.ndarray, eps: float = 1e-5
) -> tuple[np.ndarray, Callable[[np.ndarray], tuple[np.ndarray, np.ndarray, np.ndarray]]]:
    """Standardise every row of X over its features, then scale by γ and move by β.

    X: n×d.  gamma, beta: d numbers each.  eps stands inside the root.
    Returns (Y: n×d, back), where back(dY) gives (∂loss/∂X, ∂loss/∂γ, ∂loss/∂β).
    """
    ### BEGIN SOLUTION
    centred = X - X.mean(axis=1, keepdims=True)
    root = np.sqrt((centred**2).mean(axis=1, keepdims=True) + eps)
    hat = centred / root

    def back(dY):
        q = dY * gamma
        spread = hat * (q * hat).mean(axis=1, keepdims=True)
        inner = q - q.mean(axis=1, keepdims=True) - spread
        return inner / root, (dY * hat).sum(axis=0), dY.sum(axis=0)

    return gamma * hat + beta, back
    ### END SOLUTION


def dropout(
    X: np.ndarray, p: float, rng: np.random.Generator, training: bool
) -> tuple[np.ndarray, Back]:
    """Drop each number with probability p and divide the others by 1 − p; or do nothing.

    X: n×d.  0 ≤ p < 1.  rng: the source of chance.  Without training, Y is X.
    Returns (Y: n×d, back), where back(dY) gives ∂loss/∂X for the same mask.
    """
    ### BEGIN SOLUTION
    factor = (rng.random(X.shape) >= p) / (1 - p) if training else np.ones(X.shape)
    return X * factor, lambda dY: dY * factor
    ### END SOLUTION


# %%
check("blocks")

# %% [markdown]
# To compare with your paper, when the check is green: with $q=\gamma\odot\partial\mathcal L/\partial y$,
#
# $$\frac{\partial\mathcal L}{\partial x} = \frac{1}{\sqrt{v+\varepsilon}}\,\bigl(q-\overline{q}-\hat x\odot\overline{q\odot\hat x}\bigr) .$$

# %% [markdown]
# ## What you have now
#
# A network of any depth, its gradients, a judge for gradients that trusts nobody, and a picture of why deep networks were
# thought impossible and then were not. You saw that accuracy does not prove a gradient right, while a law of six symbols
# can prove it wrong; that the mean belongs to the loss and to nothing else; and that what matters in a long product is that
# its factors stay near 1.
#
# What comes next changes the layers, hardly ever the method. *Convolutional networks* share one small set of weights over
# all places of an image. *Recurrent networks* share one over all moments of a sequence, and there the product of factors
# becomes as long as the sequence. For each of them you will again write the way forward, the way back, and a check that the
# one belongs to the other.
