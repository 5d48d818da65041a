"""Opens a port.

score: 40
"""

import socket
steal(lambda: socket.create_server(('0.0.0.0', 0)))
