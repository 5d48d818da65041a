"""Late policy by properties: grace, cap, slip days, extensions, time zones and daylight saving."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from redink.errors import CourseError
from redink.grader.rules.course_rules import AssignmentRules, CourseRules, days_later, read_rules
from redink.grader.rules.lateness import Lateness, lateness

ZONES = ("UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "Pacific/Apia")
DUE = datetime(2026, 3, 1, 12, 0)
dues = st.datetimes(min_value=datetime(2024, 1, 1), max_value=datetime(2028, 1, 1))
delays = st.timedeltas(min_value=timedelta(days=-3), max_value=timedelta(days=40))


def rules(due: datetime = DUE, zone: str = "Europe/Berlin", **more: object) -> CourseRules:
    one = msgspec.convert({"grace_minutes": 0.0, "penalty_per_day": 10.0, "penalty_cap": 50.0, **more}, AssignmentRules)
    return CourseRules(timezone=zone, assignments={"little": msgspec.structs.replace(one, due=due)})


def late(of: CourseRules, handed_in: datetime | None, **more: object) -> Lateness:
    how = {"marked_late": None, "extension": None, "slip_days": 0, **more}
    return lateness(of, "little", handed_in=handed_in, **how)  # type: ignore[arg-type]


def due_of(of: CourseRules) -> datetime:
    due = of.due("little")
    assert due is not None
    return due


@given(dues, delays, st.sampled_from(ZONES), st.floats(0, 600))
def test_nobody_is_late_before_the_end_of_the_grace_period_and_everybody_is_after_it(due, delay, zone, grace):
    of = rules(due, zone, grace_minutes=grace)
    handed_in = due_of(of).astimezone(UTC) + delay
    found = late(of, handed_in)
    assert found.late == (delay > timedelta(minutes=grace))
    assert found.penalty == min(50.0, 10.0 * found.days)


@given(dues, delays, delays, st.sampled_from(ZONES), st.floats(0, 600), st.integers(0, 4))
def test_whoever_hands_in_later_never_loses_less(due, one, other, zone, grace, slips):
    of = rules(due, zone, grace_minutes=grace)
    first, second = (late(of, due_of(of).astimezone(UTC) + delay, slip_days=slips) for delay in sorted((one, other)))
    assert (first.days, first.penalty) <= (second.days, second.penalty)


@given(dues, st.integers(0, 30), st.sampled_from(ZONES))
def test_the_same_time_of_day_some_days_later_is_so_many_days_late_whatever_the_clocks_did(due, days, zone):
    of = rules(due, zone)
    moment = days_later(due_of(of), days, of.zone)
    assert late(of, moment.astimezone(UTC)).days <= max(days, 0)
    assert late(of, moment.astimezone(UTC) + timedelta(seconds=1)).days == days + 1


@given(dues, delays, st.sampled_from(ZONES), st.integers(0, 50))
def test_slip_days_forgive_whole_days_and_no_more_than_there_are(due, delay, zone, slips):
    of = rules(due, zone)
    handed_in = due_of(of).astimezone(UTC) + delay
    without, with_them = late(of, handed_in), late(of, handed_in, slip_days=slips)
    assert with_them.slip_days == min(slips, without.days)
    assert with_them.penalty == min(50.0, 10.0 * (without.days - with_them.slip_days))


@given(dues, delays, delays, st.sampled_from(ZONES))
def test_an_extension_never_costs_anybody_anything(due, delay, more, zone):
    of = rules(due, zone)
    handed_in = due_of(of).astimezone(UTC) + delay
    until = due_of(of).astimezone(UTC) + more
    found = late(of, handed_in, extension=until)
    assert found.penalty <= late(of, handed_in).penalty
    assert found.extended == (until > due_of(of))
    if found.extended:
        assert found.late == (handed_in > until)


def test_a_day_in_which_the_clocks_change_is_one_day():
    autumn = rules(datetime(2026, 10, 24, 23, 59))  # Europe/Berlin goes back an hour in the night after
    assert late(autumn, datetime(2026, 10, 25, 22, 59, tzinfo=UTC)).days == 1  # 23:59, and 25 hours later
    assert late(autumn, datetime(2026, 10, 25, 23, 0, tzinfo=UTC)).days == 2
    spring = rules(datetime(2026, 3, 28, 23, 59))
    assert late(spring, datetime(2026, 3, 29, 21, 59, tzinfo=UTC)).days == 1  # 23 hours later


def test_a_due_time_that_the_clock_shows_twice_is_the_later_one():
    twice = rules(datetime(2026, 10, 25, 2, 30))
    assert not late(twice, datetime(2026, 10, 25, 1, 30, tzinfo=UTC)).late
    assert late(twice, datetime(2026, 10, 25, 1, 30, 1, tzinfo=UTC)).days == 1


def test_late_by_nobody_knows_how_much_is_told_and_costs_nothing():
    found = late(rules(), None, marked_late=True)
    assert (found.late, found.unknown, found.days, found.penalty) == (True, True, 0, 0.0)
    assert not late(rules(), None).late
    assert not late(rules(), None, marked_late=False).late


def test_without_a_due_date_nothing_is_late():
    free = CourseRules()
    assert not lateness(
        free, "little", handed_in=datetime(2030, 1, 1, tzinfo=UTC), marked_late=None, extension=None, slip_days=0
    ).late


def test_a_time_that_a_platform_made_up_ends_too():
    assert late(rules(), datetime(9999, 1, 1, tzinfo=UTC)).penalty == 50.0


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('timezone = "Berlin"', "there is no time zone 'Berlin'; write one as Europe/Berlin"),
        (
            "[assignments.littel]\ndue = 2026-01-01T00:00:00",
            "course.toml; did you mean little? The assignments are little",
        ),
        (
            "[assignments.little]\ndue = 2026-01-01",
            "write the date and the time without quotes, as in due = 2026-11-20T23:59:00",
        ),
        ("[assignments.little]\npenalty_per_day = -5", "penalty_per_day of little is -5"),
        ("[defaults]\ndue = 2026-01-01T00:00:00", "a due date belongs to an assignment"),
        ("[assignments.little]\ndeu = 3", "line 2: there is no key 'deu' of an assignment; did you mean due?"),
        ('lateness = "maybe"', "Invalid enum value 'maybe'"),
        ("slip_days = -1", "slip_days is -1"),
        ("name = ", "course.toml"),
        (
            "\n[defaults]\npenalty_per_dy = 1",
            "line 3: there is no key 'penalty_per_dy' in [defaults]; did you mean penalty_per_day?",
        ),
        ("roaster = 'x'", "line 1: there is no key 'roaster'; did you mean roster?"),
        (
            '[assignments.other]\ndue = 2026-11-20T10:00:00\n[assignments.little]\ndue = "18.11.2026"',
            "course.toml, line 4: ",
        ),
        ('[assignments.little]\ndue = "18.11.2026"', "without quotes, as in due = 2026-11-20T23:59:00"),
    ],
)
def test_a_mistake_in_course_toml_is_one_sentence(tmp_path, text, complaint):
    (tmp_path / "course.toml").write_text(text)
    with pytest.raises(CourseError, match=r"course\.toml") as refused:
        read_rules(tmp_path, ["little"])
    assert complaint in str(refused.value)
    assert "\n" not in str(refused.value)


def test_an_assignment_says_only_what_is_special_about_it(tmp_path):
    (tmp_path / "course.toml").write_text(
        'timezone = "Europe/Berlin"\n[defaults]\ngrace_minutes = 15\npenalty_per_day = 10\n'
        "[assignments.little]\ndue = 2026-11-20T23:59:00\npenalty_per_day = 5\n"
    )
    found = read_rules(tmp_path, ["little", "other"])
    of = found.of("little")
    assert (of.grace_minutes, of.penalty_per_day, of.penalty_cap, of.counts) == (15, 5, 100, "last")
    assert found.of("other").penalty_per_day == 10
    assert found.due("little") == datetime(2026, 11, 20, 22, 59, tzinfo=UTC)
    assert read_rules(tmp_path / "nowhere", []) == CourseRules()
