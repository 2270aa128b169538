// Mode replay of np.compile: what it repeats, what it guards, when the body runs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

const { load } = await import(new URL('numjit.js', pathToFileURL(`${process.env.NUMJIT_PACKAGE}/`)));
const np = await load({ fresh: true, threads: 1 });

/** A compiled function in mode replay, and how often its body ran. */
function counted(body, options = {}) {
  const f = np.compile((...args) => {
    ++f.runs;
    return body(...args);
  }, { mode: 'replay', ...options });
  f.runs = 0;
  return f;
}
const lengths = (n) => np.arange(n, { dtype: 'float64' });

test('equal calls run the kernels without the body', () => {
  const f = counted((x, y) => x.multiply(y).add(1));
  for (let i = 0; i < 5; ++i) assert.deepEqual(f(np.full([3], i), lengths(3)).tolist(), [1, i + 1, 2 * i + 1]);
  assert.equal(f.runs, 1);
  assert.equal(f(lengths(3), lengths(3)).dtype.name, 'float64');
  const before = f.runs;
  assert.deepEqual(f(lengths(4), lengths(4)).tolist(), [1, 2, 5, 10]); // another length
  assert.deepEqual(f(lengths(8).at('::2'), lengths(4)).tolist(), [1, 3, 9, 19]); // another layout
  assert.deepEqual(f(np.arange(4), np.arange(4)).tolist(), [1, 2, 5, 10]); // another dtype
  assert.equal(f.runs, before + 3);
});

test('plain values, lists and objects are guarded, and results take their form', () => {
  const f = counted((x, k, { scale, name }) => ({ name, parts: [x.multiply(k), x.add(scale)], x, nothing: null, k }));
  for (let i = 0; i < 3; ++i) {
    const x = lengths(2), { name, parts, x: same, nothing, k } = f(x, 2, { scale: 10, name: 'é' });
    assert.deepEqual(parts.map((a) => a.tolist()), [[0, 2], [10, 11]]);
    assert.deepEqual([name, nothing, k, same.tolist()], ['é', null, 2, [0, 1]]);
  }
  assert.equal(f.runs, 1);
  assert.deepEqual(f(lengths(2), 3, { scale: 10, name: 'é' }).parts[0].tolist(), [0, 3]);
  assert.deepEqual(f(lengths(2), 3, { scale: 11, name: 'é' }).parts[1].tolist(), [11, 12]);
  assert.equal(f(lengths(2), 3, { scale: 11, name: 'e' }).name, 'e');
  assert.equal(f.runs, 4);
  const g = counted((x, k) => x.multiply(k));
  assert.equal(g(np.arange(2), 2).dtype.name, 'int64');
  assert.equal(g(np.arange(2), np.float(2)).dtype.name, 'float64');
  assert.equal(g(np.arange(2), true).dtype.name, 'int64');
  assert.equal(g.runs, 3);
});

test('stores into arguments are repeated, also of functions without a result', () => {
  const f = counted((u) => { u.at('1:').set(u.at(':-1').multiply(2)); });
  const u = np.ones(4);
  for (let i = 0; i < 3; ++i) assert.equal(f(u), undefined);
  assert.deepEqual(u.tolist(), [1, 2, 4, 8]);
  assert.equal(f.runs, 1);
});

test('bodies that read values run at each call', () => {
  const f = counted((x) => (x.sum() > 0 ? x.multiply(2) : x.subtract(1)));
  assert.deepEqual([f(np.ones(2)).tolist(), f(np.ones(2).negative()).tolist()], [[2, 2], [-2, -2]]);
  assert.equal(f.runs, 2);
});

test('views of arguments, of another array at each call', () => {
  const f = counted((u) => [u.at('1:-1').add(u.at('2:')), u.at('1:'), u.at('::2').sum()]), kept = [];
  const g = counted((u) => { u.at('1:').set(u.at(':-1').multiply(2)); });
  for (let k = 0; k < 6; ++k) {
    const u = np.arange(k, k + 5), parts = f(u);
    g(u);
    assert.deepEqual(u.tolist(), [k, 2 * k, 2 * k + 2, 2 * k + 4, 2 * k + 6]);
    kept.push(parts);
    u.dispose(); // the view of it goes on
  }
  for (const [k, [sums, view, total]] of kept.entries()) {
    assert.deepEqual(sums.tolist(), [2 * k + 3, 2 * k + 5, 2 * k + 7]);
    assert.deepEqual(view.tolist(), [2 * k, 2 * k + 2, 2 * k + 4, 2 * k + 6]);
    assert.equal(total.item(), 3 * k + 6);
  }
  assert.deepEqual([f.runs, g.runs], [1, 1]);
  const before = np.liveArrays(), u = np.zeros(2 ** 20);
  f(u).forEach((a) => a.dispose());
  u.dispose();
  const memory = np.memory();
  for (let k = 0; k < 20; ++k) { // nothing holds on to the arrays of former calls
    const v = np.zeros(2 ** 20);
    f(v).forEach((a) => a.dispose());
    v.dispose();
  }
  assert.equal(np.liveArrays(), before);
  assert.ok(np.memory() - memory < 2 ** 25);
});

