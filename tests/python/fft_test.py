"""numjit.fft, compared with NumPy."""
import unittest

import numpy as np

from differential import Tally, outcome, values

import numjit as nj


class Fft(unittest.TestCase):
    def test_against_numpy(self):
        tally = Tally()
        options = {"ulps": 1e4, "floor": 1e4}
        for dtype in ("int32", "float32", "float64", "complex64", "complex128"):
            for shape in ((1,), (8,), (15,), (3, 7), (2, 4, 6)):
                a = values(dtype, shape, 1)
                real = ("rfft", "ihfft", "rfftn") if np.dtype(dtype).kind != "c" else ()
                for name in ("fft", "ifft", "hfft", "irfft") + real[:2]:
                    if name in ("irfft", "hfft") and shape[-1] == 1:
                        continue
                    for norm in (None, "ortho", "forward"):
                        tally.check("fft." + name, [a], {"norm": norm}, **options)
                    tally.check("fft." + name, [a], {"n": 6}, **options)
                    tally.check("fft." + name, [a], {"axis": 0, "n": 5}, **options)
                for name in ("fftn", "ifftn", "irfftn") + real[2:]:
                    if name == "irfftn" and shape[-1] == 1:
                        continue
                    tally.check("fft." + name, [a], **options)
                if len(shape) > 1:
                    for name in ("fft2", "ifft2", "irfft2"):
                        tally.check("fft." + name, [a], **options)
                        tally.check("fft." + name, [a], {"s": (4, 5), "axes": (0, 1), "norm": "ortho"}, **options)
                tally.check("fft.fftshift", [a])
                tally.check("fft.ifftshift", [a], {"axes": 0})
        for n in (1, 4, 9):
            tally.check("fft.fftfreq", [n, 0.1], ulps=2)
            tally.check("fft.rfftfreq", [n], ulps=2)
        self.assertGreater(tally.cases, 300)
        if tally.wrong:
            self.fail(tally.report())

    def test_out_and_errors(self):
        x = np.arange(8.0)
        out = nj.empty(8, dtype=nj.complex128)
        self.assertIs(nj.fft.fft(x, out=out), out)
        np.testing.assert_allclose(np.asarray(out), np.fft.fft(x), atol=1e-14)
        with self.assertRaisesRegex(ValueError, "Invalid norm value most"):
            nj.fft.fft(x, norm="most")
        with self.assertRaisesRegex(ValueError, r"Invalid number of FFT data points \(0\) specified\."):
            nj.fft.fft(x, 0)

    def test_arguments_that_numpy_refuses_or_takes(self):
        for call in (lambda m: m.fft.fft(m.ones(4), out=m.zeros(3)), lambda m: m.fft.rfft(m.ones(4), out=m.zeros(3)),
                     lambda m: m.fft.fftn(m.ones((3, 4)), axes=0), lambda m: m.fft.fftfreq(-1), lambda m: m.fft.fftfreq(m.ones(1)),
                     lambda m: m.fft.fftfreq(m.int64(4)), lambda m: m.fft.rfftfreq(m.int32(5), 0.5),
                     lambda m: m.fft.irfft2(m.ones((3, 4)), s=(2, None)), lambda m: m.fft.irfftn(m.ones((3, 4)), s=(None, 5), axes=(0, 1)),
                     lambda m: m.fft.fftn(m.ones((3, 4)), s=(2, None))):
            kind, theirs = outcome(lambda: call(np))
            got, ours = outcome(lambda: call(nj))
            self.assertEqual(got, kind, (ours, theirs))
            if kind == "error":
                self.assertIsInstance(ours, TypeError if isinstance(theirs, TypeError) else type(theirs))
            else:
                np.testing.assert_allclose(np.asarray(ours), theirs, atol=1e-14)


if __name__ == "__main__":
    unittest.main()
