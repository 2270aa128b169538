"""nditer: several arrays element by element, broadcast against each other, in NumPy's order."""
import itertools
import math

from . import _core as C
from ._creation import asarray
from ._functions import broadcast_shapes, empty
from ._info import result_type

_FLAGS = frozenset("buffered c_index copy_if_overlap common_dtype delay_bufalloc external_loop f_index grow_inner multi_index ranged "
                   "reduce_ok refs_ok zerosize_ok".split())
_OP_FLAGS = frozenset("readwrite readonly writeonly aligned allocate arraymask contig copy nbo no_broadcast no_subtype "
                      "overlap_assume_elementwise updateifcopy virtual writemasked".split())
_ENDED = "Iterator is past the end"


class _Operand:
    """One array of an iteration: the view that is iterated over, as wide as all of them together."""

    def __init__(self, given, flags, dtype):
        unknown = [f for f in flags if f not in _OP_FLAGS]
        if unknown:
            raise ValueError(f'Unexpected per-op iterator flag "{unknown[0]}"')
        if given is None and not {"readwrite", "writeonly", "allocate"} & set(flags):
            flags = [*flags, "writeonly", "allocate"]
        access = [f for f in flags if f in ("readwrite", "readonly", "writeonly")]
        if len(access) != 1:
            raise ValueError("None of the iterator flags READWRITE, READONLY, or WRITEONLY were specified for an operand" if not access else
                             "Only one of the iterator flags READWRITE, READONLY, and WRITEONLY may be specified for an operand")
        self.array = None if given is None else asarray(given)
        self.writes, self.flags, self.dtype = access[0] != "readonly", flags, dtype
        self.target = None  # what is written back to at the end
        if self.writes and self.array is not None and not self.array._writeable:
            raise ValueError("output array is read-only")

    def cast(self, dtype, place, casting, may_copy):
        """Of another dtype: a copy, which goes back into the array at the end."""
        if dtype is None or self.array is None or self.array.dtype == dtype:
            return
        reads = not self.writes or "readwrite" in self.flags
        for from_, to, does in ((self.array.dtype, dtype, reads), (dtype, self.array.dtype, self.writes)):
            if does and not C.can_cast(from_, to, casting):
                raise TypeError(f"Iterator operand {place} dtype could not be cast from {from_!r} to {to!r} according to the rule {casting!r}")
        if not may_copy and not {"copy", "updateifcopy"} & set(self.flags):
            raise TypeError("Iterator operand required copying or buffering, but neither copying nor buffering was enabled")
        self.target = self.array if self.writes else None
        self.array = C.astype(self.array, dtype)

    def widened(self, shape, axes):
        """The array with an axis for each of the iteration's, of step 0 where it has none or one of length 1."""
        a, steps, extents = self.array, [], []
        places = range(a.ndim - len(shape), a.ndim) if axes is None else axes
        for n, i in zip(shape, places):
            own = a.shape[i] if i is not None and i >= 0 else 1
            if own not in (1, n):
                raise ValueError("operands could not be broadcast together with the shape of the iteration")
            extents.append(n)
            steps.append(0 if own == 1 else a.strides[i])
        if "no_broadcast" in self.flags and any(s == 0 and n > 1 for s, n in zip(steps, extents)):
            raise ValueError(f"non-broadcastable operand with shape {a.shape} doesn't match the broadcast shape {tuple(shape)}")
        self.view = C._as_strided(a, extents, steps, self.writes)


