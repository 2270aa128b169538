// Runs one program, off the page's thread, where it can be stopped: np, show(value) and race({ inputs, numjit, js }) are there, the
// console goes to the page.
import { kernels, noteKernels } from './capture.js';
import { observe, lineIn } from './observe.js';
import { load } from '../package/numjit.js';
import { timesAt } from './times.js';

let np = null, watched = null, contest = null, address = '';
const post = (message, moved = []) => globalThis.postMessage(message, moved);

/** A value as the page can show it. */
function plain(value, depth = 0) {
  if (np !== null && value instanceof np.NDArray) return { kind: 'array', text: String(value), ...value.pack() };
  if (Array.isArray(value) && depth < 3 && value.some((item) => item instanceof np.NDArray)) return { kind: 'list', items: value.map((item) => plain(item, depth + 1)) };
  if (ArrayBuffer.isView(value) && !(value instanceof DataView)) return { kind: 'array', text: '', shape: [value.length], dtype: value.constructor.name, data: value.slice() };
  if (typeof value === 'string') return { kind: 'text', text: value };
  if (typeof value === 'function') return { kind: 'text', text: `the function ${value.name}` };
  try {
    return { kind: 'text', text: value !== null && typeof value === 'object' ? JSON.stringify(value, (_, item) => (typeof item === 'bigint' ? `${item}n` : item), 1) : String(value) };
  } catch {
    return { kind: 'text', text: String(value) };
  }
}

const words = (values) => values.map((value) => (np !== null && value instanceof np.NDArray ? value[Symbol.for('nodejs.util.inspect.custom')]() : plain(value).text ?? String(value))).join(' ');
for (const level of ['log', 'info', 'warn', 'error']) console[level] = (...values) => post({ type: 'log', level, text: words(values) });

function failed(error) {
  const stack = String(error?.stack ?? ''), name = error?.name ?? 'Error';
  post({ type: 'error', name, message: String(error?.message ?? error), line: lineIn(stack, address) });
}

/** Shows a value; `as`: 'table', 'picture', 'plot' or 'text' instead of what its shape suggests. */
globalThis.show = (value, { as } = {}) => {
  if (value !== undefined) post({ type: 'show', as, value: plain(value) });
  return value;
};
/** The address of this script: what programs import lies beside it. */
globalThis.place = import.meta.url;
globalThis.race = (given) => {
  for (const name of ['inputs', 'numjit'])
    if (typeof given?.[name] !== 'function') throw new TypeError(`race: ${name}: got ${typeof given?.[name]}, expected a function: race({ inputs: (n) => [...], numjit: (...arrays) => ..., js: (...typedArrays) => ... }).`);
  contest = given;
};

async function start(options) {
  np = await load({ ...options, complete: true, threads: 1 });
  globalThis.np = np;
  post({ type: 'ready', build: np.build, files: performance.getEntriesByType('resource').map(({ name }) => name) });
}

async function run({ code, settings }) {
  const url = URL.createObjectURL(new Blob([code], { type: 'text/javascript' }));
  address = url;
  watched = observe(np, settings, url);
  noteKernels(np);
  if (settings.trace) np.leaks.start(); // it looks at the stack for each array, which takes time
  const begin = performance.now();
  let ms = 0, ended = true;
  try {
    await import(url);
    ms = performance.now() - begin;
  } catch (error) {
    failed(error);
    ended = false;
  }
  const memory = { bytes: np.memory(), arrays: np.liveArrays(), lines: settings.trace ? np.leaks.report().map((entry) => ({ ...entry, line: lineIn(entry.place, url) })) : null };
  np.leaks.stop();
  let functions = [];
  try {
    functions = watched.finish();
  } catch (error) {
    if (ended) failed(error);
  }
  post({ type: 'done', address: url, ended, ms, functions, kernels, memory, races: contest !== null, twin: typeof contest?.js === 'function' });
}

async function answer(data) {
  try {
    if (data.type === 'load') await start(data.options);
    else if (data.type === 'run') await run(data);
    else if (data.type === 'time') post({ type: 'times', ...timesAt(np, watched, contest, data.n) });
  } catch (error) {
    failed(error);
    if (data.type === 'time') post({ type: 'times', n: data.n, error: error.message });
  }
}

let last = Promise.resolve(); // one after the other: a program waits until numjit is there
globalThis.onmessage = ({ data }) => { last = last.then(() => answer(data)); };
