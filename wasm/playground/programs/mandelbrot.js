// Mandelbrot set: how long points of the plane stay near 0 under z -> z^2 + c.
const [height, width] = [240, 320];
const cx = np.linspace(-2.2, 0.8, width, { dtype: 'float32' });
const cy = np.linspace(-1.15, 1.15, height, { dtype: 'float32' }).reshape(height, 1);

const rounds = np.compile(function rounds(cx, cy) {
  let x = cx.multiply(0).add(cy.multiply(0)), y = x, count = x;
  for (let k = 0; k < 40; ++k) {
    const next = x.multiply(x).subtract(y.multiply(y)).add(cx);
    y = x.multiply(y).multiply(2).add(cy);
    x = next;
    count = count.add(x.multiply(x).add(y.multiply(y)).less(4));
  }
  return count;
});
rounds(cx, cy);
rounds(cx, cy)
