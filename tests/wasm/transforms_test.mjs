// Derivatives and batches: against differences and values by hand, eager and compiled with the same bits, what memory they leave.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

const { load } = await import(new URL('numjit.js', pathToFileURL(`${process.env.NUMJIT_PACKAGE}/`)));
const np = await load();
await np.complete();

const plain = (v) => (v instanceof np.NDArray ? v.tolist() : Array.isArray(v) ? v.map(plain) : v !== null && typeof v === 'object' && Object.getPrototypeOf(v) === Object.prototype
  ? Object.fromEntries(Object.entries(v).map(([key, item]) => [key, plain(item)])) : v);
const equal = (got, expected) => assert.deepEqual(plain(got), expected);
const bits = (a) => [...new Uint8Array(a.toTypedArray().buffer)];
const refuses = (call, name, message) => assert.throws(call, { name, message });

/** The gradient of f at an array, by central differences. */
function differences(f, x, h = 1e-6) {
  return np.tidy(() => np.array(x.tolist().flat(Infinity).map((_, i) => {
    const at = (by) => {
      const moved = x.flatten();
      moved.set(moved.at(i).add(by), i);
      return f(moved.reshape(x.shape)).item();
    };
    return (at(h) - at(-h)) / (2 * h);
  })).reshape(x.shape));
}
const near = (got, expected, rtol = 1e-6) => assert.ok(np.allclose(got, expected, { rtol, atol: 1e-8 }), `${got}\n${expected}`);

/** Stores, views made before them, masks, a branch by a value, a loop. */
function program(x) {
  const y = np.zeros(4), tail = y.at('1:');
  for (let i = 0; i < 4; ++i) y.set(x.at(i).multiply(x.at(i)), i);
  y.at('1:3').imultiply(x.at(0));
  if (y.at(0) > 0.1) y.iadd(np.sin(y));
  y.set(y.at(y.greater(1)).multiply(2), y.greater(1));
  return y.multiply(np.arange(4)).sum().add(tail.max());
}
const start = np.array([0.7, -0.4, 1.3, 0.2]);

test('programs with stores, branches and masks, eager and compiled with the same bits', () => {
  const eager = np.grad(program)(start), expected = bits(eager);
  near(eager, differences(program, start));
  for (const outer of [np.compile(np.grad(program)), np.grad(np.compile(program)), np.compile(np.grad(np.compile(program))), np.compile(np.grad(program), { mode: 'replay' })])
    for (let round = 0; round < 3; ++round) assert.deepEqual(bits(outer(start)), expected);
  const straight = (x) => np.tanh(x).multiply(np.exp(x.negative())).sum();
  const whole = np.compile(np.grad(straight), { fullgraph: true, mode: 'replay' });
  for (let round = 0; round < 3; ++round) assert.deepEqual(bits(whole(start)), bits(np.grad(straight)(start)));
  assert.equal(np.explain(np.compile(np.grad(straight)), start).graph_count, 1);
  equal(start, [0.7, -0.4, 1.3, 0.2]);
});

test('values, second parts, several arguments and trees', () => {
  const f = (p, x) => p.w.multiply(x).add(p.layers[0].b).multiply(p.layers[1]).sum().multiply(p.scale);
  const p = { w: np.array([3, 4.5]), layers: [{ b: np.array(2, 'float64'), name: 'first' }, np.float(3)], scale: 2, none: null }, x = np.array([1, 2.5]);
  equal(np.grad(f)(p, x), { w: [6, 15], layers: [{ b: 12, name: 'first' }, 36.5], scale: 2, none: null });
  equal(np.grad(f, { argnums: 1 })(p, x), [18, 27]);
  equal(np.grad(f, { argnums: [-1, 0] })(p, x)[0], [18, 27]);
  const both = (a) => [a.power(3).sum(), { a, text: 'kept' }];
  equal(np.grad(both, { hasAux: true })(x), [[3, 18.75], { a: [1, 2.5], text: 'kept' }]);
  equal(np.valueAndGrad(both, { hasAux: true })(x), [[16.625, { a: [1, 2.5], text: 'kept' }], [3, 18.75]]);
  equal(np.valueAndGrad((a) => a.multiply(a))(3), [9, 6]); // a number is an argument of its own
  equal(np.grad((a) => a.multiply(a).sum())(new Float32Array([1, 2])), [2, 4]);
  assert.equal(np.grad((a) => a.multiply(a).sum())(new Float32Array([1, 2])).dtype.name, 'float32');
  assert.equal(np.grad(both, { hasAux: true }).name, 'grad(both)');
  const z = np.grad((a) => np.absolute(a).power(2).sum())(np.complex(1, 2));
  assert.deepEqual([z.item().re, z.item().im].map((v) => v.toFixed(12)), ['2.000000000000', '4.000000000000']); // uphill
});

