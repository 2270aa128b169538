// np.linalg with the part of the package that has LAPACK's routines: decompositions multiply back, all dtypes, errors in
// NumPy's words, with threads and without.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

const { load } = await import(new URL('numjit.js', pathToFileURL(`${process.env.NUMJIT_PACKAGE}/`)));
const np = await load();
const dtypes = ['float32', 'float64', 'complex64', 'complex128'];

/** Normal numbers of a dtype. */
function draw(shape, dtype, seed = 7) {
  const rng = np.random.default_rng(seed), real = rng.standard_normal(shape);
  if (!dtype.startsWith('complex')) return real.astype(dtype);
  return real.add(rng.standard_normal(shape).multiply(np.complex(0, 1))).astype(dtype);
}
const adjoint = (a) => np.swapaxes(a, -1, -2).conjugate();
function near(got, wanted, what) {
  const single = /float32|complex64/.test(got.dtype.name);
  const size = 1 + np.absolute(wanted).max().item(), off = np.absolute(got.subtract(wanted)).max().item();
  assert.ok(off < (single ? 2e-4 : 1e-11) * size, `${what} ${got.dtype}: off by ${off} of ${size}`);
}

test('what needs LAPACK says so until it is loaded', () => {
  assert.throws(() => np.linalg.inv(np.eye(2)), { message: 'numjit: this function of np.linalg is in a part of the package that is loaded when wanted: await np.linalg.load() first.' });
  assert.equal(np.linalg.norm(np.array([3, 4])).item(), 5);
  assert.deepEqual(np.linalg.matrix_power(np.array([[1, 1], [1, 0]]), 10).tolist(), [[89, 55], [55, 34]]);
});

test('solve, inv, det, slogdet', async () => {
  await np.linalg.load();
  assert.deepEqual(np.linalg.solve(np.array([[3, 1], [1, 2]]), np.array([9, 8])).tolist(), [2, 3]);
  for (const dtype of dtypes) {
    for (const n of [1, 2, 5, 33, 100]) {
      const a = draw([n, n], dtype), b = draw([n, 3], dtype, 8), x = np.linalg.solve(a, b);
      assert.equal(x.dtype.name, dtype);
      near(np.matmul(a, x), b, `solve ${n}`);
      near(np.matmul(np.linalg.inv(a), a), np.eye(n).astype(dtype), `inv ${n}`);
      const [sign, log] = np.linalg.slogdet(a);
      if (n <= 5) near(sign.multiply(np.exp(log)), np.linalg.det(a), `slogdet ${n}`);
    }
    const stack = draw([4, 3, 3], dtype);
    near(np.matmul(np.linalg.inv(stack), stack), np.broadcast_to(np.eye(3).astype(dtype), [4, 3, 3]), 'inv of a stack');
  }
  assert.ok(Math.abs(np.linalg.det(np.array([[1, 2], [3, 4]])).item() + 2) < 1e-12);
  assert.throws(() => np.linalg.inv(np.zeros([2, 2])), { name: 'LinAlgError', message: /Singular matrix/ });
  assert.equal(np.linalg.det(np.zeros([2, 2])).item(), 0);
});

test('cholesky and qr', () => {
  for (const dtype of dtypes) {
    for (const [m, n] of [[1, 1], [4, 4], [40, 40], [7, 3], [3, 7], [65, 20]]) {
      const a = draw([m, n], dtype), [q, r] = np.linalg.qr(a);
      near(np.matmul(q, r), a, `qr ${m}x${n}`);
      near(np.matmul(adjoint(q), q), np.eye(Math.min(m, n)).astype(dtype), `q ${m}x${n}`);
      const [whole] = np.linalg.qr(a, { mode: 'complete' });
      near(np.matmul(adjoint(whole), whole), np.eye(m).astype(dtype), `complete q ${m}x${n}`);
      near(np.linalg.qr(a, 'r'), r, 'r alone');
      if (m !== n) continue;
      const positive = np.matmul(a, adjoint(a)).add(np.eye(n).multiply(n).astype(dtype));
      const l = np.linalg.cholesky(positive), u = np.linalg.cholesky(positive, { upper: true });
      near(np.matmul(l, adjoint(l)), positive, `cholesky ${n}`);
      near(np.matmul(adjoint(u), u), positive, `upper cholesky ${n}`);
    }
  }
  assert.throws(() => np.linalg.cholesky(np.array([[1, 2], [2, 1]])), { name: 'LinAlgError', message: /not positive definite/ });
  assert.throws(() => np.linalg.cholesky(np.array([[np.nan]])), { name: 'LinAlgError', message: /not positive definite/ });
});

