# %% [markdown]
# # The transformer
#
# A recurrent network reads a sentence the way you hear it: one word after the other, everything squeezed through one
# state. If word 3 decides the ending of word 40, the news has to survive thirty-seven steps. In 2014 Bahdanau, Cho and
# Bengio let a recurrent translator *look* back at every word of the sentence it translates: at all of them at once, it
# decides which of them matter, and takes what they have to say. That is attention. In 2017 eight people left out the
# recurrence. A transformer is little else than attention, repeated.
#
# In this notebook you build all of it. Attention first, forwards and backwards, in numpy and by hand. Then many heads,
# positions, and the two kinds of layer, in torch. Then a tiny GPT, which you train on a source whose entropy is known
# exactly. That number is a floor: no honest model gets below it. One that does is reading the answers, and you will
# learn to see it at a glance. In the end your own parts read English, write some, and learn to spell backwards.
#
# **How to work here.** Read a section, write the functions below it, run the `check` cell after them. A check that
# fails shows the smallest example it failed on. Cells with plots are there to look at and to play with; they are not
# graded. When you hand in, more checks run than the ones you have here: they ask whether the idea is right, not only
# the example. You may leave a question and come back: only the tiny GPT, where all comes together, calls your heads and
# your layers. Seven questions make the hundred points, in about five hours. What comes after them is extra.

# %%
import math
from collections.abc import Callable

import matplotlib.pyplot as plt
import numpy as np
import torch
from torch import nn

from redink import check
from redink_datasets import latin

torch.set_num_threads(1)  # the networks here are small: one thread is faster than several

# %% [markdown]
# ## The idea
#
# A dictionary holds pairs of a *key* and a *value*. You come with a *query*; where it equals a key, you get that key's
# value. Nothing about this can be learnt by gradient descent: a query either hits or misses.
#
# Attention is a dictionary that answers softly. The query $q$, and every key $k_j$, is a vector. How well they fit is
# a number, their inner product. Divided by $\sqrt{d_k}$ it is the *score* $s_j$. A softmax turns the scores into weights
# that sum to 1, and the answer is the average of **all** values, weighted:
#
# $$p_j = \frac{e^{s_j}}{\sum_i e^{s_i}}, \qquad s_j = \frac{q\cdot k_j}{\sqrt{d_k}}, \qquad z = \sum_j p_j\,v_j .$$
#
# If one key fits far better than the others this is the old dictionary. If all fit alike it is the plain mean of the
# values. In between it is smooth, so the vectors can be learnt. (Why $\sqrt{d_k}$? Patience; it has a section of its
# own.)
#
# In **self-attention** every word asks. Each word makes three vectors of itself: what it looks for (query), what it
# offers (key), what it says (value). Note two things that are often told wrongly. A word may attend to *itself* as to
# any other. And it is the *values* that are averaged, not the words' embeddings.
#
# Run the next cell: four keys, and a query that turns once round the circle. On the right the same keys with
# inner products four times as large. The soft dictionary is almost hard there, and where a curve is flat it has no
# slope to learn from.

# %% tags=["explore"]
angles = np.linspace(0, 2 * np.pi, 400)
queries = np.column_stack([np.cos(angles), np.sin(angles)])
places = np.array([0.5, 1.4, 3.3, 4.9])
keys = np.column_stack([np.cos(places), np.sin(places)])

figure, panels = plt.subplots(1, 2, figsize=(11, 3.6), sharey=True)
for panel, size in zip(panels, [2, 8], strict=True):
    fits = np.exp(size * queries @ keys.T)
    panel.stackplot(angles, (fits / fits.sum(axis=1, keepdims=True)).T, alpha=0.8)
    for place in places:
        panel.axvline(place, color="black", linewidth=0.8, linestyle=":")
    panel.set(xlim=(0, 2 * np.pi), ylim=(0, 1), xlabel="direction of the query")
    panel.set_title(f"inner products up to {size}")
panels[0].set_ylabel("the four weights, stacked")
plt.show()

# %% [markdown]
# ## Conventions
#
# They hold in the whole notebook, and the checks hold you to them.
#
# - A sequence of $n$ words is a matrix with a word in each row: $X$ is $n\times d$. Batches come first:
#   $B\times n\times d$. In the shapes below, `…` stands for any number of leading axes, also none.
# - Weights are Out×In, as torch keeps them: $Q = XW_Q^\top$.
# - There are $n$ queries and $m$ keys, and as many values as keys. Queries and keys share their size $d_k$, or they
#   could not be multiplied; the values have a size $d_v$ of their own. All of these are at least 1: attention to no key
#   at all is not defined here, and nobody asks for it.
# - **A mask is boolean, and `True` means: may attend.** Libraries disagree about this. In torch,
#   `scaled_dot_product_attention` thinks as we do, while `nn.MultiheadAttention` takes `True` for *blocked*. Many an
#   evening has been lost to it. A mask says which keys may be seen, and nothing about who asks: a blank that asks gets
#   an answer, like any word.
# - A mask acts on the **scores**, before the softmax: a forbidden score becomes $-\infty$.
# - **A row with nothing to attend to gives zeros**, as weights and as output, and passes no gradient.
# - Arrays may hold integers; what you compute from them are numbers all the same, not cut to integers. Scores may be of
#   any size, also ±1e12: nothing overflows, and what is masked stays masked.
# - A module may be called again and again, with sequences of other lengths, and with weights that have changed since, for
#   training changes them in place. What it answers depends on nothing from an earlier call. Gradients pass through it.
# - Functions and modules never change the arrays, tensors and modules that they are given. Changing an array or a tensor costs
#   one check of the question (the first that sees it); the other checks look only at what is returned. Only `train` changes
#   its model, as it should.
#
# ## Once by hand
#
# One query, two keys, $d_k=4$, so $\sqrt{d_k}=2$. Let $q=(2,0,0,0)$, $k_1=(\ln 3,0,1,0)$, $k_2=(0,5,0,0)$, and the
# values $v_1=(8,0)$, $v_2=(0,4)$. Cover the right column.
#
# | what | how | result |
# |:--|:--|:-:|
# | inner products | $q\cdot k_1,\ q\cdot k_2$ | $2\ln 3,\ 0$ |
# | scores $s$ | divided by 2 | $\ln 3,\ 0$ |
# | weights $p$ | $e^{\ln 3}=3$ and $e^0=1$, divided by their sum | $\tfrac34,\ \tfrac14$ |
# | output $z$ | $\tfrac34(8,0)+\tfrac14(0,4)$ | $(6, 1)$ |
# | output when $k_1$ is masked | weights $0, 1$ | $(0, 4)$ |
# | output when both are masked | weights $0, 0$ | $(0, 0)$ |
#
# We shall need these numbers again on the way back.

# %% [markdown]
# ## Question: attention
#
# For $n$ queries at once it is two matrix products with a softmax between them: from the queries and keys the scores $S$
# ($n\times m$), from these the weights $P$ ($n\times m$), and with the values the outputs $Z$ ($n\times d_v$). The formulas
# of *The idea* say what the number in row $i$ and column $j$ is; the shapes say what is multiplied with what, and what
# must be transposed. Each **row** of $P$ belongs to a query and sums to 1: a query has one unit of attention to spend.
#
# **Why $\sqrt{d_k}$.** Let the entries of $q$ and $k$ be independent, with mean 0 and variance 1. Then each product
# $q_ik_i$ has mean 0 and variance $\mathbb E[q_i^2]\,\mathbb E[k_i^2]=1$, and the sum of $d_k$ of them has variance
# $d_k$: the inner product is typically as large as $\sqrt{d_k}$. With $d_k=256$ the scores would be spread over
# $\pm16$, and since $e^{16}$ is nine million, one key would take everything before anything is learnt. Divided by
# $\sqrt{d_k}$ they have variance 1, **whatever the width**. The number that counts is the length of the vectors that
# are multiplied: not the length $n$ of the sentence (some notes write $\sqrt n$ or $\sqrt{d_L}$ and mean this one), and
# not $d_k$ itself, which would make all keys look alike.
#
# **Two masks, for two purposes.** The *causal* mask lets position $t$ see positions $0,\dots,t$: itself and the past.
# The *padding* mask hides the blanks at the end of short sentences in a batch. They combine with `&`.
#
# **Three traps.** Multiplying the *weights* by the mask leaves rows that no longer sum to 1. A score of 0 is no mask,
# for $e^0=1$. And $-10^6$ in place of $-\infty$ looks harmless until a row is masked altogether: then all its scores
# are equal, and it attends uniformly to what it must not see. With $-\infty$ that row gives $0/0$; say what you want
# there. As always, subtract the largest score of a row before you take exponentials: scores of 1000 are legal.
#
# Use numpy alone in this question; `torch` is not allowed.