test('vjp, jvp, linearize, Jacobians', () => {
  const x = np.array([0.5, 1]), w = np.array([2, 3.5]);
  const [y, pull] = np.vjp((a, b) => ({ product: a.multiply(b), sum: a.sum(), count: 2 }), x, w);
  equal(y, { product: [1, 3.5], sum: 1.5, count: 2 });
  for (let i = 0; i < 2; ++i) equal(pull({ product: np.ones(2), sum: np.array(10, 'float64'), count: 2 }), [[12, 13.5], [0.5, 1]]);
  const [, back, aux] = np.vjp((a) => [np.sin(a).sum(), 'aux'], x, { hasAux: true });
  equal([back(1), aux], [[[Math.cos(0.5), Math.cos(1)]], 'aux']); // a number has the dtype of what it belongs to
  equal(np.jvp((a, b) => ({ out: a.multiply(b), count: 2, text: 'x' }), [x, w], [np.array([1, 0], 'float64'), np.zeros(2)])[1], { out: [2, 0], count: 0, text: 'x' });
  equal(np.jvp((a) => [a.multiply(a), 'aux'], [x], [np.ones(2)], { hasAux: true }), [[0.25, 1], [1, 2], 'aux']);
  const [square, push] = np.linearize((a) => a.multiply(a), x);
  equal([square, push(np.array([1, 2], 'float64')), push(np.zeros(2))], [[0.25, 1], [1, 4], [0, 0]]);
  x.set(9, 0); // what was computed stands
  equal([push(np.ones(2)), pull({ sum: 0, count: 2, product: np.ones(2) })[1]], [[1, 2], [0.5, 1]]);
  x.set(0.5, 0);
  for (const jacobian of [np.jacfwd, np.jacrev, np.jacobian]) {
    equal(jacobian((a) => a.multiply(a))(x), [[1, 0], [0, 2]]);
    equal(jacobian((a, b) => np.outer(a, b), { argnums: [1] })(x, np.array([1, 2], 'float64')), [[[[0.5, 0], [0, 0.5]], [[1, 0], [0, 1]]]]);
  }
  equal(np.jacobian((p) => ({ square: p.a.multiply(p.a), sum: p.a.sum() }))({ a: x }), { square: { a: [[1, 0], [0, 2]] }, sum: { a: [1, 1] } });
  equal(np.hessian((a) => a.power(3).sum())(x), [[3, 0], [0, 6]]);
  equal(np.hessian((p) => p.a.multiply(p.b).sum())({ a: x, b: np.ones(2) }), { a: { a: [[0, 0], [0, 0]], b: [[1, 0], [0, 1]] }, b: { a: [[1, 0], [0, 1]], b: [[0, 0], [0, 0]] } });
  equal(np.hvp((a) => a.power(3).sum(), [x], [np.ones(2)]), [3, 6]);
  equal(np.hessian((a) => np.square(np.tanh(a)).sum())(np.zeros(2)), [[2, 0], [0, 2]]);
  equal(np.grad((a) => np.sqrt(np.where(a.greater(0), a, 0)).sum())(np.array([-1, 0, 4], 'float64')), [0, 0, 0.25]);
  equal(np.grad((a) => a.multiply(np.stopGradient({ a }).a).sum())(x), [0.5, 1]);
  let calls = 0;
  const layer = (a) => { calls += 1; return np.tanh(np.sin(a).multiply(a)); }, once = np.checkpoint(layer);
  const plain = np.grad((a) => layer(layer(a)).sum())(x).tolist();
  equal(np.grad((a) => once(once(a)).sum())(x), plain);
  equal(np.grad((a) => np.checkpoint((b) => once(once(b)))(a).sum())(x), plain);
  equal(np.compile(np.grad((a) => once(once(a)).sum()))(x), plain);
  equal(once(x), layer(x).tolist());
  assert.equal(calls, 10);
  refuses(() => np.grad(np.checkpoint(() => { throw new RangeError('mine'); }))(x), 'RangeError', 'mine');
  equal(np.grad((a) => a.sum())(x), [1, 1]);
  assert.equal(np.stopGradient(x), x);
});

