# %% [markdown]
# # Auto-encoders
#
# Ask a network to copy its input to its output. Put that way, the task is worthless: a wire can do it. It becomes
# interesting the moment you make the copying *hard*. Let the message pass through ten numbers where there were
# sixty-four. Spoil the input and ask for it whole again. Charge a fee for every number that is used. What comes through
# such a gate is what the data have in common, and nobody had to label anything.
#
# You will build the family: the tied auto-encoder with its gradient by hand, the linear one, which turns out to be an
# old friend, the denoising, the sparse and the contractive one, and the variational one, which can make up digits
# nobody wrote. For most of them there is an exact answer to compare with: a floor that no training can go below, a
# formula for the best denoiser, a probability that the bound must respect. You will hold your code against each.
#
# **How to work here.** Read a section, write the functions below it, run the `check` cell after them. A check that
# fails shows the smallest example it failed on. Cells with plots are there to look at and to play with; they are not
# graded. When you hand in, more checks run than the ones you have here: they ask whether the idea is right, not only
# the example. Seven questions make the hundred points, in about seven hours. What comes after them is extra.

# %%
from collections.abc import Callable

import matplotlib.pyplot as plt
import numpy as np
import torch

from redink import check
from redink_datasets import digits, ellipsoid

# %% [markdown]
# ## The idea
#
# An auto-encoder is two maps with a narrow place between them:
#
# $$x \;\xrightarrow{\ \text{encoder}\ }\; h \;\xrightarrow{\ \text{decoder}\ }\; \hat x .$$
#
# The *code* $h$ (also called the latent vector) has $k$ numbers, the example $x$ has $d$, and training makes $\hat x$
# resemble $x$. With $k<d$ something must be lost. The network may choose what, and it chooses well: it keeps the
# directions in which the examples differ most, and gives up the ones in which they hardly differ.
#
# The cell below shows the smallest case: points in the plane, and a code of one number. The decoder can only reach a
# curve (here a line), so every point is sent to a place on that line. The red segments are what is lost.

# %% tags=["explore"]
cloud = ellipsoid(np.random.default_rng(1), 40, [3.0, 0.25], reach=2.0)
code = (cloud.X - cloud.mean) @ cloud.axes[:, 0]  # one number for each point
copies = cloud.mean + np.outer(code, cloud.axes[:, 0])

plt.figure(figsize=(6, 4.5))
for point, copy in zip(cloud.X, copies, strict=True):
    plt.plot(*np.array([point, copy]).T, color="tab:red", linewidth=1)
ends = cloud.mean + np.outer([-5.5, 5.5], cloud.axes[:, 0])
plt.plot(*ends.T, color="0.6", linewidth=1, zorder=0, label="all that the decoder can say")
plt.scatter(*cloud.X.T, s=18, label="x")
plt.scatter(*copies.T, s=18, color="black", label="its reconstruction")
plt.axis("equal")
plt.legend(loc="lower left")
plt.show()

# %% [markdown]
# What is it good for? For *compression* and *pictures of data*: two numbers for each example can be drawn. For
# *features*: a code learnt from a million unlabelled examples helps a classifier that has a hundred labelled ones. For
# *finding what does not belong*: an example from elsewhere is reconstructed badly. For *hashing*: codes made of bits
# find similar documents by comparing machine words. And, with a probability behind it, for *making* new examples.
#
# The same works for sentences: one recurrent network reads the sentence into a vector, another writes it out again, and
# the target is the sentence itself.
#
# ## Conventions
#
# They hold in the whole notebook, and the checks hold you to them.
#
# - Examples stand in rows: `X` has shape $n\times d$. A weight matrix is *out × in*, so the encoder's `W` is
#   $k\times d$ and acts on rows as $XW^\top$.
# - The reconstruction loss of one example is half the squared error **summed** over its $d$ numbers,
#   $\tfrac12\lVert\hat x-x\rVert^2$. The loss of a data set is the **mean** over its $n$ examples. Gradients are those
#   of that mean. Penalties are means over the examples too.
# - $\sigma(z)=1/(1+e^{-z})$ is the logistic sigmoid, and it is given. Its slope is $\sigma'(z)=\sigma(z)(1-\sigma(z))$,
#   which you can write with $h=\sigma(z)$ alone: $h(1-h)$. Where $\lvert h\rvert$ has its kink, at 0, its derivative
#   counts as 0. (A $\sigma$ without a bracket after it is a standard deviation. Both names are too common to change.)
# - Logarithms are natural. Variances and covariances divide by $n$.
# - Arrays may hold integers. What you compute from them are numbers all the same, not cut to integers.
# - Functions never change the arrays and lists that they are given. Changing one costs one check of the question (the first
#   that sees it); the other checks look only at what is returned. Noise is always passed in, so that the same call gives the
#   same answer.


# %%
def sigmoid(z: np.ndarray) -> np.ndarray:
    """Give 1 / (1 + e^−z) of every entry, without overflow. (This one is given.)"""
    return (1 + np.tanh(z / 2)) / 2


# %% [markdown]
# ## Question: the tied auto-encoder
#
# The encoder is one layer. The decoder uses **the same matrix**, transposed; this halves the number of weights and is
# called *tying*. The output has no squashing function, so it can reach any number:
#
# $$h=\sigma(Wx+b), \qquad \hat x = W^\top h + c, \qquad L=\frac1n\sum_i\tfrac12\lVert\hat x_i-x_i\rVert^2 .$$
#
# **The gradient** is yours to derive. Begin with one example and the error $e=\hat x-x$, and go backwards: to $c$, to
# $h$, through the sigmoid to $a=Wx+b$, to $b$. And $W$? It stands in two places. When a number is used twice, each use
# has its own effect on the loss, and the derivative is the **sum** of the two. To find one of them, hold the other copy
# of $W$ fixed. Forget one, and training still goes downhill for a while, which is why this is the most popular bug of
# the subject: nothing crashes. For a data set everything is averaged over the examples.
#
# **Once by hand.** Take $d=2$, $k=1$ and
#
# $$x=(1,\,2), \quad W=(2\ \ {-1}), \quad b=0, \quad c=(0,\ 1.5) .$$
#
# | quantity | value |
# |:--|:--|
# | $a=2\cdot1-1\cdot2+0$ | $0$ |
# | $h=\sigma(0)$ | $0.5$ |
# | $\hat x=0.5\,(2,-1)+(0,\,1.5)$ | $(1,\ 1)$ |
# | $e=\hat x-x$, and the loss $\tfrac12\lVert e\rVert^2$ | $(0,-1)$, $0.5$ |
# | $\partial L/\partial c$ | $(0,-1)$ |
# | $\partial L/\partial h$ | $1$ |
# | $\partial L/\partial a$ and $\partial L/\partial b$ | $0.25$ |
# | $\partial L/\partial W$ with the decoder's copy held fixed | $(0.25,\ 0.5)$ |
# | $\partial L/\partial W$ with the encoder's copy held fixed | $(0,\ -0.5)$ |
# | $\partial L/\partial W$ | $(0.25,\ 0)$ |
#
# Nudge $h$, or a weight of one copy, and see where each number comes from. The two uses pull the second weight in opposite directions, and here they cancel exactly.
#
# Write the gradient by hand: in this question `torch.autograd` and `.backward()` are forbidden.


# %%
def encode(W: np.ndarray, b: np.ndarray, X: np.ndarray) -> np.ndarray:
    """Give the codes h = σ(W x + b) of all examples.

    W: k×d.  b: k numbers.  X: n×d.  Returns H: n×k.
    """
    ### BEGIN SOLUTION
    return sigmoid(X @ W.T + b)
    ### END SOLUTION


def decode(W: np.ndarray, c: np.ndarray, H: np.ndarray) -> np.ndarray:
    """Give the reconstructions x̂ = Wᵀ h + c of all codes, with the encoder's own W.

    W: k×d.  c: d numbers.  H: n×k.  Returns n×d.
    """
    ### BEGIN SOLUTION
    return H @ W + c
    ### END SOLUTION


