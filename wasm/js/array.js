// NDArray: a handle of an array in the module's memory.
import { placeHere } from './places.js';
import { Complex, Float, isOptions, readResult, readText, Tag } from './slots.js';

const typedArrays = {
  bool: Uint8Array, int8: Int8Array, int16: Int16Array, int32: Int32Array, int64: BigInt64Array,
  uint8: Uint8Array, uint16: Uint16Array, uint32: Uint32Array, uint64: BigUint64Array,
  float16: Uint16Array, float32: Float32Array, float64: Float64Array,
  complex64: Float32Array, complex128: Float64Array,
};

/** Errors by NumPy's names; JavaScript's own where it has one of the same meaning. */
export class NumjitError extends Error {}
const errorClasses = { TypeError, MemoryError: RangeError };
for (const name of ['ValueError', 'IndexError', 'AxisError', 'OverflowError', 'ZeroDivisionError', 'FloatingPointError',
  'LinAlgError', 'NotImplementedError', 'OSError', 'GraphBreakError', 'RecompileError', 'InternalError']) {
  errorClasses[name] = { [name]: class extends NumjitError {} }[name];
  errorClasses[name].prototype.name = name;
}
export const errors = errorClasses;

const disposedText = 'numjit: this array was disposed of.';
const endedText = 'numjit: this array ended with the compiled call or np.tidy() that made it. Return it from there, or '
  + 'take it out with np.keep(array).';

export function throwLast(module) {
  const name = readText(module, module.nj_error_class());
  throw new (errorClasses[name] ?? NumjitError)(readText(module, module.nj_error_text()));
}

