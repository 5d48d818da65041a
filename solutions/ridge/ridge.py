# %% [markdown]
# # Ridge regression
#
# Least squares is two hundred years old and still the first thing to try: choose the weights that make the squared
# errors smallest. It has one bad habit. Ask it about something that the data do not say, and it does not shrug. It
# shouts: a weight of plus four thousand here, minus four thousand there, fitted to the noise.
#
# In 1970 Arthur Hoerl and Robert Kennard published a cure that is one symbol long: add $\lambda$ to the diagonal of a
# matrix. The estimate becomes wrong on average, and yet, for a suitable $\lambda$, closer to the truth. That trade, a
# little bias for a lot of calm, is behind weight decay, behind early stopping, behind much of what keeps a network of a
# billion weights from nonsense. Here it can be seen to the bottom, because everything has a formula.
#
# You will find the same weights in four ways: by a linear system, by a spectrum, by small noisy steps, and (an extra) by a
# system with one unknown for each *example*. Each way answers a question that the others leave dark. At the end you
# will know the truth behind the data, and see how close to it you came and why.
#
# **How to work here.** Read a section, write the functions below it, run the `check` cell after them. A check that
# fails shows the smallest example it failed on. Cells with plots are there to look at and to play with; they are not
# graded. When you hand in, more checks run than the ones you have here: they ask whether the idea is right, not only
# the example. Seven questions make the hundred points, in about six hours. What comes after them is extra.

# %%
import matplotlib.pyplot as plt
import numpy as np

from redink import check
from redink_datasets import digits, regression, spectral

# %% [markdown]
# ## The idea
#
# An example is a vector $x$ of $d$ numbers with a target $y$, a number too. A linear model predicts
#
# $$\hat y = b + w_1x_1+\dots+w_dx_d = b + w\cdot x .$$
#
# Least squares takes the $w$ and $b$ with the smallest $\sum_i(w\cdot x_i+b-y_i)^2$. Think of that sum as a landscape
# over the weights. It is a bowl, and least squares sits at the bottom of it.
#
# Now let two features say almost the same thing: the temperature in the kitchen and the temperature in the hall. The
# data know well what $w_1+w_2$ should be, and hardly anything about $w_1-w_2$. In one direction the bowl is steep, in
# the other it is a long flat valley, and *where along the valley* the bottom lies is decided by noise. Draw new data
# and it is somewhere else.
#
# Ridge regression adds a second bowl, a round one about the origin, of steepness $\lambda$:
#
# $$J(w, b) = \sum_i(w\cdot x_i+b-y_i)^2 + \lambda\,(w_1^2+\dots+w_d^2) .$$
#
# Where the data are steep, they overrule it. Along the valley floor they have nothing to say, and there the round bowl
# decides: towards 0. Run the cell. Each dot is the bottom for one fresh draw of the same noisy world; the cross is the
# truth.

# %% tags=["explore"]
rng = np.random.default_rng(1)
hall = rng.normal(size=30)
X = np.column_stack([hall, hall + 0.08 * rng.normal(size=30)])  # almost the same twice
truth = np.array([1.0, 0.6])
grid = np.linspace(-4, 6, 120)
plane = np.stack(np.meshgrid(grid, grid), axis=-1)

figure, panels = plt.subplots(1, 2, figsize=(10, 4.6), sharex=True, sharey=True)
for panel, lam in zip(panels, [0.0, 1.0], strict=True):
    bottoms = []
    for _ in range(60):
        y = X @ truth + rng.normal(size=30)
        bottoms.append(np.linalg.solve(X.T @ X + lam * np.eye(2), X.T @ y))
    J = ((plane @ X.T - y) ** 2).sum(axis=-1) + lam * (plane**2).sum(axis=-1)
    panel.contour(grid, grid, J, J.min() + np.array([1, 5, 15, 40, 100, 250]), colors="0.7")
    panel.scatter(*np.array(bottoms).T, color="tab:blue", s=14)
    panel.scatter(*truth, color="tab:red", marker="x", s=90, zorder=3)
    panel.set(xlabel="$w_1$", ylabel="$w_2$", aspect="equal", xlim=(-4, 6), ylim=(-4, 6))
    panel.set_title(f"λ = {lam:g}")
plt.show()

# %% [markdown]
# ## Conventions
#
# They hold in the whole notebook, and the checks hold you to them. Half of all quarrels about ridge regression are about
# the second line.
#
# - Examples stand in rows: `X` has shape $n\times d$, `y` and `w` are vectors of $n$ and $d$ numbers, `b` is a number.
#   Where a constant feature is wanted, it comes first: $\tilde X=[\mathbf 1, X]$.
# - **The objective is a sum**, $J = \lVert Xw+b\mathbf 1-y\rVert^2+\lambda\lVert w\rVert^2$: no $\tfrac12$, no
#   $\tfrac1n$. Other books and libraries divide, and then their $\lambda$ is another number. (Errors are compared as means, and
#   the questions about small steps and about losses take means too; each says so.)
# - **The constant $b$ is free.** It is not in the penalty.
# - $\bar x$ is the vector of column means, $\bar y$ the mean target; *centred* data are
#   $X_c = X-\mathbf 1\bar x^\top$ and $y_c=y-\bar y\mathbf 1$.
# - Arrays may hold integers as well as fractions, and nothing may be cut off or overflow for it: the answers are floats, unless a
#   docstring says integers.
# - Functions never change the arrays that they are given. Changing one costs one check of the question (the first that sees
#   it); the other checks look only at what is returned. Random functions draw from the `Generator` that they get.
#
# ## Once by hand
#
# Three examples with one feature: $x=1,2,3$ with $y=1,4,4$. The means are $\bar x=2$ and $\bar y=3$; centred, the data
# are $(-1,0,1)$ and $(-2,1,1)$. With one feature, as the derivation below will show,
#
# $$w=\frac{\sum_i x_{c,i}\,y_{c,i}}{\sum_i x_{c,i}^2+\lambda}=\frac{3}{2+\lambda}, \qquad b=\bar y-\bar x\,w=3-2w .$$
#
# | $\lambda$ | $w$ | $b$ | predictions | residuals $y-\hat y$ | their squares, summed |
# |:-:|:-:|:-:|:-:|:-:|:-:|
# | $0$ | $1.5$ | $0$ | $1.5,\ 3,\ 4.5$ | $-0.5,\ 1,\ -0.5$ | $1.5$ |
# | $1$ | $1$ | $1$ | $2,\ 3,\ 4$ | $-1,\ 1,\ 0$ | $2$ |
# | $4$ | $0.5$ | $2$ | $2.5,\ 3,\ 3.5$ | $-1.5,\ 1,\ 0.5$ | $3.5$ |
# | $\infty$ | $0$ | $3$ | $3,\ 3,\ 3$ | $-2,\ 1,\ 1$ | $6$ |
#
# Read it downwards. The line turns flat about the mean point $(2,3)$, through which it always passes. The training
# error only grows: ridge pays for its calm, and pays in this column. Every row of residuals sums to 0. Add 100 to the
# three targets, and in every row $b$ and the predictions grow by 100; the weight and the residuals stay.

# %% [markdown]
# ## Question: least squares, also where it has no unique answer
#
# With $\tilde X=[\mathbf 1,X]$ and $c=(b,w)$ the predictions are one product, $\tilde Xc$. Nothing says that the columns
# must be what was measured: with $\varphi(x)=(1,x,x^2,\dots,x^k)$ the same model draws a polynomial. It is still
# *linear*, in the weights. So let $A$ be any matrix of features, constant included, and minimise
# $\lVert Ac-y\rVert^2$.
#
# **The normal equations.** At the bottom no small step helps. A step $\delta$ changes the sum of squares by
# $2\,\delta\cdot A^\top(Ac-y)+\lVert A\delta\rVert^2$; the first term must vanish for every $\delta$, so
#
# $$A^\top(Ac-y)=0 :$$
#
# *the residual stands at right angles to every column.* If the columns are independent this has one solution,
# $c=(A^\top A)^{-1}A^\top y$. Many notes stop here. But put in a column twice, or have more columns than examples, and
# $A^\top A$ has no inverse: many $c$ are equally good, a whole flat valley of them.
#
# **The shortest of the best.** Take the singular value decomposition $A=\sum_j s_j\,u_jv_j^\top$ over the
# $s_j>0$. The columns of $A$ span the same space as the $u_j$, so the best prediction is
# $\hat y=\sum_j(u_j\cdot y)\,u_j$. It is reached by
#
# $$c=\sum_{j:\;s_j>0}\frac{u_j\cdot y}{s_j}\,v_j ,$$
#
# and by this plus anything at right angles to all $v_j$, which changes no prediction and only makes $c$ longer. So this
# sum is the *minimum-norm* solution. It is what `np.linalg.lstsq` and `np.linalg.pinv` compute; here you write it
# yourself, from `np.linalg.svd`. In a computer a zero comes out as $10^{-15}$, and dividing by it is how one gets weights
# of a million: count $s_j$ as 0 unless it is above $10^{-10}$ times the largest.
#
# *Forbidden*, here and in the next question: `lstsq`, `pinv`, `np.polyfit`, and all of `scipy`. And `sklearn` in the whole
# notebook: the point is to write it.


