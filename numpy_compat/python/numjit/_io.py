""".npy and .npz files."""
import os

from . import _core as C
from ._creation import asarray


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
