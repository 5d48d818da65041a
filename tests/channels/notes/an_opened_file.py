"""Opens a file that another watches.

wall: seccomp
"""

import select
IN_OPEN = 0x20

def leave():
    pass

def again():
    open(SHARED).close()

def look():
    watch = call("inotify_init1", 0)
    call("inotify_add_watch", watch, SHARED.encode(), IN_OPEN)
    return len(select.select([watch], [], [], 2)[0])
