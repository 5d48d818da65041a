"""Sends a datagram to a socket file from a connected pair.

score: 40
"""

import socket
steal(lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0].sendmsg([b'x'], [], 0, DATAGRAMS))
