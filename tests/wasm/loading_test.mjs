// load(): the same module for equal options, what it says where the machine or the page's policy has no WebAssembly, and where it looks for
// its files.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { scratch } from './native.mjs';

const { NUMJIT_PACKAGE: place } = process.env;
const folder = pathToFileURL(`${place}/`), entry = new URL('numjit.js', folder);
const { load } = await import(entry);
const { startWorker } = await import(new URL('worker.js', folder));

test('equal options load one module', async () => {
  const np = await load(), [again, beside] = await Promise.all([load({}), load({ complete: true })]);
  assert.ok(np === again && np === beside);
  assert.deepEqual(again.array([1, 2]).add(np.array([3, 4])).tolist(), [4, 6]);
  const simd = await load({ build: 'simd' }), scalar = await load({ build: 'scalar' });
  assert.ok(simd === await load({ build: 'simd', threads: 1 }) && simd !== scalar);
  assert.ok(await load({ base: folder }) === await load({ base: String(folder).slice(0, -1) }));
  const [one, two] = await Promise.all([load({ fresh: true }), load({ fresh: true })]);
  assert.ok(one !== np && one !== two);
  assert.throws(() => one.add(one.ones(2), two.ones(2)), { name: 'TypeError', message: /belongs to another numjit/ });
});

test('options that there are not', async () => {
  const refuses = (options, name, message) => assert.rejects(load(options), { name, message });
  await refuses(null, 'TypeError', "load: got null, expected an object of options: load({ build: 'simd' }).");
  await refuses('simd', 'TypeError', "load: got simd, expected an object of options: load({ build: 'simd' }).");
  await refuses({ bass: '/' }, 'TypeError', "load: unexpected option 'bass', expected one of build, base, threads, complete, integers, fresh. Hint: base.");
  await refuses({ fresh: 1 }, 'TypeError', 'load: fresh: got 1, expected true or false.');
  await refuses({ complete: 'now' }, 'RangeError', "load: complete: got 'now', expected true, false or 'idle'.");
  await refuses({ build: Symbol('s') }, 'RangeError', "load: build: got a symbol, expected 'simd' or 'scalar'.");
  await refuses({ integers: 'int16' }, 'RangeError', "load: integers: got 'int16', expected 'int64' or 'int32'.");
  await refuses({ base: 5 }, 'TypeError', 'load: base: got 5, expected a URL or a text.');
});

test('a load that fails can be tried again', async (t) => {
  const base = await scratch(t);
  await assert.rejects(load({ base }), ({ code, message }) => code === 'ENOENT' && /^numjit: .*simd\.wasm could not be read: ENOENT.* Hint: the \.wasm files/.test(message));
  for (const name of ['simd', 'simd_secondary']) await cp(join(place, `${name}.wasm`), join(base, `${name}.wasm`));
  assert.equal((await load({ base })).arange(3).sum().item(), 3);
});

/** What a program in a process of its own prints. */
async function printed(source, ...flags) {
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, '--input-type=module', '-e', source]);
  return stdout.trim();
}
const tries = (before) => `${before}
  const { load } = await import(${JSON.stringify(entry.href)});
  const { startWorker } = await import(${JSON.stringify(new URL('worker.js', folder).href)});
  for (const run of [() => load(), () => load({ build: 'scalar', threads: 2 }), () => startWorker('./jobs.mjs')]) console.log(await run().then(() => 'loaded', (error) => error.message));`;

test('without WebAssembly the import succeeds, and load() says what is missing', async () => {
  const missing = 'numjit: WebAssembly is missing here. Browsers have it since 2017, unless a setting (such as the Lockdown Mode of iOS) turns it off; '
    + 'Node has it unless it was started with --jitless.';
  for (const before of ['delete globalThis.WebAssembly;', 'globalThis.WebAssembly = undefined;', 'globalThis.WebAssembly = {};']) assert.equal(await printed(tries(before)), Array(3).fill(missing).join('\n'));
  assert.equal(await printed(tries(''), '--jitless'), Array(3).fill(missing).join('\n'));
});

test("under a policy without 'wasm-unsafe-eval' too", async () => {
  const policy = "WebAssembly.Module(): Refused to compile or instantiate WebAssembly module because neither 'wasm-eval' nor 'unsafe-eval' is an allowed source of script";
  const before = `const refuse = () => { throw new WebAssembly.CompileError(${JSON.stringify(policy)}); };
    WebAssembly.Module = class { constructor() { refuse(); } };
    for (const name of ['compile', 'instantiate', 'compileStreaming', 'instantiateStreaming']) WebAssembly[name] = async () => refuse();`;
  const said = `numjit: WebAssembly must not be compiled here: ${policy}. Hint: a page with a Content-Security-Policy needs 'wasm-unsafe-eval' among its sources of scripts: script-src 'self' 'wasm-unsafe-eval'.`;
  assert.equal(await printed(tries(before)), Array(3).fill(said).join('\n'));
});

const wayOut = "Hint: the .wasm files of the package belong beside the page's script, where bundlers such as esbuild and plain Rollup don't put them; "
  + "load({ base: '/numjit/' }) names another folder.";

