// JavaScript's values that become arrays, and those that do not: NumPy's answer, or an error that names the place. Expected are NumPy's
// results.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

const { load, Complex } = await import(new URL('numjit.js', pathToFileURL(`${process.env.NUMJIT_PACKAGE}/`)));
const np = await load(), other = await load({ fresh: true });
const of = (a) => [a.tolist(), a.dtype.name];
const expected = ', expected a number, an array, or a list of them.';
const refuses = (run, name, message) => assert.throws(run, { name, message });

test('what is no number, by its place', () => {
  const cases = [
    [[1, undefined], "undefined at [1]"], [[1, , 3], 'undefined at [1]'], [[true, undefined], 'undefined at [1]'], [[null], 'null at [0]'], // eslint-disable-line no-sparse-arrays
    [[[0, 1], [2, undefined]], 'undefined at [1][1]'], [[[[1], [null]]], 'null at [0][1][0]'], [new Array(3), 'undefined at [0]'], [['1', 2], "'1' at [0]"],
    [[1, 'a'.repeat(50)], `'${'a'.repeat(40)}...' at [1]`], [[Symbol('s')], 'a symbol at [0]'], [[1, function twice() {}], 'the function twice at [1]'], [[{}], 'Object at [0]'],
    [[[new Date(0)]], 'Date at [0][0]'], [[new Map()], 'Map at [0]'], [[Object.create(null)], 'an object at [0]'], [[{ constructor: 5 }], 'an object at [0]'], [[np.slice(1)], 'Object at [0]'],
    [[np.float32], 'the dtype float32 at [0]'], [[new ArrayBuffer(8)], 'ArrayBuffer at [0]'], [[Promise.resolve(1)], 'Promise at [0]'],
  ];
  for (const [list, got] of cases) {
    const message = `numjit: got ${got}${expected}`;
    for (const run of [() => np.array(list), () => np.asarray(list, 'float64'), () => np.add(list, 1), () => np.ones(3).set(list), () => np.ones(3).at(list), () => np.sum(list),
      () => np.stack([np.ones(2), list].slice(1)), () => np.ones(2).add(list)])
      assert.throws(run, ({ name, message: text }) => name === 'TypeError' && (text === message || text === message.replace(' at [', ' at [0][')), String(run));
  }
  refuses(() => np.zeros([2, undefined]), 'TypeError', `numjit: got undefined at [1]${expected}`);
  refuses(() => np.sum(np.ones([2, 2]), { axis: [0, null] }), 'TypeError', `numjit: got null at [1]${expected}`);
  refuses(() => np.sum(Symbol('s')), 'TypeError', 'numjit: got a symbol, expected an array, a number, a string, a slice, a dtype, or a list of them.');
  refuses(() => np.add(np.ones(2), () => 1), 'TypeError', 'numjit: got a function, expected an array, a number, a string, a slice, a dtype, or a list of them.');
});

test('options are checked whatever the array is made of, and arguments are not dropped', () => {
  for (const value of [2n ** 63n, [2n ** 63n], [1, np.ones([])], new Float32Array(1), np.ones(1).pack(), 1, [1]]) {
    for (const [wrong, got] of [[[1], 'a list'], ['float23', "'float23'"]])
      refuses(() => np.array(value, wrong), 'TypeError', `dtype: got ${got}, expected a dtype or its name.`);
    refuses(() => np.array(value, () => 1), 'TypeError', 'numjit: got a function, expected an array, a number, a string, a slice, a dtype, or a list of them.');
    refuses(() => np.array(value, { nonsense: 1 }), 'TypeError', "[array] unexpected option 'nonsense', expected one of object, dtype, order.");
    assert.deepEqual(np.array(value, { dtype: 'float32', order: 'F' }).dtype, np.float32);
  }
  const a = np.ones([2, 3]);
  for (const view of [a.transpose(), a.transpose(1, 0), a.transpose([1, 0]), a.transpose({ axes: [1, 0] }), a.permute_dims(1, 0)]) assert.deepEqual(view.shape, [3, 2]);
  assert.deepEqual([a.reshape(3, 2).shape, a.reshape([6]).shape, a.reshape({ shape: [1, 6] }).shape, a.reshape(2, -1, { order: 'F' }).shape], [[3, 2], [6], [1, 6], [2, 3]]);
  for (const [method, text] of [['transpose', '[transpose] takes 2 arguments, got more.'], ['permute_dims', '[transpose] takes 2 arguments, got more.'],
    ['reshape', '[reshape] takes 3 arguments, got more. Hint: { copy: ... } is an option.']])
    refuses(() => a[method]([0, 1], 'C', [[1]]), 'TypeError', text);
  const safe = 'shape: got 9007199254740992, expected lengths below 2**53, which numbers of JavaScript tell apart.';
  refuses(() => np.zeros([0]).reshape(3n, 0n, 2 ** 53), 'ValueError', safe);
  for (const run of [() => np.zeros([0, 2 ** 53]), () => np.vander([], 2 ** 53), () => np.broadcast_to(1, [2 ** 53])]) refuses(run, 'ValueError', safe);
  assert.deepEqual(np.zeros([0, 2 ** 53 - 1]).shape, [0, 2 ** 53 - 1]);
  refuses(() => np.ones(4).reshape(np.array(2n ** 64n - 4n)), 'TypeError', 'shape: got an array, expected an integer.');
});