def tied_loss(W: np.ndarray, b: np.ndarray, c: np.ndarray, X: np.ndarray) -> float:
    """Give the mean over the examples of ½‖x̂ − x‖².

    W: k×d.  b: k numbers.  c: d numbers.  X: n×d.
    """
    ### BEGIN SOLUTION
    errors = decode(W, c, encode(W, b, X)) - X
    return float(np.sum(errors**2) / (2 * len(X)))
    ### END SOLUTION


def tied_gradient(
    W: np.ndarray, b: np.ndarray, c: np.ndarray, X: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Give the gradient of tied_loss in W, b and c.

    W: k×d.  b: k numbers.  c: d numbers.  X: n×d.
    Returns (dW: k×d, db: k numbers, dc: d numbers).
    """
    ### BEGIN SOLUTION
    H = encode(W, b, X)
    e = (decode(W, c, H) - X) / len(X)
    delta = (e @ W.T) * H * (1 - H)
    return delta.T @ X + H.T @ e, delta.sum(axis=0), e.sum(axis=0)
    ### END SOLUTION


# %%
check("tied")

# %% [markdown]
# To compare with, now that yours passes, for one example:
#
# $$\frac{\partial L}{\partial c}=e, \qquad \frac{\partial L}{\partial h}=We, \qquad \delta:=\frac{\partial L}{\partial a}=(We)\odot h\odot(1-h)=\frac{\partial L}{\partial b},$$
#
# $$\frac{\partial L}{\partial W} \;=\; \underbrace{\delta\,x^\top}_{\text{as the encoder}} \;+\; \underbrace{h\,e^\top}_{\text{as the decoder}} .$$
#
# Now let it loose on real handwriting: 1,797 digits of $8\times8$ pixels. Every row of $W$ is a
# small picture, because it has one number for each pixel. What do the units look for? Then set `units = 5`, and
# `units = 100`.

# %% tags=["explore"]
images, labels = digits()
pixels = images.reshape(len(images), -1)[np.random.default_rng(0).permutation(len(images))]
units, rate = 30, 0.1

rng = np.random.default_rng(2)
parameters = [0.1 * rng.normal(size=(units, 64)), np.zeros(units), pixels.mean(axis=0)]
before = tied_loss(*parameters, pixels)
speed = [np.zeros_like(p) for p in parameters]  # momentum keeps 0.9 of the last step
for epoch in range(25):
    for batch in np.array_split(rng.permutation(len(pixels)), 18):
        slopes = tied_gradient(*parameters, pixels[batch])
        speed = [0.9 * v - rate * g for v, g in zip(speed, slopes, strict=True)]
        parameters = [p + v for p, v in zip(parameters, speed, strict=True)]

W, b, c = parameters
rows = np.stack([pixels[:10], decode(W, c, encode(W, b, pixels[:10])), W[:10]])
figure, panels = plt.subplots(3, 10, figsize=(10, 3.3))
for row, name in zip(range(3), ["x", "x̂", "W"], strict=True):
    for column in range(10):
        panels[row, column].imshow(rows[row, column].reshape(8, 8), cmap="gray")
        panels[row, column].set(xticks=[], yticks=[])
    panels[row, 0].set_ylabel(name, rotation=0, labelpad=12)
after = tied_loss(W, b, c, pixels)
figure.suptitle(f"loss {before:.2f} → {after:.2f}; below: what ten of the units look for")
plt.show()

# %% [markdown]
# ## The linear auto-encoder, an old friend
#
# Take the squashing function away. Centre the data, $\sum_i x_i=0$, and let the encoder be a $k\times d$ matrix $E$ and
# the decoder a $d\times k$ matrix $D$, not tied:
#
# $$\hat x = D\,E\,x, \qquad L(E,D)=\frac1n\sum_i\tfrac12\lVert DEx_i-x_i\rVert^2 .$$
#
# Whatever $E$ and $D$ are, $DE$ has rank at most $k$. So the question becomes: which rank-$k$ matrix comes nearest to
# copying? The theorem of Eckart and Young answers it. Let $\lambda_1\ge\dots\ge\lambda_d\ge0$ be the eigenvalues of the
# covariance $\Sigma=\frac1n\sum_i x_ix_i^\top$, and $v_1,\dots,v_d$ its orthonormal eigenvectors. Then
#
# $$\min_{E,D} L(E,D) \;=\; \tfrac12\sum_{j>k}\lambda_j ,$$
#
# and it is reached when $DE=VV^\top$, the orthogonal projection on the span of $v_1,\dots,v_k$. That is *principal
# component analysis*.
#
# **Why.** Fix the plane that the decoder can reach, the span of the columns of $D$. The best copy of $x$ within a plane
# is its orthogonal projection $Px$, and what is lost is $\lVert x-Px\rVert^2=\lVert x\rVert^2-\lVert Px\rVert^2$. So
# the best plane is the one that keeps most: it maximises
#
# $$\frac1n\sum_i\lVert Px_i\rVert^2=\operatorname{tr}(P\Sigma)=\sum_j\lambda_j\,\underbrace{v_j^\top P\,v_j}_{p_j} .$$
#
# The weights $p_j$ lie between 0 and 1 and sum to $\operatorname{tr}P=k$. You have $k$ units of weight to put on the
# eigenvalues, at most one on each: put them on the largest. $\blacksquare$
#
# **What it does not say.** It says nothing about $E$ and $D$ themselves. For any invertible $k\times k$ matrix $M$,
#
# $$(DM)\,(M^{-1}E) = DE ,$$
#
# so $(M^{-1}E,\ DM)$ has the same loss. A trained linear auto-encoder finds PCA's **subspace** and PCA's error, and in
# general none of its axes: its columns need not be orthogonal, nor of length 1, nor sorted. To compare two subspaces,
# compare what does not depend on the basis: the orthogonal projector. For a $B$ with independent columns it is
#
# $$P=B\,(B^\top B)^{-1}B^\top .$$
#
# Three warnings. The floor binds *linear* maps: a curved decoder may go below it. It binds them *on the data that
# $\Sigma$ was computed from*: on other data, anything may happen. And it is about *centred* data: PCA subtracts the
# mean first.
#
# ## Question: linear auto-encoders and PCA
#
# For `pca` and `eckart_young`, `np.linalg.svd` and `np.linalg.eigh` are the right tools: PCA itself is not the
# exercise. (`sklearn` is forbidden, and so are `torch.autograd` and `.backward` for the gradient.) If $X$ is centred
# and $X=U\,\mathrm{diag}(s)\,V^\top$, then $\lambda_j=s_j^2/n$.
#
# For the gradient, let $R=X E^\top D^\top-X$ be the $n\times d$ matrix of errors. Each of $E$ and $D$ is used once; the
# shapes leave you little choice.


# %%
def pca(X: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Give the mean of the examples and the k leading principal directions.

    X: n×d, not centred.  1 ≤ k ≤ min(n, d).
    Returns (mean: d numbers, V: d×k with orthonormal columns, largest variance first).
    """
    ### BEGIN SOLUTION
    mean = X.mean(axis=0)
    return mean, np.linalg.svd(X - mean, full_matrices=False)[2][:k].T
    ### END SOLUTION


def eckart_young(X: np.ndarray, k: int) -> float:
    """Give the floor ½ Σ_{j>k} λ_j: the least loss of any linear map of rank k.

    X: n×d, not centred; λ_1 ≥ λ_2 ≥ … are the eigenvalues of its covariance (with 1/n).
    k: 0 ≤ k ≤ d.
    """
    ### BEGIN SOLUTION
    lengths = np.linalg.svd(X - X.mean(axis=0), compute_uv=False)
    return float(np.sum(lengths[k:] ** 2) / (2 * len(X)))
    ### END SOLUTION


def projector(B: np.ndarray) -> np.ndarray:
    """Give the orthogonal projector P = B (BᵀB)⁻¹ Bᵀ on the span of the columns of B.

    B: d×k, independent columns, neither orthogonal nor of length 1.  Returns d×d.
    """
    ### BEGIN SOLUTION
    return B @ np.linalg.solve(B.T @ B, B.T)
    ### END SOLUTION


def linear_gradient(
    E: np.ndarray, D: np.ndarray, X: np.ndarray
) -> tuple[float, np.ndarray, np.ndarray]:
    """Give the loss (the mean of ½‖D E x − x‖²) and its gradient in E and in D.

    E: k×d.  D: d×k.  X: n×d, taken as it is (the caller has centred it).
    Returns (a number, dE: k×d, dD: d×k).
    """
    ### BEGIN SOLUTION
    Z = X @ E.T
    R = Z @ D.T - X
    loss = float(np.sum(R**2) / (2 * len(X)))
    return loss, (R @ D).T @ X / len(X), R.T @ Z / len(X)
    ### END SOLUTION


# %%
check("linear")

# %% [markdown]
# The principal directions of the digits are pictures too. On the right, the floor for every $k$: how much does the
# tenth number of a code buy, and how much the fiftieth?

# %% tags=["explore"]
mean, V = pca(pixels, 10)
sizes = [0, 1, 2, 4, 7, 10, 15, 20, 30, 40, 64]
floors = [eckart_young(pixels, k) for k in sizes]

figure = plt.figure(figsize=(11, 3.6), layout="constrained")
left, right = figure.subfigures(1, 2, width_ratios=[1.3, 1])
for column, panel in enumerate(left.subplots(2, 5).flat):
    panel.imshow(V[:, column].reshape(8, 8), cmap="RdBu")
    panel.set(xticks=[], yticks=[], title=f"v{column + 1}")
panel = right.subplots()
panel.plot(sizes, floors, ".-")
panel.set(xlabel="size of the code, k", ylabel="floor: ½ Σ of the left-over λ", ylim=0)
plt.show()

# %% [markdown]
# ## Question: down to the floor
#
# Now train a linear auto-encoder by plain gradient descent on real digits, and see whether it finds the floor that the
# theorem promises. It is not obvious that it should: $L(E,D)$ is not convex. (It has saddle points, $E=D=0$ among them,
# but no bad valleys. This is known only since 1989.)
#
# The start is given, so that everybody's descent is the same. One step takes both gradients *at the same place* and
# then moves both:
#
# $$E\leftarrow E-\eta\,\frac{\partial L}{\partial E}, \qquad D\leftarrow D-\eta\,\frac{\partial L}{\partial D} .$$
#
# Then report honestly. Everything that is learnt from data, **the mean too**, is learnt from the training set. The test
# set is only looked at.


# %%
def train_linear(
    X: np.ndarray, E: np.ndarray, D: np.ndarray, rate: float, steps: int
) -> tuple[np.ndarray, np.ndarray, list[float]]:
    """Train a linear auto-encoder by gradient descent from the given E and D.

    X: n×d, taken as it is.  E: k×d.  D: d×k.
    Returns (E, D, losses); losses[t] is the loss after t steps, for t = 0, …, steps.
    """
    ### BEGIN SOLUTION
    losses = []
    for _ in range(steps):
        loss, dE, dD = linear_gradient(E, D, X)
        losses.append(loss)
        E, D = E - rate * dE, D - rate * dD
    losses.append(linear_gradient(E, D, X)[0])
    return E, D, losses
    ### END SOLUTION


def digits_report(
    train: np.ndarray,
    test: np.ndarray,
    E: np.ndarray,
    D: np.ndarray,
    rate: float,
    steps: int,
) -> tuple[float, float, float]:
    """Train on centred training data and measure on both sets.

    train: n×d and test: m×d, not centred.  E: k×d and D: d×k, where training starts.
    Returns (the loss on the training data after training,
             the loss on the test data, centred as the training data were,
             the floor eckart_young of the training data for this k).
    """
    ### BEGIN SOLUTION
    centre = train.mean(axis=0)
    E, D, losses = train_linear(train - centre, E, D, rate, steps)
    tested = linear_gradient(E, D, test - centre)[0]
    return losses[-1], tested, eckart_young(train, len(E))
    ### END SOLUTION


# %%
check("experiment")

# %% [markdown]
# The left panel shows the descent: how far above the floor it still is, on a logarithmic scale. The fast part finds the
# large directions, the slow tail sorts out the last ones, whose variances are nearly equal. (Start at
# `0.001 * rng.normal(…)`, nearer to the saddle, and see it hesitate.) The right panel sets linear auto-encoders beside
# a curved one with ReLUs, on training and test digits. Its points lie *below* the floor, and nothing is wrong: the
# floor was never about it. On the test digits it loses some of its lead. Why?

# %% tags=["explore"]
torch.set_num_threads(1)  # for matrices this small, one thread is the fastest
quick = False  # True: a shorter run for a slow laptop
train, test = pixels[:1400], pixels[1400:]
rng = np.random.default_rng(3)
start = 0.1 * rng.normal(size=(10, 64)), 0.1 * rng.normal(size=(64, 10))
few = train[:400]
_, D, losses = train_linear(few - few.mean(axis=0), *start, rate=1.0, steps=800)
floor = eckart_young(few, 10)
apart = np.linalg.norm(projector(D) - projector(pca(few, 10)[1]), 2)

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4))
left.semilogy(np.array(losses) - floor)
left.set(xlabel="steps", ylabel="loss − floor")
left.set_title(f"sine of the largest angle to PCA's plane: {apart:.3f}")

