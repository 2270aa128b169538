// What a page's author meets first: integers, names of other libraries, the console, memory. In Node and in Chromium.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

const folder = pathToFileURL(`${process.env.NUMJIT_PACKAGE}/`);
const { load } = await import(new URL('numjit.js', folder));
const { closest } = await import(new URL('hints.js', folder));
const np = await load(), a = np.array([[1, 2], [3, 4]]);
const refuses = (run, message, name = 'TypeError') => assert.throws(run, { name, message });

/** What `run` writes to the console as warnings. */
function warned(run) {
  const said = [], { warn } = console;
  console.warn = (text) => said.push(text);
  try {
    run();
  } finally {
    console.warn = warn;
  }
  return said;
}

test('integers as numbers of 32 bits', async () => {
  const other = await load({ integers: 'int32' });
  assert.ok(other !== np && other === await load({ integers: 'int32' }));
  const b = other.array([[1, -2], [3, 2 ** 31 - 1]]);
  assert.equal(b.dtype.name, 'int64');
  assert.deepEqual([b.data, b.toTypedArray(), b.T.data].map(String), ['1,-2,3,2147483647', '1,-2,3,2147483647', '1,3,-2,2147483647']);
  assert.ok(b.data instanceof Int32Array && b.toTypedArray() instanceof Int32Array);
  assert.deepEqual(b.tolist(), [[1, -2], [3, 2147483647]]);
  assert.deepEqual([...other.array([7n, 2n ** 31n - 1n], 'uint64').data], [7, 2147483647]);
  assert.deepEqual([...other.array([-(2 ** 31)]).data], [-(2 ** 31)]);
  assert.ok(other.ones(2).data instanceof Float64Array && other.ones(2, 'int32').data instanceof Int32Array);
  const words = (value, at) => `numjit: ${value} at place ${at} is no integer of 32 bits, as which load({ integers: 'int32' }) hands elements out. Hint: a.toTypedArray('float64').`;
  refuses(() => other.array([1, 2 ** 31]).data, words(2147483648, 1), 'OverflowError');
  refuses(() => other.array([-(2 ** 31) - 1]).tolist(), words(-2147483649, 0), 'OverflowError');
  refuses(() => other.array([2n ** 64n - 1n]).toTypedArray(), words('18446744073709551615', 0), 'OverflowError');
  assert.deepEqual(other.array(b.pack()).tolist(), b.tolist());
});

test('elements in a typed array of another dtype', () => {
  assert.deepEqual([...a.toTypedArray('float64')], [1, 2, 3, 4]);
  assert.ok(a.toTypedArray('float32') instanceof Float32Array && a.toTypedArray(np.int32) instanceof Int32Array && a.toTypedArray() instanceof BigInt64Array);
  assert.deepEqual([...a.T.toTypedArray('uint8')], [1, 3, 2, 4]);
  refuses(() => a.toTypedArray('float23'), "dtype: got 'float23', expected a dtype or its name.");
});

test('operators, brackets and lengths', () => {
  const hint = 'Hint: a.add(b), a.subtract(b), a.multiply(b), a.divide(b), a.power(b), a.less(b), a.equal(b).';
  refuses(() => a + 1, `numjit: operators of JavaScript take numbers, got an array of shape (2, 2). ${hint}`);
  refuses(() => 2 * np.arange(3), `numjit: operators of JavaScript take numbers, got an array of shape (3,). ${hint}`);
  assert.deepEqual([a.sum() + 1, np.array([2.5]) * 2, `${np.arange(3)}`, a.sum() > 9, np.array(2n ** 60n) == 2n ** 60n], [11, 5, '[0 1 2]', true, true]); // eslint-disable-line eqeqeq
  assert.equal(np.array(np.complex(1, 2)) + '!', '(1+2j)!');
  refuses(() => a[0], 'numjit: a[0] is no element: JavaScript has brackets for its own lists alone. Hint: a.item(0) is a number, a.at(0) a view.');
  refuses(() => a[-1], 'numjit: a[-1] is no element: JavaScript has brackets for its own lists alone. Hint: a.item(-1) is a number, a.at(-1) a view.');
  refuses(() => { a[1] = 5; }, 'numjit: a[1] = value stores nothing: JavaScript has brackets for its own lists alone. Hint: a.set(value, 1).');
  refuses(() => a.length, 'numjit: arrays have no length. Hint: a.size, or a.shape[0].');
  a.label = 'mine';
  assert.equal(a.label, 'mine');
  delete a.label;
});

