// Kernel packs: graphs recorded in the page, compiled by the native program, loaded while the page runs. Same bits; what
// is no fitting pack is refused.
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { buildPack, run, scratch, skip } from './native.mjs';
import { bytes, functions, layouts } from './programs.mjs';

const folder = pathToFileURL(`${process.env.NUMJIT_PACKAGE}/`);
const { load } = await import(new URL('numjit.js', folder));
const { readText } = await import(new URL('text.js', folder));
/** The module itself, for its hashes. */
const module = await (await import(new URL('module.js', folder))).loadModule();

const sizes = [[1, 1], [3, 5], [7, 37], [40, 130], [3, 1500]];
const head = 'numjit graphs 1\n';
const stencil = (np, u) => { u.at('1:-1, 1:-1').set(u.at('1:-1, :-2').add(u.at('1:-1, 2:')).add(u.at(':-2, 1:-1')).add(u.at('2:, 1:-1')).multiply(np.float(0.25))); };

/** Runs everything compiled, twice: [what, the result's bytes] in order. */
function runAll(np) {
  const results = [];
  for (const dtype of ['float32', 'float64']) {
    for (const [rows, columns] of sizes) {
      for (const [a, b] of layouts(np, rows, columns, dtype)) {
        for (const [name, body] of Object.entries(functions)) {
          const compiled = np.compile((p, q) => body(np, p, q), { name });
          compiled(a, b);
          results.push([`${name} ${dtype} ${rows}x${columns}`, bytes(compiled(a, b))]);
        }
      }
    }
    const u = np.linspace(0, 1, 36, { dtype }).reshape(6, 6);
    const step = np.compile((v) => stencil(np, v), { name: 'stencil' });
    for (let i = 0; i < 3; ++i) step(u);
    results.push([`stencil ${dtype}`, bytes(u)]);
  }
  return results;
}

/** A pack with another description, and the checksum that it should have. Other bytes become one. */
function sealed(pack, change) {
  const marker = Buffer.from('\x0bnumjit.pack', 'latin1'), at = pack.lastIndexOf(marker);
  const json = Buffer.from(change(at < 0 ? '' : pack.subarray(at + marker.length + 32).toString()));
  const count = (n) => (n < 128 ? [n] : [(n & 127) | 128, ...count(n >> 7)]);
  let start = pack.length;
  if (at >= 0) {  // the section's kind and length stand before its name
    start = at - 1;
    while (pack[start - 1] & 128) --start;
    --start;
  }
  const body = Buffer.concat([marker, Buffer.alloc(32, 48), json]);
  const whole = Buffer.concat([pack.subarray(0, start), Buffer.from([0, ...count(body.length)]), body]);
  const address = module.nj_malloc(whole.length);
  module.bytes().set(whole, address);
  whole.write(readText(module, module.nj_hash(address, whole.length)), whole.length - json.length - 32);
  module.nj_free(address);
  return whole;
}

for (const target of ['simd', 'scalar']) {
  test(`${target}: a pack gives the bits of the page's own kernels`, { skip }, async (t) => {
    const recorder = await load({ fresh: true, build: target });
    assert.equal(recorder.recording(), head);
    const expected = runAll(recorder);
    const graphs = recorder.recording();
    assert.ok(graphs.startsWith(`${head}\nschedule elementwise size class 0 inner strides `));
    assert.ok(graphs.split('\n\n').length > 100, graphs.split('\n\n').length);
    const pack = await buildPack(t, graphs, target);

    const np = await load({ fresh: true, build: target });
    const loaded = await np.loadPack(pack);
    assert.deepEqual({ ...loaded, compiler: '' }, { target, compiler: '', kernels: graphs.split('\n\n').length - 1, replaced: 0 });
    assert.match(loaded.compiler, /^halide-\d+\.\d+\.\d+$/);
    for (const [i, [what, result]] of runAll(np).entries()) assert.equal(result, expected[i][1], what);
    assert.equal(np.recording({ missing: true }), head);
    assert.equal(np.recording(), graphs);

    // Into the page that has kernels of its own: they are replaced, functions compiled before use the new ones.
    const again = await recorder.loadPack(pack);
    assert.equal(again.replaced, again.kernels);
    assert.deepEqual(runAll(recorder), expected);
  });
}

