"""Prints blanks at the ends of lines, and an empty line at the last."""

def print_triangle(n):
    for k in range(1, n + 1): print('*' * k, end='  \n')
    print()
