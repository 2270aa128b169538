"""Writes ziggurat_tables.inc: the tables of the ziggurat method, from their definition.

A density f (exp(-x^2/2) or exp(-x)) is covered by 256 layers of one area A; r is where the lowest one ends
and the tail begins. From the top of the tail down, x(i) = f^-1(A / x(i+1) + f(x(i+1))). With M values of a
random integer, a layer's tables are

    w[i] = x(i) / M          an integer becomes a point of the layer
    k[i] = M x(i-1) / x(i)   integers below it are under the curve for sure
    f[i] = f(x(i))

(Marsaglia and Tsang, The Ziggurat Method for Generating Random Variables, J. Stat. Software 5, 2000.)

NumPy's streams need NumPy's tables to the last bit, and those of the normal density were once made by
floating-point recursions of less precision: they differ from the definition in the last places. The
differences, in units of the last place, are CORRECTIONS.

    python make_ziggurat.py > ziggurat_tables.inc
"""
import struct
import textwrap
from decimal import ROUND_HALF_EVEN, Decimal, getcontext

getcontext().prec = 60


def mills_tail(x):
    """The integral of exp(-t^2/2) from x on, by Laplace's continued fraction."""
    k = Decimal(0)
    for i in range(4000, 0, -1):
        k = Decimal(i) / (x + k)
    return (-x * x / 2).exp() / (x + k)


DENSITY = {"i": lambda x: (-x * x / 2).exp(), "e": lambda x: (-x).exp()}
INVERSE = {"i": lambda y: (-2 * y.ln()).sqrt(), "e": lambda y: -y.ln()}
TAIL = {"i": mills_tail, "e": lambda x: (-x).exp()}
START = {"i": Decimal("3.6541528853610087963519472518"), "e": Decimal("7.6971174701310497140446280481")}
BITS = {("i", "double"): 52, ("i", "float"): 23, ("e", "double"): 52, ("e", "float"): 23}


def single(x):
    return struct.unpack("<f", struct.pack("<f", float(x)))[0]


def definition(kind, size):
    """k (integers), w and f (floats of the size), without corrections."""
    density, inverse, r = DENSITY[kind], INVERSE[kind], START[kind]
    area = r * density(r) + TAIL[kind](r)
    m = Decimal(2) ** BITS[kind, size]
    x = [Decimal(0)] * 257
    x[255] = r
    f = [Decimal(1)] * 256
    f[255] = density(r)
    for i in range(254, 0, -1):
        x[i] = inverse(area / x[i + 1] + f[i + 1])
        f[i] = density(x[i])
    k = [r * f[255] / area * m, Decimal(0)] + [x[i - 1] / x[i] * m for i in range(2, 256)]
    # The exponential's doubles come from 53 bits, of which the lowest is always 0 in k.
    scale = 2 if (kind, size) == ("e", "double") else 1
    if scale == 2:
        k = [2 * int(v) for v in k]
    else:
        k = [int(v.to_integral_value(ROUND_HALF_EVEN)) for v in k]
    w = [area / f[255] / m / scale] + [x[i] / m / scale for i in range(1, 256)]
    rounded = float if size == "double" else single
    return k, [rounded(v) for v in w], [rounded(v) for v in f]


