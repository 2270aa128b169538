// Calls that NumPy answered (tests/compat/golden, by make_oracle_goldens.py, whose head says how a line reads): ufuncs and reductions of
// all dtypes, and the functions of functions.def with each of their options. C++ and Python answer the same calls.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

const { load } = await import(new URL('numjit.js', pathToFileURL(`${process.env.NUMJIT_PACKAGE}/`)));
const np = await load();
await np.complete();
await np.linalg.load();
const { NDArray } = np;

const real = (text) => Number(text.replace('inf', 'Infinity'));
const integers = new Set(['int64', 'uint64']);

/** The elements of an array, as lists of JavaScript hold them. */
function elementOf(dtype, text) {
  if (dtype.startsWith('complex')) return np.complex(...text.split(',').map(real));
  if (integers.has(dtype)) return BigInt(text);
  return dtype === 'bool' ? text === '1' : dtype.startsWith('float') ? np.float(real(text)) : Number(text);
}

/** An array in its layout; the rest of the text behind its letter. */
function arrayOf(text) {
  const [, dtype, lengths, layout, elements] = /^(\w+):([\d,]*):(\w):(.*)$/.exec(text);
  const shape = lengths === '' ? [] : lengths.split(',').map(Number);
  const a = np.array(elements === '' ? [] : elements.split(' ').map((one) => elementOf(dtype, one)), dtype).reshape(shape);
  const key = (step) => shape.map(() => `::${step}`).join();
  if (layout === 'F') return a.T.copy('C').T;
  if (layout === 'R') return a.at(key(-1)).copy('C').at(key(-1));
  return layout === 'S' ? np.zeros(shape.map((n) => 2 * n), dtype).at(key(2)).set(a) : a;
}

/** A value as its JSON stands for it; arrays that are written to go to `targets`. */
function valueOf(json, targets) {
  if (Array.isArray(json)) return json.map((item) => valueOf(item, targets));
  if (typeof json !== 'string') return json;
  const text = json.slice(2);
  switch (json[0]) {
    case 'a': return arrayOf(text);
    case 'w': return targets[targets.push(arrayOf(text)) - 1];
    case 'd': return np[text === 'bool' ? 'bool_' : text];
    case 'f': return np.float(real(text));
    case 'c': return np.complex(...text.split(',').map(real));
    case 'i': return BigInt(text);
    default: return text;
  }
}

function run({ f, a, o }, targets) {
  const args = valueOf(a, targets);
  if (o !== undefined) args.push(Object.fromEntries(Object.entries(o).map(([name, value]) => [name, valueOf(value, targets)])));
  if (f.startsWith('.')) return NDArray.prototype[f.slice(1)].call(...args);
  return f.split('.').reduce((home, name) => home[name], np)(...args);
}

const precision = { float16: 2 ** -10, float32: 2 ** -23, complex64: 2 ** -23, float64: 2 ** -52, complex128: 2 ** -52 };
const partsOf = (a) => { const wide = a.astype('complex128'); return [...wide.data]; };

/** What is another than NumPy's; '' for nothing. `coarsest`: the precision of the arguments. */
function difference(got, expected, coarsest) {
  if (expected === null) return got === undefined ? '' : `got ${got}, expected nothing`;
  if (Array.isArray(expected)) {
    if (!Array.isArray(got) || got.length !== expected.length) return `got ${Array.isArray(got) ? `${got.length} results` : 'one result'}, expected ${expected.length}`;
    return expected.map((one, i) => difference(got[i], one, coarsest)).find((text) => text) ?? '';
  }
  const theirs = arrayOf(expected.slice(2)), isNumber = typeof got === 'number' && theirs.ndim === 0; // which has no dtype
  const ours = got instanceof NDArray ? got : np.asarray(got, isNumber ? { dtype: theirs.dtype } : {});
  if (ours.dtype !== theirs.dtype) return `got dtype ${ours.dtype}, expected ${theirs.dtype}`;
  if (String(ours.shape) !== String(theirs.shape)) return `got shape (${ours.shape}), expected (${theirs.shape})`;
  const tolerance = 64 * Math.max(coarsest, precision[theirs.dtype.name] ?? 0), most = partsOf(theirs);
  const close = (x, y) => Object.is(x, y) || x === y || Math.abs(x - y) <= tolerance * (Math.abs(y) + 2 ** -4);
  return partsOf(ours).every((x, i) => close(x, most[i])) ? '' : `got ${ours}, expected ${theirs}`;
}

const precisionOf = (json) => (Array.isArray(json) ? Math.max(0, ...json.map(precisionOf)) : typeof json === 'string' ? precision[json.split(':')[1]] ?? 0 : 0);

/** What a call does otherwise than NumPy; '' for nothing. */
function failureOf(call) {
  return np.tidy(() => {
    const targets = [];
    try {
      const result = run(call, targets);
      if (call.e !== undefined) return `no error, expected ${call.e}`;
      return difference([result, ...targets], call.r, precisionOf([...call.a, ...Object.values(call.o ?? {})]));
    } catch (error) {
      return error.name === call.e ? '' : `${error.name}: ${error.message}${call.e === undefined ? '' : `, expected ${call.e}`}`;
    }
  });
}

async function callsOf(name) {
  const text = await readFile(new URL(`../compat/golden/${name}`, import.meta.url), 'utf8');
  return text.split('\n').filter((line) => line.startsWith('{')).map((line) => ({ ...JSON.parse(line), line }));
}

/** The row of docs/numpy.md that tells what JavaScript has otherwise. */
const told = (call) => call.not?.JavaScript;

for (const [name, what, least] of [['oracle.txt', 'ufuncs and reductions of all dtypes', 4000], ['options.txt', 'every option of every function', 2000]]) {
  test(what, async () => {
    const calls = await callsOf(name);
    assert.ok(calls.length > least);
    const wrong = calls.filter((call) => told(call) === undefined).map((call) => [call, failureOf(call)]).filter(([, text]) => text);
    assert.equal(wrong.length, 0, `${wrong.length} of ${calls.length}:\n${wrong.slice(0, 40).map(([call, text]) => `${call.line}\n  ${text}`).join('\n')}`);
  });
  test(`${what}: what docs/numpy.md tells of JavaScript holds`, async () => {
    const calls = (await callsOf(name)).filter((call) => told(call) !== undefined), rows = new Set(calls.map(told));
    assert.ok(rows.size > 0);
    for (const row of rows) assert.ok(calls.some((call) => told(call) === row && failureOf(call) !== ''), `row ${row}: all is as NumPy has it`);
  });
}
