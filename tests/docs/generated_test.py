"""The generated pages of docs/ are what the tables in the source say, and the programs on them break as they claim."""
# ctest: TIMEOUT 600
import re
import unittest

import generate
from harness import ROOT, output_of

LOG_ALL_BREAKS = """np::set_log_sink([](std::string_view text) { std::cout << text << "\\n"; });
np::set_logs({.graph_breaks = true});
"""


def breaks_of(programs: dict[str, str]) -> dict[str, list[str]]:
    """Key -> ids of the graph breaks that running the statements logs."""
    code = LOG_ALL_BREAKS
    for key, statements in programs.items():
        code += f'std::cout << "\\n@{key}\\n";\n{{\nnp::reset();\n{statements}\n}}\n'
    parts = re.split(r"^@(\S+)$", output_of(code), flags=re.MULTILINE)
    return {key: re.findall(r'For more: np::help\("(NJ\d+)"\)', text) for key, text in zip(parts[1::2], parts[2::2])}


class Generated(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.pages = generate.pages()

    def test_nothing_is_stale(self):
        self.assertEqual(generate.stale(self.pages), [], "./dev python tests/docs/generate.py writes them")

    def test_a_changed_page_is_found(self):
        changed = {**self.pages, "ops.md": self.pages["ops.md"] + "x", "breaks/NJ9999.md": "new"}
        self.assertEqual(set(generate.stale(changed)), {"ops.md", "breaks/NJ9999.md"})
        moved = self.pages["cuda.md"].replace("`cumsum` ", "", 1)
        self.assertNotEqual(moved, self.pages["cuda.md"])
        self.assertEqual(generate.stale({**self.pages, "cuda.md": moved}), ["cuda.md"])
        fewer = {name: text for name, text in self.pages.items() if name != "breaks/NJ0001.md"}
        self.assertEqual(generate.stale(fewer), ["breaks/NJ0001.md"])

    def test_programs_break_as_their_pages_say(self):
        wrong = {id: example[0] for id, example in generate.EXAMPLES.items()}
        right = {id: example[1] for id, example in generate.EXAMPLES.items()}
        self.assertEqual(breaks_of(wrong), {id: [id] for id in wrong})
        self.assertEqual(breaks_of(right), {id: [] for id in right})

    def test_every_error_class_has_a_row(self):
        text = (ROOT / "src/numjit/base/error.h").read_text()
        classes = re.findall(r"^NUMJIT_ERROR_CLASS\((\w+), ", text, re.MULTILINE) + re.findall(r"^class (\w+Error) ", text, re.MULTILINE)
        self.assertEqual({name.split("/")[1] for name in self.pages if name.startswith("errors/")} - {"README.md"},
                         {f"{name}.md" for name in classes})

    def test_programs_throw_as_their_pages_say(self):
        wrong = generate.error_programs({name: example[0] for name, example in generate.ERROR_EXAMPLES.items()})
        right = generate.error_programs({name: example[1] for name, example in generate.ERROR_EXAMPLES.items()})
        for name in generate.ERROR_EXAMPLES:
            self.assertTrue(wrong[name].startswith(f"np::{name}: "), f"{name}: {wrong[name]}")
            self.assertNotIn("rror", right[name], name)
            self.assertNotEqual(right[name], "", name)


if __name__ == "__main__":
    unittest.main()
