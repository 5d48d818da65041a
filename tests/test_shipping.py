"""How a `when` travels: behind its helpers, closed over nothing else, deciding nothing."""

import functools
from itertools import pairwise

import numpy as np
import pytest

from redink.assignment.load import load_module
from redink.checks.shipping import ship_call, ship_item, ship_when
from redink.checks.stand_ins import attention
from redink.errors import AuthorError

FACTOR = 2
lookup = {1: 2}.get


def loaded(path):
    return load_module(path.stem, path.read_text(), str(path))


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
        return lookup(y)

    return inner(student.f(x))


def uses_it_in_a_comprehension(student, x):
    return [lookup(student.f(y)) for y in x]


def uses_it_in_a_condition_of_a_comprehension(student, x):
    return [y for y in x if lookup(y)]


def uses_it_in_a_lambda(student, x):
    return list(map(lambda y: lookup(y), x))


def uses_it_in_a_generator(student, x):
    return sum(lookup(y) for y in x)


def uses_it_as_a_default(student, x, by=lookup):
    return student.f(x, by)


def uses_it_in_a_class(student, x):
    class Box:
        content = lookup

    return Box.content(x)


@pytest.mark.parametrize(
    "when",
    [
        uses_it_in_a_nested_function, uses_it_in_a_comprehension, uses_it_in_a_condition_of_a_comprehension,
        uses_it_in_a_lambda, uses_it_in_a_generator, uses_it_as_a_default, uses_it_in_a_class,
    ],
)  # fmt: skip
def test_a_free_name_is_refused_wherever_it_hides(when):
    assert "its when uses lookup, which the box does not have" in refusal(when)


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
def decorated(student, x: "np.ndarray", *, k: "lookup" = 2) -> "lookup":
    """Say something."""
    return student.f(x) * k  # a remark


def test_decorators_annotations_and_remarks_stay_behind():
    shipped = ship_when("c", decorated)
    assert shipped.source.startswith("def when(student, x, *, k=2):\n")
    assert shipped.names == ("x", "k")
    for left in ("decorator", "lookup", "->", "remark"):
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


# -- helpers -----------------------------------------------------------------------------------------------------------


def twice(x: "np.ndarray") -> "Anything":  # noqa: F821 - annotations stay behind
    return 2 * x


def four_times(x):
    """Use a helper from a helper."""
    return twice(twice(x))


class Doubling:
    def __init__(self, by=twice):
        self.by = by

    def __call__(self, x: "Anything"):  # noqa: F821
        return self.by(x)


class Quadrupling(Doubling):
    def __call__(self, x):
        return super().__call__(super().__call__(x))


def counted_down(n):
    return [n, *counted_down(n - 1)] if n else []


def through(student, x):
    return student.f(x)


def uses_a_class_before_its_base(student, x):
    return student.f(Quadrupling()(x))


def uses_a_helper_of_a_helper(student, x):
    return student.f(four_times(x))


def hidden_in_a_comprehension(student, x):
    return sum(student.f(four_times(one)) for one in [x])


def hidden_in_a_nested_function(student, x):
    def inner(y):
        return four_times(y)

    return student.f(inner(x))


def hidden_in_a_default(student, x, *, by=four_times):
    return student.f(by(x))


@pytest.mark.parametrize(
    "when",
    [
        uses_a_helper_of_a_helper, uses_a_class_before_its_base, hidden_in_a_comprehension, hidden_in_a_nested_function,
        hidden_in_a_default,
    ],
)  # fmt: skip
def test_a_helper_travels_from_wherever_it_is_used(when):
    assert run(ship_when("c", when), Names(f=lambda x: x + 1), 3) == 13


def test_helpers_stand_in_front_in_the_order_of_their_definition():
    source = ship_when("c", uses_a_class_before_its_base).source
    places = [source.index(start) for start in ("def twice(x):", "class Doubling:", "class Quadrupling(", "def when(")]
    assert places == sorted(places)
    assert places[0] == 0
    assert "four_times" not in source
    assert "Anything" not in source


