"""The workloads as a Numba user writes them: array expressions where Numba fuses them, loops elsewhere.

FORMS: compiled functions by the name of the workload, or of its function. Importing this needs Numba.
"""
import math

import numpy as np
from numba import njit, prange

FORMS = {}
HALF, ONE, C, D, EPS = np.float32(0.5), np.float32(1), np.float32(0.7978845608), np.float32(0.044715), np.float32(1e-5)


def parallel(f):
    FORMS[f.__name__] = njit(parallel=True)(f)
    return FORMS[f.__name__]


def serial(f):
    FORMS[f.__name__] = njit(f)
    return FORMS[f.__name__]


def expression(a, b):
    return a * b + np.sqrt(a) - b / (1 + a)


FORMS["chain"] = njit(parallel=True)(expression)
for small in ("small", "chain_100", "chain_1k", "chain_10k"):  # waking threads costs more than this work
    FORMS[small] = njit(expression)


@njit
def cdf(x):
    return 1 / (1 + math.exp(-1.5976 * x - 0.07056 * x * x * x))


@parallel
def black_scholes(spot, strike, years):
    out = np.empty_like(spot)
    for i in prange(spot.size):
        deviation = 0.3 * math.sqrt(years[i])
        d1 = (math.log(spot[i] / strike[i]) + (0.02 + 0.5 * 0.3 * 0.3) * years[i]) / deviation
        out[i] = spot[i] * cdf(d1) - strike[i] * math.exp(-0.02 * years[i]) * cdf(d1 - deviation)
    return out


@parallel
def gelu(x):
    return HALF * x * (ONE + np.tanh(C * (x + D * x * x * x)))


@parallel
def where_chain(x):
    out = np.empty_like(x)
    for i in prange(x.size):
        v = x[i]
        if v < 0.2:
            out[i] = 0.1 * v
        elif v < 0.5:
            out[i] = 0.02 + 0.3 * (v - 0.2)
        elif v < 0.8:
            out[i] = 0.11 + 0.4 * (v - 0.5)
        else:
            out[i] = 0.23 + 0.5 * (v - 0.8)
    return out


@parallel
def spectral_step(u, force, k2):
    return (u + 0.01 * force) * np.exp(-k2 * 0.01) / (1 + 0.01 * k2)


@parallel
def hash32(x):
    out = np.empty_like(x)
    for i in prange(x.size):
        h = x[i]
        h = np.uint32(h ^ (h >> np.uint32(16)))
        h = np.uint32(h * np.uint32(0x85ebca6b))
        h = np.uint32(h ^ (h >> np.uint32(13)))
        h = np.uint32(h * np.uint32(0xc2b2ae35))
        out[i] = h ^ (h >> np.uint32(16))
    return out


@parallel
def hash64(x):
    out = np.empty_like(x)
    for i in prange(x.size):
        z = x[i] + np.uint64(0x9e3779b97f4a7c15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xbf58476d1ce4e5b9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94d049bb133111eb)
        out[i] = z ^ (z >> np.uint64(31))
    return out


@parallel
def mandelbrot(c):
    out = np.empty(c.shape, np.int32)
    for i in prange(c.shape[0]):
        for j in range(c.shape[1]):
            x, y, n = 0.0, 0.0, 0
            cx, cy = c[i, j].real, c[i, j].imag
            while n < 50 and x * x + y * y < 4.0:
                x, y = x * x - y * y + cx, 2 * x * y + cy
                n += 1
            out[i, j] = n
    return out


@parallel
def newton(start):
    out = np.empty_like(start)
    for i in prange(start.shape[0]):
        for j in range(start.shape[1]):
            z = start[i, j]
            for _ in range(50):
                z = z - (z * z * z - 1) / (3 * (z * z))
            out[i, j] = z
    return out


@parallel
def nbody(x, y, z, mass):
    n = x.size
    ax, ay, az = np.empty(n), np.empty(n), np.empty(n)
    for i in prange(n):
        sx = sy = sz = 0.0
        for j in range(n):
            dx, dy, dz = x[j] - x[i], y[j] - y[i], z[j] - z[i]
            r2 = dx * dx + dy * dy + dz * dz + 1e-4
            pull = mass[j] / (r2 * math.sqrt(r2))
            sx += dx * pull
            sy += dy * pull
            sz += dz * pull
        ax[i], ay[i], az[i] = sx, sy, sz
    return ax, ay, az


@parallel
def distances(points):
    n, d = points.shape
    out = np.empty((n, n))
    for i in prange(n):
        for j in range(n):
            total = 0.0
            for k in range(d):
                total += (points[i, k] - points[j, k]) ** 2
            out[i, j] = math.sqrt(total)
    return out


