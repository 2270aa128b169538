// Bodies that attract each other: every pair, every step.
export const title = 'n bodies';
export const about = 'Every body pulls at every other. Differences of all pairs come from one broadcast, forces from one sum over rows.';
export const hint = 'Press and hold to pull the bodies towards the pointer.';
let bodies = 640;
export const size = [480, 360];
export const sizes = { label: 'bodies', values: [160, 640, 1280, 2560], value: 640 };
export function resize(value) { bodies = value; }
export const controls = {
  gravity: { label: 'gravity', min: 0, max: 2, step: 0.05, value: 0.8 },
  soft: { label: 'softening', min: 0.02, max: 0.3, step: 0.01, value: 0.06 },
};
const pull = { x: 0, y: 0, mass: 0 };

export function start() {
  const n = bodies, state = { x: new Float32Array(n), y: new Float32Array(n), vx: new Float32Array(n), vy: new Float32Array(n), mass: new Float32Array(n) };
  for (let i = 0; i < n; ++i) { // two discs that meet
    const side = i % 2 ? 1 : -1, angle = i * 2.39996, r = 0.42 * Math.sqrt(i / n), turn = 0.85 * Math.sqrt((0.4 * (r / 0.42) ** 2 + 0.075) / (r + 0.03));
    state.x[i] = side * 0.62 + r * Math.cos(angle);
    state.y[i] = side * 0.16 + r * Math.sin(angle);
    state.vx[i] = -side * 0.12 - turn * Math.sin(angle);
    state.vy[i] = turn * Math.cos(angle);
    state.mass[i] = (i < 2 ? 60 : 1) / n;
  }
  return state;
}

// ---- numjit ----
export function numjit(np, compiled, state) {
  const n = bodies;
  const [x, y, vx, vy, mass] = ['x', 'y', 'vx', 'vy', 'mass']
    .map((name) => np.array(state[name]));
  const dt = 0.012;

  const fall = compiled(function fall(x, y, vx, vy, g, soft, px, py, pm) {
    const dx = x.subtract(x.reshape(n, 1));
    const dy = y.subtract(y.reshape(n, 1));
    const r2 = dx.multiply(dx).add(dy.multiply(dy)).add(soft * soft);
    const pull = mass.divide(r2.multiply(np.sqrt(r2)));
    const ax = pull.multiply(dx).sum({ axis: 1 });
    const ay = pull.multiply(dy).sum({ axis: 1 });
    vx.iadd(ax.multiply(g * dt)
      .add(np.subtract(px, x).multiply(pm * dt)));
    vy.iadd(ay.multiply(g * dt)
      .add(np.subtract(py, y).multiply(pm * dt)));
    x.iadd(vx.multiply(dt));
    y.iadd(vy.multiply(dt));
  });

  return {
    step({ gravity, soft }) {
      fall(x, y, vx, vy, gravity, soft, pull.x, pull.y, pull.mass);
    },
    fields: () => ({
      x: x.data, y: y.data, vx: vx.data, vy: vy.data, mass: mass.data,
    }),
  };
}

// ---- hand-written ----
export function handWritten({ x, y, vx, vy, mass }) {
  const n = bodies, dt = 0.012;
  return {
    step({ gravity, soft }) {
      for (let i = 0; i < n; ++i) {
        let ax = 0, ay = 0;
        for (let j = 0; j < n; ++j) {
          const dx = x[j] - x[i], dy = y[j] - y[i];
          const r2 = dx * dx + dy * dy + soft * soft;
          const force = mass[j] / (r2 * Math.sqrt(r2));
          ax += force * dx;
          ay += force * dy;
        }
        vx[i] += dt * (gravity * ax + (pull.x - x[i]) * pull.mass);
        vy[i] += dt * (gravity * ay + (pull.y - y[i]) * pull.mass);
      }
      for (let i = 0; i < n; ++i) {
        x[i] += dt * vx[i];
        y[i] += dt * vy[i];
      }
    },
    fields: () => ({ x, y, vx, vy, mass }),
  };
}

// ---- page ----
const scale = 0.4 * size[0];
export function draw(context, engine) {
  const { x, y, vx, vy, mass } = engine.fields(), [width, height] = size;
  context.globalCompositeOperation = 'source-over';
  context.fillStyle = 'rgb(8 10 20 / 0.32)';
  context.fillRect(0, 0, width, height);
  context.globalCompositeOperation = 'lighter';
  for (let i = 0; i < x.length; ++i) {
    const heat = Math.min(1, Math.hypot(vx[i], vy[i]) / 1.6), r = mass[i] > 0.05 ? 4 : 1.7;
    context.fillStyle = `rgb(${90 + 165 * heat} ${130 + 70 * (1 - Math.abs(heat - 0.5))} ${255 - 150 * heat} / 0.6)`;
    context.beginPath();
    context.arc(width / 2 + scale * x[i], height / 2 + scale * y[i], r, 0, 7);
    context.fill();
  }
  pull.mass = 0;
}
export function pointer(engine, { x, y, down }) {
  pull.x = (x - size[0] / 2) / scale;
  pull.y = (y - size[1] / 2) / scale;
  pull.mass = down ? 8 : 0;
}
export function wire(canvas) {
  let held = null;
  canvas.addEventListener('pointerdown', () => { held ??= setInterval(() => { pull.mass = 3; }, 10); });
  for (const type of ['pointerup', 'pointerleave', 'pointercancel']) {
    canvas.addEventListener(type, () => {
      clearInterval(held);
      held = null;
    });
  }
}
