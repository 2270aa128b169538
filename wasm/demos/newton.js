// Newton's method for z^3 = 1 from every pixel: which root it finds, and how soon.
export const title = 'Newton fractal';
export const about = 'Newton’s method looks for a cube root of 1 from each pixel; the colour says which one it found, the shade how soon.';
export const hint = 'Turn the wheel or click to zoom in, drag to move.';
const width = 360, height = 270;
export const size = [width, height];
const home = { x: 0, y: 0, span: 3.2 };
let view = { ...home };
export const controls = {
  rounds: { label: 'rounds', min: 4, max: 60, step: 1, value: 28 },
  drift: { label: 'drift', min: 0, max: 1, step: 0.05, value: 0.3 },
  reset: { label: 'Back to the whole', press: () => { view = { ...home }; } },
};

export function start() {
  return { re: new Float64Array(width * height), im: new Float64Array(width * height), rounds: new Float64Array(width * height) };
}

// ---- numjit ----
export function numjit(np, compiled) {
  const x0 = np.linspace(-0.5, 0.5, width);
  const y0 = np.linspace(-0.5, 0.5, height).multiply(height / width)
    .reshape(height, 1);
  const [re, im, rounds] = [1, 2, 3]
    .map(() => np.zeros([height, width]));

  const aim = compiled(function aim(x, y, span) {
    re.set(x0.multiply(np.float(span)).add(np.float(x)));
    im.set(y0.multiply(np.float(span)).add(np.float(y)));
    rounds.set(0);
  });

  // z - (z^3 - 1) / (3 z^2)  =  2/3 z + 1 / (3 z^2)
  const round = compiled(function round(re, im, rounds) {
    const a = re.multiply(re).subtract(im.multiply(im));
    const b = re.multiply(im).multiply(2);
    const d = a.multiply(a).add(b.multiply(b)).multiply(3);
    const x = re.multiply(2 / 3).add(a.divide(d));
    const y = im.multiply(2 / 3).subtract(b.divide(d));
    const moved = np.abs(x.subtract(re)).add(np.abs(y.subtract(im)));
    rounds.iadd(moved.greater(1e-6));
    re.set(x);
    im.set(y);
  });

  return {
    step(settings) {
      aim(view.x, view.y, view.span);
      for (let k = 0; k < settings.rounds; ++k) round(re, im, rounds);
    },
    fields: () => ({ re: re.data, im: im.data, rounds: rounds.data }),
  };
}

// ---- hand-written ----
export function handWritten({ re, im, rounds }) {
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
            const d = 3 * (a * a + b * b);
            const nx = (2 / 3) * x + a / d, ny = (2 / 3) * y - b / d;
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
  if (at.wheel !== 0 || at.first) {
    const factor = at.wheel !== 0 ? Math.exp(Math.sign(at.wheel) * 0.18) : 0.8;
    const dx = at.x / width - 0.5, dy = ((at.y / height - 0.5) * height) / width;
    view.x += dx * view.span * (1 - factor);
    view.y += dy * view.span * (1 - factor);
    view.span = Math.min(6, Math.max(1e-12, view.span * factor));
  } else if (at.down && last) {
    view.x -= ((at.x - last.x) / width) * view.span;
    view.y -= ((at.y - last.y) / width) * view.span;
  }
  last = at;
}
