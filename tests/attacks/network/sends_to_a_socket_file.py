"""Sends a datagram to a socket file, as of a log.

score: 40
"""

import socket
steal(lambda: socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendmsg([b'x'], [], 0, DATAGRAMS))
