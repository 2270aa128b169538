"""Which results share memory with an argument, eagerly and compiled, and what empty masks of flat do: as NumPy's."""
import os
import sys
import unittest

import numpy

sys.path.insert(0, os.path.join(os.environ["NUMJIT_BUILD_DIR"], "python"))
import numjit  # noqa: E402

CALLS = (
    'np.resize(x,(3,4))', 'np.resize(x,5)', 'np.tile(x,1)', 'np.tile(x,(1,1,1))', 'np.repeat(x,1)', 'np.repeat(x,1,0)',
    'np.roll(x,0)', 'np.roll(x,0,0)', 'np.concatenate([x])', 'np.stack([x])', 'np.vstack([x])', 'np.hstack([x])',
    'np.dstack([x])', 'np.column_stack([x])', 'np.append(x,[])', 'np.unstack(x)', 'np.split(x,3)', 'np.hsplit(x,2)',
    'np.vsplit(x,3)', 'np.array_split(x,2,1)', 'np.split(x,[1])', 'np.flip(x)', 'np.flipud(x)', 'np.fliplr(x)',
    'np.rot90(x,0)', 'np.rot90(x,4)', 'np.rot90(x)', 'np.rot90(x,2)', 'np.broadcast_arrays(x,x[0])',
    'np.broadcast_to(x,(2,3,4))', 'np.atleast_1d(x)', 'np.atleast_3d(x)', 'np.atleast_2d(x[0])', 'np.squeeze(x)',
    'np.squeeze(x[None])', 'np.expand_dims(x,0)', 'np.transpose(x)', 'np.matrix_transpose(x)', 'np.swapaxes(x,0,0)',
    'np.moveaxis(x,0,0)', 'np.rollaxis(x,0)', 'np.reshape(x,12)', "np.reshape(x,12,order='F')",
    "np.reshape(x.T,12,order='A')", 'np.ravel(x)', 'np.ravel(x.T)', "np.ravel(x.T,'K')", "np.ravel(x,'F')",
    'np.reshape(x,12,copy=True)', 'np.diagonal(x)', 'np.trace(x)', 'np.take_along_axis(x,np.zeros((1,4),int),0)',
    'np.extract(x>-1,x)', 'np.real_if_close(x)', 'np.diff(x,0)', 'np.ediff1d(x)', 'np.ix_(np.arange(3))', 'np.nonzero(x)',
)


def sharing(np, call):
    """Of each array that the call of a (3, 4) array gives: does it share its memory?"""
    x = np.arange(12.0).reshape(3, 4)
    made = call(x)
    return [bool(np.shares_memory(x, a)) if getattr(a, "ndim", 0) else None for a in (made if isinstance(made, (tuple, list)) else (made,))]


class Aliasing(unittest.TestCase):
    def test_as_numpy(self):
        for text in CALLS:
            with self.subTest(call=text):
                theirs, ours = (eval(f"lambda x: {text}", {"np": np}) for np in (numpy, numjit))
                expected = sharing(numpy, theirs)
                self.assertEqual(sharing(numjit, ours), expected)
                self.assertEqual(sharing(numjit, numjit.compile(ours, backend="eager")), expected, "compiled")


class EmptyMasks(unittest.TestCase):
    def test_of_flat(self):
        for np in (numpy, numjit):
            a = np.arange(4.0)
            a.flat[np.array([], bool)] = 7
            self.assertEqual((a.tolist(), a.flat[np.array([], bool)].tolist()), ([0.0, 1.0, 2.0, 3.0], []))


if __name__ == "__main__":
    unittest.main()
