// The playground in Chromium: every example, its tabs, completion, stopping, links, without a network, by keyboard alone.
import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { openBrowser, openPage, serve } from './site.mjs';

const { NUMJIT_SITE: folder, NUMJIT_SCREENSHOTS: pictures } = process.env;
await mkdir(pictures, { recursive: true });
const folders = Object.fromEntries(['package', 'demos', 'playground', 'docs'].map((name) => [name, join(folder, name)]));
const site = await serve(folders), browser = await openBrowser();
after(async () => {
  await browser.close();
  site.close();
});

const over = (page) => page.waitForFunction(() => document.body.dataset.running === 'no' && document.querySelector('#status').textContent !== '', null, { timeout: 60_000 });
async function opened(hash = '') {
  const { page, trouble } = await openPage(browser, { viewport: { width: 1360, height: 900 } });
  await page.goto(`${site.url}/playground/${hash}`);
  await over(page);
  return { page, trouble };
}

/** Puts a program into the editor and runs it. */
async function run(page, code) {
  await page.locator('.cm-content').click();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(code);
  await page.keyboard.press('Control+Enter');
  await over(page);
}
const text = (page, panel) => page.locator(`#panel-${panel}`).textContent();

test('every example runs and shows something', { timeout: 240_000 }, async () => {
  const { page, trouble } = await opened();
  const names = await page.locator('#examples option').evaluateAll((options) => options.map((option) => option.value));
  assert.ok(names.filter((name) => !/^(docs|demo)-/.test(name)).length >= 20, names.join());
  assert.ok(names.some((name) => name.startsWith('docs-')) && names.some((name) => name.startsWith('demo-')));
  for (const name of names) {
    await page.selectOption('#examples', name);
    await over(page);
    assert.match(await page.locator('#status').textContent(), /^ran in /, `${name}: ${await text(page, 'Result')}`);
    assert.equal(await page.locator('#panel-Result .error').count(), 0, name);
    assert.doesNotMatch(await text(page, 'Result'), /^Nothing was shown/, name);
  }
  assert.deepEqual(trouble, []);
  await page.close();
});

test('what a program shows, its graph with lines and breaks, kernels, times, memory', async () => {
  const { page, trouble } = await opened();
  await page.getByLabel('trace arrays').check();
  await run(page, `const x = np.arange(6000, { dtype: 'float32' }).reshape(2, 3000);
const f = np.compile(function f(x) {
  const y = x.multiply(2)
    .add(1);
  if (y.max() > 0) return np.sqrt(y);
  return y;
});
for (let i = 0; i < 4; ++i) f(x).dispose();
console.log('said', np.arange(3));
show(np.arange(3)); show(np.arange(100)); show(np.zeros([40, 60])); show('words');
race({ inputs: (n) => [np.ones(n)], numjit: (a) => a.add(1), js: (a) => { for (let i = 0; i < a.length; ++i) a[i] += 0; } });
f(x).at(0).at(':3')`);
  assert.equal(await page.locator('#panel-Result .error').count(), 0, await text(page, 'Result'));
  const shown = page.locator('#panel-Result');
  assert.deepEqual([await shown.locator('table.values').count(), await shown.locator('svg.plot').count(), await shown.locator('canvas').count()], [2, 1, 1]);
  assert.match(await text(page, 'Result'), /said NDArray\(3\) int64 \[0 1 2\].*words.*float32, 3, from 1 to 2\.24/s);
  await page.screenshot({ path: join(pictures, 'playground_result.png') });

  await page.getByRole('tab', { name: 'Graph' }).click();
  assert.match(await text(page, 'Graph'), /f: graphs 2, breaks 1, operations 4.*Value read with item\(\) \(NJ0002\)/s);
  const boxes = await page.locator('#panel-Graph svg a').evaluateAll((links) => links.map((link) => link.getAttribute('aria-label')));
  assert.deepEqual(boxes, ['%0 input of nothing, float32[?, ?]', '%1 multiply($0:float32) of %0, float32[?, ?], line 3', '%2 add($1:float32) of %1, float32[?, ?], line 4', '%3 max of %2, float32[], line 5',
    '%0 input of nothing, float32[?, ?]', '%1 sqrt of %0, float32[?, ?], line 5']);
  assert.match(await page.locator('.breaks a').getAttribute('href'), /docs\/breaks\/NJ0002\.md$/);
  assert.equal((await fetch(new URL(await page.locator('.breaks a').getAttribute('href'), `${site.url}/playground/`))).status, 200);
  await page.locator('.breaks button').click();
  assert.match(await page.locator('.cm-faulty').textContent(), /y\.max\(\) > 0/);
  await page.screenshot({ path: join(pictures, 'playground_graph.png') });

  await page.getByRole('tab', { name: 'Kernel' }).click();
  await page.locator('#panel-Kernel section').first().waitFor();
  assert.match(await text(page, 'Kernel'), /f: multiply, add.*elementwise; reads 1 \(float32\) and stores 2 an element; 4 lanes; a round of its loop loads \d+ and stores \d+ vectors.* 3 {4}const y = x\.multiply\(2\)\n {2}4 .*v128\.load.*f32x4\.mul/s);
  await page.screenshot({ path: join(pictures, 'playground_kernel.png') });

  await page.getByRole('tab', { name: 'Time' }).click();
  await page.locator('#panel-Time th', { hasText: 'plain JavaScript' }).waitFor();
  assert.match(await text(page, 'Time'), /elements10,000.*compiled.*eager.*of compiled.*memory160,000 bytes/s);
  await page.getByRole('button', { name: 'All sizes' }).click();
  await page.waitForFunction(() => /from 10 to 1\.0e\+6/.test(document.querySelector('#panel-Time svg').getAttribute('aria-label')), null, { timeout: 240_000 });
  await page.screenshot({ path: join(pictures, 'playground_time.png') });

  await page.getByRole('tab', { name: 'Memory' }).click();
  assert.match(await text(page, 'Memory'), /MiB of memory.*line 1/s);
  assert.deepEqual(trouble, []);
  await page.close();
});

