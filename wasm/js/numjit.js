// numjit for JavaScript: NumPy's arrays in WebAssembly.
//
//   import { load } from 'numjit';
//   const np = await load();
//   const a = np.arange(6).reshape([2, 3]);
//   console.log(String(a.multiply(2).sum({ axis: 0 })));    // [ 6 10 14]
import { makeArrayClass, errors, throwLast, Complex, Float } from './array.js';
import { loadModule } from './module.js';
import { readLines, readText, Slots } from './slots.js';

const dtypeNames = ['bool', 'int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64', 'float16', 'float32',
  'float64', 'complex64', 'complex128'];
const itemsizes = [1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 4, 8, 8, 16];
const kinds = 'biiiiuuuufffcc';

/** Functions that take the array first are methods too. */
export const functionsOnly = new Set(['array', 'asarray', 'zeros', 'ones', 'empty', 'full', 'arange', 'linspace', 'geomspace', 'eye',
  'meshgrid', 'indices', 'concatenate', 'stack', 'vstack', 'hstack', 'dstack', 'column_stack', 'select', 'einsum', 'interp',
  'hanning', 'hamming', 'blackman', 'broadcast_arrays', 'ix_', 'lexsort', 'copyto', 'truth', 'from_npy']);

/** Loads the module and returns `np`. Options: `build` ('simd', 'scalar'), `base` (the folder of the .wasm files). */
export async function load(options) {
  const module = await loadModule(options);
  const slots = new Slots(module);
  const dtypes = dtypeNames.map((name, i) => Object.freeze({
    name, dtypeId: i, itemsize: itemsizes[i], kind: kinds[i], toString: () => name,
  }));
  const { NDArray, call, ufunc, ufuncOut, fromTypedArray, liveArrays } = makeArrayClass(module, slots, dtypes);

  const np = {
    NDArray, errors, build: module.build, pi: Math.PI, e: Math.E, inf: Infinity, nan: NaN, newaxis: null,
    fft: {}, random: {},
    slice: (start, stop, step) => (stop === undefined && step === undefined
      ? { sliceParts: [null, start, null] } : { sliceParts: [start, stop, step] }),
    float: (value) => new Float(value),
    complex: (re, im) => new Complex(re, im),
    /** Arrays that JavaScript holds: a leak shows as a count that grows. */
    liveArrays,
    memory: () => module.bytes().length,
  };
  for (const type of dtypes) np[type.name === 'bool' ? 'bool_' : type.name] = type;

  const functions = new Map();
  for (const [i, [name]] of readLines(module, module.nj_function_names()).entries()) {
    const run = (...args) => call(i, args);
    functions.set(name, run);
    const [family, member] = name.split('.');
    if (!member) {
      np[name] = run;
      if (!functionsOnly.has(name)) NDArray.prototype[name] = function method(...args) { return call(i, [this, ...args]); };
    } else if (family === 'fft') {
      np.fft[member] = run;
    }
  }
  for (const [name, id, inputs] of readLines(module, module.nj_ufunc_names())) {
    const op = Number(id), arity = Number(inputs);
    np[name] = Object.assign((...args) => ufunc(op, arity, args), { op, arity });
    NDArray.prototype[name] = function method(...args) { return ufunc(op, arity, [this, ...args]); };
    if (arity === 2) NDArray.prototype[`i${name}`] = function inPlace(other) { return ufuncOut(op, this, [this, other]); };
  }
  const where = np.where;
  np.where = (...args) => (args.length === 1 ? np.nonzero(args[0]) : where(...args));

  // reshape(2, 3) as well as reshape([2, 3])
  const { reshape, transpose } = NDArray.prototype;
  NDArray.prototype.reshape = function method(...shape) { return reshape.call(this, Array.isArray(shape[0]) ? shape[0] : shape); };
  NDArray.prototype.transpose = function method(...axes) {
    return axes.length === 0 ? transpose.call(this) : transpose.call(this, Array.isArray(axes[0]) ? axes[0] : axes);
  };

  const { array } = np;
  np.array = (value, o) => {
    if (!ArrayBuffer.isView(value)) return o === undefined ? array(value) : array(value, typeof o === 'string' || o.dtypeId !== undefined ? { dtype: o } : o);
    const made = fromTypedArray(value);
    return o === undefined ? made : made.astype(typeof o === 'string' || o.dtypeId !== undefined ? o : o.dtype);
  };

  // ---- .npy ----
  np.fromNpy = (buffer) => functions.get('from_npy')(new Uint8Array(buffer));
  np.toNpy = (a) => functions.get('npy_bytes')(a).toTypedArray();
  np.load = async (url) => {
    const response = await fetch(url);
    if (!response.ok) throw new errors.OSError(`np.load: ${url} was not served: status ${response.status}.`);
    return np.fromNpy(await response.arrayBuffer());
  };

  // ---- random ----
  const generators = new FinalizationRegistry((id) => functions.get('random.release')(id));
  class Generator {
    constructor(seed) {
      this.id = seed === undefined ? functions.get('random.make')() : functions.get('random.make')(seed);
      generators.register(this, this.id);
    }
  }
  for (const [name, run] of functions)
    if (name.startsWith('random.') && name !== 'random.make' && name !== 'random.release')
      Generator.prototype[name.slice(7)] = function draw(...args) { return run(this.id, ...args); };
  np.random.Generator = Generator;
  np.random.default_rng = (seed) => new Generator(seed);

  // ---- compiled functions ----
  const sizes = { automatic: 0, yes: 1, no: 2 };
  const states = new FinalizationRegistry((state) => module.nj_compiled_release(state));

  /** Text that the module reads: its address, to be freed. */
  function place(text) {
    const encoded = new TextEncoder().encode(`${text}\0`);
    const address = module.nj_malloc(encoded.length);
    module.bytes().set(encoded, address);
    return address;
  }

  np.compile = (fn, { name = fn.name || 'function', fullgraph = false, dynamic = 'automatic' } = {}) => {
    if (!(dynamic in sizes)) throw new errors.ValueError(`compile: dynamic: got '${dynamic}', expected 'automatic', 'yes' or 'no'.`);
    const text = place(name);
    const state = module.nj_compile(text, fullgraph ? 1 : 0, sizes[dynamic]);
    module.nj_free(text);
    if (state === 0) throwLast(module);
    const compiled = (...args) => {
      const handles = module.nj_malloc(4 * Math.max(1, args.length));
      args.forEach((a, i) => module.view().setInt32(handles + 4 * i, a instanceof NDArray ? a.checked() : 0, true));
      const region = module.nj_begin(state, handles, args.length);
      module.nj_free(handles);
      if (region === 0) throwLast(module);
      let result;
      try {
        result = fn(...args);
      } catch (error) {
        module.nj_abandon(region);
        throw error;
      }
      if (module.nj_finish(region) < 0) throwLast(module);
      return result;
    };
    Object.defineProperty(compiled, 'name', { value: name });
    compiled.state = state;
    states.register(compiled, state);
    return compiled;
  };

  /** Runs `fn` without recording, also inside a compiled function. */
  np.disable = (fn) => (...args) => {
    const scope = module.nj_disable();
    if (scope === 0) throwLast(module);
    try {
      return fn(...args);
    } finally {
      if (module.nj_enable(scope) < 0) throwLast(module);
    }
  };

  /** Calls a compiled function once and reports what became of it: graphs, breaks and why. */
  np.explain = (compiled, ...args) => {
    const explaining = module.nj_explain_begin(compiled.state);
    let text;
    try {
      compiled(...args);
    } finally {
      text = readText(module, module.nj_explain_end(explaining, 1));
    }
    return JSON.parse(text);
  };

  return np;
}

export { Complex };
