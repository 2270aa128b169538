// Random walks: four of them, and how far a thousand get.
const rng = np.random.default_rng(11);
const steps = rng.integers(0, 2, { size: [1000, 400] }).multiply(2).subtract(1);
const walks = np.cumsum(steps, { axis: 1 });
show(walks.at(':4'), { as: 'plot' });
const far = np.sqrt(np.square(walks.astype('float64')).mean({ axis: 0 }));
far
