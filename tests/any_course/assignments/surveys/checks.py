"""The public checks of the survey."""

import pandas as pd
from redink.checks import answers_have_form, check


def drawn(rng, trial):
    """Draw a survey; some did not answer."""
    n = 5 if trial == 0 else 30
    score = rng.integers(1, 8, size=n).astype(float)
    score[rng.choice(n, size=n // 4 + 1, replace=False)] = float("nan")
    group = rng.choice(["a", "b", "c"], size=n)
    day = pd.Timestamp("2024-03-01") + pd.to_timedelta(rng.integers(1, 60, size=n), unit="D")
    return pd.DataFrame({"day": day, "group": group, "score": score})


@check("answered")
def rows_without_a_score_are_gone(rng, trial):
    """Only the rows with a score are left, in their order and with their labels."""
    return dict(survey=drawn(rng, trial))


@check("by_group")
def each_group_has_its_row(rng, trial):
    """Each group has its number of answers, and their mean."""
    return dict(survey=drawn(rng, trial).dropna())


@check("shares")
def shares_add_up_to_one(rng, trial):
    """Each group has its share of the rows, with the groups in alphabetical order."""
    return dict(survey=drawn(rng, trial))


@check("first_day")
def the_first_day_is_a_date(rng, trial):
    """The first day of the survey, as a date."""
    return dict(survey=drawn(rng, trial))


the_answers_have_the_form_that_is_asked = answers_have_form("concepts", silence=("random", "telling"), half_width=float)
