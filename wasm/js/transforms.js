// Derivatives and batches of functions: np.grad and its like. What they mean is in docs/transforms.md; the calls of the module that
// they are made of are in ../core/transforms.cpp.
import { addCheckGrads } from './check_grads.js';
import { checkFunction, checkOptions, counted, wrong } from './checks.js';
import { addCustom } from './custom.js';
import { errors } from './errors.js';
import { Complex, Float } from './numbers.js';
import { arrayMark, isOptions } from './slots.js';
import { namesOf, Part, partsOf, tree } from './trees.js';
import { addVmap } from './vmap.js';
import { kindOf } from './words.js';

const Direction = { reverse: 0, forward: 1 };
const Mode = { rows: 0, columns: 1, either: 2 }; // as transform::JacobianMode

/** Numbers of arguments from 0, of a number or a list of them. */
function numbersOf(name, argnums, count) {
  return (Array.isArray(argnums) ? argnums : [argnums]).map((number) => {
    if (!Number.isInteger(number)) throw wrong(name, `argnums: got ${kindOf(number)}, expected a whole number, or a list of them.`);
    if (number < -count || number >= count) throw wrong(name, `argnums has ${number}, the call has ${counted(count, 'argument')}.`);
    return number < 0 ? number + count : number;
  });
}

/** The pair that a function returns under hasAux. */
function split(name, result, hasAux) {
  if (!hasAux) return [result, undefined];
  if (!Array.isArray(result) || result.length !== 2) throw wrong(name, `hasAux is true, and the function returned ${kindOf(result)}, expected a pair [value, aux].`);
  return result;
}

