"""Writes a start-up file for everybody's IPython.

score: 40
"""

home = os.path.expanduser("~")
steal(lambda: open(f"{HOME}/.ipython/profile_default/startup/evil.py", "w").fileno())
assert home != HOME
