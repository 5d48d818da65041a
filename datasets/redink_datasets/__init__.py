"""Data whose truth is known: made from a numpy `Generator`, offline, a few lines each.

A generator that returns a truth returns it exactly: the margin is the margin, not an estimate of it.
"""

from redink_datasets.planar import blobs, circle, xor
from redink_datasets.separated import Separated, lattice, separable, tight

__all__ = ["Separated", "blobs", "circle", "lattice", "separable", "tight", "xor"]
