"""Looks in what it has from its zygote how many processes earlier submissions have started.

score: 40
"""

import gc
for one in gc.get_objects():
    if type(one).__name__ == "_Zygote" and (one._child or one._sleeper):
        loot.append(one)