/** Binds the class to one module. */
export function makeArrayClass(module, slots, dtypes) {
  // A property of so large an object is looked up by its name at each use.
  const { nj_release, nj_ufunc_arrays, nj_ufunc_array, nj_ufunc_number, nj_call_array, nj_call, nj_get, nj_set } = module;
  let live = 0;
  const released = new FinalizationRegistry((handle) => {
    forget(handle);
    nj_release(handle);
  });
  /**
   * Arrays outside of scopes that the registry does not know yet. Most are disposed of before it has to: registering costs
   * more than a small operation does.
   */
  const young = [];
  const mostYoung = 256;
  const keptKeys = new Map(), mostKeys = 1000;
  let waiting = false;
  function registerYoung() {
    for (const array of young) {
      if (array.handle === 0 || array.scope !== null || array.registered) continue;
      released.register(array, array.handle, array);
      array.registered = true;
    }
    young.length = 0;
  }
  /** The collector's business from now on, once the running function has ended, or many more were made. */
  function watch(array) {
    if (young.push(array) >= mostYoung) registerYoung();
    if (waiting) return;
    waiting = true;
    queueMicrotask(() => {
      waiting = false;
      registerYoung();
    });
  }
  /** Arrays made inside the running np.tidy() or compiled call; they end with it. Null outside. */
  let scope = null;
  /** Where each array was made, while np.leaks.start() is in force: handle -> place. */
  let origins = null;

  function forget(handle) {
    --live;
    origins?.delete(handle);
  }

  function callWith(index, fill) {
    return slots.with(fill, (address, count) => {
      const results = nj_call(index, address, count);
      if (results < 0) throwLast(module);
      return readResult(module, results);
    });
  }

  function call(index, args) { return callWith(index, (s) => s.addArguments(args)); }

  /** A function of one array, and nothing else: the shortest way. */
  function callArray(index, a) {
    const results = nj_call_array(index, a.checked());
    if (results < 0) throwLast(module);
    return readResult(module, results);
  }

  function made(handle) {
    if (handle === 0) throwLast(module);
    return new NDArray(handle);
  }

  function ufunc(op, arity, args) {
    if (args.length !== arity)
      throw new TypeError(`numjit: the ufunc takes ${arity} arguments, got ${args.length}.`);
    if (arity === 2) return binary(op, args[0], args[1]);
    return slots.with((s) => args.forEach((value) => s.add(value)),
      (address, count) => made(module.nj_ufunc(op, address, count)));
  }

  /** The shortest ways: two arrays, an array and a number. */
  function binary(op, a, b) {
    if (a instanceof NDArray) {
      if (b instanceof NDArray) return made(nj_ufunc_arrays(op, a.checked(), b.checked()));
      if (typeof b === 'number') {
        return made(nj_ufunc_number(op, a.checked(), b, Number.isInteger(b) && !Object.is(b, -0) ? 1 : 0));
      }
    }
    return slots.with((s) => {
      s.add(a);
      s.add(b);
    }, (address, count) => made(module.nj_ufunc(op, address, count)));
  }

  function unary(op, a) {
    if (a instanceof NDArray) return made(nj_ufunc_array(op, a.checked()));
    return ufunc(op, 1, [a]);
  }

  function ufuncOut(op, out, args) {
    return slots.with((s) => {
      s.add(out);
      for (const value of args) s.add(value);
    }, (address, count) => {
      if (module.nj_ufunc_out(op, address, count) < 0) throwLast(module);
      return out;
    });
  }

  class NDArray {
    constructor(handle) {
      this.handle = handle;
      this.scope = scope;
      this.registered = false;
      ++live;
      if (scope !== null) scope.push(this);
      else watch(this);
      if (origins !== null) origins.set(handle, placeHere());
    }

    /** The handle, or an error after dispose(). */
    checked() {
      if (this.handle === 0) throw new errors.ValueError(this.scope === null ? disposedText : endedText);
      return this.handle;
    }

    /** Gives the memory back now; without it the garbage collector does, at some time. */
    dispose() {
      if (this.handle === 0) return;
      if (this.registered) released.unregister(this);
      release(this);
      this.scope = null;
    }

    get ndim() { return module.nj_rank(this.checked()); }
    get dtype() { return dtypes[module.nj_dtype(this.checked())]; }
    get shape() { return this.lengths(0); }
    /** In bytes, as NumPy's. */
    get strides() { return this.lengths(1); }
    get size() { return this.shape.reduce((product, n) => product * n, 1); }
    get T() { return this.transpose(); }
    lengths(strides) {
      const address = module.nj_layout(this.checked(), strides);
      if (address === 0) throwLast(module);
      const view = module.view(), list = [];
      for (let i = 0, rank = module.nj_rank(this.handle); i < rank; ++i) list.push(view.getInt32(address + 8 * i, true));
      return list;
    }

    /**
     * The elements as a typed array over the module's memory: no copy, where they lie in C order. It is good
     * until the module's memory grows or the array is disposed of. Complex numbers: real and imaginary parts in turn.
     */
    get data() {
      const count = module.nj_packed_size(this.checked());
      if (count === -2) throwLast(module);
      if (count === -1) return tidy(() => this.copy().data.slice());
      const address = module.nj_data(this.handle);
      if (address === 0) throwLast(module);
      const type = this.dtype;
      return new typedArrays[type.name](module.bytes().buffer, address, type.kind === 'c' ? 2 * count : count);
    }

    /** The elements in a typed array of their own. */
    toTypedArray() {
      const { data } = this;
      return data.buffer === module.bytes().buffer ? data.slice() : data;
    }

    /** Nested lists of numbers (BigInt for 64-bit integers beyond 2^53). */
    tolist() {
      const { shape, dtype } = this;
      const data = dtype.name === 'float16' ? this.astype('float32').data : this.data;
      let at = 0;
      const element = () => {
        if (dtype.kind === 'c') return new Complex(data[at++], data[at++]);
        const value = data[at++];
        if (dtype.kind === 'b') return value !== 0;
        return typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value;
      };
      const nest = (axis) => (axis === shape.length ? element() : Array.from({ length: shape[axis] }, () => nest(axis + 1)));
      return nest(0);
    }

    /** Views, elements or selections: numbers, np.slice(), text ('1:-1, ::2', '...'), null, arrays, lists. */
    at(...key) {
      const kept = key.length === 1 && typeof key[0] === 'string' ? keptKey(key[0]) : null;
      if (kept !== null) return made(nj_get(this.checked(), kept.address, kept.count));
      return slots.with((s) => {
        for (const entry of key) addIndex(s, entry);
      }, (address, count) => made(nj_get(this.checked(), address, count)));
    }

    /** a.set(value, ...key): stores what broadcasts to a.at(...key). */
    set(value, ...key) {
      const text = key.length === 0 ? '...' : key.length === 1 ? key[0] : null, kept = typeof text === 'string' ? keptKey(text) : null;
      return slots.with((s) => {
        s.add(value);
        if (kept === null) for (const entry of key) addIndex(s, entry);
      }, (address, count) => {
        if (nj_set(this.checked(), address, count, kept?.address ?? 0, kept?.count ?? 0) < 0) throwLast(module);
        return this;
      });
    }

    /** A number of an array with one element: `if (x.sum() > 0)` reads it. */
    valueOf() { return this.item(); }
    toString() { return this.array_str(); }
    get [Symbol.toStringTag]() { return 'numjit.array'; }
    [Symbol.iterator]() {
      const rows = this.shape[0];
      let row = 0;
      return {
        next: () => (row < rows ? { value: this.at(row++), done: false } : { value: undefined, done: true }),
        [Symbol.iterator]() { return this; },
      };
    }
  }
  // Where there is no such symbol, compilers of `using` take the other.
  NDArray.prototype[Symbol.dispose ?? Symbol.for('Symbol.dispose')] = NDArray.prototype.dispose;

  /** How many indices the entry is. */
  function addIndex(s, entry) {
    const parts = typeof entry === 'string' ? parsedKey(entry) : null;
    if (parts === null) s.add(entry);
    else for (const part of parts) {
      if (part === '...') s.raw(Tag.ellipsis, 0, 0);
      else s.add(part);
    }
    return parts?.length ?? 1;
  }

  /** Keys of one text, written where they stay; null: there are too many. */
  function keptKey(text) {
    const known = keptKeys.get(text);
    if (known !== undefined) return known;
    if (keptKeys.size >= mostKeys) return null;
    return slots.with((s) => addIndex(s, text), (from, count) => {
      const address = module.nj_malloc(16 * count);
      module.bytes().copyWithin(address, from, from + 16 * count);
      const kept = { address, count };
      keptKeys.set(text, kept);
      return kept;
    });
  }

  function release(array) {
    forget(array.handle);
    nj_release(array.handle);
    array.handle = 0;
  }

  /** Ends `mine`: what was made in it is released, but for the arrays in `result`, which the outer scope takes over. */
  function settle(mine, outer, result) {
    if (result instanceof NDArray) handOver(result, mine, outer);
    else if (result !== null && typeof result === 'object') forEachArray(result, (a) => handOver(a, mine, outer));
    for (const a of mine) if (a.scope === mine && a.handle !== 0) release(a);
  }

  function handOver(array, mine, outer) {
    if (array.scope !== mine || array.handle === 0) return;
    array.scope = outer;
    if (outer !== null) outer.push(array);
    else watch(array);
  }

  /** Runs `run`; arrays that it made are disposed of at its end, but for those in its result and kept ones. */
  function tidy(run) {
    const outer = scope, mine = [];
    scope = mine;
    let result = null;
    try {
      result = run();
    } finally {
      scope = outer;
      settle(mine, outer, result);
    }
    if (typeof result?.then === 'function')
      throw new TypeError('np.tidy: got a function that returns a promise, expected one that ends when it returns.');
    return result;
  }

  /** Takes an array out of the np.tidy() or compiled call that it was made in. */
  function keep(array) {
    if (array.scope !== null) handOver(array, array.scope, null);
    return array;
  }

  /** Opens a scope; what it returns ends it: end(result). For compiled calls. */
  const scopes = {
    open() {
      const outer = scope;
      scope = [];
      return outer;
    },
    close(outer, result) {
      const mine = scope;
      scope = outer;
      settle(mine, outer, result);
    },
  };

  /** Elements copied into a new array of one axis. */
  function fromTypedArray(values) {
    const name = nameOfTypedArray(values);
    if (values.length === 0 && values.buffer.detached)
      throw new errors.ValueError("numjit: the typed array's memory is gone. A view of an array's elements ends when the module's memory grows: take a.data again.");
    const array = made(module.nj_new(dtypes.find((d) => d.name === name).dtypeId, values.length));
    if (values.length > 0) array.data.set(name === 'float16' ? new Uint16Array(values.buffer, values.byteOffset, values.length) : values);
    return array;
  }

  /** Arrays that are alive, by the place that made them: most first. */
  const leaks = {
    start() { origins ??= new Map(); },
    stop() { origins = null; },
    report() {
      if (origins === null) throw new errors.ValueError('np.leaks.report: nothing is known, call np.leaks.start() before the code in question.');
      const places = new Map();
      for (const [handle, place] of origins) {
        const key = place ? `${place.file}:${place.line}` : 'unknown';
        const entry = places.get(key) ?? { place: key, function: place?.name ?? '', arrays: 0, bytes: 0 };
        ++entry.arrays;
        entry.bytes += dtypes[module.nj_dtype(handle)].itemsize * Math.max(0, module.nj_packed_size(handle));
        places.set(key, entry);
      }
      return [...places.values()].sort((a, b) => b.arrays - a.arrays);
    },
  };

  module.adopt = (handle) => new NDArray(handle);
  module.fromTypedArray = fromTypedArray;
  return { NDArray, call, callWith, callArray, addIndex, unary, binary, ufunc, ufuncOut, fromTypedArray, tidy, keep, scopes, leaks, liveArrays: () => live };
}

