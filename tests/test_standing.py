"""What a grade becomes: checks, voided checks, overrides, extras, lateness, attempts; each stays visible."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from redink.grader.rules.course_rules import AssignmentRules, CourseRules
from redink.grader.rules.decisions import Extension, Override, Void
from redink.grader.rules.standing import Attempt, Decided, Standing, settle, settle_course
from redink.records import CheckResult, QuestionResult, Result, SubmissionId, Walls

DUE = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def question(id: str, score: float, most: float, tier: str = "core") -> QuestionResult:
    checks = tuple(
        CheckResult(id=f"{id}_{at}", visibility="public", verdict="passed" if got else "failed", score=got,
                    max_score=most / 2, message="")
        for at, got in enumerate((min(score, most / 2), max(0.0, score - most / 2)))
    )  # fmt: skip
    return msgspec.convert(
        {"id": id, "title": id, "tier": tier, "score": score, "max_score": most, "hint": None,
         "checks": msgspec.to_builtins(checks)},
        QuestionResult,
    )  # fmt: skip


def result(*questions: QuestionResult, score: float | None = None, state: str = "graded") -> Result:
    core = sum(one.score for one in questions if one.tier == "core")
    return Result(
        assignment="little", version="", secret="", submission=SubmissionId(id="ada", file="a", sha256="a"),
        state=state, reason=None if state == "graded" else "not a notebook", score=core if score is None else score,
        max_score=100.0, questions=questions, cells=(), box=Walls(), cpu_seconds=0.0, wall_seconds=0.0,
    )  # fmt: skip


def attempt(number: int = 1, given: Result | None = None, late_days: float | None = None, **more: Any) -> Attempt:
    when = None if late_days is None else DUE + timedelta(days=late_days)
    return Attempt(number=number, file="a", sha256="a", source="path", result=given, handed_in=when, **more)


def standing(attempts: list[Attempt], rules: dict[str, Any] | None = None, **more: Any) -> Standing:
    of = AssignmentRules(due=DUE, penalty_per_day=10.0, penalty_cap=50.0)
    if rules:
        of = msgspec.structs.replace(of, **{key: value for key, value in rules.items() if key != "lateness"})
    course = CourseRules(lateness=(rules or {}).get("lateness", "redink"), assignments={"little": of})
    decided, voids = more.pop("decided", Decided()), more.pop("voids", ())
    return settle(course, "little", "ada", attempts, decided, voids, full_marks=100.0, slip_days=more.pop("slips", 0))


def override(score: float, question: str = "") -> Override:
    return Override(question=question, score=score, reason="a look at the code", who="ms k", made_at="")


FULL = result(question("a", 60.0, 60.0), question("b", 40.0, 40.0))
HALF = result(question("a", 30.0, 60.0), question("b", 20.0, 40.0))


def test_lateness_takes_a_share_of_the_full_marks_and_everything_stays_visible():
    found = standing([attempt(given=HALF, late_days=1.5)])
    assert (found.checked, found.earned, found.late.days, found.taken, found.grade) == (50.0, 50.0, 2, 20.0, 30.0)


def test_lateness_takes_no_more_than_there_is():
    low = result(question("a", 6.0, 60.0), question("b", 0.0, 40.0))
    found = standing([attempt(given=low, late_days=30)])
    assert (found.taken, found.grade) == (6.0, 0.0)


def test_where_the_platform_deducts_we_do_not():
    found = standing([attempt(given=HALF, late_days=1.5)], {"lateness": "platform"})
    assert (found.late.days, found.taken, found.grade) == (2, 0.0, 50.0)


def test_an_extension_moves_the_end():
    more = Decided(extension=Extension(until=DUE + timedelta(days=3), reason="ill", who="ms k", made_at=""))
    found = standing([attempt(given=HALF, late_days=2)], decided=more)
    assert (found.late.late, found.late.extended, found.grade) == (False, True, 50.0)


def test_an_override_of_a_question_replaces_what_its_checks_gave_and_is_late_like_the_rest():
    found = standing([attempt(given=HALF, late_days=0.5)], decided=Decided(overrides=(override(60.0, "a"),)))
    assert [(one.checked, one.score) for one in found.questions] == [(30.0, 60.0), (20.0, 20.0)]
    assert (found.checked, found.earned, found.grade) == (50.0, 80.0, 70.0)


def test_an_override_of_the_whole_is_the_grade_whatever_else():
    whole = Decided(overrides=(override(88.0),))
    assert standing([attempt(given=HALF, late_days=9)], decided=whole).grade == 88.0
    missing = standing([], decided=whole)
    assert (missing.kind, missing.grade) == ("missing", 88.0)


def test_a_voided_check_counts_as_passed_for_everybody_who_was_graded():
    void = (Void(check="a_1", reason="wrong", who="ms k", made_at=""),)
    assert standing([attempt(given=HALF)], voids=void).grade == 80.0
    assert standing([attempt(given=FULL)], voids=void).grade == 100.0
    broken = result(state="ungradable")
    assert standing([attempt(given=broken)], voids=void).grade == 0.0


def test_extras_count_as_the_course_says_and_up_to_its_cap():
    with_extra = result(*HALF.questions, question("c", 12.0, 15.0, "extra"))
    assert standing([attempt(given=with_extra)]).grade == 50.0
    assert standing([attempt(given=with_extra)], {"extras": True}).grade == 62.0
    assert standing([attempt(given=with_extra)], {"extras": True, "extras_cap": 5.0}).grade == 55.0
    counted = msgspec.structs.replace(with_extra, score=62.0)
    assert standing([attempt(given=counted)]).grade == 62.0
    assert standing([attempt(given=counted)], {"extras": False}).grade == 50.0


def test_no_grade_is_none_and_never_a_zero():
    assert standing([]).grade is None
    waiting = standing([attempt()])
    assert (waiting.kind, waiting.grade) == ("not_graded", None)
    assert (standing([attempt(given=result(state="ungradable"))]).kind) == "ungradable"


def test_the_last_attempt_counts_or_the_best():
    two = [attempt(1, FULL, late_days=-1), attempt(2, HALF, late_days=-0.5)]
    assert standing(two).grade == 50.0
    best = standing(two, {"counts": "best"})
    assert (best.grade, best.attempt and best.attempt.number, best.attempts) == (100.0, 1, 2)


def test_the_best_attempt_is_the_best_after_lateness():
    two = [attempt(1, HALF, late_days=-1), attempt(2, FULL, late_days=8)]
    found = standing(two, {"counts": "best"})
    assert (found.grade, found.attempt and found.attempt.number) == (50.0, 1)  # 100 less the cap of 50 is no better


@given(st.lists(st.tuples(st.floats(0, 60), st.floats(0, 40), st.floats(-2, 20)), min_size=1, max_size=5))
def test_best_is_never_worse_than_last_and_no_grade_leaves_its_bounds(handed):
    attempts = [
        attempt(at + 1, result(question("a", round(a, 2), 60.0), question("b", round(b, 2), 40.0)), late_days=days)
        for at, (a, b, days) in enumerate(handed)
    ]
    last, best = standing(attempts), standing(attempts, {"counts": "best"})
    assert last.grade is not None
    assert best.grade is not None
    assert 0 <= last.grade <= best.grade <= 100


@given(st.lists(st.floats(-1, 5), min_size=3, max_size=3), st.integers(0, 9))
def test_slip_days_are_spent_in_the_order_of_due_dates_and_never_twice(days, slips):
    slugs = ("third", "first", "second")
    dues = {"first": DUE, "second": DUE + timedelta(days=7), "third": DUE + timedelta(days=14)}
    course = CourseRules(
        slip_days=slips,
        assignments={slug: AssignmentRules(due=dues[slug], penalty_per_day=10.0) for slug in slugs},
    )
    attempts = {
        slug: [msgspec.structs.replace(attempt(given=FULL), handed_in=dues[slug] + timedelta(days=late))]
        for slug, late in zip(slugs, days, strict=True)
    }
    found = settle_course(course, "ada", attempts, {}, {}, full_marks={})
    spent = [found[slug].late.slip_days for slug in ("first", "second", "third")]
    assert sum(spent) <= slips
    for place, slug in enumerate(("first", "second", "third")):
        assert spent[place] == min(found[slug].late.days, slips - sum(spent[:place]))
