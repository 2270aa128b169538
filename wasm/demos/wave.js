// A pool: the wave equation, with drops that fall and stones that are thrown.
import { palette } from './demo.js';

export const title = 'Wave pool';
export const about = 'The wave equation on a grid: each point is pulled towards the mean of its neighbours. Walls reflect.';
export const hint = 'Draw in the water. Drops fall by themselves.';
let tall = 256;
export let size = [1.5 * tall, tall];
export const sizes = { label: 'rows of the pool', values: [128, 256, 512, 1024], value: 256 };
export function resize(value) {
  tall = value;
  size = [1.5 * tall, tall];
  image = null;
}
export const controls = {
  damping: { label: 'damping', min: 0, max: 0.03, step: 0.001, value: 0.004 },
  speed: { label: 'speed', min: 0.05, max: 0.5, step: 0.01, value: 0.3 },
  steps: { label: 'steps a frame', min: 1, max: 12, step: 1, value: 4 },
};

export function start() {
  const [width, height] = size, s = height / 256;
  const now = new Float32Array(width * height), before = new Float32Array(width * height);
  drop(now, before, s * 130, s * 100, 9 * s, 1.4);
  drop(now, before, s * 280, s * 170, 6 * s, 1);
  return { now, before };
}

function drop(now, before, x, y, radius, strength) {
  const [width, height] = size;
  for (let i = Math.max(1, y - 3 * radius | 0); i < Math.min(height - 1, y + 3 * radius); ++i)
    for (let j = Math.max(1, x - 3 * radius | 0); j < Math.min(width - 1, x + 3 * radius); ++j) {
      const lift = strength * Math.exp(-((i - y) ** 2 + (j - x) ** 2) / radius ** 2);
      now[i * width + j] += lift;
      before[i * width + j] += lift;
    }
}

// ---- numjit ----
export function numjit(np, compiled, state) {
  const [width, height] = size;
  let now = np.array(state.now).reshape(height, width);
  let before = np.array(state.before).reshape(height, width);

  const swing = compiled(function swing(now, before, speed, damping) {
    const here = now.at('1:-1, 1:-1'), past = before.at('1:-1, 1:-1');
    const around = now.at('1:-1, :-2').add(now.at('1:-1, 2:'))
      .add(now.at(':-2, 1:-1')).add(now.at('2:, 1:-1'));
    const pull = around.subtract(here.multiply(4)).multiply(speed);
    const drift = here.subtract(past).multiply(1 - damping);
    past.set(here.add(drift).add(pull));
  });

  return {
    step({ speed, damping, steps }) {
      for (let k = 0; k < steps; ++k) {
        swing(now, before, speed, damping);
        [now, before] = [before, now];
      }
    },
    fields: () => ({ now: now.data, before: before.data }),
  };
}

// ---- hand-written ----
export function handWritten({ now, before }) {
  const [width, height] = size;
  return {
    step({ speed, damping, steps }) {
      for (let k = 0; k < steps; ++k) {
        for (let i = 1; i < height - 1; ++i) {
          for (let j = 1; j < width - 1; ++j) {
            const at = i * width + j;
            const around = now[at - 1] + now[at + 1]
              + now[at - width] + now[at + width];
            before[at] = now[at] + (now[at] - before[at]) * (1 - damping)
              + (around - 4 * now[at]) * speed;
          }
        }
        [now, before] = [before, now];
      }
    },
    fields: () => ({ now, before }),
  };
}

// ---- page ----
const colours = palette('#020a1c', '#07305f', '#0f63a3', '#2f9fd0', '#9be3f5', '#ffffff');
let image = null, frames = 0;
export function draw(context, engine) {
  const [width, height] = size;
  image ??= context.createImageData(width, height);
  const { now, before } = engine.fields(), pixels = new Uint32Array(image.data.buffer);
  for (let i = 0; i < pixels.length - width - 1; ++i) { // light falls from the upper left: the slope shines
    const level = 100 + 90 * now[i] + 1500 * (now[i + width + 1] - now[i]);
    pixels[i] = colours[level > 255 ? 255 : level > 0 ? level | 0 : 0];
  }
  pixels.copyWithin(pixels.length - width - 1, pixels.length - 2 * width - 1, pixels.length - width);
  context.putImageData(image, 0, 0);
  if (++frames % 70 === 0) drop(now, before, 20 + Math.random() * (width - 40), 20 + Math.random() * (height - 40), 5 + Math.random() * 5, 1);
}
export function pointer(engine, { x, y, down }) {
  const { now, before } = engine.fields();
  if (down) drop(now, before, x, y, size[1] / 64, 0.5);
}
