"""Reads the hidden checks.

score: 40
"""

steal(lambda: open(f'{COURSE}/solutions/little/hidden_checks.py').read())
