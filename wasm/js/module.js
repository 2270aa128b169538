// Loads the WebAssembly module: chooses the build that the machine can run, gives it what it imports.

import { constant } from './binary.js';
import { hostImports, importsOf } from './host.js';
import { startWorkers, sharedMemory, wantedThreads } from './threads.js';

/** A module of one instruction on v128: valid where SIMD is. */
const simdProbe = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11,
]);

const builds = ['simd', 'scalar'];

/** The builds that can run here, best first. */
export function fittingBuilds() {
  return WebAssembly.validate(simdProbe) ? builds : ['scalar'];
}

// Spelled out, so that bundlers find the files; what only Node has is kept from them.
const beside = {
  simd: () => new URL('./simd.wasm', import.meta.url),
  scalar: () => new URL('./scalar.wasm', import.meta.url),
  threads: () => new URL('./threads.wasm', import.meta.url),
  linalg: () => new URL('./linalg.wasm', import.meta.url),
  simd_rest: () => new URL('./simd_rest.wasm', import.meta.url),
  scalar_rest: () => new URL('./scalar_rest.wasm', import.meta.url),
  threads_rest: () => new URL('./threads_rest.wasm', import.meta.url),
};
const nodeFiles = 'node:fs';
let files = null; // in Node

const placeOf = (name, base) => (base ? new URL(`${name}.wasm`, base) : beside[name]());

/** A file, lying beside this one or in the folder `base`: its bytes in Node, elsewhere the response. */
async function open(name, base) {
  const url = placeOf(name, base);
  if (url.protocol === 'file:') {
    files ??= await import(/* webpackIgnore: true */ nodeFiles);
    return files.promises.readFile(url);
  }
  const response = await fetch(url);
  if (!response.ok) throw new Error(`numjit: ${url.pathname} was not served: status ${response.status}.`);
  return response;
}

/** The same at once: its bytes. A page waits meanwhile, which is why it may say beforehand that it wants the file. */
function openNow(name, base) {
  const url = placeOf(name, base);
  if (url.protocol === 'file:') return files.readFileSync(url);
  const request = new XMLHttpRequest();
  request.open('GET', url, false);
  request.overrideMimeType('text/plain; charset=x-user-defined'); // a page may not ask for bytes: each is a character then
  request.send();
  if (request.status !== 200) throw new Error(`status ${request.status}`);
  return Uint8Array.from(request.responseText, (character) => character.charCodeAt(0) & 255);
}

/** A part of the package that is put beside the module. */
async function partBytes(name, base) {
  const found = await open(name, base);
  return ArrayBuffer.isView(found) ? found : new Uint8Array(await found.arrayBuffer());
}

/** A module, compiled: in a page, a worker or Node. */
async function compileFile(name, base) {
  const response = await open(name, base);
  if (ArrayBuffer.isView(response)) return WebAssembly.compile(response);
  // Compiled while it arrives, and kept by the browser, where the host names its type.
  if (response.headers.get('content-type')?.startsWith('application/wasm')) return WebAssembly.compileStreaming(response);
  return WebAssembly.compile(await response.arrayBuffer());
}

/** Functions of kernels in the module's table: what wasm/kernels/page_kernels.cpp calls. */
function kernelImports(exported, workers) {
  const freePlaces = [];
  let ours = null; // env.scratch of this thread
  return {
    nj_add_kernel(address, size, scratch) {
      const { memory, __indirect_function_table: table } = exported();
      try {
        ours ??= constant(scratch);
        const bytes = new Uint8Array(memory.buffer, address, size);
        const kernel = new WebAssembly.Module(workers() ? workers().shareable(bytes) : bytes);
        const { run } = new WebAssembly.Instance(kernel, { env: { memory, scratch: ours } }).exports;
        const place = freePlaces.pop() ?? table.grow(1);
        table.set(place, run);
        workers()?.addKernel(place, address, size);
        return place;
      } catch (error) {
        console.warn(`numjit: ${error}`);
        return 0;
      }
    },
    nj_validate(address, size) {
      return WebAssembly.validate(new Uint8Array(exported().memory.buffer, address, size).slice()) ? 1 : 0;
    },
    nj_drop_kernel(place) {
      exported().__indirect_function_table.set(place, null);
      workers()?.dropKernel(place);
      freePlaces.push(place);
    },
  };
}

/** What a module was split in: the rest is loaded when a function of it is called, or before. */
class Rest {
  constructor(name, base) {
    Object.assign(this, { name, base, exports: null, here: false, coming: null });
  }

