// Least squares: a parabola through noisy points, by the normal equations and by lstsq.
await np.linalg.load();
const rng = np.random.default_rng(6), x = np.linspace(-1, 1, 40);
const y = np.polyval(np.array([2, -1, 0.5]), x).add(rng.normal(0, 0.05, { size: 40 }));
const a = np.stack([x.multiply(x), x, np.ones(40)], { axis: 1 });
const [found] = np.linalg.lstsq(a, y);
console.log('coefficients', found, 'by polyfit', np.polyfit(x, y, 2));
show(np.stack([y, a.matmul(found)]), { as: 'plot' });
