"""Sleeps in every cell, each within its own limit.

score: 0
says: waited too long: 10 s
"""

import time
time.sleep(4)
# %%
time.sleep(4)
# %%
time.sleep(4)
# %%
time.sleep(4)
