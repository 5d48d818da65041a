"""Reads from address 0.

score: 40
says: segmentation fault
"""

import ctypes
ctypes.string_at(0)
