"""Poisson's equation for a plate with charges, by red-black Gauss-Seidel with over-relaxation, in place on slices."""
from collections import namedtuple

import numpy as np
from numpy import pi, sin

Problem = namedtuple("Problem", "phi rho h")
Solution = namedtuple("Solution", "phi residuals sweeps field flux direction charge")


def inputs():
    n = 25
    phi = np.zeros((n, n))
    phi[0] = sin(pi * np.linspace(0, 1, n))          # a warm edge
    rho = np.zeros((n, n))
    rho[8, 8], rho[16, 16] = 60.0, -45.0
    return Problem(phi, rho, 1 / (n - 1)), 1e-9


COLOURS = [((1, 1), (2, 2)), ((1, 2), (2, 1))]        # red starts, then black ones


def relax(phi, rho, h, omega):
    for starts in COLOURS:
        for i, j in starts:
            here = phi[i:-1:2, j:-1:2]
            up, down = phi[i - 1:-2:2, j:-1:2], phi[i + 1::2, j:-1:2]
            left, right = phi[i:-1:2, j - 1:-2:2], phi[i:-1:2, j + 1::2]
            new = 0.25 * (up + down + left + right + h * h * rho[i:-1:2, j:-1:2])
            here += omega * (new - here)


def residual(phi, rho, h):
    r = np.zeros_like(phi)
    r[1:-1, 1:-1] = rho[1:-1, 1:-1] - (4 * phi[1:-1, 1:-1] - phi[:-2, 1:-1] - phi[2:, 1:-1]
                                       - phi[1:-1, :-2] - phi[1:-1, 2:]) / h ** 2
    return r


def run(problem, tol, max_sweeps=500):
    phi, rho, h = problem
    omega = 2 / (1 + sin(pi * h))
    history = []
    sweeps = 0
    error = np.inf
    while error > tol and sweeps < max_sweeps:
        relax(phi, rho, h, omega)
        sweeps += 1
        if sweeps % 5 == 0:
            error = np.abs(residual(phi, rho, h)).max() * h ** 2
            history.append(error)
    ey, ex = np.gradient(-phi, h)
    strength = np.hypot(ex, ey)
    direction = np.zeros_like(ex)
    np.divide(ex, strength, out=direction, where=strength > 1e-6)
    flux = h * (ey[-1].sum() - ey[0].sum() + ex[:, -1].sum() - ex[:, 0].sum())
    half = problem._replace(rho=rho / 2)
    return Solution(phi, history[:2], sweeps, strength, float(flux), direction[1:-1, 1:-1], half.rho.sum())
