// Game of life: a cell lives if three of its neighbours do, or two and it lived before.
export const title = 'Game of life';
export const about = 'Millions of cells, each counts its eight neighbours. A cell is a byte, so that sixteen go through the processor at once.';
export const hint = 'The middle of the world is shown. Draw, and life begins where you are.';
let side = 1024;
const windowOf = (n) => [Math.min(n, 768), Math.min(n, 512)];
export let size = windowOf(side);
export const sizes = { label: 'cells a side', values: [256, 512, 1024, 2048, 4096], value: 1024 };
export function resize(value) {
  side = value;
  size = windowOf(side);
  image = null;
}
export const controls = {
  steps: { label: 'generations a frame', min: 1, max: 8, step: 1, value: 1 },
};

/** A world with a border of dead cells. */
export function start() {
  const n = side + 2, cells = new Uint8Array(n * n);
  for (let i = 1; i <= side; ++i)
    for (let j = 1, seed = i * 0x9e3779b1; j <= side; ++j) {
      seed = Math.imul(seed ^ (seed >>> 15), 0x2c1b3c6d) + j | 0;
      cells[i * n + j] = (seed >>> 13) % 3 === 0 ? 1 : 0;
    }
  return { cells };
}

// ---- numjit ----
export function numjit(np, compiled, state) {
  const n = side + 2;
  const cells = np.array(state.cells).reshape(n, n);

  const live = compiled(function live(cells) {
    const here = cells.at('1:-1, 1:-1');
    let around = null;
    for (const rows of [':-2', '1:-1', '2:']) {
      for (const columns of [':-2', '1:-1', '2:']) {
        if (rows === '1:-1' && columns === rows) continue;
        const beside = cells.at(`${rows}, ${columns}`);
        around = around === null ? beside : around.add(beside);
      }
    }
    // 3, or 2 and alive: both are 3 where a living cell adds a bit
    here.set(around.bitwise_or(here).equal(3));
  });

  return {
    step({ steps }) {
      for (let k = 0; k < steps; ++k) live(cells);
    },
    fields: () => ({ cells: cells.data }),
  };
}

// ---- hand-written ----
export function handWritten({ cells }) {
  const n = side + 2;
  let next = new Uint8Array(cells.length);
  return {
    step({ steps }) {
      for (let k = 0; k < steps; ++k) {
        for (let i = 1; i < n - 1; ++i) {
          for (let at = i * n + 1; at < i * n + n - 1; ++at) {
            const around = cells[at - n - 1] + cells[at - n]
              + cells[at - n + 1] + cells[at - 1] + cells[at + 1]
              + cells[at + n - 1] + cells[at + n] + cells[at + n + 1];
            next[at] = (around | cells[at]) === 3 ? 1 : 0;
          }
        }
        [cells, next] = [next, cells];
      }
    },
    fields: () => ({ cells }),
  };
}

// ---- page ----
const colours = Uint32Array.of(0xff1d120c, 0xff8de3f2);
let image = null;
const corner = () => [(side - size[0]) >> 1, (side - size[1]) >> 1];
export function draw(context, engine) {
  const [width, height] = size, [left, top] = corner(), n = side + 2, { cells } = engine.fields();
  image ??= context.createImageData(width, height);
  const pixels = new Uint32Array(image.data.buffer);
  for (let i = 0; i < height; ++i) for (let j = 0, at = (i + top + 1) * n + left + 1; j < width; ++j) pixels[i * width + j] = colours[cells[at + j]];
  context.putImageData(image, 0, 0);
}
export function pointer(engine, { x, y, down }) {
  if (!down) return;
  const { cells } = engine.fields(), [left, top] = corner(), n = side + 2;
  for (let k = 0; k < 60; ++k) {
    const i = Math.round(y + top + 14 * (Math.random() - 0.5)), j = Math.round(x + left + 14 * (Math.random() - 0.5));
    if (i > 0 && j > 0 && i <= side && j <= side) cells[i * n + j] = 1;
  }
}
