"""Which questions a change reaches: read from the source, through helpers, and never less than `uses` says."""

from __future__ import annotations

import pytest

from redink.assignment import Question, Spec
from redink.checks import check
from redink.errors import AuthorError
from redink.grader.depending import affected, changed_names, check_uses, reached, uses_of
from redink.records import Cell

NOTEBOOK = (
    "import numpy as np\nSCALE = 2",
    "def helper(x):\n    return SCALE * x",
    "def first(x):\n    return helper(x)",
    "def second(x, helper=None):\n    first = x\n    return [first for helper in x]",
    "class Third:\n    def run(self, x):\n        return second(x)",
    "answers = {}\nanswers.update(a=first)",
)


def cells(*sources: str) -> tuple[Cell, ...]:
    return tuple(Cell(index=index, source=source) for index, source in enumerate(sources, start=1))


def question(id: str, asks: str, uses: tuple[str, ...] = ()) -> Question:
    return Question(id=id, title=id, points=1, asks=(asks,), uses=uses)


SPEC = Spec(
    title="t",
    slug="t",
    questions=(
        question("one", "first"),
        question("two", "second"),
        question("three", "Third", ("two",)),
        question("four", "answers", ("one",)),
    ),
)


def hit(edit: dict[int, str], asked: str = "two", checks: tuple = ()) -> set[str]:
    before = cells(*NOTEBOOK)
    after = tuple(Cell(index=one.index, source=edit.get(one.index, one.source)) for one in before)
    return affected(SPEC, checks, asked, changed_names(before, after), (before, after))


def test_a_definition_uses_its_globals_and_not_its_own_names():
    uses = uses_of(cells(*NOTEBOOK))
    assert uses["first"] == {"helper"}
    assert uses["second"] == set()
    assert uses["Third"] == {"second"}
    assert uses["answers"] == {"answers", "first"}
    assert reached(uses, ["answers"]) == {"answers", "first", "helper", "SCALE"}


def test_names_that_use_each_other_end():
    uses = uses_of(cells("def a():\n    b()", "def b():\n    a()"))
    assert reached(uses, ["a"]) == {"a", "b"}


@pytest.mark.parametrize(
    ("edit", "questions"),
    [
        ({4: "def second(x):\n    return 0"}, {"two", "three"}),
        ({1: "import numpy as np\nSCALE = 3"}, {"one", "two", "three", "four"}),  # two: it is the specimen's own
        ({2: "def helper(x):\n    return x"}, {"one", "two", "three", "four"}),
        ({5: "class Third:\n    pass"}, {"two", "three"}),
        ({6: "answers = {}\nanswers.update(a=2)"}, {"two", "three", "four"}),
        ({4: NOTEBOOK[3] + "\ndef first(x):\n    return 7"}, {"one", "two", "three", "four"}),  # a second definition
    ],
)
def test_a_change_reaches_what_uses_it(edit, questions):
    assert hit(edit) == questions


def test_a_check_that_calls_a_function_of_another_question_is_reached_by_it():
    @check("two")
    def agrees_with_first(rng):
        """They agree."""
        return dict(x=1.0)

    @agrees_with_first.when
    def _(student, x):
        return student.first(x), student.second(x)

    assert "two" not in hit({3: "def first(x):\n    return 0"}, asked="one")
    assert "two" in hit({3: "def first(x):\n    return 0"}, asked="one", checks=(agrees_with_first,))


def test_a_use_that_is_not_said_is_refused():
    with pytest.raises(AuthorError, match=r'm\.py: two calls first, which one asks for; add "one" to the uses of two'):
        check_uses(
            SPEC, cells("def first():\n    0", "def second():\n    return other()", "def other():\n    first()"), "m.py"
        )


def test_what_uses_say_is_allowed_also_at_one_remove():
    check_uses(SPEC, cells(*NOTEBOOK), "m.py")
    chain = (question("a", "f"), question("b", "g", ("a",)), question("c", "h", ("b",)))
    spec = Spec(title="t", slug="t", questions=chain)
    check_uses(spec, cells("def f():\n    0", "def g():\n    f()", "def h():\n    f()"), "m.py")