sizes, curved = [1, 2, 4, 7, 10], []
torch.manual_seed(0)
inside, outside = (
    torch.tensor(part - train.mean(axis=0)).float() for part in (train, test)
)
for k in sizes:
    network = torch.nn.Sequential(
        torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, k),
        torch.nn.Linear(k, 64), torch.nn.ReLU(), torch.nn.Linear(64, 64),
    )  # fmt: skip
    adam = torch.optim.Adam(network.parameters(), lr=4e-3)
    for _ in range(10 if quick else 50):
        for batch in torch.randperm(len(inside)).split(100):
            loss = (network(inside[batch]) - inside[batch]).square().sum(dim=1).mean() / 2
            adam.zero_grad()
            loss.backward()
            adam.step()
    with torch.no_grad():
        ends = [
            (network(part) - part).square().sum(dim=1).mean() / 2
            for part in (inside, outside)
        ]
    curved.append([float(end) for end in ends])
straight = []
for k in sizes:
    middle, V = pca(train, k)
    flat = V @ V.T
    straight.append(
        [
            0.5 * np.sum(((p - middle) @ flat - p + middle) ** 2) / len(p)
            for p in (train, test)
        ]
    )
for points, colour, name in [
    (straight, "tab:blue", "linear"),
    (curved, "tab:orange", "curved"),
]:
    right.plot(
        sizes, np.array(points)[:, 0], "o-", color=colour, label=f"{name}, training digits"
    )
    right.plot(
        sizes, np.array(points)[:, 1], "s--", color=colour, label=f"{name}, test digits"
    )
right.set(xlabel="size of the code, k", ylabel="mean of ½‖x̂ − x‖²", ylim=0)
right.legend()
plt.show()

