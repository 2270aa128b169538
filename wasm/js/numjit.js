// numjit for JavaScript: NumPy's arrays in WebAssembly.
//
//   import { load } from 'numjit';
//   const np = await load();
//   const a = np.arange(6).reshape([2, 3]);
//   console.log(String(a.multiply(2).sum({ axis: 0 })));    // [ 6 10 14]
import { makeArrayClass } from './array.js';
import { addArray } from './creation.js';
import { addCompile } from './compile.js';
import { errors } from './errors.js';
import { addFiles } from './files.js';
import { addFrames } from './frames.js';
import { addHints } from './hints.js';
import { addImages } from './images.js';
import { addLinalg } from './linalg.js';
import { completeWhen, fittingOptions, loadFitting } from './module.js';
import { checkedOptions } from './needs.js';
import { Complex, Float } from './numbers.js';
import { addPacks } from './packs.js';
import { functionsOf } from './parameters.js';
import { addRandom } from './random.js';
import { addFormatter } from './shown.js';
import { isOptions, Slots } from './slots.js';
import { readLines } from './text.js';
import { addTransforms } from './transforms.js';
import { ufuncMethods } from './ufunc_methods.js';
import { withOptions } from './ufunc_options.js';
import { kindOf } from './words.js';

const dtypeNames = ['bool', 'int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64', 'float16', 'float32',
  'float64', 'complex64', 'complex128'];
const itemsizes = [1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 4, 8, 8, 16];
const kinds = 'biiiiuuuufffcc';

/** NumPy's other names of dtypes: an unknown one would be undefined, which stands for an option that is not given. */
export const dtypeAliases = {
  bool: 'bool_', byte: 'int8', ubyte: 'uint8', short: 'int16', ushort: 'uint16', intc: 'int32', uintc: 'uint32', int_: 'int64', uint: 'uint64', intp: 'int64', uintp: 'uint64',
  long: 'int64', ulong: 'uint64', longlong: 'int64', ulonglong: 'uint64', half: 'float16', single: 'float32', double: 'float64', csingle: 'complex64', cdouble: 'complex128',
};

/** First parameters that are no arrays, and functions that write into theirs or are operators: those that are no methods, as all others are. */
const notArrays = new Set(['object', 'shape', 'start', 'N', 'n', 'M', 'dimensions', 'arrays', 'tup', 'condlist', 'subscripts', 'keys', 'dst', 'bytes', 'multi_index', 'xi', 'args']);
const notMethods = new Set(['interp', 'truth', 'fill_diagonal', 'place', 'putmask', 'put_along_axis']);

/** Is a function a method of its first argument, too? */
export const isMethod = (name, { names }) => !notArrays.has(names[0]) && !notMethods.has(name);

/** What equal options load, by these: one module for all of them, so that their arrays go together. */
const instances = new Map();

/**
 * Loads the module and returns `np`: the same for equal options, each time. Options: `build` ('simd', 'scalar'), `base` (the folder of
 * the .wasm files), `threads` (how many compute; 1 is always right), `complete` (with all code at once: true, when the page is idle:
 * 'idle', which is what happens, or when it is called: false; see np.complete), `integers` ('int32': a.data, a.toTypedArray() and a.tolist()
 * hand out integers of 64 bits as ones of 32; dtypes stay what they are), `fresh` (true: a module of its own, whose arrays go with no other's).
 */
export async function load(options) {
  const { fresh = false, complete = 'idle', integers = 'int64', ...others } = checkedOptions(options);
  if (typeof fresh !== 'boolean') throw new TypeError(`load: fresh: got ${kindOf(fresh)}, expected true or false.`);
  if (![true, false, 'idle'].includes(complete)) throw new RangeError(`load: complete: got ${kindOf(complete)}, expected true, false or 'idle'.`);
  if (!['int64', 'int32'].includes(integers)) throw new RangeError(`load: integers: got ${kindOf(integers)}, expected 'int64' or 'int32'.`);
  const fitting = await fittingOptions(others), key = JSON.stringify([fitting.names, String(fitting.base), fitting.threads, integers]);
  let coming = fresh ? undefined : instances.get(key);
  if (coming === undefined) {
    coming = loadFitting(fitting).then((module) => ({ module, np: bound(module, integers) }));
    if (!fresh) {
      instances.set(key, coming);
      coming.catch(() => instances.delete(key)); // the next one tries again
    }
  }
  const { module, np } = await coming;
  await completeWhen(complete, module);
  return np;
}

