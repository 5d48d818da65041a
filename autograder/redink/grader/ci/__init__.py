"""Grading in CI: finding the notebooks of a repository, grading them, and telling it in the formats of the platforms."""
