"""Opens the grader's memory.

score: 40
"""

steal(lambda: open(f'/proc/{GRADER}/mem', 'rb').fileno())
