// Functions of the secondary module, by values that NumPy gave; and a few programs as pages have them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

const { load } = await import(new URL('numjit.js', pathToFileURL(`${process.env.NUMJIT_PACKAGE}/`)));
const np = await load({ threads: 1 });
await np.linalg.load();

const plain = (v) => (Array.isArray(v) ? v.map(plain) : v instanceof np.NDArray ? v.tolist() : v);
const rounded = (v) => (Array.isArray(v) ? v.map(rounded) : typeof v === 'number' ? Number(v.toFixed(6)) + 0 : v);
const expect = (got, expected) => assert.deepEqual(rounded(plain(got)), expected);
const a = np.array([[1, NaN, 3], [4, 5, 6]]), b = np.arange(6).reshape(2, 3);

test('what NaN is left out of', () => {
  expect(np.nanvar(a), 2.96);
  expect(np.nanstd(a, { axis: 1 }), [1, 0.816497]);
  expect(np.nanargmax(a, 1), [2, 2]);
  expect(np.nanargmin(a), 0);
  expect(np.nanmedian(a, { axis: 0 }), [2.5, 5, 4.5]);
  expect(np.nanpercentile(a, 50), 4);
  expect(np.nanquantile(a, 0.25), 3);
  expect(np.nancumsum(a), [1, 1, 4, 8, 13, 19]);
});

test('made and taken apart', () => {
  expect(np.logspace(0, 2, 3), [1, 10, 100]);
  assert.equal(np.identity(2, { dtype: 'float32' }).dtype.name, 'float32');
  expect(np.identity(2), [[1, 0], [0, 1]]);
  assert.deepEqual(np.empty_like(b).shape, [2, 3]);
  expect(np.diagflat([1, 2], 1), [[0, 1, 0], [0, 0, 2], [0, 0, 0]]);
  expect(np.vander([1, 2, 3]), [[1, 1, 1], [4, 2, 1], [9, 3, 1]]);
  expect(b.flatten(), [0, 1, 2, 3, 4, 5]);
  expect(np.fliplr(b), [[2, 1, 0], [5, 4, 3]]);
  expect(b.flipud(), [[3, 4, 5], [0, 1, 2]]);
  assert.deepEqual([np.atleast_1d(3), np.atleast_2d([1, 2]), np.atleast_3d([1, 2])].map((x) => x.shape), [[1], [1, 2], [1, 2, 1]]);
  expect(np.array_split(np.arange(5), 2), [[0, 1, 2], [3, 4]]);
  expect(np.vsplit(b, 2), [[[0, 1, 2]], [[3, 4, 5]]]);
  expect(np.hsplit(b, [1]), [[[0], [3]], [[1, 2], [4, 5]]]);
  expect(np.hsplit(np.arange(4), 2), [[0, 1], [2, 3]]);
  expect(np.insert(np.arange(3), 1, 9), [0, 9, 1, 2]);
  expect(np.insert(b, [1], 7, { axis: 1 }), [[0, 7, 1, 2], [3, 7, 4, 5]]);
  expect(np.delete(b, 1, 1), [[0, 2], [3, 5]]);
  expect(np.delete(np.arange(5), [0, 3]), [1, 2, 4]);
  expect(np.delete(np.arange(6), np.slice(null, null, 2)), [1, 3, 5]);
  expect(np.resize([1, 2], [3]), [1, 2, 1]);
  expect(np.extract(b.greater(2), b), [3, 4, 5]);
  expect(np.choose([1, 0, 1], [[1, 2, 3], [10, 20, 30]]), [10, 2, 30]);
  expect(np.tril_indices(2), [[0, 1, 1], [0, 0, 1]]);
  expect(np.triu_indices(3, 1), [[0, 0, 1], [1, 2, 2]]);
  expect(np.argpartition([3, 1, 2], 0).at(0), 1);
  expect(np.trim_zeros([0, 1, 2, 0]), [1, 2]);
});

