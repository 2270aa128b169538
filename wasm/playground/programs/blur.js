// Blur: a filter of five by five over a picture, as sums of shifted views.
const y = np.arange(200).reshape(200, 1), x = np.arange(260);
const picture = np.sin(x.multiply(x).divide(700)).add(np.cos(y.multiply(x).divide(900))).astype('float32');
show(picture);

const blur = np.compile(function blur(p) {
  const weights = [1, 4, 6, 4, 1], [h, w] = p.shape;
  const across = weights.map((k, i) => p.at(':', np.slice(i, w - 4 + i)).multiply(k / 16)).reduce((a, b) => a.add(b));
  return weights.map((k, i) => across.at(np.slice(i, h - 4 + i)).multiply(k / 16)).reduce((a, b) => a.add(b));
});
blur(picture);
blur(picture)
