// np.loadPack, np.recording: kernels that `numjit pack build` compiled ahead, and the graphs that it makes them from.
import { errors } from './errors.js';
import { kernelEnvironment, needsOf, readCount, withSharedMemory } from './binary.js';
import { bytesOf } from './files.js';
import { readText } from './text.js';
import { kindOf } from './words.js';

const packFormat = 1, sectionName = 'numjit.pack', checksumDigits = 32, stackBytes = 256 * 1024;
const decoder = new TextDecoder(), encoder = new TextEncoder();

const refuse = (name, what) => { throw new errors.OSError(`np.loadPack: ${name}: ${what}.`); };

/** Where the last section's payload lies, which describes the pack: src/numjit/runtime/bundle/wasm_pack.h. */
function findDescription(bytes, name) {
  if (bytes.length < 4 || decoder.decode(bytes.subarray(0, 4)) !== '\0asm') refuse(name, 'not a pack: it is no module of WebAssembly');
  let last = null;
  for (let at = 8; at < bytes.length;) {
    const id = bytes[at], size = readCount(bytes, at + 1);
    if (!size || size[0] > bytes.length - size[1])
      refuse(name, `cut short: got ${bytes.length} bytes, expected ${size ? `at least ${size[0] + size[1]}` : 'more'}`);
    last = { id, at: size[1], end: size[1] + size[0] };
    at = last.end;
  }
  const title = last?.id === 0 ? readCount(bytes, last.at) : null;
  const found = title && decoder.decode(bytes.subarray(title[1], title[1] + title[0])) === sectionName;
  if (!found || last.end - title[1] - title[0] < checksumDigits) refuse(name, 'not a pack, or cut short: its last section is not numjit.pack');
  return { at: title[1] + title[0], end: last.end };
}

export function addPacks(np, module) {
  const { memory, __indirect_function_table: table } = module;
  let stack = null;

  /** Memory that is never given back: code may point into it for as long as the module lives. */
  function allocate(bytes, name) {
    const address = module.nj_kernel_malloc(0, bytes);
    if (address === 0) throw new errors.MemoryError(`np.loadPack: ${name}: no memory for ${bytes} bytes: the page's limit of 4 GB, or of the browser, is reached.`);
    module.bytes().fill(0, address, address + bytes);
    return address;
  }

  /** Copies bytes in, calls `run(address)`, frees them. */
  function withBytes(bytes, run) {
    const address = module.allocate(bytes.length + 1, 'a pack');
    try {
      module.bytes().set(bytes, address);
      return run(address);
    } finally {
      module.nj_free(address);
    }
  }

  const hashOf = (bytes) => withBytes(bytes, (address) => readText(module, module.nj_hash(address, bytes.length)));

  function describe(bytes, name) {
    const { at, end } = findDescription(bytes, name);
    const copy = new Uint8Array(bytes);
    copy.fill(48, at, at + checksumDigits);
    if (hashOf(copy) !== decoder.decode(bytes.subarray(at, at + checksumDigits))) refuse(name, 'damaged: its checksum differs');
    let description;
    try {
      description = JSON.parse(decoder.decode(bytes.subarray(at + checksumDigits, end)));
    } catch {
      refuse(name, "damaged: its description can't be read");
    }
    const { format, abi, bits, target, graphs } = description;
    if (format !== packFormat) refuse(name, `made by another numjit: format ${format}, this one reads ${packFormat}. Build it anew`);
    if (abi !== module.nj_kernel_abi()) refuse(name, `made by another numjit: its kernels are called in way ${abi}, this one's in way ${module.nj_kernel_abi()}. Build it anew`);
    if (bits !== module.nj_bits_version()) refuse(name, `made for bits version ${bits}, this numjit computes version ${module.nj_bits_version()}: results would differ. Build it anew`);
    if (target !== module.build) refuse(name, `made for the ${target} build of numjit, this is the ${module.build} build. Build one with --target ${module.build}, and load the pack that np.build names`);
    if (!Array.isArray(graphs)) refuse(name, "damaged: its description can't be read");
    return description;
  }

  /** What kernels may call, and where they lie. */
  function packImports(compiled, name) {
    const needs = needsOf(compiled);
    stack ??= new WebAssembly.Global({ value: 'i32', mutable: true }, allocate(stackBytes, name) + stackBytes);
    const memoryBase = needs.memory ? allocate(needs.memory, name) : 0, tableBase = needs.table ? table.grow(needs.table) : 0;
    const env = kernelEnvironment({ memory, table, bytes: module.bytes, exports: module.raw, stack, memoryBase, tableBase });
    for (const wanted of WebAssembly.Module.imports(compiled))
      if (wanted.module !== 'env' || !(wanted.name in env)) refuse(name, `it wants ${wanted.kind} ${wanted.module}.${wanted.name}, which kernels have no use for`);
    return { env, memoryBase, tableBase, tableCount: needs.table };
  }

  /** Puts the kernels into the table; those that ran as something else before run as these from now on. */
  function provide(exported, graphs, name, workersPack) {
    const entries = graphs.map((graph) => withBytes(encoder.encode(graph), (address) => {
      const symbol = `${readText(module, module.nj_graph_name(address, encoder.encode(graph).length))}_argv`;
      const entry = exported[symbol];
      if (typeof entry !== 'function') refuse(name, 'damaged: a graph has no function');
      return [graph, entry, symbol];
    }));
    let replaced = 0;
    for (const [graph, entry, symbol] of entries) {
      const text = encoder.encode(graph);
      const place = table.grow(1);
      table.set(place, entry);
      module.workers?.addPackFunction(workersPack, symbol, place);
      const before = withBytes(text, (address) => module.nj_provide_kernel(address, text.length, place));
      if (before === 0) continue;
      table.set(before, entry);
      module.workers?.addPackFunction(workersPack, symbol, before);
      ++replaced;
    }
    return replaced;
  }

  /**
   * Kernels of a pack: from now on they compute the graphs they are for. `source`: a URL, a Response, or the file's bytes.
   * Resolves to { target, compiler, kernels, replaced }: how many it brought, and how many of them were in use already.
   */
  np.loadPack = async (source) => {
    const name = typeof source === 'string' || source instanceof URL ? String(source) : source?.url || 'the pack';
    const bytes = await bytesOf(source, 'np.loadPack');
    const { target, compiler, graphs } = describe(bytes, name);
    const code = module.workers ? withSharedMemory(bytes, module.workers.pages) : bytes;
    let imports, exported;
    try {
      const compiled = await WebAssembly.compile(code);
      imports = packImports(compiled, name);
      exported = (await WebAssembly.instantiate(compiled, imports)).exports;
    } catch (error) {
      if (error instanceof errors.OSError || error instanceof errors.MemoryError) throw error;
      refuse(name, `this machine refuses it: ${error.message}`);
    }
    exported.__wasm_apply_data_relocs?.();
    exported.__wasm_call_ctors?.();
    return { target, compiler, kernels: graphs.length, replaced: provide(exported, graphs, name, module.workers?.addPack(code, imports)) };
  };

  /**
   * The graphs that this page asked kernels for, as the text of a graph file, for `numjit pack build`. With `missing`
   * only those that no pack brought.
   */
  np.recording = (options = {}) => {
    if (options === null || typeof options !== 'object') throw new TypeError(`np.recording: got ${kindOf(options)}, expected an object: recording({ missing: true }).`);
    return readText(module, module.nj_recorded_graphs(options.missing ? 1 : 0));
  };
  /** Grows with each kernel that is asked for the first time. */
  np.recording.count = () => module.nj_graph_count();
}
