// What the declarations let pass under tsc --strict, and what not.
import { load, type NDArray } from 'numjit';

const np = await load({ build: 'simd', complete: true });
const a = np.array([[1, 2], [3, 4]], 'float32'), rng = np.random.default_rng(1);

const total: number = a.sum().item() + np.sum(a, { axis: null }).item();
const flag: boolean = a.equal(a).all().item<boolean>();
const pixels: Float32Array = a.data;
const copy = a.toTypedArray<Float32Array>().map((v) => v + total);
for (const row of a) row.dispose();
const [dy, dx]: NDArray[] = np.gradient(a);
const [counts, edges] = np.histogram(a, { bins: 4, range: [0, 1], density: true });
const grids: NDArray[] = np.meshgrid([1, 2], a.at(0), { indexing: 'ij' });
const padded = np.pad(a, [[1, 1], [0, 0]], { mode: 'edge' }).at('1:-1', np.slice(null, null, 2), null);
const power = np.einsum('ij,jk->ik', a, a.T).astype(np.float64);
const noise = rng.normal(0, 1, { size: [2, 3] }).add(rng.gamma(2, { size: [2, 3] }));
const halves = np.compile((u: NDArray, f: number) => [u.multiply(f), u.divide(f)] as const);
const both: readonly [NDArray, NDArray] = halves(a, 2);
const first = np.tidy(() => np.where(a.greater(1), a, 0).at(0));
const image: ImageData = np.toImageData(a);
const sums: NDArray = np.add.reduce(a, { axis: null, keepdims: true }).add(np.multiply.reduce(a, 1));
const running = np.maximum.accumulate(a, { axis: 1 }), pieces = np.add.reduceat(a, [0, 1], 1), pairs = np.hypot.outer([1, 2], a, { dtype: 'float32' });
np.add.at(a, [np.array([0, 1]), ':'], 1);
np.negative.at(a, '0, 1:');
const loss = (p: { w: NDArray; shift: NDArray }, x: NDArray) => np.square(p.w.multiply(x).add(p.shift)).mean();
const slope: { w: NDArray } = np.grad(loss)({ w: a, shift: np.float(1) }, new Float32Array(2));
const [value, both2]: [NDArray, any[]] = np.valueAndGrad(loss, { argnums: [0, 1] })({ w: a, shift: a }, 3);
const [y, pull] = np.vjp((x: NDArray) => ({ out: np.sin(x) }), a), [cotangent] = pull({ out: a });
pull.dispose();
const [, dy2] = np.jvp((x: NDArray) => [x, x.sum()], [a], [a]), [, push] = np.linearize((x: NDArray) => np.sin(x), a);
const rows2 = np.vmap((x: NDArray, w: NDArray) => np.matmul(w, x), { inAxes: [0, null], outAxes: 1 })(a, a);
const clipped = np.customVjp((x: NDArray) => x, (x) => [x, 3], (kept, g) => [g.multiply(kept)]);
const safe = np.customJvp((x: NDArray) => np.log(x), ([x], [t]) => [np.log(x), t.divide(x)]);
np.testing.checkGrads((x: NDArray) => np.sin(x), [a], { order: 1 });
const stepped = np.tree.map((w: NDArray, g: NDArray) => w.subtract(g), { w: a }, { w: a });
export const derived = [slope.w, value, both2, y.out, cotangent.sum(), dy2, push(a), rows2, clipped(a), safe(a), stepped.w, np.hessian(loss)({ w: a, shift: a }, a), np.stopGradient(a)];
export const all = [sums, running, pieces, pairs, flag, pixels, copy, dy, dx, counts, edges, grids, padded, power, noise, both, first, image, np.explain(halves, a, 2).graph_count];

export function scoped() {
  using sum = a.sum();
  return sum.item();
}

// @ts-expect-error no such dtype
a.astype('float31');
// @ts-expect-error no such option
np.sum(a, { axes: 1 });
// @ts-expect-error what is to be summed?
np.sum();
// @ts-expect-error text is no number
const wrong: string = a.sum().item();
// @ts-expect-error of one argument, so it joins nothing
np.sqrt.reduce(a);
// @ts-expect-error no such mode
np.compile(() => 1, { mode: 'rerunn' });
// @ts-expect-error no such option
np.grad((x: NDArray) => x, { argnum: 1 });
// @ts-expect-error np has it, arrays have not
a.zeros(3);
export { wrong };
