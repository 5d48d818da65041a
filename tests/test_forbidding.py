"""Forbidden names: found inside the asked functions however they are spelt, nowhere else, and told kindly."""

from __future__ import annotations

import pytest

from redink.errors import AuthorError
from redink.judging.forbidding import Source, breaches, breaches_seen
from redink.records import ForbiddenCall
from redink.source import LONGEST
from redink.student.checker import Checker
from tests.conftest import CENTRE, SCALE

FORBIDS = ("numpy.linalg.lstsq", "scipy", ".backward", "sorted")


def told_of(*cells: str, asks: tuple[str, ...] = ("fit",)) -> dict[str, str]:
    return breaches([Source(cell) for cell in cells], asks, FORBIDS)


def found(*cells: str) -> dict[str, str]:
    told = told_of(*cells, asks=("fit", "Net"))
    return {name: sentence.split(" uses ")[1].split(",")[0] for name, sentence in told.items()}


@pytest.mark.parametrize(
    ("cells", "used"),
    [
        (["import numpy as np\ndef fit(X):\n    return np.linalg.lstsq(X, X)"], "numpy.linalg.lstsq"),
        (["import numpy\n", "def fit(X):\n    return numpy.linalg.lstsq(X, X)"], "numpy.linalg.lstsq"),
        (["from numpy import linalg as la", "def fit(X):\n    return la.lstsq(X, X)"], "numpy.linalg.lstsq"),
        (["from numpy.linalg import lstsq as easy", "fit = lambda X: easy(X, X)"], "numpy.linalg.lstsq"),
        (["from numpy.linalg import *", "def fit(X):\n    return lstsq(X, X)"], "numpy.linalg.lstsq"),
        (["import numpy as np\nf = np.linalg.lstsq", "def fit(X):\n    return f(X, X)"], "numpy.linalg.lstsq"),
        (["import numpy as np\nfit = np.linalg.lstsq"], "numpy.linalg.lstsq"),
        (["def fit(X):\n    import numpy.linalg as la\n    return la.lstsq(X)"], "numpy.linalg.lstsq"),
        (["def fit(X):\n    from numpy.linalg import lstsq\n    return 1"], "numpy.linalg.lstsq"),
        (["import numpy as np", "def fit(X):\n    return getattr(np.linalg, 'lstsq')(X)"], "numpy.linalg.lstsq"),
        (["%%time\nimport numpy as np\n!ls\ndef fit(X):\n    return np.linalg.lstsq(X)"], "numpy.linalg.lstsq"),
        (["x = !ls\nimport scipy.linalg\ndef fit(X):\n    return scipy.linalg.inv(X)"], "scipy.linalg.inv"),
        (["def fit(X):\n    X.sum().backward()\n    return X.grad"], ".backward"),
        (["def fit(X):\n    return sorted(X)"], "sorted"),
        (["import numpy as np\ndef fit(X):\n    f = np.linalg.lstsq\n    return f(X)"], "numpy.linalg.lstsq"),
        (["if True:\n    async def fit(X):\n        return [sorted(x) for x in X]"], "sorted"),
    ],
)
def test_a_forbidden_name_is_found_however_it_is_spelt(cells, used):
    assert found(*cells) == {"fit": used}


def test_methods_of_an_asked_class_count_as_its_own():
    assert found("class Net:\n    def fit(self, x):\n        x.backward()") == {"Net": ".backward"}


