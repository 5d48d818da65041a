"""Leaves files in all places where programs do."""

PLACES = ("/tmp", "/dev/shm", "/var/tmp", "/run", "/box", "..", os.environ["HOME"], os.environ["TMPDIR"])

def leave():
    for place in PLACES:
        attempt(lambda: open(f"{place}/redink_note", "w").close())

def look():
    return [place for place in PLACES if os.path.lexists(f"{place}/redink_note")]