# %% [markdown]
# ## Question: denoising
#
# There is another way to make copying hard: damage the input. A *denoising* auto-encoder gets $\tilde x=x+\nu$, where
# $\nu$ is noise, and must give back the **clean** $x$:
#
# $$L=\frac1n\sum_i\tfrac12\lVert\hat x(\tilde x_i)-x_i\rVert^2 .$$
#
# The target is everything here. With the noisy $\tilde x_i$ as the target the best network is a wire: it copies the
# noise along with the picture, at a loss of 0. (There are lecture notes with this mistake in them.) With the clean
# target, a wire pays for all the noise, so the network must learn what the data look like. The input is damaged while
# training; when the network is *used*, nobody adds noise.
#
# **The linear case can be solved.** Begin with one number: $x$ has mean 0 and variance $v$, the noise is independent of
# it, has mean 0 and variance $\sigma^2$, and $\hat x=a\,(x+\nu)$. On average over the noise the cross term vanishes:
#
# $$\tfrac12\,\mathbb E\bigl(a(x+\nu)-x\bigr)^2=\tfrac12(a-1)^2v+\tfrac12a^2\sigma^2, \qquad\text{least at}\qquad a=\frac{v}{v+\sigma^2} .$$
#
# With signal and noise equally strong, the best you can do is to believe *half* of what you see.
#
# In $d$ dimensions the map is $\hat x=A\tilde x+b$, and the noise has mean 0 and covariance $\sigma^2I$. **The loss of this
# map, averaged over all noise,** is yours to work out: which terms of $\tfrac12\lVert A(x+\nu)+b-x\rVert^2$ vanish on average,
# and what is the mean of $\lVert A\nu\rVert^2$? One case to hold it to:
#
# $$x=\begin{pmatrix}1\\0\end{pmatrix},\quad A=\begin{pmatrix}1&2\\0&2\end{pmatrix},\quad b=0,\quad \sigma=1 .$$
#
# Here $Ax=x$, so without noise nothing is lost. With it, the loss is $\tfrac12(1+4+0+4)=4.5$ on average.
#
# **The best map** is yours too. Set the derivative in $b$ to zero, and see where the mean $m$ of the data goes. Then set the
# derivative in $A$ to zero, a matrix equation with the covariance $\Sigma$ of the data (divided by $n$). In numbers:
#
# $$m=0,\quad\Sigma=\begin{pmatrix}2&1\\1&2\end{pmatrix},\quad \sigma=1 \qquad\text{gives}\qquad A=\begin{pmatrix}0.625&0.125\\0.125&0.625\end{pmatrix},\quad b=0 .$$
#
# Along the axes $(1,1)$ and $(1,-1)$ the variances are 3 and 1, and this $A$ multiplies by $\tfrac34$ and by $\tfrac12$: the
# formula for one number, on every principal axis.
#
# `denoising_loss` works for any network: `reconstruct` takes any number of examples in rows, and gives as many.


# %%
def denoising_loss(
    reconstruct: Callable[[np.ndarray], np.ndarray], X: np.ndarray, noise: np.ndarray
) -> float:
    """Give the mean of ½‖x̂ − x‖², where x̂ = reconstruct(x + noise) and x is clean.

    reconstruct: maps m×d to m×d for any m, row by row, and leaves its input as it is.
    X: n×d, clean.  noise: n×d.
    """
    ### BEGIN SOLUTION
    return float(np.sum((reconstruct(X + noise) - X) ** 2) / (2 * len(X)))
    ### END SOLUTION


def noise_averaged_loss(A: np.ndarray, b: np.ndarray, X: np.ndarray, sigma: float) -> float:
    """Give the denoising loss of x̂ = A x̃ + b, averaged exactly over all noise.

    The noise has mean 0 and covariance σ² I, and does not depend on x.
    A: d×d.  b: d numbers.  X: n×d, clean.  sigma: σ, the standard deviation of the noise.
    """
    ### BEGIN SOLUTION
    misses = X @ A.T + b - X
    return float(np.sum(misses**2) / (2 * len(X)) + sigma**2 * np.sum(A**2) / 2)
    ### END SOLUTION


def linear_denoiser(X: np.ndarray, sigma: float) -> tuple[np.ndarray, np.ndarray]:
    """Give the A and b that minimise noise_averaged_loss on these data.

    X: n×d, clean, not centred; n may be smaller than d.  sigma: σ, from 0.1 upwards.
    Returns (A: d×d, b: d numbers).
    """
    ### BEGIN SOLUTION
    centre, unit = X.mean(axis=0), np.eye(X.shape[1])
    covariance = (X - centre).T @ (X - centre) / len(X)
    A = covariance @ np.linalg.inv(covariance + sigma**2 * unit)
    return A, (unit - A) @ centre
    ### END SOLUTION


# %%
check("denoise")

# %% [markdown]
# To compare with, now that yours passes. The cross term vanishes, and $\mathbb E\lVert A\nu\rVert^2=\sigma^2\lVert A\rVert_F^2$:
#
# $$\bar L(A,b)=\frac1n\sum_i\tfrac12\lVert Ax_i+b-x_i\rVert^2+\tfrac{\sigma^2}2\lVert A\rVert_F^2 .$$
#
# Read it: noise on the input *is* a ridge penalty on the weights. The derivative in $b$ gives $b=(I-A)\,m$, so the centre of
# the data stays where it is, and the derivative in $A$ gives
#
# $$(A-I)\,\Sigma+\sigma^2A=0 \quad\Longrightarrow\quad A=\Sigma\,(\Sigma+\sigma^2I)^{-1} .$$
#
# Along each principal axis this is $\lambda_j/(\lambda_j+\sigma^2)$. PCA keeps an axis or drops it; the denoiser turns it down
# like a knob.
#
# Digits under heavy noise, and what your formula makes of them. It has seen no digit of the test set, and it is only a
# matrix. Change `sigma`: what does it give when there is nothing but noise?

# %% tags=["explore"]
sigma, rng = 0.4, np.random.default_rng(4)
shown = pixels[1400:1410]
spoilt = shown + sigma * rng.normal(size=shown.shape)
A, b = linear_denoiser(pixels[:1400], sigma)
mended = spoilt @ A.T + b

figure, panels = plt.subplots(3, 10, figsize=(10, 3.3))
for row, (name, pictures) in enumerate(
    {"clean": shown, "noisy": spoilt, "mended": mended}.items()
):
    for column in range(10):
        panels[row, column].imshow(
            pictures[column].reshape(8, 8), cmap="gray", vmin=0, vmax=1
        )
        panels[row, column].set(xticks=[], yticks=[])
    panels[row, 0].set_ylabel(name)
plt.show()

# %% [markdown]
# ## Question: penalties on the code
#
# A third way: let the code be as large as it likes, larger than $x$ even, but put a price on it, a *penalty*. The objective
# is the reconstruction loss plus $\lambda$ times the penalty, and three penalties are common.
#
# **The size of the code**, $\Omega=\frac1n\sum_i\lVert h_i\rVert^2$. It keeps the code from hiding information in huge
# numbers.
#
# **Sparsity**, $\Omega=\frac1n\sum_i\sum_j\lvert h_{ij}\rvert$. Why does the absolute value make numbers *exactly* 0
# when the square does not? Look at one number of the code that would like to be $a$:
#
# $$\min_h\ \tfrac12(h-a)^2+\lambda\lvert h\rvert \qquad\text{against}\qquad \min_h\ \tfrac12(h-a)^2+\lambda h^2 .$$
#
# The square has the answer $a/(1+2\lambda)$: smaller, never 0. It charges less and less for the last bit. The absolute
# value charges the same price $\lambda$ for every bit, so whoever is not worth it goes. Where $h>0$ the derivative is
# $h-a+\lambda$, so $h=a-\lambda$, if that is positive; likewise $h=a+\lambda$ if that is negative; and between, when
# $\lvert a\rvert\le\lambda$, nothing beats $h=0$. This is the *soft threshold*.
#
# **Contraction.** A code should not tremble when the input does. So charge for the derivatives of the code with respect
# to the input, all $k\times d$ of them:
#
# $$\Omega=\frac1n\sum_i\lVert J_i\rVert_F^2, \qquad J_i=\frac{\partial h_i}{\partial x_i} .$$
#
# For the encoder $h=\sigma(Wx+b)$, row $j$ of the Jacobian is $s_j\,w_j$, where $w_j$ is row $j$ of $W$ and
# $s_j=h_j(1-h_j)$ is the slope of unit $j$ at this example. So, with $r_j=\lVert w_j\rVert^2$,
#
# $$\Omega=\frac1n\sum_i\sum_j s_{ij}^2\,r_j .$$
#
# This is not weight decay. A unit can make $\Omega$ small in two ways, by small weights or by *saturating*: where $h$
# is nearly 0 or 1, the slope is nearly 0.
#
# **Its gradient** is yours to derive. $w_j$ is in $r_j$, and it is in $s_{ij}$ too, through $a_{ij}=w_j\cdot x_i+b_j$; so
# there are two terms for $w_j$, and one for $b_j$. You need the derivative of $s=h(1-h)$ by $a$: write it with $h$ and
# $s$ alone. One unit and one number to hold it to: $x=3$, $w=2$, and a $b$ for which $h=0.8$. Then $s=0.16$,
# $\Omega=0.16^2\cdot4=0.1024$, $\partial\Omega/\partial b=-0.12288$ and $\partial\Omega/\partial w=0.1024-0.36864=-0.26624$.
# Why is the one in $b$ negative?
#
# The three penalties get the codes `H`, so they need no encoder, and they know no $\lambda$; the caller multiplies. Only
# `sparse_code`, which solves the small problem above, is told its $\lambda$. In this question too, `torch.autograd` and
# `.backward` are forbidden.


