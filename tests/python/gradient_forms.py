"""The forms of the statements of gradient_programs.py, with holes that are filled with what the program has."""

# Holes in what follows: {a} an array, {b} one that broadcasts with it, {e} one of its shape, {v} one with a single axis, {w} one
# of its length, {q} one with two axes, {s} a 0-D one, {m} a mask of a's shape, {i} indices of a's first axis, {n} a number,
# {p} a positive one, {k} a small integer, {x} an axis of a, {l} the length of a's first axis, {shape} an equivalent of a's.
ELEMENTWISE = """
{a} + {b}
{a} - {b}
{a} * {b}
{a} / ({b} * {b} + {p})
{a} ** 2
{a} ** 3
({a} * {a} + {p}) ** {n}
{p} ** {a}
-{a}
+{a}
abs({a})
{n} - {a}
{n} / ({a} * {a} + {p})
{a} % {p}
{a} // {p}
divmod({a}, {p})[1]
{a} * {n} + {b}
np.sin({a})
np.cos({a})
np.tan(0.3 * {a})
np.tanh({a})
np.sinh(0.5 * {a})
np.cosh(0.5 * {a})
np.arcsin(0.9 * np.tanh({a}))
np.arccos(0.9 * np.tanh({a}))
np.arctan({a})
np.arcsinh({a})
np.arccosh({a} * {a} + 1.2)
np.arctanh(0.9 * np.tanh({a}))
np.exp(0.4 * {a})
np.exp2(0.4 * {a})
np.expm1(0.4 * {a})
np.log({a} * {a} + {p})
np.log2({a} * {a} + {p})
np.log10({a} * {a} + {p})
np.log1p({a} * {a})
np.sqrt({a} * {a} + {p})
np.sqrt({a})
np.log({a})
np.cbrt({a})
np.square({a})
np.reciprocal({a} * {a} + {p})
np.abs({a})
np.fabs({a})
np.sign({a}) * {b}
np.floor({a}) * {b}
np.rint({a}) + {b}
np.round({a}, 1) + {b}
np.ceil({a}) + {b}
np.trunc({a}) * {b}
np.fix({a}) + {b}
np.negative({a})
np.positive({a})
np.conj({a})
np.real({a})
np.imag({a})
{a}.real
{a}.imag
{a}.conj() * {b}
np.angle({a})
np.degrees({a}) * 0.01
np.deg2rad({a})
np.radians({a})
np.sinc({a})
np.i0({a})
np.nan_to_num({a})
np.copysign({a}, {b})
np.heaviside({a}, 0.5) * {b}
np.maximum({a}, {b})
np.minimum({a}, {b})
np.fmax({a}, {n})
np.fmin({b}, {a})
np.hypot({a}, {b})
np.arctan2({a}, {b})
np.logaddexp({a}, {b})
np.logaddexp2({a}, {b})
np.power({a} * {a} + {p}, {b})
np.float_power({a} * {a} + {p}, 1.5)
np.remainder({a}, {p})
np.fmod({a}, {p})
np.floor_divide({a}, {p}) * {b}
np.modf({a})[0]
np.frexp({a})[0]
np.ldexp({a}, 2)
np.divmod({a}, {p})[1] * {b}
np.multiply({a}, {b})
np.subtract({a}, {b})
np.true_divide({a}, {p})
np.add({a}, {b}, where={m}, out=np.zeros_like({a}))
np.where({m}, {a}, {b})
np.where({m}, {a}, 0.0)
np.where({m}, {n}, {b})
np.where({a} > 0, np.sqrt(np.abs({a})), 0.1 * {a})
np.select([{m}, {a} < 0], [{a}, {b}], 0.5)
np.piecewise({a}, [{m}], [lambda t: t * t, lambda t: 1 - t])
np.clip({a}, -0.71, 0.83)
np.clip({a}, None, {b})
{a}.clip(-0.5, {p})
({a} > {n}) * {b}
{m} * {a}
{a}.astype("f4")
{a}.astype("f8")
{a}.astype("c16")
np.unwrap({v})
np.polyval([0.3, -0.5, {n}], {a})
np.polyval({v}, 0.3 * {a})
np.interp({a}, np.linspace(-2.0, 2.0, {w}.size), {w})
np.interp({n}, np.sort({v}), {w})
stop({a}) * {b}
np.isfinite({a}) * {b}
np.sign({a}) * np.spacing({a}) + {b}
""".strip().split("\n")

