"""What people look at: pages of explain, report_scope and NUMJIT_REPORT, pictures and tables of arrays, numjit.show."""
import base64
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import numpy as np
from PIL import Image

from differential import describe  # noqa: F401  puts the built module on the path

import numjit as nj


BUILD = Path(os.environ.get("NUMJIT_BUILD_DIR", Path(__file__).resolve().parents[2] / "build"))
CODE_GENERATOR = (BUILD / "lib" / "numjit_halide.so").exists()


def data_of(page):
    """The report inside of a page."""
    return json.loads(re.search(r"^const report = (.*?);\nconst SVG", page, re.MULTILINE | re.DOTALL).group(1))


def smooth(x):
    y = (x[1:] + x[:-1]) / 2
    nj.graph_break("look here")
    return y * 2


class Pages(unittest.TestCase):
    def test_explain_is_a_page(self):
        report = nj.explain(nj.compile(smooth))(nj.arange(9.0))
        data = data_of(report.html())
        self.assertEqual(data, json.loads(report.json()))
        self.assertEqual(data["graph_break_count"], 1)
        places = [place.rpartition("/")[2] for place in data["graphs"][0]["places"]]
        line = smooth.__code__.co_firstlineno + 1
        self.assertEqual([place for place in places if place], [f"report_test.py:{line}"] * 2)  # views are none of its nodes
        self.assertEqual(sorted(n for kernel in data["graphs"][0]["kernels"] for n in kernel["nodes"])[-1], len(places) - 1)
        self.assertTrue(report._repr_html_().startswith('<iframe srcdoc="&lt;!doctype html&gt;'))

    def test_a_scope_writes_what_happened(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "run.html")
            f = nj.compile(smooth)
            with nj.report_scope(path) as scope:
                f(nj.arange(9.0))
                seen = scope.report()
                f(nj.arange(9.0))
            data = data_of(path.read_text())
            code = data.pop("code")
            self.assertEqual([event["kind"] for event in data["timeline"]].count("call"), 2)
            events = [[e for e in timeline if e != "compile"] for timeline in
                      ([e.kind for e in seen.timeline], [e["kind"] for e in data["timeline"]])]
            self.assertEqual(len(events[0]), len(events[1]) // 2)
            self.assertEqual(data, json.loads(scope.report().json()))
            self.assertEqual(sorted(code), sorted({kernel["name"] for kernel in data["kernels"]} - {""}))
            if CODE_GENERATOR:
                self.assertTrue(code)
                for texts in code.values():
                    self.assertEqual([title for title, _ in texts], ["loops", "statement", "assembly"])
                    self.assertRegex(texts[2][1], r"\tret")
            with self.assertRaises(FileNotFoundError), nj.report_scope(Path(folder, "none", "run.html")):
                pass

    def test_compiles_are_events(self):
        factor = float(np.random.default_rng().integers(2, 2 ** 40))  # a kernel that no cache holds
        with nj.report_scope() as scope:
            f = nj.compile(lambda x: nj.exp2(x) * factor * factor - nj.sin(x), name="fresh")
            f(nj.arange(5.0))
            nj.wait_for_compiles()
            f(nj.arange(5.0))
        if CODE_GENERATOR:
            compiles = [e for e in scope.report().timeline if e.kind == "compile" and e.name.endswith("of fresh") or "of fresh, " in e.name]
            self.assertTrue(compiles)
            self.assertGreater(compiles[0].ns, 0)
            self.assertRegex(compiles[0].name, r"^elementwise nj_[0-9a-f]{16} of fresh(, from the disk cache)?$")

    def test_a_process_leaves_a_page_for_each_thread(self):
        code = ("import threading, numjit as np\nf = np.compile(lambda x: x * 2 + 1)\nf(np.ones(3))\n"
                "thread = threading.Thread(target=lambda: f(np.ones(4)))\nthread.start()\nthread.join()\n")
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([BUILD / "bin" / "numjit", "report", "-o", folder, sys.executable, "-c", code], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            pages = sorted(Path(folder).iterdir(), key=lambda page: page.stem)
            self.assertEqual([re.sub(r"\d+(?=[-.]|$)", "N", page.stem) for page in pages], ["report-N", "report-N-threadN"])
            self.assertEqual(sorted(done.stderr.splitlines()), sorted(f"numjit: report in {page}" for page in pages))
            for page in pages:
                self.assertEqual([e["kind"] for e in data_of(page.read_text())["timeline"]].count("call"), 1)

    def test_a_folder_that_is_not_there(self):
        done = subprocess.run([sys.executable, "-c", "import numjit as np\nnp.compile(lambda x: x + 1)(np.ones(3))"],
                              env={**os.environ, "NUMJIT_REPORT": "/none/there"}, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"^numjit: \[report\] the page can't be written: got the path /none/there/report-\d+.html, expected one "
                                      r"of a file in a folder that is there and may be written to\.\n$")


class Arrays(unittest.TestCase):
    def test_tables_and_texts(self):
        self.assertEqual(nj.array([[1, 2], [3, 4]])._repr_html_(),
                         "<div>int64 (2, 2)</div><table><tr><td>1</td><td>2</td></tr><tr><td>3</td><td>4</td></tr></table>")
        self.assertEqual(nj.arange(40)._repr_html_().count("<td>"), 13)
        self.assertIn("<td>5</td><td>…</td><td>34</td>", nj.arange(40)._repr_html_())
        self.assertEqual(nj.zeros((100, 100))._repr_html_().count("<tr>"), 13)
        self.assertEqual(nj.zeros((1, 1, 2))._repr_html_(), "<div>float64 (1, 1, 2)</div><pre>[[[0. 0.]]]</pre>")
        self.assertEqual(nj.zeros((0, 2))._repr_html_(), "<div>float64 (0, 2)</div><pre>[]</pre>")

    def test_pictures(self):
        for shape in ((20, 30), (20, 30, 3), (20, 30, 4)):
            pixels = (np.arange(np.prod(shape)) % 251).astype(np.uint8).reshape(shape)
            text = nj.asarray(pixels)._repr_html_()
            data = base64.b64decode(re.search(r'src="data:image/png;base64,([^"]*)"', text).group(1))
            np.testing.assert_array_equal(np.asarray(Image.open(io.BytesIO(data))), pixels)

    def test_show(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch("webbrowser.open") as browser:
            path = os.path.join(folder, "a.png")
            self.assertEqual(nj.show(nj.linspace(0, 1, 480), path), path)
            np.testing.assert_array_equal(np.asarray(Image.open(path)), np.rint(np.linspace(0, 255, 480))[None].astype(np.uint8))
            report = nj.explain(nj.compile(smooth))(nj.arange(9.0))
            page = os.path.join(folder, "r.html")
            nj.show(report, page)
            shown = data_of(Path(page).read_text())
            self.assertEqual(sorted(shown.pop("code")), sorted({kernel.name for kernel in report.kernels} - {""}))
            self.assertEqual(shown, data_of(report.html()))
            browser.assert_not_called()
            opened = nj.show(np.eye(3))
            browser.assert_called_once_with("file://" + opened)
            os.remove(opened)
        with nj.profiler() as watched:
            pass
        with self.assertRaises(TypeError) as caught:
            nj.show(watched.report())
        self.assertEqual(str(caught.exception), "show: got a report without a page, expected one of explain or report_scope.")
        with self.assertRaises(ValueError) as caught:
            nj.show(nj.ones((2, 2, 2)), "x.png")
        self.assertEqual(str(caught.exception), "[show] there is no picture of such an array: got float64 of shape (2, 2, 2), expected one or "
                                                "two axes, or uint8 of shape (height, width, 1 to 4).")


if __name__ == "__main__":
    unittest.main()
