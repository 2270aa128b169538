// NDArray: a handle of an array in the module's memory.
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

export function throwLast(module) {
  const name = readText(module, module.nj_error_class());
  throw new (errorClasses[name] ?? NumjitError)(readText(module, module.nj_error_text()));
}

/** Binds the class to one module. */
export function makeArrayClass(module, slots, dtypes) {
  const released = new FinalizationRegistry((handle) => module.nj_release(handle));
  let live = 0;

  function call(index, args) {
    const s = slots.begin();
    try {
      s.addArguments(args);
      const count = module.nj_call(index, s.address, s.count);
      if (count < 0) throwLast(module);
      return readResult(module, count);
    } finally {
      s.end();
    }
  }

  function ufunc(op, arity, args) {
    const last = args[args.length - 1];
    if (args.length > arity && isOptions(last) && last.out) return ufuncOut(op, last.out, args.slice(0, arity));
    if (args.length !== arity)
      throw new TypeError(`numjit: the ufunc takes ${arity} arguments, got ${args.length}.`);
    let handle;
    if (arity === 2 && args[0] instanceof NDArray && args[1] instanceof NDArray) {
      handle = module.nj_ufunc_arrays(op, args[0].checked(), args[1].checked());
    } else {
      const s = slots.begin();
      try {
        for (const value of args) s.add(value);
        handle = module.nj_ufunc(op, s.address, s.count);
      } finally {
        s.end();
      }
    }
    if (handle === 0) throwLast(module);
    return new NDArray(handle);
  }

  function ufuncOut(op, out, args) {
    const s = slots.begin();
    try {
      s.add(out);
      for (const value of args) s.add(value);
      if (module.nj_ufunc_out(op, s.address, s.count) < 0) throwLast(module);
      return out;
    } finally {
      s.end();
    }
  }

  class NDArray {
    constructor(handle) {
      this.handle = handle;
      ++live;
      released.register(this, handle, this);
    }

    /** The handle, or an error after dispose(). */
    checked() {
      if (this.handle === 0) throw new errors.ValueError('numjit: this array was disposed of.');
      return this.handle;
    }

    /** Gives the memory back now; without it the garbage collector does, at some time. */
    dispose() {
      if (this.handle === 0) return;
      released.unregister(this);
      module.nj_release(this.handle);
      this.handle = 0;
      --live;
    }

    get ndim() { return module.nj_rank(this.checked()); }
    get dtype() { return dtypes[module.nj_dtype(this.checked())]; }
    get shape() { return this.lengths(0); }
    /** In bytes, as NumPy's. */
    get strides() { return this.lengths(1); }
    get size() { return this.shape.reduce((product, n) => product * n, 1); }
    get T() { return this.transpose(); }
    lengths(strides) {
      const count = module.nj_shape(this.checked(), strides);
      if (count < 0) throwLast(module);
      return readResult(module, count);
    }

    /**
     * The elements as a typed array over the module's memory: no copy, where they lie in C order. It is good
     * until the module's memory grows or the array is disposed of. Complex numbers: real and imaginary parts in turn.
     */
    get data() {
      const address = module.nj_data(this.checked());
      if (address === 0) throwLast(module);
      const type = this.dtype;
      let expected = type.itemsize;
      const shape = this.shape, strides = this.strides;
      for (let axis = shape.length - 1; axis >= 0; --axis) {
        if (shape[axis] !== 1 && strides[axis] !== expected && this.size > 0) return this.copy().data;
        expected *= shape[axis];
      }
      return new typedArrays[type.name](module.bytes().buffer, address, this.size * (type.kind === 'c' ? 2 : 1));
    }

    /** The elements in a typed array of their own. */
    toTypedArray() { return this.data.slice(); }

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

    /** Views, elements or selections: numbers, np.slice(), ':' for a whole axis, '...', null, arrays, lists. */
    at(...key) {
      const s = slots.begin();
      try {
        for (const entry of key) addIndex(s, entry);
        const handle = module.nj_get(this.checked(), s.address, s.count);
        if (handle === 0) throwLast(module);
        return new NDArray(handle);
      } finally {
        s.end();
      }
    }

    /** a.set(value, ...key): stores what broadcasts to a.at(...key). */
    set(value, ...key) {
      const s = slots.begin();
      try {
        s.add(value);
        for (const entry of key.length > 0 ? key : ['...']) addIndex(s, entry);
        if (module.nj_set(this.checked(), s.address, s.count) < 0) throwLast(module);
        return this;
      } finally {
        s.end();
      }
    }

    /** A number of an array with one element: `if (x.sum() > 0)` reads it. */
    valueOf() { return this.item(); }
    toString() { return this.array2string(); }
    get [Symbol.toStringTag]() { return 'numjit.array'; }
    [Symbol.iterator]() {
      const rows = this.shape[0];
      let row = 0;
      return { next: () => (row < rows ? { value: this.at(row++), done: false } : { value: undefined, done: true }) };
    }
  }
  if (Symbol.dispose) NDArray.prototype[Symbol.dispose] = NDArray.prototype.dispose;

  function addIndex(s, entry) {
    if (entry === ':') s.add({ sliceParts: [null, null, null] });
    else if (entry === '...') s.raw(Tag.ellipsis, 0, 0);
    else s.add(entry);
  }

  /** Elements copied into a new array of one axis. */
  function fromTypedArray(values) {
    const name = Object.keys(typedArrays).find((key) => key !== 'bool' && key !== 'float16' && values instanceof typedArrays[key])
      ?? (values instanceof Uint8ClampedArray ? 'uint8' : undefined);
    if (!name) throw new TypeError(`numjit: got ${values.constructor.name}, expected a typed array of numbers.`);
    const handle = module.nj_new(dtypes.find((d) => d.name === name).dtypeId, values.length);
    if (handle === 0) throwLast(module);
    const made = new NDArray(handle);
    if (values.length > 0) made.data.set(values);
    return made;
  }

  module.adopt = (handle) => new NDArray(handle);
  module.fromTypedArray = fromTypedArray;
  return { NDArray, call, ufunc, ufuncOut, fromTypedArray, liveArrays: () => live };
}

export { Complex, Float };
