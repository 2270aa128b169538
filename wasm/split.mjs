// Splits a module in two: what every page needs, and a secondary module, which js/module.js loads when a function of it is called.
//
//   split.mjs wasm-split nm objects.txt secondary.txt whole.wasm name
//
// writes name.wasm and name_secondary.wasm: all functions that only object files named by secondary.txt define, but for
// those that run while a module is loaded: lines of secondary.txt that begin with "keep "; and data of these files: "data ".
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';

import { dataOf, moveData } from './move_data.mjs';

const [split, nm, objectsFile, listFile, whole, name] = process.argv.slice(2);
const lines = readFileSync(listFile, 'utf8').split('\n').filter((line) => line && !line.startsWith('#'));
const kept = lines.filter((line) => line.startsWith('keep ')).map((line) => new RegExp(line.slice(5)));
const moved = lines.filter((line) => line.startsWith('data ')).map((line) => line.slice(5));
const patterns = lines.filter((line) => !/^(keep|data) /.test(line)).map((line) => new RegExp(line));
const objects = readFileSync(objectsFile, 'utf8').split('\n').filter(Boolean);
for (const pattern of patterns)
  if (!objects.some((path) => pattern.test(path))) throw new Error(`${listFile}: no object file is named by ${pattern.source}`);

/** Names of the functions that object files define. */
function functionsOf(paths) {
  const listed = execFileSync(nm, ['--defined-only', ...paths], { encoding: 'utf8', maxBuffer: 2 ** 28 }).split('\n');
  return new Set(listed.map((line) => /^[0-9a-f]+ [tTwW] (.+)$/.exec(line)?.[1]).filter(Boolean));
}
const isSecondary = (path) => patterns.some((pattern) => pattern.test(path));
const needed = functionsOf(objects.filter((path) => !isSecondary(path)));
const names = `${name}_secondary.txt`;
writeFileSync(names, [...functionsOf(objects.filter(isSecondary))].filter((text) => !needed.has(text) && !kept.some((pattern) => pattern.test(text))).join('\n'));
const features = ['simd', 'exception-handling', 'bulk-memory', 'sign-ext', 'nontrapping-float-to-int', 'mutable-globals', 'reference-types', 'threads'];
// It warns of each function that the linker left out or that was inlined.
execFileSync(split, [whole, ...features.map((feature) => `--enable-${feature}`), `--split-funcs=@${names}`, '--export-prefix=%',
  '-o1', `${name}.wasm`, '-o2', `${name}_secondary.wasm`], { stdio: ['ignore', 'inherit', 'ignore'] });
rmSync(names);

const isNamed = new Set(execFileSync(nm, objects.filter((path) => !isSecondary(path)), { encoding: 'utf8', maxBuffer: 2 ** 28 }).split('\n').map((line) => line.split(' ').at(-1)));
const known = new Map(objects.filter(isSecondary).flatMap((path) => [...dataOf(path)]));
for (const table of moved) {
  if (!known.has(table)) throw new Error(`${listFile}: no object file of the secondary module defines ${table}`);
  if (isNamed.has(table)) throw new Error(`${listFile}: ${table} is used by the first module`);
}
moveData(`${name}.wasm`, `${name}_secondary.wasm`, moved.map((table) => [table, known.get(table)]));