test('transforms in each other and in compiled functions', () => {
  const x = np.array([0.3, 0.7, 1.1]), f = (a) => np.sin(a).multiply(a).sum();
  const second = (a) => np.grad((b) => np.grad(f)(b).multiply([1, 2, 3]).sum())(a), expected = bits(second(x));
  near(second(x), np.array([0.3, 0.7, 1.1].map((v, i) => (i + 1) * (2 * Math.cos(v) - v * Math.sin(v)))));
  for (const run of [np.compile(second), (a) => np.grad(np.compile((b) => np.grad(np.compile(f))(b).multiply([1, 2, 3]).sum()))(a)])
    for (let i = 0; i < 3; ++i) assert.deepEqual(bits(run(x)), expected);
  const rows = np.array([[0.3, 0.7, 1.1], [1, 2, 3]]), each = np.vmap(np.grad(f)), all = bits(each(rows));
  for (const i of [0, 1]) assert.deepEqual(bits(each(rows).at(i)), bits(np.grad(f)(rows.at(i))));
  for (const run of [np.compile(each), np.vmap(np.compile(np.grad(f))), np.vmap(np.grad(np.compile(f)))])
    for (let i = 0; i < 3; ++i) assert.deepEqual(bits(run(rows)), all);
  assert.deepEqual(bits(np.grad((a) => np.vmap(f)(a).sum())(rows)), all);
  near(np.vmap(np.hessian(f))(rows).at(0), np.hessian(f)(rows.at(0)));
  const pull = np.compile((a) => { const [y, back] = np.vjp(f, a); return back(y)[0]; });
  for (let i = 0; i < 3; ++i) near(pull(x), np.grad(f)(x).multiply(f(x)), 1e-14);
});

test('vmap', () => {
  const x = np.arange(12).reshape(3, 4).multiply(0.25), w = np.linspace(-1, 1, 16).reshape(4, 4);
  const f = (row, weights) => {
    const z = np.zeros(4);
    for (let i = 0; i < 4; ++i) z.set(row.at(i).multiply(row.at(3 - i)), i);
    z.at('1:').iadd(np.tanh(np.matmul(weights, row)).at(':-1'));
    return { z, total: z.sum(), text: 'kept', shape: row.shape };
  };
  const { z, total, text, shape } = np.vmap(f, { inAxes: [0, null] })(x, w);
  assert.deepEqual([text, shape, z.shape, total.shape], ['kept', [4], [3, 4], [3]]);
  for (let i = 0; i < 3; ++i) near(z.at(i), f(x.at(i), w).z, 1e-12);
  equal(np.vmap((a) => a.multiply(2), { inAxes: 1, outAxes: -1 })(x), x.multiply(2).tolist());
  equal(np.vmap((t) => t.a.add(t.b[0]), { inAxes: [{ a: 0, b: [null] }] })({ a: x, b: [x.at(0)] }), x.add(x.at(0)).tolist());
  equal(np.vmap((a) => [a, np.ones(2)], { outAxes: [0, null] })(new Float64Array([1, 2])), [[1, 2], [1, 1]]);
  equal(np.vmap(() => np.ones(2), { axisSize: 2 })(), [[1, 1], [1, 1]]);
  for (const make of [() => np.array([5, 6.5]), () => np.array(new Float64Array([5, 6.5])), () => np.array([[5, 6.5]]).reshape(2), () => np.linspace(5, 6.5, 2)])
    equal(np.vmap((a) => { const made = make(); made.set(a, 0); return made; })(np.array([1, 2.5])), [[1, 6.5], [2.5, 6.5]]); // made inside
  const rng = np.random.default_rng(1), noisy = np.vmap((a) => a.add(rng.normal()), { randomness: 'same' })(np.zeros(2));
  const each = np.vmap((a) => a.add(np.random.default_rng(1).normal({ size: [2] })), { randomness: 'different' })(np.zeros([2, 2]));
  assert.equal(noisy.item(0), noisy.item(1));
  equal(each, np.random.default_rng(1).normal({ size: [2, 2] }).tolist());
  const before = np.liveArrays();
  equal(np.tidy(() => np.vmap((a) => a.sum())(x).tolist()), [1.5, 5.5, 9.5]);
  assert.equal(np.liveArrays(), before);
});

