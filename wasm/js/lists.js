// Nested lists that become arrays: what may stand in them, and which elements a dtype has. As in NumPy, but for objects and text.
import { errors } from './errors.js';
import { Complex, Float } from './numbers.js';
import { kindOf, placeIn } from './words.js';

/** NumPy's own limit of axes; arrays here have fewer. */
export const deepest = 64;
export const tooDeep = () => new errors.ValueError('[array] setting an array element with a sequence. The requested array would exceed the maximum number of '
  + `dimension of ${deepest}. Hint: does a list hold itself?`);

/** The lengths of the lists that come first, which all others shall have. */
export function shapeOf(list) {
  const shape = [];
  for (let items = list; Array.isArray(items); items = items[0]) {
    if (shape.push(items.length) > deepest) throw tooDeep();
    if (items.length === 0) break;
  }
  return shape;
}

const isWhole = (value) => typeof value === 'bigint' || Number.isInteger(value);
const at = (trail, i) => (i < 0 ? '' : ` at ${placeIn(trail, i)}`);

/** Refuses a number that an integer dtype has not: NumPy's answers. */
function checkInteger(value, { name, kind, itemsize }, place) {
  if (Number.isNaN(value)) throw new errors.ValueError(`[array] cannot convert float NaN to integer${place}`);
  if (value === Infinity || value === -Infinity) throw new errors.OverflowError(`[array] cannot convert float infinity to integer${place}`);
  const whole = BigInt(typeof value === 'number' ? Math.trunc(value) : value), bits = 8n * BigInt(itemsize);
  const [least, most] = kind === 'u' ? [0n, (1n << bits) - 1n] : [-(1n << (bits - 1n)), (1n << (bits - 1n)) - 1n];
  if (whole < least || whole > most) throw new errors.OverflowError(`[array] Python integer ${whole} out of bounds for ${name}${place}`);
}

/** Refuses an element that arrays of `dtype` have not; of any dtype that numbers have, where none is named. It stands at `i` of a list, or alone. */
export function checkElement(value, dtype, trail = null, i = -1) {
  const number = value instanceof Float ? value.value : value;
  if (dtype === undefined) {
    if (typeof number === 'bigint' && (number < -(2n ** 63n) || number >= 2n ** 64n))
      throw new errors.OverflowError(`[array] Python integer ${kindOf(number).replace(/n$/, '')} out of bounds for int64 and uint64${at(trail, i)}`);
    return;
  }
  if (value instanceof Complex && 'iuf'.includes(dtype.kind))
    throw new TypeError(`[array] ${dtype.kind === 'f' ? 'float() argument must be a string or a real number' : 'int() argument must be a string, '
      + 'a bytes-like object or a real number'}, not 'complex'${at(trail, i)}`);
  if (typeof number === 'bigint' && 'fc'.includes(dtype.kind) && !Number.isFinite(Number(number)))
    throw new errors.OverflowError(`[array] int too large to convert to float${at(trail, i)}`);
  if ('iu'.includes(dtype.kind) && (typeof number === 'number' || typeof number === 'bigint') && (number < 0 || number > 127 || number !== number)) checkInteger(number, dtype, at(trail, i));
}

/**
 * Looks through a list that becomes an array. `isArray(value)`: it is one, or a typed array. `dtype`: its elements', if that is known.
 * Throws for lists of several lengths and for what is no element; returns { shape, wide: there are integers that int64 has not,
 * mixed: lists and arrays stand side by side }.
 */
export function inspected(list, dtype, isArray) {
  const shape = shapeOf(list);
  let wide = false, mixed = false, arrays = false, ragged = null;
  const wrong = (depth, got, place) => {
    ragged ??= new errors.ValueError(`[array] setting an array element with a sequence. The requested array has an inhomogeneous shape after ${depth} dimensions. `
      + `The detected shape was (${shape.slice(0, depth).join(', ')}${depth === 1 ? ',' : ''}) + inhomogeneous part: got ${got} at ${place}, expected `
      + `${depth < shape.length ? `a list of length ${shape[depth]}` : 'a number'}.`);
  };
  const look = (items, depth, trail) => {
    if (depth > deepest) throw tooDeep();
    for (let i = 0; i < items.length; ++i) {
      const item = items[i];
      if (Array.isArray(item)) {
        if (depth >= shape.length || item.length !== shape[depth]) wrong(depth, `a list of length ${item.length}`, placeIn(trail, i));
        look(item, depth + 1, { up: trail, at: i });
      } else if (typeof item === 'number' && dtype === undefined) {
        if (depth !== shape.length) wrong(depth, String(item), placeIn(trail, i));
      } else if (isArray(item)) {
        arrays = true;
        mixed ||= depth !== shape.length;
      } else if (isElement(item)) {
        if (depth !== shape.length) wrong(depth, kindOf(item), placeIn(trail, i));
        checkElement(item, dtype, trail, i);
        wide ||= typeof item === 'bigint' && (item >= 2n ** 63n || item < -(2n ** 63n));
      } else {
        throw wrongElement(item, trail, i);
      }
    }
  };
  look(list, 1, null);
  if (ragged && !arrays) throw ragged;
  return { shape, wide, mixed: arrays && (mixed || ragged !== null) };
}

/** A number or a truth value: what elements are made of. */
export function isElement(value) {
  switch (typeof value) {
    case 'number': case 'boolean': case 'bigint': return true;
    case 'object': return value instanceof Float || value instanceof Complex;
    default: return false;
  }
}

export function wrongElement(item, trail, i) {
  return new TypeError(`numjit: got ${kindOf(item)} at ${placeIn(trail, i)}, expected a number, an array, or a list of them.`);
}

/** The elements of a nested list, as integers of 64 bits where NumPy takes them for uint64, else as floats: a typed array. */
export function wideElements(list, dtype) {
  const flat = list.flat(Infinity).map((value) => (value instanceof Float ? value.value : value));
  const unsigned = dtype === undefined ? flat.every((value) => typeof value === 'boolean' || (isWhole(value) && value >= 2n ** 63n)) : 'iu'.includes(dtype.kind);
  return unsigned ? BigUint64Array.from(flat, (value) => BigInt(typeof value === 'number' ? Math.trunc(value) : value)) : Float64Array.from(flat, Number);
}
