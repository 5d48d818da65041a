"""Ends in the middle.

state: ungradable
says: is not a notebook
"""

document = b'{"cells": [{"cell_type": "code", "sou'
