// Values in an error's words.

/** What a value is, whatever it is. */
export function kindOf(value) {
  switch (typeof value) {
    case 'string': return value.length > 40 ? `'${value.slice(0, 40)}...'` : `'${value}'`;
    case 'symbol': return 'a symbol';
    case 'bigint': return value > -(10n ** 40n) && value < 10n ** 40n ? `${value}n` : 'a BigInt of many digits';
    case 'function': if (value.dtypeId !== undefined) return `the dtype ${value.name}`;
      return value.name ? `the function ${value.name}` : 'a function';
    case 'object': break;
    default: return String(value);
  }
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  let name;
  try {
    name = value.constructor?.name;
  } catch { /* an object that refuses to be looked at */ }
  return typeof name === 'string' && name !== '' ? name : 'an object';
}

/** Where an entry stands in nested lists: '[0][1]'. `trail`: { up, at } of the lists around it, from the inside. */
export function placeIn(trail, i) {
  let text = `[${i}]`;
  for (; trail !== null; trail = trail.up) text = `[${trail.at}]${text}`;
  return text;
}

/** Does a function go on after it has returned: async, function*? */
export const isUnending = (fn) => /^(Async|Generator)/.test(Object.getPrototypeOf(fn)?.constructor?.name ?? '');
