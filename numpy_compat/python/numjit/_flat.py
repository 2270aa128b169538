"""ndarray.flat: the elements of an array as one axis."""
import operator

from . import _core as C
from . import _manipulation as M
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
        if len(key) != size:
            raise IndexError("boolean index did not match indexed flat iterator along axis 0; size of axis is "
                             f"{size} but size of corresponding boolean axis is {len(key)}")
    elif key.dtype.kind not in "iu":
        if getattr(given, "ndim", 0):
            raise IndexError("arrays used as indices must be of integer (or boolean) type")
        key = key.astype(C.int64)
    return key if key.ndim else operator.index(key.item())


class flatiter:
    """The elements in C order; an iterator, and indexable by one index."""

    __module__, __hash__ = "numjit", None

    def __init__(self, a):
        self.base, self.index = asarray(a), 0  # of a scalar, which never changes, a copy

    @property
    def coords(self):
        """The index tuple of the next element."""
        left, found = self.index, []
        for n in self.base.shape[::-1]:
            left, k = divmod(left, max(n, 1))
            found.append(k)
        if found:
            found[-1] += left * self.base.shape[0]  # behind the end
        return tuple(found[::-1])

    def __len__(self):
        return self.base.size

    def __iter__(self):
        return self

    def __next__(self):
        if self.index >= self.base.size:
            raise StopIteration
        at = self.coords
        self.index += 1
        return self.base[at]

    def __getitem__(self, key):
        key = _key(key, self.base.size)
        if isinstance(key, int):
            self._check(key)
        found = C.ravel(self.base)[key]
        return found if isinstance(key, int) else C.copy(asarray(found))

    def __setitem__(self, key, value):
        a = self.base
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
            values = M.resize(values.astype(a.dtype), (places.size,))
            places = C.ravel(places)
        a[unravel(places, a.shape) if a.ndim else ...] = values if a.ndim else values[0] if isinstance(values, ndarray) else values

    def _check(self, key):
        if not -self.base.size <= key < self.base.size:
            raise IndexError(f"index {key} is out of bounds for size {self.base.size}")

    def _at(self, flat):
        found = []
        for n in self.base.shape[::-1]:
            flat, k = divmod(flat, n)
            found.append(k)
        return tuple(found[::-1])

    def __array__(self, dtype=None, /, *, copy=None):
        return C.ravel(self.base).__array__(dtype, copy=copy)

    def copy(self, /):
        """A copy of the elements."""
        return C.copy(C.ravel(self.base))


def _comparison(name):
    ufunc = by_name[name]

    def compare(self, other):
        return ufunc(C.ravel(self.base), C.ravel(other.base) if isinstance(other, flatiter) else other)
    return compare


for _method, _name in {"__eq__": "equal", "__ne__": "not_equal", "__lt__": "less", "__le__": "less_equal", "__gt__": "greater",
                       "__ge__": "greater_equal"}.items():
    setattr(flatiter, _method, _comparison(_name))


def _set_flat(a, value):
    if isinstance(a, C.scalar_types["generic"]):
        raise AttributeError("attribute 'flat' of 'numpy.generic' objects is not writable")
    flatiter(a)[:] = value


ndarray.flat = property(flatiter, _set_flat, doc="The elements in C order.")
