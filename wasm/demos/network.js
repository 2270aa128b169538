// A network of two hidden layers learns to tell the points that the visitor draws.
import { palette } from './demo.js';

export const title = 'A network that learns what you draw';
export const about = 'Gradient descent by np.grad: forward, backward and update in one compiled function. The colours are what the network says of each place, painted at each step.';
export const hint = 'Draw points of one colour; with the button, of the other.';
const across = 80, down = 60, scale = 6, most = 512;
let width = 24;
export const size = [across * scale, down * scale];
let pen = 1;
export const controls = {
  steps: { label: 'steps a frame', min: 1, max: 30, step: 1, value: 8 },
  rate: { label: 'learning rate', min: 0.01, max: 0.5, step: 0.01, value: 0.15 },
  pen: { label: 'Other colour', press: () => { pen = 1 - pen; } },
  again: { label: 'Forget', press: (settings) => { settings.forget = true; } },
  clear: { label: 'Clear', press: (settings) => { settings.clear = true; } },
};
export const sizes = { label: 'units in a layer', values: [8, 24, 64, 128], value: 24 };
export function resize(value) { width = value; }
const shapesOf = (hidden) => ({ w1: [2, hidden], b1: [hidden], w2: [hidden, hidden], b2: [hidden], w3: [hidden, 1], b3: [1] });

/** Numbers about 0 of this deviation. */
function noise(n, deviation) {
  const sum = () => Math.random() + Math.random() + Math.random() + Math.random() - 2;
  return Float32Array.from({ length: n }, () => deviation * Math.sqrt(3) * sum());
}
const fresh = () => Object.fromEntries(Object.entries(shapesOf(width)).map(([name, [rows, columns]]) =>
  [name, noise(rows * (columns ?? 1), columns ? 1.5 / Math.sqrt(rows) : 0.1)]));

/** Two spirals, for want of drawn points. A point is (x, y); its weight is 0 where there is none. */
export function start() {
  const points = new Float32Array(2 * most), labels = new Float32Array(most), weights = new Float32Array(most);
  for (let i = 0; i < 160; ++i) {
    const t = 0.4 + (2.9 * i) / 160, side = i % 2, angle = 2 * t + Math.PI * side;
    points.set([0.42 * t * Math.cos(angle) * 0.75, 0.32 * t * Math.sin(angle) * 0.95], 2 * i);
    labels[i] = side;
    weights[i] = 1;
  }
  return { points, labels, weights, ...fresh(), surface: new Float32Array(across * down) };
}

/** The places that are painted. */
const grid = new Float32Array(2 * across * down);
for (let i = 0; i < across * down; ++i) grid.set([2.6 * ((i % across) / across - 0.5), 2.6 * (Math.floor(i / across) - down / 2) / across], 2 * i);

// ---- numjit ----
export function numjit(np, compiled, state) {
  const points = np.array(state.points).reshape(most, 2);
  const labels = np.array(state.labels), weights = np.array(state.weights);
  const places = np.array(grid).reshape(-1, 2), surface = np.array(state.surface);
  const parameters = Object.fromEntries(Object.entries(shapesOf(width))
    .map(([name, shape]) => [name, np.array(state[name]).reshape(...shape)]));

  const network = (p, x) => {
    const first = np.tanh(x.matmul(p.w1).add(p.b1));
    const second = np.tanh(first.matmul(p.w2).add(p.b2));
    return second.matmul(p.w3).add(p.b3).reshape(-1);
  };
  const loss = (p, x, y, weight) => {
    const z = network(p, x); // cross entropy: log(1 + exp(z)) - y z
    const each = np.logaddexp(z, 0).subtract(y.multiply(z));
    return each.multiply(weight).sum().divide(weight.sum().add(1));
  };
  const slopes = np.grad(loss);
  const train = compiled(function train(p, x, y, weight, rate) {
    const gradient = slopes(p, x, y, weight);
    for (const name in p) p[name].set(p[name].subtract(gradient[name].multiply(rate)));
  });
  const paint = compiled(function paint(p) {
    surface.set(network(p, places));
  });

  return {
    step({ steps, rate }) {
      for (let k = 0; k < steps; ++k) train(parameters, points, labels, weights, np.float(rate));
      paint(parameters);
    },
    fields: () => ({
      points: points.data, labels: labels.data, weights: weights.data, surface: surface.data,
      ...Object.fromEntries(Object.entries(parameters).map(([name, array]) => [name, array.data])),
    }),
  };
}

