"""Assignments of nbgrader and otter-grader as assignments of Redink: read, taken apart, written, tried in the box."""
