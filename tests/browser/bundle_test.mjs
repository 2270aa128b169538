// A project with numjit in its node_modules: its types under tsc --strict, its page as Vite and webpack build it, in Chromium
// with and without isolation, and as esbuild bundles it for Node.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isolation, openBrowser, openPage, serve } from './site.mjs';

const { NUMJIT_SITE: site, NUMJIT_BUNDLERS: tools } = process.env;
const project = await mkdtemp(join(tmpdir(), 'numjit-'));

function run(program, ...args) {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: project, encoding: 'utf8' });
  assert.equal(status, 0, `${program} ${args.join(' ')}\n${stdout}${stderr}`);
  return stdout;
}

before(async () => {
  await cp(fileURLToPath(new URL('app', import.meta.url)), project, { recursive: true });
  await writeFile(join(project, 'package.json'), '{"private": true, "type": "module"}');
  const packed = run('npm', 'pack', '--silent', join(site, 'package')).trim().split('\n').at(-1);
  await mkdir(join(project, 'node_modules/numjit'), { recursive: true });
  run('tar', 'xzf', packed, '-C', 'node_modules/numjit', '--strip-components=1');
});
after(() => rm(project, { recursive: true }));

const libraries = [['esnext,dom,dom.iterable', 'bundler'], ['es2022,dom', 'bundler'], ['es2022,webworker', 'nodenext']];
for (const [lib, resolution] of libraries) {
  test(`types, with the library of ${lib}, modules as ${resolution}`, () => {
    run(join(tools, '.bin/tsc'), '--noEmit', '--strict', '--exactOptionalPropertyTypes', '--target', 'es2022', '--lib', lib,
      '--module', resolution === 'nodenext' ? 'nodenext' : 'esnext', '--moduleResolution', resolution,
      ...(lib.includes('dom') ? ['page.ts'] : []), 'types.ts');
  });
}

test('a page that Vite built', async () => {
  run('node', join(tools, 'vite/bin/vite.js'), 'build', '--base', './', '--logLevel', 'warn');
  const files = await readdir(join(project, 'dist/assets'));
  for (const name of ['simd', 'simd_secondary', 'scalar', 'threads', 'threads_secondary', 'linalg'])
    assert.ok(files.some((file) => file.startsWith(`${name}-`) && file.endsWith('.wasm')), `${name}.wasm is not among ${files.join(', ')}`);
  await works('dist');
});

test('a page that webpack built', async () => {
  run(join(tools, '.bin/esbuild'), 'page.ts', '--outfile=page.js', '--log-level=warning');
  run('node', '-e', `require(${JSON.stringify(join(tools, 'webpack'))})({ mode: 'production', context: ${JSON.stringify(project)}, entry: './page.js',
    output: { path: ${JSON.stringify(join(project, 'packed'))} }, performance: { hints: false } }, (error, stats) => {
    const trouble = error ?? (stats.hasErrors() || stats.hasWarnings() ? stats.toString() : '');
    if (trouble) { console.error(String(trouble)); process.exit(1); }
  });`);
  await writeFile(join(project, 'packed/index.html'), '<!doctype html><link rel="icon" href="data:,"><body></body><script src="./main.js"></script>');
  await works('packed');
});

/** The built page does its work, from a plain host and from an isolated one. */
async function works(folder) {
  const browser = await openBrowser();
  try {
    assert.match(await saidBy(browser, folder, {}), /^simd; 1 threads; alone; \[1 2 3\]; 859142\.055; 2,4$/);
    assert.match(await saidBy(browser, folder, isolation), /^simd; \d+ threads; shared; \[1 2 3\]; 859142\.055; 2,4$/);
  } finally {
    await browser.close();
  }
}

/** What the built page writes, from a host with these headers. */
async function saidBy(browser, folder, headers) {
  const host = await serve({ [folder]: join(project, folder) }, headers);
  try {
    const { page, trouble } = await openPage(browser);
    await page.goto(`${host.url}/${folder}/`);
    await page.waitForFunction(() => document.title === 'done', null, { timeout: 120_000 });
    const said = await page.evaluate(() => document.body.textContent);
    assert.deepEqual(trouble, []);
    await page.close();
    return said;
  } finally {
    host.close();
  }
}

test('a program that esbuild bundled, with the modules beside it', async () => {
  await writeFile(join(project, 'main.js'), "import { load } from 'numjit';\nconst np = await load();\nconsole.log(String(np.arange(3).add(1)), np.median([3, 1, 2]).item());\n");
  run(join(tools, '.bin/esbuild'), 'main.js', '--bundle', '--format=esm', '--platform=node', '--minify', '--outfile=out/main.js', '--log-level=warning');
  for (const name of ['simd', 'simd_secondary']) await cp(join(project, `node_modules/numjit/${name}.wasm`), join(project, `out/${name}.wasm`));
  assert.equal(run('node', 'out/main.js'), '[1 2 3] 2\n');
  assert.ok((await readFile(join(project, 'out/main.js'))).length < 90_000);
});

test('a script that esbuild bundled without a place of its own says what it needs, and takes it', async () => {
  const body = "load({ base: process.argv[2] }).then((np) => console.log(String(np.arange(3).add(1))), (error) => console.log(error.message));";
  await writeFile(join(project, 'script.js'), `import { load } from 'numjit';\n${body}\n`);
  run(join(tools, '.bin/esbuild'), 'script.js', '--bundle', '--format=cjs', '--platform=node', '--outfile=out/script.cjs', '--log-level=error');
  assert.equal(run('node', 'out/script.cjs'), 'numjit: where to find simd.wasm is not known: this script has no import.meta.url, as bundles of the formats iife and cjs. '
    + "Hint: load({ base: '/numjit/' }) names the folder of the package's .wasm files.\n");
  assert.equal(run('node', 'out/script.cjs', join(project, 'node_modules/numjit')), '[1 2 3]\n');
});
