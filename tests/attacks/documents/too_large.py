"""Is larger than any notebook may be, and must be told its true size.

state: ungradable
says: is 70 MB; 50 MB are allowed
"""

document = b'{"cells": []' + b' ' * (70 * 2**20 - 13) + b'}'
