// How arrays look in consoles: Node's, and the developer tools of browsers, where custom formatters are switched on.
import { arrayMark } from './slots.js';

/** Node asks objects by it what they look like. */
export const inspectMark = Symbol.for('nodejs.util.inspect.custom');

const lengths = (shape) => shape.join(' x ');
const headOf = (array) => `NDArray(${lengths(array.shape)}) ${array.dtype}`;

/** An array's shape, dtype and numbers; many of them are left out as in NumPy. Of one that has ended: that it has. */
export function inspectedText(array) {
  if (array.handle === 0) return 'NDArray (disposed of)';
  return `${headOf(array)}${array.ndim > 1 ? '\n' : ' '}${array}`;
}

const most = 20; // rows and columns of a table
const cell = 'padding: 0 0.6em; text-align: right; font-family: monospace';

/** A formatter as browsers take it: JsonML. */
const formatter = {
  header(value) {
    if (value?.[arrayMark] !== true || typeof value.handle !== 'number') return null;
    if (value.handle === 0) return ['span', {}, 'NDArray (disposed of)'];
    return ['span', {}, value.size <= most && value.ndim < 2 ? inspectedText(value) : headOf(value)];
  },
  hasBody: (value) => value.handle !== 0 && value.size > 0,
  body(value) {
    const { shape } = value;
    if (shape.length !== 2 || shape[0] > most || shape[1] > most) return ['pre', { style: 'margin: 0' }, String(value)];
    return ['table', {}, ...value.tolist().map((row) => ['tr', {}, ...row.map((item) => ['td', { style: cell }, String(item)])])];
  },
};

/** Registers the formatter, once in a page. */
export function addFormatter() {
  if (typeof globalThis.document === 'undefined') return;
  const formatters = globalThis.devtoolsFormatters ??= [];
  if (Array.isArray(formatters) && !formatters.includes(formatter)) formatters.push(formatter);
}
