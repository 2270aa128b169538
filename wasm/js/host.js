// What modules import: the host's side of WASI and of Emscripten's library, and stand-ins. For the page and for each worker.
import { placeHere } from './places.js';
import { dotted } from './text.js';

/** A module of one function, which traps. */
const trapBytes = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 7, 8, 1, 4, 116, 114, 97, 112, 0, 0, 10, 5, 1, 3, 0, 0, 11,
]);
/** Ends the module by a trap: other exceptions would be caught by the destructors of C++. */
const trap = () => new WebAssembly.Instance(new WebAssembly.Module(trapBytes)).exports.trap();

/**
 * Functions that the module calls, with its numbers of 32 bits as whole numbers from 0 on: addresses beyond 2 GiB arrive negative.
 * Others, of 64 bits, are BigInt, and none of these functions takes floats.
 */
export function unsigned(functions) {
  return Object.fromEntries(Object.entries(functions).map(([name, run]) => [name,
    (a, b, c, d) => run(...[a, b, c, d].slice(0, run.length).map((value) => (typeof value === 'number' ? value >>> 0 : value)))]));
}

const errno = { badFile: 8, notSupported: 58, notImplemented: 52 };

/** What WASI and Emscripten's library ask of their host: text goes to the console, there are no files. */
export function hostImports(memory) {
  const decoder = new TextDecoder(), encoder = new TextEncoder();
  const lines = ['', ''];
  const view = () => new DataView(memory().buffer);
  /** By way of memory that is not shared. */
  const randomBytes = (address, length) => {
    new Uint8Array(memory().buffer, address, length).set(globalThis.crypto.getRandomValues(new Uint8Array(length)));
    return 0;
  };
  return unsigned({
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
      for (const line of parts) (which ? console.warn : console.log)(dotted(line));
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
    random_get: randomBytes,
    getentropy: randomBytes,
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
  });
}

/** LAPACK's routines: s, d, c or z, the name, an underscore. */
const lapack = /^[sdcz][a-z]{4,5}_$/;

/** For what the host has no form of. `parts`: the exports of loaded parts of the package. */
function standIn(name, parts) {
  if (lapack.test(name))
    return (...args) => {
      if (parts.linalg) return parts.linalg[name](...args);
      throw new Error('numjit: this function of np.linalg is in a part of the package that is loaded when wanted: await np.linalg.load() first.');
    };
  // System calls of files that are never opened: they answer that there are none.
  if (name.startsWith('fd_')) return () => errno.badFile;
  if (name.startsWith('__syscall')) return () => -errno.notImplemented;
  return () => {
    throw new Error(`numjit: the module called ${name}, which pages do not have.`);
  };
}

/**
 * What a module imports, from `host` where it has that, and stand-ins. `late(place)` is the function that stands at this
 * place of the table when the secondary module is there (../split.mjs).
 */
export function importsOf(compiled, host, parts = {}, late = noSecondary) {
  const imports = {};
  for (const { module, name, kind } of WebAssembly.Module.imports(compiled)) {
    if (module === 'placeholder') {
      (imports.placeholder ??= {})[name] = (...args) => late(Number(name))(...args);
      continue;
    }
    if (kind !== 'function' && !(name in host)) throw new Error(`numjit: the module wants ${kind} ${module}.${name}, which this loader has not.`);
    imports[module] ??= {};
    imports[module][name] = host[name] ?? standIn(name, parts);
  }
  return imports;
}

function noSecondary() {
  throw new Error('numjit: the secondary module is not for the workers of the pool.');
}

/** What an entry of the pool's log of kernels says: a kernel, a pack, a function of one. Six numbers each; see pool_worker.js. */
export const Entry = { kernel: 0, pack: 1, packFunction: 2 };