test('lists of several lengths', () => {
  const words = (after, shape, rest) => '[array] setting an array element with a sequence. The requested array has an inhomogeneous shape after '
    + `${after} dimensions. The detected shape was (${shape}) + inhomogeneous part: got ${rest}.`;
  refuses(() => np.array([[1, 2], [3]]), 'ValueError', words(1, '2,', 'a list of length 1 at [1], expected a list of length 2'));
  refuses(() => np.array([1, [2]]), 'ValueError', words(1, '2,', 'a list of length 1 at [1], expected a number'));
  refuses(() => np.array([[1], 2]), 'ValueError', words(1, '2,', '2 at [1], expected a list of length 1'));
  refuses(() => np.array([[], [1]]), 'ValueError', words(1, '2,', 'a list of length 1 at [1], expected a list of length 0'));
  refuses(() => np.array([[[1, 2]], [[3]]], 'float32'), 'ValueError', words(2, '2, 1', 'a list of length 1 at [1][0], expected a list of length 2'));
  refuses(() => np.ones([2, 2]).set([[1, 2], [3]]), 'ValueError', words(1, '2,', 'a list of length 1 at [1], expected a list of length 2'));
  refuses(() => np.array([new Float32Array(2), new Float32Array(3)]), 'ValueError', '[stack] all input arrays must have the same shape');
});

test('lists in lists without an end', () => {
  let deep = 1;
  for (let i = 0; i < 100_000; ++i) deep = [deep];
  const ring = [1, 2], both = [[1], null], tower = [];
  ring.push(ring);
  both[1] = [both];
  tower.push(tower);
  for (const list of [deep, ring, both, tower])
    for (const run of [() => np.array(list), () => np.add(list, 1), () => np.ones(3).set(list), () => np.zeros(list), () => np.ones(3).at(list), () => np.concatenate(list)])
      assert.throws(run, ({ name, message }) => (name === 'ValueError' && /would exceed the maximum number of dimension of 64\. Hint: does a list hold itself\?$/.test(message))
        || /inhomogeneous shape|expected a number, an array/.test(message), String(run));
  const list = [1, 2, 3];
  const growing = new Proxy(list, { get(target, key) { if (key === '0') target.push(9); return target[key]; } });
  assert.ok(np.add(growing, 0).size >= 3);
  const shrinking = new Proxy([1, 2, 3], { get(target, key) { if (key === '0') target.length = 1; return target[key]; } });
  refuses(() => np.add(shrinking, 0), 'TypeError', `numjit: got undefined at [1]${expected}`);
});

