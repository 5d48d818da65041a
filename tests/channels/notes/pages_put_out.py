"""Has the kernel put out the pages of a file; another counts how often it has to wait for the disk.

wall: seccomp
"""

import resource
MADV_PAGEOUT = 21
place = mapped()

def leave():
    ctypes.string_at(place.value, SIZE)
    call("madvise", place, ctypes.c_size_t(SIZE), MADV_PAGEOUT)

again = leave

def look():
    file.read()
    time.sleep(0.2)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_majflt
    ctypes.string_at(place.value + SIZE // 2, 1)
    return resource.getrusage(resource.RUSAGE_SELF).ru_majflt - before
