"""The peers: one small adapter each. A further one is a class with `name`, `prepare`, `call` and a line in PEERS.

prepare(workload, inputs) makes the function ready (compiled, data in place) and returns False if the peer has
no way to compute it; call() computes once, to the end; array(result) gives its NumPy array.
"""
import importlib.util
import time

import numpy as np

from workloads import distinct, heat_interior

COLD_SIZE = 1000


class Peer:
    name = module = ""

    def __init__(self, threads: int):
        self.threads = threads

    @classmethod
    def available(cls) -> bool:
        return importlib.util.find_spec(cls.module) is not None

    def run(self, repeats: int) -> float:
        """Seconds per call."""
        start = time.perf_counter()
        for _ in range(repeats):
            self.last = self.call()
        return (time.perf_counter() - start) / repeats

    def result(self):
        return np.asarray(self.last)

    def cold(self, i: int, a, b):
        """Seconds of the first call of the i-th distinct function, or None without a compiler."""
        return None

    start_program = None  # Python text: computes the first expression in a fresh process


class NumPy(Peer):
    name = module = "numpy"
    start_program = ("import numpy as np\na = np.linspace(0.5, 2, 1000); b = np.linspace(1, 3, 1000)\n"
                     "print(repr(float((a * b + np.sqrt(a) - b / (1 + a))[999])))")

    def prepare(self, workload, inputs) -> bool:
        inputs = [a.copy() for a in inputs]
        self.call = lambda: workload.function(np, *inputs)
        return True


class NumExpr(Peer):
    name = module = "numexpr"
    CDF = "1 / (1 + exp(-1.5976 * {0} - 0.07056 * {0} * {0} * {0}))"
    D1 = "((log(s / k) + 0.065 * t) / (0.3 * sqrt(t)))"
    D2 = "(" + D1 + " - 0.3 * sqrt(t))"
    CHAIN = "a * b + sqrt(a) - b / (1 + a)"

    def prepare(self, workload, inputs) -> bool:
        import numexpr as ne
        ne.set_num_threads(self.threads)
        x = [a.copy() for a in inputs]
        name = workload.name
        evaluate = ne.evaluate
        if name in ("chain", "small"):
            data = dict(zip("ab", x))
            self.call = lambda: evaluate(self.CHAIN, data)
        elif name == "black_scholes":
            text = f"s * ({self.CDF.format(self.D1)}) - k * exp(-0.02 * t) * ({self.CDF.format(self.D2)})"
            data = dict(zip("skt", x))
            self.call = lambda: evaluate(text, data)
        elif name == "row_sums":
            self.call = lambda: evaluate("sum(x, axis=1)", {"x": x[0]})
        elif name == "mean_square":
            data = dict(zip("xy", x))  # its own sum adds four million float32 one by one, which is too inaccurate
            self.call = lambda: np.mean(evaluate("(x - y) * (x - y)", data))
        elif name == "kmeans":
            data = {"p": x[0][:, None], "c": x[1][None]}
            self.call = lambda: np.argmin(evaluate("sum((p - c) * (p - c), axis=2)", data), axis=1)
        elif name == "heat":
            u, following = x
            data = {"c": u[1:-1, 1:-1], "n": u[:-2, 1:-1], "s": u[2:, 1:-1], "w": u[1:-1, :-2], "e": u[1:-1, 2:]}
            inner = following[1:-1, 1:-1]

            def step():
                evaluate("c + 0.1 * (n + s + w + e - 4 * c)", data, out=inner, casting="same_kind")
                return following
            self.call = step
        else:
            return False
        return True


class Jax(Peer):
    name, module = "jax", "jax"
    start_program = ("import jax, jax.numpy as np\njax.config.update('jax_enable_x64', True)\n"
                     "a = np.linspace(0.5, 2, 1000); b = np.linspace(1, 3, 1000)\n"
                     "f = jax.jit(lambda a, b: a * b + np.sqrt(a) - b / (1 + a))\nprint(repr(float(f(a, b)[999])))")

    def __init__(self, threads: int):
        super().__init__(threads)
        import jax
        import jax.numpy as jnp
        jax.config.update("jax_enable_x64", True)
        self.jax, self.jnp = jax, jnp

    def function(self, workload):
        if workload.name == "heat":  # arrays can't be written to: the step makes a new grid
            return lambda u, following: u.at[1:-1, 1:-1].set(heat_interior(u))
        return lambda *inputs: workload.function(self.jnp, *inputs)

    def prepare(self, workload, inputs) -> bool:
        inputs = [self.jax.device_put(a) for a in inputs]
        compiled = self.jax.jit(self.function(workload))
        self.call = lambda: compiled(*inputs).block_until_ready()
        return True

    def cold(self, i: int, a, b):
        compiled = self.jax.jit(lambda a, b: distinct(self.jnp, i, a, b))
        a, b = self.jax.device_put(a), self.jax.device_put(b)
        start = time.perf_counter()
        compiled(a, b).block_until_ready()
        return time.perf_counter() - start


PEERS = [NumPy, NumExpr, Jax]
