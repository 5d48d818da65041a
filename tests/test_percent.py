"""Our reader of text notebooks agrees with jupytext, and refuses what it does not read."""

from pathlib import Path

import jupytext
import pytest

from redink.errors import AuthorError
from redink.grader.assignment.percent import read_percent

MASTERS = sorted(
    path for path in (Path(__file__).parents[1] / "solutions").glob("*/*.py") if path.stem == path.parent.name
)


@pytest.mark.parametrize("path", MASTERS, ids=lambda path: path.stem)
def test_a_master_reads_as_jupytext_reads_it(path):
    text = path.read_text(encoding="utf-8")
    theirs = jupytext.reads(text, fmt="py:percent").cells
    ours = read_percent(text, path.name)
    assert [cell.source for cell in ours] == [cell.source for cell in theirs]
    assert [cell.markdown for cell in ours] == [cell.cell_type == "markdown" for cell in theirs]
    assert [list(cell.tags) for cell in ours] == [cell.metadata.get("tags", []) for cell in theirs]
    assert len(ours) > 3


def test_a_yaml_header_is_passed_over():
    text = "# ---\n# jupyter:\n#   kernelspec: {}\n# ---\n\n# %%\nx = 1\n"
    assert [cell.source for cell in read_percent(text, "here")] == ["x = 1"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("x = 1\n# %%\ny = 2\n", "before the first"),
        ('# %% [markdown]\n"""Prose in quotes."""\n', "must begin with `# `"),
        ("# %% [md]\n# Prose.\n", "no kind of cell"),
    ],
)
def test_what_it_does_not_read_is_told_with_the_place(text, told):
    with pytest.raises(AuthorError, match=told) as complaint:
        read_percent(text, "solutions/x/x.py")
    assert "solutions/x/x.py" in str(complaint.value)
