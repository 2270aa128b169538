// While a page is written: sends the graphs it runs to `numjit serve`, and runs the kernels that come back.
//
//   import { connect } from './package/develop.js';
//   connect(np);
//
// A page that is shipped loads the pack that the server has written instead: await np.loadPack('kernels.simd.wasm').

import { kindOf } from './words.js';

const head = 'numjit graphs 1\n';
const contentType = 'application/x-numjit-graphs';

/** The answers after which the same graphs are worth sending again. */
const later = new Set([429, 503]);

/**
 * Looks for new graphs every `interval` milliseconds and has `server` (default: where the page is from) compile them.
 * Returns { sync(), close() }: sync() sends what is new now, and resolves to { kernels, replaced, failures }.
 */
export function connect(np, { server = globalThis.location?.origin, interval = 100 } = {}) {
  if (typeof np?.recording?.count !== 'function') throw new TypeError(`connect: got ${kindOf(np)}, expected the np of load().`);
  if (!(interval > 0)) throw new RangeError(`connect: interval: got ${kindOf(interval)}, expected milliseconds.`);
  if (!server) throw new TypeError('connect: got no server, expected its address, such as http://127.0.0.1:8080.');
  const address = new URL(`/numjit/graphs?target=${np.build}`, server);
  /** Graphs that were sent: the server has no other answer to them. */
  const sent = new Set();
  let seen = -1, running = null, warned = '';

  async function send() {
    const result = { kernels: 0, replaced: 0, failures: 0 };
    const count = np.recording.count();
    if (count === seen) return result;
    const graphs = np.recording({ missing: true }).slice(head.length).split('\n\n').map((text) => text.trim()).filter((text) => text && !sent.has(text));
    if (graphs.length === 0) {
      seen = count;
      return result;
    }
    const body = head + graphs.map((graph) => `\n${graph}\n`).join('');
    const response = await fetch(address, { method: 'POST', headers: { 'content-type': contentType }, body });
    const unfinished = Number(response.headers.get('numjit-unfinished') ?? 0);
    if (!later.has(response.status) && unfinished === 0) {
      for (const graph of graphs) sent.add(graph);
      seen = count;
    }
    if (!response.ok) throw new Error(`numjit: ${address.origin} answers: ${(await response.text()).trim()}`);
    result.failures = Number(response.headers.get('numjit-failures') ?? 0);
    if (response.status === 204) return result;
    const { kernels, replaced } = await np.loadPack(response);
    return Object.assign(result, { kernels, replaced });
  }

  /** One at a time: what is asked for meanwhile waits for the one under way. */
  function sync() {
    const next = (running ?? Promise.resolve()).catch(() => {}).then(send);
    const ended = () => { if (running === next) running = null; };
    running = next;
    next.then(ended, ended);
    return next;
  }

  const timer = setInterval(async () => {
    if (running) return;
    try {
      await sync();
      warned = '';
    } catch (error) {
      if (error.message !== warned) console.warn(warned = error.message);
    }
  }, interval);
  timer.unref?.();
  return { sync, close: () => clearInterval(timer) };
}
