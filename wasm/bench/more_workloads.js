// More workloads of the bench, as workloads.js describes them: those of demos.
import { random } from './data.js';

const pairs = [16, 64, 256, 1024];

/** The magnitudes of a real signal's spectrum, by a transform of radix 2. */
function spectrumByHand(length) {
  const re = new Float64Array(length), im = new Float64Array(length), bits = Math.log2(length), turn = (2 * Math.PI) / length;
  const cos = Float64Array.from(re, (_, i) => Math.cos(turn * i)), sin = Float64Array.from(re, (_, i) => -Math.sin(turn * i));
  const turned = Uint32Array.from(re, (_, i) => {
    let r = 0;
    for (let b = 0; b < bits; ++b) r |= ((i >> b) & 1) << (bits - 1 - b);
    return r;
  });
  const out = new Float32Array(length / 2 + 1);
  return (signal, window) => {
    for (let i = 0; i < length; ++i) re[turned[i]] = signal[i] * window[i];
    im.fill(0);
    for (let half = 1; half < length; half *= 2) {
      const stride = length / (2 * half);
      for (let block = 0; block < length; block += 2 * half) {
        for (let k = 0; k < half; ++k) {
          const a = block + k, b = a + half, c = cos[k * stride], s = sin[k * stride];
          const x = re[b] * c - im[b] * s, y = re[b] * s + im[b] * c;
          re[b] = re[a] - x;
          im[b] = im[a] - y;
          re[a] += x;
          im[a] += y;
        }
      }
    }
    for (let i = 0; i < out.length; ++i) out[i] = Math.hypot(re[i], im[i]);
    return out;
  };
}

