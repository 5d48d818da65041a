"""Opens the course secret by its path.

score: 40
"""

steal(lambda: open(f'{COURSE}/.redink/secret').read())
