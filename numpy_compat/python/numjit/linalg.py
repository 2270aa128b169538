"""Linear algebra: norms, solutions, decompositions."""
from collections import namedtuple

from . import _core as C
from ._functions import linalg as _rows
from ._functions.linalg import *  # noqa: F401,F403

__all__ = ["LinAlgError", *sorted(name for name in vars(_rows) if not name.startswith("_"))]

EigResult = namedtuple("EigResult", "eigenvalues eigenvectors")
EighResult = namedtuple("EighResult", "eigenvalues eigenvectors")
QRResult = namedtuple("QRResult", "Q R")
SlogdetResult = namedtuple("SlogdetResult", "sign logabsdet")
SVDResult = namedtuple("SVDResult", "U S Vh")


def __getattr__(name):
    if name == "LinAlgError":  # NumPy's own class, and NumPy is loaded for it
        return C.LinAlgError
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
