"""Puts a process of its own into a group of its own; another asks for the groups of processes whose numbers are near.

wall: seccomp
"""

def leave():
    made = os.fork()
    if not made:
        os.setpgid(0, 0)
        time.sleep(3)
        os._exit(0)

def leads(pid):
    try:
        return os.getpgid(pid) == pid and os.getsid(pid) != pid
    except OSError:
        return False

def look():
    return sum(leads(os.getpid() + step) for step in range(-200, 200))