test('integers of any size', () => {
  assert.deepEqual(of(np.array([2n ** 63n])), [[2n ** 63n], 'uint64']);
  assert.deepEqual(of(np.array([[2n ** 63n], [true]])), [[[2n ** 63n], [1]], 'uint64']);
  assert.deepEqual(of(np.array([2n ** 63n, 1])), [[2 ** 63, 1], 'float64']);
  assert.deepEqual(of(np.array([2n ** 63n, -1n])), [[2 ** 63, -1], 'float64']);
  assert.deepEqual(of(np.array([2n ** 63n, 1.5])), [[2 ** 63, 1.5], 'float64']);
  assert.deepEqual(of(np.array([1n, 2])), [[1, 2], 'int64']);
  assert.deepEqual(of(np.array([1n, 2.5])), [[1, 2.5], 'float64']);
  assert.deepEqual(of(np.array([1n, true])), [[1, 1], 'int64']);
  assert.deepEqual(of(np.array(2n ** 64n - 1n)), [2n ** 64n - 1n, 'uint64']);
  assert.deepEqual(of(np.array([2n ** 64n - 1n, 5], 'uint64')), [[2n ** 64n - 1n, 5], 'uint64']);
  assert.deepEqual(of(np.array([2n ** 70n], 'float64')), [[2 ** 70], 'float64']);
  assert.deepEqual(of(np.asarray([[-(2n ** 63n), 2n ** 63n - 1n]])), [[[-(2n ** 63n), 2n ** 63n - 1n]], 'int64']);
  assert.deepEqual(of(np.zeros(2, 'uint64').add(2n ** 63n)), [[2n ** 63n, 2n ** 63n], 'uint64']);
  assert.deepEqual(of(np.zeros(2, 'float32').add(2n ** 63n)), [[2 ** 63, 2 ** 63], 'float32']);
  assert.deepEqual(np.zeros(2, 'uint64').set(2n ** 64n - 1n).tolist(), [2n ** 64n - 1n, 2n ** 64n - 1n]);
  assert.deepEqual(np.zeros(2, 'uint64').set([2n ** 64n - 1n, 7]).tolist(), [2n ** 64n - 1n, 7]);
  refuses(() => np.array([1n, 2n ** 64n]), 'OverflowError', '[array] Python integer 18446744073709551616 out of bounds for int64 and uint64 at [1]');
  refuses(() => np.array(-(2n ** 63n) - 1n), 'OverflowError', '[array] Python integer -9223372036854775809 out of bounds for int64 and uint64');
  refuses(() => np.array([2n ** 63n], 'int64'), 'OverflowError', '[array] Python integer 9223372036854775808 out of bounds for int64 at [0]');
  refuses(() => np.array([2n ** 64n], 'uint64'), 'OverflowError', '[array] Python integer 18446744073709551616 out of bounds for uint64 at [0]');
  refuses(() => np.array([10n ** 400n], 'float64'), 'OverflowError', '[array] int too large to convert to float at [0]');
  refuses(() => np.zeros(2, 'int64').add(2n ** 63n), 'OverflowError', '[array] Python integer 9223372036854775808 out of bounds for int64');
  refuses(() => np.zeros(2, 'uint64').add(2n ** 64n), 'OverflowError', '[array] Python integer 18446744073709551616 out of bounds for uint64');
  refuses(() => np.ones(2, 'int8').right_shift(-(2n ** 63n) - 1n), 'OverflowError', '[array] Python integer -9223372036854775809 out of bounds for int8');
  refuses(() => np.add(2n ** 63n, np.ones(2, 'bool')), 'OverflowError', '[array] Python integer 9223372036854775808 out of bounds for int64');
  refuses(() => np.sum([2n ** 63n]), 'OverflowError', "numjit: Python integer 9223372036854775808 out of bounds for int64 at [0]. Hint: np.array(value, 'uint64').");
  refuses(() => np.zeros(2n ** 80n), 'OverflowError', "numjit: Python integer 1208925819614629174706176 out of bounds for int64. Hint: np.array(value, 'uint64').");
});

test('numbers that a dtype has not', () => {
  const error = (list, dtype, name, message) => {
    refuses(() => np.array(list, dtype), name, message);
    refuses(() => np.array(list, { dtype }), name, message);
    refuses(() => np.asarray(list, np[dtype]), name, message);
    refuses(() => np.zeros([np.array(list.map(Number)).size], dtype).set(list), name, message);
  };
  error([NaN], 'int32', 'ValueError', '[array] cannot convert float NaN to integer at [0]');
  error([1, Infinity], 'uint8', 'OverflowError', '[array] cannot convert float infinity to integer at [1]');
  error([1, 300], 'uint8', 'OverflowError', '[array] Python integer 300 out of bounds for uint8 at [1]');
  error([-1], 'uint64', 'OverflowError', '[array] Python integer -1 out of bounds for uint64 at [0]');
  error([-1.5], 'uint8', 'OverflowError', '[array] Python integer -1 out of bounds for uint8 at [0]');
  error([3e9], 'int32', 'OverflowError', '[array] Python integer 3000000000 out of bounds for int32 at [0]');
  error([1e20], 'int64', 'OverflowError', '[array] Python integer 100000000000000000000 out of bounds for int64 at [0]');
  error([128n], 'int8', 'OverflowError', '[array] Python integer 128 out of bounds for int8 at [0]');
  refuses(() => np.array([[1], [np.complex(0, 1)]], 'float32'), 'TypeError', "[array] float() argument must be a string or a real number, not 'complex' at [1][0]");
  refuses(() => np.array([new Complex(0, 1)], 'int8'), 'TypeError', "[array] int() argument must be a string, a bytes-like object or a real number, not 'complex' at [0]");
  refuses(() => np.array(300, 'uint8'), 'OverflowError', '[array] Python integer 300 out of bounds for uint8');
  refuses(() => np.ones(2, 'uint8').set(300), 'OverflowError', '[store] Python integer 300 out of bounds for uint8');
  refuses(() => np.ones(2, 'int32').set(NaN), 'ValueError', '[store] cannot convert float NaN to integer');
  assert.deepEqual(of(np.array([1.9, -1.9, 127], 'int8')), [[1, -1, 127], 'int8']);
  assert.deepEqual(of(np.array([-128, -128.9, 127.9], 'int8')), [[-128, -128, 127], 'int8']);
  assert.deepEqual(of(np.array([NaN, 0, 5, 2n], 'bool')), [[true, false, true, true], 'bool']);
  assert.deepEqual(of(np.array([1e39, 1e400], 'float32')), [[Infinity, Infinity], 'float32']);
  assert.deepEqual(of(np.array([np.float(2), true], 'int16')), [[2, 1], 'int16']);
});

