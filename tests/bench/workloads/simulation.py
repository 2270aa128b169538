"""Workloads that iterate over points: fractals, forces and distances between all pairs."""
import numpy as np

from workloads.base import Workload, uniform


def mandelbrot(xp, c):
    z = xp.zeros_like(c)
    count = xp.zeros(c.shape, dtype=xp.int32)
    for _ in range(50):
        inside = z.real * z.real + z.imag * z.imag < 4.0
        z = xp.where(inside, z * z + c, z)
        count = count + inside
    return count


def mandelbrot_numexpr(evaluate, c):
    cr, ci = c.real.copy(), c.imag.copy()
    zr, zi, n = np.zeros_like(cr), np.zeros_like(cr), np.zeros(c.shape, np.int32)
    for _ in range(50):
        d = {"zr": zr, "zi": zi, "cr": cr, "ci": ci, "n": n}
        d["inside"] = evaluate("zr * zr + zi * zi < 4.0", d)
        zr = evaluate("where(inside, zr * zr - zi * zi + cr, zr)", d)
        zi = evaluate("where(inside, 2 * (zr * zi) + ci, zi)", d)
        n = evaluate("where(inside, n + 1, n)", d)
    return n


def mandelbrot_jax(xp, c):  # a loop of the compiler, not 50 copies of its body
    from jax import lax

    def step(_, state):
        z, count = state
        inside = z.real * z.real + z.imag * z.imag < 4.0
        return xp.where(inside, z * z + c, z), count + inside
    return lax.fori_loop(0, 50, step, (xp.zeros_like(c), xp.zeros(c.shape, dtype=xp.int32)))[1]


def grid(low, high, shape):
    def make(rng):
        x, y = np.linspace(low.real, high.real, shape[1]), np.linspace(low.imag, high.imag, shape[0])
        return [x[None] + 1j * y[:, None]]
    return make


def newton(xp, z):  # for the roots of z^3 = 1
    for _ in range(50):
        z = z - (z * z * z - 1) / (3 * (z * z))
    return z


def newton_numexpr(evaluate, z):
    for _ in range(50):
        z = evaluate("z - (z * z * z - 1) / (3 * (z * z))", {"z": z})
    return z


def newton_jax(xp, z):
    from jax import lax
    return lax.fori_loop(0, 50, lambda _, z: z - (z * z * z - 1) / (3 * (z * z)), z)


def nbody(xp, x, y, z, mass):
    dx, dy, dz = x[None] - x[:, None], y[None] - y[:, None], z[None] - z[:, None]
    r2 = dx * dx + dy * dy + dz * dz + 1e-4
    pull = mass / (r2 * xp.sqrt(r2))
    return xp.sum(dx * pull, axis=1), xp.sum(dy * pull, axis=1), xp.sum(dz * pull, axis=1)


def nbody_numexpr(evaluate, x, y, z, mass):
    pairs = {"x": x[None], "xi": x[:, None], "y": y[None], "yi": y[:, None], "z": z[None], "zi": z[:, None], "m": mass}
    pairs["r2"] = evaluate("(x - xi)**2 + (y - yi)**2 + (z - zi)**2 + 1e-4", pairs)
    pairs["pull"] = evaluate("m / (r2 * sqrt(r2))", pairs)
    return tuple(evaluate(f"sum(({c} - {c}i) * pull, axis=1)", pairs) for c in "xyz")


def distances(xp, points):
    diff = points[:, None] - points[None]
    return xp.sqrt(xp.sum(diff * diff, axis=-1))


def distances_numexpr(evaluate, points):
    return np.sqrt(evaluate("sum((a - b) * (a - b), axis=2)", {"a": points[:, None], "b": points[None]}))


def kmeans(xp, points, centres):
    diff = points[:, None] - centres[None]
    return xp.argmin(xp.sum(diff * diff, axis=-1), axis=1)


def kmeans_numexpr(evaluate, points, centres):
    d = {"p": points[:, None], "c": centres[None]}
    return np.argmin(evaluate("sum((p - c) * (p - c), axis=2)", d), axis=1)


SIMULATION = [
    # At the border of the set rounding decides.
    Workload("mandelbrot", "Mandelbrot set, 50 iterations, 500x400 complex128", mandelbrot,
             grid(-2 - 1.25j, 0.5 + 1.25j, (400, 500)), mismatch=1e-2, bound="compute",
             numexpr=mandelbrot_numexpr, jax=mandelbrot_jax),
    Workload("newton", "Newton fractal, 50 iterations, 400x400 complex128", newton, grid(-2 - 2j, 2 + 2j, (400, 400)),
             rtol=1e-9, mismatch=1e-2, bound="compute", numexpr=newton_numexpr, jax=newton_jax),
    Workload("nbody", "forces of 2,000 bodies on each other, float64", nbody,
             uniform(*[(-1, 1, 2000)] * 3, (0.5, 1, 2000)), rtol=1e-9, bound="compute", numexpr=nbody_numexpr),
    Workload("distances", "distances of 2,000 points in space, float64", distances, uniform((0, 1, (2000, 3))),
             numexpr=distances_numexpr),
    Workload("kmeans", "k-means assignment, 1e5x8 float32, 16 centres", kmeans,
             uniform((0, 1, (10**5, 8)), (0, 1, (16, 8)), dtype=np.float32), bound="compute", numexpr=kmeans_numexpr),
]
