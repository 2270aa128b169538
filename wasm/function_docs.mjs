// What a function does, in a sentence: for numjit.d.ts and the playground. From the rows of operations, from numpy_compat/functions.def, and for what stands in neither from function_docs.txt beside this file.
import { readFile } from 'node:fs/promises';

const root = new URL('../', import.meta.url);
const read = (name) => readFile(new URL(name, root), 'utf8');

/** The text of C++ string literals that follow each other. */
const joined = (literals) => [...literals.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, text]) => text.replaceAll(/\\(.)/g, '$1')).join('');

/** Parts of a row's arguments, which commas separate outside of brackets and texts. */
function argumentsOf(text) {
  const parts = [''];
  let depth = 0, quoted = false;
  for (let i = 0; i < text.length; ++i) {
    const letter = text[i];
    if (letter === '"' && text[i - 1] !== '\\') quoted = !quoted;
    if (!quoted && '([{'.includes(letter)) ++depth;
    if (!quoted && ')]}'.includes(letter) && --depth < 0) return parts;
    if (letter === ',' && depth === 0 && !quoted) parts.push('');
    else parts[parts.length - 1] += letter;
  }
  return parts;
}

/** Rows such as NAME(first, ..., last) of a .def file: [kind, parts]. */
const rowsOf = (text) => [...text.replaceAll(/^\s*\/\/.*$/gm, '').matchAll(/^([A-Z_]+[123]?)\(/gm)]
  .map((found) => [found[1], argumentsOf(text.replaceAll(/^\s*\/\/.*$/gm, '').slice(found.index + found[0].length)).map((part) => part.trim())]);

/** Map of name -> sentence; families have their prefix: fft.fft. */
export async function functionDocs() {
  const docs = new Map();
  const rows = ['elementwise', 'reductions', 'structural'].map((name) => read(`src/numjit/ops/${name}.def`));
  for (const [, parts] of (await Promise.all(rows)).flatMap(rowsOf)) {
    const texts = parts.filter((part) => part.startsWith('"')).map(joined), text = texts.find((sentence) => /^[A-Z0-9(-].*[.;]$|^[a-z].*\.$/s.test(sentence));
    if (text) docs.set(parts[0], text);
  }
  for (const [kind, parts] of rowsOf(await read('numpy_compat/functions.def'))) {
    if (kind.endsWith('FUNCTION')) docs.set(parts.slice(0, -3).join('.'), joined(parts.at(-1)));
  }
  for (const line of (await read('wasm/function_docs.txt')).split('\n')) {
    const found = /^([\w.]+): (.*)$/.exec(line);
    if (found) docs.set(found[1], found[2]);
  }
  return docs;
}
