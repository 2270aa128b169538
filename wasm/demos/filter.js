// A filter over a film: each frame is blurred, its edges found, and both mixed.
import { pictureSource } from './pictures.js';

export const title = 'A filter over a film';
export const about = 'A blur of five by five and the edges that are left, of every frame and each of its three colours.';
export const hint = 'The film is a photograph that moves; take one of yours, or the camera. Pictures stay in this page.';
let tall = 240;
const wideOf = (height) => (4 * height) / 3;
export let size = [wideOf(tall), tall];
export const sizes = { label: 'rows of pixels', values: [120, 240, 480, 720], value: 240 };
export function resize(value) {
  tall = value;
  size = [wideOf(tall), tall];
  image = null;
}
export const controls = {
  edges: { label: 'edges', min: 0, max: 6, step: 0.1, value: 2.5 },
  sharp: { label: 'sharpness', min: -1, max: 3, step: 0.1, value: 1 },
};
/** Eileen Collins, by NASA: public domain. */
const source = pictureSource('../docs/examples/data/astronaut.jpg');
export const tools = source.tools;

/** A pattern, until the photograph is there. */
export function start() {
  const [width, height] = size, film = new Float32Array(3 * width * height);
  for (let c = 0; c < 3; ++c)
    for (let i = 0; i < height; ++i)
      for (let j = 0; j < width; ++j) film[(c * height + i) * width + j] = 0.5 + 0.5 * Math.sin(0.15 * j + c + 3 * Math.sin(0.09 * i));
  source.again();
  return { film, shown: film.slice() };
}

// ---- numjit ----
export function numjit(np, compiled, state) {
  const [width, height] = size, weights = [1, 4, 6, 4, 1];
  const film = np.array(state.film).reshape(3, height, width);
  const shown = np.array(state.shown).reshape(3, height, width);

  const filter = compiled(function filter(film, edges, sharp) {
    const part = (i, j) => film.at(':', np.slice(i, height - 4 + i), np.slice(j, width - 4 + j));
    let soft = null;
    for (let i = 0; i < 5; ++i) {
      for (let j = 0; j < 5; ++j) {
        const weighed = part(i, j).multiply(weights[i] * weights[j] / 256);
        soft = soft === null ? weighed : soft.add(weighed);
      }
    }
    const dx = part(2, 3).subtract(part(2, 1)), dy = part(3, 2).subtract(part(1, 2));
    const edge = np.sqrt(dx.multiply(dx).add(dy.multiply(dy))).multiply(edges);
    const crisp = soft.add(part(2, 2).subtract(soft).multiply(sharp));
    shown.at(':, 2:-2, 2:-2').set(crisp.subtract(edge).clip(0, 1));
  }, { fullgraph: true });

  return {
    step({ edges, sharp }) { filter(film, edges, sharp); },
    fields: () => ({ film: film.data, shown: shown.data }),
  };
}

// ---- hand-written ----
export function handWritten({ film, shown }) {
  const [width, height] = size, weights = [1, 4, 6, 4, 1];
  return {
    step({ edges, sharp }) {
      for (let c = 0; c < 3; ++c) {
        for (let i = 2; i < height - 2; ++i) {
          for (let j = 2; j < width - 2; ++j) {
            const at = (c * height + i) * width + j;
            let soft = 0;
            for (let k = 0; k < 5; ++k) {
              const row = at + (k - 2) * width;
              soft += weights[k] * (film[row - 2] + 4 * film[row - 1] + 6 * film[row] + 4 * film[row + 1] + film[row + 2]);
            }
            soft /= 256;
            const dx = film[at + 1] - film[at - 1], dy = film[at + width] - film[at - width];
            const value = soft + (film[at] - soft) * sharp - Math.sqrt(dx * dx + dy * dy) * edges;
            shown[at] = Math.min(1, Math.max(0, value));
          }
        }
      }
    },
    fields: () => ({ film, shown }),
  };
}

// ---- page ----
let image = null, time = 0;
export function draw(context, engine) {
  const [width, height] = size, { film, shown } = engine.fields(), plane = width * height;
  image ??= context.createImageData(width, height);
  const pixels = new Uint32Array(image.data.buffer);
  for (let i = 0; i < plane; ++i) pixels[i] = 255 << 24 | shown[2 * plane + i] * 255.99 << 16 | shown[plane + i] * 255.99 << 8 | shown[i] * 255.99;
  context.putImageData(image, 0, 0);
  if (!source.moving()) source.again();
  time += 0.02;
  const taken = source.take(width, height, source.moving() ? null : { x: 0.5 + 0.5 * Math.sin(time), y: 0.5 + 0.5 * Math.cos(0.7 * time), zoom: 0.75 });
  if (taken) for (let i = 0; i < plane; ++i) for (let c = 0; c < 3; ++c) film[c * plane + i] = taken[4 * i + c] / 255;
}
