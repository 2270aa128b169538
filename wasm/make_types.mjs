// Writes numjit.d.ts from the functions that the module itself names: node make_types.mjs PACKAGE_FOLDER
import { writeFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';

const folder = pathToFileURL(`${process.argv[2]}/`);
const { loadModule } = await import(new URL('module.js', folder));
const { readLines } = await import(new URL('text.js', folder));
const module = await loadModule({ base: folder });

const numbers = 'number | number[]', sides = 'number | [number, number]';
const parameterTypes = {
  axis: numbers, axes: `${numbers} | number[][]`, shape: numbers, newshape: numbers, new_shape: numbers, dimensions: numbers, dims: numbers, reps: numbers,
  size: numbers, window: numbers, kth: numbers, shift: numbers, source: numbers, destination: numbers, s: 'number[]',
  pad_width: `${sides} | number[][]`, stat_length: `${sides} | number[][]`, constant_values: sides, end_values: sides,
  indices_or_sections: 'number | number[] | NDArray', dtype: 'DType | DTypeName', out: 'NDArray', subscripts: 'string', range: '[number, number]',
  bins: 'number | string | ArrayLike', varargs: 'ArrayLike', mode: 'string', method: 'string', kind: 'string', norm: "'backward' | 'ortho' | 'forward'",
  indexing: "'xy' | 'ij'", trim: 'string', bitorder: "'big' | 'little'", reflect_type: "'even' | 'odd'", side: "'left' | 'right'",
  UPLO: "'L' | 'U'", order: "'C' | 'F' | 'A' | 'K'", ord: "number | 'fro' | 'nuc'", bytes: 'Uint8Array', seed: 'number | bigint', check_valid: "'warn' | 'raise' | 'ignore'",
  shapes: 'number[]', obj: 'number | number[] | NDArray | Slice', repeats: 'number | number[] | NDArray', k: numbers,
};
for (const name of ['arrays', 'vectors', 'operands', 'condlist', 'choicelist', 'choices', 'keys', 'multi_index']) parameterTypes[name] = 'ArrayLike[]';
for (const name of ['N', 'M', 'num', 'decimals', 'ddof', 'correction', 'minlength', 'offset', 'edge_order', 'period', 'discont', 'dx', 'axis1', 'axis2', 'rtol', 'atol',
  'nan', 'posinf', 'neginf', 'rcond', 'tol', 'ndim', 'ind', 'count'])
  parameterTypes[name] = 'number';
/** Where a name means something of its own: function.parameter. */
const ownTypes = {
  'interp.left': 'number', 'interp.right': 'number', 'polyfit.deg': 'number', 'rot90.axes': '[number, number]', 'kaiser.beta': 'number',
  'linalg.cond.p': "number | 'fro' | 'nuc'", 'linalg.matrix_power.n': 'number', 'diff.n': 'number', 'fft.fftfreq.n': 'number', 'fft.fftfreq.d': 'number',
  'fft.rfftfreq.n': 'number', 'fft.rfftfreq.d': 'number', 'hanning.m': 'number', 'hamming.m': 'number', 'blackman.m': 'number', 'bartlett.m': 'number',
  'kaiser.m': 'number', 'polyder.m': 'number', 'polyint.m': 'number', 'tril_indices.m': 'number', 'triu_indices.m': 'number', 'put.ind': 'ArrayLike',
  'random.gamma.shape': 'ArrayLike', 'random.standard_gamma.shape': 'ArrayLike', 'random.triangular.mode': 'ArrayLike',
};
for (const name of ['fft', 'ifft', 'rfft', 'irfft', 'hfft', 'ihfft']) ownTypes[`fft.${name}.n`] = 'number';
for (const name of ['identity', 'tril_indices', 'triu_indices', 'diag_indices']) ownTypes[`${name}.n`] = 'number';
const lists = 'NDArray[]', pair = '[NDArray, NDArray]', element = 'number | bigint | boolean | Complex';
const results = {
  allclose: 'boolean', array_equal: 'boolean', array_equiv: 'boolean', shares_memory: 'boolean', truth: 'boolean', array2string: 'string', array_str: 'string',
  copyto: 'void', fill: 'void', fill_diagonal: 'void', put: 'void', place: 'void', putmask: 'void', put_along_axis: 'void', shuffle: 'void',
  meshgrid: lists, split: lists, array_split: lists, vsplit: lists, hsplit: lists, dsplit: lists, unstack: lists, nonzero: lists,
  broadcast_arrays: lists, unravel_index: lists, ix_: lists, diag_indices: lists, tril_indices: pair, triu_indices: pair,
  divmod: pair, modf: pair, frexp: pair, histogram: pair, polydiv: pair, broadcast_shapes: 'number[]',
  // Of a matrix: an array for each axis. Of what else was asked for: an array behind the values.
  gradient: 'any', unique: 'any', intersect1d: 'any',
};
/** Of linspace with retstep: the step, too. */
const withStep = 'linspace(start: ArrayLike, stop: ArrayLike, options: LinspaceOptions & { retstep: true }): [NDArray, number | NDArray];';
const linalgResults = { slogdet: pair, eig: pair, eigh: pair, qr: 'any', svd: '[NDArray, NDArray, NDArray]', lstsq: '[NDArray, NDArray, number, NDArray]' };
const { functionsOnly: notMethods, aliases, dtypeAliases, variadic } = await import(new URL('numjit.js', folder));

const { isFlag } = await import(new URL('flags.js', folder));
const typeOf = (owner, name) => ownTypes[`${owner}.${name}`] ?? (isFlag(owner, name) ? 'boolean' : undefined) ?? parameterTypes[name] ?? 'ArrayLike';

/** Names of option objects by what is in them. */
const optionTypes = new Map();
function optionsOf(owner, parameters) {
  const body = parameters.map((name) => `${name}?: ${typeOf(owner, name)} | null`).join('; ');
  if (!optionTypes.has(body)) {
    const base = owner.replace(/(^|[._])(\w)/g, (_, __, letter) => letter.toUpperCase()).replace(/_$/, '');
    optionTypes.set(body, `${base}Options`);
  }
  return optionTypes.get(body);
}

/**
 * `f(a, axis?, options?)`: parameters by position, and the same by name. Functions must be given what they work on, the first
 * parameter; methods have it.
 */
function signature(name, parameters, { self = false, prefix = '', known = results } = {}) {
  const owner = prefix + name, own = self ? parameters.slice(1) : parameters, result = known[name] ?? 'NDArray';
  if (own.length === 0) return `${name}(): ${result};`;
  const optional = parameters.slice(1), options = optional.length > 0 ? ` | ${optionsOf(owner, optional)}` : '';
  if (variadic[name] !== undefined) {
    const before = own.slice(0, variadic[name]).map((p) => `${p}: ${typeOf(owner, p)}, `), listed = own[before.length];
    const each = typeOf(owner, listed).replace(/\[\]$/, '');
    return `${name}(${before.join('')}...${listed}: (${each} | ${each}[]${options})[]): ${result};`;
  }
  const text = own.map((p, i) => (i === 0 && !self ? `${p}: ${typeOf(owner, p)}` : `${p === 'default' ? 'otherwise' : p}?: ${typeOf(owner, p)} | null${options}`));
  return `${name}(${text.join(', ')}): ${result};`;
}

const functions = readLines(module, module.nj_function_names()).map(([name, parameters]) => [name, (parameters ?? '').split(' ').filter(Boolean)]);
const ufuncs = readLines(module, module.nj_ufunc_names()).map(([name, , inputs]) => [name, Number(inputs)]);
const plain = functions.filter(([name]) => !name.includes('.'));
const family = (prefix) => functions.filter(([name]) => name.startsWith(prefix)).map(([name, p]) => [name.slice(prefix.length), p]);
const inputs = ['x: ArrayLike', 'x: ArrayLike, y: ArrayLike', 'x: ArrayLike, y: ArrayLike, z: ArrayLike'];
const rest = ['', 'y: ArrayLike', 'y: ArrayLike, z: ArrayLike'];
const indent = (lines) => lines.map((line) => `  ${line}`).join('\n');

const text = `// Made by wasm/make_types.mjs from the module's own list of functions.

export type DTypeName = 'bool' | 'int8' | 'int16' | 'int32' | 'int64' | 'uint8' | 'uint16' | 'uint32' | 'uint64'
  | 'float16' | 'float32' | 'float64' | 'complex64' | 'complex128';
export interface DType { readonly name: DTypeName; readonly itemsize: number; readonly kind: string }
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
export interface UnaryUfunc {
  (x: ArrayLike, options?: UfuncOptions): NDArray;
  readonly name: string;
  at(a: NDArray, indices: Index | Index[]): void;
}
/** np.add, ... and their methods. */
export interface BinaryUfunc {
  (x: ArrayLike, y: ArrayLike, options?: UfuncOptions): NDArray;
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

export interface NDArray extends Disposable {
  readonly shape: number[];
  readonly strides: number[];
  readonly ndim: number;
  readonly size: number;
  readonly dtype: DType;
  readonly T: NDArray;
  /**
   * Elements over the module's memory, without a copy where they lie in C order; good until memory grows. The typed array of
   * the dtype: Float32Array of float32, BigInt64Array of int64, ...; float16 is Uint16Array, bool Uint8Array.
   */
  readonly data: any;
  /** A copy of them: a.toTypedArray<Float32Array>(). */
  toTypedArray<T extends TypedArray = any>(): T;
  /** The only element, or the one at an index: a number, or a.item<boolean>(). */
  item<T extends ${element} = number>(...index: number[]): T;
  pack(): Packed;
  tolist(): any;
  /** What JSON.stringify(a) writes. */
  toJSON(): any;
  at(...key: Index[]): NDArray;
  set(value: ArrayLike, ...key: Index[]): this;
  dispose(): void;
  valueOf(): ${element};
  [Symbol.iterator](): IterableIterator<NDArray>;
  reshape(...shape: number[]): NDArray;
  reshape(shape: number[], order?: 'C' | 'F' | 'A' | { order?: 'C' | 'F' | 'A' }): NDArray;
  transpose(...axes: number[]): NDArray;
${indent(plain.filter(([name]) => !notMethods.has(name) && !['reshape', 'transpose', 'item'].includes(name)).map(([name, p]) => signature(name, p, { self: true })))}
${indent(ufuncs.map(([name, arity]) => `${name}(${rest[arity - 1]}${arity > 1 ? ', ' : ''}options?: UfuncOptions): NDArray;`))}
${indent(ufuncs.filter(([, arity]) => arity === 2).map(([name]) => `i${name}(y: ArrayLike): this;`))}
${indent(Object.entries(aliases).filter(([, other]) => !notMethods.has(other)).map(([name, other]) => `${name}: NDArray['${other}'];`))}
}

export interface Generator {
${indent(family('random.').filter(([name]) => name !== 'make' && name !== 'release').map(([name, p]) => signature(name, p, { self: true, prefix: 'random.' })))}
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
    'complex128', ...Object.keys(dtypeAliases)].map((name) => `readonly ${name}: DType;`))}
  readonly errors: Record<string, new (message?: string) => Error>;
  slice(stop: number | null): Slice;
  slice(start: number | null, stop: number | null, step?: number | null): Slice;
  float(value: number): Float;
  complex(re: number, im: number): Complex;
  /** count threads compute, once that many are running; shared: runs they had in common. */
  readonly threads: { readonly count: number; readonly running: number; readonly shared: number; stop(): void };
  liveArrays(): number;
  memory(): number;
  complete(): Promise<void>;
  /** Runs fn; arrays that it made end with it, but for those it returns and kept ones. */
  tidy<T>(fn: () => T): T;
  keep(a: NDArray): NDArray;
  readonly leaks: { start(): void; stop(): void; report(): { place: string; function: string; arrays: number; bytes: number }[] };
  array(packed: Packed): NDArray;
  fromNpy(buffer: ArrayBuffer | ArrayBufferView): NDArray;
  toNpy(a: NDArray): Uint8Array;
  fromNpz(buffer: ArrayBuffer | ArrayBufferView): Promise<Record<string, NDArray>>;
  toNpz(arrays: Record<string, NDArray>): Uint8Array;
  /** A .npy file's array, or those of a .npz file by name. */
  load(source: string | URL | Response | Blob | ArrayBuffer | ArrayBufferView): Promise<any>;
  fromImageData(image: ImageData | HTMLCanvasElement | OffscreenCanvas | CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D): NDArray;
  toImageData(a: NDArray, options?: { into?: ImageData }): ImageData;
  setLogs(channels?: Partial<Record<'graph_breaks' | 'recompiles' | 'guards' | 'graph' | 'code' | 'schedule' | 'cache' | 'perf_hints', boolean>>): void;
  compile<F extends (...args: any[]) => any>(fn: F, options?: CompileOptions): Compiled<F>;
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
${['jacfwd', 'jacrev', 'jacobian', 'hessian'].map((name) => `  ${name}<A extends any[]>(f: (...args: A) => ${name === 'hessian' ? 'NDArray' : 'unknown'}, options?: { argnums?: number | number[] }): (...args: Given<A>) => any;`).join('\n')}
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
  missingKernels(): { name: string; kind: string; ops: string[]; hint: string }[];
  /** Kernels compiled ahead: a URL, a Response or the bytes of a pack. */
  loadPack(source: string | URL | Response | Blob | ArrayBuffer | ArrayBufferView): Promise<{ target: 'simd' | 'scalar'; compiler: string; kernels: number; replaced: number }>;
  /** The graphs of this page as a graph file for numjit pack build; with missing, those that no pack brought. */
  readonly recording: { (options?: { missing?: boolean }): string; count(): number };
  explain(compiled: Compiled<any>, ...args: unknown[]): ExplainReport;
  readonly random: { default_rng(seed?: number | bigint): Generator };
  readonly fft: {
${indent(indent(family('fft.').map(([name, p]) => signature(name, p, { prefix: 'fft.' }))).split('\n'))}
  };
  readonly linalg: {
    /** Loads LAPACK's routines; norm, matrix_power, multi_dot and products need none. */
    load(): Promise<void>;
${indent(indent(family('linalg.').map(([name, p]) => signature(name, p, { prefix: 'linalg.', known: linalgResults }))).split('\n'))}
  };
  item<T extends ${element} = number>(a: NDArray): T;
  ${withStep}
${indent(plain.filter(([name]) => name !== 'item').map(([name, p]) => signature(name, p)))}
${indent(ufuncs.filter(([name]) => name !== 'where').map(([name, arity]) => (arity < 3 ? `readonly ${name}: ${['Unary', 'Binary'][arity - 1]}Ufunc;`
    : `${name}(${inputs[arity - 1]}, options?: UfuncOptions): NDArray;`)))}
${indent(Object.entries(aliases).map(([name, other]) => `${name}: Numjit['${other}'];`))}
  where(condition: ArrayLike, x: ArrayLike, y: ArrayLike): NDArray;
  where(condition: ArrayLike): NDArray[];
}

/** The same module for equal options; with fresh, one of its own, whose arrays go with no other's. */
export declare function load(options?: { build?: 'simd' | 'scalar'; base?: string | URL; threads?: number; complete?: boolean | 'idle'; fresh?: boolean }): Promise<Numjit>;
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
  jobs: string | URL, options?: { build?: 'simd' | 'scalar'; base?: string | URL; threads?: number }): Promise<Jobs<M> & { terminate(): void }>;
`);
