"""The front door: what ./dev lists exists, wrong calls end in one clear line, doctor works on a bare machine."""
import os
import re
import subprocess
import sys
import tempfile
import unittest
import urllib.request
from pathlib import Path

ROOT = Path(os.environ.get("NUMJIT_SOURCE_DIR", Path(__file__).resolve().parents[2]))
BUILD = Path(os.environ.get("NUMJIT_BUILD_DIR", ROOT / "build"))
COMMANDS = ["run", "test", "bench", "build", "demo", "python", "doctor", "format", "clean"]


def dev(*arguments: str, **options) -> subprocess.CompletedProcess:
    return subprocess.run([str(ROOT / "dev"), *arguments], capture_output=True, text=True, **options)


class Dev(unittest.TestCase):
    def test_no_argument_lists_the_commands(self):
        done = dev()
        self.assertEqual(done.returncode, 0)
        self.assertEqual(re.findall(r"^  \./dev (\w+)", done.stdout, re.MULTILINE), COMMANDS)
        for command in COMMANDS:
            self.assertTrue((ROOT / ".dev" / f"{command}.sh").exists(), command)

    def test_help_tells_what_test_bits_does(self):
        self.assertRegex(dev("help").stdout, r'"test bits \[--programs N\] \[--seed S\]": the same bits')

    def test_unknown_command(self):
        done = dev("rnu")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr.splitlines()[-1], "dev: rnu failed: unknown command: got rnu, expected one of "
                         "run, test, bench, build, demo, python, doctor, format, clean")

    def test_unknown_arguments(self):
        for command, wrong, expected in [
                ("clean", "--al", "dev: clean failed: unknown argument: got --al, expected --all"),
                ("demo", "now", "dev: demo failed: unknown argument: got now, expected --port N"),
                ("format", "--now", "dev: format failed: unknown argument: got --now, expected --check or a revision"),
                ("format", "now", "dev: format failed: no such revision: got now, expected a commit, a branch or a tag"),
                ("build", "--fast", "dev: build failed: unknown variant: got --fast, expected --debug, --asan, --tsan or --clang"),
        ]:
            done = dev(command, wrong)
            self.assertEqual((done.returncode, done.stderr.splitlines()[-1:]), (1, [expected]))

    def test_a_stage_that_is_stopped_leaves_no_compiler(self):
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder, "dev")
            program.write_text("#!/bin/sh\n(sleep 300 >/dev/null 2>&1 & echo $! >compiler; wait)\n")
            program.chmod(0o755)
            script = (f". '{ROOT}/.dev/common.sh'; . '{ROOT}/.dev/test.sh'; root='{folder}'; ci_minutes=20; ci_test_minutes=18; "
                      "ci_least_seconds=1; SECONDS=118; build_stage asan")
            done = subprocess.run(["bash", "-c", f"root='{ROOT}'; {script}"], capture_output=True, text=True)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("dev: stage asan: stopped after 2 minutes, no time for it", done.stderr + done.stdout)
            compiler = Path(folder, "compiler").read_text().strip()
            states = [Path(f"/proc/{compiler}/stat").read_text().rsplit(")", 1)[1].split()[0]] if Path(f"/proc/{compiler}").exists() else []
            self.assertIn(states, ([], ["Z"]), "a compiler that still runs takes the cores from the tests")

    def test_demo_isolates_its_pages(self):
        # Threads compute only in pages that are served so.
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "a.wasm").write_bytes(b"\0asm")
            server = subprocess.Popen([sys.executable, str(ROOT / ".dev" / "demo_server.py"), folder, "0"],
                                      stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            try:
                with urllib.request.urlopen(server.stdout.readline().strip() + "a.wasm") as response:
                    self.assertEqual(response.read(), b"\0asm")
                    self.assertEqual([response.headers[name] for name in (
                        "Cross-Origin-Opener-Policy", "Cross-Origin-Embedder-Policy", "Content-Type")],
                        ["same-origin", "require-corp", "application/wasm"])
            finally:
                server.terminate()
                server.wait()
                server.stdout.close()

    def test_doctor_on_a_bare_machine(self):
        # A PATH with little in it, and no other environment: everything is reported, nothing fails.
        done = dev("doctor", env={"PATH": "/usr/bin:/bin"})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for name in ["compiler", "CMake", "Halide", "linker", "BLAS", "CUDA driver", "OpenCL", "Emscripten", "Chromium", "NumPy"]:
            row = re.search(rf"^  {name} +(ok|missing|absent) +\S", done.stdout, re.MULTILINE)
            self.assertIsNotNone(row, name)
        for row in re.finditer(r"^  \S.*(missing|absent) .*\n(.*)", done.stdout, re.MULTILINE):
            self.assertRegex(row.group(2), r"^ +-> \S")

    @unittest.skipUnless(BUILD == ROOT / "build", "another build folder than ./dev's own: nothing to time")
    def test_a_second_build_is_quick(self):
        self.assertEqual(dev("build").returncode, 0)
        before = os.times()  # not the clock on the wall: the machine may be busy
        self.assertEqual(dev("build").returncode, 0)
        after = os.times()
        self.assertLess(after.children_user + after.children_system - before.children_user - before.children_system, 3.0)


if __name__ == "__main__":
    unittest.main()
