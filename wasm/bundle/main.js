// The package in one script: the global `numjit`. Its workers are this script again, told by `numjitRole` what they are.
import { Complex, load } from '../js/numjit.js';
import { startWorker, transfer, WorkerError } from '../js/worker.js';

if (globalThis.numjitRole === 'pool_worker.js') import('../js/pool_worker.js');
else if (globalThis.numjitRole === 'worker_main.js') import('../js/worker_main.js');
else globalThis.numjit = { load, Complex, startWorker, transfer, WorkerError };
