// Jobs in a worker: in Node and in Chromium.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

const { startWorker, transfer } = await import(new URL('worker.js', pathToFileURL(`${process.env.NUMJIT_PACKAGE}/`)));
const { load } = await import(new URL('numjit.js', pathToFileURL(`${process.env.NUMJIT_PACKAGE}/`)));
const jobs = new URL('worker_jobs.mjs', import.meta.url);

test('jobs get arrays and give arrays', async () => {
  const worker = await startWorker(jobs), np = await load();
  const doubled = await worker.double(new Float32Array([1, 2, 3]));
  assert.deepEqual(doubled, { shape: [3], dtype: 'float32', data: new Float32Array([2, 4, 6]) });
  assert.deepEqual(np.array(doubled).tolist(), [2, 4, 6]);
  const { whole, list } = await worker.several({ a: np.arange(4).reshape(2, 2), by: 10 });
  assert.deepEqual([whole.shape, [...whole.data], list[0].data[0]], [[2, 2], [0n, 10n, 20n, 30n], 6n]);
  worker.terminate();
});

test('typed arrays are copied, or moved where that is asked for', async () => {
  const worker = await startWorker(jobs);
  const stays = new Float64Array([1, 2]), goes = new Float64Array([3, 4]);
  assert.deepEqual((await worker.double(stays)).data, new Float64Array([2, 4]));
  assert.deepEqual((await worker.double(transfer(goes))).data, new Float64Array([6, 8]));
  assert.deepEqual([stays.length, goes.length], [2, 0]);
  worker.terminate();
});

test('jobs run in order, keep state, and leave nothing behind', async () => {
  const worker = await startWorker(jobs);
  const sums = await Promise.all([1, 2, 3].map((value) => worker.add(value)));
  assert.deepEqual(sums, [1, 3, 6]);
  const before = await worker.alive();
  for (let i = 0; i < 5; ++i) await worker.double(new Float32Array(100));
  assert.ok(await worker.alive() <= before); // fewer where what add() made before has been collected
  assert.equal(await worker.later(5), 10);
  worker.terminate();
});

test('errors of jobs come back by name', async () => {
  const worker = await startWorker(jobs);
  await assert.rejects(worker.fail(), { name: 'ValueError', message: /cannot reshape array of size 3/ });
  assert.equal(await worker.later(1), 2);
  worker.terminate();
});

test('a worker that is ended rejects what it had to do', async () => {
  const worker = await startWorker(jobs);
  const running = worker.forever(), waiting = worker.add(1);
  const both = Promise.all([
    assert.rejects(running, { name: 'WorkerError', message: "numjit: the worker ended in 'forever': terminate() was called." }),
    assert.rejects(waiting, { name: 'WorkerError', message: /the worker ended in 'add'/ }),
  ]);
  worker.terminate();
  await both;
  await assert.rejects(worker.add(1), { name: 'WorkerError', message: "numjit: 'add' was not run, the worker has ended: terminate() was called." });
});

test('jobs that can not be loaded', async () => {
  await assert.rejects(startWorker(new URL('no_such_jobs.mjs', import.meta.url)), { message: /no_such_jobs/ });
});