test('derivatives of the page\'s own', () => {
  const x = np.array([1, 2, 3], 'float64'), before = np.liveArrays();
  const clipped = np.customVjp(function clipped(a) { return a.multiply(1); }, (a) => [a.multiply(1), null], (_, g) => [np.clip(g, -1, 1)]);
  assert.equal(clipped.name, 'clipped');
  np.tidy(() => {
    equal(clipped(x), [1, 2, 3]);
    const f = (a) => clipped(a).multiply([5, -0.5, -7]).sum(), compiled = np.compile(np.grad(f));
    for (let i = 0; i < 3; ++i) equal(compiled(x), [1, -0.5, -1]);
    equal(np.vmap(np.grad((a) => clipped(a).multiply(3)))(x), [1, 1, 1]);
    // What is kept is there when it is needed, and no longer; outer levels see what bwd does.
    const cube = np.customVjp((a) => a.power(3), (a) => [a.power(3), { a: a.add(0), factor: 3 }], (kept, g) => kept.a.multiply(kept.a).multiply(kept.factor).multiply(g));
    const g = (a) => cube(a).sum();
    equal(np.grad(g)(x), [3, 12, 27]);
    equal(np.grad((a) => np.grad(g)(a).sum())(x), [6, 12, 18]);
    equal(np.grad((a) => np.grad((b) => b.multiply(cube(a)).sum())(np.ones(3)).sum())(x), [3, 12, 27]);
    const [, pull] = np.vjp(g, x);
    equal([pull(1), pull(2)], [[[3, 12, 27]], [[6, 24, 54]]]);
    pull.dispose();
    const scaled = np.customVjp((p, n) => ({ out: p.w.multiply(n) }), (p, n) => [{ out: p.w.multiply(n) }, n], (n, { out }) => [{ w: out.multiply(n) }, null]);
    equal(np.grad((p) => scaled(p, 2).out.sum())({ w: x }), { w: [2, 2, 2] });
  });
  assert.equal(np.liveArrays(), before);
  np.tidy(() => {
    const log = np.customJvp((a) => np.log(a), ([a], [t]) => [np.log(a), t.divide(np.maximum(a, 0.5))]), w = np.array([0.1, 2]), f = (a) => log(a).sum();
    equal([np.grad(f)(w), np.jvp(f, [w], [np.ones(2)])[1], np.linearize(f, w)[1](np.ones(2))], [[2, 0.5], 2.5, 2.5]);
    equal(np.grad((a) => np.grad(f)(a).sum())(w), [0, -0.25]);
    const compiled = np.compile(np.grad(f));
    for (let i = 0; i < 3; ++i) equal(compiled(w), [2, 0.5]);
    const times = np.customJvp((a, n) => a.multiply(n), ([a, n], [t]) => [a.multiply(n), t.multiply(n)]);
    equal(np.grad((a) => times(a, np.array([2, 3])).sum())(w), [2, 3]); // integers don't change
    // Memory that is stored into before the sweep.
    const product = np.customJvp((a) => a.multiply(a), ([a], [t]) => [a.multiply(a), a.multiply(t).multiply(2)]);
    equal(np.grad((a) => { const b = a.multiply(1), y = product(b); b.set(7); return y.sum(); })(w), [0.2, 4]);
  });
});

test('derivatives of the page\'s own under vmap, and that under others', () => {
  const before = np.liveArrays();
  np.tidy(() => {
    const x = np.array([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]]), w = np.array([2, 3], 'float64');
    const scaled = np.customVjp((a, { b }) => np.sin(a).multiply(b), (a, { b }) => [np.sin(a).multiply(b), [a, b, 2]],
      ([a, b, two], g) => [np.cos(a).multiply(b).multiply(g).multiply(10), { b: np.sin(a).multiply(g).multiply(5 * two) }]);
    const rows = np.vmap(scaled, { inAxes: [0, null] }), total = (a, b) => rows(a, { b }).sum();
    const byX = np.cos(x).multiply(w).multiply(10).tolist(), byW = np.sin(x).sum(0).multiply(10).tolist();
    const [gx, gw] = np.grad(total, { argnums: [0, 1] })(x, w);
    near(gx, byX);
    near(gw, byW);
    const twice = (a, b) => np.vmap((each) => rows(a, { b: each }))(b).sum();
    const both = np.grad(twice, { argnums: [0, 1] })(x, np.array([[2, 3], [4, 5]], 'float64'));
    near(both[0], np.cos(x).multiply([6, 8]).multiply(10).tolist());
    near(both[1], [byW, byW]);
    const byChange = np.customJvp((a, b) => np.sin(a).multiply(b), ([a, b], [da, db]) => [np.sin(a).multiply(b), np.cos(a).multiply(b).multiply(da).add(np.sin(a).multiply(db)).multiply(10)]);
    const all = np.vmap(byChange, { inAxes: [0, null] }), sum = (a, b) => all(a, b).sum();
    near(np.grad(sum)(x, w), byX);
    near(np.grad(sum, { argnums: 1 })(x, w), byW);
    near(np.jvp((a) => sum(a, w), [x], [np.ones([3, 2])])[1], np.array(byX).sum().item());
  });
  assert.equal(np.liveArrays(), before);
});

