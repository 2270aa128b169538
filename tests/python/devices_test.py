"""Devices in Python: what there is, arrays that move, scopes, settings, and what the array API says of them."""
# ctest: LABELS gpu
import gc
import os
import subprocess
import sys
import unittest

import numpy as np

import differential  # noqa: F401: finds the build's numjit

import numjit as nj

OPENCL = [d.name for d in nj.list_devices() if d.name.startswith("opencl")]
PACKAGE = os.path.dirname(os.path.dirname(nj.__file__))  # what a process of its own imports
UNKNOWN = "[device] unknown device: got 'gpu', expected 'cpu', 'cuda', 'opencl', or one of these with a number, as 'cuda:0'."


class Devices(unittest.TestCase):
    def test_what_there_is(self):
        cpu = nj.list_devices()[0]
        self.assertEqual((cpu.name, cpu.capability), ("cpu", 0))
        self.assertGreater(cpu.memory, 0)
        info = nj.cuda.info()
        self.assertEqual(info.available, any(d.name.startswith("cuda") for d in nj.list_devices()))
        self.assertEqual(bool(info.reason), not info.available)
        self.assertTrue(str(info).startswith("CUDA: "))
        api = nj.__array_namespace_info__()
        self.assertEqual(api.devices(), [d.name for d in nj.list_devices()])
        self.assertEqual(api.default_device(), "cpu")

    def test_graphs_have_a_switch(self):
        self.assertTrue(nj.cuda.uses_graphs())
        nj.cuda.use_graphs(False)
        self.assertFalse(nj.cuda.uses_graphs())
        nj.cuda.use_graphs(True)
        self.assertEqual(sorted(vars(nj.cuda.count_graphs())), ["kept", "launched", "refused", "repeated"])
        for value, text in (("0", "False"), ("1", "True")):
            run = subprocess.run([sys.executable, "-c", "import numjit; print(numjit.cuda.uses_graphs())"], capture_output=True, text=True,
                                 env={**os.environ, "PYTHONPATH": PACKAGE, "NUMJIT_CUDA_GRAPHS": value})
            self.assertEqual(run.stdout.strip(), text, run.stderr)
        run = subprocess.run([sys.executable, "-c", "import numjit; numjit.cuda.uses_graphs()"], capture_output=True, text=True,
                             env={**os.environ, "PYTHONPATH": PACKAGE, "NUMJIT_CUDA_GRAPHS": "maybe"})
        self.assertIn("ValueError: [config] NUMJIT_CUDA_GRAPHS: got 'maybe', expected 0, 1, false or true.", run.stderr)

    def test_names_that_are_none(self):
        x = nj.arange(3)
        for call in (lambda: x.to("gpu"), lambda: x.to_device("gpu"), lambda: nj.zeros(3, device="gpu"),
                     lambda: nj.asarray([1.0], device="gpu"), lambda: nj.device("gpu").__enter__(),
                     lambda: nj.device_memory_usage("gpu"), lambda: nj.__array_namespace_info__().dtypes(device="gpu")):
            with self.assertRaises(ValueError) as raised:
                call()
            self.assertEqual(str(raised.exception), UNKNOWN)
        with self.assertRaises(ValueError) as raised:
            nj.config.device = "gpu"
        self.assertEqual(str(raised.exception), "[config] device: got 'gpu', expected 'cpu', 'cuda', 'opencl', or one of these with "
                                                "a number, as 'cuda:0'.")
        with self.assertRaises(ValueError) as raised:
            nj.device_memory_usage("cpu")
        self.assertEqual(str(raised.exception), "[device] memory of 'cpu' is the host's: expected 'cuda' or 'opencl'. See "
                                                "config.memory_limit.")
        with self.assertRaises(ValueError):
            x.to_device("cpu", stream=1)
        self.assertEqual(nj.config.device, "cpu")

    def test_a_device_that_is_not_there(self):
        missing = "import numjit as nj\ntry:\n  {}\nexcept nj.DeviceError as e:\n  print(e)"
        text = "'cuda' can't be used: there is no CUDA driver (libcuda_absent.so can't be opened). Expected 'cpu' or a device of " \
               "this machine: np.list_devices() has them.\n"
        for call in ("nj.arange(3).to('cuda')", "nj.zeros(3, device='cuda')", "nj.device('cuda').__enter__()", "nj.config.device = 'cuda'"):
            done = subprocess.run([sys.executable, "-c", missing.format(call)], capture_output=True, text=True,
                                  env={**os.environ, "PYTHONPATH": PACKAGE, "NUMJIT_CUDA_DRIVER": "libcuda_absent.so"})
            self.assertEqual((done.stdout, done.stderr), ("[device] " + text, ""), call)
        missing = "import numjit as nj\nfor i in range(2):\n  try:\n    nj.zeros(3)\n  except nj.DeviceError as e:\n    print(e)"
        done = subprocess.run([sys.executable, "-c", missing], capture_output=True, text=True,
                              env={**os.environ, "PYTHONPATH": PACKAGE, "NUMJIT_CUDA_DRIVER": "libcuda_absent.so", "NUMJIT_DEVICE": "cuda"})
        self.assertEqual((done.stdout, done.stderr), (2 * ("[device] " + text), ""))