# %%
def l2_penalty(H: np.ndarray) -> tuple[float, np.ndarray]:
    """Give the mean over the examples of ‖h‖², and its gradient in H.

    H: n×k.  Returns (a number, n×k numbers).
    """
    ### BEGIN SOLUTION
    return float(np.sum(H**2) / len(H)), 2 * H / len(H)
    ### END SOLUTION


def l1_penalty(H: np.ndarray) -> tuple[float, np.ndarray]:
    """Give the mean over the examples of Σ_j |h_j|, and its gradient in H (0 where h = 0).

    H: n×k, of either sign.  Returns (a number, n×k numbers).
    """
    ### BEGIN SOLUTION
    return float(np.sum(np.abs(H)) / len(H)), np.sign(H) / len(H)
    ### END SOLUTION


def sparse_code(A: np.ndarray, lam: float) -> np.ndarray:
    """Give for every entry a of A the h that minimises ½(h − a)² + λ|h|.

    A: an array of any shape.  lam: λ ≥ 0.  Returns an array of the same shape.
    """
    ### BEGIN SOLUTION
    return np.sign(A) * np.maximum(np.abs(A) - lam, 0)
    ### END SOLUTION


def contractive_penalty(
    W: np.ndarray, H: np.ndarray, X: np.ndarray
) -> tuple[float, np.ndarray, np.ndarray]:
    """Give the mean over the examples of ‖∂h/∂x‖²_F for h = σ(W x + b), and its gradient.

    W: k×d.  H: n×k, the codes of X.  X: n×d.
    Returns (a number, the gradient in W: k×d, the gradient in b: k numbers).
    """
    ### BEGIN SOLUTION
    squared = (H * (1 - H)) ** 2
    r = np.sum(W**2, axis=1)
    bend = 2 * (1 - 2 * H) * squared * r / len(X)
    dW = 2 * squared.mean(axis=0)[:, None] * W + bend.T @ X
    return float(np.sum(squared * r) / len(X)), dW, bend.sum(axis=0)
    ### END SOLUTION


# %%
check("penalties")

# %% [markdown]
# To compare with, now that yours passes. The derivative of $s=h(1-h)$ by $a$ is $(1-2h)\,s$, so that of $s^2$ is
# $2(1-2h)\,s^2$, and
#
# $$\frac{\partial\Omega}{\partial b_j}=\frac1n\sum_i 2(1-2h_{ij})\,s_{ij}^2\,r_j, \qquad \frac{\partial\Omega}{\partial w_j}=\frac1n\sum_i\Bigl(2s_{ij}^2\,w_j+2(1-2h_{ij})\,s_{ij}^2\,r_j\,x_i\Bigr) .$$
#
# The two prices, seen on one number. And on the right what they do to the principal coordinates of the digits: with the
# absolute value most of the code is exactly 0, and the digit can still be read.

# %% tags=["explore"]
a, lam = np.linspace(-3, 3, 301), 0.8
centre, V = pca(pixels, 64)
coordinates = (pixels[:8] - centre) @ V

figure = plt.figure(figsize=(11, 3.8), layout="constrained")
left, right = figure.subfigures(1, 2, width_ratios=[1, 1.5])
panel = left.subplots()
panel.plot(a, a, color="0.7", label="no price")
panel.plot(a, a / (1 + 2 * lam), label="λh²: smaller, never 0")
panel.plot(a, sparse_code(a, lam), label="λ|h|: 0 in the middle")
panel.set(xlabel="a", ylabel="best h")
panel.legend()
prices, panels = [0.0, 0.1, 0.25, 0.5], right.subplots(4, 8)
for price, row in zip(prices, panels, strict=True):
    codes = sparse_code(coordinates, price)
    for panel, code in zip(row, codes, strict=True):
        panel.imshow((centre + V @ code).reshape(8, 8), cmap="gray")
        panel.set(xticks=[], yticks=[])
    row[0].set_ylabel(f"λ = {price}\n{np.count_nonzero(codes) / 8:.0f} of 64", fontsize=8)
plt.show()

# %% [markdown]
# ## The variational auto-encoder
#
# Can the decoder make *new* digits? Feed it a random code, and a plain auto-encoder answers with rubbish: it was never
# told which codes are used and which lie in the gaps. A *variational* auto-encoder (VAE) begins at the other end, with
# a story of how data come about:
#
# $$z\sim p(z)=\mathcal N(0, I_k), \qquad x\sim p(x\mid z)=\mathcal N\bigl(\mathrm{decoder}(z),\,s^2I_d\bigr) .$$
#
# A good decoder gives the observed examples a high probability $p(x)=\int p(x\mid z)\,p(z)\,dz$. The integral is
# hopeless: nearly every $z$ explains a given $x$ so badly that it adds nothing. What helps is a guess $q(z\mid x)$ of
# where the good $z$ are. That is the encoder's task: it gives, for each $x$, a mean $\mu$ and a variance for each
# number of the code,
#
# $$q(z\mid x)=\mathcal N\bigl(\mu,\ \mathrm{diag}(e^{\ell})\bigr), \qquad \ell=\log\sigma^2 .$$
#
# The network gives the **logarithm of the variance**, which may be any number, so $\sigma=e^{\ell/2}$.
#
# **The bound.** Multiply and divide by $q$, and use that the logarithm of a mean is at least the mean of the logarithms
# (Jensen's inequality; the logarithm is concave):
#
# $$\log p(x)=\log\,\mathbb E_{q}\!\left[\frac{p(x\mid z)\,p(z)}{q(z\mid x)}\right] \;\ge\; \mathbb E_q\!\left[\log\frac{p(x\mid z)\,p(z)}{q(z\mid x)}\right] = \underbrace{\mathbb E_q[\log p(x\mid z)]}_{\text{reconstruction}}-\underbrace{\mathrm{KL}\bigl(q(z\mid x)\,\Vert\,p(z)\bigr)}_{\text{price of the code}} .$$
#
# The right side is the *evidence lower bound*, ELBO. Training **maximises** it (or minimises its negative). Since
# $p(x\mid z)\,p(z)=p(z\mid x)\,p(x)$, what is missing is exactly $\mathrm{KL}(q(z\mid x)\,\Vert\,p(z\mid x))$: the
# bound is tight when the guess is the true posterior. A generative adversarial network (GAN) has no such thing: it is
# trained by a game against a critic, and offers no bound on the probability of anything.
#
# **The price** has a closed form, and it is yours to find. For one number of the code,
#
# $$\mathrm{KL}\bigl(\mathcal N(\mu,\sigma^2)\,\Vert\,\mathcal N(0,1)\bigr)=\mathbb E_q[\log q(z)-\log p(z)]=\mathbb E_q\bigl[-\tfrac12\log\sigma^2-\tfrac{(z-\mu)^2}{2\sigma^2}+\tfrac{z^2}{2}\bigr] .$$
#
# What is the mean of $(z-\mu)^2$ under $q$, and that of $z^2$? By hand: $\mu=0.7$ and $\sigma=0.5$ make the three terms
# $0.6931$, $-0.5$ and $0.37$, so the price is $0.5631$. It is never negative, and 0 only when $q$ *is* the prior. Several
# numbers of a code are independent: their prices add up.
#
# **The reconstruction term** is a mean over $z\sim q$, so one draws. But a random draw has no derivative with respect
# to $\mu$ and $\sigma$: if you write "draw $z$ from $\mathcal N(\mu,\sigma^2)$", the encoder learns nothing from it.
# The trick is to draw the randomness elsewhere:
#
# $$z=\mu+\sigma\,\varepsilon, \qquad \varepsilon\sim\mathcal N(0, I) .$$
#
# Now $z$ is an ordinary function of $\mu$ and $\ell$, with $\partial z/\partial\mu=1$ and
# $\partial z/\partial\ell=\tfrac12\sigma\varepsilon$.
#
# ## Question: the variational auto-encoder
#
# These four are in `torch`, so that gradients flow through them by themselves. `torch.distributions` is forbidden; all
# else of torch is allowed. Nothing may cut the way from the weights to the loss: no `.detach()`, `.data`, `.item()` or
# `float(…)` on it. Only when the step is done, `vae_step` makes a number of the loss. Make every new tensor on the device
# of the tensors you were given; then the same code runs on a GPU.
#
# Mind the units. Both terms of the ELBO are logarithms of probabilities of a **whole** example: sums over its $d$
# pixels and over its $k$ code numbers. Averaging one of them and summing the other is the commonest way to ruin a VAE.
# The Gaussian's constant belongs to it as well:
#
# $$\log p(x\mid z)=-\frac d2\log(2\pi s^2)-\frac{\lVert x-\mathrm{decoder}(z)\rVert^2}{2s^2} .$$


