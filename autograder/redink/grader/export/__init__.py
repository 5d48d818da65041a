"""Grades on their way out: a platform's own file with the grades filled in, or a CSV file of ours."""
