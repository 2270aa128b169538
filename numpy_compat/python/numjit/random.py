"""numjit.random: NumPy's generators and streams. default_rng(seed).normal(size=3) are NumPy's numbers."""
import builtins
import operator

from . import _core as C
from ._creation import asarray

_R = C.random


def _words(seed):
    """uint32 words of a non-negative integer of any size."""
    if seed < 0:
        raise ValueError("expected non-negative integer")
    words = []
    while True:
        words.append(seed & 0xFFFFFFFF)
        seed >>= 32
        if not seed:
            return words


def _entropy(seed):
    """Words of a seed: an integer, or a sequence of integers."""
    if isinstance(seed, (str, builtins.bytes, float)):
        raise TypeError("SeedSequence expects int or sequence of ints for entropy not " + repr(seed))
    try:
        return _words(operator.index(seed))
    except TypeError:
        return [w for s in seed for w in _words(operator.index(s))]


class SeedSequence:
    """Mixes entropy into states that have nothing to do with each other."""

    def __init__(self, entropy=None, *, spawn_key=(), pool_size=4, n_children_spawned=0):
        if entropy is None:
            import secrets
            entropy = secrets.randbits(32 * pool_size)
        self.entropy, self.pool_size = entropy, pool_size
        self.spawn_key = tuple(spawn_key)
        self._own = _R.SeedSequence(_entropy(entropy), list(self.spawn_key), pool_size, n_children_spawned)

    def generate_state(self, n_words, dtype=C.uint32):
        """n words of uint32 or uint64."""
        return self._own.generate_state(n_words, dtype)

    @property
    def n_children_spawned(self):
        """How many children there are."""
        return self._own.n_children_spawned

    @property
    def pool(self):
        """The mixed entropy."""
        return C.array(self._own.pool, C.uint32, True)

    def spawn(self, n_children):
        """Sequences that depend on this one's entropy and their number."""
        first = self.n_children_spawned
        self._own.spawn(n_children)
        return [SeedSequence(self.entropy, spawn_key=self.spawn_key + (i,), pool_size=self.pool_size) for i in range(first, first + n_children)]


class BitGenerator:
    """A source of random bits."""

    def __init__(self, seed=None, **unsupported):
        if unsupported:
            raise NotImplementedError(f"{type(self).__name__}: {', '.join(unsupported)} not available.")
        if type(self) is BitGenerator:
            raise NotImplementedError("BitGenerator is a base class and cannot be instantized")
        self.seed_seq = seed if isinstance(seed, SeedSequence) else SeedSequence(seed)
        self._own = _R.BitGenerator(type(self).__name__, self.seed_seq._own)

    @classmethod
    def _of(cls, own):
        kind = globals()[own.name]
        made = kind.__new__(kind)
        made._own, made.seed_seq = own, None
        return made

    def random_raw(self, size=None, output=True):
        """Raw values."""
        made = self._own.random_raw(size)
        return made if output else None

    def advance(self, delta):
        """Moves on as if delta values had been drawn."""
        self._own.advance(delta)
        return self

    def jumped(self, jumps=1):
        """A source far ahead on the same stream."""
        return self._of(self._own.jumped(jumps))

    def spawn(self, n_children):
        """Sources with spawned seeds."""
        return [type(self)(s) for s in self.seed_seq.spawn(n_children)]

    @property
    def state(self):
        """The state, as NumPy's dictionaries."""
        name, state, key, buffer, pos, has_uint32, uinteger = self._own.state()
        extra = {"has_uint32": int(has_uint32), "uinteger": uinteger}
        if name.startswith("PCG64"):
            return {"bit_generator": name, "state": {"state": state[0] << 64 | state[1], "inc": state[2] << 64 | state[3]}, **extra}
        if name == "MT19937":
            return {"bit_generator": name, "state": {"key": C.array(state, C.uint32, True), "pos": pos}}
        if name == "Philox":
            return {"bit_generator": name, "state": {"counter": C.array(state, C.uint64, True), "key": C.array(key, C.uint64, True)},
                    "buffer": C.array(buffer, C.uint64, True), "buffer_pos": pos, **extra}
        return {"bit_generator": name, "state": {"state": C.array(state, C.uint64, True)}, **extra}

    @state.setter
    def state(self, value):
        if not isinstance(value, dict):
            raise TypeError("state must be a dict")
        name, inner = value.get("bit_generator"), value.get("state")
        if name != type(self).__name__:
            raise ValueError(f"state must be for a {type(self).__name__} RNG")
        key, buffer, pos = [], [], 0
        if name.startswith("PCG64"):
            low = (1 << 64) - 1
            state = [inner["state"] >> 64, inner["state"] & low, inner["inc"] >> 64, inner["inc"] & low]
        elif name == "MT19937":
            state, pos = asarray(inner["key"]).tolist(), inner["pos"]
        elif name == "Philox":
            state, key, buffer, pos = asarray(inner["counter"]).tolist(), asarray(inner["key"]).tolist(), asarray(value["buffer"]).tolist(), value["buffer_pos"]
        else:
            state = asarray(inner["state"]).tolist()
        self._own.set_state(name, state, key, buffer, int(pos), bool(value.get("has_uint32", 0)), int(value.get("uinteger", 0)))

    def __reduce__(self):
        return _rebuilt_source, (type(self).__name__, self.state)


