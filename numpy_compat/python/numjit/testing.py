"""numpy.testing for arrays of numjit: its functions, called with NumPy's arrays on the same memory. Needs NumPy."""
import functools

from numpy import testing as _theirs

from . import _core as C
from . import tree
from ._creation import asarray

# Their arguments after the first are those of a function of the user.
_AS_THEY_ARE = {"assert_raises", "assert_raises_regex", "assert_warns", "assert_no_warnings", "assert_no_gc_cycles", "assert_"}


def _to_numpy(x):
    """The same object in NumPy's terms."""
    if isinstance(x, C.array_base):
        made = x.__array__()
        return made[()] if x._is_scalar else made
    if isinstance(x, C.dtype):
        return x.__numpy_dtype__
    if isinstance(x, type) and C.scalar_types.get(x.__name__) is x:
        import numpy
        return getattr(numpy, x.__name__)
    if type(x) in (list, tuple):
        return type(x)(map(_to_numpy, x))
    if type(x) is dict:
        return {k: _to_numpy(v) for k, v in x.items()}
    return x


def _wrapped(function):
    @functools.wraps(function)
    def call(*args, **kwargs):
        return function(*map(_to_numpy, args), **{k: _to_numpy(v) for k, v in kwargs.items()})
    return call


def check_grads(f, args, order=2, forward=True, reverse=True, step=1e-5, rtol=1e-5, atol=1e-6):
    """AssertionError where a derivative of f(*args), up to `order`, forward (jvp) or backward (vjp), differs from the one by
    central differences along a random direction. Arguments and results are trees of arrays.

        >>> numjit.testing.check_grads(numjit.sin, (numjit.array([0.5, 1.0]),))
    """
    given, structure = tree.flatten(tuple(args))
    places = [i for i, leaf in enumerate(given) if isinstance(leaf, (C.array_base, float, complex))]

    def flat(arrays):
        leaves = list(given)
        for place, a in zip(places, arrays):
            leaves[place] = a
        return [leaf for leaf in tree.leaves(f(*tree.unflatten(structure, leaves))) if isinstance(leaf, C.array_base)]
    C.check_derivatives(flat, [asarray(given[place]) for place in places], order, forward, reverse, step, rtol, atol)


def __getattr__(name):
    found = getattr(_theirs, name)
    if name.startswith("assert") and name not in _AS_THEY_ARE:
        found = globals()[name] = _wrapped(found)
    return found


__all__ = [*_theirs.__all__, "check_grads"]
