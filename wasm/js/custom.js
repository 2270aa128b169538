// np.customVjp and np.customJvp: functions whose derivatives the page gives.
import { checkFunction, counted, wrong } from './checks.js';
import { errors } from './errors.js';
import { flattenLike, Part, unflatten } from './trees.js';
import { kindOf } from './words.js';

const Kind = { plain: 0, below: 1, forward: 2, reverse: 3, batch: 4 }; // of the innermost level: ../core/transforms.cpp
const Step = { back: 0, release: 1 };

const shapeText = (shape) => (shape.length === 1 ? `(${shape[0]},)` : `(${shape.join(', ')})`);

function pairOf(name, who, made, parts) {
  if (Array.isArray(made) && made.length === 2) return made;
  throw wrong(name, `${who} returned ${kindOf(made)}, expected a pair ${parts}.`);
}

/** What transforms.js has: rows of the module by name, `rules` with the last error of one, leaves of trees, scopes. */
export function addCustom(np, module, { rows, rules, isArray, arraysLike, asArray, resultsOf, tidy, isUnderLevel }) {
  const known = new Map(); // rules, by the number that the module has
  let next = 0;
  module.hostRule = (number, step) => {
    const rule = known.get(number);
    if (step === Step.release) {
      known.delete(number);
      return 0;
    }
    try {
      tidy(() => { rows.passed_out(rule.back(rows.passed_in()).map((a) => a ?? false)); });
      return 0;
    } catch (error) {
      rules.failure = { error };
      return -1;
    }
  };

  /** Over a batch that other transforms see from outside: the function of all examples, with its rules over them. */
  function calledForStacks(name, call, inputs, overExamples) {
    const [size, ...found] = rows.input_stacks(call), axes = found.slice(0, inputs.count).map((axis) => (axis < 0 ? null : axis));
    const values = inputs.with(found.slice(inputs.count)), inAxes = inputs.with(axes, inputs.others.map(() => null));
    const results = resultsOf(name, below(call, () => overExamples(inAxes, Number(size), values)(...values)));
    return results.with(rows.examples(call, results.given));
  }

  /**
   * Calls f; where a level of a transform follows its arguments, underLevel(call, isForward, inputs, args) says what becomes of it, and where
   * that is a batch overExamples(inAxes, size, args) gives the function of all examples.
   */
  function customised(name, f, underLevel, overExamples) {
    const run = (...args) => {
      if (!isUnderLevel()) return f(...args);
      const inputs = new Part(name, args, isArray), [call, kind] = rows.open_custom(inputs.given);
      try {
        if (kind === Kind.plain) return f(...args);
        if (kind === Kind.below) {
          rows.below(call, true);
          return run(...args);
        }
        if (kind === Kind.batch) return calledForStacks(name, call, inputs, overExamples);
        return underLevel(call, kind === Kind.forward, inputs, args);
      } finally {
        rows.close(call); // and what an error left open above it, in order
      }
    };
    return Object.defineProperty(run, 'name', { value: f.name || name });
  }

  /** What `run` gives, whose operations the innermost level does not see. After an error the call's end is the end of this, too. */
  function below(call, run) {
    rows.below(call, true);
    const made = run();
    rows.below(call, false);
    return made;
  }

  const isInexact = ({ kind }) => kind === 'f' || kind === 'c';

  /** Cotangents of the arrays of argument `number`, from what bwd gave for it: null for integers, and where it gave none. */
  function cotangentsOf(number, given, argument, likes) {
    if (given === null || given === undefined || argument.count === 0) return likes.map(() => null);
    return argument.matched('customVjp', `cotangent ${number} that bwd gave`, given).map((leaf, i) => {
      const { shape, dtype } = likes[i];
      if (leaf === null || leaf === undefined || !isInexact(dtype)) return null;
      const g = asArray(leaf, dtype), unlike = (what, got, expected) => new errors.ValueError(`[customVjp] cotangent ${number} has ${what} ${got}, the argument has ${what} ${expected}.`);
      if (String(g.shape) !== String(shape)) throw unlike('shape', shapeText(g.shape), shapeText(shape));
      if (g.dtype !== dtype) throw unlike('dtype', g.dtype, dtype);
      return g;
    });
  }

  /** A cotangent of stacks: of arrays that are the same for all examples, which have no axis, the sum over these. */
  function overThoseOfOne(value, axes, given) {
    const part = new Part('customVjp', value, isArray);
    let leaves, axisOf;
    try {
      [leaves, axisOf] = [flattenLike(part.structure, given), flattenLike(part.structure, axes)];
    } catch {
      return given; // which is said where it is given back
    }
    for (const place of part.places)
      if (axisOf[place] === null && isArray(leaves[place])) leaves[place] = leaves[place].sum(0);
    return unflatten(part.structure, leaves);
  }

  /**
   * f with a derivative of its own: fwd(...args) gives [result, kept], bwd(kept, cotangent) a list of the cotangents of the arguments, null
   * for those that have none. f is not looked into.
   */
  np.customVjp = (f, fwd, bwd) => {
    for (const given of [f, fwd, bwd]) checkFunction('customVjp', given);
    return customised('customVjp', f, (call, isForward, inputs, args) => {
      if (isForward) throw new errors.NotImplementedError('[jvp] no forward derivative of a customVjp function is known. Give one by customJvp.');
      const [result, residuals] = pairOf('customVjp', 'fwd', below(call, () => fwd(...args)), '[result, kept]');
      const results = resultsOf('customVjp', result), zeros = results.given.map(({ shape, dtype }) => () => np.zeros(shape, dtype));
      const kept = new Part('customVjp', residuals, isArray), arrays = kept.given;
      kept.given = null;
      const given = args.map((value) => new Part('customVjp', value, isArray)), likes = given.map((argument) => argument.given.map(({ shape, dtype }) => ({ shape, dtype })));
      for (const argument of given) argument.given = null;
      known.set(next, {
        back(passed) {
          const answer = bwd(kept.with(passed.slice(zeros.length)), results.with(zeros.map((zero, i) => passed[i] ?? zero())));
          const all = Array.isArray(answer) ? answer : [answer];
          if (all.length !== given.length) throw new errors.ValueError(`[customVjp] bwd gave ${counted(all.length, 'cotangent')}, the function has ${counted(given.length, 'argument')}.`);
          return all.flatMap((g, i) => cotangentsOf(i, g, given[i], likes[i]));
        },
      });
      const made = rows.note_rule(call, results.given, next++, arrays);
      results.given = null;
      return results.with(made);
    }, (inAxes, axisSize, args) => {
      const over = (each) => np.vmap(each, { inAxes, axisSize }), backward = np.vmap(bwd, { axisSize });
      return np.customVjp(over(f), over(fwd), (kept, cotangent) => {
        const given = backward(kept, cotangent), all = Array.isArray(given) ? given : [given];
        return all.length === args.length ? all.map((g, i) => overThoseOfOne(args[i], inAxes[i], g)) : all;
      });
    });
  };

  /** The arrays of a change that a rule gave. */
  function changesOf(change, results) {
    const arrays = arraysLike('customJvp', 'the change', results, change);
    rows.check_like('customJvp', 'change', arrays, results.given);
    return arrays;
  }

  /**
   * f with a derivative of its own: rule(args, changes) gives [result, its change], which is linear in the changes. Backward mode goes back
   * through what the rule does with the changes. f is not looked into.
   */
  np.customJvp = (f, rule) => {
    for (const given of [f, rule]) checkFunction('customJvp', given);
    return customised('customJvp', f, (call, isForward, inputs, args) => {
      const ruled = (changes) => {
        const [result, change] = pairOf('customJvp', 'rule', rule(args, inputs.withChanges(changes)), '[result, change]'), results = resultsOf('customJvp', result);
        return [results, changesOf(change, results)];
      };
      const changes = rows.input_changes(call);
      if (isForward) {
        const [results, made] = below(call, () => ruled(changes));
        return results.with(rows.note_changes(call, results.given, made));
      }
      // Integers have changes of zero, which the rule may read, and no derivative.
      const moving = changes.flatMap(({ dtype }, i) => (isInexact(dtype) ? [i] : []));
      const [results, linear] = below(call, () => {
        const inner = rows.open(0, 'customJvp'), active = rows.activate(inner, 0, moving.map((i) => changes[i]), []), given = [...changes];
        moving.forEach((i, at) => { given[i] = active[at]; });
        const [found, made] = ruled(given);
        return [found, rows.keep(inner, made, [], [])];
      });
      return results.with(rows.note_linear(call, results.given, linear, moving, changes.length));
    }, (inAxes, axisSize) => np.customJvp(np.vmap(f, { inAxes, axisSize }), np.vmap(rule, { inAxes: [inAxes, inAxes], axisSize })));
  };
}
