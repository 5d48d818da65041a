"""The hidden checks of the survey."""

import pandas as pd
from redink.checks import check, concept


@check("by_group", trials=2)
def a_group_of_one_has_a_mean(rng, trial):
    """A group with a single answer has that answer as its mean."""
    score = rng.integers(1, 8, size=4 + trial).astype(float)
    groups = ["z", *rng.choice(["a", "b"], size=3 + trial)]
    return dict(survey=pd.DataFrame({"group": groups, "score": score}))


@concept("concepts")
def silence():
    """What it is that somebody does not answer."""


@concept("concepts")
def half_width():
    """How much narrower an interval becomes with four times as many answers."""
