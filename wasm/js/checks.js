// Checks of what transforms of functions are given, and the words of their errors.
import { errors } from './errors.js';
import { unexpectedOption } from './hints.js';
import { isOptions } from './slots.js';
import { isUnending, kindOf } from './words.js';

export const wrong = (name, text) => new TypeError(`[${name}] ${text}`);
/** '1 entry', '2 entries'. */
export const counted = (count, what, several = `${what}s`) => `${count} ${count === 1 ? what : several}`;

export function checkFunction(name, f) {
  if (typeof f !== 'function') throw wrong(name, `got ${kindOf(f)}, expected a function.`);
  if (isUnending(f)) throw wrong(name, `got ${kindOf(f)}, which goes on after it has returned (async, function*), expected one that ends when it returns.`);
}

/** Options, with what they are where nothing is said. */
export function checkOptions(name, options, otherwise) {
  const known = Object.keys(otherwise);
  if (!isOptions(options)) throw wrong(name, `got ${kindOf(options)}, expected an object of options: ${name}(f, { ${known[0]}: ... }).`);
  for (const option of Object.keys(options))
    if (!known.includes(option)) throw wrong(name, unexpectedOption(option, known));
  const all = { ...otherwise };
  for (const option of known) if (options[option] !== undefined) all[option] = options[option];
  if (typeof (all.hasAux ?? false) !== 'boolean') throw new errors.ValueError(`[${name}] hasAux: got ${kindOf(all.hasAux)}, expected true or false.`);
  return all;
}
