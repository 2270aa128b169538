// numjit serve: pages with the right headers, kernels for the graphs that pages send, and nothing for anybody else.
import assert from 'node:assert/strict';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { connect as connectSocket } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { run, scratch, serve, skip } from './native.mjs';
import { bytes } from './programs.mjs';

const folder = pathToFileURL(`${process.env.NUMJIT_PACKAGE}/`);
const { load } = await import(new URL('numjit.js', folder));
const { connect } = await import(new URL('develop.js', folder));
const head = 'numjit graphs 1\n';
const graphsType = 'application/x-numjit-graphs';

const until = async (holds) => {
  for (let i = 0; i < 600; ++i) {
    if (await holds()) return;
    await pause(100);
  }
  assert.fail('it did not come about within a minute');
};
const exists = (path) => stat(path).then(() => true, () => false);

/** One request by hand, with any headers: { status, headers, text }. */
function ask(address, { method = 'GET', path = '/', headers = {}, body } = {}) {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(address);
    const sent = request({ hostname, port, method, path, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('latin1').on('data', (part) => { text += part; }).on('end', () => resolve({ status: response.statusCode, headers: response.headers, text }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
const post = (address, body, headers = {}, path = '/numjit/graphs?target=simd') => ask(address, {
  method: 'POST', path, body, headers: { 'content-type': graphsType, 'content-length': Buffer.byteLength(body), ...headers } });

test('a page runs its own kernels, then those of the server, which keeps them', { skip }, async (t) => {
  const place = await scratch(t);
  const server = await serve(t, place);
  const np = await load({ fresh: true });
  const blur = np.compile((u) => { u.at('1:-1').set(u.at(':-2').add(u.at('2:')).multiply(np.float(0.5))); return u.sum(); }, { name: 'blur' });
  const start = np.linspace(0, 1, 1000);
  const first = [start.copy(), start.copy()];
  const expected = [bytes(blur(first[0])), bytes(first[0])];
  const connection = connect(np, { server: server.address, interval: 20 });
  t.after(() => connection.close());
  await until(() => np.recording({ missing: true }) === head);
  assert.deepEqual([bytes(blur(first[1])), bytes(first[1])], expected);

  // A graph met later, while it is connected; sync() waits for its kernel.
  const more = np.compile((u) => np.exp(u).mean(), { name: 'more' });
  const mean = bytes(more(start));
  await connection.sync();
  assert.equal(np.recording({ missing: true }), head);
  assert.equal(bytes(more(start)), mean);
  assert.deepEqual(await connection.sync(), { kernels: 0, replaced: 0, failures: 0 });
  assert.ok(server.lines.some((line) => /^compiled nj_[0-9a-f]{16} rows: exp sum \(\d+ ms\)$/.test(line)), server.lines.join('\n'));

  assert.equal(await server.stop(), 0);
  const pack = await readFile(join(place, 'kernels.simd.wasm'));
  const shipped = await load({ fresh: true });
  const { kernels } = await shipped.loadPack(pack);
  assert.equal(kernels, np.recording().split('\n\n').length - 1);
  assert.equal(bytes(shipped.compile((u) => shipped.exp(u).mean())(shipped.linspace(0, 1, 1000))), mean);

  // The next server goes on with the same pack.
  const next = await serve(t, place);
  assert.ok(next.lines.includes(`taking up the ${kernels} graphs of ${join(place, 'kernels.simd.wasm')}`), next.lines.join('\n'));
  await until(async () => JSON.parse((await ask(next.address, { path: '/numjit/status' })).text).kernels === kernels);
  assert.equal(await next.stop('SIGTERM'), 0);
  assert.deepEqual(await readFile(join(place, 'kernels.simd.wasm')), pack);
});

test('files, their types and headers', { skip }, async (t) => {
  const place = await scratch(t);
  await writeFile(join(place, 'index.html'), '<!doctype html>page');
  await writeFile(join(place, 'code.mjs'), 'export {};');
  await writeFile(join(place, 'simd.wasm'), '\0asm');
  await mkdir(join(place, '.git'));
  await writeFile(join(place, '.git', 'config'), 'secret');
  await writeFile(join(place, '.env'), 'secret');
  const { address } = await serve(t, place);
  const page = await ask(address);
  assert.equal(page.text, '<!doctype html>page');
  const { 'cross-origin-opener-policy': opener, 'cross-origin-embedder-policy': embedder, 'cross-origin-resource-policy': resource,
    'cache-control': cache, 'content-type': type } = page.headers;
  assert.deepEqual([opener, embedder, resource, cache, type], ['same-origin', 'require-corp', 'same-origin', 'no-store', 'text/html']);
  assert.equal((await ask(address, { path: '/code.mjs' })).headers['content-type'], 'text/javascript');
  assert.equal((await ask(address, { path: '/simd.wasm' })).headers['content-type'], 'application/wasm');
  for (const path of ['/.git/config', '/.env', '/%2egit/config', '/x/../.env', '/../../etc/passwd', '/..%2f..%2fetc/passwd', '/none.html']) {
    const answer = await ask(address, { path });
    assert.equal(answer.status, 404, path);
    assert.match(answer.text, /^numjit serve: .*\n$/, path);
    assert.equal(answer.headers['cross-origin-embedder-policy'], 'require-corp', path);
  }
  assert.equal((await ask(address, { path: '/none.html' })).text, 'numjit serve: /none.html has no answer to GET: status 404.\n');
  assert.deepEqual(JSON.parse((await ask(address, { path: '/numjit/status' })).text), { numjit: 'serve', target: 'simd', kernels: 0 });
});

test('only graph files of its own pages are taken', { skip }, async (t) => {
  const place = await scratch(t);
  const { address } = await serve(t, place);
  const { port, host } = new URL(address);
  const refused = async (answer, status, text) => {
    const { status: got, text: said } = await answer;
    assert.deepEqual([got, said], [status, `numjit serve: ${text}\n`]);
  };
  const graph = `${head}\nschedule elementwise size class 0 inner strides 11 exact\noperands d\nscalars \n%0 = operand 0\n%1 = negative.d->d(%0)\noutputs %1\n`;
  await refused(ask(address, { headers: { host: 'numjit.example' } }), 403, `got the host 'numjit.example', expected 127.0.0.1:${port}.`);
  await refused(post(address, graph, { host: `evil.example:${port}` }), 403, `got the host 'evil.example:${port}', expected 127.0.0.1:${port}.`);
  await refused(post(address, graph, { origin: 'https://evil.example' }), 403, "got a request of 'https://evil.example', expected one of a page of this server.");
  await refused(post(address, graph, { origin: 'null' }), 403, "got a request of 'null', expected one of a page of this server.");
  await refused(post(address, graph, { 'content-type': 'text/plain' }), 415, `got content of type 'text/plain', expected ${graphsType}.`);
  await refused(post(address, graph, {}, '/numjit/graphs?target=scalar'), 409, "the page runs the 'scalar' build of numjit: this server compiles for simd. Start it with --target scalar.");
  await refused(post(address, graph, {}, '/numjit/other'), 404, '/numjit/other has no answer to POST: status 404.');
  await refused(post(address, 'MZ\x90\0'), 400, "[graphs] no graph file: it does not begin with 'numjit graphs'");
  await refused(post(address, graph.replace('negative', 'system')), 400, "[graphs] graph 1: unknown operation 'system'");
  await refused(post(address, `${graph}\n<script>`), 400, '[graphs] graph 2: a graph is cut short: it has one line');
  await refused(post(address, head + 'x'.repeat(1 << 20)), 413, 'graph files have at most 1048576 bytes.');
  // Without a length.
  await refused(ask(address, { method: 'POST', path: '/numjit/graphs?target=simd', body: head + 'x'.repeat(2 << 20), headers: { 'content-type': graphsType, 'transfer-encoding': 'chunked' } }),
    413, 'graph files have at most 1048576 bytes.');
  for (const method of ['PUT', 'DELETE', 'OPTIONS', 'PATCH']) assert.equal((await ask(address, { method, path: '/numjit/graphs' })).status, 404, method);
  // What is no HTTP, and headers without end.
  for (const text of ['\x16\x03\x01\x02\0', `GET /${'a'.repeat(100000)} HTTP/1.1\r\n\r\n`, `GET / HTTP/1.1\r\nHost: ${host}\r\nX: ${'b'.repeat(100000)}\r\n\r\n`]) {
    await new Promise((resolve) => {
      const socket = connectSocket(Number(port), '127.0.0.1', () => socket.write(text, 'latin1'));
      socket.on('data', () => socket.end()).on('error', resolve).on('close', resolve).setTimeout(8000, () => socket.destroy());
    });
  }
  const good = await post(address, graph, { origin: `http://localhost:${port}` });
  assert.equal(good.status, 200);
  assert.equal(good.headers['content-type'], 'application/wasm');
  assert.ok(good.text.startsWith('\0asm'));
  assert.equal((await post(address, head)).status, 204);
  await until(() => exists(join(place, 'kernels.simd.wasm')));
});

test('too many requests are put off', { skip }, async (t) => {
  const { address } = await serve(t, await scratch(t));
  const answers = await Promise.all(Array.from({ length: 300 }, () => post(address, head)));
  const put = answers.filter((answer) => answer.status === 429);
  assert.ok(put.length > 0 && put.length <= 240, String(put.length));
  assert.equal(put[0].text, 'numjit serve: more than 30 requests a second. Ask again later.\n');
  assert.equal(put[0].headers['retry-after'], '1');
  await pause(1100);
  assert.equal((await post(address, head)).status, 204);
});

test('a page says what the server says', { skip }, async (t) => {
  const server = await serve(t, await scratch(t), '--target', 'scalar');
  const np = await load({ fresh: true });
  np.compile((v) => v.add(np.float(1)))(np.ones(3));
  const connection = connect(np, { server: server.address, interval: 1e6 });
  t.after(() => connection.close());
  await assert.rejects(connection.sync(), { message: `numjit: ${server.address} answers: numjit serve: the page runs the 'simd' build of numjit: this server compiles for scalar. Start it with --target simd.` });
  assert.deepEqual(await connection.sync(), { kernels: 0, replaced: 0, failures: 0 }, 'said once');
  assert.throws(() => connect(np), { name: 'TypeError', message: 'connect: got no server, expected its address, such as http://127.0.0.1:8080.' });
});

test('what keeps it from beginning', { skip }, async (t) => {
  const place = await scratch(t);
  const refused = async (args, text) => {
    const { status, stderr } = await run('serve', ...args);
    assert.deepEqual([status, stderr], [2, `numjit: ${text}\n`]);
  };
  await refused([join(place, 'none')], `[serve] ${join(place, 'none')}: no such folder. Name the one that holds your page.`);
  await refused([place, '--target', 'arm'], "[pack] target: got 'arm', expected simd or scalar.");
  const { address } = await serve(t, place);
  const { port } = new URL(address);
  await refused([place, '--port', port], `[serve] port ${port} of 127.0.0.1 can't be had. Name another one by --port, or 0 for any.`);
  await writeFile(join(place, 'foreign.wasm'), 'GIF89a');
  await refused([place, '--port', '0', '--pack', join(place, 'foreign.wasm')], `[pack] ${join(place, 'foreign.wasm')}: not a pack: it is no module of WebAssembly`);
});
