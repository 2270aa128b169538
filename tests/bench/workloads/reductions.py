"""Workloads that reduce: sums along every axis, statistics, softmax and layer norm, running sums."""
import numpy as np

from workloads.base import Workload, uniform


def row_sums(xp, x):
    return xp.sum(x, axis=1)


def column_sums(xp, x):
    return xp.sum(x, axis=0)


def full_sum(xp, x):
    return xp.sum(x)


def mean_square(xp, x, y):
    d = x - y
    return xp.mean(d * d)


def mean_square_numexpr(evaluate, x, y):  # its own sum adds four million float32 one by one: too inaccurate
    return np.mean(evaluate("(x - y) * (x - y)", {"x": x, "y": y}))


def moments(xp, x):
    return xp.mean(x), xp.std(x), xp.min(x), xp.max(x)


def softmax(xp, x):
    e = xp.exp(x - xp.max(x, axis=1, keepdims=True))
    return e / xp.sum(e, axis=1, keepdims=True)


def softmax_numexpr(evaluate, x):
    e = evaluate("exp(x - m)", {"x": x, "m": np.max(x, axis=1, keepdims=True)})
    return evaluate("e / s", {"e": e, "s": np.sum(e, axis=1, keepdims=True)})


def layer_norm(xp, x, gain, bias):
    centred = x - xp.mean(x, axis=1, keepdims=True)
    variance = xp.mean(centred * centred, axis=1, keepdims=True)
    return centred / xp.sqrt(variance + 1e-5) * gain + bias


def layer_norm_numexpr(evaluate, x, gain, bias):
    mean = np.mean(x, axis=1, keepdims=True)
    square = np.mean(evaluate("(x - m) * (x - m)", {"x": x, "m": mean}), axis=1, keepdims=True)
    return evaluate("(x - m) / sqrt(v + e) * g + b",
                    {"x": x, "m": mean, "v": square, "e": np.float32(1e-5), "g": gain, "b": bias})


def cumsum(xp, x):
    return xp.cumsum(x)


PLANE = (4096, 1000)
F4, F8 = np.float32, np.float64


def sums(name, text, function, axis, shape, dtype):
    call = {1: "row_sums", 0: "column_sums", None: "full_sum"}[axis]
    # NumExpr adds the float32 of a full sum one after the other: too inaccurate to compare.
    numexpr = None if axis is None and dtype is F4 else lambda evaluate, x: evaluate(f"sum(x, axis={axis})", {"x": x})
    return Workload(name, text, function, uniform((0, 1, shape), dtype=dtype), call=call,
                    rtol=1e-4 if dtype is F4 else 1e-11, numexpr=numexpr)


REDUCTIONS = [
    sums("row_sums", "row sums, 4096x1000 float32", row_sums, 1, PLANE, F4),
    sums("row_sums_f8", "row sums, 4096x1000 float64", row_sums, 1, PLANE, F8),
    sums("column_sums", "column sums, 4096x1000 float32", column_sums, 0, PLANE, F4),
    sums("column_sums_f8", "column sums, 4096x1000 float64", column_sums, 0, PLANE, F8),
    sums("full_sum", "full sum, 1e7 float32", full_sum, None, 10**7, F4),
    sums("full_sum_f8", "full sum, 1e7 float64", full_sum, None, 10**7, F8),
    Workload("mean_square", "mean of (x-y)^2, 4096x1000 float32", mean_square,
             uniform((0, 1, PLANE), (0, 1, PLANE), dtype=F4), rtol=1e-4, numexpr=mean_square_numexpr),
    Workload("moments", "mean, std, min and max of 4e6 float64", moments, uniform((0, 1, 4 * 10**6)), numexpr=None),
    Workload("softmax", "softmax of rows, 4096x1000 float32", softmax, uniform((-4, 4, PLANE), dtype=F4), rtol=1e-4,
             bound="compute", numexpr=softmax_numexpr),
    Workload("softmax_3", "softmax of rows, 1e5x3 float32", softmax, uniform((-4, 4, (10**5, 3)), dtype=F4), rtol=1e-4,
             call="softmax", bound="compute", numexpr=softmax_numexpr),
    Workload("layer_norm", "layer norm, 4096x1000 float32", layer_norm,
             uniform((-1, 1, PLANE), (0.5, 1, 1000), (-1, 1, 1000), dtype=F4), rtol=1e-4,
             numexpr=layer_norm_numexpr),
    Workload("cumsum", "running sum of 1e7 float64", cumsum, uniform((0, 1, 10**7)), rtol=1e-10, numexpr=None),
]
