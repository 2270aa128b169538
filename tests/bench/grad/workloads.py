"""The workloads: data, which arguments are differentiated, the figure to reach, and other forms of the function."""
import numpy as np

from . import functions as f


class Gradient:
    """One row. `function(xp, *inputs, **options)` is real and 0-D; of inputs those of `argnums` are differentiated.

    `kind`: value_and_grad; hvp, where the last input is the direction; vmap_grad, over the first axis of the first
    input. `forms` has, by an engine's name, another form of the function, or None where the engine can't say it.
    `sizes` goes to make(rng, **sizes); `steps` in it goes to the function instead. `reach`: CPU time over that of
    the best peer that is asked for; `limit`: milliseconds or microseconds a call. `memory`: that of the loop is measured.
    """

    def __init__(self, name, title, function, make, sizes, small, argnums=(0,), kind="value_and_grad", unit="ms",
                 reach=None, limit=None, rtol=1e-9, memory=False, **forms):
        self.name, self.title, self.function, self.maker, self.argnums = name, title, function, make, argnums
        self.sizes, self.small, self.kind, self.unit, self.reach, self.limit = sizes, small, kind, unit, reach, limit
        self.rtol, self.memory, self.forms, self.options = rtol, memory, forms, {}

    def make(self, rng, small=False) -> list:
        """The inputs as NumPy arrays; options of the function are set alike."""
        sizes = dict(self.small if small else self.sizes)
        self.options = {"steps": sizes.pop("steps")} if "steps" in sizes else {}
        return self.maker(rng, **sizes)

    def form(self, engine):
        return self.forms.get(engine, self.function)


def uniform(*bounds):
    return lambda rng, n: [rng.uniform(low, high, n) for low, high in bounds]


def normals(rng, *shapes_and_deviations, dtype=np.float32):
    return [rng.normal(0, deviation, shape).astype(dtype) for shape, deviation in shapes_and_deviations]


def mlp_data(rng, inputs, hidden, outputs, batch):
    return normals(rng, ((inputs, hidden), .05), (hidden, .05), ((hidden, outputs), .05), (outputs, .05),
                   ((batch, inputs), 1), ((batch, outputs), .3))


def gmm_data(rng, d, k, n):
    places, at = np.zeros((d, d), np.int64), d
    for column in range(d):
        places[column + 1:, column] = np.arange(at, at + d - column - 1)
        at += d - column - 1
    arrays = normals(rng, (k, 1), ((k, d), 1), ((k, at), .3), ((n, d), 1), dtype=np.float64)
    return [*arrays, places, np.tri(d, k=-1), np.eye(d)]


def lstm_data(rng, steps_in, batch, inputs, hidden):
    return normals(rng, ((inputs, 4 * hidden), .1), ((hidden, 4 * hidden), .1), (4 * hidden, .01),
                   ((steps_in, batch, inputs), 1), ((batch, hidden), .1), ((batch, hidden), .1))


def logistic_data(rng, n, d):
    return [rng.normal(0, .1, d), np.array(.1), rng.normal(0, 1, (n, d)), np.sign(rng.normal(0, 1, n))]


def logistic_hvp_data(rng, n, d):
    w, _, x, y = logistic_data(rng, n, d)
    return [w, x, y, rng.normal(0, 1, d)]


def convolution_data(rng, n):
    return normals(rng, ((3, 3), .3), ((n, n), 1), ((n - 2, n - 2), 1), dtype=np.float64)


def gray_scott_data(rng, n):
    return [1 + .01 * rng.uniform(0, 1, (n, n)), .1 * rng.uniform(0, 1, (n, n))]


def batch_data(rng, n):
    return [rng.normal(0, 1, (n, 3)), rng.normal(0, 1, (3, 3))]


LSTM = {"batch": 32, "inputs": 64, "hidden": 128}
SMALL_LSTM = {"batch": 3, "inputs": 4, "hidden": 5}
GRAY_SCOTT = {"n": 256, "steps": 200}
SMALL_GRAY_SCOTT = {"n": 9, "steps": 6}

