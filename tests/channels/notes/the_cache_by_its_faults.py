"""Drops a file from the kernel's cache; another counts how often it has to wait for the disk.

wall: seccomp
"""

import resource

def leave():
    os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)

again = leave

def look():
    file.read()
    time.sleep(0.2)
    place = mapped()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_majflt
    ctypes.string_at(place.value + SIZE // 2, 1)
    return resource.getrusage(resource.RUSAGE_SELF).ru_majflt - before
