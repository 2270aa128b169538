// Options of ufuncs: out, where, dtype, as NumPy has them.
import { unexpectedOption } from './hints.js';
import { isOptions } from './slots.js';
import { kindOf } from './words.js';

const known = ['out', 'where', 'dtype'];
const kinds = { b: 0, u: 1, i: 1, f: 2, c: 3 };

/**
 * Binds to one np, and to the ufuncs' names: ufunc(op, arity, args), the last of which may be options. `dtype`: what is computed in. `where`: elements of
 * `out` that the mask leaves out stay as they are; without `out` they hold anything, as NumPy's.
 */
export function withOptions(np, names, { NDArray, dtypeNamed, ufunc, ufuncOut, tidy }) {
  const typed = (op, given, dtype) => given.map((a, i) => {
    if (typeof dtype !== 'string' && dtype.dtypeId === undefined) throw new TypeError(`dtype: got ${kindOf(dtype)}, expected a dtype or its name.`);
    const to = typeof dtype === 'string' ? dtypeNamed(dtype) : dtype;
    if (a instanceof NDArray && to !== undefined && kinds[a.dtype.kind] > kinds[to.kind])
      throw new TypeError(`Cannot cast ufunc '${names.get(op)}' input ${i} from dtype('${a.dtype}') to dtype('${to}') with casting rule 'same_kind'`);
    return np.asarray(a, { dtype });
  });
  return (op, arity, args) => {
    const options = args[args.length - 1];
    if (args.length !== arity + 1 || !isOptions(options)) return ufunc(op, arity, args);
    for (const name of Object.keys(options))
      if (!known.includes(name)) throw new TypeError(`[${names.get(op)}] ${unexpectedOption(name, known)}`);
    const { out, where, dtype } = options, given = args.slice(0, arity);
    const inputs = () => (dtype == null ? given : typed(op, given, dtype));
    if (where == null || where === true) {
      if (out == null) return tidy(() => ufunc(op, arity, inputs()));
      return tidy(() => ufuncOut(op, out, inputs()));
    }
    return tidy(() => {
      const result = ufunc(op, arity, inputs());
      if (out == null) return result;
      np.copyto(out, result, { where });
      return out;
    });
  };
}