@unittest.skipUnless(OPENCL, "no OpenCL device")
class OpenCL(unittest.TestCase):
    def setUp(self):
        nj.config.compile = "sync"

    def tearDown(self):
        nj.config.device = "cpu"
        nj.config.compile = "async"

    def test_arrays_move(self):
        x = nj.arange(12.0).reshape(3, 4)
        g = x.to("opencl")
        self.assertEqual((x.device, g.device), ("cpu", "opencl:0"))
        self.assertIs(g.to("opencl:0"), g)
        self.assertIs(g.to_device("opencl"), g)
        self.assertIs(x.to("cpu"), x)
        self.assertEqual(g.to("cpu").device, "cpu")
        self.assertEqual(g.tolist(), x.tolist())
        self.assertEqual(str(g), str(x))
        np.testing.assert_array_equal(np.asarray(g), np.asarray(x))
        self.assertEqual(nj.astype(x, nj.float32, device="opencl").device, "opencl:0")
        # Elements and views, read and written.
        self.assertEqual((g[1].device, g[1, 2], g[-1].tolist(), float(g[0, 1])), ("opencl:0", 6.0, x[-1].tolist(), 1.0))
        row = nj.arange(5.0).to("opencl")
        self.assertEqual((row[3], row.item(3), row[nj.array([1, 2]).to("opencl")].tolist()), (3.0, 3.0, [1.0, 2.0]))
        double = nj.compile(lambda a: a * 2.0)
        row[1:3] = 7.0
        row[0] = -1.0
        self.assertEqual(double(row).tolist(), [-2.0, 14.0, 14.0, 6.0, 8.0])
        self.assertEqual(row.tolist(), [-1.0, 7.0, 7.0, 3.0, 4.0])

    def test_creation(self):
        for made in (nj.zeros(3, device="opencl"), nj.ones((2, 2), device="opencl"), nj.full(3, 2.5, device="opencl"),
                     nj.full(2, [1.0, 2.0], device="opencl"), nj.empty(3, device="opencl"), nj.arange(5, device="opencl"),
                     nj.arange(0.0, 1.0, 0.25, device="opencl"), nj.eye(3, device="opencl"), nj.linspace(0, 1, 5, device="opencl"),
                     nj.linspace(0, 1, 5, retstep=True, device="opencl")[0], nj.asarray([1, 2], device="opencl"),
                     nj.asarray(np.arange(3), device="opencl"), nj.zeros_like(nj.ones(3), device="opencl"),
                     nj.full_like(nj.ones(3), 2, device="opencl"), nj.from_dlpack(np.arange(3.0), device="opencl")):
            self.assertEqual(made.device, "opencl:0")
        g = nj.ones(3, device="opencl")
        for made in (nj.zeros_like(g), nj.ones_like(g), nj.empty_like(g), nj.full_like(g, 4.0)):
            self.assertEqual(made.device, "opencl:0")
        self.assertEqual(nj.zeros_like(g, device="cpu").device, "cpu")
        self.assertEqual(nj.linspace(0, 1, 5, device="opencl").tolist(), nj.linspace(0, 1, 5).tolist())
        self.assertIs(nj.asarray(g, device="opencl"), g)
        with self.assertRaises(ValueError) as raised:
            nj.asarray(g, device="cpu", copy=False)
        self.assertEqual(str(raised.exception), "Unable to avoid copy while creating an array as requested: it is on 'opencl:0', not "
                                                "on 'cpu'. Use copy=None.")

    def test_scopes(self):
        f = nj.compile(lambda a, b: nj.exp(a) * b + nj.sum(a))
        x, y = nj.arange(6.0) / 3.0, nj.ones(6)
        want = f(x, y)
        with nj.device("opencl"):
            self.assertEqual([a.device for a in (nj.zeros(3), nj.arange(3), nj.array([1.0, 2.0]), nj.asarray([[1], [2]]), nj.full(2, 3))],
                             ["opencl:0"] * 5)
            self.assertEqual(nj.__array_namespace_info__().default_device(), "opencl:0")
            self.assertEqual((nj.float64(3).device, nj.asarray(np.ones(2)).device), ("cpu", "cpu"))  # numbers; memory of NumPy's
            got = f(x, y)  # moves in and out
            self.assertEqual(x.device, "cpu")
            with nj.device("cpu"):
                self.assertEqual(nj.zeros(3).device, "cpu")
            self.assertEqual(nj.zeros(3).device, "opencl:0")
        self.assertEqual((got.device, nj.zeros(3).device), ("cpu", "cpu"))
        self.assertEqual(got.tolist(), want.tolist())
        there = f(x.to("opencl"), y.to("opencl"))
        self.assertEqual((there.device, there.tolist()), ("opencl:0", want.tolist()))
        with self.assertRaises(nj.DeviceError) as raised:
            f(x.to("opencl"), y)
        self.assertIn("arrays on different devices: got opencl:0 and cpu", str(raised.exception))

    def test_the_setting(self):
        f = nj.compile(lambda a: nj.sqrt(a) + 1.0)
        x = nj.arange(4.0)
        nj.config.device = "opencl"
        self.assertEqual(nj.zeros(2).device, "opencl:0")
        before = nj.transfer_counts()
        self.assertEqual(f(x).device, "cpu")
        self.assertGreater(nj.transfer_counts().in_, before.in_)
        with nj.device("cpu"):
            self.assertEqual(nj.zeros(2).device, "cpu")
        nj.config.device = "cpu"
        self.assertEqual(nj.zeros(2).device, "cpu")
        with nj.config_scope(device="opencl:0"):
            self.assertEqual(nj.zeros(2).device, "opencl:0")
        self.assertEqual(nj.zeros(2).device, "cpu")

    def test_memory_and_work_of_the_host(self):
        before = nj.device_memory_usage("opencl").in_use
        held = nj.zeros(1 << 16, device="opencl")
        nj.compile(lambda a: a + 1.0)(held)
        self.assertGreaterEqual(nj.device_memory_usage("opencl").in_use, before + 8 * (1 << 16))
        del held
        gc.collect()
        nj.trim_device_memory("opencl")
        self.assertEqual(nj.device_memory_usage("opencl").cached, 0)
        nj.set_device_memory_limit("opencl", 1 << 20)
        try:
            self.assertEqual(nj.device_memory_usage("opencl:0").limit, 1 << 20)
            with self.assertRaises(MemoryError):
                nj.compile(lambda a: a + 1.0)(nj.zeros(1 << 20).to("opencl"))
        finally:
            nj.set_device_memory_limit("opencl", 0)
        nj.sort(nj.array([3.0, 1.0]).to("opencl"))
        self.assertIn(("opencl:0", "sort"), [(w.device, w.op) for w in nj.device_host_work()])

    def test_dlpack_hands_out_a_copy(self):
        g = nj.arange(3.0).to("opencl")
        self.assertEqual(g.__dlpack_device__(), (1, 0))
        shared = np.from_dlpack(g)
        np.testing.assert_array_equal(shared, [0.0, 1.0, 2.0])
        shared = np.from_dlpack(g, copy=True)
        shared[0] = 9.0
        self.assertEqual(g[0], 0.0)


if __name__ == "__main__":
    unittest.main()
