// NumPy's parameters of functions, by position, by name, and null for None. Expected are NumPy's results.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

const { load } = await import(new URL('numjit.js', pathToFileURL(`${process.env.NUMJIT_PACKAGE}/`)));
const np = await load();
await np.complete();
const plain = (value) => (Array.isArray(value) ? value.map(plain) : value?.tolist ? value.tolist() : value);
const gives = (value, expected) => assert.deepEqual(plain(value), expected);

test('arrays in any number', () => {
  const [x, y] = [np.arange(3), np.array([10, 20])];
  gives(np.meshgrid(x, y), [[[0, 1, 2], [0, 1, 2]], [[10, 10, 10], [20, 20, 20]]]);
  gives(np.meshgrid([x, y], { indexing: 'ij' }), [[[0, 0], [1, 1], [2, 2]], [[10, 20], [10, 20], [10, 20]]]);
  gives(np.meshgrid([1, 2]), [[1, 2]]);
  gives(np.ix_([0, 1], [2]), [[[0], [1]], [[2]]]);
  gives(np.broadcast_arrays(x, [[1], [2]])[1], [[1, 1, 1], [2, 2, 2]]);
  gives(np.einsum('i,i->', x, x), 5);
  gives(np.einsum('ij,jk', [[1, 2], [3, 4]], [[0, 1], [1, 0]]), [[2, 1], [4, 3]]);
  gives(np.einsum('ii', np.eye(3)), 3);
  gives([np.einsum('ij->j', [[1, 2], [3, 4]]), ...np.meshgrid([[1, 2], [3, 4]])], [[4, 6], [1, 2, 3, 4]]);
  gives(np.atleast_2d([]), [[]]);
  gives(np.einsum('ij->ji', np.arange(4).reshape(2, 2), { order: 'f' }), [[0, 2], [1, 3]]);
  assert.throws(() => np.einsum('ii', np.eye(3), { order: 'x' }), { name: 'ValueError', message: "[einsum] order must be one of 'C', 'F', 'A', or 'K' (got 'x')" });
  gives(np.max([[1, 2, 3], [4, 5, 6]], { axis: [0, 1], keepdims: true, where: true }), [[6]]);
  gives(np.split(np.arange(40), np.arange(1, 40)).length, 40);
  gives(np.array_split(np.arange(40), [...Array(30).keys()])[29], [28]);
  gives(np.broadcast_shapes([2, 1], [1, 3]), [2, 3]);
  gives(np.broadcast_shapes([5], 1), [5]);
  gives([np.ix_(), np.meshgrid(), np.atleast_2d()], [[], [], []]);
  gives(np.atleast_2d(3, [1, 2]), [[[3]], [[1, 2]]]);
  gives(np.gradient([1, 2, 4]), [1, 1.5, 2]);
});

test('arguments that there are not', () => {
  const a = np.ones([2, 2]), refused = (run, message) => assert.throws(run, { name: 'TypeError', message });
  refused(() => np.sum(a, { keepdim: true }), "[sum] unexpected option 'keepdim', expected one of a, axis, dtype, out, keepdims, initial, where. Hint: keepdims.");
  refused(() => a.argmax({ order: 1 }), "[argmax] unexpected option 'order', expected one of a, axis, out, keepdims.");
  refused(() => np.sum(a, 0, { axis: 1 }), "[sum] got two values of 'axis'.");
  refused(() => np.mean(a, 0, null, null, false, a), '[mean] takes 5 arguments, got more. Hint: { where: ... } is an option.');
  refused(() => np.diagflat([1], 0, 1), '[diagflat] takes 2 arguments, got more.');
  refused(() => np.swapaxes(a, 0), "[swapaxes] missing argument 'axis2'.");
  refused(() => a.swapaxes(), "[swapaxes] missing argument 'axis1'.");
  refused(() => np.full([2], { dtype: 'int8' }), "[full] missing argument 'fill_value'.");
  refused(() => np.sum(), "[sum] missing argument 'a'.");
});

