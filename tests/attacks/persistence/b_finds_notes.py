"""Looks for notes of an earlier submission.

score: 40
"""

for place in (".", "..", os.environ["HOME"], "/tmp", "/dev/shm", "/var/tmp", "/box", "/run", COURSE, os.path.dirname(BAIT)):
    steal(lambda: open(f"{place}/redink_attack_note").read())