test('what rules say wrong', () => {
  const two = np.customVjp((a, b) => a.multiply(b), (a, b) => [a.multiply(b), b], (b, g) => g.multiply(b)), x = np.ones(2);
  refuses(() => np.grad((a) => two(a, a).sum())(x), 'ValueError', '[customVjp] bwd gave 1 cotangent, the function has 2 arguments.');
  refuses(() => np.jvp((a) => two(a, a), [x], [x]), 'NotImplementedError', '[jvp] no forward derivative of a customVjp function is known. Give one by customJvp.');
  const bare = np.customVjp((a) => a, (a) => a, () => null), throwing = np.customVjp((a) => a, (a) => [a.multiply(1), null], () => { throw new RangeError('mine'); });
  refuses(() => np.grad((a) => bare(a).sum())(x), 'TypeError', '[customVjp] fwd returned NDArray, expected a pair [result, kept].');
  refuses(() => np.grad((a) => throwing(a).sum())(x), 'RangeError', 'mine');
  const flat = np.customVjp((a) => a, (a) => [a.multiply(1), null], () => [np.ones(3)]);
  refuses(() => np.grad((a) => flat(a).sum())(x), 'ValueError', '[customVjp] cotangent 0 has shape (3,), the argument has shape (2,).');
  const wrongShape = np.customJvp((a) => a, ([a], [t]) => [a.multiply(1), t.sum()]);
  for (const call of [() => np.grad((a) => wrongShape(a).sum())(x), () => np.jvp(wrongShape, [x], [x])])
    refuses(call, 'ValueError', '[customJvp] change 0 has shape (), the result has shape (2,).');
  equal(np.grad((a) => a.multiply(a).sum())(x), [2, 2]); // levels have ended
  refuses(() => np.customVjp((a) => a, 3, () => {}), 'TypeError', '[customVjp] got 3, expected a function.');
});

