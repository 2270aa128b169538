"""What tests/distributed/python_test.py starts on several ranks: `python_ranks.py CASE`. Rank 0 says that all is well."""
import sys

import numpy

CASE = sys.argv[1]
if CASE == "mpi4py":
    from mpi4py import MPI
import numjit as np
from numjit import distributed


def check(got, expected):
    got = numpy.asarray(got)
    assert got.dtype == expected.dtype and numpy.array_equal(got, expected), f"got {got!r}\nexpected {expected!r}"


def made(rank):
    return numpy.random.default_rng(rank).standard_normal((4, 3))


def operations():
    world = distributed.world()
    rank, size = world.rank, world.size
    all_arrays = [made(r) for r in range(size)]
    x = np.array(all_arrays[rank])  # not memory that NumPy has, too
    stack = np.asarray(numpy.stack(all_arrays))
    for op in ("sum", "mean", "prod", "max", "min"):
        check(distributed.all_reduce(x, op), numpy.asarray(getattr(np, op)(stack, axis=0)))
    check(distributed.all_gather(x), numpy.concatenate(all_arrays))
    check(distributed.all_gather(x, axis=1), numpy.concatenate(all_arrays, axis=1))
    check(distributed.broadcast(x, size - 1), all_arrays[-1])
    check(distributed.reduce_scatter(x), numpy.asarray(np.sum(stack, axis=0))[distributed.part(4)])
    whole = numpy.random.default_rng(9).standard_normal((3000, 2))
    mine = np.asarray(whole)[distributed.part(3000)]
    check(distributed.sum(mine), numpy.asarray(np.sum(np.asarray(whole))))
    check(distributed.sum(mine, axis=0), numpy.asarray(np.sum(np.asarray(whole), axis=0)))
    check(distributed.exchange_halo(mine, 1, periodic=True)[:, 0], numpy.take(whole[:, 0], range(
        distributed.part(3000).start - 1, distributed.part(3000).stop + 1), mode="wrap"))
    check(distributed.permute(x, [(0, size - 1)]), all_arrays[0] if rank == size - 1 else numpy.zeros((4, 3)))
    check(distributed.all_to_all(np.full(size, rank)), numpy.arange(size))
    half = world.split(rank % 2)
    check(distributed.all_gather(np.array(rank), on=half), numpy.arange(rank % 2, size, 2))
    compiled = np.compile(lambda v: distributed.all_reduce(np.exp(v)) * 2)
    for _ in range(4):
        check(compiled(x), numpy.asarray(distributed.all_reduce(np.exp(x)) * 2))
    report = np.explain(compiled)(x)
    assert report.graph_break_count == 0 and len(report.graphs) == 1, report
    sent = report.communication  # at least its share of what the others need
    assert sent.operations == (size > 1) and sent.bytes >= x.nbytes * (size > 1) and 0 <= sent.hidden_ns <= sent.ns, report
    distributed.barrier()


def gradients():
    whole = numpy.random.default_rng(3).standard_normal((24, 2))
    x = np.asarray(whole)[distributed.part(24)]

    def loss(w, b, x):
        return np.mean(np.tanh(x @ w + b) ** 2)

    w, b = np.array([0.5, -1.0]), np.array(0.25)
    value, (slope, slope_b) = np.value_and_grad(loss, argnums=(0, 1))(w, b, np.asarray(whole))
    for step in (distributed.value_and_grad(loss, argnums=(0, 1), bucket_bytes=1), distributed.value_and_grad(loss, argnums=(0, 1)),
                 np.compile(distributed.value_and_grad(loss, argnums=(0, 1)))):
        for _ in range(3):
            got, (got_w, got_b) = step(w, b, x)
            assert np.allclose(got, value) and np.allclose(got_w, slope) and np.allclose(got_b, slope_b)
    (got, aux), _ = distributed.value_and_grad(lambda w: (np.sum(w * w), "more"), has_aux=True)(w)
    assert aux == "more" and float(got) == 1.25


def with_mpi4py():
    comm = MPI.COMM_WORLD
    assert distributed.world().size == comm.Get_size() and distributed.world().rank == comm.Get_rank()
    backwards = comm.Split(0, -comm.Get_rank())
    ours = distributed.communicator(backwards)
    check(distributed.all_gather(np.array(comm.Get_rank()), on=ours), numpy.arange(comm.Get_size())[::-1])
    check(distributed.all_reduce(np.array(1), on=backwards), numpy.array(comm.Get_size()))
    compiled = np.compile(lambda x: distributed.all_reduce(x * 2))
    for _ in range(3):
        total = comm.allreduce(1)
        check(compiled(np.array([total])), numpy.array([2 * total * comm.Get_size()]))
    try:
        distributed.communicator("world")
    except TypeError as e:
        assert str(e) == "[communicator] got an object of type 'str', expected a communicator of mpi4py.", e


def finalized():
    from mpi4py import MPI as library
    distributed.all_reduce(np.array(1))
    library.Finalize()
    try:
        distributed.all_reduce(np.array(1))
    except np.DeviceError as e:
        assert str(e).startswith("[distributed] MPI_Finalize was called before: nothing can be sent to other ranks any more."), e
    else:
        raise AssertionError("nothing was raised")


def throws():
    if distributed.world().rank == 1:
        raise KeyError("no cheese")
    try:
        distributed.all_reduce(np.zeros(2))
    except np.DeviceError as e:
        print(f"rank {distributed.world().rank} caught {e}", flush=True)


{"operations": operations, "gradients": gradients, "mpi4py": with_mpi4py, "finalized": finalized, "throws": throws}[CASE]()
if distributed.world().rank == 0:
    print(f"all well on {distributed.world().size} ranks")