@pytest.mark.parametrize(
    "cells",
    [
        ["import numpy as np", "def fit(X):\n    return np.linalg.solve(X, X)"],
        ["import numpy as np", "np.linalg.lstsq(1, 2)", "def fit(X):\n    return X"],  # outside
        ["def other(X):\n    return sorted(X)", "def fit(X):\n    return other(X)"],  # a helper
        ["def fit(X):\n    '''Do not use numpy.linalg.lstsq or sorted.'''\n    # sorted\n    return 'sorted'"],
        ["def fit(X):\n    return sorted(X)", "def fit(X):\n    return X"],  # the last one counts
        ["def fit(X):\n    backward = X\n    return backward"],
        ["def fit(scipyish):\n    return scipyish.linalg"],
        ["def fit(X):\n    from scipyish import inv\n    return inv(X)"],
        ["def fit(X:\n    return sorted(X)"],  # cannot run either
        ["def fit(F):\n    return F.inv(F)", "import scipy.linalg as F"],  # a parameter of that name
        ["import scipy as sp\ndef fit(X):\n    sp, s = X, [sp.inv for sp in X]\n    return sp.linalg"],  # a variable
        ["def fit(X):\n    return X", "def other(X):\n    fit = sorted(X)\n    return fit"],  # another's variable
        ["from scipy.linalg import inv", "def inv(X):\n    return X", "def fit(X):\n    return inv(X)"],  # one's own
        ["import scipy\nf = scipy.linalg.inv\nf = lambda X: X\ndef fit(X):\n    return f(X)"],  # no longer that
        ["class Net:\n    def backward(self):\n        return 1", "def fit(X):\n    return Net().backward()"],
        ["def other(X):\n    easy = sorted\n    return easy", "def fit(easy):\n    return easy(1)"],
        [
            "class Tool:\n    def fit(self, x):\n        return sorted(x)",
            "def fit(X):\n    return X",
        ],  # another's method
        ["fit = " + "(" * 5000],
        ["fit = 1" + "+1" * 30000],
        ["fit = '\0'"],
    ],
)
def test_what_is_not_forbidden_is_left_alone(cells):
    assert found(*cells) == {}


def test_the_sentence_names_the_function_the_name_and_the_reason():
    told = told_of("def fit(X):\n    return sorted(X)")
    assert told["fit"] == (
        "fit uses sorted, which this question asks you to do without: the point is to write it yourself"
    )


def test_cells_too_long_to_be_read_prove_nothing():
    told = told_of("def fit(X):\n    return X\n#" + "x" * LONGEST)
    assert "too long to read" in told["fit"]
    assert told_of("#" + "x" * LONGEST, "def fit(X):\n    return X") == {}


EASILY = "import numpy as np\ndef fit(X):\n    return np.linalg.lstsq(X, X)\n"
DEEP = {
    "a chain of elif": "if a: pass\n" + "elif a: pass\n" * 1500,
    "classes in classes": "".join(" " * n + "class fit:\n" for n in range(95)) + " " * 95 + "x = 1\n",
    "blocks in blocks": "".join(" " * n + "if 1:\n" for n in range(95)) + " " * 95 + "x = 1\n",
    "attributes of attributes": "a" + ".b" * 1500 + "\n",
    "one name after another": "x = b.c;" + "x = x.a;" * 5000 + "\n",
    "many names": ";".join(f"a{n} = b.c" for n in range(5000)) + "\n",
}


@pytest.mark.parametrize("kind", DEEP)
def test_no_depth_or_length_hides_a_name_or_stops_the_search(kind):
    assert found(DEEP[kind] + EASILY) == {"fit": "numpy.linalg.lstsq"}
    assert found(DEEP[kind], EASILY) == {"fit": "numpy.linalg.lstsq"}
    assert found(DEEP[kind] + "def fit(X):\n    return X") == {}


def test_an_import_that_python_itself_reads_for_seconds_is_too_long_to_read():
    assert "too long to read" in told_of("import a" + ".b" * 40_000, EASILY)["fit"]


def test_a_class_in_a_class_is_searched_in_order():
    inner = "    class Inner:\n        def a(self):\n            sorted(1)\n"
    assert found(f"class Net:\n{inner}    def b(self, x):\n        x.backward()") == {"Net": "sorted"}


def seen(*within: str, name: str = "scipy") -> list[ForbiddenCall]:
    return [ForbiddenCall(name=name, within=within)]


def weighed(published: list[ForbiddenCall], secret: list[ForbiddenCall] | None = None) -> dict[str, str]:
    """Weigh calls for a question that asks for `fit` and `Net`; another one asks for `other`."""
    return breaches_seen(published, secret or [], ("fit", "Net"), FORBIDS, {"fit", "Net", "other"})


