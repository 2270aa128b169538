# ctest: TIMEOUT 300
"""Stores into memory that indices, masks, values and out= share, in all forms, over random views of one buffer: as NumPy's on
copies of what is only read, eagerly and compiled. Settings: hunt.py."""
import warnings

import numpy

from differential import nj
from hunt import hunt

DTYPES = ("i8", "i8", "f8", "f4", "i4", "i1", "u1", "c16", "?")
FORMS = """
a[b] = 1
a[b] = 1.0
a[b] = c
a[b] += c
a[b] *= 2
a[m] = 3
a[m] = 2.0
a[m] = c[m]
a[m] += 1
a[...] = c
a[::-1] = c
a[1:] = a[:-1]
a[:-1] += a[1:]
a += c
a *= a[::-1]
a -= a.T
a[i] = a[b]
a[b, None] = 2
a[i:] = b[i:]
a.flat[b] = 7
a.flat = c
a.T[...] = c
a.real = c
np.put(a, b, c)
np.put(a, b, 5)
np.put(a, b, c, mode='wrap')
np.put(a, b, c, mode='clip')
a.put(b, c)
np.place(a, m, c)
np.putmask(a, m, c)
np.copyto(a, c)
np.copyto(a, c, where=m if m.shape == a.shape else True)
np.copyto(a, 1, where=a)
np.copyto(a, c, casting='unsafe')
np.put_along_axis(a, b, c, 0)
np.add.at(a, b, c)
np.add.at(a, b, 1)
np.multiply.at(a, b, 2)
np.subtract.at(a, b, c)
np.maximum.at(a, b, c)
np.negative.at(a, b)
np.add(a, c, out=a)
np.add(c, c, out=a)
np.add(a, c, out=a, where=m)
np.multiply(a[::-1], c, out=a)
np.subtract(a, a.T, out=a)
np.negative(c, out=a)
np.where(m, a, c)
np.sqrt(c, out=a, where=m)
np.add.reduce(c, out=a[0:1].reshape(()))
np.add.accumulate(a, out=a)
np.add.accumulate(a[::-1], out=a)
np.multiply.accumulate(a, out=a[::-1])
np.cumsum(a, axis=0, out=a)
np.cumprod(a[::-1], axis=-1, out=a)
np.cumsum(a[::-1], axis=0, out=a)
np.cumsum(a, axis=0, out=a[::-1])
np.add.reduceat(a, [0, 1], out=a[:2])
np.add.reduceat(a, [0, 1], out=a[1:3])
np.sum(a, axis=0, out=a[0])
np.max(a, axis=0, out=a[0])
np.take(c, b, out=a)
np.take(c, b, out=a, mode='wrap')
np.take(a, b, out=a, mode='clip')
np.choose(m, [a, c], out=a)
np.choose(b, [a, c, a[::-1]], out=a, mode='wrap')
np.compress(m, c, out=a[:np.count_nonzero(m)])
np.clip(a, b, c, out=a)
np.clip(c, 1, 2, out=a)
np.matmul(a, c, out=a)
np.einsum('i->i', a[::-1], out=a)
np.einsum('i,i->i', a, a[::-1], out=a)
np.einsum('ij->ji', a, out=a)
np.concatenate([a[:1], c[1:]], out=a)
np.stack([a[0], c[0]], out=a[:2])
np.logical_or(m, a, out=m)
np.less(a, c, out=m)
a.sort()
a.sort(axis=0)
a[::-1].sort()
np.fill_diagonal(a, c[0])
np.random.default_rng(1).shuffle(a)
np.random.default_rng(1).random(out=a)
np.random.default_rng(1).permuted(c, out=a)
a[a] = 5
a[a] = a
a[a] = a[::-1]
np.put(a, a, a[::-1])
np.add.at(a, a, a)
a[a > 1] = a[::-1][a > 1]
a.byteswap(True)
a[b] = c if a.ndim == 1 else a
""".strip().split("\n")


def _view(rng, name):
    """A view of a buffer as an expression."""
    text = name if name.isidentifier() else f"({name})"
    for _ in range(rng.choice((0, 1, 1, 2))):
        i, k = rng.randint(0, 3), rng.choice((None, None, -1, -2, 7))
        text += rng.choice((f"[{i}:{k}]", "[::-1]", "[::2]", f"[{i}:{k}:2]", ".T", ".reshape(-1)", ".reshape(2, -1)", ".reshape(-1, 2).T",
                            "[..., None]", "[None]", f"[{i}]"))
    return text


