// np.testing.checkGrads: derivatives of a function against differences.
import { checkFunction, checkOptions, wrong } from './checks.js';
import { errors } from './errors.js';
import { flatten, Part } from './trees.js';
import { kindOf } from './words.js';

const usual = { order: 2, forward: true, reverse: true, step: 1e-5, rtol: 1e-5, atol: 1e-6 };

export function addCheckGrads(np, isArray) {
  const isInexact = ({ dtype }) => dtype.kind === 'f' || dtype.kind === 'c';

  /** Numbers between -1 and 1 that look random and are the same in each run: like(a) has the shape and dtype of an array. */
  function directions() {
    let state = 42;
    const next = () => {
      state = Math.imul(state, 1664525) + 1013904223; // Numerical Recipes' generator
      return (state >>> 0) / 2 ** 31 - 1;
    };
    const numbers = ({ size, shape }) => np.array(Float64Array.from({ length: size }, next)).reshape(shape);
    return (a) => (a.dtype.kind === 'c' ? numbers(a).add(numbers(a).multiply(np.complex(0, 1))) : numbers(a)).astype(a.dtype);
  }

  /** The sum over all arrays of Re<a, b>, as a number. */
  const inner = (a, b) => a.reduce((sum, x, i) => sum + np.real(np.conj(x).multiply(b[i])).sum().item(), 0);

  function check(f, args, options, order, like) {
    const { forward, reverse, step, rtol, atol } = options;
    const along = args.map(like), weights = f(...args).map(like);
    const at = (by) => inner(weights, f(...args.map((a, i) => a.add(along[i].multiply(by)))));
    const up = at(step), expected = (up - at(-step)) / (2 * step), size = Math.max(Math.abs(expected), 1e-9 * Math.abs(up) / step);
    const compare = (what, found) => {
      if (Math.abs(found - expected) <= atol + rtol * size || (Number.isNaN(found) && Number.isNaN(expected))) return;
      throw new errors.AssertionError(`[checkGrads] order ${order}, ${what}: the derivative along a direction is ${found}, by differences ${expected}.`);
    };
    const pushed = (...x) => np.jvp(f, x, along)[1];
    const pulled = (...x) => {
      const pull = np.vjp(f, ...x)[1], cotangents = pull(weights);
      pull.dispose();
      return cotangents;
    };
    if (forward) compare('forward', inner(weights, pushed(...args)));
    if (reverse) compare('backward', inner(pulled(...args), along));
    if (order >= options.order) return;
    if (forward) check(pushed, args, options, order + 1, like);
    if (reverse) check(pulled, args, options, order + 1, like);
  }

  np.testing = {
    /**
     * Throws an AssertionError where a derivative of f(...args), up to `order`, forward (jvp) or backward (vjp), differs from the one by central
     * differences along a random direction.
     */
    checkGrads(f, args, options = {}) {
      checkFunction('checkGrads', f);
      if (!Array.isArray(args)) throw wrong('checkGrads', `got ${kindOf(args)}, expected a list of arguments.`);
      const all = checkOptions('checkGrads', options, usual);
      np.tidy(() => {
        const given = new Part('checkGrads', args, (leaf) => isArray(leaf) && isInexact(leaf));
        const flat = (...arrays) => flatten(f(...given.with(arrays)), 'checkGrads').leaves.filter((leaf) => isArray(leaf) && isInexact(leaf));
        check(flat, given.given, all, 1, directions());
      });
    },
  };
}