REDUCTIONS = """
np.sum({a})
np.sum({a}, axis={x})
np.sum({a}, axis={x}, keepdims=True)
np.sum({a}, where={m})
np.sum({a}, initial={n})
{a}.sum({x})
np.mean({a}, axis={x})
np.mean({a}, axis={x}, where={m} | (np.arange({a}.shape[{x}]) < 1))
{a}.mean()
np.prod({a})
np.prod({a}, axis={x})
np.prod({a}, axis={x}, where={m}, initial={p})
np.max({a}, axis={x})
np.min({a})
{a}.max()
np.max({a}, axis={x}, keepdims=True)
np.min({a}, initial={n}, where={m})
np.amax({a})
np.ptp({a}, axis={x})
np.var({a})
np.var({a}, axis={x}, ddof=1)
np.std({a}, axis={x})
np.std({a} * np.arange({a}.size).reshape({a}.shape))
{a}.var(axis={x}, keepdims=True)
np.cumsum({a})
np.cumsum({a}, axis={x})
np.cumprod({a})
np.cumprod({a}, axis={x})
{a}.cumsum()[::-1]
np.nansum({a}, axis={x})
np.nanmean({a})
np.nanmax({a}, axis={x})
np.nanstd({a})
np.nanprod({a})
np.nancumsum({a})
np.median({a})
np.median({a}, axis={x})
np.quantile({a}, 0.3)
np.quantile({a}, [0.1, 0.77], axis={x})
np.percentile({a}, 41.0, axis={x}, keepdims=True)
np.average({a}, axis={x})
np.average({v}, weights={w} * {w} + 1)
np.log(np.sum(np.exp({a}), axis={x}))
np.max({a}) + np.log(np.sum(np.exp({a} - np.max({a}))))
np.exp({a} - {a}.max()) / np.sum(np.exp({a} - {a}.max()))
np.add.reduce({a}, axis={x})
np.multiply.reduce({a}, axis={x})
np.maximum.reduce({a}, axis={x})
np.add.accumulate({a}, axis={x})
np.multiply.accumulate({a})
np.add.outer({v}, {w})
np.subtract.outer({v}, {v})
np.maximum.outer({v}, {w})
np.linalg.norm({a})
np.linalg.norm({v}, 1)
np.linalg.norm({q}, axis=1)
np.count_nonzero({a}) * {b}
np.trapezoid({v})
np.trapezoid({a}, axis={x})
np.trapezoid({v}, dx=0.3)
np.trapezoid({v}, np.cumsum({w} * {w}))
np.cumulative_sum({v}, include_initial=True)
np.cumulative_prod({v})
np.diff({a}, axis={x})
np.diff({v}, n=2)
np.diff({v}, prepend={n}, append=0.0)
np.ediff1d({a})
np.gradient({v})
np.gradient({v}, 0.5)
np.gradient({q}, axis=0)
np.convolve({v}, {w})
np.convolve({v}, [0.5, 0.25], "same")
np.convolve({v}, {w}, "valid")
np.correlate({v}, {w}, "full")
np.cov({v}, {w})
np.cov({q})
np.corrcoef({v}, {w})[0, 1]
sum({v})
max({v})
sorted({v})[0]
np.array(sum(t * t for t in {v}))
np.apply_along_axis(lambda t: t * t.sum(), 0, {a})
np.histogram(np.arange({w}.size), bins=3, weights={w})[0]
np.bincount({i}, weights={e})
np.bincount(np.arange({w}.size) % 2, {w})
""".strip().split("\n")

