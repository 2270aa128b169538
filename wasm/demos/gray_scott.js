// Gray-Scott: two chemicals that feed on each other grow spots, stripes and mazes.
import { paint, palette } from './demo.js';

export const title = 'Gray-Scott';
export const about = 'Two chemicals diffuse and react. Slicing five shifted views of each field is all the stencil there is.';
export const hint = 'Paint with the mouse or a finger. Move the sliders: spots turn into worms, worms into mazes.';
let grid = 256;
export let size = [grid, grid];
export const sizes = { label: 'points a side', values: [128, 256, 512, 1024], value: 256 };
export function resize(value) {
  grid = value;
  size = [grid, grid];
}
export const controls = {
  feed: { label: 'feed', min: 0.01, max: 0.08, step: 0.001, value: 0.037 },
  kill: { label: 'kill', min: 0.045, max: 0.07, step: 0.001, value: 0.06 },
  steps: { label: 'steps a frame', min: 1, max: 24, step: 1, value: 8 },
};

export function start() {
  const n = grid, u = new Float32Array(n * n).fill(1), v = new Float32Array(n * n);
  for (let k = 0; k < 24; ++k) blob(u, v, 0.08 * n + (n * ((k * 97) % 216)) / 256, 0.08 * n + (n * ((k * 61 + k * k * 13) % 216)) / 256, 5);
  return { u, v };
}

function blob(u, v, x, y, radius) {
  const n = grid;
  for (let i = Math.max(1, y - radius | 0); i < Math.min(n - 1, y + radius); ++i)
    for (let j = Math.max(1, x - radius | 0); j < Math.min(n - 1, x + radius); ++j)
      if ((i - y) ** 2 + (j - x) ** 2 < radius ** 2) {
        u[i * n + j] = 0.5;
        v[i * n + j] = 0.25 + 0.1 * Math.sin(i * 12.9 + j * 78.2);
      }
}

// ---- numjit ----
export function numjit(np, compiled, state) {
  const n = grid;
  const u = np.array(state.u).reshape(n, n);
  const v = np.array(state.v).reshape(n, n);

  const laplace = (a) => a.at('1:-1, :-2').add(a.at('1:-1, 2:'))
    .add(a.at(':-2, 1:-1')).add(a.at('2:, 1:-1'))
    .subtract(a.at('1:-1, 1:-1').multiply(4));

  const react = compiled(function react(u, v, feed, kill) {
    const U = u.at('1:-1, 1:-1'), V = v.at('1:-1, 1:-1');
    const uvv = U.multiply(V).multiply(V);
    const du = laplace(u).multiply(0.2).subtract(uvv)
      .add(np.subtract(1, U).multiply(feed));
    const dv = laplace(v).multiply(0.1).add(uvv)
      .subtract(V.multiply(feed + kill));
    U.iadd(du);
    V.iadd(dv);
  });

  return {
    step({ feed, kill, steps }) {
      for (let k = 0; k < steps; ++k) react(u, v, feed, kill);
    },
    fields: () => ({ u: u.data, v: v.data }),
  };
}

// ---- hand-written ----
export function handWritten({ u, v }) {
  const n = grid;
  let u2 = u.slice(), v2 = v.slice();
  return {
    step({ feed, kill, steps }) {
      for (let k = 0; k < steps; ++k) {
        for (let i = 1; i < n - 1; ++i) {
          for (let j = 1; j < n - 1; ++j) {
            const at = i * n + j;
            const uvv = u[at] * v[at] * v[at];
            const lu = u[at - 1] + u[at + 1] + u[at - n] + u[at + n]
              - 4 * u[at];
            const lv = v[at - 1] + v[at + 1] + v[at - n] + v[at + n]
              - 4 * v[at];
            u2[at] = u[at] + 0.2 * lu - uvv + (1 - u[at]) * feed;
            v2[at] = v[at] + 0.1 * lv + uvv - v[at] * (feed + kill);
          }
        }
        [u, u2, v, v2] = [u2, u, v2, v];
      }
    },
    fields: () => ({ u, v }),
  };
}

// ---- page ----
const colours = palette('#0b1021', '#123a5a', '#1f8a8c', '#8fd694', '#f6f0c4', '#ffffff');
export function draw(context, engine) {
  paint(context, engine.fields().v, 0, 0.4, colours);
}
export function pointer(engine, { x, y, down }) {
  const { u, v } = engine.fields();
  if (down) blob(u, v, x, y, 6);
}
