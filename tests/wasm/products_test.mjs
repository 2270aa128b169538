// Matrix products against plain loops: awkward sizes, all dtypes, views, stacks, vectors; fused multiplication and addition
// where the machine has it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

const { load } = await import(new URL('numjit.js', pathToFileURL(`${process.env.NUMJIT_PACKAGE}/`)));
const dtypes = ['float32', 'float64', 'complex64', 'complex128', 'float16', 'int8', 'uint16', 'int32', 'int64', 'bool'];
const awkward = [1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 63, 64, 65];

/** Small whole numbers, whose sums of products are exact in every dtype, so that the order of sums shows nowhere. */
function whole(np, shape, dtype, seed) {
  const n = shape.reduce((x, y) => x * y, 1);
  let state = seed;
  const next = (below) => {
    state = Math.imul(state, 1664525) + 1013904223 | 0;
    return (state >>> 16) % below;
  };
  if (dtype === 'bool') return np.array(Array.from({ length: n }, () => next(3) === 0)).reshape(shape);
  const low = dtype.startsWith('u') ? 0 : -2, values = () => Float64Array.from({ length: n }, () => next(4) + low);
  const real = np.array(values());
  return (dtype.startsWith('complex') ? real.add(np.array(values()).multiply(np.complex(0, 1))) : real).astype(dtype).reshape(shape);
}

/** Real and imaginary parts, row by row. */
function parts(np, a) {
  const flat = np.ravel(a), of = (x) => [...x.astype('float64').toTypedArray()];
  return a.dtype.name.startsWith('complex') ? [of(np.real(flat)), of(np.imag(flat))] : [of(flat), null];
}

/** Does c hold a b, of m x k and k x n? By loops; mod 2^8 and the like for narrow integers, "any of the ands" for bool. */
function check(np, a, b, c, m, k, n, what) {
  const [[ar, ai], [br, bi], [cr, ci]] = [parts(np, a), parts(np, b), parts(np, c)];
  const name = c.dtype.name, narrow = { int8: (v) => v << 24 >> 24, uint16: (v) => v & 0xffff, bool: (v) => Number(v > 0) }[name] ?? ((v) => v);
  assert.equal(cr.length, m * n, what);
  for (let i = 0; i < m; ++i) {
    for (let j = 0; j < n; ++j) {
      let re = 0, im = 0;
      for (let l = 0; l < k; ++l) {
        const x = i * k + l, y = l * n + j;
        re += ar[x] * br[y] - (ai ? ai[x] * bi[y] : 0);
        if (ai) im += ar[x] * bi[y] + ai[x] * br[y];
      }
      if (cr[i * n + j] !== narrow(re) || (ci && ci[i * n + j] !== im)) assert.fail(`${what} at ${i}, ${j}: got ${cr[i * n + j]}, expected ${narrow(re)}`);
    }
  }
}

