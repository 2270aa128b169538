// Jobs of worker_test.mjs.
let total = null;

export const double = (np, a) => a.multiply(2);
export const several = (np, { a, by }) => ({ whole: a.multiply(by), list: [a.sum()] });
export const alive = (np) => np.liveArrays();
export const fail = (np) => np.arange(3).reshape(2, 2);
export async function later(np, value) {
  await new Promise((go) => setTimeout(go, 5));
  return np.add(value, value).item();
}
export function add(np, value) {
  total = np.keep((total ?? np.zeros(1)).add(value));
  return total.at(0).item();
}
export function forever() {
  for (;;);
}

/** Elements where they lie in the worker's module. */
export const view = (np, a) => a.data;
