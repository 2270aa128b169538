// Gradient descent: a line through noisy points, by np.grad.
const rng = np.random.default_rng(2);
const x = np.linspace(0, 1, 200), y = x.multiply(3).add(1).add(rng.normal(0, 0.1, { size: 200 }));
const loss = (p) => np.square(x.multiply(p.at(0)).add(p.at(1)).subtract(y)).mean();
const slope = np.compile(np.grad(loss), { name: 'slope' });

const p = np.zeros(2);
for (let i = 0; i < 400; ++i) np.tidy(() => { p.isubtract(slope(p).multiply(0.5)); });
console.log('slope and shift', p);
loss(p)
