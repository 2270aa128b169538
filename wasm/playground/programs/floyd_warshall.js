// Shortest paths: Floyd and Warshall's, one outer sum a node.
const rng = np.random.default_rng(8), n = 48;
const far = rng.random({ size: [n, n] }).multiply(9).add(1);
const ways = np.where(rng.random({ size: [n, n] }).less(0.12), far, np.inf);
np.fill_diagonal(ways, 0);
const relax = np.compile(function relax(d, column, row) { d.set(np.minimum(d, column.add(row))); });
for (let k = 0; k < n; ++k) np.tidy(() => relax(ways, ways.at(':', np.slice(k, k + 1)).copy(), ways.at(np.slice(k, k + 1)).copy()));
console.log('longest of the shortest', np.where(np.isfinite(ways), ways, 0).max());
ways
