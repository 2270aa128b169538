// NDArray: a handle of an array in the module's memory.
import { isGone } from './buffers.js';
import { errors, throwLast } from './errors.js';
import { primitiveOf } from './hints.js';
import { checkElement, inspected } from './lists.js';
import { watchMemory } from './memory.js';
import { Complex, Float } from './numbers.js';
import { placeHere } from './places.js';
import { inspectedText, inspectMark } from './shown.js';
import { arrayMark, isOptions, readResult, refusal, Tag } from './slots.js';
import { kindOf } from './words.js';

const typedArrays = {
  bool: Uint8Array, int8: Int8Array, int16: Int16Array, int32: Int32Array, int64: BigInt64Array,
  uint8: Uint8Array, uint16: Uint16Array, uint32: Uint32Array, uint64: BigUint64Array,
  float16: Uint16Array, float32: Float32Array, float64: Float64Array,
  complex64: Float32Array, complex128: Float64Array,
};

const mostFrames = 1000;
const disposedText = 'numjit: this array was disposed of.';
const endedText = 'numjit: this array ended with the compiled call or np.tidy() that made it. Return it from there, or '
  + 'take it out with np.keep(array).';

/** Only this module's own functions make arrays of handles. */
const maker = Symbol('maker');

/** Binds the class to one module. `integers`: what those of 64 bits are handed out as, see load(). */
export function makeArrayClass(module, slots, dtypes, integers = 'int64') {
  // A property of so large an object is looked up by its name at each use.
  const { nj_release, nj_packed_size, nj_dtype, nj_ufunc_arrays, nj_ufunc_array, nj_ufunc_number, nj_call_array, nj_call, nj_get, nj_set } = module;
  const itemsizes = dtypes.map(({ itemsize }) => itemsize);
  let live = 0;
  const leave = watchMemory(module, () => live);
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
    let bytes = 0;
    for (const array of young) {
      const { handle } = array;
      if (handle === 0 || array.scope !== null || array.registered) continue;
      released.register(array, handle, array);
      array.registered = true;
      if (array.fresh) bytes += Math.max(0, nj_packed_size(handle)) * itemsizes[nj_dtype(handle)];
    }
    young.length = 0;
    leave(bytes);
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

  function call(index, parameters, args) { return callWith(index, (s) => parameters.write(s, args)); }

  /** The handle of an array of this module; an error for another value, and after dispose(). */
  function handleOf(value) {
    if (value instanceof NDArray && value.handle !== 0) return value.handle;
    if (value instanceof NDArray) throw new errors.ValueError(value.scope === null ? disposedText : endedText);
    throw refusal(value);
  }

  /** A function of one array, and nothing else: the shortest way. */
  function callArray(index, a) {
    const results = nj_call_array(index, handleOf(a));
    if (results < 0) throwLast(module);
    return readResult(module, results);
  }

  /** `fresh`: with elements of its own, of which the collector has to be told. */
  function made(handle, fresh = true) {
    if (handle === 0) throwLast(module);
    return new NDArray(handle, maker, fresh);
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
      if (b instanceof NDArray) return made(nj_ufunc_arrays(op, a.handle || handleOf(a), b.handle || handleOf(b)));
      if (typeof b === 'number') {
        return made(nj_ufunc_number(op, a.handle || handleOf(a), b, Number.isInteger(b) && !Object.is(b, -0) ? 1 : 0));
      }
    }
    if (isWide(b) && a instanceof NDArray) return tidy(() => binary(op, a, beside(b, a)));
    if (isWide(a) && b instanceof NDArray) return tidy(() => binary(op, beside(a, b), b));
    return slots.with((s) => {
      s.add(a);
      s.add(b);
    }, (address, count) => made(module.nj_ufunc(op, address, count)));
  }

  /** An integer that int64 has not, beside an array: one of uint64, or a float, where the array's dtype has it; else as it is. */
  const dtypeNamed = (name) => dtypes.find((type) => type.name === name), int64 = dtypeNamed('int64');
  const isWide = (value) => typeof value === 'bigint' && BigInt.asIntN(64, value) !== value;
  function beside(value, { dtype }) {
    if (dtype.name === 'uint64' && BigInt.asUintN(64, value) === value) return module.makeArray(value, dtype);
    checkElement(value, dtype.kind === 'b' ? int64 : dtype);
    return new Float(Number(value));
  }

  function unary(op, a) {
    if (a instanceof NDArray) return made(nj_ufunc_array(op, a.handle || handleOf(a)));
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

  /** Lengths of the axes, or strides in bytes. */
  function lengthsOf(array, strides) {
    const address = module.nj_layout(handleOf(array), strides);
    if (address === 0) throwLast(module);
    const view = module.view(), list = [];
    for (let i = 0, rank = module.nj_rank(array.handle); i < rank; ++i)
      list.push(view.getUint32(address + 8 * i, true) + view.getInt32(address + 8 * i + 4, true) * 2 ** 32);
    return list;
  }

  /**
   * The elements over the module's memory, or copied, where they do not lie in C order. `reads`: nobody gets the view, so that it may be of
   * arrays that transforms follow. What is done with views, scopes.show() should know.
   */
  function elementsOf(array, reads = false) {
    const count = module.nj_packed_size(handleOf(array));
    if (count === -2) throwLast(module);
    if (count === -1) return tidy(() => elementsOf(array.copy(), reads).slice());
    const address = module.nj_data(array.handle, reads ? 1 : 0);
    if (address === 0) throwLast(module);
    const type = array.dtype;
    return new typedArrays[type.name](module.bytes().buffer, address, type.kind === 'c' ? 2 * count : count);
  }

  /** The elements in a typed array of their own, as they are handed out. */
  function copyOf(array) {
    const elements = elementsOf(array, true);
    if (handsOutInt32(array)) return int32Of(elements);
    return elements.buffer === module.bytes().buffer ? elements.slice() : elements;
  }
  function handsOutInt32(array) {
    if (integers !== 'int32') return false;
    const { kind, itemsize } = dtypes[nj_dtype(handleOf(array))];
    return itemsize === 8 && (kind === 'i' || kind === 'u');
  }

  class NDArray {
    // Fields, which are defined: what is assigned and not there would ask the hints behind the prototype, see hints.js.
    handle = 0;
    scope = scope; // eslint-disable-line no-self-assign
    registered = false;
    fresh = false;

    constructor(handle, by, fresh) {
      if (by !== maker) throw new TypeError('numjit: arrays are made by np.array(), np.zeros() and the like, not by new NDArray().');
      this.handle = handle;
      this.fresh = fresh;
      ++live;
      if (scope !== null) scope.push(this);
      else watch(this);
      if (origins !== null) origins.set(handle, placeHere());
    }

    /** The handle, or an error after dispose(). */
    checked() { return handleOf(this); }

    /** Gives the memory back now; without it the garbage collector does, at some time. */
    dispose() {
      const genuine = Object.getPrototypeOf(Object(this)) === prototype;
      if (!genuine && !(this instanceof NDArray)) throw refusal(this);
      if (this.handle === 0) return;
      if (!genuine || (this.registered && !released.unregister(this)))
        throw new TypeError('numjit: dispose() of what stands for an array (a Proxy, Object.create) and is none.');
      if (slots.count > 0 || (running > 0 && this.scope !== scope)) late.push(this.handle);
      else nj_release(this.handle);
      forget(this.handle);
      this.handle = 0;
      this.scope = null;
    }

    get ndim() { return module.nj_rank(handleOf(this)); }
    get dtype() { return dtypes[module.nj_dtype(handleOf(this))]; }
    get shape() { return lengthsOf(this, 0); }
    /** In bytes, as NumPy's. */
    get strides() { return lengthsOf(this, 1); }
    get size() { return lengthsOf(this, 0).reduce((product, n) => product * n, 1); }
    get T() { return this instanceof NDArray ? this.transpose() : handleOf(this); }

    /**
     * The elements as a typed array over the module's memory: no copy, where they lie in C order. It is good
     * until the module's memory grows or the array is disposed of. Complex numbers: real and imaginary parts in turn.
     * A copy of integers of 64 bits after load({ integers: 'int32' }).
     */
    get data() {
      if (handsOutInt32(this)) return copyOf(this);
      const elements = elementsOf(this);
      if (depth > 0 && elements.buffer === module.bytes().buffer) scopes.show();
      return elements;
    }

    /** The elements in a typed array of their own, converted to `dtype` where it is given. */
    toTypedArray(dtype) {
      return handleOf(this) && dtype === undefined ? copyOf(this) : tidy(() => elementsOf(this.astype(dtype), true).slice());
    }
    /** Nested lists of numbers (BigInt for 64-bit integers beyond 2^53). */
    tolist() {
      const shape = lengthsOf(this, 0), { dtype } = this;
      const data = dtype.name === 'float16' ? tidy(() => elementsOf(this.astype('float32'), true).slice())
        : handsOutInt32(this) ? copyOf(this) : elementsOf(this, true);
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
      if (kept !== null) return made(nj_get(handleOf(this), kept.address, kept.count), false);
      return slots.with((s) => {
        for (const entry of key) addIndex(s, entry);
      }, (address, count) => made(nj_get(handleOf(this), address, count), false));
    }

    /** a.set(value, ...key): stores what broadcasts to a.at(...key). */
    set(value, ...key) {
      if (Array.isArray(value) || typeof value === 'bigint') {
        handleOf(this);
        const made = storable(value, this.dtype);
        if (made !== null) return tidy(() => this.set(made(), ...key));
      }
      const text = key.length === 0 ? '...' : key.length === 1 ? key[0] : null, kept = typeof text === 'string' ? keptKey(text) : null;
      return slots.with((s) => {
        s.add(value);
        if (kept === null) for (const entry of key) addIndex(s, entry);
      }, (address, count) => {
        if (nj_set(handleOf(this), address, count, kept?.address ?? 0, kept?.count ?? 0) < 0) throwLast(module);
        return this;
      });
    }

    /** A number of an array with one element: `if (x.sum() > 0)` reads it. */
    valueOf() { return handleOf(this) && this.item(); }
    toString() { return handleOf(this) && this.array_str(); }
    [Symbol.toPrimitive](hint) { return primitiveOf(this, handleOf(this) && hint); }
    [inspectMark]() { return inspectedText(this); }
    get [Symbol.toStringTag]() { return 'numjit.array'; }
    /** JSON.stringify(a) writes its elements. */
    toJSON() { return handleOf(this) && this.tolist(); }
    [Symbol.iterator]() {
      const [rows] = lengthsOf(this, 0);
      if (rows === undefined) throw new TypeError('iteration over a 0-d array');
      let row = 0;
      return {
        next: () => (row < rows ? { value: this.at(row++), done: false } : { value: undefined, done: true }),
        [Symbol.iterator]() { return this; },
      };
    }
  }
  const { prototype } = NDArray;
  prototype[arrayMark] = true;
  slots.NDArray = NDArray;
  // Where there is no such symbol, compilers of `using` take the other.
  NDArray.prototype[Symbol.dispose ?? Symbol.for('Symbol.dispose')] = NDArray.prototype.dispose;

  /** How many indices the entry is. */
  function addIndex(s, entry) {
    if (entry === undefined) throw new errors.IndexError("numjit: got the index undefined, expected integers, slices, '...', null (a new axis), arrays or lists. Hint: was it never set?");
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
      const address = module.allocate(16 * count, 'keys');
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

  /** Compiled calls that run: they look at their arguments until they end. */
  let running = 0;
  /** Handles of arrays that were disposed of while a call might still look at them. */
  const late = [];
  slots.idle = () => {
    if (running > 0 || late.length === 0) return;
    for (const handle of late.splice(0)) nj_release(handle);
  };

  const isArray = (value) => value instanceof NDArray || value?.[arrayMark] === true || ArrayBuffer.isView(value);

  /** Refuses a list, or an integer, with elements that the dtype of its target has not. What makes an array of it, where slots can't. */
  function storable(value, dtype) {
    if (Array.isArray(value)) {
      const { wide, mixed } = inspected(value, dtype, isArray);
      return wide || mixed ? () => module.makeArray(value, dtype) : null;
    }
    checkElement(value, dtype);
    return BigInt.asIntN(64, value) === value ? null : () => module.makeArray(value, dtype);
  }

  /** Ends `mine`: what was made in it is released, but for the arrays in `result`, which the outer scope takes over. */
  function settle(mine, outer, result) {
    try {
      if (result instanceof NDArray) handOver(result, mine, outer);
      else if (result !== null && typeof result === 'object') forEachArray(result, (a) => handOver(a, mine, outer));
    } finally {
      for (const a of mine) if (a.scope === mine && a.handle !== 0) release(a);
    }
  }

  function handOver(array, mine, outer) {
    if (!(array instanceof NDArray)) throw refusal(array);
    if (array.scope !== mine || array.handle === 0) return;
    array.scope = outer;
    if (outer !== null) outer.push(array);
    else watch(array);
  }

  /** Runs `run`; arrays that it made are disposed of at its end, but for those in its result and kept ones. */
  function tidy(run) {
    if (typeof run !== 'function') throw new TypeError(`np.tidy: got ${kindOf(run)}, expected a function.`);
    const outer = scope, mine = [];
    scope = mine;
    let result = null;
    try {
      result = run();
    } finally {
      scope = outer;
      settle(mine, outer, result);
    }
    refusePromise('np.tidy:', result);
    return result;
  }

  /** What goes on after it has returned would work on arrays that have ended. */
  function refusePromise(what, result) {
    if (result instanceof NDArray || typeof result?.then !== 'function') return;
    result.then(() => {}, () => {}); // what becomes of it is no news
    throw new TypeError(`${what} got a function that returns a promise, expected one that ends when it returns.`);
  }

  /** Takes an array out of the np.tidy() or compiled call that it was made in. */
  function keep(array) {
    handleOf(array);
    if (array.scope !== null) handOver(array, array.scope, null);
    return array;
  }

  /**
   * Calls of compiled and disabled functions that run, the innermost last. Views of elements that are taken inside a compiled call are read
   * and written while its operations are only noted: from there to its end (and the end of those around it) they run at once.
   */
  const frames = []; // made once for each depth
  let depth = 0;
  const scopes = {
    /** Begins a call; `compiled`: what it makes ends with it. */
    enter(compiled) {
      if (depth >= mostFrames) throw new RangeError(`compile: calls inside each other more than ${mostFrames} deep. Hint: does a compiled function call itself without an end?`);
      const frame = frames[depth] ??= { at: depth, compiled, outer: null, running, viewed: false, disabled: 0 };
      ++depth;
      frame.compiled = compiled;
      frame.outer = scope;
      frame.running = running;
      if (compiled) {
        scope = [];
        ++running;
      }
      return frame;
    },
    /** The function has returned, or thrown: nothing but the graph's end is to come. */
    leave(frame, result) {
      if (!frame.compiled) return;
      const mine = scope, { disabled } = frame;
      let left = true;
      frame.disabled = 0;
      scope = frame.outer;
      try {
        settle(mine, scope, result);
      } finally {
        if (disabled !== 0) left = module.nj_enable(disabled) >= 0;
      }
      if (!left) throwLast(module);
    },
    /** The call has nothing to look at any more. */
    ended(frame) {
      depth = frame.at; // also where calls inside of it, for want of stack, could not end in order
      running = frame.running;
      frame.outer = null;
      if (late.length > 0 && slots.count === 0) slots.idle();
      if (!frame.viewed) return;
      frame.viewed = false;
      scopes.show();
    },
    /** A view was handed out. */
    show() {
      if (depth === 0 || frames[depth - 1].viewed) return;
      const frame = frames[depth - 1];
      frame.viewed = true;
      if (!frame.compiled) return;
      frame.disabled = module.nj_disable();
      if (frame.disabled === 0) throwLast(module);
    },
    refusePromise,
  };

  /** Elements copied into a new array of one axis. */
  function fromTypedArray(values) {
    const name = nameOfTypedArray(values);
    return filled(dtypeNamed(name), values.length, name === 'float16' ? new Uint16Array(values.buffer, values.byteOffset, values.length) : values);
  }

  /** A new array of one axis whose elements stand in `values`, as in a.data. */
  function filled(type, count, values) {
    const { length, byteOffset } = values;
    if (length === 0 && isGone(values.buffer))
      throw new errors.ValueError("numjit: the typed array's memory is gone. A view of an array's elements ends when the module's memory grows: take a.data again.");
    const array = made(module.nj_new(type.dtypeId, count));
    // A view of the module's own memory has ended if the new array made that grow.
    const source = length > 0 && values.length === 0 ? new values.constructor(module.bytes().buffer, byteOffset, length) : values;
    if (length > 0) elementsOf(array).set(source);
    return array;
  }

  /** What a.pack() made. Elements of some dtypes stand in typed arrays of other numbers: bits of float16, parts of complex. */
  function fromPacked({ shape, dtype, data }) {
    const type = dtypeNamed(dtype?.name ?? dtype), parts = type?.kind === 'c' ? 2 : 1;
    if (!type) throw new TypeError(`np.array: dtype: got ${kindOf(dtype)}, expected the name of one: 'float32'.`);
    return tidy(() => {
      if (!(type.name === 'float16' || parts === 2) || !(data instanceof typedArrays[type.name])) return fromTypedArray(data).astype(type).reshape(shape);
      return filled(type, data.length / parts, data).reshape(shape);
    });
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

  module.adopt = (handle) => new NDArray(handle, maker, false);
  module.fromTypedArray = fromTypedArray;
  return { NDArray, isArray, dtypeNamed, handleOf, call, callWith, callArray, addIndex, unary, binary, ufunc, ufuncOut, fromTypedArray, fromPacked, tidy, keep, scopes, leaks, liveArrays: () => live };
}

/** Integers of 64 bits as ones of 32. */
function int32Of(elements) {
  const halves = new Int32Array(elements.buffer, elements.byteOffset, 2 * elements.length), signed = elements instanceof BigInt64Array;
  return Int32Array.from({ length: elements.length }, (_, i) => {
    const low = halves[2 * i], high = halves[2 * i + 1];
    if (high !== (low >> 31) || (low < 0 && !signed)) {
      throw new errors.OverflowError(`numjit: ${elements[i]} at place ${i} is no integer of 32 bits, as which load({ integers: 'int32' }) hands elements out. `
        + "Hint: a.toTypedArray('float64').");
    }
    return low;
  });
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

/** Arrays inside lists and plain objects, which may hold each other. */
function forEachArray(value, use) {
  const seen = new Set([value]);
  for (const item of seen) { // those that are added meanwhile, too
    if (item[arrayMark] === true) use(item);
    else if (Array.isArray(item) || isOptions(item))
      for (const inner of Array.isArray(item) ? item : Object.values(item)) if (inner !== null && typeof inner === 'object' && !ArrayBuffer.isView(inner)) seen.add(inner);
  }
}

function nameOfTypedArray(values) {
  if (values instanceof Uint8ClampedArray) return 'uint8';
  if (globalThis.Float16Array && values instanceof globalThis.Float16Array) return 'float16';
  const name = Object.keys(typedArrays).find((key) => key !== 'bool' && key !== 'float16' && values instanceof typedArrays[key]);
  if (name) return name;
  throw new TypeError(`numjit: got ${kindOf(values)}, expected a typed array of numbers: Float32Array, Int32Array, `
    + 'BigInt64Array or another.');
}

