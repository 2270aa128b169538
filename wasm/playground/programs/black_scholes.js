// Black-Scholes: prices of call options, beside a twin in plain JavaScript.
const normal = (x) => np.erf(x.multiply(Math.SQRT1_2)).add(1).multiply(0.5);
const price = np.compile(function price(spot, strike, years) {
  const rate = 0.02, vol = 0.3, spread = np.sqrt(years).multiply(vol);
  const d1 = np.log(spot.divide(strike)).add(years.multiply(rate + vol * vol / 2)).divide(spread);
  return spot.multiply(normal(d1)).subtract(strike.multiply(np.exp(years.multiply(-rate))).multiply(normal(d1.subtract(spread))));
});
const inputs = (n) => [np.linspace(50, 150, n), np.full(n, 100), np.linspace(0.1, 2, n)].map((a) => a.astype('float64'));

race({
  inputs,
  numjit: (spot, strike, years) => np.sqrt(spot).multiply(np.exp(years.multiply(-0.02))).subtract(np.log(strike)),
  js: (spot, strike, years) => {
    const y = new Float64Array(spot.length);
    for (let i = 0; i < y.length; ++i) y[i] = Math.sqrt(spot[i]) * Math.exp(-0.02 * years[i]) - Math.log(strike[i]);
    return y;
  },
});
const [spot, strike, years] = inputs(200);
price(spot, strike, years);
price(spot, strike, years)
