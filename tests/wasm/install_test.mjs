// The package packed by npm and installed into an empty project.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

test('npm pack, npm install, import', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'numjit-'));
  const run = (program, ...args) => execFileSync(program, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  try {
    const [packed] = JSON.parse(run('npm', 'pack', '--json', '--silent', process.env.NUMJIT_PACKAGE));
    const names = packed.files.map(({ path }) => path);
    for (const name of ['numjit.js', 'numjit.d.ts', 'ufunc_methods.js', 'worker.js', 'worker.d.ts', 'worker_main.js', 'packs.js', 'develop.js', 'develop.d.ts', 'threads.js', 'pool_worker.js', 'host.js', 'messages.js', 'README.md', 'LICENSE', 'simd.wasm', 'simd_secondary.wasm', 'scalar.wasm', 'scalar_secondary.wasm', 'threads.wasm', 'threads_secondary.wasm', 'linalg.wasm', 'package.json'])
      assert.ok(names.includes(name), `${name} is not in the package`);
    await writeFile(join(folder, 'package.json'), '{"private": true, "type": "module"}');
    run('npm', 'install', '--offline', '--no-audit', '--no-fund', `./${packed.filename}`);
    assert.ok((await readdir(join(folder, 'node_modules'))).includes('numjit'));
    await writeFile(join(folder, 'jobs.js'), 'export const twice = (np, a) => a.multiply(2);\n');
    await writeFile(join(folder, 'main.js'), `import { load } from 'numjit';
import { startWorker } from 'numjit/worker.js';
const np = await load();
const f = np.compile((x) => x.multiply(2).sum({ axis: 0 }));
console.log(String(f(np.arange(6).reshape(2, 3))));
const jobs = await startWorker(new URL('./jobs.js', import.meta.url));
console.log((await jobs.twice(new Float32Array([1, 2]))).data.join());
jobs.terminate();
`);
    assert.equal(run('node', 'main.js'), '[ 6 10 14]\n2,4\n');
    const [, example] = /```js\n([^`]*)```/.exec(await readFile(join(folder, 'node_modules/numjit/README.md'), 'utf8'));
    await writeFile(join(folder, 'example.js'), example);
    assert.equal(run('node', 'example.js'), '1.875\n[ 0, 0.5, 0, 0.75, 0.5 ]\n');
  } finally {
    await rm(folder, { recursive: true });
  }
});
