// Newton's method: square roots of many numbers at once, until none moves.
const a = np.linspace(1, 100, 12);
let x = a.divide(2), rounds = 0;
for (let moved = Infinity; moved > 1e-12; ++rounds) {
  const next = x.add(a.divide(x)).multiply(0.5);
  moved = np.abs(next.subtract(x)).max().item();
  x = next;
}
console.log(`${rounds} rounds, largest error ${np.abs(x.subtract(np.sqrt(a))).max()}`);
x