MOVING = """
{a}[::-1]
{a}[1:]
{a}[:-1]
{a}[::2]
{a}[-1]
{a}[0]
{a}[..., 0]
{a}[..., ::-1]
{a}[:, 1:]
{a}[:, None]
{a}[None]
{a}[..., None]
{a}[::-2]
{a}.T
{a}.reshape(-1)
{a}.ravel()
{a}.flatten()
{a}.reshape({shape})
{a}.T.reshape(-1)
{a}.copy()
{a}.squeeze()
{a}.view()
np.transpose({a})
np.ravel({a}, order="F")
np.swapaxes({a}, 0, -1)
np.moveaxis({a}, 0, -1)
np.expand_dims({a}, 0)
np.squeeze({a})
np.atleast_2d({a})
np.diagonal({q})
np.diag({v})
np.diag({q})
np.diagflat({v}, 1)
np.trace({q})
np.tril({q})
np.triu({q}, 1)
np.vander({v}, 3)
np.flip({a})
np.flip({a}, {x})
np.fliplr({q})
np.rot90({q})
np.roll({a}, {k})
np.roll({a}, -1, axis={x})
np.repeat({a}, 2)
np.repeat({a}, 2, axis={x})
np.repeat({v}, np.arange({v}.size) % 3)
np.tile({a}, 2)
np.tile({a}, (2, 1))
np.resize({a}, (2, 3))
np.pad({a}, 1)
np.pad({v}, (1, 2), constant_values={n})
np.pad({v}, 1, mode="edge")
np.pad({q}, 1, mode="reflect")
np.pad({v}, 2, mode="wrap")
np.pad({v}, 1, mode="linear_ramp")
np.pad({v}, 1, mode="mean")
np.pad({v}, 2, mode="symmetric")
np.pad({q}, 1, mode="maximum")
np.concatenate([{a}, {e}])
np.concatenate([{a}, {e}], axis=-1)
np.concatenate([{a}, {b}], axis=None)
np.stack([{a}, {e}])
np.stack([{a}, {e}, {a}], axis=-1)
np.hstack([{a}, {e}])
np.vstack([{a}, {e}])
np.dstack([{a}, {e}])
np.column_stack([{v}, {w}])
np.append({a}, {b})
np.insert({v}, 1, {s})
np.delete({a}, 0, axis={x})
np.block([[{q}, {q}]])
np.r_[{v}, {n}, {w}]
np.c_[{v}, {w}]
np.array([{s}, {n}, {s}])
np.array([{v}, {w}])
np.array([[{s}, 1.0], [{s}, {s}]])
np.asarray([t * 2 for t in {v}])
np.split({a}, [1])[1]
np.array_split({a}, 2)[0]
np.meshgrid({v}, {w})[0]
np.meshgrid({v}, {w}, indexing="ij")[1]
np.broadcast_to({a}, (2,) + {a}.shape)
np.broadcast_arrays({a}, {b})[0]
np.lib.stride_tricks.sliding_window_view({v}, 2)
np.sort({a})
np.sort({a}, axis=None)
np.sort({a}, axis={x})[::-1]
np.partition({a}, 1)[..., 1]
{a}[np.argsort({v})[:2] % {l}]
np.take_along_axis({a}, np.argsort({a}, axis={x}), axis={x})
np.take({a}, {i}, axis=0)
np.take({a}, {i})
np.take({a}, [5, -7, 1], mode="wrap")
np.take({a}, [0, 9, 1], axis={x}, mode="clip")
{a}.take([0, 0])
{a}[{i}]
{a}[{i}, {i} % {a}.shape[-1]]
{a}[:, [0, 1, 0]]
{a}[..., np.array([0, -1])]
{a}[[0], ..., None]
{a}[np.ix_([0, 1], [1, 0])]
{a}[{m}]
{a}[{a} > {n}]
np.compress([True, False, True], {a}, axis={x})
np.extract({m}, {a})
np.choose([0, 1] * ({v}.size // 2), [{v}, {w}])
{a}.flat[1]
{a}.flat[::2]
{a}[np.nonzero({m})]
{a}[np.argmax({a}, axis=0)]
{a}[np.argmin({v})]
{v}[np.searchsorted(np.sort({w}), 0.1) % {v}.size]
np.trim_zeros({v})
np.unique({a})
next(iter({a}))
list({a})[-1]
np.where({m}, {a}, {b})[..., ::-1]
np.ascontiguousarray({a}.T)
np.asfortranarray({a})
np.array({a})
np.array({a}, copy=True, ndmin=3)
np.rollaxis({a}, -1)
np.unstack({a})[0]
np.fromiter([t * t for t in {v}], float)
np.full(3, {s})
np.full((2, 2), {n}) * {s}
np.linspace({s}, {n}, 4)
np.linspace({n}, {s}, 3, endpoint=False)
np.logspace({s} * 0.2, 0.5, 3)
np.geomspace({s} * {s} + 0.5, 3.0, 3)
np.arange(4.0) * {s}
np.ones(3) * {s}
np.zeros_like({a}) + {b}
np.full_like({a}, {s})
""".strip().split("\n")

