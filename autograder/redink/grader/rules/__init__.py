"""The course's own rules: who is in it, what is due when, and what a grade becomes by that; pure functions."""
