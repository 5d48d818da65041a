"""Leaves notes for the next submission wherever it can.

score: 40
"""

for place in (".", "..", os.environ["HOME"], "/tmp", "/dev/shm", "/var/tmp", "/box", "/run", COURSE, os.path.dirname(BAIT)):
    try:
        with open(f"{place}/redink_attack_note", "w") as note:
            note.write("dear friend")
    except OSError:
        pass
