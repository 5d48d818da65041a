"""Specimens: wrong and right answers, each the solved master with an edit."""

import pytest

from redink.checks import alternative, misconception
from redink.checks.specimens import Edit, collect_specimens
from redink.errors import AuthorError


def keep(function):
    return function


def test_a_text_in_the_place_of_another():
    (made,) = collect_specimens(lambda: misconception("ties", "step", hint=" Look at 0. ", old="<= 0", new="< 0"))
    assert (made.id, made.kind, made.question, made.hint) == ("ties", "misconception", "step", "Look at 0.")
    assert made.edits == (Edit(old="<= 0", new="< 0"),)


def test_a_function_in_the_place_of_the_masters():
    def declare():
        @misconception("adds", "step", hint="Which way?")
        def step(w, x):
            # the remark stays
            return w + x

        assert step(1, 2) == 3

    (made,) = collect_specimens(declare)
    assert made.edits == (Edit(name="step", new="def step(w, x):\n    # the remark stays\n    return w + x"),)


def test_a_class_in_the_place_of_the_masters():
    def declare():
        @alternative("other", "step")
        class Step:
            def run(self):
                return 1

    (made,) = collect_specimens(declare)
    assert made.kind == "alternative"
    assert made.hint == ""
    assert made.edits[0].name == "Step"
    assert made.edits[0].new.startswith("class Step:\n    def run(self):")


def test_the_declaration_may_be_called_instead_of_decorating():
    def step(w):
        return w

    (made,) = collect_specimens(lambda: alternative("plain", "step")(step))
    assert made.edits == (Edit(name="step", new="def step(w):\n    return w"),)


def test_several_edits_under_one_name_are_one_specimen():
    def declare():
        misconception("ties", "step", hint="Look.", old="a", new="b")
        alternative("ties", "step", old="x", new="y")

        @misconception("ties", "step", hint="Look.")
        def helper():
            return 1

        misconception("ties", "train", hint="Look.", old="c", new="d")

    first, second, third = collect_specimens(declare)
    assert [edit.old for edit in first.edits] == ["a", ""]
    assert first.edits[1].name == "helper"
    assert (second.kind, third.question) == ("alternative", "train")


@pytest.mark.parametrize("edit", [{"old": "a"}, {"new": "b"}])
def test_old_and_new_go_together(edit):
    with pytest.raises(AuthorError, match="misconception ties: old and new go together"):
        collect_specimens(lambda: misconception("ties", "step", hint="Look.", **edit))
    with pytest.raises(AuthorError, match="alternative other: old and new go together"):
        collect_specimens(lambda: alternative("other", "step", **edit))


@pytest.mark.parametrize("hint", ["", "  \n"])
def test_a_misconception_needs_a_hint(hint):
    with pytest.raises(AuthorError, match="misconception ties: a misconception needs a hint"):
        collect_specimens(lambda: misconception("ties", "step", hint=hint, old="a", new="b"))


def test_what_is_neither_a_function_nor_a_class_cannot_stand_for_one():
    async def later():
        return 1

    with pytest.raises(AuthorError, match="it decorates neither a plain function nor a class"):
        collect_specimens(lambda: misconception("later", "step", hint="H.")(later))


def test_files_do_not_leak_into_each_other_even_after_a_failure():
    def breaks():
        misconception("a", "step", hint="H.", old="a", new="b")
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        collect_specimens(breaks)
    assert collect_specimens(lambda: None) == ()
    assert [made.id for made in collect_specimens(lambda: alternative("b", "step", old="a", new="b"))] == ["b"]


def test_a_specimen_that_changes_nothing_is_refused_by_name():
    with pytest.raises(AuthorError, match="misconception sleeps changes nothing"):
        collect_specimens(lambda: misconception("sleeps", "step", hint="Wake up."))