# %%
def project(
    X: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Make the queries, keys and values of every word, each with its own matrix.

    The word (1, 2) and W_q = [[3, 0], [0, 1], [1, −1]] make the query (3, 2, −1).
    X: …×n×d.  W_q, W_k: d_k×d.  W_v: d_v×d.
    Returns (Q: …×n×d_k,  K: …×n×d_k,  V: …×n×d_v).
    """
    ### BEGIN SOLUTION
    return X @ W_q.T, X @ W_k.T, X @ W_v.T
    ### END SOLUTION


def attention(
    Q: np.ndarray, K: np.ndarray, V: np.ndarray, mask: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Give each query its weights on the keys, P, and the mean of the values under them, Z.

    The query, the keys and the values of the section above: P = [[¾, ¼]], Z = [[6, 1]].
    Q: …×n×d_k.  K: …×m×d_k.  V: …×m×d_v, all with the same leading axes.
    mask: boolean, of a shape that broadcasts to …×n×m. Where it is False the score is −∞.
        A row of P without any True is all zeros.
    Returns (Z: …×n×d_v,  P: …×n×m).
    """
    ### BEGIN SOLUTION
    S = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    top = S.max(axis=-1, keepdims=True)
    powers = np.exp(S - np.where(np.isfinite(top), top, 0))
    total = powers.sum(axis=-1, keepdims=True)
    P = powers / np.where(total > 0, total, 1)
    return P @ V, P
    ### END SOLUTION


def causal_mask(n: int) -> np.ndarray:
    """Let position t attend to positions 0 … t.  Returns n×n truth values."""
    ### BEGIN SOLUTION
    return np.tril(np.ones((n, n), dtype=bool))
    ### END SOLUTION


def padding_mask(lengths: np.ndarray, m: int) -> np.ndarray:
    """Let every query of sentence b attend to its first lengths[b] keys, and not to blanks.

    lengths: B integers from 0 to m.
    Returns B×1×m truth values; the middle axis is there so that it serves all queries.
    """
    ### BEGIN SOLUTION
    return (np.arange(m) < np.asarray(lengths)[:, None])[:, None, :]
    ### END SOLUTION


# %%
check("attention")

# %% [markdown]
# When the checks are green, look at what the scale does. For random queries and keys of growing width, the left panel
# shows how far apart the scores are; the right one how much of its attention a query spends on a single one of 50 keys.
# Which curve would you like to begin training with?

# %% tags=["explore"]
rng = np.random.default_rng(0)
widths = [4, 8, 16, 32, 64, 128, 256, 512]
spread, biggest = [], {"undivided": [], "divided by √d": [], "divided by d": []}
for d in widths:
    Q, K = rng.normal(size=(200, d)), rng.normal(size=(50, d))
    spread.append(np.std(Q @ K.T))
    for name, factor in zip(biggest, [np.sqrt(d), 1, 1 / np.sqrt(d)], strict=True):
        _, P = attention(factor * Q, K, K)  # which divides by √d: undo it, or do it twice
        biggest[name].append(P.max(axis=1).mean())

figure, panels = plt.subplots(1, 2, figsize=(11, 3.8))
panels[0].loglog(widths, spread, "o", base=2, label="spread of q·k")
panels[0].loglog(widths, np.sqrt(widths), base=2, color="black", linewidth=1, label="√d")
panels[0].set_title("how far apart the inner products are")
for name, values in biggest.items():
    panels[1].semilogx(widths, values, "o-", base=2, label=name)
panels[1].axhline(1 / 50, color="black", linewidth=1, linestyle=":", label="1/50, uniform")
panels[1].set_title("largest weight of a query, on average")
for panel in panels:
    panel.set_xlabel("width d")
    panel.legend()
plt.show()

# %% [markdown]
# And here are the masks at work: a batch of two sentences, of 7 and of 4 words. Rows are queries, columns keys. Each row
# still sums to 1. What do the last three *rows* of the right picture mean, and does it matter what is in them?

# %% tags=["explore"]
X = np.random.default_rng(1).normal(size=(2, 7, 16))
mask = causal_mask(7) & padding_mask(np.array([7, 4]), 7)
_, P = attention(X, X, X, mask)
figure, panels = plt.subplots(1, 3, figsize=(11, 3.4))
pictures = {"causal": causal_mask(7), "7 words": P[0], "4 words, 3 blanks": P[1]}
for panel, (title, picture) in zip(panels, pictures.items(), strict=True):
    panel.imshow(picture, cmap="Blues", vmin=0, vmax=1)
    panel.set(title=title, xlabel="key")
panels[0].set_ylabel("query")
plt.show()

# %% [markdown]
# ## Question: backwards
#
# Write $\mathrm dA$ for the gradient of the loss in $A$. It has the shape of $A$, and when $A$ changes by a small
# $\delta A$ the loss changes by $\sum\mathrm dA\odot\delta A$. Somebody gives you $\mathrm dZ$; send it back, one step at
# a time.
#
# **By hand.** Take the example above: one query, $p=(\tfrac34,\tfrac14)$, values $v_1=(8,0)$ and $v_2=(0,4)$, and let
# $\mathrm dz=(1,0)$.
#
# *Through $z=p_1v_1+p_2v_2$.* When $p_1$ grows by a little $\varepsilon$, $z$ grows by $\varepsilon v_1$ and the loss by
# $\varepsilon\,\mathrm dz\cdot v_1$. So $\mathrm dp=(\mathrm dz\cdot v_1,\ \mathrm dz\cdot v_2)=(8,0)$. And when $v_1$
# moves by $\delta$, $z$ moves by $\tfrac34\delta$: so $\mathrm dv_1=\tfrac34\,\mathrm dz$ and
# $\mathrm dv_2=\tfrac14\,\mathrm dz$. With $n$ queries, each of them sends something to each value, and what reaches a
# thing by several ways is added up.
#
# *Through the softmax, for two keys.* The weights depend on the difference of the scores alone:
# $p_1=\sigma(s_1-s_2)$ and $p_2=1-p_1$, with $\sigma'=\sigma(1-\sigma)$. So
#
# $$\mathrm ds_1=p_1p_2\,(\mathrm dp_1-\mathrm dp_2),\qquad \mathrm ds_2=-\mathrm ds_1 .$$
#
# Here this is $\tfrac3{16}\cdot(8-0)=\tfrac32$, and $\mathrm ds=(\tfrac32,-\tfrac32)$.
#
# *Through $s_j=q\cdot k_j/\sqrt{d_k}$.* With $\sqrt{d_k}=2$, $\mathrm dq=\bigl(\tfrac32k_1-\tfrac32k_2\bigr)/2$ and
# $\mathrm dk_1=\tfrac32q/2$.
#
# **Your part** is the general case, and nobody hands you the formula: $m$ keys in place of two, $n$ queries at once, then
# the projections. Differentiate $p_j=e^{s_j}/\sum_ie^{s_i}$ with respect to each score, and hold what you find against
# these facts. For two keys it must be the line above. Attention is a budget, more for one is less for others: each row of
# $\mathrm dS$ sums to 0. Where $p_j=0$ nothing passes, so masked places, and rows that see nothing, need no special care
# on the way back. And where one weight is almost 1 almost nothing passes either: **a saturated softmax learns nothing**,
# which is why we divided by $\sqrt{d_k}$.
#
# For the products let the shapes help: in $Q=XW_Q^\top$ the gradient in $W_Q$ is of shape $d_k\times d$, summed over all
# words of all sentences, and only one order of $\mathrm dQ$ and $X$ gives it. Mind that $X$ goes into all three products.
# (The way back is written out at the end of the notebook. Look when your check is green.)
#
# No `torch` in this question, and no finite differences: derive the formulas and write them.


# %%
def softmax_backward(dP: np.ndarray, P: np.ndarray) -> np.ndarray:
    """Send a gradient back through a softmax of rows: from dP, that in P, to dS, that in S.

    dP, P: …×n×m, P as `attention` returned it: its rows sum to 1, or are all zeros.
    Returns dS: …×n×m; a row of zeros in P has a row of zeros in dS.
    """
    ### BEGIN SOLUTION
    return P * (dP - (P * dP).sum(axis=-1, keepdims=True))
    ### END SOLUTION


def attention_backward(
    dZ: np.ndarray, Q: np.ndarray, K: np.ndarray, V: np.ndarray, P: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Give the gradients of attention in its queries, keys and values.

    dZ: …×n×d_v, the gradient in the output.  P: …×n×m, the weights of the forward pass.
    Q: …×n×d_k.  K: …×m×d_k.  V: …×m×d_v, all with the same leading axes.
    Returns (dQ, dK, dV) in the shapes of Q, K, V.
    """
    ### BEGIN SOLUTION
    dV = np.swapaxes(P, -1, -2) @ dZ
    dS = softmax_backward(dZ @ np.swapaxes(V, -1, -2), P) / np.sqrt(Q.shape[-1])
    return dS @ K, np.swapaxes(dS, -1, -2) @ Q, dV
    ### END SOLUTION


def projection_backward(
    dQ: np.ndarray,
    dK: np.ndarray,
    dV: np.ndarray,
    X: np.ndarray,
    W_q: np.ndarray,
    W_k: np.ndarray,
    W_v: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Send the gradients in Q, K, V back through `project`, to the words and the matrices.

    X: B×n×d.  dQ, dK: B×n×d_k.  dV: B×n×d_v.  W_q, W_k: d_k×d.  W_v: d_v×d.
    Returns (dX, dW_q, dW_k, dW_v) in the shapes of X, W_q, W_k, W_v.
    """
    ### BEGIN SOLUTION
    dX = dQ @ W_q + dK @ W_k + dV @ W_v
    flat = X.reshape(-1, X.shape[-1])
    dW_q, dW_k, dW_v = (one.reshape(-1, one.shape[-1]).T @ flat for one in (dQ, dK, dV))
    return dX, dW_q, dW_k, dW_v
    ### END SOLUTION


# %%
check("backward")

# %% [markdown]
# What you said about saturation can be measured. Scores of growing size go into a softmax. Up to a spread of about 3 what
# comes back grows; beyond, it is less and less. At $d_k=256$ undivided scores have a spread of 16.

# %% tags=["explore"]
rng = np.random.default_rng(2)
sizes = np.geomspace(0.25, 64, 17)
S, dP = rng.normal(size=(300, 50)), rng.normal(size=(300, 50))
back = []
for size in sizes:
    weights = np.exp(size * (S - S.max(axis=1, keepdims=True)))
    weights /= weights.sum(axis=1, keepdims=True)
    back.append(np.median(np.linalg.norm(softmax_backward(dP, weights), axis=1)))
plt.figure(figsize=(7, 3.8))
plt.loglog(sizes, back, "o-")
plt.axvline(1, color="tab:green", label="divided by √d")
plt.axvline(16, color="tab:red", label="undivided, d = 256")
plt.ylim(1e-9, 1)
plt.xlabel("spread of the scores")
plt.ylabel("gradient that comes back (median)")
plt.legend(loc="lower center")
plt.show()

# %% [markdown]
# ## Question: many heads
#
# One softmax has one opinion. A word may need to look for its verb *and* for the noun it stands for, and an average of
# the two looks is neither. So let $h$ small attentions, the *heads*, look at once, each with projections of its own to
# $d/h$ dimensions, and mix what they bring home:
#
# $$\operatorname{head}_j=\operatorname{attention}(XW_{Q,j}^\top,\;XW_{K,j}^\top,\;XW_{V,j}^\top),\qquad Z=[\operatorname{head}_1,\dots,\operatorname{head}_h]\,W_O^\top .$$
#
# The heads' matrices, stacked, are again one $d\times d$ matrix, so the number of parameters does not depend on $h$, nor
# does the number of multiplications. One projects once and then **splits the columns**: head $j$ gets columns $j\,d/h$
# to $(j+1)\,d/h-1$ of *every* word. Each head divides by the root of *its own* width, $\sqrt{d/h}$.
#
# Here lives the most expensive `reshape` in deep learning. An array of shape $B\times n\times d$ can be reshaped to
# $B\times h\times n\times d/h$ in one go, no error is raised, and the result is nonsense: the memory is cut into $h$
# pieces *along the sentence*, so that each head sees a part of the words. With $n=2$, $d=4$, $h=2$ and the words
# $(1,2,3,4)$ and $(5,6,7,8)$:
#
# | | head 0 | head 1 |
# |:--|:-:|:-:|
# | split the columns, then move the axis | $(1,2),\ (5,6)$ | $(3,4),\ (7,8)$ |
# | reshape in one go | $(1,2),\ (3,4)$ | $(5,6),\ (7,8)$ |
#
# From here on we write torch, which gives us the way back for free. Everything must run on whatever device its inputs
# are on. The module below also serves for *cross-attention*: the queries come from `x`, the keys and values from
# `memory`, which may be another sequence, of another length. For self-attention both are the same.
#
# A row that may attend to nothing gives zeros here too, **and its gradients must be zeros**. A softmax over nothing but
# $-\infty$ is NaN, and covering it up afterwards helps the output only: if $-\infty$ was *added* to the scores, the NaN
# multiplies on the way back and comes out in the gradients of $x$. It is safest not to let it arise.
#
# Not allowed in this question: `nn.MultiheadAttention`, `scaled_dot_product_attention` and
# `multi_head_attention_forward` of torch. You are writing them.


# %%
def split_heads(X: torch.Tensor, heads: int) -> torch.Tensor:
    """Cut the columns of every word into heads.

    X: B×n×d, where d is a multiple of heads.
    Returns B×heads×n×(d/heads): head j has columns j·d/heads … (j+1)·d/heads − 1.
    """
    ### BEGIN SOLUTION
    return X.unflatten(-1, (heads, -1)).transpose(-3, -2)
    ### END SOLUTION


def merge_heads(X: torch.Tensor) -> torch.Tensor:
    """Undo `split_heads`.  X: B×heads×n×e.  Returns B×n×(heads·e)."""
    ### BEGIN SOLUTION
    return X.transpose(-3, -2).flatten(-2)
    ### END SOLUTION


class MultiHeadAttention(nn.Module):
    """Attention with several heads; `width` is d, a multiple of `heads`."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width, bias=False)
        self.key = nn.Linear(width, width, bias=False)
        self.value = nn.Linear(width, width, bias=False)
        self.out = nn.Linear(width, width, bias=False)

    def forward(
        self, x: torch.Tensor, memory: torch.Tensor, mask: torch.Tensor | None = None
    ) -> torch.Tensor:
        """Let every word of x attend to all words of memory, in each head; mix the heads.

        x: B×n×width.  memory: B×m×width.
        mask: boolean, n×m, B×n×m or B×1×m; True may attend; the same for all heads.
            A word that may attend to nothing gets zeros, and passes no gradient.
        Returns B×n×width.
        """
        ### BEGIN SOLUTION
        q = split_heads(self.query(x), self.heads)
        k = split_heads(self.key(memory), self.heads)
        v = split_heads(self.value(memory), self.heads)
        scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
        if mask is None:
            return self.out(merge_heads(scores.softmax(dim=-1) @ v))
        shared = mask.unsqueeze(-3)
        blind = ~shared.any(dim=-1, keepdim=True)
        scores = scores.masked_fill(~shared, -torch.inf).masked_fill(blind, 0.0)
        weights = scores.softmax(dim=-1).masked_fill(blind, 0.0)
        return self.out(merge_heads(weights @ v))
        ### END SOLUTION


# %%
check("heads")

# %% [markdown]
# ## Question: positions
#
# Shuffle the words of a sentence, and self-attention gives the same outputs, shuffled alike: $f(\Pi X)=\Pi f(X)$. This
# is called *permutation equivariance*. (It is not *invariance*: the outputs do move, with their words. And a causal
# mask breaks it, for the mask knows who came first.) Without help, "dog bites man" and "man bites dog" are the same
# bag of words. So the position is written onto each word, by adding a vector that depends on it, the *positional encoding*.
# It can be learnt, one per position, and then there is none for positions beyond the longest sentence seen. Or it can be
# computed, for any position $p$ (*sinusoidal* encodings):
#
# $$\mathrm{PE}_{p,\,2i}=\sin(p\,\omega_i),\qquad \mathrm{PE}_{p,\,2i+1}=\cos(p\,\omega_i),\qquad \omega_i=10000^{-2i/d}.$$
#
# Think of $d/2$ hands of a clock. Each frequency owns one sine and one cosine, side by side: the two coordinates of
# one hand. The first hand turns by one radian per word, the last so slowly that it tells the chapter.
#
# Why this and not simply the number $p$? Because going $k$ words on is **the same linear map wherever you are**: it
# turns every hand by a fixed angle. Say that $k$ words are a quarter of a turn for some hand, $k\omega=\tfrac\pi2$. Then
# $\sin(p\,\omega+\tfrac\pi2)=\cos p\,\omega$ and $\cos(p\,\omega+\tfrac\pi2)=-\sin p\,\omega$, so
#
# $$\begin{pmatrix}\sin((p+k)\omega)\\ \cos((p+k)\omega)\end{pmatrix}=\begin{pmatrix}0&1\\ -1&0\end{pmatrix}\begin{pmatrix}\sin p\,\omega\\ \cos p\,\omega\end{pmatrix},$$
#
# with the same matrix for every $p$. For any other angle the addition theorems give its four entries; that is yours to do.
# So "the word before me" is a matrix that a head can learn once. It also follows that the inner product of two
# positions depends on their distance alone.
#
# The third function is an instrument: it measures how far any given $f$ is from being equivariant. Mind the
# difference between $f(\Pi X)$ compared with $f(X)$ and compared with $\Pi f(X)$. Numpy alone again, no `torch`.


# %%
def sinusoids(n: int, d: int) -> np.ndarray:
    """Give the encodings of positions 0 … n−1, for an even d.  Returns n×d.

    For d = 4 the two hands turn by 1 and by 1/100 of a radian for each word, so position 3
    has the row (sin 3, cos 3, sin 0.03, cos 0.03).
    """
    ### BEGIN SOLUTION
    hands = np.arange(n)[:, None] * 10000.0 ** (-np.arange(0, d, 2) / d)
    return np.stack([np.sin(hands), np.cos(hands)], axis=-1).reshape(n, d)
    ### END SOLUTION


def rotation(k: int, d: int) -> np.ndarray:
    """Give the d×d matrix R with PE_{p+k} = R PE_p for every position p.

    k may be negative. PE_p is row p of `sinusoids`, taken as a column.
    """
    ### BEGIN SOLUTION
    R = np.zeros((d, d))
    for i in range(0, d, 2):
        turn = k * 10000.0 ** (-i / d)
        R[i, i] = R[i + 1, i + 1] = np.cos(turn)
        R[i, i + 1], R[i + 1, i] = np.sin(turn), -np.sin(turn)
    return R
    ### END SOLUTION


def equivariance_gap(
    f: Callable[[np.ndarray], np.ndarray], X: np.ndarray, order: np.ndarray
) -> float:
    """Measure how far f is from permutation equivariance: max |f(ΠX) − Π f(X)|.

    f: a function that takes n×d numbers and returns n×e numbers.  X: n×d.
    order: a permutation of 0 … n−1; row i of ΠX is row order[i] of X.
    """
    ### BEGIN SOLUTION
    return float(np.abs(f(X[order]) - f(X)[order]).max())
    ### END SOLUTION


# %%
check("positions")

# %% [markdown]
# The clock, and what it is good for. On the left, 64 positions: fast hands in the first columns, slow ones in the last.
# On the right the inner products of positions 30 and 45 with all others: largest at home, the same to both sides, and a
# function of the distance alone. Near words differ from far ones, but not in proportion: the curve falls in waves, and a
# word 32 places away scores higher than one 28 away. Below, your instrument at work on three functions.

# %% tags=["explore"]
encodings = sinusoids(64, 32)
figure, panels = plt.subplots(1, 2, figsize=(11, 4))
panels[0].imshow(encodings, cmap="RdBu", aspect="auto")
panels[0].set(xlabel="column", ylabel="position")
for home, style in {30: "-", 45: "--"}.items():
    products = encodings @ encodings[home]
    panels[1].plot(np.arange(64) - home, products, style, label=f"from {home}")
panels[1].set(xlabel="distance", ylabel="inner product")
panels[1].legend()
plt.show()

rng = np.random.default_rng(4)
words, order = rng.normal(size=(9, 32)), rng.permutation(9)
functions = {
    "attention": lambda X: attention(X, X, X)[0],
    "attention, causal": lambda X: attention(X, X, X, causal_mask(9))[0],
    "attention, with positions": lambda X: attention(*[X + encodings[:9]] * 3)[0],
}
for name, f in functions.items():
    print(f"{name}: {equivariance_gap(f, words, order):.2g}")

# %% [markdown]
# ## Question: the two layers
#
# Attention moves information between positions. To *think* about it each position then uses a small network of its
# own, the same one everywhere:
#
# $$F(x)=W_2\operatorname{relu}(W_1x+b_1)+b_2 .$$
#
# Around each of the two stands a residual connection, $x+\text{sublayer}(x)$, so that a layer that has nothing to say
# changes nothing, and a gradient finds a straight way down. And there is a layer norm, which brings each position to
# mean 0 and variance 1 over its features. Where it stands is a matter of taste with consequences:
#
# | | **pre-norm** (today's habit) | **post-norm** (the paper of 2017) |
# |:--|:--|:--|
# | attention | $y=x+A(\operatorname{LN}_1(x))$ | $y=\operatorname{LN}_1(x+A(x))$ |
# | feed-forward | $z=y+F(\operatorname{LN}_2(y))$ | $z=\operatorname{LN}_2(y+F(y))$ |
#
# In a post-norm stack even the straight way passes through a norm in every layer. In a pre-norm stack it is free from
# top to bottom. After the next question you will train both and see the difference.
#
# A **decoder** layer has three sublayers. Its self-attention is **causal**: position $t$ sees only positions up to
# $t$. In training all target words are there at once, and the mask makes it as if they were not, so that training and
# generation face the same task. Then comes *cross-attention*: queries from the decoder, **keys and values from the
# encoder's output**, the `memory`. (It is cross-attention that reads the encoder, not self-attention, whatever some
# notes say.) The memory has its own length and may have a padding mask. Then the feed-forward net. In the pre-norm form,
#
# $$y=x+A_{\text{self}}(\operatorname{LN}_1(x)),\qquad u=y+A_{\text{cross}}(\operatorname{LN}_2(y),\,\text{memory}),\qquad z=u+F(\operatorname{LN}_3(u)),$$
#
# and in the post-norm form $\operatorname{LN}_i$ stands around each sum, as in the table. The memory is used as it
# comes; the layer does not normalise it.
#
# The attention modules are given to the layer, ready made: any module that can be called as `attention(x, memory, mask)`, like
# the one you wrote. So the checks of this question do not depend on it. Hand it the mask by position or as `mask=…`; where
# there is none, hand on `None` or leave it out. A mask that came in means the same when it is handed on, also a row of it
# without any `True`. One that is made here must be on the device of `x`. And `self.pre_norm` is read in each call: when
# somebody changes it later, the form changes.
#
# Not allowed: `nn.Transformer`, `nn.TransformerEncoder`, `nn.TransformerEncoderLayer`, `nn.TransformerDecoder` and
# `nn.TransformerDecoderLayer`.


# %%
class EncoderLayer(nn.Module):
    """Self-attention and a feed-forward net, each with a residual connection and a norm."""

    def __init__(
        self, width: int, hidden: int, attention: nn.Module, pre_norm: bool = True
    ) -> None:
        super().__init__()
        self.attention, self.pre_norm = attention, pre_norm
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.rise, self.fall = nn.Linear(width, hidden), nn.Linear(hidden, width)

    def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        """Apply the layer, in the form that self.pre_norm says.

        The feed-forward net is fall(relu(rise(·))).
        x: B×n×width.  mask: boolean, n×n, B×n×n or B×1×n; True may attend.
        Returns B×n×width.
        """
        ### BEGIN SOLUTION
        if self.pre_norm:
            calm = self.norm1(x)
            x = x + self.attention(calm, calm, mask)
            return x + self.fall(self.rise(self.norm2(x)).relu())
        x = self.norm1(x + self.attention(x, x, mask))
        return self.norm2(x + self.fall(self.rise(x).relu()))
        ### END SOLUTION


class DecoderLayer(nn.Module):
    """Causal self-attention, cross-attention to a memory, and a feed-forward net."""

    def __init__(
        self,
        width: int,
        hidden: int,
        self_attention: nn.Module,
        cross_attention: nn.Module,
        pre_norm: bool = True,
    ) -> None:
        super().__init__()
        self.self_attention, self.cross_attention = self_attention, cross_attention
        self.pre_norm = pre_norm
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.norm3 = nn.LayerNorm(width)
        self.rise, self.fall = nn.Linear(width, hidden), nn.Linear(hidden, width)

    def forward(
        self,
        x: torch.Tensor,
        memory: torch.Tensor,
        memory_mask: torch.Tensor | None = None,
    ) -> torch.Tensor:
        """Apply the layer, in the form that self.pre_norm says, under a causal mask.

        x: B×n×width, the target so far.  memory: B×m×width, what the encoder gave.
        memory_mask: boolean, n×m, B×n×m or B×1×m; True may attend.
        Returns B×n×width. Position t depends on positions 0 … t of x, and on memory.
        """
        ### BEGIN SOLUTION
        n = x.shape[-2]
        past = torch.ones(n, n, dtype=torch.bool, device=x.device).tril()
        if self.pre_norm:
            calm = self.norm1(x)
            x = x + self.self_attention(calm, calm, past)
            x = x + self.cross_attention(self.norm2(x), memory, memory_mask)
            return x + self.fall(self.rise(self.norm3(x)).relu())
        x = self.norm1(x + self.self_attention(x, x, past))
        x = self.norm2(x + self.cross_attention(x, memory, memory_mask))
        return self.norm3(x + self.fall(self.rise(x).relu()))
        ### END SOLUTION


# %%
check("layers")

# %% [markdown]
# ## Question: a tiny GPT
#
# A GPT is a stack of such layers over a sequence that looks only at the past, asked at every position for the next
# token. Embed the tokens, add a learnt vector for each position, run the blocks under a causal mask, normalise once
# more (pre-norm leaves the sum of all layers un-normalised), and map every position to a score for each of the $V$
# tokens. A softmax over these *logits* is the distribution of the next token.
#
# **The shift.** Position $t$ has seen tokens $0,\dots,t$ and predicts token $t+1$. So the logits of the positions
# $0,\dots,n-2$ are held against the tokens $1,\dots,n-1$; the last position's prediction has nothing to be held
# against. The loss is the mean of $-\log p(\text{the right token})$ over all $B(n-1)$ predictions, the *negative
# log-likelihood* (NLL). One sequence gives $n-1$ lessons in a single pass: that is what causal masking buys.
#
# **The floor.** Our text comes from a source that we know. Each token depends on the *two* before it, and on nothing
# else: a table gives the four probabilities for each of the sixteen pairs. They are always 0.7, 0.2, 0.07 and 0.03, in
# an order that depends on the pair. Two facts make this source a good examiner.
#
# - Its entropy is known: $H=-\sum p\log p \approx 0.863$ nats. The average NLL of *any* predictor that cannot see the
#   next token is at least $H$; that is what entropy means. A model whose loss goes below the floor has seen it.
# - It is a *Latin square*: knowing only the last token, or only the one before it, all four next tokens are equally
#   likely. Whoever does not look at two places at once stays at $\log 4\approx1.386$.
#
# We train on rows of 12 tokens, which hold 11 predictions. The first of these has only one token to go by and costs
# $\log 4$ whatever one does. So the floor for the mean over a row is $(10\,H+\log 4)/11\approx0.910$, and a run says at a
# glance what is wrong. Stuck at 1.386: it does not combine. Below 0.910: it cheats. Down to 0.910 and no further: nothing
# is left to learn. (A short training like ours ends a little above it, by a hundredth or two.)
#
# The blocks are handed to the model, ready made, as modules called with `block(x, mask)`; your `EncoderLayer` is one. They
# count on one mask of $n\times n$ for all sentences of the batch. A block may do in training what it does not do later
# (dropout is such a thing), and so every module has a mode, set by `.train()` and `.eval()`. `train` may set it. Whoever asks
# for the next token finds the model afterwards in the mode in which it was; gradients are not needed there, nor in `generate`.
#
# **Writing.** A model that predicts the next token can write: ask it for the distribution after what is there, pick a
# token, put it behind, ask again. Three things to mind. What was picked is part of the question from then on. The model
# reads at most `length` tokens, so it is shown the *last* ones. And how to pick is not the model's business: the likeliest
# token (*greedy*), or one that is drawn, or whatever a function `pick` does that somebody hands in. What gives the
# distribution is handed in as well, so that the same function serves a GPT and a translator.
#
# You write four things. The last checks of this question put your own heads into your own layers, these into your own
# GPT and into a small translator with a decoder, and let both write.


# %%
class GPT(nn.Module):
    """A causal language model over `vocab` tokens, for sequences of at most `length`."""

    def __init__(
        self, vocab: int, width: int, length: int, blocks: list[nn.Module]
    ) -> None:
        super().__init__()
        self.token, self.position = nn.Embedding(vocab, width), nn.Embedding(length, width)
        self.blocks = nn.ModuleList(blocks)
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, vocab)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """Give the logits of the next token at every position: head(norm(blocks(…))).

        The first block gets the embedding of each token plus that of its position 0 … n−1.
        Each block is called as block(x, mask) with one causal mask, n×n, True may attend.
        tokens: B×n integers, n ≤ length.  Returns B×n×vocab.
        """
        ### BEGIN SOLUTION
        n = tokens.shape[1]
        x = self.token(tokens) + self.position(torch.arange(n, device=tokens.device))
        mask = torch.ones(n, n, dtype=torch.bool, device=tokens.device).tril()
        for block in self.blocks:
            x = block(x, mask)
        return self.head(self.norm(x))
        ### END SOLUTION

    def next_token(self, tokens: torch.Tensor) -> torch.Tensor:
        """Give the probabilities of the token that follows the last one.

        Leaves the model in the mode in which it was, .train() or .eval().
        tokens: B×n integers, 1 ≤ n ≤ length.  Returns B×vocab.
        """
        ### BEGIN SOLUTION
        return self(tokens)[:, -1].softmax(dim=-1)
        ### END SOLUTION


def next_token_loss(logits: torch.Tensor, tokens: torch.Tensor) -> torch.Tensor:
    """Give the mean NLL of tokens 1 … n−1, each under the logits of the position before it.

    logits: B×n×V, as `GPT` gives them for these tokens.  tokens: B×n integers.
    Logits of ±1000 are legal. Those of the last position do not matter, not even NaN.
    Returns one number, a tensor that can be differentiated.
    """
    ### BEGIN SOLUTION
    logs = logits[:, :-1].log_softmax(dim=-1)
    return -logs.gather(-1, tokens[:, 1:, None]).mean()
    ### END SOLUTION


def train(
    model: nn.Module,
    tokens: torch.Tensor,
    steps: int,
    batch: int,
    rate: float,
    rng: np.random.Generator,
) -> list[float]:
    """Train a model by `steps` steps of torch.optim.Adam with the learning rate `rate`.

    Each step draws `batch` rows of tokens at random, computes next_token_loss of the
    model's logits for them, and takes one step. Draw with or without replacement, or
    shuffle anew for each epoch, as you like. But any two rows must be able to meet in a
    batch: blocks of neighbours will not do.
    All chance comes from rng; a torch generator that is seeded from it is all right.
    Every call starts afresh, with an optimiser of its own; gradients that somebody left on
    the model do not count.
    model: anything that maps B×n tokens to B×n×V logits.  tokens: N×n integers, N ≥ batch.
    Returns the loss of every step, computed before that step, as `steps` numbers.
    """
    ### BEGIN SOLUTION
    optimiser = torch.optim.Adam(model.parameters(), lr=rate)
    losses = []
    for _ in range(steps):
        chosen = torch.as_tensor(rng.integers(len(tokens), size=batch))
        rows = tokens[chosen.to(tokens.device)]
        loss = next_token_loss(model(rows), rows)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    return losses
    ### END SOLUTION


def generate(
    next_token: Callable[[torch.Tensor], torch.Tensor],
    tokens: torch.Tensor,
    count: int,
    length: int,
    pick: Callable[[torch.Tensor], torch.Tensor],
) -> torch.Tensor:
    """Write `count` tokens behind those of each row, one after the other.

    next_token: maps B×n integers, n ≤ length, to B×vocab probabilities, as GPT.next_token.
        It is shown all tokens so far, the new ones too; of more than `length` the last.
    tokens: B×n integers, n ≥ 1, and n may be larger than length.  count: 0 or more.
    pick: maps B×vocab probabilities to B tokens; called once for each new column.
    Returns B×(n+count) integers of any integer type: the tokens that were given, then the
        new ones. With count = 0 these are the given tokens, or a copy, and nobody is asked.
    """
    ### BEGIN SOLUTION
    with torch.no_grad():
        for _ in range(count):
            new = pick(next_token(tokens[:, -length:]))
            tokens = torch.cat([tokens, new[:, None]], dim=1)
    return tokens
    ### END SOLUTION


# %%
check("gpt")

# %% [markdown]
# Now train it, with your own layers and your own heads in it. It takes about ten seconds; on a slow machine set
# `quick` to `True`. Two lines are drawn: what one knows without combining, and the floor. A single batch may dip below the floor by
# luck; an average may not. For the verdict in the title, the model is compared with the source itself on fresh sequences,
# token by token. They see the same sequences, so the luck of the draw cancels, and the standard error is small.
#
# Then break it on purpose, and look at the curve each time. Hand the blocks no mask. Use one layer instead of two, or one
# head. Leave out the positions: that hurts less than you may think, and the section on positions says why. Which mask
# would make it hurt?

# %% tags=["explore"]
quick = False
device = "cuda" if torch.cuda.is_available() else "cpu"
rng = np.random.default_rng(7)
torch.manual_seed(7)
source = latin(rng)
text = torch.as_tensor(source.sample(rng, 4000, 12), device=device)
blocks = [EncoderLayer(32, 64, MultiHeadAttention(32, 2)) for _ in range(2)]
model = GPT(4, 32, 12, blocks).to(device)
losses = train(model, text, 250 if quick else 500, 64, 5e-3, rng)

fresh = source.sample(rng, 500, 12)
with torch.no_grad():
    logs = model(torch.as_tensor(fresh, device=device)).log_softmax(dim=-1).cpu().numpy()
own = np.take_along_axis(logs[:, :-1], fresh[:, 1:, None], axis=-1)[..., 0]
excess = (source.log_likelihood(fresh)[:, 1:] - own).mean(axis=1)
error = excess.std() / np.sqrt(len(excess))

plt.figure(figsize=(8, 4))
plt.plot(losses, color="tab:blue", linewidth=0.8, label="training loss")
plt.axhline(np.log(4), color="0.5", linestyle="--", label="one token alone: log 4")
floor = (10 * source.entropy_rate() + np.log(4)) / 11
plt.axhline(floor, color="tab:red", label="the floor")
plt.title(f"on fresh sequences: {excess.mean():.4f} ± {error:.4f} above the source")
plt.xlabel("step")
plt.ylabel("nats a token")
plt.legend()
plt.show()

# %% [markdown]
# And since we know the truth, we can look inside. On the left the table of the source: the pair of the last two tokens
# in the rows, the next token in the columns. On the right what your model believes, after seeing nothing but samples.

# %% tags=["explore"]
pairs = [(a, b) for a in range(4) for b in range(4)]
start = torch.zeros(16, 4, dtype=torch.long)
contexts = torch.cat([start, torch.tensor(pairs)], dim=1)
with torch.no_grad():
    believed = model.next_token(contexts.to(device)).cpu().numpy()
figure, panels = plt.subplots(1, 2, figsize=(7, 6))
tables = {"the source": source.table, "your model": believed}
for panel, (title, table) in zip(panels, tables.items(), strict=True):
    panel.imshow(table, cmap="Blues", vmin=0, vmax=0.8, aspect="auto")
    panel.set(title=title, xlabel="next token", xticks=range(4))
    panel.set_yticks(range(16), [f"{a} {b}" for a, b in pairs])
panels[0].set_ylabel("the last two tokens")
plt.show()

# %% [markdown]
# Does the place of the norm matter? With two layers hardly. Here are eight, trained alike in both forms; it takes about
# fifteen seconds. The first transformers were post-norm, and were trained with a learning rate that rose slowly from almost
# 0, the *warm-up*. The third curve shows what for: the same post-norm stack, with a rate that rises in five stairs during
# the first fifty steps. (Our `train` has one rate, so each stair is a call of its own, and Adam starts afresh there, six times
# in all. A real warm-up keeps its optimiser.) Then raise the rate from `5e-3` to `1e-2`: which of the three still learns,
# and does the warm-up rescue the other?

# %% tags=["explore"]
plt.figure(figsize=(8, 4))
rate, steps = 5e-3, 100 if quick else 120
stairs = [(10, rate * k / 6) for k in range(1, 6)]  # (steps, rate)
runs = {
    "pre-norm": (True, [(steps, rate)]),
    "post-norm": (False, [(steps, rate)]),
    "post-norm, warmed up": (False, [*stairs, (steps - 50, rate)]),
}
for name, (pre_norm, stretches) in runs.items():
    rng = np.random.default_rng(7)
    torch.manual_seed(7)
    blocks = [EncoderLayer(32, 64, MultiHeadAttention(32, 2), pre_norm) for _ in range(8)]
    deep = GPT(4, 32, 12, blocks).to(device)
    losses = []
    for count, speed in stretches:
        losses += train(deep, text, count, 32, speed, rng)
    plt.plot(np.convolve(losses, np.full(10, 0.1), mode="valid"), label=name)
plt.axhline(np.log(4), color="0.5", linestyle="--", label="one token alone: log 4")
plt.axhline(floor, color="tab:red", label="the floor")
plt.xlabel("step")
plt.ylabel("loss, mean of ten steps")
plt.legend(loc=(0.02, 0.09))
plt.show()

# %% [markdown]
# ## It reads English
#
# A source with a known floor is a good examiner and a dull author. So let the same GPT, with your heads, layers, `train`
# and `generate`, read real text: the documentation strings of Python and numpy, which you have installed already. It reads
# letter by letter, in rows of 48. A tenth of the rows is kept aside: nobody knows the floor of English, so unseen text is
# the only judge. It takes about ten seconds.
#
# Below the curve, a piece of text that it never saw; the darker a letter, the more it was surprised. Then what it writes
# itself. Before you run it, guess: will it know how words are spelt? Which letters will be hard? Will sentences make sense?
# (It is shown 47 letters, not 48. In training the last position of a row was never asked, so it never learnt to answer.
# Write 48, and see the text fall apart after the first line.)

# %% tags=["explore"]
import builtins
import inspect
import re
import string

letters = "\n" + string.ascii_lowercase + " .,'-"
places = (builtins, np, np.ndarray, str, dict, list, string, re, inspect)
described = [one for place in places for one in vars(place).values() if callable(one)]
texts = dict.fromkeys(inspect.getdoc(one) or "" for one in described)
lines = [line for one in texts for line in one.split("\n")]
prose = [line for line in lines if re.match(r"[A-Za-z][^>=|_]{40,}$", line)]
english = "".join(one for one in "\n".join(prose).lower() if one in letters)
numbers = np.array([letters.index(one) for one in english])
rows = torch.as_tensor(numbers[: len(numbers) // 48 * 48].reshape(-1, 48), device=device)
aside = np.random.default_rng(1).permutation(len(rows))
kept, read = rows[aside[: len(rows) // 10]], rows[aside[len(rows) // 10 :]]

torch.manual_seed(3)
blocks = [EncoderLayer(64, 128, MultiHeadAttention(64, 4)) for _ in range(2)]
reader = GPT(len(letters), 64, 48, blocks).to(device)
losses = train(reader, read, 200 if quick else 400, 32, 4e-3, np.random.default_rng(3))
with torch.no_grad():
    surprise = -reader(kept)[:, :-1].log_softmax(-1).gather(-1, kept[:, 1:, None])[..., 0]
frequent = np.bincount(numbers, minlength=len(letters)) / len(numbers)
pairs = np.ones((len(letters), len(letters))) / 10
np.add.at(pairs, (numbers[:-1], numbers[1:]), 1)
after = pairs / pairs.sum(axis=1, keepdims=True)
alone = -(frequent * np.log(np.maximum(frequent, 1e-12))).sum()
levels = {
    "how frequent each letter is": alone,
    "the letter before": -(frequent[:, None] * after * np.log(after)).sum(),
    "your model, on unseen text": surprise.mean().item(),
}
figure, panels = plt.subplots(
    2, 1, figsize=(10, 6), height_ratios=[3, 2], layout="constrained"
)
panels[0].plot(np.convolve(losses, np.full(10, 0.1), mode="valid"), label="while training")
for colour, (name, level) in zip(["0.7", "0.4", "tab:red"], levels.items(), strict=True):
    panels[0].axhline(level, color=colour, linestyle="--", label=f"{name}: {level:.2f}")
panels[0].set(xlabel="step", ylabel="nats a letter", ylim=(None, 3.9))
panels[0].legend(loc="upper right")
shown = surprise[:4].cpu().numpy()
panels[1].imshow(shown, cmap="Reds", vmin=0, vmax=6, aspect="auto")
for i, row in enumerate(kept[:4, 1:].tolist()):
    for j, one in enumerate(row):
        colour = "white" if shown[i, j] > 4 else "black"
        sign = letters[one].strip() or "·"
        panels[1].text(j, i, sign, color=colour, ha="center", va="center")
panels[1].set(xticks=[], yticks=[], title="unseen text; red where it was surprised")
plt.show()

dice = torch.Generator(device=device).manual_seed(5)
ways = {
    "drawn": lambda p: torch.multinomial(p, 1, generator=dice)[:, 0],
    "drawn among the three likeliest (top-k, k = 3)": lambda p: torch.multinomial(
        p * (p >= p.topk(3).values[:, -1:]), 1, generator=dice
    )[:, 0],
    "always the likeliest": lambda p: p.argmax(dim=-1),
}
prompt = torch.as_tensor([[letters.index(one) for one in "return the "]], device=device)
for name, pick in ways.items():
    written = generate(reader.next_token, prompt, 150, 47, pick)[0].tolist()
    print(f"{name}:\n    {''.join(letters[one] for one in written)!r}\n")

# %% [markdown]
# It learnt to spell the frequent words, the blank after a comma, the endings; it writes what looks like English from
# afar. A sentence holds together for two or three words, and then it has forgotten what it was about: 48 letters are its
# whole world, and some two hundred thousand letters its whole library. Many of the dark letters are the first of their words:
# once a word has begun, spelling it is easier than to know what to say next. Always taking the likeliest letter ends in a
# circle. What separates this from the models that you know is size, not another idea.
#
# ## It spells backwards
#
# So far the decoder layer has stood idle. Here is a whole translator: your encoder layer reads eight letters, your decoder
# layer writes them **backwards**, with your clock for the positions. (Its `train` is yours too. As a row is the answer, the
# source is that row, turned round.) It takes about five seconds.
#
# The picture pokes it, as you will poke every network from now on: change one letter of the source, or one of the target
# so far, and see which predictions move. You know what it should be before you look: to write letter $t$ of the answer,
# which letter of the source is needed? And which of the target (whose number 0 is the start token)?


# %% tags=["explore"]
class Reverser(nn.Module):
    """One encoder and one decoder layer; a row is a start token and the target."""

    def __init__(self, vocab: int, width: int) -> None:
        super().__init__()
        self.token = nn.Embedding(vocab, width)
        self.places = torch.as_tensor(sinusoids(16, width)).float().to(device)
        self.encoder = EncoderLayer(width, 2 * width, MultiHeadAttention(width, 2))
        heads = [MultiHeadAttention(width, 2) for _ in range(2)]
        self.decoder = DecoderLayer(width, 2 * width, *heads)
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, vocab)

    def encode(self, source: torch.Tensor) -> torch.Tensor:
        return self.encoder(self.token(source) + self.places[: source.shape[1]])

    def decode(self, memory: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        x = self.token(target) + self.places[: target.shape[1]]
        return self.head(self.norm(self.decoder(x, memory)))

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        return self.decode(self.encode(rows[:, 1:].flip(1)), rows)


eight = rows[:, :48].reshape(-1, 8)
targets = torch.cat([torch.full_like(eight[:, :1], len(letters)), eight], dim=1)
torch.manual_seed(1)
reverser = Reverser(len(letters) + 1, 32).to(device)
rng = np.random.default_rng(1)
train(reverser, targets[1000:], 150 if quick else 250, 64, 5e-3, rng)

sources = torch.tensor([[letters.index(one) for one in "backward"]], device=device)
start = torch.full_like(sources[:, :1], len(letters))
with torch.no_grad():
    memory = reverser.encode(sources)
    out = generate(
        lambda so_far: reverser.decode(memory, so_far)[:, -1].softmax(dim=-1),
        start, 8, 9, lambda p: p.argmax(dim=-1),
    )  # fmt: skip
    guesses = reverser(targets[:1000])[:, :-1].argmax(dim=-1)
right = (guesses == targets[:1000, 1:]).float().mean()
print("backward →", "".join((letters + "?")[one] for one in out[0, 1:].tolist()))
print(f"letters right, on rows that it never saw: {100 * right.item():.1f} %")

moved = np.zeros((2, 8, 8))
with torch.no_grad():
    plain = reverser.decode(memory, out[:, :-1]).softmax(dim=-1)
    for j in range(8):
        poked = sources.clone()
        poked[0, j] = (poked[0, j] + 1) % len(letters)
        other = reverser.decode(reverser.encode(poked), out[:, :-1]).softmax(dim=-1)
        moved[0, :, j] = (other - plain).abs().sum(dim=-1)[0].cpu()
        poked = out[:, :-1].clone()
        poked[0, j] = (poked[0, j] + 1) % len(letters)
        other = reverser.decode(memory, poked).softmax(dim=-1)
        moved[1, :, j] = (other - plain).abs().sum(dim=-1)[0].cpu()
figure, panels = plt.subplots(1, 2, figsize=(9, 4))
for panel, picture, poked in zip(panels, moved, ["source", "target so far"], strict=True):
    panel.imshow(picture, cmap="Blues", vmin=0, vmax=2)
    panel.set(xlabel=f"letter of the {poked} that was changed")
panels[0].set_ylabel("predicted letter")
plt.show()

# %% [markdown]
# ## What it costs
#
# Why did transformers win, and what is the price? Compare, for $n$ words of width $d$, how much a layer multiplies to
# connect them, how much of it must be done one after the other, and how many steps a signal takes between two words far
# apart. (What it does to each word alone, such as making queries, keys and values, comes on top: $nd^2$ a matrix.)
#
# - **Self-attention**: $n^2d$ multiplications for the scores, all at once, and any two words are one step apart. Short paths and
#   parallel training are its two great advantages. The price is quadratic: time and memory for the $n^2$ scores. Scores
#   alone are cheaper than a recurrence as long as $n<d$: for $n=50$ and $d=512$, $1.3$ million against $13$ million. But
#   count all of it, with the weighted mean ($n^2d$ again) and the four projections ($4nd^2$), and the layer takes $55$
#   million against $26$ for a recurrence and its two matrices. Attention saves waiting, not work.
# - **Recurrence**: $nd^2$, one step after the other; a signal walks word by word.
# - **Convolution** of width $k$: $knd^2$, all at once; but a layer sees $k$ words, so far words need many layers.
#   Stacked (dilated, or hierarchical) convolutions reach $n$ words in about $\log_kn$ layers. They too made parallel
#   *encoders*. A *decoder* has to produce its words one by one, whatever it is made of.
#
# Self-attention can be seen as a convolution whose window is the whole sentence and whose weights are not fixed after
# training: they are computed anew from the content. And mind one more thing. "All at once" is true in training, where
# all tokens are known. In *generation* a transformer is as sequential as everybody else: the next token cannot be
# looked at before it exists.
#
# ## Question: ten short questions
#
# Answer each with one of the texts in quotation marks, or with a number. None of the answers stands in the text: work
# them out, on paper or with your own functions. One of them is a run to read.
#
# 1. `divisor`. A layer has width 768 and 12 heads; a sentence has 50 words. Somebody doubles all queries: their entries
#    have variance 4, those of the keys still 1, all independent. By which number must the scores of a head be divided to
#    have variance 1? (A number.)
# 2. `parameters`. How many numbers does `MultiHeadAttention(256, 16)` learn? (A number.)
# 3. `leak`. A GPT with two layers learns the source of this notebook from rows of 12 tokens; its mask says which keys $s$ the
#    query $t$ may see, and may be wrong. The loss of the training falls to 0.13, and on many fresh rows the mean NLL is
#    0.127. Which mask has it? `"s <= t"`, `"s <= t + 1"`, `"s <= 2t"` or `"2s <= t"`.
# 4. `saturated`. A query has two keys, and $d_k=4$. Its inner products with them are $2\ln4$ and 0. Somebody forgets to
#    divide them by $\sqrt{d_k}$. The gradient $\mathrm dp$ is the same as yours: how many times as large as theirs is your
#    $\mathrm ds_1$? (A number.)
# 5. `swapped`. A stack of self-attention layers with a causal mask and no positions reads three different words. Then the
#    first two of them change places, and the third stays. At how many of the three *places* is the output what it was? Say
#    it for a stack of one layer, and for a stack of two: `"2 and 1"`, `"1 and 1"`, `"1 and 0"` or `"0 and 0"`.
# 6. `cross`. How many scores does the cross-attention of one decoder layer compute, in all its heads together? Width 16,
#    4 heads, 7 source words, 5 target words. (A number.)
# 7. `wasted`. A GPT that keeps nothing writes 100 tokens behind a prompt of 20. In each call it makes a prediction at every
#    position. How many of all these predictions does nobody use? (A number.)
# 8. `crossover`. Count all multiplications of a self-attention layer of width 512, as in the section above: for which
#    number of words do scores and weighted mean together cost as much as the four projections? (A number.)
# 9. `unchanged`. A causal self-attention layer of one head reads 8 words, and makes 36 weights that a mask does not hide. Then
#    the fifth word is exchanged for another one. How many of the 36 are still what they were? (A number. None is it by accident.)
# 10. `ticks`. A translator reads 81 words by convolutions: in layer $l=0,1,2,\dots$ each word sees itself and the words $3^l$ and
#     $2\cdot3^l$ places before it, and there are as few layers as let the last word hear of the first. It keeps what they found,
#     and writes 15 words with 4 decoder layers. A layer, of either kind, takes one tick for all words that are known by then.
#     How many ticks pass until the last word is written? (A number.)

# %%
concept_answers = {
    "divisor": None,  # a number
    "parameters": None,  # a number
    "leak": None,  # "s <= t", "s <= t + 1", "s <= 2t" or "2s <= t"
    "saturated": None,  # a number
    "swapped": None,  # "2 and 1", "1 and 1", "1 and 0" or "0 and 0"
    "cross": None,  # a number
    "wasted": None,  # a number
    "crossover": None,  # a number
    "unchanged": None,  # a number
    "ticks": None,  # a number
}
### BEGIN SOLUTION
concept_answers.update(
    divisor=16,
    parameters=4 * 256**2,
    leak="s <= 2t",
    saturated=2.89,
    swapped="1 and 0",
    cross=4 * 7 * 5,
    wasted=sum(range(20, 120)) - 100,
    crossover=1024,
    unchanged=1 + 2 + 3 + 4,
    ticks=4 + 15 * 4,
)
### END SOLUTION

# %%
check("concepts")

# %% [markdown]
# That was the core. What follows is extra: each part stands alone, in any order.
#
# ## Extra: a caption looks at an image
#
# An exam exercise, cleaned up. A caption of $L$ words has been encoded as $Z$ ($L\times d$), an image as features $F$
# of $m$ regions ($m\times d$). Is the caption right for the image, and in which of $C$ ways? The caption asks with the
# **mean of its words**, the image answers with a weighted mean of its regions, and a linear layer reads both:
#
# $$q=\tfrac1L Z^\top\mathbf 1,\qquad p=\operatorname{softmax}\!\Bigl(\frac{Fq}{\sqrt d}\Bigr),\qquad c=F^\top p,\qquad \text{logits}=A\begin{pmatrix}q\\ c\end{pmatrix}+b .$$
#
# $L$ counts words, the *rows* of $Z$, not its columns; and $[q;c]$ is one tall vector of $2d$ numbers, the query on top.


# %%
def image_attention(
    Z: np.ndarray, F: np.ndarray, A: np.ndarray, b: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Classify a caption together with an image.

    Z: L×d, the words.  F: m×d, the regions.  A: C×2d.  b: C numbers.
    Here, too, scores of 1000 are legal.
    Returns (p: m weights of the regions,  logits: C numbers).
    """
    ### BEGIN SOLUTION
    q = Z.mean(axis=0)
    fits = F @ q / np.sqrt(len(q))
    p = np.exp(fits - fits.max())
    p = p / p.sum()
    return p, A @ np.concatenate([q, F.T @ p]) + b
    ### END SOLUTION


# %%
check("image")

# %% [markdown]
# ## Extra: costs and paths
#
# The table of the section above as five calculators, in exact whole numbers. Five kinds of layer read $n$ positions
# of width $d$. To make the paths exact all of them look backwards, at themselves and the past.
#
# | `kind` | one layer lets a position see | multiplications | steps one after the other |
# |:--|:--|:-:|:-:|
# | `"attention"` | all positions up to itself | $n^2d$ | 1 |
# | `"restricted"` | itself and the $w-1$ positions before it, by attention | $wnd$ | 1 |
# | `"recurrent"` | the state of the position before it | $nd^2$ | $n$ |
# | `"convolution"` | itself and the $w-1$ positions before it | $wnd^2$ | 1 |
# | `"dilated"` | as a convolution, but in layer $l=0,1,2,\dots$ the $w$ positions stand $w^l$ apart | $wnd^2$ | 1 |
#
# (For attention we count the scores, as if no mask spared any; the weighted mean costs as much again.)
#
# **Paths.** How many layers, or steps of a recurrence, must a signal pass to get from position 0 to position $n-1$? A
# window of $w$ brings it $w-1$ places further in each layer. Dilated layers bring it $w-1$, then $(w-1)w$, then
# $(w-1)w^2$ places: after $l$ layers $w^l-1$ altogether. The $\log_kn$ in many tables belongs to *these*; ordinary
# convolutions need about $n/k$. Beware of floating point: `math.log(125, 5)` is not 3.
#
# **Schedules.** Stack $r$ layers over $n$ positions, and call the work of one layer at one position a *cell*. With
# as many processors as you like, how long does it take, if a cell takes one tick? In a stack of attention layers a
# whole layer is one tick. In a recurrent stack, cell $(l,t)$ waits for $(l,t-1)$ and for $(l-1,t)$; so the work runs
# through the grid as a diagonal wave front.
#
# **Generation.** To generate $n$ tokens, a decoder layer is called $n$ times, with $1,2,\dots,n$ tokens. If it keeps
# its keys and values, call $t$ computes only the scores of the new token, $t$ of them. If it keeps nothing, call $t$
# computes all $t^2$ again.


# %%
def layer_cost(kind: str, n: int, d: int, w: int) -> tuple[int, int]:
    """Give the multiplications of one layer, and its steps one after the other.

    kind: one of the five kinds above.  w: the window, for the kinds that have one.
    """
    ### BEGIN SOLUTION
    costs = {
        "attention": (n * n * d, 1),
        "restricted": (w * n * d, 1),
        "recurrent": (n * d * d, n),
        "convolution": (w * n * d * d, 1),
        "dilated": (w * n * d * d, 1),
    }
    return costs[kind]
    ### END SOLUTION


def longest_path(kind: str, n: int, w: int) -> int:
    """Give the layers (or steps) that a signal passes from position 0 to n−1; n, w ≥ 2.

    For the recurrence count the steps between the two positions, n−1, not the positions.
    """
    ### BEGIN SOLUTION
    if kind == "attention":
        return 1
    if kind == "recurrent":
        return n - 1
    if kind == "dilated":
        layers, reach = 0, 1
        while reach < n:
            layers, reach = layers + 1, reach * w
        return layers
    return -(-(n - 1) // (w - 1))
    ### END SOLUTION


def schedule(kind: str, n: int, layers: int) -> tuple[int, int]:
    """Give the cells of a stack, and the ticks it needs with unlimited processors.

    kind: "attention" or "recurrent".
    """
    ### BEGIN SOLUTION
    return n * layers, layers if kind == "attention" else n + layers - 1
    ### END SOLUTION


def seq2seq_scores(M: int, N: int) -> int:
    """Count the scores of an encoder layer and a decoder layer, over all three attentions.

    M source words, N target words; masked scores are counted too.
    """
    ### BEGIN SOLUTION
    return M * M + M * N + N * N
    ### END SOLUTION


def generation_scores(n: int, cached: bool) -> int:
    """Count the scores that one decoder layer computes while it generates n tokens.

    cached: whether it keeps the keys and values of earlier tokens.
    """
    ### BEGIN SOLUTION
    return sum(t if cached else t * t for t in range(1, n + 1))
    ### END SOLUTION


# %%
check("costs")

# %% [markdown]
# Where does the quadratic price begin to hurt? Three widths; left of the crossing attention is the cheaper one.

# %% tags=["explore"]
lengths = [2**k for k in range(4, 15)]
plt.figure(figsize=(7, 4))
for d, colour in zip([64, 512, 4096], ["tab:blue", "tab:orange", "tab:green"], strict=True):
    for kind, style in {"attention": "-", "recurrent": "--"}.items():
        costs = [layer_cost(kind, n, d, 3)[0] for n in lengths]
        plt.loglog(lengths, costs, style, color=colour, label=f"{kind}, d = {d}")
plt.xlabel("words n")
plt.ylabel("multiplications")
plt.ylim(top=1e16)
plt.legend(ncols=2, loc="upper left")
plt.show()

# %% [markdown]
# ## The way back, written out
#
# Only for those who have found it already. With $P$ the weights and $\odot$ the product entry by entry:
#
# $$\mathrm dV=P^\top\mathrm dZ,\qquad \mathrm dP=\mathrm dZ\,V^\top,\qquad \mathrm ds_j=p_j\Bigl(\mathrm dp_j-\sum_ip_i\,\mathrm dp_i\Bigr)\ \text{in each row},$$
#
# $$\mathrm dQ=\frac{\mathrm dS\,K}{\sqrt{d_k}},\qquad \mathrm dK=\frac{\mathrm dS^\top Q}{\sqrt{d_k}},\qquad \mathrm dW_Q=\mathrm dQ^\top X,\qquad \mathrm dX=\mathrm dQ\,W_Q+\mathrm dK\,W_K+\mathrm dV\,W_V .$$
#
# Read the one of the softmax: what counts is whether more of value $j$ would be better or worse than *the weighted mean of
# what is taken now*, and it counts in proportion to the weight $p_j$.
#
# ## What you have now
#
# Every part of a transformer, written by you, and put together: the soft dictionary and its gradient, the masks, the heads,
# the clock, both layers, a language model that comes within two hundredths of a nat of all there is to learn from its
# source, and one that reads English and stays far from it. And three habits that last.
# Change the future and see whether the past moves: *causality*. Change the past and see whether the future moves:
# *reach*. And know the floor before you celebrate a loss.
#
# From here, *BERT-style masking* removes the causal mask and hides words instead, so that a model may look both ways.
