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
COMMANDS = ["run", "test", "bench", "build", "demo", "docs", "package", "python", "doctor", "format", "clean"]


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
                         "run, test, bench, build, demo, docs, package, python, doctor, format, clean")

    def test_unknown_arguments(self):
        for command, wrong, expected in [
                ("clean", "--al", "dev: clean failed: unknown argument: got --al, expected --all"),
                ("demo", "now", "dev: demo failed: unknown argument: got now, expected --port N or --peers"),
                ("docs", "now", "dev: docs failed: unknown argument: got now, expected --without-demos or --serve [PORT]"),
                ("package", "now", "dev: package failed: unknown argument: got now, expected --without-npm"),
                ("format", "--now", "dev: format failed: unknown argument: got --now, expected --check or a revision"),
                ("format", "now", "dev: format failed: no such revision: got now, expected a commit, a branch or a tag"),
                ("build", "--fast", "dev: build failed: unknown variant: got --fast, expected --debug, --asan, --tsan, --clang or --shuffled"),
        ]:
            done = dev(command, wrong)
            self.assertEqual((done.returncode, done.stderr.splitlines()[-1:]), (1, [expected]))
        done = dev("test", "--all", "null")
        self.assertEqual(done.stderr.splitlines(), ["dev: test failed: unknown argument: got null, expected nothing after --all"])

    def test_continuous_integration_takes_variants_in_turn(self):
        with tempfile.TemporaryDirectory() as folder:
            script = f"root='{ROOT}'; . '{ROOT}/.dev/common.sh'; . '{ROOT}/.dev/test.sh'; root='{folder}'; ci_variant"
            def turn():
                return subprocess.run(["bash", "-euc", script], capture_output=True, text=True).stdout.strip()
            self.assertEqual(turn(), "tsan")  # no git
            git = ["git", "-C", folder, "-c", "user.name=n", "-c", "user.email=e"]
            subprocess.run([*git, "init", "-q"], check=True)
            turns = []
            for _ in range(4):
                subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "c"], check=True)
                turns.append(turn())
            self.assertEqual(turns, ["asan", "clang", "tsan", "asan"])
            for depth, expected in ((1, "asan"), (2, "clang")):  # a shallow clone counts the commits that it has
                shallow = Path(folder, f"shallow{depth}")
                subprocess.run([*git, "clone", "-q", f"--depth={depth}", f"file://{folder}", str(shallow)], check=True)
                found = subprocess.run(["bash", "-euc", script.replace(f"root='{folder}'", f"root='{shallow}'")],
                                       capture_output=True, text=True)
                self.assertEqual(found.stdout.strip(), expected)

    def test_continuous_integration_takes_parts_of_a_variant_in_turn(self):
        def parts(variant: str, commits: int) -> str:
            script = f"root='{ROOT}'; . '{ROOT}/.dev/build.sh'; commit_count() {{ echo {commits}; }}; ci_folders {variant}"
            return subprocess.run(["bash", "-euc", script], capture_output=True, text=True).stdout.strip()

        one, other = parts("asan", 1), parts("asan", 4)
        self.assertEqual(parts("asan", 7), one)
        self.assertEqual(sorted(f"{one};{other}".split(";")), ["array", "bad_input", "base", "cli", "compat", "eager", "interop",
                                                               "ops", "runtime", "trace"])
        self.assertEqual({parts("tsan", n) for n in (3, 6)}, {"array;base;interop;runtime;trace"})
        self.assertEqual(parts("clang", 2), "")

    def ci(self, variants: str, build: str, tests: str = "100% tests passed, 0 tests failed out of 2", outside: str = "true",
           site: str = "true", ecosystem: str = "true", package: str = "true", built_by: str = "build_part") -> tuple:
        """A run of continuous integration (built_by build_variant: of all tests) with other programs in the places of compilers
        and ctest: status, lines of output, the tests' list."""
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder, "dev")
            program.write_text(f"#!/bin/sh\n{build}\n")
            program.chmod(0o755)
            script = (f"root='{ROOT}'; . '{ROOT}/.dev/common.sh'; . '{ROOT}/.dev/test.sh'; root='{folder}'; build='{folder}/build'; "
                      f"current=test; build_release() {{ true; }}; outside_if_changed() {{ {outside}; }}; site_if_changed() {{ {site}; }}; "
                      f"ecosystem_if_changed() {{ {ecosystem}; }}; packages_if_changed() {{ {package}; }}; "
                      f"run_ctest() {{ printf '%s\\n' '1/2 Test #1: a ...' '' '{tests}' '' 'Total Test time (real) = 1.00 sec'; "
                      f"[[ '{tests}' == 100* ]]; }}; test_ci {built_by} {variants}")
            done = subprocess.run(["bash", "-euo", "pipefail", "-c", script], capture_output=True, text=True)
            listed = Path(folder, "build/ci/CTestTestfile.cmake").read_text().replace(folder, "")
            return done.returncode, done.stdout.splitlines(), done.stderr.splitlines(), listed

    def test_the_line_before_the_summary_tells_the_variants(self):
        status, out, err, listed = self.ci("tsan", 'echo "$@" >&2; [ -z "${CI:-}" ]')
        self.assertEqual(status, 0, err)
        self.assertRegex("\n".join(out), r"^1/2 Test #1: a \.\.\.\n\ndev: variants tested: release tsan; build release \d+ s, outside \d+ s, build tsan \d+ s, "
                         r"tests \d+ s\n100% tests passed, 0 tests failed out of 2\n\nTotal Test time \(real\) = 1.00 sec$")
        self.assertEqual(listed, 'subdirs("/build")\nsubdirs("/build/tsan")\n')
        self.assertIn("build --tsan", err)
        self.assertRegex("\n".join(err), r"dev: stage build tsan: \d+ s\n")

    def test_a_variant_that_does_not_compile_is_a_failed_test(self):
        status, _, _, listed = self.ci("tsan asan clang", '[ "$2" != --asan ]', "66% tests passed, 1 tests failed out of 3")
        self.assertEqual(status, 1)
        self.assertEqual(listed, 'subdirs("/build")\nsubdirs("/build/tsan")\nsubdirs("/build/clang")\nadd_test("asan:compiles" "false")\n')

    def test_fewer_tests_of_others_are_a_failed_test(self):
        status, _, _, listed = self.ci("tsan", "true", "50% tests passed, 1 tests failed out of 2", "false")
        self.assertEqual(status, 1)
        self.assertEqual(listed, 'subdirs("/build")\nsubdirs("/build/tsan")\nadd_test("outside" "false")\n')

    def test_a_stage_that_fails_is_a_failed_test(self):
        for stage in ("site", "ecosystem", "package"):
            status, _, _, listed = self.ci("tsan", "true", "50% tests passed, 1 tests failed out of 2", built_by="build_variant",
                                           **{stage: "false"})
            self.assertEqual(status, 1)
            self.assertEqual(listed, f'subdirs("/build")\nsubdirs("/build/tsan")\nadd_test("{stage}" "false")\n')

    def test_stages_are_left_out_where_the_tree_is_as_it_was_tested(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "input").write_text("1")
            script = (f"root='{ROOT}'; . '{ROOT}/.dev/common.sh'; root='{folder}'; "
                      "run() { (unless_tested \"$root\" input sh -c \"$1\"); }; ")

            def ran(*commands):
                made = script + "; ".join(commands)
                return subprocess.run(["bash", "-c", made], capture_output=True, text=True).stdout.split()
            self.assertEqual(ran("run 'echo a'", "run 'echo b'", "echo 2 > \"$root/input\"", "run 'echo c; exit 1'", "run 'echo d'"),
                             ["a", "c", "d"])

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
