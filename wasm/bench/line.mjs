// How long a visitor waits for the first result: an empty cache, files compressed by brotli, and a line of that latency and rate,
// which Chromium plays.
import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { openBrowser } from '../../tests/browser/site.mjs';

export const line = { latency: 80, megabits: 20, rounds: 5 };
const types = { '.html': 'text/html', '.js': 'text/javascript', '.wasm': 'application/wasm' };
const work = `const f = np.compile((x) => np.sqrt(x.multiply(x).add(1)).sum());
  window.result = { value: f(np.arange(1000, { dtype: 'float32' })).item(), ms: performance.now() };`;
const pages = {
  bundle: `<!doctype html><link rel="preload" href="/simd.wasm" as="fetch" crossorigin><script src="/numjit.bundle.js"></script><script type="module">
  const np = await numjit.load();\n  ${work}</script>`,
  modules: `<!doctype html><script type="module">import { load } from '/numjit.js';\n  const np = await load();\n  ${work}</script>`,
};

/** Serves a folder's files and the pages; counts what is asked for. */
async function serveCompressed(folder) {
  const kept = new Map(), asked = [];
  const server = createServer(async (request, response) => {
    const name = request.url.slice(1), page = pages[name.replace('.html', '')];
    try {
      const bytes = kept.get(name) ?? brotliCompressSync(page ?? await readFile(join(folder, name)), { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 } });
      kept.set(name, bytes);
      asked.push(bytes.length);
      response.writeHead(200, { 'content-type': types[extname(name)] ?? 'text/plain', 'content-encoding': 'br', 'content-length': bytes.length }).end(bytes);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  return { server, asked, url: `http://127.0.0.1:${server.address().port}` };
}

/** { bundle, modules: { ms, requests, kilobytes } }: the median of some visits. */
export async function measureLine(folder) {
  const { server, asked, url } = await serveCompressed(folder), found = {};
  for (const name of Object.keys(pages)) {
    const times = [];
    for (let round = -1; round < line.rounds; ++round) { // the first compresses
      const browser = await openBrowser(), page = await browser.newPage();
      const session = await page.context().newCDPSession(page);
      await session.send('Network.enable');
      await session.send('Network.emulateNetworkConditions', { offline: false, latency: line.latency, downloadThroughput: line.megabits * 125_000, uploadThroughput: line.megabits * 125_000 });
      asked.length = 0;
      await page.goto(`${url}/${name}.html`);
      await page.waitForFunction(() => window.result, null, { timeout: 60_000 });
      const { value, ms } = await page.evaluate(() => window.result);
      if (Math.abs(value / 499_504.2 - 1) > 1e-4) throw new Error(`${name}: the first result is ${value}`);
      if (round >= 0) times.push(ms);
      found[name] = { requests: asked.length, kilobytes: asked.reduce((sum, n) => sum + n, 0) / 1000 };
      await browser.close();
    }
    found[name].ms = times.sort((a, b) => a - b)[times.length >> 1];
  }
  server.close();
  return found;
}
