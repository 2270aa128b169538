// Watches the compiled functions of a program: what they record, from which lines, and how long their calls take.

/** The line of the program (a module of that address) in a stack trace, or null. */
export function lineIn(stack, address) {
  const at = stack?.indexOf(address) ?? -1;
  const found = at < 0 ? null : /^:(\d+)/.exec(stack.slice(at + address.length));
  return found ? Number(found[1]) : null;
}

/** Notes which line calls which function of np or method of arrays while `run` goes: [{ op, line }] in order. */
function notingLines(np, address, run) {
  const notes = [], restores = [];
  let depth = 0;
  function watch(object, name) {
    const original = object[name];
    const noting = function noted(...args) {
      if (depth === 0) notes.push({ op: name, line: lineIn(new Error().stack, address) });
      ++depth;
      try {
        return original.apply(this, args);
      } finally {
        --depth;
      }
    };
    restores.push(() => { object[name] = original; });
    object[name] = Object.assign(noting, original);
  }
  const structure = new Set(['compile', 'disable', 'tidy', 'keep', 'explain', 'recording', 'slice', 'float', 'complex']);
  for (const name of Object.keys(np)) if (typeof np[name] === 'function' && np[name].dtypeId === undefined && !structure.has(name) && name !== 'NDArray') watch(np, name);
  for (const name of Object.getOwnPropertyNames(np.NDArray.prototype)) {
    const { value, writable } = Object.getOwnPropertyDescriptor(np.NDArray.prototype, name);
    if (typeof value === 'function' && writable && name !== 'constructor') watch(np.NDArray.prototype, name);
  }
  try {
    run();
  } finally {
    restores.forEach((restore) => restore());
  }
  return notes;
}

const opOf = (text) => /^%\d+ = (\w+)/.exec(text)?.[1];

/** The operations of graphs with the lines they come from: [{ text, line }] for each graph. */
export function withLines(graphs, notes) {
  let at = 0;
  return graphs.map(({ text }) => text.trim().split('\n').map((operation) => {
    const op = opOf(operation);
    if (op === undefined || op === 'input') return { text: operation, line: null };
    for (let i = at; i < notes.length; ++i) {
      const { op: name, line } = notes[i];
      if (name !== op && name !== `i${op}` && !(name === 'set' && /^(store|put|masked)/.test(op))) continue;
      at = name.startsWith('i') && name !== op ? i : i + 1;
      return { text: operation, line };
    }
    return { text: operation, line: null };
  }));
}

/**
 * Puts np.compile of this np under watch. `settings`: { mode, fullgraph }, which the page's switches say. Returns { functions(), finish() }:
 * the functions compiled so far, and what np.explain said of those that were called.
 */
export function observe(np, settings, address) {
  const { compile, explain } = np, entries = [], originals = new WeakMap();

  function explained(entry, args) {
    const report = explain(entry.compiled, ...args);
    entry.report = { ...JSON.parse(JSON.stringify(report)), text: String(report) };
  }
  /** In a call of its own: what looks at the stack stands between the program and the package, whose report would name it. */
  function lined(entry, args) {
    entry.report.operations = withLines(entry.report.graphs, notingLines(np, address, () => { explain(entry.compiled, ...args); }));
  }

  np.compile = (fn, options = {}) => {
    const entry = { name: options.name ?? fn.name ?? 'function', calls: 0, first: 0, spent: 0, report: null, args: null, compiled: null, source: String(fn) };
    const chosen = { ...options, name: entry.name || 'function', fullgraph: settings.fullgraph || (options.fullgraph ?? false) };
    if (settings.mode === 'replay') chosen.mode = 'replay';
    let result;
    entry.compiled = compile((...args) => (result = fn(...args)), chosen);
    const eager = (...args) => np.tidy(() => fn(...args));
    const watched = (...args) => {
      const start = performance.now(), call = ++entry.calls;
      entry.args = args;
      try {
        if (settings.mode === 'eager') return eager(...args);
        if ((call !== 2 && call !== 3) || settings.mode === 'replay') return entry.compiled(...args);
        (call === 2 ? explained : lined)(entry, args);
        return result;
      } finally {
        const ms = performance.now() - start;
        if (call === 1) entry.first = ms;
        else if (call > 3) entry.spent += ms;
      }
    };
    entries.push(entry);
    originals.set(watched, entry.compiled);
    return Object.defineProperty(watched, 'name', { value: entry.name });
  };
  np.explain = (fn, ...args) => explain(originals.get(fn) ?? fn, ...args);

  const alive = (args) => args !== null && args.every((value) => !(value instanceof np.NDArray) || value.handle !== 0);
  return {
    finish() {
      for (const entry of entries) {
        if (settings.mode === 'eager' || !alive(entry.args)) continue;
        if (entry.report === null) explained(entry, entry.args);
        if (entry.report.operations === undefined) lined(entry, entry.args);
      }
      return entries.map(({ name, calls, first, spent, report, source }) => ({ name, calls, first, later: calls > 3 ? spent / (calls - 3) : null, report: report?.operations ? report : null, source }));
    },
    /** The compile of the package, for what the page measures itself. */
    compile,
    explain,
  };
}
