"""Derivatives by differences of NumPy's results, in float64: what engines are held against besides each other."""
import numpy as np

from .words import numpy_words

STEP, SECOND_STEP = 1e-6, 1e-4


def as_doubles(inputs) -> list:
    return [a.astype(np.float64) if a.dtype.kind == "f" else a for a in inputs]


def function_of(workload, inputs):
    """The workload over NumPy as a function of its differentiated arguments; without the direction of hvp."""
    xp, form, kept = numpy_words(), workload.function, as_doubles(inputs)
    if workload.kind == "hvp":
        kept = kept[:-1]

    def value(*given):
        arguments = list(kept)
        for i, a in zip(workload.argnums, given):
            arguments[i] = a
        return float(form(xp, *[np.array(a) for a in arguments], **workload.options))
    return value, [kept[i] for i in workload.argnums]


def slope(value, at, direction, step=STEP) -> float:
    ahead = value(*[a + step * d for a, d in zip(at, direction)])
    return (ahead - value(*[a - step * d for a, d in zip(at, direction)])) / (2 * step)


def unit(arrays, which, place) -> list:
    made = [np.zeros_like(a) for a in arrays]
    made[which][place] = 1.0
    return made


def gradient(value, at) -> list:
    """Every element of the gradient."""
    made = [np.empty_like(a) for a in at]
    for i, a in enumerate(at):
        for place in np.ndindex(a.shape):
            made[i][place] = slope(value, at, unit(at, i, place))
    return made


def hessian_product(value, at, v):
    """Hv by differences of differences."""
    h, made = SECOND_STEP, np.empty_like(at)
    for place in np.ndindex(at.shape):
        e = h * unit([at], 0, place)[0]
        made[place] = (value(at + h * v + e) - value(at + h * v - e) - value(at - h * v + e) + value(at - h * v - e))
    return made / (4 * h * h)


def examples(workload, inputs, count):
    """(value of one example, its argument) for the first examples of vmap_grad."""
    return [function_of(workload, [inputs[0][i], *inputs[1:]]) for i in range(count)]


def expected(workload, inputs) -> list:
    """What an engine should give, all elements by differences: for small inputs."""
    if workload.kind == "vmap_grad":
        return [np.stack([gradient(value, at)[0] for value, at in examples(workload, inputs, len(inputs[0]))])]
    value, at = function_of(workload, inputs)
    if workload.kind == "hvp":
        return [hessian_product(value, at[0], inputs[-1])]
    return [np.array(value(*at)), *gradient(value, at)]


def agrees(workload, inputs, results) -> bool:
    """Do results fit differences along one random direction: for inputs of any size."""
    rng, tolerance = np.random.default_rng(5), max(1e-5, 10 * workload.rtol)
    if workload.kind == "vmap_grad":
        return all(abs(slope(value, at, [d := rng.choice([-1.0, 1.0], 3)]) - results[0][i] @ d) < tolerance
                   for i, (value, at) in enumerate(examples(workload, inputs, min(50, len(inputs[0])))))
    value, at = function_of(workload, inputs)
    if workload.kind == "hvp":
        v, h = inputs[-1], SECOND_STEP
        second = (value(at[0] + h * v) - 2 * value(at[0]) + value(at[0] - h * v)) / h**2
        return abs(second - v @ results[0]) < 1e-4 * abs(second)
    direction = [rng.choice([-1.0, 1.0], a.shape) for a in at]
    product = sum(float(np.sum(g * d)) for g, d in zip(results[1:], direction))
    size = np.sqrt(sum(float(np.sum(g.astype(np.float64)**2)) for g in results[1:]))
    right = np.isclose(value(*at), results[0], rtol=max(1e-9, workload.rtol))
    return bool(right and abs(slope(value, at, direction) - product) < tolerance * size + 1e-9)
