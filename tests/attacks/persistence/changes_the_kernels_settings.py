"""Writes to the kernel's settings.

score: 40
"""

steal(lambda: open("/proc/sys/kernel/core_pattern", "w").write("|/tmp/evil"))
steal(lambda: open("/proc/sys/vm/drop_caches", "w").write("3"))
steal(lambda: open("/proc/self/oom_score_adj", "w").write("-1000"))
