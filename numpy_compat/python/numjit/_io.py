"""Text of arrays, and .npy files."""
import contextlib
import os

from . import _core as C
from ._creation import asarray


def array2string(a, max_line_width=None, precision=None, suppress_small=None, separator=" ", prefix="", *, threshold=None,
                 edgeitems=None, suffix="", **options):
    """Text of an array, without 'array(...)'."""
    given = {"linewidth": max_line_width, "precision": precision, "suppress": suppress_small, "threshold": threshold,
             "edgeitems": edgeitems}
    if separator != " " or set(options) - {"floatmode", "sign", "formatter", "legacy", "style"}:
        raise NotImplementedError("array2string: a separator or formatter of one's own is not available.")
    return C.array2string(asarray(a), {k: v for k, v in given.items() if v is not None})


def array_str(a, max_line_width=None, precision=None, suppress_small=None):
    """Text of an array as str() gives it."""
    return array2string(a, max_line_width, precision, suppress_small)


def array_repr(arr, max_line_width=None, precision=None, suppress_small=None):
    """Text of an array as repr() gives it."""
    with printoptions(**{k: v for k, v in (("linewidth", max_line_width), ("precision", precision), ("suppress", suppress_small)) if v is not None}):
        return repr(arr)


def get_printoptions():
    """Print options in force."""
    return C.get_printoptions()


def set_printoptions(precision=None, threshold=None, edgeitems=None, linewidth=None, suppress=None, nanstr=None, infstr=None,
                     **options):
    """Sets print options."""
    if options:
        raise NotImplementedError(f"set_printoptions: {', '.join(options)} not available.")
    now = C.get_printoptions()
    given = (precision, threshold, edgeitems, linewidth, suppress, nanstr, infstr)
    now.update({k: v for k, v in zip(("precision", "threshold", "edgeitems", "linewidth", "suppress", "nanstr", "infstr"), given)
                if v is not None})
    now["threshold"] = int(min(now["threshold"], 2 ** 31 - 1))
    C.set_printoptions(*(now[k] for k in ("precision", "threshold", "edgeitems", "linewidth", "suppress", "nanstr", "infstr")))


@contextlib.contextmanager
def printoptions(**options):
    """A context with other print options."""
    before = C.get_printoptions()
    try:
        set_printoptions(**options)
        yield C.get_printoptions()
    finally:
        set_printoptions(**before)


def save(file, arr, allow_pickle=True):
    """Writes a .npy file."""
    data = C.npy_bytes(asarray(arr))
    if hasattr(file, "write"):
        file.write(data)
        return
    name = os.fspath(file)
    with open(name if name.endswith(".npy") else name + ".npy", "wb") as f:
        f.write(data)


def load(file, mmap_mode=None, allow_pickle=False, **options):
    """Reads a .npy or .npz file."""
    if hasattr(file, "read"):
        data, name = file.read(), getattr(file, "name", "file")
    else:
        name = os.fspath(file)
        with open(name, "rb") as f:
            data = f.read()
    if data[:4] in (b"PK\x03\x04", b"PK\x05\x06"):
        return NpzFile(data)
    return C.from_npy_bytes(data, str(name))


class NpzFile(dict):
    """The arrays of a .npz file by name."""

    def __init__(self, data):
        import io
        import zipfile
        with zipfile.ZipFile(io.BytesIO(data)) as z:
            super().__init__((n.removesuffix(".npy"), C.from_npy_bytes(z.read(n), n)) for n in z.namelist())
        self.files = list(self)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        pass

    def close(self):
        """Nothing is open."""


def _savez(file, args, kwargs, compression):
    import zipfile
    arrays = dict(kwargs)
    for i, a in enumerate(args):
        if f"arr_{i}" in arrays:
            raise ValueError(f"Cannot use un-named variables and keyword arr_{i}")
        arrays[f"arr_{i}"] = a
    if not hasattr(file, "write"):
        file = os.fspath(file)
        file = file if file.endswith(".npz") else file + ".npz"
    with zipfile.ZipFile(file, "w", compression) as z:
        for name, a in arrays.items():
            z.writestr(name + ".npy", C.npy_bytes(asarray(a)))


def savez(file, *args, allow_pickle=True, **kwds):
    """Writes arrays to a .npz file."""
    _savez(file, args, kwds, 0)


def savez_compressed(file, *args, allow_pickle=True, **kwds):
    """Writes arrays to a compressed .npz file."""
    _savez(file, args, kwds, 8)
