"""Says of a name that it is missing: which one depends on a hidden input.

score: 40
nowhere: factor is not defined
"""

import sys
def scale(X):
    frame = sys._getframe()
    while "student" not in frame.f_locals:
        frame = frame.f_back
    try:
        frame.f_locals["student"].nobody_has_written_this
    except AttributeError as error:
        kind = type(error)
    raise kind("factor" if "factor" in frame.f_locals else "X")
