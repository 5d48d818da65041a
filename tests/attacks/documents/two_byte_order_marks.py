"""Has one byte order mark too many.

state: ungradable
says: is not a notebook
"""

document = b'\xef\xbb\xbf' * 2 + b'{"cells": []}'
