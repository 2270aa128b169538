// Methods of ufuncs: np.add.reduce, accumulate, reduceat, outer, at.
import { isOptions, Tag } from './slots.js';

/** In a list that indexes: not a number or a list of them, so that its entries are an index each. */
const isEntry = (entry) => entry === null || typeof entry === 'string' || (typeof entry === 'object' && !Array.isArray(entry));

/** Binds to one np: what each of its ufuncs has. `functions`: the module's, by name; `classes`: of makeArrayClass. */
export function ufuncMethods(np, functions, places, { NDArray, callWith, addIndex, tidy }) {
  const named = (method) => {
    const run = functions.get(`ufunc.${method}`);
    return function call(...args) { return run(this.name, ...args); };
  };
  return {
    reduce: named('reduce'),
    accumulate: named('accumulate'),
    reduceat: named('reduceat'),
    /** Of all pairs of elements: the shape of a, then that of b. */
    outer(a, b, options) {
      if (this.arity !== 2) throw new np.errors.ValueError('outer product only supported for binary functions');
      if (a === undefined || b === undefined || isOptions(b)) throw new TypeError('exactly two arguments expected');
      return tidy(() => {
        const left = np.asarray(a), right = np.asarray(b);
        const spread = left.reshape([...left.shape, ...right.shape.map(() => 1)]);
        return options === undefined ? this(spread, right) : this(spread, right, options);
      });
    },
    /** a[indices] = ufunc(a[indices], b), one element after the other. A list of several indices is one for each axis. */
    at(a, indices, b) {
      if (!(a instanceof NDArray)) throw new TypeError('first operand must be array');
      const entries = Array.isArray(indices) && indices.some(isEntry) ? indices : [indices];
      callWith(places, (s) => {
        s.text(Tag.text, this.name);
        s.add(a);
        s.list(() => entries.reduce((count, entry) => count + addIndex(s, entry), 0));
        if (b !== undefined) s.add(b);
      });
    },
  };
}
