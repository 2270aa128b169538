// Principal components: the directions in which points vary most.
await np.linalg.load();
const rng = np.random.default_rng(9);
const points = rng.normal(0, 1, { size: [500, 3] }).matmul(np.array([[3, 1, 0], [0, 1, 0.5], [0, 0, 0.2]]));
const centred = points.subtract(points.mean({ axis: 0 }));
const [values, vectors] = np.linalg.eigh(np.cov(centred, { rowvar: false }));
console.log('variances', values);
vectors
