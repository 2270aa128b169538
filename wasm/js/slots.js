// Values between JavaScript and the module, in slots of 16 bytes: tag, extra, number. See ../core/call.h.

export const Tag = {
  none: 0, bool: 1, int: 2, float: 3, complex: 4, bigInt: 5, array: 6, text: 7, list: 8, slice: 9, ellipsis: 10,
  newaxis: 11, dtype: 12, key: 13,
};

/** A complex number, `re + im j`. */
export class Complex {
  constructor(re, im) {
    this.re = re;
    this.im = im;
  }
  toString() {
    return `(${this.re}${this.im < 0 || Object.is(this.im, -0) ? '-' : '+'}${Math.abs(this.im)}j)`;
  }
}

/** A number that promotes as Python's float does, though it is whole: `np.float(2)`. */
export class Float {
  constructor(value) {
    this.value = value;
  }
}

/** Marks an options object of a call, so that it is not taken for a value. Dtypes and slices are values. */
export function isOptions(value) {
  return value !== null && typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype
    && value.dtypeId === undefined && value.sliceParts === undefined;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Writes the arguments of one call into the module's memory, and reads results from there. */
export class Slots {
  constructor(module) {
    this.module = module;
    this.capacity = 64;
    this.address = module.nj_malloc(this.capacity * 16);
    this.count = 0; // in use
    this.owned = []; // texts and converted values that live as long as the call
  }

  /**
   * Runs `use(address, count)` on the slots that `fill(slots)` wrote. A call inside a call (a getter that computes)
   * writes behind the outer one's.
   */
  with(fill, use) {
    const base = this.count, owned = this.owned.length;
    try {
      fill(this);
      return use(this.address + 16 * base, this.count - base);
    } finally {
      this.count = base;
      while (this.owned.length > owned) this.owned.pop()();
    }
  }

  raw(tag, extra, number) {
    if (this.count === this.capacity) this.grow();
    const view = this.module.view();
    const at = this.address + 16 * this.count++;
    view.setInt32(at, tag, true);
    view.setInt32(at + 4, extra, true);
    view.setFloat64(at + 8, number, true);
  }

  grow() {
    const address = this.module.nj_malloc(this.capacity * 32);
    const bytes = this.module.bytes();
    bytes.copyWithin(address, this.address, this.address + this.capacity * 16);
    this.module.nj_free(this.address);
    this.address = address;
    this.capacity *= 2;
  }

  /** The address of `bytes` of scratch memory, good until the next use of the slots. */
  room(bytes) {
    while ((this.capacity - this.count) * 16 < bytes) this.grow();
    return this.address + 16 * this.count;
  }

  /** The handles of the arrays among `values`, 0 for others: their address, good until the next use of the slots. */
  handles(values, NDArray) {
    const address = this.room(4 * values.length), view = this.module.view();
    for (let i = 0; i < values.length; ++i)
      view.setInt32(address + 4 * i, values[i] instanceof NDArray ? values[i].checked() : 0, true);
    return address;
  }

  text(tag, value) {
    const encoded = encoder.encode(value);
    const address = this.module.nj_malloc(encoded.length + 1);
    this.module.bytes().set(encoded, address);
    this.owned.push(() => this.module.nj_free(address));
    this.raw(tag, address, encoded.length);
  }

  /** A list of what `fill` adds: it says how many values. */
  list(fill) {
    const place = this.count;
    this.raw(Tag.list, 0, 0);
    const count = fill();
    this.module.view().setInt32(this.address + 16 * place + 4, count, true);
  }

  /** One value: a number, array, list, slice, dtype, text, or what can be made one. */
  add(value) {
    switch (typeof value) {
      case 'number':
        return this.raw(Number.isInteger(value) && !Object.is(value, -0) ? Tag.int : Tag.float, 0, value);
      case 'boolean':
        return this.raw(Tag.bool, 0, value ? 1 : 0);
      case 'bigint':
        this.raw(Tag.bigInt, 0, 0);
        this.module.view().setBigInt64(this.address + 16 * (this.count - 1) + 8, value, true);
        return undefined;
      case 'string':
        return this.text(Tag.text, value);
      case 'undefined':
        return this.raw(Tag.none, 0, 0);
      default:
    }
    if (value === null) return this.raw(Tag.newaxis, 0, 0);
    if (value.handle !== undefined) return this.raw(Tag.array, value.checked(), 0);
    if (Array.isArray(value)) {
      this.raw(Tag.list, value.length, 0);
      for (const item of value) this.add(item);
      return undefined;
    }
    if (value instanceof Float) return this.raw(Tag.float, 0, value.value);
    if (value instanceof Complex) {
      this.raw(Tag.complex, 0, value.re);
      return this.raw(Tag.float, 0, value.im);
    }
    if (value.sliceParts) {
      this.raw(Tag.slice, 0, 0);
      for (const part of value.sliceParts) this.add(part ?? undefined);
      return undefined;
    }
    if (value.dtypeId !== undefined) return this.raw(Tag.dtype, value.dtypeId, 0);
    if (ArrayBuffer.isView(value)) {
      const made = this.module.fromTypedArray(value);
      this.owned.push(() => made.dispose());
      return this.raw(Tag.array, made.checked(), 0);
    }
    throw new TypeError(`numjit: got ${value.constructor?.name ?? typeof value}, expected an array, a number, a string, `
      + 'a slice, a dtype, or a list of them.');
  }

  /** Positional arguments; an options object at the end becomes arguments by name. */
  addArguments(args) {
    let count = args.length;
    const options = count > 0 && isOptions(args[count - 1]) ? args[--count] : null;
    for (let i = 0; i < count; ++i) this.add(args[i]);
    if (!options) return;
    for (const [name, value] of Object.entries(options)) {
      if (value === undefined) continue;
      this.text(Tag.key, name);
      this.add(value);
    }
  }
}

/** Text that ends with a zero byte. */
export function readText(module, address) {
  const bytes = module.bytes();
  return decoder.decode(bytes.slice(address, bytes.indexOf(0, address)));
}

/** Text in lines, their words separated by tabs. */
export function readLines(module, address) {
  return readText(module, address).trimEnd().split('\n').map((line) => line.split('\t'));
}

/** Reads the `count` result slots; one value stands for itself, none for undefined. */
export function readResult(module, count) {
  if (count === 0) return undefined;
  const at = { address: module.nj_result() };
  return readValue(module, at);
}

function readValue(module, at) {
  const view = module.view();
  const tag = view.getInt32(at.address, true);
  const extra = view.getInt32(at.address + 4, true);
  const where = at.address + 8;
  at.address += 16;
  switch (tag) {
    case Tag.none: return undefined;
    case Tag.bool: return view.getFloat64(where, true) !== 0;
    case Tag.float: return view.getFloat64(where, true);
    case Tag.complex: return new Complex(view.getFloat64(where, true), readValue(module, at));
    case Tag.bigInt: {
      const whole = extra ? view.getBigUint64(where, true) : view.getBigInt64(where, true);
      const number = Number(whole);
      return Number.isSafeInteger(number) ? number : whole;
    }
    case Tag.array: return module.adopt(extra);
    case Tag.text: return decoder.decode(module.bytes().slice(extra, extra + view.getFloat64(where, true)));
    case Tag.list: return Array.from({ length: extra }, () => readValue(module, at));
    default: throw new Error(`numjit: a result of unknown kind ${tag}.`);
  }
}
