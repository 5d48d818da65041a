# ruff: noqa: E501 - a table of slips reads best with one on a line
"""An author's slips are told before anything runs: what, where, and what to do."""

import pytest

from redink.errors import AuthorError
from redink.grader.author.build import build
from redink.grader.course import Course
from redink.grader.workers.workers import workers_for

CHECKS, MASTER = "assignments/tiny/checks.py", "solutions/tiny/tiny.py"
WRONG, TOML = "solutions/tiny/misconceptions.py", "assignments/tiny/assignment.toml"
GIVEN = "    return dict(X=rng.integers(-9, 10, size=(n, d)).astype(float))"

SLIPS = {
    "a given that raises": (CHECKS, "rng.integers", "rng.integer", r"its given raised AttributeError.*checks\.py, line 10"),
    "a given that names what there is not": (CHECKS, "(rng, trial)", "(rng, seed, trial=0)", "its given names seed"),
    "a given without a return": (CHECKS, GIVEN, "    n + d", "returned nothing"),
    "a given that makes what cannot cross": (CHECKS, GIVEN, "    return dict(X=lambda: 0)", "X, a function, which is not plain data"),
    "a check without its question": (CHECKS, '@check("centre")', "@check", "not @check alone"),
    "a check of a question that is not there": (CHECKS, '@check("centre")', '@check("center")', r"checks\.py: check subtracts_.*'center'"),
    "a cell that checks a question that is not there": (MASTER, 'check("centre")', 'check("center")', r"cell 5: check\('center'\) names no"),
    "a solution without marks": (MASTER, "SOLUTION", "ANSWER", "has no solution marks"),
    "a master that is not Python": (MASTER, "return X -", "retrun X -", r"tiny\.py, cell 4, line 3: invalid syntax"),
    "a name that nobody defines": (TOML, 'asks = ["centre"]', 'asks = ["center"]', "asks for center, which the master does not define"),
    "an edit that is not Python": (WRONG, 'new="X.mean(', 'new="X.mean((', "takes_the_mean_over_rows: with its edit, cell 4"),
    "an edit that matches nothing": (WRONG, 'old="X.mean', 'old="Y.mean', "matches 0 times.*was the master changed"),
    "a misconception of a question that is not there": (WRONG, '"centre",', '"center",', "there is no question 'center'"),
    "a when that returns what is not plain": (CHECKS, GIVEN, GIVEN + '\n\n\n@subtracts_the_mean_of_each_column.when\ndef _(student, X):\n    return {1, 2}', "returns a set; return plain data"),
    "a then that stumbles": (CHECKS, GIVEN, GIVEN + "\n\n\n@subtracts_the_mean_of_each_column.then\ndef _(seen):\n    clos(seen)", r"its then raised NameError.*checks\.py, line 15"),
    "a then that names what there is not": (CHECKS, GIVEN, GIVEN + "\n\n\n@subtracts_the_mean_of_each_column.then\ndef _(seen, Y):\n    pass", "its then names Y; it may name X, seen"),
}  # fmt: skip


@pytest.mark.parametrize("slip", SLIPS)
def test_a_slip_is_told_in_one_sentence(tiny, slip):
    file, old, new, told = SLIPS[slip]
    text = (tiny.root / file).read_text()
    assert old in text
    (tiny.root / file).write_text(text.replace(old, new))
    course = Course(tiny.root)
    with pytest.raises(AuthorError, match=told) as complaint, workers_for(course, "tiny") as workers:
        build(course, "tiny", workers)
    assert "\n" not in str(complaint.value)
