// numjit.bundle.js in Chromium: as a script, as a module, in a worker, from another origin, with threads and workers of its own.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';
import { isolation, openBrowser, openPage, serve } from './site.mjs';

const { NUMJIT_SITE: site } = process.env, folder = join(site, 'package');
const browser = await openBrowser();
after(() => browser.close());
const shared = { 'access-control-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin' };

/** A page with this body, beside a host with these headers that has the package; the files it asked for. */
async function opened(t, body, headers = {}) {
  const packageHost = await serve({ package: folder }, shared), place = await mkdtemp(join(tmpdir(), 'numjit-page-'));
  const own = await serve({ tests: fileURLToPath(new URL('..', import.meta.url)), package: folder, app: place }, { ...headers, ...shared });
  t.after(async () => {
    [packageHost, own].forEach((host) => host.close());
    await rm(place, { recursive: true });
  });
  await writeFile(join(place, 'page.html'), body(packageHost.url));
  const { page, trouble } = await openPage(browser), asked = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await page.goto(`${own.url}/app/page.html`);
  return { page, trouble, asked };
}
const icon = '<link rel="icon" href="data:,">';

test('a script: one file, and the module', async (t) => {
  const { page, trouble, asked } = await opened(t, () => `<!doctype html>${icon}<script src="/package/numjit.bundle.js"></script>`);
  const found = await page.evaluate(async () => {
    const np = await numjit.load({ complete: false });
    const f = np.compile(function broken(x) {
      if (x.sum() > 0) return x.add(1);
      return x;
    });
    return [f(np.arange(3)).tolist(), np.build];
  });
  assert.deepEqual(found, [[1, 2, 3], 'simd']);
  assert.deepEqual(asked, ['/app/page.html', '/package/numjit.bundle.js', '/package/simd.wasm']);
  const place = await page.evaluate(async () => {
    const np = await numjit.load();
    const f = np.compile((x) => (x.sum() > 0 ? x.add(1) : x));
    f(np.ones(2));
    return np.explain(f, np.ones(2)).break_reasons[0].file;
  });
  assert.doesNotMatch(place, /bundle/); // the line is the page's
  assert.deepEqual(trouble, []);
  await page.close();
});

test('a module, with threads and a worker of its own, from another origin', { timeout: 120_000 }, async (t) => {
  const { page, trouble } = await opened(t, (host) => `<!doctype html>${icon}<script type="module">import '${host}/package/numjit.bundle.js'; window.ready = true;</script>`, isolation);
  await page.waitForFunction(() => window.ready, null, { timeout: 10_000 }).catch((error) => assert.fail(`${error}: ${trouble}`));
  const found = await page.evaluate(async () => {
    const np = await numjit.load({ threads: 2 });
    while (np.threads.running < 2) await new Promise((go) => { setTimeout(go, 20); });
    const f = np.compile((x) => np.exp(x).sum()), x = np.zeros(500_000);
    while (np.threads.shared === 0) f(x).dispose();
    const jobs = await numjit.startWorker(new URL('/tests/browser/app/jobs.js', window.location.href), { threads: 1 }); // none is on its way when it ends
    const { data } = await jobs.twice(numjit.transfer(new Float32Array([1, 2])));
    jobs.terminate();
    return [f(x).item(), [...data]];
  });
  assert.deepEqual(found, [500_000, [2, 4]]);
  assert.deepEqual(trouble, []);
  await page.close();
});

test('a classic worker', async (t) => {
  const { page, trouble } = await opened(t, () => `<!doctype html>${icon}`);
  const found = await page.evaluate(() => new Promise((resolve) => {
    const script = `importScripts('${window.location.origin}/package/numjit.bundle.js'); numjit.load().then((np) => postMessage(np.sort(np.array([2, 1])).tolist()));`;
    new Worker(URL.createObjectURL(new Blob([script]))).onmessage = ({ data }) => resolve(data);
  }));
  assert.deepEqual(found, [1, 2]);
  assert.deepEqual(trouble, []);
  await page.close();
});

test('the script stays small', async () => {
  const { length } = brotliCompressSync(await readFile(join(folder, 'numjit.bundle.js')), { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } });
  assert.ok(length <= 34_500, `${length} bytes compressed`);
});