# %%
def reparametrise(
    mu: torch.Tensor, logvar: torch.Tensor, eps: torch.Tensor
) -> torch.Tensor:
    """Give z = μ + σ ε with σ = e^(ℓ/2).

    mu, logvar: n×k.  eps: n×k, or S×n×k for S draws per example.  Returns the shape of eps.
    """
    ### BEGIN SOLUTION
    return mu + torch.exp(logvar / 2) * eps
    ### END SOLUTION


def kl_to_prior(mu: torch.Tensor, logvar: torch.Tensor) -> torch.Tensor:
    """Give KL(N(μ, diag(e^ℓ)) ‖ N(0, I)) of every example.

    mu, logvar: n×k.  Returns n numbers.
    """
    ### BEGIN SOLUTION
    return (torch.exp(logvar) + mu**2 - 1 - logvar).sum(dim=1) / 2
    ### END SOLUTION


def elbo(
    x: torch.Tensor,
    mu: torch.Tensor,
    logvar: torch.Tensor,
    eps: torch.Tensor,
    decoder: Callable[[torch.Tensor], torch.Tensor],
    s: float,
) -> torch.Tensor:
    """Give the ELBO of every example, its reconstruction term averaged over the S draws.

    x: n×d.  mu, logvar: n×k.  eps: S×n×k.  s > 0.
    decoder: maps S×n×k to S×n×d, for any S.
    Returns n numbers: mean over the draws of log N(x; decoder(z), s² I), minus the KL.
    """
    ### BEGIN SOLUTION
    means = decoder(reparametrise(mu, logvar, eps))
    constant = -0.5 * x.shape[1] * float(np.log(2 * np.pi * s**2))
    likelihood = constant - ((x - means) ** 2).sum(dim=2) / (2 * s**2)
    return likelihood.mean(dim=0) - kl_to_prior(mu, logvar)
    ### END SOLUTION


def vae_step(
    x: torch.Tensor,
    encoder: torch.nn.Module,
    decoder: torch.nn.Module,
    optimiser: torch.optim.Optimizer,
    eps: torch.Tensor,
    s: float,
) -> float:
    """Do one step of training on a batch; give the loss before it.

    The loss is minus the ELBO, averaged over the examples of the batch.
    x: n×d.  encoder: maps n×d to n×2k, the k numbers of μ first, then the k of ℓ.
    decoder, eps, s: as in elbo.  optimiser: knows the parameters of both networks. They may
    still have gradients from before, which must not count.  Returns a number.
    The mode of the networks, training or evaluation, is the caller's choice.
    """
    ### BEGIN SOLUTION
    mu, logvar = encoder(x).chunk(2, dim=1)
    loss = -elbo(x, mu, logvar, eps, decoder, s).mean()
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
    return loss.item()
    ### END SOLUTION


# %%
check("vae")

# %% [markdown]
# To compare with, now that yours passes: $\mathbb E_q(z-\mu)^2=\sigma^2$ and $\mathbb E_qz^2=\mu^2+\sigma^2$, so the price of
# one number is $\tfrac12(\sigma^2+\mu^2-1-\log\sigma^2)$.
#
# Your functions, at work. The code has two numbers, so it can be drawn: in the middle, where the digits of each class
# land; right, what the decoder makes of a regular grid of codes, digits that nobody wrote. Look for places where one
# digit turns into another. Then change the believed noise of a pixel, `s`: at 0.6 a wrong pixel costs a ninth of what
# it costs at 0.2, and the price of the code is the same. What happens to the middle panel?
#
# The left panel is a curve with a **validation** set beside it: 300 digits that no step sees. (They happen to be the easier
# ones, so look at the slopes and not at which curve is lower.) Would you train for longer?

# %% tags=["explore"]
epochs, s = 60, 0.2  # 15 epochs give a first impression on a slow laptop
device = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(1)
data = torch.tensor(images.reshape(-1, 64), device=device).float()
seen, unseen = torch.randperm(len(data), device=device).split([1497, 300])
encoder = torch.nn.Sequential(
    torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 4)
)
decoder = torch.nn.Sequential(
    torch.nn.Linear(2, 64), torch.nn.ReLU(), torch.nn.Linear(64, 64)
)
encoder.to(device), decoder.to(device)
adam = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=4e-3)
costs = []
for _ in range(epochs):
    steps = []
    for batch in seen[torch.randperm(len(seen), device=device)].split(100):
        eps = torch.randn(1, len(batch), 2, device=device)
        steps.append(vae_step(data[batch], encoder, decoder, adam, eps, s))
    with torch.no_grad():
        mu, logvar = encoder(data[unseen]).chunk(2, dim=1)
        eps = torch.randn(10, *mu.shape, device=device)
        fresh = -elbo(data[unseen], mu, logvar, eps, decoder, s).mean().item()
    costs.append([np.mean(steps), fresh])

with torch.no_grad():
    where = encoder(data)[:, :2].cpu()
    side = torch.linspace(-2, 2, 9, device=device)
    across, down = torch.meshgrid(side, side.flip(0), indexing="xy")
    made = decoder(torch.stack([across, down], dim=-1)).cpu().reshape(9, 9, 8, 8)
tiles = np.pad(
    made.numpy(), [(0, 0), (0, 0), (1, 1), (1, 1)]
)  # a dark edge round each digit
tiles = tiles.transpose(0, 2, 1, 3).reshape(90, 90)
figure, (below, left, right) = plt.subplots(1, 3, figsize=(15, 4.6), layout="constrained")
below.plot(costs, label=["training digits", "validation digits"])
below.set(xlabel="epoch", ylabel="minus the ELBO, in nats", ylim=(min(costs[-1]) - 3, 20))
below.legend()
points = left.scatter(*where.T, c=labels, cmap="tab10", s=6)
figure.colorbar(points, ax=left, label="digit")
left.set(title="the codes of the digits", aspect="equal")
right.imshow(tiles, cmap="gray", vmin=0, vmax=1, extent=(-2.25, 2.25, -2.25, 2.25))
right.set_title("what the codes of a grid decode to")
plt.show()

