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

// Exactly these types, no others.
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false;
const half = np.zeros([2, 2], np.float32), whole = np.ones(3, { dtype: 'int32' }), plain = np.zeros(3), mask = a.less(2);
const scaled = half.multiply(2.5).add(half), rooted = np.sqrt(scaled), cast = whole.astype('float64'), ramp = np.linspace(0, 1, 5, { dtype: 'float32' });
export const exact: [Same<typeof half.data, Float32Array>, Same<typeof whole.data, Int32Array>, Same<typeof plain.data, Float64Array>, Same<typeof mask.data, Uint8Array>,
  Same<typeof scaled.data, Float32Array>, Same<typeof rooted.data, Float32Array>, Same<typeof cast.data, Float64Array>, Same<typeof ramp.data, Float32Array>] = [true, true, true, true, true, true, true, true];
const copied = np.array(new Int16Array(2)), floats = whole.toTypedArray('float64'), corner = half.at(0).T.reshape(1, 2), unknown = np.concatenate([half, whole]);
const counting = np.arange(0, 5, { dtype: 'float32' }), mixed = half.add(whole), chosen = half.argmax({ axis: 0 }), made = np.float32([1, 2]);
export const exact2: [Same<typeof copied.data, Int16Array>, Same<typeof floats, Float64Array>, Same<typeof corner.data, Float32Array>, Same<typeof unknown.data, any>,
  Same<typeof counting.data, Float32Array>, Same<typeof mixed.data, any>, Same<typeof chosen.data, BigInt64Array>, Same<typeof made.data, Float32Array>, Same<typeof half.dtype.name, 'float32'>]
  = [true, true, true, true, true, true, true, true, true];
const animation = np.animate((time, frame) => time + frame < 100);
animation.stop();
export const grid = np.fromfunction((i, j) => i.multiply(10).add(j), [2, 3]), strict = await load({ integers: 'int32' });

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
// @ts-expect-error which indices?
np.take(a);
const joined = np.concatenate([a, a], { axis: 1, casting: 'unsafe' }), deviation = a.std(0, { ddof: 1, where: [true, false] });
const [average, weights] = np.average(a, { returned: true });
const rows: NDArray[] = np.atleast_2d(1, [1, 2]), row: NDArray = np.atleast_2d(1);
export { joined, deviation, average, weights, rows, row };
// @ts-expect-error it is keepdims
np.sum(a, { keepdim: true });
// @ts-expect-error an axis that goes by its name alone
np.unstack(a, 1);
// @ts-expect-error where to?
a.swapaxes(0);
// @ts-expect-error of which value?
np.full([2, 2]);
// @ts-expect-error of which matrix?
np.linalg.solve(a);
// @ts-expect-error how many trials, and how likely?
rng.binomial();
// @ts-expect-error half is float32, cast is float64
const other: typeof half = cast;
export { other };
export { wrong };
