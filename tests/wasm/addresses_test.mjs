// Memory beyond 2 GiB: addresses there are negative numbers where nobody makes them unsigned.
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

const folder = pathToFileURL(`${process.env.NUMJIT_PACKAGE}/`);
const { load } = await import(new URL('numjit.js', folder));
const { addressExports } = await import(new URL('module.js', folder));
const { hostImports } = await import(new URL('host.js', folder));
const { kernelEnvironment } = await import(new URL('binary.js', folder));

const border = 2 ** 31, block = 2 ** 28;

/** A module whose next arrays lie beyond 2 GiB but for one, which lies on both sides. Memory is taken, not touched. */
async function loadBeyond(options) {
  const { instantiate } = WebAssembly;
  let exports;
  WebAssembly.instantiate = async (...args) => {
    const made = await instantiate(...args);
    if (made.exports?.nj_malloc) ({ exports } = made);
    return made;
  };
  const np = await load({ ...options, fresh: true }).finally(() => { WebAssembly.instantiate = instantiate; });
  while ((exports.nj_malloc(block) >>> 0) + 2 * block < border);
  const across = np.empty([block + 2 ** 26], { dtype: 'uint8' }), end = across.data.byteOffset + across.size;
  assert.ok(across.data.byteOffset < border && end > border, `${across.data.byteOffset} to ${end}`);
  for (let size = block; size >= 16; size /= 2) // nothing is left below
    for (let place = 0; (place = exports.nj_malloc(size) >>> 0) !== 0 && place < border;);
  return { np, across };
}

for (const [name, options] of Object.entries({ simd: { build: 'simd', threads: 1 }, scalar: { build: 'scalar' }, threads: { threads: 2 } })) {
  test(`${name}: arrays beyond 2 GiB are as others`, { timeout: 240_000 }, async (t) => {
    const { np, across } = await loadBeyond(options);
    t.after(() => np.threads.stop());
    const a = np.arange(100_000, { dtype: 'float64' });
    assert.ok(a.data.byteOffset >= border);
    assert.equal(a.sum().item(), 4999950000);
    assert.deepEqual(np.array([[1, 2], [3, 4]]).tolist(), [[1, 2], [3, 4]]);
    assert.deepEqual([np.array(new Float32Array([1.5, 2])).tolist(), [...np.array(new BigInt64Array([7n])).toTypedArray()]], [[1.5, 2], [7n]]);
    assert.deepEqual(np.fromImageData({ width: 1, height: 1, data: new Uint8ClampedArray([1, 2, 3, 4]) }).tolist(), [[[1, 2, 3, 4]]]);
    assert.equal(np.matmul(np.ones([50, 60]), np.ones([60, 50], { dtype: 'float32' })).sum().item(), 150_000);
    assert.equal(String(np.arange(3)), '[0 1 2]');
    assert.deepEqual(np.fromNpy(np.toNpy(np.arange(3))).tolist(), [0, 1, 2]);
    a.data[1] = 7;
    assert.deepEqual([a.at('::50000').tolist(), a.item(1), a.at([1, -1]).tolist()], [[0, 50000], 7, [7, 99999]]);
    assert.deepEqual(np.sort([3, 1, 2]).tolist(), [1, 2, 3]);
    assert.throws(() => a.reshape(7), { name: 'ValueError', message: /cannot reshape array of size 100000/ });
    assert.throws(() => a.sum({ axs: 1 }), { name: 'TypeError', message: /unexpected option 'axs'/ });

    // New kernels, and records of calls.
    const f = np.compile((x, y) => [np.exp(x.multiply(1e-6)).add(y).sum({ axis: 0 }), x.at('::-1').subtract(y)], { name: 'f' });
    const g = np.compile((x) => x.multiply(2).add(1), { name: 'g', mode: 'replay' });
    for (let i = 0; i < 4; ++i) {
      const [sum, back] = f(a, np.ones(100_000));
      assert.equal(Math.round(sum.item()), 205171);
      assert.deepEqual([back.item(0), back.item(-1), g(a).item(-1)], [99998, -1, 199999]);
    }
    assert.equal(np.explain(f, a, a).graph_count, 1);
    assert.match(np.recording(), /^numjit graphs 1\n/);
    if (name === 'threads') {
      for (let i = 0; i < 400 && np.threads.running < 2; ++i) await new Promise((go) => setTimeout(go, 25));
      const x = np.ones([2 ** 20]), h = np.compile((v) => np.exp(v).add(v).sqrt(), { name: 'h' });
      for (let i = 0; i < 3; ++i) assert.equal(h(x).item(-1), Math.sqrt(Math.E + 1));
      assert.ok(np.threads.shared > 0);
    }
    if (name !== 'scalar') {
      await np.linalg.load();
      assert.deepEqual(np.linalg.inv([[2, 0], [0, 4]]).tolist(), [[0.5, 0], [0, 0.25]]);
    }

    // On both sides of the border.
    const from = border - across.data.byteOffset - 1000, v = across.at(np.slice(from, from + 2000)), values = v.data;
    for (let i = 0; i < 2000; ++i) values[i] = i % 200;
    assert.deepEqual([v.sum().item(), v.at('::-1').astype('float32').add(1).sum().item(), f(v.astype('float64'), np.zeros(2000))[1].item(0)], [199_000, 201_000, 199]);
    assert.deepEqual([np.sort(v).item(-1), np.cumsum(v).item(-1), v.reshape(50, 40).T.copy().sum().item(), v.at([0, 999, 1000, 1999]).tolist()], [199, 199_000, 199_000, [0, 199, 0, 199]]);
    v.set(v.at('::-1').copy());
    assert.deepEqual([v.item(0), v.item(-1), v.iadd(1).item(0)], [199, 0, 200]);
  });
}

