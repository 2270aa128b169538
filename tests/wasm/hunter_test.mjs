// Everything that the package exports, called with wrong kinds of everything: an answer, or an error in our own words. HUNT_SECONDS (10)
// is how long it hunts, HUNT_SEED which calls it makes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';

const folder = String(pathToFileURL(`${process.env.NUMJIT_PACKAGE}/`));
const seconds = Number(process.env.HUNT_SECONDS || 10), first = Number(process.env.HUNT_SEED || Date.now() % 2 ** 31);
const mostSilence = 60_000;

for (const [i, build] of ['simd', 'scalar'].entries()) {
  test(`${build}: nothing that it is called with breaks the package`, { timeout: 1000 * seconds + 300_000 }, async (t) => {
    const seed = first + i, shared = new SharedArrayBuffer(4096), clock = new Int32Array(shared, 0, 2);
    console.log(`HUNT_SEED=${first} HUNT_SECONDS=${seconds}`);
    const worker = new Worker(new URL('hunt.mjs', import.meta.url), { workerData: { folder, build, seed, seconds: seconds / 2, shared }, stderr: false });
    t.after(() => worker.terminate());
    const call = () => new TextDecoder().decode(new Uint8Array(shared, 8, Atomics.load(clock, 1)).slice());
    const found = await new Promise((resolve, reject) => {
      let last = 0, since = Date.now();
      const timer = setInterval(() => {
        const now = Atomics.load(clock, 0);
        if (now !== last) [last, since] = [now, Date.now()];
        if (Date.now() - since > mostSilence) reject(new Error(`seed ${seed}: this call does not end: ${call()}`));
      }, 1000);
      worker.on('message', resolve);
      worker.on('error', (error) => reject(new Error(`seed ${seed}: ${call()} ended the thread: ${error.stack}`)));
      worker.on('exit', (code) => reject(new Error(`seed ${seed}: ${call()} ended the thread with code ${code}`)));
      worker.on('message', () => clearInterval(timer));
      t.after(() => clearInterval(timer));
    });
    console.log(`${build}: ${found.calls} calls, ${found.errors} errors`);
    assert.deepEqual(found.said, [], `seed ${seed}`);
    assert.ok(found.calls > 100 * Math.min(1, seconds / 10));
  });
}
