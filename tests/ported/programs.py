"""The programs of docs/programs: found, run under NumPy or numjit; the counts in README.md; makes the goldens."""
import os
import re
import sys
import types
from pathlib import Path

ROOT = Path(os.environ.get("NUMJIT_SOURCE_DIR", Path(__file__).resolve().parents[2]))
BUILD = Path(os.environ.get("NUMJIT_BUILD_DIR", ROOT / "build"))
FOLDER = ROOT / "docs" / "programs"
GOLDEN = Path(__file__).parent / "golden" / "programs.npz"


def names() -> list[str]:
    return sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "run")


def load(name: str, np) -> types.ModuleType:
    """The program as a module in which `import numjit as np` gives the library asked for."""
    path = FOLDER / f"{name}.py"
    module = types.ModuleType(name)
    module.__file__ = str(path)
    before = sys.modules.get("numjit")
    sys.modules["numjit"] = np
    try:
        exec(compile(path.read_text(), str(path), "exec"), module.__dict__)
    finally:
        if before is None:
            del sys.modules["numjit"]
        else:
            sys.modules["numjit"] = before
    return module


def results(module: types.ModuleType, run=None) -> list:
    """Inputs made anew, as programs may write to them."""
    found = (run or module.run)(*module.inputs())
    return list(found) if isinstance(found, (tuple, list)) else [found]


def table() -> dict[str, tuple[int, int]]:
    """Graphs and breaks of one call, from the last columns of README.md's rows."""
    row = re.compile(r"^\| \[(\w+)\].*\| \d+ \| \d+ \| (\d+) \| (\d+) \|", re.MULTILINE)
    rows = row.findall((FOLDER / "README.md").read_text())
    return {name: (int(graphs), int(breaks)) for name, graphs, breaks in rows}


def golden_arrays(np) -> dict:
    """What NumPy gives for each program, as `name.0`, `name.1`, ..."""
    with np.errstate(all="ignore"):
        return {f"{name}.{i}": np.asarray(result)
                for name in names() for i, result in enumerate(results(load(name, np)))}


if __name__ == "__main__":  # makes the goldens anew
    import numpy
    GOLDEN.parent.mkdir(exist_ok=True)
    numpy.savez_compressed(GOLDEN, **golden_arrays(numpy))
    print(f"{GOLDEN}: {GOLDEN.stat().st_size} bytes")
