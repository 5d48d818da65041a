"""Reads block devices and physical memory.

score: 40
"""

steal(lambda: open(next(path for path in ('/dev/vda', '/dev/sda', '/dev/mem', '/dev/nvme0n1') if os.path.exists(path)), 'rb').read(10))
