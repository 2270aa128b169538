// Names that JavaScript or older NumPy suggest and np or its arrays have not: an error that names the one meant, where undefined
// would be called, or drawn as nothing.

/** Arrays: what to write instead, behind "a". */
const arrayHints = {
  mul: '.multiply(b)', times: '.multiply(b)', sub: '.subtract(b)', minus: '.subtract(b)', plus: '.add(b)', div: '.divide(b)', neg: '.negative()', eq: '.equal(b)',
  ne: '.not_equal(b)', lt: '.less(b)', le: '.less_equal(b)', lte: '.less_equal(b)', gt: '.greater(b)', ge: '.greater_equal(b)', gte: '.greater_equal(b)',
  length: '.size, or a.shape[0]', slice: ".at('1:3')", get: '.item(0), or a.at(0)', map: '.toTypedArray().map(f), or functions of np, which take whole arrays',
  forEach: '.toTypedArray().forEach(f), or functions of np, which take whole arrays', filter: '.at(mask)', toArray: '.tolist()', clone: '.copy()',
  itemsize: '.dtype.itemsize', nbytes: '.size * a.dtype.itemsize', mm: '.matmul(b)', norm: ': np.linalg.norm(a)',
};

/** np: what to write instead. */
const npHints = {
  mul: 'np.multiply(a, b)', sub: 'np.subtract(a, b)', div: 'np.divide(a, b)', neg: 'np.negative(a)', eq: 'np.equal(a, b)', mgrid: "np.indices(shape), or np.meshgrid(x, y, { indexing: 'ij' })",
  ogrid: "np.ix_(x, y)", r_: 'np.concatenate([a, b])', c_: 'np.column_stack([a, b])', s_: "np.slice(start, stop, step), or text: a.at('1:3')",
  vectorize: 'np.compile(f) of a function of whole arrays; np.array(a.toTypedArray().map(f)) calls f for each number', frompyfunc: 'np.array(a.toTypedArray().map(f))',
  apply_along_axis: 'np.vmap(f)', ndim: 'a.ndim', shape: 'a.shape', size: 'a.size', ndarray: 'np.NDArray', fromiter: 'np.array(list)', frombuffer: 'np.array(typedArray)',
  ascontiguousarray: 'a.copy()', asanyarray: 'np.asarray(a)', save: 'np.toNpy(a), bytes', savez: 'np.toNpz({ a, b }), bytes', array_repr: 'np.array2string(a)',
  trapz: 'np.trapezoid(y, x)', in1d: 'np.isin(a, b)', product: 'np.prod(a)', cumproduct: 'np.cumprod(a)', alltrue: 'np.all(a)', sometrue: 'np.any(a)',
  NaN: 'np.nan', NAN: 'np.nan', Inf: 'np.inf', Infinity: 'np.inf', PI: 'np.pi', float_: 'np.float64', complex_: 'np.complex128', bool8: 'np.bool_',
};

const drawn = { rand: 'random({ size: [3, 2] })', random_sample: 'random({ size: 3 })', randn: 'standard_normal({ size: [3, 2] })', randint: 'integers(0, 10, { size: 3 })' };

/** np.random: functions of NumPy's global generator are methods of one that is made. */
const randomHints = (names) => ({
  seed: 'np.random.default_rng(seed)',
  ...Object.fromEntries(names.map((name) => [name, `np.random.default_rng(seed).${name}(...)`])),
  ...Object.fromEntries(Object.entries(drawn).map(([name, call]) => [name, `np.random.default_rng(seed).${call}`])),
});

/** Names that programs ask any object for. */
const probed = new Set(['then', 'toJSON', 'constructor', 'inspect', 'nodeType', 'tagName', 'window', 'default']);
const bare = (name) => name.replaceAll('_', '').toLowerCase();

/** How many letters differ, are missing or are swapped; more than `most`: some number beyond it. */
function distance(a, b, most) {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let before = [], row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; ++i) {
    const next = [i];
    for (let j = 1; j <= b.length; ++j) {
      next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) next[j] = Math.min(next[j], before[j - 2] + 1);
    }
    before = row;
    row = next;
  }
  return row[b.length];
}

