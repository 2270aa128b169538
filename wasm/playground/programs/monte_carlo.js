// Pi by chance: the share of random points that fall into the circle.
const rng = np.random.default_rng(7);
const inside = np.compile((x, y) => x.multiply(x).add(y.multiply(y)).less(1).mean().multiply(4), { name: 'inside' });
for (const n of [100, 10_000, 1_000_000]) np.tidy(() => console.log(n, inside(rng.random({ size: n }), rng.random({ size: n }))));

race({
  inputs: (n) => [rng.random({ size: n }), rng.random({ size: n })],
  numjit: (x, y) => x.multiply(x).add(y.multiply(y)).less(1).mean(),
  js: (x, y) => { let count = 0; for (let i = 0; i < x.length; ++i) count += x[i] * x[i] + y[i] * y[i] < 1; return count / x.length; },
});
