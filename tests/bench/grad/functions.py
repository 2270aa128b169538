"""What is differentiated: plain functions over NumPy's words, and other forms where an engine needs them."""
import math


def chain(xp, x):
    return xp.sum(xp.sin(x) * xp.exp(-x * x) + xp.tanh(x))


def black_scholes(xp, spot, volatility, rate, time, strike):
    """The sum of call prices: its gradient has delta, vega, rho and minus theta of each."""
    deviation = volatility * xp.sqrt(time)
    d1 = (xp.log(spot / strike) + (rate + 0.5 * volatility * volatility) * time) / deviation
    d2 = d1 - deviation
    return xp.sum(spot * normal_cdf(xp, d1) - strike * xp.exp(-rate * time) * normal_cdf(xp, d2))


def normal_cdf(xp, x):
    return 0.5 + 0.5 * xp.erf(x * 0.7071067811865476)


def mlp(xp, w1, b1, w2, b2, x, labels):
    z = xp.matmul(xp.tanh(xp.matmul(x, w1) + b1), w2) + b2
    return xp.sum(xp.log(xp.sum(xp.exp(z), axis=1)) - xp.sum(z * labels, axis=1)) / x.shape[0]


def log_sum_exp(xp, x):
    """Over the first axis."""
    top = xp.max(x, axis=0)
    return top + xp.log(xp.sum(xp.exp(x - top), axis=0))


def gmm(xp, alphas, means, factors, x, places, below, diagonal):
    """ADBench's objective: the log likelihood of points under a mixture, with a Wishart prior (gamma 1, m 0).

    A row of factors has the logarithms of the diagonal of an inverse Cholesky factor, then what lies below it;
    `places` says where in the row an element of the matrix stands.
    """
    (k, d), n = means.shape, x.shape[0]
    logs = factors[:, :d]
    lower = factors[:, places] * below
    inverse = lower + xp.exp(logs)[:, None, :] * diagonal
    y = xp.matmul(x[None] - means[:, None], xp.swapaxes(inverse, 1, 2))
    terms = (alphas + xp.sum(logs, axis=1))[:, None] - 0.5 * xp.sum(y * y, axis=2)
    fit = xp.sum(log_sum_exp(xp, terms)) - n * log_sum_exp(xp, alphas)
    prior = 0.5 * (xp.sum(xp.exp(logs) * xp.exp(logs)) + xp.sum(lower * lower))
    return fit + prior - 0.5 * n * d * math.log(2 * math.pi) - k * wishart_constant(d)


def wishart_constant(d):
    log_gamma = 0.25 * d * (d - 1) * math.log(math.pi) + sum(math.lgamma(0.5 * (d + 1 - i)) for i in range(d))
    return -0.5 * (d + 1) * d * math.log(2) - log_gamma


def sigmoid(xp, x):
    return 0.5 * (xp.tanh(0.5 * x) + 1.0)


def lstm_step(xp, w, u, b, x, h, c):
    z = xp.matmul(x, w) + xp.matmul(h, u) + b
    n = h.shape[1]
    c = sigmoid(xp, z[:, n:2 * n]) * c + sigmoid(xp, z[:, :n]) * xp.tanh(z[:, 3 * n:])
    return sigmoid(xp, z[:, 2 * n:3 * n]) * xp.tanh(c), c


def lstm(xp, w, u, b, xs, h, c):
    for t in range(xs.shape[0]):
        h, c = lstm_step(xp, w, u, b, xs[t], h, c)
    return xp.sum(h * h)


def lstm_jax(xp, w, u, b, xs, h, c):
    from jax import lax
    (h, _), _ = lax.scan(lambda s, x: (lstm_step(xp, w, u, b, x, *s), None), (h, c), xs)
    return xp.sum(h * h)


def logistic(xp, w, shift, x, y):
    margin = -y * (xp.matmul(x, w) + shift)
    loss = xp.maximum(margin, 0.0) + xp.log1p(xp.exp(-xp.abs(margin)))
    return xp.sum(loss) / x.shape[0] + 0.005 * xp.sum(w * w)


def logistic_of_weights(xp, w, x, y):
    return logistic(xp, w, 0.1, x, y)


def convolution(xp, kernel, image, target):
    rows, columns = target.shape
    y = sum(kernel[i, j] * image[i:i + rows, j:j + columns] for i in range(3) for j in range(3))
    error = xp.tanh(y) - target
    return xp.sum(error * error) / (rows * columns)


def batched(xp, x, a):
    """Of one example."""
    return xp.sum(xp.tanh(xp.matmul(a, x)))


def batched_autograd(xp, x, a):  # it has no vmap: its users differentiate the sum over examples
    return xp.sum(xp.tanh(xp.matmul(x, a.T)))


# ---- Gray-Scott: a step for each engine, and the loop around it ----

def rolled(xp, a):
    return xp.roll(a, 1, 0) + xp.roll(a, -1, 0) + xp.roll(a, 1, 1) + xp.roll(a, -1, 1) - 4.0 * a


def roll_step(xp, u, v):
    reaction = u * v * v
    return u + 0.16 * rolled(xp, u) - reaction + 0.035 * (1.0 - u), v + 0.08 * rolled(xp, v) + reaction - 0.1 * v


def sliced(a):
    return a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] - 4.0 * a[1:-1, 1:-1]


def inner_step(u, v):
    a, b = u[1:-1, 1:-1], v[1:-1, 1:-1]
    reaction = a * b * b
    return a + 0.16 * sliced(u) - reaction + 0.035 * (1.0 - a), b + 0.08 * sliced(v) + reaction - 0.1 * b


def store_step(xp, u, v):  # in place, as one writes it in NumPy
    u[1:-1, 1:-1], v[1:-1, 1:-1] = inner_step(u, v)
    return u, v


def store_step_jax(xp, u, v):
    a, b = inner_step(u, v)
    return u.at[1:-1, 1:-1].set(a), v.at[1:-1, 1:-1].set(b)


def store_step_torch(xp, u, v):  # backward needs the arrays that a store would overwrite
    a, b = inner_step(u, v)
    u, v = u.clone(), v.clone()
    u[1:-1, 1:-1], v[1:-1, 1:-1] = a, b
    return u, v


def store_step_autograd(xp, u, v):  # it has no stores: the frame stays, the inner part is put into it
    a, b = inner_step(u, v)
    frame = 1.0 - xp.pad([[1.0] * (u.shape[1] - 2)] * (u.shape[0] - 2), 1, "constant")
    return u * frame + xp.pad(a, 1, "constant"), v * frame + xp.pad(b, 1, "constant")


def looped(step, start=lambda x: x):
    """The function of a loop of steps; `start` makes what it may store into. An engine may compile the step only."""
    def run(xp, u, v, steps, step=step):
        u, v = start(u), start(v)
        for _ in range(steps):
            u, v = step(xp, u, v)
        return xp.sum(v * v)
    run.step = step
    return run


def looped_jax(step):
    from functools import partial

    def run(xp, u, v, steps):
        from jax import lax
        (_, v), _ = lax.scan(lambda s, _: (step(xp, *s), None), (u, v), length=steps)
        return xp.sum(v * v)
    return partial(run)


gray_scott_rolls = looped(roll_step)
gray_scott_stores = looped(store_step, lambda x: x.copy())