  put(compiled) {
    if (!this.here) new WebAssembly.Instance(compiled, { primary: this.exports }); // fills its places in the table
    this.here = true;
  }

  /** The function at a place of the table, for the first call of one. */
  functionAt(place) {
    if (!this.here) {
      try {
        this.put(new WebAssembly.Module(openNow(this.name, this.base)));
      } catch (error) {
        throw new Error(`numjit: ${this.name}.wasm, which has this function, could not be loaded while the page waits: ${error.message}. `
          + 'Hint: await np.complete() before, or load({ complete: true }).');
      }
    }
    return this.exports.__indirect_function_table.get(place);
  }

  /** Resolves when it is there. */
  load() {
    this.coming ??= compileFile(this.name, this.base).then((compiled) => this.put(compiled)).catch((error) => {
      this.coming = null;
      throw error;
    });
    return this.coming;
  }
}

/** Instantiates one build, over shared memory where it is given; returns its exports with views of its memory. */
export async function instantiate(compiled, { name, base, shared } = {}) {
  let exports, result;
  const parts = {}, rest = new Rest(`${name}_rest`, base);
  const host = { ...hostImports(() => exports.memory), ...kernelImports(() => exports, () => result?.workers) };
  if (shared) host.memory = shared;
  ({ exports } = await WebAssembly.instantiate(compiled, importsOf(compiled, host, parts, (place) => rest.functionAt(place))));
  rest.exports = exports;
  if (shared) exports = { ...exports, memory: shared };
  exports._initialize?.();
  let dataView = new DataView(exports.memory.buffer);
  let byteView = new Uint8Array(exports.memory.buffer);
  const refresh = () => {
    dataView = new DataView(exports.memory.buffer);
    byteView = new Uint8Array(exports.memory.buffer);
  };
  // Growth detaches the buffers that were handed out: their length becomes 0. Shared ones stay as they are.
  const gone = shared ? () => byteView.buffer !== shared.buffer : () => byteView.length === 0;
  result = {
    ...exports,
    parts,
    complete: () => rest.load(),
    view: () => (gone() && refresh(), dataView),
    bytes: () => (gone() && refresh(), byteView),
  };
  return result;
}

/** The build with threads, and its workers; null where there can be none. */
async function loadThreaded(threads, base) {
  try {
    const memory = sharedMemory();
    const compiled = await compileFile('threads', base);
    const module = await instantiate(compiled, { name: 'threads', base, shared: memory });
    module.build = 'simd';
    module.workers = startWorkers(module, compiled, threads);
    return module;
  } catch (error) {
    console.warn(`numjit: no threads: ${error.message}`);
    return null;
  }
}

/**
 * Loads the best build that fits. `build`: only that one. `base`: the folder that holds them. `threads`: how many compute;
 * as many as the machine has where a page is isolated, else 1, where nothing is said. `complete`: with all of its code
 * at once; later, when the page is idle; or (false) when a function of it is called.
 */
export async function loadModule({ complete = 'idle', ...options } = {}) {
  if (![true, false, 'idle'].includes(complete)) throw new RangeError(`load: complete: got '${complete}', expected true, false or 'idle'.`);
  const module = await loadFitting(options);
  if (complete === true) await module.complete();
  else if (complete) whenIdle(() => module.complete().catch(() => {})); // a call that needs it will say what is wrong
  return module;
}

/** Only pages that may not wait: workers and Node load the file when a function of it is called. */
function whenIdle(run) {
  if (typeof document === 'undefined' || navigator.connection?.saveData) return;
  if (globalThis.requestIdleCallback) requestIdleCallback(run);
  else setTimeout(run, 200);
}

async function loadFitting({ build, base, threads }) {
  const wanted = wantedThreads(threads);
  if (build !== undefined && !builds.includes(build)) throw new RangeError(`load: build: got '${build}', expected 'simd' or 'scalar'.`);
  const names = build ? [build] : fittingBuilds();
  if (wanted > 1 && names[0] === 'simd') {
    const module = await loadThreaded(wanted, base);
    if (module) return Object.assign(module, { partBytes: (part) => partBytes(part, base) });
  }
  let failure;
  for (const name of names) {
    try {
      const module = await instantiate(await compileFile(name, base), { name, base });
      module.build = name;
      module.partBytes = (part) => partBytes(part, base);
      return module;
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

