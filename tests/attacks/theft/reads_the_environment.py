"""Looks for the secret in its environment.

score: 40
"""

steal(lambda: {'REDINK_SECRET': os.environ['REDINK_SECRET']})
