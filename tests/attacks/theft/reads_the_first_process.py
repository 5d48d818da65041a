"""Opens memory, files and environment of process 1.

score: 40
"""

steal(lambda: open('/proc/1/mem', 'rb').fileno())
