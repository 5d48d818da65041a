"""The answer key of one assignment under one secret."""
