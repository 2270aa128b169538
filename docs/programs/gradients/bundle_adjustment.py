"""Bundle adjustment: cameras and points from where the points are seen, by Levenberg and Marquardt's steps with np.jacobian."""
import numjit as np


def inputs():
    rng = np.random.default_rng(12)
    points = rng.uniform(-1, 1, (12, 3)) + np.array([0.0, 0.0, 5.0])
    cameras = np.concatenate([rng.normal(0, 0.15, (4, 3)), rng.normal(0, 0.6, (4, 3))], axis=1)
    cameras[0] = 0.0                                           # the first camera is where the world begins
    seen = project(cameras, points) + rng.normal(0, 1e-3, (4, 12, 2))
    return cameras[1:] + rng.normal(0, 0.05, (3, 6)), points + rng.normal(0, 0.3, (12, 3)), seen, points


def turn(way, x):
    """Rodrigues's rotation of x by the vectors `way`: (n, 3) and (m, 3) give (n, m, 3)."""
    way = way[:, np.newaxis]
    square = np.sum(way ** 2, axis=-1, keepdims=True) + 1e-16  # a turn by nothing has a derivative, too
    angle = np.sqrt(square)
    once = np.cross(way, x)
    return x + np.sin(angle) / angle * once + (1 - np.cos(angle)) / square * np.cross(way, once)


def project(cameras, points):
    place = turn(cameras[:, :3], points) + cameras[:, np.newaxis, 3:]
    return place[..., :2] / place[..., 2:]


def run(cameras, points, seen, truth, rounds=12):
    def residuals(cameras, points):
        first = np.zeros((1, 6))
        return (project(np.concatenate([first, cameras]), points) - seen).ravel()

    losses, damping = np.empty(rounds), np.array(1e-3)
    for i in range(rounds):
        r = residuals(cameras, points)
        losses[i] = 0.5 * r @ r
        by_camera, by_point = np.jacobian(residuals, argnums=(0, 1))(cameras, points)
        j = np.concatenate([by_camera.reshape(len(r), -1), by_point.reshape(len(r), -1)], axis=1)
        # Nothing tells the scale of the world: the damping holds it.
        step = np.linalg.solve(j.T @ j + damping * np.eye(j.shape[1]), -j.T @ r)
        ahead = cameras + step[:cameras.size].reshape(cameras.shape), points + step[cameras.size:].reshape(points.shape)
        r = residuals(*ahead)
        better = 0.5 * r @ r < losses[i]                       # np.where, so that the graph goes on
        damping = np.where(better, damping / 10, damping * 10)
        cameras, points = np.where(better, ahead[0], cameras), np.where(better, ahead[1], points)
    scale = np.sum(points * truth) / np.sum(points ** 2)
    return losses, scale * points - truth


def check(losses, error):
    assert losses[-1] < 2e-4 * losses[0]
    # What is left is the noise, of which 96 numbers less 53 that are free remain.
    assert 0.7e-3 < np.sqrt(2 * losses[-1] / (96 - 53)) < 1.3e-3
    assert np.sqrt(np.mean(error ** 2)) < 0.03