# %% [markdown]
# ## Question: ten short questions
#
# Answer each with one of the words in quotation marks, or with a number (three significant digits are enough, except for
# a count, which is exact). You will need a pocket calculator, or a cell of your own.
#
# 1. `wire`. A denoising auto-encoder for 64 pixels, with noise of standard deviation 0.25 on each. What is its loss, on
#    average over the noise, if it has learnt to copy its input and nothing else?
# 2. `encoder`. A linear auto-encoder with $k=1$ has been trained to the optimum, on centred data in the plane. Its decoder
#    is the column $D=(3,\,4)^\top$. What is the first entry of $E$?
# 3. `below`. Mean of $\tfrac12\lVert\hat x-x\rVert^2$, with codes of 10 numbers:
#
#    | | training digits | test digits |
#    |:--|:-:|:-:|
#    | PCA | 0.61 | 0.66 |
#    | deep auto-encoder with ReLUs | 0.31 | 0.74 |
#
#    What do you conclude of the deep one? `"bug"`: nothing can be below PCA's 0.61. `"leak"`: it must have seen the test
#    digits. `"better"`: it should be preferred, being below the floor. `"overfits"`: the floor is for other maps, and on
#    new digits it has lost to PCA.
# 4. `parameters`. One-channel pictures of $12\times12$ pixels go through hidden layers of 80, 20, 6, 20 and 80 units to an
#    output as large as the picture. Each decoder matrix is tied to its encoder's; every hidden layer and the output have
#    biases of their own. How many parameters are there, exactly?
# 5. `spotless`. A denoising auto-encoder for 64 pixels, noise of standard deviation 0.5 on each. Training loss after
#    each epoch: 9.1, 2.7, 0.6, 0.08, 0.003. Yet on fresh noisy pictures the mean of $\tfrac12\lVert\hat x-x\rVert^2$
#    against the clean pictures is 8.0, the same as for doing nothing. What is wrong? The `"target"` in the loss, the
#    learning `"rate"`, the `"variance"` of the noise, or too large a `"code"`.
# 6. `trembling`. Unit A of an encoder has $\lVert w\rVert=10$ and $h=0.99$ on every example; unit B has
#    $\lVert w\rVert=1$ and $h=0.5$. Weight decay charges A a hundred times as much as B. How many times as much does the
#    contractive penalty charge it?
# 7. `silent`. A VAE on pictures of 64 pixels prints two numbers after each epoch. The squared error, as a mean over the
#    pixels: 0.080, 0.074, 0.073, 0.073. The KL, summed over the code: 2.1, 0.3, 0.01, 0.000. Their sum is what it
#    minimises. Every reconstruction is the same grey average digit. Where do you look first? At the `"seed"`, the
#    `"scale"` of the two terms, the `"width"` of the decoder, or the learning `"rate"`.
# 8. `worth`. A VAE with $s=0.2$ considers moving one $\mu$ of a picture from 0 to 1.2, with its $\sigma$ left at 1. The
#    mean of $\lVert x-\mathrm{decoder}(z)\rVert^2$ would fall by 0.05. By how much does the ELBO change (with its sign)?
# 9. `likelihood`. A VAE gives picture A an ELBO of −35, and picture B one of −41. The critic of a GAN says 0.9 for A and
#    0.4 for B. Which statement is proved? `"order"`: the VAE's model finds A more probable than B. `"bound"`: it gives A
#    a log-density of at least −35. `"gan"`: the GAN makes A more often than B. Or `"none"` of them.
# 10. `sentence`. A sentence auto-encoder: one recurrent network reads a sentence into a vector, another, fed with the true
#     word before each word, writes it out again. Its loss on fresh sentences is 1.31 nats per word. With all vectors
#     replaced by 0 it is 1.33. What do you conclude? The vectors are `"good"`; the second network works as a language
#     model and has `"ignored"` them; it has `"overfitted"`; or the sentences are too `"short"`.

# %%
concept_answers = {
    "wire": None,  # a number
    "encoder": None,  # a number
    "below": None,  # "bug", "leak", "better" or "overfits"
    "parameters": None,  # a number
    "spotless": None,  # "target", "rate", "variance" or "code"
    "trembling": None,  # a number
    "silent": None,  # "seed", "scale", "width" or "rate"
    "worth": None,  # a number
    "likelihood": None,  # "order", "bound", "gan" or "none"
    "sentence": None,  # "good", "ignored", "overfitted" or "short"
}
### BEGIN SOLUTION
concept_answers.update(
    wire=2,
    encoder=0.12,
    below="overfits",
    parameters=13590,
    spotless="target",
    trembling=0.157,
    silent="scale",
    worth=-0.095,
    likelihood="bound",
    sentence="ignored",
)
### END SOLUTION

# %%
check("concepts")

# %% [markdown]
# That was the core. What follows is extra: each part stands alone, in any order.
#
# ## Extra: stacks and shapes
#
# Auto-encoders can be stacked: train one on the data, then a second one on the *codes* of the first, a third on the
# codes of the second. The encoders in a row make one deep encoder, the decoders **in the opposite order** one deep
# decoder. Before good initialisations were known, this was how deep networks were trained at all: layer by layer,
# greedily, then all together.
#
# Two facts about shapes. The *latent* layer is the narrowest hidden layer, wherever it stands. And the output is as
# large as the input: a picture of $N\times N$ pixels with one channel has $N^2$ numbers, one with three channels
# $3N^2$.
#
# Each layer is a tied auto-encoder `(W, b, c)`: it encodes $h=\sigma(Wx+b)$ and decodes $\hat x=W^\top h+c$, both as
# above.


# %%
def layer_sizes(side: int, channels: int, hidden: list[int]) -> tuple[int, int]:
    """Give the size of the latent layer and of the output.

    The pictures are side×side with the given channels; hidden lists the widths of all
    hidden layers from left to right, one at least.  Returns (latent, output).
    """
    ### BEGIN SOLUTION
    return min(hidden), channels * side**2
    ### END SOLUTION


def stacked_encode(
    layers: list[tuple[np.ndarray, np.ndarray, np.ndarray]], X: np.ndarray
) -> np.ndarray:
    """Give the deepest codes: encode X by the first layer, its codes by the second, …

    layers: (W, b, c) of each tied auto-encoder, the one nearest to the data first.
    X: n×d.  Returns n×k for the k of the last layer.
    """
    ### BEGIN SOLUTION
    codes = X
    for W, b, _ in layers:
        codes = encode(W, b, codes)
    return codes
    ### END SOLUTION


def stacked_decode(
    layers: list[tuple[np.ndarray, np.ndarray, np.ndarray]], H: np.ndarray
) -> np.ndarray:
    """Give the reconstructions of the deepest codes.

    layers: as in stacked_encode.  H: n×k.  Returns n×d.
    """
    ### BEGIN SOLUTION
    values = H
    for W, _, c in reversed(layers):
        values = decode(W, c, values)
    return values
    ### END SOLUTION