test('names of other libraries, and misspelt ones', () => {
  const cases = [
    [() => a.mul(2), 'arrays have no mul. Hint: a.multiply(b).'], [() => a.sub(2), 'arrays have no sub. Hint: a.subtract(b).'], [() => a.slice(0, 1), "arrays have no slice. Hint: a.at('1:3')."],
    [() => a.mutliply(2), 'arrays have no mutliply. Hint: a.multiply.'], [() => a.toList(), 'arrays have no toList. Hint: a.tolist.'], [() => a.concatenate(a), 'arrays have no concatenate. Hint: np.concatenate.'],
    [() => np.mul(a, 2), 'there is no np.mul. Hint: np.multiply(a, b).'], [() => np.mgrid, "there is no np.mgrid. Hint: np.indices(shape), or np.meshgrid(x, y, { indexing: 'ij' })."],
    [() => np.vectorize(Math.sin), 'there is no np.vectorize. Hint: np.compile(f) of a function of whole arrays; np.array(a.toTypedArray().map(f)) calls f for each number.'],
    [() => np.aragne(3), 'there is no np.aragne. Hint: np.arange.'], [() => np.zerosLike(a), 'there is no np.zerosLike. Hint: np.zeros_like.'], [() => np.linalg.sovle(a, a), 'there is no np.linalg.sovle. Hint: np.linalg.solve.'],
    [() => np.random.rand(2), 'there is no np.random.rand. Hint: np.random.default_rng(seed).random({ size: [3, 2] }).'], [() => np.random.shuffle(a), 'there is no np.random.shuffle. Hint: np.random.default_rng(seed).shuffle(...).'],
    [() => np.fft.rftt(a), 'there is no np.fft.rftt. Hint: np.fft.rfft.'],
  ];
  for (const [run, message] of cases) refuses(run, `numjit: ${message}`);
  assert.deepEqual([a.then, a.nodeType, a.$$typeof, a.banana, np.then, np.banana, np.random.banana, np.__esModule], Array(8).fill(undefined));
  assert.equal(closest('Sum', ['cumsum', 'sum']), 'sum');
  assert.equal(closest('su', ['sum']), null);
  assert.ok(a instanceof np.NDArray && a instanceof Object && !('length' in a));
});

test('the closest name of every function with one letter left out', () => {
  const names = Object.keys(np).filter((name) => typeof np[name] === 'function' && name.length > 6);
  assert.ok(names.length > 150);
  for (const name of names) {
    const wrong = name.slice(0, 3) + name.slice(4);
    if (!(wrong in np)) assert.throws(() => np[wrong], { name: 'TypeError', message: /^numjit: there is no np\.\w+\. Hint: np\./ }, wrong);
  }
});

test('dtypes make arrays, functions of indices', () => {
  const three = np.float32(3), list = np.int8([1.7, -2]);
  assert.deepEqual([three.dtype, three.shape, three.item(), list.dtype, list.tolist(), np.bool_(2).item()], [np.float32, [], 3, np.int8, [1, -2], true]);
  assert.deepEqual([np.float32.name, String(np.float32), np.float32.itemsize, np.double === np.float64], ['float32', 'float32', 4, true]);
  assert.deepEqual(np.zeros(2, np.int16).add(np.ones(2, { dtype: np.uint8 })).dtype.name, 'int16');
  refuses(() => np.float32([1], 'C'), 'np.float32: takes one value, got 2.');
  refuses(() => np.float32(), 'np.float32: takes one value, got 0.');
  refuses(() => np.uint8(300), '[array] Python integer 300 out of bounds for uint8', 'OverflowError');
  // np.fromfunction(lambda i, j: 10 * i + j, (2, 3)) of NumPy
  const made = np.fromfunction((i, j) => i.multiply(10).add(j), [2, 3]);
  assert.deepEqual([made.tolist(), made.dtype.name], [[[0, 1, 2], [10, 11, 12]], 'float64']);
  assert.deepEqual(np.fromfunction((i) => i, 3, { dtype: 'int64' }).tolist(), [0, 1, 2]);
  refuses(() => np.fromfunction(3, [2]), '[fromfunction] got 3, expected a function.');
  refuses(() => np.fromfunction((i) => i, 3, { type: 'int64' }), "[fromfunction] unexpected option 'type', expected one of dtype. Hint: dtype.");
});

test('arrays in consoles', () => {
  const show = (value) => value[Symbol.for('nodejs.util.inspect.custom')]();
  assert.equal(show(a), 'NDArray(2 x 2) int64\n[[1 2]\n [3 4]]');
  assert.equal(show(np.linspace(0, 1, 3)), 'NDArray(3) float64 [0.  0.5 1. ]');
  assert.equal(show(np.arange(5000)), 'NDArray(5000) int64 [   0    1    2 ... 4997 4998 4999]');
  const gone = np.ones(2);
  gone.dispose();
  assert.equal(show(gone), 'NDArray (disposed of)');
  assert.equal(JSON.stringify({ a }), '{"a":[[1,2],[3,4]]}');
  if (typeof document === 'undefined') return;
  const [formatter] = globalThis.devtoolsFormatters;
  assert.equal(globalThis.devtoolsFormatters.length, 1);
  assert.equal(JSON.stringify(formatter.header(np.arange(3))), '["span",{},"NDArray(3) int64 [0 1 2]"]');
  assert.equal(JSON.stringify(formatter.header(a)), '["span",{},"NDArray(2 x 2) int64"]');
  assert.equal(JSON.stringify(formatter.body(a)).replace(/\{"style":[^}]*\}/g, '{}'), '["table",{},["tr",{},["td",{},"1"],["td",{},"2"]],["tr",{},["td",{},"3"],["td",{},"4"]]]');
  assert.equal(formatter.header({ handle: 5 }), null);
  assert.equal(formatter.hasBody(gone), false);
});

