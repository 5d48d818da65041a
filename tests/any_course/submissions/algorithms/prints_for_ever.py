"""Prints without end.

loses: triangle
"""

def print_triangle(n):
    while True: print('*' * 1000)
