"""Reads even the public checks, which have no business in the box.

score: 40
"""

steal(lambda: open(f'{COURSE}/assignments/little/checks.py').read())
