// The page of the bench: runs the workloads by each engine, checks that results agree, and times them.
import { load } from '../package/numjit.js';
import { workloads } from './workloads.js';

/** Loads a script that makes a global. */
const script = (src) => new Promise((done, failed) => {
  document.head.append(Object.assign(document.createElement('script'), { src, onload: done, onerror: () => failed(new Error(`${src} was not served`)) }));
});

const dispose = (result) => (Array.isArray(result) ? result : [result]).forEach((a) => a.dispose?.());
const listOf = (result) => (Array.isArray(result) ? result : [result]);

/** The library with as many threads as the machine has cores, all of them running. */
async function withThreads() {
  const np = await load();
  if (np.threads.count < 2) throw new Error('the page has one thread only');
  for (let tries = 0; np.threads.running < np.threads.count; ++tries) {
    if (tries > 500) throw new Error(`${np.threads.running} of ${np.threads.count} threads have started`);
    await new Promise((done) => { setTimeout(done, 20); });
  }
  return np;
}

/** With the kernels that Halide made of this row's graphs. */
async function withPack(np) {
  if (!window.pack) throw new Error(window.packTrouble ?? 'there is no pack');
  await np.loadPack(window.pack);
  return np;
}

const numjitEngine = (np, wrapper) => ({
  np, start: (w, data) => w.numjit(np, data, wrapper(np)), read: (r) => listOf(r).map((a) => a.toTypedArray()), dispose,
});
/** The form for functions of arrays and nothing else, which the jits of the others expect, too. */
const compiledEngine = (np) => numjitEngine(np, () => (fn) => np.compile(fn, { mode: 'replay', fullgraph: true }));

/** How each engine is started, called, waited for and read. */
const engines = {
  async js() {
    return { start: (w, data) => w.js(data), read: (r) => listOf(r), dispose() {} };
  },
  async eager() {
    return numjitEngine(await load({ threads: 1, fresh: true }), (np) => (fn) => (...args) => np.tidy(() => fn(...args)));
  },
  async compiled() { return compiledEngine(await load({ threads: 1, fresh: true })); },
  async rerun() { return numjitEngine(await load({ threads: 1, fresh: true }), (np) => (fn) => np.compile(fn)); },
  async pack() { return compiledEngine(await withPack(await load({ threads: 1, fresh: true }))); },
  async compiled_threads() { return compiledEngine(await withThreads()); },
  async pack_threads() { return compiledEngine(await withPack(await withThreads())); },
  async jax() {
    const jax = await import('/peers/@jax-js/jax/dist/index.js');
    await jax.init('wasm');
    jax.defaultDevice('wasm');
    return {
      start: (w, data) => w.jax?.(jax, data), read: (r) => Promise.all(listOf(r).map((a) => a.ref.data())), dispose,
      wait: (r) => Promise.all(listOf(r).map((a) => a.blockUntilReady())),
    };
  },
  async tf() {
    for (const part of ['core', 'backend-cpu', 'backend-wasm']) await script(`/peers/@tensorflow/tfjs-${part}/dist/tf-${part}.min.js`);
    const { tf } = globalThis;
    tf.wasm.setWasmPaths('/peers/@tensorflow/tfjs-backend-wasm/dist/');
    await tf.setBackend('wasm');
    for (const name of ['add', 'sub', 'mul', 'div', 'sqrt', 'log', 'exp', 'less', 'cast', 'sum', 'argMin'])
      tf.Tensor.prototype[name] = function method(...args) { return tf[name](this, ...args); };
    return { start: (w, data) => w.tf?.(tf, data), read: (r) => Promise.all(listOf(r).map((a) => a.data())), dispose };
  },
  async nts() {
    const np = await import('/peers/numpy-ts/dist/numpy-ts.browser.js');
    return { start: (w, data) => w.nts?.(np, data), read: (r) => listOf(r).map((a) => (a.data ?? Float32Array.of(a)).slice()), dispose };
  },
};

/** Seconds of the fastest of several batches, per call. */
async function time(run, engine, budget) {
  let calls = 0;
  for (const begin = performance.now(); calls < 2 || (performance.now() - begin < budget && calls < 1e5); ++calls) {
    const result = run();
    if (engine.wait) await engine.wait(result);
    engine.dispose(result);
  }
  const batch = async (count) => {
    const begin = performance.now();
    for (let i = 0; i < count; ++i) {
      const result = run();
      if (engine.wait) await engine.wait(result);
      engine.dispose(result);
    }
    return (performance.now() - begin) / count;
  };
  // The page's clock has steps of 0.1 ms: a batch takes a good part of the budget.
  let count = 1, best = Infinity;
  for (let batches = 0; batches < 5 && (batches < 2 || best < 1000);) {
    const each = await batch(count);
    if (each * count < budget / 5 && count < 1e5) {
      count = Math.min(1e5, Math.max(2 * count, Math.ceil(budget / 4 / Math.max(each, 1e-4))));
      best = Infinity;
      batches = 0;
      continue;
    }
    best = Math.min(best, each);
    ++batches;
  }
  return best;
}

/** Which share of the elements is off by more than a thousandth; integers and bigints count as numbers. */
function difference(mine, reference) {
  let wrong = 0, all = 0;
  reference.forEach((expected, part) => {
    const got = mine[part];
    all += expected.length;
    if (got?.length !== expected.length) wrong += expected.length;
    else for (let i = 0; i < expected.length; ++i) if (!(Math.abs(Number(got[i]) - expected[i]) <= 1e-3 * (1 + Math.abs(expected[i])))) ++wrong;
  });
  return wrong / all;
}

window.engineNames = Object.keys(engines);
window.workloads = workloads.map(({ name, about, sizes }) => ({ name, about, sizes }));
const started = {};

/** One workload at one size by one engine: { ms, difference } or { missing: why }. */
window.measure = async (name, n, engineName, budget = 60) => {
  try {
    started[engineName] ??= await engines[engineName]();
    const engine = started[engineName], workload = workloads.find((w) => w.name === name), data = workload.data(n);
    const run = engine.start(workload, data);
    if (!run) return { missing: 'it has no such function' };
    let result;
    const begin = performance.now();
    for (let call = 0; call < 6 && (call < 2 || performance.now() - begin < 1000); ++call) { // compiled functions settle
      if (result) engine.dispose(result);
      result = run();
    }
    const off = difference(await engine.read(result), listOf(workload.js(data)()));
    engine.dispose(result);
    return { ms: await time(run, engine, budget), difference: off };
  } catch (error) {
    return { missing: `${error.name}: ${error.message}`.slice(0, 200) };
  }
};
/** The graphs of the compiled engine so far, for `numjit pack build`. */
window.recorded = () => started.compiled?.np.recording() ?? '';
window.ready = true;
