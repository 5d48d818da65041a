"""Made-up assignments of nbgrader and otter-grader, as their authors would write them, with right and wrong answers."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

Made = dict[str, Any]  # a cell of a notebook's file


class Foreign(NamedTuple):
    """One assignment: its cells, wrong submissions as edits of its answers, and what nobody can convert."""

    name: str
    cells: Sequence[Made]
    wrong: Mapping[str, tuple[str, str]]  # what stands in the solution, and what this student wrote instead
    left: Sequence[str]  # a word of each thing that is left to a person
    points: float  # that are converted

    def write(self, folder: Path) -> Path:
        return write_document(folder / f"{self.name}.ipynb", self.cells)


def write_document(path: Path, cells: Sequence[Made]) -> Path:
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    numbered = [{**cell, "id": f"cell-{place}"} for place, cell in enumerate(cells)]
    document = {"cells": numbered, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def prose(source: str, **metadata: Any) -> Made:
    return {"cell_type": "markdown", "metadata": metadata, "source": source}


def raw(source: str) -> Made:
    return {"cell_type": "raw", "metadata": {}, "source": source}


def code(source: str, printed: str = "", **metadata: Any) -> Made:
    shown = {"output_type": "execute_result", "execution_count": 1, "metadata": {}, "data": {"text/plain": printed}}
    outputs = [shown] if printed else []
    return {"cell_type": "code", "metadata": metadata, "execution_count": None, "outputs": outputs, "source": source}


def _marks(grade_id: str, **kind: Any) -> Made:
    plain = {"schema_version": 3, "grade": False, "solution": False, "locked": False, "task": False}
    return {**plain, "grade_id": grade_id, **kind}


def answer(grade_id: str, source: str) -> Made:
    return code(source, nbgrader=_marks(grade_id, solution=True))


def test_cell(grade_id: str, points: float, source: str) -> Made:
    return code(source, nbgrader=_marks(grade_id, grade=True, locked=True, points=points))


test_cell.__test__ = False  # type: ignore[attr-defined] # pytest would take it for a test


def written(grade_id: str, points: float, source: str) -> Made:
    return prose(source, nbgrader=_marks(grade_id, grade=True, solution=True, points=points))


VECTORS = Foreign(
    "vectors",
    [
        prose("# Vectors\n\nTwo functions on vectors."),
        code("import numpy as np"),
        prose("## Length\n\nReturn the length of a vector."),
        answer(
            "length", "def length(x):\n    ### BEGIN SOLUTION\n    return np.sqrt(np.sum(x * x))\n    ### END SOLUTION"
        ),
        test_cell(
            "length_test",
            2,
            '"""The length of some vectors."""\n'
            "x = np.array([3.0, 4.0])\n"
            "assert np.allclose(length(x), 5.0)\n"
            "x = np.array([1.0, 2.0, 2.0])\n"
            'assert length(x) == 3.0, "three sides"\n'
            "### BEGIN HIDDEN TESTS\n"
            "for n in range(1, 5):\n"
            "    np.testing.assert_allclose(length(np.ones(n)), n**0.5)\n"
            "### END HIDDEN TESTS",
        ),
        prose("## Direction\n\nReturn the vector of length 1 in the same direction."),
        answer(
            "direction",
            "def direction(x):\n    ### BEGIN SOLUTION\n    return x / np.sqrt(np.sum(x * x))\n    ### END SOLUTION\n",
        ),
        test_cell(
            "direction_test",
            3,
            "u = direction(np.array([0.0, -2.0]))\n"
            "assert isinstance(u, np.ndarray)\n"
            "assert u.shape == (2,)\n"
            "assert abs(u[1] + 1) < 1e-6 and abs(u[0]) < 1e-6",
        ),
        test_cell("direction_rows", 1, "assert (direction(np.array([3.0, 4.0])) == np.array([0.6, 0.8])).all()"),
    ],
    {
        "adds_up": ("np.sqrt(np.sum(x * x))\n    ### END SOLUTION", "np.sum(x)\n    ### END SOLUTION"),
        "only_two": ("return np.sqrt(np.sum(x * x))", "return np.sqrt(np.sum(x[:3] * x[:3]))"),
        "returns_a_list": ("return x / np.sqrt(np.sum(x * x))", "return list(x / np.sqrt(np.sum(x * x)))"),
        "wrong_way": ("return x / np.sqrt(np.sum(x * x))", "return -x / np.sqrt(np.sum(x * x))"),
        "does_not_run": ("return x / np.sqrt(np.sum(x * x))", "return x / nothing"),
    },
    [],
    6,
)

COUNTING = Foreign(
    "counting",
    [
        prose("# Counting"),
        answer(
            "factorial",
            "def factorial(n):\n"
            "    ### BEGIN SOLUTION\n"
            "    if n < 0:\n"
            '        raise ValueError("n must not be negative")\n'
            "    return 1 if n == 0 else n * factorial(n - 1)\n"
            "    ### END SOLUTION",
        ),
        test_cell(
            "factorial_partial",
            4,
            "points = 0\n"
            "if factorial(3) == 6:\n"
            "    points += 1\n"
            "if factorial(5) == 120:\n"
            "    points += 1\n"
            "### BEGIN HIDDEN TESTS\n"
            "try:\n"
            "    assert factorial(10) == 3628800\n"
            "    points += 2\n"
            "except AssertionError:\n"
            "    pass\n"
            "### END HIDDEN TESTS\n"
            "points",
        ),
        test_cell(
            "factorial_raises",
            1,
            "try:\n    factorial(-1)\nexcept ValueError:\n    pass\nelse:\n    raise AssertionError('no error')",
        ),
        test_cell(
            "factorial_recursive",
            2,
            "old = factorial\n"
            "del factorial\n"
            "try:\n    old(3)\nexcept NameError:\n    pass\nfinally:\n    factorial = old",
        ),
        answer("digits", "### BEGIN SOLUTION\ndef digits(n):\n    return [int(c) for c in str(n)]\n### END SOLUTION"),
        test_cell(
            "digits_hidden",
            3,
            "### BEGIN HIDDEN TESTS\n"
            "assert digits(407) == [4, 0, 7]\n"
            "assert sum(digits(99)) == 18\n"
            "assert len(digits(12345)) == 5\n"
            "### END HIDDEN TESTS",
        ),
        test_cell("digits_type", 1, "assert isinstance(digits(5), list)"),
    ],
    {
        "forgets_to_raise": ("if n < 0:", "if n < -100:"),
        "knows_small_ones": ("return 1 if n == 0 else n * factorial(n - 1)", "return {3: 6, 5: 120}.get(n, 0)"),
        "knows_one": ("return 1 if n == 0 else n * factorial(n - 1)", "return 6"),
        "backwards": ("return [int(c) for c in str(n)]", "return [int(c) for c in str(n)][::-1]"),
        "strings": ("return [int(c) for c in str(n)]", "return list(str(n))"),
    },
    ["factorial_recursive"],
    9,
)

ESSAYS = Foreign(
    "essays",
    [
        prose("# Accounts and essays"),
        code("start = 100"),
        answer(
            "account",
            "class Account:\n"
            "    def __init__(self, balance):\n"
            "        self.balance = balance\n\n"
            "    def deposit(self, amount):\n"
            "        self.balance += amount\n"
            "        return self.balance",
        ),
        test_cell(
            "account_test",
            2,
            "a = Account(start)\n"
            "assert a.deposit(5) == 105\n"
            "a.deposit(-20)\n"
            "assert a.balance == 85\n"
            "b = Account(1)\n"
            "assert [b.deposit(n) for n in (1, 2)] == [2, 4]",
        ),
        answer("best", "### BEGIN SOLUTION\nbest = max([3, 8, 5])\n### END SOLUTION"),
        test_cell("best_test", 1.5, "assert best == 8"),
        written("why", 2, "Because money is kept."),
        code("print('my own program')", nbgrader=_marks("program", grade=True, solution=True, points=3)),
        prose(
            "Draw a picture.\n\n### BEGIN MARK SCHEME\nIt has colours.\n### END MARK SCHEME",
            nbgrader=_marks("picture", locked=True, task=True, points=1),
        ),
    ],
    {
        "forgets": ("self.balance += amount", "self.balance = amount"),
        "returns_nothing": ("        return self.balance", "        pass"),
        "worst": ("best = max([3, 8, 5])", "best = min([3, 8, 5])"),
    },
    ["why", "program", "picture"],
    3.5,
)

OK_STYLE = Foreign(
    "areas",
    [
        raw("# ASSIGNMENT CONFIG\nname: areas\ngenerate: true\nexport_cell: false\nrun_tests: false"),
        prose("# Areas"),
        code("import numpy as np"),
        raw("# BEGIN QUESTION\nname: q1\npoints: 3"),
        prose("## A square\n\nReturn the area of a square."),
        raw("# BEGIN SOLUTION"),
        code("def square(side):\n    area = side * side # SOLUTION\n    return area # SOLUTION"),
        raw("# END SOLUTION"),
        raw("# BEGIN TESTS"),
        code("square(3)", "9"),
        code("np.isclose(square(0.5), 0.25)", "np.True_"),
        code("# HIDDEN\nsquare(12) == 144", "True"),
        raw("# END TESTS"),
        raw("# END QUESTION"),
        raw("# BEGIN QUESTION\nname: q2"),
        raw("# BEGIN SOLUTION"),
        code("width, height = 3, 4\nbox = width * height # SOLUTION"),
        raw("# END SOLUTION"),
        raw("# BEGIN TESTS"),
        code("assert box == 12"),
        code('""" # BEGIN TEST CONFIG\nhidden: true\n""" # END TEST CONFIG\nbox % 5', "2"),
        raw("# END TESTS"),
        raw("# END QUESTION"),
        raw("# BEGIN QUESTION\nname: q3\nmanual: true\npoints: 5"),
        prose("## Why?"),
        raw("# BEGIN SOLUTION"),
        prose("Because of Pythagoras."),
        raw("# END SOLUTION"),
        raw("# END QUESTION"),
        raw("# BEGIN QUESTION\nname: q4\npoints: 2"),
        raw("# BEGIN SOLUTION"),
        code("def corners(n):\n    # BEGIN SOLUTION\n    return set(range(n))\n    # END SOLUTION"),
        raw("# END SOLUTION"),
        raw("# BEGIN TESTS"),
        code("sorted(corners(3))", "[0, 1, 2]"),
        code("print(len(corners(2)), 'corners')", "2 corners"),
        raw("# END TESTS"),
        raw("# END QUESTION"),
    ],
    {
        "doubles": ("area = side * side", "area = 2 * side"),
        "wrong_far_away": ("return area # SOLUTION", "return area if side < 10 else 0"),
        "adds": ("box = width * height", "box = width + height"),
        "seven": ("box = width * height", "box = 7"),
    },
    ["q3", "q3", "q4"],
    5,
)

