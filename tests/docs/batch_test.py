"""The page docs/batch.md, worked through from top to bottom in one folder: programs, sources, commands and what they print."""
# ctest: TIMEOUT 300
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from harness import BUILD, ROOT, compile_text, run, whole_program

sys.path.insert(0, str(ROOT / "tests" / "support"))
from blocks import FENCE  # noqa: E402


def masked(text: str) -> str:
    return re.sub(r"\d[\d.]* s\b", "TIME", text).strip()


class Batch(unittest.TestCase):
    def test_page(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            environment = {**os.environ, "PATH": f"{BUILD / 'bin'}:{os.environ['PATH']}", "LC_ALL": "C"}
            fences = list(FENCE.finditer((ROOT / "docs" / "batch.md").read_text()))
            commands = 0
            for at, fence in enumerate(fences):
                kind, code = fence.group(1).strip(), fence.group(2)
                if kind == "cpp":
                    compile_text(whole_program(code), folder / "block")
                    run([folder / "block"], cwd=folder)
                elif kind == "cpp fragment":
                    (folder / code.split()[1]).write_text(code)
                elif kind == "sh":
                    done = subprocess.run(["bash", "-e", "-c", code], cwd=folder, env=environment, text=True,
                                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                    printed = done.stdout + done.stderr if code.startswith("numjit map relative") else done.stderr + done.stdout
                    self.assertEqual(done.returncode, 0, code + printed)
                    self.assertEqual(fences[at + 1].group(1).strip(), "output", code)
                    self.assertEqual(masked(printed), masked(fences[at + 1].group(2)), code)
                    commands += 1
            self.assertGreaterEqual(commands, 6)


if __name__ == "__main__":
    unittest.main()
