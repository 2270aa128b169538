"""Smaller chapters: polynomials of coefficients, bits, numbers as text, iteration, text files."""
import itertools
import operator

from . import _core as C
from ._creation import asarray
from ._products import convolve
from ._ufuncs import _axis, _where, by_name

False_, True_ = C.bool_(False), C.bool_(True)
typecodes = {"Character": "c", "Integer": "bhilqnp", "UnsignedInteger": "BHILQNP", "Float": "efdg", "Complex": "FDG",
             "AllInteger": "bBhHiIlLqQnNpP", "AllFloat": "efdgFDG", "Datetime": "Mm", "All": "?bhilqnpBHILQNPefdgFDGSUVOMm"}


def isfortran(a):
    """Are the elements in Fortran order, and not in C order?"""
    return a._f_contiguous and not a._c_contiguous


def ndindex(*shape):
    """All index tuples of a shape."""
    shape = tuple(shape[0]) if len(shape) == 1 and hasattr(shape[0], "__len__") else shape
    return itertools.product(*map(range, shape))


def ndenumerate(arr):
    """Pairs of index tuple and element."""
    a = asarray(arr)
    return ((index, a[index]) for index in ndindex(a.shape))


def binary_repr(num, width=None):
    """An integer in base 2, negative ones with a sign or in two's complement of a width."""
    num = operator.index(num)
    if num >= 0:
        if width is not None and width < len(bin(num)) - 2:
            raise ValueError(f"Insufficient bit width={width} provided for binwidth={len(bin(num)) - 2}")
        return bin(num)[2:].zfill(width or 0)
    if width is None:
        return "-" + bin(-num)[2:]
    digits = len(bin(-num)) - 2
    digits = digits if 2 ** (digits - 1) == -num else digits + 1
    if digits > width:
        raise ValueError(f"Insufficient bit width={width} provided for binwidth={digits}")
    return bin(2 ** width + num)[2:].zfill(width)


def base_repr(number, base=2, padding=0):
    """An integer in a base from 2 to 36."""
    digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    if not 2 <= base <= 36:
        raise ValueError("Bases greater than 36 not handled in base_repr." if base > 36 else "Bases less than 2 not handled in base_repr.")
    n, text = abs(operator.index(number)), ""
    while n:
        text = digits[n % base] + text
        n //= base
    text = "0" * padding + text
    return ("-" if number < 0 else "") + (text or "0")


