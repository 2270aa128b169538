// What pages need beyond arrays: lifetimes, files, pictures, places of breaks, errors. In Node and in Chromium.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

const folder = pathToFileURL(`${process.env.NUMJIT_PACKAGE}/`);
const { load } = await import(new URL('numjit.js', folder));
const { placeIn } = await import(new URL('places.js', folder));
const np = await load();

/** The line of this file that calls it, plus `offset`. */
const lineHere = (offset = 0) => Number(/package_test\.mjs(?:\?\w*)?:(\d+):\d+\)?$/m.exec(new Error().stack.split('\n').slice(2).join('\n'))[1]) + offset;

test('slices as text', () => {
  const a = np.arange(12).reshape(3, 4);
  assert.deepEqual(a.at('1:, ::2').tolist(), [[4, 6], [8, 10]]);
  assert.deepEqual(a.at('..., -1').tolist(), [3, 7, 11]);
  assert.deepEqual(a.at('::-1', 0).tolist(), [8, 4, 0]);
  a.set(0, ':, 1:3');
  assert.deepEqual(a.at(0).tolist(), [0, 0, 0, 3]);
  assert.throws(() => a.at('1;2'), { name: 'IndexError', message: "numjit: got the index '1;2', expected integers and slices such as '1:-1, ::2' or '..., 0'." });
});

test('tidy disposes of what is not returned, keep takes out', () => {
  const before = np.liveArrays();
  let kept, lost;
  const { sum, list } = np.tidy(() => {
    const a = np.arange(4), b = a.multiply(2);
    kept = np.keep(b.add(1));
    lost = b;
    return { sum: a.sum(), list: [b.at(0)] };
  });
  assert.equal(np.liveArrays(), before + 3);
  assert.deepEqual([sum.item(), list[0].item(), kept.tolist()], [6, 0, [1, 3, 5, 7]]);
  assert.throws(() => lost.add(1), { name: 'ValueError', message: 'numjit: this array ended with the compiled call or np.tidy() that made it. Return it from there, or take it out with np.keep(array).' });
  for (const a of [sum, list[0], kept]) a.dispose();
  assert.equal(np.liveArrays(), before);
  assert.throws(() => np.tidy(() => { np.arange(3); throw new RangeError('mine'); }), { name: 'RangeError', message: 'mine' });
  assert.equal(np.liveArrays(), before);
  assert.throws(() => np.tidy(async () => 1), { name: 'TypeError', message: 'np.tidy: got a function that returns a promise, expected one that ends when it returns.' });
});

test('what a compiled call makes ends with it', () => {
  const x = np.arange(5, { dtype: 'float64' }), before = np.liveArrays();
  let inside, kept;
  const inner = np.compile((a) => a.add(1));
  const f = np.compile((a) => {
    inside = a.multiply(2);
    kept = np.keep(inside.subtract(1));
    return [inner(inside).sum(), inside.at(-1)];
  }, { name: 'f' });
  for (let i = 0; i < 4; ++i) {
    const [sum, last] = f(x);
    assert.deepEqual([sum.item(), last.item(), kept.tolist()], [25, 8, [-1, 1, 3, 5, 7]]);
    assert.throws(() => inside.sum(), { name: 'ValueError', message: /ended with the compiled call/ });
    for (const a of [sum, last, kept]) a.dispose();
    assert.equal(np.liveArrays(), before);
  }
  const store = np.compile((a, b) => { a.at('1:').iadd(b.at(':-1')); });
  const target = np.zeros(3);
  for (let i = 0; i < 3; ++i) store(target, np.ones(3));
  assert.deepEqual(target.tolist(), [0, 3, 3]);
});

test('breaks name the file and line of the JavaScript', () => {
  const x = np.arange(4, { dtype: 'float64' });
  let line;
  const f = np.compile(function scaled(v) {
    line = lineHere(1);
    if (v.sum() > 0) return v.multiply(2);
    return v;
  }, { name: 'scaled' });
  f(x);
  const report = np.explain(f, x), [reason] = report.break_reasons;
  assert.match(reason.file, /package_test\.mjs(\?\w*)?$/);
  assert.equal(reason.line, line);
  assert.match(String(report), /package_test\.mjs/);
  const said = [];
  const { warn } = console;
  console.warn = (text) => said.push(text);
  np.setLogs({ graph_breaks: true });
  f(x);
  np.setLogs({});
  f(x);
  console.warn = warn;
  assert.match(said.join('\n'), new RegExp(`package_test\\.mjs(\\?\\w*)?:${line}`));
  const plain = np.disable((v) => v);
  const strict = np.compile((v) => plain(v.add(1)), { fullgraph: true }), loose = np.compile((v) => plain(v.add(1)));
  assert.throws(() => strict(x), { name: 'GraphBreakError', message: /Hint: Remove np\.disable, or call/ });
  assert.match(np.explain(loose, x).break_reasons[0].hint, /^Remove np\.disable, or call/);
  for (const text of [String(np.explain(loose, x)), said.join('\n')]) assert.doesNotMatch(text, /np::/);
  assert.throws(() => np.setLogs({ breaks: true }), { name: 'ValueError', message: /^setLogs: got 'breaks', expected one of graph_breaks/ });
});

