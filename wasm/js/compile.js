// np.compile, np.disable, np.explain, np.setLogs: what a function does with arrays, recorded and run as graphs.
import { errors, throwLast } from './errors.js';
import { unexpectedOption } from './hints.js';
import { addReplay } from './replay.js';
import { dotted, readLines, readText } from './text.js';
import { isUnending, kindOf } from './words.js';

const sizes = { automatic: 0, yes: 1, no: 2 };
const modes = ['rerun', 'replay'];
const optionNames = ['name', 'fullgraph', 'dynamic', 'mode', 'verify_replay'];
const compiledMark = Symbol.for('numjit.compiled');
const channels = ['graph_breaks', 'recompiles', 'guards', 'graph', 'code', 'schedule', 'cache', 'perf_hints'];

/** The options of np.compile, all of them. */
function checkedOptions(fn, options) {
  if (typeof fn !== 'function') throw new TypeError(`compile: got ${typeof fn}, expected a function.`);
  if (options === null || typeof options !== 'object') throw new TypeError(`compile: got ${kindOf(options)}, expected an object of options: compile(f, { fullgraph: true }).`);
  for (const name of Object.keys(options))
    if (!optionNames.includes(name)) throw new TypeError(`compile: ${unexpectedOption(name, optionNames)}`);
  const { name = fn.name || 'function', fullgraph = false, dynamic = 'automatic', mode = 'rerun', verify_replay = 0 } = options;
  const wrong = (option, got, expected) => new errors.ValueError(`compile: ${option}: got ${kindOf(got)}, expected ${expected}.`);
  if (typeof name !== 'string') throw wrong('name', name, 'a text');
  if (typeof fullgraph !== 'boolean') throw wrong('fullgraph', fullgraph, 'true or false');
  if (!Object.hasOwn(sizes, dynamic)) throw wrong('dynamic', dynamic, "'automatic', 'yes' or 'no'");
  if (!modes.includes(mode)) throw wrong('mode', mode, "'rerun' or 'replay'");
  if (!Number.isInteger(verify_replay) || verify_replay < 0 || verify_replay >= 2 ** 31) throw wrong('verify_replay', verify_replay, 'a whole number from 0 on');
  if (isUnending(fn))
    throw new TypeError(`compile: got ${kindOf(fn)}, which goes on after it has returned (async, function*), expected one that ends when it returns.`);
  return { name, fullgraph, dynamic, mode, verify_replay };
}

/**
 * Tells once where it depends on a number's being whole which dtypes a function gives: a slider at 2 is an integer, at 2.5 it is none.
 * Called with the arguments and the result of each run of the function.
 */
function watchNumbers(name, NDArray) {
  const known = new Map(); // by which arguments are whole: the dtypes of the arrays given and got
  const dtypesOf = (values) => values.map((value) => (value instanceof NDArray && value.handle !== 0 ? value.dtype.name : '')).join();
  let last = -1, told = false;
  return (args, result) => {
    let whole = 0;
    for (let i = 0; i < args.length && i < 30; ++i) if (typeof args[i] === 'number' && Number.isInteger(args[i])) whole |= 1 << i;
    if (told || whole === last) return;
    last = whole;
    if (known.has(whole)) return;
    const given = dtypesOf(args), got = dtypesOf(Array.isArray(result) ? result : [result]);
    for (const [other, before] of known) {
      const at = 31 - Math.clz32(whole ^ other);
      if (typeof args[at] !== 'number' || before.given !== given || before.got === got) continue;
      told = true;
      const [some, none] = whole & (1 << at) ? [got, before.got] : [before.got, got];
      console.warn(`numjit: ${name} gives ${some} where its argument ${at} is a whole number, else ${none}. Hint: pass np.float(value), which is a float whatever its value is.`);
      return;
    }
    known.set(whole, { given, got });
  };
}

