"""Connects to a socket file, as of Docker.

score: 40
"""

import socket
steal(lambda: socket.socket(socket.AF_UNIX).connect(SOCKET))