WORKLOADS = [
    Gradient("chain_10", "sum of sin(x)*exp(-x*x)+tanh(x), 10 elements", f.chain, uniform((-1, 1)), {"n": 10}, {"n": 5},
             unit="us", limit=3),
    Gradient("chain", "sum of sin(x)*exp(-x*x)+tanh(x), 1e6 float64", f.chain, uniform((-1, 1)), {"n": 10**6},
             {"n": 50}, reach=.4),
    Gradient("black_scholes", "Black-Scholes and 4 greeks, 1e6 float64", f.black_scholes,
             uniform((50, 150), (.1, .6), (0, .05), (.1, 2), (50, 150)), {"n": 10**6}, {"n": 20}, (0, 1, 2, 3), reach=.6),
    Gradient("mlp", "MLP 784-256-10, batch 128, float32", f.mlp, mlp_data,
             {"inputs": 784, "hidden": 256, "outputs": 10, "batch": 128},
             {"inputs": 7, "hidden": 5, "outputs": 3, "batch": 4}, (0, 1, 2, 3), reach=.7, rtol=1e-4),
    Gradient("gmm", "ADBench's GMM, d 10, k 25, n 1000, float64", f.gmm, gmm_data, {"d": 10, "k": 25, "n": 1000},
             {"d": 3, "k": 4, "n": 20}, (0, 1, 2), reach=.8),
    Gradient("lstm_1", "LSTM 64-128, batch 32, 1 step, float32", f.lstm, lstm_data, {"steps_in": 1, **LSTM},
             {"steps_in": 1, **SMALL_LSTM}, (0, 1, 2), reach=.8, rtol=1e-4),
    Gradient("lstm_20", "LSTM 64-128, batch 32, 20 steps, float32", f.lstm, lstm_data, {"steps_in": 20, **LSTM},
             {"steps_in": 4, **SMALL_LSTM}, (0, 1, 2), reach=.3, rtol=1e-4, jax=f.lstm_jax),
    Gradient("logistic", "logistic regression, 1e5x50 float64", f.logistic, logistic_data, {"n": 10**5, "d": 50},
             {"n": 30, "d": 4}, (0, 1), reach=.3),
    Gradient("logistic_hvp", "Hessian of logistic regression times a vector, 1e5x50", f.logistic_of_weights, logistic_hvp_data,
             {"n": 10**5, "d": 50}, {"n": 30, "d": 4}, kind="hvp", reach=.4),
    Gradient("convolution", "3x3 convolution by slices, 1000x1000 float64", f.convolution, convolution_data, {"n": 1000},
             {"n": 7}, (0, 1), reach=.1),
    Gradient("gray_scott_rolls", "200 Gray-Scott steps by roll, 256x256 float64", f.gray_scott_rolls, gray_scott_data,
             GRAY_SCOTT, SMALL_GRAY_SCOTT, (0, 1), reach=.3, memory=True, jax=f.looped_jax(f.roll_step)),
    Gradient("gray_scott_stores", "200 Gray-Scott steps by stores, 256x256 float64", f.gray_scott_stores,
             gray_scott_data, GRAY_SCOTT, SMALL_GRAY_SCOTT, (0, 1), reach=.3, memory=True,
             jax=f.looped_jax(f.store_step_jax), torch=f.looped(f.store_step_torch),
             torch_eager=f.looped(f.store_step_torch), autograd=f.looped(f.store_step_autograd),
             mlx=f.looped(f.store_step, lambda x: x + 0)),
    Gradient("vmap_grad", "vmap(grad) of sum(tanh(a @ x)), 1e5 x 3 float64", f.batched, batch_data, {"n": 10**5},
             {"n": 6}, kind="vmap_grad", reach=.9, autograd=f.batched_autograd),
]
