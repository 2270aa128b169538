// A C++ program of a user's, against the installed library: found, built by Emscripten, run with and without a pack.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { run as native, scratch, skip } from './native.mjs';

/** The build folder of the simd module; ./dev test wasm makes its library. */
const build = process.env.NUMJIT_WASM_BUILD;
const example = fileURLToPath(new URL('../../docs/examples/emscripten', import.meta.url));

const execute = async (program, ...args) => (await promisify(execFile)(program, args)).stdout;

test('a C++ program finds, links and uses the installed library', { skip: build ? skip : 'NUMJIT_WASM_BUILD names no build' }, async (t) => {
  const folder = await scratch(t), prefix = join(folder, 'prefix'), made = join(folder, 'build');
  await execute('cmake', '--install', build, '--prefix', prefix);
  const config = join(prefix, 'lib/cmake/numjit');
  await execute('emcmake', 'cmake', '-S', example, '-B', made, '-G', 'Ninja', `-Dnumjit_DIR=${config}`);
  await execute('cmake', '--build', made);
  const program = (...args) => execute('node', '--no-experimental-fetch', join(made, 'smooth.js'), ...args);
  const fails = (...args) => program(...args).then(() => assert.fail('it went through'), ({ code, stdout }) => (assert.equal(code, 1), stdout));

  const graphs = join(folder, 'graphs.txt'), pack = join(folder, 'kernels.simd.wasm');
  const plain = (await program('--record', graphs)).split('\n');
  assert.match(plain[0], /^800 points, sum -?[0-9.e-]+$/);
  assert.match(plain[1], /^[1-9]\d* kernels made here, 0 graphs without a kernel$/);
  assert.match(await readFile(graphs, 'utf8'), /^numjit graphs 1\n/);
  const { status, stderr } = await native('pack', 'build', graphs, '-o', pack);
  assert.equal(status, 0, stderr);
  const packed = (await program(pack)).split('\n');
  assert.match(packed[0], /^1 kernel for simd$/);
  assert.equal(packed[1], plain[0], 'a pack changes no bit');
  assert.equal(packed[2], '0 kernels made here, 0 graphs without a kernel');

  const bytes = await readFile(pack), wrong = join(folder, 'wrong.wasm');
  assert.equal(await fails(join(folder, 'none.wasm')), `[load_pack] ${join(folder, 'none.wasm')}: No such file or directory\n`);
  await writeFile(wrong, bytes.subarray(0, 100));
  assert.match(await fails(wrong), /^\[pack\] .*wrong.wasm: cut short: got 100 bytes, expected at least \d+\n$/);
  await writeFile(wrong, Buffer.from(bytes).fill(7, 60, 61));
  assert.match(await fails(wrong), /^\[pack\] .*wrong.wasm: damaged: its checksum differs\n$/);
  assert.equal((await native('pack', 'build', graphs, '-o', wrong, '--target', 'scalar')).status, 0);
  assert.equal(await fails(wrong), `[load_pack] ${wrong}: made for the scalar build of numjit, this is the simd build. Build one with --target simd.\n`);

  // For other machines the package says what it is.
  const other = join(folder, 'other');
  await promisify(execFile)('cmake', ['-S', example, '-B', other, '-G', 'Ninja', `-Dnumjit_DIR=${config}`]).then(
    () => assert.fail('found by a native compiler'), ({ stderr: text }) => assert.match(text.replace(/\s+/g, ' '), /built for WebAssembly: configure with `emcmake cmake`/));
});
