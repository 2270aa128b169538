"""NumPy's words as each engine has them: a workload is written once, over `xp`."""
import math
from types import SimpleNamespace

NAMES = ("abs", "erf", "exp", "log", "log1p", "matmul", "max", "maximum", "roll", "sin", "sqrt", "sum", "swapaxes", "tanh")


def words(module, **own):
    """The names from a module, some of them given."""
    return SimpleNamespace(**{name: getattr(module, name) for name in NAMES if name not in own}, **own)


def numpy_words():
    import numpy as np
    return words(np, erf=np.vectorize(math.erf, otypes=[float]))


def numjit_words():
    import numjit
    return words(numjit, erf=numjit.special.erf)


def jax_words():
    import jax
    import jax.numpy as jnp
    return words(jnp, erf=jax.scipy.special.erf)


def torch_words():
    import torch_words as module
    return words(module)


def autograd_words():
    import autograd.numpy as anp
    from autograd.scipy.special import erf
    return words(anp, erf=erf, pad=anp.pad)


def mlx_words():
    import mlx.core as mx
    return words(mx)
