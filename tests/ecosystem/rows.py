"""What libraries do with numjit's arrays: a row each, which is run with NumPy's arrays as well and has to give the same.

A row is a function of the module whose arrays it makes (`xp`), under @row(library, package, what the table of docs/python.md says,
what goes through numpy.asarray). It gives arrays, numbers and text, or bytes of a picture.
"""
import io
import os
import tempfile
from typing import Callable, NamedTuple

import numpy


class Row(NamedTuple):
    library: str
    package: str
    what: str
    through: str  # what a library takes of NumPy's own class only
    run: Callable


ROWS = []


def row(library, package, what, through=""):
    def keep(function):
        ROWS.append(Row(library, package, what, through, function))
        return function
    return keep


def drawn(draw):
    """The pixels that draw(axes) gives."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    figure = Figure(figsize=(3, 2), dpi=50)
    canvas = FigureCanvasAgg(figure)
    draw(figure.add_subplot())
    canvas.draw()
    return bytes(canvas.buffer_rgba())


# --- matplotlib -----------------------------------------------------------------------------------

@row("matplotlib", "matplotlib", "`plot`, `fill_between`, `errorbar`")
def matplotlib_lines(xp):
    x = xp.linspace(0, 6, 30)
    return drawn(lambda ax: (ax.plot(x, xp.sin(x)), ax.fill_between(x, xp.cos(x), 0), ax.errorbar(x[::5], x[::5] / 6, xp.ones(6) / 5)))


@row("matplotlib", "matplotlib", "`bar`, `barh`, `hist`, `scatter`")
def matplotlib_bars(xp):
    h = xp.arange(1, 6)
    return drawn(lambda ax: (ax.bar(h, h), ax.barh(h, h * 2), ax.hist(xp.sqrt(h)), ax.scatter(h, h, c=h, s=h * 10)))


@row("matplotlib", "matplotlib", "`imshow`, `pcolormesh`, `contour`, `quiver`")
def matplotlib_images(xp):
    y, x = xp.mgrid[0:8, 0:10]
    z = xp.sin(x / 2) * y
    return drawn(lambda ax: (ax.imshow(z), ax.contour(x, y, z), ax.quiver(x, y, z, z), ax.pcolormesh(x[:3, :3], y[:3, :3], z[:2, :2])))


# --- pandas ---------------------------------------------------------------------------------------

@row("pandas", "pandas", "columns, Series and an index of arrays, `to_numpy`, arithmetic with arrays")
def pandas_columns(xp):
    import pandas as pd
    df = pd.DataFrame({"a": xp.arange(4), "b": xp.linspace(0, 1, 4)}, index=xp.arange(10, 14))
    s = pd.Series(xp.array([1, 2], xp.float32))
    return (str(df.dtypes.to_dict()), df.to_numpy(), str(s.dtype), df.index.to_numpy(), (df["a"] + xp.ones(4)).to_numpy(),
            xp.asarray(df["b"].to_numpy()) * 2)


@row("pandas", "pandas", "masks: `where`, `mask`, `isin`", "`df[mask]`, `df.loc[mask]`")
def pandas_masks(xp):
    import pandas as pd
    df = pd.DataFrame({"a": xp.arange(6), "b": xp.arange(6) ** 2})
    mask = xp.asarray(df["a"].to_numpy()) % 2 == 0
    plain = numpy.asarray(mask)
    return (df[plain].to_numpy(), df.loc[plain].to_numpy(), df["a"].where(mask, -1).to_numpy(), df["b"].mask(mask, 0).to_numpy(),
            df["a"].isin(xp.array([1, 2])).to_numpy())


@row("pandas", "pandas", "`groupby` of a column, `fillna`, `cut`, elements stored", "`groupby(keys)` by an array")
def pandas_groups(xp):
    import pandas as pd
    keys, values = xp.array([0, 1, 0, 1]), xp.array([1.0, xp.nan, 3.0, 4.0])
    df = pd.DataFrame({"k": keys, "v": values})
    df["w"] = df["v"].fillna(xp.nanmean(values)) * xp.arange(4)
    df.loc[0, "v"] = values[2]
    return (df.groupby("k").mean().to_numpy(), df.to_numpy(), pd.Series(values).groupby(numpy.asarray(keys)).sum().to_numpy(),
            str(df.dtypes.to_dict()), pd.cut(xp.array([1.0, 5.0]), xp.array([0.0, 2.0, 6.0])).codes)


# --- SciPy ----------------------------------------------------------------------------------------

@row("SciPy", "scipy", "ufuncs of `scipy.special`, on the same memory")
def scipy_special(xp):
    from scipy import special
    x = xp.linspace(0.1, 3, 5)
    out = xp.empty(5)
    special.gamma(x, out=out)
    return special.erf(x), special.jv(1, x), special.logsumexp(x), out, type(special.expit(x)).__module__.split(".")[0] == xp.__name__


@row("SciPy", "scipy", "`optimize`, `integrate`, `interpolate`")
def scipy_optimize(xp):
    from scipy import integrate, interpolate, optimize
    found = optimize.minimize(lambda p: xp.sum((p - xp.array([1.0, 2.0])) ** 2), xp.zeros(2))
    path = integrate.solve_ivp(lambda t, y: -y * xp.array([1.0, 2.0]), (0, 1), xp.ones(2), t_eval=xp.linspace(0, 1, 3))
    line, _ = optimize.curve_fit(lambda x, a, b: a * x + b, xp.arange(5.0), xp.arange(5.0) * 2 + 1)
    spline = interpolate.CubicSpline(xp.arange(5), xp.arange(5) ** 2)(xp.array([0.5, 1.5]))
    return found.x.round(4), path.y.round(6), line.round(6), spline


@row("SciPy", "scipy", "`linalg`, `sparse`, `fft`, `signal`, `ndimage`, `stats`")
def scipy_arrays(xp):
    from scipy import fft, linalg, ndimage, signal, sparse, stats
    a = xp.array([[4.0, 1.0], [1.0, 3.0]])
    csr = sparse.csr_array(a)
    return (linalg.solve(a, xp.ones(2)), linalg.expm(a), csr @ xp.ones(2), csr.toarray(), fft.dct(a), signal.convolve(xp.ones(4), a[0]),
            ndimage.gaussian_filter(xp.eye(5), 1), stats.norm.cdf(xp.arange(3)), stats.ttest_ind(xp.arange(5), xp.arange(5) + 1).pvalue)


# --- scikit-learn ---------------------------------------------------------------------------------

@row("scikit-learn", "scikit-learn", "`fit`, `predict`, `transform` of estimators")
def sklearn_models(xp):
    from sklearn import cluster, decomposition, ensemble, linear_model
    x = xp.random.default_rng(0).normal(size=(60, 3))
    y = (x[:, 0] + x[:, 1] > 0).astype(int)
    line = linear_model.LinearRegression().fit(x, x @ xp.array([1.0, 2.0, 3.0]))
    return (line.coef_.round(6), linear_model.LogisticRegression().fit(x, y).predict(x),
            cluster.KMeans(3, random_state=0, n_init=1).fit(x).labels_, decomposition.PCA(2).fit_transform(x),
            ensemble.RandomForestClassifier(5, random_state=0).fit(x, y).predict_proba(x))


@row("scikit-learn", "scikit-learn", "pipelines, splits, metrics, cross validation")
def sklearn_pipelines(xp):
    from sklearn import metrics, model_selection, pipeline, preprocessing, svm
    x = xp.random.default_rng(1).normal(size=(60, 3))
    y = (x[:, 0] > 0).astype(int)
    train, test, *_ = model_selection.train_test_split(x, random_state=0)
    model = pipeline.make_pipeline(preprocessing.StandardScaler(), svm.SVC())
    return (train, test, model_selection.cross_val_score(model, x, y), metrics.confusion_matrix(y, model.fit(x, y).predict(x)),
            preprocessing.OneHotEncoder().fit_transform(y[:, None]).toarray())


# --- others ---------------------------------------------------------------------------------------

@row("xarray", "xarray", "`DataArray`, `Dataset`, `sel`, `mean`, `groupby`; ufuncs keep labels", "coordinates of `interp`")
def xarray_labels(xp):
    import xarray as xr
    a = xr.DataArray(xp.arange(6.0).reshape(2, 3), dims=("t", "x"), coords={"t": xp.array([10, 20]), "x": xp.arange(3)})
    d = xr.Dataset({"a": a})
    return (a.mean("t").values, str(xp.sin(a).dims), a.sel(t=20).values, d.groupby("x").sum().a.values, (a * xp.ones(3)).values,
            a.interp(x=numpy.asarray(xp.array([0.5]))).values)


@row("h5py", "h5py", "datasets, slices and attributes, written and read", "`read_direct`")
def h5py_files(xp):
    import h5py
    with tempfile.TemporaryDirectory() as folder, h5py.File(os.path.join(folder, "x.h5"), "w") as file:
        made = file.create_dataset("a", data=xp.arange(6.0).reshape(2, 3), chunks=True)
        made[0] = xp.ones(3)
        made.attrs["scale"] = xp.array([1, 2])
        out = xp.empty((2, 3))
        made.read_direct(numpy.asarray(out))
        return made[:], out, made.attrs["scale"], str(made.dtype)


@row("Pillow", "pillow", "`Image.fromarray`, `np.asarray(image)`")
def pillow_images(xp):
    from PIL import Image
    pixels = (xp.arange(48) % 256).astype(xp.uint8).reshape(4, 4, 3)
    image = Image.fromarray(pixels)
    written = io.BytesIO()
    image.save(written, "png")
    return image.tobytes(), xp.asarray(image.rotate(90)) + 1, xp.array(Image.open(io.BytesIO(written.getvalue())))


@row("joblib", "joblib", "`Parallel`, `Memory`, `dump` and `load`")
def joblib_jobs(xp):
    import joblib
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.joblib")
        joblib.dump({"a": xp.arange(5.0)}, path)
        memory = joblib.Memory(folder, verbose=0).cache(sum_of_squares)
        return (joblib.load(path)["a"], memory(xp.arange(4.0)), memory(xp.arange(4.0)),
                joblib.hash(xp.arange(3)) == joblib.hash(xp.arange(3)),
                joblib.Parallel(2, prefer="threads")(joblib.delayed(sum_of_squares)(xp.arange(n)) for n in range(3)))


def sum_of_squares(x):
    return float((x * x).sum())


@row("Dask", "dask", "`from_array`, arrays as chunks, `map_blocks`, reductions")
def dask_chunks(xp):
    import dask.array as da
    x = da.from_array(xp.arange(24.0).reshape(4, 6), chunks=(2, 3), asarray=False)
    kept = type(x.blocks[0, 0].compute()).__module__.split(".")[0]
    return (kept == xp.__name__, x.sum(axis=0).compute(), (x + 1).mean().compute(),
            da.map_blocks(lambda b: b * 2, x, dtype=float).compute(),
            (x @ x.T).compute(), da.overlap.overlap(x, 1, "reflect").compute(), xp.sin(x).sum().compute())


@row("JAX", "jax", "`jax.numpy.asarray`, and both ways by DLPack")
def jax_arrays(xp):
    import jax
    import jax.numpy as jnp
    a = jnp.asarray(xp.arange(6, dtype=xp.float32).reshape(2, 3))
    return jax.jit(lambda x: x.sum(axis=1))(a), xp.from_dlpack(a * 2), jnp.from_dlpack(xp.ones(3, dtype=xp.float32)), xp.asarray(a)


@row("PyTorch", "torch", "`torch.from_dlpack`, `torch.as_tensor`, and back, on the same memory")
def torch_tensors(xp):
    import torch
    a = xp.arange(6.0).reshape(2, 3)
    t = torch.from_dlpack(a)
    t += 1
    return a, xp.from_dlpack(t.T.contiguous()), torch.as_tensor(a).sum().item(), xp.asarray(t)
