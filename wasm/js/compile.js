// np.compile, np.disable, np.explain, np.setLogs: what a function does with arrays, recorded and run as graphs.
import { errors, throwLast } from './array.js';
import { addReplay } from './replay.js';
import { readLines, readText } from './slots.js';

const sizes = { automatic: 0, yes: 1, no: 2 };
const modes = ['rerun', 'replay'];
const channels = ['graph_breaks', 'recompiles', 'guards', 'graph', 'code', 'schedule', 'cache', 'perf_hints'];

export function addCompile(np, module, slots, scopes) {
  const { NDArray } = np;
  const states = new FinalizationRegistry((state) => module.nj_compiled_release(state));
  const replaying = addReplay(module, slots, NDArray);
  module.nj_ask_for_places();

  function makeState(name, fullgraph, dynamic, verifyReplay) {
    return slots.with((s) => s.text(0, `${name}\0`), (address) => {
      const state = module.nj_compile(module.view().getInt32(address + 4, true), fullgraph ? 1 : 0, sizes[dynamic], verifyReplay);
      if (state === 0) throwLast(module);
      return state;
    });
  }

  /**
   * A function that records what `fn` does with arrays and runs it as graphs. Arrays that `fn` makes end with the
   * call, but for those it returns and those it hands to np.keep(). `mode: 'replay'`: calls with arguments as before run
   * the kernels without the body.
   */
  np.compile = (fn, { name = fn?.name || 'function', fullgraph = false, dynamic = 'automatic', mode = 'rerun', verify_replay = 0 } = {}) => {
    if (typeof fn !== 'function') throw new TypeError(`compile: got ${typeof fn}, expected a function.`);
    if (!(dynamic in sizes)) throw new errors.ValueError(`compile: dynamic: got '${dynamic}', expected 'automatic', 'yes' or 'no'.`);
    if (!modes.includes(mode)) throw new errors.ValueError(`compile: mode: got '${mode}', expected 'rerun' or 'replay'.`);
    const state = makeState(name, fullgraph, dynamic, mode === 'replay' ? verify_replay : -1);
    const rerun = (...args) => {
      const region = module.nj_begin(state, slots.handles(args, NDArray), args.length);
      if (region === 0) throwLast(module);
      const outer = scopes.open();
      let result = null, done = false;
      try {
        result = fn(...args);
        done = true;
      } finally {
        scopes.close(outer, result);
        if (!done) module.nj_abandon(region);
      }
      if (module.nj_finish(region) < 0) throwLast(module);
      return result;
    };
    const compiled = mode === 'replay' ? replaying(state, name, rerun) : rerun;
    Object.defineProperty(compiled, 'name', { value: name });
    compiled.state = state;
    states.register(compiled, state);
    return compiled;
  };

  /** Runs `fn` without recording, also inside a compiled function. */
  np.disable = (fn) => (...args) => {
    const inside = module.nj_disable();
    if (inside === 0) throwLast(module);
    try {
      return fn(...args);
    } finally {
      if (module.nj_enable(inside) < 0) throwLast(module);
    }
  };

  /** Groups of operations that run one by one, for want of a kernel: what they are, and what is lacking. */
  np.missingKernels = () => readLines(module, module.nj_missing_kernels()).filter(([kernel]) => kernel)
    .map(([kernel, kind, ops, hint]) => ({ name: kernel, kind, ops: ops.split(' '), hint }));

  /** Calls a compiled function once and reports what became of it: graphs, breaks and why. `text` is for people. */
  np.explain = (compiled, ...args) => {
    if (compiled.state === undefined) throw new TypeError('explain: got a plain function, expected one of np.compile.');
    const explaining = module.nj_explain_begin(compiled.state);
    let json = 0;
    try {
      compiled(...args);
      json = 1;
    } finally {
      if (json === 0) module.nj_explain_end(explaining);
    }
    const text = readText(module, module.nj_explain_text(explaining));
    const report = JSON.parse(readText(module, module.nj_explain_json(explaining)));
    module.nj_explain_end(explaining);
    return Object.defineProperty(report, 'toString', { value: () => text });
  };

  /** Which channels log to the console: np.setLogs({ graph_breaks: true }); np.setLogs({}) is off. */
  np.setLogs = (options = {}) => {
    for (const name of Object.keys(options))
      if (!channels.includes(name)) throw new errors.ValueError(`setLogs: got '${name}', expected one of ${channels.join(', ')}.`);
    module.nj_set_logs(channels.reduce((mask, name, bit) => mask | (options[name] ? 1 << bit : 0), 0));
  };
}
