"""The one reader of Python source: statements, definitions and names, whatever a cell holds."""

from __future__ import annotations

import ast

import pytest

from redink.source import (
    LONGEST,
    _without_magics,
    definitions,
    globals_of,
    is_python,
    is_too_long,
    parse,
    statements,
    syntax_error,
    without_decorators,
)

CELL = """import numpy as np
import torch.nn
%matplotlib inline
SCALE: float = 2.0

@np.vectorize
@staticmethod
def double(x):
    y = SCALE * x
    return y

async def wait(): ...
files = !ls \\
   -l
class Net(torch.nn.Module):
    def forward(self, x):
        return double(x)
a = b = 1
a.update(c=2)
double?
"""
UNREADABLE = ["def f(:", "(" * 5000, "fit = 1" + "+1" * 30000, "'\0'", "-" * 100000 + "1", "return\n  x"]


def test_definitions_have_their_kind_and_their_lines_also_beside_magics():
    assert [tuple(one) for one in definitions(CELL)] == [
        ("SCALE", "value", 4, 4),
        ("double", "function", 6, 10),
        ("wait", "function", 12, 12),
        ("Net", "class", 15, 17),
        ("a", "value", 18, 18),
        ("b", "value", 18, 18),
    ]


def test_statements_tell_what_they_define_change_and_use():
    found = {tuple(sorted(one.names)): one.uses for one in statements(CELL)}
    assert found[("np",)] == found[("torch",)] == set()
    assert found[("double",)] == {"SCALE", "np", "staticmethod"}
    assert found[("Net",)] == {"torch", "double"}
    assert ("a", "b") in found
    assert found[("a",)] == {"a"}


def test_layout_and_comments_are_no_part_of_a_statement():
    assert statements("x = f( 1 )  # why") == statements("\n\nx = f(1)")
    assert statements("x = f(1)") != statements("x = f(2)")


@pytest.mark.parametrize("source", UNREADABLE)
def test_what_python_cannot_read_is_empty_and_raises_nothing(source):
    assert statements(source) == definitions(source) == ()
    assert ast.unparse(parse(source)) == ""
    assert globals_of(source) == frozenset()
    assert not is_python(source)
    assert without_decorators(source) is None
    assert isinstance(syntax_error(source), SyntaxError)


def test_a_cell_with_magics_is_not_python_alone():
    assert not is_python("%time x = 1")
    assert is_python("x = 3 % 4\nawait y")
    assert is_python("")


@pytest.mark.parametrize(
    "source", ["%%bash\nif [ 1 ]; then", "%%time\nx = 1", CELL, "x = await y", "for _ in z:\n    !ls"]
)
def test_what_ipython_understands_is_no_syntax_error(source):
    assert syntax_error(source) is None


def test_a_syntax_error_beside_a_magic_is_found_on_its_own_line():
    error = syntax_error("%matplotlib inline\nx = 1\nretrun x")
    assert error is not None
    assert error.lineno == 3


def test_globals_are_what_no_function_binds_itself():
    text = "def f(x, y=z):\n    global g\n    g = 1\n    return [h(i) for i in x] + g"
    assert globals_of(text) == {"z", "h", "g"}
    assert globals_of("x = 1\nprint(x)") == {"x", "print"}


def test_decorators_are_left_out_and_nothing_else():
    assert without_decorators("@c.view\ndef f(x):  # why\n    return x") == "def f(x):\n    return x"
    assert without_decorators("f = lambda: 0") == "f = lambda: 0"


def test_a_long_line_of_blanks_is_read_at_once():
    """A pattern that tried every split of the blanks would take hours here."""
    assert not parse("def f(:\n" + " " * 1_000_000 + "x").body


