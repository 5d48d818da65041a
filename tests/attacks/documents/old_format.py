"""Is in the format of ten years ago.

state: ungradable
says: old format
"""

document = b'{"worksheets": [], "nbformat": 3}'
