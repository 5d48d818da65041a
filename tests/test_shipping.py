"""How a `when` travels: closed over nothing, deciding nothing."""

import numpy as np
import pytest

from redink.checks.shipping import ship_call, ship_item, ship_when
from redink.errors import AuthorError

FACTOR = 2


def helper(x):
    return x


def refusal(function):
    with pytest.raises(AuthorError) as told:
        ship_when("c", function)
    assert str(told.value).startswith("check c: ")
    return str(told.value)


def run(shipped, student, *inputs):
    scope = {"np": np}
    exec(shipped.source, scope)
    return scope["when"](student, *inputs)


class Names:
    def __init__(self, **names):
        self.__dict__.update(names)


def uses_a_global(student, x):
    return student.f(FACTOR * x)


def uses_it_in_a_nested_function(student, x):
    def inner(y):
        return helper(y)

    return inner(student.f(x))


def uses_it_in_a_comprehension(student, x):
    return [helper(student.f(y)) for y in x]


def uses_it_in_a_condition_of_a_comprehension(student, x):
    return [y for y in x if helper(y)]


def uses_it_in_a_lambda(student, x):
    return list(map(lambda y: helper(y), x))


def uses_it_in_a_generator(student, x):
    return sum(helper(y) for y in x)


def uses_it_as_a_default(student, x, by=helper):
    return student.f(x, by)


def uses_it_in_a_class(student, x):
    class Box:
        content = helper

    return Box.content(x)


@pytest.mark.parametrize(
    "when",
    [
        uses_it_in_a_nested_function, uses_it_in_a_comprehension, uses_it_in_a_condition_of_a_comprehension,
        uses_it_in_a_lambda, uses_it_in_a_generator, uses_it_as_a_default, uses_it_in_a_class,
    ],
)  # fmt: skip
def test_a_free_name_is_refused_wherever_it_hides(when):
    assert "its when uses helper, which the box does not have" in refusal(when)


def test_a_free_global_is_refused_by_name():
    assert "its when uses FACTOR, which" in refusal(uses_a_global)


def test_a_name_of_an_enclosing_function_is_free_too():
    scale = 3

    def closes_over(student, x):
        return student.f(x) * scale

    assert "uses scale" in refusal(closes_over)


def asserts(student, x):
    assert student.f(x)


def is_equal(student, x):
    return student.f(x) == x


def is_less(student, x):
    return student.f(x) < x


def is_in(student, x):
    return student.f(x) in x


def is_none(student, x):
    return student.f(x) is None


def is_nested(student, x):
    return [y for y in x if y > 0]


def all_close(student, x):
    return np.allclose(student.f(x), x)


def torch_equal(student, x):
    return torch.equal(student.f(x), x)  # noqa: F821


def np_testing(student, x):
    return np.testing.assert_allclose(student.f(x), x)


def np_greater(student, x):
    return np.greater(student.f(x), x)


def tensor_method(student, x):
    return student.f(x).eq(x)


def imported(student, x):
    from numpy.testing import assert_allclose

    return assert_allclose(student.f(x), x)


def imported_operator(student, x):
    import operator as op

    return op.eq(student.f(x), x)


def matched(student, x):
    match student.f(x):
        case 1:
            return "one"
    return "other"


@pytest.mark.parametrize(
    "when",
    [
        is_equal, is_less, is_in, is_none, is_nested, all_close, torch_equal, np_testing, np_greater, tensor_method,
        imported, imported_operator, matched,
    ],
)  # fmt: skip
def test_a_comparison_is_refused(when):
    assert "its when compares (" in refusal(when)


def test_an_assertion_is_refused():
    assert "its when asserts; assert in then" in refusal(asserts)


def test_a_student_may_be_asked_for_a_function_whose_name_says_compare():
    def asks(student, x):
        return student.equal(x), student.isclose(x)

    assert "student.equal(x)" in ship_when("c", asks).source


def test_np_torch_and_builtins_are_there():
    def allowed(student, x):
        total = sum(len(y) for y in sorted(x))
        return torch.zeros(1), np.asarray(x), total, [student.f(y) for y in x], {"k": max(x)}  # noqa: F821

    assert ship_when("c", allowed).names == ("x",)


def test_local_names_nested_functions_and_imports_are_allowed():
    def busy(student, X, y):
        import math

        def inner(value):
            return math.floor(value) + offset

        offset = 2
        rows = [inner(row) for row in X]
        return rows, (lambda z: z * offset)(y)

    assert run(ship_when("c", busy), None, [1.5, 2.5], 3) == ([3, 4], 6)


def decorator(function):
    return function


@decorator
def decorated(student, x: "np.ndarray", *, k: "helper" = 2) -> "helper":
    """Say something."""
    return student.f(x) * k  # a remark


def test_decorators_annotations_and_remarks_stay_behind():
    shipped = ship_when("c", decorated)
    assert shipped.source.startswith("def when(student, x, *, k=2):\n")
    assert shipped.names == ("x", "k")
    for left in ("decorator", "helper", "->", "remark"):
        assert left not in shipped.source
    assert run(shipped, Names(f=lambda x: x + 1), 4) == 10


def test_real_annotations_are_stripped_even_where_the_box_lacks_their_names():
    def annotated(student: Names, x: Names) -> Names:
        return student.f(x)

    assert ship_when("c", annotated).source == "def when(student, x):\n    return student.f(x)\n"


def test_the_source_is_the_same_every_time_and_does_not_depend_on_place():
    def one(student, x):
        return student.f( x )  # fmt: skip

    def another(student, x):

        # moved, with a remark
        return student.f(x)

    assert ship_when("c", one) == ship_when("c", one) == ship_when("d", another)


def test_the_first_parameter_must_be_student():
    def wrong(x, student):
        return student.f(x)

    def none():
        return 1

    assert "the first parameter of its when must be `student`" in refusal(wrong)
    assert "the first parameter of its when must be `student`" in refusal(none)


def test_inputs_are_named_one_by_one():
    def stars(student, *rest):
        return student.f(*rest)

    def keywords(student, **rest):
        return student.f(**rest)

    def by_position(student, x, /):
        return student.f(x)

    for when in (stars, keywords, by_position):
        assert "must name its inputs one by one" in refusal(when)


def test_what_is_not_a_plain_function_is_refused():
    async def later(student):
        return 1

    made_of_text = {}
    exec("def when(student):\n    return 1", made_of_text)
    for when in (lambda student: student.f(), later, made_of_text["when"], len):
        assert "its when must be a plain function" in refusal(when)


def test_the_default_when_calls_and_the_default_item_reads():
    assert run(ship_call("f", ("a", "b")), Names(f=lambda a, b: a - b), 5, 3) == 2
    assert run(ship_item("answers", "it's"), Names(answers={"it's": 4})) == 4
    assert ship_call("f", ()).source == "def when(student):\n    return student.f()\n"
