// Ray marching: from each pixel a ray goes as far as the nearest surface allows, again and again.
export const title = 'Ray marching';
export const about = 'Balls that melt into each other over a floor, given only by the distance to them. Every pixel marches, all steps in one kernel.';
export const hint = 'Drag to walk around the balls.';
let tall = 240;
const wideOf = (height) => (3 * height) / 2;
export let size = [wideOf(tall), tall];
export const sizes = { label: 'rows of pixels', values: [120, 240, 480, 720], value: 240 };
export function resize(value) {
  tall = value;
  size = [wideOf(tall), tall];
  image = null;
}
export const controls = {
  melt: { label: 'melting', min: 0.05, max: 0.8, step: 0.05, value: 0.35 },
  speed: { label: 'speed', min: 0, max: 2, step: 0.1, value: 0.6 },
};
const camera = { angle: 0.5, time: 0 }, steps = 18, far = 12;

/** Where the balls are at a time: [x, y, z] each. */
const balls = (t) => [[Math.cos(t), 0.1 + 0.35 * Math.sin(1.3 * t), Math.sin(t)], [-Math.cos(t * 0.8), 0.2, -Math.sin(t * 0.8)], [0.3 * Math.sin(t * 1.7), 0.55 + 0.3 * Math.cos(t), 0]].flat();

export function start() {
  return { light: new Float32Array(size[0] * size[1]) };
}

// ---- numjit ----
export function numjit(np, compiled, state) {
  const [width, height] = size;
  const light = np.array(state.light).reshape(height, width);
  const across = np.linspace(-0.75, 0.75, width, { dtype: 'float32' });
  const up = np.linspace(0.5, -0.5, height, { dtype: 'float32' }).reshape(height, 1);

  // The distance to three balls, melted by a smooth minimum, and to the floor.
  const distance = (x, y, z, b, melt) => {
    let d = y.add(0.9);
    for (let k = 0; k < 3; ++k) {
      const [dx, dy, dz] = [x, y, z].map((v, i) => v.subtract(b[3 * k + i]));
      const ball = np.sqrt(dx.multiply(dx).add(dy.multiply(dy)).add(dz.multiply(dz))).subtract(0.55);
      const h = np.maximum(np.subtract(melt, np.abs(d.subtract(ball))), 0);
      d = np.minimum(d, ball).subtract(h.multiply(h).multiply(0.25 / melt));
    }
    return d;
  };

  const march = compiled(function march(cos, sin, melt, ...b) {
    const length = np.sqrt(across.multiply(across).add(up.multiply(up)).add(1));
    const [rx, ry, rz] = [across, up.subtract(0.15), np.float(1)].map((v) => np.divide(v, length));
    const dx = rx.multiply(cos).add(rz.multiply(sin)), dz = rz.multiply(cos).subtract(rx.multiply(sin));
    const at = (t) => [dx.multiply(t).subtract(3.4 * sin), ry.multiply(t).add(0.55), dz.multiply(t).subtract(3.4 * cos)];
    let t = length.multiply(0);
    for (let k = 0; k < steps; ++k) t = np.minimum(t.add(distance(...at(t), b, melt)), far);
    const [x, y, z] = at(t), here = distance(x, y, z, b, melt);
    const lit = distance(x.add(0.05), y.add(0.09), z.subtract(0.04), b, melt).subtract(here).multiply(9);
    const shadow = distance(x.add(0.3), y.add(0.5), z.subtract(0.25), b, melt).multiply(1.8).clip(0.25, 1);
    light.set(np.where(t.less(far), lit.clip(0.04, 1).multiply(shadow).multiply(np.exp(t.multiply(-0.08))), 0));
  }, { fullgraph: true });

  return {
    step({ melt }) {
      march(Math.cos(camera.angle), Math.sin(camera.angle), melt, ...balls(camera.time));
    },
    fields: () => ({ light: light.data }),
  };
}

// ---- hand-written ----
export function handWritten({ light }) {
  const [width, height] = size;
  return {
    step({ melt }) {
      const cos = Math.cos(camera.angle), sin = Math.sin(camera.angle), b = balls(camera.time);
      const distance = (x, y, z) => {
        let d = y + 0.9;
        for (let k = 0; k < 9; k += 3) {
          const dx = x - b[k], dy = y - b[k + 1], dz = z - b[k + 2];
          const ball = Math.sqrt(dx * dx + dy * dy + dz * dz) - 0.55;
          const h = Math.max(melt - Math.abs(d - ball), 0);
          d = Math.min(d, ball) - h * h * 0.25 / melt;
        }
        return d;
      };
      for (let i = 0; i < height; ++i) {
        for (let j = 0; j < width; ++j) {
          const a = -0.75 + 1.5 * j / (width - 1), u = 0.5 - i / (height - 1);
          const length = Math.sqrt(a * a + u * u + 1);
          const rx = a / length, ry = (u - 0.15) / length, rz = 1 / length;
          const dx = rx * cos + rz * sin, dz = rz * cos - rx * sin;
          let t = 0, x = -3.4 * sin, y = 0.55, z = -3.4 * cos;
          for (let k = 0; k < steps && t < far; ++k) {
            t = Math.min(t + distance(x, y, z), far);
            x = dx * t - 3.4 * sin;
            y = ry * t + 0.55;
            z = dz * t - 3.4 * cos;
          }
          let value = 0;
          if (t < far) {
            const lit = 9 * (distance(x + 0.05, y + 0.09, z - 0.04) - distance(x, y, z));
            const shadow = Math.min(1, Math.max(0.25, 1.8 * distance(x + 0.3, y + 0.5, z - 0.25)));
            value = Math.min(1, Math.max(0.04, lit)) * shadow * Math.exp(-0.08 * t);
          }
          light[i * width + j] = value;
        }
      }
    },
    fields: () => ({ light }),
  };
}

// ---- page ----
const stops = [[8, 12, 26], [30, 60, 110], [200, 120, 70], [255, 226, 170]];
const colours = Uint32Array.from({ length: 256 }, (_, i) => {
  const at = i / 85, k = Math.min(2, at | 0), [r, g, b] = stops[k].map((low, c) => Math.round(low + (stops[k + 1][c] - low) * (at - k)));
  return (255 << 24 | b << 16 | g << 8 | r) >>> 0;
});
let image = null, last = null;
export function draw(context, engine, { speed }) {
  const [width, height] = size, { light } = engine.fields();
  image ??= context.createImageData(width, height);
  const pixels = new Uint32Array(image.data.buffer);
  for (let i = 0; i < pixels.length; ++i) pixels[i] = colours[255 * Math.sqrt(light[i]) | 0];
  context.putImageData(image, 0, 0);
  camera.time += 0.03 * speed;
}
export function pointer(engine, at) {
  if (!at.first && last) camera.angle += ((at.x - last.x) / size[0]) * 4;
  last = at;
}
