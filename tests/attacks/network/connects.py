"""Connects to a port of this machine.

score: 40
"""

import socket
steal(lambda: socket.create_connection(('127.0.0.1', PORT), 1).send(b'x'))
