"""Which checks a change reaches: read from the source, through helpers."""

from __future__ import annotations

import pytest

from redink.assignment.spec import Question, Spec
from redink.checks import Check, check, concept
from redink.errors import AuthorError
from redink.grader.answer_key.make import affected_checks
from redink.grader.assignment.assignment import read_assignment
from redink.grader.assignment.depending import affected, changed_names, check_uses, reached, uses_of
from redink.grader.course import Course
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


def given(rng):
    """Something is so."""
    return dict(x=1.0)


def named(id: str, made: Check) -> Check:
    made.id = id
    return made


@check("two")
def agree(rng):
    """They agree."""
    return dict(x=1.0)


@agree.when
def _(student, x):
    return student.first(x), student.second(x)


CHECKS = (
    named("one", check("one")(given)),
    named("two", check("two", calls="second")(given)),
    agree,
    named("three", check("three")(given)),
    named("four", concept("four")(given)),
)


def hit(edit: dict[int, str]) -> set[str]:
    before = cells(*NOTEBOOK)
    after = tuple(Cell(index=one.index, source=edit.get(one.index, one.source)) for one in before)
    return affected(SPEC, CHECKS, changed_names(before, after), (before, after))


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
    ("edit", "checks"),
    [
        ({3: "def first(x):\n    return 0"}, {"one", "agree", "four"}),
        ({4: "def second(x):\n    return 0"}, {"two", "agree", "three"}),
        ({1: "import numpy as np\nSCALE = 3"}, {"one", "agree", "four"}),
        ({2: "def helper(x):\n    return x"}, {"one", "agree", "four"}),
        ({5: "class Third:\n    pass"}, {"three"}),
        ({6: "answers = {}\nanswers.update(a=2)"}, {"four"}),
        ({4: NOTEBOOK[3] + "\ndef first(x):\n    return 7"}, {"one", "agree", "four"}),  # a second definition
        ({4: "def second(x):\n    return first(x)"}, {"two", "agree", "three"}),
        ({}, set()),
    ],
)
def test_a_change_reaches_the_checks_that_call_it_or_what_uses_it(edit, checks):
    assert hit(edit) == checks


def test_a_changed_cell_that_cannot_be_read_leaves_it_open_what_has_changed():
    before = cells("def first(x):\n    return x", "%time second = 1")
    after = cells("def first(x):\n    return 0", "%time second = 2")
    assert changed_names(before, after) == set()
    assert changed_names(before, (after[0], before[1])) == {"first"}


def test_where_it_is_open_what_has_changed_everything_is_run(tiny):
    assignment = read_assignment(Course(tiny.root), "tiny")
    solved = assignment.master.solved()
    unreadable = Cell(index=solved[-1].index, source="%time\n" + solved[-1].source)
    assert affected_checks(assignment, (*solved[:-1], unreadable)) == {check.id for check in assignment.checks}


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


def test_all_that_a_question_uses_is_listed_once_and_nearest_first():
    chain = (question("a", "f"), question("b", "g", ("a",)), question("c", "h", ("a",)), question("d", "i", ("c", "b")))
    spec = Spec(title="t", slug="t", questions=chain)
    assert spec.all_used(chain[3]) == ["c", "b", "a"]
    assert spec.all_used(chain[0]) == []
