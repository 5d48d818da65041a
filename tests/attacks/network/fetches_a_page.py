"""Fetches a page.

score: 40
"""

import urllib.request
steal(lambda: urllib.request.urlopen(f'http://127.0.0.1:{PORT}', timeout=1))