# %%
def design_matrix(X: np.ndarray) -> np.ndarray:
    """Put the constant feature 1 in front of every example.

    X: n×d.  Returns X̃ = [1, X]: n×(d+1).
    """
    ### BEGIN SOLUTION
    return np.column_stack([np.ones(len(X)), X])
    ### END SOLUTION


def polynomial(x: np.ndarray, degree: int) -> np.ndarray:
    """Give the features 1, x, x², …, x^degree of every number.

    x: n numbers.  Returns n×(degree+1), the constant first.
    """
    ### BEGIN SOLUTION
    return np.asarray(x, dtype=float)[:, None] ** np.arange(degree + 1)
    ### END SOLUTION


def sum_of_squares(X: np.ndarray, y: np.ndarray, w: np.ndarray, b: float) -> float:
    """Give the sum of squared errors Σ_i (y_i − (w·x_i + b))².

    X: n×d, without the constant feature.  y: n targets.  w: d weights.  b: a number.
    """
    ### BEGIN SOLUTION
    errors = y - (X @ w + b)
    return float(errors @ errors)
    ### END SOLUTION


def least_squares(A: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Give the c that minimises ‖Ac − y‖², and of all such c the one with the smallest ‖c‖.

    A: n×k, of any rank; k may be larger than n.  y: n targets.  Returns k numbers.
    Singular values that are not above 1e-10 times the largest count as 0.
    """
    ### BEGIN SOLUTION
    U, s, Vt = np.linalg.svd(A, full_matrices=False)
    kept = s > 1e-10 * s.max()
    return Vt[kept].T @ ((U.T @ y)[kept] / s[kept])
    ### END SOLUTION


# %%
check("design")

# %% [markdown]
# ## Question: ridge regression
#
# Now the penalty. Write the residual as $r=Xw+b\mathbf 1-y$, so that $J=\lVert r\rVert^2+\lambda\lVert w\rVert^2$, and
# differentiate. Each of the two squares gives its factor 2:
#
# $$\frac{\partial J}{\partial w}=2X^\top r+2\lambda w, \qquad \frac{\partial J}{\partial b}=2\,\mathbf 1^\top r=2\sum_i r_i .$$
#
# $J$ is convex, and for $\lambda>0$ it has exactly one lowest point: where both are 0. Find it in two moves.
#
# *First the constant.* $\sum_i r_i=0$ says $b=\bar y-\bar x\cdot w$. The fit passes through the mean point, for every
# $\lambda$.
#
# *Then the weights.* With that $b$ the residual is $r=X_cw-y_c$: the problem has become one of centred data with no
# constant in it. And since $\sum_ir_i=0$, we may write $X_c^\top r$ for $X^\top r$. Put both into the first equation, and
# it is a linear system for $w$. Write it down: that is the exercise, and the answer stands below the check.
#
# A second example by hand, with two features:
#
# $$X=\begin{pmatrix}2&2\\1&3\\0&1\end{pmatrix},\quad y=\begin{pmatrix}1\\4\\1\end{pmatrix},\quad \bar x=(1,2),\ \bar y=2,\qquad X_c=\begin{pmatrix}1&0\\0&1\\-1&-1\end{pmatrix},\quad y_c=\begin{pmatrix}-1\\2\\-1\end{pmatrix} .$$
#
# Least squares ($\lambda=0$) has to solve $2w_1+w_2=0$, $w_1+2w_2=3$ and finds $w=(-1,2)$. Ridge with $\lambda=1$ has to
# solve $3w_1+w_2=0$, $w_1+3w_2=3$ and finds $w=(-\tfrac38,\tfrac98)$ and $b=2+\tfrac38-2\cdot\tfrac98=\tfrac18$.
#
# **Why is $b$ free?** Because nobody should care whether a temperature is written in Celsius or in Kelvin. If $b$ were
# penalised, adding 273 to every target would drag the whole fit down and bend the weights as well. Some notes put the
# column of ones into $X$ and then add $\lambda I$, all of it: that is exactly this mistake.
#
# `np.linalg.solve` solves the system, and any other way that is not forbidden passes too. There is no need to invert anything:
# an inverse costs more and is less exact.


# %%
def ridge_objective(
    X: np.ndarray, y: np.ndarray, w: np.ndarray, b: float, lam: float
) -> tuple[float, np.ndarray, float]:
    """Give J(w, b) = ‖Xw + b1 − y‖² + λ‖w‖² and its gradient.

    X: n×d.  y: n targets.  w: d weights.  b: a number.  lam: λ ≥ 0.
    Returns (J, ∂J/∂w: d numbers, ∂J/∂b: a number).
    """
    ### BEGIN SOLUTION
    r = X @ w + b - y
    J = r @ r + lam * (w @ w)
    return float(J), 2 * X.T @ r + 2 * lam * w, float(2 * r.sum())
    ### END SOLUTION


def ridge_fit(X: np.ndarray, y: np.ndarray, lam: float) -> tuple[np.ndarray, float]:
    """Give the w and b that minimise ‖Xw + b1 − y‖² + λ‖w‖²; the constant b is free.

    X: n×d, of any rank; d may be larger than n.  y: n targets.  lam: λ > 0.
    Returns (w: d numbers, b: a number).
    """
    ### BEGIN SOLUTION
    x_mean, y_mean = X.mean(axis=0), y.mean()
    Xc, yc = X - x_mean, y - y_mean
    w = np.linalg.solve(Xc.T @ Xc + lam * np.eye(X.shape[1]), Xc.T @ yc)
    return w, float(y_mean - x_mean @ w)
    ### END SOLUTION


# %%
check("ridge")

# %% [markdown]
# To compare with your paper, when the check is green:
#
# $$\boxed{\;(X_c^\top X_c+\lambda I)\,w=X_c^\top y_c, \qquad b=\bar y-\bar x\cdot w .\;}$$
#
# For $\lambda>0$ the matrix is positive definite, whatever $X$ is: for every $z\ne0$,
# $z^\top(X_c^\top X_c+\lambda I)z=\lVert X_cz\rVert^2+\lambda\lVert z\rVert^2>0$. Collinear columns,
# more columns than examples: there is always one answer.
#
# Now look: fifteen noisy points of a wave, and polynomials of degree 12. Thirteen weights for fifteen
# points, so with hardly any $\lambda$ the curve runs through nearly everything, and between the points it does as it
# likes. Change the seed a few times: which of the three curves stays, and which is another one each time?

# %% tags=["explore"]
rng = np.random.default_rng(4)
x = np.sort(rng.uniform(-1, 1, size=15))
y = np.sin(4 * x) + 0.3 * rng.normal(size=15)
fine = np.linspace(-1, 1, 400)

figure, panels = plt.subplots(1, 3, figsize=(13, 3.8), sharey=True)
for panel, lam in zip(panels, [1e-8, 1e-2, 10.0], strict=True):
    w, b = ridge_fit(polynomial(x, 12)[:, 1:], y, lam)
    panel.plot(fine, np.sin(4 * fine), color="0.7", label="the truth")
    panel.plot(fine, polynomial(fine, 12)[:, 1:] @ w + b, label="the fit")
    panel.scatter(x, y, color="black", s=18, zorder=3)
    panel.set(title=f"λ = {lam:g}, ‖w‖ = {np.linalg.norm(w):.3g}", ylim=(-2.2, 2.2))
panels[0].legend()
plt.show()

# %% [markdown]
# ## What ridge does to a direction: the spectrum
#
# Take the singular value decomposition of the *centred* data, $X_c=\sum_js_j\,u_jv_j^\top$. The unit vectors $v_j$ are
# directions among the features, and $s_j$ says how far the data spread along $v_j$. Put it into the boxed equation, with
# $X_c^\top X_c=\sum_js_j^2v_jv_j^\top$: the system falls apart into one equation for each direction, with the number
# $v_j\cdot w$ as its only unknown. Solve it, and put $w=\sum_j(v_j\cdot w)\,v_j$ together again. That is the exercise; the
# answer stands below the check.
#
# Compare it with least squares, which finds $(u_j\cdot y_c)/s_j$ along $v_j$. In the second example by hand $s_1^2=3$ along
# $(1,1)/\sqrt2$ and $s_2^2=1$ along $(1,-1)/\sqrt2$. Least squares finds $(-1,2)$, ridge with $\lambda=1$ finds
# $(-\tfrac38,\tfrac98)$: along the first direction three quarters of it, along the second a half. **Ridge multiplies what
# least squares finds along $v_j$ by a number between 0 and 1**: by nearly 1 where the data spread far
# ($s_j^2\gg\lambda$), by nearly 0 where they hardly spread ($s_j^2\ll\lambda$), and by one half at $s_j^2=\lambda$. It is a
# sieve (a *filter*) for directions, and $\lambda$ is its mesh. And the decomposition does not
# depend on $\lambda$: compute it once, and a hundred values of $\lambda$ cost hardly more than one.
#
# **How many weights are left?** Predictions are a linear function of the targets, $\hat y=H_\lambda y$, and the trace of
# that matrix counts how strongly the predictions follow the targets. These are the *effective degrees of freedom*,
# **with the one for $b$ counted**: $\operatorname{df}(\lambda)=\operatorname{tr}H_\lambda$. Least squares spends one for each
# direction, and one for $b$. Ridge spends a fraction for each direction, and one for $b$. In the first example by hand
# there is one direction with $s^2=2$, and for $\lambda=0,1,4$ they are $2,\ 1+\tfrac23,\ 1+\tfrac13$; in the second they are
# $1+\tfrac34+\tfrac12$ for $\lambda=1$.
#
# ## Question: the path


# %%
def ridge_path(
    X: np.ndarray, y: np.ndarray, lams: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Give the ridge solutions for many λ from one singular value decomposition.

    X: n×d, of any rank.  y: n targets.  lams: L numbers, all positive.
    Returns (W: L×d, row k is the w of lams[k];  B: L numbers, the constants).
    """
    ### BEGIN SOLUTION
    x_mean, y_mean = X.mean(axis=0), y.mean()
    U, s, Vt = np.linalg.svd(X - x_mean, full_matrices=False)
    along = s * (U.T @ (y - y_mean)) / (s**2 + np.asarray(lams)[:, None])
    W = along @ Vt
    return W, y_mean - W @ x_mean
    ### END SOLUTION


def effective_dof(X: np.ndarray, lam: float) -> float:
    """Give the effective degrees of freedom tr H_λ of ridge, with the 1 for b.

    X: n×d, of any rank.  lam: λ > 0.
    """
    ### BEGIN SOLUTION
    s = np.linalg.svd(X - X.mean(axis=0), compute_uv=False)
    return float(1 + np.sum(s**2 / (s**2 + lam)))
    ### END SOLUTION


# %%
check("path")

# %% [markdown]
# To compare with your paper, when the check is green:
#
# $$w=\sum_j\frac{s_j}{s_j^2+\lambda}\,(u_j\cdot y_c)\,v_j, \qquad H_\lambda=\tfrac1n\mathbf 1\mathbf 1^\top+\sum_j\frac{s_j^2}{s_j^2+\lambda}\,u_ju_j^\top, \qquad \operatorname{df}(\lambda)=\underbrace{1}_{b}+\sum_j\frac{s_j^2}{s_j^2+\lambda} .$$
#
# The path of the weights, on data with three strong directions and three weak ones. Follow a line from left to right:
# some go to 0 at once, some resist for decades of $\lambda$, some even change their sign on the way (each weight mixes
# several directions, and those shrink at different times). Below, the degrees of freedom fall in two stairs. Where are
# the stairs, in terms of `s`?

# %% tags=["explore"]
rng = np.random.default_rng(2)
s = np.array([30.0, 24.0, 20.0, 1.0, 0.7, 0.5])
X, V = spectral(rng, 50, s)
y = X @ rng.normal(size=6) + 0.5 * rng.normal(size=50)
lams = np.geomspace(1e-3, 1e5, 200)
W, B = ridge_path(X, y, lams)

figure, (above, below) = plt.subplots(2, 1, figsize=(8, 6.5), sharex=True)
above.semilogx(lams, W)
above.axhline(0, color="0.8", linewidth=0.8)
above.set_ylabel("weights")
below.semilogx(lams, [effective_dof(X, lam) for lam in lams], color="black")
for value in s:
    below.axvline(value**2, color="tab:red", linewidth=0.6)
below.set(xlabel="λ (red: the $s_j^2$)", ylabel="degrees of freedom")
plt.show()

# %% [markdown]
# ## Question: small noisy steps, and weight decay
#
# Nobody solves a system with a billion unknowns. One walks downhill instead, a few examples at a time: *stochastic gradient
# descent*. Take a *mini-batch* $B$ of $m$ examples. Here, as in the assignments after this one, the loss is a **mean** over
# them, and a square carries a $\tfrac12$. With the errors $e_i=w\cdot x_i+b-y_i$ (prediction minus target) it is
#
# $$L=\frac1m\sum_{i\in B}\tfrac12e_i^2+\tfrac\delta2\lVert w\rVert^2 .$$
#
# A step with rate $\eta$ subtracts $\eta$ times the gradient: $w\leftarrow w-\eta\,\partial L/\partial w$,
# $b\leftarrow b-\eta\,\partial L/\partial b$, and both right sides use the old $w$ and $b$. The gradient is yours to find; it
# stands below the check.
#
# By hand: the first two examples of the first table, $x=1,2$ with $y=1,4$, and $w=2$, $b=1$. The errors are $2$ and $1$. With
# $\eta=0.1$ and $\delta=0.5$ the step goes to
# $w=2-0.1\cdot\bigl(\tfrac{2\cdot1+1\cdot2}2+0.5\cdot2\bigr)=1.7$ and $b=1-0.1\cdot\tfrac{2+1}2=0.85$. Had both errors been 0,
# it would have gone to $w=1.9$ and $b=1$.


# %%
def sgd_step(
    X: np.ndarray, y: np.ndarray, w: np.ndarray, b: float, rate: float, decay: float
) -> tuple[np.ndarray, float]:
    """Do one step of gradient descent with weight decay on one mini-batch.

    X: m×d and y: m targets, the mini-batch.  w: d weights.  b: a number.
    rate: η.  decay: δ, for the penalty (δ/2)‖w‖² added to the mean of ½e².
    Returns (the new w, the new b). The array w itself stays as it was.
    """
    ### BEGIN SOLUTION
    e = X @ w + b - y
    return (1 - rate * decay) * w - rate * X.T @ e / len(y), float(b - rate * e.mean())
    ### END SOLUTION


def sgd(
    X: np.ndarray, y: np.ndarray, batches: list[np.ndarray], rate: float, decay: float
) -> tuple[np.ndarray, float]:
    """Step once for each mini-batch, in order, from w = 0 and b = 0.

    X: n×d.  y: n targets.  batches: arrays of indices into the examples, each of any size
    from 1 on; an example whose index stands in a batch twice counts twice there.
    Returns (the final w, the final b).
    """
    ### BEGIN SOLUTION
    w, b = np.zeros(X.shape[1]), 0.0
    for batch in batches:
        w, b = sgd_step(X[batch], y[batch], w, b, rate, decay)
    return w, b
    ### END SOLUTION


# %%
check("sgd")

# %% [markdown]
# To compare with your paper, when the check is green:
#
# $$w\leftarrow(1-\eta\delta)\,w-\frac\eta m\sum_{i\in B}e_i\,x_i, \qquad b\leftarrow b-\frac\eta m\sum_{i\in B}e_i .$$
#
# In every step the weights shrink by the factor $1-\eta\delta$: they *decay*. The constant does not. (Two misprints that
# one meets: $w$ without its factor, and $w$ in place of $b$ on the right. Try what happens then.)
#
# Which ridge regression is this? The descent comes to rest where the full gradient is 0:
# $\tfrac1nX^\top e+\delta w=0$. Multiply by $2n$ and compare with $\partial J/\partial w$: a decay $\delta$ on the
# ½-mean loss is ridge with
#
# $$\lambda=n\,\delta .$$
#
# The descent, and the ridge solution with $\lambda=n\delta$ that it is looking for. With all the data in every step it
# arrives; with mini-batches it ends in a buzz (noise) about the same place. What does a smaller rate do to the buzz?

# %% tags=["explore"]
rng = np.random.default_rng(6)
data = regression(rng, 80, 3, sigma=1.0)
X = (data.X - data.X.mean(axis=0)) / data.X.std(axis=0)
decay, rate, steps = 0.2, 0.05, 250
w, b = ridge_fit(X, data.y, len(X) * decay)

plt.figure(figsize=(8, 4.5))
for size, style in [(80, "-"), (4, ":")]:
    now, constant, path = np.zeros(3), 0.0, []
    for _ in range(steps):
        batch = rng.choice(80, size=size, replace=False)
        now, constant = sgd_step(X[batch], data.y[batch], now, constant, rate, decay)
        path.append(now)
    for k, line in enumerate(np.array(path).T):
        plt.plot(line, style, color=f"C{k}", label=f"$w_{k + 1}$, batches of {size}")
for k in range(3):
    plt.axhline(w[k], color=f"C{k}", linewidth=0.6)
plt.xlabel("step (thin lines: ridge with λ = nδ)")
plt.legend(fontsize=8, ncol=2, loc="lower right")
plt.ylim(-1.8, 2.8)
plt.show()

# %% [markdown]
# ## Which λ? Ask examples that were not used
#
# The training error cannot choose $\lambda$: it grows with $\lambda$ and would always say 0. We need examples that the
# fit has not seen.
#
# **$k$-fold cross-validation.** Deal the examples into $k$ folds. For each fold, fit on the *others* and predict the
# fold. Then every example has been predicted once by a fit that did not know it, and the mean of the $n$ squared errors
# is an honest estimate for a $\lambda$ that was fixed beforehand. Everything that is learnt is learnt without the fold: the
# weights, and also the means. (Take the $\lambda$ with the *smallest* of many such errors, and that error is a little too
# good to be true: the choice has seen it. To *choose* it serves well. A number to report comes from examples that had no
# part in choosing either: a test set, or a second cross-validation around the first, which is called *nested*.)
#
# **Leave one out.** With $k=n$ every example is its own fold: $n$ fits. But for ridge one fit is enough. Here is why.
#
# Let $\hat y_{-i}$ be the prediction for example $i$ of the fit that never saw it. Change the target $y_i$ to just that
# number, $\hat y_{-i}$, and fit to all $n$ examples. What comes out? The very same fit: without example $i$ it was the
# best one, and example $i$ now adds an error of 0 to it. And predictions are linear in the targets, $\hat y=H_\lambda y$:
# changing one target moves the prediction of its example by $h_{ii}$ times the change. So $\hat y_{-i}$ is both the changed
# target and what is then predicted. Write that as an equation and solve it for $y_i-\hat y_{-i}$; the answer stands below
# the check.
#
# The *leverage* $h_{ii}$, from the diagonal of $H_\lambda$, is how much an example helps to predict itself; $\tfrac1n$ of it
# belongs to $b$, for example $i$ also helped to find the mean. By hand, with $\lambda=1$: the leverages are
# $\tfrac23,\tfrac13,\tfrac23$, the residuals are $-1,\ 1,\ 0$, and the left-out residuals are $-3,\ 1.5,\ 0$. Leave out the
# point $(2,4)$ with pencil and paper: you get $1.5$.
#
# ## Question: choosing λ
#
# Where one of these functions needs a ridge fit, let it call your `ridge_fit`.


# %%
def make_folds(n: int, k: int, rng: np.random.Generator) -> np.ndarray:
    """Deal n examples into k folds at random; all chance comes from rng.

    Every fold gets ⌊n/k⌋ or ⌈n/k⌉ examples; so if k > n, some folds stay empty.
    Returns n integers: the fold of each example, 0 … k−1.
    """
    ### BEGIN SOLUTION
    return rng.permutation(np.arange(n) % k)
    ### END SOLUTION


def kfold_errors(
    X: np.ndarray, y: np.ndarray, lams: np.ndarray, folds: np.ndarray
) -> np.ndarray:
    """Give, for each λ, the mean over all n examples of the squared error when left out.

    The examples of one fold are predicted by a ridge fit to all other folds.

    X: n×d.  y: n targets.  lams: L positive numbers.  folds: n integers, the fold of each
    example, at least two different ones; folds may differ in size, and numbers may be
    missing between them.  Returns L numbers, in the order of lams.
    """
    ### BEGIN SOLUTION
    squares = np.zeros((len(lams), len(y)))
    for fold in np.unique(folds):
        held = folds == fold
        for row, lam in enumerate(lams):
            w, b = ridge_fit(X[~held], y[~held], lam)
            squares[row, held] = (y[held] - X[held] @ w - b) ** 2
    return squares.mean(axis=1)
    ### END SOLUTION


def loo_residuals(X: np.ndarray, y: np.ndarray, lam: float) -> np.ndarray:
    """Give the leave-one-out residuals y_i − ŷ_{−i}, from one fit to all the data.

    X: n×d, of any rank, n at least 2.  y: n targets.  lam: λ > 0.  Returns n numbers.
    """
    ### BEGIN SOLUTION
    w, b = ridge_fit(X, y, lam)
    centred = X - X.mean(axis=0)
    system = centred.T @ centred + lam * np.eye(X.shape[1])
    leverage = 1 / len(X) + np.sum(centred * np.linalg.solve(system, centred.T).T, axis=1)
    return (y - X @ w - b) / (1 - leverage)
    ### END SOLUTION


def choose_lambda(X: np.ndarray, y: np.ndarray, lams: np.ndarray) -> float:
    """Give that one of lams for which the mean squared leave-one-out residual is smallest.

    X: n×d, n at least 2.  y: n targets.  lams: L positive numbers, in any order; if two are
    equally good, either will do.
    """
    ### BEGIN SOLUTION
    errors = [np.mean(loo_residuals(X, y, lam) ** 2) for lam in lams]
    return float(lams[int(np.argmin(errors))])
    ### END SOLUTION


# %%
check("choose")

# %% [markdown]
# To compare with your paper, when the check is green: $\hat y_{-i}=\hat y_i+h_{ii}\,(\hat y_{-i}-y_i)$, and so
#
# $$\boxed{\;y_i-\hat y_{-i}=\frac{y_i-\hat y_i}{1-h_{ii}}\;} \quad\text{with}\quad h_{ii}=\frac1n+x_{c,i}^\top(X_c^\top X_c+\lambda I)^{-1}x_{c,i} ,$$
#
# where $x_{c,i}$ is the $i$-th row of $X_c$. A residual looks smaller than it should, by just the share that the example had
# in its own prediction.
#
# Forty examples, twenty-five features, most of them of no use. The training error (grey) would choose the left end. The
# two honest estimates agree on a valley. The dashed line is the error on ten thousand fresh examples, which outside of a
# course nobody has: how far from its lowest point is the choice? Then try other seeds. With forty examples the *height* of
# an honest curve is uncertain; the place of its valley is much less so, and the place is what we need.

# %% tags=["explore"]
rng = np.random.default_rng(12)
truth = np.append(np.array([1.5, -1.0, 0.8]), np.zeros(22))
X, X_new = rng.normal(size=(40, 25)) + 1, rng.normal(size=(10_000, 25)) + 1
y, y_new = (Z @ truth + 2 + rng.normal(size=len(Z)) for Z in (X, X_new))

lams = np.geomspace(1e-2, 1e3, 40)
W, B = ridge_path(X, y, lams)
training = ((W @ X.T + B[:, None] - y) ** 2).mean(axis=1)
fresh = ((W @ X_new.T + B[:, None] - y_new) ** 2).mean(axis=1)
alone = [np.mean(loo_residuals(X, y, lam) ** 2) for lam in lams]

plt.figure(figsize=(8, 4.5))
plt.loglog(lams, training, color="0.6", label="training")
plt.loglog(lams, alone, color="tab:blue", label="leave one out")
folded = kfold_errors(X, y, lams, make_folds(40, 5, rng))
plt.loglog(lams, folded, color="tab:orange", label="5 folds")
plt.loglog(lams, fresh, color="black", linestyle="--", label="10,000 fresh examples")
plt.axvline(choose_lambda(X, y, lams), color="tab:blue", linewidth=0.8)
plt.xlabel("λ")
plt.ylabel("mean squared error")
plt.legend()
plt.show()

# %% [markdown]
# ## Question: the truth, known
#
# In this experiment we make the world ourselves: $y=Xw^*+b^*\mathbf 1+\sigma\varepsilon$, where the $\varepsilon_i$ are
# independent and standard normal. So we can ask what data alone never tell: how far are the predictions from
# the *noiseless* truth? This is the **excess risk**, here at the inputs in $X$:
#
# $$\rho=\frac1n\sum_i\bigl(\hat y_i-(x_i\cdot w^*+b^*)\bigr)^2 .$$
#
# Measure it: make many data sets with the same $X$ and fresh noise, fit each for every $\lambda$, average. And predict
# it: what comes out on average has two parts, one for each way of being wrong, and the formula for each is yours to find. Let
# $\kappa_j=s_j^2/(s_j^2+\lambda)$ be what ridge keeps of direction $j$.
#
# - **Bias.** Without noise, ridge would find $\kappa_j$ times the truth along $v_j$. What is lost there is
#   $(1-\kappa_j)(v_j\cdot w^*)$, and in the predictions it counts $s_j$ times.
# - **Variance.** The noise along $u_j$ has variance $\sigma^2$, and comes through multiplied by $\kappa_j$. The
#   constant $b$ follows the mean of the noise, with the factor 1.
#
# Directions are at right angles, so their squares add, and $\rho$ is a mean over $n$. To hold your formulas against: the
# example by hand has $n=3$ and one direction with $s^2=2$. With $w^*=3$, $\sigma=1$ and $\lambda=1$ ridge keeps
# $\kappa=\tfrac23$, the squared bias is $\tfrac13\cdot2\cdot\tfrac19\cdot9=\tfrac23$ and the variance
# $\tfrac13\,(1+\tfrac49)=\tfrac{13}{27}$.
#
# Use your `ridge_path` for the fits.


# %%
def simulate(
    X: np.ndarray, w: np.ndarray, b: float, sigma: float, rng: np.random.Generator
) -> np.ndarray:
    """Draw targets y = Xw + b1 + σε with ε_i independent and standard normal.

    X: n×d.  w: d numbers.  b: a number.  sigma: σ ≥ 0, the standard deviation of the noise.
    Returns n numbers, new ones at every call. How they are drawn from rng is up to you.
    """
    ### BEGIN SOLUTION
    return X @ w + b + sigma * rng.normal(size=len(X))
    ### END SOLUTION


def measured_risk(
    X: np.ndarray,
    w: np.ndarray,
    b: float,
    sigma: float,
    lams: np.ndarray,
    rng: np.random.Generator,
    repeats: int,
) -> np.ndarray:
    """Measure the excess risk of ridge, averaged over data sets with fresh noise.

    Each time: draw one y with `simulate` and fit it for every λ, so that all λ are compared
    on the same noise; for every λ take the mean over the n examples of
    (prediction − (x_i·w + b))².

    X: n×d.  w, b, sigma: the truth.  lams: L positive numbers.
    repeats: how many data sets.
    Returns L numbers, averages over the data sets.
    """
    ### BEGIN SOLUTION
    noiseless, total = X @ w + b, np.zeros(len(lams))
    for _ in range(repeats):
        W, B = ridge_path(X, simulate(X, w, b, sigma, rng), lams)
        total += np.mean((W @ X.T + B[:, None] - noiseless) ** 2, axis=1)
    return total / repeats
    ### END SOLUTION


def expected_risk(
    X: np.ndarray, w: np.ndarray, sigma: float, lams: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Give the two parts of the expected excess risk of ridge.

    X: n×d.  w: the true weights.  sigma: σ.  lams: L positive numbers.
    Returns (bias²: L numbers, variance: L numbers), the variance with the share of b.
    """
    ### BEGIN SOLUTION
    _, s, Vt = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    kappa = s**2 / (s**2 + np.asarray(lams)[:, None])
    bias2 = np.sum(((1 - kappa) * s * (Vt @ w)) ** 2, axis=1) / len(X)
    variance = sigma**2 * (1 + np.sum(kappa**2, axis=1)) / len(X)
    return bias2, variance
    ### END SOLUTION


# %%
check("experiment")

# %% [markdown]
# The formula, for as many directions as there are:
#
# $$\mathbb E\,\rho=\underbrace{\frac1n\sum_js_j^2\,(1-\kappa_j)^2\,(v_j\cdot w^*)^2}_{\text{bias}^2}+\underbrace{\frac{\sigma^2}n\Bigl(1+\sum_j\kappa_j^2\Bigr)}_{\text{variance}} .$$
#
# Bias grows with $\lambda$, variance falls, and somewhere the sum is smallest. Where? If the truth is of size $\tau$ in
# every direction, that is $\mathbb E(v_j\cdot w^*)^2=\tau^2$, then direction $j$ adds to $n\,\mathbb E\rho$ the amount
# $s_j^2\,(\lambda^2\tau^2+\sigma^2s_j^2)/(s_j^2+\lambda)^2$, and the derivative of this in $\lambda$ is
#
# $$\frac{2\,s_j^4\,(\lambda\tau^2-\sigma^2)}{(s_j^2+\lambda)^3} .$$
#
# Its sign does not depend on $s_j$! *Every* direction, strong or weak, is best served by the same
# $\lambda=\sigma^2/\tau^2$, noise over signal. That is why one number $\lambda$ is enough. It is also the answer of Bayes, who
# would call $\tau$ a prior; an extra question goes that way.
#
# The dots are measured, the lines are the formula. The dashed line stands at $\sigma^2/\tau^2$. The truth was drawn at
# random, so the lowest point need not be exactly there; average over many truths and it is. What happens to the lowest
# point when you double `sigma`? When you change the spectrum, `s`?

# %% tags=["explore"]
rng = np.random.default_rng(8)
sigma, tau, s = 1.0, 0.5, np.geomspace(20, 0.3, 12)
X, V = spectral(rng, 40, s)
w_star = tau * rng.normal(size=12)
lams = np.geomspace(1e-2, 1e4, 25)

bias2, variance = expected_risk(X, w_star, sigma, lams)
plt.figure(figsize=(8, 4.8))
plt.loglog(lams, bias2, color="tab:red", label="bias²")
plt.loglog(lams, variance, color="tab:blue", label="variance")
plt.loglog(lams, bias2 + variance, color="black", label="their sum")
measured = measured_risk(X, w_star, 1.0, sigma, lams, rng, repeats=300)
plt.loglog(lams, measured, "o", color="0.4", label="measured")
plt.ylim(0.01, 10)
plt.axvline(sigma**2 / tau**2, color="0.4", linestyle="--", label=r"$\sigma^2/\tau^2$")
plt.xlabel("λ")
plt.ylabel("excess risk")
plt.legend()
plt.show()

# %% [markdown]
# ## What a fit can promise, and what it cannot
#
# Five things worth keeping, before the short questions. The extra questions let you build most of them.
#
# **Losses come from noise.** If the errors are independent with density $p$, the likelihood of the data is a product,
# and minus its logarithm is a sum: $-\sum_i\log p(y_i-\hat y_i)$. Choose $p$ and you have chosen the loss. Put in
# $p(e)\propto e^{-e^2/2\sigma^2}$ or $p(e)\propto e^{-|e|/\sigma}$ and see which of the two gives least squares.
#
# **Penalties come from priors**, by the same road: minus the logarithm of the density that you gave the weights before
# you saw the data. Three densities: *Gaussian* $\propto e^{-w^2/2\tau^2}$, *Laplace* $\propto e^{-|w|/\tau}$, *uniform*
# (a constant).
#
# **The sum of squares is not the risk.** The training error is measured on the examples that chose the weights. The
# *risk* is the expectation over new examples; a test set gives an estimate of it, never the thing itself. When a model
# grows while the data do not, the training error falls, and it says less and less about new examples: that distance is
# what *overfitting* means. Whether the error on new examples also rises is another matter; often it does, later.
#
# **Held-out examples must be like new ones.** All of this assumes that the examples are drawn *independently* from
# *one and the same* distribution. A held-out example that is a near copy of a training example is not new.
#
# **A penalty sees units.** Least squares does not care in which unit a feature is measured: the weight adapts. A
# penalty does, because it compares weights of different features with one another. (So one standardises first; an
# extra.)

# %% [markdown]
# ## Question: ten short questions
#
# Answer each with one of the words in quotation marks, or with a number. A pencil is allowed; three of them are runs to
# read.
#
# 1. `units`. One column of $X$, a length, was in metres and is now in kilometres; $\lambda$ stays. What happens to what
#    this feature contributes to the predictions? It is the `"same"`, `"muted"`,
#    `"amplified"` or `"reversed"`.
# 2. `doubled`. You fitted with $\lambda=5$. Now every example is written down twice. Which $\lambda$ gives the same $w$
#    and $b$ as before? (A number.)
# 3. `library`. A library minimises $\tfrac1{2n}\lVert Xw+b\mathbf 1-y\rVert^2+\tfrac a2\lVert w\rVert^2$. There are
#    $n=50$ examples, and you want the weights that this notebook finds with $\lambda=6$. Which $a$ do you give it?
#    (A number.)
# 4. `freedom`. The centred data have two directions, with $s_1^2=8$ and $s_2^2=2$. How many effective degrees of
#    freedom has ridge with $\lambda=2$, the one for $b$ counted? (A number.)
# 5. `floor`. The targets contain independent normal noise with a known $\sigma=0.5$. Six methods report a mean squared error on
#    the same 2000 test examples: 0.06, 0.11, 0.24, 0.26, 0.31 and 0.58. How many of these can only come about if the method knew
#    something of the test targets? (A number. The mean of $n$ squared normal numbers of variance $v$ has the standard
#    deviation $v\sqrt{2/n}$.)
# 6. `grid`. A search over $\lambda$ reports
#
#    | $\lambda$ | 0.01 | 0.1 | 1 | 10 | 100 |
#    |:-:|:-:|:-:|:-:|:-:|:-:|
#    | training error | 0.02 | 0.05 | 0.11 | 0.19 | 0.30 |
#    | 5-fold error | 1.90 | 1.31 | 0.86 | 0.61 | 0.47 |
#
#    and chooses 100. What should be done next? `"accept"` it, `"refine"` the grid between 10 and 100, `"widen"` it, or
#    go `"back"` to 0.01, where the training error is smallest.
# 7. `overfit`. A polynomial of degree 3 has a training error of 0.24 and a validation error of 0.31; one of degree 9 has
#    0.08 and 0.30. A friend says: "the validation error did not rise, so the second one does not overfit more." It does:
#    by how much? (A number, in the sense of the word that the section above gives.)
# 8. `patients`. Forty patients, ten measurements of each. How well will the model do on new patients? Somebody proposes
#    (a) to deal all 400 measurements into five folds at random; (b) to deal the patients into five folds, each with all ten
#    measurements; (c) to fit the first eight measurements of every patient and to hold out the last two; (d) to fit 32
#    patients and to hold out eight, drawn at random; (e) to leave out one patient at a time. How many of the five give an
#    error that can be believed? (A number.)
# 9. `noise`. "Least squares is maximum likelihood." For which independent noise is that so? `"laplace"` noise,
#    `"gaussian"` noise of constant variance, `"uniform"` noise between two bounds, or `"any"` noise with mean 0.
# 10. `prior`. Instead of $\lambda\lVert w\rVert^2$ somebody adds $\mu\,(|w_1|+\dots+|w_d|)$. The most probable weights
#     under which prior is that? `"gaussian"`, `"laplace"`, `"uniform"` or `"cauchy"` (density $\propto 1/(1+w^2)$).

# %%
concept_answers = {
    "units": None,  # "same", "muted", "amplified" or "reversed"
    "doubled": None,  # a number
    "library": None,  # a number
    "freedom": None,  # a number
    "floor": None,  # a number from 0 to 6
    "grid": None,  # "accept", "refine", "widen" or "back"
    "overfit": None,  # a number
    "patients": None,  # a number from 0 to 5
    "noise": None,  # "laplace", "gaussian", "uniform" or "any"
    "prior": None,  # "gaussian", "laplace", "uniform" or "cauchy"
}
### BEGIN SOLUTION
concept_answers.update(
    units="muted",
    doubled=10,
    library=0.12,
    freedom=2.3,
    floor=2,
    grid="widen",
    overfit=0.15,
    patients=3,
    noise="gaussian",
    prior="laplace",
)
### END SOLUTION

# %%
check("concepts")

# %% [markdown]
# That was the core. What follows is extra: each part stands alone, in any order.
#
# ## Extra: the other side, one unknown for each example
#
# Look at the boxed equation of ridge once more and move things about: $\lambda w=X_c^\top(y_c-X_cw)$. So
#
# $$w=X_c^\top\alpha \quad\text{with}\quad \alpha=\tfrac1\lambda\,(y_c-X_cw) .$$
#
# The weights are a sum of examples, each pulling in its own direction with a force $\alpha_i$ in proportion to its
# residual. (Compare the perceptron, whose weights are the sum of its mistakes.) Put $w=X_c^\top\alpha$ back into the
# definition of $\alpha$:
#
# $$(X_cX_c^\top+\lambda I)\,\alpha=y_c .$$
#
# This is the **dual**: $n$ equations where the primal has $d$. With 200 images of a million pixels, that is the
# difference between a blink and a year. And in it the examples appear only in products $x_i\cdot x_j$, the *Gram
# matrix*. So nothing stops you from putting another measure of likeness (*similarity*) in its place, a **kernel** $k(x,z)$, such as
#
# $$k(x,z)=\exp\left(-\frac{\lVert x-z\rVert^2}{2\,\mathrm{width}^2}\right) .$$
#
# That is a dot product too, of features of $x$ and $z$ that are infinitely many; we never write them down.
#
# **Centring.** The features that we do not write down must be centred all the same, for $b$ is free. Let
# $C=I-\tfrac1n\mathbf 1\mathbf 1^\top$, the matrix that subtracts the mean: $X_c=CX$. Then
# $X_cX_c^\top=C\,XX^\top C$, so from a kernel matrix $K$ with $K_{ij}=k(x_i,x_j)$ we get what we need without the
# features: $CKC$, which is $K$ minus its column means, minus its row means, plus its overall mean. In short:
#
# $$(CKC+\lambda I)\,\alpha=y_c, \qquad f(x)=\sum_i\alpha_i\,k(x_i,x)+b .$$
#
# *And the constant?* Multiply the system by $\mathbf 1^\top$: since $\mathbf 1^\top C=0$ and $\mathbf 1^\top y_c=0$, it
# says $\lambda\sum_i\alpha_i=0$. The forces balance. Hence $\sum_i\alpha_i(x_i-\bar x)=\sum_i\alpha_ix_i$, which is why
# $f$ above may use the kernel as it is, not centred; centring the new $x$ too would only change $f$ by a constant, and
# $b$ takes it in. As ever, the residuals of the training examples sum to 0, so $b$ is the mean of
# $y_i-\sum_j\alpha_jk(x_j,x_i)$.
#
# For the distances, $\lVert x-z\rVert^2=\lVert x\rVert^2+\lVert z\rVert^2-2\,x\cdot z$ spares you an array of
# $n\times m\times d$ numbers. (Rounding may bring it a little below 0.)


# %%
def gaussian_kernel(X: np.ndarray, Z: np.ndarray, width: float) -> np.ndarray:
    """Give the likeness exp(−‖x_i − z_j‖² / (2 width²)) of every x_i to every z_j.

    X: n×d.  Z: m×d.  width: a positive number.  Returns n×m.
    """
    ### BEGIN SOLUTION
    squares = (X**2).sum(axis=1)[:, None] + (Z**2).sum(axis=1) - 2 * X @ Z.T
    return np.exp(-np.maximum(squares, 0) / (2 * width**2))
    ### END SOLUTION


def centre_kernel(K: np.ndarray) -> np.ndarray:
    """Give CKC with C = I − (1/n) 1 1ᵀ: the Gram matrix of the centred features.

    K: n×n, symmetric.  Returns n×n.
    """
    ### BEGIN SOLUTION
    return K - K.mean(axis=0) - K.mean(axis=1)[:, None] + K.mean()
    ### END SOLUTION


def kernel_ridge(K: np.ndarray, y: np.ndarray, lam: float) -> tuple[np.ndarray, float]:
    """Give the α and b of kernel ridge regression: f(x) = Σ_i α_i k(x_i, x) + b.

    α solves (CKC + λI) α = y − ȳ1; b makes the training residuals y_i − f(x_i) sum to 0.

    K: n×n, K_ij = k(x_i, x_j), not centred.  y: n targets.  lam: λ > 0.
    Returns (α: n numbers, b: a number).
    """
    ### BEGIN SOLUTION
    alpha = np.linalg.solve(centre_kernel(K) + lam * np.eye(len(K)), y - y.mean())
    return alpha, float(np.mean(y - K @ alpha))
    ### END SOLUTION


# %%
check("dual")

# %% [markdown]
# Real handwriting. For each digit there is a target: $+1$ for its images, $-1$ for all others. Ten kernel ridge
# regressions, and the largest of the ten predictions reads the digit. No layers, no training loop: one linear system
# for each digit, and your three functions. Then try other widths. A very small one reads the training images
# perfectly and the new ones not at all; why?

# %% tags=["explore"]
images, labels = digits()
chosen = np.random.default_rng(0).permutation(len(images))[:1100]
X, t = images[chosen].reshape(len(chosen), 64), labels[chosen]
X, X_new, t, t_new = X[:600], X[600:], t[:600], t[600:]

for width in [0.2, 1.5, 20.0]:
    K, K_new = gaussian_kernel(X, X, width), gaussian_kernel(X_new, X, width)
    scores, scores_new = np.zeros((len(X), 10)), np.zeros((len(X_new), 10))
    for digit in range(10):
        alpha, b = kernel_ridge(K, np.where(t == digit, 1.0, -1.0), lam=0.01)
        scores[:, digit], scores_new[:, digit] = K @ alpha + b, K_new @ alpha + b
    read, read_new = scores.argmax(axis=1), scores_new.argmax(axis=1)
    print(
        f"width {width:4}: {np.mean(read == t):6.1%} of the training images read,", end=" "
    )
    print(f"{np.mean(read_new == t_new):6.1%} of 500 new ones")

    if width == 1.5:
        wrong = np.flatnonzero(read_new != t_new)[:8]
        figure, panels = plt.subplots(1, 8, figsize=(11, 1.7))
        for panel in panels:
            panel.axis("off")
        for panel, i in zip(panels, wrong, strict=False):
            panel.imshow(X_new[i].reshape(8, 8), cmap="Greys")
            panel.set_title(f"{t_new[i]}, read as {read_new[i]}", fontsize=8)
        figure.suptitle("misread, with width 1.5", y=1.15)
        plt.show()

# %% [markdown]
# ## Extra: squares, absolute values, and one bad example
#
# As in the question on small steps, a loss is here a **mean** over the examples, and the squared loss carries a $\tfrac12$.
# With $e_i=w\cdot x_i+b-y_i$,
#
# $$L_2=\frac1n\sum_i\tfrac12e_i^2,\quad \nabla_wL_2=\frac1n\sum_ie_ix_i; \qquad L_1=\frac1n\sum_i|e_i|,\quad \nabla_wL_1=\frac1n\sum_i\operatorname{sign}(e_i)\,x_i .$$
#
# The $\tfrac12$ is there to cancel the 2 of the derivative; a positive factor moves no minimum. Note the order of the
# difference: prediction minus target. At $e_i=0$ the absolute value has a kink; we take the slope 0 there.
#
# The two gradients tell the whole story about outliers. Under the squares an example pulls in proportion to its
# error, and one that is off by 1000 pulls like a thousand others. Under absolute values every example pulls with
# force 1. The cleanest case has no features at all: which single number $c$ is nearest to $y_1,\dots,y_n$? Set the
# derivatives to 0. Squares want $\sum_i(c-y_i)=0$. Absolute values want as many $y_i$ above $c$ as below.


# %%
def squared_loss(
    X: np.ndarray, y: np.ndarray, w: np.ndarray, b: float
) -> tuple[float, np.ndarray, float]:
    """Give (1/n) Σ ½ (w·x_i + b − y_i)² and its gradient.

    X: n×d.  y: n targets.  w: d weights.  b: a number.
    Returns (the loss, ∂/∂w: d numbers, ∂/∂b: a number).
    """
    ### BEGIN SOLUTION
    e = X @ w + b - y
    return float(np.mean(e**2) / 2), X.T @ e / len(y), float(np.mean(e))
    ### END SOLUTION


def absolute_loss(
    X: np.ndarray, y: np.ndarray, w: np.ndarray, b: float
) -> tuple[float, np.ndarray, float]:
    """Give (1/n) Σ |w·x_i + b − y_i| and its subgradient, with slope 0 where an error is 0.

    X: n×d.  y: n targets.  w: d weights.  b: a number.
    Returns (the loss, ∂/∂w: d numbers, ∂/∂b: a number).
    """
    ### BEGIN SOLUTION
    e = X @ w + b - y
    pull = np.sign(e)
    return float(np.mean(np.abs(e))), X.T @ pull / len(y), float(np.mean(pull))
    ### END SOLUTION


def best_constant(y: np.ndarray, loss: str) -> float:
    """Give the number c with the smallest mean loss: ½ (c − y_i)², or |c − y_i|.

    y: n numbers, n odd.  loss: "squared" or "absolute".
    """
    ### BEGIN SOLUTION
    return float(np.mean(y) if loss == "squared" else np.median(y))
    ### END SOLUTION


# %%
check("losses")

# %% [markdown]
# Twenty honest points and one bad one. Each line is found by descending one of the two losses. Move the bad point up
# and down: which line follows?

# %% tags=["explore"]
rng = np.random.default_rng(3)
x = np.linspace(0, 3, 21)
y = 1 + 0.5 * x + 0.15 * rng.normal(size=21)
y[18] = 9.0  # the bad one

plt.figure(figsize=(7, 4))
plt.scatter(x, y, color="black", s=18)
for loss in (squared_loss, absolute_loss):
    w, b = np.zeros(1), 0.0
    for step in range(4000):
        _, dw, db = loss(x[:, None], y, w, b)
        rate = 0.3 / np.sqrt(1 + step / 20)
        w, b = w - rate * dw, b - rate * db
    plt.plot(x, b + w[0] * x, label=loss.__name__)
plt.legend()
plt.show()

# %% [markdown]
# ## Extra: Bayes
#
# Suppose $y_i=w\cdot x_i+b+\sigma\varepsilon_i$ with independent standard normal $\varepsilon_i$. The density of a
# normal variable is
#
# $$\mathcal N(x;\mu,\sigma)=\frac1{\sqrt{2\pi\sigma^2}}\,\exp\left(-\frac{(x-\mu)^2}{2\sigma^2}\right) ,$$
#
# the likelihood of independent targets is the product of theirs, and minus its logarithm is a sum:
#
# $$\mathrm{NLL}(w,b)=\sum_i\left[\tfrac12\log(2\pi\sigma^2)+\frac{(y_i-w\cdot x_i-b)^2}{2\sigma^2}\right] .$$
#
# The first term does not depend on $w$. So under *this* noise, and only under such noise, maximum likelihood is least
# squares. (The sum stays finite where the product of ten thousand densities has long become 0 in a computer.)
#
# Now a prior: before seeing the data, each weight is normal with mean 0 and standard deviation $\tau$, and nothing is
# assumed about $b$. Multiply likelihood and prior, take minus the logarithm:
#
# $$\mathrm{NLL}(w,b)+\sum_j\left[\tfrac12\log(2\pi\tau^2)+\frac{w_j^2}{2\tau^2}\right]=\frac1{2\sigma^2}\Bigl(\lVert Xw+b\mathbf 1-y\rVert^2+\frac{\sigma^2}{\tau^2}\lVert w\rVert^2\Bigr)+\text{constant} .$$
#
# The most probable weights (*maximum a posteriori*, MAP) are ridge with $\lambda=\sigma^2/\tau^2$. With the Laplace
# density $\tfrac1{2\tau}e^{-|w_j|/\tau}$ in place of the normal one the penalty becomes a sum of absolute values:
# multiply by $2\sigma^2$ to find its weight beside $\lVert Xw+b\mathbf 1-y\rVert^2$.


# %%
def gaussian_density(x: np.ndarray, mu: float, sigma: float) -> np.ndarray:
    """Give the density at each x of a normal variable with mean μ and deviation σ."""
    ### BEGIN SOLUTION
    return np.exp(-((x - mu) ** 2) / (2 * sigma**2)) / np.sqrt(2 * np.pi * sigma**2)
    ### END SOLUTION


def gaussian_nll(
    X: np.ndarray, y: np.ndarray, w: np.ndarray, b: float, sigma: float
) -> float:
    """Give minus the log-likelihood of all n targets: a sum, constants included.

    X: n×d.  y: n targets.  w: d weights.  b: a number.  sigma: σ > 0.
    """
    ### BEGIN SOLUTION
    e = y - X @ w - b
    return float(len(y) * np.log(2 * np.pi * sigma**2) / 2 + e @ e / (2 * sigma**2))
    ### END SOLUTION


def negative_log_prior(w: np.ndarray, tau: float, kind: str) -> float:
    """Give minus the logarithm of the prior density of all d weights, constants included.

    kind: "gaussian", each weight normal with mean 0 and standard deviation τ;
    or "laplace", each weight with density e^(−|w_j|/τ) / (2τ).
    """
    ### BEGIN SOLUTION
    if kind == "gaussian":
        return float(len(w) * np.log(2 * np.pi * tau**2) / 2 + w @ w / (2 * tau**2))
    return float(len(w) * np.log(2 * tau) + np.abs(w).sum() / tau)
    ### END SOLUTION


def penalty_weight(sigma: float, tau: float, kind: str) -> float:
    """Give the weight of the penalty that belongs to a prior.

    That is the λ of ‖Xw + b1 − y‖² + λ‖w‖² for the kind "gaussian", and
    the μ of ‖Xw + b1 − y‖² + μ Σ_j |w_j| for the kind "laplace".
    """
    ### BEGIN SOLUTION
    return sigma**2 / tau**2 if kind == "gaussian" else 2 * sigma**2 / tau
    ### END SOLUTION


# %%
check("bayes")

# %% [markdown]
# ## Extra: growing models
#
# A polynomial of higher degree can do all that one of lower degree can. So its training error is never larger, as long as
# `least_squares` counts every singular value. (Far from $-1\dots1$ the powers differ so much in size that it counts some as 0,
# and then the error can rise.) What about new points? Errors here are means of $(y-\hat y)^2$.
#
# - The **training error** (empirical risk) is measured on the points that were fitted.
# - The **validation error** is measured on points that were held out.
# - The **risk** is the expectation over the distribution that the points come from. Normally nobody knows it. But for a
#   distribution on finitely many pairs $(x_j,y_j)$ with probabilities $p_j$ it is the sum
#   $\sum_jp_j\,(y_j-f(x_j))^2$.
#
# Fit with `least_squares` on `polynomial`.


# %%
def split(n: int, held: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Split the indices 0 … n−1 at random: n − held for training, held for validation.

    held: from 0, where nothing is held out, to n.
    Returns (training indices, validation indices); each index is in exactly one of them.
    All chance comes from rng.
    """
    ### BEGIN SOLUTION
    order = rng.permutation(n)
    return order[held:], order[:held]
    ### END SOLUTION


def discrete_risk(f, x: np.ndarray, y: np.ndarray, p: np.ndarray) -> float:
    """Give the risk E (Y − f(X))² of a function on a distribution with finitely many pairs.

    f: a function that takes an array of numbers and gives an array of predictions.
    x, y, p: m numbers each; the pair (x_j, y_j) has probability p_j, and the p_j sum to 1.
    """
    ### BEGIN SOLUTION
    return float(p @ (y - f(x)) ** 2)
    ### END SOLUTION


def degree_curve(
    x: np.ndarray, y: np.ndarray, x_held: np.ndarray, y_held: np.ndarray, degrees: list[int]
) -> tuple[np.ndarray, np.ndarray]:
    """Fit a polynomial of each degree to (x, y) by least squares; measure it on both sets.

    Returns (training errors, validation errors): mean squared errors, one for each degree.
    """
    ### BEGIN SOLUTION
    training, validation = [], []
    for degree in degrees:
        v = least_squares(polynomial(x, degree), y)
        training.append(np.mean((polynomial(x, degree) @ v - y) ** 2))
        validation.append(np.mean((polynomial(x_held, degree) @ v - y_held) ** 2))
    return np.array(training), np.array(validation)
    ### END SOLUTION


# %%
check("growing")

# %% [markdown]
# The same wave, with few points and with many. Look at the gap between the two curves: the degree opens it, and data
# close it.

# %% tags=["explore"]
rng = np.random.default_rng(9)
degrees = list(range(13))
figure, panels = plt.subplots(1, 2, figsize=(11, 4), sharey=True)
for panel, n in zip(panels, [30, 600], strict=True):
    x = rng.uniform(-1, 1, size=n)
    y = np.sin(4 * x) + 0.3 * rng.normal(size=n)
    kept, held = split(n, n // 3, rng)
    training, validation = degree_curve(x[kept], y[kept], x[held], y[held], degrees)
    panel.semilogy(degrees, training, ".-", label="training")
    panel.semilogy(degrees, validation, ".-", label="validation")
    panel.axhline(0.09, color="0.6", linestyle="--", label="the noise, σ²")
    panel.set(title=f"{len(kept)} training points", xlabel="degree", ylim=(0.01, 10))
panels[0].legend()
plt.show()

# %% [markdown]
# ## Extra: standardise
#
# A penalty compares the weights of different features, so the features should be comparable: subtract from each its
# mean, divide by its standard deviation (the root of the mean squared deviation, `np.std`). Two warnings. **The test
# data are moved by the training data's numbers**, for a model that meets one single new example has no other. And zeros
# do not stay zeros: a table of word counts that is nearly empty becomes full when a mean is subtracted, and may no
# longer fit into memory.


# %%
def standardise(train: np.ndarray, test: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Standardise both sets with the means and standard deviations of the training set.

    train: n×d.  test: m×d.  A column whose numbers in train are all equal is divided by 1.
    (Compare the numbers: rounding may make of their standard deviation 1e-17 instead of 0.)
    Returns (train, test), standardised; m may be 1.
    """
    ### BEGIN SOLUTION
    mean, std = train.mean(axis=0), train.std(axis=0)
    std = np.where(np.ptp(train, axis=0) == 0, 1.0, std)
    return (train - mean) / std, (test - mean) / std
    ### END SOLUTION


# %%
check("standardise")

# %% [markdown]
# ## Extra: what is a norm?
#
# For $p\ge1$ the $p$-norm is $\lVert x\rVert_p=\bigl(\sum_i|x_i|^p\bigr)^{1/p}$, and for $p=\infty$ it is
# $\max_i|x_i|$. Mind the bars: without them, $p=3$ lets a negative entry cancel a positive one.
#
# A function $f$ is a *norm* when, for all vectors and all numbers $\alpha$,
#
# 1. it is homogeneous: $f(\alpha x)=|\alpha|\,f(x)$;
# 2. the triangle inequality holds: $f(x+y)\le f(x)+f(y)$ (an inequality! equality is the exception);
# 3. it is definite: $f(x)\ge0$ always, and $f(x)=0$ for $x=0$ alone.
#
# No program can try all vectors. But one can try some, and a single counter-example is enough to say no.


# %%
def p_norm(x: np.ndarray, p: float) -> float:
    """Give the p-norm of a vector; p ≥ 1, and p may be np.inf.

    x: d numbers, of either sign.
    """
    ### BEGIN SOLUTION
    sizes = np.abs(np.asarray(x, dtype=float))
    return float(sizes.max() if p == np.inf else (sizes**p).sum() ** (1 / p))
    ### END SOLUTION


def norm_axioms(f, vectors: np.ndarray, numbers: np.ndarray) -> dict[str, bool]:
    """Tell which axioms of a norm hold for f on these examples, up to rounding.

    f: a function from a vector of d numbers to a number.
    vectors: m×d, none of them 0.  numbers: the α to try; some are negative.
    Returns {"homogeneous": …, "triangle": …, "definite": …}, each True or False:
    homogeneous, whether f passes with every vector and every α; triangle, with every pair
    of vectors, a vector with itself included; definite, with every vector and with the
    vector 0, which is tried here alone. Let ε be 1e-9 times the largest |f(x)| of the
    vectors: a difference of at most ε is rounding, a value between −ε and ε counts as 0.
    """
    ### BEGIN SOLUTION
    rounding = 1e-9 * max(abs(f(x)) for x in vectors)
    scaled = [abs(f(a * x) - abs(a) * f(x)) for a in numbers for x in vectors]
    longer = [f(x + z) - f(x) - f(z) for x in vectors for z in vectors]
    at_zero = abs(f(np.zeros(vectors.shape[1])))
    return {
        "homogeneous": bool(max(scaled) <= rounding),
        "triangle": bool(max(longer) <= rounding),
        "definite": bool(min(f(x) for x in vectors) > rounding and at_zero <= rounding),
    }
    ### END SOLUTION


# %%
check("norms")

# %% [markdown]
# ## Extra: a proof to put in order
#
# The ridge objective is convex, so one may walk downhill without fear: **a local minimum of a convex function is a global
# one.** Convex means $J((1-t)u+tv)\le(1-t)J(u)+tJ(v)$ for all $u$, $v$ and $0\le t\le1$; nothing is said of derivatives. A
# *local* minimum $u$ has a radius $r>0$ with $J(w)\ge J(u)$ for all $w$ with $\lVert w-u\rVert<r$.
#
# Here are the lines of a proof, shuffled, and among them some that are false, or do not follow, or are not needed. Find
# those that make a proof by contradiction, each used once, and put them in an order in which each line follows from
# those before it. Where several orders are right, any of them is.
#
# - `"A"`: Hence $J(w_t)<J(u)$ for every $0<t\le1$.
# - `"B"`: For $0<t\le1$ let $w_t=(1-t)u+tv$.
# - `"C"`: Since $u$ is a local minimum, the gradient of $J$ at $u$ is 0.
# - `"D"`: So $\lVert w_t-u\rVert<r$ as soon as $t<r/\lVert v-u\rVert$.
# - `"E"`: Suppose that the local minimum $u$ is not global: there is a $v$ with $J(v)<J(u)$.
# - `"F"`: Convexity says $J(w_t)\ge(1-t)J(u)+tJ(v)$.
# - `"G"`: But for $\lVert w_t-u\rVert<r$ also $J(w_t)\ge J(u)$, because $u$ is a local minimum: a contradiction.
# - `"H"`: Convexity says $J(w_t)\le(1-t)J(u)+tJ(v)$.
# - `"I"`: The distance of $w_t$ from $u$ is $\lVert w_t-u\rVert=t\,\lVert v-u\rVert$.
# - `"K"`: So $J(w_t)<J(u)$ for $t=1$ alone.


# %%
def convex_proof() -> list[str]:
    """Give the letters of the lines of the proof, in order, as in ["A", "B"]."""
    ### BEGIN SOLUTION
    return ["E", "B", "H", "A", "I", "D", "G"]
    ### END SOLUTION


# %%
check("proof")

# %% [markdown]
# ## What is next
#
# Everything here was linear in the weights, and so everything had a formula. The next assignment gives that up. A
# network bends between its layers, its landscape is no bowl, and no system of equations gives its weights: what stays
# is the gradient, and a step against it. But when you meet weight decay there, you will know which directions it
# quiets, by how much, and what it costs.