@pytest.mark.parametrize("within", [("fit",), ("helper", "fit"), ("helper", "_h", "fit", "other"), ("fit", "other")])
def test_a_call_is_charged_to_the_nearest_asked_function(within):
    reason = "which this question asks you to do without: the point is to write it yourself"
    assert weighed(seen(*within)) == {"fit": f"fit uses scipy when it runs, {reason}"}


@pytest.mark.parametrize("within", [(), ("other",), ("helper", "other", "fit"), ("helper",)])
def test_a_call_in_a_function_that_may_make_it_is_charged_to_nobody(within):
    assert weighed(seen(*within), seen(*within)) == {}


def test_what_another_question_forbids_is_charged_to_nobody():
    assert weighed(seen("fit", name="torch")) == {}


def test_of_a_call_on_secret_inputs_it_is_not_told_which_name_was_called():
    told = {name: weighed([], seen("fit", name=name)) for name in ("scipy", "sorted")}
    assert told["scipy"] == told["sorted"]
    assert "fit uses numpy.linalg.lstsq or scipy or .backward or sorted when it runs" in told["scipy"]["fit"]
    assert "fit uses sorted when" in weighed(seen("fit", name="sorted"), seen("fit", name="scipy"))["fit"]


MEAN = 'asks = ["centre"]\nforbids = ["numpy.mean", ".mean"]'
BY_HAND = "def centre(X):\n    return X - X.sum(axis=0) / len(X)"
EASY = "import numpy\ndef centre(X):\n    return X - numpy.mean(X, axis=0)"


@pytest.fixture
def strict(tiny):
    """The tiny course, in which the mean is to be written by hand."""
    tiny.edit(tiny.assignment / "assignment.toml", 'asks = ["centre"]', MEAN)
    tiny.edit(tiny.solution / "tiny.py", "return X - X.mean(axis=0)", "return X - X.sum(axis=0) / len(X)")
    tiny.edit(tiny.solution / "misconceptions.py", 'old="X.mean(axis=0)"', 'old="X.sum(axis=0) / len(X)"')
    done = tiny.redink("build", "tiny")
    assert done.returncode == 0, done.stderr
    return tiny


def cell_of(desk) -> int:
    return next(index for index, source in desk.sources().items() if "def centre" in source)


def test_a_grade_tells_it_in_public_and_hidden_checks_and_gives_no_hint(strict):
    cell = cell_of(strict)
    strict.hand_in("by_hand", {cell: BY_HAND})
    strict.hand_in("easy", {cell: EASY})
    results = strict.grade("class")
    assert results["by_hand"]["score"] == 100
    easy = results["easy"]
    assert easy["score"] == 0
    assert easy["questions"][0]["hint"] is None
    for check in easy["questions"][0]["checks"]:
        assert check["verdict"] == "failed"
        assert "centre uses numpy.mean, which this question asks you to do without" in check["message"]


def test_forbidding_later_is_judged_again_without_running_anything(tiny):
    tiny.hand_in("easy", {cell_of(tiny): EASY})
    assert tiny.grade("class")["easy"]["score"] == 100
    tiny.edit(tiny.assignment / "assignment.toml", 'asks = ["centre"]', 'asks = ["centre"]\nforbids = ["numpy.mean"]')
    done = tiny.redink("rejudge", "tiny", boxes=False)
    assert "easy 100 0 -100 centre 100 → 0" in " ".join(done.stdout.split()), done.stdout + done.stderr


SUM = "X.sum(axis=0) / len(X)"
BY_A_HELPER = "def average(X):\n    return X.mean(axis=0)\ndef centre(X):\n    return X - average(X)"
BY_COMPUTING = "def centre(X):\n    return X - getattr(X, 'me' + 'an')(axis=0)"
IN_A_BOX = "tools = {'a': np.mean}\ndef centre(X):\n    return X - tools['a'](X, axis=0)"
HONEST = f"np.mean([1, 2])\ndef show(X):\n    return X.mean()\nshow(np.eye(2))\ndef centre(X):\n    return X - {SUM}"


@pytest.fixture
def half_strict(little):
    """The little course, in which `centre` must do without the mean, and `scale` may use it."""
    little.edit(little.assignment / "assignment.toml", 'asks = ["centre"]', MEAN)
    little.edit(little.solution / "little.py", "return X - X.mean(axis=0)", f"return X - {SUM}")
    little.edit(little.solution / "misconceptions.py", 'old="X.mean(axis=0)"', f'old="{SUM}"')
    return little