PRODUCTS = """
{q} @ {q}.T
{q}.T @ {q}
{q} @ np.ones({q}.shape[1])
{v} @ {w}
{v} @ np.outer({w}, {v})
np.outer({v}, {w}) @ {w}
np.matmul({a}, {e}.T)
np.dot({v}, {w})
np.dot({a}, {n})
np.dot({q}, {q}.T)
np.vdot({a}, {e})
np.inner({a}, {e})
np.outer({a}, {b})
np.kron({v}, {w})
np.cross({v}[:3], {w}[:3])
np.tensordot({a}, {e}, axes={k})
np.tensordot({q}, {q}, axes=([0, 1], [0, 1]))
np.einsum("i,i->", {v}, {w})
np.einsum("i,j->ij", {v}, {w})
np.einsum("ij,kj->ik", {q}, {q})
np.einsum("ij->ji", {q})
np.einsum("ij->", {q})
np.einsum("ii->i", {q} @ {q}.T).copy()
np.einsum("ii", {q} @ {q}.T)
np.einsum("...i->...", {a})
np.einsum("i,i,i->i", {v}, {w}, {v})
np.einsum("ij,ij,j->i", {q}, {q}, {q}[0])
np.vecdot({a}, {e})
np.matvec({q}, {q}[0])
np.vecmat({q}[:, 0], {q})
np.linalg.multi_dot([{q}, {q}.T, {q}])
np.linalg.matrix_power({q} @ {q}.T, 2)
np.stack([{q}, {q} * {n}]) @ {q}.T
np.polymul({v}, {w})
np.polyadd({v}, {w})
np.polyder({v})
np.polyint({v})
np.matrix_transpose({q})
""".strip().split("\n")

