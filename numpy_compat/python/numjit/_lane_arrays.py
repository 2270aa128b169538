"""Arrays and tables inside functions of numbers: their elements are numbers of all lanes."""
import math

from . import _core as C
from ._creation import asarray, ascontiguousarray
from ._functions import broadcast_shapes
from ._info import int64
from ._lane_source import Refusal
from ._lane_values import DTYPES, HIGHEST, LOWEST, Lane, bounds, how_of, is_number, kind_of, of_numpy, raw, where
from ._ufuncs import by_name

_MOST = 1 << 14  # elements of an array made inside: each is an operation of its own


class Elements:
    """What an array holds: for each element of its memory the number, or all in one array with the elements' axis first."""

    def __init__(self, dtype, numbers=None, table=None):
        self.dtype, self.numbers, self.table = dtype, numbers, table
        self.known = {}

    def get(self, at):
        if self.numbers is not None:
            return self.numbers[at]
        if at not in self.known:
            self.known[at] = of_numpy(self.table[at])
        return self.known[at]

    def as_table(self):
        """All elements in one array, as gathers want them."""
        if self.table is None:
            arrays = C.functions.broadcast_arrays(*(asarray(raw(v)).astype(self.dtype) for v in self.numbers))
            self.table, self.known = C.stack(arrays, 0), {}
        return self.table


class Cells:
    """An array of a function of numbers: core axes of an argument, an array made inside, or a view of either.

    places: for each element, in order, its place in the memory.
    """

    def __init__(self, elements, shape, places, writable):
        self.elements, self.shape, self.places, self.writable = elements, shape, places, writable

    @property
    def ndim(self):
        return len(self.shape)

    @property
    def dtype(self):
        return self.elements.dtype

    @property
    def size(self):
        return len(self.places)

    def __len__(self):
        if not self.shape:
            raise Refusal("len() of an array without axes")
        return self.shape[0]

    def parts(self):
        """What a loop over it meets."""
        return [self.at((i,)) for i in range(len(self))]

    def at(self, key):
        """An element, or a view: an int or a slice of plain numbers for each of the first axes."""
        if len(key) > self.ndim:
            raise Refusal("more indices than axes")
        shape = []
        axes, strides = list(key) + [slice(None)] * (self.ndim - len(key)), _strides(self.shape)
        offsets = [0]
        for k, n, stride in zip(axes, self.shape, strides):
            if isinstance(k, slice):
                chosen = range(*k.indices(n))
                shape.append(len(chosen))
            else:
                if not -n <= k < n:
                    raise Refusal(f"index {k} is out of bounds for an axis of length {n}")
                chosen = (k % n,)
            offsets = [o + c * stride for o in offsets for c in chosen]
        if not shape:
            return self.elements.get(self.places[offsets[0]])
        return Cells(self.elements, tuple(shape), [self.places[o] for o in offsets], self.writable)

    def set(self, run, live, key, value):
        """A store to an element, or to a view."""
        if not self.writable:
            raise Refusal("a store into an array that comes from outside")
        target = self.at(key)
        if not isinstance(target, Cells):
            return self._store(run, live, self._place(key), value)
        values = value.flat() if isinstance(value, Cells) else [value] * target.size
        if isinstance(value, Cells) and value.shape != target.shape:
            raise Refusal("a store of an array of another shape")
        for place, v in zip(target.places, values):
            self._store(run, live, place, v)

    def flat(self):
        return [self.elements.get(p) for p in self.places]

    def _place(self, key):
        return self.places[sum(k % n * s for k, n, s in zip(key, self.shape, _strides(self.shape)))]

    def _store(self, run, live, place, value):
        given = self.stored(run, live, value)
        if live is not None:
            given = of_numpy(where(live, given.a, self.elements.get(place).a))
        self._own()[place] = given
        self.elements.table = None

    def _own(self):
        if self.elements.numbers is None:
            self.elements.numbers = [self.elements.get(i) for i in range(self.elements.table.shape[0])]
        return self.elements.numbers

    def stored(self, run, live, value):
        """A number as an element of this dtype."""
        dtype = self.dtype
        if not is_number(value):
            raise Refusal("a store of what is no number")
        if not isinstance(value, Lane):
            return of_numpy(asarray(C.array(value, dtype, True)))
        if value.how == "np":
            return of_numpy(value.a if value.a.dtype == dtype else value.a.astype(dtype))
        if kind_of(value) == "c" and dtype.kind != "c":
            raise Refusal("a store of a complex into an array of real numbers")
        if dtype.kind in "iu":
            integers_fit(run, live, value, dtype)
        return of_numpy(value.a.astype(dtype))

    # ---- indices that differ between lanes ----

    def gathered(self, run, live, key):
        """The elements at indices of which some are numbers of lanes."""
        flat = self._flat_index(run, live, key)
        table = self.elements.as_table()
        if self.places != list(range(table.shape[0])):
            flat = asarray(self.places).take(flat)
        return of_numpy(_taken(table, flat))

    def scattered(self, run, live, key, value):
        """A store at indices of which some are numbers of lanes."""
        if not self.writable:
            raise Refusal("a store into an array that comes from outside")
        flat, given = self._flat_index(run, live, key), self.stored(run, live, value)
        numbers = self._own()
        for i, place in enumerate(self.places):
            hit = flat == i
            numbers[place] = of_numpy(where(hit if live is None else hit & live, given.a, numbers[place].a))
        self.elements.table = None

    def _flat_index(self, run, live, key):
        if len(key) != self.ndim:
            raise Refusal("a row at an index that differs between lanes")
        flat = 0
        for k, n, stride in zip(key, self.shape, _strides(self.shape)):
            if isinstance(k, slice) or not is_number(k) or kind_of(k) not in "bi" or kind_of(k) == "b":
                raise Refusal("an index that is no int")
            at = raw(k)
            at = at.astype(int64) if isinstance(k, Lane) else at
            flat = flat + wrapped(run, live, at, n, bounds(k) if how_of(k) == "py" else (None, None)) * stride
        return flat


