// PageRank: which of 60 pages random surfers visit most.
const rng = np.random.default_rng(4), n = 60;
const links = rng.random({ size: [n, n] }).less(0.08).astype('float64').add(np.eye(n));
const chances = links.divide(links.sum({ axis: 1, keepdims: true })).T.copy();
const surf = np.compile((rank) => chances.matmul(rank).multiply(0.85).add(0.15 / n), { name: 'surf' });
let rank = np.full(n, 1 / n);
for (let i = 0; i < 50; ++i) rank = surf(rank);
console.log('first ones', np.argsort(rank).at('::-1').at(':5'), 'sum', rank.sum());
rank
