"""Recurses in C until the stack is gone.

score: 40
says: segmentation fault|RecursionError|MemoryError|ended the process|took more than|used more than|waiting
"""

import sys
sys.setrecursionlimit(10**9)
def down(x): return down(x)
down(0)