test('lengths and strides beyond 2^31 are what they are', async () => {
  const np = await load(), wide = np.broadcast_to(np.zeros(1), [3, 2 ** 40]);
  assert.deepEqual([wide.shape, wide.size, wide.strides], [[3, 2 ** 40], 3 * 2 ** 40, [0, 0]]);
});

test('every export that gives an address is among those made unsigned', async () => {
  const source = [];
  for (const part of ['core', 'kernels', 'threads']) {
    const place = new URL(`../../wasm/${part}/`, import.meta.url);
    for (const file of await readdir(place)) if (file.endsWith('.cpp')) source.push(await readFile(new URL(file, place), 'utf8'));
  }
  const found = [...source.join('\n').matchAll(/^NUMJIT_EXPORT\((\w+)\) (.*?)\b\1\(/gm)];
  assert.ok(found.length > 50);
  const pointers = found.filter(([, , type]) => type.includes('*')).map(([, name]) => name);
  assert.deepEqual(pointers.toSorted(), addressExports.toSorted());
});

test('functions that the module calls take addresses beyond 2 GiB, which arrive negative', () => {
  const memory = null, asked = [];
  const bytes = () => ({ copyWithin: (...numbers) => asked.push(numbers), fill: (...numbers) => asked.push(numbers) });
  const env = kernelEnvironment({ memory, bytes, exports: {}, memoryBase: 0, tableBase: 0 });
  env.memcpy(-16, -32, 8);
  env.memmove(16, -32, 8);
  env.memset(-64, 7, 4);
  assert.deepEqual(asked, [[2 ** 32 - 16, 2 ** 32 - 32, 2 ** 32 - 24], [16, 2 ** 32 - 32, 2 ** 32 - 24], [7, 2 ** 32 - 64, 2 ** 32 - 60]]);

  const large = new WebAssembly.Memory({ initial: 65536 }), view = new DataView(large.buffer), top = 2 ** 32; // promised, not touched
  const host = hostImports(() => large), said = [], { log } = console;
  host.environ_sizes_get(-8, -4);
  host.clock_time_get(0, 0n, -64);
  assert.ok(view.getBigUint64(top - 64, true) > 1_600_000_000_000_000_000n);
  host.random_get(-96, 16);
  assert.notEqual(view.getBigUint64(top - 96, true), 0n);
  new TextEncoder().encodeInto('above\n', new Uint8Array(large.buffer, top - 128, 6));
  view.setUint32(top - 144, top - 128, true);
  view.setUint32(top - 140, 6, true);
  console.log = (text) => said.push(text);
  host.fd_write(1, -144, 1, -148);
  console.log = log;
  assert.deepEqual([said, view.getUint32(top - 148, true)], [['above'], 6]);
  assert.ok(host.nj_host_place(-2048, 1024) > 0);
  assert.match(new TextDecoder().decode(new Uint8Array(large.buffer, top - 2048, 400)), /addresses_test\.mjs/);
});