def wrapped(run, live, at, n, known):
    """Indices as places from 0 on; those out of bounds are flagged."""
    if not isinstance(at, C.array_base):
        if not -n <= at < n:
            run.flag(live, True)
            return 0
        return at % n
    low, high = known
    if low is not None and low >= 0 and high < n:
        return at
    run.flag(live, (at < -n) | (at >= n))
    return by_name["minimum"](by_name["maximum"](where(at < 0, at + n, at), 0), max(n - 1, 0))


def _taken(table, flat):
    """For each lane the element of its index; the table's lanes and those of the index may be broadcast."""
    if table.ndim == 1:
        return table.take(flat)
    shape = broadcast_shapes(table.shape[1:], flat.shape)
    table = C.broadcast_to(table, (table.shape[0], *shape))
    return C.functions.take_along_axis(table, C.broadcast_to(flat, (1, *shape)), 0)[0]


def _strides(shape):
    made, step = [], 1
    for n in reversed(shape):
        made.append(step)
        step *= n
    return made[::-1]


def integers_fit(run, live, value, dtype):
    """Flags lanes whose numbers an array of integers can't hold."""
    if kind_of(value) in "fm":
        run.flag(live, ~(by_name["absolute"](value.a) < 2.0 ** 63))
    low, high = _range(dtype)
    if kind_of(value) in "fm" or bounds(value)[0] < low or bounds(value)[1] > high:
        given = value.a.astype(int64)
        run.flag(live, (given < low) | (given > min(high, HIGHEST)))


def _range(dtype):
    bits = dtype.itemsize * 8
    return (0, 2 ** bits - 1) if dtype.kind == "u" else (-2 ** (bits - 1), 2 ** (bits - 1) - 1)


def of_argument(array, core):
    """The core axes of an argument, which are its last ones."""
    shape = tuple(array.shape[array.ndim - core:])
    loops = array.ndim - core
    if core == 0:
        return of_numpy(array)
    moved = C.transpose(array, [*range(loops, array.ndim), *range(loops)])
    table = ascontiguousarray(C.reshape(moved, (math.prod(shape), *array.shape[:loops])))
    return Cells(Elements(array.dtype, table=table), shape, list(range(math.prod(shape))), False)


def made_inside(shape, dtype, value):
    """An array that the function makes."""
    shape = (shape,) if type(shape) is int else tuple(shape)
    if not all(type(n) is int and n >= 0 for n in shape):
        raise Refusal("the shape of an array differs between lanes")
    if math.prod(shape) > _MOST:
        raise Refusal(f"an array of more than {_MOST} elements")
    number = of_numpy(asarray(C.array(value, dtype, True)))
    return Cells(Elements(C.dtype(dtype), numbers=[number] * math.prod(shape)), shape, list(range(math.prod(shape))), True)


def table_of(values):
    """A constant array, or a list or tuple of numbers, from which lanes take elements: the array, and whether they are NumPy's."""
    if isinstance(values, (list, tuple)):
        kinds = {type(v) for v in values}
        if len(kinds) != 1 or kinds - {int, float, bool, complex}:
            raise Refusal("an index that differs between lanes, into what holds other things than numbers of one type")
        if kinds == {int} and not all(-2 ** 63 <= v < 2 ** 63 for v in values):
            raise Refusal("an int of more than 64 bits")
        return asarray(list(values)), False
    return asarray(values), True


def looked_up(run, live, values, key):
    """An element of a constant table at indices that differ between lanes."""
    if isinstance(values, range):
        values = list(values)
    table, numpys = table_of(values)
    if table.ndim != len(key):
        raise Refusal("a row of a table at an index that differs between lanes")
    cells = Cells(Elements(table.dtype, table=C.ravel(table)), tuple(table.shape), list(range(table.size)), False)
    if not table.size:
        raise Refusal("an element of an empty table")
    made = cells.gathered(run, live, key)
    if numpys:
        return made
    kind = made.kind
    low, high = (min(values), max(values)) if kind == "i" else (LOWEST, HIGHEST)
    return Lane(made.a if made.a.dtype == DTYPES[kind] else made.a.astype(DTYPES[kind]), kind, low=low, high=high)