def _program(rng):
    """Views a, b, c, m of one buffer, and one statement."""
    size = rng.choice((4, 6, 8, 12, 12, 16))
    if rng.random() < 0.03:
        size = rng.choice((4100, 40000))
    dtype = rng.choice(DTYPES)
    low, high = rng.choice(((0, 2), (0, 4), (-4, 4), (0, size)))
    values = numpy.random.default_rng(rng.randrange(2 ** 32)).integers(low, high, size)
    views = {}
    for name in "abc":
        views[name] = _view(rng, "base")
    if rng.random() < 0.3:  # the same bytes as another dtype
        views["b"] = _view(rng, "base.view('%s')" % rng.choice(("i8", "u1", "i4", "i1")))
    if rng.random() < 0.4:
        views["b"] = _view(rng, rng.choice(("numpy_array([0, 1, 2])", "numpy_array([1, 0, -1, 1])", "base.astype('i8') % 2")))
    views["m"] = rng.choice(("base.view('?')", "base.view('?')[::2]", "(base > 1)", "(a > 0)", "(a == c)", "base.view('i1').view('?')[:a.size].reshape(a.shape)"))
    if rng.random() < 0.1:
        views["a"] = f"np.broadcast_to({views['a']}, (2,) + {views['a']}.shape)"
    lines = [f"{name} = {text}" for name, text in views.items()] + [f"i = {rng.randint(0, 3)}"]
    return dtype, values, lines, rng.choice(FORMS)


def _run(module, base, lines, form, compiled):
    """The error of the statement, or None."""
    statement = not form.startswith(("np.", "a.sort", "a.put", "a.fill", "a.byteswap", "a.partition", "a[::-1].sort", "a.modf"))
    source = "def body(base, np, numpy_array, out):\n    " + "\n    ".join(lines) + "\n    " + (
        form if statement else f"out.append({form})") + "\n"
    scope = {}
    exec(source, scope)  # noqa: S102
    given, kept = [], numpy.array

    def numpy_array(values):
        return module.array(kept(values)) if module is nj else kept(values)
    body = scope["body"]
    if compiled:
        @nj.compile(backend=compiled)
        def f(base):
            body(base, nj, numpy_array, given)
        call = f
    else:
        def call(base):
            body(base, module, numpy_array, given)
    error = None
    try:
        with warnings.catch_warnings(), numpy.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            call(base)
    except Exception as e:  # noqa: BLE001
        error = e
    return error


def _same(a, b):
    return numpy.array_equal(a, b, equal_nan=a.dtype.kind in "fc")


def _for_numpy(form):
    """What NumPy does before a statement, and the statement, so that it gives what it means to."""
    # NumPy does not look for overlap everywhere: it gets copies of what is only read.
    lines = ["b, c = b.copy(), c.copy()" if "out=m" in form else "b, c, m = b.copy(), c.copy(), m.copy()"]
    if ".at(a" in form:  # it stores into memory that is read-only
        lines.append("a.flags.writeable or a.sort()")
    if ".at(a, b, c)" in form:  # it reads behind c where several axes of indices broadcast it
        lines.append("c = np.broadcast_to(c, a[b].shape).copy()")
    if "np.choose" in form and "mode='wrap'" in form:  # it takes out for an array in C order
        return [*lines, "b = b % 3"], form.replace(", mode='wrap'", "")
    if "mode='wrap'" in form:  # it subtracts the size over and over
        of = "c" if "np.take(c" in form else "a"
        lines.append(f"b = b % {of}.size if {of}.size and b.dtype == 'i8' else b")
    return lines, form


def case(rng):
    """One statement on overlapping views."""
    dtype, values, lines, form = _program(rng)
    if form.startswith("a[a]") and dtype == "i8" and rng.random() < 0.8:
        values = abs(values) % 3
    if ("accumulate" in form or values.size > 1000) and dtype in ("f4", "c8"):  # sums that no order of addition rounds
        values = values % 3
    theirs = values.astype(dtype)
    start = theirs.copy()
    before, theirs_form = _for_numpy(form)
    error = _run(numpy, theirs, [*lines, *before], theirs_form, None)
    for compiled in (None, "eager", *(["halide"] if rng.random() < 0.02 else [])):
        memory = start.copy()
        ours = nj.asarray(memory) if rng.random() < 0.5 else nj.array(memory)
        own = _run(nj, ours, lines, form, compiled)
        after = numpy.asarray(ours)
        told = f"{dtype} {start.tolist() if start.size < 50 else start.size}\n  " + "\n  ".join([*lines, form]) + f"\n  backend {compiled}"
        if (error is None) != (own is None):
            raise AssertionError(f"{told}\n  NumPy: {error!r}\n  numjit: {own!r}")
        if error is None and not _same(theirs, after):
            raise AssertionError(f"{told}\n  NumPy: {theirs.tolist()}\n  numjit: {after.tolist()}")


if __name__ == "__main__":
    hunt(case)
