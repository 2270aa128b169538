// np.array and np.asarray of JavaScript's own values: lists, typed arrays, what a.pack() made.
import { checkElement, inspected, isElement, wideElements } from './lists.js';
import { isPacked } from './messages.js';

const isInt64 = (value) => BigInt.asIntN(64, value) === value;

export function addArray(np, module, { isArray, fromTypedArray, fromPacked, tidy }) {
  const { array, asarray } = np;
  /** A dtype by its name, or one; undefined where it is neither. */
  const dtypeOf = (dtype) => (typeof dtype === 'string' ? [np[dtype === 'bool' ? 'bool_' : dtype]].find((type) => type?.name === dtype) : dtype) ?? undefined;

  /** Of a list or an integer that slots can't carry: with integers beyond int64, or with lists and arrays side by side. */
  function beyondSlots(value, dtype, found) {
    return tidy(() => {
      if (found.mixed) return array(value.map((item) => np.array(item)), dtype === undefined ? {} : { dtype });
      const whole = fromTypedArray(wideElements([value], dtype)).reshape(found.shape);
      return dtype === undefined || whole.dtype === dtype ? whole : whole.astype(dtype);
    });
  }
  /** An array of what checks have found right. */
  module.makeArray = (value, dtype) => beyondSlots(value, dtype, Array.isArray(value) ? inspected(value, dtype, isArray) : { shape: [] });

  /** The options of np.array, which the dtype may stand for. */
  const named = (given) => (given.length > 0 && (typeof given[0] === 'string' || given[0]?.dtypeId !== undefined || given.length > 1)
    ? { dtype: given[0], order: given[1] } : given[0] ?? undefined);

  function made(run, value, given) {
    const options = named(given), dtype = dtypeOf(options?.dtype);
    if (given.length > 2) return run(value, ...given); // which says that they are too many
    if (ArrayBuffer.isView(value)) {
      const whole = fromTypedArray(value);
      return options === undefined ? whole : tidy(() => run(whole, options));
    }
    if (isPacked(value)) return options === undefined ? fromPacked(value) : tidy(() => run(fromPacked(value), options));
    if (Array.isArray(value)) {
      const found = inspected(value, dtype, isArray);
      if (found.wide || found.mixed) return beyondSlots(value, dtype, found);
    } else if (isElement(value)) {
      checkElement(value, dtype);
      if (typeof value === 'bigint' && !isInt64(value)) return beyondSlots(value, dtype, { shape: [] });
    }
    return options === undefined ? run(value) : run(value, options);
  }
  np.array = (...args) => (args.length === 0 ? array() : made(array, args[0], args.slice(1)));
  np.asarray = (...args) => (args.length === 0 ? asarray() : made(asarray, args[0], args.slice(1)));
}