def test_a_helper_may_call_itself():
    def counts(student, n):
        return counted_down(student.f(n))

    assert run(ship_when("c", counts), Names(f=lambda n: n), 3) == [3, 2, 1]


def test_a_helper_may_be_handed_the_student():
    def hands_on(student, x):
        return through(student, x)

    assert run(ship_when("c", hands_on), Names(f=lambda x: -x), 3) == -3


def test_a_shared_stand_in_travels_before_the_authors_own():
    def shared(student, x):
        return student.f(attention(), four_times(x))

    source = ship_when("c", shared).source
    assert source.startswith("def attention(")
    assert source.index("def attention(") < source.index("def twice(")


def test_a_local_name_is_not_a_helper():
    def local(student, twice):
        four_times = 3
        return student.f(twice) + four_times

    assert ship_when("c", local).source.startswith("def when(student, twice):")


def test_a_name_of_an_enclosing_function_is_not_the_helper_of_that_name():
    twice = 3

    def closes_over(student, x):
        return student.f(x) * twice

    assert "its when uses twice, which the box does not have" in refusal(closes_over)


thrice = lambda x: 3 * x  # noqa: E731
another_name = twice


def made_by(factor):
    def scaled(x):
        return factor * x

    return scaled


scaled = made_by(3)


def greater(x):
    return x > 1


def asserting(x):
    assert x
    return x


def uses_a_value(x):
    return FACTOR * x


@functools.cache
def kept(x):
    return x


def uses_greater(student, x):
    return greater(student.f(x))


def uses_asserting(student, x):
    return asserting(student.f(x))


def uses_a_helper_that_uses_a_value(student, x):
    return uses_a_value(student.f(x))


def uses_a_lambda(student, x):
    return thrice(student.f(x))


def uses_a_closure(student, x):
    return scaled(student.f(x))


def uses_another_name(student, x):
    return another_name(student.f(x))


def uses_an_import(student, x):
    return list(pairwise(student.f(x)))


def uses_ours(student, x):
    return ship_call(student.f(x), ())


def uses_a_kept_one(student, x):
    return kept(student.f(x))


@pytest.mark.parametrize(
    "when, told",
    [
        (uses_greater, "its helper greater compares (x > 1); return the data and compare in then"),
        (uses_asserting, "its helper asserting asserts; assert in then"),
        (uses_a_helper_that_uses_a_value, "its helper uses_a_value uses FACTOR, which the box does not have; pass it"),
        (uses_a_lambda, "its when uses thrice, which is not plain source; write it with def or class at the top level"),
        (
            uses_a_closure,
            "its when uses scaled, which is not plain source; write it with def or class at the top level",
        ),
        (uses_another_name, "its when uses another_name, which is another name of twice; use the name"),
        (
            uses_an_import,
            "its when uses pairwise, which comes from itertools; import it inside, or write it in this file",
        ),
        (uses_ours, "its when uses ship_call, which comes from redink.checks.shipping; import it inside, or write it"),
        (uses_a_kept_one, "its helper kept uses functools, which the box does not have"),
    ],
)
def test_a_helper_that_may_not_travel_is_refused_with_what_to_do(when, told):
    assert told in refusal(when)


def test_helpers_of_an_authors_file_are_found(tmp_path):
    path = tmp_path / "checks.py"
    path.write_text("class Base:\n    size = 2\n\ndef when_of(student, x):\n    return student.f(x * Base.size)\n")
    shipped = ship_when("c", loaded(path).when_of)
    assert run(shipped, Names(f=lambda x: x), 5) == 10


def test_two_helpers_of_one_name_are_refused(tmp_path):
    path = tmp_path / "checks.py"
    path.write_text(
        "from redink.checks.stand_ins import block\n\ndef attention():\n    return 1\n\n"
        "def when_of(student):\n    return student.f(block(), attention())\n"
    )
    assert "its when uses two different helpers called attention; rename one" in refusal(loaded(path).when_of)
