// Smoke: a gas that can not be pressed together carries its dye along.
import { paint, palette } from './demo.js';

export const title = 'Smoke';
export const about = 'The equations of an incompressible gas: velocities carry themselves and the smoke along, and a pressure, found by relaxation, keeps it from piling up.';
export const hint = 'Stir with the mouse or a finger.';
let tall = 192;
export let size = [1.5 * tall, tall];
export const sizes = { label: 'rows of the grid', values: [96, 192, 384, 768], value: 192 };
export function resize(value) {
  tall = value;
  size = [1.5 * tall, tall];
}
export const controls = {
  rounds: { label: 'rounds of relaxation', min: 4, max: 60, step: 1, value: 24 },
  lift: { label: 'lift', min: 0, max: 0.2, step: 0.01, value: 0.08 },
  fade: { label: 'fading', min: 0, max: 0.02, step: 0.001, value: 0.002 },
};

export function start() {
  const count = size[0] * size[1];
  return Object.fromEntries(['u', 'v', 'p', 'smoke'].map((name) => [name, new Float32Array(count)]));
}

// ---- numjit ----
export function numjit(np, compiled, state) {
  const [width, height] = size;
  const [u, v, p, smoke] = ['u', 'v', 'p', 'smoke'].map((name) => np.array(state[name]).reshape(height, width));
  const inner = '1:-1, 1:-1', left = '1:-1, :-2', right = '1:-1, 2:', above = ':-2, 1:-1', below = '2:, 1:-1';

  // Carried along by the wind, from where it blows: less than a cell a step in all.
  const carried = (q, du, dv) => {
    const here = q.at(inner);
    const fromX = np.where(du.greater(0), here.subtract(q.at(left)), q.at(right).subtract(here));
    const fromY = np.where(dv.greater(0), here.subtract(q.at(above)), q.at(below).subtract(here));
    return here.subtract(du.multiply(fromX)).subtract(dv.multiply(fromY));
  };
  const carry = compiled(function carry(u, v, smoke, lift, fade) {
    const du = u.at(inner).clip(-0.45, 0.45), dv = v.at(inner).clip(-0.45, 0.45);
    const nu = carried(u, du, dv), nv = carried(v, du, dv).subtract(smoke.at(inner).multiply(lift));
    const ns = carried(smoke, du, dv).multiply(1 - fade);
    u.at(inner).set(nu);
    v.at(inner).set(nv);
    smoke.at(inner).set(ns);
  });
  const relax = compiled(function relax(p, u, v) {
    const flow = u.at(right).subtract(u.at(left)).add(v.at(below)).subtract(v.at(above)).multiply(0.5);
    const around = p.at(left).add(p.at(right)).add(p.at(above)).add(p.at(below));
    p.at(inner).set(around.subtract(flow).multiply(0.25));
  });
  const correct = compiled(function correct(u, v, p) {
    u.at(inner).isubtract(p.at(right).subtract(p.at(left)).multiply(0.5));
    v.at(inner).isubtract(p.at(below).subtract(p.at(above)).multiply(0.5));
  });

  return {
    step({ rounds, lift, fade }) {
      carry(u, v, smoke, lift, fade);
      for (let k = 0; k < rounds; ++k) relax(p, u, v);
      correct(u, v, p);
    },
    fields: () => ({ u: u.data, v: v.data, p: p.data, smoke: smoke.data }),
  };
}

// ---- hand-written ----
export function handWritten({ u, v, p, smoke }) {
  const [width, height] = size;
  const next = [u, v, smoke, p].map((a) => a.slice());
  const clip = (x) => Math.min(0.45, Math.max(-0.45, x));
  const each = (f) => {
    for (let i = 1; i < height - 1; ++i) for (let at = i * width + 1; at < i * width + width - 1; ++at) f(at);
  };
  const carried = (q, at, du, dv) => q[at] - du * (du > 0 ? q[at] - q[at - 1] : q[at + 1] - q[at])
    - dv * (dv > 0 ? q[at] - q[at - width] : q[at + width] - q[at]);
  return {
    step({ rounds, lift, fade }) {
      each((at) => {
        const du = clip(u[at]), dv = clip(v[at]);
        next[0][at] = carried(u, at, du, dv);
        next[1][at] = carried(v, at, du, dv) - lift * smoke[at];
        next[2][at] = carried(smoke, at, du, dv) * (1 - fade);
      });
      [u, next[0], v, next[1], smoke, next[2]] = [next[0], u, next[1], v, next[2], smoke];
      for (let k = 0; k < rounds; ++k) {
        const to = next[3];
        for (let i = 1; i < height - 1; ++i) {
          for (let at = i * width + 1; at < i * width + width - 1; ++at) {
            const flow = (u[at + 1] - u[at - 1] + v[at + width] - v[at - width]) * 0.5;
            to[at] = (p[at - 1] + p[at + 1] + p[at - width] + p[at + width] - flow) * 0.25;
          }
        }
        [p, next[3]] = [to, p];
      }
      each((at) => {
        u[at] -= (p[at + 1] - p[at - 1]) * 0.5;
        v[at] -= (p[at + width] - p[at - width]) * 0.5;
      });
    },
    fields: () => ({ u, v, p, smoke }),
  };
}

// ---- page ----
const colours = palette('#07080f', '#1d2450', '#5b3b8c', '#b4508c', '#f0875a', '#fde0a0', '#ffffff');
let time = 0;
export function draw(context, engine) {
  const [width, height] = size, { u, smoke } = engine.fields(), s = height / 192;
  time += 0.03;
  for (let k = -12; k <= 12; ++k) { // a fire that sways
    const at = (height - 6) * width + Math.round(width * (0.5 + 0.12 * Math.sin(time)) + k * s);
    smoke[at] = smoke[at - width] = smoke[at - 2 * width] = 1;
    u[at - width] += 0.1 * Math.cos(time * 2.3);
  }
  paint(context, smoke, 0, 0.6, colours);
}
let last = null;
export function pointer(engine, at) {
  const [width, height] = size, { u, v, smoke } = engine.fields(), r = height / 24;
  if (!at.first && last && at.down) {
    for (let i = Math.max(1, at.y - r | 0); i < Math.min(height - 1, at.y + r); ++i)
      for (let j = Math.max(1, at.x - r | 0); j < Math.min(width - 1, at.x + r); ++j) {
        if ((i - at.y) ** 2 + (j - at.x) ** 2 > r * r) continue;
        u[i * width + j] += 0.05 * (at.x - last.x);
        v[i * width + j] += 0.05 * (at.y - last.y);
        smoke[i * width + j] = Math.min(1, smoke[i * width + j] + 0.2);
      }
  }
  last = at;
}
