// Planets: 60 bodies that attract each other, all pairs at once.
const rng = np.random.default_rng(12), n = 60;
const place = rng.normal(0, 1, { size: [n, 2] }), speed = np.stack([place.at(':, 1').negative(), place.at(':, 0')], { axis: 1 }).multiply(0.4).copy();
const step = np.compile(function step(place, speed) {
  const apart = place.at(null).subtract(place.at(':', null));
  const near = np.square(apart).sum({ axis: 2 }).add(0.02);
  const pull = apart.divide(np.power(near, 1.5).reshape(n, n, 1)).sum({ axis: 1 });
  speed.iadd(pull.multiply(0.0005));
  place.iadd(speed.multiply(0.02));
});
for (let i = 0; i < 300; ++i) step(place, speed);
show(place.T, { as: 'plot' });