def _rebuilt_source(name, state):
    made = globals()[name](0)
    made.state = state
    return made


class PCG64(BitGenerator):
    """NumPy's default: a 128-bit permuted congruential generator."""


class PCG64DXSM(BitGenerator):
    """PCG64 with another output function."""


class MT19937(BitGenerator):
    """The Mersenne Twister."""


class Philox(BitGenerator):
    """A counter-based generator."""


class SFC64(BitGenerator):
    """A small fast chaotic generator."""


def _draw(name, parameters):
    """A method that draws from one distribution."""
    names = [p for p, _ in parameters]
    defaults = dict(parameters)

    def method(self, *args, **kwargs):
        if len(args) > len(names) + 1:
            raise TypeError(f"{name}() takes at most {len(names) + 1} positional arguments ({len(args)} given)")
        given = dict(zip([*names, "size"], args))
        for key, value in kwargs.items():
            if key not in names and key != "size":
                raise TypeError(f"{name}() got an unexpected keyword argument '{key}'")
            if key in given:
                raise TypeError(f"{name}() got multiple values for keyword argument '{key}'")
            given[key] = value
        values = []
        for p in names:
            if p not in given and defaults[p] is None:
                raise TypeError(f"{name}() missing required argument: '{p}'")
            values.append(given.get(p, defaults[p]))
        return self._own.draw(name, given.get("size"), *values)
    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"Draws from the distribution {name}({', '.join([*names, 'size=None'])})."
    return method


def _population(a):
    """What choice() chooses from: an array, or an integer for arange."""
    return a if isinstance(a, int) else asarray(a)


def _shuffle(shuffle, x):
    """In place; lists too, by the order of their indices."""
    if isinstance(x, C.array_base):
        shuffle(x)
        return
    if hasattr(x, "__array_interface__"):
        shuffle(asarray(x))
        return
    order = C.arange(0, len(x), 1, None)
    shuffle(order)
    x[:] = [x[i] for i in order.tolist()]


class _Draws:
    """What Generator and RandomState have in common."""

    def bytes(self, length):
        """Random bytes."""
        return self._own.bytes(length)


for _name, _parameters in _R.signatures.items():
    setattr(_Draws, _name, _draw(_name, _parameters))


class Generator(_Draws):
    """Draws numbers of many distributions from a source of bits."""

    def __init__(self, bit_generator):
        if not isinstance(bit_generator, BitGenerator):
            raise TypeError(f"expected a bit generator, got {type(bit_generator).__name__}")
        self.bit_generator = bit_generator
        self._own = _R.Generator(bit_generator._own)

    def random(self, size=None, dtype=C.float64, out=None):
        """Numbers in [0, 1)."""
        return self._own.random(size, dtype, out)

    def standard_normal(self, size=None, dtype=C.float64, out=None):
        """Numbers of the normal distribution."""
        return self._own.standard_normal(size, dtype, out)

    def standard_exponential(self, size=None, dtype=C.float64, method="zig", out=None):
        """Numbers of the exponential distribution."""
        return self._own.standard_exponential(size, dtype, method, out)

    def standard_gamma(self, shape, size=None, dtype=C.float64, out=None):
        """Numbers of the gamma distribution."""
        return self._own.standard_gamma(shape, size, dtype, out)

    def integers(self, low, high=None, size=None, dtype=C.int64, endpoint=False):
        """Integers in [low, high)."""
        return self._own.integers(low, high, size, dtype, bool(endpoint))

    def choice(self, a, size=None, replace=True, p=None, axis=0, shuffle=True):
        """Elements of a, or of arange(a)."""
        return self._own.choice(_population(a), size, bool(replace), p, axis, bool(shuffle))

    def permutation(self, x, axis=0):
        """A copy in random order."""
        return self._own.permutation(_population(x), axis)

    def shuffle(self, x, axis=0):
        """Random order, in place."""
        _shuffle(lambda a: self._own.shuffle(a, axis), x)

    def permuted(self, x, axis=None, out=None):
        """A copy in which each slice has an order of its own."""
        made = self._own.permuted(asarray(x), axis, out)
        return made if out is None else out

    def multivariate_normal(self, mean, cov, size=None, check_valid="warn", tol=1e-8, *, method="svd"):
        """Vectors of a normal distribution."""
        return self._own.multivariate_normal(mean, cov, size, check_valid, tol, method)

    def multivariate_hypergeometric(self, colors, nsample, size=None, method="marginals"):
        """Counts of colours in a sample."""
        return self._own.multivariate_hypergeometric(colors, nsample, size, method)

    def spawn(self, n_children):
        """Generators with spawned seeds."""
        return [Generator(b) for b in self.bit_generator.spawn(n_children)]

    def __reduce__(self):
        return Generator, (self.bit_generator,)

    def __repr__(self):
        return f"Generator({type(self.bit_generator).__name__})"

    __str__ = __repr__


