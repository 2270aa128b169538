// A photograph in k colours: k-means over its pixels, one round a frame.
export const title = 'Colours of a photograph';
export const about = 'k-means finds the few colours that stand best for all: every pixel goes to its nearest colour, every colour to the mean of its pixels.';
export const hint = 'Drop a photograph of yours here: it stays in this page. Left: the picture, right: its colours.';
const width = 192, height = 144, pixels = width * height, most = 16;
export const size = [2 * width, height + 16];
export const controls = {
  k: { label: 'colours', min: 2, max: most, step: 1, value: 8 },
  again: { label: 'Start again', press: (settings) => { settings.restart = true; } },
};

/** A landscape, for want of a photograph. */
function landscape() {
  const rgb = new Float32Array(3 * pixels);
  const ridge = (x, k) => 0.42 + 0.13 * k + 0.07 * Math.sin(x * (5 + 3 * k) + k * 2) + 0.03 * Math.sin(x * (17 + 5 * k));
  for (let i = 0; i < pixels; ++i) {
    const x = (i % width) / width, y = Math.floor(i / width) / height;
    const sun = Math.exp(-((x - 0.68) ** 2 + (y - 0.28) ** 2) / 0.012);
    let colour = [0.98 - 0.45 * (1 - y) + sun, 0.62 - 0.2 * (1 - y) + 0.8 * sun, 0.5 + 0.25 * (1 - y) + 0.3 * sun];
    for (let k = 0; k < 4; ++k) if (y > ridge(x, k)) colour = [[0.55, 0.45, 0.55], [0.36, 0.34, 0.48], [0.2, 0.26, 0.36], [0.07, 0.14, 0.19]][k];
    const grain = 0.05 * (((Math.imul(i ^ (i >>> 7), 0x9e3779b1) ^ Math.imul(i, 0x85ebca6b)) >>> 8) / 2 ** 24 - 0.5);
    for (let c = 0; c < 3; ++c) rgb[3 * i + c] = Math.min(1, Math.max(0, colour[c] + grain));
  }
  return rgb;
}
let picture = landscape();

export function start() {
  const centres = new Float32Array(3 * most);
  for (let k = 0; k < most; ++k) centres.set(picture.subarray(3 * ((k * 1777) % pixels)).subarray(0, 3), 3 * k);
  return { rgb: picture, centres, labels: new Float32Array(pixels) };
}

// ---- numjit ----
export function numjit(np, compiled, state) {
  const rgb = np.array(state.rgb).reshape(-1, 3);
  const centres = np.array(state.centres).reshape(-1, 3);
  const labels = np.array(state.labels);
  const all = np.ones([pixels, 1], { dtype: 'float32' });
  const numbers = np.arange(most, { dtype: 'float32' });

  const assign = compiled(function assign(rgb, centres) {
    // |p - c|^2 without |p|^2, which is the same for all centres
    const distance = centres.multiply(centres).sum({ axis: 1 })
      .subtract(rgb.matmul(centres.T).multiply(2));
    labels.set(np.argmin(distance, { axis: 1 }));
  });
  const move = compiled(function move(centres, k) {
    const mine = labels.reshape(pixels, 1)
      .equal(numbers.at(np.slice(k))).astype('float32');
    const count = mine.T.matmul(all), sums = mine.T.matmul(rgb);
    const means = sums.divide(np.maximum(count, 1));
    centres.set(np.where(count.greater(0), means, centres));
  });

  return {
    step({ k }) {
      const some = centres.at(np.slice(k));
      assign(rgb, some);
      move(some, k);
      some.dispose();
    },
    fields: () => ({ rgb: rgb.data, centres: centres.data, labels: labels.data }),
  };
}

// ---- hand-written ----
export function handWritten({ rgb, centres, labels }) {
  return {
    step({ k }) {
      const sums = new Float64Array(3 * k), count = new Float64Array(k);
      for (let i = 0; i < pixels; ++i) {
        const r = rgb[3 * i], g = rgb[3 * i + 1], b = rgb[3 * i + 2];
        let best = Infinity, label = 0;
        for (let c = 0; c < k; ++c) {
          const dr = r - centres[3 * c], dg = g - centres[3 * c + 1];
          const db = b - centres[3 * c + 2];
          const distance = dr * dr + dg * dg + db * db;
          if (distance < best) {
            best = distance;
            label = c;
          }
        }
        labels[i] = label;
        count[label] += 1;
        sums[3 * label] += r;
        sums[3 * label + 1] += g;
        sums[3 * label + 2] += b;
      }
      for (let c = 0; c < k; ++c)
        if (count[c] > 0) for (let d = 0; d < 3; ++d) centres[3 * c + d] = sums[3 * c + d] / count[c];
    },
    fields: () => ({ rgb, centres, labels }),
  };
}

// ---- page ----
let image = null, rounds = 0;
export function draw(context, engine, settings) {
  image ??= context.createImageData(2 * width, height);
  const { rgb, centres, labels } = engine.fields(), out = new Uint32Array(image.data.buffer);
  const colour = (from, at) => 255 << 24 | from[at + 2] * 255.99 << 16 | from[at + 1] * 255.99 << 8 | from[at] * 255.99;
  for (let i = 0; i < pixels; ++i) {
    const at = Math.floor(i / width) * 2 * width + (i % width);
    out[at] = colour(rgb, 3 * i);
    out[at + width] = colour(centres, 3 * labels[i]);
  }
  context.putImageData(image, 0, 0);
  const step = (2 * width) / settings.k;
  for (let c = 0; c < settings.k; ++c) {
    context.fillStyle = `rgb(${[0, 1, 2].map((d) => Math.round(255 * centres[3 * c + d])).join(' ')})`;
    context.fillRect(Math.floor(c * step), height, Math.ceil(step), 16);
  }
  if (settings.restart || ++rounds % 240 === 0) {
    for (let c = 0; c < most; ++c) centres.set(rgb.slice(3 * Math.floor(Math.random() * pixels)).subarray(0, 3), 3 * c);
    settings.restart = false;
  }
}

/** Photographs that are dropped on the canvas. */
export function wire(canvas, engine, settings) {
  canvas.addEventListener('dragover', (event) => event.preventDefault());
  canvas.addEventListener('drop', async (event) => {
    event.preventDefault();
    const [file] = event.dataTransfer.files;
    if (!file?.type.startsWith('image/')) return;
    const bitmap = await createImageBitmap(file, { resizeWidth: width, resizeHeight: height, resizeQuality: 'high' });
    const context = new OffscreenCanvas(width, height).getContext('2d');
    context.drawImage(bitmap, 0, 0);
    const { data } = context.getImageData(0, 0, width, height);
    picture = Float32Array.from({ length: 3 * pixels }, (_, i) => data[4 * Math.floor(i / 3) + (i % 3)] / 255);
    engine().fields().rgb.set(picture);
    settings.restart = true;
  });
}
