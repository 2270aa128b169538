// The modules as files: what they import, how much of them travels.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import { scratch } from './native.mjs';

const { NUMJIT_PACKAGE: folder } = process.env;
const ours = fileURLToPath(new URL('../../wasm/', import.meta.url)), list = join(ours, 'core/imports.txt');

/** What the check of a link says: { status, stderr }. */
const check = (module, names) => promisify(execFile)(process.execPath, [join(ours, 'check_imports.mjs'), module, names])
  .then(({ stderr }) => ({ status: 0, stderr }), ({ code, stderr }) => ({ status: code, stderr }));

test('a module that wants an unknown function fails its link', async (t) => {
  for (const name of ['simd', 'scalar', 'threads']) assert.deepEqual(await check(join(folder, `${name}.wasm`), list), { status: 0, stderr: '' });

  const text = (word) => [word.length, ...Buffer.from(word)];
  const imports = [1, ...text('env'), ...text('nj_adopt_kernle'), 0, 0];
  const misspelt = Buffer.from([0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 2, imports.length, ...imports]);
  const file = join(await scratch(t), 'module.wasm');
  await writeFile(file, misspelt);
  assert.deepEqual(await check(file, list), { status: 1,
    stderr: 'module.wasm imports nj_adopt_kernle, which nothing defines and imports.txt does not name. Hint: is it spelt right?\n' });
});

test('what few pages need is loaded at the first call of it, or before', async (t) => {
  const { load } = await import(new URL('numjit.js', pathToFileURL(`${folder}/`)));
  for (const name of ['simd', 'scalar']) {
    const place = await scratch(t), base = pathToFileURL(`${place}/`);
    await copyFile(join(folder, `${name}.wasm`), join(place, `${name}.wasm`));
    const np = await load({ build: name, base, fresh: true });
    const f = np.compile((x) => np.exp(x).multiply(x).add(1).sum(), { name: 'f' }), x = np.linspace(0, 1, 100);
    assert.equal(f(x).item(), f(x).item());
    assert.equal(String(x.at('::33').reshape(2, 2).astype('float32').add([0, 1]).max({ axis: 0 })), '[0.66666669 2.        ]');
    assert.throws(() => x.add(np.zeros([7])), { name: 'ValueError' });
    assert.throws(() => np.sort(x), ({ message }) => message.startsWith(`numjit: ${name}_secondary.wasm, which has this function, could not be loaded while the page waits: ENOENT`)
      && message.endsWith('Hint: await np.complete() before, or load({ complete: true }).'));
    await assert.rejects(np.complete(), { code: 'ENOENT' });

    await copyFile(join(folder, `${name}_secondary.wasm`), join(place, `${name}_secondary.wasm`));
    assert.deepEqual(np.sort(np.array([3, 1, 2])).tolist(), [1, 2, 3]); // while it waits
    await np.complete();
    assert.equal(np.fft.fft(np.array([1, 0])).tolist().length, 2);

    const complete = await load({ build: name, base, complete: true, fresh: true });
    assert.equal(complete.random.default_rng(1).integers(0, 10, { size: 3 }).size, 3);
    assert.equal(complete.explain(complete.compile((a) => a.add(1)), complete.arange(3)).graph_count, 1);
  }
});

test('the modules stay as small as they are', { timeout: 900_000 }, async () => {
  // Bytes, compressed by brotli at level 11: what was reached, and a little.
  const budget = {
    simd: 417_600, simd_secondary: 431_400, scalar: 407_700, scalar_secondary: 427_100,
    threads: 417_400, threads_secondary: 432_800, linalg: 55_000,
  };
  for (const [name, most] of Object.entries(budget)) {
    const bytes = await readFile(join(folder, `${name}.wasm`));
    const { length } = await promisify(brotliCompress)(bytes, { params: {
      [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } });
    console.log(`${name}.wasm: ${bytes.length} bytes, ${length} compressed`);
    assert.ok(length <= most, `${name}.wasm has ${length} bytes compressed, its budget is ${most}`);
  }
});
