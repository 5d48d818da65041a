"""The form of concept answers: a word of those that are offered, or a number.

Students learn whether an answer is right after handing in; whether it has the form that is asked, they may know at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from redink.checks.language import Check, Fail, check
from redink.records import NOT_WRITTEN

Form = tuple[str, ...] | type[float] | range  # the words that are offered, any number, or a whole one from a range


def answers_have_form(question: str, /, **offered: Form) -> Check:
    """Make the check, of weight 0, that every item of `concept_answers` has an answer of its form.

    A check is found by its name, so assign it to `the_answers_have_the_form_that_is_asked`.
    """

    @check(question, trials=1, weight=0)
    def the_answers_have_the_form_that_is_asked() -> dict[str, Any]:
        """Every item has an offered word or a number for an answer (whether the right one, you learn after handing in)."""
        return {}

    @the_answers_have_the_form_that_is_asked.when
    def _(student: Any) -> Any:
        return dict(student.concept_answers)

    @the_answers_have_the_form_that_is_asked.view
    def _(seen: dict[str, Any]) -> list[str]:
        return _not_of_their_form(seen, offered)

    @the_answers_have_the_form_that_is_asked.then
    def _(seen: dict[str, Any]) -> None:
        if all(seen.get(item) is None for item in offered):
            raise Fail(NOT_WRITTEN)
        if odd := _not_of_their_form(seen, offered):
            raise Fail(
                f"look again at {', '.join(map(_asked, odd))}: an offered word in quotes, or a number without them"
            )

    def _asked(item: str) -> str:
        form = offered[item]
        return f"{item} (a number from {form[0]} to {form[-1]})" if isinstance(form, range) else item

    the_answers_have_the_form_that_is_asked.settings = repr(offered)
    return the_answers_have_the_form_that_is_asked


def _not_of_their_form(answers: dict[str, Any], offered: Mapping[str, Form]) -> list[str]:
    """Name the items whose answer is not one of the offered words, or not a number where one is asked for."""
    return [item for item, form in offered.items() if not _has_form(answers.get(item), form)]


def _has_form(answer: Any, form: Form) -> bool:
    if isinstance(form, tuple):
        return isinstance(answer, str) and answer.strip().casefold() in form
    if isinstance(form, range):
        return _has_form(answer, float) and np.size(answer) == 1 and np.asarray(answer).item() in form
    return isinstance(answer, int | float | np.ndarray) and not isinstance(answer, bool)
