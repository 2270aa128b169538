// np.add.reduce, accumulate, reduceat, outer and at, in each build. Expected values come from NumPy.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

const { load } = await import(new URL('numjit.js', pathToFileURL(`${process.env.NUMJIT_PACKAGE}/`)));

for (const build of ['simd', 'scalar']) {
  const np = await load({ build, threads: 1 });
  const check = (name, f) => test(`${build}: ${name}`, f);
  const a = np.array([[1, 5, 3], [4, 2, 6]]);

  check('reduce', () => {
    assert.deepEqual(np.add.reduce(a).tolist(), [5, 7, 9]);
    assert.deepEqual(np.add.reduce(a, 1).tolist(), [9, 12]);
    assert.equal(np.add.reduce(a, { axis: null }).item(), 21);
    assert.equal(np.add.reduce(a, null).item(), 21);
    assert.deepEqual(np.multiply.reduce(a, { axis: 1, keepdims: true }).tolist(), [[15], [48]]);
    assert.deepEqual(np.maximum.reduce(a, { axis: [0, 1], initial: 9 }).tolist(), 9);
    assert.deepEqual(np.minimum.reduce(a, { axis: 1, where: a.greater(2), initial: 100 }).tolist(), [3, 4]);
    assert.deepEqual(np.subtract.reduce(a, { axis: 1 }).tolist(), [-7, -4]);
    assert.deepEqual(np.bitwise_xor.reduce(a, { axis: 1, where: true }).tolist(), [7, 0]);
    assert.deepEqual(np.logical_and.reduce([[1, 0], [1, 1]]).tolist(), [true, false]);
    assert.deepEqual(np.hypot.reduce([3, 4, 12]).item(), 13);
    assert.equal(np.add.reduce(np.ones(3, { dtype: 'int8' })).dtype.name, 'int64');
    assert.equal(np.add.reduce([1.5, 2.5], { dtype: 'float32' }).dtype.name, 'float32');
    const out = np.zeros(2);
    assert.equal(np.add.reduce(a, { axis: 1, out }).tolist().join(), '9,12');
    assert.deepEqual(out.tolist(), [9, 12]);
    assert.equal(np.gcd.reduce([12, 18, 30]).item(), 6);
    assert.throws(() => np.maximum.reduce([]), { name: 'ValueError', message: /zero-size array to reduction operation maximum which has no identity/ });
    assert.throws(() => np.subtract.reduce(a, { axis: null }), { message: /reduction operation 'subtract' is not reorderable, so at most one axis may be specified/ });
    assert.throws(() => np.sqrt.reduce([1]), { name: 'ValueError', message: /reduce only supported for binary functions/ });
    assert.throws(() => np.add.reduce(a, { axes: 1 }), { name: 'TypeError', message: /unexpected option 'axes'/ });
  });

  check('accumulate', () => {
    assert.deepEqual(np.maximum.accumulate([1, 3, 2, 5, 4]).tolist(), [1, 3, 3, 5, 5]);
    assert.deepEqual(np.add.accumulate(a, { axis: 1 }).tolist(), [[1, 6, 9], [4, 6, 12]]);
    assert.deepEqual(np.subtract.accumulate(a, 0).tolist(), [[1, 5, 3], [-3, 3, -3]]);
    assert.equal(np.multiply.accumulate([1, 2, 3], { dtype: 'float32' }).dtype.name, 'float32');
    assert.throws(() => np.add.accumulate(3), { name: 'TypeError', message: /cannot accumulate on a scalar/ });
  });

  check('reduceat', () => {
    assert.deepEqual(np.add.reduceat(np.arange(8), [0, 4, 1, 5, 2, 6, 3, 7]).tolist(), [6, 4, 10, 5, 14, 6, 18, 7]);
    assert.deepEqual(np.multiply.reduceat(a, [0, 2], { axis: 1 }).tolist(), [[5, 3], [8, 6]]);
    assert.deepEqual(np.subtract.reduceat([9.5, 1, 2, 4], np.array([0, 2])).tolist(), [8.5, -2]);
    assert.throws(() => np.add.reduceat([1, 2], [4]), { name: 'IndexError', message: /index 4 out-of-bounds in add.reduceat \[0, 2\)/ });
  });

  check('outer', () => {
    assert.deepEqual(np.subtract.outer([1, 2], [10, 20, 30]).tolist(), [[-9, -19, -29], [-8, -18, -28]]);
    assert.deepEqual(np.add.outer(1, [1, 2]).tolist(), [2, 3]);
    assert.deepEqual(np.power.outer(a, np.arange(2)).shape, [2, 3, 2]);
    assert.equal(np.multiply.outer([1], [2], { dtype: 'float32' }).dtype.name, 'float32');
    const before = np.liveArrays();
    np.add.outer([1], [2]).dispose();
    assert.equal(np.liveArrays(), before);
    assert.throws(() => np.add.outer([1]), { name: 'TypeError', message: 'exactly two arguments expected' });
    assert.throws(() => np.sqrt.outer([1], [1]), { name: 'ValueError', message: 'outer product only supported for binary functions' });
  });

  check('at', () => {
    const counts = np.zeros(4, { dtype: 'int32' });
    np.add.at(counts, [0, 1, 1, 3, 1, -1], 1);
    assert.deepEqual(counts.tolist(), [1, 3, 0, 2]);
    np.add.at(counts, np.array([2, 2]), [10, 20]);
    np.negative.at(counts, [0, 3]);
    np.multiply.at(counts, 1, 5);
    assert.deepEqual(counts.tolist(), [-1, 15, 30, -2]);
    const grid = np.zeros([2, 3]);
    np.add.at(grid, [np.array([0, 1, 0]), np.array([2, 0, 2])], [1, 2, 3]);
    np.add.at(grid, '1, 1:', 7);
    np.add.at(grid, [0, 0], 0.5);
    np.maximum.at(grid, [np.slice(null), 1], 1);
    assert.deepEqual(grid.tolist(), [[1, 1, 5], [2, 7, 7]]);
    np.subtract.at(grid, grid.greater(4), [1, 2, 3]);
    assert.deepEqual(grid.tolist(), [[1, 1, 4], [2, 5, 4]]);
    const words = np.zeros(70, { dtype: 'uint8' });
    np.bitwise_or.at(words, [3, 3, 69], [1, 2, 4]);
    assert.deepEqual([words.at(3).item(), words.at(69).item()], [3, 4]);
    assert.throws(() => np.add.at(counts, [9], 1), { name: 'IndexError', message: /index 9 is out of bounds for axis 0 with size 4/ });
    assert.throws(() => np.add.at(counts, [0]), { name: 'ValueError', message: /second operand needed for ufunc/ });
    assert.throws(() => np.sqrt.at(counts, [0], 1), { name: 'ValueError', message: /second operand provided when ufunc is unary/ });
    assert.throws(() => np.add.at([1, 2], [0], 1), { name: 'TypeError', message: 'first operand must be array' });
  });

  for (const options of [{}, { mode: 'replay' }]) {
    check(`inside of compiled functions: ${options.mode ?? 'rerun'}`, () => {
      const f = np.compile((x, places) => {
        const counts = np.zeros(4);
        np.add.at(counts, places, x.add(1));
        return [counts.multiply(2), np.maximum.accumulate(x.multiply(-1)), np.add.reduce(x.add(1)), np.subtract.outer(x, x).sum(1),
          np.add.reduceat(x, [0, 2])];
      }, { ...options, name: 'f' });
      const x = np.array([1, 2, 4]);
      for (const [places, counts] of [[[0, 1, 0], [14, 6, 0, 0]], [[3, 3, 3], [0, 0, 0, 20]], [[2, 1, 0], [10, 6, 4, 0]]])
        assert.deepEqual(f(x, np.array(places)).map((r) => r.tolist()), [counts, [-1, -1, -1], 10, [-4, -1, 5], [3, 4]]);
    });
  }

  check('by name', () => {
    assert.equal(np.add.name, 'add');
    assert.equal(np.abs, np.absolute);
    assert.equal(np.abs.at.name, np.add.at.name);
  });
}
