"""The student's side: `check("question")` in a notebook, and the same checks from a terminal."""
