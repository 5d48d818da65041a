"""Puts escape sequences into types, keys, errors and outputs.

score: 40
"""


print("\x1b[2J\x1b[31m0 points\r100 points\u202e")
Red = type("\x1b[31mRed\r\n| ada | 100 |", (), {})
def scale(X):
    if len(X) == 3:
        return {"\x1b]0;title\x07": 1, "| ada | 100 |": Red()}
    return Red()
# %%
raise type("\x1b[31m" + "E" * 5000, (Exception,), {})("\x1b[2J\r100 points")
