// What kernels_test.mjs has its pages run.
import { load } from '/package/numjit.js';
import { functions, layouts } from '/tests/wasm/programs.mjs';

export { load };

/** The elements' bytes in two numbers, which a page can send back. */
function digest(a) {
  const copy = a.copy(), { buffer, byteOffset, byteLength } = copy.data;
  let low = 0x811c9dc5, high = byteLength;
  for (const byte of new Uint8Array(buffer, byteOffset, byteLength)) {
    low = Math.imul(low ^ byte, 0x01000193);
    high = Math.imul(high + byte, 0x9e3779b1) ^ (low >>> 15);
  }
  copy.dispose();
  return `${low >>> 0}:${high >>> 0}`;
}

/** Every function of programs.mjs, compiled, twice: [what, digest of the result] in order. */
export function runAll(np, sizes = [[3, 5], [40, 130], [3, 1500]], names = Object.keys(functions)) {
  const results = [];
  for (const dtype of ['float32', 'float64']) {
    for (const [rows, columns] of sizes) {
      const [[a, b]] = layouts(np, rows, columns, dtype);
      for (const name of names) {
        const compiled = np.compile((p, q) => functions[name](np, p, q), { name });
        compiled(a, b).dispose();
        results.push([`${name} ${dtype} ${rows}x${columns}`, digest(compiled(a, b))]);
      }
    }
  }
  return results;
}

/** Few of them, for a server that compiles each. */
export const runSome = (np) => runAll(np, [[40, 130]], Object.keys(functions).slice(0, 3));

/** The best time of one call of much computation in each of the modules, taken by turns, in milliseconds. */
export function timesOf(modules) {
  const calls = modules.map((np) => {
    const x = np.linspace(-2, 2, 1_000_000, { dtype: 'float32' });
    const f = np.compile((v) => np.tanh(np.exp(v).multiply(v)).add(np.exp(np.negative(v))), { name: 'much' });
    return () => f(x).dispose();
  });
  const best = calls.map(() => Infinity);
  for (let i = 0; i < 60; ++i) {
    for (const [which, call] of calls.entries()) {
      const start = performance.now();
      call();
      if (i >= 5) best[which] = Math.min(best[which], performance.now() - start);
    }
  }
  return best;
}
