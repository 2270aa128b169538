// Hares and foxes: eight worlds at once, by one vectorised Euler step.
const births = np.linspace(0.6, 1.4, 8), worlds = np.stack([np.full(8, 1.5), np.full(8, 1)]).astype('float64');
const step = np.compile(function step(w, births) {
  const hares = w.at(0), foxes = w.at(1), meet = hares.multiply(foxes);
  const dh = hares.multiply(births).subtract(meet.multiply(0.5)), df = meet.multiply(0.4).subtract(foxes.multiply(0.7));
  w.iadd(np.stack([dh, df]).multiply(0.01));
});
const seen = [];
for (let i = 0; i < 3000; ++i) {
  step(worlds, births);
  if (i % 10 === 0) seen.push(worlds.at(':, 3').tolist());
}
show(np.array(seen).T, { as: 'plot' });
