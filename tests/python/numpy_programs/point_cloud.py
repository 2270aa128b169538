"""A cloud of points turned by Euler's angles, the turn found again (Kabsch), and a view by a pinhole camera."""
from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy import cos, pi, sin


@dataclass
class Cloud:
    points: np.ndarray
    colours: np.ndarray
    name: str = "cloud"

    def __len__(self):
        return len(self.points)

    def centre(self):
        self.points -= self.points.mean(axis=0)
        return self

    def scaled(self, factor):
        return Cloud(self.points * factor, self.colours, self.name + " scaled")


def inputs():
    rng = np.random.default_rng(13)
    t = rng.uniform(0, 2 * pi, 60)
    h = rng.uniform(-1, 1, 60)
    points = np.column_stack([cos(t) * (1 + 0.3 * h), sin(t), 2 * h])
    return Cloud(points, rng.integers(0, 256, (60, 3), dtype=np.uint8)), (0.3, -0.5, 1.1), 13


def rotation(axis, angle):
    R = np.eye(3)
    i, j = [k for k in range(3) if k != axis]
    R[i, i] = R[j, j] = cos(angle)
    R[i, j], R[j, i] = -sin(angle), sin(angle)
    return R if axis != 1 else R.T


def kabsch(P, Q):
    """The rotation that takes P onto Q best."""
    H = np.einsum("ni,nj->ij", P - P.mean(axis=0), Q - Q.mean(axis=0))
    U, _, Vt = np.linalg.svd(H)
    D = np.eye(3)
    D.flat[-1] = np.sign(np.linalg.det(Vt.T @ U.T))
    return Vt.T @ D @ U.T


def camera(focal, size):
    centre = np.array(size) / 2

    def project(points):
        z = points[:, 2] + 6
        return focal * points[:, :2] / z[:, None] + centre, z

    return project


def draw(cloud, project, size):
    depth = np.full(size, np.inf)
    image = np.zeros(size + (3,), dtype=np.uint8)
    xy, z = project(cloud.points)
    cells = np.floor(xy).astype(int)
    ok = np.all((cells >= 0) & (cells < size), axis=1)
    for (x, y), d, c in zip(cells[ok], z[ok], cloud.colours[ok]):
        if d < depth[x, y]:
            depth[x, y] = d
            image[x, y] = c
    return image, depth


def run(cloud, angles, seed):
    rng = np.random.default_rng(seed)
    cloud.centre()
    R = reduce(np.matmul, [rotation(k, a) for k, a in enumerate(angles)])
    turned = np.einsum("ij,nj->ni", R, cloud.points)
    noisy = turned + rng.normal(0, 0.01, turned.shape)
    found = kabsch(cloud.points, noisy)
    angle = np.arccos((np.trace(found.T @ R) - 1) / 2) < 0.05
    big = cloud.scaled(1.5)
    image, depth = draw(big, camera(20.0, (16, 16)), (16, 16))
    seen = np.isfinite(depth)
    # All turned by a whole film of rotations at once
    film = np.array([rotation(2, a) for a in np.linspace(0, pi, 5)])
    frames = np.einsum("fij,nj->fni", film, cloud.points)
    boxes = np.stack([frames.min(axis=1), frames.max(axis=1)], axis=1)
    inertia = np.sum(cloud.points ** 2) * np.eye(3) - cloud.points.T @ cloud.points
    gaps = np.sqrt(((cloud.points[:, None] - cloud.points) ** 2).sum(-1))
    gaps.flat[::len(gaps) + 1] = np.inf
    moments = np.linalg.eigvalsh(inertia)
    return cloud, found, angle, image, depth[seen], boxes, moments, gaps.min(axis=1), len(big), big.name
