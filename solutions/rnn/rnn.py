# %% [markdown]
# # Recurrent networks
#
# Read this sentence one letter at a time, and keep only a postcard's worth of notes. After every letter you may rewrite
# the postcard, and that is all you take along. At the end somebody asks what the first word was.
#
# That is a recurrent network. It reads a sequence of any length with a fixed number of weights, because at every step
# it does the same thing: it takes the new symbol and its old postcard, the *state*, and writes a new one. The whole
# network is one line. Everything interesting about it follows from the fact that this line is applied again and again,
# going forwards when it reads and going backwards when it learns.
#
# You will write that line, then differentiate it through time by hand, and see with your own numbers why gradients fade
# or blow up over long distances. You will build the LSTM, which was invented against the fading, forwards and
# backwards. At the end you train a language model on a source whose entropy we know to the last digit, so that for once
# we can say how good *perfect* would be.
#
# **How to work here.** Read a section, write the functions below it, run the `check` cell after them. A check that
# fails shows the smallest example it failed on. Cells with plots are there to look at and to play with; they are not
# graded. When you hand in, more checks run than the ones you have here. Seven questions make the hundred points, in
# about eight and a half hours. What comes after them is extra.
#
# **What is forbidden.** Until the language model, everything is yours to write, with numpy and with what Python itself
# brings along: inside the functions of those questions (and of the extra ones) `torch` may not be used, because the
# point is to know what it does. Outside them, in cells of your own, by all means compare yourself with it.

# %%
from collections.abc import Callable

import matplotlib.pyplot as plt
import numpy as np
import torch

from redink import check
from redink_datasets import markov

# %% [markdown]
# ## The idea
#
# A sequence $x_1,\dots,x_T$ comes in, one vector at a time. The network keeps a state $h_t$ and renews it with the same
# weights at every step:
#
# $$h_t = \tanh(V x_t + U h_{t-1} + c), \qquad t = 1,\dots,T .$$
#
# $V$ looks at the input, $U$ looks at the past, $c$ is a bias. $h_0$ is given; often it is zero, but not always.
# Because $V$, $U$ and $c$ do not depend on $t$, the same three arrays read a tweet and a novel. Unroll the line in time
# and you see an ordinary feed-forward network, $T$ layers deep, all of whose layers share their weights. There is no
# loop in that picture, so nothing stops us from back-propagating through it.
#
# How long does a state remember? Here is the smallest network there is: one unit, one input. It gets a knock at
# the first step and then silence. Only $u$, the weight of the past, decides what is left of the knock.

# %% tags=["explore"]
steps = np.arange(1, 26)
plt.figure(figsize=(7, 3.6))
for u in (0.5, 0.9, 1.0, 1.5, -0.9):
    h, trace = 0.0, []
    for t in steps:
        h = np.tanh((t == 1) * 1.0 + u * h)
        trace.append(h)
    plt.plot(steps, trace, ".-", label=f"u = {u}")
plt.axhline(0, color="0.7", linewidth=0.8)
plt.xlabel("step t")
plt.ylabel("state $h_t$")
plt.title("a knock at t = 1, then silence")
plt.legend(loc="lower right", ncols=2)
plt.show()

# %% [markdown]
# At $u=0.5$ the knock is gone after five steps. At $u=1.5$ it is kept for ever, but as one bit: the state runs into the
# value $0.86$, where $\tanh(1.5\,h)=h$, and how hard the knock was is forgotten. Between these lies a narrow place
# where a single unit remembers a *number* for a while. Keep this picture in mind; the gradient will show you the same
# one, backwards.
#
# ## Conventions
#
# They hold in the whole notebook, and the checks hold you to them.
#
# - **Batch first.** `x` has shape $N\times T\times D$: $N$ sequences, $T$ steps, $D$ numbers per step. States are
#   $N\times T\times H$.
# - **Weights are Out×In.** `V` is $H\times D$, `U` is $H\times H$, `c` has $H$ entries. For a whole batch at step $t$
#   the line above reads `x[:, t] @ V.T + h @ U.T + c`. Row $n$ is sequence $n$, and the rows never mix.
# - **Counting.** In formulas $t$ runs from 1 to $T$; in arrays from 0. So `h[:, 0]` is $h_1$, and $h_0$ is a separate
#   array `h0` of shape $N\times H$. It need not be zero.
# - **Losses** are means over the tokens that count. Logarithms are natural.
# - **Padding holds anything at all**: numbers of any size or NaN; in an array of targets, integers that name no class.
#   Nothing of it may reach a result. A mask is an array of booleans that says place by place what is real, and the real
#   places need not stand together.
# - **Nothing is empty.** There is at least one sequence, one step, one array in a list; window and batch sizes are at
#   least 1.
# - **Ties.** Where the largest score occurs more than once, the first of them wins.
# - Arrays may hold integers (one-hot inputs, states that begin at 0). What you compute from them are numbers all the
#   same, not cut to integers. And numbers have no natural size: gradients may be tiny or huge, as long as a float64 can
#   hold their squares and the right result.
# - Functions never change the arrays that they are given. Changing one costs one check of the question (the first that sees
#   it); the other checks look only at what is returned.
#
# ## Once by hand
#
# One unit, one input, two steps: $V=1$, $U=2$, $c=0$, $h_0=0.5$, and the inputs are $-0.5$ and $0.3$. Take as
# loss $L=h_1+h_2$. Cover the right half, and work it out; a pocket calculator will do.
#
# | $t$ | $x_t$ | $h_{t-1}$ | $a_t=Vx_t+Uh_{t-1}+c$ | $h_t=\tanh a_t$ |
# |:-:|:-:|:-:|:-:|:-:|
# | 1 | $-0.5$ | $0.5$ | $-0.5+1=0.5$ | $0.4621$ |
# | 2 | $0.3$ | $0.4621$ | $0.3+0.9242=1.2242$ | $0.8409$ |
#
# Now backwards. Write $\bar z$ for $\partial L/\partial z$. The last state counts once: $\bar h_2=1$. The first state
# counts twice, once in the loss itself, and once because $h_2$ was made from it.
#
# | $t$ | direct | through $h_{t+1}$ | $\bar h_t$ | $\bar a_t=\bar h_t\,(1-h_t^2)$ | its share of $\bar U$: $\bar a_t\,h_{t-1}$ |
# |:-:|:-:|:-:|:-:|:-:|:-:|
# | 2 | $1$ | nothing | $1$ | $1\cdot0.2929=0.2929$ | $0.2929\cdot0.4621=0.1353$ |
# | 1 | $1$ | $U\,\bar a_2=0.5858$ | $1.5858$ | $1.5858\cdot0.7864=1.2471$ | $1.2471\cdot0.5=0.6236$ |
#
# There is one $U$, used twice, so its gradient is the sum: $0.1353+0.6236=0.7589$. And $\bar h_0=U\,\bar a_1=2.4943$.
# You have just done back-propagation through time. The rest is matrices.

# %% [markdown]
# ## Question: one cell, many steps
#
# First the cell, then the loop over time. The network speaks through a second layer, applied to each state in the same
# way:
#
# $$z_t = W h_t + b, \qquad p_t = \operatorname{softmax}(z_t), \qquad \hat y_t = \arg\max_k\,[z_t]_k .$$
#
# $W$ is $K\times H$ for $K$ classes (or symbols). Note what is *not* done: the softmax is taken of the output scores
# $z_t$, over the classes, and never of the hidden state. The most probable class is the one with the largest score, so
# a greedy label needs no softmax at all.
#
# As always, $e^{1000}$ is not a number your computer has. Subtract the largest score first; it changes nothing else.


# %%
def rnn_cell(
    x: np.ndarray, h: np.ndarray, V: np.ndarray, U: np.ndarray, c: np.ndarray
) -> np.ndarray:
    """Do one step for a batch: tanh(V x + U h + c), row by row.

    x: N×D, the inputs of this step.  h: N×H, the states before it.
    V: H×D.  U: H×H.  c: H.  Returns the states after it, N×H.
    """
    ### BEGIN SOLUTION
    return np.tanh(x @ V.T + h @ U.T + c)
    ### END SOLUTION


def rnn_forward(
    x: np.ndarray, h0: np.ndarray, V: np.ndarray, U: np.ndarray, c: np.ndarray
) -> np.ndarray:
    """Run the cell over whole sequences.

    x: N×T×D.  h0: N×H, the state before the first step.
    Returns h: N×T×H, with h_t at h[:, t - 1].
    """
    ### BEGIN SOLUTION
    h, states = h0, []
    for t in range(x.shape[1]):
        h = rnn_cell(x[:, t], h, V, U, c)
        states.append(h)
    return np.stack(states, axis=1)
    ### END SOLUTION