# {t} is a variable that may be stored into, {u} what may be stored into it whole, {c} the same as a copy, {z} a copy that has
# its shape and dtype (NumPy dies of other accumulations), {tm} a mask of its shape, {ti} indices of its first axis.
STORES = """
{t} += {u}
{t} -= {u}
{t} *= {u}
{t} /= {u} * {u} + {p}
{t} **= 2
{t} *= {n}
{t}[...] = {u}
{t}[:] = {u} * {n}
{t}[0] = {s}
{t}[0] = {n}
{t}[1:] = {t}[:-1]
{t}[:-1] += {t}[1:]
{t}[1:] = {u}[1:]
{t}[::2] = {u}[::2] * {n}
{t}[::2] *= {s}
{t}[::-1] = {u}
{t}[...] = {t}[::-1]
{t}[-1] += {s}
{t}[..., 0] = {u}[..., -1]
{t}[..., 1:] *= {u}[..., :-1]
{t}.T[0] = {s}
{t}.T[...] += {s}
{t}.T[1:] = np.sin({t}.T[1:])
{t}.reshape(-1)[1] = {s}
{t}.reshape(-1)[::2] += {s}
{t}.ravel()[:2] = {n}
{t}.flat[1] = {s}
{t}.flat[::2] = {n}
{t}.flat = {c}
{t}[{tm}] = {n}
{t}[{tm}] = {s}
{t}[{tm}] *= {n}
{t}[{tm}] = {u}[{tm}]
{t}[{tm}] += {u}[{tm}]
{t}[{t} > 0.2] = 0.1
{t}[{ti}] = {s}
{t}[{ti}] += {s}
{t}[{ti}] = {c}[{ti}] * {n}
{t}[{ti}] *= {c}[{ti}]
{t}[[0, 1, 0]] += {s}
{t}[[0, 1, 0]] = {c}[[1, 0, 1]]
{t}[[1, 0], [0, 1]] = {s}
{t}[:, [1, 0]] = {c}[:, [0, 1]]
{t}[np.ix_([0, 1], [0])] *= {n}
{t}[np.argsort({c}[:, 0] if {c}.ndim > 1 else {c})] = {c}
{t}[()] = {u}
{t}.fill({n})
{t}.fill({s})
{t}.sort()
{t}.sort(axis=0)
{t}.put([0, -1], {s})
{t}.real = {u}.real
{t}.imag = {s}.real
{t}.real[...] += {s}.real
{t}.imag *= {n}
np.add.at({t}, {ti}, {s})
np.add.at({t}, [0, 1, 0], {c}[:3])
np.add.at({t}, {ti}, {c}[{ti}])
np.subtract.at({t}, [0, 0], {s})
np.add({u}, {n}, out={t})
np.add({t}, {u}, out={t})
np.multiply({u}, {t}, out={t})
np.multiply({u}, {t}[::-1], out={t})
np.multiply({u}, {n}, out={t}[:])
np.sin({u}, out={t})
np.sin({t}, out={t})
np.exp(0.2 * {u}, out={t}, where={tm})
np.add({t}, {u}, out={t}, where={tm})
np.sqrt({u} * {u} + 1, {t})
np.maximum({t}, {u}, out={t})
np.clip({t}, -0.9, 0.77, out={t})
np.where({tm}, {u}, {t}).copy()
np.copyto({t}, {u})
np.copyto({t}, {u}, where={tm})
np.copyto({t}, {n}, where={tm})
np.put({t}, [0, 1], {s})
np.put({t}, [1, -1, 1], [{n}, {n}, {n}])
np.place({t}, {tm}, {c})
np.putmask({t}, {tm}, {c})
np.put_along_axis({t}, np.argsort({c}, axis=0), {n}, axis=0)
np.put_along_axis({t}, np.argsort({c}, axis=0, kind="stable"), {c}, axis=0)
np.fill_diagonal({t}, {s})
np.fill_diagonal({t}, {n})
np.cumsum({z}, axis=0, out={t})
np.cumsum({t}, axis=0, out={t})
np.cumprod({z}, axis=-1, out={t})
np.sum({t}, axis=0, out={t}[0])
np.max({c}, axis=0, out={t}[-1])
np.take({c}, [0, 1, 1], axis=0, out={t}[:3])
np.concatenate([{c}[:1], {c}[1:]], out={t})
np.stack([{c}[0], {c}[0]], out={t}[:2])
np.matmul({c}, {c}.T, out={t})
np.dot({c}, {c}.T, out={t})
np.einsum("ij,ij->ij", {c}, {c}, out={t})
np.negative({t}, out={t}[::-1])
np.nan_to_num({t}, copy=False)
np.round({t}, 1, out={t})
np.add.accumulate({z}, out={t})
np.mean({c}, axis=0, out={t}[0])
np.modf({u}, {t})
np.divide(1.0, {u} * {u} + 1.0, out={t})
""".strip().split("\n")

