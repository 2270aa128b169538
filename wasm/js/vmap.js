// np.vmap: a function of one example, called for a whole axis at once.
import { checkFunction, checkOptions, counted } from './checks.js';
import { errors } from './errors.js';
import { flatten, Part, partsOf } from './trees.js';
import { kindOf } from './words.js';

/** The axis of each leaf: `axes` is a number or null for all of a value, or a container like it. */
function axesOf(name, axes, value, path = '') {
  if (axes === null || Number.isInteger(axes)) return flatten(value, 'vmap').leaves.map(() => axes);
  const parts = partsOf(value), given = partsOf(axes), alike = given !== null && parts !== null && given.length === parts.length && Array.isArray(axes) === Array.isArray(value);
  const keys = alike ? Object.keys(value) : [];
  if (!alike || keys.some((key) => !Object.hasOwn(axes, key)))
    throw new errors.ValueError(`[vmap] ${name}${path} is ${kindOf(axes)}${given === null ? '' : ` with ${counted(given.length, 'entry', 'entries')}`}, `
      + 'expected a whole number, null, or a container like what it belongs to.');
  return keys.flatMap((key) => axesOf(name, axes[key], value[key], `${path}[${Array.isArray(value) ? key : `'${key}'`}]`));
}

/** Binds to one np: what transforms.js has. */
export function addVmap(np, { rows, isArray, asArray, resultsOf, inCall, called, named }) {
  /** The arguments with stand-ins for one example where they have an axis. */
  function batched(call, args, inAxes) {
    const isStack = (leaf) => isArray(leaf) || ArrayBuffer.isView(leaf);
    const leaves = [], numbers = [], places = [];
    const parts = args.map((value, number) => {
      const axes = axesOf('inAxes', inAxes[number], value, Array.isArray(inAxes) ? `[${number}]` : '');
      let at = 0;
      return new Part('vmap', value, (leaf) => {
        const axis = axes[at++];
        if (axis === null || !isStack(leaf)) return false;
        leaves.push(asArray(leaf));
        numbers.push(number);
        places.push(axis);
        return true;
      });
    });
    const given = rows.begin_batch(call, leaves, numbers, places);
    let at = 0;
    return parts.map((part) => part.with(given.slice(at, at += part.count)));
  }

  np.vmap = (f, options = {}) => {
    checkFunction('vmap', f);
    const { inAxes, outAxes, axisSize, randomness } = checkOptions('vmap', options, { inAxes: 0, outAxes: 0, axisSize: null, randomness: 'error' });
    if (axisSize !== null && !(Number.isSafeInteger(axisSize) && axisSize >= 0))
      throw new errors.ValueError(`[vmap] axisSize: got ${kindOf(axisSize)}, expected a whole number from 0 on.`);
    if (typeof randomness !== 'string') throw new errors.ValueError(`[vmap] randomness: got ${kindOf(randomness)}, expected 'error', 'same' or 'different'.`);
    return named('vmap', f, (...args) => {
      const each = Array.isArray(inAxes) ? inAxes : args.map(() => inAxes);
      if (each.length !== args.length) throw new errors.ValueError(`[vmap] inAxes has ${each.length} entries, the call has ${counted(args.length, 'argument')}.`);
      return inCall(() => rows.open_batch(axisSize ?? undefined, randomness), (call) => {
        const given = batched(call, args, each), result = called('vmap', f, given);
        const results = resultsOf('vmap', result), axes = axesOf('outAxes', outAxes, result);
        return results.with(rows.finish_batch(call, results.given, results.places.map((place) => axes[place] ?? false)));
      });
    });
  };
}
