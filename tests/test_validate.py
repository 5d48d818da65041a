# ruff: noqa: E501 - a table of slips reads best with one on a line
"""An author's slips are told before anything runs: what, where, and what to do."""

import contextlib
import importlib.util
from pathlib import Path

import pytest

from redink.assignment.spec import Question, Spec
from redink.errors import AuthorError
from redink.grader.assignment.forbidden_names import refuse_unknown_forbids
from redink.grader.author.build import build
from redink.grader.course import Course
from redink.grader.workers.workers import workers_for

CHECKS, MASTER = "assignments/tiny/checks.py", "solutions/tiny/tiny.py"
WRONG, TOML = "solutions/tiny/misconceptions.py", "assignments/tiny/assignment.toml"
GIVEN = "    return dict(X=rng.integers(-9, 10, size=(n, d)).astype(float))"

HIDDEN = "solutions/tiny/hidden_checks.py"
AGAIN = '\n\n\n@check("centre")\ndef subtracts_the_mean_of_each_column(rng):\n    """Again."""\n    return dict(X=rng.normal(size=(2, 3)))'
ITEM = '\n\n@concept("centre")\ndef colour():\n    """Which."""\n'
THEN = "\n\n\n@subtracts_the_mean_of_each_column.then\ndef _(seen):\n    {}"
MEDIAN = 'misconception("takes_the_mean_over_rows", "centre", hint="?", old="X.mean(axis=0)", new="np.median(X)")\n'

