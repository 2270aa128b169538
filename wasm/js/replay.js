// Mode replay of np.compile: calls whose arguments are as in an earlier one run its kernels without the JavaScript.
import { throwLast } from './errors.js';
import { deepest } from './lists.js';
import { Complex, Float } from './numbers.js';
import { arrayMark, isOptions, refusal } from './slots.js';
import { kindOf } from './words.js';

const Leaf = { array: 1, number: 2, float: 3, text: 4, true: 5, false: 6, null: 7, undefined: 8, list: 9, object: 10, bigint: 11, complex: 12, dtype: 13 };
const Step = { failed: -1, runBody: 0, runBodyAndEnd: 1, takeResults: 2 };

/** Stands for an array in a kept result. */
const hole = Symbol('array');

/** What arguments, or a result, consist of: arrays, and the rest as numbers. */
class Leaves {
  constructor(NDArray) {
    this.NDArray = NDArray;
    this.arrays = [];
    this.words = [];
    this.depth = 0;
  }

  clear() {
    this.arrays.length = 0;
    this.words.length = 0;
    this.depth = 0;
  }

  text(value) {
    this.words.push(value.length);
    for (let i = 0; i < value.length; ++i) this.words.push(value.charCodeAt(i));
  }

  addAll(values) {
    this.words.push(Leaf.list, values.length);
    for (const value of values) this.add(value);
  }

  add(value) {
    const { words } = this;
    switch (typeof value) {
      case 'number': words.push(Leaf.number, value); return;
      case 'boolean': words.push(value ? Leaf.true : Leaf.false); return;
      case 'undefined': words.push(Leaf.undefined); return;
      case 'string': words.push(Leaf.text); this.text(value); return;
      case 'bigint': words.push(Leaf.bigint); this.text(String(value)); return;
      default:
    }
    if (value === null) words.push(Leaf.null);
    else if (value instanceof this.NDArray) {
      words.push(Leaf.array);
      this.arrays.push(value);
    } else if (Array.isArray(value)) {
      words.push(Leaf.list, value.length);
      this.enter();
      for (const item of value) this.add(item);
      --this.depth;
    } else if (value[arrayMark] === true) throw refusal(value);
    else if (value instanceof Float) words.push(Leaf.float, value.value);
    else if (value instanceof Complex) words.push(Leaf.complex, value.re, value.im);
    else if (value.dtypeId !== undefined) words.push(Leaf.dtype, value.dtypeId);
    else if (isOptions(value) || value.sliceParts !== undefined) {
      const entries = Object.entries(value);
      words.push(Leaf.object, entries.length);
      this.enter();
      for (const [key, item] of entries) {
        this.text(key);
        this.add(item);
      }
      --this.depth;
    } else {
      throw new TypeError(`got ${kindOf(value)}`);
    }
  }

  enter() {
    if (++this.depth > deepest) throw new TypeError(`got lists or objects inside each other more than ${deepest} deep (or in a circle)`);
  }
}

/** A copy of a result in which `leaf(array)` stands for each array. */
function rebuilt(value, isArray, leaf) {
  if (isArray(value)) return leaf(value);
  if (Array.isArray(value)) return value.map((item) => rebuilt(item, isArray, leaf));
  if (isOptions(value)) return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, rebuilt(item, isArray, leaf)]));
  return value;
}

/** Binds to one module: replaying(state, name, rerun) is the compiled function. */
export function addReplay(module, slots, NDArray) {
  const isArray = (value) => value instanceof NDArray;
  const { nj_replay, nj_replay_results, adopt, view: viewOf } = module; // a property of so large an object is looked up by its name at each use

  function leavesOf(values, all, leaves, name) {
    leaves.clear();
    try {
      if (all) leaves.addAll(values);
      else leaves.add(values);
    } catch (error) {
      if (!error.message.startsWith('got ')) throw error;
      throw new TypeError(`compile: mode replay of ${name}: ${error.message} as an argument or result, expected arrays, numbers, `
        + "text, dtypes, and lists and plain objects of them. Use mode: 'rerun'.");
    }
    return leaves;
  }

  return (state, name, rerun) => {
    const leaves = new Leaves(NDArray);
    const prototypes = [null]; // by number; 0 is one array
    /** Arrays that are the arguments need no words: what they are is guarded by itself. */
    function beginPlain(args) {
      const count = args.length, address = slots.room(4 * count), view = viewOf();
      for (let i = 0; i < count; ++i) {
        const value = args[i];
        if (!(value instanceof NDArray)) return begin(args);
        view.setInt32(address + 4 * i, value.handle || value.checked(), true); // 0 after dispose()
      }
      return nj_replay(state, address, count, 0, 0);
    }
    function begin(args) {
      const { arrays, words } = leavesOf(args, true, leaves, name);
      const address = slots.room(arrays.length * 4 + words.length * 8 + 8), view = module.view();
      for (let i = 0; i < arrays.length; ++i) view.setInt32(address + 4 * i, arrays[i].checked(), true);
      const behind = address + ((arrays.length + 1) & ~1) * 4;
      for (let i = 0; i < words.length; ++i) view.setFloat64(behind + 8 * i, words[i], true);
      return module.nj_replay(state, address, arrays.length, behind, words.length);
    }
    function take() {
      const view = viewOf();
      let at = nj_replay_results();
      const prototype = prototypes[view.getInt32(at, true)];
      if (prototype.arrays === undefined) return rebuilt(prototype.value, (value) => value === hole, () => adopt(view.getInt32(at += 4, true)));
      const list = [];
      for (let i = 0; i < prototype.arrays; ++i) list.push(adopt(view.getInt32(at += 4, true)));
      return list;
    }
    function runAndEnd(args) {
      let result, ended = false;
      try {
        result = rerun(...args);
        const { arrays } = leavesOf(result, false, new Leaves(NDArray), name);
        const address = slots.handles(arrays, NDArray), one = isArray(result);
        ended = true;
        const learned = module.nj_replay_end(address, arrays.length, one ? 0 : prototypes.length);
        if (learned < 0) throwLast(module);
        if (learned && !one) {
          // A list of arrays, as most results of several are, is made without looking at a copy.
          const arrays = Array.isArray(result) && result.every(isArray) ? result.length : undefined;
          prototypes.push({ value: rebuilt(result, isArray, () => hole), arrays });
        }
      } finally {
        if (!ended) module.nj_replay_abandon();
      }
      return result;
    }
    return (...args) => {
      const step = beginPlain(args);
      switch (step) {
        case Step.failed: return throwLast(module);
        case Step.runBody: return rerun(...args);
        case Step.runBodyAndEnd: return runAndEnd(args);
        case Step.takeResults: return take();
        default: return adopt(step);
      }
    };
  };
}