@parallel
def kmeans(points, centres):
    n, d = points.shape
    out = np.empty(n, np.int64)
    for i in prange(n):
        best, nearest = np.float32(np.inf), 0
        for j in range(centres.shape[0]):
            total = np.float32(0)
            for k in range(d):
                diff = points[i, k] - centres[j, k]
                total += diff * diff
            if total < best:
                best, nearest = total, j
        out[i] = nearest
    return out


@parallel
def heat(u, following):
    for i in prange(1, u.shape[0] - 1):
        for j in range(1, u.shape[1] - 1):
            following[i, j] = u[i, j] + 0.1 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4 * u[i, j])
    return following


@parallel
def wave(u, before, following):
    for i in prange(1, u.shape[0] - 1):
        for j in range(1, u.shape[1] - 1):
            around = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4 * u[i, j]
            following[i, j] = 2 * u[i, j] - before[i, j] + 0.25 * around
    return following


@parallel
def gray_scott(u, v):
    h, w = u.shape
    new_u, new_v = np.empty((h - 2, w - 2)), np.empty((h - 2, w - 2))
    for i in prange(1, h - 1):
        for j in range(1, w - 1):
            a, b = u[i, j], v[i, j]
            around_u = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4 * a
            around_v = v[i - 1, j] + v[i + 1, j] + v[i, j - 1] + v[i, j + 1] - 4 * b
            reaction = a * b * b
            new_u[i - 1, j - 1] = a + 0.16 * around_u - reaction + 0.06 * (1 - a)
            new_v[i - 1, j - 1] = b + 0.08 * around_v + reaction - 0.122 * b
    return new_u, new_v


@parallel
def fdtd(ez, hx, hy):
    h, w = ez.shape
    new_ez, new_hx, new_hy = np.empty_like(ez), np.empty_like(hx), np.empty_like(hy)
    for i in prange(h):
        for j in range(w):
            if j < w - 1:
                new_hx[i, j] = hx[i, j] - 0.5 * (ez[i, j + 1] - ez[i, j])
            if i < h - 1:
                new_hy[i, j] = hy[i, j] + 0.5 * (ez[i + 1, j] - ez[i, j])
    for i in prange(h):
        for j in range(w):
            if 0 < i < h - 1 and 0 < j < w - 1:
                curl = new_hy[i, j] - new_hy[i - 1, j] - new_hx[i, j] + new_hx[i, j - 1]
                new_ez[i, j] = ez[i, j] + 0.5 * curl
            else:
                new_ez[i, j] = ez[i, j]
    return new_ez, new_hx, new_hy


@parallel
def time_loop(start):
    u, following = start.copy(), start.copy()
    for _ in range(2000):
        for i in prange(1, u.shape[0] - 1):
            for j in range(1, u.shape[1] - 1):
                around = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4 * u[i, j]
                following[i, j] = u[i, j] + 0.1 * around
        u, following = following, u
    return u


@parallel
def periodic(start):
    h, w = start.shape
    u, following = start.copy(), np.empty_like(start)
    for _ in range(10):
        for i in prange(h):
            above, below = u[i - 1 if i > 0 else h - 1], u[i + 1 if i < h - 1 else 0]
            for j in range(w):
                left, right = u[i, j - 1 if j > 0 else w - 1], u[i, j + 1 if j < w - 1 else 0]
                following[i, j] = u[i, j] + 0.1 * (above[j] + below[j] + left + right - 4 * u[i, j])
        u, following = following, u
    return u


@parallel
def reaction(first, second):
    u, v, next_u, next_v = first.copy(), second.copy(), first.copy(), second.copy()
    for _ in range(10):
        for i in prange(1, u.shape[0] - 1):
            for j in range(1, u.shape[1] - 1):
                a, b = u[i, j], v[i, j]
                around_u = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4 * a
                around_v = v[i - 1, j] + v[i + 1, j] + v[i, j - 1] + v[i, j + 1] - 4 * b
                made = a * b * b
                next_u[i, j] = a + (0.16 * around_u - made + 0.06 * (1 - a))
                next_v[i, j] = b + (0.08 * around_v + made - 0.122 * b)
        u, v, next_u, next_v = next_u, next_v, u, v
    return u, v


@parallel
def row_sums(x):
    out = np.empty(x.shape[0], x.dtype)
    for i in prange(x.shape[0]):
        out[i] = np.sum(x[i])
    return out


@parallel
def column_sums(x):
    pieces = 8
    rows, part = (x.shape[0] + pieces - 1) // pieces, np.zeros((pieces, x.shape[1]), x.dtype)
    for p in prange(pieces):
        for i in range(p * rows, min((p + 1) * rows, x.shape[0])):
            for j in range(x.shape[1]):
                part[p, j] += x[i, j]
    return part.sum(axis=0)


