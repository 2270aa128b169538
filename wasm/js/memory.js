// The module's memory as the collector and people see it: the collector can not, so it is urged; people are warned, once.
import { placeHere } from './places.js';

const MiB = 2 ** 20;
/** Past it one warning names the line. */
const much = 256 * MiB;
/** How much may be left to the collector before it is urged, and by how large a buffer: nobody writes into that, so it takes no memory. */
const patience = 64 * MiB, nudge = 128 * MiB;

/** Watches the memory of one module. `held()`: how many arrays are alive. */
export function watchMemory(module, held) {
  let left = 0, warned = false;
  module.grown = () => {
    if (warned || module.raw.memory.buffer.byteLength <= much || held() === 0) return;
    warned = true;
    const place = placeHere();
    console.warn(`numjit: the memory of arrays has grown past ${much / MiB} MB: ${held()} are alive${place ? `, the last is made at ${place.file}:${place.line}` : ''}. `
      + 'Hint: np.tidy(() => ...) around each step, or np.animate(fn) for frames, frees what a step makes; np.leaks tells which lines made those that stay.');
  };
  /** Arrays of so many bytes were left to the collector. */
  return (bytes) => {
    left += bytes;
    if (left < patience) return;
    left = 0;
    try {
      new ArrayBuffer(nudge); // eslint-disable-line no-new
    } catch { /* then the machine is short of memory, and its collector knows */ }
  };
}
