// The worker's side of worker.js: loads numjit and the jobs, runs them one after the other.
import { isPacked, packed } from './messages.js';
import { load } from './numjit.js';

const nodeThreads = 'node:worker_threads'; // kept from bundlers
let np = null, jobs = null;

/** Typed and packed arrays become arrays of numjit, also inside lists and plain objects. */
function unpacked(value) {
  if (value === null || typeof value !== 'object') return value;
  if (ArrayBuffer.isView(value) || isPacked(value)) return np.array(value);
  if (Array.isArray(value)) return value.map(unpacked);
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, unpacked(item)]));
}

async function answer({ load: wanted, name, args }, moved) {
  if (wanted) {
    np = await load(wanted.options);
    jobs = await import(/* webpackIgnore: true */ /* @vite-ignore */ wanted.jobs);
    return Object.keys(jobs).filter((key) => typeof jobs[key] === 'function');
  }
  // What a job makes ends with it, but for what it takes out by np.keep(); one that waits is left to the collector.
  if (jobs[name].constructor.name === 'AsyncFunction') return packed(await jobs[name](np, ...unpacked(args)), moved);
  return np.tidy(() => packed(jobs[name](np, ...unpacked(args)), moved));
}

let last = Promise.resolve();
function receive(message, port) {
  last = last.then(async () => {
    const moved = [];
    try {
      port.postMessage({ id: message.id, result: await answer(message, moved) }, moved);
    } catch (error) {
      port.postMessage({ id: message.id, error: { name: error.name ?? 'Error', message: String(error.message ?? error), stack: error.stack } });
    }
  });
}
if (globalThis.postMessage) globalThis.onmessage = (event) => receive(event.data, globalThis);
else import(/* webpackIgnore: true */ nodeThreads).then(({ parentPort }) => parentPort.on('message', (message) => receive(message, parentPort)));
