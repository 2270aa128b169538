# ctest: LABELS gpu
# ctest: TIMEOUT 900
"""tests/bench/gpu.sh and what it starts, on machines without a GPU: over the recording driver, and on OpenCL.

All of it runs but the driver, with a quarter of a megabyte; on a GPU nothing is left to break but figures.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path

SOURCE, BUILD = Path(os.environ["NUMJIT_SOURCE_DIR"]), Path(os.environ["NUMJIT_BUILD_DIR"])
SCRIPT = SOURCE / "tests/bench/gpu.sh"
SIZE = "0.25"
sys.path.insert(0, str(SCRIPT.parent))
import gpu_peers  # noqa: E402
import gpu_report  # noqa: E402

WORKLOADS = [name for name, *_ in gpu_peers.WORKLOADS]


def run(script, *arguments, **environment):
    keep = {k: v for k, v in os.environ.items() if k not in ("OUT", "LD_LIBRARY_PATH")}
    return subprocess.run(["bash", str(script), *map(str, arguments)], capture_output=True, text=True,
                          env={**keep, "PYTHON": sys.executable, "GPU_PEERS": "numpy", "GPU_SHARDS": "2", "XZ_LEVEL": "0", **environment})


def entries_of(text):
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def opencl_is_missing():
    tried = run(SCRIPT, "here", "opencl", "0.01")
    return tried.stderr.strip() if "can't be used" in tried.stderr else ""


def halide_library():
    needed = subprocess.run(["ldd", BUILD / "lib/numjit_halide.so"], capture_output=True, text=True, check=True).stdout
    return Path(re.search(r"libHalide\.so.* => (\S+)", needed)[1]).resolve()


class Packed(unittest.TestCase):
    """One pack for all."""

    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="numjit-gpu-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.pack = cls.folder / "pack"
        cls.packing = run(SCRIPT, "pack", cls.pack, "bench")

    def setUp(self):
        self.assertEqual(self.packing.returncode, 0, self.packing.stderr)

    def test_the_bench_travels_light(self):
        self.assertEqual({f.name for f in self.pack.iterdir()}, {"gpu.sh", "gpu_peers.py", "gpu_report.py", "pack.tar.xz"})
        self.assertLess((self.pack / "pack.tar.xz").stat().st_size, 40 << 20)
        self.assertRegex(self.packing.stdout, r"pack: \d+ MiB; the checkout's own files, which may travel as well, \d+ MiB\n$")
        with tarfile.open(self.pack / "pack.tar.xz") as tar:
            names = tar.getnames()
        self.assertGreater(sum(n.startswith("./kernels/") for n in names), 8)
        self.assertIn("./lib/libnumjit.so.0", names)

    def test_over_the_recording_driver(self):
        fake = {"NUMJIT_CUDA_DRIVER": str(BUILD / "bin/tests/libfake_cuda.so"), "NUMJIT_CUDA_LIBRARIES": str(BUILD / "bin/tests/cuda_libraries"),
                "OUT": str(self.folder / "fake"), "GPU_PEERS": "cupy", "NUMJIT_LOGS": "cache"}
        # Larger than what pack made kernels for: above that size they are the same.
        ran = run(self.pack / "gpu.sh", "run", self.pack, "32", "cuda", **fake)
        self.assertIn("tests on the device: not packed\n", ran.stdout)
        found = entries_of((self.folder / "fake/bench.jsonl").read_text())
        own = [e for e in found if "share_of_copy" in e]
        self.assertEqual([e["workload"] for e in own], ["driver's copy", *WORKLOADS])
        self.assertEqual({e["device"] for e in own}, {"cuda"})
        self.assertEqual([(e["workload"], e["graphs"]) for e in found if "graphs" in e],
                         [(name, on) for on in (False, True) for name, _ in gpu_peers.CALLS_OF_FEW])
        self.assertEqual([e for e in found if "on_host" in e], [])
        self.assertNotIn(" compiled in ", ran.stderr)  # kernels made by pack are found again
        if not gpu_report_has(found, "cupy"):
            self.assertIn("- not compared with cupy: No module named 'cupy'\n", ran.stdout)
            self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)

    def test_on_opencl_with_tests(self):
        if why := opencl_is_missing():
            self.skipTest(why)
        pack, out = self.folder / "tests", self.folder / "opencl"
        halide = tarfile.TarInfo("lib/libHalide.so")  # where it is: it takes long to be packed
        halide.type, halide.linkname = tarfile.SYMTYPE, str(halide_library())
        shutil.copytree(self.pack, pack)
        with tarfile.open(self.pack / "pack.tar.xz") as light, tarfile.open(pack / "pack.tar.xz", "w:xz", preset=0) as tar:
            for member in light.getmembers():
                tar.addfile(member, light.extractfile(member) if member.isreg() else None)
            tar.addfile(halide)
            tar.add(BUILD / "bin/tests/test_device", "bin/test_device")
        ran = run(pack / "gpu.sh", "run", pack, SIZE, "opencl", OUT=str(out), GPU_TESTS="OpenClDevice.*Copies*:OpenClDevice.*Eager*:DevicesMap.common*")
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        self.assertRegex(ran.stdout, r"tests on the device: [1-9]\d* passed, 0 skipped\n")
        self.assertRegex(ran.stdout, r"of \d+ goals reached, 0 things amiss\n")
        self.assertTrue((out / "tests.log").read_text().count("PASSED"))
        self.assertIn("| workload | ms | GB/s | of copy | numpy, ms |\n", (out / "report.md").read_text())
        none = run(pack / "gpu.sh", "run", pack, "0.01", "opencl", OUT=str(out), GPU_TESTS="NoSuch.*")
        self.assertIn("tests on the device: 0 passed, 0 skipped\n", none.stdout)
        self.assertEqual(none.returncode, 1)

    def test_what_is_missing_is_told(self):
        empty = self.folder / "empty"
        empty.mkdir()
        for arguments, text in ((("run", empty), f"gpu.sh: {empty} has no pack.tar.xz: gpu.sh pack makes it\n"),
                                (("pack", empty, "all"), f"gpu.sh: pack {empty}: got all, expected bench or nothing\n")):
            told = run(SCRIPT, *arguments)
            self.assertEqual((told.stderr, told.returncode), (text, 2))
        told = run(SCRIPT, "here", NUMJIT_BUILD_DIR=str(empty))
        self.assertEqual(told.stderr, f"gpu.sh: {empty}/bin/bench/gpu is not built: ./dev build, or ninja -C build gpu\n")
        self.assertIn("gpu.sh pack DIR", run(SCRIPT).stderr)
        absent = run(self.pack / "gpu.sh", "run", self.pack, SIZE, "cuda", NUMJIT_CUDA_DRIVER="libcuda_absent.so", OUT=str(empty))
        self.assertIn("'cuda' can't be used: there is no CUDA driver (libcuda_absent.so can't be opened)", absent.stderr)
        self.assertIn("- AMISS: nothing was measured\n", absent.stdout)
        self.assertEqual(absent.returncode, 1)


def gpu_report_has(entries, peer):
    return any(e.get("peer") == peer and "missing" not in e for e in entries)


class Reports(unittest.TestCase):
    OWN = [{"device": "cuda", "workload": "driver's copy", "ms": 1.0, "GB_per_s": 100.0, "share_of_copy": 1.0},
           {"device": "cuda", "workload": "copy", "ms": 1.0, "GB_per_s": 95.0, "share_of_copy": 0.95, "check": 5.0},
           {"device": "cuda", "workload": "chain", "ms": 2.0, "GB_per_s": 80.0, "share_of_copy": 0.8, "check": 7.0}]

    def test_goals(self):
        entries = self.OWN + [{"peer": "jax", "workload": "chain", "ms": 1.0, "check": 7.0}, {"peer": "jax", "workload": "copy", "ms": 3.0, "check": 5.0},
                              {"workload": "replayed call", "graphs": True, "host_us": 2.5}, {"workload": "replayed call", "graphs": False, "host_us": 9.5}]
        self.assertEqual(gpu_report.verdicts(entries),
                         [(True, "copy: 95% of copy bandwidth, goal 90%"), (False, "chain: 80% of copy bandwidth, goal 90%"), (False, "chain: jax takes 0.50x"), (True, "copy: jax takes 3.00x"),
                          (True, "replayed call: 2.5 us on the host, goal 3")])
        self.assertEqual(gpu_report.complaints(entries), [])
        self.assertIn("| chain | 2 | 80 | 80% | 1 (0.50x) |", gpu_report.table(entries))

    def test_what_is_amiss(self):
        entries = self.OWN + [{"peer": "torch", "workload": "chain", "ms": 1.0, "check": 7.1}, {"peer": "torch", "workload": "copy", "failed": "out of memory"},
                              {"device": "cuda", "on_host": "sum", "count": 3}, {"peer": "cupy", "missing": "No module named 'cupy'"}]
        self.assertEqual(gpu_report.complaints(entries),
                         ["chain: torch's result differs: 7.1, numjit's 7", "torch fails at copy: out of memory",
                          "the host computed sum (3 times): a kernel was not there"])
        self.assertEqual(gpu_report.complaints([]), ["nothing was measured"])

    def test_peers_compute_the_same(self):
        wanted = {e["workload"]: e for e in gpu_peers.lines("numpy", 0.05)}
        self.assertEqual(list(wanted), WORKLOADS + [name for name, _ in gpu_peers.CALLS_OF_FEW])
        for peer in ("jax", "torch", "cupy"):
            for e in gpu_peers.lines(peer, 0.05):
                if "missing" in e:
                    self.assertEqual(list(e), ["peer", "missing"])
                elif "check" in e:
                    self.assertLess(abs(e["check"] - wanted[e["workload"]]["check"]), 1e-3 * wanted[e["workload"]]["check"], e)
                else:
                    self.assertIn("host_us", e)


if __name__ == "__main__":
    unittest.main()