class nditer:
    """Arrays element by element, broadcast against each other: views without axes, which can be written to with
    op_flags=["readwrite"]; with "external_loop" pieces of one axis."""

    def __init__(self, op, flags=None, op_flags=None, op_dtypes=None, order="K", casting="safe", op_axes=None, itershape=None,
                 buffersize=0):
        flags = list(flags or ())
        unknown = [f for f in flags if f not in _FLAGS]
        if unknown:
            raise ValueError(f'Unexpected iterator global flag "{unknown[0]}"')
        if order not in ("C", "F", "A", "K"):
            raise ValueError(f"order must be one of 'C', 'F', 'A', or 'K' (got {order!r})")
        given = list(op) if isinstance(op, (list, tuple)) else [op]
        if not given:
            raise ValueError("Must provide at least one operand")
        per_op = [list(op_flags)] * len(given) if op_flags and isinstance(op_flags[0], str) else op_flags
        per_op = [["readonly"] if a is not None else [] for a in given] if not per_op else [list(f) for f in per_op]
        if len(per_op) != len(given):
            raise ValueError("op_flags must be a tuple or array of per-op flag-tuples")
        dtypes = list(op_dtypes) if isinstance(op_dtypes, (list, tuple)) else [op_dtypes] * len(given)
        self._several = isinstance(op, (list, tuple)) and len(given) > 1
        self._ops = [_Operand(a, f, None if t is None else C.dtype(t)) for a, f, t in zip(given, per_op, dtypes)]
        self._external, self._tracks = "external_loop" in flags, [f for f in flags if f in ("c_index", "f_index", "multi_index")]
        if self._external and self._tracks:
            raise ValueError("Iterator flag EXTERNAL_LOOP cannot be used if an index or multi-index is being tracked")
        if "c_index" in flags and "f_index" in flags:
            raise ValueError("Iterator flags C_INDEX and F_INDEX cannot both be specified")
        self._cast("common_dtype" in flags, casting, "buffered" in flags)
        self._shape(itershape, op_axes, "reduce_ok" in flags, "zerosize_ok" in flags)
        self._order(order)
        self.reset()

    # ---- what is iterated over ----

    def _cast(self, common, casting, may_copy):
        arrays = [o.array for o in self._ops if o.array is not None]
        shared = result_type(*arrays) if arrays else C.float64
        for place, o in enumerate(self._ops):
            o.dtype = o.dtype or (shared if common or o.array is None else None)
            o.cast(o.dtype, place, casting, may_copy)

    def _shape(self, itershape, op_axes, may_reduce, may_be_empty):
        shapes = []
        for place, o in enumerate(self._ops):
            axes = op_axes[place] if op_axes else None
            if o.array is not None:
                shapes.append(o.array.shape if axes is None else tuple(o.array.shape[i] if i is not None and i >= 0 else 1 for i in axes))
        if itershape is not None:
            shapes.append(tuple(1 if n is None or n < 0 else n for n in itershape))
        self.shape = broadcast_shapes(*shapes)
        if 0 in self.shape and not may_be_empty:
            raise ValueError("Iteration of zero-sized operands is not enabled")
        for place, o in enumerate(self._ops):
            axes = op_axes[place] if op_axes else None
            if o.array is None:  # made with the axes that it has
                kept = [i for i in range(len(self.shape)) if axes is None or axes[i] is not None and axes[i] >= 0]
                o.array = empty(tuple(self.shape[i] for i in kept), o.dtype)
            o.widened(self.shape, axes)
            repeats = any(s == 0 and n > 1 for s, n in zip(o.view.strides, self.shape))
            if o.writes and repeats and not may_reduce:
                raise ValueError("output operand requires a reduction along dimension "
                                 f"{next(len(self.shape) - 1 - i for i, n in enumerate(self.shape) if n > 1 and o.view.strides[i] == 0)}, but the reduction is not "
                                 "enabled. The dimension size of 1 does not match the expected output shape.")
        self.ndim, self.nop, self.itersize = len(self.shape), len(self._ops), math.prod(self.shape)

    def _order(self, order):
        """Axes from the outermost to the innermost, and which of them are walked backwards."""
        axes, views = list(range(self.ndim)), [o.view for o in self._ops]
        falls = order == "F" or (order == "A" and all(v._f_contiguous for v in views) and not all(v._c_contiguous for v in views))
        self._backwards = [False] * self.ndim
        if falls:
            axes.reverse()
        elif order == "K":
            axes = self._by_steps([[abs(v.strides[i]) for v in views] for i in axes])
            for i in axes:
                ways = [v.strides[i] for v in views if v.strides[i]]
                self._backwards[i] = bool(ways) and max(ways) < 0 and self.shape[i] > 1
        self._axes = axes

    @staticmethod
    def _by_steps(steps):
        """Axes whose steps are smaller to the inside, by insertion as in NumPy: where the arrays disagree C order wins, and axes
        that do not tell, of step 0, are passed over."""
        found = []  # from the innermost
        for axis in range(len(steps) - 1, -1, -1):
            place = len(found)
            for at in range(len(found) - 1, -1, -1):
                told = [inner > outer for inner, outer in zip(steps[found[at]], steps[axis]) if inner and outer]
                if told and not all(told):
                    break
                place = at if told else place
            found.insert(place, axis)
        return found[::-1]

    def _pieces(self):
        """With an external loop: the views as one axis each if they are such, else rows of the innermost axes."""
        views = []
        for o in self._ops:
            key = tuple(slice(None, None, -1) if b else slice(None) for b in self._backwards)
            views.append(C.transpose(o.view[key], self._axes) if self.ndim else C.reshape(o.view, 1))
        long = [k for k, i in enumerate(self._axes) if self.shape[i] > 1]  # others are passed over
        shape = [self.shape[self._axes[k]] for k in long]
        steps = [[v.strides[k] for k in long] for v in views]
        inner = max(len(shape) - 1, 0)  # axes from here on are one
        while inner > 0 and all(s[inner - 1] == s[inner] * shape[inner] for s in steps):
            inner -= 1
        count, ends = math.prod(shape[inner:]), [s[-1] if s else 0 for s in steps]
        for outer in itertools.product(*map(range, shape[:inner])):
            index = [0] * max(len(self._axes), 1)
            for k, i in zip(long, outer):
                index[k] = i
            yield [C._as_strided(v[(*index, ...)], (count,), (s,), o.writes) for v, s, o in zip(views, ends, self._ops)]

    def _steps(self):
        if self._external:
            for piece in self._pieces() if self.itersize else ():
                yield None, piece
            return
        ranges = [range(self.shape[i] - 1, -1, -1) if self._backwards[i] else range(self.shape[i]) for i in self._axes]
        for at in itertools.product(*ranges):
            index = [0] * self.ndim
            for axis, i in zip(self._axes, at):
                index[axis] = i
            yield tuple(index), None

    # ---- where it stands ----

    def reset(self):
        """Begins anew."""
        self._iterator, self._begun, self.iterindex = self._steps(), False, 0
        self._take()

    def _take(self):
        self._now = next(self._iterator, None)
        self.finished = self._now is None
        if self.finished:
            self._write_back()

    def iternext(self):
        """Goes on by one. Whether there was anything left."""
        self.iterindex += self._now[1][0].size if self._external and self._now else 1
        self._take()
        return not self.finished

    def _at(self):
        if self.finished:
            raise ValueError(_ENDED)
        return self._now

    @property
    def value(self):
        """The views that it stands at: one, or a tuple."""
        index, piece = self._at()
        views = piece if index is None else [o.view[(*index, ...)] for o in self._ops]
        for v, o in zip(views, self._ops):
            if not o.writes:
                v.flags.writeable = False
        return tuple(views) if self._several else views[0]

    @property
    def multi_index(self):
        """The index of each axis."""
        if "multi_index" not in self._tracks:
            raise ValueError("Iterator is not tracking a multi-index")
        return self._at()[0]

    @property
    def index(self):
        """The flat index in C order ("c_index") or Fortran order ("f_index")."""
        if not self.has_index:
            raise ValueError("Iterator does not have an index")
        flat, index = 0, self._at()[0]
        order = range(self.ndim) if "c_index" in self._tracks else range(self.ndim - 1, -1, -1)
        for i in order:
            flat = flat * self.shape[i] + index[i]
        return flat

    has_index = property(lambda self: bool({"c_index", "f_index"} & set(self._tracks)), doc="Whether an index is tracked.")
    has_multi_index = property(lambda self: "multi_index" in self._tracks, doc="Whether the index of each axis is tracked.")
    has_delayed_bufalloc = False
    iterationneedsapi = False
    operands = property(lambda self: tuple(o.array if o.target is None else o.target for o in self._ops), doc="The arrays.")
    itviews = property(lambda self: tuple(o.view for o in self._ops), doc="The arrays as wide as the iteration.")
    dtypes = property(lambda self: tuple(o.array.dtype for o in self._ops), doc="The dtypes of what it gives.")

    # ---- as a Python object ----

    def __iter__(self):
        return self

    def __next__(self):
        if self._begun and not self.finished:
            self.iternext()
        self._begun = True
        if self.finished:
            raise StopIteration
        return self.value

    def __len__(self):
        return self.nop

    def __getitem__(self, i):
        value = self.value
        return (value if self._several else (value,))[i]

    def __setitem__(self, i, value):
        self[i][...] = value

    def _write_back(self):
        for o in self._ops:
            if o.target is not None:
                C.store(o.target, C.astype(o.array, o.target.dtype), None)

    def close(self):
        """What was written into copies goes into the arrays."""
        self._write_back()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def copy(self):
        """Another iteration, which stands where this one does."""
        made = nditer.__new__(nditer)
        made.__dict__.update(self.__dict__)
        self._iterator, made._iterator = itertools.tee(self._iterator)
        return made

    def enable_external_loop(self):
        """From the beginning in pieces of one axis."""
        if self._tracks:
            raise ValueError("Iterator flag EXTERNAL_LOOP cannot be used if an index or multi-index is being tracked")
        self._external = True
        self.reset()

    def remove_multi_index(self):
        """The index of each axis is not tracked any more."""
        self._tracks = [t for t in self._tracks if t != "multi_index"]
