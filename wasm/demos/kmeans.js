// A photograph in k colours: k-means over its pixels, one round a frame.
import { pictureSource } from './pictures.js';

export const title = 'Colours of a photograph';
export const about = 'k-means finds the few colours that stand best for all: every pixel goes to its nearest colour, every colour to the mean of its pixels.';
export const hint = 'Left: the picture, right: its colours. Take a photograph of yours, drop one here, or the camera: it stays in this page.';
const most = 16;
let across = 192;
const tallOf = (wide) => (3 * wide) / 4;
export let size = [2 * across, tallOf(across) + 16];
export const sizes = { label: 'columns of the picture', values: [96, 192, 384, 768], value: 192 };
export function resize(value) {
  across = value;
  size = [2 * across, tallOf(across) + 16];
  image = null;
}
export const controls = {
  k: { label: 'colours', min: 2, max: most, step: 1, value: 8 },
  again: { label: 'Start again', press: (settings) => { settings.restart = true; } },
};
/** Eileen Collins, by NASA: public domain. */
const source = pictureSource('../docs/examples/data/astronaut.jpg');
export const tools = source.tools;

/** A landscape, until the photograph is there. */
function landscape(width) {
  const height = tallOf(width), planes = ['r', 'g', 'b'].map(() => new Float32Array(width * height));
  const ridge = (x, k) => 0.42 + 0.13 * k + 0.07 * Math.sin(x * (5 + 3 * k) + k * 2) + 0.03 * Math.sin(x * (17 + 5 * k));
  for (let i = 0; i < width * height; ++i) {
    const x = (i % width) / width, y = Math.floor(i / width) / height;
    const sun = Math.exp(-((x - 0.68) ** 2 + (y - 0.28) ** 2) / 0.012);
    let colour = [0.98 - 0.45 * (1 - y) + sun, 0.62 - 0.2 * (1 - y) + 0.8 * sun, 0.5 + 0.25 * (1 - y) + 0.3 * sun];
    for (let k = 0; k < 4; ++k) if (y > ridge(x, k)) colour = [[0.55, 0.45, 0.55], [0.36, 0.34, 0.48], [0.2, 0.26, 0.36], [0.07, 0.14, 0.19]][k];
    const grain = 0.05 * (((Math.imul(i ^ (i >>> 7), 0x9e3779b1) ^ Math.imul(i, 0x85ebca6b)) >>> 8) / 2 ** 24 - 0.5);
    for (let c = 0; c < 3; ++c) planes[c][i] = Math.min(1, Math.max(0, colour[c] + grain));
  }
  return planes;
}

export function start() {
  const [r, g, b] = landscape(across), centres = new Float32Array(3 * most);
  source.again();
  for (let k = 0; k < most; ++k) centres.set([r, g, b].map((plane) => plane[(k * 1777 * 13) % plane.length]), 3 * k);
  return { r, g, b, centres, labels: new Float32Array(r.length) };
}

// ---- numjit ----
export function numjit(np, compiled, state) {
  const [r, g, b] = ['r', 'g', 'b'].map((name) => np.array(state[name]));
  const centres = np.array(state.centres).reshape(most, 3);
  const labels = np.array(state.labels);
  const numbers = np.arange(most, { dtype: 'float32' }).reshape(most, 1);

  const assign = compiled(function assign(r, g, b, centres, k) {
    let best = null, label = r.multiply(0);
    for (let c = 0; c < k; ++c) {
      const [dr, dg, db] = [r, g, b]
        .map((plane, i) => plane.subtract(centres.at(c, i)));
      const distance = dr.multiply(dr).add(dg.multiply(dg))
        .add(db.multiply(db));
      if (best !== null) label = np.where(distance.less(best), c, label);
      best = best === null ? distance : np.minimum(best, distance);
    }
    labels.set(label);
  }, { fullgraph: true, mode: 'replay' });
  const move = compiled(function move(r, g, b, centres, k) {
    const mine = labels.equal(numbers.at(np.slice(k)));
    const count = mine.sum({ axis: 1, keepdims: true }).astype('float32');
    const sums = [r, g, b]
      .map((plane) => np.where(mine, plane, 0).sum({ axis: 1 }));
    const means = np.stack(sums, { axis: 1 }).divide(np.maximum(count, 1));
    const some = centres.at(np.slice(k));
    some.set(np.where(count.greater(0), means, some));
  }, { mode: 'replay' });

  return {
    step({ k }) {
      assign(r, g, b, centres, k);
      move(r, g, b, centres, k);
    },
    fields: () => ({
      r: r.data, g: g.data, b: b.data,
      centres: centres.data, labels: labels.data,
    }),
  };
}

// ---- hand-written ----
export function handWritten({ r, g, b, centres, labels }) {
  const pixels = r.length;
  return {
    step({ k }) {
      const sums = new Float64Array(3 * k), count = new Float64Array(k);
      for (let i = 0; i < pixels; ++i) {
        const red = r[i], green = g[i], blue = b[i];
        let best = Infinity, label = 0;
        for (let c = 0; c < k; ++c) {
          const dr = red - centres[3 * c], dg = green - centres[3 * c + 1];
          const db = blue - centres[3 * c + 2];
          const distance = dr * dr + dg * dg + db * db;
          if (distance < best) {
            best = distance;
            label = c;
          }
        }
        labels[i] = label;
        count[label] += 1;
        sums[3 * label] += red;
        sums[3 * label + 1] += green;
        sums[3 * label + 2] += blue;
      }
      for (let c = 0; c < k; ++c)
        if (count[c] > 0) for (let d = 0; d < 3; ++d) centres[3 * c + d] = sums[3 * c + d] / count[c];
    },
    fields: () => ({ r, g, b, centres, labels }),
  };
}

// ---- page ----
let image = null, rounds = 0;
export function draw(context, engine, settings) {
  const width = across, height = tallOf(width);
  image ??= context.createImageData(2 * width, height);
  const { r, g, b, centres, labels } = engine.fields(), out = new Uint32Array(image.data.buffer);
  const taken = source.take(width, height);
  if (taken) {
    for (let i = 0; i < r.length; ++i) {
      r[i] = taken[4 * i] / 255;
      g[i] = taken[4 * i + 1] / 255;
      b[i] = taken[4 * i + 2] / 255;
    }
    settings.restart ||= !source.moving();
  }
  const colour = (red, green, blue) => 255 << 24 | blue * 255.99 << 16 | green * 255.99 << 8 | red * 255.99;
  for (let i = 0; i < r.length; ++i) {
    const at = Math.floor(i / width) * 2 * width + (i % width), c = 3 * labels[i];
    out[at] = colour(r[i], g[i], b[i]);
    out[at + width] = colour(centres[c], centres[c + 1], centres[c + 2]);
  }
  context.putImageData(image, 0, 0);
  const step = (2 * width) / settings.k;
  for (let c = 0; c < settings.k; ++c) {
    context.fillStyle = `rgb(${[0, 1, 2].map((d) => Math.round(255 * centres[3 * c + d])).join(' ')})`;
    context.fillRect(Math.floor(c * step), height, Math.ceil(step), 16);
  }
  if (settings.restart || ++rounds % 240 === 0) {
    for (let c = 0; c < most; ++c) {
      const i = Math.floor(Math.random() * r.length);
      centres.set([r[i], g[i], b[i]], 3 * c);
    }
    settings.restart = false;
  }
}
