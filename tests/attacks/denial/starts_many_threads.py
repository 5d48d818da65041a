"""Starts as many threads as it gets.

most: 40
"""

import threading, time
for _ in range(500):
    threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
