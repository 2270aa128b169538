"""Feeds the lint a tree with one fault of each kind, and one without: each check must be able to fail."""
import tempfile
import unittest
from pathlib import Path

import checks

GOOD = {
    "src/numjit/base/error.h": "// Errors.\n#pragma once\n#include <string>\n",
    "src/numjit/array/array.h": "// The array.\n#include <numjit/base/error.h>\n#include \"dims.h\"\n",
    "src/numjit/array/dims.h": "// Dimensions.\n",
    "numpy_compat/numjit/np.h": "// The umbrella.\n#include <numjit/array/array.h>\n",
    "halide_gen/lower.cpp": "// Lowering.\n#include <Halide.h>\n#include <numjit/base/error.h>\n",
    "tests/base/x_test.cpp": "// Tests.\n#include <iostream>\n#include <numjit/np.h>\n",
}


class Lint(unittest.TestCase):
    def complaints(self, changes: dict[str, str]) -> list[str]:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder).resolve()
            for name, text in {**GOOD, **changes}.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            return checks.check_all(root)

    def expect(self, changes: dict[str, str], complaint: str) -> None:
        self.assertEqual(self.complaints(changes), [complaint])

    def test_good_tree(self):
        self.assertEqual(self.complaints({}), [])

    def test_include_against_the_arrows(self):
        self.expect({"src/numjit/base/pool.cpp": "// Pool.\n#include <numjit/array/array.h>\n"},
                    "src/numjit/base/pool.cpp:2: base includes array (numjit/array/array.h), against the arrows")

    def test_memory_that_is_read_past_transforms(self):
        body = "// Calls.\nnb::object call_f(const Given& a) { return first(array_in(a[0]).get()->data); }\n"
        self.expect({"numpy_compat/python/calls/x.cpp": body},
                    "numpy_compat/python/calls/x.cpp:2: memory is read where detail::is_at_hand() was not asked")

    def test_arrow_hidden_in_a_relative_path(self):
        self.expect({"src/numjit/base/pool.cpp": '// Pool.\n#include "../array/dims.h"\n'},
                    "src/numjit/base/pool.cpp:2: base includes array (../array/dims.h), against the arrows")

    def test_plug_in_may_not_see_trace(self):
        self.expect({"src/numjit/trace/api/t.h": "// T.\n", "halide_gen/x.cpp": "// X.\n#include <numjit/trace/api/t.h>\n"},
                    "halide_gen/x.cpp:2: halide_gen includes trace (numjit/trace/api/t.h), against the arrows")

    def test_unknown_layer(self):
        self.expect({"src/numjit/misc/x.cpp": "// X.\n"},
                    "src/numjit/misc/x.cpp:1: folder misc is no layer, expected one of " + ", ".join(checks.ARROWS))

    def test_include_against_the_arrows_of_rooms(self):
        self.expect({"src/numjit/runtime/plan/p.h": "// P.\n", "src/numjit/runtime/kernels/k.cpp": "// K.\n#include <numjit/runtime/plan/p.h>\n",
                     "src/numjit/runtime/gpu/ops/o.cpp": "// O.\n#include <numjit/runtime/plan/p.h>\n"},
                    "src/numjit/runtime/kernels/k.cpp:2: runtime/kernels includes runtime/plan (numjit/runtime/plan/p.h), against the arrows")

    def test_file_without_a_room(self):
        self.expect({"src/numjit/runtime/r.cpp": "// R.\n"},
                    "src/numjit/runtime/r.cpp:1: the folder itself is no room of runtime, expected one of " + ", ".join(checks.ROOMS["runtime"]))

    def test_halide_outside_the_plug_in(self):
        self.expect({"src/numjit/base/h.cpp": "// H.\n#include <Halide.h>\n"},
                    "src/numjit/base/h.cpp:2: base includes Halide.h: only halide_gen may")

    def test_missing_header(self):
        self.expect({"src/numjit/base/h.cpp": "// H.\n#include <numjit/base/nix.h>\n"},
                    "src/numjit/base/h.cpp:2: <numjit/base/nix.h> does not exist")

    def test_quotes_across_folders(self):
        self.expect({"src/numjit/array/loops/l.cpp": '// L.\n#include "../dims.h"\n'},
                    'src/numjit/array/loops/l.cpp:2: "../dims.h" lies in another folder: write <numjit/...>')

    def test_heavy_header_reaches_users(self):
        self.expect({"src/numjit/array/dims.h": "// Dimensions.\n#include <iostream>\n"},
                    "src/numjit/array/dims.h:2: <iostream> reaches users: numpy_compat/numjit/np.h -> "
                    "src/numjit/array/array.h -> src/numjit/array/dims.h")

    def test_no_opening_line(self):
        self.expect({"src/numjit/base/h.h": "#pragma once\n"},
                    "src/numjit/base/h.h:1: the file does not open with a line that says what lives here")

    def test_long_file(self):
        self.expect({"src/numjit/base/h.h": "// H.\n" + "\n" * 700},
                    "src/numjit/base/h.h:701: 701 lines, at most 700")

    def test_long_table_is_fine(self):
        self.assertEqual(self.complaints({"src/numjit/ops/rows.def": "// Rows.\n" + "\n" * 700}), [])

    def test_wide_line(self):
        aligned = "// clang-format off\n//" + "x" * 131 + "\n// clang-format on\n"
        self.expect({"src/numjit/base/h.h": "// H.\n" + aligned + "//" + "x" * 129 + "\n"},
                    "src/numjit/base/h.h:5: 131 columns, at most 130: ./dev format")

    def test_left_for_later(self):
        self.expect({"src/numjit/base/h.h": "// H.\n// TO" "DO: more\n"},
                    "src/numjit/base/h.h:2: left unfinished by its own words")

    def test_word_of_our_own(self):
        self.expect({"src/numjit/base/h.h": "// H.\n// It is seldom so.\n"}, "src/numjit/base/h.h:2: 'seldom', say rarely")

    def test_path_of_one_machine(self):
        self.expect({"README.md": "see /ho" "me/me/x\n"}, "README.md:1: a path of one machine")

    def test_counts(self):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder).resolve()
            for name, text in GOOD.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            counts = checks.line_counts(root)
        self.assertEqual(counts["src/numjit/array"], (2, 4))
        self.assertEqual(list(counts)[:2], ["src/numjit/base", "src/numjit/array"])


if __name__ == "__main__":
    unittest.main()
