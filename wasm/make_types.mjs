// Writes numjit.d.ts from the functions that the module itself names: node make_types.mjs PACKAGE_FOLDER
import { writeFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';

const folder = pathToFileURL(`${process.argv[2]}/`);
const { loadModule } = await import(new URL('module.js', folder));
const { readLines } = await import(new URL('slots.js', folder));
const module = await loadModule({ base: folder });

const parameterTypes = {
  axis: 'number | number[]', axes: 'number | number[]', shape: 'number | number[]', reps: 'number | number[]',
  size: 'number | number[]', window: 'number | number[]', pad_width: 'number | [number, number]',
  sections: 'number | number[]', dtype: 'DType | DTypeName', out: 'NDArray', keepdims: 'boolean', endpoint: 'boolean',
  deg: 'boolean', density: 'boolean', right: 'boolean', equal_nan: 'boolean', replace: 'boolean', mode: 'string',
  side: "'left' | 'right'", subscripts: 'string', arrays: 'ArrayLike[]', vectors: 'ArrayLike[]', operands: 'ArrayLike[]',
  hermitian: 'boolean', full_matrices: 'boolean', upper: 'boolean', UPLO: "'L' | 'U'", ord: "number | 'fro' | 'nuc'", p: "ArrayLike | 'fro' | 'nuc'", rcond: 'number', tol: 'number',
  conditions: 'ArrayLike[]', choices: 'ArrayLike[]', keys: 'ArrayLike[]', bytes: 'Uint8Array', seed: 'number | bigint',
};
for (const name of ['n', 'N', 'M', 'k', 'm', 'num', 'd', 'kth', 'decimals', 'ddof', 'bins', 'shift', 'repeats', 'minlength', 'offset',
  'spacing', 'dx', 'axis1', 'axis2', 'rtol', 'atol', 'nan', 'constant_values', 'source', 'destination'])
  parameterTypes[name] = 'number';
const lists = 'NDArray[]', pair = '[NDArray, NDArray]';
const results = {
  allclose: 'boolean', array_equal: 'boolean', shares_memory: 'boolean', truth: 'boolean', array2string: 'string',
  item: 'number | bigint | boolean | Complex', copyto: 'void', fill: 'void', meshgrid: lists, split: lists, nonzero: lists,
  broadcast_arrays: lists, unravel_index: lists, ix_: lists, divmod: pair, modf: pair, histogram: pair, shuffle: 'void',
};
const linalgResults = { slogdet: pair, eig: pair, eigh: pair, qr: 'any', svd: '[NDArray, NDArray, NDArray]', lstsq: '[NDArray, NDArray, number, NDArray]' };
const { functionsOnly: notMethods, aliases } = await import(new URL('numjit.js', folder));

const parameter = (name) => `${name}?: ${parameterTypes[name] ?? 'ArrayLike'}`;

/** `f(a, axis?, options?)`: parameters by position, and the same by name. */
function signature(name, parameters, self, known = results) {
  const own = self ? parameters.slice(1) : parameters;
  const options = own.length > 0 ? `{ ${own.map(parameter).join('; ')} }` : '';
  const positional = own.map((p) => `${p}?: ${parameterTypes[p] ?? 'ArrayLike'}${options ? ' | Options' : ''}`).join(', ');
  const text = positional.replaceAll('| Options', `| ${options}`);
  return `${name}(${text}): ${known[name] ?? 'NDArray'};`;
}

const functions = readLines(module, module.nj_function_names()).map(([name, parameters]) => [name, (parameters ?? '').split(' ').filter(Boolean)]);
const ufuncs = readLines(module, module.nj_ufunc_names()).map(([name, , inputs]) => [name, Number(inputs)]);
const plain = functions.filter(([name]) => !name.includes('.'));
const family = (prefix) => functions.filter(([name]) => name.startsWith(prefix)).map(([name, p]) => [name.slice(prefix.length), p]);
const inputs = ['x: ArrayLike', 'x: ArrayLike, y: ArrayLike', 'x: ArrayLike, y: ArrayLike, z: ArrayLike'];
const rest = ['', 'y: ArrayLike', 'y: ArrayLike, z: ArrayLike'];
const indent = (lines) => lines.map((line) => `  ${line}`).join('\n');

await writeFile(new URL('numjit.d.ts', folder), `// Made by wasm/make_types.mjs from the module's own list of functions.

export type DTypeName = 'bool' | 'int8' | 'int16' | 'int32' | 'int64' | 'uint8' | 'uint16' | 'uint32' | 'uint64'
  | 'float16' | 'float32' | 'float64' | 'complex64' | 'complex128';
export interface DType { readonly name: DTypeName; readonly itemsize: number; readonly kind: string }
export interface Slice { readonly sliceParts: unknown[] }
export interface Float { readonly value: number }
export declare class Complex { constructor(re: number, im: number); re: number; im: number; toString(): string }
export type TypedArray = Int8Array | Uint8Array | Uint8ClampedArray | Int16Array | Uint16Array | Int32Array | Uint32Array
  | BigInt64Array | BigUint64Array | Float32Array | Float64Array;
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

export interface NDArray {
  readonly shape: number[];
  readonly strides: number[];
  readonly ndim: number;
  readonly size: number;
  readonly dtype: DType;
  readonly T: NDArray;
  /** Elements over the module's memory, without a copy where they lie in C order; good until memory grows. */
  readonly data: TypedArray;
  toTypedArray(): TypedArray;
  pack(): Packed;
  tolist(): any;
  at(...key: Index[]): NDArray;
  set(value: ArrayLike, ...key: Index[]): this;
  dispose(): void;
  valueOf(): number | bigint | boolean | Complex;
  reshape(...shape: number[]): NDArray;
  reshape(shape: number[]): NDArray;
  transpose(...axes: number[]): NDArray;
${indent(plain.filter(([name]) => !notMethods.has(name) && name !== 'reshape' && name !== 'transpose').map(([name, p]) => signature(name, p, true)))}
${indent(ufuncs.map(([name, arity]) => `${name}(${rest[arity - 1]}): NDArray;`))}
${indent(ufuncs.filter(([, arity]) => arity === 2).map(([name]) => `i${name}(y: ArrayLike): this;`))}
${indent(Object.entries(aliases).filter(([, other]) => !notMethods.has(other)).map(([name, other]) => `${name}: NDArray['${other}'];`))}
}

export interface Generator {
${indent(family('random.').filter(([name]) => name !== 'make' && name !== 'release').map(([name, p]) => signature(name, p, true)))}
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
export type Compiled<F extends (...args: any[]) => any> = F & { readonly state: number };

export interface Numjit {
  readonly build: 'simd' | 'scalar';
  readonly pi: number; readonly e: number; readonly inf: number; readonly nan: number; readonly newaxis: null;
${indent(['bool_', 'int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64', 'float16', 'float32', 'float64', 'complex64',
    'complex128'].map((name) => `readonly ${name}: DType;`))}
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
  missingKernels(): { name: string; kind: string; ops: string[]; hint: string }[];
  /** Kernels compiled ahead: a URL, a Response or the bytes of a pack. */
  loadPack(source: string | URL | Response | Blob | ArrayBuffer | ArrayBufferView): Promise<{ target: 'simd' | 'scalar'; compiler: string; kernels: number; replaced: number }>;
  /** The graphs of this page as a graph file for numjit pack build; with missing, those that no pack brought. */
  readonly recording: { (options?: { missing?: boolean }): string; count(): number };
  explain(compiled: Compiled<any>, ...args: unknown[]): ExplainReport;
  readonly random: { default_rng(seed?: number | bigint): Generator };
  readonly fft: {
${indent(indent(family('fft.').map(([name, p]) => signature(name, p, false))).split('\n'))}
  };
  readonly linalg: {
    /** Loads LAPACK's routines; norm, matrix_power, multi_dot and products need none. */
    load(): Promise<void>;
${indent(indent(family('linalg.').map(([name, p]) => signature(name, p, false, linalgResults))).split('\n'))}
  };
${indent(plain.map(([name, p]) => signature(name, p, false)))}
${indent(ufuncs.filter(([name]) => name !== 'where').map(([name, arity]) => `${name}(${inputs[arity - 1]}, options?: { out?: NDArray }): NDArray;`))}
${indent(Object.entries(aliases).map(([name, other]) => `${name}: Numjit['${other}'];`))}
  where(condition: ArrayLike, x: ArrayLike, y: ArrayLike): NDArray;
  where(condition: ArrayLike): NDArray[];
}

export declare function load(options?: { build?: 'simd' | 'scalar'; base?: string | URL; threads?: number; complete?: boolean | 'idle' }): Promise<Numjit>;
`);

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
