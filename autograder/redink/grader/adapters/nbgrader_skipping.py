"""A step of nbgrader's own way, named in nbgrader_config.py: which cells are not run when a submission is graded."""

from __future__ import annotations

from typing import Any

from nbgrader.preprocessors import NbGraderPreprocessor
from nbgrader.utils import is_grade

from redink.grader.assignment.master import EXPLORE

_SKIPPED = "skip-execution"  # what Jupyter takes for: not to be run


class SkipExplorations(NbGraderPreprocessor):  # type: ignore[misc] # no types
    """Leave out plots and long experiments, and nothing else.

    A test cell that is not run shows no error, which is full points to nbgrader; so a student's own tags are taken away.
    """

    def preprocess_cell(self, cell: Any, resources: Any, index: int) -> tuple[Any, Any]:
        """Tag an exploration as not to be run, and no other cell."""
        tags = [tag for tag in cell.metadata.get("tags", []) if tag != _SKIPPED]
        if EXPLORE in tags and not is_grade(cell):
            tags.append(_SKIPPED)
        if tags or "tags" in cell.metadata:
            cell.metadata["tags"] = tags
        return cell, resources
