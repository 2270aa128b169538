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
const { functionsOnly: notMethods } = await import(new URL('numjit.js', folder));

const parameter = (name) => `${name}?: ${parameterTypes[name] ?? 'ArrayLike'}`;

/** `f(a, axis?, options?)`: parameters by position, and the same by name. */
function signature(name, parameters, self) {
  const own = self ? parameters.slice(1) : parameters;
  const options = own.length > 0 ? `{ ${own.map(parameter).join('; ')} }` : '';
  const positional = own.map((p) => `${p}?: ${parameterTypes[p] ?? 'ArrayLike'}${options ? ' | Options' : ''}`).join(', ');
  const text = positional.replaceAll('| Options', `| ${options}`);
  return `${name}(${text}): ${results[name] ?? 'NDArray'};`;
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
export type Index = number | bigint | Slice | ':' | '...' | null | NDArray | boolean[] | number[];

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
}

export interface Generator {
${indent(family('random.').filter(([name]) => name !== 'make' && name !== 'release').map(([name, p]) => signature(name, p, true)))}
}

export interface CompileOptions { name?: string; fullgraph?: boolean; dynamic?: 'automatic' | 'yes' | 'no' }
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
  liveArrays(): number;
  memory(): number;
  fromNpy(buffer: ArrayBuffer | Uint8Array): NDArray;
  toNpy(a: NDArray): Uint8Array;
  load(url: string): Promise<NDArray>;
  compile<F extends (...args: any[]) => any>(fn: F, options?: CompileOptions): Compiled<F>;
  disable<F extends (...args: any[]) => any>(fn: F): F;
  explain(compiled: Compiled<any>, ...args: unknown[]): any;
  readonly random: { default_rng(seed?: number | bigint): Generator };
  readonly fft: {
${indent(indent(family('fft.').map(([name, p]) => signature(name, p, false))).split('\n'))}
  };
${indent(plain.map(([name, p]) => signature(name, p, false)))}
${indent(ufuncs.filter(([name]) => name !== 'where').map(([name, arity]) => `${name}(${inputs[arity - 1]}, options?: { out?: NDArray }): NDArray;`))}
  where(condition: ArrayLike, x: ArrayLike, y: ArrayLike): NDArray;
  where(condition: ArrayLike): NDArray[];
}

export declare function load(options?: { build?: 'simd' | 'scalar'; base?: string | URL }): Promise<Numjit>;
`);
