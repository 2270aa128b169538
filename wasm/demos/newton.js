// Newton's method for z^3 = 1 from every pixel: which root it finds, and how soon.
export const title = 'Newton fractal';
export const about = 'Newton’s method looks for a cube root of 1 from each pixel; the colour says which one it found, the shade how soon.';
export const hint = 'Turn the wheel or click to zoom in, drag to move.';
let tall = 270;
const wideOf = (height) => (4 * height) / 3;
export let size = [wideOf(tall), tall];
export const sizes = { label: 'rows of pixels', values: [135, 270, 540, 1080], value: 270 };
export function resize(value) {
  tall = value;
  size = [wideOf(tall), tall];
  image = null;
}
const home = { x: 0, y: 0, span: 3.2 };
let view = { ...home };
export const controls = {
  rounds: { label: 'rounds', min: 4, max: 60, step: 1, value: 28 },
  drift: { label: 'drift', min: 0, max: 1, step: 0.05, value: 0.3 },
  reset: { label: 'Back to the whole', press: () => { view = { ...home }; } },
};

export function start() {
  const pixels = size[0] * size[1];
  return { re: new Float32Array(pixels), im: new Float32Array(pixels), rounds: new Float32Array(pixels) };
}

// ---- numjit ----
export function numjit(np, compiled) {
  const [width, height] = size, together = 14;
  const x0 = np.linspace(-0.5, 0.5, width, { dtype: 'float32' });
  const y0 = np.linspace(-0.5, 0.5, height, { dtype: 'float32' })
    .multiply(height / width).reshape(height, 1);
  const [re, im, rounds] = [1, 2, 3]
    .map(() => np.zeros([height, width], { dtype: 'float32' }));

  const aim = compiled(function aim(x, y, span) {
    re.set(x0.multiply(span).add(x));
    im.set(y0.multiply(span).add(y));
    rounds.set(0);
  });

  // z - (z^3 - 1) / (3 z^2)  =  2/3 z + 1 / (3 z^2)
  const search = compiled(function search(re, im, rounds, count) {
    let x = re, y = im, moves = rounds;
    for (let k = 0; k < count; ++k) { // all in one kernel
      const a = x.multiply(x).subtract(y.multiply(y));
      const b = x.multiply(y).multiply(2);
      const scale = np.divide(1 / 3, a.multiply(a).add(b.multiply(b)));
      const nx = x.multiply(2 / 3).add(a.multiply(scale));
      const ny = y.multiply(2 / 3).subtract(b.multiply(scale));
      const moved = np.abs(nx.subtract(x)).add(np.abs(ny.subtract(y)));
      moves = moves.add(moved.greater(1e-6));
      [x, y] = [nx, ny];
    }
    rounds.set(moves);
    re.set(x);
    im.set(y);
  }, { fullgraph: true, mode: 'replay' });

  return {
    step(settings) {
      aim(np.float(view.x), np.float(view.y), np.float(view.span));
      for (let left = settings.rounds; left > 0; left -= together)
        search(re, im, rounds, Math.min(left, together));
    },
    fields: () => ({ re: re.data, im: im.data, rounds: rounds.data }),
  };
}

// ---- hand-written ----
export function handWritten({ re, im, rounds }) {
  const [width, height] = size;
  return {
    step(settings) {
      for (let i = 0; i < height; ++i) {
        for (let j = 0; j < width; ++j) {
          let x = view.x + (j / (width - 1) - 0.5) * view.span;
          let y = view.y
            + ((i / (height - 1) - 0.5) * view.span * height) / width;
          let k = 0;
          for (; k < settings.rounds; ++k) {
            const a = x * x - y * y, b = 2 * x * y;
            const scale = 1 / (3 * (a * a + b * b));
            const nx = (2 / 3) * x + a * scale;
            const ny = (2 / 3) * y - b * scale;
            const moved = Math.abs(nx - x) + Math.abs(ny - y);
            x = nx;
            y = ny;
            if (!(moved > 1e-6)) break;
          }
          re[i * width + j] = x;
          im[i * width + j] = y;
          rounds[i * width + j] = k;
        }
      }
    },
    fields: () => ({ re, im, rounds }),
  };
}

// ---- page ----
const roots = [[255, 122, 69], [64, 150, 255], [92, 190, 130]];
let image = null, time = 0;
export function draw(context, engine, settings) {
  const [width, height] = size;
  image ??= context.createImageData(width, height);
  const { re, im, rounds } = engine.fields(), pixels = new Uint32Array(image.data.buffer);
  for (let i = 0; i < pixels.length; ++i) {
    const [r, g, b] = roots[re[i] > 0.25 ? 0 : im[i] > 0 ? 1 : 2], shade = 1.15 / (1 + 0.13 * rounds[i]);
    pixels[i] = 255 << 24 | Math.min(255, b * shade) << 16 | Math.min(255, g * shade) << 8 | Math.min(255, r * shade);
  }
  context.putImageData(image, 0, 0);
  time += 0.01;
  view.x += settings.drift * view.span * 0.002 * Math.cos(time);
  view.y += settings.drift * view.span * 0.002 * Math.sin(time * 0.7);
}
let last = null;
export function pointer(engine, at) {
  const [width, height] = size;
  if (at.wheel !== 0 || at.first) {
    const factor = at.wheel !== 0 ? Math.exp(Math.sign(at.wheel) * 0.18) : 0.8;
    const dx = at.x / width - 0.5, dy = ((at.y / height - 0.5) * height) / width;
    view.x += dx * view.span * (1 - factor);
    view.y += dy * view.span * (1 - factor);
    view.span = Math.min(6, Math.max(1e-4, view.span * factor));
  } else if (at.down && last) {
    view.x -= ((at.x - last.x) / width) * view.span;
    view.y -= ((at.y - last.y) / width) * view.span;
  }
  last = at;
}
