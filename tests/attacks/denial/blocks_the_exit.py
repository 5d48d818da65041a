"""Waits for ever when it is to end.

score: 40
"""

import atexit, time, threading
atexit.register(time.sleep, 1000)
threading.Thread(target=time.sleep, args=(1000,)).start()
