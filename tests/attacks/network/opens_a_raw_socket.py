"""Opens a raw socket.

score: 40
"""

import socket
steal(lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1))
