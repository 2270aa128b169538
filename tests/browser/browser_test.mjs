// The package's tests and every demo in Chromium, from a plain static host: no console error, sane figures.
import assert from 'node:assert/strict';
import { mkdir, readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { digest } from '../wasm/digest.mjs';
import { isolation, openBrowser, openPage, serve } from './site.mjs';

const { NUMJIT_SITE: folder, NUMJIT_SCREENSHOTS: pictures } = process.env;
await mkdir(pictures, { recursive: true });
const site = await serve({
  package: join(folder, 'package'), demos: join(folder, 'demos'), docs: join(folder, 'docs'), tests: fileURLToPath(new URL('..', import.meta.url)),
});
const browser = await openBrowser();
after(async () => {
  await browser.close();
  site.close();
});

for (const file of ['arrays_test.mjs', 'comfort_test.mjs', 'parameters_test.mjs', 'package_test.mjs', 'values_test.mjs', 'lifetimes_test.mjs', 'products_test.mjs', 'transforms_test.mjs', 'worker_test.mjs']) {
  test(`${file} in Chromium`, async () => {
    const { page, trouble } = await openPage(browser);
    await page.goto(`${site.url}/tests/browser/run.html?file=${file}`);
    const results = await page.waitForFunction(() => window.results, null, { timeout: 120_000 }).then((r) => r.jsonValue());
    assert.deepEqual(results.filter((result) => result.error), []);
    assert.ok(results.length > 5);
    assert.deepEqual(trouble.filter((text) => !/404|no_such/i.test(text)), []); // tests ask for what is not there
    await page.close();
  });
}

test('the package from another origin, with its worker and its threads', { timeout: 120_000 }, async () => {
  const shared = { 'access-control-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin' };
  const host = await serve({ package: join(folder, 'package') }, shared);
  const own = await serve({ tests: fileURLToPath(new URL('..', import.meta.url)) }, { ...isolation, ...shared });
  try {
    const { page, trouble } = await openPage(browser);
    await page.goto(`${own.url}/tests/browser/empty.html`);
    const found = await page.evaluate(async (from) => {
      const { load } = await import(`${from}/package/numjit.js`);
      const { startWorker } = await import(`${from}/package/worker.js`);
      const np = await load({ threads: 2 });
      while (np.threads.running < 2) await new Promise((go) => setTimeout(go, 20));
      const f = np.compile((x) => np.exp(x).sum()), x = np.zeros(500_000);
      while (np.threads.shared === 0) f(x).dispose();
      const jobs = await startWorker(new URL('/tests/browser/app/jobs.js', window.location.href));
      const { data } = await jobs.twice(new Float32Array([1, 2]));
      jobs.terminate();
      return [f(x).item(), np.sort(np.array([2, 1])).tolist(), [...data]];
    }, host.url);
    assert.deepEqual(found, [500_000, [1, 2], [2, 4]]);
    assert.deepEqual(trouble, []);
    await page.close();
  } finally {
    host.close();
    own.close();
  }
});

test('the same bits in Chromium as in Node', async () => {
  const { load } = await import(pathToFileURL(join(folder, 'package/numjit.js')));
  const { page, trouble } = await openPage(browser);
  await page.goto(`${site.url}/demos/index.html`);
  for (const build of ['simd', 'scalar']) {
    const here = digest(await load({ build }));
    const there = await page.evaluate(async (name) => {
      const { load: loadThere } = await import('/package/numjit.js');
      const { digest: digestThere } = await import('/tests/wasm/digest.mjs');
      return digestThere(await loadThere({ build: name }));
    }, build);
    assert.ok(Object.keys(here).length > 60);
    assert.deepEqual(there, here);
  }
  assert.deepEqual(trouble, []);
  await page.close();
});

test('a first result within 200 ms of a warm page load', async () => {
  const { page } = await openPage(browser);
  const times = [];
  for (let i = 0; i < 4 || (i < 20 && Math.min(...times) >= 200); ++i) { // other programs may be running
    await page.goto(`${site.url}/tests/browser/empty.html`);
    times.push(await page.evaluate(async () => {
      const start = performance.now();
      const { load } = await import('/package/numjit.js');
      const np = await load();
      np.arange(1000).multiply(2).sum().item();
      return performance.now() - start;
    }));
  }
  console.log(`first result after ${times.map((t) => t.toFixed(0)).join(', ')} ms`);
  assert.ok(Math.min(...times) < 200, `got ${times} ms`);
  await page.close();
});

/** Of the pixels of the page's first canvas: how many colours, and the mean of each channel. */
const seen = (page) => page.evaluate(() => {
  const canvas = document.querySelector('canvas');
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  const colours = new Set(new Uint32Array(data.buffer)), mean = [0, 0, 0];
  for (let i = 0; i < data.length; ++i) if (i % 4 < 3) mean[i % 4] += (4 * data[i]) / data.length;
  return { colours: colours.size, mean };
});

const demos = (await readdir(join(folder, 'demos'))).filter((name) => name.endsWith('.html') && name !== 'index.html').map((name) => name.slice(0, -5));

for (const demo of demos) {
  test(`demo ${demo}`, async () => {
    const { page, trouble } = await openPage(browser, { viewport: { width: 1280, height: 860 } });
    await page.goto(`${site.url}/demos/${demo}.html`);
    const means = {};
    for (const mode of ['compiled', 'eager', 'js']) {
      await page.waitForFunction(() => window.figures?.mode !== undefined && window.choose);
      if (mode !== 'compiled') await page.evaluate((name) => window.choose(name), mode);
      await page.waitForFunction((name) => window.figures.mode === name && window.figures.frames > 40, mode, { timeout: 60_000 });
      const figures = await page.evaluate(() => window.figures);
      assert.ok(figures.fps > 0.5 && figures.ms > 0, JSON.stringify(figures));
      if (mode === 'compiled') {
        assert.ok(figures.graphs >= 1, JSON.stringify(figures));
        assert.equal(figures.breaks, 0);
        await page.screenshot({ path: join(pictures, `${demo}.png`) });
      }
      const { colours, mean } = await seen(page);
      assert.ok(colours > (demo === 'life' ? 1 : 8), `${mode}: ${colours} colours`);
      means[mode] = mean;
      const box = await page.locator('canvas').boundingBox();
      await page.mouse.move(box.x + box.width / 3, box.y + box.height / 3);
      await page.mouse.down();
      await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2, { steps: 5 });
      await page.mouse.up();
    }
    assert.deepEqual(trouble, []);
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 400, height: 860 });
    await page.screenshot({ path: join(pictures, `${demo}_phone.png`), fullPage: true });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 400, `the page is ${wide} pixels wide on a phone of 400`);
    await page.close();
  });
}

