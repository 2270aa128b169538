// Heat spreads over a plate on which hot and cold lines are drawn.
import { paint, palette } from './demo.js';

export const title = 'Heat on a plate';
export const about = 'What is drawn stays hot or cold; the rest of the plate takes the mean of its neighbours, again and again.';
export const hint = 'Draw hot lines; with the button, cold ones.';
let tall = 240;
export let size = [1.5 * tall, tall];
export const sizes = { label: 'rows of the plate', values: [120, 240, 480, 960], value: 240 };
export function resize(value) {
  tall = value;
  size = [1.5 * tall, tall];
}
let pen = 1;
export const controls = {
  steps: { label: 'steps a frame', min: 1, max: 40, step: 1, value: 16 },
  pen: { label: 'Hot or cold pen', press: () => { pen = 1 - pen; } },
  clear: { label: 'Clear the plate', press: (settings) => { settings.clear = true; } },
};

export function start() {
  const [width, height] = size, s = height / 240;
  const plate = new Float32Array(width * height).fill(0.3), held = new Float32Array(width * height).fill(-1);
  for (let t = 0; t < 6.2; t += 0.004) line(plate, held, s * (100 + 55 * Math.sin(t)), s * (120 + 45 * Math.sin(2 * t)), 1);
  for (let t = 0; t < 1; t += 0.003) line(plate, held, s * (220 + 100 * t), s * (60 + 120 * t + 18 * Math.sin(12 * t)), 0);
  line(plate, held, s * 300, s * 60, 1);
  return { plate, held };
}

/** A dot of the pen; `held` is the temperature that is kept, or -1. */
function line(plate, held, x, y, temperature) {
  const [width, height] = size;
  for (let i = Math.max(1, y - 3 | 0); i <= Math.min(height - 2, y + 3); ++i)
    for (let j = Math.max(1, x - 3 | 0); j <= Math.min(width - 2, x + 3); ++j)
      if ((i - y) ** 2 + (j - x) ** 2 < 8) plate[i * width + j] = held[i * width + j] = temperature;
}

// ---- numjit ----
export function numjit(np, compiled, state) {
  const [width, height] = size;
  const plate = np.array(state.plate).reshape(height, width);
  const held = np.array(state.held).reshape(height, width);

  const spread = compiled(function spread(plate, held) {
    const around = plate.at('1:-1, :-2').add(plate.at('1:-1, 2:'))
      .add(plate.at(':-2, 1:-1')).add(plate.at('2:, 1:-1'));
    const keep = held.at('1:-1, 1:-1');
    plate.at('1:-1, 1:-1')
      .set(np.where(keep.less(0), around.multiply(0.25), keep));
  });

  return {
    step({ steps }) {
      for (let k = 0; k < steps; ++k) spread(plate, held);
    },
    fields: () => ({ plate: plate.data, held: held.data }),
  };
}

// ---- hand-written ----
export function handWritten({ plate, held }) {
  const [width, height] = size;
  let next = plate.slice();
  return {
    step({ steps }) {
      for (let k = 0; k < steps; ++k) {
        for (let i = 1; i < height - 1; ++i) {
          for (let j = 1; j < width - 1; ++j) {
            const at = i * width + j;
            next[at] = held[at] >= 0 ? held[at] : 0.25 * (plate[at - 1]
              + plate[at + 1] + plate[at - width] + plate[at + width]);
          }
        }
        [plate, next] = [next, plate];
      }
    },
    fields: () => ({ plate, held }),
  };
}

// ---- page ----
const colours = palette('#0a1a3f', '#2454a0', '#5aa6c8', '#d8e8d0', '#ffd166', '#f3722c', '#c1121f', '#5f0f12');
export function draw(context, engine, settings) {
  const { plate, held } = engine.fields();
  if (settings.clear) {
    plate.fill(0.3);
    held.fill(-1);
    settings.clear = false;
  }
  paint(context, plate, 0, 1, colours);
}
let last = null;
export function pointer(engine, at) {
  const { plate, held } = engine.fields();
  const from = at.first || !last ? at : last, steps = Math.ceil(Math.hypot(at.x - from.x, at.y - from.y)) + 1;
  for (let k = 0; k <= steps; ++k) line(plate, held, from.x + ((at.x - from.x) * k) / steps, from.y + ((at.y - from.y) * k) / steps, pen);
  last = at;
}
