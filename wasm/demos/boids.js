// Boids: birds that look at all others, keep apart, fly as their neighbours do, and stay together.
export const title = 'Boids';
export const about = 'Each bird looks at every other one: three rules over all pairs make a flock. Sums over rows of one broadcast, in one pass.';
export const hint = 'Press to frighten the birds.';
let birds = 512;
export const size = [600, 400];
export const sizes = { label: 'birds', values: [128, 512, 1024, 2048], value: 512 };
export function resize(value) { birds = value; }
export const controls = {
  apart: { label: 'keep apart', min: 0, max: 2, step: 0.05, value: 0.9 },
  follow: { label: 'fly alike', min: 0, max: 2, step: 0.05, value: 0.8 },
  together: { label: 'stay together', min: 0, max: 2, step: 0.05, value: 0.6 },
};
const fright = { x: 0, y: 0, strength: 0 };

export function start() {
  const n = birds, state = Object.fromEntries(['x', 'y', 'vx', 'vy'].map((name) => [name, new Float32Array(n)]));
  for (let i = 0; i < n; ++i) {
    const angle = i * 2.39996, r = Math.sqrt(i / n);
    Object.entries({ x: 1.3 * r * Math.cos(angle), y: 0.8 * r * Math.sin(angle), vx: 0.4 * Math.cos(3 * angle), vy: 0.4 * Math.sin(5 * angle) })
      .forEach(([name, value]) => { state[name][i] = value; });
  }
  return state;
}

// ---- numjit ----
export function numjit(np, compiled, state) {
  const n = birds, dt = 0.02;
  const [x, y, vx, vy] = ['x', 'y', 'vx', 'vy'].map((name) => np.array(state[name]));

  const fly = compiled(function fly(x, y, vx, vy, apart, follow, together, fx, fy, fs) {
    const dx = x.subtract(x.reshape(n, 1)), dy = y.subtract(y.reshape(n, 1));
    const r2 = dx.multiply(dx).add(dy.multiply(dy));
    const near = r2.less(0.04).astype('float32'), push = np.divide(near, r2.add(0.002));
    const rows = (a) => a.sum({ axis: 1 });
    const count = rows(near), cx = rows(near.multiply(dx)), cy = rows(near.multiply(dy));
    const ux = rows(near.multiply(vx)), uy = rows(near.multiply(vy));
    const px = rows(push.multiply(dx)), py = rows(push.multiply(dy));
    const ax = cx.divide(count).multiply(6 * together).add(ux.divide(count).subtract(vx).multiply(2 * follow))
      .subtract(px.multiply(0.02 * apart)).subtract(x.multiply(0.4)).subtract(np.subtract(fx, x).multiply(fs));
    const ay = cy.divide(count).multiply(6 * together).add(uy.divide(count).subtract(vy).multiply(2 * follow))
      .subtract(py.multiply(0.02 * apart)).subtract(y.multiply(0.8)).subtract(np.subtract(fy, y).multiply(fs));
    const wx = vx.add(ax.multiply(dt)), wy = vy.add(ay.multiply(dt));
    const speed = np.sqrt(wx.multiply(wx).add(wy.multiply(wy))).add(1e-6);
    const pace = np.clip(speed, 0.3, 0.9).divide(speed);
    vx.set(wx.multiply(pace));
    vy.set(wy.multiply(pace));
    x.iadd(vx.multiply(dt));
    y.iadd(vy.multiply(dt));
  });

  return {
    step({ apart, follow, together }) {
      fly(x, y, vx, vy, apart, follow, together, fright.x, fright.y, fright.strength);
    },
    fields: () => ({ x: x.data, y: y.data, vx: vx.data, vy: vy.data }),
  };
}

// ---- hand-written ----
export function handWritten({ x, y, vx, vy }) {
  const n = birds, dt = 0.02, wx = new Float32Array(n), wy = new Float32Array(n);
  return {
    step({ apart, follow, together }) {
      for (let i = 0; i < n; ++i) {
        let count = 0, cx = 0, cy = 0, ux = 0, uy = 0, px = 0, py = 0;
        for (let j = 0; j < n; ++j) {
          const dx = x[j] - x[i], dy = y[j] - y[i], r2 = dx * dx + dy * dy;
          if (r2 >= 0.04) continue;
          const push = 1 / (r2 + 0.002);
          count += 1;
          cx += dx;
          cy += dy;
          ux += vx[j];
          uy += vy[j];
          px += push * dx;
          py += push * dy;
        }
        wx[i] = vx[i] + dt * (6 * together * cx / count + 2 * follow * (ux / count - vx[i]) - 0.02 * apart * px
          - 0.4 * x[i] - (fright.x - x[i]) * fright.strength);
        wy[i] = vy[i] + dt * (6 * together * cy / count + 2 * follow * (uy / count - vy[i]) - 0.02 * apart * py
          - 0.8 * y[i] - (fright.y - y[i]) * fright.strength);
      }
      for (let i = 0; i < n; ++i) {
        const speed = Math.hypot(wx[i], wy[i]) + 1e-6, pace = Math.min(0.9, Math.max(0.3, speed)) / speed;
        vx[i] = wx[i] * pace;
        vy[i] = wy[i] * pace;
        x[i] += dt * vx[i];
        y[i] += dt * vy[i];
      }
    },
    fields: () => ({ x, y, vx, vy }),
  };
}

// ---- page ----
const scale = 190;
export function draw(context, engine) {
  const { x, y, vx, vy } = engine.fields(), [width, height] = size;
  context.fillStyle = 'rgb(9 14 24 / 0.5)';
  context.fillRect(0, 0, width, height);
  for (let i = 0; i < x.length; ++i) {
    const angle = Math.atan2(vy[i], vx[i]), px = width / 2 + scale * x[i], py = height / 2 + scale * y[i];
    context.fillStyle = `hsl(${200 + 60 * Math.sin(angle)} 80% 68%)`;
    context.beginPath();
    for (const [turn, length] of [[0, 6], [2.5, 4], [-2.5, 4]]) context.lineTo(px + length * Math.cos(angle + turn), py + length * Math.sin(angle + turn));
    context.fill();
  }
  fright.strength *= 0.94;
}
export function pointer(engine, { x, y, down }) {
  if (down) Object.assign(fright, { x: (x - size[0] / 2) / scale, y: (y - size[1] / 2) / scale, strength: 6 });
}