test('values of options that there are not', () => {
  const a = np.array([[1, 2], [3, 4]]), refused = (run, name, message) => assert.throws(run, { name, message });
  refused(() => np.pad(a, 1, { constant_values: [1, 2, 3] }), 'ValueError', '[pad] constant_values: expected a number, [before, after], or such a pair for each axis.');
  refused(() => np.pad(a, 1, { mode: 'linear_ramp', end_values: [[[1]]] }), 'ValueError', '[pad] end_values: expected a number, [before, after], or such a pair for each axis.');
  refused(() => np.sort(a, { order: 'x' }), 'ValueError', '[sort] Cannot specify order when the array has no fields.');
  refused(() => np.argpartition(a, 1, { order: 'x' }), 'ValueError', '[argpartition] Cannot specify order when the array has no fields.');
  refused(() => np.sort(a, { kind: 'stable', stable: true }), 'ValueError', "[sort] `kind` and keyword parameters can't be provided at the same time. Use only one of them.");
  refused(() => np.histogramdd(a, { bins: [1, 2, 3] }), 'ValueError', '[histogramdd] The dimension of bins must be equal to the dimension of the sample x.');
  refused(() => np.histogram2d([1], [2], { range: [[1]] }), 'ValueError', '[histogram2d] range: expected [least, greatest].');
  refused(() => np.fft.fftfreq(4, 1, 'gpu'), 'ValueError', "[fft.fftfreq] device: got 'gpu', expected 'cpu'.");
});

test('null is None', () => {
  const a = np.array([[3, 1], [2, 0]]);
  gives(np.sort(a, { axis: null }), [0, 1, 2, 3]);
  gives(np.sort(a, null), [0, 1, 2, 3]);
  gives(np.sort(a), [[1, 3], [0, 2]]);
  gives(np.argsort(a, null), [3, 1, 2, 0]);
  gives(np.argpartition([3, 1, 2], 0, null).at(0), 1);
  gives(np.sum(a, null, 'float32').dtype.name, 'float32');
  gives(np.sum(a, { axis: null, keepdims: true }), [[6]]);
  gives(np.concatenate([a, a], { axis: null }), [3, 1, 2, 0, 3, 1, 2, 0]);
  gives(np.repeat(a, 2, null), [3, 3, 1, 1, 2, 2, 0, 0]);
});

test('borders and shapes', () => {
  const a = np.array([[1, 2], [3, 4]]);
  gives(np.pad(a, [[1, 0], [0, 2]], { mode: 'edge' }), [[1, 2, 2, 2], [1, 2, 2, 2], [3, 4, 4, 4]]);
  gives(np.pad([1, 2], [1, 2], { constant_values: [7, 9] }), [7, 1, 2, 9, 9]);
  gives(np.pad([1, 2, 3], 2, 'reflect', { reflect_type: 'odd' }), [-1, 0, 1, 2, 3, 4, 5]);
  assert.throws(() => np.pad(a, [[1, 2, 3]]), { name: 'ValueError', message: '[pad] pad_width: expected a number, [before, after], or such a pair for each axis.' });
  assert.throws(() => np.pad(a, 1.5), { name: 'TypeError', message: '[pad] `pad_width` must be of integral type.' });
  gives(np.roll(a, [1, 1], [0, 1]), [[4, 3], [2, 1]]);
  gives(np.rot90(a, { axes: [1, 0] }), [[3, 1], [4, 2]]);
  assert.throws(() => np.rot90(a, 1, [0]), { name: 'ValueError', message: '[rot90] len(axes) must be 2.' });
  gives(np.repeat([1, 2, 3], [2, 0, 1]), [1, 1, 3]);
  gives(np.split(np.arange(5), np.array([2, 3])), [[0, 1], [2], [3, 4]]);
  gives(np.array_split(np.arange(5), 2), [[0, 1, 2], [3, 4]]);
  gives(np.unstack(a, { axis: 1 }), [[1, 3], [2, 4]]);
  gives(np.diagonal(np.arange(8).reshape(2, 2, 2), { axis1: 1, axis2: 2 }), [[0, 3], [4, 7]]);
  gives(np.trace(a, { dtype: 'float32' }), 5);
  gives(np.full([2], { fill_value: 3 }), [3, 3]);
  gives(np.linspace(0, 1, { num: 3, endpoint: true }), [0, 0.5, 1]);
  gives(np.logspace(0, 3, 4, { base: 2 }), [1, 2, 4, 8]);
  gives(np.tri(2, 3, { dtype: 'int32' }), [[1, 0, 0], [1, 1, 0]]);
  gives(np.stack([[1, 2], [3, 4]], { axis: 1, dtype: 'float64' }), [[1, 3], [2, 4]]);
});

