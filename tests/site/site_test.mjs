// The site of ./dev docs: every link leads somewhere, and in Chromium, from files without a server, its pages stand as they should:
// on a desktop, on a phone and in the dark, without errors in the console and without complaints of axe. Pictures of them are kept.
import assert from 'node:assert/strict';
import { mkdir, readFile, readdir, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { openBrowser, openPage, serve } from '../browser/site.mjs';

const { NUMJIT_SITE_PAGES: folder, NUMJIT_SCREENSHOTS: pictures, NUMJIT_NODE_MODULES: modules } = process.env;
const axe = await readFile(createRequire(join(modules, 'x.js')).resolve('axe-core/axe.min.js'), 'utf8');
const KINDS = {
  desktop: { viewport: { width: 1280, height: 800 } },
  phone: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
  dark: { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' },
};
const PAGES = ['index', 'tutorials/arrays', 'gallery/index', 'gallery/mandelbrot', 'reports/life', 'reports/kmeans', 'compile', 'breaks/README', 'breaks/NJ0001', 'errors/ValueError',
  'numpy_coverage', 'ops', 'performance', 'reference/cpp', 'reference/cpp/np_manipulation', 'reference/python/linalg', 'search'];

await mkdir(pictures, { recursive: true });
const browser = await openBrowser(['--allow-file-access-from-files']);
after(() => browser.close());
const address = (page) => `${pathToFileURL(join(folder, page))}.html`;

/** Opens a page of the site, checks what holds for all, and closes it after `look`. */
async function visit(name, options, look = async () => {}) {
  const { page, trouble } = await openPage(browser, options);
  await page.goto(address(name));
  await look(page);
  assert.deepEqual(trouble, [], name);
  await page.close();
}

test('every link leads to a file, and to a place in it', async () => {
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.html') && !/^(demos|files|package|reports)\//.test(name));
  const pages = new Map();
  for (const name of names) {
    const text = (await readFile(join(folder, name), 'utf8')).replace(/<(script|style)\b.*?<\/\1>/gs, '');
    pages.set(join(folder, name), { text, ids: new Set([...text.matchAll(/\bid="([^"]*)"/g)].map(([, id]) => id)) });
  }
  const wrong = [];
  let links = 0;
  for (const [path, { text }] of pages) {
    for (const [, link] of text.matchAll(/\b(?:href|src)="([^"]*)"/g)) {
      if (/^(https?|data|mailto):/.test(link)) continue;
      links += 1;
      const [file, anchor] = decodeURIComponent(link.replaceAll('&amp;', '&')).split('#');
      const target = file ? resolve(dirname(path), file.split('?')[0]) : path;
      const known = pages.get(target);
      if (!known && !(await stat(target).catch(() => null))?.isFile()) wrong.push(`${relative(folder, path)}: ${link}`);
      else if (anchor && known && !known.ids.has(anchor)) wrong.push(`${relative(folder, path)}: ${link} (no such place)`);
    }
  }
  assert.ok(pages.size > 150 && links > 5000, `${pages.size} pages, ${links} links`);
  assert.deepEqual(wrong, []);
});

for (const [kind, options] of Object.entries(KINDS)) {
  for (const name of PAGES) {
    test(`${name}, ${kind}`, async () => {
      await visit(name, options, async (page) => {
        await page.screenshot({ path: join(pictures, `${name.replaceAll('/', '_')}_${kind}.png`), fullPage: name === 'index' });
        const wider = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        assert.equal(wider, 0, 'the page scrolls sideways');
        if (kind === 'phone') return; // the same elements in the same colours
        await page.evaluate(axe);
        const found = await page.evaluate(() => window.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'] }));
        assert.ok(found.passes.length > 10);
        assert.deepEqual(found.violations.map(({ id, nodes }) => `${id}: ${nodes.length}, as ${nodes[0].html.slice(0, 150)} ${nodes[0].failureSummary}`), []);
      });
    });
  }
}

test('the first page is less than 200 KB without pictures', async () => {
  const site = await serve({ html: folder });
  try {
    const { page } = await openPage(browser);
    let bytes = 0;
    page.on('response', async (response) => {
      if (!/\.(svg|png|jpg)$/.test(response.url())) bytes += Number(response.headers()['content-length'] ?? 0);
    });
    await page.goto(`${site.url}/html/index.html`, { waitUntil: 'networkidle' });
    assert.ok(bytes > 20_000 && bytes < 200_000, `${bytes} bytes`);
    await page.close();
  } finally {
    site.close();
  }
});

test('search finds pages without a server', async () => {
  const { page, trouble } = await openPage(browser);
  for (const [words, expected] of [['recompile limit', 'compile.html'], ['moveaxis', 'np_manipulation.html'], ['NJ0005', 'breaks/NJ0005.html']]) {
    await page.goto(`${address('search')}?q=${encodeURIComponent(words)}`);
    await page.waitForSelector('ul.search li a');
    const found = await page.$$eval('ul.search li a', (links) => links.map((link) => link.getAttribute('href')));
    assert.ok(found.some((link) => link.includes(expected)), `${words}: ${found.slice(0, 5)}`);
  }
  assert.deepEqual(trouble, []);
  await page.close();
});

test('a language that is chosen once is chosen in all tabs', async () => {
  await visit('tutorials/arrays', {}, async (page) => {
    const shown = () => page.$$eval('.tab-set > input:checked + label', (labels) => labels.map((label) => label.textContent.trim()));
    assert.deepEqual(new Set(await shown()), new Set(['C++']));
    await page.click('.tab-set label:has-text("Python") >> nth=0');
    assert.deepEqual(new Set(await shown()), new Set(['Python']));
    assert.equal((await shown()).length, 4);
  });
});

test('demos stand beside the pages', async (t) => {
  if (!(await stat(join(folder, 'package')).catch(() => null))) return t.skip('the site was built without the JavaScript package');
  const site = await serve(Object.fromEntries(['demos', 'package', 'playground', 'docs'].map((name) => [name, join(folder, name)])));
  try {
    const { page, trouble } = await openPage(browser);
    await page.goto(`${site.url}/demos/index.html`);
    await page.waitForFunction(() => document.body.dataset.ready === 'yes', null, { timeout: 60_000 });
    assert.ok((await page.$$('.gallery li')).length >= 8);
    await page.screenshot({ path: join(pictures, 'demos_desktop.png') });
    await page.goto(`${site.url}/playground/index.html`);
    await page.waitForFunction(() => /^ran in /.test(document.querySelector('#status').textContent), null, { timeout: 60_000 });
    assert.deepEqual(trouble, []);
    await page.close();
  } finally {
    site.close();
  }
  return undefined;
});
