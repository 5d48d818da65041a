# %% [markdown]
# # Algorithms

# %%
from decimal import Decimal

from redink import check

# %% [markdown]
# ## Sort in place


# %%
def insertion_sort(a: list[int]) -> None:
    """Sort the list itself; return nothing."""
    ### BEGIN SOLUTION
    for i in range(1, len(a)):
        j = i
        while j > 0 and a[j - 1] > a[j]:
            a[j - 1], a[j] = a[j], a[j - 1]
            j -= 1
    ### END SOLUTION


# %%
check("sort")

# %% [markdown]
# ## What comes twice


# %%
def repeated(words: list[str]) -> set[str]:
    """Return the words that come more than once."""
    ### BEGIN SOLUTION
    return {word for word in words if words.count(word) > 1}
    ### END SOLUTION


# %%
check("repeated")

# %% [markdown]
# ## Read an amount of money


# %%
def amount(text: str) -> Decimal:
    """Read "12.50 EUR" exactly; raise a ValueError for anything else."""
    ### BEGIN SOLUTION
    number, _, unit = text.partition(" ")
    if unit != "EUR" or not number.replace(".", "", 1).isdigit():
        raise ValueError(f"no amount: {text}")
    return Decimal(number)
    ### END SOLUTION


# %%
check("amount")

# %% [markdown]
# ## Print a triangle


# %%
def print_triangle(n: int) -> None:
    """Print n lines of stars."""
    ### BEGIN SOLUTION
    for k in range(1, n + 1):
        print("*" * k)
    ### END SOLUTION


# %%
check("triangle")

# %% [markdown]
# ## The corners of a box


# %%
def corners(points: list[tuple[int, int]]) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return the lowest and the highest corner of the box around all points."""
    ### BEGIN SOLUTION
    xs, ys = zip(*points, strict=True)
    return (min(xs), min(ys)), (max(xs), max(ys))
    ### END SOLUTION


# %%
check("corners")