def token_probabilities(h: np.ndarray, W: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Give p_t = softmax(W h_t + b) at every step, without overflow.

    h: N×T×H.  W: K×H.  b: K.  Returns N×T×K; the K numbers of a step sum to 1.
    """
    ### BEGIN SOLUTION
    scores = h @ W.T + b
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)
    ### END SOLUTION


def greedy_labels(h: np.ndarray, W: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Give the most probable class of every step.

    h: N×T×H.  W: K×H.  b: K.  Returns N×T integers from 0 to K−1.
    """
    ### BEGIN SOLUTION
    return (h @ W.T + b).argmax(axis=-1)
    ### END SOLUTION


# %%
check("cell")

# %% [markdown]
# ## Question: the loss of a sequence
#
# At step $t$ the right answer is the class $y_t$. The loss of the step is the surprise, *minus* the log-probability of
# what came:
#
# $$\ell_t = -\log\,[p_t]_{y_t} .$$
#
# (Some notes lose the minus. A loss without it falls when the model gets worse.)
#
# Sequences in a batch have different lengths, and short ones are padded to the length of the longest. A blank is not a
# prediction; it must count neither in the sum nor in the number we divide by. So there is a mask $m$, true where a
# token is real, and with $M$ true entries
#
# $$L = \frac1M\sum_{n,t} m_{nt}\,\ell_{nt} .$$
#
# Mind what the mean is over: all real tokens of the batch together. The mean
# of the sequences' own means is something else; it lets a token of a short sequence weigh more than one of a long
# sequence.
#
# **Perplexity** is $e^L$. It is the same number in a friendlier unit: a model as unsure as if it chose among $e^L$
# equally likely symbols. Guessing uniformly among $K$ gives $K$. A model can do worse than $K$, by being sure of the
# wrong thing.
#
# Compute $\log p$ directly as $z_y-\log\sum_k e^{z_k}$, with the largest score subtracted from both. If you take the
# softmax first and its logarithm later, a score of $-1000$ becomes a probability of 0 and a loss of infinity.
#
# You also need the gradient of $L$ in the scores. For one real token you know it from the multi-layer perceptron. Here
# is a case to hold it to: one token, two classes with probabilities 0.8 and 0.2, and the first is right. Then
# $\partial\ell/\partial z=(-0.2,\;0.2)$; nudge either score and you will see it. What $M$ and the mask make of it is for
# you to find.


# %%
def sequence_loss(
    logits: np.ndarray, targets: np.ndarray, mask: np.ndarray
) -> tuple[float, np.ndarray]:
    """Give the mean cross-entropy over the real tokens, and its gradient in the scores.

    logits: N×T×K scores.  targets: N×T integers from 0 to K−1.
    mask: N×T booleans, True where a token is real; at least one is.
    Where the mask is False, logits and targets hold anything at all, as all padding does.
    Returns (L, dL/dlogits: N×T×K), the gradient being 0 where the mask is False.
    """
    ### BEGIN SOLUTION
    shifted = logits - logits.max(axis=-1, keepdims=True)
    log_p = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    rows, places = np.nonzero(mask)
    right = targets[rows, places]
    loss = -log_p[rows, places, right].sum() / len(rows)
    slope = np.where(mask[:, :, None], np.exp(log_p), 0.0)
    slope[rows, places, right] -= 1.0
    return float(loss), slope / len(rows)
    ### END SOLUTION


def perplexity(logits: np.ndarray, targets: np.ndarray, mask: np.ndarray) -> float:
    """Give e^L, with L the mean cross-entropy over the real tokens.

    Shapes as in sequence_loss.
    """
    ### BEGIN SOLUTION
    return float(np.exp(sequence_loss(logits, targets, mask)[0]))
    ### END SOLUTION


# %%
check("loss")

# %% [markdown]
# To compare with, now that yours passes: with the one-hot vector $e_y$ of $y$,
#
# $$\frac{\partial L}{\partial z_{nt}} = \frac{m_{nt}}{M}\,(p_{nt}-e_{y_{nt}}) .$$
#
# One $M$ for the whole batch. And where $m_{nt}=0$ it is 0 by decision, not by a product: $0\cdot\mathrm{NaN}$ is NaN.
#
# ## Back-propagation through time
#
# Unrolled, the network is a chain of small steps, with $a_t$ the inside of the $\tanh$:
#
# $$a_t = V x_t + U h_{t-1} + c, \qquad h_t=\tanh a_t .$$
#
# Somewhere above stands a loss that looks at *every* state. Call what it says directly about $h_t$ the **upstream**
# gradient $g_t$ (for the language model, $g_t = W^\top \partial L/\partial z_t$). We want the gradients of the loss in
# everything below, and this time nobody writes them down for you. The table *Once by hand* has every idea of it. Write
# $\bar z$ for $\partial L/\partial z$, and go from its numbers to vectors and matrices:
#
# 1. *Where does it go?* $h_t$ goes to two places, so two gradients come back to it. What does each of them pass on its
#    way? Which of them is missing at $t=T$?
# 2. $a_t$ goes through $\tanh$ only. In the table the slope was 0.2929 at $h_2=0.8409$: you never need $a_t$ for it.
# 3. $x_t$ goes into $a_t$ only, and $h_0$ into $a_1$ only.
# 4. $V$, $U$ and $c$ go into *every* $a_t$. Imagine a private copy of $U$ at each step: in the table the copies had the
#    gradients 0.6236 and 0.1353. They are one and the same array. What is the gradient of that array, and is there any
#    reason to average? (Whatever averaging there is was done in the loss.)
#
# What a table of single numbers cannot tell is which side a matrix stands on, and whether it is transposed. Shapes do
# not tell either, because $U$ is square. So here is one step of two units without the $\tanh$, which is small enough to
# be seen through: $h_1 = U h_0$ and $L = g\cdot h_1$, with
#
# $$U=\begin{pmatrix}1&2\\3&4\end{pmatrix},\quad h_0=\begin{pmatrix}5\\6\end{pmatrix},\quad
# g=\begin{pmatrix}1\\10\end{pmatrix}:\qquad
# \bar h_0=\begin{pmatrix}31\\42\end{pmatrix},\quad \bar U=\begin{pmatrix}5&6\\50&60\end{pmatrix} .$$
#
# Add 1 to one entry at a time and you find the same. Which products give these numbers, for one column as here? And
# which for a batch of rows, as our arrays are, where the sums over $t$ are also sums over the batch?
#
# ## Question: back-propagation through time
#
# Your function gets the states that a forward pass has found, so nothing needs to be run again.


# %%
def rnn_backward(
    dh: np.ndarray,
    x: np.ndarray,
    h: np.ndarray,
    h0: np.ndarray,
    V: np.ndarray,
    U: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Back-propagate through h_t = tanh(V x_t + U h_{t−1} + c).

    dh: N×T×H, the upstream gradient g_t: what the loss says directly about each state.
    x: N×T×D.  h: N×T×H, the states that the forward pass gave.  h0: N×H.  V: H×D.  U: H×H.
    Returns the gradients (dx: N×T×D, dh0: N×H, dV: H×D, dU: H×H, dc: H).
    """
    ### BEGIN SOLUTION
    before = np.concatenate([h0[:, None], h[:, :-1]], axis=1)  # h_{t−1} at place t
    da = np.zeros_like(h)
    later = np.zeros_like(h0)  # what comes back from the step after
    for t in reversed(range(h.shape[1])):
        da[:, t] = (dh[:, t] + later) * (1 - h[:, t] ** 2)
        later = da[:, t] @ U
    dV = np.einsum("nth,ntd->hd", da, x)
    dU = np.einsum("nth,ntk->hk", da, before)
    return da @ V, later, dV, dU, da.sum(axis=(0, 1))
    ### END SOLUTION


# %%
check("bptt")

# %% [markdown]
# To compare with, now that yours passes.
#
# - $h_t$ goes into the loss at step $t$ and into $a_{t+1}$. Two arrows leave, two gradients come back, and they add:
#
# $$\bar h_t = g_t + U^\top\bar a_{t+1}, \qquad\text{with nothing to add at } t=T .$$
#
# - $a_t$ goes into $h_t$ only, through $\tanh$, whose derivative is $1-\tanh^2a_t = 1-h_t^2$. The *output* gives the
#   slope; there is no need to keep $a_t$:
#
# $$\bar a_t = \bar h_t\odot(1-h_t^2) .$$
#
# - $x_t$ goes into $a_t$ only, $h_0$ into $a_1$ only:
#
# $$\bar x_t = V^\top\bar a_t, \qquad \bar h_0 = U^\top\bar a_1 .$$
#
# - $V$, $U$ and $c$ go into *every* $a_t$. Imagine a private copy of $U$ at each step: copy $t$ has the gradient
#   $\bar a_t\,h_{t-1}^\top$. The copies are one and the same array, so the true gradient is the sum (and not the mean:
#   whatever averaging there is was done in the loss):
#
# $$\bar V=\sum_t\bar a_t\,x_t^\top, \qquad \bar U=\sum_t\bar a_t\,h_{t-1}^\top, \qquad \bar c=\sum_t\bar a_t .$$
#
# That is all of it. The recursion runs from the end to the start, and each step needs what the later one has found.
#
# In rows, as our arrays are, transposes change sides: $U^\top\bar a$ for one column vector is `da @ U` for a batch of
# rows. And the sums over $t$ are also sums over the batch.
#
# A gradient is a prediction: "nudge this weight by a little, and the loss changes by so much". Hold yours to it. The
# next cell nudges every weight of $U$ in turn, runs the network again, and sets the measured change beside the
# predicted one. All points must lie on the diagonal.

# %% tags=["explore"]
rng = np.random.default_rng(0)
N, T, D, H = 3, 6, 2, 4
x, h0, g = rng.normal(size=(N, T, D)), rng.normal(size=(N, H)), rng.normal(size=(N, T, H))
V, U, c = rng.normal(size=(H, D)), 0.7 * rng.normal(size=(H, H)), rng.normal(size=H)
_, _, _, dU, _ = rnn_backward(g, x, rnn_forward(x, h0, V, U, c), h0, V, U)

measured = np.zeros_like(U)
for place in np.ndindex(*U.shape):
    nudge = np.zeros_like(U)
    nudge[place] = 1e-6
    up = np.sum(g * rnn_forward(x, h0, V, U + nudge, c))
    down = np.sum(g * rnn_forward(x, h0, V, U - nudge, c))
    measured[place] = (up - down) / 2e-6

plt.figure(figsize=(4.6, 4.2))
span = [measured.min(), measured.max()]
plt.plot(span, span, color="0.7", linewidth=1)
plt.scatter(measured, dU, s=20, color="tab:red")
plt.xlabel("measured by nudging U")
plt.ylabel("your dU")
plt.title(f"largest difference: {np.abs(measured - dU).max():.1e}")
plt.show()

# %% [markdown]
# ## Why gradients vanish and explode
#
# How much does a state long ago matter to a state now? Ask the chain rule. One step back is
# $\partial h_t/\partial h_{t-1} = \operatorname{diag}(1-h_t^2)\,U$, and many steps back are the product:
#
# $$\frac{\partial h_T}{\partial h_t} = \operatorname{diag}(1-h_T^2)\,U\;\operatorname{diag}(1-h_{T-1}^2)\,U\cdots
# \operatorname{diag}(1-h_{t+1}^2)\,U .$$
#
# Take the simplest case first. Where all states are 0 the slopes are 1, and gradients travel as in a **linear** network:
# the product is a power of $U$, and in rows $\bar h_0 = \bar h_T\,U\,U\cdots U$ with $T$ factors. A power of a matrix
# grows or shrinks, in the long run, like a power of its **spectral radius** $\rho(U)=\max_i|\lambda_i|$, the largest
# *absolute value* of an eigenvalue. Eigenvalues may be negative or complex; what counts is how far from 0 they are.
# Below 1 the gradient dies exponentially, above 1 it explodes.
#
# So far, so well known. The three things that are usually left out:
#
# - **In the long run is not in every run.** If the eigenvectors of $U$ are far from orthogonal (such a $U$ is called
#   *non-normal*), the norm may climb a hundredfold before the eigenvalues have their way. And at $\rho=1$ exactly it
#   may grow without limit, slowly: $\begin{pmatrix}1&1\\0&1\end{pmatrix}^k=\begin{pmatrix}1&k\\0&1\end{pmatrix}$.
# - **The slopes matter as much as $U$.** A saturated $\tanh$ has $1-h^2\approx0$. With $|h|\approx0.99$ every step
#   multiplies by 0.02, and a $U$ with $\rho=1.2$ cannot make up for it. An orthogonal $U$, which in the linear network
#   keeps every gradient exactly, loses it slowly under $\tanh$.
# - **What is certain** is a bound with the largest singular value $\sigma_{\max}(U)$, because norms of products are at
#   most products of norms: $\sigma_{\max}(U)\cdot\max(1-h^2) < 1$ is enough to vanish; more than 1 is *needed* to
#   explode, and does not suffice.
#
# Two remedies are yours to write. **Clipping** is for gradients that explode. Put all gradients of the
# model into one long vector with norm $\lVert g\rVert$ and shorten it if it is longer than a limit $\tau$:
#
# $$g \leftarrow g\cdot\min\!\left(1, \frac{\tau}{\lVert g\rVert}\right) .$$
#
# One norm for all arrays together. Then the direction stays, and only the length of the step changes. Clipping
# does nothing whatever for a gradient that has vanished: there is no way to lengthen what is not there.
#
# **Truncation** is for sequences too long to unroll. Cut them into windows of $k$ steps. Going forwards, the state is
# handed over at each cut, so the network still remembers. Going backwards, the gradient stops at the cut: *carry the
# value, cut the gradient*. Each window then treats the state it was handed as a given constant. With $k\ge T$ there is
# one window, and nothing is cut.
#
# Against vanishing there are gates, careful (orthogonal) initial weights, normalisation, shorter ways (skip
# connections) and units like ReLU, whose slope is 1 on its active side: there it does not shrink a gradient, and neither
# does it stop one from exploding. Gates come next.

# %% [markdown]
# ## Question: gradients that vanish and explode


# %%
def spectral_radius(U: np.ndarray) -> float:
    """Give the largest absolute value of an eigenvalue of U: H×H, not always symmetric."""
    ### BEGIN SOLUTION
    return float(np.abs(np.linalg.eigvals(U)).max())
    ### END SOLUTION


def jacobian_norms(h: np.ndarray, U: np.ndarray) -> np.ndarray:
    """Give ‖∂h_T/∂h_t‖, the largest singular value, for t = 0, 1, …, T.

    h: T×H, the states h_1 … h_T of ONE sequence under h_t = tanh(V x_t + U h_{t−1} + c).
    U: H×H.
    Returns T+1 numbers: entry t belongs to h_t, so entry 0 is about h_0 and the last is 1.
    """
    ### BEGIN SOLUTION
    product = np.eye(len(U))
    norms = [1.0]
    for state in h[::-1]:
        product = product @ ((1 - state**2)[:, None] * U)
        norms.append(np.linalg.norm(product, 2))
    return np.array(norms[::-1])
    ### END SOLUTION


def clip_by_global_norm(
    gradients: list[np.ndarray], limit: float
) -> tuple[list[np.ndarray], float]:
    """Shorten all gradients together so that their common norm is at most limit.

    gradients: arrays of any shapes.  limit: a positive number τ.
    The norm ‖g‖ is over all entries of all arrays. If ‖g‖ ≤ τ, they keep their values.
    Returns (the list of gradients after clipping, the norm ‖g‖ BEFORE clipping).
    """
    ### BEGIN SOLUTION
    norm = float(np.sqrt(sum(np.sum(g**2) for g in gradients)))
    factor = limit / norm if norm > limit else 1.0
    return [g * factor for g in gradients], norm
    ### END SOLUTION


def truncated_backward(
    dh: np.ndarray,
    x: np.ndarray,
    h: np.ndarray,
    h0: np.ndarray,
    V: np.ndarray,
    U: np.ndarray,
    k: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Back-propagate inside windows of k steps only.

    The windows are steps 1 … k, k+1 … 2k, and so on; the last may be shorter. The states
    are those of the whole sequence. No gradient passes from a window to the one before it.
    Arguments and results as in rnn_backward (dh0 comes from the first window).
    """
    ### BEGIN SOLUTION
    dx, dV, dU, dc = np.zeros(x.shape), 0.0, 0.0, 0.0
    for start in reversed(range(0, x.shape[1], k)):
        window = slice(start, start + k)
        entered = h[:, start - 1] if start else h0  # a value, handed over
        dx[:, window], dh0, *parts = rnn_backward(
            dh[:, window], x[:, window], h[:, window], entered, V, U
        )
        dV, dU, dc = dV + parts[0], dU + parts[1], dc + parts[2]
    return dx, dh0, dV, dU, dc
    ### END SOLUTION


# %%
check("clipping")

# %% [markdown]
# Four networks of 20 units, 60 steps each. The curve shows how much the *last* state still feels of each earlier
# one. Read them from right to left, as the gradient travels. Which of them could learn something that happened 50 steps
# ago? And what would you have predicted from $\rho$ alone?

# %% tags=["explore"]
rng = np.random.default_rng(4)
H, T = 20, 60
Q = np.linalg.qr(rng.normal(size=(H, H)))[0]
skewed = 0.8 * np.eye(H) + np.diag(np.arange(1, H) % 4 > 0, 1)  # far from normal
silence, noise = np.zeros((1, T, H)), 0.2 * rng.normal(size=(1, T, H))
cases = {
    "0.9 × orthogonal, linear": (0.9 * Q, silence),
    "non-normal, linear": (skewed, silence),
    "orthogonal, tanh": (Q, noise),
    "1.2 × orthogonal, tanh saturated": (1.2 * Q, 12 * noise),
}
plt.figure(figsize=(8, 4.4))
for name, (U, inputs) in cases.items():
    h = rnn_forward(inputs, np.zeros((1, H)), np.eye(H), U, np.zeros(H))[0]
    label = f"{name}: ρ = {spectral_radius(U):.2f}"
    plt.semilogy(jacobian_norms(h, U), label=label)
plt.ylim(1e-12, 1e3)
plt.xlabel("t")
plt.ylabel(r"$\|\partial h_{60}/\partial h_t\|$")
plt.legend()
plt.show()

# %% [markdown]
# You now have all the parts of a language model in numpy: a forward pass, a loss, a backward pass, clipping. Put them
# together. The source below draws each of four symbols given the *two* before it; we know its table, so we know how
# well the very best predictor would do (the black line). The grey line is the best that a predictor can do which
# sees only the *last* symbol. Crossing it is the proof that your network carries something in its state.

# %% tags=["explore"]
rng = np.random.default_rng(1)
K, H, T, rate = 4, 24, 20, 0.2
chain = markov(rng, order=2, vocabulary=K, concentration=0.4)
tokens, one_hot = chain.sample(rng, 2000, T), np.eye(K + 1)  # symbol K means "start"
V, U = 0.5 * rng.normal(size=(H, K + 1)), 0.9 * np.linalg.qr(rng.normal(size=(H, H)))[0]
parameters = [V, U, np.zeros(H), np.zeros((K, H)), np.zeros(K)]  # V, U, c, W, b
speed = [np.zeros_like(one) for one in parameters]  # momentum keeps 0.9 of the last step
losses = []
for step in range(400):
    V, U, c, W, b = parameters
    y = tokens[rng.integers(len(tokens), size=64)]
    before = np.column_stack([np.full(64, K), y[:, :-1]])  # the symbol before each symbol
    x = one_hot[before]
    h = rnn_forward(x, np.zeros((64, H)), V, U, c)
    loss, dz = sequence_loss(h @ W.T + b, y, np.ones(y.shape, dtype=bool))
    _, _, dV, dU, dc = rnn_backward(dz @ W, x, h, np.zeros((64, H)), V, U)
    dW, db = np.einsum("ntk,nth->kh", dz, h), dz.sum(axis=(0, 1))
    gradients, _ = clip_by_global_norm([dV, dU, dc, dW, db], limit=1.0)
    speed = [0.9 * v - rate * g for v, g in zip(speed, gradients, strict=True)]
    parameters = [p + v for p, v in zip(parameters, speed, strict=True)]
    losses.append(loss)

pairs = np.zeros((K, K))
np.add.at(pairs, (tokens[:, :-1].ravel(), tokens[:, 1:].ravel()), 1)
bigram = -np.sum(pairs * np.log(pairs / pairs.sum(axis=1, keepdims=True))) / pairs.sum()
plt.figure(figsize=(7, 3.8))
plt.plot(losses, color="tab:red", linewidth=0.8, label="your network, each batch")
plt.axhline(-chain.log_likelihood(tokens).mean(), color="black", label="the source itself")
plt.axhline(bigram, color="0.6", label="seeing the last symbol only")
plt.xlabel("step")
plt.ylabel("loss in nats per symbol")
plt.legend()
plt.show()

# %% [markdown]
# ## The LSTM
#
# The trouble with $h_t=\tanh(Vx_t+Uh_{t-1}+c)$ is that *everything* is rewritten at every step. Even to keep a number,
# the network must copy it through a matrix and a $\tanh$, and copies fade. The *long short-term memory* gives the
# network a second state, the **cell** $c_t$: a belt that runs along the sequence and is changed only by adding to it
# and by gating it. (So $c$ is now a state. The bias is called $b$ from here on.) Four quantities are computed from
# $x_t$ and $h_{t-1}$ with one matrix product, in blocks of $H$ rows stacked in the order **i, f, g, o**:
#
# $$\begin{pmatrix}a^i\\a^f\\a^g\\a^o\end{pmatrix} = V x_t + U h_{t-1} + b, \qquad
# i=\sigma(a^i),\quad f=\sigma(a^f),\quad g=\tanh(a^g),\quad o=\sigma(a^o),$$
#
# $$c_t = f\odot c_{t-1} + i\odot g, \qquad h_t = o\odot\tanh(c_t) .$$
#
# In words: the **forget** gate $f$ says how much of the old cell to keep, the **input** gate $i$ how much of the
# candidate $g$ to write, the **output** gate $o$ how much of the cell to show. Gates are factors between 0 and 1, so
# they use the sigmoid $\sigma$. The candidate is a *content*: it needs a sign, so it uses $\tanh$. The products $\odot$
# are taken unit by unit. $V$ is $4H\times D$, $U$ is $4H\times H$, $b$ has $4H$ entries, so there are $4H(D+H+1)$
# parameters. (torch keeps two biases that are merely added, and counts $4H$ more.)
#
# Why it helps is visible in one derivative. Along the belt,
#
# $$\frac{\partial c_t}{\partial c_{t-1}} = \operatorname{diag}(f_t) \qquad\text{(the direct path)},$$
#
# with no matrix and no $\tanh$. With $f=1$ and $i=0$ the cell is kept unchanged for ever, and so is its gradient: the
# *constant error carousel*. It is no miracle. The gradient on the belt decays like $\prod_t f_t$, so with $f=0.9$ it is
# 0.5 % after fifty steps. The network has to *learn* to keep its gates open; that is why one starts with a large bias
# on $f$. And very long inputs remain hard. LSTMs soften the problem; they do not remove it.
#
# **Backwards.** Ask again where each thing goes. $h_t$ goes into the loss at $t$ and into the four gates of step $t+1$.
# $c_t$ goes into $h_t$ *and* along the belt into $c_{t+1}$. At $t=T$ there is no later step, but something may arrive at
# $c_T$ from outside (say, from the next window of a longer sequence). From there on it is one product rule per gate, with
# $\sigma'=\sigma(1-\sigma)$ and $\tanh'=1-\tanh^2$. The derivation is yours. This is what it must give for one unit and
# one step, with $c_0=1$, $i=0.5$, $f=0.8$, $g=0.5$ and $o=0.5$. Forwards, $c_1=1.05$, $\tanh c_1=0.7818$, $h_1=0.3909$.
# Let 1 come back to $h_1$ from above, and 2 to $c_1$ from outside. What $c_1$ gets in all is
#
# $$\bar c_1 = 2 + 1\cdot 0.5\cdot(1-0.7818^2) = 2.1944,$$
#
# and from it (and $\bar h_1=1$) follow
#
# | $\bar a^i$ | $\bar a^f$ | $\bar a^g$ | $\bar a^o$ | $\bar c_0$ |
# |:-:|:-:|:-:|:-:|:-:|
# | $0.2743$ | $0.3511$ | $0.8229$ | $0.1954$ | $1.7555$ |
#
# Find the five products behind these five numbers before you write any code. Then think of several steps: what comes
# back to $h_t$ from the gates of the next step, and what to $c_t$ along the belt? Which gate stands in between, and of
# which step?
#
# ## Question: the LSTM, forwards and backwards
#
# A sigmoid that never overflows is given.


# %%
def sigmoid(z: np.ndarray) -> np.ndarray:
    """Give 1 / (1 + e^−z) of every entry, without overflow for any z."""
    return 0.5 * (1 + np.tanh(0.5 * z))


# %%
def lstm_forward(
    x: np.ndarray,
    h0: np.ndarray,
    c0: np.ndarray,
    V: np.ndarray,
    U: np.ndarray,
    b: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Run an LSTM over whole sequences.

    x: N×T×D.  h0, c0: N×H.  V: 4H×D, U: 4H×H, b: 4H, in blocks of H rows: i, f, g, o.
    Returns (h: N×T×H, c: N×T×H, gates: N×T×4H). `gates` holds the values of i, f, g, o,
    stacked in this order along the last axis, after their σ or tanh.
    """
    ### BEGIN SOLUTION
    H = h0.shape[1]
    h, c, steps = h0, c0, []
    for t in range(x.shape[1]):
        a = x[:, t] @ V.T + h @ U.T + b
        i, f = sigmoid(a[:, :H]), sigmoid(a[:, H : 2 * H])
        g, o = np.tanh(a[:, 2 * H : 3 * H]), sigmoid(a[:, 3 * H :])
        c = f * c + i * g
        h = o * np.tanh(c)
        steps.append((h, c, np.hstack([i, f, g, o])))
    return tuple(np.stack(part, axis=1) for part in zip(*steps, strict=True))
    ### END SOLUTION


def lstm_backward(
    dh: np.ndarray,
    dc_last: np.ndarray,
    x: np.ndarray,
    h: np.ndarray,
    c: np.ndarray,
    gates: np.ndarray,
    h0: np.ndarray,
    c0: np.ndarray,
    V: np.ndarray,
    U: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Back-propagate through an LSTM.

    dh: N×T×H, the upstream gradient at every h_t.  dc_last: N×H, what arrives at c_T.
    x, h0, c0, V, U as in lstm_forward; h, c, gates as it returned them.
    Returns (dx: N×T×D, dh0: N×H, dc0: N×H, dV: 4H×D, dU: 4H×H, db: 4H).
    """
    ### BEGIN SOLUTION
    h_before = np.concatenate([h0[:, None], h[:, :-1]], axis=1)
    c_before = np.concatenate([c0[:, None], c[:, :-1]], axis=1)
    i, f, g, o = np.split(gates, 4, axis=2)
    shown = np.tanh(c)
    da = np.zeros_like(gates)
    dh_later, dc = np.zeros_like(h0), dc_last
    for t in reversed(range(x.shape[1])):
        dh_t = dh[:, t] + dh_later
        dc = dc + dh_t * o[:, t] * (1 - shown[:, t] ** 2)
        da[:, t] = np.hstack(
            [
                dc * g[:, t] * i[:, t] * (1 - i[:, t]),
                dc * c_before[:, t] * f[:, t] * (1 - f[:, t]),
                dc * i[:, t] * (1 - g[:, t] ** 2),
                dh_t * shown[:, t] * o[:, t] * (1 - o[:, t]),
            ]
        )
        dh_later = da[:, t] @ U
        dc = dc * f[:, t]
    dV = np.einsum("nta,ntd->ad", da, x)
    dU = np.einsum("nta,nth->ah", da, h_before)
    return da @ V, dh_later, dc, dV, dU, da.sum(axis=(0, 1))
    ### END SOLUTION


# %%
check("lstm")

# %% [markdown]
# To compare with, now that yours passes. With $g^h_t$ the upstream gradient at $h_t$:
#
# $$\bar h_t = g^h_t + U^\top\bar a_{t+1}, \qquad
# \bar c_t = \bar h_t\odot o_t\odot(1-\tanh^2c_t) + f_{t+1}\odot\bar c_{t+1},$$
#
# $$\begin{aligned}
# \bar a^i&=\bar c_t\odot g\odot i(1-i), & \bar a^f&=\bar c_t\odot c_{t-1}\odot f(1-f),\\
# \bar a^g&=\bar c_t\odot i\odot(1-g^2), & \bar a^o&=\bar h_t\odot\tanh(c_t)\odot o(1-o),
# \end{aligned}$$
#
# everything at step $t$, and what arrives from outside in the place of $f_{T+1}\odot\bar c_{T+1}$. With the four stacked
# into $\bar a_t$, the rest is as before: $\bar x_t=V^\top\bar a_t$, $\bar V=\sum_t\bar a_tx_t^\top$,
# $\bar U=\sum_t\bar a_th_{t-1}^\top$, $\bar b=\sum_t\bar a_t$; and what arrives at the beginning is
# $\bar h_0=U^\top\bar a_1$, $\bar c_0=f_1\odot\bar c_1$.
#
# Now see the belt at work. The task: read 30 random symbols and say which was the *first*. Everything in between is
# noise. We let torch train three networks of the same size: an Elman network, an LSTM as torch makes it, and the same
# LSTM with the forget gates' bias at 3, so that $f\approx0.95$ before it has learnt anything. Chance is 25 %. Then try
# 15 and 60 symbols, and other seeds: now and then a lucky start saves the Elman network or sinks an LSTM.


# %% tags=["explore"]
def recall(net: torch.nn.Module, length: int, steps: int = 250) -> list[float]:
    """Train a network to name the first symbol; give its accuracy at each step."""
    head = torch.nn.Linear(32, 4)
    parameters = [*net.parameters(), *head.parameters()]
    optimiser = torch.optim.Adam(parameters, lr=0.01)
    accuracy = []
    for _ in range(steps):
        symbols = torch.randint(4, (64, length))
        states, _ = net(torch.nn.functional.one_hot(symbols, 4).float())
        scores = head(states[:, -1])
        optimiser.zero_grad()
        torch.nn.functional.cross_entropy(scores, symbols[:, 0]).backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimiser.step()
        accuracy.append((scores.argmax(1) == symbols[:, 0]).float().mean().item())
    return accuracy


plt.figure(figsize=(7, 3.8))
for name in ("Elman", "LSTM", "LSTM, forget bias 3"):
    torch.manual_seed(0)
    kind = torch.nn.RNN if name == "Elman" else torch.nn.LSTM
    net = kind(4, 32, batch_first=True)
    if name.endswith("3"):
        with torch.no_grad():
            net.bias_ih_l0[32:64], net.bias_hh_l0[32:64] = 3.0, 0.0
    smooth = np.convolve(recall(net, length=30), np.ones(20) / 20, mode="valid")
    plt.plot(smooth, label=name)
plt.axhline(0.25, color="0.7", linewidth=0.8)
plt.ylim(0, 1.05)
plt.xlabel("step")
plt.ylabel("right, of the last 20 batches")
plt.legend()
plt.show()

# %% [markdown]
# ## A language model, and how good it can be
#
# A language model gives every sequence a probability, one symbol at a time:
#
# $$P(y_1,\dots,y_T)=\prod_{t=1}^T P(y_t\mid y_1,\dots,y_{t-1}) .$$
#
# A recurrent network does it like this. To predict $y_t$ it has read everything *before* it and nothing else. So its
# input at step $t$ is $y_{t-1}$; and since there is nothing before the first symbol, it gets a special **start** symbol
# there. The inputs are the targets, moved one place to the right:
#
# | | $t=1$ | $t=2$ | $t=3$ | $t=4$ |
# |---|:-:|:-:|:-:|:-:|
# | input | start | `c` | `h` | `a` |
# | target | `c` | `h` | `a` | `r` |
#
# During training the true previous symbol is fed in, whatever the model would have said. This is **teacher forcing**.
# It makes all steps of a sequence one forward pass. Its price is called *exposure bias*: the model practises only on
# true prefixes, and in use must live with its own mistakes.
#
# Move the row one place too few and the network sees $y_t$ while "predicting" $y_t$. Its loss will be wonderful. How
# would you notice? For English you could not be sure; nobody knows the entropy of English. So we use a source that we
# made ourselves, and whose probability for each symbol we know. No honest predictor beats it on average. And there is a
# sharper statement, with a proof of two lines. Let $p$ be the source and $q$ any model that does not look ahead. Over
# the test data $y$,
#
# $$\mathbb E_{y\sim p}\!\left[\frac{q(y)}{p(y)}\right] = \sum_y q(y) \le 1,
# \qquad\text{so}\qquad P\!\left(\log q(y)-\log p(y)\ge 16.2\right)\le e^{-16.2}\approx 10^{-7}.$$
#
# (The second step is Markov's inequality.) A model whose *total* log-probability on fresh data is 16.2 nats above that
# of the source is not clever; it is reading the answer. That is how this question is graded: on fresh sequences, your
# model must come within 0.06 nats per symbol of the truth, and must not be better than the truth.
#
# ## Question: a language model meets its source
#
# Here `torch` is not only allowed, it does the differentiation. Every tensor that you make must live where the data
# live: pass `device=` (or use `torch.full_like`, `new_zeros`, …), and the code runs on any GPU.
#
# For the training, this is plenty: Adam (gradient descent in which every weight has a step length of its own) with a
# learning rate of 0.01 or 0.02, batches of 64 sequences, each drawn at random from all of them (so that one may come
# twice), gradients clipped at 1. You need not set a seed: each check sets torch's before it calls you, here and in
# grading, and of 690 trainings with other seeds none ended further than 0.023 nats from the source. An *embedding*
# (`torch.nn.Embedding`) is a table with a learnt row of numbers for each symbol; it is a matrix times a one-hot vector,
# without the multiplying. Symbols are numbered $0$ to $K-1$; number $K$ is the start symbol, which is only ever an
# input. The outputs are $K$ scores.
#
# **Generation** turns the model round: feed it the start symbol, choose a symbol, feed that, and so on, until it
# chooses the **end** symbol or the text is long enough. *Greedy*: take the most probable symbol each time. *Sampling*:
# draw it with the model's probabilities. Greedy gives one text, and is not even sure to give the most probable one;
# sampling gives texts that look like the source's. Here the model comes as a function `step`, so that any model will
# do, a torch network as well as a table.


# %%
def teacher_inputs(tokens: torch.Tensor, start: int) -> torch.Tensor:
    """Give the inputs that teacher forcing uses to predict these tokens.

    tokens: N×T integers.  Returns N×T integers on the same device: the start symbol first,
    then each token but the last.
    """
    ### BEGIN SOLUTION
    first = torch.full_like(tokens[:, :1], start)
    return torch.cat([first, tokens[:, :-1]], dim=1)
    ### END SOLUTION


class CharLM(torch.nn.Module):
    """A recurrent language model over the symbols 0 … vocabulary−1."""

    def __init__(self, vocabulary: int, hidden: int) -> None:
        """Make an embedding of vocabulary+1 symbols, a recurrent layer and a linear layer.

        The recurrent layer is one of torch's (torch.nn.LSTM, say), with `hidden` units.
        Another cell, several layers, embeddings of any width: all are fine.
        """
        super().__init__()
        ### BEGIN SOLUTION
        self.embedding = torch.nn.Embedding(vocabulary + 1, hidden)
        self.recurrent = torch.nn.LSTM(hidden, hidden, batch_first=True)
        self.output = torch.nn.Linear(hidden, vocabulary)
        ### END SOLUTION

    def forward(
        self, inputs: torch.Tensor, state: object = None
    ) -> tuple[torch.Tensor, object]:
        """Read N×T input symbols, going on from `state` (None: from zeros).

        Returns (scores: N×T×vocabulary, the state after the last step). The scores at
        place t depend on the inputs up to place t, and on the state, alone.
        """
        ### BEGIN SOLUTION
        states, state = self.recurrent(self.embedding(inputs), state)
        return self.output(states), state
        ### END SOLUTION


def token_log_probabilities(
    model: Callable, tokens: torch.Tensor, start: int
) -> torch.Tensor:
    """Give log P(y_t | y_1 … y_{t−1}) of every token under a model.

    model: what CharLM's forward promises: inputs → (scores N×T×K, state).
    tokens: N×T integers from 0 to K−1.  Returns N×T numbers, none of them positive, and
    none of them infinite: scores may be thousands apart.
    """
    ### BEGIN SOLUTION
    scores, _ = model(teacher_inputs(tokens, start))
    log_p = torch.log_softmax(scores, dim=-1)
    return log_p.gather(2, tokens[:, :, None])[:, :, 0]
    ### END SOLUTION


def train_char_lm(
    tokens: torch.Tensor,
    vocabulary: int,
    hidden: int = 24,
    steps: int = 300,
    device: str = "cpu",
) -> CharLM:
    """Train a CharLM by teacher forcing, with the start symbol `vocabulary`.

    tokens: n×T integers from 0 to vocabulary−1, the training sequences, all of one length;
    n may be small.  steps: the number of batches to learn from, one step of the optimiser
    for each.  The loss is the mean of −log P over the tokens of a batch.
    Returns the trained model, a new one for each call, ready for use: asked the same
    question twice, it gives the same scores.
    """
    ### BEGIN SOLUTION
    tokens = tokens.to(device)
    model = CharLM(vocabulary, hidden).to(device)
    optimiser = torch.optim.Adam(model.parameters(), lr=0.02)
    calm = torch.optim.lr_scheduler.LinearLR(optimiser, 1.0, 0.05, total_iters=steps)
    for _ in range(steps):
        batch = tokens[torch.randint(len(tokens), (64,), device=device)]
        loss = -token_log_probabilities(model, batch, vocabulary).mean()
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        calm.step()
    return model
    ### END SOLUTION


def generate(
    step: Callable,
    state: object,
    start: int,
    end: int,
    max_length: int,
    rng: np.random.Generator | None = None,
) -> list[int]:
    """Generate one text from a model.

    step: a function, step(symbol, state) → (K scores as a numpy array, the new state). The
        probabilities of the next symbol are the softmax of the scores, of any size. The
        scores are the model's own array, not yours to change.
    state: the state before the start symbol is read.  start, end: symbols.
    rng: None for greedy; otherwise each symbol is sampled from its probabilities with it.

    Returns the symbols that were chosen, in order: at most max_length (which may be 0), and
    not the end symbol. The start symbol was not chosen, unless the model chooses it later.
    """
    ### BEGIN SOLUTION
    symbol, made = start, []
    while len(made) < max_length:
        scores, state = step(symbol, state)
        if rng is None:
            symbol = int(np.argmax(scores))
        else:
            p = np.exp(scores - np.max(scores))
            symbol = int(rng.choice(len(p), p=p / p.sum()))
        if symbol == end:
            break
        made.append(symbol)
    return made
    ### END SOLUTION


# %%
check("experiment")

# %% [markdown]
# Your model beside its source. Above, for every pair of symbols, what the source says comes next and what the model
# says. Below, a few texts from both; the rarest symbol is taken for the end of a text. Can you tell which is which? And
# look at the greedy text: every symbol of it is the model's favourite, and the whole is nothing like a typical text.

# %% tags=["explore"]
rng = np.random.default_rng(20)
torch.manual_seed(0)
chain = markov(rng, order=2, vocabulary=4, concentration=0.4)
model = train_char_lm(torch.tensor(chain.sample(rng, 2000, 18)), vocabulary=4)
fresh = chain.sample(rng, 500, 18)
with torch.no_grad():
    model_log_p = token_log_probabilities(model, torch.tensor(fresh), 4).numpy()
excess = (chain.log_likelihood(fresh) - model_log_p).mean(axis=1)
error = excess.std() / np.sqrt(len(fresh))
print(f"entropy rate of the source: {chain.entropy_rate():.4f} nats per symbol")
print(f"model minus source on fresh text: {excess.mean():+.4f} ± {error:.4f}")

contexts = torch.tensor([[4, a, b] for a in range(4) for b in range(4)])
with torch.no_grad():
    said = model(contexts)[0][:, -1].softmax(-1).numpy()
figure, panels = plt.subplots(2, 1, figsize=(8, 3.6), sharex=True)
for panel, title, table in zip(panels, ["source", "model"], [chain.table, said]):
    panel.imshow(table.T, vmin=0, vmax=1, cmap="Blues", aspect="auto")
    panel.set_yticks(range(4), "abcd")
    panel.set_ylabel(title)
panels[1].set_xticks(range(16), [a + b for a in "abcd" for b in "abcd"])
panels[1].set_xlabel("the two symbols before")
plt.show()


def torch_step(symbol: int, state: object) -> tuple[np.ndarray, object]:
    """Make one step of the trained model."""
    with torch.no_grad():
        scores, state = model(torch.tensor([[symbol]]), state)
    return scores[0, -1].numpy().astype(float), state


def spell(text: list[int]) -> str:
    """Write symbols as letters."""
    return "".join("abcd"[symbol] for symbol in text)


end = int(np.bincount(fresh.ravel()).argmin())
for row in chain.sample(rng, 5, 40).tolist():
    print("source :", spell(row[: row.index(end)] if end in row else row))
for _ in range(5):
    print("sampled:", spell(generate(torch_step, None, 4, end, 40, rng)))
print("greedy :", spell(generate(torch_step, None, 4, end, 40)))

# %% [markdown]
# ## And real text?
#
# Your model has only ever read chains of four symbols. Let it read English. Every computer that runs this notebook has
# some: what numpy's functions say about themselves. Of 1700 paragraphs 80 are held back, so that we see what it does
# with text that it was not trained on. Nobody knows the entropy of this source; the one thing to compare with is a model
# that knows how frequent each letter is, and nothing else.
#
# Above: a line that it never saw, and how surprised it was by each letter, having read those before. Look where a bar is
# high: at the first letters of a word or at the last ones? Below: how many of the words that it writes are words of the
# text it was trained on. Then read what it writes. Letters come right first, then short words, then pairs of words. Is
# there a sentence that says something? A bracket that is closed? And the greedy text: the most probable letter, always.


# %% tags=["explore"]
def prose() -> list[str]:
    """Find the paragraphs of numpy's own documentation that are sentences."""
    found = set()
    for module in (np, np.linalg, np.random, np.fft):
        for thing in vars(module).values():
            for part in (thing, *(vars(thing).values() if isinstance(thing, type) else ())):
                text = part.__doc__ if isinstance(part.__doc__, str) else ""
                found |= {" ".join(one.split()) for one in text.split("\n\n")}
    whole = [
        text for text in found if text[:1].isupper() and text[-1] == "." and len(text) > 80
    ]
    return sorted(
        text for text in whole if not any(odd in text for odd in ("--", ">>>", "="))
    )


LETTERS = "\n abcdefghijklmnopqrstuvwxyz.,()'-"


def read(paragraphs: list[str]) -> np.ndarray:
    """Turn text into symbols; what is no letter of ours is left out."""
    text = "\n".join(paragraphs).lower() + "\n"
    return np.array([LETTERS.index(one) for one in text if one in LETTERS])


def write(symbols: list[int]) -> str:
    """Turn symbols into text."""
    return "".join(LETTERS[symbol] for symbol in symbols)


rng = np.random.default_rng(0)
torch.manual_seed(0)
paragraphs, K = prose(), len(LETTERS)
rng.shuffle(paragraphs)
seen, unseen = read(paragraphs[80:]), read(paragraphs[:80])
pieces = seen[np.arange(0, len(seen) - 60, 30)[:, None] + np.arange(60)]
reader = train_char_lm(torch.tensor(pieces), vocabulary=K, hidden=96, steps=350)


def read_on(symbol: int, state: object) -> tuple[np.ndarray, object]:
    """Make one step of the model that reads English."""
    with torch.no_grad():
        scores, state = reader(torch.tensor([[symbol]]), state)
    return scores[0, -1].numpy().astype(float), state


with torch.no_grad():
    held_out = torch.tensor(unseen[: len(unseen) // 100 * 100].reshape(-1, 100))
    surprise = -token_log_probabilities(reader, held_out, K).numpy()
shares = np.bincount(seen, minlength=K) / len(seen)
print(f"held out: {surprise.mean():.2f} nats per letter", end=", ")
print(f"knowing the frequency of each letter alone: {-np.log(shares[unseen]).mean():.2f}")
sampled = write(generate(read_on, None, K, K, 4000, rng))
print("\nsampled:", sampled[:500])
print("\ngreedy :", write(generate(read_on, None, K, K, 160)))

figure, (above, below) = plt.subplots(2, 1, figsize=(10, 5.4), layout="constrained")
line = 3
above.bar(range(75), surprise[line, 5:80], color="tab:red")
above.set_xticks(range(75), write(held_out[line, 5:80].tolist()).replace("\n", "¶"))
above.set_ylabel("surprise in nats")
known, sizes = set(write(seen.tolist()).split()), range(2, 13)
for shift, (name, text) in enumerate(
    {"held-out text": write(unseen), "model": sampled}.items()
):
    words = [[w for w in text.split() if len(w) == size and w.isalpha()] for size in sizes]
    right = [100 * np.mean([w in known for w in some]) if some else 0 for some in words]
    below.bar(np.array(sizes) + 0.4 * shift - 0.2, right, width=0.4, label=name)
below.set_xlabel("letters in the word")
below.set_ylabel("% that it could have read")
below.legend()
plt.show()

# %% [markdown]
# What fails is what lies far back. A word of twelve letters has to be carried through twelve steps, a bracket through
# thirty, what a paragraph is about through three hundred; and every piece that the model was trained on had sixty
# letters. A larger model, more text and more steps move this border, and do not remove it.

# %% [markdown]
# ## Where the road goes
#
# Five facts to take along. The extra questions at the end let you build the first two.
#
# **Gates come in families.** The *GRU* has one state and two gates. Its new state is a weighted mean of the old one and
# a candidate, $h_t=u\odot\hat h+(1-u)\odot h_{t-1}$: what it writes it must forget, the two are coupled. A mean of
# numbers between $-1$ and $1$ stays between $-1$ and $1$. An LSTM's cell is a sum, and may grow by 1 at every step. So
# an LSTM can *count*, and a GRU, with numbers of limited precision, cannot.
#
# **Both directions.** A *bidirectional* network runs one RNN from the left and another from the right and joins their
# states at each place. For tagging the words of a sentence that is there already, this is just right. For generating
# text it is useless: it wants to read what has not been written.
#
# **Characters or words?** A model over characters has a hundred outputs instead of fifty thousand and never meets an
# unknown word. But the same sentence is five times as long, so what must be remembered lies five times as far back.
#
# **Exposure bias.** A model trained on true prefixes only has never seen what follows its own mistakes. One
# wrong symbol takes it to a place where it has never been.
#
# **One vector is a small postcard.** However good the gates, a whole book must fit into $h_T$. The way out
# is to keep all the states and to look back at them. It is called attention.

# %% [markdown]
# ## Question: ten short questions
#
# Answer each with one of the words in quotation marks, or with a number (three significant digits are enough). You will
# need a pocket calculator, or a cell of your own.
#
# 1. `size`. An LSTM as in this notebook (one bias) reads inputs of size $D=4$ and has $H=7$ units. An Elman network
#    ($V$, $U$ and $c$) reads the same inputs, and has exactly as many parameters. How many units has it?
# 2. `skips`. One step back multiplies the norm of a gradient by 0.8. Now there are also connections that skip ten steps;
#    a step along one of them multiplies by 0.8 as well. Which fraction is left after 60 steps, along the shortest way?
# 3. `balance`. $U$ is 1.25 times an orthogonal matrix, and all states have the same size $|h|=a$ in all units. For
#    which $a$ does the norm of a gradient neither grow nor shrink on its way back?
# 4. `run`. A training run, one number for every 100 steps. Loss: 2.08, 1.94, 1.83, 1.77, 1.74, **6.90**, 6.88, 6.88, 6.89.
#    Norm of the gradient: 0.8, 0.9, 1.1, 1.0, 1.3, **2140**, 0.003, 0.002, 0.003. What happened? The gradient
#    `"exploded"` once and threw the weights to a bad place; it `"vanished"` from the start; the model `"overfitted"`;
#    or it had `"converged"`.
# 5. `below`. A Markov source has an entropy rate of 1.23 nats per symbol. On one fresh text of 100 symbols a model has a
#    loss of 0.93 nats per symbol. The source itself has 0.95 on the same text. What do you conclude? The model is
#    `"better"` than the source, whose structure it has found; `"overfitting"`; `"leak"`: it sees what it should predict;
#    or `"nothing"`: this happens to honest models too.
# 6. `bias`. You want half of the gradient on the belt (the direct path $c_T\to c_0$) to be left after 20 steps. All
#    weights of the forget gate are 0. Which bias must it have?
# 7. `drift`. On true texts a model has a loss of 1.25 nats at the tenth symbol, and of 1.24 at the two-hundredth. In the
#    texts that it samples itself, the source finds the tenth symbol as probable as in its own texts, and the
#    two-hundredth far less probable. Why? It `"forgets"` what lies far back; it is `"overfitted"`; the `"draws"`
#    themselves are unlikely, as chance is; or it was never trained on what follows its own `"mistakes"`.
# 8. `letters`. A model over characters has a perplexity of 3 per character. A word, with the blank after it, has 5
#    characters. A model over words reads the same texts. Which perplexity per word must it reach to be as good?
# 9. `counter`. A unit of an LSTM has $f=1$ throughout, and $i=0.5$ and $g=0.8$ whenever it reads an `a`. It begins with
#    $c_0=0$ and reads `aaaa…`. There are values that no state of a GRU which begins at 0 ever has. After how many `a` has
#    the cell of the LSTM such a value for the first time?
# 10. `shown`. A unit of an LSTM keeps $c_t=0.8$ for twenty steps in a row, and all the while $h_t=0.166$. Which value
#     has the gate that is responsible?

# %%
concept_answers = {
    "size": None,  # a number
    "skips": None,  # a number
    "balance": None,  # a number
    "run": None,  # "exploded", "vanished", "overfitted" or "converged"
    "below": None,  # "better", "overfitting", "leak" or "nothing"
    "bias": None,  # a number
    "drift": None,  # "forgets", "overfitted", "draws" or "mistakes"
    "letters": None,  # a number
    "counter": None,  # a number
    "shown": None,  # a number
}
### BEGIN SOLUTION
concept_answers.update(
    size=16.0,
    skips=0.262,
    balance=0.447,
    run="exploded",
    below="nothing",
    bias=3.345,
    drift="mistakes",
    letters=243.0,
    counter=3.0,
    shown=0.25,
)
### END SOLUTION

# %%
check("concepts")

# %% [markdown]
# That was the core. What follows is extra: each part stands alone, in any order. `torch` stays forbidden inside these
# functions.
#
# ## Extra: the GRU, twice
#
# There are two GRUs in circulation. They are not the same network with other letters, and weights trained for one do
# not work in the other. The classic one resets the state *before* it is multiplied:
#
# $$\begin{aligned}
# r&=\sigma(V_rx+U_rh+b_r), & u&=\sigma(V_ux+U_uh+b_u),\\
# \hat h&=\tanh\bigl(V_hx+U_h(r\odot h)+b_h\bigr), & h'&=u\odot\hat h+(1-u)\odot h .
# \end{aligned}$$
#
# torch resets *after* the product, has two biases (so that the reset reaches the second of them), and its update gate
# $z$ weighs the *old* state:
#
# $$n=\tanh\bigl(V_nx+b_n+r\odot(U_nh+b'_n)\bigr),\qquad h'=(1-z)\odot n+z\odot h .$$
#
# With $r$ after the product all three blocks of $Uh$ can be computed in one go. That is why torch does it. Setting
# $u=1-z$ does not turn one into the other; look at where $r$ stands.


# %%
def gru_forward(
    x: np.ndarray, h0: np.ndarray, V: np.ndarray, U: np.ndarray, b: np.ndarray
) -> np.ndarray:
    """Run the classic GRU: the reset acts on h before the product; u weighs the candidate.

    x: N×T×D.  h0: N×H.  V: 3H×D, U: 3H×H, b: 3H, in blocks of H rows: r, u, candidate.
    Returns h: N×T×H.
    """
    ### BEGIN SOLUTION
    H = h0.shape[1]
    h, states = h0, []
    for t in range(x.shape[1]):
        a = x[:, t] @ V.T + b
        r = sigmoid(a[:, :H] + h @ U[:H].T)
        u = sigmoid(a[:, H : 2 * H] + h @ U[H : 2 * H].T)
        candidate = np.tanh(a[:, 2 * H :] + (r * h) @ U[2 * H :].T)
        h = u * candidate + (1 - u) * h
        states.append(h)
    return np.stack(states, axis=1)
    ### END SOLUTION


def gru_forward_torch(
    x: np.ndarray,
    h0: np.ndarray,
    V: np.ndarray,
    U: np.ndarray,
    b: np.ndarray,
    b_state: np.ndarray,
) -> np.ndarray:
    """Run the GRU as torch has it: the reset acts after the product; z weighs the old h.

    x: N×T×D.  h0: N×H.  V: 3H×D, U: 3H×H, in blocks of H rows: r, z, n.
    b: 3H, added to V x.  b_state: 3H, added to U h.  Returns h: N×T×H.
    """
    ### BEGIN SOLUTION
    h, states = h0, []
    for t in range(x.shape[1]):
        ar, az, an = np.split(x[:, t] @ V.T + b, 3, axis=1)
        sr, sz, sn = np.split(h @ U.T + b_state, 3, axis=1)
        r, z = sigmoid(ar + sr), sigmoid(az + sz)
        n = np.tanh(an + r * sn)
        h = (1 - z) * n + z * h
        states.append(h)
    return np.stack(states, axis=1)
    ### END SOLUTION


# %%
check("gru")

# %% [markdown]
# ## Extra: peepholes and coupled gates
#
# In an LSTM the gates decide about a cell that they cannot see. **Peepholes** let them look, each unit at its own cell,
# with one weight per unit and gate. The input and forget gates act on the old cell, so they see $c_{t-1}$. The output
# gate acts on the new one, so it sees $c_t$:
#
# $$i=\sigma(a^i+p^i\odot c_{t-1}),\qquad f=\sigma(a^f+p^f\odot c_{t-1}),\qquad o=\sigma(a^o+p^o\odot c_t) .$$
#
# **Coupling** saves a gate: what is forgotten makes room for exactly as much that is new, $i=1-f$.


# %%
def peephole_lstm_forward(
    x: np.ndarray,
    h0: np.ndarray,
    c0: np.ndarray,
    V: np.ndarray,
    U: np.ndarray,
    b: np.ndarray,
    P: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Run an LSTM whose gates see the cell.

    x: N×T×D.  h0, c0: N×H.  V: 4H×D, U: 4H×H, b: 4H, in blocks of H rows: i, f, g, o.
    P: 3×H, the peephole weights of i, f and o.
    Returns (h: N×T×H, c: N×T×H).
    """
    ### BEGIN SOLUTION
    h, c, steps = h0, c0, []
    for t in range(x.shape[1]):
        ai, af, ag, ao = np.split(x[:, t] @ V.T + h @ U.T + b, 4, axis=1)
        i, f = sigmoid(ai + P[0] * c), sigmoid(af + P[1] * c)
        c = f * c + i * np.tanh(ag)
        h = sigmoid(ao + P[2] * c) * np.tanh(c)
        steps.append((h, c))
    return tuple(np.stack(part, axis=1) for part in zip(*steps, strict=True))
    ### END SOLUTION


def coupled_lstm_forward(
    x: np.ndarray,
    h0: np.ndarray,
    c0: np.ndarray,
    V: np.ndarray,
    U: np.ndarray,
    b: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Run an LSTM with i = 1 − f.

    x: N×T×D.  h0, c0: N×H.  V: 3H×D, U: 3H×H, b: 3H, in blocks of H rows: f, g, o.
    Returns (h: N×T×H, c: N×T×H).
    """
    ### BEGIN SOLUTION
    h, c, steps = h0, c0, []
    for t in range(x.shape[1]):
        af, ag, ao = np.split(x[:, t] @ V.T + h @ U.T + b, 3, axis=1)
        keep = sigmoid(af)
        c = keep * c + (1 - keep) * np.tanh(ag)
        h = sigmoid(ao) * np.tanh(c)
        steps.append((h, c))
    return tuple(np.stack(part, axis=1) for part in zip(*steps, strict=True))
    ### END SOLUTION


# %%
check("variants")

# %% [markdown]
# ## Extra: both ways, in layers, into one answer
#
# **Both ways.** One RNN reads $x_1,\dots,x_L$, another reads $x_L,\dots,x_1$ with weights of its own, and at each place
# the two states are joined: the forward one first. The state of the second network *at place $t$* is the one it has
# after reading $x_L,\dots,x_t$. Sequences are padded, and the second network must begin at the last *real* symbol of
# each. If it begins in the padding, it enters the sentence with a state full of blanks.
#
# **In layers.** The states of one RNN are the inputs of the next.
#
# **Into one answer.** To classify a whole sequence (an *acceptor*) one needs one vector: the `"last"` real state, the
# `"mean"` or the `"max"` (unit by unit) over the real steps, or, for a bidirectional network, the two `"ends"`: the
# forward half at the last real step and the backward half at the first. Those are the states in which each half has
# read everything.
#
# **Into many answers.** For *tagging* (a *transducer*) each step has its label, and the loss of a sentence is the sum
# over its steps: summed, not averaged, over all the real steps of the batch.


# %%
def birnn_forward(
    x: np.ndarray,
    lengths: np.ndarray,
    forward: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray],
    backward: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray],
) -> np.ndarray:
    """Run two Elman networks over padded sequences, one from each end.

    x: N×T×D.  lengths: N integers from 1 to T; sequence n is x[n, :lengths[n]], and what
        comes after it is padding.
    forward, backward: (h0: N×H, V: H×D, U: H×H, c: H) of either network.
    Returns N×T×2H, the forward states first; zeros at padded steps.
    """
    ### BEGIN SOLUTION
    joined = np.zeros((*x.shape[:2], 2 * forward[0].shape[1]))
    for n, length in enumerate(lengths):
        alone = x[n : n + 1, :length]
        there = rnn_forward(alone, forward[0][n : n + 1], *forward[1:])
        back = rnn_forward(alone[:, ::-1], backward[0][n : n + 1], *backward[1:])
        joined[n, :length] = np.concatenate([there[0], back[0, ::-1]], axis=1)
    return joined
    ### END SOLUTION


def stacked_forward(
    x: np.ndarray,
    layers: list[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]],
) -> np.ndarray:
    """Run Elman networks on top of each other.

    x: N×T×D.  layers: from the bottom up, (h0: N×H, V: H×In, U: H×H, c: H) of each, where H
    may differ from layer to layer.  Returns the states of the top layer, N×T×H.
    """
    ### BEGIN SOLUTION
    for start, V, U, c in layers:
        x = rnn_forward(x, start, V, U, c)
    return x
    ### END SOLUTION


def pool(h: np.ndarray, lengths: np.ndarray, how: str) -> np.ndarray:
    """Make one vector of the states of each sequence; padded steps have no say.

    h: N×T×H states, anything at padded steps.  lengths: N integers from 1 to T.
    how: "last", "mean" or "max"; or "ends", where H is even: the first H/2 units at the
        last real step, the others at the first step.
    Returns N×H.
    """
    ### BEGIN SOLUTION
    pooled = []
    for states, length in zip(h, lengths, strict=True):
        real, half = states[:length], states.shape[1] // 2
        pooled.append(
            {
                "last": real[-1],
                "mean": real.mean(axis=0),
                "max": real.max(axis=0),
                "ends": np.append(real[-1, :half], real[0, half:]),
            }[how]
        )
    return np.array(pooled)
    ### END SOLUTION


def tagging_loss_sum(logits: np.ndarray, tags: np.ndarray, lengths: np.ndarray) -> float:
    """Give the sum of −log softmax(logits)[tag] over all the real steps of the batch.

    logits: N×T×K.  tags: N×T integers from 0 to K−1.  lengths: N integers from 1 to T.
    At padded steps logits and tags hold anything. You may use your sequence_loss.
    """
    ### BEGIN SOLUTION
    real = np.arange(logits.shape[1]) < np.asarray(lengths)[:, None]
    return float(sequence_loss(logits, tags, real)[0] * real.sum())
    ### END SOLUTION


# %%
check("birnn")

# %% [markdown]
# ## Extra: sequences of different lengths
#
# A batch is a rectangle, and sequences are not. Short ones are filled up with a padding symbol. Every padded place is
# work for nothing, so sentences are sorted by length first and batches are made of neighbours. (All batches
# are read by the *same* network with the same weights. A batch of another length is another graph, not another LSTM.)
#
# In the recurrence, a padded step must change nothing: the state is handed on as it was. Then `h[:, -1]` is the last
# real state of each sequence, however short, and a batch gives what its sequences would have given alone.


# %%
def pad(sequences: list[list[int]], filler: int) -> tuple[np.ndarray, np.ndarray]:
    """Make a rectangle of sequences, filled up at their ends.

    sequences: N lists of integers, none of them empty.  T is the length of the longest.
    Returns (tokens: N×T integers, mask: N×T booleans, True where a token is real).
    """
    ### BEGIN SOLUTION
    lengths = np.array([len(one) for one in sequences])
    mask = np.arange(lengths.max()) < lengths[:, None]
    tokens = np.full(mask.shape, filler)
    tokens[mask] = np.concatenate(sequences)
    return tokens, mask
    ### END SOLUTION


def batches_by_length(lengths: list[int], size: int) -> list[list[int]]:
    """Sort sequences by length, shortest first, and cut them into batches.

    Sequences of the same length keep their order. Each batch has `size` sequences; the last
    one may have fewer.  Returns, for each batch, the indices of its sequences.
    """
    ### BEGIN SOLUTION
    order = np.argsort(lengths, kind="stable").tolist()
    return [order[at : at + size] for at in range(0, len(order), size)]
    ### END SOLUTION


def padding_waste(lengths: list[int], batches: list[list[int]]) -> int:
    """Count the padded places of all batches, each padded to its own longest sequence."""
    ### BEGIN SOLUTION
    found = [[lengths[i] for i in batch] for batch in batches]
    return sum(max(batch) * len(batch) - sum(batch) for batch in found)
    ### END SOLUTION


def masked_rnn_forward(
    x: np.ndarray,
    mask: np.ndarray,
    h0: np.ndarray,
    V: np.ndarray,
    U: np.ndarray,
    c: np.ndarray,
) -> np.ndarray:
    """Step by tanh(V x_t + U h_{t−1} + c) where the mask is True; elsewhere h_t = h_{t−1}.

    x: N×T×D, anything where the mask is False.  mask: N×T booleans, in any pattern.
    h0: N×H.  V: H×D.  U: H×H.  c: H.  Returns h: N×T×H.
    """
    ### BEGIN SOLUTION
    h, states = h0, []
    for t in range(x.shape[1]):
        moved = rnn_cell(x[:, t], h, V, U, c)
        h = np.where(mask[:, t, None], moved, h)
        states.append(h)
    return np.stack(states, axis=1)
    ### END SOLUTION


# %%
check("batches")

# %% [markdown]
# How much is saved? A thousand sentences with lengths as in ordinary text.

# %% tags=["explore"]
rng = np.random.default_rng(2)
lengths = (1 + rng.gamma(2.0, 9.0, size=1000)).astype(int).tolist()
sizes = [1, 2, 4, 8, 16, 32, 64, 128]
arrival = [[list(range(1000))[at : at + s] for at in range(0, 1000, s)] for s in sizes]
plt.figure(figsize=(6.5, 3.6))
for name, grouped in {
    "as they come": arrival,
    "sorted by length": [batches_by_length(lengths, s) for s in sizes],
}.items():
    waste = np.array([padding_waste(lengths, batches) for batches in grouped])
    plt.semilogx(sizes, 100 * waste / (waste + sum(lengths)), "o-", base=2, label=name)
plt.xlabel("sequences per batch")
plt.ylabel("padding, % of the work")
plt.legend()
plt.show()

# %% [markdown]
# ## Extra: dropout in a recurrent network
#
# Drop units of the state anew at every step, and after fifty steps there is little chance that anything has survived.
# Two ways of doing it work. Either only the *outputs* are dropped, on their way up, and the recurrence
# never notices. Or the recurrence is dropped with **one mask per sequence, the same at every step**: a unit that is out
# stays out. Here are both at once:
#
# $$h_t=\tanh\bigl(Vx_t+U(m\odot h_{t-1})+c\bigr), \qquad y_t = m'_t\odot h_t .$$
#
# Dropout is *inverted*: a mask holds 0 with probability $p$ and $1/(1-p)$ otherwise, so its mean is 1 and nothing needs
# to be changed when the training is over.


# %%
def state_mask(rng: np.random.Generator, n: int, hidden: int, p: float) -> np.ndarray:
    """Draw the masks m of n sequences, one for all the steps of each.

    p: the probability that a unit is dropped, 0 ≤ p < 1. Units are independent, and all
    chance comes from rng.
    Returns n×hidden numbers, each 0 or 1/(1−p).
    """
    ### BEGIN SOLUTION
    return (rng.random((n, hidden)) >= p) / (1 - p)
    ### END SOLUTION


def dropout_forward(
    x: np.ndarray,
    h0: np.ndarray,
    V: np.ndarray,
    U: np.ndarray,
    c: np.ndarray,
    on_state: np.ndarray,
    on_outputs: np.ndarray,
) -> np.ndarray:
    """Run an Elman network with both kinds of dropout.

    x: N×T×D.  h0: N×H.  V: H×D.  U: H×H.  c: H.
    on_state: N×H, the mask m, which acts on h_{t−1} inside every step (h_0 included).
    on_outputs: N×T×H, the masks m'_t.  Returns the outputs y: N×T×H.
    """
    ### BEGIN SOLUTION
    h, outputs = h0, []
    for t in range(x.shape[1]):
        h = rnn_cell(x[:, t], on_state * h, V, U, c)
        outputs.append(on_outputs[:, t] * h)
    return np.stack(outputs, axis=1)
    ### END SOLUTION


# %%
check("dropout")

# %% [markdown]
# ## Extra: the probability of a sequence
#
# A language model can also *classify*. Train one model per language (or author, or genre) and ask each of them how
# probable it finds the text. The class is the one whose model is least surprised, after adding what was known before:
#
# $$\hat k=\arg\max_k\,\bigl(\log P_k(y_1,\dots,y_T)+\log\pi_k\bigr), \qquad
# \log P_k(y_1,\dots,y_T)=\sum_{t=1}^T\log P_k(y_t\mid y_1,\dots,y_{t-1}) .$$
#
# Symbol $y_t$ is predicted from the state *before* it was read. Some notes have it from the state after: such a
# "probability" need not add up to 1 over all texts of a length. Yours will, and a check looks.
#
# A model here is a dict of arrays: `E` holds a vector for each of the $K$ symbols and, as row $K$, for the start
# symbol; `V`, `U`, `c` are an Elman network with $h_0=0$; `W`, `b` are its output layer.


# %%
def log_probability(tokens: np.ndarray, model: dict[str, np.ndarray]) -> np.ndarray:
    """Give log P(y_1, …, y_T) of each sequence.

    tokens: N×T integers from 0 to K−1; T may be in the hundreds.
    model: E: (K+1)×D, V: H×D, U: H×H, c: H, W: K×H, b: K.
    Returns N numbers.
    """
    ### BEGIN SOLUTION
    shifted = np.column_stack([np.full(len(tokens), len(model["b"])), tokens[:, :-1]])
    zeros = np.zeros((len(tokens), len(model["c"])))
    h = rnn_forward(model["E"][shifted], zeros, model["V"], model["U"], model["c"])
    p = token_probabilities(h, model["W"], model["b"])
    return np.log(np.take_along_axis(p, tokens[:, :, None], axis=2)).sum(axis=(1, 2))
    ### END SOLUTION


def classify(
    tokens: np.ndarray, models: list[dict[str, np.ndarray]], priors: np.ndarray
) -> np.ndarray:
    """Give the most probable class of each sequence.

    models: one language model per class.  priors: the class probabilities π.
    Returns N integers, each the index of a model.
    """
    ### BEGIN SOLUTION
    scores = np.array([log_probability(tokens, model) for model in models])
    return (scores + np.log(priors)[:, None]).argmax(axis=0)
    ### END SOLUTION


# %%
check("likelihood")

# %% [markdown]
# ## What you have now
#
# One line, applied again and again; its derivative through time, by hand; and the reason why that derivative fades or
# explodes. A belt with gates against the fading. A clip against the explosion. And a language model that was measured
# against the truth, from both sides.
#
# What remains is the postcard: one vector, however long the text. The *transformer* throws the recurrence away. It
# keeps every state, lets each place look at all the others, and takes one step where you took $T$. It will be measured
# against the same kind of source.