export const moreWorkloads = [
  {
    name: 'spectrum', about: 'a window and the magnitudes of rfft', sizes: [128, 1024, 8192, 131072, 1048576], elements: (n) => n,
    data: (n) => ({ signal: random(n, -1, 1), window: Float32Array.from({ length: n }, (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / (n - 1))) }),
    js({ signal, window }) {
      const magnitudes = spectrumByHand(signal.length);
      return () => magnitudes(signal, window);
    },
    numjit(np, { signal, window }, wrap) {
      const x = np.array(signal), w = np.array(window);
      const f = wrap(function spectrum(x, w) { return np.abs(np.fft.rfft(x.multiply(w))); });
      return () => f(x, w);
    },
    nts(np, { signal, window }) {
      const x = np.array(signal), w = np.array(window);
      return () => np.abs(np.fft.rfft(x.multiply(w)));
    },
  },
  {
    name: 'boids', about: 'pulls of a flock, all pairs of n birds', sizes: pairs, elements: (n) => n * n,
    data: (n) => ({ x: random(n, -1, 1), y: random(n, -0.8, 0.8), n }),
    js({ x, y, n }) {
      const ax = new Float32Array(n), ay = new Float32Array(n);
      return () => {
        for (let i = 0; i < n; ++i) {
          let px = 0, py = 0;
          for (let j = 0; j < n; ++j) {
            const dx = x[j] - x[i], dy = y[j] - y[i], r2 = dx * dx + dy * dy, pull = (r2 < 0.25 ? 1 : 0) - 0.01 / (r2 + 0.01);
            px += pull * dx;
            py += pull * dy;
          }
          ax[i] = px;
          ay[i] = py;
        }
        return [ax, ay];
      };
    },
    numjit(np, { x, y, n }, wrap) {
      const a = np.array(x), b = np.array(y);
      const f = wrap(function boids(x, y) {
        const dx = x.subtract(x.reshape(n, 1)), dy = y.subtract(y.reshape(n, 1)), r2 = dx.multiply(dx).add(dy.multiply(dy));
        const pull = r2.less(0.25).astype('float32').subtract(np.divide(0.01, r2.add(0.01)));
        return [pull.multiply(dx).sum({ axis: 1 }), pull.multiply(dy).sum({ axis: 1 })];
      });
      return () => f(a, b);
    },
    jax({ numpy: np, jit }, { x, y, n }) {
      const a = np.array(x), b = np.array(y);
      const f = jit((x, y) => {
        const dx = x.ref.sub(x.reshape([n, 1])), dy = y.ref.sub(y.reshape([n, 1])), r2 = dx.ref.mul(dx.ref).add(dy.ref.mul(dy.ref));
        const pull = np.where(r2.ref.less(0.25), 1, 0).sub(np.array(0.01).div(r2.add(0.01)));
        return [pull.ref.mul(dx).sum(1), pull.mul(dy).sum(1)];
      });
      return () => f(a.ref, b.ref);
    },
    tf(tf, { x, y, n }) {
      const a = tf.tensor1d(x), b = tf.tensor1d(y);
      return () => tf.tidy(() => {
        const dx = a.sub(tf.reshape(a, [n, 1])), dy = b.sub(tf.reshape(b, [n, 1])), r2 = dx.mul(dx).add(dy.mul(dy));
        const pull = r2.less(0.25).cast('float32').sub(tf.scalar(0.01).div(r2.add(0.01)));
        return [pull.mul(dx).sum(1), pull.mul(dy).sum(1)];
      });
    },
    nts(np, { x, y, n }) {
      const a = np.array(x), b = np.array(y);
      return () => {
        const dx = a.subtract(a.reshape(n, 1)), dy = b.subtract(b.reshape(n, 1)), r2 = dx.multiply(dx).add(dy.multiply(dy));
        const pull = r2.less(0.25).astype('float32').subtract(np.divide(np.array([0.01]).astype('float32'), r2.add(0.01)));
        return [pull.multiply(dx).sum(1), pull.multiply(dy).sum(1)];
      };
    },
  },
  {
    name: 'pagerank', about: '10 rounds over n pages, links as a matrix', sizes: pairs, elements: (n) => n * n,
    data(n) {
      const links = random(n * n, 0, 1), rank = new Float32Array(n).fill(1 / n);
      for (let j = 0; j < n; ++j) { // columns are chances
        let sum = 0;
        for (let i = 0; i < n; ++i) sum += links[i * n + j];
        for (let i = 0; i < n; ++i) links[i * n + j] /= sum;
      }
      return { links, rank, n };
    },
    js({ links, rank, n }) {
      return () => {
        let now = rank;
        for (let k = 0; k < 10; ++k) {
          const next = new Float32Array(n);
          for (let i = 0; i < n; ++i) {
            let sum = 0;
            for (let j = 0; j < n; ++j) sum += links[i * n + j] * now[j];
            next[i] = 0.85 * sum + 0.15 / n;
          }
          now = next;
        }
        return now;
      };
    },
    numjit(np, { links, rank, n }, wrap) {
      const a = np.array(links).reshape(n, n), r = np.array(rank);
      const f = wrap(function pagerank(a, r) {
        for (let k = 0; k < 10; ++k) r = a.matmul(r).multiply(0.85).add(0.15 / n);
        return r;
      });
      return () => f(a, r);
    },
    jax({ numpy: np, jit }, { links, rank, n }) {
      const a = np.array(links).reshape([n, n]), r = np.array(rank);
      const f = jit((a, r) => np.matmul(a, r).mul(0.85).add(0.15 / n));
      return () => {
        let now = r.ref;
        for (let k = 0; k < 10; ++k) now = f(a.ref, now);
        return now;
      };
    },
    tf(tf, { links, rank, n }) {
      const a = tf.tensor2d(links, [n, n]), r = tf.tensor2d(rank, [n, 1]);
      return () => tf.tidy(() => {
        let now = r;
        for (let k = 0; k < 10; ++k) now = tf.matMul(a, now).mul(0.85).add(0.15 / n);
        return tf.reshape(now, [n]);
      });
    },
    nts(np, { links, rank, n }) {
      const a = np.array(links).reshape(n, n), r = np.array(rank);
      return () => {
        let now = r;
        for (let k = 0; k < 10; ++k) now = np.matmul(a, now).multiply(0.85).add(0.15 / n);
        return now;
      };
    },
  },
];
