// Arrays and views of them while functions run: what is disposed of, stored to or read through memory that somebody else looks at.
// Expected are NumPy's results.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

const folder = pathToFileURL(`${process.env.NUMJIT_PACKAGE}/`);
const { load } = await import(new URL('numjit.js', folder));
const { startWorker, transfer } = await import(new URL('worker.js', folder));
const { connect } = await import(new URL('develop.js', folder));
const np = await load();
await np.complete();
const rounds = 4;

test('places in the array that is stored to', () => {
  const cases = [
    [[1, 0, 0, 0], (a) => a.set(10 ** 9, a), [10 ** 9, 10 ** 9, 0, 0]], [[0, 1, 2, 3], (a) => a.set(a, a.at('::-1')), [3, 2, 1, 0]], [[0, 1, 2, 3, 4], (a) => a.set(a.at('::-1'), a), [4, 3, 2, 1, 0]],
    [[1, 2, 3, 0], (a) => np.put(a, a, a), [0, 1, 2, 3]], [[1, 2, 3, 0], (a) => np.add.at(a, a, 1), [2, 3, 4, 1]], [[1, 2, 3, 0], (a) => a.set([9, 8], a.at(':2')), [1, 9, 8, 0]],
    [[3, 1, 2, 0], (a) => a.set(a.at(a.greater(1)).at('::-1'), a.greater(1)), [2, 1, 3, 0]], [[3, 1, 2, 0], (a) => np.put(a, a, [10, 20, 30, 40]), [40, 20, 30, 10]],
    [[true, false, true], (a) => a.set(false, a), [false, false, false]], [[1, 2, 0], (a) => np.put_along_axis(a, a, a, 0), [0, 1, 2]], [[1, 2, 0], (a) => np.take(a, a, { out: a }), [2, 0, 1]],
    [[0, 1, 2, 3, 4, 5], (a) => a.set(a.at(':-1'), '1:'), [0, 0, 1, 2, 3, 4]], [[3, 1, 2, 0], (a) => np.place(a, a.greater(0), a), [3, 1, 2, 0]], [[[1, 0], [0, 1]], (a) => a.set(a.at(0), a.at(0), a.at(1)), [[1, 0], [1, 1]]],
    [[true, true, false], (a) => np.copyto(a, [false, false, false], { where: a }), [false, false, false]], [[2, 0, 1], (a) => a.set(a.at(a).add(1), a), [3, 1, 2]], [[0, 1, 2, 3], (a) => a.set(a.at([0, 0, 1]).add(1), [0, 0, 1]), [1, 2, 2, 3]],
  ];
  for (const [list, store, expected] of cases) {
    const compiled = np.compile((a) => { store(a); });
    for (let i = 0; i < rounds; ++i)
      for (const run of [store, compiled]) {
        const a = np.array(list);
        run(a);
        assert.deepEqual(a.tolist(), expected, String(store));
      }
  }
});

test('views that are taken in a compiled function', () => {
  const cases = [
    [(a) => { const { data } = a; a.iadd(1); return data[0]; }, 2], [(a) => { const v = a.at('1:'), { data } = v; a.imultiply(3); return data[0]; }, 3],
    [(a) => { const y = a.add(1), { data } = y; y.iadd(5); return data[0]; }, 7], [(a) => { const { data } = a, y = a.multiply(2); data[0] = 100; return y.item(0); }, 2],
    [(a) => { a.iadd(1); const { data } = a; data[0] = 50; a.iadd(1); return [data[0], a.sum().item()].join(); }, '51,57'],
    [(a) => { const { data } = a; np.compile((x) => { x.iadd(4); })(a); return data[0]; }, 5],
    [(a) => { const data = np.compile((x) => x.data)(a); a.iadd(6); return data[0]; }, 7],
    [(a) => { const data = np.disable((x) => x.data)(a); a.iadd(6); return data[0]; }, 7],
    [(a) => { const data = np.tidy(() => a.data); a.iadd(2); return data[2]; }, 3],
    [(a) => { const { data } = a; a.set(np.arange(3, { dtype: 'float64' })); return data.join(); }, '0,1,2'],
    [(a) => { const { data } = a; np.add(a, 1, { out: a }); np.put(a, [0], 9); return data.join(); }, '9,2,2'],
  ];
  for (const [body, expected] of cases) {
    const f = np.compile(body);
    for (let i = 0; i < rounds; ++i) assert.equal(f(np.ones(3)), expected, String(body));
  }
  const plain = np.compile((a) => { a.iadd(1); return a.multiply(2); });
  for (let i = 0; i < rounds; ++i) assert.deepEqual(plain(np.ones(2)).tolist(), [4, 4]);
  assert.equal(np.explain(plain, np.ones(2)).graph_count, 1); // recorded as ever
  const strict = np.compile((a) => { const { data } = a.add(1); return data[0]; }, { fullgraph: true });
  assert.throws(() => strict(np.ones(2)), { name: 'GraphBreakError' });
  assert.deepEqual(plain(np.ones(2)).tolist(), [4, 4]);
});

