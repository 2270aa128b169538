// k-means: points go to the nearest of three centres, centres to the mean of their points.
const rng = np.random.default_rng(3);
const middle = np.array([[0, 0], [5, 1], [2, 6]], 'float64');
const points = np.concatenate([0, 1, 2].map((k) => rng.normal(0, 1, { size: [300, 2] }).add(middle.at(k))));
const centres = points.at([0, 1, 2]);

const round = np.compile(function round(points, centres) {
  const apart = points.reshape(-1, 1, 2).subtract(centres);
  const nearest = np.square(apart).sum({ axis: 2 }).argmin({ axis: 1 });
  const mine = nearest.reshape(-1, 1).equal(np.arange(3)).astype('float64');
  centres.set(mine.T.matmul(points).divide(mine.sum({ axis: 0 }).reshape(3, 1)));
});
for (let i = 0; i < 20; ++i) round(points, centres);
centres
