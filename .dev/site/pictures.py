"""The pictures of the gallery: every program of docs/programs is run, and what it found is drawn.

A row of PICTURES takes axes, the program's inputs and its results; rows of LARGER have inputs of a size that is worth looking at.
"""
import sys
from importlib import import_module
from pathlib import Path

import matplotlib
import numjit as np
from matplotlib.figure import Figure

PROGRAMS = Path(__file__).resolve().parents[2] / "docs" / "programs"
matplotlib.rcParams.update({"font.size": 9, "axes.spines.top": False, "axes.spines.right": False, "image.cmap": "viridis"})


def image(ax, values, colours=None, **options):
    ax.imshow(values, cmap=colours, **options)
    ax.axis("off")


def lines(ax, x, **curves):
    for name, y in curves.items():
        ax.plot(np.arange(len(y)) if x is None else x, y, label=name.replace("_", " "))
    ax.legend(frameon=False)


def points(ax, xy, colour=None, more=None):
    ax.scatter(xy[:, 0], xy[:, 1], c="tab:blue" if colour is None else matplotlib.colormaps["tab10"](colour % 10), s=14)
    if more is not None:
        ax.scatter(more[:, 0], more[:, 1], c="black", marker="x", s=50)


def bars(ax, heights, names=None):
    ax.bar(np.arange(len(heights)) if names is None else names, heights)


def falling(ax, **losses):
    lines(ax, None, **losses)
    ax.set_yscale("log")


def band(ax, x, middle, width, seen):
    ax.fill_between(x, middle - 2 * width, middle + 2 * width, alpha=0.25)
    ax.plot(x, middle)
    ax.plot(*seen, "k.")


LARGER = {
    "mandelbrot": lambda: (480, 360, 60),
    "newton_fractal": lambda: (np.array([1.0, 0.0, -2.0, 2.0]), 400, 300, 40),
    "perlin_noise": lambda: (np.random.default_rng(41).permutation(64), 180, 240),
    "ray_tracer": lambda: (*import_module("ray_tracer").inputs()[:3], 240, 320, 3),
    "ising": lambda: (7, 120, 60, 2.2),
    "sandpile": lambda: (61, 60, 60),
    "gray_scott": lambda: (*spots(120), 2500),
    "shallow_water": lambda: (drop(120), 60),
    "lattice_boltzmann": lambda: (cylinder(60, 160), 1500),
    "boids": lambda: (10 * np.random.default_rng(21).random((150, 2)), np.random.default_rng(5).normal(0, 0.3, (150, 2)), 60),
}


def spots(n):
    u, v = np.ones((n, n)), np.zeros((n, n))
    for row, column in np.random.default_rng(3).integers(10, n - 15, (12, 2)).tolist():
        u[row:row + 6, column:column + 6], v[row:row + 6, column:column + 6] = 0.5, 0.25
    return u, v + 0.02 * np.random.default_rng(2).random((n, n))


def drop(n):
    y, x = np.mgrid[0:n, 0:n]
    return 1.0 + 0.4 * np.exp(-((x - 0.35 * n) ** 2 + (y - 0.55 * n) ** 2) / (0.02 * n * n))


