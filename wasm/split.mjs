// Splits a module in two: what every page needs, and a secondary module, which js/module.js loads when a function of it is called.
//
//   split.mjs wasm-split nm objects.txt secondary.txt whole.wasm name
//
// writes name.wasm and name_secondary.wasm: all functions that only object files named by secondary.txt define, but for
// those that run while a module is loaded: lines of secondary.txt that begin with "keep "; functions of other files: "move "; what
// nobody calls but these; and data of these files: "data ".
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';

import { dataOf, moveData } from './move_data.mjs';

const [split, nm, objectsFile, listFile, whole, name] = process.argv.slice(2);
const lines = readFileSync(listFile, 'utf8').split('\n').filter((line) => line && !line.startsWith('#'));
const namedBy = (word) => lines.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1));
const kept = namedBy('keep').map((text) => new RegExp(text)), moves = namedBy('move').map((text) => new RegExp(text));
const moved = namedBy('data');
const patterns = lines.filter((line) => !/^(keep|move|data) /.test(line)).map((line) => new RegExp(line));
const objects = readFileSync(objectsFile, 'utf8').split('\n').filter(Boolean);
for (const pattern of patterns)
  if (!objects.some((path) => pattern.test(path))) throw new Error(`${listFile}: no object file is named by ${pattern.source}`);

/** Names of the functions that object files define. */
function functionsOf(paths) {
  const listed = execFileSync(nm, ['--defined-only', ...paths], { encoding: 'utf8', maxBuffer: 2 ** 28 }).split('\n');
  return new Set(listed.map((line) => /^[0-9a-f]+ [tTwW] (.+)$/.exec(line)?.[1]).filter(Boolean));
}
const features = ['simd', 'exception-handling', 'bulk-memory', 'sign-ext', 'nontrapping-float-to-int', 'mutable-globals', 'reference-types', 'threads']
  .map((feature) => `--enable-${feature}`);

/**
 * Adds to `moving` the functions that only those call, and each other: not those of the table or of exports. The linker's tools joined
 * functions of the same code, so that object files don't tell.
 */
function addWhatOnlyTheseCall(moving) {
  const text = `${name}_whole.wat`, callers = new Map(), left = new Set();
  execFileSync(split.replace(/wasm-split(?=[^/]*$)/, 'wasm-dis'), [whole, ...features, '-o', text]);
  const stays = new Set();
  let inside = null;
  for (const line of readFileSync(text, 'utf8').split('\n')) {
    const [, begun] = /^ \(func \$(\S+)/.exec(line) ?? [];
    if (begun !== undefined) {
      inside = begun;
      if (!moving.has(begun)) left.add(begun);
    } else if (/^ \((elem|export|start) /.test(line)) {
      for (const [, other] of line.matchAll(/\$([^\s()]+)/g)) stays.add(other);
    } else {
      const [, kind, other] = /\((call|return_call|ref\.func) \$([^\s()]+)/.exec(line) ?? [];
      if (kind === 'ref.func') stays.add(other);
      else if (kind) callers.set(other, (callers.get(other) ?? new Set()).add(inside));
    }
  }
  rmSync(text);
  for (const one of stays) left.delete(one);
  for (let before = -1; before !== left.size;) {
    before = left.size;
    for (const one of left) if ([...callers.get(one) ?? []].some((caller) => !moving.has(caller) && !left.has(caller))) left.delete(one);
  }
  for (const one of left) moving.add(one);
}

const isSecondary = (path) => patterns.some((pattern) => pattern.test(path));
const needed = functionsOf(objects.filter((path) => !isSecondary(path)));
for (const pattern of moves) {
  const found = [...needed].filter((text) => pattern.test(text));
  if (!found.length) throw new Error(`${listFile}: no function is named by ${pattern.source}`);
  for (const text of found) needed.delete(text);
}
const defined = functionsOf(objects);
const moving = new Set([...defined].filter((text) => !needed.has(text) && !kept.some((pattern) => pattern.test(text))));
addWhatOnlyTheseCall(moving);
const names = `${name}_secondary.txt`;
writeFileSync(names, [...moving].join('\n'));
// It warns of each function that the linker left out or that was inlined.
execFileSync(split, [whole, ...features, `--split-funcs=@${names}`, '--export-prefix=%',
  '-o1', `${name}.wasm`, '-o2', `${name}_secondary.wasm`], { stdio: ['ignore', 'inherit', 'ignore'] });
rmSync(names);

const isNamed = new Set(execFileSync(nm, objects.filter((path) => !isSecondary(path)), { encoding: 'utf8', maxBuffer: 2 ** 28 }).split('\n').map((line) => line.split(' ').at(-1)));
const known = new Map(objects.filter(isSecondary).flatMap((path) => [...dataOf(path)]));
for (const table of moved) {
  if (!known.has(table)) throw new Error(`${listFile}: no object file of the secondary module defines ${table}`);
  if (isNamed.has(table)) throw new Error(`${listFile}: ${table} is used by the first module`);
}
moveData(`${name}.wasm`, `${name}_secondary.wasm`, moved.map((table) => [table, known.get(table)]));