# Blocks of several lines; {r} is a new variable.
BLOCKS = [block.replace("\\n", "\n") for block in r"""
for i in range(1, {t}.shape[0]):\n    {t}[i] = {t}[i - 1] * {n} + {t}[i]
for i in range({t}.shape[0] - 1):\n    {t}[i + 1] += np.sin({t}[i])
for i in range(3):\n    {t} = {t} * {n} + {u}
for i in range(3):\n    {t}[...] = np.tanh({t}) + {u}
{r} = np.zeros({l})\nfor i in range({l}):\n    {r}[i] = ({a}[i] * {n}).sum()
{r} = np.zeros({l})\nfor i, row in enumerate({a}):\n    {r}[i] += (row * row).mean()
{r} = 0.0\nfor row in {a}:\n    {r} = {r} + row[..., ::-1].sum() * {n}
{r} = []\nfor row in {a}:\n    {r}.append(np.sin(row))\n{r} = np.stack({r})
{r} = {a}.copy()\nfor i in range(2):\n    {r}[i] = {r}[i - 1] + {b}.sum()
if float({a}.sum().real) > {n}:\n    {r} = {a} * 2\nelse:\n    {r} = np.sin({a})
if {a}.mean().real > {n}:\n    {t} += {s}\n    {r} = {t} * 1\nelse:\n    {r} = {t} - {s}
{r} = {a}\nwhile float(np.abs({r}).max()) > 1:\n    {r} = {r} * 0.5
{r} = 0\nwhile {r} < {l} and bool({a}[{r}].sum().real < {n}):\n    {r} += 1\n{r} = {a}[:{r} + 1] * {n}
def h(t):\n    return np.sin(t) * {s} + t\n{r} = h({a}) + h({b})
def h(t):\n    t[...] = t * {s}\n    return t\n{r} = h({a}.copy())
def h(t, scale={s}):\n    return scale * t * t\n{r} = h({a}, scale={n}) - h({b})
h = lambda t: {t} + t\n{t}[...] = h({s})\n{r} = h({s})
try:\n    {t}[100] = {s}\nexcept IndexError:\n    {r} = {t} * {n}
try:\n    {r} = {a}.reshape(7, 11)\nexcept ValueError:\n    {r} = {a} * {s}
try:\n    {t} += np.ones(13)\nexcept ValueError:\n    {t} *= 0.5
{r} = {t}[1:]\n{t}[...] *= {n}\n{r} = {r} * 2
{r} = {t}[::2]\n{r} *= {s}
{r} = {t}.T\n{r} += {s}\n{r}[0] = {n}
{r} = {t}.reshape(-1)\n{r}[1:] *= {r}[:-1].copy()
{r} = {t}[None, ..., 0]\n{r}[...] = {n} * {r}
{r} = {t}.real\n{r}[...] = {r} * {n}
{r} = {t}.imag\n{t} *= {n}\n{r} = {r} + 0.5
{r}, {t} = {t}, {a} * {n}
{r} = {t}\n{r} += {s}
{r} = {t}.diagonal()\n{t} += {s}\n{r} = {r} * {n}
{r} = np.broadcast_to({t}[:1], {t}.shape)\n{t} *= {n}\n{r} = {r} + {t}
{r} = np.lib.stride_tricks.sliding_window_view({t}, 2, axis=0)\n{t} -= {s}\n{r} = {r}[..., 1] * 2
{r} = {tm}\n{t}[{r}] = {s}\n{r}[0] = True\n{t}[{r}] *= {n}
{r} = np.argsort({v})\n{r}[0] = 0\n{r} = {v}[{r}]
{r} = np.empty(({l}, 2))\n{r}[:, 0] = {a}[..., 0] if {a}.ndim > 1 else {a}\n{r}[:, 1] = {n}
{r} = np.zeros((2, {l}), {a}.dtype)\n{r}[0], {r}[1] = {a}.reshape({l}, -1)[:, 0], {n}\n{r} = {r}.T
{r} = np.zeros({a}.shape, complex)\n{r}.real = {a}.real\n{r}.imag = {b}.real\n{r} = np.abs({r} + 2) ** 2
{r} = {t}[1:-1]\n{r} -= {t}[:-2] * {n}\n{r} = {r} + {t}[2:]
with np.errstate(all="ignore"):\n    {r} = np.sqrt(np.abs({a}) + 0.1)
{r} = [{a}, {b}]\n{r}[0] = {r}[0] * {r}[1]\n{r} = {r}[0]
{r} = {"k": {a}}\n{r}["k"] = {r}["k"] * {n}\n{r} = {r}["k"]
for t in np.nditer({a}):\n    pass\n{r} = {a} * {n}
{r} = np.stack([{t}, {t}])\n{r}[0] *= {n}\n{r}[1, ...] += {r}[0]
{r} = {a}.flat\n{r} = {r}[0] * {n} + {r}[-1]
{r} = {t}.flat\n{r}[0] = {s}\n{r} = {t} * {n}
{t}[...], {r} = {t} * {n}, {t}[0]
""".strip().split("\n")]

