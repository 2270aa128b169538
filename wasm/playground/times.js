// Measures a race at one size: the first call, compiled and eager ones, and the twin in plain JavaScript.

/** Milliseconds of a call: the median of rounds of calls that together take `budget`. */
function measured(call, budget = 60) {
  const times = [], warm = performance.now() + budget / 2, until = warm + budget;
  do call(); while (performance.now() < warm);
  let calls = 1;
  do {
    const start = performance.now();
    for (let i = 0; i < calls; ++i) call();
    const ms = performance.now() - start;
    if (ms < 2 && calls < 1 << 20) calls *= 2; // clocks of browsers tick in tenths of a millisecond
    else times.push(ms / calls);
  } while (performance.now() < until || times.length === 0);
  return times.sort((a, b) => a - b)[times.length >> 1];
}

/** Bytes a nanosecond that a copy of so many bytes reads and writes. */
function copyBandwidth(bytes) {
  const from = new Float64Array(Math.max(16, bytes >> 4)).fill(1), to = new Float64Array(from.length);
  return (2 * from.byteLength) / (measured(() => to.set(from), 30) * 1e6);
}

/** { n, first, compiled, eager, js, bytes, bandwidth, copy } of a race. */
export function timesAt(np, { compile, explain }, { inputs, numjit, js }, n) {
  const args = inputs(n), isArray = (value) => value instanceof np.NDArray;
  const typed = args.map((value) => (isArray(value) ? value.toTypedArray() : value));
  const compiled = compile((...given) => numjit(...given), { name: 'race', mode: 'replay' });
  const once = () => np.tidy(() => { compiled(...args); });
  const start = performance.now();
  once();
  const first = performance.now() - start;
  once();
  const result = { n, first, compiled: measured(once), eager: measured(() => np.tidy(() => { numjit(...args); })), js: js ? measured(() => js(...typed)) : null };
  const report = np.tidy(() => explain(compiled, ...args));
  result.bytes = report.kernels.reduce((sum, kernel) => sum + kernel.bytes, 0);
  result.bandwidth = result.bytes / (result.compiled * 1e6);
  result.copy = copyBandwidth(result.bytes);
  for (const value of args) if (isArray(value)) value.dispose();
  return result;
}