test('slopes, differences, interpolation', () => {
  const a = np.array([[1, 2, 4], [0, 3, 9]]);
  gives(np.gradient(a), [[[-1, 1, 5], [-1, 1, 5]], [[1, 1.5, 2], [3, 4.5, 6]]]);
  gives(np.gradient(a, 2, { axis: 1 }), [[0.5, 0.75, 1], [1.5, 2.25, 3]]);
  gives(np.gradient([1, 2, 4, 8], { edge_order: 2 }), [0.5, 1.5, 3, 5]);
  gives(np.gradient([1, 2, 4], [0, 1, 3]), [1, 1, 1]);
  gives(np.gradient(a, [1, 2]), [[[-1, 1, 5], [-1, 1, 5]], [[0.5, 0.75, 1], [1.5, 2.25, 3]]]);
  gives(np.gradient(a, [1, [0, 2, 4]])[1], [[0.5, 0.75, 1], [1.5, 2.25, 3]]);
  gives(np.diff([1, 4, 9], { prepend: 0 }), [1, 3, 5]);
  gives(np.trapezoid([1, 2, 3], [0, 1, 3]), 6.5);
  gives(np.trapezoid([1, 2, 3], { dx: 2 }), 8);
  gives(np.interp([-1, 0.5, 5], [0, 1], [0, 10], { left: -7, right: 7 }), [-7, 5, 7]);
  gives(np.nan_to_num([NaN, Infinity], { nan: 1, posinf: 2 }), [1, 2]);
  gives(np.unwrap([0, 2, 0], { period: 2 }), [0, 0, 0]);
  gives(np.ediff1d([1, 4], { to_end: [9] }), [3, 9]);
  gives(np.cumulative_sum([1, 2], { include_initial: true }), [0, 1, 3]);
});

test('statistics and sets', () => {
  const [counts, edges] = np.histogram([0.1, 0.2, 0.9], { bins: 2, range: [0, 1] });
  gives([counts, edges], [[2, 1], [0, 0.5, 1]]);
  gives(np.histogram([1, 2, 2], [0, 1.5, 3])[0], [1, 2]);
  gives(np.histogram([1, 2, 2, 5], { bins: 'sqrt', density: true })[0], [0.375, 0.125]);
  gives(np.histogram([1, 2], { bins: 2, weights: [3, 4] })[0], [3, 4]);
  assert.throws(() => np.histogram([1], { range: 3 }), { name: 'ValueError', message: '[histogram] range: expected [least, greatest].' });
  gives(np.unique([3, 1, 3], { return_counts: true }), [[1, 3], [1, 2]]);
  gives(np.unique([3, 1, 3], { return_index: true, return_inverse: true }), [[1, 3], [1, 0], [1, 0, 1]]);
  gives(np.unique([[1, 2], [1, 2]], { axis: 0 }), [[1, 2]]);
  gives(np.isin([1, 2], [2], { invert: true }), [true, false]);
  gives(np.intersect1d([1, 3, 5], [5, 1], { return_indices: true }), [[1, 5], [0, 2], [1, 0]]);
  gives(np.average([[1, 2], [3, 4]], { axis: 1, weights: [3, 1], keepdims: true }), [[1.25], [3.25]]);
  gives(np.ptp([[1, 5], [2, 2]], { axis: 1, keepdims: true }), [[4], [0]]);
  gives(np.std([1, 2, 3, 4], { correction: 1 }).multiply(3).multiply(2).round(6), 7.745967);
  gives(np.cov([1, 2, 4], [2, 4, 8], { ddof: 0 }).round(6), [[1.555556, 3.111111], [3.111111, 6.222222]]);
  gives(np.corrcoef([1, 2, 3], [3, 2, 1]), [[1, -1], [-1, 1]]);
  gives(np.searchsorted([3, 1, 2], 2, { sorter: [1, 2, 0] }), 1);
  gives(np.tensordot([[1, 2], [3, 4]], [[1, 2], [3, 4]], [[0], [1]]), [[7, 15], [10, 22]]);
  gives(np.quantile([1, 2, 3, 4], 0.5, { method: 'lower' }), 2);
});