test('a pack takes the place of kernels in use, and of those not made yet', { skip }, async (t) => {
  const function_ = (np) => np.compile((v) => v.multiply(np.float(3)).add(np.float(1)), { name: 'scale' });
  const np = await load({ fresh: true }), fresh = await load({ fresh: true });
  const scale = function_(np), x = np.linspace(0, 1, 1000);
  const expected = scale(x).tolist();
  const graphs = np.recording(), other = graphs.replace('add.dd->d', 'subtract.dd->d');
  assert.notEqual(other, graphs);
  const pack = await buildPack(t, other);
  assert.deepEqual((({ kernels, replaced }) => [kernels, replaced])(await np.loadPack(pack)), [1, 0]);
  assert.deepEqual(scale(x).tolist(), expected, 'a pack of another graph is not for this one');

  // The same code under this graph's name, so that one sees which kernel runs.
  const names = [other, graphs].map((text) => {
    const graph = Buffer.from(text.slice(head.length + 1)), address = module.nj_malloc(graph.length);
    module.bytes().set(graph, address);
    const name = readText(module, module.nj_graph_name(address, graph.length));
    module.nj_free(address);
    return name;
  });
  const renamed = Buffer.from(pack.toString('latin1').replace(names[0], names[1]), 'latin1');
  const forged = sealed(renamed, (json) => json.replace('subtract.dd->d', 'add.dd->d'));
  const less = expected.map((value) => value - 2);
  assert.equal((await np.loadPack(forged)).replaced, 1);
  const near = (got) => got.forEach((value, i) => assert.ok(Math.abs(value - less[i]) < 1e-12, `${value}, expected ${less[i]}`));
  near(scale(x).tolist());
  await fresh.loadPack(forged);
  near(function_(fresh)(fresh.linspace(0, 1, 1000)).tolist());

  assert.equal((await np.loadPack(await buildPack(t, graphs))).replaced, 1, 'the last one counts');
  assert.deepEqual(scale(x).tolist(), expected);
});

test('a page asks for the graph that native programs record', async () => {
  const np = await load({ fresh: true });
  np.compile((x) => x.multiply(np.float(2)).add(np.float(1)).sum())(np.linspace(0, 1, 40));
  assert.equal(np.recording(), await readFile(new URL('sum_graph.txt', import.meta.url), 'utf8'));
});

test('a pack brings what the page could not make', { skip }, async (t) => {
  const np = await load({ fresh: true });
  const x = np.linspace(0, 1, 60).reshape(20, 3);
  const body = (a) => np.exp(a.multiply(np.float(3))).sum({ axis: 0 });
  const expected = bytes(body(x));
  const compiled = np.compile(body, { name: 'sums' });
  const { Module } = WebAssembly, { warn } = console;
  try {
    WebAssembly.Module = class { constructor() { throw new RangeError('out of memory'); } };
    console.warn = () => {};
    assert.equal(bytes(compiled(x)), expected);
  } finally {
    WebAssembly.Module = Module;
    console.warn = warn;
  }
  assert.deepEqual(np.missingKernels().map(({ ops }) => ops.join(' ')), ['multiply exp sum']);
  const { kernels, replaced } = await np.loadPack(await buildPack(t, np.recording({ missing: true })));
  assert.deepEqual([kernels, replaced], [1, 0]);
  assert.deepEqual(np.missingKernels(), []);
  assert.equal(bytes(compiled(x)), expected);
  assert.equal(np.recording({ missing: true }), head);
  assert.equal(np.recording().split('\n\n').length, 2, 'it was asked for again');
});

test('kernels of packs that take memory give it back', { skip }, async (t) => {
  const recorder = await load({ fresh: true }), np = await load({ fresh: true });
  const body = (lib, v) => v.subtract(v.mean({ axis: 0 })).square().sum({ axis: 0 });
  recorder.compile((v) => body(recorder, v))(recorder.ones([40, 30]));
  await np.loadPack(await buildPack(t, recorder.recording()));
  const compiled = np.compile((v) => body(np, v)), x = np.ones([40, 30]);
  for (let i = 0; i < 100; ++i) compiled(x).dispose();
  const before = np.memory();
  for (let i = 0; i < 20000; ++i) compiled(x).dispose();
  assert.equal(np.memory(), before);
});