def cylinder(rows, columns):
    y, x = np.ogrid[0:rows, 0:columns]
    return (x - columns // 5) ** 2 + (y - rows // 2 + 2) ** 2 < 64


def arrows(ax, i, r):
    ax.quiver(r[0][:, 0], r[0][:, 1], r[1][:, 0], r[1][:, 1], np.arctan2(r[1][:, 1], r[1][:, 0]), cmap="twilight", scale=12)


def paths(ax, seen, found):
    for k in range(found.shape[1]):
        ax.plot(seen[:, k, 0], seen[:, k, 1], "k.", markersize=3)
        ax.plot(found[:, k, 0], found[:, k, 1])


PICTURES = {
    "american_option": lambda ax, i, r: lines(ax, i[0], american=r[0], european=r[1]),
    "asian_option": lambda ax, i, r: bars(ax, r[4], ["50%", "75%", "95%", "99%"]),
    "boids": arrows,
    "bootstrap": lambda ax, i, r: ax.stairs(r[4], r[5], fill=True),
    "conjugate_gradient": lambda ax, i, r: image(ax, r[1].reshape(9, 9)),
    "connected_components": lambda ax, i, r: image(ax, np.where(r[0] > 0, r[0] % 9 + 1, 0), "tab10"),
    "cubic_spline": lambda ax, i, r: (lines(ax, i[2], spline=r[0], slope=r[1]), ax.plot(i[0], i[1], "k.")),
    "fdtd": lambda ax, i, r: image(ax, r[0], "RdBu", vmin=-0.1, vmax=0.1),
    "fft_by_hand": lambda ax, i, r: lines(ax, None, signal=i[0][0], smooth=r[1][0]),
    "floyd_warshall": lambda ax, i, r: image(ax, r[0]),
    "gaussian_mixture": lambda ax, i, r: points(ax, i[0], r[3], r[1]),
    "gaussian_process": lambda ax, i, r: band(ax, i[2], r[2], r[3], i[:2]),
    "gray_scott": lambda ax, i, r: image(ax, r[1][1:-1, 1:-1]),
    "heat_implicit": lambda ax, i, r: lines(ax, np.linspace(0, 1, 18), start=r[0][0], later=r[0][3], last=r[0][-1]),
    "image_filters": lambda ax, i, r: image(ax, np.concatenate([i[0], r[0], r[2], 255 * r[4].astype(np.uint8)], axis=1), "gray"),
    "ising": lambda ax, i, r: image(ax, r[0], "gray"),
    "jacobi_eigenvalues": lambda ax, i, r: image(ax, r[1], "RdBu"),
    "jpeg": lambda ax, i, r: image(ax, np.concatenate([i[0], r[2]], axis=1), "gray"),
    "kalman_filter": lambda ax, i, r: (ax.plot(i[0][:, 0], i[0][:, 1], "k."), ax.plot(r[1][:, 0], r[1][:, 1])),
    "kdv": lambda ax, i, r: lines(ax, np.arange(64) * (20 / 64), before=i[0], after=r[0]),
    "kmeans": lambda ax, i, r: points(ax, i[0], r[1], r[0]),
    "lattice_boltzmann": lambda ax, i, r: image(ax, r[1], "RdBu", vmin=-0.05, vmax=0.05),
    "levenshtein": lambda ax, i, r: image(ax, r[2]),
    "life": lambda ax, i, r: image(ax, np.where(r[0] > 0, np.minimum(r[1], 9) + 3, 0), "magma"),
    "logistic_regression": lambda ax, i, r: ax.errorbar(np.arange(4), r[0], 2 * r[1], fmt="o", capsize=4),
    "lu": lambda ax, i, r: image(ax, r[4], "RdBu"),
    "mandelbrot": lambda ax, i, r: image(ax, np.log(r[1] + 1), "magma"),
    "nbody": lambda ax, i, r: ax.quiver(r[0][:, 0], r[0][:, 1], r[1][:, 0], r[1][:, 1], i[2]),
    "nearest_neighbours": lambda ax, i, r: points(ax, i[0], i[1], i[2]),
    "neural_network": lambda ax, i, r: points(ax, i[0], np.argmax(r[1], axis=1)),
    "newton_fractal": lambda ax, i, r: image(ax, r[1] + 1 - 0.04 * np.minimum(r[0], 20), "nipy_spectral"),
    "pagerank": lambda ax, i, r: bars(ax, r[0]),
    "pca": lambda ax, i, r: points(ax, r[2]),
    "perlin_noise": lambda ax, i, r: image(ax, r[1]),
    "poisson_fft": lambda ax, i, r: image(ax, r[0]),
    "poisson_jacobi": lambda ax, i, r: (image(ax, r[0]), ax.quiver(r[1][1], r[1][0], color="white")),
    "qr_householder": lambda ax, i, r: image(ax, np.concatenate([r[0], r[1]], axis=1), "RdBu"),
    "ray_tracer": lambda ax, i, r: image(ax, r[0].astype(np.uint8)),
    "sandpile": lambda ax, i, r: image(ax, r[0], "viridis"),
    "schrodinger": lambda ax, i, r: lines(ax, i[0], density=r[0], barrier=i[1] / 10),
    "shallow_water": lambda ax, i, r: image(ax, r[0], "Blues_r"),
    "sieve": lambda ax, i, r: lines(ax, r[0], primes=np.arange(len(r[0])), n_over_log_n=r[0] / np.log(r[0])),
    "sinkhorn": lambda ax, i, r: (points(ax, i[0]), points(ax, i[1]),
                                  ax.quiver(i[0][:, 0], i[0][:, 1], *(r[2] - i[0]).T, angles="xy", scale_units="xy", scale=1, width=3e-3)),
    "spectrogram": lambda ax, i, r: image(ax, r[0].T, "magma", origin="lower", aspect="auto"),
    "viterbi": lambda ax, i, r: lines(ax, None, path=r[0], chance=r[3][:, 1]),
    "wavelets": lambda ax, i, r: lines(ax, None, noisy=i[0] + i[1], smooth=r[0]),
    # Programs that differentiate; those that have a function picture() are drawn by it.
    "bundle_adjustment": lambda ax, i, r: falling(ax, misfit=r[0]),
    "gaussian_process_fit": lambda ax, i, r: falling(ax, loss=r[1] - np.min(r[1]) + 1e-6),
    "lstm": lambda ax, i, r: falling(ax, loss=r[0]),
    "mixture_by_gradient": lambda ax, i, r: points(ax, i[0], r[3], r[0]),
    "neural_ode": lambda ax, i, r: paths(ax, i[1], r[2]),
    "newton_cg": lambda ax, i, r: falling(ax, slope=r[3]),
    "optimisers": lambda ax, i, r: falling(ax, gradient_descent=r[0], momentum=r[1], adam=r[2], l_bfgs=r[3]),
    "pendulum_control": lambda ax, i, r: lines(ax, None, angle=r[2][:, 0], speed=r[2][:, 1], torque=r[1]),
}


def draw(program: Path, to: Path, report: Path) -> None:
    """Runs a program under compile and writes what it found as a picture, and what compile made of it as a page."""
    if str(program.parent) not in sys.path:
        sys.path.insert(0, str(program.parent))
    module = import_module(program.stem)
    inputs = LARGER.get(program.stem, module.inputs)()
    run = np.compile(module.run)
    run(*inputs)
    np.wait_for_compiles()
    with np.report_scope(report):
        results = run(*LARGER.get(program.stem, module.inputs)())
    figure = Figure(figsize=(4, 3), dpi=120, layout="constrained")
    ax = figure.add_subplot()
    if hasattr(module, "picture"):
        image(ax, module.picture(*results))
    else:
        PICTURES[program.stem](ax, inputs, results)
    figure.savefig(to)
