"""Sends a datagram.

score: 40
"""

import socket
steal(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', PORT)))
