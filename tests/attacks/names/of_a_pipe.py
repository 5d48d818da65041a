"""Is a pipe into which nobody writes.

state: ungradable
"""

import os

def hand_in(folder, name, course):
    os.mkfifo(folder / f"{name}.ipynb")
