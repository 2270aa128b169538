"""Programs of several ranks over MPI: arrays that ranks reduce, gather and exchange. `mpirun -n 4 python program.py`; see docs/distributed.md."""
import atexit
import operator
import sys

from . import _core as C
from ._creation import asarray
from ._transforms import value_and_grad as _value_and_grad

_D = C.distributed
__all__ = ["abort", "all_gather", "all_reduce", "all_to_all", "barrier", "broadcast", "communicator", "exchange_halo", "part", "permute",
           "reduce_scatter", "sum", "value_and_grad", "world"]

_world = None


def _watch_the_end():
    """An exception that nobody catches ends this rank: the others are told which. MPI of mpi4py's ends behind what is registered here."""
    why = [""]
    before = sys.excepthook

    def hook(kind, value, trace):
        why[0] = f"{kind.__name__}: {value}"
        before(kind, value, trace)

    sys.excepthook = hook
    atexit.register(lambda: _D.leave(why[0]))


def world():
    """The communicator of all ranks of the launcher. Without a launcher there is one rank."""
    global _world
    if _world is None:
        _world = _D.world()
        _watch_the_end()
    return _world


def communicator(comm):
    """A communicator of mpi4py for operations here. A duplicate is used; all its ranks call this."""
    if type(comm).__module__.partition(".")[0] != "mpi4py" or not hasattr(comm, "Get_rank"):
        raise TypeError(f"[communicator] got an object of type '{type(comm).__name__}', expected a communicator of mpi4py.")
    world()
    from mpi4py import MPI
    name = MPI.get_vendor()[0]
    return _D.adopt(MPI._handleof(comm) & 0xFFFFFFFFFFFFFFFF, "Open MPI" if name == "Open MPI" else "MPICH")


def _on(given):
    if given is None:
        return world()
    return given if isinstance(given, type(world())) else communicator(given)


def all_reduce(x, op="sum", *, on=None):
    """What reducing the stack of all ranks' arrays along its first axis gives, in these bits. `op`: sum, mean, prod, max or min."""
    return _D.all_reduce(asarray(x), op, _on(on))


def all_gather(x, axis=0, *, length=None, on=None):
    """The arrays of all ranks, joined along an axis; with `length`, that of the whole axis, each has its part of it."""
    return _D.all_gather(asarray(x), operator.index(axis), -1 if length is None else operator.index(length), _on(on))


def reduce_scatter(x, op="sum", axis=0, *, on=None):
    """This rank's part, along an axis, of what all_reduce gives."""
    return _D.reduce_scatter(asarray(x), op, operator.index(axis), _on(on))


def broadcast(x, root=0, *, on=None):
    """The array of one rank. The others give one of the same shape and dtype."""
    return _D.broadcast(asarray(x), operator.index(root), _on(on))


def all_to_all(x, axis=0, *, on=None):
    """An axis is cut into as many equal blocks as there are ranks: block i goes to rank i, and what came from there is block i."""
    return _D.all_to_all(asarray(x), operator.index(axis), _on(on))


def permute(x, pairs, *, on=None):
    """The array of rank `a` on rank `b` for each pair (a, b); zeros where nothing comes."""
    return _D.permute(asarray(x), [(operator.index(a), operator.index(b)) for a, b in pairs], _on(on))


def exchange_halo(u, width, axis=0, periodic=False, *, on=None):
    """The array with `width` rows of the ranks before and behind around it; zeros where there is no neighbour."""
    return _D.exchange_halo(asarray(u), operator.index(width), operator.index(axis), bool(periodic), _on(on))


def sum(x, axis=None, *, on=None):
    """The sum over an axis of which each rank has its part, with the bits of numjit.sum of the whole. None: over all, the first is parted."""
    return _D.sum(asarray(x), None if axis is None else operator.index(axis), _on(on))


def part(n, *, on=None):
    """The rows of this rank, of `n` cut evenly, as a slice."""
    return slice(*_D.part(operator.index(n), _on(on)))


def barrier(*, on=None):
    """Runs what is pending, and waits until all ranks are here. It ends a graph."""
    _D.barrier(_on(on))


def value_and_grad(fun, argnums=0, has_aux=False, *, parted=(), bucket_bytes=1 << 24, on=None):
    """numjit.value_and_grad of a loss that is the mean over the ranks of what `fun` returns on each: the same on all ranks.

    The arguments are the same on all ranks, but those numbered in `parted`, whose gradients are each rank's alone. Gradients travel
    in buckets of so many bytes, while the way back goes on.
    """
    inner = _value_and_grad(fun, argnums, has_aux)

    def call(*args, **kwargs):
        buckets = _D.Buckets([operator.index(i) for i in parted], operator.index(bucket_bytes), _on(on))
        buckets.begin()
        try:
            value, gradients = inner(*args, **kwargs)
        finally:
            buckets.end()
        if has_aux:
            return (buckets.mean_of(value[0]), value[1]), gradients
        return buckets.mean_of(value), gradients
    return call


def abort(text):
    """Leaves the program with status 1; what waits for this rank raises a DeviceError with the text."""
    world()
    sys.stdout.flush()
    _D.abort(str(text))
