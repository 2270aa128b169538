// Numbers for the workloads: the same in each run.

export const random = (n, low = 0.1, high = 2) => {
  let state = 12345 + n;
  return Float32Array.from({ length: n }, () => {
    state = Math.imul(state, 1664525) + 1013904223 | 0;
    return low + (high - low) * ((state >>> 8) / 16777216);
  });
};
