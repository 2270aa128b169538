""".npy and .npz files, and files as memory."""
import collections.abc
import contextlib
import functools
import math
import operator
import os
import re

from . import _core as C
from ._creation import _in_byte_order, asarray
from ._functions import transpose

_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_AT_ONCE = 1 << 20  # bytes; signals are answered between them


def save(file, arr, allow_pickle=True):
    """Writes a .npy file."""
    if hasattr(file, "write"):
        _write_array(file, arr)
        return
    name = os.fspath(file)
    with open(name if name.endswith(".npy") else name + ".npy", "wb") as f:
        _write_array(f, arr)


def _write_array(file, arr):
    """The bytes of a .npy file, to an open one."""
    header, stored = C.npy_parts(asarray(arr))
    file.write(header)
    for begin in range(0, stored.nbytes, _AT_ONCE):
        file.write(C.npy_part(stored, begin, min(begin + _AT_ONCE, stored.nbytes)))


def _read_up_to(file, count, data):
    """Makes data so long, less only where the file ends: read() of a pipe or an archive may give less."""
    while len(data) < count:
        part = file.read(min(count - len(data), _AT_ONCE))
        if not part:
            break
        data += part


def _read_array(file, name):
    """One array of an open file, which stands behind it afterwards."""
    data = bytearray()
    size = 12
    while len(data) < size:
        before = len(data)
        _read_up_to(file, size, data)
        if len(data) == before or len(data) < 12:
            break
        size = C.npy_size(data, name)  # of the header, then of all
    return C.from_npy_bytes(data, name)


def load(file, mmap_mode=None, allow_pickle=False, fix_imports=True, encoding="ASCII", *, max_header_size=10000):
    """Reads a .npy or .npz file. Of an open file the array at its place: there may be more behind it."""
    if encoding not in ("ASCII", "latin1", "bytes"):
        raise ValueError("encoding must be 'ASCII', 'latin1', or 'bytes'")
    own = not hasattr(file, "read")
    name = os.fspath(file) if own else getattr(file, "name", "file")
    with contextlib.ExitStack() as stack:
        f = stack.enter_context(open(name, "rb")) if own else file
        magic = f.read(6)
        if not magic:
            raise EOFError("No data left in file")
        f.seek(-len(magic), 1)
        if magic[:4] in _ZIP:
            stack.pop_all()
            return NpzFile(f, own_fid=own)
        if allow_pickle and magic != b"\x93NUMPY":  # what ndarray.dump() wrote
            import pickle
            try:
                return pickle.load(f, fix_imports=fix_imports, encoding=encoding)
            except Exception as e:
                raise pickle.UnpicklingError(f"Failed to interpret file {file!r} as a pickle") from e
        if mmap_mode is not None:
            if not own:
                raise ValueError("mmap_mode is for files given by name: got an open file.")
            return open_memmap(file, mmap_mode)
        return _read_array(f, str(name))


class _Members:
    """The arrays of an archive as attributes."""

    def __init__(self, archive):
        self._archive = archive

    def __getattribute__(self, key):
        try:
            return object.__getattribute__(self, "_archive")[key]
        except KeyError:
            raise AttributeError(key) from None

    def __dir__(self):
        return list(object.__getattribute__(self, "_archive"))


class NpzFile(collections.abc.Mapping):
    """The arrays of a .npz file by name, read when asked for."""

    zip = fid = None
    _MAX_REPR_ARRAY_COUNT = 5

    def __init__(self, fid, own_fid=False):
        import zipfile
        self.zip = zipfile.ZipFile(fid)
        self._members = {n.removesuffix(".npy"): n for n in self.zip.namelist()}
        self.files, self.f = list(self._members), _Members(self)
        self.fid = fid if own_fid else None
        self._name = getattr(fid, "name", None)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def close(self):
        """Closes the file, if load() opened it."""
        for opened in (self.zip, self.fid):
            if opened is not None:
                opened.close()
        self.zip = self.fid = self.f = None

    __del__ = close

    def __iter__(self):
        return iter(self.files)

    def __len__(self):
        return len(self.files)

    def __getitem__(self, key):
        if key in self._members:
            key = self._members[key]
        elif key not in self._members.values():
            raise KeyError(f"{key} is not a file in the archive")
        with self.zip.open(key) as f:
            magic = f.read(6)
        if magic != b"\x93NUMPY":
            return self.zip.read(key)
        with self.zip.open(key) as f:
            return _read_array(f, key)

    def __contains__(self, key):
        return key in self._members or key in self._members.values()

    def __repr__(self):
        shown = ", ".join(self.files[:self._MAX_REPR_ARRAY_COUNT]) + ("..." if len(self.files) > self._MAX_REPR_ARRAY_COUNT else "")
        return f"NpzFile {self._name or 'object'!r} with keys: {shown}"


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
            with z.open(name + ".npy", "w", force_zip64=True) as f:
                _write_array(f, a)