test('what the array API added, and tolerances', async () => {
  const x = np.array([[3, 1], [3, 2]]);
  gives(np.unique_values(x), [1, 2, 3]);
  gives(np.unique_counts(x), [[1, 2, 3], [1, 1, 2]]);
  gives(np.unique_inverse([3, 1, 3]), [[1, 3], [1, 0, 1]]);
  gives(np.unique_all([3, NaN, 3, NaN]), [[3, NaN, NaN], [0, 1, 3], [0, 1, 0, 2], [2, 1, 1]]);
  gives([np.isfortran(x), np.isfortran(x.T)], [false, true]);
  gives(np.linalg.matmul(x, x), [[12, 5], [15, 7]]);
  gives(np.linalg.tensordot(x, x, { axes: [[0], [1]] }), [[12, 15], [5, 7]]);
  await np.linalg.load();
  gives(np.polyfit([0, 1, 2], [1, 3, 7], 2, { w: [1, 2, 1] }).round(9), [1, 1, 1]);
  const flat = np.array([[1, 0], [0, 1e-4]], 'float64');
  gives([np.linalg.matrix_rank(flat), np.linalg.matrix_rank(flat, { rtol: 1e-3 })], [2, 1]);
  gives(np.linalg.pinv(flat, { rtol: 1e-3 }), [[1, 0], [0, 0]]);
});

test('elements in place', () => {
  const a = np.zeros([2, 2], { dtype: 'int64' });
  np.fill_diagonal(a, 5);
  np.put(a, [1], 7);
  gives(a, [[5, 7], [0, 5]]);
  np.putmask(a, a.equal(5), -1);
  gives(a, [[-1, 7], [0, -1]]);
  np.put_along_axis(a, [[0], [0]], 9, 1);
  gives(a, [[9, 7], [9, -1]]);
  const tall = np.zeros([5, 2], { dtype: 'int64' });
  np.fill_diagonal(tall, 1, { wrap: true });
  gives(tall, [[1, 0], [0, 1], [0, 0], [1, 0], [0, 1]]);
  np.copyto(a, [1.5, 2.5], { casting: 'unsafe', where: [true, false] });
  gives(a, [[1, 7], [1, -1]]);
  assert.throws(() => np.copyto(a, [1.5, 2.5]), /Cannot cast array data from dtype\('float64'\) to dtype\('int64'\) according to the rule 'same_kind'/);
  gives(np.sort([3, 1, 2], { descending: true }), [3, 2, 1]);
  gives(np.argsort([3, 1, 3, 2], { descending: true }), [0, 2, 3, 1]);
  gives(np.lexsort([[[3, 1], [2, 4]]], { axis: 0 }), [[1, 0], [0, 1]]);
  gives(np.choose([1, 5], [[1, 2], [3, 4]], { mode: 'clip' }), [3, 4]);
  gives(np.take([1, 2, 3], [5], { mode: 'wrap' }), [3]);
  gives(np.ravel_multi_index([[0, 1], [1, 0]], [2, 2]), [1, 2]);
  gives(np.packbits(np.unpackbits(np.array([7], 'uint8'))), [7]);
  gives(np.polydiv([3, 5, 2], [2, 1]), [[1.5, 1.75], [0.25]]);
});

