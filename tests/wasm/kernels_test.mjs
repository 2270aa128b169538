// Kernels made in the page: compiled functions give the bits of eager ones, and what has no kernel is listed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { bytes, functions, layouts } from './programs.mjs';

const { load } = await import(new URL('numjit.js', pathToFileURL(`${process.env.NUMJIT_PACKAGE}/`)));

/** Values that what is short for a comparison, or a sum in another order, would get wrong: NaN of several kinds, zeros, infinities. */
function specialValues(dtype, count) {
  const Kind = { float32: Float32Array, float64: Float64Array, int8: Int8Array, uint16: Uint16Array, int32: Int32Array, int64: BigInt64Array }[dtype];
  const values = new Kind(count);
  let state = 7;
  for (let i = 0; i < count; ++i) {
    state = Math.imul(state, 1664525) + 1013904223 | 0;
    const number = (state >> 8) / 65536;
    values[i] = dtype === 'int64' ? BigInt(state >> 8) : number;
    if (!dtype.startsWith('float')) continue;
    const special = [0, -0, Infinity, -Infinity, NaN, 1e-40, -150, 150][(state >>> 20) & 127];
    if (special !== undefined) values[i] = special;
  }
  if (dtype === 'float32') {
    const words = new Uint32Array(values.buffer);
    for (let i = 0; i < count; ++i) if (Number.isNaN(values[i])) words[i] = 0x7fc00000 + (i & 0xffff) + (i & 1 ? 0x80000000 : 0);
  }
  return values;
}

// The scalar build computes one element at a time, and folds lanes in memory: none of the short cuts of vectors are in it.
test('kernels of vectors give the bits of those of single elements', async () => {
  const [simd, scalar] = await Promise.all(['simd', 'scalar'].map((build) => load({ fresh: true, build })));
  const reductions = ['sum', 'prod', 'max', 'min', 'argmax', 'argmin', 'any', 'all'];
  const chains = {
    exp: (np, x) => np.exp(x), expm1: (np, x) => np.expm1(x), tanh: (np, x) => np.tanh(x), clip: (np, x) => np.clip(x, -2.5, 100),
    less: (np, x, y) => np.where(x.less(y), x, y), more: (np, x, y) => np.where(x.less(y), y, x),
    softmax: (np, x) => {
      const e = np.exp(x.subtract(x.max({ axis: 1, keepdims: true })));
      return e.divide(e.sum({ axis: 1, keepdims: true }));
    },
  };
  for (const dtype of ['float32', 'float64', 'int8', 'uint16', 'int32', 'int64']) {
    for (const columns of [1, 2, 3, 4, 5, 7, 8, 15, 31, 32, 33, 36, 63, 64, 67, 100, 127, 129, 1100]) {
      const values = specialValues(dtype, 5 * columns), others = values.slice().reverse();
      const results = [simd, scalar].map((np) => np.tidy(() => {
        const x = np.array(values).reshape(5, columns), y = np.array(others).reshape(5, columns), found = {};
        for (const name of reductions) {
          for (const layout of [x, x.at(':, ::-1')]) found[`${name} ${layout === x}`] = bytes(layout[name]({ axis: 1 }));
        }
        if (dtype.startsWith('float')) for (const [name, body] of Object.entries(chains)) found[name] = bytes(body(np, x, y));
        return found;
      }));
      assert.deepEqual(results[0], results[1], `${dtype}, rows of ${columns}`);
    }
  }
});

// What is left of a row is a step of its own there, in scratch memory.
test('chains of operations give the eager bits for rows of all lengths', async () => {
  const np = await load({ fresh: true, build: 'simd' });
  const chain = (a, b, rounds) => {
    let x = a;
    for (let i = 0; i < rounds; ++i) x = x.multiply(x).multiply(0.25).add(b).subtract(x.multiply(0.5)).add(0.125);
    return x;
  };
  const bodies = {
    one: (a, b) => chain(a, b, 16),
    two: (a, b) => [chain(a, b, 12), chain(b, a, 12)],
    counted: (a, b) => chain(a, b, 14).add(chain(b, a, 14).less(0.5)),
    exp: (a, b) => np.exp(np.tanh(chain(a, b, 8))),
    in_place: (a, b) => {
      const u = a.copy();
      u.iadd(chain(u, b, 14));
      u.at('..., ::2').set(chain(u.at('..., ::2'), b.at('..., ::2'), 14));
      return u;
    },
  };
  const listed = (result) => (Array.isArray(result) ? result : [result]).map(bytes).join();
  for (const dtype of ['float32', 'float64', 'complex64', 'int32', 'int8'])
    for (const [rows, columns] of [[1, 1], [1, 3], [1, 16], [1, 37], [5, 2], [4, 7], [3, 8], [6, 10], [2, 15], [3, 17], [2, 33], [1, 100]]) {
      const x = np.linspace(-1, 1, 2 * rows * columns).reshape(rows, 2 * columns), real = dtype.startsWith('float');
      const whole = (dtype.startsWith('int') ? x.multiply(50) : x).astype(dtype), y = whole.at(':, ::-1');
      const pairs = [[whole.at(`:, :${columns}`).copy(), y.at(`:, ${columns}:`).copy()], [whole.at(':, ::2'), y.at(':, 1::2')],
        [whole.at(`:, :${columns}`), y.at('0, 0')], [whole.at(':, :1').copy(), y.at(`:1, :${columns}`).copy()]];
      for (const [a, b] of pairs)
        for (const [name, body] of Object.entries(bodies)) {
          if ((name === 'exp' && !real) || (name === 'counted' && dtype === 'complex64') || (name === 'in_place' && (!real || b.ndim < 2 || b.size !== a.size))) continue;
          const compiled = np.compile((p, q) => body(p, q), { name, fullgraph: true }), expected = np.tidy(() => listed(body(a, b)));
          for (let run = 0; run < 2; ++run) assert.equal(np.tidy(() => listed(compiled(a, b))), expected, `${name} ${dtype} ${rows}x${columns}`);
        }
    }
});

