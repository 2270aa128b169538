// The engines of a demo, and how long a step of each takes.

/** How a demo's functions run: eager functions tidy up after each call, compiled ones are recorded. */
export function wrapFor(mode, np, tell = null) {
  if (mode === 'eager') return (fn) => (...args) => np.tidy(() => fn(...args));
  return (fn, options = {}) => {
    if (tell === null) return np.compile(fn, { name: fn.name, ...options });
    let calls = 0, result;
    const compiled = np.compile((...args) => (result = fn(...args)), { name: fn.name, ...options });
    return (...args) => {
      if (++calls !== 6) return compiled(...args);
      tell(fn.name, np.explain(compiled, ...args));
      return result;
    };
  };
}

const budget = 150; // milliseconds for an engine

/** The median time of a step of one engine, on a state of its own, which ends with it. */
export function stepTime(demo, mode, np, settings) {
  const run = () => {
    const engine = mode === 'js' ? demo.handWritten(demo.start()) : demo.numjit(np, wrapFor(mode, np), demo.start()), times = [], until = performance.now() + budget;
    while (times.length < 3 || (performance.now() < until && times.length < 200)) {
      const start = performance.now();
      engine.step({ ...settings });
      times.push(performance.now() - start);
    }
    const later = times.slice(times.length >> 1).sort((a, b) => a - b); // kernels and machine code are made first
    return later.reduce((sum, ms) => sum + ms, 0) / later.length; // clocks of pages tick in tenths of a millisecond
  };
  return np === null ? run() : np.tidy(run);
}
