"""The mutation run: good checks kill a mutant of every rule, weak ones let them live, and an author may explain some."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from redink.grader.author.mutation_rules import RULES

MASTER = '''
# %%
import numpy as np

from redink import check


# %%
def centre(X, scale=2.0):
    """Subtract 1, and compare the sum of some rows with that of all."""
    ### BEGIN SOLUTION
    X = X.copy()
    X -= 1
    total = np.zeros(X.shape[1])
    for i in range(len(X)):
        if X[i, 0] > 0:
            total += X[i]
    return np.subtract(total * scale, X.sum(axis=0))
    ### END SOLUTION


# %%
check("centre")
'''

CHECKS = '''
import numpy as np

from redink.checks import check


@check("centre", trials=2, weight=WEIGHT)
def compares_the_rows(rng, trial):
    """The rows that begin with more than 1 are counted twice."""
    X = rng.normal(size=(4 + trial, 3)) + 1.5
    X[:2, 0], X[-1] = (1.0, 1.5), (3.0, 4.0, 5.0)
    return dict(X=X)


@compares_the_rows.when
def _(student, X):
    once = student.centre(X)
    return once, X, student.centre(X + 1, 3.0)
'''

ANYTHING = '''

@check("centre")
def takes_anything(rng):
    """It is called."""
    return dict(X=rng.normal(size=(4, 3)))


@takes_anything.when
def _(student, X):
    try:
        student.centre(X.copy())
    except Exception:
        return "raised"
    return "returned"


@takes_anything.then
def _(seen):
    assert seen
'''


def prepare(desk: Any, checks: str, master: str = MASTER) -> None:
    """Write an assignment of one question."""
    (desk.solution / "tiny.py").write_text(master.lstrip("\n"), encoding="utf-8")
    (desk.assignment / "checks.py").write_text(checks, encoding="utf-8")
    for name in ("hidden_checks.py", "misconceptions.py", "alternatives.py"):
        (desk.solution / name).write_text("", encoding="utf-8")


def mutate(desk: Any, count: int, *options: str, code: int = 0) -> tuple[str, dict[str, Any]]:
    """Try mutants; give what was said and what was found."""
    done = desk.redink("verify", "tiny", "--mutants", count, "--json", "found.json", *options)
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    (found,) = json.loads((desk.root / "found.json").read_bytes())
    return done.stdout, found


def refused(desk: Any, *options: object) -> str:
    """Have a run refused; give the one line that says why."""
    done = desk.redink("verify", "tiny", "--mutants", 1, *options)
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    return line


def explain(desk: Any, **why: str) -> None:
    lines = (f"{json.dumps(id, ensure_ascii=False)} = {json.dumps(sentence)}" for id, sentence in why.items())
    (desk.solution / "equivalent.toml").write_text("\n".join(lines), encoding="utf-8")


def rule(id: str) -> str:
    return id.partition(":")[0]


def test_a_good_check_kills_a_mutant_of_every_rule_and_a_claim_that_one_is_right_is_refuted(tiny):
    prepare(tiny, CHECKS.replace("WEIGHT", "1"))
    explain(tiny, **{KNOWN: "nobody uses the default"})
    said, found = mutate(tiny, len(RULES), code=1)
    assert sorted(map(rule, found["killed"])) == sorted(RULES)
    assert set(found["killed"].values()) == {"compares_the_rows"}
    assert found["survivors"] == []
    assert [rule(id) for id in found["refuted"]] == ["default"]
    assert "is said to be equivalent, and fails compares_the_rows" in said
    assert f"tiny: killed {len(RULES)} of {len(RULES)}, 0 equivalent, 0 survivors" in said


def test_a_weak_check_lets_them_live_and_a_check_that_informs_kills_nobody(tiny):
    prepare(tiny, CHECKS.replace("WEIGHT", "0") + ANYTHING)
    said, found = mutate(tiny, len(RULES), code=1)
    assert found["killed"] == {}
    assert sorted(rule(one["id"]) for one in found["survivors"]) == sorted(RULES)
    for one in found["survivors"]:
        assert f"✗ {one['id']}\n    {one['before']}  →  {one['after']}\n" in said
    explain(tiny, **{one["id"]: "here anything is right" for one in found["survivors"]})
    said, found = mutate(tiny, len(RULES))
    assert f"tiny: killed 0 of {len(RULES)}, {len(RULES)} equivalent, 0 survivors" in said
    assert set(found["equivalent"].values()) == {"here anything is right"}


def test_a_mutant_that_does_not_end_is_stopped_and_counted_as_late(tiny):
    counting = "    i = 0\n    while i < 3:\n        i += 1\n    return X + i\n    ### END"
    before, after = MASTER.split("    X = X.copy()")[0], MASTER.split("    ### END")[1]
    prepare(tiny, CHECKS.replace("WEIGHT", "1").replace(", 3.0", ""), before + counting + after)
    said, found = mutate(tiny, len(RULES), code=1)
    assert "statement:centre:i += 1 → pass" in found["late"]
    assert set(found["late"]) <= set(found["killed"])
    assert f"({len(found['late'])} took too long)" in said
    explain(tiny, **{id: "a slow one is not a wrong one" for id in found["late"]})
    assert mutate(tiny, len(RULES), code=1)[1]["refuted"] == []


UNKNOWN = "axis:centre:X.sum(axis=7) → X.sum()"
KNOWN = "default:centre:centre(X, scale=2.0): → centre(X, scale=1.0):"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (f'"{UNKNOWN}" = "it was there"', f"no mutant is called {UNKNOWN!r}; was the master changed?"),
        (f'"{KNOWN}" = " "', f"{KNOWN!r} needs a sentence that says why it is right"),
        ("axis:centre", "is not TOML"),
    ],
    ids=["unknown", "without a reason", "not TOML"],
)
def test_an_explanation_that_explains_nothing_is_refused_in_one_sentence(tiny, text, why):
    prepare(tiny, CHECKS.replace("WEIGHT", "1"))
    (tiny.solution / "equivalent.toml").write_text(text, encoding="utf-8")
    line = refused(tiny)
    assert why in line
    assert str(Path("solutions/tiny/equivalent.toml")) in line


def test_a_mutation_run_is_a_run_of_its_own(tiny):
    done = tiny.redink("verify", "tiny", "--mutants", 1, "--sample")
    assert done.returncode == 2
    assert "--mutants is a run of its own; leave out --draft and --sample" in done.stderr
