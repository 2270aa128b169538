// np.random: generators, and what they draw.
import { kindOf } from './words.js';

export function addRandom(np, functions) {
  const release = functions.get('random.release'), generators = new FinalizationRegistry((id) => release(id));
  class Generator {
    #id;
    constructor(seed) {
      this.#id = seed === undefined ? functions.get('random.make')() : functions.get('random.make')(seed);
      generators.register(this, this.#id, this);
    }
    dispose() {
      if (this.#id !== null && generators.unregister(this)) release(this.#id);
      this.#id = null;
    }
    /** Its number in the module; an error for what is no generator of this module, and after dispose(). */
    static number(of) {
      if (!(of instanceof Object) || !(#id in of)) throw new TypeError(`np.random: got ${kindOf(of)}, expected a generator of this numjit.`);
      if (of.#id === null) throw new np.errors.ValueError('np.random: this generator was disposed of.');
      return of.#id;
    }
  }
  const { number } = Generator;
  delete Generator.number;
  for (const [name, run] of functions)
    if (name.startsWith('random.') && name !== 'random.make' && name !== 'random.release')
      Generator.prototype[name.slice(7)] = function draw(...args) { return run(number(this), ...args); };
  np.random.Generator = Generator;
  np.random.default_rng = (seed) => new Generator(seed);
}
