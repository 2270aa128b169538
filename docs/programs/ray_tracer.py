"""A ray tracer: three spheres over a chessboard, with shadows and mirrors, all rays at once."""
import numjit as np


def inputs():
    centre = np.array([[0.0, 1.0, 4.0], [-1.7, 0.6, 3.0], [1.5, 0.5, 2.6]])
    radius = np.array([1.0, 0.6, 0.5])
    colour = np.array([[0.9, 0.2, 0.2], [0.2, 0.8, 0.3], [0.3, 0.3, 0.9]])
    return centre, radius, colour, 24, 32, 3


def unit(v):
    return v / np.linalg.norm(v, axis=-1, keepdims=True)


def dot(a, b):
    return np.sum(a * b, axis=-1)


def hit(start, way, centre, radius):
    """Distance to each sphere and to the floor (y = 0) along the rays, infinite where there is none: (spheres + 1, rays)."""
    to = centre[:, np.newaxis] - start
    along = dot(to, way)
    inside = radius[:, np.newaxis] ** 2 - (dot(to, to) - along ** 2)
    near = along - np.sqrt(np.maximum(inside, 0))
    spheres = np.where((inside > 0) & (near > 1e-4), near, np.inf)
    down = np.where(np.abs(way[:, 1]) > 1e-9, way[:, 1], 1e-9)
    floor = -start[:, 1] / down
    return np.concatenate([spheres, np.where(floor > 1e-4, floor, np.inf)[np.newaxis]])


def run(centre, radius, colour, rows, columns, bounces):
    y, x = np.meshgrid(np.linspace(0.9, -0.7, rows), np.linspace(-1.1, 1.1, columns), indexing="ij")
    way = unit(np.stack([x.ravel(), y.ravel() - 0.1, np.full(rows * columns, 1.5)], axis=1))
    start = np.zeros_like(way) + np.array([0.0, 1.0, -1.0])
    light = np.array([4.0, 6.0, -3.0])
    seen, share = np.zeros_like(way), np.ones((len(way), 1))
    first = np.full(len(way), -1)
    for bounce in range(bounces):
        distances = hit(start, way, centre, radius)
        thing = np.argmin(distances, axis=0)
        distance = np.min(distances, axis=0)
        missed = ~np.isfinite(distance)
        if bounce == 0:
            first = np.where(missed, -1, thing)
        place = start + np.where(missed, 0, distance)[:, np.newaxis] * way
        on_floor = thing == len(radius)
        ball = np.minimum(thing, len(radius) - 1)
        normal = np.where(on_floor[:, np.newaxis], np.array([0.0, 1.0, 0.0]), unit(place - centre[ball]))
        squares = (np.floor(place[:, 0]) + np.floor(place[:, 2])) % 2
        surface = np.where(on_floor[:, np.newaxis], (0.2 + 0.7 * squares)[:, np.newaxis], colour[ball])
        to_light = unit(light - place)
        shade = np.any(np.isfinite(hit(place + 1e-3 * normal, to_light, centre, radius)[:-1]), axis=0)
        bright = 0.1 + np.where(shade, 0, np.maximum(dot(normal, to_light), 0))
        sky = (0.5 + 0.5 * way[:, 1:2]) * np.array([0.5, 0.7, 1.0])
        mirror = np.where(missed, 0, np.where(on_floor, 0.15, 0.4))[:, np.newaxis]
        seen = seen + share * np.where(missed[:, np.newaxis], sky, (1 - mirror) * surface * bright[:, np.newaxis])
        share = share * mirror
        way = unit(way - 2 * dot(way, normal)[:, np.newaxis] * normal)
        start = place + 1e-3 * normal
    picture = np.clip(255 * seen ** (1 / 2.2), 0, 255).astype(np.float32)
    return picture.reshape(rows, columns, 3), first.reshape(rows, columns), np.mean(seen, axis=0)
