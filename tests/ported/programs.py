"""The programs of docs/programs: found, run under NumPy or numjit; the counts in README.md; makes the goldens."""
import json
import os
import re
import subprocess
import sys
import tempfile
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


# ---- `python tests/ported/programs.py`, with the library built, makes the goldens and the rows of README.md anew ----

ROW = re.compile(r"^\| \[(\w+)\].*\|([^|]*)\|\n", re.MULTILINE)


def cpp_counts() -> dict[str, tuple[int, int]]:
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        subprocess.run([BUILD / "bin" / "tests" / "test_ported", f"--gtest_output=json:{report}"], capture_output=True)
        suites = json.loads(report.read_text())["testsuites"]
    tests = [test for suite in suites for test in suite["testsuite"] if "graphs" in test]
    return {test["name"].split("/")[1]: (int(test["graphs"]), int(test["breaks"])) for test in tests}


def python_counts(name: str, nj) -> tuple[int, int]:
    module = load(name, nj)
    fast = nj.compile(module.run, name=name)
    results(module, fast)
    report = nj.explain(fast)(*module.inputs())
    for reason in report.break_reasons:
        print(f"{name}.py:{reason.line}: {reason.hits} x {reason.id} {reason.reason}")
    return report.graph_count, report.graph_break_count


def write_rows(nj) -> None:
    """What a program does is the first line of its docstring; the last column, what breaks, is written by hand."""
    page = FOLDER / "README.md"
    text = page.read_text()
    told = {name: why.strip() for name, why in ROW.findall(text)}
    cpp = cpp_counts()
    rows = []
    for name in names():
        what = (FOLDER / f"{name}.py").read_text().split('"""')[1].splitlines()[0]
        counts = " | ".join(str(n) for n in (*cpp[name], *python_counts(name, nj)))
        why = f"{told[name]} " if told.get(name) else ""
        rows.append(f"| [{name}]({name}.cpp) | [py]({name}.py) | {what} | {counts} | {why}|\n")
    page.write_text(re.sub(r"(?<=\|\n)\Z", lambda _: "".join(rows), ROW.sub("", text)))


if __name__ == "__main__":
    import numpy
    GOLDEN.parent.mkdir(exist_ok=True)
    numpy.savez_compressed(GOLDEN, **golden_arrays(numpy))
    print(f"{GOLDEN.name}: {GOLDEN.stat().st_size} bytes")
    sys.path.insert(0, str(BUILD / "python"))
    import numjit
    numjit.config.compile = "sync"
    write_rows(numjit)