/** Binds to one module: `functions` by name, `classes` of makeArrayClass. */
export function addTransforms(np, module, functions, { NDArray, tidy, scopes }) {
  const rows = Object.fromEntries([...functions].filter(([name]) => name.startsWith('transform.')).map(([name, run]) => [name.slice(10), run]));
  /** The error of a rule that the page gave (custom.js): the module only says that there is one. */
  const rules = { failure: null };
  for (const name of ['gradients', 'jacobians', 'pull', 'push']) {
    const run = rows[name];
    rows[name] = (...args) => {
      try {
        return run(...args);
      } catch (error) {
        if (rules.failure === null) throw error;
        const { error: own } = rules.failure;
        rules.failure = null;
        throw own;
      }
    };
  }

  const isArray = (leaf) => leaf instanceof NDArray || leaf?.[arrayMark] === true;
  /** Leaves that have a derivative. Plain numbers in lists and objects are settings, as text is: np.float(x) is a number to be differentiated. */
  const isDifferentiable = (leaf) => isArray(leaf) || leaf instanceof Float || leaf instanceof Complex || ArrayBuffer.isView(leaf);
  const asArray = (leaf, dtype = leaf instanceof Complex ? np.complex128 : np.float64) => {
    if (isArray(leaf)) return leaf;
    return ArrayBuffer.isView(leaf) ? np.array(leaf) : np.array(leaf, { dtype });
  };
  /** Which leaves of a value have one: a number alone, too. */
  const wantedOf = (value) => (typeof value === 'number' ? () => true : isDifferentiable);
  /** The arrays of a tree like another one, which says the dtypes of numbers in places of arrays. `what`: which, for errors. */
  const arraysLike = (name, what, like, value) => like.matched(name, what, value).map((leaf, i) => {
    if (!isDifferentiable(leaf) && typeof leaf !== 'number') throw wrong(name, `${what} has ${kindOf(leaf)} in the place of an array.`);
    return asArray(leaf, like.dtypes[i]);
  });

  /** One differentiated argument. */
  class Argument extends Part {
    constructor(name, number, value) {
      super(name, value, wantedOf(value));
      this.number = number;
      this.arrays = this.given.map((leaf) => asArray(leaf));
      this.given = null;
      if (this.arrays.length === 0)
        throw wrong(name, `argument ${number} holds no array: got ${kindOf(value)}, expected arrays of a float or complex dtype, or a number`
          + `${partsOf(value) === null ? '' : ' (np.float(x), where it stands in a list or an object)'}.`);
      this.dtypes = this.arrays.map(({ dtype }) => dtype);
    }

    activate(call, changes = []) {
      // Names of leaves are for errors.
      const names = this.dtypes.every(({ kind }) => kind === 'f' || kind === 'c') ? undefined : this.places.map((place) => namesOf(this.structure)[place]).join('\n');
      return this.with(rows.activate(call, this.number, this.arrays, changes, names));
    }
  }
  const argumentsOf = (name, numbers, args) => numbers.map((number) => new Argument(name, number, args[number]));
  const allOf = (name, args) => argumentsOf(name, args.map((_, i) => i), args);
  /** Each argument with its part of a list of arrays. */
  const byArgument = (chosen, arrays) => {
    let at = 0;
    return chosen.map((argument) => argument.with(arrays.slice(at, at += argument.count)));
  };

  let levels = 0, unclosed = false;
  /**
   * Runs `run(call)` under a call that open() begins in the module, which ends in any case. Arrays that are made in it end with it, but
   * for those in its result: what a tape needs it holds itself.
   */
  function inCall(open, run) {
    const frame = scopes.enter(true), outer = levels;
    let call = -1, result = null;
    try {
      if (outer === 0 && unclosed) rows.close(0); // for want of stack it could not be done
      unclosed = true;
      call = open();
      levels = outer + 1;
      try {
        result = run(call);
      } finally {
        scopes.leave(frame, result);
      }
    } finally {
      levels = outer;
      if (call >= 0) rows.close(call);
      if (outer === 0) unclosed = false;
      scopes.ended(frame);
    }
    return result;
  }

  /** The function's result; what else it made is not needed when the derivatives are computed. */
  const called = (name, f, args) => tidy(() => {
    const result = f(...args);
    scopes.refusePromise(`[${name}]`, result);
    return result;
  });
  function calledWith(name, f, args, chosen, activated) {
    const given = [...args];
    for (const argument of chosen) given[argument.number] = activated(argument);
    return called(name, f, given);
  }

  const named = (name, f, run) => Object.defineProperty(run, 'name', { value: `${name}(${f.name || 'function'})` });

  function checkResult(name, value) {
    if (isArray(value)) return;
    if (typeof value === 'number') throw wrong(name, 'the function returned a number, expected a real 0-D array: item() of an array gives a constant. Return the array.');
    throw wrong(name, `the function returned ${kindOf(value)}, expected a real 0-D array.`);
  }

  /** f(...args) and its gradients: give(value, aux, gradients). */
  function withGradients(name, f, { argnums, hasAux }, args, give) {
    return inCall(() => rows.open(Direction.reverse, name), (call) => {
      const chosen = argumentsOf(name, numbersOf(name, argnums, args.length), args);
      const [value, aux] = split(name, calledWith(name, f, args, chosen, (argument) => argument.activate(call)), hasAux);
      checkResult(name, value);
      const gradients = byArgument(chosen, rows.gradients(call, value));
      return give(value, aux, Array.isArray(argnums) ? gradients : gradients[0]);
    });
  }

  np.grad = (f, options = {}) => {
    checkFunction('grad', f);
    const all = checkOptions('grad', options, { argnums: 0, hasAux: false });
    return named('grad', f, (...args) => withGradients('grad', f, all, args, (_, aux, gradient) => (all.hasAux ? [gradient, aux] : gradient)));
  };

  np.valueAndGrad = (f, options = {}) => {
    checkFunction('valueAndGrad', f);
    const all = checkOptions('valueAndGrad', options, { argnums: 0, hasAux: false });
    return named('valueAndGrad', f, (...args) => withGradients('valueAndGrad', f, all, args,
      (value, aux, gradient) => [all.hasAux ? [value, aux] : value, gradient]));
  };

  /** The arrays of a result, and what they are like. */
  function resultsOf(name, value) {
    const results = new Part(name, value, isArray);
    results.dtypes = results.given.map(({ dtype }) => dtype);
    return results;
  }

  // ---- calls that are gone through later ----

  const unused = new FinalizationRegistry((kept) => rows.release(kept));
  /** A function over a call that the module keeps, until dispose() or until nobody has it any more. */
  function overKept(name, what, kept, run) {
    const token = {};
    let at = kept;
    const over = (...args) => {
      if (at === null) throw new errors.ValueError(`[${name}] ${what} was disposed of.`);
      return tidy(() => run(at, ...args));
    };
    over.dispose = () => {
      if (at === null) return;
      unused.unregister(token);
      rows.release(at);
      at = null;
    };
    over[Symbol.dispose ?? Symbol.for('Symbol.dispose')] = over.dispose;
    unused.register(over, kept, token);
    return Object.defineProperty(over, 'name', { value: what });
  }

  /** { value, aux, kept, chosen, results } of f(...args). */
  function recorded(name, f, args, hasAux, needsLeaves) {
    return inCall(() => rows.open(Direction.reverse, name), (call) => {
      const chosen = allOf(name, args);
      const [value, aux] = split(name, calledWith(name, f, args, chosen, (argument) => argument.activate(call)), hasAux);
      const results = resultsOf(name, value), leaves = needsLeaves ? chosen.flatMap(({ arrays }) => arrays) : [];
      const kept = rows.keep(call, results.given, leaves, needsLeaves ? chosen.flatMap(({ arrays, number }) => arrays.map(() => number)) : []);
      results.given = null;
      for (const argument of chosen) argument.arrays = null; // pull does not hold what the page has
      return { value, aux, kept, chosen, results };
    });
  }

  /** The arguments of np.vjp(f, ...args, options): an object at the end that holds no array can only be options. */
  function withOptionsBehind(name, args, otherwise) {
    const last = args.at(-1);
    if (!isOptions(last) || new Part(name, last, isDifferentiable).count > 0) return [args, otherwise];
    return [args.slice(0, -1), checkOptions(name, last, otherwise)];
  }

  np.vjp = (f, ...rest) => {
    checkFunction('vjp', f);
    const [args, { hasAux }] = withOptionsBehind('vjp', rest, { hasAux: false });
    const { value, aux, kept, chosen, results } = recorded('vjp', f, args, hasAux, false);
    const pull = overKept('vjp', 'pull', kept, (at, cotangent) => byArgument(chosen, rows.pull(at, arraysLike('vjp', 'the cotangent', results, cotangent))));
    return hasAux ? [value, pull, aux] : [value, pull];
  };

  np.linearize = (f, ...args) => {
    checkFunction('linearize', f);
    const { value, kept, chosen, results } = recorded('linearize', f, args, false, true);
    const push = overKept('linearize', 'push', kept, (at, ...tangents) => results.withChanges(rows.push(at, changesOf('linearize', chosen, tangents).flat())));
    return [value, push];
  };

  /** The arrays of the changes of each argument. */
  function changesOf(name, chosen, tangents) {
    if (!Array.isArray(tangents) || tangents.length !== chosen.length)
      throw wrong(name, `got tangents for ${counted(Array.isArray(tangents) ? tangents.length : 1, 'argument')}, the call has ${chosen.length}.`);
    return chosen.map((argument, i) => arraysLike(name, `tangent ${argument.number}`, argument, tangents[i]));
  }

  np.jvp = (f, primals, tangents, options = {}) => {
    checkFunction('jvp', f);
    const { hasAux } = checkOptions('jvp', options, { hasAux: false });
    if (!Array.isArray(primals)) throw wrong('jvp', `got primals of ${kindOf(primals)}, expected a list of arguments.`);
    return inCall(() => rows.open(Direction.forward, 'jvp'), (call) => {
      const chosen = allOf('jvp', primals), given = changesOf('jvp', chosen, tangents);
      const [value, aux] = split('jvp', calledWith('jvp', f, primals, chosen, (argument) => argument.activate(call, given[argument.number])), hasAux);
      const results = resultsOf('jvp', value), change = results.withChanges(rows.changes(call, results.given));
      return hasAux ? [value, change, aux] : [value, change];
    });
  };

  // ---- Jacobians ----

  const addJacobian = (name, mode) => {
    np[name] = (f, options = {}) => {
      checkFunction(name, f);
      const { argnums } = checkOptions(name, options, { argnums: 0 });
      return named(name, f, (...args) => inCall(() => rows.open(Direction.reverse, name), (call) => {
        const chosen = argumentsOf(name, numbersOf(name, argnums, args.length), args);
        const value = calledWith(name, f, args, chosen, (argument) => argument.activate(call)), results = resultsOf(name, value);
        if (results.count === 0) throw wrong(name, `the function returned ${kindOf(value)}, expected an array, or a tree of arrays.`);
        const leaves = chosen.flatMap(({ arrays }) => arrays), made = rows.jacobians(call, mode, results.given, leaves);
        return results.with(results.places.map((_, i) => {
          const of = byArgument(chosen, made.slice(i * leaves.length, (i + 1) * leaves.length));
          return Array.isArray(argnums) ? of : of[0];
        }));
      }));
    };
  };
  addJacobian('jacrev', Mode.rows);
  addJacobian('jacfwd', Mode.columns);
  addJacobian('jacobian', Mode.either);

  np.hessian = (f, options = {}) => {
    checkFunction('hessian', f);
    const { argnums } = checkOptions('hessian', options, { argnums: 0 });
    const second = np.jacfwd(np.grad(f, { argnums }), { argnums });
    return named('hessian', f, (...args) => {
      for (const number of numbersOf('hessian', argnums, args.length))
        for (const leaf of tree.leaves(args[number]))
          if (leaf instanceof Complex || (isArray(leaf) && leaf.dtype.kind === 'c'))
            throw wrong('hessian', 'the argument is complex, and its second derivatives make no matrix. Use vjp or jvp of the gradient.');
      return second(...args);
    });
  };

  np.hvp = (f, primals, tangents) => {
    checkFunction('hvp', f);
    return tidy(() => np.jvp(np.grad(f), primals, tangents)[1]);
  };

  np.checkpoint = (f) => {
    checkFunction('checkpoint', f);
    return named('checkpoint', f, (...args) => {
      if (levels === 0) return f(...args);
      return tidy(() => {
        rows.begin_checkpoint();
        try {
          return f(...args);
        } finally {
          rows.end_checkpoint();
        }
      });
    });
  };

  np.stopGradient = (value, ...more) => {
    if (more.length > 0) throw wrong('stopGradient', `takes 1 argument, got ${1 + more.length}. Hint: a list or an object of arrays is one.`);
    return levels === 0 ? value : tree.map((leaf) => (isArray(leaf) ? rows.stop(leaf) : leaf), value);
  };

  np.tree = tree;
  addVmap(np, { rows, isArray, asArray, resultsOf, inCall, called, named });
  addCustom(np, module, { rows, rules, isArray, arraysLike, asArray, resultsOf, tidy, isUnderLevel: () => levels > 0 });
  addCheckGrads(np, isArray);
}