test('errors, word by word', () => {
  const x = np.array([1, 2.5]);
  const of = 'expected float16, float32, float64, complex64 or complex128: integers have no derivative. Cast it, as in x.astype(float64).';
  refuses(() => np.grad((a) => a.sum())(np.arange(3)), 'TypeError', `[grad] argument 0 has dtype int64, ${of}`);
  refuses(() => np.grad((a, p) => p.w[0].sum(), { argnums: 1 })(x, { w: [x, x, np.arange(2)] }), 'TypeError', `[grad] argument 1['w'][2] has dtype int64, ${of}`);
  refuses(() => np.grad((a) => a.multiply(2))(np.ones(3)), 'ValueError', '[grad] the function returned shape (3,), expected a real 0-D array. Return a sum or mean, or use vjp or jacobian.');
  refuses(() => np.valueAndGrad((a) => a.sum().multiply(np.complex(0, 1)))(x), 'ValueError', '[valueAndGrad] the function returned dtype complex128, expected a real 0-D array. Return its real part or modulus, or use vjp.');
  refuses(() => np.grad((a) => a.sum().item() * 2)(x), 'TypeError', '[grad] the function returned a number, expected a real 0-D array: item() of an array gives a constant. Return the array.');
  const [, pull] = np.vjp((a) => [a, a.multiply(2)], np.ones(3)), [, push] = np.linearize((a, b) => a.add(b), x, x);
  refuses(() => pull([np.ones(3), np.ones(2)]), 'ValueError', '[vjp] cotangent 1 has shape (2,), the result has shape (3,).');
  refuses(() => pull([np.ones(3), np.ones(3, 'float32')]), 'ValueError', '[vjp] cotangent 1 has dtype float32, the result has dtype float64.');
  refuses(() => pull(np.ones(3)), 'ValueError', '[vjp] the cotangent has another structure: the tree has NDArray, expected entries [0], [1].');
  refuses(() => pull([np.ones(3)]), 'ValueError', '[vjp] the cotangent has another structure: the tree has entries [0], expected entries [0], [1].');
  refuses(() => pull([np.ones(3), 'x']), 'TypeError', "[vjp] the cotangent has 'x' in the place of an array.");
  refuses(() => np.jvp((p) => p.a, [{ a: x }], [{ b: x }]), 'ValueError', "[jvp] tangent 0 has another structure: the tree has entries ['b'], expected entries ['a'].");
  refuses(() => np.hessian((a) => np.absolute(a))(np.complex(1, 2)), 'TypeError', '[hessian] the argument is complex, and its second derivatives make no matrix. Use vjp or jvp of the gradient.');
  refuses(() => push(x, np.ones(3)), 'ValueError', '[linearize] tangent 1 has shape (3,), the argument has shape (2,).');
  refuses(() => push(x), 'TypeError', '[linearize] got tangents for 1 argument, the call has 2.');
  refuses(() => np.jvp((a) => a, [np.ones(3)], [np.ones(2)]), 'ValueError', '[jvp] tangent 0 has shape (2,), the argument has shape (3,).');
  refuses(() => np.vmap((a) => (a.greater(0).item() ? a : a))(x), 'ValueError', '[vmap] item() of a batched array: each example may branch its own way. Use np.where, or loop over the axis.');
  refuses(() => np.vmap((a) => a.tolist())(x), 'ValueError', '[vmap] tolist() of a batched array: each example may branch its own way. Use np.where, or loop over the axis.');
  refuses(() => np.vmap((a) => a.data)(x), 'ValueError', '[vmap] data() of a batched array: each example may branch its own way. Use np.where, or loop over the axis.');
  refuses(() => np.vmap((a) => { x.set(a, 0); return a; })(x), 'ValueError', '[vmap] a batched value is stored into an array made outside of the function. Make it inside, or return the value.');
  refuses(() => np.vmap((a, b, c) => a.add(c), { inAxes: [0, null, 0] })(np.ones(5), x, np.ones(7)), 'ValueError', '[vmap] axis sizes differ: argument 0 has 5 along axis 0, argument 2 has 7.');
  refuses(() => np.vmap((a) => a.at(a.greater(0)))(np.ones([2, 3])), 'ValueError', '[vmap] the length of x[mask] depends on values of a batched array. Use np.where, or loop over the axis.');
  let escaped = null;
  np.vmap((a) => { escaped = np.keep(a.add(1)); return a; })(x);
  refuses(() => escaped.add(1), 'ValueError', '[vmap] this array belongs to a level that has ended.');
  refuses(() => np.vmap((a) => a, { inAxes: null })(x), 'ValueError', '[vmap] no argument has an axis of examples: inAxes is none for all. Say axisSize.');
  refuses(() => np.grad((a) => a.sum())(np.zeros(0, 'int8')), 'TypeError', `[grad] argument 0 has dtype int8, ${of}`);
  refuses(() => np.grad((a) => np.random.default_rng(1).poisson(a).sum())(x), 'NotImplementedError', "[grad] no derivative of 'poisson' is known. Use stopGradient, or give one by customVjp.");
  refuses(() => np.grad((a) => a)(3n), 'TypeError', '[grad] argument 0 holds no array: got 3n, expected arrays of a float or complex dtype, or a number.');
  refuses(() => np.grad((a) => a)([1, 2]), 'TypeError', '[grad] argument 0 holds no array: got a list, expected arrays of a float or complex dtype, or a number (np.float(x), where it stands in a list or an object).');
  const y = np.ones(4);
  refuses(() => np.grad((a, b) => { a.set(5, 0); return a.multiply(b).sum(); }, { argnums: [0, 1] })(y, y), 'ValueError', /^\[grad\] arguments 0 and 1 share memory, and the function stores into it at .*transforms_test\.mjs:\d+\. Pass a copy\.$/);
  equal(y, [1, 1, 1, 1]);
});

test('arguments that there are not', () => {
  const f = (a) => a.sum(), x = np.ones(2);
  refuses(() => np.grad(3), 'TypeError', '[grad] got 3, expected a function.');
  refuses(() => np.vmap(async (a) => a), 'TypeError', '[vmap] got a function, which goes on after it has returned (async, function*), expected one that ends when it returns.');
  refuses(() => np.grad((a) => Promise.resolve(a))(x), 'TypeError', '[grad] got a function that returns a promise, expected one that ends when it returns.');
  refuses(() => np.grad(f, { argnum: 1 }), 'TypeError', "[grad] unexpected option 'argnum', expected one of argnums, hasAux. Hint: argnums.");
  refuses(() => np.jacobian(f, { hasAux: true }), 'TypeError', "[jacobian] unexpected option 'hasAux', expected one of argnums.");
  refuses(() => np.vmap(f, { in_axes: 1 }), 'TypeError', "[vmap] unexpected option 'in_axes', expected one of inAxes, outAxes, axisSize, randomness. Hint: inAxes.");
  refuses(() => np.vjp(f, x, { hasaux: true }), 'TypeError', "[vjp] unexpected option 'hasaux', expected one of hasAux. Hint: hasAux.");
  refuses(() => np.grad(f, 1), 'TypeError', '[grad] got 1, expected an object of options: grad(f, { argnums: ... }).');
  refuses(() => np.grad(f, { hasAux: 'yes' }), 'ValueError', "[grad] hasAux: got 'yes', expected true or false.");
  refuses(() => np.grad(f, { hasAux: true })(x), 'TypeError', '[grad] hasAux is true, and the function returned NDArray, expected a pair [value, aux].');
  refuses(() => np.grad(f, { argnums: 1 })(x), 'TypeError', '[grad] argnums has 1, the call has 1 argument.');
  refuses(() => np.grad(f, { argnums: 'x' })(x), 'TypeError', "[grad] argnums: got 'x', expected a whole number, or a list of them.");
  refuses(() => np.vmap(f, { inAxes: [0, 1] })(x), 'ValueError', '[vmap] inAxes has 2 entries, the call has 1 argument.');
  refuses(() => np.vmap(f, { inAxes: [[0, 1]] })([x]), 'ValueError', '[vmap] inAxes[0] is a list with 2 entries, expected a whole number, null, or a container like what it belongs to.');
  refuses(() => np.vmap(f, { axisSize: -1 }), 'ValueError', '[vmap] axisSize: got -1, expected a whole number from 0 on.');
  refuses(() => np.vmap(f, { randomness: 'other' })(x), 'ValueError', "[vmap] randomness is 'other', expected 'error', 'same' or 'different'.");
  refuses(() => np.jvp(f, x, x), 'TypeError', '[jvp] got primals of NDArray, expected a list of arguments.');
  refuses(() => np.stopGradient(x, x), 'TypeError', '[stopGradient] takes 1 argument, got 2. Hint: a list or an object of arrays is one.');
  const ring = [x];
  ring.push(ring);
  for (const [name, transform] of [['grad', np.grad], ['vmap', np.vmap]])
    refuses(() => transform((a) => a[0].sum())(ring), 'TypeError', `[${name}] got lists or objects inside each other more than 64 deep (or in a circle).`);
});