SLIPS = {
    "a generator among the inputs": (CHECKS, GIVEN, "    return dict(X=rng)", r"a Generator, which is not plain data .*; make a seed an input, and np\.random\.default_rng"),
    "a helper of ours that is not imported": (CHECKS, GIVEN, GIVEN + "\n\n\n@subtracts_the_mean_of_each_column.when\ndef _(student, X):\n    return raised(ValueError, student.centre, X)", "write `from redink.checks import raised`"),
    "a given that raises in a later trial": (CHECKS, GIVEN, "    return dict(X=[1.0, 2.0][trial])", "IndexError: .*, in trial 2"),
    "two lines that do not fit": (MASTER, "import numpy as np", "import numpy as np\n" + "x = 1  # " + 90 * "x" + "\n" + "y = 1  # " + 90 * "x", r"x… \(so have the lines \d+\)"),
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
    "a when that returns what is not plain": (CHECKS, GIVEN, GIVEN + '\n\n\n@subtracts_the_mean_of_each_column.when\ndef _(student, X):\n    return iter(X)', "returns a iterator; return plain data"),
    "a then that stumbles": (CHECKS, GIVEN, GIVEN + "\n\n\n@subtracts_the_mean_of_each_column.then\ndef _(seen):\n    seen[99]", r"its then raised IndexError.*checks\.py, line 15\) on the reference's answer"),
    "a then that names what there is not": (CHECKS, GIVEN, GIVEN + "\n\n\n@subtracts_the_mean_of_each_column.then\ndef _(seen, Y):\n    pass", "its then names Y; it may name X, seen"),
    "a check that is there twice": (CHECKS, GIVEN, GIVEN + AGAIN, r"checks\.py: lines 6 and 13 both define the check subtracts_the_mean_of_each_column, and the second would replace"),
    "a helper that is there twice": (CHECKS, GIVEN, GIVEN + "\n\n\ndef size():\n    return 1" * 2, r"lines 13 and 17 both define the function size"),
    "a concept item that is there twice": (HIDDEN, "from redink.checks import check, close", "from redink.checks import check, close, concept\n" + ITEM * 2, r"hidden_checks\.py: lines 6 and 11 both define the check colour"),
    "a check without a name": (CHECKS, GIVEN, GIVEN + '\n\n\n@check("centre")\ndef _(rng):\n    return dict()', "a check of centre is called _"),
    "a then for another check": (CHECKS, GIVEN, GIVEN + THEN.format("pass") * 2, r"has a then already \(checks\.py, line 13\); is the second one meant for another check"),
    "a weight below 0": (CHECKS, '@check("centre")', '@check("centre", weight=-0.5)', r"has weight=-0\.5; a weight is a number from 0"),
    "a weight that is no number": (CHECKS, '@check("centre")', '@check("centre", weight="2")', "has weight='2'; a weight"),
    "an endless weight": (CHECKS, '@check("centre")', '@check("centre", weight=float("inf"))', "has weight=inf; a weight"),
    "a tolerance of 0": (CHECKS, '@check("centre")', '@check("centre", tol=0)', "has tol=0; a tolerance is from 1e-12, what rounding leaves, to below 1"),
    "a tolerance below rounding": (CHECKS, '@check("centre")', '@check("centre", tol=1e-17)', "has tol=1e-17; a tolerance"),
    "a tolerance below 0": (CHECKS, '@check("centre")', '@check("centre", tol=-1)', "has tol=-1; a tolerance"),
    "a tolerance that is not a number": (CHECKS, '@check("centre")', '@check("centre", tol=float("nan"))', "has tol=nan; a tolerance"),
    "a tolerance for anything": (CHECKS, '@check("centre")', '@check("centre", tol=1)', "has tol=1; a tolerance"),
    "a tolerance of 0 in a then": (CHECKS, GIVEN, GIVEN + THEN.format("from redink.checks import close\n    close(seen, seen, tol=0)"), "its then calls close with tol=0; a tolerance"),
    "no trials": (CHECKS, '@check("centre")', '@check("centre", trials=0)', "has trials=0; it needs a whole number from 1"),
    "half a trial": (CHECKS, '@check("centre")', '@check("centre", trials=1.5)', r"has trials=1\.5; it needs"),
    "a misspelt Fail, which only wrong answers meet": (CHECKS, GIVEN, "    from redink.checks import Fail\n" + GIVEN + THEN.format("if seen.sum() > 99:\n        raise Fial('too much')"), r"checks\.py, line 17: Fial is not defined"),
    "a function that numpy has not": (CHECKS, GIVEN, GIVEN + "\n\n\nimport numpy as np" + THEN.format("if seen.sum() > 99:\n        np.alclose(seen, 0)"), r"checks\.py, line 19: numpy has no alclose; did you mean allclose\?"),
    "a misspelt name in a helper": (CHECKS, GIVEN, GIVEN + "\n\n\ndef size():\n    return sortd([])", r"checks\.py, line 14: sortd is not defined; did you mean sorted\?"),
    "a forbidden name that is misspelt": (TOML, 'asks = ["centre"]', 'asks = ["centre"]\nforbids = ["numpy.linalg.lstq"]', r"assignment\.toml: question centre forbids 'numpy\.linalg\.lstq', but numpy\.linalg has no lstq; did you mean lstsq\?"),
    "a forbidden name that is short": (TOML, 'asks = ["centre"]', 'asks = ["centre"]\nforbids = ["np.linalg.inv"]', r"there is no package 'np' here; write the full name"),
    "a forbidden builtin that is misspelt": (TOML, 'asks = ["centre"]', 'asks = ["centre"]\nforbids = ["sortd"]', "there is no package 'sortd' here"),
    "a forbidden attribute that nothing has": (TOML, 'asks = ["centre"]', 'asks = ["centre"]\nforbids = [".meen"]', r"has an attribute meen; did you mean mean\?"),
    "a data file that is not listed": (MASTER, "import numpy as np", "import numpy as np\n\nnotes = open('README.md').read()", r"the reference fails in cell 2: FileNotFoundError.*write data = \[\"README\.md\"\] in assignment\.toml"),
    "a data file that is not there": (TOML, "order = 1", 'order = 1\ndata = ["pts.csv"]', r"assignment\.toml: data names 'pts\.csv', which is not a file there"),
    "one name for two mistakes": (WRONG, "misconception(", MEDIAN + "misconception(", "takes_the_mean_over_rows is declared twice, with two hints.*two mistakes need two names"),
    "one name and one hint for two mistakes": (WRONG, "misconception(", MEDIAN.replace("?", "Which axis runs over the examples, and which over the features?") + "misconception(", "takes_the_mean_over_rows is declared 2 times, and all of them are edits of one notebook: if they are two"),
    "a line that does not fit": (MASTER, "import numpy as np", "import numpy as np\n" + "x = 1  # " + 90 * "x", r"tiny\.py, line \d+ \(cell 2\): the code has 99 characters; 92 fit"),
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


@pytest.mark.parametrize(
    ("name", "packages", "told"),
    [
        (".srot", (), "has an attribute srot; did you mean "), (".backward", (), ""), (".sort", (), ""),
        (".to_numpy", ("pandas",), ""), (".gruopby", ("pandas",), "did you mean groupby"),
    ],
)  # fmt: skip
def test_a_misspelt_attribute_is_told_where_torch_is_not_installed_too(monkeypatch, name, packages, told):
    installed = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda one: None if one == "torch" else installed(one))
    question = Question(id="q", title="Q", points=1, asks=("f",), forbids=(name,))
    spec = Spec(title="T", slug="t", questions=(question,), packages=packages)
    with pytest.raises(AuthorError, match=told) if told else contextlib.nullcontext():
        refuse_unknown_forbids(spec, Path("assignment.toml"))
