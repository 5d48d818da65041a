"""Connects by IPv6.

score: 40
"""

import socket
steal(lambda: socket.create_connection(('::1', PORT), 1).send(b'x'))