test('times side by side, the size of the problem, a pause', async () => {
  const { page, trouble } = await openPage(browser, { viewport: { width: 1280, height: 860 } });
  await page.goto(`${site.url}/demos/wave.html`);
  await page.waitForFunction(() => Object.keys(window.figures?.times ?? {}).length === 3, null, { timeout: 60_000 });
  const times = await page.locator('.times > div').allTextContents();
  assert.match(times[0], /^[\d.]+ ms([\d.]+x as fast as JS|JS is [\d.]+x as fast)$/);
  assert.match(times[2], /^[\d.]+ ms$/);
  const canvas = page.locator('canvas');
  await page.locator('#size').press('ArrowRight');
  assert.deepEqual([await canvas.getAttribute('width'), await page.locator('#size').getAttribute('aria-valuetext')], ['768', '512']);
  await page.waitForFunction(() => window.figures.frames > 5);
  await canvas.focus();
  await page.keyboard.press('p');
  assert.equal(await page.locator('.bar button').textContent(), 'Go on');
  const frames = await page.evaluate(() => window.figures.frames);
  await page.waitForTimeout(300);
  assert.ok(await page.evaluate(() => window.figures.frames) - frames <= 1);
  await page.keyboard.press('p');
  await page.waitForFunction((before) => window.figures.frames > before + 3, frames);
  const before = await seen(page);
  for (const key of ['ArrowRight', 'ArrowDown', ' ']) await page.keyboard.press(key);
  await page.waitForTimeout(100);
  assert.notDeepEqual(await seen(page), before);
  const small = await page.evaluate(() => [...document.querySelectorAll('a, button, input, summary')].filter((one) => {
    const { width, height } = one.getBoundingClientRect();
    return width > 0 && (width < 24 || height < 24);
  }).map((one) => one.textContent || one.type));
  assert.deepEqual(small, [], 'targets of less than 24 pixels');
  for (const [name, address] of [['edit this', '/playground/#e=demo-wave'], ['source', '/demos/wave.js'], ['docs', '/docs/wasm.md'], ['previous', '/demos/filter.html'], ['next', '/demos/kmeans.html']])
    assert.equal(await page.getByRole('link', { name, exact: true }).evaluate((link) => link.href), site.url + address);
  assert.deepEqual(trouble, []);
  await page.close();
});

test('where less motion is wanted, a demo shows a picture and waits', async () => {
  const { page, trouble } = await openPage(browser, { viewport: { width: 1280, height: 860 }, reducedMotion: 'reduce' });
  await page.goto(`${site.url}/demos/newton.html`);
  await page.waitForFunction(() => window.figures?.mode === 'compiled' && /^Paused/.test(document.querySelector('[role=status]').textContent), null, { timeout: 60_000 });
  await page.waitForTimeout(300);
  assert.deepEqual([await page.evaluate(() => window.figures.frames), await page.locator('.bar button').textContent()], [0, 'Go on']);
  assert.ok((await seen(page)).colours > 8);
  await page.locator('.bar button').click();
  await page.waitForFunction(() => window.figures.frames > 3);
  assert.deepEqual(trouble, []);
  await page.close();
});

test('the page of docs/wasm.md', async () => {
  const [, body] = /```html\n(.*?)```/s.exec(await readFile(new URL('../../docs/wasm.md', import.meta.url), 'utf8'));
  const { page, trouble } = await openPage(browser);
  await page.route('**/index.html', (route) => route.fulfill({ body, contentType: 'text/html' }));
  await page.route('**/favicon.ico', (route) => route.fulfill({ body: '' }));
  await page.goto(`${site.url}/index.html`);
  await page.waitForFunction(() => {
    const { data } = document.querySelector('canvas').getContext('2d').getImageData(100, 85, 1, 1);
    return data[0] > 0 && data[0] < 255; // the heat has come out of its square
  }, null, { timeout: 60_000 });
  assert.deepEqual(trouble, []);
  await page.close();
});

test('the index of the demos', async () => {
  const { page, trouble } = await openPage(browser, { viewport: { width: 1280, height: 900 } });
  await page.goto(`${site.url}/demos/`);
  await page.waitForFunction(() => document.body.dataset.ready === 'yes', null, { timeout: 60_000 });
  await page.screenshot({ path: join(pictures, 'index.png'), fullPage: true });
  assert.equal(await page.locator('.gallery a').count(), demos.length);
  assert.deepEqual(trouble, []);
  await page.close();
});
