"""Right answers, written another way."""

from redink.checks import alternative


@alternative("drops_missing_scores", "answered")
def answered(survey):
    return survey.dropna(subset=["score"])


@alternative("loops_over_groups", "by_group")
def by_group(survey):
    names = sorted(set(survey["group"]))
    scores = [survey.loc[survey["group"] == name, "score"] for name in names]
    return pd.DataFrame({"mean": [s.sum() / len(s) for s in scores], "count": [len(s) for s in scores]}, index=names)


@alternative("divides_counts", "shares")
def shares(survey):
    return survey.groupby("group").size() / len(survey)


@alternative("sorts_the_days", "first_day")
def first_day(survey):
    return sorted(survey["day"])[0].to_pydatetime().date()


alternative("shouts", "concepts", old='"telling"', new='" TELLING"')
