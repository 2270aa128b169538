// Kernels made in the page: compiled functions give the bits of eager ones, and what has no kernel is listed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { bytes, functions, layouts } from './programs.mjs';

const { load } = await import(new URL('numjit.js', pathToFileURL(`${process.env.NUMJIT_PACKAGE}/`)));

for (const build of ['simd', 'scalar']) {
  test(`${build}: compiled functions give the eager bits`, async () => {
    const np = await load({ build });
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
