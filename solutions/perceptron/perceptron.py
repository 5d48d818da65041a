# %% [markdown]
# # The perceptron
#
# In 1958 a machine learnt to tell cards marked on the left from cards marked on the right. Nobody wrote the rule into
# it. It guessed, it was told when it was wrong, and each time it was wrong it moved a little. That is the whole
# algorithm, and you will write it in ten lines.
#
# What makes it worth a week is the second half of the story. There is a proof, six lines long, that says **how many
# mistakes the machine can make before it makes no more**. It does not ask how many examples there are, how many
# dimensions they have, or in which order they come. You will write the algorithm, then the proof, and then watch the
# one obey the other, mistake by mistake. After that you will find the place where it breaks, and repair it with two
# neurons.
#
# **How to work here.** Read a section, write the functions below it, run the `check` cell after them. A check that
# fails shows the smallest example it failed on. Cells with plots are there to look at and to play with; they are not
# graded. When you hand in, more checks run than the ones you have here: they ask whether the idea is right, not only
# the example. Eight questions make the hundred points, in a little more than six hours. What comes after them is extra.

# %%
import matplotlib.pyplot as plt
import numpy as np

from redink import check
from redink_datasets import circle, digits, separable, tight, xor

# %% [markdown]
# ## The idea
#
# An example is a vector $x$ of $d$ numbers with a label $y$ that is $+1$ or $-1$. A *linear classifier* takes a
# weighted sum of the numbers and looks at its sign:
#
# $$s(x) = b + w_1x_1 + \dots + w_dx_d, \qquad \hat y = \begin{cases} +1 & \text{if } s(x)\ge 0\\ -1 & \text{otherwise.}\end{cases}$$
#
# The points where $s(x)=0$ form a line (in the plane), a plane (in space), a *hyperplane* in general. On one side of it
# the classifier says $+1$, on the other $-1$. The weight vector stands at right angles to it and points to the positive
# side.
#
# The label makes one quantity do all the work: $y\,s(x)$. It is positive when the sign is right and negative when it is
# wrong. Call an example a **mistake** when
#
# $$y\,s(x)\le 0 .$$
#
# On a mistake, the perceptron adds $y\,x$ to its weights (and $y$ to the constant $b$). Why that? Because it makes this
# very example less wrong. Leave $b$ aside for a moment: the new score times the label is
#
# $$y\,(w+y\,x)\cdot x \;=\; y\,w\cdot x + \lVert x\rVert^2 ,$$
#
# which is larger than before by $\lVert x\rVert^2$. On anything else, the perceptron does nothing at all. It learns
# from its mistakes, and from nothing else.
#
# Run the next cell to see one step, still without $b$: the line passes through the origin.

# %% tags=["explore"]
w, x = np.array([1.0, -1.2]), np.array([0.7, 1.5])  # a positive example on the wrong side

figure, panels = plt.subplots(1, 2, figsize=(9, 4.2), sharex=True, sharey=True)
titles = ["before: the score is negative", "after: w + x"]
for panel, weights, title in zip(panels, [w, w + x], titles, strict=True):
    along = np.array([-weights[1], weights[0]]) / np.linalg.norm(weights)
    panel.plot(*np.outer([-4, 4], along).T, color="black", linewidth=1)
    panel.quiver(0, 0, *weights, angles="xy", scale_units="xy", scale=1, color="tab:red")
    panel.annotate(" w", weights, color="tab:red")
    panel.scatter(*x, color="tab:blue", s=60, zorder=3)
    panel.annotate("   x, y = +1", x, color="tab:blue")
    panel.set(xlim=(-2.5, 2.5), ylim=(-2.2, 2.2), aspect="equal")
    panel.set_title(f"{title}: {weights @ x:.2f}")
plt.show()

# %% [markdown]
# ## Conventions
#
# They hold in the whole notebook, and the checks test them.
#
# - Examples stand in rows: `X` has shape $n\times d$ with $n\ge1$, `y` has $n$ entries, each the integer $-1$ or $+1$. A single
#   example is a data set too: its scores are an array of one number.
# - **The constant comes first.** We write $\tilde x = (1, x_1,\dots,x_d)$ for the *augmented* example and keep $b$ as
#   the first weight, so that $s(x) = w\cdot\tilde x$ with a `w` of $d+1$ numbers. The threshold is then a weight like
#   any other, and every update moves it too.
# - `w` starts at 0. At that moment every score is 0, and **a score of 0 is a mistake** for either label: $y\,s\le 0$.
#   (When we merely *predict*, a score of 0 counts as $+1$; somebody has to decide.)
# - A *mistake* means an update. We count updates, not passes over the data.
# - Arrays may hold integers or fractions, and no result may be rounded to integers: an integer `w` of $(0, 0)$ and an
#   `x` of $(1, 0.5)$ lead to $(1, 0.5)$.
# - A function must not change the arrays that it is given. The first check in which yours does counts as failed.
#
# ## Once by hand
#
# Three examples with one feature each: $x=0$ is negative, $x=3$ is positive, $x=1$ is negative. We visit them in this
# order, again and again. Cover the last two columns and work them out; it takes three minutes and saves an hour.
#
# | visit | $\tilde x$ | $y$ | $w$ before | score $w\cdot\tilde x$ | mistake? | $w$ after |
# |:-:|:-:|:-:|:-:|:-:|:-:|:-:|
# | 1 | $(1, 0)$ | $-1$ | $(0, 0)$ | $0$ | yes: a zero | $(-1, 0)$ |
# | 2 | $(1, 3)$ | $+1$ | $(-1, 0)$ | $-1$ | yes | $(0, 3)$ |
# | 3 | $(1, 1)$ | $-1$ | $(0, 3)$ | $3$ | yes | $(-1, 2)$ |
# | 4 | $(1, 0)$ | $-1$ | $(-1, 2)$ | $-1$ | no | $(-1, 2)$ |
# | 5 | $(1, 3)$ | $+1$ | $(-1, 2)$ | $5$ | no | $(-1, 2)$ |
# | 6 | $(1, 1)$ | $-1$ | $(-1, 2)$ | $1$ | yes | $(-2, 1)$ |
# | 7, 8, 9 | | | $(-2, 1)$ | $-2,\ 1,\ -1$ | no, no, no | $(-2, 1)$ |
#
# Each correction is made at once, before the next example is looked at. This table does not show the difference: if you collect
# the three corrections of the first pass and add them at its end, you get $(-1,2)$ as well. Visit $x=0$, $x=1$ and $x=3$ in this order, and
# you see the difference: after the first correction $x=1$ is right already.
#
# Four mistakes, on examples 0, 1, 2 and 2 again. Now the score is $-2 + x$: the boundary is at $x=2$, halfway between
# the classes. And note for later that the weights are nothing but the mistakes, added up:
# $-(1,0)+(1,3)-(1,1)-(1,1) = (-2,1)$.

