// Threads: the same bits as one thread has, in compiled functions, packs and products, while memory grows; and none
// where there can be none.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { buildPack, skip } from './native.mjs';
import { bytes, functions, layouts } from './programs.mjs';

const { load } = await import(new URL('numjit.js', pathToFileURL(`${process.env.NUMJIT_PACKAGE}/`)));

/** With all of its threads at work. */
async function loadThreads(t, threads) {
  const np = await load({ fresh: true, threads });
  t.after(() => np.threads.stop());
  for (let waited = 0; np.threads.running < threads; ++waited) {
    assert.ok(waited < 1000, `${np.threads.running} of ${threads} threads started`);
    await new Promise((resolve) => { setTimeout(resolve, 10); });
  }
  return np;
}

/** Runs every function on large arrays, twice each: [what, the result's bytes] in order. */
function runAll(np, dtypes = ['float32', 'float64'], sizes = [[300, 1100], [3, 100000], [40000, 5]]) {
  const results = [];
  for (const dtype of dtypes) {
    for (const [rows, columns] of sizes) {
      for (const [a, b] of layouts(np, rows, columns, dtype)) {
        for (const [name, body] of Object.entries(functions)) {
          if (name === 'nearest' && rows * columns > 100000) continue;
          const compiled = np.compile((p, q) => body(np, p, q), { name });
          compiled(a, b).dispose();
          const result = compiled(a, b);
          results.push([`${name} ${dtype} ${rows}x${columns}`, bytes(result)]);
          result.dispose();
        }
      }
    }
  }
  return results;
}

const heat = (np, u) => u.at('1:-1, 1:-1').set(u.at('1:-1, :-2').add(u.at('1:-1, 2:')).add(u.at(':-2, 1:-1')).add(u.at('2:, 1:-1')).multiply(np.float(0.25)));

test('threads change no bit', async (t) => {
  const one = await load({ fresh: true, threads: 1 }), many = await loadThreads(t, 3);
  assert.deepEqual([one.threads.count, many.threads.count, many.threads.running, many.build], [1, 3, 3, 'simd']);
  const expected = runAll(one), got = runAll(many);
  assert.equal(got.length, expected.length);
  for (const [i, [what, text]] of got.entries()) assert.ok(text === expected[i][1], `${what} differs`);
  assert.ok(many.threads.shared > 100, `${many.threads.shared} runs were shared`);
  assert.equal(one.threads.shared, 0);

  for (const dtype of ['float32', 'float64', 'complex128']) {
    const product = (np) => np.tidy(() => {
      const a = np.linspace(-1, 2, 300 * 400).reshape(300, 400).astype(dtype);
      return bytes(np.matmul(a, a.T));
    });
    assert.ok(product(many) === product(one), `matmul of ${dtype} differs`);
    const stack = (np) => np.tidy(() => {
      const a = np.linspace(-1, 2, 500 * 40 * 30).astype(dtype).reshape(500, 40, 30), b = a.reshape(500, 30, 40), v = b.at('0, 0');
      return [np.matmul(a, b), np.matmul(np.swapaxes(a, -1, -2), np.swapaxes(b, -1, -2)), np.matmul(a, a.at(3).T), np.matmul(v, a.reshape(40, 15000))]
        .map(bytes).join();
    });
    const before = many.threads.shared, of = stack(many);
    assert.ok(of === stack(one), `a stack of products of ${dtype} differs`);
    assert.ok(many.threads.shared >= before + 2, `${many.threads.shared - before} stacks were shared`);
  }
  const steps = (np) => {
    const u = np.linspace(0, 1, 512 * 512).reshape(512, 512), step = np.compile((v) => heat(np, v), { name: 'heat' });
    for (let i = 0; i < 50; ++i) step(u);
    return bytes(u);
  };
  assert.ok(steps(many) === steps(one), 'a store in place differs');
});

