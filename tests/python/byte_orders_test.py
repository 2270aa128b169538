"""dtypes of the other byte order, and arrays of them: what they tell and give is NumPy's, though memory is always in the
processor's order."""
import copy
import pickle
import io
import os
import tempfile
import unittest

import numpy

from by_text import ByText
from differential import nj

VALUES = """
np.dtype('>f8')
np.dtype('>f8').str
np.dtype('>i4').byteorder
np.dtype('>i1').byteorder
np.dtype(b'>c8').isnative
np.dtype('>f8') == np.dtype('f8')
np.dtype('>f8') == '>f8'
np.dtype('f8') == '>f8'
np.dtype('f8').newbyteorder()
np.dtype('f8').newbyteorder('>')
np.dtype('>f8').newbyteorder('=')
np.dtype('>f8').newbyteorder('|')
np.dtype('u1').newbyteorder()
np.dtype('>f8').name
np.dtype('>f8').descr
np.dtype('>f8').isbuiltin
hash(np.dtype('>f8')) == hash(np.dtype('>f8'))
np.can_cast('>f8', '<f8', 'no')
np.can_cast('>f8', '<f8', 'equiv')
np.can_cast('>i4', '<f8')
np.promote_types('>i4', '>i8')
np.result_type('>i4', '>f4')
np.zeros(3, '>f8')
np.zeros(3, dtype='>f8').dtype
np.ones(2, '>c8').tobytes()
np.full(2, 3, '>u2').tobytes()
np.empty(2, '>u2').dtype
np.array([1, 2], '>i4')
np.array([[1.5, 2], [3, 4]], dtype='>f4')
np.array([1, 2], '>i4').tobytes()
np.array([1+2j], '>c16').tobytes()
np.arange(4, dtype='>i2')
np.arange(4, dtype='>i2')[1:].tobytes()
np.arange(4, dtype='>i2')[::-1].dtype
np.arange(4, dtype='>i2').reshape(2, 2).T.tobytes()
np.arange(4, dtype='>i2').copy().dtype
np.copy(np.arange(4, dtype='>i2')).dtype
np.arange(4, dtype='>i2').astype('<i2').dtype
np.arange(4, dtype='>i2').astype('i4').tobytes()
np.arange(4).astype('>i2').tobytes()
np.arange(4).astype('>i2') + 1
(np.arange(4).astype('>i2') + 1).dtype
np.arange(4).astype('>i2').sum()
np.arange(4).astype('>i2')[2]
np.arange(4).astype('>i2')[2].dtype
np.zeros_like(np.arange(4, dtype='>i2'))
np.ones_like(np.arange(4, dtype='>i2')).dtype
np.arange(4, dtype='>i2').view('<i2').tolist()
np.arange(4, dtype='i2').view('>i2').tolist()
np.arange(4, dtype='i2').view('>i2').dtype
np.arange(4, dtype='>i2').view('u1').tolist()
np.arange(4, dtype='>i4').view('>u2').tolist()
np.arange(4, dtype='>i2').byteswap()
np.arange(4, dtype='>i2').byteswap().view('<i2')
np.arange(4, dtype='i2').byteswap().view(np.dtype('i2').newbyteorder())
np.asarray(np.arange(4, dtype='i2'), '>i2')
np.asarray(np.arange(4, dtype='>i2'), '<i2').dtype
np.asarray(np.arange(4, dtype='>i2')).dtype
np.ascontiguousarray(np.arange(4, dtype='>i2')).dtype
np.frombuffer(bytes([0, 1, 0, 2]), '>i2')
np.frombuffer(bytes([0, 1, 0, 2]), np.dtype('>i2')).tobytes()
np.frombuffer(np.arange(3).astype('>f8').tobytes(), '>f8').tolist()
np.concatenate([np.arange(2.), np.arange(2.)], dtype='>f8').dtype
np.concatenate([np.arange(2, dtype='>i2'), np.arange(2, dtype='>i2')]).dtype
np.linspace(0, 1, 3, dtype='>f4').dtype
np.eye(2, dtype='>f4').dtype
np.fromiter([1, 2], '>i2').dtype
np.float64(3).dtype.newbyteorder()
np.arange(6, dtype='>f8').reshape(2,3).sum(axis=0)
np.sort(np.array([3, 1, 2], '>i4')).tolist()
np.array([3, 1, 2], '>i4').argsort()
np.array([3, 1, 2], '>i4') @ np.array([3, 1, 2], '>i4')
np.array([3, 1, 2], '>i4').real.dtype
np.array([3, 1j], '>c8').imag.dtype
np.array([3, 1j], '>c8').imag.tobytes()
np.array(7, '>i4')
np.array(7, '>i4').tobytes()
np.ndarray(2, '>i4').dtype
np.arange(3, dtype='>i4').tolist()
np.arange(3, dtype='>i4').flatten().tobytes()
np.arange(3, dtype='>i4').ravel().tobytes()
np.arange(4, dtype='>i4').reshape(2,2).flatten('F').tobytes()
np.issubdtype('>f8', np.floating)
np.iinfo(np.dtype('>i4')).max
np.dtype('>f8').type is np.float64
np.dtype('>q').str
np.dtype('>f8') < np.dtype('f8')
np.dtype('>f4') < np.dtype('f8')
repr(np.array([], '>i4'))
np.arange(3,dtype='>i4')[[1,2]].dtype
np.arange(3,dtype='>i4')[[1,2]].tobytes()
np.where(np.arange(3,dtype='>i4')>1)[0].dtype
np.tile(np.arange(3,dtype='>i4'),2).dtype
np.expand_dims(np.arange(3,dtype='>i4'),0).tobytes()
np.squeeze(np.arange(3,dtype='>i4')).tobytes()
np.stack([np.arange(3,dtype='>i4')]*2).dtype
np.atleast_2d(np.arange(3,dtype='>i4')).tobytes()
np.broadcast_to(np.arange(3,dtype='>i4'),(2,3)).tobytes()
np.arange(9,dtype='>i4').reshape(3,3).diagonal().tobytes()
np.asarray(np.arange(3), dtype='>i8', copy=None).dtype
np.dtype('f8').newbyteorder('x')
np.dtype('f8').newbyteorder().newbyteorder() == np.dtype('f8')
np.random.default_rng(0).integers(0, 9, dtype='>i4')
np.iinfo('>i2').max, np.issubdtype('>i2', np.integer)
np.dtype('>f8') in ('f8', '>f8'), np.dtype('>f8') in ('f8', float)
(lambda a: (a.__iadd__(1), a.dtype, a.tobytes()))(np.arange(2, dtype='>i2'))
(lambda a: (a.fill(258), a.tobytes()))(np.zeros(1, '>i2'))
(lambda a: (a.__setitem__(slice(None), [1, 2]), a, a.tobytes()))(np.zeros(2, '>f4'))
(lambda a: (np.add(a, 1, out=a), a.tobytes()))(np.zeros(2, '>f4'))
np.arange(3, dtype='>i2') == np.arange(3)
np.array([1, 2], '>i2').tolist(), np.array([1, 2], '>i2').item(1), int(np.array(5, '>i2'))
np.array([1, 258], '>i2').byteswap(inplace=True)
np.concatenate([np.arange(2), np.arange(2)], dtype='>i8', casting='no')
"""


