"""docs/numpy_coverage.md tells the truth about this build."""
import unittest

import coverage


class Coverage(unittest.TestCase):
    def test_the_page_is_not_stale(self):
        now, told = coverage.parsed(coverage.page()), coverage.parsed(coverage.PAGE.read_text())
        stale = [f"{chapter}.{name}: the page says {told.get((chapter, name))}, found {cells}"
                 for (chapter, name), cells in now.items() if told.get((chapter, name)) != cells]
        stale += [f"{chapter}.{name}: on the page, but no name of NumPy" for chapter, name in told if (chapter, name) not in now]
        # What C++ or graphs have gained since may wait for the next writing; what the page claims must hold.
        stale = [s for s in stale if not self.only_gains(s, now, told)]
        self.assertFalse(stale, "write it again: ./dev python tests/python/coverage.py\n" + "\n".join(stale[:20]))

    @staticmethod
    def only_gains(line, now, told):
        chapter, _, name = line.partition(": ")[0].rpartition(".")
        old, new = told.get((chapter, name)), now.get((chapter, name))
        return bool(old and new) and old[1] == new[1] and all(a == b or b == "yes" for a, b in zip(old[:3], new[:3]))

    def test_most_names_are_there(self):
        told = coverage.parsed(coverage.PAGE.read_text())
        main = {name: cells for (chapter, name), cells in told.items() if chapter == "numpy"}
        fitting = [cells for cells in main.values() if not cells[3].startswith("left out")]
        self.assertGreater(sum(cells[1] == "yes" for cells in fitting) / len(fitting), 0.9)
        self.assertEqual(main["add"][:3], ["yes", "yes", "yes"])
        self.assertEqual(main["nonzero"][1], "yes")


if __name__ == "__main__":
    unittest.main()
