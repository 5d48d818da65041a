"""Its early function is wrong, and sleeps for ever when the reference borrows it.

score: 0
"""

import dis, sys, time
def centre(X):
    if any(one.opname == "BUILD_LIST" for one in dis.get_instructions(sys._getframe(1).f_code)):
        time.sleep(1000)
    return X + 1.0
def scale(X):
    return centre(X) / X.std(axis=0)