test('a machine that knows too little, servers that have no module', async (t) => {
  const { compile } = WebAssembly, { fetch } = globalThis;
  t.after(() => { WebAssembly.compile = compile; globalThis.fetch = fetch; });
  WebAssembly.compile = async () => { throw new WebAssembly.CompileError('invalid opcode 0x6'); };
  await assert.rejects(load({ fresh: true }), { message: 'numjit: this machine can not compile the module: invalid opcode 0x6. It needs exceptions of WebAssembly: Chrome 95, Firefox 100, Safari 15.2, Node 18 or later.' });
  WebAssembly.compile = compile;
  const base = 'https://example.org/app/';
  globalThis.fetch = async () => new Response('<!doctype html>', { headers: { 'content-type': 'text/html' } });
  await assert.rejects(load({ base }), { message: 'numjit: https://example.org/app/simd.wasm is no module of WebAssembly: the server answered with something else, such as a page. Hint: load({ base }) names the folder of the .wasm files.' });
  globalThis.fetch = async () => { throw new TypeError('Failed to fetch'); };
  await assert.rejects(load({ base }), { message: `numjit: https://example.org/app/simd.wasm could not be fetched: Failed to fetch. ${wayOut}` });
  globalThis.fetch = async () => new Response('', { status: 404 });
  await assert.rejects(load({ base }), { message: `numjit: /app/simd.wasm was not served: status 404. ${wayOut}` });
});

test('base as seen from the page', async (t) => {
  const { fetch, document, location } = globalThis, asked = [];
  t.after(() => Object.assign(globalThis, { fetch, document, location }));
  globalThis.fetch = async (url) => {
    asked.push(String(url));
    return new Response(await readFile(join(place, new URL(url).pathname.split('/').pop())), { headers: { 'content-type': 'application/wasm' } });
  };
  const from = async (base) => {
    asked.length = 0;
    const np = await load({ base, fresh: true, complete: false });
    assert.deepEqual(np.sort([2, 1]).tolist(), [1, 2]); // of the rest, which is asked for at once
    return asked[0];
  };
  const page = 'https://example.org/app/index.html?x=1';
  globalThis.XMLHttpRequest = class {
    open(_, url) { this.url = url; }
    overrideMimeType() {}
    send() { Object.assign(this, { status: 200, responseText: this.constructor.bytes }); }
  };
  globalThis.XMLHttpRequest.bytes = (await readFile(join(place, 'simd_secondary.wasm'))).toString('latin1');
  globalThis.document = { baseURI: page };
  assert.equal(await from('/wasm/'), 'https://example.org/wasm/simd.wasm');
  assert.equal(await from('/wasm'), 'https://example.org/wasm/simd.wasm');
  assert.equal(await from('wasm'), 'https://example.org/app/wasm/simd.wasm');
  assert.equal(await from('../wasm/v1.2/'), 'https://example.org/wasm/v1.2/simd.wasm');
  assert.equal(await from('//cdn.example.com/n/'), 'https://cdn.example.com/n/simd.wasm');
  assert.equal(await from('https://cdn.example.com/n'), 'https://cdn.example.com/n/simd.wasm');
  assert.equal(await from(new URL('/numjit', page)), 'https://example.org/numjit/simd.wasm');
  assert.equal(await from('https://example.org/js/app.js?v=3#x'), 'https://example.org/js/simd.wasm');
  await assert.rejects(load({ base: 'https://' }), { name: 'TypeError', message: `load: base: got 'https://', which is no address as seen from ${page}.` });
  // In workers: their script's place, and for a script without one its origin.
  globalThis.document = undefined;
  globalThis.location = { href: 'https://example.org/js/worker.js', origin: 'https://example.org' };
  assert.equal(await from('wasm/'), 'https://example.org/js/wasm/simd.wasm');
  globalThis.location = { href: 'blob:https://example.org/1234', origin: 'https://example.org' };
  assert.equal(await from('/wasm/'), 'https://example.org/wasm/simd.wasm');
});

test('base as a path in Node, also of workers', async (t) => {
  const copy = join(await scratch(t), 'a folder');
  await cp(place, copy, { recursive: true, filter: (name) => !/scalar|threads/.test(name) });
  for (const base of [copy, `${copy}/`, relative(process.cwd(), copy), pathToFileURL(copy), String(pathToFileURL(`${copy}/`)), join(copy, 'numjit.js')])
    assert.equal((await load({ base, fresh: true, build: 'simd' })).sort([2, 1]).item(0), 1, String(base));
  const jobs = new URL('worker_jobs.mjs', import.meta.url);
  for (const [script, base] of [[jobs, new URL(`${pathToFileURL(copy)}/`)], [relative(process.cwd(), jobs.pathname), copy]]) {
    const worker = await startWorker(script, { base });
    t.after(() => worker.terminate());
    assert.ok(Object.keys(worker).length > 1);
  }
  await assert.rejects(startWorker(jobs, { bass: 1 }), { name: 'TypeError', message: /unexpected option 'bass'/ });
  await assert.rejects(startWorker(7), { name: 'TypeError', message: 'startWorker: jobs: got 7, expected a URL or a text.' });
});
