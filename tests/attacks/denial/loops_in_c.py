"""Loops in C, where no interruption reaches it.

score: 40
says: took more than|waiting
"""

import itertools
sum(itertools.repeat(0))