test('places in stack traces of V8, Firefox and Safari', () => {
  const own = new URL('array.js', folder).href;
  const v8 = `Error\n    at call (${own}:30:5)\n    at wasm://wasm/0a1b:wasm-function[12]:0x3f\n    at NDArray.method [as add] (${own}:3:4)\n`
    + '    at Pool.step [as run] (http://host/a.js?v=1:12:34)\n    at http://host/b.js:5:6';
  assert.deepEqual(placeIn(v8), { file: 'http://host/a.js?v=1', name: 'Pool.step', line: 12 });
  const firefox = `call@${own}:30:5\nf@http://host/simd.wasm:wasm-function[12]:0x3f\nstep@http://host/a.js:12:34\n@http://host/b.js:5:6`;
  assert.deepEqual(placeIn(firefox), { file: 'http://host/a.js', name: 'step', line: 12 });
  assert.deepEqual(placeIn('<?>.wasm-function[12]@[wasm code]\nwasm-stub@[wasm code]\nstep@http://host/a.js:12:34'), { file: 'http://host/a.js', name: 'step', line: 12 });
  assert.equal(placeIn('nothing\nof the kind'), null);
});

test('leaks are reported by the line that made them', () => {
  assert.throws(() => np.leaks.report(), { name: 'ValueError', message: /np.leaks.start\(\)/ });
  np.leaks.start();
  const held = [];
  const line = lineHere(1);
  for (let i = 0; i < 3; ++i) held.push(np.zeros([10, 10]));
  np.zeros(3).dispose();
  const [worst] = np.leaks.report();
  assert.equal(worst.arrays, 3);
  assert.equal(worst.bytes, 2400);
  assert.match(worst.place, new RegExp(`package_test\\.mjs(\\?\\w*)?:${line}$`));
  held.forEach((a) => a.dispose());
  assert.deepEqual(np.leaks.report(), []);
  np.leaks.stop();
});

/** As a canvas makes it; Node has none. */
class Pixels {
  constructor(width, height) {
    Object.assign(this, { width, height, data: new Uint8ClampedArray(4 * width * height) });
  }
}

test('ImageData in and out', () => {
  if (!globalThis.ImageData) assert.throws(() => np.toImageData(np.zeros([2, 2])), { name: 'NotImplementedError', message: 'np.toImageData: there is no ImageData here, Node has none. Hint: toImageData(a, { into }) fills what is like one.' });
  globalThis.ImageData ??= Pixels;
  const image = new ImageData(2, 1);
  image.data.set([10, 20, 30, 255, 40, 50, 60, 128]);
  const a = np.fromImageData(image);
  assert.deepEqual([a.shape, a.dtype.name], [[1, 2, 4], 'uint8']);
  assert.deepEqual([...np.toImageData(a).data], [...image.data]);
  assert.deepEqual([...np.toImageData(a.at('..., :3')).data], [10, 20, 30, 255, 40, 50, 60, 255]);
  assert.deepEqual([...np.toImageData(np.array([[0, 0.5, 2, -1]])).data].filter((_, i) => i % 4 === 1), [0, 128, 255, 0]);
  assert.deepEqual([...np.toImageData(np.array([[true, false]]), { into: image }).data], [255, 255, 255, 255, 0, 0, 0, 255]);
  assert.throws(() => np.toImageData(np.zeros(3)), { name: 'ValueError', message: 'np.toImageData: got an array of shape (3), expected [height, width], or that with 3 or 4 channels.' });
  assert.throws(() => np.toImageData(np.zeros([2, 2], { dtype: 'int32' })), { name: 'TypeError', message: 'np.toImageData: got int32, expected uint8, bool, or floats from 0 to 1.' });
  assert.throws(() => np.toImageData(np.zeros([2, 2]), { into: image }), { name: 'ValueError', message: 'np.toImageData: into: got 2 x 1 pixels, expected 2 x 2.' });
  assert.throws(() => np.fromImageData([1, 2]), { name: 'TypeError', message: 'np.fromImageData: got Array, expected ImageData, a canvas or its 2D context.' });
});

// np.savez_compressed(f, a=np.arange(3), b=np.ones((2, 2), 'f4')) of NumPy, in base64
const numpyFile = 'UEsDBBQAAAAIAAAAIQD3QBLqTAAAAJgAAAAFABQAYS5ucHkBABAAmAAAAAAAAABMAAAAAAAAAJvsF+obEMnIUMZQrZ6SWpxcpG6loG6TaaGuo6Cell9UUpSYF59flJIKEndLzClOBYoXZyQWpAL5GsY6mjoKtQoUAC4GKGCE0kxQGgBQSwMEFAAAAAgAAAAhAEz77xZMAAAAkAAAAAUAFABiLm5weQEAEACQAAAAAAAAAEwAAAAAAAAAm+wX6hsQychQxlCtnpJanFykbqWgbpNmoq6joJ6WX1RSlJgXn1+UkgoSd0vMKU4FihdnJBakAvkaRjoKRpo6CrUKZAMuBoYGe2QMAFBLAQIUAxQAAAAIAAAAIQD3QBLqTAAAAJgAAAAFAAAAAAAAAAAAAACAAQAAAABhLm5weVBLAQIUAxQAAAAIAAAAIQBM++8WTAAAAJAAAAAFAAAAAAAAAAAAAACAAYMAAABiLm5weVBLBQYAAAAAAgACAGYAAAAGAQAAAAA=';

