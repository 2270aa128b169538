// The price of an option over strikes and times, by Black and Scholes, as a surface that turns.
import { palette } from './demo.js';

export const title = 'Option prices';
export const about = 'Black and Scholes over strikes and times to expiry, each price with logarithms and exponentials, all of them for each frame.';
export const hint = 'Drag to turn the surface. Move the volatility and see the edge smear out.';
let steps = 256;
export const size = [560, 400];
export const sizes = { label: 'strikes, and times', values: [64, 128, 256, 512, 1024], value: 256 };
export function resize(value) { steps = value; }
export const controls = {
  spot: { label: 'spot', min: 60, max: 140, step: 1, value: 100 },
  volatility: { label: 'volatility', min: 0.05, max: 0.9, step: 0.01, value: 0.25 },
  rate: { label: 'rate', min: 0, max: 0.15, step: 0.005, value: 0.03 },
};
const turn = { angle: 0.7, lift: 0.55, held: 0 };

export function start() {
  return { price: new Float32Array(steps * steps) };
}

// ---- numjit ----
export function numjit(np, compiled, state) {
  const strikes = steps, times = steps;
  const strike = np.linspace(50, 150, strikes, { dtype: 'float32' });
  const time = np.linspace(0.01, 2, times, { dtype: 'float32' })
    .reshape(times, 1);
  const price = np.array(state.price).reshape(times, strikes);

  // The normal distribution function, to 3e-4.
  const cdf = (x) => {
    const cube = x.multiply(x).multiply(x);
    return np.tanh(x.multiply(0.7978846).add(cube.multiply(0.0356774)))
      .add(1).multiply(0.5);
  };

  const quote = compiled(function quote(spot, volatility, rate) {
    const spread = np.sqrt(time).multiply(volatility);
    const growth = time.multiply(rate + 0.5 * volatility ** 2);
    const d1 = np.log(np.divide(spot, strike)).add(growth)
      .divide(spread);
    const d2 = d1.subtract(spread);
    const discounted = strike.multiply(np.exp(time.multiply(-rate)));
    price.set(cdf(d1).multiply(spot)
      .subtract(cdf(d2).multiply(discounted)));
  });

  return {
    step({ spot, volatility, rate }) { quote(spot, volatility, rate); },
    fields: () => ({ price: price.data }),
  };
}

// ---- hand-written ----
export function handWritten({ price }) {
  const strikes = steps, times = steps;
  const cdf = (x) =>
    0.5 * (1 + Math.tanh(0.7978846 * x + 0.0356774 * x * x * x));
  return {
    step({ spot, volatility, rate }) {
      for (let i = 0; i < times; ++i) {
        const time = 0.01 + (1.99 * i) / (times - 1);
        const spread = Math.sqrt(time) * volatility;
        const growth = time * (rate + 0.5 * volatility * volatility);
        for (let j = 0; j < strikes; ++j) {
          const strike = 50 + (100 * j) / (strikes - 1);
          const d1 = (Math.log(spot / strike) + growth) / spread;
          price[i * strikes + j] = spot * cdf(d1)
            - strike * Math.exp(-rate * time) * cdf(d1 - spread);
        }
      }
    },
    fields: () => ({ price }),
  };
}

// ---- page ----
const colours = palette('#11235a', '#1f5fa8', '#27a4b8', '#7fd18b', '#f7e08a', '#f58f4a');
const css = Array.from(colours, (c) => `rgb(${c & 255} ${c >> 8 & 255} ${c >> 16 & 255})`);
export function draw(context, engine) {
  const { price } = engine.fields(), [width, height] = size, grid = 48, at = (k) => Math.round((k * (steps - 1)) / grid);
  if (turn.held > 0) --turn.held;
  else turn.angle += 0.004;
  context.fillStyle = '#0d1017';
  context.fillRect(0, 0, width, height);
  const cos = Math.cos(turn.angle), sin = Math.sin(turn.angle);
  const point = (i, j) => {
    const value = price[at(i) * steps + at(j)];
    const x = j / grid - 0.5, y = i / grid - 0.5, depth = x * sin + y * cos;
    return { x: width / 2 + 340 * (x * cos - y * sin), y: height * 0.66 + 300 * depth * turn.lift - 2.3 * value, depth, value };
  };
  const points = Array.from({ length: grid + 1 }, (_, i) => Array.from({ length: grid + 1 }, (__, j) => point(i, j)));
  const tiles = [];
  for (let i = 0; i < grid; ++i) for (let j = 0; j < grid; ++j) tiles.push([points[i][j], points[i][j + 1], points[i + 1][j + 1], points[i + 1][j]]);
  tiles.sort((a, b) => a[0].depth + a[2].depth - b[0].depth - b[2].depth);
  context.lineWidth = 0.6;
  context.strokeStyle = 'rgb(10 14 24 / 0.55)';
  for (const tile of tiles) {
    context.fillStyle = css[Math.min(255, Math.max(0, Math.round(tile[0].value * 3.2)))];
    context.beginPath();
    for (const { x, y } of tile) context.lineTo(x, y);
    context.closePath();
    context.fill();
    context.stroke();
  }
  context.font = '13px system-ui, sans-serif';
  context.fillStyle = '#98a0ad';
  const name = (text, i, j, down = 18) => {
    const { x, y, value } = point(i, j);
    context.fillText(text, x - 20, y + 2.3 * value + down);
  };
  context.textAlign = 'center';
  for (const k of [0, 0.25, 0.5, 0.75, 1]) { // along both edges, and the height of the far corner
    name(String(50 + 100 * k), grid, grid * k);
    if (k > 0) name((0.01 + 1.99 * k).toFixed(1), grid * (1 - k), grid);
  }
  name('strike', grid, grid / 2, 36);
  name('years to expiry', grid / 2, grid, 36);
  const corner = point(0, 0), foot = corner.y + 2.3 * corner.value;
  context.fillText('price', corner.x - 26, foot - 2.3 * 60);
  for (const price of [0, 25, 50]) context.fillText(String(price), corner.x - 26, foot - 2.3 * price + 4);
}
let last = null;
export function pointer(engine, at) {
  if (at.first) last = at;
  if (!last) return;
  turn.angle -= (at.x - last.x) * 0.01;
  turn.lift = Math.min(0.9, Math.max(0.15, turn.lift + (at.y - last.y) * 0.004));
  turn.held = 240;
  last = at;
}
