// Tables of constants that only the secondary module reads are moved there, too: split.mjs.
import { readFileSync, writeFileSync } from 'node:fs';

import { countBytes, readCount } from './js/binary.js';

const sectionIds = { custom: 0, globals: 6, exports: 7, code: 10, data: 11 };

/** [id, start, end] of each section, its head included in `from`. */
function* sectionsOf(bytes) {
  for (let at = 8; at < bytes.length;) {
    const from = at, id = bytes[at];
    const [size, start] = readCount(bytes, at + 1);
    at = start + size;
    yield { id, from, start, end: at };
  }
}

/** Reads numbers and texts one after the other. */
class Reader {
  constructor(bytes, at) { Object.assign(this, { bytes, at }); }
  byte() { return this.bytes[this.at++]; }
  count() {
    const [value, next] = readCount(this.bytes, this.at);
    this.at = next;
    return value;
  }
  text() {
    const length = this.count();
    this.at += length;
    return new TextDecoder().decode(this.bytes.subarray(this.at - length, this.at));
  }
  /** An i32.const and its end. */
  constant() {
    if (this.byte() !== 0x41) throw new Error('an address is no constant');
    let value = 0, shift = 0, byte;
    do {
      byte = this.byte();
      value |= (byte & 127) << shift;
      shift += 7;
    } while (byte & 128);
    if (this.byte() !== 0x0b) throw new Error('an address is no constant');
    return shift < 32 && byte & 64 ? value | (-1 << shift) : value;
  }
}

/** Data segments: their address in memory (null of passive ones), where their contents begin, their size. */
function segmentsOf(bytes) {
  const section = [...sectionsOf(bytes)].find(({ id }) => id === sectionIds.data);
  if (!section) return [];
  const reader = new Reader(bytes, section.start);
  return Array.from({ length: reader.count() }, () => {
    const address = reader.count() === 1 ? null : reader.constant();
    const size = reader.count(), start = reader.at;
    reader.at += size;
    return { address, start, size };
  });
}

const ofSymbols = 8, dataSymbol = 1, named = [0, 2, 4, 5], undefinedFlag = 0x10, explicitName = 0x40;

/** The data that an object file defines and names: name -> bytes. See WebAssembly's tool-conventions, Linking.md. */
export function dataOf(path) {
  const bytes = readFileSync(path), segments = segmentsOf(bytes), found = new Map();
  for (const { id, start, end } of sectionsOf(bytes)) {
    const reader = new Reader(bytes, start);
    if (id !== sectionIds.custom || reader.text() !== 'linking') continue;
    reader.count(); // its version
    while (reader.at < end) {
      const kind = reader.byte(), size = reader.count(), next = reader.at + size;
      for (let left = kind === ofSymbols ? reader.count() : 0; left > 0; --left) {
        const type = reader.byte(), flags = reader.count();
        if (type === dataSymbol) {
          const name = reader.text();
          if (flags & undefinedFlag) continue;
          const segment = reader.count(), offset = reader.count(), length = reader.count();
          found.set(name, bytes.subarray(segments[segment].start + offset, segments[segment].start + offset + length));
        } else {
          reader.count();
          if (named.includes(type) && (!(flags & undefinedFlag) || flags & explicitName)) reader.text();
        }
      }
      reader.at = next;
    }
  }
  return found;
}

/** Addresses of the data that a module exports by name. */
function addressesOf(bytes) {
  const sections = [...sectionsOf(bytes)], values = [], found = new Map();
  const globals = new Reader(bytes, sections.find(({ id }) => id === sectionIds.globals).start);
  for (let left = globals.count(); left > 0; --left) {
    globals.at += 2; // type, mutable
    values.push(globals.constant());
  }
  const exported = new Reader(bytes, sections.find(({ id }) => id === sectionIds.exports).start);
  for (let left = exported.count(); left > 0; --left) {
    const name = exported.text(), kind = exported.byte(), index = exported.count();
    if (kind === 3) found.set(name, values[index]);
  }
  return found;
}

/** Makes the bytes of a table zeros. Segments have gaps where there are zeros; passive ones don't say where they lie. */
function erase(bytes, segments, table, address) {
  const passive = segments.filter((segment) => segment.address === null).map(({ start, size }) => {
    const at = bytes.indexOf(table, start);
    return { at, inside: at >= 0 && at + table.length <= start + size };
  }).filter(({ inside }) => inside);
  if (passive.length === 1) {
    bytes.fill(0, passive[0].at, passive[0].at + table.length);
    return true;
  }
  const found = Buffer.alloc(table.length);
  for (const { address: begin, start, size } of segments) {
    if (begin === null) continue;
    const from = Math.max(begin, address), to = Math.min(begin + size, address + table.length);
    if (from >= to) continue;
    const part = bytes.subarray(start + from - begin, start + to - begin);
    found.set(part, from - address);
    part.fill(0);
  }
  return found.equals(table);
}

/**
 * Takes `tables` (name -> bytes) out of the data of `first`.wasm, which exports their addresses, and puts them into
 * `rest`.wasm as segments.
 */
export function moveData(first, rest, tables) {
  const bytes = readFileSync(first), addresses = addressesOf(bytes), from = segmentsOf(bytes), segments = [];
  for (const [name, table] of tables) {
    const address = addresses.get(name);
    if (address === undefined) throw new Error(`${first}: ${name} is not exported`);
    if (!erase(bytes, from, table, address)) throw new Error(`${first}: the bytes of ${name} are not at ${address}`);
    segments.push([0, 0x41, ...signedBytes(address), 0x0b, ...countBytes(table.length), ...table]);
  }
  writeFileSync(first, bytes);
  const other = readFileSync(rest), sections = [...sectionsOf(other)];
  if (sections.some(({ id }) => id === sectionIds.data)) throw new Error(`${rest} has data already`);
  const { end } = sections.find(({ id }) => id === sectionIds.code);
  const body = [...countBytes(segments.length), ...segments.flat()];
  writeFileSync(rest, Buffer.concat([other.subarray(0, end), Buffer.from([sectionIds.data, ...countBytes(body.length), ...body]), other.subarray(end)]));
}

function signedBytes(value) {
  const bytes = [];
  for (;; value >>= 7) {
    const byte = value & 127;
    if ((value >> 6) === 0 || (value >> 6) === -1) return [...bytes, byte];
    bytes.push(byte | 128);
  }
}
