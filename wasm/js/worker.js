// Heavy calls off the page's thread: numjit in a worker of its own.
//
//   // jobs.js: functions that get np first, then the arguments
//   export function simulate(np, start, steps) { ... return u; }
//
//   // the page
//   import { startWorker } from 'numjit/worker.js';
//   const jobs = await startWorker(new URL('./jobs.js', import.meta.url));
//   const { shape, data } = await jobs.simulate(new Float32Array(100), 50);
//   jobs.terminate();
//
// Arrays arrive in the job as numjit arrays, whether the page sent typed arrays, packed arrays ({ shape, dtype, data },
// from a.pack()) or numjit arrays. Results come back packed, without a copy; np.array(packed) makes an array of one.

import { checkedOptions, folderAt, needWebAssembly, resolved } from './needs.js';
import { packed, transfer } from './messages.js';
import { moduleWorker } from './spawn.js';

/** What became of a job that can not end any more. */
export class WorkerError extends Error {
  name = 'WorkerError';
}

export { transfer };

const nodeThreads = 'node:worker_threads'; // kept from bundlers

/** A module worker, in a page or in Node, with one way to listen. */
async function spawn() {
  if (globalThis.Worker) {
    const worker = moduleWorker(() => new Worker(new URL('./worker_main.js', import.meta.url), { type: 'module' }), 'worker_main.js');
    return {
      post: (message, moved) => worker.postMessage(message, moved),
      listen(onMessage, onEnd) {
        worker.onmessage = (event) => onMessage(event.data);
        worker.onerror = (event) => onEnd(event.message || 'its script could not be loaded');
        worker.onmessageerror = () => onEnd('a message could not be read');
      },
      end: () => worker.terminate(),
    };
  }
  const { Worker: NodeWorker } = await import(/* webpackIgnore: true */ nodeThreads);
  const worker = new NodeWorker(new URL('./worker_main.js', import.meta.url));
  return {
    post: (message, moved) => worker.postMessage(message, moved),
    listen(onMessage, onEnd) {
      worker.on('message', onMessage);
      worker.on('error', (error) => onEnd(error.message));
      worker.on('exit', (code) => onEnd(`it ended with code ${code}`));
    },
    end: () => worker.terminate(),
  };
}

/**
 * Starts a worker that loads numjit and the module at `jobs`; each function that it exports becomes a method that
 * returns a promise. `options` are those of load(). Jobs run one after the other.
 */
export async function startWorker(jobs, options = {}) {
  needWebAssembly();
  const { base, ...others } = checkedOptions(options), place = await resolved(jobs, 'startWorker: jobs');
  // A worker's script lies elsewhere: addresses are as the page sees them.
  const wanted = base === undefined ? others : { ...others, base: String(await folderAt(base)) };
  const worker = await spawn();
  const waiting = new Map();
  let next = 0, ended = null;

  function end(why) {
    if (ended) return;
    ended = why;
    for (const { reject, name } of waiting.values()) reject(new WorkerError(`numjit: the worker ended in '${name}': ${why}.`));
    waiting.clear();
    worker.end();
  }
  function send(name, message, moved = []) {
    return new Promise((resolve, reject) => {
      if (ended) throw new WorkerError(`numjit: '${name}' was not run, the worker has ended: ${ended}.`);
      waiting.set(++next, { resolve, reject, name });
      try {
        worker.post({ id: next, ...message }, moved);
      } catch (error) {
        waiting.delete(next);
        throw error;
      }
    });
  }
  worker.listen(({ id, result, error }) => {
    const job = waiting.get(id);
    if (!job) return;
    waiting.delete(id);
    if (!error) job.resolve(result);
    else job.reject(Object.assign(new (error.name === 'TypeError' ? TypeError : error.name === 'RangeError' ? RangeError : Error)(error.message),
      { name: error.name, remoteStack: error.stack }));
  }, end);

  const names = await send('load', { load: { jobs: String(place), options: wanted } }).catch((error) => {
    end('its jobs could not be loaded');
    throw error;
  });
  if (names.includes('terminate')) {
    end('a job has its name');
    throw new TypeError("startWorker: got a job of the name 'terminate', which ends the worker.");
  }
  const methods = { terminate: () => end('terminate() was called') };
  for (const name of names) {
    methods[name] = async (...args) => {
      const moved = [];
      return send(name, { name, args: packed(args, moved) }, moved);
    };
  }
  return methods;
}