test('results end with np.tidy, and what the calls made is gone', () => {
  const f = counted((x) => [x.add(1).multiply(x), x.sum()]);
  const x = lengths(3);
  np.tidy(() => { f(x); });
  const before = np.liveArrays();
  np.tidy(() => { for (let i = 0; i < 10; ++i) f(x); });
  const kept = np.tidy(() => f(x));
  assert.equal(np.liveArrays(), before + 2);
  kept.forEach((a) => a.dispose());
  assert.equal(f.runs, 1);
});

test('compiled functions inside, and errors of the body', () => {
  const inner = counted((x) => x.add(1)), outer = counted((x) => inner(x).multiply(2));
  for (let i = 0; i < 3; ++i) assert.deepEqual(outer(lengths(2)).tolist(), [2, 4]);
  assert.equal(outer.runs, 1);
  const f = counted((x, text) => {
    if (text) throw new RangeError(text);
    return x.add(1);
  });
  for (let i = 0; i < 2; ++i) assert.throws(() => f(lengths(2), 'mine'), { name: 'RangeError', message: 'mine' });
  assert.deepEqual(f(lengths(2), '').tolist(), [1, 2]);
  const gone = lengths(2);
  gone.dispose();
  assert.throws(() => f(gone, ''), { name: 'ValueError', message: 'numjit: this array was disposed of.' });
});

test('long loops are one graph under fullgraph', () => {
  const f = counted((x) => {
    let y = x;
    for (let i = 0; i < 100; ++i) y = y.multiply(0.5).add(1);
    return y;
  }, { fullgraph: true });
  const expected = [0, 1, 2].map((start) => {
    let y = start;
    for (let i = 0; i < 100; ++i) y = y * 0.5 + 1;
    return y;
  });
  for (let i = 0; i < 3; ++i) assert.deepEqual(f(lengths(3)).tolist(), expected);
  assert.equal(f.runs, 1);
});

test('verify_replay finds bodies that depend on more than their arguments', () => {
  let factor = 2;
  const f = counted((x) => x.multiply(factor), { verify_replay: 2, name: 'scaled' });
  const x = np.ones(2);
  for (let i = 0; i < 6; ++i) f(x);
  assert.equal(f.runs, 3); // the first call, and two that compare
  factor = 3;
  assert.throws(() => f(x), { name: 'ValueError',
    message: '[compile] replay of scaled is not what its body gives: result 0: element 0 differs. In mode replay the body may '
      + 'depend on its arguments only; use mode rerun.' });
});

test('wrong arguments', () => {
  assert.throws(() => np.compile((x) => x, { mode: 'again' }), { name: 'ValueError', message: "compile: mode: got 'again', expected 'rerun' or 'replay'." });
  const f = np.compile((x) => x, { mode: 'replay', name: 'f' });
  assert.throws(() => f(new Float32Array(2)), { name: 'TypeError', message: 'compile: mode replay of f: got Float32Array as an argument or result, '
    + "expected arrays, numbers, text, dtypes, and lists and plain objects of them. Use mode: 'rerun'." });
  assert.throws(() => f(new Map()), { name: 'TypeError', message: /got Map as an argument/ });
});

test('calls with other numbers in turn, and several results at once', async () => {
  const np = await load({ fresh: true, threads: 1 });
  let runs = 0;
  const f = np.compile((x, s) => {
    ++runs;
    return [x.multiply(s), x.add(s), x.sum().multiply(s)];
  }, { mode: 'replay', fullgraph: true });
  const arrays = [np.arange(5, { dtype: 'float64' }), np.arange(5, { dtype: 'float64' }).multiply(10)];
  for (let i = 0; i < 40; ++i) {
    const x = arrays[i % 2], s = [0.5, 3.25, 0.5, -2, -2][i % 5];
    const values = x.tolist();
    np.tidy(() => assert.deepEqual(f(x, s).map((a) => a.tolist()), [values.map((v) => v * s), values.map((v) => v + s), values.reduce((a, b) => a + b) * s]));
  }
  assert.equal(runs, 3);
});

test('two arrays that are written from each other', async () => {
  const np = await load({ fresh: true, threads: 1 });
  const step = np.compile((u, v) => {
    const sum = u.add(v), difference = u.subtract(v);
    u.set(difference);
    v.set(sum);
  }, { mode: 'replay', fullgraph: true });
  const u = np.arange(7, { dtype: 'float64' }), v = np.full([7], 3.0).astype('float64');
  const expected = [u.tolist(), v.tolist()];
  for (let i = 0; i < 12; ++i) {
    step(u, v);
    for (let k = 0; k < 7; ++k) {
      const [a, b] = [expected[0][k], expected[1][k]];
      expected[0][k] = a - b;
      expected[1][k] = a + b;
    }
    assert.deepEqual([u.tolist(), v.tolist()], expected, `step ${i}`);
  }
  const both = np.arange(4, { dtype: 'float64' }); // the same array twice
  for (let i = 0; i < 4; ++i) step(both, both);
  assert.deepEqual(both.tolist(), [0, 16, 32, 48]);
});
