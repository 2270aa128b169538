// Heat: a hot square spreads over a plate; each point goes to the mean of its neighbours.
const u = np.zeros([120, 160], np.float32);
u.set(1, '40:80, 60:100');

const step = np.compile(function step(u) {
  const around = u.at('1:-1, :-2').add(u.at('1:-1, 2:'))
    .add(u.at(':-2, 1:-1')).add(u.at('2:, 1:-1'));
  u.at('1:-1, 1:-1').set(around.multiply(0.25));
});
for (let i = 0; i < 200; ++i) step(u);

race({
  inputs: (n) => [np.linspace(0, 1, n, { dtype: 'float32' })],
  numjit: (x) => x.multiply(x).add(1).multiply(0.5),
  js: (x) => {
    const y = new Float32Array(x.length);
    for (let i = 0; i < x.length; ++i) y[i] = (x[i] * x[i] + 1) * 0.5;
    return y;
  },
});
u
