"""The engines: one small adaptor each. A further one is a class with what Engine names, and a line in ENGINES.

prepare(workload, inputs) makes the function of derivatives and puts the data in place; call() computes once, to the
end; result() gives NumPy arrays: the value, if there is one, and the derivatives.
"""
import importlib.metadata
import importlib.util
import time

import numpy as np

from . import words


def flat(results) -> list:
    """Nested tuples and lists of arrays as one list."""
    if isinstance(results, (tuple, list)):
        return [leaf for r in results for leaf in flat(r)]
    return [results]


class Engine:
    name = module = ""
    words = None  # a function that gives them
    rtol = 0.0  # a tolerance of its own, where it computes with less than the dtype's precision

    def __init__(self, threads: int):
        self.threads, self.xp, self.cpu = threads, type(self).words(), []

    @classmethod
    def available(cls) -> bool:
        return importlib.util.find_spec(cls.module) is not None

    @classmethod
    def version(cls) -> str:
        return importlib.metadata.version(cls.module)

    # What a class gives: how an array is made, how a function is compiled, derivatives, and waiting for results.

    place = staticmethod(np.array)

    def compile(self, function):
        return function

    def ready(self, results):
        return results

    def place_all(self, workload, inputs) -> list:
        return [self.place(a) for a in inputs]

    def derivative(self, workload, function):
        """The function of all inputs that is measured."""
        made = getattr(self, workload.kind)
        made = made(function, workload.argnums) if workload.kind == "value_and_grad" else made(function)
        return self.compile(made)

    # What all share.

    def function(self, workload):
        """The workload as a function of its inputs only."""
        form, xp, options = workload.form(self.name), self.xp, workload.options
        return (lambda *inputs: form(xp, *inputs, **options)) if options else lambda *inputs: form(xp, *inputs)

    def prepare(self, workload, inputs) -> bool:
        if workload.form(self.name) is None:
            return False
        self.compute, self.inputs = self.derivative(workload, self.function(workload)), self.place_all(workload, inputs)
        self.cpu = []
        return True

    def call(self):
        return self.ready(self.compute(*self.inputs))

    def run(self, repeats: int) -> float:
        """Seconds per call; those of all threads go to `cpu`."""
        used, start = time.process_time(), time.perf_counter()
        for _ in range(repeats):
            self.last = self.call()
        seconds = time.perf_counter() - start
        self.cpu.append((time.process_time() - used) / repeats)
        return seconds / repeats

    def settle(self) -> None:
        """After the first calls: until all that compiles beside the program is there."""

    def report(self, workload) -> dict:
        """More about the workload than times, for the JSON."""
        return {}

    def result(self) -> list:
        return [np.asarray(r) for r in flat(self.last)]

    def release(self) -> None:
        self.compute = self.inputs = self.last = None


class Eager(Engine):
    """numjit, operation by operation."""
    name, module, words = "numjit_eager", "numjit", staticmethod(words.numjit_words)

    def __init__(self, threads: int):
        super().__init__(threads)
        import numjit
        self.nj = numjit
        self.place = numjit.array

    @classmethod
    def version(cls) -> str:
        return ""

    def value_and_grad(self, function, argnums):
        return self.nj.value_and_grad(function, argnums)

    def hvp(self, function):
        hvp = self.nj.hvp
        return lambda x, *rest: hvp(lambda x: function(x, *rest[:-1]), (x,), (rest[-1],))

    def vmap_grad(self, function):
        return self.nj.vmap(self.nj.grad(function), (0, None))


class Compiled(Eager):
    name = "numjit"

    def compile(self, function):
        return self.nj.compile(function)

    def settle(self) -> None:
        for _ in range(2):
            for _ in range(4):
                self.call()
            self.nj.wait_for_compiles()

    def report(self, workload) -> dict:
        told = self.nj.explain(self.compute)(*self.inputs)
        kernels = sum(len(g.kernels) * g.runs for g in told.graphs)
        return {"graphs": told.graph_count, "breaks": told.graph_break_count, "ops": told.op_count, "kernels": kernels,
                "peak_bytes": told.peak_bytes, "text": str(told)}


