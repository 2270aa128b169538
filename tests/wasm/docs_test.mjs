// The programs of README.md, docs/wasm.md, docs/index.md and the tutorials, those of a page one after the other in one module; each prints
// what the page says.
import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

const { functionDocs } = await import('../../wasm/function_docs.mjs');
const { load } = await import(new URL('numjit.js', pathToFileURL(`${process.env.NUMJIT_PACKAGE}/`)));
const docs = new URL('../../docs/', import.meta.url);
const AsyncFunction = (async () => {}).constructor;
const tutorials = (await readdir(new URL('tutorials', docs))).map((name) => `tutorials/${name}`);

for (const name of ['wasm.md', 'index.md', '../README.md', ...tutorials]) {
  test(`every program of docs/${name} prints what the page says`, async () => {
    const page = await readFile(new URL(name, docs), 'utf8');
    const programs = [...page.matchAll(/```js\n(.*?)```\n+```output\n(.*?)```/gs)];
    assert.ok(programs.length >= (name === 'wasm.md' ? 4 : 1));
    const np = await load();
    for (const [, source, expected] of programs) {
      const printed = [];
      const body = source.replace(/^import .*$/m, '').replace(/^const np = .*$/m, '');
      const run = new AsyncFunction('np', 'load', 'console', body);
      await run(np, load, { log: (...words) => printed.push(words.join(' ')) });
      assert.equal(`${printed.join('\n')}\n`, expected);
    }
  });
}

test('every function has its sentence in numjit.d.ts, and none is of a function that is not there', async () => {
  const np = await load(), types = await readFile(new URL('numjit.d.ts', pathToFileURL(`${process.env.NUMJIT_PACKAGE}/`)), 'utf8');
  const sentences = await functionDocs(), lines = types.split('\n'), bare = new Set();
  for (const family of [np, np.fft, np.linalg, np.random.Generator.prototype])
    for (const name of Object.getOwnPropertyNames(family)) {
      if (typeof family[name] !== 'function' || family[name].dtypeId !== undefined || /^(power_|unscale|scale|constructor|Generator|NDArray|dispose|moveAxis)/.test(name)) continue;
      const at = lines.findIndex((line) => new RegExp(`^ +(?:readonly )?${name}[<(:]`).test(line) && !line.endsWith('{') && !/readonly \w+: DType</.test(line));
      if (at < 0 || !/\*\/$/.test(lines[at - 1])) bare.add(name);
    }
  assert.deepEqual([...bare], []);
  const source = await readFile(new URL('../../wasm/function_docs.txt', import.meta.url), 'utf8');
  for (const [, name] of source.matchAll(/^([\w.]+): /gm)) {
    assert.ok(sentences.has(name), name);
    const [family, member] = name.includes('.') ? name.split('.') : [null, name];
    assert.ok((family === null ? [np, np.NDArray.prototype] : [family === 'random' ? np.random.Generator.prototype : np[family]]).some((of) => member in of), `${name} is no function`);
  }
});