class ByteOrders(ByText):
    def test_values(self):
        self.check(VALUES)

    def test_pickled_and_copied(self):
        a = nj.arange(3, dtype=">i4")
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            again = pickle.loads(pickle.dumps(a, protocol))
            self.assertEqual((again.tolist(), again.dtype, again.tobytes()), ([0, 1, 2], a.dtype, a.tobytes()))
        self.assertEqual(pickle.loads(pickle.dumps(a.dtype)), a.dtype)
        self.assertEqual(copy.deepcopy(a).dtype, ">i4")

    def test_files(self):
        a = nj.arange(3).astype(">i4")
        with tempfile.TemporaryDirectory() as folder:
            name = os.path.join(folder, "raw")
            a.tofile(name)
            self.assertEqual(numpy.fromfile(name, ">i4").tolist(), [0, 1, 2])
            again = nj.fromfile(name, ">i4")
            self.assertEqual((again.tolist(), again.dtype), ([0, 1, 2], nj.dtype(">i4")))
        file = io.BytesIO()
        nj.save(file, a)
        file.seek(0)
        self.assertEqual(numpy.load(file).tolist(), [0, 1, 2])

    def test_memory_tells_its_own_order(self):
        a = nj.array([1, 2], ">i2")
        self.assertEqual(memoryview(a).format, "h")
        self.assertEqual(a.__array_interface__["typestr"], "<i2")
        self.assertEqual(numpy.asarray(a).tolist(), [1, 2])

    def test_views_of_the_other_order_are_copies(self):
        a = nj.arange(3, dtype="i2")
        v = a.view(">i2")
        with self.assertRaises(ValueError):
            v[0] = 1
        with self.assertRaises(TypeError):
            a.dtype = ">i2"
        with self.assertRaises(TypeError):
            nj.ndarray(1, ">i2", bytes(2))

    def test_compiled_functions_give_the_processors_order(self):
        f = nj.compile(lambda x: x.astype(">f4") + 1)
        for _ in range(3):
            made = f(nj.arange(3.0))
            self.assertEqual((made.tolist(), made.dtype), ([1, 2, 3], nj.dtype("f4")))

    def test_no_copy(self):
        for make in (lambda np: np.asarray(np.arange(3), dtype=">i8", copy=False), lambda np: np.array([1, 2], ">i4", copy=False)):
            for np in (nj, numpy):
                with self.assertRaises(ValueError):
                    make(np)


if __name__ == "__main__":
    unittest.main()
