"""Leaves its root with chroot.

score: 40
"""

steal(lambda: os.chroot('.'))