CORRECTIONS = {
    "ki_double": """
        5 0 -31 -10 -5 -2 -1 -2 0 0 -1 -1 -2 0 0 0 0 1 -1 0 1 0 -1 1 -1 0 0 0 1 -1 0 0 0 0 -1 1 0 0 -2 0 0 0 0 0 -1
        0 0 -1 0 0 0 0 0 0 1 0 0 0 0 0 -1 0 -1 -1 0 -1 0 -1 1 0 0 0 0 -1 0 1 0 0 0 0 -1 0 0 0 0 -1 0 0 0 0 0 -1 0 0
        0 0 1 -1 0 0 1 0 0 0 0 0 0 0 0 0 1 0 0 -1 0 0 0 0 0 0 0 0 -1 0 1 0 0 1 0 0 -1 0 0 0 0 -1 0 0 0 0 0 0 1 0 -1
        0 -1 0 -1 1 0 0 1 0 0 0 -1 1 0 0 0 0 0 0 -1 0 1 1 0 0 0 0 0 -1 -1 0 0 1 1 0 0 0 0 0 1 0 0 0 0 0 0 1 0 1 0 1
        0 0 0 0 0 0 0 -1 1 0 -1 0 0 0 0 -1 0 -1 1 1 -1 0 0 0 0 1 0 0 -1 0 0 0 0 0 0 1 0 0 1 0 0 0 0 -1 0 0 0 0 0 -1
        0 -1 0 0 0 0 1 0 0 0
    """,
    "wi_double": """
        -9 -130 -40 -33 -28 -26 -26 -22 -22 -11 -10 -9 -8 -8 -8 -8 -8 -9 -8 -8 -9 -9 -9 -10 -9 -8 -8 -7 -8 -8 -8 -7
        -8 -8 -7 -7 -8 -8 -6 -6 -6 -5 -5 -6 -5 -6 -5 -5 -5 -5 -6 -6 -3 -4 -4 -4 -4 -4 -4 -4 -3 -4 -3 -3 -3 -3 -4 -3
        -4 -3 -3 -4 -3 -2 -2 -3 -3 -3 -4 -3 -3 -3 -3 -3 -3 -3 -2 -2 -2 -2 -2 -1 -1 -1 -1 -1 -2 -2 -1 -2 -2 -2 -2 -2
        -1 -2 -2 -2 -2 -2 -3 -3 -3 -2 -2 -2 -1 -1 -2 -2 -2 -2 -1 -1 -1 -1 -1 -2 -2 -2 -1 -1 -2 -2 -2 -2 -2 -2 -2 -2
        -3 -4 -4 -4 -3 -3 -3 -3 -2 -2 -2 -1 -1 -1 -1 -1 0 0 0 0 0 -1 -1 0 -1 0 -1 -1 -1 0 0 0 1 2 3 3 3 2 2 1 0 0 0
        0 0 0 0 0 -1 0 0 0 0 0 0 -1 -1 -1 -1 -1 -2 -1 -2 -2 -2 -2 -2 -2 -1 -1 -1 -1 -1 0 -1 -1 -1 0 0 0 -1 -1 0 0 0
        0 0 0 -1 0 0 -1 0 -1 -1 -1 -1 -1 -1 -1 -1 0 1 0 1 1 1 1 1 1 0 0 0 1 1 0
    """,
    "fi_double": """
        0 7 6 5 5 5 5 4 5 5 5 4 4 4 4 4 4 5 4 5 5 5 5 5 5 4 4 4 5 5 5 4 4 5 4 4 4 5 4 4 3 3 3 3 3 4 3 4 4 3 4 3 4 4
        5 5 5 5 5 5 5 4 4 4 4 4 5 4 5 4 4 4 4 3 2 3 7 7 8 8 6 7 8 7 8 7 6 5 6 5 4 4 3 3 3 3 5 4 3 4 4 4 4 4 3 4 4 4
        5 5 6 6 5 5 4 4 3 3 4 3 4 3 2 1 1 2 2 3 3 3 3 3 3 4 4 3 3 4 4 3 5 6 7 7 6 5 5 10 7 7 7 5 4 5 4 3 1 2 0 0 1 3
        3 2 1 1 1 2 1 2 0 -1 -3 -5 -7 -7 -8 -5 -4 -2 -1 0 1 0 1 0 2 0 1 1 1 2 2 1 2 7 6 5 10 6 12 12 12 12 15 13 13
        11 9 7 8 7 3 1 6 8 4 2 -1 0 4 2 2 -3 0 1 2 3 3 2 3 4 1 5 3 6 8 16 13 9 4 -1 -4 -2 -6 -7 -9 -7 -5 -7 -3 -5 -6
        -8 -8 2
    """,
    "we_float": {226: 1},
    "fe_float": {128: -1, 154: 1, 171: -1},
}


def corrected(name, values):
    changes = CORRECTIONS.get(name, {})
    if isinstance(changes, str):
        changes = dict(enumerate(int(v) for v in changes.split()))
    out = list(values)
    for i, change in changes.items():
        if isinstance(out[i], int):
            out[i] += change
            continue
        kind, bits = ("<d", "<q") if name.endswith("double") else ("<f", "<i")
        (n,) = struct.unpack(bits, struct.pack(kind, out[i]))
        (out[i],) = struct.unpack(kind, struct.pack(bits, n + change))
    return out


def main():
    print("// Tables of the ziggurat method: written by make_ziggurat.py, which says what they are.")
    for kind in "ie":
        for size in ("double", "float"):
            for letter, values in zip("kwf", definition(kind, size)):
                name = f"{letter}{kind}_{size}"
                values = corrected(name, values)
                if letter == "k":
                    element, texts = ("std::uint64_t" if size == "double" else "std::uint32_t"), [f"{v:#x}" for v in values]
                else:
                    end = "f" if size == "float" else ""
                    element, texts = size, [trimmed(v) + end for v in values]
                print(f"inline constexpr {element} {name}[256] = {{")
                print(textwrap.fill(", ".join(texts), 100, initial_indent="    ", subsequent_indent="    "))
                print("};")


def trimmed(value):
    """A hexadecimal literal without trailing zeros."""
    head, exponent = value.hex().split("p")
    return (head.rstrip("0").rstrip(".") if "." in head else head) + "p" + exponent


if __name__ == "__main__":
    main()