for (const build of ['simd', 'scalar']) {
  test(`products of ${build} are those of plain loops`, async () => {
    const np = await load({ fresh: true, build, threads: 1 });
    let seed = 1;
    for (const dtype of dtypes) {
      for (const n of awkward) {
        const [m, k] = [awkward[(3 * n + seed) % awkward.length], awkward[(5 * n + 2 * seed) % awkward.length]];
        for (const [rows, depth, columns] of [[n, n, n], [m, k, n], [n, m, k], [k, n, m]]) {
          const a = whole(np, [rows, depth], dtype, ++seed), b = whole(np, [depth, columns], dtype, ++seed);
          const at = whole(np, [depth, rows], dtype, ++seed).T, bt = whole(np, [columns, depth], dtype, ++seed).T;
          for (const [x, y] of [[a, b], [at, b], [a, bt], [at, bt]])
            np.tidy(() => { check(np, x, y, np.matmul(x, y), rows, depth, columns, `${dtype} ${rows}x${depth}x${columns}`); });
        }
      }
    }
  });

  test(`long depths and large sides of ${build}`, async () => {
    const np = await load({ fresh: true, build, threads: 1 });
    const sizes = [[3, 255, 5], [8, 256, 8], [5, 257, 9], [130, 600, 12], [255, 33, 257], [257, 300, 65], [1, 700, 70], [70, 700, 1], [2, 513, 300]];
    for (const dtype of ['float32', 'float64', 'complex64', 'complex128']) {
      for (const [m, k, n] of sizes) {
        np.tidy(() => {
          const a = whole(np, [m, k], dtype, m), b = whole(np, [k, n], dtype, n), turned = a.T.copy().T;
          const inside = np.zeros([k, n + 3], { dtype }).at(':', `1:${n + 1}`); // rows that do not follow each other
          inside.set(b);
          for (const [x, y] of [[a, b], [turned, b], [a, inside], [turned, b.T.copy().T]])
            check(np, x, y, np.matmul(x, y), m, k, n, `${dtype} ${m}x${k}x${n}`);
        });
      }
    }
  });

  test(`stacks, vectors, out and steps of ${build}`, async () => {
    const np = await load({ fresh: true, build, threads: 1 });
    for (const dtype of ['float32', 'float64', 'complex64']) {
      const a = whole(np, [5, 9, 33], dtype, 3), b = whole(np, [5, 33, 17], dtype, 4), c = np.matmul(a, b);
      for (let i = 0; i < 5; ++i) check(np, a.at(i), b.at(i), c.at(i), 9, 33, 17, `${dtype}, matrix ${i} of a stack`);
      const one = np.matmul(a, b.at(0));
      check(np, a.at(4), b.at(0), one.at(4), 9, 33, 17, `${dtype}, a stack times one matrix`);
      const steps = a.at('0, ::2, ::-3'), right = whole(np, [11, 7], dtype, 5);
      check(np, steps, right, np.matmul(steps, right), 5, 11, 7, `${dtype}, every second row and third column`);
      const out = np.zeros([9, 17], { dtype });
      np.matmul(a.at(1), b.at(1), { out });
      check(np, a.at(1), b.at(1), out, 9, 33, 17, `${dtype}, into an array`);
      const v = whole(np, [33], dtype, 6);
      check(np, a.at(2), v, np.matmul(a.at(2), v), 9, 33, 1, `${dtype}, a matrix times a vector`);
      check(np, v, b.at(2), np.matmul(v, b.at(2)), 1, 33, 17, `${dtype}, a vector times a matrix`);
      check(np, v.at('::2'), b.at('2, ::2'), np.matmul(v.at('::2'), b.at('2, ::2')), 1, 17, 17, `${dtype}, the same by steps`);
    }
  });

  test(`what is not finite stays in its rows and columns: ${build}`, async () => {
    const np = await load({ fresh: true, build, threads: 1 });
    for (const n of [3, 9, 50]) {
      const a = np.ones([n, n]), b = np.ones([n, n]);
      a.set(Infinity, n - 1, n - 1);
      b.set(NaN, 0, 1);
      const c = np.matmul(a, b).tolist();
      for (let i = 0; i < n; ++i)
        for (let j = 0; j < n; ++j) assert.ok(Object.is(c[i][j], j === 1 ? NaN : i === n - 1 ? Infinity : n), `${n}: ${i}, ${j}: ${c[i][j]}`);
    }
  });
}

/** f32x4.relaxed_madd of three zeros. */
const relaxed = WebAssembly.validate(new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 19, 1, 17, 0, 65, 0, 253, 15, 65, 0, 253, 15, 65, 0, 253, 15, 253, 133, 2, 11,
]));
test('products multiply and add at once where the machine can', async () => {
  const np = await load({ fresh: true, build: 'simd', threads: 1 });
  for (const [dtype, bits] of [['float32', 13], ['float64', 27]]) {
    // -(1 + 2e) + (1 + e)^2 is e^2 where the square is not rounded before.
    const e = 2 ** -bits, product = (n) => {
      const a = np.zeros([n, n], { dtype }), b = np.zeros([n, n], { dtype });
      a.set(-1 - 2 * e, ':', 0);
      a.set(1 + e, ':', 1);
      b.set(1, 0);
      b.set(1 + e, 1);
      return np.matmul(a, b);
    };
    const large = product(40);
    assert.equal(large.at(39, 39).item(), large.at(0, 0).item());
    if (relaxed) assert.equal(large.at(0, 0).item(), e * e); // machines without such instructions of their own round twice
    else assert.equal(large.at(0, 0).item(), 0);
    assert.equal(product(8).at(0, 0).item(), 0); // too small for the kernel that is made in the page
  }
});
