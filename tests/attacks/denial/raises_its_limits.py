"""Raises its own limits.

score: 40
"""

import resource
for kind in (resource.RLIMIT_DATA, resource.RLIMIT_NPROC, resource.RLIMIT_CPU):
    steal(lambda: resource.setrlimit(kind, (resource.RLIM_INFINITY, resource.RLIM_INFINITY)))
