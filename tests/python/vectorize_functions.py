"""Functions of numbers, for tests: what np.vectorize turns into operations on arrays."""
import math

import numpy

TABLE = (3, 1, 4, 1, 5, 9, 2, 6)


def clamp(x):
    if x < -1:
        return -1.0
    elif x > 1:
        return 1.0
    return x


def collatz(n):
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


def mandelbrot(x, y):
    zr = zi = 0.0
    for i in range(50):
        if zr * zr + zi * zi > 4:
            return i
        zr, zi = zr * zr - zi * zi + x, 2 * zr * zi + y
    return 50


def mandelbrot_of_complex(x, y):
    c, z, n = complex(x, y), 0, 0
    while z.real ** 2 + z.imag ** 2 <= 4 and n < 40:
        z = z * z + c
        n += 1
    return n


def root(a):
    a = abs(a) + 0.1
    x = a
    for _ in range(60):
        better = 0.5 * (x + a / x)
        if abs(better - x) < 1e-14:
            break
        x = better
    return x


def divisor(a, b):
    while b:
        a, b = b, a % b
    return a


def triangle(n):
    total = 0
    for i in range(n):
        total += i
    return total


def leaving(n):
    total = 0
    for i in range(0, n, 2):
        if i % 3 == 0:
            continue
        if i > 15:
            break
        total += i * i
    else:
        total = -total
    return total


def several(x):
    return x * 2, x > 0


def first_decides(x):
    return x if x > 0 else 0


def quotient(x, n):
    return x / n


def whole_quotient(n):
    return 10 // n


def checked_root(x):
    return math.sqrt(x)


def helper(x, k=2.0):
    if x < 0:
        return -x * k
    return x + k


def calls(x):
    return helper(x) + helper(x, k=3)


def looked_up(n):
    return TABLE[n]


def crc(byte):
    c = byte & 0xff
    for _ in range(8):
        c = (c >> 1) ^ 0xEDB88320 if c & 1 else c >> 1
    return c


def decided(x, y):
    return x and y or 3.0


def chained(x, y):
    return -1 < x < y <= 2


def extremes(x, y):
    return min(x, y, 0.5) + max(x, -y)


def rounded(x):
    return round(x) + int(x) + math.floor(x) - math.ceil(x)


def bits(n, m):
    return (n & m) | (n ^ 3) << 2, ~n >> 1


def powers(x, n):
    return x ** 2 + n ** 3


def remainders(n, m):
    return n % m, n // m, n / m, divmod(n, m)[1]


def factorial(m):
    r = 1
    while m > 1:
        r *= m
        m -= 1
    return r


def of_list(x):
    a = [0.0] * 3
    for i in range(3):
        a[i] = x * i
    return sum(a) + sum([v * v for v in a])


def sorted_pair(n, m):
    a = [n, m]
    if n > m:
        a[0], a[1] = a[1], a[0]
    return a[0]


def loop_in_loop(m):
    count = 0
    for i in range(m):
        j = i
        while j > 0:
            j //= 2
            count += 1
            if count > 40:
                break
    return count


def checked(n):
    assert n > -15, "too small"
    return n


def refused(n):
    if n < -18:
        raise ValueError("small %d" % n)
    return n


def guarded(x, n):
    return n != 0 and x / n > 2 or x in (1, 2, 3)


def unsure(x):
    if x > 0:
        y = 1.0
    return y  # maybe


def printed(x):
    print(end="")
    return x


def recursive(n):
    return n if n < 1 else recursive(n - 1)


def edit_distance(a, b):
    n, m = len(a), len(b)
    d = numpy.zeros((n + 1, m + 1), dtype=numpy.int64)
    for i in range(n + 1):
        d[i, 0] = i
    for j in range(m + 1):
        d[0, j] = j
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            change = 0 if a[i - 1] == b[j - 1] else 1
            d[i, j] = min(d[i - 1, j] + 1, d[i, j - 1] + 1, d[i - 1, j - 1] + change)
    return d[n, m]


def relaxed(u, f):
    v = numpy.zeros(len(u))
    for i in range(len(u)):
        v[i] = u[i]
    for _ in range(3):
        for i in range(1, len(u) - 1):
            v[i] = 0.5 * (v[i - 1] + v[i + 1] + f[i])
    return v


def inner(x, y):
    s = 0.0
    for i in range(len(x)):
        s += x[i] * y[i]
    return s


def first_above(x, t):
    for i in range(len(x)):
        if x[i] > t:
            return i
    return -1


def element(x, i):
    return x[i]


def counted(x):
    h = numpy.zeros(4, dtype=int)
    for v in x:
        h[int((v + 1) * 2)] += 1
    return h


def product(a, b):
    c = numpy.empty((a.shape[0], b.shape[1]))
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            s = 0.0
            for k in range(a.shape[1]):
                s += a[i, k] * b[k, j]
            c[i, j] = s
    return c


def sorted_by_insertion(x):
    v = numpy.zeros(len(x))
    for i in range(len(x)):
        v[i] = x[i]
    for i in range(1, len(v)):
        j = i
        while j > 0 and v[j - 1] > v[j]:
            v[j - 1], v[j] = v[j], v[j - 1]
            j -= 1
    return v


def crc_of_bytes(data):
    c = 0xffffffff
    for b in data:
        c = c ^ int(b)
        for _ in range(8):
            c = (c >> 1) ^ 0xEDB88320 if c & 1 else c >> 1
    return c ^ 0xffffffff


def scaled(x):
    return x / x.sum()


def stores(x):
    x[0] = 1
    return x[0]
