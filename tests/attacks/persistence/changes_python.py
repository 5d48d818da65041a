"""Changes a module that every submission imports.

score: 40
"""

import json
for act in ("a", "w", "r+"):
    steal(lambda: open(json.__file__, act).fileno())
steal(lambda: open(np.__file__, "a").fileno())