def packbits(a, /, axis=None, bitorder="big"):
    """Bits of eight elements in each uint8."""
    a = asarray(a)
    if a.dtype.kind not in "biu":
        raise TypeError("Expected an input array of integer or boolean data type")
    if bitorder not in ("big", "little"):
        raise ValueError("'order' must be either 'little' or 'big'")
    if axis is None:
        a, axis = C.ravel(a), 0
    axis = _axis(axis, a.ndim)
    bits = C.moveaxis(a != 0, axis, -1).astype(C.uint8)
    n = bits.shape[-1]
    missing = -n % 8
    if missing:
        bits = C.concatenate([bits, C.full(bits.shape[:-1] + (missing,), 0, C.uint8)], -1, None, None)
    shifts = C.arange(7, -1, -1, C.uint8) if bitorder == "big" else C.arange(0, 8, 1, C.uint8)
    groups = C.reshape(bits, bits.shape[:-1] + (bits.shape[-1] // 8, 8)) << shifts
    return C.moveaxis(C.reduce("sum", groups, -1, C.uint8, None, False, None, None), -1, axis)


def unpackbits(a, /, axis=None, count=None, bitorder="big"):
    """The bits of uint8 elements."""
    a = asarray(a)
    if a.dtype != C.uint8:
        raise TypeError("Expected an input array of unsigned byte data type")
    if axis is None:
        a, axis = C.ravel(a), 0
    axis = _axis(axis, a.ndim)
    moved = C.moveaxis(a, axis, -1)
    shifts = C.arange(7, -1, -1, C.uint8) if bitorder == "big" else C.arange(0, 8, 1, C.uint8)
    bits = (C.expand_dims(moved, -1) >> shifts) & C.uint8(1)
    bits = C.reshape(bits, moved.shape[:-1] + (8 * moved.shape[-1],))
    if count is not None:
        n = bits.shape[-1]
        if count >= 0 and count > n:
            bits = C.concatenate([bits, C.full(bits.shape[:-1] + (count - n,), 0, C.uint8)], -1, None, None)
        bits = bits[..., :count]
    return C.moveaxis(bits, -1, axis)


# ---- polynomials, highest power first ----

def roots(p):
    """The roots of a polynomial: eigenvalues of its companion matrix."""
    from . import linalg
    p = C.ravel(asarray(p))
    nonzero = C.nonzero(p)[0].tolist()
    if not nonzero:
        return C.full((0,), 0, C.float64)
    zeros = len(p) - nonzero[-1] - 1
    p = p[nonzero[0]:nonzero[-1] + 1]
    if p.dtype.kind not in "fc":
        p = p.astype(C.float64)
    n = len(p)
    if n < 2:
        return C.full((zeros,), 0, C.float64)
    companion = C.eye(n - 1, -1, -1, p.dtype)
    companion[0, :] = -p[1:] / p[0]
    found = linalg.eigvals(companion)
    return C.concatenate([found, C.full((zeros,), 0, found.dtype)], 0, None, None) if zeros else found


def poly(seq_of_zeros):
    """The polynomial of given roots, or the characteristic one of a matrix."""
    from . import linalg
    z = asarray(seq_of_zeros)
    if z.ndim == 2 and z.shape[0] == z.shape[1] != 0:
        z = linalg.eigvals(z)
    elif z.ndim != 1:
        raise ValueError("input must be 1d or non-empty square 2d array.")
    made = C.full((1,), 1, z.dtype if z.dtype.kind in "fc" else C.float64)
    for i in range(len(z)):
        made = convolve(made, C.concatenate([C.full((1,), 1, made.dtype), C.reshape(-z[i], 1).astype(made.dtype)], 0, None, None))
    if made.dtype.kind == "c":
        pairs = sorted(z.tolist(), key=lambda x: (x.real, x.imag))
        mirrored = sorted((x.conjugate() for x in z.tolist()), key=lambda x: (x.real, x.imag))
        if pairs == mirrored:
            made = C.copy(made.real)
    return made


def polydiv(u, v):
    """Quotient and remainder of two polynomials."""
    u, v = C.ravel(asarray(u)) + 0.0, C.ravel(asarray(v)) + 0.0
    w = u[0] + v[0]
    m, n = len(u) - 1, len(v) - 1
    scale = 1.0 / v[0]
    q, r = C.full((max(m - n + 1, 1),), 0, w.dtype), u.astype(w.dtype)
    for k in range(m - n + 1):
        d = scale * r[k]
        q[k] = d
        r[k:k + n + 1] -= d * v
    while len(r) > 1 and abs(complex(r[0].item())) <= 1e-14:
        r = r[1:]
    return q, r


def polyfit(x, y, deg, rcond=None, full=False, w=None, cov=False):
    """Coefficients of the polynomial of a degree that fits points best."""
    from . import linalg
    from ._creation import vander
    x, y, deg = asarray(x) + 0.0, asarray(y) + 0.0, operator.index(deg)
    if deg < 0:
        raise ValueError("expected deg >= 0")
    if x.ndim != 1:
        raise TypeError("expected 1D vector for x")
    if x.size == 0:
        raise TypeError("expected non-empty vector for x")
    if y.ndim < 1 or y.ndim > 2:
        raise TypeError("expected 1D or 2D array for y")
    if len(x) != len(y):
        raise TypeError("expected x and y to have same length")
    if cov:
        raise NotImplementedError("polyfit with cov is not available.")
    rcond = len(x) * 2.0 ** -52 if rcond is None else rcond
    left, right = vander(x, deg + 1), y
    if w is not None:
        w = asarray(w) + 0.0
        left = left * C.reshape(w, (-1, 1))
        right = right * (C.reshape(w, (-1, 1)) if y.ndim == 2 else w)
    scale = by_name["sqrt"](C.reduce("sum", left * left, 0, None, None, False, None, None))
    c, residuals, rank, s = linalg.lstsq(left / scale, right, rcond)
    c = C.transpose(C.transpose(c, None) / scale, None)
    return (c, residuals, rank, s, rcond) if full else c


# ---- the Kaiser window ----


def i0(x):
    """The modified Bessel function of the first kind, order 0: its power series, whose terms are all positive."""
    x = asarray(x)
    if x.dtype.kind == "c":
        raise TypeError("i0 not supported for complex values")
    x = x if x.dtype.kind == "f" else x.astype(C.float64)
    quarter = x * x / 4.0
    largest = float(C.reduce("max", by_name["absolute"](x), None, None, None, False, 0.0, None))
    made = term = C.full(x.shape, 1, x.dtype)
    for k in range(1, int(min(largest, 750.0)) + 30):
        term = term * quarter / float(k * k)
        made = made + term
    return C.as_scalar(made) if made.ndim == 0 else made


def kaiser(M, beta):
    """The Kaiser window."""
    if M < 1:
        return C.full((0,), 0, C.float64)
    if M == 1:
        return C.full((1,), 1, C.float64)
    n = C.arange(0, M, 1, None)
    alpha = (M - 1) / 2.0
    return i0(beta * by_name["sqrt"](1 - ((n - alpha) / alpha) ** 2.0)) / i0(C.float64(beta))


# ---- text and raw files ----

def savetxt(fname, X, fmt="%.18e", delimiter=" ", newline="\n", header="", footer="", comments="# ", encoding=None):
    """Writes a 1-D or 2-D array as text."""
    X = asarray(X)
    if X.ndim == 0 or X.ndim > 2:
        raise ValueError(f"Expected 1D or 2D array, got {X.ndim}D array instead")
    rows = [[x] for x in X.tolist()] if X.ndim == 1 else X.tolist()
    width = len(rows[0]) if rows else 0
    formats = list(fmt) if isinstance(fmt, (list, tuple)) else [fmt] * width if fmt.count("%") == 1 else None
    if formats is not None and len(formats) != width:
        raise AttributeError(f"fmt has wrong shape.  {fmt}")
    line = delimiter.join(formats) if formats is not None else fmt
    text = "".join(comments + h + newline for h in header.split("\n")) if header else ""
    try:
        text += "".join(line % tuple(row) + newline for row in rows)
    except TypeError as e:
        raise TypeError(f"Mismatch between array dtype ('{X.dtype}') and format specifier ('{line}')") from e
    text += "".join(comments + f + newline for f in footer.split("\n")) if footer else ""
    if hasattr(fname, "write"):
        try:
            fname.write(text)
        except TypeError:
            fname.write(text.encode(encoding or "latin1"))
        return
    with open(fname, "w", encoding=encoding or "latin1") as f:
        f.write(text)


def loadtxt(fname, dtype=float, comments="#", delimiter=None, converters=None, skiprows=0, usecols=None, unpack=False, ndmin=0,
            encoding=None, max_rows=None, *, quotechar=None, like=None):
    """Reads rows of numbers."""
    if converters is not None or quotechar is not None:
        raise NotImplementedError("loadtxt: converters and quotechar are not available.")
    if hasattr(fname, "read") or hasattr(fname, "__next__") or isinstance(fname, list):
        lines = list(fname)
    else:
        with open(fname, encoding=encoding or "latin1") as f:
            lines = list(f)
    t = C.dtype(dtype)
    convert = {"b": lambda s: bool(int(s)), "i": int, "u": int, "f": float, "c": lambda s: complex(s.strip("()"))}[t.kind]
    rows, marks = [], [comments] if isinstance(comments, str) else list(comments or [])
    columns = None if usecols is None else [usecols] if isinstance(usecols, int) else list(usecols)
    for line in lines[skiprows:]:
        line = line.decode(encoding or "latin1") if isinstance(line, bytes) else line
        for mark in marks:
            line = line.split(mark)[0]
        words = line.strip("\r\n").split(delimiter) if line.strip() else []
        if not words:
            continue
        if max_rows is not None and len(rows) >= max_rows:
            break
        words = words if columns is None else [words[c] for c in columns]
        if rows and len(words) != len(rows[0]):
            raise ValueError(f"the number of columns changed from {len(rows[0])} to {len(words)} at row {len(rows) + 1}; use `usecols` to "
                             "select a subset and avoid this error")
        rows.append([convert(w.strip()) for w in words])
    made = C.array(rows, t, True) if rows else C.full((0, 1), 0, t)
    if ndmin < 2:
        made = C.squeeze(made, None) if rows else C.reshape(made, (0,))
    while made.ndim < ndmin:
        made = C.expand_dims(made, 0 if made.ndim == 0 or ndmin == 1 else 1 if made.shape[0] == len(rows) else 0)
    return made.T if unpack and made.ndim > 1 else made


def fromfile(file, dtype=float, count=-1, sep="", offset=0, *, like=None):
    """A 1-D array of the bytes, or the text, of a file."""
    if hasattr(file, "read"):
        data = file.read()
    else:
        with open(file, "rb") as f:
            data = f.read()
    if sep:
        from ._creation import fromstring
        return fromstring(data.decode(), dtype, count, sep=sep)
    from ._creation import frombuffer
    size = C.dtype(dtype).itemsize
    whole = (len(data) - offset) // size
    return C.copy(frombuffer(data, dtype, whole if count < 0 else min(count, whole), offset))


