"""Asks for files that do not exist; another asks for them too, and measures how long the kernel looks for them.

open: root, root without namespaces, user, user without namespaces
"""

NAMES = [f"{SHARED}_timed_by_the_clock_{number}" for number in range(64)]

def leave():
    for name in NAMES:
        os.path.exists(name)

again = leave

def look():
    def took():
        before = time.perf_counter_ns()
        leave()
        return time.perf_counter_ns() - before
    return took() > 1.4 * min(took() for _ in range(5))
