"""Connects to an abstract socket.

score: 40
"""

import socket
steal(lambda: socket.socket(socket.AF_UNIX).connect('\0' + ABSTRACT))
