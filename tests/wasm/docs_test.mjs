// The programs of docs/wasm.md, run one after the other in one module; each prints what the page says.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

const { load } = await import(new URL('numjit.js', pathToFileURL(`${process.env.NUMJIT_PACKAGE}/`)));
const page = await readFile(new URL('../../docs/wasm.md', import.meta.url), 'utf8');
const AsyncFunction = (async () => {}).constructor;
const programs = [...page.matchAll(/```js\n(.*?)```\n```output\n(.*?)```/gs)];

test('every program of docs/wasm.md prints what the page says', async () => {
  assert.ok(programs.length >= 4);
  const np = await load();
  for (const [, source, expected] of programs) {
    const printed = [];
    const body = source.replace(/^import .*$/m, '').replace(/^const np = .*$/m, '');
    const run = new AsyncFunction('np', 'load', 'console', body);
    await run(np, load, { log: (...words) => printed.push(words.join(' ')) });
    assert.equal(`${printed.join('\n')}\n`, expected);
  }
});
