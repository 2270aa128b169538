// Values as they are shown: tables, pictures and plots, by the shape of an array; and the texts of a run.
import { element, palette } from '../demos/demo.js';
import { plotOf, short } from './plot.js';

const mostRows = 50, mostColumns = 12, mostPoints = 2000;
const heat = palette('#0b1026', '#27408b', '#3f8fb0', '#9ad7a0', '#f3e9a1', '#f6a04d', '#c23b22');

/** The numbers of a packed array, as floats; of complex ones the absolute values. */
function numbersOf({ dtype, data, shape }) {
  if (/^complex/.test(dtype)) return Float64Array.from({ length: data.length / 2 }, (_, i) => Math.hypot(data[2 * i], data[2 * i + 1]));
  if (dtype === 'float16') return null;
  return shape.length > 0 || data.length > 0 ? Float64Array.from(data, Number) : new Float64Array(0);
}

const nameOf = ({ dtype, shape }) => `${dtype}, ${shape.length === 0 ? 'no axes' : shape.join(' x ')}`;
const finite = (values) => values.reduce(([low, high], v) => (Number.isFinite(v) ? [Math.min(low, v), Math.max(high, v)] : [low, high]), [Infinity, -Infinity]);

function tableOf(array, numbers) {
  const [rows, columns] = array.shape.length === 1 ? [1, array.shape[0]] : array.shape, cell = (v) => (/^(bool|u?int)/.test(array.dtype) ? String(v) : short(v));
  const heading = element('tr', {}, element('th', {}, ''), ...Array.from({ length: Math.min(columns, mostColumns) }, (_, j) => element('th', { scope: 'col' }, String(j))));
  const body = Array.from({ length: Math.min(rows, mostRows) }, (_, i) => element('tr', {}, element('th', { scope: 'row' }, String(i)),
    ...Array.from({ length: Math.min(columns, mostColumns) }, (__, j) => element('td', {}, cell(numbers[i * columns + j])))));
  return element('table', { class: 'values' }, heading, ...body);
}

function pictureOf({ shape: [height, width, channels = 1], dtype }, numbers) {
  const canvas = element('canvas', { width, height, role: 'img', 'aria-label': `picture of ${width} x ${height}` }), context = canvas.getContext('2d');
  const image = context.createImageData(width, height), pixels = new Uint32Array(image.data.buffer);
  const [low, high] = finite(numbers), scale = high > low ? 255 / (high - low) : 0;
  if (channels === 1) for (let i = 0; i < pixels.length; ++i) pixels[i] = heat[Math.round((numbers[i] - low) * scale) | 0];
  else {
    const factor = dtype === 'uint8' ? 1 : dtype === 'bool' || high <= 1 ? 255 : scale;
    for (let i = 0; i < width * height; ++i) for (let c = 0; c < 4; ++c) image.data[4 * i + c] = c < channels ? numbers[i * channels + c] * factor : 255;
  }
  context.putImageData(image, 0, 0);
  return canvas;
}

/** What an array's shape suggests. */
function kindFor({ shape, dtype }, numbers) {
  if (numbers === null || shape.length === 0 || shape.length > 3 || shape.includes(0)) return 'text';
  if (shape.length === 3) return (shape[2] === 3 || shape[2] === 4) && shape[0] > 3 ? 'picture' : 'text';
  if (shape.length === 2) return shape[0] > 24 && shape[1] > mostColumns ? 'picture' : 'table';
  return shape[0] > mostColumns && dtype !== 'bool' ? 'plot' : 'table';
}

function arrayView(array, as) {
  const numbers = numbersOf(array), kind = as ?? kindFor(array, numbers);
  const thin = (values) => {
    const every = Math.ceil(values.length / mostPoints);
    return Array.from({ length: Math.ceil(values.length / every) }, (_, i) => [i * every, values[i * every]]);
  };
  const views = {
    table: () => tableOf(array, numbers),
    picture: () => pictureOf(array, numbers),
    plot: () => {
      const [rows, columns] = array.shape.length === 2 ? array.shape : [1, array.shape[0]];
      return plotOf(Array.from({ length: Math.min(rows, 4) }, (_, i) => ({ name: `row ${i}`, points: thin(numbers.subarray(i * columns, (i + 1) * columns)) })), { x: 'index', y: 'value' });
    },
    text: () => element('pre', {}, array.text),
  };
  const figure = element('figure', { class: 'shown' }, (views[kind] ?? views.text)());
  const [low, high] = numbers === null || numbers.length === 0 ? [0, 0] : finite(numbers);
  figure.append(element('figcaption', {}, `${nameOf(array)}${array.shape.length > 0 && numbers !== null ? `, from ${short(low)} to ${short(high)}` : ''}`));
  if (kind !== 'text' && array.text) figure.append(element('details', {}, element('summary', {}, 'as text'), element('pre', {}, array.text)));
  return figure;
}

/** A value that the program showed. */
export function valueView(value, as) {
  if (value.kind === 'array') return arrayView(value, as);
  if (value.kind === 'list') return element('div', {}, ...value.items.map((item) => valueView(item, as)));
  return element('pre', {}, value.text);
}

/** The first program's line of an error is a link to it. */
export function errorView({ name, message, line }, goTo) {
  const box = element('p', { class: 'error' }, `${name}: ${message}`);
  if (line !== null) box.append(' ', element('button', { class: 'button', onclick: () => goTo(line) }, `line ${line}`));
  return box;
}

/** Memory: bytes, arrays that are alive, and the lines that made them. */
export function memoryView({ bytes, arrays, lines }, functions, goTo) {
  const rows = (lines ?? []).map(({ line, place, arrays: count, bytes: size }) => element('tr', {},
    element('td', {}, line === null ? place.split('/').pop() : element('button', { class: 'button', onclick: () => goTo(line) }, `line ${line}`)),
    element('td', {}, String(count)), element('td', {}, size.toLocaleString('en'))));
  const heading = element('tr', {}, ...['made at', 'arrays', 'bytes'].map((word) => element('th', { scope: 'col' }, word)));
  const peaks = functions.filter(({ report }) => report).map(({ name, report }) => element('p', {}, `${name}: a call has ${report.peak_bytes.toLocaleString('en')} bytes at its peak`));
  return element('div', {}, element('p', {}, `${(bytes / 2 ** 20).toFixed(1)} MiB of memory, arrays alive when the program ended: ${arrays}.`), ...peaks,
    rows.length > 0 ? element('table', { class: 'values' }, heading, ...rows) : element('p', {}, lines === null ? 'With "trace arrays" the lines that made them are listed here; programs are slower so.' : 'None were left.'));
}
