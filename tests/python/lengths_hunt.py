"""Random compiled programs over lengths that depend on values, several at once: masks that are arguments, are computed, are
computed twice, or are stored into meanwhile. Compiled and eager give the same arrays at each call. Settings: hunt.py."""
import os

import numpy
import numjit as nj

from hunt import hunt

MASKS = ("m[{i}]", "v > {t}", "v > 0.5", "v > 0.5", "(x > 0.5) | (x < {t})", "x > {t}", "~m[{i}]", "(v > {t}) & m[{i}]", "m[{i}] | (x < {t})", "numpy.isfinite(v)", "k")
STEPS = ("p = v[{mask}]", "p = v[{mask}] * 2", "k = {mask}", "v = v.copy(); v[{mask}] = v[{mask}] * 3", "v = v * 1.5",
         "p = numpy.concatenate([v[{mask}], p])", "q = v[{mask}]; v = v.copy(); v[{mask}] = q * q", "out.append(float(p.sum()))",
         "p = p[p > {t}]", "out.append(p.shape[0])", "out.append(p)", "m[{i}][{i}] = not m[{i}][{i}]", "x[{i}] = {t}",
         "p = numpy.flatnonzero({mask}) * 0.5", "p = numpy.compress({mask}, v)", "out.append(v[{mask}].mean())",
         "v = numpy.where({mask}, v, -v)", "t = {t}; p = v[v > t] - v[v > {t}]", "p = p * p + 1", "out.append(p[:2])")


def draw(rng):
    def one():
        values = {"i": rng.randrange(3), "t": rng.choice(("0.0", "0.25", "float(x[0])"))}
        values["mask"] = rng.choice(MASKS).format(**values)
        return rng.choice(STEPS).format(**values)
    lines = [one() for _ in range(rng.randrange(3, 12))]
    if rng.random() < 0.4:  # masks at one line
        at = rng.randrange(len(lines))
        lines[at] = f"for n in range(3): {rng.choice(STEPS[:4]).format(i='n', t='0.0', mask='m[n]')}"
    return "def f(x, m):\n    v, k, p, out = x * 1.5, m[0], x[:1], []\n" + "".join(f"    {line}\n" for line in lines) + "    return [*out, v, p, k, x]\n"


def arguments(rng):
    data = numpy.random.default_rng(rng.randrange(2**32))
    return data.normal(size=6).round(1), [data.random(6) > rng.choice((0.2, 0.5, 0.9)) for _ in range(3)]


def outcome(f, x, masks):
    given = nj.array(x), [nj.array(m) for m in masks]
    try:
        return [numpy.asarray(a).tolist() for a in (*f(*given), *given[1])]
    except Exception as e:  # noqa: BLE001
        return f"{type(e).__name__}: {e}"


def case(rng):
    text = draw(rng)
    names = {"numpy": nj}
    exec(text, names)  # noqa: S102
    compiled = nj.compile(names["f"], backend=rng.choices(("eager", "graph", "halide"), (8, 4, 1))[0])
    for call in range(4):
        given = arguments(rng)
        with numpy.errstate(all="ignore"), nj.errstate(all="ignore"):
            expected, got = outcome(names["f"], *given), outcome(compiled, *given)
        if repr(got) != repr(expected):
            raise AssertionError(f"call {call} at {given}:\n{got}, eagerly\n{expected}\n\n{text}")


if __name__ == "__main__":
    if "HUNT_SECONDS" not in os.environ and "HUNT_CASE" not in os.environ:  # a test among others: the same cases each time
        os.environ["HUNT_SECONDS"] = "10"
        os.environ.setdefault("HUNT_SEED", "1")
    hunt(case)
