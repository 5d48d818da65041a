"""Asks for a file that does not exist; another asks whether the kernel remembers that, and nothing else.

wall: seccomp
"""

OPENAT2, RESOLVE_CACHED = 437, 0x20

def leave():
    os.path.exists(f"{SHARED}_that_is_not_there")

again = leave

def look():
    how = struct.pack("QQQ", 0, 0, RESOLVE_CACHED)
    return call("syscall", OPENAT2, -100, f"{SHARED}_that_is_not_there".encode(), how, len(how))
