// Before and while the module comes, in Chromium: clicks on demos, policies, addresses of the files.
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isolation, openBrowser, openPage, serve } from './site.mjs';

const { NUMJIT_SITE: folder } = process.env;
const folders = { package: join(folder, 'package'), demos: join(folder, 'demos'), docs: join(folder, 'docs'), tests: fileURLToPath(new URL('..', import.meta.url)) };
const site = await serve(folders), browser = await openBrowser();
after(async () => {
  await browser.close();
  site.close();
});

const demos = (await readdir(join(folder, 'demos'))).filter((name) => name.endsWith('.html') && name !== 'index.html');
for (const demo of demos) {
  test(`${demo}: clicks that come before the module`, async () => {
    const { page, trouble } = await openPage(browser, { viewport: { width: 1280, height: 860 } });
    let release;
    const held = new Promise((go) => { release = go; });
    await page.route('**/simd.wasm', async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(`${site.url}/demos/${demo}?engine=eager`);
    await page.locator('.switch button').first().waitFor();
    const pressed = () => page.evaluate(() => [...document.querySelectorAll('.switch button')].map((button) => button.getAttribute('aria-pressed')));
    assert.deepEqual(await pressed(), ['false', 'true', 'false']);
    await page.waitForFunction(() => window.figures.mode === 'js' && window.figures.frames > 3, null, { timeout: 30_000 }); // plain JavaScript runs meanwhile
    assert.match(await page.locator('.bar [role=status]').textContent(), /^Loading numjit/);
    for (const name of ['compiled', 'eager', 'plain JS']) await page.getByRole('button', { name, exact: true }).click();
    for (const button of await page.locator('.controls button').all()) await button.click();
    for (const slider of await page.locator('.controls input').all()) await slider.press('ArrowRight');
    await page.locator('canvas').click();
    assert.deepEqual(await pressed(), ['false', 'false', 'true']);
    release();
    await page.waitForFunction(() => window.figures.mode === 'js' && window.figures.frames > 3, null, { timeout: 60_000 });
    assert.deepEqual([await pressed(), trouble], [['false', 'false', 'true'], []]);
    await page.close();
  });
}

/** What a page of this policy gets of load(options). */
async function loaded(headers, options, before) {
  const own = await serve(folders, headers);
  const { page } = await openPage(browser);
  if (before) await page.addInitScript(before);
  await page.goto(`${own.url}/tests/browser/empty.html`);
  const found = await page.evaluate(async (given) => {
    const { load } = await import('/package/numjit.js');
    return load(given).then((np) => np.arange(5).sum().item(), (error) => error.message);
  }, options);
  await page.close();
  own.close();
  return found;
}

test('a policy without WebAssembly, a browser without it', async () => {
  assert.match(await loaded({ 'content-security-policy': "script-src 'self' 'unsafe-inline'" }), /^numjit: WebAssembly must not be compiled here: .*Content.Security.Policy.*Hint: a page with a Content-Security-Policy needs 'wasm-unsafe-eval'/s);
  assert.equal(await loaded({ 'content-security-policy': "script-src 'self' 'wasm-unsafe-eval'" }), 10);
  // What docs/wasm.md says a policy needs: of files, and of threads and workers.
  const strict = "default-src 'none'; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'; connect-src 'self'; worker-src 'self'";
  assert.equal(await loaded({ 'content-security-policy': strict, ...isolation }, { threads: 2 }), 10);
  assert.match(await loaded({}, {}, () => { delete window.WebAssembly; }), /^numjit: WebAssembly is missing here\./);
});

test('the folder of the files as the page sees it', async () => {
  for (const base of ['/package/', '/package', '../../package/']) assert.equal(await loaded({}, { base }), 10, base);
  assert.match(await loaded({}, { base: '/nowhere/' }), /^numjit: \/nowhere\/simd\.wasm was not served: status 404\. Hint: the \.wasm files of the package belong beside the page's script/);
});