test('levels end with errors, also for want of stack', () => {
  const x = np.ones(2), before = np.liveArrays();
  for (const transform of [np.grad, np.vmap, np.jacobian, (f) => (a) => np.jvp(f, [a], [a]), (f) => (a) => np.vjp(f, a), (f) => np.grad(np.vmap(f))])
    refuses(() => transform((a) => { a.add(1); throw new SyntaxError('mine'); })(x), 'SyntaxError', 'mine');
  const endless = (a) => np.grad(endless)(a.add(1));
  assert.throws(() => np.tidy(() => endless(x)), { name: 'RangeError' });
  assert.equal(np.liveArrays(), before);
  equal(np.tidy(() => np.grad((a) => a.multiply(a).sum())(x).tolist()), [2, 2]);
  equal(np.tidy(() => np.compile((a) => a.add(1))(x).tolist()), [2, 2]);
  assert.equal(np.explain(np.compile((a) => { a.iadd(1); }), np.ones(2)).graph_count, 1); // recorded, so no level is left open
});

test('a number that was read is a constant', () => {
  const { warn } = console, said = [];
  console.warn = (text) => said.push(text);
  try {
    equal(np.grad((a) => np.array(a.sum().item() * 2.5))(np.ones(1)), [0]);
    const reading = np.grad((a) => { const [first] = a.toTypedArray(), [, last] = a.astype('float16').tolist(); return a.multiply(first + last).sum(); });
    equal([reading(np.array([3, 4], 'float64')), np.compile(reading)(np.array([3, 4], 'float64'))], [[7, 7], [7, 7]]);
    const showing = np.grad((a, b) => { b.data[0] = 5; const { data } = np.ones(1); data[0] = 4; return a.multiply(b).sum().multiply(data[0]); });
    equal(showing(np.ones(2), np.ones(2)), [20, 4]); // of what does not depend on arguments
    refuses(() => np.grad((a) => { a.data[0] = 1; return a.sum(); })(np.ones(2)), 'NotImplementedError', '[data] the memory of an array is asked for that depends on the arguments of a transform: '
      + 'what becomes of it would have no derivative. Pass stopGradient(x), or give the code a derivative by customVjp.');
  } finally {
    console.warn = warn;
  }
  assert.equal(said.length, 1);
  assert.match(said[0], /RuntimeWarning: grad: the result depends on no argument, but the value of an array that does was read at .*transforms_test\.mjs:\d+, as a constant\. Compute with the array\.$/);
});

