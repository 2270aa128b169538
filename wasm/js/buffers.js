// Whose memory a typed array lies in, and whether it is there.

/** Buffers that are memory of modules: views of them change, and end, with it. */
export const memoryBuffers = new WeakSet();

/** Was the buffer moved elsewhere, or grown? Machines before 2024 have no property that says so. */
export function isGone(buffer) {
  try {
    return new Uint8Array(buffer) === null;
  } catch {
    return true;
  }
}
