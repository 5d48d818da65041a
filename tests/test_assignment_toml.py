"""assignment.toml: what an author may say in it, and what is refused in one sentence."""

import pytest

from redink.assignment.spec import read_spec
from redink.errors import AuthorError

GOOD = """
title = "The perceptron"
slug = "perceptron"
order = 1
minutes = 360
data = ["points.csv"]

[limits]
check_cpu = 5
memory_mb = 512

[[questions]]
id = "step"
title = "One step"
points = 60
minutes = 40
asks = ["perceptron_step"]

[[questions]]
id = "train"
title = "Training"
tier = "core"
points = 40.0
asks = ["perceptron", "predict"]
uses = ["step"]

[[questions]]
id = "more"
title = "More"
tier = "extra"
points = 10
asks = ["more"]
"""


def read(folder, text):
    (folder / "assignment.toml").write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_spec(folder)


def test_everything_that_is_said_is_kept(tmp_path):
    spec = read(tmp_path, GOOD)
    assert (spec.title, spec.slug, spec.order, spec.minutes, spec.data) == (
        "The perceptron",
        "perceptron",
        1,
        360,
        ("points.csv",),
    )
    assert [question.id for question in spec.questions] == ["step", "train", "more"]
    assert (spec.limits.check_cpu, spec.limits.memory_mb) == (5, 512)
    assert spec.question("train").uses == ("step",)
    assert spec.question("train").asks == ("perceptron", "predict")
    assert spec.question("more").tier == "extra"


def test_what_is_left_out_has_a_default(tmp_path):
    spec = read(tmp_path, GOOD)
    assert (spec.torch, spec.bonus, spec.limits.cell_cpu, spec.limits.total_cpu) == (False, False, 20, 120)
    assert (spec.question("step").tier, spec.question("train").minutes, spec.question("step").uses) == ("core", 0, ())


def test_the_core_questions_make_up_the_full_marks_whatever_they_total(tmp_path):
    assert read(tmp_path, GOOD).full_marks == 100
    assert read(tmp_path, GOOD.replace("points = 60", "points = 2.5")).full_marks == 42.5


def test_extra_questions_do_not_count_among_the_full_marks(tmp_path):
    assert read(tmp_path, GOOD.replace("points = 10\n", "points = 77\n")).question("more").points == 77


def test_points_may_be_parts_that_add_up(tmp_path):
    thirds = GOOD.replace("points = 60", "points = 33.3").replace("points = 40.0", "points = 66.7")
    assert sum(question.points for question in read(tmp_path, thirds).questions) == pytest.approx(110)


REFUSED = {
    "not toml": ("title = ", ""),
    "not utf-8": (b'title = "\xff"', ""),
    "empty": ("", "missing required field"),
    "no slug": (GOOD.replace('slug = "perceptron"\n', ""), "missing required field slug"),
    "no questions": (
        'title = "T"\nslug = "t"\nquestions = []\n',
        "the core questions have no points",
    ),
    "another type": (GOOD.replace("order = 1", 'order = "first"'), "order: expected int, got str"),
    "an unknown field": (GOOD.replace("order = 1", "ordre = 1"), "there is no field ordre; did you mean order?"),
    "an unknown limit": (
        GOOD.replace("check_cpu", "check_wall"),
        "limits: there is no field check_wall; did you mean",
    ),
    "an unknown tier": (GOOD.replace('"extra"', '"bonus"'), "question 3, tier: invalid enum value 'bonus'"),
    "an unknown field of a question": (
        GOOD.replace("minutes = 40", "minuets = 40"),
        "question 1: there is no field minuets; did you mean minutes?",
    ),
    "a text for points": (GOOD.replace("points = 60", 'points = "60"'), "question 1, points: expected float, got str"),
    "too few points": (GOOD.replace("points = 60", "points = -1"), "question step has points that are not a number"),
    "no TOML": (GOOD.replace('"One step"', "One step"), "this is no TOML: "),
    "another format": (GOOD.replace("order = 1", "format = 2"), "this is format 2; this Redink reads format 1"),
    "points that are no number": (
        GOOD.replace("points = 60", "points = nan"),
        "points that are not a number from 0 upwards",
    ),
    "endless points": (GOOD.replace("points = 10\n", "points = inf\n"), "points that are not a number from 0 upwards"),
    "negative points": (
        GOOD.replace("points = 60", "points = 140").replace("points = 40.0", "points = -40"),
        "points that are not a number from 0 upwards",
    ),
    "a limit of 0": (
        GOOD.replace("check_cpu = 5", "check_cpu = 0"),
        "the limit check_cpu is 0; a limit is a number above 0",
    ),
    "no limit": (GOOD.replace("check_cpu = 5", "check_cpu = nan"), "the limit check_cpu is nan"),
    "data from elsewhere": (
        GOOD.replace('"points.csv"', '"../../solutions/perceptron/perceptron.py"'),
        "data names '../../solutions/perceptron/perceptron.py'; only files in this folder ship",
    ),
    "twice the same id": (GOOD.replace('id = "train"', 'id = "step"'), "two questions have the id 'step'"),
    "asks for nothing": (GOOD.replace('asks = ["more"]', "asks = []"), "question more asks for nothing"),
    "uses itself": (
        GOOD.replace('uses = ["step"]', 'uses = ["train"]'),
        "question train uses train, which is not an earlier",
    ),
    "uses a later one": (
        GOOD.replace('uses = ["step"]', 'uses = ["more"]'),
        "question train uses more, which is not an earlier",
    ),
    "uses an unknown one": (
        GOOD.replace('uses = ["step"]', 'uses = ["steps"]'),
        "question train uses steps, which is not",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_mistake_is_told_with_the_files_name(tmp_path, case):
    text, sentence = REFUSED[case]
    with pytest.raises(AuthorError) as told:
        read(tmp_path, text)
    assert str(told.value).startswith(f"{tmp_path / 'assignment.toml'}: ")
    assert sentence in str(told.value)


def test_a_folder_without_the_file_is_told(tmp_path):
    with pytest.raises(AuthorError, match=r"has no assignment\.toml"):
        read_spec(tmp_path)


def test_an_unknown_question_is_told_with_the_known_ones(tmp_path):
    with pytest.raises(AuthorError, match="perceptron has no question 'stp'; its questions are step, train, more"):
        read(tmp_path, GOOD).question("stp")
