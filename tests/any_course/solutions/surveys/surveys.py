# %% [markdown]
# # A survey
#
# Somebody asked questions, and not everybody answered.

# %%
import datetime

import pandas as pd
from reading import read_survey

from redink import check

survey = read_survey()

# %% [markdown]
# ## Keep what was answered


# %%
def answered(survey: pd.DataFrame) -> pd.DataFrame:
    """Return the rows that have a score."""
    ### BEGIN SOLUTION
    return survey[survey["score"].notna()]
    ### END SOLUTION


# %%
check("answered")

# %% [markdown]
# ## One row for each group


# %%
def by_group(survey: pd.DataFrame) -> pd.DataFrame:
    """Return a frame with the groups as its index and the columns `count` and `mean`."""
    ### BEGIN SOLUTION
    return survey.groupby("group")["score"].agg(["count", "mean"])
    ### END SOLUTION


# %%
check("by_group")

# %% [markdown]
# ## Shares of the answers


# %%
def shares(survey: pd.DataFrame) -> pd.Series:
    """Return the share of each group, as a Series in alphabetical order."""
    ### BEGIN SOLUTION
    return survey["group"].value_counts(normalize=True).sort_index()
    ### END SOLUTION


# %%
check("shares")

# %% [markdown]
# ## The first day


# %%
def first_day(survey: pd.DataFrame) -> datetime.date:
    """Return the first day as a `datetime.date`."""
    ### BEGIN SOLUTION
    return survey["day"].min().date()
    ### END SOLUTION


# %%
check("first_day")

# %% [markdown]
# ## What it means
#
# `silence`: is it `"random"` or `"telling"` who does not answer? `half_width`: by which factor does an interval change
# with four times as many answers?

# %%
concept_answers = {
    "silence": None,
    "half_width": None,
}
### BEGIN SOLUTION
concept_answers.update(silence="telling", half_width=0.5)
### END SOLUTION

# %%
check("concepts")
