"""What derivatives add to an operation, in ns: chains of operations on 10 elements, by length."""
import importlib.util

import numpy as np

import measure
from overhead import best_of

SHORT, LONG, ROUNDS = 20, 120, 3
# name -> (title, limit): the figures asked for are those of a compiled function in mode rerun
TITLES = {
    "tape_eager": ("an eager operation on 10 elements", None),
    "tape_eager_forward": ("what a tape adds to an eager operation", None),
    "tape_eager_rule": ("the backward part of an eager operation", None),
    "tape_rerun": ("an operation of a compiled function, mode rerun", None),
    "tape_rerun_forward": ("what a tape adds to a compiled operation", 25),
    "tape_rerun_rule": ("the backward part of a compiled operation", 30),
}


def chain(operations, sin):
    def compute(x, y):
        z = x
        for _ in range(operations // 2):
            z = sin(z) * y
        return z.sum()
    return compute


def per_operation(make, *arrays) -> float:
    """ns: the slope over the length of the chain of make(length)."""
    return max(0.0, best_of(make(LONG), *arrays) - best_of(make(SHORT), *arrays)) / (LONG - SHORT)


def three(prefix, plain, forward, both, *arrays) -> dict:
    """Figures of a plain call, of one that keeps a tape, and of one that goes back as well."""
    a, b, c = (per_operation(make, *arrays) for make in (plain, forward, both))
    return {prefix: a, f"{prefix}_forward": max(0.0, b - a), f"{prefix}_rule": max(0.0, c - b)}


def numjit_figures(x, y) -> dict:
    import numjit as nj
    x, y = nj.array(x), nj.array(y)
    function = lambda n: chain(n, nj.sin)
    forward = lambda n: lambda x, y: nj.vjp(lambda x: function(n)(x, y), x)[0]
    both = lambda n: nj.value_and_grad(function(n))

    def ready(make):
        def made(n):
            compiled = nj.compile(make(n))
            for _ in range(2):
                for _ in range(4):
                    compiled(x, y)
                nj.wait_for_compiles()
            return compiled
        return made
    return {**three("tape_eager", function, forward, both, x, y),
            **three("tape_rerun", ready(function), ready(forward), ready(both), x, y)}


def torch_figures(x, y) -> dict:
    import torch
    y, plain_x = torch.from_numpy(y), torch.from_numpy(x)
    x = plain_x.clone().requires_grad_(True)
    function = lambda n: chain(n, torch.sin)
    plain = lambda n: lambda _, y: function(n)(plain_x, y)
    both = lambda n: lambda x, y: torch.autograd.grad(function(n)(x, y), x)
    return three("tape_eager", plain, function, both, x, y)


def autograd_figures(x, y) -> dict:
    import autograd
    import autograd.numpy as anp
    total = lambda n: lambda x, y: anp.sum(walk(n, x, y))

    def walk(n, x, y):
        for _ in range(n // 2):
            x = anp.sin(x) * y
        return x
    forward = lambda n: autograd.make_vjp(total(n))
    return three("tape_eager", total, forward, lambda n: autograd.value_and_grad(total(n)), x, y)


def run(peers: bool) -> list:
    x, y = np.linspace(.5, 1, 10), np.linspace(.9, 1.1, 10)
    makers = {"numjit": numjit_figures}
    if peers:
        makers |= {name: make for name, module, make in (("torch_eager", "torch", torch_figures),
                                                         ("autograd", "autograd", autograd_figures))
                   if importlib.util.find_spec(module)}
    found = {}
    for _ in range(ROUNDS):
        for name, make in makers.items():
            for figure, value in make(x, y).items():
                found.setdefault(figure, {}).setdefault(name, []).append(value)
    return [measure.row(figure, "ns", {n: sorted(v)[len(v) // 2] for n, v in found[figure].items()}, limit, title=title,
                        bound="tape") for figure, (title, limit) in TITLES.items()]
