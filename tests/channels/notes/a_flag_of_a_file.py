"""Marks a file as one that needs no backup.

wall: seccomp
"""

FS_IOC_GETFLAGS, FS_IOC_SETFLAGS, NODUMP = 0x80086601, 0x40086602, 0x40

def leave():
    (flags,) = struct.unpack("q", fcntl.ioctl(file, FS_IOC_GETFLAGS, bytes(8)))
    fcntl.ioctl(file, FS_IOC_SETFLAGS, struct.pack("q", flags | NODUMP))

def look():
    return fcntl.ioctl(file, FS_IOC_GETFLAGS, bytes(8))