test('svd, lstsq, pinv, rank', () => {
  for (const dtype of dtypes) {
    for (const [m, n] of [[1, 1], [3, 3], [6, 2], [2, 6], [50, 50], [80, 31]]) {
      const a = draw([m, n], dtype), k = Math.min(m, n);
      const [u, s, vh] = np.linalg.svd(a, { full_matrices: false });
      near(np.matmul(u.multiply(s), vh), a, `svd ${m}x${n}`);
      near(np.matmul(adjoint(u), u), np.eye(k).astype(dtype), `u ${m}x${n}`);
      near(np.matmul(vh, adjoint(vh)), np.eye(k).astype(dtype), `vh ${m}x${n}`);
      const values = s.tolist();
      assert.ok(values.every((v, i) => v >= 0 && (i === 0 || v <= values[i - 1])), 'values fall');
      near(np.linalg.svdvals(a), s, 'values alone');
      const [whole, , right] = np.linalg.svd(a);
      near(np.matmul(adjoint(whole), whole), np.eye(m).astype(dtype), `full u ${m}x${n}`);
      near(np.matmul(right, adjoint(right)), np.eye(n).astype(dtype), `full vh ${m}x${n}`);
      near(np.matmul(np.matmul(a, np.linalg.pinv(a)), a), a, `pinv ${m}x${n}`);
      const b = draw([m, 2], dtype, 9), [x, residuals, rank] = np.linalg.lstsq(a, b);
      assert.equal(rank, k);
      const normal = np.matmul(adjoint(a), np.matmul(a, x).subtract(b));
      near(normal, np.zeros(normal.shape).astype(dtype), `lstsq ${m}x${n}`);
      if (m > n) near(residuals, np.square(np.absolute(np.matmul(a, x).subtract(b))).sum({ axis: 0 }), 'residuals');
    }
  }
  const low = np.matmul(draw([9, 2], 'float64'), draw([2, 7], 'float64'));
  assert.equal(np.linalg.matrix_rank(low).item(), 2);
  assert.deepEqual(np.linalg.svdvals(np.zeros([3, 2])).tolist(), [0, 0]);
  for (const scale of [1e-300, 1e300]) near(np.linalg.svdvals(np.eye(3).multiply(scale)).divide(scale), np.ones([3]), `scale ${scale}`);
  const graded = np.diag(np.array([1, 1e-5, 1e-10, 0, 0])), values = np.linalg.svdvals(graded).tolist();
  [1, 1e-5, 1e-10, 0, 0].forEach((v, i) => assert.ok(Math.abs(values[i] - v) < 1e-20 + 1e-12 * v));
  assert.throws(() => np.linalg.svd(np.array([[np.nan, 1], [1, 2]])), { name: 'LinAlgError', message: /SVD did not converge/ });
});

test('eigenvalues', () => {
  for (const dtype of dtypes) {
    for (const n of [1, 2, 6, 40]) {
      const a = draw([n, n], dtype), symmetric = a.add(adjoint(a));
      for (const half of ['L', 'U']) {
        const [w, v] = np.linalg.eigh(symmetric, half);
        near(np.matmul(symmetric, v), v.multiply(w), `eigh ${n}`);
        near(np.matmul(adjoint(v), v), np.eye(n).astype(dtype), `eigh's vectors ${n}`);
        near(np.linalg.eigvalsh(symmetric, half), w, 'eigvalsh');
        assert.deepEqual(w.tolist(), w.tolist().sort((x, y) => x - y));
      }
      const [w, v] = np.linalg.eig(a);
      near(np.matmul(a.astype(v.dtype), v), v.multiply(w), `eig ${n}`);
      near(np.square(np.absolute(v)).sum({ axis: 0 }), np.ones([n]).astype(dtype === 'float32' || dtype === 'complex64' ? 'float32' : 'float64'), 'length 1');
      near(np.linalg.eigvals(a).sum(), np.linalg.trace(a).astype(w.dtype), `trace ${n}`);
    }
  }
  assert.deepEqual(np.linalg.eigvals(np.array([[2, 0], [0, 3]])).tolist(), [2, 3]);
  const [w] = np.linalg.eig(np.array([[0, -1], [1, 0]]));
  assert.deepEqual(w.tolist().map((v) => [v.re, v.im]), [[0, 1], [0, -1]]);
});

test('in compiled functions, and over shared memory', async (t) => {
  const f = np.compile((a, b) => np.linalg.solve(a, b).multiply(2).sum());
  const a = draw([5, 5], 'float64'), b = draw([5], 'float64');
  assert.equal(f(a, b).item(), np.linalg.solve(a, b).multiply(2).sum().item());
  const shared = await load({ threads: 2 });
  t.after(() => shared.threads.stop());
  await shared.linalg.load();
  assert.deepEqual(shared.linalg.solve(shared.array([[3, 1], [1, 2]]), shared.array([9, 8])).tolist(), [2, 3]);
  const scalar = await load({ build: 'scalar' });
  await scalar.linalg.load();
  assert.deepEqual(scalar.linalg.solve(scalar.array([[3, 1], [1, 2]]), scalar.array([9, 8])).tolist(), [2, 3]);
});
