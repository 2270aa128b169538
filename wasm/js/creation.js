// np.array and np.asarray of JavaScript's own values: lists, typed arrays, what a.pack() made.
import { checkFunction, checkOptions } from './checks.js';
import { checkElement, inspected, isElement, wideElements } from './lists.js';
import { isPacked } from './messages.js';

const isInt64 = (value) => BigInt.asIntN(64, value) === value;

export function addArray(np, module, { isArray, dtypeNamed, fromTypedArray, fromPacked, tidy }) {
  const { array, asarray } = np;
  /** A dtype by its name, or one; undefined where it is neither. */
  const dtypeOf = (dtype) => (typeof dtype === 'string' ? dtypeNamed(dtype) : dtype) ?? undefined;

  /** Of a list or an integer that slots can't carry: with integers beyond int64, or with lists and arrays side by side. */
  function beyondSlots(value, dtype, found) {
    return found.mixed ? array(value.map((item) => np.array(item))) : fromTypedArray(wideElements([value], dtype)).reshape(found.shape);
  }
  /** An array of what checks have found right. */
  module.makeArray = (value, dtype) => tidy(() => {
    const whole = beyondSlots(value, dtype, Array.isArray(value) ? inspected(value, dtype, isArray) : { shape: [] });
    return dtype === undefined || whole.dtype === dtype ? whole : whole.astype(dtype);
  });

  /** The options of np.array, which the dtype may stand for. */
  const named = (given) => (given.length > 0 && (typeof given[0] === 'string' || given[0]?.dtypeId !== undefined || given.length > 1)
    ? { dtype: given[0], order: given[1] } : given[0] ?? undefined);

  function made(run, value, given) {
    const options = named(given), dtype = dtypeOf(options?.dtype);
    // Options are the module's to check, also where the array itself is made here.
    const by = (make) => tidy(() => (options === undefined ? make() : run(make(), options)));
    if (given.length > 2) return run(value, ...given); // which says that they are too many
    if (ArrayBuffer.isView(value)) return by(() => fromTypedArray(value));
    if (isPacked(value)) return by(() => fromPacked(value));
    if (Array.isArray(value)) {
      const found = inspected(value, dtype, isArray);
      if (found.wide || found.mixed) return by(() => beyondSlots(value, dtype, found));
    } else if (isElement(value)) {
      checkElement(value, dtype);
      if (typeof value === 'bigint' && !isInt64(value)) return by(() => beyondSlots(value, dtype, { shape: [] }));
    }
    return options === undefined ? run(value) : run(value, options);
  }
  np.array = (...args) => (args.length === 0 ? array() : made(array, args[0], args.slice(1)));
  /** fn of the indices along each axis, which are arrays of this shape. */
  np.fromfunction = (fn, shape, options = {}) => {
    checkFunction('fromfunction', fn);
    const { dtype } = checkOptions('fromfunction', options, { dtype: 'float64' });
    return tidy(() => fn(...np.indices(Array.isArray(shape) ? shape : [shape], { dtype })));
  };
  np.asarray = (...args) => (args.length === 0 ? asarray() : made(asarray, args[0], args.slice(1)));
}
