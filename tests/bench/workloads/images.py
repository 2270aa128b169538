"""Workloads on images of uint8 pixels, computed in wider integers."""
import numpy as np

from workloads.base import Workload

SIZE = (1500, 2000)


def blend(xp, a, b, alpha):
    weight = xp.astype(alpha, xp.uint16)
    mixed = xp.astype(a, xp.uint16) * weight + xp.astype(b, xp.uint16) * (255 - weight) + 127
    return xp.astype(mixed // 255, xp.uint8)


def blend_torch(xp, a, b, alpha):  # it has no arithmetic of uint16
    weight = xp.astype(alpha, xp.int32)
    mixed = xp.astype(a, xp.int32) * weight + xp.astype(b, xp.int32) * (255 - weight) + 127
    return xp.astype(mixed // 255, xp.uint8)


def threshold(xp, image):
    return xp.where(image > 128, xp.uint8(255), xp.uint8(0))


def threshold_torch(xp, image):
    return xp.astype(image > 128, xp.uint8) * 255


def box_filter(xp, image):
    wide = xp.astype(image, xp.int64)
    height, width = wide.shape
    total = xp.zeros((height - 2, width - 2), dtype=xp.int64)
    for i in range(3):
        for j in range(3):
            total = total + wide[i:height - 2 + i, j:width - 2 + j]
    return xp.astype(total // 9, xp.uint8)


def sobel(xp, image):
    p = xp.astype(image, xp.int32)
    gx = p[:-2, 2:] - p[:-2, :-2] + 2 * (p[1:-1, 2:] - p[1:-1, :-2]) + p[2:, 2:] - p[2:, :-2]
    gy = p[2:, :-2] - p[:-2, :-2] + 2 * (p[2:, 1:-1] - p[:-2, 1:-1]) + p[2:, 2:] - p[:-2, 2:]
    return xp.astype(xp.minimum(xp.abs(gx) + xp.abs(gy), 255), xp.uint8)


def images(count):
    return lambda rng: [rng.integers(0, 256, SIZE, dtype=np.uint8) for _ in range(count)]


# NumExpr has neither uint8 nor uint16.
IMAGES = [
    Workload("blend", "blend of two images, 1500x2000 uint8", blend, images(3), mismatch=0, numexpr=None,
             torch=blend_torch),
    Workload("threshold", "threshold of an image, 1500x2000 uint8", threshold, images(1), mismatch=0, numexpr=None,
             torch=threshold_torch),
    Workload("box_filter", "3x3 box filter in int64, 1500x2000 uint8", box_filter, images(1), mismatch=0,
             numexpr=None),
    Workload("sobel", "Sobel edges in int32, 1500x2000 uint8", sobel, images(1), mismatch=0, numexpr=None),
]