test('transforms', () => {
  gives(np.fft.ifft(np.fft.fft([1, 2, 3, 4], { norm: 'ortho' }), { norm: 'ortho' }).real().round(12), [1, 2, 3, 4]);
  gives(np.fft.irfft2(np.fft.rfft2([[1, 2], [3, 4]])).round(12), [[1, 2], [3, 4]]);
  gives(np.fft.irfftn(np.fft.rfftn([[1, 2], [3, 4]])).round(12), [[1, 2], [3, 4]]);
  assert.throws(() => np.fft.fft([1], { norm: 'none' }), { name: 'ValueError', message: /norm/ });
});

test('random numbers are NumPy\'s, of all distributions', () => {
  const rng = np.random.default_rng(5);
  gives(rng.gamma(2, 3, 2), [2.4928410781950356, 4.0984645495523155]);
  gives(rng.binomial(10, 0.5, 4), [2, 5, 5, 2]);
  gives(rng.integers(10, { size: 5, endpoint: true, dtype: 'int32' }), [0, 0, 1, 10, 2]);
  gives(rng.choice([1, 2, 3], { size: 4, p: [0.1, 0, 0.9] }), [3, 3, 3, 3]);
  gives(rng.lognormal(0, 0.5), 0.4206023530506513);
  gives(rng.normal({ scale: 2 }), -0.16739238563405162);
  gives(rng.multinomial(5, [0.2, 0.3, 0.5]), [1, 2, 2]);
  gives(rng.triangular(0, 1, 2), 0.348719695337261);
  gives(rng.standard_exponential(2, { dtype: 'float32' }).dtype.name, 'float32');
  assert.throws(() => rng.gamma(-1), { name: 'ValueError', message: '[gamma] shape < 0' });
});

test('order of elements in memory', () => {
  const a = np.arange(6).reshape(2, 3);
  gives(np.reshape(a, [3, 2], 'F'), [[0, 4], [3, 2], [1, 5]]);
  gives(a.reshape(3, 2, { order: 'F' }), [[0, 4], [3, 2], [1, 5]]);
  gives(a.reshape([-1], { order: 'F' }), [0, 3, 1, 4, 2, 5]);
  gives(a.T.reshape([2, 3], { order: 'A' }), [[0, 2, 4], [1, 3, 5]]);
  gives(a.ravel('F'), [0, 3, 1, 4, 2, 5]);
  gives(a.T.ravel({ order: 'K' }), [0, 1, 2, 3, 4, 5]);
  gives(a.T.ravel('A'), [0, 1, 2, 3, 4, 5]);
  gives(a.T.ravel(), [0, 3, 1, 4, 2, 5]);
  gives(a.flatten('f'), [0, 3, 1, 4, 2, 5]);
  for (const made of [np.zeros([2, 3], { order: 'F' }), np.full([2, 3], 7, { order: 'F' }), a.copy('F'), np.array(a, { order: 'F' }), np.asarray(a, { order: 'F' })])
    assert.deepEqual([made.shape, made.strides], [[2, 3], [8, 16]]);
  assert.deepEqual(a.astype('float32', { order: 'F' }).strides, [4, 8]);
  assert.deepEqual(np.asarray(a.T, { order: 'C' }).strides, [16, 8]);
  assert.deepEqual(np.ones([2, 3], { order: 'F' }).add(a).tolist(), [[1, 2, 3], [4, 5, 6]]);
  gives(np.unravel_index([3, 4], [2, 3], 'F'), [[1, 0], [1, 2]]);
  gives(np.ravel_multi_index([[1, 0], [1, 2]], [2, 3], { order: 'F' }), [3, 4]);
  const refused = (run, message) => assert.throws(run, { name: 'ValueError', message });
  refused(() => np.zeros(3, { order: 'x' }), "[zeros] order must be one of 'C', 'F', 'A', or 'K' (got 'x')");
  refused(() => np.zeros(3, { order: 'K' }), "[zeros] only 'C' or 'F' order is permitted");
  refused(() => a.reshape([6], 'K'), "[reshape] order 'K' is not permitted for reshaping");
});

