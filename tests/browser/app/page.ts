// A page as its author has it: TypeScript, numjit from node_modules, a worker, what is loaded late.
import { load, type NDArray, type Numjit } from 'numjit';
import { startWorker } from 'numjit/worker.js';

interface Jobs { twice(np: Numjit, a: NDArray): NDArray }

const np = await load();
const energy = np.compile((x: NDArray) => np.exp(x).sum().add(1), { name: 'energy' });
const x = np.linspace(0, 1, 500_000);
while (np.threads.running < np.threads.count) await new Promise((go) => setTimeout(go, 20));
for (let i = 0; i < 8; ++i) energy(x).dispose();
const jobs = await startWorker<Jobs>(new URL('./jobs.js', import.meta.url));
const doubled = await jobs.twice(new Float32Array([1, 2]));
document.body.textContent = [np.build, `${np.threads.count} threads`, np.threads.shared > 0 ? 'shared' : 'alone',
  String(np.sort(np.array([3, 1, 2]))), energy(x).item().toFixed(3), doubled.data.join()].join('; ');
document.title = 'done';
