"""The public checks of algorithms."""

from redink.checks import check, printed, raised


@check("sort", returns="result a")
def sorts_in_place(rng, trial):
    """The list itself is sorted, and nothing is returned."""
    return dict(a=rng.integers(-9, 10, size=4 if trial == 0 else 25).tolist())


@sorts_in_place.when
def _(student, a):
    return student.insertion_sort(a), a


@check("repeated")
def finds_what_comes_twice(rng, trial):
    """Exactly the words that come more than once."""
    words = ["fig", "date", "plum", "kiwi", "pear", "lime"]
    return dict(words=rng.choice(words[: 4 + trial], size=5 + 2 * trial).tolist())


@check("amount")
def reads_an_amount_exactly(rng, trial):
    """An amount is a Decimal with exactly the digits that were written."""
    return dict(text=f"{rng.integers(1, 900)}.{rng.integers(10, 99)} EUR")


@check("amount", trials=1)
def refuses_what_is_no_amount():
    """What is no amount raises a ValueError, and what is one does not."""
    return dict(texts=["EUR 3", "3.5", "three EUR", ""], good=["0.10 EUR", "3.00 EUR"])


@refuses_what_is_no_amount.when
def _(student, texts, good):
    return [raised(ValueError, student.amount, text) for text in (*texts, *good)]


@check("triangle")
def prints_one_star_more_in_each_line(rng, trial):
    """Line k has k stars."""
    return dict(n=int(trial + 2))


@prints_one_star_more_in_each_line.when
def _(student, n):
    return printed(student.print_triangle, n)


@check("corners", tuples=True)
def corners_are_tuples(rng, trial):
    """The lowest and the highest corner, a tuple each."""
    return dict(points=[tuple(p) for p in rng.integers(-9, 10, size=(3 + trial, 2)).tolist()])
