"""Aborts.

score: 40
says: aborted
"""

os.abort()
