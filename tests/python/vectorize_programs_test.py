"""The programs of docs/programs/numbers: what NumPy gives for the same file, eagerly, compiled, and for many elements."""
import pathlib
import types
import unittest

import numpy
import numjit as np

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "docs" / "programs" / "numbers"


def loaded(path, library):
    """A program as a module whose np is this library."""
    module = types.ModuleType(path.stem)
    source = path.read_text().replace("import numjit as np\n", f"import {library} as np\n")
    exec(compile(source, str(path), "exec"), vars(module))
    return module


def bits(made):
    return [(str(a.dtype), a.shape, numpy.asarray(a).tobytes()) for a in (made if isinstance(made, tuple) else (made,))]


class Programs(unittest.TestCase):
    def setUp(self):
        self.lines = []
        np.set_log_sink(self.lines.append)
        np.set_logs(perf_hints=True)

    def tearDown(self):
        np.set_logs()
        np.set_log_sink(None)

    def test_all(self):
        paths = sorted(FOLDER.glob("*.py"))
        self.assertGreaterEqual(len(paths), 5)
        for path in paths:
            with self.subTest(path.stem):
                self.lines.clear()
                ours, numpys = loaded(path, "numjit"), loaded(path, "numpy")
                given = [numpy.asarray(a) if isinstance(a, np.ndarray) else a for a in ours.inputs()]
                expected = bits(numpys.run(*given))
                self.assertEqual(bits(ours.run(*ours.inputs())), expected)
                compiled = np.compile(ours.run, backend="eager")
                for _ in range(2):
                    self.assertEqual(bits(compiled(*ours.inputs())), expected)
                self.assertEqual([line for line in self.lines if "runs as a loop" in line], [])

    def test_the_page_lists_them(self):
        page = (FOLDER / "README.md").read_text()
        for path in FOLDER.glob("*.py"):
            self.assertIn(f"[{path.stem}]({path.name})", page)


if __name__ == "__main__":
    unittest.main()
