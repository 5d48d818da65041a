"""Is JSON nested deeply and closed.

state: ungradable
says: notebook
"""

document = b'{"cells":' * 3000 + b'[]' + b'}' * 3000