test('errors name their line, modes and builds are what the switches say', async () => {
  const { page } = await opened();
  await run(page, 'const a = np.arange(3);\na.mul(2);\n');
  assert.match(await text(page, 'Result'), /TypeError: numjit: arrays have no mul\. Hint: a\.multiply\(b\)\..*line 2/);
  assert.equal(await page.locator('.cm-faulty').textContent(), 'a.mul(2);');
  await page.selectOption('#build', 'scalar');
  await page.getByLabel('fullgraph').check();
  await run(page, 'const f = np.compile((x) => (x.sum() > 0 ? x : x.add(1)));\nf(np.ones(3));\n[np.build]');
  assert.match(await text(page, 'Result'), /GraphBreakError/);
  await page.selectOption('#mode', 'eager');
  await run(page, 'const f = np.compile((x) => x.add(1));\nf(np.ones(3));\nnp.build');
  assert.match(await text(page, 'Result'), /^scalar/);
  assert.match(await text(page, 'Graph'), /ran eagerly/);
  await page.close();
});

test('an endless program is stopped', async () => {
  const { page, trouble } = await opened();
  await page.locator('.cm-content').click();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText("show('before');\nfor (;;);");
  await page.keyboard.press('Control+Enter');
  await page.waitForFunction(() => document.querySelector('#panel-Result').textContent.includes('before'));
  await page.keyboard.press('Control+.');
  assert.equal(await page.locator('#status').textContent(), 'stopped');
  await run(page, 'np.arange(4).sum()');
  assert.match(await text(page, 'Result'), /^6/);
  assert.deepEqual(trouble, []);
  await page.close();
});

test('completion and hovering know the functions', async () => {
  const { page } = await opened();
  await run(page, 'np.arange(3)');
  await page.keyboard.press('Control+End');
  await page.keyboard.type('\nnp.linsp');
  await page.locator('.cm-tooltip-autocomplete').waitFor();
  assert.match(await page.locator('.cm-tooltip-autocomplete').textContent(), /^linspace\(start, stop, num\?/);
  await page.keyboard.press('Escape');
  await page.locator('.cm-line', { hasText: 'np.arange' }).locator('span', { hasText: 'arange' }).first().hover().catch(() => page.locator('.cm-line').first().hover({ position: { x: 45, y: 8 } }));
  await page.locator('.about-function').waitFor();
  assert.match(await page.locator('.about-function').textContent(), /^arange\(start, stop\?/);
  await page.close();
});

test('links hold program and switches', async () => {
  const { page } = await opened();
  await page.selectOption('#mode', 'replay');
  await run(page, "show('linked');\nnp.arange(2)");
  await page.getByRole('button', { name: 'Share link' }).click();
  await page.waitForFunction(() => window.location.hash.startsWith('#p='));
  const other = await opened(new URL(page.url()).hash);
  assert.match(await text(other.page, 'Result'), /^linked/);
  assert.equal(await other.page.locator('#mode').inputValue(), 'replay');
  const broken = await opened('#p=%%%');
  assert.match(await broken.page.locator('#status').textContent(), /^ran in/);
  for (const one of [page, other.page, broken.page]) await one.close();
});

test('without a network', async () => {
  const host = await serve(folders), context = await browser.newContext(), page = await context.newPage();
  await page.goto(`${host.url}/playground/`);
  await over(page);
  await page.waitForFunction(async () => {
    const cache = await caches.open('numjit-playground'), keys = (await cache.keys()).map(({ url }) => url);
    return ['simd.wasm', 'simd_secondary.wasm', 'worker.js', 'wabt.js', 'editor.js', '/playground/', 'style.css', 'programs.json', 'numjit.js', 'slots.js'].every((name) => keys.some((key) => key.endsWith(name)));
  }, null, { timeout: 30_000 });
  host.close();
  await page.reload();
  await over(page);
  await run(page, 'np.sort(np.array([3, 1, 2]))');
  assert.match(await text(page, 'Result'), /int64, 3, from 1 to 3/);
  await context.close();
});

test('by keyboard alone, and on a phone', async () => {
  const { page } = await opened();
  await page.locator('#tab-Result').focus();
  await page.keyboard.press('ArrowRight');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'tab-Graph');
  assert.equal(await page.locator('#tab-Graph').getAttribute('aria-selected'), 'true');
  assert.equal(await page.locator('#panel-Graph').isVisible(), true);
  await page.locator('.cm-content').click();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Tab');
  assert.notEqual(await page.evaluate(() => document.activeElement.closest('#editor')?.id), 'editor');
  const small = await page.evaluate(() => [...document.querySelectorAll('button, select, input')].map((one) => one.getBoundingClientRect())
    .filter(({ width, height }) => width > 0 && (width < 24 || height < 24)).length);
  assert.equal(small, 0, 'targets of less than 24 pixels');
  await page.setViewportSize({ width: 400, height: 860 });
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= 400);
  await page.screenshot({ path: join(pictures, 'playground_phone.png') });
  await page.close();
});
