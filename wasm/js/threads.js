// Threads: workers that compute in the module's memory. See ../threads/shared_pool.cpp.
import { withSharedMemory } from './binary.js';
import { Entry } from './host.js';
import { moduleWorker } from './spawn.js';
import { kindOf } from './words.js';

/** A module of one shared memory: valid where threads are. */
const threadsProbe = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 5, 4, 1, 3, 1, 1]);
const leastPages = 256, mostThreads = 16;

const canShare = () => typeof SharedArrayBuffer === 'function' && globalThis.crossOriginIsolated !== false && WebAssembly.validate(threadsProbe);

/** How many threads there shall be: what was asked for, as far as that can be had. */
export function wantedThreads(asked) {
  if (asked !== undefined && !(Number.isInteger(asked) && asked >= 1))
    throw new RangeError(`load: threads: got ${kindOf(asked)}, expected a whole number from 1 on.`);
  if (!canShare()) return 1;
  const cores = globalThis.navigator?.hardwareConcurrency ?? 1;
  return Math.min(asked ?? (globalThis.crossOriginIsolated ? cores : 1), mostThreads);
}

/** Memory that grows; less of it on machines that can't promise as much. */
export function sharedMemory() {
  for (let maximum = 65536; ; maximum /= 2) {
    try {
      return new WebAssembly.Memory({ initial: leastPages, maximum, shared: true });
    } catch (error) {
      if (maximum <= 4096) throw error;
    }
  }
}

const nodeThreads = 'node:worker_threads'; // kept from bundlers
const makeWorker = async () => {
  if (globalThis.Worker)
    return moduleWorker(() => new Worker(new URL('./pool_worker.js', import.meta.url), { type: 'module' }), 'pool_worker.js');
  const { Worker: NodeWorker } = await import(/* webpackIgnore: true */ nodeThreads);
  const worker = new NodeWorker(new URL('./pool_worker.js', import.meta.url));
  worker.unref(); // a program ends though they wait
  return worker;
};

const entryNumbers = 6; // see Entry

/**
 * Starts `threads - 1` workers; they take part as soon as they are ready. Returns the log of kernels, which they read at the
 * beginning of a job: it and the bytes it names lie in the shared memory.
 */
export function startWorkers(module, compiled, threads) {
  const { memory } = module, pages = 65536, encoder = new TextEncoder();
  let capacity = 64, count = 0, packs = 0;
  const control = module.allocate(8, 'threads'); // how many entries, where they lie
  let log = module.allocate(capacity * entryNumbers * 4, 'threads');
  const places = new Map(); // of kernels: their entry
  const numbers = () => new Uint32Array(memory.buffer);
  const publish = () => {
    const all = numbers();
    all[control / 4] = count;
    all[control / 4 + 1] = log;
  };
  publish();

  function copyIn(bytes) {
    const address = module.allocate(bytes.length, 'a kernel');
    new Uint8Array(memory.buffer).set(bytes, address);
    return address;
  }
  function add(...entry) {
    if (count === capacity) {
      const larger = module.allocate(2 * capacity * entryNumbers * 4, 'kernels');
      new Uint8Array(memory.buffer).copyWithin(larger, log, log + capacity * entryNumbers * 4);
      module.nj_free(log);
      log = larger;
      capacity *= 2;
    }
    numbers().set(entry, log / 4 + count * entryNumbers);
    ++count;
    publish();
    return count - 1;
  }

  const shareable = (bytes) => withSharedMemory(bytes.slice(), pages);
  module.nj_set_threads(threads);
  const workers = [];
  const start = async () => {
    const worker = await makeWorker();
    const top = module.nj_worker_memory();
    if (top === 0) return worker.terminate();
    const failed = (event) => console.warn(`numjit: a thread ended: ${event.message ?? event}`);
    if (worker.on) worker.on('error', failed);
    else worker.onerror = failed;
    worker.postMessage({ compiled, memory, control, top });
    return workers.push(worker);
  };
  for (let i = 1; i < threads; ++i) start().catch((error) => console.warn(`numjit: no thread: ${error.message}`));

  return {
    get threads() { return threads; },
    pages, shareable,
    /** Threads that compute by now. */
    running: () => 1 + module.nj_running_workers(),
    /** Runs that were shared among them so far. */
    shared: () => module.nj_shared_runs(),
    addKernel(place, address, size) {
      const bytes = shareable(new Uint8Array(memory.buffer, address, size));
      places.set(place, add(Entry.kernel, place, copyIn(bytes), bytes.length, 0, 0));
    },
    /** Workers that have not read of it shall not: its bytes go. */
    dropKernel(place) {
      const at = log / 4 + places.get(place) * entryNumbers, all = numbers();
      module.nj_free(all[at + 2]);
      all[at + 2] = 0;
      places.delete(place);
    },
    addPack(bytes, { memoryBase, tableBase, tableCount }) {
      add(Entry.pack, tableBase, copyIn(bytes), bytes.length, memoryBase, tableCount);
      return packs++;
    },
    addPackFunction(pack, name, place) {
      const text = encoder.encode(name);
      add(Entry.packFunction, place, copyIn(text), text.length, pack, 0);
    },
    stop() {
      module.nj_stop_threads();
      threads = 1;
      for (const worker of workers.splice(0)) worker.terminate();
    },
  };
}
