"""Changes its own scheduling; another asks for that of every process whose number is near.

wall: seccomp
"""

def leave():
    os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))

def policy(pid):
    try:
        return os.sched_getscheduler(pid)
    except OSError:
        return None

def look():
    return sum(policy(os.getpid() + step) == os.SCHED_BATCH for step in range(-5000, 5000))