N = 100_000
HOSTILE = {
    "blanks": " " * N + "raise",
    "a name and blanks": "x" + " " * N + "y",
    "blanks and =": "x" + " " * N + "= y",
    "tabs": "\t" * N + "x y",
    "backslashes": "\\" * N,
    "backslashes after %": "%" + "\\" * N,
    "lines joined": "x = !" + "\\\n" * (N // 2) + ")",
    "question marks": "?" * N,
    "a name and ?": "x" + "?" * N,
    "a name, then ?": "a" * N + " ?",
    "=": "=" * N,
    "x = =": "x " + "= " * (N // 2),
    "commas": "," * N,
    "stars": "*" * N,
    "empty lines": " \n" * (N // 2) + ")",
    "magics": "%\n" * (N // 2) + ")",
    "half magics": ("x" + " " * 99 + "\n") * (N // 100) + ")",
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_no_text_makes_the_search_for_magics_slow(kind):
    """Each takes less than a tenth of a second; a pattern that tries every split of it would take minutes."""
    assert len(_without_magics(HOSTILE[kind])) <= 5 * N


DEEP = {
    "elif": "if a: pass\n" + "elif a: pass\n" * 1500,
    "functions": "".join(" " * n + "def f():\n" for n in range(95)) + " " * 95 + "x = g",
    "classes": "".join(" " * n + "class A:\n" for n in range(95)) + " " * 95 + "x = g",
    "lambdas": "lambda: " * 150 + "g",
    "attributes": "a" + ".b" * 1500,
    "sums": "1+" * 1500 + "1",
    "brackets": "[" * N,
    "a long tuple": "1," * (N // 2),
}


@pytest.mark.parametrize("kind", DEEP)
def test_no_depth_makes_the_reader_stumble(kind):
    for read in (parse, statements, definitions, globals_of, is_python, syntax_error, without_decorators):
        read(DEEP[kind])


ODD = "f\"{'\N{NO-BREAK SPACE}'}\""  # Python runs it, and ast.unparse finds no quotes for it
AROUND = f"""%time
@np.vectorize
def scale(X):
    return centre(X), {ODD}

x = centre(1); y = {ODD}; z = 2
"""


def test_a_statement_that_cannot_be_rewritten_is_read_as_it_stands_and_costs_no_other():
    found = {next(iter(one.names)): one for one in statements(AROUND) if one.names}
    assert found["scale"].uses >= {"np", "centre"}
    assert found["scale"].source == f"@np.vectorize\ndef scale(X):\n    return centre(X), {ODD}"
    assert (found["x"].source, found["y"].source, found["z"].source) == ("x = centre(1)", f"y = {ODD}", "z = 2")
    assert [one.name for one in definitions(AROUND)] == ["scale", "x", "y", "z"]


def test_what_is_too_long_is_not_read_unless_it_is_an_authors():
    source = "def f(x):\n    return g(x)\n" + "#" * LONGEST
    for read in (statements, definitions, globals_of):
        assert not read(source)
    assert not parse(source).body
    assert not is_python(source)
    assert syntax_error(source) is None
    assert [one.name for one in definitions(source, authors=True)] == ["f"]
    assert statements(source, authors=True)[0].uses == {"g"}


TOO_LONG = {
    "in one cell": ["x" * (LONGEST + 1)],
    "in several": ["x" * (LONGEST // 2)] * 3,
    "a dotted name": ["import a" + ".a" * 2600],
    "behind a comma": ["from a import a, b\nimport b, a" + ".a" * 2600 + "\nfrom a" + ".a" * 2600],
    "over many lines": ["from a" + "\\\n.a" * 2600 + " import b"],
    "of letters that few know": ["import a\N{MIDDLE DOT}" + ".a\N{MIDDLE DOT}" * 2600],
}


@pytest.mark.parametrize("what", TOO_LONG)
def test_what_python_reads_for_minutes_is_told_before_it_is_read(what):
    assert is_too_long(TOO_LONG[what])


def test_a_notebook_that_somebody_wrote_is_not_too_long():
    text = '"""' + "from here on, each line of this text is short\n" * 1500 + '"""'
    assert not is_too_long([text, "import numpy as np\n" + "x = 1  # import\n" * 1000, f"data = '{'a.' * 5000}'"])
