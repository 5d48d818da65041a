"""Opens a socket to the machine's host.

score: 40
"""

import socket
steal(lambda: socket.socket(getattr(socket, 'AF_VSOCK', 40), socket.SOCK_STREAM))