test('what is no fitting pack is refused', { skip }, async (t) => {
  const np = await load({ fresh: true });
  const f = np.compile((v) => v.add(np.float(1)), { name: 'f' });
  f(np.linspace(0, 1, 5));
  const graphs = np.recording();
  const pack = await buildPack(t, graphs), scalar = await buildPack(t, graphs, 'scalar');
  const refused = (bytesOf, what) => assert.rejects(np.loadPack(bytesOf), { name: 'OSError', message: `np.loadPack: the pack: ${what}.` });

  await refused(new TextEncoder().encode('<!doctype html>'), 'not a pack: it is no module of WebAssembly');
  await refused(new Uint8Array(0), 'not a pack: it is no module of WebAssembly');
  await refused(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]), 'not a pack, or cut short: its last section is not numjit.pack');
  await refused(pack.subarray(0, pack.length - 1), `cut short: got ${pack.length - 1} bytes, expected at least ${pack.length}`);
  await refused(pack.subarray(0, 11), `cut short: got 11 bytes, expected at least ${10 + pack[9]}`);
  for (const at of [20, pack.length >> 1, pack.length - 5]) {
    const damaged = Buffer.from(pack);
    damaged[at] ^= 1;
    await assert.rejects(np.loadPack(damaged), { name: 'OSError', message: /^np\.loadPack: the pack: (damaged: its checksum differs|cut short: .*)\.$/ });
  }
  await refused(scalar, 'made for the scalar build of numjit, this is the simd build. Build one with --target simd, and load the pack that np.build names');
  const changed = (from, to) => sealed(pack, (text) => text.replace(from, to));
  await refused(changed('"format":1', '"format":2'), 'made by another numjit: format 2, this one reads 1. Build it anew');
  await refused(changed('"abi":1', '"abi":7'), "made by another numjit: its kernels are called in way 7, this one's in way 1. Build it anew");
  await refused(changed(/"bits":\d+/, '"bits":99'), `made for bits version 99, this numjit computes version ${/"bits":(\d+)/.exec(pack)[1]}: results would differ. Build it anew`);
  await refused(changed('{"format"', '["format"'), "damaged: its description can't be read");
  await refused(changed('schedule elementwise', 'schedule elementwisE'), 'damaged: a graph has no function');
  await assert.rejects(np.loadPack(42), { name: 'TypeError', message: "np.loadPack: got Number, expected a URL, a Response, a Blob or the file's bytes." });
  const file = join(await scratch(t), 'my pack.wasm');
  await writeFile(file, pack);
  assert.equal((await np.loadPack(pathToFileURL(file))).kernels, 1);
  assert.equal((await np.loadPack(new Response(pack))).kernels, 1);
  await assert.rejects(np.loadPack(new Response('', { status: 404 })), { name: 'OSError', message: /was not served: status 404\.$/ });

  // A foreign module that calls itself a pack.
  const foreign = sealed(Buffer.from('\0asm\x01\0\0\0\x01\x04\x01\x60\0\0\x02\x0c\x01\x03env\x04quit\0\0', 'latin1'), () => JSON.stringify(
    { format: 1, abi: 1, bits: Number(/"bits":(\d+)/.exec(pack)[1]), target: 'simd', compiler: '', graphs: [] }));
  await refused(foreign, 'it wants function env.quit, which kernels have no use for');
});

test('the program says what it packs', { skip }, async (t) => {
  const place = await scratch(t), graphs = join(place, 'graphs.txt'), pack = join(place, 'pack.wasm');
  const np = await load({ fresh: true });
  np.compile((v) => v.add(np.float(1)).sum(), { name: 'f' })(np.linspace(0, 1, 5));
  await writeFile(graphs, np.recording());
  const built = await run('pack', 'build', graphs, graphs, '-o', pack);
  assert.equal(built.status, 0);
  assert.match(built.stdout, /pack\.wasm: 1 kernels for simd, \d\.\d+ KiB\n$/);
  const listed = await run('pack', 'list', pack);
  assert.match(listed.stdout, /^target simd, bits version \d+, made by halide-[\d.]+\nnj_[0-9a-f]{16} rows: add sum\n$/);
});
