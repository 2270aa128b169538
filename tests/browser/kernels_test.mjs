// Kernels that Halide compiled, the development server, and threads, in Chromium: the bits that the page's own kernels on
// one thread give.
import assert from 'node:assert/strict';
import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { buildPack, scratch, serve as startServer, skip } from '../wasm/native.mjs';
import { isolation, openBrowser, openPage, serve } from './site.mjs';

const { NUMJIT_SITE: folder } = process.env;
const tests = fileURLToPath(new URL('..', import.meta.url));
const folders = { package: join(folder, 'package'), tests };
const plain = await serve(folders), isolated = await serve(folders, isolation);
const browser = await openBrowser();
after(async () => {
  await browser.close();
  plain.close();
  isolated.close();
});

/** A page with window.runs.js at hand; what went wrong in it must be nothing at the end. */
async function pageOf(t, site) {
  const { page, trouble } = await openPage(browser);
  t.after(() => page.close());
  await page.goto(`${site}/tests/browser/empty.html`);
  await page.evaluate(async () => Object.assign(window, await import('/tests/browser/runs.js')));
  return { page, quiet: () => assert.deepEqual(trouble, []) };
}

for (const build of ['simd', 'scalar']) {
  test(`${build}: a pack in Chromium gives the bits of the page's own kernels`, { skip }, async (t) => {
    const { page, quiet } = await pageOf(t, plain.url);
    const own = await page.evaluate(async (name) => {
      window.np = await window.load({ fresh: true, build: name });
      return { results: window.runAll(window.np), recording: window.np.recording(), missing: window.np.recording({ missing: true }) };
    }, build);
    assert.ok(own.results.length > 40);
    assert.equal(own.missing, own.recording, 'no pack yet');
    const pack = await buildPack(t, own.recording, build), kernels = own.recording.split('\n\n').length - 1;
    await page.route('**/kernels.wasm', (route) => route.fulfill({ body: pack, contentType: 'application/wasm' }));

    // Into the page that runs its own: they are swapped while functions are compiled already.
    const swapped = await page.evaluate(async () => {
      const loaded = await window.np.loadPack('/kernels.wasm');
      return { loaded, results: window.runAll(window.np), missing: window.np.recording({ missing: true }) };
    });
    assert.deepEqual([swapped.loaded.kernels, swapped.loaded.replaced, swapped.missing], [kernels, kernels, 'numjit graphs 1\n']);
    assert.deepEqual(swapped.results, own.results);

    // Into one that has none yet.
    const fresh = await page.evaluate(async (name) => {
      const np = await window.load({ fresh: true, build: name });
      const loaded = await np.loadPack('/kernels.wasm');
      return { loaded, results: window.runAll(np) };
    }, build);
    assert.deepEqual([fresh.loaded.kernels, fresh.loaded.replaced], [kernels, 0]);
    assert.deepEqual(fresh.results, own.results);

    const other = build === 'simd' ? 'scalar' : 'simd';
    const refused = await page.evaluate(async (name) => {
      const np = await window.load({ fresh: true, build: name });
      return np.loadPack('/kernels.wasm').then(() => '', (error) => `${error.name}: ${error.message}`);
    }, other);
    assert.match(refused, new RegExp(`^OSError: .*made for the ${build} build of numjit, this is the ${other} build`));
    quiet();
  });
}

test('numjit serve: the page of a project gets its kernels while it runs', { skip }, async (t) => {
  const place = await scratch(t);
  await cp(folders.package, join(place, 'package'), { recursive: true });
  await cp(tests, join(place, 'tests'), { recursive: true });
  await writeFile(join(place, 'index.html'), '<!doctype html><link rel="icon" href="data:,"><title>page</title>');
  const server = await startServer(t, place);
  const { page, quiet } = await pageOf(t, server.address);
  const seen = await page.evaluate(async () => {
    const np = await window.load({ fresh: true });
    const { connect } = await import('/package/develop.js');
    const before = window.runSome(np), connection = connect(np, { interval: 20 });
    const first = await connection.sync(), missing = np.recording({ missing: true }), now = window.runSome(np);
    const more = np.compile((x) => np.exp(x).mean(), { name: 'more' }), x = np.linspace(0, 1, 1000);
    const mean = more(x).item(), second = await connection.sync();
    connection.close();
    return { isolated: crossOriginIsolated, threads: np.threads.count, before, now, first, missing, mean, again: more(x).item(), second };
  });
  assert.equal(seen.isolated, true);
  assert.ok(seen.threads >= 1);
  assert.deepEqual(seen.now, seen.before);
  assert.equal(seen.missing, 'numjit graphs 1\n');
  assert.equal(seen.again, seen.mean);
  assert.equal(seen.first.failures + seen.second.failures, 0);
  assert.ok(server.lines.some((line) => /^compiled nj_[0-9a-f]{16} rows: exp sum/.test(line)), server.lines.join('\n'));
  quiet();
  assert.equal(await server.stop(), 0);
});