# %% [markdown]
# ## Question: scores and predictions
#
# Three small functions on which everything else stands. Write them without a loop over the examples if you can: `X @ w`
# multiplies every row of `X` with `w` at once.
#
# One remark before you do. Nothing says that the numbers in $x$ must be what was measured. Replace $x$ by features
# $\varphi(x)$, such as $(x_1, x_2, x_1^2+x_2^2)$, and the same code draws a circle: the boundary is flat among the
# *features* and curved where you look at it.


# %%
def augment(X: np.ndarray) -> np.ndarray:
    """Put the constant feature 1 in front of every example.

    X: n×d.  Returns X̃ = [1, X]: n×(d+1).
    """
    ### BEGIN SOLUTION
    return np.hstack([np.ones((len(X), 1)), X])
    ### END SOLUTION


def scores(X: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Give the score s_i = w · x̃_i of every example.

    X: n×d, not augmented.  w: d+1 weights, the constant's first.  Returns n numbers.
    """
    ### BEGIN SOLUTION
    return augment(X) @ w
    ### END SOLUTION


def predict(X: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Give the predicted label of every example: +1 where the score is ≥ 0, otherwise −1.

    X: n×d, not augmented.  w: d+1 weights.  Returns n integers, each −1 or +1.
    """
    ### BEGIN SOLUTION
    return np.where(scores(X, w) >= 0, 1, -1)
    ### END SOLUTION


# %%
check("score")

# %% [markdown]
# ## Question: one step
#
# The heart of it. Look at one example; if it is a mistake, move; say whether you moved. There are three ways to get it
# subtly wrong, and each of them has cost somebody an evening: forgetting what happens at a score of exactly 0,
# forgetting the label, and changing the caller's `w`.


# %%
def perceptron_step(w: np.ndarray, x: np.ndarray, y: int) -> tuple[np.ndarray, bool]:
    """Do one step of the perceptron.

    A mistake is y (w·x) ≤ 0. After a mistake the weights are w + y x; otherwise they are w.

    w: d+1 weights.  x: one example, *already augmented*, d+1 numbers.  y: −1 or +1.
    Returns (the new weights, whether it was a mistake). The array w itself stays as it was;
    where nothing moves, it may be what is returned.
    """
    ### BEGIN SOLUTION
    if y * (w @ x) <= 0:
        return w + y * x, True
    return w, False
    ### END SOLUTION


# %%
check("step")

# %% [markdown]
# ## Question: training
#
# Go through the examples, one at a time, and step. One pass is an *epoch*. When a whole epoch passes without a mistake
# nothing will ever change again, so you may stop; and you must stop after `max_epochs`, because on some data there is a
# mistake in every epoch.
#
# The function returns three things.
#
# - `w`, the final weights.
# - `mistakes`, the diary: for each update, in order, the index (the row of `X`) of the example that caused it. In the
#   table above: `[0, 1, 2, 2]`.
# - `converged`: does the final `w` have $y_i\,s(x_i) > 0$ for **every** example? This is a question about the final
#   weights, not about how the last epoch went: the very last update may be the one that makes everything right.
#
# Everybody's perceptron finds a different line, because the line depends on the order of the examples. So the order can
# be given.


# %%
def perceptron(
    X: np.ndarray, y: np.ndarray, max_epochs: int, order: np.ndarray | None = None
) -> tuple[np.ndarray, list[int], bool]:
    """Train a perceptron from w = 0.

    X: n×d, not augmented.  y: n labels, −1 or +1.
    order: integers of shape max_epochs×n. Row e is a permutation of 0 … n−1: the order in
        which epoch e visits the examples. Without it, every epoch visits 0, 1, …, n−1.

    Returns (w, mistakes, converged):
        w: the d+1 final weights.
        mistakes: for each update, in order, the index of the example that caused it.
        converged: whether y_i s_i > 0 for all i under the final w.
    """
    ### BEGIN SOLUTION
    vectors = augment(X)
    w = np.zeros(vectors.shape[1])
    mistakes: list[int] = []
    for epoch in range(max_epochs):
        before = len(mistakes)
        for i in range(len(X)) if order is None else order[epoch]:
            w, mistake = perceptron_step(w, vectors[i], y[i])
            if mistake:
                mistakes.append(int(i))
        if len(mistakes) == before:
            break
    converged = bool(np.all(y * scores(X, w) > 0))
    return w, mistakes, converged
    ### END SOLUTION


# %%
check("train")

# %% [markdown]
# When the checks are green, watch it learn. Every grey line is the boundary after one mistake, darker as time goes on;
# the black one stays. Change the seed, the margin, the number of examples. When does it take many mistakes?

# %% tags=["explore"]
X, y, u, gamma = separable(np.random.default_rng(3), n=40, d=2, gamma=0.08)
w, mistakes, converged = perceptron(X, y, max_epochs=200)

history = [np.zeros(3)]
for i in mistakes:
    history.append(perceptron_step(history[-1], augment(X)[i], y[i])[0])
history = np.array(history[1:])  # w after each mistake
reach = np.array([X[:, 0].min() - 0.5, X[:, 0].max() + 0.5])
plt.figure(figsize=(6.5, 5))
for k, (b, w1, w2) in enumerate(history):
    if w2 != 0:
        grey = str(0.9 * (1 - k / len(history)))
        plt.plot(reach, -(b + w1 * reach) / w2, color=grey, linewidth=0.8)
plt.plot(reach, -(w[0] + w[1] * reach) / w[2], color="black", linewidth=2)
plt.scatter(*X[y > 0].T, color="tab:blue", marker="+", s=60, label="y = +1")
plt.scatter(*X[y < 0].T, color="tab:red", marker="_", s=60, label="y = −1")
plt.xlim(*reach)
plt.ylim(X[:, 1].min() - 0.5, X[:, 1].max() + 0.5)
plt.title(f"{len(mistakes)} mistakes, converged: {converged}")
plt.legend()
plt.show()

# %% [markdown]
# Nothing so far was measured. Here is handwriting: images of $8\times8$ pixels, a 1 is positive and a 0 negative. Your perceptron learns
# from 200 of them, the others it has never seen. Its 64 weights are an image as well: blue ink speaks for a 1, red ink for a 0. Then try
# harder pairs, such as 3 against 8.

# %% tags=["explore"]
negative, positive = 0, 1
images, labels = digits()
chosen = np.flatnonzero((labels == negative) | (labels == positive))
chosen = np.random.default_rng(0).permutation(chosen)
X, y = images[chosen].reshape(-1, 64), np.where(labels[chosen] == positive, 1, -1)
w, mistakes, converged = perceptron(X[:200], y[:200], max_epochs=100)
wrong = np.count_nonzero(predict(X[200:], w) != y[200:])
print(f"{len(mistakes)} mistakes on 200 images, converged: {converged}")
print(f"{wrong} of {len(X) - 200} others are predicted wrong")

figure, panels = plt.subplots(1, 5, figsize=(10, 2.4))
for panel, i in zip(panels, mistakes, strict=False):
    panel.imshow(X[i].reshape(8, 8), cmap="gray_r")
    panel.set_title(f"a mistake: {positive if y[i] > 0 else negative}")
most = np.abs(w[1:]).max()
panels[-1].imshow(w[1:].reshape(8, 8), cmap="coolwarm_r", vmin=-most, vmax=most)
panels[-1].set_title("the weights")
for panel in panels:
    panel.axis("off")
plt.show()

# %% [markdown]
# ## Why it stops: the mistake bound
#
# Two numbers describe how hard a data set is.
#
# - The **radius** $R=\max_i\lVert\tilde x_i\rVert$: how far out the examples reach.
# - The **margin** of a separator $u$: the smallest signed distance of an example from the plane of $u$,
#
# $$\gamma = \min_i \frac{y_i\,(u\cdot\tilde x_i)}{\lVert u\rVert} .$$
#
# It is positive exactly when $u$ separates the data. The division makes it a distance: $u$ and $2u$ are the same plane,
# so they must have the same margin. Both numbers are measured on the *augmented* vectors, and $\lVert u\rVert$ includes
# the first component. Mixing the two spaces is the classic way to get a bound that is false.
#
# **Theorem** (Block and Novikoff, 1962). *If some $u$ has margin $\gamma>0$, a perceptron that starts at $w=0$ makes at
# most*
#
# $$\left(\frac{R}{\gamma}\right)^2$$
#
# *mistakes, in whatever order the examples come, and however often they come.*
#
# **Proof.** Let $u$ have length 1, and let $w_k$ be the weights after the $k$-th mistake, so $w_0=0$ and
# $w_k = w_{k-1}+y\,\tilde x$, where $(\tilde x, y)$ is the example that was got wrong. Watch two quantities.
#
# *It makes progress.* Each mistake moves $w$ towards $u$ by at least $\gamma$:
#
# $$w_k\cdot u = w_{k-1}\cdot u + y\,(\tilde x\cdot u) \ge w_{k-1}\cdot u + \gamma ,$$
#
# so $w_k\cdot u\ge k\gamma$.
#
# *It does not run away.* Each mistake lengthens $w$ only a little:
#
# $$\lVert w_k\rVert^2 = \lVert w_{k-1}\rVert^2 + \underbrace{2\,y\,(w_{k-1}\cdot\tilde x)}_{\le\,0,\ \text{it was a mistake}} + \lVert\tilde x\rVert^2 \le \lVert w_{k-1}\rVert^2 + R^2 ,$$
#
# so $\lVert w_k\rVert^2\le kR^2$.
#
# *Both together.* A projection is never longer than the vector:
# $k\gamma \le w_k\cdot u \le \lVert w_k\rVert \le \sqrt k\,R$. Hence $\sqrt k\le R/\gamma$. $\blacksquare$
#
# The progress grows like $k$, the length only like $\sqrt k$. They must collide, and the collision is the bound. Read
# the proof once more and look for what is *not* in it:
#
# - $n$ and $d$ are not in it. A million examples in a million dimensions are no harder than ten in the plane, if
#   $R/\gamma$ is the same.
# - The perceptron never sees $u$. It is enough that a separator exists.
# - That the example was a *mistake* is used exactly once, to throw away the middle term. An update on an example that
#   was right would break the proof there.
# - $w_0=0$ is used: both sums start at nothing. A step size $\eta>0$ would multiply every $w_k$ by $\eta$ and change no
#   sign, so it changes no mistake.
# - If no $u$ separates, there is no $\gamma>0$, and the theorem promises nothing.
#
# In the example we did by hand, $u=(-2,1)/\sqrt5$ has the distances $2/\sqrt5,\ 1/\sqrt5,\ 1/\sqrt5$, so
# $\gamma=1/\sqrt5$. The longest vector is $(1,3)$, so $R^2=10$. The bound is $10\cdot5=50$; the truth was 4.

# %% [markdown]
# ## Question: the bound, and the proof watched
#
# The last of these four functions is the proof itself. It takes the diary of a run and rebuilds, mistake by mistake,
# the two quantities that the proof watches.


# %%
def margin(X: np.ndarray, y: np.ndarray, u: np.ndarray) -> float:
    """Give the geometric margin of the separator u: min_i y_i (u · x̃_i) / ‖u‖.

    X: n×d, not augmented.  y: n labels.
    u: d+1 numbers, the constant's first, not all 0, of any length.
    Divide last: where u · x̃ needs no rounding (with whole numbers, say), an example on the
    plane then has the distance 0, not a rounded one.
    Returns a number; it is negative or 0 when u does not separate.
    """
    ### BEGIN SOLUTION
    return float(np.min(y * scores(X, u)) / np.linalg.norm(u))
    ### END SOLUTION


def radius(X: np.ndarray) -> float:
    """Give the radius R = max_i ‖x̃_i‖ of the augmented examples.

    X: n×d, not augmented.
    """
    ### BEGIN SOLUTION
    return float(np.linalg.norm(augment(X), axis=1).max())
    ### END SOLUTION


def mistake_bound(X: np.ndarray, y: np.ndarray, u: np.ndarray) -> float:
    """Give the number of mistakes (R/γ)² that the theorem allows, with γ the margin of u.

    Where u does not separate (γ ≤ 0) the theorem promises nothing: then it is np.inf.
    """
    ### BEGIN SOLUTION
    gamma = margin(X, y, u)
    return (radius(X) / gamma) ** 2 if gamma > 0 else np.inf
    ### END SOLUTION


def proof_trace(
    X: np.ndarray,
    y: np.ndarray,
    u: np.ndarray,
    mistakes: list[int],
) -> tuple[np.ndarray, np.ndarray]:
    """Follow the two quantities of the proof through a run.

    mistakes: the indices of the examples that caused the M updates, in order; they repeat.
    With w_k = the sum of y_i x̃_i over the first k of them, returns
    (‖w_1‖², …, ‖w_M‖²) and (w_1·u / ‖u‖, …, w_M·u / ‖u‖), M numbers each:
    two empty arrays where there was no mistake.
    """
    ### BEGIN SOLUTION
    moves = y[mistakes, None] * augment(X)[mistakes]
    path = np.cumsum(moves, axis=0)
    return np.sum(path**2, axis=1), path @ u / np.linalg.norm(u)
    ### END SOLUTION


# %%
check("bound")

# %% [markdown]
# Here is the proof as a picture. The progress $w_k\cdot u$ must stay above the straight line $k\gamma$. The length
# $\lVert w_k\rVert$ must stay below the curve $\sqrt k\,R$. And progress can never exceed length. All of it lives in
# the grey lens between line and curve, and the lens ends at $k=(R/\gamma)^2$.
#
# The second panel is a data set made to be nasty: its augmented vectors are at right angles to each other, so nothing
# learnt from one helps with another. It goes right into the tip of the lens.

# %% tags=["explore"]
rng = np.random.default_rng(5)
sets = {
    "random examples": separable(rng, n=60, d=4, gamma=0.4),
    "the worst case": tight(rng, n=16),
}

figure, panels = plt.subplots(1, 2, figsize=(11, 4.5))
for panel, (title, (X, y, u, gamma)) in zip(panels, sets.items(), strict=True):
    w, mistakes, converged = perceptron(X, y, max_epochs=500)
    squares, progress = proof_trace(X, y, u, mistakes)
    R, bound = radius(X), mistake_bound(X, y, u)
    k = np.linspace(0, bound, 300)
    panel.fill_between(k, k * gamma, np.sqrt(k) * R, color="0.92")
    panel.plot(k, np.sqrt(k) * R, color="tab:red", lw=1, label=r"ceiling $\sqrt{k}\,R$")
    panel.plot(k, k * gamma, color="tab:blue", lw=1, label=r"floor $k\,\gamma$")
    steps = np.arange(1, len(mistakes) + 1)
    panel.plot(steps, np.sqrt(squares), ".", color="tab:red", label=r"length $\|w_k\|$")
    panel.plot(steps, progress, ".", color="tab:blue", label=r"progress $w_k\cdot u$")
    panel.set_title(f"{title}: {len(mistakes)} mistakes, bound {bound:.0f}")
    panel.set_xlabel("mistakes k")
    panel.legend()
plt.show()

# %% [markdown]
# ## Question: XOR, a proof and two ways out
#
# Exclusive or: one or the other, but not both.
#
# | $x_1$ | $x_2$ | XOR | $y$ |
# |:-:|:-:|:-:|:-:|
# | 0 | 0 | 0 | $-1$ |
# | 0 | 1 | 1 | $+1$ |
# | 1 | 0 | 1 | $+1$ |
# | 1 | 1 | 0 | $-1$ |
#
# No linear classifier computes it, and one line shows why. For any weights, opposite corners of the square have the
# same total score:
#
# $$s(0,0)+s(1,1) \;=\; 2b+w_1+w_2 \;=\; s(0,1)+s(1,0) .$$
#
# The left side would have to be negative, and the right side positive. So the perceptron goes round in circles on these
# four points for ever (that is why `max_epochs` exists). After 1969, when a famous book made much of such examples, a
# whole field lost heart; and to this day some notes say that XOR needs many hidden layers. It needs one, and a small
# one.
#
# **A proof that anybody can check.** Data are separable: a $w$ proves it. That they are *not* separable can be proved by a list
# of numbers as well, one $\lambda_i\ge0$ for each example, not all of them 0, with
#
# $$\sum_i\lambda_i\,y_i\,\tilde x_i = 0 .$$
#
# Say why no $w$ can have $y_i\,(w\cdot\tilde x_i)>0$ for all $i$ then: one line is enough. Find a $\lambda$ by hand for three
# points on a line, $x=0$, $1$ and $3$, with the labels $+1$, $-1$ and $+1$; it is not $(1,1,1)$. For larger sets there is no
# need to search. Where all numbers are whole, a perceptron that goes round in circles will sooner or later have weights that
# it had before (the $w=0$ of the beginning counts too). What do the mistakes between the two moments add up to?
#
# **First way out: change the view.** Give the classifier features in which the two classes *can* be separated. Any
# number of features will do, and there are many that work. A feature map looks at one example at a time.
#
# **Second way out: let a layer make the view.** Put two units in between, each a linear score followed by
# $\operatorname{relu}(z)=\max(0,z)$:
#
# $$f(x) = w_2\cdot\operatorname{relu}(W_1x+b_1)+b_2 .$$
#
# How a network *learns* such weights is the story of the notebooks to come. Here you find them by hand, so that $f$ gives
# the XOR column: 0 or 1, exactly. A pencil helps. Let one unit count the ones:
# at which corner is the count wrong, and which unit would fire only there?


# %%
def xor_features(X: np.ndarray) -> np.ndarray:
    """Map the corners of the unit square to features in which a hyperplane separates XOR.

    X: n×2, entries 0 or 1; its rows come in any order and may repeat.
    Returns n×k numbers, for a k ≥ 1 of your choice. Row i depends on row i of X alone.
    The constant feature may be among them or not.
    """
    ### BEGIN SOLUTION
    return np.column_stack([X, X[:, 0] * X[:, 1]])
    ### END SOLUTION


def certificate(X: np.ndarray, y: np.ndarray, max_epochs: int) -> np.ndarray:
    """Prove that examples are not separable: λ_i ≥ 0, not all 0, with Σ_i λ_i y_i x̃_i = 0.

    X: n×d whole numbers, not augmented.  y: n labels.
    max_epochs: enough for `perceptron`, without an order, either to converge or to have,
        after some mistake, weights that it had before.
    Returns n numbers: any λ of this kind; all 0 where the examples are separable.
    """
    ### BEGIN SOLUTION
    _, mistakes, _ = perceptron(X, y, max_epochs)
    w = np.zeros(X.shape[1] + 1)
    first = {tuple(w): 0}
    for k, i in enumerate(mistakes, start=1):
        w = w + y[i] * augment(X[i : i + 1])[0]
        if tuple(w) in first:
            return np.bincount(mistakes[first[tuple(w)] : k], minlength=len(X))
        first[tuple(w)] = k
    return np.zeros(len(X), dtype=int)
    ### END SOLUTION


def xor_network() -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """Give the weights of two ReLUs that compute XOR.

    f(x) = w2 · relu(W1 x + b1) + b2 must be 0, 1, 1, 0 at (0,0), (0,1), (1,0), (1,1).
    Returns (W1: 2×2, one row per unit;  b1: 2 numbers;  w2: 2 numbers;  b2: a number).
    """
    ### BEGIN SOLUTION
    W1, b1 = (
        np.array([[1.0, 1.0], [1.0, 1.0]]),
        np.array([0.0, -1.0]),
    )  # a counter and an AND
    return W1, b1, np.array([1.0, -2.0]), 0.0
    ### END SOLUTION


# %%
check("xor")

# %% [markdown]
# Your network, seen from above. The two units fold the plane, and the fold is what a single line could not do.

# %% tags=["explore"]
W1, b1, w2, b2 = xor_network()
X, y = xor()
side = np.linspace(-0.5, 1.5, 200)
plane = np.stack(np.meshgrid(side, side), axis=-1)
height = np.maximum(0, plane @ np.asarray(W1).T + b1) @ w2 + b2

plt.figure(figsize=(5.5, 4.5))
plt.contourf(side, side, height, levels=20, cmap="coolwarm_r")
plt.colorbar(label="f(x)")
plt.contour(side, side, height, levels=[0.5], colors="black")
plt.scatter(*X.T, c=np.where(y > 0, "tab:blue", "tab:red"), edgecolors="white", s=120)
plt.title("the black line is f(x) = ½")
plt.show()

for name, inputs in {"XOR itself": X, "your features": xor_features(X)}.items():
    w, mistakes, converged = perceptron(inputs, y, max_epochs=1000)
    print(f"the perceptron on {name}: {len(mistakes)} mistakes, converged: {converged}")

# %% [markdown]
# ## Question: bound versus reality
#
# A bound is a promise about the worst case. How far from it is an ordinary case? And what happens as the margin
# shrinks: does reality follow the bound?
#
# Here is an experiment that needs one data set and a separator $u$ that we know. Peel the data: for a given $\gamma$,
# keep only the examples whose signed distance from the plane of $u$, $y_i\,(u\cdot\tilde x_i)/\lVert u\rVert$, is at
# least $\gamma$, and throw the others away: those too near the plane, and those on the wrong side of it (some data sets
# have wrong labels). What is left has a margin of at least $\gamma$. Train on it, count the mistakes, and set the count
# beside the bound *of what is left*.
#
# Use the functions you have.


# %%
def bound_versus_reality(
    X: np.ndarray,
    y: np.ndarray,
    u: np.ndarray,
    gammas: np.ndarray,
    max_epochs: int,
) -> tuple[list[int], list[float]]:
    """For each γ, train on the examples whose signed distance from the plane of u is ≥ γ.

    X: n×d, not augmented.  y: n labels.  u: d+1 numbers, any length but 0.
    gammas: all positive, in any order. (Rounding decides nothing here: where a distance is
    as large as a γ, both are whole numbers.)
    The kept examples stay in their order, and every epoch visits them in that order.

    Returns (mistakes, bounds), one entry of each per γ:
        how many mistakes training made, and the mistake bound of the kept examples for u.
        Where no example is left there is nothing to get wrong: both are 0.
    """
    ### BEGIN SOLUTION
    distances = y * scores(X, u) / np.linalg.norm(u)
    counts, bounds = [], []
    for gamma in gammas:
        kept = distances >= gamma
        if not kept.any():
            counts.append(0)
            bounds.append(0.0)
            continue
        _, mistakes, _ = perceptron(X[kept], y[kept], max_epochs)
        counts.append(len(mistakes))
        bounds.append(mistake_bound(X[kept], y[kept], u))
    return counts, bounds
    ### END SOLUTION


# %%
check("experiment")

# %% [markdown]
# Ten data sets, peeled layer by layer. Both axes are logarithmic, so the bound $(R/\gamma)^2$ climbs two decades where
# $\gamma$ falls by one. Does reality climb as steeply? Then try `d=2` and `d=50`: the bound
# knows the dimension only through $R$. Does reality know more?

# %% tags=["explore"]
gammas = np.geomspace(0.5, 0.005, 12)
plt.figure(figsize=(7, 5))
for seed in range(10):
    data = separable(np.random.default_rng(seed), n=400, d=8, gamma=0.005)
    counts, bounds = bound_versus_reality(data.X, data.y, data.u, gammas, max_epochs=2000)
    labels = ("bound", "mistakes") if seed == 0 else (None, None)
    plt.loglog(gammas, bounds, color="tab:red", alpha=0.4, label=labels[0])
    plt.loglog(gammas, counts, ".-", color="tab:blue", alpha=0.6, label=labels[1])
plt.gca().invert_xaxis()
plt.xlabel("margin γ: easy on the left, hard on the right")
plt.legend()
plt.show()

# %% [markdown]
# ## Where the road goes
#
# Four facts that the rest of the course stands on. The next question and the extra ones at the end let you build them.
#
# **Counting mistakes gives no direction.** The *zero-one loss* is 1 for a wrong prediction and 0 for a right one. Move
# $w$ a little and, almost everywhere, no prediction changes: the loss is flat, its gradient is 0, and descent has
# nowhere to go. (That it treats false alarms and misses alike, or that it is not convex, is a different matter.) So one
# minimises another loss instead, with a slope that leans the right way.
#
# **The hinge** $\max(0,\,1-y\,s)$ asks for more than being right: it asks for $y\,s\ge 1$. A right prediction with
# $y\,s=0.4$ still costs $0.6$.
#
# **Linear scores are not probabilities.** They may be negative, they may exceed 1, and nothing makes them sum to 1. The
# *softmax* makes probabilities of them, $p_k = e^{s_k}/\sum_j e^{s_j}$; for two classes it is the sigmoid of the
# *difference* of the two scores. That is logistic regression (two classes) and multinomial logistic regression (more
# than two). For a continuous target one uses linear regression: the kind of target chooses the model.
#
# **Not every loss separates.** On separable data, gradient descent on the logistic loss with a suitable step separates
# the classes after finitely many steps. It drives the loss towards 0, and as soon as the *total* loss is below
# $\log 2$, no single example can be wrong. The squared loss $(s-y)^2$ gives no such promise. It punishes an example for
# being *too* right, and will give up one example to please another far away. The next cell shows it with four points.

# %% tags=["explore"]
x, y = np.array([0.0, 1.0, 2.0, 12.0]), np.array([-1, -1, 1, 1])
b, slope = np.linalg.lstsq(np.column_stack([np.ones(4), x]), y, rcond=None)[0]
w, mistakes, converged = perceptron(x[:, None], y, max_epochs=100)

plt.figure(figsize=(8, 3))
plt.scatter(x, y, c=np.where(y > 0, "tab:blue", "tab:red"), s=80, zorder=3)
plt.plot(x, b + slope * x, color="0.5", label="the least-squares line")
plt.axvline(-b / slope, color="0.5", linestyle="--", label="where it crosses 0: 2 is lost")
plt.axvline(-w[0] / w[1], color="black", label="the perceptron's boundary")
plt.legend(loc="lower right")
plt.show()

# %% [markdown]
# ## Question: logistic regression
#
# Turn scores into probabilities and maximise the probability of the labels that were seen. For two classes,
# $P(y\mid x)=\sigma(y\,s)$ with $\sigma(z)=1/(1+e^{-z})$, and minus the mean log-likelihood is the *logistic loss*
#
# $$L(w)=\frac1n\sum_i\log\bigl(1+e^{-y_i s_i}\bigr) .$$
#
# Its gradient in $w$ is yours to derive. One example in numbers: $\tilde x=(1,2)$ with $y=-1$ and a score of $\log 3$ costs $\log 4$, and
# its gradient is $(0.75,\,1.5)$. A second example at $y\,s=1000$ has a gradient of almost $(0,0)$, and the mean of the two is
# $(0.375,\,0.75)$. Mind the sign: the log-*likelihood* goes up along the opposite vector, and many notes stop there. The loss is
# convex, but setting the gradient to 0 has no solution in closed form. So: descend.
#
# $e^{1000}$ is not a number your computer has. Write $\sigma$ and softmax so that no exponent is ever positive; for
# softmax, subtracting the row's largest score changes nothing else.


# %%
def sigmoid(z: np.ndarray) -> np.ndarray:
    """Give 1 / (1 + e^−z) of every entry, without overflow for any z."""
    ### BEGIN SOLUTION
    small = np.exp(-np.abs(z))
    return np.where(np.asarray(z) >= 0, 1, small) / (1 + small)
    ### END SOLUTION


def softmax(S: np.ndarray) -> np.ndarray:
    """Give the probabilities p_ik = e^s_ik / Σ_j e^s_ij of every row, without overflow.

    S: n×K.  Returns n×K.
    """
    ### BEGIN SOLUTION
    powers = np.exp(S - S.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)
    ### END SOLUTION


def class_probabilities(X: np.ndarray, W: np.ndarray) -> np.ndarray:
    """Give P(k | x_i) = softmax(W x̃_i)_k, multinomial logistic regression.

    X: n×d, not augmented.  W: K×(d+1), a row of weights per class.  Returns n×K.
    """
    ### BEGIN SOLUTION
    return softmax(augment(X) @ W.T)
    ### END SOLUTION


def logistic_loss(X: np.ndarray, y: np.ndarray, w: np.ndarray) -> tuple[float, np.ndarray]:
    """Give the mean logistic loss (1/n) Σ log(1 + e^(−y_i s_i)) and its gradient in w.

    X: n×d, not augmented.  y: n labels, −1 or +1.  w: d+1 weights.
    Returns (a number, d+1 numbers).
    """
    ### BEGIN SOLUTION
    m = y * scores(X, w)
    slope = -y * sigmoid(-m) / len(X)
    return float(np.mean(np.logaddexp(0, -m))), slope @ augment(X)
    ### END SOLUTION


def logistic_descent(X: np.ndarray, y: np.ndarray, rate: float, steps: int) -> np.ndarray:
    """Minimise the mean logistic loss from w = 0: `steps` times w ← w − rate · gradient.

    X: n×d, not augmented.  y: n labels, −1 or +1.  Returns w: d+1 weights.
    """
    ### BEGIN SOLUTION
    w = np.zeros(X.shape[1] + 1)
    for _ in range(steps):
        w = w - rate * logistic_loss(X, y, w)[1]
    return w
    ### END SOLUTION


# %%
check("logistic")

# %% [markdown]
# What you found is
#
# $$\nabla L(w) = -\frac1n\sum_i y_i\,\sigma(-y_i s_i)\,\tilde x_i .$$
#
# A perceptron adds $y_i\,\tilde x_i$ for a mistake and nothing otherwise. Here every example is added, weighted by the probability that the
# model gives to the wrong label.

# %% [markdown]
# ## Question: eight short questions
#
# Answer each with one of the words in quotation marks, or with a number. Think with the proof in hand; two of them are
# runs to read.
#
# 1. `scaling`. Every augmented vector $\tilde x_i$ is multiplied by 10. What happens to the bound $(R/\gamma)^2$ for
#    the same $u$? It is `"unchanged"`, `"tenfold"`, `"hundredfold"` or `"hundredth"` (a hundredth of it).
# 2. `restless`. A friend says: "these data have a separator with $R=6$ and $\gamma=0.75$". You run your perceptron,
#    which passes every check. Mistakes per epoch: 23, 14, 11, 9, 12, 8, 10, 9, 11, 8, … and it is still like that in
#    epoch 5000. What is wrong? `"patience"`: it needs more epochs. `"claim"`: there is no such separator. `"order"`:
#    the examples should be shuffled. `"rate"`: the steps are too large.
# 3. `trace`. Somebody's perceptron has $R^2=12$ and reports $\lVert w\rVert^2 = 6,\ 11,\ 15,\ 29,\ 33$ after its
#    updates 1, 2, 3, 4, 5. One of these updates cannot have been on a mistake. Which one? (A number from 1 to 5.)
# 4. `parity_units`. The parity of three bits is 1 if one or three of them are on, and 0 otherwise. A network with a single hidden
#    layer of ReLUs and a linear output is to compute it exactly, and each hidden unit is given only the *number* of bits that
#    are on. How many ReLUs does it need at least? (A number.)
# 5. `multinomials`. Five tasks: which of 26 letters a picture shows; whether a mail is spam; how warm it will be tomorrow;
#    for which of four parties somebody votes; which of three diseases a patient has, who may have none or several. Each gets a linear
#    regression, a logistic regression (two classes), one multinomial logistic regression (more than two), or several models.
#    How many get *one* multinomial logistic regression? (A number.)
# 6. `raw_scores`. Five answers of linear classifiers for three classes: $(0.2, 0.3, 0.5)$, $(1.3, -0.5, 0.2)$,
#    $(0.9, 0.9, 0.1)$, $(0, 0, 1)$ and $(0.4, 0.4, 0.1)$. How many of them cannot be probabilities? (A number.)
# 7. `still_wrong`. After some steps of gradient descent the *total* logistic loss of 50 examples, $\sum\log(1+e^{-ys})$, is
#    3. How many of the 50 can be on the wrong side at most, a score of 0 included? (A number.)
# 8. `no_gradient`. Four examples have $y\,s=-2,\ -1,\ 0.5$ and $3$. Each has a gradient in $w$ of its zero-one loss, of its hinge
#    and of its logistic loss: twelve gradients in all. How many of the twelve are 0 in every component? (A number.)

# %%
concept_answers = {
    "scaling": None,  # "unchanged", "tenfold", "hundredfold" or "hundredth"
    "restless": None,  # "patience", "claim", "order" or "rate"
    "trace": None,  # a number from 1 to 5
    "parity_units": None,  # a number
    "multinomials": None,  # a number from 0 to 5
    "raw_scores": None,  # a number from 0 to 5
    "still_wrong": None,  # a number from 0 to 50
    "no_gradient": None,  # a number from 0 to 12
}
### BEGIN SOLUTION
concept_answers.update(
    scaling="unchanged",
    restless="claim",
    trace=4,
    parity_units=3,
    multinomials=2,
    raw_scores=3,
    still_wrong=4,
    no_gradient=5,
)
### END SOLUTION

# %%
check("concepts")

# %% [markdown]
# That was the core. What follows is extra: each part stands alone, in any order.
#
# ## Extra: zero-one and hinge losses
#
# Losses are means over the examples, and so are their gradients. With $m_i=y_i\,s_i$ the hinge loss is
#
# $$L(w)=\frac1n\sum_i\max(0,\,1-m_i) .$$
#
# The hinge has a kink where $m_i=1$; there it has no derivative, and any value between the slopes on the two sides is a
# *subgradient*. We take 0, the slope of the flat side. In numbers: $\tilde x=(1,2)$ with $y=+1$ and a score of $0.5$ costs
# $0.5$, with the gradient $(-1,-2)$; a second example at $m=3$ costs nothing. For the two, the loss is $0.25$ and the gradient
# $(-0.5,-1)$.
#
# With $K$ classes there is a row of weights per class, $W$ is $K\times(d+1)$, and the scores of an example are
# $W\tilde x$. The example of class $t$ wants its own score to beat the best of the others by 1:
#
# $$\ell = \max\bigl(0,\; 1-(s_t-\max_{k\ne t}s_k)\bigr) .$$
#
# Scores of $(2.0,\ 1.5)$ with $t=0$ are right, and still cost $0.5$. If two rivals tie for best, the first of them
# counts.


# %%
def zero_one_loss(X: np.ndarray, y: np.ndarray, w: np.ndarray) -> float:
    """Give the fraction of examples whose prediction differs from the label.

    X: n×d, not augmented.  y: n labels, −1 or +1.  w: d+1 weights.
    """
    ### BEGIN SOLUTION
    return float(np.mean(predict(X, w) != y))
    ### END SOLUTION


def hinge_loss(X: np.ndarray, y: np.ndarray, w: np.ndarray) -> tuple[float, np.ndarray]:
    """Give the mean hinge loss (1/n) Σ max(0, 1 − y_i s_i) and its subgradient in w.

    X: n×d, not augmented.  y: n labels, −1 or +1.  w: d+1 weights.
    Returns (a number, d+1 numbers). At the kink an example adds 0 to the subgradient.
    """
    ### BEGIN SOLUTION
    slack = 1 - y * scores(X, w)
    active = slack > 0
    return float(np.mean(np.maximum(0, slack))), -(y * active) @ augment(X) / len(X)
    ### END SOLUTION


def multiclass_hinge(
    X: np.ndarray,
    t: np.ndarray,
    W: np.ndarray,
) -> tuple[float, np.ndarray]:
    """Give the mean of max(0, 1 − (s_t − max_{k≠t} s_k)) and its subgradient in W.

    X: n×d, not augmented.  t: n classes from 0 … K−1.
    W: K×(d+1), a row of weights per class (K ≥ 2), the constant's first.
    Returns (a number, K×(d+1) numbers). At the kink an example adds 0 to the subgradient.
    """
    ### BEGIN SOLUTION
    rows, vectors = np.arange(len(X)), augment(X)
    S = vectors @ W.T
    others = S.copy()
    others[rows, t] = -np.inf
    rival = others.argmax(axis=1)
    slack = 1 - (S[rows, t] - S[rows, rival])
    push = np.zeros_like(S)
    push[rows, rival] = slack > 0
    push[rows, t] = -(slack > 0).astype(float)
    return float(np.mean(np.maximum(0, slack))), push.T @ vectors / len(X)
    ### END SOLUTION


# %%
check("losses")

# %% [markdown]
# For two classes the subgradient is
#
# $$\nabla L(w) = -\frac1n\sum_{i:\;m_i<1} y_i\,\tilde x_i .$$
#
# Take one example at a time, and $m_i\le 0$ in place of $m_i<1$: a step of size 1 against it is the perceptron's.

# %% [markdown]
# ## Extra: the averaged perceptron
#
# The final $w$ of a perceptron owes too much to the last example it met. On data that are not separable it never comes
# to rest at all. The cure costs nothing: use the *average* of the weights over the whole run. A `w` that survived a
# thousand visits counts a thousand times; one that was wrong at once counts once.


# %%
def averaged_perceptron(
    X: np.ndarray,
    y: np.ndarray,
    max_epochs: int,
    order: np.ndarray | None = None,
) -> np.ndarray:
    """Train a perceptron from w = 0 for exactly max_epochs epochs and average its weights.

    max_epochs: at least 1.  order: as in `perceptron`.
    After each visit to an example (a mistake or not) the current w is counted once; the
    average is over all max_epochs·n visits.
    Returns d+1 weights.
    """
    ### BEGIN SOLUTION
    visited = augment(X)
    current, total = np.zeros(visited.shape[1]), np.zeros(visited.shape[1])
    for epoch in range(max_epochs):
        for i in range(len(X)) if order is None else order[epoch]:
            current, _ = perceptron_step(current, visited[i], y[i])
            total = total + current
    return total / (max_epochs * len(X))
    ### END SOLUTION


# %%
check("averaged")

# %% [markdown]
# ## Extra: the kernel perceptron
#
# The weights are the mistakes, added up: $w=\sum_j\alpha_j\,y_j\,\varphi(x_j)$, where $\alpha_j$ counts the mistakes on
# example $j$. So a score needs only inner products,
#
# $$s(x_i) = \sum_j \alpha_j\,y_j\,K_{ji}, \qquad K_{ji}=\varphi(x_j)\cdot\varphi(x_i),$$
#
# and the features themselves need never be written down. With $K_{ji}=(1+x_j\cdot x_i)^2$ the perceptron draws circles,
# ellipses and hyperbolas, and XOR is no longer a problem.


# %%
def kernel_perceptron(K: np.ndarray, y: np.ndarray, max_epochs: int) -> np.ndarray:
    """Train a perceptron that sees the examples only through K_ij = φ(x_i) · φ(x_j).

    K: n×n, symmetric.  y: n labels, −1 or +1.  Every epoch visits 0, 1, …, n−1.
    A mistake is y_i s_i ≤ 0 with s_i = Σ_j α_j y_j K_ji; it adds 1 to α_i.
    Training stops after an epoch without a mistake, or after max_epochs.
    Returns α: n counts.
    """
    ### BEGIN SOLUTION
    alpha = np.zeros(len(y))
    for _ in range(max_epochs):
        clean = True
        for i in range(len(y)):
            if y[i] * ((alpha * y) @ K[:, i]) <= 0:
                alpha[i] += 1
                clean = False
        if clean:
            break
    return alpha
    ### END SOLUTION


# %%
check("kernel")

# %% [markdown]
# A perceptron that has never heard of circles, drawing one.

# %% tags=["explore"]
X, y = circle(np.random.default_rng(0), n=80)
alpha = kernel_perceptron((1 + X @ X.T) ** 2, y, max_epochs=500)
side = np.linspace(-2.2, 2.2, 200)
plane = np.stack(np.meshgrid(side, side), axis=-1)
height = (1 + plane @ X.T) ** 2 @ (alpha * y)

plt.figure(figsize=(5, 5))
plt.contour(side, side, height, levels=[0], colors="black")
plt.scatter(*X[y > 0].T, color="tab:blue", marker="+")
plt.scatter(*X[y < 0].T, color="tab:red", marker="_")
plt.title(f"{int(alpha.sum())} mistakes, on {np.count_nonzero(alpha)} of {len(y)} examples")
plt.show()

# %% [markdown]
# ## What you have now
#
# An algorithm of ten lines, a theorem that limits it, and the habit of checking one against the other. You saw that the
# proof's two quantities can be watched while the program runs; that a bound may be far from reality and still be the
# reason why things work; and that what a line cannot do, two folded lines can.
#
# Two roads lead on. *Ridge regression* keeps the line and asks what to do when the labels are numbers and the data are
# noisy. The *multi-layer perceptron* keeps the fold you made by hand for XOR and learns it, by gradient descent, for
# any number of units and layers.
