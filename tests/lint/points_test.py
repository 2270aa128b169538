"""Every numbered point of the specification of tracing has a test that carries its number."""
import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SECTIONS = {1: 10, 2: 6, 3: 8, 4: 6, 5: 5, 7: 3}  # section -> number of points; 6, transforms, is not built
DETAILS = [*range(1, 14), *range(15, 19), 20, 21]   # the others are about processes, files and names, not tracing


def labels() -> set:
    found = set()
    for path in (ROOT / "tests").rglob("*.cpp"):
        for test in re.findall(r"^TEST(?:_F|_P)?\(\w+, *(\w+)\)", path.read_text(), re.M):
            found |= {"T" + "_".join(pair) for pair in re.findall(r"T(\d+)_(\d+)_", test)}
            found |= set(re.findall(r"^D\d+(?=_)", test))
    return found


class Points(unittest.TestCase):
    def test_all_have_a_test(self):
        wanted = {f"T{section}_{point}" for section, count in SECTIONS.items() for point in range(1, count + 1)}
        wanted |= {f"D{detail}" for detail in DETAILS}
        self.assertEqual(sorted(wanted - labels()), [])


if __name__ == "__main__":
    unittest.main()
