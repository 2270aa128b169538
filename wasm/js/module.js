// Loads the WebAssembly module: chooses the build that the machine can run, gives it what it imports.

import { constant } from './binary.js';
import { memoryBuffers } from './buffers.js';
import { hostImports, importsOf, unsigned } from './host.js';
import { folderAt, needWebAssembly } from './needs.js';
import { startWorkers, sharedMemory, wantedThreads } from './threads.js';
import { kindOf } from './words.js';

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
  simd_secondary: () => new URL('./simd_secondary.wasm', import.meta.url),
  scalar_secondary: () => new URL('./scalar_secondary.wasm', import.meta.url),
  threads_secondary: () => new URL('./threads_secondary.wasm', import.meta.url),
};
const nodeFiles = 'node:fs';
let files = null; // in Node

const wayOut = "Hint: the .wasm files of the package belong beside the page's script, where bundlers such as esbuild and plain Rollup don't put them; "
  + "load({ base: '/numjit/' }) names another folder.";

function placeOf(name, base) {
  if (base) return new URL(`${name}.wasm`, base);
  try {
    return beside[name]();
  } catch (error) {
    throw new Error(`numjit: where to find ${name}.wasm is not known: this script has no import.meta.url, as bundles of the formats iife and cjs. `
      + "Hint: load({ base: '/numjit/' }) names the folder of the package's .wasm files.", { cause: error });
  }
}

/** A file, lying beside this one or in the folder `base`, which is a URL: its bytes in Node, elsewhere the response. */
async function open(name, base) {
  const url = placeOf(name, base);
  if (url.protocol === 'file:') {
    files ??= await import(/* webpackIgnore: true */ nodeFiles);
    try {
      return await files.promises.readFile(url);
    } catch (error) {
      throw Object.assign(new Error(`numjit: ${url.pathname} could not be read: ${error.message}. ${wayOut}`, { cause: error }), { code: error.code });
    }
  }
  let response;
  try {
    response = await fetch(url);
  } catch (error) {
    throw new Error(`numjit: ${url} could not be fetched: ${error.message}. ${wayOut}`, { cause: error });
  }
  if (!response.ok) throw new Error(`numjit: ${url.pathname} was not served: status ${response.status}. ${wayOut}`);
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
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (bytes[0] !== 0 || bytes[1] !== 97 || bytes[2] !== 115 || bytes[3] !== 109)
    throw new Error(`numjit: ${placeOf(name, base)} is no module of WebAssembly: the server answered with something else, such as a page. Hint: load({ base }) names the folder of the .wasm files.`);
  return WebAssembly.compile(bytes);
}

/**
 * Exports that give addresses, opaque ones included. The machine hands them over as signed numbers: those beyond 2 GiB would be negative.
 */
export const addressExports = ['nj_malloc', 'nj_kernel_malloc', 'nj_hash', 'nj_graph_name', 'nj_recorded_graphs', 'nj_missing_kernels', 'nj_worker_memory',
  'nj_replay_results', 'nj_function_names', 'nj_ufunc_names', 'nj_result', 'nj_error_text', 'nj_error_class', 'nj_layout', 'nj_data', 'nj_compile',
  'nj_begin', 'nj_disable', 'nj_explain_begin', 'nj_explain_text', 'nj_explain_json'];

/** The exports as JavaScript calls them: addresses are whole numbers from 0 on. */
function withAddresses(exports) {
  const made = { ...exports };
  const unsignedAt = [
    (give) => () => give() >>> 0,
    (give) => (a) => give(a) >>> 0,
    (give) => (a, b) => give(a, b) >>> 0,
    (give) => (a, b, c) => give(a, b, c) >>> 0,
    (give) => (a, b, c, d) => give(a, b, c, d) >>> 0,
  ];
  for (const name of addressExports)
    if (exports[name]) made[name] = unsignedAt[exports[name].length](exports[name]);
  return made;
}

/** Functions of kernels in the module's table: what wasm/kernels/page_kernels.cpp calls. */
function kernelImports(exported, workers) {
  const freePlaces = [];
  let ours = null; // env.scratch of this thread
  return unsigned({
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
  });
}

/** What a module was split in: the secondary one is loaded when a function of it is called, or before. */
class Secondary {
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
  const parts = {}, secondary = new Secondary(`${name}_secondary`, base);
  const host = {
    ...hostImports(() => exports.memory), ...kernelImports(() => exports, () => result?.workers),
    nj_host_rule: (rule, step) => result.hostRule(rule, step), // custom.js
    emscripten_notify_memory_growth: () => result?.grown?.(), // memory.js
  };
  if (shared) host.memory = shared;
  ({ exports } = await WebAssembly.instantiate(compiled, importsOf(compiled, host, parts, (place) => secondary.functionAt(place))));
  secondary.exports = exports;
  if (shared) exports = { ...exports, memory: shared };
  exports._initialize?.();
  let dataView, byteView;
  const refresh = () => {
    dataView = new DataView(exports.memory.buffer);
    byteView = new Uint8Array(exports.memory.buffer);
    memoryBuffers.add(exports.memory.buffer);
  };
  refresh();
  // Growth detaches the buffers that were handed out: their length becomes 0. Shared ones stay as they are.
  const gone = shared ? () => byteView.buffer !== shared.buffer : () => byteView.length === 0;
  result = {
    ...withAddresses(exports),
    raw: exports, // for other modules: they call these without a detour
    parts,
    /** Memory of the module, or a MemoryError's RangeError. */
    allocate(bytes, forWhat) {
      const address = result.nj_malloc(bytes);
      if (address === 0) throw new RangeError(`numjit: no memory for ${bytes} bytes of ${forWhat}: the page's limit of 4 GB, or of the browser, is reached.`);
      return address;
    },
    complete: () => secondary.load(),
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
 * as many as the machine has where a page is isolated, else 1, where nothing is said.
 */
export async function loadModule(options = {}) {
  return loadFitting(await fittingOptions(options));
}

/**
 * What options of load() come to on this machine: { names of builds, best first, base as a URL, threads }. Equal ones load equal modules.
 */
export async function fittingOptions({ build, base, threads }) {
  needWebAssembly();
  const wanted = wantedThreads(threads);
  if (build !== undefined && !builds.includes(build)) throw new RangeError(`load: build: got ${kindOf(build)}, expected 'simd' or 'scalar'.`);
  return { names: build ? [build] : fittingBuilds(), base: base === undefined ? undefined : await folderAt(base), threads: wanted };
}

/** The secondary module: now (true), when the page is idle ('idle'), or when it is called (false). */
export async function completeWhen(complete, module) {
  if (complete === true) await module.complete();
  else if (complete) whenIdle(() => module.complete().catch(() => {})); // a call that needs it will say what is wrong
}

/** Only pages that may not wait: workers and Node load the file when a function of it is called. */
function whenIdle(run) {
  if (typeof document === 'undefined' || globalThis.navigator?.connection?.saveData) return;
  if (globalThis.requestIdleCallback) requestIdleCallback(run);
  else setTimeout(run, 200);
}

export async function loadFitting({ names, base, threads }) {
  if (threads > 1 && names[0] === 'simd') {
    const module = await loadThreaded(threads, base);
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
      failure ??= error;
    }
  }
  if (!(failure instanceof WebAssembly.CompileError)) throw failure;
  throw new Error(`numjit: this machine can not compile the module: ${failure.message}. It needs exceptions of WebAssembly: Chrome 95, Firefox 100, `
    + 'Safari 15.2, Node 18 or later.', { cause: failure });
}