test('.npy and .npz files', async () => {
  const made = await np.load(Uint8Array.from(atob(numpyFile), (c) => c.charCodeAt(0)));
  assert.deepEqual([made.a.tolist(), made.b.tolist(), made.b.dtype.name], [[0, 1, 2], [[1, 1], [1, 1]], 'float32']);
  const bytes = np.toNpz({ x: np.arange(4), y: np.array([[1.5]]) });
  const back = await np.load(new Response(bytes));
  assert.deepEqual([back.x.tolist(), back.y.tolist()], [[0, 1, 2, 3], [[1.5]]]);
  assert.deepEqual((await np.load(new Blob([np.toNpy(np.arange(3))]))).tolist(), [0, 1, 2]);
  await assert.rejects(np.load(new Response('', { status: 404 })), { name: 'OSError', message: /was not served: status 404/ });
  await assert.rejects(np.load('no://no_such'), { name: 'OSError', message: /^np\.load: no:\/\/no_such could not be fetched: / });
  await assert.rejects(np.load(5), { name: 'TypeError', message: "np.load: got Number, expected a URL, a Response, a Blob or the file's bytes." });
  await assert.rejects(np.fromNpz(bytes.slice(0, 60)), { name: 'ValueError', message: 'np.fromNpz: not a .npz file: it has no directory, or was cut off.' });
  const flipped = bytes.slice();
  flipped[bytes.indexOf(3, 100)] ^= 1; // an element
  await assert.rejects(np.fromNpz(flipped), { name: 'ValueError', message: "np.fromNpz: 'x.npy' is damaged: its checksum differs." });
  assert.deepEqual(Object.keys(await np.fromNpz(np.toNpz(Object.fromEntries([['__proto__', np.ones(1)]])))), ['__proto__']);
  assert.throws(() => np.toNpz(null), { name: 'TypeError', message: 'np.toNpz: got null, expected arrays by name: toNpz({ x, y }).' });
  for (let cut = 0; cut < 40; ++cut) { // damaged anywhere: an error or an answer, nothing else
    const damaged = bytes.slice();
    for (let i = cut * 7 % damaged.length; i < damaged.length; i += 41) damaged[i] ^= 0x55;
    await np.fromNpz(damaged).catch((error) => assert.match(error.message, /^np\.fromNpz|np\.fromNpy|\[load\]/));
  }
});

test('typed arrays of wrong kinds', () => {
  assert.throws(() => np.array(new DataView(new ArrayBuffer(8))), { name: 'TypeError', message: /got DataView, expected a typed array of numbers/ });
  assert.throws(() => np.sum(new ArrayBuffer(8)), { name: 'TypeError', message: /got ArrayBuffer, expected an array/ });
  assert.equal(np.array(new Uint8ClampedArray([1, 300])).at(1).item(), 255);
  assert.deepEqual(np.array(new BigInt64Array([1n, -2n])).tolist(), [1, -2]);
  assert.deepEqual(np.array({ shape: [2, 2], dtype: 'bool', data: new Uint8Array([1, 0, 0, 1]) }).tolist(), [[true, false], [false, true]]);
  assert.deepEqual(np.array(np.array([[1, 2]]).pack()).tolist(), [[1, 2]]);
});

test('a view of elements ends when memory grows', () => {
  const view = np.arange(4).data;
  const large = np.zeros([np.memory()], { dtype: 'uint8' });
  assert.equal(view.length, 0);
  assert.throws(() => np.array(view), { name: 'ValueError', message: /memory is gone.*take a\.data again/ });
  large.dispose();
});

test('a browser without SIMD gets the scalar build', async () => {
  const { validate } = WebAssembly;
  WebAssembly.validate = () => false;
  try {
    const plain = await load();
    assert.equal(plain.build, 'scalar');
    assert.deepEqual(plain.arange(3).multiply(2).tolist(), [0, 2, 4]);
  } finally {
    WebAssembly.validate = validate;
  }
});

test('builds that there are not', async () => {
  await assert.rejects(load({ build: 'fast' }), { name: 'RangeError', message: "load: build: got 'fast', expected 'simd' or 'scalar'." });
});

test('out of memory is an error, and what was there stays', async () => {
  const mine = await load({ fresh: true }); // its memory ends with it
  const a = mine.arange(3), held = [];
  assert.throws(() => { for (;;) held.push(mine.empty([2 ** 29], { dtype: 'uint8' })); }, { name: 'RangeError', message: /out of memory|Unable to allocate/ });
  assert.ok(held.length >= 1);
  held.forEach((b) => b.dispose());
  assert.deepEqual(a.add(1).tolist(), [1, 2, 3]);
  assert.equal(mine.zeros([2 ** 20]).sum().item(), 0);
});
