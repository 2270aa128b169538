// Times of a race: a table for one size, a slider for it, and a plot over all sizes.
import { element } from '../demos/demo.js';
import { plotOf } from './plot.js';

const sizes = [10, 100, 1000, 10_000, 100_000, 1_000_000];
const milliseconds = (ms) => (ms === null ? '–' : ms >= 1 ? `${ms.toFixed(2)} ms` : `${(ms * 1000).toFixed(2)} us`);

function rows({ n, first, compiled, eager, js, bytes, bandwidth, copy }) {
  const ratio = (ms) => (ms === null ? '' : `${(ms / compiled).toFixed(2)} of compiled`);
  return [['elements', n.toLocaleString('en'), ''], ['first call', milliseconds(first), 'with the kernels'], ['compiled', milliseconds(compiled), ''], ['eager', milliseconds(eager), ratio(eager)],
    ['plain JavaScript', milliseconds(js), ratio(js)], ['memory', `${bytes.toLocaleString('en')} bytes`, `${bandwidth.toFixed(2)} GB/s, a copy ${copy.toFixed(2)} GB/s`]];
}

/** Calls of compiled functions, as the program made them. */
export function callsView(functions) {
  const body = functions.map(({ name, calls, first, later }) => element('tr', {}, ...[name, String(calls), milliseconds(first), milliseconds(later)].map((text) => element('td', {}, text))));
  return element('table', { class: 'values' }, element('tr', {}, ...['function', 'calls', 'first', 'later ones'].map((word) => element('th', { scope: 'col' }, word))), ...body);
}

/** `measure(n)` resolves to the times at n. */
export function raceView(measure, twin) {
  const table = element('table', { class: 'values' }), picture = element('div'), known = new Map(), said = element('p', { role: 'status' }, '');
  const output = element('output', {}, '10000'), input = element('input', { type: 'range', min: 1, max: 6.5, step: 0.25, value: 4, 'aria-label': 'elements' });
  const sizeOf = () => Math.round(10 ** Number(input.value));
  let last = Promise.resolve();
  function draw() {
    const found = [...known.values()].sort((a, b) => a.n - b.n), line = (name, key) => ({ name, points: found.filter((one) => one[key] !== null).map((one) => [one.n, one[key]]) });
    picture.replaceChildren(plotOf([line('compiled', 'compiled'), line('eager', 'eager'), ...(twin ? [line('plain JavaScript', 'js')] : [])], { log: true, x: 'elements', y: 'ms a call' }));
  }
  async function at(n) {
    said.textContent = `measuring ${n.toLocaleString('en')} elements ...`;
    const times = await measure(n);
    said.textContent = times.error ? `At ${n}: ${times.error}` : '';
    if (times.error) return;
    known.set(n, times);
    table.replaceChildren(...rows(times).map((row) => element('tr', {}, element('th', { scope: 'row' }, row[0]), ...row.slice(1).map((text) => element('td', {}, text)))));
    draw();
  }
  function inTurn(list) {
    for (const n of list) last = last.then(() => at(n));
  }
  input.addEventListener('input', () => { output.textContent = sizeOf().toLocaleString('en'); });
  input.addEventListener('change', () => inTurn([sizeOf()]));
  const view = element('div', {}, element('div', { class: 'slider' }, element('span', {}, 'elements'), input, output,
    element('button', { class: 'button', onclick: () => inTurn(sizes) }, 'All sizes')), said, table, picture);
  return { view, start: () => inTurn([sizeOf()]) };
}
