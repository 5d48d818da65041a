"""Opens a file that the grader holds open.

score: 40
"""

steal(lambda: open(f'/proc/{GRADER}/fd/{SECRET_FD}').read())
