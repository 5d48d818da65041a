"""A `given` may ask for the reference's own functions, so that public checks need not hold a solution."""

from __future__ import annotations

import pytest

from redink.errors import AuthorError
from redink.grader.assignment.master import read_master
from redink.grader.assignment.reference import Reference

FOLLOWS = '''

@check("centre")
def centring_twice_changes_nothing(rng, trial, reference):
    """What is centred stays as it is."""
    return dict(X=reference.centre(rng.normal(size=(4, 3)) + 5))
'''


def test_the_masters_functions_are_there_and_nothing_of_its_checks_ran(little):
    reference = Reference(read_master(little.solution / "little.py"))  # its exploration would never end
    assert reference.scale.__name__ == "scale"
    with pytest.raises(AuthorError, match=r"reference\.nothing: the master does not define nothing"):
        _ = reference.nothing


def test_a_public_check_uses_it_and_ships_without_it(tiny):
    path = tiny.assignment / "checks.py"
    path.write_text(path.read_text(encoding="utf-8") + FOLLOWS, encoding="utf-8")
    assert tiny.redink("build", "tiny").returncode == 0
    cell = next(index for index, source in tiny.sources().items() if "def centre" in source)
    tiny.hand_in("ada")
    tiny.hand_in("ben", {cell: "def centre(X):\n    return X - X.mean()"})
    results = tiny.grade("class")
    told = {check["id"]: check["verdict"] for check in results["ada"]["questions"][0]["checks"]}
    assert told["centring_twice_changes_nothing"] == "passed"
    assert results["ben"]["score"] < 100
    done = tiny.redink("check", tiny.hand_in("cyd").rename(tiny.assignment / "mine.ipynb"))
    assert "2 of 2 public checks pass" in done.stdout, done.stdout + done.stderr