test('a number that is whole now and then gives other dtypes: said once', () => {
  const whole = np.arange(3);
  for (const mode of ['rerun', 'replay']) {
    const scaled = np.compile((x, k) => x.multiply(k), { name: 'scaled', mode });
    const said = warned(() => [2, 3, 2.5, 2, 3.5].forEach((k) => scaled(whole, k)));
    assert.deepEqual(said, ['numjit: scaled gives int64 where its argument 1 is a whole number, else float64. Hint: pass np.float(value), which is a float whatever its value is.']);
    const steady = np.compile((x, k) => x.multiply(k), { name: 'steady', mode });
    assert.deepEqual(warned(() => {
      for (const k of [2, 2.5]) steady(np.ones(3), k);
      for (const k of [np.float(2), np.float(2.5)]) steady(whole, k);
      steady(np.ones(3, 'float32'), 2);
    }), []);
  }
});

test('memory that grows past 256 MB is warned of once, with the line', async () => {
  const mine = await load({ fresh: true, build: 'simd' }), held = [];
  const said = warned(() => { for (let i = 0; i < 5; ++i) held.push(mine.zeros([2 ** 23])); });
  assert.equal(said.length, 1);
  assert.match(said[0], /^numjit: the memory of arrays has grown past 256 MB: 3 are alive, the last is made at .*comfort_test\.mjs(\?\w*)?:\d+\. Hint: np\.tidy\(\(\) => \.\.\.\) around each step, or np\.animate\(fn\) for frames/);
  assert.deepEqual(warned(() => held.push(mine.zeros([2 ** 24]))), []);
  held.forEach((b) => b.dispose());
});

test('what a loop leaves to the collector is found while memory is small', async () => {
  const mine = await load({ fresh: true, build: 'simd' }), picture = mine.zeros([720, 1280, 3], { dtype: 'float32' });
  const { warn } = console;
  console.warn = () => {};
  for (let i = 0; i < 150; ++i) {
    mine.sqrt(picture.multiply(2).add(1));
    await new Promise((next) => { setTimeout(next, 0); });
  }
  console.warn = warn;
  assert.ok(mine.memory() < 1.2e9, `${mine.memory()} bytes, of 4.9e9 that were made`);
});

test('frames end with their arrays', async () => {
  refuses(() => np.animate(5), 'np.animate: got 5, expected a function.');
  refuses(() => np.animate(async function later() {}), 'np.animate: got the function later, which goes on after it has returned (async, function*), expected one that ends when it returns.');
  const { requestAnimationFrame, cancelAnimationFrame } = globalThis;
  if (!requestAnimationFrame) {
    refuses(() => np.animate(() => {}), 'np.animate: there are no frames here: requestAnimationFrame is missing, as in Node. Hint: np.tidy(() => ...) in a loop.', 'NotImplementedError');
  }
  const waiting = new Map();
  let next = 0;
  const frame = (time) => {
    const due = [...waiting.values()];
    waiting.clear();
    due.forEach((run) => run(time));
  };
  globalThis.requestAnimationFrame = (run) => { waiting.set(++next, run); return next; };
  globalThis.cancelAnimationFrame = (id) => waiting.delete(id);
  try {
    const before = np.liveArrays(), seen = [];
    let kept = null;
    const animation = np.animate((time, n) => {
      seen.push([time, n, np.arange(5).sum().item()]);
      if (n === 1) kept = np.keep(np.ones(2));
      return n < 2 ? np.zeros(3) : undefined;
    });
    for (const time of [16, 32, 48]) frame(time);
    assert.deepEqual(seen, [[16, 0, 10], [32, 1, 10], [48, 2, 10]]);
    assert.deepEqual([np.liveArrays() - before, kept.tolist(), animation.running], [1, [1, 1], true]);
    animation.stop();
    frame(64);
    assert.deepEqual([seen.length, animation.running], [3, false]);
    animation.start();
    animation.start();
    assert.equal(waiting.size, 1);
    frame(80);
    assert.equal(seen.length, 4);
    animation.stop();
    const ends = np.animate((_, n) => n < 1);
    for (const time of [1, 2, 3]) frame(time);
    assert.deepEqual([ends.running, waiting.size], [false, 0]);
    const stops = np.animate(() => { stops.stop(); });
    frame(1);
    assert.deepEqual([stops.running, waiting.size], [false, 0]);
    const fails = np.animate(() => { throw new RangeError('mine'); });
    refuses(() => frame(1), 'mine', 'RangeError');
    assert.deepEqual([fails.running, waiting.size], [false, 0]);
    np.animate(() => Promise.resolve());
    refuses(() => frame(1), 'np.animate: got a function that returns a promise, expected one that ends when it returns.');
    kept.dispose();
  } finally {
    Object.assign(globalThis, { requestAnimationFrame, cancelAnimationFrame });
  }
});
