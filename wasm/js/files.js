// .npy and .npz: arrays from what fetch() brought, and back to bytes.
import { isGone } from './buffers.js';
import { errors } from './errors.js';
import { kindOf } from './words.js';

const signature = { local: 0x04034b50, central: 0x02014b50, end: 0x06054b50 };
const method = { stored: 0, deflated: 8 };

// What only Node has is kept from bundlers.
const nodeFiles = 'node:fs/promises';

/** Bytes of a file that np.load and np.loadPack take: a buffer, a typed array, a Response, a Blob or a URL. */
export async function bytesOf(source, what) {
  let answer = source;
  const isAddress = typeof source === 'string' || source instanceof URL;
  if (isAddress && String(source).startsWith('file:')) {
    const { readFile } = await import(/* webpackIgnore: true */ nodeFiles);
    return asBytes(await readFile(new URL(source)), what);
  }
  if (isAddress) {
    try {
      answer = await fetch(source);
    } catch (error) {
      throw new errors.OSError(`${what}: ${source} could not be fetched: ${error.message}.`);
    }
  }
  if (typeof answer?.arrayBuffer !== 'function') return asBytes(answer, what);
  if (answer.ok === false) throw new errors.OSError(`${what}: ${answer.url || source} was not served: status ${answer.status}.`);
  return new Uint8Array(await answer.arrayBuffer());
}

function asBytes(source, what) {
  if ((source instanceof ArrayBuffer && isGone(source)) || (ArrayBuffer.isView(source) && isGone(source.buffer)))
    throw new errors.ValueError(`${what}: the memory of what holds the bytes is gone: it was moved elsewhere.`);
  if (source instanceof ArrayBuffer) return new Uint8Array(source);
  if (ArrayBuffer.isView(source)) return new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
  throw new TypeError(`${what}: got ${source?.constructor?.name ?? typeof source}, expected a URL, a Response, a Blob or the file's bytes.`);
}

const isZip = (bytes) => bytes.length >= 22 && bytes[0] === 0x50 && bytes[1] === 0x4b;

/** The members of a zip file, from its central directory: [{ name, how, start, packed, size, crc }]. */
function zipMembers(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const wrong = (why) => new errors.ValueError(`np.fromNpz: not a .npz file: ${why}.`);
  let end = bytes.length - 22;
  while (end >= 0 && view.getUint32(end, true) !== signature.end) --end;
  if (end < 0) throw wrong('it has no directory, or was cut off');
  const count = view.getUint16(end + 10, true);
  let at = view.getUint32(end + 16, true);
  const members = [];
  for (let i = 0; i < count; ++i) {
    if (at + 46 > bytes.length || view.getUint32(at, true) !== signature.central) throw wrong('its directory is damaged');
    const [nameLength, extra, comment] = [28, 30, 32].map((o) => view.getUint16(at + o, true));
    const name = new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + nameLength));
    const local = view.getUint32(at + 42, true), packed = view.getUint32(at + 20, true);
    if (packed === 0xffffffff || local === 0xffffffff) throw wrong('it is a zip64 file, which pages can not hold');
    if (local + 30 > bytes.length || view.getUint32(local, true) !== signature.local) throw wrong(`'${name}' is not where the directory says`);
    const start = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
    if (start + packed > bytes.length) throw wrong(`'${name}' is cut off`);
    members.push({ name, how: view.getUint16(at + 10, true), start, packed, size: view.getUint32(at + 24, true), crc: view.getUint32(at + 16, true) });
    at += 46 + nameLength + extra + comment;
  }
  return members;
}

async function inflate(bytes, name) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  try {
    return new Uint8Array(await new Response(stream).arrayBuffer());
  } catch {
    throw new errors.ValueError(`np.fromNpz: '${name}' is damaged.`);
  }
}