export function addCompile(np, module, slots, scopes) {
  const { NDArray } = np;
  const states = new FinalizationRegistry((state) => module.nj_compiled_release(state));
  const known = new WeakMap(); // compiled functions: their states
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
  np.compile = (fn, options = {}) => {
    const { name, fullgraph, dynamic, mode, verify_replay } = checkedOptions(fn, options);
    const state = makeState(name, fullgraph, dynamic, mode === 'replay' ? verify_replay : -1), watch = watchNumbers(name, NDArray);
    const rerun = (...args) => {
      const handles = slots.handles(args, NDArray), frame = scopes.enter(true), region = module.nj_begin(state, handles, args.length);
      if (region === 0) {
        scopes.leave(frame, null);
        scopes.ended(frame);
        throwLast(module);
      }
      let result = null, done = false;
      try {
        try {
          result = fn(...args);
          if (!(result instanceof NDArray)) scopes.refusePromise(`compile: ${name}:`, result);
          watch(args, result);
        } finally {
          scopes.leave(frame, result);
        }
        done = true;
      } finally {
        if (!done) module.nj_abandon(region);
        if (!done) scopes.ended(frame);
      }
      const status = module.nj_finish(region);
      scopes.ended(frame);
      if (status < 0) throwLast(module);
      return result;
    };
    const compiled = mode === 'replay' ? replaying(state, name, rerun) : rerun;
    Object.defineProperty(compiled, 'name', { value: name });
    known.set(compiled, state);
    compiled[compiledMark] = true;
    states.register(compiled, state);
    return compiled;
  };

  /** Runs `fn` without recording, also inside a compiled function. */
  np.disable = (fn) => {
    if (typeof fn !== 'function') throw new TypeError(`disable: got ${kindOf(fn)}, expected a function.`);
    return (...args) => {
      const frame = scopes.enter(false), inside = module.nj_disable();
      if (inside === 0) {
        scopes.ended(frame);
        throwLast(module);
      }
      try {
        return fn(...args);
      } finally {
        const status = module.nj_enable(inside);
        scopes.ended(frame);
        if (status < 0) throwLast(module);
      }
    };
  };

  /** Groups of operations that run one by one, for want of a kernel: what they are, and what is lacking. */
  np.missingKernels = () => readLines(module, module.nj_missing_kernels()).filter(([kernel]) => kernel)
    .map(([kernel, kind, ops, hint]) => ({ name: kernel, kind, ops: ops.split(' '), hint }));

  /** Calls a compiled function once and reports what became of it: graphs, breaks and why. `text` is for people. */
  np.explain = (compiled, ...args) => {
    const state = known.get(compiled);
    if (state === undefined && compiled?.[compiledMark]) throw new TypeError('explain: got a compiled function of another numjit, whose module came by load() with other options.');
    if (state === undefined) throw new TypeError(`explain: got ${typeof compiled === 'function' ? 'a plain function' : kindOf(compiled)}, expected one of np.compile.`);
    const explaining = module.nj_explain_begin(state);
    let json = 0;
    try {
      compiled(...args);
      json = 1;
    } finally {
      if (json === 0) module.nj_explain_end(explaining);
    }
    const text = dotted(readText(module, module.nj_explain_text(explaining)));
    const report = JSON.parse(dotted(readText(module, module.nj_explain_json(explaining))));
    module.nj_explain_end(explaining);
    return Object.defineProperty(report, 'toString', { value: () => text });
  };

  /** Which channels log to the console: np.setLogs({ graph_breaks: true }); np.setLogs({}) is off. */
  np.setLogs = (options = {}) => {
    if (options === null || typeof options !== 'object') throw new TypeError(`setLogs: got ${kindOf(options)}, expected an object: setLogs({ graph_breaks: true }).`);
    for (const name of Object.keys(options))
      if (!channels.includes(name)) throw new errors.ValueError(`setLogs: got '${name}', expected one of ${channels.join(', ')}.`);
    module.nj_set_logs(channels.reduce((mask, name, bit) => mask | (options[name] ? 1 << bit : 0), 0));
  };
}