test('arrays beside lists, packed arrays, numbers of their own kinds', () => {
  assert.deepEqual(of(np.array([new Float32Array([1, 2]), new Float32Array([3, 4])])), [[[1, 2], [3, 4]], 'float32']);
  assert.deepEqual(of(np.array([new Float32Array([1, 2]), [3, 4]])), [[[1, 2], [3, 4]], 'float64']);
  assert.deepEqual(of(np.array([[1, 2], np.array([3, 4])])), [[[1, 2], [3, 4]], 'int64']);
  assert.deepEqual(of(np.array([[np.array(1), 2], [3, 4]], 'float32')), [[[1, 2], [3, 4]], 'float32']);
  for (const a of [np.array([[1.5, -2]], 'float16'), np.array([np.complex(1, -2), np.complex(3)], 'complex64'), np.array([true, false]), np.array([2n ** 64n - 1n]), np.zeros([0, 2]), np.array(7)])
    assert.deepEqual([of(np.array(structuredClone(a.pack()))), np.array(a.pack()).shape], [of(a), a.shape]);
  refuses(() => np.array({ shape: [1], dtype: 'float23', data: new Float32Array(1) }), 'TypeError', "np.array: dtype: got 'float23', expected the name of one: 'float32'.");
  refuses(() => np.array({ shape: [3], dtype: 'float32', data: new Float32Array(1) }), 'ValueError', '[reshape] cannot reshape array of size 1 into shape (3,)');
  assert.equal(JSON.stringify({ a: np.array([[1, 2.5]]), b: np.array(true) }), '{"a":[[1,2.5]],"b":true}');
  refuses(() => np.add(structuredClone(np.ones(2)), 1), 'TypeError', "numjit: got a copy of an array's handle, as structuredClone() and postMessage() make it. Hint: send a.pack(), make an array of it by np.array().");
  refuses(() => new np.NDArray(1234), 'TypeError', 'numjit: arrays are made by np.array(), np.zeros() and the like, not by new NDArray().');
  refuses(() => np.float('2'), 'TypeError', "np.float: got '2', expected a number.");
  refuses(() => np.recording(null), 'TypeError', 'np.recording: got null, expected an object: recording({ missing: true }).');
  refuses(() => np.complex(1, null), 'TypeError', 'np.complex: got null, expected a number.');
  refuses(() => [...np.array(3)], 'TypeError', 'iteration over a 0-d array');
  refuses(() => np.ones(3).iadd(1, 2), 'TypeError', 'numjit: iadd takes one argument, got 2. Hint: np.add(a, b, { out: a, where }) has options.');
  const index = "numjit: got the index undefined, expected integers, slices, '...', null (a new axis), arrays or lists. Hint: was it never set?";
  refuses(() => np.ones(3).at(undefined), 'IndexError', index);
  refuses(() => np.ones(3).set(1, undefined), 'IndexError', index);
  assert.deepEqual(np.asarray([[1, 2]], 'float32', 'F').strides, [4, 4]);
  assert.deepEqual(np.array([[1, 2], [3, 4]], null, 'F').strides, [8, 16]);
  refuses(() => np.array([1], 'int8', 'C', 5), 'TypeError', '[array] takes 3 arguments, got more.');
});