class Jax(Engine):
    name, module, words = "jax", "jax", staticmethod(words.jax_words)

    def __init__(self, threads: int):
        import jax
        jax.config.update("jax_enable_x64", True)
        super().__init__(threads)
        self.jax, self.place, self.ready, self.compile = jax, jax.device_put, jax.block_until_ready, jax.jit

    def value_and_grad(self, function, argnums):
        return self.jax.value_and_grad(function, argnums)

    def hvp(self, function):
        return lambda x, *rest: self.jax.jvp(self.jax.grad(lambda x: function(x, *rest[:-1])), (x,), (rest[-1],))[1]

    def vmap_grad(self, function):
        return self.jax.vmap(self.jax.grad(function), (0, None))


class TorchEager(Engine):
    name, module, words = "torch_eager", "torch", staticmethod(words.torch_words)

    def __init__(self, threads: int):
        super().__init__(threads)
        import torch
        torch.set_num_threads(threads)
        self.torch, self.place = torch, lambda a: torch.from_numpy(np.array(a))

    def place_all(self, workload, inputs) -> list:
        placed = super().place_all(workload, inputs)
        if workload.kind == "value_and_grad":
            for i in workload.argnums:
                placed[i].requires_grad_(True)
        return placed

    def value_and_grad(self, function, argnums):
        grad = self.torch.autograd.grad

        def compute(*inputs):
            value = function(*inputs)
            return value.detach(), grad(value, [inputs[i] for i in argnums])
        return compute

    def hvp(self, function):
        func = self.torch.func
        return lambda x, *rest: func.jvp(func.grad(lambda x: function(x, *rest[:-1])), (x,), (rest[-1],))[1]

    def vmap_grad(self, function):
        return self.torch.func.vmap(self.torch.func.grad(function), (0, None))

    def result(self) -> list:
        return [r.numpy() for r in flat(self.last)]


class Torch(TorchEager):
    """torch.compile: of the function that autograd differentiates, of the step of a long loop, or of the transform."""
    name = "torch"

    def derivative(self, workload, function):
        compiled = lambda f: self.torch.compile(f, dynamic=False)
        self.torch._dynamo.reset()
        if workload.kind != "value_and_grad":
            return compiled(getattr(self, workload.kind)(function))
        form = workload.form(self.name)
        if hasattr(form, "step"):  # the compiler would unroll the loop
            xp, options = self.xp, workload.options
            fast = compiled(lambda u, v: form.step(xp, u, v))
            step = lambda _, u, v: fast(u, v)
            return self.value_and_grad(lambda *inputs: form(xp, *inputs, step=step, **options), workload.argnums)
        return self.value_and_grad(compiled(function), workload.argnums)


class Autograd(Engine):
    name, module, words = "autograd", "autograd", staticmethod(words.autograd_words)

    def value_and_grad(self, function, argnums):
        import autograd
        return autograd.value_and_grad(function, argnums)

    def hvp(self, function):
        import autograd
        product = autograd.hessian_vector_product(function)
        return lambda x, *rest: product(x, *rest)

    def vmap_grad(self, function):
        import autograd
        return autograd.grad(function)


class Mlx(Engine):
    name, module, words = "mlx", "mlx", staticmethod(words.mlx_words)
    rtol = 1e-4  # exp, sin and erf of float64 are those of float32

    def __init__(self, threads: int):
        super().__init__(threads)
        import mlx.core as mx
        mx.set_default_device(mx.cpu)
        self.mx, self.compile = mx, mx.compile
        self.place = lambda a: mx.array(a, dtype=getattr(mx, a.dtype.name))

    def ready(self, results):
        self.mx.eval(results)
        return results

    def value_and_grad(self, function, argnums):
        return self.mx.value_and_grad(function, argnums)

    def hvp(self, function):
        mx = self.mx
        return lambda x, *rest: mx.jvp(mx.grad(lambda x: function(x, *rest[:-1])), [x], [rest[-1]])[1]

    def vmap_grad(self, function):
        return self.mx.vmap(self.mx.grad(function), (0, None))

    def result(self) -> list:
        return [np.array(r) for r in flat(self.last)]


NUMJIT = [Compiled, Eager]
PEERS = [Jax, TorchEager, Torch, Autograd, Mlx]