test('a view outlives its array and the growth of memory as typed arrays do: it is empty', () => {
  const a = np.arange(4), view = a.data, held = np.zeros([np.memory()], { dtype: 'uint8' });
  assert.deepEqual([view.length, a.data.length, a.tolist()], [0, 4, [0, 1, 2, 3]]);
  held.dispose();
});

test('a copy of a view whose memory grows meanwhile', () => {
  const a = np.arange(2 ** 20, { dtype: 'float32' }), held = [];
  for (let i = 0; i < 30; ++i) { // new memory is asked for from time to time
    const { data } = a;
    const b = np.array(data), c = np.zeros(2 ** 20, 'float32').set(a.data), d = np.stack([a.data, new Float32Array(2 ** 20)]);
    held.push(b, c, d);
    assert.deepEqual([b.item(-1), c.item(-1), d.item(0, -1), d.item(1, -1), b.sum().item() === a.sum().item()], [2 ** 20 - 1, 2 ** 20 - 1, 2 ** 20 - 1, 0, true]);
  }
  const moved = new Float64Array([1, 2]);
  structuredClone(moved, { transfer: [moved.buffer] });
  for (const use of [() => np.array(moved), () => np.add(moved, 1), () => np.array([moved])]) assert.throws(use, { name: 'ValueError', message: /^numjit: the typed array's memory is gone\./ });
  assert.deepEqual(np.array(new Float64Array(0)).shape, [0]);
  for (const array of held) array.dispose();
});

test('arrays that are disposed of while a call looks at them', () => {
  const fill = () => { for (let i = 0; i < 50; ++i) np.full(3, 9).dispose(); };
  const before = np.liveArrays();
  const first = np.compile((a) => { const y = a.add(1); a.dispose(); fill(); return y; }), last = np.compile((a) => { a.dispose(); fill(); return np.ones(3); });
  const nested = np.compile((a) => { const y = np.compile((x) => { const z = x.add(1); a.dispose(); fill(); return z; })(a); fill(); return y; });
  for (let i = 0; i < rounds; ++i) {
    const [x, y, z] = [first(np.array([1, 2, 3])), last(np.array([1, 2, 3])), nested(np.array([1, 2, 3]))];
    assert.deepEqual([x.tolist(), y.tolist(), z.tolist()], [[2, 3, 4], [1, 1, 1], [2, 3, 4]]);
    for (const a of [x, y, z]) a.dispose();
  }
  const a = np.array([1, 2, 3]), b = np.array([4, 5, 6]), list = [a, null];
  Object.defineProperty(list, 1, { get() { a.dispose(); fill(); return b; } });
  assert.deepEqual(np.tidy(() => np.stack(list).tolist()), [[1, 2, 3], [4, 5, 6]]);
  const c = np.array([1, 2, 3]);
  assert.equal(np.tidy(() => np.sum(c, { get axis() { c.dispose(); fill(); return 0; } }).item()), 6);
  b.dispose();
  b.dispose();
  assert.equal(np.liveArrays(), before);
  for (const use of [() => a.sum(), () => np.add(1, a), () => np.stack([a]), () => np.ones(2).set(a), () => np.ones(2).at(a), () => a.data, () => a.shape, () => np.add(1, 1, { out: a }), () => np.keep(a), () => first(a), () => a.pack()])
    assert.throws(use, { name: 'ValueError', message: 'numjit: this array was disposed of.' });
  const unreal = 'numjit: dispose() of what stands for an array (a Proxy, Object.create) and is none.';
  const real = np.ones(2);
  assert.throws(() => Object.create(real).dispose(), { name: 'TypeError', message: unreal });
  assert.deepEqual(real.add(1).tolist(), [2, 2]);
});

test('functions that throw, call themselves or go on after they have returned', async () => {
  const h = np.compile((n) => (n.item() > 0 ? h(n.subtract(1)) : n));
  assert.equal(h(np.array(5)).item(), 0);
  for (const mode of ['rerun', 'replay']) {
    const endless = np.compile((x) => endless(x), { mode });
    assert.throws(() => endless(np.ones(1)), { name: 'RangeError', message: 'compile: calls inside each other more than 1000 deep. Hint: does a compiled function call itself without an end?' });
  }
  const onAndOn = (x) => np.tidy(() => onAndOn(np.compile((y) => { const { data } = y; return np.array([data[0]]); })(x)));
  assert.throws(() => onAndOn(np.ones(1)), { name: 'RangeError' }); // the machine's own stack
  assert.deepEqual([np.arange(2).scope, np.explain(np.compile((x) => x.add(1).multiply(2)), np.ones(2)).graph_count], [null, 1]);
  const before = np.liveArrays();
  const failing = np.compile((a) => { np.compile((b) => { b.add(1); throw new RangeError('mine'); })(a.add(1)); });
  for (let i = 0; i < rounds; ++i) assert.throws(() => np.tidy(() => failing(np.ones(2))), { name: 'RangeError', message: 'mine' });
  assert.equal(np.liveArrays(), before);
  const goesOn = /^compile: got .*, which goes on after it has returned \(async, function\*\), expected one that ends when it returns\.$/;
  for (const f of [async (a) => a, function* f() { yield 1; }, async function* g() { yield 1; }]) assert.throws(() => np.compile(f), { name: 'TypeError', message: goesOn });
  const later = np.compile((a) => Promise.reject(new Error(String(a.size))), { name: 'later' });
  assert.throws(() => later(np.ones(2)), { name: 'TypeError', message: 'compile: later: got a function that returns a promise, expected one that ends when it returns.' });
  assert.throws(() => np.tidy(() => Promise.reject(new Error('lost'))), { name: 'TypeError', message: /returns a promise/ });
  await new Promise((go) => setTimeout(go));

  // Tasks by turns: what one holds, another's scopes leave alone.
  const task = async (n) => {
    const mine = np.tidy(() => np.ones(n).add(n));
    for (let i = 0; i < 5; ++i) {
      await null;
      np.tidy(() => { np.zeros(n); });
      np.compile((a) => { a.iadd(1); })(mine);
    }
    return mine.sum().item();
  };
  assert.deepEqual(await Promise.all([1, 2, 3].map(task)), [7, 16, 27]);
  function* steps(n) {
    const mine = np.tidy(() => np.full(n, 2));
    yield np.tidy(() => mine.add(1));
    yield mine;
  }
  const [one, two] = [steps(2), steps(3)], got = np.tidy(() => [one.next().value, two.next().value]);
  two.return();
  assert.deepEqual([got[0].tolist(), got[1].tolist()], [[3, 3], [3, 3, 3]]);
  assert.throws(() => one.next().value.sum(), { name: 'ValueError', message: /ended with the compiled call or np.tidy/ });

  const ring = { list: [] };
  ring.list.push(ring);
  assert.deepEqual(np.tidy(() => { ring.a = np.arange(2); return ring; }).a.tolist(), [0, 1]);
  assert.throws(() => np.compile((a) => a, { mode: 'replay', name: 'f' })(np.ones(1), ring), { name: 'TypeError', message: /^compile: mode replay of f: got lists or objects inside each other more than 64 deep \(or in a circle\)/ });
  assert.equal(np.compile((a) => a)(np.ones(1), ring).item(), 1);
});

test('options of np.compile that there are not', () => {
  const refuses = (options, name, message) => assert.throws(() => np.compile((x) => x, options), { name, message });
  refuses(null, 'TypeError', 'compile: got null, expected an object of options: compile(f, { fullgraph: true }).');
  refuses({ fullgrap: true }, 'TypeError', "compile: unexpected option 'fullgrap', expected one of name, fullgraph, dynamic, mode, verify_replay. Hint: fullgraph.");
  refuses({ fullgraph: 'no' }, 'ValueError', "compile: fullgraph: got 'no', expected true or false.");
  refuses({ name: 5 }, 'ValueError', 'compile: name: got 5, expected a text.');
  refuses({ verify_replay: 1.5 }, 'ValueError', 'compile: verify_replay: got 1.5, expected a whole number from 0 on.');
  refuses({ dynamic: 'toString' }, 'ValueError', "compile: dynamic: got 'toString', expected 'automatic', 'yes' or 'no'.");
  assert.throws(() => np.disable(5), { name: 'TypeError', message: 'disable: got 5, expected a function.' });
  assert.throws(() => np.tidy(5), { name: 'TypeError', message: 'np.tidy: got 5, expected a function.' });
  assert.throws(() => np.explain(null), { name: 'TypeError', message: 'explain: got null, expected one of np.compile.' });
  assert.throws(() => np.setLogs(null), { name: 'TypeError', message: 'setLogs: got null, expected an object: setLogs({ graph_breaks: true }).' });
});

test('errors that depend on values arise at the latest when the call ends', () => {
  const f = np.compile((a, i) => { const y = a.add(1); a.iadd(1); np.take(y, i); return y; });
  for (let round = 0; round < 3; ++round) {
    const a = np.zeros(3);
    assert.throws(() => f(a, np.array([100])), { name: 'IndexError', message: /index 100 is out of bounds for axis 0 with size 3/ });
    assert.deepEqual(a.tolist(), [1, 1, 1]);
    assert.deepEqual(f(a, np.array([2])).tolist(), [2, 2, 2]);
  }
});

test('generators', () => {
  const rng = np.random.default_rng(5);
  rng.dispose();
  rng.dispose();
  assert.throws(() => rng.random(3), { name: 'ValueError', message: 'np.random: this generator was disposed of.' });
  assert.throws(() => rng.random.call({ id: 0 }, 3), { name: 'TypeError', message: 'np.random: got Object, expected a generator of this numjit.' });
});

test('what is sent to workers', async () => {
  const jobs = await startWorker(new URL('worker_jobs.mjs', import.meta.url));
  const name = 'view', gone = np.ones(2), ring = [];
  gone.dispose();
  ring.push(ring);
  const source = np.arange(3), view = await jobs.view(source);
  assert.deepEqual([[...view], view.buffer.byteLength, [...(await jobs.view(source.data))]], [[0n, 1n, 2n], 24, [0n, 1n, 2n]]); // no memory of a module travels
  assert.throws(() => transfer(source.data), { name: 'TypeError', message: "transfer: got a view of an array's elements, which can not leave their module. Hint: transfer(a.toTypedArray())." });
  assert.throws(() => transfer(3), { name: 'TypeError', message: 'transfer: got 3, expected a typed array.' });
  await assert.rejects(jobs[name](gone), { name: 'ValueError', message: 'numjit: this array was disposed of.' });
  await assert.rejects(jobs[name](ring), { name: 'TypeError', message: 'numjit: got lists or objects inside each other more than 64 deep (or in a circle), expected what a worker can be sent.' });
  await assert.rejects(startWorker(new URL('taken_jobs.mjs', import.meta.url)), { name: 'TypeError', message: "startWorker: got a job of the name 'terminate', which ends the worker." });
  assert.throws(() => connect(null), { name: 'TypeError', message: 'connect: got null, expected the np of load().' });
  assert.throws(() => connect(np, { interval: 'x' }), { name: 'RangeError', message: "connect: interval: got 'x', expected milliseconds." });
  jobs.terminate();
});
