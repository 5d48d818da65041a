"""Prints to a stream that was bound when the function was defined."""

import sys
from functools import partial

say = partial(print, file=sys.stdout)

def print_triangle(n, out=sys.stdout):
    for k in range(1, n + 1):
        say("*" * k) if k % 2 else print("*" * k, file=out)