const crcTable = Uint32Array.from({ length: 256 }, (_, n) => {
  for (let bit = 0; bit < 8; ++bit) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
  return n;
});
function crc32(bytes) {
  let crc = ~0;
  for (const byte of bytes) crc = crcTable[(crc ^ byte) & 255] ^ (crc >>> 8);
  return ~crc >>> 0;
}

/** A zip file of stored members, as np.savez writes it. */
function makeZip(entries) {
  const parts = [], directory = [];
  let offset = 0;
  const header = (bytes, fields) => {
    const view = new DataView(new ArrayBuffer(bytes));
    for (const [at, size, value] of fields) size === 4 ? view.setUint32(at, value, true) : view.setUint16(at, value, true);
    return new Uint8Array(view.buffer);
  };
  for (const [member, bytes] of entries) {
    const name = new TextEncoder().encode(member), crc = crc32(bytes);
    const common = (at) => [[at, 2, 20], [at + 2, 2, 0x800], [at + 8, 2, 0x21], [at + 10, 4, crc], [at + 14, 4, bytes.length],
      [at + 18, 4, bytes.length], [at + 22, 2, name.length]];
    parts.push(header(30, [[0, 4, signature.local], ...common(4)]), name, bytes);
    directory.push(header(46, [[0, 4, signature.central], [4, 2, 20], ...common(6), [42, 4, offset]]), name);
    offset += 30 + name.length + bytes.length;
  }
  const size = directory.reduce((sum, part) => sum + part.length, 0);
  if (offset + size > 0xffffffff || entries.length > 0xffff)
    throw new errors.ValueError(`np.toNpz: got ${entries.length} arrays of ${offset} bytes, expected at most 65535 of less than 4 GB: a zip file without extensions has no more.`);
  const end = header(22, [[0, 4, signature.end], [8, 2, entries.length], [10, 2, entries.length], [12, 4, size], [16, 4, offset]]);
  const whole = new Uint8Array(offset + size + 22);
  let at = 0;
  for (const part of [...parts, ...directory, end]) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

export function addFiles(np, functions) {
  /** The array in the bytes of a .npy file. */
  np.fromNpy = (buffer) => functions.get('from_npy')(asBytes(buffer, 'np.fromNpy'));
  /** An array as the bytes of a .npy file. */
  np.toNpy = (a) => np.tidy(() => functions.get('npy_bytes')(a).toTypedArray());

  /** The arrays in the bytes of a .npz file, by name. */
  np.fromNpz = async (buffer) => {
    const bytes = asBytes(buffer, 'np.fromNpz');
    const arrays = [];
    for (const { name, how, start, packed, size, crc } of zipMembers(bytes)) {
      const raw = bytes.subarray(start, start + packed);
      if (how !== method.stored && how !== method.deflated) throw new errors.ValueError(`np.fromNpz: '${name}' is packed by method ${how}, expected 0 or 8.`);
      const plain = how === method.stored ? raw : await inflate(raw, name);
      if (plain.length !== size) throw new errors.ValueError(`np.fromNpz: '${name}' has ${plain.length} bytes, expected ${size}.`);
      if (crc32(plain) !== crc) throw new errors.ValueError(`np.fromNpz: '${name}' is damaged: its checksum differs.`);
      arrays.push([name.replace(/\.npy$/, ''), np.fromNpy(plain)]);
    }
    return Object.fromEntries(arrays);
  };
  /** Arrays by name as the bytes of a .npz file. */
  np.toNpz = (arrays) => {
    if (arrays === null || typeof arrays !== 'object') throw new TypeError(`np.toNpz: got ${kindOf(arrays)}, expected arrays by name: toNpz({ x, y }).`);
    return makeZip(Object.entries(arrays).map(([name, a]) => [`${name}.npy`, np.toNpy(a)]));
  };

  /** The array of a .npy file, or those of a .npz file by name: np.load(url), np.load(await fetch(url)), np.load(file). */
  np.load = async (source) => {
    const bytes = await bytesOf(source, 'np.load');
    return isZip(bytes) ? np.fromNpz(bytes) : np.fromNpy(bytes);
  };
}
