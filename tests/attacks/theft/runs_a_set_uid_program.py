"""Becomes root by a set-uid program.

score: 40
"""

import subprocess
steal(lambda: subprocess.run(['su', '-c', f'cat {BAIT}'], check=True, capture_output=True, input=b'').stdout)
