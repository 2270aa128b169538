// np.animate: a function for each frame of the page, whose arrays end with the frame.
import { isUnending, kindOf } from './words.js';

/** Binds to one np. `np.animate(fn)` calls fn(time, frame) before each repaint, time in milliseconds as requestAnimationFrame gives it. */
export function addFrames(np, { refusePromise }) {
  np.animate = (fn) => {
    if (typeof fn !== 'function') throw new TypeError(`np.animate: got ${kindOf(fn)}, expected a function.`);
    if (isUnending(fn)) throw new TypeError(`np.animate: got ${kindOf(fn)}, which goes on after it has returned (async, function*), expected one that ends when it returns.`);
    if (typeof globalThis.requestAnimationFrame !== 'function')
      throw new np.errors.NotImplementedError('np.animate: there are no frames here: requestAnimationFrame is missing, as in Node. Hint: np.tidy(() => ...) in a loop.');
    let frame = 0, waiting = 0, running = false;
    function next(time) {
      waiting = 0;
      let result = false; // also where fn throws: the error is the page's, and no frame follows
      try {
        np.tidy(() => {
          const given = fn(time, frame);
          refusePromise('np.animate:', given);
          result = given !== false;
        });
      } finally {
        ++frame;
        running &&= result;
        if (running && waiting === 0) waiting = requestAnimationFrame(next);
      }
    }
    const animation = {
      get running() { return running; },
      start() {
        running = true;
        if (waiting === 0) waiting = requestAnimationFrame(next);
      },
      stop() {
        running = false;
        cancelAnimationFrame(waiting);
        waiting = 0;
      },
    };
    animation.start();
    return animation;
  };
}
