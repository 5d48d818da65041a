"""Returns what should be printed.

loses: triangle
says: Expected 2 lines, got none: nothing was printed
"""

def print_triangle(n):
    return '\n'.join('*' * k for k in range(1, n + 1))
