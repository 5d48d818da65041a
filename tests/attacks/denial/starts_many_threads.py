"""Starts as many threads as it gets.

score: 0
says: can't start new thread
"""

import threading, time
for _ in range(500):
    threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