test('a step, a mean', () => {
  gives(np.linspace(0, 1, 5, { retstep: true }), [[0, 0.25, 0.5, 0.75, 1], 0.25]);
  gives(np.linspace(0, 1, 4, false, true)[1], 0.25);
  gives(np.linspace([0, 10], [1, 20], 3, { retstep: true }), [[[0, 10], [0.5, 15], [1, 20]], [0.5, 5]]);
  gives(np.linspace([0, 10], [1, 20], 3, { axis: 1 }), [[0, 0.5, 1], [10, 15, 20]]);
  assert.ok(Number.isNaN(np.linspace(0, 1, 1, { retstep: true })[1]));
  const x = np.array([[1, 2, 4], [3, 5, 9]], 'float64'), mean = x.mean({ axis: 1, keepdims: true });
  gives(np.var(x, { axis: 1, mean }).round(12), [1.555555555556, 6.222222222222]);
  gives(x.std({ axis: 0, mean: [[0, 0, 0]], ddof: 1 }).round(12), [3.162277660168, 5.385164807135, 9.848857801796]);
  gives(np.var(x, { axis: 1, mean, keepdims: true, where: x.less(6) }).round(12), [[1.555555555556], [3.777777777778]]);
  gives(np.var([1, 2, 4], { mean: 1 }).round(12), 3.333333333333);
  gives(np.nanvar([1, NaN, 3], { mean: [1] }), 2);
  gives(np.var(np.arange(4, { dtype: 'float32' }), { mean: 1 }).dtype.name, 'float32');
  const out = np.zeros(2);
  gives(np.var(x, { axis: 1, mean, out }).round(12), [1.555555555556, 6.222222222222]);
  gives(out.round(12), [1.555555555556, 6.222222222222]);
});

test('options of ufuncs', () => {
  const out = np.zeros(3, 'int64');
  gives(np.add([1, 2, 3], 10, { out, where: [true, false, true] }), [11, 0, 13]);
  gives(np.array([1, 4]).sqrt({ dtype: 'float32' }).dtype.name, 'float32');
  gives(np.add(np.array([1, 2]), [3, 4], { dtype: 'float32' }).dtype.name, 'float32');
  gives(np.multiply(2, 3, { dtype: np.int16 }).dtype.name, 'int16');
  gives(np.maximum([1, 5], 3, { out: null }), [3, 5]);
  const f = np.compile((a, b) => np.divide(a, b, { out: np.zeros_like(a), where: b.not_equal(0) }));
  for (let i = 0; i < 3; ++i) gives(f(np.array([1, 2, 3], 'float64'), np.array([2, 0, 4], 'float64')), [0.5, 0, 0.75]);
  assert.throws(() => np.add(np.array([1.5]), np.array([1.5]), { dtype: 'int32' }),
    { name: 'TypeError', message: "Cannot cast ufunc 'add' input 0 from dtype('float64') to dtype('int32') with casting rule 'same_kind'" });
  assert.throws(() => np.add(1, 2, { to: 3 }),
    { name: 'TypeError', message: "[add] unexpected option 'to', expected one of out, where, dtype." });
});

test('matrix products of all shapes', () => {
  const whole = (rows, columns, by) => np.arange(rows * columns).multiply(by).add(1).remainder(7).reshape(rows, columns);
  const places = [[1, 1, 1], [5, 1, 9], [1, 7, 13], [4, 8, 3], [9, 17, 300], [64, 1, 70], [1, 33, 65], [67, 9, 5]];
  for (const dtype of ['float32', 'float64'])
    for (const [m, n, k] of places) {
      const a = whole(m, k, 3), b = whole(k, n, 5), exact = np.matmul(a, b);
      for (const [x, y] of [[a, b], [a.T.copy().T, b], [a, b.T.copy().T], [a.T.copy().T, b.T.copy().T]])
        gives(np.matmul(x.astype(dtype, { order: 'K' }), y.astype(dtype, { order: 'K' })).astype('int64'), exact.tolist());
    }
});
