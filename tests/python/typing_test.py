"""numjit.typing, and the type stubs of the built package as a type checker reads them."""
# ctest: TIMEOUT 300
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
import textwrap
import typing
import unittest
from pathlib import Path

import numjit as np
import numjit.typing as npt

BUILD = Path(os.environ.get("NUMJIT_BUILD_DIR", Path(__file__).parents[2] / "build"))
PACKAGE = BUILD / "python" / "numjit"

PROGRAM = """
from typing import Any
import numjit as np
import numjit.typing as npt
from numjit.linalg import norm

def mean(x: npt.NDArray[np.float64], y: npt.ArrayLike, dtype: npt.DTypeLike = None) -> npt.NDArray[np.float64]:
    return (np.asarray(y, dtype=dtype) + x) / 2

def half(x: np.float64) -> float:
    return float(x) / 2

def show(x: np.floating[Any]) -> str:
    return str(x)

x: npt.NDArray[np.float64] = np.zeros(3)
rng = np.random.default_rng(3)

@np.compile
def step(u: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return u * 2

mean(x, [1, 2.5, 3], "f4")
mean(x, [[1, 2], [3, 4]], np.float32)
mean(x, rng.normal(size=3), x.dtype)
show(np.float32(3)), half(np.float64(1)), norm(x), np.emath.sqrt(-1), np.special.erf(x), np.fft.fft(x)
same: bool = np.allclose(x, x)
with np.errstate(all="ignore"):
    np.add(x, x, out=x)
reveal_type(x + x)
reveal_type(x.dtype)
reveal_type(x.copy())
reveal_type(np.nonzero(x))
reveal_type(np.array_equal(x, x))
reveal_type(np.pi)
"""
ANY = "numjit.ndarray[tuple[Any, ...], numjit.dtype[Any]]"
REVEALED = [ANY, "numjit.dtype[numjit.float64]", "numjit.ndarray[tuple[Any, ...], numjit.dtype[numjit.float64]]", f"tuple[{ANY}, ...]",
            "bool", "float"]
WRONG = {
    "mean(3, [1])": 'Argument 1 to "mean" has incompatible type "int"; expected "ndarray[tuple[Any, ...], dtype[float64]]"',
    "mean(x, object())": 'Argument 2 to "mean" has incompatible type "object"',
    "mean(x, 3, 7)": 'Argument 3 to "mean" has incompatible type "int"',
    "half(np.float32(1))": 'Argument 1 to "half" has incompatible type "float32"; expected "float64"',
    "np.linalg.solv(x)": 'Module has no attribute "solv"; maybe "solve"?',
    "np.zeroes(3)": 'Module has no attribute "zeroes"',
    "x.shapes": 'has no attribute "shapes"',
    "np.zeros(3, shapes=4)": 'Unexpected keyword argument "shapes" for "zeros"',
}


def peer(name):
    return importlib.util.find_spec(name) is not None


class AtRunTime(unittest.TestCase):
    def test_names_are_those_of_numpy(self):
        self.assertEqual(set(npt.__all__), {"ArrayLike", "DTypeLike", "NBitBase", "NDArray"})
        self.assertIs(np.typing, npt)

    def test_arrays_of_a_dtype(self):
        made = npt.NDArray[np.float64]
        self.assertIs(typing.get_origin(made), np.ndarray)
        self.assertEqual(typing.get_args(made), (tuple[typing.Any, ...], np.dtype[np.float64]))
        self.assertEqual(typing.get_args(npt.NDArray[typing.Any])[1], np.dtype[typing.Any])

    def test_hints_are_found(self):
        def f(x: "npt.NDArray[np.int8]", y: npt.ArrayLike, z: "npt.DTypeLike" = None) -> None: ...
        self.assertEqual(typing.get_type_hints(f), {"x": npt.NDArray[np.int8], "y": npt.ArrayLike, "z": npt.DTypeLike, "return": type(None)})

    def test_unions_hold_what_asarray_and_dtype_take(self):
        self.assertIs(typing.get_origin(npt.ArrayLike), typing.Union)
        self.assertIn(complex, typing.get_args(npt.ArrayLike))
        self.assertIn(str, typing.get_args(npt.DTypeLike))
        self.assertIn(type(None), typing.get_args(npt.DTypeLike))

    def test_protocols(self):
        for protocol, has in ((npt._SupportsArray, np.ones(3)), (npt._SupportsArrayFunc, np.ones(3)), (npt._NestedSequence, [1]),
                              (npt._SupportsDType, np.ones(3))):
            self.assertIsInstance(has, protocol)
            self.assertNotIsInstance(None, protocol)


class Stubs(unittest.TestCase):
    def test_are_beside_the_module(self):
        self.assertTrue((PACKAGE / "py.typed").exists())
        for name in ("__init__", "distributed", "emath", "exceptions", "fft", "lib", "linalg", "polynomial", "random", "special", "testing", "tree"):
            self.assertTrue((PACKAGE / f"{name}.pyi").exists(), name)

    def test_name_every_public_name(self):
        text = (PACKAGE / "__init__.pyi").read_text()
        missing = [name for name in np.__all__ if not re.search(rf"^(def|class) {name}\b|^{name}( =|:)|\b{name} as {name}\b", text, re.M)]
        self.assertEqual(missing, [])


@unittest.skipUnless(peer("mypy"), "mypy is not installed: ./dev test outside installs it")
class Checked(unittest.TestCase):
    def check(self, text):
        """What mypy says about a program."""
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "program.py"
            program.write_text(textwrap.dedent(text))
            made = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(Path(folder) / "cache"), "program.py"], cwd=folder,
                                  capture_output=True, text=True, env={**os.environ, "MYPYPATH": str(PACKAGE.parent)})
        return made.stdout

    def test_a_program_in_strict_mode(self):
        said = self.check(PROGRAM)
        self.assertNotIn("error", said)
        self.assertEqual(re.findall('Revealed type is "(.*)"', said), REVEALED)

    def test_what_is_wrong_is_found(self):
        said = self.check(PROGRAM + "\n".join(WRONG))
        first = len(PROGRAM.splitlines()) + 1
        for i, (line, text) in enumerate(WRONG.items()):
            self.assertRegex(said, rf"program.py:{first + i}: error: .*{re.escape(text)}", line)
        self.assertIn(f"Found {len(WRONG)} errors", said)


if __name__ == "__main__":
    unittest.main()
