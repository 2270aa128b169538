"""docs/numpy_coverage.md and its sums in docs/numpy.md tell the truth about this build."""
import unittest

import coverage


class Coverage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.table = coverage.measured()

    def test_the_page_is_not_stale(self):
        """In neither direction: what it claims is there, and what is there it tells."""
        text, told_text = coverage.page(self.table), coverage.PAGE.read_text()
        now, told = coverage.parsed(text), coverage.parsed(told_text)
        stale = [f"{chapter}.{name}: the page says {told.get((chapter, name))}, found {now.get((chapter, name))}"
                 for chapter, name in sorted({*now, *told}) if told.get((chapter, name)) != now.get((chapter, name))]
        self.assertFalse(stale, "write it again: ./dev python tests/python/coverage.py\n" + "\n".join(stale[:20]))
        self.assertEqual(told_text, text)
        self.assertEqual(coverage.SUMMARY.read_text(), coverage.summary(self.table))

    def test_a_stale_page_is_found(self):
        """Names that a page has too many or too few, and other cells, make it differ."""
        line = "| `add` | yes | yes | yes |  |"
        text = coverage.page(self.table)
        self.assertIn(line, text)
        for other in ("", line.replace("yes", "", 1), line + "\n| `addd` | yes | yes | yes |  |"):
            self.assertNotEqual(coverage.parsed(text.replace(line, other)), coverage.parsed(text))

    def test_most_names_are_there(self):
        """At least nine tenths of the names that fit our dtypes, in each chapter."""
        for chapter, *_ in coverage.CHAPTERS:
            fitting = [r for r in self.table if r[0] == chapter and not r[5].startswith("left out")]
            self.assertGreater(sum(r[3] == "yes" for r in fitting) / len(fitting), 0.9, chapter)

    def test_notes_are_of_names(self):
        """What is said to be left out or to differ exists in NumPy."""
        known = {(r[0], r[1]) for r in self.table}
        for chapter, notes in coverage.DIFFERS.items():
            for name in notes:
                self.assertIn((chapter, name), known)


if __name__ == "__main__":
    unittest.main()