const keys = new Map();

/** What '1:-1', ':, ::2' or '..., 0' stand for: slices, numbers, '...'. */
function parsedKey(text) {
  let parts = keys.get(text);
  if (parts) return parts;
  parts = text.split(',').map((word) => {
    const part = word.trim();
    if (part === '...' ) return part;
    if (/^[+-]?\d+$/.test(part)) return Number(part);
    const found = /^([+-]?\d*)\s*:\s*([+-]?\d*)(?:\s*:\s*([+-]?\d*))?$/.exec(part);
    if (!found) throw new errors.IndexError(`numjit: got the index '${text}', expected integers and slices such as '1:-1, ::2' or '..., 0'.`);
    return { sliceParts: found.slice(1).map((bound) => (bound ? Number(bound) : null)) };
  });
  if (keys.size < 1000) keys.set(text, parts);
  return parts;
}

/** Arrays inside lists and plain objects. */
function forEachArray(value, use) {
  if (value === null || typeof value !== 'object' || ArrayBuffer.isView(value)) return;
  if (value.handle !== undefined && value.checked) use(value);
  else if (Array.isArray(value)) value.forEach((item) => forEachArray(item, use));
  else if (isOptions(value)) Object.values(value).forEach((item) => forEachArray(item, use));
}

function nameOfTypedArray(values) {
  if (values instanceof Uint8ClampedArray) return 'uint8';
  if (globalThis.Float16Array && values instanceof globalThis.Float16Array) return 'float16';
  const name = Object.keys(typedArrays).find((key) => key !== 'bool' && key !== 'float16' && values instanceof typedArrays[key]);
  if (name) return name;
  throw new TypeError(`numjit: got ${values.constructor.name}, expected a typed array of numbers: Float32Array, Int32Array, `
    + 'BigInt64Array or another.');
}

export { Complex, Float };
