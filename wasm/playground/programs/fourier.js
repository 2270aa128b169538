// Spectrum: three tones in noise, and where np.fft finds them.
const rng = np.random.default_rng(5), t = np.arange(1024).divide(1024);
const signal = [50, 120, 300].map((f, i) => np.sin(t.multiply(2 * Math.PI * f)).divide(i + 1)).reduce((a, b) => a.add(b)).add(rng.normal(0, 0.3, { size: 1024 }));
const power = np.abs(np.fft.rfft(signal));
show(signal.at(':200'));
console.log('loudest', np.sort(np.argsort(power).at('-3:')));
power
