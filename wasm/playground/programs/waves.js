// Waves: a drop in a pool with walls, and a break where a value is read.
let now = np.zeros([140, 180], np.float32), before = now.copy();
now.set(1, '60:66, 80:86');
const swing = np.compile(function swing(now, before) {
  const here = now.at('1:-1, 1:-1'), past = before.at('1:-1, 1:-1');
  const around = now.at('1:-1, :-2').add(now.at('1:-1, 2:')).add(now.at(':-2, 1:-1')).add(now.at('2:, 1:-1'));
  past.set(here.multiply(2).subtract(past).add(around.subtract(here.multiply(4)).multiply(0.25)));
  if (past.max() > 10) throw new RangeError('it explodes'); // reads a value: see Graph
});
for (let i = 0; i < 120; ++i) {
  swing(now, before);
  [now, before] = [before, now];
}
now
