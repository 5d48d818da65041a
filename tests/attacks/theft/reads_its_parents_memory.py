"""Opens the memory of the process that made it.

score: 40
"""

steal(lambda: open(f'/proc/{os.getppid()}/mem', 'rb+').fileno() if os.getppid() else 1 / 0)
