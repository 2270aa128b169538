"""Linear algebra of matrices without rows or columns: NumPy's shapes, and no word of LAPACK's on the terminal."""
import os
import tempfile
import unittest

import numpy

from differential import nj

CALLS = ("qr({})", "qr({}, mode='r')", "qr({}, mode='complete')", "qr({}, mode='raw')", "svd({})", "svd({}, full_matrices=False)",
         "svd({}, compute_uv=False)", "pinv({})", "matrix_rank({})", "lstsq({}, {}[..., 0], rcond=None)")


class Silent(unittest.TestCase):
    def setUp(self):
        self.file = tempfile.TemporaryFile()
        self.kept = [os.dup(1), os.dup(2)]
        for fd in (1, 2):
            os.dup2(self.file.fileno(), fd)

    def tearDown(self):
        for fd, kept in zip((1, 2), self.kept):
            os.dup2(kept, fd)
            os.close(kept)
        self.file.close()

    def said(self):
        self.file.seek(0)
        return self.file.read()

    def test_shapes(self):
        for dtype in ("f8", "f4", "c16", "c8"):
            for shape in ((0, 3), (3, 0), (0, 0), (2, 0, 3), (2, 3, 0), (0, 2, 2)):
                for call in CALLS:
                    outcomes = []
                    for module in (nj, numpy):
                        try:
                            made = eval("np.linalg." + call.format(f"np.zeros({shape}, '{dtype}')", f"np.ones({shape}, '{dtype}')"), {"np": module})
                            outcomes.append([numpy.asarray(m).shape for m in (made if isinstance(made, tuple) else (made,))])
                        except Exception as e:  # noqa: BLE001
                            outcomes.append(type(e).__name__)
                    self.assertEqual(outcomes[0], outcomes[1], (call, shape, dtype))
        self.assertEqual(self.said(), b"")


if __name__ == "__main__":
    unittest.main()
