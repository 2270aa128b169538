// Values between JavaScript and the module, in slots of 16 bytes: tag, extra, number. See ../core/call.h.

import { errors } from './errors.js';
import { deepest, isElement, tooDeep, wrongElement } from './lists.js';
import { Complex, Float } from './numbers.js';
import { kindOf, placeIn } from './words.js';

export const Tag = {
  none: 0, bool: 1, int: 2, float: 3, complex: 4, bigInt: 5, array: 6, text: 7, list: 8, slice: 9, ellipsis: 10,
  newaxis: 11, dtype: 12, key: 13,
};

/** Marks an options object of a call, so that it is not taken for a value. Dtypes, slices and copies of arrays' handles are values. */
export function isOptions(value) {
  return value !== null && typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype
    && value.dtypeId === undefined && value.sliceParts === undefined && value.handle === undefined;
}

/** On the prototypes of arrays: those of another module, or of another copy of the package, are known by it. */
export const arrayMark = Symbol.for('numjit.array');

/** Why a value is no array, number, ... of this module. `place`: where it stands, ' at [0]'. */
export function refusal(value, place = '') {
  if (value?.[arrayMark] === true) {
    let what = 'an array';
    try {
      what = `an array of shape (${value.shape.join(', ')}) and dtype ${value.dtype}`;
    } catch { /* it was disposed of */ }
    return new TypeError(`numjit: got ${what}${place} that belongs to another numjit: its module came by load() with other options. `
      + 'Hint: np.array(a.pack()) copies it into this one.');
  }
  if (value !== null && typeof value === 'object' && 'handle' in value && 'scope' in value)
    return new TypeError(`numjit: got a copy of an array's handle${place}, as structuredClone() and postMessage() make it. Hint: send a.pack(), make an array of it by np.array().`);
  return new TypeError(`numjit: got ${kindOf(value)}${place}, expected an array, a number, a string, a slice, a dtype, or a list of them.`);
}

const dtypeCount = 14;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Writes the arguments of one call into the module's memory, and reads results from there. */
export class Slots {
  constructor(module) {
    this.module = module;
    this.capacity = 64;
    this.address = module.allocate(this.capacity * 16, 'arguments');
    this.count = 0; // in use
    this.owned = []; // texts and converted values that live as long as the call
    this.NDArray = null; // the module's arrays
    this.idle = () => {}; // called when arrays that were disposed of meanwhile may go
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
      if (base === 0) this.idle();
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
    const address = this.module.allocate(this.capacity * 32, 'arguments');
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
    for (let i = 0; i < values.length; ++i) {
      const value = values[i];
      if (value instanceof NDArray) view.setInt32(address + 4 * i, value.handle || value.checked(), true); // 0 after dispose()
      else if (value?.[arrayMark] === true) throw refusal(value);
      else view.setInt32(address + 4 * i, 0, true);
    }
    return address;
  }

  text(tag, value) {
    const encoded = encoder.encode(value);
    const address = this.module.allocate(encoded.length + 1, 'text');
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

  /** A list of values. Read once: what a getter says later does not matter. `trail`: the lists around it, see placeIn(). */
  addList(list, trail, depth) {
    const { length } = list;
    if (depth > deepest) throw tooDeep();
    this.raw(Tag.list, length, 0);
    for (let i = 0; i < length; ++i) {
      const item = list[i];
      if (typeof item === 'number') this.raw(Number.isInteger(item) && !Object.is(item, -0) ? Tag.int : Tag.float, 0, item);
      else if (Array.isArray(item)) this.addList(item, { up: trail, at: i }, depth + 1);
      else if (item instanceof this.NDArray) this.raw(Tag.array, item.checked(), 0);
      else if (isElement(item) || ArrayBuffer.isView(item)) this.add(item, ` at ${placeIn(trail, i)}`);
      else if (item?.[arrayMark] === true) throw refusal(item, ` at ${placeIn(trail, i)}`);
      else throw wrongElement(item, trail, i);
    }
  }

  /** One value: a number, array, list, slice, dtype, text, or what can be made one. `place`: where it stands in a list. */
  add(value, place = '') {
    switch (typeof value) {
      case 'number':
        return this.raw(Number.isInteger(value) && !Object.is(value, -0) ? Tag.int : Tag.float, 0, value);
      case 'boolean':
        return this.raw(Tag.bool, 0, value ? 1 : 0);
      case 'bigint':
        if (BigInt.asIntN(64, value) !== value) throw new errors.OverflowError(`numjit: Python integer ${kindOf(value).replace(/n$/, '')} out of bounds for int64${place}. Hint: np.array(value, 'uint64').`);
        this.raw(Tag.bigInt, 0, 0);
        this.module.view().setBigInt64(this.address + 16 * (this.count - 1) + 8, value, true);
        return undefined;
      case 'string':
        return this.text(Tag.text, value);
      case 'undefined':
        return this.raw(Tag.none, 0, 0);
      case 'object': break;
      case 'function': if (value.dtypeId !== undefined) break;
        throw refusal(value, place);
      default: throw refusal(value, place);
    }
    if (value === null) return this.raw(Tag.newaxis, 0, 0);
    if (value instanceof this.NDArray) return this.raw(Tag.array, value.checked(), 0);
    if (Array.isArray(value)) return this.addList(value, null, 1);
    if (value instanceof Float) return this.raw(Tag.float, 0, value.value);
    if (value instanceof Complex) {
      this.raw(Tag.complex, 0, value.re);
      return this.raw(Tag.float, 0, value.im);
    }
    if (value[arrayMark] === true) throw refusal(value, place);
    if (Array.isArray(value.sliceParts) && value.sliceParts.length === 3) {
      this.raw(Tag.slice, 0, 0);
      for (const part of value.sliceParts) this.add(part ?? undefined);
      return undefined;
    }
    if (Number.isInteger(value.dtypeId) && value.dtypeId >= 0 && value.dtypeId < dtypeCount) return this.raw(Tag.dtype, value.dtypeId, 0);
    if (ArrayBuffer.isView(value)) {
      const made = this.module.fromTypedArray(value);
      this.owned.push(() => made.dispose());
      return this.raw(Tag.array, made.checked(), 0);
    }
    throw refusal(value, place);
  }

  /** The value of the parameter at a place. */
  named(place, value) {
    this.raw(Tag.key, place, 0);
    this.add(value);
  }
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
    case Tag.text: return decoder.decode(module.bytes().slice(extra >>> 0, (extra >>> 0) + view.getFloat64(where, true)));
    case Tag.list: return Array.from({ length: extra }, () => readValue(module, at));
    default: throw new Error(`numjit: a result of unknown kind ${tag}.`);
  }
}
