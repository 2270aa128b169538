// A plain static host, without special headers, and Chromium: for the browser tests and the bench.
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { extname, join, normalize } from 'node:path';

const types = {
  '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.mjs': 'text/javascript', '.css': 'text/css',
  '.wasm': 'application/wasm', '.json': 'application/json', '.md': 'text/plain; charset=utf-8',
};

/** The headers of cross-origin isolation, which threads need. */
export const isolation = { 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp' };

/** Serves folders by their first name: serve({ demos: '/path', ... }); { url, close() }. */
export async function serve(folders, headers = {}) {
  const server = createServer(async (request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, 'http://host').pathname));
    const [, first, ...rest] = path.split('/');
    let file = folders[first] && join(folders[first], ...rest);
    if (file && path.endsWith('/')) file = join(file, 'index.html');
    const found = file && await stat(file).catch(() => null);
    if (!found?.isFile()) return response.writeHead(404).end();
    response.writeHead(200, { ...headers, 'content-type': types[extname(file)] ?? 'application/octet-stream', 'content-length': found.size });
    return createReadStream(file).pipe(response);
  });
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** The system's Chromium, without a window. */
export async function openBrowser(args = []) {
  const { chromium } = createRequire(join(process.env.NUMJIT_NODE_MODULES, 'x.js'))('playwright-core');
  return chromium.launch({ executablePath: process.env.NUMJIT_BROWSER, args: ['--no-sandbox', '--disable-gpu', ...args] });
}

/** A page that collects what goes wrong in it: console errors, exceptions, missing files. */
export async function openPage(browser, options = {}) {
  const page = await browser.newPage(options), trouble = [];
  page.on('console', (message) => message.type() === 'error' && trouble.push(message.text()));
  page.on('pageerror', (error) => trouble.push(String(error)));
  page.on('requestfailed', (request) => trouble.push(`${request.url()}: ${request.failure()?.errorText}`));
  page.on('response', (response) => response.status() >= 400 && trouble.push(`${response.url()}: ${response.status()}`));
  return { page, trouble };
}
