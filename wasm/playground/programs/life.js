// Game of life: cells live by the number of their neighbours, on a torus.
const rng = np.random.default_rng(1);
const cells = rng.integers(0, 2, { size: [128, 160] }).astype('uint8');

const step = np.compile(function step(cells) {
  let around = null;
  for (const [dy, dx] of [[-1, -1], [-1, 0], [-1, 1], [0, -1], [0, 1], [1, -1], [1, 0], [1, 1]]) {
    const moved = np.roll(cells, [dy, dx], { axis: [0, 1] });
    around = around === null ? moved : around.add(moved);
  }
  const lives = around.equal(3).logical_or(around.equal(2).logical_and(cells.equal(1)));
  cells.set(lives);
});
for (let i = 0; i < 100; ++i) step(cells);
cells