for (const build of ['simd', 'scalar']) {
  test(`${build}: compiled functions give the eager bits`, async () => {
    const np = await load({ fresh: true, build });
    for (const dtype of ['float32', 'float64']) {
      for (const [rows, columns] of [[1, 1], [3, 5], [7, 37], [40, 130]]) {
        for (const [a, b] of layouts(np, rows, columns, dtype)) {
          for (const [name, body] of Object.entries(functions)) {
            const compiled = np.compile((p, q) => body(np, p, q), { name });
            const expected = bytes(body(np, a, b));
            for (let run = 0; run < 2; ++run) assert.equal(bytes(compiled(a, b)), expected, `${name} ${dtype} ${rows}x${columns}`);
          }
        }
      }
    }
    assert.deepEqual(np.missingKernels(), []);
  });

  test(`${build}: what has no kernel is right, and listed`, async () => {
    const np = await load({ fresh: true, build });
    const x = np.linspace(0, 1, 60).reshape(20, 3);
    const body = (a) => np.exp(a.multiply(np.float(3))).sum({ axis: 0 });
    const expected = bytes(body(x));  // what runs operation by operation is made of kernels, too
    const { Module } = WebAssembly, { warn } = console;
    const warnings = [];
    try {
      WebAssembly.Module = class { constructor() { throw new RangeError('out of memory'); } };
      console.warn = (text) => warnings.push(text);
      assert.equal(bytes(np.compile(body, { name: 'sums' })(x)), expected);
    } finally {
      WebAssembly.Module = Module;
      console.warn = warn;
    }
    const [missing, ...others] = np.missingKernels();
    assert.deepEqual(others, []);
    assert.equal(missing.kind, 'panel');
    assert.deepEqual(missing.ops, ['multiply', 'exp', 'sum']);
    assert.match(missing.hint, /this machine refuses the module of kernel nj_[0-9a-f]{16}$/);
    assert.deepEqual(warnings, ['numjit: RangeError: out of memory']);
  });
}

// Mandelbrot's rounds: what a round makes is alive until the call ends, or the tidy around it.
test('long bodies are one graph, and rounds that tidy up one kernel', async () => {
  const np = await load({ fresh: true });
  const re = np.linspace(-2, 1, 60), im = np.linspace(-1, 1, 40).reshape(40, 1);
  const round = (zr, zi, count) => {
    const rr = zr.multiply(zr), ii = zi.multiply(zi), inside = rr.add(ii).less(np.float(4));
    return [np.where(inside, rr.subtract(ii).add(re), zr), np.where(inside, zr.multiply(zi).multiply(np.float(2)).add(im), zi), count.add(inside)];
  };
  const begin = () => [0, 0, 0].map(() => np.zeros([40, 60]));
  const kept = () => {
    let state = begin();
    for (let i = 0; i < 100; ++i) state = round(...state);
    return state[2];
  };
  const tidied = () => {
    let state = begin();
    for (let i = 0; i < 100; ++i) state = np.tidy(() => round(...state));
    return state[2];
  };
  const expected = bytes(np.tidy(kept));
  for (const body of [kept, tidied]) {
    const f = np.compile(body, { name: 'f' });
    for (let i = 0; i < 3; ++i) assert.equal(bytes(f()), expected);
    const report = np.explain(f);
    assert.equal(report.graph_break_count, 0);
    if (body === kept) assert.equal(report.graph_count, 1);
    else assert.ok(report.graph_count > 1 && report.graph_count <= 5 && report.cuts > 4, `${report.graph_count} graphs, ${report.cuts} cuts`);
  }
  // Past the limit of graphs it is cut, and told.
  const endless = np.compile((x) => {
    let y = x;
    for (let i = 0; i < 10_500; ++i) y = y.multiply(np.float(0.5)).add(x);
    return y;
  }, { name: 'endless' });
  assert.ok(Math.abs(endless(np.ones(2)).at(0).item() - 2) < 1e-12);
  assert.match(String(np.explain(endless, np.ones(2))), /the graph became long, and most of its values are kept, so that they are stored\. Hint: drop those that are not needed; in a page, by np\.tidy around each round/);
});
