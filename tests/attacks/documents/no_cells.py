"""Has a number where the cells should be.

state: ungradable
says: no list of cells
"""

document = b'{"cells": 3, "nbformat": 4}'
