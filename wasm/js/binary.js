// Modules of WebAssembly as bytes: numbers in them, what position-independent ones want, and their memory.

/** A LEB128 number at `at`: [value, place behind it], or null where the bytes end before. */
export function readCount(bytes, at) {
  let value = 0;
  for (let shift = 0; shift < 35; shift += 7) {
    if (at >= bytes.length) return null;
    const byte = bytes[at++];
    value += (byte & 0x7f) * 2 ** shift;
    if (!(byte & 0x80)) return [value, at];
  }
  return null;
}

/** A number as LEB128. */
export function countBytes(value) {
  const bytes = [];
  for (; value >= 128; value = Math.floor(value / 128)) bytes.push((value % 128) | 128);
  return [...bytes, value];
}

/** Memory and table that a position-independent module wants, of its section dylink.0. */
export function needsOf(compiled) {
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

const importSection = 2, ofFunction = 0, ofTable = 1, ofMemory = 2, ofGlobal = 3, sharedWithMaximum = 3;

/**
 * The same module for memory that is shared, of at most `pages` pages: code is the same, the import is not. Modules that
 * import no memory, or shared memory, stay what they are.
 */
export function withSharedMemory(bytes, pages) {
  let at = 8;
  while (at < bytes.length && bytes[at] !== importSection) {
    const [size, start] = readCount(bytes, at + 1);
    at = start + size;
  }
  if (at >= bytes.length) return bytes;
  const section = at, [size, start] = readCount(bytes, at + 1);
  let count;
  [count, at] = readCount(bytes, start);
  for (; count > 0; --count) {
    for (let name = 0; name < 2; ++name) {
      const [length, text] = readCount(bytes, at);
      at = text + length;
    }
    const kind = bytes[at++];
    if (kind === ofFunction) [, at] = readCount(bytes, at);
    else if (kind === ofGlobal) at += 2;
    else if (kind === ofTable || kind === ofMemory) {
      if (kind === ofTable) ++at;
      const flags = bytes[at], limits = at;
      let least;
      [least, at] = readCount(bytes, at + 1);
      if (flags & 1) [, at] = readCount(bytes, at);
      if (kind === ofTable) continue;
      if (flags & 2) return bytes;
      const shared = [sharedWithMaximum, ...countBytes(least), ...countBytes(pages)];
      return Uint8Array.from([...bytes.subarray(0, section), importSection, ...countBytes(size - (at - limits) + shared.length),
        ...bytes.subarray(start, limits), ...shared, ...bytes.subarray(at)]);
    } else return bytes;
  }
  return bytes;
}

export const constant = (value) => new WebAssembly.Global({ value: 'i32', mutable: false }, value);

/** Makes a table at least `length` long. */
export function lengthen(table, length) {
  if (table.length < length) table.grow(length - table.length);
}

/**
 * What position-independent code of kernels imports. `bytes()`: the memory as it is now; `exports`: of the thread's
 * instance of the main module; `stack`: a global of this thread.
 */
export function kernelEnvironment({ memory, table, bytes, exports, stack, memoryBase, tableBase }) {
  const copy = (to, from, size) => {
    bytes().copyWithin(to >>> 0, from >>> 0, (from >>> 0) + (size >>> 0));
    return to;
  };
  return {
    memory, __indirect_function_table: table, __stack_pointer: stack, __memory_base: constant(memoryBase), __table_base: constant(tableBase),
    halide_malloc: exports.nj_kernel_malloc, halide_free: exports.nj_kernel_free, halide_error_out_of_memory: () => -11,
    // Addresses beyond 2 GiB arrive negative.
    memcpy: copy, memmove: copy,
    memset(to, value, size) { bytes().fill(value, to >>> 0, (to >>> 0) + (size >>> 0)); return to; },
  };
}
