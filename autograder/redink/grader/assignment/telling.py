"""What a notebook tells of its checks: numbers of hidden ones, never their names, and what extra questions are worth."""

from __future__ import annotations

import re

from redink.grader.assignment.assignment import Assignment
from redink.grader.assignment.master import MasterCell
from redink.student.points import hidden_ones

_CHECK_CELL = re.compile(r"""check\(["'](\w+)["']\)""")


def hidden_counts(assignment: Assignment) -> dict[str, int]:
    """Count the hidden checks that carry points, for each question."""
    return {
        question.id: sum(check.question == question.id and check.weight > 0 for check in assignment.hidden)
        for question in assignment.spec.questions
    }


def with_count(assignment: Assignment, source: str) -> str:
    """Say beside a cell's `check("question")` how many hidden checks follow; any other cell stays as it is."""
    asked = _CHECK_CELL.fullmatch(source.strip())
    counts = hidden_counts(assignment)
    if not asked or asked[1] not in counts:
        return source
    return f"{source.strip()}  # {hidden_ones(counts[asked[1]])} when it is graded"


def explained(assignment: Assignment) -> list[MasterCell]:
    """Return the master's cells; the first one of prose ends in what every notebook says of its checks."""
    cells = list(assignment.master.cells)
    first = next((place for place, cell in enumerate(cells) if cell.kind == "markdown"), None)
    if first is not None and assignment.public:
        paragraphs = [cells[first].source, _checking(assignment), extras_worth(assignment)]
        cells[first] = MasterCell(kind="markdown", source="\n\n".join(text for text in paragraphs if text))
    return cells


def _checking(assignment: Assignment) -> str:
    first = assignment.public[0]
    return (
        f'**How it is checked.** `check("{first.question}")` runs the public checks of that question, and `check()` those '
        f'of all. Where one fails, it shows a line such as `check.replay("{first.id}", 0)`: run it in a cell of your own, '
        "and you get that trial's `inputs`, the `expected` value (`None` where several answers are right) and what your "
        f'code `got`, as in `check.replay("{first.id}", 0).inputs`. Hidden checks run after you hand in; beside each '
        "`check` stands how many its question has."
    )


def extras_worth(assignment: Assignment) -> str:
    """Say what extra questions add to the grade: nothing, unless the course says so; then as much as it allows."""
    extra = sum(question.points for question in assignment.spec.questions if question.tier == "extra")
    if not extra:
        return ""
    rules, full = assignment.rules, assignment.spec.full_marks
    counted = assignment.spec.bonus if rules.extras is None else rules.extras
    if not counted:
        return (
            f"**What extra questions are worth.** They are for practice: their {extra:g} points are counted apart, "
            f"and your grade is made of the {full:g} points of the other questions alone."
        )
    most = extra if rules.extras_cap is None else min(extra, rules.extras_cap)
    return (
        f"**What extra questions are worth.** Their points come on top of the {full:g} of the core: at most {most:g}."
    )
