// Kernels made in the page: compiled functions give the bits of eager ones, and what has no kernel is listed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

const { load } = await import(new URL('numjit.js', pathToFileURL(`${process.env.NUMJIT_PACKAGE}/`)));

/** The elements' bytes. */
const bytes = (a) => {
  const copy = a.copy();
  return Buffer.from(copy.data.buffer, copy.data.byteOffset, copy.data.byteLength).toString('hex');
};

const functions = {
  chain: (np, x, y) => x.multiply(y).add(x).subtract(np.float(2)).maximum(y),
  mathematics: (np, x, y) => np.exp(np.sin(x)).add(np.log(np.absolute(y).add(np.float(1)))).multiply(np.tanh(x)),
  wide_angles: (np, x, y) => np.cos(x.multiply(np.float(1e7))).add(np.tan(y)),
  power: (np, x, y) => np.power(np.absolute(x), y),
  selected: (np, x, y) => np.where(x.greater(y), x, y.negative()),
  integers: (np, x, y) => x.astype('int64').floor_divide(3).add(y.astype('int32').multiply(7)).astype('uint8'),
  complex: (np, x, y) => x.multiply(np.complex(0, 1)).add(y).multiply(x).conjugate(),
  halves: (np, x, y) => x.astype('float16').multiply(y.astype('float16')).add(x.astype('float16')),
  sum: (np, x, y) => x.multiply(y).sum(),
  rows: (np, x, y) => np.exp(x.subtract(y)).sum({ axis: 1 }),
  columns: (np, x, y) => x.subtract(y).multiply(x).mean({ axis: 0 }),
  extremes: (np, x, y) => x.max({ axis: 1 }).subtract(y.min({ axis: 1 })),
  places: (np, x, y) => x.add(y).argmax({ axis: 1 }),
  columns_places: (np, x, y) => x.add(y).argmin({ axis: 0 }),
  softmax: (np, x) => { const e = np.exp(x.subtract(x.max({ axis: 1, keepdims: true }))); return e.divide(e.sum({ axis: 1, keepdims: true })); },
  products: (np, x, y) => x.add(y.multiply(np.complex(0, 1))).prod({ axis: 1 }),
  nearest: (np, x, y) => x.reshape(-1, 1, 1).subtract(y.at(0).reshape(1, -1, 1)).square().sum({ axis: 2 }).argmin({ axis: 1 }),
};

for (const build of ['simd', 'scalar']) {
  test(`${build}: compiled functions give the eager bits`, async () => {
    const np = await load({ build });
    for (const dtype of ['float32', 'float64']) {
      for (const [rows, columns] of [[1, 1], [3, 5], [7, 37], [40, 130]]) {
        const count = rows * columns;
        const x = np.linspace(-3, 4, count, { dtype }).reshape(rows, columns);
        const y = np.linspace(2, -5, count, { dtype }).reshape(rows, columns);
        const layouts = [[x, y], [x, y.at('::-1')], [np.transpose(np.transpose(x).copy()), y], [x, y.at(np.slice(0, 1))]];
        for (const [a, b] of layouts) {
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
    const np = await load({ build });
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