def savez(file, *args, allow_pickle=True, **kwds):
    """Writes arrays to a .npz file."""
    _savez(file, args, kwds, 0)


def savez_compressed(file, *args, allow_pickle=True, **kwds):
    """Writes arrays to a compressed .npz file."""
    _savez(file, args, kwds, 8)


# ---- files as memory ----

_MODES = {"readonly": "r", "copyonwrite": "c", "readwrite": "r+", "write": "w+"}
_VALID_MODES = ["r", "c", "r+", "w+", *_MODES]


class _Mapped(type):
    """isinstance(a, memmap): does an array lie over a file?"""

    def __instancecheck__(cls, value):
        return isinstance(value, C.array_base) and C.file_of(value) is not None


class memmap(metaclass=_Mapped):
    """An array over the pages of a file: what is written to it comes to the file by itself, by flush() at once. Its views
    have the attributes filename, offset and mode, and flush(), too."""

    def __new__(cls, filename, dtype=C.uint8, mode="r+", offset=0, shape=None, order="C"):
        mode = _MODES.get(mode, mode)
        if mode not in _VALID_MODES:
            raise ValueError(f"mode must be one of {_VALID_MODES!r} (got {mode!r})")
        if mode == "w+" and shape is None:
            raise ValueError("shape must be given if mode == 'w+'")
        if shape is not None:
            shape = tuple(operator.index(n) for n in (shape if hasattr(shape, "__len__") else (shape,)))
        name = filename.name if hasattr(filename, "read") else os.fspath(filename)
        dtype, swapped = _in_byte_order(dtype)
        if swapped and mode not in ("r", "c"):
            raise ValueError(f"memmap: bytes in another order than the processor's are mapped for reading only: got mode {mode!r}, "
                             "expected 'r' or 'c'. Read them with np.fromfile().")
        if hasattr(filename, "flush"):
            filename.flush()
        falls = order == "F" and shape is not None
        made = C.memmap(os.fsdecode(name), dtype, mode, operator.index(offset), shape[::-1] if falls else shape)
        if isinstance(filename, os.PathLike):
            C.mark_path(made)
        made = transpose(made) if falls else made
        return _turned_round(made, mode) if swapped else made


def _turned_round(mapped, mode):
    """A copy in the processor's byte order: what is written to it stays here, as with a private map."""
    made = mapped.byteswap()
    made.flags.writeable = mode == "c"
    return made


_FOREIGN_ORDER = re.compile(rb"'descr': *'>[a-z]([248]|16)'")


def flush_file(mapped):
    """Writes what was stored in a mapped array to its file."""
    C.flush_file(mapped)


def open_memmap(filename, mode="r+", dtype=None, shape=None, fortran_order=False, version=None, *, max_header_size=10000):
    """A .npy file as memory; with mode="w+" a new one, of a dtype and shape."""
    if hasattr(filename, "read"):
        raise ValueError("Filename must be a string or a path-like object.  Memmap cannot use existing file handles.")
    name = os.fspath(filename)
    if "w" in mode:
        from numpy.lib import format as npy
        text = {"descr": C.dtype(float if dtype is None else dtype).newbyteorder("=").str, "fortran_order": fortran_order,
                "shape": tuple(operator.index(n) for n in (shape if hasattr(shape, "__len__") else (shape,)))}
        write = {None: npy.write_array_header_1_0, (1, 0): npy.write_array_header_1_0, (2, 0): npy.write_array_header_2_0}.get(version)
        if write is None:
            raise ValueError(f"we only support format version (1,0), (2,0), and (3,0), not {version}")
        with open(name, "wb") as f:
            write(f, text)
            size = f.tell() + math.prod(text["shape"]) * C.dtype(text["descr"]).itemsize
            f.truncate(size)
        mode = "r+"
    mode = _MODES.get(mode, mode)
    with open(name, "rb") as f:
        if mode in ("r", "c") and _FOREIGN_ORDER.search(f.read(256)):
            f.seek(0)
            made = _read_array(f, str(name))
            made.flags.writeable = mode == "c"
            return made
    made = C.load_mapped(os.fsdecode(name), mode)
    if isinstance(filename, os.PathLike):
        C.mark_path(made)
    return made


def _of_file(name, place):
    def get(self):
        found = C.file_of(self)
        if found is None:
            raise AttributeError(f"'{type(self).__module__}.{type(self).__name__}' object has no attribute '{name}'")
        if place is None:
            return functools.partial(C.flush_file, self)
        if name == "filename" and found[3]:
            import pathlib
            return pathlib.Path(found[0])
        return found[place]
    return property(get, doc="Of an array over a file: " + ("writes what was stored to it." if place is None else f"its {name}."))


for _place, _name in enumerate(("filename", "offset", "mode")):
    setattr(C.ndarray, _name, _of_file(_name, _place))
C.ndarray.flush = _of_file("flush", None)