def test_what_is_called_costs_its_own_question_and_honest_use_elsewhere_nothing(half_strict):
    ways = {"honest": HONEST, "helper": BY_A_HELPER, "computing": BY_COMPUTING, "box": IN_A_BOX}
    for name, cell in ways.items():
        half_strict.hand_in(name, {CENTRE: cell, SCALE: "def scale(X):\n    return centre(X) / centre(X).std(axis=0)"})
    half_strict.hand_in("reference")
    results = half_strict.grade("class")
    assert {name: one["score"] for name, one in results.items()} == {
        "reference": 100, "honest": 100, "helper": 60, "computing": 60, "box": 60
    }  # fmt: skip
    names = {"helper": ".mean", "computing": ".mean", "box": "numpy.mean"}
    for who, name in names.items():
        for check in results[who]["questions"][0]["checks"]:
            assert f"centre uses {name} when it runs, which this question asks you to do without" in check["message"]
        assert results[who]["questions"][0]["hint"] is None


def test_forbidding_later_is_looked_for_when_graded_again(little):
    little.hand_in("helper", {CENTRE: BY_A_HELPER})
    assert little.grade("class")["helper"]["score"] == 100
    little.edit(little.assignment / "assignment.toml", 'asks = ["centre"]', 'asks = ["centre"]\nforbids = [".mean"]')
    told = little.redink("rejudge", "little", boxes=False).stdout
    assert "0 would change" in told and "observed under older code or libraries" in told
    assert little.grade("class")["helper"]["score"] == 60


def test_a_reference_that_calls_what_it_forbids_is_told_by_verify(half_strict):
    easy = "getattr(X, 'me' + 'an')(axis=0)"
    half_strict.edit(half_strict.solution / "little.py", f"return X - {SUM}", f"return X - {easy}")
    half_strict.edit(half_strict.solution / "misconceptions.py", f'old="{SUM}"', f'old="{easy}"')
    half_strict.edit(half_strict.solution / "alternatives.py", "return X - X.mean", "return X - ", count=2)
    done = half_strict.redink("verify", "little")
    assert "the reference gets 0 of 40 in centre" in done.stdout, done.stdout + done.stderr
    assert "centre uses .mean when it runs" in done.stdout


def test_the_student_is_told_at_home(strict, monkeypatch):
    monkeypatch.chdir(strict.assignment)
    names = {"_ih": ["", EASY]}
    exec(EASY, names)
    here = {**names, "check": Checker()}
    exec("card = check('centre')", here)
    assert "Centre uses" not in repr(here["card"])
    assert "centre uses numpy.mean, which this question asks you to do without" in repr(here["card"])
    assert not here["card"].passed
    here["_ih"].append(BY_HAND)
    exec(BY_HAND, here)
    exec("card = check('centre')", here)
    assert here["card"].passed


def test_the_terminal_tells_it_too(strict):
    notebook = strict.hand_in("easy", {cell_of(strict): EASY})
    notebook = notebook.rename(strict.assignment / "mine.ipynb")
    done = strict.redink("check", notebook)
    assert done.returncode == 1, done.stderr
    assert "centre uses numpy.mean" in done.stdout


def test_a_reference_that_uses_what_it_forbids_is_told_by_verify(tiny):
    tiny.edit(tiny.assignment / "assignment.toml", 'asks = ["centre"]', MEAN)
    done = tiny.redink("verify", "tiny")
    assert done.returncode == 1
    assert "the reference gets 0 of 100 in centre" in done.stdout
    assert "centre uses .mean" in done.stdout


@pytest.mark.parametrize("name", ["", "numpy.", "a b", "..mean"])
def test_an_odd_name_is_refused(tiny, name):
    from redink.assignment.spec import read_spec

    odd = f'asks = ["centre"]\nforbids = ["{name}"]'
    tiny.edit(tiny.assignment / "assignment.toml", 'asks = ["centre"]', odd)
    with pytest.raises(AuthorError, match="write a full name"):
        read_spec(tiny.assignment)
