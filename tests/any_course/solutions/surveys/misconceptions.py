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
misconception(
    "takes_silence_for_chance",
    "concepts",
    hint="silence: would those who liked nothing answer as often as the others?",
    old='silence="telling"',
    new='silence="random"',
)
misconception(
    "divides_by_four",
    "concepts",
    hint="half_width: does the number of answers stand under a root?",
    old="half_width=0.5",
    new="half_width=0.25",
)
misconception(
    "writes_a_number_in_words",
    "concepts",
    hint="half_width asks for a number.",
    old="half_width=0.5",
    new='half_width="half"',
)
