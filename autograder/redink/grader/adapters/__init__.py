"""Handing assignments to other tools, and grades into their gradebooks: nbgrader, otter-grader, Gradescope."""
