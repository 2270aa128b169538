"""Heat in a plate by finite elements: triangles assembled with np.add.at, fixed edges, and the flux in each triangle."""
from dataclasses import dataclass, field

import numpy as np
import numpy.linalg as la
from _helpers import scatter_add


@dataclass
class Mesh:
    nodes: np.ndarray
    triangles: np.ndarray
    fixed: dict = field(default_factory=dict)


@dataclass
class Result:
    temperature: np.ndarray
    flux: np.ndarray
    energy: float
    note: str = ""


@dataclass
class Report:
    heated: Result
    plain_energy: float
    notes: list
    balanced: bool
    hottest: float


def inputs():
    n = 8
    x, y = np.meshgrid(np.linspace(0, 1, n), np.linspace(0, 1, n), indexing="ij")
    nodes = np.column_stack([x.ravel(), y.ravel()])
    cell = (np.arange(n - 1)[:, None] * n + np.arange(n - 1)).ravel()
    lower = np.column_stack([cell, cell + n, cell + 1])
    upper = np.column_stack([cell + n, cell + n + 1, cell + 1])
    mesh = Mesh(nodes, np.vstack([lower, upper]))
    return mesh, lambda p: np.exp(-20 * ((p - 0.5) ** 2).sum(axis=-1))


# Gradients of the three functions on the unit triangle
GRADS = np.array([[-1.0, -1.0], [1.0, 0.0], [0.0, 1.0]])


def geometry(mesh):
    corners = mesh.nodes[mesh.triangles]
    J = np.stack([corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]], axis=1)
    area = 0.5 * la.det(J)
    grads = np.einsum("tij,kj->tki", la.inv(J), GRADS)
    return corners.mean(axis=1), area, grads


def assemble(mesh, source):
    centre, area, grads = geometry(mesh)
    n = len(mesh.nodes)
    local = area[:, None, None] * (grads @ grads.transpose(0, 2, 1))
    K, f = np.zeros((n, n)), np.zeros(n)
    i = np.repeat(mesh.triangles, 3, axis=1)
    j = np.tile(mesh.triangles, (1, 3))
    np.add.at(K, (i.ravel(), j.ravel()), local.ravel())
    scatter_add(f, mesh.triangles, (area * source(centre) / 3)[:, None])
    return K, f


def fix(K, f, fixed):
    """Fixed values go into the system in place."""
    for node, value in fixed.items():
        f -= K[:, node] * value
        K[node] = K[:, node] = 0
        K[node, node] = 1
    for node, value in fixed.items():
        f[node] = value
    return K, f


def solve(mesh, source):
    K, f = assemble(mesh, source)
    free = K.copy()
    if not mesh.fixed:
        return Result(np.full(len(f), np.nan), np.zeros((0, 2)), 0.0, "nothing is fixed")
    fix(K, f, mesh.fixed)
    try:
        L = la.cholesky(K)
    except la.LinAlgError as error:
        return Result(np.zeros(len(f)), np.zeros((0, 2)), 0.0, "not positive: " + type(error).__name__)
    u = la.solve(L.T, la.solve(L, f))
    flux = -np.einsum("tki,tk->ti", geometry(mesh)[2], u[mesh.triangles])
    return Result(u, la.norm(flux, axis=1), float(u @ free @ u), "fine")


def run(mesh, source):
    nothing = solve(mesh, source)
    x, y = mesh.nodes.T
    mesh.fixed.update({int(k): 0.0 for k in np.flatnonzero(x < 1e-9)})
    mesh.fixed.update({int(k): 1.0 for k in np.flatnonzero(x > 1 - 1e-9)})
    heated = solve(mesh, source)
    plain = solve(mesh, lambda p: np.zeros(len(p)))
    assert np.allclose(plain.temperature, x)
    # Triangles the wrong way round make the matrix negative
    flipped = Mesh(mesh.nodes, mesh.triangles[:, ::-1], dict(mesh.fixed))
    bad = solve(flipped, source)
    row_sums = np.abs(assemble(mesh, source)[0].sum(axis=1)).max() < 1e-12
    return Report(heated, plain.energy, [nothing.note, bad.note], bool(row_sums), float(heated.temperature.max()))
