"""Wrong answers, each with the hint a teacher would give."""

from redink.checks import misconception

misconception(
    "fills_gaps_with_zero",
    "answered",
    hint="Is somebody who did not answer the same as somebody who answered 0?",
    old='survey[survey["score"].notna()]',
    new="survey.fillna({'score': 0.0})",
)
misconception(
    "sums_the_scores",
    "by_group",
    hint="A large group has a large sum: what makes groups of different sizes comparable?",
    old='.agg(["count", "mean"])',
    new='.agg(["count", "sum"]).rename(columns={"sum": "mean"})',
)
misconception(
    "counts_instead_of_shares",
    "shares",
    hint="What must all shares add up to?",
    old="normalize=True",
    new="normalize=False",
)
misconception(
    "takes_the_first_row",
    "first_day",
    hint="Are the rows in the order of their days?",
    old='survey["day"].min().date()',
    new='survey["day"].iloc[0].date()',
)
