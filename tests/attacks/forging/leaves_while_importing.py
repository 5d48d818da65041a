"""Leaves with exit code 0 in its first cell.

score: 40
says: exit code 0
"""

os._exit(0)
