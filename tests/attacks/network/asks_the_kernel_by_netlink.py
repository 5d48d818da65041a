"""Opens a netlink socket.

score: 40
"""

import socket
steal(lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW))
