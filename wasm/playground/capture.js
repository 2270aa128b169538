// The bytes of the kernels that numjit makes, with the texts of their graphs: modules are made by `new WebAssembly.Module`, which notes
// them here. Imported before the package.

/** { text, bytes } of each kernel, in the order in which they were made. */
export const kernels = [];
const known = new Set();
let recording = null;

/** From here on kernels of this np are noted. */
export function noteKernels(np) {
  recording = np.recording;
  texts();
}

/** Texts of graphs that were not known. */
function texts() {
  const fresh = recording().split('\n\n').slice(1).map((text) => text.trim()).filter((text) => !known.has(text));
  for (const text of fresh) known.add(text);
  return fresh;
}

const { Module } = WebAssembly;
WebAssembly.Module = class extends Module {
  constructor(bytes) {
    super(bytes);
    if (recording === null) return;
    const [text] = texts(); // of this kernel, which the table holds before its module is made
    if (text) kernels.push({ text, bytes: new Uint8Array(bytes).slice() });
  }
};
