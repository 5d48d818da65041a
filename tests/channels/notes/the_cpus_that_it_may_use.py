"""Leaves itself one CPU; another asks which processes may use one alone.

wall: seccomp
"""

def leave():
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})

def cpus(pid):
    try:
        return len(os.sched_getaffinity(pid))
    except OSError:
        return 0

def look():
    if len(os.sched_getaffinity(0)) == 1:
        return "a machine of one CPU has nothing to tell"
    return any(cpus(os.getpid() + step) == 1 for step in range(-200, 200))