test('sets, differences, windows, polynomials', () => {
  expect(np.setxor1d([1, 2], [2, 3]), [1, 3]);
  expect(np.ediff1d([1, 4, 9]), [3, 5]);
  expect(np.unwrap([0, 6]), [0, -0.283185]);
  expect(np.sinc([0, 0.5]), [1, 0.63662]);
  expect(np.bartlett(3), [0, 1, 0]);
  expect(np.kaiser(3, 2), [0.438676, 1, 0.438676]);
  expect(np.polyfit([0, 1, 2], [1, 3, 7], 2), [1, 1, 1]);
  expect(np.polyder([1, 2, 3]), [2, 2]);
  expect(np.polyint([2, 2]), [1, 2, 0]);
  expect([np.polyadd([1, 2], [1]), np.polysub([1, 2], [1]), np.polymul([1, 2], [1, 1])], [[1, 3], [1, 1], [1, 3, 2]]);
  expect(np.sort(np.roots([1, -3, 2])), [1, 2]);
  expect(np.poly([1, 2]), [1, -3, 2]);
});

test('transforms of several axes', () => {
  const x = np.arange(6, { dtype: 'float64' }).reshape(2, 3);
  assert.ok(np.allclose(np.fft.fftn(x), np.fft.fft2(x)));
  assert.ok(np.allclose(np.fft.ifftn(np.fft.fftn(x)), x));
  assert.ok(np.allclose(np.fft.rfft2(x), np.fft.fft2(x).at(':, :2')));
  const even = np.arange(8, { dtype: 'float64' }).reshape(2, 4);
  assert.ok(np.allclose(np.fft.irfft2(np.fft.rfft2(even)), even));
  assert.deepEqual(np.fft.fftn(x, { s: [2], axes: [1] }).shape, [2, 2]);
});

test('a low pass, a straight line, a perceptron, a glider, principal components', () => {
  const t = np.linspace(0, 1, 256, { endpoint: false });
  const spectrum = np.fft.rfft(np.sin(t.multiply(10 * np.pi)).add(np.sin(t.multiply(120 * np.pi)).multiply(0.5)));
  spectrum.set(0, np.fft.rfftfreq(256, 1 / 256).greater(20));
  assert.ok(np.allclose(np.fft.irfft(spectrum, 256), np.sin(t.multiply(10 * np.pi))));

  let rng = np.random.default_rng(0);
  const x = rng.uniform(0, 10, { size: 50 }), y = x.multiply(3).add(2).add(rng.normal(0, 1, { size: 50 }));
  const [line] = np.linalg.lstsq(np.stack([x, np.ones_like(x)], { axis: 1 }), y);
  expect(line, [3.052336, 1.757471]);
  expect(np.polyfit(x, y, 1), [3.052336, 1.757471]);

  rng = np.random.default_rng(1);
  const points = rng.standard_normal([200, 2]), sides = np.where(points.sum({ axis: 1 }).greater(0), 1, -1);
  let weights = np.zeros(2), bias = 0;
  for (let epoch = 0; epoch < 5; ++epoch) {
    for (let i = 0; i < 200; ++i) {
      const point = points.at(i), side = sides.at(i).item();
      if (side * (weights.dot(point) + bias) > 0) continue;
      weights = weights.add(point.multiply(side));
      bias += side;
    }
  }
  expect(weights, [4.724806, 4.757254]);

  let grid = np.zeros([16, 16], { dtype: np.int32 });
  for (const cell of [[1, 2], [2, 3], [3, 1], [3, 2], [3, 3]]) grid.set(1, ...cell);
  const step = np.compile((g) => {
    let n = np.zeros_like(g);
    for (const i of [-1, 0, 1]) for (const j of [-1, 0, 1]) if (i || j) n = n.add(np.roll(np.roll(g, i, 0), j, 1));
    return n.equal(3).logical_or(g.equal(1).logical_and(n.equal(2))).astype('int32');
  });
  for (let k = 0; k < 20; ++k) grid = step(grid);
  expect(np.nonzero(grid), [[6, 7, 8, 8, 8], [7, 8, 6, 7, 8]]);

  rng = np.random.default_rng(3);
  const cloud = rng.normal(0, 1, [100, 3]).matmul([[2, 0, 0], [1, 1, 0], [0, 0, 0.1]]);
  const [variances] = np.linalg.eigh(np.cov(cloud.subtract(cloud.mean(0)).T));
  expect(variances, [0.00857, 0.952355, 5.148561]);
});