/** The dtype of a number; called, it makes an array: np.float32(3) has no axes, np.float32([1, 2]) one. `arrayOf`: np.array. */
function makeDtype(id, arrayOf) {
  const name = dtypeNames[id];
  const type = (...args) => {
    if (args.length !== 1) throw new TypeError(`np.${name}: takes one value, got ${args.length}.`);
    return arrayOf(args[0], type);
  };
  Object.assign(type, { dtypeId: id, itemsize: itemsizes[id], kind: kinds[id], toString: () => name });
  return Object.freeze(Object.defineProperty(type, 'name', { value: name, enumerable: true }));
}

/** `np` of one module. */
function bound(module, integers) {
  const slots = new Slots(module);
  const dtypes = dtypeNames.map((_, id) => makeDtype(id, (value, type) => np.array(value, type)));
  const classes = makeArrayClass(module, slots, dtypes, integers);
  const { NDArray, handleOf, call, callArray, unary, binary, ufuncOut, tidy, keep, scopes, leaks, liveArrays } = classes;

  const np = {
    NDArray, errors, build: module.build, pi: Math.PI, e: Math.E, inf: Infinity, nan: NaN, newaxis: null,
    fft: {}, linalg: {}, random: {},
    slice: (start, stop, step) => (stop === undefined && step === undefined
      ? { sliceParts: [null, start, null] } : { sliceParts: [start, stop, step] }),
    float: (value) => {
      if (typeof value !== 'number') throw new TypeError(`np.float: got ${kindOf(value)}, expected a number.`);
      return new Float(value);
    },
    complex: (re, im = 0) => {
      if (typeof re !== 'number' || typeof im !== 'number') throw new TypeError(`np.complex: got ${kindOf(typeof re === 'number' ? im : re)}, expected a number.`);
      return new Complex(re, im);
    },
    /** Arrays that JavaScript holds: a leak shows as a count that grows. */
    liveArrays,
    /** Which lines made the arrays that are alive: np.leaks.start(), then np.leaks.report(). */
    leaks,
    /** Runs a function; arrays that it made end with it, but for those it returns and kept ones. */
    tidy,
    keep,
    memory: () => module.bytes().length,
    /**
     * Resolves when all code is there. Without it what few pages need (transforms, random numbers, linear algebra, sorting,
     * statistics, reports) is loaded when the page is idle, or at the first call of it, while the page waits.
     */
    complete: () => module.complete(),
    /** `count`: threads that compute, once `running` of them have started; `shared`: runs they had in common; stop() ends them. */
    threads: {
      get count() { return module.workers?.threads ?? 1; },
      get running() { return module.workers?.running() ?? 1; },
      get shared() { return module.workers?.shared() ?? 0; },
      stop() {
        module.workers?.stop();
      },
    },
  };
  for (const type of dtypes) np[type.name === 'bool' ? 'bool_' : type.name] = type;
  for (const [name, type] of Object.entries(dtypeAliases)) np[name] = np[type];

  const ufuncNames = new Map(), ufunc = withOptions(np, ufuncNames, classes);
  function methodOf(op, arity) {
    const general = (self, args) => ufunc(op, arity, [self, ...args]);
    if (arity === 1) return function method(...args) { return args.length === 0 ? unary(op, this) : general(this, args); };
    if (arity === 2) return function method(other, ...rest) {
      return rest.length === 0 && other !== undefined ? binary(op, this, other) : general(this, other === undefined ? rest : [other, ...rest]);
    };
    return function method(...args) { return general(this, args); };
  }
  /** np.add and the like; two arrays, or a number behind one, need no list of arguments. */
  function functionOf(op, arity) {
    if (arity === 1) return function call(a) { return arguments.length === 1 && a instanceof NDArray ? unary(op, a) : ufunc(op, arity, [...arguments]); };
    if (arity === 2) return function call(a, b) {
      const plain = arguments.length === 2 && (b instanceof NDArray || typeof b === 'number');
      return plain ? binary(op, a, b) : ufunc(op, arity, [...arguments]);
    };
    return function call(...args) { return ufunc(op, arity, args); };
  }

  const functions = new Map(), numbers = new Map(), others = new Set(), known = functionsOf(module);
  for (const [i, [name, parameters]] of known.functions.entries()) {
    const general = (args) => call(i, parameters, args), isPlain = parameters.rest !== 0 && parameters.required <= 1;
    const run = (...args) => (isPlain && args.length === 1 && args[0] instanceof NDArray ? callArray(i, args[0]) : general(args));
    functions.set(name, run);
    numbers.set(name, i);
    const [family, member] = name.split('.');
    if (!member) {
      np[name] = run;
      if (isMethod(name, parameters)) NDArray.prototype[name] = function method(...args) { return isPlain && args.length === 0 ? callArray(i, this) : general([this, ...args]); };
      else others.add(name);
    } else if (family === 'fft' || family === 'linalg') {
      np[family][member] = run;
    }
  }
  const methods = ufuncMethods(np, functions, numbers.get('ufunc.at'), classes);
  for (const [name, id, inputs] of readLines(module, module.nj_ufunc_names())) {
    const op = Number(id), arity = Number(inputs);
    ufuncNames.set(op, name);
    np[name] = Object.defineProperty(Object.assign(functionOf(op, arity), { op, arity }), 'name', { value: name });
    if (arity < 3) Object.assign(np[name], methods);
    NDArray.prototype[name] = methodOf(op, arity);
    if (arity === 2) NDArray.prototype[`i${name}`] = function inPlace(other, ...rest) {
      if (rest.length > 0) throw new TypeError(`numjit: i${name} takes one argument, got ${1 + rest.length}. Hint: np.${name}(a, b, { out: a, where }) has options.`);
      return ufuncOut(op, this, [this, other]);
    };
  }
  for (const [name, other] of known.aliases) {
    np[name] ??= np[other];
    if (NDArray.prototype[other]) NDArray.prototype[name] ??= NDArray.prototype[other];
  }
  const where = np.where;
  np.where = (...args) => (args.length === 1 ? np.nonzero(args[0]) : where(...args));

  // reshape(2, 3) as well as reshape([2, 3])
  for (const name of ['reshape', 'transpose', 'permute_dims']) {
    const general = NDArray.prototype[name];
    NDArray.prototype[name] = function method(...given) {
      if (given.length === 0 || Array.isArray(given[0]) || isOptions(given[0])) return general.apply(this, given);
      const options = isOptions(given.at(-1)) ? [given.pop()] : [];
      return general.call(this, given, ...options);
    };
  }
  const { item } = NDArray.prototype;
  NDArray.prototype.item = function method(...index) { handleOf(this); return index.length === 0 ? item.call(this) : tidy(() => item.call(this.at(...index))); };

  NDArray.prototype.pack = function pack() { handleOf(this); return { shape: this.shape, dtype: this.dtype.name, data: this.toTypedArray() }; };

  addArray(np, module, classes);
  addRandom(np, functions);
  addCompile(np, module, slots, scopes);
  addFiles(np, functions);
  addImages(np, handleOf);
  addLinalg(np, module);
  addPacks(np, module);
  addTransforms(np, module, functions, classes);
  addFrames(np, scopes);
  addHints(np, others);
  addFormatter();
  return np;
}

export { Complex };
