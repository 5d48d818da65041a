"""Sorts a copy and leaves the list as it was.

loses: sort
says: Expected None, got a list of 4
"""

def insertion_sort(a):
    return [x for _, x in zip(a, __import__('heapq').nsmallest(99, a))]
