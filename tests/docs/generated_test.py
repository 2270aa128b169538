"""The generated pages of docs/ are what the tables in the source say."""
# ctest: TIMEOUT 600
import unittest

import generate


class Generated(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.pages = generate.pages()

    def test_nothing_is_stale(self):
        self.assertEqual(generate.stale(self.pages), [], "./dev python tests/docs/generate.py writes them")

    def test_a_changed_page_is_found(self):
        changed = {**self.pages, "ops.md": self.pages["ops.md"] + "x", "breaks/NJ9999.md": "new"}
        self.assertEqual(set(generate.stale(changed)), {"ops.md", "breaks/NJ9999.md"})
        fewer = {name: text for name, text in self.pages.items() if name != "breaks/NJ0001.md"}
        self.assertEqual(generate.stale(fewer), ["breaks/NJ0001.md"])


if __name__ == "__main__":
    unittest.main()
