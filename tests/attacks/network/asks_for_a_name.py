"""Asks a name server.

score: 40
"""

import socket
steal(lambda: socket.getaddrinfo('example.com', 80))
