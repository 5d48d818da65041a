"""Sleeps before it ends the process, in every call.

most: 40
says: ended the process
"""

import signal, time
def scale(X):
    time.sleep(2)
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(60)
