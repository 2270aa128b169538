// Parameters that are true or false: texts and lists are none, though 'false' looks like one.
import { isOptions } from './slots.js';
import { kindOf } from './words.js';

const names = new Set(['keepdims', 'endpoint', 'density', 'equal_nan', 'replace', 'hermitian', 'full_matrices', 'compute_uv', 'upper', 'shuffle', 'rowvar', 'bias', 'assume_unique',
  'invert', 'return_index', 'return_inverse', 'return_counts', 'return_indices', 'include_initial', 'retstep']);
/** Names that are numbers in other functions. */
const own = new Set(['digitize.right', 'angle.deg']);

/** Is this parameter of `owner` true or false? */
export const isFlag = (owner, name) => names.has(name) || own.has(`${owner}.${name}`);

const isTruth = (value) => value === null || !['string', 'symbol', 'function', 'object'].includes(typeof value) || value.handle !== undefined;

/** Checks the arguments of a function for what is no truth value where one is expected; null where it takes none. */
export function flagsOf(owner, parameters) {
  const flags = parameters.filter((name) => isFlag(owner, name));
  if (flags.length === 0) return null;
  const check = (name, value) => {
    if (!isTruth(value)) throw new TypeError(`[${owner}] ${name}: got ${kindOf(value)}, expected true or false.`);
  };
  const first = parameters.indexOf(flags[0]);
  return (args) => {
    const count = args.length - (isOptions(args[args.length - 1]) ? 1 : 0);
    if (count < args.length) for (const name of flags) check(name, args[count][name]);
    for (let i = first; i < count; ++i) if (flags.includes(parameters[i])) check(parameters[i], args[i]);
  };
}
