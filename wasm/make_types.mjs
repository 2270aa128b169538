// Writes numjit.d.ts from the functions that the module itself names: node make_types.mjs PACKAGE_FOLDER
import { writeFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { functionDocs } from './function_docs.mjs';

const folder = pathToFileURL(`${process.argv[2]}/`);
const { loadModule } = await import(new URL('module.js', folder));
const { functionsOf } = await import(new URL('parameters.js', folder));
const { readLines } = await import(new URL('text.js', folder));
const module = await loadModule({ base: folder });
const docs = await functionDocs();

const numbers = 'number | number[]', sides = 'number | [number, number]';
const parameterTypes = {
  axis: numbers, axes: `${numbers} | number[][]`, shape: numbers, newshape: numbers, new_shape: numbers, dimensions: numbers, dims: numbers, reps: numbers,
  size: numbers, window_shape: numbers, kth: numbers, shift: numbers, source: numbers, destination: numbers, s: 'number[]',
  pad_width: `${sides} | number[][]`, stat_length: `${sides} | number[][]`, constant_values: `${sides} | number[][]`, end_values: `${sides} | number[][]`,
  indices_or_sections: 'number | number[] | NDArray', dtype: 'DType | DTypeName', out: 'NDArray', subscripts: 'string', range: '[number, number]',
  bins: 'number | string | ArrayLike', varargs: 'ArrayLike', mode: 'string', method: 'string', kind: 'string', norm: "'backward' | 'ortho' | 'forward'",
  indexing: "'xy' | 'ij'", trim: 'string', bitorder: "'big' | 'little'", reflect_type: "'even' | 'odd'", side: "'left' | 'right'",
  UPLO: "'L' | 'U'", order: "'C' | 'F' | 'A' | 'K'", ord: "number | 'fro' | 'nuc'", bytes: 'Uint8Array', seed: 'number | bigint', check_valid: "'warn' | 'raise' | 'ignore'",
  casting: "'no' | 'equiv' | 'safe' | 'same_kind' | 'unsafe'", copy: 'boolean', stable: 'boolean', device: "'cpu'", obj: 'number | number[] | NDArray | Slice', repeats: 'number | number[] | NDArray', k: numbers,
};
for (const name of ['arrays', 'tup', 'condlist', 'choicelist', 'choices', 'keys', 'multi_index']) parameterTypes[name] = 'ArrayLike[]';
for (const name of ['N', 'M', 'num', 'decimals', 'ddof', 'correction', 'minlength', 'offset', 'edge_order', 'period', 'discont', 'dx', 'axis1', 'axis2', 'rtol', 'atol',
  'rcond', 'tol', 'ndim', 'ind', 'count', 'max_work', 'axisa', 'axisb', 'axisc', 'd'])
  parameterTypes[name] = 'number';
/** Where a name means something of its own: function.parameter. */
const ownTypes = {
  'interp.left': 'number', 'interp.right': 'number', 'polyfit.deg': 'number', 'rot90.axes': '[number, number]', 'rot90.k': 'number', 'flatten.order': "'C' | 'F' | 'A' | 'K'", 'kaiser.beta': 'number',
  'linalg.cond.p': "number | 'fro' | 'nuc'", 'linalg.matrix_power.n': 'number', 'diff.n': 'number', 'fft.fftfreq.n': 'number',
  'fft.rfftfreq.n': 'number', 'histogramdd.range': '[number, number][]', 'histogram2d.range': '[number, number][]', 'broadcast_shapes.args': 'number | number[]', 'polyder.m': 'number', 'polyint.m': 'number', 'tril_indices.m': 'number', 'triu_indices.m': 'number', 'put.ind': 'ArrayLike',
  'random.gamma.shape': 'ArrayLike', 'random.standard_gamma.shape': 'ArrayLike', 'random.triangular.mode': 'ArrayLike',
};
for (const name of ['fft', 'ifft', 'rfft', 'irfft', 'hfft', 'ihfft']) ownTypes[`fft.${name}.n`] = 'number';
for (const name of ['identity', 'tril_indices', 'triu_indices', 'diag_indices']) ownTypes[`${name}.n`] = 'number';
for (const name of ['sort', 'argsort', 'partition', 'argpartition']) ownTypes[`${name}.order`] = 'never';
const lists = 'NDArray[]', pair = '[NDArray, NDArray]', element = 'number | bigint | boolean | Complex';
const results = {
  allclose: 'boolean', array_equal: 'boolean', array_equiv: 'boolean', shares_memory: 'boolean', may_share_memory: 'boolean', isfortran: 'boolean', truth: 'boolean', array2string: 'string', array_str: 'string',
  copyto: 'void', fill: 'void', fill_diagonal: 'void', put: 'void', place: 'void', putmask: 'void', put_along_axis: 'void', shuffle: 'void',
  meshgrid: lists, split: lists, array_split: lists, vsplit: lists, hsplit: lists, dsplit: lists, unstack: lists, nonzero: lists,
  broadcast_arrays: lists, unravel_index: lists, ix_: lists, diag_indices: lists, diag_indices_from: lists, tril_indices: pair, triu_indices: pair, tril_indices_from: pair, triu_indices_from: pair,
  divmod: pair, modf: pair, frexp: pair, histogram: pair, polydiv: pair, unique_counts: pair, unique_inverse: pair, unique_all: '[NDArray, NDArray, NDArray, NDArray]', broadcast_shapes: 'number[]', histogramdd: '[NDArray, NDArray[]]', histogram2d: '[NDArray, NDArray, NDArray]',
  // Of a matrix: an array for each axis. Of what else was asked for: an array behind the values.
  gradient: 'any', unique: 'any', intersect1d: 'any',
};
/** One array of one, a list of several. */
const oneOrMany = new Set(['atleast_1d', 'atleast_2d', 'atleast_3d']);
/** Of linspace with retstep: the step, too. */
const withStep = 'linspace(start: ArrayLike, stop: ArrayLike, options: LinspaceOptions & { retstep: true }): [NDArray, number | NDArray];';
/** Methods whose results have the dtype of their array, and functions whose results have one of their own. */
const keepDtype = new Set(['reshape', 'ravel', 'swapaxes', 'moveaxis', 'squeeze', 'expand_dims', 'broadcast_to', 'diagonal', 'append', 'tile', 'repeat', 'roll', 'flip', 'take',
  'take_along_axis', 'copy', 'rot90', 'pad', 'sort', 'partition', 'unique', 'flatten', 'fliplr', 'flipud', 'resize', 'matrix_transpose', 'max', 'min', 'tril', 'triu', 'nan_to_num', 'round']);
const ofDtype = {
  bool: ['equal', 'not_equal', 'less', 'less_equal', 'greater', 'greater_equal', 'logical_and', 'logical_or', 'logical_xor', 'logical_not', 'isnan', 'isinf', 'isfinite', 'signbit', 'any', 'all',
    'isclose', 'isin', 'isposinf', 'isneginf', 'iscomplex', 'isreal'],
  int64: ['argmax', 'argmin', 'argsort', 'argpartition', 'count_nonzero', 'searchsorted', 'digitize', 'flatnonzero', 'argwhere', 'bincount', 'lexsort', 'nanargmax', 'nanargmin'],
};
for (const [dtype, names] of Object.entries(ofDtype)) for (const name of names) results[name] ??= `NDArray<'${dtype}'>`;
/** Functions whose last required parameter a dtype may follow: what they make where none is named. */
const makes = { zeros: "'float64'", ones: "'float64'", empty: "'float64'", identity: "'float64'", full: 'any', array: 'any', asarray: 'any', zeros_like: 'any', ones_like: 'any', empty_like: 'any', full_like: 'any' };
/** Ufuncs that give floats of the dtype of their operands, if these are real floats. */
const floatUfuncs = new Set(['add', 'subtract', 'multiply', 'divide', 'power', 'remainder', 'floor_divide', 'maximum', 'minimum', 'fmax', 'fmin', 'hypot', 'arctan2', 'copysign', 'negative',
  'positive', 'absolute', 'fabs', 'sign', 'square', 'sqrt', 'cbrt', 'reciprocal', 'exp', 'exp2', 'expm1', 'log', 'log2', 'log10', 'log1p', 'sin', 'cos', 'tan', 'arcsin', 'arccos', 'arctan', 'sinh',
  'cosh', 'tanh', 'arcsinh', 'arccosh', 'arctanh', 'degrees', 'radians', 'floor', 'ceil', 'trunc', 'rint']);
const linalgResults = { slogdet: pair, eig: pair, eigh: pair, qr: 'any', svd: '[NDArray, NDArray, NDArray]', lstsq: '[NDArray, NDArray, number, NDArray]' };
const { isMethod, dtypeAliases } = await import(new URL('numjit.js', folder));
const { functions, aliases } = functionsOf(module), parametersOf = new Map(functions);

const typeOf = ({ owner, flags, places }, name) => ownTypes[`${owner}.${name}`] ?? (flags.has(places.get(name)) ? 'boolean' : undefined) ?? parameterTypes[name] ?? 'ArrayLike';

/** Names of option objects by what is in them. */
const optionTypes = new Map();
function optionsOf(parameters) {
  const body = parameters.names.slice(1).map((name) => `${name}?: ${typeOf(parameters, name)} | null`).join('; ');
  if (!optionTypes.has(body)) {
    const base = parameters.owner.replace(/(^|[._])(\w)/g, (_, __, letter) => letter.toUpperCase()).replace(/_$/, '');
    optionTypes.set(body, `${base}Options`);
  }
  return optionTypes.get(body);
}

/** What hovering shows. */
const documented = (owner, text) => (docs.has(owner) ? `/** ${docs.get(owner)} */\n${text}` : text);

/** Overloads that tell the dtype of what is made. */
function makingDtype(name, parameters) {
  if (makes[name] === undefined) return '';
  const given = parameters.names.slice(0, parameters.required).map((p) => `${p}: ${typeOf(parameters, p)}`).join(', ');
  return documented(name, `${name}<E extends DTypeName = ${makes[name]}>(${given}, dtype?: E | DType<E> | Making<E> | null): NDArray<E>;\n`);
}

/**
 * `f(a, axis?, options?)`: parameters by position, and the same by name. What has no default must be given, by position or among the
 * options; methods have the first parameter.
 */
function signature(name, parameters, { self = false, known = results } = {}) {
  const { owner, names, positional, rest } = parameters, first = self ? 1 : 0;
  const result = self && keepDtype.has(owner) ? 'NDArray<D>' : known[name] ?? 'NDArray';
  const by = names.length > 1 ? optionsOf(parameters) : null, options = by ? ` | ${by}` : '', last = by && positional < names.length ? [`options?: ${by}`] : [];
  const text = names.slice(first, positional).map((p, i) => {
    const type = typeOf(parameters, p), called = p === 'default' ? 'otherwise' : p;
    return i + first < parameters.required ? `${called}: ${type}${i + first === 0 ? '' : options}` : `${called}?: ${type} | null${options}`;
  });
  if (rest >= 0) {
    const each = typeOf(parameters, names[rest]), one = rest < first ? [] : [`${names[rest]}: ${each}`];
    const many = documented(owner, `${name}(${[...text, `...${names[rest]}: (${each} | ${each}[]${options})[]`].join(', ')}): ${oneOrMany.has(name) ? lists : result};`);
    return oneOrMany.has(name) ? `${documented(owner, `${name}(${one.join(', ')}): NDArray;`)}\n${many}` : many;
  }
  return (self ? '' : makingDtype(name, parameters)) + documented(owner, `${name}(${[...text, ...last].join(', ')}): ${result};`);
}

const ufuncs = readLines(module, module.nj_ufunc_names()).map(([name, , inputs]) => [name, Number(inputs)]);
const plain = functions.filter(([name]) => !name.includes('.'));
const family = (prefix) => functions.filter(([name]) => name.startsWith(prefix)).map(([name, p]) => [name.slice(prefix.length), p]);
const inputs = ['x: ArrayLike', 'x: ArrayLike, y: ArrayLike', 'x: ArrayLike, y: ArrayLike, z: ArrayLike'];
const rest = ['', 'y: ArrayLike', 'y: ArrayLike, z: ArrayLike'];
const indent = (lines) => lines.flatMap((line) => line.split('\n')).map((line) => `  ${line}`).join('\n');

/** The methods of one ufunc: with exact dtypes where they are known. */
function ufuncMethods([name, arity]) {
  const general = `${name}(${rest[arity - 1]}${arity > 1 ? ', ' : ''}options?: UfuncOptions): ${results[name] ?? 'NDArray'};`;
  if (!floatUfuncs.has(name)) return documented(name, general);
  const exact = arity === 1 ? `${name}(): NDArray<FloatOf<D>>;` : `${name}<Y extends number | NDArray>(y: Y): NDArray<FloatsOf<D, Y>>;`;
  return `${documented(name, exact)}\n${documented(name, general)}`;
}
const ufuncKind = ([name, arity]) => `${['Unary', 'Binary'][arity - 1]}${floatUfuncs.has(name) ? 'Float' : ''}Ufunc${results[name] ? `<${results[name]}>` : ''}`;

const text = `// Made by wasm/make_types.mjs from the module's own list of functions.

export type DTypeName = 'bool' | 'int8' | 'int16' | 'int32' | 'int64' | 'uint8' | 'uint16' | 'uint32' | 'uint64'
  | 'float16' | 'float32' | 'float64' | 'complex64' | 'complex128';
/** Called, it makes an array: np.float32(3) has no axes. */
export interface DType<D extends DTypeName = any> { (value: ArrayLike): NDArray<D>; readonly name: D; readonly itemsize: number; readonly kind: string }
/** Typed arrays by the dtype whose elements they hold: bits of float16, parts of complex numbers in turn. */
export interface TypedArrays {
  bool: Uint8Array; int8: Int8Array; int16: Int16Array; int32: Int32Array; int64: BigInt64Array; uint8: Uint8Array; uint16: Uint16Array;
  uint32: Uint32Array; uint64: BigUint64Array; float16: Uint16Array; float32: Float32Array; float64: Float64Array; complex64: Float32Array; complex128: Float64Array;
}
export type Elements<D extends DTypeName> = 0 extends 1 & D ? any : TypedArrays[D];
type RealFloat = 'float16' | 'float32' | 'float64';
/** The same float; of other dtypes that is not said. */
export type FloatOf<D> = 0 extends 1 & D ? any : [D] extends [RealFloat] ? D : any;
/** Of a float with a number, or with an array of the same dtype. */
export type FloatsOf<D, Y> = Y extends number ? FloatOf<D> : Y extends NDArray<infer E> ? ([D] extends [E] ? ([E] extends [D] ? FloatOf<D> : any) : any) : any;
/** The dtype that a typed array becomes. */
export type NameOf<T> = T extends Float32Array ? 'float32' : T extends Float64Array ? 'float64' : T extends Int32Array ? 'int32' : T extends Uint8Array | Uint8ClampedArray ? 'uint8'
  : T extends Int8Array ? 'int8' : T extends Int16Array ? 'int16' : T extends Uint16Array ? 'uint16' : T extends Uint32Array ? 'uint32' : T extends BigInt64Array ? 'int64'
  : T extends BigUint64Array ? 'uint64' : any;
export interface Making<D extends DTypeName> { dtype?: D | DType<D> | null; order?: 'C' | 'F' | 'A' | 'K' | null }
export interface Slice { readonly sliceParts: unknown[] }
export interface Float { readonly value: number }
export declare class Complex { constructor(re: number, im: number); re: number; im: number; toString(): string }
export type TypedArray = Int8Array | Uint8Array | Uint8ClampedArray | Int16Array | Uint16Array | Int32Array | Uint32Array
  | BigInt64Array | BigUint64Array | Float32Array | Float64Array;
// Where the program's own library lacks them: for \`using\`, and what only pages have.
declare global {
  interface ImageData {}
  interface HTMLCanvasElement {}
  interface OffscreenCanvas {}
  interface CanvasRenderingContext2D {}
  interface OffscreenCanvasRenderingContext2D {}
  interface SymbolConstructor { readonly dispose: unique symbol }
  interface Disposable { [Symbol.dispose](): void }
}
export type Scalar = number | bigint | boolean | Complex | Float;
export type ArrayLike = NDArray | Scalar | TypedArray | ArrayLike[];
/** Text is slices and numbers: '1:-1, ::2', '..., 0'. */
export type Index = number | bigint | Slice | string | null | NDArray | boolean[] | number[];
/** An array outside the module's memory: what passes to and from workers. */
export interface Packed { shape: number[]; dtype: DTypeName; data: TypedArray }
export interface ExplainReport {
  function: string; graph_count: number; graph_break_count: number; op_count: number;
  break_reasons: { id: string; reason: string; explanation: string; hint: string; context: string; file: string; line: number; hits: number }[];
  [more: string]: unknown;
  toString(): string;
}

/** dtype: what is computed in; where: elements of out that it leaves out stay as they are. */
export interface UfuncOptions { out?: NDArray | null; where?: ArrayLike; dtype?: DType | DTypeName | null }
// OPTIONS

export interface UfuncReduceOptions { axis?: number | number[] | null; dtype?: DType | DTypeName | null; out?: NDArray | null; keepdims?: boolean; initial?: ArrayLike | null; where?: ArrayLike }
export interface UfuncAxisOptions { axis?: number; dtype?: DType | DTypeName | null; out?: NDArray | null }
/** np.sqrt, ...: np.sqrt.at(a, indices) is in place, once for each index. */
export interface UnaryUfunc<R = NDArray> {
  (x: ArrayLike, options?: UfuncOptions): R;
  readonly name: string;
  at(a: NDArray, indices: Index | Index[]): void;
}
/** np.add, ... and their methods. */
export interface BinaryUfunc<R = NDArray> {
  (x: ArrayLike, y: ArrayLike, options?: UfuncOptions): R;
  readonly name: string;
  /** Along axis 0 unless another is named; null: along all. */
  reduce(a: ArrayLike, options?: UfuncReduceOptions): NDArray;
  reduce(a: ArrayLike, axis: number | number[] | null, options?: UfuncReduceOptions): NDArray;
  accumulate(a: ArrayLike, options?: UfuncAxisOptions): NDArray;
  accumulate(a: ArrayLike, axis: number, options?: UfuncAxisOptions): NDArray;
  /** reduce() of the pieces that begin at the indices. */
  reduceat(a: ArrayLike, indices: ArrayLike, options?: UfuncAxisOptions): NDArray;
  reduceat(a: ArrayLike, indices: ArrayLike, axis: number, options?: UfuncAxisOptions): NDArray;
  /** Of all pairs of elements. */
  outer(x: ArrayLike, y: ArrayLike, options?: UfuncOptions): NDArray;
  /** a[indices] = ufunc(a[indices], y), each occurrence of an index counted; a list with arrays or slices in it is an index for each axis. */
  at(a: NDArray, indices: Index | Index[], y: ArrayLike): void;
}

export interface UnaryFloatUfunc extends UnaryUfunc { <D extends DTypeName>(x: NDArray<D>): NDArray<FloatOf<D>> }
export interface BinaryFloatUfunc extends BinaryUfunc { <D extends DTypeName, Y extends number | NDArray>(x: NDArray<D>, y: Y): NDArray<FloatsOf<D, Y>> }

/** An array, of elements of the dtype D where that is known. */
export interface NDArray<D extends DTypeName = any> extends Disposable {
  readonly shape: number[];
  readonly strides: number[];
  readonly ndim: number;
  readonly size: number;
  readonly dtype: DType<D>;
  /** The axes reversed: a view. */
  readonly T: NDArray<D>;
  /**
   * Elements over the module's memory, without a copy where they lie in C order; good until memory grows. The typed array of
   * the dtype: Float32Array of float32, BigInt64Array of int64, ...; float16 is Uint16Array, bool Uint8Array. After
   * load({ integers: 'int32' }) integers of 64 bits are an Int32Array, a copy.
   */
  readonly data: Elements<D>;
  /** A copy of them. */
  toTypedArray<T extends TypedArray = Elements<D>>(): T;
  /** A copy of them as numbers of another dtype: a.toTypedArray('float64'). */
  toTypedArray<E extends DTypeName>(dtype: E | DType<E>): Elements<E>;
  /** The only element, or the one at an index: a number, or a.item<boolean>(). */
  item<T extends ${element} = number>(...index: number[]): T;
  /** A copy outside of the module's memory, which can be sent to workers. */
  pack(): Packed;
  /** Nested lists of numbers. */
  tolist(): any;
  /** What JSON.stringify(a) writes. */
  toJSON(): any;
  /** A view, a.at('1:-1, ::2') or a.at(0); a copy for lists and arrays of indices, and masks. */
  at(...key: Index[]): NDArray<D>;
  /** Stores a value, which broadcasts, into a.at(...key). */
  set(value: ArrayLike, ...key: Index[]): this;
  /** Gives the memory back now. */
  dispose(): void;
  /** The only element; an error for arrays of several. */
  valueOf(): ${element};
  /** Views along the first axis. */
  [Symbol.iterator](): IterableIterator<NDArray<D>>;
  /** The same elements in another shape; -1 stands for what is left. */
  reshape(...shape: number[]): NDArray<D>;
  reshape(shape: number[], order?: 'C' | 'F' | 'A' | { order?: 'C' | 'F' | 'A' }): NDArray<D>;
  /** Axes permuted, or reversed: a view. */
  transpose(...axes: number[]): NDArray<D>;
  /** A copy in another dtype. */
  astype<E extends DTypeName>(dtype: E | DType<E> | Making<E>, order?: 'C' | 'F' | 'A' | 'K' | null): NDArray<E>;
${indent(plain.filter(([name, p]) => isMethod(name, p) && !['reshape', 'transpose', 'item', 'astype'].includes(name)).map(([name, p]) => signature(name, p, { self: true })))}
${indent(ufuncs.map(ufuncMethods))}
${indent(ufuncs.filter(([, arity]) => arity === 2).map(([name]) => `/** ${name} in place: a.i${name}(b). */\ni${name}(y: ArrayLike): this;`))}
${indent([...aliases].filter(([, other]) => !parametersOf.has(other) || isMethod(other, parametersOf.get(other))).map(([name, other]) => documented(other, `${name}: NDArray<D>['${other}'];`)))}
}

export interface Generator {
${indent(family('random.').filter(([name]) => name !== 'make' && name !== 'release').map(([name, p]) => signature(name, p, { self: true })))}
}

export interface CompileOptions {
  name?: string;
  /** A graph break is an error. */
  fullgraph?: boolean;
  dynamic?: 'automatic' | 'yes' | 'no';
  /** replay: fn does nothing but array work on its arguments; calls with arguments as before run its kernels without it. */
  mode?: 'rerun' | 'replay';
  /** In mode replay, each n-th call runs fn too and compares. */
  verify_replay?: number;
}
export type Compiled<F extends (...args: any[]) => any> = F & { readonly name: string };

/** Lists and plain objects of T, inside each other. */
export type Tree<T> = T | Tree<T>[] | { [key: string]: Tree<T> };
/** What transformed functions take for the arrays of the function. */
export type Given<T> = T extends NDArray ? NDArray | number | Float | Complex | TypedArray : T extends (...args: any[]) => any ? T
  : T extends object ? { [K in keyof T]: Given<T[K]> } : T;
/** Keeps the memory that it needs until dispose(), or until nobody has it any more. */
export type Held<F> = F & Disposable & { dispose(): void };
export interface VmapOptions {
  /** For each argument, or one for all: the axis along which examples lie; null: the argument is the same for all. Also a container like the argument. */
  inAxes?: Tree<number | null>;
  outAxes?: Tree<number | null>;
  /** Where no argument has an axis. */
  axisSize?: number | null;
  /** same: one draw for all examples. */
  randomness?: 'error' | 'same';
}
export interface CheckGradsOptions { order?: number; forward?: boolean; reverse?: boolean; step?: number; rtol?: number; atol?: number }

export interface Numjit {
  readonly build: 'simd' | 'scalar';
  readonly pi: number; readonly e: number; readonly inf: number; readonly nan: number; readonly newaxis: null;
${indent(['bool_', 'int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64', 'float16', 'float32', 'float64', 'complex64',
    'complex128'].map((name) => `readonly ${name}: DType<'${name.replace(/_$/, '')}'>;`))}
${indent(Object.entries(dtypeAliases).map(([name, other]) => `readonly ${name}: Numjit['${other}'];`))}
  readonly errors: Record<string, new (message?: string) => Error>;
  /** A slice for a.at() and a.set(), as start:stop:step. */
  slice(stop: number | null): Slice;
  slice(start: number | null, stop: number | null, step?: number | null): Slice;
  /** A number that is a float even if it is whole, as Python's 2.0. */
  float(value: number): Float;
  /** A complex number. */
  complex(re: number, im: number): Complex;
  /** count threads compute, once that many are running; shared: runs they had in common. */
  readonly threads: { readonly count: number; readonly running: number; readonly shared: number; stop(): void };
  /** How many arrays are alive. */
  liveArrays(): number;
  /** Bytes of the module's memory. */
  memory(): number;
  /** Resolves when all code is there: nothing is loaded later, while the page waits. */
  complete(): Promise<void>;
  /** Calls fn(time, frame) before each repaint, in a tidy of its own; ends when it returns false or throws. */
  animate(fn: (time: number, frame: number) => unknown): { readonly running: boolean; start(): void; stop(): void };
  /** fn of the indices along each axis of this shape. */
  fromfunction<R>(fn: (...indices: NDArray[]) => R, shape: number | number[], options?: { dtype?: DType | DTypeName }): R;
  /** Runs fn; arrays that it made end with it, but for those it returns and kept ones. */
  tidy<T>(fn: () => T): T;
  /** Takes an array out of the tidy or compiled call that it was made in. */
  keep<A extends NDArray>(a: A): A;
  readonly leaks: { start(): void; stop(): void; report(): { place: string; function: string; arrays: number; bytes: number }[] };
  /** A copy of a typed array. */
  array<T extends TypedArray>(values: T): NDArray<NameOf<T>>;
  /** An array of what a.pack() made. */
  array(packed: Packed): NDArray;
  /** The array of a .npy file. */
  fromNpy(buffer: ArrayBuffer | ArrayBufferView): NDArray;
  /** The bytes of a .npy file. */
  toNpy(a: NDArray): Uint8Array;
  /** The arrays of a .npz file, by name. */
  fromNpz(buffer: ArrayBuffer | ArrayBufferView): Promise<Record<string, NDArray>>;
  /** The bytes of a .npz file. */
  toNpz(arrays: Record<string, NDArray>): Uint8Array;
  /** A .npy file's array, or those of a .npz file by name. */
  load(source: string | URL | Response | Blob | ArrayBuffer | ArrayBufferView): Promise<any>;
  /** Pixels as uint8 of shape [height, width, 4]. */
  fromImageData(image: ImageData | HTMLCanvasElement | OffscreenCanvas | CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D): NDArray<'uint8'>;
  /** [height, width], or that with 3 or 4 channels, as ImageData; floats go from 0 to 1. */
  toImageData(a: NDArray, options?: { into?: ImageData }): ImageData;
  /** Which channels tell the console; none: setLogs({}). */
  setLogs(channels?: Partial<Record<'graph_breaks' | 'recompiles' | 'guards' | 'graph' | 'code' | 'schedule' | 'cache' | 'perf_hints', boolean>>): void;
  /** fn, recorded at its first call and run as fused kernels from then on. */
  compile<F extends (...args: any[]) => any>(fn: F, options?: CompileOptions): Compiled<F>;
  /** fn, which is not recorded inside of compiled functions. */
  disable<F extends (...args: any[]) => any>(fn: F): F;
  /**
   * The gradient of a function whose result is a real 0-D array: a tree like its first argument; of argument argnums, or of several as a list.
   * With hasAux the function returns [value, aux], and the result is [gradient, aux].
   */
  grad<A extends any[]>(f: (...args: A) => NDArray, options?: { hasAux?: false }): (...args: Given<A>) => A[0];
  grad<A extends any[]>(f: (...args: A) => NDArray, options: { argnums: number; hasAux?: false }): (...args: Given<A>) => any;
  grad<A extends any[]>(f: (...args: A) => NDArray, options: { argnums: number[]; hasAux?: false }): (...args: Given<A>) => any[];
  grad<A extends any[], X>(f: (...args: A) => readonly [NDArray, X], options: { argnums?: number | number[]; hasAux: true }): (...args: Given<A>) => [any, X];
  /** [value, gradient]; with hasAux [[value, aux], gradient]. */
  valueAndGrad<A extends any[]>(f: (...args: A) => NDArray, options?: { hasAux?: false }): (...args: Given<A>) => [NDArray, A[0]];
  valueAndGrad<A extends any[]>(f: (...args: A) => NDArray, options: { argnums: number; hasAux?: false }): (...args: Given<A>) => [NDArray, any];
  valueAndGrad<A extends any[]>(f: (...args: A) => NDArray, options: { argnums: number[]; hasAux?: false }): (...args: Given<A>) => [NDArray, any[]];
  valueAndGrad<A extends any[], X>(f: (...args: A) => readonly [NDArray, X], options: { argnums?: number | number[]; hasAux: true }): (...args: Given<A>) => [[NDArray, X], any];
  /** [result, pull] of f(...args): pull(cotangent) is a list of the cotangents of the arguments, J^H g; callable often. With hasAux [result, pull, aux]. */
  vjp<A extends any[], R, X>(f: (...args: A) => readonly [R, X], ...args: [...Given<A>, { hasAux: true }]): [R, Held<(cotangent: Given<R>) => A>, X];
  vjp<A extends any[], R>(f: (...args: A) => R, ...args: Given<A>): [R, Held<(cotangent: Given<R>) => A>];
  /** [result, its change] of f(...primals) for these changes of the arguments. With hasAux [result, its change, aux]. */
  jvp<A extends any[], R, X>(f: (...args: A) => readonly [R, X], primals: Given<A>, tangents: Given<A>, options: { hasAux: true }): [R, R, X];
  jvp<A extends any[], R>(f: (...args: A) => R, primals: Given<A>, tangents: Given<A>, options?: { hasAux?: false }): [R, R];
  /** [result, push] of f(...args): push(...tangents) is the result's change, without running f. */
  linearize<A extends any[], R>(f: (...args: A) => R, ...args: Given<A>): [R, Held<(...tangents: Given<A>) => R>];
${['jacfwd', 'jacrev', 'jacobian', 'hessian'].map((name) => `  /** ${name === 'hessian' ? 'All second derivatives of a real result'
    : 'All derivatives of all results'}${{ jacfwd: ', column by column', jacrev: ', row by row', jacobian: ', the cheaper way', hessian: '' }[name]}. */\n  ${name}<A extends any[]>(f: (...args: A) => ${name === 'hessian' ? 'NDArray' : 'unknown'}, options?: { argnums?: number | number[] }): (...args: Given<A>) => any;`).join('\n')}
  /** The Hessian times a vector, without the matrix. */
  hvp<A extends any[]>(f: (...args: A) => NDArray, primals: Given<A>, tangents: Given<A>): A[0];
  /** f, of which derivatives keep only what it takes from outside: on the way back its operations are carried out again. */
  checkpoint<A extends any[], R>(f: (...args: A) => R): (...args: A) => R;
  /** The same values, as constants: no derivative goes through. */
  stopGradient<T>(value: T): T;
  /** f over an axis of its arguments: called once, for all examples. */
  vmap<A extends any[], R>(f: (...args: A) => R, options?: VmapOptions): (...args: Given<A>) => R;
  /** f with a derivative of its own: fwd gives [result, kept], bwd a list of the cotangents of the arguments, null for those that have none. */
  customVjp<A extends any[], R, K>(f: (...args: A) => R, fwd: (...args: A) => [R, K], bwd: (kept: K, cotangent: R) => unknown): (...args: A) => R;
  /** f with a derivative of its own: the rule gives [result, its change], linear in the changes of the arguments. */
  customJvp<A extends any[], R>(f: (...args: A) => R, rule: (args: A, changes: A) => [R, R | NDArray]): (...args: A) => R;
  readonly testing: {
    /** Throws where a derivative of f(...args) differs from that by differences. */
    checkGrads<A extends any[]>(f: (...args: A) => unknown, args: [...A], options?: CheckGradsOptions): void;
  };
  readonly tree: {
    leaves(value: unknown): any[];
    flatten(value: unknown): { leaves: any[]; structure: object | null };
    /** The leaves of a tree in the order of another one's structure. */
    flattenLike(structure: object | null, value: unknown): any[];
    unflatten(structure: object | null, leaves: any[]): any;
    map<T>(run: (leaf: any, ...more: any[]) => unknown, value: T, ...more: T[]): T;
  };
  /** Groups that fuse elsewhere and lack a kernel here. */
  missingKernels(): { name: string; kind: string; ops: string[]; hint: string }[];
  /** Kernels compiled ahead: a URL, a Response or the bytes of a pack. */
  loadPack(source: string | URL | Response | Blob | ArrayBuffer | ArrayBufferView): Promise<{ target: 'simd' | 'scalar'; compiler: string; kernels: number; replaced: number }>;
  /** The graphs of this page as a graph file for numjit pack build; with missing, those that no pack brought. */
  readonly recording: { (options?: { missing?: boolean }): string; count(): number };
  /** What a call of a compiled function records, and where it breaks. */
  explain(compiled: Compiled<any>, ...args: unknown[]): ExplainReport;
  readonly random: { default_rng(seed?: number | bigint): Generator };
  readonly fft: {
${indent(indent(family('fft.').map(([name, p]) => signature(name, p))).split('\n'))}
  };
  readonly linalg: {
    /** Loads LAPACK's routines; norm, matrix_power, multi_dot and products need none. */
    load(): Promise<void>;
${indent(indent(family('linalg.').map(([name, p]) => signature(name, p, { known: linalgResults }))).split('\n'))}
  };
  item<T extends ${element} = number>(a: NDArray): T;
  /** Evenly spaced numbers, both ends included; with retstep also the step. */
  ${withStep}
  linspace<E extends DTypeName = 'float64'>(start: ArrayLike, stop: ArrayLike, num?: number | (Making<E> & { num?: number; endpoint?: boolean; axis?: number }) | null, options?: Making<E> & { endpoint?: boolean }): NDArray<E>;
  /** Numbers from start (or 0) up to stop, which is left out. */
  arange<E extends DTypeName>(stop: number, options: Making<E> & { dtype: E | DType<E> }): NDArray<E>;
  arange<E extends DTypeName>(start: number, stop: number, options: Making<E> & { dtype: E | DType<E> }): NDArray<E>;
  arange<E extends DTypeName>(start: number, stop: number, step: number, dtype: E | DType<E> | (Making<E> & { dtype: E | DType<E> })): NDArray<E>;
  /** Mean weighted by weights, and the sum of the weights. */
  average(a: ArrayLike, options: AverageOptions & { returned: true }): [NDArray, NDArray];
${indent(plain.filter(([name]) => name !== 'item').map(([name, p]) => signature(name, p)))}
${indent(ufuncs.filter(([name]) => name !== 'where').map(([name, arity]) => documented(name, arity < 3 ? `readonly ${name}: ${ufuncKind([name, arity])};`
    : `${name}(${inputs[arity - 1]}, options?: UfuncOptions): NDArray;`)))}
${indent([...aliases].map(([name, other]) => documented(other, `${name}: Numjit['${other}'];`)))}
  /** x where the condition is true, else y; without them the indices of what is true. */
  where(condition: ArrayLike, x: ArrayLike, y: ArrayLike): NDArray;
  where(condition: ArrayLike): NDArray[];
}

/** The same module for equal options; with fresh, one of its own, whose arrays go with no other's. */
export declare function load(options?: { build?: 'simd' | 'scalar'; base?: string | URL; threads?: number; complete?: boolean | 'idle'; integers?: 'int64' | 'int32'; fresh?: boolean }): Promise<Numjit>;
`;
const options = [...optionTypes].map(([body, name]) => `export interface ${name} { ${body} }`).join('\n');
await writeFile(new URL('numjit.d.ts', folder), text.replace('// OPTIONS', () => options));

await writeFile(new URL('develop.d.ts', folder), `// Kernels from numjit serve while a page is written: docs/wasm.md.
import type { Numjit } from './numjit.js';

export interface Connection {
  /** Sends what is new now. Resolves when its kernels are in use. */
  sync(): Promise<{ kernels: number; replaced: number; failures: number }>;
  close(): void;
}
export declare function connect(np: Numjit, options?: { server?: string | URL; interval?: number }): Connection;
`);

await writeFile(new URL('worker.d.ts', folder), `// numjit in a worker: docs/wasm.md.
import type { NDArray, Packed, TypedArray } from './numjit.js';

/** What a job's arrays are on the page: packed. */
export type Out<T> = T extends NDArray ? Packed : T extends (infer U)[] ? Out<U>[] : T extends TypedArray ? T
  : T extends object ? { [K in keyof T]: Out<T[K]> } : T;
export type Jobs<M> = { [K in keyof M]: M[K] extends (np: any, ...args: infer A) => infer R ? (...args: any[] & { length: A['length'] }) => Promise<Out<Awaited<R>>> : never };
export declare class WorkerError extends Error {}
/** Moves a typed array into the worker instead of copying it. */
export declare function transfer(view: TypedArray): unknown;
export declare function startWorker<M = Record<string, (np: any, ...args: any[]) => any>>(
  jobs: string | URL, options?: { build?: 'simd' | 'scalar'; base?: string | URL; threads?: number; integers?: 'int64' | 'int32' }): Promise<Jobs<M> & { terminate(): void }>;
`);
