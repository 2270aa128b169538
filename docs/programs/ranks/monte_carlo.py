"""Pi and the volume of a ball in five dimensions by Monte Carlo: every rank takes its part of the one stream of numbers."""
import numjit as np
from numjit import distributed

POINTS, DIMENSIONS = 60_000, 5


@np.compile
def inside(points):
    return np.sum(points * points, axis=1) < 1


def run():
    mine = distributed.part(POINTS)
    bits = np.random.Philox(9)
    bits.advance(mine.start * DIMENSIONS // 4)  # four numbers a block; POINTS is a multiple of what any 8 ranks need
    points = np.random.Generator(bits).random((mine.stop - mine.start, DIMENSIONS))
    hits, in_plane = inside(points), inside(points[:, :2])
    return (distributed.sum(hits.astype(np.float64)) / POINTS * 2 ** DIMENSIONS,
            distributed.sum(in_plane.astype(np.float64)) / POINTS * 4, distributed.sum(points, axis=0))