test('an isolated page computes with threads, the same bits, and shares its work', async (t) => {
  const { page, quiet } = await pageOf(t, isolated.url);
  const seen = await page.evaluate(async () => {
    const one = await window.load({ fresh: true, threads: 1 }), many = await window.load({ fresh: true, threads: 2 });
    for (let waited = 0; many.threads.running < 2 && waited < 1000; ++waited) await new Promise((done) => { setTimeout(done, 10); });
    const expected = window.runAll(one, [[300, 1100]]), got = window.runAll(many, [[300, 1100]]);
    const [alone, together] = window.timesOf([one, many]);
    const { count, running, shared } = many.threads;
    many.threads.stop();
    return { isolated: crossOriginIsolated, unasked: Math.min(navigator.hardwareConcurrency, 16), expected, got, count, running, shared, alone, together };
  });
  assert.equal(seen.isolated, true);
  assert.deepEqual([seen.count, seen.running], [2, 2]);
  assert.deepEqual(seen.got, seen.expected);
  assert.ok(seen.shared > 50, `${seen.shared} runs were shared`);
  console.log(`exp and tanh of a million elements: one thread ${seen.alone.toFixed(2)} ms, two ${seen.together.toFixed(2)} ms: ${(seen.alone / seen.together).toFixed(2)} times`);

  const defaults = await page.evaluate(async () => {
    const np = await window.load({ fresh: true }), { count } = np.threads;
    np.threads.stop();
    return count;
  });
  assert.equal(defaults, seen.unasked, 'as many threads as there are cores, unasked');
  quiet();
});

test('a page of a plain host computes with one thread', async (t) => {
  const { page, quiet } = await pageOf(t, plain.url);
  const seen = await page.evaluate(async () => {
    const np = await window.load({ fresh: true, threads: 4 });
    return [crossOriginIsolated, np.threads.count, np.threads.running, np.arange(5).sum().item()];
  });
  assert.deepEqual(seen, [false, 1, 1, 10]);
  quiet();
});

test('the secondary module comes when a page calls for it, or asks for it before', async (t) => {
  const { page, quiet } = await pageOf(t, plain.url);
  const asked = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  const modules = () => asked.splice(0).filter((path) => path.endsWith('.wasm'));
  const first = await page.evaluate(async () => {
    window.np = await window.load({ fresh: true, complete: false });
    const f = window.np.compile((x) => window.np.exp(x).sum());
    return [f(window.np.zeros([10])).item(), String(window.np.arange(3))];
  });
  assert.deepEqual([first, modules()], [[10, '[0 1 2]'], ['/package/simd.wasm']]);
  const sorted = await page.evaluate(() => [window.np.sort(window.np.array([3, 1, 2])).tolist(), window.np.random.default_rng(1).random(4).size]);
  assert.deepEqual([sorted, modules()], [[[1, 2, 3], 4], ['/package/simd_secondary.wasm']]);
  const before = await page.evaluate(async () => (await window.load({ fresh: true, complete: true })).median([4, 1, 3]).item());
  assert.deepEqual([before, modules()], [3, ['/package/simd.wasm', '/package/simd_secondary.wasm']]);
  // Where nothing is said it comes once the page is idle; calls before that wait for it.
  const idle = page.waitForResponse(/simd_secondary/);
  assert.equal(await page.evaluate(async () => (await window.load({ fresh: true })).zeros(3).sum().item()), 0);
  assert.equal((await idle).status(), 200);
  quiet();
});
