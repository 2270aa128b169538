// The workloads of the bench, in the words of each library. A workload has: name, sizes, data(n) -> typed arrays,
// js(data) -> a call that returns its result, and one function per library with the same meaning.

import { random } from './data.js';
import { moreWorkloads } from './more_workloads.js';

const side = (n) => Math.max(4, Math.round(Math.sqrt(n)));
const sizes = [1e2, 1e3, 1e4, 1e5, 1e6];
const clusters = 8;

/** Each entry gets the library, the data and, for numjit, `wrap` (np.compile or np.tidy around a function). */
export const workloads = [
  {
    name: 'chain', about: 'a*b + sqrt(a) - b/(1+a)', sizes, elements: (n) => n,
    data: (n) => ({ a: random(n), b: random(n, 0.5, 3) }),
    js({ a, b }) {
      const out = new Float32Array(a.length);
      return () => {
        for (let i = 0; i < a.length; ++i) out[i] = a[i] * b[i] + Math.sqrt(a[i]) - b[i] / (1 + a[i]);
        return out;
      };
    },
    numjit(np, { a, b }, wrap) {
      const x = np.array(a), y = np.array(b);
      const f = wrap(function chain(a, b) { return a.multiply(b).add(np.sqrt(a)).subtract(b.divide(a.add(1))); });
      return () => f(x, y);
    },
    jax({ numpy: np, jit }, { a, b }) {
      const x = np.array(a), y = np.array(b);
      const f = jit((a, b) => a.ref.mul(b.ref).add(np.sqrt(a.ref)).sub(b.div(a.add(1))));
      return () => f(x.ref, y.ref);
    },
    tf(tf, { a, b }) {
      const x = tf.tensor1d(a), y = tf.tensor1d(b);
      return () => tf.tidy(() => x.mul(y).add(x.sqrt()).sub(y.div(x.add(1))));
    },
    nts(np, { a, b }) {
      const x = np.array(a), y = np.array(b);
      return () => x.multiply(y).add(np.sqrt(x)).subtract(y.divide(x.add(1)));
    },
  },
  {
    name: 'mandelbrot', about: '20 steps of z*z + c and a count', sizes, elements: (n) => n,
    data: (n) => ({ cr: random(n, -2, 0.6), ci: random(n, -1.2, 1.2) }),
    js({ cr, ci }) {
      const out = new Float32Array(cr.length);
      return () => {
        for (let i = 0; i < cr.length; ++i) {
          let x = 0, y = 0, k = 0;
          for (; k < 20; ++k) {
            const t = x * x - y * y + cr[i];
            y = 2 * x * y + ci[i];
            x = t;
            if (x * x + y * y >= 4) break;
          }
          out[i] = k;
        }
        return out;
      };
    },
    numjit(np, { cr, ci }, wrap) {
      const a = np.array(cr), b = np.array(ci);
      const f = wrap(function mandelbrot(a, b) {
        let x = np.zeros_like(a), y = np.zeros_like(a), count = np.zeros_like(a);
        for (let k = 0; k < 20; ++k) {
          const t = x.multiply(x).subtract(y.multiply(y)).add(a);
          y = x.multiply(y).multiply(2).add(b);
          x = t;
          count = count.add(x.multiply(x).add(y.multiply(y)).less(4));
        }
        return count;
      });
      return () => f(a, b);
    },
    jax({ numpy: np, jit }, { cr, ci }) {
      const a = np.array(cr), b = np.array(ci);
      // One step a kernel: all 20 in one function keep its compiler busy for minutes.
      const f = jit((x, y, count, a, b) => {
        const t = x.ref.mul(x.ref).sub(y.ref.mul(y.ref)).add(a), v = x.mul(y).mul(2).add(b);
        return [t.ref, v.ref, count.add(np.where(t.ref.mul(t).add(v.ref.mul(v)).less(4), 1, 0))];
      });
      return () => {
        let x = np.zerosLike(a.ref), y = np.zerosLike(a.ref), count = np.zerosLike(a.ref);
        for (let k = 0; k < 20; ++k) [x, y, count] = f(x, y, count, a.ref, b.ref);
        x.dispose();
        y.dispose();
        return count;
      };
    },
    tf(tf, { cr, ci }) {
      const a = tf.tensor1d(cr), b = tf.tensor1d(ci);
      return () => tf.tidy(() => {
        let x = tf.zerosLike(a), y = tf.zerosLike(a), count = tf.zerosLike(a);
        for (let k = 0; k < 20; ++k) {
          const t = x.mul(x).sub(y.mul(y)).add(a);
          y = x.mul(y).mul(2).add(b);
          x = t;
          count = count.add(x.mul(x).add(y.mul(y)).less(4).cast('float32'));
        }
        return count;
      });
    },
    nts(np, { cr, ci }) {
      const a = np.array(cr), b = np.array(ci);
      return () => {
        let x = a.multiply(0), y = x, count = x;
        for (let k = 0; k < 20; ++k) {
          const t = x.multiply(x).subtract(y.multiply(y)).add(a);
          y = x.multiply(y).multiply(2).add(b);
          x = t;
          count = count.add(x.multiply(x).add(y.multiply(y)).less(4).astype('float32'));
        }
        return count;
      };
    },
  },
  {
    name: 'newton', about: '10 rounds of z - (z^3-1)/(3z^2)', sizes, elements: (n) => n,
    data: (n) => ({ re: random(n, 0.2, 2), im: random(n, 0.2, 2) }),
    js({ re, im }) {
      const out = new Float32Array(re.length);
      return () => {
        for (let i = 0; i < re.length; ++i) {
          let x = re[i], y = im[i];
          for (let k = 0; k < 10; ++k) {
            const a = x * x - y * y, b = 2 * x * y, d = 3 * (a * a + b * b);
            x = (2 / 3) * x + a / d;
            y = (2 / 3) * y - b / d;
          }
          out[i] = x;
        }
        return out;
      };
    },
    numjit(np, { re, im }, wrap) {
      const a = np.array(re), b = np.array(im);
      const f = wrap(function newton(x, y) {
        for (let k = 0; k < 10; ++k) {
          const a = x.multiply(x).subtract(y.multiply(y)), b = x.multiply(y).multiply(2);
          const d = a.multiply(a).add(b.multiply(b)).multiply(3);
          x = x.multiply(2 / 3).add(a.divide(d));
          y = y.multiply(2 / 3).subtract(b.divide(d));
        }
        return x;
      });
      return () => f(a, b);
    },
    jax({ numpy: np, jit }, { re, im }) {
      const a0 = np.array(re), b0 = np.array(im);
      const f = jit((x, y) => { // one round a kernel, as above
        const a = x.ref.mul(x.ref).sub(y.ref.mul(y.ref)), b = x.ref.mul(y.ref).mul(2);
        const d = a.ref.mul(a.ref).add(b.ref.mul(b.ref)).mul(3);
        return [x.mul(2 / 3).add(a.div(d.ref)), y.mul(2 / 3).sub(b.div(d))];
      });
      return () => {
        let x = a0.ref, y = b0.ref;
        for (let k = 0; k < 10; ++k) [x, y] = f(x, y);
        y.dispose();
        return x;
      };
    },
    tf(tf, { re, im }) {
      const a0 = tf.tensor1d(re), b0 = tf.tensor1d(im);
      return () => tf.tidy(() => {
        let x = a0, y = b0;
        for (let k = 0; k < 10; ++k) {
          const a = x.mul(x).sub(y.mul(y)), b = x.mul(y).mul(2), d = a.mul(a).add(b.mul(b)).mul(3);
          [x, y] = [x.mul(2 / 3).add(a.div(d)), y.mul(2 / 3).sub(b.div(d))];
        }
        return x;
      });
    },
    nts(np, { re, im }) {
      const a0 = np.array(re), b0 = np.array(im);
      return () => {
        let x = a0, y = b0;
        for (let k = 0; k < 10; ++k) {
          const a = x.multiply(x).subtract(y.multiply(y)), b = x.multiply(y).multiply(2);
          const d = a.multiply(a).add(b.multiply(b)).multiply(3);
          [x, y] = [x.multiply(2 / 3).add(a.divide(d)), y.multiply(2 / 3).subtract(b.divide(d))];
        }
        return x;
      };
    },
  },
  {
    name: 'heat', about: 'one step of the heat equation, inner points', sizes, elements: (n) => side(n) ** 2,
    data: (n) => ({ u: random(side(n) ** 2), m: side(n) }),
    js({ u, m }) {
      const out = new Float32Array((m - 2) ** 2);
      return () => {
        for (let i = 1; i < m - 1; ++i)
          for (let j = 1; j < m - 1; ++j) {
            const at = i * m + j;
            out[(i - 1) * (m - 2) + j - 1] = u[at] + 0.1 * (u[at - 1] + u[at + 1] + u[at - m] + u[at + m] - 4 * u[at]);
          }
        return out;
      };
    },
    numjit(np, { u, m }, wrap) {
      const a = np.array(u).reshape(m, m);
      const f = wrap(function heat(u) {
        const here = u.at('1:-1, 1:-1');
        return here.add(u.at('1:-1, :-2').add(u.at('1:-1, 2:')).add(u.at(':-2, 1:-1')).add(u.at('2:, 1:-1')).subtract(here.multiply(4)).multiply(0.1));
      });
      return () => f(a);
    },
    jax({ numpy: np, jit }, { u, m }) {
      const a = np.array(u).reshape([m, m]);
      const f = jit((u) => {
        const here = u.ref.slice([1, m - 1], [1, m - 1]);
        return here.ref.add(u.ref.slice([1, m - 1], [0, m - 2]).add(u.ref.slice([1, m - 1], [2, m])).add(u.ref.slice([0, m - 2], [1, m - 1]))
          .add(u.slice([2, m], [1, m - 1])).sub(here.mul(4)).mul(0.1));
      });
      return () => f(a.ref);
    },
    tf(tf, { u, m }) {
      const a = tf.tensor2d(u, [m, m]), view = (i, j) => tf.slice(a, [i, j], [m - 2, m - 2]);
      return () => tf.tidy(() => {
        const here = view(1, 1);
        return here.add(view(1, 0).add(view(1, 2)).add(view(0, 1)).add(view(2, 1)).sub(here.mul(4)).mul(0.1));
      });
    },
    nts(np, { u, m }) {
      const a = np.array(u).reshape(m, m);
      return () => {
        const here = a.slice('1:-1', '1:-1');
        return here.add(a.slice('1:-1', ':-2').add(a.slice('1:-1', '2:')).add(a.slice(':-2', '1:-1')).add(a.slice('2:', '1:-1')).subtract(here.multiply(4)).multiply(0.1));
      };
    },
  },
  {
    name: 'gray_scott', about: 'one step of Gray-Scott, inner points', sizes, elements: (n) => side(n) ** 2,
    data: (n) => ({ u: random(side(n) ** 2, 0.2, 1), v: random(side(n) ** 2, 0, 0.5), m: side(n) }),
    js({ u, v, m }) {
      const ou = new Float32Array((m - 2) ** 2), ov = new Float32Array((m - 2) ** 2);
      return () => {
        for (let i = 1; i < m - 1; ++i)
          for (let j = 1; j < m - 1; ++j) {
            const at = i * m + j, to = (i - 1) * (m - 2) + j - 1, uvv = u[at] * v[at] * v[at];
            ou[to] = u[at] + 0.2 * (u[at - 1] + u[at + 1] + u[at - m] + u[at + m] - 4 * u[at]) - uvv + 0.04 * (1 - u[at]);
            ov[to] = v[at] + 0.1 * (v[at - 1] + v[at + 1] + v[at - m] + v[at + m] - 4 * v[at]) + uvv - 0.1 * v[at];
          }
        return [ou, ov];
      };
    },
    numjit(np, { u, v, m }, wrap) {
      const a = np.array(u).reshape(m, m), b = np.array(v).reshape(m, m);
      const laplace = (a) => a.at('1:-1, :-2').add(a.at('1:-1, 2:')).add(a.at(':-2, 1:-1')).add(a.at('2:, 1:-1')).subtract(a.at('1:-1, 1:-1').multiply(4));
      const f = wrap(function grayScott(u, v) {
        const U = u.at('1:-1, 1:-1'), V = v.at('1:-1, 1:-1'), uvv = U.multiply(V).multiply(V);
        return [U.add(laplace(u).multiply(0.2)).subtract(uvv).add(np.subtract(1, U).multiply(0.04)),
          V.add(laplace(v).multiply(0.1)).add(uvv).subtract(V.multiply(0.1))];
      });
      return () => f(a, b);
    },
    jax({ numpy: np, jit }, { u, v, m }) {
      const a = np.array(u).reshape([m, m]), b = np.array(v).reshape([m, m]), mid = [1, m - 1];
      const laplace = (a) => a.ref.slice(mid, [0, m - 2]).add(a.ref.slice(mid, [2, m])).add(a.ref.slice([0, m - 2], mid)).add(a.ref.slice([2, m], mid)).sub(a.slice(mid, mid).mul(4));
      const f = jit((u, v) => {
        const U = u.ref.slice(mid, mid), V = v.ref.slice(mid, mid), uvv = U.ref.mul(V.ref).mul(V.ref);
        return [U.ref.add(laplace(u).mul(0.2)).sub(uvv.ref).add(np.subtract(1, U).mul(0.04)), V.ref.add(laplace(v).mul(0.1)).add(uvv).sub(V.mul(0.1))];
      });
      return () => f(a.ref, b.ref);
    },
    tf(tf, { u, v, m }) {
      const a = tf.tensor2d(u, [m, m]), b = tf.tensor2d(v, [m, m]), view = (x, i, j) => tf.slice(x, [i, j], [m - 2, m - 2]);
      const laplace = (x) => view(x, 1, 0).add(view(x, 1, 2)).add(view(x, 0, 1)).add(view(x, 2, 1)).sub(view(x, 1, 1).mul(4));
      return () => tf.tidy(() => {
        const U = view(a, 1, 1), V = view(b, 1, 1), uvv = U.mul(V).mul(V);
        return [U.add(laplace(a).mul(0.2)).sub(uvv).add(tf.sub(1, U).mul(0.04)), V.add(laplace(b).mul(0.1)).add(uvv).sub(V.mul(0.1))];
      });
    },
    nts(np, { u, v, m }) {
      const a = np.array(u).reshape(m, m), b = np.array(v).reshape(m, m);
      const laplace = (a) => a.slice('1:-1', ':-2').add(a.slice('1:-1', '2:')).add(a.slice(':-2', '1:-1')).add(a.slice('2:', '1:-1')).subtract(a.slice('1:-1', '1:-1').multiply(4));
      return () => {
        const U = a.slice('1:-1', '1:-1'), V = b.slice('1:-1', '1:-1'), uvv = U.multiply(V).multiply(V);
        return [U.add(laplace(a).multiply(0.2)).subtract(uvv).add(U.multiply(-1).add(1).multiply(0.04)), V.add(laplace(b).multiply(0.1)).add(uvv).subtract(V.multiply(0.1))];
      };
    },
  },
  {
    name: 'black_scholes', about: 'prices of call options (distribution by tanh)', sizes, elements: (n) => n,
    data: (n) => ({ s: random(n, 50, 150), k: random(n, 60, 140), t: random(n, 0.1, 2) }),
    js({ s, k, t }) {
      const out = new Float32Array(s.length);
      const cdf = (x) => 0.5 * (1 + Math.tanh(0.7978846 * x + 0.0356774 * x * x * x));
      return () => {
        for (let i = 0; i < s.length; ++i) {
          const spread = 0.25 * Math.sqrt(t[i]), d1 = (Math.log(s[i] / k[i]) + 0.06125 * t[i]) / spread;
          out[i] = s[i] * cdf(d1) - k[i] * Math.exp(-0.03 * t[i]) * cdf(d1 - spread);
        }
        return out;
      };
    },
    numjit(np, data, wrap) {
      const [s, k, t] = [data.s, data.k, data.t].map((a) => np.array(a));
      const cdf = (x) => np.tanh(x.multiply(0.7978846).add(x.multiply(x).multiply(x).multiply(0.0356774))).add(1).multiply(0.5);
      const f = wrap(function blackScholes(s, k, t) {
        const spread = np.sqrt(t).multiply(0.25), d1 = np.log(s.divide(k)).add(t.multiply(0.06125)).divide(spread);
        return s.multiply(cdf(d1)).subtract(k.multiply(np.exp(t.multiply(-0.03))).multiply(cdf(d1.subtract(spread))));
      });
      return () => f(s, k, t);
    },
    jax({ numpy: np, jit }, data) {
      const [s0, k0, t0] = [data.s, data.k, data.t].map((a) => np.array(a));
      const cdf = (x) => np.tanh(x.ref.mul(0.7978846).add(x.ref.mul(x.ref).mul(x).mul(0.0356774))).add(1).mul(0.5);
      const f = jit((s, k, t) => {
        const spread = np.sqrt(t.ref).mul(0.25), d1 = np.log(s.ref.div(k.ref)).add(t.ref.mul(0.06125)).div(spread.ref);
        return s.mul(cdf(d1.ref)).sub(k.mul(np.exp(t.mul(-0.03))).mul(cdf(d1.sub(spread))));
      });
      return () => f(s0.ref, k0.ref, t0.ref);
    },
    tf(tf, data) {
      const [s, k, t] = [data.s, data.k, data.t].map((a) => tf.tensor1d(a));
      const cdf = (x) => tf.tanh(x.mul(0.7978846).add(x.mul(x).mul(x).mul(0.0356774))).add(1).mul(0.5);
      return () => tf.tidy(() => {
        const spread = t.sqrt().mul(0.25), d1 = s.div(k).log().add(t.mul(0.06125)).div(spread);
        return s.mul(cdf(d1)).sub(k.mul(t.mul(-0.03).exp()).mul(cdf(d1.sub(spread))));
      });
    },
    nts(np, data) {
      const [s, k, t] = [data.s, data.k, data.t].map((a) => np.array(a));
      const cdf = (x) => np.tanh(x.multiply(0.7978846).add(x.multiply(x).multiply(x).multiply(0.0356774))).add(1).multiply(0.5);
      return () => {
        const spread = np.sqrt(t).multiply(0.25), d1 = np.log(s.divide(k)).add(t.multiply(0.06125)).divide(spread);
        return s.multiply(cdf(d1)).subtract(k.multiply(np.exp(t.multiply(-0.03))).multiply(cdf(d1.subtract(spread))));
      };
    },
  },
  {
    name: 'softmax', about: 'of rows of 100', sizes, elements: (n) => n,
    data: (n) => ({ x: random(n, -3, 3), rows: n / 100 }),
    js({ x, rows }) {
      const out = new Float32Array(x.length);
      return () => {
        for (let r = 0; r < rows; ++r) {
          let top = -Infinity, sum = 0;
          for (let i = 100 * r; i < 100 * r + 100; ++i) top = Math.max(top, x[i]);
          for (let i = 100 * r; i < 100 * r + 100; ++i) sum += out[i] = Math.exp(x[i] - top);
          for (let i = 100 * r; i < 100 * r + 100; ++i) out[i] /= sum;
        }
        return out;
      };
    },
    numjit(np, { x, rows }, wrap) {
      const a = np.array(x).reshape(rows, 100);
      const f = wrap(function softmax(x) {
        const e = np.exp(x.subtract(x.max({ axis: 1, keepdims: true })));
        return e.divide(e.sum({ axis: 1, keepdims: true }));
      });
      return () => f(a);
    },
    jax({ numpy: np, jit, nn }, { x, rows }) {
      const a = np.array(x).reshape([rows, 100]), f = jit((x) => nn.softmax(x, 1));
      return () => f(a.ref);
    },
    tf(tf, { x, rows }) {
      const a = tf.tensor2d(x, [rows, 100]);
      return () => tf.softmax(a);
    },
    nts(np, { x, rows }) {
      const a = np.array(x).reshape(rows, 100);
      return () => {
        const e = np.exp(a.subtract(a.max(1, true)));
        return e.divide(e.sum(1, true));
      };
    },
  },
  {
    name: 'kmeans', about: 'nearest of 8 centres for points of 3 numbers', sizes, elements: (n) => n,
    data: (n) => ({ p: random(3 * n, 0, 1), c: random(3 * clusters, 0, 1) }),
    js({ p, c }) {
      const out = new Int32Array(p.length / 3);
      return () => {
        for (let i = 0; i < out.length; ++i) {
          let best = Infinity;
          for (let k = 0; k < clusters; ++k) {
            const x = p[3 * i] - c[3 * k], y = p[3 * i + 1] - c[3 * k + 1], z = p[3 * i + 2] - c[3 * k + 2];
            const d = x * x + y * y + z * z;
            if (d < best) {
              best = d;
              out[i] = k;
            }
          }
        }
        return out;
      };
    },
    numjit(np, { p, c }, wrap) {
      const points = np.array(p).reshape(-1, 1, 3), centres = np.array(c).reshape(1, clusters, 3);
      const f = wrap(function nearest(points, centres) {
        const d = points.subtract(centres);
        return np.argmin(d.multiply(d).sum({ axis: 2 }), { axis: 1 });
      });
      return () => f(points, centres);
    },
    jax({ numpy: np, jit }, { p, c }) {
      const points = np.array(p).reshape([p.length / 3, 1, 3]), centres = np.array(c).reshape([1, clusters, 3]);
      const f = jit((points, centres) => {
        const d = points.sub(centres);
        return np.argmin(d.ref.mul(d).sum(2), 1);
      });
      return () => f(points.ref, centres.ref);
    },
    tf(tf, { p, c }) {
      const points = tf.tensor3d(p, [p.length / 3, 1, 3]), centres = tf.tensor3d(c, [1, clusters, 3]);
      return () => tf.tidy(() => {
        const d = points.sub(centres);
        return d.mul(d).sum(2).argMin(1);
      });
    },
    nts(np, { p, c }) {
      const points = np.array(p).reshape(p.length / 3, 1, 3), centres = np.array(c).reshape(1, clusters, 3);
      return () => {
        const d = points.subtract(centres);
        return np.argmin(d.multiply(d).sum(2), 1);
      };
    },
  },
  {
    name: 'sum', about: 'of all elements', sizes, elements: (n) => n,
    data: (n) => ({ x: random(n, 0, 1) }),
    js: ({ x }) => () => {
      let sum = 0;
      for (let i = 0; i < x.length; ++i) sum += x[i];
      return Float32Array.of(sum);
    },
    numjit(np, { x }, wrap) {
      const a = np.array(x), f = wrap(function total(a) { return a.sum(); });
      return () => f(a);
    },
    jax({ numpy: np, jit }, { x }) {
      const a = np.array(x), f = jit((a) => a.sum());
      return () => f(a.ref);
    },
    tf(tf, { x }) {
      const a = tf.tensor1d(x);
      return () => a.sum();
    },
    nts(np, { x }) {
      const a = np.array(x);
      return () => a.sum();
    },
  },
  {
    name: 'sort', about: 'of a copy', sizes, elements: (n) => n,
    data: (n) => ({ x: random(n, -1, 1) }),
    js: ({ x }) => () => x.slice().sort(),
    numjit(np, { x }, wrap) {
      const a = np.array(x), f = wrap(function sorted(a) { return a.sort(); });
      return () => f(a);
    },
    jax({ numpy: np }, { x }) {
      const a = np.array(x);
      return () => np.sort(a.ref);
    },
    nts(np, { x }) {
      const a = np.array(x);
      return () => np.sort(a);
    },
  },
  {
    name: 'matmul', about: 'of two square matrices of this side', sizes: [64, 256, 512], elements: (n) => n * n,
    data: (n) => ({ a: random(n * n), b: random(n * n), n }),
    js({ a, b, n }) {
      const out = new Float32Array(n * n);
      return () => {
        out.fill(0);
        for (let i = 0; i < n; ++i)
          for (let k = 0; k < n; ++k) {
            const x = a[i * n + k];
            for (let j = 0; j < n; ++j) out[i * n + j] += x * b[k * n + j];
          }
        return out;
      };
    },
    numjit(np, { a, b, n }, wrap) {
      const x = np.array(a).reshape(n, n), y = np.array(b).reshape(n, n);
      const f = wrap(function product(x, y) { return x.matmul(y); });
      return () => f(x, y);
    },
    jax({ numpy: np, jit }, { a, b, n }) {
      const x = np.array(a).reshape([n, n]), y = np.array(b).reshape([n, n]), f = jit((x, y) => np.matmul(x, y));
      return () => f(x.ref, y.ref);
    },
    tf(tf, { a, b, n }) {
      const x = tf.tensor2d(a, [n, n]), y = tf.tensor2d(b, [n, n]);
      return () => tf.matMul(x, y);
    },
    nts(np, { a, b, n }) {
      const x = np.array(a).reshape(n, n), y = np.array(b).reshape(n, n);
      return () => np.matmul(x, y);
    },
  },
  ...moreWorkloads,
];
