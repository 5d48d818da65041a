"""Data for the course, offline: made from a numpy `Generator` with a known truth, or real and kept in the package.

A generator that returns a truth returns it exactly: the margin is the margin, not an estimate of it.
"""

from redink_datasets.chains import Chain, markov
from redink_datasets.ellipsoid import Ellipsoid, ellipsoid
from redink_datasets.hopping import hopping
from redink_datasets.pairs import latin
from redink_datasets.planar import blobs, circle, xor
from redink_datasets.regressed import Regression, low_rank, regression, spectral
from redink_datasets.separated import Separated, lattice, separable, tight
from redink_datasets.wandering import wandering
from redink_datasets.written import digits

__all__ = [
    "Chain",
    "Ellipsoid",
    "Regression",
    "Separated",
    "blobs",
    "circle",
    "digits",
    "ellipsoid",
    "hopping",
    "latin",
    "lattice",
    "low_rank",
    "markov",
    "regression",
    "separable",
    "spectral",
    "tight",
    "wandering",
    "xor",
]
