// np.linalg.load(): the part of the package that has LAPACK's routines, by Eigen. Position-independent code, which works in
// the memory of the module.
import { errors } from './errors.js';
import { kernelEnvironment, needsOf, withSharedMemory } from './binary.js';

const stackBytes = 1024 * 1024; // Eigen puts up to 128 KB at once on it

const bits = new DataView(new ArrayBuffer(8));
/** Functions of the C library that Math lacks; it has the others by the same names. */
const library = {
  fmax: (a, b) => (Number.isNaN(a) ? b : Number.isNaN(b) ? a : Math.max(a, b)),
  logb(x) {
    if (x === 0 || !Number.isFinite(x)) return x === 0 ? -Infinity : Math.abs(x);
    bits.setFloat64(0, x);
    const exponent = (bits.getUint16(0) >> 4) & 0x7ff;
    return exponent > 0 ? exponent - 1023 : library.logb(x * 2 ** 54) - 54;
  },
  scalbn(x, n) {
    for (; n > 1023; n -= 1023) x *= 2 ** 1023;
    for (; n < -1022; n += 1022) x *= 2 ** -1022;
    return x * 2 ** n;
  },
};

export function addLinalg(np, module) {
  const { memory, __indirect_function_table: table } = module;
  let loading = null;

  function allocate(bytes) {
    const address = module.nj_kernel_malloc(0, bytes);
    if (address === 0) throw new errors.MemoryError(`np.linalg.load: no memory for ${bytes} bytes: the page's limit of 4 GB, or of the browser, is reached.`);
    module.bytes().fill(0, address, address + bytes);
    return address;
  }

  async function load() {
    const bytes = await module.partBytes('linalg');
    const compiled = await WebAssembly.compile(module.workers ? withSharedMemory(bytes, module.workers.pages) : bytes);
    const needs = needsOf(compiled);
    const stack = new WebAssembly.Global({ value: 'i32', mutable: true }, allocate(stackBytes) + stackBytes);
    /** Eigen takes what it asks for as given. */
    const malloc = (size) => {
      const address = module.raw.nj_malloc(size);
      if (address === 0) throw new errors.MemoryError(`np.linalg: no memory for ${size >>> 0} bytes: the page's limit of 4 GB, or of the browser, is reached.`);
      return address;
    };
    const env = {
      ...kernelEnvironment({
        memory, table, bytes: module.bytes, exports: module.raw, stack,
        memoryBase: needs.memory ? allocate(needs.memory) : 0, tableBase: needs.table ? table.grow(needs.table) : 0,
      }),
      malloc, free: module.raw.nj_free, _Znwm: malloc, ...library,
      abort() { throw new errors.MemoryError('np.linalg: out of memory.'); },
    };
    for (const { name, kind } of WebAssembly.Module.imports(compiled)) if (kind === 'function') env[name] ??= Math[name];
    const { exports } = await WebAssembly.instantiate(compiled, { env });
    exports.__wasm_apply_data_relocs?.();
    exports.__wasm_call_ctors?.();
    module.parts.linalg = exports;
  }

  /** Resolves when solve, inv, det, svd, ... can be called. */
  np.linalg.load = () => (loading ??= load().catch((error) => {
    loading = null;
    throw error;
  }));
}
