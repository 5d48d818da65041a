"""Opens a socket to the kernel's ciphers.

score: 40
"""

import socket
steal(lambda: socket.socket(getattr(socket, 'AF_ALG', 38), socket.SOCK_SEQPACKET))