test('calls outside of compiled functions are shared, too', async (t) => {
  const one = await load({ fresh: true, threads: 1 }), many = await loadThreads(t, 3);
  const calls = {
    exp: (np, x) => np.exp(x), add: (np, x) => x.add(x), scalar: (np, x) => x.multiply(2).add(1), columns: (np, x) => x.sum({ axis: 0 }),
    rows: (np, x) => x.mean({ axis: 1 }), all: (np, x) => x.sum(), widest: (np, x) => np.max(x), where: (np, x) => np.argmax(x), whereRows: (np, x) => np.argmin(x, { axis: 1 }),
    flat: (np, x) => np.sum(np.ravel(x).at('::3')), back: (np, x) => np.sqrt(np.absolute(x.at('::-1'))), inPlace: (np, x) => x.copy().iadd(x),
    wide: (np, x) => np.isfinite(x), cast: (np, x) => x.astype('int16').astype('float64'),
  };
  for (const dtype of ['float32', 'float64', 'int32', 'complex64', 'float16']) {
    for (const [name, call] of Object.entries(calls)) {
      if (dtype === 'complex64' && name === 'cast') continue;
      const run = (np) => np.tidy(() => bytes(call(np, np.sin(np.arange(1_500_000)).multiply(900).astype(dtype).reshape(1500, 1000))));
      const before = many.threads.shared, got = run(many);
      assert.ok(got === run(one), `${name} of ${dtype} differs`);
      assert.ok(many.threads.shared > before, `${name} of ${dtype} was not shared`);
    }
  }
  const before = many.threads.shared, x = many.linspace(0, 1, 1_000_000), y = many.zeros([1_000_000]);
  many.exp(x, { out: y });
  assert.ok(many.threads.shared > before, 'exp into an array');
  for (const part of [0, 1023, 1024, 333_333, 999_999]) assert.equal(y.at(part).item(), one.exp(one.array(x.at(part).item())).item());
});

test('threads see memory that grows, and kernels that replace others', async (t) => {
  const np = await loadThreads(t, 2);
  for (let i = 0; i < 8; ++i) {
    const before = np.memory(), large = np.zeros([before + 2 ** 20], { dtype: 'uint8' });
    assert.ok(np.memory() > before);
    const f = np.compile((x) => x.multiply(np.float(i)).add(x), { name: `grown${i}` });
    const x = np.ones([200000]);
    for (let k = 0; k < 3; ++k) assert.equal(f(x).sum().item(), 200000 * (i + 1));
    large.dispose();
    if (np.memory() > 2 ** 29) break;
  }
  const text = np.array2string(np.arange(3));
  assert.equal(text, '[0 1 2]');
});

test('a pack serves all threads', { skip }, async (t) => {
  const one = await load({ fresh: true, threads: 1 }), many = await loadThreads(t, 3);
  const few = [['float32'], [[300, 1100]]], expected = runAll(one, ...few);
  const { kernels } = await many.loadPack(await buildPack(t, one.recording()));
  assert.ok(kernels > 20);
  const got = runAll(many, ...few);
  for (const [i, [what, text]] of got.entries()) assert.ok(text === expected[i][1], `${what} differs`);
  assert.ok(many.threads.shared > 10);
});

test('threads end, and are not needed', async (t) => {
  const np = await loadThreads(t, 2), x = np.ones([500000]), f = np.compile((v) => v.add(v).sum());
  assert.equal(f(x).item(), 1e6);
  np.threads.stop();
  assert.equal(np.threads.count, 1);
  const { shared } = np.threads;
  assert.equal(f(x).item(), 1e6);
  assert.equal(np.threads.shared, shared);
  for (const [threads, words] of [[0, '0'], [1.5, '1.5'], ['2', "'2'"], [NaN, 'NaN'], [null, 'null']])
    await assert.rejects(load({ threads }), { name: 'RangeError', message: `load: threads: got ${words}, expected a whole number from 1 on.` });
});

test('where memory can not be shared, one thread computes', async () => {
  const { SharedArrayBuffer } = globalThis;
  delete globalThis.SharedArrayBuffer;
  try {
    const np = await load({ fresh: true, threads: 4 });
    assert.deepEqual([np.threads.count, np.threads.running, np.arange(3).sum().item()], [1, 1, 3]);
  } finally {
    globalThis.SharedArrayBuffer = SharedArrayBuffer;
  }
});

test('a module that is not there is no loss', async () => {
  const { warn } = console, said = [];
  console.warn = (text) => said.push(text);
  const { WebAssembly: { Memory } } = globalThis;
  WebAssembly.Memory = class { constructor() { throw new RangeError('could not allocate memory'); } };
  try {
    const np = await load({ fresh: true, threads: 2 });
    assert.deepEqual([np.threads.count, np.arange(3).sum().item()], [1, 3]);
    assert.deepEqual(said, ['numjit: no threads: could not allocate memory']);
  } finally {
    console.warn = warn;
    WebAssembly.Memory = Memory;
  }
});