@parallel
def full_sum(x):
    return np.sum(x)


@parallel
def mean_square(x, y):
    total = 0.0  # float64: a plain sum of four million float32 is too inaccurate
    for i in prange(x.shape[0]):
        for j in range(x.shape[1]):
            d = x[i, j] - y[i, j]
            total += np.float64(d * d)
    return np.float32(total / x.size)


@parallel
def moments(x):
    return np.mean(x), np.std(x), np.min(x), np.max(x)


@parallel
def softmax(x):
    out = np.empty_like(x)
    for i in prange(x.shape[0]):
        high = x[i, 0]
        for j in range(1, x.shape[1]):
            high = max(high, x[i, j])
        total = np.float32(0)
        for j in range(x.shape[1]):
            out[i, j] = math.exp(x[i, j] - high)
            total += out[i, j]
        for j in range(x.shape[1]):
            out[i, j] /= total
    return out


@parallel
def layer_norm(x, gain, bias):
    n, out = np.float32(x.shape[1]), np.empty_like(x)
    for i in prange(x.shape[0]):
        total = np.float32(0)
        for j in range(x.shape[1]):
            total += x[i, j]
        mean, square = total / n, np.float32(0)
        for j in range(x.shape[1]):
            square += (x[i, j] - mean) * (x[i, j] - mean)
        scale = ONE / np.sqrt(square / n + EPS)
        for j in range(x.shape[1]):
            out[i, j] = (x[i, j] - mean) * scale * gain[j] + bias[j]
    return out


@serial
def cumsum(x):
    return np.cumsum(x)


@serial
def bincount(x):
    out = np.zeros(1000, np.int64)
    for i in range(x.size):
        out[x[i]] += 1
    return out


@serial
def histogram2d(x, y):
    out = np.zeros((100, 100), np.int64)
    for i in range(x.size):
        out[int(x[i] * 100), int(y[i] * 100)] += 1
    return out


@serial
def mask_read(x):
    return x[x > 0.5]


@parallel
def mask_store(x):
    out = np.empty_like(x)
    for i in prange(x.size):
        out[i] = 0.5 if x[i] > 0.5 else x[i]
    return out


@serial
def sort(x):
    return np.sort(x)


@serial
def unique(x):
    return np.unique(x)


@parallel
def searchsorted(edges, x):
    out = np.empty(x.size, np.int64)
    for i in prange(x.size):
        out[i] = np.searchsorted(edges, x[i])
    return out


@parallel
def blend(a, b, alpha):
    out = np.empty_like(a)
    for i in prange(a.shape[0]):
        for j in range(a.shape[1]):
            weight = np.uint32(alpha[i, j])
            mixed = np.uint32(a[i, j]) * weight + np.uint32(b[i, j]) * (np.uint32(255) - weight) + np.uint32(127)
            out[i, j] = np.uint32(mixed) // np.uint32(255)
    return out


@parallel
def threshold(image):
    out = np.empty_like(image)
    for i in prange(image.shape[0]):
        for j in range(image.shape[1]):
            out[i, j] = 255 if image[i, j] > 128 else 0
    return out


@parallel
def box_filter(image):
    h, w = image.shape
    out = np.empty((h - 2, w - 2), np.uint8)
    for i in prange(h - 2):
        for j in range(w - 2):
            total = np.int64(0)
            for k in range(3):
                for l in range(3):
                    total += image[i + k, j + l]
            out[i, j] = total // 9
    return out


@parallel
def sobel(image):
    h, w = image.shape
    out = np.empty((h - 2, w - 2), np.uint8)
    for i in prange(1, h - 1):
        for j in range(1, w - 1):
            nw, n, ne = np.int32(image[i - 1, j - 1]), np.int32(image[i - 1, j]), np.int32(image[i - 1, j + 1])
            west, east = np.int32(image[i, j - 1]), np.int32(image[i, j + 1])
            sw, s, se = np.int32(image[i + 1, j - 1]), np.int32(image[i + 1, j]), np.int32(image[i + 1, j + 1])
            gx = ne - nw + 2 * (east - west) + se - sw
            gy = sw - nw + 2 * (s - n) + se - ne
            out[i - 1, j - 1] = min(abs(gx) + abs(gy), 255)
    return out


@serial
def dense_layer(x, weights, bias):
    return np.maximum(np.dot(x, weights) + bias, np.float32(0))


@parallel
def einsum_chain(a, b, c):
    out = np.empty((a.shape[0], a.shape[1], c.shape[2]))
    for i in prange(a.shape[0]):
        out[i] = np.dot(np.dot(a[i], b[i]), c[i])
    return out
