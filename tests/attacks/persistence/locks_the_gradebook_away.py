"""Changes permissions and times of files that are not its own.

score: 40
"""

for name in (f"{COURSE}/.redink", f"{COURSE}/.redink/gradebook.sqlite", OTHER, BAIT, COURSE):
    for act in (lambda: os.chmod(name, 0), lambda: os.utime(name, (0, 0)), lambda: os.setxattr(name, "user.x", b"y")):
        try:
            act()  # may claim success; what counts is that nothing has changed
        except OSError:
            pass
