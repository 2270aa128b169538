// The JavaScript package under Node, in each of its builds. Expected values come from NumPy.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

const folder = pathToFileURL(`${process.env.NUMJIT_PACKAGE}/`);
const { load, Complex } = await import(new URL('numjit.js', folder));

for (const build of ['simd', 'scalar']) {
  const np = await load({ build });
  const check = (name, f) => test(`${build}: ${name}`, f);

  check('creation, dtypes and lists', () => {
    assert.equal(np.build, build);
    assert.deepEqual(np.array([[1, 2], [3, 4]]).tolist(), [[1, 2], [3, 4]]);
    assert.equal(np.array([1, 2]).dtype.name, 'int64');
    assert.equal(np.array([1, 2.5]).dtype.name, 'float64');
    assert.equal(np.array([true, false]).dtype.name, 'bool');
    assert.equal(np.array([new Complex(1, 2)]).dtype.name, 'complex128');
    assert.equal(np.array(new Float32Array([1, 2])).dtype.name, 'float32');
    assert.equal(np.array([1, 2], { dtype: 'uint8' }).dtype.name, 'uint8');
    assert.deepEqual(np.zeros([2, 3], { dtype: np.int32 }).tolist(), [[0, 0, 0], [0, 0, 0]]);
    assert.deepEqual(np.arange(5).tolist(), [0, 1, 2, 3, 4]);
    assert.deepEqual(np.linspace(0, 1, 5).tolist(), [0, 0.25, 0.5, 0.75, 1]);
    assert.deepEqual(np.array([2n ** 62n]).tolist(), [2n ** 62n]);
  });

  check('NEP 50: weak numbers', () => {
    const a = np.array([250, 251], { dtype: 'uint8' });
    assert.deepEqual(a.add(10).tolist(), [4, 5]);
    assert.equal(a.add(1.5).dtype.name, 'float64');
    assert.equal(np.ones(2, { dtype: 'float32' }).multiply(2.5).dtype.name, 'float32');
    assert.equal(np.arange(3).add(np.float(2)).dtype.name, 'float64');
    assert.throws(() => a.add(256), /OverflowError|out of bounds/);
    assert.throws(() => np.ones(2, 3), { name: 'TypeError', message: 'dtype: got 3, expected a dtype or its name. Hint: the lengths of a shape stand in a list: [2, 3].' });
    assert.throws(() => np.zeros([2], { dtype: 'float23' }), { message: "dtype: got 'float23', expected a dtype or its name." });
  });

  check('indexing: views, elements, masks, stores', () => {
    const a = np.arange(12).reshape(3, 4);
    assert.deepEqual(a.at(1).tolist(), [4, 5, 6, 7]);
    assert.deepEqual([a.item(1, 2), a.item(-1, -1), a.at(0, 0).item()], [6, 11, 0]);
    assert.throws(() => a.item(0), { name: 'ValueError' });
    assert.deepEqual(a.at(':', np.slice(1, -1)).tolist(), [[1, 2], [5, 6], [9, 10]]);
    assert.deepEqual(a.at('...', np.slice(null, null, -2)).tolist(), [[3, 1], [7, 5], [11, 9]]);
    assert.deepEqual(a.at(a.greater(8)).tolist(), [9, 10, 11]);
    assert.deepEqual(a.at([0, 2], [1, 3]).tolist(), [1, 11]);
    const view = a.at(0);
    view.set(-1, np.slice(2));
    assert.deepEqual(a.at(0).tolist(), [-1, -1, 2, 3]);
    a.set(0, a.less(5));
    assert.deepEqual(a.tolist(), [[0, 0, 0, 0], [0, 5, 6, 7], [8, 9, 10, 11]]);
    assert.ok(np.shares_memory(view, a));
    assert.throws(() => a.at(3), { name: 'IndexError', message: /index 3 is out of bounds for axis 0 with size 3/ });
  });

  check('keys of text, written once and again', () => {
    const a = np.arange(2400).reshape(2, 1200);
    for (let round = 0; round < 2; ++round) {
      for (let i = 0; i < 1100; ++i) { // more than are kept
        assert.deepEqual(a.at(`1, ${i}:${i + 2}`).tolist(), [1200 + i, 1201 + i]);
        a.set(-i, `0, ${i}`);
      }
    }
    assert.deepEqual(a.at('0, ::400').tolist(), [0, -400, -800]);
    assert.deepEqual([a.at('..., 0').tolist(), a.at('-1').shape], [[0, 1200], [1200]]);
    a.set(7);
    assert.equal(a.sum().item(), 7 * 2400);
    for (const key of ['1.5', ':::', '0,, 1', '']) {
      assert.throws(() => a.at(key), { name: 'IndexError', message: `numjit: got the index '${key}', expected integers and slices such as '1:-1, ::2' or '..., 0'.` });
      assert.throws(() => a.set(0, key), { name: 'IndexError' });
    }
    assert.throws(() => a.at(1.5), { name: 'IndexError', message: /only integers, slices/ });
    assert.throws(() => a.at(np.slice(0.5, 2)), { name: 'TypeError', message: /slice: got 0.5, expected an integer/ });
    assert.throws(() => a.at(2 ** 53), { name: 'IndexError', message: /index 9007199254740992 is out of bounds/ });
    assert.throws(() => a.at('::0'), { name: 'ValueError', message: /slice step cannot be zero/ });
  });

  check('elements at places along several axes', () => {
    for (const dtype of ['uint8', 'float32', 'float64', 'complex128', 'int16']) {
      const a = np.arange(60).reshape(3, 4, 5).astype(dtype), value = (v) => (dtype === 'complex128' ? new Complex(v, 0) : v);
      for (const kind of ['int32', 'int64', 'int8']) {
        const i = np.array([0, -1, 2, -3], { dtype: kind }), j = np.array([3, -4, 0, 1], { dtype: kind }), k = np.array([4, 0, -5, 1], { dtype: kind });
        assert.deepEqual(a.at(i, j, k).tolist(), [19, 40, 40, 6].map(value));
        assert.deepEqual(a.at('::-1').at(i, j, k).tolist(), [59, 0, 0, 46].map(value));
        const f = np.compile((x, i, j) => x.at(i, j), { name: 'at' });
        for (let round = 0; round < 2; ++round) assert.deepEqual(f(a, i, j).at(':, 0').tolist(), [15, 40, 40, 5].map(value));
        assert.throws(() => a.at(i, j.add(1), k).tolist(), { name: 'IndexError', message: /index 4 is out of bounds for axis 1 with size 4/ });
        assert.throws(() => a.at(i, j.subtract(1), k).tolist(), { name: 'IndexError', message: /index -5 is out of bounds for axis 1 with size 4/ });
      }
    }
    const table = np.arange(256, { dtype: 'float32' });
    assert.deepEqual(table.at(np.array([255, 0, 7], { dtype: 'uint8' })).tolist(), [255, 0, 7]);
    assert.throws(() => table.at(':-1').at(np.array([255], { dtype: 'uint8' })), { name: 'IndexError', message: /index 255 is out of bounds for axis 0 with size 255/ });
  });

  check('elements without a copy', () => {
    const a = np.zeros(4);
    a.data[2] = 7;
    assert.deepEqual(a.tolist(), [0, 0, 7, 0]);
    assert.deepEqual([...np.arange(6).reshape(2, 3).T.data], [0n, 3n, 1n, 4n, 2n, 5n]);
  });

  check('reductions and options', () => {
    const a = np.arange(6).reshape(2, 3);
    assert.deepEqual(a.sum({ axis: 0 }).tolist(), [3, 5, 7]);
    assert.deepEqual(a.mean({ axis: 1, keepdims: true }).tolist(), [[1], [4]]);
    assert.equal(a.max().item(), 5);
    assert.equal(Number(a.std()), 1.707825127659933);
    assert.ok(a.sum() > 14);
    assert.deepEqual(np.cumsum(a, { axis: 1 }).tolist(), [[0, 1, 3], [3, 7, 12]]);
    assert.throws(() => a.sum({ axes: 0 }), { name: 'TypeError', message: "[sum] unexpected option 'axes', expected one of a, axis, dtype, out, keepdims, initial, where. Hint: axis." });
    assert.throws(() => a.sum({ axis: 2 }), { name: 'AxisError', message: /axis 2 is out of bounds for array of dimension 2/ });
  });

  check('out and in place', () => {
    const a = np.arange(3, { dtype: 'float64' });
    const out = np.zeros(3);
    assert.equal(np.add(a, 1, { out }), out);
    assert.deepEqual(out.tolist(), [1, 2, 3]);
    a.imultiply(2);
    assert.deepEqual(a.tolist(), [0, 2, 4]);
  });

  check('products, statistics, sorting, transforms', () => {
    const a = np.arange(6, { dtype: 'float64' }).reshape(2, 3);
    assert.deepEqual(a.matmul(a.T).tolist(), [[5, 14], [14, 50]]);
    assert.deepEqual(np.einsum('ij,kj->ik', [a, a]).tolist(), [[5, 14], [14, 50]]);
    assert.deepEqual(np.array([3, 1, 2]).sort().tolist(), [1, 2, 3]);
    assert.deepEqual(np.unique([3, 1, 3]).tolist(), [1, 3]);
    assert.equal(np.median([3, 1, 2]).item(), 2);
    assert.deepEqual(np.fft.fft([1, 2, 3, 4]).real().tolist(), [10, -2, -2, -2]);
    assert.deepEqual(np.histogram([1, 2, 1], { bins: 2 })[0].tolist(), [2, 1]);
  });

  check("random streams are NumPy's", () => {
    const rng = np.random.default_rng(42);
    assert.deepEqual(rng.random(3).tolist(), [0.7739560485559633, 0.4388784397520523, 0.8585979199113825]);
    assert.deepEqual(np.random.default_rng(0).integers(0, 10, [5]).tolist(), [8, 6, 5, 2, 3]);
  });

  check('text', () => {
    assert.equal(String(np.array([[1.5, 2], [3, 4]])), '[[1.5 2. ]\n [3.  4. ]]');
    assert.equal(String(np.array([0.1, 1e-10])), '[1.e-01 1.e-10]');
    assert.equal(String(np.array([1 / 3])), '[0.33333333]');
    assert.equal(`${np.array(1 / 3)} ${np.array(true)} ${np.array(1 / 3, { dtype: 'float32' })}`, '0.3333333333333333 True 0.33333334');
    assert.equal(np.array_str(np.array([1 / 3])), '[0.33333333]');
    assert.equal(String(np.array([1 / 3], { dtype: 'float32' })), '[0.33333334]');
  });

  check('npy files', () => {
    const a = np.arange(6).reshape(2, 3);
    assert.deepEqual(np.fromNpy(np.toNpy(a)).tolist(), a.tolist());
    assert.throws(() => np.fromNpy(new Uint8Array(10)), /np.fromNpy/);
  });

  check('compiled functions, breaks, explain', () => {
    const f = np.compile((x, y) => x.multiply(2).add(y).sum(), { name: 'f' });
    const x = np.arange(4, { dtype: 'float64' });
    for (let i = 0; i < 3; ++i) assert.equal(f(x, x).item(), 18);
    const report = np.explain(f, x, x);
    assert.equal(report.graph_count, 1);
    assert.equal(report.graph_break_count, 0);
    const g = np.compile((v) => (v.sum() > 0 ? v.multiply(2) : v), { name: 'g' });
    assert.deepEqual(g(x).tolist(), [0, 2, 4, 6]);
    assert.equal(np.explain(g, x).graph_break_count, 1);
    const strict = np.compile((v) => (v.sum() > 0 ? v : v), { fullgraph: true });
    assert.throws(() => strict(x), { name: 'GraphBreakError' });
    const failing = np.compile(() => { throw new RangeError('mine'); });
    assert.throws(() => failing(x), { name: 'RangeError', message: 'mine' });
    assert.deepEqual(f(x, x).item(), 18);
  });

  check('arrays that were disposed of', () => {
    const before = np.liveArrays();
    const a = np.arange(3);
    assert.equal(np.liveArrays(), before + 1);
    a.dispose();
    a.dispose();
    assert.equal(np.liveArrays(), before);
    assert.throws(() => a.sum(), { name: 'ValueError', message: 'numjit: this array was disposed of.' });
  });

  check('wrong values', () => {
    assert.throws(() => np.sum(new Date()), { name: 'TypeError', message: /got Date, expected an array/ });
    assert.throws(() => np.array([[1, 2], [3]]), { name: 'ValueError', message: /inhomogeneous shape after 1 dimensions/ });
    assert.throws(() => np.reshape(np.arange(6), [4]), { name: 'ValueError', message: /cannot reshape array of size 6 into shape \(4,\)/ });
    assert.throws(() => np.zeros([1e10]), { name: 'RangeError', message: /MemoryError|memory/ });
  });
}
