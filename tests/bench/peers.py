"""The peers: one small adapter each. A further one is a class with `name`, `prepare`, `call` and a line in PEERS.

prepare(workload, inputs) makes the function ready (compiled, data in place) and returns False if the peer has
no way to compute it; call() computes once, to the end; result() gives its NumPy arrays.
"""
import importlib.util
import time

import numpy as np

from workloads import distinct, distinct_source, listed

COLD_SIZE = 1000


class Peer:
    name = module = ""
    large = False  # asked for by --with-torch rather than --peers

    def __init__(self, threads: int):
        self.threads = threads

    @classmethod
    def available(cls) -> bool:
        return importlib.util.find_spec(cls.module) is not None

    @classmethod
    def version(cls) -> str:
        return importlib.import_module(cls.module).__version__

    def run(self, repeats: int) -> float:
        """Seconds per call."""
        start = time.perf_counter()
        for _ in range(repeats):
            self.last = self.call()
        return (time.perf_counter() - start) / repeats

    def result(self) -> list:
        return listed(self.last)

    def release(self) -> None:
        """Forgets data and results."""
        self.call = self.last = None

    def cold(self, i: int, a, b):
        """Seconds of the first call of the i-th distinct function, or None without a compiler."""
        return None

    start_program = None  # Python text: computes argv[1] functions in a fresh process, prints their sum's last element


# Twenty functions of which no two are equal, as warm_start.cpp has them. {0} imports np, {1} compiles f(a, b).
START = """{0}
import sys
def function(i, a, b):
    x = a * b + np.sqrt(a) - b / (1 + a)
    while i > 0:
        x = x * b + 0.5 if i % 2 else np.maximum(x, b) - 0.25
        i //= 2
    return x
def number(i):
    return {1}
a, b = np.linspace(0.5, 2, 1000), np.linspace(1, 3, 1000)
print(repr(sum(float(number(i)(a, b)[999]) for i in range(int(sys.argv[1])))))
"""


class NumPy(Peer):
    name = module = "numpy"
    start_program = START.format("import numpy as np", "lambda a, b: function(i, a, b)")

    def prepare(self, workload, inputs) -> bool:
        inputs, function = [a.copy() for a in inputs], workload.form("numpy")
        self.call = lambda: function(np, *inputs)
        return True


class NumExpr(Peer):
    name = module = "numexpr"

    def prepare(self, workload, inputs) -> bool:
        import numexpr as ne
        form = workload.forms.get("numexpr")
        if form is None:
            return False
        ne.set_num_threads(self.threads)
        inputs = [a.copy() for a in inputs]
        evaluate = lambda text, data, **more: ne.evaluate(text, data, **({"casting": "same_kind"} if more else {}), **more)
        self.call = lambda: form(evaluate, *inputs)
        return True


class Numba(Peer):
    name = module = "numba"

    def prepare(self, workload, inputs) -> bool:
        from numba_forms import FORMS
        function = FORMS.get(workload.name) or FORMS.get(workload.call)
        if function is None:
            return False
        inputs = [a.copy() for a in inputs]
        self.call = lambda: function(*inputs)
        return True

    def cold(self, i: int, a, b):
        import numba
        scope = {"sqrt": np.sqrt, "maximum": np.maximum}
        exec(distinct_source(i), scope)
        compiled = numba.njit(scope["f"])
        start = time.perf_counter()
        compiled(a, b)
        return time.perf_counter() - start


class Jax(Peer):
    name, module = "jax", "jax"
    start_program = START.format("import jax, jax.numpy as np\njax.config.update('jax_enable_x64', True)",
                                 "jax.jit(lambda a, b: function(i, a, b))")

    def __init__(self, threads: int):
        super().__init__(threads)
        import jax
        import jax.numpy as jnp
        jax.config.update("jax_enable_x64", True)
        self.jax, self.jnp = jax, jnp

    def prepare(self, workload, inputs) -> bool:
        function = workload.form("jax")
        if function is None:
            return False
        inputs = [self.jax.device_put(a) for a in inputs]
        compiled = lambda *in_: function(self.jnp, *in_)
        if workload.jit:
            compiled = self.jax.jit(compiled)
        self.call = lambda: self.jax.block_until_ready(compiled(*inputs))
        return True

    def cold(self, i: int, a, b):
        compiled = self.jax.jit(lambda a, b: distinct(self.jnp, i, a, b))
        a, b = self.jax.device_put(a), self.jax.device_put(b)
        start = time.perf_counter()
        compiled(a, b).block_until_ready()
        return time.perf_counter() - start


class Torch(Peer):
    name = module = "torch"
    large = True

    def __init__(self, threads: int):
        super().__init__(threads)
        import torch
        torch.set_num_threads(threads)
        torch._dynamo.config.cache_size_limit = 1000
        self.torch = torch

    def prepare(self, workload, inputs) -> bool:
        import torch_words
        from workloads.stencils import laplacian
        function = workload.form("torch")
        if function is None:
            return False
        self.torch._dynamo.reset()
        inputs = [self.torch.from_numpy(a.copy()) for a in inputs]
        if workload.call == "time_loop":  # the compiler would unroll 2,000 steps
            step = self.torch.compile(lambda u: u[1:-1, 1:-1].add_(0.1 * laplacian(u)), dynamic=False)

            def loop():
                u = inputs[0].clone()
                for _ in range(2000):
                    step(u)
                return u
            self.call = loop
        else:
            compiled = self.torch.compile(lambda *in_: function(torch_words, *in_), dynamic=False)
            self.call = lambda: compiled(*inputs)
        return True


PEERS = [NumPy, NumExpr, Numba, Jax, Torch]
