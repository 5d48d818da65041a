"""Submissions that are more alike than their questions explain: code as runs of tokens, pairs that stand out, and pages."""