EXCEPTION_STYLE = Foreign(
    "words",
    [
        raw(
            "# ASSIGNMENT CONFIG\nname: words\ngenerate: true\nexport_cell: false\nrun_tests: false\n"
            "tests:\n  ok_format: false"
        ),
        prose("# Words"),
        raw("# BEGIN QUESTION\nname: q1\npoints: 4\nall_or_nothing: true"),
        raw("# BEGIN SOLUTION"),
        code("def vowels(word):\n    # BEGIN SOLUTION\n    return sum(c in 'aeiou' for c in word)\n    # END SOLUTION"),
        raw("# END SOLUTION"),
        raw("# BEGIN TESTS"),
        code("def test_public(vowels):\n    assert vowels('otter') == 2\n    assert vowels('') == 0"),
        code(
            "# HIDDEN\ndef test_hidden(env):\n    for word, n in [('sky', 0), ('queue', 4)]:\n"
            "        assert env['vowels'](word) == n"
        ),
        raw("# END TESTS"),
        raw("# END QUESTION"),
        raw("# BEGIN QUESTION\nname: q2\npoints: [1, 2, 3]"),
        raw("# BEGIN SOLUTION"),
        code(
            "# BEGIN SOLUTION NO PROMPT\n"
            "def longest(words):\n    if not words:\n        raise ValueError('no words')\n    return max(words, key=len)\n"
            "# END SOLUTION\n"
            '""" # BEGIN PROMPT\ndef longest(words):\n    ...\n"""; # END PROMPT'
        ),
        raw("# END SOLUTION"),
        raw("# BEGIN TESTS"),
        code("def test_one(longest):\n    assert longest(['a', 'bcd', 'ef']) == 'bcd'\n\ntest_one(longest)"),
        code(
            '""" # BEGIN TEST CONFIG\nhidden: true\nfailure_message: ties\n""" # END TEST CONFIG\n'
            "def test_ties(longest):\n    words = ['ab', 'cd']\n    assert longest(words) == 'ab', 'the first of them'"
        ),
        code(
            "def test_none(longest):\n    try:\n        longest([])\n        assert False, 'no error'\n"
            "    except ValueError:\n        pass"
        ),
        raw("# END TESTS"),
        raw("# END QUESTION"),
    ],
    {
        "misses_u": ("'aeiou'", "'aeio'"),
        "misses_o": ("'aeiou'", "'aeiu'"),
        "takes_the_last": ("return max(words, key=len)", "return max(reversed(words), key=len)"),
        "returns_none": ("raise ValueError('no words')", "return None"),
        "raises_another": ("raise ValueError('no words')", "raise KeyError('no words')"),
    },
    [],
    10,
)

OF_NBGRADER = {one.name: one for one in (VECTORS, COUNTING, ESSAYS)}
OF_OTTER = {one.name: one for one in (OK_STYLE, EXCEPTION_STYLE)}
