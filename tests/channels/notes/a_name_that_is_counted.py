"""Asks for files that do not exist; another asks for them too, and sees whether the kernel now remembers more names.

wall: mount_ns
"""

NAMES = [f"{SHARED}_that_is_counted_{number}" for number in range(2000)]

def leave():
    for name in NAMES:
        os.path.exists(name)

again = leave

def look():
    before = remembered()
    leave()
    return remembered() - before > 1000

def remembered():
    return int(open("/proc/sys/fs/dentry-state").read().split()[0])
