// The hunter's own thread: calls everything that the package exports with values of all kinds, until its time is over. What it is about
// stands in shared memory, so that a call that never ends is known. See hunter_test.mjs.
import { workerData, parentPort } from 'node:worker_threads';

const { folder, build, seed, seconds, shared } = workerData;
const { load, Complex } = await import(new URL('numjit.js', folder));

/** Numbers from 0 to 1, by mulberry32. */
function stream(from) {
  let state = from >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
const next = stream(seed);
const among = (list) => list[Math.floor(next() * list.length)];
const chance = (p) => next() < p;

const np = await load({ build, fresh: true }), other = await load({ build, fresh: true });
await np.complete();
await np.linalg.load();

const mine = 'the hunter threw this';
const disposed = np.ones(3), foreign = other.arange(3);
disposed.dispose();
const ended = [];
np.tidy(() => { ended.push(np.ones(2)); });
const detached = new Float64Array(3);
structuredClone(detached, { transfer: [detached.buffer] });
const circle = [1];
circle.push(circle);
let deep = 1;
for (let i = 0; i < 20_000; ++i) deep = [deep];

const dtypes = ['bool', 'int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64', 'float16', 'float32', 'float64', 'complex64', 'complex128'];
const shapes = [[], [0], [1], [3], [2, 3], [3, 3], [2, 0, 3], [2, 2, 2], [1, 3]];
function someArray() {
  const dtype = among(dtypes), shape = among(shapes), whole = np.arange(shape.reduce((n, m) => n * m, 1)).reshape(shape).astype(dtype);
  if (shape.length === 0 || chance(0.6)) return whole;
  return among([() => whole.T, () => whole.at(np.slice(null, null, -1)), () => np.broadcast_to(whole, [2, ...shape]), () => whole.at('...', np.slice(null, null, 2))])();
}

/** A list that says another length at each reading. */
const changing = new Proxy([1, 2, 3], { get: (list, key) => (key === 'length' ? 3 + Math.floor(next() * 3) : list[key]) });

class Stranger {
  x = 1;
}
const names = ['axis', 'dtype', 'out', 'where', 'keepdims', 'initial', 'order', 'size', 'shape', 'k', 'n', 'mode', 'ddof', 'axes', 'bins', 'range', 'weights', 'indexing',
  'return_counts', 'p', 'fill_value', 'decimals', 'constant_values', 'stop', 'num', 'base', 'name', 'fullgraph', 'into', 'missing', 'build', 'nonsense', 'handle', '__proto__'];
const plain = [undefined, null, true, false, 0, 1, 2, -1, 3, 0.5, -0, 7, -5, NaN, Infinity, -Infinity, 2 ** 33, -(2 ** 33), 2 ** 53, 2 ** 63, -(2 ** 63), 1e300, 5e-324, 0n, 3n, -1n,
  2n ** 63n, -(2n ** 63n) - 1n, 10n ** 40n, '', 'a', ':', '1:', '::2', '...', '0, 0', '::0', 'float32', 'int8', 'raise', 'clip', 'C', 'F', 'ij,jk->ik', 'valid', 'edge', 'constant', '\0', '[object Object]'];
const made = {
  plain: () => among(plain),
  array: someArray,
  list: () => Array.from({ length: Math.floor(next() * 4) }, () => value(1)),
  numbers: () => Array.from({ length: Math.floor(next() * 4) }, () => among([0, 1, 2, -1, 0.5, 3n, true])),
  rows: () => Array.from({ length: Math.floor(next() * 3) }, () => Array.from({ length: Math.floor(next() * 3) }, () => among([0, 1, 2.5, undefined]))),
  holes: () => [1, , 2], // eslint-disable-line no-sparse-arrays
  circle: () => circle,
  deep: () => deep,
  typed: () => among([new Float32Array(3), new Float64Array([1, NaN, 3]), new BigInt64Array(2), new BigUint64Array([2n ** 64n - 1n]), new Uint8ClampedArray(4), new Int8Array(0), new Uint16Array(2)]),
  buffers: () => among([new ArrayBuffer(8), new DataView(new ArrayBuffer(8)), detached, new SharedArrayBuffer(8), new Uint8Array([147, 78, 85, 77, 80, 89, 1, 0])]),
  symbol: () => among([Symbol('s'), Symbol.iterator]),
  function: () => among([() => 1, (x) => x, () => { throw new Error(mine); }, async () => 1, function* f() { yield 1; }, Math.sin]),
  object: () => among([{}, new Date(0), /x/, new Map([[1, 2]]), new Set(), Promise.resolve(1), new Stranger(), Object.create(null), new Error('x'), Object.freeze([1])]),
  traps: () => among([
    new Proxy({}, { get() { throw new Error(mine); }, has: () => true }), { get shape() { throw new Error(mine); } }, { valueOf() { throw new Error(mine); } },
    changing, { handle: 12345678 }, { handle: 16, scope: null, checked: () => 16 },
    { dtypeId: 99 }, { dtypeId: -1 }, { sliceParts: [1] }, { sliceParts: 'abc' }, { length: 3 }]),
  foreign: () => among([foreign, disposed, ended[0], other.float32]),
  dtype: () => np[among(dtypes.slice(1))],
  slice: () => np.slice(among([null, 0, -1, 2, 5]), among([null, 0, 3, -2]), among([null, 1, -1, 2, 0])),
  number: () => among([np.float(2), np.complex(1, -2), new Complex(0, NaN)]),
  options: () => Object.fromEntries(Array.from({ length: 1 + Math.floor(next() * 2) }, () => [among(names), value(1)])),
  packed: () => among([np.arange(3).pack(), { shape: [2], dtype: 'float23', data: new Float32Array(2) }, { shape: [5], dtype: 'float32', data: new Float32Array(2) }, { shape: ['x'], data: new Int8Array(1) }]),
  compiled: () => np.compile((x) => x),
};
const kinds = Object.keys(made), usual = ['array', 'array', 'array', 'numbers', 'plain', 'plain'];
const value = (depth = 0) => made[chance(depth ? 0.3 : 0.5) ? among(usual) : among(kinds)]();

/** A value in a report's words. */
function shown(v, depth = 0) {
  try {
    if (typeof v === 'symbol' || v === undefined) return String(v);
    if (typeof v === 'bigint') return `${v}n`;
    if (typeof v === 'function') return `function ${v.name}`;
    if (typeof v === 'string') return JSON.stringify(v);
    if (v === null || typeof v !== 'object') return Object.is(v, -0) ? '-0' : String(v);
    if (v instanceof np.NDArray) return `array${JSON.stringify(v.shape)}.${v.dtype}`;
    if (Array.isArray(v)) return depth > 3 ? '[...]' : `[${v.map((item) => shown(item, depth + 1)).join(', ')}]`;
    if (ArrayBuffer.isView(v)) return `${v.constructor.name}(${v.length})`;
    if (Object.getPrototypeOf(v) === Object.prototype) return `{ ${Object.entries(v).map(([key, item]) => `${key}: ${shown(item, depth + 1)}`).join(', ')} }`;
    return v.constructor?.name ?? 'object';
  } catch (error) {
    return `(${error.message})`;
  }
}

/** What can be called: [name, function that takes arguments]. */
function entries() {
  const all = [];
  const family = (path, owner) => {
    for (const name of Object.getOwnPropertyNames(owner)) {
      const member = owner[name];
      if (typeof member !== 'function' || name === 'constructor' || /^(setLogs|stop|NDArray|Generator)$/.test(name)) continue;
      all.push([`${path}.${name}`, (...args) => owner[name](...args)]);
      if (member.arity !== undefined)
        for (const method of ['reduce', 'accumulate', 'reduceat', 'outer', 'at']) if (member[method]) all.push([`${path}.${name}.${method}`, (...args) => member[method](...args)]);
    }
  };
  family('np', np);
  for (const name of ['fft', 'linalg', 'random', 'leaks', 'recording']) family(`np.${name}`, np[name]);
  all.push(['new np.NDArray', (...args) => new np.NDArray(...args)], ['new np.random.Generator', (...args) => new np.random.Generator(...args)]);
  for (const name of Object.getOwnPropertyNames(np.random.Generator.prototype))
    if (name !== 'constructor') all.push([`generator.${name}`, (...args) => np.random.default_rng(1)[name](...args)]);
  const getters = [];
  for (const [name, { value: method, get }] of Object.entries(Object.getOwnPropertyDescriptors(np.NDArray.prototype))) {
    if (typeof method === 'function' && name !== 'constructor') {
      all.push([`array.${name}`, (...args) => someArray()[name](...args)]);
      all.push([`${name}.call`, (self, ...args) => method.call(self, ...args)]);
    } else if (get) getters.push(get);
  }
  for (const get of getters) all.push([`${get.name}.call`, (self) => get.call(self)]);
  for (let i = 0; i < 60; ++i) { // the ways in that most programs take
    all.push(['array.at', (...args) => someArray().at(...args)], ['array.set', (...args) => someArray().set(...args)], ['np.array', (...args) => np.array(...args)]);
    all.push(['compiled', (...args) => np.compile((...given) => np.add(...given), { mode: among(['rerun', 'replay']) })(...args)]);
    all.push(['compiled body', (...args) => np.compile((x) => { x.set(...args); return x.add(...args); })(someArray())]);
    all.push(['worker', (...args) => np.tidy(() => args.map((arg) => (arg instanceof np.NDArray ? np.array(structuredClone(arg.pack())) : arg)))]);
  }
  return all;
}

/** The engine's words for what we should have said. */
const engine = new RegExp(['unreachable', 'out of bounds memory', 'memory access', 'indirect call', 'signature mismatch', 'null function', 'table index', 'Maximum call stack', 'undefined \\(',
  'Cannot (read|set|destructure|convert|mix|assign|redefine|delete|access|define)', 'is not (a function|iterable|an object|a constructor|extensible)', '^\\w+ is not defined$', 'Invalid (array length|typed array|time|count|DataView|code)',
  '\\[object ', 'Offset is', 'detached', 'std::', 'emscripten', 'abort', 'bad_alloc', 'vector<', 'basic_string', 'string too long', 'length_error', 'out_of_range', 'wasm', 'is not valid JSON',
  'Receiver', 'called on incompatible', 'ToBigInt', 'must be an instance', 'Reduce of empty', 'private member', 'Class constructor', 'symbol to', 'proxy', '\\btrap\\b', "'get' on"].join('|'));
const isOurs = (text) => /linalg_secondary|simd_secondary|scalar_secondary/.test(text) || !engine.test(text.replace(/got (an? )?('[^']*'|[\w ]+)/g, '').replace(/\[object\]|`?object`?|numjit: dispose\(\) of what stands for an array \(a Proxy/g, ''));

/** Does a list hold what no array can? */
function isPoisoned(v, depth = 0) {
  if (!Array.isArray(v) || v === changing || depth > 8) return depth > 8;
  for (let i = 0; i < v.length; ++i) {
    const item = v[i];
    if (item === null || item === undefined || ['string', 'symbol', 'function'].includes(typeof item)) return true;
    if (typeof item === 'object' && (item instanceof Date || item instanceof Map || item instanceof Stranger)) return true;
    if (isPoisoned(item, depth + 1)) return true;
  }
  return false;
}
const isArrayLike = (r) => r instanceof np.NDArray || (Array.isArray(r) && r.length > 0 && r.every((item) => item instanceof np.NDArray));
const takesKeys = /\.(at|tidy|disable|compile|keep|broadcast_shapes)$|^compiled|^worker|\.call$/;

/** What is wrong with a result, '' for nothing. */
function wrongResult(name, args, r, depth = 0) {
  if (Array.isArray(r)) return depth < 4 ? r.slice(0, 4).map((item) => wrongResult(name, [], item, depth + 1)).find(Boolean) ?? '' : '';
  if (!(r instanceof np.NDArray) || r.handle === 0) return '';
  const { shape, dtype } = r;
  if (!shape.every((n) => Number.isSafeInteger(n) && n >= 0) || dtype === undefined) return `an array of shape ${JSON.stringify(shape)}, dtype ${dtype}`;
  if (r.size <= 10_000) {
    const list = r.tolist();
    if (shape.length > 0 && list.length !== shape[0]) return `${list.length} elements of ${shape[0]}`;
  }
  if (!takesKeys.test(name) && args.some((arg) => isPoisoned(arg))) return `an array of a list that holds no numbers: ${shown(r)}`;
  return '';
}

const canary = np.arange(1000), replay = np.compile((x) => x.multiply(2).add(1).sum(), { mode: 'replay' });
function checkHealth() {
  if (canary.sum().item() !== 499500 || canary.item(7) !== 7 || replay(canary).item() !== 1_000_000) return 'an array has changed that nobody touched';
  if (np.tidy(() => np.sort(np.array([3, 1, 2])).tolist().join()) !== '1,2,3') return 'sort is wrong';
  return np.arange(3).scope === null ? '' : 'a scope is left open';
}

const note = new Uint8Array(shared, 8), clock = new Int32Array(shared, 0, 2), encoder = new TextEncoder(), said = [];
function begin(text) {
  const { written } = encoder.encodeInto(text.slice(0, 1000), note);
  Atomics.store(clock, 1, written);
  Atomics.add(clock, 0, 1);
}

console.warn = console.log = console.error = () => {};
const all = entries(), end = performance.now() + 1000 * seconds;
let calls = 0, errors = 0;
for (; performance.now() < end && said.length < 20; ++calls) {
  const [name, run] = among(all), args = Array.from({ length: Math.floor(next() * 4) }, () => value());
  if (chance(0.25)) args.push(made.options());
  const words = `${name}(${args.map((arg) => shown(arg)).join(', ')})`;
  begin(words);
  try {
    let result = run(...args);
    if (typeof result?.then === 'function') result = await result;
    const wrong = wrongResult(name, args, result);
    if (wrong) said.push(`${words}: ${wrong}`);
    np.leaks.stop();
  } catch (error) {
    ++errors;
    const text = error instanceof Error ? String(error.message) : undefined;
    if (text === mine) continue;
    if (text === undefined || text === '' || error instanceof WebAssembly.RuntimeError || !isOurs(text)) said.push(`${words}: ${error?.name} ${error?.stack ?? String(error)}`.slice(0, 1200));
  }
  if (calls % 50 === 0) {
    begin('a look at the module');
    const wrong = checkHealth();
    if (wrong) {
      said.push(`${words}, or one of the calls before: ${wrong}`);
      break;
    }
    begin("the collector's turn");
    await new Promise((go) => setImmediate(go));
  }
}
parentPort.postMessage({ said, calls, errors });
