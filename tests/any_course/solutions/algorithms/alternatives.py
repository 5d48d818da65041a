"""Right answers, written another way."""

from redink.checks import alternative


@alternative("selects_the_smallest", "sort")
def insertion_sort(a):
    for i in range(len(a)):
        j = min(range(i, len(a)), key=a.__getitem__)
        a[i], a[j] = a[j], a[i]


@alternative("remembers_what_was_seen", "repeated")
def repeated(words):
    seen, twice = set(), set()
    for word in words:
        (twice if word in seen else seen).add(word)
    return frozenset(twice)


@alternative("lets_another_function_raise", "amount")
def amount(text):
    number, unit = text.split(" ")
    if unit != "EUR" or float(number) < 0:
        raise ValueError
    return Decimal(number)


@alternative("prints_at_once", "triangle")
def print_triangle(n):
    print("\n".join("*" * k + " " for k in range(1, n + 1)), end="")


@alternative("sorts_each_axis", "corners")
def corners(points):
    axes = [sorted(axis) for axis in zip(*points)]
    return tuple(axis[0] for axis in axes), tuple(axis[-1] for axis in axes)