def stack(
    X: np.ndarray,
    widths: list[int],
    fit: Callable[[np.ndarray, int], tuple[np.ndarray, np.ndarray, np.ndarray]],
) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Train a stack greedily: each auto-encoder on the codes of the one before.

    X: n×d.  widths: the width of each code, one at least.
    fit(data, width) trains one tied auto-encoder on data and returns its (W, b, c).
    Returns the list of (W, b, c), the one nearest to the data first.
    """
    ### BEGIN SOLUTION
    trained, inputs = [], X
    for width in widths:
        W, b, c = fit(inputs, width)
        trained.append((W, b, c))
        inputs = encode(W, b, inputs)
    return trained
    ### END SOLUTION


# %%
check("stacked")

# %% [markdown]
# ## Extra: the bound without calculus
#
# The ELBO is easiest to see where $z$ takes only $K$ values, so that every integral is a sum of $K$ terms. Then
#
# $$\log p(x)=\log\sum_z p(z)\,p(x\mid z)$$
#
# can be computed, and so can the bound of *any* guess $q$:
#
# $$\sum_z q(z)\bigl(\log p(z)+\log p(x\mid z)-\log q(z)\bigr) \;\le\; \log p(x) .$$
#
# The laziest guess is the prior, $q=p(z)$. It gives $\mathbb E_{z\sim p(z)}[\log p(x\mid z)]\le\log p(x)$, which is
# Jensen's inequality and nothing else; with the signs turned, $\mathbb E[-\log p(x\mid z)]\ge-\log p(x)$. The best
# guess is the posterior $p(z\mid x)\propto p(z)\,p(x\mid z)$, and it makes the bound an equality. Where $q(z)=0$, the
# term is 0, because $q\log q\to0$.
#
# Log-probabilities of whole pictures are numbers like $-2000$, and $e^{-2000}$ is 0 on your computer. Take the largest
# one out first: $\log\sum_z e^{a_z}=m+\log\sum_z e^{a_z-m}$ with $m=\max_z a_z$.


# %%
def log_evidence(log_prior: np.ndarray, log_lik: np.ndarray) -> np.ndarray:
    """Give log p(x_i) = log Σ_z p(z) p(x_i | z) of every example, without underflow.

    log_prior: log p(z), K numbers.  log_lik: log p(x_i | z), n×K, all finite.
    Returns n numbers.
    """
    ### BEGIN SOLUTION
    return np.logaddexp.reduce(log_prior + log_lik, axis=1)
    ### END SOLUTION


def posterior(log_prior: np.ndarray, log_lik: np.ndarray) -> np.ndarray:
    """Give p(z | x_i) of every example, without underflow.

    log_prior: K numbers.  log_lik: n×K.  Returns n×K; every row sums to 1.
    """
    ### BEGIN SOLUTION
    joint = log_prior + log_lik
    weights = np.exp(joint - joint.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)
    ### END SOLUTION


def discrete_elbo(q: np.ndarray, log_prior: np.ndarray, log_lik: np.ndarray) -> np.ndarray:
    """Give Σ_z q(z) (log p(z) + log p(x_i | z) − log q(z)) of every example.

    q: n×K, every row a distribution; it may contain zeros.  Returns n numbers.
    """
    ### BEGIN SOLUTION
    safe = np.where(q > 0, q, 1)
    return np.sum(q * (log_prior + log_lik - np.log(safe)), axis=1)
    ### END SOLUTION


# %%
check("jensen")

# %% [markdown]
# ## Extra: the linear VAE, solved
#
# Give the VAE a linear decoder, $\mathrm{decoder}(z)=Vz+m$. Then the model can be integrated by hand: $x$ is Gaussian
# with mean $m$ and covariance
#
# $$C=VV^\top+s^2I_d .$$
#
# This is *probabilistic PCA* (Tipping and Bishop, 1999), and the parameters of maximal likelihood are known. Let
# $\lambda_j$ and $u_j$ be the eigenvalues and eigenvectors of the covariance of the data (divided by $n$). Then
#
# $$m=\text{the mean}, \qquad s^2=\frac1{d-k}\sum_{j>k}\lambda_j, \qquad V=U_k\,\bigl(\Lambda_k-s^2I\bigr)^{1/2}R$$
#
# for any rotation $R$: all are equally likely, and the simplest is none, $R=I$. Read it: the noise is the mean variance
# of the axes that were dropped, and each axis that was kept is shortened by what noise contributes there. The posterior
# is Gaussian too, with
#
# $$M=V^\top V+s^2I_k, \qquad p(z\mid x)=\mathcal N\bigl(M^{-1}V^\top(x-m),\ s^2M^{-1}\bigr) .$$
#
# With $V$ as above, its columns are at right angles, so this covariance is diagonal, just as a VAE's encoder wants it.
# A VAE with this decoder and this encoder has nothing left to gain: its ELBO *is* the log-likelihood.


# %%
def fit_ppca(X: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Give the mean, the decoder matrix V and the noise variance s² of maximal likelihood.

    X: n×d, n > d.  1 ≤ k < d.
    Returns (m: d numbers, V: d×k, s²: a number); V with any rotation R.
    """
    ### BEGIN SOLUTION
    m = X.mean(axis=0)
    _, lengths, axes = np.linalg.svd(X - m, full_matrices=False)
    spectrum = lengths**2 / len(X)
    s2 = float(spectrum[k:].mean())
    return m, axes[:k].T * np.sqrt(spectrum[:k] - s2), s2
    ### END SOLUTION


def ppca_log_likelihood(
    m: np.ndarray, V: np.ndarray, s2: float, X: np.ndarray
) -> np.ndarray:
    """Give log N(x_i; m, V Vᵀ + s² I) of every example.

    m: d numbers.  V: d×k.  s2: s² > 0.  X: n×d.  Returns n numbers.
    """
    ### BEGIN SOLUTION
    C = V @ V.T + s2 * np.eye(len(m))
    centred = X - m
    squares = np.sum(centred * np.linalg.solve(C, centred.T).T, axis=1)
    return -0.5 * (len(m) * np.log(2 * np.pi) + np.linalg.slogdet(C)[1] + squares)
    ### END SOLUTION


def ppca_posterior(
    m: np.ndarray, V: np.ndarray, s2: float, X: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Give the mean of p(z | x_i) for every example, and its covariance, the same for all.

    m: d numbers.  V: d×k.  s2: s² > 0.  X: n×d.  Returns (n×k, k×k).
    """
    ### BEGIN SOLUTION
    inverse = np.linalg.inv(V.T @ V + s2 * np.eye(V.shape[1]))
    return (X - m) @ V @ inverse, s2 * inverse
    ### END SOLUTION


# %%
check("ppca")

# %% [markdown]
# ## Extra: outliers and hashes
#
# Two things people do with a trained auto-encoder. An example from another world is reconstructed badly, because the
# decoder only knows this one: the squared distance from the plane of PCA, $\lVert x-\hat x\rVert^2$, is a score of
# strangeness. And codes near 0 or 1 can be rounded to bits; similar examples then differ in few bits, and counting
# different bits (the *Hamming distance*) is the fastest comparison a computer has.


# %%
def outlier_scores(mean: np.ndarray, V: np.ndarray, X: np.ndarray) -> np.ndarray:
    """Give ‖x − x̂‖² of every example, where x̂ is its projection on the plane of PCA.

    mean: d numbers.  V: d×k, orthonormal columns.  X: n×d, not centred.  Returns n numbers.
    """
    ### BEGIN SOLUTION
    lost = (X - mean) - (X - mean) @ V @ V.T
    return np.sum(lost**2, axis=1)
    ### END SOLUTION


def hash_codes(H: np.ndarray) -> np.ndarray:
    """Round codes between 0 and 1 to bits: 1 where h ≥ ½, otherwise 0.

    H: n×k.  Returns n×k integers.
    """
    ### BEGIN SOLUTION
    return (H >= 0.5).astype(int)
    ### END SOLUTION


def hamming(P: np.ndarray, Q: np.ndarray) -> np.ndarray:
    """Count the bits in which each row of P differs from each row of Q.

    P: n×k bits.  Q: m×k bits.  Returns n×m integers.
    """
    ### BEGIN SOLUTION
    return np.sum(P[:, None, :] != Q[None, :, :], axis=2)
    ### END SOLUTION


# %%
check("applied")

# %% [markdown]
# Which digits are strange to somebody who knows only zeros?

# %% tags=["explore"]
mean, V = pca(images[labels == 0].reshape(-1, 64), 8)
strange = outlier_scores(mean, V, images.reshape(-1, 64))
plt.figure(figsize=(7, 3.5))
plt.boxplot([strange[labels == digit] for digit in range(10)], tick_labels=range(10))
plt.xlabel("digit")
plt.ylabel("squared distance from the plane of the zeros")
plt.show()

# %% [markdown]
# ## What you have now
#
# One idea in five dresses: make copying hard, and see what survives. You met the exact answers behind it. Linear
# copying is PCA, up to the choice of axes. Linear denoising is ridge regression, a knob on every axis. A price on the
# code gives zeros or calm, depending on what is charged. And with a probability behind the decoder, the loss becomes a
# bound that can be held against the truth.
#
# The road leads on to *masking*. Hide some words of a sentence and ask for them back: that is a denoising auto-encoder
# whose noise is a mask, and it is how BERT learns to read.