class RandomState(_Draws):
    """The streams of NumPy 1.16 and before."""

    def __init__(self, seed=None):
        if isinstance(seed, BitGenerator):
            self._own = _R.RandomState(seed._own)
            return
        self._own = _R.RandomState()
        if seed is not None:
            self.seed(seed)

    def seed(self, seed=None):
        """Begins anew."""
        if seed is None:
            self._own.seed(None, False)
            return
        try:
            value = operator.index(seed)
        except TypeError:
            words = [operator.index(s) for s in asarray(seed).tolist()]
            if any(not 0 <= w < 2 ** 32 for w in words):
                raise ValueError("Seed must be between 0 and 2**32 - 1") from None
            self._own.seed(words, True)
            return
        if not 0 <= value < 2 ** 32:
            raise ValueError("Seed must be between 0 and 2**32 - 1")
        self._own.seed([value], False)

    def random_sample(self, size=None):
        """Numbers in [0, 1)."""
        return self._own.random(size)

    random = random_sample

    def rand(self, *shape):
        """Numbers in [0, 1), the shape as arguments."""
        return self._own.random(shape if shape else None)

    def randn(self, *shape):
        """Numbers of the normal distribution, the shape as arguments."""
        return self._own.standard_normal(shape if shape else None)

    def standard_normal(self, size=None):
        """Numbers of the normal distribution."""
        return self._own.standard_normal(size)

    def standard_exponential(self, size=None):
        """Numbers of the exponential distribution."""
        return self._own.standard_exponential(size)

    def standard_gamma(self, shape, size=None):
        """Numbers of the gamma distribution."""
        return self._own.standard_gamma(shape, size)

    def randint(self, low, high=None, size=None, dtype=C.int64):
        """Integers in [low, high)."""
        return self._own.randint(low, high, size, dtype)

    def tomaxint(self, size=None):
        """Integers up to the largest."""
        return self._own.tomaxint(size)

    def choice(self, a, size=None, replace=True, p=None):
        """Elements of a, or of arange(a)."""
        return self._own.choice(_population(a), size, bool(replace), p, 0, True)

    def permutation(self, x):
        """A copy in random order."""
        return self._own.permutation(_population(x))

    def shuffle(self, x):
        """Random order, in place."""
        _shuffle(self._own.shuffle, x)

    def multivariate_normal(self, mean, cov, size=None, check_valid="warn", tol=1e-8):
        """Vectors of a normal distribution."""
        return self._own.multivariate_normal(mean, cov, size, check_valid, tol, "svd")


def default_rng(seed=None):
    """A Generator over PCG64 with this seed, or over the source given."""
    if isinstance(seed, Generator):
        return seed
    if isinstance(seed, BitGenerator):
        return Generator(seed)
    if isinstance(seed, RandomState):
        raise TypeError("a RandomState is no seed: give its bit generator.")
    return Generator(PCG64(seed))


# The functions of numjit.random: one RandomState of the process.
_global = RandomState()
for _name in [n for n in dir(RandomState) if not n.startswith("_")]:
    globals()[_name] = getattr(_global, _name)
ranf = sample = random_sample = _global.random_sample

__all__ = ["BitGenerator", "Generator", "MT19937", "PCG64", "PCG64DXSM", "Philox", "RandomState", "SFC64", "SeedSequence", "default_rng",
           "ranf", "sample", *(n for n in dir(RandomState) if not n.startswith("_"))]
