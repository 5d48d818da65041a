"""Wrong answers, each with the hint a teacher would give."""

from redink.checks import misconception

misconception(
    "sorts_downwards",
    "sort",
    hint="Which of two neighbours should come first?",
    old="a[j - 1] > a[j]",
    new="a[j - 1] < a[j]",
)
misconception(
    "takes_all_words",
    "repeated",
    hint="Does a word that comes once belong to it?",
    old="words.count(word) > 1",
    new="words.count(word) > 0",
)
misconception(
    "goes_through_a_float",
    "amount",
    hint="Which decimal number is nearest to 0.1 in binary?",
    old="return Decimal(number)",
    new="return Decimal(float(number))",
)
misconception(
    "accepts_any_unit",
    "amount",
    hint="What should happen when the unit is missing?",
    old='unit != "EUR" or not',
    new="not",
)
misconception(
    "starts_with_an_empty_line",
    "triangle",
    hint="How many stars has the first line?",
    old="range(1, n + 1)",
    new="range(n)",
)
misconception(
    "returns_lists",
    "corners",
    hint="What is the difference between [1, 2] and (1, 2)?",
    old="return (min(xs), min(ys)), (max(xs), max(ys))",
    new="return [min(xs), min(ys)], [max(xs), max(ys)]",
)