# Without a derivative at the time of writing: an error that says so, or what differences say.
WITHOUT = """
np.vectorize(lambda t: float(str(t)))({a})
np.logaddexp.reduce({a}, axis={x})
np.subtract.reduce({a}, axis={x})
np.maximum.accumulate({a}, axis={x})
np.minimum.accumulate({a})
np.subtract.accumulate({a})
np.add.reduceat({v}, [0, 2])
np.multiply.reduceat({v}, [0, 1])
np.special.gamma({a} * {a} + 1)
np.special.gammaln({a} * {a} + 1)
np.fft.fft({v}).real
np.abs(np.fft.rfft({v}))
np.linalg.inv({q} @ {q}.T + 2 * np.eye({q}.shape[0]))
np.linalg.solve({q} @ {q}.T + 2 * np.eye({q}.shape[0]), {q}[:, 0])
np.linalg.det({q} @ {q}.T + np.eye({q}.shape[0]))
np.linalg.slogdet({q} @ {q}.T + np.eye({q}.shape[0]))[1]
np.linalg.cholesky({q} @ np.conj({q}).T + np.eye({q}.shape[0]))
np.linalg.eigvalsh({q} @ np.conj({q}).T)
np.linalg.svd({q})[1]
np.linalg.norm({q}, 2)
np.linalg.pinv({q})
np.linalg.qr({q})[1]
np.linalg.lstsq({q}, {q}[:, 0])[0]
np.linalg.cond({q} @ {q}.T + np.eye({q}.shape[0]))
np.polyfit(np.arange({v}.size), {v}, 1)
np.roots([1.0, -{p} - 3, {s} * 0.01 + 1]).real
np.convolve({v}, {w}).astype("c16").view("f8")
{a}.astype("c16").view("f8")
{a}.astype("f8").view("c16").real
np.multiply.at({t}, [0, 1], {s})
np.maximum.at({t}, [0, 1], {s})
np.histogram({v}, weights={w})[0]
np.digitize({v}, [0.0, 0.5]) * {s}
np.random.default_rng(1).normal({a}, 1.0)
np.random.default_rng(1).uniform(0.0, {a}.real ** 2 + 1)
np.random.default_rng(1).permutation({a})
np.random.default_rng(1).choice({v}, 2)
np.frompyfunc(lambda t: t * t, 1, 1)({v}).astype("f8")
np.fromfunction(lambda i: {s} * i, (3,))
np.setdiff1d({v}, {w}[:1])
np.union1d({v}, {w})
np.intersect1d({v}, {v})
np.lexsort([{v}]) * {s}
np.sort_complex({v}).real
np.spacing({a}) * {b}
np.nextafter({a}, {b})
np.poly({v})
np.polydiv({v}, {w}[:2] + 2)[0]
np.polynomial.polynomial.polyval(0.3, {v})
np.polynomial.Polynomial({v})(0.3)
np.poly1d({v})(0.3)
np.require({a}, requirements="C") * 2
np.from_dlpack({a}.copy()) * 2
np.lib.stride_tricks.as_strided({v}, (2,), (0,)) * {n}
np.fft.fftshift({v})
np.kaiser(4, {n}) * {s}
np.einsum("i,i", {v}, {w}, optimize=True)
np.nanmedian({a})
np.nanquantile({a}, 0.4)
np.histogram2d({v}, {w}, bins=2, weights={v})[0]
np.apply_over_axes(np.sum, {a}, [0])
np.isin({a}, {b}) * {b}
np.real_if_close({a})
np.emath.sqrt({a})
np.emath.log({a} * {a} + 1)
np.packbits({m}) * {s}
np.put_along_axis({t}, np.argsort({t}, axis=0), {t}, 0)
{a}.dot({w})
{a}.trace() * {n}
{a}.byteswap().byteswap()
np.asarray({a}, dtype="f4") * 2
np.add.reduce([{v}, {w}])
np.copy({a}, subok=True)
np.mean([{s}, {s}, {n}])
np.max([{v}, {w}], axis=0)
np.sum([t for t in {v}])
np.concatenate([[{s}], {v}, [1.0, {s}]])
np.where({m}, [{s}], {a})
np.interp({v}, [0.0, 1.0], [{s}, {s} * 2])
""".strip().split("\n")

STATEMENTS_WITHOUT = ("np.multiply.at", "np.maximum.at", "np.put_along_axis", "np.add.at")
