"""Fails in 1,500 cells, each with the longest text that is kept.

score: 40
"""

cells = [f"raise ValueError('\\x1b[31m' + 'long ' * 100 + '{n}')" for n in range(1500)]
