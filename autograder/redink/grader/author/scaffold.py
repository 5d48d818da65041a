"""`redink new`: a tiny assignment that is complete and correct, to be changed step by step."""

from __future__ import annotations

import re
from pathlib import Path

from redink.errors import CourseError
from redink.grader.course import Course

_TOML = """title = "{title}"
slug = "{slug}"
order = {order}
minutes = 20

[[questions]]
id = "centre"
title = "Centre the data"
tier = "core"
points = 100
minutes = 20
asks = ["centre"]
"""

_CHECKS = '''"""The public checks of {slug}."""

from redink.checks import check


@check("centre")
def subtracts_the_mean_of_each_column(rng, trial):
    """Each column of the result has mean 0; the distances within a column stay."""
    n, d = (2, 3) if trial == 0 else (5 + trial, 4)
    return dict(X=rng.integers(-9, 10, size=(n, d)).astype(float))
'''

_HIDDEN = '''"""The hidden checks of {slug}."""

from redink.checks import check, close


@check("centre")
def ignores_a_shift(rng, trial):
    """Adding the same row to every example changes nothing."""
    n, d = (2, 3) if trial == 0 else (7 + trial, 4)
    return dict(X=rng.normal(size=(n, d)), shift=rng.normal(size=d) + 3.0)


@ignores_a_shift.when
def _(student, X, shift):
    return student.centre(X), student.centre(X + shift)


@ignores_a_shift.then
def _(seen, X):
    close(seen[0], X - X.mean(axis=0))
    close(seen[1], X - X.mean(axis=0))
'''

_MASTER = '''# %% [markdown]
# # {title}
#
# Say here, in a page, what this is about and why it matters.

# %%
import numpy as np

from redink import check

# %% [markdown]
# ## Centre the data
#
# Subtract from every column of $X$ its mean, so that the columns of the result have mean $0$.


# %%
def centre(X: np.ndarray) -> np.ndarray:
    """Subtract the mean of each column: X (n, d) gives (n, d)."""
    ### BEGIN SOLUTION
    return X - X.mean(axis=0)
    ### END SOLUTION


# %%
check("centre")
'''

_MISCONCEPTIONS = '''"""Wrong answers to {slug}, each with the hint a teacher would give."""

from redink.checks import misconception

misconception(
    "takes_the_mean_over_rows",
    "centre",
    hint="Which axis runs over the examples, and which over the features?",
    old="X.mean(axis=0)",
    new="X.mean(axis=1, keepdims=True)",
)
'''

_ALTERNATIVES = '''"""Right answers to {slug}, written another way."""

from redink.checks import alternative


@alternative("loops_over_columns", "centre")
def centre(X):
    columns = []
    for j in range(X.shape[1]):
        columns.append(X[:, j] - sum(X[:, j]) / len(X))
    return np.stack(columns, axis=1)
'''


def scaffold(course: Course, slug: str) -> list[Path]:
    """Write the two folders of a new assignment."""
    if not re.fullmatch(r"[a-z][a-z0-9_]*", slug):
        raise CourseError(f"{slug!r} cannot be a slug: small letters, digits and _ only, a letter first")
    folder, solution = course.assignments / slug, course.solutions / slug
    for taken in (folder, solution):
        if taken.exists():
            raise CourseError(f"{taken} exists already; choose another slug")
    files = {
        folder / "assignment.toml": _TOML,
        folder / "checks.py": _CHECKS,
        solution / f"{slug}.py": _MASTER,
        solution / "hidden_checks.py": _HIDDEN,
        solution / "misconceptions.py": _MISCONCEPTIONS,
        solution / "alternatives.py": _ALTERNATIVES,
    }
    title = slug.replace("_", " ").capitalize()
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.format(slug=slug, title=title, order=len(course.slugs()) + 1), encoding="utf-8")
    return list(files)
