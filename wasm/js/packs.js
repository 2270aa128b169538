// np.loadPack, np.recording: kernels that `numjit pack build` compiled ahead, and the graphs that it makes them from.
import { errors } from './array.js';
import { bytesOf } from './files.js';
import { readText } from './slots.js';

const packFormat = 1, sectionName = 'numjit.pack', checksumDigits = 32, stackBytes = 256 * 1024;
const decoder = new TextDecoder(), encoder = new TextEncoder();

const refuse = (name, what) => { throw new errors.OSError(`np.loadPack: ${name}: ${what}.`); };

/** A LEB128 number at `at`: [value, place behind it], or null where the bytes end before. */
function readCount(bytes, at) {
  let value = 0;
  for (let shift = 0; shift < 35; shift += 7) {
    if (at >= bytes.length) return null;
    const byte = bytes[at++];
    value += (byte & 0x7f) * 2 ** shift;
    if (!(byte & 0x80)) return [value, at];
  }
  return null;
}

/** Where the last section's payload lies, which describes the pack: src/numjit/runtime/wasm_pack.h. */
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

/** Memory and table that a position-independent module wants, of its section dylink.0. */
function needsOf(compiled) {
  const [section] = WebAssembly.Module.customSections(compiled, 'dylink.0');
  const needs = { memory: 0, table: 0 };
  if (!section) return needs;
  const bytes = new Uint8Array(section);
  for (let at = 0; at < bytes.length;) {
    const kind = bytes[at];
    const [size, start] = readCount(bytes, at + 1);
    if (kind === 1) {
      const [memory, second] = readCount(bytes, start);
      const [align, third] = readCount(bytes, second);
      if (align > 6) throw new RangeError('its memory is aligned beyond 64 bytes');
      Object.assign(needs, { memory, table: readCount(bytes, third)[0] });
    }
    at = start + size;
  }
  return needs;
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
    const address = module.nj_malloc(bytes.length + 1);
    if (address === 0) throw new errors.MemoryError(`np.loadPack: no memory for ${bytes.length} bytes: the page's limit of 4 GB, or of the browser, is reached.`);
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

  /** What kernels may call: their memory hooks are the module's own functions. */
  function packImports(compiled, name) {
    const needs = needsOf(compiled);
    stack ??= new WebAssembly.Global({ value: 'i32', mutable: true }, allocate(stackBytes, name) + stackBytes);
    const constant = (value) => new WebAssembly.Global({ value: 'i32', mutable: false }, value);
    const env = {
      memory, __indirect_function_table: table, __stack_pointer: stack,
      halide_malloc: module.nj_kernel_malloc, halide_free: module.nj_kernel_free, halide_error_out_of_memory: () => -11,
      memcpy(to, from, size) { module.bytes().copyWithin(to, from, from + size); return to; },
      memmove(to, from, size) { module.bytes().copyWithin(to, from, from + size); return to; },
      memset(to, value, size) { module.bytes().fill(value, to, to + size); return to; },
    };
    for (const wanted of WebAssembly.Module.imports(compiled))
      if (wanted.module !== 'env' || !(wanted.name in env || wanted.name === '__memory_base' || wanted.name === '__table_base'))
        refuse(name, `it wants ${wanted.kind} ${wanted.module}.${wanted.name}, which kernels have no use for`);
    env.__memory_base = constant(needs.memory ? allocate(needs.memory, name) : 0);
    env.__table_base = constant(needs.table ? table.grow(needs.table) : 0);
    return { env };
  }

  /** Puts the kernels into the table; those that ran as something else before run as these from now on. */
  function provide(exported, graphs, name) {
    const entries = graphs.map((graph) => withBytes(encoder.encode(graph), (address) => {
      const entry = exported[`${readText(module, module.nj_graph_name(address, encoder.encode(graph).length))}_argv`];
      if (typeof entry !== 'function') refuse(name, 'damaged: a graph has no function');
      return [graph, entry];
    }));
    let replaced = 0;
    for (const [graph, entry] of entries) {
      const text = encoder.encode(graph);
      const place = table.grow(1);
      table.set(place, entry);
      const before = withBytes(text, (address) => module.nj_provide_kernel(address, text.length, place));
      if (before === 0) continue;
      table.set(before, entry);
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
    let compiled, exported;
    try {
      compiled = await WebAssembly.compile(bytes);
      exported = (await WebAssembly.instantiate(compiled, packImports(compiled, name))).exports;
    } catch (error) {
      if (error instanceof errors.OSError || error instanceof errors.MemoryError) throw error;
      refuse(name, `this machine refuses it: ${error.message}`);
    }
    exported.__wasm_apply_data_relocs?.();
    exported.__wasm_call_ctors?.();
    return { target, compiler, kernels: graphs.length, replaced: provide(exported, graphs, name) };
  };

  /**
   * The graphs that this page asked kernels for, as the text of a graph file, for `numjit pack build`. With `missing`
   * only those that no pack brought.
   */
  np.recording = ({ missing = false } = {}) => readText(module, module.nj_recorded_graphs(missing ? 1 : 0));
  /** Grows with each kernel that is asked for the first time. */
  np.recording.count = () => module.nj_graph_count();
}
