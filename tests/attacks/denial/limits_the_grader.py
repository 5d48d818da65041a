"""Sets the grader's own limits to nothing.

score: 40
"""

import resource
steal(lambda: resource.prlimit(GRADER, resource.RLIMIT_NOFILE, (1, 1)))
steal(lambda: resource.prlimit(os.getppid() or 1, resource.RLIMIT_CPU, (1, 1)))