test('what is true or false, and the other names of dtypes', () => {
  const a = np.ones([2, 2]);
  refuses(() => np.sum(a, { keepdims: 'false' }), 'TypeError', "[sum] keepdims: got 'false', expected true or false.");
  refuses(() => a.sum(0, null, null, 'no'), 'TypeError', "[sum] keepdims: got 'no', expected true or false.");
  refuses(() => np.linspace(0, 1, 3, { endpoint: [] }), 'TypeError', '[linspace] endpoint: got a list, expected true or false.');
  refuses(() => np.unique(a, { return_counts: 'yes' }), 'TypeError', "[unique] return_counts: got 'yes', expected true or false.");
  assert.deepEqual([a.sum(0, { keepdims: 1 }).shape, a.sum({ axis: 0, keepdims: np.array(true) }).shape, a.sum({ axis: 0, keepdims: null }).shape], [[1, 2], [1, 2], [2]]);
  refuses(() => np.add(1, 2, { dtype: [1] }), 'TypeError', 'dtype: got a list, expected a dtype or its name.');
  for (const [name, type] of Object.entries({ bool: 'bool', single: 'float32', intc: 'int32', ubyte: 'uint8', long: 'int64', cdouble: 'complex128', half: 'float16', uintp: 'uint64' }))
    assert.equal(np.zeros(1, { dtype: np[name] }).dtype.name, type);
});

test('arrays of another module, by every way in', async () => {
  const a = np.array([10, 20]), b = other.array([1, 2]), { prototype } = np.NDArray;
  const message = 'numjit: got an array of shape (2) and dtype int64 that belongs to another numjit: its module came by load() with other options. '
    + 'Hint: np.array(a.pack()) copies it into this one.';
  const ways = [
    () => a.add(b), () => b.add(a), () => a.iadd(b), () => np.add(b, 1), () => np.add(1, b), () => np.sqrt(b), () => np.sum(b), () => np.sum(a, { where: b }), () => np.sum(a, { out: b }), () => np.concatenate(b),
    () => np.add(a, 1, { out: b }), () => np.add(a, 1, { where: b, out: a }), () => np.add.at(a, b, 1), () => np.add.reduce(b), () => np.add.outer(a, b), () => np.where(b, 1, 2), () => a.at(b), () => a.at(0, b),
    () => a.set(b), () => a.set(1, b), () => np.array(b), () => np.asarray(b), () => np.einsum('i,i', a, b), () => np.matmul(a, b), () => a.sum({ axis: b }), () => np.copyto(a, b), () => np.toNpy(b),
    () => np.tidy(() => b), () => np.tidy(() => ({ list: [b] })), () => np.keep(b), () => np.compile((x) => x)(b), () => np.compile(() => a.add(b))(), () => np.compile((x) => x, { mode: 'replay' })(b),
    () => np.compile((x) => x, { mode: 'replay' })({ b }), () => np.toImageData(b), () => prototype.dispose.call(b), () => prototype.sum.call(b), () => prototype.add.call(b, 1), () => prototype.at.call(b, 0),
    () => prototype.set.call(b, 0), () => prototype.set.call(b, [0, 1]), () => prototype.tolist.call(b), () => prototype.pack.call(b), () => prototype.reshape.call(b, 2), () => String(prototype.toString.call(b)), () => prototype.checked.call(b),
    () => Object.getOwnPropertyDescriptor(prototype, 'data').get.call(b), () => Object.getOwnPropertyDescriptor(prototype, 'shape').get.call(b), () => np.random.default_rng(1).choice(b), () => np.fft.fft(b), () => np.linalg.norm(b),
  ];
  for (const way of ways) assert.throws(way, ({ name, message: text }) => name === 'TypeError' && text.replace(' at [1]', '') === message, String(way));
  refuses(() => np.stack([a, b]), 'TypeError', message.replace('int64 that', 'int64 at [1] that'));
  refuses(() => np.random.Generator.prototype.random.call(other.random.default_rng(1)), 'TypeError', 'np.random: got Generator, expected a generator of this numjit.');
  refuses(() => np.explain(other.compile((x) => x), a), 'TypeError', 'explain: got a compiled function of another numjit, whose module came by load() with other options.');
  assert.deepEqual([a.tolist(), b.tolist(), np.array(b.pack()).add(a).tolist()], [[10, 20], [1, 2], [11, 22]]);
  assert.deepEqual(np.zeros(2, other.float32).dtype.name, 'float32');
  assert.deepEqual(np.arange(5).at(other.slice(1, 3)).tolist(), [1, 2]);
  b.dispose();
  refuses(() => a.add(b), 'TypeError', message.replace(' of shape (2) and dtype int64', ''));
});