test('arrays end with the call, but for what it returns', () => {
  const x = np.array([1, 2.5]), before = np.liveArrays();
  let mine;
  const f = (a) => { mine = a.multiply(2); return np.sin(mine).sum(); };
  const g = np.grad(f)(x);
  assert.equal(np.liveArrays(), before + 1);
  refuses(() => mine.sum(), 'ValueError', /^numjit: this array ended with/);
  g.dispose();
  const [value, gradient] = np.valueAndGrad(f)(x);
  assert.equal(np.liveArrays(), before + 2);
  for (const a of [value, gradient]) a.dispose();
  const kept = np.grad((a) => np.keep(a.multiply(a)).sum())(x);
  assert.equal(np.liveArrays(), before + 2); // it and the gradient
  kept.dispose();
  const [y, pull] = np.vjp(f, x);
  y.dispose(); // pull has what it needs
  np.tidy(() => equal(pull(1), [[2 * Math.cos(2), 2 * Math.cos(5)]]));
  pull.dispose();
  pull.dispose();
  refuses(() => pull(1), 'ValueError', '[vjp] pull was disposed of.');
  assert.equal(typeof pull[Symbol.dispose ?? Symbol.for('Symbol.dispose')], 'function');
  np.tidy(() => { np.hvp(f, [x], [np.ones(2)]); });
  assert.equal(np.liveArrays(), before + 1);
  const outside = np.zeros(2), stored = np.grad((a) => { outside.set(a); return outside.multiply(a).sum(); });
  np.tidy(() => equal(stored(x), [2, 5]));
  equal(outside, [1, 2.5]);
  const same = np.vjp((a) => a, x)[0]; // the argument itself
  same.set(7, 0);
  equal(x, [7, 2.5]);
});

test('memory of tapes is given back: by dispose(), and by the collector', async () => {
  const x = np.ones(2 ** 18), hold = () => np.vjp((a) => np.sin(np.exp(a)).multiply(a).sum(), x);
  np.tidy(() => hold()[1].dispose());
  const before = np.memory();
  for (let i = 0; i < 100; ++i) np.tidy(() => { const [, pull] = hold(); pull(1); pull.dispose(); });
  assert.ok(np.memory() < before + 2 ** 24, `${np.memory()} ${before}`);
  if (!globalThis.process?.versions?.node) return; // pages can't call the collector
  const { setFlagsFromString } = await import('node:v8'), { runInNewContext } = await import('node:vm');
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  for (let i = 0; i < 100; ++i) {
    np.tidy(() => { hold(); });
    collect();
    await new Promise((go) => setTimeout(go));
  }
  assert.ok(np.memory() < before + 2 ** 25, `${np.memory()} ${before}`);
});

test('checkGrads, trees', () => {
  np.testing.checkGrads((a, b) => np.sin(a).multiply(np.matmul(b, a)), [np.array([0.3, 0.7]), np.array([[1, 2.5], [3, 4]])]);
  np.testing.checkGrads((p) => p.w.multiply(np.exp(p.b)).multiply(np.complex(0, 1)), [{ w: np.ones(2), b: np.array(0.5) }], { order: 1 });
  np.testing.checkGrads(program, [start], { order: 1 });
  const wrong = np.customJvp((a) => a.multiply(a), ([a], [t]) => [a.multiply(a), a.multiply(t).multiply(3)]);
  refuses(() => np.testing.checkGrads(wrong, [np.array([0.3, 0.7])]), 'AssertionError', /^\[checkGrads\] order 1, forward: the derivative along a direction is .*, by differences .*\.$/);
  refuses(() => np.testing.checkGrads(wrong, [start], { steps: 1 }), 'TypeError', "[checkGrads] unexpected option 'steps', expected one of order, forward, reverse, step, rtol, atol. Hint: step.");
  assert.deepEqual(np.tree.map((a, b) => a + b, { w: 1, b: [2, { c: 3 }] }, { w: 10, b: [20, { c: 30 }] }), { w: 11, b: [22, { c: 33 }] });
  const { leaves, structure } = np.tree.flatten({ w: 1, b: [2, []], text: 'x' });
  assert.deepEqual([leaves, np.tree.unflatten(structure, [5, 6, 7])], [[1, 2, 'x'], { w: 5, b: [6, []], text: 7 }]);
  refuses(() => np.tree.map((a) => a, [1], [1, 2]), 'ValueError', '[tree.map] the tree has entries [0], [1], expected entries [0].');
});

test('a model that learns', () => {
  const x = np.linspace(0, 1, 50), y = x.multiply(3).add(1);
  const loss = (p) => np.square(p.slope.multiply(x).add(p.shift).subtract(y)).mean();
  for (const slope of [np.grad(loss), np.compile(np.grad(loss)), np.compile(np.grad(loss), { mode: 'replay' })]) {
    let p = { slope: np.array(0, 'float64'), shift: np.array(0, 'float64') };
    for (let step = 0; step < 500; ++step) p = np.tidy(() => np.tree.map((a, g) => a.subtract(g.multiply(0.5)), p, slope(p)));
    equal(np.tree.map((a) => a.round(4), p), { slope: 3, shift: 1 });
  }
});