// ---- hand-written ----
export function handWritten(state) {
  const { points, labels, weights, surface, w1, b1, w2, b2, w3, b3 } = state;
  const hidden = width, shapes = shapesOf(hidden);
  const first = new Float32Array(hidden), second = new Float32Array(hidden);
  const change = Object.fromEntries(Object.keys(shapes).map((name) => [name, new Float32Array(state[name].length)]));

  function forward(x, y) {
    for (let j = 0; j < hidden; ++j) first[j] = Math.tanh(x * w1[j] + y * w1[hidden + j] + b1[j]);
    let z = b3[0];
    for (let j = 0; j < hidden; ++j) {
      let sum = b2[j];
      for (let k = 0; k < hidden; ++k) sum += first[k] * w2[k * hidden + j];
      second[j] = Math.tanh(sum);
      z += second[j] * w3[j];
    }
    return z;
  }
  function backward(x, y, of_z) {
    change.b3[0] += of_z;
    const of_first = new Float32Array(hidden);
    for (let j = 0; j < hidden; ++j) {
      change.w3[j] += of_z * second[j];
      const of_sum = of_z * w3[j] * (1 - second[j] * second[j]);
      change.b2[j] += of_sum;
      for (let k = 0; k < hidden; ++k) {
        change.w2[k * hidden + j] += of_sum * first[k];
        of_first[k] += of_sum * w2[k * hidden + j];
      }
    }
    for (let j = 0; j < hidden; ++j) {
      const of_sum = of_first[j] * (1 - first[j] * first[j]);
      change.w1[j] += of_sum * x;
      change.w1[hidden + j] += of_sum * y;
      change.b1[j] += of_sum;
    }
  }
  return {
    step({ steps, rate }) {
      for (let n = 0; n < steps; ++n) {
        for (const name in change) change[name].fill(0);
        let total = 1;
        for (let i = 0; i < most; ++i) total += weights[i];
        for (let i = 0; i < most; ++i) {
          if (weights[i] === 0) continue;
          const x = points[2 * i], y = points[2 * i + 1], z = forward(x, y);
          backward(x, y, (1 / (1 + Math.exp(-z)) - labels[i]) / total);
        }
        for (const name in change)
          for (let i = 0; i < change[name].length; ++i) state[name][i] -= rate * change[name][i];
      }
      for (let i = 0; i < surface.length; ++i) surface[i] = forward(grid[2 * i], grid[2 * i + 1]);
    },
    fields: () => state,
  };
}

// ---- jax-js ----
export function jax({ numpy: jnp, jit, grad, tree }, state) {
  const make = (data, shape) => jnp.array(data, { shape });
  const keep = (p) => tree.map((leaf) => leaf.ref, p);
  let parameters = Object.fromEntries(Object.entries(shapesOf(width)).map(([name, shape]) => [name, make(state[name], shape)]));
  const places = make(grid, [across * down, 2]);

  const network = (p, x) => {
    const first = jnp.tanh(jnp.matmul(x, p.w1).add(p.b1));
    const second = jnp.tanh(jnp.matmul(first, p.w2).add(p.b2));
    return jnp.matmul(second, p.w3).add(p.b3).reshape([-1]);
  };
  const loss = (p, x, y, weight, total) => {
    const z = network(p, x);
    const each = jnp.log(jnp.exp(z.ref).add(1)).sub(y.mul(z));
    return each.mul(weight).sum().div(total);
  };
  const train = jit((p, x, y, weight, total, rate) => {
    const gradient = grad(loss)(keep(p), x, y, weight, total);
    return tree.map((leaf, slope) => leaf.sub(slope.mul(rate.ref)), p, gradient);
  });
  const paint = jit(network);

  return {
    async step({ steps, rate }) {
      const total = 1 + state.weights.reduce((sum, weight) => sum + weight, 0);
      const x = make(state.points, [most, 2]), y = make(state.labels, [most]), weight = make(state.weights, [most]);
      for (let k = 0; k < steps; ++k) parameters = train(parameters, x.ref, y.ref, weight.ref, total, jnp.array(rate));
      for (const array of [x, y, weight]) array.dispose();
      state.surface.set(await paint(keep(parameters), places.ref).data());
      for (const name in parameters) state[name].set(await parameters[name].ref.data());
    },
    fields: () => state,
  };
}

// ---- page ----
const colours = palette('#17407a', '#4a86c5', '#b7d3ea', '#f7f3ea', '#f4c9a1', '#e0813c', '#9c3f0d');
export function draw(context, engine, settings) {
  const fields = engine.fields(), { points, labels, weights, surface } = fields;
  if (settings.forget) for (const [name, values] of Object.entries(fresh())) fields[name].set(values);
  if (settings.clear) weights.fill(0);
  settings.forget = settings.clear = false;
  draw.image ??= new ImageData(across, down);
  draw.small ??= Object.assign(document.createElement('canvas'), { width: across, height: down });
  const pixels = new Uint32Array(draw.image.data.buffer);
  for (let i = 0; i < pixels.length; ++i) pixels[i] = colours[255 / (1 + Math.exp(-surface[i])) | 0];
  draw.small.getContext('2d').putImageData(draw.image, 0, 0);
  context.drawImage(draw.small, 0, 0, ...size);
  context.strokeStyle = '#fff';
  for (let i = 0; i < most; ++i) {
    if (weights[i] === 0) continue;
    context.beginPath();
    context.arc((points[2 * i] / 2.6 + 0.5) * size[0], (points[2 * i + 1] / 2.6) * size[0] + size[1] / 2, 4, 0, 7);
    context.fillStyle = labels[i] > 0.5 ? '#b04a10' : '#1d4f91';
    context.fill();
    context.stroke();
  }
}
let next = 160;
export function pointer(engine, at) {
  const { points, labels, weights } = engine.fields(), i = next++ % most;
  points.set([2.6 * (at.x / size[0] - 0.5), 2.6 * (at.y - size[1] / 2) / size[0]], 2 * i);
  labels[i] = pen;
  weights[i] = 1;
}
