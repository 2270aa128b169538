"""Writes golden/random.txt: what NumPy draws for the cases of random_cases.inc. Run by hand:

    ./dev python tests/compat/make_random_goldens.py

A line has dtype, shape, a hash of all bytes, a hash of the numbers without their last 24 bits, and the
first numbers.
"""
import pathlib
import re

import numpy as np

HERE = pathlib.Path(__file__).parent


def python_of(cpp):
    text = re.sub(r"\{(\.\w+ = (?:[^{}]|\{[^{}]*\})*)\}", lambda m: re.sub(r"(^|, )\.", r"\1", m[1]), cpp)
    text = re.sub(r"np::array\(\{([^{}]*)\}\)", r"np.array([\1])", text)
    text = text.replace("{", "(").replace("}", ",)").replace("::", ".").replace(".T()", ".T")
    text = re.sub(r"\b(\d+)u\b", r"\1", text)
    text = re.sub(r"\btrue\b", "True", text)
    text = re.sub(r"\bfalse\b", "False", text)
    return text


def fnv(data):
    h = 0xCBF29CE484222325
    for b in data:
        h = (h ^ b) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return f"{h:016x}"


def coarse(a):
    if a.dtype == np.float64:
        return (a.view(np.uint64) + np.uint64(1 << 23)) >> np.uint64(24)
    if a.dtype == np.float32:
        return (a.view(np.uint32) + np.uint32(1 << 5)) >> np.uint32(6)
    return a


def main():
    makers, lines = {}, []
    for line in (HERE / "random_cases.inc").read_text().splitlines():
        if m := re.match(r"#define (\w+) (.*)", line):
            makers[m[1]] = python_of(m[2])
        elif m := re.match(r"CASE\((\w+), (.*)\)$", line):
            rng = eval(makers[m[1]])
            a = np.asarray(eval(python_of(m[2]), {"np": np, "rng": rng}), order="C")
            shape = ",".join(map(str, a.shape))
            first = " ".join(v.hex() if isinstance(v, float) else str(int(v)) for v in a.ravel()[:3].tolist())
            lines.append(f"{a.dtype} ({shape}) {fnv(a.tobytes())} {fnv(coarse(a.ravel()).tobytes())} {first}")
    (HERE / "golden" / "random.txt").write_text("\n".join(lines) + "\n")


main()
