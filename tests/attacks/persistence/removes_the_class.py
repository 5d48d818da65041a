"""Removes the class and the gradebook.

score: 40
"""

import shutil
shutil.rmtree(f"{COURSE}/class", ignore_errors=True)
for name in (f"{COURSE}/.redink/gradebook.sqlite", OTHER, BAIT):
    steal(lambda: os.unlink(name))
    steal(lambda: os.rename(name, name + "2"))
    steal(lambda: os.truncate(name, 0))
