// Loads the WebAssembly module: chooses the build that the machine can run, gives it what it imports.

import { placeHere } from './places.js';

/** A module of one instruction on v128: valid where SIMD is. */
const simdProbe = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11,
]);

/** The builds that can run here, best first. */
export function fittingBuilds() {
  return WebAssembly.validate(simdProbe) ? ['simd', 'scalar'] : ['scalar'];
}

// Spelled out, so that bundlers find the files; what only Node has is kept from them.
const beside = {
  simd: () => new URL('./simd.wasm', import.meta.url),
  scalar: () => new URL('./scalar.wasm', import.meta.url),
};
const nodeFiles = 'node:fs/promises';

/** One build, lying beside this file, compiled: in a page, a worker or Node. */
async function compileBuild(name, base) {
  const url = base ? new URL(`${name}.wasm`, base) : beside[name]();
  if (url.protocol === 'file:') {
    const { readFile } = await import(/* webpackIgnore: true */ nodeFiles);
    return WebAssembly.compile(await readFile(url));
  }
  const response = await fetch(url);
  if (!response.ok) throw new Error(`numjit: ${url.pathname} was not served: status ${response.status}.`);
  // Compiled while it arrives, and kept by the browser, where the host names its type.
  if (response.headers.get('content-type')?.startsWith('application/wasm')) return WebAssembly.compileStreaming(response);
  return WebAssembly.compile(await response.arrayBuffer());
}

/** Ends the module by a trap: other exceptions would be caught by the destructors of C++. */
const trap = new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 7, 8, 1, 4, 116, 114, 97, 112, 0, 0, 10, 5, 1, 3, 0, 0, 11,
]))).exports.trap;

const errno = { badFile: 8, notSupported: 58, notImplemented: 52 };

/** What WASI and Emscripten's library ask of their host: text goes to the console, there are no files. */
function hostImports(memory) {
  const decoder = new TextDecoder(), encoder = new TextEncoder();
  const lines = ['', ''];
  const view = () => new DataView(memory().buffer);
  return {
    fd_write(file, vectors, count, written) {
      let total = 0;
      for (let i = 0; i < count; ++i) {
        const address = view().getUint32(vectors + 8 * i, true);
        const length = view().getUint32(vectors + 8 * i + 4, true);
        lines[file === 2 ? 1 : 0] += decoder.decode(new Uint8Array(memory().buffer, address, length).slice());
        total += length;
      }
      const which = file === 2 ? 1 : 0;
      const parts = lines[which].split('\n');
      lines[which] = parts.pop();
      for (const line of parts) (which ? console.warn : console.log)(line);
      view().setUint32(written, total, true);
      return 0;
    },
    environ_sizes_get(count, size) {
      view().setUint32(count, 0, true);
      view().setUint32(size, 0, true);
      return 0;
    },
    environ_get: () => 0,
    args_sizes_get(count, size) {
      view().setUint32(count, 0, true);
      view().setUint32(size, 0, true);
      return 0;
    },
    args_get: () => 0,
    clock_time_get(clock, precision, result) {
      const ms = clock === 0 ? Date.now() : performance.now();
      view().setBigUint64(result, BigInt(Math.round(ms * 1e6)), true);
      return 0;
    },
    random_get(address, length) {
      globalThis.crypto.getRandomValues(new Uint8Array(memory().buffer, address, length));
      return 0;
    },
    getentropy(address, length) {
      globalThis.crypto.getRandomValues(new Uint8Array(memory().buffer, address, length));
      return 0;
    },
    proc_exit(code) {
      console.error(`numjit: the module ended with code ${code}. ${lines[1]}`);
      trap();
    },
    abort() {
      console.error(`numjit: the module aborted. ${lines[1]}`);
      trap();
    },
    emscripten_notify_memory_growth() {},
    nj_host_place(address, capacity) {
      const place = placeHere();
      if (!place) return 0;
      const bytes = new Uint8Array(memory().buffer, address, capacity).fill(0);
      const file = encoder.encode(place.file).subarray(0, capacity - 130);
      bytes.set(file);
      bytes.set(encoder.encode(place.name).subarray(0, 126), file.length + 1);
      return place.line;
    },
  };
}

/** Functions of kernels in the module's table: what wasm/kernels/page_kernels.cpp calls. */
function kernelImports(exported) {
  const freePlaces = [];
  return {
    nj_add_kernel(address, size) {
      const { memory, __indirect_function_table: table } = exported();
      try {
        const kernel = new WebAssembly.Module(new Uint8Array(memory.buffer, address, size));
        const { run } = new WebAssembly.Instance(kernel, { env: { memory } }).exports;
        const place = freePlaces.pop() ?? table.grow(1);
        table.set(place, run);
        return place;
      } catch (error) {
        console.warn(`numjit: ${error}`);
        return 0;
      }
    },
    nj_drop_kernel(place) {
      exported().__indirect_function_table.set(place, null);
      freePlaces.push(place);
    },
  };
}

/** LAPACK's routines: s, d, c or z, the name, an underscore. */
const lapack = /^[sdcz][a-z]{4,5}_$/;

/** For what the host has no form of. */
function standIn(name) {
  if (lapack.test(name))
    return () => {
      throw new Error(`numjit: this function of linalg needs LAPACK's ${name.slice(0, -1)}, which the WebAssembly build does not have.`);
    };
  // System calls of files that are never opened: they answer that there are none.
  if (name.startsWith('fd_')) return () => errno.badFile;
  if (name.startsWith('__syscall')) return () => -errno.notImplemented;
  return () => {
    throw new Error(`numjit: the module called ${name}, which pages do not have.`);
  };
}

/** Instantiates one build; returns its exports with views of its memory. */
export async function instantiate(compiled) {
  let exports;
  const host = { ...hostImports(() => exports.memory), ...kernelImports(() => exports) };
  const imports = {};
  for (const { module, name, kind } of WebAssembly.Module.imports(compiled)) {
    if (kind !== 'function') throw new Error(`numjit: the module wants ${kind} ${module}.${name}, which this loader has not.`);
    imports[module] ??= {};
    imports[module][name] = host[name] ?? standIn(name);
  }
  exports = (await WebAssembly.instantiate(compiled, imports)).exports;
  exports._initialize?.();
  let dataView = new DataView(exports.memory.buffer);
  let byteView = new Uint8Array(exports.memory.buffer);
  const refresh = () => {
    dataView = new DataView(exports.memory.buffer);
    byteView = new Uint8Array(exports.memory.buffer);
  };
  return {
    ...exports,
    // Growth detaches the buffers that were handed out: their length becomes 0.
    view: () => (byteView.length === 0 && refresh(), dataView),
    bytes: () => (byteView.length === 0 && refresh(), byteView),
  };
}

/** Loads the best build that fits. `build`: only that one. `base`: the folder that holds them. */
export async function loadModule({ build, base } = {}) {
  if (build !== undefined && !(build in beside)) throw new RangeError(`load: build: got '${build}', expected 'simd' or 'scalar'.`);
  const names = build ? [build] : fittingBuilds();
  let failure;
  for (const name of names) {
    try {
      const module = await instantiate(await compileBuild(name, base));
      module.build = name;
      return module;
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