/** The name among `names` that is meant, or null. */
export function closest(name, names) {
  const word = bare(name), most = word.length < 4 ? 0 : word.length < 7 ? 1 : 2;
  let best = null, least = most + 1;
  for (const other of names) {
    const far = distance(word, bare(other), most);
    if (far < least) [best, least] = [other, far];
  }
  return best;
}

/** What is wrong with an option. */
export function unexpectedOption(name, known) {
  const meant = closest(name, known);
  return `unexpected option '${name}', expected one of ${known.join(', ')}.${meant === null ? '' : ` Hint: ${meant}.`}`;
}

/**
 * Stands behind `object`, so that only names which it has not get here: `wanted(name, receiver)` gives an error, or null where the name is
 * just not there, as programs ask of any object. `write(name)`: the same of names that are written.
 */
function standBehind(object, wanted, write = () => null) {
  const empty = Object.create(Object.getPrototypeOf(object));
  Object.setPrototypeOf(object, new Proxy(empty, {
    get(target, name, receiver) {
      if (typeof name === 'string' && !(name in target) && !probed.has(name)) {
        const error = wanted(name, receiver);
        if (error !== null) throw error;
      }
      return Reflect.get(target, name, receiver);
    },
    set(target, name, value, receiver) {
      const error = typeof name === 'string' ? write(name) : null;
      if (error !== null) throw error;
      return Reflect.set(target, name, value, receiver);
    },
  }));
}

/** Of a family of functions: np, np.random, ... */
function hintsOf(object, prefix, hints) {
  standBehind(object, (name) => {
    const hint = Object.hasOwn(hints, name) ? hints[name] : null, meant = hint ?? closest(name, Object.keys(object));
    if (meant === null) return null;
    return new TypeError(`numjit: there is no ${prefix}.${name}. Hint: ${hint ?? `${prefix}.${meant}`}.`);
  });
}

/** Indices, and np's functions that are no methods. */
function hintsOfArrays(NDArray, np, functionsOnly) {
  const index = /^-?\d+$/, { prototype } = NDArray;
  const names = Object.getOwnPropertyNames(prototype);
  standBehind(prototype, (name) => {
    if (index.test(name)) return new TypeError(`numjit: a[${name}] is no element: JavaScript has brackets for its own lists alone. Hint: a.item(${name}) is a number, a.at(${name}) a view.`);
    const own = Object.hasOwn(arrayHints, name) ? arrayHints[name] : null;
    if (own !== null) return new TypeError(`numjit: arrays have no ${name}. Hint: a${own}.`);
    if (functionsOnly.has(name)) return new TypeError(`numjit: arrays have no ${name}. Hint: np.${name}.`);
    const meant = closest(name, names);
    return meant === null ? null : new TypeError(`numjit: arrays have no ${name}. Hint: a.${meant}.`);
  }, (name) => (index.test(name) ? new TypeError(`numjit: a[${name}] = value stores nothing: JavaScript has brackets for its own lists alone. Hint: a.set(value, ${name}).`) : null));
}

/** Puts hints behind np, its families and its arrays. */
export function addHints(np, functionsOnly) {
  hintsOfArrays(np.NDArray, np, functionsOnly);
  hintsOf(np, 'np', npHints);
  hintsOf(np.random, 'np.random', randomHints(Object.getOwnPropertyNames(np.random.Generator.prototype).filter((name) => name !== 'constructor' && name !== 'dispose')));
  hintsOf(np.fft, 'np.fft', {});
  hintsOf(np.linalg, 'np.linalg', {});
}

/** What `a + b` and the like come to: the number of an array of one element; for others an error. */
export function primitiveOf(array, hint) {
  if (hint === 'string') return String(array.toString());
  if (array.size !== 1) {
    throw new TypeError(`numjit: operators of JavaScript take numbers, got an array of shape (${array.shape.join(', ')}${array.ndim === 1 ? ',' : ''}). `
      + 'Hint: a.add(b), a.subtract(b), a.multiply(b), a.divide(b), a.power(b), a.less(b), a.equal(b).');
  }
  const value = array.item();
  return value !== null && typeof value === 'object' ? String(value) : value;
}
