"""ndarray.flat: the elements of an array as one axis."""
import inspect
import operator
import warnings

from . import _core as C
from . import _functions as F
from ._core import array_base as ndarray
from ._creation import asarray
from ._ufuncs import by_name, unravel

_NO_BOOLS = ("boolean indices for iterators are not supported because of previous behavior that was confusing "
             "(valid boolean indices are expected to work in the future)")
_VALID = "only integers, slices (`:`), ellipsis (`...`) and integer or boolean arrays are valid indices"


def _all_true_or_false(key):
    found = [k for k in key] if isinstance(key, (list, tuple)) else []
    return bool(found) and all(_all_true_or_false(k) if isinstance(k, (list, tuple)) else isinstance(k, bool) for k in found)


def _is_scalar(a):
    return a._is_scalar if isinstance(a, C.array_base) else not hasattr(a, "__setitem__")


def _warn(text):
    warnings.warn(text, DeprecationWarning, stacklevel=4)  # of the line that indexes


def _key(key, size, stores=False):
    """The index as NumPy's flat iterators take it: an integer, a slice, or an array."""
    if isinstance(key, tuple) and len(key) != 1:
        if not key and stores:
            raise IndexError("Assigning to a flat iterator with a 0-D index is not supported")
        if not key:
            return slice(None)
        if any(k is Ellipsis or k is None for k in key):
            raise IndexError(_VALID)
        raise IndexError(f"too many indices for flat iterator: flat iterator is 1-dimensional, but {len(key)} were indexed")
    if isinstance(key, tuple):
        key = key[0]
        if key is Ellipsis and stores:
            raise IndexError("Assigning to a flat iterator with a 0-D index is not supported")
    if key is Ellipsis:
        return slice(None)
    if isinstance(key, bool):
        _warn("Indexing flat iterators with a 0-dimensional boolean index is deprecated and may be removed in a future version. "
              "(Deprecated NumPy 2.4)")
        return 0 if key else slice(0, 0)
    if key is None or isinstance(key, (str, bytes)):
        raise IndexError(_VALID)
    if isinstance(key, (slice, int)):
        return key
    if _all_true_or_false(key):
        raise IndexError(_NO_BOOLS)
    given, key = key, asarray(key)
    if key.dtype.kind == "b":
        if key.ndim > 1:
            raise IndexError(f"too many indices for flat iterator: flat iterator is 1-dimensional, but {key.ndim} were indexed")
        if not key.ndim:
            if _is_scalar(given):
                raise IndexError(_NO_BOOLS)
            return 0 if key else slice(0, 0)
        if not len(key):
            return slice(0, 0)
        if len(key) != size:
            raise IndexError("boolean index did not match indexed flat iterator along axis 0; size of axis is "
                             f"{size} but size of corresponding boolean axis is {len(key)}")
    elif key.dtype.kind not in "iu":
        if getattr(given, "ndim", 0):
            raise IndexError("arrays used as indices must be of integer (or boolean) type")
        _warn("Invalid non-array indices for iterator objects are deprecated and will be removed in a future version. "
              "(Deprecated NumPy 2.4)")
        key = key.astype(C.int64)
    return key if key.ndim else operator.index(key.item())


class flatiter:
    """The elements in C order; an iterator, and indexable by one index."""

    __module__, __hash__ = "numjit", None
    __signature__ = inspect.Signature()  # as of a class that only attributes make

    def __init__(self, a, shape=None):
        self._base = self._view = asarray(a)  # of a scalar, which never changes, a copy
        if shape is not None:
            self._view = C.broadcast_to(self._base, shape)
        self._index = 0

    base = property(lambda self: self._base, doc="The array whose elements these are.")
    index = property(lambda self: self._index, doc="The number of the next element.")

    @property
    def coords(self):
        """The index tuple of the next element."""
        left, found = self._index, []
        for n in self._view.shape[::-1]:
            left, k = divmod(left, max(n, 1))
            found.append(k)
        if found:
            found[-1] += left * self._view.shape[0]  # behind the end
        return tuple(found[::-1])

    def __len__(self):
        return self._view.size

    def __iter__(self):
        return self

    def __next__(self):
        if self._index >= self._view.size:
            raise StopIteration
        at = self.coords
        self._index += 1
        return self._view[at]

    def __getitem__(self, key):
        key = _key(key, self._view.size)
        if isinstance(key, int):
            self._check(key)
        found = C.ravel(self._view)[key]
        return found if isinstance(key, int) else C.copy(asarray(found))

    def __setitem__(self, key, value):
        a = self._view
        if not a._writeable:
            raise ValueError("underlying array is read-only")
        key = _key(key, a.size, True)
        if isinstance(key, int):
            self._check(key)
            try:
                if not C.is_weak(value) and value is not None and not isinstance(value, (str, bytes)) and asarray(value).ndim:
                    raise ValueError("setting an array element with a sequence.")
                a[self._at(key % a.size)] = value
            except (TypeError, ValueError, OverflowError) as error:
                raise ValueError("Error setting single item of array.") from error
            return
        places = C.arange(0, a.size, 1, None)[key]
        if not places.size:
            return
        values = asarray(value) if not C.is_weak(value) else value
        if isinstance(values, ndarray):
            if not values.size:
                return
            values = F.resize(values.astype(a.dtype), (places.size,))
            places = C.ravel(places)
        a[unravel(places, a.shape) if a.ndim else ...] = values if a.ndim else values[0] if isinstance(values, ndarray) else values

    def __delitem__(self, key):
        raise TypeError("Cannot delete iterator elements")

    def _check(self, key):
        if not -self._view.size <= key < self._view.size:
            raise IndexError(f"index {key} is out of bounds for size {self._view.size}")

    def _at(self, flat):
        found = []
        for n in self._view.shape[::-1]:
            flat, k = divmod(flat, n)
            found.append(k)
        return tuple(found[::-1])

    def __array__(self, dtype=None, /, *, copy=None):
        made = C.ravel(self._view).__array__(dtype, copy=copy)
        if not copy and not self._view._c_contiguous:  # stores would not reach the elements
            made.flags.writeable = False
        return made

    def copy(self, /):
        """A copy of the elements."""
        return C.copy(C.ravel(self._view))


def _comparison(name):
    ufunc = by_name[name]

    def compare(self, other):
        return ufunc(C.ravel(self._view), C.ravel(other._view) if isinstance(other, flatiter) else other)
    return compare


for _method, _name in {"__eq__": "equal", "__ne__": "not_equal", "__lt__": "less", "__le__": "less_equal", "__gt__": "greater",
                       "__ge__": "greater_equal"}.items():
    setattr(flatiter, _method, _comparison(_name))


def _set_flat(a, value):
    if isinstance(a, C.scalar_types["generic"]):
        raise AttributeError("attribute 'flat' of 'numpy.generic' objects is not writable")
    flatiter(a)[:] = value


ndarray.flat = property(flatiter, _set_flat, doc="The elements in C order.")
