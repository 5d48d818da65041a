"""The grader's side: everything that must never enter the box or a bundle."""
