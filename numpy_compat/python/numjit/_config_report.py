"""What numjit consists of and runs on: show_config, show_runtime."""
import importlib.metadata
import platform
import sys

from . import _core as C


def _version_of(package):
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _report():
    """By NumPy's headings."""
    halide = _version_of("halide")
    return {
        "Python Information": {"path": sys.executable, "version": platform.python_version()},
        "Machine Information": {"host": {"cpu": platform.machine(), "endian": sys.byteorder, "system": platform.system().lower()}},
        "Build Dependencies": {"halide": {"name": "halide", "found": halide is not None, "version": halide}},
        "Devices": [d["name"] for d in C._list_devices()],
    }


def show_config(mode="stdout"):
    """What this package consists of: printed, or as a dict for mode="dicts"."""
    if mode not in ("stdout", "dicts"):
        raise AttributeError(f"Invalid `mode`, use one of: stdout, dicts (got {mode!r})")
    if mode == "dicts":
        return _report()
    import json
    print(json.dumps(_report(), indent=2))


def show_runtime():
    """What it runs on, printed."""
    import json
    from . import __version__
    print(json.dumps([{"numjit_version": __version__, "python": sys.version, "uname": str(platform.uname())}, _report()], indent=2))
