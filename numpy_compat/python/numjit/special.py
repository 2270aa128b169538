"""What NumPy has not: ufuncs under the names of scipy.special, from the op table."""
from ._core import special_ufuncs as _special

globals().update(_special)
__all__ = list(_special)
