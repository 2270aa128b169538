// One thread of the pool: an instance of the module over the memory of the page's, which takes pieces of its jobs. See
// threads.js and ../threads/shared_pool.cpp.
import { constant, kernelEnvironment, lengthen } from './binary.js';
import { Entry, hostImports, importsOf } from './host.js';

const nodeThreads = 'node:worker_threads'; // kept from bundlers
const packStackBytes = 64 * 1024;
const decoder = new TextDecoder();

/** Puts kernels into the thread's own function table, at the places that they have in the page's. */
class Kernels {
  constructor(exports, memory, control, scratch) {
    Object.assign(this, { exports, memory, control: control / 4, scratch: constant(scratch), table: exports.__indirect_function_table, seen: 0, packs: [],
      counted: new Uint32Array(memory.buffer, control, 1) });
  }

  /** Those that were made since the last time. How many there are lies where it did, also when memory has grown. */
  update() {
    if (this.counted[0] === this.seen) return;
    const numbers = new Uint32Array(this.memory.buffer);
    const count = numbers[this.control], log = numbers[this.control + 1] / 4;
    for (; this.seen < count; ++this.seen) this.add(...numbers.subarray(log + 6 * this.seen, log + 6 * this.seen + 6));
  }

  bytesAt(address, size) { return new Uint8Array(this.memory.buffer, address, size).slice(); }

  add(kind, place, address, size, first, second) {
    if (kind === Entry.kernel) {
      if (address === 0) return; // dropped since
      const compiled = new WebAssembly.Module(this.bytesAt(address, size));
      this.put(place, new WebAssembly.Instance(compiled, { env: { memory: this.memory, scratch: this.scratch } }).exports.run);
    } else if (kind === Entry.pack) {
      this.addPack(this.bytesAt(address, size), place, first, second);
    } else {
      this.put(place, this.packs[first][decoder.decode(this.bytesAt(address, size))]);
    }
  }

  put(place, run) {
    lengthen(this.table, place + 1);
    this.table.set(place, run);
  }

  addPack(bytes, tableBase, memoryBase, tableCount) {
    const { memory, table, exports } = this;
    lengthen(table, tableBase + tableCount);
    this.stack ??= new WebAssembly.Global({ value: 'i32', mutable: true }, exports.nj_kernel_malloc(0, packStackBytes) + packStackBytes);
    const env = kernelEnvironment({ memory, table, bytes: () => new Uint8Array(memory.buffer), exports, stack: this.stack, memoryBase, tableBase });
    this.packs.push(new WebAssembly.Instance(new WebAssembly.Module(bytes), { env }).exports);
  }
}

/** Takes part in jobs until the pool ends. */
function work({ compiled, memory, control, top }) {
  const host = { ...hostImports(() => memory), memory };
  const { exports } = new WebAssembly.Instance(compiled, importsOf(compiled, host));
  exports.stackRestore(top);
  const kernels = new Kernels(exports, memory, control, top);
  for (let seen = exports.nj_worker_ready(); ;) {
    seen = exports.nj_worker_wait(seen);
    const entered = exports.nj_worker_enter();
    if (entered === 1) {
      try {
        kernels.update();
        exports.nj_worker_take();
      } catch (error) {
        exports.nj_worker_fail();
      }
    }
    exports.nj_worker_leave();
    if (entered === 2) return;
  }
}

if (globalThis.postMessage) globalThis.onmessage = ({ data }) => work(data);
else import(/* webpackIgnore: true */ nodeThreads).then(({ parentPort }) => parentPort.once('message', work));
